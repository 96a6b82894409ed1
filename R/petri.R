#' A coloured hybrid Petri net
#'
#' Creates a Petri net. Its *places* hold *tokens*. A *discrete* place holds a whole number of them, such as molecules: its
#' *count*. A *continuous* place holds any number of at least 0, such as a concentration: its *level*. The *marking* is what all
#' places hold. The *transitions* take tokens from places and add tokens to places. They do this at random times, continuously,
#' at once, after a delay, or at given times. A net may be *coloured*. Then one place stands for many places, one for each colour,
#' such as the cells of a tissue, and one transition stands for many transitions.
#'
#' @param ... The transitions, each in one of these forms: rates, named by an equation, as in [reaction_network()], such as
#'   `"off <-> on" = c(1.5, 2.5)`; `flow()` or `transition()`, named by an equation; or `transition()` with an equation of its
#'   own, whose name, if any, is the name of the transition. A transition without a name is called `T` and its
#'   number. A list of these,
#'   or a data frame, can be given instead: see section Data frames.
#' @param colours The simple sets of colours: a list of vectors with names, such as `list(X = 1:100, Layer = c("top", "bottom"))`.
#'   Colours are whole numbers or names. With `NULL` (the default), the net has no colours.
#' @param sets Further sets of colours: texts with names. `"X * Y"` is a product, whose colours are tuples. `"A + B"` is a union,
#'   and `"Cell[x %% 2 == 1]"` a subset. See section Colours.
#' @param indices The names that stand for a colour in equations and formulas, with the sets of these colours, such as
#'   `c(x = "X", y = "Y")`.
#' @param places The sets of the colours of places, such as `c(Ca = "Cell")`. A place without a name in this vector, as A in
#'   `c("A", Ca = "Cell")`, has no colours. A place that the vector does not contain has none either.
#' @param continuous The continuous places: their names, their numbers, `TRUE` for all, or a logical vector with one element per
#'   place. All other places are discrete. With `NULL` (the default), all are discrete.
#' @param initial The initial marking: numbers of at least 0, or formulas of indices and parameters as text, named by places, such
#'   as `list(Ca = 0.1, S = "4 * (x == 1)")`. The name `"Ca[1,2]"` is that of one colour. If two values are for the same colour,
#'   the later one counts. Places that are not named start at 0. Discrete places need whole numbers, at most 2^53.
#' @param parameters Numbers named by parameters: a vector, a list, or one row of a data frame.
#' @param fixed Places that no transition changes, in the form of `continuous`. With `NULL` (the default), none.
#' @param variables Formulas as text, named by variables, such as `c(total = "sum(Ca)")`. Rates and other variables may use them.
#'   [`simulate()`][simulate.petri_net] can observe them.
#' @param functions Functions of colours: texts named by a function and its arguments, such as
#'   `c("near(x, a)" = "abs(x - a) == 1")`. An argument may be followed by its set: `"up(x in X)"`.
#' @param events A list of [event()]s, with or without names, as in [reaction_network()]. They may set any places and parameters.
#'   See section Events.
#' @param equation The equation of a transition. If it is `NULL`, the name of the argument of `petri_net()` is the equation.
#' @param rate,flow,weight,delay The number of a transition, which also tells its kind: see section Kinds of transitions. Exactly
#'   one of these or `at` must be given. It is a number of at least 0, a formula as text, or, but for a delay, `mass_action()`. A
#'   reversible equation needs two of them.
#' @param at The times of a scheduled transition, `c(begin, period, end)`: numbers, or formulas of parameters as text. Without
#'   `period`, or with the period 0, it fires once. Without `end`, it never stops. A period below 0 and an end before the begin
#'   are errors.
#' @param test Conditions of the transition as text, joined by `&`, such as `"S >= 3 & B < 2"`. See section Tests.
#' @param reset Places that the transition sets to 0 before it adds tokens: one text with commas, or several texts.
#' @param guard A condition of the colours as text, such as `"x != a"`. See section Colours.
#' @param z The rate of a flow: `flow(z)` is `transition(flow = z)`.
#' @returns `petri_net()`: an object of class `petri_net`; see section Elements. `transition()` and `flow()`: a transition for
#'   `petri_net()`.
#'
#' @section Kinds of transitions:
#'   * `rate`: *stochastic*. It fires at random times. The rate is its propensity, as in [reaction_network()].
#'   * `flow`: *continuous*, also called a flow. It changes continuous places only, all the time. The rate is its speed. Where the
#'     rate is below 0, the flow goes the other way.
#'   * `weight`: *immediate*. It fires as soon as it is enabled. If several are enabled, one is chosen with a probability in
#'     proportion to its weight. A transition whose weight is 0 or less does not fire.
#'   * `delay`: *deterministic*. It fires when it has been enabled without interruption for its delay. The delay is the value of
#'     the formula when the transition becomes enabled.
#'   * `at`: *scheduled*. It fires at the time `begin`, then after each `period`, up to `end`, if it is enabled at that time. If
#'     `begin` is below 0, it never fires. With a period of 0, it fires once.
#'
#'   A transition that is not a flow is *enabled* if each place has the tokens that the transition takes, and its tests hold. A
#'   flow needs only its tests. If a place is empty, its outflows are limited to its inflows: see `semantics` of
#'   [`simulate()`][simulate.petri_net]. A flow *into* a place is not limited if counts or parameters alone make its rate
#'   negative, as in `"0 -> p" = flow("1 - 2 * n")`. Then it is an error if the place would fall below 0. Write two flows
#'   instead: `"0 -> p" = flow("1")` and `"p -> 0" = flow("2 * n")`.
#'
#'   The *delay* of a transition is not that of a delayed reaction, whose products come later. Here, tokens stay where they are
#'   until the transition fires, and other transitions may take them.
#' @section Units: The units of time and of levels are yours, and fireflip converts none. Rates are per unit of time: a stochastic
#'   rate is the expected number of firings, and a flow the amount that moves for the weight 1. Delays and `at` are times.
#' @section Numbers and formulas: For `rate` and `flow`, a number and `mass_action("k")` are constants of mass action. For `rate`,
#'   the constant is multiplied by the number of ways to choose the tokens that are taken: x (x - 1) / 2 for `2 A`. For `flow`, it
#'   is multiplied by the limit of this for many tokens: x^2 / 2. There is one exception: for a discrete place, which may be on
#'   both sides of the equation of a flow, it is x (x - 1) / 2 in a flow, too. A text is a formula, and the formula is the whole
#'   rate. For `weight` and `delay`, a number is the weight or the delay itself.
#'
#'   Formulas have the grammar of [reaction_network()]. A place with colours is written with its colours, as `Ca[x,y]`,
#'   `Ca[x,next(y)]` or `Ca[1,2]`. `sum(Ca)` is the sum over all colours.
#'
#'   A rate, weight or delay may have several parts, named by conditions on colours: `c("x == 1" = "k1", "x > 10" = "k2", "k3")`.
#'   The first part whose condition holds counts. A part without a name always holds. If no part holds, the
#'   number is 0: the transition never fires, but a deterministic one fires at once.
#' @section Equations: They are those of [reaction_network()], with two additions. A weight may be any number, as in `5.4 A`, or a
#'   formula of parameters and places in parentheses, as in `(n + 1) A`. The weights of discrete places must be whole. A place
#'   with colours has all of its colours in brackets, as in `2 A[x] + A[next(x)] -> B[x,1]`.
#'
#'   A flow may have a discrete place on both sides with equal weights, as E in `A + E -> B + E`. This place is then a test,
#'   `E >= 1`, and a factor of mass action. [`summary()`][petri-methods] lists such choices.
#' @section Tests: `place >= w` (a read arc) and `place < w` (an inhibitor arc) compare the tokens of a place with a weight.
#'   `place == w` (an equal arc) is for discrete places. For these, there are also `>` and `<=`. For any other condition, multiply
#'   the rate by it: `"(A + B > 3) * k"`.
#' @section Colours: An index stands for each colour of its set. A transition that names indices stands for many transitions: one
#'   for each choice of colours for which the guard holds. An expression of colours may contain whole numbers, names of colours,
#'   indices, parameters that are whole numbers, `+ - * %/% %% ^`, `abs()`, comparisons, `!`, `&`, `|` and the `functions`.
#'   `next(x)` is the next colour in the set of x, and after the last one comes the first. `previous(x)` is the one before. If an
#'   expression gives a colour that the set of the place does not have, such as `x + 1` for the last x, there is no such
#'   transition.
#'
#'   In a subset, an index stands for the component of the tuple that has its set. For example, with `c(x = "X", y = "Y")` and
#'   Cell = `"X * Y"`, x is the first component in `"Cell[x %% 2 == 1]"`.
#' @section Events: An [event()] is triggered when its condition becomes true: by a firing, by a level that crosses a threshold,
#'   or at a time. It sets places and parameters to new values. The new value of a discrete place must be a whole number, and that
#'   of any place at least 0. A place with colours has them as numbers or names, as in `c("Ca[1,2]" = 0)`. Without brackets, all
#'   of its colours are set. If an event sets a parameter, the rates, flows and weights that name it change at once. Delays use
#'   the value from the next time on at which their transitions become enabled. Colours and times of schedules must not depend on
#'   a parameter that an event sets. [`simulate()`][simulate.petri_net] tells the order of events and firings at one instant.
#' @section Data frames: There is a row for each equation. The column `equation` is needed. The numbers are either in the column
#'   `number`, with their kinds in the column `kind` (`"stochastic"`, `"continuous"`, `"immediate"`, `"deterministic"` or
#'   `"scheduled"`); or in the columns `rate`, `flow`, `weight` and `delay`, with `NA` for what a transition does not have.
#'   Optional columns are `name`, `law` (`"mass action"` or `"formula"`), `test`, `reset`, `guard`, `begin`, `period` and `end`.
#'   `as.data.frame(net)` is such a data frame, unless a number has several parts.
#' @section Elements: A net is a list of these elements.
#'   * `places`: a data frame of `place`, `set`, `continuous` and `fixed`.
#'   * `transitions`: a data frame of `name`, `kind`, `equation`, `number` (text), `law`, `test`, `reset`, `guard`, `begin`,
#'     `period` and `end`.
#'   * `pieces`: `NULL`, or a data frame of `transition`, `when`, `number` and `law`, with the parts of numbers that have several.
#'   * `markings`: a data frame of `element` (a place, or a place with colours), `when` (a condition), `value` (text) and `adds`
#'     (whether the value is added to those above it). Only files have conditions and values that add up.
#'   * `colours`, `sets`, `indices`, `functions`, `parameters` and `variables`: as the arguments.
#'   * `events`: `NULL`, or a data frame as in [reaction_network()].
#'   * `choices`: texts, which `summary()` shows.
#'   * `definitions`: only if the net is from a file, the formulas of its constants. `reduction`: only if it is from
#'     [reduce_network()].
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_parse` for an equation, a formula or an
#'   expression of colours that does not follow the grammar, or that names something unknown. `fireflip_error_model` for an
#'   inconsistent net, such as a flow that changes a discrete place. `fireflip_error_size` for a set of colours that is too large.
#' @section Warnings: `fireflip_warning_unused` if `initial` names a place that nothing else names. `fireflip_warning_propensity`
#'   as in [reaction_network()]. `fireflip_warning_colours` if a transition names a colour that its place does not have, as in
#'   `A[7]` for `X = 1:3`.
#' @references ELansary I, Hefnawy A, Herajy M, Sweilam N (undated; it cites work of 2018). Improving the simulation performance
#'   of colored hybrid Petri nets by the graphics processing units.
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
#' # a level that is emptied when it is full, some time later
#' petri_net(
#'   "0 -> x" = flow(1), continuous = "x",
#'   events = list(empty = event("x >= 1", set = c(x = 0), delay = 0.5))
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
  markings$element <- as_elements(markings$element, c(names(declared), scanned$names))
  names <- unique(c(names(declared), scanned$names, place_of_element(markings$element)))
  if (length(names) == 0L) abort_argument("A Petri net needs at least one place; found none in the equations.")
  refuse_nothing(names)
  check_different_names(names, names(parameters), names(variables), names(indices))
  model <- new_petri_net(
    data.frame(place = names, set = unname(declared[names]), continuous = FALSE, fixed = FALSE), transitions$rows, markings,
    colours = colours, sets = sets, indices = index_order(indices, colours, sets), functions = functions,
    parameters = parameters, variables = variables, pieces = transitions$pieces
  )
  if (!is.null(continuous)) {
    model$places$continuous <- if (isTRUE(continuous)) TRUE else place_flags(model, continuous, "continuous")
  }
  if (!is.null(fixed)) model$places$fixed <- place_flags(model, fixed, "fixed")
  refuse_fractions(model, markings, "`initial`")
  model$events <- check_events(events)
  checked <- with_hints(.Call(ffi_petri_check, model), model)
  check_marked_colours(model, markings)
  warn_wrong_colours(model)
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
                          variables = no_variables(), pieces = NULL, choices = character(), events = NULL) {
  out <- list(
    places = places, transitions = transitions, markings = markings, colours = colours, sets = sets, indices = indices,
    functions = functions, parameters = parameters, variables = variables, choices = choices
  )
  out$pieces <- pieces
  out$events <- events
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
  with_hints(.Call(ffi_petri_check, model), model)
  model
}

# Adds to an error of the core what a user of R may have meant.
with_hints <- function(code, model) {
  retell <- function(class) function(e) {
    text <- conditionMessage(e)
    hint <- hint_on(text, model)
    at <- match(sub("^transition \"(T[0-9]+)\": .*$", "\\1", text), model$transitions$name)
    if (is.null(hint) && is.na(at)) stop(e)
    if (!is.na(at)) text <- sub("\": ", sprintf("\", \"%s\": ", model$transitions$equation[[at]]), text, fixed = TRUE)
    abort(class, paste0(text, if (!is.null(hint)) paste0("; ", hint)))
  }
  tryCatch(code, fireflip_error_parse = retell("parse"), fireflip_error_model = retell("model"))
}

# What helps, as a clause, or NULL.
hint_on <- function(text, model) {
  says <- function(pattern) grepl(pattern, text)
  named <- function(before) sub(sprintf("^.*%s\"([^\"]*)\".*$", before), "\\1", text)
  set <- c(names(model$sets), names(model$colours), "X")[[1L]]
  if (says("has no colours; found \"\\[")) {
    return(sprintf(
      "`places` gives a place its set of colours, as in places = c(%s = \"%s\")", argument_name(named("place ")), set
    ))
  }
  if (says("no index, parameter or colour is called") && !says("did you mean")) {
    return(sprintf(
      "`indices` tells what stands for colours, as in indices = c(%s = \"%s\")", argument_name(named("called ")), set
    ))
  }
  if (says("a flow (takes from|adds to) the discrete place")) {
    return(sprintf("continuous = \"%s\" makes it continuous", named("discrete place ")))
  }
  if (says("no place is called \"[^\"]*\"$")) {
    near <- closest_name(named("called "), model$places$place)
    if (!is.null(near)) return(sprintf("did you mean \"%s\"?", near))
    return(sprintf("`places` names those that no equation has, as in places = \"%s\"", named("called ")))
  }
  if (says("mass action takes")) return("a rate as text, such as \"k * A\", is the whole rate, with any weights")
  if (says("MassAction")) {
    return("MassAction() of Snoopy is mass_action() of R, outside of the quotes: \"A -> B\" = mass_action(\"k\")")
  }
  if (!says("the test of transition")) return(NULL)
  tests <- model$transitions$test[!is.na(model$transitions$test)]
  if (any(grepl("=[<>]", tests))) return("comparisons are written >=, < and ==, and on counts > and <=")
  if (any(grepl("[^<>=!]=[^=]", tests))) return("\"==\" compares, as in \"B == 2\"")
  if (says(" after place ")) "a test compares one place; multiply the rate by other conditions, as in \"(A + B > 1) * k\""
}

is_coloured <- function(model) any(!is.na(model$places$set))

# ---- warnings ---------------------------------------------------------------------------------------------------------------

warn_unused_places <- function(model, declared, used) {
  names <- model$places$place
  unused <- setdiff(names[!used], names(declared))
  if (length(unused) == 0L) return(invisible())
  near <- closest_name(unused[[1L]], names[used])
  warn("unused", sprintf(
    "`initial` names %s, which no equation, rate, test, variable or event names%s", quote_some(unused),
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
