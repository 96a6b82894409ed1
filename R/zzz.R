#' @section Start here:
#' * [pbn()] creates a network from rules; [read_network()] reads one from a file; [example_model()] gives one from the
#'   literature.
#' * [steady_state()] computes the long-run probabilities of sets of states.
#' * [long_run_influence()] computes the influence of parents on their children.
#' * [long_run_sensitivity()] computes the effect of changes of the network on long-run probabilities.
#' * [influence_analysis()] computes probabilities and influences in one call.
#'
#' Results can be printed, plotted and summarised ([result-methods]). [node_activity()] applies [steady_state()] to every node,
#' [fix_nodes()] simulates knock-outs, and [reduce_network()] removes nodes that do not affect the nodes of interest.
#'
#' @section Reaction networks:
#' * [reaction_network()] creates a network from equations and rates; [read_network()] reads SBML and networks of BioNetGen.
#' * [`simulate()`][simulate.reaction_network] simulates ensembles exactly, and gives statistics, distributions or trajectories.
#' * [first_passage()], [sweep_parameters()], [compare_ensembles()] and [covariances()] answer further questions.
#' * [chemical_master_equation()] computes the exact distribution of a small network.
#'
#' @section Petri nets:
#' * [petri_net()] creates a coloured hybrid Petri net from equations; [petri_model()] gives example nets; [read_network()] reads
#'   ANDL, CANDL and Snoopy's files; [as_petri_net()] converts a reaction network.
#' * [`simulate()`][simulate.petri_net] simulates ensembles: counts change by firings, and levels by flows.
#' * [unfold()], [invariants()] and [reduce_network()] show what a net consists of, what it conserves, and what can be left out.
#'
#' @section To read:
#' * [choosing_p]: what the perturbation probability does, and how to choose it.
#' * [coming_from_boolnet]: BoolNet's functions, and their counterparts in fireflip.
#' * [verbs]: all functions that analyse or change a network.
#' * Two vignettes on Boolean networks, "First steps" and "Who drives complex2?"; three on reaction networks, "A first ensemble",
#'   "Choosing a method" and "Moving from GillespieSSA2 and adaptivetau"; and two on Petri nets, "A tissue from one cell" and
#'   "Counted or flowing: what changes". `browseVignettes("fireflip")` opens them if they are installed. `make install` and
#'   `make demo` install them if knitr, rmarkdown and pandoc are installed. Their text is in the folder `vignettes` of the
#'   sources.
#'
#' @section Options:
#' The following [options()] apply to the whole session. None of them changes a result.
#'
#' * `fireflip.threads`: number of threads, see [fireflip_threads()].
#' * `fireflip.backend`: the backend that `backend = "auto"` uses, `"cpu"` or `"cuda"`; see [backends()].
#' * `fireflip.devices`: numbers of the GPUs to use, from 0, for instance `c(0, 1)`; by default, all usable GPUs. See
#'   [backends()].
#' * `fireflip.kernel`: the CUDA code that simulates a synchronous Boolean network (`"generated"` or `"interpreter"`) or a
#'   reaction network (`"generated"` or `"generic"`); by default, it is chosen automatically. See [backends()].
#' * `fireflip.simd`: the widest vector instructions of the processor to use, `"portable"`, `"avx2"` or `"avx512"`; by default,
#'   the widest that the processor has.
#' * `fireflip.cuda_library`: path of a CUDA backend to use instead of the installed one. See [backends()].
#'
#' @examples
#' net <- example_model("cellcycle")
#' steady_state(net, "CycB & !Cdh1", seed = 1)
#'
#' @keywords internal
#' @useDynLib fireflip, .registration = TRUE
"_PACKAGE"

# ggplot2's pronoun for columns
utils::globalVariables(".data")

# Frees the object that an external pointer to the core holds, when R collects the pointer. R cannot remove a finalizer, and may
# call this one after the core was unloaded. In this case it does nothing. A finalizer in C would crash there, so there is none.
finalize_pointer <- function(pointer) if (core$loaded) suspendInterrupts(.Call(ffi_release, pointer))
core <- new.env(parent = emptyenv())
core$loaded <- TRUE

# First frees the objects that nothing refers to; estimates are freed before the backend on which they run. An object that is
# still referred to keeps its memory until the process ends. This happens if a handler of a running call unloads the package.
.onUnload <- function(libpath) {
  gc()
  rm(list = ls(opened), envir = opened)
  gc()
  core$loaded <- FALSE
  library.dynam.unload("fireflip", libpath)
}
