# Every way from R into the core once, with its errors, for valgrind: what it reports through fireflip.so is ours.
library(fireflip)
fails <- function(code) stopifnot(inherits(try(code, silent = TRUE), "try-error"))

net <- example_model("shmulevich3")
example_models()
summary(example_model("apoptosis"))
fails(pbn(c(A = "B")))
fails(pbn(c(A = "f(A){0}")))
fails(pbn(list(A = c("A", "!A")), contexts = list(probability = c(0.5, 0.4), predictor = cbind(1:2))))
random <- random_pbn(12, functions = c(1, 3), parents = c(0, 8), contexts = 3, seed = 1)
if (requireNamespace("BoolNet", quietly = TRUE)) as_pbn(as_boolnet(set_perturbation(net, 0)))

file <- tempfile()
for (format in c("pbn", "boolnet")) {
  write_network(net, file, format)
  read_network(file)
}
writeLines("targets, factors\nA, B &", file)
fails(read_network(file))
fails(read_network(tempfile()))

reduce_network(example_model("example1"), of_interest = "x7")
stationary_distribution(net)
simulate(net, nsim = 3, seed = 1, steps = 5)
outcomes(set_perturbation(net, 0), seed = 1)
outcomes(set_perturbation(random, 0), method = "simulation", precision = 0.05, seed = 1)
fails(outcomes(set_perturbation(random, 0), method = "simulation", precision = 0.05, seed = 1, max_steps = 1, max_states = 1))
steady_state(net, c("x1 & x2", "x3"), precision = 0.05, seed = 1)
steady_state(random, "x1", precision = 0.05, seed = 1)
steady_state(net, "x1", method = "exact")
fails(steady_state(net, "x1 &"))
long_run_influence(net, precision = 0.05, seed = 1)
cat("glue: done\n")
