# Long runs that wait for rare choices: those that act only without a flip, several in a row, and slow states that are masked.

relays <- function(n) {
  nodes <- paste0("d", seq_len(n))
  c(list(d1 = c("0" = 0.5, "1" = 0.5)), stats::setNames(as.list(nodes[-n]), nodes[-1L]))
}

waiting_latch <- function(n, p, rare, ...) {
  rules <- c(relays(n), list(L = stats::setNames(c(1 - rare, rare), c("L", paste0("d", n)))))
  pbn(rules, perturbation = p, exempt = "L", initial = stats::setNames(integer(n + 1), names(rules)), ...)
}

# k heads in a row turn the latch on, or change it
heads <- function(k, head, latch = "L | ") {
  nodes <- paste0("x", seq_len(k))
  rules <- c(
    list(c = c("0" = 1 - head, "1" = head)), stats::setNames(as.list(c("c", paste(nodes[-k], "& c"))), nodes),
    list(L = paste0(latch, nodes[[k]]))
  )
  pbn(rules, initial = stats::setNames(integer(k + 2), names(rules)))
}

test_that("a choice waits for a step without a flip, and a run that cannot wait so long is refused", {
  # 1 / (.001 * .95^200) = 2.85e7 steps
  for (seed in 1:2) {
    expect_error(
      steady_state(waiting_latch(200, 0.05, 0.001), "L", precision = 0.01, seed = seed), "about once in 2.85e+07 steps",
      fixed = TRUE, class = "fireflip_error_convergence"
    )
  }
  # an asynchronous update also has to select the node: 26 / (.1 * .8^25) = 6.9e4 steps
  expect_error(
    steady_state(waiting_latch(25, 0.2, 0.1, update = "asynchronous"), "L", seed = 1, max_burn_in = 2^14),
    "about once in 6.88e+04 steps", fixed = TRUE, class = "fireflip_error_convergence"
  )
  # a context that is rarely selected: 1 / (.001 * .9^41) = 7.52e4 steps
  latch <- waiting_latch(41, 0.1, 0.002)
  rules <- lapply(seq_along(latch$nodes), function(i) latch$rules$predictor[latch$rules$node == i])
  contexts <- list(probability = c(0.499, 0.499, 0.001, 0.001), predictor = matrix(1L, 4L, 42L))
  contexts$predictor[c(2L, 4L), 1L] <- 2L
  contexts$predictor[3:4, 42L] <- 2L
  dependent <- pbn(
    stats::setNames(rules, latch$nodes), perturbation = 0.1, exempt = "L", contexts = contexts,
    initial = stats::setNames(latch$initial, latch$nodes)
  )
  expect_error(
    steady_state(dependent, "L", seed = 1, max_burn_in = 2^13), "about once in 7.52e+04 steps", fixed = TRUE,
    class = "fireflip_error_convergence"
  )
  # one that may wait has the truth: 1 / (.05 * .95^40) = 156 steps
  x <- steady_state(waiting_latch(40, 0.05, 0.05), "L", precision = 0.01, confidence = 1 - 1e-6, seed = 1)
  expect_true(x$lower < 0.5 && x$upper > 0.5)
})

test_that("rare choices in a row have their exact weight, though no trajectory shows them", {
  exactly <- function(expr) suppressMessages(expr)$probability
  expect_message(x <- steady_state(heads(32, 0.5), "L", seed = 1), "132 states can follow", class = "fireflip_message_method")
  expect_identical(x$probability, 1)
  twice <- pbn(list(a = c("0" = 1 - 1e-5, "1" = 1e-5), b = "a", L = "L ^ (a & b)"), initial = c(a = 0, b = 0, L = 0))
  expect_message(
    x <- steady_state(twice, "L", method = "simulation", seed = 1), "the simulation does not reach the long run",
    class = "fireflip_message_method"
  )
  expect_equal(x$probability, 0.5, tolerance = 1e-12)
  expect_identical(of_run(x, "method"), "exact")
  expect_identical(exactly(steady_state(heads(9, 0.1), "L", method = "simulation", seed = 1)), 1)
  for (k in c(3, 12, 40)) for (head in c(0.1, 0.35, 0.6)) {
    expect_equal(exactly(steady_state(heads(k, head, "L ^ "), "L", method = "exact")), 0.5, tolerance = 1e-12)
  }
  # a simulation that reaches its long run is kept
  x <- steady_state(heads(3, 0.5, "L ^ "), "L", precision = 0.01, confidence = 1 - 1e-6, method = "simulation", seed = 1)
  expect_true(x$trajectories > 0 && x$lower < 0.5 && x$upper > 0.5)
  # influences and analyses take the same way; the influence of x40 on L is 1 in every state
  long <- suppressMessages(influence_analysis(heads(40, 0.3, "L ^ "), "L", from = c("x40", "L"), to = "L", seed = 1))
  expect_equal(long$states$probability, 0.5, tolerance = 1e-12)
  expect_equal(long$influence$influence, c(1, 1), tolerance = 1e-12)
  alone <- suppressMessages(long_run_influence(heads(40, 0.3, "L ^ "), "x40", "L", seed = 1))
  expect_equal(alone$influence, 1, tolerance = 1e-12)
  expect_identical(of_run(alone, "method"), "exact")
})

test_that("a run that contradicts the exact long run is replaced by it, also after merging", {
  # L turns on after about 1e9 steps; the pilot's error hides what this changes
  rules <- c(
    list(H = c("1" = 1e-3, "0" = 1 - 1e-3), H2 = "H", H3 = "H2", L = "L | (H & H2 & H3)"),
    stats::setNames(paste0("R", 1:6), paste0("R", 1:6))
  )
  net <- pbn(rules, initial = c(H = 0, H2 = 0, H3 = 0, L = 0))
  set <- "R1 & !(R2 & R3 & R4 & R5 & R6 & L)"
  whole <- suppressMessages(steady_state(net, set, precision = 0.004, method = "simulation", seed = 1))
  expect_equal(whole$probability, 1 / 2 - 1 / 64, tolerance = 1e-12)
  parts <- lapply(1:2, function(i) {
    steady_state(net, set, precision = 0.004, method = "simulation", seed = 1, shard = c(i, 2))
  })
  expect_identical(vapply(parts, of_run, "", "method"), rep("simulation", 2))
  expect_identical(suppressMessages(do.call(c, parts))$probability, whole$probability)
})

test_that("a node that is stuck is named, also if a fast node hides it", {
  coins <- paste0("N", 1:16)
  latch <- list(H = c("1" = 1e-4, "0" = 1 - 1e-4), H2 = "H", H3 = "H2", L = "L | H & H2 & H3")
  rules <- c(
    stats::setNames(rep(list(c("1" = 0.5, "0" = 0.5)), 16L), coins), latch, list(X = paste(coins, collapse = " ^ "), C = "X & !L")
  )
  net <- pbn(rules, initial = c(H = 0, H2 = 0, H3 = 0, L = 0))
  expect_warning(steady_state(net, "C", seed = 1, precision = 0.01), "In no trajectory did node \"L\" change",
    class = "fireflip_warning_unchanged")
  expect_no_warning(steady_state(net, "X", seed = 1, precision = 0.01))
})

test_that("held nodes and inputs wait for nothing", {
  set.seed(1)
  names <- paste0("g", 1:60)
  rules <- stats::setNames(lapply(names, function(i) paste(sample(c(names, "IN"), 2L), collapse = " & !")), names)
  net <- pbn(c(list(IN = "IN"), rules), perturbation = 0.2)
  # the mean number of steps without a flip between two of them is 1 / .8^60 = 6.5e5
  for (held in list(fix_nodes(net, c(IN = 1)), pbn(c(list(IN = "IN"), rules), perturbation = 0.2, exempt = "IN"))) {
    expect_lt(of_run(steady_state(held, "g1 & g2", seed = 1, precision = 0.02), "burn_in"), 1000)
  }
})

test_that("contexts wait for nothing if every node flips", {
  net <- random_pbn(60, perturbation = 0.2, seed = 1, contexts = 2)
  expect_lt(of_run(steady_state(net, "x1 & x2", seed = 1, precision = 0.02), "burn_in"), 1000)
})

test_that("probabilities that underflow give no exact answer", {
  pads <- stats::setNames(as.list(rep("1", 25L)), paste0("Z", 1:25))
  rules <- c(list(A = c("A" = 1, "!A" = 1e-310)), pads)
  net <- pbn(rules, initial = stats::setNames(integer(26), names(rules)))
  expect_error(steady_state(net, "A", method = "exact", reduce = FALSE), class = "fireflip_error_size")
})

test_that("an exact answer draws no seed, and parts that have it are merged", {
  set.seed(1)
  before <- .Random.seed
  suppressMessages(steady_state(heads(30, 0.3), "L"))
  expect_identical(.Random.seed, before)
  parts <- suppressMessages(lapply(1:3, function(i) {
    steady_state(heads(9, 0.1), "L", method = "simulation", seed = 1, shard = c(i, 3))
  }))
  expect_identical(do.call(c, parts), parts[[1L]])
  both <- suppressMessages(lapply(1:2, function(i) {
    influence_analysis(heads(9, 0.1), "L", method = "simulation", seed = 1, shard = c(i, 2))
  }))
  expect_identical(do.call(c, both)$states$probability, 1)
  other <- suppressMessages(steady_state(heads(8, 0.1), "L", method = "simulation", seed = 1, shard = c(2, 3)))
  expect_error(c(parts[[1L]], other), "parts of one run", class = "fireflip_error_argument")
})

test_that("a set that no trajectory changes is marked if it may still change", {
  # 16 relays have too many states, and 32 of their heads in a row are too rare
  nodes <- c(paste0("d", 1:16), paste0("x", 1:32), "L")
  rules <- c(relays(16), stats::setNames(as.list(c("d16", paste(paste0("x", 1:31), "& d16"), "L | x32")), nodes[17:49]))
  net <- pbn(rules, initial = stats::setNames(integer(49), nodes))
  expect_warning(
    x <- steady_state(net, c(L = "L", x1 = "x1"), precision = 0.01, seed = 1), "In no trajectory did the value of \"L\" change",
    class = "fireflip_warning_unchanged"
  )
  expect_identical(x$visited, c("never", "sometimes"))
  # what a trajectory can never leave is certain: the latch was on from the start, or one of two coins decides once
  sure <- set_initial(net, L = 1)
  expect_no_warning(x <- steady_state(sure, "L", precision = 0.01, seed = 1))
  expect_identical(x$probability, 1)
  decided <- c(rules, list(M = c("M" = 0.5, "d16 & !N" = 0.5), N = "1"))
  decided <- pbn(decided, initial = stats::setNames(integer(51), names(decided)))
  expect_no_warning(steady_state(decided, "M", precision = 0.01, seed = 1))
})

test_that("a part without tiles has no values, and no error", {
  net <- pbn(list(a = c("a" = 0.9, "!a" = 0.1)))
  parts <- lapply(1:7, function(i) steady_state(net, "a", method = "simulation", seed = 1, shard = c(i, 7)))
  empty <- vapply(parts, function(x) is.na(x$probability), NA)
  expect_true(any(empty))
  expect_equal(do.call(c, parts), steady_state(net, "a", method = "simulation", seed = 1))
  pairs <- lapply(1:7, function(i) long_run_influence(net, method = "simulation", seed = 1, shard = c(i, 7)))
  expect_equal(do.call(c, pairs)$influence, 1)
  both <- lapply(1:7, function(i) influence_analysis(net, "a", method = "simulation", seed = 1, shard = c(i, 7)))
  expect_equal(do.call(c, both)$states$probability, 0.5, tolerance = 0.01)
})

test_that("a slow state that a fast node masks is found in networks of more than 16 nodes", {
  x <- paste0("x", 1:4)
  two <- paste(utils::combn(sprintf("(%s ^ m)", x), 2, paste, collapse = " & "), collapse = ") | (")
  rules <- c(
    relays(9), list(m0 = "d9", m = "m0"), stats::setNames(rep(list(sprintf("m0 ^ ((%s))", two)), 4L), x),
    list(z = c("x1 ^ m" = 0.515, "!(x1 ^ m)" = 0.485))
  )
  net <- pbn(rules, perturbation = 0.005, exempt = "m")
  found <- steady_state(net, "z", precision = 0.004, confidence = 1 - 1e-6, method = "simulation", seed = 1)
  expect_lt(found$lower, 0.514254) # by the exact method
  expect_gt(found$upper, 0.514254)
  expect_lt(found$upper - found$lower, 0.008)
})

test_that("pilots and runs that take long say so, and what takes the time", {
  state <- list(phase = 0, steps = 1e6, planned = 1e7, fraction = NaN, burn_in = 10, window = 10, forgets = 1)
  expect_message(told_if_long(state, 11), "The pilot takes at least 99 seconds more", class = "fireflip_message_long")
  expect_false(told_if_long(state, 9))
  state <- list(phase = 1, steps = 1e6, planned = 1e7, fraction = 0.01, burn_in = 114761, window = 30720, forgets = 1)
  expect_message(told_if_long(state, 10), "16 minutes more.*burn-in: a trajectory forgets its start in 114,761 steps")
  for (other in list(list(burn_in = 100), list(forgets = 0))) {
    expect_message(told_if_long(utils::modifyList(state, other), 10), "`precision` ten times as large")
  }
  expect_false(told_if_long(utils::modifyList(state, list(fraction = 0.9)), 10))
})
