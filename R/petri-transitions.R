# Transitions: from the forms in which petri_net() gets them to data frames.

# A data frame with a row per number: equation, row (the number of the equation), part (1, or 2 for the second number of a
# reversible equation), name (NA if not given), kind, number (text), law, test, reset, guard, begin, period, end; and `pieces`, a
# list with a data frame of when, number and law for each row whose number has several parts.
transition_table <- function(values) {
  if (!(length(values) == 1L && inherits(values[[1L]], "petri_transition"))) values <- values_of_dots(values, "petri_net")
  if (is.data.frame(values)) return(transitions_from_frame(values))
  names <- if (is.null(names(values))) character(length(values)) else enc2utf8(names(values))
  if (any(endsWith(names, ".mass_action"))) abort_joined()
  rows <- lapply(seq_along(values), function(i) rows_of_transition(values[[i]], names[[i]]))
  n <- vapply(rows, nrow, 0L)
  out <- do.call(rbind, rows)
  out$row <- rep(seq_along(n), n)
  out$part <- sequence(n)
  out
}

# The rows of one transition, which petri_net() got by a name, or by "".
rows_of_transition <- function(x, name) {
  arrow <- grepl("[-=]>", name)
  own <- inherits(x, "petri_transition")
  if (own && !is.null(x$equation) && arrow) {
    abort_argument(sprintf(
      "A transition has the equation \"%s\", and its name \"%s\" is another one; expected a plain name.", x$equation, name
    ))
  }
  if (!arrow && !(own && !is.null(x$equation))) refuse_no_equation(x, name, own)
  equation <- if (arrow) name else x$equation
  if (!own) x <- transition(equation, rate = x)
  if (x$kind == "scheduled") {
    numbers <- list(times_of_schedule(x$number, equation))
  } else {
    numbers <- number_parts(x$number, x$kind, equation)
  }
  do.call(rbind, lapply(numbers, function(number) {
    out <- data.frame(
      equation = equation, name = if (arrow || !nzchar(name)) NA_character_ else name, kind = x$kind,
      number = number$number[[1L]], law = number$law[[1L]], test = x$test, reset = x$reset, guard = x$guard,
      begin = number$begin, period = number$period, end = number$end
    )
    out$pieces <- list(number$pieces)
    out
  }))
}

refuse_no_equation <- function(x, name, own) {
  known <- setdiff(names(formals(petri_net)), "...")
  if (nzchar(name) && !own) {
    word <- grepl("^[[:alpha:]._][[:alnum:]._]*$", name)
    if (tolower(name) %in% c("color", "colors")) {
      abort_argument(sprintf("There is no argument `%s`; did you mean `colours`?", name))
    }
    if (word || any(startsWith(known, name)) || !is.null(closest_name(name, known))) abort_unknown(name, known)
  }
  abort_argument(sprintf(
    "petri_net() needs transitions with equations, such as \"A -> B\" = 1 or %s; found %s%s.",
    "bind = transition(\"A -> B\", rate = 1)",
    if (own) "a transition" else describe(x), if (nzchar(name)) sprintf(" called \"%s\" without one", name) else " without one"
  ))
}

times_of_schedule <- function(x, equation) {
  bad <- if (is.numeric(x) && !is.object(x)) any(is.na(x)) else !is_texts(x)
  if (bad || !length(x) %in% 1:3) {
    abort_argument(sprintf(
      "`at` of \"%s\" must be c(begin, period, end), or its first elements; found %s.", equation, describe(x)
    ))
  }
  if (!is.null(names(x)) && any(nzchar(names(x)))) {
    at <- match(names(x), c("begin", "period", "end"))
    if (anyNA(at) || anyDuplicated(at) || !1L %in% at) {
      abort_argument(sprintf(
        "The names of `at` of \"%s\" must be begin, period and end; found %s.", equation, quote_some(names(x))
      ))
    }
    x <- x[match(c("begin", "period", "end"), names(x))]
  }
  text <- if (is.numeric(x)) ifelse(is.na(x), NA_character_, exact_text(x)) else enc2utf8(x)
  if (is.numeric(x)) text[is.infinite(x)] <- NA_character_
  text <- unname(text)[1:3]
  refuse_odd_schedule(suppressWarnings(as.numeric(text)), equation)
  list(number = NA_character_, law = "formula", begin = text[[1L]], period = text[[2L]], end = text[[3L]], pieces = NULL)
}

# `at` is c(begin, period, end); a formula is NA. The core checks the values of formulas.
refuse_odd_schedule <- function(at, equation) {
  expected <- if (isTRUE(at[[2L]] < 0)) {
    "a period of at least 0"
  } else if (isTRUE(at[[3L]] < at[[1L]])) {
    "an end that is not before its begin"
  }
  if (is.null(expected)) return(invisible())
  abort_argument(sprintf(
    "`at` of \"%s\" must be c(begin, period, end) with %s; found %s.", equation, expected, describe(at)
  ))
}

# The number of a transition -> a list with an element for each direction.
number_parts <- function(x, kind, equation) {
  whole <- function(number, law, pieces = NULL) {
    list(number = number, law = law, begin = NA_character_, period = NA_character_, end = NA_character_, pieces = pieces)
  }
  named <- !is.null(names(x)) && any(nzchar(names(x))) && !inherits(x, "mass_action")
  if (named && !(is.list(x) && "mass_action" %in% names(x))) {
    parts <- do.call(rbind, lapply(seq_along(x), function(i) number_texts(x[[i]], kind, equation)))
    if (nrow(parts) != length(x)) abort_number(equation, kind, "one number or text for each condition", x)
    when <- trimws(enc2utf8(names(x)))
    when[!nzchar(when)] <- NA_character_
    pieces <- data.frame(when = when, number = parts$rate, law = parts$law)
    return(list(whole(NA_character_, "formula", pieces)))
  }
  parts <- number_texts(x, kind, equation)
  lapply(seq_len(nrow(parts)), function(i) whole(parts$rate[[i]], parts$law[[i]]))
}

# Numbers and texts -> a data frame of rate (text) and law.
number_texts <- function(x, kind, equation) {
  word <- number_word(kind)
  if (inherits(x, "mass_action") && kind == "deterministic") abort_number(equation, kind, "a number or a formula as text", x)
  if (inherits(x, "mass_action") && (!is_texts(x$mass_action) || !length(x$mass_action) %in% 1:2)) {
    abort_number(equation, kind, "as mass_action() makes it", x)
  }
  if (inherits(x, "mass_action")) return(data.frame(rate = x$mass_action, law = "mass action"))
  if (inherits(x, "petri_transition")) {
    both <- grepl("<[-=]>", masked_text(equation)) && x$kind != "scheduled"
    abort_argument(sprintf(
      "The %s of \"%s\" is made by flow() or transition(); expected a number, a formula as text, or mass_action()%s.", word,
      equation, if (!both) "" else sprintf(
        "; both directions are one transition: %s",
        if (x$kind == "continuous") "flow(c(1, 2))" else sprintf("transition(%s = c(1, 2))", number_word(x$kind))
      )
    ))
  }
  if (is.numeric(x) && !is.object(x) && length(x) > 0L) {
    bad <- which(!is.finite(x) | x < 0)
    if (length(bad) > 0L) abort_number(equation, kind, "a finite number of at least 0", x[[bad[[1L]]]])
    return(data.frame(rate = exact_text(x), law = if (kind %in% c("stochastic", "continuous")) "mass action" else "formula"))
  }
  if (is_texts(x) && length(x) > 0L) return(data.frame(rate = trimws(enc2utf8(unname(x))), law = "formula"))
  if (is.list(x) && !is.object(x) && length(x) > 0L) {
    if ("mass_action" %in% names(x)) abort_joined()
    return(do.call(rbind, lapply(x, function(one) {
      if (is.list(one) && !is.object(one)) abort_number(equation, kind, "numbers or texts", one)
      number_texts(one, kind, equation)
    })))
  }
  abort_number(equation, kind, paste0("a number", if (kind == "deterministic") " or" else ",", " a formula as text",
                                      if (kind != "deterministic") ", or mass_action()"), x)
}

number_word <- function(kind) names(kind_of_number)[[match(kind, kind_of_number)]]

abort_number <- function(equation, kind, expected, found) {
  abort_argument(sprintf("The %s of \"%s\" must be %s; found %s.", number_word(kind), equation, expected, describe(found)))
}

transitions_from_frame <- function(frame) {
  class(frame) <- "data.frame"
  if (!"equation" %in% names(frame) || !any(c("number", "rate", "flow", "weight", "delay", "begin") %in% names(frame))) {
    abort_argument(sprintf(
      "A data frame of transitions must have the column \"equation\", and one of %s; found %s.",
      "\"rate\", \"flow\", \"weight\", \"delay\", \"number\" and \"begin\"",
      if (length(frame) == 0L) "no column" else quote_some(names(frame))
    ))
  }
  if (nrow(frame) == 0L) abort_argument("A data frame of transitions must have at least one row; found none.")
  text <- function(column) {
    x <- frame[[column]]
    if (is.null(x)) return(rep(NA_character_, nrow(frame)))
    out <- if (is.numeric(x)) exact_text(x) else enc2utf8(as.character(x))
    out[is.na(x) | !nzchar(trimws(out))] <- NA_character_
    out
  }
  equation <- text("equation")
  if (anyNA(equation)) abort_argument(sprintf("The column \"equation\" has nothing in row %d.", which(is.na(equation))[[1L]]))
  found <- frame_numbers(frame, text, equation)
  is_number <- !is.na(suppressWarnings(as.numeric(found$number)))
  massed <- is_number & found$kind %in% c("stochastic", "continuous")
  out <- data.frame(
    equation = equation, name = text("name"), kind = found$kind, number = found$number,
    law = ifelse(massed, "mass action", "formula"), test = text("test"), reset = text("reset"), guard = text("guard"),
    begin = text("begin"), period = text("period"), end = text("end"), row = seq_along(equation), part = 1L
  )
  if (!is.null(frame$law)) out$law <- check_laws(frame$law)
  out$pieces <- rep(list(NULL), nrow(out))
  out
}

# The kinds and numbers of the rows of a data frame.
frame_numbers <- function(frame, text, equation) {
  columns <- intersect(c("rate", "flow", "weight", "delay"), names(frame))
  given <- vapply(columns, function(column) !is.na(text(column)), logical(nrow(frame)))
  given <- matrix(given, nrow(frame), dimnames = list(NULL, columns))
  number <- text("number")
  kind <- text("kind")
  if ("kind" %in% names(frame)) {
    bad <- which(!kind %in% c(petri_kinds, NA))
    if (length(bad) > 0L) {
      abort_argument(sprintf(
        "The column \"kind\" must have %s; found %s in row %d.", quote_some(petri_kinds), describe(kind[[bad[[1L]]]]), bad[[1L]]
      ))
    }
  }
  scheduled <- !is.na(text("begin")) & is.na(number) & rowSums(given) == 0L
  n <- rowSums(given) + (!is.na(number)) + scheduled
  if (any(n != 1L)) {
    at <- which(n != 1L)[[1L]]
    abort_argument(sprintf(
      "Row %d, \"%s\", must have exactly one of rate, flow, weight, delay, number and begin; found %s.", at, equation[[at]],
      if (n[[at]] == 0L) "none" else as.character(n[[at]])
    ))
  }
  for (column in columns) {
    number[given[, column]] <- text(column)[given[, column]]
    kind[given[, column]] <- kind_of_number[[column]]
  }
  kind[scheduled] <- "scheduled"
  kind[is.na(kind)] <- "stochastic"
  list(kind = kind, number = number)
}

# Splits reversible equations. Returns the data frames `rows` and `pieces` (or NULL) of a net.
one_way_transitions <- function(table, both) {
  n <- tabulate(table$row)
  wrong <- which(n[table$row] != 1L + both)
  if (length(wrong) > 0L) {
    at <- wrong[[1L]]
    abort_argument(sprintf(
      "The equation \"%s\" is%s reversible and needs %s; found %d.", table$equation[[at]], if (both[[at]]) "" else " not",
      if (both[[at]]) sprintf("two %ss, one for each direction", if (table$kind[[at]] == "scheduled") "transition" else
        number_word(table$kind[[at]])) else paste("one", number_word(table$kind[[at]])), n[[table$row[[at]]]]
    ))
  }
  equation <- enc2utf8(table$equation)
  for (i in which(both)) equation[[i]] <- one_direction(equation[[i]], table$part[[i]])
  name <- table$name
  given <- !is.na(name) & nzchar(name)
  second <- both & table$part == 2L
  name[given & second] <- paste0(name[given & second], "_reverse")
  name[!given] <- paste0("T", seq_along(name))[!given]
  if (anyDuplicated(name)) {
    abort_argument(sprintf(
      "Transitions must have different names; found more than one called \"%s\".", name[[anyDuplicated(name)]]
    ))
  }
  columns <- c("kind", "equation", "number", "law", "test", "reset", "guard", "begin", "period", "end")
  rows <- data.frame(name = name, table[columns])
  rows$equation <- equation
  rownames(rows) <- NULL
  with <- which(lengths(table$pieces) > 0L)
  pieces <- do.call(rbind, lapply(with, function(i) cbind(data.frame(transition = name[[i]]), table$pieces[[i]])))
  list(rows = rows, pieces = pieces)
}

# ---- texts of equations and elements -------------------------------------------------------------------------------------------

# The text with blanks in place of what is in quotes, brackets and parentheses. It has as many characters.
masked_text <- function(text) {
  patterns <- c("\"[^\"]*\"", "`[^`]*`", "\\[(?:[^][]++|(?R))*+\\]", "\\((?:[^()]++|(?R))*+\\)")
  for (pattern in patterns) {
    at <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, at) <- lapply(regmatches(text, at), function(found) strrep(" ", nchar(found)))
  }
  text
}

# One direction of a reversible equation.
one_direction <- function(equation, part) {
  at <- regexpr("<[-=]>", masked_text(equation))
  left <- substr(equation, 1L, at - 1L)
  right <- substr(equation, at + 3L, nchar(equation))
  if (part == 1L) paste0(left, "->", right) else paste0(trimws(right), " -> ", trimws(left))
}

# Names that users give to markings as elements, such as Ca[1,2] and `a b`[1], from `a b[1]` and from the name of a place of an
# unfolded net, which may itself be Ca[1,2]. `places` are the names that are known.
as_elements <- function(names, places) {
  whole <- names %in% places & !names %in% make.names(names)
  names[whole] <- argument_name(names[whole])
  bare <- sub("\\[.*$", "", names)
  odd <- !grepl("^[\"`]", names) & trimws(bare) != make.names(trimws(bare)) & nzchar(trimws(bare))
  names[odd] <- paste0(argument_name(trimws(bare[odd])), substring(names[odd], nchar(bare[odd]) + 1L))
  names
}

# The place of an element, such as Ca[1,2] or `a b`[x].
place_of_element <- function(element) {
  bare <- sub("\\[.*$", "", element)
  quoted <- grepl("^[\"`]", element)
  bare[quoted] <- sub("^([\"`])(.*?)\\1.*$", "\\2", element[quoted], perl = TRUE)
  trimws(bare)
}
