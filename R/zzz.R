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
#' @section Options:
#' The following [options()] apply to the whole session. None of them changes a result.
#'
#' * `fireflip.threads`: number of threads, see [fireflip_threads()].
#' * `fireflip.backend`: the backend that `backend = "auto"` uses, `"cpu"` or `"cuda"`; see [backends()].
#' * `fireflip.devices`: numbers of the GPUs to use, from 0, for instance `c(0, 1)`; by default, all usable GPUs. See
#'   [backends()].
#' * `fireflip.kernel`: the CUDA code that simulates a synchronous network, `"generated"` or `"interpreter"`; by default, it is
#'   chosen automatically. See [backends()].
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

# Finalizer of external pointers to the core: frees the memory. R cannot unregister a finalizer, and may call it after the core
# was unloaded. In this case it must do nothing. It is an R function because a C function of the core would no longer exist.
finalize_pointer <- function(pointer) if (core$loaded) .Call(ffi_release, pointer)
core <- new.env(parent = emptyenv())
core$loaded <- TRUE

# Frees unreferenced objects first: estimates, then the backend that they use. Objects that are still referenced, for instance if
# a handler of a running call unloads the package, keep their memory until the process ends.
.onUnload <- function(libpath) {
  gc()
  rm(list = ls(opened), envir = opened)
  gc()
  core$loaded <- FALSE
  library.dynam.unload("fireflip", libpath)
}
