# On a machine with a GPU: ensembles of reaction networks have the processor's bits. `make gpu-check` runs these.
# test-ensemble-backend.R has the tests for a machine without a GPU.

# The same call on the processor and on GPUs. `...` are arguments of simulate().
expect_same_ensemble <- function(net, ..., kernel = NULL) {
  old <- options(fireflip.kernel = kernel)
  on.exit(options(old))
  expect_same_run(function(backend) simulate(net, ..., backend = backend))
}

# A kernel that is asked for by its name may refuse a network, or a run with a condition.
can_run <- function(net, method, kernel, until = NULL) {
  old <- options(fireflip.kernel = kernel)
  on.exit(options(old))
  tryCatch(
    {
      simulate(net, 1, seed = 1, times = 0, method = method, until = until, backend = "cuda")
      TRUE
    },
    fireflip_error_unsupported = function(e) is.null(kernel)
  )
}

# The methods of GPUs that can simulate a network: some need mass action of at most two molecules.
gpu_methods_for <- function(net) {
  can <- function(method) {
    tryCatch(
      {
        simulate(net, 1, seed = 1, times = 0, method = method, backend = "cpu")
        TRUE
      },
      fireflip_error_unsupported = function(e) FALSE
    )
  }
  methods <- ssa_methods()
  Filter(can, methods$method[methods$gpu])
}

# Every kind of output. `times` ends where a trajectory has some thousand firings.
expect_same_outputs <- function(net, times, nsim = 300, method = "auto", kernel = NULL) {
  if (!can_run(net, method, kernel)) return(expect_false(is.null(kernel)))
  same <- function(...) expect_same_ensemble(net, nsim, seed = 7, times = times, method = method, kernel = kernel, ...)
  few <- utils::head(net$species$species, 6)
  same()
  same(covariance = TRUE, observe = rev(few))
  same(quantiles = c(0.025, 0.5), observe = few)
  same(output = "histogram", observe = few)
  same(output = "final")
  same(output = "trajectories", observe = c(few, names(net$variables)))
  same(observe = c(names(net$variables), few[[1L]]))
}

kernels_of_ensembles <- fireflip:::reaction_engine$kernels

# One, some and all.
numbers_of_gpus <- function(gpus) unique(pmin(c(1, 2, 4, length(gpus)), length(gpus)))

test_that("the networks of the literature have the processor's results on a GPU, with either kernel", {
  skip_without_gpu()
  ends <- c(
    decay_dimerisation = 0.02, gene_expression = 50, lotka_volterra = 0.1, multistate = 0.05, repressilator_reactions = 30,
    schlogl = 2, sir = 20, toggle_reactions = 20, viral_infection = 50
  )
  for (name in names(ends)) {
    net <- example_model(name)
    for (kernel in kernels_of_ensembles) expect_same_outputs(net, ends[[name]] * c(0, 0.3, 1), kernel = kernel)
    expect_same_outputs(net, ends[[name]], method = "logarithmic_direct")
    for (method in gpu_methods_for(net)) {
      expect_same_ensemble(net, 200, seed = 3, times = ends[[name]] * c(0.3, 1), method = method)
    }
  }
})

test_that("networks of any size have the processor's results on a GPU", {
  skip_without_gpu()
  nets <- list(
    reaction_model("sir_ring", regions = 10), reaction_model("sir_ring", regions = 100), reaction_model("cyclic_chain"),
    reaction_model("colloid", species = 20), reaction_model("aggregation", copies = 20, shared = TRUE, seed = 1),
    reaction_model("random", species = 200, reactions = 200, seed = 1), reaction_model("multisite"),
    reaction_model("colloid", species = 150), reaction_model("cyclic_chain", species = 9000)
  )
  ends <- c(5, 3, 10, 1, 0.1, 0.02, 0.05, 0.01, 0.05)
  for (i in seq_along(nets)) {
    expect_same_outputs(nets[[i]], ends[[i]] * c(0.5, 1), nsim = 100)
    expect_same_ensemble(nets[[i]], 100, seed = 1, times = ends[[i]], method = "factored")
    expect_same_ensemble(nets[[i]], 50, seed = 1, times = ends[[i]] / 10, method = "direct")
  }
})

test_that("large networks of the literature have the processor's results on a GPU with every method", {
  skip_without_gpu()
  nets <- list(
    reaction_model("receptor"), reaction_model("colloid", species = 20), reaction_model("cyclic_chain", species = 50),
    read_network(skip_without_shared("models/bngl-nets/egfr_net.net"))
  )
  ends <- c(0.05, 5, 20, 0.002)
  for (i in seq_along(nets)) {
    few <- utils::head(nets[[i]]$species$species, 10)
    for (method in gpu_methods_for(nets[[i]])) {
      expect_same_ensemble(nets[[i]], 50, seed = 4, times = ends[[i]] * c(0.3, 1), method = method, observe = few)
    }
  }
})

# No reaction makes more molecules than it takes, except for immigration, so counts stay small. Rates are numbers, mass action of
# a parameter, or formulas. Without formulas, at most two molecules react.
random_reactions <- function(seed, formulas = TRUE) {
  set.seed(seed)
  species <- LETTERS[seq_len(sample(1:10, 1))]
  side <- function(n) if (n == 0) "0" else paste(sample(species, n, replace = TRUE), collapse = " + ")
  n <- sample(c(1:12, 40, 80), 1)
  equations <- vapply(seq_len(n), function(i) {
    taken <- sample(0:3, 1, prob = c(1, 4, 4, if (formulas) 1 else 0))
    paste(side(taken), "->", side(if (taken == 0) 1 else sample(0:taken, 1)))
  }, "")
  laws <- c("%s / (3 + %s)", "2 * exp(-%s / 20)", "ifelse(%s > 5, 1.5, 0.25)", "sqrt(%s) * 0.1", "k * %s^2 / (100 + %s^2)")
  rates <- lapply(seq_len(n), function(i) {
    if (formulas && sample(4, 1) == 1) return(gsub("%s", sample(species, 1), sample(laws, 1), fixed = TRUE))
    mass_action(signif(stats::runif(1, 0.01, 2), 3))
  })
  do.call(reaction_network, c(stats::setNames(rates, equations), list(
    parameters = c(k = 3), initial = stats::setNames(sample(0:60, length(species), replace = TRUE), species),
    variables = c(total = paste(species, collapse = " + "), ratio = sprintf("A / (1 + %s)", species[[length(species)]]))
  )))
}

test_that("random networks have the processor's results on a GPU", {
  skip_without_gpu()
  for (seed in 1:50) {
    net <- random_reactions(seed)
    simple <- random_reactions(seed, formulas = FALSE)
    for (method in ssa_methods()$method[ssa_methods()$gpu]) {
      kernel <- kernels_of_ensembles[[1L + seed %% length(kernels_of_ensembles)]]
      able <- if (method %in% c("pdm", "pssa_cr")) simple else net
      expect_same_outputs(able, c(0, 0.1, 1), nsim = 70, method = method, kernel = kernel)
    }
  }
})

# Conditions by the state, by the time and by both; delays, priorities, parameters; rates that depend on the time.
scheduled_networks <- function() {
  list(
    reaction_network("0 -> A" = 20, "A -> B" = mass_action("k"), "B -> 0" = 0.7, initial = c(A = 5, B = 0), parameters = c(k = 2),
      events = list(event("B > 12", set = c(B = 0)), event("time >= 3", set = c(A = 50, k = 1), delay = 0.5))),
    reaction_network("0 -> A" = "k * (1 + sin(7 * time))", "A -> B" = 1, "B -> 0" = "0.5 * B * (1 + cos(time))",
      initial = c(A = 3, B = 4), parameters = c(k = 5),
      events = list(event("B > 9", set = c(k = "k * 0.9")), event("time >= 2 & A < 3", set = c(A = "A + 20"), priority = 2),
                    event("A > 10.5 * cos(time)", set = c(B = "floor(B / 2)"), priority = "A"))),
    reaction_network("0 -> A" = "5 * (1 + sin(7 * time))", "2 A -> 0" = mass_action("exp(-time / 5)"), initial = c(A = 3))
  )
}

test_that("networks with events, and with rates that depend on the time, have the processor's results on a GPU", {
  skip_without_gpu()
  for (net in scheduled_networks()) {
    for (method in c("direct", "logarithmic_direct", "first_reaction")) {
      expect_same_outputs(net, c(0, 1, 5), method = method)
    }
  }
})

# A condition on the species that varies most. In many networks, about half of the trajectories fulfil it before `end`.
condition_of <- function(net, end) {
  ends <- simulate(net, 100, seed = 2, times = end, output = "final", backend = "cpu")[net$species$species]
  most <- which.max(vapply(ends, function(x) stats::sd(x) / (1 + mean(x)), 0))
  name <- names(ends)[[most]]
  limit <- stats::median(ends[[most]])
  sprintf("%s %s %.17g & exp(-%s / 1e6) < 2", name, if (net$species$initial[[most]] > limit) "<=" else ">", limit, name)
}

# Expects that a condition ends some trajectories, but not all.
expect_ends_some <- function(net, end, until) {
  stopped <- attr(simulate(net, 100, seed = 7, times = end, until = until, backend = "cpu"), "run")$n_stopped
  expect_true(stopped > 0 && stopped < 100)
}

expect_same_passage <- function(net, until, nsim, end, method, kernel) {
  old <- options(fireflip.kernel = kernel)
  on.exit(options(old))
  passage <- function(backend) first_passage(net, until, nsim, end = end, seed = 7, method = method, backend = backend)
  there <- passage("cuda")
  expect_identical(there, passage("cpu"))
  expect_identical(summary(there)$backend, "cuda")
}

# Runs that need every firing: with conditions that end trajectories, and with lists of firings. With `resumes`, also runs that
# continue the trajectories of another one. If the network has events or rates that depend on the time, these are states of time
# 0.
expect_same_firings <- function(net, end, until = condition_of(net, end), nsim = 100, method = "auto", kernel = NULL,
                                timed = FALSE) {
  if (!can_run(net, method, kernel, until)) return(expect_false(is.null(kernel)))
  few <- utils::head(net$species$species, 6)
  same <- function(..., times = end) {
    expect_same_ensemble(net, nsim, seed = 7, times = times, method = method, kernel = kernel, observe = few, ...)
  }
  same(times = end * c(0.5, 1), until = until, covariance = TRUE)
  same(times = end * c(0, 0.5, 1), until = until, output = "trajectories")
  same(until = until, output = "final")
  same(output = "events")
  same(until = until, output = "events")
  expect_same_passage(net, until, nsim, end, method, kernel)
  half <- simulate(net, nsim, seed = 5, times = end / 2, output = "final", method = method, backend = "cuda")
  if (timed) half$time <- 0
  same(times = end * c(0.5, 1), initial = half)
  same(times = end * c(0.75, 1), initial = half, until = until, output = "histogram")
  same(initial = half, until = until, output = "events")
}

# Methods that simulate one firing after the other.
firing_methods_for <- function(net) setdiff(gpu_methods_for(net), "factored")

test_that("conditions, firings and resumed trajectories have the processor's results on a GPU", {
  skip_without_gpu()
  ends <- c(gene_expression = 50, lotka_volterra = 0.02, schlogl = 2, toggle_reactions = 20)
  for (name in names(ends)) {
    net <- example_model(name)
    expect_ends_some(net, ends[[name]], condition_of(net, ends[[name]]))
    for (kernel in kernels_of_ensembles) expect_same_firings(net, ends[[name]], kernel = kernel)
  }
  nets <- list(
    list(reaction_model("sir_ring", regions = 10), 3), list(reaction_model("multisite"), 0.01),
    list(reaction_model("random", species = 200, reactions = 200, seed = 1), 0.005), list(reaction_model("cyclic_chain"), 10)
  )
  for (one in nets) expect_same_firings(one[[1L]], one[[2L]])
  for (one in nets[1:3]) {
    for (method in firing_methods_for(one[[1L]])) expect_same_firings(one[[1L]], one[[2L]], nsim = 40, method = method)
  }
  for (seed in seq(1, 50, 8)) {
    net <- random_reactions(seed)
    simple <- random_reactions(seed, formulas = FALSE)
    kernel <- kernels_of_ensembles[[1L + seed %/% 8L %% length(kernels_of_ensembles)]]
    for (method in firing_methods_for(simple)) {
      able <- if (method %in% c("pdm", "pssa_cr")) simple else net
      expect_same_firings(able, 1, nsim = 70, method = method, kernel = kernel)
    }
  }
})

test_that("networks with events, and with rates that depend on the time, have the processor's firings on a GPU", {
  skip_without_gpu()
  conditions <- c("B > 12 & A < 8", "B > 9 & k < 4.2", "A > 7")
  nets <- scheduled_networks()
  for (i in seq_along(nets)) {
    expect_ends_some(nets[[i]], 5, conditions[[i]])
    for (method in c("direct", "logarithmic_direct", "first_reaction", "next_reaction")) {
      expect_same_firings(nets[[i]], 5, conditions[[i]], method = method, timed = TRUE)
    }
    expect_same_firings(nets[[i]], 5, conditions[[i]], kernel = "generic", timed = TRUE)
  }
  timed <- nets[[3L]] # it has no events, so its trajectories can be continued from their time
  half <- simulate(timed, 300, seed = 5, times = 2, output = "final", backend = "cuda")
  for (kernel in kernels_of_ensembles) expect_same_ensemble(timed, initial = half, seed = 6, times = c(2, 5), kernel = kernel)
})

test_that("what a GPU refuses of a run with a condition, a list or a start is simulated by the processor", {
  skip_without_gpu()
  # as in the test of what a GPU refuses: at the end, some trajectories have more than 2^30 molecules, and some fewer
  net <- reaction_network("A -> A + 1000000 B" = 1, "B -> 0" = 1e-9, initial = c(A = 1000))
  expect_same_firings(net, 1.08, "B > 1080000000")
  expect_same_firings(net, 1.08, "B > 1000000000", kernel = "generic")
  most <- most_events
  on.exit(utils::assignInNamespace("most_events", most, "fireflip"))
  utils::assignInNamespace("most_events", function() 1e5, "fireflip")
  said <- function(backend) {
    tryCatch(simulate(net, 200, 1, times = 1, output = "events", backend = backend), fireflip_error_size = conditionMessage)
  }
  expect_identical(said("cuda"), said("cpu"))
  expect_match(said("cuda"), "too many to keep")
})

test_that("methods without a kernel are refused on a GPU, and have the processor's results with \"auto\"", {
  skip_without_gpu()
  methods <- ssa_methods()
  without <- methods$method[methods$exact & !methods$gpu]
  expect_identical(without, c("composition_rejection", "rssa_cr", "spdm"))
  net <- example_model("decay_dimerisation")
  names <- paste0("\"", methods$method[methods$gpu], "\"")
  choice <- paste(paste(utils::head(names, -1), collapse = ", "), "or", utils::tail(names, 1))
  half <- simulate(net, 20, seed = 5, times = 0.01, output = "final", backend = "cpu")
  for (method in without) {
    calls <- list(
      function(...) simulate(net, 100, seed = 3, times = c(0.01, 0.02), method = method, ...),
      function(...) simulate(net, 50, seed = 3, times = 0.02, until = "S2 > 10", output = "events", method = method, ...),
      function(...) simulate(net, seed = 3, times = 0.02, initial = half, method = method, ...),
      function(...) first_passage(net, "S2 > 10", 50, end = 0.02, seed = 3, method = method, ...),
      function(...) sweep_parameters(net, data.frame(S1 = c(500, 900)), 20, times = 0.02, seed = 3, method = method, ...)
    )
    for (call in calls) {
      for (kernel in kernels_of_ensembles) {
        old <- options(fireflip.kernel = kernel)
        told <- expect_error(call(backend = "cuda"), class = "fireflip_error_unsupported")
        options(old)
        expect_match(conditionMessage(told), sprintf("no kernel for method \"%s\"; choose %s.", method, choice), fixed = TRUE)
      }
      here <- call(backend = "cpu")
      expect_identical(call(backend = "auto"), here)
      old <- options(fireflip.backend = "cuda")
      expect_identical(suppressMessages(call(backend = "auto"), classes = "fireflip_message_method"), here)
      options(old)
    }
  }
})

test_that("without the run-time compiler, a GPU has the logarithmic method, and the processor has the others", {
  skip_without_gpu()
  expect_identical(unique(backends()$limits), "")
  session_without_compiler()
  expect_match(subset(backends(), usable & name == "cuda")$limits, "No code can be compiled at run time")
  net <- example_model("decay_dimerisation")
  call <- function(method, backend) simulate(net, 100, seed = 3, times = c(0.01, 0.02), method = method, backend = backend)
  for (method in c("direct", "logarithmic_direct", "factored")) {
    there <- call(method, "cuda")
    expect_identical(there, call(method, "cpu"))
    expect_identical(summary(there)$backend, "cuda")
  }
  for (method in c("first_reaction", "rssa", "pssa_cr")) {
    refused <- expect_error(call(method, "cuda"), class = "fireflip_error_unsupported")
    expect_match(conditionMessage(refused), "libnvrtc, and that of method \"logarithmic_direct\" is not", fixed = TRUE)
    options(fireflip.backend = "cuda")
    forget_told_methods()
    expect_message(there <- call(method, "auto"), "libnvrtc", class = "fireflip_message_method")
    expect_silent(again <- call(method, "auto"))
    options(fireflip.backend = NULL)
    expect_identical(list(there, again), rep(list(call(method, "cpu")), 2))
  }
})

test_that("any number of GPUs, and parts, give the same firings", {
  skip_without_gpu()
  net <- example_model("toggle_reactions")
  until <- condition_of(net, 5)
  half <- simulate(net, 5000, seed = 5, times = 2, output = "final", backend = "cpu")
  calls <- list(
    function(...) simulate(net, 2000, seed = 5, times = 5, output = "events", ...),
    function(...) simulate(net, 20000, seed = 5, times = 5, output = "final", until = until, ...),
    function(...) simulate(net, seed = 6, initial = half, times = c(3, 5), until = until, ...),
    function(...) first_passage(net, until, 20000, end = 5, seed = 5, ...)
  )
  gpus <- subset(backends(), name == "cuda" & usable)$index
  for (call in calls) {
    here <- call(backend = "cpu")
    for (n in numbers_of_gpus(gpus)) {
      old <- options(fireflip.devices = gpus[seq_len(n)])
      expect_identical(call(backend = "cuda"), here)
      options(old)
    }
    if (!is.null(attr(here, "run")$start)) next # a resumed run has no parts
    parts <- lapply(1:3, function(i) call(backend = if (i == 2) "cpu" else "cuda", shard = c(i, 3)))
    expect_identical(do.call(c, parts), here)
  }
})

test_that("any number of GPUs, and parts, give the same ensemble", {
  skip_without_gpu()
  net <- example_model("toggle_reactions")
  call <- function(...) simulate(net, 20000, seed = 5, times = c(1, 5), ...)
  here <- call(backend = "cpu")
  gpus <- subset(backends(), name == "cuda" & usable)$index
  for (n in numbers_of_gpus(gpus)) {
    old <- options(fireflip.devices = gpus[seq_len(n)])
    expect_identical(call(backend = "cuda"), here)
    options(old)
  }
  parts <- lapply(1:3, function(i) call(backend = if (i == 2) "cpu" else "cuda", shard = c(i, 3)))
  expect_identical(do.call(c, parts), here)
})

test_that("sweeps have the processor's results on a GPU", {
  skip_without_gpu()
  expect_same_sweep <- function(net, design, ...) {
    call <- function(backend) sweep_parameters(net, design, 50, seed = 3, backend = backend, ...)
    expect_identical(call("cuda"), call("cpu"))
    expect_identical(summary(call("cuda"))$backend, "cuda")
  }
  net <- reaction_network(
    "0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A -> B" = "c * A * (A - 1) / (1 + B)", "B -> 2 A" = mass_action("d"),
    parameters = c(k = 10, c = 0.05, d = 0.5), initial = c(A = 8, B = 2), variables = c(ratio = "A / (k + B)")
  )
  design <- expand.grid(k = 1:20, B = c(0, 30), c = c(0.02, 0.05), d = c(0, 0.5))
  expect_same_sweep(net, design, times = c(0, 0.3, 1), observe = "A")
  expect_same_sweep(net, design, times = c(0.3, 1), observe = c("ratio", "A"), quantiles = 0.5, common = TRUE)
  expect_same_sweep(net, design, times = 1, observe = "A", output = "histogram", method = "first_reaction")
  expect_same_sweep(net, design, times = c(0.5, 1), observe = "A", output = "trajectories")
  ring <- reaction_model("sir_ring", regions = 10)
  design <- stats::setNames(expand.grid(c(10, 100, 1e5), 1:5), ring$species$species[1:2])
  expect_same_sweep(ring, design, times = c(1, 5), method = "factored") # counts of 16 and of 32 bits
  expect_same_sweep(reaction_model("cyclic_chain"), data.frame(S1 = 1:3), times = 5, method = "logarithmic_direct")
  for (method in c("next_reaction", "rssa", "sorting_direct", "optimised_direct")) {
    expect_same_sweep(net, data.frame(k = 1:40), times = c(0.3, 1), method = method)
  }
  clock <- reaction_network(
    "0 -> A" = "k * (1 + 0.9 * sin(3 * time))", "A -> B" = mass_action("c"), "B -> 0" = 0.5,
    parameters = c(k = 20, c = 1, limit = 25), initial = c(A = 5, B = 0),
    events = list(event("B > limit", set = c(B = "floor(B / 2)"), delay = "0.1 * c"), event("time >= 2", set = c(c = "c / 2")))
  )
  for (method in c("direct", "first_reaction", "next_reaction")) {
    expect_same_sweep(clock, expand.grid(k = c(10, 20, 30), limit = 20:30), times = 1:5, method = method)
    expect_same_sweep(clock, expand.grid(k = c(10, 20, 30), limit = 20:30), times = 1:5, method = method, until = "A > 1.3 * k")
  }
  design <- expand.grid(k = 1:20, B = c(0, 30), c = c(0.02, 0.05))
  for (method in c("direct", "first_reaction", "next_reaction", "rssa", "optimised_direct")) {
    stops <- function(...) expect_same_sweep(net, design, method = method, until = "A > k + 5 | B > 4 + 2 * k", ...)
    stops(times = c(0.3, 1), observe = "A")
    stops(times = 1, observe = c("ratio", "A"), output = "final")
  }
})

test_that("what a GPU refuses is simulated by the processor", {
  skip_without_gpu()
  # Each of some 1,080 firings makes 10^6 molecules, with a standard deviation of 33 firings: at the end, some trajectories have
  # more than 2^30 molecules, and some fewer.
  net <- reaction_network("A -> A + 1000000 B" = 1, "B -> 0" = 1e-9, initial = c(A = 1000))
  expect_same_ensemble(net, 200, seed = 1, times = c(0.5, 1, 1.08))
  bad <- reaction_network("A -> 0" = 1, "0 -> A" = "2 * (A - 2.5)", initial = c(A = 4))
  said <- function(backend) tryCatch(simulate(bad, 100, 1, times = 2, backend = backend), fireflip_error_model = conditionMessage)
  expect_identical(said("cuda"), said("cpu"))
})

test_that("a GPU simulates trajectories again that have more molecules than rate equations predict", {
  skip_without_gpu()
  # rate equations leave out the law that makes A; at the end, all trajectories have some 100,000 molecules, or about 65,000
  net <- reaction_network("0 -> 20 A" = "5000 * (2 + B) / (1 + B)", "A -> B" = 0.001, "C -> B" = 0.001,
    initial = c(A = 5, B = 3, C = 2))
  gpus <- nrow(subset(backends(), name == "cuda" & usable))
  for (end in c(0.9, 0.6)) {
    sim <- expect_same_ensemble(net, 6000 * gpus, seed = 1, times = c(end / 2, end), method = "factored")
    expect_identical(summary(sim)$device$refused, 0)
  }
})

test_that("an interrupt of an ensemble leaves the GPU usable", {
  skip_without_gpu()
  net <- example_model("toggle_reactions")
  expect_interrupted(function() simulate(net, 1e6, seed = 1, times = 1e6, backend = "cuda"), 3)
  expect_same_ensemble(net, 1000, seed = 1, times = 1)
})

test_that("a long ensemble moves to a GPU by itself", {
  skip_without_gpu()
  net <- example_model("toggle_reactions")
  there <- simulate(net, 2e5, seed = 1, times = 1000, threads = 1) # some 2e10 firings
  expect_identical(summary(there)$backend, "cuda")
})
