# Networks of replicated modules in a ring, which the method "factored" simulates without a table of reactions.
# tests/c/test_ssa_ring.c compares its trajectories with their definition.

# `n` modules of two species: hubs in three terms, pairs, walks in both directions, and rates that are multiples of others.
ring_of_modules <- function(n, initial) {
  j <- seq_len(n)
  after <- j %% n + 1
  before <- (j - 2) %% n + 1
  net <- c(
    sprintf("S%d + I%d -> 2 I%d", j, j, j), sprintf("S%d + I%d -> I%d + I%d", j, after, j, after),
    sprintf("S%d + I%d -> I%d + I%d", j, before, j, before), sprintf("I%d -> S%d", j, j), sprintf("S%d -> S%d", j, after),
    sprintf("S%d -> S%d", j, before), sprintf("2 I%d -> I%d + S%d", j, before, after)
  )
  rates <- rep(c(0.9, 0.3, 0.3, 0.4, 0.25, 0.5, 0.7), each = n)
  species <- as.vector(rbind(paste0("S", j), paste0("I", j)))
  counts <- stats::setNames(numeric(2 * n), species)
  counts[names(initial)] <- initial
  do.call(reaction_network, c(as.list(stats::setNames(rates, net)), list(initial = counts)))
}

test_that("a ring of modules has the distribution of the master equation", {
  # Three molecules in 16 places. States with fewer than 5 expected trajectories are one class.
  net <- ring_of_modules(8, c(S1 = 1, S2 = 1, I4 = 1))
  n <- 20000
  sim <- simulate(net, nsim = n, times = c(0.4, 1.5), method = "factored", output = "trajectories", seed = 1)
  truth <- as.data.frame(chemical_master_equation(net, c(0.4, 1.5), tolerance = 1e-8, progress = FALSE))
  key <- function(x) do.call(paste, unname(x[as.vector(rbind(paste0("S", 1:8), paste0("I", 1:8)))]))
  for (time in c(0.4, 1.5)) {
    expected <- truth[truth$time == time, ]
    count <- table(factor(key(sim[sim$time == time, ]), key(expected)))
    expect_equal(sum(count), n) # no other states
    class <- ifelse(n * expected$probability < 5, 0, seq_len(nrow(expected)))
    observed <- as.vector(tapply(as.vector(count), class, sum))
    expected <- as.vector(tapply(n * expected$probability, class, sum))
    expect_true(all(expected >= 5) && length(expected) > 40)
    # two tests at 1e-4 each
    statistic <- sum((observed - expected)^2 / expected)
    expect_gt(stats::pchisq(statistic, length(expected) - 1, lower.tail = FALSE), 1e-4)
  }
})

test_that("a ring of modules has the same means by other methods", {
  net <- ring_of_modules(25, c(S1 = 300, S9 = 120, I1 = 10, I20 = 30))
  run <- function(method, seed) simulate(net, nsim = 500, times = c(0.05, 0.5), method = method, seed = seed)
  found <- run("factored", 1)
  expect_match(attr(run("auto", 1), "run")$reason, "of its 175 reactions have common factors, in 4 groups", fixed = TRUE)
  for (method in c("direct", "next_reaction")) {
    other <- run(method, 2)
    spread <- sqrt((found$sd^2 + other$sd^2) / 500)
    z <- ifelse(spread > 0, abs(found$mean - other$mean) / spread, 0)
    # family-wise 1e-3 over species, times and two methods, with a factor of 1.5 for distributions that are not normal
    expect_lt(max(z), 1.5 * stats::qnorm(1 - 1e-3 / 4 / length(z)))
  }
})

test_that("trajectories of modules do not depend on threads, times, shards, vectors or what is observed", {
  net <- ring_of_modules(40, c(S1 = 60, S20 = 60, I1 = 5, I20 = 5, I33 = 40))
  last <- function(sim, columns = names(sim)) {
    rows <- as.data.frame(sim)[sim$time == 2, setdiff(columns, "time")]
    rownames(rows) <- NULL
    rows
  }
  run <- function(..., times = 2, simd = NULL) {
    old <- options(fireflip.simd = simd)
    on.exit(options(old))
    simulate(net, nsim = 70, times = times, method = "factored", output = "trajectories", seed = 3, ...)
  }
  one <- run(threads = 1)
  expect_identical(last(run(threads = 3)), last(one))
  expect_identical(last(run(times = c(0, 0.001, 0.3, 1, 1.9, 2), threads = 2)), last(one))
  expect_identical(last(run(simd = "portable")), last(one))
  few <- c("trajectory", "I7", "S2")
  expect_identical(last(run(observe = c("I7", "S2")), few), last(one, few))
  means <- function(...) simulate(net, nsim = 70, times = 2, method = "factored", seed = 3, ...)
  parts <- lapply(1:3, function(i) means(shard = c(i, 3)))
  expect_identical(as.data.frame(do.call(c, parts)), as.data.frame(means()))
})

test_that("a ring of modules with many molecules keeps exact sums", {
  # the sum of the products of counts is 2e16, which a double need not hold
  j <- 1:10
  equations <- c(sprintf("A%d + B%d -> A%d + C%d", j, j, j, j), sprintf("C%d -> B%d", j, j %% 10 + 1))
  counts <- stats::setNames(rep(c(1e12, 2000, 0), each = 10), paste0(rep(c("A", "B", "C"), each = 10), j))
  rates <- stats::setNames(rep(c(1e-11, 1), each = 10), equations)
  net <- do.call(reaction_network, c(as.list(rates), list(initial = counts)))
  sim <- simulate(net, nsim = 40, times = 1, method = "factored", seed = 1)
  expect_true(all(sim$mean[sim$species %in% paste0("A", j)] == 1e12))
  # A molecule becomes C at the rate 10, and B at the rate 1, so it is C with probability `share`, in whichever module. The number
  # of C in a module is a sum of independent zeros and ones, so its variance is at most its mean. Ten means, each beyond 4.5
  # standard errors with probability 7e-6.
  share <- 10 / 11 * (1 - exp(-11))
  expect_lt(max(abs(sim$mean[sim$species %in% paste0("C", j)] - 2000 * share)), 4.5 * sqrt(2000 * share / 40))
})
