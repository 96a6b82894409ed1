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

test_that("fast species keep their means and fluctuations, at the ends of leaps and within them", {
  # C -> 0 sets the length of a leap: the tolerance. A is binomial with variance 250, and its correlation in time is exp(-2000 t).
  n <- 2000
  net <- reaction_network("A <-> B" = c(1000, 1000), "C -> 0" = 1, initial = c(A = 500, B = 500, C = 1e5))
  lags <- c(0, 0.0003, 0.001, 0.03, 0.24)
  for (tolerance in c(0.03, 0.01)) {
    paths <- simulate(
      net, nsim = n, times = 0.2 + lags, method = implicit, tolerance = tolerance, output = "trajectories", seed = 1
    )
    found <- matrix(paths$A, length(lags))
    expect_lt(max(abs(rowMeans(found) - 500)) / sqrt(250 / n), 4.5)
    # rounding adds at most 1 / 6 to the variance
    expect_lt(max(abs(apply(found, 1L, stats::var) / 250 - 1)), 4.5 * sqrt(2 / n) + 1 / 6 / 250)
    expect_lt(max(abs(stats::cor(t(found))[1L, ] - exp(-2000 * lags))), 4.5 / sqrt(n))
    decayed <- matrix(paths$C, length(lags))
    expect_lt(max(abs(rowMeans(decayed) / (1e5 * exp(-0.2 - lags)) - 1)), tolerance)
  }
})

test_that("fast species whose flow drives slow ones have the exact moments within leaps", {
  # all molecules are independent, and 0 -> A brings new ones: Poisson distributions
  net <- reaction_network(
    "0 -> A" = 3e4, "A <-> B" = c(1e5, 1e5), "B -> C" = 1, "Y -> 0" = 0.01, initial = c(A = 1000, B = 1000, Y = 1e4)
  )
  n <- 400
  times <- c(0.001, 0.01, 0.05, 0.1, 0.3)
  sim <- simulate(net, nsim = n, times = times, method = implicit, observe = c("A", "B"), seed = 1)
  exact <- as.data.frame(simulate(net, times = times, method = "ode", output = "trajectories", tolerance = 1e-6))
  expected <- as.vector(t(as.matrix(exact[c("A", "B")])))
  expect_lt(max(abs(sim$mean - expected) / (4.5 * sim$sd / sqrt(n) + 0.001 * expected)), 1)
  # P follows A, which fluctuates: the variance of P is that of a network of first order
  net <- reaction_network(
    "0 -> A" = 1e5, "A -> 0" = 1e3, "A -> A + P" = 1000, "P -> 0" = 1, "Y -> 0" = 1e-4, initial = c(A = 100, P = 1e5, Y = 1e4)
  )
  sim <- simulate(net, nsim = n, times = 5, method = implicit, observe = "P", seed = 1)
  expect_lt(abs(sim$mean / 1e5 - 1), 0.03)
  expect_lt(abs(sim$sd / sqrt(1e5 + 1e8 * 1000 / 1001 / 1000 * (1 - exp(-10))) - 1), 0.03 + 4.5 / sqrt(2 * n))
})

test_that("leaps do not jump over an escape from an unstable equilibrium", {
  # the production equals the decay at 181 molecules, and one more molecule increases it by more than the decay
  rates <- list("0 -> A" = "1000 * (20 + 400 * A^4 / (200^4 + A^4))", "A -> 0" = 1000)
  exact <- as.data.frame(
    chemical_master_equation(do.call(reaction_network, c(rates, list(initial = c(A = 181)))), times = 0.004, tolerance = 1e-6),
    what = "moments"
  )
  net <- do.call(reaction_network, c(rates, list("Y -> 0" = 1, initial = c(A = 181, Y = 1e5))))
  n <- 400
  sim <- simulate(net, nsim = n, times = 0.004, method = implicit, observe = "A", seed = 1)
  expect_lt(abs(sim$mean - exact$mean), 4.5 * exact$sd / sqrt(n) + 0.03 * exact$mean)
  expect_lt(abs(sim$sd / exact$sd - 1), 0.05 + 4.5 / sqrt(2 * n))
})

test_that("leaps do not jump over slow relaxation of balanced reactions", {
  # births and deaths that are nearly equal: the mean decays at the rate 1, beside Y, which is slow
  net <- reaction_network("A -> 2 A" = 100, "A -> 0" = 101, "Y -> 0" = 0.01, initial = c(A = 1e5, Y = 1e4))
  n <- 100
  sim <- simulate(net, nsim = n, times = c(0.3, 1), method = implicit, observe = "A", seed = 1)
  exact <- 1e5 * exp(-sim$time)
  sd <- sqrt(201 * exact * (1 - exp(-sim$time)))
  expect_lt(max(abs(sim$mean - exact) / (0.03 * exact + 4.5 * sd / sqrt(n))), 1)
  # diffusion among 10 places: neighbours are nearly in equilibrium, but the slowest mode is not
  places <- 10
  i <- seq_len(places - 1)
  moves <- stats::setNames(rep(list(c(1000, 1000)), places - 1), sprintf("X%d <-> X%d", i, i + 1))
  mode <- cos(pi * (seq_len(places) - 0.5) / places)
  start <- round(1e4 + 1500 * mode)
  initial <- c(stats::setNames(start, paste0("X", seq_len(places))), Y = 1e4)
  net <- do.call(reaction_network, c(moves, list("Y -> 0" = 0.01, initial = initial)))
  rate <- 2000 * (1 - cos(pi / places))
  n <- 20
  for (time in c(1, 20) / rate) {
    sim <- simulate(net, nsim = n, times = time, method = implicit, observe = paste0("X", seq_len(places)), seed = 1)
    expect_lt(max(abs(sim$mean - 1e4 - 1500 * mode * exp(-rate * time))), 4.5 * sqrt(1e4 * 1.15 / n) + 0.01 * 1e4)
  }
  expect_lt(abs(mean(sim$sd^2) / (1e4 * 0.9) - 1), 4.5 * sqrt(2 / (places - 1) / n)) # a multinomial distribution
})

test_that("nonlinear pairs fluctuate as they should", {
  # 2 A <-> B, fast beside Y
  fast <- list("2 A <-> B" = c(5, 500), initial = c(A = 200, B = 100))
  times <- c(0.05, 0.5)
  alone <- do.call(reaction_network, fast)
  exact <- as.data.frame(chemical_master_equation(alone, times = times, tolerance = 1e-6), what = "moments")
  fast[["Y -> 0"]] <- 0.01
  fast$initial <- c(fast$initial, Y = 1e5)
  n <- 2000
  sim <- simulate(do.call(reaction_network, fast), nsim = n, times = times, method = implicit, observe = c("A", "B"), seed = 1)
  exact <- exact[match(paste(sim$time, sim$species), paste(exact$time, exact$species)), ]
  expect_lt(max((abs(sim$mean - exact$mean) - 4.5 * exact$sd / sqrt(n)) / exact$mean), 0.01)
  expect_lt(max(abs(sim$sd / exact$sd - 1)), 0.03 + 4.5 / sqrt(2 * n))
})

test_that("slow species in equilibrium keep their mean and their fluctuations", {
  # all reactions are in pairs; A is fast, and P is Poisson distributed
  net <- reaction_network("0 -> A" = 1e5, "A -> 0" = 1e3, "A -> A + P" = 0.5, "P -> 0" = 1, initial = c(A = 100))
  n <- 500
  for (slow in list(NULL, "C -> 0")) {
    more <- reaction_network("0 -> A" = 1e5, "A -> 0" = 1e3, "A -> A + P" = 0.5, "P -> 0" = 1, "C -> 0" = 1e-3,
                             initial = c(A = 100, C = 1000))
    sim <- simulate(if (is.null(slow)) net else more, nsim = n, times = c(2, 5, 9), method = implicit, observe = "P", seed = 1)
    exact <- 50 * (1 - exp(-sim$time))
    expect_lt(max(abs(sim$mean - exact) / (0.03 * exact + 4.5 * sqrt(exact / n))), 1)
    if (is.null(slow)) expect_lt(max(abs(sim$sd / sqrt(exact) - 1)), 0.06 + 4.5 / sqrt(2 * n))
  }
})

test_that("the number of events is that of the firings, though the propensities of a pair fluctuate", {
  net <- reaction_network("A <-> B" = c(1e5, 1e5), "B -> C" = 1, initial = c(A = 500))
  sim <- simulate(net, nsim = 100, times = 1, method = implicit, seed = 1)
  expected <- 1e5 * 500 * 2 * (1 - exp(-0.5))
  expect_lt(abs(attr(sim, "run")$events / 100 / expected - 1), 0.02) # 0.04 too many if firings make up for fluctuations
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
    reaction_network("2 A + E <-> B + E" = c(1e-2, 1e2), "B -> C" = 1, initial = c(A = 1e5, E = 100))
  )
  for (net in nets) {
    limit <- simulate(net, times = c(0.5, 1), method = "ode", output = "trajectories", tolerance = 1e-6, seed = 1)
    sim <- simulate(net, nsim = 20, times = c(0.5, 1), method = implicit, tolerance = 0.01, seed = 1)
    expected <- as.vector(t(as.matrix(as.data.frame(limit)[as.character(net$species$species)])))
    expect_lt(max(abs(sim$mean - expected) / expected), 0.02)
  }
})

test_that("fast reactions that are no reversible pair are not jumped over", {
  # two stable states (Schloegl 1972), alone and beside a slow species
  fast <- list("2 X -> 3 X" = 3, "3 X -> 2 X" = 0.01, "0 -> X" = 2e4, "X -> 0" = 350, initial = c(X = 560))
  exact <- as.data.frame(
    chemical_master_equation(do.call(reaction_network, fast), times = 0.02, tolerance = 1e-6), what = "moments"
  )
  fast[["Y -> 0"]] <- 0.01
  fast$initial <- c(X = 560, Y = 1e5)
  n <- 400
  sim <- simulate(do.call(reaction_network, fast), nsim = n, times = 0.02, method = implicit, observe = "X", seed = 1)
  expect_lt(abs(sim$mean - exact$mean), 0.03 * exact$mean + 4.5 * exact$sd / sqrt(n))
  expect_lt(abs(sim$sd / exact$sd - 1), 0.06 + 4.5 / sqrt(2 * n))
  # S is regulated through A, which is fast: the numbers of both are Poisson distributed but for some 1 / 200
  net <- reaction_network(
    "0 -> S" = 1e4, "S -> 0" = "A", "S -> S + A" = 200, "A -> 0" = 200, initial = c(S = 1e4, A = 1e4)
  )
  n <- 100
  sim <- simulate(net, nsim = n, times = 4, method = implicit, observe = "S", seed = 1)
  expect_lt(abs(sim$mean - 1e4), 0.03 * 1e4)
  expect_lt(abs(sim$sd / 100 - 1), 0.06 + 0.005 + 4.5 / sqrt(2 * n))
})

test_that("slow reactions have the mean of a rate that is no mass action", {
  hill <- function(a) a^8 / (80^8 + a^8)
  net <- reaction_network(
    "0 -> A" = 4e4, "A -> 0" = 1e3, "0 -> P" = "1e4 * A^8 / (80^8 + A^8)", "Y -> 0" = 0.1, initial = c(A = 40, Y = 1e5)
  )
  n <- 100
  sim <- simulate(net, nsim = n, times = 1, method = implicit, observe = "P", seed = 1)
  expected <- 1e4 * sum(dpois(0:400, 40) * hill(0:400))
  expect_lt(abs(sim$mean - expected), 0.03 * expected + 4.5 * sim$sd / sqrt(n))
})

test_that("critical reactions fire as the equilibrium of fast species says", {
  # A relaxes from 75 to 100 in 1e-5, and G fires at the rate A / 100
  net <- reaction_network(
    "0 -> A" = 1e7, "A -> 0" = 1e5, "A + G -> A + H" = 0.01, "Y -> 0" = 0.1, initial = c(A = 75, G = 1, Y = 1e5)
  )
  n <- 4000
  times <- c(0.05, 0.2, 1)
  sim <- simulate(net, nsim = n, times = times, method = implicit, observe = "H", seed = 1)
  p <- 1 - exp(-times)
  expect_lt(max(abs(sim$mean - p) / (4.5 * sqrt(p * (1 - p) / n) + 0.03 * p)), 1)
})

test_that("leaps that lead to a count just too small for the next one happen as often as they should", {
  # A + B is Poisson distributed with mean 72. A leap begins with at least 34 of each. All propensities are linear, so leaps keep
  # the mean of an equilibrium: the bound is a third of the tolerance, and standard errors.
  net <- reaction_network(
    "A <-> B" = c(1500, 1500), "0 -> A" = 72, "A -> 0" = 2, initial = c(A = 36, B = 36), variables = c(total = "A + B")
  )
  n <- 500
  sim <- simulate(net, nsim = n, times = 3, method = implicit, observe = "total", seed = 1)
  expect_lt(abs(sim$mean - 72), 0.01 * 72 + 4.5 * sqrt(72 / n))
})

test_that("reactions that need many molecules of a fast species are not jumped over", {
  # B is binomial with mean 40, and P grows only while there are 36 of it
  net <- reaction_network(
    "A <-> B" = c(1000, 1000), "36 B -> 36 B + P" = "500 + 0 * Z", "Y -> 0" = 0.1, initial = c(A = 40, B = 40, Y = 1e4, Z = 1)
  )
  n <- 20
  sim <- simulate(net, nsim = n, times = 1, method = implicit, observe = "P", seed = 1)
  expected <- 500 * pbinom(35, 80, 0.5, lower.tail = FALSE)
  expect_lt(abs(sim$mean - expected), 0.03 * expected + 4.5 * sim$sd / sqrt(n))
})

test_that("slow reactions have the mean rates of fast species, wherever their leaps begin", {
  # a leap begins only if A1 (mean 31) has at least 34 molecules; then A2 has fewer than on average
  net <- reaction_network(
    "A1 <-> A2" = c(9000, 4800), "A2 <-> A3" = c(2700, 3600), "A3 <-> A4" = c(2000, 1200), "A2 + P -> 2 Q" = 0.013,
    "P -> A4" = 0.7, "A3 -> A3 + P" = 0.33, "P -> 0" = 0.33, initial = c(A1 = 17, A2 = 64, A3 = 75, A4 = 57, P = 26, Q = 3)
  )
  # the same with one pool of molecules A, which are in equilibrium at all times
  share <- cumprod(c(1, 9000 / 4800, 2700 / 3600, 2000 / 1200))
  share <- share / sum(share)
  pool <- reaction_network(
    "A + P -> 2 Q" = 0.013 * share[[2L]], "P -> A" = 0.7, "A -> A + P" = 0.33 * share[[3L]], "P -> 0" = 0.33,
    initial = c(A = 213, P = 26, Q = 3)
  )
  n <- 2000
  times <- c(0.1, 0.3, 1)
  exact <- simulate(pool, nsim = 10 * n, times = times, method = "direct", observe = c("P", "Q"), seed = 2)
  sim <- simulate(net, nsim = n, times = times, method = implicit, observe = c("P", "Q"), seed = 1)
  expect_lt(max(abs(sim$mean - exact$mean) / (4.5 * exact$sd * sqrt(1.1 / n) + 0.01 * exact$mean)), 1)
  expect_lt(max(abs(sim$sd / exact$sd - 1)), 0.03 + 4.5 * sqrt(1.1 / 2 / n))
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
