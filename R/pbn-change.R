#' Change a network
#'
#' `fix_nodes()` holds nodes at a value, like a knock-out (0) or a constant stimulus (1). The predictor functions of such a node
#' are replaced by the constant, the node is exempt from perturbation, and it starts with this value. `set_initial()` only
#' changes the initial state of trajectories. `set_perturbation()` changes the perturbation probability and, optionally, which
#' nodes are exempt from perturbation. `set_update()` changes the update scheme.
#'
#' In the long run, a perturbed input loses its initial value. `set_perturbation()` and `set_initial()` report this in a message
#' of class `fireflip_message_inputs`; see section Inputs in [pbn()].
#'
#' @param model A network of class `pbn`.
#' @param ... For `fix_nodes()` and `set_initial()`, values named by nodes, `TNF = 1, UV = 0`, or one named vector,
#'   `c(TNF = 1, UV = 0)`. In `set_initial()`, a value may be `NA`, which means random. The other functions take no further
#'   arguments.
#' @param perturbation The perturbation probability p, at least 0 and below 1. It may be abbreviated to `p`.
#' @param exempt Nodes that are never perturbed: names, numbers, or a logical vector with one element per node; `character()`
#'   for none. The word `"inputs"` stands for all inputs, as in [pbn()]. With `NULL` (the default), the exempt nodes remain.
#' @param update `"synchronous"` (all nodes are updated at each step) or `"asynchronous"` (one node is updated at each step,
#'   chosen uniformly at random).
#' @returns The changed network, of class `pbn`.
#' @seealso [`set_initial()`][set_initial.reaction_network] of reaction networks, [set_parameters()].
#' @section Errors: `fireflip_error_argument` for an unknown node, for a value that is neither 0 nor 1, and for a call without
#'   values. An empty vector of values is no error and changes nothing.
#' @concept knock-out
#' @concept knockout
#' @concept mutant
#' @concept mutation
#' @concept over-expression
#' @concept knock-in
#' @concept stimulus
#' @concept intervention
#' @concept noise
#' @rdname fix_nodes
#' @export
#' @examples
#' net <- pbn(c(A = "B | C", B = "A", C = "C"))
#' fix_nodes(net, B = 0)
#' set_initial(set_perturbation(net, 0.01, exempt = "C"), C = 1)
#' set_update(net, "asynchronous")
fix_nodes.pbn <- function(model, ...) {
  check_parts(model)
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
  validate_pbn(not_reduced(model)) # its components are others now
}

#' @rdname fix_nodes
#' @export
set_initial.pbn <- function(model, ...) {
  check_parts(model)
  values <- dots_values(model, "set_initial", list(...), rep(-1L, length(model$nodes)), random = TRUE)
  given <- which(is.na(values) | values != -1L)
  model$initial[given] <- values[given]
  validate_pbn(model)
  tell_perturbed_inputs(model, given)
  model
}

#' @rdname fix_nodes
#' @export
set_perturbation.pbn <- function(model, perturbation, exempt = NULL, ...) {
  check_parts(model)
  check_no_more(...)
  model$perturbation <- check_number(perturbation, "perturbation", 0, 1, open_max = TRUE)
  if (!is.null(exempt)) model$exempt <- node_flags(model, exempt, "exempt")
  validate_pbn(model)
  tell_perturbed_inputs(model)
  model
}

#' @rdname fix_nodes
#' @export
set_update.pbn <- function(model, update, ...) {
  check_parts(model)
  check_no_more(...)
  model$update <- check_update(update)
  validate_pbn(model)
}

# Exactly one update scheme. The vector of both, which is the default of other functions, is an error here.
check_update <- function(update) {
  choices <- c("synchronous", "asynchronous")
  if (!missing(update) && length(update) != 1L) abort_value("update", paste("one of", quote_some(choices)), update)
  check_choice(update, "update", choices)
}

# f(model, A = 1, B = 0) or f(model, c(A = 1, B = 0)) -> one value per node. Nodes that are not named keep their value of `old`.
dots_values <- function(model, name, values, old = rep(NA_integer_, length(model$nodes)), random = FALSE) {
  if (length(values) == 0L) {
    abort_argument(sprintf("%s() needs values by node name, such as %s = 1; found none.", name, model$nodes[[1L]]))
  }
  if (length(values) == 1L && is.null(names(values))) values <- values[[1L]]
  if (length(values) == 0L) return(old) # an empty vector changes nothing
  if (is.null(names(values)) || any(!nzchar(names(values)))) {
    abort_argument(sprintf(
      "%s() needs values by node name, such as %s = 1; found some without a name.", name, model$nodes[[1L]]
    ))
  }
  known_nodes(model, name, names(values))
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

# ---- rules and nodes ----------------------------------------------------------------------------------------------

#' Change the rules and nodes of a network
#'
#' `set_rule()` replaces the predictor functions of nodes. `add_node()` adds nodes. `remove_node()` removes nodes.
#' `rename_nodes()` changes the names of nodes, including their occurrences in rules. Everything else remains: perturbation,
#' update scheme, the rules of other nodes, exempt nodes and the initial state.
#'
#' New nodes are placed after the existing nodes, are not exempt from perturbation, and start at random. Use [set_initial()] and
#' [set_perturbation()] to change this. Nodes that are added in one call may occur in each other's rules.
#'
#' `remove_node()` deletes nodes. It is an error if the rule of another node names one of them; replace that rule first. To study
#' a knock-out, use [fix_nodes()] instead. To remove nodes that do not affect the nodes of interest, use [reduce_network()], which
#' does not change the probabilities of the others.
#'
#' In a dependent network, a node may be given as many predictor functions as it had, which the contexts select by their numbers
#' as before, or a single one, which all contexts select.
#'
#' @param model A network of class `pbn`.
#' @param ... For `set_rule()` and `add_node()`, rules named by nodes, in the forms that [pbn()] accepts: `A = "B & !C"`, or
#'   `A = c("B" = 0.3, "!B" = 0.7)` with selection probabilities; or a single list, named vector, data frame or character vector
#'   of lines `"A = B & !C"`. For `rename_nodes()`, new names named by the old ones, `Rb = "RB1"`, a named vector of them, or a
#'   function such as [toupper()] that takes all old names and returns all new ones. `remove_node()` takes no further arguments.
#' @param nodes Names or numbers of nodes.
#' @returns The changed network, of class `pbn`.
#' @section Errors: `fireflip_error_argument` for an unknown node, for a name that already exists, and for removing a node that
#'   occurs in the rules of others; `fireflip_error_parse` for a predictor function that does not follow the grammar or names an
#'   unknown node; `fireflip_error_model` for an inconsistent network.
#' @seealso [fix_nodes()] and the functions documented with it to change settings, [pbn()] for the grammar of rules; `net$A` and
#'   `net["A"]` ([pbn-methods]) show the rules of a node.
#' @concept mutant
#' @concept mutation
#' @concept edit a network
#' @rdname set_rule
#' @export
#' @examples
#' net <- pbn(c(A = "B | C", B = "A", C = "C"))
#' set_rule(net, A = c("B" = 0.9, "!C" = 0.1))
#' net <- add_node(net, D = "A & !B")
#' remove_node(net, "D")
#' rename_nodes(net, A = "TP53", D = "MDM2")
#' rename_nodes(net, tolower)
set_rule.pbn <- function(model, ...) {
  check_parts(model)
  table <- dots_rules(model, "set_rule", list(...))
  unknown <- setdiff(table$node, model$nodes)
  if (length(unknown) > 0L) {
    near <- closest_name(unknown[[1L]], model$nodes)
    abort_argument(sprintf(
      "set_rule() names %s, which the network does not have; %s", quote_some(unknown),
      if (is.null(near)) "add_node() adds nodes." else sprintf("did you mean \"%s\"? add_node() adds nodes.", near)
    ), unknown = unknown)
  }
  index <- unique(match(table$node, model$nodes))
  before <- tabulate(model$rules$node, length(model$nodes))
  rules <- finish_rules(table, model$nodes, NULL, !is.null(model$contexts))
  now <- tabulate(rules$node, length(model$nodes))
  if (!is.null(model$contexts)) {
    bad <- index[now[index] != 1L & now[index] != before[index]]
    if (length(bad) > 0L) {
      abort_argument(sprintf(
        "In a dependent network set_rule() gives a node one predictor function, or as many as it has; \"%s\" has %d, found %d.",
        model$nodes[[bad[[1L]]]], before[[bad[[1L]]]], now[[bad[[1L]]]]
      ))
    }
    model$contexts$predictor[, index[now[index] == 1L]] <- 1L
  }
  model$rules <- joined_rules(model$rules[!model$rules$node %in% index, , drop = FALSE], rules)
  validate_pbn(not_reduced(model))
}

#' @rdname set_rule
#' @export
add_node.pbn <- function(model, ...) {
  check_parts(model)
  table <- dots_rules(model, "add_node", list(...))
  taken <- intersect(table$node, model$nodes)
  if (length(taken) > 0L) {
    abort_argument(sprintf(
      "add_node() names %s, which the network already has; set_rule() changes a node's rule.", quote_some(taken)
    ))
  }
  new <- unique(table$node)
  old <- length(model$nodes)
  model$nodes <- c(model$nodes, new)
  rules <- finish_rules(table, model$nodes, NULL, !is.null(model$contexts))
  several <- new[tabulate(rules$node, length(model$nodes))[old + seq_along(new)] > 1L]
  if (!is.null(model$contexts)) {
    if (length(several) > 0L) {
      abort_argument(sprintf(
        "In a dependent network add_node() gives a node one predictor function, which all contexts select; \"%s\" has several.",
        several[[1L]]
      ))
    }
    model$contexts$predictor <- cbind(model$contexts$predictor, matrix(1L, nrow(model$contexts$predictor), length(new)))
  }
  model$rules <- joined_rules(model$rules, rules)
  model$exempt <- c(model$exempt, logical(length(new)))
  model$initial <- c(model$initial, rep(NA_integer_, length(new)))
  validate_pbn(not_reduced(model))
}

#' @rdname set_rule
#' @export
remove_node.pbn <- function(model, nodes, ...) {
  check_parts(model)
  check_no_more(...)
  if (missing(nodes)) abort_value("nodes", "names or numbers of nodes", nodes)
  removed <- seq_along(model$nodes) %in% check_nodes(model, nodes)
  if (!any(removed)) return(model)
  if (all(removed)) abort_argument("remove_node() must leave at least one node; found all of them.")
  parents <- .Call(ffi_pbn_parents, model)
  names_one <- vapply(parents, function(of) any(removed[of]), NA) & !removed[model$rules$node]
  if (any(names_one)) {
    named <- model$nodes[sort(intersect(unlist(parents[names_one]), which(removed)))]
    abort_argument(sprintf(
      "remove_node() cannot remove %s: %s of %s; set_rule() gives other rules, and fix_nodes() holds a node instead.",
      quote_some(named), if (length(named) == 1L) "it occurs in the rules" else "they occur in the rules",
      quote_some(unique(model$nodes[model$rules$node[names_one]]))
    ))
  }
  model$rules <- kept_rules(model, !removed)
  model$nodes <- model$nodes[!removed]
  model$exempt <- model$exempt[!removed]
  model$initial <- model$initial[!removed]
  if (!is.null(model$contexts)) model$contexts$predictor <- model$contexts$predictor[, !removed, drop = FALSE]
  validate_pbn(not_reduced(model))
}

#' @rdname set_rule
#' @export
rename_nodes.pbn <- function(model, ...) {
  check_parts(model)
  names <- new_names(model, list(...))
  twice <- names[duplicated(names)]
  if (length(twice) > 0L) {
    abort_argument(sprintf("rename_nodes() must give all nodes different names; two would be called \"%s\".", twice[[1L]]))
  }
  only_names <- model # the core checks the names
  only_names$nodes <- names
  only_names$rules$predictor[] <- "1"
  validate_pbn(only_names)
  renamed <- names != model$nodes
  texts <- .Call(ffi_pbn_renamed, model, names)
  changed <- vapply(.Call(ffi_pbn_parents, model), function(of) any(renamed[of]), NA)
  model$rules$predictor[changed] <- texts[changed]
  model$nodes <- names
  validate_pbn(not_reduced(model))
}

# Numbers of the nodes named in a call of the function `name`.
known_nodes <- function(model, name, nodes) {
  unknown <- setdiff(nodes, model$nodes)
  if (length(unknown) == 0L) return(match(nodes, model$nodes))
  near <- closest_name(unknown[[1L]], model$nodes)
  abort_argument(sprintf(
    "%s() names %s, which the network does not have%s", name, quote_some(unknown),
    if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
  ), unknown = unknown)
}

# The names of all nodes after renaming.
new_names <- function(model, values) {
  expected <- "new names that are named by the old ones, such as %s = \"%s2\", or a function"
  expected <- sprintf(expected, argument_name(model$nodes[[1L]]), model$nodes[[1L]])
  if (length(values) == 1L && is.null(names(values))) values <- values[[1L]]
  if (is.function(values)) {
    names <- values(model$nodes)
    if (!is.character(names) || length(names) != length(model$nodes) || anyNA(names)) {
      abort_argument(sprintf(
        "The function given to rename_nodes() must return %s, one for each old name; found %s.",
        count_of(length(model$nodes), "name"), describe(names)
      ))
    }
    return(enc2utf8(unname(names)))
  }
  named <- !is.null(names(values)) && !anyNA(names(values)) && all(nzchar(names(values)))
  if (length(values) > 0L && (!named || !(is.character(values) || is.list(values)))) {
    abort_argument(sprintf("rename_nodes() needs %s; found %s.", expected, describe(values)))
  }
  if (length(values) == 0L) {
    if (is.character(values)) return(model$nodes) # an empty vector changes nothing
    abort_argument(sprintf("rename_nodes() needs %s; found none.", expected))
  }
  fine <- vapply(values, function(name) is.character(name) && length(name) == 1L && !is.na(name) && nzchar(name), NA)
  if (!all(fine)) {
    bad <- which(!fine)[[1L]]
    abort_argument(sprintf(
      "rename_nodes() needs one name for each node; found %s for \"%s\".", describe(values[[bad]]), names(values)[[bad]]
    ))
  }
  index <- known_nodes(model, "rename_nodes", names(values))
  if (anyDuplicated(index) > 0L) {
    abort_argument(sprintf("rename_nodes() got more than one name for \"%s\".", model$nodes[[index[anyDuplicated(index)]]]))
  }
  replace(model$nodes, index, enc2utf8(unlist(values, use.names = FALSE)))
}

# f(model, A = "B & C"), or one object of rules -> a data frame of node (name), predictor, probability (NA if not given).
dots_rules <- function(model, name, values) {
  if (length(values) == 1L && is.null(names(values))) values <- values[[1L]]
  if (length(values) == 0L) {
    abort_argument(sprintf(
      "%s() needs rules by node name, such as %s = \"1\"; found none.", name, argument_name(model$nodes[[1L]])
    ))
  }
  if (is.list(values) && !is.data.frame(values) && !is.null(names(values)) && any(!nzchar(names(values)))) {
    abort_argument(sprintf(
      "%s() needs rules by node name, such as %s = \"1\"; found some without a name.", name, argument_name(model$nodes[[1L]])
    ))
  }
  rules_table(values)
}

# Predictor functions sorted by node. Those of one node keep their order.
joined_rules <- function(old, new) {
  rules <- rbind(old, new)
  rules <- rules[order(rules$node), , drop = FALSE]
  rownames(rules) <- NULL
  rules
}

# Drops the record of a reduction, which no longer describes the network after its nodes or rules have changed.
not_reduced <- function(model) {
  model$reduction <- NULL
  class(model) <- setdiff(class(model), "reduced_pbn")
  model
}
