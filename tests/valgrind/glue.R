# For valgrind: calls every entry from R into the core once, also with errors. A report whose stack contains fireflip.so counts as
# an error of the package.
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

reactions <- reaction_network("2 `a b` <-> C" = list("k * C", 0.5), initial = c("a b" = 10), parameters = c(k = 1))
summary(reactions)
network_arrows(set_parameters(reactions, k = 2))
reaction_dependencies(reactions)
fireflip:::reaction_graph(reactions, "network")
solution <- chemical_master_equation(reactions, c(0, 0.5, 1), initial = c(C = 1), tolerance = 1e-4)
as.data.frame(solution)
fails(chemical_master_equation(reactions, 1, initial = c(C = 1), max_states = 2))
mass_action <- reaction_network("2 A <-> C" = c(1, 0.5), initial = c(A = 10))
for (method in ssa_methods()$method) simulate(mass_action, nsim = 3, times = c(0, 0.1), method = method, seed = 1)
fails(simulate(reactions, nsim = 3, times = 0.1, method = "pdm", seed = 1))
simulate(reactions, nsim = 2, times = 0.1, output = "trajectories", seed = 1)
for (output in c("summary", "trajectories", "histogram")) {
  sweep_parameters(reactions, data.frame(k = 1:3), nsim = 3, times = 0.1, seed = 1, output = output, observe = "C")
}
fails(sweep_parameters(reactions, data.frame(k = c(1, -1)), nsim = 3, times = 0.1, initial = c(C = 1)))
fails(sweep_parameters(reactions, data.frame(k = 1:2), nsim = 3, times = 0.1, until = "C > 5", backend = "cuda"))
fails(simulate(reactions, nsim = 2, times = 0.1, until = "C > 5", seed = 1, backend = "cuda"))
half <- reaction_network("A -> 0" = 1, initial = c(A = 3), variables = c(half = "A / 2"))
simulate(half, nsim = 2, seed = 3, times = 0.7, observe = "half") # its lower bound would be negative
fails(simulate(reaction_network("A -> 0" = "1 - A", initial = c(A = 2)), times = 1))
fails(reaction_network("A ++ B -> C" = 1))
fails(reaction_network("A -> B" = "k * A"))
fails(reaction_network("A -> B" = "1 - 2"))
fails(summary(structure(unclass(reactions)[setdiff(names(reactions), "parameters")], class = class(reactions))))

file <- tempfile()
for (format in c("pbn", "boolnet")) {
  write_network(net, file, format)
  read_network(file)
}
writeLines("targets, factors\nA, B &", file)
fails(read_network(file))
fails(read_network(tempfile()))
writeLines(c("A = B & !C", "B = A"), file)
read_network(file)
connection <- textConnection(c("A, B", "B, !A &"))
fails(read_network(connection))
close(connection)
writeLines("<sbml xmlns=\"http://www.sbml.org/sbml/level2\" level=\"2\" version=\"1\"><model/></sbml>", file)
fails(read_network(file))
write_sbml_reactions <- function(law) {
  writeLines(c(
    "<sbml xmlns=\"http://www.sbml.org/sbml/level1\" level=\"1\" version=\"2\"><model><listOfCompartments>",
    "<compartment name=\"c\"/></listOfCompartments><listOfSpecies><species name=\"A\" compartment=\"c\" initialAmount=\"3\"/>",
    sprintf("</listOfSpecies><listOfReactions><reaction name=\"r\"><kineticLaw formula=\"%s\">", law),
    "<listOfParameters><parameter name=\"k\" value=\"2\"/></listOfParameters></kineticLaw></reaction></listOfReactions>",
    "</model></sbml>"
  ), file)
}
write_sbml_reactions("k*A + sqrt(A)")
read_network(file, initial = c(A = 10))
fails(read_network(file, perturbation = 0.1))
write_sbml_reactions("k*B")
fails(read_network(file))
rename_nodes(random, function(names) paste("gene", names))
fails(rename_nodes(net, x1 = "a\"b`c"))

reduce_network(example_model("example1"), of_interest = "x7")
stationary_distribution(net)
simulate(net, nsim = 3, seed = 1, steps = 5)
outcomes(set_perturbation(net, 0), seed = 1)
outcomes(set_perturbation(random, 0), method = "simulation", precision = 0.05, seed = 1)
fails(outcomes(set_perturbation(random, 0), method = "simulation", precision = 0.05, seed = 1, max_steps = 1, max_states = 1))
steady_state(net, c("x1 & x2", "x3"), precision = 0.05, method = "simulation", seed = 1)
steady_state(random, "x1", precision = 0.05, method = "simulation", seed = 1)
steady_state(set_perturbation(random, 0), "x1", precision = 0.05, method = "simulation", seed = 1)
summary(steady_state(net, "x1", method = "exact"))
steady_state(net, "x1") # uses the exact method by default
fails(steady_state(net, "x1 &"))
long_run_influence(net, precision = 0.05, method = "simulation", seed = 1)
influence_analysis(net, "x1", precision = 0.05, influence_precision = 0.05, method = "simulation", seed = 1)
long_run_sensitivity(net, "x1", nodes = "x2", precision = 0.05, method = "simulation", seed = 1)
parts <- lapply(1:2, function(i) steady_state(net, "x1", precision = 0.05, seed = 1, shard = c(i, 2)))
do.call(c, parts)
basins <- pbn(c(a = "b", b = "a"), perturbation = 1e-3)
slow <- function(...) steady_state(basins, "a", precision = 0.1, method = "simulation", seed = 1, max_burn_in = 1024, ...)
fails(slow())
suppressWarnings(slow(on_slow = "warn"))
steady_state(pbn(c(`a b` = "\"a b\"", c = "`a b`")), list(c(`a b` = 1, c = 0)), method = "exact")
cat("glue: done\n")

chip <- ssp(spes = 2, rus = 2, internal = 2, cached = 2)
copies <- reaction_model("aggregation", copies = 8, sets = 4, seed = 1)
program <- compile_ssp(copies, chip, "none", seed = 1)
summary(program)
file <- write_ssp(program, tempfile())
print(ssp_cycles(simulate(read_ssp(file), nsim = 3, times = c(0, 0.01), seed = 1)))
ssp_memory(simulate(program, nsim = 3, steps = 5, seed = 1))
ssp_energy(simulate(program, nsim = 3, steps = 5, seed = 1))
ssp_sweep(copies, rus = 1:2, seed = 1, seconds = 0.2, progress = FALSE)
fails(compile_ssp(reactions))
fails(ssp(rus = 0))
fails(fireflip:::new_program(as.raw(1:9)))
