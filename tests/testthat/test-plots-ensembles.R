# Plots of ensembles with ggplot2, of sweeps, comparisons, noise and burn-in.

net <- reaction_network("0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A <-> B" = c(0.1, 0.5), parameters = c(k = 8))
sim <- simulate(net, nsim = 200, times = 0:6, seed = 1)
paths <- simulate(net, nsim = 12, times = 0:6, seed = 1, output = "trajectories")
counts <- simulate(net, nsim = 200, times = c(0, 6), seed = 1, output = "histogram")
firings <- simulate(net, nsim = 12, times = 2, seed = 1, output = "events")
passage <- first_passage(net, "A >= 6", nsim = 100, end = 3, seed = 1)
several <- sweep_parameters(net, data.frame(k = c(4, 8), A = 0:1), nsim = 100, times = c(1, 4), seed = 1)
single <- sweep_parameters(net, expand.grid(k = c(4, 8, 16), A = 0:1), nsim = 100, times = 4, seed = 1)
compared <- compare_ensembles(sim, simulate(net, nsim = 200, times = 0:6, seed = 2))
exact <- chemical_master_equation(net, c(0.5, 2))
results <- list(
  sim, paths, counts, firings, passage, several, single, compared, exact, noise(sim), burn_in(sim),
  noise_decomposition(several, settings = "all")
)

test_that("every result for reaction networks has a plot() and an autoplot()", {
  for (x in results) {
    before <- null_device({
      old <- graphics::par(no.readonly = TRUE)
      plot(x)
      expect_identical(graphics::par("mar", "mfrow"), old[c("mar", "mfrow")])
    })
  }
  skip_if_not_installed("ggplot2")
  for (x in results) {
    picture <- ggplot2::autoplot(x)
    expect_s3_class(picture, "ggplot")
    expect_silent(null_device(print(picture)))
  }
})

test_that("autoplot() draws what plot() draws", {
  skip_if_not_installed("ggplot2")
  layer <- function(picture, number) ggplot2::layer_data(picture, number)
  for (band in c("sd", "interval", "range")) {
    base <- null_device(plot(sim, band = band))
    ribbon <- layer(ggplot2::autoplot(sim, band = band), 1L)
    limits <- band_of(base[base$species == "A", ], band)
    known <- ifelse(is.na(limits[[2L]]), base$mean[base$species == "A"], limits[[2L]])
    expect_equal(ribbon$ymax[ribbon$group == 1L], known)
  }
  expect_identical(length(ggplot2::autoplot(sim, band = "none")$layers), 1L)
  expect_identical(ggplot2::autoplot(sim, n = 1)$labels$caption, "band: mean and sd; 1 of 2 species")
  lines <- layer(ggplot2::autoplot(paths, n = 3), 1L)
  expect_setequal(lines$y, unlist(null_device(plot(paths, n = 3))[c("A", "B")]))
  expect_match(ggplot2::autoplot(paths, n = 3)$labels$caption, "3 of 12 trajectories")
  bars <- layer(ggplot2::autoplot(counts), 1L)
  expect_setequal(bars$y[bars$y > 0], null_device(plot(counts))$proportion)
  expect_error(ggplot2::autoplot(counts, time = 3), class = "fireflip_error_argument")
  steps <- layer(ggplot2::autoplot(passage), 1L)
  expect_equal(max(steps$y), mean(!passage$censored))
  marks <- layer(ggplot2::autoplot(firings, n = 5), 1L)
  expect_identical(nrow(marks), nrow(null_device(plot(firings, n = 5))))
  moments <- layer(ggplot2::autoplot(exact, type = "moments"), 2L)
  expect_setequal(moments$y, summary(exact)$mean)
  marginals <- ggplot2::autoplot(exact, species = "A")
  expect_s3_class(marginals, "ggplot")
})

test_that("a histogram with gaps has no bar between the counts", {
  rows <- data.frame(count = c(0, 1, 50), proportion = c(0.5, 0.3, 0.2))
  expect_equal(outline(rows, "A")$x, c(-0.5, -0.5, 0.5, 0.5, 1.5, 1.5, 49.5, 49.5, 50.5, 50.5))
  expect_equal(outline(rows, "A")$value, c(0, 0.5, 0.5, 0.3, 0.3, 0, 0, 0.2, 0.2, 0))
})

test_that("a sweep is drawn over the time, or over its first value", {
  over_time <- null_device(plot(several))
  expect_identical(levels(over_time$series), c("k = 4, A = 0", "k = 8, A = 1"))
  expect_setequal(over_time$x, c(1, 4))
  over_value <- null_device(plot(single, n = 1))
  expect_identical(levels(over_value$series), c("A = 0", "A = 1"))
  expect_setequal(over_value$x, c(4, 8, 16))
  expect_identical(levels(over_value$panel), "A")
  expect_equal(over_value$value[over_value$x == 8 & over_value$series == "A = 0"],
    single$mean[single$k == 8 & single$A == 0 & single$species == "A"])
  final <- sweep_parameters(net, data.frame(k = 1:2), nsim = 5, times = 1, output = "final", seed = 1)
  expect_error(plot(final), "found one with \"final\"", class = "fireflip_error_argument")
  expect_error(plot(final, species = "A"), "found one with \"final\"", class = "fireflip_error_argument")
})

test_that("species of a sweep can be chosen", {
  two <- sweep_parameters(reaction_network("A -> B" = mass_action("k"), initial = c(A = 9), parameters = c(k = 1)),
    data.frame(k = 1:3), nsim = 5, times = 1, seed = 1)
  expect_identical(levels(null_device(plot(two, species = "B"))$panel), "B")
  expect_identical(null_device(plot(two, species = 2)), null_device(plot(two, species = "B")))
  expect_identical(levels(sweep_series(two, "none", 4, "B")$data$panel), "B")
  expect_error(plot(two, species = "b"), "did you mean \"B\"", class = "fireflip_error_argument")
})

test_that("plots of comparisons, noise and burn-in have their values", {
  points <- null_device(plot(compared))
  expect_equal(points$value, compared$adjusted[!is.na(compared$adjusted)])
  fano <- null_device(plot(noise(sim)))
  expect_equal(fano$value, noise(sim)$fano[!is.na(noise(sim)$fano)])
  expect_equal(null_device(plot(noise(sim), what = "cv2", log = "y"))$value[1:2], noise(sim)$cv2[3:4])
  expect_identical(levels(null_device(plot(noise(sim), species = "B"))$series), "B")
  expect_error(plot(noise(sim), species = "b"), "did you mean \"B\"", class = "fireflip_error_argument")
  expect_identical(levels(null_device(plot(burn_in(sim)))$series), c("A", "B"))
  parts <- null_device(plot(results[[12L]]))
  expect_identical(levels(parts$series), noise_parts)
  empty <- noise(simulate(reaction_network("0 -> A" = 1e-9), nsim = 200, times = 1, seed = 1))
  expect_error(plot(empty), "no value is known", class = "fireflip_error_argument")
})

test_that("species are chosen by name or number", {
  net <- reaction_network("A -> B" = 1, "B -> C" = 1, initial = c(A = 20))
  for (output in c("summary", "trajectories", "histogram")) {
    sim <- simulate(net, nsim = 20, times = 0:2, output = output, seed = 1)
    drawn <- of_species(sim, c("C", "A"))
    if (output == "trajectories") expect_named(drawn, c("trajectory", "time", "C", "A")) else {
      expect_setequal(drawn$species, c("A", "C"))
    }
    expect_identical(of_species(sim, 2), of_species(sim, "B"))
    expect_no_error(null_device(plot(sim, species = "B")))
    expect_error(null_device(plot(sim, species = "D")), "names \"D\"", class = "fireflip_error_argument")
  }
})

test_that("lines of a sweep have different names, however many parameters vary", {
  net <- reaction_network("A -> B" = "first_rate * A", "B -> A" = "second_rate * B", initial = c(A = 20),
                          parameters = c(first_rate = 1, second_rate = 1))
  sweep <- sweep_parameters(net, expand.grid(first_rate = 1:2, second_rate = 1:2), nsim = 30, times = 0:1, seed = 1)
  plan <- sweep_series(sweep, "none", 10)
  expect_setequal(plan$data$series, c("1, 1", "2, 1", "1, 2", "2, 2"))
  expect_true(any(grepl("lines: first_rate, second_rate", plan$note)))
})

test_that("misspelt arguments of plots are errors, and the right ones are accepted", {
  for (x in results) {
    null_device({
      expect_error(plot(x, xlabb = "x"), "did you mean `xlab`?", class = "fireflip_error_argument", fixed = TRUE)
      expect_error(plot(x, maim = "x"), "did you mean `main`?", class = "fireflip_error_argument", fixed = TRUE)
      expect_error(plot(x, wrong = 1), "plot.default", class = "fireflip_error_argument", fixed = TRUE)
      expect_no_warning(plot(x, xlab = "x", cex.axis = 0.8, lwd = 3, lty = 2, col = "red", las = 1, bty = "n"))
    })
  }
  null_device({
    expect_snapshot(error = TRUE, {
      plot(sim, bnad = "sd")
      plot(sim, "sd", 3, NULL, NULL, 5)
      plot(paths, mar = c(1, 1, 1, 1))
    })
  })
})

test_that("lwd and lty reach every line of a plot", {
  for (x in results[!vapply(results, inherits, NA, "ensemble_comparison")]) { # a comparison has points alone
    lines <- drawn_lines(plot(x, lwd = 6, lty = 3))
    lines <- lines[!lines$col %in% "grey50", ] # not those that show a limit
    expect_gt(nrow(lines), 0L)
    expect_true(all(lines$lwd >= 3) && all(unlist(lines$lty) == 3), info = class(x)[[1L]])
  }
  network <- example_model("decay_dimerisation")
  lines <- drawn_lines(plot(network, lwd = 3, lty = 3))
  expect_equal(max(lines$lwd), 3 * max(drawn_lines(plot(network))$lwd))
  expect_true(3 %in% unlist(lines$lty))
  two <- drawn_lines(plot(sim, lwd = c(2, 5), lty = 2:1))
  expect_true(all(c(2, 5) %in% two$lwd) && all(2:1 %in% unlist(two$lty)))
})

test_that("numbers of trajectories at the axis are whole", {
  ticks <- function(...) {
    axis <- Filter(function(call) call[[2L]] == 2, call_of(drawn(plot(firings, ...)), "C_axis"))[[1L]]
    if (is.null(axis$yaxp)) grDevices::axisTicks(c(0.5, 2.5), FALSE) else graphics::axTicks(2, axis$yaxp, log = FALSE)
  }
  for (n in 1:12) {
    at <- ticks(n = n)
    expect_identical(at, round(at))
    expect_true(any(at >= 1 & at <= n))
  }
  expect_identical(ticks(n = 2, yaxp = c(0.5, 2.5, 4)), seq(0.5, 2.5, 0.5))
  for (more in list(list(ylim = c(0, 5)), list(log = "y"), list(yaxt = "n"), list(axes = FALSE))) {
    expect_no_error(null_device(do.call(plot, c(list(firings, n = 2), more))))
  }
})

test_that("a band on a logarithmic axis ends where a count is 0", {
  decay <- reaction_network("A -> B" = 1, "B -> 0" = 1, initial = c(A = 20))
  many <- simulate(decay, nsim = 50, times = 0:20, seed = 1)
  expect_identical(many$sd[many$time == 20], c(0, 0))
  calls <- drawn(plot(many, log = "y"))
  bands <- call_of(calls, "C_polygon")
  expect_length(bands, 2L)
  for (band in bands) expect_true(all(band[[3L]] > 0))
})

test_that("the label of a logarithmic axis has room", {
  room <- function(log) null_device({
    graphics::plot.new()
    axis_lines(c(0.01, 20), log)
  })
  expect_gt(room("y"), room(""))
})

test_that("names that begin alike are told apart", {
  long <- paste0("a_long_name_of_a_species_", c(1:9, 10), "_bound")
  shown <- distinct_names(c("A", long))
  expect_identical(anyDuplicated(shown), 0L)
  expect_lte(max(nchar(shown)), 20L)
  expect_identical(shown[[1L]], "A")
  expect_identical(shown[2:3], c("..._species_1_bound", "..._species_2_bound"))
  other <- c("a name of thirty letters, so long", "B")
  expect_identical(distinct_names(other), cut_text(other, 20L))
  complexes <- c(
    "egf(r!1).egf(r!2).egfr(Y1068~Y,Y1148~Y,l!2,r!3).egfr(Y1068~pY,Y1148~Y,l!1,r!3)",
    "egf(r!1).egf(r!2).egfr(Y1068~Y,Y1148~Y,l!2,r!3).egfr(Y1068~Y,Y1148~pY,l!1,r!3)", "egf(r!1).egfr(Y1068~pY,Y1148~Y,l!1,r)"
  )
  expect_identical(anyDuplicated(distinct_names(complexes)), 0L)
  expect_identical(distinct_names(rep(long[[1L]], 2L)), cut_text(rep(long[[1L]], 2L), 20L))
})

test_that("final states of trajectories that have ended at different times are points", {
  ended <- simulate(net, nsim = 30, times = 5, until = "B >= 3", output = "final", seed = 1)
  expect_gt(unique_count(ended$time), 5L)
  expect_false(shown_paths(ended, 10, NULL)$steps)
  expect_true(shown_paths(paths, 10, NULL)$steps)
  null_device(plot(ended))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(ended)$layers[[1L]]$geom, "GeomPoint")
  expect_silent(null_device(print(ggplot2::autoplot(ended))))
})

test_that("no firings are nothing to plot, and burn_in() tells different numbers of trajectories", {
  none <- simulate(reaction_network("0 -> A" = 1e-9), nsim = 3, times = 1, output = "events", seed = 1)
  expect_error(plot(none), "no reaction has fired", class = "fireflip_error_argument")
  more <- simulate(net, nsim = 1000, times = 0:6, seed = 3)
  expect_output(print(burn_in(sim, more)), "2 ensembles of 200 to 1,000 trajectories")
})

test_that("many lines have different colours, and their names fit on the page", {
  expect_identical(anyDuplicated(course_colours(100)), 0L)
  expect_identical(course_colours(3), course_colours(40)[1:3])
  net <- do.call(reaction_network, c(stats::setNames(as.list(rep(1, 60)), sprintf("0 -> A%d", 1:60))))
  sim <- simulate(net, nsim = 3, times = 0:2, seed = 1)
  events <- simulate(net, nsim = 3, times = 2, seed = 1, output = "events")
  for (code in list(quote(plot(sim, n = Inf)), quote(plot(events)), quote(plot(sim)))) {
    texts <- call_of(drawn(eval(code), height = 4), "C_text")
    legend <- texts[[length(texts)]]
    names <- legend[[3L]]
    # a line of text is 0.2 inches high at the size 1, and the figure is 4 inches high
    expect_lt(length(names) * 0.2 * 0.6, 4)
    last <- names[[length(names)]]
    if (identical(code, quote(plot(sim)))) expect_length(names, 10L) else expect_match(last, "^[+] [0-9]+ more$")
  }
  skip_if_not_installed("ggplot2")
  scale <- ggplot2::autoplot(sim, n = Inf)$scales$get_scales("colour")
  expect_length(scale$get_breaks(), 20L)
  expect_identical(scale$name, "20 of 60")
})

test_that("a logarithmic axis of times leaves out time 0, without a warning", {
  for (x in list(sim, paths, firings, passage, noise(sim))) expect_no_warning(null_device(plot(x, log = "x")))
  expect_error(
    null_device(plot(simulate(net, nsim = 40, times = 0, seed = 1), log = "x")), "no value on the x axis is above 0",
    class = "fireflip_error_argument"
  )
})
