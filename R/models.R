#' Networks from the literature
#'
#' `example_models()` lists the networks that are included in the package. `example_model()` reads one of them.
#'
#' @param name The network's name, from the column `name` of `example_models()`.
#' @returns `example_models()`: a data frame with the columns `name`, `class` (`"pbn"` or `"reaction_network"`), `nodes`,
#'   `functions` (the number of predictor functions), `perturbation`, `title` and `source`. For a reaction network, `nodes` is the
#'   number of species, `functions` is the number of reactions, and `perturbation` is `NA`. Its class is `example_models`, whose
#'   `print()` omits `class`, `perturbation` and `source`. `example_model()`: a network of class `pbn` or `reaction_network`.
#'
#' @section The apoptosis network:
#' `example_model("apoptosis")` is prepared for the influence analysis in section 5.3 of Mizera, Pang and Yuan (2019). The
#' perturbation probability is 0.001. The ten inputs, whose only rule is their own value, are exempt from perturbation, so that
#' a stimulus stays constant. TNF and UV are initially on, and thus stay on; the other inputs are off. The rules of the inputs are
#' as published. To change the stimulus, use [set_initial()], for instance `set_initial(net, UV = 0)`. The predictor functions of
#' a node are equally likely, because the fitted selection probabilities of Trairatphisan et al. (2014) are not published with
#' the rules. Provenance and licence are given in the file itself,
#' `system.file("models", "apoptosis.boolnet", package = "fireflip")`.
#' @section The reaction network:
#' `example_model("decay_dimerisation")` is the network of Gillespie (2001) with decay of S1, reversible dimerisation of S1 to S2,
#' and conversion of S2 to S3. It starts with 1e5 molecules of S1. [reaction_model()] gives reaction networks of any size.
#' @inherit pbn references
#' @section Errors: `fireflip_error_argument` for a name that is not in the list.
#' @export
#' @examples
#' example_models()
#' example_model("cellcycle")
example_models <- function() {
  index <- models_index()
  counts <- vapply(index$name, function(name) {
    net <- example_model(name)
    if (inherits(net, "reaction_network")) return(c(nrow(net$species), nrow(net$reactions)))
    as.integer(unlist(.Call(ffi_pbn_check, net)[c("nodes", "functions")]))
  }, integer(2L), USE.NAMES = FALSE)
  out <- data.frame(
    name = index$name,
    class = index$class,
    nodes = counts[1L, ],
    functions = counts[2L, ],
    perturbation = index$perturbation,
    title = index$title,
    source = index$source
  )
  class(out) <- c("example_models", class(out))
  out
}

#' @export
print.example_models <- function(x, ...) {
  columns <- c("name", "nodes", "functions", "title")
  if (!all(columns %in% names(x))) { # columns were removed: print a data frame
    print(as.data.frame(x), ...)
    return(invisible(x))
  }
  lines <- sprintf(
    "%s  %s  %s  %s", format(c("name", x$name)), format(c("nodes", x$nodes), justify = "right"),
    format(c("functions", x$functions), justify = "right"), c("title", x$title)
  )
  long <- nchar(lines) > getOption("width")
  lines[long] <- paste0(substr(lines[long], 1L, getOption("width") - 3L), "...")
  writeLines(c(lines, "Sources and licences: see the column `source` and ?example_models"))
  invisible(x)
}

#' @rdname example_models
#' @export
example_model <- function(name) {
  index <- models_index()
  check_choice(name, "name", index$name)
  row <- index[match(name, index$name), ]
  file <- system.file("models", row$file, package = "fireflip", mustWork = TRUE)
  values <- strsplit(words(row$initial), "=", fixed = TRUE)
  values <- stats::setNames(as.numeric(vapply(values, `[[`, "", 2L)), vapply(values, `[[`, "", 1L))
  if (row$class == "reaction_network") return(reaction_network(utils::read.csv(file, comment.char = "#"), initial = values))
  net <- read_network(file)
  inputs <- net$nodes[input_nodes(net)]
  net <- set_perturbation(net, row$perturbation, exempt = words(row$exempt))
  if ("inputs" %in% names(values)) {
    rest <- setdiff(inputs, names(values))
    values <- c(stats::setNames(rep(values[["inputs"]], length(rest)), rest), values[names(values) != "inputs"])
  }
  set_initial(net, values)
}

models_index <- function() {
  utils::read.csv(
    system.file("models", "models.csv", package = "fireflip", mustWork = TRUE),
    colClasses = c(perturbation = "numeric"), na.strings = character(), encoding = "UTF-8"
  )
}

words <- function(x) {
  parts <- strsplit(trimws(x), "[[:space:]]+")[[1L]]
  parts[nzchar(parts)]
}
