# The questions of answers.R about reaction networks: each method gives each kind of output of each network.

# Species, counts, times, statistics and probabilities: all columns, and the method that "auto" has chosen.
reaction_answer <- function(x) {
  if (is.null(x) || is.character(x)) return(x)
  method <- tryCatch(summary(x)$method, error = function(condition) NULL)
  c(as.list(as.data.frame(x)), method = if (is.character(method)) method)
}

# A network with events that wait, are taken back and compete, and with rates that depend on the time.
clockwork <- function() {
  reaction_network(
    "0 -> A" = "k * (1 + sin(time))", "A -> B" = "r * A / (10 + total)", "B -> 0" = 0.3, "F + A -> F" = mass_action("j"),
    initial = c(A = 20, B = 5, F = 2), parameters = c(k = 8, r = 4, j = 0.05), fixed = "F",
    variables = c(total = "A + B", phase = "sin(time)"),
    events = list(
      dose = event("time >= 0.7", set = c(A = "A + 10")),
      feed = event("A < 12", set = c(A = "A + 3"), delay = 0.25, persistent = FALSE),
      late = event("B >= 8", set = c(B = "floor(B / 2)", k = "k + 1"), delay = "0.1 + B / 100", values = "execution"),
      first = event("time >= 1.5", set = c(B = 7), priority = 2),
      second = event("time >= 1.5", set = c(B = "B + 1"), priority = "1"),
      tied = event("time >= 1.5", set = c(A = "B + 2"), priority = 1),
      once = event("time < 3", set = c(j = 0.1), initially = TRUE)
    )
  )
}

# Each: the network, the last time, a condition, and the column of a sweep with its values. About 100 to 3,000 firings.
reaction_networks <- function() {
  one <- function(net, last, until, ...) list(net = net, last = last, until = until, design = data.frame(...))
  list(
    decay_dimerisation = one(reaction_model("decay_dimerisation", count = 1000), 2, "S2 > 150", S1 = c(500, 1000, 2000)),
    schlogl = one(example_model("schlogl"), 0.5, "X > 300", c4 = c(3, 3.5, 4)),
    toggle = one(example_model("toggle_reactions"), 5, "U > 40 | V > 40", alpha_U = c(20, 50), beta = c(2, 1)),
    repressilator = one(example_model("repressilator_reactions"), 4, "p_lacI > 60", K = c(20, 40, 80)),
    gene_expression = one(example_model("gene_expression"), 40, "protein >= 20", k_on = c(0.01, 0.02), gene_off = c(1, 2)),
    multistate = one(set_counts(reaction_model("multistate"), R = 536, L = 116, A = 536), 1, "RLA >= 20", L = c(50, 116)),
    sir_ring = one(reaction_model("sir_ring", regions = 4), 8, "I2 > 5", S1 = c(900, 1000), I1 = c(1, 3)),
    epidemic = one( # 0 / 0 once all have recovered; a law that no product of counts gives
      reaction_network("S -> I" = "b * S * I / (S + I)", "I -> R" = "g * I", "R -> S" = "0.01 * max(R - 20, 0)",
        initial = c(S = 95, I = 5), parameters = c(b = 1, g = 0.2)), 40, "I == 0", b = c(0.5, 1, 2)
    ),
    colloid = one(reaction_model("colloid", species = 20), 0.6, "S20 > 1", S1 = c(1, 10)),
    aggregation = one(reaction_model("aggregation", copies = 5, seed = 3), 2, "S1 > 12", S1 = c(5, 10)),
    cyclic_chain = one(reaction_model("cyclic_chain", species = 200), 5, "S7 > 2", S1 = c(1, 40)),
    random = one(reaction_model("random", species = 64, reactions = 100, seed = 4), 2e-3, "S1 < 90", S2 = c(80, 100)),
    large_counts = one(
      reaction_network("A -> B" = "k * A / 1e9", "B -> A" = mass_action("k / 1e9"), "0 -> C" = "k",
        initial = c(A = 5e9, B = 3e9), parameters = c(k = 20)), 4, "C > 60", k = c(20, 30)
    ),
    seasonal = one(
      reaction_network("0 -> X" = "a * (1 + cos(time))", "X -> 0" = mass_action("1 / (1 + time)"), "2 X -> Y" = "b * X * (X - 1)",
        initial = c(X = 10), parameters = c(a = 10, b = 0.02), variables = c(all = "X + 2 * Y", wave = "cos(time)")),
      6, "Y >= 6", a = c(5, 10)
    ),
    clockwork = one(clockwork(), 6, "A > 28", r = c(2, 4), A = c(20, 30))
  )
}

set_counts <- function(net, ...) {
  counts <- c(...)
  net$species$initial[match(names(counts), net$species$species)] <- counts
  net
}

# The calls that a method answers. `...` are the method and the engine.
reaction_calls <- function(case) {
  net <- case$net
  last <- case$last
  times <- last * c(0, 0.3, 0.65, 1)
  run <- function(nsim, ..., at = times) simulate(net, nsim, seed = 7, times = at, ..., progress = FALSE)
  others <- setdiff(net$species$species, names(case$design)) # a column of the design has its own name
  sweep <- function(nsim, ..., observe = utils::head(c(others, names(net$variables)), 4L)) {
    sweep_parameters(net, case$design, nsim, seed = 7, times = times, observe = observe, ..., progress = FALSE)
  }
  list(
    summary = function(...) run(50, quantiles = c(0.1, 0.5), covariance = TRUE, ...),
    trajectories = function(...) run(5, output = "trajectories", ...),
    histogram = function(...) run(50, output = "histogram", observe = 1, ...),
    events = function(...) run(2, output = "events", ...),
    variables = function(...) {
      if (length(net$variables) > 0L) run(20, observe = c(names(net$variables), net$species$species[[1L]]), ...)
    },
    until = function(...) run(50, until = case$until, ...),
    until_final = function(...) run(20, until = case$until, output = "final", ...),
    passage = function(...) first_passage(net, case$until, 30, last, seed = 7, progress = FALSE, ...),
    parts = function(...) c(run(50, quantiles = 0.5, shard = c(2, 2), ...), run(50, quantiles = 0.5, shard = c(1, 2), ...)),
    resumed = function(...) {
      half <- run(20, output = "final", at = last / 2, ...)
      simulate(net, seed = 8, times = last, initial = half, output = "final", progress = FALSE, ...)
    },
    sweep = function(...) sweep(20, quantiles = 0.5, ...),
    sweep_common = function(...) sweep(5, output = "final", common = TRUE, ...),
    sweep_until = function(...) sweep(20, until = case$until, output = "histogram", observe = utils::head(others, 1L), ...)
  )
}

# What involves no method that can be chosen, or no engine.
reaction_once <- function(case) {
  net <- case$net
  ensemble <- function(seed) {
    simulate(net, 200, seed = seed, times = case$last * c(0.5, 1), output = "histogram", backend = "cpu", observe = 1)
  }
  list(
    master_equation = function() chemical_master_equation(net, case$last * c(0.1, 0.3), max_states = 2e4, tolerance = 1e-6),
    compare = function() compare_ensembles(ensemble(1), ensemble(2)),
    noise = function() noise(ensemble(1)),
    dependencies = function() reaction_dependencies(net),
    conserved = function() conservation_laws(net)
  )
}
