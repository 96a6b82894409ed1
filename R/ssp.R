# Stochastic Simulation Processors: their parameters.

#' A processor for stochastic simulation
#'
#' The parameters of a Stochastic Simulation Processor (Park and Gerstlauer): a processor that exists on paper. It simulates
#' reaction networks by the first reaction method. Each of its stochastic processing elements (SPE) simulates a trajectory; the
#' reaction units (RU) of an SPE share the reactions of a step. [compile_ssp()] compiles a network for it.
#'
#' @param spes,rus The number of SPEs, and of RUs of each SPE; from 1 to 1,024. The paper has up to 128 of one kind.
#' @param precision Of propensities and waiting times: `"single"` (32 bits) or `"double"` (64 bits). Instructions for `"double"`
#'   are two words long, so half as many fit into a memory.
#' @param memory The memory part, such as `"DDR3-1600 1Gb x4"`, the default; see section Memory.
#' @param ... Further fields, by name; see section Fields. In `update()`, any field.
#' @param object,x A processor.
#' @param row.names,optional As in [as.data.frame()]; ignored.
#' @returns `ssp()` and `update()`: a processor of class `ssp`, a list with an element for each field. `as.data.frame()`: a data
#'   frame with the columns `field`, `value` (a text), `unit`, `source` (`"paper"`: the default is in the paper; `"derived"`: it
#'   follows from the paper by arithmetic; `"ours"`: the paper does not say, and we have chosen it; `"changed"`: it is not the
#'   default, which is never said of `spes`, `rus` and `precision`) and `meaning`. `print()` shows all but `meaning`.
#' @section Fields: All are whole numbers, but for `precision` and `memory`. `as.data.frame(ssp())` is the list with units and
#'   defaults. The paper's Table III has most of them. Some that matter: `internal` and `cached`, the entries of a scratchpad for
#'   species that stay and for those that pass by; `reaction_memory`, in bytes; `channels`, `reaction_channels` (by default half
#'   of the channels), `ranks`; `per_request`, how many populations a request of the memory delivers; `grants`, how many requests
#'   the memory interface grants in a memory cycle, or 0 for one for each channel; `logarithm`, 0, or the number k of bits by
#'   which a table of logarithms is indexed. The shortest of many waiting times comes from a random number near 1, where such a
#'   table has steps of 2^-(k + 1). With 2^k equal reactions, a step takes 2% too long, and the reaction with the lowest number
#'   fires 27% too often. For errors of 1%, k must be log2(M) + 0.5 and log2(M) + 4.6 for M reactions. `species_memory` is 0, no
#'   limit, as Table II of the paper assumes; Table III has 4,096 bytes. The latency is the same for both precisions.
#' @section Memory: `"DDR3-1600 1Gb x4"`, `"DDR3-1333 2Gb x8"`, `"DDR3-1600 4Gb x8"`, `"DDR4-2400 8Gb x8"` and
#'   `"HBM2-2000 8Gb x128"`. The first one is that of the paper's simulations. If `ranks` is not given, it is at most what the
#'   part allows: a channel of HBM2 has one rank.
#' @section Errors: `fireflip_error_argument` for an unknown field, a value out of its domain, or fields that contradict each
#'   other. The message names the field, what was found and what is allowed.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [compile_ssp()]
#' @export
#' @examples
#' chip <- ssp(rus = 8)
#' chip
#' update(chip, channels = 4, reaction_channels = 2)
ssp <- function(spes = 1, rus = 1, precision = c("single", "double"), memory = "DDR3-1600 1Gb x4", ...) {
  precision <- check_choice(precision, "precision", c("single", "double"), c(float = "single", "32" = "single", "64" = "double"))
  fields <- .Call(ffi_ssp_fields)
  values <- c(as.list(stats::setNames(fields$value, fields$name)), memory = memory)
  values$precision <- precision
  new_ssp(values, list(spes = spes, rus = rus, memory = memory, ...))
}

# A processor with these values of fields in place of those of `chip`.
new_ssp <- function(chip, given) {
  known <- names(chip)
  fields <- .Call(ffi_ssp_fields)
  check_field_names(given, "ssp(rus = 8, channels = 4)")
  for (name in names(given)) {
    if (!name %in% known) {
      near <- closest_name(name, known)
      abort_argument(sprintf(
        "A processor has no field `%s`%s", name,
        if (name %in% c("optimise", "seed")) {
          "; it is an argument of compile_ssp()."
        } else if (is.null(near)) {
          "; as.data.frame(ssp()) lists its fields."
        } else {
          sprintf("; did you mean `%s`?", near)
        }
      ))
    }
    chip[[name]] <- switch(name,
      precision = check_choice(given[[name]], name, c("single", "double")),
      memory = check_choice(given[[name]], name, fields$memory),
      check_count(given[[name]], name, fields$least[fields$name == name], fields$most[fields$name == name])
    )
  }
  if ("channels" %in% names(given) && !"reaction_channels" %in% names(given)) {
    chip$reaction_channels <- max(1, chip$channels %/% 2) # half of them, as by default
  }
  if ("memory" %in% names(given) && !"ranks" %in% names(given)) {
    chip$ranks <- min(chip$ranks, fields$ranks[fields$memory == chip$memory])
  }
  .Call(ffi_ssp_chip_check, core_chip(chip))
  structure(chip, class = "ssp")
}

check_field_names <- function(given, example) {
  names <- names(given)
  if (length(given) > 0L && (is.null(names) || !all(nzchar(names)))) {
    abort_argument(sprintf("Fields of a processor are given by name, such as %s.", example))
  }
  if (anyDuplicated(names)) abort_argument(sprintf("The field `%s` is given twice.", names[[anyDuplicated(names)]]))
  invisible()
}

# A processor as the core knows it: its precision is a number of bits.
core_chip <- function(chip) {
  chip <- unclass(chip)
  chip$precision <- c(single = 32, double = 64)[[check_choice(chip$precision, "precision", c("single", "double"))]]
  chip
}

# The processor of a list that the core gives.
chip_of_core <- function(chip) {
  chip$precision <- if (chip$precision == 64) "double" else "single"
  structure(chip, class = "ssp")
}

check_ssp <- function(x, name = "chip") {
  if (missing(x) || !inherits(x, "ssp")) abort_value(name, "a processor of class \"ssp\", as ssp() makes it", x)
  invisible(x)
}

#' @rdname ssp
#' @exportS3Method stats::update ssp
update.ssp <- function(object, ...) new_ssp(unclass(object), list(...))

#' @rdname ssp
#' @export
as.data.frame.ssp <- function(x, row.names = NULL, optional = FALSE, ...) {
  fields <- .Call(ffi_ssp_fields)
  default <- ssp()
  of <- function(chip) vapply(c(fields$name, "memory"), function(name) format(chip[[name]], scientific = FALSE), "")
  value <- of(x)
  given <- c("spes", "rus", "precision") # what a user chooses does not differ from the paper
  changed <- value != of(default) & !names(value) %in% given
  data.frame(
    field = names(value), value = unname(value), unit = c(fields$unit, ""),
    source = ifelse(changed, "changed", c(fields$source, "derived")), meaning = c(fields$meaning, "the part of the memory"),
    row.names = NULL
  )
}

#' @export
format.ssp <- function(x, ...) {
  each <- if (x$spes == 1) "" else " each"
  sprintf("%s with %s%s, %s precision", count_of(x$spes, "SPE"), count_of(x$rus, "RU"), each, x$precision)
}

#' @export
print.ssp <- function(x, ...) {
  check_ssp(x, "x")
  papers <- .Call(ffi_ssp_chip_check, core_chip(x))
  writeLines(c(paste0("Stochastic Simulation Processor: ", format(x)), if (!papers) beyond_paper))
  table <- as.data.frame(x)
  print(table[c("field", "value", "unit", "source")], row.names = FALSE, right = FALSE)
  invisible(x)
}

beyond_paper <- "Not of the paper's size: its processors have up to 128 RUs in all, and 8 channels."
