# Speed of hybrid Petri nets on one core, for bench/RESULTS-nets.md: Rscript bench/hybrid.R, some minutes. Prints tables.
#
# Times are medians of RUNS (5) runs. "Lone" is one trajectory, "ensemble" one of many, with one thread. The peer is lsodar of the
# package deSolve, with the integrated hazard as a state, its threshold as a root, and an event that lets a transition fire: the
# serial algorithm of ELansary et al. in compiled code with functions of R.
library(fireflip)

runs <- as.integer(Sys.getenv("RUNS", "5"))
median_of <- function(call) stats::median(replicate(runs, system.time(call())[["elapsed"]]))
events_of <- function(...) summary(simulate(..., threads = 1))$events

# Microseconds an event: all that a call takes, from the net in R to its result.
event_time <- function(net, nsim, last) {
  events <- events_of(net, nsim = nsim, times = last, seed = 1)
  median_of(function() simulate(net, nsim = nsim, times = last, seed = 1, threads = 1)) / events * 1e6
}

# ---- small nets -----------------------------------------------------------------------------------------------------------

small <- list(
  list("on/off gene", petri_model("gene"), 40000), list("Hill feedback", petri_model("hill"), 10000),
  list("calcium cell", petri_model("calcium", nx = 1, ny = 1), 200), list("growth, reset at rate x", petri_model("growth"), 40000)
)
small <- do.call(rbind, lapply(small, function(one) {
  data.frame(net = one[[1L]], lone = event_time(one[[2L]], 1, one[[3L]]),
    ensemble = event_time(one[[2L]], 640, one[[3L]] / 20))
}))
cat("\nMicroseconds an event, relative tolerance 1e-6\n")
print(small, row.names = FALSE, digits = 3)

# ---- random nets ----------------------------------------------------------------------------------------------------------

# One or two switches, one to three levels: rates of switching are constant, proportional to a level, or Hill functions of it; a
# level is made at a rate that a switch or another level tells, and decays, or a firing sets it to 0.
random_net <- function(seed) {
  set.seed(seed)
  n_switches <- sample(2L, 1L)
  n_levels <- sample(3L, 1L)
  level <- paste0("x", seq_len(n_levels))
  number <- function(low, high) format(stats::runif(1L, low, high), digits = 3)
  rate <- function() {
    x <- sample(level, 1L)
    switch(sample(3L, 1L), number(0.5, 3), sprintf("%s * %s", number(0.2, 1), x),
      sprintf("%s + %s * %s^2 / (%s + %s^2)", number(0.2, 1), number(1, 4), x, number(1, 9), x))
  }
  switches <- unlist(lapply(seq_len(n_switches), function(i) {
    stats::setNames(list(transition(sprintf("off%d -> on%d", i, i), rate = sprintf("off%d * (%s)", i, rate())),
      transition(sprintf("on%d -> off%d", i, i), rate = sprintf("on%d * (%s)", i, rate()))), paste0(c("open", "shut"), i))
  }), recursive = FALSE)
  flows <- unlist(lapply(seq_len(n_levels), function(i) {
    from <- if (i == 1L || stats::runif(1L) < 0.5) sprintf("%s * on%d + 0.2", number(2, 6), sample(n_switches, 1L)) else
      sprintf("%s * %s / (1 + 0.2 * %s)", number(0.5, 2), level[[i - 1L]], level[[i - 1L]])
    stats::setNames(list(transition(sprintf("0 -> %s", level[[i]]), flow = from),
      transition(sprintf("%s -> 0", level[[i]]), flow = mass_action(number(0.5, 2)))), paste0(c("make", "decay"), i))
  }), recursive = FALSE)
  resets <- if (stats::runif(1L) < 0.3)
    list(divide = transition("0 -> divisions", rate = sprintf("0.3 * %s", level[[1L]]), reset = level[[1L]]))
  do.call(petri_net, c(switches, flows, resets, list(continuous = level,
    initial = stats::setNames(rep(1, n_switches), paste0("off", seq_len(n_switches))))))
}

operations <- function(net) {
  rows <- as.data.frame(net)
  sum(lengths(regmatches(rows$number, gregexpr("[-+*/^]", rows$number))), rows$law == "mass action")
}

random <- do.call(rbind, lapply(1:20, function(seed) {
  net <- random_net(seed)
  data.frame(net = seed, levels = sum(net$places$continuous), operations = operations(net), lone = event_time(net, 1, 10000),
    ensemble = event_time(net, 640, 300))
}))
random$an_operation <- random$ensemble / random$operations
cat("\nMicroseconds an event of random nets, and of an ensemble for each operation in their formulas\n")
print(random, row.names = FALSE, digits = 3)

# ---- the peer ---------------------------------------------------------------------------------------------------------------

# The on/off gene: on and off at constant rates, and a protein that flows.
peer_gene <- function(last, on = 1.5, off = 2.5) {
  threshold <- stats::rexp(1)
  fired <- 0
  slopes <- function(t, y, parameters) list(c(y[[3L]] - y[[1L]], if (y[[3L]] == 1) off else on, 0))
  reaches <- function(t, y, parameters) y[[2L]] - threshold
  fires <- function(t, y, parameters) {
    fired <<- fired + 1
    threshold <<- stats::rexp(1)
    c(y[[1L]], 0, 1 - y[[3L]])
  }
  took <- system.time(deSolve::lsodar(c(protein = 0, hazard = 0, on = 0), c(0, last), slopes, NULL, rootfunc = reaches,
    events = list(func = fires, root = TRUE), rtol = 1e-6, atol = 1e-9))[["elapsed"]]
  took / fired * 1e6
}
if (requireNamespace("deSolve", quietly = TRUE)) {
  set.seed(1)
  peer <- stats::median(replicate(runs, peer_gene(50)))
  cat(sprintf("\non/off gene, lsodar of deSolve %s: %.3g us an event, %.3g times as long as a lone trajectory\n",
    utils::packageVersion("deSolve"), peer, peer / small$lone[[1L]]))
}

# ---- grids of calcium cells -------------------------------------------------------------------------------------------------

# The sizes of Table I of ELansary et al., as cells of 10 places, and its printed speed-ups.
sizes <- data.frame(nx = c(1, 2, 5, 10, 20, 25, 50, 100, 100, 100), ny = c(1, 5, 10, 10, 25, 40, 100, 100, 150, 200),
  printed = c(1.33, 4.5, 8.2, 11.3, 14, 14.1, 15.5, 15.7, 16.5, 17))
sizes$places <- 10 * sizes$nx * sizes$ny
# A longer and a very short run: what both need before the first firing does not count. Longer and longer runs are tried, until
# one takes SECONDS (1) more. "paper" is the serial algorithm of the paper.
enough <- as.numeric(Sys.getenv("SECONDS", "1"))
firing_time <- function(nx, ny, method) {
  if (nx * ny == 1 && method == "windows") return(NA) # a single part
  net <- petri_model("calcium", nx = nx, ny = ny, channels = "stationary", seed = 1)
  run <- function(last) {
    took <- system.time(out <- simulate(net, times = last, seed = 1, observe = 1, threads = 1, method = method))[["elapsed"]]
    c(seconds = took, events = summary(out)$events)
  }
  last <- c(2, 200) / (480 * nx * ny)
  none <- run(last[[1L]])
  repeat {
    by <- run(last[[2L]]) - none
    if (by[["seconds"]] >= enough) return(by[["seconds"]] / by[["events"]] * 1e6)
    last[[2L]] <- last[[2L]] * min(10, max(2, 1.5 * enough / by[["seconds"]]))
  }
}
for (method in c("paper", "exact", "windows")) sizes[[method]] <- mapply(firing_time, sizes$nx, sizes$ny, method)
sizes$gain <- sizes$paper / sizes$windows
cat("\nMicroseconds a firing of a grid of calcium cells; printed: speed-up of the GPU in Table I\n")
print(sizes[c("places", "paper", "exact", "windows", "gain", "printed")], row.names = FALSE, digits = 3)
