# egfr_net (356 species, 3,749 reactions) on a GPU, against another method on the processor: means, variances and distributions of
# all species at three times, with Holm's correction for all tests. FIREFLIP_SHARED must tell where the model is.
#   FOLDER=build/egfr Rscript tests/campaign/egfr.R cpu     simulates the processor's part (about an hour of one core), in pieces
#                                                          that stay in FOLDER; several such processes may share the work
#   FOLDER=build/egfr Rscript tests/campaign/egfr.R        simulates the GPU's part and compares; make campaign CAMPAIGN=egfr
# N is the number of the processor's trajectories (default 1e5) and N_GPU that of the GPU's (default 1e6).
library(fireflip)

skip <- function(why) {
  cat("Skipped:", why, "\n0 passed, 0 failed, 1 skipped\n")
  quit("no")
}
shared <- Sys.getenv("FIREFLIP_SHARED")
backend <- Sys.getenv("FIREFLIP_BACKEND", "cuda")
only_cpu <- identical(commandArgs(TRUE), "cpu")
if (!nzchar(shared)) skip("FIREFLIP_SHARED is not set.")
if (!only_cpu && backend == "cuda" && nrow(subset(backends(), name == "cuda" & usable)) == 0) skip("there is no GPU to use.")
net <- read_bngl_net(file.path(shared, "models", "bngl-nets", "egfr_net.net"))
folder <- Sys.getenv("FOLDER", "build/egfr")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
n <- as.numeric(Sys.getenv("N", "1e5"))
n_gpu <- as.numeric(Sys.getenv("N_GPU", "1e6"))
times <- c(0.05, 0.1, 0.25) # to 0.25, a trajectory has about 71,000 events
parts <- 50

file_of <- function(i) file.path(folder, sprintf("%s-%d.rds", format(n, scientific = FALSE), i))
piece <- function(i) {
  file <- file_of(i)
  if (!file.exists(file)) {
    lock <- paste0(file, ".begun")
    writeLines("", lock)
    sim <- simulate(net, n, seed = 101, times = times, method = "rssa", output = "histogram", threads = 1, backend = "cpu",
      shard = c(i, parts))
    saveRDS(sim, file)
    unlink(lock)
  }
  file
}

if (only_cpu) {
  for (i in sample(parts)) if (!file.exists(paste0(file_of(i), ".begun"))) piece(i)
  quit("no")
}
here <- do.call(c, lapply(vapply(seq_len(parts), piece, ""), readRDS))
took <- system.time(there <- simulate(net, n_gpu, seed = 102, times = times, method = "factored", output = "histogram",
  backend = backend))[["elapsed"]]
cat("backend:", unique(as.data.frame(there, run = TRUE)$backend), "\n")
found <- compare_ensembles(there, here)
cat(sprintf("%d tests of %d species at %d times, %s trajectories in %.1f s against %s by \"rssa\"\n", sum(!is.na(found$p_value)),
  length(unique(found$species)), length(times), format(n_gpu), took, format(n)))
print(found, n = 6, level = 1e-3)
cat("share of p-values below 0.05, by test:\n")
print(tapply(found$p_value < 0.05, found$test, mean, na.rm = TRUE), digits = 2)
failed <- sum(found$adjusted < 1e-3, na.rm = TRUE)
cat(sprintf("%d passed, %d failed\n", sum(!is.na(found$p_value)) - failed, failed))
if (failed > 0) quit("no", status = 1)
