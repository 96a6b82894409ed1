#' A random network
#'
#' Generates a probabilistic Boolean network with the method of ASSA-PBN's generator, which was used for the benchmark networks of
#' Mizera, Pang and Yuan (2019). The number of predictor functions of each node and the number of parents of each function are
#' uniform in the given ranges. The parents of a function are distinct and chosen uniformly among all nodes. The entries of truth
#' tables are 0 or 1 with equal probability; a table that is constant is drawn again. Selection probabilities are uniform random
#' numbers divided by their sum.
#'
#' A function with more than 16 parents has no truth table. It is a chain of parents, each of which is negated or not, and joined
#' by `&` or `|`, at random. The cost is proportional to the number of predictor functions times the length of their tables, which
#' is 2 to the power of the number of parents. A sparse network of 100,000 nodes takes seconds.
#'
#' @param nodes Number of nodes. They are named x1, x2, and so on.
#' @param functions,parents Minimum and maximum number of predictor functions per node, and of parents per function. A single
#'   number is both. No function gets more parents than there are nodes.
#' @param perturbation The perturbation probability p, at least 0 and below 1. Default 0.001.
#' @param seed A whole number that determines the network; the state of R's generator is then unchanged. With `NULL` (the
#'   default), random numbers are drawn from R's generator, so that `set.seed()` determines the network.
#' @param update `"synchronous"` or `"asynchronous"`.
#' @param contexts Number of contexts of a dependent network. With 0 (the default), the network is independent.
#' @returns A network of class `pbn`.
#' @inherit pbn references
#' @concept NK network
#' @concept random Boolean network
#' @export
#' @examples
#' net <- random_pbn(20, functions = c(1, 3), parents = c(1, 3), seed = 1)
#' summary(net)
random_pbn <- function(nodes, functions = c(1, 3), parents = c(1, 3), perturbation = 0.001, seed = NULL,
                       update = c("synchronous", "asynchronous"), contexts = 0) {
  check_count(nodes, "nodes", 1, 2^28 - 1)
  functions <- check_range(functions, "functions", 1)
  parents <- check_range(parents, "parents", 0)
  check_number(perturbation, "perturbation", 0, 1, open_max = TRUE)
  check_count(seed, "seed", -.Machine$integer.max, .Machine$integer.max, null = TRUE)
  update <- check_choice(update, "update", c("synchronous", "asynchronous"))
  check_count(contexts, "contexts", 0, 1e6)
  if (!is.null(seed)) {
    restore <- keep_rng()
    on.exit(restore())
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  }

  count <- draw_range(nodes, functions)
  node <- rep(seq_len(nodes), count)
  n_parents <- pmin(draw_range(length(node), parents), nodes)
  predictor <- character(length(node))
  for (k in sort(unique(n_parents))) {
    at <- which(n_parents == k)
    predictor[at] <- random_predictors(length(at), k, nodes)
  }
  weight <- stats::runif(length(node))
  probability <- weight / rowsum(weight, node, reorder = FALSE)[node, 1L]
  model <- new_pbn(list(
    nodes = paste0("x", format(seq_len(nodes), trim = TRUE, scientific = FALSE)),
    rules = data.frame(node = node, predictor = predictor, probability = unname(probability)),
    perturbation = as.double(perturbation),
    exempt = logical(nodes),
    initial = rep(NA_integer_, nodes),
    update = update,
    contexts = NULL,
    removed = c(nodes = 0L, perturbed = 0L)
  ))
  if (contexts > 0) {
    weight <- stats::runif(contexts)
    chosen <- floor(stats::runif(contexts * nodes) * rep(count, each = contexts)) + 1
    model$contexts <- list(
      probability = weight / sum(weight), predictor = matrix(as.integer(chosen), contexts, nodes)
    )
    model$rules$probability <- rep(1, length(node))
  }
  validate_pbn(model)
}

check_range <- function(x, name, least) {
  expected <- sprintf("one or two whole numbers of at least %d, the smallest first", least)
  if (!is.numeric(x) || !length(x) %in% 1:2 || anyNA(x) || any(x != floor(x)) || any(x < least) || any(x > 2^28)) {
    abort_value(name, expected, x)
  }
  if (length(x) == 2L && x[[1L]] > x[[2L]]) {
    abort_argument(sprintf("`%s` must be %s; found %s, %s.", name, expected, format(x[[1L]]), format(x[[2L]])))
  }
  range(x)
}

draw_range <- function(n, range) as.integer(floor(stats::runif(n) * (range[[2L]] - range[[1L]] + 1)) + range[[1L]])

# Returns a function that restores the current state of R's generator.
keep_rng <- function() {
  kind <- RNGkind()
  seed <- get0(".Random.seed", globalenv(), inherits = FALSE)
  function() {
    RNGkind(kind[[1L]], kind[[2L]], kind[[3L]])
    if (is.null(seed)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", seed, envir = globalenv())
  }
}

# n predictor functions with k parents each, as text.
random_predictors <- function(n, k, nodes) {
  if (k == 0L) return(as.character(as.integer(stats::runif(n) < 0.5)))
  from <- random_parents(n, k, nodes)
  names <- matrix(paste0("x", format(c(from), trim = TRUE, scientific = FALSE)), n, k)
  if (k > 16L) return(random_chains(names))
  paste0("f(", do.call(paste, c(as.data.frame(names), sep = ", ")), "){", random_tables(n, 2^k), "}")
}

# An n x k matrix with distinct nodes in each row. Where repeated nodes are rare, rows that have them are drawn again.
random_parents <- function(n, k, nodes) {
  if (k * k > nodes) {
    return(t(matrix(vapply(seq_len(n), function(i) sample.int(nodes, k), integer(k)), k, n)))
  }
  from <- matrix(sample.int(nodes, n * k, replace = TRUE), n, k)
  if (k == 1L) return(from)
  redo <- seq_len(n)
  while (length(redo) > 0L) {
    redo <- redo[apply(from[redo, , drop = FALSE], 1L, anyDuplicated) > 0L]
    from[redo, ] <- sample.int(nodes, length(redo) * k, replace = TRUE)
  }
  from
}

# n strings of `rows` random binary digits. Strings of equal digits are drawn again.
random_tables <- function(n, rows) {
  bits <- matrix(stats::runif(n * rows) < 0.5, rows, n)
  repeat {
    ones <- colSums(bits)
    redo <- which(ones == 0 | ones == rows)
    if (length(redo) == 0L) break
    bits[, redo] <- stats::runif(rows * length(redo)) < 0.5
  }
  text <- rawToChar(as.raw(48L + bits))
  substring(text, seq(1, by = rows, length.out = n), seq(rows, by = rows, length.out = n))
}

random_chains <- function(names) {
  n <- nrow(names)
  signs <- matrix(c("", "!")[1L + (stats::runif(length(names)) < 0.5)], n)
  joins <- matrix(c(" & ", " | ")[1L + (stats::runif(length(names)) < 0.5)], n)
  text <- paste0(signs[, 1L], names[, 1L])
  for (k in seq_len(ncol(names))[-1L]) {
    text <- paste0(signs[, k], names[, k], joins[, k], if (k < ncol(names)) "(", text, if (k < ncol(names)) ")")
  }
  text
}
