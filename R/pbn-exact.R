#' The Markov chain of a small network
#'
#' A network is a Markov chain on its states. For a small network, the transition matrix and the long-run distribution can be
#' computed without simulation.
#'
#' The states of the chain are those of the free nodes, which are all nodes that are not held at a value. A node is held if it is
#' never perturbed (it is exempt, or p = 0), has a given initial value, and its only predictor functions are its own value or that
#' constant.
#'
#' @param model A network of class `pbn`. `stationary_distribution()` accepts up to 24 free nodes, `transition_matrix()` up to 12.
#' @param tolerance The largest change of the distribution, in the 1-norm, by a further step. Default 1e-14.
#' @param progress Whether to show a progress bar if the computation takes longer than a second. By default, in interactive
#'   sessions.
#' @param x,object A distribution.
#' @param n How many states to print or plot, the most probable first; `Inf` for all. The default is 10 for `print()` and 30 for
#'   `plot()`. The plot has a bar per state, labelled with the digits of the state; the names of the nodes are given above.
#' @param main The title.
#' @param ... For `plot()`, further arguments of [graphics::barplot()], which override the defaults of this method, for instance
#'   `col` (a colour, or one per bar from top to bottom), `border`, `xlab` and `xlim`.
#'
#' @returns `stationary_distribution()`: a data frame of class `stationary_distribution` with an integer column (0 or 1) for
#'   each free node and the column `probability`. The last node changes fastest from row to row. `probability` is the long-run
#'   share of time in the state, for trajectories that start in the network's initial state (random where none is given). The
#'   initial state only matters if the chain has several recurrent classes. `head()` and `tail()` give the most and the least
#'   probable states, as printed.
#'   `transition_matrix()`: a matrix of transition probabilities from rows to columns. Rows and columns are named by states, such
#'   as `"010"`, in the same order.
#' @section Size: The distribution of n free nodes consists of 2^n numbers. Computing it takes up to 1.3 GB of memory for 20 free
#'   nodes, 2.1 GB for 22 and 4.2 GB for 24, and more if nodes have dozens of predictor functions. Computations that could take
#'   more than 8 GB are refused on every machine. The time depends on how many states can follow a state. For 20 free nodes it is
#'   seconds if each node has one predictor function, and minutes if most nodes have two or three. Ctrl-C interrupts the
#'   computation.
#' @section Errors: `fireflip_error_size` for too many free nodes or too much memory, `fireflip_error_memory` if the machine has
#'   not enough memory, `fireflip_error_convergence` if the tolerance cannot be reached.
#' @inherit pbn references
#' @concept Markov chain
#' @concept steady state
#' @concept steady-state probability
#' @rdname stationary_distribution
#' @export
#' @examples
#' net <- set_perturbation(example_model("shmulevich3"), 0.01)
#' stationary_distribution(net)
#' round(transition_matrix(net), 3)
#' plot(stationary_distribution(net))
stationary_distribution.pbn <- function(model, tolerance = 1e-14, progress = interactive(), ...) {
  check_parts(model)
  check_no_more(...)
  check_number(tolerance, "tolerance", 0, 1, open_min = TRUE)
  check_flag(progress, "progress")
  if ("probability" %in% model$nodes) {
    abort_argument("A node is called \"probability\", like a column of the result; rename_nodes() changes its name.")
  }
  chain <- solved_chain(model, tolerance, progress)
  on.exit(.Call(ffi_release, chain))
  free <- .Call(ffi_exact_free, chain)
  states <- chain_states(model$nodes[free])
  probability <- .Call(ffi_exact_distribution, chain)[attr(states, "number") + 1]
  attr(states, "number") <- NULL
  out <- c(unclass(states), list(probability = probability))
  structure(out, class = c("stationary_distribution", "data.frame"), row.names = .set_row_names(length(probability)))
}

# The states as a list of columns, the last node changing fastest. `number` is the core's number of each state, in which the first
# node is the lowest bit.
chain_states <- function(nodes) {
  n <- length(nodes)
  row <- seq_len(2^n) - 1
  columns <- lapply(seq_len(n), function(i) as.integer(row %/% 2^(n - i)) %% 2L)
  number <- 0
  for (i in seq_len(n)) number <- number + columns[[i]] * 2^(i - 1)
  structure(columns, names = nodes, number = if (n == 0L) 0 else number)
}

solved_chain <- function(model, tolerance = 1e-14, progress = FALSE) {
  chain <- .Call(ffi_exact_new, model)
  done <- FALSE
  on.exit(if (!done) .Call(ffi_release, chain))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  repeat {
    state <- .Call(ffi_exact_advance, chain, tolerance, 1e8, 0.1) # R processes Ctrl-C in between
    if (state$done == 1) break
    if (!progress || proc.time()[["elapsed"]] - started < 1) next
    if (is.null(bar)) {
      bar <- cli::cli_progress_bar(
        "Solving", clear = TRUE, format = "{cli::pb_spin} Solving {cli::pb_extra$now}", extra = list(now = "")
      )
    }
    now <- if (state$residual > 0) sprintf("residual %.1e", state$residual) else ""
    cli::cli_progress_update(id = bar, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  done <- TRUE
  chain
}

#' @rdname stationary_distribution
#' @export
transition_matrix.pbn <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  chain <- .Call(ffi_exact_new, model)
  on.exit(.Call(ffi_release, chain))
  free <- .Call(ffi_exact_free, chain)
  if (length(free) > 12L) {
    abort("size", sprintf(
      "`model` has %d free nodes, and a dense matrix takes at most 12 (%s numbers); reduce_network() or fix_nodes() may help.",
      length(free), format_whole(4^12)
    ))
  }
  states <- chain_states(model$nodes[free])
  number <- attr(states, "number")
  labels <- do.call(paste0, c(unclass(states), list(character(length(number)))))
  out <- matrix(0, length(number), length(number), dimnames = list(from = labels, to = labels))
  for (i in seq_along(number)) out[i, ] <- .Call(ffi_exact_row, chain, number[[i]])[number + 1]
  out
}

# Probabilities of state sets (named text).
exact_probability <- function(model, sets, progress = FALSE) {
  chain <- solved_chain(model, progress = progress)
  on.exit(.Call(ffi_release, chain))
  stats::setNames(.Call(ffi_exact_probabilities, chain, unname(sets)), names(sets))
}

# Influences of pairs, a data frame of from and to (names).
exact_influence <- function(model, pairs, progress = FALSE) {
  chain <- solved_chain(model, progress = progress)
  on.exit(.Call(ffi_release, chain))
  pairs$influence <- .Call(ffi_exact_influences, chain, match(pairs$from, model$nodes), match(pairs$to, model$nodes))
  pairs
}

#' @rdname stationary_distribution
#' @export
print.stationary_distribution <- function(x, n = 10, ...) {
  check_number(n, "n", 0, Inf)
  if (!is_numbers(x$probability)) return(print(plain_frame(x)))
  order <- utils::head(order(-x$probability), n)
  writeLines(sprintf(
    "<stationary_distribution> %s of %s%s", count_of(nrow(x), "state"), count_of(ncol(x) - 1L, "free node"),
    if (nrow(x) > 1L) ", most probable first" else ""
  ))
  shown <- plain_frame(x[order, , drop = FALSE])
  shown$probability <- format_exact(shown$probability)
  if (nrow(shown) > 0L) print.data.frame(shown, row.names = FALSE)
  if (nrow(x) > length(order)) {
    writeLines(sprintf(
      "... and %s with %.3g in all", count_of(nrow(x) - length(order), "more state"),
      sum(x$probability) - sum(x$probability[order])
    ))
  }
  invisible(x)
}

# The first and the last states as printed.
#' @rawNamespace S3method(utils::head, stationary_distribution)
head.stationary_distribution <- function(x, n = 6L, ...) {
  if (length(n) > 1L || !is_numbers(x$probability)) NextMethod() else x[utils::head(order(-x$probability), n), , drop = FALSE]
}

#' @rawNamespace S3method(utils::tail, stationary_distribution)
tail.stationary_distribution <- function(x, n = 6L, ...) {
  if (length(n) > 1L || !is_numbers(x$probability)) NextMethod() else x[utils::tail(order(-x$probability), n), , drop = FALSE]
}

#' @rdname stationary_distribution
#' @export
summary.stationary_distribution <- function(object, ...) {
  check_distribution(object, "object")
  p <- object$probability
  nodes <- setdiff(names(object), "probability")
  list(
    states = length(p), entropy = -sum(p[p > 0] * log2(p[p > 0])),
    activity = vapply(nodes, function(node) sum(p[object[[node]] == 1L]), 0)
  )
}

#' @rdname stationary_distribution
#' @export
as.data.frame.stationary_distribution <- function(x, ...) plain_frame(x)

# A state as a string of digits, in the order of the nodes. Without free nodes there is one state, "-".
state_labels <- function(bits) {
  if (ncol(bits) == 0L) return(rep("-", nrow(bits)))
  do.call(paste0, unname(as.list(bits)))
}

check_distribution <- function(x, name) {
  if (!all(vapply(plain_frame(x), is_kept, NA)) || !is_numbers(x$probability) || any(x$probability < 0)) {
    abort_argument(sprintf("`%s` was changed: it must have numbers, and a column `probability`.", name))
  }
}
