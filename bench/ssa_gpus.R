# Speed of reaction networks on several GPUs, for bench/NOTES.md: Rscript bench/ssa_gpus.R, on a machine that has them. Each network
# is simulated for some seconds by one GPU, then by all, and by the clock of whole calls; results must be identical.
#   SECONDS=6   on one GPU. Times of the networks are short enough that a GPU simulates several trajectories one after the other.
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
gpus <- subset(backends(), name == "cuda" & usable)$index
if (length(gpus) < 2L) stop("This measurement needs two GPUs, and there are ", length(gpus), ".")
wanted <- as.numeric(Sys.getenv("SECONDS", "6"))

run <- function(net, nsim, last, devices) {
  old <- options(fireflip.devices = devices)
  on.exit(options(old))
  took <- system.time(sim <- simulate(net, nsim, seed = 1, times = c(0, last), observe = 1, backend = "cuda"))[["elapsed"]]
  list(seconds = took, numbers = as.data.frame(sim), events = summary(sim)$events)
}

result <- NULL
for (name in names(networks)) {
  net <- networks[[name]][[1L]]
  last <- networks[[name]][[2L]]
  nsim <- 2^16
  run(net, nsim, last, gpus) # compiles
  one <- run(net, nsim, last, gpus[[1L]])
  nsim <- round(nsim * max(1, wanted / one$seconds))
  one <- run(net, nsim, last, gpus[[1L]])
  all <- run(net, nsim, last, gpus)
  again <- run(net, nsim, last, gpus[[1L]])
  row <- data.frame(
    network = name, trajectories = nsim, one = one$seconds, again = again$seconds, all = all$seconds,
    times = min(one$seconds, again$seconds) / all$seconds, events_per_second = all$events / all$seconds,
    identical = identical(one$numbers, all$numbers) && identical(one$events, all$events)
  )
  result <- rbind(result, row)
  print(row, row.names = FALSE, digits = 3)
}
cat(sprintf("\n%d GPUs\n", length(gpus)))
print(result, row.names = FALSE, digits = 3)
