# Exact simulation, explicit and implicit tau-leaping of stiff networks: Rscript bench/leaping.R
# A <-> B is fast, and B -> C is slow. Molecules are independent, so means and standard deviations are known exactly: the table
# has the ratios of those found to them, for C, which is slow, and for A, which is fast. Environment: RUNS, the number of
# trajectories (default 200), and MOST, the largest number of exact events of a row (default 1e8). Rows that would take long
# are left out. One thread.
library(fireflip)

runs <- as.numeric(Sys.getenv("RUNS", "200"))
most <- as.numeric(Sys.getenv("MOST", "1e8"))

one_molecule <- function(fast, time) {
  moves <- eigen(matrix(c(-fast, fast, fast, -fast - 1), 2L), symmetric = TRUE)
  p <- drop(moves$vectors %*% (exp(moves$values * time) * t(moves$vectors))[, 1L])
  c(A = p[[1L]], B = p[[2L]], C = 1 - sum(p))
}

measure <- function(molecules, fast, method) {
  net <- reaction_network("A <-> B" = c(fast, fast), "B -> C" = 1, initial = c(A = molecules))
  took <- system.time(sim <- simulate(net, nsim = runs, times = 1, method = method, threads = 1, seed = 1))[["elapsed"]]
  p <- one_molecule(fast, 1)
  mean <- sim$mean / (molecules * p)
  sd <- sim$sd / sqrt(molecules * p * (1 - p))
  data.frame(
    molecules = molecules, fast = fast, method = method, seconds = signif(took, 3), mean_C = round(mean[[3L]], 4),
    sd_C = round(sd[[3L]], 3), mean_A = round(mean[[1L]], 4), sd_A = round(sd[[1L]], 3)
  )
}

table <- NULL
for (molecules in c(1e3, 1e5)) {
  for (fast in 10^(2:6)) {
    methods <- c(
      if (molecules * fast * 0.8 * runs <= most) "direct", if (fast / min(molecules, 1e4) <= 1) "tau_leaping",
      "implicit_tau_leaping"
    )
    for (method in methods) table <- rbind(table, measure(molecules, fast, method))
  }
}
print(table, row.names = FALSE)
error <- signif(c(1.2 / sqrt(1e3 * runs), 1 / sqrt(2 * runs)), 1)
cat("Standard errors: of mean_C", error[[1L]], "for 1,000 molecules; of sd", error[[2L]], "\n")
