# Draws the picture in README.md. Run by `make docs`, after the package was installed into build/lib.
library(fireflip, lib.loc = file.path("build", "lib"))
net <- set_perturbation(example_model("cellcycle"), 0.01)
dir.create(file.path("man", "figures"), showWarnings = FALSE)
grDevices::png(file.path("man", "figures", "cellcycle.png"), width = 1200, height = 760, res = 150)
plot(net, activity = node_activity(net), influence = long_run_influence(net))
invisible(grDevices::dev.off())
