# Access to nodes and elements of a network by name, and other calls that new users try.
net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A & rules", rules = "rules"), perturbation = 0.01)

test_that("nodes are found by their names, and elements keep their values", {
  expect_identical(net["B"], data.frame(node = "B", predictor = "A & rules", probability = 1))
  expect_identical(net[c("B", "A")]$predictor, c("A & rules", "B", "!B"))
  expect_identical(net[3:2]$node, c("rules", "B"))
  expect_identical(net["rules"]$predictor, "rules")
  expect_identical(net[], net)
  expect_identical(net$A, c("B" = 0.3, "!B" = 0.7))
  expect_identical(net[["B"]], "A & rules")
  expect_identical(set_rule(set_rule(net, A = 1), A = net$A), net)
  expect_s3_class(net$rules, "data.frame")
  expect_identical(net[["perturbation"]], 0.01)
  expect_null(net$contexts)
  expect_null(net$reduction)
  expect_identical(net[[1]], net$nodes)
  contexts <- list(probability = c(0.5, 0.5), predictor = rbind(c(1, 1), c(2, 1)))
  dependent <- pbn(list(A = c("B", "!B"), B = "A"), contexts = contexts)
  expect_identical(dependent$A, c("B", "!B"))
  expect_identical(dependent["A"]$contexts, c("1", "2"))
})

test_that("a name that is neither is an error with a hint", {
  wrong <- list(
    quote(net$b), quote(net[["b"]]), quote(net["b"]), quote(net$perturbatoin), quote(net[9]), quote(net[1, 2]),
    quote(net$B <- "A"), quote(net[["B"]] <- "A"), quote(net$p <- 1), quote(net["nodes"]), quote(net[list()])
  )
  for (call in wrong) expect_error(eval(call), class = "fireflip_error_argument", info = deparse(call))
  expect_error(net$b, "did you mean \"B\"")
  expect_error(net$perturbatoin, "did you mean \"perturbation\"")
  expect_error(net$B <- "A", "set_rule(net, B = ...)", fixed = TRUE)
  expect_error(net["nodes"], "net$nodes", fixed = TRUE)
  changed <- net
  changed$perturbation <- 0.2
  changed[["update"]] <- "asynchronous"
  expect_identical(changed, set_update(set_perturbation(net, 0.2), "asynchronous"))
})

test_that("R's functions for lists still work", {
  expect_true(all.equal(net, net))
  expect_match(all.equal(net, set_perturbation(net, 0.02)), "difference", all = FALSE)
  expect_output(str(net), "perturbation")
  expect_identical(lapply(net, class)$nodes, "character")
  expect_identical(utils::modifyList(net, list(update = "asynchronous")), set_update(net, "asynchronous"))
  expect_identical(unserialize(serialize(net, NULL)), net)
  expect_identical(eval(parse(text = paste(deparse(net), collapse = "\n"))), net)
  expect_identical(names(net)[1:2], c("nodes", "rules"))
  expect_true(all(c("nodes", "A") %in% utils::.DollarNames(net, "")))
})

test_that("pbn() takes a tibble without a warning", {
  skip_if_not_installed("tibble")
  tibble <- getExportedValue("tibble", "tibble") # not among the packages that DESCRIPTION suggests
  rules <- tibble(node = c("A", "B"), predictor = c("B", "A"))
  expect_silent(got <- pbn(rules))
  expect_identical(got, pbn(c(A = "B", B = "A")))
  rules <- tibble(targets = "A", factors = c("A", "!A"), probabilities = c(0.25, 0.75))
  expect_identical(pbn(rules)$A, c("A" = 0.25, "!A" = 0.75))
})

test_that("a table of states is one state set per row", {
  grid <- expand.grid(A = 0:1, B = 0:1)
  got <- steady_state(net, grid, method = "exact")
  expect_identical(got$set, c("!A & !B", "A & !B", "!A & B", "A & B"))
  expect_equal(sum(got$probability), 1)
  expect_identical(steady_state(net, as.matrix(grid), method = "exact"), got)
  open <- steady_state(net, data.frame(A = c(1, NA), B = c(NA, 0), row.names = c("a", "b")), method = "exact")
  expect_identical(open$set, c("a", "b"))
  expect_identical(open$probability, steady_state(net, c("A", "!B"), method = "exact")$probability)
  expect_identical(reduce_network(net, data.frame(B = 1))$reduction$of_interest, "B")
  for (bad in list(
    data.frame(A = "1"), data.frame(A = 2), data.frame(D = 1), data.frame(A = c(1, NA)), matrix(1),
    expand.grid(A = 0:1)[0, , drop = FALSE], data.frame(A = factor(1))
  )) {
    expect_error(steady_state(net, bad), class = "fireflip_error_argument")
  }
  expect_error(steady_state(net, data.frame(D = 1)), "\"D\"")
})

test_that("assignment to a rule is an error", {
  net <- pbn(c(A = "B", B = "A"))
  expect_error(net["A"] <- "1", class = "fireflip_error_argument")
  expect_error(net[1, 2] <- "1", class = "fireflip_error_argument")
  net["perturbation"] <- list(0.1)
  expect_identical(net$perturbation, 0.1)
  expect_s3_class(net, "pbn")
})

test_that("nodes whose names partially match the argument `model` can be set through ... too", {
  net <- pbn(c(model = "model", m = "nodes", nodes = "model", verb = "m"))
  f <- function(...) fix_nodes(net, verb = 0, ...)
  expect_identical(f(m = 1)$initial, c(NA, 1L, NA, 0L))
  expect_identical(f(model = 1)$initial, c(1L, NA, NA, 0L))
  g <- function(...) f(...)
  expect_identical(g(m = 1)$initial, c(NA, 1L, NA, 0L))
  expect_identical(lapply(list(net), fix_nodes, m = 1)[[1L]]$initial, c(NA, 1L, NA, NA))
  expect_identical((function(...) fix_nodes(...))(net, model = 1)$initial, c(1L, NA, NA, NA))
  h <- function(...) set_rule(net, verb = "0", ...)
  expect_identical(h(m = "1")$m, "1")
})

test_that("a changed network keeps no information that is no longer true", {
  net <- reduce_network(pbn(c(A = "!B", B = "A", C = "D", D = "!C"), perturbation = 0.05), "A")
  expect_match(capture.output(print(set_perturbation(net, 0.2))), "lambda = 0.64,", all = FALSE)
  expect_false(inherits(fix_nodes(net, B = 1), "reduced_pbn"))
})
