# Speed of reaction networks on several GPUs, for bench/RESULTS.md: Rscript bench/ssa_gpus.R. Each network is simulated by one
# GPU, then by all, and by the clock of whole calls; results must be identical. On a machine with one GPU, half of the
# trajectories take the place of two GPUs: "times" is then a bound of what two GPUs reach. It contains what GPUs do not share,
# which is set-up and the last trajectories of each, but not what they wait for each other.
#   SECONDS=6   that a call on one GPU takes, about. Times of the networks are short enough that a GPU simulates several
#               trajectories one after the other.
#   NETWORKS="decay-dimerisation;egfr_net"   only these
library(fireflip)

networks <- list(
  "decay-dimerisation" = list(example_model("decay_dimerisation"), 10),
  "multistate" = list(reaction_model("multistate"), 10),
  "multisite" = list(reaction_model("multisite"), 10),
  "SIR ring, 100 regions" = list(reaction_model("sir_ring", regions = 100), 50),
  "cyclic chain, 10,000 species" = list(reaction_model("cyclic_chain", species = 1e4), 1)
)
egfr <- file.path(Sys.getenv("FIREFLIP_SHARED"), "models", "bngl-nets", "egfr_net.net")
if (file.exists(egfr)) networks[["egfr_net"]] <- list(read_bngl_net(egfr), 0.5)
only <- Sys.getenv("NETWORKS")
if (nzchar(only)) networks <- networks[strsplit(only, ";")[[1L]]]
gpus <- subset(backends(), name == "cuda" & usable)$index
if (length(gpus) == 0L) stop("This measurement needs a GPU.")
wanted <- as.numeric(Sys.getenv("SECONDS", "6"))

run <- function(net, nsim, last, devices) {
  old <- options(fireflip.devices = devices)
  on.exit(options(old))
  took <- system.time(sim <- simulate(net, nsim, seed = 1, times = c(0, last), observe = 1, backend = "cuda"))[["elapsed"]]
  list(seconds = took, numbers = as.data.frame(sim), events = summary(sim)$events)
}

# So many trajectories that one GPU takes about as long as wanted. Short calls contain much set-up, so several are needed.
enough_trajectories <- function(net, last) {
  nsim <- 2^16
  run(net, nsim, last, gpus[[1L]]) # compiles
  repeat {
    took <- run(net, nsim, last, gpus[[1L]])$seconds
    if (took >= wanted / 4 || nsim >= 2^26) return(round(nsim * max(1, wanted / took)))
    nsim <- nsim * 2^min(4, ceiling(log2(wanted / 2 / took)))
  }
}

result <- NULL
for (name in names(networks)) {
  net <- networks[[name]][[1L]]
  last <- networks[[name]][[2L]]
  nsim <- enough_trajectories(net, last)
  several <- length(gpus) > 1L
  if (several) run(net, ceiling(nsim / 8), last, gpus) # each GPU loads its code
  one <- run(net, nsim, last, gpus[[1L]])
  all <- run(net, if (several) nsim else ceiling(nsim / 2), last, gpus)
  again <- run(net, nsim, last, gpus[[1L]])
  row <- data.frame(
    network = name, trajectories = nsim, one = one$seconds, again = again$seconds, all = all$seconds,
    times = min(one$seconds, again$seconds) / all$seconds, events_per_second = one$events / one$seconds,
    identical = identical(one$numbers, (if (several) all else again)$numbers)
  )
  result <- rbind(result, row)
  print(row, row.names = FALSE, digits = 3)
}
cat(sprintf("\n%d GPUs%s\n", length(gpus), if (several) "" else "; \"all\" is the time for half of the trajectories"))
print(result, row.names = FALSE, digits = 3)
