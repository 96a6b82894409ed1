#' Simulate trajectories of a network
#'
#' @param object A network of class `pbn`. For `summary()`, trajectories.
#' @param nsim Number of trajectories. Default 1.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator. It is the third argument, as in R's
#'   generic, where one might expect `steps`.
#' @param steps Number of steps. It must be given by name: `simulate(net, 3, steps = 20)`.
#' @param initial Initial states: a 0/1 vector named by nodes, or a 0/1 matrix with a row per trajectory and a column per node,
#'   whose rows are recycled. `NA` means random. Nodes that are not named have the network's initial value. With `NULL` (the
#'   default), all nodes have the network's initial values. Nodes without an initial value start at random.
#' @param every Keep only every `every`-th step. Default 1.
#' @param layout,threads As in [steady_state()]. The trajectories depend on the layout, but not on the number of threads.
#' @param ... Must be empty. The arguments after it must be given by their full names.
#' @param x Trajectories.
#' @param n How many rows to print. Default 10; `Inf` for all. Only as many columns of nodes are printed as fit the width.
#'
#' @returns A data frame of class `pbn_trajectories` with the columns `trajectory`, `step` (from 0), and one integer column per
#'   node, which is 0 or 1. The attribute `seed` holds the seed. `print()` shows the first rows and returns `x` invisibly.
#'   `summary()` returns a list of `trajectories` (their number), `steps` (first and last), `states` (their number), `activity`
#'   (the share of states in which each node is 1) and `seed`. [`plot()`][plot.pbn_trajectories] draws trajectories.
#' @section Errors: `fireflip_error_argument` for invalid arguments, and for a network with a node named "trajectory" or "step",
#'   like the columns of the result; `fireflip_error_size` for more states than a data frame can hold.
#' @inherit pbn references
#' @importFrom stats simulate
#' @concept trajectory
#' @concept time course
#' @concept time series
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' paths <- simulate(net, nsim = 3, seed = 1, steps = 50)
#' paths
#' plot(paths)
simulate.pbn <- function(object, nsim = 1, seed = NULL, ..., steps, initial = NULL, every = 1,
                         layout = c("auto", "sliced", "packed"), threads = NULL) {
  check_pbn(object, "object")
  check_no_more(...)
  if (missing(steps)) abort_not_named("steps", "nsim = 3, steps = 20", seed)
  own <- intersect(object$nodes, c("trajectory", "step"))
  if (length(own) > 0L) {
    abort_argument(sprintf("A node is called \"%s\", like a column of the result; rename_nodes() changes its name.", own[[1L]]))
  }
  check_count(nsim, "nsim", 1)
  check_count(steps, "steps", 0, 2^47)
  check_count(every, "every", 1, 2^47)
  states <- floor(steps / every) + 1
  if (nsim * states > .Machine$integer.max) {
    number <- function(x) format(x, big.mark = ",", scientific = FALSE)
    abort("size", sprintf(
      "%s trajectories of %s states are more rows than a data frame holds (%s); ask for fewer, or set `every`.",
      number(nsim), number(states), number(.Machine$integer.max)
    ))
  }
  if (!is.null(initial)) {
    start <- initial_matrix(object, initial, nsim)
    initial <- start$values
    object$initial[start$drawn] <- NA
  }
  seed <- resolve_seed(seed)
  columns <- .Call(
    ffi_simulate, object, as.double(nsim), as.double(steps), as.double(every), initial, seed, resolve_layout(layout),
    resolve_simd(), resolve_threads(threads)
  )
  names(columns) <- object$nodes
  out <- c(
    list(trajectory = rep(seq_len(nsim), each = states), step = rep(every * seq(0, states - 1), times = nsim)), columns
  )
  structure(out, class = c("pbn_trajectories", "data.frame"), row.names = .set_row_names(nsim * states), seed = seed)
}

# The method of simulate() that calls this was not given its time. Without a name, the time has become the seed.
abort_not_named <- function(name, example, seed, or = "") {
  found <- !is.null(seed) && !"seed" %in% names(sys.call(-1L))
  abort_argument(sprintf(
    "`%s`%s must be given by its name, as in simulate(net, %s); found nothing%s.", name, or, example,
    if (found) sprintf(", and %s for `seed`, the third argument of R's generic", describe(seed)) else ""
  ))
}

trajectory_count <- function(n) if (n == 1L) "1 trajectory" else paste(format_whole(n), "trajectories")

#' @rdname simulate.pbn
#' @export
print.pbn_trajectories <- function(x, n = 10, ...) {
  check_number(n, "n", 0, Inf)
  if (is.null(x$trajectory) || is.null(x$step)) return(print(plain_frame(x)))
  nodes <- setdiff(names(x), c("trajectory", "step"))
  seed <- attr(x, "seed")
  writeLines(sprintf(
    "<pbn_trajectories> %s of %s, %s%s", trajectory_count(length(unique(x$trajectory))), count_of(length(nodes), "node"),
    count_of(nrow(x), "row"), if (is.null(seed)) "" else paste(", seed", format(seed, digits = 15))
  ))
  shown <- plain_frame(utils::head(x, min(n, nrow(x))))
  width <- vapply(names(shown), function(name) max(nchar(c(name, format(shown[[name]])), "width")) + 1L, 0L)
  fit <- max(3L, sum(cumsum(width) < getOption("width")))
  if (nrow(shown) > 0L) print.data.frame(shown[seq_len(min(fit, length(shown)))], row.names = FALSE)
  rows <- nrow(x) - nrow(shown)
  if (rows > 0L) writeLines(sprintf("... and %s", count_of(rows, "more row")))
  hidden <- if (nrow(shown) > 0L) names(shown)[-seq_len(min(fit, length(shown)))]
  if (length(hidden) > 0L) {
    text <- sprintf("... and %s: %s", count_of(length(hidden), "more node"), paste(utils::head(hidden, 10L), collapse = ", "))
    writeLines(paste0(text, if (length(hidden) > 10L) ", ..."))
  }
  invisible(x)
}

#' @rdname simulate.pbn
#' @export
summary.pbn_trajectories <- function(object, ...) {
  nodes <- setdiff(names(object), c("trajectory", "step"))
  good <- is_numbers(object$trajectory) && is_numbers(object$step) && all(vapply(plain_frame(object)[nodes], is_kept, NA))
  if (!good || length(nodes) == 0L || nrow(object) == 0L) {
    abort_argument("`object` has no trajectories: it needs rows, columns `trajectory` and `step`, and a column per node.")
  }
  structure(class = "summary.pbn_trajectories", list(
    trajectories = length(unique(object$trajectory)), steps = range(object$step), states = nrow(object),
    activity = vapply(nodes, function(node) mean(object[[node]]), 0), seed = attr(object, "seed")
  ))
}

#' @export
print.summary.pbn_trajectories <- function(x, n = 20, ...) {
  check_number(n, "n", 0, Inf)
  writeLines(c(
    sprintf("%s of %s, steps %s to %s%s", trajectory_count(x$trajectories),
      count_of(length(x$activity), "node"), format_short(x$steps[[1L]]), format_short(x$steps[[2L]]),
      if (is.null(x$seed)) "" else paste(", seed", format(x$seed, digits = 15))),
    sprintf("  share of the %s in which a node is 1, largest first", count_of(x$states, "state"))
  ))
  top <- utils::head(sort(x$activity, decreasing = TRUE), n)
  if (length(top) > 0L) print.data.frame(data.frame(node = names(top), share = format_fixed(top, 3L)), row.names = FALSE)
  if (length(x$activity) > length(top)) writeLines(sprintf("... and %s", count_of(length(x$activity) - length(top), "more node")))
  invisible(x)
}

# The given values, NA elsewhere, and the nodes that are drawn at random because their value is given as NA.
initial_matrix <- function(model, initial, nsim) {
  if (is.data.frame(initial)) initial <- as.matrix(initial)
  if (!is.numeric(initial) && !is.logical(initial)) abort_value("initial", "a 0/1 vector or matrix", initial)
  if (!is.matrix(initial)) initial <- matrix(initial, 1L, dimnames = list(NULL, names(initial)))
  out <- matrix(NA_integer_, nrow(initial), length(model$nodes))
  if (is.null(colnames(initial))) {
    if (ncol(initial) != ncol(out)) {
      abort_argument(sprintf(
        "`initial` must have %s, one for each node, or names; found %d.", count_of(ncol(out), "value"), ncol(initial)
      ))
    }
    columns <- seq_len(ncol(out))
  } else {
    columns <- check_nodes(model, colnames(initial), "initial")
    if (anyDuplicated(columns) > 0L) {
      abort_argument(sprintf("`initial` gives node \"%s\" more than once.", model$nodes[columns[anyDuplicated(columns)]]))
    }
  }
  if (nrow(initial) == 0L || nrow(initial) > nsim) {
    abort_argument(sprintf("`initial` must have at least one row and at most `nsim` = %.15g; found %d.", nsim, nrow(initial)))
  }
  bad <- which(!initial %in% c(0, 1, NA))
  if (length(bad) > 0L) {
    abort_argument(sprintf("`initial` must hold 0, 1 or NA (for random); found %s.", describe(initial[[bad[[1L]]]])))
  }
  out[, columns] <- as.integer(initial)
  list(values = out, drawn = columns[colSums(is.na(initial)) > 0])
}
