# Coverage of the intervals on seeded random networks: Rscript tests/campaign/coverage.R, or make campaign.
#
# 300 networks of 3 to 12 nodes: synchronous and asynchronous, independent and dependent, p from 1e-3 to 0.1, with and without
# reduction, some nodes exempt, both layouts. For each, one state set and one influence are estimated and compared with their
# exact values. An honest 95% interval holds the exact value in 285 +- 3.8 of 300 cases; 92.5% to 97.5% are two standard
# deviations. Fails outside.
library(fireflip)

n <- as.integer(Sys.getenv("NETWORKS", "300"))
source("tests/campaign/random-networks.R")
results <- NULL
for (i in seq_len(10 * n)) { # a network whose long run depends on its start gives no interval and does not count
  results <- rbind(results, one_network(i))
  if (NROW(results) == n) break
}
print(aggregate(cbind(set_held, influence_held, precise, reduction_kept) ~ update + dependent + layout, results, mean))
cat(sprintf(
  "%d networks: state sets covered in %.1f%%, influences in %.1f%%; precision kept in %.1f%%; reduction kept exact values in %.1f%%; widest error %.2f half widths\n",
  n, 100 * mean(results$set_held), 100 * mean(results$influence_held), 100 * mean(results$precise),
  100 * mean(results$reduction_kept), max(results$error)
))
inside <- function(held) mean(held) >= 0.925 && mean(held) <= 0.975
stopifnot(inside(results$set_held), inside(results$influence_held), all(results$reduction_kept), all(results$precise))
