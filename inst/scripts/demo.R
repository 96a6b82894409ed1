# Two analyses: which genes drive complex2 in the apoptosis network, and how a reaction with two stable counts behaves.
# Run by `make demo`, or from R by source(system.file("scripts", "demo.R", package = "fireflip")).
library(fireflip)

net <- example_model("apoptosis")
print(net, n = 0)
small <- reduce_network(net, of_interest = "complex2")
print(small, n = 0)

analysis <- influence_analysis(net, "complex2", to = "complex2", seed = 1)
cat("\nHow often complex2 is on, and which genes influence it, with 95% intervals:\n\n")
print(analysis)

folder <- if (file.access(".", 2) == 0) getwd() else tempdir()
file <- file.path(folder, "complex2.png")
grDevices::png(file, width = 1400, height = 900, res = 150)
plot(analysis$influence)
invisible(grDevices::dev.off())
cat("\nThe plot is in", file, "\n\n")

# ---- a reaction network --------------------------------------------------------------------------------------------------

net <- example_model("schlogl")
print(net)
times <- seq(0, 5, 0.05)
cat("\nSimulating 10,000 trajectories of this network (seconds)\n\n")
ensemble <- simulate(net, nsim = 10000, times = times, seed = 1)
print(summary(ensemble))
cat("\nThe mean and the standard deviation of X, with 95% intervals:\n\n")
shown <- as.data.frame(ensemble)[ensemble$time %in% c(0, 1, 2, 3, 4, 5), ]
shown <- shown[c("time", "mean", "lower", "upper", "sd", "sd_lower", "sd_upper", "min", "max")]
print(format(shown, digits = 4), row.names = FALSE)

some <- simulate(net, nsim = 12, times = times, output = "trajectories", seed = 1)
counts <- simulate(net, nsim = 10000, times = 5, output = "histogram", seed = 1)
cat(sprintf(
  "\nThe mean is a count that hardly occurs: at time 5, %.1f%% of the trajectories have a count from 250 to 400.\n",
  100 * sum(counts$proportion[counts$count >= 250 & counts$count <= 400])
))

file <- file.path(folder, "schlogl.png")
grDevices::png(file, width = 2100, height = 800, res = 150)
old <- graphics::par(mfrow = c(1, 3))
plot(ensemble, main = "10,000 trajectories: mean and sd")
plot(some, main = "the first 12 of them", n = 12)
plot(counts, main = "counts at time 5")
graphics::par(old)
invisible(grDevices::dev.off())
cat("The plot is in", file, "\n")
