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
  expect_lt(max(more$adjusted[3:4]), 1e-6)
  expect_true(all(more$adjusted[3:4] >= more$p_value[3:4]))
  # the same mean, but another distribution: 0 or 1, against Poisson
  two <- reaction_network("A -> 0" = log(2) / 3, initial = c(A = 1))
  other <- compare_ensembles(
    run(1, two, observe = "A", output = "histogram"), run(2, reaction_network("0 -> A" = 0.5 / 3), output = "histogram")
  )
  expect_lt(other$p_value[other$time == 3 & other$test == "distribution"], 1e-3)
})

test_that("bad input is refused", {
  expect_error(compare_ensembles(run(1), 3), "`b` must be a result of simulate", class = "fireflip_error_argument")
  expect_error(compare_ensembles(run(1, output = "final"), run(2)), class = "fireflip_error_argument")
  expect_error(compare_ensembles(run(1, nsim = 29), run(2)), "at least 30", class = "fireflip_error_argument")
  expect_warning(compare_ensembles(run(1), run(1, method = "next_reaction")), class = "fireflip_warning_seed")
  other <- simulate(net, nsim = 50, times = 1, output = "histogram", seed = 1)
  expect_error(compare_ensembles(run(1), other), "the same times", class = "fireflip_error_argument")
})
