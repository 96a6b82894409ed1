#' State sets and influences in one call
#'
#' Estimates both the long-run probabilities of state sets, as [steady_state()] does, and the influences of nodes on each other,
#' as [long_run_influence()] does. Each of the two has its own precision.
#'
#' Usually, all estimates come from the same trajectories. Their number is determined by the set or pair that needs most samples
#' for its precision; the other estimates are then more precise than requested. Probabilities and influences are estimated in two
#' separate runs, with the same seed, if the precision of the sets is at least ten times as high as that of the influences and
#' there are at least a quarter as many parent-child pairs as nodes. In this case the sets need about a hundred times as many
#' samples, and counting all influences in these samples would take longer than simulating them.
#'
#' @inheritParams steady_state
#' @inheritParams long_run_influence
#' @param states State sets, as in [steady_state()].
#' @param precision,influence_precision Requested half-width of the confidence intervals of probabilities and of influences,
#'   for the set and the pair that need most samples. Both are 0.001 by default.
#' @param method `"auto"`, `"simulation"` or `"exact"`, as in [steady_state()].
#' @param reduce Whether to remove nodes that affect neither the sets nor the pairs. Default `TRUE`.
#'
#' @returns A list of class `influence_analysis` with two elements: `states`, a data frame as returned by [steady_state()], and
#'   `influence`, a data frame as returned by [long_run_influence()]. Their columns `samples` and `trajectories` are equal if
#'   both come from one run. Both can be used on their own, for instance `as.matrix(x$influence)` and `plot(x$states)`.
#'
#'   `as.data.frame()` returns one data frame with a row for each set, followed by a row for each pair. Its columns are `kind`
#'   (`"probability"` or `"influence"`), `set`, `from` and `to` (`NA` in rows of the other kind), `estimate`, `lower`, `upper`,
#'   `visited`, `samples`, `trajectories` and `rhat`. With `run = TRUE` it has further columns that describe the run, as in
#'   [steady_state()]. `c()` merges the parts of one run (see `shard`).
#' @section Errors: As for [steady_state()]. It is also an error if no node of the network has a parent.
#' @inherit long_run_influence references
#' @seealso [steady_state()], [long_run_influence()], [long_run_sensitivity()].
#' @rdname influence_analysis
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' sets <- c(cycling = "CycB & !Cdh1", quiet = "Rb & p27")
#' analysis <- influence_analysis(net, sets, precision = 5e-4, seed = 1)
#' analysis
#' as.matrix(analysis$influence)
#' head(as.data.frame(analysis))
#' plot(analysis, n = 10)
influence_analysis.pbn <- function(model, states, from = NULL, to = NULL, precision = 1e-3, influence_precision = 1e-3,
                                   confidence = 0.95, epsilon = 1e-10, method = c("auto", "simulation", "exact"),
                                   layout = c("auto", "sliced", "packed"), backend = c("auto", "cpu", "cuda"),
                                   threads = NULL, seed = NULL, reduce = TRUE, max_burn_in = 2^20,
                                   on_slow = c("error", "warn"), shard = NULL, progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  sets <- as_sets(states, model)
  method <- check_choice(method, "method", estimate_methods)
  options <- estimate_options(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout, on_slow, backend, reduce,
    progress)
  check_number(influence_precision, "influence_precision", 0, 1, open_min = TRUE, open_max = TRUE)
  pairs <- influence_pairs(model, from, to)
  whole <- model
  if (reduce) {
    children <- match(unique(pairs$to[pairs$arrow]), model$nodes)
    model <- reduce_to(model, sort(unique(c(set_nodes(model, sets), children))))
  }
  method <- settle_method(method, model, backend, layout, shard)
  options$precision <- c(states = precision, influence = influence_precision)
  exact <- function() exact_influence_analysis(model, whole, sets, pairs, confidence, progress)
  if (method == "exact" && !explores(model)) return(exact())
  if (method != "exact" && want_two_runs(model, pairs, options$precision)) {
    return(two_runs(model, whole, sets, pairs, options, confidence, method, backend, progress))
  }
  result <- estimate_or_explore(model, sets, pairs, options, method, backend, progress, precision)
  if (!is.null(result$exact)) {
    run <- explored_run(model, confidence, result, sets = sets, pairs = pairs, nodes = whole$nodes)
    is_set <- seq_along(result$exact) <= length(sets)
    return(exact_analysis_frames(run, result$exact[is_set], result$exact[!is_set]))
  }
  if (method == "exact") return(exact())
  run <- estimate_run(model, sets, pairs, result$options, confidence, result)
  run$nodes <- whole$nodes
  analysis_frames(run, result$moments, result$tiles)
}

# Whether to use two runs: counting many influences at every step takes longer than simulating the step.
want_two_runs <- function(model, pairs, precision) {
  precision[["influence"]] >= 10 * precision[["states"]] && sum(pairs$arrow) >= length(model$nodes) / 4
}

# Estimates the sets and the pairs in two separate runs with the same seed. The analysis as a whole then has no run.
two_runs <- function(model, whole, sets, pairs, options, confidence, method, backend, progress) {
  forget_draw <- if (is.null(options$seed)) undo_draws() else function() NULL
  options$seed <- resolve_seed(options$seed)
  of <- function(kind) utils::modifyList(options, list(precision = options$precision[[kind]]))
  states <- estimated_states(model, sets, of("states"), confidence, method, backend, progress)
  influence <- estimated_influences(model, whole, pairs, of("influence"), confidence, method, backend, progress)
  if (all(exact_rows(states)) && all(exact_rows(influence))) forget_draw()
  new_analysis(states, influence, NULL)
}

new_analysis <- function(states, influence, run) {
  structure(list(states = states, influence = influence), class = "influence_analysis", run = run)
}

# Rows of the moments: first the sets, then the pairs.
analysis_frames <- function(run, moments, tiles) {
  is_set <- seq_len(nrow(moments)) <= length(run$sets)
  if (contradicts_known(run, moments, tiles * 1024)) {
    return(exact_analysis_frames(known_run(run), run$known[is_set], run$known[!is_set]))
  }
  influence <- influence_frame(half_run(run, "influence", !is_set), moments[!is_set, , drop = FALSE], tiles)
  warn_short_of_precision(influence, paste(influence$from, "->", influence$to))
  states <- half_run(run, "states", is_set)
  if (!all(run$certain[!is_set])) warn_of_rare_changes(run, moments[!is_set, , drop = FALSE], arrow_names(run), !is_set)
  new_analysis(whole_states(states, moments[is_set, , drop = FALSE], tiles), influence, run)
}

# The part of the run that one half of the analysis keeps. It has no tally, because halves cannot be merged.
half_run <- function(run, which, rows) {
  run$trace_unit <- run$precision[["states"]]
  run$precision <- run$precision[[which]]
  run$thinning <- run$thinning[rows]
  run$constant <- run$constant[rows]
  run$memory <- run$memory[, rows, drop = FALSE]
  run$certain <- run$certain[rows]
  run$known <- run$known[rows]
  run$tally <- NULL
  run[[if (which == "states") "pairs" else "sets"]] <- NULL
  run
}

exact_influence_analysis <- function(model, whole, sets, pairs, confidence, progress) {
  started <- proc.time()[["elapsed"]]
  arrows <- pairs[pairs$arrow, ]
  chain <- solved_chain(model, progress = progress)
  on.exit(.Call(ffi_release, chain))
  probability <- .Call(ffi_exact_probabilities, chain, unname(sets))
  influence <- .Call(ffi_exact_influences, chain, match(arrows$from, model$nodes), match(arrows$to, model$nodes))
  run <- exact_run(
    model, confidence, proc.time()[["elapsed"]] - started, sets = sets, pairs = pairs, nodes = whole$nodes
  )
  exact_analysis_frames(run, probability, influence)
}

exact_analysis_frames <- function(run, probability, influence) {
  half <- function(other) run[setdiff(names(run), other)]
  new_analysis(exact_states_frame(half("pairs"), probability), exact_influence_frame(half("sets"), influence), run)
}

#' @rdname c.steady_state
#' @export
c.influence_analysis <- function(...) {
  parts <- list(...)
  analyses <- vapply(parts, inherits, NA, "influence_analysis")
  apart <- vapply(parts[analyses], in_two_runs, NA)
  if (!all(analyses) || !any(apart)) return(merge_parts(parts, "influence_analysis", analysis_frames))
  if (!all(apart)) abort_argument("c() merges parts of one run; found analyses of one run and analyses of two runs.")
  half <- function(which) do.call(c, unname(lapply(parts, `[[`, which)))
  states <- half("states")
  new_analysis(states, withCallingHandlers(half("influence"), fireflip_warning_parts = function(w) { # the sets warned already
    tryInvokeRestart("muffleWarning")
  }), NULL)
}

in_two_runs <- function(x) is.null(attr(x, "run"))

#' @export
as.matrix.influence_analysis <- function(x, ...) {
  abort_argument("An analysis cannot be converted to a matrix; as.matrix(x$influence) gives the influence matrix.")
}

#' @rdname result-methods
#' @export
as.data.frame.influence_analysis <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  check_analysis(x)
  for (half in list(x$states, x$influence)) need_estimate(half, c("visited", "samples", "trajectories", "rhat"))
  states <- x$states
  pairs <- x$influence
  kind <- rep(c("probability", "influence"), c(nrow(states), nrow(pairs)))
  shared <- c("lower", "upper", "visited", "samples", "trajectories", "rhat")
  both <- function(name) c(states[[name]], pairs[[name]])
  blank <- function(n) rep(NA_character_, n)
  out <- data.frame(
    kind = kind, set = c(states$set, blank(nrow(pairs))), from = c(blank(nrow(states)), pairs$from),
    to = c(blank(nrow(states)), pairs$to), estimate = c(states$probability, pairs$influence),
    stats::setNames(lapply(shared, both), shared)
  )
  if (!check_flag(run, "run")) return(out)
  more <- run_columns(pairs)
  cbind(out, rbind(run_columns(states)[names(more)], more))
}

#' @rdname result-methods
#' @export
format.influence_analysis <- function(x, ...) {
  check_analysis(x)
  half <- function(kind, half, keys, estimate) {
    text <- format(half)
    data.frame(
      kind = rep(kind, nrow(text)), what = do.call(paste, c(unname(as.list(text[keys])), list(sep = " > "))),
      estimate = text[[estimate]], lower = if (is.null(text$lower)) text[[estimate]] else text$lower,
      upper = if (is.null(text$upper)) text[[estimate]] else text$upper
    )
  }
  rbind(
    half("probability", x$states, "set", "probability"), half("influence", x$influence, c("from", "to"), "influence")
  )
}

#' @rdname result-methods
#' @export
print.influence_analysis <- function(x, n = 20, ...) {
  check_analysis(x)
  check_number(n, "n", 0, Inf)
  what <- paste(count_of(nrow(x$states), "state set"), "and", count_of(nrow(x$influence), "pair"))
  largest <- if (shown_largest_first(x$influence)) ", largest first"
  titles <- paste0(c("Long-run probability", "Long-run influence"), c("", largest))
  if (in_two_runs(x)) { # each has a title of its own
    notes <- unique(c(run_notes(attr(x$states, "run")), run_notes(attr(x$influence, "run"))))
    writeLines(c(sprintf("<influence_analysis> %s, in two runs", what), notes))
    titles <- c(run_title(x$states, NULL, titles[[1L]]), run_title(x$influence, NULL, titles[[2L]]))
  } else {
    writeLines(c(run_title(x$states, "influence_analysis", what), run_notes(attr(x, "run"))))
  }
  if (is_empty_part(x$states) || is_empty_part(x$influence)) writeLines(empty_text)
  writeLines(c("", titles[[1L]]))
  print_rows(x$states, n)
  writeLines(c("", titles[[2L]]))
  print_rows(x$influence, n)
  invisible(x)
}

#' @rdname result-methods
#' @export
summary.influence_analysis <- function(object, ...) {
  check_analysis(object, "object")
  states <- run_summary(object$states)
  pairs <- run_summary(object$influence)
  if (in_two_runs(object)) {
    return(structure(list(states = states, influence = pairs), class = "summary.influence_analysis"))
  }
  each <- function(name) c(states = states[[name]], influence = pairs[[name]])
  out <- states
  out$rows <- each("rows")
  out$thinning <- c(states$thinning, pairs$thinning)
  if (states$method == "exact") return(out)
  out$rhat <- suppressWarnings(max(each("rhat"), na.rm = TRUE))
  out$width <- each("width")
  out$precision <- each("precision")
  out
}

#' @export
print.summary.influence_analysis <- function(x, ...) {
  writeLines("State sets")
  print(x$states)
  writeLines("\nInfluences")
  print(x$influence)
  invisible(x)
}
