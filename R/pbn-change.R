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
#' @param ... Of `fix_nodes()` and `set_initial()`, values by node name, `TNF = 1, UV = 0`, or one named vector of them,
#'   `c(TNF = 1, UV = 0)`. In `set_initial()` a value may be `NA`: random. Of the others, none.
#' @param perturbation The perturbation probability p, at least 0 and below 1; `p = ` does as well.
#' @param exempt Nodes that are never perturbed: names, numbers, or one flag a node; `character()` for none. The word
#'   `"inputs"` stands for all inputs, as in [pbn()]. `NULL` (the default) leaves the network's exempt nodes what they are.
#' @param update `"synchronous"` (every node is updated at each step) or `"asynchronous"` (one node, chosen uniformly).
#' @returns The changed network, of class `pbn`.
#' @section Errors: `fireflip_error_argument` for an unknown node, a value that is neither 0 nor 1, or no value at all (an empty
#'   vector of values, as a program may make one, changes nothing).
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
  check_no_more(...)
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
#' `set_rule()` gives nodes other predictor functions, `add_node()` adds nodes, `remove_node()` takes nodes away, and
#' `rename_nodes()` gives nodes other names, wherever they stand. All else stays as it is: perturbation, update, the other nodes'
#' rules, which nodes are exempt, and where trajectories start.
#'
#' A new node comes after the others, is not exempt from perturbation, and starts at random; [set_initial()] and
#' [set_perturbation()] change that. The nodes of one call may name each other.
#'
#' `remove_node()` deletes nodes for good, and refuses where another node's rule names one of them: give that node another rule
#' first. To ask what happens without a gene, [fix_nodes()] is mostly the better way, and [reduce_network()] removes nodes that
#' cannot matter without any change of the others' law.
#'
#' In a dependent network a node may get as many predictor functions as it had, and the contexts select them by their numbers as
#' before, or one, which all contexts select.
#'
#' @param model A network of class `pbn`.
#' @param ... Of `set_rule()` and `add_node()`, rules by node name in the shapes that [pbn()] takes: `A = "B & !C"`, or
#'   `A = c("B" = 0.3, "!B" = 0.7)` with selection probabilities; or one list, named vector, data frame, or text `"A = B & !C"`.
#'   Of `rename_nodes()`, the new name by the old one, `Rb = "RB1"`, one named vector of them, or a function that makes all new
#'   names of the old ones, such as [toupper()]. Of `remove_node()`, none.
#' @param nodes Names or numbers of nodes.
#' @returns The changed network, of class `pbn`.
#' @section Errors: `fireflip_error_argument` for an unknown node, a name that is already taken, or a node that others' rules
#'   name; `fireflip_error_parse` for a predictor function that does not follow the grammar or names an unknown node;
#'   `fireflip_error_model` for a network that contradicts itself.
#' @seealso [fix_nodes()] and others for settings, [pbn()] for the grammar of rules; `net$A` and `net["A"]`
#'   ([pbn-methods]) show the rules of a node.
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
  table <- dots_rules(model, "add_node", list(...))
  taken <- intersect(table$node, model$nodes)
  if (length(taken) > 0L) {
    abort_argument(sprintf(
      "add_node() names %s, which the network has already; set_rule() changes a node's rule.", quote_some(taken)
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
      quote_some(named), if (length(named) == 1L) "it stands in the rules" else "they stand in the rules",
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
  names <- new_names(model, list(...))
  twice <- names[duplicated(names)]
  if (length(twice) > 0L) {
    abort_argument(sprintf("rename_nodes() must leave the names of nodes different; two would be \"%s\".", twice[[1L]]))
  }
  only_names <- model # the core says what is wrong with a name
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

# Numbers of the nodes that a call of `name`() names.
known_nodes <- function(model, name, nodes) {
  unknown <- setdiff(nodes, model$nodes)
  if (length(unknown) == 0L) return(match(nodes, model$nodes))
  near <- closest_name(unknown[[1L]], model$nodes)
  abort_argument(sprintf(
    "%s() names %s, which the network does not have%s", name, quote_some(unknown),
    if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
  ), unknown = unknown)
}

# One name a node.
new_names <- function(model, values) {
  expected <- "new names by old ones, such as %s = \"%s2\", or a function that makes them"
  expected <- sprintf(expected, argument_name(model$nodes[[1L]]), model$nodes[[1L]])
  if (length(values) == 1L && is.null(names(values))) values <- values[[1L]]
  if (is.function(values)) {
    names <- values(model$nodes)
    if (!is.character(names) || length(names) != length(model$nodes) || anyNA(names)) {
      abort_argument(sprintf(
        "The function that rename_nodes() is given must make %s of the old ones; found %s.",
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
    if (is.character(values)) return(model$nodes) # an empty vector that a program made
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

# f(model, A = "B & C"), or one object of rules -> a data frame of node (name), predictor, probability (NA where none is said).
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

# Predictor functions in the order of their nodes, those of a node in their own.
joined_rules <- function(old, new) {
  rules <- rbind(old, new)
  rules <- rules[order(rules$node), , drop = FALSE]
  rownames(rules) <- NULL
  rules
}

# What a reduction kept and removed is no longer told of a network whose nodes or rules are others.
not_reduced <- function(model) {
  model$reduction <- NULL
  class(model) <- setdiff(class(model), "reduced_pbn")
  model
}
