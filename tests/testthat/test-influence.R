net <- pbn(list(
  r = c("c" = 0.5, "!f" = 0.5), c = c("!r" = 0.3, "f" = 0.7), f = "c ^ r", x = c("r & c & f" = 0.25, "r ^ c" = 0.75)
), perturbation = 0.02)

test_that("influences agree with exact answers, synchronous or not", {
  for (update in c("synchronous", "asynchronous")) {
    model <- net
    model$update <- update
    exact <- long_run_influence(model, method = "exact")
    got <- long_run_influence(model, precision = 2e-3, method = "simulation", seed = 1)
    expect_identical(got[c("from", "to")], exact[c("from", "to")])
    sure <- exact$influence %in% c(0, 1) | got$upper == got$lower
    se <- ((got$upper - got$lower) / 2 / qnorm(0.975))[!sure]
    # 8 pairs and two networks: a difference of 5 standard errors has probability below 1e-5
    expect_lt(max(abs(got$influence - exact$influence)[!sure] / se), 5)
    expect_equal(got$influence[sure], exact$influence[sure], tolerance = 1e-12)
  }
})

test_that("intervals contain the estimates and the exact values, for all pairs of many networks", {
  apart <- 0
  for (i in 1:25) {
    model <- random_pbn(8, functions = c(2, 3), parents = c(1, 2), perturbation = 0.01, seed = i)
    exact <- long_run_influence(model, method = "exact")
    got <- long_run_influence(model, precision = 5e-3, method = "simulation", seed = i)
    expect_true(all(got$lower <= got$influence & got$influence <= got$upper))
    half <- pmax((got$upper - got$lower) / 2, 1e-9)
    apart <- max(apart, abs(got$influence - exact$influence) / half)
  }
  # about 800 pairs: one is beyond 2.6 half-widths (5 standard errors) with probability below 1e-3
  expect_lt(apart, 2.6)
  same <- pbn(list(a = "b", b = "!a", c = "c", x = c("a & b" = 0.3, "a | b" = 0.3, c = 0.4)), perturbation = 0.01)
  sure <- long_run_influence(same, "a", "x", method = "simulation", seed = 1)
  expect_equal(sure$influence, 0.3, tolerance = 1e-12)
  expect_true(sure$lower > 0.29 && sure$upper < 0.31)
})

test_that("pairs may be chosen, and those without an arrow are 0", {
  exact <- function(...) long_run_influence(net, ..., method = "exact")
  expect_setequal(exact(to = "x")$from, c("r", "c", "f"))
  expect_setequal(exact(from = "f")$to, c("r", "c", "x"))
  both <- exact(from = c("x", "r"), to = c("f", "x"))
  expect_identical(nrow(both), 4L)
  expect_identical(both$influence[both$from == "x"], c(0, 0))
  expect_identical(long_run_influence(net, from = "x", to = "r", method = "exact")$influence, 0)
  expect_error(exact(to = "nobody"), class = "fireflip_error_argument")
  expect_error(exact(from = "x"), class = "fireflip_error_argument")
  m <- as.matrix(exact())
  expect_identical(dim(m), c(4L, 4L))
  expect_identical(m["x", "r"], 0)
  expect_equal(m["f", "x"], exact(from = "f", to = "x")$influence)
})

test_that("the influence of R on R & C & F is P(C & F)", {
  exact <- long_run_influence(net, from = "r", to = "x", method = "exact")$influence
  expect_equal(exact, 0.25 * steady_state(net, "c & f", method = "exact")$probability + 0.75, tolerance = 1e-10)
})

test_that("shards of influences add up", {
  whole <- long_run_influence(net, method = "simulation", seed = 2, precision = 1e-3)
  parts <- lapply(1:3, function(i) long_run_influence(net, seed = 2, precision = 1e-3, shard = c(i, 3)))
  expect_identical(timeless(do.call(c, parts)), timeless(whole))
  other <- lapply(1:2, function(i) long_run_influence(net, to = c("r", "x")[[i]], seed = 2, shard = c(i, 2)))
  expect_error(do.call(c, other), class = "fireflip_error_argument")
})

test_that("sensitivities are differences of exact answers", {
  sets <- c("x", "r & c")
  base <- steady_state(net, sets, method = "exact")$probability
  node <- long_run_sensitivity(net, sets, nodes = "c", method = "exact")
  expect_identical(node$value, c(0, 0, 1, 1))
  expect_equal(node$difference[3:4], steady_state(fix_nodes(net, c = 1), sets, method = "exact")$probability - base)
  selection <- long_run_sensitivity(net, sets, change = "selection", nodes = "c", by = 0.2, method = "exact")
  changed <- net
  changed$rules$probability[changed$rules$node == 2] <- c(0.5, 0.5)
  expect_equal(selection$difference[1:2], steady_state(changed, sets, method = "exact")$probability - base)
  predictor <- long_run_sensitivity(net, sets, change = "predictor", nodes = "f", method = "exact")
  expect_identical(nrow(predictor), 2L)
  p <- long_run_sensitivity(net, sets, change = "perturbation", by = 0.5, method = "exact")
  expect_equal(p$changed, steady_state(set_perturbation(net, 0.03), sets, method = "exact")$probability)
  got <- long_run_sensitivity(net, sets, nodes = "c", precision = 5e-3, method = "simulation", seed = 1)
  expect_lt(max(abs(got$difference - node$difference) / ((got$upper - got$lower) / 2 / qnorm(0.975))), 5)
  expect_error(long_run_sensitivity(net, "x", change = "perturbation", by = 1e5), class = "fireflip_error_argument")
  expect_error(long_run_sensitivity(net, "x", by = 0), class = "fireflip_error_argument")
})

test_that("sensitivities are shown with the largest first, and their summary has one row per change", {
  local_reproducible_output(width = 100)
  got <- long_run_sensitivity(net, c(x = "x", both = "r & c"), nodes = c("x", "c"), method = "exact")
  expect_true(is.unsorted(-abs(got$difference))) # otherwise this would test nothing
  lines <- capture.output(print(got))
  expect_identical(lines[[1L]], "<long_run_sensitivity> 8 differences, largest first; change: node, exact")
  shown <- as.numeric(vapply(strsplit(trimws(lines[-(1:2)]), " +"), `[`, "", 6L))
  expect_equal(shown, round(got$difference[order(-abs(got$difference))], 6), tolerance = 1e-9)

  about <- summary(got)
  expect_identical(sort(paste(about$node, about$value)), c("c 0", "c 1", "x 0", "x 1"))
  expect_false(is.unsorted(-about$largest))
  for (i in 1:4) {
    rows <- got[got$node == about$node[[i]] & got$value == about$value[[i]], ]
    expect_identical(about$largest[[i]], max(abs(rows$difference)))
    expect_identical(about$total[[i]], sum(abs(rows$difference)))
    expect_identical(about$difference[[i]], rows$difference[[which.max(abs(rows$difference))]]) # with its sign
    expect_identical(about$p_adjusted[[i]], min(rows$p_adjusted))
    expect_identical(about$set[[i]], rows$set[[which.max(abs(rows$difference))]])
    expect_identical(about$clear[[i]], sum(abs(rows$difference) > 1e-10))
  }
  expect_setequal(sign(about$difference), c(-1, 1)) # otherwise only one sign would be tested
  lines <- capture.output(print(about, n = 3))
  expect_identical(lines[[1L]], "Sensitivity of 2 state sets to 4 changes (node), exact")
  move <- sum(about$clear > 0)
  expect_identical(lines[[2L]], sprintf("  %d of 4 changes affect a probability, largest difference first", move))
  expect_match(lines[[3L]], "^ node value +difference +set +total +clear$")
  expect_identical(lines[[7L]], "... and 1 more change")
  expect_output(print(about[c("node", "largest")]), "node +largest")
  expect_error(summary(got["node"]), class = "fireflip_error_argument")

  one <- summary(long_run_sensitivity(net, "x", nodes = "c", precision = 5e-3, method = "simulation", seed = 1))
  expect_output(print(one), "Sensitivity of 1 state set to 2 changes (node), seed 1", fixed = TRUE)
  expect_match(capture.output(print(one))[[2L]], sprintf("^  %d of 2 changes have a difference", sum(one$clear)))
  expect_match(capture.output(print(one))[[5L]], if (one$clear[[1L]] > 0) "yes +[<0-9.]+$" else "no +[0-9.]+$")
})

test_that("nodes that are held are not changed unless they are named", {
  model <- fix_nodes(pbn(c(s = "s", k = "s", x = "s & k & i", i = "i"), perturbation = 0.02), k = 1)
  model$initial[model$nodes == "i"] <- 1L
  model$exempt[model$nodes == "i"] <- TRUE # an exempt input is held as well; s is not
  for (change in c("node", "predictor")) {
    got <- long_run_sensitivity(model, "x", change = change, method = "exact")
    expect_identical(unique(got$node), c("s", "x"), info = change)
  }
  named <- long_run_sensitivity(model, "x", nodes = c("k", "i"), method = "exact")
  expect_identical(unique(named$node), c("k", "i"))
  expect_equal(named$changed[[1L]], named$changed[[3L]]) # x needs both
  expect_equal(named$difference[named$value == 1], c(0, 0)) # these values do not change the network
})

test_that("no two runs of sensitivities share a seed", {
  seeds <- outer(0:49, 0:49, Vectorize(function(seed, run) derived_seed(seed, run)))
  expect_identical(anyDuplicated(as.vector(seeds)), 0L) # by chance with probability 1e-10
  expect_true(all(seeds >= 0, seeds < 2^53, seeds == floor(seeds)))
  expect_false(derived_seed(2^53, 1) == derived_seed(2^53 - 1, 1))
  # seed + i would give change 3 of one seed and change 1 of another the same run
  twice <- function(seed) {
    long_run_sensitivity(net, "x", nodes = c("c", "c"), precision = 0.01, method = "simulation", seed = seed)
  }
  one <- twice(1)
  three <- twice(3)
  expect_identical(one$value[[3L]], three$value[[1L]])
  expect_false(one$changed[[3L]] == three$changed[[1L]])
  expect_false(one$changed[[3L]] == one$changed[[1L]])
  expect_identical(one, twice(1))
  expect_identical(of_run(twice(2^53), "seed"), 2^53)
})

test_that("p-values follow from the intervals and are adjusted for their number", {
  sets <- c("x", "r & c", "f", "x & !f")
  got <- long_run_sensitivity(
    net, sets, change = "selection", by = 0.02, precision = 0.005, confidence = 0.9, method = "simulation", seed = 1
  )
  side <- ifelse(got$difference > 0, got$difference - got$lower, got$upper - got$difference)
  raw <- 2 * pnorm(-abs(got$difference) / (side / qnorm(0.95)))
  expect_equal(got$p_adjusted, p.adjust(raw, "holm"))
  expect_identical(raw < 0.1, got$lower > 0 | got$upper < 0)
  expect_true(any(got$p_adjusted < 0.1) && any(got$p_adjusted >= 0.1 & raw < 0.1)) # otherwise the adjustment would not be tested
  expect_output(print(got), "p_adjusted")
  expect_output(print(summary(got)), sprintf("%d with p_adjusted below 0.05", sum(summary(got)$p_adjusted < 0.05)))
  exact <- long_run_sensitivity(net, sets, change = "predictor", nodes = c("f", "x"), method = "exact")
  expect_identical(exact$p_adjusted, as.numeric(abs(exact$difference) <= 1e-10))
  expect_setequal(exact$p_adjusted, 0:1)
  # values that are certain before and after are not comparisons; an estimate of 0 is one
  reach <- c(0.1, 0.1, 0, 0)
  expect_equal(adjusted_p(c(0.1, 0, -0.2, 0), reach, 0.95), c(2 * 0.05, 1, 0, 1))
  held <- fix_nodes(net, f = 0)
  certain <- long_run_sensitivity(held, c("f", "x"), nodes = c("f", "c"), precision = 0.01, method = "simulation", seed = 1)
  expect_identical(certain$p_adjusted[certain$set == "f"], c(1, 0, 1, 1))
  tested <- certain$set == "x"
  side <- with(certain, ifelse(difference > 0, difference - lower, upper - difference))
  raw <- (2 * pnorm(-abs(certain$difference) / (side / qnorm(0.975))))[tested]
  expect_equal(certain$p_adjusted[tested], p.adjust(raw, "holm"))
})

test_that("changes without effect are rarely significant after the adjustment", {
  # y does not depend on the changed nodes: of 24 differences of 0, about one has a 95% interval without 0
  idle <- pbn(c(y = "!y & z | y & w", z = "y ^ w", w = "!z", stats::setNames(rep("y", 12), letters[1:12])), perturbation = 0.05)
  got <- long_run_sensitivity(idle, "y", nodes = letters[1:12], precision = 0.01, method = "simulation", seed = 1)
  expect_identical(nrow(got), 24L)
  expect_true(all(got$p_adjusted > 0.05)) # for at least 19 of 20 seeds
})

test_that("influences that are certain come last and are not drawn if there are others", {
  got <- long_run_influence(net, precision = 0.01, method = "simulation", seed = 1)
  certain <- got$upper == got$lower
  expect_true(any(certain) && !all(certain) && is.unsorted(certain)) # otherwise this would test nothing
  lines <- capture.output(print(got))
  expect_match(lines[[2L]], sprintf("^%d of %d pairs are certain", sum(certain), nrow(got)))
  pairs <- do.call(rbind, lapply(strsplit(trimws(lines[-(1:3)]), " +"), `[`, 1:3))
  order <- order(certain, -got$influence)
  expect_identical(paste(pairs[, 1L], pairs[, 2L]), paste(got$from, got$to)[order])
  expect_identical(tail(pairs[, 3L], sum(certain)), format(got[order, ][sort(certain), ])$influence)
  expect_true(all(nchar(tail(pairs[, 3L], sum(certain))) <= 3)) # 1, 0.5
  expect_match(capture.output(print(got, n = 2))[[6L]], sprintf("... and %d more rows", nrow(got) - 2L), fixed = TRUE)
  alone <- got[certain, ]
  expect_match(capture.output(print(alone))[[2L]], "^All are certain")
  exact <- long_run_influence(net, method = "exact")
  expect_false(any(grepl("certain", capture.output(print(exact))))) # exact intervals have no width either
  pdf(NULL)
  on.exit(dev.off())
  expect_setequal(plot(got)$label, paste(got$from, got$to, sep = " > ")[!certain])
  expect_identical(fireflip:::ranked_note(plot(got)), sprintf("%d certain, not drawn", sum(certain)))
  note <- fireflip:::ranked_note(plot(got, n = 2))
  expect_identical(note, sprintf("2 of %d, largest first; %d certain, not drawn", sum(!certain), sum(certain)))
  expect_identical(nrow(plot(alone)), nrow(alone))
  expect_identical(nrow(plot(exact)), nrow(exact))
})

test_that("results can be drawn", {
  pdf(NULL)
  on.exit(dev.off())
  got <- long_run_influence(net, method = "simulation", seed = 1)
  expect_identical(nrow(plot(got)), sum(got$upper > got$lower))
  expect_true(all(c("rhat", "width") %in% names(plot(got, type = "convergence"))))
  expect_identical(plot(got, type = "network")$node, net$nodes)
  state <- steady_state(net, c("x", "r & c"), method = "simulation", seed = 1)
  expect_identical(nrow(plot(state)), 2L)
  expect_error(plot(state, type = "pie"), class = "fireflip_error_argument")
  expect_identical(nrow(plot(long_run_sensitivity(net, "x", nodes = "c", method = "exact"))), 2L)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(got), "ggplot")
  expect_s3_class(ggplot2::autoplot(got, type = "convergence"), "ggplot")
  expect_s3_class(ggplot2::autoplot(state), "ggplot")
})

test_that("a misspelt argument that is passed on is an error", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  expect_error(long_run_sensitivity(net, "CycD", precison = 1), "did you mean `precision`?", fixed = TRUE,
    class = "fireflip_error_argument")
  expect_error(node_activity(net, sed = 1), "did you mean `seed`?", fixed = TRUE, class = "fireflip_error_argument")
  # abbreviated argument
  expect_s3_class(node_activity(net, "CycD", prec = 0.05, method = "simulation", seed = 1), "steady_state")
})

test_that("the matrix of some pairs does not call the others 0", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  all <- as.matrix(long_run_influence(net, method = "exact"))
  some <- as.matrix(long_run_influence(net, to = "CycB", method = "exact"))
  expect_identical(some[, "CycB"], all[rownames(some), "CycB"])
  arrow <- outer(rownames(some), colnames(some), Vectorize(function(from, to) {
    arrows <- network_arrows(net)
    any(arrows$from == from & arrows$to == to)
  }))
  asked <- col(some) == match("CycB", colnames(some))
  expect_identical(unname(is.na(some)), unname(arrow & !asked))
  expect_true(all(some[!arrow & !asked] == 0))
})
