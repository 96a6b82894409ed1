# Noise and its parts: against closed forms and the chemical master equation.

# Two reporters of a gene product G of mean g, which is made at the rate g k and decays at the rate k. The moments of linear
# reactions are exact in the long run: <x> = b g / d, cov(x, y) = b^2 g / (d (d + k)), var(x) = <x> + cov(x, y).
reporters <- function(g, b, k, d) {
  reaction_network(
    "0 -> G" = g * k, "G -> 0" = k, "G -> G + X" = b, "X -> 0" = d, "G -> G + Y" = b, "Y -> 0" = d,
    initial = c(G = g, X = round(b * g / d), Y = round(b * g / d))
  )
}

test_that("noise() has the statistics of the trajectories", {
  net <- reporters(10, 2, 0.5, 1)
  sim <- simulate(net, nsim = 300, times = c(0, 4), seed = 2)
  paths <- simulate(net, nsim = 300, times = c(0, 4), seed = 2, output = "trajectories")
  found <- noise(sim)
  x <- paths$X[paths$time == 4]
  row <- found[found$time == 4 & found$species == "X", ]
  expect_equal(c(row$mean, row$variance, row$fano, row$cv2), c(mean(x), var(x), var(x) / mean(x), var(x) / mean(x)^2))
  expect_identical(noise(simulate(net, nsim = 300, times = c(0, 4), seed = 2, output = "histogram")), found)
  start <- plain_frame(found)[found$time == 0, ]
  expect_identical(unique(unlist(start[c("fano", "fano_lower", "fano_upper", "cv2_upper")])), 0)
  wider <- noise(sim, confidence = 0.99)
  expect_true(all(wider$fano_upper[4:6] > found$fano_upper[4:6], wider$cv2_lower[4:6] < found$cv2_lower[4:6]))
  few <- noise(simulate(net, nsim = 99, times = 4, seed = 2))
  expect_true(all(is.na(few$fano_lower)) && !anyNA(few$fano))
  empty <- noise(simulate(reaction_network("0 -> A" = 1e-9), nsim = 200, times = 1, seed = 1))
  expect_identical(c(empty$fano, empty$fano_upper, empty$cv2), rep(NA_real_, 3))
  expect_snapshot(print(noise(simulate(net, nsim = 200, times = 4, seed = 2)), n = 2))
  expect_error(noise(paths), class = "fireflip_error_argument")
  expect_error(noise(), class = "fireflip_error_argument")
  expect_error(noise(sim, confidence = 1), class = "fireflip_error_argument")
})

test_that("intervals of Fano factors and squared coefficients of variation hold the exact values", {
  runs <- 800
  coverage <- function(net, nsim, mean, variance) {
    x <- matrix(simulate(net, nsim = nsim * runs, times = 1, observe = "A", output = "final", seed = 1)$A, nsim)
    found <- noise_ratios(moments_of(x), nsim, 0.95, FALSE)
    c(held(found[2:3], variance / mean), held(found[5:6], variance / mean^2))
  }
  # in 2,000 samples of each, the coverage was 0.947 to 1 for the first five, and 0.917 and 0.928 for the last
  poisson <- function(mean, nsim) coverage(reaction_network("0 -> A" = mean), nsim, mean, mean)
  expect_gt(min(poisson(10, 100)), least(0.945, runs))
  expect_gt(min(poisson(0.2, 100)), least(0.945, runs))
  expect_gt(min(poisson(0.02, 1000)), least(0.945, runs)) # rarely two at a time
  expect_gt(min(coverage(reaction_network("0 -> 50 A" = 0.05), 400, 2.5, 125)), least(0.945, runs))
  expect_gt(min(coverage(reaction_network("A -> 0" = log(2), initial = c(A = 1)), 100, 0.5, 0.25)), least(0.945, runs))
  geometric <- coverage(reaction_network("A -> 2 A" = log(20), initial = c(A = 1)), 300, 20, 380)
  expect_gt(min(geometric), least(0.91, runs))
})

test_that("the parts of two reporters are those of the chemical master equation", {
  net <- reaction_network(
    "Off -> On" = 0.4, "On -> Off" = 0.6, "On -> On + X" = 3, "X -> 0" = 1, "On -> On + Y" = 3, "Y -> 0" = 1, initial = c(Off = 1)
  )
  exact <- as.data.frame(chemical_master_equation(net, 3))
  mean <- sum(exact$probability * exact$X)
  int <- sum(exact$probability * (exact$X - exact$Y)^2) / 2 / mean^2
  ext <- sum(exact$probability * (exact$X - mean) * (exact$Y - mean)) / mean^2
  cells <- simulate(net, nsim = 20000, times = c(0, 3), output = "trajectories", seed = 5)
  found <- noise_decomposition(cells, c("X", "Y"), confidence = 0.9999)
  at <- found[found$time == 3, ]
  expect_true(at$intrinsic_lower < int && int < at$intrinsic_upper && at$intrinsic_upper < 1.2 * at$intrinsic_lower)
  expect_true(at$extrinsic_lower < ext && ext < at$extrinsic_upper && at$extrinsic_upper < 1.2 * at$extrinsic_lower)
  expect_true(at$total_lower < int + ext && int + ext < at$total_upper)
  expect_equal(at$total, at$intrinsic + at$extrinsic)
  expect_true(all(is.na(unlist(found[found$time == 0, noise_columns]))))

  # a summary gives the same without intervals
  sim <- simulate(net, nsim = 20000, times = c(0, 3), observe = c("Y", "On", "X"), covariance = TRUE, seed = 5)
  summed <- noise_decomposition(sim, c("X", "Y"))
  expect_equal(summed[noise_parts], found[noise_parts], ignore_attr = TRUE)
  expect_true(all(is.na(summed$total_lower)))
  expect_output(print(summed), "no intervals")
  expect_error(noise_decomposition(sim, c("X", "Y"), confidence = 0.9), "output = \"final\"", class = "fireflip_error_argument")
  last <- simulate(net, nsim = 20000, times = 3, output = "final", seed = 5)
  expect_equal(plain_frame(noise_decomposition(last, c("X", "Y"))), plain_frame(noise_decomposition(cells, c("X", "Y")))[2L, ],
    ignore_attr = TRUE)
})

test_that("intervals of the parts of two reporters hold the exact values", {
  runs <- 400
  coverage <- function(g, b, k, d, n) {
    cells <- simulate(reporters(g, b, k, d), nsim = n * runs, times = 12, observe = c("X", "Y"), output = "final", seed = 3)
    x <- matrix(cells$X, n)
    y <- matrix(cells$Y, n)
    all <- vapply(seq_len(runs), function(i) unlist(reporter_noise(x[, i], y[, i], 0.95)), numeric(11))
    mean <- b * g / d
    ext <- b^2 * g / (d * (d + k)) / mean^2
    truth <- c(intrinsic = 1 / mean, extrinsic = ext, total = 1 / mean + ext)
    vapply(noise_parts, function(part) held(list(all[paste0(part, "_lower"), ], all[paste0(part, "_upper"), ]), truth[[part]]), 0)
  }
  # in 1,500 samples the coverage was 0.936 to 0.959
  expect_gt(min(coverage(10, 2, 0.5, 1, 200)), least(0.935, runs))
  expect_gt(min(coverage(2, 3, 0.5, 1, 200)), least(0.93, runs))
})

test_that("reporters that differ are a warning, and what is no pair of reporters is an error", {
  net <- reaction_network("0 -> X" = 5, "X -> 0" = 1, "0 -> Y" = 7, "Y -> 0" = 1, "0 -> Z" = 5, "Z -> 0" = 1)
  cells <- simulate(net, nsim = 500, times = c(4, 5), output = "trajectories", seed = 1)
  sim <- simulate(net, nsim = 500, times = 5, covariance = TRUE, seed = 1)
  expect_warning(noise_decomposition(cells, c("X", "Y")), "\"X\" and \"Y\" have different", class = "fireflip_warning_reporters")
  expect_warning(noise_decomposition(sim, c("X", "Y")), class = "fireflip_warning_reporters")
  alone <- expect_silent(noise_decomposition(cells, c("X", "Z")))
  expect_true(all(alone$extrinsic_lower < 0 & alone$extrinsic_upper > 0)) # independent
  for (bad in list(c("X", "Q"), "X", c("X", "X"), 1:2)) {
    expect_error(noise_decomposition(cells, bad), class = "fireflip_error_argument")
  }
  one <- cells[c("trajectory", "time", "X")]
  expect_error(noise_decomposition(one, c("X", "Y")), "names \"Y\", which the result", class = "fireflip_error_argument")
  expect_error(noise_decomposition(cells), "found nothing", class = "fireflip_error_argument")
  expect_error(noise_decomposition(simulate(net, nsim = 50, times = 1, seed = 1), c("X", "Z")), "without covariances")
  expect_error(noise_decomposition(1), class = "fireflip_error_argument")
  # trajectories that stop have their last state at the end
  stopped <- simulate(net, nsim = 200, times = 5, output = "final", until = "X + Z >= 8", seed = 1)
  last <- simulate(net, nsim = 200, times = 5, output = "trajectories", until = "X + Z >= 8", seed = 1)
  expect_equal(plain_frame(noise_decomposition(stopped, c("X", "Z"))), plain_frame(noise_decomposition(last, c("X", "Z"))))
})

test_that("variables have noise, too", {
  net <- reaction_network("0 -> A" = 4, "A -> 0" = 1, "0 -> B" = 4, "B -> 0" = 1, variables = c(sum = "A + B", gap = "A - B - 9"))
  found <- noise(simulate(net, nsim = 3000, times = 9, observe = c("sum", "gap"), seed = 1))
  expect_true(found$fano_lower[[1L]] < 1 && 1 < found$fano_upper[[1L]]) # a Poisson distribution
  expect_identical(is.na(found$fano), c(FALSE, TRUE)) # a mean below 0
})

test_that("the parts of a sweep follow the law of total variance", {
  net <- reaction_network("0 -> P" = mass_action("k"), "P -> 0" = 1, "0 -> Q" = 3, parameters = c(k = 1))
  k <- c(5, 10, 20, 40)
  sweep <- sweep_parameters(net, data.frame(k = k), nsim = 4000, times = c(1, 9), seed = 1)
  weights <- c(1, 2, 2, 1)
  found <- noise_decomposition(sweep, settings = "all", weights = weights, confidence = 0.9999)
  w <- weights / 6
  for (time in c(1, 9)) {
    mean <- k * (1 - exp(-time)) # of Poisson distributions
    row <- found[found$time == time & found$species == "P", ]
    truth <- c(sum(w * mean), sum(w * (mean - sum(w * mean))^2)) / sum(w * mean)^2
    expect_true(all(unlist(row[paste0(noise_parts, "_lower")]) < c(truth, sum(truth))))
    expect_true(all(unlist(row[paste0(noise_parts, "_upper")]) > c(truth, sum(truth))))
    expect_lt(row$extrinsic_upper - row$extrinsic_lower, 0.1 * truth[[2L]])
  }
  same <- found[found$species == "Q", ] # does not depend on k
  expect_identical(same$extrinsic_lower, c(0, 0))
  expect_true(all(same$extrinsic_upper < 0.02 * same$total))
  expect_true(all(is.na(noise_decomposition(sweep)$total_lower))) # four settings are too few for a sample
  common <- sweep_parameters(net, data.frame(k = k), nsim = 50, times = 1, seed = 1, common = TRUE)
  expect_error(noise_decomposition(common), "same random numbers", class = "fireflip_error_argument")
  final <- sweep_parameters(net, data.frame(k = k), nsim = 5, times = 1, seed = 1, output = "final")
  expect_error(noise_decomposition(final), "\"final\"", class = "fireflip_error_argument")
  expect_error(noise_decomposition(sweep, weights = 1:4), "with \"sample\"", class = "fireflip_error_argument")
  expect_error(noise_decomposition(sweep, settings = "all", weights = 1:3), class = "fireflip_error_argument")
  expect_error(noise_decomposition(sweep, settings = "all", weights = c(0, 0, 0, -1)), class = "fireflip_error_argument")
})

test_that("intervals of the parts of a sweep hold the exact values", {
  # with a Poisson distribution in each setting, whose mean is gamma distributed: intrinsic 1 / mean, extrinsic 1 / shape
  set.seed(5)
  runs <- 400
  coverage <- function(shape, mean, settings, nsim) {
    theta <- matrix(stats::rgamma(settings * runs, shape, scale = mean / shape), settings)
    all <- vapply(seq_len(runs), function(i) {
      x <- matrix(stats::rpois(nsim * settings, rep(theta[, i], each = nsim)), nsim)
      unlist(sampled_settings(moments_of(x), nsim, 0.95))
    }, numeric(10))
    truth <- c(intrinsic = 1 / mean, extrinsic = 1 / shape, total = 1 / mean + 1 / shape)
    vapply(noise_parts, function(part) held(list(all[paste0(part, "_lower"), ], all[paste0(part, "_upper"), ]), truth[[part]]), 0)
  }
  # in 600 samples the coverage was 0.933 to 0.972
  expect_gt(min(coverage(4, 20, 30, 60)), least(0.93, runs))
  expect_gt(min(coverage(1e4, 20, 20, 60)), least(0.93, runs)) # nearly no extrinsic noise
  fixed <- vapply(seq_len(runs), function(i) {
    x <- matrix(stats::rpois(600, rep(c(5, 10, 20), each = 200)), 200)
    unlist(all_settings(moments_of(x), 200, c(1, 2, 1) / 4, 0.95))
  }, numeric(10))
  truth <- c(11.25, 29.6875, 40.9375) / 11.25^2
  for (i in 1:3) expect_gt(held(list(fixed[3 * i, ], fixed[3 * i + 1, ]), truth[[i]]), least(0.945, runs))
})
