# All cases of the stochastic SBML test suite with a million trajectories: make campaign CAMPAIGN=suite. FIREFLIP_SHARED names the
# folder that has the suite in dsmts/. N is the number of trajectories and SEED the seed. The suite's rule: one miss a case is
# fine; more must be looked into. With FIREFLIP_BACKEND=cuda, all cases run on a GPU.
library(fireflip)
source("tests/testthat/helper-suite.R")

folder <- file.path(Sys.getenv("FIREFLIP_SHARED"), "dsmts")
if (!dir.exists(folder)) stop("FIREFLIP_SHARED must name a folder with the suite in dsmts/")
n <- as.numeric(Sys.getenv("N", "1e6"))
seed <- as.numeric(Sys.getenv("SEED", "1"))
passed <- on_gpu <- 0
for (case in sprintf("%05d", 1:39)) {
  took <- system.time(found <- suite_misses(folder, case, n, seed))[["elapsed"]]
  fine <- max(found[c("mean", "sd")]) <= 1 && found[["unequal"]] == 0
  passed <- passed + fine
  on_gpu <- on_gpu + (attr(found, "backend") == "cuda")
  cat(sprintf(
    "%s: %d of the means and %d of the standard deviations are missed, %d rows differ (%s, %.1f s)%s\n", case, found[["mean"]],
    found[["sd"]], found[["unequal"]], attr(found, "backend"), took, if (fine) "" else "  <- look into it"
  ))
}
cat(sprintf("%d of 39 cases pass at n = %g, %d of them on a GPU\n", passed, n, on_gpu))
if (passed < 39) quit(status = 1)
