# set_rule(), add_node(), remove_node(), rename_nodes(): what they change, and that they change nothing else.
net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A & C", C = "C"), perturbation = 0.01, exempt = "C", initial = c(A = 1, C = 0))
dependent <- pbn(list(A = c("B", "!B"), B = c("A", "!A"), C = "A"),
  contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1, 1), c(2, 2, 1))))
rest <- c("perturbation", "exempt", "initial", "update", "removed")
bare <- function(net) unclass(net)

test_that("set_rule() gives nodes other rules", {
  expect_identical(set_rule(net, B = "A & C"), net)
  got <- set_rule(net, A = "C", C = c("A" = 0.5, "B" = 0.5))
  expect_identical(as.data.frame(got), as.data.frame(pbn(list(A = "C", B = "A & C", C = c("A", "B")))))
  expect_identical(bare(got)[rest], bare(net)[rest])
  for (shape in list(
    list(B = "A", C = 1), c(B = "A", C = "1"), data.frame(node = c("B", "C"), predictor = c("A", "1")), "B = A\nC = 1"
  )) {
    expect_identical(set_rule(net, shape), set_rule(net, B = "A", C = "1"))
  }
  expect_identical(set_rule(net, A = c("B", "C"))$rules$probability[1:2], c(0.5, 0.5))
  # the probabilities are those of the network written down as a whole
  expect_equal(stationary_distribution(set_rule(net, A = "C")),
    stationary_distribution(pbn(c(A = "C", B = "A & C", C = "C"), perturbation = 0.01, exempt = "C", initial = c(A = 1, C = 0))))
  expect_error(set_rule(net, D = "A"), "add_node", class = "fireflip_error_argument")
  expect_error(set_rule(net, A = "D"), class = "fireflip_error_parse")
  expect_error(set_rule(net), class = "fireflip_error_argument")
  expect_error(set_rule(net, A = "B", "C"), "without a name", class = "fireflip_error_argument")
  expect_error(set_rule(net, A = c("B" = 0.3, "C" = 0.3)), class = "fireflip_error_model")
})

test_that("the contexts of a dependent network still select functions", {
  got <- set_rule(dependent, A = c("B & C", "!B"))
  expect_identical(bare(got)$contexts, bare(dependent)$contexts)
  expect_identical(set_rule(dependent, A = "B")$contexts$predictor, rbind(c(1L, 1L, 1L), c(1L, 2L, 1L)))
  expect_error(set_rule(dependent, A = c("B", "C", "!B")), "or as many as it has", class = "fireflip_error_argument")
  expect_identical(add_node(dependent, D = "A")$contexts$predictor, rbind(c(1L, 1L, 1L, 1L), c(2L, 2L, 1L, 1L)))
  expect_error(add_node(dependent, D = c("A", "B")), "has several", class = "fireflip_error_argument")
  expect_identical(remove_node(dependent, "C")$contexts$predictor, rbind(c(1L, 1L), c(2L, 2L)))
  expect_identical(rename_nodes(dependent, A = "a")$rules$predictor, c("B", "!B", "a", "!a", "a"))
})

test_that("remove_node() is the inverse of add_node()", {
  more <- add_node(net, D = "A & E", E = c("D" = 0.2, "!C" = 0.8))
  expect_identical(more$nodes, c("A", "B", "C", "D", "E"))
  expect_identical(more$exempt, c(FALSE, FALSE, TRUE, FALSE, FALSE))
  expect_identical(more$initial, c(1L, NA, 0L, NA, NA))
  expect_identical(remove_node(more, c("D", "E")), net)
  expect_identical(remove_node(more, 4:5), net)
  expect_identical(remove_node(net, character()), net)
  first <- remove_node(set_rule(more, B = "C", D = "E"), "A")
  expect_identical(as.data.frame(first)$node, c("B", "C", "D", "E", "E"))
  expect_identical(first$initial, c(NA, 0L, NA, NA))
  expect_error(remove_node(net, "A"), "\"A\": it occurs in the rules of \"B\"", class = "fireflip_error_argument")
  expect_error(remove_node(more, c("C", "E")), "\"C\", \"E\": they occur in the rules of \"B\", \"D\"",
    class = "fireflip_error_argument")
  expect_error(remove_node(net, 1:3), "at least one node", class = "fireflip_error_argument")
  expect_error(remove_node(net, "D"), class = "fireflip_error_argument")
  expect_error(add_node(net, A = "B"), "set_rule", class = "fireflip_error_argument")
  expect_error(add_node(net, D = "F"), class = "fireflip_error_parse")
  expect_error(add_node(net), class = "fireflip_error_argument")
  # a node without children affects the others only through its perturbations, which suspend a step
  wide <- add_node(net, D = "A ^ B")
  wide <- set_perturbation(wide, 0.01, exempt = c("C", "D"))
  expect_equal(steady_state(wide, c("A", "B"), method = "exact")$probability,
    steady_state(net, c("A", "B"), method = "exact")$probability, tolerance = 1e-10)
})

test_that("rename_nodes() renames all occurrences of a name, and changes no answer", {
  got <- rename_nodes(net, A = "TP-53 (x)", C = "and")
  expect_identical(got$nodes, c("TP-53 (x)", "B", "and"))
  expect_identical(got$rules$predictor, c("B", "!B", "\"TP-53 (x)\" & \"and\"", "\"and\""))
  expect_identical(bare(got)[rest], bare(net)[rest])
  expect_identical(rename_nodes(got, "TP-53 (x)" = "A", and = "C"), net)
  expect_identical(rename_nodes(net, A = "B", B = "A")$rules$predictor, c("A", "!A", "B & C", "C")) # both at once
  expect_identical(rename_nodes(net, list(A = "x")), rename_nodes(net, c(A = "x")))
  expect_identical(rename_nodes(net, tolower)$nodes, c("a", "b", "c"))
  spelt <- pbn(c(x = "f(x, y){0110} | NOT z", y = "x&&y", z = "`y` or z"))
  expect_identical(rename_nodes(spelt, z = "w")$rules$predictor[[2]], "x&&y") # the text is unchanged
  big <- random_pbn(60, functions = c(1, 3), parents = c(0, 5), seed = 1)
  turned <- rename_nodes(big, function(names) paste0("gene ", rev(seq_along(names))))
  expect_identical(fireflip:::input_nodes(turned), fireflip:::input_nodes(big))
  one <- simulate(big, steps = 30, seed = 1)
  two <- simulate(turned, steps = 30, seed = 1)
  expect_identical(unname(as.list(two)), unname(as.list(one)))
  expect_error(rename_nodes(net, A = "B"), "two would be called \"B\"", class = "fireflip_error_argument")
  expect_error(rename_nodes(net, a = "x"), "did you mean \"A\"", class = "fireflip_error_argument")
  expect_error(rename_nodes(net, A = "a\"b`c"), class = "fireflip_error_model")
  expect_error(rename_nodes(net, A = ""), class = "fireflip_error_argument")
  expect_error(rename_nodes(net, c("x", "y", "z")), class = "fireflip_error_argument")
  expect_error(rename_nodes(net, function(names) "x"), "3 names", class = "fireflip_error_argument")
  expect_error(rename_nodes(net), class = "fireflip_error_argument")
})

test_that("a changed network has no record of an earlier reduction", {
  small <- reduce_network(set_perturbation(example_model("example1"), 0.01), "x7")
  for (changed in list(set_rule(small, x1 = "x2"), add_node(small, y = "x1"), rename_nodes(small, x1 = "y"))) {
    expect_s3_class(changed, "pbn", exact = TRUE)
    expect_false("reduction" %in% names(changed))
    expect_identical(changed$removed, small$removed)
  }
})
