#' Steady-state probabilities of state sets
#'
#' The long-run probability that a network's state lies in each of any number of state sets, all from one simulation of
#' many trajectories (or exactly, for small networks), each with a confidence interval.
#'
#' @section How:
#' `method = "simulation"` follows the parallel two-state Markov chain approach of Mizera, Pang and Yuan: a pilot of a few
#' thousand trajectories tells how long the network remembers its start and how many samples the precision takes; then a fresh
#' run counts states as they pass. No trajectory is stored. The standard error comes from the spread between the means of
#' independent trajectories. It is therefore honest whatever the visits to a set look like: clumped, periodic, or as those of
#' a two-state Markov chain. Where a set is visited so rarely that this spread could miss the long visits, the two-state
#' formula counts where it gives more, and no more samples count than there are independent looks.
#'
#' The pilot is never shorter than it takes a node to flip once, or the rarest predictor function to be selected once. It also
#' follows all nodes that matter (up to 4,096, or 32 where `layout` is `"packed"`, those in feedback loops first), the
#' exclusive or of some pairs, and some predictor functions of three parents and more, for a set may come and go quickly and
#' still depend on a slow node that it does not name.
#'
#' Where the start is forgotten, 1,024 more trajectories from starts far apart tell for how many steps a set depends on the start
#' (in networks of fewer than 500 nodes). The run may have missed a part of the state space that is entered rarely and kept for that
#' long. So each interval is widened by a bound on the share of time that would be spent there. This is little for most sets. It
#' matters for a set that is usually left quickly but, rarely, held for long.
#'
#' @section What is guaranteed, and what is not:
#' With perturbation, the long run does not depend on the start, as long as nodes that are exempt from it only keep a given value
#' or follow other nodes. Trajectories then start far apart: with all nodes off, all on, at the given start, and at
#' random. A run is accepted if the means of a trajectory's two halves are almost uncorrelated (Gelman and Rubin's rhat is near 1 as well).
#' Where the network has several basins and moves slowly between them, trajectories go on to disagree, and there is an error
#' that names the nodes which do. Otherwise the long run may depend on the start. The result is then the average over the
#' given start, and `print()` says so. [outcomes()] tells which attractors the network ends in.
#'
#' Some things no simulation of this kind can tell, and `method = "exact"` can:
#' * a basin that none of its trajectories enters, as where it takes two rare events at once (two flips with a tiny p, or two
#'   predictor functions that are both selected rarely), or very many ordinary ones (26 fair coins);
#' * a slow motion that shows in no node, pair or predictor function that the pilot follows, and in the set by little more than
#'   the precision, as where three nodes encode a slow bit together of which no function tells;
#' * without perturbation, a cycle of nodes with several functions whose period does not divide 120: it can shift a mean by up to
#'   period / (4 * window). (Windows are multiples of 240 steps, of 5,040 for small synchronous networks without perturbation, and of
#'   twice the period of the deterministic nodes. Where these do not come to a cycle within `max_burn_in` steps, there is an error.)
#'
#' The network is first reduced to the nodes that matter to the sets, which changes no probability; see [reduce_network()].
#' The number of trajectories and steps follows from network, sets, precision and seed alone: the answer is the same to the
#' last bit for any number of threads and on every machine.
#'
#' @param model A network of class `pbn`.
#' @param states State sets: text over node names with `!`, `&`, `^`, `|`, parentheses (`"A & !B"`), a named 0/1 vector
#'   (`c(A = 1, B = 0)`), or a named vector or list of several. Or a data frame or matrix with a set a row and a column a node,
#'   as `expand.grid(A = 0:1, B = 0:1)` makes it; `NA` leaves a node open.
#' @param precision Half the width of the confidence interval that is wanted, for the set that needs most samples. Default
#'   0.001.
#' @param confidence The probability with which the interval is to hold the true value. Default 0.95.
#' @param epsilon How far the trajectories may be from the long run after their burn-in. Default 1e-10.
#' @param method `"exact"` (numerically; at most 24 nodes that are not held; 20 take seconds with one function a node, and
#'   minutes with two or three; then `lower` and `upper` equal the probability), `"simulation"`, or `"auto"`: exact where that takes
#'   about a second at most, with a message of class `fireflip_message_method` that says so, else a simulation. What only a
#'   simulation has (`shard`, `backend = "cuda"`, a `layout`) makes `"auto"` simulate.
#' @param layout How the simulation holds the network: `"sliced"` (a machine word holds one node of many trajectories),
#'   `"packed"` (truth tables in 32-bit words, one trajectory at a time), or `"auto"`: packed for asynchronous networks of more
#'   than 256 predictor functions, else sliced. On a GPU, packed asynchronous networks of more than some 50 nodes are faster.
#' @param backend `"cpu"`; `"cuda"`, an error where no GPU can be used; or `"auto"`, a GPU where there is one and the run
#'   would take the processor longer than a second. The answer is the same to the last bit, and an exact one always the
#'   processor's. See [backends()].
#' @param threads Number of threads; see [fireflip_threads()].
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param reduce Leave out nodes that cannot matter? Default `TRUE`.
#' @param max_burn_in Steps after which trajectories that still disagree are given up. Default 2^20. A run is given up earlier
#'   where looks twice and four times as long bring them no closer. It must be at least half of
#'   the steps in which a node flips once, or the rarest predictor function is selected once.
#' @param on_slow What to do with trajectories that are given up: `"error"`, or `"warn"`, which returns what they give, with a
#'   warning of class `fireflip_warning_convergence`. The intervals of such a result are not reliable.
#' @param shard `NULL`, or `c(part, parts)` to run one part of the ensemble that the pilot plans, with a `seed` that all
#'   parts share; [c()][c.steady_state] of all parts' results is the result of the undivided run.
#' @param progress Show a progress bar once it takes longer than a second? Default: in interactive sessions.
#' @param ... Further arguments of a method; that of `pbn` takes none.
#'
#' @returns A data frame of class `steady_state`, a row a set: `set` (its name, or its text), `probability`, `lower`,
#'   `upper`, `visited` (`"sometimes"`; `"never"` and `"always"` come with a one-sided bound), `samples` (counted steps,
#'   over all trajectories), `trajectories` and `rhat`. Of an exact answer `lower` and `upper` are the probability, and the last
#'   three are `NA`.
#'
#'   What is the same for all rows stands once: [`summary()`][result-methods] tells it, and `as.data.frame(x, run = TRUE)` has
#'   it in columns: `method`, `layout`, `burn_in` (steps a trajectory), `thinning` (k: every k-th step's value is as a
#'   first-order Markov chain), `seed`, `backend`, `seconds`. Two runs of the same network, options and seed are `identical()`,
#'   on any machine: how long they took, and on what, is kept where `identical()` does not look.
#' @section Warnings: `fireflip_warning_precision` if an interval is wider than asked for, mostly because a set never varied or was
#'   visited rarely; `fireflip_warning_convergence` with `on_slow = "warn"`.
#' @section Errors: `fireflip_error_convergence` when trajectories go on to disagree, or would have to be longer than
#'   `max_burn_in`, `fireflip_error_parse` for a set that does not parse or names an unknown node,
#'   `fireflip_error_argument` for arguments out of their domain, `fireflip_error_size` for an exact answer of too many
#'   states.
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
  check_no_more(...)
  sets <- as_sets(states, model)
  method <- check_choice(method, "method", estimate_methods)
  on_slow <- check_choice(on_slow, "on_slow", c("error", "warn"))
  check_flag(reduce, "reduce")
  check_flag(progress, "progress")
  options <- estimate_options(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout, on_slow, backend)
  if (reduce) model <- reduce_to(model, set_nodes(model, sets))
  method <- settle_method(method, model, backend, layout, shard)
  engine <- method_engine(method, backend)
  if (method == "simulation") options$seed <- resolve_seed(seed)
  if (method == "exact") return(exact_steady_state(model, sets, confidence, progress))
  result <- run_estimate(new_estimate(model, sets, NULL, options), progress, engine = engine)
  run <- estimate_run(model, sets, NULL, options, confidence, result)
  whole_states(run, result$moments, result$tiles)
}

# The result, and a warning where an undivided run could not be as precise as asked for.
whole_states <- function(run, moments, tiles) {
  out <- steady_state_frame(run, moments, tiles)
  warn_short_of_precision(out)
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
  short <- which(width > 1.02 * run$precision) # rounding aside
  still <- short[x$visited[short] != "sometimes"]
  rare <- setdiff(short, still)
  tell <- function(rows, one, many) {
    if (length(rows) == 0L) return(invisible())
    warn("precision", sprintf(
      "%s %s is wider than the precision asked for (+/- %.2g, not %.2g).", quote_some(names[rows]),
      if (length(rows) == 1L) one else many, max(width[rows]), run$precision
    ))
  }
  tell(still, "never varied, and the bound on it", "never varied, and the widest bound on them")
  tell(rare, "was visited rarely, or has a period: its interval", "were visited rarely, or have a period: the widest of their intervals")
}

#' Merging the parts of one run
#'
#' Results of [steady_state()], [long_run_influence()] or [influence_analysis()] for all parts of one run (their argument
#' `shard`) add up to the result of the undivided run, to the last bit.
#'
#' The parts are parts of what the pilot plans. An undivided run looks at what that gave and mostly ends there; where an
#' interval is wider than asked for, or the halves of the trajectories differ, it goes on. So does `c()`, in this session,
#' with [fireflip_threads()] threads, and says so in a message of class `fireflip_message_resume`.
#'
#' @param ... Results with the same network, sets or pairs, options and seed, of different parts; also merged ones.
#' @returns A result of the parts' class, `identical()` to the undivided run; `summary()` has the sum of their seconds. While parts are missing, it is that of those which are
#'   there, with a warning of class `fireflip_warning_parts`.
#' @section Errors: `fireflip_error_argument` where the results are of different runs, or a part comes twice;
#'   `fireflip_error_convergence` where an undivided run would have given up.
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' parts <- lapply(1:2, function(i) steady_state(net, "CycD & !Rb", seed = 1, shard = c(i, 2)))
#' do.call(c, parts)
c.steady_state <- function(...) merge_parts(list(...), "steady_state", whole_states)

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
#' @concept expression level
#' @concept marginal probability
#' @rdname node_activity
#' @export
#' @examples
#' node_activity(set_perturbation(example_model("cellcycle"), 0.01), seed = 1)
node_activity.pbn <- function(model, nodes = NULL, ...) {
  check_passed_on(steady_state.pbn, ...)
  nodes <- if (is.null(nodes)) model$nodes else model$nodes[check_nodes(model, nodes)]
  if (anyDuplicated(nodes) > 0L) nodes <- unique(nodes)
  steady_state(model, stats::setNames(quote_name(nodes), nodes), ...)
}
