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

test_that("a program is moved to another processor, or compiled for it", {
  net <- reaction_model("aggregation", copies = 20, sets = 5, seed = 1)
  program <- compile_ssp(net, ssp(rus = 4), "none", seed = 3)
  moved <- update(program, spes = 3, channels = 4)
  expect_equal(moved$chip, update(program$chip, spes = 3, channels = 4))
  expect_equal(as.data.frame(moved), as.data.frame(program))
  other <- update(program, rus = 2)
  expect_identical(other$image, compile_ssp(net, ssp(rus = 2), "none", seed = 3)$image)
  run <- function(p) simulate(p, nsim = 3, times = 0.01, seed = 1, output = "final")
  expect_identical(run(moved), run(program))
  expect_identical(run(other), run(program))
  expect_error(update(program, spes = 0), "`spes` must be one whole number", class = "fireflip_error_argument")
  other$network <- set_initial(other$network, S1 = 3)
  expect_error(run(other), "`network` of the program is not that", class = "fireflip_error_argument")
  expect_error(write_ssp(structure(list(image = 1), class = "ssp_program"), "x"), class = "fireflip_error_argument")
})

test_that("arguments that so many steps do not have are refused", {
  program <- compile_ssp(reaction_model("aggregation", copies = 4, seed = 1))
  all <- list(output = "final", quantiles = 0.5, covariance = TRUE, cycles = "all", threads = 1)
  for (given in lapply(seq_along(all), function(i) all[i])) {
    expect_error(
      do.call(simulate, c(list(program, steps = 3), given)), sprintf("`%s` is for `times`", names(given)),
      class = "fireflip_error_argument"
    )
  }
})

test_that("a pace is not taken to be known after some equal steps, and a whole run is no sample", {
  net <- reaction_network(c("0 -> A" = 100, "A -> 0" = 1, "A -> B" = 0.01, "B -> A" = 0.01), initial = c(A = 0, B = 0))
  program <- compile_ssp(net)
  pace <- attr(ssp_cycles(simulate(program, times = c(0, 1e4), seed = 1, output = "final")), "pace")
  expect_false(pace$complete)
  expect_gte(pace$steps, 1e5 - 1)
  sim <- simulate(program, times = c(0, 5), seed = 1, output = "final", cycles = "all")
  pace <- attr(ssp_cycles(sim), "pace")
  expect_true(pace$complete && is.na(pace$error))
  cycles <- ssp_cycles(sim)
  expect_equal(pace$mean, sum(cycles$cycles) / pace$steps, tolerance = 0.001)
})

test_that("a processor whose SPEs do not fit into memory is refused", {
  program <- compile_ssp(reaction_network("A <-> B" = c(1, 1), initial = c(A = 50)), ssp(spes = 4, rus = 2))
  run <- list(seed = 1, first = 0, nsim = 4, last = Inf, steps = 1, error = 0, times = NULL, counts = NULL)
  what <- "a processor of 4 SPEs of 2 RUs takes"
  expect_error(new_cycles(program, run, 5000), what, fixed = TRUE, class = "fireflip_error_size")
  for (memory in c(1e6, NA)) expect_null(.Call(ffi_release, new_cycles(program, run, memory)))
})
