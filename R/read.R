#' Networks from files
#'
#' `read_network()` tells the format by the file's content, not by its name, and returns the kind of model that the file
#' holds; the others expect their format. Files are text in UTF-8, with any kind of line end, and may be compressed by gzip,
#' bzip2 or xz.
#'
#' @param file Path of the file, or a connection, such as `url("https://...")`. One that is not open is opened, read and closed,
#'   as [read.table()] does.
#' @param format `"auto"` (the default), `"pbn"`, `"boolnet"`, `"bnet"`, `"sbml"` or `"rules"`.
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
#' @returns A network of class `pbn`, as [pbn()] makes them. Reaction networks (SBML without qual, BioNetGen's `.net`) are an
#'   error of class `fireflip_error_unsupported` that says what the file holds.
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
#' **Rules** (`"rules"`): a line a node, `name = function` or `name := function`; `#` starts a comment. Names without a line are
#' taken for inputs, as in BoolNet's formats.
#'
#' Predictor functions follow the grammar of [pbn()]. Names with blanks or signs are given in double quotes or backquotes.
#'
#' @section Errors: `fireflip_error_file` when the file cannot be read; `fireflip_error_parse` with the file, the line, what
#'   was found and what was expected; `fireflip_error_unsupported` for a model of another kind; `fireflip_error_model` for a
#'   network that contradicts itself;
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
#' @concept import
#' @concept SBML-qual
#' @concept load a network
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
read_network <- function(file, format = c("auto", "pbn", "boolnet", "bnet", "sbml", "rules"), perturbation = NULL, update = NULL,
                         exempt = NULL, initial = NULL) {
  source <- network_source(file)
  format <- check_choice(format, "format", c("auto", "pbn", "boolnet", "bnet", "sbml", "rules"))
  check_number(perturbation, "perturbation", 0, 1, open_max = TRUE, null = TRUE)
  if (!is.null(update)) check_update(update)
  if (format %in% c("auto", "sbml")) refuse_bionetgen(source)
  if (format == "rules" || (format == "auto" && is_rule_line(first_line(source)))) {
    source$text <- bnet_of_rules(source)
    format <- "bnet"
  }
  read <- .Call(ffi_read_network, source$name, format, source$text)
  model <- new_pbn(read$model)
  if (read$format %in% c("boolnet", "bnet")) tell_inputs(undeclared_inputs(model, source), model$nodes)
  if (!is.null(perturbation)) model$perturbation <- as.double(perturbation)
  if (!is.null(update)) model$update <- update
  if (!is.null(exempt)) model$exempt <- node_flags(model, exempt, "exempt")
  if (!is.null(initial)) model$initial <- node_values(model, initial, "initial", model$initial, random = TRUE)
  if (!is.null(perturbation) || !is.null(initial)) tell_perturbed_inputs(model)
  model
}

# ---- where the text comes from ----------------------------------------------------------------------------------------------

# list(name, text): the text as raw bytes where it comes from a connection or a compressed file, NULL where the core reads it.
network_source <- function(file) {
  expected <- "the path of a file, one string, or a connection"
  if (!missing(file) && inherits(file, "connection")) return(connection_source(file))
  check_string(file, "file", expected)
  if (is_compressed(file)) return(compressed_source(file))
  list(name = file)
}

# As R's own readers do: a connection that is not open is opened, read and closed; of one that is, the rest is read.
connection_source <- function(connection) {
  about <- tryCatch(summary(connection), error = function(e) {
    abort("file", sprintf("`file` is a connection that cannot be used: %s.", conditionMessage(e)))
  })
  if (about$opened != "opened") {
    path <- about$description
    if (inherits(connection, c("file", "gzfile", "bzfile", "xzfile")) && file.exists(path) && is_compressed(path)) {
      return(compressed_source(path))
    }
    on.exit(close(connection))
    tryCatch(open(connection, "rb"), error = function(e) cannot_read(about$description, e),
      warning = function(w) cannot_read(about$description, w))
    about <- summary(connection)
  }
  text <- if (about$text == "binary") all_bytes(connection, about$description) else {
    lines <- tryCatch(readLines(connection, warn = FALSE), error = function(e) cannot_read(about$description, e))
    charToRaw(paste0(enc2utf8(lines), "\n", collapse = ""))
  }
  if (starts_compressed(text)) text <- decompressed(text, about$description)
  list(name = about$description, text = text)
}

compressed_source <- function(path) {
  connection <- file(path, "rb", raw = TRUE) # R's other connections read a file that was cut off without a word
  on.exit(close(connection))
  list(name = path, text = decompressed(all_bytes(connection, path), path))
}

# What gzip, bzip2 or xz compressed. A text that was cut off is an error: half a network is another network.
decompressed <- function(bytes, name) {
  cut <- function(...) abort("file", sprintf("cannot read %s: its compressed data are cut off or damaged", name))
  tail <- as.integer(utils::tail(bytes, 4L))
  text <- tryCatch(switch(compression(bytes),
    gzip = {
      connection <- gzcon(rawConnection(bytes))
      on.exit(close(connection))
      all_bytes(connection, name)
    },
    bzip2 = memDecompress(bytes, "bzip2"),
    xz = if (identical(tail[3:4], c(0x59L, 0x5aL))) memDecompress(bytes, "xz") else cut()
  ), error = cut, warning = cut)
  # the last four bytes of gzip are the length of the text
  if (compression(bytes) == "gzip" && sum(tail * 256^(0:3)) != length(text) %% 2^32) cut()
  text
}

cannot_read <- function(name, condition) abort("file", sprintf("cannot read %s: %s", name, conditionMessage(condition)))

all_bytes <- function(connection, name) {
  parts <- list()
  repeat {
    refuse <- function(condition) cannot_read(name, condition)
    part <- tryCatch(readBin(connection, "raw", 2^20), error = refuse, warning = refuse)
    if (length(part) == 0L) return(if (length(parts) == 0L) raw() else do.call(c, parts))
    parts[[length(parts) + 1L]] <- part
  }
}

# A pipe has no size, and what is read of it is gone.
is_compressed <- function(file) {
  if (!isTRUE(file.size(file) > 0) || dir.exists(file)) return(FALSE)
  starts_compressed(tryCatch(readBin(file, "raw", 10L), error = function(e) raw(), warning = function(w) raw()))
}

# What compressed these bytes, by how they begin: "gzip", "bzip2", "xz", or "" for anything else.
compression <- function(bytes) {
  begins <- function(...) identical(as.integer(utils::head(bytes, ...length())), as.integer(c(...)))
  if (begins(0x1f, 0x8b)) return("gzip")
  if (begins(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00)) return("xz")
  level <- if (length(bytes) > 3L) bytes[[4L]] # "BZh", a digit, and the mark of a block
  if (!is.null(level) && begins(0x42, 0x5a, 0x68, level, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59)) "bzip2" else ""
}
starts_compressed <- function(bytes) nzchar(compression(bytes))

# The lines of the text, or the first `n`; none of a pipe, which cannot be read again, and of what is no text.
source_lines <- function(source, n = -1L) {
  if (is.null(source$text)) {
    if (!isTRUE(file.size(source$name) > 0) || dir.exists(source$name)) return(character())
    connection <- file(source$name, "rb", raw = TRUE)
    on.exit(close(connection))
    source$text <- tryCatch(all_bytes(connection, source$name), error = function(e) raw())
  }
  if (any(source$text == 0L)) return(character())
  text <- rawToChar(source$text)
  Encoding(text) <- "UTF-8"
  lines <- utils::head(strsplit(text, "\r\n|\n|\r", useBytes = TRUE)[[1L]], if (n < 0L) Inf else n)
  Encoding(lines) <- "UTF-8"
  if (!all(validUTF8(lines))) return(character()) # the core says where
  sub("^\ufeff", "", lines)
}

# The first line that is neither empty nor a comment; "" where there is none.
first_line <- function(source) {
  lines <- trimws(source_lines(source, 1000L))
  lines <- lines[nzchar(lines) & !startsWith(lines, "#") & !startsWith(lines, "//")]
  if (length(lines) == 0L) "" else lines[[1L]]
}

# ---- rules, a line each ------------------------------------------------------------------------------------------------------

rule_line <- "^[[:space:]]*(\"[^\"]*\"|`[^`]*`|[^,=:\"`#<]+?)[[:space:]]*:?=[[:space:]]*(.*)$"

# ASSA-PBN's files begin with some settings of this form.
is_rule_line <- function(line) {
  grepl(rule_line, line, perl = TRUE) &&
    !tolower(trimws(sub(rule_line, "\\1", line, perl = TRUE))) %in% c("type", "n", "perturbation", "removednodes")
}

# The same as .bnet, line by line, so that errors name the right one.
bnet_of_rules <- function(source) {
  lines <- source_lines(source)
  shown <- trimws(lines)
  rule <- nzchar(shown) & !startsWith(shown, "#")
  place <- function(i) sprintf("%s, line %d", source$name, i)
  bad <- which(rule & !grepl(rule_line, lines, perl = TRUE))
  if (length(bad) > 0L) {
    abort("parse", sprintf(
      "%s: found %s where a rule \"NAME = function\" was expected", place(bad[[1L]]), show_value(shown[[bad[[1L]]]])
    ))
  }
  if (!any(rule)) abort("parse", sprintf("%s: found no line \"NAME = function\" where at least one was expected", source$name))
  name <- sub(rule_line, "\\1", lines[rule], perl = TRUE)
  bare <- gsub("^[\"`]|[\"`]$", "", name)
  twice <- anyDuplicated(bare)
  if (twice > 0L) {
    abort("parse", sprintf(
      "%s: found a second rule of node \"%s\" (the first is on line %d) where one was expected; BoolNet's format has several",
      place(which(rule)[[twice]]), bare[[twice]], which(rule)[[match(bare[[twice]], bare)]]
    ))
  }
  name <- ifelse(tolower(name) == "targets", paste0("\"", name, "\""), name) # a .bnet may have this word in its header
  lines[rule] <- paste0(name, ", ", sub(rule_line, "\\2", lines[rule], perl = TRUE))
  charToRaw(enc2utf8(paste0(lines, "\n", collapse = "")))
}

# ---- other kinds of models ----------------------------------------------------------------------------------------------------

# BioNetGen's files begin with blocks of these names. SBML's reaction networks are told by the core.
refuse_bionetgen <- function(source) {
  blocks <- c("model", "parameters", "compartments", "molecule types", "(seed )?species", "observables", "functions", "reaction")
  block <- sprintf("^begin[[:space:]]+(%s)", paste(blocks, collapse = "|"))
  if (!grepl(block, first_line(source), ignore.case = TRUE)) return(invisible())
  lines <- tolower(gsub("[[:space:]]+", " ", trimws(sub("#.*", "", source_lines(source)))))
  count <- function(name) {
    from <- match(paste("begin", name), lines)
    to <- match(paste("end", name), lines)
    if (is.na(from) || is.na(to) || to < from) NA_integer_ else sum(nzchar(lines[seq_len(to - from - 1L) + from]))
  }
  reactions <- count("reactions")
  what <- if (is.na(reactions)) "a rule-based model (BioNetGen)" else {
    species <- count("species")
    sprintf("a reaction network (BioNetGen, %s%s)", if (is.na(species)) "" else sprintf("%s species and ", species),
      count_of(reactions, "reaction"))
  }
  abort("unsupported", sprintf("%s holds %s, which this version cannot read; it reads Boolean networks.", source$name, what))
}

# ---- names that are no nodes yet -----------------------------------------------------------------------------------------------

# The names that BoolNet's formats take for inputs because no line is theirs. The core puts them behind all others.
undeclared_inputs <- function(model, source) {
  last <- rev(seq_along(model$nodes))
  after <- last[cumprod(last %in% input_nodes(model)) == 1]
  if (length(after) == 0L) return(character())
  lines <- source_lines(source)
  if (length(lines) == 0L) return(character()) # a pipe cannot be read again
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
