# Reduction of Petri nets, and bounds of their places.

#' @section Petri nets: `reduce_network()` of a [petri_net()] unfolds the net and drops transitions that can never fire. The
#'   reasons are:
#'   * the transition needs tokens of a place that starts empty, and no transition fills this place;
#'   * it needs more tokens of a place than the place has, and no transition fills this place;
#'   * its test contradicts the marking of a place that never changes;
#'   * its rate is the number 0.
#'
#'   These are found from the arcs and the initial marking. So if you change the initial marking, reduce the original net again. A
#'   flow out of a place that stays empty is dropped, too, because with the `semantics` `"adaptive"` of
#'   [`simulate()`][simulate.petri_net], it is 0.
#'
#'   With `of_interest`, the function also drops everything that cannot affect these places and variables. Without it, all places
#'   and variables stay. Events stay, with everything that they read and set. A place that an event sets may have any marking.
#'
#'   The result is a net without colours. Its element `reduction` is a data frame of `what` (`"transition"`, `"place"` or
#'   `"variable"`), `name` and `why`, which `print()` and `summary()` show. What stays has the same distribution as before. With
#'   the same seed, it has other random numbers.
#' @rdname reduce_network
#' @export
#' @examples
#' net <- petri_net(
#'   "A -> B" = 1, jam = transition("A + X -> A", rate = 1),
#'   count = transition("B -> B + n", rate = 2), initial = c(A = 5)
#' )
#' reduce_network(net)
#' reduce_network(net, of_interest = "B")
reduce_network.petri_net <- function(model, of_interest = NULL, ...) {
  check_parts(model)
  check_no_more(...)
  found <- .Call(ffi_petri_unfolded_list, model)
  reads <- .Call(ffi_petri_reads, model)
  places <- length(found$places$initial)
  interest <- interest_symbols(model, found, of_interest)
  set <- reads$set[seq_len(places)]
  alive <- living_transitions(found, model$transitions$kind[found$transitions$of] == "continuous", set)
  keep <- list(
    transitions = alive$fires, places = rep(TRUE, places), variables = rep(TRUE, length(found$names) - places)
  )
  if (!is.null(interest)) {
    keep <- what_matters(found, reads, alive$fires, c(interest, which(reads$event | reads$set)))
  }
  dropped <- function(what, name, why) {
    data.frame(what = rep(what, length(name)), name = name, why = rep_len(why, length(name)))
  }
  dead <- !alive$fires
  idle <- alive$fires & !keep$transitions
  own <- !keep$variables & !grepl("^sum\\(", found$names[-seq_len(places)]) # sums over colours are not the user's
  out <- unclass(flat_part(model, found, keep))
  never <- setdiff(seq_len(nrow(model$transitions)), found$transitions$of)
  out$reduction <- rbind(
    dropped("transition", model$transitions$name[never], "its rate is 0, or no colours satisfy its guard and arcs"),
    dropped("transition", found$transitions$name[dead], alive$why[dead]),
    dropped("transition", found$transitions$name[idle], "it changes nothing that matters to what is of interest"),
    dropped("place", found$names[seq_len(places)][!keep$places], "nothing of interest reads it"),
    dropped("variable", found$names[-seq_len(places)][own], "it is not of interest")
  )
  structure(class = c("reduced_petri_net", "petri_net"), out)
}

# Numbers of places and variables of the unfolded net, or NULL.
interest_symbols <- function(model, found, of_interest) {
  if (is.null(of_interest)) return(NULL)
  if (is.factor(of_interest)) of_interest <- as.character(of_interest)
  if (!is_texts(of_interest) || length(of_interest) == 0L) {
    abort_value("of_interest", "names of places and variables", of_interest)
  }
  of <- model$places$place[found$places$of]
  at <- lapply(of_interest, function(name) if (name %in% found$names) match(name, found$names) else which(of == name))
  unknown <- of_interest[lengths(at) == 0L]
  if (length(unknown) > 0L) {
    abort_unknown_names("`of_interest`", unknown, c(model$places$place, names(model$variables)), "places and variables", "net")
  }
  unique(unlist(at))
}

# Whether each transition may fire, and why not. Places are filled step by step by transitions that may fire. Then weights and
# tests of places that are never filled, or never changed, are looked at; if one of them fails, all begins anew without its
# transition. Of the places `set` by events, nothing is known.
living_transitions <- function(found, flows, set) {
  arcs <- found$arcs
  kind <- arc_kinds[arcs$kind + 1L]
  why <- rep(NA_character_, length(found$transitions$name))
  needs <- !is.na(arcs$value) & arcs$value > 0 & kind %in% c("in", "read", "equal")
  fills <- kind == "out" & !arcs$value %in% 0 & !found$places$fixed[arcs$place]
  has <- found$places$initial[arcs$place]
  place <- function(of) found$names[arcs$place[of]]
  tests <- c(read = ">=", inhibitor = "<", equal = "==")[kind]
  repeat {
    marked <- markable_places(found, arcs, needs, fills, is.na(why), set)
    alive <- function() is.na(why)[arcs$transition]
    mark <- function(of, text) why[arcs$transition[of]] <<- text
    empty <- first_of(alive() & needs & !marked[arcs$place], arcs$transition)
    mark(empty, sprintf("\"%s\" is always empty", place(empty)))
    held <- !set & (!seq_along(marked) %in% arcs$place[kind %in% c("in", "out", "reset") & alive()] | found$places$fixed)
    filled <- set | seq_along(marked) %in% arcs$place[fills & alive()]
    few <- first_of(
      alive() & needs & !filled[arcs$place] & has < arcs$value & !(kind == "in" & flows[arcs$transition]), arcs$transition
    )
    mark(few, sprintf("\"%s\" never has more than %s, and %s are needed", place(few), exact_text(has[few], 15), arcs$weight[few]))
    wrong <- first_of(
      alive() & held[arcs$place] & !is.na(arcs$value) &
        (kind == "inhibitor" & has >= arcs$value | kind == "equal" & has != arcs$value), arcs$transition
    )
    mark(wrong, sprintf(
      "\"%s\" is always %s, and the test is %s %s", place(wrong), exact_text(has[wrong], 15), tests[wrong], arcs$weight[wrong]
    ))
    if (length(few) == 0L && length(wrong) == 0L) return(list(fires = is.na(why), why = why))
  }
}

# The first of the marked rows of each transition.
first_of <- function(rows, transition) {
  at <- which(rows)
  at[!duplicated(transition[at])]
}

# Which places may get tokens, if the transitions of `possible` fire as soon as they may. O(arcs): `missing` counts the empty
# places for which a transition waits.
markable_places <- function(found, arcs, needs, fills, possible, set) {
  n <- length(possible)
  marked <- set | found$places$initial > 0
  waiting <- by_key(arcs$place[needs], arcs$transition[needs], length(marked))
  filled <- by_key(arcs$transition[fills], arcs$place[fills], n)
  missing <- tabulate(arcs$transition[needs & !marked[arcs$place]], n)
  new <- which(possible & missing == 0L)
  while (length(new) > 0L) {
    more <- unique(values_of(filled, new))
    more <- more[!marked[more]]
    marked[more] <- TRUE
    hit <- values_of(waiting, more)
    new <- unique(hit)
    missing[new] <- missing[new] - tabulate(match(hit, new), length(new))
    new <- new[missing[new] == 0L & possible[new]]
  }
  marked
}

# What affects the places and variables `interest`: a place, the transitions that change it; a transition, the places that it
# takes from, tests, or reads in its rate and weights; a variable, what its formula names. O(arcs): each step looks at what is
# new.
what_matters <- function(found, reads, fires, interest) {
  places <- length(found$places$initial)
  arcs <- found$arcs
  kind <- arc_kinds[arcs$kind + 1L]
  moves <- kind %in% c("in", "out", "reset") & fires[arcs$transition] & !found$places$fixed[arcs$place]
  keeps <- !kind %in% c("out", "reset")
  known <- !is.na(reads$of)
  changers <- by_key(arcs$place[moves], arcs$transition[moves], length(found$names))
  named <- by_key(c(arcs$transition[keeps], reads$transition), c(arcs$place[keeps], reads$symbol), length(fires))
  formulas <- by_key(places + reads$variable[known], reads$of[known], length(found$names))
  transitions <- logical(length(fires))
  symbols <- seq_along(found$names) %in% interest
  new <- which(symbols)
  while (length(new) > 0L) {
    more <- values_of(changers, new)
    more <- unique(more[!transitions[more]])
    transitions[more] <- TRUE
    new <- c(values_of(named, more), values_of(formulas, new))
    new <- unique(new[!symbols[new]])
    symbols[new] <- TRUE
  }
  list(transitions = transitions, places = symbols[seq_len(places)], variables = symbols[-seq_len(places)])
}

# Values by the keys 1 to n.
by_key <- function(key, value, n) list(end = cumsum(tabulate(key, n)), n = tabulate(key, n), value = value[order(key)])
values_of <- function(index, keys) index$value[sequence(index$n[keys], index$end[keys] - index$n[keys] + 1L)]

# The net of the kept rows of an unfolded list. Arcs to places that are dropped are dropped, too.
flat_part <- function(model, found, keep) {
  arcs <- found$arcs
  at <- which(keep$transitions[arcs$transition] & keep$places[arcs$place])
  number <- function(flags) cumsum(flags)
  found$arcs <- lapply(arcs, `[`, at)
  found$arcs$transition <- number(keep$transitions)[found$arcs$transition]
  found$arcs$place <- number(keep$places)[found$arcs$place]
  found$transitions <- lapply(found$transitions, `[`, keep$transitions)
  found$places <- lapply(found$places, `[`, keep$places)
  found$names <- found$names[c(keep$places, keep$variables)]
  found$variables <- found$variables[keep$variables]
  flat_net(model, found)
}

reduction_lines <- function(x, most = 5L) {
  gone <- x$reduction
  if (nrow(gone) == 0L) return("reduced: nothing was dropped")
  n <- table(factor(gone$what, c("transition", "place", "variable")))
  words <- vapply(names(n)[n > 0], function(what) count_of(n[[what]], what), "")
  shown <- utils::head(gone, most)
  c(
    sprintf("reduced: %s dropped", sub(", ([^,]*)$", " and \\1", paste(words, collapse = ", "))),
    sprintf("  %s %s: %s", shown$what, short_label(shown$name), shown$why),
    if (nrow(gone) > most) sprintf("  ... and %s more; net$reduction lists all", format_whole(nrow(gone) - most))
  )
}

#' @export
format.reduced_petri_net <- function(x, n = 10, ...) c(NextMethod(), reduction_lines(x))

# ---- bounds -----------------------------------------------------------------------------------------------------------------

# The largest markings of places that the P-invariants allow: a data frame of place and most, for places with a bound. A law
# without negative weights bounds each of its places by its sum over the place's weight.
place_bounds <- function(model) {
  laws <- conservation_laws(model)
  positive <- !laws$law %in% laws$law[laws$weight < 0]
  laws <- plain_frame(laws)[positive, ]
  most <- laws$total / laws$weight
  at <- order(most)
  at <- at[!duplicated(laws$place[at])]
  at <- at[order(match(laws$place[at], unique(laws$place)))]
  data.frame(place = laws$place[at], most = most[at])
}

some_bounds <- function(bounds, most = 6L) {
  shown <- utils::head(bounds, most)
  paste0(
    paste(shown$place, "<=", format_values(shown$most), collapse = ", "),
    if (nrow(bounds) > most) sprintf(" and %s more", format_whole(nrow(bounds) - most))
  )
}
