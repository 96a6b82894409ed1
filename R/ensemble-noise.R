# Noise of ensembles: Fano factors, squared coefficients of variation, and their decomposition.

#' Noise of the species in an ensemble
#'
#' Gives mean, variance, Fano factor and squared coefficient of variation of each species at each time, with confidence intervals.
#'
#' @param x A result of [`simulate()`][simulate.reaction_network] for a reaction network, with `output = "summary"` or
#'   `"histogram"`. It may lack times and species, whose rows were removed.
#' @param confidence Confidence level of the intervals, above 0 and below 1. By default, that of the run.
#' @param ... Must be empty.
#' @returns A data frame of class `reaction_noise` with a row for each time and species of `x`, ordered by time. Its columns
#'   are `time`, `species`, `mean`, `variance` (between trajectories, with the divisor n - 1), `fano`, `fano_lower` and
#'   `fano_upper` (the variance divided by the mean, in molecules, and its interval), and `cv2`, `cv2_lower` and `cv2_upper` (the
#'   variance divided by the square of the mean, without a unit). `fano` and `cv2` are `NA` if the mean is not above 0. See
#'   [noise-methods].
#'
#'   A Poisson distribution has the Fano factor 1. The squared coefficient of variation is what the literature calls noise, and
#'   [noise_decomposition()] divides it into parts.
#' @section Confidence intervals: The variance of the logarithm of each ratio is computed from the skewness and the kurtosis of
#'   the sample, because the sample's mean and its variance are correlated. The interval is that of a chi-square distribution
#'   whose logarithm has this variance. The variance is taken to be at least 2 / n, that of the Fano factor of a Poisson
#'   distribution, where n is the number of trajectories. This lower limit matters for rare events: a sample often contains no
#'   trajectory with two of them, and without the limit the intervals would be far too short. Because of this limit, the
#'   intervals are wider than necessary for a distribution with little noise, such as that of a species whose count is 0 or 1.
#'
#'   At 95%, the intervals contain the true value in 94% to 100% of cases for Poisson and binomial counts, also rare ones, and in
#'   89% to 94% for the geometric distribution (1,000 samples of 100 to 3,000 trajectories). If a count is 1 in nearly all
#'   trajectories, and 0 in the others, fewer intervals contain the true value: where 1% of the counts were 0, 88% of the
#'   intervals did for 100 trajectories, 91% for 300, and 95% for 1,000. A sample tends to underestimate the kurtosis of a
#'   distribution with a long tail, and cannot show an event that is too rare to have happened in it. The intervals are `NA` for
#'   fewer than 100 trajectories. They are also `NA` if all trajectories have the same count by chance, but not if the network
#'   determines this count, as at time 0.
#' @section Petri nets: For [Petri nets][simulate.petri_net], rows are about places, and the column is `place`. The Fano factor of
#'   a level has the unit of the level. To compare it with 1, the value of a Poisson distribution, multiply it by the number of
#'   molecules in one unit of the level. Or use `cv2`, which has no unit. The least variance of the intervals, 2 / n, is that of
#'   counts. For levels with less noise, intervals are wider than necessary.
#' @section Errors: `fireflip_error_argument` for other objects, and for changed numbers or a part of a histogram's counts.
#' @references Paulsson J (2005). Models of stochastic gene expression. *Physics of Life Reviews* 2(2), 157-175.
#'   \doi{10.1016/j.plrev.2005.03.003}
#' @seealso [noise_decomposition()], [`simulate()`][simulate.reaction_network], [covariances()].
#' @concept Fano factor
#' @concept coefficient of variation
#' @export
#' @examples
#' # proteins are made in bursts of 10, so the Fano factor is above 1
#' net <- reaction_network("0 -> 10 P" = 2, "P -> 0" = 1)
#' sim <- simulate(net, nsim = 1000, times = c(1, 5, 10), seed = 1)
#' noise(sim)
#' plot(noise(sim))
noise <- function(x, confidence = NULL, ...) {
  check_no_more(...)
  if (missing(x)) abort_value("x", "a result of simulate()", x)
  if (inherits(x, "parameter_sweep")) refuse_distribution("noise", "a sweep", ensemble_hint)
  run <- run_of(x)
  if (!kind_of_result(x) %in% output_classes("sums") || is.null(run$tally)) {
    abort_value("x", "a result of simulate() with `output` = \"summary\" or \"histogram\"", x)
  }
  if (is.null(confidence)) confidence <- run$confidence
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  cells <- cells_of_result(x, "`x`")
  found <- cells$found
  columns <- c(
    list(time = cells$time, species = cells$species, mean = found$mean, variance = found$sd^2),
    noise_ratios(found, run$tally$n, confidence, cells$known)
  )
  structure(
    with_items(columns, run),
    class = ensemble_class("noise", run$model), row.names = .set_row_names(length(found$mean)),
    run = c(
      run[intersect(c("nsim", "seed", "times", "species", "item", "colours"), names(run))],
      list(n = run$tally$n, confidence = confidence)
    )
  )
}

# The Fano factor and the squared coefficient of variation with their limits. By the delta method, n times the variance of
# log(variance / mean^p) is (kurtosis - 1) + p^2 cv^2 - 2 p skewness cv, where cv = sd / mean.
noise_ratios <- function(found, n, confidence, known) {
  mean <- ifelse(found$mean > 0, found$mean, NA_real_)
  cv <- found$sd / mean
  limits <- lapply(1:2, function(p) {
    kurtosis <- raised_kurtosis(found$kurtosis, n)
    spread <- (kurtosis - (n - 3) / (n - 1)) + p^2 * cv^2 - 2 * p * found$skewness * cv
    out <- ratio_limits(found$sd^2 / mean^p, spread, n, confidence)
    none <- n < 100 | is.na(found$kurtosis)
    for (side in 1:2) {
      out[[side]][none] <- NA_real_
      if (n > 1) out[[side]][known & !is.na(mean)] <- 0
    }
    out
  })
  list(
    fano = found$sd^2 / mean, fano_lower = limits[[1L]][[1L]], fano_upper = limits[[1L]][[2L]],
    cv2 = cv^2, cv2_lower = limits[[2L]][[1L]], cv2_upper = limits[[2L]][[2L]]
  )
}

# Limits of a positive quantity whose estimate has a logarithm with the variance spread / n. The least spread is 2, as for the
# Fano factor of a Poisson distribution. The term (q / n)^2 is that of sd_interval().
ratio_limits <- function(estimate, spread, n, confidence, least = 2) {
  q <- stats::qnorm((1 + confidence) / 2)
  chi_square_limits(estimate, pmax(spread, least) / n + (q / n)^2, confidence)
}

# Those of a chi-square distribution, divided by its degrees of freedom, whose logarithm has nearly this variance.
chi_square_limits <- function(estimate, variance, confidence) {
  freedom <- 2 / variance
  tail <- (1 - confidence) / 2
  list(
    estimate * freedom / stats::qchisq(tail, freedom, lower.tail = FALSE), estimate * freedom / stats::qchisq(tail, freedom)
  )
}

# ---- decomposition ----------------------------------------------------------------------------------------------------------

#' Intrinsic and extrinsic noise
#'
#' Divides the noise of a species into two parts. The noise is the variance divided by the square of the mean. The intrinsic part
#' arises in the expression of the species itself. The extrinsic part comes from an environment that fluctuates.
#'
#' @section Two reporters: The first way is the experiment of Elowitz et al. (2002), by the formulas of Swain et al. (2002). The
#'   network has two species x and y, the *reporters*, with the same reactions and constants. They share the environment, that
#'   is, all other species, and do not affect it. Then
#'   * intrinsic noise: \eqn{\langle (x - y)^2 \rangle / (2 \langle x \rangle \langle y \rangle)}
#'   * extrinsic noise: \eqn{(\langle x y \rangle - \langle x \rangle \langle y \rangle) / (\langle x \rangle \langle y \rangle)}
#'   * total noise: the sum of both, the squared coefficient of variation of either reporter.
#'
#'   The covariance of the reporters is the variance of the conditional mean of x, given the *history* of the environment
#'   (Hilfinger and Paulsson 2011). So the formulas separate the noise by the history of the environment, not by its present
#'   state. If the reporters affect the environment, or each other, the parts have no such meaning.
#'
#'   `x` is a result for `output = "trajectories"` or `"final"`, or a summary with `covariance = TRUE`. A summary gives estimates
#'   without intervals, because these depend on fourth moments of both reporters together, which it does not have. Giving
#'   `confidence` for a summary is an error.
#' @section A sweep: The second way is the law of total variance. Each setting of a sweep by [sweep_parameters()] is an
#'   environment that does not change in time, such as a cell with its own rate constants or initial counts. The intrinsic part is
#'   the mean over the settings of the variance within a setting. The extrinsic part is the variance over the settings of the
#'   mean, minus the part that is due to the sampling error of these means. So an estimate may be below 0. Both parts are divided
#'   by the square of the mean over all settings.
#'
#'   With `settings = "sample"`, the rows of the design must be independent draws from the distribution of the environment, and
#'   the intervals hold for this distribution: they include the error that arises because the settings are a sample. They come
#'   from the jackknife over settings, and are `NA` for fewer than 10. With `settings = "all"`, the rows are all possible
#'   environments, with the probabilities `weights`, and the intervals include the error of the simulation only.
#'
#' @param x A result of [`simulate()`][simulate.reaction_network] or [sweep_parameters()]; see the sections below. It may lack
#'   settings, times, species and trajectories, whose rows were removed.
#' @param reporters The names of two species of `x`.
#' @param settings `"sample"` (the default) or `"all"`: what the settings of a sweep are.
#' @param weights For `settings = "all"`, a number of at least 0 for each setting, in proportion to its probability. With `NULL`
#'   (the default), all are equal. A setting without rows in `x` has none.
#' @param confidence Confidence level of the intervals, above 0 and below 1. Default 0.95; none for a summary.
#' @param ... Must be empty.
#' @returns A data frame of class `noise_decomposition`, ordered by time. It has a row for each time, and for a sweep one for each
#'   time and species. Its columns are `time`, `species` (for reporters, both names), `mean` (for reporters, of both), and for
#'   each of `intrinsic`, `extrinsic` and `total` a column with the estimate and two with the limits of its interval, such as
#'   `total_lower` and `total_upper`. All parts are `NA` if a mean is not above 0. See [noise-methods].
#' @section Confidence intervals: The intervals of reporters are intervals of means, as in
#'   [`simulate()`][simulate.reaction_network]: each part is nearly a mean over the trajectories. They are `NA` for fewer than 100
#'   trajectories, and for parts that do not vary in the sample. At 95%, they contain the true value in 93% to 96% of cases for
#'   two reporters of a birth-death process and 100 to 500 trajectories. The intervals for a sample of settings contain it in 92%
#'   to 97% of cases for gamma-distributed rates and 10 to 40 settings. The intervals for `settings = "all"` contain it in 92% to
#'   100% of cases; 100% is for an extrinsic part close to 0. For distributions with longer tails, the coverage is lower.
#' @section Warnings: `fireflip_warning_reporters` if the means or the variances of the reporters differ by more than chance
#'   explains (p below 0.001 for all times together). Then they do not have the same reactions, and the formulas do not hold.
#' @section Errors: `fireflip_error_argument` for other objects, for a sweep with `common = TRUE`, whose settings are not
#'   independent, and for one with `output` other than `"summary"` or `"histogram"`.
#' @references Elowitz MB, Levine AJ, Siggia ED, Swain PS (2002). Stochastic gene expression in a single cell. *Science*
#'   297(5584), 1183-1186. \doi{10.1126/science.1070919}
#'
#' Swain PS, Elowitz MB, Siggia ED (2002). Intrinsic and extrinsic contributions to stochasticity in gene expression. *Proceedings
#' of the National Academy of Sciences* 99(20), 12795-12800. \doi{10.1073/pnas.162041399}
#'
#' Hilfinger A, Paulsson J (2011). Separating intrinsic from extrinsic fluctuations in dynamic biological systems. *Proceedings of
#' the National Academy of Sciences* 108(29), 12167-12172. \doi{10.1073/pnas.1018832108}
#'
#' Fu AQ, Pachter L (2016). Estimating intrinsic and extrinsic noise from single-cell gene expression measurements. *Statistical
#' Applications in Genetics and Molecular Biology* 15(6), 447-471. \doi{10.1515/sagmb-2016-0002}
#' @seealso [noise()], [sweep_parameters()], [covariances()].
#' @concept intrinsic noise
#' @concept extrinsic noise
#' @concept dual reporter
#' @export
#' @examples
#' # two reporters of a gene activity that fluctuates
#' net <- reaction_network(
#'   "0 -> G" = 5, "G -> 0" = 0.5, "G -> G + X" = 2, "X -> 0" = 1, "G -> G + Y" = 2, "Y -> 0" = 1
#' )
#' cells <- simulate(net, nsim = 500, times = c(5, 20), output = "trajectories", seed = 1)
#' noise_decomposition(cells, c("X", "Y"))
#'
#' # cells that differ in a rate constant
#' one <- reaction_network("0 -> P" = mass_action("k"), "P -> 0" = 1, parameters = c(k = 20))
#' set.seed(1)
#' design <- data.frame(k = rgamma(40, shape = 4, scale = 5))
#' cells <- sweep_parameters(one, design, nsim = 200, times = 8, seed = 1)
#' noise_decomposition(cells)
noise_decomposition <- function(x, ...) {
  if (missing(x)) abort_value("x", "a result of simulate() or sweep_parameters()", x)
  UseMethod("noise_decomposition")
}

#' @export
noise_decomposition.default <- function(x, ...) {
  abort_value("x", "a result of simulate() for a reaction network, or of sweep_parameters()", x)
}

decomposed <- function(columns, run, confidence, kind) {
  own <- kind == "reporters" || is.null(run$colours)
  structure(
    with_items(columns, run), class = c("noise_decomposition", "data.frame"), row.names = .set_row_names(length(columns$time)),
    run = c(
      run[intersect(c("nsim", "seed", "times", "settings", "item", if (kind != "reporters") "colours"), names(run))],
      list(species = if (own) unique(columns$species) else run$species, confidence = confidence, kind = kind)
    )
  )
}

check_reporters <- function(reporters, known, words = "species") {
  expected <- paste("the names of two", words)
  if (missing(reporters) || !is.character(reporters) || length(reporters) != 2L || anyNA(reporters)) {
    abort_value("reporters", expected, reporters)
  }
  at <- check_known(reporters, "reporters", known, words, owner = "result")
  if (at[[1L]] == at[[2L]]) abort_value("reporters", paste("two different", words), reporters)
  at
}

# ---- two reporters ----------------------------------------------------------------------------------------------------------

#' @rdname noise_decomposition
#' @export
noise_decomposition.ensemble_trajectories <- function(x, reporters, confidence = 0.95, ...) {
  check_no_more(...)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  run <- run_of(x)
  x <- with_species(x)
  known <- species_columns(x, "x")
  reporters <- known[check_reporters(reporters, known, items_of(x))]
  x <- in_run_order(x) # the last bit of a mean depends on the order
  time <- if (kept_final(run)) rep(run$times, nrow(x)) else x$time # some may have stopped before
  times <- sort(unique(time))
  rows <- unname(split(seq_along(time), match(time, times)))
  parts <- lapply(rows, function(at) reporter_noise(x[[reporters[[1L]]]][at], x[[reporters[[2L]]]][at], confidence))
  warn_reporters(vapply(parts, `[[`, 0, "p_value"), times, reporters)
  column <- function(name) vapply(parts, function(part) part[[name]], 0)
  names <- c("mean", noise_columns)
  columns <- c(
    list(time = times, species = rep(paste(reporters, collapse = ", "), length(times))),
    stats::setNames(lapply(names, column), names)
  )
  decomposed(columns, run, confidence, "reporters")
}

noise_parts <- c("intrinsic", "extrinsic", "total")
noise_columns <- paste0(rep(noise_parts, each = 3L), c("", "_lower", "_upper"))

# The parts at one time, from the counts of both reporters. A part is a function of means over the trajectories; `influence` is
# the derivative of that function in the direction of each trajectory, whose mean is 0.
reporter_noise <- function(x, y, confidence) {
  n <- length(x)
  mean <- c(mean(x), mean(y))
  out <- stats::setNames(as.list(rep(NA_real_, 9L)), noise_columns)
  out <- c(list(mean = mean(mean), p_value = same_reporters(x, y)), out)
  if (!all(mean > 0) || n < 2L) return(out)
  square <- mean[[1L]] * mean[[2L]]
  half <- (x - y)^2 / 2
  product <- (x - mean[[1L]]) * (y - mean[[2L]]) * n / (n - 1)
  relative <- (x - mean[[1L]]) / mean[[1L]] + (y - mean[[2L]]) / mean[[2L]]
  values <- list(intrinsic = half, extrinsic = product, total = half + product)
  for (part in noise_parts) {
    top <- mean(values[[part]])
    influence <- (values[[part]] - top - top * relative) / square
    limits <- sample_interval(top / square, influence, confidence)
    if (part != "extrinsic") limits$lower <- pmax(limits$lower, 0)
    out[paste0(part, c("", "_lower", "_upper"))] <- c(top / square, limits$lower, limits$upper)
  }
  out
}

# The interval of mean_interval() for an estimate, from the influence of each trajectory.
sample_interval <- function(estimate, influence, confidence) {
  n <- length(influence)
  second <- mean(influence^2)
  if (n < 100L || second <= 1e-20 * estimate^2) return(list(lower = NA_real_, upper = NA_real_))
  sd <- sqrt(second * n / (n - 1))
  mean_interval(estimate, sd, mean(influence^3) / second^1.5, n, confidence, FALSE)
}

# The smaller p-value of two tests, times 2: the reporters have the same mean, and the same variance.
same_reporters <- function(x, y) {
  n <- length(x)
  if (n < 30L) return(NA_real_)
  different <- list(x - y, (x - mean(x))^2 - (y - mean(y))^2)
  p <- vapply(different, function(d) {
    error <- stats::sd(d) / sqrt(n)
    if (error > 0) 2 * stats::pnorm(-abs(mean(d)) / error) else NA_real_
  }, 0)
  if (all(is.na(p))) NA_real_ else min(1, 2 * min(p, na.rm = TRUE))
}

warn_reporters <- function(p_value, times, reporters) {
  tested <- sum(!is.na(p_value))
  worst <- which.min(p_value)
  if (tested == 0L || p_value[[worst]] * tested >= 1e-3) return(invisible())
  warn("reporters", sprintf(
    paste(
      "\"%s\" and \"%s\" have different means or variances at time %s (p = %.2g); expected two with the same reactions",
      "and constants."
    ), reporters[[1L]], reporters[[2L]], format(times[[worst]]), p_value[[worst]]
  ))
}

#' @rdname noise_decomposition
#' @export
noise_decomposition.ensemble <- function(x, reporters, confidence = NULL, ...) {
  check_no_more(...)
  if (!is.null(confidence)) {
    abort_argument(paste(
      "`confidence` is for intervals, which need the values of each trajectory: simulate(..., output = \"final\") or",
      "\"trajectories\"; found a summary, which does not have the fourth moments of two reporters."
    ))
  }
  run <- run_of(x)
  found <- if (!is.null(run$tally)) .Call(ffi_ensemble_statistics, run$tally)
  if (is.null(found$covariance)) {
    abort_argument(paste(
      "`x` must have covariances, or be trajectories: simulate(..., covariance = TRUE) or simulate(..., output = \"final\");",
      "found a summary without covariances."
    ))
  }
  cells <- cells_of_result(x, "`x`")
  known <- run$species[run$species %in% cells$species]
  two <- match(known[check_reporters(reporters, known, items_of(run))], run$species)
  species <- length(run$species)
  at <- (seq_along(run$times) - 1L) * species
  has_both <- which((at + two[[1L]]) %in% cells$at & (at + two[[2L]]) %in% cells$at)
  if (length(has_both) == 0L) abort_argument("`x` must have both reporters at one time at least; found their rows removed.")
  times <- length(has_both)
  at <- at[has_both]
  pair <- (has_both - 1L) * (species * (species - 1L) / 2L) + (max(two) - 1L) * (max(two) - 2L) / 2L + min(two)
  mean <- lapply(two, function(j) found$mean[at + j])
  variance <- lapply(two, function(j) found$sd[at + j]^2)
  n <- run$tally$n
  square <- ifelse(mean[[1L]] > 0 & mean[[2L]] > 0, mean[[1L]] * mean[[2L]], NA_real_)
  covariance <- found$covariance[pair]
  # the mean of (x - y)^2 over the trajectories, halved
  half <- ((variance[[1L]] + variance[[2L]] - 2 * covariance) * (n - 1) / n + (mean[[1L]] - mean[[2L]])^2) / 2
  none <- rep(NA_real_, times)
  p <- summary_reporters(mean, variance, covariance, n)
  warn_reporters(p, run$times[has_both], run$species[two])
  decomposed(list(
    time = run$times[has_both], species = rep(paste(run$species[two], collapse = ", "), times),
    mean = (mean[[1L]] + mean[[2L]]) / 2,
    intrinsic = half / square, intrinsic_lower = none, intrinsic_upper = none, extrinsic = covariance / square,
    extrinsic_lower = none, extrinsic_upper = none, total = (half + covariance) / square, total_lower = none, total_upper = none
  ), run, confidence, "reporters")
}

# p-values of equal means, from the variance of the difference.
summary_reporters <- function(mean, variance, covariance, n) {
  if (n < 30) return(rep(NA_real_, length(covariance)))
  error <- sqrt(pmax(variance[[1L]] + variance[[2L]] - 2 * covariance, 0) / n)
  ifelse(error > 0, 2 * stats::pnorm(-abs(mean[[1L]] - mean[[2L]]) / error), NA_real_)
}

# ---- settings of a sweep ----------------------------------------------------------------------------------------------------

#' @rdname noise_decomposition
#' @export
noise_decomposition.parameter_sweep <- function(x, settings = c("sample", "all"), weights = NULL, confidence = 0.95, ...) {
  check_no_more(...)
  settings <- check_choice(settings, "settings", c("sample", "all"))
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  run <- run_of(x)
  if (is.null(run$tallies)) {
    abort_argument(sprintf(
      "`x` must be a sweep with `output` = \"summary\" or \"histogram\"; found one with \"%s\".", run$output
    ))
  }
  cells <- cells_of_sweep(x)
  number <- length(cells$settings)
  if (number < 2L) abort_argument("`x` must have at least 2 settings; found 1.")
  if (run$common) {
    abort_argument("`x` has the same random numbers in all settings (`common = TRUE`); the decomposition needs independent ones.")
  }
  weights <- check_weights(weights, settings, number)
  matrix_of <- function(name) matrix(unlist(lapply(cells$found, `[[`, name)), ncol = number)
  moments <- lapply(c(mean = "mean", sd = "sd", skewness = "skewness", kurtosis = "kurtosis"), matrix_of)
  parts <- lapply(seq_len(nrow(moments$mean)), function(i) {
    one <- lapply(moments, function(all) all[i, ])
    if (settings == "sample") sampled_settings(one, run$nsim, confidence) else all_settings(one, run$nsim, weights, confidence)
  })
  names <- c("mean", noise_columns)
  column <- function(name) vapply(parts, function(part) part[[name]], 0)
  columns <- c(list(time = cells$time, species = cells$species), stats::setNames(lapply(names, column), names))
  decomposed(columns, c(run, settings = number), confidence, settings)
}

check_weights <- function(weights, settings, number) {
  if (is.null(weights)) return(rep(1 / number, number))
  if (settings == "sample") abort_argument("`weights` are for `settings` = \"all\"; found them with \"sample\".")
  good <- is.numeric(weights) && !is.object(weights) && length(weights) == number && all(is.finite(weights))
  if (!good || any(weights < 0) || sum(weights) <= 0) {
    abort_value("weights", sprintf("%s of at least 0, not all 0", count_of(number, "number")), weights)
  }
  weights / sum(weights)
}

no_parts <- function(mean) c(list(mean = mean), stats::setNames(as.list(rep(NA_real_, 9L)), noise_columns))

# The variance within settings, and between their means without the error of these means. NULL for a mean that is not above 0.
settings_parts <- function(mean, variance, nsim, weights = rep(1 / length(mean), length(mean)), sample = TRUE) {
  centre <- sum(weights * mean)
  if (!(centre > 0)) return(NULL)
  within <- sum(weights * variance)
  k <- length(mean)
  if (sample) {
    raw <- sum((mean - centre)^2) / (k - 1)
    error <- within / nsim
  } else {
    raw <- sum(weights * (mean - centre)^2)
    error <- sum(weights * (1 - weights) * variance) / nsim
  }
  c(intrinsic = within, extrinsic = raw - error, total = within + raw - error, raw = raw, error = error) / centre^2
}

# Settings that are drawn at random. The errors are those of the jackknife over settings. For the extrinsic part, the jackknife is
# applied to the raw variance of the means, which is never below 0. Its degrees of freedom are at most the number of settings - 1.
sampled_settings <- function(moments, nsim, confidence) {
  mean <- moments$mean
  variance <- moments$sd^2
  out <- no_parts(mean(mean))
  all <- settings_parts(mean, variance, nsim)
  if (is.null(all) || anyNA(all)) return(out)
  out[noise_parts] <- all[noise_parts]
  k <- length(mean)
  left <- lapply(seq_len(k), function(i) settings_parts(mean[-i], variance[-i], nsim))
  if (k < 10L || any(vapply(left, is.null, NA))) return(out)
  left <- do.call(rbind, left)
  wider <- (stats::qt((1 + confidence) / 2, k - 1) / stats::qnorm((1 + confidence) / 2))^2
  for (part in c("intrinsic", "total", "raw")) {
    if (!all(left[, part] > 0)) next
    value <- log(left[, part])
    error <- (k - 1) / k * sum((value - mean(value))^2)
    if (part == "raw") error <- max(error, 2 / (k - 1)) else error <- error * wider
    limits <- if (error > 0) unlist(chi_square_limits(all[[part]], error, confidence)) else c(NA_real_, NA_real_)
    name <- if (part == "raw") "extrinsic" else part
    if (part == "raw") limits <- pmax(limits - all[["error"]], 0)
    out[paste0(name, c("_lower", "_upper"))] <- limits
  }
  out
}

# Settings that are all there are. The moments of each have errors, which are independent between settings.
all_settings <- function(moments, nsim, weights, confidence) {
  mean <- moments$mean
  variance <- moments$sd^2
  centre <- sum(weights * mean)
  out <- no_parts(centre)
  all <- settings_parts(mean, variance, nsim, weights, sample = FALSE)
  if (is.null(all) || anyNA(all)) return(out)
  out[noise_parts] <- all[noise_parts]
  if (nsim < 100 || all[["intrinsic"]] == 0) return(out)
  kurtosis <- ifelse(variance > 0, raised_kurtosis(moments$kurtosis, nsim) - (nsim - 3) / (nsim - 1), 0)
  third <- ifelse(variance > 0, moments$skewness * moments$sd^3, 0)
  # the derivatives of both parts by means and variances of the settings
  by_mean <- function(part) -2 * all[[part]] * weights / centre
  slope <- list(
    intrinsic = list(mean = by_mean("intrinsic"), variance = weights / centre^2),
    extrinsic = list(
      mean = 2 * weights * (mean - centre) / centre^2 + by_mean("extrinsic"),
      variance = -weights * (1 - weights) / nsim / centre^2
    )
  )
  slope$total <- list(
    mean = slope$intrinsic$mean + slope$extrinsic$mean, variance = slope$intrinsic$variance + slope$extrinsic$variance
  )
  curved <- 2 * sum((weights * variance / nsim)^2) / centre^4 # where the means are nearly equal, their squares matter
  for (part in noise_parts) {
    by <- slope[[part]]
    error <- sum(by$mean^2 * variance + by$variance^2 * kurtosis * variance^2 + 2 * by$mean * by$variance * third) / nsim
    limits <- if (part == "extrinsic") {
      pmax(all[[part]] + c(-1, 1) * stats::qnorm((1 + confidence) / 2) * sqrt(error + curved), 0)
    } else {
      unlist(chi_square_limits(all[[part]], (error + curved) / all[[part]]^2, confidence))
    }
    out[paste0(part, c("_lower", "_upper"))] <- limits
  }
  out
}
