test_that("the list names networks that can be read", {
  models <- example_models()
  expect_named(models, c("name", "class", "nodes", "functions", "perturbation", "title", "source"))
  text <- utils::capture.output(print(models))
  expect_length(text, nrow(models) + 2L)
  expect_lte(max(nchar(text)), getOption("width"))
  expect_match(text[[2L]], "^apoptosis +95 +106 +Apoptosis")
  expect_output(print(models[c("name", "source")]), "Mizera")
  expect_false(anyDuplicated(models$name) > 0L)
  for (i in seq_len(nrow(models))) expect_s3_class(example_model(models$name[[i]]), models$class[[i]], exact = TRUE)
  expect_setequal(
    list.files(system.file("models", package = "fireflip")),
    c("models.csv", read.csv(system.file("models", "models.csv", package = "fireflip"))$file)
  )
})

test_that("apoptosis is set up as in the paper", {
  net <- example_model("apoptosis")
  s <- summary(net)
  expect_equal(s$nodes, 95)
  expect_equal(s$functions, 106)
  expect_equal(round(s$density, 2), 1.61)
  expect_identical(s$cycles, 20L)
  expect_identical(net$perturbation, 0.001)
  expect_setequal(s$exempt, s$inputs)
  expect_length(s$inputs, 10L)
  start <- stats::setNames(net$initial, net$nodes)
  expect_identical(start[["TNF"]], 1L)
  expect_identical(start[["UV"]], 1L)
  expect_true(all(start[setdiff(s$inputs, c("TNF", "UV"))] == 0L))
  expect_true(all(is.na(start[setdiff(net$nodes, s$inputs)])))
})

test_that("example1 has the structure of the paper's Example 1", {
  net <- example_model("example1")
  graph <- .Call(ffi_pbn_graph, net)
  expect_identical(graph$size, rep(2L, 4L))
  expect_length(summary(net)$leaves, 0L)
})

test_that("shmulevich3 has the published truth tables", {
  tables <- vapply(.Call(ffi_pbn_tables, example_model("shmulevich3")), paste, "", collapse = "")
  expect_identical(tables[-1L], c("01100111", "01101101", "00010111", "00000001"))
  # the first function does not depend on x1: 01110111 over x1, x2, x3 is 0111 over x2, x3
  expect_identical(tables[[1L]], "0111")
})

# The synchronous steady states of a deterministic network, found by trying all states of its free nodes.
steady_states <- function(net, held = integer()) {
  tables <- .Call(ffi_pbn_tables, net)
  parents <- .Call(ffi_pbn_parents, net)
  n <- length(net$nodes)
  free <- setdiff(seq_len(n), held)
  states <- matrix(0, 2^length(free), n)
  states[, free] <- all_states(length(free))
  same <- rep(TRUE, nrow(states))
  for (j in seq_len(n)) {
    row <- 1 + as.vector(states[, parents[[j]], drop = FALSE] %*% 2^(length(parents[[j]]) - seq_along(parents[[j]])))
    same <- same & tables[[j]][row] == states[, j]
  }
  states[same, , drop = FALSE]
}

test_that("the yeast cell cycle has its seven steady states", {
  expect_identical(nrow(steady_states(example_model("yeast"))), 7L)
})

test_that("the mammalian cell cycle rests without CycD and never with it", {
  net <- example_model("cellcycle")
  states <- steady_states(net)
  expect_identical(net$nodes[states[1, ] == 1], c("Rb", "p27", "Cdh1"))
  expect_identical(nrow(states), 1L)
})

test_that("T-helper cells have the three published fates", {
  net <- example_model("thelper")
  # without stimulus, these nodes stay off, and the others can change
  off <- match(c("IFNb", "IL12", "IL18", "TCR", "IFNbR", "IL12R", "IL18R", "IRAK", "NFAT", "STAT4"), net$nodes)
  states <- steady_states(net, off)
  fates <- lapply(seq_len(nrow(states)), function(i) sort(net$nodes[states[i, ] == 1]))
  expect_setequal(fates, list(
    character(), c("IFNg", "IFNgR", "SOCS1", "Tbet"), sort(c("GATA3", "IL10", "IL10R", "IL4", "IL4R", "STAT3", "STAT6"))
  ))
})
