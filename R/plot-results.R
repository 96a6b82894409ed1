#' Plot results
#'
#' Estimates with their intervals, ranked; or how a simulation converged. `autoplot()` does the same with ggplot2, where that
#' is installed.
#'
#' @param x,object A result of [steady_state()], [node_activity()], [long_run_influence()] or [long_run_sensitivity()], or
#'   trajectories of [`simulate()`][simulate.pbn].
#' @param type `"estimates"`: a point and an interval for each row, the largest on top. `"convergence"`: rhat and half the
#'   widest interval against samples, over the pilot and the run. `"network"` (influences): the network, an arrow as wide as
#'   its influence.
#' @param n How many rows (or trajectories) to draw at most. Default 30.
#' @param main The title.
#' @param ... Further arguments of [graphics::plot.default()].
#' @returns `plot()`: the data drawn, invisibly. `autoplot()`: a ggplot.
#' @name result-plots
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' activity <- node_activity(net, seed = 1)
#' plot(activity)
#' plot(activity, type = "convergence")
NULL

#' @rdname result-plots
#' @export
plot.steady_state <- function(x, type = c("estimates", "convergence"), n = 30, main = NULL, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(plot_convergence(x, main, ...))
  plot_ranked(ranked(x$set, x$probability, x$lower, x$upper, n), "probability", main, ...)
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
plot.long_run_sensitivity <- function(x, n = 30, main = NULL, ...) {
  plot_ranked(sensitivity_ranked(x, n), "difference in probability", main, zero = TRUE, ...)
}

#' @rdname result-plots
#' @export
plot.pbn_trajectories <- function(x, n = 1, main = NULL, ...) {
  check_count(n, "n", 1)
  shown <- x[x$trajectory <= n, , drop = FALSE]
  values <- as.matrix(as.data.frame(unclass(shown), check.names = FALSE)[-(1:2)])
  old <- graphics::par(mar = c(4, label_margin(colnames(values)), if (is.null(main)) 1 else 3, 1))
  on.exit(graphics::par(old))
  graphics::image(
    seq_len(nrow(values)), seq_len(ncol(values)), values[, rev(seq_len(ncol(values))), drop = FALSE], zlim = c(0, 1),
    col = c("grey92", "#1B4F8A"), axes = FALSE, xlab = if (n == 1) "step" else "step, one trajectory after the other",
    ylab = "", main = main, ...
  )
  at <- pretty(seq_len(nrow(values)))
  at <- at[at >= 1 & at <= nrow(values)]
  graphics::axis(1, at, shown$step[at])
  graphics::axis(2, seq_len(ncol(values)), rev(colnames(values)), las = 1, tick = FALSE, cex.axis = min(1, 30 / ncol(values)))
  invisible(shown)
}

# The rows to draw, the largest last (on top of a plot whose axis runs upwards).
ranked <- function(label, estimate, lower, upper, n) {
  check_count(n, "n", 1)
  out <- data.frame(label = label, estimate = estimate, lower = lower, upper = upper)
  out <- out[order(-abs(out$estimate)), , drop = FALSE]
  out <- utils::head(out, n)
  out <- out[rev(seq_len(nrow(out))), , drop = FALSE]
  rownames(out) <- NULL
  out
}

influence_ranked <- function(x, n) {
  one <- length(unique(x$to)) == 1L
  ranked(if (one) x$from else paste(x$from, x$to, sep = " > "), x$influence, x$lower, x$upper, n)
}

sensitivity_ranked <- function(x, n) {
  what <- ifelse(is.na(x$node), "p", x$node)
  how <- switch(x$change[[1L]],
    node = ifelse(x$value == 1, " on", " off"), selection = sprintf(" [%d] to %.2g", x$predictor, x$value),
    predictor = sprintf(" [%d] inverted", x$predictor), perturbation = sprintf(" = %.3g", x$value)
  )
  several <- length(unique(x$set)) > 1L
  ranked(paste0(what, how, if (several) paste0(": ", x$set)), x$difference, x$lower, x$upper, n)
}

label_margin <- function(labels) min(18, max(4, 0.55 * max(nchar(labels)) + 1.5))

plot_ranked <- function(rows, xlab, main, zero = FALSE, ...) {
  old <- graphics::par(mar = c(4.5, label_margin(rows$label), if (is.null(main)) 1 else 3, 1))
  on.exit(graphics::par(old))
  at <- seq_len(nrow(rows))
  reach <- range(rows$lower, rows$upper, 0)
  graphics::plot.default(reach, c(0.5, nrow(rows) + 0.5), type = "n", yaxt = "n", xlab = xlab, ylab = "", main = main, bty = "n", ...)
  graphics::abline(h = at, col = "grey92")
  graphics::abline(v = 0, col = "grey70")
  graphics::segments(rows$lower, at, rows$upper, at, lwd = 2, col = "#1B4F8A")
  graphics::points(rows$estimate, at, pch = 19, col = "#1B4F8A")
  graphics::axis(2, at, rows$label, las = 1, tick = FALSE, cex.axis = min(1, 30 / nrow(rows)))
  invisible(rows)
}

trace_of <- function(x) {
  trace <- attr(x, "run")$trace
  if (is.null(trace)) abort_argument("`x` is no simulation as it came: there is no convergence to plot.")
  trace$phase <- ifelse(trace$phase == 0, "pilot", "run")
  trace$rhat[!is.finite(trace$rhat)] <- NA
  trace
}

plot_convergence <- function(x, main, ...) {
  trace <- trace_of(x)
  precision <- attr(x, "run")$precision
  old <- graphics::par(mfrow = c(2, 1), mar = c(4.5, 5, if (is.null(main)) 1 else 2.5, 2))
  on.exit(graphics::par(old))
  colour <- ifelse(trace$phase == "pilot", "grey55", "#1B4F8A")
  gap <- pmax(trace$rhat - 1, 1e-6)
  draw <- function(y, ylab, ...) {
    graphics::plot.default(trace$samples, y, log = "xy", type = "n", xlab = "samples", ylab = ylab, bty = "n", ...)
    for (phase in c("pilot", "run")) {
      at <- trace$phase == phase
      graphics::lines(trace$samples[at], y[at], col = "grey80")
    }
    graphics::points(trace$samples, y, pch = 19, col = colour)
  }
  draw(gap, "rhat - 1", main = main, ...)
  graphics::abline(h = 0.05, lty = 2, col = "grey50")
  width <- pmax(trace$width, 1e-12)
  draw(width, "half the widest interval", ylim = range(width, precision), ...)
  graphics::abline(h = precision, lty = 2, col = "grey50")
  graphics::legend("bottomleft", c("pilot", "run", "wanted"), pch = c(19, 19, NA), lty = c(NA, NA, 2), col = c("grey55", "#1B4F8A", "grey50"), bty = "n")
  invisible(trace)
}

# The part of the network that the pairs are about.
influence_network <- function(x) {
  run <- attr(x, "run")
  if (is.null(run$model)) abort_argument("`x` has lost its network; plot the result as it came.")
  run$model
}

autoplot_ranked <- function(rows, xlab) {
  rows$label <- factor(rows$label, unique(rows$label))
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$estimate, y = .data$label)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey70") +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), colour = "#1B4F8A") +
    ggplot2::geom_point(colour = "#1B4F8A") +
    ggplot2::labs(x = xlab, y = NULL) +
    ggplot2::theme_minimal()
}

autoplot_convergence <- function(x) {
  trace <- trace_of(x)
  long <- data.frame(
    samples = rep(trace$samples, 2), phase = rep(trace$phase, 2), value = c(pmax(trace$rhat - 1, 1e-6), pmax(trace$width, 1e-12)),
    what = rep(c("rhat - 1", "half the widest interval"), each = nrow(trace))
  )
  ggplot2::ggplot(long, ggplot2::aes(x = .data$samples, y = .data$value, colour = .data$phase)) +
    ggplot2::geom_line(colour = "grey80") +
    ggplot2::geom_point() +
    ggplot2::facet_wrap("what", ncol = 1, scales = "free_y") +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = c(pilot = "grey55", run = "#1B4F8A")) +
    ggplot2::labs(x = "samples", y = NULL, colour = NULL) +
    ggplot2::theme_minimal()
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.steady_state <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(autoplot_convergence(object))
  autoplot_ranked(ranked(object$set, object$probability, object$lower, object$upper, n), "probability")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_influence <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(autoplot_convergence(object))
  autoplot_ranked(influence_ranked(object, n), "long-run influence")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_sensitivity <- function(object, n = 30, ...) {
  autoplot_ranked(sensitivity_ranked(object, n), "difference in probability")
}
