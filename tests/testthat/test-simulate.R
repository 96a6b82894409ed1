net <- pbn(list(a = "!b", b = "a", c = c("a" = 0.5, "b" = 0.5)))

test_that("a deterministic network follows its rules", {
  path <- simulate(pbn(c(a = "!b", b = "a")), nsim = 2, seed = 1, steps = 5, initial = c(a = 0, b = 0))
  expect_identical(path$trajectory, rep(1:2, each = 6))
  expect_equal(path$step, rep(0:5, 2))
  expect_identical(path$a[1:6], c(0L, 1L, 1L, 0L, 0L, 1L))
  expect_identical(path$b[1:6], c(0L, 0L, 1L, 1L, 0L, 0L))
})

test_that("steps follow the rules, in both layouts", {
  for (layout in c("sliced", "packed")) {
    path <- simulate(net, nsim = 1500, seed = 2, steps = 3, layout = layout)
    here <- path[path$step < 3, ]
    there <- path[path$step > 0, ]
    expect_identical(there$a, 1L - here$b)
    expect_identical(there$b, here$a)
    apart <- here$a != here$b
    # c follows a or b with equal probability: 5 standard deviations
    expect_lt(abs(mean(there$c[apart] == here$a[apart]) - 0.5), 2.5 / sqrt(sum(apart)))
    expect_true(all(there$c[!apart] == here$a[!apart]))
  }
})

test_that("asynchronous steps change at most one node", {
  slow <- net
  slow$update <- "asynchronous"
  path <- simulate(slow, nsim = 50, seed = 2, steps = 40)
  here <- as.matrix(as.data.frame(path[path$step < 40, ])[-(1:2)])
  there <- as.matrix(as.data.frame(path[path$step > 0, ])[-(1:2)])
  expect_lte(max(rowSums(here != there)), 1)
})

test_that("threads and `every` change nothing that is kept", {
  one <- simulate(net, nsim = 3000, seed = 3, steps = 6, threads = 1)
  expect_identical(simulate(net, nsim = 3000, seed = 3, steps = 6, threads = 3), one)
  some <- simulate(net, nsim = 3000, seed = 3, steps = 6, every = 3)
  kept <- one[one$step %% 3 == 0, ]
  expect_identical(some$a, kept$a)
  expect_equal(some$step, kept$step)
})

test_that("initial states can be given", {
  start <- rbind(c(0, 1, NA), c(1, 0, 1))
  path <- simulate(net, nsim = 4, seed = 4, steps = 0, initial = start)
  expect_identical(path$a, c(0L, 1L, 0L, 1L))
  expect_identical(path$c[c(2, 4)], c(1L, 1L))
  expect_error(simulate(net, steps = 1, initial = c(a = 2)), class = "fireflip_error_argument")
  expect_error(simulate(net, steps = 1, initial = c(0, 1)), class = "fireflip_error_argument")
  expect_error(simulate(net, steps = 1, initial = c(z = 1)), class = "fireflip_error_argument")
  expect_error(simulate(net, 1, steps = 1, initial = start), "at most `nsim` = 1; found 2", class = "fireflip_error_argument")
  expect_error(simulate(net, steps = 1, initial = c(a = 0, a = 1)), "\"a\" more than once", class = "fireflip_error_argument")
  expect_error(simulate(net, nsim = 1e6, steps = 1e6), class = "fireflip_error_size")
  expect_error(simulate(net, nsim = 0, steps = 1), class = "fireflip_error_argument")
})

test_that("nodes with the name of a column of the result are refused", {
  for (name in c("trajectory", "step")) {
    own <- pbn(stats::setNames(c("b", name), c(name, "b")))
    expect_error(simulate(own, steps = 1), sprintf("A node is called \"%s\"", name), class = "fireflip_error_argument")
  }
  expect_named(simulate(pbn(c(steps = "Step", Step = "steps")), steps = 1), c("trajectory", "step", "steps", "Step"))
})

test_that("trajectories can be drawn", {
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(nrow(plot(simulate(net, nsim = 2, seed = 1, steps = 9))), 10L)
})

test_that("misspelt arguments are refused", {
  expect_error(simulate(net, step = 5), "did you mean `steps`", class = "fireflip_error_argument")
  expect_error(simulate(net, nsims = 3, steps = 5), "did you mean `nsim`", class = "fireflip_error_argument")
  expect_error(simulate(net, 1, 2, 5), "found one without a name", class = "fireflip_error_argument")
  expect_error(simulate(net, zebra = 1), "There is no argument `zebra`", class = "fireflip_error_argument")
})

test_that("steps must be given by name, because the third argument is the seed", {
  expect_error(simulate(net), "`steps` must be given by its name.*found nothing[.]$", class = "fireflip_error_argument")
  expect_error(simulate(net, 3, 20), "nothing, and 20 for `seed`, the third argument of R's generic[.]$",
    class = "fireflip_error_argument")
  expect_error(simulate(net, 3, seed = 20), "steps = 20[)]; found nothing[.]$", class = "fireflip_error_argument")
  expect_identical(simulate(net, 3, 20, steps = 4), simulate(net, nsim = 3, seed = 20, steps = 4)) # the generic's order
})

test_that("a summary of trajectories says how often each node is on", {
  local_reproducible_output(width = 60)
  paths <- simulate(pbn(c(a = "!a", b = "1", c = "0")), nsim = 2, seed = 1, steps = 4, initial = c(a = 0, b = 1, c = 0))
  about <- summary(paths)
  expect_identical(about$activity, c(a = 0.4, b = 1, c = 0))
  expect_identical(capture.output(print(about, n = 2)), c(
    "2 trajectories of 3 nodes, steps 0 to 4, seed 1", "  share of the 10 states in which a node is 1, largest first",
    " node share", "    b 1.000", "    a 0.400", "... and 1 more node"
  ))
  expect_error(summary(paths[0, ]), class = "fireflip_error_argument")
  expect_error(summary(paths["a"]), class = "fireflip_error_argument")
})

test_that("trajectories print in a few lines", {
  local_reproducible_output(width = 60)
  paths <- simulate(net, nsim = 3, seed = 1, steps = 20)
  shown <- capture.output(back <- withVisible(print(paths)))
  expect_identical(back, list(value = paths, visible = FALSE))
  expect_identical(shown[[1L]], "<pbn_trajectories> 3 trajectories of 3 nodes, 63 rows, seed 1")
  expect_length(shown, 13L)
  expect_identical(shown[[13L]], "... and 53 more rows")
  expect_match(shown[[2L]], "^ *trajectory step a b c$")
  expect_length(capture.output(print(paths, n = Inf)), 65L)
  wide <- capture.output(print(simulate(random_pbn(95, seed = 1, perturbation = 0.1), seed = 2, steps = 3), n = 2))
  expect_lte(max(nchar(wide[2:4])), 60)
  fitted <- length(strsplit(trimws(wide[[2L]]), " +")[[1L]]) - 2L
  expect_match(wide[[6L]], sprintf("... and %d more nodes: x%d, ", 95L - fitted, fitted + 1L), fixed = TRUE)
  expect_match(capture.output(print(paths[1, ]))[[1L]], "1 trajectory of 3 nodes, 1 row")
  expect_output(print(paths[c("a", "b")]), "a b")
  expect_error(print(paths, n = -1), class = "fireflip_error_argument")
})

test_that("NA starts at random even if the network has an initial value", {
  own <- pbn(c(s = "s", t = "t", u = "u"), initial = c(s = 1, t = 1))
  for (layout in c("sliced", "packed")) {
    start <- function(initial, nsim = 2000) simulate(own, nsim, seed = 1, steps = 0, initial = initial, layout = layout)
    path <- start(c(s = NA))
    expect_lt(abs(mean(path$s) - 0.5), 5 * 0.5 / sqrt(2000)) # 5 standard errors
    expect_true(all(path$t == 1L)) # not named: as the network says
    mixed <- start(rbind(c(s = NA, t = 0), c(s = 0, t = NA), c(s = 1, t = NA)), 3000)
    row <- (mixed$trajectory - 1) %% 3
    expect_lt(abs(mean(mixed$s[row == 0]) - 0.5), 5 * 0.5 / sqrt(1000))
    expect_lt(abs(mean(mixed$t[row != 0]) - 0.5), 5 * 0.5 / sqrt(2000))
    expect_true(all(mixed$t[row == 0] == 0L, mixed$s[row == 1] == 0L, mixed$s[row == 2] == 1L))
  }
})
