suppressMessages(library(fireflip)); set.seed(1)
n <- petri_model("calcium", nx=100, ny=200, channels="stationary")
x <- simulate(n, times=c(0.1,0.25), seed=1, method="windows", observe="Ca", output="trajectories", backend="cpu", threads=2)
