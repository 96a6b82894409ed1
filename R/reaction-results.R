#' Results of simulated reaction networks
#'
#' Methods for what [`simulate()`][simulate.reaction_network] returns for a reaction network: statistics of an ensemble, and
#' trajectories.
#'
#' @param x,object A result of [`simulate()`][simulate.reaction_network].
#' @param species For `plot()`, the species to draw: names, or numbers in the order of the result. With `NULL` (the default), all.
#' @param n For an ensemble, how many species to print or draw, the first ones in the order of the result; for trajectories, how
#'   many rows to print, or trajectories to draw. `Inf` for all. Default 10.
#' @param band What the band around a mean shows: `"sd"` (the default) for the mean plus and minus one standard deviation between
#'   trajectories, `"interval"` for the confidence interval of the mean, `"range"` for minimum and maximum, `"none"`.
#' @param main The title.
#' @param run Whether to add columns that describe the run: `method`, `trajectories`, `seed`, `backend` and `seconds`.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()], such as `xlab`, `ylim`, `log` and `col` (a colour per
#'   species). Otherwise ignored.
#' @returns `print()` returns `x`, and `plot()` the data that were drawn, both invisibly. `as.data.frame()` returns a plain data
#'   frame.
#'
#'   `summary()` returns a list of class `summary.reaction_result` with `trajectories` (their number), `times` (first and last),
#'   `species` (their number), `method`, `reason` (why it was chosen, or `NULL`), `seed`, `events` (of all trajectories),
#'   `seconds`, `threads`, and `last`, a data frame about the last time with the columns `species`, `mean`, `sd`, and `fano`, the
#'   Fano factor: the variance divided by the mean. It is 1 for a Poisson distribution.
#' @seealso [ensemble-plots] for `autoplot()`; [noise()], [burn_in()], [compare_ensembles()] and [covariances()].
#' @name ensemble-methods
#' @examples
#' net <- example_model("decay_dimerisation")
#' sim <- simulate(net, nsim = 100, times = seq(0, 4, 0.1), initial = c(S1 = 1000), seed = 1)
#' summary(sim)
#' plot(sim, band = "range")
#' head(as.data.frame(sim))
#' net <- set_initial(net, S1 = 1000)
#' few <- simulate(net, nsim = 3, times = seq(0, 4, 0.1), output = "trajectories", seed = 1)
#' plot(few)
NULL

has_columns <- function(x, names) is.data.frame(x) && all(names %in% names(x)) && !is.null(attr(x, "run"))

result_head <- function(x, class, species) {
  run <- attr(x, "run")
  sprintf(
    "<%s> %s of %s, %s, seed %s", class,
    trajectory_count(if (is.null(x$trajectory)) run_size(run) else unique_count(x$trajectory)), species_count(species),
    times_text(unique(x$time)), format(run$seed, digits = 15)
  )
}

# The trajectories of a run, or of the parts that a result has.
run_size <- function(run) {
  if (!is.null(run$tally)) run$tally$n else if (is.null(run$shard)) run$nsim else sum(trajectories_in(run$nsim, run$shard))
}

unique_count <- function(x) length(unique(x))

species_count <- function(n) paste(format_whole(n), "species")

times_text <- function(times) {
  if (length(times) == 1L) return(paste("time", format(times)))
  sprintf("%s times from %s to %s", format_whole(length(times)), format(times[[1L]]), format(times[[length(times)]]))
}

#' @rdname ensemble-methods
#' @export
print.reaction_ensemble <- function(x, n = 10, ...) {
  check_number(n, "n", 0, Inf)
  if (!has_columns(x, c("time", "species", "mean", "lower", "upper", "sd", "min", "max")) || nrow(x) == 0L) {
    print(plain_frame(x))
    return(invisible(x))
  }
  run <- attr(x, "run")
  last <- max(x$time)
  rows <- plain_frame(x)[x$time == last, ]
  shown <- utils::head(rows, n)
  writeLines(result_head(x, "reaction_ensemble", unique_count(x$species)))
  if (nrow(shown) > 0L) {
    writeLines(sprintf("at time %s, with %g%% confidence intervals of the means:", format(last), 100 * run$confidence))
    print.data.frame(format_statistics(shown), row.names = FALSE)
  }
  if (nrow(rows) > nrow(shown)) writeLines(sprintf("... and %s more species", format_whole(nrow(rows) - nrow(shown))))
  if (run_size(run) < 30) writeLines("With fewer than 30 trajectories, an outcome that is not rare may be missing.")
  invisible(x)
}

# Means and limits of an interval have the digits that its width justifies.
format_statistics <- function(rows) {
  width <- rows$upper - rows$lower
  digits <- ifelse(rows$mean == floor(rows$mean), 0, 4)
  usual <- !is.na(width) & width > 0
  digits[usual] <- pmin(pmax(1 - floor(log10(width[usual] / 2)), 0), 8)
  fixed <- function(x) ifelse(is.na(x), "NA", mapply(format_fixed, x, digits))
  data.frame(
    species = format_key(rows$species), mean = fixed(rows$mean), lower = fixed(rows$lower), upper = fixed(rows$upper),
    sd = ifelse(is.na(rows$sd), "NA", formatC(rows$sd, digits = 4, format = "g", width = 1)),
    min = format_counts(rows$min), max = format_counts(rows$max)
  )
}

format_counts <- function(x) vapply(x, format, "", scientific = FALSE, trim = TRUE)

#' @rdname ensemble-methods
#' @export
print.reaction_trajectories <- function(x, n = 10, ...) {
  check_number(n, "n", 0, Inf)
  if (!has_columns(x, c("trajectory", "time"))) {
    print(plain_frame(x))
    return(invisible(x))
  }
  writeLines(result_head(x, "reaction_trajectories", length(x) - 2L))
  shown <- utils::head(plain_frame(x), n)
  width <- vapply(names(shown), function(name) max(nchar(c(name, format(shown[[name]])), "width")) + 1L, 0L)
  fit <- seq_len(max(3L, sum(cumsum(width) < getOption("width"))))
  fit <- fit[fit <= length(shown)]
  if (nrow(shown) > 0L) print.data.frame(shown[fit], row.names = FALSE)
  if (nrow(x) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - nrow(shown), "more row")))
  hidden <- names(shown)[-fit]
  if (nrow(shown) > 0L && length(hidden) > 0L) {
    writeLines(sprintf("... and %s more species: %s", format_whole(length(hidden)), some_values(hidden, most = 10L)))
  }
  invisible(x)
}

# ---- summaries and data frames ----------------------------------------------------------------------------------------------

#' @rdname ensemble-methods
#' @export
summary.reaction_ensemble <- function(object, ...) {
  if (!has_columns(object, c("time", "species", "mean", "sd")) || nrow(object) == 0L) {
    abort_argument("`object` has no statistics: it needs rows, and the columns `time`, `species`, `mean` and `sd`.")
  }
  last <- plain_frame(object)[object$time == max(object$time), ]
  summary_of_run(attr(object, "run"), range(object$time), last[c("species", "mean", "sd")])
}

#' @rdname ensemble-methods
#' @export
summary.reaction_trajectories <- function(object, ...) {
  species <- setdiff(names(object), c("trajectory", "time"))
  if (!has_columns(object, c("trajectory", "time")) || length(species) == 0L || nrow(object) == 0L) {
    abort_argument("`object` has no trajectories: it needs rows, columns `trajectory` and `time`, and a column per species.")
  }
  last <- plain_frame(object)[object$time == max(object$time), species, drop = FALSE]
  statistics <- data.frame(
    species = species, mean = vapply(last, mean, 0), sd = vapply(last, stats::sd, 0), row.names = NULL
  )
  out <- summary_of_run(attr(object, "run"), range(object$time), statistics)
  out$trajectories <- length(unique(object$trajectory))
  out
}

summary_of_run <- function(run, times, last) {
  last$fano <- ifelse(last$mean > 0, last$sd^2 / last$mean, NA_real_)
  rownames(last) <- NULL
  notes <- noted(run)
  structure(class = "summary.reaction_result", list(
    trajectories = run_size(run), times = times, species = nrow(last), method = run$method, reason = run$reason, seed = run$seed,
    events = run$events, seconds = notes$seconds, threads = notes$threads, last = last
  ))
}

#' @export
print.summary.reaction_result <- function(x, n = 20, ...) {
  check_number(n, "n", 0, Inf)
  writeLines(c(
    sprintf("%s of %s, times %s to %s", trajectory_count(x$trajectories), species_count(x$species),
      format(x$times[[1L]]), format(x$times[[2L]])),
    sprintf("  method   %s%s", x$method, if (is.null(x$reason)) "" else sprintf(" (chosen by \"auto\": %s)", x$reason)),
    sprintf("  events   %s, %s each", format_short(x$events), format_short(signif(x$events / x$trajectories, 3))),
    sprintf("  seed     %s", format(x$seed, digits = 15)),
    sprintf("  time     %s on %s", seconds_text(x$seconds), count_of(x$threads, "thread")),
    sprintf("at time %s, with the Fano factor (variance divided by mean):", format(x$times[[2L]]))
  ))
  shown <- utils::head(x$last, n)
  number <- function(x) ifelse(is.na(x), "NA", formatC(x, digits = 4, format = "g", width = 1))
  if (nrow(shown) > 0L) {
    columns <- c(list(species = format_key(shown$species)), lapply(as.list(shown)[c("mean", "sd", "fano")], number))
    print.data.frame(as.data.frame(columns), row.names = FALSE)
  }
  if (nrow(x$last) > nrow(shown)) writeLines(sprintf("... and %s more species", format_whole(nrow(x$last) - nrow(shown))))
  invisible(x)
}

seconds_text <- function(seconds) sprintf(if (seconds < 10) "%.2f s" else "%.0f s", seconds)

#' @rdname ensemble-methods
#' @export
as.data.frame.reaction_ensemble <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) result_frame(x, run)

#' @rdname ensemble-methods
#' @export
as.data.frame.reaction_trajectories <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) result_frame(x, run)

result_frame <- function(x, run) {
  check_flag(run, "run")
  out <- plain_frame(x)
  about <- attr(x, "run")
  if (!run) return(out)
  if (is.null(about)) abort_argument("`x` lacks the record of its run; use the original result.")
  n <- nrow(out)
  notes <- noted(about)
  more <- list(
    method = about$method, trajectories = run_size(about), seed = about$seed, backend = notes$backend, seconds = notes$seconds
  )
  own <- intersect(names(more), names(out))
  if (length(own) > 0L) {
    abort_argument(sprintf("`x` has a column \"%s\", and `run = TRUE` would add another; rename it first.", own[[1L]]))
  }
  out[names(more)] <- lapply(more, rep, n)
  out
}

# Subsets keep the record of the run.
keep_record <- function(out, x) {
  if (is.data.frame(out)) attr(out, "run") <- attr(x, "run")
  out
}

#' @export
`[.reaction_ensemble` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
`[.reaction_trajectories` <- function(x, ...) keep_record(NextMethod(), x)

# Rows of several results have no record of one run.
#' @export
rbind.reaction_ensemble <- function(...) rbind_plain(...)

#' @export
rbind.reaction_trajectories <- function(...) rbind_plain(...)

rbind_plain <- function(...) {
  results <- Filter(Negate(is.null), list(...))
  do.call(rbind, lapply(results, function(x) if (is.data.frame(x)) plain_frame(x) else x))
}

# The species to draw: rows, or for trajectories columns. NULL stands for all.
of_species <- function(x, species) {
  if (is.null(species)) return(x)
  wide <- !"species" %in% names(x)
  known <- if (wide) setdiff(names(x), c("trajectory", "time")) else unique(x$species)
  chosen <- known[check_known(species, "species", known, "species")]
  if (wide) x[c("trajectory", "time", chosen)] else x[x$species %in% chosen, ]
}

# ---- pictures ---------------------------------------------------------------------------------------------------------------

#' @rdname ensemble-methods
#' @export
plot.reaction_ensemble <- function(x, band = c("sd", "interval", "range", "none"), n = 10, main = NULL, species = NULL, ...) {
  band <- check_choice(band, "band", c("sd", "interval", "range", "none"))
  check_rows(n)
  if (!has_columns(x, c("time", "species", "mean", "lower", "upper", "sd", "min", "max")) || nrow(x) == 0L) {
    abort_argument("`x` has no statistics to plot: it needs rows and the columns that simulate() returns.")
  }
  x <- of_species(x, species)
  all <- unique(x$species)
  species <- utils::head(all, n)
  shown <- plain_frame(x)[x$species %in% species, ]
  limits <- switch(band,
    sd = list(pmax(shown$mean - shown$sd, 0), shown$mean + shown$sd), interval = list(shown$lower, shown$upper),
    range = list(shown$min, shown$max), none = list(shown$mean, shown$mean)
  )
  for (i in 1:2) limits[[i]] <- ifelse(is.na(limits[[i]]), shown$mean, limits[[i]])
  word <- c(sd = "band: mean and sd", interval = "band: interval of the mean", range = "band: min to max", none = "")[[band]]
  canvas <- course_canvas(shown$time, unlist(limits), species, main, "mean count", ...)
  on.exit(graphics::par(canvas$old))
  for (k in seq_along(species)) {
    at <- which(shown$species == species[[k]])
    draw_course(shown$time[at], shown$mean[at], limits[[1L]][at], limits[[2L]][at], canvas$colour[[k]])
  }
  course_names(species, canvas$colour, c(word, left_out(length(species), length(all), " species")))
  invisible(shown)
}

# The colours of up to eight species (Okabe and Ito); more repeat them.
course_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")

# An empty plot with room for the names on the right. Arguments of plot.default() override our own.
course_canvas <- function(time, range, species, main, label, ..., label_x = "time", xlab = label_x, ylab = label, xlim = NULL,
                          ylim = NULL, col = course_colours, log = "") {
  left <- axis_lines(c(range, ylim), log)
  old <- graphics::par(mar = c(4.2, left + 1.2, if (is.null(main) || !nzchar(main)) 1.6 else 3, legend_lines(species)))
  if (grepl("y", log)) range <- range[range > 0]
  if (length(range) == 0L) abort_argument("Nothing to plot on a logarithmic axis: no count is above 0.")
  drawn <- FALSE
  on.exit(if (!drawn) graphics::par(old))
  graphics::plot.default(
    base::range(time), base::range(range), type = "n", xlab = xlab, ylab = "", main = main, xlim = xlim, ylim = ylim, log = log,
    las = 1, bty = "l", ...
  )
  graphics::title(ylab = ylab, line = left)
  drawn <- TRUE
  list(old = old, colour = rep_len(col, length(species)))
}

# The line for the label of the y axis: as usual, or further away if the numbers at the axis are long.
axis_lines <- function(range, log) {
  if (grepl("y", log)) range <- range[range > 0]
  if (length(range) == 0L || !all(is.finite(range))) return(3)
  numbers <- format(pretty(range), digits = 7)
  max(3, label_width(numbers, graphics::par("cex.axis") * graphics::par("cex")) / graphics::par("csi") + 1.4)
}

# The margin, in lines, that the names of species need.
legend_lines <- function(species) {
  width <- max(label_width(cut_text(species, 20L), 0.9))
  min(max(4, width / graphics::par("csi") + 2.5), 14)
}

draw_course <- function(time, mean, lower, upper, colour) {
  if (graphics::par("ylog")) lower <- pmax(lower, 10^graphics::par("usr")[[3L]]) # a band may reach 0
  if (length(time) == 1L) {
    graphics::segments(time, lower, time, upper, col = colour)
    graphics::points(time, mean, pch = 19, col = colour)
    return(invisible())
  }
  if (any(upper > lower)) {
    graphics::polygon(c(time, rev(time)), c(lower, rev(upper)), col = grDevices::adjustcolor(colour, 0.2), border = NA)
  }
  graphics::lines(time, mean, col = colour, lwd = 2)
}

# The names of species on the right, and a note above the plot.
course_names <- function(species, colour, note) {
  usr <- graphics::par("usr")
  right <- if (graphics::par("xlog")) 10^usr[[2L]] else usr[[2L]]
  top <- if (graphics::par("ylog")) 10^usr[[4L]] else usr[[4L]]
  graphics::legend(
    right, top, cut_text(species, 20L), col = colour, lwd = 2, bty = "n", xpd = NA, cex = 0.9, seg.len = 1.2
  )
  note <- note[nzchar(note)]
  if (length(note) > 0L) plot_note(paste(note, collapse = "; "), line = 0.2)
}

#' @rdname ensemble-methods
#' @export
plot.reaction_trajectories <- function(x, n = 10, main = NULL, species = NULL, ...) {
  check_rows(n)
  x <- of_species(x, species)
  species <- setdiff(names(x), c("trajectory", "time"))
  if (!has_columns(x, c("trajectory", "time")) || length(species) == 0L || nrow(x) == 0L) {
    abort_argument("`x` has no trajectories to plot: it needs rows, columns `trajectory` and `time`, and a column per species.")
  }
  all <- unique(x$trajectory)
  first <- utils::head(all, n)
  shown <- plain_frame(x)[x$trajectory %in% first, ]
  drawn <- utils::head(species, 10L)
  canvas <- course_canvas(shown$time, unlist(shown[drawn]), drawn, main, "count", ...)
  on.exit(graphics::par(canvas$old))
  type <- if (length(unique(shown$time)) > 1L) "s" else "p"
  for (one in first) {
    rows <- shown$trajectory == one
    for (k in seq_along(drawn)) {
      graphics::lines(shown$time[rows], shown[[drawn[[k]]]][rows], type = type, col = canvas$colour[[k]], pch = 19)
    }
  }
  note <- c(left_out(length(first), length(all), " trajectories"), left_out(length(drawn), length(species), " species"))
  course_names(drawn, canvas$colour, note)
  invisible(shown)
}
