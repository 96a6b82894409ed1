test_that("the four shapes of rules make the same network", {
  named <- pbn(c(A = "B", A = "!B", B = "A & C", C = "C"), probabilities = c(0.3, 0.7, 1, 1), perturbation = 0.001)
  listed <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A & C", C = "C"), perturbation = 0.001)
  lines <- pbn(
    c("# a comment", "A = B", "A = !B", "", "B = A & C\nC = C"), probabilities = list(A = c(0.3, 0.7)), perturbation = 0.001
  )
  framed <- pbn(data.frame(
    node = c("A", "B", "C", "A"), predictor = c("B", "A & C", "C", "!B"), probability = c(0.3, 1, 1, 0.7)
  ), perturbation = 0.001)
  expect_s3_class(named, "pbn")
  expect_identical(listed, named)
  expect_identical(lines, named)
  expect_identical(framed, named)
  expect_identical(named$rules$node, c(1L, 1L, 2L, 3L))
  expect_identical(named$rules$probability, c(0.3, 0.7, 1, 1))
})

test_that("the object has the shape that the core expects", {
  net <- pbn(c(A = "B", B = "A"), exempt = "B", initial = c(A = 1), update = "asynchronous")
  expect_named(net, c("nodes", "rules", "perturbation", "exempt", "initial", "update", "contexts", "removed"))
  expect_identical(net$exempt, c(FALSE, TRUE))
  expect_identical(net$initial, c(1L, NA))
  expect_identical(net$update, "asynchronous")
  expect_null(net$contexts)
  expect_identical(net$removed, c(nodes = 0L, perturbed = 0L))
  expect_identical(net$perturbation, 0)
})

test_that("predictor functions without probabilities are equally likely", {
  net <- pbn(list(A = c("B", "!B", "1"), B = "A"))
  expect_equal(net$rules$probability, c(1, 1, 1, 3) / 3)
})

test_that("constants may be numbers and flags", {
  expect_identical(pbn(list(A = 1, B = FALSE))$rules$predictor, c("1", "0"))
})

test_that("names may be quoted", {
  net <- pbn(c("\"NF-kB p65\" = !`I kB`", "I kB = \"NF-kB p65\""))
  expect_identical(net$nodes, c("NF-kB p65", "I kB"))
})

test_that("a dependent network keeps its contexts", {
  net <- pbn(list(A = c("B", "!B"), B = c("A", "!A"), C = "C"),
    contexts = list(probability = c(0.9, 0.1), predictor = cbind(A = c(1, 2), B = c(1, 2))))
  expect_identical(net$contexts$predictor, rbind(c(1L, 1L, 1L), c(2L, 2L, 1L)))
  expect_identical(net$contexts$probability, c(0.9, 0.1))
  expect_true(all(is.na(as.data.frame(net)$probability)))
  expect_identical(as.data.frame(net)$contexts, c("1", "2", "1", "2", "1, 2"))
  expect_identical(summary(net)$context_probability, c(0.9, 0.1))
  text <- format(net)
  expect_match(text, "contexts with probability 0.9, 0.1; see $contexts", fixed = TRUE, all = FALSE)
  expect_match(text, "A = !B  [context 2]", fixed = TRUE, all = FALSE)
})

test_that("comments end at their lines, and quotes keep their #", {
  net <- pbn(c("A = B # as published", "`B#1` = A | \"B#1\" # \"quoted\" `", "  # nothing", "B = A"))
  expect_identical(net$nodes, c("A", "B#1", "B"))
  expect_identical(net$rules$predictor, c("B", "A | \"B#1\"", "A"))
})

test_that("values by node name say what is wrong with them", {
  net <- pbn(c(A = "B", B = "A"))
  expect_error(fix_nodes(net, A = 2), "The value for node \"A\" must be 0 or 1; found 2.", class = "fireflip_error_argument")
  expect_error(set_initial(net, A = "x"), "must be 0 or 1 (NA for random); found \"x\".", fixed = TRUE)
  expect_error(set_initial(net, Z = 1), "set_initial() names \"Z\", which the network does not have.", fixed = TRUE)
  expect_error(set_initial(net), "found none", class = "fireflip_error_argument")
})

test_that("set_update() changes the mode", {
  net <- pbn(c(A = "B", B = "A"))
  expect_identical(set_update(net, "asynchronous")$update, "asynchronous")
  expect_identical(set_update(set_update(net, "asynchronous"), "synchronous"), net)
  expect_error(set_update(net), "found nothing", class = "fireflip_error_argument")
  expect_error(set_update(net, c("synchronous", "asynchronous")), class = "fireflip_error_argument")
  expect_error(set_update(net, "both"), class = "fireflip_error_argument")
})

test_that("an unknown name brings the name that was perhaps meant", {
  expect_error(pbn(c(Tnf = "tnf")), "node \"Tnf\": no node is called \"tnf\"; did you mean \"Tnf\"?", fixed = TRUE)
  expect_error(pbn(c(A = "maj(A, A, A)")), "BoolNet's function maj() is not supported", fixed = TRUE)
})

test_that("fix_nodes() makes a constant that nothing perturbs", {
  net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A & C", C = "C"), perturbation = 0.01)
  fixed <- fix_nodes(net, A = 1, C = 0)
  expect_identical(as.data.frame(fixed)$predictor, c("1", "A & C", "0"))
  expect_identical(fixed$exempt, c(TRUE, FALSE, TRUE))
  expect_identical(fixed$initial, c(1L, NA, 0L))
  expect_identical(fix_nodes(net, c(A = 1, C = 0)), fixed)
  expect_identical(fix_nodes(net, list(A = 1, C = 0)), fixed)
  expect_identical(fix_nodes(net, c()), net)
  expect_error(fix_nodes(net), "fix_nodes() needs values by node name, such as A = 1; found none.", fixed = TRUE)
})

test_that("fix_nodes() keeps a dependent network's other choices", {
  net <- pbn(list(A = c("B", "!B"), B = c("A", "!A")),
    contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1), c(2, 2))))
  expect_identical(fix_nodes(net, A = 0)$contexts$predictor, rbind(c(1L, 1L), c(1L, 2L)))
})

test_that("settings change one by one", {
  net <- pbn(c(A = "B", B = "A"), perturbation = 0.1, exempt = "A")
  expect_identical(set_perturbation(net, 0.2)$exempt, c(TRUE, FALSE))
  expect_identical(set_perturbation(net, 0.2, exempt = character())$exempt, c(FALSE, FALSE))
  expect_identical(set_perturbation(net, 0.2)$perturbation, 0.2)
  expect_identical(set_initial(set_initial(net, A = 1), B = 0)$initial, c(1L, 0L))
  expect_identical(set_initial(set_initial(net, A = 1), A = NA)$initial, c(NA_integer_, NA_integer_))
})

test_that("summary() counts", {
  net <- pbn(list(In = "In", One = "1", A = c("B & In", "B"), B = "!A", Leaf = "A | One"), perturbation = 0.01, exempt = "In")
  s <- summary(net)
  expect_equal(unclass(s)[c("nodes", "functions", "parents", "max_functions", "max_parents", "density")], list(
    nodes = 5, functions = 6, parents = 7, max_functions = 2, max_parents = 2, density = 7 / 5
  ))
  expect_identical(s$inputs, "In")
  expect_identical(s$constants, "One")
  expect_identical(s$leaves, "Leaf")
  expect_identical(s$cycles, 2L)
  expect_identical(s$exempt, "In")
})

test_that("print() and format() say what there is", {
  net <- pbn(list(A = c("B" = 0.25, "!B" = 0.75), B = "A & C", C = "C"), perturbation = 0.001, exempt = "C", initial = c(C = 1))
  expect_snapshot(net)
  expect_snapshot(print(net, n = 1))
  expect_snapshot(summary(net))
  expect_identical(format(net, n = 0), format(net)[1:2])
})

test_that("a random network keeps to its ranges", {
  net <- random_pbn(200, functions = c(2, 3), parents = c(1, 4), seed = 7)
  functions <- tabulate(net$rules$node, 200)
  expect_setequal(functions, 2:3)
  parents <- lengths(.Call(ffi_pbn_parents, net))
  expect_setequal(parents, 1:4)
  sums <- rowsum(net$rules$probability, net$rules$node)
  expect_equal(as.vector(sums), rep(1, 200))
  tables <- .Call(ffi_pbn_tables, net)
  expect_false(any(vapply(tables, function(table) length(unique(table)) == 1L, NA)))
})

test_that("a random network follows from its seed and leaves the generator alone", {
  set.seed(3)
  before <- .Random.seed
  a <- random_pbn(30, seed = 11)
  expect_identical(.Random.seed, before)
  expect_identical(random_pbn(30, seed = 11), a)
  expect_false(identical(random_pbn(30, seed = 12), a))
  set.seed(3)
  b <- random_pbn(30)
  set.seed(3)
  expect_identical(random_pbn(30), b)
})

test_that("random networks may be dependent, asynchronous, dense or wide", {
  net <- random_pbn(10, functions = c(1, 3), contexts = 4, update = "asynchronous", seed = 1)
  expect_identical(dim(net$contexts$predictor), c(4L, 10L))
  expect_equal(sum(net$contexts$probability), 1)
  expect_identical(net$update, "asynchronous")
  small <- random_pbn(3, parents = 3, seed = 1)
  expect_true(all(lengths(.Call(ffi_pbn_parents, small)) == 3L))
  wide <- random_pbn(40, functions = 1, parents = 31, seed = 1)
  expect_true(all(lengths(.Call(ffi_pbn_parents, wide)) == 31L))
  constant <- random_pbn(5, parents = 0, seed = 1)
  expect_true(all(constant$rules$predictor %in% c("0", "1")))
})

test_that("parents of random functions are uniform over the nodes", {
  net <- random_pbn(20, functions = 3, parents = 3, seed = 5)
  counts <- tabulate(unlist(lapply(1:40, function(seed) {
    unlist(.Call(ffi_pbn_parents, random_pbn(20, functions = 3, parents = 3, seed = seed)))
  })), 20)
  expect_equal(sum(counts), 40 * 180)
  expect_gt(stats::chisq.test(counts)$p.value, 1e-4)
})

test_that("the core's truth tables agree with R's reading of the text", {
  net <- pbn(c(
    A = "B & !C | D", B = "!(A | C) & !D", C = "A & (B | C & !D)", D = "!A & !B | !!C", E = "f(D, A, B){01101001} & !f(C){10}"
  ))
  parents <- .Call(ffi_pbn_parents, net)
  tables <- .Call(ffi_pbn_tables, net)
  states <- all_states(5)
  for (i in seq_len(nrow(states))) {
    core <- mapply(table_value, tables, parents, MoreArgs = list(state = states[i, ]))
    expect_identical(core, evaluate_rules(net, states[i, ]))
  }
})

test_that("plot() draws and gives places back", {
  net <- example_model("example1")
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  at <- plot(net)
  plot(net, layout = cbind(1:8, 8:1), labels = FALSE)
  plot(net, influence = data.frame(from = "x2", to = "x7", influence = 0.5), main = "influence")
  grDevices::dev.off()
  expect_gt(file.size(file), 1000)
  unlink(file)
  expect_identical(at$node, net$nodes)
  expect_identical(at$component[c(1, 3, 5, 7)], at$component[c(2, 4, 6, 8)])
  expect_identical(length(unique(at$colour)), 4L)
  expect_false(anyDuplicated(at[c("x", "y")]) > 0L)
})

test_that("layers run from inputs to outputs, with or without igraph", {
  net <- pbn(c(I = "I", A = "I | C", B = "A", C = "B", O = "C"))
  graph <- .Call(ffi_pbn_graph, net)
  layer <- fireflip:::network_layers(graph)
  expect_identical(layer, c(1L, 2L, 3L, 4L, 5L))
  at <- fireflip:::spread_layers(fireflip:::barycentres(graph, layer), layer)
  expect_identical(nrow(unique(at)), 5L)
})
