# Numbers that a user puts into a network or a result may be whole (of type integer); other types are errors that say so.

within_net <- function(net, part, value) {
  net[[part]] <- value
  net
}

plain_net <- function() reaction_network("A -> B" = "k * A", "B -> A" = 0.5, initial = c(A = 10, B = 3), parameters = c(k = 2))

test_that("whole numbers are numbers in every part of a reaction network", {
  net <- plain_net()
  whole <- net
  whole$parameters <- c(k = 2L)
  whole$species$initial <- c(10L, 3L)
  run <- function(net, ...) simulate(net, nsim = 20, times = 1:2, seed = 1, ...)
  expect_identical(run(whole)$mean, run(net)$mean)
  for (format in c("sbml", "bngl_net")) {
    expect_identical(
      readLines(write_network(whole, tempfile(), format)), readLines(write_network(net, tempfile(), format))
    )
  }
  expect_identical(chemical_master_equation(whole, times = 1L)$probability, chemical_master_equation(net, times = 1)$probability)
  expect_identical(format(whole), format(net))
  expect_identical(run(set_parameters(whole, k = 3L))$mean, run(set_parameters(net, k = 3))$mean)
})

test_that("final states with columns of whole numbers are continued", {
  net <- plain_net()
  final <- simulate(net, nsim = 5, times = 1, seed = 1, output = "final")
  whole <- final
  for (column in c("A", "B", "time")) whole[[column]] <- as.integer(final[[column]])
  on <- function(initial) simulate(net, nsim = 5, times = 3, seed = 1, initial = initial)$mean
  expect_identical(on(whole), on(final))
  for (wrong in list(as.character(final$A), factor(final$A), final$A > 3, rep(NA, 5), as.list(final$A))) {
    whole$A <- wrong
    expect_error(simulate(net, nsim = 5, times = 3, seed = 1, initial = whole), "`initial` must have finite numbers",
      class = "fireflip_error_argument")
  }
})

test_that("other types are errors that name the part", {
  wrong <- function(part, value) {
    net <- plain_net()
    if (part == "parameters") net$parameters <- value else net$species[[part]] <- value
    expect_error(simulate(net, times = 1, seed = 1), part, class = "fireflip_error")
  }
  some_factor <- structure(1L, levels = "2", class = "factor", names = "k")
  for (value in list(c(k = "2"), list(k = 2), c(k = TRUE), c(k = NA), some_factor)) wrong("parameters", value)
  for (value in list(c("1", "2"), c(NA, NA), c(TRUE, FALSE), factor(1:2), list(1, 2))) wrong("initial", value)
  net <- plain_net()
  net$species$initial <- c(1L, NA)
  expect_error(simulate(net, times = 1, seed = 1), "the initial count of species \"B\" is NaN", class = "fireflip_error_model")
  net <- plain_net()
  net$parameters <- c(k = NA_integer_)
  expect_error(simulate(net, times = 1, seed = 1), "the value of parameter \"k\" is NaN", class = "fireflip_error_model")
})

test_that("Boolean networks take whole and logical numbers, but no factors", {
  net <- pbn(list(A = c("B" = 0.5, "!B" = 0.5), B = "A"), perturbation = 0.01)
  changed <- function(change) suppressMessages(steady_state(change(net), list(on = "A"), seed = 1)$probability)
  same <- changed(identity)
  expect_identical(changed(function(x) within_net(x, "initial", c(TRUE, NA))), same)
  expect_identical(changed(function(x) within_net(x, "exempt", c(0L, 0L))), same)
  expect_error(changed(function(x) within_net(x, "initial", factor(c(1, 0)))), "`initial`", class = "fireflip_error_argument")
  broken <- net
  broken$rules$node <- factor(net$rules$node)
  expect_error(steady_state(broken, list(on = "A"), seed = 1), "rules$node", fixed = TRUE, class = "fireflip_error_argument")
  broken <- net
  broken$rules$probability <- c("1", "1", "1")
  expect_error(steady_state(broken, list(on = "A"), seed = 1), "rules$probability", fixed = TRUE,
    class = "fireflip_error_argument")
})

test_that("parts whose columns were changed are not merged", {
  part <- function(i, output) simulate(plain_net(), 10, times = 2, seed = 1, output = output, shard = c(i, 2))
  for (output in c("final", "trajectories")) {
    first <- part(1, output)
    expect_identical(nrow(c(first, part(2, output))), 10L)
    whole <- part(2, output)
    whole$A <- as.integer(whole$A)
    expect_equal(c(first, whole)$A, c(first, part(2, output))$A)
    changes <- list(
      function(x) transform(x, A = A > 3), function(x) transform(x, A = factor(A)), function(x) transform(x, A = as.character(A)),
      function(x) replace(x, "A", list(replace(x$A, 2, NA))), function(x) stats::setNames(x, names(x)[c(1, 2, 4, 3)])
    )
    for (change in changes) {
      other <- part(2, output)
      changed <- change(as.data.frame(other))
      for (i in seq_along(other)) other[[i]] <- changed[[i]]
      names(other) <- names(changed)
      expect_error(c(first, other), "columns were changed", class = "fireflip_error_argument")
    }
  }
})
