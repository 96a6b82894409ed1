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

# Reads a reaction network as a Petri net.
read_as_petri <- function(source, format, initial, continuous) {
  levels <- if (is.null(continuous)) character() else continuous
  if (!isTRUE(levels)) {
    if (!is.character(levels) || anyNA(levels)) abort_value("continuous", "names of species, or TRUE for all", continuous)
    levels <- unique(enc2utf8(levels))
  }
  given <- given_names(initial)
  read <- naming_initial(.Call(ffi_read_network, source$name, format, source$text, given, levels, FALSE, numeric(4)), initial)
  if (read$class == "petri_net") {
    if (!is.null(continuous)) refuse_continuous(source)
    return(read_petri(source, read$format, initial, NULL, NULL))
  }
  if (read$class == "pbn") abort("unsupported", sprintf("%s holds a Boolean network, which is no Petri net.", source$name))
  net <- reactions_from_core(read$model)
  if (isTRUE(levels)) levels <- net$species$species
  if (!all(net$species$species %in% levels)) warn_unit(read$unit, source$name, initial)
  check_known(levels, "continuous", net$species$species, "species")
  start <- net$species$initial
  net$species$initial[read$levels %in% TRUE | net$species$species %in% levels] <- 0 # fractions, and what events set, come later
  events <- net$events
  net$events <- NULL
  model <- petri_of_levels(net, read, levels)
  model$markings <- markings_of(net$species$species, start)
  model$events <- events
  warn_negative(counted_laws(read$negative, model), source$name)
  if (length(initial) > 0L) set_initial(model, initial) else validate_petri(model)
}

# The net of a reaction network with what the core found about its levels. Marks of write_network() tell what flows, unless the
# user names more levels.
petri_of_levels <- function(net, read, levels) {
  level <- net$species$species %in% levels
  if (is.null(read$levels)) return(as_petri_net(net, continuous = level))
  name <- net$reactions$name
  marked <- isTRUE(read$marked) && length(levels) == 0L
  model <- petri_of_reactions(net, level | read$levels, if (marked) name[read$flows], weighted_arrows(net, read$weights))
  own <- sprintf("%s: flows, %s", name, if (marked) "as asked for" else "because all that it changes is continuous")
  why <- sprintf("%s: flows, because %s", name, if (marked) "the file says so" else "it is a rate rule")
  at <- match(own[read$flows], model$choices)
  model$choices[at[!is.na(at)]] <- why[read$flows][!is.na(at)]
  model
}

# The arrows of a network with stoichiometries that are not whole.
weighted_arrows <- function(net, weights) {
  arrows <- .Call(ffi_reactions_arrows, net)
  key <- function(x) paste(x$reaction, x$species, x$role)
  at <- match(key(arrows), key(weights))
  arrows$count <- ifelse(is.na(at), arrows$count, weights$weight[at])
  arrows
}

refuse_continuous <- function(source) {
  abort_argument(sprintf(
    "`continuous` is for files of reaction networks; %s holds a Petri net, which has its own continuous places.", source$name
  ))
}

# Rates that may be negative, as warn_negative() takes them, without those of flows, which may.
counted_laws <- function(found, model) {
  if (is.null(found)) return(NULL)
  counted <- found$reactions %in% model$transitions$name[model$transitions$kind == "stochastic"]
  if (!any(counted)) return(NULL)
  if (!counted[[1L]]) found[c("species", "count", "value", "rate")] <- NULL # they are of the first one
  found$reactions <- found$reactions[counted]
  found
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
#' **ANDL and CANDL** (`"andl"`, `"candl"`): the text formats of Charlie, MARCIE, Spike and Snoopy, for nets without and with
#' colours. Constants become parameters, and observers become variables. A constant that is a formula of others gets its value
#' when the file is read. [write_network()] writes the formula again, unless one of these values has been changed. A transition
#' without a rate, as in nets of the type `pn`, has the rate 1. If a rate in a coloured net names a place without its colours, it
#' means the sum over the colours that the arcs to the transition name. If a rate has several conditions, the first one that holds
#' counts. A configuration of Spike (.spc) is not read: the error shows the call of [`simulate()`][simulate.petri_net] that does
#' the same.
#'
#' **Snoopy's XML** (`"snoopy"`): files .spn, .cpn, .hpn, .colspn, .colcpn and .colhpn. They are read, but not written.
#'
#' **PNML** (`"pnml"`): written by [write_network()], but not read. The file has the unfolded net. Its places, transitions and
#' arcs are in the grammar of 2009. Kinds, rates and tests are in elements for specific programs, which other programs skip.
#' @rdname read_network
#' @export
read_andl <- function(file, initial = NULL, constants = NULL, valueset = NULL) {
  read_petri(network_source(file), "andl", initial, constants, valueset)
}

#' @section Petri nets: `"andl"` and `"candl"` are the text formats of Spike and other programs. A net with colours is written as
#'   CANDL, and a net without colours as ANDL, whichever of the two is named. Neither has events, nor formulas of the time.
#'
#'   `"pnml"` has the unfolded net, for other programs. [read_network()] does not read it.
#'
#'   `"sbml"` has the unfolded net, too. Stochastic and continuous transitions are reactions. Annotations tell
#'   `read_sbml(file, as = "petri_net")` which of them flow and which places are continuous, so that the net is read back. Tests
#'   become piecewise rates, and colours become parts of names (`Ca_3_5`). Weights that are formulas of parameters become numbers.
#'   Other programs skip the annotations, take all reactions for the same kind, and let levels fall below 0. SBML cannot express
#'   immediate, deterministic and scheduled transitions, resets, and weights that change: these are a `fireflip_error_model`
#'   that names the transition.
#' @rdname write_network
#' @export
write_network.petri_net <- function(model, file, format = c("auto", "andl", "candl", "sbml", "pnml"), ...) {
  check_parts(model)
  check_no_more(...)
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "andl", "candl", "sbml", "pnml"), c(xml = "sbml"))
  if (format == "auto") {
    ending <- tolower(sub("^.*\\.", "", basename(file)))
    if (ending == "xml") ending <- "sbml"
    if (!ending %in% c("andl", "candl", "sbml", "pnml")) {
      abort_argument(sprintf(
        "`file` must end in .andl, .candl, .sbml, .xml or .pnml if `format` is \"auto\"; found %s.", describe(file)
      ))
    }
    format <- ending
  }
  switch(format,
    pnml = write_text(.Call(ffi_petri_pnml, model), file),
    sbml = .Call(ffi_petri_write_sbml, model, file),
    {
      if (!is.null(model$definitions)) {
        class <- class(model)
        model <- structure(class = class, c(unclass(model), list(written_as = written_definitions(model))))
      }
      .Call(ffi_write_petri, model, file, format)
    }
  )
  invisible(file)
}

#' @rdname write_network
#' @export
write_andl <- function(model, file) write_network(model, file, "andl")

# Writes a text of the core, completely or not at all.
write_text <- function(text, file) {
  force(text) # its errors are its own
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
