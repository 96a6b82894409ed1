# Verbs are generics that dispatch on the class of the model. Objects of other classes are an error.
net <- pbn(c(A = "B | model", B = "A", model = "model"), perturbation = 0.01)
verbs <- c(
  "steady_state", "node_activity", "long_run_influence", "influence_analysis", "long_run_sensitivity", "outcomes",
  "stationary_distribution", "transition_matrix", "reduce_network", "network_components", "network_arrows", "set_initial",
  "set_perturbation", "set_update", "fix_nodes", "set_rule", "add_node", "remove_node", "rename_nodes", "write_network"
)
for_reactions <- c("network_arrows", "set_initial", "write_network") # verbs that have a method for reaction networks too
for_nets <- c(for_reactions, "reduce_network") # and for Petri nets

test_that("every verb has the model first, a method for pbn, and a default method that names the classes", {
  for (verb in verbs) {
    generic <- getExportedValue("fireflip", verb)
    expect_identical(names(formals(generic)), c("model", "..."), info = verb)
    classes <- c("pbn", if (verb %in% for_nets) "petri_net", if (verb %in% for_reactions) "reaction_network")
    for (class in classes) {
      expect_true(is.function(utils::getS3method(verb, class, envir = asNamespace("fireflip"))), info = verb)
    }
    error <- tryCatch(generic(structure(list(), class = "circuit"), "A"), error = identity)
    expect_s3_class(error, "fireflip_error_argument")
    expect_match(conditionMessage(error), "a network of class \"pbn\".*found an object of class \"circuit\"", info = verb)
    expect_identical(error[c("expected", "found")], list(expected = classes, found = "circuit"), info = verb)
  }
})

test_that("a method of another package is found, and named", {
  on.exit(rm("steady_state.my_model", envir = get(".__S3MethodsTable__.", envir = asNamespace("fireflip"))))
  registerS3method("steady_state", "my_model", function(model, rate, ...) rate * model$x, envir = asNamespace("fireflip"))
  mine <- structure(list(x = 21), class = "my_model")
  expect_identical(steady_state(mine, rate = 2), 42)
  error <- tryCatch(steady_state(1, "A"), error = identity)
  expect_match(conditionMessage(error), "of class \"my_model\" or \"pbn\"")
})

test_that("the error for other objects gives a hint", {
  local_reproducible_output(width = 200)
  boolnet <- structure(list(), class = "BooleanNetwork")
  file <- "model.xml"
  expect_snapshot(error = TRUE, {
    steady_state(boolnet, "A")
    steady_state("cellcycle", "CycB")
    network_arrows("nets/model.bnet.gz")
    reduce_network(c(A = "B", B = "A"), "A")
    reduce_network("A = B", "A")
    outcomes(list(A = "B"))
    node_activity(data.frame(targets = "A", factors = "B"))
    steady_state("A & B", net)
    fix_nodes(mean, A = 1)
    write_sbml(boolnet, file)
    steady_state(net, "A", presicion = 1e-3)
    network_arrows(net, 3)
    set_perturbation(net, 0.1, "inputs", 3)
  })
})

test_that("the error tells of an abbreviation that R takes for the model", {
  passed_on <- function(...) steady_state(net, "A", ...)
  said <- "found \"exact\"; R takes `m` for `model`, so write the name of that argument in full."
  expect_error(steady_state(net, "A", m = "exact"), said, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(passed_on(m = "exact"), said, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(steady_state("A", net), "must be the first argument", class = "fireflip_error_argument")
})

test_that("a node may be called model", {
  held <- fix_nodes(net, c(model = 1))
  expect_identical(fix_nodes(net, model = 1), held)
  expect_identical(fix_nodes(net, c(model = 1, B = 0)), fix_nodes(net, model = 1, B = 0))
  expect_identical(fix_nodes(model = net, c(model = 1)), held)
  expect_identical(set_initial(net, model = NA), net)
  expect_identical(suppressMessages(set_initial(net, model = 1))$initial, c(NA, NA, 1L))
  expect_identical(set_rule(net, model = "A"), set_rule(net, c(model = "A")))
  expect_identical(rename_nodes(net, model = "M")$nodes, c("A", "B", "M"))
  expect_identical(add_node(net, mod = "A")$nodes, c("A", "B", "model", "mod")) # an abbreviation of `model`
  expect_error(fix_nodes(net, m = 1), "fix_nodes() names \"m\"", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(fix_nodes(1, model = 1), class = "fireflip_error_argument")
})

test_that("set_perturbation() has the argument perturbation, like pbn(), which can be abbreviated to p", {
  expect_identical(set_perturbation(net, perturbation = 0.2), set_perturbation(net, p = 0.2))
  expect_identical(set_perturbation(net, 0.2)$perturbation, 0.2)
})
