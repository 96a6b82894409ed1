# Programs for Stochastic Simulation Processors.

#' Compile a reaction network for a Stochastic Simulation Processor
#'
#' `compile_ssp()` makes the program of a network: instructions for each reaction unit (RU), what is fetched from the memory, and
#' where everything lies. A program is the content of a file, so it can be written, read and checked.
#'
#' @param net A network of class `reaction_network` with elementary reactions: mass action with constant rates and no more than
#'   two reactant molecules. A reaction changes at most 8 species, by at most 127.
#' @param chip A processor of [ssp()].
#' @param optimise How reactions are distributed and ordered. `"paper"`: the paper's optimisations. The reactions of each
#'   reactant are dealt over the RUs; species that many reactions share come first, and the first ones stay in the scratchpads;
#'   reactions of the others follow the order in which these are fetched (Algorithm 1). `"none"`: random. `"locality"`, ours: the
#'   reactions of a reactant stay in one RU, next to those that it reacts with.
#' @param seed A whole number that determines the program of `"none"`. With `NULL`, it is drawn from R's generator. The others do
#'   not depend on it.
#' @param file The path of a file.
#' @param program,x,object A program.
#' @param row.names,optional As in [as.data.frame()]; ignored.
#' @param ... Must be empty; for `update()`, fields of the processor; for `plot()`, arguments of [graphics::barplot()].
#' @returns `compile_ssp()` and `read_ssp()`: a program of class `ssp_program`, a list with the elements `image` (a raw vector,
#'   the content of the file), `network` and `chip`. `write_ssp()`: the path, invisibly. `update()`: the program for another
#'   processor, compiled anew if instructions depend on the field. `as.data.frame()`: a data frame with a row for each RU and the
#'   columns `ru`, `instructions`, their kinds `uni` (a reaction of one molecule), `bi1` (of two molecules of the same species),
#'   `bi2` (half of a reaction of two species), `source` (no reactant) and `dummy` (evaluates nothing), how many are `local` and
#'   `streamed`, and how many species are `internal`, or `fetched` in a step by so many `requests`. `summary()`: the same as
#'   totals, with the balance of the RUs: the mean number of instructions of an RU, divided by the largest one.
#' @section The file: It is little endian. It has a checksum for each section, and a program is checked whenever it is used: each
#'   reaction is evaluated once a step, each species is where an instruction reads it, and so on. `read_ssp()` makes the network
#'   anew from what the program evaluates; rates have the
#'   program's precision, and `update()` does not bring lost digits back.
#' @section Speed: The compilation of 262,144 reactions takes less than a second.
#' @section Errors: `fireflip_error_unsupported` for reactions that are not elementary; the message names the first one.
#'   `fireflip_error_size` for more than 1,048,575 reactions or 1,048,576 species, an initial count above 2^32 - 1, a rate that 32
#'   bits cannot hold, or data that do not fit into the memory. `fireflip_error_parse` and `fireflip_error_model`
#'   for a file that is no program, or a broken one. `fireflip_error_file` if a file cannot be read or written.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [ssp()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
#' program <- compile_ssp(net, ssp(rus = 4), optimise = "paper")
#' summary(program)
#' as.data.frame(program)
#' file <- write_ssp(program, tempfile(fileext = ".ssp"))
#' identical(read_ssp(file)$image, program$image)
compile_ssp <- function(net, chip = ssp(), optimise = c("paper", "none", "locality"), seed = NULL) {
  if (missing(net) || !inherits(net, "reaction_network")) abort_class(net, "reaction_network", "net")
  check_parts(net)
  check_ssp(chip)
  optimise <- check_choice(optimise, "optimise", c("paper", "none", "locality"))
  if (!is.null(seed)) check_count(seed, "seed")
  seed <- if (optimise == "none") resolve_seed(seed) else 0 # the image notes it
  image <- .Call(ffi_ssp_compile, net, core_chip(chip), optimise, seed)
  new_program(image, net)
}

new_program <- function(image, network = NULL) {
  if (is.null(network)) network <- reactions_from_core(.Call(ffi_ssp_network, image))
  structure(
    list(image = image, network = network, chip = chip_of_core(.Call(ffi_ssp_describe, image)$chip)), class = "ssp_program"
  )
}

check_program <- function(x, name = "program") {
  if (missing(x) || !inherits(x, "ssp_program") || !is.raw(x$image)) {
    abort_value(name, "a program of class \"ssp_program\", as compile_ssp() and read_ssp() make it", x)
  }
  invisible(x)
}

#' @rdname compile_ssp
#' @exportS3Method stats::update ssp_program
update.ssp_program <- function(object, ...) {
  check_program(object, "object")
  chip <- new_ssp(unclass(object$chip), list(...))
  about <- .Call(ffi_ssp_describe, object$image)
  moved <- tryCatch(.Call(ffi_ssp_move, object$image, core_chip(chip)), fireflip_error_argument = function(e) NULL)
  if (is.null(moved)) return(compile_ssp(object$network, chip, about$optimise, about$seed))
  new_program(moved, object$network)
}

#' @rdname compile_ssp
#' @export
write_ssp <- function(program, file) {
  check_program(program)
  check_string(file, "file", "the path of a file, one string")
  path <- path.expand(file)
  fail <- function(why) abort("file", sprintf("cannot write %s: %s", describe(file), why))
  written <- tryCatch(
    {
      connection <- file(path, "wb")
      tryCatch(writeBin(program$image, connection), finally = close(connection))
      file.size(path)
    },
    error = function(e) fail(conditionMessage(e)), warning = function(w) fail(conditionMessage(w))
  )
  if (!identical(as.double(written), as.double(length(program$image)))) fail("the disk may be full")
  invisible(file)
}

#' @rdname compile_ssp
#' @export
read_ssp <- function(file) {
  check_string(file, "file", "the path of a file, one string")
  path <- path.expand(file)
  fail <- function(why) abort("file", sprintf("cannot read %s: %s", describe(file), why))
  if (!file.exists(path)) fail("there is no such file")
  if (dir.exists(path)) fail("it is a folder")
  image <- tryCatch(
    readBin(path, "raw", file.size(path)), error = function(e) fail(conditionMessage(e)),
    warning = function(w) fail(conditionMessage(w))
  )
  tryCatch(new_program(image), fireflip_error = function(e) {
    e$message <- sprintf("%s: %s", describe(file), conditionMessage(e))
    stop(e)
  })
}

#' @rdname compile_ssp
#' @export
as.data.frame.ssp_program <- function(x, row.names = NULL, optional = FALSE, ...) {
  units <- .Call(ffi_ssp_describe, x$image)$units
  data.frame(
    ru = seq_along(units$uni), instructions = units$local + units$streamed, units, row.names = NULL
  )
}

#' @rdname compile_ssp
#' @export
summary.ssp_program <- function(object, ...) {
  about <- .Call(ffi_ssp_describe, object$image)
  units <- as.data.frame(object)
  n <- units$instructions
  structure(
    list(
      chip = object$chip, optimise = about$optimise, reactions = length(about$reactions), species = length(about$species),
      instructions = sum(n), largest = max(n), balance = if (sum(n) > 0) mean(n) / max(n) else 1,
      local = sum(units$local), streamed = sum(units$streamed), dummies = sum(units$dummy), internal = sum(units$internal),
      fetched = sum(units$fetched), requests = sum(units$requests), bytes = length(object$image)
    ),
    class = "summary.ssp_program"
  )
}

#' @export
print.summary.ssp_program <- function(x, ...) {
  number <- function(n) format(n, big.mark = ",", scientific = FALSE)
  writeLines(c(
    sprintf("A program for a processor with %s.", format(x$chip)),
    sprintf("  network       %s reactions, %s species", number(x$reactions), number(x$species)),
    sprintf("  optimisation  %s", x$optimise),
    sprintf(
      "  instructions  %s a step, of them %s %s; at most %s in an RU (balance %.2f)", number(x$instructions),
      number(x$dummies), if (x$dummies == 1) "dummy" else "dummies", number(x$largest), x$balance
    ),
    sprintf("                %s in reaction memories, %s from the memory", number(x$local), number(x$streamed)),
    sprintf("  species       %s places in scratchpads for those that stay", number(x$internal)),
    sprintf("                %s fetched a step and SPE, by %s requests", number(x$fetched), number(x$requests)),
    sprintf("  file          %s bytes", number(x$bytes))
  ))
  invisible(x)
}

#' @export
format.ssp_program <- function(x, ...) {
  about <- .Call(ffi_ssp_describe, x$image)
  sprintf(
    "%s and %s for a processor with %s", count_of(length(about$reactions), "reaction"),
    if (length(about$species) == 1L) "1 species" else sprintf("%s species", format(length(about$species), big.mark = ",")),
    format(x$chip)
  )
}

#' @export
print.ssp_program <- function(x, ...) {
  writeLines(paste("SSP program:", format(x)))
  invisible(x)
}

#' @rdname compile_ssp
#' @param y Ignored.
#' @export
plot.ssp_program <- function(x, y, ...) {
  units <- as.data.frame(x)
  kinds <- c(uni = "one reactant", bi1 = "twice the same", bi2 = "two reactants", source = "source", dummy = "dummy")
  kinds <- kinds[colSums(units[names(kinds)]) > 0]
  colours <- grDevices::hcl.colors(max(3L, length(kinds)), "Viridis")[seq_along(kinds)]
  draw_stacks(list(
    height = t(as.matrix(units[names(kinds)])), names.arg = units$ru, col = colours, xlab = "RU", ylab = "instructions a step",
    legend.text = kinds
  ), ...)
  invisible(x)
}
