net <- pbn(list(
  r = c("c" = 0.5, "!f" = 0.5), c = c("!r" = 0.3, "f" = 0.7), f = "c ^ r", x = c("r & c & f" = 0.25, "r ^ c" = 0.75), y = "x"
), perturbation = 0.02)
sets <- c(both = "r & c", "x", rare = "r & c & f & x & y")

test_that("sets and influences agree with exact answers, with either update", {
  for (update in c("synchronous", "asynchronous")) {
    model <- net
    model$update <- update
    exact <- influence_analysis(model, sets, method = "exact")
    expect_identical(timeless(exact$states), timeless(steady_state(model, sets, method = "exact")))
    expect_identical(timeless(exact$influence), timeless(long_run_influence(model, method = "exact")))
    got <- influence_analysis(model, sets, precision = 1e-3, influence_precision = 3e-3, method = "simulation", seed = 1)
    expect_s3_class(got$states, "steady_state")
    expect_s3_class(got$influence, "long_run_influence")
    gap <- function(half, column) {
      half <- lapply(half, as.data.frame)
      varied <- half$got$upper > half$got$lower & half$got$visited == "sometimes"
      se <- (half$got$upper - half$got$lower) / 2 / qnorm(0.975)
      max((abs(half$got[[column]] - half$exact[[column]]) / se)[varied])
    }
    # 3 sets and 10 pairs, two networks: a gap of 5 standard errors has probability below 2e-5
    expect_lt(gap(list(got = got$states, exact = exact$states), "probability"), 5)
    expect_lt(gap(list(got = got$influence, exact = exact$influence), "influence"), 5)
    expect_lte(max(got$states$upper - got$states$lower) / 2, 1e-3 * 1.01)
    expect_lte(max(got$influence$upper - got$influence$lower) / 2, 3e-3 * 1.01)
    for (shared in c("seed", "samples", "burn_in", "trajectories", "seconds")) {
      expect_length(unique(c(of_run(got$states, shared), of_run(got$influence, shared))), 1L)
    }
  }
})

test_that("the precisions of both kinds determine the length of the simulation", {
  samples <- function(...) influence_analysis(net, sets, method = "simulation", seed = 2, ...)$states$samples[[1]]
  coarse <- samples(precision = 2e-2, influence_precision = 2e-2)
  by_sets <- samples(precision = 5e-4, influence_precision = 2e-2)
  by_pairs <- samples(precision = 2e-2, influence_precision = 2e-4)
  expect_gt(by_sets, 4 * coarse)
  expect_gt(by_pairs, 1.5 * coarse)
  expect_equal(samples(precision = 5e-4, influence_precision = 2e-4), max(by_sets, by_pairs), tolerance = 0.02)
  # sets alone need the same run as sets with influences of low precision, and likewise the pairs
  alone <- steady_state(net, sets, precision = 5e-4, method = "simulation", seed = 2, reduce = FALSE)
  expect_equal(by_sets, alone$samples[[1]], tolerance = 0.02)
})

test_that("the numbers are those of two calls that run the same tiles", {
  both <- influence_analysis(net, sets, precision = 1e-3, influence_precision = 1e-3, method = "simulation", seed = 3)
  alone <- steady_state(net, sets, precision = 1e-3, method = "simulation", seed = 3, reduce = FALSE)
  pairs <- long_run_influence(net, precision = 1e-3, method = "simulation", seed = 3, reduce = FALSE)
  plan <- function(x) attr(x, "run")[c("burn_in", "window", "tiles")]
  same <- function(x) identical(plan(x), plan(both))
  expect_true(same(alone) || same(pairs)) # the one that needs more samples plans the run
  if (same(alone)) expect_identical(timeless(both$states), timeless(alone))
  if (same(pairs)) expect_identical(timeless(both$influence), timeless(pairs))
})

test_that("coarse influences of many pairs get a run of their own", {
  both <- function(...) influence_analysis(
    net, sets, precision = 1e-3, influence_precision = 1e-2, method = "simulation", seed = 3, ...
  )
  got <- both()
  expect_null(attr(got, "run"))
  alone <- steady_state(net, sets, precision = 1e-3, method = "simulation", seed = 3, reduce = FALSE)
  pairs <- long_run_influence(net, precision = 1e-2, method = "simulation", seed = 3, reduce = FALSE)
  expect_identical(timeless(got$states), timeless(alone))
  expect_identical(timeless(got$influence), timeless(pairs))
  expect_lt(got$influence$samples[[1]], got$states$samples[[1]])
  # one run for one pair among five nodes, and for similar precisions
  expect_length(unique(unlist(lapply(both(from = "y", to = "y")[1:2], `[[`, "samples"))), 1L)
  near <- influence_analysis(net, sets, precision = 1e-3, influence_precision = 9.9e-3, method = "simulation", seed = 3)
  expect_identical(near$states$samples[[1]], near$influence$samples[[1]])
  # parts can be merged, also those of one half
  parts <- lapply(1:3, function(i) both(shard = c(i, 3), threads = i))
  expect_identical(timeless(do.call(c, parts)), timeless(got))
  expect_identical(timeless(do.call(c, lapply(parts, `[[`, "influence"))), timeless(pairs))
  expect_error(c(parts[[1]], near), "analyses of two runs", class = "fireflip_error_argument")
  expect_error(c(parts[[1]], alone), "only results of influence_analysis()", fixed = TRUE, class = "fireflip_error_argument")
  warned <- 0
  withCallingHandlers(c(parts[[1]], parts[[2]]), fireflip_warning_parts = function(w) {
    warned <<- warned + 1
    tryInvokeRestart("muffleWarning")
  })
  expect_identical(warned, 1)
  expect_error(as.matrix(got), "as.matrix(x$influence)", fixed = TRUE, class = "fireflip_error_argument")
  # printed output describes both runs
  expect_output(print(got), "3 state sets and 10 pairs, in two runs\n", fixed = TRUE)
  expect_output(print(got), "Long-run probability; 95% intervals", fixed = TRUE)
  expect_output(print(got), "Long-run influence, largest first; 95% intervals", fixed = TRUE)
  expect_output(print(summary(got)), "State sets.*asked for: 0.001.*Influences.*asked for: 0.01")
  pdf(NULL)
  on.exit(dev.off())
  expect_true(all(c("rhat", "width") %in% names(plot(got$influence, type = "convergence"))))
  expect_identical(plot(got, type = "convergence"), plot(got$states, type = "convergence"))
  skip_if_not_installed("ggplot2")
  expect_match(ggplot2::autoplot(got, type = "convergence")$labels$title, "run of the state sets")
  expect_null(ggplot2::autoplot(near, type = "convergence")$labels$title)
})

test_that("threads change no bit, and parts add up to the undivided run", {
  call <- function(...) influence_analysis(
    net, sets, to = c("x", "f"), precision = 1e-3, influence_precision = 2e-3, method = "simulation", seed = 4, ...
  )
  whole <- call(threads = 1)
  expect_identical(timeless(call(threads = 7)), timeless(whole))
  parts <- lapply(1:3, function(i) call(shard = c(i, 3), threads = i))
  expect_identical(timeless(do.call(c, parts)), timeless(whole))
  expect_identical(timeless(do.call(c, rev(parts))), timeless(whole))
  expect_warning(two <- c(parts[[3]], parts[[1]]), class = "fireflip_warning_parts")
  expect_output(print(two), "PART 1, 3 of 3")
  expect_identical(timeless(c(two, parts[[2]])), timeless(whole))
  expect_error(c(parts[[1]], parts[[1]]), class = "fireflip_error_argument")
  expect_error(c(parts[[1]]$states, parts[[2]]$states), "one half", class = "fireflip_error_argument")
  expect_error(c(parts[[1]], steady_state(net, sets, method = "simulation", seed = 4)), class = "fireflip_error_argument")
})

test_that("nodes that affect sets or pairs are kept", {
  wide <- pbn(list(a = "b", b = "!a", c = "!c | a", d = "c", e = "d & e"), perturbation = 0.05)
  kept <- function(...) attr(
    influence_analysis(wide, ..., precision = 0.02, influence_precision = 0.02, method = "simulation", seed = 1), "run"
  )$model$nodes
  expect_identical(kept("a", to = "b"), c("a", "b"))
  expect_identical(kept("c", to = "b"), c("a", "b", "c"))
  expect_identical(kept("a", to = "d"), c("a", "b", "c", "d"))
  expect_identical(kept("a", to = "d", reduce = FALSE), wide$nodes)
})

test_that("pairs that are no arrows, and sets that are constants, are certain", {
  got <- influence_analysis(net, c("x", "1"), from = "y", to = "x", precision = 0.01, method = "simulation", seed = 1)
  expect_identical(got$influence$influence, 0)
  expect_identical(got$influence$upper, 0)
  expect_identical(got$states$probability[[2]], 1)
  expect_true(got$states$upper[[1]] > got$states$lower[[1]])
  exact <- influence_analysis(net, "x", from = "y", to = "x", method = "exact")
  expect_identical(exact$influence$influence, 0)
})

test_that("results print, format, summarise, convert and plot", {
  got <- influence_analysis(net, sets, method = "simulation", seed = 1, precision = 5e-3, influence_precision = 1e-2)
  expect_output(print(got), "<influence_analysis> 3 state sets and 10 pairs; 95% intervals")
  expect_output(print(got, n = 2), "and 8 more rows")
  expect_output(print(influence_analysis(net, sets, method = "exact")), "10 pairs, exact")
  expect_identical(nrow(format(got)), 13L)
  expect_output(print(summary(got)), "on influences (asked for: 0.01)", fixed = TRUE)
  expect_named(summary(got)$width, c("states", "influence"))
  expect_output(print(summary(influence_analysis(net, sets, method = "exact"))), "exact")
  flat <- as.data.frame(got)
  expect_identical(class(flat), "data.frame")
  expect_identical(flat$kind, rep(c("probability", "influence"), c(3, 10)))
  expect_identical(flat$estimate, c(got$states$probability, got$influence$influence))
  expect_identical(is.na(flat$set), is.na(flat$from) == FALSE)
  pdf(NULL)
  on.exit(dev.off())
  before <- par(c("mfrow", "mai", "oma"))
  drawn <- plot(got, n = 2, main = "title")
  expect_identical(vapply(drawn, nrow, 0L), c(states = 2L, influence = 2L))
  varied <- got$influence$upper > got$influence$lower # certain influences are not drawn
  expect_identical(nrow(plot(got)$influence), sum(varied))
  expect_match(capture.output(print(got)), sprintf("^%d of 10 pairs are certain", sum(!varied)), all = FALSE)
  expect_equal(par(c("mfrow", "mai", "oma")), before)
  expect_true(all(c("rhat", "width") %in% names(plot(got, type = "convergence"))))
  expect_identical(plot(got$influence, type = "network")$node, net$nodes)
  expect_error(plot(got, type = "pie"), class = "fireflip_error_argument")
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(got)
  expect_s3_class(picture, "ggplot")
  expect_identical(picture$labels$caption, sprintf("long-run influence: %d certain, not drawn", sum(!varied)))
  expect_s3_class(ggplot2::autoplot(got, type = "convergence"), "ggplot")
})

test_that("convergence is plotted relative to the precision of each kind", {
  got <- influence_analysis(net, sets, method = "simulation", seed = 1, precision = 2e-2, influence_precision = 1e-3)
  pdf(NULL)
  on.exit(dev.off())
  last <- tail(plot(got, type = "convergence")$width, 1L)
  own <- function(x, precision) max((x$upper - x$lower)[x$visited == "sometimes"]) / 2 / precision
  # the intervals are Jeffreys', those of the trace are normal: they differ by a few per cent
  expect_equal(last, max(own(got$states, 2e-2), own(got$influence, 1e-3)), tolerance = 0.05)
  expect_identical(plot(got$influence, type = "convergence"), plot(got$states, type = "convergence"))
})

test_that("arguments are checked", {
  bad <- list(
    list(precision = 0), list(influence_precision = 0), list(influence_precision = 1), list(influence_precision = "a"),
    list(method = "magic"), list(reduce = NA), list(shard = c(2, 1), seed = 1), list(from = "nobody"), list(progress = 1)
  )
  for (arguments in bad) {
    expect_error(
      do.call(influence_analysis, c(list(net, "x"), arguments)), class = "fireflip_error_argument", info = names(arguments)
    )
  }
  expect_error(influence_analysis(net), class = "fireflip_error_argument")
  expect_error(influence_analysis(1, "x"), class = "fireflip_error_argument")
  expect_error(influence_analysis(net, "nobody"), class = "fireflip_error_parse")
})
