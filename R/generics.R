# Verbs: one generic per task, for every kind of model. The model is the first argument. Each method has arguments of its own.

#' Verbs for models
#'
#' Every task has one function for all kinds of models. It is an S3 generic whose first argument is the model. The class of the
#' model determines the method that is called, and so the further arguments.
#'
#' There are three kinds of models: probabilistic Boolean networks of class `pbn`, as created by [pbn()], [read_network()] and
#' [example_model()], reaction networks of class `reaction_network`, as created by [reaction_network()], and Petri nets of class
#' `petri_net`, as created by [petri_net()]. The pages below describe each generic together with its method for `pbn`.
#' [set_initial()][set_initial.reaction_network], [set_parameters()], [network_arrows()], [write_network()],
#' [conservation_laws()], [`simulate()`][simulate.reaction_network], [first_passage()] and [sweep_parameters()] have methods for
#' `reaction_network` and `petri_net`, [reaction_dependencies()] and [chemical_master_equation()] for `reaction_network`, and
#' [unfold()] and [invariants()] for `petri_net`. [reduce_network()] has methods for `pbn` and `petri_net`.
#'
#' | verb | what it does |
#' |---|---|
#' | [steady_state()], [node_activity()] | long-run probabilities of state sets, and that nodes are on |
#' | [long_run_influence()], [influence_analysis()] | influence of nodes on their children |
#' | [long_run_sensitivity()] | effect of changes of the model on long-run probabilities |
#' | [outcomes()] | attractors of a model without perturbation, and their probabilities |
#' | [stationary_distribution()], [transition_matrix()] | the Markov chain of a small model |
#' | [chemical_master_equation()] | the distribution of a small reaction network at given times |
#' | [conservation_laws()] | sums of counts that no reaction changes; P-invariants of a Petri net |
#' | [`simulate()`][simulate.pbn] | trajectories of a Boolean network |
#' | [`simulate()`][simulate.reaction_network] | trajectories of a reaction network, or their statistics |
#' | [`simulate()`][simulate.petri_net] | trajectories of a Petri net, or their statistics |
#' | [first_passage()], [sweep_parameters()] | times at which a condition becomes true; runs for several values |
#' | [burn_in()], [noise()], [noise_decomposition()], [covariances()], [compare_ensembles()] | analyse simulated ensembles |
#' | [reduce_network()], [network_components()], [network_arrows()] | the dependency graph |
#' | [unfold()], [invariants()] | a Petri net without colours; its P- and T-invariants |
#' | [as_petri_net()], [as_reaction_network()] | convert reaction networks to Petri nets, and back |
#' | [reaction_dependencies()] | which reactions change the propensities of which |
#' | [compile_ssp()], [ssp_sweep()] | programs for a processor that exists on paper, see [ssp()] |
#' | [set_initial()], [set_perturbation()], [set_update()], [fix_nodes()] | change settings |
#' | [set_parameters()] | change values of parameters |
#' | [set_rule()], [add_node()], [remove_node()], [rename_nodes()] | change rules and nodes |
#' | [write_network()] | write the model to a file |
#'
#' [print()], [summary()], [plot()] and [as.data.frame()] have methods for models and results ([pbn-methods],
#' [reaction-methods], [petri-methods], [result-methods]).
#'
#' @section Objects of other classes: If a verb has no method for the class of its first argument, there is an error of class
#'   `fireflip_error_argument`. Its message tells which class was found, which classes have a method, and if possible how to
#'   convert the object. The fields `found` and `expected` of the condition hold the classes.
#' @section Methods in other packages: A package can register methods for its own classes, for instance with
#'   `S3method(fireflip::steady_state, my_model)` in its NAMESPACE.
#' @name verbs
NULL

# The classes that have a method for a verb, including those of other packages.
method_classes <- function(verb) {
  methods <- ls(get(".__S3MethodsTable__.", envir = topenv()))
  start <- paste0(verb, ".")
  setdiff(substring(methods[startsWith(methods, start)], nchar(start) + 1L), "default")
}

# Raises the error of a verb for an object without a method. `...` are the other arguments of the call.
no_method <- function(model, verb, ...) {
  classes <- method_classes(verb)
  if (missing(model)) abort_class(model, classes)
  others <- tryCatch(list(...), error = function(e) list())
  hint <- if (any(vapply(others, inherits, NA, classes))) {
    short <- abbreviation_of("model", sys.call(-1L), parent.frame(2L), names(others))
    if (is.null(short)) "the network must be the first argument" else {
      sprintf("R takes `%s` for `model`, so write the name of that argument in full", short)
    }
  }
  abort_class(model, classes, hint = if (is.null(hint)) class_hint(model, classes) else hint)
}

# Some verbs take values named by nodes, such as fix_nodes(net, A = 1). If a node is called "model" or "m", R matches the value in
# model = 1 or m = 1 with the argument `model`, and the network is among the other arguments. This function restores the intended
# call. `call` is the call as it was written, and `caller` is the frame that contains it.
value_of_model <- function(model, verb, call, values, caller) {
  if (missing(model)) return(no_method(, verb))
  unnamed <- if (is.null(names(values))) rep(TRUE, length(values)) else !nzchar(names(values))
  at <- which(unnamed & vapply(values, inherits, NA, method_classes(verb)))
  if (length(at) == 0L) return(no_method(model, verb))
  name <- abbreviation_of("model", call, caller, names(values))
  if (is.null(name)) name <- "model"
  network <- values[[at[[1L]]]]
  values <- c(stats::setNames(list(model), name), values[-at[[1L]]])
  get(verb, envir = topenv())(network, values)
}

# The abbreviation of the argument `name` by which a call gave it, or NULL: a written name that is not among those of `...`.
abbreviation_of <- function(name, call, caller, others) {
  written <- as.character(names(call))
  if (any(vapply(as.list(call), identical, NA, quote(...)))) written <- c(written, eval(quote(names(list(...))), caller))
  written <- setdiff(written[nzchar(written) & startsWith(name, written)], others)
  if (length(written) == 1L && written != name) written
}

# simulate() is a generic of R, so only a text, which is no model of any package, gets this error.
#' @export
simulate.character <- function(object, nsim = 1, seed = NULL, ...) {
  abort_class(object, c("pbn", "reaction_network", "petri_net"), "object")
}

# ---- generics and their default methods ----------------------------------------------------------------------------------

#' @rdname steady_state
#' @export
steady_state <- function(model, ...) UseMethod("steady_state")

#' @export
steady_state.default <- function(model, ...) no_method(model, "steady_state", ...)

#' @rdname node_activity
#' @export
node_activity <- function(model, ...) UseMethod("node_activity")

#' @export
node_activity.default <- function(model, ...) no_method(model, "node_activity", ...)

#' @rdname long_run_influence
#' @export
long_run_influence <- function(model, ...) UseMethod("long_run_influence")

#' @export
long_run_influence.default <- function(model, ...) no_method(model, "long_run_influence", ...)

#' @rdname influence_analysis
#' @export
influence_analysis <- function(model, ...) UseMethod("influence_analysis")

#' @export
influence_analysis.default <- function(model, ...) no_method(model, "influence_analysis", ...)

#' @rdname long_run_sensitivity
#' @export
long_run_sensitivity <- function(model, ...) UseMethod("long_run_sensitivity")

#' @export
long_run_sensitivity.default <- function(model, ...) no_method(model, "long_run_sensitivity", ...)

#' @rdname outcomes
#' @export
outcomes <- function(model, ...) UseMethod("outcomes")

#' @export
outcomes.default <- function(model, ...) no_method(model, "outcomes", ...)

#' @rdname stationary_distribution
#' @export
stationary_distribution <- function(model, ...) UseMethod("stationary_distribution")

#' @export
stationary_distribution.default <- function(model, ...) no_method(model, "stationary_distribution", ...)

#' @rdname stationary_distribution
#' @export
transition_matrix <- function(model, ...) UseMethod("transition_matrix")

#' @export
transition_matrix.default <- function(model, ...) no_method(model, "transition_matrix", ...)

#' @rdname chemical_master_equation
#' @export
chemical_master_equation <- function(model, ...) UseMethod("chemical_master_equation")

#' @export
chemical_master_equation.default <- function(model, ...) no_method(model, "chemical_master_equation", ...)

#' @rdname first_passage
#' @export
first_passage <- function(model, ...) UseMethod("first_passage")

#' @export
first_passage.default <- function(model, ...) no_method(model, "first_passage", ...)

#' @rdname sweep_parameters
#' @export
sweep_parameters <- function(model, ...) UseMethod("sweep_parameters")

#' @export
sweep_parameters.default <- function(model, ...) no_method(model, "sweep_parameters", ...)

#' @rdname reduce_network
#' @export
reduce_network <- function(model, ...) UseMethod("reduce_network")

#' @export
reduce_network.default <- function(model, ...) no_method(model, "reduce_network", ...)

#' @rdname network_components
#' @export
network_components <- function(model, ...) UseMethod("network_components")

#' @export
network_components.default <- function(model, ...) no_method(model, "network_components", ...)

#' @rdname network_components
#' @export
network_arrows <- function(model, ...) UseMethod("network_arrows")

#' @export
network_arrows.default <- function(model, ...) no_method(model, "network_arrows", ...)

#' @rdname reaction_dependencies
#' @export
reaction_dependencies <- function(model, ...) UseMethod("reaction_dependencies")

#' @export
reaction_dependencies.default <- function(model, ...) no_method(model, "reaction_dependencies", ...)

#' @rdname fix_nodes
#' @export
fix_nodes <- function(model, ...) UseMethod("fix_nodes")

#' @export
fix_nodes.default <- function(model, ...) value_of_model(model, "fix_nodes", sys.call(), list(...), parent.frame())

#' @rdname fix_nodes
#' @export
set_initial <- function(model, ...) UseMethod("set_initial")

#' @export
set_initial.default <- function(model, ...) value_of_model(model, "set_initial", sys.call(), list(...), parent.frame())

#' @rdname set_parameters
#' @export
set_parameters <- function(model, ...) UseMethod("set_parameters")

#' @export
set_parameters.default <- function(model, ...) value_of_model(model, "set_parameters", sys.call(), list(...), parent.frame())

#' @rdname fix_nodes
#' @export
set_perturbation <- function(model, ...) UseMethod("set_perturbation")

#' @export
set_perturbation.default <- function(model, ...) no_method(model, "set_perturbation", ...)

#' @rdname fix_nodes
#' @export
set_update <- function(model, ...) UseMethod("set_update")

#' @export
set_update.default <- function(model, ...) no_method(model, "set_update", ...)

#' @rdname set_rule
#' @export
set_rule <- function(model, ...) UseMethod("set_rule")

#' @export
set_rule.default <- function(model, ...) value_of_model(model, "set_rule", sys.call(), list(...), parent.frame())

#' @rdname set_rule
#' @export
add_node <- function(model, ...) UseMethod("add_node")

#' @export
add_node.default <- function(model, ...) value_of_model(model, "add_node", sys.call(), list(...), parent.frame())

#' @rdname set_rule
#' @export
remove_node <- function(model, ...) UseMethod("remove_node")

#' @export
remove_node.default <- function(model, ...) no_method(model, "remove_node", ...)

#' @rdname set_rule
#' @export
rename_nodes <- function(model, ...) UseMethod("rename_nodes")

#' @export
rename_nodes.default <- function(model, ...) value_of_model(model, "rename_nodes", sys.call(), list(...), parent.frame())

#' @rdname write_network
#' @export
write_network <- function(model, ...) {
  if (missing(model)) no_method(, "write_network") # write_sbml() and the others call this too
  UseMethod("write_network")
}

#' @export
write_network.default <- function(model, ...) no_method(model, "write_network", ...)
