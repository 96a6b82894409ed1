# What each RU does in each cycle. The core is tested in tests/c/test_ssp_cycles.c.

test_that("a trace adds up to the cycles of the run", {
  net <- reaction_model("aggregation", copies = 20, sets = 5, seed = 1)
  for (chip in list(ssp(), ssp(spes = 3, rus = 4, internal = 4, cached = 8, reaction_memory = 64))) {
    program <- compile_ssp(net, chip, "none", seed = 1)
    trace <- ssp_trace(program, steps = 7, seed = 5)
    cycles <- ssp_cycles(simulate(program, nsim = chip$spes, steps = 7, seed = 5))
    expect_s3_class(trace, "ssp_trace")
    expect_named(trace, c("spe", "ru", "step", "cycle", "state"))
    sums <- as.data.frame(table(state = trace$state, ru = trace$ru, spe = trace$spe), stringsAsFactors = FALSE)
    expect_equal(sums$Freq, cycles$cycles)
    expect_equal(sums$state, cycles$state)
    expect_equal(anyDuplicated(as.data.frame(trace)[c("spe", "ru", "cycle")]), 0)
    expect_equal(nrow(trace), chip$spes * chip$rus * max(trace$cycle))
    expect_equal(sort(unique(trace$step)), 1:8)
    expect_true(all(trace$state[is.na(trace$step)] == "done"))
  }
})

# The only reaction that can fire. Its state change is read from the memory once, and is in the cache then.
test_that("steps on the chip have the documented length", {
  net <- reaction_network(c("A -> B" = 1, "C -> 0" = 1, "2 C -> A" = 1, "C + D -> A" = 1), initial = c(A = 100, C = 0, D = 0))
  for (rus in c(1, 2, 3)) {
    for (latency in c(22, 30)) {
      chip <- ssp(rus = rus, latency = latency)
      program <- compile_ssp(net, chip, "locality")
      units <- as.data.frame(program)
      expect_equal(sum(units$streamed), 0)
      trace <- ssp_trace(program, steps = 9, seed = 1)
      length_of <- tabulate(trace$step[trace$ru == 1])
      usual <- max(units$instructions) + chip$latency - chip$barrier + 1 + 2 * ceiling(log2(rus))
      expect_equal(length_of[3:10], rep(usual, 8))
      expect_equal(length_of[[1L]], usual - 1 - ceiling(log2(rus)))
      expect_gt(length_of[[2L]], usual) # waits for the state change
      # An RU issues its instructions in the first cycles of the step in which it may.
      busy <- subset(trace, ru == 1 & startsWith(as.character(state), "busy"))
      expect_equal(as.vector(table(busy$step)), rep(units$instructions[[1L]], 10))
    }
  }
})

test_that("a picture marks the ends of steps, and its legend stands beside it", {
  program <- compile_ssp(reaction_model("aggregation", copies = 8, sets = 2, seed = 1), ssp(spes = 2, rus = 3))
  trace <- ssp_trace(program, steps = 4, seed = 1)
  calls <- drawn(plot(trace))
  image <- call_of(calls, "C_image")
  expect_equal(length(image), 1L)
  lines <- do.call(rbind, lapply(call_of(calls, "C_segments"), function(call) {
    data.frame(x = call[[2L]], from = call[[3L]], to = call[[5L]])
  }))
  for (s in 1:2) {
    last <- with(subset(trace, spe == s), tapply(cycle, step, max))
    expected <- unname(last[last < max(trace$cycle)]) + 0.5
    mine <- lines[lines$from == c(0.5, 3.5)[[s]], ]
    expect_equal(mine$x, as.vector(expected))
    expect_true(all(mine$to == mine$from + 3))
  }
  texts <- call_of(calls, "C_text") # of the legend
  expect_gt(length(texts), 0)
  expect_true(all(vapply(texts, function(call) min(unlist(call[[2L]]$x)), 0) > max(trace$cycle)))
  # so many steps are not marked
  many <- ssp_trace(program, steps = 210, seed = 1)
  expect_equal(length(call_of(drawn(plot(many)), "C_segments")), 0L)
})

test_that("traces are printed, drawn and refused", {
  net <- reaction_model("aggregation", copies = 8, sets = 2, seed = 1)
  program <- compile_ssp(net, ssp(spes = 2, rus = 4))
  trace <- ssp_trace(program, steps = 3, seed = 1)
  expect_identical(ssp_trace(program, steps = 3, seed = 1), trace)
  expect_output(print(trace, n = 3), "<ssp_trace> 8 RUs, cycles 1 to .*more rows")
  part <- trace[trace$cycle > 50 & trace$cycle <= 90 & trace$spe == 2, ]
  expect_output(print(part), "<ssp_trace> 4 RUs, cycles 51 to 90")
  expect_silent(null_device(plot(trace)))
  expect_silent(null_device(plot(trace, main = "eleven", col = grDevices::grey.colors(5), breaks = 0:5 + 0.5)))
  expect_error(plot(trace["cycle"]), "`x` must be a trace", class = "fireflip_error_argument")
  expect_error(plot(trace[0L, ]), "`x` must be a trace", class = "fireflip_error_argument")
  expect_output(print(trace[1:2, c("cycle", "state")]), "busy")
  expect_error(ssp_trace(program, steps = 0), "`steps` must be", class = "fireflip_error_argument")
  expect_error(ssp_trace(net), "`program` must be", class = "fireflip_error_argument")
  expect_error(ssp_trace(program, steps = 1e6, seed = 1), "more than 10000000 rows", class = "fireflip_error_size")
})
