# Draws tables of bench/ssa_methods.R, the time of an event against the size of the network, with a panel for each family:
#   Rscript bench/plot_methods.R out.png table.csv ...
files <- commandArgs(trailingOnly = TRUE)
table <- do.call(rbind, lapply(files[-1L], utils::read.csv))
methods <- setdiff(names(table), c("network", "reactions", "species"))
colours <- grDevices::hcl.colors(length(methods), "Dark 3")
grDevices::png(files[[1L]], 2400, 1500, res = 200)
graphics::par(mfrow = c(2, 3), mar = c(4, 5, 2, 0.5), mgp = c(3.6, 0.7, 0), las = 1)
for (family in unique(table$network)) {
  rows <- table[table$network == family, ]
  range <- range(as.matrix(rows[methods]), na.rm = TRUE)
  plot(NA, xlim = range(table$reactions), ylim = range, log = "xy", xlab = "", ylab = "ns an event", main = family)
  graphics::title(xlab = "reactions", line = 2.4)
  for (i in seq_along(methods)) {
    graphics::lines(rows$reactions, rows[[methods[[i]]]], col = colours[[i]], type = "o", pch = 1 + (i - 1) %% 6, cex = 0.7)
  }
}
plot.new()
graphics::legend("center", methods, col = colours, pch = 1 + (seq_along(methods) - 1) %% 6, lty = 1, bty = "n")
invisible(grDevices::dev.off())
