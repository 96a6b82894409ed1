# Plots of ensembles of reaction networks with ggplot2, and those of sweeps and comparisons.

#' Plot ensembles with ggplot2
#'
#' `autoplot()` draws results for reaction networks with ggplot2. It draws the same as `plot()` and returns a plot that can be
#' extended. Its generic is that of ggplot2: call `library(ggplot2)` first, or write `ggplot2::autoplot(...)`. `plot()` also has
#' methods for sweeps and comparisons, which this page describes.
#'
#' @param object,x A result of [`simulate()`][simulate.reaction_network] for a reaction network, [first_passage()],
#'   [sweep_parameters()], [compare_ensembles()] or [chemical_master_equation()].
#' @param band What the band around a mean shows: `"sd"` (the default) for the mean plus and minus one standard deviation between
#'   trajectories, `"interval"` for the confidence interval of the mean, `"range"` for minimum and maximum,
#'   `"quantile"` for the lowest and the highest of the quantiles that the result has, `"none"`. The default for a sweep is
#'   `"interval"`.
#' @param species The species to draw: names, or numbers in the order of the result. With `NULL` (the default), all; for a master
#'   equation, those whose counts change, at most the first nine.
#' @param place,at,components As for `plot()`: see [ensemble-methods].
#' @param n How many species to draw, the first ones in the order of the result; of trajectories and events, how many
#'   trajectories. `Inf` for all. Default 10, for a sweep 4.
#' @param time For a histogram, the time to draw: one of its times. By default, the last.
#' @param type `"series"` or `"map"`: see section Maps of [ensemble-methods]. For a master equation, `"marginals"` or
#'   `"moments"`: see [cme-methods].
#' @param main The title.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]. Otherwise ignored, with a
#'   warning of class `fireflip_warning_argument`.
#' @returns `autoplot()`: a ggplot. `plot()`: the data that were drawn, invisibly.
#' @section Sweeps: For a sweep with several times, the x axis is the time, and there is a line for each setting. For a sweep with
#'   one time, the x axis is the first column of the design, and there is a line for each combination of the other columns. Each
#'   species has a panel. The sweep must have `output = "summary"`.
#' @section Comparisons: The plot shows the p-values after Holm's correction against the time, on a logarithmic axis. Values below
#'   1e-16 are drawn at 1e-16. The dashed line is at 0.05: points below it are significant differences.
#' @seealso [ensemble-methods], [histogram-methods], [passage-methods], [cme-methods] for `plot()`; [result-plots] for Boolean
#'   networks.
#' @name ensemble-plots
#' @examples
#' net <- reaction_network(
#'   "0 -> A" = mass_action("k"), "A -> 0" = mass_action("d"), parameters = c(k = 10, d = 1)
#' )
#' design <- expand.grid(k = c(5, 10), d = c(1, 2))
#' sweep <- sweep_parameters(net, design, nsim = 200, times = 0:5, seed = 1)
#' plot(sweep)
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(simulate(net, nsim = 200, times = seq(0, 5, 0.1), seed = 1), band = "range")
#'   ggplot2::autoplot(simulate(net, nsim = 200, times = 5, output = "histogram", seed = 1))
#' }
NULL

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble <- function(object, band = c("sd", "interval", "range", "quantile", "none"), n = 10, species = NULL,
                              ..., place = NULL, type = c("series", "map"), at = NULL, components = NULL) {
  warn_ignored(...)
  band <- check_choice(band, "band", bands)
  if (is_map(type, at, components)) return(gg_map(map_of(object, species, place, at, components)))
  species <- named_items(object, species, place)
  gg_series(ensemble_series(of_species(in_run_order(with_species(object)), species), band, n))
}

bands <- c("sd", "interval", "range", "quantile", "none")
sweep_bands <- c("interval", "sd", "range", "quantile", "none")

ensemble_columns <- c("time", "species", "mean", "lower", "upper", "sd", "min", "max")

ensemble_series <- function(x, band, n) {
  need_columns(x, ensemble_columns, "x")
  shown <- first_species(x, n)
  limits <- band_of(shown$rows, band)
  series_of(
    shown$rows$time, shown$rows$species, shown$rows$mean, limits[[1L]], limits[[2L]], label_y = mean_word(x, shown$rows$species),
    note = c(band_note(band, shown$rows), shown$note)
  )
}

mean_word <- function(x, names) paste("mean", word_of_values(attr(x, "run"), unique(as.character(names))))

band_of <- function(rows, band) {
  switch(band,
    quantile = quantile_band(rows),
    sd = list(pmax(rows$mean - rows$sd, 0), rows$mean + rows$sd), interval = list(rows$lower, rows$upper),
    range = list(rows$min, rows$max), none = list(rows$mean, rows$mean)
  )
}

# The lowest and the highest quantile of a summary.
quantile_band <- function(rows) {
  names <- grep("^q[0-9.]+$", names(rows), value = TRUE)
  if (length(names) < 2L) {
    abort_argument(sprintf(
      "`band` = \"quantile\" needs a summary with at least two quantiles, as quantiles = c(0.025, 0.975) gives; found %s.",
      count_of(length(names), "quantile")
    ))
  }
  share <- as.numeric(substring(names, 2L))
  list(rows[[names[[which.min(share)]]]], rows[[names[[which.max(share)]]]])
}

band_note <- function(band, rows) {
  if (band == "quantile") {
    share <- as.numeric(substring(grep("^q[0-9.]+$", names(rows), value = TRUE), 2L))
    return(sprintf("band: quantiles of %s%% and %s%%", format(min(share)), format(max(share))))
  }
  c(sd = "band: mean and sd", interval = "band: interval of the mean", range = "band: min to max", none = "")[[band]]
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble_trajectories <- function(object, n = 10, species = NULL, ..., place = NULL, type = c("series", "map"),
                                           at = NULL, components = NULL) {
  warn_ignored(...)
  if (is_map(type, at, components)) return(gg_map(map_of(object, species, place, at, components)))
  found <- shown_paths(object, n, named_items(object, species, place))
  shown <- found$rows
  drawn <- found$species
  data <- data.frame(
    x = rep(shown$time, length(drawn)), value = unlist(shown[drawn], use.names = FALSE),
    trajectory = rep(shown$trajectory, length(drawn)), series = factor(rep(drawn, each = nrow(shown)), drawn)
  )
  at <- ggplot2::aes(
    x = .data$x, y = .data$value, colour = .data$series, group = interaction(.data$series, .data$trajectory)
  )
  of <- function(type) data[data$series %in% drawn[found$types == type], ]
  lines <- list(
    if (any(found$types == "s")) ggplot2::geom_step(data = of("s")),
    if (any(found$types == "l")) ggplot2::geom_line(data = of("l")), if (!found$steps) ggplot2::geom_point()
  )
  ggplot2::ggplot(data, at) + lines + gg_species(drawn) + gg_words("time", found$word, found$note) + gg_look()
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble_histogram <- function(object, time = max(object$time), n = 10, species = NULL, ..., place = NULL) {
  warn_ignored(...)
  found <- shown_counts(object, time, n, named_items(object, species, place))
  names <- unique(found$rows$species)
  data <- do.call(rbind, lapply(names, function(name) {
    bars <- found$bars[[name]]
    if (is.null(bars)) return(outline(found$rows[found$rows$species == name, ], name))
    data.frame(x = rep(bars$breaks, each = 2L), value = c(0, rep(bars$density, each = 2L), 0), series = name)
  }))
  data$series <- factor(data$series, names)
  ggplot2::ggplot(data, ggplot2::aes(x = .data$x, y = .data$value, colour = .data$series)) +
    ggplot2::geom_path(linewidth = 0.8) + gg_species(names) + gg_words(found$word, found$height, found$note) + gg_look()
}

# The outline of the bars of a histogram, with steps half-way between the counts. A count that does not occur has the height 0.
outline <- function(rows, name) {
  gap <- rows$count[-1L] - rows$count[-nrow(rows)] > 1.5
  x <- unlist(lapply(seq_len(nrow(rows)), function(i) {
    c(if (i == 1L || gap[[i - 1L]]) rows$count[[i]] - 0.5, rows$count[[i]] + c(-0.5, 0.5), if (i == nrow(rows) || gap[[i]]) {
      rows$count[[i]] + 0.5
    })
  }))
  y <- unlist(lapply(seq_len(nrow(rows)), function(i) {
    c(if (i == 1L || gap[[i - 1L]]) 0, rep(rows$proportion[[i]], 2L), if (i == nrow(rows) || gap[[i]]) 0)
  }))
  data.frame(x = x, value = y, series = name)
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble_events <- function(object, n = 10, ...) {
  warn_ignored(...)
  found <- shown_events(object, n)
  shown <- found$rows
  shown$series <- factor(as.character(shown$reaction), found$reactions)
  at <- ggplot2::aes(
    x = .data$time, xend = .data$time, y = .data$trajectory - 0.4, yend = .data$trajectory + 0.4, colour = .data$series
  )
  ggplot2::ggplot(shown, at) + ggplot2::geom_segment() + ggplot2::scale_y_continuous(breaks = whole_ticks) +
    gg_species(found$reactions) + gg_words("time", "trajectory", found$note) + gg_look()
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.first_passage <- function(object, ...) {
  warn_ignored(...)
  shown <- passage_steps(object)
  ggplot2::ggplot(shown, ggplot2::aes(x = .data$time, y = .data$share)) +
    ggplot2::geom_step(colour = course_colours(1L), linewidth = 0.8) + ggplot2::ylim(0, 1) +
    gg_words("time", "share with passage", trajectory_count(nrow(object)), cut_text(attr(object, "run")$until, 60L)) + gg_look()
}

# ---- sweeps -----------------------------------------------------------------------------------------------------------------

#' @rdname ensemble-plots
#' @export
plot.parameter_sweep <- function(x, band = c("interval", "sd", "range", "quantile", "none"), n = 4, main = NULL,
                                 species = NULL, ..., place = NULL) {
  check_graphical(...)
  draw_series(sweep_series(x, check_choice(band, "band", sweep_bands), n, named_items(x, species, place)), main, ...)
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.parameter_sweep <- function(object, band = c("interval", "sd", "range", "quantile", "none"), n = 4, species = NULL,
                                     ..., place = NULL) {
  warn_ignored(...)
  gg_series(sweep_series(object, check_choice(band, "band", sweep_bands), n, named_items(object, species, place)))
}

sweep_series <- function(x, band, n, species = NULL) {
  run <- run_of(x)
  x <- with_species(x)
  if (run$output != "summary") {
    abort_argument(sprintf("plot() and autoplot() draw sweeps with `output` = \"summary\"; found one with \"%s\".", run$output))
  }
  need_columns(x, c("setting", ensemble_columns), "x")
  shown <- first_species(of_species(in_run_order(x), species), n)
  rows <- shown$rows
  limits <- band_of(rows, band)
  single <- unique_count(rows$time) == 1L
  lines <- if (single) run$design[-1L] else run$design
  text <- if (length(lines) == 0L) rep("mean", nrow(run$design)) else {
    do.call(paste, c(lapply(names(lines), function(name) paste(name, "=", format_values(lines[[name]]))), sep = ", "))
  }
  long <- any(nchar(text) > 20L) # more than a legend shows
  if (long) text <- do.call(paste, c(unname(lapply(lines, format_values)), sep = ", "))
  if (!single && anyDuplicated(text)) text <- paste0(seq_along(text), ": ", text)
  named <- if (long) paste("lines:", paste(names(lines), collapse = ", "))
  note <- c(band_note(band, rows), named, if (single) paste("time", format(rows$time[[1L]])), shown$note)
  plan <- series_of(
    if (single) rows[[names(run$design)[[1L]]]] else rows$time, text[rows$setting], rows$mean, limits[[1L]], limits[[2L]],
    panel = rows$species, label_x = if (single) names(run$design)[[1L]] else "time", label_y = mean_word(x, rows$species),
    note = note
  )
  if (single) plan$data <- plan$data[order(plan$data$x), ]
  plan
}

# ---- comparisons ------------------------------------------------------------------------------------------------------------

# The colour shows the species, the symbol the test.
comparison_points <- function(x, n) {
  names(x)[names(x) == "place"] <- "species"
  wanted <- c("time", "species", "test", "adjusted")
  if (!all(wanted %in% names(x)) || !is_numbers(x$time) || !is_kept(x$adjusted)) {
    abort_argument(sprintf("`x` must have the columns %s, as compare_ensembles() gives them.", quote_some(wanted)))
  }
  shown <- first_species(x, n)
  rows <- shown$rows[!is.na(shown$rows$adjusted), ]
  if (nrow(rows) == 0L) abort_argument("There is nothing to plot: no test has a p-value.")
  tests <- c("mean", "variance", "distribution")
  data <- data.frame(
    x = rows$time, series = factor(rows$species, unique(rows$species)), value = pmax(rows$adjusted, 1e-16),
    test = factor(rows$test, intersect(tests, rows$test))
  )
  list(data = data, note = shown$note)
}

# The labels of the axis are long, as 1e-12 is.
comparison_canvas <- function(data, names, main, ..., ylab = "adjusted p-value", log = "y", mgp = c(3.2, 0.6, 0), tcl = -0.3,
                              cex.axis = 0.85 * graphics::par("cex.axis")) {
  course_canvas(
    data$x, c(1, 0.01, data$value), names, main, ylab, ..., log = log, mgp = mgp, tcl = tcl, cex.axis = cex.axis
  )
}

#' @rdname ensemble-plots
#' @export
plot.ensemble_comparison <- function(x, n = 10, main = NULL, ...) {
  check_graphical(...)
  found <- comparison_points(x, n)
  data <- found$data
  names <- levels(data$series)
  canvas <- comparison_canvas(data, c(names, levels(data$test)), main, ...)
  on.exit(graphics::par(canvas$old))
  graphics::abline(h = 0.05, lty = 2, col = "grey50")
  symbols <- c(mean = 19, variance = 17, distribution = 0)
  graphics::points(data$x, data$value, pch = symbols[as.character(data$test)], col = canvas$colour[as.integer(data$series)])
  usr <- graphics::par("usr")
  tests <- levels(data$test)
  fit <- legend_fit(length(names) + length(tests))
  named <- seq_len(min(length(names), max(fit$shown - length(tests), 1L)))
  more <- length(names) - length(named)
  right <- if (graphics::par("xlog")) 10^usr[[2L]] else usr[[2L]]
  top <- if (graphics::par("ylog")) 10^usr[[4L]] else usr[[4L]]
  graphics::legend(
    right, top, c(distinct_names(names)[named], if (more > 0L) sprintf("+ %s more", format_whole(more)), tests),
    col = c(canvas$colour[named], if (more > 0L) NA, rep("grey30", length(tests))),
    pch = c(rep(15, length(named)), if (more > 0L) NA, symbols[tests]), bty = "n", xpd = NA, cex = fit$size
  )
  if (length(found$note) > 0L) plot_note(found$note)
  invisible(data)
}

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.ensemble_comparison <- function(object, n = 10, ...) {
  warn_ignored(...)
  found <- comparison_points(object, n)
  ggplot2::ggplot(found$data, ggplot2::aes(x = .data$x, y = .data$value, colour = .data$series, shape = .data$test)) +
    ggplot2::geom_hline(yintercept = 0.05, linetype = "dashed", colour = "grey50") + ggplot2::geom_point(size = 2) +
    ggplot2::scale_y_log10() +
    ggplot2::scale_shape_manual(values = c(mean = 19, variance = 17, distribution = 0), name = NULL) +
    gg_species(levels(found$data$series)) + gg_words("time", "adjusted p-value", c("dashed: 0.05", found$note)) + gg_look()
}

# ---- master equation --------------------------------------------------------------------------------------------------------

#' @rdname ensemble-plots
#' @exportS3Method ggplot2::autoplot
autoplot.cme_solution <- function(object, type = c("marginals", "moments"), species = NULL, ...) {
  warn_ignored(...)
  type <- check_choice(type, "type", c("marginals", "moments"))
  species <- cme_species(object, species)
  names <- colnames(object$counts)[species]
  if (type == "moments") return(gg_series(cme_series(object, names)))
  data <- cme_marginals(object, species)
  data$panel <- factor(data$species, names)
  most <- stats::ave(data$probability, data$panel, FUN = max)
  data <- data[data$probability > 1e-4 * most, ] # as plot(): counts that are very improbable at all times are not shown
  few <- stats::ave(data$probability, data$panel, data$time, FUN = length) < 3
  times <- object$times$time
  colour <- stats::setNames(time_colours(length(times)), time_labels(times))
  data$time <- factor(names(colour)[match(data$time, times)], names(colour))
  named <- names(colour)[named_times(length(times))]
  at <- ggplot2::aes(x = .data$count, y = .data$probability, colour = .data$time, group = .data$time)
  out <- ggplot2::ggplot(data, at) +
    ggplot2::geom_line(data = data[!few, ], linewidth = 0.8) +
    ggplot2::geom_segment(ggplot2::aes(xend = .data$count, yend = 0), data[few, ], linewidth = 0.8) +
    ggplot2::scale_colour_manual(values = colour, breaks = named, limits = names(colour), name = NULL) +
    gg_words("count", "probability", left_out(length(named), length(times), " times are named")) + gg_look()
  if (length(names) > 1L) out + ggplot2::facet_wrap("panel", scales = "free", labeller = gg_panel_names) else out
}
