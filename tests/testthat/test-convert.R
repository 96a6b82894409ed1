# The next state of a network, computed from the core's truth tables.
next_state <- function(net, state, chosen = rep(1L, length(net$nodes))) {
  first <- match(seq_along(net$nodes), net$rules$node)
  at <- first + chosen - 1L
  mapply(table_value, .Call(ffi_pbn_tables, net)[at], .Call(ffi_pbn_parents, net)[at], MoreArgs = list(state = state))
}

test_that("BoolNet steps a converted network to the same states", {
  skip_if_not_installed("BoolNet")
  for (name in c("cellcycle", "example1", "yeast")) {
    net <- set_perturbation(example_model(name), 0)
    expect_silent(other <- as_boolnet(net))
    expect_s3_class(other, "BooleanNetwork")
    set.seed(2)
    states <- matrix(sample(0:1, 60 * length(net$nodes), replace = TRUE), 60)
    for (i in seq_len(nrow(states))) {
      expect_equal(unname(BoolNet::stateTransition(other, states[i, ], type = "synchronous")), next_state(net, states[i, ]))
    }
  }
})

test_that("BoolNet steps a converted probabilistic network to the same states", {
  skip_if_not_installed("BoolNet")
  net <- set_perturbation(example_model("shmulevich3"), 0)
  other <- as_boolnet(net)
  expect_s3_class(other, "ProbabilisticBooleanNetwork")
  expect_equal(other$interactions$x1[[1]]$probability, 0.6)
  states <- all_states(3)
  choices <- as.matrix(expand.grid(1:2, 1L, 1:2))
  for (i in seq_len(nrow(states))) {
    for (j in seq_len(nrow(choices))) {
      expect_equal(
        unname(BoolNet::stateTransition(other, states[i, ], type = "probabilistic", chosenFunctions = choices[j, ])),
        next_state(net, states[i, ], choices[j, ])
      )
    }
  }
})

test_that("BoolNet's objects come back as the same functions", {
  skip_if_not_installed("BoolNet")
  for (name in c("shmulevich3", "cellcycle", "yeast")) {
    net <- set_perturbation(example_model(name), 0)
    back <- as_pbn(as_boolnet(net))
    expect_identical(back$nodes, net$nodes)
    expect_identical(back$rules$node, net$rules$node)
    expect_equal(back$rules$probability, net$rules$probability)
    expect_identical(.Call(ffi_pbn_tables, back), .Call(ffi_pbn_tables, net))
  }
  random <- random_pbn(12, functions = c(1, 3), parents = c(0, 4), perturbation = 0, seed = 4)
  back <- as_pbn(as_boolnet(random), perturbation = 0.001)
  states <- all_states(12)[seq(1, 4096, by = 37), ]
  for (i in seq_len(nrow(states))) expect_identical(next_state(back, states[i, ]), next_state(random, states[i, ]))
})

test_that("BoolNet's own networks convert", {
  skip_if_not_installed("BoolNet")
  data <- new.env()
  utils::data("cellcycle", "examplePBN", package = "BoolNet", envir = data)
  net <- as_pbn(data$cellcycle)
  expect_identical(net$rules$predictor[[4L]], "(E2F & ! Rb)")
  ours <- example_model("cellcycle")
  set.seed(6)
  for (i in 1:100) {
    state <- sample(0:1, 10, replace = TRUE)
    expect_identical(next_state(net, state), next_state(ours, state))
  }
  three <- as_pbn(data$examplePBN, perturbation = 0.01)
  expect_identical(three$perturbation, 0.01)
  expect_identical(.Call(ffi_pbn_tables, three)[3], .Call(ffi_pbn_tables, example_model("shmulevich3"))[3])
  fixed <- as_pbn(BoolNet::fixGenes(data$cellcycle, "CycD", 1))
  expect_identical(fixed$rules$predictor[[1L]], "1")
  expect_identical(fixed$initial[[1L]], 1L)
})

test_that("expressions beyond BoolNet's are written as a sum of products", {
  net <- pbn(c(A = "B ^ C", B = "f(A, C){0110}", C = "not A", D = "f(A, B){0000}", E = "1"))
  other <- as_boolnet(net)
  text <- vapply(other$interactions, `[[`, "", "expression")
  expect_identical(text[["D"]], "0")
  expect_identical(text[["E"]], "1")
  expect_identical(unname(other$fixed), c(-1, -1, -1, -1, 1))
  again <- pbn(text)
  for (i in 0:31) {
    state <- as.integer(intToBits(i))[1:5]
    expect_identical(evaluate_rules(again, state)[1:3], next_state(net, state)[1:3])
  }
})

test_that("as_boolnet() warns about a perturbation that is lost", {
  net <- set_perturbation(example_model("shmulevich3"), 0.01)
  expect_warning(
    other <- as_boolnet(net), "^BoolNet's objects cannot store the perturbation 0.01, so it is dropped.$",
    class = "fireflip_warning_dropped"
  )
  expect_identical(other, as_boolnet(set_perturbation(net, 0)))
  expect_identical(tryCatch(as_boolnet(net), fireflip_warning_dropped = identity)$lost, "the perturbation")
})

test_that("a dependent network does not become a BoolNet object", {
  net <- pbn(list(A = c("A", "!A")), contexts = list(probability = c(0.5, 0.5), predictor = cbind(1:2)))
  expect_error(as_boolnet(net), class = "fireflip_error_model")
})

test_that("igraph graphs hold the whole network", {
  skip_if_not_installed("igraph")
  networks <- list(
    example_model("apoptosis"), example_model("shmulevich3"),
    random_pbn(15, contexts = 3, update = "asynchronous", seed = 9), pbn(c(A = "1"))
  )
  for (net in networks) {
    graph <- igraph::as.igraph(net)
    expect_identical(as_pbn(graph), net)
    expect_identical(igraph::vcount(graph), length(net$nodes))
  }
})

test_that("the graph's arrows lead from parents to children", {
  skip_if_not_installed("igraph")
  net <- pbn(list(A = c("B" = 0.25, "B & C" = 0.75), B = "A", C = "C"))
  graph <- igraph::as.igraph(net)
  arrows <- igraph::as_data_frame(graph)
  expect_identical(paste(arrows$from, arrows$to), c("B A", "C A", "A B", "C C"))
  expect_equal(arrows$functions, c(2, 1, 1, 1))
  expect_equal(arrows$weight, c(1, 0.75, 1, 1))
  expect_identical(
    unname(igraph::components(graph, "strong")$no), length(unique(igraph::vertex_attr(graph, "component")))
  )
})

test_that("a plain graph becomes a network by joining parents", {
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_data_frame(data.frame(from = c("A", "B", "C"), to = c("C", "C", "B"), sign = c(1, -1, 1)))
  net <- as_pbn(graph, perturbation = 0.1)
  expect_identical(net$nodes, c("A", "B", "C"))
  expect_identical(net$rules$predictor, c("A", "C", "A | !B"))
  expect_identical(as_pbn(graph, join = "all")$rules$predictor[[3L]], "A & !B")
  expect_identical(summary(net)$inputs, "A")
})

test_that("names are quoted only where the grammar requires it", {
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_data_frame(data.frame(from = c("x y", "OR", "1", "a-b", "\u00e9", "2x"), to = "B"))
  net <- as_pbn(graph)
  expect_identical(net$rules$predictor[[7L]], "\"x y\" | \"OR\" | \"1\" | a-b | \u00e9 | 2x")
  expect_identical(quote_name(c("a\"b", "-a", "Not")), c("`a\"b`", "\"-a\"", "\"Not\""))
})

test_that("graphs that cannot be networks are errors", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_ring(3, directed = TRUE)
  igraph::V(graph)$name <- c("A", "B", "A")
  expect_error(as_pbn(graph), "more than one vertex called \"A\"", class = "fireflip_error_model")
  expect_error(as_pbn(igraph::make_empty_graph(0)), "no vertex", class = "fireflip_error_model")
  expect_error(as_pbn(igraph::make_ring(3)), "must be directed", class = "fireflip_error_model")
  expect_identical(summary(as_pbn(igraph::make_empty_graph(2)))$inputs, c("x1", "x2"))
})

test_that("a data frame may have BoolNet's column names", {
  ours <- data.frame(node = c("A", "A", "B"), predictor = c("B", "!B", "A"), probability = c(0.3, 0.7, 1))
  theirs <- stats::setNames(ours, c("targets", "factors", "probabilities"))
  expect_identical(as_pbn(theirs, perturbation = 0.1), as_pbn(ours, perturbation = 0.1))
})

test_that("arguments of as_pbn() override the attributes of a graph", {
  skip_if_not_installed("igraph")
  net <- pbn(c(a = "!b", b = "a", s = "s"), perturbation = 0.01, update = "asynchronous", exempt = "a", initial = c(a = 1, b = 0))
  graph <- igraph::as.igraph(net)
  expect_identical(as_pbn(graph), net)
  expect_identical(as_pbn(graph, perturbation = 0.5), set_perturbation(net, 0.5))
  expect_identical(as_pbn(graph, pert = 0.5, exempt = "s"), set_perturbation(net, 0.5, exempt = "s"))
  expect_identical(as_pbn(graph, exempt = "inputs"), set_perturbation(net, 0.01, exempt = "s"))
  expect_identical(as_pbn(graph, exempt = NULL), net)
  expect_identical(as_pbn(graph, update = "synchronous"), set_update(net, "synchronous"))
  expect_identical(as_pbn(graph, initial = c(b = 1))$initial, c(1L, 1L, NA))
  expect_error(as_pbn(graph, perturbaton = 0.5), "did you mean `perturbation`?", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(as_pbn(graph, "any", 0.5), "found one without", class = "fireflip_error_argument")
  expect_error(as_pbn(graph, perturbation = 2), class = "fireflip_error_argument")
  expect_error(as_pbn(net, perturbation = 0.5), "no further arguments", class = "fireflip_error_argument")
})
