# Plots of several courses with bands, in base graphics and in ggplot2: noise, its parts, burn-in and sweeps.
#
# What is drawn is a list: `data`, a data frame with the columns `x`, `series`, `value`, `lower`, `upper` and `panel` (factors for
# names), `label_x` and `label_y`, `note`, `line`, NULL or the height of a dashed line, and `top`, NULL or the ends of the y axes
# of the panels, by their names. With `top`, values and bands may be infinite, and triangles show where a course is above the
# axis. Within a series, rows are in the order of x.

series_of <- function(x, series, value, lower = value, upper = value, panel = "", label_x = "time", label_y = "",
                      note = character(), line = NULL, top = NULL) {
  in_order <- function(names) factor(names, unique(names))
  panel <- rep_len(panel, length(x))
  data <- data.frame(x = x, series = in_order(series), value = value, lower = lower, upper = upper, panel = in_order(panel))
  data <- data[if (is.null(top)) is.finite(data$value) else !is.na(data$value), ]
  if (nrow(data) == 0L) abort_argument("There is nothing to plot: no value is known.")
  data <- by_x(data)
  data$lower <- ifelse(is.finite(data$lower), data$lower, data$value)
  data$upper <- ifelse(if (is.null(top)) is.finite(data$upper) else !is.na(data$upper), data$upper, data$value)
  list(data = data, label_x = label_x, label_y = label_y, note = note[nzchar(note)], line = line, top = top)
}

# Lines go from left to right, also where a user has changed numbers or the order of rows.
by_x <- function(data) {
  unsorted <- vapply(split(data$x, list(data$series, data$panel), drop = TRUE), is.unsorted, NA)
  if (any(unsorted)) data[order(data$x), ] else data
}

# The data with numbers far above the axis instead of Inf, so that lines and bands go there.
with_ends <- function(data, top) {
  far <- 1e3 * max(top, data$value[is.finite(data$value)])
  for (column in c("value", "lower", "upper")) data[[column]][data[[column]] == Inf] <- far
  data
}

# ---- base graphics ----------------------------------------------------------------------------------------------------------

# Arguments of plot.default() override our own.
draw_series <- function(plan, main, ...) {
  panels <- levels(droplevels(plan$data$panel))
  if (length(panels) > 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(panels)))
    on.exit(graphics::par(old))
  }
  for (panel in panels) {
    title <- if (!is.null(main)) main else if (nzchar(panel)) short_label(panel)
    draw_panel(plan, plan$data[plan$data$panel == panel, ], title, ...)
  }
  invisible(plan$data)
}

draw_panel <- function(plan, data, main, ..., xlab = plan$label_x, ylab = plan$label_y, ylim = NULL, log = "") {
  names <- levels(plan$data$series)
  reach <- c(data$lower, data$upper, plan$line)
  if (!is.null(plan$top)) {
    top <- plan$top[[as.character(data$panel[[1L]])]]
    if (is.null(ylim) && !grepl("y", log)) ylim <- c(0, top) # a logarithmic axis has room for all
    data <- with_ends(data, top)
  }
  canvas <- course_canvas(plan$data$x, reach[is.finite(reach)], names, main, ylab, ..., label_x = xlab, ylim = ylim, log = log)
  on.exit(graphics::par(canvas$old))
  if (!is.null(plan$line)) graphics::abline(h = plan$line, lty = 2, col = "grey50")
  for (k in seq_along(names)) {
    one <- data[data$series == names[[k]], ]
    if (nrow(one) > 0L) draw_course(one$x, one$value, one$lower, one$upper, canvas$line(k))
  }
  course_names(names, canvas, c(plan$note, if (!is.null(plan$top)) mark_outside(data, canvas$colour)))
}

outside_note <- "triangle: above the axis"

# Draws triangles on the upper edge. Returns a note if there are any.
mark_outside <- function(data, colour) {
  edge <- graphics::par("usr")[[4L]]
  if (graphics::par("ylog")) edge <- 10^edge
  out <- data[data$value > edge, ]
  graphics::points(out$x, rep(edge, nrow(out)), pch = 17, col = colour[as.integer(out$series)], xpd = NA)
  if (nrow(out) > 0L) outside_note
}

# ---- ggplot2 ----------------------------------------------------------------------------------------------------------------

gg_series <- function(plan) {
  above <- plan$data[0L, ]
  if (!is.null(plan$top)) { # each panel has its own axis, which ends where its data end
    top <- plan$top[as.character(plan$data$panel)]
    above <- plan$data[plan$data$value > top, ]
    above$value <- top[plan$data$value > top]
    plan$data <- cut_at_tops(plan$data, plan$top)
    if (nrow(above) > 0L) plan$note <- c(plan$note, outside_note)
  }
  data <- plan$data
  single <- length(unique(data$x)) == 1L
  bands <- data[data$upper > data$lower, ]
  at <- ggplot2::aes(x = .data$x, ymin = .data$lower, ymax = .data$upper, fill = .data$series, group = .data$series)
  out <- ggplot2::ggplot(data, ggplot2::aes(x = .data$x, y = .data$value, colour = .data$series, group = .data$series))
  if (!is.null(plan$line)) out <- out + ggplot2::geom_hline(yintercept = plan$line, linetype = "dashed", colour = "grey50")
  out <- if (single) {
    range <- ggplot2::aes(ymin = .data$lower, ymax = .data$upper)
    out + ggplot2::geom_pointrange(range, position = ggplot2::position_dodge(width = 0.1))
  } else {
    out <- if (nrow(bands) > 0L) {
      out + ggplot2::geom_ribbon(at, data, inherit.aes = FALSE, alpha = 0.2, colour = NA, show.legend = FALSE)
    } else out
    out + ggplot2::geom_line(linewidth = 0.8, na.rm = !is.null(plan$top))
  }
  if (nrow(above) > 0L) out <- out + ggplot2::geom_point(data = above, shape = 17, size = 2, show.legend = FALSE)
  if (!is.null(plan$top)) out <- out + ggplot2::expand_limits(y = 0)
  if (nlevels(data$panel) > 1L) out <- out + ggplot2::facet_wrap("panel", scales = "free_y", labeller = gg_panel_names)
  out + gg_species(levels(data$series)) + gg_words(plan$label_x, plan$label_y, plan$note) + gg_look()
}

# The courses up to the tops of their panels, with points where they cross them. The value of a point above is NA.
cut_at_tops <- function(data, tops) {
  cut <- lapply(split(data, list(data$panel, data$series), drop = TRUE), function(one) {
    top <- tops[[as.character(one$panel[[1L]])]]
    ends <- with_ends(one, top)
    x <- sort(unique(c(one$x, crossings(ends$x, ends$value, top), crossings(ends$x, ends$upper, top))))
    at <- lapply(ends[c("value", "lower", "upper")], function(y) if (nrow(one) == 1L) y else stats::approx(ends$x, y, x)$y)
    data.frame(
      x = x, series = one$series[[1L]], value = ifelse(at$value > top * (1 + 1e-9), NA, at$value), lower = pmin(at$lower, top),
      upper = pmin(at$upper, top), panel = one$panel[[1L]]
    )
  })
  do.call(rbind, c(cut, make.row.names = FALSE))
}

# Where the lines between points cross a height.
crossings <- function(x, y, height) {
  i <- which((y[-1L] > height) != (y[-length(y)] > height))
  x[i] + (height - y[i]) / (y[i + 1L] - y[i]) * (x[i + 1L] - x[i])
}

gg_panel_names <- function(labels) lapply(labels, function(label) short_label(as.character(label)))
class(gg_panel_names) <- c("function", "labeller")

# The colours of species, as in plot(), and their names.
most_named <- 20L
gg_species <- function(names) {
  title <- if (length(names) > most_named) sprintf("%d of %s", most_named, format_whole(length(names)))
  colour <- stats::setNames(course_colours(length(names)), names)
  named <- utils::head(names, most_named)
  list(
    ggplot2::scale_colour_manual(values = colour, breaks = named, labels = distinct_names, name = title, limits = names),
    ggplot2::scale_fill_manual(values = colour, breaks = named, labels = distinct_names, name = title, limits = names)
  )
}

gg_words <- function(x, y, note = character(), title = NULL) {
  note <- note[nzchar(note)]
  ggplot2::labs(x = x, y = y, title = title, caption = if (length(note) > 0L) paste(note, collapse = "; "))
}

gg_look <- function() ggplot2::theme_minimal() + ggplot2::theme(panel.grid.minor = ggplot2::element_blank())

# ---- noise and burn-in ------------------------------------------------------------------------------------------------------

#' Methods for noise and burn-in
#'
#' Methods for results of [noise()], [noise_decomposition()] and [burn_in()].
#'
#' @param x,object A result of [noise()], [noise_decomposition()] or [burn_in()].
#' @param what For noise, `"fano"` (the default) for the Fano factor, or `"cv2"` for the squared coefficient of variation.
#' @param n For `print()`, how many rows to print; for `plot()` and `autoplot()`, how many species to draw, the first ones in the
#'   order of the result. `Inf` for all. Default 10.
#' @param species For plots of noise, the species to draw: names, or numbers in the order of the result. With `NULL` (the
#'   default), the first `n`.
#' @param place The same as `species`, for results of Petri nets. The name of a place with colours stands for all of its colours.
#' @param main The title.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()], such as `xlab`, `ylim` and `log`. `col`,
#'   `lwd` and `lty` may have a value per line. An unknown argument is an error. Other methods ignore it, with a warning of
#'   class `fireflip_warning_argument`.
#' @returns `print()` returns `x`, and `plot()` the data that were drawn, both invisibly. `autoplot()` returns a ggplot that shows
#'   the same. `as.data.frame()` returns a plain data frame.
#' @section Plots: Bands are confidence intervals. A dashed line shows the Fano factor 1 of a Poisson distribution. For burn-in, a
#'   panel for each statistic shows the largest change against the last time (lines), up to its bound (bands), and the tolerance
#'   (dashed). The axis has room for the changes in the second half of the run, and earlier ones up to four times the tolerance. A
#'   triangle at its upper end stands for a change beyond it. Bands without a bound go beyond it, too.
#' @name noise-methods
#' @examples
#' net <- reaction_network("0 -> 10 P" = 2, "P -> 0" = 1)
#' sim <- simulate(net, nsim = 1000, times = seq(0, 10, 0.5), seed = 1)
#' plot(noise(sim), what = "cv2", log = "y")
#' plot(burn_in(sim))
NULL

# Estimates with four digits.
rounded <- function(x) {
  own <- setdiff(names(x)[vapply(x, is.double, NA)], "time")
  x[own] <- lapply(x[own], signif, 4L)
  x
}

#' @rdname noise-methods
#' @export
print.ensemble_noise <- function(x, n = 10, ...) {
  warn_ignored(...)
  run <- attr(x, "run")
  named <- with_species(x)
  if (is.null(run) || !has_columns(named, c("time", "species", "fano"))) {
    print(plain_frame(x))
  } else {
    print_first_rows(rounded(x), n, sprintf(
      "<%s> %s of %s, %s, %g%% intervals", class(x)[[1L]], trajectory_count(run$n),
      species_count(unique_count(named$species), items_of(x)), times_text(unique(x$time)), 100 * run$confidence
    ))
  }
  invisible(x)
}

#' @rdname noise-methods
#' @export
print.noise_decomposition <- function(x, n = 10, ...) {
  warn_ignored(...)
  run <- attr(x, "run")
  if (is.null(run) || !has_columns(with_species(x), c("time", "species", noise_columns))) {
    print(plain_frame(x))
  } else {
    intervals <- if (is.null(run$confidence)) "no intervals (output = \"final\" gives them)"
      else if (has_intervals(x)) sprintf("%g%% intervals", 100 * run$confidence)
      else paste0("no intervals", if (isTRUE(run$kind == "sample" && run$settings < 10)) ": fewer than 10 settings")
    print_first_rows(rounded(x), n, sprintf("<noise_decomposition> by %s, %s", decomposition_kind(run$kind), intervals))
  }
  invisible(x)
}

# Whether a limit of a part is known, which takes enough settings or trajectories.
has_intervals <- function(x) !all(is.na(unlist(plain_frame(x)[paste0(noise_parts, "_lower")])))

decomposition_kind <- function(kind) {
  switch(kind, reporters = "two reporters", sample = "settings that are a sample", all = "settings that are all there are")
}

#' @rdname noise-methods
#' @export
print.burn_in <- function(x, n = 10, ...) {
  warn_ignored(...)
  run <- attr(x, "run")
  if (is.null(run) || !has_columns(with_species(x), c("species", "statistic", "from", "stationary"))) {
    print(plain_frame(x))
    return(invisible(x))
  }
  from <- attr(x, "from")
  times <- length(run$times)
  said <- if (!is.na(from)) {
    sprintf(
      "From time %s to %s, no change is seen, and a change above the tolerance of %g is excluded.", format(from),
      format(run$times[[times]]), run$tolerance
    )
  } else if (any(!x$stationary, na.rm = TRUE)) {
    sprintf("Not stationary: %s of %s.", format_whole(sum(!x$stationary, na.rm = TRUE)), count_of(nrow(x), "statistic"))
  } else "The sample does not tell whether the ensemble is stationary."
  slow <- if (run$ensembles == 1L) "A change much slower than the run cannot be seen in one ensemble; add one with another start."
  sizes <- range(run$n)
  size <- trajectory_count(sizes[[2L]])
  if (sizes[[1L]] < sizes[[2L]]) size <- paste(format_whole(sizes[[1L]]), "to", size)
  print_first_rows(rounded(x), n, c(
    sprintf("<burn_in> %s of %s, %s", count_of(run$ensembles, "ensemble"), size, times_text(run$times)),
    said
  ))
  if (!is.null(slow)) writeLines(slow)
  invisible(x)
}

#' @rdname noise-methods
#' @export
as.data.frame.ensemble_noise <- function(x, row.names = NULL, optional = FALSE, ...) {
  warn_ignored(...)
  plain_frame(x)
}

#' @rdname noise-methods
#' @export
as.data.frame.noise_decomposition <- function(x, row.names = NULL, optional = FALSE, ...) {
  warn_ignored(...)
  plain_frame(x)
}

#' @rdname noise-methods
#' @export
as.data.frame.burn_in <- function(x, row.names = NULL, optional = FALSE, ...) {
  warn_ignored(...)
  attr(x, "from") <- attr(x, "course") <- NULL
  plain_frame(x)
}

#' @export
`[.ensemble_noise` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
`[.noise_decomposition` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
rbind.ensemble_noise <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @export
rbind.noise_decomposition <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @export
rbind.burn_in <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

# The rows of the first n species, and a note about the others.
first_species <- function(x, n) {
  check_rows(n)
  all <- unique(x$species)
  shown <- utils::head(all, n)
  list(rows = plain_frame(x)[x$species %in% shown, ], note = left_out_items(length(shown), length(all), x))
}

noise_series <- function(x, what, n, species) {
  what <- check_choice(what, "what", c("fano", "cv2"))
  x <- with_species(x)
  need_columns(x, c("time", "species", paste0(rep(c("fano", "cv2"), each = 3L), c("", "_lower", "_upper"))), "x")
  shown <- first_species(of_species(in_run_order(x), species), n)
  series_of(
    shown$rows$time, shown$rows$species, shown$rows[[what]], shown$rows[[paste0(what, "_lower")]],
    shown$rows[[paste0(what, "_upper")]], label_y = if (what == "fano") "Fano factor" else "squared coefficient of variation",
    note = c(sprintf("band: %g%% interval", 100 * attr(x, "run")$confidence), shown$note), line = if (what == "fano") 1
  )
}

decomposition_series <- function(x, n, species) {
  x <- with_species(x)
  need_columns(x, c("time", "species", noise_columns), "x")
  shown <- first_species(of_species(in_run_order(x), species), n)
  rows <- shown$rows
  several <- unique_count(rows$species) > 1L
  confidence <- attr(x, "run")$confidence
  values <- function(end) unlist(rows[paste0(noise_parts, end)], use.names = FALSE)
  series_of(
    rep(rows$time, 3L), rep(noise_parts, each = nrow(rows)), values(""), values("_lower"), values("_upper"),
    panel = if (several) rep(rows$species, 3L) else "",
    label_y = if (several) "noise" else paste("noise of", short_label(rows$species[[1L]])),
    note = c(if (!is.null(confidence) && has_intervals(rows)) sprintf("band: %g%% interval", 100 * confidence), shown$note)
  )
}

burn_in_series <- function(x, n) {
  course <- attr(x, "course")
  run <- run_of(x)
  if (!is.data.frame(course)) abort_argument("`x` must be an unchanged result of burn_in().")
  shown <- first_species(course, n)
  rows <- shown$rows
  rows$statistic <- factor(rows$statistic, c("mean", "sd", "distribution"))
  rows <- rows[order(rows$statistic), ]
  unit <- c(mean = "mean, in sd", sd = "sd, relative", distribution = "distribution")
  rows$panel <- unit[as.character(rows$statistic)]
  tolerance <- run$tolerance
  top <- burn_in_tops(rows, run$times, tolerance)
  known <- rows$change > 0 | rows$bound < Inf # not, for instance, standard deviations at a start that is the same for all
  rows <- rows[known | !stats::ave(known, rows$panel, rows$species, FUN = any), ]
  series_of(
    rows$time, rows$species, rows$change, rows$change, rows$bound, panel = rows$panel, label_y = "largest change",
    note = c("dashed: tolerance; band: up to the bound", shown$note), line = tolerance, top = top
  )
}

# Where the axes of the panels end. Changes at the beginning may be many times as large as those that are judged.
burn_in_tops <- function(rows, times, tolerance) {
  late <- rows$time > (times[[1L]] + times[[length(times)]]) / 2
  vapply(split(seq_len(nrow(rows)), rows$panel), function(i) {
    finite <- function(x) x[is.finite(x)]
    all <- max(finite(c(rows$change[i], rows$bound[i])), tolerance)
    min(all, max(4 * tolerance, finite(rows$change[i][late[i]])))
  }, 0)
}

#' @rdname noise-methods
#' @export
plot.ensemble_noise <- function(x, what = c("fano", "cv2"), n = 10, species = NULL, main = NULL, ..., place = NULL) {
  check_graphical(...)
  draw_series(noise_series(x, what, n, named_items(x, species, place)), main, ...)
}

#' @rdname noise-methods
#' @export
plot.noise_decomposition <- function(x, n = 10, species = NULL, main = NULL, ..., place = NULL) {
  check_graphical(...)
  draw_series(decomposition_series(x, n, named_items(x, species, place)), main, ...)
}

#' @rdname noise-methods
#' @export
plot.burn_in <- function(x, n = 10, main = NULL, ...) {
  check_graphical(...)
  draw_series(burn_in_series(x, n), main, ...)
}

#' @rdname noise-methods
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble_noise <- function(object, what = c("fano", "cv2"), n = 10, species = NULL, ..., place = NULL) {
  warn_ignored(...)
  gg_series(noise_series(object, what, n, named_items(object, species, place)))
}

#' @rdname noise-methods
#' @exportS3Method ggplot2::autoplot
autoplot.noise_decomposition <- function(object, n = 10, species = NULL, ..., place = NULL) {
  warn_ignored(...)
  gg_series(decomposition_series(object, n, named_items(object, species, place)))
}

#' @rdname noise-methods
#' @exportS3Method ggplot2::autoplot
autoplot.burn_in <- function(object, n = 10, ...) {
  warn_ignored(...)
  gg_series(burn_in_series(object, n))
}
