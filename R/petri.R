#' A coloured hybrid Petri net
#'
#' Creates a Petri net. Its *places* hold *tokens*: a whole number of them, as molecules, or a level that flows, as a
#' concentration. Its *transitions* take tokens from places and add tokens to places: at random times, as long as they flow, at
#' once, after a delay, or at given times. A net may be *coloured*: a place then stands for many places, one for each colour, for
#' instance one for each cell of a tissue, and a transition for many transitions.
#'
#' @param ... The transitions: rates named by equations, as in [reaction_network()], such as `"off <-> on" = c(1.5, 2.5)`; and
#'   `transition()` and `flow()`, named by equations, or by names for them if they have an equation themselves. Or one list of
#'   these. Or a data frame: see section Data frames.
#' @param colours The simple sets of colours: a list of vectors with names, such as `list(X = 1:100, Layer = c("top", "bottom"))`.
#'   Colours are whole numbers or names.
#' @param sets Further sets of colours: texts with names. `"X * Y"` is a product, whose colours are tuples. `"A + B"` is a union,
#'   and `"Cell[x %% 2 == 1]"` a subset. See section Colours.
#' @param indices The names that stand for colours, and the sets of these colours, such as `c(x = "X", y = "Y")`.
#' @param places The sets of the colours of places, such as `c(Ca = "Cell")`. A place without a name, as in `c("A", Ca = "Cell")`,
#'   has no colours. Places that are not named here have no colours either.
#' @param continuous The places whose tokens are levels: their names, their numbers, or a logical vector with one element per
#'   place. All other places hold whole numbers.
#' @param initial The initial marking: numbers of at least 0 or formulas of indices and parameters, named by places, such as
#'   `list(Ca = 0.1, S = "4 * (x == 1)")`. The name `"Ca[1,2]"` is that of one colour. A later value replaces an earlier one.
#'   Places that are not named start at 0.
#' @param parameters Numbers named by parameters: a vector, a list, or one row of a data frame.
#' @param fixed Places that no transition changes, as in `continuous`.
#' @param variables Formulas as text, named by variables, such as `c(total = "sum(Ca)")`. Rates and other variables may use them.
#'   [`simulate()`][simulate.petri_net] can observe them.
#' @param functions Functions of colours, as texts named by their heads, such as `c("near(x, a)" = "abs(x - a) == 1")`. An
#'   argument may be followed by its set: `"up(x in X)"`.
#' @param events Must be `NULL`. Scheduled and deterministic transitions do what events of reaction networks do.
#' @param equation The equation of a transition. If there is none, the name that `petri_net()` is given is the equation.
#' @param rate,flow,weight,delay The number of a transition, which also gives its kind. Exactly one of these, or `at`, must be
#'   given. A number, a formula as text, or `mass_action()`; two of them for a reversible equation.
#' @param at `c(begin, period, end)` of a scheduled transition: numbers, or formulas of parameters as text. `period` and `end` may
#'   be left out.
#' @param test Conditions of the transition, joined by `&`, such as `"S >= 3 & B < 2"`.
#' @param reset Places that the transition sets to 0: text, separated by commas, or several texts.
#' @param guard A condition of the colours, such as `"x != a"`.
#' @param z A rate of a flow: `flow(z)` is `transition(flow = z)`.
#' @returns `petri_net()`: an object of class `petri_net`. `transition()` and `flow()`: a transition for `petri_net()`.
#'
#' @section Kinds of transitions:
#'   * `rate`: *stochastic*. It fires at random times. The rate is its propensity, as in [reaction_network()].
#'   * `flow`: *continuous*. It flows all the time; the rate is a speed. It changes continuous places only.
#'   * `weight`: *immediate*. It fires as soon as it is enabled. Of several, one is chosen with a probability in proportion to its
#'     weight. One whose weight is 0 does not fire.
#'   * `delay`: *deterministic*. It fires when it has been enabled without interruption for its delay.
#'   * `at`: *scheduled*. It fires at the time `begin`, then after each `period`, up to `end`, if it is then enabled. With a
#'     period of 0, it fires once.
#'
#'   A transition other than a flow is *enabled* if each place has the tokens that it takes, and its tests hold. A flow out of a
#'   place that is empty is at most as fast as what flows in: see [`simulate()`][simulate.petri_net].
#'
#'   A *delay* is not that of a delayed reaction, whose products come later: the tokens of a deterministic transition stay where
#'   they are until it fires, and other transitions may take them.
#' @section Numbers and formulas: A number, and `mass_action("k")`, are constants of mass action for `rate` and `flow`: the
#'   constant is multiplied by the number of ways to choose the tokens that are taken, x (x - 1) / 2 for `2 A`; for a flow by the
#'   limit of this for many tokens, x^2 / 2 (but x (x - 1) / 2 if the place is discrete, as one that is on both sides may be). So a
#'   transition keeps its law if it is counted or flows. Text is a formula that is
#'   the whole rate. For `weight` and `delay`, a number is the weight or the delay itself.
#'
#'   Formulas have the grammar of those of [reaction_network()]. A place with colours is written with them, as `Ca[x,y]`,
#'   `Ca[x,next(y)]` or `Ca[1,2]`. `sum(Ca)` is the sum over all colours. A rate may have several parts, of which the first counts
#'   whose condition on colours holds: `c("x == 1" = "k1", "x > 10" = "k2", "k3")`. A part without a name always holds.
#' @section Equations: They are those of [reaction_network()], with two additions. Weights may be any numbers, `5.4 A`, or
#'   formulas of parameters and places in parentheses, `(n + 1) A`. Those of discrete places must be whole. A place with colours
#'   has all of them in brackets: `2 A[x] + A[next(x)] -> B[x,1]`.
#'
#'   If a place is on both sides with equal weight, as E in `A + E -> B + E`, and the transition is a flow but E is not
#'   continuous, it is taken as a test, `E >= 1`, and a factor of mass action. [`summary()`][petri-methods] lists such choices.
#' @section Tests: `place >= w` and `place < w` compare the tokens with a weight, `place == w` asks for exactly this number. On
#'   discrete places, there are also `>` and `<=`. For any other condition, multiply the rate by it: `"(A + B > 3) * k"`.
#' @section Colours: An index stands for each colour of its set. A transition that names indices stands for a transition for each
#'   choice of their colours for which the guard holds. Expressions of colours are whole numbers, names of colours, indices,
#'   parameters that are whole, `+ - * %/% %% ^`, `abs()`, comparisons, `!`, `&`, `|` and the `functions`. `next(x)` is the next
#'   colour of the set of x; after the last one comes the first. `previous(x)` is the one before. A colour outside of the set of
#'   its place, such as `x + 1` for the last x, gives no transition.
#'
#'   In a subset, an index stands for the component of the tuple that has its set: with `c(x = "X", y = "Y")`, x is the first
#'   component of `"Cell[x %% 2 == 1]"` if Cell is `"X * Y"`.
#' @section Data frames: A row for each equation. The column `equation`; `kind` (`"stochastic"`, `"continuous"`,
#'   `"immediate"`, `"deterministic"` or `"scheduled"`) with `number`, or one column for each of `rate`, `flow`, `weight` and
#'   `delay`, with `NA` for what a transition does not have. Optional columns are `name`, `law` (`"mass action"` or `"formula"`),
#'   `test`, `reset`, `guard`, `begin`, `period` and `end`. `as.data.frame(net)` is such a data frame.
#' @section Elements: A net is a list. `places` is a data frame of `place`, `set`, `continuous` and `fixed`. `transitions` is a
#'   data frame of `name`, `kind`, `equation`, `number` (text), `law`, `test`, `reset`, `guard`, `begin`, `period` and `end`.
#'   `pieces` has the numbers that have several parts. `markings` is a data frame of `element`, `when`, `value` and `adds`.
#'   `colours`, `sets`, `indices`, `functions`, `parameters` and `variables` are as the arguments. `choices` are texts.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_parse` for an equation, a formula or an
#'   expression of colours that does not follow the grammar or names something unknown. `fireflip_error_model` for an inconsistent
#'   net, such as a flow that changes a discrete place, and for a set of colours that is too large, `fireflip_error_size`.
#' @section Warnings: `fireflip_warning_unused` if `initial` names a place that nothing else names. `fireflip_warning_propensity`
#'   as in [reaction_network()].
#' @references ELansary I, Hefnawy A, Herajy M, Sweilam N. Improving the simulation performance of colored hybrid Petri nets by
#'   the graphics processing units.
#'
#' David R, Alla H (2010). *Discrete, Continuous, and Hybrid Petri Nets*. Springer. \doi{10.1007/978-3-642-10669-9}
#' @seealso [`simulate()`][simulate.petri_net], [unfold()], [as_petri_net()], [petri_model()], [petri-methods].
#' @concept Petri net
#' @concept hybrid model
#' @concept coloured Petri net
#' @export
#' @examples
#' # a gene that is switched on and off, and a protein that flows
#' petri_net(
#'   "off <-> on" = c(1.5, 2.5), "0 -> protein" = flow("on"), "protein -> 0" = flow(1),
#'   initial = c(off = 1), continuous = "protein"
#' )
#'
#' # diffusion on a grid of cells
#' petri_net(
#'   diffuse = transition(
#'     "Ca[x,y] -> Ca[a,b]", flow = mass_action("D"), guard = "abs(x - a) + abs(y - b) == 1"
#'   ),
#'   colours = list(X = 1:4, Y = 1:5), sets = c(Cell = "X * Y"),
#'   indices = c(x = "X", y = "Y", a = "X", b = "Y"),
#'   places = c(Ca = "Cell"), continuous = "Ca", initial = c("Ca[1,1]" = 10), parameters = c(D = 0.5)
#' )
petri_net <- function(..., colours = NULL, sets = NULL, indices = NULL, places = NULL, continuous = NULL, initial = NULL,
                      parameters = NULL, fixed = NULL, variables = NULL, functions = NULL, events = NULL) {
  if (!is.null(events)) {
    abort_argument(paste(
      "A Petri net has no `events`. transition(at = c(begin, period, end)) fires at given times, transition(delay = ) some time",
      "after it is enabled, and transition(weight = ) as soon as it is."
    ))
  }
  table <- transition_table(list(...))
  parameters <- check_named_numbers(parameters, "parameters")
  variables <- check_variables(variables)
  colours <- check_colours(colours)
  sets <- check_named_texts(sets, "sets", "texts with names, such as c(Cell = \"X * Y\")")
  indices <- check_named_texts(indices, "indices", "names of sets, named by indices, such as c(x = \"X\")")
  functions <- check_named_texts(
    functions, "functions", "texts named by heads of functions, such as c(\"near(x, a)\" = \"x == a\")"
  )
  declared <- check_places(places, c(names(colours), names(sets)))
  markings <- check_markings(initial)
  scanned <- .Call(ffi_petri_equation_names, enc2utf8(table$equation))
  transitions <- one_way_transitions(table, scanned$both)
  names <- unique(c(names(declared), scanned$names, place_of_element(markings$element)))
  if (length(names) == 0L) abort_argument("A Petri net needs at least one place; found none in the equations.")
  refuse_nothing(names)
  check_different_names(names, names(parameters), names(variables), names(indices))
  model <- new_petri_net(
    data.frame(place = names, set = unname(declared[names]), continuous = FALSE, fixed = FALSE), transitions$rows, markings,
    colours = colours, sets = sets, indices = index_order(indices, colours, sets), functions = functions,
    parameters = parameters, variables = variables, pieces = transitions$pieces
  )
  if (!is.null(continuous)) model$places$continuous <- place_flags(model, continuous, "continuous")
  if (!is.null(fixed)) model$places$fixed <- place_flags(model, fixed, "fixed")
  checked <- .Call(ffi_petri_check, model)
  warn_unused_places(model, declared, checked$used)
  warn_constant_rates(model, checked)
  as_checked(model, checked)
}

#' @rdname petri_net
#' @export
transition <- function(equation = NULL, rate = NULL, flow = NULL, weight = NULL, delay = NULL, at = NULL, test = NULL,
                       reset = NULL, guard = NULL) {
  if (!is.null(equation)) check_string(equation, "equation", "an equation as one text, such as \"A -> B\"")
  numbers <- Filter(Negate(is.null), list(rate = rate, flow = flow, weight = weight, delay = delay, at = at))
  if (length(numbers) != 1L) {
    abort_argument(sprintf(
      "transition() needs exactly one of `rate`, `flow`, `weight`, `delay` and `at`; found %s%s.",
      if (length(numbers) == 0L) "none" else paste0("`", names(numbers), "`", collapse = " and "),
      if (is.null(equation)) "" else sprintf(" for \"%s\"", equation)
    ))
  }
  structure(class = "petri_transition", list(
    equation = if (is.null(equation)) NULL else enc2utf8(equation), kind = kind_of_number[[names(numbers)]],
    number = numbers[[1L]], test = joined_texts(test, "test", " & "), reset = joined_texts(reset, "reset", ", "),
    guard = joined_texts(guard, "guard", " & ")
  ))
}

#' @rdname petri_net
#' @export
flow <- function(z) {
  if (missing(z)) abort_value("z", "a number, a formula as text, or mass_action()", z)
  transition(flow = z)
}

#' @export
print.petri_transition <- function(x, ...) {
  warn_ignored(...)
  extras <- c(test = x$test, reset = x$reset, guard = x$guard)
  writeLines(c(
    sprintf("a %s transition%s", x$kind, if (is.null(x$equation)) "" else paste0(" ", x$equation)),
    sprintf("  %s %s", names(extras), extras)[!is.na(extras)]
  ))
  invisible(x)
}

# As for mass_action(): c() keeps the class.
#' @export
c.petri_transition <- function(...) list(...)

petri_kinds <- c("stochastic", "continuous", "immediate", "deterministic", "scheduled")
kind_of_number <- stats::setNames(petri_kinds, c("rate", "flow", "weight", "delay", "at"))

# Texts as one text, or NA for none.
joined_texts <- function(x, name, between) {
  if (is.null(x)) return(NA_character_)
  if (!is_texts(x) || length(x) == 0L) abort_value(name, "text", x)
  x <- trimws(enc2utf8(unname(x)))
  if (length(x) > 1L && name == "guard") x <- paste0("(", x, ")")
  paste(x, collapse = between)
}

# ---- the object -----------------------------------------------------------------------------------------------------------

# Makes the object. Checks nothing.
new_petri_net <- function(places, transitions, markings, colours = list(), sets = no_variables(), indices = no_variables(),
                          functions = no_variables(), parameters = stats::setNames(numeric(), character()),
                          variables = no_variables(), pieces = NULL, choices = character()) {
  out <- list(
    places = places, transitions = transitions, markings = markings, colours = colours, sets = sets, indices = indices,
    functions = functions, parameters = parameters, variables = variables, choices = choices
  )
  out$pieces <- pieces
  structure(class = "petri_net", out)
}

# The texts as the core writes them, and what it has chosen.
as_checked <- function(model, checked) {
  texts <- c("equation", "test", "reset", "guard")
  before <- model$transitions
  model$transitions[texts] <- checked[texts]
  more <- is.na(before$test) | nchar(checked$test) > nchar(before$test) + 3L # a test, not only blanks
  read <- which(before$kind == "continuous" & !is.na(checked$test) & more)
  number <- !is.na(suppressWarnings(as.numeric(before$number)))
  number[read] <- TRUE
  model$transitions$number[number] <- checked$number[number]
  if (length(read) > 0L) {
    model$choices <- unique(c(model$choices, sprintf(
      "%s: %s, because it flows and \"%s\" leaves the place as it is", before$name[read], checked$test[read],
      before$equation[read]
    )))
  }
  model
}

# Lets the core check the whole net.
validate_petri <- function(model) {
  .Call(ffi_petri_check, model)
  model
}

is_coloured <- function(model) any(!is.na(model$places$set))

# ---- checks of arguments ----------------------------------------------------------------------------------------------------

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

warn_unused_places <- function(model, declared, used) {
  names <- model$places$place
  unused <- setdiff(names[!used], names(declared))
  if (length(unused) == 0L) return(invisible())
  near <- closest_name(unused[[1L]], names[used])
  warn("unused", sprintf(
    "`initial` names %s, which no equation, rate, test or variable names%s", quote_some(unused),
    if (is.null(near)) ". If the place is meant to be there, name it in `places`." else sprintf("; did you mean \"%s\"?", near)
  ), unused = unused)
}

# A formula without places, of a stochastic transition that takes tokens, is often meant as a constant of mass action.
warn_constant_rates <- function(model, checked) {
  rows <- model$transitions
  constant <- which(rows$kind == "stochastic" & rows$law %in% "formula" & !is.na(rows$number) & checked$constant & checked$takes)
  constant <- constant[!suppressWarnings(as.numeric(rows$number[constant])) %in% 0]
  if (length(constant) == 0L) return(invisible())
  first <- rows[constant[[1L]], ]
  warn("propensity", sprintf(
    paste(
      "The rate \"%s\" of \"%s\" does not depend on any place%s. A formula as text is the whole propensity.",
      "If it is a rate constant, write mass_action(\"%s\"). If not, write \"(%s) * (%s > 0)\"."
    ), first$number, first$equation,
    if (length(constant) == 1L) "" else sprintf(", like those of %s", count_of(length(constant) - 1L, "other transition")),
    first$number, first$number, first_taken(first$equation)
  ), transitions = rows$name[constant])
}

# The first place of the left side of an equation, as it is written there.
first_taken <- function(equation) {
  ends <- regexpr("[-=]>|[+]", masked_text(equation))
  sub("^([0-9.]+|\\([^)]*\\)) *", "", trimws(substr(equation, 1L, ends - 1L)))
}

# ---- the forms of transitions -> data frames -----------------------------------------------------------------------------------

# A data frame with a row per number: equation, row (the number of the equation), part (1, or 2 for the second number of a
# reversible equation), name (NA if not given), kind, number (text), law, test, reset, guard, begin, period, end; and `pieces`, a
# list with a data frame of when, number and law for each row whose number has several parts.
transition_table <- function(values) {
  if (length(values) == 1L && is.null(names(values)) && !inherits(values[[1L]], "petri_transition")) {
    values <- values[[1L]]
    if (is.data.frame(values)) return(transitions_from_frame(values))
    if (!(is.list(values) || is.numeric(values) || is.character(values)) || is.object(values)) {
      abort_argument(sprintf(
        "petri_net() needs rates named by equations, such as \"A -> B\" = 1, or a data frame; found %s.", describe(values)
      ))
    }
    values <- as.list(values)
  }
  if (length(values) == 0L) abort_argument("petri_net() needs rates named by equations, such as \"A -> B\" = 1; found none.")
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
    if (name == "colors") abort_unknown("colors", "colours")
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
  list(number = NA_character_, law = "formula", begin = text[[1L]], period = text[[2L]], end = text[[3L]], pieces = NULL)
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
    abort_argument(sprintf(
      "The %s of \"%s\" is a transition; flow() and transition() are not arguments of transition().", word, equation
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
  n <- rowSums(given) + !is.na(number) + scheduled
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

# The place of an element, such as Ca[1,2] or `a b`[x].
place_of_element <- function(element) {
  bare <- sub("\\[.*$", "", element)
  quoted <- grepl("^[\"`]", element)
  bare[quoted] <- sub("^([\"`])(.*?)\\1.*$", "\\2", element[quoted], perl = TRUE)
  trimws(bare)
}
