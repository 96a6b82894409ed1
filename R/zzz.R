#' @keywords internal
#' @useDynLib fireflip, .registration = TRUE
"_PACKAGE"

# ggplot2's pronoun for columns, known to its own evaluation
utils::globalVariables(".data")

.onUnload <- function(libpath) {
  library.dynam.unload("fireflip", libpath)
}
