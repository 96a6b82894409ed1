# Threads, backends, layouts and seeds: what every long call shares.

#' Threads
#'
#' How many threads the long calls of this package use: their `threads` argument, else the option `fireflip.threads`, else the
#' environment variable `FIREFLIP_THREADS`, else the processors that this process may use. Answers do not depend on it.
#'
#' @returns One integer.
#' @export
#' @examples
#' fireflip_threads()
fireflip_threads <- function() resolve_threads(NULL)

resolve_threads <- function(threads) {
  if (!is.null(threads)) return(as.integer(check_count(threads, "threads", 1, 4096)))
  option <- getOption("fireflip.threads")
  if (!is.null(option)) return(as.integer(check_count(option, "options(fireflip.threads)", 1, 4096)))
  variable <- Sys.getenv("FIREFLIP_THREADS")
  if (nzchar(variable)) {
    number <- suppressWarnings(as.numeric(variable))
    if (is.na(number)) number <- variable
    return(as.integer(check_count(number, "FIREFLIP_THREADS", 1, 4096)))
  }
  .Call(ffi_machine)[[1L]]
}

# A seed is a whole number up to 2^53; without one it is drawn from the session's generator, so set.seed() governs.
resolve_seed <- function(seed) {
  if (is.null(seed)) return(as.double(sample.int(.Machine$integer.max, 1L)))
  check_count(seed, "seed", 0, 2^53)
  as.double(seed)
}

resolve_layout <- function(layout) match(check_choice(layout, "layout", layouts), layouts) - 1L
layouts <- c("auto", "sliced", "packed")

# The widest vectors the processor has; options(fireflip.simd =) narrows them, which changes no answer.
simd_names <- c("portable", "avx2", "avx512")
resolve_simd <- function() {
  option <- getOption("fireflip.simd", "auto")
  check_choice(option, "options(fireflip.simd)", c("auto", simd_names))
  if (option == "auto") 3L else match(option, simd_names) - 1L
}

# "auto" takes the processor; a backend that is not there is an error, never a silent change.
resolve_backend <- function(backend) {
  backend <- check_choice(backend, "backend", c("auto", "cpu", "cuda"))
  if (backend == "cuda") {
    abort("backend", "`backend` = \"cuda\": this build of fireflip has no CUDA backend (expected \"auto\" or \"cpu\").")
  }
  "cpu"
}
