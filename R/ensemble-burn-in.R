# Burn-in of ensembles: from which time on their distribution does not change any more.

#' Burn-in and stationarity of ensembles
#'
#' Finds the time after which an ensemble no longer changes, as far as the sample tells. It looks at the mean and the standard
#' deviation of each species, and at its distribution if this is known. It also gives an upper bound of the change that the sample
#' may have missed.
#'
#' @param x A result of [`simulate()`][simulate.reaction_network] for a reaction network with at least 5 times and 100
#'   trajectories: `output = "summary"`, `"histogram"` or `"trajectories"`. A summary without `quantiles` does not have the
#'   distribution of counts, so only its means and standard deviations are compared. Of a summary or a histogram, the times and
#'   species whose rows are left are used, as in `burn_in(x[x$time > 2, ])`; trajectories must have all rows.
#' @param ... Further results of the same kind, with the same times and species: ensembles of the same network that start in other
#'   states and have other seeds. See section What cannot be seen.
#' @param tolerance The largest change that does not matter, above 0 and at most 1. For a mean, its unit is the standard deviation
#'   at the last time. For a standard deviation, it is relative: the larger of two divided by the smaller, minus 1. For a
#'   distribution, it is the largest difference between cumulative probabilities. Default 0.25.
#' @param confidence The confidence level of all statements together, above 0 and below 1. Default 0.95.
#' @returns A data frame of class `burn_in` with a row for each species and statistic. Its columns are
#'   * `species`, and `statistic`: `"mean"`, `"sd"` or `"distribution"`;
#'   * `from`: the burn-in. It is the first time after which, up to the last time, no change is seen and a change above the
#'     tolerance is excluded (see section Method). `NA` if `stationary` is not `TRUE`;
#'   * `change` and `bound`: the largest difference from the last time (and between ensembles), and an upper bound of it, in the
#'     units of `tolerance`. They are about the times after `from`, or about the second half of the run if `from` is `NA`;
#'   * `stationary`: `TRUE` if no change is seen in the second half of the run and one above the tolerance is excluded there.
#'     `FALSE` if a change is seen there. `NA` if the sample cannot decide;
#'   * `why`: the reason for `FALSE` and `NA`. Means and standard deviations of a variable that is NaN or infinite in a trajectory
#'     cannot be compared.
#'
#'   `attr(result, "from")` is the burn-in of all species: the last of `from` if all rows are stationary, else `NA`. See
#'   [noise-methods] for methods.
#' @section Method: Each time is compared with the last one. The same trajectories are observed at both, so the two samples are
#'   correlated. From trajectories, the error of the difference is computed from the two counts of each trajectory. A summary does
#'   not have the correlation; then the error is that of the worst case, the sum of both standard errors, which is up to 1.4 times
#'   that of independent samples. The errors of standard deviations follow from the kurtosis. The bound for distributions is that
#'   of Dvoretzky, Kiefer and Wolfowitz for each of the two samples, which holds for any distribution and any correlation.
#'
#'   A change is *seen* if the interval of the difference does not contain 0. It is *excluded* if the interval lies within the
#'   tolerance. The intervals hold for all times, species and statistics together (Bonferroni), so if nothing changes, the
#'   probability that any change is seen is at most 1 - `confidence`, up to the error of the normal approximation.
#' @section What cannot be seen: A sample can refute that an ensemble is stationary, but it cannot prove it.
#'   * *Slow changes.* Suppose that the difference of the mean from its limit is \eqn{A e^{-k t}}, and that the run has the length
#'     T. If no change is seen in its second half, then \eqn{A u (1 - u)} is below the bound, where \eqn{u = e^{-k T / 2}}. So
#'     there are two cases. Either the remaining change after the run, \eqn{A u^2}, is small, too. Or \eqn{k T} is close to 0: the
#'     change is so slow that it has hardly begun within the run. Such a slow change cannot be seen in one ensemble, however many
#'     trajectories it has. An example is a network that switches between two states, but on average only once in a time much
#'     longer than the run.
#'   * *Several starts.* A slow change can be seen if ensembles approach the limit from different sides. So give further ensembles
#'     whose initial counts are far apart, such as one in each state of a switch. If they agree within the bound, either the slow
#'     change is over, or all ensembles started on the same side.
#'   * *Times.* An oscillation is not seen if the distances between the times are multiples of its period. Use many times, at
#'     distances without a common divisor if rates or events are periodic.
#'   * *Other statistics.* Means, standard deviations and distributions of single species may be constant while joint
#'     distributions still change.
#' @section Petri nets: For [Petri nets][simulate.petri_net], rows are about places, each colour by itself, and the column is
#'   `place`. With thousands of places, the intervals are wide, because they hold for all of them together: observe a few places,
#'   or a variable with the formula `sum(Ca)`. Levels are compared as counts are. A level that is the same in all trajectories
#'   has no spread. So it is not stationary as long as it changes at all.
#' @section Errors: `fireflip_error_argument` for other objects, changed numbers, fewer than 5 times or 100 trajectories, other
#'   times or species in further results, equal seeds, and a run with `until`, in which trajectories that have stopped do not
#'   change.
#' @references Dvoretzky A, Kiefer J, Wolfowitz J (1956). Asymptotic minimax character of the sample distribution function and of
#'   the classical multinomial estimator. *Annals of Mathematical Statistics* 27(3), 642-669. \doi{10.1214/aoms/1177728174}
#'
#' Massart P (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. *Annals of Probability* 18(3), 1269-1283.
#' \doi{10.1214/aop/1176990746}
#'
#' Gelman A, Rubin DB (1992). Inference from iterative simulation using multiple sequences. *Statistical Science* 7(4), 457-472.
#' \doi{10.1214/ss/1177011136}, for starts that are far apart.
#' @seealso [`simulate()`][simulate.reaction_network], [compare_ensembles()]; [steady_state()] for Boolean networks.
#' @concept steady state
#' @concept stationarity
#' @concept convergence
#' @export
#' @examples
#' net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
#' run <- function(start, seed) {
#'   simulate(net, nsim = 4000, times = seq(0, 20, 0.5), initial = c(A = start), seed = seed)
#' }
#' found <- burn_in(run(0, 1), run(30, 2))
#' found
#' plot(found)
burn_in <- function(x, ..., tolerance = 0.25, confidence = 0.95) {
  if (missing(x)) abort_value("x", "a result of simulate()", x)
  others <- list(...)
  if (!is.null(names(others)) && any(nzchar(names(others)))) {
    abort_unknown(names(others)[nzchar(names(others))][[1L]], c("x", "tolerance", "confidence"))
  }
  check_number(tolerance, "tolerance", 0, 1, open_min = TRUE)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  number <- Position(function(one) is.numeric(one) && !is.object(one), others)
  if (!is.na(number)) {
    abort_argument(sprintf(
      "Arguments without a name must be results of simulate(); found %s. Write tolerance = or confidence = before a number.",
      describe(others[[number]])
    ))
  }
  all <- c(list(x), others)
  courses <- lapply(seq_along(all), function(i) course_of(all[[i]], if (i == 1L) "`x`" else sprintf("Argument %d", i)))
  check_same_courses(courses)
  courses <- only_known(courses)
  first <- courses[[1L]]
  found <- compared_courses(courses, 1 - confidence)
  rows <- unlist(lapply(names(found), function(statistic) {
    lapply(seq_along(first$species), function(j) burn_in_row(found[[statistic]], j, statistic, first, tolerance))
  }), recursive = FALSE)
  at <- as.vector(t(matrix(seq_along(rows), length(first$species)))) # by species, then by statistic
  out <- do.call(rbind, c(lapply(rows[at], `[[`, "row"), make.row.names = FALSE))
  structure(
    with_items(out, first), class = c("burn_in", "data.frame"),
    from = if (all(out$stationary %in% TRUE)) max(out$from) else NA_real_,
    course = do.call(rbind, c(lapply(rows[at], `[[`, "course"), make.row.names = FALSE)),
    run = c(list(
      times = first$times, n = vapply(courses, `[[`, 0, "n"), tolerance = tolerance, confidence = confidence,
      ensembles = length(courses)
    ), if (!is.null(first$item)) first[intersect(c("species", "item", "colours"), names(first))])
  )
}

# ---- statistics over time ---------------------------------------------------------------------------------------------------

# What burn_in() needs of a result. Matrices have a row per time and a column per species. `error` has the standard errors of mean
# and log(sd) at each time; `paired`, if known, those of the differences from the last time. `values` and `counts` are lists of
# cells, first by time.
course_of <- function(x, name) {
  if (inherits(x, "parameter_sweep")) refuse_distribution("burn_in", "a sweep", ensemble_hint)
  run <- run_of(x)
  x <- with_species(x)
  summed <- kind_of_result(x) %in% output_classes("sums") && !is.null(run$tally)
  if (!summed && !(kind_of_result(x) == "ensemble_trajectories" && identical(run$output, "trajectories"))) {
    abort_argument(sprintf(
      "%s must be a result of simulate() with `output` = \"summary\", \"histogram\" or \"trajectories\"; found %s.", name,
      if (kind_of_result(x) == "ensemble_trajectories") "one with \"final\"" else describe(x)
    ))
  }
  if (!is.null(run$until)) {
    abort_argument(sprintf("%s must be a run without `until`: trajectories that have stopped do not change.", name))
  }
  cells <- if (summed) cells_of_result(x, name)
  times <- if (summed) unique(cells$time) else run$times
  species <- if (summed) run$species[run$species %in% cells$species] else run$species
  if (length(times) < 5L) abort_argument(sprintf("%s must have at least 5 times; found %d.", name, length(times)))
  if (summed && length(cells$at) < length(times) * length(species)) {
    abort_argument(sprintf("%s must have the same %s at each of its times; found some removed.", name, items_of(run)))
  }
  if (!summed) x <- unchanged_paths(x, run, name)
  n <- if (summed) run$tally$n else nrow(x) / length(times)
  if (n < 100) abort_argument(sprintf("%s must have at least 100 trajectories; found %s.", name, format_whole(n)))
  out <- if (summed) course_of_tally(run$tally, cells, length(times), length(species)) else course_of_paths(x, run)
  c(out, list(n = n, times = times, species = species), run[intersect(c("seed", "model", "item", "colours"), names(run))])
}

# Trajectories in the order of their run, with all rows and species. A selection might leave out those that change late.
unchanged_paths <- function(x, run, name) {
  if (!all(run$species %in% species_columns(x, gsub("`", "", name)))) {
    abort_argument(sprintf("%s must be an unchanged result; found columns removed.", name))
  }
  x <- in_run_order(x)
  changed <- change_of_rows(x)
  if (changed == "") return(x)
  abort_argument(sprintf("%s must be an unchanged result; found %s.", name, changed))
}

course_of_tally <- function(tally, cells, times, species) {
  found <- cells$found
  shaped <- function(x) matrix(x, times, species, byrow = TRUE)
  kurtosis <- ifelse(found$sd %in% 0, 3, raised_kurtosis(found$kurtosis, tally$n))
  out <- list(
    mean = shaped(found$mean), sd = shaped(found$sd), known = shaped(cells$known),
    error = list(mean = shaped(found$sd / sqrt(tally$n)), sd = shaped(log_sd_error(kurtosis, tally$n)))
  )
  if (is.null(tally$cell)) return(out)
  cells <- factor(tally$cell, cells$at)
  in_order <- as.vector(matrix(seq_len(times * species), times, byrow = TRUE)) # cells are first by time
  out$values <- unname(split(tally$value, cells))[in_order]
  out$counts <- unname(split(tally$count, cells))[in_order]
  out
}

log_sd_error <- function(kurtosis, n) sqrt(pmax(kurtosis - (n - 3) / (n - 1), 0) / n + (2 / n)^2) / 2

course_of_paths <- function(x, run) {
  times <- length(run$times)
  n <- nrow(x) / times
  one <- lapply(run$species, function(name) {
    values <- matrix(x[[name]], times)
    mean <- rowMeans(values)
    centred <- values - mean
    second <- rowMeans(centred^2)
    sizes <- apply(values, 1L, range)
    second[sizes[1L, ] < sizes[2L, ] & pmax(abs(sizes[1L, ]), abs(sizes[2L, ])) < 2^-424] <- NaN # squares are 0 or inexact
    relative <- centred^2 / ifelse(second > 0, second, 1)
    error <- function(of) sqrt(rowMeans((of - rowMeans(of))^2) / n)
    runs <- apply(values, 1L, function(row) rle(sort(row, na.last = TRUE)), simplify = FALSE)
    list(
      mean = mean, sd = sqrt(second * n / (n - 1)), error_mean = sqrt(second / n),
      error_sd = log_sd_error(rowMeans(relative^2), n), pair_mean = error(values - rep(values[times, ], each = times)),
      pair_sd = sqrt(error(relative - rep(relative[times, ], each = times))^2 + (2 / n)^2) / 2,
      values = lapply(runs, `[[`, "values"), counts = lapply(runs, `[[`, "lengths")
    )
  })
  matrix_of <- function(name) matrix(unlist(lapply(one, `[[`, name)), times)
  sd <- matrix_of("sd")
  list(
    mean = matrix_of("mean"), sd = sd, known = matrix(known_cells(run, run$varies), times, length(one), byrow = TRUE),
    error = list(mean = matrix_of("error_mean"), sd = matrix_of("error_sd")),
    paired = list(mean = matrix_of("pair_mean"), sd = matrix_of("pair_sd")),
    values = unlist(lapply(one, `[[`, "values"), recursive = FALSE),
    counts = unlist(lapply(one, `[[`, "counts"), recursive = FALSE)
  )
}

# What changes a model: the reactions of a network, or the transitions of a net.
fired_by <- function(model) if (is.null(model$transitions)) model$reactions else model$transitions
fired_words <- function(course) if (item_of(course) == "place") "transitions" else "reactions"

check_same_courses <- function(courses) {
  for (other in courses[-1L]) {
    for (field in c("times", "species")) {
      if (identical(other[[field]], courses[[1L]][[field]])) next
      word <- if (field == "times") field else items_of(other)
      abort_argument(sprintf("All ensembles must have the same %s; found different ones.", word))
    }
    if (!identical(fired_by(other$model), fired_by(courses[[1L]]$model))) {
      abort_argument(sprintf("All ensembles must be of the same network; found different %s.", fired_words(other)))
    }
  }
  seeds <- vapply(courses, `[[`, 0, "seed")
  if (anyDuplicated(seeds)) {
    seed <- format(seeds[duplicated(seeds)][[1L]], digits = 15)
    abort_argument(sprintf("The ensembles must be independent; found two with the seed %s.", seed))
  }
}

# Distributions are compared if all ensembles have them.
only_known <- function(courses) {
  if (all(vapply(courses, function(course) !is.null(course$values), NA))) return(courses)
  lapply(courses, function(course) course[setdiff(names(course), c("values", "counts"))])
}

# ---- comparisons ------------------------------------------------------------------------------------------------------------

# For each statistic, matrices with a row per time and a column per species: `within` and `between`, whether a change is seen
# between times, and between ensembles; `strange`; `change`, the largest difference, and `bound`.
compared_courses <- function(courses, alpha) {
  first <- courses[[1L]]
  times <- length(first$times)
  statistics <- c("mean", "sd", if (!is.null(first$values)) "distribution")
  pairs <- if (length(courses) > 1L) utils::combn(length(courses), 2L, simplify = FALSE)
  tests <- length(statistics) * length(first$species) * ((times - 1) * length(courses) + times * length(pairs))
  scale <- first$sd[times, ]
  sapply(statistics, function(statistic) {
    within <- lapply(courses, change_within, statistic, alpha / tests, scale)
    between <- lapply(pairs, function(pair) change_between(courses[[pair[[1L]]]], courses[[pair[[2L]]]], statistic,
      alpha / tests, scale))
    list(
      within = Reduce(`|`, lapply(within, seen)),
      between = Reduce(`|`, lapply(between, seen), matrix(FALSE, times, length(first$species))),
      strange = Reduce(`|`, lapply(c(within, between), `[[`, "strange")),
      change = do.call(pmax, lapply(c(within, between), function(one) abs(one$change))),
      bound = do.call(pmax, lapply(c(within, between), bound_of))
    )
  }, simplify = FALSE)
}

seen <- function(one) abs(one$change) > one$margin

bound_of <- function(one) replace(abs(one$change) + one$margin, one$unclear, Inf)

# Differences from the last time, and the margins of their intervals.
change_within <- function(course, statistic, alpha, scale) {
  last <- length(course$times)
  if (statistic == "distribution") {
    cells <- seq_along(course$values)
    end <- ((cells - 1L) %/% last + 1L) * last
    return(distribution_change(course, course, cells, end, alpha))
  }
  as_last <- function(x) matrix(x[last, ], last, ncol(x), byrow = TRUE)
  error <- if (is.null(course$paired)) course$error[[statistic]] + as_last(course$error[[statistic]]) else {
    course$paired[[statistic]]
  }
  end <- list(mean = as_last(course$mean), sd = as_last(course$sd), known = as_last(course$known), n = course$n)
  out <- moment_change(course, end, statistic, error, alpha, scale)
  out$change[last, ] <- out$margin[last, ] <- 0
  out$unclear[last, ] <- out$strange[last, ] <- FALSE
  out
}

change_between <- function(a, b, statistic, alpha, scale) {
  cells <- seq_along(a$values)
  if (statistic == "distribution") return(distribution_change(a, b, cells, cells, alpha))
  moment_change(a, b, statistic, sqrt(a$error[[statistic]]^2 + b$error[[statistic]]^2), alpha, scale)
}

# `unclear`: all trajectories of a sample have the same count, and this may be by chance. Then there is no bound. But a difference
# is seen if it is large compared with the error of the other sample. `strange`: a moment is not a finite number, because a
# variable is NaN or infinite in a trajectory, or too large or too small for its powers. Then there is no bound, and no difference
# is seen.
moment_change <- function(a, b, statistic, error, alpha, scale) {
  q <- stats::qt(alpha / 2, min(a$n, b$n) - 1, lower.tail = FALSE)
  unclear <- (a$sd == 0 & !a$known) | (b$sd == 0 & !b$known)
  if (statistic == "mean") {
    unit <- matrix(ifelse(scale > 0, scale, 1), nrow(a$mean), ncol(a$mean), byrow = TRUE)
    change <- (a$mean - b$mean) / unit
    margin <- q * error / unit
  } else {
    change <- ifelse(a$sd == b$sd, 0, log(a$sd) - log(b$sd))
    margin <- ifelse(a$sd > 0 & b$sd > 0, q * error, 0)
  }
  change[unclear %in% TRUE & !is.finite(change)] <- 0
  strange <- !(is.finite(change) & is.finite(margin) & is.finite(a$mean) & is.finite(b$mean))
  change[strange] <- margin[strange] <- 0
  list(change = change, margin = margin, unclear = unclear %in% TRUE | strange, strange = strange)
}

distribution_change <- function(a, b, at, to, alpha) {
  margin <- sqrt(log(4 / alpha) / 2) * (1 / sqrt(a$n) + 1 / sqrt(b$n))
  change <- vapply(seq_along(at), function(i) {
    cdf_distance(a$values[[at[[i]]]], a$counts[[at[[i]]]], b$values[[to[[i]]]], b$counts[[to[[i]]]])
  }, 0)
  same <- vapply(seq_along(at), function(i) length(a$values[[at[[i]]]]) == 1L && length(b$values[[to[[i]]]]) == 1L, NA)
  known <- as.vector(a$known)[at] & as.vector(b$known)[to]
  shaped <- function(x) matrix(x, length(a$times))
  none <- shaped(logical(length(at)))
  list(
    change = shaped(change), margin = shaped(ifelse(identical(a, b) & at == to | same & known, 0, margin)), unclear = none,
    strange = none
  )
}

# The largest difference between two cumulative frequencies. Values are in ascending order. NaN is the largest value.
cdf_distance <- function(x, n, y, m) {
  at <- sort(unique(c(x, y)))
  share <- function(value, count) c(0, cumsum(count) / sum(count))[findInterval(at, value[!is.nan(value)]) + 1L]
  max(abs(share(x, n) - share(y, m)))
}

# One row of the result, and the course of its change.
burn_in_row <- function(found, j, statistic, first, tolerance) {
  times <- first$times
  change <- found$change[, j]
  bound <- found$bound[, j]
  if (statistic == "sd") { # of the logarithm
    change <- expm1(change)
    bound <- expm1(bound)
  }
  seen <- found$within[, j] | found$between[, j]
  good <- !seen & bound <= tolerance
  at <- max(0L, which(!good)) + 1L
  late <- times > (times[[1L]] + times[[length(times)]]) / 2
  judged <- judgement(seen, found$between[, j], good, late, bound, found$strange[, j])
  rest <- if (judged$stationary %in% TRUE) seq.int(at, length(times)) else which(late)
  list(
    row = data.frame(
      species = first$species[[j]], statistic = statistic, from = if (judged$stationary %in% TRUE) times[[at]] else NA_real_,
      change = max(change[rest]), bound = max(bound[rest]), stationary = judged$stationary, why = judged$why
    ),
    course = data.frame(
      time = times, species = first$species[[j]], statistic = statistic, change = change, bound = bound, seen = seen
    )
  )
}

judgement <- function(seen, between, good, late, bound, strange) {
  if (any(seen & late)) {
    differ <- any(between & late)
    return(list(stationary = FALSE, why = if (differ) "the ensembles differ" else "changes in the second half"))
  }
  if (sum(late) < 3L) return(list(stationary = NA, why = "few times in the second half"))
  if (all(good[late])) return(list(stationary = TRUE, why = ""))
  if (any(strange[late])) return(list(stationary = NA, why = "values that are not finite"))
  list(stationary = NA, why = if (any(bound[late] == Inf)) "the same value in all trajectories" else "too few trajectories")
}
