# Quantiles and histograms in bins of results for reaction networks.

net <- reaction_network("0 -> 10 P" = 2, "P -> Q" = 1, "Q -> 0" = 1)
run <- function(output, ...) simulate(net, nsim = 300, times = c(0, 2, 5), output = output, seed = 1, ...)
counts <- run("histogram")
paths <- run("trajectories")
ends <- run("final")

test_that("quantiles are the same for every kind of result", {
  probs <- c(0, 0.025, 0.1, 0.5, 1)
  found <- quantile(paths, probs)
  expect_named(found, c("time", "species", "q0", "q2.5", "q10", "q50", "q100"))
  expect_identical(found$time, rep(c(0, 2, 5), each = 2))
  expect_identical(found$species, rep(c("P", "Q"), 3))
  known <- stats::quantile(paths$Q[paths$time == 2], probs, type = 1)
  expect_equal(unlist(found[4L, -(1:2)], use.names = FALSE), unname(known))
  expect_equal(quantile(counts, probs), found)
  sim <- run("summary", quantiles = c(0.1, 0.5))
  expect_equal(quantile(sim, probs), found)
  expect_equal(plain_frame(sim)[c("q10", "q50")], found[c("q10", "q50")])
  last <- found[5:6, ]
  rownames(last) <- NULL
  expect_equal(quantile(ends, probs), last)
  expect_equal(quantile(sim[sim$time == 5, ], probs), last)
  expect_equal(quantile(counts[counts$time == 5, ], probs), last)
  expect_named(quantile(counts), c("time", "species", "q0", "q25", "q50", "q75", "q100"))
  # real numbers, and times at which trajectories stop
  smooth <- simulate(net, nsim = 50, times = 1, method = "langevin", output = "final", seed = 1)
  expect_equal(quantile(smooth, 0.3)$q30[[1L]], unname(stats::quantile(smooth$P, 0.3, type = 1)))
  stopped <- simulate(net, nsim = 50, times = 5, until = "P >= 10", output = "final", seed = 1)
  expect_identical(quantile(stopped)$time, c(5, 5))
})

test_that("the methods are found outside the package", {
  for (class in c("ensemble", "ensemble_histogram", "ensemble_trajectories")) {
    expect_false(is.null(utils::getS3method("quantile", class, envir = globalenv())))
    expect_false(is.null(utils::getS3method("hist", class, envir = globalenv())))
  }
})

test_that("quantiles that cannot be had, and bad probabilities, are errors", {
  expect_snapshot(error = TRUE, {
    quantile(run("summary"))
    quantile(counts, 2)
    quantile(counts, c(0.5, 0.5))
    quantile(counts, type = 7)
    quantile(paths[0, ])
  })
})

test_that("hist() has the counts of the trajectories", {
  bars <- null_device(hist(ends))
  expect_named(bars, c("P", "Q"))
  expect_s3_class(bars$P, "histogram")
  expect_identical(sum(bars$P$counts), 300)
  expect_equal(sum(bars$P$density * diff(bars$P$breaks)), 1)
  expect_equal(bars$Q$counts, as.vector(table(factor(ends$Q, min(ends$Q):max(ends$Q)))))
  expect_identical(null_device(hist(counts)), bars)
  expect_identical(null_device(hist(paths)), bars)
  early <- null_device(hist(paths, time = 2, species = "Q"))
  expect_identical(early, null_device(hist(counts, time = 2, species = 2)))
  ten <- null_device(hist(ends, breaks = 10))$P
  expect_lte(length(ten$counts), 10)
  expect_true(ten$equidist && all(ten$breaks %% 1 == 0.5))
  own <- null_device(hist(ends, species = "P", breaks = c(-1, 10, 100)))$P
  expect_identical(own$counts, c(sum(ends$P <= 10), sum(ends$P > 10)) + 0)
  expect_false(own$equidist)
  smooth <- simulate(net, nsim = 50, times = 1, method = "langevin", output = "final", seed = 1)
  expect_identical(sum(null_device(hist(smooth))$P$counts), 50)
  one <- null_device(hist(paths, time = 0))$P # a single count
  expect_identical(c(one$breaks, one$counts), c(-0.5, 0.5, 300))
  null_device(expect_no_warning(hist(ends, freq = TRUE, col = "red", border = NA, xlab = "x", main = "m", density = 10)))
  null_device(expect_snapshot(error = TRUE, {
    hist(counts, time = 3)
    hist(ends, breaks = "Sturges")
    hist(ends, breaks = c(1, 0))
    hist(ends, breaks = c(5, 6))
    hist(ends, bordr = NA)
    hist(ends, species = "R")
  }))
})

test_that("a summary with quantiles has a band between them", {
  sim <- run("summary", quantiles = c(0.5, 0.1, 0.9))
  plan <- ensemble_series(sim, "quantile", 10)
  expect_equal(plan$data$lower, sim$q10)
  expect_equal(plan$data$upper, sim$q90)
  expect_identical(plan$note, "band: quantiles of 10% and 90%")
  expect_no_error(null_device(plot(sim, band = "quantile")))
  expect_error(plot(run("summary", quantiles = 0.5), band = "quantile"), "found 1 quantile", class = "fireflip_error_argument")
  sweep <- sweep_parameters(net, data.frame(P = 0:1), nsim = 50, times = 1:2, quantiles = c(0.2, 0.8), seed = 1)
  expect_equal(range(sweep_series(sweep, "quantile", 4)$data$upper), range(sweep$q80))
  skip_if_not_installed("ggplot2")
  expect_identical(ggplot2::autoplot(sim, band = "quantile")$labels$caption, "band: quantiles of 10% and 90%")
})

test_that("hist() of a summary draws its histograms, if it has them", {
  on.exit(grDevices::dev.off())
  grDevices::pdf(NULL)
  net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
  run <- function(...) simulate(net, nsim = 100, times = c(1, 5), seed = 1, ...)
  expect_identical(hist(run(quantiles = 0.5), time = 1, n = 1), hist(run(output = "histogram"), time = 1, n = 1))
  expect_error(hist(run()), "found a summary without quantiles", class = "fireflip_error_argument")
})

test_that("a variable that is NaN or infinite in some trajectories has the same quantiles in every kind of result", {
  net <- reaction_network("0 -> A" = 1, "0 -> B" = 1, variables = c(ratio = "B / A"))
  run <- function(output, ...) {
    simulate(net, nsim = 60, times = 0:1, output = output, observe = c("A", "ratio"), seed = 1, ...)
  }
  known <- quantile(run("histogram"))
  expect_true(all(is.nan(unlist(known[2L, -(1:2)])))) # 0 / 0 at time 0
  expect_true(is.nan(known$q100[[4L]]) && is.finite(known$q25[[4L]]))
  expect_equal(quantile(run("trajectories")), known)
  expect_equal(quantile(run("summary", quantiles = 0.5)), known)
  expect_equal(summary(run("histogram"))$different[[2L]], 1L)
  expect_identical(run("summary")$sd_upper[1:2], c(0, NA)) # the standard deviation of NaN is not known
  for (output in c("histogram", "summary")) {
    quantiles <- if (output == "summary") 0.5
    parts <- lapply(1:3, function(i) run(output, quantiles = quantiles, shard = c(i, 3)))
    expect_identical(do.call(c, parts), run(output, quantiles = quantiles)) # also where a part has both NaN and numbers
  }
  for (x in list(run("histogram"), run("trajectories"))) {
    expect_error(null_device(hist(x)), "found NaN|found Inf", class = "fireflip_error_argument")
    expect_no_error(null_device(hist(x, species = "A")))
  }
  expect_error(null_device(plot(run("histogram"), time = 0)), "found NaN for \"ratio\"", class = "fireflip_error_argument")
  expect_no_error(null_device(plot(run("histogram"), species = "A")))
})

test_that("results without a distribution of counts are refused by name", {
  net <- reaction_network("0 -> A" = mass_action("k"), "A -> 0" = 1, parameters = c(k = 5))
  events <- simulate(net, times = 1, output = "events", seed = 1)
  sweep <- sweep_parameters(net, data.frame(k = 1:2), nsim = 5, times = 1, seed = 1)
  passage <- first_passage(net, "A > 3", nsim = 10, end = 10, seed = 1)
  solution <- chemical_master_equation(net, times = 1)
  expect_snapshot(error = TRUE, quantile(events))
  expect_snapshot(error = TRUE, hist(events))
  expect_snapshot(error = TRUE, quantile(sweep, 0.5))
  expect_snapshot(error = TRUE, hist(sweep))
  expect_snapshot(error = TRUE, quantile(passage, 0.5))
  expect_snapshot(error = TRUE, hist(passage))
  expect_snapshot(error = TRUE, quantile(solution))
  expect_snapshot(error = TRUE, hist(solution))
  expect_error(mean(passage), "mean\\(\\) does not apply to times of first passage; summary", class = "fireflip_error_argument")
  expect_error(median(passage), "median\\(\\) does not apply", class = "fireflip_error_argument")
})

test_that("a species that was not observed is missing from the result, not from the network", {
  net <- reaction_network("A -> B" = 1, initial = c(A = 50))
  sim <- simulate(net, nsim = 30, times = 1, observe = "A", seed = 1)
  expect_error(plot(sim, species = "B"), "which the result does not have", class = "fireflip_error_argument")
  expect_error(simulate(net, times = 1, observe = "C"), "which the network does not have", class = "fireflip_error_argument")
})

test_that("first_passage() accepts species with the names of its columns", {
  for (name in c("time", "trajectory")) {
    net <- reaction_network(data.frame(equation = sprintf("%s -> B", name), rate = 1))
    net <- set_initial(net, stats::setNames(3, name))
    expect_true(all(first_passage(net, "B >= 1", nsim = 5, end = 1e3, seed = 1)$time > 0))
  }
})
