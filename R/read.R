#' Networks from files
#'
#' `read_network()` detects the format from the content of the file, not from its name, and returns the kind of model that the
#' file holds. The other functions read one format each. Files are text in UTF-8 with any kind of line ending, and may be
#' compressed with gzip, bzip2 or xz.
#'
#' @param file Path of the file, or a connection, such as `url("https://...")`. A connection that is not open is opened for
#'   reading in binary mode, and closed again. For text in another encoding, open it first:
#'   `file(path, "r", encoding = "latin1")`.
#' @param format `"auto"` (the default), `"pbn"`, `"boolnet"`, `"bnet"`, `"sbml"`, `"bngl_net"`, `"rules"`, `"andl"`, `"candl"` or
#'   `"snoopy"`.
#' @param perturbation,update,exempt These arguments are only for Boolean networks. With a file that holds a reaction network or
#'   a Petri net, they are an error. With `NULL` (the default), the value in the file is used. A value overrides that in the file.
#'
#'   `perturbation` is the perturbation probability p, at least 0 and below 1. Only the format of ASSA-PBN stores it; in the other
#'   formats it is 0.
#'
#'   `update` is `"synchronous"` (all nodes are updated at each step) or `"asynchronous"` (one node is updated at each step,
#'   chosen uniformly at random). Only the format of ASSA-PBN stores it; networks in the other formats are read as synchronous.
#'
#'   `exempt` are the nodes that are never perturbed: names, numbers, or a logical vector with one element per node;
#'   `character()` for none. The word `"inputs"` stands for all inputs, as in [pbn()].
#' @param initial Initial state of trajectories: a 0/1 vector named by nodes, or one value per node, where `NA` means random.
#'   For a reaction network, counts named by species. It overrides the values in the file for the nodes or species that it
#'   names. The file need not give counts of these species: it may give fractions, such as 10.4 molecules, or nothing. Give
#'   counts only if the amounts in the file are numbers of molecules. If they have another unit, such as the mole, the constants
#'   of the rates are for that unit. They are not converted, so with counts only reactions of first order have the right rate.
#'   Values that the file computes from those of these species are not computed anew. With `NULL` (the default), the values in
#'   the file are used. For a Petri net, markings named by places, as in [set_initial()][set_initial.petri_net].
#' @param constants Only for Petri nets: numbers named by constants of the file, such as `c(NX = 100)`. They replace the values in
#'   the file. Sizes of sets of colours may depend on them. With `NULL` (the default), none is replaced.
#' @param valueset Only for Petri nets: a file may give its constants several sets of values, and this is the name of one of them.
#'   With `NULL` (the default), the first one, or in Snoopy's files the one that is in use.
#'
#' @param as `"auto"` (the default): each file is read as the kind of model that it holds. `"petri_net"`: a reaction network in
#'   SBML or of BioNetGen is read as a Petri net: see section Petri nets from reaction networks.
#' @param continuous Only for `as = "petri_net"`: the names of the species that become continuous places, or `TRUE` for all. With
#'   `NULL` (the default), none. What rate rules determine is continuous in any case.
#'
#' @param reversible Only for reaction networks: what happens to a rate that is the difference of the rates of two directions.
#'   `"split"` (the default): two reactions, and a message. `"keep"`: one reaction, and a warning. `"error"`: an error. See section
#'   Reactions in both directions.
#' @param counts Only for SBML: `"as_is"` (the default) reads amounts as counts. `"convert"`: amounts and concentrations become
#'   counts of molecules. See section Amounts and counts.
#' @param particles Only for `counts = "convert"`: the number of molecules in a unit of amounts. With `NULL` (the default), it
#'   follows from the unit that the file tells.
#' @param volume Only for SBML: the size of compartments for which the file gives none. With `NULL` (the default), a compartment
#'   without a size is an error if a rate or an amount depends on it.
#' @param round Only for reaction networks: what happens to initial counts that are not whole. `"error"` (the default): an error
#'   that names them. `"nearest"`: they are rounded, and so are the counts that events of SBML set. A warning of class
#'   `fireflip_warning_rounded` tells if a count above 0 becomes 0.
#' @returns A network of class `pbn`, as created by [pbn()]. For SBML without qual and for a network of BioNetGen, a network of
#'   class `reaction_network`, as created by [reaction_network()], or with `as = "petri_net"` a `petri_net`. For ANDL, CANDL and
#'   Snoopy's XML, a net of class `petri_net`, as created by [petri_net()].
#'
#' @section Formats:
#' **ASSA-PBN** (`"pbn"`): lines `type=synchronous` (or `asynchronous`, also called `rog`), `n=` and `perturbation=`; a block
#' `nodeNames` ... `endNodeNames`; blocks `node NAME` ... `endNode` with lines `probability : function`; and a block `npNode` ...
#' `endNpNode` with the nodes that are never perturbed. `//` starts a comment. Selection probabilities are normalised.
#'
#' Some properties of a network cannot be expressed in this format. They are written in additional blocks, which other programs
#' reject instead of misreading the network: `initialValues` ... `endInitialValues` with lines `NAME = 1`; `contexts` ...
#' `endContexts` with lines `probability : 1 2 1`, which give for every node, in the order of `nodeNames`, the number of its
#' predictor function in that context; and `removedNodes=36 34`, the number of nodes that [reduce_network()] removed, and of
#' those among them that are perturbed. Every network can be written in this format and read back. The network that is read is
#' the same, including all digits of its probabilities. The text of predictor functions may change: only quotes and parentheses
#' that are needed are written.
#'
#' **BoolNet** (`"boolnet"`): a header `targets, factors` or `targets, factors, probabilities`, then lines
#' `name, function, probability`. `#` starts a comment. The probabilities of a node must sum to 1 within 1e-4, as in the package
#' BoolNet, and are normalised, so that three times 0.333333 is three times 1/3. As in BoolNet, a name that only occurs in
#' functions is an input, which keeps its value. Because it may also be a misspelt name, these names are reported in a message of
#' class `fireflip_message_inputs`, whose field `inputs` holds them. The following are not supported and cause an error:
#' BoolNet's functions `maj()`, `sumgt()`, `sumlt()`, `sumis()`, `all()` and `any()`, its temporal predicates `timeis()`,
#' `timegt()` and `timelt()`, and its delays, such as `C[-2]`.
#'
#' **.bnet** (`"bnet"`): as BoolNet's format, but without probabilities and with one line per node. The header is optional.
#'
#' **SBML-qual** (`"sbml"`): SBML level 3 with the package *qual*, read with libsbml. Every species must have two levels.
#'
#' **SBML** (`"sbml"`) of levels 1 to 3 without qual: a reaction network, described in the next section.
#'
#' **BioNetGen** (`"bngl_net"`): a reaction network that BioNetGen has generated from rules (`.net`), described below.
#'
#' **ANDL, CANDL and Snoopy's XML** (`"andl"`, `"candl"`, `"snoopy"`): Petri nets, described in section Petri nets in files.
#'
#' **Rules** (`"rules"`): one line per node, `name = function` or `name := function`. `#` starts a comment. Names without a line
#' are inputs, as in BoolNet's format. Lines of BooleanNet are read, too: `name* = function` or `name *= function` is a rule, and
#' then `name = True` (`False`, `Random`) is an initial value. Ranks, as in `1: A* = B`, are not supported.
#'
#' Predictor functions follow the grammar of [pbn()]. Names with spaces or operators must be quoted with double quotes or
#' backquotes. In files of rules, names that have `+`, `-` or `/` within or at their end, such as `Ca2+` and `IGFR1A/B`, need no
#' quotes if they have a line of their own and what precedes the sign is no other name.
#'
#' @section Reaction networks in SBML:
#' The network is the stochastic model that the file describes. The count of a species is its amount (an initial concentration
#' is multiplied by the size of the compartment), and must be a whole number. The propensity of a reaction is its kinetic law,
#' unchanged: each rate has the law `"formula"`, unless [write_network()] has marked it as mass action. In a kinetic law such
#' as `k * A * B`, a species stands for its concentration, which becomes `A / cell` in the formula. With
#' `hasOnlySubstanceUnits`, it stands for its amount. Both are as SBML demands. Names are the ids of the file.
#'
#'   Parameters of the model, and the sizes of compartments that rates use, are parameters of the network. A parameter `k` that
#'     is local to the reaction `r` is called `r_k`. [set_parameters()] changes them. It does not change initial counts, which
#'     are computed when the file is read. Species that are constant or have a boundary condition are fixed. A quantity that an
#'     assignment rule determines becomes a variable. If it is a species, the variable is its amount. A quantity x that a rate
#'     rule `x' = f` determines becomes a variable, too, if the solution is known. The solution is a formula of the time t, and
#'     the simulation uses it exactly. f may be `a + b x`, or a sum of powers of t (up to t^8) and of sines, cosines and
#'     exponentials of `p + w t`. All of `a`, `b`, `p` and `w` must be constant: numbers, parameters that no event sets, fixed
#'     species, and formulas of these alone. If [set_parameters()] changes these parameters, the solution changes with them, but
#'     its value at time 0 remains that of the file. Other rate rules are errors, and so is an event that sets x.
#'     [write_network()] writes the solution, as an assignment rule. [Events][event()] are read, with their delays and
#'     priorities, if they set species and parameters. In levels 1 and 2, an event is not triggered at time 0. A concentration
#'     that an event sets becomes an amount when the event happens. The size of the compartment is that just before the event
#'     changes anything. If a rule may change the size after the trigger, the data frame `events` of the network has a column
#'     `factor`: the formula by which the value of `set` is multiplied then. Initial assignments are evaluated at time 0.
#'     Function definitions are expanded. All functions of MathML are read, except `factorial`. Units are not converted, unless
#'     you ask for it: see section Amounts and counts. A reversible reaction of SBML has one kinetic law,
#'     which may be the difference of two rates: see section Reactions in both directions.
#'
#' The following are not supported, and are an error of class `fireflip_error_unsupported` that names the element and its line:
#' other rate rules and algebraic rules, constraints, delays in formulas, conversion factors, fast reactions, reactions without a
#' kinetic law, ids of reactions in formulas, initial amounts and stoichiometries that are not whole numbers (one message names
#' the species), stoichiometries that change, models of flux balance analysis, and packages of level 3 that are required, such as
#' *comp* and *distrib*. Amounts may differ from a whole number by a rounding error (a relative error of 1e-9).
#' @section Amounts and counts:
#' With `counts = "as_is"`, an amount of 100 mol is read as a count of 100. If a file says that amounts have another unit than the
#' item, such as the mole, a warning of class `fireflip_warning_unit` says so. The constants of the rates are for that unit, too, so
#' counts in `initial` would not help. Amounts in different units are an error.
#'
#' With `counts = "convert"`, counts of molecules take the place of amounts and concentrations. Let f be the number of molecules in
#' a unit of amounts: 6.02214076e23 times the unit in moles, or `particles`, if the file does not tell the unit, or tells another
#' kind of unit. Then a count is f times the amount, and a propensity is f times the kinetic law, in which n / f stands for an
#' amount, and n / (f V) for a concentration in a compartment of size V. So `V * k * A * B` of concentrations becomes
#' `V * k * (A / V) * (B / V) / f`. Variables that are amounts become counts, and so do the values that events give to species;
#' other variables, and parameters, keep their values and units. A law that has a reactant as a factor as often as the reaction takes
#' it, as `k * A^2` for `2 A -> B`, counts pairs of different molecules, `k * A * (A - 1)`, as COPASI does. A message of class
#' `fireflip_message_counts` tells f (field `factor`) and these reactions (field `reactions`). Initial counts are rarely whole then,
#' so `round = "nearest"` is needed. If f is large, concentrations are changed little by rounding.
#' @section Reactions in both directions:
#' A file may describe a reversible reaction by one rate, `k1 * A - k2 * B`. As one reaction, it has a wrong distribution: where
#' both rates are equal, nothing happens any more. So it is read as two reactions, as [reaction_network()] describes it, and a
#' message says so. This holds for SBML, with and without the attribute `reversible`, and for networks of BioNetGen, but not with
#' `as = "petri_net"`.
#'
#' Other rates stay as they are. A simulation stops with an error if a propensity is negative, also while a reactant is absent.
#' Only the method `"ode"` takes negative rates: see [ssa_methods()]. So a warning of class `fireflip_warning_negative` names
#' reactions whose rate is a difference, perhaps with a factor or a denominator, that is negative for some counts; its field
#' `reactions` has their names. The warning tells a state in which the first of them is negative; the network need not reach it.
#' The warning may miss some, and says nothing of differences that are never negative, such as `k * A * (A - 1) / 2`.
#' @section Petri nets from reaction networks:
#' With `as = "petri_net"`, the net is that of [as_petri_net()], with two additions for SBML. First, a rate rule `x' = f` is not
#' solved. Instead, x becomes a continuous place, and f a flow, whatever its formula is. x may be a species, a parameter or a
#' compartment, and events may set it. Second, continuous species may begin with fractions.
#'
#' The level of a place is at least 0. So an initial value below 0 is an error. A level that would fall below 0 stays at 0 by
#' default. With `semantics = "bio"`, [`simulate()`][simulate.petri_net] ends with an error instead, which shows that a solution
#' has negative values. Everything else that is not supported is an error, as for reaction networks.
#' @section Networks of BioNetGen:
#' The blocks `parameters`, `functions`, `species`, `reactions` and `groups` of a `.net` file are read. The names of species are
#' their patterns, such as `EGF(R)`, and must be quoted in equations and formulas. Fixed species (`$`) are fixed.
#'
#'   * A reaction has mass action, with the propensity that BioNetGen gives it. This is the constant times `x (x - 1)` for two
#'     molecules of the same species, as BioNetGen's constants already hold the factor 1/2 where it belongs. In [mass_action()],
#'     the propensity is the constant times `x (x - 1) / 2`, so the constant is doubled. If the rate is a function, the propensity
#'     is its value times the counts of the reactants. If [write_network()] has marked a reaction, its rate is the marked formula,
#'     unless the line or its function was changed.
#'   * Groups (observables) and functions become variables, and so do parameters whose values are expressions of others, so that
#'     they follow the others in [set_parameters()]. Initial counts are computed when the file is read, and must be whole numbers.
#'   * Not supported, and an error of class `fireflip_error_unsupported`, are rule-based models (`.bngl`), functions with
#'     arguments, and the rate laws `Sat`, `MM` and `Hill`.
#' @section Errors: `fireflip_error_file` if the file cannot be read; `fireflip_error_parse` with the file, the line, what was
#'   found and what was expected; `fireflip_error_unsupported` for a model of another kind, or with elements that are not
#'   supported; `fireflip_error_model` for an inconsistent network; `fireflip_error_argument` for an invalid argument.
#' @references Mizera A, Pang J, Yuan Q (2016). ASSA-PBN 2.0: a software tool for probabilistic Boolean networks.
#'   *Computational Methods in Systems Biology*, LNCS 9859, 309-315.
#'
#' Muessel C, Hopfensitz M, Kestler HA (2010). BoolNet: an R package for generation, reconstruction and analysis of Boolean
#' networks. *Bioinformatics* 26(10), 1378-1380. \doi{10.1093/bioinformatics/btq124}
#'
#' Chaouiya C, et al. (2013). SBML qualitative models: a model representation format and infrastructure to foster
#' interactions between qualitative modelling formalisms and tools. *BMC Systems Biology* 7, 135.
#' \doi{10.1186/1752-0509-7-135}
#'
#' Hucka M, et al. (2019). The Systems Biology Markup Language (SBML): language specification for level 3 version 2 core
#' release 2. *Journal of Integrative Bioinformatics* 16(2), 20190021. \doi{10.1515/jib-2019-0021}
#'
#' Evans TW, Gillespie CS, Wilkinson DJ (2008). The SBML discrete stochastic models test suite. *Bioinformatics* 24(2), 285-286.
#' \doi{10.1093/bioinformatics/btm566}
#'
#' Blinov ML, Faeder JR, Goldstein B, Hlavacek WS (2004). BioNetGen: software for rule-based modeling of signal transduction based
#' on the interactions of molecular domains. *Bioinformatics* 20(17), 3289-3291. \doi{10.1093/bioinformatics/bth378}
#' @seealso [write_network()], [pbn()], [reaction_network()], [example_model()].
#' @concept import
#' @concept SBML-qual
#' @concept load a network
#' @export
#' @examples
#' file <- tempfile(fileext = ".txt")
#' writeLines(c(
#'   "targets, factors, probabilities",
#'   "A, B & !C, 0.7",
#'   "A, B, 0.3",
#'   "B, A | C, 1"
#' ), file)
#' read_network(file, perturbation = 0.001) # C is an input
#' read_boolnet(file, update = "asynchronous", initial = c(C = 1))
read_network <- function(file, format = c("auto", "pbn", "boolnet", "bnet", "sbml", "bngl_net", "rules", "andl", "candl",
                                          "snoopy"), perturbation = NULL, update = NULL, exempt = NULL, initial = NULL,
                         constants = NULL, valueset = NULL, as = c("auto", "petri_net"), continuous = NULL,
                         reversible = c("split", "keep", "error"), counts = c("as_is", "convert"), particles = NULL,
                         volume = NULL, round = c("error", "nearest")) {
  as <- check_choice(as, "as", c("auto", "petri_net"))
  asked <- c(if (length(reversible) == 1L) "reversible", if (length(counts) == 1L) "counts", if (length(round) == 1L) "round")
  asked <- c(asked, if (!is.null(particles)) "particles", if (!is.null(volume)) "volume")
  reversible <- check_choice(reversible, "reversible", c("split", "keep", "error"))
  amounts <- check_amounts(counts, particles, volume, round)
  if (as == "auto" && !is.null(continuous)) abort_argument("`continuous` needs `as` = \"petri_net\"; found `as` = \"auto\".")
  by_name <- !missing(file) && is_texts(file, 1L) && missing(format) && grepl("[.]pnml$", file, ignore.case = TRUE)
  if (by_name || identical(format, "pnml")) {
    abort("unsupported", paste(
      "PNML is written by write_network(), but not read: it has neither rates nor kinds of transitions. read_network() reads",
      "Petri nets as ANDL, CANDL and Snoopy's files."
    ))
  }
  source <- network_source(file)
  format <- check_choice(
    format, "format", c("auto", "pbn", "boolnet", "bnet", "sbml", "bngl_net", "rules", petri_formats), other_format_names
  )
  check_number(perturbation, "perturbation", 0, 1, open_max = TRUE, null = TRUE)
  if (!is.null(update)) check_update(update)
  if (format %in% petri_formats || length(constants) > 0L || !is.null(valueset)) {
    refuse_boolean(source$name, "Petri net", perturbation = perturbation, update = update, exempt = exempt)
    refuse_reactions(source$name, "a Petri net", asked)
    if (!is.null(continuous)) refuse_continuous(source)
    return(read_petri(source, format, initial, constants, valueset))
  }
  starts <- NULL # of nodes, in a file of rules
  if (format == "rules" || (format == "auto" && is_rule_line(first_line(source)))) {
    rules <- bnet_of_rules(source)
    source$text <- rules$text
    starts <- rules$starts
    format <- "bnet"
  }
  if (as == "petri_net") {
    refuse_boolean(source$name, "Petri net", perturbation = perturbation, update = update, exempt = exempt)
    if (length(asked) > 0L) abort_argument(sprintf("`%s` needs `as` = \"auto\"; found `as` = \"petri_net\".", asked[[1L]]))
    return(read_as_petri(source, format, initial, continuous))
  }
  given <- given_names(initial)
  read <- naming_initial(
    .Call(ffi_read_network, source$name, format, source$text, given, NULL, reversible != "keep", amounts), initial, amounts
  )
  if (read$class == "petri_net") {
    refuse_boolean(source$name, "Petri net", perturbation = perturbation, update = update, exempt = exempt)
    refuse_reactions(source$name, "a Petri net", asked)
    return(read_petri(source, read$format, initial, constants, valueset))
  }
  if (read$class == "reaction_network") {
    refuse_boolean(source$name, "reaction network", perturbation = perturbation, update = update, exempt = exempt)
    model <- reactions_from_core(read$model)
    if (amounts[[1L]] == 0) warn_unit(read$unit, source$name, initial)
    else tell_counts(read, amounts, source$name)
    warn_lost(read$lost, source$name)
    tell_reversible(read$split, model$reactions$name, reversible, source$name)
    warn_negative(read$negative, source$name)
    return(start_at(model, initial))
  }
  refuse_reactions(source$name, "a Boolean network", asked)
  model <- new_pbn(read$model)
  if (read$format %in% c("boolnet", "bnet")) tell_inputs(undeclared_inputs(model, source), model$nodes)
  if (length(starts) > 0L) model$initial <- node_values(model, starts, "initial", model$initial, random = TRUE)
  if (!is.null(perturbation)) model$perturbation <- as.double(perturbation)
  if (!is.null(update)) model$update <- update
  if (!is.null(exempt)) model$exempt <- node_flags(model, exempt, "exempt")
  if (!is.null(initial)) model$initial <- node_values(model, initial, "initial", model$initial, random = TRUE)
  if (!is.null(perturbation) || !is.null(initial)) tell_perturbed_inputs(model)
  model
}

# Endings of files and names of programs that stand for a format.
other_format_names <- c(
  net = "bngl_net", bng = "bngl_net", bionetgen = "bngl_net", xml = "sbml", "sbml-qual" = "sbml", txt = "boolnet",
  spn = "snoopy", cpn = "snoopy", hpn = "snoopy", colspn = "snoopy", colcpn = "snoopy", colhpn = "snoopy"
)

# ---- reaction networks -------------------------------------------------------------------------------------------------------

reactions_from_core <- function(columns) {
  reactions <- data.frame(columns[c("name", "equation", "rate", "law")])
  model <- new_reaction_network(columns$species, columns$initial, columns$fixed, columns$parameters, reactions, columns$variables)
  model$events <- events_from_core(columns$events)
  model
}

# Arguments that only Boolean networks have.
refuse_boolean <- function(file, kind, ...) {
  given <- names(Filter(Negate(is.null), list(...)))
  if (length(given) > 0L) {
    abort_argument(sprintf("`%s` is only for Boolean networks, but %s holds a %s.", given[[1L]], file, kind))
  }
}

# Arguments that only reaction networks have.
refuse_reactions <- function(file, kind, asked) {
  if (length(asked) == 0L) return(invisible())
  abort_argument(sprintf("`%s` is only for reaction networks, but %s holds %s.", asked[[1L]], file, kind))
}

# How the core reads amounts: see take_amounts() of ffi_io.c.
check_amounts <- function(counts, particles, volume, round) {
  counts <- check_choice(counts, "counts", c("as_is", "convert"))
  round <- check_choice(round, "round", c("error", "nearest"))
  check_number(particles, "particles", 0, open_min = TRUE, null = TRUE)
  check_number(volume, "volume", 0, open_min = TRUE, null = TRUE)
  if (!is.null(particles) && counts == "as_is") {
    abort_argument("`particles` needs `counts` = \"convert\"; found `counts` = \"as_is\".")
  }
  or_0 <- function(x) if (is.null(x)) 0 else x
  as.double(c(counts == "convert", or_0(particles), or_0(volume), round == "nearest"))
}

warn_lost <- function(lost, file) {
  if (is.null(lost)) return(invisible())
  one <- lost$n == 1L
  warn("rounded", sprintf(
    "In %s, the initial %s of %s%s %s above 0, but less than half a molecule, and %s rounded to 0.", file,
    if (one) "count" else "counts", quote_some(lost$species), if (one) "" else sprintf(" and %d more species", lost$n - 1L),
    if (one) "is" else "are", if (one) "is" else "are"
  ))
}

# What became of amounts.
tell_counts <- function(read, amounts, file) {
  unit <- if (amounts[[2L]] == 0) sprintf(" (%s)", if (nzchar(read$unit)) read$unit else "items") else ""
  pairs <- if (length(read$pairs) > 0L) sprintf(
    " The %s of %s %s molecules without repetition, as A * (A - 1).",
    if (length(read$pairs) == 1L) "rate" else "rates", quote_some(read$pairs), if (length(read$pairs) == 1L) "counts" else "count"
  )
  text <- sprintf("In %s, an amount of 1%s is %s molecules.%s\n", file, unit, exact_text(read$factor, 9), paste0("", pairs))
  message(new_condition("counts", "message", text, NULL, factor = read$factor, reactions = read$pairs))
}

# Reactions whose rate is that of both directions, and all reactions, where each of them has its reverse behind it.
tell_reversible <- function(split, names, reversible, file = NULL) {
  n <- length(split)
  if (n == 0L) return(invisible())
  reverse <- names[match(split[[1L]], names) + 1L]
  what <- paste0(
    if (is.null(file)) "The" else sprintf("In %s, the", file),
    if (n == 1L) sprintf(" rate of reaction %s is the difference", quote_some(split))
    else sprintf(" rates of %d reactions are differences", n),
    " of the rates of two directions"
  )
  if (reversible == "error") {
    abort("model", sprintf(
      "%s%s; expected a reaction for each direction, as `reversible` = \"split\" makes them.", what,
      if (n == 1L) "" else sprintf(": %s", quote_some(split))
    ), reactions = split)
  }
  text <- if (n == 1L) sprintf("%s. It becomes two reactions, %s and %s.\n", what, quote_some(split), quote_some(reverse)) else {
    example <- sprintf("%s and %s", quote_some(split[[1L]]), quote_some(reverse))
    sprintf("%s. Each becomes two, such as %s: %s.\n", what, example, quote_some(split))
  }
  message(new_condition("reversible", "message", text, NULL, reactions = split))
}

# Amounts of SBML with a unit other than the item. Counts that the user gives do not help, because constants remain.
warn_unit <- function(unit, file, initial) {
  if (!nzchar(unit)) return(invisible())
  constants <- paste(
    " The constants of the rates are for amounts in this unit, too. With counts of molecules in `initial`, they give wrong",
    "results, unless every rate is of first order."
  )
  warn("unit", paste0(sprintf(
    paste(
      "The amounts in %s have the unit %s, and are read as counts of molecules: units are not converted. counts = \"convert\"",
      "converts them."
    ), file, unit
  ), if (length(initial) > 0L) constants), unit = unit)
}

# Laws that are differences, as those of reactions in both directions.
warn_negative <- function(found, file) {
  if (is.null(found)) return(invisible())
  several <- length(found$reactions) > 1L
  where <- if (is.null(found$value)) "" else { # of a reaction that flows
    state <- paste(found$species, "=", exact_text(found$count, 7), collapse = ", ")
    rate <- if (nchar(found$rate) <= 60L) found$rate else if (several) "the first" else "it"
    sprintf(": %s is %s where %s", rate, exact_text(found$value, 7), state)
  }
  warn("negative", sprintf(
    paste(
      "In %s, %s %s that can be negative%s. A simulation ends with an error where a rate is below 0; the method \"ode\" takes",
      "it. If %s the balance of two directions, write a reaction for each: as one, the fluctuations are wrong."
    ),
    file, sprintf(if (several) "the rates of reactions %s" else "the rate of reaction %s", quote_some(found$reactions)),
    if (several) "are differences" else "is a difference", where, if (several) "each is" else "it is"
  ), reactions = found$reactions)
}

# The core need not find counts for species that `initial` names.
given_names <- function(initial) {
  names <- names(initial)
  if (is.null(names) || anyNA(names)) NULL else unique(enc2utf8(names))
}

# If the initial amounts of species in a file are no counts, adds to the message what helps, which `initial` does only if the
# constants of the rates are for counts. `initial` may be what is wrong.
naming_initial <- function(read, initial, amounts = numeric(4)) {
  retell <- function(class) function(e) {
    text <- conditionMessage(e)
    if (grepl("found the species .* with(out an)? (the )?initial (amount|count)", text)) {
      check_named_numbers(initial, "initial", counts = TRUE)
      names <- if (length(initial) > 0L) paste0("; `initial` names only ", quote_some(names(initial)))
      levels <- if (grepl("initial amount.*counts?($|[ ,])", text)) {
        "; as = \"petri_net\" with continuous = TRUE reads amounts as levels"
      }
      advice <- if (amounts[[1L]] != 0) "; round = \"nearest\" rounds them" else advice_on_initial(text)
      text <- paste0(text, advice, levels, names)
    }
    if (grepl("found the compartment .* without a size where one was expected", text)) {
      text <- paste0(text, "; the argument `volume` can give one")
    }
    abort(class, text)
  }
  tryCatch(read, fireflip_error_unsupported = retell("unsupported"), fireflip_error_parse = retell("parse"))
}

advice_on_initial <- function(text) {
  if (grepl("units are not converted", text, fixed = TRUE)) return(paste(
    "; counts = \"convert\" converts amounts and rates to numbers of molecules, and round = \"nearest\" rounds these; counts in",
    "`initial` would give wrong results, because the constants of the rates are for this unit, too, unless every rate is of first",
    "order"
  ))
  if (grepl("where one was expected$", text)) return("; the argument `initial` can give one")
  paste(
    "; if the file means numbers of molecules, round = \"nearest\" rounds them, or the argument `initial` can give counts; if its",
    "amounts have another unit, so have the constants of its rates, and",
    if (grepl("initial amount", text, fixed = TRUE)) {
      "counts = \"convert\" with `particles`, the molecules in a unit, converts both"
    } else {
      "counts would give wrong results"
    }
  )
}

start_at <- function(model, initial) {
  counts <- check_named_numbers(initial, "initial", counts = TRUE)
  at <- match(names(counts), model$species$species)
  if (anyNA(at)) abort_unknown_names("`initial`", names(counts)[is.na(at)], model$species$species, "species")
  model$species$initial[at] <- counts
  model
}

# ---- names without a rule ------------------------------------------------------------------------------------------------------

# The names that are inputs because they have no line, in BoolNet's formats. The core puts them after all other nodes.
undeclared_inputs <- function(model, source) {
  last <- rev(seq_along(model$nodes))
  after <- last[cumprod(last %in% input_nodes(model)) == 1]
  if (length(after) == 0L) return(character())
  lines <- source_lines(source)
  if (length(lines) == 0L) return(character()) # a pipe cannot be read twice
  field <- sub("^[[:space:]]*(\"[^\"]*\"|`[^`]*`|[^,#]*),.*$", "\\1", lines)
  setdiff(model$nodes[rev(after)], gsub("^[\"`]|[\"`]$", "", trimws(field)))
}

tell_inputs <- function(inputs, nodes) {
  if (length(inputs) == 0L) return(invisible())
  text <- if (length(inputs) == 1L) "1 name without a rule is taken for an input" else {
    sprintf("%s without a rule are taken for inputs", count_of(length(inputs), "name"))
  }
  text <- sprintf("%s: %s%s\n", text, quote_some(inputs), meant_instead(inputs, setdiff(nodes, inputs)))
  message(new_condition("inputs", "message", text, NULL, inputs = inputs))
}

# A hint for the first name that looks misspelt. Names that differ in digits only, such as x1 and x2, do not.
meant_instead <- function(inputs, known) {
  for (name in utils::head(inputs, 1000L)) {
    near <- closest_name(name, known)
    if (is.null(near) || gsub("[0-9]+", "#", near) == gsub("[0-9]+", "#", name)) next
    return(sprintf("; did you mean \"%s\"%s?", near, if (length(inputs) > 1L) sprintf(" by \"%s\"", name) else ""))
  }
  ""
}

#' @rdname read_network
#' @export
read_pbn <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "pbn", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_boolnet <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "boolnet", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_bnet <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "bnet", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_sbml <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL, as = c("auto", "petri_net"),
                      continuous = NULL, reversible = c("split", "keep", "error"), counts = c("as_is", "convert"),
                      particles = NULL, volume = NULL, round = c("error", "nearest")) {
  read_network(
    file, "sbml", perturbation, update, exempt, initial, as = as, continuous = continuous, reversible = reversible,
    counts = counts, particles = particles, volume = volume, round = round
  )
}

#' @rdname read_network
#' @export
read_bngl_net <- function(file, initial = NULL, reversible = c("split", "keep", "error"), round = c("error", "nearest")) {
  read_network(file, "bngl_net", initial = initial, reversible = reversible, round = round)
}

#' Write a network to a file
#'
#' The network is written to a temporary file in the same folder, which then replaces `file`. So `file` is never left incomplete.
#'
#' @param model A network of class `pbn`, `reaction_network` or `petri_net`.
#' @param file Path of the file.
#' @param format `"pbn"`, `"boolnet"`, `"bnet"` or `"sbml"` for a Boolean network; `"sbml"` or `"bngl_net"` for a reaction
#'   network; `"andl"`, `"candl"`, `"sbml"` or `"pnml"` for a Petri net. [read_network()] describes them. With `"auto"` (the
#'   default), the extension of `file` determines the format: `.pbn`; `.boolnet` or `.txt`; `.bnet`; `.sbml` or `.xml`; `.net`;
#'   `.andl`; `.candl`; `.pnml`.
#' @param ... Further arguments of methods. These methods have none.
#'
#' @returns `file`, invisibly.
#' @section Limits of formats:
#' `"pbn"` stores the whole network. Rules are written in one form, so a rule that was given as `(A&B)` is read back as `A & B`.
#' `"boolnet"` has no contexts, and `"bnet"` and `"sbml"` have neither contexts nor several
#' predictor functions per node. Writing a network that has them to such a format is an error. These three formats do not store
#' the perturbation, asynchronous update, exempt nodes and what a reduction removed; `"boolnet"` and `"bnet"` do not store
#' initial values either. These are dropped with a warning of class `fireflip_warning_dropped`. If a format has no truth tables
#' or no exclusive or, sums of products are written instead.
#' @section Errors: `fireflip_error_file` if the file cannot be written; `fireflip_error_model` if the format cannot express the
#'   network; `fireflip_error_argument` for an invalid argument.
#' @seealso [read_network()]
#' @rdname write_network
#' @export
#' @examples
#' net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A ^ C", C = "C"), perturbation = 0.001)
#' file <- write_network(net, tempfile(fileext = ".pbn"))
#' cat(readLines(file), sep = "\n")
#' read_network(file)
write_network.pbn <- function(model, file, format = c("auto", "pbn", "boolnet", "bnet", "sbml"), ...) {
  check_parts(model)
  check_no_more(...)
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "pbn", "boolnet", "bnet", "sbml"), other_format_names)
  if (format == "auto") format <- format_of_path(file)
  warn_dropped(.Call(ffi_write_network, model, file, format), format)
  invisible(file)
}

#' @rdname write_network
#' @export
write_pbn <- function(model, file) write_network(model, file, "pbn")

#' @rdname write_network
#' @export
write_boolnet <- function(model, file) write_network(model, file, "boolnet")

#' @rdname write_network
#' @export
write_bnet <- function(model, file) write_network(model, file, "bnet")

#' @rdname write_network
#' @export
write_sbml <- function(model, file) write_network(model, file, "sbml")

#' @rdname write_network
#' @export
write_bngl_net <- function(model, file) write_network(model, file, "bngl_net")

#' @section Reaction networks: They are written as SBML (level 3 version 2; `.sbml` or `.xml`) or as a network of BioNetGen
#'   (`"bngl_net"`, `.net`). Propensities remain the same, up to rounding errors. The law of mass action is written to SBML as a
#'   formula, and other laws are written to `.net` as functions. Marks tell [read_network()] whether a rate was mass action, so
#'   that the method `"ode"` gives the same, too: in SBML the annotation `massAction` of a kinetic law, in `.net` a comment that
#'   names the function of the whole propensity. Other programs ignore them. Variables are written to SBML as assignment rules,
#'   also those that were read from rate rules. In SBML, species are amounts in a compartment of size 1. If a format does not
#'   allow a name, it is replaced by an id. SBML keeps the original name as the attribute `name`. In `.net`, numbers that are
#'   rate constants become parameters, and species in formulas become groups, whose names begin with `_`. [Events][event()] are
#'   written to SBML. The format `.net` has no events: writing a network with events raises a `fireflip_error_model`.
#' @rdname write_network
#' @export
write_network.reaction_network <- function(model, file, format = c("auto", "sbml", "bngl_net"), ...) {
  check_parts(model)
  check_no_more(...)
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "sbml", "bngl_net"), other_format_names)
  if (format == "auto") {
    ending <- tolower(sub("^.*\\.", "", basename(file)))
    format <- c(sbml = "sbml", xml = "sbml", net = "bngl_net")[ending]
    if (is.na(format)) {
      abort_argument(sprintf(
        "`file` must end in .sbml, .xml or .net where `format` is \"auto\"; found %s.", describe(file)
      ))
    }
  }
  .Call(ffi_write_reactions, model, file, unname(format))
  invisible(file)
}

format_of_path <- function(file) {
  ending <- tolower(sub("^.*\\.", "", basename(file)))
  format <- c(
    pbn = "pbn", boolnet = "boolnet", txt = "boolnet", bnet = "bnet", sbml = "sbml", xml = "sbml"
  )[ending]
  if (is.na(format)) {
    abort_argument(sprintf(
      "`file` must end in .pbn, .boolnet, .txt, .bnet, .sbml or .xml where `format` is \"auto\"; found %s.", describe(file)
    ))
  }
  unname(format)
}

# `bits` tells what the core did not write: see ff_lost in src/io/ff_io.h.
warn_dropped <- function(bits, format) {
  what <- c("the perturbation", "the asynchronous update", "the exempt nodes", "the initial values", "what a reduction removed")
  lost <- what[bitwAnd(bits, as.integer(2^(0:4))) != 0]
  if (length(lost) > 0L) {
    warn("dropped", sprintf(
      "Not all was written: the format \"%s\" cannot store %s. The format \"pbn\" can.", format, paste(lost, collapse = ", ")
    ), lost = lost)
  }
}
