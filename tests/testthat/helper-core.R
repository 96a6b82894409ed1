# Every value of the network's predictor functions in one state, by R's own evaluation of their text: an independent reading
# of the grammar (without ^ and words for operators, which mean other things in R) to compare the core with.
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

# All columns of a result with what it says of its run, but for how long it took.
timeless <- function(x) {
  x <- as.data.frame(x, run = TRUE)
  x[setdiff(names(x), "seconds")]
}

# Its method, backend, layout, seed, burn-in, seconds, ...: a column of these.
of_run <- function(x, column) unique(as.data.frame(x, run = TRUE)[[column]])

skip_without_shared <- function(path) {
  shared <- Sys.getenv("FIREFLIP_SHARED")
  skip_if(!nzchar(shared), "FIREFLIP_SHARED is not set: third-party files are not compared with")
  full <- file.path(shared, path)
  skip_if(!file.exists(full), paste("there is no", path, "beside the checkout"))
  full
}

# Values of a truth table as the core gives it, for a predictor function's parents in one state.
table_value <- function(table, parents, state) {
  table[[1L + sum(state[parents] * 2^(rev(seq_along(parents)) - 1))]]
}
