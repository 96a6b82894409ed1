# The values of all predictor functions of a network in one state, computed by R's own evaluation of their text. This is an
# independent implementation of the grammar, except for ^ and for operators written as words, which R reads differently.
evaluate_rules <- function(model, state) {
  values <- as.list(stats::setNames(as.logical(state), model$nodes))
  values[["truth table"]] <- function(rows, ...) {
    row <- 1 + sum(c(...) * 2^(rev(seq_len(...length())) - 1))
    substr(rows, row, row) == "1"
  }
  text <- gsub("\\bf\\(([^()]*)\\)\\{([01]+)\\}", "`truth table`(\"\\2\", \\1)", model$rules$predictor)
  text <- gsub("\\(\"([01]+)\", \\)", "(\"\\1\")", text)
  vapply(text, function(one) as.integer(as.logical(eval(parse(text = one)[[1L]], values))), 0L, USE.NAMES = FALSE)
}

# All 0/1 rows over n nodes.
all_states <- function(n) unname(as.matrix(expand.grid(rep(list(0:1), n))))

# All columns of a result, including those that describe the run, except for its time.
timeless <- function(x) {
  x <- as.data.frame(x, run = TRUE)
  x[setdiff(names(x), "seconds")]
}

# A column that describes the run: method, backend, layout, seed, burn_in, seconds, ...
of_run <- function(x, column) unique(as.data.frame(x, run = TRUE)[[column]])

skip_without_shared <- function(path) {
  shared <- Sys.getenv("FIREFLIP_SHARED")
  skip_if(!nzchar(shared), "FIREFLIP_SHARED is not set: third-party files are not read")
  full <- file.path(shared, path)
  skip_if(!file.exists(full), paste("there is no", path, "beside the checkout"))
  full
}

# The value of a truth table of the core, for the values of the parents in one state.
table_value <- function(table, parents, state) {
  table[[1L + sum(state[parents] * 2^(rev(seq_along(parents)) - 1))]]
}
