test_that("errors carry their class and a text that says what was found", {
  error <- tryCatch(pbn(c(A = "B"), perturbation = 2), error = identity)
  expect_s3_class(error, c("fireflip_error_argument", "fireflip_error", "error", "condition"), exact = TRUE)
  expect_match(conditionMessage(error), "found 2")
})

test_that("a missing required argument is an error that names it", {
  net <- pbn(c(a = "!b", b = "a"))
  sim <- simulate(reaction_network("A -> 0" = 1, initial = c(A = 9)), nsim = 9, times = 1, seed = 1)
  given <- list(
    model = net, rules = c(a = "a"), nodes = 2, x = net, name = "toggle", states = "a", of_interest = "a", perturbation = 0.1,
    update = "synchronous", file = tempfile(fileext = ".pbn"), rate = 1, z = 1,
    when = "time > 1", set = c(A = 1), a = sim, b = sim, net = attr(sim, "run")$model, reactions = 8,
    program = compile_ssp(attr(sim, "run")$model), events = sim
  )
  tried <- 0
  for (name in getNamespaceExports("fireflip")) {
    fun <- getExportedValue("fireflip", name)
    method <- utils::getS3method(name, "pbn", optional = TRUE, envir = asNamespace("fireflip"))
    arguments <- formals(if (is.null(method)) fun else method)
    needed <- setdiff(names(arguments)[vapply(arguments, identical, NA, quote(expr = ))], "...")
    expect_true(all(needed %in% names(given)), info = name) # else the list above needs one more
    for (argument in needed) {
      error <- tryCatch(do.call(fun, given[setdiff(needed, argument)]), error = identity)
      expect_s3_class(error, "fireflip_error_argument")
      expect_match(
        conditionMessage(error), sprintf("^`%s` must be .+; found nothing[.]$", argument), info = paste(name, argument)
      )
      tried <- tried + 1
    }
  }
  expect_gt(tried, 30)
})

test_that("the texts of argument errors", {
  net <- pbn(c(TNF = "TNF", UV = "TNF"))
  expect_snapshot(error = TRUE, {
    pbn()
    pbn(42)
    pbn(list())
    pbn(list("A"))
    pbn(list(A = sum))
    pbn("A -> B")
    pbn(data.frame(x = 1))
    pbn(data.frame(node = "A", predictor = "A", probability = "much"))
    pbn(c(A = NA))
    pbn(c(A = "A"), perturbation = 1)
    pbn(c(A = "A"), perturbation = "low")
    pbn(c(A = "A"), update = "sometimes")
    pbn(c(A = "A"), exempt = "B")
    pbn(c(A = "A"), exempt = c(TRUE, FALSE))
    pbn(c(A = "A"), initial = c(A = 2))
    pbn(c(A = "A"), initial = c(1, 0))
    pbn(list(A = c("A", "!A")), probabilities = 1)
    pbn(list(A = c("A", "!A")), probabilities = list(B = 1))
    pbn(list(A = c("A", "!A")), probabilities = list(A = 1))
    pbn(data.frame(node = "A", predictor = c("A", "!A"), probability = c(1, NA)))
    pbn(c(A = "A"), contexts = 1)
    pbn(c(A = "A"), contexts = list(probability = 1, predictor = 1))
    pbn(c(A = "A"), contexts = list(probability = 1, predictor = matrix(2, 1, 1)))
    pbn(c(A = "A"), contexts = list(probability = 1, predictor = matrix(1, 1, 2)))
    fix_nodes(net, TNFA = 1)
    fix_nodes(net, 1)
    fix_nodes(net, TNF = 0.5)
    fix_nodes(net, TNF = 1:2)
    fix_nodes("net", TNF = 1)
    set_initial(net, c(TNF = 1, TNF = 0))
    set_perturbation(net, -1)
    random_pbn(0)
    random_pbn(5, functions = c(3, 1))
    random_pbn(5, parents = 1.5)
    random_pbn(5, seed = "a")
    example_model()
    example_model("apotosis")
    as_pbn(1)
    plot(net, layout = "round")
    plot(net, layout = matrix(0, 1, 1))
    plot(net, influence = 1)
  })
})

test_that("the texts of the core's errors on a network", {
  expect_snapshot(error = TRUE, {
    pbn(c(A = "B"))
    pbn(c(A = "A &"))
    pbn(c(A = "A & (A"))
    pbn(c(A = "f(A){012}"))
    pbn(c(A = "f(A){0}"))
    pbn(c(A = ""))
    pbn(list(A = c("A" = 0.5, "!A" = 0.4)))
    pbn(list(A = c("A" = -1, "!A" = 2)))
    pbn(list(A = c("A", "!A")), contexts = list(probability = c(0.5, 0.4), predictor = cbind(1:2)))
  })
})
