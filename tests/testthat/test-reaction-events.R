# Events of reaction networks, and rates that depend on the time: against closed forms, and what does not change them.

methods_with_time <- c("direct", "logarithmic_direct", "first_reaction", "next_reaction")

# The p-value of Pearson's test of counts against their probabilities, where `probability[k]` is that of k - 1 and the rest of
# the probability is above. Counts that are expected less than 8 times are merged with their neighbours.
pearson_counts <- function(x, probability) {
  expected <- length(x) * c(probability, max(0, 1 - sum(probability)))
  observed <- tabulate(pmin(x, length(probability)) + 1, length(expected))
  cell <- cumsum(expected) %/% 8
  cell <- pmin(cell, cell[[length(cell)]] - 1) # the last one is full too
  sums <- rowsum(cbind(observed, expected), cell)
  stats::pchisq(sum((sums[, 1] - sums[, 2])^2 / sums[, 2]), nrow(sums) - 1, lower.tail = FALSE)
}

# Counts of a species at the last time.
final <- function(net, nsim, time, species, seed, ...) {
  simulate(net, nsim = nsim, times = time, output = "final", seed = seed, ...)[[species]]
}

immigration <- function(...) reaction_network("0 -> X" = 1, "X -> 0" = 0.1, ...)

test_that("a reset at a given time has the mean, the variance and the distribution of the closed form", {
  net <- immigration(events = list(reset = event("time >= 25", set = c(X = 50))))
  times <- c(5, 24.9, 25, 25.1, 40)
  grown <- function(t) 10 * (1 - exp(-t / 10))
  # of 50, Binomial(50, exp(-s / 10)) are left after the time s, and Poisson many have come
  mean <- ifelse(times < 25, grown(times), 50 * exp(-(times - 25) / 10) + grown(times - 25))
  variance <- ifelse(times < 25, mean, 50 * exp(-(times - 25) / 10) * (1 - exp(-(times - 25) / 10)) + grown(times - 25))
  n <- 10000
  for (method in methods_with_time) {
    sim <- simulate(net, nsim = n, times = times, method = method, seed = 2)
    expect_identical(sim$mean[[3L]], 50)
    expect_identical(sim$sd[[3L]], 0)
    z <- ((sim$mean - mean) / sqrt(variance / n))[-3]
    expect_lt(max(abs(z)), stats::qnorm(1 - 1e-3 / 16 / 2)) # 16 in all, family-wise 1e-3
    expect_equal(sim$sd[-3]^2, variance[-3], tolerance = 6 * sqrt(2 / n)) # six standard errors of a nearly normal distribution
  }
  left <- stats::dbinom(0:50, 50, exp(-1.5))
  come <- stats::dpois(0:99, grown(15))
  probability <- vapply(0:60, function(k) sum(left[1 + 0:min(k, 50)] * come[1 + k - 0:min(k, 50)]), 0)
  p <- vapply(methods_with_time, function(method) {
    pearson_counts(final(net, n, 40, "X", 3, method = method), probability)
  }, 0)
  expect_gt(min(p), 1e-3 / 4)
})

test_that("a Poisson process with a rate of the time has its exact distribution at every time", {
  net <- reaction_network("0 -> A" = "a * (1 + sin(w * time))", parameters = c(a = 10, w = 3))
  times <- c(0.1, 0.5, 1, 2.6, 5)
  mean <- 10 * (times + (1 - cos(3 * times)) / 3)
  n <- 10000
  p <- unlist(lapply(methods_with_time, function(method) {
    sim <- simulate(net, nsim = n, times = times, method = method, output = "trajectories", seed = 1)
    vapply(seq_along(times), function(i) {
      x <- sim$A[sim$time == times[[i]]]
      pearson_counts(x, stats::dpois(0:ceiling(mean[[i]] + 6 * sqrt(mean[[i]])), mean[[i]]))
    }, 0)
  }))
  expect_gt(min(p), 1e-3 / length(p))
  # counts in intervals that follow each other are independent
  sim <- simulate(net, nsim = n, times = times, output = "trajectories", seed = 4)
  gains <- apply(matrix(sim$A, length(times)), 2L, function(x) diff(c(0, x)))
  expect_lt(max(abs(stats::cor(t(gains))[upper.tri(diag(5))])), stats::qnorm(1 - 1e-3 / 10 / 2) / sqrt(n))
})

test_that("decay whose rate depends on the time is binomial, also with narrow peaks, jumps and other reactions", {
  n <- 6000
  cases <- list( # a rate for each molecule, its integral up to the time 2, and other reactions that do not change A
    list("1 / (1 + time)", log(3)),
    list("if(time < 0.7 | time >= 1.5, 0, 2)", 1.6),
    list("20 * exp(-(100 * (time - 1))^2)", 20 * sqrt(pi) / 100),
    list("time^3", 4),
    list("0.5 * (1 + cos(40 * time))", 0.5 * (2 + sin(80) / 40))
  )
  p <- unlist(lapply(seq_along(cases), function(i) {
    rate <- cases[[i]][[1L]]
    left <- exp(-cases[[i]][[2L]])
    as_formula <- reaction_network("A -> 0" = sprintf("(%s) * A", rate), "0 -> B" = 30, initial = c(A = 12))
    as_constant <- reaction_network("A -> 0" = mass_action(rate), "B -> B + C" = 1, initial = c(A = 12, B = 3))
    c(
      vapply(methods_with_time[-1L], function(method) {
        pearson_counts(final(as_formula, n, 2, "A", i, method = method), stats::dbinom(0:11, 12, left))
      }, 0),
      pearson_counts(final(as_constant, n, 2, "A", i + 10), stats::dbinom(0:11, 12, left))
    )
  }))
  expect_length(p, 20L)
  expect_gt(min(p), 1e-3 / length(p))
  pairs <- reaction_network("2 A -> 0" = mass_action("1 + time"), initial = c(A = 2)) # one pair
  p <- pearson_counts(final(pairs, n, 1, "A", 1) / 2, 1 - exp(-1.5))
  expect_gt(p, 1e-3)
})

test_that("rates that are defined for a part of all times have their exact distribution, and others are refused", {
  n <- 3000
  cases <- list( # a rate, the last time, and the integral up to it
    list("if(time > 1.1, sqrt(time - 1.1), 0)", 2.1, 2 / 3),
    list("if(time < 1.1, (1.1 - time)^0.5, 0)", 2, 1.1^1.5 / 1.5),
    list("sqrt(4 - time^2)", 2, pi),
    list("acos(1 - time / 2)", 2, 2),
    list("min(1, 1 / time)", 2, 1 + log(2))
  )
  p <- vapply(seq_along(cases), function(i) {
    mean <- cases[[i]][[3L]]
    sim <- final(reaction_network("0 -> A" = cases[[i]][[1L]]), n, cases[[i]][[2L]], "A", i)
    pearson_counts(sim, stats::dpois(0:20, mean))
  }, 0)
  expect_gt(min(p), 1e-3 / length(p))
  bad <- function(rate, ...) simulate(reaction_network("0 -> A" = rate), nsim = 3, times = 3, seed = 1)
  for (rate in c("if(time > 1, -1, 0)", "if(time > 1 & time < 2, -5, 1e-4)", "1e-9 * sqrt(2 - time)", "1e-9 * sin(3 * time)",
                 "1e-9 * (10 - 10 * time + 2.4 * time^2)", "1.4 + sin(2 * time) + cos(2 * time)")) {
    expect_error(bad(rate), class = "fireflip_error_model", info = rate)
  }
  expect_error(bad("if(time > 0, sin(time) / time, 1)"), "has no finite bound after time 0", class = "fireflip_error_model")
})

test_that("conditions with what is not a number are false", {
  changed <- function(when) {
    net <- reaction_network("0 -> B" = 0, initial = c(A = 0), events = list(event(when, set = c(A = 9))))
    simulate(net, times = c(1, 2, 6), observe = "A", output = "trajectories", seed = 1)$A
  }
  expect_identical(changed("A / B > 2 | time >= 5"), c(0, 0, 9))
  expect_identical(changed("time >= 1 & A / B > 2"), c(0, 0, 0))
  expect_identical(changed("sqrt(time - 1) >= 1"), c(0, 9, 9))
  expect_identical(changed("log(time - 1) > 0 & B / A != 1"), c(0, 0, 9))
  expect_error(changed("sin(time) >= 1"), "cannot be decided", class = "fireflip_error_unsupported")
})

test_that("an event happens once for each crossing, whatever rounding errors do near it", {
  gained <- function(when, times) {
    net <- reaction_network("0 -> B" = 3, initial = c(A = 0), events = list(event(when, set = c(A = "A + 100"))))
    sapply(methods_with_time, function(method) {
      simulate(net, times = times, observe = "A", output = "trajectories", method = method, seed = 1)$A
    })
  }
  once <- matrix(c(0, 100, 100), 3L, 4L, dimnames = list(NULL, methods_with_time))
  for (when in c("time / (time + 10) > 0.7", "0 * B + time / (time + 10) >= 0.7", "70 / 3 * (B + 1) < time * (B + 1)",
                 "1 - exp(-0.1 * time) > 1 - exp(-7 / 3)")) {
    expect_identical(gained(when, c(23.3, 23.4, 100)), once, info = when)
  }
  expect_identical(gained("sin(1000 * time) > 0.5", 1)[[1L]], 16000) # (1000 - asin(0.5)) / (2 * pi) = 159.07
  expect_identical(gained("time / 3 * 3 > time | time - time > 0", 9)[[1L]], 0)
  expect_identical(gained("0.1 * floor(time) >= 0.3", c(2.9, 3, 9)), once)
})

test_that("until sees the states between a firing and its events, and between events at one time", {
  # the tenth of Poisson events of rate 3 comes after a time with the gamma distribution
  net <- reaction_network("0 -> A" = 3, events = list(tenth = event("A >= 10", c(A = 0))))
  n <- 4000
  for (method in methods_with_time) {
    passage <- first_passage(net, "A >= 10", nsim = n, end = 50, seed = 1, method = method)
    expect_false(any(passage$censored))
    expect_gt(stats::ks.test(passage$time, "pgamma", 10, 3)$p.value, 1e-3 / 4)
  }
  run <- function(...) simulate(net, nsim = 20, times = c(...), until = "A >= 10", output = "trajectories", seed = 2)
  fine <- run(seq(0, 30, 0.1))
  expect_true(all(fine$A[fine$time == 30] == 10)) # the mean time is 10 / 3
  expect_identical(run(3, 30)$A[c(TRUE, FALSE)], fine$A[fine$time == 3])
  at_once <- reaction_network("0 -> Z" = 1, initial = c(A = 0, B = 0), events = list(
    event("time >= 2", c(A = 7), priority = 2), event("time >= 2", c(A = 1, B = 3), priority = 1), event("B == 3", c(B = 5))
  ))
  first <- function(condition) first_passage(at_once, condition, nsim = 2, end = 5, seed = 1)
  expect_identical(first("A == 7 & B == 0")$time, c(2, 2))
  expect_identical(first("A == 1 & B == 3")$time, c(2, 2))
  expect_true(all(first("A == 7 & B == 3")$censored))
  start <- reaction_network("0 -> Z" = 1, initial = c(A = 12), events = list(event("A >= 10", c(A = 0))))
  expect_identical(first_passage(start, "A >= 10", nsim = 1, end = 5, seed = 1)$time, 0)
})

test_that("rates that are negative by rounding errors alone are 0, and other negative rates are found", {
  count <- function(rate, time) final(reaction_network("0 -> A" = rate), 1000, time, "A", 1)
  cases <- list( # a rate, the last time, and the integral up to it
    list("time - 0.7 * floor(time / 0.7)", 28, 14 * 0.7),
    list("if(time <= 0.30000000000000004, 20 * (0.3 - time), 0)", 9, 0.9),
    list("5 * (0.3 - 0.1 * min(3, floor(time)))", 40, 3)
  )
  p <- vapply(cases, function(case) pearson_counts(count(case[[1L]], case[[2L]]), stats::dpois(0:40, case[[3L]])), 0)
  expect_gt(min(p), 1e-3 / length(p))
  # negative near time 12, where the search for invalid rates gives up in every window
  narrow <- "1e-6 * (1.00001 - sin(time)^2 - cos(time)^2 - 2e-5 * exp(-(time - 12)^2))"
  for (rate in c(narrow, "if(time > 1, -1e-12, 0)", "1e-9 * (0.3 - 0.1 * (3 + 1e-9 * floor(time)))")) {
    expect_error(simulate(reaction_network("0 -> A" = rate), times = 20, seed = 1), "propensity of reaction \"R1\" is -",
                 class = "fireflip_error_model", info = rate)
  }
})

test_that("a rate that is a constant in disguise gives the distribution of the master equation", {
  hidden <- reaction_network(
    "A + B <-> C" = list("0.05 * A * B * (2 + 0 * sin(time) - (time > -1))", mass_action("0.3 + 0 * time")),
    initial = c(A = 12, B = 9)
  )
  plain <- reaction_network("A + B <-> C" = c(0.05, 0.3), initial = c(A = 12, B = 9))
  marginals <- as.data.frame(chemical_master_equation(plain, 1), what = "marginals")
  exact <- marginals[marginals$species == "C", ]
  for (method in methods_with_time) {
    p <- pearson_counts(final(hidden, 10000, 1, "C", 1, method = method), exact$probability[match(0:9, exact$count)])
    expect_gt(p, 1e-3 / 4)
  }
})

test_that("events at output times, at once and with delays happen when they should", {
  at <- function(net, times, ...) {
    sim <- simulate(net, times = times, output = "trajectories", seed = 1, ...)
    plain_frame(sim)[, -(1:2), drop = FALSE]
  }
  still <- function(events, initial = c(A = 0), ...) reaction_network("0 -> Z" = 0, initial = initial, events = events, ...)
  # `>=` includes its time; `>` does not
  expect_identical(at(still(list(event("time >= 2", c(A = 1)))), c(1.999, 2, 2.001))$A, c(0, 1, 1))
  expect_identical(at(still(list(event("time > 2", c(A = 1)))), c(1.999, 2, 2.001))$A, c(0, 0, 1))
  expect_identical(at(still(list(event("time == 2", c(A = 1)))), c(1.999, 2, 2.001))$A, c(0, 1, 1))
  # at time 0, by the truth of the condition before it
  expect_identical(at(still(list(event("time >= 0", c(A = 1)))), 0)$A, 1)
  expect_identical(at(still(list(event("time >= 0", c(A = 1), initially = TRUE))), c(0, 9))$A, c(0, 0))
  # each time that the condition becomes true
  expect_identical(at(still(list(event("sin(pi * time) > 0", c(A = "A + 1")))), c(0, 0.5, 1.5, 2.5, 8.5))$A, c(0, 1, 1, 2, 5))
  # delays, which the state may give, and events that are overtaken
  delayed <- still(list(event("floor(time) > A & time < 3.5", c(A = "A + 1", B = "10 * time"), delay = "2")), c(A = 0, B = 0))
  expect_identical(at(delayed, c(2.9, 3, 10))$B, c(0, 10, 10)) # the value at the trigger
  late <- still(list(event("time >= 1", c(B = "10 * time"), delay = 2, values = "execution")), c(B = 0))
  expect_identical(at(late, c(2.9, 3, 10))$B, c(0, 30, 30))
  # an event that does not persist is called off
  brief <- function(persistent) still(list(event("time >= 1 & time < 2", c(A = 5), delay = 3, persistent = persistent)))
  expect_identical(at(brief(TRUE), c(3.9, 4))$A, c(0, 5))
  expect_identical(at(brief(FALSE), c(3.9, 4))$A, c(0, 0))
  # the values are set all at once, and computed at the trigger
  swap <- still(list(event("time >= 1", c(A = "B", B = "A"))), c(A = 3, B = 7))
  expect_identical(unlist(at(swap, 1)), c(Z = 0, A = 7, B = 3))
  # priorities: the highest first; the values at the execution see what came before
  ordered <- function(values) still(list(
    low = event("time >= 1", c(A = "A * 10"), priority = 1, values = values),
    none = event("time >= 1", c(A = "A + 1000"), values = values),
    high = event("time >= 1", c(A = "A + 5"), priority = "2 + k", values = values)
  ), parameters = c(k = 0), c(A = 1))
  expect_identical(at(ordered("execution"), 1)$A, 1060)
  expect_identical(at(ordered("trigger"), 1)$A, 1001)
  expect_identical(at(set_parameters(ordered("execution"), k = -1.5), 1)$A, 1015)
  # an event may call off another, or trigger it, at the same time
  chain <- still(list(
    first = event("time >= 1", c(A = 1), priority = 2), second = event("A == 1", c(B = 1)),
    never = event("time >= 1 & A == 0", c(C = 1), priority = 1, persistent = FALSE)
  ), c(A = 0, B = 0, C = 0))
  expect_identical(unlist(at(chain, 1)), c(Z = 0, A = 1, B = 1, C = 0))
  # equal priorities have equal chances
  coin <- still(lapply(1:3, function(i) event("time >= 1", c(A = i), priority = 7)))
  expect_gt(stats::chisq.test(tabulate(final(coin, 3000, 1, "A", 5), 3L))$p.value, 1e-3)
})

test_that("a condition on the state is met by the reaction that changes the state", {
  # Poisson events, of which each tenth sets the count back to 0
  net <- reaction_network("0 -> A" = 3, "A -> A + B" = 0, events = list(tenth = event("A >= 10", c(A = 0, B = "B + 1"))))
  n <- 10000
  whole <- stats::dpois(0:99, 3 * 7)
  expected <- vapply(0:9, function(k) sum(whole[seq(k + 1, 100, 10)]), 0)
  for (method in methods_with_time) {
    sim <- simulate(net, nsim = n, times = 7, output = "final", method = method, seed = 1)
    expect_gt(stats::chisq.test(tabulate(sim$A + 1, 10L), p = expected / sum(expected))$p.value, 1e-3 / 4)
    expect_lt(abs(mean(sim$A + 10 * sim$B) - 21) / sqrt(21 / n), stats::qnorm(1 - 1e-3 / 4 / 2))
  }
  # reactions whose products come later: each birth at time t is one of B at t + 2, so B is Poisson with mean 3 (t - 2)
  later <- reaction_network("0 -> A" = 3, initial = c(B = 0), events = list(
    odd = event("floor(A / 2) * 2 != A", c(B = "B + 1"), delay = 2, values = "execution"),
    even = event("A > 0 & floor(A / 2) * 2 == A", c(B = "B + 1"), delay = 2, values = "execution")
  ))
  sim <- simulate(later, nsim = n, times = c(1.9, 5), output = "trajectories", seed = 2)
  expect_identical(max(sim$B[sim$time == 1.9]), 0)
  expect_gt(pearson_counts(sim$B[sim$time == 5], stats::dpois(0:30, 9)), 1e-3)
})

test_that("events change parameters, and conditions may name time and state", {
  # births stop at time 2, and B counts those that came while there were too few for their time
  net <- reaction_network("0 -> A" = mass_action("k"), initial = c(B = 0), parameters = c(k = 4), events = list(
    stop = event("time >= 2", c(k = 0)), behind = event("A < 3 * time - 2", c(B = "B + 1"))
  ))
  n <- 10000
  expect_gt(pearson_counts(final(net, n, 5, "A", 1), stats::dpois(0:25, 8)), 1e-3)
  # in the first trajectories, every crossing of the line 3 t - 2 from above is counted
  grid <- seq(0, 2, 1e-3)
  sim <- simulate(net, nsim = 50, times = grid, output = "trajectories", seed = 1)
  crossings <- vapply(split(sim, sim$trajectory), function(x) {
    behind <- x$A < 3 * x$time - 2
    sum(diff(c(FALSE, behind)) == 1L) - max(x$B)
  }, 0)
  # a crossing and a birth within 1e-3 are not seen on the grid: about 50 * 3 crossings * 4 births * 1e-3 = 0.6 on average
  expect_lte(sum(crossings != 0), 3L)
  expect_gt(max(sim$B), 1)
  expect_identical(
    simulate(set_parameters(net, k = 6), nsim = 20, times = 3, seed = 1)$mean,
    simulate(net, nsim = 20, times = 3, parameters = c(k = 6), seed = 1)$mean
  )
})

test_that("threads, times and observed species change no bit", {
  net <- reaction_network(
    "0 -> A" = "5 * (1 + sin(2 * time))", "A -> B" = "0.3 * A", "2 B -> C" = mass_action("0.1 * (1 + time / 10)"),
    events = list(cut = event("A >= 12", c(A = 2), priority = 1), wave = event("cos(time) > 0", c(B = "B + 3"), delay = "C / 10"))
  )
  for (method in methods_with_time) {
    run <- function(times, ...) simulate(net, nsim = 40, times = times, method = method, seed = 3, ...)
    sim <- run(c(0, 1, 3, 10), threads = 1)
    expect_identical(run(c(0, 1, 3, 10), threads = 2), sim)
    fine <- run(c(seq(0, 1, 1e-2), 3, 10), output = "trajectories")
    coarse <- run(c(0, 1, 3, 10), output = "trajectories", observe = "C", threads = 2)
    expect_identical(coarse$C, fine$C[fine$time %in% c(0, 1, 3, 10)])
    expect_identical(run(10, output = "final", observe = c("C", "A"))$A, fine$A[fine$time == 10])
    expect_identical(attr(run(10), "run")$events, attr(sim, "run")$events)
  }
  both <- lapply(methods_with_time[1:2], function(method) final(net, 20, 5, "C", 1, method = method))
  expect_identical(both[[1L]], both[[2L]])
  # events of the network and rejected proposals are no reactions
  plain <- reaction_network(
    "A -> 0" = "100 * time * (A > 0)", "0 -> B" = 0, initial = c(A = 7), events = list(event("time >= 50", c(B = 1)))
  )
  expect_identical(attr(simulate(plain, nsim = 10, times = 60, seed = 1), "run")$events, 70)
})

test_that("events are shown, kept and refused by what does not know them", {
  net <- immigration(
    parameters = c(k = 2), events = list(
      reset = event("time >= 25", set = c(X = 50)),
      event("X > k", set = list(X = "X - 1", k = 2.50), delay = 0.10, priority = "k", persistent = FALSE, values = "execution")
    )
  )
  expect_snapshot({
    net
    print(net, n = 1)
    summary(net)
    as.data.frame(net, what = "events")
    event("time >= 25", set = c(X = 50), delay = 3)
  })
  expect_identical(set_initial(net, X = 3)$events, net$events)
  expect_identical(set_parameters(net, k = 3)$events, net$events)
  expect_identical(nrow(as.data.frame(immigration(), what = "events")), 0L)
  expect_identical(names(as.data.frame(immigration(), what = "events")), names(as.data.frame(net, what = "events")))
  expect_null(immigration(events = list())$events)
  expect_identical(immigration(events = event("X > 5", c(X = 1)))$events$name, "E1")
  expect_warning(immigration(initial = c(Y = 1)), class = "fireflip_warning_unused")
  expect_no_warning(immigration(initial = c(Y = 1), events = list(event("time > 1", c(Y = 2)))))
  expect_error(
    chemical_master_equation(immigration(events = list(reset = event("time >= 25", c(X = 50)))), 1),
    "event \"reset\"", class = "fireflip_error_unsupported"
  )
  expect_error(
    chemical_master_equation(reaction_network("0 -> A" = "time"), 1), "reaction \"R1\"", class = "fireflip_error_unsupported"
  )
})

test_that("bad events are errors that say where", {
  expect_snapshot(error = TRUE, {
    event(25, c(X = 50))
  })
  expect_snapshot(error = TRUE, {
    event("time > 25", 50)
  })
  expect_snapshot(error = TRUE, {
    event("time > 25", c(X = NA))
  })
  expect_snapshot(error = TRUE, {
    event("time > 25", c(X = 1), delay = 1:2)
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list("time > 25"))
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list(reset = event("time > 25", c(Y = 1))))
  })
  # variables may be in conditions, but cannot be set
  with_total <- function(...) immigration(variables = c(total = "X + 1"), events = list(event(...)))
  expect_error(with_total("totl > 25", c(X = 1)), "parameter or variable is called \"totl\".*did you mean \"total\"")
  said <- expect_error(with_total("X > 25", c(totl = 1)), "no species or parameter has this name", class = "fireflip_error_parse")
  expect_no_match(conditionMessage(said), "did you mean")
  expect_snapshot(error = TRUE, {
    immigration(events = list(reset = event("time >> 25", c(X = 1))))
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list(reset = event("time > 25", c(X = "X +"))))
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list(reset = event("time > 25", c(X = 1.5))))
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list(a = event("time > 25", c(X = 1), delay = -1)))
  })
  expect_snapshot(error = TRUE, {
    immigration(events = list(a = event("time > 25", c(X = 1)), a = event("time > 26", c(X = 1))))
  })
  fails <- function(..., until = 10) simulate(immigration(...), times = until, seed = 1)
  expect_snapshot(error = TRUE, {
    fails(events = list(half = event("time >= 2", c(X = "time / 4"))))
  })
  expect_snapshot(error = TRUE, {
    fails(events = list(less = event("time >= 2", c(X = "0 - 1 * time"))))
  })
  expect_snapshot(error = TRUE, {
    fails(parameters = c(k = 1), events = list(none = event("time >= 2", c(k = "log(1 - time)"))))
  })
  expect_snapshot(error = TRUE, {
    fails(events = list(soon = event("time >= 2", c(X = 1), delay = "1 - time")))
  })
  expect_snapshot(error = TRUE, {
    fails(events = list(odd = event("time >= 2", c(X = 1), priority = "log(1 - time)")))
  })
  expect_snapshot(error = TRUE, {
    fails(initial = c(A = 0), events = list(to = event("A == 0", c(A = 1)), fro = event("A == 1", c(A = 0))))
  })
  expect_snapshot(error = TRUE, {
    fails(events = list(peak = event("sin(time) >= 1", c(X = 1))))
  })
  expect_snapshot(error = TRUE, {
    fails(events = list(much = event("time >= 2", c(X = "2^50 * time"))))
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("0 -> A" = "1 / (2 - time)"), times = 10, seed = 1)
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("0 -> A" = "5 * sin(time)"), times = 10, seed = 1)
  })
  expect_snapshot(error = TRUE, {
    simulate(reaction_network("0 -> A" = "1 / time"), times = 10, seed = 1)
  })
  broken <- immigration(events = list(event("time > 1", c(X = 1))))
  broken$events$persistent <- NA
  expect_error(simulate(broken, times = 1), "`events\\$persistent` must be TRUE or FALSE", class = "fireflip_error_argument")
  broken$events$persistent <- "a"
  expect_error(simulate(broken, times = 1), "found \"a\"", class = "fireflip_error_argument")
  broken$events <- 5
  expect_error(simulate(broken, times = 1), class = "fireflip_error_argument")
  expect_error(simulate(immigration(events = list(event("X > 5", c(X = 1)))), times = 1, parameters = c(q = 1)), "parameters")
})
