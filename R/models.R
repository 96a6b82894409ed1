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
#' @section Reaction networks:
#' * `"decay_dimerisation"` (Gillespie 2001): decay of S1, reversible dimerisation of S1 to S2, and conversion of S2 to S3. It
#'   starts with 1e5 molecules of S1.
#' * `"gene_expression"` (Shahrezaei and Swain 2008): a gene that is switched on and off at random, its mRNA and its protein. With
#'   our constants, per minute, the means in the long run are 25/6 and 1250/3.
#' * `"lotka_volterra"` (Gillespie 1977): predators and prey. Sooner or later, one of the two species dies out.
#' * `"multistate"`, `"viral_infection"`: as in [reaction_model()].
#' * `"repressilator_reactions"` (Elowitz and Leibler 2000): three genes that repress each other in a ring. The counts of proteins
#'   oscillate. The unit of time is a minute.
#' * `"schlogl"` (Schloegl 1972): one species with two stable counts, 85 and 567 in the deterministic limit.
#' * `"sir"` (Kermack and McKendrick 1927): an epidemic that begins with one infected person among 200. It may die out early.
#' * `"toggle_reactions"` (Gardner, Cantor and Collins 2000): two genes that repress each other. In the long run, one of the two
#'   proteins is rare. The unit of time is the mean lifetime of a protein.
#'
#'   `"toggle"` and `"repressilator"` are Boolean networks of the same circuits. The file of `"sir"` is SBML, and that of
#'   `"multistate"` is a network of BioNetGen. [reaction_model()] generates networks of any size.
#' @inherit pbn references
#' @section Errors: `fireflip_error_argument` for a name that is not in the list.
#' @export
#' @examples
#' example_models()
#' example_model("cellcycle")
#' example_model("gene_expression")
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
  if (row$class == "reaction_network") return(example_reactions(row, file))
  values <- named_numbers(row$initial)
  net <- read_network(file)
  inputs <- net$nodes[input_nodes(net)]
  net <- set_perturbation(net, row$perturbation, exempt = words(row$exempt))
  if ("inputs" %in% names(values)) {
    rest <- setdiff(inputs, names(values))
    values <- c(stats::setNames(rep(values[["inputs"]], length(rest)), rest), values[names(values) != "inputs"])
  }
  set_initial(net, values)
}

# A reaction network from a table of equations and rates, or from a file in one of the formats of read_network().
example_reactions <- function(row, file) {
  if (!endsWith(file, ".csv")) return(read_network(file))
  reaction_network(
    utils::read.csv(file, comment.char = "#"), initial = named_numbers(row$initial), parameters = named_numbers(row$parameters)
  )
}

# "a=1 b=2" -> c(a = 1, b = 2)
named_numbers <- function(text) {
  parts <- strsplit(words(text), "=", fixed = TRUE)
  stats::setNames(as.numeric(vapply(parts, `[[`, "", 2L)), vapply(parts, `[[`, "", 1L))
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
