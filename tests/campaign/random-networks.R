# The random networks of the coverage campaign: what was estimated, what is true, and whether what was given up had to be.

most_burn_in <- 2^15

# Network number i: one row. What the estimator gave up (a condition of class fireflip_error_convergence) is NA, and `memory`
# says why.
one_network <- function(i) {
  draw <- function(k, expression) { # evaluated after the seed is set, for R's arguments are lazy
    set.seed(i * 100 + k)
    expression
  }
  update <- if (i %% 2 == 0) "synchronous" else "asynchronous"
  dependent <- i %% 5 == 0
  layout <- if (update == "synchronous" && i %% 4 == 0) "sliced" else "packed"
  nodes <- draw(1, sample(3:12, 1))
  p <- draw(2, exp(runif(1, log(1e-3), log(0.1))))
  net <- random_pbn(nodes, functions = c(1, 3), parents = c(1, min(3, nodes)), perturbation = p, seed = i)
  net$update <- update
  net$exempt <- draw(3, runif(nodes) < 0.15) # what stays put is seen by the exact answer and the estimate alike
  if (dependent) {
    counts <- tabulate(net$rules$node, nodes)
    contexts <- draw(4, sapply(counts, function(count) sample.int(count, 4, replace = TRUE)))
    weights <- draw(5, runif(4, 0.1, 1))
    net <- pbn(
      data.frame(node = net$nodes[net$rules$node], predictor = net$rules$predictor), perturbation = p, update = update,
      exempt = net$nodes[net$exempt], contexts = list(probability = weights / sum(weights), predictor = contexts)
    )
  }
  reduce <- i %% 3 != 0
  chosen <- draw(6, sample(net$nodes, min(2, nodes)))
  set <- paste0(draw(7, sample(c("", "!"), length(chosen), TRUE)), chosen, collapse = " & ")
  pairs <- network_arrows(net)
  pair <- pairs[draw(8, sample(nrow(pairs), 1)), ]
  estimate <- function(f, ...) {
    tryCatch(
      suppressWarnings(f(net, ..., precision = 5e-3, seed = i, layout = layout, reduce = reduce, max_burn_in = most_burn_in)),
      fireflip_error_convergence = function(condition) NULL
    )
  }
  of_set <- compare(estimate(steady_state, set), steady_state(net, set, method = "exact", reduce = FALSE), "probability")
  of_pair <- compare(
    estimate(long_run_influence, pair$from, pair$to), long_run_influence(net, pair$from, pair$to, method = "exact"), "influence"
  )
  reduced <- steady_state(net, set, method = "exact", reduce = TRUE)$probability
  data.frame(
    network = i, update = update, dependent = dependent, layout = layout, nodes = nodes, p = p, exempt = sum(net$exempt),
    exact = of_set$exact, estimate = of_set$estimate, set_held = of_set$held, influence_held = of_pair$held,
    error = of_set$error, precise = all(c(of_set$width, of_pair$width) <= 5e-3 * 1.02, na.rm = TRUE),
    reduction_kept = abs(of_set$exact - reduced) < 1e-9,
    memory = max(if (is.na(of_set$held)) chain_memory(net, set), if (is.na(of_pair$held)) chain_memory(net, pair$to), 0)
  )
}

# An estimate (NULL where it was given up) beside the exact answer; the error is in half widths of the interval.
compare <- function(got, exact, column) {
  truth <- exact[[column]]
  if (is.null(got)) return(list(exact = truth, estimate = NA_real_, held = NA, error = NA_real_, width = NA_real_))
  slack <- 1e-9 # of the exact solver
  width <- (got$upper - got$lower) / 2
  list(
    exact = truth, estimate = got[[column]], held = truth >= got$lower - slack && truth <= got$upper + slack, width = width,
    error = if (width > 0) abs(got[[column]] - truth) / width else 0
  )
}

# How many steps the chain of the nodes that matter remembers its start, 1 / |1 - the eigenvalue next to 1|; Inf where the long
# run depends on the start (1 is an eigenvalue twice).
chain_memory <- function(net, of_interest) {
  values <- eigen(transition_matrix(reduce_network(net, of_interest)), only.values = TRUE)$values
  gap <- sort(Mod(1 - values))[[2L]]
  if (gap < 1e-12) Inf else 1 / gap
}

# Networks from number 1 on until of `n` of them nothing was given up.
campaign <- function(n) {
  results <- NULL
  for (i in seq_len(2 * n)) {
    results <- rbind(results, one_network(i))
    if (sum(!given_up(results)) == n) break
  }
  results
}

given_up <- function(results) is.na(results$set_held) | is.na(results$influence_held)

# What was given up had to be: the pilot's last window has most_burn_in / 2 = 16,384 steps and asks for rhat < 1.05. With a
# memory of m steps the means of trajectories have 1 + 2 m / 16,384 of the variance that rhat expects, so that rhat is near
# 1 + m / 16,384: 1.05 at m = 819. Half of it leaves room for the sampling of rhat and for the start, which is not forgotten yet.
had_to_give_up <- function(results) results$memory[given_up(results)] >= 0.05 * (most_burn_in / 2) / 2

# How many may be given up: were all of them misses, coverage would be lower by as much as the test of it lets pass, 2.5%.
may_give_up <- function(n) ceiling(0.025 * n)

print_given_up <- function(results) {
  out <- results[given_up(results), ]
  cat(sprintf("%d of %d networks given up (at most %d may be)\n", nrow(out), nrow(results), may_give_up(nrow(results))))
  if (nrow(out) > 0L) {
    print(out[c("network", "update", "nodes", "exempt", "p", "set_held", "influence_held", "memory")], row.names = FALSE)
  }
}
