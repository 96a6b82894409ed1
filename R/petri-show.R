#' Print and inspect a Petri net
#'
#' `print()` shows the size of a net, its colours, initial marking and parameters, and its first transitions. `format()` returns
#' the same as lines of text. `summary()` unfolds a net and counts its places and transitions. `as.data.frame()` returns all
#' transitions, places, markings, parameters, variables or events. `net["bind"]` returns the transition of this name.
#'
#' @param x,object A net of class `petri_net`.
#' @param i Names or numbers of transitions.
#' @param n How many transitions and events to show. Default 10; `Inf` for all, 0 for none.
#' @param what What to return: `"transitions"` (the default), `"places"`, `"markings"`, `"parameters"`, `"variables"` or
#'   `"events"`.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... Ignored, with a warning of class `fireflip_warning_argument`.
#' @returns `format()`: a character vector of lines.
#'
#'   `summary()`: a list of class `summary.petri_net` with these elements.
#'   * `coloured` and `flat`: data frames of `what` and `n`, the numbers of places and transitions of each kind. The first is for
#'     the net as it is written, the second for the unfolded net.
#'   * `n_families`: the number of families. A family is unfolded transitions that differ in their colours alone.
#'   * `n_parameters`, `n_variables`, `n_events` and `n_sets`: the numbers of parameters, variables, events and sets of colours.
#'     `is_coloured`: whether a place has colours. `fixed`: the number of fixed places. `mass_action`: the number of transitions
#'     with mass action, as the net is written.
#'   * `never`: the names of transitions that never fire, because their rate is 0, or because no colours satisfy the guard and the
#'     sets of the places.
#'   * `choices`: texts about what fireflip has chosen, such as which reactions flow.
#'   * `bounds`: a data frame of `place` and `most`, the largest marking that the [conservation_laws()] (P-invariants) allow, for
#'     places with such a bound. `NULL` for nets of more than 1,000 places.
#'   * `reduction`: that of [reduce_network()], or `NULL`.
#'
#'   `as.data.frame()`: a data frame. That of transitions has the columns `name`, `kind`, `equation`, `number`, `law`, `test`,
#'   `reset`, `guard`, `begin`, `period` and `end`. A number that has several parts is `NA` in it. If there is none, [petri_net()]
#'   accepts the data frame. Those of places and of markings are described in section Elements of [petri_net()]. That of
#'   parameters has the columns `parameter` and `value`, and that of variables `variable` and `formula`. `net["bind"]`: rows of
#'   the data frame of transitions.
#' @section Errors: `fireflip_error_argument` for an invalid argument, such as a name that the net does not have, and for a net
#'   with changed elements that are invalid. `net$a <- 1` is such an error, too, unless `a` is an element of the net:
#'   [set_initial()] and [set_parameters()] change values.
#' @seealso [petri_net()], [plot.petri_net()], [network_arrows()], [reduce_network()].
#' @name petri-methods
#' @examples
#' net <- petri_net(
#'   "off <-> on" = c(1.5, 2.5), "0 -> protein" = flow("on"), "protein -> 0" = flow(1),
#'   initial = c(off = 1), continuous = "protein"
#' )
#' net
#' summary(net)
#' as.data.frame(net)
#' as.data.frame(net, what = "places")
NULL

#' @rdname petri-methods
#' @export
print.petri_net <- function(x, n = 10, ...) {
  warn_ignored(...)
  writeLines(format(x, n = n))
  invisible(x)
}

#' @rdname petri-methods
#' @export
format.petri_net <- function(x, n = 10, ...) {
  check_parts(x)
  check_number(n, "n", 0, Inf)
  places <- x$places
  all <- nrow(x$transitions)
  shown <- seq_len(min(n, all))
  events <- if (is.null(x$events)) 0L else nrow(x$events)
  shown_events <- seq_len(min(n, events))
  lines <- c(
    sprintf(
      "<petri_net> %s%s, %s%s%s", count_of(nrow(places), "place"),
      if (any(places$continuous)) sprintf(" (%s continuous)", format_whole(sum(places$continuous))) else "",
      count_of(all, "transition"),
      if (length(x$parameters) == 0L) "" else paste0(", ", count_of(length(x$parameters), "parameter")),
      if (events == 0L) "" else paste0(", ", count_of(events, "event"))
    ),
    colour_lines(x),
    marking_line(x),
    if (length(x$parameters) > 0L) paste0("parameters: ", some_values(names(x$parameters), format_values(x$parameters))),
    if (length(x$variables) > 0L) paste0("variables: ", some_values(names(x$variables), x$variables)),
    if (any(places$continuous)) paste0("continuous: ", some_values(places$place[places$continuous])),
    if (any(places$fixed)) paste0("fixed: ", some_values(places$place[places$fixed])),
    if (length(shown) > 0L) transition_lines(x, shown),
    if (length(shown_events) > 0L) event_lines(x$events[shown_events, ])
  )
  long <- nchar(lines) > getOption("width")
  lines[long] <- paste0(substr(lines[long], 1L, max(getOption("width") - 3L, 20L)), "...")
  c(
    lines, if (n > 0 && all > length(shown)) sprintf("... and %s", count_of(all - length(shown), "more transition")),
    if (n > 0 && events > length(shown_events)) sprintf("... and %s", count_of(events - length(shown_events), "more event"))
  )
}

# "1:100" or "top, bottom"
colour_text <- function(x, most = 4L) {
  if (is.numeric(x) && length(x) > 1L && all(diff(x) == 1)) return(paste(format_number(range(x)), collapse = ":"))
  shown <- utils::head(as.character(x), most)
  paste0("{", paste(shown, collapse = ", "), if (length(x) > most) ", ...", "}")
}
format_number <- function(x) format(x, scientific = FALSE, trim = TRUE)

colour_lines <- function(x) {
  if (length(x$colours) == 0L) return(NULL)
  sets <- c(vapply(x$colours, colour_text, ""), x$sets)
  c(
    paste0("colours: ", some_values(names(sets), sets, 6L)),
    if (length(x$indices) > 0L) paste0("indices: ", some_values(names(x$indices), x$indices, 8L)),
    if (length(x$functions) > 0L) paste0("functions: ", some_values(names(x$functions), x$functions)),
    if (is_coloured(x)) {
      coloured <- x$places[!is.na(x$places$set), ]
      groups <- split(coloured$place, factor(coloured$set, unique(coloured$set)))
      paste0("places: ", paste0(vapply(groups, some_values, ""), " of ", names(groups), collapse = "; "))
    }
  )
}

marking_line <- function(x) {
  given <- x$markings[!x$markings$value %in% "0", ]
  if (nrow(given) == 0L) return("start: all places at 0")
  value <- given$value
  number <- suppressWarnings(as.numeric(value))
  value[!is.na(number)] <- format_values(number[!is.na(number)])
  others <- setdiff(x$places$place, place_of_element(given$element))
  element <- sub("^([\"`])(.*?)\\1", "\\2", given$element, perl = TRUE)
  condition <- ifelse(is.na(given$when), "", sprintf(" where %s", given$when))
  shown <- paste0(element, ifelse(given$adds, " += ", " = "), value, condition)
  paste0(
    "start: ", some_values(shown), if (length(others) == 1L) sprintf("; %s at 0", others),
    if (length(others) > 1L) sprintf("; the other %s at 0", format_whole(length(others)))
  )
}

transition_lines <- function(x, shown) {
  rows <- x$transitions[shown, ]
  number <- rows$number
  for (i in which(is.na(number) & rows$kind != "scheduled")) {
    parts <- x$pieces[x$pieces$transition == rows$name[[i]], ]
    number[[i]] <- paste(ifelse(is.na(parts$when), parts$number, paste0(parts$when, ": ", parts$number)), collapse = "; ")
  }
  massed <- rows$law %in% "mass action"
  word <- names(kind_of_number)[match(rows$kind, kind_of_number)]
  text <- paste(word, ifelse(massed, paste("constant", number), number))
  scheduled <- rows$kind == "scheduled"
  text[scheduled] <- paste0(
    "at ", rows$begin, ifelse(is.na(rows$period), "", paste(", every", rows$period)),
    ifelse(is.na(rows$end), "", paste(", up to", rows$end))
  )[scheduled]
  extra <- function(word, column) ifelse(is.na(rows[[column]]), "", sprintf("; %s %s", word, rows[[column]]))
  paste0(
    sprintf("  %s  %s  ", format(rows$name), format(rows$equation)), text, extra("test", "test"), extra("reset", "reset"),
    extra("guard", "guard")
  )
}

#' @rdname petri-methods
#' @export
summary.petri_net <- function(object, ...) {
  check_parts(object)
  warn_ignored(...)
  found <- .Call(ffi_petri_sizes, object)
  kinds <- function(n, continuous, places) {
    data.frame(
      what = c("discrete places", "continuous places", paste(petri_kinds, "transitions")),
      n = c(places - continuous, continuous, n)
    )
  }
  structure(class = "summary.petri_net", list(
    coloured = kinds(
      as.double(table(factor(object$transitions$kind, petri_kinds))), sum(object$places$continuous), nrow(object$places)
    ),
    flat = kinds(found$kinds, found$n_continuous, found$n_places), n_families = found$n_families,
    n_parameters = length(object$parameters), n_variables = length(object$variables),
    n_events = if (is.null(object$events)) 0L else nrow(object$events),
    n_sets = length(object$colours) + length(object$sets), is_coloured = is_coloured(object),
    mass_action = sum(object$transitions$law %in% "mass action"), fixed = sum(object$places$fixed),
    never = object$transitions$name[found$never], choices = object$choices,
    bounds = if (found$n_places <= most_bounded) tryCatch(place_bounds(object), fireflip_error_size = function(e) NULL),
    reduction = object$reduction
  ))
}

most_bounded <- 1000 # places; the time for invariants grows faster than their number

#' @export
print.summary.petri_net <- function(x, ...) {
  warn_ignored(...)
  used <- x$coloured$n > 0
  text <- format_whole(x$coloured$n[used])
  if (x$is_coloured) text <- paste0(format(text, justify = "right"), ", unfolded ", format_whole(x$flat$n[used]))
  writeLines(c(
    "A Petri net", sprintf("  %s  %s", format(x$coloured$what[used]), text),
    if (x$is_coloured) {
      sprintf("  sets of colours %s; families of transitions %s", format_whole(x$n_sets), format_whole(x$n_families))
    },
    sprintf(
      "  parameters %s, variables %s; %s by mass action%s", format_whole(x$n_parameters), format_whole(x$n_variables),
      count_of(x$mass_action, "transition"), if (x$fixed > 0) sprintf("; %s fixed", format_whole(x$fixed)) else ""
    ),
    if (x$n_events > 0) sprintf("  events %s", format_whole(x$n_events)),
    if (length(x$never) > 0L) {
      sprintf(
        "  never fire, because the rate is 0 or no colours satisfy the guard and the sets of places: %s", quote_some(x$never)
      )
    },
    if (!is.null(x$bounds) && nrow(x$bounds) > 0L) {
      paste0("  bounds, by conservation laws: ", some_bounds(x$bounds))
    },
    if (!is.null(x$reduction)) paste0("  ", reduction_lines(x)),
    if (length(x$choices) > 0L) c("  choices:", paste0("    ", x$choices))
  ))
  invisible(x)
}

#' @rdname petri-methods
#' @export
as.data.frame.petri_net <- function(x, row.names = NULL, optional = FALSE,
                                    what = c("transitions", "places", "markings", "parameters", "variables", "events"), ...) {
  check_parts(x)
  warn_ignored(...)
  what <- check_choice(what, "what", c("transitions", "places", "markings", "parameters", "variables", "events"))
  if (what == "events") return(events_shown(x$events))
  if (what == "variables") return(data.frame(variable = names(x$variables), formula = unname(x$variables)))
  if (what == "parameters") return(data.frame(parameter = names(x$parameters), value = unname(x$parameters)))
  x[[what]]
}

#' @rdname petri-methods
#' @export
`[.petri_net` <- function(x, i, ...) {
  check_parts(x)
  if (nargs() > 2L) {
    abort_argument(
      "A Petri net has no rows and columns; expected net[names], which gives transitions, or as.data.frame(net) for all of them."
    )
  }
  if (missing(i)) return(x)
  out <- x$transitions[check_known(i, "i", x$transitions$name, "transitions", owner = "net"), , drop = FALSE]
  rownames(out) <- NULL
  out
}

petri_elements <- c(
  "places", "transitions", "markings", "colours", "sets", "indices", "functions", "parameters", "variables", "pieces", "choices",
  "reduction", "definitions", "events"
)

#' @export
`$<-.petri_net` <- function(x, name, value) {
  refuse_petri_element(x, name)
  if (name == "parameters") warn_new_parameter(names(value), names(x$parameters))
  NextMethod()
}

#' @export
`[[<-.petri_net` <- function(x, i, value) {
  if (is.character(i) && length(i) > 0L) refuse_petri_element(x, i[[1L]])
  NextMethod()
}

# A new element would change nothing, because nothing reads it.
refuse_petri_element <- function(x, name) {
  if (name %in% petri_elements) return(invisible())
  change <- if (name %in% x$places$place) "a place: set_initial(net, %s = ...) changes its initial marking" else {
    if (name %in% names(x$parameters)) "a parameter: set_parameters(net, %s = ...) changes its value"
  }
  if (!is.null(change)) abort_argument(sprintf(paste0("\"%s\" is ", change, "."), name, argument_name(name)))
  abort_argument(sprintf(
    "A Petri net has no element called \"%s\"; set_initial() and set_parameters() change its values.", name
  ))
}

#' @section Petri nets: `network_arrows()` of a [petri_net()] gives a data frame with a row for each arc of the net as it is
#'   written. Its columns are `from`, `to`, `role`, `count` and `element`. `count` is the weight: `NA` if it is a formula, and 0
#'   for a reset and a place in a rate. `element` is the place with its colours. `role` is `"reactant"` (the transition takes
#'   tokens), `"product"` (it adds tokens), `"read"` (a test with `>=`), `"inhibitor"` (a test with `<`), `"equal"` (a test with
#'   `==`), `"reset"`, or `"rate"` (a place that only the rate names).
#' @rdname network_components
#' @export
network_arrows.petri_net <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  arrows <- .Call(ffi_petri_arrows, model)
  place <- model$places$place[arrows$place]
  transition <- model$transitions$name[arrows$transition]
  role <- c("reactant", "product", "read", "inhibitor", "equal", "reset", "rate")[arrows$kind + 1L]
  out <- role == "product"
  data.frame(
    from = ifelse(out, transition, place), to = ifelse(out, place, transition), role = role,
    count = ifelse(role %in% c("reset", "rate"), 0, arrows$weight), element = arrows$element
  )
}

# ---- changes --------------------------------------------------------------------------------------------------------------

#' @rdname set_parameters
#' @export
set_parameters.petri_net <- function(model, ...) {
  check_parts(model)
  values <- named_values(model, "set_parameters", list(...), names(model$parameters), "parameters")
  if (length(values) == 0L) return(model)
  model$parameters[names(values)] <- values
  validate_petri(model)
}

#' @section Petri nets: `set_initial()` of a [petri_net()] takes numbers of at least 0 and formulas as text. They are named by
#'   places, which stand for all of their colours, or by single colours: `set_initial(net, Ca = 0.1, "Ca[1,2]" = 5)`.
#' @rdname set_parameters
#' @export
set_initial.petri_net <- function(model, ...) {
  check_parts(model)
  values <- list(...)
  if (length(values) == 0L) abort_argument("set_initial() needs values by name, such as A = 1; found none.")
  if (length(values) == 1L && is.null(names(values))) {
    values <- values_of_row(values[[1L]], "set_initial()")
    if (length(values) == 0L) return(model)
  }
  if (!is.vector(values) || is.null(names(values)) || anyNA(names(values)) || any(!nzchar(names(values)))) {
    abort_argument(sprintf("set_initial() needs values by name, such as A = 1; found %s.", describe(values)))
  }
  added <- check_markings(values, "set_initial()")
  added$element <- as_elements(added$element, model$places$place)
  unknown <- setdiff(place_of_element(added$element), model$places$place)
  misplaced <- intersect(unknown, names(model$parameters))
  if (length(misplaced) > 0L) {
    abort_argument(sprintf(
      "set_initial() names \"%s\", which is a parameter; set_parameters() changes it.", misplaced[[1L]]
    ), unknown = misplaced)
  }
  if (length(unknown) > 0L) abort_unknown_names("set_initial()", unknown, model$places$place, "places", "net")
  check_marked_colours(model, added, "set_initial()")
  refuse_fractions(model, added, "set_initial()")
  # a value for all colours replaces those of single ones
  whole <- place_of_element(added$element)[!grepl("]$", added$element)]
  gone <- model$markings$element %in% added$element | place_of_element(model$markings$element) %in% whole
  model$markings <- rbind(model$markings[!gone, ], added)
  rownames(model$markings) <- NULL
  validate_petri(model)
}
