# Counts that need more than 16 bits although rate equations predict fewer, on GPUs and on the processor: all results must be
# identical. If many trajectories have such counts, all run again on the GPU, in 32 bits. Needs a GPU.
# make campaign CAMPAIGN=larger-counts: NETWORKS is the number of random networks (30), SEED the first one, and N the number of
# trajectories (40000), which should be at least 40000 for each GPU.
library(fireflip)

usable <- subset(backends(), name == "cuda" & usable)
if (nrow(usable) == 0) {
  cat("Skipped: there is no GPU to use.\n0 passed, 0 failed, 1 skipped\n")
  quit("no")
}
networks <- as.integer(Sys.getenv("NETWORKS", "30"))
options(fireflip.kernel = "generated") # only generated code has counts of 16 bits
first <- as.integer(Sys.getenv("SEED", "1"))
n <- as.numeric(Sys.getenv("N", "40000"))

# Rate equations leave out a law that is not mass action. It makes A once C is gone, at another time in each trajectory.
bursts <- function() {
  species <- c("A", "B", "C", sprintf("S%d", seq_len(sample(1:12, 1L))))
  some <- function() sample(species, 1L)
  others <- setdiff(species, "C")
  random <- replicate(sample(2:15, 1L), switch(sample(5L, 1L),
    paste(sample(others, 1L), "->", sample(others, 1L)), paste(sample(others, 1L), "+ B ->", sample(others, 1L)),
    paste("2 B ->", sample(others, 1L)), paste(some(), "->", some(), "+ B"), paste(sample(others, 1L), "-> 0")))
  random <- unique(random)
  rates <- as.list(signif(runif(length(random), 0.001, 0.05), 3L))
  by <- sample(c(5L, 20L, 60L), 1L)
  law <- sprintf("%d * (C == 0)", as.integer(1e5 / by))
  reactions <- c(stats::setNames(list(law, 1), c(sprintf("0 -> %d A", by), "C -> B")), stats::setNames(rates, random))
  named <- species[species %in% unlist(strsplit(names(reactions), "[^A-Z0-9]+"))]
  counts <- stats::setNames(sample(0:30, length(named), replace = TRUE), named)
  counts[["C"]] <- sample(1:3, 1L)
  list(net = do.call(reaction_network, c(reactions, list(initial = counts))), times = c(0.3, 1, 2.5))
}

# Each molecule doubles: the mean is what rate equations say, and the distribution is nearly geometric.
growth <- function() {
  kinds <- sample(2:3, 1L)
  names <- sprintf("A%d", seq_len(kinds))
  exchange <- signif(runif(kinds, 0.2, 1), 2L)
  reactions <- c(
    stats::setNames(rep(list(1), kinds), sprintf("%s -> 2 %s", names, names)),
    stats::setNames(as.list(exchange), sprintf("%s -> %s", names, c(names[-1L], names[[1L]])))
  )
  counts <- stats::setNames(c(1, rep(0, kinds - 1L)), names)
  end <- log(runif(1, 20000, 32000))
  list(net = do.call(reaction_network, c(reactions, list(initial = counts))), times = c(end / 2, end))
}

# Growth in a ring of equal modules, in which one molecule begins.
rings <- function() {
  regions <- sample(c(8L, 20L, 60L), 1L)
  here <- seq_len(regions)
  after <- c(here[-1L], 1L)
  reactions <- c(
    stats::setNames(rep(list(1), regions), sprintf("X%d -> 2 X%d", here, here)),
    stats::setNames(rep(list(0.001), regions), sprintf("X%d -> X%d", here, after)),
    stats::setNames(rep(list(0.5), regions), sprintf("X%d -> Y%d", here, here)),
    stats::setNames(rep(list(0.7), regions), sprintf("Y%d -> X%d", here, here))
  )
  counts <- stats::setNames(rep(c(1, 0), c(1L, 2L * regions - 1L)), c(sprintf("X%d", here), sprintf("Y%d", here)))
  end <- log(runif(1, 30000, 60000)) / 0.79
  list(net = do.call(reaction_network, c(reactions, list(initial = counts))), times = c(end / 2, end))
}

passed <- failed <- 0
check <- function(what, make) {
  here <- make("cpu")
  took <- system.time(there <- make("cuda"))[["elapsed"]]
  same <- identical(here, there)
  passed <<- passed + same
  failed <<- failed + !same
  if (!same) cat("DIFFERS:", what, "\n")
  list(sim = there, took = took)
}

again <- refused <- 0
for (i in first + seq_len(networks) - 1L) {
  set.seed(i)
  example <- switch(i %% 3L + 1L, bursts(), growth(), rings())
  run <- function(..., nsim = n) {
    given <- list(example$net, nsim, seed = i, times = example$times, method = "factored", ...)
    function(backend) do.call(simulate, c(given, backend = backend))
  }
  observe <- head(example$net$species$species, 6L)
  found <- check(sprintf("network %d, means", i), run(covariance = length(observe) > 1L, observe = observe))
  device <- summary(found$sim)$device
  most <- max(as.data.frame(found$sim)$max)
  again <- again + (most > 65535 && device$refused == 0)
  refused <- refused + device$refused
  check(sprintf("network %d, histogram", i), run(observe = observe[[1L]], output = "histogram"))
  check(sprintf("network %d, trajectories", i), run(observe = observe, output = "trajectories", nsim = 12000))
  check(sprintf("network %d, final", i), run(observe = observe, output = "final"))
  check(sprintf("network %d, quantiles", i), run(observe = observe, quantiles = c(0.1, 0.9)))
  cat(sprintf("network %d (%s): largest count %.0f, %.0f trajectories on the processor, kernel %s, %.2f s\n", i,
    c("bursts", "growth", "ring")[[i %% 3L + 1L]], most, device$refused, device$kernel, found$took))
}
cat(sprintf("%d of %d networks ran on the GPU alone with more than 16 bits; the processor simulated %.0f trajectories\n", again,
  networks, refused))
cat(sprintf("%d passed, %d failed\n", passed, failed))
if (failed > 0 || again == 0) quit("no", status = 1)
