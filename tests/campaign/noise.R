# Coverage of the intervals of noise() and noise_decomposition(), and false alarms of burn_in(), against closed forms.
#   Rscript tests/campaign/noise.R [RUNS]      # samples of each case, by default 2000
# Stops with an error if an interval of 95% holds the true value in less than 90% of the samples.
suppressMessages(library(fireflip))
arguments <- commandArgs(trailingOnly = TRUE)
runs <- if (length(arguments) > 0L) as.integer(arguments[[1L]]) else 2000L
own <- asNamespace("fireflip")
source("tests/testthat/helper-noise.R") # moments_of()
worst <- 1

report <- function(what, limits, truth) {
  lower <- limits[[1L]] > truth
  upper <- limits[[2L]] < truth
  held <- mean(!lower & !upper, na.rm = TRUE)
  worst <<- min(worst, held)
  cat(sprintf(
    "%-44s true %-8.4g held %.3f  above %.3f  below %.3f  none %.3f\n", what, truth, held, mean(lower, na.rm = TRUE),
    mean(upper, na.rm = TRUE), mean(is.na(lower))
  ))
}

ratios <- function(what, net, n, mean, variance) {
  x <- matrix(simulate(net, nsim = n * runs, times = 1, observe = "A", output = "final", seed = 1)$A, n)
  found <- own$noise_ratios(moments_of(x), n, 0.95, FALSE)
  report(sprintf("%s, n = %d, Fano factor", what, n), found[2:3], variance / mean)
  report(sprintf("%s, n = %d, CV^2", what, n), found[5:6], variance / mean^2)
}

for (case in list(c(10, 100), c(1, 200), c(0.02, 1000), c(0.1, 200), c(0.2, 100), c(0.005, 1000), c(100, 1000))) {
  ratios(sprintf("Poisson of mean %g", case[[1L]]), reaction_network("0 -> A" = case[[1L]]), case[[2L]], case[[1L]], case[[1L]])
}
ratios("bursts of 50, mean 2.5", reaction_network("0 -> 50 A" = 0.05), 400, 2.5, 125)
ratios("0 or 1, p = 0.5", reaction_network("A -> 0" = log(2), initial = c(A = 1)), 100, 0.5, 0.25)
ratios("0 or 1, p = 0.1", reaction_network("A -> 0" = log(10), initial = c(A = 1)), 200, 0.1, 0.09)
ratios("binomial of 20, p = 0.5", reaction_network("A -> 0" = log(2), initial = c(A = 20)), 300, 10, 5)
geometric <- reaction_network("A -> 2 A" = log(20), initial = c(A = 1))
for (n in c(100, 300, 3000)) ratios("geometric of mean 20", geometric, n, 20, 380)

parts <- function(what, found, truth) {
  for (part in names(truth)) {
    report(paste0(what, ", ", part), list(found[paste0(part, "_lower"), ], found[paste0(part, "_upper"), ]), truth[[part]])
  }
}
with_total <- function(intrinsic, extrinsic) c(intrinsic = intrinsic, extrinsic = extrinsic, total = intrinsic + extrinsic)

# Reporters that are made at the rate b per molecule of G and decay at the rate 1. G has mean g and decays at the rate k.
dual <- function(g, b, k, n) {
  net <- reaction_network(
    "0 -> G" = g * k, "G -> 0" = k, "G -> G + X" = b, "X -> 0" = 1, "G -> G + Y" = b, "Y -> 0" = 1,
    initial = c(G = g, X = round(b * g), Y = round(b * g))
  )
  cells <- simulate(net, nsim = n * runs, times = 25, observe = c("X", "Y"), output = "final", seed = 3)
  x <- matrix(cells$X, n)
  y <- matrix(cells$Y, n)
  found <- vapply(seq_len(runs), function(i) unlist(own$reporter_noise(x[, i], y[, i], 0.95)), numeric(11))
  parts(sprintf("reporters, G %g, b %g, k %g, n = %d", g, b, k, n), found, with_total(1 / (b * g), 1 / (g * (1 + k))))
}
for (case in list(c(10, 2, 0.5, 300), c(10, 2, 0.5, 100), c(2, 5, 0.5, 300), c(1, 2, 1, 300), c(100, 1, 0.5, 300),
                  c(10, 0.05, 0.5, 500))) {
  do.call(dual, as.list(case))
}

set.seed(5)
sampled <- function(shape, scale, settings, n) {
  theta <- matrix(stats::rgamma(settings * runs, shape, scale = scale), settings)
  found <- vapply(seq_len(runs), function(i) {
    x <- matrix(stats::rpois(n * settings, rep(theta[, i], each = n)), n)
    unlist(own$sampled_settings(moments_of(x), n, 0.95))
  }, numeric(10))
  parts(sprintf("%d settings, shape %g, n = %d", settings, shape, n), found, with_total(1 / (shape * scale), 1 / shape))
}
for (case in list(c(4, 5, 20, 100), c(4, 5, 40, 50), c(16, 1, 20, 100), c(1, 20, 40, 50), c(4, 5, 10, 50),
                  c(1e4, 2e-3, 20, 50))) {
  do.call(sampled, as.list(case))
}

all_of <- function(mean, weights, n) {
  weights <- weights / sum(weights)
  found <- vapply(seq_len(runs), function(i) {
    x <- matrix(stats::rpois(n * length(mean), rep(mean, each = n)), n)
    unlist(own$all_settings(moments_of(x), n, weights, 0.95))
  }, numeric(10))
  centre <- sum(weights * mean)
  truth <- with_total(1 / centre, sum(weights * (mean - centre)^2) / centre^2)
  parts(sprintf("all of %d settings, n = %d", length(mean), n), found, truth)
}
all_of(c(5, 10, 20), c(1, 2, 1), 200)
all_of(c(10, 10, 10), c(1, 1, 1), 200)
all_of(c(10, 10.5), c(1, 1), 100)
all_of(c(1, 3), c(5, 1), 100)
all_of(rep(c(10, 11), 10), rep(1, 20), 100)

net <- reaction_network("0 -> A" = 10, "A -> 0" = 1, initial = c(A = 10))
for (output in c("summary", "histogram", "trajectories")) {
  alarms <- vapply(seq_len(runs %/% 4L), function(seed) {
    any(attr(burn_in(simulate(net, nsim = 200, times = 10:22, seed = seed, output = output), tolerance = 1), "course")$seen)
  }, NA)
  cat(sprintf("burn_in(), false alarms in %d runs, %-12s %.4f (at most 0.05)\n", length(alarms), output, mean(alarms)))
  if (mean(alarms) > 0.05 + 3 * sqrt(0.05 * 0.95 / length(alarms))) stop("too many false alarms")
}
if (worst < 0.9 - 3 * sqrt(0.9 * 0.1 / runs)) stop("an interval holds the true value too rarely")
