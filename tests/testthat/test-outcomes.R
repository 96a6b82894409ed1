toggle <- pbn(c(A = "!B", B = "!A"), update = "asynchronous")
plain <- function(x) as.data.frame(x)
quietly <- function(code) withCallingHandlers(code, fireflip_message_method = function(m) invokeRestart("muffleMessage"))

# Identifies an outcome by its smallest state, whatever its number.
outcome_keys <- function(x) unname(apply(as.matrix(x, state = TRUE), 1L, paste, collapse = ""))

test_that("a toggle switch falls to either side", {
  exact <- quietly(outcomes(set_initial(toggle, A = 0, B = 0)))
  expect_equal(exact$probability, c(0.5, 0.5))
  expect_identical(exact$lower, exact$probability)
  expect_identical(exact$type, rep("fixed point", 2))
  expect_identical(unname(as.matrix(exact)), rbind(c(1L, 0L), c(0L, 1L)))
  expect_identical(as.data.frame(exact, run = TRUE)$method, rep("exact", 2))
  some <- outcomes(toggle, from = c(A = 0, B = 0), method = "simulation", seed = 1)
  expect_identical(as.matrix(some)[order(as.matrix(some)[, "B"]), ] |> unname(), rbind(c(1L, 0L), c(0L, 1L)))
  expect_true(all(some$lower < 0.5 & some$upper > 0.5)) # seeded
  expect_true(all(some$upper - some$lower <= 0.02))
  expect_identical(unique(some$trajectories), 10240)
  # A & !B is a fixed point: the result is certain, and no seed was drawn
  there <- outcomes(toggle, from = c(A = 1, B = 0), method = "simulation", seed = 1)
  expect_identical(there$probability, 1)
  expect_identical(there$lower, 1)
  expect_identical(there$trajectories, NA_real_)
  # random B: A & !B stays, A & B reaches both fixed points
  half <- quietly(outcomes(toggle, from = c(A = 1, B = NA)))
  expect_equal(half$probability, c(0.75, 0.25))
  expect_identical(half$outcome, 1:2)
})

test_that("print() shows the options that were chosen", {
  expect_message(outcomes(toggle, seed = 1), class = "fireflip_message_method")
  expect_no_message(outcomes(toggle, method = "exact"))
  large <- set_initial(pbn(stats::setNames(sprintf("n%d", 1:13), sprintf("n%d", 1:13))), n1 = 1)
  expect_message(outcomes(large), "12 free nodes", class = "fireflip_message_method")
  large <- pbn(stats::setNames(sprintf("n%d", c(2:13, 1)), sprintf("n%d", 1:13)))
  expect_no_message(x <- outcomes(large, seed = 1))
  expect_identical(of_run(x, "method"), "simulation")
})

test_that("rings", {
  for (n in c(3, 20, 70)) {
    nodes <- paste0("n", seq_len(n))
    ring <- pbn(stats::setNames(paste0("n", c(n, seq_len(n - 1))), nodes))
    x <- outcomes(ring, from = stats::setNames(as.integer(seq_len(n) == 1), nodes), method = "simulation", seed = 1)
    expect_identical(x$states, as.double(n))
    expect_identical(x$type, "cycle")
    expect_true(all(is.na(as.matrix(x))))
  }
})

# The smallest number of m 95% intervals that must contain the probability. The coverage of Jeffreys' interval is 0.93 to 0.97 if
# about 10 trajectories are expected. A smaller number has a probability below 1e-4.
enough <- function(m) stats::qbinom(1e-4, m, 0.93)

test_that("intervals hold the exact probabilities", {
  skip_on_cran()
  held <- logical()
  branching <- 0
  for (seed in 1:160) {
    update <- if (seed %% 2 == 0) "synchronous" else "asynchronous"
    net <- random_pbn(4 + seed %% 7, functions = c(1, 2), parents = c(1, 3), perturbation = 0, seed = seed)
    if (seed %% 4 < 3) net$rules$predictor[net$rules$node <= 2] <- net$nodes[net$rules$node[net$rules$node <= 2]] # inputs
    net <- set_update(net, update)
    from <- if (seed %% 3 == 0) stats::setNames(as.integer(seq_along(net$nodes) %% 2), net$nodes)
    exact <- outcomes(net, from = from, method = "exact")
    expect_equal(sum(exact$probability), 1)
    some <- outcomes(net, from = from, method = "simulation", precision = 0.016, seed = seed)
    expect_equal(sum(some$probability), 1)
    if (nrow(exact) == 1L) {
      expect_identical(outcome_keys(some), outcome_keys(exact))
      next
    }
    at <- match(outcome_keys(exact), outcome_keys(some))
    expect_true(all(outcome_keys(some) %in% outcome_keys(exact)))
    expect_identical(some$type[at[!is.na(at)]], exact$type[!is.na(at)])
    expect_identical(some$states[at[!is.na(at)]], exact$states[!is.na(at)])
    branching <- branching + 1
    common <- exact$probability > 10 / 4096
    held <- c(held, some$lower[at][common] <= exact$probability[common] & exact$probability[common] <= some$upper[at][common])
  }
  held[is.na(held)] <- FALSE
  expect_gt(branching, 60)
  expect_gte(sum(held), enough(length(held)))
})

test_that("dependent networks", {
  net <- pbn(list(A = c("A | B", "A & B"), B = c("A | B", "A & B")),
    contexts = list(probability = c(0.7, 0.3), predictor = rbind(c(1, 1), c(2, 2))))
  x <- outcomes(net, from = c(A = 1, B = 0), method = "exact")
  expect_equal(x$probability, c(0.7, 0.3))
  some <- outcomes(net, from = c(A = 1, B = 0), method = "simulation", seed = 1)
  expect_true(all(some$lower <= x$probability & x$probability <= some$upper))
  # in asynchronous update, nodes A | B and A & B alternate while they differ
  slow <- outcomes(set_update(net, "asynchronous"), from = c(A = 1, B = 0), method = "exact")
  expect_identical(nrow(slow), 2L)
})

test_that("attractors of deterministic networks are BoolNet's", {
  skip_if_not_installed("BoolNet")
  for (seed in 1:10) {
    net <- random_pbn(8, functions = c(1, 1), parents = c(1, 3), perturbation = 0, seed = seed)
    theirs <- BoolNet::getAttractors(as_boolnet(net), method = "exhaustive")$attractors
    ours <- outcomes(net, method = "exact")
    sizes <- vapply(theirs, function(a) ncol(a$involvedStates), 0L)
    basins <- vapply(theirs, function(a) a$basinSize, 0) / 256
    expect_equal(sort(ours$probability), sort(basins))
    expect_equal(sort(ours$states), sort(as.double(sizes)))
    expect_equal(ours$type == "fixed point", ours$states == 1)
    some <- outcomes(net, method = "simulation", seed = seed)
    expect_setequal(outcome_keys(some), outcome_keys(ours)[ours$probability > 0])
  }
})

test_that("an answer depends on model, start, options and seed alone", {
  net <- random_pbn(14, functions = c(1, 2), parents = c(1, 3), perturbation = 0, seed = 3)
  one <- outcomes(net, seed = 5, threads = 1)
  two <- outcomes(net, seed = 5, threads = 2)
  expect_identical(plain(one), plain(two))
  expect_identical(as.matrix(one), as.matrix(two))
  set.seed(1)
  three <- outcomes(net)
  set.seed(1)
  expect_identical(plain(outcomes(net)), plain(three))
  net$exempt[] <- TRUE
  net$perturbation <- 0.1
  expect_identical(plain(outcomes(net, seed = 5)), plain(one))
})

test_that("trajectories that reach no attractor are an error", {
  slow <- pbn(list(A = c("A" = 0.999999, "B" = 1e-6), B = c("B" = 0.999999, "A" = 1e-6)))
  err <- expect_error(
    outcomes(slow, from = c(A = 1, B = 0), method = "simulation", max_steps = 100, seed = 1), "raise `max_steps`",
    class = "fireflip_error_convergence"
  )
  expect_identical(err$trajectories, 10240)
  expect_gt(err$unresolved, 10000)
  expect_identical(err$steps, 100)
  nodes <- paste0("n", 1:15)
  wild <- pbn(stats::setNames(rep(list(c("0", "1")), 15), nodes))
  expect_error(
    outcomes(wild, max_steps = 100, max_states = 1000, seed = 1), "10,240 of 10,240 .*raise `max_states`",
    class = "fireflip_error_convergence"
  )
  x <- outcomes(wild, max_states = 2^15, seed = 1)
  expect_identical(x$states, 2^15)
  expect_identical(x$type, "complex")
  expect_identical(x$upper, 1)
  expect_lt(x$lower, 1)
})

test_that("arguments out of their domain", {
  wrong <- function(code, text) expect_error(code, text, class = "fireflip_error_argument")
  wrong(outcomes(1), "a network")
  wrong(outcomes(set_perturbation(toggle, 0.1)), "leaves every attractor.*set_perturbation\\(net, 0\\)")
  reduced <- set_perturbation(toggle, 0.1, exempt = c("A", "B"))
  reduced$removed <- c(nodes = 1L, perturbed = 1L)
  wrong(outcomes(reduced), "leaves every attractor")
  wrong(outcomes(toggle, from = c(C = 1)), "`from` names \"C\"")
  wrong(outcomes(toggle, from = c(A = 2)), "`from` must be 0 or 1")
  wrong(outcomes(toggle, precision = 0), "`precision`")
  wrong(outcomes(toggle, confidence = 1), "`confidence`")
  wrong(outcomes(toggle, method = "guess"), "`method`")
  wrong(outcomes(toggle, max_steps = 0), "`max_steps`")
  wrong(outcomes(toggle, max_states = 2^25), "`max_states`")
  wrong(outcomes(toggle, seed = -1), "`seed`")
  wrong(outcomes(toggle, threads = 0), "`threads`")
  wrong(outcomes(toggle, progress = NA), "`progress`")
  wide <- pbn(stats::setNames(rep("1", 25), paste0("n", 1:25)))
  expect_error(outcomes(wide, method = "exact"), class = "fireflip_error_size")
})

test_that("outcomes are shown", {
  x <- outcomes(toggle, from = c(A = 0, B = 0), method = "simulation", seed = 1)
  text <- capture.output(print(x))
  expect_match(text[[1L]], "2 outcomes from one start (A = 0, B = 0); 95% intervals", fixed = TRUE)
  expect_match(text[[3L]], "A & !B|B & !A")
  expect_length(capture.output(print(x, n = 1)), 4L)
  expect_identical(names(format(x)), c("outcome", "probability", "lower", "upper", "type", "states", "nodes"))
  expect_identical(names(as.data.frame(x, nodes = TRUE))[8:9], c("A", "B"))
  expect_identical(class(as.data.frame(x)), "data.frame")
  s <- summary(x)
  expect_length(s$on, 2L)
  expect_lt(s$unseen, 4e-4)
  expect_match(capture.output(print(s)), "An outcome that is not listed", all = FALSE)
  # a subset of rows keeps the record of nodes, or there is an error
  second <- x[2, ]
  expect_output(print(second), "1 outcome")
  if (!is.null(attr(second, "run"))) expect_identical(unname(as.matrix(second)), unname(as.matrix(x)[2, , drop = FALSE]))
  attr(second, "run") <- NULL
  expect_output(print(second), "1 outcome")
  expect_error(as.matrix(second), "lacks the record of its nodes", class = "fireflip_error_argument")
  expect_output(print(x[c("type", "states")]), "fixed point")
  ring <- quietly(outcomes(pbn(c(A = "B", B = "A")), from = c(A = 1, B = 0)))
  expect_output(print(ring), "varies: A B")
  expect_identical(summary(ring)$varies, list(c("A", "B")))
  expect_error(as.data.frame(quietly(outcomes(pbn(c(states = "states")))), nodes = TRUE), class = "fireflip_error_argument")
})

test_that("outcomes are drawn", {
  x <- outcomes(toggle, method = "exact")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  drawn <- plot(x, main = "toggle")
  expect_identical(nrow(drawn), 2L)
  expect_match(drawn$label[[2L]], "^1: ")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(x), "ggplot")
})
