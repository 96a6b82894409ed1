#' The exact distribution of a small reaction network
#'
#' Solves the chemical master equation: computes the probability of each state of a reaction network at given times, with a bound
#' of the error. A state is a count of each species.
#'
#' The reactions fire at random times, with the propensities that [reaction_network()] describes. So the network is a Markov chain
#' in continuous time. [`simulate()`][simulate.reaction_network] estimates its distribution from many trajectories. Here the
#' distribution is computed, by *finite state projection* and *uniformisation*. The computation follows a finite set of states. It
#' enlarges this set until the probability that leaves it is below the tolerance, and drops states that have become improbable. So
#' a network such as `0 -> A`, which has infinitely many states, can be solved if few of them have a noticeable probability at any
#' time.
#'
#' @param model A network of class `reaction_network`. Its rates must not depend on the time.
#' @param times The times at which the distribution is wanted: numbers of at least 0, in ascending order, in the unit of time of
#'   the rates. The network starts at time 0.
#' @param initial Initial counts named by species, instead of those of `model`: a vector, a list, or one row of a data frame.
#'   Species that are not named keep their counts in `model`. With `NULL` (the default), all species do.
#' @param parameters Values of parameters by name, which replace those of `model`, in the same forms.
#' @param tolerance The largest error of the distribution at any time: the sum, over all states, of the absolute differences
#'   between the probability that is returned and the true one. A number between 0 and 1, by default 1e-8.
#' @param max_states The largest number of states that are followed at the same time, by default 1e6.
#' @param progress Whether to show a progress bar if the computation takes longer than a second. By default, in interactive
#'   sessions.
#' @param ... Not used by `chemical_master_equation()`.
#' @returns An object of class `cme_solution`; see [cme-methods] for its methods. `as.data.frame()` gives the probabilities.
#'
#'   The object is a list. `times` is a data frame of `time`, `states` (the number of states at that time) and `missing` (a bound
#'   of the error at that time, see section Error). `counts` is a matrix with a column per species, and `probability` is a vector.
#'   They have a row, or an element, for each state at the first time, then for each state at the second time, and so on. States
#'   that are not listed have a probability of 0 or close to it. `model` is the network with these initial counts and parameters,
#'   and `tolerance` is the argument.
#' @section Error: Probability that leaves the set of states, or that is dropped, is lost and never comes back. So, apart from
#'   rounding errors, no probability is above the true one, and the sum of all probabilities is 1 minus the lost part. `missing`
#'   is this lost part, or slightly more, plus a proven bound of the rounding errors. It is at most `tolerance`. It also bounds
#'   the error of the probability of any set of states. It does not bound the error of a mean, because a state that is not listed
#'   may have very large counts.
#'
#'   The bound of the rounding errors grows with the number of jumps (see section Size), by about 3e-15 per jump for a few
#'   reactions. A computation of more than some million jumps therefore needs a larger tolerance than the default.
#' @section Size: The number of jumps is the largest sum of the propensities in a state, times the last of `times`. The computing
#'   time grows with the number of states times the number of jumps. On one core, if there are a few reactions, a product of 1e8
#'   takes about a second. A state takes about 150 bytes of memory, and 30 more for each reaction. Ctrl-C interrupts the
#'   computation. If it takes longer than a minute, or if after ten seconds it seems to take minutes, a message of class
#'   `fireflip_message_long` tells how far it is and how long the rest takes. It is repeated whenever the time has doubled.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_unsupported` if a rate depends on the time,
#'   or if the network has events. `fireflip_error_model` if a propensity is negative, infinite or not a number in a state that
#'   can be reached. `fireflip_error_size` if more than `max_states` states, or more than 8 GB of memory, are needed.
#'   `fireflip_error_convergence` if rounding errors could exceed the tolerance. No result is returned whose error may be above
#'   the tolerance.
#' @references Munsky B, Khammash M (2006). The finite state projection algorithm for the solution of the chemical master
#'   equation. *Journal of Chemical Physics* 124, 044104. \doi{10.1063/1.2145882}
#'
#' Jensen A (1953). Markoff chains as an aid in the study of Markoff processes. *Scandinavian Actuarial Journal* 1953(sup1),
#' 87-91. \doi{10.1080/03461238.1953.10419459}
#'
#' Fox BL, Glynn PW (1988). Computing Poisson probabilities. *Communications of the ACM* 31(4), 440-445. \doi{10.1145/42404.42409}
#' @seealso [reaction_network()]; [cme-methods]; [stationary_distribution()] for Boolean networks.
#' @concept chemical master equation
#' @concept finite state projection
#' @concept uniformisation
#' @concept transient distribution
#' @rdname chemical_master_equation
#' @export
#' @examples
#' net <- reaction_network("0 -> A" = 10, "A -> 0" = 1, "2 A <-> D" = c(0.1, 0.5))
#' solution <- chemical_master_equation(net, times = c(0.5, 1, 5))
#' solution
#' head(as.data.frame(solution))
#' marginals <- as.data.frame(solution, what = "marginals")
#' subset(marginals, time == 5 & species == "D")
#' plot(solution)
#'
#' # without the dimers, the distribution at time t is that of Poisson with mean 10 (1 - exp(-t))
#' alone <- chemical_master_equation(reaction_network("0 -> A" = 10, "A -> 0" = 1), times = 2)
#' found <- as.data.frame(alone)
#' sum(abs(found$probability - dpois(found$A, 10 * (1 - exp(-2)))))
chemical_master_equation.reaction_network <- function(model, times, initial = NULL, parameters = NULL, tolerance = 1e-8,
                                                      max_states = 1e6, progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  times <- check_times(times)
  check_number(tolerance, "tolerance", 0, 1, open_min = TRUE, open_max = TRUE)
  check_count(max_states, "max_states", 1, 2^31 - 1)
  check_flag(progress, "progress")
  model <- with_arguments(model, initial, parameters)
  parts <- solved_times(model, times, tolerance, max_states, progress)
  counts <- do.call(rbind, lapply(parts, `[[`, "counts"))
  colnames(counts) <- model$species$species
  structure(class = "cme_solution", list(
    times = data.frame(
      time = times, states = vapply(parts, function(part) nrow(part$counts), 0L), missing = vapply(parts, `[[`, 0, "missing")
    ),
    counts = counts, probability = unlist(lapply(parts, `[[`, "probability")), model = model, tolerance = tolerance
  ))
}

# A list with counts, probability and missing for each time. States are ordered by the first species, then by the second, ...
solved_times <- function(model, times, tolerance, max_states, progress) {
  chain <- .Call(ffi_cme_new, model, tolerance, max_states, max(times))
  on.exit(.Call(ffi_release, chain))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  due <- 10
  parts <- lapply(times, function(time) {
    repeat {
      state <- .Call(ffi_cme_advance, chain, time, 0.1) # R processes Ctrl-C in between
      if (state$done == 1) break
      seconds <- proc.time()[["elapsed"]] - started
      due <<- tell_if_solving_is_slow(state, max(times), seconds, due, max_states)
      if (!progress || seconds < 1) next
      if (is.null(bar)) {
        bar <<- cli::cli_progress_bar(
          "Solving", clear = TRUE, format = "{cli::pb_spin} Solving {cli::pb_extra$now}", extra = list(now = ""),
          .envir = parent.frame(2L)
        )
      }
      now <- sprintf("time %.3g of %.3g, %s", state$time, max(times), count_of(state$states, "state"))
      cli::cli_progress_update(id = bar, force = TRUE, extra = list(now = now))
    }
    part <- .Call(ffi_cme_result, chain)
    order <- do.call(base::order, lapply(seq_len(ncol(part$counts)), function(j) part$counts[, j]))
    list(counts = part$counts[order, , drop = FALSE], probability = part$probability[order], missing = part$missing)
  })
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  parts
}

# Gives a message of class fireflip_message_long if the rest will take minutes, and again when twice the time has passed. `due` is
# the time from which on there may be a message; the value is that of the next one. If states are added, the computation takes
# longer than the time so far tells.
tell_if_solving_is_slow <- function(state, last, seconds, due = 10, max_states = Inf) {
  left <- seconds * (last / state$time - 1)
  if (seconds < due || (left < 300 && seconds < 60)) return(due)
  message(new_condition("long", "message", sprintf(
    paste0(
      "After %s, the distribution is known up to time %.3g of %.3g, with %s%s. %s simulate() estimates the distribution of a ",
      "network of any size; see also section Size of ?chemical_master_equation.\n"
    ),
    if (seconds < 120) sprintf("%.0f seconds", seconds) else duration_text(seconds), state$time, last,
    count_of(state$states, "state"),
    if (state$states >= max_states) ", which is the largest number allowed" else "",
    if (state$time == 0) "The network may be too large." else sprintf("At this speed, the rest takes %s.", duration_text(left))
  ), NULL))
  2 * seconds
}

# ---- methods --------------------------------------------------------------------------------------------------------------

#' Inspect the distribution of a reaction network
#'
#' `print()` shows the mean and the standard deviation of each species at each time. `format()` returns the same as a data frame
#' of text, and `summary()` as a data frame of numbers. `as.data.frame()` returns the probabilities of states, or those of the
#' counts of each species. `plot()` draws them.
#'
#' @param x,object A solution of [chemical_master_equation()].
#' @param what `"states"`, the default, `"marginals"` or `"moments"`: see section Value.
#' @param type `"marginals"`, the default: a panel per species, in which a line per time shows the probability of each count.
#'   `"moments"`: the means over the time, with a band of one standard deviation below and above, but not below 0.
#' @param species Which species to draw: names or numbers. By default, those whose counts change, at most the first nine.
#' @param n How many rows to print; `Inf` for all. Default 20.
#' @param main The title; for marginals, one per panel, by default the name of the species. `""` for none.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()], which override the defaults of this method, for
#'   instance `xlim`, `ylim`, `log`, `xlab` and `ylab`. `col`, `lwd` and `lty` may have a value per time (marginals) or per
#'   species (moments). Other methods ignore them, with a
#'   warning of class `fireflip_warning_argument`.
#' @returns `as.data.frame()`: a data frame, ordered by time and then by species or counts.
#'   * For `"states"`, its columns are `time`, one with the count of each species, and `probability`. The probabilities of a time
#'     add up to 1, less what is missing (see [chemical_master_equation()]).
#'   * For `"marginals"`, they are `time`, `species`, `count` and `probability`, the probability that the species has this count.
#'   * For `"moments"`, they are `time`, `species`, `mean` and `sd`, the standard deviation. Both are those of the states that are
#'     listed: the sums are divided by the sum of the probabilities.
#'
#'   `summary()`: the data frame of `"moments"`. `format()`: a data frame of text. `plot()`: the data that were drawn, invisibly.
#' @section Errors: `fireflip_error_argument` for an invalid argument, and if a species is called `time` or `probability`, like a
#'   column of the states.
#' @name cme-methods
#' @examples
#' net <- reaction_network("A -> B" = 1, "2 B -> 0" = 0.1, initial = c(A = 20))
#' solution <- chemical_master_equation(net, times = seq(0, 5, by = 0.25))
#' print(solution, n = 4)
#' head(as.data.frame(solution, what = "marginals"))
#' plot(solution, type = "moments")
NULL

#' @rdname cme-methods
#' @export
print.cme_solution <- function(x, n = 20, ...) {
  warn_ignored(...)
  check_number(n, "n", 0, Inf)
  check_solution(x)
  most <- max(x$times$states)
  writeLines(c(
    sprintf(
      "<cme_solution> %s species at %s, up to %s", format_whole(ncol(x$counts)), count_of(nrow(x$times), "time"),
      count_of(most, "state")
    ),
    sprintf("the error of each distribution is at most %.2g (tolerance %.2g)", max(x$times$missing), x$tolerance)
  ))
  moments <- cme_moments(x)
  shown <- seq_len(min(n, nrow(moments)))
  if (length(shown) > 0L) print_table(format_moments(moments[shown, ]))
  if (nrow(moments) > length(shown)) writeLines(sprintf("... and %s", count_of(nrow(moments) - length(shown), "more row")))
  invisible(x)
}

#' @rdname cme-methods
#' @export
format.cme_solution <- function(x, ...) format_moments(cme_moments(x))

format_moments <- function(moments) {
  data.frame(
    time = format(moments$time, digits = 6), species = cut_text(moments$species, 40L),
    mean = format(moments$mean, digits = 5), sd = format(moments$sd, digits = 3)
  )
}

#' @rdname cme-methods
#' @export
summary.cme_solution <- function(object, ...) {
  warn_ignored(...)
  cme_moments(object)
}

#' @rdname cme-methods
#' @export
as.data.frame.cme_solution <- function(x, row.names = NULL, optional = FALSE, what = c("states", "marginals", "moments"), ...) {
  warn_ignored(...)
  what <- check_choice(what, "what", c("states", "marginals", "moments"))
  if (what == "marginals") return(cme_marginals(x))
  if (what == "moments") return(cme_moments(x))
  check_solution(x)
  clash <- intersect(colnames(x$counts), c("time", "probability"))
  if (length(clash) > 0L) {
    abort_argument(sprintf(
      "A species is called \"%s\", like a column of the states; what = \"marginals\" and \"moments\" are available.", clash[[1L]]
    ))
  }
  data.frame(
    time = rep(x$times$time, x$times$states), x$counts, probability = x$probability, row.names = NULL, check.names = FALSE
  )
}

# Calls f(counts, probability) for each time; `counts` is a matrix.
each_time <- function(x, f) {
  check_solution(x)
  last <- cumsum(x$times$states)
  lapply(seq_along(last), function(i) {
    rows <- seq.int(to = last[[i]], length.out = x$times$states[[i]])
    f(x$counts[rows, , drop = FALSE], x$probability[rows])
  })
}

cme_moments <- function(x) {
  parts <- each_time(x, function(counts, p) {
    p <- p / sum(p)
    mean <- colSums(counts * p)
    list(mean = mean, sd = sqrt(colSums((counts - rep(mean, each = nrow(counts)))^2 * p)))
  })
  n <- ncol(x$counts)
  data.frame(
    time = rep(x$times$time, each = n), species = rep(colnames(x$counts), nrow(x$times)),
    mean = unlist(lapply(parts, `[[`, "mean"), use.names = FALSE), sd = unlist(lapply(parts, `[[`, "sd"), use.names = FALSE)
  )
}

cme_marginals <- function(x, species = seq_len(ncol(x$counts))) {
  parts <- each_time(x, function(counts, p) {
    lapply(species, function(j) {
      count <- sort(unique(counts[, j]))
      list(count = count, probability = rowsum(p, match(counts[, j], count))[, 1L])
    })
  })
  n <- unlist(lapply(parts, function(part) vapply(part, function(one) length(one$count), 0L)))
  parts <- unlist(parts, recursive = FALSE)
  data.frame(
    time = rep(rep(x$times$time, each = length(species)), n),
    species = rep(rep(colnames(x$counts)[species], nrow(x$times)), n),
    count = unlist(lapply(parts, `[[`, "count")),
    probability = unlist(lapply(parts, `[[`, "probability"), use.names = FALSE)
  )
}

# The numbers of the species to draw: those given, or those whose counts change, at most the first nine.
cme_species <- function(x, species) {
  if (is.null(species)) {
    moments <- cme_moments(x)
    changes <- vapply(split(moments, factor(moments$species, colnames(x$counts))), function(one) {
      any(one$sd > 0) || any(one$mean != one$mean[[1L]])
    }, NA)
    species <- utils::head(which(changes | !any(changes)), 9L)
  }
  species <- unique(check_known(species, "species", colnames(x$counts), "species"))
  if (length(species) == 0L) abort_value("species", "one species or more", species)
  species
}

#' @rdname cme-methods
#' @export
plot.cme_solution <- function(x, type = c("marginals", "moments"), species = NULL, main = NULL, ...) {
  type <- check_choice(type, "type", c("marginals", "moments"))
  check_graphical(...)
  species <- cme_species(x, species)
  names <- colnames(x$counts)[species]
  if (type == "moments") {
    moments <- cme_moments(x)
    draw_series(cme_series(x, names), main, ...)
    return(invisible(moments[moments$species %in% names, ]))
  }
  data <- cme_marginals(x, species)
  main <- rep_len(if (is.null(main)) short_label(names) else main, length(names))
  if (length(names) > 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(names)))
    on.exit(graphics::par(old))
  }
  for (i in seq_along(names)) plot_marginal(data[data$species == names[[i]], ], x$times$time, main[[i]], ...)
  invisible(data)
}

# The means with bands, as those of an ensemble.
cme_series <- function(x, names) {
  rows <- cme_moments(x)
  rows <- rows[rows$species %in% names, ]
  band <- band_of(rows, "sd")
  series_of(
    rows$time, rows$species, rows$mean, band[[1L]], band[[2L]], label_y = "mean count", note = band_note("sd", rows)
  )
}

time_labels <- function(times) {
  out <- paste("time", vapply(times, format, "", digits = 4L))
  if (anyDuplicated(out)) paste("time", vapply(times, format, "", digits = 15L)) else out
}

# Which of n times a legend names: at most six.
named_times <- function(n) unique(round(seq(1, n, length.out = min(n, 6L))))

# A line per time. Counts that are very improbable at all times are not shown.
plot_marginal <- function(data, times, main, ..., col = time_colours(length(times))) {
  seen <- data$probability > 1e-4 * max(data$probability)
  # the axis does not reach up to a time at which the count is certain, unless there is no other
  spread <- data$probability[seen & data$probability < 1 - 1e-6]
  labels <- time_labels(times)
  canvas <- course_canvas(
    data$count[seen], c(0, if (length(spread) > 0L) spread else 1), labels, main, "probability", ..., label_x = "count",
    col = col, usual_lwd = 1.5
  )
  on.exit(graphics::par(canvas$old))
  for (i in seq_along(times)) {
    rows <- data$time == times[[i]]
    few <- sum(rows & seen) < 3L # a line would hardly be seen
    line <- canvas$line(i)
    graphics::lines(
      data$count[rows], data$probability[rows], type = if (few) "h" else "l", col = line$col, lwd = line$lwd, lty = line$lty
    )
  }
  shown <- named_times(length(times))
  canvas$colour <- canvas$colour[shown]
  canvas$names <- lapply(canvas$names, function(of_lines) rep_len(of_lines, length(times))[shown])
  course_names(labels[shown], canvas, left_out(length(shown), length(times), " times are named"))
}
