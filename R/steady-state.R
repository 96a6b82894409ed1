#' Steady-state probabilities of state sets
#'
#' The long-run probability that a network's state lies in each of any number of state sets, all from one simulation of
#' many trajectories (or exactly, for small networks), each with a confidence interval.
#'
#' @section How:
#' `method = "simulation"` is the parallel two-state Markov chain approach of Mizera, Pang and Yuan: trajectories from random
#' starts run until Gelman and Rubin's rhat says that they agree; burn-in, thinning and the number of samples follow from the
#' rates at which they enter and leave each set (Raftery and Lewis 1992), or from the spread of the trajectories' means
#' where that asks for more. The standard error is the larger of the two as well, so that it is honest where a set's visits
#' are no two-state Markov chain. States are counted as they pass; no trajectory is stored.
#'
#' The network is first reduced to the nodes that matter to the sets, which changes no probability; see [reduce_network()].
#' The number of trajectories and steps follows from network, sets, precision and seed alone: the answer is the same to the
#' last bit for any number of threads and on every machine.
#'
#' @param model A network of class `pbn`.
#' @param states State sets: text over node names with `!`, `&`, `^`, `|`, parentheses (`"A & !B"`), a named 0/1 vector
#'   (`c(A = 1, B = 0)`), or a named vector or list of several.
#' @param precision Half the width of the confidence interval that is wanted, for the set that needs most samples. Default
#'   0.001.
#' @param confidence The probability with which the interval is to hold the true value. Default 0.95.
#' @param epsilon How far the trajectories may be from the long run after their burn-in. Default 1e-10.
#' @param method `"simulation"` or `"exact"` (numerically; at most 24 nodes that are not held, and 20 take about half a minute;
#'   then `lower` and `upper` equal the probability).
#' @param layout How the simulation holds the network: `"sliced"` (a machine word holds one node of many trajectories;
#'   synchronous networks), `"packed"` (truth tables in 32-bit words, one trajectory at a time), or `"auto"`.
#' @param backend `"cpu"`, or `"auto"`, which takes it. `"cuda"` is an error in a build without it.
#' @param threads Number of threads; see [fireflip_threads()].
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param reduce Leave out nodes that cannot matter? Default `TRUE`.
#' @param max_burn_in Steps after which trajectories that still disagree are given up. Default 2^20.
#' @param shard `NULL`, or `c(part, parts)` to run one part of the ensemble that the pilot plans, with a `seed` that all parts
#'   share; [c()] of all parts' results is the whole. An undivided run that falls short of its precision goes on; the parts
#'   cannot know, but `c()` warns.
#' @param progress Show a progress bar once it takes longer than a second? Default: in interactive sessions.
#'
#' @returns A data frame of class `steady_state`, a row a set: `set` (its name, or its text), `probability`, `lower`, `upper`,
#'   `visited` (`"sometimes"`; `"never"` and `"always"` come with a one-sided bound), `samples` (counted steps, over all
#'   trajectories), `burn_in` (steps a trajectory), `thinning` (steps after which visits are a Markov chain),
#'   `trajectories`, `rhat`, `method`, `layout`, `backend`, `seed`, `seconds`.
#' @section Errors: `fireflip_error_convergence` when trajectories go on to disagree (without perturbation the long run may
#'   depend on the start), `fireflip_error_parse` for a set that does not parse or names an unknown node,
#'   `fireflip_error_argument` for arguments out of their domain, `fireflip_error_size` for an exact answer of too many states.
#' @references Mizera A, Pang J, Yuan Q (2019). GPU-accelerated steady-state computation of large probabilistic Boolean
#'   networks. *Formal Aspects of Computing* 31, 27-46. \doi{10.1007/s00165-018-0470-6}
#'
#' Raftery AE, Lewis S (1992). How many iterations in the Gibbs sampler? *Bayesian Statistics* 4, 763-773.
#'
#' Gelman A, Rubin DB (1992). Inference from iterative simulation using multiple sequences. *Statistical Science* 7(4),
#' 457-472. \doi{10.1214/ss/1177011136}
#' @seealso [long_run_influence()], [node_activity()], [stationary_distribution()].
#' @export
#' @examples
#' net <- example_model("shmulevich3")
#' net <- set_perturbation(net, 0.01)
#' steady_state(net, c(all_on = "x1 & x2 & x3", all_off = "!x1 & !x2 & !x3"), seed = 1)
#' steady_state(net, c(x1 = 1, x2 = 0), method = "exact")
steady_state <- function(model, states, precision = 1e-3, confidence = 0.95, epsilon = 1e-10,
                         method = c("simulation", "exact"), layout = c("auto", "sliced", "packed"),
                         backend = c("auto", "cpu", "cuda"), threads = NULL, seed = NULL, reduce = TRUE,
                         max_burn_in = 2^20, shard = NULL, progress = interactive()) {
  check_pbn(model)
  sets <- as_sets(states, model)
  method <- check_choice(method, "method", c("simulation", "exact"))
  backend <- resolve_backend(backend)
  check_flag(reduce, "reduce")
  check_flag(progress, "progress")
  options <- estimate_options(precision, confidence, epsilon, method, seed, max_burn_in, shard, threads, layout)
  if (reduce) model <- reduce_to(model, set_nodes(model, sets))
  if (method == "exact") return(exact_steady_state(model, sets, confidence, progress))
  pointer <- .Call(ffi_estimate_sets, model, unname(sets), options)
  result <- run_estimate(pointer, precision, progress)
  run <- estimate_run(model, sets, options, confidence, result, c(options$shard, options$shards))
  out <- steady_state_frame(run, result$moments, result$tiles, result$seconds)
  if (is.null(shard)) warn_short_of_precision(out, precision)
  out
}

# What identifies a run (its parts differ in `shard`, `trace`, `tally`, and in `bytes` where they had different threads).
estimate_run <- function(model, sets, options, confidence, result, shard) {
  list(
    model = model, sets = sets, confidence = confidence, precision = options$precision, epsilon = options$epsilon,
    seed = options$seed, burn_in = result$burn_in, window = result$window, tiles = result$planned_tiles,
    thinning = result$thinning, constant = result$constant, stretch = result$stretch, layout = result$layout,
    reason = result$reason, bytes = result$bytes,
    shard = matrix(shard, 1L, dimnames = list(NULL, c("part", "parts"))), trace = as.data.frame(result$trace),
    tally = result$tally
  )
}

steady_state_frame <- function(run, moments, tiles, seconds) {
  chains <- tiles * 1024
  interval <- moment_intervals(moments, chains, run)
  new_steady_state(data.frame(
    set = names(run$sets), probability = interval$mean, lower = interval$lower, upper = interval$upper,
    visited = visited_words(moments[, "visited"], chains), samples = chains * run$window, burn_in = run$burn_in,
    thinning = run$thinning, trajectories = chains, rhat = unname(moments[, "rhat"]), method = "simulation", layout = run$layout,
    backend = "cpu", seed = run$seed, seconds = seconds
  ), run)
}

new_steady_state <- function(x, run) structure(x, class = c("steady_state", "data.frame"), run = run)

exact_steady_state <- function(model, sets, confidence, progress) {
  started <- proc.time()[["elapsed"]]
  probability <- unname(exact_probability(model, sets, progress))
  new_steady_state(data.frame(
    set = names(sets), probability = probability, lower = probability, upper = probability,
    visited = ifelse(probability == 0, "never", ifelse(probability == 1, "always", "sometimes")), samples = NA_real_,
    burn_in = NA_real_, thinning = NA_real_, trajectories = NA_real_, rhat = NA_real_, method = "exact", layout = NA_character_,
    backend = "cpu", seed = NA_real_, seconds = proc.time()[["elapsed"]] - started
  ), list(model = model, sets = sets, confidence = confidence))
}

warn_short_of_precision <- function(x, precision) {
  width <- (x$upper - x$lower) / 2
  short <- x$visited != "sometimes" & x$upper - x$lower > 2 * precision
  if (any(short)) {
    warn("precision", sprintf(
      "%s never varied, and the bound on it (%.2g) is wider than the precision asked for (%.2g).",
      quote_some(x$set[short]), max(2 * width[short]), precision
    ))
  }
}

#' Merging the parts of one run
#'
#' Results of [steady_state()] or [long_run_influence()] for all parts of one run (its argument `shard`) add up to the result of the whole run.
#'
#' @param ... Results with the same network, sets, options and seed, of different parts.
#' @returns A data frame of the parts' class; `seconds` is the sum. A warning of class `fireflip_warning_parts` says which parts are
#'   missing, one of class `fireflip_warning_precision` or `fireflip_warning_drift` where an undivided run would have gone on.
#' @section Errors: `fireflip_error_argument` where the results are of different runs, or a part comes twice.
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' parts <- lapply(1:2, function(i) steady_state(net, "CycD & !Rb", seed = 1, shard = c(i, 2)))
#' do.call(c, parts)
c.steady_state <- function(...) {
  parts <- list(...)
  merge_parts(parts, "steady_state", steady_state_frame)
}

merge_parts <- function(parts, class, frame) {
  if (!all(vapply(parts, inherits, NA, class))) {
    abort_argument(sprintf("c() merges results of %s() alone; found something else among them.", class))
  }
  runs <- lapply(parts, attr, "run")
  if (any(vapply(runs, function(run) is.null(run$tally), NA))) {
    abort_argument("c() merges parts of a simulation as they came; found an exact result, or one of which columns or rows were taken.")
  }
  apart <- c("shard", "trace", "tally", "bytes")
  same <- vapply(runs, function(run) identical(run[setdiff(names(run), apart)], runs[[1L]][setdiff(names(runs[[1L]]), apart)]), NA)
  if (!all(same)) abort_argument("c() merges parts of one run: found results that differ in network, sets, options or seed.")
  shard <- do.call(rbind, lapply(runs, `[[`, "shard"))
  if (length(unique(shard[, "parts"])) > 1L || anyDuplicated(shard[, "part"]) > 0L) {
    abort_argument("c() merges different parts of one division: found a part twice, or parts of different divisions.")
  }
  merged <- .Call(ffi_tally_merge, lapply(runs, `[[`, "tally"))
  run <- runs[[1L]]
  run$tally <- merged$tally
  run$shard <- shard[order(shard[, "part"]), , drop = FALSE]
  if (nrow(shard) == shard[[1L, "parts"]]) run$shard <- matrix(c(0, 1), 1L, dimnames = dimnames(shard))
  out <- frame(run, merged$moments, merged$tiles, sum(vapply(parts, function(part) part$seconds[[1L]], 0)))
  warn_short_of_parts(shard)
  if (nrow(shard) == shard[[1L, "parts"]]) warn_short_of_run(out, merged$moments)
  out
}

warn_short_of_parts <- function(shard) {
  missing <- setdiff(seq_len(shard[[1L, "parts"]]), shard[, "part"] + 1)
  if (length(missing) > 0L) {
    warn("parts", sprintf("%s of %d missing: %s.", count_of(length(missing), "part"), shard[[1L, "parts"]], paste(utils::head(missing, 10L), collapse = ", ")))
  }
}

# A whole run goes on where its first plan fell short; its parts cannot know, but their sum can.
warn_short_of_run <- function(x, moments) {
  precision <- attr(x, "run")$precision
  width <- stats::qnorm((1 + attr(x, "run")$confidence) / 2) * pmax(moments[, "se_two_state"], moments[, "se_between"])
  if (any(width > precision)) {
    warn("precision", sprintf(
      "The parts add up to intervals of +/- %.3g, and +/- %.3g was asked for: an undivided run would have gone on. Ask for a precision of %.2g.",
      max(width), precision, 0.9 * precision^2 / max(width)
    ))
  }
  if (any(abs(moments[, "drift"]) > 5)) { # DRIFT_RUN of ff_estimate.c
    warn("drift", "The halves of the trajectories differ: an undivided run would have started again with a longer burn-in.")
  }
}

#' Long-run activity of nodes
#'
#' The long-run probability of each node to be on: [steady_state()] with one set a node, from one simulation.
#'
#' @inheritParams steady_state
#' @param nodes Names or numbers of nodes. Default `NULL`: all.
#' @param ... More arguments of [steady_state()].
#' @returns As [steady_state()], `set` being the node's name.
#' @inheritSection steady_state Errors
#' @inherit steady_state references
#' @export
#' @examples
#' node_activity(set_perturbation(example_model("cellcycle"), 0.01), seed = 1)
node_activity <- function(model, nodes = NULL, ...) {
  check_pbn(model)
  nodes <- if (is.null(nodes)) model$nodes else model$nodes[check_nodes(model, nodes)]
  if (anyDuplicated(nodes) > 0L) nodes <- unique(nodes)
  steady_state(model, stats::setNames(quote_name(nodes), nodes), ...)
}
