#' Networks from files
#'
#' `read_network()` tells the format by the file's content, not by its name; the others expect theirs. Files are text in
#' UTF-8, with any kind of line end.
#'
#' @param file Path of the file.
#' @param format `"auto"` (the default), `"pbn"`, `"boolnet"`, `"bnet"` or `"sbml"`.
#' @param perturbation The perturbation probability p, at least 0 and below 1. Only ASSA-PBN's format has a word for it; in
#'   the others it is 0. A value given here holds, whatever the file says; `NULL` (the default) leaves what the file says.
#' @param update `"synchronous"` (every node is updated at each step) or `"asynchronous"` (one node, chosen uniformly). Only
#'   ASSA-PBN's format has a word for it; the others are taken for synchronous. A value given here holds, whatever the file
#'   says; `NULL` (the default) leaves what the file says.
#' @param exempt Nodes that are never perturbed: names, numbers, or one flag a node; `character()` for none. The word
#'   `"inputs"` stands for all inputs, as in [pbn()]. `NULL` (the default) leaves what the file says.
#' @param initial Where trajectories start: a 0/1 vector named by nodes, or one value a node, `NA` for a random one. Nodes
#'   that it does not name keep what the file says. `NULL` (the default) leaves what the file says.
#'
#' @returns A network of class `pbn`, as [pbn()] makes them.
#'
#' @section Formats:
#' **ASSA-PBN** (`"pbn"`): lines `type=synchronous` (or `asynchronous`, also called `rog`), `n=`, `perturbation=`; blocks
#' `nodeNames` ... `endNodeNames`, `node NAME` ... `endNode` with lines `probability : function`, and `npNode` ...
#' `endNpNode`, nodes that are never perturbed. `//` starts a comment. Selection probabilities are normalised. What the
#' format has no words for is written in blocks of our own, at which another program stops rather than misread the network:
#' `initialValues` ... `endInitialValues` with lines `NAME = 1`, `contexts` ... `endContexts` with lines
#' `probability : 1 2 1` (for every node, in the order of `nodeNames`, the number of its function in that context), and
#' `removedNodes=36 34`, the nodes, and the perturbed ones among them, that [reduce_network()] took away. Every network can
#' be written in this format, and comes back as the same network, to the last bit of its probabilities; the texts of
#' predictor functions are written afresh, with quotes and parentheses only where they are needed.
#'
#' **BoolNet** (`"boolnet"`): a header `targets, factors` or `targets, factors, probabilities`, then lines
#' `name, function, probability`; `#` starts a comment. The probabilities of a node must sum to 1 within 1e-4, which is what
#' the package BoolNet asks for, and are normalised: three times 0.333333 is three times a third. A name that occurs in
#' functions only is taken for an input, which keeps its value, as BoolNet has it; a message of class
#' `fireflip_message_inputs` (with the names in its field `inputs`) says which names these are, since a misspelt name would
#' be one of them. Not supported, and an error: BoolNet's functions `maj()`, `sumgt()`, `sumlt()`, `sumis()`, `all()`,
#' `any()`, its predicates of time, `timeis()`, `timegt()` and `timelt()`, and its delays, `C[-2]`.
#'
#' **.bnet** (`"bnet"`): the same without probabilities, one line a node; the header may be missing.
#'
#' **SBML-qual** (`"sbml"`): level 3 with the package *qual*, by libsbml; every species has two levels.
#'
#' Predictor functions follow the grammar of [pbn()]. Names with blanks or signs are given in double quotes or backquotes.
#'
#' @section Errors: `fireflip_error_file` when the file cannot be read; `fireflip_error_parse` with the file, the line, what
#'   was found and what was expected; `fireflip_error_model` for a network that contradicts itself;
#'   `fireflip_error_argument`.
#' @references Mizera A, Pang J, Yuan Q (2016). ASSA-PBN 2.0: a software tool for probabilistic Boolean networks.
#'   *Computational Methods in Systems Biology*, LNCS 9859, 309-315.
#'
#' Muessel C, Hopfensitz M, Kestler HA (2010). BoolNet: an R package for generation, reconstruction and analysis of Boolean
#' networks. *Bioinformatics* 26(10), 1378-1380. \doi{10.1093/bioinformatics/btq124}
#'
#' Chaouiya C, et al. (2013). SBML qualitative models: a model representation format and infrastructure to foster
#' interactions between qualitative modelling formalisms and tools. *BMC Systems Biology* 7, 135.
#' \doi{10.1186/1752-0509-7-135}
#' @seealso [write_network()], [pbn()], [example_model()].
#' @export
#' @examples
#' file <- tempfile(fileext = ".txt")
#' writeLines(c(
#'   "targets, factors, probabilities",
#'   "A, B & !C, 0.7",
#'   "A, B, 0.3",
#'   "B, A | C, 1"
#' ), file)
#' read_network(file, perturbation = 0.001) # C is an input
#' read_boolnet(file, update = "asynchronous", initial = c(C = 1))
read_network <- function(file, format = c("auto", "pbn", "boolnet", "bnet", "sbml"), perturbation = NULL, update = NULL,
                         exempt = NULL, initial = NULL) {
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "pbn", "boolnet", "bnet", "sbml"))
  check_number(perturbation, "perturbation", 0, 1, open_max = TRUE, null = TRUE)
  if (!is.null(update)) check_update(update)
  read <- .Call(ffi_read_network, file, format)
  model <- new_pbn(read$model)
  if (read$format %in% c("boolnet", "bnet")) tell_inputs(undeclared_inputs(model, file), model$nodes)
  if (!is.null(perturbation)) model$perturbation <- as.double(perturbation)
  if (!is.null(update)) model$update <- update
  if (!is.null(exempt)) model$exempt <- node_flags(model, exempt, "exempt")
  if (!is.null(initial)) model$initial <- node_values(model, initial, "initial", model$initial, random = TRUE)
  if (!is.null(perturbation) || !is.null(initial)) tell_perturbed_inputs(model)
  model
}

# The names that BoolNet's formats take for inputs because no line is theirs. The core puts them behind all others.
undeclared_inputs <- function(model, file) {
  last <- rev(seq_along(model$nodes))
  after <- last[cumprod(last %in% input_nodes(model)) == 1]
  if (length(after) == 0L || !isTRUE(file.size(file) > 0)) return(character()) # a pipe cannot be read again
  lines <- sub("^\ufeff", "", readLines(file, warn = FALSE, encoding = "UTF-8"))
  field <- sub("^[[:space:]]*(\"[^\"]*\"|`[^`]*`|[^,#]*),.*$", "\\1", lines)
  setdiff(model$nodes[rev(after)], gsub("^[\"`]|[\"`]$", "", trimws(field)))
}

tell_inputs <- function(inputs, nodes) {
  if (length(inputs) == 0L) return(invisible())
  text <- if (length(inputs) == 1L) "1 name without a rule is taken for an input" else {
    sprintf("%s without a rule are taken for inputs", count_of(length(inputs), "name"))
  }
  text <- sprintf("%s: %s%s\n", text, quote_some(inputs), meant_instead(inputs, setdiff(nodes, inputs)))
  message(new_condition("inputs", "message", text, NULL, inputs = inputs))
}

# The first that looks misspelt. Names that differ in digits alone, x1 and x2, are meant to differ.
meant_instead <- function(inputs, known) {
  for (name in utils::head(inputs, 1000L)) {
    near <- closest_name(name, known)
    if (is.null(near) || gsub("[0-9]+", "", near) == gsub("[0-9]+", "", name)) next
    return(sprintf("; did you mean \"%s\"%s?", near, if (length(inputs) > 1L) sprintf(" by \"%s\"", name) else ""))
  }
  ""
}

#' @rdname read_network
#' @export
read_pbn <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "pbn", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_boolnet <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "boolnet", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_bnet <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "bnet", perturbation, update, exempt, initial)
}

#' @rdname read_network
#' @export
read_sbml <- function(file, perturbation = NULL, update = NULL, exempt = NULL, initial = NULL) {
  read_network(file, "sbml", perturbation, update, exempt, initial)
}

#' Networks to files
#'
#' The file appears whole or not at all: the text goes to a temporary file beside it, which then takes its place.
#'
#' @param model A network of class `pbn`.
#' @param file Path of the file.
#' @param format `"pbn"`, `"boolnet"`, `"bnet"` or `"sbml"`; see [read_network()] for what they are. `"auto"` (the default)
#'   goes by the ending of `file`: `.pbn`, `.boolnet` or `.txt`, `.bnet`, `.sbml` or `.xml`.
#' @param ... Further arguments of a method; that of `pbn` takes none.
#'
#' @returns `file`, invisibly.
#' @section What a format cannot say:
#' `"pbn"` says it all. `"boolnet"` has no contexts, `"bnet"` and `"sbml"` moreover have one predictor function a node: such
#' a network is an error there. Perturbation, asynchronous update, exempt nodes, what a reduction removed and, but for
#' `"sbml"`, initial values are left out of these three, with a warning of class `fireflip_warning_dropped`. Where a format
#' knows no truth table and no exclusive or, sums of products stand for them.
#' @section Errors: `fireflip_error_file` when the file cannot be written; `fireflip_error_model` when the format cannot say
#'   what the network is; `fireflip_error_argument`.
#' @seealso [read_network()]
#' @rdname write_network
#' @export
#' @examples
#' net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A ^ C", C = "C"), perturbation = 0.001)
#' file <- write_network(net, tempfile(fileext = ".pbn"))
#' cat(readLines(file), sep = "\n")
#' identical(read_network(file), net)
write_network.pbn <- function(model, file, format = c("auto", "pbn", "boolnet", "bnet", "sbml"), ...) {
  check_no_more(...)
  check_string(file, "file", "the path of a file, one string")
  format <- check_choice(format, "format", c("auto", "pbn", "boolnet", "bnet", "sbml"))
  if (format == "auto") format <- format_of_path(file)
  warn_dropped(.Call(ffi_write_network, model, file, format), format)
  invisible(file)
}

#' @rdname write_network
#' @export
write_pbn <- function(model, file) write_network(model, file, "pbn")

#' @rdname write_network
#' @export
write_boolnet <- function(model, file) write_network(model, file, "boolnet")

#' @rdname write_network
#' @export
write_bnet <- function(model, file) write_network(model, file, "bnet")

#' @rdname write_network
#' @export
write_sbml <- function(model, file) write_network(model, file, "sbml")

format_of_path <- function(file) {
  ending <- tolower(sub("^.*\\.", "", basename(file)))
  format <- c(
    pbn = "pbn", boolnet = "boolnet", txt = "boolnet", bnet = "bnet", sbml = "sbml", xml = "sbml"
  )[ending]
  if (is.na(format)) {
    abort_argument(sprintf(
      "`file` must end in .pbn, .boolnet, .txt, .bnet, .sbml or .xml where `format` is \"auto\"; found %s.", describe(file)
    ))
  }
  unname(format)
}

# `bits` is what the core says was lost: ff_lost in src/io/ff_io.h.
warn_dropped <- function(bits, format) {
  what <- c("the perturbation", "the asynchronous update", "the exempt nodes", "the initial values", "what a reduction removed")
  lost <- what[bitwAnd(bits, as.integer(2^(0:4))) != 0]
  if (length(lost) > 0L) {
    warn("dropped", sprintf(
      "The format \"%s\" has no word for %s: not written. The format \"pbn\" has.", format, paste(lost, collapse = ", ")
    ), lost = lost)
  }
}
