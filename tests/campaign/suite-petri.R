# All cases of the stochastic SBML test suite as Petri nets: make campaign CAMPAIGN=suite-petri. Each case is simulated as the
# reaction network that it is converted to, whose numbers must be identical to those of the reaction network that is read, and
# with method = "exact", which never converts; four cases also as nets in ANDL. FIREFLIP_SHARED names the folder that has the
# suite in dsmts/. N is the number of trajectories (10,000), SEED the seed; CASES="1 5" runs these cases only. As in suite.R, a
# run with more than one miss is made again with ten times as many trajectories and another seed. Some ten minutes on one core.
library(fireflip)
source("tests/testthat/helper-suite.R")

folder <- file.path(Sys.getenv("FIREFLIP_SHARED"), "dsmts")
if (!dir.exists(folder)) stop("FIREFLIP_SHARED must name a folder with the suite in dsmts/")
n <- as.numeric(Sys.getenv("N", "1e4"))
seed <- as.numeric(Sys.getenv("SEED", "1"))
cases <- sprintf("%05d", as.integer(strsplit(Sys.getenv("CASES", paste(1:39, collapse = " ")), " +")[[1L]]))
passed <- once <- runs <- same <- 0

is_fine <- function(found) max(found[c("mean", "sd")]) <= 1 && found[["unequal"]] == 0
misses <- function(case, what, net, n, seed) {
  took <- system.time(found <- suite_misses(folder, case, n, seed, "exact", net))[["elapsed"]]
  cat(sprintf(
    "%s, %s, n = %g: %d of the means and %d of the standard deviations are missed, %d rows differ (%.1f s)%s\n", case, what, n,
    found[["mean"]], found[["sd"]], found[["unequal"]], took, if (is_fine(found)) "" else "  <- look into it"
  ))
  found
}

for (case in cases) {
  file <- file.path(folder, case, paste0(case, "-sbml-l3v1.xml"))
  net <- read_sbml(file, as = "petri_net")
  times <- utils::read.csv(file.path(folder, case, paste0(case, "-results.csv")), check.names = FALSE)$time
  summaries <- lapply(list(net, read_sbml(file)), function(model) {
    as.list(simulate(model, nsim = n, times = times, seed = seed))[c("time", "mean", "sd", "min", "max")]
  })
  is_same <- identical(summaries[[1L]], summaries[[2L]])
  if (!is_same) cat(sprintf("%s: converted, the numbers differ from those of the reaction network\n", case))
  same <- same + is_same
  nets <- list(net, if (case %in% names(suite_andl)) suite_andl_net(case))
  for (k in which(lengths(nets) > 0L)) {
    what <- c("SBML", "ANDL")[[k]]
    found <- misses(case, what, nets[[k]], n, seed)
    again <- if (!is_fine(found)) misses(case, what, nets[[k]], 10 * n, seed + 1)
    runs <- runs + 1
    once <- once + is_fine(found)
    passed <- passed + (is.null(again) || is_fine(again))
  }
}
cat(sprintf(
  "%d of %d cases are identical when converted; %d of %d exact runs pass at n = %g, and %d after a look at n = %g\n", same,
  length(cases), once, runs, n, passed, 10 * n
))
if (same < length(cases) || passed < runs) quit(status = 1)
