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
  expect_match(text, "A = !B  [context 2]", fixed = TRUE, all = FALSE)
  skip_with_comma()
  expect_match(text, "contexts with probability 0.9, 0.1; see $contexts", fixed = TRUE, all = FALSE)
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

test_that("the message about an unknown name suggests a similar one", {
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

test_that("print() and format() describe the network", {
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

test_that("plot() draws and returns the positions", {
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

test_that("rows run from inputs to outputs", {
  net <- pbn(c(I = "I", A = "I | C", B = "A", C = "B", O = "C"))
  at <- fireflip:::network_drawing(
    net, fireflip:::network_graph(net), NULL, TRUE, c(7, 7), list(width = rep(0.1, 5), height = 0.12)
  )$at
  expect_identical(order(-at[, 2L]), 1:5)
  expect_identical(anyDuplicated(round(at[, 2L], 6)), 0L)
})

test_that("inputs and held nodes are recognised by the values of their functions, not by their text", {
  many <- stats::setNames(sprintf("x%d", 1:40), sprintf("x%d", 1:40))
  net <- pbn(c(
    a = "\"(a\"", `(a` = "\"(a\"", b = "!!b", c = "c & c | c", d = "f(d){01}", e = "!e", g = "1", h = "a & (b | !b)", i = "(i)",
    many
  ), initial = c(b = 1, c = 0, e = 1, g = 1))
  expect_identical(summary(net)$inputs, c("(a", "b", "c", "d", "i", names(many)))
  expect_identical(net$nodes[held_nodes(net)], c("b", "c", "g"))
  expect_identical(net$nodes[held_nodes(fix_nodes(net, a = 0, e = 1, x40 = 1))], c("a", "b", "c", "e", "g", "x40"))
  net$perturbation <- 0.1
  expect_identical(held_nodes(net), integer())
  net$exempt <- net$nodes %in% c("b", "e", "x1")
  expect_identical(net$nodes[held_nodes(net)], "b")
  twice <- pbn(list(a = c("a", "!!a"), b = c("b", "1")))
  expect_identical(summary(twice)$inputs, "a")
})

test_that("names are quoted where the grammar requires it, and are read back", {
  names <- c("a", "x-1", "2x", "1", "0", "-a", "NF-kB (active)", "a\"b", "OR", "true", "\u00e9", "f", "a.b", "", "or1")
  plain <- c("a", "x-1", "2x", "\u00e9", "f", "a.b", "or1")
  expect_identical(quote_name(names)[names %in% plain], plain)
  expect_identical(quote_name(setdiff(names, plain)), c(
    "\"1\"", "\"0\"", "\"-a\"", "\"NF-kB (active)\"", "`a\"b`", "\"OR\"", "\"true\"", "\"\""
  ))
  expect_identical(quote_name(character()), character())
  latin <- "\u00e9"
  Encoding(latin) <- "UTF-8"
  expect_identical(quote_name(iconv(latin, "UTF-8", "latin1")), latin)
  names <- setdiff(names, "")
  net <- pbn(stats::setNames(rev(quote_name(names)), names))
  expect_identical(net$nodes, names)
  expect_identical(unlist(.Call(ffi_pbn_parents, net)), rev(seq_along(names)))
  file <- tempfile(fileext = ".pbn")
  expect_identical(read_network(write_network(net, file))$rules$predictor, net$rules$predictor)
  expect_identical(argument_name(c("a", "x-1", "a`b")), c("a", "`x-1`", "\"a`b\""))
})

test_that("a perturbed input with an initial value is reported once, with the remedy", {
  told <- function(expr) {
    messages <- list()
    withCallingHandlers(expr, fireflip_message_inputs = function(m) {
      messages[[length(messages) + 1L]] <<- m
      invokeRestart("muffleMessage")
    })
    expect_lte(length(messages), 1L)
    if (length(messages) == 0L) character() else messages[[1L]]$inputs
  }
  net <- pbn(c(TNF = "TNF", UV = "UV", A = "TNF & !A"), initial = c(TNF = 1, A = 1))
  expect_message(out <- set_perturbation(net, 0.01), class = "fireflip_message_inputs")
  expect_identical(steady_state(out, "TNF", method = "exact")$probability, 0.5) # the value is lost, as reported
  expect_identical(told(set_perturbation(net, 0.01)), "TNF")
  expect_identical(told(set_initial(out, UV = 0)), "UV")
  expect_identical(told(set_initial(out, UV = 0, TNF = 0)), c("TNF", "UV"))
  rules <- c(TNF = "TNF", UV = "UV", A = "TNF & !A")
  expect_identical(told(pbn(rules, perturbation = 0.01, initial = c(UV = 1))), "UV")
  expect_identical(told(as_pbn(data.frame(node = "s", predictor = "s"), perturbation = 0.1, initial = 1)), "s")
  # nothing is lost
  for (quiet in list(
    quote(set_perturbation(net, 0)), quote(set_perturbation(net, 0.01, exempt = "TNF")),
    quote(set_perturbation(net, 0.01, exempt = "inputs")), quote(set_initial(out, TNF = NA, A = 0)),
    quote(set_initial(out, NULL)), quote(fix_nodes(out, TNF = 1)), quote(set_update(out, "asynchronous")),
    quote(pbn(rules, perturbation = 0.01)), quote(pbn(rules, perturbation = 0.01, initial = c(A = 1))),
    quote(set_perturbation(fix_nodes(net, TNF = 1), 0.02)), quote(lapply(example_models()$name, example_model))
  )) expect_identical(told(eval(quiet)), character(), info = deparse(quiet))
  expect_message(set_perturbation(net, 0.01), paste0(
    "The input \"TNF\" is perturbed and loses its initial value in the long run; exempt = \"inputs\" prevents this, as in ",
    "set_perturbation(net, 0.01, exempt = \"inputs\").\n"
  ), fixed = TRUE)
  expect_message(set_initial(out, UV = 0, TNF = 0), "The inputs \"TNF\", \"UV\" are perturbed and lose their", fixed = TRUE)
  expect_message(pbn(c(inputs = "inputs"), perturbation = 0.1, initial = 1), "`exempt` with these names", fixed = TRUE)
  file <- write_network(net, tempfile(fileext = ".pbn"))
  expect_identical(told(read_network(file)), character())
  expect_identical(told(read_network(file, perturbation = 0.1)), "TNF")
  expect_identical(told(read_network(file, perturbation = 0.1, initial = c(UV = 0))), c("TNF", "UV"))
  expect_identical(told(read_network(file, perturbation = 0.1, exempt = "inputs")), character())
  skip_if_not_installed("igraph")
  graph <- igraph::as.igraph(out)
  expect_identical(told(as_pbn(graph)), character())
  expect_identical(told(as_pbn(graph, perturbation = 0.2)), "TNF")
})

test_that("exempt = \"inputs\" means all inputs, or the node that is called so", {
  rules <- c(a = "a", b = "!b", c = "f(c){01}")
  expect_identical(pbn(rules, exempt = "inputs")$exempt, c(TRUE, FALSE, TRUE))
  expect_identical(pbn(rules, exempt = c("b", "inputs"))$exempt, c(TRUE, TRUE, TRUE))
  expect_identical(set_perturbation(pbn(rules), 0.1, exempt = factor("inputs"))$exempt, c(TRUE, FALSE, TRUE))
  expect_identical(pbn(c(a = "!a"), exempt = "inputs")$exempt, FALSE)
  expect_identical(pbn(c(rules, inputs = "b"), exempt = "inputs")$exempt, c(FALSE, FALSE, FALSE, TRUE))
  expect_error(pbn(rules, exempt = c("inputs", "z")), "names \"z\"", class = "fireflip_error_argument")
  dependent <- pbn(list(a = "a", b = c("b", "!b")), exempt = "inputs",
    contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1), c(1, 2))))
  expect_identical(dependent$exempt, c(TRUE, FALSE))
  # an exempt input keeps its value
  net <- pbn(c(TNF = "TNF", A = "TNF"), perturbation = 0.01, exempt = "inputs", initial = c(TNF = 1))
  expect_identical(steady_state(net, "TNF", method = "exact")$probability, 1)
})
