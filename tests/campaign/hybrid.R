# Compares hybrid Petri nets with closed forms: make campaign CAMPAIGN=hybrid, or Rscript tests/campaign/hybrid.R
#
# N (1e6) trajectories of each net, with each integrator of ours; a tenth of them by the method "paper", and a hundredth with
# CVODE, if it is there, which takes ten times as long for a firing. A comparison fails if its p-value is below 1e-3 divided by the
# number of comparisons, so that all pass with a probability of 0.999 if all laws are right. Prints a row for each.
# BACKEND=cuda has a GPU simulate all trajectories but those of the method "paper" and of CVODE, which are left out.
library(fireflip)

backend <- Sys.getenv("BACKEND", "cpu")

most <- n <- as.integer(as.double(Sys.getenv("N", "1e6")))
rows <- list()
compare <- function(what, p) {
  rows[[length(rows) + 1L]] <<- data.frame(what = what, method = method, integrator = integrator, n = n, p = p)
}
# A test of Kolmogorov and Smirnov whose distances are not blurred by ties: times and levels are doubles.
same_law <- function(what, x, cdf) compare(what, suppressWarnings(stats::ks.test(x, cdf)$p.value))
same_share <- function(what, hits, of, share) compare(what, stats::binom.test(hits, of, share)$p.value)
same_mean <- function(what, x, mean) {
  compare(what, 2 * stats::pnorm(-abs(base::mean(x) - mean) / (stats::sd(x) / sqrt(length(x)))))
}
# The variance of the sample variance follows from the fourth moment.
same_variance <- function(what, x, variance) {
  d <- (x - base::mean(x))^2
  compare(what, 2 * stats::pnorm(-abs(base::mean(d) - variance) / (stats::sd(d) / sqrt(length(x)))))
}
final <- function(net, last, seed, ...) {
  simulate(
    net, nsim = n, times = last, seed = seed, output = "final", method = method, integrator = integrator, progress = FALSE,
    backend = backend, ...
  )
}
firings <- function(net, last, seed, ...) {
  simulate(
    net, nsim = n, times = last, seed = seed, output = "events", method = method, integrator = integrator, progress = FALSE,
    backend = backend, ...
  )
}

# The hazard a x, where x decays from x0 at rate c. With probability exp(-a x0 / c) it never fires. GPUs also give it from sums
# alone, of 33 times as many trajectories: with N=3e6, to four digits after the point.
first_firing <- function(a = 1.5, x0 = 2, c = 1.25, last = 40) {
  net <- petri_net("x -> 0" = flow("c * x"), "ready -> done" = mass_action("a * x"), continuous = "x",
    initial = c(x = x0, ready = 1), parameters = c(a = a, c = c))
  if (backend == "cuda") {
    sums <- simulate(net, nsim = 33L * n, times = last, seed = 11, integrator = integrator, progress = FALSE, backend = backend)
    never <- with(as.data.frame(sums), mean[place == "ready"])
    cat(sprintf("%s: %.6f of %d trajectories never fire; expected %.6f\n", integrator, never, 33L * n, exp(-a * x0 / c)))
    same_share("first firing: never, 33 n", round(never * 33L * n), 33L * n, exp(-a * x0 / c))
  }
  fired <- firings(net, last, 1)
  cumulative <- function(t) 1 - exp(-a * x0 / c * (1 - exp(-c * t)))
  same_share("first firing: ever", nrow(fired), n, cumulative(last))
  same_law("first firing: when", fired$time, function(t) cumulative(t) / cumulative(last))
}

# The protein of a gene that is switched on and off has a beta distribution.
gene <- function(on = 1.5, off = 2.5, decay = 1) {
  net <- petri_net("off <-> on" = c(on, off), "0 -> protein" = flow("on"), "protein -> 0" = flow("decay * protein"),
    initial = c(off = 1), continuous = "protein", parameters = c(decay = decay))
  same_law("gene: protein", final(net, 30, 2)$protein, function(x) stats::pbeta(x, on / decay, off / decay))
}

# x grows with the time and is reset at rate x: the times in between have a Rayleigh distribution.
growth <- function() {
  net <- petri_net("0 -> x" = flow("1"), renew = transition("0 -> 0", rate = "x", reset = "x"), continuous = "x")
  fired <- firings(net, 3, 3)
  first <- fired$time[!duplicated(fired$trajectory)]
  cumulative <- function(t) 1 - exp(-t^2 / 2)
  same_share("growth: before time 3", length(first), n, cumulative(3))
  same_law("growth: first interval", first, function(t) cumulative(t) / cumulative(3))
  # the age at a late time has the density exp(-x^2 / 2) sqrt(2 / pi)
  same_law("growth: age", final(net, 20, 4)$x, function(x) 2 * stats::pnorm(x) - 1)
}

# Jumps of height h into a place that decays.
shots <- function(rate = 3, h = 0.7, decay = 0.5, last = 2) {
  net <- petri_net(jump = transition("0 -> 0.7 x", rate = rate), "x -> 0" = flow("decay * x"), continuous = "x",
    parameters = c(decay = decay))
  x <- final(net, last, 5)$x
  same_mean("shots: mean", x, rate * h / decay * (1 - exp(-decay * last)))
  same_variance("shots: variance", x, rate * h^2 / (2 * decay) * (1 - exp(-2 * decay * last)))
}

# M/D/1: the mean number is that of Pollaczek and Khinchin. D/M/1: an arrival finds a geometric number.
queues <- function(load = 0.6, service = 2) {
  md1 <- petri_net("0 -> queue" = 0.6, start = transition("queue + idle -> busy", weight = 1),
    serve = transition("busy -> idle", delay = 1), initial = c(idle = 1))
  x <- final(md1, 200, 6)
  number <- x$queue + x$busy
  same_mean("M/D/1: mean", number, load + load^2 / (2 * (1 - load)))
  same_share("M/D/1: empty", sum(number == 0), n, 1 - load)
  dm1 <- petri_net(arrive = transition("0 -> queue", at = c(1, 1, Inf)), leave = transition("queue -> 0", rate = "service * (queue > 0)"),
    parameters = c(service = service))
  root <- stats::uniroot(function(s) s - exp(-service * (1 - s)), c(0, 0.99), tol = 1e-14)$root
  before <- final(dm1, 200 - 1e-9, 7)$queue
  same_share("D/M/1: finds nothing", sum(before == 0), n, 1 - root)
  same_share("D/M/1: finds at most one", sum(before <= 1), n, 1 - root^2)
}

choices <- function() {
  race <- petri_net(wait = transition("a -> slow", delay = 0.8), "a -> fast" = 1.3, initial = c(a = 1))
  same_share("race", sum(final(race, 5, 8)$fast), n, 1 - exp(-1.3 * 0.8))
  weights <- petri_net("start -> a" = 1, one = transition("a -> b", weight = 1), two = transition("a -> c", weight = "2.5"),
    initial = c(start = 1))
  same_share("weights", sum(final(weights, 60, 9)$c), n, 2.5 / 3.5) # hardly any waits for so long
}

# Where all rates are linear, the mean does not depend on what is counted and what flows.
means <- function(last = 3) {
  kinds <- list(
    M = petri_net("0 -> M" = flow(5), "M -> 0" = flow("0.9 * M"), "0 -> P" = "2 * M", "P -> 0" = 0.5, continuous = "M"),
    P = petri_net("0 -> M" = 5, "M -> 0" = 0.9, "0 -> P" = flow("2 * M"), "P -> 0" = flow("0.5 * P"), continuous = "P"),
    neither = petri_net("0 -> M" = 5, "M -> 0" = 0.9, "0 -> P" = "2 * M", "P -> 0" = 0.5)
  )
  limit <- 5 / 0.9
  mean_of <- c(
    M = limit * (1 - exp(-0.9 * last)),
    P = 2 * limit * ((1 - exp(-0.5 * last)) / 0.5 - (exp(-0.5 * last) - exp(-0.9 * last)) / (0.9 - 0.5))
  )
  for (kind in names(kinds)) {
    x <- final(kinds[[kind]], last, 10)
    for (place in setdiff(names(mean_of), if (kind == "M") "M")) {
      same_mean(sprintf("linear, %s flows: mean of %s", kind, place), x[[place]], mean_of[[place]])
    }
    if (kind == "M") stopifnot(abs(x$M - mean_of[["M"]]) < 1e-4)
  }
}

has_cvode <- tryCatch({
  simulate(petri_model("gene"), times = 1, integrator = "cvode", seed = 1)
  TRUE
}, fireflip_error_unsupported = function(e) FALSE)
runs <- expand.grid(
  integrator = c("dormand_prince", "rosenbrock", "auto", if (has_cvode) "cvode"), method = c("exact", "paper"),
  stringsAsFactors = FALSE
)
if (backend == "cuda") runs <- runs[runs$integrator != "cvode" & runs$method == "exact", ]
for (run in seq_len(nrow(runs))) {
  integrator <- runs$integrator[[run]]
  method <- runs$method[[run]]
  n <- most %/% if (integrator == "cvode") 100L else if (method == "paper") 10L else 1L
  first_firing()
  gene()
  growth()
  shots()
  if (integrator == "auto") queues()
  if (integrator == "auto") choices()
  means()
}
rows <- do.call(rbind, rows)
rows$ok <- rows$p >= 1e-3 / nrow(rows)
print(rows, row.names = FALSE, digits = 3)
if (!all(rows$ok)) stop(sum(!rows$ok), " of ", nrow(rows), " comparisons with closed forms fail")
