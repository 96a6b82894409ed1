# All cases of the stochastic SBML test suite with a million trajectories: make campaign CAMPAIGN=suite. FIREFLIP_SHARED names the
# folder that has the suite in dsmts/. N is the number of trajectories and SEED the seed. The suite's rule: one miss a case is
# fine; more must be looked into. So a run with more is made again with ten times as many trajectories and another seed. With
# FIREFLIP_BACKEND=cuda, all cases run on a GPU, but for methods without a kernel. METHODS=exact runs each case by every exact
# method that can simulate it, for instance with N=1e4, on one core in about an hour and a half; METHODS="rssa pdm" by these.
# CASES="1 5" runs these cases only.
library(fireflip)
source("tests/testthat/helper-suite.R")

folder <- file.path(Sys.getenv("FIREFLIP_SHARED"), "dsmts")
if (!dir.exists(folder)) stop("FIREFLIP_SHARED must name a folder with the suite in dsmts/")
n <- as.numeric(Sys.getenv("N", "1e6"))
seed <- as.numeric(Sys.getenv("SEED", "1"))
words <- function(name, default) strsplit(Sys.getenv(name, default), " +")[[1L]]
methods <- words("METHODS", "auto")
if (identical(methods, "exact")) methods <- with(ssa_methods(), method[exact])
cases <- sprintf("%05d", as.integer(words("CASES", paste(1:39, collapse = " "))))
passed <- once <- runs <- on_gpu <- refused <- 0

is_fine <- function(found) max(found[c("mean", "sd")]) <= 1 && found[["unequal"]] == 0
# NULL if the method cannot simulate the case.
misses <- function(case, n, seed, method) {
  took <- system.time(
    found <- tryCatch(suite_misses(folder, case, n, seed, method), fireflip_error_unsupported = function(e) NULL)
  )[["elapsed"]]
  if (is.null(found)) return(NULL)
  cat(sprintf(
    "%s, %s, n = %g: %d of the means and %d of the standard deviations are missed, %d rows differ (%s, %.1f s)%s\n", case, method,
    n, found[["mean"]], found[["sd"]], found[["unequal"]], attr(found, "backend"), took,
    if (is_fine(found)) "" else "  <- look into it"
  ))
  found
}

for (case in cases) {
  for (method in methods) {
    found <- misses(case, n, seed, method)
    if (is.null(found)) {
      cat(sprintf("%s: %s cannot simulate it\n", case, method))
      refused <- refused + 1
      next
    }
    again <- if (!is_fine(found)) misses(case, 10 * n, seed + 1, method)
    runs <- runs + 1
    once <- once + is_fine(found)
    passed <- passed + (is.null(again) || is_fine(again))
    on_gpu <- on_gpu + (attr(found, "backend") == "cuda")
  }
}
cat(sprintf(
  "%d of %d runs of %d cases pass at n = %g (%d on a GPU), and %d after a look at n = %g; %d runs are unsupported\n", once, runs,
  length(cases), n, on_gpu, passed, 10 * n, refused
))
if (runs == 0 || passed < runs) quit(status = 1)
