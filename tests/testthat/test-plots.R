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
    expect_identical(range(axis$labels), c(0, 50))
  }
  # the axis shows numbers of steps, not of rows
  axis <- axes_of(drawn(plot(simulate(net, seed = 1, steps = 200, every = 10))))[[1L]]
  expect_equal(axis$at, axis$labels / 10 + 1)
  expect_equal(max(axis$labels), 200)
  expect_equal(axes_of(drawn(plot(simulate(net, seed = 1, steps = 0))))[[1L]]$labels, 0)
})

test_that("trajectories are numbered, and a note tells how many are omitted", {
  paths <- simulate(net, nsim = 3, seed = 1, steps = 5)
  expect_true(all(c("trajectory 1", "2", "dark: 1; 2 of 3 trajectories") %in% side_texts(drawn(plot(paths, n = 2)), 3)))
  expect_true(all(c("trajectory 1", "2", "3", "dark: 1") %in% side_texts(drawn(plot(paths, n = 9)), 3)))
  drawn(expect_identical(unique(plot(paths[paths$trajectory > 1, ])$trajectory), 2L))
  drawn(expect_error(plot(paths[0, ]), class = "fireflip_error_argument"))
  drawn(expect_error(plot(paths[1:2]), class = "fireflip_error_argument"))
})

many <- set_perturbation(random_pbn(45, seed = 2), 0.05)
activity <- node_activity(many, precision = 0.05, method = "simulation", seed = 1)

test_that("every row drawn has its label, and rows that are left out are counted", {
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

# For each plot in a figure: the labels on its left, the width of the widest, and the margin, in inches.
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
        # mtext() leaves 0.4 lines to the plot; the text may touch the edge of the figure but not cross it
        expect_lte(panel$drawn, panel$margin - 0.4 * panel$line)
        # and at most a line remains free (except for the minimum margin of two lines); text may be smaller by a tenth, because
        # the axis is longer than the rows are high
        if (panel$margin > 2 * panel$line && !any(grepl("...", panel$labels, fixed = TRUE))) {
          expect_gte(panel$drawn * 1.15, panel$margin - panel$line)
        }
      }
    }
  }
  # at 480 pixels only the longest labels are truncated, and both ends of a pair remain visible
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
  expect_setequal(words(chain), c("a", "b", "activates"))
  expect_setequal(words(pbn(list(a = "1", b = "0"))), c("a", "b"))
  drawn(expect_error(plot(net, legend = NA), class = "fireflip_error_argument"))
})

test_that("the note in autoplot() of an analysis names the panels in which rows are omitted", {
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

# ---- every documented argument -------------------------------------------------------------------------------------------

chain <- set_perturbation(pbn(list(a = "a", b = "!a & c", c = "b | d", d = "b")), 0.05)
drivers <- long_run_influence(net, method = "exact")
to_one <- long_run_influence(net, to = "CycB", method = "exact")
simulated <- long_run_influence(net, to = "CycB", precision = 0.05, method = "simulation", seed = 1)
changes <- long_run_sensitivity(net, "CycB", method = "exact")
both <- influence_analysis(net, c("CycB", "E2F & !Rb"), method = "exact")
ends <- outcomes(set_perturbation(example_model("toggle"), 0))
paths <- simulate(net, nsim = 3, seed = 1, steps = 5)
states <- stationary_distribution(net)
results <- list(
  activity = activity, drivers = drivers, changes = changes, ends = ends, states = states, paths = paths, both = both
)

test_that("arguments of plot.default() take the place of the plot's own", {
  for (name in names(results)) {
    x <- results[[name]]
    expect_error(drawn(plot(x, xlab = "x label", ylab = "y label", cex.axis = 0.7, las = 1, sub = "below", cex.lab = 0.8)), NA)
    titles <- function(...) {
      unlist(lapply(call_of(drawn(plot(x, ...)), "C_title"), function(call) as.character(unlist(call))))
    }
    expect_true("x label" %in% titles(xlab = "x label"), info = name)
    # the plot's own label is gone, and is not the title
    own <- c("probability", "long-run influence", "difference in probability")
    expect_false(any(own %in% titles(xlab = "x label")), info = name)
    expect_error(drawn(plot(x, col = "red", n = Inf, main = "title", cex.main = 0.5, axes = FALSE)), NA)
    expect_error(drawn(plot(x, xlim = c(0, 5))), NA)
    expect_error(drawn(plot(x, xlimit = c(0, 5))), "did you mean `xlim`", class = "fireflip_error_argument")
  }
  red <- drawn(plot(activity, col = "red", pch = 4, lwd = 7, lty = 3, cex = 2, bg = "blue"))
  expect_identical(unique(call_of(red, "C_segments")[[1L]]$col), "red")
  expect_identical(unique(call_of(red, "C_segments")[[1L]]$lwd), 7)
  points <- call_of(red, "C_plotXY")
  # the arguments are points, type, pch, lty, col, bg, cex, lwd
  shown <- vapply(points, function(call) {
    call[[3L]] == "p" && all(call[[4L]] == 4) && all(call[[6L]] == "red") && all(call[[8L]] == 2)
  }, NA)
  expect_true(any(shown))
  # colours are given from top to bottom
  rows <- drawn(plot(activity, n = 3, col = c("red", "green", "blue")))
  expect_identical(call_of(rows, "C_segments")[[1L]]$col, c("blue", "green", "red"))
  bars <- drawn(plot(states, n = 3, col = "red", border = "black"))
  expect_identical(unique(call_of(bars, "C_rect")[[1L]][[6L]]), "red")
  image <- call_of(drawn(plot(paths, col = c("white", "red"), useRaster = FALSE)), "C_image")
  expect_true("red" %in% unlist(image))
  # panel.first and panel.last are drawn in the right order
  calls <- names(drawn(plot(activity, panel.first = graphics::abline(v = 0.123))))
  expect_gt(match("C_abline", calls), match("C_plot_window", calls))
  expect_error(drawn(plot(activity, log = "x")), NA)
  expect_error(drawn(plot(activity, type = "convergence", xlab = "x", log = "x", col = "red", main = "m")), NA)
  expect_error(drawn(plot(net, xlab = "x", xlim = c(0, 3), cex.main = 2, main = "m", axes = TRUE, bg = "white")), NA)
})

test_that("n is a whole number or Inf, and all rows are drawn then", {
  for (x in results[names(results) != "both"]) {
    shown <- NULL
    drawn(shown <- plot(x, n = Inf))
    if (is.null(x$trajectory) || inherits(x, "outcomes")) expect_identical(nrow(shown), nrow(x))
    for (wrong in list(0, 1.5, NA, "a", -Inf)) drawn(expect_error(plot(x, n = wrong), class = "fireflip_error_argument"))
  }
  drawn(expect_error(plot(activity, type = "histogram"), class = "fireflip_error_argument"))
})

test_that("titles name what influences and sensitivities are about", {
  titles <- function(...) side_texts(drawn(plot(...)), 3)
  expect_true("Long-run influence on CycB" %in% titles(to_one))
  expect_true("Long-run influence on 10 nodes" %in% titles(drivers))
  some <- drivers[drivers$to %in% c("E2F", "Rb"), ]
  expect_true(paste("Long-run influence on", paste(unique(some$to), collapse = " and ")) %in% titles(some))
  expect_true("Sensitivity of CycB" %in% titles(changes))
  expect_true("mine" %in% titles(to_one, main = "mine"))
  expect_null(titles(to_one, main = ""))
  network <- drawn(plot(to_one, type = "network"))
  expect_true("Long-run influence on CycB" %in% unlist(lapply(call_of(network, "C_title"), function(call) call[[2L]])))
  one <- influence_analysis(net, c(on = "CycB"), to = "CycB", method = "exact")
  labels <- unlist(lapply(call_of(drawn(plot(one), 14, 7), "C_title"), function(call) as.character(unlist(call))))
  expect_true("long-run influence on CycB" %in% labels)
  skip_if_not_installed("ggplot2")
  expect_identical(ggplot2::autoplot(to_one)$labels$title, "Long-run influence on CycB")
  expect_identical(ggplot2::autoplot(changes)$labels$title, "Sensitivity of CycB")
})

test_that("axes of trajectories reach the first and the last step, whatever these are", {
  for (steps in c(1, 7, 47, 99, 1001)) {
    for (size in c(480, 1400) / 72) {
      all <- simulate(chain, nsim = 12, seed = 1, steps = steps)
      for (n in c(1, 3, 12)) {
        calls <- drawn(plot(all, n = n), size, size)
        axes <- axes_of(calls)
        xlab <- unlist(lapply(call_of(calls, "C_title"), function(call) as.character(unlist(call))))
        if (length(axes) == 0L) {
          expect_true(sprintf("step (0 to %d in each)", steps) %in% xlab)
        } else {
          expect_length(axes, n)
          for (axis in axes) expect_identical(range(axis$labels), c(0, steps))
        }
      }
    }
  }
  from <- axes_of(drawn(plot(all[all$trajectory == 1L & all$step >= 500, ])))[[1L]]
  expect_identical(range(from$labels), c(500, 1001))
})

test_that("labels of 3 to 147 pairs do not overlap, and a note tells how many are omitted", {
  pairs <- long_run_influence(example_model("apoptosis"), precision = 0.2, method = "simulation", seed = 1)
  expect_identical(nrow(pairs), 147L)
  uncertain <- pairs # no influence is certain, so all are drawn
  uncertain$lower <- pairs$influence - 0.01
  uncertain$upper <- pairs$influence + 0.01
  expect_false(any(certain_rows(uncertain)))
  for (size in c(480, 1400) / 72) {
    for (x in list(pairs, uncertain)) {
      certain <- sum(certain_rows(x))
      of <- 147 - certain
      for (n in c(3, 30, 147)) {
        calls <- drawn(shown <- plot(x, n = n), size, size)
        expect_identical(nrow(shown), as.integer(min(n, of)))
        labels <- side_texts(calls, 2)
        note <- paste(side_texts(calls, 3)[-1L], collapse = "")
        every <- if (grepl("every", note)) as.numeric(sub(".*every ([0-9]+).*", "\\1", note)) else 1
        expect_length(labels, ceiling(nrow(shown) / every))
        expect_identical(grepl(sprintf("%d certain, not drawn", certain), note), certain > 0)
        expect_identical(grepl(sprintf("%d of %d", n, of), note), n < of)
        text <- Filter(function(call) as.numeric(call[[3L]]) == 2, call_of(calls, "C_mtext"))[[1L]]
        cex <- if (is.na(text[[9L]])) 1 else text[[9L]]
        height <- 0.15 * cex # a line of 12 points is 0.2 inches, and letters take three quarters of it
        apart <- (size - 8 * 0.2) / (nrow(shown) * 1.08) * every # margins of 8 lines, and the space that an axis adds at its ends
        expect_lt(height, apart * 1.02)
        expect_gte(cex, 0.35)
      }
    }
  }
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(uncertain, n = 147)
  named <- ggplot2::ggplot_build(picture)$layout$panel_params[[1L]]$y$get_labels()
  expect_lt(length(named), 147)
  expect_match(picture$labels$caption, "row is named")
})

# ---- networks ------------------------------------------------------------------------------------------------------------

# Fixed sizes of text, so that the results do not depend on a device.
letters_of <- function(model) list(width = 0.09 * nchar(model$nodes), height = 0.12)

drawing_of <- function(model, layout = NULL, page = c(7, 7), labels = TRUE) {
  network_drawing(model, network_graph(model), layout, labels, page, letters_of(model))
}

# Whether any point of a path is strictly inside a box, by comparing coordinates of its ends and of many points between them.
points_inside <- function(drawing) {
  boxes <- boxes_of(drawing$at, drawing$half)
  share <- seq(0, 1, length.out = 60L)
  count <- 0
  for (path in drawing$paths) {
    if (is.null(path)) next
    k <- nrow(path)
    x <- as.vector(outer(path[-k, 1L], 1 - share) + outer(path[-1L, 1L], share))
    y <- as.vector(outer(path[-k, 2L], 1 - share) + outer(path[-1L, 2L], share))
    for (i in seq_len(nrow(boxes))) {
      box <- boxes[i, ] + c(1, -1, 1, -1) * 1e-9
      count <- count + sum(x > box[[1L]] & x < box[[2L]] & y > box[[3L]] & y < box[[4L]])
    }
  }
  count
}

covering <- function(drawing) {
  at <- drawing$at
  half <- drawing$half - 1e-9
  over <- abs(outer(at[, 1L], at[, 1L], "-")) < outer(half[, 1L], half[, 1L], "+") &
    abs(outer(at[, 2L], at[, 2L], "-")) < outer(half[, 2L], half[, 2L], "+")
  (sum(over) - nrow(at)) / 2
}

literature <- c("cellcycle", "apoptosis", "thelper", "yeast", "toggle", "shmulevich3", "example1")
networks <- c(
  lapply(stats::setNames(nm = literature), example_model),
  list(random = random_pbn(30, seed = 1), dense = random_pbn(12, parents = c(3, 5), seed = 3), chain = chain)
)

test_that("arrows go round boxes, from a box's border to another's, and boxes do not cover each other", {
  for (name in names(networks)) {
    for (page in list(c(6.5, 6), c(19, 19), c(10, 4))) {
      model <- networks[[name]]
      graph <- network_graph(model)
      drawing <- drawing_of(model, page = page)
      expect_identical(points_inside(drawing), 0, info = name)
      if (page[[2L]] > 4) expect_identical(covering(drawing), 0, info = name)
      expect_length(drawing$paths, length(graph$from))
      expect_false(any(vapply(drawing$paths, is.null, NA)))
      for (i in which(graph$from != graph$to)) {
        gap <- function(p, node) max(abs(p - drawing$at[node, ]) - drawing$half[node, ])
        path <- drawing$paths[[i]]
        expect_lt(gap(path[1L, ], graph$from[[i]]), 0.06)
        expect_lt(gap(path[nrow(path), ], graph$to[[i]]), 0.06)
      }
      inside_page <- drawing$at - drawing$half > -1e-9 & sweep(drawing$at + drawing$half, 2, page) < 1e-9
      expect_true(all(inside_page[, if (page[[2L]] > 4) 1:2 else 1L]), info = name)
    }
  }
})

test_that("arrows go around boxes if the user gives the positions", {
  for (name in c("cellcycle", "thelper", "random", "example1")) {
    model <- networks[[name]]
    n <- length(model$nodes)
    turn <- 2 * pi * seq_len(n) / n
    grid <- cbind(seq_len(n) %% 6, seq_len(n) %/% 6) # rows and columns: most straight lines pass through a box
    for (layout in list(cbind(cos(turn), sin(turn)), grid)) {
      drawing <- drawing_of(model, layout, c(9, 9))
      expect_identical(covering(drawing), 0, info = name)
      expect_identical(points_inside(drawing), 0, info = name)
    }
  }
  line <- drawing_of(pbn(list(a = "1", b = "a", c = "a & b")), cbind(c(0, 1, 2), 0), c(6, 2))
  expect_gt(nrow(line$paths[[2L]]), 2L) # from a to c, past b
  expect_identical(points_inside(line), 0)
  # arrows between the same two nodes are parallel
  pair <- drawing_of(pbn(list(a = "b", b = "a")), cbind(c(0, 1), 0), c(6, 2))
  expect_gt(abs(pair$paths[[1L]][1L, 2L] - pair$paths[[2L]][1L, 2L]), 0.05)
})

test_that("the layout has not changed, and is reproducible", {
  set.seed(5)
  before <- .Random.seed
  one <- drawing_of(networks$cellcycle)
  expect_identical(drawing_of(networks$cellcycle), one)
  chained <- drawing_of(chain, page = c(4, 4))
  # the input a is above b; b, c and d of the loop are below each other
  expect_equal(order(-chained$at[, 2L]), c(1, 2, 4, 3))
  expect_equal(one$cex, 1)
  expect_equal(
    round(one$at, 2), cbind(c(0.84, 1.03, 2.14, 1.85, 2.47, 2.37, 5.21, 5.01, 5.22, 4.86),
      c(5.41, 2.59, 1.39, 0.33, 5.41, 4.00, 6.67, 2.59, 4.00, 5.41)), tolerance = 0.005
  )
  length_of <- function(path) sum(sqrt(rowSums(diff(path)^2)))
  expect_equal(sum(vapply(one$paths, length_of, 0)), 81.4, tolerance = 0.005)
  expect_identical(.Random.seed, before)
})

test_that("crossings are counted, and few", {
  set.seed(1)
  for (i in 1:20) {
    a <- sample(9, 30, TRUE)
    b <- sample(9, 30, TRUE)
    slow <- 0
    for (j in 1:29) for (k in (j + 1):30) slow <- slow + ((a[[j]] - a[[k]]) * (b[[j]] - b[[k]]) < 0)
    parts <- list(row = rep(1L, 30), u = 1:30, v = 31:60)
    expect_identical(count_crossings(parts, c(a, b)), slow)
  }
  expect_equal(ascending(c(1, 3, 2, 2, 5), c(1, 1, 1, 2, 1)), c(1, 2.25, 2.25, 2.25, 5))
  expect_equal(spaced(c(5, 5, 5), c(1, 1, 1), c(1, 1), 0, 10), c(4, 5, 6))
  expect_equal(spaced(c(5, 5, 5), c(1, 1, 1), c(1, 1), 0, 5.5), c(3.5, 4.5, 5.5))
  # three parents with one child each, in mixed order
  straight <- pbn(list(a = "1", b = "1", c = "1", z = "c", x = "a", y = "b"))
  at <- drawing_of(straight)$at
  expect_identical(order(at[1:3, 1L]), order(at[c(5, 6, 4), 1L]))
})

test_that("arrowheads and colours show the signs", {
  signs <- pbn(list(p = "p", q = "q", up = "p", down = "!p", both = "p ^ q", none = "p & (q | !q)"))
  style <- network_style(signs, network_graph(signs), NULL, NULL, TRUE)
  arrows <- network_arrows(signs)
  expect_identical(style$sign, ifelse(is.na(arrows$sign), "?", arrows$sign))
  expect_setequal(style$sign, c("+", "-", "+/-", "?"))
  path <- cbind(c(0, 1), 0)
  expect_identical(arrow_head(path, "+", 0.1)$shape[1L, ], c(1, 0))
  expect_equal(arrow_head(path, "-", 0.1)$shape, cbind(1, c(0.055, -0.055)))
  expect_true(arrow_head(path, "+/-", 0.1)$hollow)
  expect_false(arrow_head(path, "?", 0.1)$filled)
  expect_equal(cut_end(cbind(c(0, 1, 1), c(0, 0, 1)), 1.5), cbind(c(0, 0.5), 0))
})

test_that("a certain influence is never the boldest arrow", {
  given <- data.frame(
    from = c("CycD", "Rb", "CycA", "CycB"), to = c("Rb", "E2F", "E2F", "E2F"), influence = c(1, 0.2, 0, 1),
    lower = c(1, 0.1, 0, 0.9), upper = c(1, 0.3, 0, 1)
  )
  graph <- network_graph(net)
  style <- network_style(net, graph, given, NULL, TRUE)
  at <- match(paste(given$from, given$to), paste(net$nodes[graph$from], net$nodes[graph$to]))
  expect_identical(style$certain[at], c(TRUE, FALSE, TRUE, FALSE))
  expect_identical(style$line[at], c(2L, 1L, 2L, 1L))
  expect_true(all(style$width[at[c(1, 3)]] < style$width[at[[2L]]]))
  expect_identical(which.max(style$width), at[[4L]])
  rounded <- given
  rounded$influence[[1L]] <- rounded$lower[[1L]] <- rounded$upper[[1L]] <- 1 - 1e-15
  expect_identical(network_style(net, graph, rounded, NULL, TRUE)$certain, style$certain)
  # without an interval, exactly 0 or 1 is certain
  style <- network_style(net, graph, given[1:3], NULL, TRUE)
  expect_identical(style$certain[at], c(TRUE, FALSE, TRUE, TRUE))
  whole <- network_style(example_model("apoptosis"), network_graph(example_model("apoptosis")), NULL, NULL, TRUE)
  expect_true(all(whole$width == 1))
  drawn(expect_error(plot(net, influence = 1), class = "fireflip_error_argument"))
  drawn(expect_error(plot(net, influence = data.frame(from = "x", to = "Rb", influence = 1)), class = "fireflip_error_argument"))
})

test_that("nodes are coloured by activity", {
  shown <- NULL
  drawn(shown <- plot(net, activity = c(CycD = 0, Rb = 1, E2F = NA)))
  expect_identical(shown$colour[1:3], c("#F7F7F7", "#FC8D59", "white"))
  expect_true(all(shown$colour[-(1:2)] == "white"))
  drawn(expect_identical(plot(net, activity = node_activity(net, method = "exact"))$colour[[1L]] == "white", FALSE))
  drawn(plot(net, activity = steady_state(net, c(CycB = "CycB", other = "E2F & Rb"), method = "exact")))
  drawn(expect_identical(plot(net, activity = c(CycD = 1 + 1e-15, Rb = -1e-15))$colour[1:2], c("#FC8D59", "#F7F7F7")))
  none <- steady_state(net, c(other = "E2F & Rb"), method = "exact")
  for (wrong in list(1, c(CycD = 2), c(Rb = -0.1), c(nobody = 0.5), "CycD", none)) {
    drawn(expect_error(plot(net, activity = wrong), class = "fireflip_error_argument"))
  }
})

test_that("arguments of network plots are checked, and layouts of one's own are used", {
  n <- length(net$nodes)
  own <- cbind(seq_len(n), rev(seq_len(n)))
  shown <- NULL
  drawn(shown <- plot(net, layout = own))
  expect_identical(order(shown$x), seq_len(n))
  expect_identical(order(-shown$y), seq_len(n))
  drawn(expect_identical(plot(net, layout = as.data.frame(own))$x, shown$x))
  for (wrong in list(own[-1L, ], own[, 1L, drop = FALSE], replace(own, 1L, NA), "round", 1, matrix("a", n, 2))) {
    drawn(expect_error(plot(net, layout = wrong), class = "fireflip_error_argument"))
  }
  for (name in c("labels", "legend", "arrow_labels", "overview")) {
    drawn(expect_error(do.call(plot, c(list(net), stats::setNames(list(NA), name))), class = "fireflip_error_argument"))
  }
  skip_if_not_installed("igraph")
  set.seed(5)
  before <- .Random.seed
  drawn(one <- plot(net, layout = igraph::layout_with_fr))
  drawn(expect_identical(plot(net, layout = igraph::layout_with_fr), one))
  drawn(plot(net, layout = "force"))
  expect_identical(.Random.seed, before)
  drawn(expect_error(plot(net, layout = function(graph) 1), class = "fireflip_error_argument"))
})

test_that("influences are written beside arrows", {
  texts <- function(...) unlist(lapply(drawn(plot(...)), function(call) if (call[[1L]] == "C_text") as.character(call[[3L]])))
  given <- data.frame(from = c("Rb", "CycA"), to = c("E2F", "E2F"), influence = c(0.123, 1))
  expect_true(all(c("0.12", "1") %in% texts(net, influence = given, arrow_labels = TRUE)))
  expect_false(any(c("0.12", "1") %in% texts(net, influence = given)))
  expect_false("0.12" %in% texts(net, arrow_labels = TRUE))
})

test_that("a large network is an overview that says so", {
  large <- random_pbn(200, seed = 1)
  graph <- network_graph(large)
  texts <- function(...) unlist(lapply(drawn(plot(...)), function(call) {
    if (call[[1L]] %in% c("C_text", "C_title")) as.character(unlist(call))
  }))
  words <- texts(large)
  expect_true("Overview of 200 nodes and " %in% substr(words, 1, 26))
  expect_true(any(grepl("overview = FALSE", words)))
  shown <- NULL
  drawn(shown <- plot(large))
  expect_identical(shown$node, large$nodes)
  expect_false(anyNA(shown$group))
  other <- graph$from != graph$to
  expect_identical(sum(shown$parents), sum(other))
  expect_identical(sum(shown$children), sum(other))
  # a title given by the user is drawn
  expect_true(any(grepl("^Overview of", texts(large, main = "mine"))))
  expect_false(any(grepl("Overview", texts(net))))
  expect_true(any(grepl("Overview", texts(net, overview = TRUE))))
  drawn(expect_named(plot(large, labels = FALSE, overview = FALSE), c("node", "x", "y", "component", "colour")))
})

test_that("groups of an overview hold every node once, and their arrows are all arrows", {
  for (model in c(networks, list(random_pbn(200, seed = 2), random_pbn(160, functions = 1, parents = c(1, 1), seed = 4)))) {
    graph <- network_graph(model)
    groups <- overview_groups(model, graph)
    expect_identical(sum(groups$nodes), length(model$nodes))
    other <- graph$from != graph$to
    expect_identical(sum(groups$within) + sum(groups$arrows$number), sum(other))
    expect_true(all(groups$arrows$from != groups$arrows$to))
    cores <- which(grepl("^core", groups$kind))
    expect_identical(groups$nodes[cores], sort(graph$size[graph$size > 1L], decreasing = TRUE)[seq_along(cores)])
    drawn(expect_error(plot(model, overview = TRUE), NA))
    degrees <- overview_degrees(graph)
    counts <- degree_counts(degrees)
    expect_identical(sum(counts$parents), length(model$nodes))
    expect_identical(sum(counts$children), length(model$nodes))
  }
  # nodes upstream of, between and downstream of feedback: i -> f <-> g -> m -> h <-> k -> z, and x -> y apart
  known <- pbn(list(
    i = "i", j = "i", f = "g | j", g = "f", m = "g", h = "k & m", k = "h", z = "k", x = "1", y = "x"
  ))
  groups <- overview_groups(known, network_graph(known))
  expect_identical(groups$kind[groups$group], c(
    "input", "before", "core1", "core1", "between", "core2", "core2", "after", "apart", "apart"
  ))
})

test_that("every result and every network has an autoplot()", {
  skip_if_not_installed("ggplot2")
  built <- function(picture) {
    file <- tempfile(fileext = ".pdf")
    on.exit(unlink(file))
    grDevices::pdf(file)
    print(picture)
    grDevices::dev.off()
    expect_s3_class(picture, "ggplot")
  }
  for (x in results) built(ggplot2::autoplot(x))
  for (x in results[names(results) != "paths"]) built(ggplot2::autoplot(x, n = Inf))
  built(ggplot2::autoplot(paths, n = 3))
  for (type in c("estimates", "network", "convergence")) built(ggplot2::autoplot(simulated, type = type))
  picture <- ggplot2::autoplot(
    net, activity = node_activity(net, method = "exact"), influence = drivers, arrow_labels = TRUE, main = "title", size = c(5, 5)
  )
  built(picture)
  expect_identical(picture$labels$title, "title")
  built(ggplot2::autoplot(net, labels = FALSE, legend = FALSE))
  large <- ggplot2::autoplot(random_pbn(200, seed = 1))
  built(large)
  expect_match(large$labels$title, "^Overview of 200 nodes")
  expect_error(ggplot2::autoplot(net, size = 1), class = "fireflip_error_argument")
  # no device is left open, and none is opened
  before <- grDevices::dev.list()
  ggplot2::autoplot(net)
  expect_identical(grDevices::dev.list(), before)
})

test_that("networks without feedback among nodes have an overview too", {
  x <- paste0("x", 1:160)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (net in list(pbn(stats::setNames(x, x)), pbn(stats::setNames(c("x1", x[-160]), x)))) {
    expect_no_error(plot(net))
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(net), "ggplot")
  }
  expect_no_error(plot(pbn(c(A = "A", B = "A", C = "B")), overview = TRUE))
})

test_that("one picture does not mix several results", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  a <- node_activity(net, method = "exact")
  b <- node_activity(fix_nodes(net, CycD = 0), method = "exact")
  expect_error(plot(net, activity = rbind(wild = a, mutant = b)), class = "fireflip_error_argument")
  w <- long_run_influence(net, to = "CycB", method = "exact")
  v <- long_run_influence(fix_nodes(net, CycD = 0), to = "CycB", method = "exact")
  expect_error(plot(net, influence = rbind(wild = w, mutant = v)), class = "fireflip_error_argument")
})
