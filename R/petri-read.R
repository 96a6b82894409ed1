# Petri nets from files, and to files.

petri_formats <- c("andl", "candl", "snoopy")

# Reads the net of a source, as network_source() gives it.
read_petri <- function(source, format, initial, constants, valueset) {
  constants <- check_named_numbers(constants, "constants")
  if (!is.null(valueset)) check_string(valueset, "valueset")
  found <- .Call(ffi_read_petri, source$name, format, source$text, constants, valueset)
  model <- petri_from_core(found$model)
  if (length(initial) > 0L) set_initial(model, initial) else model
}

petri_from_core <- function(columns) {
  pieces <- columns$pieces
  definitions <- columns$definitions[!is.na(columns$definitions)]
  if (length(columns$colours) == 0L) columns$colours <- list()
  out <- new_petri_net(
    data.frame(columns$places), data.frame(columns$transitions), data.frame(columns$markings), colours = columns$colours,
    sets = columns$sets, indices = columns$indices, functions = columns$functions, parameters = columns$parameters,
    variables = columns$variables, pieces = if (!is.null(pieces)) data.frame(pieces)
  )
  if (length(definitions) == 0L) return(out)
  out <- unclass(out)
  out$definitions <- list(text = definitions, values = out$parameters)
  structure(class = "petri_net", out)
}

# For each parameter, the formula by which the file defined it, as long as it and all constants that the formula names have the
# values that were read; NA for others, which are written as numbers.
written_definitions <- function(model) {
  read <- model$definitions
  now <- model$parameters
  out <- rep(NA_character_, length(now))
  kept <- function(names) all(names %in% names(now)) && identical(unname(now[names]), unname(read$values[names]))
  for (name in intersect(names(read$text), names(now))) {
    words <- regmatches(read$text[[name]], gregexpr("[[:alpha:]_][[:alnum:]_]*", read$text[[name]]))[[1L]]
    if (kept(c(name, intersect(words, names(read$values))))) out[match(name, names(now))] <- read$text[[name]]
  }
  out
}

#' @section Petri nets in files:
#' **ANDL and CANDL** (`"andl"`, `"candl"`): the texts of Charlie, MARCIE, Spike and Snoopy, without and with colours. Constants
#' become parameters, and observers variables. A constant that is a formula of others gets its value when the file is read;
#' [write_network()] writes the formula again, unless one of these values has been changed. A transition without a rate, as in
#' nets of the type `pn`, has the rate 1. In a coloured rate, a place without colours is the sum over those colours that the arcs
#' to the transition pick. If a rate has several conditions, the first that holds counts. A configuration of Spike (.spc) is not
#' read: the error tells the call of [`simulate()`][simulate.petri_net] that it means.
#'
#' **Snoopy's XML** (`"snoopy"`): files .spn, .cpn, .hpn, .colspn, .colcpn and .colhpn. They are only read, not written.
#'
#' **PNML** (`"pnml"`) is only written, by [write_network()], from the unfolded net. Its places, transitions and arcs are in the
#' grammar of 2009; kinds, rates and tests are in elements for tools, which other programs skip.
#' @rdname read_network
#' @export
read_andl <- function(file, initial = NULL, constants = NULL, valueset = NULL) {
  read_petri(network_source(file), "andl", initial, constants, valueset)
}

#' @section Petri nets: `"andl"` and `"candl"` are the texts of Spike and other programs. Whichever of the two is named, a net
#'   with colours is written as CANDL and one without as ANDL. `"pnml"` has the unfolded net, for other programs: it is not read
#'   here. For SBML, make a reaction network, if the net can be one: `write_sbml(as_reaction_network(net), file)`.
#' @rdname write_network
#' @export
write_network.petri_net <- function(model, file, format = c("auto", "andl", "candl", "pnml"), ...) {
  check_parts(model)
  check_no_more(...)
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "andl", "candl", "pnml"))
  if (format == "auto") {
    ending <- tolower(sub("^.*\\.", "", basename(file)))
    if (!ending %in% c("andl", "candl", "pnml")) {
      abort_argument(sprintf(
        "`file` must end in .andl, .candl or .pnml where `format` is \"auto\"; found %s.%s", describe(file),
        if (ending %in% c("xml", "sbml")) " write_sbml(as_reaction_network(net), file) writes SBML." else ""
      ))
    }
    format <- ending
  }
  if (format == "pnml") {
    write_text(.Call(ffi_petri_pnml, model), file)
  } else {
    if (!is.null(model$definitions)) {
      class <- class(model)
      model <- structure(class = class, c(unclass(model), list(written_as = written_definitions(model))))
    }
    .Call(ffi_write_petri, model, file, format)
  }
  invisible(file)
}

#' @rdname write_network
#' @export
write_andl <- function(model, file) write_network(model, file, "andl")

# Writes a text of the core, completely or not at all.
write_text <- function(text, file) {
  part <- tempfile(paste0(basename(file), "."), dirname(path.expand(file)))
  on.exit(unlink(part))
  failed <- function(e) abort("file", sprintf("cannot write %s: %s", file, conditionMessage(e)))
  tryCatch(
    {
      connection <- file(part, "wb")
      tryCatch(writeBin(charToRaw(text), connection), finally = close(connection))
      if (!file.rename(part, path.expand(file))) stop("the file cannot be renamed")
    },
    error = failed, warning = failed
  )
}
