#' Events of a reaction network
#'
#' An event changes the state of a network when a condition becomes true, for instance at a given time, or when a species has
#' become rare. `event()` describes one; the argument `events` of [reaction_network()] takes a list of them, and so does that of
#' [petri_net()], whose places stand for species.
#'
#' @param when The condition, as text: a formula of species, parameters, variables and `time`, such as `"time >= 25"` or
#'   `"A < 10 & B > 0"`. The event is triggered whenever it *becomes* true.
#' @param set What the event sets: numbers or formulas as text, named by species or parameters, such as `c(A = 50)` or
#'   `c(A = "A + 10", k = "2 * k")`. All values are computed before any of them is set. A species must be set to a whole number
#'   of at least 0; a rounding error (a relative error of 1e-9) is removed. Fixed species can be set too.
#' @param delay The time from the trigger to the change: a number of at least 0, or a formula as text, which is computed when the
#'   event is triggered. With `NULL` (the default), there is no delay.
#' @param priority A number, or a formula as text. Of events that are due at the same time, the one with the highest priority
#'   comes first. Equal priorities have equal chances. Events without a priority, the default, come last, in the order of the
#'   network.
#' @param persistent If `FALSE`, the event does not happen if the condition becomes false before the event is due. Default `TRUE`.
#' @param initially Whether the condition counts as true before time 0. If `TRUE`, a condition that is true at time 0 does not
#'   trigger the event then. If `FALSE`, the default, it does.
#' @param values When the values of `set` are computed: at the `"trigger"` (the default), when the condition becomes true, or
#'   at the `"execution"`, when the state is changed. It matters for events with a delay, and for events that happen at the
#'   same time.
#' @returns An object of class `reaction_event`, a list of the arguments, with formulas as text.
#'
#' @section Exactness: Events are those of SBML Level 3. An event that depends on the state is triggered by the reaction that
#'   changes the state. An event that depends on the time is triggered at exactly its time: the first floating-point number at
#'   which the condition is true. So for `time >= 25`, the state at time 25 is that after the event. For `time > 25`, it is that
#'   before the event. The time is exact for any formula: interval arithmetic proves in which intervals of time a condition cannot
#'   change.
#'
#'   Near the time at which a condition changes, rounding errors can make it true and false in turn, as
#'   `time / (time + 10) > 0.7` is near 23.3. The event happens at the first of these times, and not again until the condition
#'   has certainly been false. If rounding errors decide for a longer time, the condition keeps its value, true or false, until
#'   the other value is certain. So a condition that is true only because of rounding errors, such as `time / 3 * 3 > time`,
#'   triggers nothing. If a condition barely touches its limit, as `sin(time) >= 1` does, it cannot be decided whether it
#'   becomes true. The simulation then ends with an error.
#'
#'   After an event, the conditions of the other events are checked again. So events may trigger each other at the same time.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `reaction_network()` raises `fireflip_error_parse` for a
#'   formula that does not follow the grammar or names something unknown. [`simulate()`][simulate.reaction_network] raises
#'   `fireflip_error_model` if an event sets a species to a value that is not a count, if a delay is negative, and if more than
#'   100,000 events happen at the same time; `fireflip_error_size` if more than 2^20 events wait for their delays;
#'   `fireflip_error_unsupported` if it cannot be decided when a condition becomes true. The message names the event, the time and
#'   the trajectory.
#' @references Hucka M and others (2019). The Systems Biology Markup Language (SBML): language specification for Level 3 Version
#'   2 Core Release 2. *Journal of Integrative Bioinformatics* 16(2). \doi{10.1515/jib-2019-0021}
#' @seealso [reaction_network()], [`simulate()`][simulate.reaction_network].
#' @concept discrete event
#' @concept trigger
#' @export
#' @examples
#' # immigration and death, with 50 individuals at time 25
#' net <- reaction_network(
#'   "0 -> X" = 1, "X -> 0" = 0.1,
#'   events = list(reset = event("time >= 25", set = c(X = 50)))
#' )
#' net
#' simulate(net, nsim = 100, times = c(24, 25, 26), seed = 1)
#'
#' # 50 more every 5 units of time: the event sets the time of the last one
#' doses <- reaction_network(
#'   "X -> 0" = 0.1, parameters = c(last = 0),
#'   events = list(dose = event("time >= last + 5", set = c(X = "X + 50", last = "last + 5")))
#' )
#' simulate(doses, nsim = 100, times = 0:12, seed = 1)
#'
#' # 20 are taken away as soon as there are 100, and the next ones come more slowly
#' event("X >= 100", set = c(X = "X - 20", k = "k / 2"), priority = 1)
event <- function(when, set, delay = NULL, priority = NULL, persistent = TRUE, initially = FALSE,
                  values = c("trigger", "execution")) {
  check_string(when, "when", "a condition as text, such as \"time >= 25\"")
  check_flag(persistent, "persistent")
  check_flag(initially, "initially")
  if (is.numeric(delay) && length(delay) == 1L && !is.na(delay) && (delay < 0 || delay == Inf)) {
    abort_value("delay", "a finite number of at least 0, a formula as text, or NULL", delay)
  }
  structure(class = "reaction_event", list(
    when = trimws(enc2utf8(when)), set = event_values(set), delay = event_formula(delay, "delay"),
    priority = event_formula(priority, "priority"), persistent = persistent, initially = initially,
    values = check_choice(values, "values", c("trigger", "execution"))
  ))
}

#' @export
format.reaction_event <- function(x, ...) event_text(events_frame(list(event = x)))

#' @export
print.reaction_event <- function(x, ...) {
  warn_ignored(...)
  writeLines(format(x))
  invisible(x)
}

# What an event sets -> texts with names.
event_values <- function(set) {
  expected <- "numbers or formulas, named by species or parameters, such as c(A = 50)"
  fine <- function(one) length(one) == 1L && !is.object(one) && (is.numeric(one) || is.character(one)) && !is.na(one)
  if (missing(set) || !(is.list(set) || is.atomic(set)) || is.object(set) || length(set) == 0L) abort_value("set", expected, set)
  if (is.null(names(set)) || anyNA(names(set)) || any(!nzchar(names(set)))) abort_value("set", expected, set)
  bad <- which(!vapply(set, fine, NA))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "The value of \"%s\" in `set` must be one number or a formula as text; found %s.", names(set)[[bad[[1L]]]],
      describe(set[[bad[[1L]]]])
    ))
  }
  twice <- anyDuplicated(names(set))
  if (twice > 0L) abort_argument(sprintf("`set` names \"%s\" more than once.", names(set)[[twice]]))
  stats::setNames(vapply(set, value_text, ""), enc2utf8(names(set)))
}

value_text <- function(x) if (is.numeric(x)) exact_text(x) else trimws(enc2utf8(x))

# A number or a formula, or NULL -> text, or NA.
event_formula <- function(x, name) {
  if (is.null(x)) return(NA_character_)
  single <- (is.numeric(x) || is.character(x)) && !is.object(x) && length(x) == 1L && !is.na(x)
  if (!single) abort_value(name, "one number, a formula as text, or NULL", x)
  value_text(x)
}

# The argument `events` of reaction_network() -> the data frame `events` of a network, or NULL if there are none.
check_events <- function(events) {
  if (inherits(events, "reaction_event")) events <- list(events)
  if (is.null(events) || (is.list(events) && !is.object(events) && length(events) == 0L)) return(NULL)
  expected <- "a list of events, such as list(reset = event(\"time >= 25\", set = c(A = 50)))"
  if (!is.list(events) || is.object(events)) abort_value("events", expected, events)
  bad <- which(!vapply(events, inherits, NA, "reaction_event"))
  if (length(bad) > 0L) {
    abort_argument(sprintf("`events` must be %s; found %s at place %d.", expected, describe(events[[bad[[1L]]]]), bad[[1L]]))
  }
  name <- if (is.null(names(events))) rep("", length(events)) else enc2utf8(names(events))
  none <- is.na(name) | !nzchar(name)
  name[none] <- paste0("E", seq_along(name))[none]
  if (anyDuplicated(name)) {
    abort_argument(sprintf("Events must have different names; found more than one called \"%s\".", name[[anyDuplicated(name)]]))
  }
  events_frame(stats::setNames(events, name))
}

# A list of events with names -> a data frame with a row per event.
events_frame <- function(events) {
  column <- function(what, type) {
    found <- lapply(events, function(event) unclass(event)[[what]])
    bad <- which(!vapply(found, function(one) typeof(one) == typeof(type) && length(one) == 1L && !is.object(one), NA))
    if (length(bad) == 0L) return(unname(unlist(found)))
    abort_argument(sprintf(
      "Event \"%s\" was changed: its `%s` must be one %s; found %s. Make events with event().", names(events)[[bad[[1L]]]], what,
      if (is.character(type)) "text" else "TRUE or FALSE", describe(found[[bad[[1L]]]])
    ))
  }
  out <- data.frame(
    name = names(events), when = column("when", ""), delay = column("delay", ""), priority = column("priority", ""),
    persistent = column("persistent", NA), initially = column("initially", NA), values = column("values", "")
  )
  out$set <- unname(lapply(events, `[[`, "set"))
  out
}

# The columns that the core returns -> the data frame, or NULL.
events_from_core <- function(columns) {
  if (is.null(columns)) return(NULL)
  out <- data.frame(columns[c("name", "when", "delay", "priority", "persistent", "initially", "values")])
  out$set <- columns$set
  if (!is.null(columns$factor)) out$factor <- columns$factor
  out
}

# Numbers as the core writes them; formulas remain as they were given.
tidy_events <- function(given, checked) {
  tidy <- function(old, new) ifelse(is.na(suppressWarnings(as.numeric(old))), old, new)
  given$delay <- tidy(given$delay, checked$delay)
  given$priority <- tidy(given$priority, checked$priority)
  given$set <- Map(function(old, new) stats::setNames(tidy(old, new), names(old)), given$set, checked$set)
  given$set <- unname(given$set)
  given
}

# What each event sets. Only events that were read from a file have factors.
sets_text <- function(events) {
  one <- function(set, factor) {
    with <- !is.na(factor)
    set[with] <- sprintf("%s (times %s when it happens)", set[with], factor[with])
    paste(names(set), "=", set, collapse = ", ")
  }
  as.character(unlist(Map(one, events$set, if (is.null(events$factor)) NA else events$factor)))
}

event_text <- function(events) {
  more <- function(text, shown) ifelse(shown, text, "")
  paste0(
    "when ", events$when, ": ", sets_text(events),
    more(paste0("; after ", events$delay), !is.na(events$delay)),
    more(paste0("; priority ", events$priority), !is.na(events$priority)),
    more("; unless it becomes false before", !events$persistent)
  )
}

event_lines <- function(events) sprintf("  %s  %s", format(events$name), event_text(events))

# The core writes the time as `time()`, which cannot be the name of a species or a parameter. Prints show `time`, unless the
# network has something of this name.
plain_time <- function(lines, model) {
  if ("time" %in% c(model$species$species, names(model$parameters), names(model$variables))) return(lines)
  gsub("(?<![\\w.])time\\(\\)", "time", lines, perl = TRUE)
}

# The data frame of events with what they set as text.
events_shown <- function(events) {
  if (is.null(events)) {
    none <- list(when = "", set = c(A = ""), delay = "", priority = "", persistent = NA, initially = NA, values = "")
    return(events_shown(events_frame(list(none = none)))[0L, ])
  }
  data.frame(
    events[c("name", "when")], set = sets_text(events),
    events[c("delay", "priority", "persistent", "initially", "values")]
  )
}
