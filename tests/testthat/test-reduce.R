small_nets <- function(n = 12, ...) lapply(
  seq_len(n), function(seed) random_pbn(7, functions = c(1, 2), parents = c(1, 2), seed = seed, ...)
)

test_that("the paper's Example 1 has four components, and x7 needs two of them", {
  net <- example_model("example1")
  components <- network_components(net)
  expect_named(components, c("node", "component", "size", "cyclic"))
  expect_identical(components$node, net$nodes)
  expect_identical(length(unique(components$component)), 4L)
  expect_identical(components$size, rep(2L, 8L))
  expect_true(all(components$cyclic))
  reduced <- reduce_network(net, "x7")
  expect_s3_class(reduced, c("reduced_pbn", "pbn"), exact = TRUE)
  expect_identical(reduced$nodes, c("x1", "x2", "x7", "x8"))
  expect_identical(reduced$reduction$removed, c("x3", "x4", "x5", "x6"))
  expect_identical(reduced$removed, c(nodes = 4L, perturbed = 4L))
})

test_that("36 nodes of the apoptosis network are irrelevant to complex2", {
  net <- example_model("apoptosis")
  reduced <- reduce_network(net, of_interest = "complex2")
  expect_identical(length(net$nodes) - length(reduced$nodes), 36L)
  sizes <- unique(network_components(net)[c("component", "size")])$size
  expect_identical(sizes[sizes > 1L], 20L)
  gone <- !net$nodes %in% reduced$nodes
  expect_equal(reduced$reduction$lambda, (1 - net$perturbation)^sum(gone & !net$exempt))
})

test_that("arrows run from lower to higher components and are the parents", {
  for (net in small_nets()) {
    arrows <- network_arrows(net)
    expect_named(arrows, c("from", "to", "sign"))
    expect_false(anyDuplicated(arrows) > 0L)
    parents <- lapply(net$nodes, function(node) {
      text <- net$rules$predictor[net$rules$node == match(node, net$nodes)]
      intersect(net$nodes, unlist(regmatches(text, gregexpr("[A-Za-z_][A-Za-z0-9_]*", text))))
    })
    expect_setequal(
      paste(arrows$from, arrows$to), paste(unlist(parents), rep(net$nodes, lengths(parents)))
    )
    component <- stats::setNames(network_components(net)$component, net$nodes)
    expect_true(all(component[arrows$from] <= component[arrows$to]))
  }
})

test_that("what is of interest may be names, numbers, state sets or named values", {
  net <- pbn(c(a = "b", b = "a", c = "a", d = "d & c", `my node` = "d"), perturbation = 0.01)
  kept <- function(x) reduce_network(net, x)$nodes
  expect_identical(kept("c"), c("a", "b", "c"))
  expect_identical(kept(3), c("a", "b", "c"))
  expect_identical(kept(factor("c")), c("a", "b", "c"))
  expect_identical(kept("c & !a"), c("a", "b", "c"))
  expect_identical(kept(c(first = "a", second = "b ^ c")), c("a", "b", "c"))
  expect_identical(kept(c(c = 1, a = 0)), c("a", "b", "c"))
  expect_identical(kept(list(c(a = 1), "b")), c("a", "b"))
  expect_identical(kept("my node"), net$nodes)
  expect_identical(kept("!\"my node\" | a"), net$nodes)
})

test_that("exempt nodes do not count in lambda, and reductions add up", {
  net <- pbn(c(a = "a", b = "a", c = "b", d = "c"), perturbation = 0.1, exempt = "c")
  once <- reduce_network(net, "a")
  expect_identical(once$removed, c(nodes = 3L, perturbed = 2L))
  expect_equal(once$reduction$lambda, 0.9^2)
  twice <- reduce_network(reduce_network(net, "b"), "a")
  expect_identical(twice$removed, once$removed)
  expect_equal(twice$reduction$lambda, once$reduction$lambda)
  expect_identical(reduce_network(set_perturbation(net, 0), "a")$reduction$lambda, 1)
  whole <- reduce_network(net, "d")
  expect_identical(whole$removed, c(nodes = 0L, perturbed = 0L))
  expect_identical(whole$nodes, net$nodes)
})

test_that("a reduction changes no exact value", {
  reduced <- 0
  for (update in c("synchronous", "asynchronous")) {
    for (perturbation in c(0, 1e-3, 0.1)) {
      for (seed in 1:6) {
        net <- random_pbn(7, functions = c(1, 2), parents = c(1, 2), perturbation = perturbation, seed = seed)
        net$update <- update
        net$exempt[c(2, 5)] <- TRUE
        net$initial[c(2, 6)] <- c(1L, 0L)
        if (seed %% 2 == 0) {
          count <- tabulate(net$rules$node, 7)
          net$rules$probability <- 1
          net$contexts <- list(probability = c(0.3, 0.6, 0.1), predictor = rbind(rep(1L, 7), count, pmax(count - 1L, 1L)))
        }
        sets <- c(x = paste(net$nodes[c(1, 3)], collapse = " & "), y = paste0("!", net$nodes[[3]]))
        small <- reduce_network(net, sets)
        reduced <- reduced + (length(small$nodes) < 7)
        expect_equal(exact_probability(small, sets), exact_probability(net, sets), tolerance = 1e-11)
      }
    }
  }
  expect_gt(reduced, 10)
})

test_that("print() shows which nodes were kept and removed, and why", {
  local_reproducible_output(width = 80)
  expect_snapshot(print(reduce_network(set_perturbation(example_model("example1"), 0.01), "x7 & !x8")))
  expect_snapshot(print(reduce_network(example_model("apoptosis"), "complex2")))
})

test_that("errors say what is wrong", {
  net <- example_model("example1")
  expect_error(reduce_network(net), class = "fireflip_error_argument")
  expect_error(reduce_network(net, "x9"), class = "fireflip_error_parse")
  expect_error(reduce_network(net, 9), class = "fireflip_error_argument")
  expect_error(reduce_network(net, character()), class = "fireflip_error_argument")
  expect_error(network_arrows(1), class = "fireflip_error_argument")
  expect_snapshot(error = TRUE, {
    reduce_network(net)
    reduce_network(net, "x9")
    reduce_network(net, "x1 &")
    reduce_network(net, 9)
    reduce_network(net, character())
    reduce_network(list(), "x1")
    network_components(NULL)
  })
})

# The sign of an arrow by its definition, computed from all states of the network.
signs_by_definition <- function(model) {
  states <- all_states(length(model$nodes))
  values <- apply(states, 1L, function(state) evaluate_rules(model, state))
  values <- matrix(values, nrow(model$rules))
  arrows <- network_arrows(model)
  vapply(seq_len(nrow(arrows)), function(i) {
    from <- match(arrows$from[[i]], model$nodes)
    of_child <- model$rules$node == match(arrows$to[[i]], model$nodes)
    off <- which(states[, from] == 0)
    on <- off + 2^(from - 1L) # the row that differs in this node alone
    change <- values[of_child, on, drop = FALSE] - values[of_child, off, drop = FALSE]
    up <- any(change > 0)
    down <- any(change < 0)
    if (up && down) "+/-" else if (up) "+" else if (down) "-" else NA_character_
  }, "")
}

test_that("signs of arrows are those of the definition", {
  for (seed in 1:15) {
    model <- random_pbn(6, functions = c(1, 3), parents = c(1, 5), seed = seed)
    expect_identical(network_arrows(model)$sign, signs_by_definition(model))
  }
  for (name in c("cellcycle", "toggle", "repressilator", "shmulevich3", "example1")) {
    model <- example_model(name)
    expect_identical(network_arrows(model)$sign, signs_by_definition(model))
  }
})

test_that("signs are known or unknown as documented", {
  sign <- function(rule) {
    arrows <- network_arrows(pbn(list(a = "a", b = "b", c = rule)))
    arrows$sign[arrows$to == "c"]
  }
  expect_identical(sign("a & !b"), c("+", "-"))
  expect_identical(sign("a ^ b"), c("+/-", "+/-"))
  expect_identical(sign("a & (b | !b)"), c("+", NA))
  expect_identical(sign("f(a, b){0001}"), c("+", "+"))
  expect_identical(sign(c("a", "!a")), "+/-")
  expect_identical(names(network_arrows(example_model("toggle"))), c("from", "to", "sign"))
  # with more than 16 parents, the text determines the sign
  many <- paste0("g", 1:17)
  rules <- c(stats::setNames(as.list(many), many), list(
    all = paste(many, collapse = " & "), not = sprintf("!(%s)", paste(many, collapse = " | ")),
    odd = paste(many, collapse = " ^ "), mixed = paste("!g1 &", paste(many, collapse = " & "))
  ))
  arrows <- network_arrows(pbn(rules))
  expect_identical(unique(arrows$sign[arrows$to == "all"]), "+")
  expect_identical(unique(arrows$sign[arrows$to == "not"]), "-")
  expect_identical(unique(arrows$sign[arrows$to == "odd"]), NA_character_)
  mixed <- arrows[arrows$to == "mixed", ]
  expect_identical(mixed$sign[mixed$from == "g1"], NA_character_)
  expect_identical(unique(mixed$sign[mixed$from != "g1"]), "+")
})
