# Programs of processors: ensembles against exact distributions, and trajectories that no field of a processor changes.

as_network <- function(reactions, initial) reaction_network(reactions, initial = initial)

# ---- distributions -------------------------------------------------------------------------------------------------------

# Small networks, each with a time. Their reactions are of all types of the paper's Table I; some trajectories end because no
# reaction can fire any more, and some species are nobody's reactants, so that they need dummies.
exact_networks <- function() {
  list(
    births = list(as_network(c("0 -> A" = 6, "A -> 0" = 1), c(A = 0)), 1),
    bursts = list(as_network(c("0 -> 3 A" = 4, "A -> 0" = 1), c(A = 3)), 1),
    pairs = list(as_network(c("2 A -> B" = 0.1, "B -> 2 A" = 0.5), c(A = 20, B = 0)), 0.5),
    complex = list(as_network(c("A + B -> C" = 0.1, "C -> A + B" = 0.3), c(A = 12, B = 9, C = 0)), 0.5),
    enzyme = list(as_network(
      c("S + E -> SE" = 0.2, "SE -> S + E" = 0.5, "SE -> E + P" = 0.8), c(S = 12, E = 4, SE = 0, P = 0)
    ), 1),
    ends = list(as_network(c("A + B -> C" = 0.1, "2 A -> B" = 0.1), c(A = 15, B = 6, C = 0)), 1),
    logistic = list(as_network(c("A -> 2 A" = 1.5, "2 A -> A" = 0.1), c(A = 5)), 1.5),
    epidemic = list(as_network(c("S + I -> 2 I" = 0.1, "I -> R" = 0.5), c(S = 15, I = 3, R = 0)), 1),
    all = list(as_network(
      c("0 -> A" = 6, "A -> 0" = 1, "2 A -> B" = 0.1, "B -> 2 A" = 0.5, "A + B -> A" = 0.05), c(A = 3, B = 1)
    ), 1),
    aggregation = list(set_initial(reaction_model("aggregation", copies = 1, seed = 1), S1 = 14, S2 = 2, S3 = 1, S4 = 0), 0.3)
  )
}

# Its RUs have room for a species each, so others come from the memory.
tiny_chip <- function() ssp(rus = 2, internal = 0, cached = 1, merger = 1, reaction_memory = 16, data = 1)

# A number for each row: counts are below 1,000, of at most four species.
states_of <- function(x, species) drop(as.matrix(as.data.frame(x)[species]) %*% 1000^(seq_along(species) - 1))

# The cell of each state. Pearson's statistic has the distribution of its limit if at least 5 are expected in each cell
# (Cochran's rule). So states with less share a cell, and that of the least likely other one if together they have less, too.
cells_of <- function(expected) {
  cell <- seq_along(expected)
  rare <- expected < 5
  cell[rare] <- if (sum(expected[rare]) >= 5) 0L else which(!rare)[[which.min(expected[!rare])]]
  cell
}

pearson <- function(observed, expected) {
  cell <- cells_of(expected)
  observed <- rowsum(observed, cell)
  expected <- rowsum(expected, cell)
  list(statistic = sum((observed - expected)^2 / expected), freedom = length(expected) - 1L)
}

# p-values: against the master equation, for which a state that it does not have is impossible; and of two samples of one size,
# which have the same distribution. Then each sample has half of what both have in a cell, and the statistics of both add up.
exact_p <- function(sim, exact) {
  species <- setdiff(names(exact), c("time", "probability"))
  at <- match(states_of(sim, species), states_of(exact, species))
  if (anyNA(at)) return(0)
  found <- pearson(tabulate(at, nrow(exact)), nrow(sim) * exact$probability)
  stats::pchisq(found$statistic, found$freedom, lower.tail = FALSE)
}

two_samples_p <- function(one, other, species) {
  states <- unique(c(states_of(one, species), states_of(other, species)))
  counts_of <- function(x) tabulate(match(states_of(x, species), states), length(states))
  mine <- counts_of(one)
  found <- pearson(mine, (mine + counts_of(other)) / 2)
  stats::pchisq(2 * found$statistic, found$freedom, lower.tail = FALSE)
}

test_that("with single precision, ensembles have the distributions of the master equation and of the direct method", {
  n <- 1e5
  networks <- exact_networks()
  optimise <- rep_len(c("paper", "none", "locality"), length(networks))
  p <- matrix(NA, length(networks), 3L, dimnames = list(names(networks), c("exact", "direct", "wrong")))
  seen <- list()
  for (i in seq_along(networks)) {
    net <- networks[[i]][[1L]]
    time <- networks[[i]][[2L]]
    run <- function(net, seed) {
      simulate(
        compile_ssp(net, tiny_chip(), optimise[[i]], seed = i), nsim = n, times = time, seed = seed, output = "final",
        cycles = "none"
      )
    }
    exact <- as.data.frame(chemical_master_equation(net, time))
    sim <- run(net, i)
    direct <- simulate(net, nsim = n, times = time, seed = 100 + i, method = "direct", output = "final")
    p[i, "exact"] <- exact_p(sim, exact)
    p[i, "direct"] <- two_samples_p(sim, direct, net$species$species)
    wrong <- net
    wrong$reactions$rate[[1L]] <- format(1.03 * as.numeric(net$reactions$rate[[1L]]), digits = 15)
    p[i, "wrong"] <- exact_p(run(wrong, 200 + i), exact)
    units <- as.data.frame(compile_ssp(net, tiny_chip(), optimise[[i]], seed = i))
    seen[[i]] <- colSums(units[c("uni", "bi1", "bi2", "source", "dummy", "fetched", "streamed")])
  }
  # All of this occurs.
  expect_true(all(colSums(do.call(rbind, seen) > 0) >= 2))
  # 20 tests with a family-wise error of 1e-3 (Bonferroni). Seeds are fixed: the tests pass or fail for ever.
  limit <- 1e-3 / 20
  expect_gt(min(p[, c("exact", "direct")]), limit)
  # With the same limit, a rate that is 3% off is noticed in each of the networks.
  expect_lt(max(p[, "wrong"]), limit)
})

# Uniform numbers from 1/2 to 1 are in 2^k cells, and all of a cell give the waiting time of its middle. The largest of 64 is
# below 1/2 with probability 2^-64. So the shortest waiting time, and the lowest tag of equal ones, have a known distribution.
test_that("a table of logarithms has the bias that follows from its cells", {
  bits <- 4
  m <- 64
  n <- 20000
  below <- 1 - (0:2^bits) * 2^-(bits + 1) # the ends of the cells, from 1 down
  p <- -diff(below^m)
  wait <- -log(below[-1L] + 2^-(bits + 2))
  mean <- sum(p * wait)
  se <- sqrt(sum(p * (wait - mean)^2) / n)
  first <- sum(-diff(below) * below[-length(below)]^(m - 1)) # the first one in a cell, the others in this or a lower one
  expect_gt(mean, 1.3 / m) # 1 / m is exact: the bias is large
  expect_gt(first, 2 / m)
  net <- as_network(stats::setNames(rep(1, m), paste0("0 -> S", 1:m)), stats::setNames(rep(0, m), paste0("S", 1:m)))
  z <- vapply(c(bits, 0), function(bits) {
    sim <- simulate(compile_ssp(net, ssp(logarithm = bits)), nsim = n, steps = 1, seed = 1)
    c((mean(sim$time) - mean) / se, (mean(sim$S1) - first) / sqrt(first * (1 - first) / n))
  }, c(0, 0))
  limit <- stats::qnorm(1 - 1e-3 / 4) # two tests, two sides
  expect_lt(max(abs(z[, 1L])), limit)
  expect_gt(min(abs(z[, 2L])), limit) # without a table, neither is so
})

# ---- trajectories ----------------------------------------------------------------------------------------------------------

# The same reactions at the same times, whatever the processor: its shape, its buffers, its memory and the compiler. `steps` of
# simulate() are executed together with the cycles, so that a program that the memory delays has its trajectories, too.
memory_parts <- c("DDR3-1600 1Gb x4", "DDR3-1333 2Gb x8", "DDR3-1600 4Gb x8", "DDR4-2400 8Gb x8", "HBM2-2000 8Gb x128")

one_of <- function(x) x[[sample.int(length(x), 1L)]]

random_chip <- function(precision) {
  channels <- one_of(2:8)
  ssp(
    spes = one_of(1:4), rus = one_of(1:7), precision = precision, memory = one_of(memory_parts), internal = one_of(0:3),
    cached = one_of(1:5), merger = one_of(1:4), reaction_memory = 16 * one_of(1:4), data = one_of(1:40), requests = one_of(1:8),
    reaction_fifo = one_of(8:20), reorder = one_of(0:9), per_request = 2^one_of(0:4), grants = one_of(0:3), channels = channels,
    reaction_channels = one_of(seq_len(channels - 1L)), ranks = 1, transactions = one_of(1:8), commands = one_of(2:8),
    hits = one_of(1:6), vector_lines = one_of(1:4), victims = one_of(0:3), latency = one_of(10:40), barrier = one_of(0:9),
    clock = one_of(c(200, 400, 1500))
  )
}

# Elementary reactions of S1, S2, and so on. The last species is nobody's reactant. With `ends`, reactions make only species with
# higher numbers, no more than they take, and nothing comes from outside: all trajectories end.
random_elementary <- function(ends) {
  n <- one_of(3:30)
  equation <- function(r) {
    from <- sample.int(n - 1L, 2L, replace = TRUE)
    to <- if (ends) min(n, max(from) + one_of(1:3)) else one_of(seq_len(n))
    s <- function(i) paste0("S", i)
    kinds <- c("uni", "decay", "twins", "pair", if (!ends) c("source", "catalysis", "burst", "switch"))
    switch(one_of(kinds),
      uni = paste(s(from[[1L]]), "->", s(to)), decay = paste(s(from[[1L]]), "-> 0"),
      twins = paste("2", s(from[[1L]]), "->", s(to)),
      pair = paste(paste(s(from), collapse = " + "), "->", s(to)),
      source = paste("0 ->", s(to)), catalysis = paste(s(from[[1L]]), "->", s(from[[1L]]), "+", s(to)),
      burst = paste(s(from[[1L]]), "->", one_of(2:100), s(to)),
      switch = paste(s(from[[1L]]), "->", s(to), "+", s(n))
    )
  }
  equations <- vapply(seq_len(one_of(2:60)), equation, "")
  named <- unique(unlist(regmatches(equations, gregexpr("S[0-9]+", equations))))
  initial <- stats::setNames(sample.int(if (ends) 5L else 20L, length(named), replace = TRUE), named)
  as_network(stats::setNames(stats::runif(length(equations), 0.01, 1), equations), initial)
}

# What a program gives with these steps, and its events up to the time at which the first trajectory has made them.
both_ways <- function(program, steps, seed) {
  sim <- simulate(program, nsim = 3, steps = steps, seed = seed)
  list(sim, simulate(program, nsim = 3, times = min(sim$time), seed = seed, output = "events", cycles = "none"))
}

pace_of <- function(runs) attr(ssp_cycles(runs[[1L]]), "pace")$mean

# Whether the events are those of the first reaction method, too.
is_first_reaction <- function(runs, net, seed) {
  events <- simulate(
    net, nsim = 3, times = min(runs[[1L]]$time), seed = seed, output = "events", method = "first_reaction", backend = "cpu"
  )
  identical(as.list(as.data.frame(runs[[2L]])), as.list(as.data.frame(events)))
}

test_that("trajectories of random networks do not depend on the processor", {
  set.seed(2012)
  seen <- NULL
  same <- first_reaction <- fewer <- logical()
  paces <- numeric()
  for (i in 1:50) {
    net <- random_elementary(ends = i %% 3 == 0)
    steps <- if (i %% 3 == 0) 300 else 80
    precision <- c("single", "double")[[1L + i %% 2]]
    run <- function(chip, optimise) {
      program <- compile_ssp(net, chip, optimise, seed = i)
      units <- as.data.frame(program)
      seen <<- rbind(seen, colSums(units[c("uni", "bi1", "bi2", "source", "dummy", "local", "streamed", "internal", "fetched")]))
      runs <- both_ways(program, steps, i)
      paces[[length(paces) + 1L]] <<- pace_of(runs)
      runs
    }
    want <- run(ssp(precision = precision), "paper")
    for (optimise in c("none", "paper", "locality")) {
      got <- run(random_chip(precision), optimise)
      same[[paste(i, optimise)]] <- identical(got, want)
    }
    fewer[[i]] <- attr(want[[1L]], "run")$events < 3 * steps
    if (precision == "double") first_reaction[[paste(i)]] <- is_first_reaction(want, net, i)
  }
  expect_identical(names(same)[!same], character())
  expect_length(same, 150L)
  expect_identical(names(first_reaction)[!first_reaction], character())
  expect_length(first_reaction, 25L)
  # All of this occurs often: instructions of all kinds, species and reactions on the chip and in the memory, and ends.
  expect_true(all(colSums(seen > 0) >= 20))
  expect_gte(sum(fewer), 10L)
  expect_gt(length(unique(paces)), 190L) # of 200: processors differ
})

# The papers' models, and all others of the package whose reactions are elementary.
elementary_models <- function() {
  list(
    viral_infection = reaction_model("viral_infection"),
    aggregation = reaction_model("aggregation", copies = 24, sets = 6, seed = 1),
    shared = reaction_model("aggregation", copies = 16, shared = TRUE, seed = 2),
    colloid = reaction_model("colloid", species = 12), random = reaction_model("random", species = 40, reactions = 80, seed = 3),
    decay_dimerisation = reaction_model("decay_dimerisation"), sir_ring = reaction_model("sir_ring", regions = 12),
    cyclic_chain = reaction_model("cyclic_chain", species = 30), multistate = reaction_model("multistate"),
    multisite = reaction_model("multisite", sites = 2), receptor = reaction_model("receptor", sites = 1),
    gene_expression = example_model("gene_expression"), lotka_volterra = example_model("lotka_volterra"),
    sir = example_model("sir")
  )
}

test_that("trajectories of models do not depend on the processor", {
  set.seed(2013)
  models <- elementary_models()
  same <- first_reaction <- logical()
  for (model in names(models)) {
    net <- models[[model]]
    for (precision in c("single", "double")) {
      want <- both_ways(compile_ssp(net, ssp(precision = precision)), 100, 7)
      for (optimise in c("none", "paper", "locality")) {
        got <- both_ways(compile_ssp(net, random_chip(precision), optimise, seed = 8), 100, 7)
        same[[paste(model, precision, optimise)]] <- identical(got, want)
      }
      if (precision == "double") first_reaction[[model]] <- is_first_reaction(want, net, 7)
    }
  }
  expect_length(same, 2L * 3L * length(models))
  expect_identical(names(same)[!same], character())
  expect_identical(names(first_reaction)[!first_reaction], character())
})

test_that("no field but precision and logarithm changes a trajectory", {
  net <- reaction_model("aggregation", copies = 48, sets = 12, seed = 1)
  # RUs with few entries and buffers, so that all that is fetched matters.
  given <- list(
    spes = 2, rus = 3, internal = 2, cached = 4, merger = 2, reaction_memory = 64, data = 4, requests = 2, reaction_fifo = 8,
    vector_lines = 2, victims = 1, ranks = 1
  )
  fields <- as.data.frame(ssp())
  others <- list(
    spes = c(1, 5), rus = c(1, 8), clock = c(100, 2000), latency = c(8, 60), barrier = c(0, 8), reaction_memory = c(16, 8192),
    internal = c(0, 40), cached = c(1, 40), merger = c(1, 32), species_memory = c(0, 4096), vector_lines = c(1, 512),
    victims = c(0, 16), requests = c(1, 32), data = c(1, 64), reaction_fifo = c(9, 64), reorder = c(0, 20),
    per_request = c(1, 16), grants = c(1, 2), channels = c(2, 16), reaction_channels = c(1, 7), ranks = c(1, 4),
    transactions = c(1, 8), commands = c(2, 8), hits = c(1, 64), memory = memory_parts
  )
  expect_setequal(c(names(others), "precision", "logarithm"), fields$field)
  run <- function(...) both_ways(compile_ssp(net, do.call(ssp, utils::modifyList(given, list(...))), "none", seed = 5), 60, 9)
  want <- run()
  same <- differs <- logical()
  for (field in names(others)) {
    for (value in others[[field]]) {
      got <- do.call(run, stats::setNames(list(value), field))
      same[[paste(field, value)]] <- identical(got, want)
      differs[[paste(field, value)]] <- pace_of(got) != pace_of(want)
    }
  }
  expect_identical(names(same)[!same], character())
  expect_false(identical(run(precision = "double"), want))
  expect_false(identical(run(logarithm = 16), want))
  # The fields are not ignored: cycles differ. A limit that is not reached changes none.
  changed <- unique(sub(" .*", "", names(differs)[differs]))
  expect_identical(setdiff(names(others), c(changed, "merger", "species_memory", "transactions")), character())
})
