#' Trajectories of a network
#'
#' @param object A network of class `pbn`.
#' @param nsim Number of trajectories. Default 1.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param steps Number of steps. Default 100.
#' @param initial Where trajectories start: `NULL` (as the network says, else at random), a 0/1 vector named by nodes, or a 0/1
#'   matrix with a row a trajectory and a column a node (`NA` for random).
#' @param every Keep every so many steps. Default 1.
#' @param layout,threads As in [steady_state()]. The layout changes which trajectories are drawn, threads do not.
#' @param ... Not used.
#'
#' @returns A data frame of class `pbn_trajectories`: `trajectory`, `step` (from 0), and one integer column (0 or 1) a node. The
#'   seed is in the attribute `seed`.
#' @section Errors: `fireflip_error_argument` for arguments out of their domain, `fireflip_error_size` for more states than a
#'   data frame can hold.
#' @inherit pbn references
#' @importFrom stats simulate
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' paths <- simulate(net, nsim = 3, seed = 1, steps = 50)
#' head(paths)
#' plot(paths)
simulate.pbn <- function(object, nsim = 1, seed = NULL, ..., steps = 100, initial = NULL, every = 1,
                         layout = c("auto", "sliced", "packed"), threads = NULL) {
  check_pbn(object, "object")
  check_count(nsim, "nsim", 1)
  check_count(steps, "steps", 0, 2^47)
  check_count(every, "every", 1, 2^47)
  states <- floor(steps / every) + 1
  if (nsim * states > .Machine$integer.max) {
    abort("size", sprintf(
      "%g trajectories of %g states are more rows than a data frame holds (%d); ask for fewer, or set `every`.",
      nsim, states, .Machine$integer.max
    ))
  }
  if (!is.null(initial)) initial <- initial_matrix(object, initial)
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

initial_matrix <- function(model, initial) {
  if (is.data.frame(initial)) initial <- as.matrix(initial)
  if (!is.numeric(initial) && !is.logical(initial)) abort_value("initial", "a 0/1 vector or matrix", initial)
  if (!is.matrix(initial)) initial <- matrix(initial, 1L, dimnames = list(NULL, names(initial)))
  out <- matrix(NA_integer_, nrow(initial), length(model$nodes))
  if (is.null(colnames(initial))) {
    if (ncol(initial) != ncol(out)) {
      abort_argument(sprintf("`initial` must have a value for each of %d nodes, or names; found %d.", ncol(out), ncol(initial)))
    }
    columns <- seq_len(ncol(out))
  } else {
    columns <- check_nodes(model, colnames(initial), "initial")
  }
  if (nrow(initial) == 0L || !all(initial %in% c(0, 1, NA))) abort_argument("`initial` must hold 0, 1 or NA.")
  out[, columns] <- as.integer(initial)
  out
}
