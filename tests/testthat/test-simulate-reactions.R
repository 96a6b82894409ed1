# Ensembles of reaction networks: against exact distributions, and what does not change them.

methods <- function() ssa_methods()$method[ssa_methods()$exact]

# Small networks of all kinds of laws, each with a time.
small_networks <- function() {
  list(
    list(reaction_network("A -> 0" = 0.3, initial = c(A = 20)), 2),
    list(reaction_network("0 -> A" = 5, "A -> 0" = 1), 1),
    list(reaction_network("0 -> A" = 2, "A -> 0" = 0.1, initial = c(A = 10)), 3),
    list(reaction_network("A <-> B" = c(1, 2), initial = c(A = 15)), 0.5),
    list(reaction_network("2 A <-> B" = c(0.1, 0.5), initial = c(A = 20)), 1),
    list(reaction_network("A + B <-> C" = c(0.05, 0.3), initial = c(A = 12, B = 9)), 1),
    list(reaction_network("3 A <-> B" = c(0.01, 1), initial = c(A = 15)), 1),
    list(reaction_network("2 A + B -> C" = 0.01, "C -> 0" = 1, initial = c(A = 10, B = 6)), 1),
    list(reaction_network("A -> B" = 1, "B -> C" = 1, "C -> A" = 1, initial = c(A = 9)), 0.7),
    list(reaction_network("A -> 2 A" = 1, "A -> 0" = 1.1, initial = c(A = 5)), 1.5),
    list(reaction_network("S + E <-> SE" = c(0.1, 0.5), "SE -> E + P" = 0.8, initial = c(S = 12, E = 4)), 2),
    list(reaction_network("A -> B" = "8 * A / (5 + A)", initial = c(A = 20)), 1.5),
    list(reaction_network("0 -> A" = "10 / (1 + (A / 5)^2)", "A -> 0" = 0.5), 3),
    list(reaction_network("A -> 0" = "k * A", "0 -> A" = mass_action("k * 8"), parameters = c(k = 0.7), initial = c(A = 3)), 1),
    list(reaction_network("0 -> 5 A" = 0.4, "A -> 0" = 0.6), 2),
    list(reaction_network("Y -> Y + A" = 0.9, "A -> 0" = 1, initial = c(Y = 6), fixed = "Y"), 2),
    list(reaction_network("A -> 0" = 3, initial = c(A = 1)), 0.2),
    list(reaction_network("A -> B" = mass_action("1 + 0.1 * B"), initial = c(A = 10)), 0.6),
    list(reaction_network("A -> B" = 0.02, "B -> B + C" = 40, initial = c(A = 1)), 2), # rare, with a large effect
    list(reaction_model("colloid", species = 4), 1)
  )
}

# The p-value of Pearson's test of the states against their exact probabilities. Rare states are merged.
pearson <- function(states, exact) {
  key <- function(x) do.call(paste, unname(as.list(x)))
  n <- nrow(states)
  expected <- n * exact$probability
  observed <- tabulate(match(key(states), key(exact[names(states)])), nrow(exact))
  expect_identical(sum(observed), n) # no state that cannot be reached
  common <- expected >= 8
  cells <- data.frame(
    observed = c(observed[common], sum(observed[!common])), expected = c(expected[common], sum(expected[!common]))
  )
  if (utils::tail(cells$expected, 1L) < 8) { # too few for a cell of their own
    last <- nrow(cells) - 1L
    cells <- rbind(cells[seq_len(last - 1L), ], colSums(cells[last:(last + 1L), ]))
  }
  stats::pchisq(sum((cells$observed - cells$expected)^2 / cells$expected), nrow(cells) - 1L, lower.tail = FALSE)
}

test_that("every method gives the exact distribution of small networks", {
  networks <- small_networks()
  p <- unlist(lapply(seq_along(networks), function(i) {
    net <- networks[[i]][[1L]]
    time <- networks[[i]][[2L]]
    exact <- as.data.frame(chemical_master_equation(net, time))
    vapply(methods(), function(method) {
      sim <- tryCatch(
        simulate(net, nsim = 4000, times = c(time / 3, time), output = "trajectories", method = method, seed = i),
        fireflip_error_unsupported = function(e) NULL
      )
      if (is.null(sim)) return(NA)
      pearson(plain_frame(sim)[sim$time == time, -(1:2), drop = FALSE], exact)
    }, 0)
  }))
  expect_length(p, 20L * length(methods()))
  expect_setequal(sub(".*[.]", "", names(p)[is.na(p)]), c("pdm", "spdm", "pssa_cr"))
  expect_identical(sum(is.na(p)), 15L) # networks with three molecules, or with laws other than mass action
  p <- p[!is.na(p)]
  expect_gt(min(p), 1e-3 / length(p)) # family-wise
  expect_lt(stats::quantile(p, 0.1), 0.35) # nor does it fit too well
})

test_that("moments agree with the chemical master equation", {
  net <- reaction_network("0 -> A" = 5, "A -> 0" = 0.5, "2 A <-> B" = c(0.1, 0.5))
  times <- c(0.5, 1, 4)
  exact <- as.data.frame(chemical_master_equation(net, times), what = "moments")
  sim <- simulate(net, nsim = 20000, times = times, seed = 1)
  exact <- exact[match(paste(sim$time, sim$species), paste(exact$time, exact$species)), ]
  z <- (sim$mean - exact$mean) / (exact$sd / sqrt(20000))
  expect_lt(max(abs(z)), stats::qnorm(1 - 1e-3 / 6 / 2))
  expect_equal(sim$sd, exact$sd, tolerance = 0.03) # six standard errors of a nearly normal distribution
})

test_that("a summary is that of the trajectories, and nothing else changes it", {
  net <- example_model("decay_dimerisation")
  times <- c(0, 0.3, 1, 2)
  run <- function(...) simulate(net, nsim = 40, times = times, seed = 3, initial = c(S1 = 500), ...)
  sim <- run(threads = 1)
  expect_identical(run(threads = 2), sim)
  withr_simd <- function(simd, code) {
    old <- options(fireflip.simd = simd)
    on.exit(options(old))
    code
  }
  expect_identical(withr_simd("portable", run(threads = 2)), sim)
  paths <- run(output = "trajectories")
  for (species in c("S1", "S2", "S3")) {
    by_time <- split(paths[[species]], paths$time)
    mine <- sim[sim$species == species, ]
    expect_equal(mine$mean, unname(vapply(by_time, mean, 0)))
    expect_equal(mine$sd, unname(vapply(by_time, stats::sd, 0)))
    expect_identical(mine$min, unname(vapply(by_time, min, 0)))
    expect_identical(mine$max, unname(vapply(by_time, max, 0)))
  }
  # times and observed species do not change a trajectory
  last <- run(output = "final", observe = c("S3", "S1"))
  expect_identical(names(last), c("trajectory", "time", "S3", "S1"))
  rows <- paths[paths$time == 2, ]
  expect_identical(last$S1, rows$S1)
  expect_identical(last$S3, rows$S3)
  # initial counts and parameters replace those of the network
  expect_identical(as.data.frame(simulate(set_initial(net, S1 = 500), nsim = 40, times = times, seed = 3)), as.data.frame(sim))
  slow <- reaction_network("A -> 0" = mass_action("k"), initial = c(A = 50), parameters = c(k = 1))
  expect_identical(
    as.data.frame(simulate(slow, nsim = 9, times = 1, parameters = c(k = 2), seed = 1)),
    as.data.frame(simulate(set_parameters(slow, k = 2), nsim = 9, times = 1, seed = 1))
  )
  set.seed(1)
  first <- simulate(net, nsim = 2, times = 0.1)
  set.seed(1)
  expect_identical(simulate(net, nsim = 2, times = 0.1), first)
  expect_false(identical(simulate(net, nsim = 2, times = 0.1)$mean, first$mean))
})

test_that("methods have draws of their own, and the network alone determines the choice of one", {
  net <- set_initial(example_model("decay_dimerisation"), S1 = 300)
  final <- lapply(methods(), function(method) simulate(net, nsim = 5, times = 1, method = method, output = "final", seed = 1)$S1)
  names(final) <- methods()
  expect_identical(final$direct, final$logarithmic_direct) # the same draws and the same sums
  expect_false(identical(final$direct, final$first_reaction))
  expect_false(identical(final$direct, final$next_reaction))
  expect_identical(attr(simulate(net, times = 1, seed = 1), "run")$method, "direct")
  expect_false(identical(final$direct, final$factored))
  large <- reaction_model("cyclic_chain", species = 2000)
  chosen <- attr(simulate(large, times = 0.01, seed = 1), "run")
  expect_identical(chosen$method, "factored")
  expect_identical(chosen$reason, "the propensities of its 2,000 reactions have common factors, in 1 group")
  unlike <- reaction_model("random", species = 1024, reactions = 1024, seed = 1)
  chosen <- attr(simulate(unlike, times = 1e-6, seed = 1), "run")
  expect_identical(chosen$method, "logarithmic_direct")
  expect_match(chosen$reason, "of 1,024 propensities")
})

test_that("networks with common factors have the same law with and without groups, at any width and number of threads", {
  net <- reaction_model("sir_ring", regions = 12)
  run <- function(..., simd = NULL) {
    old <- options(fireflip.simd = simd)
    on.exit(options(old))
    as.data.frame(simulate(net, nsim = 2000, times = c(1, 3), seed = 4, observe = c("S1", "I1", "R2"), ...))
  }
  factored <- run(method = "factored", threads = 1)
  expect_identical(run(method = "factored", threads = 3), factored)
  expect_identical(run(method = "factored", simd = "portable"), factored)
  direct <- run(method = "direct")
  # each difference of means is below 4.5 standard errors but with probability 7e-6, for six means
  varies <- factored$sd > 0
  error <- sqrt((factored$sd^2 + direct$sd^2) / 2000)
  expect_gte(sum(varies), 5)
  expect_lt(max(abs(factored$mean - direct$mean)[varies] / error[varies]), 4.5)
})

test_that("intervals of means hold the exact mean, also for rare events with large effects", {
  coverage <- function(net, nsim, mean, runs = 1500) {
    held <- vapply(seq_len(runs), function(seed) {
      sim <- simulate(net, nsim = nsim, times = 1, observe = "A", seed = seed, threads = 1)
      sim$lower <= mean && mean <= sim$upper
    }, NA)
    mean(held[!is.na(held)])
  }
  # Hall's intervals are approximate: 1.5 points below 95% are allowed, and 3 standard errors of the estimate
  enough <- least(0.935, 1500)
  expect_gt(coverage(reaction_network("0 -> A" = 1), 30, 1), enough)
  expect_gt(coverage(reaction_network("0 -> A" = 0.1), 100, 0.1), enough)
  expect_gt(coverage(reaction_network("0 -> 50 A" = 0.05), 100, 2.5), enough)
  expect_gt(coverage(reaction_network("A -> 0" = -log(0.95), initial = c(A = 1)), 100, 0.95), enough)
  # where all trajectories agree by chance, there is no interval
  never <- suppressWarnings( # B is in no reaction
    simulate(reaction_network("0 -> A" = 1e-9, initial = c(B = 4)), nsim = 100, times = c(0, 1), seed = 1)
  )
  expect_identical(never$lower, c(0, 4, NA, 4))
  expect_identical(never$upper, c(0, 4, NA, 4))
  expect_identical(simulate(reaction_network("0 -> A" = 5), nsim = 1, times = 1, output = "summary", seed = 1)$lower, NA_real_)
})

test_that("the stochastic SBML test suite passes", {
  folder <- skip_without_shared("dsmts")
  # With one miss, a case passes. With more, the suite says to look into it: here, with ten times as many trajectories.
  misses <- function(case, n, seed, method) {
    found <- suite_misses(folder, case, n, seed, method)
    expect_identical(found[["unequal"]], 0, info = case)
    max(found[c("mean", "sd")])
  }
  passes <- function(case, method) misses(case, 1e4, 1, method) <= 1 || misses(case, 1e5, 2, method) <= 1
  for (case in sprintf("%05d", 1:39)) expect_true(passes(case, "auto"), info = case)
  for (case in c("00001", "00003", "00004", "00011", "00020", "00027", "00029", "00030", "00033", "00037", "00038")) {
    for (method in c("first_reaction", "next_reaction")) expect_true(passes(case, method), info = paste(case, method))
  }
})

test_that("a data frame that does not fit into memory is refused", {
  expect_error(check_memory_of_result(2e9, memory = 1e9), "ask for fewer trajectories", class = "fireflip_error_size")
  expect_silent(check_memory_of_result(1e9, memory = 3e9))
  for (memory in c(3e9, NA)) {
    expect_message(check_memory_of_result(2e9, memory), "takes 1.86 GB of memory", class = "fireflip_message_memory")
  }
})

test_that("a group of processes may have less memory than the machine", {
  groups <- tempfile()
  dir.create(file.path(groups, "memory"), recursive = TRUE)
  here <- available_memory(groups)
  skip_if(is.na(here), "this system does not tell its memory")
  writeLines("max", file.path(groups, "memory.max"))
  writeLines("1000", file.path(groups, "memory.current"))
  expect_gt(available_memory(groups), 1e6)
  writeLines("500000", file.path(groups, "memory.max"))
  expect_identical(available_memory(groups), 499000)
  writeLines("90000", file.path(groups, "memory", "memory.limit_in_bytes"))
  writeLines("4096", file.path(groups, "memory", "memory.usage_in_bytes"))
  expect_identical(available_memory(groups), 85904)
})

test_that("a result tells the condition that stops trajectories", {
  sim <- simulate(reaction_network("0 -> A" = 1), nsim = 40, times = 9, until = "A >= 3", seed = 1)
  stop <- "trajectories stop when \"A >= 3\" is true, and keep their state; 40 of 40 have stopped"
  expect_output(print(sim), stop, fixed = TRUE)
  expect_output(print(summary(sim)), "until    \"A >= 3\"; 40 of 40 have stopped, and keep their state", fixed = TRUE)
  run <- function(end = 3, ...) simulate(net, nsim = 40, times = end, until = "A >= 3", seed = 1, ...)
  net <- reaction_network("0 -> A" = mass_action("k"), parameters = c(k = 1))
  counts <- run(output = "final")$A
  expect_true(any(counts < 3))
  for (output in c("summary", "histogram", "trajectories", "final", "events")) {
    expect_identical(attr(run(output = output), "run")$n_stopped, sum(counts >= 3), info = output)
  }
  parts <- lapply(1:2, function(i) run(shard = c(i, 2)))
  expect_identical(summary(do.call(c, parts))$n_stopped, sum(counts >= 3))
  expect_null(summary(simulate(net, nsim = 40, times = 3, seed = 1))$n_stopped)
  sweep <- sweep_parameters(net, data.frame(k = c(0, 1, 100)), 40, seed = 1, times = 3, until = "A >= 3")
  expect_identical(summary(sweep)$n_stopped[c(1, 3)], c(0L, 40L))
  expect_output(print(summary(sweep)), "of 120 have stopped", fixed = TRUE)
})

test_that("results are shown, and bad input is refused", {
  net <- set_initial(example_model("decay_dimerisation"), S1 = 1000)
  sim <- simulate(net, nsim = 50, times = c(0, 1, 5), seed = 1)
  paths <- simulate(net, times = 0:2, output = "trajectories", seed = 1)
  expect_snapshot({
    sim
    print(sim, n = 1)
    simulate(net, nsim = 2, times = 1, seed = 1)
    paths
    ssa_methods()$method
  })
  text <- capture.output(summary(sim))
  expect_match(text[[1L]], "^50 trajectories of 3 species, times 0 to 5$")
  expect_match(text[[2L]], "method   direct (chosen by \"auto\": with 4 reactions", fixed = TRUE)
  expect_match(text[[7L]], "species +mean +sd +fano")
  expect_equal(summary(sim)$last$fano, summary(sim)$last$sd^2 / summary(sim)$last$mean)
  expect_identical(summary(paths)$trajectories, 1L)
  expect_identical(names(as.data.frame(sim, run = TRUE))[11:15], c("method", "trajectories", "seed", "backend", "seconds"))
  expect_identical(class(as.data.frame(paths)), "data.frame")
  expect_s3_class(sim[sim$species == "S1", ], "reaction_ensemble")
  expect_output(print(sim[sim$species == "S1" & sim$time > 0, ]), "50 trajectories of 1 species, 2 times from 1 to 5",
    fixed = TRUE)
  both <- rbind(sim, simulate(net, nsim = 9, times = 1, seed = 2))
  expect_identical(class(both), "data.frame")
  expect_identical(dim(both), c(12L, 10L))
  constant <- reaction_network("A -> A + B" = 1, "C -> 0" = 0.5, initial = c(A = 6, C = 4))
  expect_output(print(simulate(constant, nsim = 40, times = 2, seed = 1)), "A +6 +6 +6")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(nrow(plot(sim)), 9L)
  par <- graphics::par("mar")
  plot(sim, log = "y", band = "range")
  expect_error(plot(sim, ylim = "a"))
  expect_identical(graphics::par("mar"), par)
  for (band in c("interval", "range", "none")) plot(sim, band = band, main = "a title", xlab = "t", col = "red")
  plot(simulate(net, nsim = 5, times = 1, seed = 1))
  expect_identical(nrow(plot(simulate(net, nsim = 3, times = 0:4, output = "trajectories", seed = 1), n = 2)), 10L)
  expect_snapshot(error = TRUE, {
    simulate(net)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, 5, 0:10)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = c(0, 2, 1))
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, nsim = 0)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, observe = "S4")
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, method = "dirct")
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, parameters = c(k = 1))
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1:10, nsim = 1e9, output = "final", trheads = 2)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1:10, nsim = 1e9, output = "trajectories")
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("time -> 0" = 1), times = 1, output = "final")
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> 0" = "A - 3", initial = c(A = 2)), times = 1)
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> 0" = mass_action("1e300"), "B -> 0" = "1e308 * B", initial = c(A = 1e12, B = 2)), times = 1)
  })
  expect_snapshot(error = TRUE, {
    many <- reaction_network("A -> B + C + D + E + F + G" = "A - B - C - D - E - F - G", initial = c(A = 8))
    simulate(many, times = 9, seed = 1)
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> 0" = mass_action("1e308"), "B -> 0" = "1e308 * B", initial = c(A = 1, B = 1)), times = 1)
  })
  expect_snapshot(error = TRUE, {
    as.data.frame(simulate(reaction_network("seed -> 0" = 1), times = 1, output = "final", seed = 1), run = TRUE)
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> A + 4000000000 B" = 1e6, initial = c(A = 1)), times = 1, seed = 1)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, initial = c(S1 = 2^41))
  })
})

test_that("a run that seems to do nothing says why", {
  expect_no_message(tell_if_slow(list(complete = 50, events = 1e6), 100, 10))
  expect_message(
    tell_if_slow(list(complete = 1, events = 1e6), 1000, 10), "take about 3 hours more", class = "fireflip_message_long"
  )
  expect_snapshot({
    tell_if_slow(list(complete = 0, events = 123456789), 100, 10)
    tell_if_slow(list(complete = 10, events = 1e9), 1e4, 10)
  })
  # some trajectories end soon, and the others never
  expect_false(tell_if_slow(list(complete = 90, events = 1e9), 100, 40, since = 15))
  expect_snapshot(. <- tell_if_slow(list(complete = 90, events = 1e9), 100, 40, since = 5))
})

test_that("the message about a run that seems to do nothing names a species that grows", {
  options_of <- function(net, end) {
    ensemble_plan(
      net, 10, 1, times = c(0, end), method = "auto", observe = NULL, output = "summary", backend = "cpu", threads = 1
    )$options
  }
  # n molecules become n + 1 after 2 / (n (n - 1)) on average, so 10 molecules become infinitely many after 2 / 9
  net <- reaction_network("2 A -> 3 A" = 1, "A -> A + B" = 1, initial = c(A = 10))
  grown <- growing_species(net, options_of(net, 1))
  expect_identical(grown[c("species", "limit")], list(species = "A", limit = 1e6))
  expect_gt(grown$time, 0.02)
  expect_lt(grown$time, 1)
  expect_message(
    tell_if_slow(list(complete = 0, events = 1e9), 10, 10, grows = function() list(species = "A b", limit = 1e6, time = 0.25)),
    "the count of `A b` exceeds 1e[+]06 at time 0.25, so counts may grow.*until = \"`A b` > 1e[+]06\"",
    class = "fireflip_message_long"
  )
  # "ode" has no condition that could end it
  fast <- reaction_network("A -> B" = 1e9, "B -> A" = 1e9, initial = c(A = 5))
  options <- ensemble_plan(
    fast, 1, 1, times = 1, method = "ode", observe = NULL, output = "summary", backend = "cpu", threads = 1
  )$options
  expect_message(
    tell_if_slow(list(complete = 0, events = 3e7), 1, 10, grows = function() ensemble_engine(fast)$grows(fast, options)),
    "and 3e7 steps[.] With method = \"ode\", no step is longer", class = "fireflip_message_long"
  )
  steady <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
  expect_null(growing_species(steady, options_of(steady, 5)))
  # a count that is high from the start hides no other one
  fed <- reaction_network("2 A + F -> 3 A + F" = 1e-9, initial = c(A = 10, F = 1e9), fixed = "F")
  expect_identical(growing_species(fed, options_of(fed, 1))[c("species", "limit")], list(species = "A", limit = 1e6))
  # events of the network, and a condition of the user
  dosed <- reaction_network("2 A -> 3 A" = 1, "A -> 0" = 1, events = list(event("time >= 1", set = c(A = 10))))
  expect_identical(growing_species(dosed, options_of(dosed, 9))$species, "A")
  stopped <- utils::modifyList(options_of(net, 1), list(until = "A > 50"))
  expect_null(growing_species(net, stopped))
})

test_that("counts that grow fast enough are an error", {
  # a network that explodes quickly enough ends with an error that names the limit
  net <- reaction_network("A -> 1000000 A" = 1, initial = c(A = 5))
  expect_snapshot(error = TRUE, first_passage(net, "A < 0", nsim = 2, end = 100, seed = 1))
})

test_that("mistakes of a first run are explained", {
  net <- reaction_network("A -> B" = 1, initial = c(A = 10))
  sim <- simulate(net, nsim = 40, times = 1, seed = 1)
  expect_snapshot(error = TRUE, simulate(net, times = 2, initial = sim))
  expect_snapshot(error = TRUE, simulate(net, times = 1, method = "SSA"))
  expect_snapshot(error = TRUE, simulate(net, times = 1, method = "NRM"))
  expect_error(simulate(net, times = 1, method = "tau"), "did you mean \"tau_leaping\"?", class = "fireflip_error_argument")
  expect_error(simulate(net, times = 1, method = "implicit"), "\"implicit_tau_leaping\"[?]", class = "fireflip_error_argument")
  expect_true(all(other_method_names %in% ssa_methods()$method))
  expect_snapshot(error = TRUE, simulate(net, steps = 10))
  expect_snapshot(error = TRUE, simulate(pbn(c(A = "!A")), times = 0:10))
  expect_snapshot(error = TRUE, simulate(net, times = 1, observe = c("A", "B", "A")))
  expect_snapshot(error = TRUE, simulate(net, times = 1, initial = c(A = 1e-9)))
  expect_snapshot(error = TRUE, sweep_parameters(net, c(A = 5), times = 1))
  expect_snapshot(error = TRUE, simulate(net, times = 2, initial = 5))
  expect_snapshot(error = TRUE, first_passage(net, "A < 5", end = 2, initial = c(a = 5)))
  expect_snapshot(error = TRUE, sweep_parameters(net, data.frame(A = 1), times = 2, parameters = c(k = 5)))
  expect_snapshot(error = TRUE, simulate(net, times = 2, method = "tau_leaping", until = "A < 5"))
  expect_snapshot(error = TRUE, simulate(net, times = 2, method = "tau_leaping", output = "events"))
  expect_snapshot(error = TRUE, simulate(net, times = 1, nsim = 1e10, output = "final"))
  expect_snapshot(error = TRUE, simulate(net, times = 1, quantiles = c(0.1, 0.5, 0.1)))
  expect_snapshot(print(simulate(net, times = 1, seed = 1)))
  expect_match(capture.output(summary(sim))[[1L]], "2 species, time 1$")
  expect_match(capture.output(summary(sim))[[3L]], "events   [0-9]+ \\([0-9.]+ per trajectory\\)$")
})

test_that("names of arguments in other packages lead to ours", {
  net <- reaction_network("A -> 0" = mass_action("k"), parameters = c(k = 1), initial = c(A = 5))
  meant <- list(params = "parameters", x0 = "initial", tf = "times", species = "observe", stop = "until", probs = "quantiles")
  for (name in names(meant)) {
    expect_error(
      do.call(simulate, c(list(net, times = 1), stats::setNames(list(1), name))), sprintf("did you mean `%s`", meant[[name]]),
      class = "fireflip_error_argument"
    )
  }
  expect_error(first_passage(net, "A < 3", times = 2), "did you mean `end`", class = "fireflip_error_argument")
})

test_that("words in a condition are explained", {
  net <- reaction_network("A -> 0" = 1, initial = c(A = 5))
  said <- function(until) simulate(net, times = 1, until = until)
  expect_error(said("A > 2 and A < 4"), "\"&&\" means and", fixed = TRUE, class = "fireflip_error_parse")
  expect_error(said("A > 2 OR A < 4"), "\"||\" means or", fixed = TRUE, class = "fireflip_error_parse")
  expect_error(said("not A > 2"), "\"!\" means not", fixed = TRUE, class = "fireflip_error_parse")
})

test_that("large numbers in messages have separators", {
  expect_identical(describe(12345678), "12,345,678")
  expect_identical(describe(1e5), "100,000")
  expect_identical(describe(c(1e5, 2)), "c(1e+05, 2)") # as R reads it
  expect_identical(describe(NA_real_), "NA")
  expect_identical(describe(123456.5), "123456.5")
})
