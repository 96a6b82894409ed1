#' Print and inspect a network
#'
#' `print()` shows the size of a network, its settings and its first rules. `format()` returns the same as lines of text.
#' `summary()` describes the structure of the network. `as.data.frame()` returns all predictor functions.
#'
#' `net["A"]` returns the rules of nodes in the form of `as.data.frame()`. `net$A` and `net[["A"]]` return the rules of one node
#' in the form that [set_rule()] accepts.
#'
#' @param x,object A network of class `pbn`.
#' @param i Names or numbers of nodes. For `[[`, a single name.
#' @param name The name of a node, or of an element of the network; see section Elements.
#' @param exact Ignored; required by the generic.
#' @param n How many predictor functions to show. Default 10; `Inf` for all, 0 for none.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... Ignored.
#' @returns `format()`: a character vector of lines.
#'
#'   `summary()`: a list of class `summary.pbn` with the following elements. `nodes`, `functions` and `parents` are the numbers of
#'   nodes, of predictor functions, and of parents of all functions. `max_functions` and `max_parents` are the largest number of
#'   functions of a node and of parents of a function. `density` is `parents` divided by `nodes` (section 2.1 of Mizera, Pang and
#'   Yuan 2019). `inputs` (nodes whose only rule is their own value), `constants` and `leaves` (nodes that are not a parent of
#'   another node) are names. `cycles` holds the sizes of the strongly connected components that contain a feedback loop, in
#'   decreasing order. The settings are `perturbation`, `exempt` (names), `update`, `contexts` (their number; 0 for an independent
#'   network), `context_probability` (one number per context) and `removed` (the number of nodes that a reduction removed).
#'
#'   `as.data.frame()`: a data frame with one row per predictor function and the columns `node`, `predictor` (text) and
#'   `probability` (the selection probability). In a dependent network, `probability` is `NA`, and a further column `contexts`
#'   gives the numbers of the contexts that select the function, such as `"1, 3"`.
#' @section Elements: A network is a list with the elements `nodes` (names), `rules` (a data frame), `perturbation`, `exempt`,
#'   `initial`, `update`, `contexts` and `removed`, and `reduction` if it was created by [reduce_network()]. `net$perturbation`
#'   returns such an element. Any other name is that of a node. `net$A` is the text of its predictor function. If it has several,
#'   it is a vector of their selection probabilities, named by the functions (in a dependent network, a vector of the functions).
#'   A name that is neither is an error of class `fireflip_error_argument`. If a node has the same name as an element, use
#'   `net["rules"]` to get its rules. To change rules, use [set_rule()].
#' @section Dependent networks: The element `contexts` of a network has the form that [pbn()] accepts.
#'   `net$contexts$probability` holds the probabilities of the contexts, and `net$contexts$predictor` the predictor function of
#'   each node in each context. `print()` shows the probabilities. If only some contexts use a predictor function, it shows their
#'   numbers beside the function.
#' @name pbn-methods
#' @examples
#' net <- example_model("shmulevich3")
#' net
#' summary(net)
#' as.data.frame(net)
#' net["x1"]
#' net$x1
NULL

pbn_elements <- c("nodes", "rules", "perturbation", "exempt", "initial", "update", "contexts", "removed", "reduction")

#' @rdname pbn-methods
#' @export
`$.pbn` <- function(x, name) if (name %in% pbn_elements) .subset2(x, name) else rules_of_node(x, name)

#' @rdname pbn-methods
#' @export
`[[.pbn` <- function(x, i, exact = TRUE) {
  if (is.character(i) && length(i) == 1L && !is.na(i) && !i %in% pbn_elements) rules_of_node(x, i) else .subset2(x, i)
}

#' @rdname pbn-methods
#' @export
`[.pbn` <- function(x, i, ...) {
  check_parts(x)
  if (nargs() > 2L) {
    abort_argument("A network has no rows and columns: net[nodes] gives rules, and as.data.frame(net) all of them.")
  }
  if (missing(i)) return(x)
  if (is.character(i)) for (name in setdiff(i, x$nodes)) abort_no_node(x, name)
  index <- check_nodes(x, i, "i")
  out <- as.data.frame(x)
  out <- out[unlist(lapply(index, function(node) which(x$rules$node == node))), , drop = FALSE]
  rownames(out) <- NULL
  out
}

#' @export
`$<-.pbn` <- function(x, name, value) {
  if (!name %in% pbn_elements) abort_no_element(x, name)
  NextMethod()
}

#' @export
`[<-.pbn` <- function(x, i, ..., value) {
  if (nargs() > 3L) abort_argument("A network has no rows and columns: set_rule() changes rules.")
  if (!missing(i) && is.character(i)) for (name in setdiff(i, pbn_elements)) abort_no_element(x, name)
  NextMethod()
}

#' @export
`[[<-.pbn` <- function(x, i, value) {
  if (is.character(i) && length(i) > 0L && !i[[1L]] %in% pbn_elements) abort_no_element(x, i[[1L]])
  NextMethod()
}

#' @rawNamespace S3method(utils::.DollarNames, pbn)
.DollarNames.pbn <- function(x, pattern = "") grep(pattern, c(names(x), x$nodes), value = TRUE)

# The rules of one node in the form that set_rule() accepts.
rules_of_node <- function(x, name) {
  check_parts(x)
  check_parts(x)
  node <- match(name, x$nodes)
  if (is.na(node)) abort_no_node(x, name)
  at <- x$rules$node == node
  predictor <- x$rules$predictor[at]
  if (length(predictor) == 1L || !is.null(x$contexts)) return(predictor)
  stats::setNames(x$rules$probability[at], predictor)
}

abort_no_node <- function(x, name) {
  if (name %in% pbn_elements) {
    abort_argument(
      sprintf("The network has no node called \"%s\"; net$%s is its element of this name.", name, name), unknown = name
    )
  }
  near <- closest_name(name, c(x$nodes, names(x)))
  abort_argument(sprintf(
    "The network has neither a node nor an element called \"%s\"%s", name,
    if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
  ), unknown = name)
}

abort_no_element <- function(x, name) {
  if (name %in% x$nodes) {
    abort_argument(sprintf("\"%s\" is a node: set_rule(net, %s = ...) changes its rule.", name, argument_name(name)))
  }
  abort_argument(sprintf(
    "A network has no element called \"%s\"; add_node() adds nodes, and set_rule() and others change it.", name
  ))
}

#' @rdname pbn-methods
#' @export
print.pbn <- function(x, n = 10, ...) {
  writeLines(format(x, n = n, ...))
  invisible(x)
}

#' @rdname pbn-methods
#' @export
format.pbn <- function(x, n = 10, ...) {
  check_parts(x)
  check_number(n, "n", 0, Inf)
  functions <- nrow(x$rules)
  shown <- seq_len(min(n, functions))
  c(
    size_line(x), settings_line(x), contexts_line(x),
    if (length(shown) > 0L) rule_lines(x, shown),
    if (n > 0 && functions > length(shown)) {
      sprintf("... and %s", count_of(functions - length(shown), "more predictor function"))
    }
  )
}

size_line <- function(x) {
  several <- sum(tabulate(x$rules$node, length(x$nodes)) > 1L)
  sprintf(
    "<pbn> %s, %s%s", count_of(length(x$nodes), "node"), count_of(nrow(x$rules), "predictor function"),
    if (several > 0L) sprintf(" (%s with several)", count_of(several, "node")) else ""
  )
}

settings_line <- function(x) {
  exempt <- sum(x$exempt)
  initial <- sum(!is.na(x$initial))
  removed <- x$removed[[1L]]
  paste0(
    x$update, ", ",
    if (is.null(x$contexts)) "independent" else paste("dependent with", count_of(length(x$contexts$probability), "context")),
    sprintf(", perturbation %s", format(x$perturbation)),
    if (exempt > 0L) sprintf(" (%s exempt)", count_of(exempt, "node")),
    if (initial > 0L) sprintf(", %s with a given start", count_of(initial, "node")),
    if (removed > 0L) sprintf(", %s removed by reduction", count_of(removed, "more node"))
  )
}

contexts_line <- function(x) {
  if (is.null(x$contexts)) return(NULL)
  sprintf("contexts with probability %s; see $contexts", some_numbers(x$contexts$probability))
}

some_numbers <- function(x, most = 6L) {
  shown <- paste(trimws(format_digits(utils::head(x, most))), collapse = ", ")
  if (length(x) > most) paste0(shown, ", ...") else shown
}

# The contexts that select each of the predictor functions `shown`, as text, "1, 3".
contexts_of_rules <- function(x, shown = seq_len(nrow(x$rules))) {
  number <- seq_along(x$rules$node) - match(x$rules$node, x$rules$node) + 1L
  vapply(shown, function(rule) {
    paste(which(x$contexts$predictor[, x$rules$node[[rule]]] == number[[rule]]), collapse = ", ")
  }, "")
}

rule_lines <- function(x, shown, width = getOption("width")) {
  rules <- x$rules[shown, ]
  several <- tabulate(x$rules$node, length(x$nodes))[rules$node] > 1L
  names <- format(x$nodes[rules$node])
  note <- if (is.null(x$contexts)) format_digits(rules$probability) else {
    numbers <- contexts_of_rules(x, shown)
    many <- grepl(",", numbers, fixed = TRUE)
    ifelse(nzchar(numbers), paste(ifelse(many, "contexts", "context"), numbers), "no context")
  }
  lines <- sprintf("  %s = %s%s", names, rules$predictor, ifelse(several, sprintf("  [%s]", note), ""))
  long <- nchar(lines) > width
  lines[long] <- paste0(substr(lines[long], 1L, max(width - 3L, 20L)), "...")
  lines
}

format_digits <- function(x, digits = 4L) formatC(x, digits = digits, format = "g", width = -1)

#' @rdname pbn-methods
#' @export
summary.pbn <- function(object, ...) {
  check_pbn(object, "object")
  counts <- .Call(ffi_pbn_check, object)
  graph <- .Call(ffi_pbn_graph, object)
  n <- length(object$nodes)
  parents <- .Call(ffi_pbn_parents, object)
  n_parents <- lengths(parents)
  functions <- tabulate(object$rules$node, n)
  constant <- functions == 1L
  constant[object$rules$node[n_parents > 0L]] <- FALSE
  others <- graph$from != graph$to
  structure(class = "summary.pbn", c(counts, list(
    inputs = object$nodes[input_nodes(object)],
    constants = object$nodes[constant],
    leaves = object$nodes[!seq_len(n) %in% graph$from[others]],
    cycles = sort(graph$size[graph$cyclic & graph$size > 1L], decreasing = TRUE),
    perturbation = object$perturbation,
    exempt = object$nodes[object$exempt],
    update = object$update,
    contexts = length(object$contexts$probability),
    context_probability = as.double(object$contexts$probability),
    removed = object$removed[[1L]]
  )))
}

# Whether the long run is known not to depend on the start.
forgets_start <- function(model) {
  (model$perturbation > 0 && !any(model$exempt)) || .Call(ffi_pbn_forgets, model)
}

# Numbers of the nodes that are held at a value, and of the inputs. src/model/ff_model.h defines both.
held_nodes <- function(model) which(.Call(ffi_pbn_roles, model)$held)
input_nodes <- function(model) which(.Call(ffi_pbn_roles, model)$input)

#' @export
print.summary.pbn <- function(x, ...) {
  writeLines(c(
    "A probabilistic Boolean network",
    sprintf("  nodes                %s", format_whole(x$nodes)),
    sprintf("  predictor functions  %s, at most %d per node", format_whole(x$functions), x$max_functions),
    sprintf("  parents              at most %d per function; density %s", x$max_parents, format(round(x$density, 2))),
    sprintf("  inputs               %s", names_text(x$inputs)),
    sprintf("  constants            %s", names_text(x$constants)),
    sprintf("  leaves               %s", names_text(x$leaves)),
    sprintf("  feedback components  %s", if (length(x$cycles) == 0L) "none" else {
      sprintf("%d, of %s nodes", length(x$cycles), paste(utils::head(x$cycles, 10L), collapse = ", "))
    }),
    sprintf("  perturbation         %s; exempt: %s", format(x$perturbation), names_text(x$exempt)),
    sprintf(
      "  update               %s, %s", x$update, if (x$contexts == 0L) "independent" else count_of(x$contexts, "context")
    ),
    if (x$contexts > 0L) {
      sprintf("  contexts             with probability %s; see $contexts", some_numbers(x$context_probability))
    },
    if (x$removed > 0L) sprintf("  removed              %s", count_of(x$removed, "node"))
  ))
  invisible(x)
}

names_text <- function(x, most = 6L) {
  if (length(x) == 0L) return("none")
  paste0(length(x), ": ", paste(utils::head(x, most), collapse = ", "), if (length(x) > most) ", ...")
}

#' @rdname pbn-methods
#' @export
as.data.frame.pbn <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_parts(x)
  out <- data.frame(
    node = x$nodes[x$rules$node],
    predictor = x$rules$predictor,
    probability = if (is.null(x$contexts)) x$rules$probability else rep(NA_real_, nrow(x$rules))
  )
  if (!is.null(x$contexts)) out$contexts <- contexts_of_rules(x)
  out
}
