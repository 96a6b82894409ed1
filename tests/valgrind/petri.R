# For valgrind, as glue.R: every entry for Petri nets, also with errors.
library(fireflip)
fails <- function(code) stopifnot(inherits(try(code, silent = TRUE), "try-error"))

cells <- petri_net(
  step = transition("A[i] -> A[next(i)]", rate = c("i == top" = 1, "2")),
  grow = transition("0 -> (n + 1) L[x]", flow = "A[top] + sum(L) / 9", guard = "near(x, n)"),
  wait = transition("A[i] -> 0", delay = 0.1, test = "A[i] < 3 & L[1] >= 0.5", reset = "L[2]"),
  pulse = transition("0 -> A[side]", at = c(0.05, 0.1, 0.3)), now = transition("2 A[top] -> 0", weight = 1),
  colours = list(I = c("top", "side"), X = 1:3), sets = c(Odd = "X[x %% 2 == 1]", Pair = "X * I"), indices = c(x = "X", i = "I"),
  places = c(A = "I", L = "X", P = "Pair", plain = "Odd"), functions = c("near(x in X, k)" = "x >= k"), continuous = "L",
  initial = list("A[side]" = 3, L = "x / 10", "P[1,top]" = 2), parameters = c(n = 1), variables = c(all = "sum(A) + n")
)
print(cells)
summary(cells)
unfold(cells)
network_arrows(cells)
set_initial(set_parameters(cells, n = 2), "A[top]" = 1)
fails(petri_net("A -> B" = "k"))
fails(petri_net(a = transition("A[x] -> B", rate = 1), colours = list(X = 1:2), indices = c(x = "X"), places = c(A = "Y")))
fails(petri_net("A -> B" = 1, functions = c("near" = "1")))
fails(petri_net("A -> B" = 1, colours = list(X = 1:2), sets = c(Z = "X * Q")))
broken <- cells
broken$transitions$kind[[1]] <- "quick"
fails(summary(broken))
for (output in c("summary", "trajectories", "final", "histogram", "events")) {
  simulate(cells, nsim = 3, times = c(0.1, 0.4), output = output, seed = 1, observe = c("A", "L[2]", "all"))
}
simulate(cells, nsim = 2, times = 0.4, seed = 1, integrator = "rosenbrock", until = "L[1] > 0.2")
fails(simulate(cells, times = 1, until = "L[7] > 0.2"))
fails(simulate(cells, times = 1, observe = "L[7]"))
fails(simulate(petri_net(t = transition("A -> B", delay = "A - 5"), initial = c(A = 1)), times = 1))
fails(simulate(petri_model("gene"), times = 1, backend = "cuda"))
first_passage(petri_model("gene"), "protein > 0.1", nsim = 3, end = 1, seed = 1)
sweep_parameters(petri_model("gene"), data.frame(k_on = c(1, 3)), nsim = 3, times = 0.5, seed = 1)
fails(sweep_parameters(petri_model("gene"), data.frame(k_on = c(1, -1)), nsim = 3, times = 0.5, seed = 1))
moves <- petri_net(
  move = transition("A[x] -> A[next(x)]", rate = 1), colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X"),
  initial = c("A[1]" = 5)
)
simulate(moves, nsim = 3, times = 0.5, seed = 1, until = "sum(A) < 5", output = "events")
as_reaction_network(moves)
conservation_laws(moves)
invariants(moves, "T")
many <- petri_net( # enough transitions for the pattern of a rate
  move = transition("2 `a b`[x] -> (n + 1) `a b`[next(x)]", rate = "k * `a b`[x] * v + x"),
  flip = transition("`a b`[x] -> `a b`[previous(x)]", rate = "k * `a b`[x]"), colours = list(X = 1:12), indices = c(x = "X"),
  places = c("a b" = "X"), initial = c("a b[1]" = 5), parameters = c(n = 1, k = 2), variables = c(v = "k + sum(`a b`)")
)
unfold(many)
reduce_network(many)
reduce_network(many, of_interest = "v")
reduce_network(cells, of_interest = "all")
plot(cells)
as_petri_net(as_petri_net(as_reaction_network(moves)), as = "continuous")
files <- file.path(tempdir(), c("net.candl", "net.pnml"))
write_network(moves, files[[1]])
write_network(moves, files[[2]])
read_network(files[[1]])
fails(read_network(files[[1]], valueset = "Main"))
fails(read_network(files[[1]], constants = c(none = 1)))
fails(read_network(files[[2]], format = "andl"))
constants <- file.path(tempdir(), "constants.andl")
writeLines("spn [n] { constants: all: int D = 3; double k = D / 2; places: A = D; transitions: t : : [A - 1] : k * A; }", constants)
computed <- read_network(constants)
write_network(computed, constants)
write_network(set_parameters(computed, D = 4), constants)
computed$definitions$text[["k"]] <- NA
write_network(computed, constants)

# events, and SBML
pulses <- petri_net(
  "1.5 x -> 0" = flow("k * x"), "A -> 0" = 1, continuous = "x", initial = c(A = 3, x = 0.5), parameters = c(k = 1),
  events = list(fill = event("x < 0.2", set = c(x = "1 + A", k = "k / 2"), delay = 0.1, priority = "A"))
)
simulate(pulses, nsim = 3, times = 1:2, seed = 1)
fails(simulate(pulses, times = 20, parameters = c(k = 50), initial = c(A = -1)))
fails(petri_net("A -> 0" = 1, events = list(event("A > 1", set = c(none = 1)))))
unfold(petri_net(
  t = transition("A[x] -> 0", rate = 1), colours = list(X = 1:2), indices = c(x = "X"), places = c(A = "X"),
  events = list(event("sum(A) < 2", set = c(A = 3)))
))$events
sbml <- write_sbml(pulses, file.path(tempdir(), "net.xml"))
read_sbml(sbml, as = "petri_net")
fails(read_sbml(sbml))
fails(write_sbml(petri_net("A -> B" = transition(delay = 1)), sbml))
fails(read_network(sbml, as = "petri_net", continuous = "none"))
