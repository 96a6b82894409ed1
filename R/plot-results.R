#' Plot results
#'
#' Estimates with their intervals, ranked; or how a simulation converged. Labels beyond 40 characters, or without room for as
#' many, are shortened, and where rows or trajectories are left out, the plot says so ("30 of 147"). Influences that are certain,
#' as they are the same in every state, are left out where there are others.
#'
#' `autoplot()` draws the same with ggplot2 and gives a plot to add to. The generic is ggplot2's: install that package, then
#' call `library(ggplot2)` first, or write `ggplot2::autoplot(...)`.
#'
#' @param x,object A result of [steady_state()], [node_activity()], [long_run_influence()], [influence_analysis()] or
#'   [long_run_sensitivity()], or trajectories of [`simulate()`][simulate.pbn].
#' @param type `"estimates"`: a point and an interval for each row, the largest on top; of an analysis, sets and pairs
#'   side by side. `"convergence"`: rhat and half the widest interval against samples, over the pilot and the run; of an
#'   analysis, which has two precisions, how many times the interval that is furthest from its own is too wide, or where it is in
#'   two runs, that of the sets (`plot(x$influence, type = "convergence")` has the other). `"network"`
#'   (influences): the network, an arrow as wide as its influence.
#' @param n How many rows to draw at most, the largest first. Default 30. For trajectories, how many of them; default 1.
#' @param main The title.
#' @param ... Further arguments of [graphics::plot.default()].
#' @returns `plot()`: the data drawn, invisibly (of an analysis, a list of `states` and `influence`). `autoplot()`: a ggplot.
#' @section Trajectories: a column a step and a row a node, dark where the node is 1. Several trajectories stand side by
#'   side, numbered above, each with its own steps below.
#' @name result-plots
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' activity <- node_activity(net, seed = 1)
#' plot(activity)
#' plot(node_activity(net, method = "simulation", seed = 1), type = "convergence")
#' plot(simulate(net, nsim = 3, seed = 1, steps = 50), n = 3)
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(activity, n = 5)
#' }
NULL

#' @rdname result-plots
#' @export
plot.steady_state <- function(x, type = c("estimates", "convergence"), n = 30, main = NULL, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(plot_convergence(x, main, ...))
  plot_ranked(ranked(x, x$set, "probability", n), "probability", main, ...)
}

#' @rdname result-plots
#' @export
plot.long_run_influence <- function(x, type = c("estimates", "network", "convergence"), n = 30, main = NULL, ...) {
  type <- check_choice(type, "type", c("estimates", "network", "convergence"))
  if (type == "convergence") return(plot_convergence(x, main, ...))
  if (type == "network") return(plot(influence_network(x), influence = x, main = main, ...))
  plot_ranked(influence_ranked(x, n), "long-run influence", main, ...)
}

#' @rdname result-plots
#' @export
plot.influence_analysis <- function(x, type = c("estimates", "convergence"), n = 30, main = NULL, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") {
    return(plot_convergence(x$states, if (is.null(main)) which_run(x) else main, ...))
  }
  rows <- analysis_ranked(x, n)
  old <- graphics::par(mfrow = c(1, 2), oma = c(0, 0, 2 * !is.null(main), 0))
  on.exit(graphics::par(old))
  graphics::layout(matrix(1:2, 1L), widths = panel_widths(rows))
  plot_ranked(rows$states, "probability", NULL, ...)
  plot_ranked(rows$influence, "long-run influence", NULL, ...)
  if (!is.null(main)) graphics::mtext(main, 3, 0.5, outer = TRUE, font = 2)
  invisible(rows)
}

# What is drawn of two runs.
which_run <- function(x) if (in_two_runs(x)) "the state sets' run (of two)"

#' @rdname result-plots
#' @export
plot.long_run_sensitivity <- function(x, n = 30, main = NULL, ...) {
  plot_ranked(sensitivity_ranked(x, n), "difference in probability", main, ...)
}

#' @rdname result-plots
#' @export
plot.pbn_trajectories <- function(x, n = 1, main = NULL, ...) {
  check_count(n, "n", 1)
  nodes <- setdiff(names(x), c("trajectory", "step"))
  if (is.null(x$trajectory) || is.null(x$step) || length(nodes) == 0L || nrow(x) == 0L) {
    abort_argument("`x` has no trajectories to plot: it needs rows, and the columns `trajectory`, `step` and one a node.")
  }
  all <- unique(x$trajectory)
  shown <- x[x$trajectory %in% utils::head(all, n), , drop = FALSE]
  values <- as.matrix(as.data.frame(unclass(shown)[nodes], check.names = FALSE))
  parts <- trajectory_places(shown)
  grid <- matrix(NA_real_, max(parts$place), length(nodes))
  grid[parts$place, ] <- values[, rev(seq_along(nodes))]

  several <- length(parts$ticks) > 1L
  top <- 1.5 + several + if (is.null(main)) 0 else 2
  old <- plot_margins(nodes, length(nodes), 4.2, top)
  on.exit(graphics::par(old))
  graphics::image(
    seq_len(nrow(grid)), seq_along(nodes), grid, zlim = c(0, 1), col = trajectory_colours, axes = FALSE, xlab = "step", ylab = "",
    # rectangles side by side leave hairlines on smoothing devices
    useRaster = identical(grDevices::dev.capabilities("rasterImage")[[1L]], "yes"), ...
  )
  if (!is.null(main)) graphics::title(main, line = 1.5 + several)
  for (part in parts$ticks) graphics::axis(1, part$at, part$step, gap.axis = 0.3)
  if (several) {
    middle <- vapply(parts$ticks, `[[`, 0, "middle")
    graphics::mtext(vapply(parts$ticks, `[[`, "", "name"), 3, 0.2, at = middle, cex = 0.9 * graphics::par("cex"))
  }
  side_labels(seq_along(nodes), rev(nodes))
  note <- c("dark: 1", left_out(length(parts$ticks), length(all), " trajectories"))
  plot_note(paste(note, collapse = "; "), line = 0.2 + several)
  invisible(shown)
}

trajectory_colours <- c("grey92", "#1B4F8A")

# Where each row of the trajectories goes along the axis, with a gap between trajectories, and each trajectory's ticks.
trajectory_places <- function(x) {
  rows <- split(seq_len(nrow(x)), factor(x$trajectory, unique(x$trajectory)))
  gap <- max(1, ceiling(0.02 * nrow(x)))
  place <- integer(nrow(x))
  ticks <- list()
  last <- -gap
  for (name in names(rows)) {
    row <- rows[[name]]
    at <- last + gap + seq_along(row)
    place[row] <- at
    last <- at[[length(at)]]
    step <- x$step[row]
    ticks[[name]] <- c(step_ticks(step, at, length(rows)), list(middle = mean(range(at)), name = name))
  }
  if (length(ticks) > 1L) ticks[[1L]]$name <- paste("trajectory", ticks[[1L]]$name)
  list(place = place, ticks = unname(ticks))
}

# Round steps within a trajectory and where they are. One close to its end would run into the next trajectory's 0.
step_ticks <- function(step, at, trajectories) {
  if (length(step) == 1L) return(list(step = step, at = at))
  order <- order(step)
  step <- step[order]
  ticks <- pretty(step, max(3, 8 %/% trajectories))
  end <- max(step) - if (trajectories > 1L) 0.1 * diff(range(step)) else 0
  ticks <- ticks[ticks >= min(step) & ticks <= end & ticks == floor(ticks)]
  list(step = ticks, at = stats::approx(step, at, ticks)$y)
}

# The rows to draw, the largest last (on top of a plot whose axis runs upwards); `of` is how many there were.
ranked <- function(x, label, estimate, n, rows = TRUE) {
  check_count(n, "n", 1)
  out <- data.frame(label = label, estimate = x[[estimate]], lower = x$lower, upper = x$upper)[rows, ]
  of <- nrow(out)
  if (of > 0L && all(is.na(out$estimate))) {
    abort_argument("There is nothing to plot: this part has no trajectories. Merge it with the others by c().")
  }
  out <- out[order(-abs(out$estimate)), , drop = FALSE]
  out <- utils::head(out, n)
  out <- out[rev(seq_len(nrow(out))), , drop = FALSE]
  rownames(out) <- NULL
  attr(out, "of") <- of
  attr(out, "doubt") <- attr(x, "run")$doubt
  out
}

analysis_ranked <- function(x, n) {
  list(
    states = ranked(x$states, x$states$set, "probability", n),
    influence = influence_ranked(x$influence, n)
  )
}

# What the two panels want: a plot, and room for the longest label.
panel_widths <- function(rows) {
  wanted <- 1.8 + 0.6 * graphics::par("ps") / 72 * vapply(rows, function(part) max(nchar(short_label(part$label))), 0)
  share <- min(max(wanted[[1L]] / sum(wanted), 0.35), 0.65)
  c(share, 1 - share)
}

influence_ranked <- function(x, n) {
  label <- if (length(unique(x$to)) == 1L) x$from else paste(x$from, x$to, sep = " > ")
  drawn <- !certain_rows(x)
  if (!any(drawn)) drawn[] <- TRUE
  out <- ranked(x, label, "influence", n, drawn)
  attr(out, "certain") <- sum(!drawn)
  out
}

sensitivity_ranked <- function(x, n) {
  x <- x[!is.na(x$difference), , drop = FALSE] # changes that were given up
  what <- ifelse(is.na(x$node), "p", x$node)
  how <- switch(x$change[[1L]],
    node = ifelse(x$value == 1, " on", " off"), selection = sprintf(" [%d] to %.2g", x$predictor, x$value),
    predictor = sprintf(" [%d] inverted", x$predictor), perturbation = sprintf(" = %.3g", x$value)
  )
  several <- length(unique(x$set)) > 1L
  ranked(x, paste0(what, how, if (several) paste0(": ", x$set)), "difference", n)
}

plot_ranked <- function(rows, xlab, main, ...) {
  note <- ranked_note(rows)
  old <- plot_margins(rows$label, nrow(rows), 4.5, 1 + (!is.null(note)) * 0.5 + (!is.null(main)) * 2)
  on.exit(graphics::par(old))
  at <- seq_len(nrow(rows))
  reach <- range(pretty(range(rows$lower, rows$upper, 0)))
  graphics::plot.default(
    reach, c(0.5, nrow(rows) + 0.5), type = "n", yaxt = "n", xlab = xlab, ylab = "", main = main, bty = "n", ...
  )
  graphics::abline(h = at, col = "grey92")
  graphics::abline(v = 0, col = "grey70")
  graphics::segments(rows$lower, at, rows$upper, at, lwd = 2, col = "#1B4F8A")
  graphics::points(rows$estimate, at, pch = 19, col = "#1B4F8A")
  side_labels(at, rows$label)
  plot_note(note)
  invisible(rows)
}

# ---- room for labels ---------------------------------------------------------------------------------------------------

# A text of at most so many characters; of a pair, "from > to", the longer end is cut, or both.
short_label <- function(x, most = 40L) {
  cut <- function(x, most) ifelse(nchar(x) > most, paste0(substr(x, 1L, pmax(most - 3L, 1L)), "..."), x)
  pair <- which(nchar(x) > most & lengths(strsplit(x, " > ", fixed = TRUE)) == 2L)
  if (most >= 15L && length(pair) > 0L) {
    from <- sub(" > .*", "", x[pair])
    to <- sub(".* > ", "", x[pair])
    room <- most - 3L
    least <- pmin(nchar(from), nchar(to)) # the shorter end stands whole where that leaves 6 characters for the longer
    least <- ifelse(room - least >= 6L, least, room %/% 2L)
    longer <- nchar(from) > nchar(to)
    x[pair] <- paste(cut(from, ifelse(longer, room - least, least)), cut(to, ifelse(longer, least, room - least)), sep = " > ")
  }
  cut(x, most)
}

# Sets the margins (in lines; the left one by the labels, if any, of so many rows) and gives the old ones. They take at most
# 0.6 of the figure, so that a small device draws a small plot rather than none. With labels the figure is begun here, for
# only then can texts be measured; what draws next goes on in it.
plot_margins <- function(labels, rows, bottom, top, right = 1, left = 5) {
  old <- graphics::par("mai", "mgp")
  if (!is.null(labels)) {
    graphics::par(mai = c(0, 0, 0, 0))
    graphics::plot.new()
    graphics::par(new = TRUE)
  }
  line <- graphics::par("csi")
  figure <- graphics::par("fin")
  up <- c(bottom, top) * line
  squeeze <- min(1, 0.6 * figure[[2L]] / sum(up))
  up <- up * squeeze
  size <- label_size((figure[[2L]] - sum(up)) / max(rows, 1L))$size
  left <- left * line
  if (!is.null(labels)) left <- max(2 * line, 1.02 * label_width(short_label(labels), size) + 0.9 * line)
  across <- c(min(left, 0.5 * figure[[1L]]), min(right * line, 0.1 * figure[[1L]]))
  graphics::par(mai = c(up[[1L]], across[[1L]], up[[2L]], across[[2L]]), mgp = c(3, 1, 0) * squeeze)
  old
}

# In inches; `size` is mtext()'s, which does not go by par("cex").
label_width <- function(labels, size) max(graphics::strwidth(labels, "inches", cex = size / graphics::par("cex")), 0)

# The size of labels that stand `height` inches apart, and of how many one is shown so that it can be read.
label_size <- function(height) {
  size <- min(graphics::par("cex"), height / (0.85 * graphics::par("cin")[[2L]]))
  every <- max(1L, ceiling(0.3 / size))
  list(size = if (every > 1L) min(size * every, graphics::par("cex")) else size, every = every)
}

# Labels left of the plot, as large as rows and margin allow; axis() would leave out some that come close to each other.
side_labels <- function(at, labels) {
  usr <- graphics::par("usr")
  fit <- label_size(graphics::par("pin")[[2L]] / (usr[[4L]] - usr[[3L]]))
  keep <- rev(seq(length(at), 1, by = -fit$every))
  labels <- short_label(labels[keep])
  room <- graphics::par("mai")[[2L]] - 0.6 * graphics::par("csi")
  width <- label_width(labels, fit$size)
  if (width > room) fit$size <- fit$size * max(room / width, 0.7)
  for (i in seq_along(labels)) {
    whole <- labels[[i]]
    most <- nchar(whole)
    while (label_width(labels[[i]], fit$size) > 1.001 * room && most > 4L) {
      most <- most - 1L
      labels[[i]] <- short_label(whole, most)
    }
  }
  graphics::mtext(labels, 2, 0.4, at = at[keep], las = 1, cex = fit$size)
}

# What a plot of ranked rows leaves out: NULL where that is nothing.
ranked_note <- function(rows) {
  certain <- attr(rows, "certain")
  note <- c(
    if (!is.null(attr(rows, "doubt"))) "UNCERTAIN: intervals do not hold",
    left_out(nrow(rows), attr(rows, "of"), ", largest first"),
    if (!is.null(certain) && certain > 0L) sprintf("%s certain, not drawn", format(certain, big.mark = ","))
  )
  if (length(note) > 0L) paste(note, collapse = "; ")
}

left_out <- function(shown, of, what) if (shown < of) sprintf("%s of %s%s", shown, format(of, big.mark = ","), what)

# A small grey text above the plot, on the right.
plot_note <- function(text, line = 0.2) {
  if (length(text) == 0L) return(invisible())
  size <- 0.8 * graphics::par("cex")
  room <- graphics::par("fin")[[1L]] - graphics::par("mai")[[4L]]
  size <- size * min(1, max(room / label_width(text, size), 0.6))
  graphics::mtext(text, 3, line, adj = 1, cex = size, col = "grey40")
}

# ---- convergence -------------------------------------------------------------------------------------------------------

trace_of <- function(x) {
  run <- attr(x, "run")
  trace <- run$trace
  if (is.null(trace)) abort_argument("`x` is no simulation as it came: there is no convergence to plot.")
  trace$phase <- ifelse(trace$phase == 0, "pilot", "run")
  trace$rhat[!is.finite(trace$rhat)] <- NA
  unit <- run$trace_unit # of an analysis
  if (!is.null(unit)) trace$width <- trace$width / unit
  goals <- c(run$wanted_rhat - 1, if (is.null(unit)) run$precision else 1)
  list(
    trace = trace, goals = goals,
    labels = c("rhat - 1", if (is.null(unit)) "half the widest interval" else "widest interval / wanted")
  )
}

plot_convergence <- function(x, main, ...) {
  found <- trace_of(x)
  trace <- found$trace
  old <- c(graphics::par(mfrow = c(2, 1)), plot_margins(NULL, 1L, 4.5, if (is.null(main)) 1.8 else 3.3))
  on.exit(graphics::par(old))
  colour <- phase_colours[trace$phase]
  draw <- function(y, goal, ylab, main = NULL) {
    graphics::plot.default(
      trace$samples, y, log = "xy", type = "n", xlab = "samples", ylab = ylab, bty = "l",
      ylim = range(y, goal, na.rm = TRUE), ...
    )
    if (!is.null(main)) graphics::title(main, line = 1.8)
    for (phase in names(phase_colours)) {
      at <- trace$phase == phase
      graphics::lines(trace$samples[at], y[at], col = "grey80")
    }
    graphics::abline(h = goal, lty = 2, col = "grey50")
    graphics::points(trace$samples, y, pch = 19, col = colour)
  }
  draw(pmax(trace$rhat - 1, 1e-6), found$goals[[1L]], found$labels[[1L]], main)
  # above the plot, where no point can be under it
  graphics::legend(
    graphics::grconvertX(0.5, "npc"), graphics::grconvertY(1, "npc"), c(names(phase_colours), "wanted"), xjust = 0.5, yjust = 0.2,
    horiz = TRUE, xpd = NA, pch = c(19, 19, NA), lty = c(NA, NA, 2), col = c(phase_colours, "grey50"), bty = "n"
  )
  draw(pmax(trace$width, 1e-12), found$goals[[2L]], found$labels[[2L]])
  invisible(trace)
}

phase_colours <- c(pilot = "grey55", run = "#1B4F8A")

# The part of the network that the pairs are about.
influence_network <- function(x) {
  run <- attr(x, "run")
  if (is.null(run$model)) abort_argument("`x` has lost its network; plot the result as it came.")
  run$model
}

autoplot_ranked <- function(rows, xlab, note = ranked_note(rows), most = 40L) {
  rows$label <- factor(rows$label, unique(rows$label))
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$estimate, y = .data$label)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey70") +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), colour = "#1B4F8A") +
    ggplot2::geom_point(colour = "#1B4F8A") +
    ggplot2::scale_y_discrete(labels = function(label) short_label(label, most)) +
    ggplot2::guides(x = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = xlab, y = NULL, caption = note) +
    ggplot2::theme_minimal()
}

autoplot_convergence <- function(x) {
  found <- trace_of(x)
  trace <- found$trace
  panels <- found$labels
  panel <- function(which) factor(panels[which], panels)
  long <- data.frame(
    samples = rep(trace$samples, 2), phase = rep(trace$phase, 2), value = c(pmax(trace$rhat - 1, 1e-6), pmax(trace$width, 1e-12)),
    what = panel(rep(1:2, each = nrow(trace)))
  )
  wanted <- data.frame(what = panel(1:2), value = found$goals)
  ggplot2::ggplot(long, ggplot2::aes(x = .data$samples, y = .data$value, colour = .data$phase)) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$value, linetype = "wanted"), wanted, colour = "grey50") +
    ggplot2::geom_line(
      data = long[stats::ave(long$value, long$what, long$phase, FUN = length) > 1, ], colour = "grey80", na.rm = TRUE
    ) +
    ggplot2::geom_point(na.rm = TRUE) +
    ggplot2::facet_wrap("what", ncol = 1, scales = "free_y") +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = phase_colours) +
    ggplot2::scale_linetype_manual(values = c(wanted = "dashed")) +
    ggplot2::labs(x = "samples", y = NULL, colour = NULL, linetype = NULL) +
    ggplot2::theme_minimal()
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.steady_state <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(autoplot_convergence(object))
  autoplot_ranked(ranked(object, object$set, "probability", n), "probability")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_influence <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(autoplot_convergence(object))
  autoplot_ranked(influence_ranked(object, n), "long-run influence")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.influence_analysis <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") {
    return(autoplot_convergence(object$states) + ggplot2::labs(title = which_run(object)))
  }
  rows <- analysis_ranked(object, n)
  panels <- c("probability", "long-run influence")
  panel <- function(which) factor(panels[which], panels)
  notes <- lapply(rows, ranked_note)
  said <- which(lengths(notes) > 0L)
  note <- if (length(said) > 0L) paste(panels[said], notes[said], sep = ": ", collapse = "\n")
  rows <- rbind(data.frame(rows$states, panel = panel(1)), data.frame(rows$influence, panel = panel(2)))
  autoplot_ranked(rows, NULL, note, 25L) + ggplot2::facet_wrap("panel", scales = "free")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_sensitivity <- function(object, n = 30, ...) {
  autoplot_ranked(sensitivity_ranked(object, n), "difference in probability")
}
