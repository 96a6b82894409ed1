#' Reduce a network to relevant nodes
#'
#' Keeps the strongly connected components of the dependency graph that contain a node of interest, and those from which such a
#' component can be reached. The removed nodes cannot affect the nodes of interest, with one exception: if a removed node is
#' perturbed, no node is updated in that step. The reduced network keeps the number of removed nodes to account for this. All
#' probabilities of its nodes are therefore the same as in the original network.
#'
#' @param model A network of class `pbn`.
#' @param of_interest Nodes of interest: names or numbers of nodes, or state sets as in [steady_state()], whose nodes are then of
#'   interest. For a [petri_net()], names of places and variables, or `NULL` (the default).
#' @param x A reduced network.
#' @param ... Further arguments of methods. The methods have none.
#'
#' @returns A network of class `c("reduced_pbn", "pbn")`, with nodes in their original order. Its element `reduction` is a list of
#'   `of_interest`, `kept` and `removed` (names), `components` (a data frame as returned by [network_components()] for the
#'   original network, with the additional column `kept`), `nodes` (their original number) and `lambda` (the probability that no
#'   removed node is perturbed in a step). `print()` shows which nodes were kept and removed.
#' @section Errors: `fireflip_error_argument` for a node that the network does not have.
#' @references Mizera A, Pang J, Yuan Q (2019). GPU-accelerated steady-state computation of large probabilistic Boolean
#'   networks. *Formal Aspects of Computing* 31, 27-46, section 4. \doi{10.1007/s00165-018-0470-6}
#' @rdname reduce_network
#' @export
#' @examples
#' reduce_network(example_model("apoptosis"), of_interest = "complex2")
reduce_network.pbn <- function(model, of_interest, ...) {
  check_parts(model)
  check_no_more(...)
  reduce_to(model, interest_nodes(model, of_interest))
}

# The same for numbers of nodes. Without any, as for sets that name no node, the network is returned unchanged.
reduce_to <- function(model, interest) {
  if (length(interest) == 0L) return(model)
  graph <- .Call(ffi_pbn_graph, model)
  keep <- .Call(ffi_graph_keep, model, interest)
  removed <- which(!keep)
  out <- list(
    nodes = model$nodes[keep],
    rules = kept_rules(model, keep),
    perturbation = model$perturbation,
    exempt = model$exempt[keep],
    initial = model$initial[keep],
    update = model$update,
    contexts = if (is.null(model$contexts)) NULL else {
      list(probability = model$contexts$probability, predictor = model$contexts$predictor[, keep, drop = FALSE])
    },
    removed = c(
      nodes = model$removed[[1L]] + length(removed),
      perturbed = model$removed[[2L]] + sum(!model$exempt[removed])
    )
  )
  components <- component_frame(model, graph)
  components$kept <- keep
  out$reduction <- list(
    of_interest = model$nodes[interest], kept = model$nodes[keep], removed = model$nodes[removed], components = components,
    nodes = length(model$nodes), lambda = (1 - model$perturbation)^out$removed[[2L]]
  )
  structure(out, class = c("reduced_pbn", "pbn"))
}

kept_rules <- function(model, keep) {
  rules <- model$rules[keep[model$rules$node], , drop = FALSE]
  rules$node <- cumsum(keep)[rules$node]
  rownames(rules) <- NULL
  rules
}

shorten <- function(names, most = 100L) if (length(names) > most) c(names[seq_len(most)], "...") else names

# Text that is the name of a node stands for the node. Any other text is a state set.
interest_nodes <- function(model, of_interest) {
  expected <- "names or numbers of nodes, or state sets"
  if (missing(of_interest)) abort_value("of_interest", expected, of_interest)
  if (is.factor(of_interest)) of_interest <- as.character(of_interest)
  if (is.numeric(of_interest) && is.null(names(of_interest))) return(check_nodes(model, of_interest, "of_interest"))
  if (is.character(of_interest) && all(of_interest %in% model$nodes)) {
    if (length(of_interest) == 0L) abort_argument("`of_interest` must name at least one node; found none.")
    return(sort(unique(match(of_interest, model$nodes))))
  }
  if (!is.character(of_interest) && !is.list(of_interest) && !is.numeric(of_interest) && !is.logical(of_interest)) {
    abort_value("of_interest", expected, of_interest)
  }
  set_nodes(model, as_sets(of_interest, model, "of_interest"))
}

# Numbers of the nodes that occur in state sets (text).
set_nodes <- function(model, sets) .Call(ffi_set_nodes, model, unname(sets))

#' @rdname reduce_network
#' @export
print.reduced_pbn <- function(x, ...) {
  reduction <- x$reduction
  if (is.null(reduction)) return(NextMethod())
  components <- reduction$components
  first <- !duplicated(components$component)
  cyclic <- components$size[first & components$cyclic & components$kept & components$size > 1L]
  wrap <- function(label, names) {
    strwrap(paste0(label, if (length(names) > 0L) paste0(": ", paste(names, collapse = ", "))), exdent = 4L, indent = 2L)
  }
  writeLines(c(
    sprintf("<reduced_pbn> %d of %s, for %s", length(x$nodes), count_of(reduction$nodes, "node"),
      quote_some(reduction$of_interest)),
    wrap(sprintf("kept %d", length(reduction$kept)), shorten(reduction$kept)),
    if (length(reduction$removed) > 0L) {
      wrap(
        sprintf("removed %d, from which no node of interest can be reached", length(reduction$removed)),
        shorten(reduction$removed)
      )
    } else "  removed none: a node of interest can be reached from each",
    sprintf("  strongly connected components: %d of %d kept%s", sum(first & components$kept), sum(first),
      if (length(cyclic) > 0L) {
        sprintf(", feedback among %s nodes", paste(sort(cyclic, decreasing = TRUE), collapse = ", "))
      } else ", no feedback among several nodes"),
    if (x$removed[[2L]] > 0L) {
      sprintf("  lambda = %s, the probability that a step perturbs none of the %d removed nodes that can be perturbed",
        format((1 - x$perturbation)^x$removed[[2L]], digits = 6), x$removed[[2L]])
    },
    sprintf("  %s", settings_line(x))
  ))
  invisible(x)
}

#' Components and arrows of a network
#'
#' @param model A network of class `pbn`.
#' @param ... Further arguments of methods. The method for `pbn` has none.
#' @returns `network_components()`: a data frame with a row per node and the columns `node`, `component` (numbers of strongly
#'   connected components, in topological order), `size` (number of nodes in the component) and `cyclic` (whether the component
#'   contains a feedback loop, including that of a node with itself). `network_arrows()`: a data frame with a row per arrow from a
#'   parent to a child and the columns `from`, `to` and `sign`.
#' @section Signs: `"+"` means activation: changing the parent from 0 to 1 never lowers the value of a predictor function of the
#'   child. `"-"` means inhibition: it never raises the value of one. `"+/-"` means both: it raises a value in some states and
#'   lowers one in others. `NA` means that the parent occurs in a function but never affects its value, or that the sign is
#'   unknown. The signs in functions of up to 16 parents are determined from truth tables. In functions of more parents they are
#'   determined from the text: a parent that occurs only without negation, or only with negation, has a sign. Otherwise its sign
#'   is `NA`.
#' @inherit reduce_network references
#' @rdname network_components
#' @export
#' @examples
#' net <- example_model("example1")
#' network_components(net)
#' head(network_arrows(net))
network_components.pbn <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  component_frame(model, .Call(ffi_pbn_graph, model))
}

component_frame <- function(model, graph) {
  data.frame(
    node = model$nodes, component = graph$component, size = graph$size[graph$component],
    cyclic = graph$cyclic[graph$component]
  )
}

#' @rdname network_components
#' @export
network_arrows.pbn <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  graph <- .Call(ffi_pbn_graph, model)
  data.frame(from = model$nodes[graph$from], to = model$nodes[graph$to], sign = arrow_signs(model))
}

# Signs of the arrows, in the order of ffi_pbn_graph(). ff_pbn_signs() defines the integers (src/model/ff_model.h).
arrow_signs <- function(model) c(NA, "+", "-", "+/-", NA, NA, NA, "+/-")[.Call(ffi_pbn_signs, model) + 1L]
