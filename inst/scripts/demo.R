# Which genes drive complex2 in the apoptosis network? Run by `make demo`, or from R by
# source(system.file("scripts", "demo.R", package = "fireflip")).
library(fireflip)

net <- example_model("apoptosis")
print(net, n = 0)
small <- reduce_network(net, of_interest = "complex2")
print(small, n = 0)

analysis <- influence_analysis(net, "complex2", to = "complex2", seed = 1)
cat("\nHow often complex2 is on, and which genes influence it, with 95% intervals:\n\n")
print(analysis)

file <- file.path(if (file.access(".", 2) == 0) getwd() else tempdir(), "complex2.png")
grDevices::png(file, width = 1400, height = 900, res = 150)
plot(analysis$influence)
invisible(grDevices::dev.off())
cat("\nThe plot is in", file, "\n")
