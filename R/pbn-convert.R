#' Convert networks to and from other packages
#'
#' `as_pbn()` converts an object of BoolNet (`BooleanNetwork` or `ProbabilisticBooleanNetwork`), an igraph graph or a data frame
#' to a network. `as_boolnet()` converts a network to an object for BoolNet's functions. The method for igraph's generic
#' `as.igraph()` converts a network to a graph with an arrow from every parent to its child.
#'
#' Objects of BoolNet have no perturbation, initial values, asynchronous update or contexts. For a dependent network,
#' `as_boolnet()` raises an error. It drops the other properties. If it drops a perturbation above 0, which changes the long run,
#' it gives a warning of class `fireflip_warning_dropped`. `as_pbn()` treats a node that BoolNet holds fixed as [fix_nodes()]
#' does.
#'
#' The graph keeps all properties in its attributes. Those of vertices are `name`, `predictors`, `probabilities`, `exempt`,
#' `initial` and `component` (the strongly connected component). `as_pbn()` reads them again. The attribute `functions` of an
#' arrow is the number of the child's predictor functions in which the parent occurs, and `weight` is the sum of their selection
#' probabilities.
#'
#' A graph that was not made from a network has no rules. Then each node gets one predictor function: its parents joined
#' according to `join`. A parent is negated if its arrow has a negative attribute `sign`. A node without parents is an input. The
#' attribute `name` gives the names of nodes; if there is none, they are x1, x2, and so on.
#'
#' @param x A `BooleanNetwork` or `ProbabilisticBooleanNetwork`, an igraph graph, a data frame in the form that [pbn()] accepts
#'   (columns `node`, `predictor` and `probability`, or BoolNet's `targets`, `factors` and `probabilities`), or a `pbn`.
#' @param model A network of class `pbn`.
#' @param join For a graph without rules, `"any"` (the parents are joined by `|`) or `"all"` (they are joined by `&`).
#' @param ... Further arguments of [pbn()], such as `perturbation`. They override the attributes of the graph; `initial` does so
#'   for the nodes that it names. For a `pbn` they are an error; use functions such as [set_perturbation()] to change it.
#' @returns `as_pbn()`: a network of class `pbn`. `as_boolnet()`: an object of class `BooleanNetwork` if every node has one
#'   predictor function, otherwise of class `ProbabilisticBooleanNetwork`. It holds truth tables, so a function with more than 16
#'   parents is an error of class `fireflip_error_size`.
#' @section Errors: `fireflip_error_model` if BoolNet cannot represent the network, and for a graph that is undirected, has no
#'   vertices, or has two vertices of the same name.
#' @concept BoolNet
#' @concept igraph
#' @export
#' @examples
#' net <- example_model("shmulevich3")
#' if (requireNamespace("BoolNet", quietly = TRUE)) {
#'   other <- as_boolnet(set_perturbation(net, 0)) # BoolNet has no perturbation
#'   BoolNet::stateTransition(other, c(1, 0, 1), type = "probabilistic", chosenFunctions = c(1, 1, 2))
#'   as_pbn(other, perturbation = 0.01)
#' }
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   graph <- igraph::as.igraph(net)
#'   as_pbn(graph)
#' }
as_pbn <- function(x, ...) UseMethod("as_pbn")

#' @export
as_pbn.default <- function(x, ...) {
  abort_value("x", "a BoolNet network, an igraph graph, a data frame of rules, or a pbn", x)
}

#' @export
as_pbn.pbn <- function(x, ...) {
  if (...length() > 0L) {
    abort_argument(paste(
      "as_pbn() of a pbn takes no further arguments; set_perturbation(), set_initial() and set_update() change a network."
    ))
  }
  x
}

#' @rdname as_pbn
#' @export
as_pbn.data.frame <- function(x, ...) pbn(x, ...)

#' @export
as_pbn.BooleanNetwork <- function(x, ...) {
  from_boolnet(x, lapply(x$interactions, function(one) {
    one$probability <- 1
    list(one)
  }), ...)
}

#' @export
as_pbn.ProbabilisticBooleanNetwork <- function(x, ...) from_boolnet(x, x$interactions, ...)

#' @export
as_pbn.SymbolicBooleanNetwork <- function(x, ...) {
  abort("model", paste(
    "A SymbolicBooleanNetwork may look back in time, which a probabilistic Boolean network cannot;",
    "load the network with symbolic = FALSE."
  ))
}

from_boolnet <- function(x, interactions, ...) {
  parts <- unlist(unname(interactions), recursive = FALSE)
  node <- rep(x$genes, lengths(interactions))
  probability <- vapply(parts, function(part) as.double(part$probability), 0)
  probability <- probability / rowsum(probability, node)[node, 1L]
  unknown <- vapply(parts, function(part) !all(part$func %in% c(0, 1)), NA)
  if (any(unknown)) {
    abort("model", sprintf(
      "The network has a truth table with unknown entries for gene \"%s\"; give each entry a value first.",
      node[which(unknown)[[1L]]]
    ))
  }
  table <- vapply(parts, function(part) table_text(x$genes, part$input, part$func), "")
  rules <- data.frame(node = node, predictor = table, probability = probability)
  out <- without_inputs_message(
    prefer_expressions(pbn(rules, ...), vapply(parts, function(part) one_text(part$expression), ""), rules, ...)
  )
  fixed <- which(x$fixed != -1)
  if (length(fixed) > 0L) out <- fix_nodes(out, stats::setNames(x$fixed[fixed], x$genes[fixed]))
  tell_perturbed_inputs(out)
  out
}

one_text <- function(x) if (is.character(x) && length(x) == 1L && !is.na(x)) x else ""

# A truth table as text. In `func`, the first input is the most significant bit, as in our grammar.
table_text <- function(names, input, func) {
  if (identical(as.integer(input), 0L) || length(input) == 0L) return(as.character(as.integer(func[[1L]])))
  sprintf("f(%s){%s}", paste(quote_name(names[input]), collapse = ", "), paste(as.integer(func), collapse = ""))
}

# Uses BoolNet's expressions, which are easier to read, instead of truth tables where both have the same values.
prefer_expressions <- function(model, expression, rules, ...) {
  plain <- grepl("^[A-Za-z0-9_.!&|() ]+$", expression) & nzchar(expression)
  if (!any(plain)) return(model)
  rules$predictor[plain] <- trimws(expression[plain])
  other <- tryCatch(pbn(rules, ...), fireflip_error = function(error) NULL)
  if (is.null(other)) return(model)
  same <- mapply(same_function,
    .Call(ffi_pbn_parents, model), .Call(ffi_pbn_tables, model), .Call(ffi_pbn_parents, other), .Call(ffi_pbn_tables, other)
  )
  model$rules$predictor[same] <- other$rules$predictor[same]
  model
}

same_function <- function(parents_a, table_a, parents_b, table_b) {
  all <- union(parents_a, parents_b)
  rows <- counting_rows(length(all))
  identical(
    table_a[row_number(rows, match(parents_a, all))], table_b[row_number(rows, match(parents_b, all))]
  )
}

# All 0/1 rows of k columns in counting order, with the first column as the most significant bit.
counting_rows <- function(k) {
  n <- 2^k
  matrix(vapply(seq_len(k), function(j) rep(rep(0:1, each = 2^(k - j)), length.out = n), numeric(n)), n, k)
}

row_number <- function(rows, columns) {
  k <- length(columns)
  1 + as.vector(rows[, columns, drop = FALSE] %*% 2^(k - seq_len(k)))
}

#' @rdname as_pbn
#' @export
as_boolnet <- function(model) {
  check_pbn(model)
  if (!is.null(model$contexts)) {
    abort("model", "BoolNet has no dependent networks: one with contexts cannot become a BoolNet object.")
  }
  if (model$perturbation > 0) {
    warn("dropped", sprintf(
      "BoolNet's objects cannot store the perturbation %s, so it is dropped.", format(model$perturbation)
    ), lost = "the perturbation")
  }
  parents <- .Call(ffi_pbn_parents, model)
  tables <- .Call(ffi_pbn_tables, model)
  probabilistic <- anyDuplicated(model$rules$node) > 0L
  parts <- lapply(seq_along(parents), function(j) {
    constant <- length(parents[[j]]) == 0L
    part <- list(
      input = if (constant) 0 else parents[[j]],
      func = as.double(tables[[j]]),
      expression = boolnet_text(model, model$rules$predictor[[j]], parents[[j]], tables[[j]])
    )
    if (probabilistic) part$probability <- model$rules$probability[[j]]
    part
  })
  fixed <- stats::setNames(rep(-1, length(model$nodes)), model$nodes)
  if (probabilistic) {
    interactions <- unname(split(parts, factor(model$rules$node, seq_along(model$nodes))))
  } else {
    interactions <- parts
    constant <- lengths(parents) == 0L
    fixed[model$rules$node[constant]] <- vapply(parts[constant], function(part) part$func[[1L]], 0)
  }
  structure(
    list(interactions = stats::setNames(interactions, model$nodes), genes = model$nodes, fixed = fixed),
    class = if (probabilistic) "ProbabilisticBooleanNetwork" else "BooleanNetwork"
  )
}

# BoolNet's expressions consist of names, !, &, |, parentheses, 0 and 1. Anything else is written as a sum of products.
boolnet_text <- function(model, text, parents, table) {
  words <- "\\b(and|or|xor|not|true|false)\\b"
  if (grepl("^[A-Za-z0-9_.!&|() ]+$", text) && !grepl(words, text, ignore.case = TRUE)) return(text)
  if (length(parents) == 0L || all(table == table[[1L]])) return(as.character(table[[1L]]))
  rows <- counting_rows(length(parents))[table == 1L, , drop = FALSE]
  literals <- matrix(paste0(ifelse(rows == 1, "", "!"), rep(model$nodes[parents], each = nrow(rows))), nrow(rows))
  paste0("(", apply(literals, 1L, paste, collapse = " & "), ")", collapse = " | ")
}

#' @exportS3Method igraph::as.igraph
as.igraph.pbn <- function(x, ...) {
  check_parts(x)
  graph <- .Call(ffi_pbn_graph, x)
  n <- length(x$nodes)
  parents <- .Call(ffi_pbn_parents, x)
  child <- rep(x$rules$node, lengths(parents))
  key <- paste(unlist(parents), child)
  order <- match(paste(graph$from, graph$to), unique(key))
  count <- rowsum(rep(1, length(key)), key, reorder = FALSE)[, 1L]
  weight <- rowsum(rep(marginal_probability(x), lengths(parents)), key, reorder = FALSE)[, 1L]
  out <- igraph::make_empty_graph(n, directed = TRUE)
  by_node <- factor(x$rules$node, seq_len(n))
  out <- igraph::set_vertex_attr(out, "name", value = x$nodes)
  out <- igraph::set_vertex_attr(out, "predictors", value = unname(split(x$rules$predictor, by_node)))
  out <- igraph::set_vertex_attr(out, "probabilities", value = unname(split(x$rules$probability, by_node)))
  out <- igraph::set_vertex_attr(out, "exempt", value = x$exempt)
  out <- igraph::set_vertex_attr(out, "initial", value = x$initial)
  out <- igraph::set_vertex_attr(out, "component", value = graph$component)
  out <- igraph::add_edges(out, rbind(graph$from, graph$to), attr = list(
    functions = unname(count[order]), weight = unname(weight[order])
  ))
  for (name in c("perturbation", "update", "contexts", "removed")) {
    out <- igraph::set_graph_attr(out, name, x[[name]])
  }
  out
}

# The probability that each predictor function is selected: its own, or the sum over the contexts that select it.
marginal_probability <- function(model) {
  if (is.null(model$contexts)) return(model$rules$probability)
  number <- stats::ave(seq_along(model$rules$node), model$rules$node, FUN = seq_along)
  used <- model$contexts$predictor[, model$rules$node, drop = FALSE] == rep(number, each = nrow(model$contexts$predictor))
  colSums(used * model$contexts$probability)
}

#' @rdname as_pbn
#' @export
as_pbn.igraph <- function(x, join = c("any", "all"), ...) {
  need_package("igraph", "as_pbn() of a graph")
  join <- check_choice(join, "join", c("any", "all"))
  if (!igraph::is_directed(x)) abort("model", "The graph must be directed: an arrow leads from a parent to its child.")
  nodes <- igraph::vertex_attr(x, "name")
  if (is.null(nodes)) nodes <- paste0("x", seq_len(igraph::vcount(x)), recycle0 = TRUE)
  if (length(nodes) == 0L) abort("model", "The graph has no vertex; a network has at least one node.")
  twice <- unique(nodes[duplicated(nodes)])
  if (length(twice) > 0L) {
    abort("model", sprintf("The graph has more than one vertex called %s; the names of nodes must differ.", quote_some(twice)))
  }
  predictors <- igraph::vertex_attr(x, "predictors")
  if (is.null(predictors)) return(pbn(stats::setNames(joined_parents(x, nodes, join), nodes), ...))

  probabilities <- unlist(igraph::vertex_attr(x, "probabilities"))
  rules <- data.frame(
    node = rep(nodes, lengths(predictors)), predictor = unlist(predictors),
    probability = if (is.null(probabilities)) NA_real_ else probabilities
  )
  given <- settings_given(...)
  settings <- list(
    perturbation = igraph::graph_attr(x, "perturbation"), update = igraph::graph_attr(x, "update"),
    exempt = igraph::vertex_attr(x, "exempt"), initial = igraph::vertex_attr(x, "initial"),
    contexts = igraph::graph_attr(x, "contexts")
  )
  initial <- given$initial
  given$initial <- NULL
  settings[names(given)] <- given
  settings <- settings[!vapply(settings, is.null, NA)] # pbn() has defaults for the others
  out <- without_inputs_message(do.call(pbn, c(list(rules), settings)))
  if (!is.null(initial)) out$initial <- node_values(out, initial, "initial", out$initial, random = TRUE)
  if (length(given) > 0L || !is.null(initial)) tell_perturbed_inputs(out)
  removed <- igraph::graph_attr(x, "removed")
  if (!is.null(removed)) out$removed <- removed
  out
}

# The arguments of pbn() in `...`, by their full names. An argument that is NULL counts as not given.
settings_given <- function(...) {
  given <- list(...)
  if (length(given) == 0L) return(given)
  known <- setdiff(names(formals(pbn)), "rules") # the rules come from the graph
  if (is.null(names(given)) || any(!nzchar(names(given)))) {
    abort_argument(sprintf(
      "as_pbn() needs the names of further arguments, %s; found one without.", paste0("`", known, "`", collapse = ", ")
    ))
  }
  full <- known[pmatch(names(given), known)]
  if (anyNA(full)) abort_unknown(names(given)[is.na(full)][[1L]], known)
  names(given) <- full
  given[!vapply(given, is.null, NA)]
}

joined_parents <- function(graph, nodes, join) {
  arrows <- igraph::as_edgelist(graph, names = FALSE)
  sign <- igraph::edge_attr(graph, "sign")
  negated <- if (is.null(sign)) logical(nrow(arrows)) else sign < 0
  named <- quote_name(nodes)
  literal <- paste0(ifelse(negated, "!", ""), named[arrows[, 1L]], recycle0 = TRUE)
  by_child <- split(literal, factor(arrows[, 2L], seq_along(nodes)))
  ifelse(
    lengths(by_child) > 0L,
    vapply(by_child, paste, "", collapse = if (join == "any") " | " else " & "),
    named
  )
}
