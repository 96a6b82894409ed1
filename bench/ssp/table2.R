# Rscript bench/ssp/table2.R: Table II of Park and Gerstlauer, simulated, beside their figures; then our optimisation
# "locality", and the processor beside fireflip's own methods on this machine. Prints tables; bench/ssp/RESULTS.md has them. The
# processor's fields are the defaults of ssp(); all rows have the same.
library(fireflip)

paper <- data.frame(
  spes = c(1, 1, 1, 1, 4, 4), rus = c(8, 8, 16, 16, 32, 32), reactions = rep(c(32768, 65536), 3L),
  none = c(28.4, 10.2, 30.8, 10.6, 43.5, 14.5), paper = c(48.9, 21.4, 43.3, 17.0, 44.7, 16.7)
)
started <- proc.time()[["elapsed"]]
nets <- lapply(c(32768, 65536), function(m) reaction_model("aggregation", copies = m / 8, sets = m / 32, seed = 1))
measured <- do.call(rbind, lapply(seq_len(nrow(paper)), function(i) {
  row <- paper[i, ]
  net <- nets[[match(row$reactions, c(32768, 65536))]]
  ssp_sweep(net, spes = row$spes, rus = row$rus, optimise = c("none", "paper", "locality"), seed = 1, progress = FALSE)
}))
cat(sprintf("Table II, 18 processors in %.0f s\n", proc.time()[["elapsed"]] - started))
k <- function(optimise) measured$throughput[measured$optimise == optimise] / 1000
table <- data.frame(
  paper[1:3], none = signif(k("none"), 3), printed = paper$none, error = sprintf("%+.0f%%", 100 * (k("none") / paper$none - 1)),
  opt = signif(k("paper"), 3), printed = paper$paper, error = sprintf("%+.0f%%", 100 * (k("paper") / paper$paper - 1)),
  locality = signif(k("locality"), 4), of_opt = sprintf("x %.1f", k("locality") / paper$paper), check.names = FALSE
)
print(table, row.names = FALSE)
print(measured)

# What fireflip's own methods do with these networks: events a second, on one core and on all.
own <- function(net, threads, method) {
  last <- 1e-4
  repeat {
    seconds <- system.time(found <- simulate(
      net, nsim = threads, times = last, seed = 1, method = method, threads = threads, observe = "S1", backend = "cpu"
    ))[["elapsed"]]
    if (seconds > 2) break
    last <- 2 * last
  }
  events <- attr(found, "run")$events
  data.frame(reactions = nrow(net$reactions), method = method, threads = threads, events_a_second = signif(events / seconds, 3))
}
cores <- fireflip_threads()
rows <- list()
for (net in nets) {
  for (method in c("composition_rejection", "next_reaction", "auto")) {
    for (threads in unique(c(1, cores))) rows <- c(rows, list(own(net, threads, method)))
  }
}
print(do.call(rbind, rows), row.names = FALSE)
