# Faults that were found in programs of processors.

test_that("throughput counts SPEs that have a trajectory", {
  net <- reaction_network("A <-> B" = c(1, 1), initial = c(A = 50))
  pace <- function(spes, nsim) {
    attr(ssp_cycles(simulate(compile_ssp(net, ssp(spes = spes)), nsim = nsim, steps = 200, seed = 1)), "pace")
  }
  expect_equal(pace(64, 1)$throughput, 4e8 / pace(64, 1)$mean)
  expect_equal(pace(2, 5)$throughput, 2 * 4e8 / pace(2, 5)$mean)
})

test_that("programs refuse to observe variables", {
  net <- reaction_network("A -> B" = 1, initial = c(A = 5), variables = c(total = "A + 2 * B"))
  program <- compile_ssp(net)
  what <- "`observe` names \"total\", which is a variable"
  expect_error(simulate(program, times = 1, observe = "total"), what, fixed = TRUE, class = "fireflip_error_argument")
  expect_error(simulate(program, steps = 1, observe = "total"), what, fixed = TRUE, class = "fireflip_error_argument")
})

test_that("elements of a program that do not belong together are refused", {
  one <- compile_ssp(reaction_network("A <-> B" = c(1, 1), initial = c(A = 50)))
  other <- compile_ssp(reaction_network("P <-> Q" = c(1, 1), initial = c(P = 50)))
  refused <- function(program, what) {
    expect_error(simulate(program, steps = 1), what, fixed = TRUE, class = "fireflip_error_argument")
    expect_error(simulate(program, times = 1), what, fixed = TRUE, class = "fireflip_error_argument")
  }
  mixed <- one
  mixed$image <- other$image
  refused(mixed, "`network` of the program is not that for which its image was compiled")
  mixed <- one
  mixed$network <- NULL
  refused(mixed, "`network` of the program")
  mixed <- one
  mixed$chip <- update(mixed$chip, spes = 8)
  refused(mixed, "`chip` of the program")
})

test_that("a processor with an unknown precision is refused", {
  chip <- ssp()
  chip$precision <- 64
  net <- reaction_network("A -> B" = 1, initial = c(A = 5))
  expect_error(compile_ssp(net, chip), "`precision` must be one of", fixed = TRUE, class = "fireflip_error_argument")
})

test_that("rows of several runs, and plain data frames, have no cycles", {
  program <- compile_ssp(reaction_network("A <-> B" = c(1, 1), initial = c(A = 50)))
  for (output in c("summary", "trajectories", "final", "histogram", "events")) {
    x <- simulate(program, times = 1:2, seed = 1, output = output)
    expect_s3_class(ssp_cycles(x), "ssp_cycles")
    expect_null(attr(as.data.frame(x), "ssp"))
    expect_error(ssp_cycles(rbind(x, x)), "has no cycles", class = "fireflip_error_argument")
  }
})

test_that("results of so many steps have a summary", {
  program <- compile_ssp(reaction_network("A -> B" = 1, initial = c(A = 5)), ssp(spes = 2))
  expect_output(print(summary(simulate(program, nsim = 3, steps = 4, seed = 1))), "events +12 \\(4 per trajectory\\)")
  expect_output(print(summary(simulate(program, nsim = 3, steps = 9, seed = 1))), "events +15 \\(5 per trajectory\\)")
})

test_that("only programs of random order depend on the seed of the compiler", {
  net <- reaction_model("aggregation", copies = 4, sets = 2, seed = 1)
  for (optimise in c("paper", "locality")) {
    expect_identical(compile_ssp(net, optimise = optimise, seed = 1), compile_ssp(net, optimise = optimise, seed = 2))
  }
  expect_false(identical(compile_ssp(net, optimise = "none", seed = 1), compile_ssp(net, optimise = "none", seed = 2)))
  expect_error(compile_ssp(net, seed = -1), "`seed` must be", fixed = TRUE)
})
