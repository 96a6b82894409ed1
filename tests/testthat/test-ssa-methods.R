# Methods of simulation: what each of them needs, and what the help page says about it.

test_that("partial-propensity methods refuse other laws by name", {
  three <- reaction_network("A -> B" = 1, "3 B -> A" = 2, initial = c(A = 9))
  law <- reaction_network("A -> B" = "A / (1 + A)", initial = c(A = 9))
  for (method in c("pdm", "spdm", "pssa_cr")) {
    refused <- "fireflip_error_unsupported"
    expect_error(simulate(three, times = 1, method = method), "reaction \"R2\" is not mass action", class = refused)
    expect_error(simulate(law, times = 1, method = method), "reaction \"R1\" is not mass action", class = refused)
  }
  expect_snapshot(error = TRUE, {
    simulate(three, times = 1, method = "pdm")
  })
})

test_that("methods agree on larger networks", {
  # the mean count of each species, against the logarithmic direct method: two samples of equal size
  nets <- list(
    list(reaction_model("colloid", species = 24), 0.5), list(reaction_model("sir_ring", regions = 60), 3),
    list(reaction_model("random", species = 200, reactions = 300, seed = 2), 1e-3),
    list(reaction_model("aggregation", copies = 20, shared = TRUE, seed = 1), 0.2),
    list(reaction_model("multisite"), 0.005), list(reaction_model("multistate"), 0.1),
    list(reaction_model("cyclic_chain", species = 100), 5), list(example_model("viral_infection"), 20),
    list(example_model("decay_dimerisation"), 1e-4)
  )
  exact <- ssa_methods()$method[ssa_methods()$exact]
  for (one in nets) {
    run <- function(method, seed) {
      simulate(one[[1L]], nsim = 200, times = one[[2L]], method = method, seed = seed)
    }
    reference <- run("logarithmic_direct", 1)
    z <- double()
    for (method in setdiff(exact, c("direct", "logarithmic_direct"))) { # these two have the same trajectories
      sim <- tryCatch(run(method, 2 + length(z)), fireflip_error_unsupported = function(e) NULL)
      if (is.null(sim)) next
      spread <- sqrt((sim$sd^2 + reference$sd^2) / 200)
      z <- c(z, max(ifelse(spread > 0, abs(sim$mean - reference$mean) / spread, 0)))
    }
    # family-wise 1e-3 over species and methods, with a factor of 1.5 for distributions that are not normal
    expect_lt(max(z), 1.5 * stats::qnorm(1 - 1e-3 / 2 / length(z) / nrow(reference)))
  }
})

test_that("methods do not depend on threads or times", {
  net <- reaction_model("sir_ring", regions = 5)
  for (method in ssa_methods()$method) {
    run <- function(times, threads) {
      sim <- simulate(net, nsim = 12, times = times, method = method, output = "trajectories", threads = threads, seed = 4)
      as.data.frame(sim)[sim$time == 8, -1]
    }
    one <- run(8, 1)
    many <- run(c(0.01, 1.7, 3, 5, 8), 2)
    rownames(one) <- rownames(many) <- NULL
    expect_identical(many, one, info = method)
  }
})

test_that("propensities below the least normal number are chosen by their share", {
  net <- reaction_network("A -> B" = 4e-324, "A -> C" = 8e-324, "A -> D" = 1e-309, initial = c(A = 1))
  for (method in ssa_methods()$method[ssa_methods()$exact]) {
    sim <- simulate(net, nsim = 3, times = 1e300, method = method, seed = 1)
    expect_equal(sim$mean, c(1, 0, 0, 0), info = method)
  }
  large <- reaction_network("A -> B" = 4e-310, "A -> C" = 8e-310, initial = c(A = 2^39))
  for (method in c("direct", "composition_rejection", "rssa_cr", "pssa_cr")) {
    sim <- simulate(large, nsim = 200, times = 1e300, method = method, seed = 1)
    share <- sim$mean[3] / (sim$mean[2] + sim$mean[3])
    expect_true(sim$mean[2] > 0 && abs(share - 2 / 3) < 4.5 * sqrt(2 / 9 / (200 * (sim$mean[2] + sim$mean[3]))), info = method)
  }
})

# ---- tau-leaping ------------------------------------------------------------------------------------------------------------

test_that("leaps of a decay are Euler steps, and their error shrinks with the tolerance", {
  # A leap takes the time in which the mean changes by the tolerance e: e / 1. So the mean after time 1 is (1 - e)^(1 / e).
  net <- reaction_network("A -> 0" = 1, initial = c(A = 1e5))
  tolerances <- c(0.5, 0.2, 0.1, 0.05, 0.02)
  error <- vapply(tolerances, function(tolerance) {
    sim <- simulate(net, nsim = 400, times = c(0.33, 1), method = "tau_leaping", tolerance = tolerance, seed = 1)
    expect_lt(abs(sim$mean[[2L]] - 1e5 * (1 - tolerance)^(1 / tolerance)) / (sim$sd[[2L]] / 20), 4.5)
    abs(sim$mean[[2L]] - 1e5 * exp(-1))
  }, 0)
  expect_true(all(diff(error) < 0))
  # the state within a leap does not depend on the other times
  at <- function(times, threads) {
    sim <- simulate(
      net, nsim = 8, times = times, method = "tau_leaping", tolerance = 0.5, output = "trajectories", threads = threads, seed = 2
    )
    sim$A[sim$time == 0.7]
  }
  one <- at(0.7, 1)
  expect_identical(at(c(0.1, 0.501, 0.6999, 0.7, 0.70001, 3), 2), one)
  expect_gt(length(unique(one)), 4L)
  default <- simulate(net, nsim = 20, times = 1, method = "tau_leaping", seed = 1)
  expect_identical(
    as.data.frame(simulate(net, nsim = 20, times = 1, method = "tau_leaping", tolerance = 0.03, seed = 1)), as.data.frame(default)
  )
})

test_that("the moments of tau-leaping are near the exact ones", {
  nets <- list(
    list(reaction_network("0 -> A" = 200, "A -> 0" = 1), c(0.5, 2)),
    list(reaction_network("2 A <-> B" = c(0.005, 1), initial = c(A = 400)), c(0.2, 1)),
    list(reaction_network("A -> B" = "300 * A / (200 + A)", "B -> A" = 0.5, initial = c(A = 400)), c(0.5, 2)),
    list(reaction_network("A + B -> C" = 0.01, "C -> A + B" = 1, initial = c(A = 300, B = 200)), c(0.2, 1))
  )
  n <- 2000
  for (one in nets) {
    exact <- as.data.frame(chemical_master_equation(one[[1L]], one[[2L]]), what = "moments")
    sim <- simulate(one[[1L]], nsim = n, times = one[[2L]], method = "tau_leaping", seed = 1)
    exact <- exact[match(paste(sim$time, sim$species), paste(exact$time, exact$species)), ]
    # the default tolerance is 0.03: means are within it, beyond 4.5 standard errors
    expect_lt(max((abs(sim$mean - exact$mean) - 4.5 * exact$sd / sqrt(n)) / exact$mean), 0.03)
    expect_lt(max(abs(sim$sd / exact$sd - 1)), 0.03 + 4.5 / sqrt(2 * n)) # a normal distribution's sd has this standard error
  }
})

test_that("tau-leaping makes few leaps, and no count negative", {
  net <- reaction_network("0 -> A" = 50, "A -> 0" = 5, "A + B -> B" = 0.5, "0 -> B" = 20, "B -> 0" = 0.7, "2 B -> A" = 0.02)
  sim <- simulate(net, nsim = 200, times = seq(0, 3, 0.01), method = "tau_leaping", tolerance = 0.3, seed = 1)
  expect_gte(min(sim$min), 0)
  exhausted <- simulate(
    reaction_network("A -> B" = 1, "A + B -> 0" = 0.01, initial = c(A = 5000)), nsim = 50, times = 1:30,
    method = "tau_leaping", tolerance = 0.2, seed = 1
  )
  expect_identical(exhausted$max[exhausted$time == 30 & exhausted$species == "A"], 0)
  expect_gte(min(exhausted$min), 0)
})

test_that("leaps and steps are shorter than the relaxation of the counts", {
  # For immigration and death, a step of 2 tolerances multiplies the variance by 1 / (1 - tolerance), if nothing else limits it.
  n <- 4000
  for (method in c("tau_leaping", "langevin")) for (count in c(1e3, 1e5, 1e7)) {
    net <- reaction_network("0 -> A" = count, "A -> 0" = 1, initial = c(A = count))
    for (tolerance in c(0.03, 0.2)) {
      sim <- simulate(net, nsim = n, times = 4, method = method, tolerance = tolerance, seed = 1)
      variance <- sim$sd^2 / (count * (1 - exp(-8)))
      expect_lt(variance, 1 / (1 - tolerance) + 4.5 * sqrt(2 / n) / (1 - tolerance))
      expect_gt(variance, 1 - 4.5 * sqrt(2 / n))
    }
  }
})

test_that("molecules that a leap makes react within it", {
  # A leap in which B may change by one molecule could be 100 times as long as B lives; Z makes events so many that leaps pay.
  net <- reaction_network("0 -> B" = 0.01, "B -> 0" = 1, "0 -> Z" = 1e4)
  n <- 2000
  for (method in c("tau_leaping", "implicit_tau_leaping")) {
    sim <- simulate(net, nsim = n, times = c(5, 50), method = method, observe = "B", seed = 1)
    expect_lt(max(abs(sim$mean - 0.01)), 4.5 * sqrt(0.01 / n))
  }
  # in a toggle switch, one species is absent and comes back
  toggle <- example_model("toggle_reactions")
  exact <- as.data.frame(chemical_master_equation(toggle, times = 20, tolerance = 1e-6), what = "moments")
  n <- 500
  for (method in c("tau_leaping", "implicit_tau_leaping")) {
    sim <- simulate(toggle, nsim = n, times = 20, method = method, seed = 1)
    expect_lt(max(abs(sim$mean - exact$mean) / (exact$sd / sqrt(n))), 4.5)
    expect_lt(max(abs(sim$sd / exact$sd - 1)), 0.03 + 4.5 / sqrt(2 * n))
  }
})

test_that("counts that are too large within a leap are refused", {
  # the first leap or step of these goes beyond 2^40, and the last time is within it
  leap <- reaction_network("0 -> A" = 1e14)
  step <- reaction_network("0 -> A" = 1e14, initial = c(A = 1e12))
  refused <- function(net, time, method, message) {
    expect_error(simulate(net, times = time, method = method), class = "fireflip_error", message)
  }
  for (method in c("tau_leaping", "implicit_tau_leaping"))
    refused(leap, 0.015, method, "species .A. exceeds 2\\^40 at time 0.015")
  refused(step, 0.005, "langevin", "species .A. exceeds 2\\^40 at time 0.005")
  expect_lt(simulate(leap, times = 0.01, method = "tau_leaping", seed = 1)$mean, 2^40)
})

# ---- real counts ------------------------------------------------------------------------------------------------------------

test_that("the deterministic limit agrees with closed forms", {
  solve <- function(net, times, ...) simulate(net, times = times, method = "ode", output = "trajectories", seed = 1, ...)
  times <- c(0, 0.01, 0.5, 1, 3, 10)
  near <- function(found, exact, tolerance = 1e-6) expect_lt(max(abs(found - exact) / (1 + exact)), tolerance)
  near(solve(reaction_network("A -> 0" = 0.7, initial = c(A = 1000)), times)$A, 1000 * exp(-0.7 * times))
  near(solve(reaction_network("0 -> A" = 5, "A -> 0" = 2), times)$A, 2.5 * (1 - exp(-2 * times)))
  near(solve(reaction_network("2 A -> B" = 0.01, initial = c(A = 300)), times)$A, 300 / (1 + 3 * times))
  near(solve(reaction_network("3 A -> B" = 1e-4, initial = c(A = 100)), times)$A, 1 / sqrt(1e-4 + 1e-4 * times))
  # logistic growth, and a law with a constant rate that ends when A is used up
  logistic <- reaction_network("A -> 2 A" = 1, "2 A -> A" = 0.02, initial = c(A = 2))
  near(solve(logistic, times)$A, 100 / (1 + 49 * exp(-times)))
  constant <- reaction_network("A -> B" = "4 * (A > 0)", initial = c(A = 10))
  near(solve(constant, c(1, 2, 5))$A, c(6, 2, 0))
  michaelis <- solve(reaction_network("A -> B" = "20 * A / (5 + A)", initial = c(A = 50)), times[1:5])
  expect_lt(max(abs(michaelis$A + 5 * log(michaelis$A / 50) + 20 * times[1:5] - 50)), 1e-5) # the implicit solution
  # the error follows the tolerance, and the grid does not matter
  error <- vapply(c(1e-2, 1e-4, 1e-6, 1e-8), function(tolerance) {
    abs(solve(logistic, 5, tolerance = tolerance)$A - 100 / (1 + 49 * exp(-5)))
  }, 0)
  expect_true(all(diff(error) < 0))
  expect_identical(solve(logistic, c(0.1, 0.5, 2, 5))$A[[4L]], solve(logistic, 5)$A)
})

test_that("the deterministic limit is right where it begins slowly", {
  solve <- function(net, times) simulate(net, times = times, method = "ode", output = "trajectories")
  times <- c(5, 10, 20)
  slow <- reaction_network("0 -> T" = 1e-17, "B -> C" = "B * (1e17 * T)^4 / (10^4 + (1e17 * T)^4)", initial = c(B = 100))
  exact <- 100 * exp(-vapply(times, function(t) stats::integrate(function(s) s^4 / (1e4 + s^4), 0, t, rel.tol = 1e-10)$value, 0))
  expect_lt(max(abs(solve(slow, times)$B - exact)), 1e-5)
  # whole counts at a fixed point that is not stable: the slopes are errors of rounding, and then a limit cycle
  brusselator <- reaction_network(
    "0 -> X" = 70, "2 X + Y -> 3 X" = 6e-4, "X -> Y" = 2.94, "X -> 0" = 1, initial = c(X = 70, Y = 140)
  )
  expect_equal(solve(brusselator, c(1, 10))$X, c(70, 70), tolerance = 1e-6)
  cycle <- range(solve(brusselator, seq(200, 300, 0.1))$X)
  expect_equal(cycle, range(solve(set_initial(brusselator, c(X = 71)), seq(200, 300, 0.1))$X), tolerance = 0.01)
  # a rate that jumps long after its slow cause began
  for (k in c(1e-6, 1e-9, 1e-12, 1e-15)) {
    jump <- reaction_network("0 -> A" = k, "0 -> B" = sprintf("if(A > %.17g, 100, 0)", 500 * k))
    near <- 500 + seq(-1e-6, 1e-6, length.out = 41)
    found <- solve(jump, near)$B
    expect_gte(min(found), 0)
    expect_lt(max(abs(found - pmax(0, 100 * (near - 500)))), 1e-5)
  }
})

test_that("equations without a solution are refused", {
  expect_error(
    simulate(reaction_network("A -> 2 A" = "A * A * 0.1", initial = c(A = 5)), times = 10, method = "ode", output = "final"),
    class = "fireflip_error"
  )
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> 0" = "sqrt(A - 3)", initial = c(A = 2)), times = 1, method = "ode", output = "final")
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("A -> 0" = 1, initial = c(A = 2)), times = 1, method = "langevin", output = "histogram")
  })
})

test_that("the moments of the Langevin equation are near the exact ones", {
  n <- 2000
  # for linear propensities, the moments of the equation are the exact ones
  nets <- list(
    list(reaction_network("0 -> A" = 200, "A -> 0" = 1), c(0.5, 2)),
    list(reaction_network("A <-> B" = c(1, 2), initial = c(A = 400)), c(0.2, 1))
  )
  for (one in nets) {
    exact <- as.data.frame(chemical_master_equation(one[[1L]], one[[2L]]), what = "moments")
    sim <- simulate(one[[1L]], nsim = n, times = one[[2L]], method = "langevin", output = "trajectories", seed = 1)
    for (row in seq_len(nrow(exact))) {
      x <- sim[[exact$species[[row]]]][sim$time == exact$time[[row]]]
      expect_lt((abs(mean(x) - exact$mean[[row]]) - 4.5 * exact$sd[[row]] / sqrt(n)) / exact$mean[[row]], 0.03)
      expect_lt(abs(stats::sd(x) / exact$sd[[row]] - 1), 0.03 + 4.5 / sqrt(2 * n))
      expect_gte(min(x), 0)
    }
  }
  # without propensities that change, one step reaches any time, and the path within it is Brownian motion
  free <- simulate(
    reaction_network("0 -> A" = 1e4), nsim = n, times = c(1, 2, 4), method = "langevin", output = "trajectories", seed = 1
  )
  increment <- matrix(free$A, 3L)
  increment <- rbind(increment[1L, ], increment[2L, ] - increment[1L, ], increment[3L, ] - increment[2L, ])
  expect_lt(max(abs(rowMeans(increment) - 1e4 * c(1, 1, 2)) / sqrt(1e4 * c(1, 1, 2) / n)), 4.5)
  expect_lt(max(abs(apply(increment, 1L, stats::sd) / sqrt(1e4 * c(1, 1, 2)) - 1)), 4.5 / sqrt(2 * n))
  expect_lt(max(abs(stats::cor(t(increment))[upper.tri(diag(3L))])), 4.5 / sqrt(n))
})

test_that("a tolerance is for approximate methods only", {
  net <- reaction_network("A -> 0" = 1, initial = c(A = 5))
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, tolerance = 0.1)
  })
  expect_snapshot(error = TRUE, {
    simulate(net, times = 1, method = "tau_leaping", tolerance = 0)
  })
})

test_that("counts that are not whole have statistics", {
  net <- reaction_network("A <-> B" = c(1, 0.5), initial = c(A = 120))
  run <- function(...) simulate(net, nsim = 40, times = c(0.5, 2), method = "langevin", seed = 1, ...)
  paths <- run(output = "trajectories")
  sim <- run(threads = 2)
  expect_equal(sim$mean[sim$species == "A"], unname(vapply(split(paths$A, paths$time), mean, 0)))
  expect_equal(sim$sd[sim$species == "A"], unname(vapply(split(paths$A, paths$time), stats::sd, 0)), tolerance = 1e-6)
})

test_that("a sweep passes the tolerance on", {
  net <- reaction_network("A -> B" = 1, initial = c(A = 1e5))
  sweep <- function(...) sweep_parameters(
    net, data.frame(A = 1e5), nsim = 3, times = 1, method = "tau_leaping", observe = "B", output = "final", seed = 1, ...
  )
  fine <- sweep(tolerance = 0.003)
  same <- simulate(
    net, nsim = 3, times = 1, method = "tau_leaping", output = "final", tolerance = 0.003, seed = attr(fine, "run")$seeds
  )
  expect_identical(fine$B, same$B)
  expect_false(identical(fine$B, sweep()$B))
})

test_that("differential equations are solved once, which is said", {
  net <- reaction_network("A <-> B" = c(1, 0.5), initial = c(A = 120))
  run <- function(nsim, ...) simulate(net, nsim = nsim, times = c(0.5, 2), method = "ode", seed = 1, ...)
  expect_message(sim <- run(40), "the result has one instead of 40", class = "fireflip_message_method")
  expect_identical(plain_frame(sim), plain_frame(run(1)))
  expect_identical(run_size(attr(sim, "run")), 1)
  expect_message(paths <- run(3, output = "trajectories"), class = "fireflip_message_method")
  expect_identical(paths$trajectory, c(1L, 1L))
  expect_equal(sim$mean[sim$species == "A"], paths$A)
  expect_output(print(sim), "at time 2:\n species +mean\n")
  expect_no_message(sweep_parameters(net, data.frame(A = 1:2), times = 1, method = "ode", seed = 1))
  expect_message(
    two <- sweep_parameters(net, data.frame(A = 1:2), nsim = 5, times = 1, method = "ode", seed = 1), "one instead of 5"
  )
  expect_identical(attr(two, "run")$nsim, 1)
  # a run that is refused has no result
  timed <- reaction_network("0 -> A" = 1, events = list(event("time > 1", c(A = 0))))
  expect_no_message(
    expect_error(simulate(timed, nsim = 9, times = 2, method = "ode"), class = "fireflip_error_unsupported")
  )
  # states that differ are continued each by itself
  ends <- simulate(net, nsim = 3, times = 1, output = "final", seed = 1)
  expect_identical(nrow(simulate(net, initial = ends, times = 2, method = "ode", output = "final", seed = 1)), 3L)
})

test_that("a short simulation shows that firings change many propensities, if few reactions have most firings", {
  chosen <- function(net) summary(simulate(net, times = 0.1, seed = 1, observe = 1))[c("method", "reason")]
  reactions <- function(k, hub) {
    pairs <- sprintf("%sX%d -> %sY%d", hub, 1:k, hub, 1:k)
    data.frame(equation = c(pairs, "0 -> H", "H -> 0"), rate = c(1e-4 * (1 + seq_len(k) / k), 100, 1))
  }
  few <- chosen(reaction_network(reactions(300, "H + "), initial = c(H = 100)))
  expect_identical(few$method, "direct") # a firing changes more than one in 16 of at most 512 propensities
  expect_match(few$reason, "^in a short simulation, a firing changes [0-9.]+ of 302 propensities on average$")
  many <- reaction_network(reactions(800, "H + "), initial = c(H = 100))
  expect_identical(chosen(many)$method, "pssa_cr")
  expect_match(chosen(many)$reason, "^in a short simulation, a firing changes [0-9.]+ of 802 propensities on average$")
  # without the hub, and without a firing
  expect_identical(chosen(reaction_network(reactions(800, "")))$method, "logarithmic_direct")
  still <- set_initial(reaction_network(utils::head(reactions(800, ""), 800)), c(X1 = 0))
  expect_match(chosen(still)$reason, "^a firing changes 1[.]0 of 800 propensities on average$")
})

test_that("strongly coupled networks have partial propensities where trajectories are simulated one by one", {
  chosen <- function(net, ...) attr(simulate(net, times = 1e-4, seed = 1, ...), "run")$method
  colloid <- reaction_model("colloid", species = 40) # an event changes 88 of 800 propensities
  expect_identical(chosen(colloid), "factored")
  expect_identical(chosen(colloid, output = "events"), "pssa_cr")
  expect_identical(chosen(reaction_model("colloid", species = 24), output = "events"), "logarithmic_direct")
  # 600 reactions with different constants have no common factors; a third order needs another method
  rates <- as.list(stats::setNames(1 + seq_len(600) / 1000, rep("A + B -> 2 B", 600)))
  coupled <- do.call(reaction_network, c(rates, list(initial = c(A = 5, B = 5))))
  expect_identical(chosen(coupled), "pssa_cr")
  third <- do.call(reaction_network, c(rates, list("3 A -> B" = 1, initial = c(A = 5, B = 5))))
  expect_identical(chosen(third), "logarithmic_direct")
})
