#' @section Start here:
#' * [pbn()] writes a network down; [read_network()] reads one from a file; [example_model()] has some to try.
#' * [steady_state()] says how probable sets of states are in the long run.
#' * [long_run_influence()] says which parents decide about a node.
#' * [long_run_sensitivity()] says what a change of the network would change.
#' * [influence_analysis()] gives probabilities and influences in one call.
#'
#' Each gives a data frame that can be printed, plotted and summarised ([result-methods]). [node_activity()] is
#' [steady_state()] of every node, [fix_nodes()] makes knock-outs, and [reduce_network()] tells which nodes matter.
#'
#' @section To read:
#' * [choosing_p]: what the perturbation probability does, and how to choose it.
#' * [coming_from_boolnet]: BoolNet's functions, and what to use here.
#' * [verbs]: everything that can be asked of a network.
#' * Two vignettes, "First steps" and "Who drives complex2?". `browseVignettes("fireflip")` opens them where they are installed:
#'   `make install` and `make demo` make them where knitr, rmarkdown and pandoc are there. Their text is in the folder
#'   `vignettes` of the sources.
#'
#' @section Options:
#' Set by [options()], for the session. None of them changes an answer.
#'
#' * `fireflip.threads`: how many threads to use; see [fireflip_threads()].
#' * `fireflip.backend`: what `backend = "auto"` stands for, `"cpu"` or `"cuda"`; see [backends()], also for the next two and
#'   the last.
#' * `fireflip.devices`: numbers of the GPUs to use, from 0, as in `c(0, 1)`; all that are usable where not set.
#' * `fireflip.kernel`: the CUDA code that runs a synchronous network, `"generated"` or `"interpreter"`; the one that fits
#'   where not set.
#' * `fireflip.simd`: the widest vectors of the processor to use, `"portable"`, `"avx2"` or `"avx512"`; all it has where not
#'   set.
#' * `fireflip.cuda_library`: path of a CUDA backend to use instead of the installed one.
#'
#' @examples
#' net <- example_model("cellcycle")
#' steady_state(net, "CycB & !Cdh1", seed = 1)
#'
#' @keywords internal
#' @useDynLib fireflip, .registration = TRUE
"_PACKAGE"

# ggplot2's pronoun for columns, known to its own evaluation
utils::globalVariables(".data")

# Frees what an external pointer to the core holds, once R collects it. R has no way to take a finalizer back, and may call this
# one after the core was unloaded: then it does nothing. A function of the core could not ask, so none of them is a finalizer.
finalize_pointer <- function(pointer) if (core$loaded) suspendInterrupts(.Call(ffi_release, pointer))
core <- new.env(parent = emptyenv())
core$loaded <- TRUE

# What nobody refers to is freed first, and here estimates before the backend that they run on. What somebody still refers to, as where a
# handler of a running call unloads the package, keeps its memory until the process ends.
.onUnload <- function(libpath) {
  gc()
  rm(list = ls(opened), envir = opened)
  gc()
  core$loaded <- FALSE
  library.dynam.unload("fireflip", libpath)
}
