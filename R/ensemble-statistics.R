# Statistics of ensembles, from the exact sums that a run keeps in `tally` (see src/rglue/ffi_tally.c). They are computed from
# these sums alone, so merged parts have the statistics of the undivided run.

# The result for output = "summary".
ensemble_of <- function(run) {
  found <- .Call(ffi_ensemble_statistics, run$tally)
  n <- run$tally$n
  known <- run$tally$known
  times <- length(run$times)
  species <- length(run$species)
  mean <- mean_interval(found$mean, found$sd, found$skewness, n, run$confidence, known)
  mean$lower <- at_least_zero(mean$lower, run)
  sd <- sd_interval(found$sd, found$kurtosis, n, run$confidence, known)
  out <- list(
    time = rep(run$times, each = species), species = rep(run$species, times = times), mean = found$mean, lower = mean$lower,
    upper = mean$upper, sd = found$sd, min = found$min, max = found$max
  )
  if (length(run$quantiles) > 0L) out <- c(out, tally_quantiles(run$tally, run$quantiles))
  out <- with_items(c(out, list(sd_lower = sd$lower, sd_upper = sd$upper)), run)
  structure(out, class = ensemble_class("ensemble", run$model), row.names = .set_row_names(times * species), run = run)
}

# The confidence interval of a mean by Hall's transformation, which removes most of the effect of skewness. For the standardised
# mean w = (mean - mu) / sd of n values of skewness g, w + g w^2 / 3 + g^2 w^3 / 27 + g / (6 n) is nearly normal with variance
# 1/n. `known` marks values that are the same in every trajectory by the network's structure.
mean_interval <- function(mean, sd, skewness, n, confidence, known) {
  inverse <- function(t) {
    root <- function(x) sign(x) * abs(x)^(1 / 3)
    g <- skewness
    small <- abs(g) < 1e-4
    g[small] <- 1
    ifelse(small, t, 3 / g * (root(1 + g * (t - g / (6 * n))) - 1))
  }
  q <- if (n == 1) NA_real_ else stats::qt((1 + confidence) / 2, n - 1) / sqrt(n)
  out <- list(lower = mean - sd * inverse(q), upper = mean - sd * inverse(-q))
  same <- is.na(skewness)
  out$lower[same] <- out$upper[same] <- NA_real_
  out$lower[known] <- out$upper[known] <- mean[known]
  out
}

# Lower bounds of means, raised to 0 for counts, and for variables that cannot be negative either.
at_least_zero <- function(lower, run) {
  variables <- names(run$model$variables)
  below <- which(lower < 0)
  species <- run$species[(below - 1L) %% length(run$species) + 1L]
  never <- !species %in% variables
  if (!all(never)) never <- never | species %in% ensemble_engine(run$model)$never_negative(run$model)
  lower[below[never]] <- 0
  lower
}

# The confidence interval of a standard deviation. The variance of the logarithm of a sample's variance is nearly v = (kurtosis -
# (n - 3) / (n - 1)) / n. A chi-square distribution with 2 / v degrees of freedom has nearly this variance of its logarithm. Where
# v is near 0, as for a count that is 1 in half of the trajectories and else 0, the next term of the expansion matters. At the
# limits of the interval, its size is q^2 / n.
sd_interval <- function(sd, kurtosis, n, confidence, known) {
  none <- rep(NA_real_, length(sd))
  out <- list(lower = none, upper = none)
  usual <- !is.na(kurtosis) & n >= 100
  if (any(usual)) {
    k <- raised_kurtosis(kurtosis[usual], n)
    q <- stats::qnorm((1 + confidence) / 2)
    freedom <- 2 / ((k - (n - 3) / (n - 1)) / n + (q / n)^2)
    out$lower[usual] <- sd[usual] * sqrt(freedom / stats::qchisq((1 + confidence) / 2, freedom))
    out$upper[usual] <- sd[usual] * sqrt(freedom / stats::qchisq((1 - confidence) / 2, freedom))
  }
  same <- known & !is.nan(sd) # a variable may be NaN
  if (n > 1) out$lower[same] <- out$upper[same] <- 0
  out
}

# The kurtosis of a sample is too small on average; it is raised as for a normal distribution (Joanes and Gill 1998).
raised_kurtosis <- function(kurtosis, n) {
  if (n < 4) return(kurtosis)
  pmax(kurtosis, 3 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (kurtosis - 3) + 6))
}

# ---- quantiles and histograms ---------------------------------------------------------------------------------------------

check_summary_options <- function(output, quantiles, covariance) {
  check_flag(covariance, "covariance")
  given <- c(quantiles = length(quantiles) > 0L, covariance = covariance)
  if (output != "summary" && any(given)) {
    abort_argument(sprintf(
      "`%s` is for `output` = \"summary\"; found it with \"%s\".", names(given)[given][[1L]], output
    ))
  }
  if (is.null(quantiles)) return(invisible())
  check_probabilities(quantiles, "quantiles")
}

# A list of columns, such as q2.5, with a quantile of each cell of the tally. The least value that at least the part p of all does
# not exceed has the rank ceiling(p n). As in stats::quantile(), p n may exceed a whole number by a few rounding errors.
tally_quantiles <- function(tally, probabilities) {
  last <- !duplicated(tally$cell, fromLast = TRUE)
  below <- c(0, cumsum(tally$count))
  offset <- tally$n * (seq_len(sum(last)) - 1) # each cell has n values
  out <- lapply(probabilities, function(p) {
    rank <- max(1, ceiling(p * tally$n - 4 * .Machine$double.eps * tally$n))
    tally$value[findInterval(offset + rank, below, left.open = TRUE)]
  })
  stats::setNames(out, quantile_names(probabilities))
}

# The result for output = "histogram".
histogram_of <- function(run) {
  tally <- run$tally
  species <- length(run$species)
  out <- list(
    time = run$times[(tally$cell - 1L) %/% species + 1L], species = run$species[(tally$cell - 1L) %% species + 1L],
    count = tally$value, n = tally$count, proportion = tally$count / tally$n
  )
  structure(
    with_items(out, run), class = ensemble_class("histogram", run$model), row.names = .set_row_names(length(tally$cell)),
    run = run
  )
}

# ---- covariances ----------------------------------------------------------------------------------------------------------

#' Covariances of species in an ensemble
#'
#' Gives the covariances and correlations of the species at each time, from a simulation with `covariance = TRUE`.
#'
#' @param x A result of [`simulate()`][simulate.reaction_network] for a reaction network, with `output = "summary"` and
#'   `covariance = TRUE`. It may lack times and species, whose rows were removed.
#' @param ... Not used.
#' @returns A data frame with a row for each time and pair of species of `x`, ordered by time. Its columns are `time`,
#'   `species_1`, `species_2`, `covariance` (with the divisor n - 1, as in [stats::cov()]; `NA` for one trajectory), and
#'   `correlation`, which is `NA` if a species has the same count in all trajectories. The sums are exact, so neither depends on
#'   the number of threads.
#' @section Errors: `fireflip_error_argument` if `x` has no covariances, for instance because it has only one species, and if its
#'   numbers were changed.
#' @seealso [`simulate()`][simulate.reaction_network].
#' @export
#' @examples
#' net <- reaction_network("A <-> B" = c(1, 1), initial = c(A = 20))
#' sim <- simulate(net, nsim = 1000, times = c(0, 1, 5), covariance = TRUE, seed = 1)
#' covariances(sim)
covariances <- function(x, ...) {
  check_no_more(...)
  if (missing(x)) abort_value("x", "a result of simulate(..., covariance = TRUE)", x)
  tally <- if (kind_of_result(x) == "ensemble") run_of(x)$tally
  found <- if (!is.null(tally)) .Call(ffi_ensemble_statistics, tally)
  if (is.null(found$covariance)) {
    abort_argument(sprintf(
      "`x` must be a result of simulate(..., covariance = TRUE)%s.",
      if (kind_of_result(x) != "ensemble") paste("; found", describe(x))
      else if (length(attr(x, "run")$species) == 1L) {
        sprintf(" for at least two %s; found one, whose variance is the square of `sd`", items_of(x))
      }
      else "; found one without covariances"
    ))
  }
  run <- attr(x, "run")
  species <- length(run$species)
  first <- sequence(seq_len(species - 1L))
  second <- rep(seq_len(species)[-1L], seq_len(species - 1L))
  times <- length(run$times)
  row <- rep((seq_len(times) - 1L) * species, each = length(first))
  sd <- found$sd[row + first] * found$sd[row + second]
  out <- data.frame(
    time = rep(run$times, each = length(first)), species_1 = rep(run$species[first], times),
    species_2 = rep(run$species[second], times), covariance = found$covariance,
    correlation = ifelse(!is.na(sd) & sd > 0, pmin(pmax(found$covariance / sd, -1), 1), NA_real_)
  )
  out <- with_items(out, run)
  at <- cells_of_result(x, "`x`")$at
  kept <- (row + first) %in% at & (row + second) %in% at
  if (!any(kept)) abort_argument(sprintf("`x` must have two %s at one time at least; found their rows removed.", items_of(x)))
  out <- out[kept, ]
  rownames(out) <- NULL
  out
}
