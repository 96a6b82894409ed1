# The questions of answers.R about Boolean networks.

# Numbers that are answers. The other columns describe the run.
boolean_columns <- c("set", "from", "to", "node", "probability", "influence", "changed", "difference", "lower", "upper",
  "samples", "trajectories", "rhat", "trajectory", "step")
boolean_answer <- function(x) {
  if (is.null(x) || is.matrix(x)) return(x)
  x <- as.data.frame(x)
  names(x)[names(x) == "frequency"] <- "probability"
  x[intersect(boolean_columns, names(x))]
}

boolean_networks <- function() {
  perturbed <- function(name, p = 0.01) set_perturbation(example_model(name), p)
  list(
    shmulevich3 = perturbed("shmulevich3"), cellcycle = perturbed("cellcycle"), yeast = perturbed("yeast"),
    apoptosis = example_model("apoptosis"), toggle_p0 = set_perturbation(example_model("toggle"), 0),
    random_40 = random_pbn(40, parents = c(1, 5), perturbation = 0.01, seed = 11),
    random_40_async = random_pbn(40, parents = c(1, 4), perturbation = 0.01, seed = 12, update = "asynchronous"),
    random_60_contexts = random_pbn(60, parents = c(1, 4), perturbation = 0.005, seed = 13, contexts = 3),
    random_300 = random_pbn(300, functions = c(1, 4), parents = c(1, 6), perturbation = 0.01, seed = 14),
    random_300_async = random_pbn(
      300, functions = c(1, 4), parents = c(1, 6), perturbation = 0.01, seed = 15, update = "asynchronous"
    )
  )
}

boolean_sets <- function(net) c(net$nodes[[1L]], paste(utils::tail(net$nodes, 2), collapse = " & !"))

# The calls that every engine answers. `...` are the engine.
boolean_calls <- function(net) {
  sets <- boolean_sets(net)
  simulated <- function(verb, ...) {
    verb(net, ..., precision = 0.005, method = "simulation", seed = 7, on_slow = "warn", progress = FALSE)
  }
  list(
    steady_state = function(...) simulated(steady_state, sets, ...),
    packed = function(...) simulated(steady_state, sets, layout = "packed", ...),
    influence = function(...) simulated(long_run_influence, to = utils::tail(net$nodes, 1), ...),
    parts = function(...) {
      c(simulated(steady_state, sets, shard = c(1, 2), ...), simulated(steady_state, sets, shard = c(2, 2), ...))
    }
  )
}

# What involves no engine that can be chosen.
boolean_once <- function(net) {
  sets <- boolean_sets(net)
  small <- length(net$nodes) <= 12
  c(
    list(simulate = function() simulate(net, nsim = 5, seed = 7, steps = 40)),
    if (length(net$nodes) <= 60) list(outcomes = function() outcomes(set_perturbation(net, 0), seed = 7, progress = FALSE)),
    if (small) list(
      exact = function() steady_state(net, sets, method = "exact"),
      stationary = function() as.matrix(stationary_distribution(net)$probability),
      sensitivity = function() {
        long_run_sensitivity(net, sets, change = "node", precision = 0.01, seed = 7, method = "simulation", progress = FALSE)
      }
    )
  )
}
