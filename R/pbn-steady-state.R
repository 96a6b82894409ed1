#' Steady-state probabilities of state sets
#'
#' Estimates the long-run probability that the state of a network is in each of several state sets. All probabilities come from
#' one simulation of many trajectories, each with a confidence interval. For small networks they are computed exactly.
#'
#' @section Method:
#' `method = "simulation"` follows the parallel two-state Markov chain approach of Mizera, Pang and Yuan. First, a pilot run of a
#' few thousand trajectories measures how long the network depends on its initial state and how many samples the precision takes.
#' Then a new run simulates and counts. Trajectories are not stored. The standard error is computed from the spread between the
#' means of independent trajectories. It is therefore valid for any pattern of visits to a set, for instance if visits are clumped
#' or periodic. If a set is visited rarely, this spread may miss long visits. In this case, the standard error of the two-state
#' model is used if it is larger, and the number of samples is limited to the number of independent observations.
#'
#' The pilot lasts at least about as long as it takes until a node is perturbed once, and until the rarest predictor function is
#' selected once. A set may change quickly and still depend on a slow node that it does not name. The pilot therefore monitors
#' other quantities as well: all nodes that affect the sets (up to 4,096, or 32 if the layout is `"packed"`; those in feedback
#' loops first), the exclusive or of some pairs of nodes, and some predictor functions of three or more parents.
#'
#' A run may miss a part of the state space that is entered rarely but then kept for a long time. Each interval is therefore
#' widened by a bound on the share of time that would be spent there. To compute it, 1,024 more trajectories with very different
#' initial states measure for how many steps a set depends on the initial state. This is done in networks of fewer than 500 nodes
#' whose long run does not depend on the initial state. For most sets the interval becomes only a little wider. It becomes much
#' wider for a set that trajectories usually leave quickly but in which they sometimes stay for long.
#'
#' The network is first reduced to the nodes that affect the sets, which changes no probability; see [reduce_network()]. The
#' number of trajectories and steps depends on the network, the sets, the options and the seed only. The result is the same to the
#' last bit for any number of threads and on every machine.
#'
#' @section Convergence:
#' With perturbation, the long run does not depend on the initial state, provided that each exempt node keeps a given value or is
#' determined by perturbed nodes. In this case, trajectories start in very different states: all nodes off, all nodes on,
#' the given initial state, and random states. A run is accepted if the means of the two halves of a trajectory are almost
#' uncorrelated and the rhat of Gelman and Rubin is close to 1. If the network has several basins of attraction and moves
#' slowly between them, trajectories do not converge, and there is an error that names the nodes in which they differ.
#'
#' Otherwise, the long run may depend on the initial state. The result is then the average over the network's own initial states,
#' and `print()` reports this. Use [outcomes()] to find the attractors of a network without perturbation.
#'
#' If no node can be perturbed, the states that can follow the initial states are explored first. They are few if there are at
#' most 16,384 states and 262,144 transitions, if no communicating class has more than 1,024 states (unless each has one
#' successor), and if the work takes about a second. Then the long run is known exactly. `"auto"` and `"exact"` return it for
#' networks of any number of nodes. `"simulation"` returns it if the simulation contradicts it or does not converge: the long run
#' may wait for several rare choices in a row, which no simulation sees. If too many states can follow, such choices are not
#' detected. A warning of class `fireflip_warning_unchanged` names sets that no trajectory entered or left, unless it is certain
#' that none ever will.
#'
#' A simulation of this kind cannot detect some behaviour, which `method = "exact"` takes into account:
#' * a part of the state space that no trajectory enters, because this requires several rare events in the same step or soon after
#'   each other (two perturbations with a very small p, or two choices of predictor functions that are rarely selected), or a very
#'   large number of frequent events (such as 26 events of probability 1/2 in the same step, or in consecutive steps);
#' * slow changes that none of the monitors of the pilot shows. Monitors are the nodes, the exclusive or of pairs of nodes that
#'   a predictor function or a set reads together (of all pairs in networks of at most 16 nodes), and at most 64 of the predictor
#'   functions of three or more parents. An example is a slow quantity that three nodes encode together, such as their exclusive
#'   or, and that is not a predictor function. The estimate may then be wrong by several hundredths. A short pilot cannot tell
#'   this from chance. In networks of 500 nodes and more, and in those whose long run depends on the start (of more than 16
#'   nodes), at most 128 pairs are monitored, each a node and its first parent. For the packed layout, which counts slowly, fewer
#'   nodes and functions have monitors;
#' * without perturbation, a cycle of nodes with several predictor functions whose period does not divide 120. It can change the
#'   mean by up to period / (4 * window). The window is the number of counted steps per trajectory. It is a multiple of 240
#'   (of 5,040 for small synchronous networks without perturbation) and of twice the period of the deterministic nodes. If these
#'   nodes do not reach a cycle within `max_burn_in` steps, there is an error.
#'
#' @param model A network of class `pbn`.
#' @param states State sets: an expression over node names with `!`, `&`, `^`, `|` and parentheses, such as `"A & !B"`; a named
#'   0/1 vector, such as `c(A = 1, B = 0)`; or a named vector or list of several sets. Or a data frame or matrix with a row per
#'   set and a column per node, such as `expand.grid(A = 0:1, B = 0:1)`, where `NA` means that the node may have either value.
#' @param precision Requested half-width of the confidence interval, for the set that needs most samples. Default 0.001.
#' @param confidence Confidence level of the intervals. Default 0.95.
#' @param epsilon Largest difference between the probability of a set after the burn-in and its long-run value. The burn-in is
#'   chosen for this value. Default 1e-10.
#' @param method `"exact"` computes the probabilities numerically, for at most 24 free nodes (nodes that are not held at a
#'   value), or for any number of nodes if no node can be perturbed and few states can follow the initial states (see section
#'   Convergence). 20 free nodes take seconds if each has one predictor function, and minutes if they have two or three. `lower`
#'   and `upper` are then equal to the probability. `"simulation"` estimates them. `"auto"` (the default) is exact if this takes
#'   about a second at most, which is reported in a message of class `fireflip_message_method`, and simulates otherwise. It also
#'   simulates if an argument is given that only applies to simulation: `shard`, `backend = "cuda"` or a `layout`.
#' @param layout Data layout of the simulation. `"sliced"`: a machine word holds the values of one node in many trajectories.
#'   `"packed"`: trajectories are simulated one at a time, with truth tables in 32-bit words. `"auto"` (the default) is packed for
#'   asynchronous networks of more than 256 predictor functions, and sliced otherwise. On a GPU, packed is faster for asynchronous
#'   networks of more than about 50 nodes.
#' @param backend `"cpu"`; `"cuda"`, which is an error if no GPU can be used; or `"auto"` (the default), which uses a GPU if there
#'   is one and the run would take longer than a second on the processor. The results are identical to the last bit. Exact results
#'   are always computed on the processor. See [backends()].
#' @param threads Number of threads; see [fireflip_threads()].
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param reduce Whether to remove nodes that do not affect the sets. Default `TRUE`.
#' @param max_burn_in Maximum burn-in in steps. Trajectories that have not converged by then do not converge, in the sense of
#'   `on_slow`. Default 2^20. The pilot stops earlier if doubling its length twice does not improve convergence. `max_burn_in`
#'   must be at least half of the mean number of steps until a node is perturbed. For nodes that are never perturbed, it must
#'   also be at least half of the mean number of steps until each of their predictor functions acts. A function acts in the
#'   steps in which it is selected and no node is perturbed.
#' @param on_slow What to do if trajectories do not converge: `"error"` (the default), or `"warn"`, which returns the estimates
#'   with a warning of class `fireflip_warning_convergence`. The intervals of such a result are not reliable.
#' @param shard `NULL`, or `c(part, parts)` to run one of several parts of the simulation, for instance on a cluster. All parts
#'   must have the same `seed`. [c()][c.steady_state] merges the results of all parts to the result of the undivided run.
#' @param progress Whether to show a progress bar if the computation takes longer than a second. By default, in interactive
#'   sessions.
#' @param ... Further arguments of methods. The method for `pbn` has none.
#'
#' @returns A data frame of class `steady_state` with a row per set. Its columns are `set` (its name, or its text), `probability`,
#'   `lower`, `upper`, `visited` (`"never"`, `"sometimes"` or `"always"`; the interval is one-sided for `"never"` and `"always"`),
#'   `samples` (counted steps of all trajectories), `trajectories` and `rhat`. In an exact result, `lower` and `upper` are equal
#'   to the probability, and the last three columns are `NA`.
#'
#'   [`summary()`][result-methods] describes the run. `as.data.frame(x, run = TRUE)` describes it in further columns: `method`,
#'   `layout`, `burn_in` (steps per trajectory), `thinning` (of each set: the smallest k for which every k-th step behaves as a
#'   first-order Markov chain), `seed`, `backend` and `seconds`. Two runs with the same network, options and seed are
#'   `identical()`, on every machine. `identical()` does not compare seconds and backend.
#' @section Warnings: `fireflip_warning_precision` if an interval is wider than requested, usually because a set never varied or
#'   was visited rarely; `fireflip_warning_convergence` if trajectories do not converge and `on_slow = "warn"`;
#'   `fireflip_warning_unchanged` if a set did not change in any trajectory, but may change later (see section Convergence).
#' @section Errors: `fireflip_error_convergence` if trajectories do not converge, or would need a burn-in longer than
#'   `max_burn_in`; `fireflip_error_parse` for a set that does not follow the grammar or names an unknown node;
#'   `fireflip_error_argument` for invalid arguments; `fireflip_error_size` if the network has too many states for
#'   `method = "exact"`.
#' @references Mizera A, Pang J, Yuan Q (2019). GPU-accelerated steady-state computation of large probabilistic Boolean
#'   networks. *Formal Aspects of Computing* 31, 27-46. \doi{10.1007/s00165-018-0470-6}
#'
#' Raftery AE, Lewis S (1992). How many iterations in the Gibbs sampler? *Bayesian Statistics* 4, 763-773.
#'
#' Gelman A, Rubin DB (1992). Inference from iterative simulation using multiple sequences. *Statistical Science* 7(4),
#' 457-472. \doi{10.1214/ss/1177011136}
#' @seealso [influence_analysis()] for influences in the same call, [long_run_influence()], [node_activity()],
#'   [stationary_distribution()].
#' @concept steady-state probability
#' @concept steady state
#' @concept phenotype
#' @concept stationary probability
#' @concept long-run probability
#' @concept confidence interval
#' @rdname steady_state
#' @export
#' @examples
#' net <- example_model("shmulevich3")
#' net <- set_perturbation(net, 0.01)
#' steady_state(net, c(all_on = "x1 & x2 & x3", all_off = "!x1 & !x2 & !x3"), seed = 1)
#' steady_state(net, c(x1 = 1, x2 = 0), method = "exact")
steady_state.pbn <- function(model, states, precision = 1e-3, confidence = 0.95, epsilon = 1e-10,
                             method = c("auto", "simulation", "exact"), layout = c("auto", "sliced", "packed"),
                             backend = c("auto", "cpu", "cuda"), threads = NULL, seed = NULL, reduce = TRUE,
                             max_burn_in = 2^20, on_slow = c("error", "warn"), shard = NULL, progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  sets <- as_sets(states, model)
  method <- check_choice(method, "method", estimate_methods)
  options <- estimate_options(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout, on_slow, backend, reduce,
    progress)
  if (reduce) model <- reduce_to(model, set_nodes(model, sets))
  method <- settle_method(method, model, backend, layout, shard)
  estimated_states(model, sets, options, confidence, method, backend, progress)
}

estimated_states <- function(model, sets, options, confidence, method, backend, progress) {
  if (method == "exact" && !explores(model)) return(exact_steady_state(model, sets, confidence, progress))
  result <- estimate_or_explore(model, sets, NULL, options, method, backend, progress)
  if (!is.null(result$exact)) return(exact_states_frame(explored_run(model, confidence, result, sets = sets), result$exact))
  if (method == "exact") return(exact_steady_state(model, sets, confidence, progress))
  whole_states(estimate_run(model, sets, NULL, result$options, confidence, result), result$moments, result$tiles)
}

# Makes the result, with a warning if an undivided run is less precise than requested.
whole_states <- function(run, moments, tiles) {
  if (contradicts_known(run, moments, tiles * 1024)) return(exact_states_frame(known_run(run), run$known))
  out <- steady_state_frame(run, moments, tiles)
  warn_short_of_precision(out)
  warn_of_rare_changes(run, moments, out$set)
  warn_of_doubt(run)
  out
}

steady_state_frame <- function(run, moments, tiles) {
  chains <- tiles * 1024
  interval <- moment_intervals(moments, chains, run)
  new_steady_state(data.frame(
    set = names(run$sets), probability = interval$mean, lower = interval$lower, upper = interval$upper,
    visited = visited_words(moments[, "visited"], chains), samples = chains * run$window, trajectories = chains,
    rhat = unname(moments[, "rhat"])
  ), run)
}

new_steady_state <- function(x, run) structure(x, class = c("steady_state", "data.frame"), run = run)

exact_steady_state <- function(model, sets, confidence, progress) {
  started <- proc.time()[["elapsed"]]
  probability <- unname(exact_probability(model, sets, progress))
  run <- exact_run(model, confidence, proc.time()[["elapsed"]] - started, sets = sets)
  exact_states_frame(run, probability)
}

exact_states_frame <- function(run, probability) {
  new_steady_state(data.frame(
    set = names(run$sets), probability = probability, lower = probability, upper = probability,
    visited = ifelse(probability == 0, "never", ifelse(probability == 1, "always", "sometimes")), samples = NA_real_,
    trajectories = NA_real_, rhat = NA_real_
  ), run)
}

warn_short_of_precision <- function(x, names = x$set) {
  run <- attr(x, "run")
  if (nrow(run$shard) < run$shard[[1L, "parts"]] || !is.null(run$doubt)) return(invisible())
  width <- (x$upper - x$lower) / 2
  short <- which(width > 1.02 * run$precision) # allows for rounding
  still <- short[x$visited[short] != "sometimes"]
  rare <- setdiff(short, still)
  tell <- function(rows, one, many) {
    if (length(rows) == 0L) return(invisible())
    warn("precision", sprintf(
      "%s %s is wider than the requested precision (+/- %.2g, not %.2g).", quote_some(names[rows]),
      if (length(rows) == 1L) one else many, max(width[rows]), run$precision
    ))
  }
  tell(still, "never varied, and the bound on it", "never varied, and the widest bound on them")
  tell(rare, "was visited rarely, or has a period: its interval",
       "were visited rarely, or have a period: the widest of their intervals")
}

#' Merge the parts of one run
#'
#' Merges the results of [steady_state()], [long_run_influence()] or [influence_analysis()] for all parts of one run (see argument
#' `shard`). The result is that of the undivided run, to the last bit.
#'
#' The pilot plans a number of trajectories, which are divided into parts. After these trajectories, the undivided run usually
#' ends. It continues if an interval is wider than requested, or if the halves of the trajectories differ. In this case, `c()`
#' continues the run in the current session with [fireflip_threads()] threads, and reports this in a message of class
#' `fireflip_message_resume`.
#'
#' @param ... Results for different parts, with the same network, sets or pairs, options and seed. Results that were already
#'   merged from some parts are accepted too.
#' @returns A result of the same class with the same rows, to the last bit, as that of the undivided run. Only what
#'   `plot(type = "convergence")` draws differs if the undivided run was extended several times. Its `summary()` gives the total
#'   time of all parts. If parts are missing, the result is that of the given parts, with a warning of class
#'   `fireflip_warning_parts`.
#' @section Errors: `fireflip_error_argument` if the results are not of the same run, or if a part occurs twice;
#'   `fireflip_error_convergence` if the undivided run does not converge.
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' parts <- lapply(1:2, function(i) steady_state(net, "CycD & !Rb", seed = 1, shard = c(i, 2)))
#' do.call(c, parts)
c.steady_state <- function(...) merge_parts(list(...), "steady_state", whole_states)

#' Long-run activity of nodes
#'
#' Estimates the long-run probability that each node is on. This is [steady_state()] with one set per node.
#'
#' @inheritParams steady_state
#' @param nodes Names or numbers of nodes. With `NULL` (the default), all nodes.
#' @param ... Further arguments of [steady_state()].
#' @returns As for [steady_state()]; `set` is the name of the node.
#' @inheritSection steady_state Errors
#' @inherit steady_state references
#' @concept expression level
#' @concept marginal probability
#' @rdname node_activity
#' @export
#' @examples
#' node_activity(set_perturbation(example_model("cellcycle"), 0.01), seed = 1)
node_activity.pbn <- function(model, nodes = NULL, ...) {
  check_parts(model)
  check_passed_on(steady_state.pbn, ...)
  nodes <- if (is.null(nodes)) model$nodes else model$nodes[check_nodes(model, nodes)]
  if (anyDuplicated(nodes) > 0L) nodes <- unique(nodes)
  steady_state(model, stats::setNames(quote_name(nodes), nodes), ...)
}
