# State sets, given as text over node names, as named 0/1 vectors or as tables -> a named character vector of texts. `name` is the
# name of the argument.
as_sets <- function(states, model, name = "states") {
  expected <- "text over node names, a named 0/1 vector, or a list of these"
  if (missing(states)) abort_value(name, expected, states)
  if (is.data.frame(states) || is.matrix(states)) states <- row_sets(states, name)
  if (is.numeric(states) || is.logical(states)) states <- list(states)
  if (!is.character(states) && !is.list(states)) abort_value(name, expected, states)
  if (length(states) == 0L) abort_argument(sprintf("`%s` must hold at least one state set; found none.", name))
  refuse_quoted_values(states, model, name)
  texts <- vapply(states, set_text, "", model = model, name = name, USE.NAMES = FALSE)
  labels <- names(states)
  if (is.null(labels)) labels <- rep("", length(texts))
  unnamed <- is.na(labels) | !nzchar(labels)
  labels[unnamed] <- texts[unnamed]
  twice <- labels[duplicated(labels)]
  if (length(twice) > 0L) abort_argument(sprintf("`%s` names the set %s twice.", name, quote_some(twice[[1L]])))
  stats::setNames(enc2utf8(texts), enc2utf8(labels))
}

# A data frame or matrix has a row per set and a column per node, as made by expand.grid(). NA: the node may have either value.
row_sets <- function(states, name) {
  expected <- "0, 1 or NA (for either value), in a table with a row per set and a column per node"
  labels <- rownames(states)
  if (is.data.frame(states) && .row_names_info(states) <= 0L) labels <- NULL # automatic row names
  nodes <- colnames(states)
  if (is.null(nodes)) abort_argument(sprintf("`%s` as a matrix must have the names of nodes as column names; found none.", name))
  columns <- lapply(seq_along(nodes), function(j) {
    column <- if (is.data.frame(states)) states[[j]] else states[, j]
    if (!is.numeric(column) && !is.logical(column) || is.object(column)) {
      abort_argument(sprintf("`%s` must have %s; found %s in column \"%s\".", name, expected, describe(column), nodes[[j]]))
    }
    as.double(column)
  })
  sets <- lapply(seq_len(nrow(states)), function(i) {
    set <- stats::setNames(vapply(columns, `[[`, 0, i), nodes)
    set <- set[!is.na(set)]
    if (length(set) == 0L) abort_argument(sprintf("`%s` must give a node a value in every row; row %d has none.", name, i))
    set
  })
  stats::setNames(sets, labels)
}

# c(A = "1", B = "0") would be two constant sets named like nodes. The intended set is that with A on and B off.
refuse_quoted_values <- function(states, model, name) {
  if (!is.character(states) || is.null(names(states)) || anyNA(states)) return(invisible())
  values <- trimws(states) %in% c("0", "1") & names(states) %in% model$nodes
  if (!any(values)) return(invisible())
  states <- states[values]
  written <- function(quote) {
    shown <- utils::head(states, 5L)
    values <- paste0(argument_name(names(shown)), " = ", quote, trimws(shown), quote, collapse = ", ")
    sprintf("c(%s%s)", values, if (length(states) > 5L) ", ..." else "")
  }
  abort_argument(sprintf("`%s` must have numbers for the values of nodes: write %s; found %s.", name, written(""), written("\"")))
}

# Text of one set. Text is unchanged; c(A = 1, B = 0) becomes A & !B.
set_text <- function(set, model, name) {
  if (is.character(set)) {
    if (length(set) != 1L || is.na(set) || !nzchar(trimws(set))) {
      abort_value(name, "one non-empty text for each state set", set)
    }
    if (grepl("=", gsub("\"[^\"]*\"|`[^`]*`", "", set), fixed = TRUE)) {
      abort_argument(sprintf(
        "`%s` must be an expression without \"=\", such as A & !B, or a 0/1 vector, such as c(A = 1, B = 0); found %s.",
        name, show_value(set)
      ))
    }
    return(set)
  }
  if ((!is.numeric(set) && !is.logical(set)) || length(set) == 0L) {
    abort_value(name, "text over node names or a named 0/1 vector", set)
  }
  if (is.null(names(set))) {
    abort_argument(sprintf("`%s` as a 0/1 vector must be named by nodes; found no names.", name))
  }
  check_nodes(model, names(set), name)
  values <- as.numeric(set)
  bad <- which(is.na(values) | !values %in% c(0, 1))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "`%s` must be 0 or 1 for every node; found %s for \"%s\".", name, format(set[[bad[[1L]]]]), names(set)[[bad[[1L]]]]
    ))
  }
  if (anyDuplicated(names(set)) > 0L) {
    twice <- names(set)[[anyDuplicated(names(set))]]
    abort_argument(sprintf("`%s` names the node \"%s\" twice in one set.", name, twice))
  }
  paste0(ifelse(values == 1, "", "!"), quote_name(names(set)), collapse = " & ")
}

# Names as written in a predictor function or a state set: quoted if the grammar requires it.
quote_name <- function(name) .Call(ffi_quote_names, as.character(name))

# Names as written in an R call.
argument_name <- function(name) {
  quote <- ifelse(grepl("`", name, fixed = TRUE), "\"", "`")
  ifelse(name == make.names(name), name, paste0(quote, name, quote))
}
