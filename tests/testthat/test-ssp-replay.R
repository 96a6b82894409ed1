# Cycles of reactions that have fired already. The core is tested in tests/c/test_ssp_cycles.c.

sets_of <- function(...) reaction_model("aggregation", ..., seed = 1)

test_that("events of the first reaction method take the cycles of the processor that computes them", {
  net <- sets_of(copies = 40, sets = 10)
  for (chip in list(
    ssp(precision = "double"), ssp(spes = 3, rus = 4, precision = "double", internal = 4, cached = 8, reaction_memory = 64)
  )) {
    for (optimise in c("none", "locality")) {
      program <- compile_ssp(net, chip, optimise, seed = 2)
      times <- c(0.001, 0.02)
      own <- simulate(program, nsim = 5, times = times, seed = 3, cycles = "all")
      events <- simulate(net, nsim = 5, times = max(times), seed = 3, method = "first_reaction", output = "events")
      replayed <- replay_ssp(program, events)
      expect_identical(ssp_cycles(replayed), ssp_cycles(own))
      expect_identical(ssp_memory(replayed), ssp_memory(own))
      expect_identical(as.data.frame(replayed), as.data.frame(events))
    }
  }
})

test_that("reactions of any exact method take all instructions in each step", {
  net <- sets_of(copies = 12, sets = 3)
  program <- compile_ssp(net, ssp(spes = 2, rus = 3))
  units <- as.data.frame(program)
  for (method in c("auto", "direct", "next_reaction", "composition_rejection")) {
    events <- simulate(net, nsim = 3, times = 0.02, seed = 1, method = method, output = "events")
    cycles <- ssp_cycles(replay_ssp(program, events))
    steps <- nrow(events) + 3 # the last one of each trajectory finds its end
    busy <- cycles[startsWith(cycles$state, "busy"), ]
    expect_equal(sum(busy$cycles), steps * sum(units$instructions))
    expect_equal(as.vector(tapply(busy$cycles, busy$ru, sum)), steps * units$instructions)
    pace <- attr(cycles, "pace")
    expect_equal(pace$steps, steps)
    expect_true(pace$complete)
    expect_identical(ssp_cycles(replay_ssp(program, events[rev(seq_len(nrow(events))), ])), cycles)
  }
})

test_that("trajectories without events have a step each, and parts of a run are a run", {
  net <- reaction_network("A -> B" = 1, "B -> A" = 1, initial = c(A = 1))
  program <- compile_ssp(net, ssp(spes = 2))
  none <- simulate(set_initial(net, A = 0), nsim = 5, times = 1, seed = 1, output = "events")
  expect_equal(nrow(none), 0)
  expect_equal(attr(ssp_cycles(replay_ssp(program, none)), "pace")$steps, 5)
  whole <- simulate(net, nsim = 5, times = 9, seed = 1, output = "events")
  parts <- lapply(2:1, function(i) simulate(net, nsim = 5, times = 9, seed = 1, output = "events", shard = c(i, 2)))
  expect_identical(ssp_cycles(replay_ssp(program, do.call(c, parts))), ssp_cycles(replay_ssp(program, whole)))
  counts <- vapply(parts, function(part) attr(ssp_cycles(replay_ssp(program, part)), "pace")$steps, 0)
  expect_equal(counts, vapply(parts, nrow, 0L) + c(2, 3))
})

test_that("a program from a file, and other rates, have the cycles of the network", {
  net <- sets_of(copies = 8, sets = 2)
  program <- compile_ssp(net, ssp(rus = 2))
  events <- simulate(net, nsim = 2, times = 0.01, seed = 1, output = "events")
  file <- write_ssp(program, tempfile(fileext = ".ssp"))
  on.exit(unlink(file))
  expect_identical(ssp_cycles(replay_ssp(read_ssp(file), events)), ssp_cycles(replay_ssp(program, events)))
  other <- reaction_model("aggregation", copies = 8, sets = 2, seed = 2) # random rates
  expect_s3_class(ssp_cycles(replay_ssp(program, simulate(other, times = 0.01, seed = 1, output = "events"))), "ssp_cycles")
})

test_that("events that cannot be replayed are refused", {
  net <- sets_of(copies = 8, sets = 2)
  program <- compile_ssp(net, ssp(rus = 2))
  events <- simulate(net, nsim = 2, times = 0.01, seed = 1, output = "events")
  refused <- function(events, text) {
    expect_error(replay_ssp(program, events), text, class = "fireflip_error_argument", fixed = TRUE)
  }
  refused(net, "`events` must be a result of simulate()")
  refused(simulate(net, times = 0.01, seed = 1), "output = \"events\"")
  refused(as.data.frame(events), "output = \"events\"")
  refused(events[-1L, ], "must be complete")
  refused(events[c(1L, 1L, seq_len(nrow(events))[-(1:2)]), ], "must be complete")
  refused(events[c("trajectory", "time")], "must be complete")
  fewer <- simulate(sets_of(copies = 4, sets = 2), times = 0.01, seed = 1, output = "events")
  refused(fewer, "of a network with 32 reactions; that of the program has 64")
  others <- simulate(sets_of(copies = 8, sets = 4), times = 0.01, seed = 1, output = "events")
  refused(others, "another network than that of the program: reaction 17 of `events` is")
  changed <- events
  attr(changed, "run")$method <- "tau_leaping" # simulate() itself lists no events of approximate methods
  refused(changed, "of method \"tau_leaping\", which is approximate")
  changed <- events
  changed$trajectory[[1L]] <- 9L
  refused(changed, "trajectories or reactions that their run does not have")
  dose <- reaction_network("A -> B" = 1, initial = c(A = 5, B = 0), events = list(event("time >= 1", set = c(A = "A + 10"))))
  refused(simulate(dose, times = 3, seed = 1, output = "events"), "has events of its own")
  petri <- petri_net("A -> 0" = 1, initial = c(A = 5))
  refused(simulate(petri, times = 1, seed = 1, output = "events"), "not about a reaction network")
  expect_error(
    .Call(fireflip:::ffi_ssp_replay_new, program$image, c(1L, 65L), 2L, NA), "numbers of reactions of the program",
    class = "fireflip_error_argument"
  )
  expect_error(
    .Call(fireflip:::ffi_ssp_replay_new, program$image, c(1L, 64L), 1L, NA), "1 reactions in all, and 2 are given",
    class = "fireflip_error_argument"
  )
  for (call in expression(
    .Call(fireflip:::ffi_ssp_replay_new, program$image, c(1L, 64L), 2L, 100),
    .Call(fireflip:::ffi_ssp_trace_new, program$image, 1, 3, 100, 100)
  )) {
    expect_error(eval(call), "GB of memory for this program", class = "fireflip_error_size")
  }
})

test_that("arguments of the user win in plots, and a selection of cycles has no pace", {
  program <- compile_ssp(sets_of(copies = 8, sets = 2), ssp(rus = 2))
  cycles <- ssp_cycles(simulate(program, steps = 5, seed = 1))
  expect_silent(null_device(plot(cycles, xlab = "units", ylab = "part", col = "grey", legend.text = NULL)))
  expect_silent(null_device(plot(program, xlab = "units", border = "black", args.legend = list(x = "topleft"))))
  some <- cycles[cycles$ru == 1, ]
  expect_identical(class(some), "data.frame")
  expect_null(attr(some, "pace"))
  expect_identical(class(cycles[c("state", "cycles")]), "data.frame")
  expect_output(print(cycles[order(cycles$cycles), ]), "cycles a step")
  expect_identical(cycles[["cycles"]], cycles$cycles)
  expect_identical(cycles[, "cycles"], cycles$cycles)
})
