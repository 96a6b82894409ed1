# Draws the pictures in README.md. Run by `make docs`, after the package was installed into build/lib.
library(fireflip, lib.loc = file.path("build", "lib"))
net <- set_perturbation(example_model("cellcycle"), 0.01)
dir.create(file.path("man", "figures"), showWarnings = FALSE)
figures <- file.path("man", "figures", c("cellcycle.png", "schlogl.png"))
grDevices::png(figures[[1L]], width = 1200, height = 760, res = 150)
plot(net, activity = node_activity(net), influence = long_run_influence(net))
invisible(grDevices::dev.off())

net <- example_model("schlogl")
times <- seq(0, 5, 0.05)
grDevices::png(figures[[2L]], width = 1200, height = 420, res = 110)
graphics::par(mfrow = c(1, 3))
plot(simulate(net, nsim = 2000, times = times, seed = 1))
plot(simulate(net, nsim = 12, times = times, output = "trajectories", seed = 1), n = 12)
plot(simulate(net, nsim = 2000, times = 5, output = "histogram", seed = 1))
invisible(grDevices::dev.off())

# With 64 colours the files are a quarter as large. R CMD check notes a package of more than 5 MB.
stopifnot(system2("pngquant", c("--force", "--nofs", "--ext", ".png", "64", figures)) == 0)
