# method = "auto", which uses the exact method if this is fast, and reports it. on_slow, for trajectories that do not converge.
small <- pbn(list(a = c("b | !c" = 0.6, "!b & c" = 0.4), b = "a ^ c", c = c("a" = 0.5, "!b" = 0.5)), perturbation = 0.01)
# 16 links and two rings of 7 nodes: all 30 nodes affect the last link
large <- pbn(
  c(
    stats::setNames(c(paste0("r", c(7, 1:6)), paste0("s", c(7, 1:6))), paste0(rep(c("r", "s"), each = 7), 1:7)),
    l1 = "r1 ^ s1", stats::setNames(paste0("l", 1:15, c(" & r1", " | s1", " ^ r2")), paste0("l", 2:16))
  ),
  perturbation = 0.05
)

# The value of `code` and its messages about the method.
told <- function(code) {
  texts <- character()
  value <- withCallingHandlers(code, fireflip_message_method = function(condition) {
    texts <<- c(texts, conditionMessage(condition))
    invokeRestart("muffleMessage")
  })
  list(value = value, texts = texts)
}

said <- function(states, nodes) {
  sprintf("method = \"exact\": the long run of the %d states of %d free nodes is computed, not simulated.\n", states, nodes)
}

test_that("\"auto\" is exact if the network is small, and reports it", {
  calls <- list(
    function(...) steady_state(small, c("a & b", "c"), ...), function(...) long_run_influence(small, ...),
    function(...) influence_analysis(small, "a & c", ...), function(...) node_activity(small, ...),
    function(...) long_run_sensitivity(small, "a", seed = 1, ...)
  )
  for (call in calls) {
    got <- told(call())
    expect_identical(got$texts, said(8, 3))
    expect_identical(of_run(got$value, "method"), "exact")
    expect_silent(exact <- call(method = "exact"))
    expect_identical(timeless(got$value), timeless(exact))
    expect_identical(told(call(method = "auto"))$texts, said(8, 3))
  }
  expect_message(steady_state(small, "a"), class = "fireflip_message_method")
  expect_identical(told(suppressMessages(steady_state(small, "a"), classes = "fireflip_message_method"))$texts, character())
  # only relevant free nodes count
  expect_identical(told(steady_state(fix_nodes(small, a = 1), "b & c"))$texts, said(4, 2))
  expect_identical(told(steady_state(large, "r1 & r2"))$texts, said(128, 7))
})

test_that("\"auto\" simulates large networks, without a message", {
  got <- told(steady_state(large, "l16", precision = 0.02, seed = 1))
  expect_identical(got$texts, character())
  expect_length(attr(got$value, "run")$model$nodes, 30)
  expect_identical(of_run(got$value, "method"), "simulation")
  expect_identical(timeless(got$value), timeless(steady_state(large, "l16", precision = 0.02, method = "simulation", seed = 1)))
  expect_silent(pair <- long_run_influence(large, "l15", "l16", precision = 0.02, seed = 1))
  expect_identical(of_run(pair, "method"), "simulation")
  expect_silent(both <- influence_analysis(large, "l16", to = "l2", precision = 0.02, influence_precision = 0.02, seed = 1))
  expect_identical(of_run(both, "method"), "simulation")
  expect_silent(wide <- steady_state(large, "r1 & r2", precision = 0.02, seed = 1, reduce = FALSE)) # because all nodes are kept
  expect_identical(of_run(wide, "method"), "simulation")
})

test_that("arguments that only apply to simulation make \"auto\" simulate", {
  part <- told(steady_state(small, "a", precision = 0.02, seed = 1, shard = c(1, 2)))
  expect_identical(part$texts, character())
  expect_identical(of_run(part$value, "method"), "simulation")
  for (layout in c("sliced", "packed")) {
    one <- told(steady_state(small, "a", precision = 0.02, seed = 1, layout = layout))
    expect_identical(one$texts, character())
    expect_identical(of_run(one$value, "layout"), layout)
    pairs <- told(long_run_influence(small, precision = 0.02, seed = 1, layout = layout))
    expect_identical(c(pairs$texts, of_run(pairs$value, "layout")), layout)
  }
  settled <- function(backend = "auto", layout = "auto", shard = NULL) {
    told(fireflip:::settle_method("auto", small, backend, layout, shard))$value
  }
  expect_identical(settled(), "exact")
  expect_identical(settled(backend = "cpu"), "exact")
  expect_identical(settled(backend = "cuda"), "simulation")
  expect_identical(settled(layout = c("auto", "sliced", "packed")), "exact")
  # method = "exact" is always exact
  expect_identical(of_run(steady_state(small, "a", method = "exact", layout = "packed"), "method"), "exact")
})

test_that("an exact answer draws no seed from R's generator, and a simulation does", {
  state <- function(code) {
    set.seed(7)
    before <- .Random.seed
    suppressMessages(code, classes = "fireflip_message_method")
    identical(.Random.seed, before)
  }
  expect_true(state(steady_state(small, "a")))
  expect_true(state(long_run_influence(small)))
  expect_true(state(influence_analysis(small, "a")))
  expect_true(state(node_activity(small)))
  expect_true(state(steady_state(small, "a", method = "exact")))
  expect_false(state(steady_state(small, "a", precision = 0.02, method = "simulation")))
  expect_false(state(steady_state(large, "l16", precision = 0.02)))
  expect_true(state(steady_state(large, "l16", precision = 0.02, seed = 1)))
})

test_that("arguments are checked before the method is settled", {
  for (bad in list(list(seed = -1), list(precision = 0), list(threads = 0), list(layout = "round"), list(backend = "gpu"),
    list(max_burn_in = 1), list(on_slow = "wait"), list(confidence = 1), list(shard = c(2, 1), seed = 1))) {
    for (call in list(steady_state, influence_analysis)) {
      expect_error(do.call(call, c(list(small, "a"), bad)), class = "fireflip_error_argument", info = names(bad))
    }
    expect_error(do.call(long_run_influence, c(list(small), bad)), class = "fireflip_error_argument", info = names(bad))
  }
})

# Three nodes that follow their majority. They leave each of the two basins about once in 3e7 steps.
majority <- "a & b | b & c | a & c"
basins <- pbn(c(a = majority, b = majority, c = majority), perturbation = 1e-4)
slow <- function(call, ...) call(basins, ..., method = "simulation", seed = 1, max_burn_in = 2^13)
doubtful <- "^The result is uncertain, and its intervals are not reliable: .* still disagree about nodes (\"[abc]\"(, )?){3}"

test_that("trajectories that still disagree are an error that names the nodes, or a warning and a result", {
  states <- function(...) slow(steady_state, c("a", "a & !b"), precision = 0.05, ...)
  named <- "still disagree about nodes (\"[abc]\"(, )?){3}"
  expect_error(states(), named, class = "fireflip_error_convergence")
  expect_error(states(on_slow = "error"), named, class = "fireflip_error_convergence")
  expect_warning(got <- states(on_slow = "warn"), doubtful, class = "fireflip_warning_convergence")
  doubt <- attr(got, "run")$doubt
  expect_match(doubt, named)
  expect_gt(got$rhat[[1L]], 2)
  expect_identical(got$visited, c("sometimes", "sometimes"))
  # the number of threads changes no bit
  expect_warning(again <- states(on_slow = "warn", threads = 3), class = "fireflip_warning_convergence")
  expect_identical(timeless(again), timeless(got))

  expect_output(print(got), "UNCERTAIN: trajectories still disagree, and the intervals are not reliable; see summary()",
    fixed = TRUE)
  about <- capture.output(print(summary(got)))
  expect_match(gsub(" +", " ", paste(about, collapse = " ")), paste("UNCERTAIN:", substr(doubt, 1, 100)), fixed = TRUE)
  flat <- as.data.frame(got)
  expect_identical(class(flat), "data.frame")
  expect_identical(flat$probability, got$probability)
  expect_named(format(got), c("set", "probability", "lower", "upper", "samples", "trajectories", "rhat"))
  expect_output(print(got["set"]), "a & !b")
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(nrow(plot(got)), 2L)
  expect_true(all(c("rhat", "width") %in% names(plot(got, type = "convergence"))))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(got), "ggplot")
  expect_s3_class(ggplot2::autoplot(got, type = "convergence"), "ggplot")
})

test_that("on_slow also applies to influences, analyses, activities and sensitivities", {
  uncertain <- "UNCERTAIN: trajectories still disagree"
  pdf(NULL)
  on.exit(dev.off())
  kinds <- list(
    list(long_run_influence, precision = 0.05), list(influence_analysis, "a", precision = 0.05, influence_precision = 0.05),
    list(node_activity, precision = 0.05)
  )
  for (kind in kinds) {
    expect_error(do.call(slow, kind), "still disagree about nodes", class = "fireflip_error_convergence")
    expect_warning(got <- do.call(slow, c(kind, on_slow = "warn")), doubtful, class = "fireflip_warning_convergence")
    expect_output(print(got), uncertain)
    expect_output(print(summary(got)), "UNCERTAIN: ")
    expect_identical(class(as.data.frame(got)), "data.frame")
    expect_error(plot(got), NA)
    expect_error(plot(got, type = "convergence"), NA)
  }
  changes <- list(long_run_sensitivity, "a", nodes = "a", precision = 0.05)
  expect_error(do.call(slow, changes), class = "fireflip_error_convergence")
  expect_warning(got <- do.call(slow, c(changes, on_slow = "warn")), doubtful, class = "fireflip_warning_convergence")
  expect_identical(got$changed, c(0, 1)) # a is held, so that no basins remain
  expect_output(print(got), uncertain)
  expect_identical(class(as.data.frame(got)), "data.frame")
})

test_that("on_slow = \"warn\" changes nothing where there is no doubt", {
  one <- function(...) steady_state(small, c("a", "b & c"), precision = 5e-3, method = "simulation", seed = 3, ...)
  expect_silent(got <- one(on_slow = "warn"))
  expect_identical(timeless(got), timeless(one()))
  expect_null(attr(got, "run")$doubt)
  expect_false(any(grepl("UNCERTAIN", c(capture.output(print(got)), capture.output(print(summary(got)))))))
  # exact results have none
  expect_silent(exact <- steady_state(basins, "a", method = "exact", on_slow = "warn"))
  expect_equal(exact$probability, 0.5)
})

test_that("sensitivities that are all exact draw no seed", {
  set.seed(7)
  state <- .Random.seed
  got <- suppressMessages(long_run_sensitivity(small, "a"))
  expect_identical(.Random.seed, state)
  expect_identical(of_run(got, "seed"), NA_real_)
})
