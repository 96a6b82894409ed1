#' Unfold a coloured Petri net
#'
#' Makes the net without colours that a coloured net stands for. It has a place for each colour of each place, such as `Ca[3,5]`,
#' and a transition for each choice of colours for which the guard holds, such as `diffuse[1,2,1,3]`. To look at this net is the
#' only reason to call `unfold()`: [`simulate()`][simulate.petri_net] unfolds a net by itself, much faster, because it makes no
#' texts. `summary()` tells the size of the unfolded net beforehand.
#'
#' @param model A net of class `petri_net`.
#' @param ... Must be empty.
#' @returns A net of class `petri_net` without colours. The names of its transitions have the colours of all indices in brackets.
#'   A net without colours and indices is returned unchanged.
#' @section Errors: `fireflip_error_argument` for an object of another class. `fireflip_error_size` if the unfolded net has more
#'   than 2^28 places, 2^27 transitions or 2^31 - 1 arcs.
#' @references Liu F, Heiner M, Yang M (2012). An efficient method for unfolding colored Petri nets. *Proceedings of the 2012
#'   Winter Simulation Conference*.
#' @seealso [petri_net()], [as_reaction_network()].
#' @export
#' @examples
#' net <- petri_net(
#'   move = transition("A[x] -> A[next(x)]", rate = 1), colours = list(X = 1:3),
#'   indices = c(x = "X"), places = c(A = "X"),
#'   initial = c("A[1]" = 5)
#' )
#' unfold(net)
unfold <- function(model, ...) UseMethod("unfold")

#' @export
unfold.default <- function(model, ...) no_method(model, "unfold", ...)

#' @export
unfold.petri_net <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  if (!is_coloured(model) && length(model$indices) == 0L) return(model)
  flat_net(model, .Call(ffi_petri_unfolded_list, model))
}

# The kinds of arcs, numbered from 0: FF_PETRI_ARCS of src/model/petri/ff_petri.h.
arc_kinds <- c("in", "out", "read", "inhibitor", "equal", "reset", "modifier")

# The net of an unfolded list. Texts are made for all rows at once, because there may be a million.
flat_net <- function(model, found) {
  n_places <- length(found$places$initial)
  name <- found$names[seq_len(n_places)]
  quoted <- argument_name(name)
  n <- length(found$transitions$name)
  arcs <- found$arcs
  kind <- arc_kinds[arcs$kind + 1L]
  place <- quoted[arcs$place]
  weight <- arcs$weight # a few different texts
  different <- unique(weight)
  formula <- is.na(suppressWarnings(as.numeric(different)))
  weight <- ifelse(formula, paste0("(", different, ")"), different)[match(weight, different)]
  weighted <- place
  several <- which(weight != "1")
  weighted[several] <- paste(weight[several], place[several])
  joined <- function(of, text, between, none) joined_by(arcs$transition[of], text, between, rep(none, n))
  sign <- c(read = ">=", inhibitor = "<", equal = "==")[kind]
  tested <- which(!is.na(sign))
  given <- function(x, none) {
    out <- rep(NA_character_, length(x))
    known <- which(!is.na(x) & !x %in% none)
    out[known] <- exact_text(x[known])
    out
  }
  at <- found$transitions
  sides <- lapply(c("in", "out"), function(side) joined(which(kind == side), weighted[kind == side], " + ", "0"))
  transitions <- data.frame(
    name = at$name, kind = model$transitions$kind[at$of], equation = sprintf("%s -> %s", sides[[1L]], sides[[2L]]),
    number = at$number, law = c("formula", "mass action")[at$mass_action + 1L],
    test = joined(tested, paste(place[tested], sign[tested], weight[tested]), " & ", NA_character_),
    reset = joined(which(kind == "reset"), place[kind == "reset"], ", ", NA_character_), guard = rep(NA_character_, n),
    begin = given(at$begin, NULL), period = given(at$period, 0), end = given(at$end, Inf)
  )
  places <- data.frame(place = name, set = NA_character_, continuous = found$places$continuous, fixed = found$places$fixed)
  markings <- markings_of(name, found$places$initial)
  new_petri_net(
    places, transitions, markings, parameters = model$parameters,
    variables = stats::setNames(found$variables, found$names[-seq_len(n_places)]), choices = model$choices,
    events = events_from_core(found$events)
  )
}

# `out` with the texts of each group in the place of its number, joined in their order. Groups of a few texts are joined together.
joined_by <- function(group, text, between, out, most = 8L) {
  at <- order(group)
  group <- group[at]
  text <- text[at]
  rank <- sequence(rle(group)$lengths)
  long <- group %in% group[rank > most]
  for (k in seq_len(min(most, max(rank, 0L)))) {
    now <- rank == k & !long
    out[group[now]] <- if (k == 1L) text[now] else paste0(out[group[now]], between, text[now])
  }
  parts <- split(text[long], group[long])
  out[as.integer(names(parts))] <- vapply(parts, paste, "", collapse = between)
  out
}

# ---- from and to reaction networks -----------------------------------------------------------------------------------------

#' Petri nets from reaction networks, and back
#'
#' `as_petri_net()` makes a Petri net of a reaction network, and chooses which places are discrete and which transitions flow. Of
#' a Petri net, it makes a net in which all stochastic and continuous transitions have one of these kinds. `as_reaction_network()`
#' makes a reaction network of a net whose places are all discrete and whose transitions are all stochastic.
#'
#' @param x A network of class `reaction_network` or `petri_net`.
#' @param continuous The species that become continuous places: names, numbers, `TRUE` for all, or a logical vector with one
#'   element per species. With `NULL` (the default), none.
#' @param flows The reactions that become flows: names or numbers. With `NULL` (the default), those that change continuous species
#'   only.
#' @param as `"stochastic"`: all continuous transitions become stochastic, and all places discrete. `"continuous"`: all stochastic
#'   transitions become continuous, and all places, too. With `NULL` (the default), the net is returned unchanged. Numbers, rates
#'   and units stay as they are.
#' @param ... Must be empty.
#' @returns `as_petri_net()`: a net of class `petri_net`; its [`summary()`][petri-methods] tells what has been chosen.
#'   `as_reaction_network()`: a network of class `reaction_network`, as created by [reaction_network()]. Its species are the
#'   places of the unfolded net. Tests become factors of rates, such as `(S >= 3)`. So do the tokens that a rate that is a formula
#'   needs of a fixed place.
#' @details A reaction whose rate is a formula may fire although a fixed reactant is at 0, but a transition may not. So the
#'   equation of such a transition does not have the fixed reactant. All other equations and all rates stay as they are.
#' @section Errors: `fireflip_error_unsupported` if the net is no reaction network: if it has a transition that is not stochastic,
#'   a continuous place, a reset, or a weight that is not whole or depends on places or on parameters that events set.
#'   `fireflip_error_model` as for [petri_net()]. `fireflip_error_argument` for an invalid argument.
#' @references Herajy M, Liu F, Rohr C, Heiner M (2017). Snoopy's hybrid simulator: a tool to construct and simulate hybrid
#'   biological models. *BMC Systems Biology* 11, 71. \doi{10.1186/s12918-017-0449-6}
#' @seealso [petri_net()], [reaction_network()], [unfold()].
#' @export
#' @examples
#' net <- reaction_network(
#'   "0 -> mRNA" = 2, "mRNA -> 0" = 0.5, "mRNA -> mRNA + protein" = 20, "protein -> 0" = 0.1
#' )
#' hybrid <- as_petri_net(net, continuous = "protein")
#' hybrid
#' summary(hybrid)
#' as_reaction_network(as_petri_net(hybrid, as = "stochastic"))
as_petri_net <- function(x, ...) UseMethod("as_petri_net")

#' @export
as_petri_net.default <- function(x, ...) {
  if (missing(x)) abort_class(, c("petri_net", "reaction_network"), "x")
  abort_class(x, c("petri_net", "reaction_network"), "x")
}

#' @rdname as_petri_net
#' @export
as_petri_net.reaction_network <- function(x, continuous = NULL, flows = NULL, ...) {
  check_parts(x)
  if ("as" %in% ...names()) {
    abort_argument(paste(
      "`as` is for Petri nets. Of a reaction network, continuous = TRUE makes all species continuous, and",
      "as_petri_net(x) leaves all counted."
    ))
  }
  check_no_more(...)
  n <- nrow(x$species)
  level <- if (is.null(continuous)) logical(n) else {
    if (isTRUE(continuous)) rep(TRUE, n) else species_flags(x, continuous, "continuous")
  }
  petri_of_reactions(x, level, flows, .Call(ffi_reactions_arrows, x))
}

# The net of a reaction network with these arrows, whose counts need not be whole.
petri_of_reactions <- function(x, level, flows, arrows) {
  rows <- x$reactions
  none <- rep(NA_character_, nrow(rows))
  changed <- changed_species(x, arrows)
  flowing <- vapply(changed, function(at) length(at) > 0L && all(level[at]), NA)
  if (!is.null(flows)) flowing <- seq_len(nrow(rows)) %in% check_known(flows, "flows", rows$name, "reactions")
  model <- new_petri_net(
    data.frame(place = x$species$species, set = NA_character_, continuous = level, fixed = x$species$fixed),
    data.frame(
      name = rows$name, kind = c("stochastic", "continuous")[1L + flowing], equation = equations_to_enable(x, arrows),
      number = rows$rate, law = rows$law, test = none, reset = none, guard = none, begin = none, period = none, end = none
    ),
    markings_of(x$species$species, x$species$initial),
    parameters = x$parameters, variables = if (is.null(x$variables)) no_variables() else x$variables,
    choices = flow_choices(x, flowing, level, changed, is.null(flows)), events = x$events
  )
  as_checked(model, .Call(ffi_petri_check, model))
}

# The equations of a reaction network as those of transitions. A reaction whose rate is a formula fires also if a fixed reactant
# is at 0, but a transition needs its tokens. Equations with fractions are made from the arrows.
equations_to_enable <- function(x, arrows) {
  equation <- x$reactions$equation
  held <- arrows$role == 1L & x$species$fixed[arrows$species] & x$reactions$law[arrows$reaction] == "formula"
  weight <- ifelse(arrows$count == 1, "", paste(exact_text(arrows$count), ""))
  text <- paste0(weight, argument_name(x$species$species[arrows$species]))
  for (r in unique(arrows$reaction[held | (arrows$role != 3L & arrows$count != floor(arrows$count))])) {
    side <- function(of) if (any(of)) paste(text[of], collapse = " + ") else "0"
    own <- arrows$reaction == r
    equation[[r]] <- paste(side(own & arrows$role == 1L & !held), "->", side(own & arrows$role == 2L))
  }
  equation
}

# The species that each reaction changes.
changed_species <- function(x, arrows) {
  used <- arrows$role != 3L & !x$species$fixed[arrows$species]
  by <- ifelse(arrows$role == 2L, arrows$count, -arrows$count)[used]
  if (!any(used)) return(rep(list(integer()), nrow(x$reactions)))
  sums <- rowsum(by, paste(arrows$reaction[used], arrows$species[used]))
  parts <- strsplit(rownames(sums)[sums[, 1L] != 0], " ", fixed = TRUE)
  reaction <- vapply(parts, function(part) as.integer(part[[1L]]), 0L)
  species <- vapply(parts, function(part) as.integer(part[[2L]]), 0L)
  unname(split(species, factor(reaction, seq_len(nrow(x$reactions)))))
}

flow_choices <- function(x, flowing, level, changed, chosen) {
  name <- x$reactions$name
  if (!chosen) return(if (any(flowing)) sprintf("%s: flows, as asked for", name[flowing]) else character())
  mixed <- which(!flowing & vapply(changed, function(at) any(level[at]), NA))
  c(
    sprintf("%s: flows, because all that it changes is continuous", name[flowing]),
    sprintf("%s: is counted, because it changes %s", name[mixed], vapply(mixed, function(r) {
      some_values(x$species$species[changed[[r]][!level[changed[[r]]]]])
    }, ""))
  )
}

#' @rdname as_petri_net
#' @export
as_petri_net.petri_net <- function(x, as = NULL, ...) {
  check_parts(x)
  check_no_more(...)
  if (is.null(as)) return(x)
  check_choice(as, "as", c("stochastic", "continuous"))
  moved <- x$transitions$kind %in% c("stochastic", "continuous")
  x$transitions$kind[moved] <- as
  x$places$continuous <- rep(as == "continuous", nrow(x$places))
  x$choices <- character()
  as_checked(x, .Call(ffi_petri_check, x))
}

#' @rdname as_petri_net
#' @export
as_reaction_network <- function(x, ...) UseMethod("as_reaction_network")

#' @export
as_reaction_network.default <- function(x, ...) {
  if (missing(x)) abort_class(, c("petri_net", "reaction_network"), "x")
  abort_class(x, c("petri_net", "reaction_network"), "x")
}

#' @export
as_reaction_network.reaction_network <- function(x, ...) {
  check_no_more(...)
  x
}

#' @rdname as_petri_net
#' @export
as_reaction_network.petri_net <- function(x, ...) {
  check_parts(x)
  check_no_more(...)
  why_not <- why_no_reactions(x)
  if (!is.null(why_not)) {
    counts <- ". as_petri_net(net, as = \"stochastic\") counts what flows"
    refuse_as_reactions(why_not, if (any(x$places$continuous)) counts else "")
  }
  found <- .Call(ffi_petri_unfolded_list, x)
  why_not <- why_no_counts(x, found)
  if (!is.null(why_not)) refuse_as_reactions(why_not)
  reactions_of(x, found)
}

refuse_as_reactions <- function(why_not, way = "") {
  abort("unsupported", sprintf(
    "The net is no reaction network: %s; expected discrete places, stochastic transitions and whole weights %s%s.", why_not,
    "that do not change", way
  ))
}

# The reaction network that a net is, or NULL.
reactions_if_any <- function(x) {
  if (!is.null(why_no_reactions(x))) return(NULL)
  found <- .Call(ffi_petri_unfolded_list, x)
  if (is.null(why_no_counts(x, found))) reactions_of(x, found)
}

# Why a net is no reaction network, as a clause, or NULL: what can be seen without unfolding it.
why_no_reactions <- function(x) {
  rows <- x$transitions
  other <- which(rows$kind != "stochastic")
  if (length(other) > 0L) return(sprintf("its transition \"%s\" is %s", rows$name[[other[[1L]]]], rows$kind[[other[[1L]]]]))
  if (any(x$places$continuous)) return(sprintf("its place \"%s\" is continuous", x$places$place[x$places$continuous][[1L]]))
  reset <- which(!is.na(rows$reset))
  if (length(reset) > 0L) return(sprintf("its transition \"%s\" resets %s", rows$name[[reset[[1L]]]], rows$reset[[reset[[1L]]]]))
}

why_no_counts <- function(x, found) {
  arcs <- found$arcs
  moved <- arcs$kind %in% 0:1
  bad <- which(moved & (is.na(arcs$value) | arcs$value != floor(arcs$value)))
  if (length(bad) == 0L) return(NULL)
  sprintf(
    "its transition \"%s\" has the weight %s, which %s", found$transitions$name[[arcs$transition[[bad[[1L]]]]]],
    arcs$weight[[bad[[1L]]]], if (is.na(arcs$value[[bad[[1L]]]])) "depends on places or on what events set" else "is not whole"
  )
}

# The tests of transitions, and the tokens that they need of fixed places: a reaction whose rate is a formula fires also if a
# fixed reactant is at 0.
tests_and_tokens <- function(found, test) {
  arcs <- found$arcs
  held <- which(
    arcs$kind == 0L & found$places$fixed[arcs$place] & arcs$value > 0 & found$transitions$mass_action[arcs$transition] == 0
  )
  needed <- joined_by(
    arcs$transition[held], paste(argument_name(found$names[arcs$place[held]]), ">=", arcs$weight[held]), " & ",
    rep(NA_character_, length(test))
  )
  both <- !is.na(test) & !is.na(needed)
  needed[both] <- paste(test[both], "&", needed[both])
  ifelse(is.na(needed), test, needed)
}

reactions_of <- function(x, found) {
  arcs <- found$arcs
  moved <- arcs$kind %in% 0:1
  arcs$weight[moved] <- exact_text(arcs$value[moved])
  found$arcs <- lapply(arcs, `[`, !(moved & arcs$value %in% 0)) # a weight may be a parameter that is 0
  flat <- flat_net(x, found)
  rows <- flat$transitions
  test <- tests_and_tokens(found, rows$test)
  tested <- which(!is.na(test))
  factors <- gsub(" & ", ") * (", test[tested], fixed = TRUE)
  rows$number[tested] <- sprintf("(%s) * (%s)", rows$number[tested], factors)
  model <- new_reaction_network(
    flat$places$place, found$places$initial, flat$places$fixed, flat$parameters,
    data.frame(name = make.unique(rows$name, " "), equation = rows$equation, rate = rows$number, law = rows$law), flat$variables
  )
  model$events <- if (is_coloured(x)) flat$events else x$events
  checked <- .Call(ffi_reactions_check, model)
  model$reactions$equation <- checked$equation
  model$reactions$rate <- checked$rate
  model
}

# ---- invariants ----------------------------------------------------------------------------------------------------------------

#' Invariants of a Petri net
#'
#' A *P-invariant* gives a whole weight to each place, so that no transition changes the weighted sum of the tokens: a
#' conservation law. [conservation_laws()] of a net finds a basis of them. A *T-invariant* gives a whole number to each
#' transition. If all transitions fire so often, the marking is as before.
#'
#' @param model A net of class `petri_net`.
#' @param type `"P"` (the default): what `conservation_laws()` gives. `"T"`: all minimal T-invariants. One is minimal if its
#'   transitions do not include all transitions of another one.
#' @param ... Must be empty.
#' @returns For `"P"`, a data frame with a row for each place of each law: `law` (a number), `place`, `weight` and `total` (the
#'   sum at the start). For `"T"`, one with `invariant` (a number), `transition` and `weight`.
#' @details The net is unfolded. All is computed with whole numbers. So weights of arcs that are not whole, such as 5.4 and
#'   1 / 0.185, are taken for fractions of whole numbers, here 27 / 5 and 200 / 37. A place that a transition resets, or changes
#'   by a weight that depends on places, is in no P-invariant. The transition that does this is in no T-invariant. A place that an
#'   event sets is in no P-invariant either.
#' @section Errors: `fireflip_error_argument` for an object of another class. `fireflip_error_size` if numbers exceed 2^53, or if
#'   there are more than about ten thousand T-invariants.
#' @references Martinez J, Silva M (1982). A simple and fast algorithm to obtain all invariants of a generalised Petri net. In:
#'   *Application and Theory of Petri Nets*, Informatik-Fachberichte 52, 301-310.
#' @seealso [conservation_laws()].
#' @export
#' @examples
#' net <- petri_net(
#'   "A + E -> C" = 1, "C -> A + E" = 2, "C -> B + E" = 3, "B -> A" = 1, initial = c(A = 10, E = 2)
#' )
#' invariants(net, "T")
#' conservation_laws(net)
invariants <- function(model, ...) UseMethod("invariants")

#' @export
invariants.default <- function(model, ...) no_method(model, "invariants", ...)

#' @rdname invariants
#' @export
invariants.petri_net <- function(model, type = c("P", "T"), ...) {
  check_parts(model)
  check_no_more(...)
  type <- check_choice(type, "type", c("P", "T"))
  if (type == "P") return(conservation_laws(model))
  found <- whole_changes(model)
  rows <- found$changes[!found$changes$transition %in% found$varying, ]
  by_place <- split(rows[c("transition", "by")], rows$place)
  changes <- unname(lapply(by_place, function(one) list(at = one$transition, by = one$by)))
  left_out <- lapply(unique(found$varying), function(t) list(at = t, by = 1))
  gave_up <- FALSE
  combine <- function(...) {
    out <- all_pairs(...)
    gave_up <<- gave_up || is.null(out)
    out
  }
  short <- order(vapply(changes, function(one) length(one$at), 0L))
  vectors <- null_vectors(c(left_out, changes[short]), length(found$transitions), combine, minimal = TRUE)
  if (gave_up) {
    abort("size", "The net has more than about ten thousand T-invariants; expected fewer, such as those of a part of the net.")
  }
  vectors <- vectors[order(lengths(lapply(vectors, `[[`, "at")), vapply(vectors, function(v) v$at[[1L]], 0L))]
  at <- as.integer(unlist(lapply(vectors, `[[`, "at")))
  data.frame(
    invariant = rep(seq_along(vectors), lengths(lapply(vectors, `[[`, "at"))), transition = found$transitions[at],
    weight = as.double(unlist(lapply(vectors, `[[`, "weight")))
  )
}

#' @section Petri nets: `conservation_laws()` of a [petri_net()] finds its P-invariants. The result has the column `place` instead
#'   of `species`. See [invariants()].
#' @rdname conservation_laws
#' @export
conservation_laws.petri_net <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  found <- whole_changes(model)
  by_transition <- split(found$changes[c("place", "by")], found$changes$transition)
  changes <- unname(lapply(by_transition, function(one) list(at = one$place, by = one$by * sign(one$by[[1L]]))))
  changes <- changes[!duplicated(vapply(changes, function(one) paste(one$at, one$by, collapse = " "), ""))]
  lost <- lapply(unique(found$lost), function(p) list(at = p, by = 1))
  laws <- laws_of_changes(c(lost, changes[order(vapply(changes, function(one) length(one$at), 0L))]), length(found$places))
  table_of_laws(laws, found$places, found$initial, "place")
}

# The changes that transitions of the unfolded net make: a data frame of transition, place and by (whole numbers); the transitions
# whose changes vary, and the places that they change so.
whole_changes <- function(model) {
  found <- .Call(ffi_petri_unfolded_list, model)
  arcs <- found$arcs
  fixed <- found$places$fixed[arcs$place]
  kind <- arc_kinds[arcs$kind + 1L]
  varies <- !fixed & (kind == "reset" | (kind %in% c("in", "out") & is.na(arcs$value)))
  moved <- !fixed & kind %in% c("in", "out") & !varies
  by <- ifelse(kind == "out", arcs$value, -arcs$value)[moved]
  scale <- whole_scale(by)
  n <- length(found$names)
  key <- arcs$transition[moved] * (n + 1) + arcs$place[moved]
  sums <- rowsum(exact_weights(round(by * scale)), key)
  key <- as.numeric(rownames(sums))
  order <- order(key)
  order <- order[sums[order, 1L] != 0]
  changes <- data.frame(
    transition = as.integer(key[order] %/% (n + 1)), place = as.integer(key[order] %% (n + 1)), by = unname(sums[order, 1L])
  )
  places <- found$names[seq_along(found$places$initial)]
  set <- unlist(lapply(found$events$set, names))
  list(
    changes = changes, varying = arcs$transition[varies], lost = c(arcs$place[varies], which(places %in% set)),
    transitions = found$transitions$name, places = places, initial = found$places$initial
  )
}

# The least whole number by which all numbers become whole. A number such as 1 / 0.185 is taken for the fraction of whole numbers
# with the least denominator that a double does not tell from it, 200 / 37.
whole_scale <- function(x) {
  scale <- 1
  for (one in unique(x[x != floor(x)])) {
    denominator <- denominator_of(one)
    scale <- exact_weights(scale * (denominator / common_divisor(scale, denominator)))
  }
  scale
}

# By the continued fraction of the number.
denominator_of <- function(x, most = 1e6) {
  rest <- abs(x)
  before <- 0
  denominator <- 1
  while (abs(round(abs(x) * denominator) / denominator - abs(x)) > 2^-52 * abs(x)) {
    rest <- 1 / (rest - floor(rest))
    new <- floor(rest) * denominator + before
    if (!is.finite(new) || new > most) {
      abort("size", sprintf(
        "The weight %s of an arc is no fraction with a denominator of at most a million, which invariants need.",
        exact_text(abs(x))
      ))
    }
    before <- denominator
    denominator <- new
  }
  denominator
}
