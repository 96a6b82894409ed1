# Checks of the arguments of petri_net(): colours and their sets, places, indices and markings.

check_named_texts <- function(x, name, expected) {
  if (is.null(x)) return(no_variables())
  if (is.list(x) && !is.object(x) && all(lengths(x) == 1L) && all(vapply(x, is.character, NA))) x <- unlist(x)
  named <- !is.null(names(x)) && !anyNA(names(x)) && all(nzchar(names(x)))
  if (!is_texts(x) || (length(x) > 0L && !named)) abort_value(name, expected, x)
  refuse_repeated(names(x), name)
  if (length(x) == 0L) no_variables() else stats::setNames(trimws(enc2utf8(unname(x))), enc2utf8(names(x)))
}

refuse_repeated <- function(names, argument) {
  twice <- anyDuplicated(names)
  if (twice > 0L) abort_argument(sprintf("`%s` names \"%s\" more than once.", argument, names[[twice]]))
}

# A list of integer and character vectors with names.
check_colours <- function(x) {
  expected <- "a list of vectors with names, such as list(X = 1:100)"
  if (is.null(x)) return(list())
  if (is.atomic(x) && !is.object(x) && length(x) > 0L) {
    abort_value("colours", expected, x, if (!is.null(names(x))) "; c() joins vectors, and list() keeps them apart")
  }
  named <- !is.null(names(x)) && !anyNA(names(x)) && all(nzchar(names(x)))
  if (!is.list(x) || is.object(x) || !named) abort_value("colours", expected, x)
  refuse_repeated(names(x), "colours")
  out <- Map(colour_vector, x, names(x))
  stats::setNames(out, enc2utf8(names(x)))
}

colour_vector <- function(x, name) {
  wrong <- function(found) {
    abort_argument(sprintf("The colours of \"%s\" must be different whole numbers or names; found %s.", name, found))
  }
  if (is.factor(x)) x <- levels(x)
  if (is.numeric(x) && !is.object(x) && length(x) > 0L) {
    bad <- which(is.na(x) | x != floor(x) | abs(x) >= 2^39)
    if (length(bad) > 0L) wrong(describe(x[[bad[[1L]]]]))
    x <- unname(if (all(abs(x) <= .Machine$integer.max)) as.integer(x) else as.double(x))
  } else if (is_texts(x) && length(x) > 0L && all(nzchar(x))) {
    x <- enc2utf8(unname(x))
  } else {
    wrong(describe(x))
  }
  if (anyDuplicated(x)) wrong(sprintf("%s twice", describe(x[[anyDuplicated(x)]])))
  x
}

# Names of sets, named by places; NA for a place without colours.
check_places <- function(x, sets) {
  if (is.null(x)) return(no_variables())
  if (is.list(x) && !is.object(x) && all(lengths(x) == 1L)) x <- unlist(x)
  if (!is_texts(x)) abort_value("places", "names of sets, named by places, such as c(Ca = \"Cell\")", x)
  plain <- if (is.null(names(x))) rep(TRUE, length(x)) else is.na(names(x)) | !nzchar(names(x))
  place <- enc2utf8(unname(x))
  if (!all(plain)) place[!plain] <- enc2utf8(names(x)[!plain])
  set <- enc2utf8(unname(x))
  set[plain] <- NA_character_
  unknown <- setdiff(set, c(sets, NA))
  if (length(unknown) > 0L) {
    near <- closest_name(unknown[[1L]], sets)
    abort_argument(sprintf(
      "`places` names the set %s, which `colours` and `sets` do not have%s", quote_some(unknown[[1L]]),
      if (!is.null(near)) sprintf("; did you mean \"%s\"?", near) else if (length(sets) > 0L) {
        sprintf("; they have %s.", quote_some(sets))
      } else "."
    ), unknown = unknown)
  }
  refuse_repeated(place, "places")
  stats::setNames(set, place)
}

# The argument `initial` as the data frame `markings` of a net.
check_markings <- function(x, name = "initial") {
  x <- values_of_row(x, sprintf("`%s`", name))
  none <- data.frame(element = character(), when = character(), value = character(), adds = logical())
  if (length(x) == 0L && !is.object(x)) return(none)
  good <- (is.numeric(x) || is.character(x) || is.list(x)) && !is.object(x)
  if (!good || is.null(names(x)) || anyNA(names(x)) || any(!nzchar(names(x)))) {
    abort_value(name, "numbers or formulas named by places, such as list(A = 100)", x)
  }
  values <- Map(marking_text, as.list(x), names(x))
  refuse_repeated(names(x), name)
  data.frame(element = enc2utf8(names(x)), when = NA_character_, value = unlist(values, use.names = FALSE), adds = FALSE)
}

# The markings of places, whose names are plain, without those that are 0.
markings_of <- function(names, values) {
  given <- which(values != 0)
  n <- length(given)
  data.frame(
    element = as.character(argument_name(names[given])), when = rep(NA_character_, n), value = exact_text(values[given]),
    adds = logical(n)
  )
}

# Names in brackets must be colours of the place.
check_marked_colours <- function(model, markings, argument = "`initial`") {
  wrong <- wrong_colour(model, markings$element)
  if (!is.null(wrong)) abort_argument(sprintf("%s names %s.", argument, wrong))
}

# Markings that are numbers must be whole where the place is counted. The core checks formulas when it unfolds the net.
refuse_fractions <- function(model, markings, argument) {
  number <- suppressWarnings(as.numeric(markings$value))
  counted <- model$places$place[!model$places$continuous]
  bad <- which(!is.na(number) & number != floor(number) & place_of_element(markings$element) %in% counted)
  if (length(bad) == 0L) return(invisible())
  place <- place_of_element(markings$element[[bad[[1L]]]])
  abort_argument(sprintf(
    "%s gives \"%s\" the marking %s, but counts are whole; continuous = \"%s\" in petri_net() makes it a level.", argument,
    markings$element[[bad[[1L]]]], markings$value[[bad[[1L]]]], place
  ))
}

# An arc or a rate that names a colour that the place does not have gives no transition, which is hardly meant.
warn_wrong_colours <- function(model) {
  if (length(model$colours) == 0L) return(invisible())
  arrows <- .Call(ffi_petri_arrows, model)
  for (element in unique(arrows$element)) {
    wrong <- wrong_colour(model, element)
    if (is.null(wrong)) next
    of <- unique(model$transitions$name[arrows$transition[arrows$element == element]])
    return(warn("colours", sprintf(
      "The transition \"%s\" names %s, so it never fires.", of[[1L]], wrong
    ), transitions = of))
  }
}

# A guard that no colours satisfy is hardly meant.
warn_never_bound <- function(model, flat) {
  of <- model$transitions$name[.Call(ffi_petri_never, flat)]
  if (length(of) == 0L) return(invisible())
  guard <- model$transitions$guard[[match(of[[1L]], model$transitions$name)]]
  warn("colours", sprintf(
    "No colours satisfy %sthe sets of places in transition \"%s\", so it never fires%s.",
    if (is.na(guard)) "" else sprintf("the guard \"%s\" and ", guard), of[[1L]],
    if (length(of) == 1L) "" else sprintf("; the same is true of %s", count_of(length(of) - 1L, "other transition"))
  ), transitions = of)
}

# A clause about the first element with a colour that the set of its place does not have, or NULL. This looks at names and
# numbers, and at sets that are products of simple ones; the core checks the rest when it unfolds the net.
wrong_colour <- function(model, elements) {
  elements <- grep("]$", elements, value = TRUE)
  place <- place_of_element(elements)
  set <- model$places$set[match(place, model$places$place)]
  inside <- strsplit(trimws(sub("^.*\\[(.*)]$", "\\1", elements)), "[[:space:]]*,[[:space:]]*")
  found <- NULL # the first wrong one, and where in the brackets
  for (one in unique(set[!is.na(set)])) {
    parts <- simple_product(model, one)
    rows <- which(set %in% one & lengths(inside) == length(parts))
    for (k in seq_along(parts)) {
      text <- vapply(inside[rows], `[[`, "", k)
      wrong <- rows[are_foreign_colours(model, text, model$colours[[parts[[k]]]])]
      first <- length(wrong) > 0L && (is.null(found) || wrong[[1L]] < found$at)
      if (first) found <- list(at = wrong[[1L]], k = k, set = parts[[k]])
    }
  }
  if (is.null(found)) return(NULL)
  sprintf(
    "\"%s\", but %s is no colour of %s (%s), which the place \"%s\" has", elements[[found$at]], inside[[found$at]][[found$k]],
    found$set, colour_text(model$colours[[found$set]]), place[[found$at]]
  )
}

# Whether texts are numbers, or names of other sets, that a simple set does not have.
are_foreign_colours <- function(model, text, known) {
  number <- suppressWarnings(as.numeric(text))
  if (is.numeric(known)) return(!is.na(number) & !number %in% known)
  text %in% setdiff(unlist(Filter(is.character, model$colours)), c(known, names(model$indices), names(model$parameters)))
}

# The simple sets of which a set is the product; NULL for a subset or a union.
simple_product <- function(model, set, most = 20L) {
  if (set %in% names(model$colours)) return(set)
  text <- model$sets[set]
  if (is.na(text) || most == 0L || grepl("[][+\"`(]", text)) return(NULL)
  parts <- lapply(trimws(strsplit(text, "*", fixed = TRUE)[[1L]]), function(part) simple_product(model, part, most - 1L))
  if (any(vapply(parts, is.null, NA))) NULL else unlist(parts)
}

marking_text <- function(x, name) {
  if (is.character(x) && length(x) == 1L && !is.na(x)) return(trimws(enc2utf8(x)))
  if (is.numeric(x) && !is.object(x) && length(x) == 1L && is.finite(x) && x >= 0) return(exact_text(x))
  abort_argument(sprintf(
    "The initial marking of \"%s\" must be one finite number of at least 0, or a formula as text; found %s.", name, describe(x)
  ))
}

# Names, numbers or a logical vector -> a logical vector with one element per place.
place_flags <- function(model, x, name) {
  n <- nrow(model$places)
  if (is.logical(x)) {
    if (length(x) != n || anyNA(x)) abort_value(name, sprintf("names of places, or %s", count_of(n, "logical value")), x)
    return(unname(x))
  }
  seq_len(n) %in% check_known(x, name, model$places$place, "places", owner = "net")
}

refuse_nothing <- function(names) {
  nothing <- intersect(names, c("NULL", "null", "\u2205", "\u00d8"))
  if (length(nothing) > 0L) {
    abort_argument(sprintf("An equation names \"%s\"; expected 0 for nothing, as in \"A -> 0\".", nothing[[1L]]))
  }
}

check_different_names <- function(places, parameters, variables, indices) {
  all <- c(places, parameters, variables, indices)
  of <- rep(c("place", "parameter", "variable", "index"), lengths(list(places, parameters, variables, indices)))
  twice <- anyDuplicated(all)
  if (twice == 0L) return(invisible())
  article <- function(word) paste(if (word == "index") "an" else "a", word)
  abort("model", sprintf(
    "%s is the name of %s and of %s.", quote_some(all[[twice]]), article(of[[match(all[[twice]], all)]]), article(of[[twice]])
  ))
}

# The core reads sets and indices in turns: an index before the subsets whose conditions name it. Indices that a subset names come
# before those of sets that are defined by then only; else the order stays.
index_order <- function(indices, colours, sets) {
  known <- names(colours)
  order <- character()
  for (s in names(sets)) {
    inside <- sub("^[^[]*", "", sets[[s]])
    words <- regmatches(inside, gregexpr("[[:alpha:]._][[:alnum:]._]*", inside))[[1L]]
    ready <- names(indices)[indices %in% known]
    order <- c(order, intersect(ready, setdiff(words, order)))
    known <- c(known, s)
  }
  # only what must move is moved
  late <- function(at) any(!indices[seq_len(at)] %in% names(colours))
  must <- Filter(function(name) late(match(name, names(indices))), order)
  if (length(must) == 0L) indices else c(indices[must], indices[setdiff(names(indices), must)])
}
