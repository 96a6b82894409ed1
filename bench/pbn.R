# Speed of simulation on the processor, in one table: Rscript bench/pbn.R (make bench). Figures are medians of `runs` runs of
# about a second each. A step is one step of one trajectory. Reference figures are those of Mizera, Pang and Yuan (2019) for one
# die of a K80 graphics card. If BoolNet is installed, its stateTransition() is timed in the same run.
library(fireflip)

runs <- as.integer(Sys.getenv("RUNS", "5"))
cores <- fireflip_threads()
simd_best <- c("portable", "avx2", "avx512")[.Call(fireflip:::ffi_machine)$simd + 1]

# Steps per second of the estimator's engine alone, for a program that counts one observable.
speed <- function(net, threads = 1, simd = "auto", layout = "auto", seconds = 1, counted = net$nodes[[1]]) {
  old <- options(fireflip.simd = simd)
  on.exit(options(old))
  one <- function(i) {
    .Call(fireflip:::ffi_engine_speed, net, fireflip:::quote_name(counted), fireflip:::resolve_layout(layout),
      fireflip:::resolve_simd(), as.integer(threads), as.double(i), as.double(seconds))
  }
  median(vapply(seq_len(runs), one, 0))
}

rows <- list()
note <- function(net, what, threads = 1, simd = simd_best, steps, reference = NA_real_, of = "") {
  rows[[length(rows) + 1L]] <<- data.frame(
    network = net, what = what, threads = threads, simd = simd, steps_per_second = steps,
    times_reference = steps / reference, reference = of
  )
  message(sprintf("%-34s %-28s %d thread(s) %-8s %.3g steps/s", net, what, threads, simd, steps))
}

# ---- the apoptosis network, reduced for complex2, p = 0.001 on every node ---------------------------------------------
whole <- set_perturbation(example_model("apoptosis"), 0.001, exempt = character())
whole <- set_initial(whole, NULL)
apoptosis <- reduce_network(whole, of_interest = "complex2")
k80 <- 1.03e8
for (simd in intersect(
  c("avx512", "avx2", "portable"), c("portable", "avx2", "avx512")[seq_len(match(simd_best, c("portable", "avx2", "avx512")))]
)) {
  note("apoptosis reduced, 59 nodes", "sliced", 1, simd, speed(apoptosis, 1, simd), k80, "K80, table layout")
}
note("apoptosis reduced, 59 nodes", "sliced", cores, simd_best, speed(apoptosis, cores), k80, "K80, table layout")
note("apoptosis whole, 95 nodes", "sliced", 1, simd_best, speed(whole), k80, "K80, table layout")
note("apoptosis reduced, 59 nodes", "packed (paper's layout)", 1, "none", speed(apoptosis, layout = "packed"), k80,
  "K80, table layout")

if (requireNamespace("BoolNet", quietly = TRUE)) {
  peer <- as_boolnet(set_perturbation(apoptosis, 0))
  state <- rep(0L, length(apoptosis$nodes))
  boolnet <- median(vapply(seq_len(runs), function(i) {
    n <- 300
    time <- system.time(for (j in seq_len(n)) state <- BoolNet::stateTransition(peer, state, type = "probabilistic"))
    n / time[["elapsed"]]
  }, 0))
  note("apoptosis reduced, 59 nodes", "BoolNet::stateTransition", 1, "none", boolnet, boolnet, "BoolNet")
  note("apoptosis reduced, 59 nodes", "sliced, against BoolNet", 1, simd_best, speed(apoptosis), boolnet, "BoolNet")
}

# ---- random networks ---------------------------------------------------------------------------------------------------
random <- function(nodes, functions, parents, p = 0.001) random_pbn(nodes, functions, parents, perturbation = p, seed = 1)
density <- function(net) summary(net)$density
for (spec in list(
  list(c(1, 3), c(1, 6), 4.6e6, "K80, 1000 nodes, density 7"), list(c(2, 4), c(4, 7), 1.96e6, "K80, 1000 nodes, density 17")
)) {
  net <- random(1000, spec[[1]], spec[[2]])
  name <- sprintf("random, 1000 nodes, density %.1f", density(net))
  note(name, "sliced", 1, simd_best, speed(net), spec[[3]], spec[[4]])
  note(name, "sliced", cores, simd_best, speed(net, cores), spec[[3]], spec[[4]])
  note(name, "packed (paper's layout)", 1, "none", speed(net, layout = "packed"), spec[[3]], spec[[4]])
}
base <- NULL
# p is smaller for larger networks, so that steps with perturbations are about as frequent
for (nodes in c(100, 1000, 10000, 100000)) {
  net <- random(nodes, c(1, 3), c(1, 6), p = 0.1 / nodes)
  steps <- speed(net)
  if (is.null(base)) base <- steps * nodes
  note(sprintf("random, %d nodes, density %.1f", nodes, density(net)), "sliced, per node", 1, simd_best, steps, base / nodes,
    "linear from 100 nodes")
}

# ---- whole calls, as a user sees them ---------------------------------------------------------------------------------
net <- example_model("apoptosis")
table4 <- c("!RIP_deubi & complex1 & FADD", "RIP_deubi & complex1 & FADD", "RIP_deubi & !complex1 & FADD",
  "RIP_deubi & complex1 & !FADD", "complex1 & FADD", "complex1 & !FADD", "!complex1 & FADD")
seven <- steady_state(net, table4, precision = 5e-6, seed = 1)
matrix <- long_run_influence(net, seed = 1, precision = 1e-3)
seconds <- system.time({
  both <- influence_analysis(net, table4, precision = 5e-6, influence_precision = 1e-3, seed = 1)
})[["elapsed"]]
cat(sprintf("\nTable 4, seven probabilities at 5e-6, %d thread(s): %.2f s, %.3g samples ", cores, summary(seven)$seconds,
  seven$samples[[1]]))
cat("(paper: 59.0 s on a K80 die, 6.08e9 samples in seven runs)\n")
cat(sprintf("Influence matrix, %d pairs at 1e-3, %d thread(s): %.2f s, %.3g samples\n", nrow(matrix), cores,
  summary(matrix)$seconds, matrix$samples[[1]]))
cat(sprintf("Both in one call, %d thread(s): %.2f s, %.3g samples; influences within %.2g\n\n", cores, seconds,
  both$states$samples[[1]], max(both$influence$upper - both$influence$lower) / 2))

table <- do.call(rbind, rows)
table$steps_per_second <- signif(table$steps_per_second, 3)
table$times_reference <- signif(table$times_reference, 3)
cat(sprintf("%s, best vectors %s, %d core(s), medians of %d runs\n", R.version$platform, simd_best, cores, runs))
options(width = 200)
print(table, row.names = FALSE, right = FALSE)
