# Histograms and events of ensembles: print, summary, plot, and subsets.

#' Histograms and events of simulated reaction networks
#'
#' Methods for what [`simulate()`][simulate.reaction_network] returns for a reaction network with `output = "histogram"` or
#' `output = "events"`. Here, an event is a firing of a reaction.
#'
#' @param x,object A result of [`simulate()`][simulate.reaction_network].
#' @param species For `plot()` of a histogram, the species to draw: names, or numbers in the order of the result. With `NULL` (the
#'   default), all.
#' @param place The same as `species`, for results of Petri nets. The name of a place with colours stands for all of its colours.
#' @param n How many rows to print. For `plot()` of a histogram, how many species to draw: the first ones in the order of the
#'   result. For `plot()` of events, how many trajectories to draw. `Inf` for all. Default 10.
#' @param time For `plot()` of a histogram, the time to draw: one of its times. By default, the last.
#' @param main The title.
#' @param run Whether to add columns that describe the run: see [ensemble-methods].
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]. Otherwise ignored, with a
#'   warning of class `fireflip_warning_argument`.
#' @returns `print()` returns `x`, and `plot()` the data that were drawn, both invisibly. `as.data.frame()` returns a plain data
#'   frame. `summary()` of a histogram returns a plain data frame with a row for each time and species and the columns `time`,
#'   `species`, `different` (how many different counts occur), `mode` (the most frequent count; of several, the smallest), `mean`
#'   and `sd`.
#'   `summary()` of events returns one with a row for each reaction and the columns `reaction`, `events`, and `per_trajectory`. If
#'   rows were removed, the latter is about the trajectories that have rows left.
#' @section Petri nets: The result lists each level of a continuous place that occurs. A plot shows levels by at most 50 bars of
#'   equal width. The height of a bar is a density: the proportion of the trajectories divided by the width of the bar. If a plot
#'   has levels and counts, the heights for counts are densities, too, with bars of the width 1.
#' @name histogram-methods
#' @examples
#' net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
#' counts <- simulate(net, nsim = 1000, times = c(1, 5), output = "histogram", seed = 1)
#' counts
#' summary(counts)
#' plot(counts)
#' events <- simulate(net, nsim = 2, times = 5, output = "events", seed = 1)
#' events
#' summary(events)
NULL

# The largest number of firings that are kept. A firing takes about 50 bytes while a result is made, or 70 if a GPU has listed it.
most_events <- function() 1e7

# The result for output = "events".
events_of <- function(firings, run) {
  number <- firings$trajectory
  if (run$nsim <= .Machine$integer.max) number <- as.integer(number)
  names <- make.unique(ensemble_engine(run$model)$fired(run$model), " ")
  reaction <- structure(firings$reaction, levels = names, class = "factor")
  columns <- list(trajectory = number, time = firings$time, reaction = reaction)
  structure(
    with_items(columns, run), class = ensemble_class("events", run$model), row.names = .set_row_names(length(number)),
    run = run
  )
}

print_first_rows <- function(x, n, head, digits = NULL) {
  check_number(n, "n", 0, Inf)
  writeLines(head)
  shown <- utils::head(plain_frame(x), n)
  if (nrow(shown) > 0L) print.data.frame(shown, digits = digits, row.names = FALSE)
  if (nrow(x) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - nrow(shown), "more row")))
}

#' @rdname histogram-methods
#' @export
print.ensemble_histogram <- function(x, n = 10, ...) {
  warn_ignored(...)
  named <- with_species(x)
  if (!has_columns(named, c("time", "species", "count", "n", "proportion"))) {
    print(plain_frame(x))
  } else {
    print_first_rows(x, n, c(result_head(named, unique_count(named$species)), until_line(attr(x, "run"))))
  }
  invisible(x)
}

#' @rdname histogram-methods
#' @export
print.ensemble_events <- function(x, n = 10, ...) {
  warn_ignored(...)
  if (!has_columns(with_species(x), c("trajectory", "time", "reaction"))) {
    print(plain_frame(x))
  } else {
    run <- attr(x, "run")
    print_first_rows(x, n, c(sprintf(
      "<%s> %s of %s up to time %s, seed %s%s", class(x)[[1L]],
      if (nrow(x) < run$events) sprintf("%s of the %s", format_whole(nrow(x)), count_of(run$events, "event"))
      else count_of(nrow(x), "event"), trajectory_count(run_size(run)), format(run$times),
      format(run$seed, digits = 15), parts_text(run$shard)
    ), until_line(run)))
  }
  invisible(x)
}

need_columns <- function(x, columns, what) {
  run_of(x)
  if (has_columns(x, columns) && nrow(x) > 0L) return(invisible())
  refuse_changed(x, columns, what)
  maker <- result_makers[kind_of_result(x)]
  abort_argument(sprintf(
    "`%s` must have rows, and the columns %s, as %s() returns them.", what, quote_some(columns),
    if (is.na(maker)) "simulate" else maker
  ))
}

# Results that simulate() does not return.
result_makers <- c(
  first_passage = "first_passage", parameter_sweep = "sweep_parameters", ensemble_noise = "noise",
  noise_decomposition = "noise_decomposition"
)

#' @rdname histogram-methods
#' @export
summary.ensemble_histogram <- function(object, ...) {
  warn_ignored(...)
  run <- attr(object, "run")
  object <- with_species(object)
  need_columns(object, c("time", "species", "count", "n"), "object")
  with_items(histogram_moments(in_run_order(object)), run)
}

# A row for each time and species of a data frame with the columns time, species, count and n.
histogram_moments <- function(object) {
  cells <- counts_by_cell(object)
  number <- function(f) vapply(cells, f, 0)
  # a sum of many equal numbers may be rounded; then their spread would not be 0
  mean_of <- function(cell) if (length(cell$count) == 1L) cell$count else sum(cell$count * cell$n) / sum(cell$n)
  data.frame(
    time = number(function(cell) cell$time), species = vapply(cells, `[[`, "", "species"),
    different = lengths(lapply(cells, `[[`, "count")), mode = number(function(cell) cell$count[[which.max(cell$n)]]),
    mean = number(mean_of), sd = number(function(cell) {
      n <- sum(cell$n)
      if (n > 1) sqrt(sum(cell$n * (cell$count - mean_of(cell))^2) / (n - 1)) else NA_real_
    })
  )
}

#' @rdname histogram-methods
#' @export
summary.ensemble_events <- function(object, ...) {
  warn_ignored(...)
  of_run <- attr(object, "run")
  object <- with_species(object)
  columns <- c("trajectory", "time", "reaction")
  if (!has_columns(object, columns)) need_columns(object, columns, "object") # there may be no event
  events <- tabulate(object$reaction, nlevels(object$reaction))
  run <- attr(object, "run")
  n <- if (nrow(object) < run$events) unique_count(object$trajectory) else run_size(run)
  with_items(
    data.frame(reaction = levels(object$reaction), events = events, per_trajectory = if (n > 0) events / n else NA_real_), of_run
  )
}

#' @rdname histogram-methods
#' @export
as.data.frame.ensemble_histogram <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

#' @rdname histogram-methods
#' @export
as.data.frame.ensemble_events <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

#' @export
`[.ensemble_histogram` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
`[.ensemble_events` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
rbind.ensemble_histogram <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @export
rbind.ensemble_events <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @rdname histogram-methods
#' @export
plot.ensemble_histogram <- function(x, time = max(x$time), n = 10, main = NULL, species = NULL, ..., place = NULL) {
  check_graphical(...)
  found <- shown_counts(x, time, n, named_items(x, species, place))
  shown <- found$rows
  names <- unique(shown$species)
  counts <- shown[!shown$species %in% names(found$bars), ]
  across <- c(counts$count - 0.5, counts$count + 0.5, unlist(lapply(found$bars, `[[`, "breaks")))
  high <- c(0, counts$proportion, unlist(lapply(found$bars, `[[`, "density")))
  canvas <- course_canvas(across, high, names, main, found$height, ..., label_x = found$word)
  on.exit(graphics::par(canvas$old))
  for (k in seq_along(names)) draw_histogram(shown[shown$species == names[[k]], ], canvas$line(k), found$bars[[names[[k]]]])
  course_names(names, canvas, found$note)
  invisible(shown)
}

# The rows of one time and of the first n species, and a note about the others. `bars` has, for levels, the bars of equal width
# in which they are counted, by their names; `height` and `word` are the words at the axes.
shown_counts <- function(x, time, n, species) {
  x <- with_species(x)
  need_columns(x, c("time", "species", "count", "proportion"), "x")
  x <- of_species(in_run_order(x), species)
  check_drawn_time(time, x$time)
  shown <- first_species(x[x$time == time, ], n)
  check_finite_counts(shown$rows)
  run <- attr(x, "run")
  names <- unique(as.character(shown$rows$species))
  levels <- names[are_levels(run, names)]
  list(
    rows = shown$rows, bars = lapply(stats::setNames(nm = levels), function(name) {
      one <- shown$rows[shown$rows$species == name, ]
      bars_of(one$count, one$n, level_bars(one$n), name)
    }),
    height = if (length(levels) > 0L) "density" else "proportion", word = word_of_values(run, names),
    note = c(sprintf("time %s, %s", format(time), trajectory_count(run_size(run))), shown$note)
  )
}

# How many bars levels have: twice the cube root of the number of trajectories (Rice's rule), at most 50.
level_bars <- function(n) min(max(ceiling(2 * sum(n)^(1 / 3)), 5), 50)

# Steps that are 0 at counts that do not occur; lines if the values are not whole numbers, or if there is only one. `bars`: NULL,
# or those of a level.
draw_histogram <- function(rows, line, bars = NULL) {
  count <- rows$count
  if (!is.null(bars)) {
    at <- list(x = c(bars$breaks[[1L]], bars$breaks), y = c(0, bars$density, 0))
    if (graphics::par("ylog")) at$y <- pmax(at$y, 10^graphics::par("usr")[[3L]])
    return(graphics::lines(at, type = "s", col = line$col, lwd = line$lwd, lty = line$lty))
  }
  if (length(count) == 1L || any(count != round(count))) {
    return(graphics::lines(count, rows$proportion, type = "h", col = line$col, lwd = line$lwd, lty = line$lty))
  }
  zero <- if (graphics::par("ylog")) 10^graphics::par("usr")[[3L]] else 0
  steps <- histogram_steps(count, rows$proportion, zero)
  graphics::lines(steps, type = "s", col = line$col, lwd = line$lwd, lty = line$lty)
}

# Points of a line of type "s" that has the height of a count from 0.5 below to 0.5 above it, and `zero` elsewhere.
histogram_steps <- function(count, proportion, zero = 0) {
  shown <- rbind(TRUE, c(diff(count) > 1, TRUE)) # the right end of a step, unless the next one begins there
  x <- rbind(count - 0.5, count + 0.5)[shown]
  list(x = c(x[[1L]], x), y = c(zero, rbind(proportion, zero)[shown]))
}

#' @rdname histogram-methods
#' @export
plot.ensemble_events <- function(x, n = 10, main = NULL, ...) {
  check_graphical(...)
  found <- shown_events(x, n)
  shown <- found$rows
  reach <- range(shown$trajectory) + c(-0.5, 0.5)
  ticks <- whole_ticks(reach)
  whole <- if (!any(c("yaxp", "ylim", "log") %in% ...names())) list(yaxp = c(range(ticks), max(length(ticks) - 1, 1)))
  canvas <- do.call(
    course_canvas, c(list(shown$time, reach, found$reactions, main, "trajectory", ..., usual_lwd = 1), whole)
  )
  on.exit(graphics::par(canvas$old))
  for (k in seq_along(found$reactions)) {
    one <- shown[shown$reaction == found$reactions[[k]], ]
    line <- canvas$line(k)
    graphics::segments(
      one$time, one$trajectory - 0.4, one$time, one$trajectory + 0.4, col = line$col, lwd = line$lwd, lty = line$lty
    )
  }
  course_names(found$reactions, canvas, found$note)
  invisible(shown)
}

whole_ticks <- function(limits) Filter(function(tick) tick == floor(tick), pretty(limits))

# The events of the first n trajectories, their reactions, and a note about the other trajectories.
shown_events <- function(x, n) {
  x <- with_species(x)
  if (has_columns(x, c("trajectory", "time", "reaction")) && nrow(x) == 0L) {
    abort_argument(sprintf("There is nothing to plot: no %s has fired.", if (item_of(x) == "place") "transition" else "reaction"))
  }
  need_columns(x, c("trajectory", "time", "reaction"), "x")
  check_rows(n)
  x <- in_run_order(x)
  all <- unique(x$trajectory)
  first <- utils::head(all, n)
  shown <- plain_frame(x)[x$trajectory %in% first, ]
  list(
    rows = shown, reactions = intersect(levels(shown$reaction), as.character(shown$reaction)),
    note = left_out(length(first), length(all), " trajectories")
  )
}
