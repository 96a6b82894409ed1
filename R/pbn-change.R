#' Change a network
#'
#' `fix_nodes()` holds nodes at a value, as a knock-out (0) or a constant stimulus (1) does: the node's predictor functions
#' are replaced by the constant, it is exempt from perturbation, and trajectories start with that value. `set_initial()` only
#' sets where trajectories start. `set_perturbation()` changes the perturbation probability and, if asked, which nodes are
#' exempt from it. `set_update()` says whether every node is updated at each step, or one.
#'
#' A perturbed input loses its initial value in the long run. `set_perturbation()` and `set_initial()` say so in a message of
#' class `fireflip_message_inputs`: see the section on inputs in [pbn()].
#'
#' @param model A network of class `pbn`.
#' @param ... Values by node name, `TNF = 1, UV = 0`, or one named vector of them, `c(TNF = 1, UV = 0)`. In `set_initial()` a
#'   value may be `NA`: random.
#' @param p The perturbation probability, at least 0 and below 1.
#' @param exempt Nodes that are never perturbed: names, numbers, or one flag a node; `character()` for none. The word
#'   `"inputs"` stands for all inputs, as in [pbn()]. `NULL` (the default) leaves the network's exempt nodes what they are.
#' @param update `"synchronous"` (every node is updated at each step) or `"asynchronous"` (one node, chosen uniformly).
#' @returns The changed network, of class `pbn`.
#' @section Errors: `fireflip_error_argument` for an unknown node, a value that is neither 0 nor 1, or no value at all (an empty
#'   vector of values, as a program may make one, changes nothing).
#' @export
#' @examples
#' net <- pbn(c(A = "B | C", B = "A", C = "C"))
#' fix_nodes(net, B = 0)
#' set_initial(set_perturbation(net, 0.01, exempt = "C"), C = 1)
#' set_update(net, "asynchronous")
fix_nodes <- function(model, ...) {
  check_pbn(model)
  values <- dots_values(model, "fix_nodes", list(...))
  index <- which(!is.na(values))
  old <- model$rules
  keep <- !old$node %in% index
  rules <- data.frame(
    node = c(old$node[keep], index),
    predictor = c(old$predictor[keep], as.character(values[index])),
    probability = c(old$probability[keep], rep(1, length(index)))
  )
  rules <- rules[order(rules$node), ]
  rownames(rules) <- NULL
  model$rules <- rules
  model$exempt[index] <- TRUE
  model$initial[index] <- values[index]
  if (!is.null(model$contexts)) model$contexts$predictor[, index] <- 1L
  validate_pbn(model)
}

#' @rdname fix_nodes
#' @export
set_initial <- function(model, ...) {
  check_pbn(model)
  values <- dots_values(model, "set_initial", list(...), rep(-1L, length(model$nodes)), random = TRUE)
  given <- which(is.na(values) | values != -1L)
  model$initial[given] <- values[given]
  validate_pbn(model)
  tell_perturbed_inputs(model, given)
  model
}

#' @rdname fix_nodes
#' @export
set_perturbation <- function(model, p, exempt = NULL) {
  check_pbn(model)
  model$perturbation <- check_number(p, "p", 0, 1, open_max = TRUE)
  if (!is.null(exempt)) model$exempt <- node_flags(model, exempt, "exempt")
  validate_pbn(model)
  tell_perturbed_inputs(model)
  model
}

#' @rdname fix_nodes
#' @export
set_update <- function(model, update) {
  check_pbn(model)
  model$update <- check_update(update)
  validate_pbn(model)
}

# One of the two, for a change of a network: both are no choice, though they are a default elsewhere.
check_update <- function(update) {
  choices <- c("synchronous", "asynchronous")
  if (!missing(update) && length(update) != 1L) abort_value("update", paste("one of", quote_some(choices)), update)
  check_choice(update, "update", choices)
}

# f(model, A = 1, B = 0) or f(model, c(A = 1, B = 0)) -> one value a node, `old` where nothing is said.
dots_values <- function(model, name, values, old = rep(NA_integer_, length(model$nodes)), random = FALSE) {
  if (length(values) == 0L) {
    abort_argument(sprintf("%s() needs values by node name, such as %s = 1; found none.", name, model$nodes[[1L]]))
  }
  if (length(values) == 1L && is.null(names(values))) values <- values[[1L]]
  if (length(values) == 0L) return(old) # an empty vector that a program made
  if (is.null(names(values)) || any(!nzchar(names(values)))) {
    abort_argument(sprintf(
      "%s() needs values by node name, such as %s = 1; found some without a name.", name, model$nodes[[1L]]
    ))
  }
  unknown <- setdiff(names(values), model$nodes)
  if (length(unknown) > 0L) {
    near <- closest_name(unknown[[1L]], model$nodes)
    abort_argument(sprintf(
      "%s() names %s, which the network does not have%s", name, quote_some(unknown),
      if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
    ), unknown = unknown)
  }
  if (any(lengths(values) != 1L)) {
    bad <- which(lengths(values) != 1L)[[1L]]
    abort_argument(sprintf(
      "%s() needs one value for each node; found %s for \"%s\".", name, describe(values[[bad]]), names(values)[[bad]]
    ))
  }
  allowed <- if (random) c(0, 1, NA) else c(0, 1)
  fine <- vapply(as.list(values), function(value) (is.numeric(value) || is.logical(value)) && value %in% allowed, NA)
  if (!all(fine)) {
    bad <- which(!fine)[[1L]]
    abort_argument(sprintf(
      "The value for node \"%s\" must be 0 or 1%s; found %s.", names(values)[[bad]],
      if (random) " (NA for random)" else "", describe(values[[bad]])
    ))
  }
  if (anyDuplicated(names(values))) {
    abort_argument(sprintf("%s() got more than one value for node \"%s\".", name, names(values)[[anyDuplicated(names(values))]]))
  }
  node_values(model, values, "...", old, random)
}
