#' Networks from the literature
#'
#' `example_models()` lists the networks that are included in the package. `example_model()` reads one of them.
#'
#' @param name The network's name, from the column `name` of `example_models()`.
#' @returns `example_models()`: a data frame with the columns `name`, `nodes`, `functions` (the number of predictor functions),
#'   `perturbation`, `title` and `source`. Its class is `example_models`, whose `print()` omits `perturbation` and `source`.
#'   `example_model()`: a network of class `pbn`.
#'
#' @section The apoptosis network:
#' `example_model("apoptosis")` is prepared for the influence analysis in section 5.3 of Mizera, Pang and Yuan (2019). The
#' perturbation probability is 0.001. The ten inputs, whose only rule is their own value, are exempt from perturbation, so that
#' a stimulus stays constant. TNF and UV are initially on, and thus stay on; the other inputs are off. The rules of the inputs are
#' as published. To change the stimulus, use [set_initial()], for instance `set_initial(net, UV = 0)`. The predictor functions of
#' a node are equally likely, because the fitted selection probabilities of Trairatphisan et al. (2014) are not published with
#' the rules. Provenance and licence are given in the file itself,
#' `system.file("models", "apoptosis.boolnet", package = "fireflip")`.
#' @inherit pbn references
#' @section Errors: `fireflip_error_argument` for a name that is not in the list.
#' @export
#' @examples
#' example_models()
#' example_model("cellcycle")
example_models <- function() {
  index <- models_index()
  counts <- lapply(index$name, function(name) .Call(ffi_pbn_check, example_model(name)))
  out <- data.frame(
    name = index$name,
    nodes = vapply(counts, function(count) as.integer(count$nodes), 0L),
    functions = vapply(counts, function(count) as.integer(count$functions), 0L),
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
  net <- read_network(system.file("models", row$file, package = "fireflip", mustWork = TRUE))
  inputs <- net$nodes[input_nodes(net)]
  net <- set_perturbation(net, row$perturbation, exempt = words(row$exempt))
  values <- strsplit(words(row$initial), "=", fixed = TRUE)
  values <- stats::setNames(as.integer(vapply(values, `[[`, "", 2L)), vapply(values, `[[`, "", 1L))
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
