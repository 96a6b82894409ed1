# Speed of times of first passage, lists of firings and resumed trajectories, for bench/RESULTS.md: Rscript bench/ssa_follow.R. It
# compares GPUs with all cores of the host. Their results must be identical. "passage" is first_passage(), "events" lists all
# firings, "resumed" continues the trajectories of an earlier run, and "plain" is a run without any of these. All of them use the
# method that "auto" chooses for "passage". The columns `gpu` and `cores` are millions of firings per second of a whole call, and
# `times` is their quotient. The first call on the GPU, which compiles, is not counted.
#   SECONDS=1    a call on the processor takes about so long
#   ONLY="egfr_net"   only this network
#   PART=20      "passage" and "plain" have so many times as many trajectories on the GPU as on the processor
library(fireflip)

networks <- list(
  "decay-dimerisation" = list(example_model("decay_dimerisation"), 10, "S3 > 45000"),
  "SIR ring, 3 regions" = list(reaction_model("sir_ring", regions = 3), 50, "I1 + I2 + I3 > 900"),
  "multistate" = list(reaction_model("multistate"), 10, NULL),
  "viral infection" = list(reaction_model("viral_infection"), 200, NULL)
)
egfr <- file.path(Sys.getenv("FIREFLIP_SHARED"), "models", "bngl-nets", "egfr_net.net")
if (file.exists(egfr)) networks[["egfr_net"]] <- list(read_bngl_net(egfr), 0.5, NULL)
if (nzchar(Sys.getenv("ONLY"))) networks <- networks[Sys.getenv("ONLY")]
wanted <- as.numeric(Sys.getenv("SECONDS", "1"))
part <- as.numeric(Sys.getenv("PART", "20"))

# If none is given, a condition that never becomes true: it is checked after each firing, like any other.
condition_of <- function(net, given) if (is.null(given)) sprintf("`%s` > 1e8", species_of(net)[[1L]]) else given
species_of <- function(net) net$species$species

run_of <- function(kind, net, last, until, nsim, backend, method) {
  from <- if (kind == "resumed") {
    simulate(net, nsim, seed = 2, times = last / 2, output = "final", backend = "cpu", method = method)
  }
  took <- system.time(result <- switch(kind,
    passage = first_passage(net, until, nsim, end = last, seed = 1, backend = backend, method = method),
    events = simulate(net, nsim, seed = 1, times = last, output = "events", backend = backend, method = method),
    resumed = simulate(net, nsim, seed = 1, times = last, initial = from, observe = 1, backend = backend, method = method),
    plain = simulate(net, nsim, seed = 1, times = last, observe = 1, backend = backend, method = method)
  ))[["elapsed"]]
  list(seconds = took, numbers = as.data.frame(result), events = attr(result, "run")$events)
}

measure <- function(name, kind) {
  net <- networks[[name]][[1L]]
  last <- networks[[name]][[2L]]
  until <- condition_of(net, networks[[name]][[3L]])
  method <- attr(first_passage(net, until, 2, end = last, seed = 1), "run")$method
  nsim <- if (kind == "events") 2 else 64
  repeat {
    cpu <- run_of(kind, net, last, until, nsim, "cpu", method)
    full <- kind == "events" && cpu$events * 2 > 8e6
    if (cpu$seconds >= wanted / 2 || full || nsim >= 2^22) break
    nsim <- nsim * 2
  }
  same <- identical(run_of(kind, net, last, until, nsim, "cuda", method)$numbers, cpu$numbers)
  n <- if (kind %in% c("events", "resumed")) nsim else nsim * part
  gpu <- run_of(kind, net, last, until, n, "cuda", method)
  data.frame(
    network = name, kind = kind, method = method, trajectories = n, gpu = gpu$events / gpu$seconds / 1e6,
    cores = cpu$events / cpu$seconds / 1e6, times = (gpu$events / gpu$seconds) / (cpu$events / cpu$seconds), identical = same
  )
}

result <- NULL
for (name in names(networks)) {
  for (kind in c("plain", "passage", "events", "resumed")) {
    row <- measure(name, kind)
    result <- rbind(result, row)
    print(row, row.names = FALSE, digits = 3)
  }
}
cat(sprintf("\n%d cores\n", parallel::detectCores()))
print(result, row.names = FALSE, digits = 3)
