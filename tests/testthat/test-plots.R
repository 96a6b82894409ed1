# What a plot draws: each text with where it goes, from the device's record.
drawn <- function(code, width = 7, height = 5) {
  file <- recording_device(width, height)
  on.exit(unlink(file))
  force(code)
  record <- grDevices::recordPlot()
  grDevices::dev.off()
  calls <- lapply(record[[1L]], function(call) c(list(call[[2L]][[1L]]$name), as.list(call[[2L]])[-1L]))
  names(calls) <- vapply(calls, `[[`, "", 1L)
  calls
}

recording_device <- function(width, height) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, width, height)
  grDevices::dev.control("enable")
  file
}

side_texts <- function(calls, side) {
  unlist(lapply(
    calls[names(calls) == "C_mtext"], function(call) if (identical(as.numeric(call[[3L]]), side)) as.character(call[[2L]])
  ))
}

axes_of <- function(calls) {
  lapply(calls[names(calls) == "C_axis"], function(call) list(side = call[[2L]], at = call[[3L]], labels = call[[4L]]))
}

net <- set_perturbation(example_model("cellcycle"), 0.01)

test_that("steps of trajectories are where they belong", {
  paths <- simulate(net, nsim = 3, seed = 1, steps = 50)
  axes <- axes_of(drawn(plot(paths, n = 3)))
  expect_length(axes, 3L)
  starts <- vapply(axes, function(axis) axis$at[axis$labels == 0], 0)
  gap <- starts[[2L]] - starts[[1L]] - 51
  expect_gt(gap, 0)
  expect_equal(unname(diff(starts)), rep(51 + gap, 2))
  for (axis in axes) {
    expect_gte(length(axis$at), 3L)
    expect_equal(axis$at - axis$at[[1L]], axis$labels)
    expect_true(all(axis$labels %% 10 == 0 & axis$labels <= 50))
  }
  # kept steps are counted, not rows
  axis <- axes_of(drawn(plot(simulate(net, seed = 1, steps = 200, every = 10))))[[1L]]
  expect_equal(axis$at, axis$labels / 10 + 1)
  expect_equal(max(axis$labels), 200)
  expect_equal(axes_of(drawn(plot(simulate(net, seed = 1, steps = 0))))[[1L]]$labels, 0)
})

test_that("trajectories are numbered, and left out in words", {
  paths <- simulate(net, nsim = 3, seed = 1, steps = 5)
  expect_true(all(c("trajectory 1", "2", "dark: 1; 2 of 3 trajectories") %in% side_texts(drawn(plot(paths, n = 2)), 3)))
  expect_true(all(c("trajectory 1", "2", "3", "dark: 1") %in% side_texts(drawn(plot(paths, n = 9)), 3)))
  drawn(expect_identical(unique(plot(paths[paths$trajectory > 1, ])$trajectory), 2L))
  drawn(expect_error(plot(paths[0, ]), class = "fireflip_error_argument"))
  drawn(expect_error(plot(paths[1:2]), class = "fireflip_error_argument"))
})

many <- set_perturbation(random_pbn(45, seed = 2), 0.05)
activity <- node_activity(many, precision = 0.05, method = "simulation", seed = 1)

test_that("every row drawn has its label, and those left out are counted", {
  calls <- drawn(shown <- plot(activity))
  expect_identical(nrow(shown), 30L)
  expect_identical(side_texts(calls, 2), shown$label, ignore_attr = TRUE)
  expect_true("30 of 45, largest first" %in% side_texts(calls, 3))
  calls <- drawn(shown <- plot(activity, n = 45))
  expect_setequal(side_texts(calls, 2), many$nodes)
  expect_null(side_texts(calls, 3))
  calls <- drawn(plot(simulate(many, seed = 1, steps = 3)))
  expect_setequal(side_texts(calls, 2), many$nodes)
})

test_that("long labels are shortened in the plot alone", {
  name <- strrep("wide", 20)
  sets <- stats::setNames(c("CycD & Rb", "E2F"), c(name, "e"))
  state <- steady_state(net, sets, precision = 0.05, method = "simulation", seed = 1)
  labels <- side_texts(drawn(shown <- plot(state)), 2)
  expect_true(name %in% shown$label)
  expect_true(all(nchar(labels) <= 40L))
  expect_true(any(grepl("^wide.*[.]{3}$", labels)))
  expect_identical(short_label(c("abc", strrep("x", 41))), c("abc", paste0(strrep("x", 37), "...")))
  pairs <- c("C8act_DISCact_2 > C8act_FLIP", "RIP > DISCact_2_C8act_FLIP", "a > b", "C8act_DISCact_2 > DISCact_2_C8act")
  expect_identical(short_label(pairs, 20L), c("C8ac... > C8act_FLIP", "RIP > DISCact_2_C...", "a > b", "C8act... > DISCac..."))
  expect_true(all(nchar(short_label(pairs, 8L)) <= 8L))
})

# Of each plot in a figure: the labels on its left, the widest as it is drawn, and the margin, in inches.
left_margins <- function(calls, width, height) {
  file <- recording_device(width, height)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  graphics::plot.new()
  found <- list()
  mai <- NULL
  for (call in calls) {
    if (call[[1L]] == "C_par" && !is.null(call[[2L]]$mai)) mai <- call[[2L]]$mai[[2L]]
    if (call[[1L]] != "C_mtext" || as.numeric(call[[3L]]) != 2) next
    size <- if (is.na(call[[9L]])) 1 else call[[9L]]
    drawn <- max(graphics::strwidth(call[[2L]], "inches", cex = size))
    found[[length(found) + 1L]] <- list(labels = call[[2L]], drawn = drawn, margin = mai, line = graphics::par("csi"))
  }
  found
}

test_that("labels are as wide as their margins, in both panels of an analysis", {
  apoptosis <- example_model("apoptosis")
  sets <- c("complex2 & !apoptosis | TNF & UV", "a set with a name that goes on" = "C8act & RIP", apoptosis = "apoptosis")
  wide <- influence_analysis(apoptosis, sets, precision = 0.02, influence_precision = 0.02, method = "simulation", seed = 1)
  small <- influence_analysis(net, c(on = "CycB"), precision = 0.02, influence_precision = 0.02, method = "simulation", seed = 1)
  for (size in c(480 / 72, 5, 12)) {
    for (x in list(wide, small)) {
      panels <- left_margins(drawn(plot(x, main = "title"), size, size), size, size)
      expect_length(panels, 2L)
      rows <- vapply(analysis_ranked(x, 30), nrow, 0L)
      if (size > 5) expect_identical(lengths(lapply(panels, `[[`, "labels")), rows, ignore_attr = TRUE)
      for (panel in panels) {
        # mtext() leaves 0.4 lines to the plot; the text may touch the figure's edge and not pass it
        expect_lte(panel$drawn, panel$margin - 0.4 * panel$line)
        # and no more is left than a line (but for the least margin of two lines); the axis is longer than its rows are high,
        # which may have made letters smaller by a tenth
        if (panel$margin > 2 * panel$line && !any(grepl("...", panel$labels, fixed = TRUE))) {
          expect_gte(panel$drawn * 1.15, panel$margin - panel$line)
        }
      }
    }
  }
  # at 480 pixels only what is longest is cut, and there both ends of a pair are still there
  labels <- left_margins(drawn(plot(wide), 480 / 72, 480 / 72), 480 / 72, 480 / 72)[[2L]]$labels
  expect_lt(mean(grepl("...", labels, fixed = TRUE)), 0.3)
  expect_true(all(grepl("^[^ ]+ > [^ ]+$", labels)))
})

test_that("small devices get small plots", {
  state <- steady_state(net, c(a = "CycD & Rb", "E2F | CycE | CycA"), precision = 0.05, method = "simulation", seed = 1)
  for (size in c(0.8, 1.5, 3)) {
    expect_error(drawn({
      before <- graphics::par(c("mai", "mgp", "mfrow"))
      plot(state, main = "title")
      plot(activity, type = "convergence", main = "title")
      plot(simulate(many, nsim = 2, seed = 1, steps = 5), n = 2, main = "title")
      plot(net, main = "title")
      plot(stationary_distribution(net), main = "title")
      expect_equal(graphics::par(c("mai", "mgp", "mfrow")), before)
    }, size, size), NA)
  }
})

test_that("a distribution's plot names its nodes and states in full", {
  pi <- stationary_distribution(net)
  calls <- drawn(top <- plot(pi, n = 20))
  labels <- side_texts(calls, 2)
  nodes <- setdiff(names(pi), "probability")
  expect_identical(rev(unname(labels)), unname(apply(top[nodes], 1, paste, collapse = "")))
  expect_true(
    all(c(paste("states of", paste(nodes, collapse = " ")), "20 of 512, most probable first") %in% side_texts(calls, 3))
  )
  small <- stationary_distribution(set_perturbation(example_model("shmulevich3"), 0.01))
  calls <- drawn(plot(small))
  expect_identical(side_texts(calls, 3), "states of x1 x2 x3", ignore_attr = TRUE)
  expect_length(side_texts(calls, 2), 8L)
})

test_that("convergence shows what was wanted, and its legend is above the data", {
  calls <- drawn(trace <- plot(activity, type = "convergence"))
  lines <- lapply(calls[names(calls) == "C_abline"], function(call) call[[4L]])
  expect_equal(unname(unlist(lines)), c(0.05, 0.05))
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(activity, type = "convergence")
  wanted <- ggplot2::layer_data(picture, 1L)
  expect_equal(10^wanted$yintercept, c(0.05, 0.05))
})

test_that("a network's legend names what occurs", {
  words <- function(...) unlist(lapply(drawn(plot(...)), function(call) if (call[[1L]] == "C_text") as.character(call[[3L]])))
  expect_true(all(c("input", "feedback component") %in% words(net)))
  expect_false(any(c("input", "feedback component") %in% words(net, legend = FALSE)))
  expect_true("wider arrow: more influence" %in% words(net, influence = data.frame(from = "Rb", to = "E2F", influence = 1)))
  chain <- pbn(list(a = "1", b = "a"))
  expect_setequal(words(chain), c("a", "b"))
  drawn(expect_error(plot(net, legend = NA), class = "fireflip_error_argument"))
})

test_that("autoplot() of an analysis says of which panel what is left out", {
  skip_if_not_installed("ggplot2")
  got <- influence_analysis(many, many$nodes[1:5], precision = 0.05, influence_precision = 0.05, method = "simulation", seed = 1)
  notes <- lapply(analysis_ranked(got, 3), ranked_note)
  expect_identical(notes$states, "3 of 5, largest first")
  expect_identical(
    ggplot2::autoplot(got, n = 3)$labels$caption,
    paste0("probability: ", notes$states, "\nlong-run influence: ", notes$influence)
  )
  expect_null(ggplot2::autoplot(influence_analysis(net, "CycB", method = "exact"), n = 100)$labels$caption)
})

test_that("autoplot() says what it leaves out and keeps rows apart whose labels look alike", {
  skip_if_not_installed("ggplot2")
  expect_identical(ggplot2::autoplot(activity)$labels$caption, "30 of 45, largest first")
  expect_null(ggplot2::autoplot(activity, n = 45)$labels$caption)
  names <- paste0(strrep("x", 50), 1:2)
  state <- steady_state(net, stats::setNames(c("CycD & Rb", "E2F"), names), precision = 0.05, method = "simulation", seed = 1)
  picture <- ggplot2::autoplot(state)
  expect_identical(sort(as.numeric(ggplot2::layer_data(picture, 3L)$y)), c(1, 2))
  ticks <- ggplot2::ggplot_build(picture)$layout$panel_params[[1L]]$y$get_labels()
  expect_identical(unname(ticks), rep(short_label(names[[1L]]), 2))
})

test_that("a part without trajectories is not plotted", {
  part <- steady_state(set_perturbation(example_model("cellcycle"), 0.01), "CycD", precision = 1e-2, seed = 7, shard = c(63, 64))
  expect_identical(part$samples, 0)
  expect_error(plot(part), "no trajectories", class = "fireflip_error_argument")
})
