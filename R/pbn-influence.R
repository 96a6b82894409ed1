#' Long-run influence of nodes on each other
#'
#' The influence of node k on node i is the long-run probability that flipping the value of k would change the next value of i:
#' the sum over the predictor functions of i of their selection probability times the long-run probability that the value of the
#' function changes if bit k of the state is flipped (Shmulevich et al. 2002). All influences are estimated from one simulation,
#' each with a confidence interval.
#'
#' This is the direct influence of a parent on its child. The influence of a node further upstream is 0 in this sense, even if the
#' child depends on it indirectly. [long_run_sensitivity()] computes the effect of fixing such a node.
#'
#' @param model A network of class `pbn`.
#' @param from,to Names or numbers of nodes. With `NULL` for both (the default), all parent-child pairs. With `to` only, all
#'   parents of these nodes. With `from` only, all their children. With both, all pairs of these nodes; the influence of a node
#'   that is not a parent is 0.
#' @param reduce Whether to remove nodes that do not affect the pairs. Default `TRUE`.
#' @inheritParams steady_state
#' @param precision Requested half-width of the confidence interval, for the pair that needs most samples. Default 0.001.
#' @param method `"auto"`, `"simulation"` or `"exact"`, as in [steady_state()].
#' @param shard `NULL`, or `c(part, parts)`, as in [steady_state()].
#'
#' @returns A data frame of class `long_run_influence` with a row per pair and the columns `from`, `to`, `influence`, `lower`,
#'   `upper`, `visited`, `samples`, `trajectories` and `rhat`. `summary()` and `as.data.frame(run = TRUE)` describe the run, as in
#'   [steady_state()]. `as.matrix()` returns the influence matrix of the nodes in `x`, with rows `from` and columns `to`. If `x`
#'   has all pairs of the network, the sum of a column is the average sensitivity of that node.
#' @section Errors: As for [steady_state()]. It is also an error if no node of the network has a parent.
#' @references Shmulevich I, Dougherty ER, Kim S, Zhang W (2002). Probabilistic Boolean networks: a rule-based uncertainty
#'   model for gene regulatory networks. *Bioinformatics* 18(2), 261-274. \doi{10.1093/bioinformatics/18.2.261}
#'
#' Mizera A, Pang J, Yuan Q (2019). GPU-accelerated steady-state computation of large probabilistic Boolean networks.
#' *Formal Aspects of Computing* 31, 27-46. \doi{10.1007/s00165-018-0470-6}
#' @seealso [influence_analysis()] for influences and probabilities of state sets in one call, [steady_state()],
#'   [long_run_sensitivity()].
#' @concept driver
#' @concept regulator
#' @concept average sensitivity
#' @rdname long_run_influence
#' @export
#' @examples
#' net <- example_model("apoptosis")
#' drivers <- long_run_influence(net, to = "complex2", seed = 1)
#' drivers
#' plot(drivers)
#'
#' small <- set_perturbation(example_model("cellcycle"), 0.01)
#' as.matrix(long_run_influence(small, method = "exact"))
long_run_influence.pbn <- function(model, from = NULL, to = NULL, precision = 1e-3, confidence = 0.95, epsilon = 1e-10,
                                   method = c("auto", "simulation", "exact"), layout = c("auto", "sliced", "packed"),
                                   backend = c("auto", "cpu", "cuda"), threads = NULL, seed = NULL, reduce = TRUE,
                                   max_burn_in = 2^20, on_slow = c("error", "warn"), shard = NULL,
                                   progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  method <- check_choice(method, "method", estimate_methods)
  options <- estimate_options(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout, on_slow, backend, reduce,
    progress)
  pairs <- influence_pairs(model, from, to)
  whole <- model
  if (reduce && any(pairs$arrow)) model <- reduce_to(model, match(unique(pairs$to[pairs$arrow]), model$nodes))
  method <- if (any(pairs$arrow)) settle_method(method, model, backend, layout, shard) else "exact" # there is nothing to simulate
  estimated_influences(model, whole, pairs, options, confidence, method, backend, progress)
}

# `whole`: the network before it was reduced.
estimated_influences <- function(model, whole, pairs, options, confidence, method, backend, progress) {
  exact <- function() exact_long_run_influence(model, whole, pairs, confidence, progress)
  if (method == "exact" && !(explores(model) && any(pairs$arrow))) return(exact())
  result <- estimate_or_explore(model, NULL, pairs, options, method, backend, progress)
  if (!is.null(result$exact)) {
    return(exact_influence_frame(explored_run(model, confidence, result, pairs = pairs, nodes = whole$nodes), result$exact))
  }
  if (method == "exact") return(exact())
  run <- estimate_run(model, NULL, pairs, result$options, confidence, result)
  run$nodes <- whole$nodes
  whole_influences(run, result$moments, result$tiles)
}

# Makes the result, with a warning if it is uncertain.
whole_influences <- function(run, moments, tiles) {
  if (contradicts_known(run, moments, tiles * 1024)) return(exact_influence_frame(known_run(run), run$known))
  out <- influence_frame(run, moments, tiles)
  warn_short_of_precision(out, paste(out$from, "->", out$to))
  warn_of_rare_changes(run, moments, arrow_names(run))
  warn_of_doubt(run)
  out
}

# The pairs that are arrows, as messages name them.
arrow_names <- function(run) with(run$pairs[run$pairs$arrow, ], paste(from, "->", to))

# The requested pairs, and whether each is an arrow of the network.
influence_pairs <- function(model, from, to) {
  arrows <- network_arrows(model)
  if (is.null(from) && is.null(to)) return(pairs_frame(arrows$from, arrows$to, TRUE))
  from <- pair_ends(model, from, "from")
  to <- pair_ends(model, to, "to")
  if (is.null(from) || is.null(to)) {
    found <- arrows[arrows$to %in% to | arrows$from %in% from, ]
    if (nrow(found) == 0L) {
      abort_argument(if (is.null(from)) {
        sprintf("`to` must name at least one node with a parent; found %s without one.", quote_some(to))
      } else {
        sprintf("`from` must name at least one node with a child; found %s without one.", quote_some(from))
      })
    }
    return(pairs_frame(found$from, found$to, TRUE))
  }
  pairs <- expand.grid(from = unique(from), to = unique(to), stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE)
  pairs_frame(pairs$from, pairs$to, paste(match(pairs$from, model$nodes), match(pairs$to, model$nodes)) %in%
    paste(match(arrows$from, model$nodes), match(arrows$to, model$nodes)))
}

# Names of the nodes at one end of the pairs. NULL: any node.
pair_ends <- function(model, nodes, name) {
  if (is.null(nodes)) return(NULL)
  nodes <- model$nodes[check_nodes(model, nodes, name)]
  if (length(nodes) == 0L) abort_argument(sprintf("`%s` must name at least one node, or be NULL; found none.", name))
  nodes
}

pairs_frame <- function(from, to, arrow) {
  if (length(from) == 0L) abort_argument("The network has no parent-child pair.")
  data.frame(from = from, to = to, arrow = arrow)
}

# Rows in the order of the pairs. A pair that is not an arrow has influence 0, with certainty.
influence_frame <- function(run, moments, tiles) {
  chains <- tiles * 1024
  interval <- moment_intervals(moments, chains, run)
  pairs <- run$pairs
  arrow <- which(pairs$arrow)
  spread <- function(x, other) replace(rep(other, nrow(pairs)), arrow, x)
  new_influence(data.frame(
    from = pairs$from, to = pairs$to, influence = spread(interval$mean, 0), lower = spread(interval$lower, 0),
    upper = spread(interval$upper, 0), visited = spread(visited_words(moments[, "visited"], chains), "never"),
    samples = chains * run$window, trajectories = chains, rhat = spread(unname(moments[, "rhat"]), NaN)
  ), run)
}

exact_long_run_influence <- function(model, whole, pairs, confidence, progress) {
  started <- proc.time()[["elapsed"]]
  arrows <- pairs[pairs$arrow, c("from", "to")]
  influence <- if (nrow(arrows) > 0L) exact_influence(model, arrows, progress)$influence else numeric()
  run <- exact_run(model, confidence, proc.time()[["elapsed"]] - started, pairs = pairs, nodes = whole$nodes)
  exact_influence_frame(run, influence)
}

# `of_arrows`: the influences of the pairs that are arrows. The others have influence 0.
exact_influence_frame <- function(run, of_arrows) {
  pairs <- run$pairs
  influence <- replace(numeric(nrow(pairs)), pairs$arrow, of_arrows)
  new_influence(data.frame(
    from = pairs$from, to = pairs$to, influence = influence, lower = influence, upper = influence,
    visited = ifelse(influence == 0, "never", "sometimes"), samples = NA_real_, trajectories = NA_real_, rhat = NA_real_
  ), run)
}

new_influence <- function(x, run) structure(x, class = c("long_run_influence", "data.frame"), run = run)

#' @rdname c.steady_state
#' @export
c.long_run_influence <- function(...) merge_parts(list(...), "long_run_influence", whole_influences)

#' @rdname long_run_influence
#' @param x A result of `long_run_influence()`.
#' @export
as.matrix.long_run_influence <- function(x, ...) {
  run <- attr(x, "run")
  check_estimate(x)
  need_estimate(x, c("from", "to", "influence"))
  if (!is.null(run$runs)) abort_argument("`x` has pairs of several runs; take the matrix of each result by itself.")
  nodes <- run$nodes[run$nodes %in% c(x$from, x$to)]
  out <- matrix(0, length(nodes), length(nodes), dimnames = list(from = nodes, to = nodes))
  arrows <- if (!is.null(run$model)) network_arrows(run$model) # what was not asked for is not known to be 0
  arrows <- arrows[arrows$from %in% nodes & arrows$to %in% nodes, ]
  out[cbind(match(arrows$from, nodes), match(arrows$to, nodes))] <- NA
  if (!all(c(x$from, x$to) %in% nodes)) {
    abort_argument("`x` has pairs of nodes that its run does not have; use the original result.")
  }
  out[cbind(match(x$from, nodes), match(x$to, nodes))] <- x$influence
  out
}
