# Samples and intervals for tests of noise and of comparisons.

# Moments of many samples in the columns of a matrix, as ffi_ensemble_statistics gives them.
moments_of <- function(x) {
  centred <- sweep(x, 2L, colMeans(x))
  second <- colMeans(centred^2)
  list(
    mean = colMeans(x), sd = sqrt(second * nrow(x) / (nrow(x) - 1)), skewness = colMeans(centred^3) / second^1.5,
    kurtosis = colMeans(centred^4) / second^2
  )
}

held <- function(limits, truth) mean(limits[[1L]] <= truth & truth <= limits[[2L]], na.rm = TRUE)

# The share of `runs` intervals that may hold the true value if each does with the probability p: 3 standard errors are allowed.
least <- function(p, runs) p - 3 * sqrt(p * (1 - p) / runs)
