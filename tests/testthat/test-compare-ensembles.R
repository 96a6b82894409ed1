# Comparison of ensembles: p-values where both are equal, and where they are not.

net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
run <- function(seed, model = net, nsim = 400, ...) simulate(model, nsim = nsim, times = c(0, 3), seed = seed, ...)

test_that("p-values are uniform if the ensembles have the same distribution", {
  p <- vapply(1:150, function(seed) {
    both <- compare_ensembles(run(seed, output = "histogram"), run(1000 + seed, output = "histogram", method = "next_reaction"))
    both$p_value[both$time == 3]
  }, numeric(3))
  # Kolmogorov and Smirnov's distance is above 2 / sqrt(n) with probability 7e-4
  for (i in 1:3) expect_lt(max(abs(sort(p[i, ]) - seq_len(150) / 150)), 2 / sqrt(150))
})

test_that("differences are found", {
  more <- compare_ensembles(run(1), run(2, reaction_network("0 -> A" = 16, "A -> 0" = 1)))
  expect_identical(more$test, rep(c("mean", "variance"), 2))
  expect_identical(is.na(more$p_value), c(TRUE, TRUE, FALSE, FALSE)) # at time 0, the counts are known
  # counts of Poisson with means 15.2 and 9.5: 23 standard errors between the means, and 4.4 between the variances on average
  expect_lt(more$adjusted[[3L]], 1e-15)
  expect_lt(more$adjusted[[4L]], 1e-3)
  expect_true(all(more$adjusted[3:4] >= more$p_value[3:4]))
  # the same mean, but another distribution: 0 or 1, against Poisson
  two <- reaction_network("A -> 0" = log(2) / 3, initial = c(A = 1))
  other <- compare_ensembles(
    run(1, two, observe = "A", output = "histogram"), run(2, reaction_network("0 -> A" = 0.5 / 3), output = "histogram")
  )
  expect_lt(other$p_value[other$time == 3 & other$test == "distribution"], 1e-3)
})

test_that("the means of ensembles of different sizes seldom differ by chance", {
  runs <- 2000
  set.seed(1)
  samples <- function(n) moments_of(matrix(stats::rpois(n * runs, 0.02), n))
  p <- compare_means(list(samples(30), samples(300)), c(30, 300))$p_value
  # Welch's test alone finds a difference in half of the pairs, because the error is 0 in samples of 30 without an event
  expect_lt(mean(p < 0.05, na.rm = TRUE), 0.05 + 3 * sqrt(0.05 * 0.95 / runs))
})

test_that("the variances of distributions with long tails seldom differ by chance", {
  runs <- 2000
  samples <- function(draw, n) moments_of(matrix(draw(n * runs), n))
  rate <- function(draw, n) {
    p <- compare_variances(list(samples(draw, n[[1L]]), samples(draw, n[[2L]])), n)$p_value
    mean(p < 0.05, na.rm = TRUE)
  }
  set.seed(1)
  most <- 0.05 + 3 * sqrt(0.05 * 0.95 / runs) # 3 standard errors
  geometric <- function(k) stats::rgeom(k, 1 / 21)
  bursts <- function(k) stats::rnbinom(k, 0.5, mu = 5)
  rare_mode <- function(k) stats::rpois(k, ifelse(stats::runif(k) < 0.01, 50, 5))
  # without the moments of both samples together, the rates were 0.09, 0.11, 0.13 and 0.37
  expect_lt(rate(geometric, c(100, 100)), most)
  expect_lt(rate(bursts, c(100, 100)), most)
  expect_lt(rate(bursts, c(100, 1000)), most)
  expect_lt(rate(rare_mode, c(100, 100)), most)
  # 14 and 10 are 4.8 standard errors apart (those of both are 0.7 and 0.45), so nearly every test finds the difference
  set.seed(1)
  other <- compare_variances(
    list(samples(function(k) stats::rnbinom(k, 25, mu = 10), 1000), samples(function(k) stats::rpois(k, 10), 1000)), c(1000, 1000)
  )
  expect_gt(mean(other$p_value < 0.05), 0.99)
  none <- compare_variances(list(moments_of(cbind(rep(3, 30))), moments_of(cbind(rep(4, 30)))), c(30, 30))
  expect_identical(none$p_value, NA_real_)
})

test_that("a comparison prints its verdict, and the largest differences first", {
  same <- compare_ensembles(run(1, output = "histogram"), run(2, output = "histogram"))
  more <- reaction_network("0 -> A" = 11, "A -> 0" = 1)
  course <- function(seed, model) simulate(model, nsim = 400, times = 0:6, output = "histogram", seed = seed)
  other <- compare_ensembles(course(1, net), course(2, more))
  expect_snapshot({
    same
    other
    print(other, n = 2, level = 1e-6)
    summary(other)
    other[1:3, ]
    other[1:2, c("test", "p_value")]
  })
  found <- summary(other, level = 1e-6)
  expect_identical(c(found$tests, found$undecided, found$differ), c(18L, 3L, sum(other$adjusted <= 1e-6, na.rm = TRUE)))
  expect_identical(found$smallest, min(other$adjusted, na.rm = TRUE))
  expect_identical(colSums(found$each[-1L]), c(tests = 18, undecided = 3, differ = found$differ))
  expect_identical(format(other, n = 2), capture.output(print(other, n = 2)))
  expect_identical(nrow(as.data.frame(other)), 21L)
  expect_identical(class(as.data.frame(other)), "data.frame")
  expect_error(summary(other["test"]), class = "fireflip_error_argument")
  expect_error(print(other, level = 2), class = "fireflip_error_argument")
})

test_that("a table of several comparisons has a verdict for all its tests", {
  compared <- compare_ensembles(run(1, output = "histogram"), run(2, output = "histogram"))
  part <- compared[!is.na(compared$adjusted), ][1:3, ]
  part$p_value <- c(0.02, 0.3, 0.4)
  part$adjusted <- stats::p.adjust(part$p_value, "holm") # the smallest is 0.06
  expect_identical(summary(part, level = 0.1)$differ, 1L)
  both <- rbind(part, part)
  expect_identical(summary(both, level = 0.1)[c("tests", "differ", "smallest")], list(tests = 6L, differ = 0L, smallest = 0.12))
  expect_match(format(both), " 0.12$", all = FALSE)
  # a part keeps the correction for all tests of the comparison
  first <- summary(part[1L, ], level = 0.05)
  expect_identical(first[c("tests", "differ", "smallest")], list(tests = 1L, differ = 0L, smallest = 0.06))
  # numbers that have become text are in no order, so the table is printed as it is
  part$p_value <- format(part$p_value)
  expect_identical(format(part), format(as.data.frame(part)))
  expect_error(summary(part), class = "fireflip_error_argument")
})

test_that("bad input is refused", {
  expect_error(compare_ensembles(run(1), 3), "`b` must be a result of simulate", class = "fireflip_error_argument")
  expect_error(compare_ensembles(run(1, output = "final"), run(2)), class = "fireflip_error_argument")
  expect_error(compare_ensembles(run(1, nsim = 29), run(2)), "at least 30", class = "fireflip_error_argument")
  expect_warning(compare_ensembles(run(1), run(1, method = "next_reaction")), class = "fireflip_warning_seed")
  other <- simulate(net, nsim = 50, times = 1, output = "histogram", seed = 1)
  expect_error(compare_ensembles(run(1), other), "the same times", class = "fireflip_error_argument")
})

test_that("an ensemble agrees with the master equation of its network, and not with that of another", {
  dimers <- reaction_network("0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A <-> B" = c(0.1, 0.5), parameters = c(k = 5))
  sim <- simulate(dimers, nsim = 2000, times = c(0, 0.5, 2), output = "histogram", seed = 1)
  exact <- chemical_master_equation(dimers, times = c(0, 0.5, 1, 2)) # with one more time
  same <- compare_ensembles(sim, exact)
  expect_s3_class(same, "ensemble_comparison")
  expect_identical(same$test, rep("distribution", 6))
  expect_identical(is.na(same$p_value), rep(c(TRUE, FALSE), c(2, 4))) # at time 0, one count is possible
  expect_gt(min(same$adjusted, na.rm = TRUE), 0.01) # seeded; 99% of seeds pass
  expect_identical(compare_ensembles(exact, sim), same)
  expect_no_error(null_device(plot(same)))
  other <- compare_ensembles(sim, chemical_master_equation(set_parameters(dimers, k = 5.5), times = c(0, 0.5, 2)))
  expect_lt(min(other$adjusted, na.rm = TRUE), 1e-6)
  # counts that are impossible
  started <- compare_ensembles(sim, chemical_master_equation(dimers, times = c(0, 0.5, 2), initial = c(A = 3)))
  expect_identical(started$p_value[[1L]], 0)
  expect_identical(started$p_value[[2L]], NA_real_)
  alone <- simulate(dimers, nsim = 100, times = 2, observe = "B", quantiles = 0.5, seed = 1)
  expect_identical(compare_ensembles(alone, exact)$species, "B")
  expect_snapshot(error = TRUE, {
    compare_ensembles(simulate(dimers, nsim = 50, times = 2, seed = 1), exact)
    compare_ensembles(simulate(dimers, nsim = 50, times = 3, output = "histogram", seed = 1), exact)
    compare_ensembles(exact, exact)
    compare_ensembles(run(1, output = "histogram"), chemical_master_equation(reaction_network("C -> 0" = 1), c(0, 3)))
  })
})

test_that("p-values of the comparison with the master equation are uniform", {
  exact <- chemical_master_equation(net, times = c(0, 3))
  p <- vapply(1:200, function(seed) compare_ensembles(run(seed, output = "histogram"), exact)$p_value[[2L]], 0)
  # Kolmogorov and Smirnov's distance is above 2 / sqrt(n) with probability 7e-4
  expect_lt(max(abs(sort(p) - seq_len(200) / 200)), 2 / sqrt(200))
  # neither are too many trajectories with counts that the solution does not list
  expect_equal(goodness_of_fit(c(0, 9), c(99, 1), 0, 1, 1e-6), c(NA, -expm1(100 * log1p(-1e-6))))
})

test_that("ensembles of one count each, and counts of nearly all the probability, are compared", {
  net <- reaction_network("A -> 0" = 1e-12, "B -> 0" = 1)
  run <- function(a, seed) simulate(net, nsim = 100, times = 1, seed = seed, initial = c(A = a, B = 5))
  found <- compare_ensembles(run(3, 1), run(5, 2))
  of_a <- function(found, column) found[found$species == "A", column]
  # 1 of choose(200, 100) divisions, or its opposite
  expect_equal(of_a(found, "p_value"), c(2 / choose(200, 100), NA))
  expect_identical(of_a(found, "statistic"), c(-Inf, NA))
  expect_identical(of_a(compare_ensembles(run(5, 1), run(3, 2)), "statistic"), c(Inf, NA))
  expect_output(print(found), "-Inf")
  expect_no_error(null_device(plot(found)))
  same <- compare_ensembles(run(3, 1), run(3, 2))
  expect_identical(of_a(same, "p_value"), c(NA_real_, NA))
  expect_identical(of_a(same, "statistic"), c(NA_real_, NA))

  decay <- function(k) reaction_network("A -> B" = k, initial = c(A = 1))
  exact <- chemical_master_equation(decay(1e-3), times = 1)
  p_of <- function(k) {
    sample <- simulate(decay(k), nsim = 1000, times = 1, seed = 1, output = "histogram", observe = "B")
    compare_ensembles(sample, exact)$p_value
  }
  expect_lt(min(p_of(100), na.rm = TRUE), 1e-100)
  expect_gt(min(p_of(1e-3), na.rm = TRUE), 0.01)

  # 2 of 1,000 trajectories have counts that the solution does not list. The count of nearly all the probability is as frequent
  # as expected: 998, and a probability of 0.998. So only the unlisted counts tell, with at most the probability 1e-6.
  listed <- goodness_of_fit(c(0, 9), c(998, 2), c(0, 1), c(0.998, 0.002), 1e-6)
  expect_equal(listed, c(NA, stats::pbinom(1, 1000, 1e-6, lower.tail = FALSE)))
  # without them, the test of the count tells
  expect_equal(goodness_of_fit(c(0, 1), c(990, 10), c(0, 1), c(0.998, 0.002), 1e-6)[[2L]], binom.test(990, 1000, 0.998)$p.value)
})

test_that("variables that are NaN or infinite in some trajectories are compared", {
  net <- reaction_network("0 -> A" = 1, "0 -> B" = 1, variables = c(ratio = "B / A"))
  run <- function(b, seed) {
    simulate(net, nsim = 100, times = 0:1, output = "histogram", observe = "ratio", seed = seed, initial = c(B = b))
  }
  same <- compare_ensembles(run(0, 1), run(0, 2))
  expect_identical(is.na(same$p_value), c(TRUE, TRUE, TRUE, TRUE, TRUE, FALSE))
  expect_gt(same$p_value[[6L]], 1e-4)
  # B / A is Inf at time 0 if there is B, and else NaN, so both groups have 100 trajectories of one ensemble
  other <- compare_ensembles(run(0, 1), run(5, 2))
  expect_equal(other$statistic[[3L]], 200)
  expect_lt(other$p_value[[6L]], 1e-4)
})

test_that("variances of tiny and of large variables are not compared without their fourth moments", {
  net <- reaction_network("0 -> A" = 3, variables = c(small = "A * 1e-50", tiny = "A * 1e-70", large = "A * 1e100"))
  run <- function(seed) simulate(net, nsim = 300, times = 1, seed = seed, observe = c("A", names(net$variables)))
  found <- as.data.frame(compare_ensembles(run(1), run(2)))
  p_value <- found$p_value[found$test == "variance"]
  expect_equal(p_value[[2L]], p_value[[1L]])
  expect_true(all(is.na(p_value[3:4])))
})
