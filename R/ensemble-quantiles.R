# Quantiles and histograms in bins, of every kind of result that has the distribution of counts.

#' Quantiles and histograms of an ensemble
#'
#' `quantile()` gives quantiles of each species at each time, and `hist()` draws a histogram of each species at one time. Both
#' have methods for results of [`simulate()`][simulate.reaction_network] for a reaction network.
#'
#' @param x A result of [`simulate()`][simulate.reaction_network] with `output = "histogram"`, `"trajectories"` or `"final"`, or a
#'   summary for which `quantiles` were given.
#' @param probs Different probabilities between 0 and 1. Default 0, 0.25, 0.5, 0.75 and 1.
#' @param time The time to draw: one of the times of the result. By default, the last. With `output = "final"`, there is only one.
#' @param n How many species to draw, the first ones in the order of the result. Default 9; `Inf` for all.
#' @param species The species to draw: names, or numbers in the order of the result. With `NULL` (the default), all.
#' @param place The same as `species`, for results of Petri nets. The name of a place with colours stands for all of its colours.
#' @param breaks The largest number of bars, or the limits of the bars in ascending order, for all species. With `NULL` (the
#'   default), there are at most 50 bars, and each count has its own if that is enough.
#' @param freq Whether the height of a bar is a number of trajectories. With `FALSE` (the default), it is a density: the
#'   proportion of the trajectories divided by the width of the bar.
#' @param main The title. By default, the name of the species and the time.
#' @param ... For `hist()`, further graphical arguments, such as `xlab`, `ylim`, `col` and `border`. Must be empty for
#'   `quantile()`.
#' @returns `quantile()`: a data frame with a row for each time and species, ordered by time. Its columns are `time`, `species`,
#'   and one for each of `probs`, such as `q25`. The quantile of p is the smallest count such that a proportion of at least p of
#'   the trajectories have at most this count (type 1 of [stats::quantile()]). If a variable is NaN in some trajectories, NaN
#'   counts as larger than all numbers.
#'
#'   `hist()`: a list of objects of class `histogram`, named by species, invisibly. See [graphics::hist()].
#' @section Errors: `fireflip_error_argument` for an invalid argument, and for a summary without quantiles, which does not keep
#'   how often each count occurs. For `hist()`, also if a variable to draw is NaN or infinite in a trajectory.
#' @seealso [`simulate()`][simulate.reaction_network]; [histogram-methods] for `plot()`, which draws several species in one
#'   picture.
#' @name ensemble-quantiles
#' @examples
#' net <- reaction_network("0 -> 10 P" = 2, "P -> 0" = 1)
#' counts <- simulate(net, nsim = 1000, times = c(1, 5), output = "histogram", seed = 1)
#' quantile(counts, c(0.025, 0.5, 0.975))
#' hist(counts)
#' ends <- simulate(net, nsim = 1000, times = 5, output = "final", seed = 1)
#' hist(ends, breaks = 10, col = "steelblue")
NULL

check_probabilities <- function(x, name) {
  expected <- "different probabilities between 0 and 1"
  if (!is.numeric(x) || is.object(x) || length(x) == 0L) abort_value(name, expected, x)
  bad <- which(is.na(x) | x < 0 | x > 1 | duplicated(x))
  if (length(bad) > 0L && bad[[1L]] == anyDuplicated(x)) abort_value(name, expected, x[[bad[[1L]]]], " twice.")
  if (length(bad) > 0L) abort_value(name, expected, x[[bad[[1L]]]])
  invisible(x)
}

quantile_names <- function(probabilities) paste0("q", exact_text(100 * probabilities, 15))

#' @rdname ensemble-quantiles
#' @importFrom stats quantile
#' @export
quantile.ensemble <- function(x, probs = seq(0, 1, 0.25), ...) {
  check_no_more(...)
  check_probabilities(probs, "probs")
  run <- run_of(x)
  out <- rows_left(quantile.ensemble_histogram(known_histogram(run), probs), x)
  rownames(out) <- NULL
  out
}

# The rows about times and species that a user has not left out of a summary.
rows_left <- function(out, x) {
  run <- attr(x, "run")
  x <- with_species(x)
  if (!has_columns(x, c("time", "species"))) return(out)
  key <- function(rows) paste(match(rows$time, run$times), rows$species, sep = "\r")
  all <- with_species(structure(plain_frame(out), class = class(out), run = run))
  out[key(all) %in% key(x), ]
}

#' @rdname ensemble-quantiles
#' @export
quantile.ensemble_histogram <- function(x, probs = seq(0, 1, 0.25), ...) {
  check_no_more(...)
  check_probabilities(probs, "probs")
  run <- attr(x, "run")
  x <- with_species(x)
  need_columns(x, c("time", "species", "count", "n"), "x")
  with_items(quantiles_of(counts_by_cell(in_run_order(x)), probs), run)
}

#' @rdname ensemble-quantiles
#' @export
quantile.ensemble_trajectories <- function(x, probs = seq(0, 1, 0.25), ...) {
  check_no_more(...)
  check_probabilities(probs, "probs")
  with_items(quantiles_of(counts_by_cell(histogram_of_rows(with_species(x))), probs), attr(x, "run"))
}

# A list with time, species, counts in ascending order and their numbers, for each time and species.
counts_by_cell <- function(x) {
  key <- paste(match(x$time, unique(x$time)), x$species, sep = "\r")
  lapply(unname(split(seq_len(nrow(x)), factor(key, unique(key)))), function(at) {
    at <- at[order(x$count[at])]
    list(time = x$time[[at[[1L]]]], species = as.character(x$species[[at[[1L]]]]), count = x$count[at], n = x$n[at])
  })
}

quantiles_of <- function(cells, probs) {
  found <- vapply(cells, function(cell) {
    tally <- list(cell = rep(1L, length(cell$n)), value = cell$count, count = cell$n, n = sum(cell$n))
    unlist(tally_quantiles(tally, probs), use.names = FALSE)
  }, numeric(length(probs)))
  found <- matrix(found, length(probs), dimnames = list(quantile_names(probs), NULL))
  data.frame(time = vapply(cells, `[[`, 0, "time"), species = vapply(cells, `[[`, "", "species"), t(found), check.names = FALSE)
}

# The rows of a histogram, from those of trajectories.
histogram_of_rows <- function(x) {
  run <- run_of(x)
  species <- species_columns(x, "x")
  time <- if (kept_final(run)) rep(run$times, nrow(x)) else x$time # some may have stopped before
  cells <- lapply(species, function(name) counts_of(time, x[[name]]))
  column <- function(name) unlist(lapply(cells, `[[`, name), use.names = FALSE)
  of <- rep(seq_along(species), vapply(cells, function(one) length(one$n), 0L))
  at <- order(column("time"), of, column("count"))
  data.frame(time = column("time")[at], species = species[of][at], count = column("count")[at], n = column("n")[at])
}

# Each value that occurs at a time, and how often, ordered by time and value. NaN, which a variable may be, is the largest value.
counts_of <- function(time, value) {
  at <- order(time, value)
  time <- time[at]
  value <- value[at]
  last <- length(at)
  same <- value[-1L] == value[-last] | is.na(value[-1L]) & is.na(value[-last])
  ends <- which(c(!(same %in% TRUE) | time[-1L] != time[-last], TRUE))
  list(time = time[ends], count = value[ends], n = diff(c(0L, ends)))
}

# The histograms of a summary with quantiles.
known_histogram <- function(run) {
  if (is.null(run$tally$cell)) {
    abort_argument(paste(
      "`x` must keep how often each count occurs, as simulate() does for output = \"histogram\" or quantiles = c(0.025, 0.975);",
      "found a summary without quantiles."
    ))
  }
  histogram_of(run)
}

# ---- hist() -----------------------------------------------------------------------------------------------------------------

#' @rdname ensemble-quantiles
#' @importFrom graphics hist
#' @export
hist.ensemble <- function(x, ...) hist(rows_left(known_histogram(run_of(x)), x), ...)

#' @rdname ensemble-quantiles
#' @export
hist.ensemble_histogram <- function(x, time = max(x$time), n = 9, main = NULL, species = NULL, breaks = NULL, freq = FALSE,
                                    ..., place = NULL) {
  check_graphical(..., draws = bar_arguments)
  species <- named_items(x, species, place)
  x <- with_species(x)
  need_columns(x, c("time", "species", "count", "n"), "x")
  draw_bars(plain_frame(of_species(in_run_order(x), species)), attr(x, "run"), time, n, main, breaks, freq, ...)
}

#' @rdname ensemble-quantiles
#' @export
hist.ensemble_trajectories <- function(x, time = NULL, n = 9, main = NULL, species = NULL, breaks = NULL, freq = FALSE,
                                       ..., place = NULL) {
  check_graphical(..., draws = bar_arguments)
  rows <- histogram_of_rows(of_species(with_species(x), named_items(x, species, place)))
  draw_bars(rows, attr(x, "run"), if (is.null(time)) max(rows$time) else time, n, main, breaks, freq, ...)
}

# A panel for each species.
draw_bars <- function(rows, run, time, n, main, breaks, freq, ...) {
  check_rows(n)
  check_flag(freq, "freq")
  check_breaks(breaks)
  check_drawn_time(time, rows$time)
  rows <- rows[rows$time == time, ]
  names <- utils::head(unique(rows$species), n)
  check_finite_counts(rows[rows$species %in% names, ])
  out <- lapply(stats::setNames(nm = names), function(name) {
    one <- rows[rows$species == name, ]
    bars_of(one$count, one$n, breaks, name)
  })
  if (length(names) > 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(names)))
    on.exit(graphics::par(old))
  }
  for (name in names) {
    title <- if (is.null(main)) sprintf("%s at time %s", short_label(name), format(time)) else main
    draw_bar_panel(out[[name]], freq, title, ..., label = word_of_values(run, name))
  }
  invisible(out)
}

# Arguments of graphics' method of plot() for histograms.
bar_arguments <- function(density, angle, col, border, lty, labels) NULL

draw_bar_panel <- function(bars, freq, main, ..., label, xlab = label, ylab = if (freq) "trajectories" else "density",
                           col = course_colours(1L), border = if (length(bars$counts) > 30L) NA else "white") {
  plot(bars, freq = freq, main = main, xlab = xlab, ylab = ylab, col = col, border = border, ...)
}

check_drawn_time <- function(time, times) {
  if (is.numeric(time) && length(time) == 1L && time %in% times) return(invisible(time))
  abort_value("time", sprintf("one of the times of `x` (%s)", some_values(unique(times), most = 10L)), time)
}

# Species have finite counts; variables may be NaN or infinite.
check_finite_counts <- function(rows) {
  bad <- which(!is.finite(rows$count))
  if (length(bad) == 0L) return(invisible())
  abort_argument(sprintf(
    "A picture needs finite values; found %s for \"%s\" at time %s. `species` chooses others.", format(rows$count[[bad[[1L]]]]),
    rows$species[[bad[[1L]]]], format(rows$time[[bad[[1L]]]])
  ))
}

check_breaks <- function(breaks) {
  if (is.null(breaks)) return(invisible())
  expected <- "a number of bars of at least 1, or the limits of bars in ascending order"
  if (!is.numeric(breaks) || is.object(breaks) || length(breaks) == 0L || !all(is.finite(breaks))) {
    abort_value("breaks", expected, breaks)
  }
  if (length(breaks) == 1L && breaks < 1 || is.unsorted(breaks, strictly = TRUE)) abort_value("breaks", expected, breaks)
}

# An object of class `histogram`. Limits of bars are half-way between counts, so that no count is on a limit.
bars_of <- function(value, n, breaks, name) {
  if (length(breaks) > 1L) {
    limits <- breaks
    if (limits[[1L]] > min(value) || limits[[length(limits)]] < max(value)) {
      abort_argument(sprintf(
        "`breaks` must span all values of \"%s\", from %s to %s; found limits from %s to %s.", name, format(min(value)),
        format(max(value)), format(limits[[1L]]), format(limits[[length(limits)]])
      ))
    }
  } else limits <- bar_limits(value, if (is.null(breaks)) 50 else breaks)
  at <- findInterval(value, limits, rightmost.closed = TRUE, left.open = TRUE)
  at[at == 0L] <- 1L # a value on the lowest limit
  counts <- numeric(length(limits) - 1L)
  found <- rowsum(n, at)
  counts[as.integer(rownames(found))] <- found[, 1L]
  structure(class = "histogram", list(
    breaks = limits, counts = counts, density = counts / sum(counts) / diff(limits),
    mids = (limits[-1L] + limits[-length(limits)]) / 2, xname = name,
    equidist = diff(range(diff(limits))) < 1e-7 * mean(diff(limits))
  ))
}

# At most `most` bars of equal width.
bar_limits <- function(value, most) {
  low <- min(value)
  high <- max(value)
  if (any(value != round(value))) {
    if (high == low) return(low + c(-0.5, 0.5))
    inner <- seq(low, high, length.out = floor(most) + 1)
    return(c(low, inner[-c(1L, length(inner))], high))
  }
  width <- ceiling((high - low + 1) / floor(most))
  low - 0.5 + width * seq(0, ceiling((high - low + 1) / width))
}

# ---- results without such a distribution --------------------------------------------------------------------------------------

# R's own methods would end with an error about their insides.
refuse_distribution <- function(verb, what, hint) {
  abort_argument(sprintf("%s() does not apply to %s; %s.", verb, what, hint))
}

firings_hint <- "simulate() with `output` = \"histogram\" gives a result to which it does"
ensemble_hint <- "simulate() gives an ensemble for one setting, whose seed is in attr(x, \"run\")$seeds"
sweep_hint <- "sweep_parameters() with `quantiles` gives quantiles, and simulate() an ensemble for one setting"
passage_mean_hint <- "summary() has their mean, for which a trajectory without passage has the time `end`"
passage_hint <- "summary() has quantiles of the times, and plot() draws their distribution"
solution_hint <- "as.data.frame(x, what = \"marginals\") has the distribution of each species, and plot() draws it"

#' @export
quantile.ensemble_events <- function(x, ...) refuse_distribution("quantile", "a list of firings", firings_hint)
#' @export
hist.ensemble_events <- function(x, ...) refuse_distribution("hist", "a list of firings", firings_hint)
#' @export
quantile.parameter_sweep <- function(x, ...) refuse_distribution("quantile", "a sweep", sweep_hint)
#' @export
hist.parameter_sweep <- function(x, ...) refuse_distribution("hist", "a sweep", sweep_hint)
#' @export
quantile.first_passage <- function(x, ...) refuse_distribution("quantile", "times of first passage", passage_hint)
#' @export
hist.first_passage <- function(x, ...) refuse_distribution("hist", "times of first passage", passage_hint)
#' @export
mean.first_passage <- function(x, ...) refuse_distribution("mean", "times of first passage", passage_mean_hint)
#' @rawNamespace S3method(stats::median, first_passage)
median.first_passage <- function(x, na.rm = FALSE, ...) refuse_distribution("median", "times of first passage", passage_hint)
#' @export
quantile.cme_solution <- function(x, ...) refuse_distribution("quantile", "a solution of the master equation", solution_hint)
#' @export
hist.cme_solution <- function(x, ...) refuse_distribution("hist", "a solution of the master equation", solution_hint)
