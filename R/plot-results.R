#' Plot results
#'
#' Plots estimates with their confidence intervals in decreasing order, or the convergence of a simulation. Labels longer than 40
#' characters, or longer than the available space, are truncated. If rows or trajectories are omitted, the plot states how many
#' ("30 of 147"), and likewise if there are too many rows to label each of them ("every 3rd row is named"). Influences that are
#' certain, because they are the same in every state, are omitted if there are others.
#'
#' `autoplot()` draws the same with ggplot2 and returns a plot that can be extended. Its generic is that of ggplot2: call
#' `library(ggplot2)` first, or write `ggplot2::autoplot(...)`.
#'
#' @param x,object A result of [steady_state()], [node_activity()], [long_run_influence()], [influence_analysis()] or
#'   [long_run_sensitivity()], or trajectories of [`simulate()`][simulate.pbn]. For `autoplot()`, also a network, or a result of
#'   [outcomes()] or [stationary_distribution()].
#' @param type `"estimates"`: a point and an interval for each row, the largest on top. For an analysis, sets and pairs are side
#'   by side. `"convergence"`: rhat and half the widest interval against the number of samples, for the pilot and the run. An
#'   analysis has two precisions, so intervals are drawn relative to the requested width. If it has two runs, that of
#'   the sets is drawn; `plot(x$influence, type = "convergence")` draws the other. `"network"` (influences only): the
#'   network, with the width of arrows showing their influence; see [`plot()`][plot.pbn] of a network.
#' @param n Maximum number of rows to draw, the largest first; `Inf` for all. Default 30. For trajectories, their number; default
#'   1.
#' @param main The title; `""` for none. By default, the title for influences and sensitivities gives the target nodes or the
#'   state set.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()] (for trajectories, of [graphics::image()]), which
#'   override the defaults of these methods, for instance `xlab`, `xlim`, `col` (a colour, or one per row from top to bottom),
#'   `pch`, `cex`, `lwd` and `lty`. An unknown argument is an error. For `type = "network"`, and for `autoplot()` of a network,
#'   arguments of [`plot()`][plot.pbn] of a network. Other methods of `autoplot()` ignore them.
#' @returns `plot()`: the data that were drawn, invisibly; for an analysis, a list of `states` and `influence`. `autoplot()`: a
#'   ggplot.
#' @section Trajectories: The plot has a column per step and a row per node. A field is dark if the node is 1. Several
#'   trajectories are drawn side by side, with their numbers above and their steps below.
#' @section Networks: `autoplot()` of a network draws the same as [`plot()`][plot.pbn], in inches on a page of `size`. Text is not
#'   rescaled if the plot is drawn larger or smaller, so `size` should be the size of the final figure.
#' @name result-plots
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' activity <- node_activity(net, seed = 1)
#' plot(activity)
#' plot(activity, n = 3, xlab = "share of the time", col = "darkgreen")
#' plot(node_activity(net, method = "simulation", seed = 1), type = "convergence")
#' plot(long_run_influence(net, to = "CycB"))
#' plot(simulate(net, nsim = 3, seed = 1, steps = 50), n = 3)
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(activity, n = 5)
#'   ggplot2::autoplot(net, activity = activity)
#' }
NULL

#' @rdname result-plots
#' @export
plot.steady_state <- function(x, type = c("estimates", "convergence"), n = 30, main = NULL, ...) {
  check_estimate(x)
  check_graphical(...)
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(plot_convergence(x, main, ...))
  plot_ranked(ranked(x, x$set, "probability", n), "probability", main, ...)
}

#' @rdname result-plots
#' @export
plot.long_run_influence <- function(x, type = c("estimates", "network", "convergence"), n = 30, main = NULL, ...) {
  check_estimate(x)
  type <- check_choice(type, "type", c("estimates", "network", "convergence"))
  if (type == "network") {
    return(plot(influence_network(x), influence = x, main = if (is.null(main)) influence_title(x) else main, ...))
  }
  check_graphical(...)
  if (type == "convergence") return(plot_convergence(x, main, ...))
  if (is.null(main)) main <- influence_title(x)
  plot_ranked(influence_ranked(x, n), "long-run influence", main, ...)
}

# The title "Long-run influence on a, b and c".
influence_title <- function(x) {
  to <- unique(x$to)
  if (length(to) == 0L) return(NULL)
  named <- if (length(to) > 3L) count_of(length(to), "node") else {
    sub(", ([^,]*)$", " and \\1", paste(short_label(to, 20L), collapse = ", "))
  }
  paste("Long-run influence on", named)
}

#' @rdname result-plots
#' @export
plot.influence_analysis <- function(x, type = c("estimates", "convergence"), n = 30, main = NULL, ...) {
  check_graphical(...)
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") {
    return(plot_convergence(x$states, if (is.null(main)) which_run(x) else main, ...))
  }
  rows <- analysis_ranked(x, n)
  old <- graphics::par(mfrow = c(1, 2), oma = c(0, 0, 2 * has_title(main), 0))
  on.exit(graphics::par(old))
  graphics::layout(matrix(1:2, 1L), widths = panel_widths(rows))
  plot_ranked(rows$states, "probability", NULL, ...)
  plot_ranked(rows$influence, analysis_labels(x)[[2L]], NULL, ...)
  if (has_title(main)) graphics::mtext(main, 3, 0.5, outer = TRUE, font = 2)
  invisible(rows)
}

# The axis labels of the two panels. The second names the target if the rows' labels do not.
analysis_labels <- function(x) {
  to <- unique(x$influence$to)
  c("probability", paste0("long-run influence", if (length(to) == 1L) paste(" on", short_label(to, 20L))))
}

# The title for an analysis in two runs, of which only one is drawn.
which_run <- function(x) if (in_two_runs(x)) "the run of the state sets (of two runs)"

#' @rdname result-plots
#' @export
plot.long_run_sensitivity <- function(x, n = 30, main = NULL, ...) {
  check_estimate(x)
  check_graphical(...)
  plot_ranked(sensitivity_ranked(x, n), "difference in probability", if (is.null(main)) sensitivity_title(x) else main, ...)
}

sensitivity_title <- function(x) if (length(unique(x$set)) == 1L) paste("Sensitivity of", x$set[[1L]])

# The rows to draw. The largest is last, so that it is on top of the plot. `of` is the number of all rows.
ranked <- function(x, label, estimate, n, rows = TRUE) {
  check_rows(n)
  check_estimate(x)
  need_estimate(x, estimate)
  if (length(label) != nrow(x)) need_estimate(x, c(if (inherits(x, "steady_state")) "set", "from", "to"))
  label <- as.character(label)
  label[is.na(label)] <- "NA"
  if (!is.null(x[["run"]])) label <- sprintf("%s (%s)", label, x[["run"]])
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
  check_analysis(x)
  list(
    states = ranked(x$states, x$states$set, "probability", n),
    influence = influence_ranked(x$influence, n)
  )
}

# Widths of the two panels: a plot and the longest label each.
panel_widths <- function(rows) {
  wanted <- 1.8 + 0.6 * graphics::par("ps") / 72 * vapply(rows, function(part) max(nchar(short_label(part$label))), 0)
  share <- min(max(wanted[[1L]] / sum(wanted), 0.35), 0.65)
  c(share, 1 - share)
}

influence_ranked <- function(x, n) {
  check_estimate(x)
  label <- if (length(unique(x$to)) == 1L) x$from else paste(x$from, x$to, sep = " > ")
  drawn <- !certain_rows(x)
  if (!any(drawn)) drawn[] <- TRUE
  out <- ranked(x, label, "influence", n, drawn)
  attr(out, "certain") <- sum(!drawn)
  out
}

sensitivity_ranked <- function(x, n) {
  check_estimate(x)
  need_estimate(x, c("change", "node", "predictor", "value", "set", "difference"))
  x <- x[!is.na(x$difference), , drop = FALSE] # changes without a result
  what <- ifelse(is.na(x$node), "p", x$node)
  how <- switch(x$change[[1L]],
    node = ifelse(x$value == 1, " on", " off"), selection = sprintf(" [%d] to %.2g", x$predictor, x$value),
    predictor = sprintf(" [%d] inverted", x$predictor), perturbation = sprintf(" = %.3g", x$value)
  )
  several <- length(unique(x$set)) > 1L
  ranked(x, paste0(what, how, if (several) paste0(": ", x$set)), "difference", n)
}

# The argument is not called `xlab` because the user may pass that in `...`.
plot_ranked <- function(rows, quantity, main, ...) {
  titled <- has_title(main)
  old <- plot_margins(rows$label, nrow(rows), 4.5, 1.5 + titled * 2)
  on.exit(graphics::par(old))
  at <- seq_len(nrow(rows))
  ranked_frame(rows, quantity, ...)
  if (titled) fitted_title(main, 1.7, ...)
  graphics::abline(h = at, col = "grey92")
  if (!graphics::par("xlog")) graphics::abline(v = 0, col = "grey70")
  ranked_marks(rows, at, ...)
  named <- if (has_axes(...)) side_labels(at, rows$label)
  note <- c(ranked_note(rows), named)
  plot_note(if (length(note) > 0L) paste(note, collapse = "; "))
  invisible(rows)
}

# Arguments of plot.default() override our own. Those for points and lines are passed to ranked_marks().
ranked_frame <- function(rows, quantity, ..., x, y, type, main, col, pch, cex, lwd, lty, bg, log = "", xlab = folded(quantity),
                         ylab = "", xlim = ranked_reach(rows, log), ylim = c(0.5, nrow(rows) + 0.5), yaxt = "n", bty = "n") {
  graphics::plot.default(
    xlim, ylim, type = "n", log = log, xlab = xlab, ylab = ylab, xlim = xlim, ylim = ylim, yaxt = yaxt, bty = bty, ...
  )
}

# A label such as "long-run influence on a" in two lines, if one line is wider than the figure.
folded <- function(label) {
  room <- graphics::par("pin")[[1L]] + 2 * min(graphics::par("mai")[c(2L, 4L)])
  wide <- graphics::strwidth(label, "inches", cex = graphics::par("cex.lab")) > room
  if (wide) sub(" on ", "\non ", label, fixed = TRUE) else label
}

ranked_reach <- function(rows, log) {
  values <- c(rows$lower, rows$upper, rows$estimate)
  values <- values[is.finite(values)]
  if (!grepl("x", log, fixed = TRUE)) return(range(pretty(range(values, 0))))
  values <- values[values > 0]
  if (length(values) == 0L) abort_argument("`log` = \"x\" needs positive numbers to draw; found none.")
  range(values)
}

ranked_marks <- function(rows, at, ..., col = "#1B4F8A", pch = 19, cex = 1, lwd = 2, lty = 1, bg = NA) {
  # colours and other arguments are given from top to bottom
  each <- function(what) rev(rep_len(what, length(at)))
  lower <- rows$lower
  if (graphics::par("xlog")) lower <- pmax(lower, 10^graphics::par("usr")[[1L]])
  graphics::segments(lower, at, rows$upper, at, lwd = each(lwd), col = each(col), lty = each(lty))
  shown <- !graphics::par("xlog") | rows$estimate > 0
  graphics::points(
    rows$estimate[shown], at[shown], pch = each(pch)[shown], col = each(col)[shown], cex = each(cex)[shown], bg = each(bg)[shown]
  )
}

# A title that is made smaller, and truncated if necessary, to fit the figure.
fitted_title <- function(main, line, ..., cex.main = graphics::par("cex.main"), col.main = graphics::par("col.main"),
                         font.main = graphics::par("font.main")) {
  room <- graphics::par("fin")[[1L]] - 0.1
  cex <- cex.main
  wide <- function(text, cex) max(graphics::strwidth(text, "inches", cex = cex, font = font.main))
  cex <- max(min(cex, cex * room / wide(main, cex)), 0.75 * cex)
  if (is.character(main) && length(main) == 1L) {
    most <- nchar(main)
    while (wide(main, cex) > room && most > 10L) {
      most <- most - 1L
      main <- paste0(substr(main, 1L, most - 3L), "...")
    }
  }
  # centred in the figure, because long labels move the plot to the right
  middle <- graphics::grconvertX(0.5, "nfc")
  graphics::mtext(main, 3, line, at = middle, cex = cex * graphics::par("cex"), font = font.main, col = col.main)
}

# Whether an argument of plot.default() suppresses axes. Other arguments are not evaluated.
has_axes <- function(..., axes = TRUE) !identical(axes, FALSE)

# ---- convergence -------------------------------------------------------------------------------------------------------

trace_of <- function(x) {
  run <- attr(x, "run")
  trace <- run$trace
  if (is.null(trace)) abort_argument("`x` is not an original result of a simulation: there is no convergence to plot.")
  trace$phase <- ifelse(trace$phase == 0, "pilot", "run")
  trace$rhat[!is.finite(trace$rhat)] <- NA
  unit <- run$trace_unit # for an analysis only
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
  old <- c(graphics::par(mfrow = c(2, 1)), plot_margins(NULL, 1L, 4.5, if (has_title(main)) 3.3 else 1.8))
  on.exit(graphics::par(old))
  colour <- phase_colours[trace$phase]
  draw <- function(y, goal, ylab, main = NULL) {
    convergence_frame(trace$samples, y, ylab, goal, ...)
    if (has_title(main)) fitted_title(main, 1.8, ...)
    for (phase in names(phase_colours)) {
      at <- trace$phase == phase
      convergence_line(trace$samples[at], y[at], ...)
    }
    graphics::abline(h = goal, lty = 2, col = "grey50")
    convergence_marks(trace$samples, y, colour, ...)
  }
  draw(pmax(trace$rhat - 1, 1e-6), found$goals[[1L]], found$labels[[1L]], main)
  # above the plot, where it covers no point
  graphics::legend(
    graphics::grconvertX(0.5, "npc"), graphics::grconvertY(1, "npc"), c(names(phase_colours), "wanted"), xjust = 0.5, yjust = 0.2,
    horiz = TRUE, xpd = NA, pch = c(19, 19, NA), lty = c(NA, NA, 2), col = c(phase_colours, "grey50"), bty = "n"
  )
  draw(pmax(trace$width, 1e-12), found$goals[[2L]], found$labels[[2L]])
  invisible(trace)
}

convergence_frame <- function(samples, value, label, goal, ..., x, y, type, main, col, pch, cex, bg, lwd, lty, log = "xy",
                              xlab = "samples", ylab = label, ylim = range(value, goal, na.rm = TRUE), bty = "l") {
  graphics::plot.default(samples, value, log = log, type = "n", xlab = xlab, ylab = ylab, ylim = ylim, bty = bty, ...)
}

convergence_line <- function(samples, value, ..., lwd = 1, lty = 1) {
  graphics::lines(samples, value, col = "grey80", lwd = lwd, lty = lty)
}

convergence_marks <- function(samples, value, colour, ..., col = colour, pch = 19, cex = 1, bg = NA) {
  graphics::points(samples, value, pch = pch, col = col, cex = cex, bg = bg)
}

phase_colours <- c(pilot = "grey55", run = "#1B4F8A")

# The network that the pairs belong to.
influence_network <- function(x) {
  run <- attr(x, "run")
  if (is.null(run$model)) abort_argument("`x` lacks its network; plot the original result.")
  run$model
}


# ---- distributions -----------------------------------------------------------------------------------------------------

#' @rdname stationary_distribution
#' @export
plot.stationary_distribution <- function(x, n = 30, main = NULL, ...) {
  check_graphical(..., draws = graphics::barplot.default)
  top <- most_probable(x, n)
  nodes <- setdiff(names(x), "probability")
  labels <- state_labels(plain_frame(x)[top, nodes, drop = FALSE])
  # the names of nodes in the order of the digits, above the states, in as many lines as needed
  em <- graphics::par("ps") / 72 * graphics::par("cex")
  title <- strwrap(states_of(nodes), max(20, floor(graphics::par("fin")[[1L]] / (0.52 * em))))
  if (length(title) > 4L) title <- c(title[1:3], paste(title[[4L]], "..."))
  old <- plot_margins(labels, length(labels), 4.5, 1.5 + length(title) + has_title(main) * 1.5)
  on.exit(graphics::par(old))
  at <- distribution_bars(x$probability[top], ...)
  named <- if (has_axes(...)) {
    graphics::axis(1)
    side_labels(at, rev(labels))
  }
  for (i in seq_along(title)) {
    outside <- -graphics::par("mai")[[2L]] / graphics::par("pin")[[1L]]
    graphics::mtext(title[[i]], 3, length(title) - i + 1.1, adj = 0,
      at = graphics::grconvertX(outside + 0.01, "npc"), cex = 0.9 * graphics::par("cex"))
  }
  if (has_title(main)) fitted_title(main, length(title) + 1.3, ...)
  note <- c(left_out(length(top), nrow(x), ", most probable first"), named)
  plot_note(if (length(note) > 0L) paste(note, collapse = "; "))
  invisible(plain_frame(x)[top, , drop = FALSE])
}

most_probable <- function(x, n) {
  check_rows(n)
  if (is.null(x$probability) || nrow(x) == 0L) abort_argument("`x` has no states with a `probability` to plot.")
  check_distribution(x, "x")
  utils::head(order(-x$probability), n)
}

states_of <- function(nodes) paste("states of", paste(nodes, collapse = " "))

# Arguments of barplot() override our own. Colours are given from top to bottom.
distribution_bars <- function(probability, ..., height, horiz, axes, main, type, names.arg, col = "#1B4F8A", border = NA,
                              xlab = "probability", xlim = range(pretty(c(0, probability)))) {
  n <- length(probability)
  as.vector(graphics::barplot(
    rev(probability), names.arg = rep("", n), horiz = TRUE, axes = FALSE, col = rev(rep_len(col, n)), border = border,
    xlab = xlab, xlim = xlim, ...
  ))
}
