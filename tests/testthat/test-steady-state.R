small <- function(p = 0.01, update = "synchronous") {
  pbn(list(
    a = c("b | !c" = 0.6, "!b & c" = 0.4), b = "a ^ c", c = c("a" = 0.5, "!b" = 0.5), d = "c & a",
    e = c("e" = 0.3, "d | e & a" = 0.7)
  ), perturbation = p, update = update)
}
sets <- c(ab = "a & b", rare = "a & b & c & d & e", mixed = "!e & (a | c)")

test_that("estimates agree with exact answers", {
  for (update in c("synchronous", "asynchronous")) {
    net <- small(update = update)
    exact <- steady_state(net, sets, method = "exact")
    got <- steady_state(net, sets, precision = 1e-3, method = "simulation", seed = 11)
    se <- (got$upper - got$lower) / 2 / qnorm(0.975)
    # three sets and two networks: a difference of 5 standard errors has probability below 4e-6
    expect_lt(max(abs(got$probability - exact$probability) / se), 5)
    expect_lte(max(got$upper - got$lower) / 2, 1e-3 * 1.01)
    expect_true(all(got$rhat < 1.05))
    expect_identical(exact$lower, exact$probability)
  }
})

test_that("threads, vectors and pieces of work change no bit", {
  for (update in c("synchronous", "asynchronous")) {
    net <- small(update = update)
    one <- timeless(steady_state(net, sets, method = "simulation", seed = 3, precision = 2e-3, threads = 1))
    for (threads in c(2, 7)) {
      got <- steady_state(net, sets, method = "simulation", seed = 3, precision = 2e-3, threads = threads)
      expect_identical(timeless(got), one)
    }
    for (simd in c("portable", "avx2", "avx512")[seq_len(.Call(fireflip:::ffi_machine)$simd + 1)]) {
      old <- options(fireflip.simd = simd)
      expect_identical(timeless(steady_state(net, sets, method = "simulation", seed = 3, precision = 2e-3)), one)
      options(old)
    }
  }
})

test_that("shards of uneven sizes add up to the whole, in any order", {
  net <- small()
  whole <- steady_state(net, sets, method = "simulation", seed = 5, precision = 3e-4)
  parts <- lapply(1:3, function(i) steady_state(net, sets, seed = 5, precision = 3e-4, shard = c(i, 3)))
  expect_gt(length(unique(vapply(parts, function(part) part$samples[[1]], 0))), 1)
  expect_identical(timeless(do.call(c, parts)), timeless(whole))
  expect_identical(timeless(do.call(c, rev(parts))), timeless(whole))
  # hosts of a cluster need not have the same number of cores
  mixed <- lapply(
    1:3, function(i) steady_state(net, sets, seed = 5, precision = 3e-4, shard = c(i, 3), threads = c(1, 2, 7)[[i]])
  )
  expect_identical(timeless(do.call(c, mixed)), timeless(whole))
  expect_error(c(parts[[1]], parts[[1]]), class = "fireflip_error_argument")
  expect_warning(c(parts[[1]], parts[[3]]), class = "fireflip_warning_parts")
  expect_output(print(parts[[2]]), "PART 2 of 3")
  expect_error(steady_state(net, sets, shard = c(1, 3)), class = "fireflip_error_argument")
  other <- steady_state(net, sets, seed = 6, precision = 3e-4, shard = c(2, 3))
  expect_error(c(parts[[1]], other), class = "fireflip_error_argument")
  expect_error(c(whole, steady_state(net, sets, method = "exact")), class = "fireflip_error_argument")
})

# A run whose first plan was too small continues, and so do its merged parts.
expect_whole <- function(call, divisions, resumes) {
  whole <- call(NULL)
  for (n in divisions) {
    parts <- lapply(seq_len(n), function(i) call(c(i, n), threads = 1 + i %% 3))
    planned <- sum(vapply(parts, function(part) part$trajectories[[1]], 0))
    messages <- 0
    merged <- withCallingHandlers(do.call(c, parts), fireflip_message_resume = function(message) {
      messages <<- messages + 1
      invokeRestart("muffleMessage")
    })
    expect_identical(timeless(merged), timeless(whole))
    expect_identical(messages > 0, resumes)
    expect_identical(planned != whole$trajectories[[1]], resumes)
  }
  invisible(whole)
}

test_that("merged parts continue for the precision, as the undivided run does", {
  rare <- pbn(list(a = "0", b = "0", c = "!c"), perturbation = 0.002)
  call <- function(seed) function(shard, ...) {
    steady_state(rare, "a & b", precision = 1e-6, method = "simulation", seed = seed, shard = shard, ...)
  }
  expect_whole(call(1), c(2, 3, 5), TRUE)
  expect_whole(call(6), 3, FALSE)
})

# Parts that start again with a longer burn-in are tested in tests/c/test_estimate.c. This does not happen here, because the pilot
# monitors all relevant nodes, except for some in large packed networks.
test_that("the pilot detects nodes that change far more slowly than the set, also in parts of a run", {
  slow <- pbn(list(s = c("1" = 1e-4, "s" = 1 - 1e-4), x = c("s" = 0.8, "1" = 0.1, "0" = 0.1)))
  slow <- set_initial(slow, c(s = 0, x = 0))
  call <- function(shard, ...) steady_state(slow, "x", precision = 5e-4, method = "simulation", seed = 1, shard = shard, ...)
  whole <- expect_whole(call, 3, FALSE)
  expect_gt(of_run(whole, "burn_in"), 10000)
  expect_lt(abs(whole$probability - 0.9), 2e-3)
})

test_that("there may be more parts than tiles, merged results can be merged, and other results are errors", {
  call <- function(shard) steady_state(small(), sets, method = "simulation", seed = 5, precision = 5e-3, shard = shard)
  parts <- lapply(1:9, function(i) call(c(i, 9)))
  expect_true(any(vapply(parts, function(part) part$trajectories[[1]] == 0, NA)))
  whole <- call(NULL)
  expect_identical(timeless(do.call(c, parts)), timeless(whole))
  some <- suppressWarnings(do.call(c, parts[c(2, 7, 4)]), classes = "fireflip_warning_parts")
  rest <- suppressWarnings(do.call(c, parts[c(1, 3, 5, 6, 8)]), classes = "fireflip_warning_parts")
  expect_identical(timeless(c(parts[[9]], rest, some)), timeless(whole))
  expect_error(c(some, parts[[7]]), class = "fireflip_error_argument")
  expect_error(c(do.call(c, parts), parts[[1]]), class = "fireflip_error_argument")
  # results that were saved and loaded can be merged
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(parts, file)
  expect_identical(timeless(do.call(c, readRDS(file))), timeless(whole))
  broken <- parts
  attr(broken[[1]], "run")$tally <- utils::head(attr(broken[[1]], "run")$tally, -8)
  expect_error(do.call(c, broken), class = "fireflip_error_argument")
})

test_that("the seed determines the result", {
  net <- small()
  got <- function(...) steady_state(net, "a", method = "simulation", ...)
  expect_identical(timeless(got(seed = 1)), timeless(got(seed = 1)))
  expect_false(got(seed = 1)$probability == got(seed = 2)$probability)
  set.seed(4)
  first <- got()
  set.seed(4)
  expect_identical(timeless(got()), timeless(first))
  expect_false(of_run(got(), "seed") == of_run(first, "seed"))
})

test_that("reduction changes no exact value and is used", {
  net <- example_model("apoptosis")
  full <- small()
  expect_equal(
    steady_state(full, "d", method = "exact")$probability, steady_state(full, "d", method = "exact", reduce = FALSE)$probability,
    tolerance = 1e-11
  )
  run <- attr(steady_state(net, "complex2", precision = 0.05, method = "simulation", seed = 1), "run")
  expect_length(run$model$nodes, 59)
})

test_that("sets may be texts, vectors and lists", {
  net <- small()
  exact <- function(states) steady_state(net, states, method = "exact")
  expect_equal(exact(c(a = 1, b = 0))$probability, exact("a & !b")$probability)
  expect_identical(exact(c(a = 1, b = 0))$set, "a & !b")
  got <- exact(list(first = c(a = 1), "b | c"))
  expect_identical(got$set, c("first", "b | c"))
  expect_error(exact("nobody"), class = "fireflip_error_parse")
  expect_error(exact("a &"), class = "fireflip_error_parse")
  expect_error(exact(c(a = 2)), class = "fireflip_error_argument")
  expect_error(exact(c(1, 0)), class = "fireflip_error_argument")
  expect_error(exact(c(x = "a", x = "b")), class = "fireflip_error_argument")
  expect_error(exact(character()), class = "fireflip_error_argument")
  expect_error(exact(NA_character_), class = "fireflip_error_argument")
  expect_error(steady_state(net), class = "fireflip_error_argument")
})

test_that("sets never or always visited come with a bound", {
  net <- fix_nodes(small(), e = 1)
  got <- steady_state(net, c("e", "!e", "a", "1"), method = "simulation", seed = 1)
  expect_identical(got$visited, c("always", "never", "sometimes", "always"))
  # a held node's value is certain
  expect_identical(got$lower[c(1, 2, 4)], c(1, 0, 1))
  expect_identical(got$upper[c(1, 2, 4)], c(1, 0, 1))
  expect_identical(steady_state(net, "1", method = "simulation", seed = 1)$probability, 1)
  # b is never on, which only follows from the rules of its parents
  quiet <- pbn(list(a = "a", b = "a & !a & c", c = "!c"), perturbation = 0.01, exempt = "b")
  never <- steady_state(set_initial(quiet, b = 0), "b", method = "simulation", seed = 1)
  expect_identical(never$visited, "never")
  expect_identical(never$probability, 0)
  expect_true(never$upper > 0 && never$upper < 0.01)
})

test_that("if the long run depends on the start, it is averaged over the given starts, and print() reports it", {
  sets <- c("b", "c & a", "a ^ b")
  net <- pbn(c(a = "a", b = "a", c = "!c")) # a stays as it is, b follows, c has a period
  for (start in list(NULL, c(a = 1), c(a = 0, c = 1))) {
    model <- if (is.null(start)) net else set_initial(net, start)
    exact <- steady_state(model, sets, method = "exact")$probability
    expect_equal(exact, if (is.null(start)) c(0.5, 0.25, 0) else c(start[["a"]], start[["a"]] / 2, 0))
    got <- steady_state(model, sets, precision = 5e-3, method = "simulation", seed = 1)
    expect_true(all(got$lower <= exact & exact <= got$upper))
    expect_lte(max(got$upper - got$lower) / 2, 5e-3 * 1.01)
    expect_output(print(got), "The long run may depend on the start. This is the average over the network's initial states")
  }
  # an exempt input keeps its value although the other nodes are perturbed
  kept <- pbn(c(a = "a", b = "a"), perturbation = 0.01, exempt = "a")
  got <- steady_state(kept, "b", precision = 0.01, method = "simulation", seed = 2)
  expect_true(got$lower <= 0.5 && 0.5 <= got$upper && got$upper - got$lower <= 0.0202)
  # with a complete initial state and nothing random, all trajectories are equal
  fixed <- steady_state(set_initial(net, c(a = 1, b = 0, c = 0)), sets, method = "simulation", seed = 1)
  expect_identical(fixed$visited, c("always", "sometimes", "never"))
  expect_equal(fixed$probability, c(1, 0.5, 0))
  # with perturbation of all nodes, the long run does not depend on the initial state
  ring <- set_initial(pbn(c(a = "b", b = "a"), perturbation = 0.01), c(a = 1, b = 1))
  got <- steady_state(ring, "a", precision = 0.01, method = "simulation", seed = 1)
  expect_true(got$lower <= 0.5 && 0.5 <= got$upper)
  expect_false(any(grepl("depend on the start", capture.output(print(got)))))
})

test_that("node_activity gives one row per node", {
  net <- small()
  got <- node_activity(net, method = "simulation", seed = 1)
  expect_identical(got$set, net$nodes)
  exact <- steady_state(net, net$nodes, method = "exact")
  expect_lt(max(abs(got$probability - exact$probability)), 5e-3)
  expect_identical(node_activity(net, nodes = c("d", "a"), method = "simulation", seed = 1)$set, c("d", "a"))
  odd <- pbn(data.frame(node = c("IL-2", "not"), predictor = c("!\"not\"", "\"IL-2\"")), perturbation = 0.1)
  expect_identical(node_activity(odd, method = "simulation", seed = 1)$set, c("IL-2", "not"))
})

test_that("names of any kind are nodes", {
  odd <- pbn(
    data.frame(node = c("!a", "a", "a\"b", "a & b"), predictor = c("a", "`!a`", "\"a & b\"", "`a\"b`")), perturbation = 0.05
  )
  expect_identical(nrow(node_activity(odd, method = "simulation", seed = 1)), 4L)
  expect_silent(steady_state(odd, "`!a`", method = "simulation", seed = 1))
})

test_that("results print, format, summarise and convert", {
  net <- small()
  got <- steady_state(net, sets, method = "simulation", seed = 1)
  expect_output(print(got), "<steady_state> 3 state sets; 95% intervals")
  expect_output(print(got, n = 1), "and 2 more rows")
  expect_output(print(summary(got)), "layout +sliced")
  expect_named(format(got), c("set", "probability", "lower", "upper", "samples", "trajectories", "rhat"))
  expect_identical(class(as.data.frame(got)), "data.frame")
  expect_output(print(steady_state(net, sets, method = "exact")), "exact")
  expect_output(print(got["set"]), "rare")
})

test_that("arguments are checked", {
  net <- small()
  bad <- list(
    list(precision = 0), list(precision = 2), list(precision = NA_real_), list(confidence = 1), list(epsilon = 0),
    list(method = "magic"), list(layout = "round"), list(threads = 0), list(threads = 1.5), list(seed = -1),
    list(seed = 2^53 + 2), list(max_burn_in = 1), list(shard = c(2, 1)), list(shard = 1), list(reduce = NA),
    list(progress = "yes")
  )
  for (arguments in bad) {
    expect_error(do.call(steady_state, c(list(net, "a"), arguments)), class = "fireflip_error_argument", info = names(arguments))
  }
  expect_error(steady_state(1, "a"), class = "fireflip_error_argument")
  expect_error(steady_state(net, "a", backend = "cuda"), class = "fireflip_error_backend")
  old <- options(fireflip.threads = "many")
  on.exit(options(old))
  expect_error(steady_state(net, "a"), class = "fireflip_error_argument")
})

test_that("an exact answer needs no GPU, whatever the backend", {
  old <- options(fireflip.cuda_library = "/nowhere/fireflip_cuda.so", fireflip.backend = NULL)
  on.exit(options(old))
  net <- pbn(c(a = "!b", b = "a"), perturbation = 0.1)
  expect_error(steady_state(net, "a", backend = "cuda"), class = "fireflip_error_backend")
  expect_error(long_run_influence(net, backend = "cuda"), class = "fireflip_error_backend")
  expect_equal(steady_state(net, "a", method = "exact", backend = "cuda")$probability, 0.5)
  expect_identical(of_run(long_run_influence(net, method = "exact", backend = "cuda"), "backend"), "cpu")
  expect_identical(long_run_influence(net, "a", "a", backend = "cuda")$influence, 0) # no arrow, nothing to simulate
  expect_error(steady_state(net, "a", method = "exact", backend = "gpu"), class = "fireflip_error_argument")
  expect_error(long_run_influence(net, method = "exact", backend = "gpu"), class = "fireflip_error_argument")
})

test_that("a small max_burn_in gives no wrong average for a network without perturbation", {
  ring <- set_initial(pbn(c(c = "!c", d = "c")), c(c = 0, d = 0))
  for (most in c(64, 1024, 5040, 2^20)) {
    got <- steady_state(ring, c("c", "c & d"), precision = 0.01, method = "simulation", seed = 1, max_burn_in = most)
    expect_true(all(got$lower <= c(0.5, 0) & c(0.5, 0) <= got$upper), info = most)
  }
  copy <- pbn(c(a = "a", b = "a"))
  got <- steady_state(copy, "b", precision = 0.01, method = "simulation", seed = 1, max_burn_in = 1024)
  expect_true(got$lower <= 0.5 && 0.5 <= got$upper)
})

test_that("parts of an uncertain run add up to it, with its doubt", {
  majority <- "a & b | b & c | a & c"
  basins <- pbn(c(a = majority, b = majority, c = majority), perturbation = 1e-4)
  one <- function(shard = NULL) suppressWarnings(
    steady_state(basins, c("a", "a & !b"), precision = 0.05, method = "simulation", seed = 1, max_burn_in = 2^13,
      on_slow = "warn", shard = shard),
    classes = "fireflip_warning_convergence"
  )
  whole <- one()
  parts <- lapply(1:2, function(i) one(c(i, 2)))
  expect_warning(merged <- do.call(c, parts), class = "fireflip_warning_convergence")
  expect_identical(timeless(merged), timeless(whole))
  expect_identical(merged, whole)
  expect_identical(attr(merged, "run")$doubt, attr(whole, "run")$doubt)
})
