# Implicit tau-leaping. Molecules that react one by one are independent, so a network of such reactions has an exact solution: the
# probabilities of the states of one molecule.

implicit <- "implicit_tau_leaping"

# A <-> B fast, with equal constants, and B -> C slow: the probabilities of A, B and C for a molecule that begins as A
one_molecule <- function(fast, slow, time) {
  moves <- eigen(matrix(c(-fast, fast, fast, -fast - slow), 2L), symmetric = TRUE)
  p <- drop(moves$vectors %*% (exp(moves$values * time) * t(moves$vectors))[, 1L])
  c(A = p[[1L]], B = p[[2L]], C = 1 - sum(p))
}

test_that("slow species of a stiff network have the exact means and deviations", {
  n <- 1000
  for (molecules in c(1000, 1e5)) {
    net <- reaction_network("A <-> B" = c(1e6, 1e6), "B -> C" = 1, initial = c(A = molecules))
    sim <- simulate(net, nsim = n, times = c(0.3, 1, 2), method = implicit, seed = 1)
    for (time in unique(sim$time)) {
      p <- one_molecule(1e6, 1, time)
      now <- sim[sim$time == time, ]
      bound <- 0.03 + 4.5 * sqrt((1 - p) / p / molecules / n) # the tolerance, and standard errors
      expect_true(all(abs(now$mean / (molecules * p) - 1) < bound), info = paste(molecules, time))
      slow <- now$sd[[3L]] / sqrt(molecules * p[["C"]] * (1 - p[["C"]]))
      expect_lt(abs(slow - 1), 0.03 + 4.5 / sqrt(2 * n))
    }
    paths <- simulate(net, nsim = 20, times = seq(0.1, 2, 0.1), method = implicit, output = "trajectories", seed = 1)
    expect_identical(unique(paths$A + paths$B + paths$C), molecules) # the conservation law
  }
})

test_that("implicit leaps damp the fluctuations of fast species as they should", {
  # C -> 0 sets the length of a leap: the tolerance e, and it is an implicit Euler step. L t is 2000 e.
  n <- 2000
  tolerance <- 0.03
  net <- reaction_network("A <-> B" = c(1000, 1000), "C -> 0" = 1, initial = c(A = 500, B = 500, C = 1e5))
  leaps <- 8
  times <- tolerance * (leaps + c(0, 0.5))
  sim <- simulate(net, nsim = n, times = times, method = implicit, tolerance = tolerance, seed = 1)
  end <- sim[sim$time == times[[1L]], ]
  damped <- 250 * 2 / (2 + 2000 * tolerance) + 1 / 6 # 1 / 6: two numbers of firings are rounded
  noise <- 4.5 * sqrt(2 / n)
  expect_lt(abs(end$sd[[1L]]^2 / damped - 1), noise)
  expect_lt(abs(end$mean[[1L]] - 500) / sqrt(damped / n), 4.5)
  expect_lt(abs(end$mean[[3L]] - 1e5 * (1 + tolerance)^-leaps) / (end$sd[[3L]] / sqrt(n)), 4.5)
  # A returns to equilibrium soon after the beginning of a leap: L t is 60
  middle <- sim[sim$time == times[[2L]], ]
  expect_lt(abs(middle$sd[[1L]]^2 / damped - 1), noise)
})

test_that("slow species in equilibrium keep their mean and their fluctuations", {
  # all reactions are in pairs; A is fast, and P is Poisson distributed
  net <- reaction_network("0 -> A" = 1e5, "A -> 0" = 1e3, "A -> A + P" = 0.5, "P -> 0" = 1, initial = c(A = 100))
  n <- 2000
  for (slow in list(NULL, "C -> 0")) {
    more <- reaction_network("0 -> A" = 1e5, "A -> 0" = 1e3, "A -> A + P" = 0.5, "P -> 0" = 1, "C -> 0" = 1e-3,
                             initial = c(A = 100, C = 1000))
    sim <- simulate(if (is.null(slow)) net else more, nsim = n, times = c(2, 5, 9), method = implicit, observe = "P", seed = 1)
    exact <- 50 * (1 - exp(-sim$time))
    expect_lt(max(abs(sim$mean - exact) / (0.03 * exact + 4.5 * sqrt(exact / n))), 1)
    if (is.null(slow)) expect_lt(max(abs(sim$sd / sqrt(exact) - 1)), 0.06 + 4.5 / sqrt(2 * n))
  }
})

test_that("a count of 0 is no obstacle for the derivatives of a formula", {
  net <- reaction_network(
    "A <-> B" = c(1e6, 1e6), "B -> B + C" = "1 / (1 + R^2.5)", "R -> 0" = 1, "C -> 0" = 0.01,
    initial = c(A = 1000, B = 1000, C = 500)
  )
  sim <- simulate(net, nsim = 20, times = 1, method = implicit, seed = 1)
  expect_lt(attr(sim, "run")$events / 20 / 2e9, 1.2)
  expect_lt(abs(sim$mean[[1L]] / 1000 - 1), 0.05)
})

test_that("the equations of nonlinear networks are solved", {
  nets <- list(
    reaction_network("2 A <-> B" = c(1, 1e4), "B -> C" = 1, initial = c(A = 1e5)),
    reaction_network("A + B <-> D" = c(1, 3e4), "D -> B + C" = 2, initial = c(A = 1e5, B = 2e4)),
    reaction_network("A -> B" = "1e6 * A / (1 + A / 3e4)", "B -> A" = "1e6 * B", "B -> C" = 1, initial = c(A = 1e5))
  )
  for (net in nets) {
    limit <- simulate(net, times = c(0.5, 1), method = "ode", output = "trajectories", tolerance = 1e-6, seed = 1)
    sim <- simulate(net, nsim = 20, times = c(0.5, 1), method = implicit, tolerance = 0.01, seed = 1)
    expected <- as.vector(t(as.matrix(as.data.frame(limit)[as.character(net$species$species)])))
    expect_lt(max(abs(sim$mean - expected) / expected), 0.02)
  }
})

test_that("many fast pairs that fluctuate are in equilibrium", {
  pairs <- 40
  number <- seq_len(pairs)
  fast <- stats::setNames(rep(list(c(1e6, 1e6)), pairs), sprintf("A%d <-> B%d", number, number))
  slow <- stats::setNames(rep(list(1), pairs), sprintf("B%d -> C", number))
  initial <- stats::setNames(rep(400, pairs), paste0("A", number))
  net <- do.call(reaction_network, c(fast, slow, list(initial = initial)))
  n <- 20
  sim <- simulate(net, nsim = n, times = 1, method = implicit, observe = "C", seed = 1)
  p <- one_molecule(1e6, 1, 1)[["C"]]
  expect_lt(abs(sim$mean / (400 * pairs * p) - 1), 0.03 + 4.5 * sqrt((1 - p) / p / 400 / pairs / n))
})

test_that("implicit leaps do not depend on threads or times, and count molecules", {
  net <- reaction_network("A <-> B" = c(1e5, 1e5), "B -> C" = 1, "2 C -> A" = 0.01, initial = c(A = 2000))
  run <- function(times, threads) {
    sim <- simulate(net, nsim = 6, times = times, method = implicit, output = "trajectories", threads = threads, seed = 4)
    lapply(c(A = "A", B = "B", C = "C"), function(species) sim[[species]][sim$time == 1.5])
  }
  one <- run(1.5, 1)
  expect_identical(run(c(0.01, 0.7, 1.4999, 1.5, 1.50001, 3), 2), one)
  expect_true(all(one$A == floor(one$A) & one$A >= 0))
})

test_that("networks that are not stiff have the leaps of the explicit method", {
  net <- reaction_network("0 -> A" = 200, "A -> B" = 1, "2 B -> 0" = 0.01)
  run <- function(method) {
    as.data.frame(simulate(net, nsim = 30, times = 1:3, method = method, output = "trajectories", seed = 2))
  }
  expect_identical(run(implicit), run("tau_leaping"))
})

test_that("networks that are too large for the equations are refused", {
  net <- reaction_model("cyclic_chain", species = 257)
  expect_error(simulate(net, times = 1, method = implicit), class = "fireflip_error_unsupported")
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, method = "implicit_tau_leaping")
  })
  fits <- simulate(reaction_model("cyclic_chain", species = 256), nsim = 2, times = 0.01, method = implicit, seed = 1)
  expect_gte(min(fits$min), 0)
})
