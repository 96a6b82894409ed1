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
