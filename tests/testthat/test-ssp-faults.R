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
