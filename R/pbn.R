#' A probabilistic Boolean network
#'
#' Creates a probabilistic Boolean network (PBN) from rules. Every node has one or more predictor functions. At each step, one
#' of them is selected at random, and its value is the node's next value. `vignette("complex2", package = "fireflip")` shows a
#' whole analysis, from a file to figures.
#'
#' @param rules The predictor functions, in one of four forms:
#'   * a named character vector, `c(A = "B & !C", B = "A", C = "C")`. A name that occurs twice gives its node two predictor
#'     functions;
#'   * a named list. Each element is either a character vector of predictor functions, `list(A = c("B", "!B"))`, which are
#'     equally likely unless `probabilities` is given, or a numeric vector of selection probabilities whose names are the
#'     predictor functions, `list(A = c("B" = 0.3, "!B" = 0.7))`;
#'   * an unnamed character vector of lines, `"A = B & !C"`. Empty lines are ignored, and `#` starts a comment;
#'   * a data frame with the columns `node`, `predictor` and, if a node has several predictor functions, `probability`.
#'     BoolNet's column names `targets`, `factors` and `probabilities` are accepted too.
#'
#'   A predictor function is an expression over node names, such as `"B & !C"`; the grammar is described below. A node that keeps
#'   its value (an input) is written `X = "X"`. Every name that occurs in a predictor function must be a node.
#' @param probabilities Selection probabilities: a number for each predictor function, in their order, or a list named by
#'   nodes. The probabilities of each node must sum to 1. With `NULL` (the default), the probabilities given in `rules` are
#'   used; if there are none, the predictor functions of a node are equally likely.
#' @param perturbation The perturbation probability p, at least 0 and below 1. At each step, every node that is not exempt is
#'   flipped with this probability. If any node is flipped, no node is updated in that step.
#' @param update `"synchronous"` (all nodes are updated at each step) or `"asynchronous"` (one node is updated at each step,
#'   chosen uniformly at random).
#' @param exempt Nodes that are never perturbed: their names, their numbers, or a logical vector with one element per node. The
#'   word `"inputs"` stands for all inputs, alone or among names. In a network with a node called inputs, it is that node.
#' @param initial Initial state of trajectories: a 0/1 vector named by nodes (the other nodes start at random), or one value per
#'   node, where `NA` means random. With `NULL` (the default), all nodes start at random.
#' @param contexts `NULL` for an *independent* network, where the predictor function of each node is selected independently of
#'   the others. For a *dependent* network, a list of `probability` (one number per context, summing to 1) and `predictor`: a
#'   matrix with a row per context and a column per node, which holds the number, from 1, of the predictor function that the
#'   node uses in that context. If the matrix has column names, nodes without a column use their first predictor function.
#' @param ... Must be empty: all rules are in `rules`.
#'
#' @returns An object of class `pbn`.
#' @section The grammar of predictor functions:
#' Operators from the highest precedence to the lowest. Words may be written in lower or upper case:
#'
#' * not: `!`, `~` or `not`
#' * and: `&`, `&&`, `*` or `and`
#' * exclusive or: `^` or `xor`
#' * or: `|`, `||`, `+` or `or`
#'
#' Parentheses group. Constants are `0` or `false`, and `1` or `true`. A truth table is written `f(A, B){0110}`. Its rows are in
#' counting order, with the first name as the most significant bit. It has at most 16 names, and may be used wherever a name may.
#'
#' A name consists of letters (including letters beyond ASCII), digits, `_`, `.` and, except as the first character, `-`. Any
#' other name must be enclosed in double quotes or backquotes, as in `"NF-kB (active)"`. So must a node whose name is a word of
#' the grammar, such as `"OR"`, `"not"`, `"True"` or `"1"`. Any other name may be quoted too. State sets, as taken by
#' [steady_state()] and other functions, follow the same grammar.
#' @section Inputs:
#' An input is a node whose only predictor function is its own value, so that it keeps its value. If the network has
#' perturbation, an input is flipped like any other node: in the long run it is 0 and 1 equally often, whatever its initial
#' value. To model a constant stimulus, exempt the inputs from perturbation with `exempt = "inputs"`. [fix_nodes()] holds any
#' node at a value. `pbn()`, [read_network()], [as_pbn()], [set_perturbation()] and [set_initial()] report inputs that have an
#' initial value and are perturbed, if a perturbation or initial values are given in the call. They do so in a message of class
#' `fireflip_message_inputs`, whose field `inputs` holds the names.
#' @section Errors: `fireflip_error_argument` for an invalid argument, `fireflip_error_parse` for a predictor function that does
#'   not follow the grammar or names an unknown node, `fireflip_error_model` for an inconsistent network, for instance if the
#'   selection probabilities of a node do not sum to 1.
#' @references Shmulevich I, Dougherty ER, Kim S, Zhang W (2002). Probabilistic Boolean networks: a rule-based uncertainty
#'   model for gene regulatory networks. *Bioinformatics* 18(2), 261-274. \doi{10.1093/bioinformatics/18.2.261}
#'
#' Mizera A, Pang J, Yuan Q (2019). GPU-accelerated steady-state computation of large probabilistic Boolean networks.
#' *Formal Aspects of Computing* 31, 27-46. \doi{10.1007/s00165-018-0470-6}
#' @seealso [example_model()] for networks from the literature, [read_network()] for files, [random_pbn()].
#' @export
#' @examples
#' toggle <- pbn(c(A = "!B", B = "!A"), perturbation = 0.01)
#' toggle
#'
#' # two predictor functions for A, selected with probabilities 0.3 and 0.7
#' pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A & C", C = "C"), perturbation = 0.001)
#'
#' # the same from text and from a data frame
#' pbn(c("A = B", "A = !B", "B = A & C", "C = C"), probabilities = c(0.3, 0.7, 1, 1))
#' pbn(data.frame(
#'   node = c("A", "A", "B", "C"),
#'   predictor = c("B", "!B", "A & C", "C"),
#'   probability = c(0.3, 0.7, 1, 1)
#' ))
#'
#' # a dependent network: A and B switch their predictor functions together
#' pbn(list(A = c("B", "!B"), B = c("A", "!A")),
#'   contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1), c(2, 2))))
pbn <- function(rules, probabilities = NULL, perturbation = 0, update = c("synchronous", "asynchronous"),
                exempt = NULL, initial = NULL, contexts = NULL, ...) {
  check_only_rules(missing(rules), ...)
  if (is.character(probabilities)) {
    abort_argument("`rules` must hold all rules in one vector, such as c(\"A = B\", \"B = A\"); found text in `probabilities`.")
  }
  update <- check_choice(update, "update", c("synchronous", "asynchronous"))
  check_number(perturbation, "perturbation", 0, 1, open_max = TRUE)
  table <- rules_table(rules)
  nodes <- unique(table$node)
  model <- list(
    nodes = nodes,
    rules = finish_rules(table, nodes, probabilities, !is.null(contexts)),
    perturbation = as.double(perturbation),
    exempt = logical(length(nodes)),
    initial = rep(NA_integer_, length(nodes)),
    update = update,
    contexts = NULL,
    removed = c(nodes = 0L, perturbed = 0L)
  )
  model <- new_pbn(model)
  if (!is.null(contexts)) model["contexts"] <- list(check_contexts(model, contexts))
  model$exempt <- node_flags(model, exempt, "exempt")
  if (!is.null(initial)) model$initial <- node_values(model, initial, "initial", model$initial, random = TRUE)
  validate_pbn(model)
  tell_perturbed_inputs(model)
  model
}

# Rules that are arguments of pbn() must be in one vector.
check_only_rules <- function(none, ...) {
  if (...length() == 0L) return(invisible())
  names <- ...names()
  known <- setdiff(names(formals(pbn)), "...")
  if (is.null(names) || !nzchar(names[[1L]])) {
    abort_argument(sprintf("pbn() has one argument too many; the arguments are %s.", paste0("`", known, "`", collapse = ", ")))
  }
  if (!none) abort_unknown(names[[1L]], known)
  abort_argument(sprintf(
    "`rules` must hold all rules in one vector or list, such as pbn(c(A = \"B\", B = \"A\")); found an argument `%s`.",
    names[[1L]]
  ))
}

# Adds the class to a list of the form that src/rglue/ffi.h describes. Checks nothing.
new_pbn <- function(x) structure(x, class = "pbn")

# Lets the core check the whole network: it parses every rule and checks every probability.
validate_pbn <- function(model) {
  .Call(ffi_pbn_check, model)
  model
}

# ---- the four forms of rules -> data frame of node (name), predictor, probability (NA if not given) -------------------

rules_table <- function(rules) {
  table <- if (missing(rules)) NULL else if (is.data.frame(rules)) {
    rules_from_frame(rules)
  } else if (is.list(rules)) {
    rules_from_list(rules)
  } else if (is.character(rules)) {
    if (is.null(names(rules))) rules_from_lines(rules) else rules_from_list(as.list(rules))
  }
  if (is.null(table)) abort_value("rules", "a named character vector or list, text lines, or a data frame", rules)
  if (nrow(table) == 0L) abort_argument("`rules` must name at least one node; found none.")
  table
}

rules_from_frame <- function(rules) {
  class(rules) <- "data.frame" # a tibble warns about columns that do not exist
  # BoolNet's column names, for columns that have none of ours
  other <- c(targets = "node", factors = "predictor", probabilities = "probability")
  renamed <- names(rules) %in% names(other) & !other[names(rules)] %in% names(rules)
  names(rules)[renamed] <- other[names(rules)[renamed]]
  missing <- setdiff(c("node", "predictor"), names(rules))
  if (length(missing) > 0L) {
    abort_argument(sprintf(
      "`rules` as a data frame must have the columns \"node\" and \"predictor\"; found %s.",
      if (length(rules) == 0L) "no column" else quote_some(names(rules))
    ))
  }
  probability <- if (is.null(rules$probability)) rep(NA_real_, nrow(rules)) else rules$probability
  if (!is.numeric(probability)) abort_value("rules$probability", "numbers", probability)
  new_rules(as.character(rules$node), as.character(rules$predictor), as.double(probability))
}

rules_from_list <- function(rules) {
  if (is.null(names(rules)) && length(rules) > 0L) {
    abort_argument("`rules` must be named by nodes; found a list without names.")
  }
  parts <- lapply(rules, function(rule) {
    if (is.numeric(rule) && !is.null(names(rule))) return(list(names(rule), as.double(rule)))
    if ((is.numeric(rule) || is.logical(rule)) && length(rule) == 1L && rule %in% c(0, 1)) {
      return(list(as.character(as.integer(rule)), NA_real_))
    }
    if (is.character(rule) && length(rule) > 0L) return(list(unname(rule), rep(NA_real_, length(rule))))
    NULL
  })
  bad <- which(vapply(parts, is.null, NA))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "`rules` must give predictor functions as text, or selection probabilities named by them; found %s for node \"%s\".",
      describe(rules[[bad[[1L]]]]), names(rules)[[bad[[1L]]]]
    ))
  }
  new_rules(
    rep(names(rules), vapply(parts, function(part) length(part[[1L]]), 0L)),
    unlist(lapply(parts, `[[`, 1L), use.names = FALSE),
    unlist(lapply(parts, `[[`, 2L), use.names = FALSE)
  )
}

rules_from_lines <- function(rules) {
  lines <- unlist(strsplit(rules, "\n", fixed = TRUE))
  # a comment starts at a # outside quotes
  lines <- trimws(sub("^((?:[^\"`#]++|\"[^\"]*+\"|`[^`]*+`)*+)#.*$", "\\1", lines, perl = TRUE))
  lines <- lines[nzchar(lines)]
  pattern <- "^(\"[^\"]+\"|`[^`]+`|[^=]*[^=[:space:]])[[:space:]]*=[[:space:]]*(.*)$"
  bad <- which(!grepl(pattern, lines))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "`rules` as text must be lines like \"A = B & !C\"; found %s.", describe(lines[[bad[[1L]]]])
    ))
  }
  target <- sub(pattern, "\\1", lines)
  new_rules(gsub("^[\"`]|[\"`]$", "", target), sub(pattern, "\\2", lines), rep(NA_real_, length(lines)))
}

new_rules <- function(node, predictor, probability) {
  if (anyNA(node) || any(!nzchar(node))) {
    abort_argument("`rules` must name the node of every predictor function; found an empty name.")
  }
  if (anyNA(predictor)) {
    abort_argument(sprintf(
      "`rules` must give predictor functions as text; found NA for node \"%s\".", node[which(is.na(predictor))[[1L]]]
    ))
  }
  data.frame(node = node, predictor = predictor, probability = probability)
}

finish_rules <- function(table, nodes, probabilities, dependent) {
  if (!is.null(probabilities)) table$probability <- probabilities_vector(table, probabilities)
  if (dependent) table$probability <- NA_real_
  node <- match(table$node, nodes)
  said <- !is.na(table$probability)
  count <- tabulate(node, length(nodes))
  n_said <- tabulate(node[said], length(nodes))
  half <- which(n_said > 0L & n_said < count)
  if (length(half) > 0L) {
    without <- table$predictor[node == half[[1L]] & !said]
    abort_argument(sprintf(
      "Node \"%s\" has %d predictor functions, but the selection probability of %s is missing (NA); give one for each, or none.",
      nodes[[half[[1L]]]], count[[half[[1L]]]], quote_some(without)
    ))
  }
  # the context selects the predictor functions of all nodes, so they have no probabilities of their own
  table$probability[!said] <- if (dependent) 1 else 1 / count[node[!said]]
  order <- order(node)
  data.frame(node = node[order], predictor = table$predictor[order], probability = as.double(table$probability[order]))
}

probabilities_vector <- function(table, probabilities) {
  if (is.list(probabilities)) {
    unknown <- setdiff(names(probabilities), table$node)
    if (is.null(names(probabilities)) || length(unknown) > 0L) {
      abort_argument(sprintf(
        "`probabilities` as a list must be named by nodes; found %s.",
        if (length(unknown) > 0L) quote_some(unknown) else "no names"
      ))
    }
    out <- table$probability
    for (node in names(probabilities)) {
      at <- which(table$node == node)
      if (length(at) != length(probabilities[[node]])) {
        abort_argument(sprintf(
          "`probabilities` must have one number for each predictor function; node \"%s\" has %d functions, found %s.",
          node, length(at), count_of(length(probabilities[[node]]), "number")
        ))
      }
      out[at] <- as.double(probabilities[[node]])
    }
    return(out)
  }
  if (!is.numeric(probabilities) || length(probabilities) != nrow(table) || anyNA(probabilities)) {
    expected <- paste0(count_of(nrow(table), "number"), ", one for each predictor function, or a list named by nodes")
    abort_value("probabilities", expected, probabilities)
  }
  as.double(probabilities)
}

# ---- one value per node ---------------------------------------------------------------------------------------------

# Names, "inputs", numbers or a logical vector -> a logical vector with one element per node.
node_flags <- function(model, nodes, name) {
  n <- length(model$nodes)
  if (is.null(nodes)) return(logical(n))
  if (is.logical(nodes)) {
    expected <- sprintf("names of nodes, or %s", count_of(n, "logical value"))
    if (length(nodes) != n || anyNA(nodes)) abort_value(name, expected, nodes)
    return(unname(nodes))
  }
  flags <- logical(n)
  if ("inputs" %in% nodes && !"inputs" %in% model$nodes) { # unless a node has this name
    flags[input_nodes(model)] <- TRUE
    nodes <- setdiff(as.character(nodes), "inputs")
  }
  flags[check_nodes(model, nodes, name)] <- TRUE
  flags
}

# A 0/1 vector, named or with one value per node -> integers. Nodes that are not named keep their value of `old`.
node_values <- function(model, values, name, old, random = FALSE) {
  n <- length(model$nodes)
  if (is.list(values)) values <- unlist(values)
  allowed <- if (random) c(0, 1, NA) else c(0, 1)
  expected <- paste0("0 or 1", if (random) " (NA for random)", " by node name, or one value for each node")
  if (!(is.numeric(values) || is.logical(values)) || is.object(values)) abort_value(name, expected, values)
  bad <- which(!values %in% allowed)
  if (length(bad) > 0L) abort_value(name, expected, unname(values[bad[[1L]]]))
  if (is.null(names(values))) {
    expected <- sprintf("0 or 1 by node name, or %s, one for each node", count_of(n, "value"))
    if (length(values) != n) abort_value(name, expected, values)
    return(as.integer(values))
  }
  index <- check_nodes(model, names(values), name)
  if (anyDuplicated(index)) {
    abort_argument(sprintf("`%s` gives node \"%s\" more than once.", name, model$nodes[index[anyDuplicated(index)]]))
  }
  old[index] <- as.integer(values)
  old
}

# Reports inputs that have an initial value and are perturbed, since they lose it. `among`: the nodes to check.
tell_perturbed_inputs <- function(model, among = seq_along(model$nodes)) {
  among <- among[!is.na(model$initial[among]) & !model$exempt[among]]
  if (model$perturbation == 0 || length(among) == 0L) return(invisible())
  inputs <- model$nodes[intersect(among, input_nodes(model))]
  if (length(inputs) == 0L) return(invisible())
  what <- if (length(inputs) == 1L) "The input %s is perturbed and loses its initial value" else {
    "The inputs %s are perturbed and lose their initial values"
  }
  remedy <- if ("inputs" %in% model$nodes) "`exempt` with these names prevents this" else { # "inputs" would be that node
    p <- exact_text(model$perturbation, 7)
    sprintf("exempt = \"inputs\" prevents this, as in set_perturbation(net, %s, exempt = \"inputs\")", p)
  }
  text <- sprintf("%s in the long run; %s.\n", sprintf(what, quote_some(inputs)), remedy)
  message(new_condition("inputs", "message", text, NULL, inputs = inputs))
}

without_inputs_message <- function(expr) {
  withCallingHandlers(expr, fireflip_message_inputs = function(condition) invokeRestart("muffleMessage"))
}

check_contexts <- function(model, contexts) {
  n <- length(model$nodes)
  if (!is.list(contexts) || !all(c("probability", "predictor") %in% names(contexts))) {
    abort_value("contexts", "NULL or a list with the elements \"probability\" and \"predictor\"", contexts)
  }
  probability <- contexts$probability
  if (!is.numeric(probability) || length(probability) == 0L || anyNA(probability)) {
    abort_value("contexts$probability", "one number for each context", probability)
  }
  predictor <- contexts$predictor
  if (is.data.frame(predictor)) predictor <- as.matrix(predictor)
  if (!is.matrix(predictor) || !is.numeric(predictor) || nrow(predictor) != length(probability)) {
    rows <- count_of(length(probability), "row")
    abort_value("contexts$predictor", sprintf("a matrix of whole numbers with %s, one for each context", rows), predictor)
  }
  if (is.null(colnames(predictor))) {
    if (ncol(predictor) != n) {
      abort_argument(sprintf(
        "`contexts$predictor` must have %s, one for each node; found %d.", count_of(n, "column"), ncol(predictor)
      ))
    }
  } else {
    index <- check_nodes(model, colnames(predictor), "contexts$predictor")
    full <- matrix(1, length(probability), n)
    full[, index] <- predictor
    predictor <- full
  }
  functions <- tabulate(model$rules$node, n)
  most <- rep(functions, each = nrow(predictor))
  bad <- which(is.na(predictor) | predictor != floor(predictor) | predictor < 1 | predictor > most)
  if (length(bad) > 0L) {
    column <- (bad[[1L]] - 1L) %/% nrow(predictor) + 1L
    abort_argument(sprintf(
      "`contexts$predictor` must number the predictor functions of each node, from 1; node \"%s\" has %d, found %s.",
      model$nodes[[column]], functions[[column]], describe(predictor[[bad[[1L]]]])
    ))
  }
  list(probability = as.double(probability), predictor = matrix(as.integer(predictor), nrow(predictor)))
}
