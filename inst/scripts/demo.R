# Which genes drive complex2 in the apoptosis network? Run by `make demo`, or from R by
# source(system.file("scripts", "demo.R", package = "fireflip")).
library(fireflip)

net <- example_model("apoptosis")
print(net, n = 0)
small <- reduce_network(net, of_interest = "complex2")
print(small, n = 0)

influence <- long_run_influence(net, to = "complex2", seed = 1)
cat("\nLong-run influence on complex2, with 95% intervals:\n\n")
print(influence, row.names = FALSE)

file <- file.path(if (file.access(".", 2) == 0) getwd() else tempdir(), "complex2.png")
grDevices::png(file, width = 1400, height = 900, res = 150)
plot(influence)
invisible(grDevices::dev.off())
cat("\nThe plot is in", file, "\n")
