# Rscript bench/ssp/memories.R: the first rows of Table II of Park and Gerstlauer (32,768 reactions, 8 and 16 RUs) with other
# memories than the paper's: one field differs from the defaults at a time, but a channel of HBM2 has one rank, too. Prints a
# table in Markdown; bench/ssp/RESULTS.md has it. Takes some 20 s on two cores.
library(fireflip)

net <- reaction_model("aggregation", copies = 4096, sets = 1024, seed = 1)
others <- list(
  "usual" = list(), "HBM2-2000" = list(memory = "HBM2-2000 8Gb x128"),
  "DDR4-2400" = list(memory = "DDR4-2400 8Gb x8"), "2 channels" = list(channels = 2), "4 channels" = list(channels = 4),
  "16 channels" = list(channels = 16), "1 rank" = list(ranks = 1), "2 ranks" = list(ranks = 2)
)
rows <- do.call(rbind, lapply(names(others), function(name) {
  fields <- c(list(net, rus = c(8, 16), optimise = c("paper", "locality"), seed = 1, progress = FALSE), others[[name]])
  data.frame(name = name, do.call(ssp_sweep, fields)[c(
    "rus", "optimise", "throughput", "utilisation", "bottleneck", "bus", "energy_low", "energy_high", "known"
  )])
}))
stopifnot(rows$known)
short <- function(x) format(signif(x, 3), big.mark = ",", scientific = FALSE, drop0trailing = TRUE, trim = TRUE)
each <- function(x, digits) vapply(x, function(v) short(signif(v, digits)), "")
cat("| memory | RUs | compiler | ksteps/s | RUs busy | most wait for | busiest bus | uJ a step |\n")
cat("|---|---|---|---|---|---|---|---|\n")
cat(sprintf(
  "| %s | %d | %s | %s | %.0f%% | %s | %.0f%% | %s to %s |\n", rows$name, rows$rus, rows$optimise, each(rows$throughput / 1e3, 3),
  100 * rows$utilisation, rows$bottleneck, 100 * rows$bus, each(rows$energy_low / 1e3, 3), each(rows$energy_high / 1e3, 3)
), sep = "")
