#' @keywords internal
#' @useDynLib fireflip, .registration = TRUE
"_PACKAGE"

.onUnload <- function(libpath) {
  library.dynam.unload("fireflip", libpath)
}
