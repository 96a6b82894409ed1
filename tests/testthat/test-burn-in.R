# Burn-in of ensembles: against closed forms, and what must not be said.

birth <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
course <- function(net, times, nsim = 2000, seed = 1, ...) simulate(net, nsim = nsim, times = times, seed = seed, ...)

test_that("the burn-in of a birth-death process is that of its exact mean", {
  times <- seq(0, 16, 0.25)
  n <- 10000
  paths <- course(birth, times, n, output = "trajectories")
  for (sim in list(course(birth, times, n), paths)) {
    found <- burn_in(sim)
    row <- found[found$statistic == "mean", ]
    expect_true(row$stationary)
    # In standard deviations at the end, the mean differs from its limit by sqrt(10) exp(-t). A summary takes the error of a
    # difference to be 2 / sqrt(n); the true one is at most sqrt(2 / n), because the counts at two times are positively correlated
    # and sd grows. The estimate is within 4 of the latter of the truth.
    margin <- attr(found, "course")
    margin <- (margin$bound - margin$change)[margin$statistic == "mean"]
    true <- sqrt(10) * exp(-times) * (1 - exp(times - 16))
    error <- 4 * sqrt(2 / n)
    must <- true - error > pmin(margin, 0.25 - margin)
    may <- true + error > pmin(margin, 0.25 - margin)
    expect_gt(row$from, max(times[must]))
    if (inherits(sim, "reaction_ensemble")) expect_lte(row$from, times[max(which(may[-length(may)])) + 1L])
    expect_true(row$change <= row$bound && row$bound < 0.25)
    expect_identical(attr(found, "from"), max(found$from))
  }
  # trajectories give narrower bounds, and distributions
  expect_lt(burn_in(paths)$bound[[1L]], burn_in(course(birth, times, n))$bound[[1L]])
  expect_identical(burn_in(paths)$statistic, c("mean", "sd", "distribution"))
  counts <- burn_in(course(birth, times, n, output = "histogram"))
  expect_equal(counts$change[[3L]], burn_in(paths)$change[[3L]])
})

test_that("a run that is too short is not stationary, and one with few trajectories does not tell", {
  short <- burn_in(course(birth, seq(0, 2, 0.1)))
  expect_identical(short$stationary, c(FALSE, FALSE))
  expect_identical(attr(short, "from"), NA_real_)
  few <- burn_in(course(birth, 0:20, 150))
  expect_identical(few$stationary, c(NA, NA))
  expect_identical(unique(few$why), "too few trajectories")
  pure <- burn_in(course(reaction_network("0 -> A" = 1), 0:20)) # mean and variance grow for ever
  expect_identical(pure$stationary, c(FALSE, FALSE))
  dying <- burn_in(course(reaction_network("A -> 0" = 1, "B -> B" = 0.1, initial = c(A = 5, B = 3)), seq(0, 60, 2)))
  expect_identical(dying$stationary, c(NA, NA, TRUE, TRUE)) # B never changes
  expect_match(dying$why[[1L]], "same value")
  expect_snapshot({
    print(few)
    print(short)
    print(burn_in(course(birth, 0:20, 10000)))
  })
})

test_that("changes of a stationary ensemble are rarely seen", {
  # a probability of at most 0.05 by Bonferroni; 200 runs exceed the 0.999 quantile of the binomial distribution with 0.001
  alarms <- vapply(1:200, function(seed) {
    sim <- course(birth, 8:14, 120, seed, initial = c(A = 10), output = if (seed %% 2 == 0) "trajectories" else "summary")
    any(attr(burn_in(sim, tolerance = 1), "course")$seen)
  }, NA)
  expect_lte(sum(alarms), stats::qbinom(0.999, 200, 0.05))
})

test_that("an oscillation is not stationary before it is damped", {
  # 200 molecules in a ring of 12 states: an oscillation that decays as exp(-(1 - cos(pi / 6)) t)
  ring <- set_initial(reaction_model("cyclic_chain", species = 12), stats::setNames(c(200, rep(0, 11)), paste0("S", 1:12)))
  watch <- function(end) burn_in(course(ring, seq(0, end, end / 40), 6000, observe = c("S1", "S5")))
  early <- watch(15)
  expect_identical(unique(early$stationary[early$statistic == "mean"]), FALSE)
  late <- watch(100)
  expect_true(all(late$stationary))
  # The amplitude of the mean is 200 / 6 exp(-0.134 t), about 8 exp(-0.134 t) of the sd sqrt(200 * 11) / 12: above the tolerance
  # of 0.25 up to time 25, less the half period 6 in which it may be near 0. It is below 0.01 from time 50 on.
  expect_true(all(late$from[late$statistic == "mean"] > 19 & late$from[late$statistic == "mean"] < 50))
})

test_that("a slow switch is seen only by ensembles that start differently", {
  switch <- reaction_network("Off <-> On" = c(1e-5, 1e-5), "On -> On + P" = 20, "P -> 0" = 1, initial = c(On = 1, P = 20))
  times <- seq(0, 40, 2)
  on <- course(switch, times, observe = "P")
  off <- course(set_initial(switch, On = 0, Off = 1, P = 0), times, seed = 2, observe = "P")
  expect_true(all(burn_in(on)$stationary)) # nearly no trajectory has switched: this cannot be known
  expect_output(print(burn_in(on)), "slower than the run cannot be seen in one ensemble")
  both <- burn_in(on, off)
  expect_identical(both$stationary[[1L]], FALSE)
  expect_identical(both$why[[1L]], "the ensembles differ")
  # a fast one forgets its start
  fast <- set_parameters(reaction_network(
    "Off -> On" = mass_action("k"), "On -> Off" = mass_action("k"), "On -> On + P" = 20, "P -> 0" = 1,
    initial = c(On = 1, P = 20), parameters = c(k = 1)
  ), k = 2)
  other <- set_initial(fast, On = 0, Off = 1, P = 0)
  agree <- burn_in(course(fast, times, 6000, observe = "P"), course(other, times, 6000, seed = 2, observe = "P"))
  expect_true(all(agree$stationary))
  expect_lt(attr(agree, "from"), 20)
})

test_that("burn_in() tells that a number needs a name", {
  sim <- simulate(reaction_network("0 -> A" = 1), nsim = 100, times = 0:4, seed = 1)
  expect_error(burn_in(sim, 0.1), "found 0.1. Write tolerance = or confidence =", class = "fireflip_error_argument")
  expect_error(burn_in(sim, "a"), "Argument 2 must be a result", class = "fireflip_error_argument")
})

test_that("burn_in() refuses what it cannot judge", {
  sim <- course(birth, 0:10, 200)
  refused <- function(..., text) expect_error(burn_in(...), text, class = "fireflip_error_argument")
  refused(text = "found nothing")
  refused(1, text = "a result of simulate")
  refused(course(birth, 0:3, 200), text = "at least 5 times; found 4")
  refused(course(birth, 0:10, 99), text = "at least 100 trajectories; found 99")
  refused(course(birth, 0:10, 200, until = "A > 3"), text = "without `until`")
  refused(sim, sim, text = "the seed 1")
  refused(sim, course(birth, 0:9, 200, 2), text = "same times")
  refused(sim, course(reaction_network("0 -> A" = 1), 0:10, 200, 2), text = "same network")
  refused(sim, tolerence = 0.1, text = "did you mean `tolerance`")
  refused(sim, tolerance = 0, text = "tolerance")
  refused(course(birth, 10, 200, output = "final"), text = "`output`")
  paths <- course(birth, 0:10, 200, output = "trajectories")
  refused(paths[1:100, ], text = "rows removed")
})

test_that("burn_in() does not judge moments of a variable that is NaN or infinite, or too small for its powers", {
  net <- reaction_network(
    "0 -> A" = 3, "A -> 0" = 1, initial = c(A = 3),
    variables = c(ratio = "1 / A", log = "log(A - 1)", large = "A * 1e200", tiny = "A * 1e-200")
  )
  run <- function(output, seed = 1) {
    simulate(net, nsim = 300, times = 1:8, seed = seed, observe = c("A", names(net$variables)), output = output)
  }
  for (output in c("summary", "histogram", "trajectories")) {
    found <- as.data.frame(burn_in(run(output)))
    moments <- found[found$statistic != "distribution" & found$species != "A", ]
    expect_true(all(is.na(moments$stationary) & moments$bound == Inf))
    expect_identical(unique(moments$why), "values that are not finite")
    # the distributions of A and of what has its order are compared in the same way, also if NaN is the largest value
    rest <- found[found$statistic == "distribution", ]
    if (output != "summary") expect_identical(rest$change[rest$species %in% c("large", "tiny")], rep(rest$change[[1L]], 2L))
  }
  paths <- run("trajectories")
  finite <- sort(unique(paths$log[!is.nan(paths$log)]))
  below <- function(time) vapply(finite, function(at) mean((paths$log[paths$time == time] <= at) %in% TRUE), 0)
  distance <- max(vapply(5:7, function(time) max(abs(below(time) - below(8))), 0))
  found <- as.data.frame(burn_in(paths))
  expect_equal(found$change[found$species == "log" & found$statistic == "distribution"], distance)
  two <- burn_in(run("histogram"), run("histogram", 2))
  expect_false(any(two$stationary %in% FALSE))
})

test_that("plots of burn_in() have room for late changes, and mark what is above", {
  grow <- reaction_network("A -> 2 A" = 1, "0 -> B" = 10, "B -> 0" = 1, initial = c(A = 5))
  found <- burn_in(course(grow, seq(0, 6, 0.25), 200))
  course <- attr(found, "course")
  sd <- course[course$statistic == "sd", ]
  late <- sd[sd$time > 3, ]
  calls <- drawn(plot(found))
  windows <- call_of(calls, "C_plot_window")
  heights <- vapply(windows, function(call) call[[3L]][[2L]], 0)
  expect_identical(unname(lapply(windows, `[[`, 2L)), rep(list(c(0, 6)), 2L)) # all panels show the same times
  expect_gt(max(late$change), 4 * 0.25) # the axis ended here before
  expect_identical(heights[[2L]], max(late$change))
  expect_lt(heights[[2L]], max(sd$change[is.finite(sd$change)]) / 10)
  # a triangle in the colour of its species wherever the change is above the axis
  edge <- 1.04 * heights[[2L]]
  marks <- Filter(function(call) call[[4L]] == 17, call_of(calls, "C_plotXY"))
  above <- sd[sd$change > edge, ]
  expect_identical(unique(above$species), "A")
  expect_equal(marks[[2L]][[2L]]$x, above$time)
  expect_equal(marks[[2L]][[2L]]$y, rep(edge, nrow(above)))
  expect_identical(unique(marks[[2L]][[6L]]), course_colours(1L))
  # the first standard deviation of B is 0 in the sample, so nothing is known of its change
  shown <- null_device(plot(found))
  expect_identical(min(shown$x[shown$panel == "sd, relative" & shown$series == "B"]), 0.25)
  # all changes are within a logarithmic axis
  expect_identical(sum(lengths(lapply(call_of(drawn(plot(found, log = "y")), "C_plotXY"), function(call) {
    if (identical(call[[4L]], 17)) call[[2L]]$x
  }))), 0L)
})

test_that("autoplot() of burn_in() ends where plot() does", {
  skip_if_not_installed("ggplot2")
  grow <- reaction_network("A -> 2 A" = 1, initial = c(A = 5))
  found <- burn_in(course(grow, seq(0, 6, 0.25), 200))
  tops <- burn_in_series(found, 10)$top
  built <- ggplot2::ggplot_build(ggplot2::autoplot(found))$data
  ribbon <- Filter(function(layer) "ymax" %in% names(layer) && "fill" %in% names(layer), built)[[1L]]
  for (panel in seq_along(tops)) {
    name <- c("mean, in sd", "sd, relative", "distribution")[[panel]]
    expect_lte(max(ribbon$ymax[ribbon$PANEL == panel]), tops[[name]] * (1 + 1e-9))
  }
})

test_that("courses are cut where they cross the ends of their axes", {
  data <- data.frame(
    x = 0:3, series = factor("A"), value = c(Inf, 4, 2, 0), lower = c(Inf, 4, 2, 0), upper = c(Inf, 6, 3, Inf),
    panel = factor("p")
  )
  cut <- cut_at_tops(data, c(p = 3))
  expect_equal(cut$value[cut$x == 1.5], 3) # half-way between 4 and 2
  expect_true(all(is.na(cut$value[cut$x < 1.5 - 1e-9])))
  expect_equal(cut$value[cut$x >= 2 & cut$x %in% 0:3], c(2, 0))
  expect_identical(max(cut$upper), 3)
  expect_equal(cut$upper[cut$x == 3], 3) # a band without a bound
})
