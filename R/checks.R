# Argument checks. Each returns its value invisibly, or raises an error whose message gives what was expected and what was found.
# `name` is the name of the argument in that message. If the user has not given the argument, it is missing here too, even
# through several calls; the message then ends "found nothing".

check_number <- function(x, name, min = -Inf, max = Inf, open_min = FALSE, open_max = FALSE, null = FALSE) {
  if (null && is.null(x)) return(invisible(x))
  expected <- function() paste0("one number", range_text(min, max, open_min, open_max))
  if (missing(x) || !is.numeric(x) || is.object(x) || length(x) != 1L) abort_value(name, expected(), x)
  if (is.na(x) || x < min || x > max || (open_min && x == min) || (open_max && x == max)) {
    abort_value(name, expected(), x)
  }
  invisible(as.double(x))
}

# A whole number, up to 2^53.
check_count <- function(x, name, min = 0, max = 2^53, null = FALSE) {
  if (null && is.null(x)) return(invisible(x))
  expected <- function() paste0("one whole number", range_text(min, max))
  if (missing(x) || !is.numeric(x) || is.object(x) || length(x) != 1L) abort_value(name, expected(), x)
  if (is.na(x) || x < min || x > max || x != floor(x)) abort_value(name, expected(), x)
  invisible(as.double(x))
}

check_string <- function(x, name, expected = "one string") {
  if (missing(x) || !is.character(x) || length(x) != 1L || is.na(x)) abort_value(name, expected, x)
  invisible(x)
}

check_flag <- function(x, name) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) abort_value(name, "TRUE or FALSE", x)
  invisible(x)
}

# How many rows to print or draw: a whole number of at least 1, or Inf for all.
check_rows <- function(n) {
  if (identical(n, Inf)) return(invisible(n))
  check_count(n, "n", 1)
}

# One of `choices`. A default value that lists all of them means the first. `other` has choices, named by words that users may
# write for them; a message names the choice.
check_choice <- function(x, name, choices, other = NULL) {
  if (!missing(x) && identical(x, choices)) return(invisible(choices[[1L]]))
  if (missing(x) || !is.character(x) || length(x) != 1L || is.na(x) || !x %in% choices) {
    said <- !missing(x) && is.character(x) && length(x) == 1L
    other <- other[other %in% choices]
    near <- if (said && tolower(x) %in% names(other)) other[[tolower(x)]] else if (said) meant_name(x, choices)
    expected <- paste("one of", paste0("\"", choices, "\"", collapse = ", "))
    abort_value(name, expected, x, if (!is.null(near)) sprintf("; did you mean \"%s\"?", near))
  }
  invisible(x)
}

check_pbn <- function(x, name = "model") {
  if (missing(x) || !inherits(x, "pbn")) abort_class(x, "pbn", name)
  check_parts(x)
}

# A user may have changed the parts of a network. Their types and lengths must be right; the core checks the rest.
check_parts <- function(x) {
  if (inherits(x, "pbn")) .Call(ffi_pbn_parts, x)
  else if (inherits(x, "petri_net")) .Call(ffi_petri_parts, x)
  else .Call(ffi_reactions_parts, x)
  invisible(x)
}

# Raises the error for an object of a class without a method. The fields `expected` and `found` of the condition hold classes.
abort_class <- function(x, expected, name = "model", hint = class_hint(x, expected)) {
  makers <- c(
    if ("pbn" %in% expected) "pbn()", if ("reaction_network" %in% expected) "reaction_network()",
    if ("petri_net" %in% expected) "petri_net()", if ("pbn" %in% expected) "read_network()",
    if (any(c("pbn", "reaction_network") %in% expected)) "example_model()" else "petri_model()"
  )
  makers <- paste(c(paste(makers[-length(makers)], collapse = ", "), makers[[length(makers)]]), collapse = " or ")
  what <- sprintf("a network of class %s, as %s make it", paste0("\"", expected, "\"", collapse = " or "), makers)
  abort_argument(
    sprintf("`%s` must be %s; found %s%s", name, what, describe(x), if (is.null(hint)) "." else sprintf("; %s.", hint)),
    expected = expected, found = if (missing(x)) character() else class(x)
  )
}

# A hint how to convert the object to a network of the classes `expected`, or NULL.
class_hint <- function(x, expected) {
  if (missing(x)) return(NULL)
  others <- c("BooleanNetwork", "ProbabilisticBooleanNetwork", "SymbolicBooleanNetwork", "igraph")
  if (inherits(x, others)) return("as_pbn() converts it to a network")
  if (inherits(x, "reaction_network")) return("simulate(), burn_in() and chemical_master_equation() are for reaction networks")
  if (is.data.frame(x)) {
    if (all(c("node", "predictor") %in% names(x)) || all(c("targets", "factors") %in% names(x))) {
      return("pbn() creates a network from such rules")
    }
    return(NULL)
  }
  if (is.character(x) && length(x) == 1L && !is.na(x) && is.null(names(x))) {
    if (x %in% models_index()$name) return(sprintf("example_model(\"%s\") gives this network", x))
    if ("petri_net" %in% expected && x %in% names(petri_makers())) return(sprintf("petri_model(\"%s\") gives this net", x))
    ending <- "[.](pbn|boolnet|bnet|txt|sbml|xml|net)([.](gz|bz2|xz))?$"
    if (file.exists(x) || grepl(ending, x, ignore.case = TRUE)) return("read_network() reads a network from a file")
  }
  rules <- is.character(x) && length(x) > 0L && (!is.null(names(x)) || all(grepl("=", x, fixed = TRUE)))
  if (rules || (is.list(x) && !is.object(x) && length(x) > 0L && !is.null(names(x)))) "pbn() creates a network from rules"
}

# Checks names or numbers of nodes of the network x, and returns their indices.
check_nodes <- function(x, nodes, name = "nodes") {
  n <- length(x$nodes)
  if (is.numeric(nodes) && !is.object(nodes)) {
    bad <- which(is.na(nodes) | nodes != floor(nodes) | nodes < 1 | nodes > n)
    if (length(bad) > 0L) {
      abort_argument(sprintf(
        "`%s` must name nodes or give their numbers, from 1 to %d; found %s.", name, n, describe(nodes[bad[[1L]]])
      ))
    }
    return(invisible(as.integer(nodes)))
  }
  if (is.factor(nodes)) nodes <- as.character(nodes)
  if (!is.character(nodes)) abort_value(name, "names of nodes", nodes)
  index <- match(nodes, x$nodes)
  if (anyNA(index)) abort_unknown_nodes(name, nodes[is.na(index)], x$nodes)
  invisible(index)
}

abort_unknown_nodes <- function(name, unknown, known) {
  unknown <- unique(unknown)
  near <- closest_name(unknown[[1L]], known)
  abort_argument(sprintf(
    "`%s` names %s, which the network does not have%s",
    name,
    quote_some(unknown),
    if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
  ), unknown = unknown)
}

# The first of `known` that begins with x, or else the closest one.
meant_name <- function(x, known) {
  begun <- known[!is.na(x) & nzchar(x) & startsWith(known, x)]
  if (length(begun) > 0L) begun[[1L]] else closest_name(x, known)
}

closest_name <- function(x, known) {
  if (length(known) == 0L || is.na(x) || length(known) > 1e5) return(NULL)
  distance <- utils::adist(x, known, ignore.case = TRUE)[1L, ]
  best <- which.min(distance)
  if (distance[[best]] > max(nchar(x) %/% 3, nchar(x) > 2L)) NULL else known[[best]]
}

abort_value <- function(name, expected, x, hint = NULL) {
  abort_argument(sprintf("`%s` must be %s; found %s%s", name, expected, describe(x), if (is.null(hint)) "." else hint))
}

# "1 node", "3 nodes", "1,000 nodes"
count_of <- function(n, what) {
  sprintf("%s %s%s", format(n, big.mark = ",", scientific = FALSE), what, if (n == 1) "" else "s")
}

# A short description of a value. If it has few elements, they are shown.
describe <- function(x) {
  if (missing(x)) return("nothing")
  if (is.null(x)) return("NULL")
  if (is.object(x)) return(sprintf("an object of class \"%s\"", class(x)[[1L]]))
  if (is.function(x)) return("a function")
  if (!is.atomic(x) && !is.list(x)) return(sprintf("an object of type \"%s\"", typeof(x)))
  if (is.numeric(x) && length(x) == 1L && is.finite(x) && x == floor(x) && abs(x) >= 1e5 && abs(x) < 1e15) {
    return(format_whole(unname(x)))
  }
  if (is.atomic(x) && length(x) == 1L) return(show_value(x))
  kind <- switch(typeof(x), list = "list", integer = , double = "numeric", typeof(x))
  if (is.matrix(x)) return(sprintf("a %s matrix of %s and %s", kind, count_of(nrow(x), "row"), count_of(ncol(x), "column")))
  if (is.atomic(x) && length(x) %in% 2:6) {
    values <- vapply(seq_along(x), function(i) show_value(x[[i]]), "")
    named <- !is.null(names(x)) & nzchar(names(x)) & !is.na(names(x))
    text <- paste0("c(", paste0(ifelse(named, paste0(names(x), " = "), ""), values, collapse = ", "), ")")
    if (nchar(text) <= 80L) return(text)
  }
  sprintf("a %s%s of length %d", kind, if (is.list(x)) "" else " vector", length(x))
}

# Texts from which R and the core read the same numbers again, or those that format() gives for at most `digits` digits of each.
# They have a point in every locale. format(), sprintf() and paste() write a comma in some, so they write nothing that is read.
exact_text <- function(x, digits = 17) .Call(ffi_number_texts, x, digits)

# One element of a vector as text. Long text is truncated.
show_value <- function(x) {
  if (is.double(x) && !is.na(x)) return(exact_text(x, 15))
  if (!is.character(x) || is.na(x)) return(format(unname(x), digits = 15))
  paste0("\"", if (nchar(x) > 60L) paste0(substr(x, 1L, 57L), "...") else x, "\"")
}

quote_some <- function(x, most = 5L) {
  shown <- paste0("\"", utils::head(x, most), "\"", collapse = ", ")
  more <- length(x) - most
  if (more > 0L) paste0(shown, " and ", more, " more") else shown
}

# A bound, printed exactly: 2^40, 1,000,000, 0.5.
show_bound <- function(x) {
  if (x >= 2^20 && x == 2^floor(log2(x))) return(sprintf("2^%d", as.integer(log2(x))))
  if (x != floor(x) || abs(x) < 1e5) return(exact_text(x, 15))
  format(x, digits = 15, scientific = FALSE, big.mark = ",")
}

range_text <- function(min, max, open_min = FALSE, open_max = FALSE) {
  low <- is.finite(min)
  high <- is.finite(max)
  if (low && high) {
    if (open_min || open_max) {
      return(sprintf(
        " %s %s and %s %s", if (open_min) "above" else "of at least", show_bound(min),
        if (open_max) "below" else "at most", show_bound(max)
      ))
    }
    return(sprintf(" between %s and %s", show_bound(min), show_bound(max)))
  }
  if (low) return(sprintf(" %s %s", if (open_min) "above" else "of at least", show_bound(min)))
  if (high) return(sprintf(" %s %s", if (open_max) "below" else "of at most", show_bound(max)))
  ""
}

# Raises the error for an unknown argument name. The message suggests a similar name, or tells which arguments there are.
abort_unknown <- function(name, known, all = sprintf("the arguments are %s.", paste0("`", known, "`", collapse = ", "))) {
  if (name %in% c("times", "time") && "steps" %in% known) {
    abort_argument(sprintf("There is no argument `%s`; a Boolean network is simulated for a number of `steps`.", name))
  }
  if (name == "steps" && "times" %in% known) {
    abort_argument("There is no argument `steps`; a reaction network is simulated up to given `times`, such as times = 0:10.")
  }
  near <- meant_argument(name, known)
  abort_argument(sprintf("There is no argument `%s`; %s", name, if (is.null(near)) all else sprintf("did you mean `%s`?", near)))
}

# Names that arguments have in other packages.
other_argument_names <- c(
  params = "parameters", pars = "parameters", parms = "parameters", init = "initial", inits = "initial", x0 = "initial",
  y0 = "initial", initial_state = "initial", init.values = "initial", tf = "times", t_end = "times", tmax = "times",
  final_time = "times", species = "observe", probs = "probabilities", probs = "quantiles", stop = "until", condition = "until",
  until = "condition", times = "end", tf = "end", cores = "threads", ncores = "threads", conf.level = "confidence"
)

# The argument that an unknown name probably means, or NULL.
meant_argument <- function(name, known) {
  usual <- intersect(other_argument_names[names(other_argument_names) %in% tolower(name)], known)
  if (length(usual) > 0L) usual[[1L]] else meant_name(name, known)
}

# Raises an error if `...` of a method is not empty, because its elements would be ignored. Called by the method itself.
check_no_more <- function(...) {
  if (...length() == 0L) return(invisible())
  name <- ...names()[1L]
  all <- names(formals(sys.function(-1L)))
  place <- match("...", all)
  if (!is.null(name) && !is.na(name) && nzchar(name)) abort_unknown(name, all[-place])
  quoted <- function(names) paste0("`", names, "`", collapse = ", ")
  if (place == length(all)) {
    abort_argument(sprintf("There is one argument too many; the arguments are %s.", quoted(all[-place])))
  }
  abort_argument(sprintf(
    "The arguments after `%s` must be given by their names, %s; found one without a name.",
    all[[place - 1L]], quoted(all[-seq_len(place)])
  ))
}

# Warns of arguments in `...` of a method that nothing uses. R's own generics pass on what they do not know, so this is no error;
# data.frame() passes `stringsAsFactors`. Called by the method itself.
warn_ignored <- function(...) {
  given <- ...names()
  if (...length() == 0L || identical(given, "stringsAsFactors")) return(invisible())
  named <- !is.null(given) && !is.na(given[[1L]]) && nzchar(given[[1L]])
  known <- setdiff(names(formals(sys.function(-1L))), c("...", "row.names", "optional"))
  near <- if (named) meant_argument(given[[1L]], known)
  what <- if (named) sprintf("There is no argument `%s`", given[[1L]]) else "There is one argument too many"
  all <- sprintf("the arguments are %s.", paste0("`", known, "`", collapse = ", "))
  warn("argument", sprintf("%s, so it is ignored; %s", what, if (is.null(near)) all else sprintf("did you mean `%s`?", near)))
}

# Checks that arguments passed on to the function `to` exist there. Abbreviated names are allowed.
check_passed_on <- function(to, ..., own = character(), not = character()) {
  known <- setdiff(c(own, names(formals(to))), c(not, "..."))
  given <- names(list(...))
  for (name in given[nzchar(given)]) if (!any(startsWith(known, name))) abort_unknown(name, known)
}
