#' Compare ensembles with each other or with the exact distribution
#'
#' Tests for each time and species whether two ensembles of a reaction network have the same mean, the same variance and, if their
#' histograms are known, the same distribution. An ensemble can also be compared with the exact distribution that
#' [chemical_master_equation()] computes.
#'
#' @param a,b Results of [`simulate()`][simulate.reaction_network] for `output = "summary"` or `"histogram"`, with the same times
#'   and species, simulated independently (with different seeds). At least 30 trajectories each. One of them may be a solution of
#'   [chemical_master_equation()] that has at least the times and species of the other. Rows may have been removed, if both have
#'   the same times and species left.
#' @param x,object A comparison.
#' @param n How many rows to print: those with the smallest p-values. Default 10; `Inf` for all, 0 for none.
#' @param level The family-wise level, above 0 and below 1. If there is no difference, the probability that at least one test
#'   finds one is about this level at most. Default 0.05.
#' @param ... Must be empty for `compare_ensembles()`. Otherwise ignored, with a warning of class
#'   `fireflip_warning_argument`.
#' @returns A data frame of class `ensemble_comparison` with a row for each time, species and test, ordered by time. Its columns
#'   are `time`, `species`, `test` (`"mean"`, `"variance"` or `"distribution"`), `a` and `b` (the means, or the variances; `NA`
#'   for the distributions), `statistic`, `p_value`, and `adjusted`, the p-value after Holm's correction for all tests of the
#'   table. If all hypotheses are true, the smallest of `adjusted` is below 0.05 with a probability of about 0.05 at most.
#'   [plot()] and `autoplot()` have methods: see [ensemble-plots].
#'
#'   `print()` says how many of the tests find a difference, and shows the rows with the smallest p-values. `format()` gives the
#'   same as lines of text, and `head()` the first rows as printed. `as.data.frame()` gives a plain data frame of all rows.
#'   `summary()` returns a list of class `summary.ensemble_comparison` with the elements `tests` (the number of tests with a
#'   p-value), `undecided` (the number of those without), `differ` (the number of tests whose `adjusted` is at most `level`),
#'   `level`, `smallest` (the smallest `adjusted`, or `NA`), and `each`, a data frame of the first three numbers for each kind of
#'   test. If `rbind()` has joined several comparisons, these functions correct the p-values again, for all tests together.
#'
#'   `p_value` is `NA` where the samples cannot decide: for the mean, if all trajectories of both ensembles have the same count;
#'   for the variance, if each ensemble has a single count, even if these counts differ; and for the distributions of two
#'   ensembles, if there are fewer than two groups of counts. Holm's correction does not count such tests.
#' @section Tests: The difference of the means, and that of the variances, is divided by its standard error. The error is computed
#'   twice: from both samples together, and from each of them by itself. The larger error is used. For means, these are the errors
#'   of the tests of Student and Welch. The distributions are compared by Pearson's test of homogeneity; neighbouring counts are
#'   grouped until at least 8 trajectories of each ensemble are expected in a group. They are compared if both results have
#'   histograms: `output = "histogram"`, or `quantiles` in a summary.
#'
#'   If each ensemble has a single count, and these counts differ, the standard error of the means is 0, and the statistic of the
#'   mean is `Inf` or `-Inf`. The p-value is then that of a permutation test: if the trajectories are divided at random among the
#'   two ensembles, this division or its opposite occurs with the probability 2 / choose(n_a + n_b, n_a), where n_a and n_b are
#'   the numbers of trajectories.
#'
#'   All three tests are approximations for many trajectories. For ensembles of 30 to 1,000 trajectories with the same
#'   distribution (Poisson, geometric, bursts, bimodal, 0 or 1), each test found a difference at the level 0.05 in at most 6%
#'   of 4,000 pairs. If the ensembles have very different sizes and a distribution with a long tail, the tests of mean and
#'   variance are conservative: they find fewer false differences than the level allows, but they also miss more true ones.
#' @section The master equation: For an ensemble and a solution of the master equation, the only test is that of the distribution:
#'   Pearson's chi-square test of goodness of fit, with neighbouring counts grouped until at least 8 trajectories are expected in
#'   a group. The ensemble must have histograms. A solution does not list counts that are nearly impossible, but gives a bound of
#'   their probability (`missing`). If some trajectories have such counts, the p-value is at most the probability that at least as
#'   many trajectories have them.
#'
#'   If one count has so much of the probability that there is a single group, the number of trajectories with this count is
#'   compared with its binomial distribution by an exact test. The statistic is then `NA`. If the solution lists only one count,
#'   and all trajectories have it, the p-value is `NA`, too.
#' @section Petri nets: Ensembles of [Petri nets][simulate.petri_net] are compared by places, each colour by itself. An ensemble
#'   of a net can also be compared with one of a reaction network whose species have the same names as the places. The same level
#'   rarely occurs twice, so the test of distributions groups neighbouring levels, as it groups counts. The tests cannot tell
#'   errors of the flows from a difference, so give both ensembles the same tolerance.
#' @section Errors: `fireflip_error_argument` for other objects, numbers that were changed, different times or species, or fewer
#'   than 30 trajectories. If both have the same seed, there is a warning of class `fireflip_warning_seed`.
#' @references Welch BL (1947). The generalization of Student's problem when several different population variances are involved.
#'   *Biometrika* 34, 28-35. \doi{10.1093/biomet/34.1-2.28}
#'
#' Holm S (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal of Statistics* 6(2), 65-70.
#' @seealso [`simulate()`][simulate.reaction_network], [chemical_master_equation()].
#' @export
#' @examples
#' net <- reaction_network("0 -> A" = 10, "A -> 0" = 1)
#' run <- function(seed, ...) {
#'   simulate(net, nsim = 1000, times = c(1, 5), output = "histogram", seed = seed, ...)
#' }
#' compare_ensembles(run(1), run(2, method = "next_reaction"))
#' summary(compare_ensembles(run(1), run(2, method = "next_reaction")))
#' compare_ensembles(run(1), chemical_master_equation(net, times = c(1, 5)))
compare_ensembles <- function(a, b, ...) {
  check_no_more(...)
  if (missing(a)) abort_value("a", "a result of simulate()", a)
  if (missing(b)) abort_value("b", "a result of simulate() or chemical_master_equation()", b)
  if (inherits(b, "cme_solution")) return(compare_with_solution(run_to_compare(a, "a"), b))
  if (inherits(a, "cme_solution")) return(compare_with_solution(run_to_compare(b, "b"), a))
  runs <- list(run_to_compare(a, "a"), run_to_compare(b, "b"))
  for (field in c("times", "species")) {
    if (identical(runs[[1L]][[field]], runs[[2L]][[field]])) next
    word <- if (field == "times") field else items_of(runs[[1L]])
    abort_argument(sprintf("`a` and `b` must have the same %s; %s.", word, only_one_has(runs, field)))
  }
  if (!identical(runs[[1L]]$cells[c("time", "species")], runs[[2L]]$cells[c("time", "species")])) {
    abort_argument(sprintf(
      "`a` and `b` must have the same %s at each time; found rows removed from one of them only.", items_of(runs[[1L]])
    ))
  }
  if (identical(runs[[1L]]$seed, runs[[2L]]$seed)) {
    warn("seed", sprintf(
      "`a` and `b` have the same seed, %s, so they are not independent, and the tests may miss differences.",
      format(runs[[1L]]$seed, digits = 15)
    ))
  }
  found <- lapply(runs, function(run) run$cells$found)
  n <- vapply(runs, function(run) run$tally$n, 0)
  cells <- length(runs[[1L]]$cells$at)
  tests <- list(mean = compare_means(found, n), variance = compare_variances(found, n))
  known <- !vapply(runs, function(run) is.null(run$tally$cell), NA)
  if (all(known)) tests$distribution <- compare_distributions(runs)
  rows <- as.vector(t(matrix(seq_len(cells * length(tests)), cells)))
  at <- rep(seq_len(cells), each = length(tests))
  column <- function(name) unlist(lapply(tests, `[[`, name), use.names = FALSE)[rows]
  columns <- lapply(c(a = "a", b = "b", statistic = "statistic", p = "p_value"), column)
  comparison_of(runs[[1L]], at, rep(names(tests), cells), columns)
}

# How the times, or the species, of two runs differ.
only_one_has <- function(runs, field) {
  for (i in 1:2) {
    only <- setdiff(runs[[i]][[field]], runs[[3L - i]][[field]])
    if (length(only) == 0L) next
    shown <- if (is.character(only)) quote_some(only) else some_values(format(only, digits = 15, trim = TRUE), most = 4L)
    return(sprintf("only `%s` has %s", c("a", "b")[[i]], shown))
  }
  "found the same in another order" # times ascend, so these are species
}

# The result, with a row for each of the cells `at` of a run.
comparison_of <- function(run, at, test, columns) {
  cells <- run$cells
  out <- data.frame(
    time = cells$time[at], species = cells$species[at], test = test,
    a = columns$a, b = columns$b, statistic = columns$statistic, p_value = columns$p,
    adjusted = stats::p.adjust(columns$p, "holm")
  )
  names(out)[[2L]] <- item_of(run) # places have their colours in their names
  class(out) <- c("ensemble_comparison", "data.frame")
  out
}

# ---- methods ----------------------------------------------------------------------------------------------------------------

#' @rdname compare_ensembles
#' @export
print.ensemble_comparison <- function(x, n = 10, level = 0.05, ...) {
  if (!is_whole_comparison(x)) {
    print(plain_frame(x), ...)
    return(invisible(x))
  }
  warn_ignored(...)
  writeLines(format(x, n = n, level = level))
  invisible(x)
}

#' @rdname compare_ensembles
#' @export
format.ensemble_comparison <- function(x, n = 10, level = 0.05, ...) {
  if (!is_whole_comparison(x)) return(format(plain_frame(x), ...))
  check_number(n, "n", 0, Inf)
  rows <- plain_frame(x)
  rows$adjusted <- adjusted_of(x)
  rows <- utils::head(rows[order_of_tests(x), ], n)
  numbers <- c("a", "b", "statistic", "p_value", "adjusted")
  rows[numbers] <- lapply(rows[numbers], short_numbers)
  more <- nrow(x) - nrow(rows)
  c(
    sprintf(
      "<ensemble_comparison> %s, %s", species_count(unique_count(x[[2L]]), items[[names(x)[[2L]]]]), times_text(unique(x$time))
    ),
    verdict_of(summary(x, level = level)),
    if (nrow(rows) > 0L) utils::capture.output(print.data.frame(rows, row.names = FALSE)),
    if (more > 0L) sprintf("... and %s; as.data.frame() gives all", count_of(more, "more row"))
  )
}

# The order in which tests are printed. Those without a p-value are last.
order_of_tests <- function(x) order(x$p_value, -abs(x$statistic))

#' @rawNamespace S3method(utils::head, ensemble_comparison)
head.ensemble_comparison <- function(x, n = 6L, ...) {
  if (length(n) > 1L || !is_whole_comparison(x)) NextMethod() else x[utils::head(order_of_tests(x), n), , drop = FALSE]
}

#' @rawNamespace S3method(utils::tail, ensemble_comparison)
tail.ensemble_comparison <- function(x, n = 6L, ...) {
  if (length(n) > 1L || !is_whole_comparison(x)) NextMethod() else x[utils::tail(order_of_tests(x), n), , drop = FALSE]
}

#' @rdname compare_ensembles
#' @export
summary.ensemble_comparison <- function(object, level = 0.05, ...) {
  warn_ignored(...)
  if (!is_whole_comparison(object)) {
    abort_argument("`object` must have rows and the columns of compare_ensembles(); found a part of its columns, or no rows.")
  }
  check_number(level, "level", 0, 1, open_min = TRUE, open_max = TRUE)
  adjusted <- adjusted_of(object)
  known <- !is.na(adjusted)
  found <- known & adjusted <= level
  kinds <- unique(object$test)
  count <- function(rows) vapply(kinds, function(kind) sum(rows[object$test == kind]), 0L, USE.NAMES = FALSE)
  structure(class = "summary.ensemble_comparison", list(
    tests = sum(known), undecided = sum(!known), differ = sum(found), level = level,
    smallest = if (any(known)) min(adjusted[known]) else NA_real_,
    each = data.frame(test = kinds, tests = count(known), undecided = count(!known), differ = count(found))
  ))
}

#' @export
print.summary.ensemble_comparison <- function(x, ...) {
  warn_ignored(...)
  writeLines(verdict_of(x))
  print.data.frame(x$each, row.names = FALSE)
  invisible(x)
}

#' @export
as.data.frame.ensemble_comparison <- function(x, row.names = NULL, optional = FALSE, ...) {
  warn_ignored(...)
  plain_frame(x)
}

# A selection of columns is no comparison, and neither is a table of formatted numbers.
is_whole_comparison <- function(x) {
  numbers <- c("time", "a", "b", "statistic", "p_value", "adjusted")
  nrow(x) > 0L && length(x) > 1L && names(x)[[2L]] %in% names(items) && all(c("test", numbers) %in% names(x)) &&
    is_numbers(x$time) && all(vapply(plain_frame(x)[numbers], is_kept, NA))
}

# The rows of several comparisons are corrected anew. A part of a comparison keeps the correction for all its tests.
adjusted_of <- function(x) pmax(x$adjusted, stats::p.adjust(x$p_value, "holm"))

verdict_of <- function(x) {
  undecided <- if (x$undecided > 0L) sprintf(" (%s without a p-value)", format_whole(x$undecided)) else ""
  if (x$tests == 0L) return(sprintf("No test can decide%s.", undecided))
  sprintf(
    "%s of %s %s a difference at the family-wise level %s (Holm); the smallest adjusted p-value is %s%s.",
    if (x$differ > 0L) format_whole(x$differ) else "None", count_of(x$tests, "test"), if (x$differ > 1L) "find" else "finds",
    format(x$level), short_numbers(x$smallest), undecided
  )
}

# ---- what is compared -------------------------------------------------------------------------------------------------------

# The record of the run, with the cells of `x`, and with only their times and species.
run_to_compare <- function(x, name) {
  if (inherits(x, "parameter_sweep")) refuse_distribution("compare_ensembles", "a sweep", ensemble_hint)
  run <- run_of(x)
  if (!kind_of_result(x) %in% output_classes("sums") || is.null(run$tally)) {
    abort_value(name, "a result of simulate() with `output` = \"summary\" or \"histogram\"", x)
  }
  if (run$tally$n < 30) {
    abort_argument(sprintf("`%s` must have at least 30 trajectories; found %s.", name, format_whole(run$tally$n)))
  }
  run$cells <- cells_of_result(x, sprintf("`%s`", name))
  run$times <- unique(run$cells$time)
  run$species <- run$species[run$species %in% run$cells$species]
  run
}

# The rows of the tally for each cell of `x`.
rows_of_cells <- function(run) split(seq_along(run$tally$cell), factor(run$tally$cell, run$cells$at))

# Welch's test, or Student's if its standard error is larger. Both errors are equal for ensembles of the same size. If the sizes
# differ, the smaller ensemble may miss the rare large counts of a skewed distribution. Then its mean and its error are both too
# small, and Welch's test would find far too many differences.
compare_means <- function(found, n) {
  square <- lapply(1:2, function(i) found[[i]]$sd^2 / n[[i]])
  apart <- square[[1L]] + square[[2L]]
  within <- (n[[1L]] - 1) * found[[1L]]$sd^2 + (n[[2L]] - 1) * found[[2L]]$sd^2
  together <- within / (sum(n) - 2) * (1 / n[[1L]] + 1 / n[[2L]])
  pooled <- together > apart * (1 + 1e-12)
  error <- sqrt(ifelse(pooled, together, apart))
  t <- ifelse(error > 0, (found[[1L]]$mean - found[[2L]]$mean) / error, NA_real_)
  freedom <- ifelse(pooled, sum(n) - 2, apart^2 / (square[[1L]]^2 / (n[[1L]] - 1) + square[[2L]]^2 / (n[[2L]] - 1)))
  p <- 2 * stats::pt(-abs(t), freedom)
  # if each ensemble has a single count, and these differ, two of all divisions of the trajectories are so extreme
  constant <- which(error == 0 & found[[1L]]$mean != found[[2L]]$mean)
  p[constant] <- min(1, 2 * exp(-lchoose(sum(n), n[[1L]])))
  t[constant] <- sign(found[[1L]]$mean - found[[2L]]$mean)[constant] * Inf
  list(a = found[[1L]]$mean, b = found[[2L]]$mean, statistic = t, p_value = p)
}

# The difference of the variances, divided by its standard error. The error is computed twice: from the moments of both samples
# together, as if they had the same distribution, and from those of each sample by itself. The larger one is used. A test with the
# second one alone finds far too many differences, because a sample that misses the rare large counts of a long tail has both a
# small variance and a small error. The term `next_order` matters where the kurtosis is near 1, as for sd_interval().
compare_variances <- function(found, n) {
  all <- sum(n)
  variance <- lapply(found, function(one) one$sd^2)
  second <- lapply(1:2, function(i) variance[[i]] * (n[[i]] - 1) / n[[i]])
  # where all trajectories have the same count, there is no kurtosis; the fourth moment is 0 there
  kurtosis <- lapply(found, function(one) ifelse(one$sd %in% 0, 0, one$kurtosis))
  pooled <- (n[[1L]] * second[[1L]] + n[[2L]] * second[[2L]]) / all
  fourth <- (n[[1L]] * kurtosis[[1L]] * second[[1L]]^2 + n[[2L]] * kurtosis[[2L]] * second[[2L]]^2) / all
  spread <- function(kurtosis, n) kurtosis - (n - 3) / (n - 1)
  together <- spread(raised_kurtosis(fourth / pooled^2, all), all) * (pooled * all / (all - 2))^2 * (1 / n[[1L]] + 1 / n[[2L]])
  apart <- lapply(1:2, function(i) spread(kurtosis[[i]], n[[i]]) * variance[[i]]^2 / n[[i]])
  next_order <- (2 * pooled)^2 * (1 / n[[1L]]^2 + 1 / n[[2L]]^2)
  error <- sqrt(pmax(together, apart[[1L]] + apart[[2L]]) + next_order)
  z <- ifelse(pooled > 0, (variance[[1L]] - variance[[2L]]) / error, NA_real_)
  list(a = variance[[1L]], b = variance[[2L]], statistic = z, p_value = 2 * stats::pnorm(-abs(z)))
}

compare_distributions <- function(runs) {
  a <- runs[[1L]]$tally
  b <- runs[[2L]]$tally
  rows <- lapply(runs, rows_of_cells)
  cells <- length(runs[[1L]]$cells$at)
  tested <- vapply(seq_len(cells), function(i) {
    first <- rows[[1L]][[i]]
    second <- rows[[2L]][[i]]
    values <- sort(unique(c(a$value[first], b$value[second])), na.last = TRUE) # a variable may be NaN
    counts <- cbind(
      ifelse(values %in% a$value[first], a$count[first][match(values, a$value[first])], 0),
      ifelse(values %in% b$value[second], b$count[second][match(values, b$value[second])], 0)
    )
    homogeneity(counts)
  }, c(0, 0))
  none <- rep(NA_real_, cells)
  list(a = none, b = none, statistic = tested[1L, ], p_value = tested[2L, ])
}

# Groups of neighbours whose expected numbers add up to at least `least`. What is left at the end belongs to the last group.
groups_of <- function(expected, least) {
  group <- integer(length(expected))
  now <- 1L
  gathered <- 0
  for (i in seq_along(expected)) {
    group[[i]] <- now
    gathered <- gathered + expected[[i]]
    if (gathered >= least) {
      now <- now + 1L
      gathered <- 0
    }
  }
  if (now > 1L) group[group == now] <- now - 1L
  group
}

# Pearson's statistic and its p-value, for counts of two samples in the order of the values.
homogeneity <- function(counts) {
  share <- colSums(counts) / sum(counts)
  pooled <- rowSums(counts)
  group <- groups_of(pooled, 8 / min(share) * (1 - 1e-12)) # of the smaller ensemble
  grouped <- rowsum(counts, group)
  if (nrow(grouped) < 2L) return(c(NA_real_, NA_real_))
  expected <- outer(rowSums(grouped), share)
  statistic <- sum((grouped - expected)^2 / expected)
  c(statistic, stats::pchisq(statistic, nrow(grouped) - 1L, lower.tail = FALSE))
}

# ---- master equation --------------------------------------------------------------------------------------------------------

compare_with_solution <- function(run, solution) {
  check_solution(solution, "b")
  if (is.null(run$tally$cell)) {
    abort_argument(paste(
      "A comparison with a solution of the master equation needs a result of simulate() with output = \"histogram\", or a",
      "summary with `quantiles`; found a summary without them."
    ))
  }
  missing <- setdiff(run$times, solution$times$time)
  if (length(missing) > 0L) {
    abort_argument(sprintf(
      "The solution of the master equation must have the times of the ensemble; found none at %s.",
      some_values(missing, most = 5L)
    ))
  }
  unknown <- setdiff(run$species, colnames(solution$counts))
  if (length(unknown) > 0L) {
    abort_argument(sprintf(
      "The solution of the master equation must have the species of the ensemble; it lacks %s. %s", quote_some(unknown),
      "Choose the species by `observe` of simulate()."
    ))
  }
  exact <- cme_marginals(solution, match(run$species, colnames(solution$counts)))
  lost <- solution$times$missing[match(run$cells$time, solution$times$time)]
  cells <- length(run$cells$at)
  rows <- rows_of_cells(run)
  key <- function(x) paste(match(x$time, run$times), match(x$species, run$species))
  known <- split(seq_along(exact$time), factor(key(exact), key(run$cells))) # without times that the ensemble lacks
  tested <- vapply(seq_len(cells), function(i) {
    goodness_of_fit(run$tally$value[rows[[i]]], run$tally$count[rows[[i]]], exact$count[known[[i]]],
      exact$probability[known[[i]]], lost[[i]])
  }, c(0, 0))
  none <- rep(NA_real_, cells)
  columns <- list(a = none, b = none, statistic = tested[1L, ], p = tested[2L, ])
  comparison_of(run, seq_len(cells), rep("distribution", cells), columns)
}

# Pearson's statistic and its p-value, for the numbers `n` of the counts `value`. Counts that the solution does not list have at
# most the probability `lost` together. The number of trajectories with such a count is compared with the binomial distribution,
# whatever the test of the other counts is, and the smaller p-value is returned.
goodness_of_fit <- function(value, n, count, probability, lost) {
  total <- sum(n)
  at <- match(value, count)
  outside <- sum(n[is.na(at)])
  p_outside <- if (outside > 0) stats::pbinom(outside - 1, total, min(lost, 1), lower.tail = FALSE) else 1
  observed <- numeric(length(count))
  observed[at[!is.na(at)]] <- n[!is.na(at)]
  expected <- probability / sum(probability) * total
  group <- groups_of(expected, 8)
  sums <- rowsum(cbind(observed, expected), group)
  if (nrow(sums) < 2L && length(count) > 1L) { # one count has nearly all the probability: an exact test of this count
    mode <- which.max(probability)
    return(c(NA_real_, min(p_outside, stats::binom.test(observed[[mode]], total, min(1, probability[[mode]]))$p.value)))
  }
  if (nrow(sums) < 2L) return(c(NA_real_, if (outside > 0) p_outside else NA_real_))
  statistic <- sum((sums[, 1L] - sums[, 2L])^2 / sums[, 2L])
  c(statistic, min(p_outside, stats::pchisq(statistic, nrow(sums) - 1L, lower.tail = FALSE)))
}
