# Speed of ensembles of reaction networks on GPUs, for bench/RESULTS.md: Rscript bench/ssa_gpu.R (make bench-ssa-gpu),
# some minutes on a machine with a GPU. Speeds are millions of events per second. "call" refers to the time of a whole call of
# simulate(): the second call, whose code is in the cache; "first" is the time of the first call in seconds, which compiles it.
# "kernels" refers to the time in which kernels run. One core and all cores are those of this machine, by the method that
# method = "auto" chooses there; they simulate fewer trajectories. Writes build/ssa-gpu.csv.
#   NETWORKS=ring Rscript bench/ssa_gpu.R   only networks whose name matches
library(fireflip)

# A network, the method (NULL: that of "auto"), trajectories on the GPU, and on one core, and the last time.
networks <- list(
  list("decay-dimerisation", example_model("decay_dimerisation"), NULL, 2^20, 256, 10),
  list("multistate", reaction_model("multistate"), NULL, 2^22, 1024, 10),
  list("multisite", reaction_model("multisite"), NULL, 2^20, 64, 10),
  list("multisite, the paper's time", reaction_model("multisite"), NULL, 2^20, 64, 4),
  list("SIR ring, 3 regions", reaction_model("sir_ring", regions = 3), NULL, 2^22, 8192, 50),
  list("SIR ring, 10 regions", reaction_model("sir_ring", regions = 10), NULL, 2^21, 1024, 50),
  list("SIR ring, 100 regions", reaction_model("sir_ring", regions = 100), NULL, 2^18, 64, 50),
  list("SIR ring, 100, the paper's time", reaction_model("sir_ring", regions = 100), NULL, 2^20, 64, 10),
  list("receptor, 4,103 species", reaction_model("receptor"), NULL, 2^16, 64, 20),
  list("cyclic chain, 10,000 species", reaction_model("cyclic_chain", species = 1e4), NULL, 2^14, 16, 20),
  list("cyclic chain, 1e6 species", reaction_model("cyclic_chain", species = 1e6), "logarithmic_direct", 2^12, 16, 0.2),
  list("colloid, 40 species", reaction_model("colloid", species = 40), NULL, 2^18, 512, 10),
  list("colloid, 252 species", reaction_model("colloid", species = 252), "logarithmic_direct", 2^14, 64, 0.5),
  list("random, 1,024 reactions", reaction_model("random", species = 1024, reactions = 1024, seed = 1), "logarithmic_direct",
    2^16, 32, 2e-3)
)
egfr <- file.path(Sys.getenv("FIREFLIP_SHARED"), "models", "bngl-nets", "egfr_net.net")
if (file.exists(egfr)) networks <- append(networks, list(list("egfr_net", read_bngl_net(egfr), NULL, 2^16, 32, 4)), 4)
only <- Sys.getenv("NETWORKS")
if (nzchar(only)) networks <- Filter(function(one) grepl(only, one[[1L]]), networks)

# c(events, seconds of the call) and, on a GPU, what summary() says of the device.
call_of <- function(net, nsim, last, method, backend, threads = 1) {
  method <- if (is.null(method)) "auto" else method
  took <- system.time(sim <- simulate(net, nsim, seed = 1, times = c(0, last), observe = 1, method = method, backend = backend,
    threads = threads))[["elapsed"]]
  about <- summary(sim)
  list(events = about$events, seconds = took, device = about$device, method = about$method)
}
speed <- function(call) call$events / call$seconds / 1e6

cores <- fireflip_threads()
head <- c("network", "method", "kernel", "call", "kernels", "first s", "one core", "times", sprintf("%d cores", cores), "times")
row <- function(...) cat(mapply(formatC, c(...), width = c(28, 20, 10, 10, 10, 8, 9, 7, 9, 7), flag = "-"), "\n")
do.call(row, as.list(head))
result <- NULL
for (one in networks) {
  net <- one[[2L]]
  first <- call_of(net, one[[4L]], one[[6L]], one[[3L]], "cuda")
  second <- call_of(net, one[[4L]], one[[6L]], one[[3L]], "cuda")
  one_core <- call_of(net, one[[5L]], one[[6L]], NULL, "cpu")
  all_cores <- call_of(net, one[[5L]] * cores, one[[6L]], NULL, "cpu", cores)
  kernels <- second$events / second$device$seconds / 1e6
  found <- data.frame(
    network = one[[1L]], method = second$method, kernel = second$device$kernel, trajectories = one[[4L]], events = second$events,
    call = speed(second), kernels = kernels, first_seconds = first$seconds, one_core = speed(one_core),
    all_cores = speed(all_cores)
  )
  result <- rbind(result, found)
  do.call(row, c(found[1:3], signif(unlist(found[6:7]), 3), signif(found$first_seconds, 3), signif(found$one_core, 3),
    round(found$call / found$one_core), signif(found$all_cores, 3), signif(found$call / found$all_cores, 3)))
}
dir.create("build", showWarnings = FALSE)
utils::write.csv(result, "build/ssa-gpu.csv", row.names = FALSE)
