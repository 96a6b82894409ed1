# Speed of exact simulation of reaction networks on one core, in one table: Rscript bench/ssa.R (make bench-ssa). Figures are
# medians of `runs` calls, in millions of events per second. The reference is bench/plain_ssa.c, a plain C program with a
# dependency graph, which is compiled and run here. All simulate the same networks to the same time. Times of fireflip are those
# of whole calls of simulate(), with two times of observation.
library(fireflip)

runs <- as.integer(Sys.getenv("RUNS", "3"))
best <- c("portable", "avx2", "avx512")[.Call(fireflip:::ffi_machine)$simd + 1]

source("bench/write_plain.R")

plain <- file.path(tempdir(), "plain_ssa")
compiler <- Sys.getenv("CC", "gcc")
stopifnot(system2(compiler, c("-std=gnu11", "-O3", "-march=native", "-o", plain, "bench/plain_ssa.c", "-lm")) == 0)

plain_speed <- function(file, nsim, time) {
  found <- scan(text = system2(plain, c(file, nsim, time), stdout = TRUE), quiet = TRUE)
  found[[1L]] / found[[2L]] / 1e6
}

# The events and the seconds of a call.
one_call <- function(net, nsim, time, method, simd) {
  old <- options(fireflip.simd = simd)
  on.exit(options(old))
  took <- system.time(sim <- simulate(
    net, nsim = nsim, times = c(0, time), output = "summary", method = method, threads = 1, seed = 1, observe = 1
  ))[["elapsed"]]
  c(attr(sim, "run")$events, took)
}

# If `after` is not 0, the events and seconds of a call to this time are subtracted: those of the set-up of a very large network.
fireflip_speed <- function(net, nsim, time, after, method, simd) {
  found <- one_call(net, nsim, time, method, simd)
  if (after > 0) found <- found - one_call(net, nsim, after, method, simd)
  found[[1L]] / found[[2L]] / 1e6
}

# A network, the number of trajectories (a multiple of the lanes of the engines), the time, and the time to subtract. Networks of
# BioNetGen are read if FIREFLIP_SHARED names the folder that has them.
networks <- list(
  list("decay-dimerisation", example_model("decay_dimerisation"), 256, 10),
  list("multistate", reaction_model("multistate"), 1024, 10),
  list("multisite", reaction_model("multisite"), 128, 10),
  list("SIR ring, 3 regions", reaction_model("sir_ring", regions = 3), 4000, 50),
  list("SIR ring, 10 regions", reaction_model("sir_ring", regions = 10), 1000, 50),
  list("SIR ring, 100 regions", reaction_model("sir_ring", regions = 100), 100, 50),
  list("colloid, 10 species", reaction_model("colloid", species = 10), 50000, 10),
  list("colloid, 40 species", reaction_model("colloid", species = 40), 4000, 10),
  list("colloid, 252 species", reaction_model("colloid", species = 252), 64, 2),
  list("colloid, 1,000 species", reaction_model("colloid", species = 1000), 16, 0.05, 1e-6),
  list("random, 1,024 reactions", reaction_model("random", species = 1024, reactions = 1024, seed = 1), 16, 2e-3),
  list("cyclic chain, 10,000 species", reaction_model("cyclic_chain", species = 1e4), 64, 40),
  list("cyclic chain, 1e6 species", reaction_model("cyclic_chain", species = 1e6), 16, 3, 0.01),
  list("receptor, 4,103 species", reaction_model("receptor"), 512, 20)
)
shared <- Sys.getenv("FIREFLIP_SHARED")
egfr <- file.path(shared, "models", "bngl-nets", "egfr_net.net")
if (nzchar(shared) && file.exists(egfr)) {
  networks[[length(networks) + 1L]] <- list("egfr_net", read_bngl_net(egfr), 64, 4)
}
only <- Sys.getenv("NETWORKS")
if (nzchar(only)) networks <- Filter(function(one) grepl(only, one[[1L]]), networks)

row <- function(...) cat(mapply(formatC, c(...), width = c(28, 10, 20, 9, 11, 8, 6), flag = "-"), "\n")
row("network", "reactions", "method", "vectors", "M events/s", "plain C", "ratio")
for (one in networks) {
  file <- tempfile()
  after <- if (length(one) > 4L) one[[5L]] else 0
  write_plain(one[[2L]], file)
  reactions <- nrow(one[[2L]]$reactions)
  until <- one[[4L]] * min(1, 5000 / reactions) # the plain program searches all reactions at each event
  reference <- median(replicate(runs, plain_speed(file, max(1, one[[3L]] / 16), until)))
  methods <- strsplit(Sys.getenv("METHODS", "auto,direct,logarithmic_direct,factored"), ",")[[1L]]
  if (reactions > 5000) methods <- setdiff(methods, "direct")
  for (method in methods) {
    for (simd in if (method == "auto") unique(c("portable", "avx2", best)) else best) {
      speed <- median(replicate(runs, fireflip_speed(one[[2L]], one[[3L]], one[[4L]], after, method, simd)))
      row(one[[1L]], reactions, method, simd, signif(speed, 3), signif(reference, 3), signif(speed / reference, 3))
    }
  }
}
