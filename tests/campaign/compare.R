# False differences of compare_ensembles(): how often each test finds one between samples of the same distribution.
#   Rscript tests/campaign/compare.R [RUNS]      # pairs of samples of each case, by default 4000
# Stops with an error if a test finds one at the level 0.05 in more than 6% of the pairs, and 3 standard errors.
suppressMessages(library(fireflip))
arguments <- commandArgs(trailingOnly = TRUE)
runs <- if (length(arguments) > 0L) as.integer(arguments[[1L]]) else 4000L
own <- asNamespace("fireflip")
source("tests/testthat/helper-noise.R") # moments_of()

homogeneity <- function(a, b) {
  vapply(seq_len(ncol(a)), function(i) {
    values <- sort(unique(c(a[, i], b[, i])))
    counts <- function(x) tabulate(match(x, values), length(values))
    own$homogeneity(cbind(counts(a[, i]), counts(b[, i])))[[2L]]
  }, 0)
}

mixture <- function(share) function(n) stats::rpois(n, ifelse(stats::runif(n) < share, 50, 5))
draws <- list(
  "Poisson, mean 0.02" = function(n) stats::rpois(n, 0.02), "Poisson, mean 0.2" = function(n) stats::rpois(n, 0.2),
  "Poisson, mean 1" = function(n) stats::rpois(n, 1), "Poisson, mean 10" = function(n) stats::rpois(n, 10),
  "Poisson, mean 1000" = function(n) stats::rpois(n, 1000), "geometric, mean 20" = function(n) stats::rgeom(n, 1 / 21),
  "bursts, size 0.5, mean 5" = function(n) stats::rnbinom(n, 0.5, mu = 5),
  "bursts, size 0.1, mean 2" = function(n) stats::rnbinom(n, 0.1, mu = 2),
  "0 or 1, p = 0.5" = function(n) stats::rbinom(n, 1, 0.5), "0 or 1, p = 0.1" = function(n) stats::rbinom(n, 1, 0.1),
  "bimodal, 50% high" = mixture(0.5), "bimodal, 5% high" = mixture(0.05), "bimodal, 1% high" = mixture(0.01)
)
sizes <- list(c(30, 30), c(30, 300), c(100, 100), c(100, 1000), c(1000, 1000))
most <- 0.06 + 3 * sqrt(0.06 * 0.94 / runs)
bad <- character()

cat("rate at 0.05 / at 0.001 of the tests of                  mean             variance         distribution\n")
set.seed(1)
for (n in sizes) {
  for (name in names(draws)) {
    a <- matrix(draws[[name]](n[[1L]] * runs), n[[1L]])
    b <- matrix(draws[[name]](n[[2L]] * runs), n[[2L]])
    found <- list(moments_of(a), moments_of(b))
    p <- list(
      mean = own$compare_means(found, n)$p_value, variance = own$compare_variances(found, n)$p_value,
      distribution = homogeneity(a, b)
    )
    rate <- vapply(p, function(one) if (all(is.na(one))) NA_real_ else mean(one < 0.05, na.rm = TRUE), 0)
    small <- vapply(p, function(one) if (all(is.na(one))) NA_real_ else mean(one < 0.001, na.rm = TRUE), 0)
    cat(sprintf("%-26s %4d and %-5d             %s\n", name, n[[1L]], n[[2L]],
      paste(sprintf("%.3f / %.4f", rate, small), collapse = "   ")))
    over <- names(which(rate > most))
    if (length(over) > 0L) bad <- c(bad, sprintf("%s, n = %d and %d: %s", name, n[[1L]], n[[2L]], over))
  }
}
if (length(bad) > 0L) stop("too many false differences:\n", paste(bad, collapse = "\n"))
