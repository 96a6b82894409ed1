#' Outcomes of a network without perturbation
#'
#' Without perturbation, a trajectory ends in an attractor (a recurrent class of the Markov chain). This is a set of states that
#' it never leaves, and all of whose states it visits again and again. `outcomes()` computes which attractors can be reached from
#' the initial state, and with which probability. In a model of a cell, these may be the probabilities of division,
#' differentiation and death.
#'
#' @section Methods:
#' `method = "simulation"` runs independent trajectories and examines their states at steps 0, 1, 2, 4, 8 and so on. For each
#' state it explores all states that can follow, for any choice of predictor functions and updated nodes. If they lead to only
#' one attractor, this attractor is the outcome of the trajectory. Otherwise the trajectory is continued. The attractors and their
#' numbers of states are therefore exact; only the probabilities are estimated. The confidence intervals are Jeffreys' intervals
#' for the share of independent trajectories. An outcome that all trajectories have in common gets the one-sided bound of Clopper
#' and Pearson instead. Outcomes that no trajectory has reached are not listed; `summary()` gives a bound on their probability.
#'
#' `method = "exact"` computes the probabilities from the Markov chain, like [stationary_distribution()]: that of an attractor is
#' the long-run probability of its recurrent class. It accepts up to 24 free nodes. `method = "auto"` uses it for up to 12 free
#' nodes, and reports this in a message of class `fireflip_message_method`. If the initial state is a single state that leads to
#' one attractor only, the result is exact with every method.
#'
#' The result depends on the network, the initial state, the options and the seed only. It does not depend on the number of
#' threads.
#'
#' @param model A network of class `pbn` without perturbation: p is 0, or all nodes are exempt.
#' @param from Initial state of trajectories: a 0/1 vector named by nodes, which overrides the network's own initial values
#'   (`NA` for random). With `NULL` (the default), the network's initial values. Nodes without an initial value start at random.
#' @param precision Largest half-width of the confidence interval of a probability. The default of 0.01 takes 10,240
#'   trajectories.
#' @param confidence Confidence level of the intervals. Default 0.95.
#' @param method `"exact"`, `"simulation"`, or `"auto"` (the default), which is exact for small networks.
#' @param max_steps Maximum number of steps of a trajectory. Default 2^16.
#' @param max_states Maximum number of states that one exploration visits, and thus the maximum size of an attractor that can be
#'   found. Default 2^14; at most 2^24.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param threads Number of threads; see [fireflip_threads()].
#' @param progress Whether to show a progress bar if the computation takes longer than a second. By default, in interactive
#'   sessions.
#' @param x,object A result of `outcomes()`.
#' @param n How many outcomes to print or plot, the most probable first. Default 20 for printing and 30 for plots.
#' @param nodes Whether to add a column per node. Default `FALSE`.
#' @param run Whether to add columns that describe the run. Default `FALSE`.
#' @param state Whether to return one state of each attractor instead of the values that are common to all its states. Default
#'   `FALSE`.
#' @param main The title.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]. `outcomes()` takes no further arguments. Otherwise
#'   ignored.
#'
#' @returns `outcomes()`: a data frame of class `outcomes` with a row per attractor, the most probable first. Its columns are
#'   `outcome` (a number from 1), `probability`, `lower`, `upper`, `type`, `states` (the number of states) and `trajectories`. The
#'   type is `"fixed point"` for a single state, `"cycle"` if each state has exactly one successor other than itself, and
#'   `"complex"` otherwise. In an exact result, `lower` and `upper` are equal to the probability and `trajectories` is `NA`.
#'   `as.data.frame(run = TRUE)` adds `method`, `seed`, `backend` and `seconds`.
#'
#'   `as.matrix()` returns a matrix with a row per outcome and a column per node. It holds 1 or 0 if the node has this value in
#'   all states of the attractor, and `NA` if its value varies. With `state = TRUE`, it holds one state of each attractor instead.
#'   `as.data.frame(nodes = TRUE)` adds these columns to the others. `print()` and `plot()` label outcomes by the nodes in which
#'   they differ, or by one of their states if there is no such node. `format()` returns the printed text.
#'
#'   `summary()` returns a list of class `summary.outcomes` with the elements `outcomes` (the data frame), `from` (a description
#'   of the initial state), `on`, `off` and `varies` (lists with the names of these nodes in each outcome), `alike` (values of the
#'   nodes that are the same in all outcomes) and `unseen` (an upper bound, at the given confidence level, on the probability of
#'   an outcome that is not listed). `plot()` and `autoplot()` are as in [plot.steady_state()].
#' @section Errors: `fireflip_error_argument` for invalid arguments and for a network with perturbation;
#'   `fireflip_error_convergence` if trajectories have not reached an attractor after `max_steps` steps, or if more than
#'   `max_states` states can follow (fields `unresolved`, `trajectories` and `steps`), so that no outcome is omitted silently;
#'   `fireflip_error_size` if the network has too many states for `method = "exact"`.
#' @references Shmulevich I, Dougherty ER, Kim S, Zhang W (2002). Probabilistic Boolean networks: a rule-based uncertainty
#'   model for gene regulatory networks. *Bioinformatics* 18(2), 261-274. \doi{10.1093/bioinformatics/18.2.261}
#'
#' Tarjan R (1972). Depth-first search and linear graph algorithms. *SIAM Journal on Computing* 1(2), 146-160.
#' \doi{10.1137/0201010}
#'
#' Brown LD, Cai TT, DasGupta A (2001). Interval estimation for a binomial proportion. *Statistical Science* 16(2), 101-133.
#' \doi{10.1214/ss/1009213286}
#' @seealso [steady_state()] for networks with perturbation, whose long run does not depend on the initial state;
#'   [simulate.pbn()] for trajectories that lead to the attractors.
#' @concept attractor
#' @concept attractors
#' @concept fixed point
#' @concept steady state
#' @concept limit cycle
#' @concept basin of attraction
#' @concept cell fate
#' @concept phenotype
#' @rdname outcomes
#' @export
#' @examples
#' toggle <- pbn(c(A = "!B", B = "!A"), update = "asynchronous")
#' ends <- outcomes(toggle, from = c(A = 0, B = 0))
#' ends
#' as.matrix(ends)
#' outcomes(toggle, from = c(A = 0, B = 0), method = "simulation", seed = 1)
#'
#' # a cell cycle of 10 nodes, from random starts
#' ends <- outcomes(set_perturbation(example_model("cellcycle"), 0))
#' summary(ends)
#' plot(ends)
outcomes.pbn <- function(model, from = NULL, precision = 0.01, confidence = 0.95, method = c("auto", "exact", "simulation"),
                         max_steps = 2^16, max_states = 2^14, seed = NULL, threads = NULL, progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  if (model$perturbation > 0 && (!all(model$exempt) || model$removed[[2L]] > 0)) {
    abort_argument(sprintf(
      "`model` has perturbation (p = %s): with it the network leaves every attractor. Remove it with set_perturbation(net, 0).",
      format(model$perturbation, digits = 6)
    ))
  }
  if (!is.null(from)) model$initial <- node_values(model, from, "from", model$initial, random = TRUE)
  check_number(precision, "precision", 1e-6, 0.5, open_max = TRUE)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  method <- check_choice(method, "method", c("auto", "exact", "simulation"))
  check_count(max_steps, "max_steps", 1, 2^47)
  check_count(max_states, "max_states", 1, 2^24)
  if (!is.null(seed)) resolve_seed(seed)
  threads <- resolve_threads(threads)
  check_flag(progress, "progress")
  run <- list(model = model, from = start_text(model), precision = precision, confidence = confidence)
  if (method == "auto") method <- outcome_method(model)
  if (method == "exact") return(exact_outcomes(model, run, progress))
  simulated_outcomes(model, run, max_steps, max_states, resolve_seed(seed), threads, progress)
}

# Describes the initial state, for the first line of print().
start_text <- function(model) {
  given <- !is.na(model$initial)
  if (!any(given)) return("random starts")
  if (!all(given)) return(sprintf("starts with %d of %s given", sum(given), count_of(length(given), "node")))
  text <- paste(model$nodes, "=", model$initial, collapse = ", ")
  paste0("one start", if (nchar(text) <= 40L) sprintf(" (%s)", text))
}

outcome_free_nodes <- 12L

# Nodes that have an initial value and keep it are not counted. The core may find fewer free nodes, because it compares the values
# of predictor functions.
outcome_method <- function(model) {
  free <- length(model$nodes) - length(held_nodes(model))
  if (free > outcome_free_nodes) return("simulation")
  message(new_condition("method", "message", sprintf(
    "method = \"exact\": the network has %s, and up to %d are small enough.\n", count_of(free, "free node"), outcome_free_nodes
  ), NULL))
  "exact"
}

# ---- the two methods ---------------------------------------------------------------------------------------------------

exact_outcomes <- function(model, run, progress) {
  started <- proc.time()[["elapsed"]]
  chain <- solved_chain(model, progress = progress)
  on.exit(.Call(ffi_release, chain))
  free <- .Call(ffi_exact_free, chain)
  probability <- .Call(ffi_exact_distribution, chain)
  number <- which(probability > 0) - 1
  states <- matrix(model$initial, length(number), length(model$nodes), byrow = TRUE)
  for (i in seq_along(free)) states[, free[[i]]] <- as.integer(number %/% 2^(i - 1) %% 2)
  found <- .Call(ffi_attractors, model, states, 2^24)
  mass <- vapply(split(probability[number + 1], factor(found$leads, seq_along(found$attractors$states))), sum, 0)
  if (anyNA(found$leads)) abort("internal", "a state that recurs leads to several attractors; please report it.")
  run$machine <- machine_notes(seconds = proc.time()[["elapsed"]] - started, backend = "cpu")
  new_outcomes(found$attractors, unname(mass), unname(mass), unname(mass), "exact", NA_real_, NA_real_, run)
}

simulated_outcomes <- function(model, run, max_steps, max_states, seed, threads, progress) {
  started <- proc.time()[["elapsed"]]
  z <- stats::qnorm(1 - (1 - run$confidence) / 2)
  wanted <- z^2 / 4 / run$precision^2
  pointer <- .Call(
    ffi_outcome_new, model, max(ceiling(wanted), 1), seed, as.double(max_steps), as.double(max_states), threads, resolve_simd()
  )
  on.exit(.Call(ffi_release, pointer))
  state <- run_outcomes(pointer, progress, started)
  if (state$arrived < state$trajectories) abort_not_arrived(state, max_states)
  found <- .Call(ffi_outcome_result, pointer)
  run$machine <- machine_notes(seconds = proc.time()[["elapsed"]] - started, backend = "cpu", threads = threads)
  if (state$certain) return(new_outcomes(found$attractors, 1, 1, 1, "exact", NA_real_, NA_real_, run))
  n <- state$trajectories
  tail <- (1 - run$confidence) / 2
  run$unseen <- 1 - (1 - run$confidence)^(1 / n)
  lower <- ifelse(found$count == n, tail^(1 / n), stats::qbeta(tail, found$count + 0.5, n - found$count + 0.5))
  upper <- ifelse(found$count == n, 1, stats::qbeta(1 - tail, found$count + 0.5, n - found$count + 0.5))
  new_outcomes(found$attractors, found$count / n, lower, upper, "simulation", n, seed, run)
}

run_outcomes <- function(pointer, progress, started) {
  bar <- NULL
  repeat {
    state <- .Call(ffi_outcome_advance, pointer, 0.1) # R processes Ctrl-C in between
    if (state$done) break
    if (!progress || proc.time()[["elapsed"]] - started < 1) next
    if (is.null(bar)) {
      bar <- cli::cli_progress_bar(
        "Simulating", clear = TRUE, format = "{cli::pb_spin} Simulating {cli::pb_extra$now}", extra = list(now = "")
      )
    }
    now <- sprintf(
      "%s steps, %s of %s trajectories have arrived", format_short(state$step), format_whole(state$arrived),
      format_whole(state$trajectories)
    )
    cli::cli_progress_update(id = bar, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  state
}

abort_not_arrived <- function(state, max_states) {
  missing <- state$begun - state$arrived
  number <- function(x) format(x, big.mark = ",", scientific = FALSE)
  of <- paste0(if (state$begun < state$trajectories) "the first ", number(state$begun), " trajectories")
  large <- missing - state$undecided
  reason <- c(
    if (state$undecided > 0) "can still end in several attractors (raise `max_steps`)",
    if (large > 0) {
      sprintf(
        "may be followed by more than %s (raise `max_states`, or `max_steps` if they reach an attractor later)",
        count_of(max_states, "state")
      )
    }
  )
  numbers <- c(if (state$undecided > 0) state$undecided, if (large > 0) large)
  abort("convergence", sprintf(
    "%s of %s are not known to be in an attractor after %s: %s.", number(missing), of, count_of(state$step, "step"),
    paste0(if (length(reason) > 1L) paste0(vapply(numbers, number, ""), " "), reason, collapse = ", ")
  ), unresolved = missing, trajectories = state$begun, steps = state$step)
}

outcome_types <- c("fixed point", "cycle", "complex")

# Outcomes by decreasing probability. Those of equal probability (except for rounding) are ordered by their smallest state.
new_outcomes <- function(found, probability, lower, upper, method, trajectories, seed, run) {
  key <- if (nrow(found$state) > 0L) apply(1L - found$state, 1L, paste, collapse = "") else character()
  order <- order(-round(probability, 12), key, method = "radix")
  labels <- list(outcome = seq_along(order), node = run$model$nodes)
  for (what in c("values", "state")) run[[what]] <- matrix(found[[what]][order, ], length(order), dimnames = labels)
  out <- data.frame(
    outcome = seq_along(order), probability = probability[order], lower = lower[order], upper = upper[order],
    type = outcome_types[found$type[order] + 1L], states = found$states[order], trajectories = trajectories
  )
  run$method <- method
  run$seed <- seed
  structure(out, class = c("outcomes", "data.frame"), run = run)
}

# ---- methods of results ------------------------------------------------------------------------------------------------

# Values of nodes, with a row per outcome of x. x may be a subset of the rows.
outcome_values <- function(x, what = "values") {
  check_estimate(x)
  values <- attr(x, "run")[[what]]
  if (is.null(values) || is.null(x$outcome)) abort_argument("`x` lacks the record of its nodes; use the original result.")
  values[x$outcome, , drop = FALSE]
}

#' @rdname outcomes
#' @export
as.matrix.outcomes <- function(x, state = FALSE, ...) {
  outcome_values(x, if (check_flag(state, "state")) "state" else "values")
}

#' @rdname outcomes
#' @export
as.data.frame.outcomes <- function(x, row.names = NULL, optional = FALSE, nodes = FALSE, run = FALSE, ...) {
  check_flag(nodes, "nodes")
  out <- with_run(x, run)
  if (!nodes) return(out)
  values <- outcome_values(x)
  own <- intersect(colnames(values), names(out))
  if (length(own) > 0L) {
    abort_argument(sprintf("A node is called \"%s\", like a column of the result; as.matrix() has only the nodes.", own[[1L]]))
  }
  for (node in colnames(values)) out[[node]] <- unname(values[, node])
  out
}

# Labels an outcome by the nodes in which it differs from others (by all nodes if it is the only one): "A & !B; varies: C".
# Outcomes that do not differ in such a node, such as two cycles of the same nodes, also get one of their states: "varies: A B;
# through A & !B".
outcome_labels <- function(run, most = 60L) {
  values <- run$values
  labels <- difference_labels(values)
  same <- duplicated(labels) | duplicated(labels, fromLast = TRUE) | !nzchar(labels)
  if (any(same) && nrow(values) > 1L) {
    for (i in which(same)) {
      moving <- is.na(values[i, ])
      if (!any(moving)) moving[] <- TRUE
      through <- difference_labels(run$state[i, moving, drop = FALSE])
      labels[[i]] <- paste0(labels[[i]], if (nzchar(labels[[i]])) "; ", "through ", through)
    }
  }
  cut_text(labels, most)
}

# A label for each row, made of the nodes in which the rows differ.
difference_labels <- function(values) {
  differs <- apply(values, 2L, function(node) length(unique(node)) > 1L)
  if (nrow(values) == 1L) differs[] <- TRUE
  shown <- values[, differs, drop = FALSE]
  name <- quote_name(colnames(shown))
  vapply(seq_len(nrow(shown)), function(i) {
    value <- shown[i, ]
    fixed <- which(!is.na(value))
    fixed <- fixed[order(-value[fixed])] # nodes that are on come first
    text <- c(
      if (length(fixed) > 0L) paste0(ifelse(value[fixed] == 1L, "", "!"), name[fixed], collapse = " & "),
      if (anyNA(value)) paste("varies:", paste(name[is.na(value)], collapse = " "))
    )
    paste(text, collapse = "; ")
  }, "")
}

#' @rdname outcomes
#' @export
format.outcomes <- function(x, ...) {
  check_estimate(x)
  if (!all(c("outcome", "probability", "lower", "upper", "type", "states") %in% names(x))) return(format(plain_frame(x), ...))
  exact <- all(exact_rows(x))
  digits <- interval_digits(x$upper - x$lower)
  numbers <- unclass(x)[c("probability", if (!exact) c("lower", "upper"))]
  numbers <- if (exact) lapply(numbers, format_exact) else lapply(numbers, format_fixed, digits)
  out <- c(list(outcome = format(x$outcome)), numbers,
    list(type = x$type, states = format_whole(x$states)))
  if (!is.null(attr(x, "run")$values)) {
    # labels are those among all outcomes, not among the rows of x only
    out$nodes <- format(outcome_labels(attr(x, "run"))[x$outcome])
  }
  structure(out, class = "data.frame", row.names = .set_row_names(nrow(x)))
}

outcomes_title <- function(x) {
  run <- attr(x, "run")
  title <- paste("<outcomes>", count_of(nrow(x), "outcome"))
  if (is.null(run$from) || nrow(x) == 0L || is.null(x$trajectories)) return(title)
  how <- if (run$method == "exact") ", exact" else sprintf(
    "; %s%% intervals, %s trajectories, seed %s", format(100 * run$confidence), format_whole(x$trajectories[[1L]]),
    format(run$seed, digits = 15)
  )
  sprintf("%s from %s%s; other initial states may have other outcomes", title, run$from, how)
}

#' @rdname outcomes
#' @export
print.outcomes <- function(x, n = 20, ...) {
  check_number(n, "n", 0, Inf)
  if (!all(c("outcome", "probability") %in% names(x))) return(print(plain_frame(x)))
  check_estimate(x)
  writeLines(outcomes_title(x))
  shown <- x[seq_len(min(n, nrow(x))), , drop = FALSE]
  text <- format(shown)
  last <- length(text)
  if (last > 0L && names(text)[[last]] == "nodes") {
    others <- vapply(names(text)[-last], function(name) max(nchar(c(name, text[[name]]), "width")) + 1L, 0L)
    room <- getOption("width") - sum(others) - 2L
    if (room >= 30L) text$nodes <- format(cut_text(trimws(text$nodes), room)) # else they are printed below
    names(text)[[last]] <- format("nodes", width = max(nchar(text$nodes), 5L))
  }
  if (nrow(text) > 0L) print.data.frame(text, row.names = FALSE, right = TRUE)
  if (nrow(x) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - nrow(shown), "more outcome")))
  invisible(x)
}

#' @export
`[.outcomes` <- function(x, ...) keep_run(NextMethod(), x)

# Labels of the outcomes of several runs. If the networks have the same nodes, outcomes of all runs are labelled together.
labels_of_all <- function(runs) {
  nodes <- lapply(runs, function(run) colnames(run$values))
  if (!all(vapply(nodes, identical, NA, nodes[[1L]]))) return(lapply(runs, outcome_labels, most = Inf))
  stack <- function(what) do.call(rbind, lapply(runs, `[[`, what))
  of <- rep(seq_along(runs), vapply(runs, function(run) nrow(run$values), 0L))
  values <- stack("values")
  # the same attractor in two runs has the same label
  key <- apply(cbind(values, stack("state")), 1L, paste, collapse = " ")
  first <- !duplicated(key)
  labels <- outcome_labels(list(values = values[first, , drop = FALSE], state = stack("state")[first, , drop = FALSE]), Inf)
  unname(split(labels[match(key, key[first])], of))
}

#' @rdname outcomes
#' @export
summary.outcomes <- function(object, ...) {
  need_estimate(object, c("outcome", "probability", "type", "states"), "object")
  values <- outcome_values(object)
  run <- attr(object, "run")
  names_where <- function(test) lapply(seq_len(nrow(values)), function(i) colnames(values)[test(values[i, ])])
  alike <- apply(values, 2L, function(node) length(unique(node)) == 1L)
  structure(class = "summary.outcomes", list(
    outcomes = object, from = run$from, on = names_where(function(v) v %in% 1L), off = names_where(function(v) v %in% 0L),
    varies = names_where(is.na), alike = values[1L, alike], unseen = if (is.null(run$unseen)) 0 else run$unseen,
    confidence = run$confidence, method = run$method, seed = run$seed, seconds = noted(run)$seconds
  ))
}

#' @rdname outcomes
#' @export
print.summary.outcomes <- function(x, n = 20, ...) {
  check_number(n, "n", 0, Inf)
  writeLines(outcomes_title(x$outcomes))
  text <- format(x$outcomes)
  for (i in seq_len(min(n, nrow(text)))) {
    interval <- if (is.null(text$lower)) "" else sprintf(" (%s to %s)", text$lower[[i]], text$upper[[i]])
    writeLines(sprintf("%s: probability %s%s, %s%s", trimws(text$outcome[[i]]), text$probability[[i]], interval, text$type[[i]],
      if (isTRUE(x$outcomes$states[[i]] > 1)) sprintf(" of %s states", text$states[[i]]) else ""))
    for (what in c("on", "off", "varies")) {
      nodes <- x[[what]][[i]]
      if (length(nodes) == 0L) next
      writeLines(strwrap(paste(nodes, collapse = " "), prefix = strrep(" ", 10L), initial = sprintf("  %-8s", what)))
    }
  }
  if (nrow(text) > n) writeLines(sprintf("... and %s", count_of(nrow(text) - n, "more outcome")))
  if (x$unseen > 0) {
    writeLines(sprintf("An outcome that is not listed has a probability of at most %.2g (%s%% confidence).", x$unseen,
      format(100 * x$confidence)))
  }
  invisible(x)
}

outcomes_ranked <- function(x, n) {
  if (nrow(x) == 0L) abort_argument("`x` has no outcomes to plot.")
  label <- outcome_labels(attr(x, "run"), 37L)[x$outcome]
  ranked(x, paste0(x$outcome, ": ", label), "probability", n)
}

#' @rdname outcomes
#' @export
plot.outcomes <- function(x, n = 30, main = NULL, ...) {
  check_graphical(...)
  outcome_values(x)
  plot_ranked(outcomes_ranked(x, n), "probability", main, ...)
}

#' @rdname outcomes
#' @exportS3Method ggplot2::autoplot
autoplot.outcomes <- function(object, n = 30, ...) {
  outcome_values(object)
  autoplot_ranked(outcomes_ranked(object, n), "probability")
}
