# Outputs of ensembles: statistics against the trajectories they are of, and against exact distributions.

net <- reaction_network("0 -> A" = 8, "A -> 0" = 1, "2 A <-> B" = c(0.05, 0.5), initial = c(A = 6))
times <- c(0, 0.5, 2)
ensemble <- function(..., nsim = 600, seed = 4) simulate(net, nsim = nsim, times = times, seed = seed, ...)

test_that("results have the class of their engine, then that of any ensemble", {
  net <- reaction_network("A <-> B" = c(1, 1), initial = c(A = 20))
  got <- function(output) class(simulate(net, nsim = 5, times = 1, output = output, seed = 1))
  expect_identical(got("summary"), c("reaction_ensemble", "ensemble", "data.frame"))
  expect_identical(got("histogram"), c("reaction_histogram", "ensemble_histogram", "data.frame"))
  expect_identical(got("trajectories"), c("reaction_trajectories", "ensemble_trajectories", "data.frame"))
  expect_identical(got("final"), c("reaction_trajectories", "ensemble_trajectories", "data.frame"))
  expect_identical(got("events"), c("reaction_events", "ensemble_events", "data.frame"))
  noisy <- noise(simulate(net, nsim = 5, times = 1, seed = 1))
  expect_identical(class(noisy), c("reaction_noise", "ensemble_noise", "data.frame"))
  part <- function(i, output) simulate(net, nsim = 6, times = 1, output = output, seed = 1, shard = c(i, 2))
  for (output in c("summary", "histogram", "final", "events")) {
    expect_identical(class(c(part(1, output), part(2, output))), got(output))
  }
})

test_that("quantiles, covariances and histograms are those of the trajectories", {
  p <- c(0, 0.025, 0.1, 0.5, 0.9, 1)
  sim <- ensemble(quantiles = p, covariance = TRUE, threads = 1)
  expect_identical(ensemble(quantiles = p, covariance = TRUE, threads = 2), sim)
  paths <- ensemble(output = "trajectories")
  counts <- ensemble(output = "histogram")
  expect_identical(ensemble(output = "histogram", threads = 2), counts)
  for (time in times) {
    rows <- plain_frame(paths)[paths$time == time, ]
    for (species in c("A", "B")) {
      mine <- plain_frame(sim)[sim$time == time & sim$species == species, ]
      wanted <- stats::quantile(rows[[species]], p, type = 1, names = FALSE)
      expect_identical(unlist(mine[c("q0", "q2.5", "q10", "q50", "q90", "q100")], use.names = FALSE), wanted)
      table <- table(rows[[species]])
      cell <- counts[counts$time == time & counts$species == species, ]
      expect_identical(cell$count, as.double(names(table)))
      expect_identical(cell$n, as.double(table))
      expect_identical(cell$proportion, as.double(table) / 600)
    }
    pair <- covariances(sim)[covariances(sim)$time == time, ]
    expect_equal(pair$covariance, stats::cov(rows$A, rows$B))
    expect_equal(pair$correlation, if (time == 0) NA_real_ else stats::cor(rows$A, rows$B))
  }
  three <- simulate(example_model("decay_dimerisation"), nsim = 50, times = 1, initial = c(S1 = 100), covariance = TRUE, seed = 1)
  expect_identical(covariances(three)$species_1, c("S1", "S1", "S2"))
  expect_identical(covariances(three)$species_2, c("S2", "S3", "S3"))
  summary <- summary(counts)
  expect_equal(summary$mean, sim$mean)
  expect_equal(summary$sd, sim$sd)
})

test_that("histograms agree with the chemical master equation", {
  exact <- as.data.frame(chemical_master_equation(net, 2), what = "marginals")
  counts <- simulate(net, nsim = 20000, times = 2, output = "histogram", seed = 2)
  for (species in c("A", "B")) {
    marginal <- exact[exact$species == species, ]
    mine <- counts[counts$species == species, ]
    observed <- mine$n[match(marginal$count, mine$count)]
    observed[is.na(observed)] <- 0
    expected <- 20000 * marginal$probability
    common <- expected >= 8
    cells <- c(observed[common], 20000 - sum(observed[common]))
    means <- c(expected[common], 20000 - sum(expected[common]))
    statistic <- sum((cells - means)^2 / means)
    expect_gt(stats::pchisq(statistic, length(cells) - 1, lower.tail = FALSE), 1e-4)
  }
})

test_that("intervals of standard deviations hold the exact value", {
  coverage <- function(net, nsim, sd, runs = 1200) {
    x <- matrix(simulate(net, nsim = nsim * runs, times = 1, observe = "A", output = "final", seed = 1)$A, nsim)
    limits <- sd_interval(apply(x, 2L, stats::sd), moments_of(x)$kurtosis, nsim, 0.95, FALSE)
    mean(limits$lower <= sd & sd <= limits$upper, na.rm = TRUE)
  }
  sim <- simulate(reaction_network("0 -> A" = 3), nsim = 200, times = 1, seed = 1) # the same formula
  x <- simulate(reaction_network("0 -> A" = 3), nsim = 200, times = 1, output = "final", seed = 1)$A
  limits <- sd_interval(stats::sd(x), mean((x - mean(x))^4) / mean((x - mean(x))^2)^2, 200, 0.95, FALSE)
  expect_equal(c(sim$sd_lower, sim$sd_upper), c(limits$lower, limits$upper))
  # In 4,000 samples of each distribution, the coverage was 0.937 to 0.966; 3 standard errors of the estimate are allowed
  enough <- least(0.93, 1200)
  expect_gt(coverage(reaction_network("0 -> A" = 1), 200, 1), enough)
  expect_gt(coverage(reaction_network("0 -> A" = 0.02), 1000, sqrt(0.02)), enough) # a rare event
  expect_gt(coverage(reaction_network("0 -> 50 A" = 0.05), 400, 50 * sqrt(0.05)), enough) # and one with a large effect
  expect_gt(coverage(reaction_network("A -> 0" = log(2), initial = c(A = 1)), 100, 0.5), enough) # no kurtosis
  birth <- coverage(reaction_network("A -> 2 A" = log(20), initial = c(A = 1)), 300, sqrt(0.95) * 20) # geometric
  expect_gt(birth, least(0.92, 1200))
  few <- simulate(net, nsim = 99, times = c(0, 1), seed = 1)
  expect_identical(few$sd_lower, c(0, 0, NA, NA))
  never <- simulate(reaction_network("0 -> A" = 1e-9), nsim = 200, times = 1, seed = 1)
  expect_identical(never$sd_upper, NA_real_)
})

test_that("events lead to the states of the same trajectories", {
  events <- ensemble(output = "events", nsim = 20)
  paths <- ensemble(output = "trajectories", nsim = 20)
  change <- c(R1 = 1, R2 = -1, R3 = -2, R4 = 2)[as.character(events$reaction)]
  for (i in seq_len(nrow(paths))) {
    before <- events$trajectory == paths$trajectory[[i]] & events$time <= paths$time[[i]]
    expect_identical(6 + sum(change[before]), paths$A[[i]])
  }
  expect_identical(ensemble(output = "events", nsim = 20, threads = 2), events)
  expect_false(is.unsorted(events$trajectory))
  expect_identical(summary(events)$events, as.vector(table(events$reaction)))
  without_events <- c("factored", "tau_leaping", "implicit_tau_leaping", "langevin", "ode")
  for (method in setdiff(ssa_methods()$method, without_events)) {
    one <- simulate(net, times = 1, method = method, output = "events", seed = 1)
    last <- simulate(net, times = 1, method = method, output = "final", seed = 1)
    expect_identical(6 + sum(c(1, -1, -2, 2)[as.integer(one$reaction)]), last$A)
  }
})

test_that("a trajectory stops when its condition is fulfilled", {
  last <- ensemble(output = "final", until = "A + 2 * B >= 14", nsim = 200)
  free <- ensemble(output = "events", nsim = 200)
  total <- 6 + stats::ave(c(R1 = 1, R2 = -1, R3 = 0, R4 = 0)[as.character(free$reaction)], free$trajectory, FUN = cumsum)
  first <- tapply(seq_len(nrow(free))[total >= 14], free$trajectory[total >= 14], min)
  wanted <- rep(2, 200)
  wanted[as.integer(names(first))] <- free$time[first]
  expect_identical(last$time, wanted)
  expect_true(all((last$A + 2 * last$B)[last$time < 2] == 14))
  paths <- ensemble(output = "trajectories", until = "A + 2 * B >= 14", nsim = 200)
  expect_identical(paths$A[paths$time == 2], last$A) # the last state stays
  expect_identical(nrow(ensemble(output = "events", until = "A == 6", nsim = 3)), 0L)
  stopped <- ensemble(until = "A == 6", nsim = 100)
  expect_identical(unique(stopped$mean), c(6, 0))
})

test_that("variables of a trajectory that has stopped do not change", {
  clock <- reaction_network("0 -> A" = 1, variables = c(now = "time", both = "A + time"))
  run <- function(...) simulate(clock, nsim = 50, observe = c("A", "now", "both"), until = "A >= 3", seed = 1, ...)
  last <- run(times = 4, output = "final")
  expect_true(any(last$time < 4) && any(last$time == 4))
  expect_identical(last$now, last$time)
  expect_identical(last$both, last$A + last$time)
  paths <- run(times = c(0, 2, 4), output = "trajectories")
  expect_identical(paths$now, pmin(paths$time, rep(last$time, each = 3)))
  expect_equal(tail(run(times = c(0, 2, 4)), 3)$mean, c(mean(last$A), mean(last$now), mean(last$both)))
  # a resumed run
  half <- simulate(clock, nsim = 50, times = 0.01, output = "final", seed = 1)
  last <- simulate(clock, initial = half, times = 4, observe = "now", until = "A >= 3", output = "final", seed = 2)
  expect_identical(last$now, last$time)
})

test_that("times of first passage have their exact distribution", {
  # the fifth event of a Poisson process: Erlang
  times <- first_passage(reaction_network("0 -> A" = 2), "A >= 5", nsim = 3000, end = 3, seed = 1)
  expect_identical(times$time == 3, times$censored)
  exact <- function(t) stats::pgamma(t, 5, 2)
  found <- times$time[!times$censored]
  # Kolmogorov and Smirnov's distance of the times below 3: 2.2 / sqrt(n) is exceeded with probability 1.3e-4
  expect_lt(max(abs(seq_along(found) / 3000 - exact(sort(found)))), 2.2 / sqrt(3000))
  # a chain of decays from 8 to 2 and then to 0: a sum of exponential times with the rates 8, 7, 6, ... (hypoexponential)
  chain <- reaction_network("A -> 0" = mass_action("k"), initial = c(A = 8), parameters = c(k = 1.5))
  passed <- first_passage(chain, "A <= 2 * k - 1", nsim = 4000, end = 50, seed = 2)
  mean <- sum(1 / (3:8)) / 1.5
  sd <- sqrt(sum(1 / (3:8)^2)) / 1.5
  expect_lt(abs(mean(passed$time) - mean), 4 * sd / sqrt(4000))
  # A <= 2 holds at t when at least 6 of 8 have decayed
  exact <- function(t) stats::pbinom(2, 8, exp(-1.5 * t))
  expect_lt(max(abs(seq_len(4000) / 4000 - exact(sort(passed$time)))), 2.2 / sqrt(4000))
  expect_false(any(passed$censored))
  quantiles <- summary(passed)$quantiles
  expect_identical(quantiles$time, stats::quantile(passed$time, quantiles$probability, type = 1, names = FALSE))
  # it is fulfilled at once, or never
  expect_true(all(first_passage(chain, "A == 8", nsim = 5, end = 1, seed = 1)$time == 0))
  never <- first_passage(chain, "A > 8", nsim = 5, end = 1, seed = 1)
  expect_true(all(never$censored & never$time == 1))
  expect_true(all(is.na(summary(never)$quantiles$time)))
})

test_that("intervals of quantiles and probabilities of passage hold the exact values", {
  decay <- reaction_network("A -> 0" = 1, initial = c(A = 1))
  all <- first_passage(decay, "A == 0", nsim = 60 * 800, end = 1.5, seed = 1)
  held <- vapply(1:800, function(run) {
    s <- summary(all[60 * run - 59:0, ])
    q <- s$quantiles[s$quantiles$probability %in% c(0.25, 0.5), ]
    exact <- stats::qexp(q$probability)
    upper <- ifelse(is.na(q$upper), Inf, q$upper)
    c(q$lower <= exact & exact <= upper, s$passed$lower <= stats::pexp(1.5) && stats::pexp(1.5) <= s$passed$upper,
      s$mean$lower <= stats::pexp(1.5) && stats::pexp(1.5) <= s$mean$upper) # the mean of min(T, 1.5) is 1 - exp(-1.5)
  }, logical(4))
  expect_gt(min(rowMeans(held[1:3, ])), least(0.95, 800)) # these are exact or conservative
  expect_gt(mean(held[4, ]), least(0.935, 800))
})

test_that("parts give the undivided run", {
  p <- c(0.1, 0.5)
  for (output in c("summary", "histogram", "trajectories", "final", "events")) {
    run <- function(...) {
      if (output != "summary") return(ensemble(output = output, nsim = 50, ...))
      ensemble(quantiles = p, covariance = TRUE, nsim = 50, ...)
    }
    parts <- lapply(1:3, function(i) run(shard = c(i, 3), threads = i))
    expect_identical(do.call(c, parts[c(2, 3, 1)]), run(), info = output)
    expect_warning(two <- c(parts[[3]], parts[[1]]), class = "fireflip_warning_parts")
    expect_identical(c(two, parts[[2]]), run(), info = output)
  }
  part <- function(i, ...) first_passage(net, "B > 3", nsim = 30, end = 2, seed = 1, shard = c(i, 2), ...)
  whole <- first_passage(net, "B > 3", nsim = 30, end = 2, seed = 1)
  expect_identical(c(part(2), part(1)), whole)
  stopped <- function(...) simulate(net, nsim = 30, times = 2, until = "B > 3", output = "final", seed = 1, ...)
  expect_identical(c(stopped(shard = c(2, 2)), stopped(shard = c(1, 2))), stopped())
  expect_gt(length(unique(stopped()$time)), 3)
  firings <- ensemble(output = "events", nsim = 40, shard = c(1, 4))
  expect_equal(summary(firings)$per_trajectory, unname(tabulate(firings$reaction, nlevels(firings$reaction))) / 10)
  final <- function(...) ensemble(output = "final", nsim = 20, ...)
  resumed <- function(from) simulate(net, initial = from, times = c(2, 3), seed = 9, output = "trajectories")
  expect_identical(c(resumed(final(shard = c(2, 2))), resumed(final(shard = c(1, 2)))), resumed(final()))
})

test_that("resumed trajectories have the distribution of undivided ones", {
  half <- simulate(net, nsim = 4000, times = 0.5, output = "final", seed = 5)
  rest <- simulate(net, initial = half, times = c(0.5, 2), seed = 5, output = "trajectories")
  expect_identical(rest$A[rest$time == 0.5], half$A)
  expect_identical(rest$trajectory[rest$time == 2], half$trajectory)
  exact <- as.data.frame(chemical_master_equation(net, 2), what = "moments")
  found <- rest[rest$time == 2, ]
  for (species in c("A", "B")) {
    wanted <- exact[exact$species == species, ]
    expect_lt(abs(mean(found[[species]]) - wanted$mean), 4 * wanted$sd / sqrt(4000))
    expect_equal(stats::sd(found[[species]]), wanted$sd, tolerance = 0.06) # five standard errors
  }
  # the draws are new, although the seed is the same: the parts of a Poisson process are independent
  births <- reaction_network("0 -> A" = 5)
  first <- simulate(births, nsim = 2000, times = 1, output = "final", seed = 1)
  second <- simulate(births, initial = first, times = 2, output = "final", seed = 1)
  third <- simulate(births, initial = second, times = 3, output = "final", seed = 1)
  steps <- cbind(first$A, second$A - first$A, third$A - second$A)
  expect_lt(max(abs(stats::cor(steps)[upper.tri(diag(3))])), 4 / sqrt(2000))
  expect_identical(simulate(births, initial = first, times = 2, seed = 1)$min, min(second$A))
})

test_that("counts that are not whole are resumed by methods that have such counts", {
  decay <- reaction_network("A -> 0" = 1, initial = c(A = 100))
  ode <- simulate(decay, nsim = 1, times = 0.5, output = "final", method = "ode", seed = 1)
  rest <- simulate(decay, initial = ode, times = c(0.5, 2), output = "trajectories", method = "ode", seed = 1)
  expect_equal(rest$A, 100 * exp(-c(0.5, 2)), tolerance = 1e-5)
  expect_identical(rest$A[[1L]], ode$A)
  # the Langevin equation of A -> 0 has the mean and the variance of the binomial distribution
  half <- simulate(decay, nsim = 2000, times = 0.25, output = "final", method = "langevin", seed = 2)
  full <- simulate(decay, initial = half, times = 0.5, output = "final", method = "langevin", seed = 2)
  left <- exp(-0.5)
  steps <- 100 * left * 0.03 * 0.5 / 2 # of Euler's method, with steps of 0.03, the default
  expect_lt(abs(mean(full$A) - 100 * left), 4 * sqrt(100 * left * (1 - left) / 2000) + steps)
  expect_error(simulate(decay, initial = ode, times = 1), "not whole", class = "fireflip_error_argument")
})

test_that("a condition may name parameters that events set", {
  fed <- reaction_network(
    "0 -> A" = "k * l", "A -> 0" = 1, parameters = c(l = 3, k = 1), variables = c(input = "2 * k * l + A * 0"),
    events = list(more = event("time >= 2", set = c(k = 5)), less = event("time >= 3", set = c(k = 0, l = 1)))
  )
  ended <- function(until) simulate(fed, nsim = 20, times = 4, output = "final", until = until, seed = 1)$time
  expect_identical(ended("k > 4"), rep(2, 20))
  expect_identical(ended("input == 0"), rep(3, 20))
  expect_identical(ended("k == 1 & l == 1"), rep(4, 20))
  stops <- ended("A >= 3")
  expect_true(all(stops <= 4) && any(stops < 2))
  # the parameters of the network, and the counts: until time 2 the trajectories are those of a network without events
  plain <- reaction_network("0 -> A" = "k * l", "A -> 0" = 1, parameters = c(l = 3, k = 1))
  reached <- first_passage(plain, "A >= 3", nsim = 4000, end = 2, seed = 3)
  events <- simulate(fed, nsim = 4000, times = 2, output = "final", until = "A >= 3", seed = 4)
  p <- c(mean(!reached$censored), mean(events$A >= 3))
  expect_lt(abs(diff(p)), 4 * sqrt(0.25 * 2 / 4000))
})

test_that("a sweep has the ensembles of its settings", {
  model <- reaction_network("0 -> A" = mass_action("k"), "A -> 0" = mass_action("d"), parameters = c(k = 10, d = 1))
  design <- expand.grid(k = c(5, 10), A = c(0, 20))
  sweep <- sweep_parameters(model, design, nsim = 400, times = c(1, 2), seed = 3)
  expect_identical(names(sweep)[1:5], c("setting", "k", "A", "time", "species"))
  expect_identical(sweep$k, rep(design$k, each = 2))
  seeds <- attr(sweep, "run")$seeds
  alone <- simulate(set_parameters(model, k = 10), nsim = 400, times = c(1, 2), initial = c(A = 20), seed = seeds[[4]])
  expect_equal(as.data.frame(sweep)[sweep$setting == 4, names(alone)], as.data.frame(alone), ignore_attr = TRUE)
  # Poisson plus binomial, whose means and variances are known
  decayed <- exp(-sweep$time)
  mean <- design$k[sweep$setting] * (1 - decayed) + design$A[sweep$setting] * decayed
  variance <- design$k[sweep$setting] * (1 - decayed) + design$A[sweep$setting] * decayed * (1 - decayed)
  expect_lt(max(abs(sweep$mean - mean) / sqrt(variance / 400)), stats::qnorm(1 - 1e-3 / 16))
  expect_gt(length(unique(seeds)), 3)
  # common random numbers: trajectories of similar settings are alike
  both <- function(common) {
    x <- sweep_parameters(
      model, data.frame(k = c(10, 10.5)), nsim = 500, times = 1, method = "next_reaction", output = "final", seed = 1,
      common = common
    )
    stats::cor(x$A[x$setting == 1], x$A[x$setting == 2])
  }
  expect_gt(both(TRUE), 0.7)
  expect_lt(abs(both(FALSE)), 4 / sqrt(500))
})

test_that("the summary of a sweep has a row for each setting and species", {
  model <- reaction_network("0 -> A" = mass_action("k"), "A -> B" = 1, parameters = c(k = 10))
  design <- data.frame(k = c(5, 10, 20), A = c(0, 30, 60))
  run <- function(output, until = NULL) {
    sweep_parameters(model, design, nsim = 50, times = c(1, 4), seed = 2, output = output, until = until)
  }
  sweep <- run("summary")
  found <- summary(sweep)
  expect_s3_class(found, "summary.parameter_sweep")
  last <- as.data.frame(sweep)[sweep$time == 4, ]
  expect_identical(names(found$last), c("setting", "k", "A", "species", "mean", "sd", "fano"))
  shared <- setdiff(names(found$last), "fano")
  expect_equal(found$last[shared], last[shared], ignore_attr = TRUE)
  expect_equal(found$last$fano, last$sd^2 / last$mean)
  # as for the ensemble of a setting
  alone <- summary(simulate(
    set_parameters(model, k = 10), nsim = 50, seed = attr(sweep, "run")$seeds[[2L]], times = c(1, 4), initial = c(A = 30)
  ))
  expect_equal(found$last[found$last$setting == 2, names(alone$last)], alone$last, ignore_attr = TRUE)
  expect_identical(found[c("settings", "trajectories", "times", "species")], list(
    settings = 3L, trajectories = 50, times = c(1, 4), species = 2L
  ))
  # other outputs give the same numbers
  for (output in c("histogram", "trajectories")) {
    wide <- if (output == "histogram") run(output) else sweep_parameters(
      model, design["k"], nsim = 50, times = c(1, 4), seed = 2, output = output, initial = c(A = 30)
    )
    expect_equal(summary(wide)$last[3:4, c("mean", "sd")], found$last[3:4, c("mean", "sd")], ignore_attr = TRUE)
  }
  # a part has the rows that it has; ten settings are in their order
  expect_identical(unique(summary(sweep[sweep$setting != 2, ])$last$setting), c(1L, 3L))
  many <- sweep_parameters(model, data.frame(k = 1:11), nsim = 2, times = 1, seed = 1)
  expect_identical(summary(many)$last$setting, rep(1:11, each = 2))
  expect_error(summary(sweep["mean"]), class = "fireflip_error_argument")
  expect_error(summary(sweep[0L, ]), class = "fireflip_error_argument")
})

test_that("summaries of final states are about all trajectories, whenever they stopped", {
  model <- reaction_network("0 -> A" = 10)
  final <- simulate(model, nsim = 40, times = 3, until = "A >= 5", output = "final", seed = 1)
  expect_equal(summary(final)$last, data.frame(species = "A", mean = 5, sd = 0, fano = 0))
  expect_output(print(summary(final)), "at the last time of each trajectory, with")
  expect_output(print(final[order(-final$time), ]), sprintf(
    "40 times from %s to %s,", format(min(final$time)), format(max(final$time))
  ), fixed = TRUE)
  model <- reaction_network("0 -> A" = mass_action("k"), parameters = c(k = 1))
  sweep <- sweep_parameters(model, data.frame(k = c(10, 20)), nsim = 40, times = 3, until = "A >= 5", output = "final", seed = 1)
  expect_equal(summary(sweep)$last$mean, c(5, 5))
  expect_output(print(summary(sweep)), "at the last time of each trajectory, with")
})

test_that("trajectories with rates that depend on the time are continued from their time", {
  rates <- function(clock) reaction_network("0 -> A" = sprintf("20 * (1 + sin(2 * %s))", clock), "A -> 0" = 1,
    "A -> B" = mass_action(sprintf("0.1 * exp(-%s)", clock)), variables = c(now = "time"))
  timed <- rates("time")
  half <- simulate(timed, nsim = 4000, times = 2, seed = 1, output = "final")
  late <- simulate(timed, initial = half, times = c(2, 3.5, 5), seed = 2, output = "trajectories", observe = c("A", "B", "now"))
  expect_identical(late$now, late$time)
  # the same trajectories, by a network whose rates count from time 2
  half$time <- 0
  shifted <- simulate(rates("(time + 2)"), initial = half, times = c(0, 1.5, 3), seed = 2, output = "trajectories")
  expect_identical(late$A, shifted$A)
  expect_identical(late$B, shifted$B)
  # A is a Poisson number if nothing becomes B: its mean solves m' = 20 (1 + sin(2 t)) - m
  plain <- reaction_network("0 -> A" = "20 * (1 + sin(2 * time))", "A -> 0" = 1)
  mean_at <- function(t) 20 * (1 - exp(-t)) + 4 * (sin(2 * t) - 2 * cos(2 * t) + 2 * exp(-t))
  for (method in c("direct", "first_reaction", "next_reaction")) {
    half <- simulate(plain, nsim = 4000, times = 1.7, seed = 3, output = "final", method = method)
    end <- simulate(plain, initial = half, times = c(2, 4), seed = 4, method = method)
    z <- (end$mean - mean_at(end$time)) / sqrt(mean_at(end$time) / 4000)
    expect_lt(max(abs(z)), 4.1) # exceeded by one of 24,000 such numbers
  }
  # variables have exactly the time that is asked for: 2.7 + (11.4 - 2.7) is less than 11.4
  jump <- reaction_network("0 -> A" = "2 + sin(time)", "A -> 0" = 1, variables = c(now = "time", on = "time >= 11.4"))
  from <- simulate(jump, nsim = 3, times = 2.7, seed = 1, output = "final")
  late <- simulate(jump, initial = from, times = 11.4, seed = 2, output = "trajectories", observe = c("now", "on"))
  expect_identical(late$now, rep(11.4, 3))
  expect_identical(late$on, rep(1, 3))
  # an invalid propensity is told with the time of the run
  bad <- reaction_network("0 -> A" = "3 - time")
  from <- simulate(bad, nsim = 2, times = 2, seed = 1, output = "final")
  expect_error(simulate(bad, initial = from, times = 9, seed = 1), "at time 3", class = "fireflip_error_model")
  clocked <- reaction_network("0 -> A" = 1, events = list(event("time >= 1", set = c(A = 0))))
  from <- simulate(clocked, nsim = 2, times = 2, seed = 1, output = "final")
  expect_error(simulate(clocked, initial = from, times = 3), "a network without events", class = "fireflip_error_unsupported")
})

test_that("a condition without quotes is told to be text", {
  unquoted <- function(call, text) expect_error(call, text, fixed = TRUE, class = "fireflip_error_argument")
  unquoted(simulate(net, times = 1, until = A > 3 & B < 2), "`until` must be a condition as text: until = \"A > 3 & B < 2\"")
  unquoted(first_passage(net, A > 3, end = 1), "`condition` must be a condition as text: condition = \"A > 3\"")
  unquoted(sweep_parameters(net, data.frame(A = 1:2), times = 1, until = !A), "until = \"!A\"")
  A <- 7
  unquoted(simulate(net, times = 1, until = A > 3), "found TRUE")
  expect_error(simulate(net, times = 1, until = stop("a reason of its own")), "a reason of its own")
  expect_error(first_passage(net, paste0(nothing, " > 3"), end = 1), "nothing")
  expect_identical(first_passage(net, paste0("A", " > ", 3), 5, 1, seed = 1), first_passage(net, "A > 3", 5, 1, seed = 1))
})

test_that("results without rows are printed without warnings, and the error of plot() names the function that makes them", {
  for (output in c("trajectories", "final", "histogram")) {
    expect_no_warning(shown <- capture.output(print(ensemble(output = output, nsim = 3)[0, ])))
    expect_match(shown[[1L]], "no times, seed", fixed = TRUE)
  }
  noises <- noise(ensemble(nsim = 40))
  expect_no_warning(expect_output(print(noises[0, ]), "no times"))
  passage <- first_passage(net, "B >= 3", nsim = 5, end = 2, seed = 1)
  expect_error(plot(passage[0, ]), "as first_passage() returns them", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(plot(noises[0, ]), "as noise() returns them", fixed = TRUE, class = "fireflip_error_argument")
  sweep <- sweep_parameters(net, data.frame(A = 1:2), nsim = 2, times = 1, seed = 1)
  expect_error(plot(sweep[0, ]), "as sweep_parameters() returns them", fixed = TRUE, class = "fireflip_error_argument")
})

test_that("outputs are shown", {
  swept <- summary(
    sweep_parameters(net, data.frame(A = c(0, 20)), nsim = 50, times = c(1, 2), seed = 1, threads = 1, common = TRUE)
  )
  passage <- first_passage(net, "B >= 3", nsim = 50, end = 2, seed = 1, threads = 1)
  passed <- summary(passage)
  swept$seconds <- passed$seconds <- 0.01
  expect_snapshot({
    swept
    print(swept, n = 1)
    ensemble(output = "histogram", nsim = 40)
    ensemble(output = "events", nsim = 2)
    print(passage, n = 3)
    passed
    sweep_parameters(net, data.frame(A = c(0, 20)), times = 1, seed = 1)
    covariances(ensemble(covariance = TRUE, nsim = 40))
    ensemble(shard = c(2, 3), nsim = 100)
  })
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  counts <- ensemble(output = "histogram", nsim = 40)
  expect_identical(nrow(plot(counts)), sum(counts$time == 2))
  plot(counts, time = 0, n = 1, main = "a title")
  expect_identical(nrow(plot(ensemble(output = "events", nsim = 3), n = 2)), nrow(ensemble(output = "events", nsim = 2)))
  plot(first_passage(net, "B >= 3", nsim = 50, end = 2, seed = 1))
  expect_identical(class(as.data.frame(counts)), "data.frame")
  expect_s3_class(counts[counts$species == "A", ], "reaction_histogram")
  expect_identical(class(rbind(counts, counts)), "data.frame")
})

test_that("results with names are bound to a table that tells them apart", {
  a <- ensemble(nsim = 5)
  both <- rbind(wild = a, mutant = a, deparse.level = 0)
  expect_identical(both$run, rep(c("wild", "mutant"), each = nrow(a)))
  expect_identical(both[both$run == "mutant", -1L], rbind(a, a)[nrow(a) + seq_len(nrow(a)), ])
  expect_identical(unique(rbind(a, b = a, b = a)$run), c("1", "b", "b 1"))
  expect_identical(rbind(NULL, a), as.data.frame(a))
  expect_identical(rbind(a, data.frame()), as.data.frame(a))
  expect_error(rbind(a, 5), "results of the same kind; found 5", class = "fireflip_error_argument")
  expect_error(rbind(a, a[c("time", "species")]), "only some of these have \"", class = "fireflip_error_argument")
})

test_that("a part of a run says so when it is printed", {
  for (output in c("summary", "trajectories", "final", "histogram", "events")) {
    part <- simulate(net, nsim = 9, times = 0.5, output = output, seed = 1, shard = c(2, 3))
    expect_match(utils::capture.output(part)[[1L]], "seed 1; PART 2 of 3", fixed = TRUE)
  }
  passage <- first_passage(net, "B >= 3", nsim = 9, end = 2, seed = 1, shard = c(2, 3))
  expect_match(utils::capture.output(passage)[[1L]], "seed 1; PART 2 of 3", fixed = TRUE)
  parts <- lapply(1:3, function(i) simulate(net, nsim = 9, times = 0.5, seed = 1, shard = c(i, 3)))
  expect_no_match(utils::capture.output(do.call(c, parts))[[1L]], "PART")
  suppressWarnings(expect_match(utils::capture.output(c(parts[[1L]], parts[[3L]]))[[1L]], "PART 1, 3 of 3", fixed = TRUE))
})

test_that("selected trajectories are resumed under new numbers", {
  ends <- simulate(net, nsim = 40, times = 1, output = "final", seed = 1)
  some <- ends[ends$A > stats::median(ends$A), ]
  refused <- function(x, text) {
    expect_error(simulate(net, initial = x, times = 2, seed = 1), text, class = "fireflip_error_argument", fixed = TRUE)
  }
  refused(some, "seq_len(nrow(x))")
  some$trajectory <- seq_len(nrow(some))
  expect_identical(simulate(net, initial = some, times = 1, output = "trajectories", seed = 1)$A, some$A)
  lacks <- simulate(net, nsim = 4, times = 1, output = "final", observe = "A", seed = 1)
  refused(lacks, "found one without \"B\"")
})

test_that("numbers of trajectories are written out", {
  many <- simulate(net, nsim = 1e5, times = 0.01, seed = 1)
  expect_match(utils::capture.output(many)[[1L]], "100,000 trajectories", fixed = TRUE)
  expect_match(utils::capture.output(summary(many))[[1L]], "100,000 trajectories", fixed = TRUE)
  expect_identical(vapply(c(0.5, 249, 1e5, 999999, 1e6), format_short, ""), c("0.5", "249", "100,000", "999,999", "1e6"))
  expect_identical(left_out(10L, 100000L, " trajectories"), "10 of 100,000 trajectories")
})

test_that("bad input is refused", {
  few <- function(...) simulate(net, nsim = 9, times = 1, seed = 1, ...)
  expect_snapshot(error = TRUE, few(quantiles = 2))
  expect_snapshot(error = TRUE, few(quantiles = c(0.5, 0.5)))
  expect_snapshot(error = TRUE, few(quantiles = 0.5, output = "final"))
  expect_snapshot(error = TRUE, few(covariance = NA))
  expect_snapshot(error = TRUE, few(until = 3))
  expect_snapshot(error = TRUE, few(until = "C > 3"))
  expect_snapshot(error = TRUE, few(until = "time > 3"))
  for (name in c("t", "Time")) { # no suggestion that is an error too
    e <- expect_error(few(until = paste(name, "> 3")), "parameter or variable is called", class = "fireflip_error_parse")
    expect_no_match(conditionMessage(e), "\"time\"", fixed = TRUE)
  }
  expect_snapshot(error = TRUE, few(shard = c(1, 10)))
  expect_snapshot(error = TRUE, simulate(net, nsim = 9, times = 1, shard = c(1, 2)))
  expect_snapshot(error = TRUE, covariances(few()))
  expect_snapshot(error = TRUE, covariances(3))
  one <- reaction_network("A -> 0" = 1, initial = c(A = 5))
  expect_snapshot(error = TRUE, covariances(simulate(one, nsim = 5, times = 1, covariance = TRUE, seed = 1)))
  expect_snapshot(error = TRUE, c(few(), few()))
  expect_snapshot(error = TRUE, c(few(shard = c(1, 2)), few(shard = c(1, 2))))
  expect_snapshot(error = TRUE, c(few(shard = c(1, 2)), few(shard = c(2, 2), observe = "A")))
  expect_snapshot(error = TRUE, c(few(shard = c(1, 2))[1, ], few(shard = c(2, 2))))
  expect_snapshot(error = TRUE, c(few(shard = c(1, 2)), 3))
  expect_snapshot(error = TRUE, few(initial = few(output = "trajectories")))
  expect_snapshot(error = TRUE, simulate(net, initial = few(output = "final"), times = 0.5))
  expect_snapshot(error = TRUE, simulate(net, nsim = 3, initial = few(output = "final"), times = 2))
  expect_snapshot(error = TRUE, simulate(net, initial = few(output = "final", until = "B > 1"), times = 2))
  expect_snapshot(error = TRUE, first_passage(net, end = 1))
  expect_snapshot(error = TRUE, first_passage(net, "B > 1"))
  expect_snapshot(error = TRUE, first_passage(net, "B > 1", end = 0))
  expect_snapshot(error = TRUE, first_passage(net, "B > 1", end = Inf))
  expect_snapshot(error = TRUE, first_passage(3, "B > 1"))
  expect_snapshot(error = TRUE, sweep_parameters(net, data.frame(C = 1), times = 1))
  expect_snapshot(error = TRUE, sweep_parameters(net, data.frame(A = "a"), times = 1))
  expect_snapshot(error = TRUE, sweep_parameters(net, list(A = 1), times = 1))
  expect_snapshot(error = TRUE, sweep_parameters(net, data.frame(A = 1), times = 1, output = "final"))
  expect_snapshot(error = TRUE, sweep_parameters(net, data.frame(A = 1), times = 1, initial = few(output = "final")))
  expect_snapshot(error = TRUE, plot(few(output = "histogram"), time = 3))
  most <- most_events
  utils::assignInNamespace("most_events", function() 100, "fireflip")
  on.exit(utils::assignInNamespace("most_events", most, "fireflip"))
  expect_snapshot(error = TRUE, few(output = "events"))
})

test_that("a plotted histogram is 0 at counts that do not occur", {
  steps <- fireflip:::histogram_steps(c(2, 3, 7, 9, 10), c(0.1, 0.2, 0.3, 0.15, 0.25))
  at <- function(count) steps$y[[max(which(steps$x <= count))]] # a line of type "s" keeps its height up to the next point
  expect_identical(vapply(2:11, at, 0), c(0.1, 0.2, 0, 0, 0, 0.3, 0, 0.15, 0.25, 0))
  expect_equal(sum(diff(steps$x) * utils::head(steps$y, -1)), 1)
})

test_that("rows of several results are not taken for those of the first", {
  run <- function(seed, ...) simulate(net, nsim = 40, times = c(0.5, 1), seed = seed, ...)
  bound <- function(...) { # what dplyr::bind_rows() gives
    parts <- list(...)
    structure(do.call(rbind, parts), class = class(parts[[1L]]), run = attr(parts[[1L]], "run"))
  }
  sims <- bound(run(1), run(2))
  for (f in list(summary, noise, burn_in, plot, function(x) compare_ensembles(x, run(3)))) {
    expect_error(f(sims), "rows than its run gave", class = "fireflip_error_argument")
  }
  expect_identical(capture.output(print(sims)), capture.output(print(as.data.frame(sims))))
  expect_error(quantile(bound(run(1, quantiles = 0.5), run(2, quantiles = 0.5))), class = "fireflip_error_argument")
  expect_error(covariances(bound(run(1, covariance = TRUE), run(2, covariance = TRUE))), class = "fireflip_error_argument")
  paths <- bound(run(1, output = "trajectories"), run(2, output = "trajectories"))
  decomposed <- function(x) noise_decomposition(x, net$species$species[1:2])
  for (f in list(summary, plot, quantile, hist, decomposed)) {
    expect_error(f(paths), "rows than its run gave", class = "fireflip_error_argument")
  }
})

test_that("arguments that methods do not have are warned of", {
  net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
  sim <- simulate(net, nsim = 50, times = 0:2, seed = 1)
  passage <- first_passage(net, "A > 5", nsim = 20, end = 3, seed = 1)
  expect_warning(summary(passage, probs = 0.5), "did you mean `probabilities`", class = "fireflip_warning_argument")
  expect_warning(summary(sim, n = 3), "no argument `n`", class = "fireflip_warning_argument")
  expect_warning(as.data.frame(sim, runs = TRUE), "did you mean `run`", class = "fireflip_warning_argument")
  expect_output(expect_warning(print(sim, digits = 3), "`digits`", class = "fireflip_warning_argument"), "reaction_ensemble")
  expect_warning(as.data.frame(sim, NULL, FALSE, FALSE, 1), "one argument too many", class = "fireflip_warning_argument")
  expect_no_warning(data.frame(sim, stringsAsFactors = TRUE)) # R's own functions pass this on
  expect_no_warning(as.data.frame(sim, stringsAsFactors = FALSE))
  expect_output(expect_no_warning(print(list(sim))), "reaction_ensemble")
})

test_that("results of a run with `until` say so when they are printed", {
  net <- reaction_network("0 -> A" = 10)
  text <- "trajectories stop when \"A >= 3\" is true, and keep their state; 4 of 4 have stopped"
  for (output in c("summary", "trajectories", "final", "histogram", "events")) {
    expect_output(print(simulate(net, nsim = 4, times = 50, output = output, until = "A >= 3", seed = 1)), text, fixed = TRUE)
  }
  sweep <- sweep_parameters(net, data.frame(A = 0:1), nsim = 2, times = 50, until = "A >= 3", seed = 1)
  expect_output(print(sweep), text, fixed = TRUE)
  expect_no_match(capture.output(print(simulate(net, nsim = 4, times = 50, output = "final", seed = 1))), "stop")
})

test_that("final states that were edited, or that are not whole, are refused with advice", {
  net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
  final <- simulate(net, nsim = 5, times = 2, output = "final", seed = 1)
  resume <- function(column, value, ...) {
    final[[column]][[2L]] <- value
    simulate(net, times = 3, initial = final, seed = 2, ...)
  }
  expect_error(resume("A", NA), "found NA in row 2 of column \"A\"", class = "fireflip_error_argument")
  expect_error(resume("A", -1), "found -1 in row 2 of column \"A\"", class = "fireflip_error_argument")
  expect_error(resume("A", "3"), "column \"A\"", class = "fireflip_error_argument")
  expect_error(resume("time", NA), "column \"time\"", class = "fireflip_error_argument")
  expect_error(resume("trajectory", NA), "column \"trajectory\"", class = "fireflip_error_argument")
  expect_error(resume("A", 2^41), class = "fireflip_error_size")
  expect_error(resume("A", 1.5), "found \"auto\", which chooses an exact method", class = "fireflip_error_argument")
  expect_s3_class(resume("A", 1.5, method = "langevin"), "reaction_ensemble")
  normal <- simulate(net, nsim = 5, times = 2, output = "final", method = "langevin", seed = 1)
  expect_error(
    simulate(net, times = 3, initial = normal, seed = 2), "only the methods \"langevin\" and \"ode\" have",
    class = "fireflip_error_argument"
  )
  expect_error(
    simulate(net, times = 3, initial = as.data.frame(final), seed = 2), "5 rows. To continue trajectories, give `initial`",
    class = "fireflip_error_argument"
  )
})
