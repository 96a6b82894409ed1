# One random network of the coverage campaign, by its number: what was estimated, what is true.
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
  exact <- steady_state(net, set, method = "exact", reduce = FALSE)$probability
  reduced <- steady_state(net, set, method = "exact", reduce = TRUE)$probability
  got <- tryCatch(
    suppressWarnings(steady_state(net, set, precision = 5e-3, seed = i, layout = layout, reduce = reduce, max_burn_in = 2^15)),
    fireflip_error_convergence = function(e) NULL
  )
  pairs <- network_arrows(net)
  pair <- pairs[draw(8, sample(nrow(pairs), 1)), ]
  exact_pair <- long_run_influence(net, pair$from, pair$to, method = "exact")$influence
  got_pair <- tryCatch(
    suppressWarnings(long_run_influence(net, pair$from, pair$to, precision = 5e-3, seed = i, layout = layout, reduce = reduce, max_burn_in = 2^15)),
    fireflip_error_convergence = function(e) NULL
  )
  if (is.null(got) || is.null(got_pair)) { # the long run depends on the start: no interval is claimed
    return(NULL)
  }
  slack <- 1e-9 # of the exact solver
  held <- function(x, truth) truth >= x$lower - slack && truth <= x$upper + slack
  width <- (got$upper - got$lower) / 2
  data.frame(
    network = i, update = update, dependent = dependent, layout = layout, nodes = nodes, p = p,
    exact = exact, estimate = got$probability, set_held = held(got, exact), influence_held = held(got_pair, exact_pair),
    error = if (width > 0) abs(got$probability - exact) / width else 0,
    precise = width <= 5e-3 * 1.02, reduction_kept = abs(exact - reduced) < 1e-9, seconds = got$seconds
  )
}
