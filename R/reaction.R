#' A reaction network
#'
#' Creates a reaction network from equations and rates. Its state is a count of each species. In a stochastic simulation,
#' reactions fire at random times. The *propensity* of a reaction is the probability per unit of time that it fires. A firing
#' takes the reactants away and adds the products.
#'
#' @param ... The reactions: rates named by equations, such as `"2 S1 -> S2" = 0.002`. Or one list of such rates. Or a data frame
#'   with a row per equation and the columns `equation` and `rate`, and optionally `law` and `name`. Equations and rates are
#'   described below.
#' @param initial The initial counts: whole numbers from 0 to 2^53, named by species: a vector, a list, or one row of a data
#'   frame. Species that are not named start at 0.
#'   [`simulate()`][simulate.reaction_network] needs counts of at most 2^40.
#' @param parameters Numbers named by parameters, which rates may use: a vector, a list, or one row of a data frame.
#' @param fixed Species whose counts no reaction changes: their names, their numbers, or a logical vector with one element per
#'   species.
#' @param variables Formulas as text, named by variables, such as `c(total = "A + 2 * B")`. Rates, events and other variables may
#'   use them. [`simulate()`][simulate.reaction_network] can observe them.
#' @param events A list of events, as [event()] makes them. Their names are those of the list, or E1, E2 and so on.
#' @param reversible What happens to a formula that is the difference of the rates of two directions, `k1 * A - k2 * B`. `"split"`
#'   (the default): it becomes two reactions, and a message of class `fireflip_message_reversible` says so, whose field `reactions`
#'   has their names. `"keep"`: it stays one. `"error"`: an error of class `fireflip_error_model`. See section Reactions in both
#'   directions.
#' @param rate The rate constant: a number, or a formula as text. A reversible reaction needs two of them.
#' @returns `reaction_network()`: an object of class `reaction_network`. `mass_action()`: a rate for `reaction_network()`.
#'
#' @section Equations: An equation is `reactants -> products`. A side is a sum of species, such as `2 A + B`, where a whole
#'   number tells how often a species occurs. A side without species is `0`, or is left empty. A reversible equation,
#'   `A + B <-> C`, gives two reactions. It has two rates: the first for the direction to the right, the second for the
#'   direction to the left. `=>` and `<=>` mean the same as `->` and `<->`.
#'
#'   A name of a species, parameter or variable starts with a letter (including letters beyond ASCII), `_` or `.`, and goes on
#'   with these and digits. Any other name must be enclosed in double quotes or backquotes, as in ``"`A (active)` -> 0"``.
#' @section Rates: A rate is one of the following:
#'   * a number: the rate constant k of *mass action*. The propensity is k times the number of ways to choose the reactants: `k`
#'     for `0 -> A`, `k A` for `A -> B`, `k A B` for `A + B -> C`, and `k A (A - 1) / 2` for `2 A -> B`;
#'   * `mass_action("k")`: mass action whose constant is a formula, usually of parameters;
#'   * text: a formula that is the whole propensity, such as `"k * A / (K + A)"`. It is not multiplied by the counts of the
#'     reactants. So `"A -> B" = "k"` turns molecules of A into B at the constant rate k, as long as there is an A. A formula that
#'     is below 0 in a state that is reached is an error, except in the method `"ode"`, which takes formulas as they are written:
#'     see [ssa_methods()].
#'
#'   In a reversible equation, the rates are two numbers, two texts, or a list of both: `list(0.1, "k * B")`.
#'
#'   In a data frame, the column `law` tells for each row what `rate` is: `"mass action"` or `"formula"`. Without this column,
#'   numbers are constants of mass action, and so is text that is a number. Other text is a formula. The column `name` gives names
#'   of reactions. Otherwise they are called R1, R2 and so on.
#' @section Reactions in both directions: In equations of rates, the difference of two rates may stand for a reaction in both
#'   directions: `"A -> B" = "k1 * A - k2 * B"`. In a stochastic simulation these are two reactions. As one,
#'   its fluctuations are wrong, and its propensity may be negative. So such a formula becomes two reactions: `"A -> B"` with
#'   the rate `k1 * A`, and behind it `"B -> A"` with the rate `k2 * B`, whose name is that of the first with `_reverse`. The
#'   method `"ode"` gives the same as before. A formula is one of both directions if
#'   * it is a sum of terms that are never negative and of terms that are never positive, for all counts and for the values that
#'     parameters have; variables are replaced by their formulas;
#'   * perhaps the sum has factors and denominators with a sign, as in `c * (k1 * A - k2 * B) / (1 + A + B)`;
#'   * the first rate is 0 where a species is missing that the reaction consumes, and the second where one is missing that it
#'     produces;
#'   * no factor is 0 where a species is missing that the reaction changes, and the second rate is not 0 where a reactant is
#'     missing that is no product.
#'
#'   The last two distinguish a balance from a difference that counts what is left: `"0 -> on" = "k * (N - on)"` is one reaction if
#'   `N - on` are the genes that are off, and so is `"S -> I" = "b * S * (1 - I / N)"`. If such a formula is a balance, write two
#'   reactions.
#' @section Formulas: A formula is text in the grammar of R. It consists of the following:
#'   * numbers, such as `2`, `0.5`, `1e-3` and `2L`, and the constants `pi`, `Inf`, `NaN`, `TRUE` (1) and `FALSE` (0);
#'   * names of species (their counts), parameters and variables. Variables may name each other in any order, but no variable may
#'     depend on itself;
#'   * `time` or `time()`, the time of the simulation. A species, parameter or variable called time hides the word `time`, but not
#'     `time()`. One called pi hides the constant;
#'   * operators, from the highest precedence to the lowest: `^` (also written `**`), which groups from right to left; the signs
#'     `-` and `+`; `*` and `/`; `+` and `-`; the comparisons `<`, `<=`, `>`, `>=`, `==` and `!=`, which cannot be chained; `!`
#'     (not); `&` or `&&` (and); `|` or `||` (or). As in R, `-2^2` is -4, and `1 / 2` is 0.5. Parentheses group operations;
#'   * `if(condition, yes, no)`, also written `ifelse(condition, yes, no)`;
#'   * `min()` and `max()` of one or more values;
#'   * `log(x)`, the natural logarithm, also written `ln(x)`, and `log(x, base)`;
#'   * `pow(x, y)`, which is `x^y`, and `ceiling(x)`, also written `ceil(x)`;
#'   * functions of one value: `abs`, `floor`, `sqrt`, `exp`, `expm1`, `log1p`, `log2`, `log10`, `sin`, `cos`, `tan`, `asin`,
#'     `acos`, `atan`, `sinh`, `cosh` and `tanh`.
#'
#'   Comparisons, `!`, `&` and `|` are 1 if true and 0 if false. As a condition, every number but 0 is true, and so is `NaN`.
#'   Formulas have nothing else: no other functions of R, no `%%`, no `=`, and no assignments.
#' @section Elements: A network is a list. `species` is a data frame of `species` (names), `initial` and `fixed`, in the order
#'   of the first occurrence of a species in the equations, and then in `initial`. `parameters` is a numeric vector with names.
#'   `reactions` is a data frame of `name`, `equation`, `rate` (text) and `law`. `variables` is a character vector with names.
#'   `events` is a data frame of `name` and the arguments of [event()]; a network without events does not have it.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_parse` for an equation or a formula that
#'   does not follow the grammar or names something unknown. `fireflip_error_model` for an inconsistent network, for instance if a
#'   rate such as `"1 - 2"` is negative.
#' @section Warnings: `fireflip_warning_unused` if `initial` names a species that no equation, rate, variable or event names; also
#'   if a new name in `net$parameters` is near that of a parameter, as in `net$parameters["vmax"] <- 5` for `Vmax`.
#'   `fireflip_warning_propensity` if a formula as text depends on no species although the reaction has reactants, because it may
#'   be meant as a rate constant. If the propensity is meant to be constant, write `"k * (A > 0)"`. There is no such warning for
#'   the formula `"0"`, nor for a formula with a parameter that an event sets if the event's condition, its delay or the new value
#'   depends on counts.
#' @references Gillespie DT (1977). Exact stochastic simulation of coupled chemical reactions. *Journal of Physical Chemistry*
#'   81(25), 2340-2361. \doi{10.1021/j100540a008}
#' @seealso [event()], [set_initial()] and [set_parameters()] change a network, [reaction-methods] describes how to inspect one,
#'   [reaction_model()] and [example_model()] give networks from the literature.
#' @concept stochastic simulation
#' @concept chemical reaction network
#' @concept mass action
#' @concept propensity
#' @export
#' @examples
#' reaction_network(
#'   "S1 -> 0" = 1,
#'   "2 S1 <-> S2" = c(0.002, 0.5),
#'   "S2 -> S3" = 0.04,
#'   initial = c(S1 = 1e5)
#' )
#'
#' # an enzyme with a Michaelis-Menten law, and production that follows the time of day
#' reaction_network(
#'   "A -> B" = "vmax * A / (K + A)",
#'   "B -> 0" = mass_action("k"),
#'   "0 -> A" = "1 + sin(2 * pi * time / 24)",
#'   initial = c(A = 100),
#'   parameters = c(vmax = 10, K = 20, k = 0.1)
#' )
#'
#' # a variable: the enzyme is inhibited by all of its products together
#' reaction_network(
#'   "A -> B" = "A / (1 + products)", "B -> C" = 0.1,
#'   initial = c(A = 100), variables = c(products = "B + C")
#' )
#'
#' # from a data frame
#' reaction_network(
#'   data.frame(equation = c("A + B -> C", "C -> A + B"), rate = c(0.01, 1)),
#'   initial = c(A = 50, B = 50)
#' )
reaction_network <- function(..., initial = NULL, parameters = NULL, fixed = NULL, variables = NULL, events = NULL,
                             reversible = c("split", "keep", "error")) {
  reversible <- check_choice(reversible, "reversible", c("split", "keep", "error"))
  table <- reaction_table(list(...))
  parameters <- check_named_numbers(parameters, "parameters")
  initial <- check_named_numbers(initial, "initial", counts = TRUE)
  variables <- check_variables(variables)
  found <- .Call(ffi_equation_names, enc2utf8(table$equation))
  reactions <- one_way_reactions(table, found$both)
  species <- unique(c(found$names, enc2utf8(names(initial))))
  if (length(species) == 0L) abort_argument("A reaction network needs at least one species; found none in the equations.")
  nothing <- intersect(species, c("NULL", "null", "\u2205", "\u00d8"))
  if (length(nothing) > 0L) {
    abort_argument(sprintf("An equation names \"%s\"; expected 0 for nothing, as in \"A -> 0\".", nothing[[1L]]))
  }
  twice <- intersect(names(parameters), species)
  if (length(twice) > 0L) abort("model", sprintf("%s is the name of a species and of a parameter.", quote_some(twice[[1L]])))
  twice <- intersect(names(variables), c(species, names(parameters)))
  if (length(twice) > 0L) {
    abort("model", sprintf(
      "%s is the name of a variable and of a %s.", quote_some(twice[[1L]]),
      if (twice[[1L]] %in% species) "species" else "parameter"
    ))
  }
  counts <- numeric(length(species))
  counts[match(names(initial), species)] <- initial
  model <- new_reaction_network(species, counts, logical(length(species)), parameters, reactions, variables)
  if (!is.null(fixed)) model$species$fixed <- species_flags(model, fixed, "fixed")
  model$events <- check_events(events)
  checked <- .Call(ffi_reactions_check, model)
  used <- checked$used[seq_along(species)]
  warn_unused(species[!used], species[used])
  warn_constant(model)
  model$reactions$equation <- checked$equation
  number <- !is.na(suppressWarnings(as.numeric(reactions$rate)))
  model$reactions$rate[number] <- checked$rate[number]
  if (!is.null(model$events)) model$events <- tidy_events(model$events, checked$events)
  if (reversible == "keep") model else split_reversible(model, reversible)
}

# The network with two reactions for each whose rate is that of both directions. Only a formula with a "-" can be one, or with a
# negative parameter.
split_reversible <- function(model, reversible) {
  formulas <- c(model$reactions$rate[model$reactions$law == "formula"], model$variables)
  if (!any(grepl("-", formulas, fixed = TRUE), model$parameters < 0)) return(model)
  found <- .Call(ffi_reactions_split, model)
  if (is.null(found)) return(model)
  second <- which(found$reverse)
  tell_reversible(found$name[second - 1L], found$name, reversible)
  changed <- c(second - 1L, second)
  reactions <- model$reactions[cumsum(!found$reverse), ]
  reactions$name <- found$name
  reactions$equation[changed] <- found$equation[changed]
  reactions$rate[changed] <- found$rate[changed]
  rownames(reactions) <- NULL
  model$reactions <- reactions
  model
}

#' @rdname reaction_network
#' @export
mass_action <- function(rate) {
  if (missing(rate) || !(is.character(rate) || is.numeric(rate)) || is.object(rate) || !length(rate) %in% 1:2 || anyNA(rate)) {
    abort_value("rate", "a number or a formula as text, or two for a reversible reaction", rate)
  }
  structure(list(mass_action = if (is.numeric(rate)) exact_text(rate) else enc2utf8(unname(rate))), class = "mass_action")
}

# c() of R would drop the class, and leave formulas. With a number or a text as its first argument, it still does: then the name
# `mass_action` remains, and reaction_network() refuses it.
#' @export
c.mass_action <- function(...) list(...)

#' @export
print.mass_action <- function(x, ...) {
  warn_ignored(...)
  writeLines(sprintf("mass action with constant %s", paste(x$mass_action, collapse = " and ")))
  invisible(x)
}

# Makes the object. `reactions` has the columns name, equation, rate and law. Checks nothing.
new_reaction_network <- function(species, initial, fixed, parameters, reactions, variables = no_variables()) {
  structure(class = "reaction_network", list(
    species = data.frame(species = species, initial = as.double(initial), fixed = fixed),
    parameters = parameters,
    reactions = reactions,
    variables = variables
  ))
}

no_variables <- function() stats::setNames(character(), character())

# The argument `variables` as texts with names, both in UTF-8.
check_variables <- function(x) {
  if (is.null(x)) return(no_variables())
  if (is.list(x) && !is.object(x) && all(lengths(x) == 1L) && all(vapply(x, is.character, NA))) x <- unlist(x)
  named <- !is.null(names(x)) && !anyNA(names(x)) && all(nzchar(names(x)))
  if (!is.character(x) || is.object(x) || anyNA(x) || (length(x) > 0L && !named)) {
    abort_value("variables", "formulas as text with names, such as c(total = \"A + B\")", x)
  }
  if (anyDuplicated(names(x))) {
    abort_argument(sprintf("`variables` names \"%s\" more than once.", names(x)[[anyDuplicated(names(x))]]))
  }
  if (length(x) == 0L) no_variables() else stats::setNames(trimws(enc2utf8(unname(x))), enc2utf8(names(x)))
}

# Lets the core check the whole network.
validate_reactions <- function(model) {
  .Call(ffi_reactions_summary, model)
  model
}

warn_unused <- function(unused, used) {
  if (length(unused) == 0L) return(invisible())
  near <- closest_name(unused[[1L]], used)
  warn("unused", sprintf(
    "`initial` names %s, which no equation, rate, variable or event names%s", quote_some(unused),
    if (is.null(near)) "." else sprintf("; did you mean \"%s\"?", near)
  ), unused = unused)
}

# A formula without species, of a reaction with reactants, is often meant as a rate constant.
warn_constant <- function(model) {
  formula <- model$reactions$name[model$reactions$law == "formula"]
  if (length(formula) == 0L) return(invisible())
  formulas <- model
  formulas$reactions <- model$reactions[model$reactions$law == "formula", ] # the core reads these again
  arrows <- network_arrows(formulas)
  used_up <- arrows$role == "reactant" & !arrows$from %in% model$species$species[model$species$fixed]
  constant <- setdiff(intersect(formula, arrows$to[used_up]), arrows$to[arrows$role == "rate"])
  rates <- model$reactions$rate[match(constant, model$reactions$name)]
  constant <- constant[!(suppressWarnings(as.numeric(rates)) %in% 0 | follows_counts(model, rates))]
  if (length(constant) == 0L) return(invisible())
  first <- model$reactions[match(constant[[1L]], model$reactions$name), ]
  reactant <- argument_name(arrows$from[used_up & arrows$to == first$name][[1L]])
  warn("propensity", sprintf(
    paste(
      "The rate \"%s\" of \"%s\" does not depend on any count%s. A formula as text is the whole propensity.",
      "If it is a rate constant, write mass_action(\"%s\"). If not, write \"(%s) * (%s > 0)\"."
    ), first$rate, first$equation,
    if (length(constant) == 1L) "" else sprintf(", like those of %s", count_of(length(constant) - 1L, "other reaction")),
    first$rate, first$rate, reactant
  ), reactions = constant)
}

# Which formulas name a parameter that events set depending on counts.
follows_counts <- function(model, formulas) {
  events <- model$events
  if (is.null(events) || length(formulas) == 0L) return(logical(length(formulas)))
  texts <- Map(function(when, delay, set) c(when, if (!is.na(delay)) delay, set), events$when, events$delay, events$set)
  of_event <- rep(seq_along(texts), lengths(texts))
  named <- names_in(model, c(formulas, unlist(texts, use.names = FALSE)))
  read <- split(named[-seq_along(formulas)], of_event)
  set <- lapply(events$set, names)
  known <- model$species$species
  repeat {
    found <- vapply(read, function(names) any(unlist(names) %in% known), NA)
    more <- setdiff(unlist(set[found]), known)
    if (length(more) == 0L) break
    known <- c(known, more)
  }
  vapply(named[seq_along(formulas)], function(names) any(names %in% known), NA)
}

# The species and parameters that each formula names, also through variables.
names_in <- function(model, formulas) {
  names <- c(model$species$species, names(model$parameters))
  n <- length(formulas)
  # parameters are read as species; a rate that depends on the time may have any value
  rates <- data.frame(
    name = paste0("R", seq_len(n)), equation = model$reactions$equation[[1L]], rate = sprintf("(%s) * time", formulas),
    law = "formula"
  )
  none <- length(names)
  reader <- new_reaction_network(names, numeric(none), logical(none), model$parameters[0L], rates, model$variables)
  arrows <- .Call(ffi_reactions_arrows, reader)
  of_rate <- arrows$role == 3L
  unname(split(names[arrows$species[of_rate]], factor(arrows$reaction[of_rate], seq_len(n))))
}

# ---- the forms of reactions -> a data frame with a row per rate ---------------------------------------------------------------

# The columns are equation, row (the number of the equation), part (1, or 2 for the second rate of an equation), rate (text), law,
# and name (NA if not given). A reversible equation needs two rows.
reaction_table <- function(values) {
  values <- values_of_dots(values, "reaction_network")
  if (is.data.frame(values)) return(reactions_from_frame(values))
  equation <- names(values)
  if (any(endsWith(as.character(equation), ".mass_action"))) abort_joined()
  bad <- if (is.null(equation)) 1L else which(is.na(equation) | !nzchar(equation))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "reaction_network() needs rates named by equations, such as \"A -> B\" = 1; found %s without a name.",
      describe(values[[bad[[1L]]]])
    ))
  }
  for (name in equation[!grepl("[-=]>", equation)]) {
    known <- c("initial", "parameters", "fixed", "variables", "events", "reversible")
    word <- grepl("^[[:alpha:]._][[:alnum:]._]*$", name) # no equation is a single word
    if (word || any(startsWith(known, name)) || !is.null(closest_name(name, known))) abort_unknown(name, known)
  }
  rates <- lapply(seq_along(values), function(i) rate_parts(values[[i]], equation[[i]]))
  n <- vapply(rates, nrow, 0L)
  out <- do.call(rbind, rates)
  data.frame(equation = rep(equation, n), row = rep(seq_along(n), n), part = sequence(n), out, name = NA_character_)
}

# The list of what `...` of the function `to` holds: its elements, or those of its only one, if this has no name. A data frame
# stays one.
values_of_dots <- function(values, to) {
  needs <- sprintf("%s() needs rates named by equations, such as \"A -> B\" = 1", to)
  if (length(values) == 1L && is.null(names(values))) {
    values <- values[[1L]]
    if (is.data.frame(values)) return(values)
    if (!(is.list(values) || is.numeric(values) || is.character(values)) || is.object(values)) {
      abort_argument(sprintf("%s, or a data frame; found %s.", needs, describe(values)))
    }
    values <- as.list(values)
  }
  if (length(values) == 0L) abort_argument(sprintf("%s; found none.", needs))
  values
}

# One rate, or the two of a reversible equation -> a data frame of rate (text) and law.
rate_parts <- function(rate, equation) {
  if (inherits(rate, "mass_action") && (!is_texts(rate$mass_action) || !length(rate$mass_action) %in% 1:2)) {
    abort_rate(equation, "as mass_action() makes it", rate)
  }
  if (inherits(rate, "mass_action")) return(data.frame(rate = rate$mass_action, law = "mass action"))
  if (is.numeric(rate) && !is.object(rate) && length(rate) > 0L) {
    bad <- which(!is.finite(rate) | rate < 0)
    if (length(bad) > 0L) abort_rate(equation, "a finite number of at least 0", rate[[bad[[1L]]]])
    return(data.frame(rate = exact_text(rate), law = "mass action"))
  }
  if (is.character(rate) && length(rate) > 0L && !anyNA(rate)) {
    return(data.frame(rate = enc2utf8(unname(rate)), law = "formula"))
  }
  if (is.list(rate) && !is.object(rate) && length(rate) > 0L) {
    if ("mass_action" %in% names(rate)) abort_joined()
    return(do.call(rbind, lapply(rate, function(one) {
      if (is.list(one) && !is.object(one)) abort_rate(equation, "numbers or texts", one)
      rate_parts(one, equation)
    })))
  }
  abort_rate(equation, "a number, a formula as text, or mass_action()", rate)
}

# What c(0.1, mass_action("k")) gives has lost the class of the second rate.
abort_joined <- function() {
  abort_argument("c() cannot join mass_action() with other rates; expected list(), as in list(0.1, mass_action(\"k\")).")
}

abort_rate <- function(equation, expected, found) {
  abort_argument(sprintf("The rate of \"%s\" must be %s; found %s.", equation, expected, describe(found)))
}

reactions_from_frame <- function(frame) {
  class(frame) <- "data.frame" # a tibble warns about columns that do not exist
  if (!all(c("equation", "rate") %in% names(frame))) {
    abort_argument(sprintf(
      "A data frame of reactions must have the columns \"equation\" and \"rate\"; found %s.",
      if (length(frame) == 0L) "no column" else quote_some(names(frame))
    ))
  }
  if (nrow(frame) == 0L) abort_argument("A data frame of reactions must have at least one row; found none.")
  equation <- as.character(frame$equation)
  if (anyNA(equation)) abort_argument(sprintf("The column \"equation\" has NA in row %d.", which(is.na(equation))[[1L]]))
  name <- if (is.null(frame$name)) NA_character_ else enc2utf8(as.character(frame$name))
  rate <- if (is.factor(frame$rate)) as.character(frame$rate) else frame$rate
  if (is.list(rate)) {
    rates <- lapply(seq_along(equation), function(i) rate_parts(rate[[i]], equation[[i]]))
    n <- vapply(rates, nrow, 0L)
    row <- rep(seq_along(n), n)
    out <- data.frame(equation = equation[row], row = row, part = sequence(n), do.call(rbind, rates))
  } else {
    bad <- if (is.numeric(rate)) which(!is.finite(rate) | rate < 0) else if (is.character(rate)) which(is.na(rate)) else 1L
    if (length(bad) > 0L) abort_rate(equation[[bad[[1L]]]], "a number of at least 0, or a formula as text", rate[[bad[[1L]]]])
    number <- is.numeric(rate) | !is.na(suppressWarnings(as.numeric(rate)))
    out <- data.frame(
      equation = equation, row = seq_along(equation), part = 1L,
      rate = if (is.numeric(rate)) exact_text(rate) else enc2utf8(rate),
      law = ifelse(number, "mass action", "formula")
    )
  }
  if (!is.null(frame$law)) out$law <- check_laws(frame$law)[out$row]
  out$name <- rep_len(name, length(equation))[out$row]
  out
}

check_laws <- function(law) {
  law <- as.character(law)
  bad <- which(!law %in% c("mass action", "formula"))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "The column \"law\" must be \"mass action\" or \"formula\"; found %s in row %d.", describe(law[[bad[[1L]]]]), bad[[1L]]
    ))
  }
  law
}

# Splits reversible equations. `both` tells for each row of the table whether its equation is one. Returns the data frame
# `reactions` of a network.
one_way_reactions <- function(table, both) {
  n <- tabulate(table$row)
  wrong <- which(n[table$row] != 1L + both)
  if (length(wrong) > 0L) {
    at <- wrong[[1L]]
    abort_argument(sprintf(
      "The equation \"%s\" is%s reversible and needs %s; found %d.", table$equation[[at]], if (both[[at]]) "" else " not",
      if (both[[at]]) "two rates, one for each direction" else "one rate", n[[table$row[[at]]]]
    ))
  }
  equation <- enc2utf8(table$equation)
  pattern <- "^((?:[^\"`<]++|\"[^\"]*+\"|`[^`]*+`)*+)<[-=]>(.*)$" # the separator is the first < outside quotes
  to_right <- both & table$part == 1L
  to_left <- both & table$part == 2L
  equation[to_right] <- sub(pattern, "\\1->\\2", equation[to_right], perl = TRUE)
  equation[to_left] <- sub(pattern, "\\2->\\1", equation[to_left], perl = TRUE)
  name <- table$name
  given <- !is.na(name) & nzchar(name)
  name[given & to_left] <- paste0(name[given & to_left], "_reverse")
  name[!given] <- paste0("R", seq_along(name))[!given]
  if (anyDuplicated(name)) {
    abort_argument(sprintf(
      "Reactions must have different names; found more than one called \"%s\".", name[[anyDuplicated(name)]]
    ))
  }
  data.frame(name = name, equation = equation, rate = trimws(table$rate), law = table$law)
}

# ---- values by name -------------------------------------------------------------------------------------------------------

# The argument `name` as a numeric vector with names in UTF-8. `counts`: whole numbers from 0 to 2^53. NULL gives an empty vector.
check_named_numbers <- function(x, name, counts = FALSE) {
  x <- values_of_row(x, sprintf("`%s`", name))
  if (length(x) == 0L && !is.object(x)) return(stats::setNames(numeric(), character()))
  values <- (is.atomic(x) || is.list(x)) && !is.object(x)
  if (!values || is.null(names(x)) || anyNA(names(x)) || any(!nzchar(names(x)))) {
    abort_value(name, if (counts) "counts named by species, such as c(A = 100)" else "numbers with names, such as c(k = 0.1)", x)
  }
  values <- check_numbers(x, counts)
  if (anyDuplicated(names(values))) {
    abort_argument(sprintf("`%s` names \"%s\" more than once.", name, names(values)[[anyDuplicated(names(values))]]))
  }
  values
}

final_states_hint <- paste(
  "To continue trajectories, give `initial` the result of simulate(..., output = \"final\") itself, and not a plain data frame."
)

# A row of a data frame, such as one of a design, as a list of its values. `where` takes the values.
values_of_row <- function(x, where) {
  if (!is.data.frame(x)) return(x)
  if (nrow(x) != 1L) {
    hint <- if (nrow(x) > 1L) " sweep_parameters() runs a design of several rows." else ""
    if (all(c("trajectory", "time") %in% names(x))) hint <- paste("", final_states_hint)
    abort_argument(sprintf("%s takes one row of a data frame; found %s.%s", where, count_of(nrow(x), "row"), hint))
  }
  stats::setNames(lapply(seq_along(x), function(j) x[[j]]), names(x))
}

# The same, of names that a network has. The network has the names `others` too, but they belong into another argument.
check_known_numbers <- function(x, name, known, what, others, hint) {
  values <- check_named_numbers(x, name, what == "species")
  unknown <- setdiff(names(values), known)
  misplaced <- intersect(unknown, others)
  if (length(misplaced) > 0L) abort_argument(sprintf("`%s` names \"%s\", %s.", name, misplaced[[1L]], hint), unknown = misplaced)
  if (length(unknown) > 0L) abort_unknown_names(sprintf("`%s`", name), unknown, known, what)
  values
}

# The network with the arguments `initial` and `parameters` of simulate() and others. Errors name the argument.
with_arguments <- function(model, initial, parameters) {
  counts <- model$species$species
  constants <- names(model$parameters)
  initial <- check_known_numbers(
    initial, "initial", counts, "species", constants, "which is a parameter; `parameters` takes its value"
  )
  parameters <- check_known_numbers(
    parameters, "parameters", constants, "parameters", counts, "which is a species; `initial` takes its count"
  )
  set_parameters(set_initial(model, initial), parameters)
}

# A vector or list of single values with names -> numbers with names in UTF-8.
check_numbers <- function(x, counts) {
  fine <- function(x) {
    if (!is.numeric(x) || is.object(x)) return(rep(FALSE, length(x)))
    if (counts) !is.na(x) & x >= 0 & x <= 2^53 & x == floor(x) else !is.na(x)
  }
  bad <- which(!if (is.list(x)) vapply(x, function(one) length(one) == 1L && fine(one), NA) else fine(x))
  if (length(bad) > 0L) {
    found <- x[[bad[[1L]]]]
    fraction <- counts && is.numeric(found) && length(found) == 1L && is.finite(found) && found != floor(found)
    abort_argument(sprintf(
      "The %s of \"%s\" must be one %s; found %s.%s", if (counts) "initial count" else "value", names(x)[[bad[[1L]]]],
      if (counts) "whole number from 0 to 2^53" else "number", describe(found),
      if (fraction) " A count is a number of molecules, not a concentration." else ""
    ))
  }
  stats::setNames(as.double(unlist(x)), enc2utf8(names(x)))
}

# Names, numbers or a logical vector -> a logical vector with one element per species. `name` is that of the argument.
species_flags <- function(model, which, name) {
  n <- nrow(model$species)
  if (is.logical(which)) {
    if (length(which) != n || anyNA(which)) {
      abort_value(name, sprintf("names of species, or %s", count_of(n, "logical value")), which)
    }
    return(unname(which))
  }
  seq_len(n) %in% check_known(which, name, model$species$species, "species")
}

# Checks names or numbers of `known`, which are the `what` of the `owner`, and returns their indices. A result may have only
# some of the species of its network.
check_known <- function(x, name, known, what, owner = "network") {
  if (is.numeric(x) && !is.object(x)) {
    bad <- which(is.na(x) | x != floor(x) | x < 1 | x > length(known))
    if (length(bad) > 0L) {
      abort_argument(sprintf(
        "`%s` must name %s or give their numbers, from 1 to %d; found %s.", name, what, length(known), describe(x[[bad[[1L]]]])
      ))
    }
    return(as.integer(x))
  }
  if (is.factor(x)) x <- as.character(x)
  if (!is.character(x)) abort_value(name, sprintf("names of %s", what), x)
  index <- match(x, known)
  if (anyNA(index)) abort_unknown_names(sprintf("`%s`", name), x[is.na(index)], known, what, owner)
  index
}

# `where` names unknown names; the `what` of the `owner` are `known`.
abort_unknown_names <- function(where, unknown, known, what, owner = "network") {
  unknown <- unique(unknown)
  near <- closest_name(unknown[[1L]], known)
  abort_argument(sprintf(
    "%s names %s, which the %s does not have; %s", where, quote_some(unknown), owner,
    if (!is.null(near)) sprintf("did you mean \"%s\"?", near)
    else if (length(known) == 0L) sprintf("it has no %s.", what) else sprintf("its %s are %s.", what, quote_some(known))
  ), unknown = unknown)
}

# Times of observation, as numbers. The message names the first that is wrong.
check_times <- function(times) {
  expected <- "ascending numbers of at least 0"
  if (missing(times) || !is.numeric(times) || is.object(times) || length(times) == 0L) abort_value("times", expected, times)
  times <- as.vector(times)
  bad <- which(!is.finite(times) | times < 0 | c(FALSE, diff(times) <= 0))
  if (length(bad) == 0L) return(as.double(times))
  at <- bad[[1L]]
  value <- function(i) describe(times[[i]])
  if (!is.finite(times[[at]]) || times[[at]] < 0) {
    abort_argument(sprintf("`times` must be %s; element %d is %s.", expected, at, value(at)))
  }
  abort_argument(sprintf("`times` must increase; element %d is %s after %s.", at, value(at), value(at - 1L)))
}

# ---- changes --------------------------------------------------------------------------------------------------------------

#' Change counts and parameters of a reaction network
#'
#' `set_initial()` changes initial counts of species, and `set_parameters()` values of parameters. Everything else remains.
#'
#' @param model A network of class `reaction_network`.
#' @param ... Values by name, `A = 10, B = 0`, one named vector, `c(A = 10, B = 0)`, or one row of a data frame. Counts are whole
#'   numbers from 0 to 2^53; [`simulate()`][simulate.reaction_network] needs counts of at most 2^40.
#' @returns The changed network, of class `reaction_network`.
#' @section Errors: `fireflip_error_argument` for an unknown name, an invalid value, and a call without values. An empty vector of
#'   values is no error and changes nothing. `fireflip_error_model` if a rate that depends on nothing else becomes invalid.
#' @seealso [reaction_network()]; [set_initial()] for Boolean networks.
#' @rdname set_parameters
#' @export
#' @examples
#' net <- reaction_network("A -> B" = mass_action("k"), initial = c(A = 10), parameters = c(k = 1))
#' set_parameters(net, k = 2)
#' set_initial(net, A = 1000, B = 5)
set_parameters.reaction_network <- function(model, ...) {
  check_parts(model)
  values <- named_values(model, "set_parameters", list(...), names(model$parameters), "parameters")
  if (length(values) == 0L) return(model)
  model$parameters[names(values)] <- values
  validate_reactions(model)
}

#' @rdname set_parameters
#' @export
set_initial.reaction_network <- function(model, ...) {
  check_parts(model)
  values <- named_values(model, "set_initial", list(...), model$species$species, "species")
  if (length(values) == 0L) return(model)
  model$species$initial[match(names(values), model$species$species)] <- values
  validate_reactions(model)
}

# Names that belong to the other function.
refuse_misplaced <- function(model, verb, unknown, what) {
  others <- if (what == "species") names(model$parameters) else model$species$species
  misplaced <- intersect(unknown, others)
  if (length(misplaced) == 0L) return(invisible())
  abort_argument(sprintf(
    "%s() names \"%s\", which is a %s; %s changes it.", verb, misplaced[[1L]], if (what == "species") "parameter" else "species",
    if (what == "species") "set_parameters()" else "set_initial()"
  ), unknown = misplaced)
}

# f(model, A = 1, B = 0) or f(model, c(A = 1, B = 0)) -> a numeric vector with names, all of which are known.
named_values <- function(model, verb, values, known, what) {
  example <- if (length(known) > 0L) argument_name(known[[1L]]) else "A"
  if (length(values) == 0L) {
    abort_argument(sprintf("%s() needs values by name, such as %s = 1; found none.", verb, example))
  }
  if (length(values) == 1L && is.null(names(values))) {
    values <- values_of_row(values[[1L]], sprintf("%s()", verb))
    if (length(values) == 0L) return(stats::setNames(numeric(), character())) # an empty vector changes nothing
  }
  if (!is.vector(values) || is.null(names(values)) || anyNA(names(values)) || any(!nzchar(names(values)))) {
    abort_argument(sprintf("%s() needs values by name, such as %s = 1; found %s.", verb, example, describe(values)))
  }
  unknown <- setdiff(enc2utf8(names(values)), known)
  if (length(unknown) > 0L) refuse_misplaced(model, verb, unknown, what)
  if (length(unknown) > 0L) abort_unknown_names(sprintf("%s()", verb), unknown, known, what)
  values <- check_numbers(values, what == "species")
  if (anyDuplicated(names(values))) {
    abort_argument(sprintf("%s() got more than one value for \"%s\".", verb, names(values)[[anyDuplicated(names(values))]]))
  }
  values
}
