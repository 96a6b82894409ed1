#' Print and inspect a reaction network
#'
#' `print()` shows the size of a network, its initial counts and parameters, and its first reactions. `format()` returns the
#' same as lines of text. `summary()` counts what the network consists of. `as.data.frame()` returns all reactions, species,
#' parameters or events. `net["R1"]` returns reactions in the form of `as.data.frame()`.
#'
#' @param x,object A network of class `reaction_network`.
#' @param i Names or numbers of reactions.
#' @param n How many reactions and events to show. Default 10; `Inf` for all, 0 for none.
#' @param what `"reactions"`, `"species"`, `"parameters"`, `"variables"` or `"events"`.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... Ignored, with a warning of class `fireflip_warning_argument`.
#' @returns `format()`: a character vector of lines.
#'
#'   `summary()`: a list of class `summary.reaction_network` with the following numbers. `n_species`, `n_reactions`,
#'   `n_parameters`, `n_variables` and `n_events` are the numbers of species, reactions, parameters, variables and events. `order`
#'   is the largest number of reactants of a reaction. `mass_action` and `formula` are the numbers of reactions of each law, and
#'   `time_dependent` is the number of reactions whose rate depends on the time. `fixed` is the number of species that reactions
#'   do not change.
#'
#'   `as.data.frame()`: a data frame. For reactions, its columns are `name`, `equation`, `rate` (text) and `law` (`"mass action"`
#'   or `"formula"`), and [reaction_network()] accepts it. For species, they are `species`, `initial` and `fixed`, and for
#'   parameters `parameter` and `value`. For variables, they are `variable` and `formula`. For events, they are `name`, `when`,
#'   `set` (text), and the other arguments of [event()].
#' @name reaction-methods
#' @examples
#' net <- example_model("decay_dimerisation")
#' net
#' summary(net)
#' as.data.frame(net)
#' as.data.frame(net, what = "species")
#' net["R2"]
NULL

#' @rdname reaction-methods
#' @export
print.reaction_network <- function(x, n = 10, ...) {
  warn_ignored(...)
  writeLines(format(x, n = n))
  invisible(x)
}

#' @rdname reaction-methods
#' @export
format.reaction_network <- function(x, n = 10, ...) {
  check_parts(x)
  check_number(n, "n", 0, Inf)
  reactions <- nrow(x$reactions)
  shown <- seq_len(min(n, reactions))
  events <- if (is.null(x$events)) 0L else nrow(x$events)
  shown_events <- seq_len(min(n, events))
  lines <- c(
    sprintf(
      "<reaction_network> %s species, %s%s%s", format_whole(nrow(x$species)), count_of(reactions, "reaction"),
      if (length(x$parameters) == 0L) "" else paste0(", ", count_of(length(x$parameters), "parameter")),
      if (events == 0L) "" else paste0(", ", count_of(events, "event"))
    ),
    start_line(x),
    if (length(x$parameters) > 0L) paste0("parameters: ", some_values(names(x$parameters), format_values(x$parameters))),
    if (length(x$variables) > 0L) paste0("variables: ", some_values(names(x$variables), x$variables)),
    if (any(x$species$fixed)) paste0("fixed: ", some_values(x$species$species[x$species$fixed])),
    if (length(shown) > 0L) reaction_lines(x$reactions[shown, ]),
    if (length(shown_events) > 0L) event_lines(x$events[shown_events, ])
  )
  lines <- plain_time(lines, x)
  long <- nchar(lines) > getOption("width")
  lines[long] <- paste0(substr(lines[long], 1L, max(getOption("width") - 3L, 20L)), "...")
  c(lines, if (n > 0 && reactions > length(shown)) sprintf("... and %s", count_of(reactions - length(shown), "more reaction")),
    if (n > 0 && events > length(shown_events)) sprintf("... and %s", count_of(events - length(shown_events), "more event")))
}

format_whole <- function(x) format(x, big.mark = ",", scientific = FALSE, trim = TRUE)
format_values <- function(x) vapply(unname(x), format, "", digits = 7)

# "A = 1, B = 2, ..." or "A, B, ..."
some_values <- function(names, values = NULL, most = 4L) {
  shown <- utils::head(if (is.null(values)) names else paste(names, "=", values), most)
  paste0(paste(shown, collapse = ", "), if (length(names) > most) ", ...")
}

start_line <- function(x) {
  given <- !x$species$initial %in% 0
  if (!any(given)) return("start: all species at 0")
  others <- sum(!given)
  paste0(
    "start: ", some_values(x$species$species[given], format_whole(x$species$initial[given])),
    if (others == 1L) sprintf("; %s at 0", x$species$species[!given]),
    if (others > 1L) sprintf("; the other %s at 0", format_whole(others))
  )
}

reaction_lines <- function(reactions) {
  law <- ifelse(reactions$law == "mass action", "constant", "rate    ")
  sprintf("  %s  %s  %s %s", format(reactions$name), format(reactions$equation), law, reactions$rate)
}

#' @rdname reaction-methods
#' @export
summary.reaction_network <- function(object, ...) {
  check_parts(object)
  warn_ignored(...)
  counts <- .Call(ffi_reactions_summary, object)
  names(counts)[names(counts) == "time"] <- "time_dependent"
  structure(class = "summary.reaction_network", c(counts, list(fixed = sum(object$species$fixed))))
}

#' @export
print.summary.reaction_network <- function(x, ...) {
  warn_ignored(...)
  writeLines(c(
    "A reaction network",
    sprintf(
      "  species       %s%s", format_whole(x$n_species), if (x$fixed > 0) sprintf("; %s fixed", format_whole(x$fixed)) else ""
    ),
    sprintf("  parameters    %s", format_whole(x$n_parameters)),
    if (x$n_variables > 0) sprintf("  variables     %s", format_whole(x$n_variables)),
    sprintf("  reactions     %s, with at most %s", format_whole(x$n_reactions), count_of(x$order, "reactant")),
    sprintf("  mass action   %s", format_whole(x$mass_action)),
    sprintf("  other laws    %s", format_whole(x$formula)),
    if (x$time_dependent > 0) sprintf("  with time     %s", format_whole(x$time_dependent)),
    if (x$n_events > 0) sprintf("  events        %s", format_whole(x$n_events))
  ))
  invisible(x)
}

#' @rdname reaction-methods
#' @export
as.data.frame.reaction_network <- function(x, row.names = NULL, optional = FALSE,
                                           what = c("reactions", "species", "parameters", "variables", "events"), ...) {
  check_parts(x)
  warn_ignored(...)
  what <- check_choice(what, "what", c("reactions", "species", "parameters", "variables", "events"))
  if (what == "variables") return(data.frame(variable = names(x$variables), formula = unname(x$variables)))
  if (what == "events") return(events_shown(x$events))
  if (what != "parameters") return(x[[what]])
  data.frame(parameter = names(x$parameters), value = unname(x$parameters))
}

#' @rdname reaction-methods
#' @export
`[.reaction_network` <- function(x, i, ...) {
  check_parts(x)
  if (nargs() > 2L) {
    abort_argument("A network has no rows and columns: net[reactions] gives reactions, and as.data.frame(net) all of them.")
  }
  if (missing(i)) return(x)
  out <- x$reactions[check_known(i, "i", x$reactions$name, "reactions"), , drop = FALSE]
  rownames(out) <- NULL
  out
}

reaction_elements <- c("species", "parameters", "reactions", "variables", "events")

#' @export
`$<-.reaction_network` <- function(x, name, value) {
  check_element(x, name, value)
  NextMethod()
}

check_element <- function(x, name, value) {
  refuse_element(x, name)
  if (name == "parameters") warn_new_parameter(names(value), names(x$parameters))
}

# A new parameter has no effect until a rate names it. If its name is near that of another one, it was probably meant.
warn_new_parameter <- function(names, known) {
  for (name in setdiff(names, c(known, NA))) {
    near <- closest_name(name, known)
    if (is.null(near)) next
    text <- sprintf("%s is a new parameter, which nothing uses; did you mean \"%s\"?", quote_some(name), near)
    warn("unused", text, unused = name)
  }
}

#' @export
`[[<-.reaction_network` <- function(x, i, value) {
  if (is.character(i) && length(i) > 0L) check_element(x, i[[1L]], value)
  NextMethod()
}

#' @export
`[<-.reaction_network` <- function(x, i, ..., value) {
  if (nargs() > 3L) abort_argument("A network has no rows and columns: set_initial() and set_parameters() change values.")
  if (!missing(i) && is.character(i)) for (name in i) refuse_element(x, name)
  NextMethod()
}

# A new element would change nothing, because nothing reads it.
refuse_element <- function(x, name) {
  if (name %in% reaction_elements) return(invisible())
  change <- if (name %in% x$species$species) "a species: set_initial(net, %s = ...) changes its initial count" else {
    if (name %in% names(x$parameters)) "a parameter: set_parameters(net, %s = ...) changes its value"
  }
  if (!is.null(change)) abort_argument(sprintf(paste0("\"%s\" is ", change, "."), name, argument_name(name)))
  abort_argument(sprintf(
    "A reaction network has no element called \"%s\"; set_initial() and set_parameters() change its values.", name
  ))
}

#' @section Reaction networks: `network_arrows()` of a reaction network gives a data frame with a row per arrow between a species
#'   and a reaction. Its columns are `from`, `to`, `role` and `count`. The role is `"reactant"` (from a species to a reaction),
#'   `"product"` (from a reaction to a species), or `"rate"` (from a species that the formula of a rate names, also through
#'   variables; `count` is then 0).
#' @rdname network_components
#' @export
network_arrows.reaction_network <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  arrows <- .Call(ffi_reactions_arrows, model)
  species <- model$species$species[arrows$species]
  reaction <- model$reactions$name[arrows$reaction]
  to_species <- arrows$role == 2L
  data.frame(
    from = ifelse(to_species, reaction, species), to = ifelse(to_species, species, reaction),
    role = c("reactant", "product", "rate")[arrows$role], count = arrows$count
  )
}
