# Energy and area of Stochastic Simulation Processors: counts against those that follow by hand from a small network.

# A reaction of each kind, and a species (C) that is nobody's reactant: 6 instructions of 4 reactions.
all_kinds <- function() {
  reaction_network(
    c("B -> 0" = 1, "2 A -> B" = 0.1, "A + B -> C" = 0.2, "0 -> A" = 5), initial = c(A = 5, B = 5, C = 0)
  )
}

run_of <- function(steps = 99, ...) simulate(compile_ssp(all_kinds(), ssp(...)), steps = steps, seed = 1)

# All constants are 0 but these; the upper ends are twice the lower ones.
only <- function(...) {
  constants <- ssp_constants()
  constants[c("low", "high")] <- 0
  given <- c(...)
  at <- match(names(given), constants$name)
  constants$low[at] <- given
  constants$high[at] <- 2 * given
  constants
}

processor <- function(x, constants) {
  energy <- ssp_energy(x, constants)
  1000 * sum(energy$low[energy$part != "memory chips"]) # pJ
}

test_that("constants are shown, and are intervals", {
  constants <- ssp_constants()
  expect_named(constants, c("name", "low", "high", "unit", "source"))
  expect_true(all(constants$low > 0 & constants$low <= constants$high))
  expect_true(all(nzchar(constants$source)))
  expect_false(anyDuplicated(constants$name) > 0)
})

test_that("the energy of a network on the chip is that of its instructions", {
  sim <- run_of()
  pace <- attr(ssp_cycles(sim), "pace")
  misses <- pace$vectors[["misses"]] / 100 # 99 reactions fire in 100 steps, whose last one fires nothing
  expect_equal(sum(pace$vectors), 99)
  fired <- 0.99
  cycles <- subset(ssp_cycles(sim), spe == 1 & ru == 1)$cycles
  expect_equal(sum(subset(ssp_cycles(sim), startsWith(state, "busy"))$cycles), 600)
  # Propensities: 1 + 2 + 2 multiplications, 4 species. Logarithms: 4 of 8 terms.
  expect_equal(processor(sim, only(multiply = 3)), 3 * (5 + 32))
  expect_equal(processor(sim, only(add = 3)), 3 * (4 + 32))
  expect_equal(processor(sim, only(random = 3)), 3 * 4)
  expect_equal(processor(sim, only(divide = 3)), 3 * 4)
  # x - 1; 4 minima; 5 species are compared with 8 changes, and two halves with 32 registers, by 20 of 32 bits; 16 victims.
  expect_equal(processor(sim, only(integer = 1)), 1 + 4 + (5 * 8 + 2 * 32) * 20 / 32 + 16 * 20 / 32 * misses)
  # 6 instructions, 5 species and 7 changes of 4 reactions, all in memories of 8 kB; vectors of 4 words in one of 16 kB.
  expect_equal(processor(sim, only(sram = 2)), 2 * (6 + 5 + 7 / 4 * fired + 4 * sqrt(2) * (fired + misses)))
  expect_equal(processor(sim, only(stage = 2)), 2 * sum(cycles) / 100 * 22)
  # Each miss reads a line.
  expect_equal(sum(ssp_memory(sim)$lines), 100 * misses)
  expect_equal(processor(sim, only(io_ddr3 = 1)), 512 * misses)
  # 8 channels of 2 mm2 are a square of 4 mm. A miss brings 256 bits, a vector has as many, and a waiting time and a tag 32 + 20.
  expect_equal(processor(sim, only(wire = 1, span = 1, area_channel = 2)), 4 * (256 * misses + 256 * fired + 32 + 20))
  seconds <- sum(cycles) / 100 / 400e6
  kilobytes <- 8 + 8 + 16 + 4 # reaction memory, scratchpad, vector cache, species memory
  buffers <- 32 * 8 + 32 * 8 + 32 * 8 + 32 * 64 # words of reactions, populations, requests; lines of the lane
  expect_equal(processor(sim, only(leakage_bit = 1)), 1e3 * seconds * 8 * (1024 * kilobytes + buffers))
  logic <- only(leakage_logic = 1, area_stage = 1e6, placement = 1) # 22 stages of 1 mm2, 1 mW each
  expect_equal(processor(sim, logic), 1e9 * seconds * 22)
})

test_that("trees and broadcasts are counted", {
  program <- compile_ssp(reaction_model("aggregation", copies = 16, sets = 4, seed = 1), ssp(spes = 2, rus = 4))
  sim <- simulate(program, nsim = 2, steps = 49, seed = 1)
  n <- 2 * 50
  vectors <- attr(ssp_cycles(sim), "pace")$vectors
  expect_equal(sum(vectors), 98)
  # Two SPEs on 16 mm2: the side of each is sqrt(8). Its tree to 4 RUs is twice as long.
  bits <- 256 * sum(vectors) / n + 32 + 20
  want <- bits * sqrt(8) * 2 + 256 * vectors[["misses"]] / n * 4
  expect_equal(processor(sim, only(wire = 1, span = 1, area_channel = 2)), want)
  counts <- attr(ssp_energy(sim), "operations")
  expect_equal(subset(counts, constant == "divide")$count, 128)
  # 128 minima in RUs and 3 in the tree; 160 instructions read a species, and 64 of them are halves.
  expect_equal(subset(counts, part == "comparison")$count, 128 + 3 + (160 * 8 + 64 * 32) * 20 / 32)
})

test_that("what streams is counted by words, populations and lines", {
  net <- reaction_model("aggregation", copies = 16, sets = 4, seed = 1)
  chip <- ssp(reaction_memory = 160, internal = 2, cached = 2)
  program <- compile_ssp(net, chip, "paper")
  units <- as.data.frame(program)
  expect_gt(units$streamed, 0)
  expect_gt(units$fetched, 0)
  sim <- simulate(program, steps = 99, seed = 1)
  lines <- tapply(ssp_memory(sim)$lines, ssp_memory(sim)$use, sum) / 100
  zero <- function(x) if (is.na(x)) 0 else x[[1L]]
  counts <- attr(ssp_energy(sim), "operations")
  buffers <- subset(counts, part == "species memories and buffers")
  expect_equal(buffers$count[[1L]], 2 * units$streamed)
  expect_equal(buffers$count[[2L]], 16 * lines[["reactions"]])
  expect_equal(buffers$count[[4L]], lines[["species"]] * units$fetched / units$requests)
  expect_equal(buffers$count[[5L]], 2 * (lines[["species"]] + zero(lines["writes"])))
  expect_equal(subset(counts, part == "reaction memories")$count, units$local)
  expect_equal(subset(counts, part == "memory interface")$count, 512 * sum(lines))
})

test_that("a population that an RU fetches again is one copy", {
  net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
  writes <- function(optimise, rus) {
    chip <- ssp(rus = rus, internal = 2, cached = 4, merger = 2, reaction_memory = 64)
    sim <- simulate(compile_ssp(net, chip, optimise, seed = 1), steps = 100, seed = 1)
    counts <- attr(ssp_energy(sim), "operations")
    cycles <- ssp_cycles(sim)
    reads <- sum(cycles$cycles[cycles$state %in% paste0("busy_", c("uni", "bi1", "bi2", "dummy"))]) / attr(cycles, "pace")$steps
    counts$count[counts$part == "scratchpads"] - reads
  }
  one <- writes("paper", 1)
  expect_equal(writes("none", 1), one) # a write for each change
  expect_lte(writes("none", 4), 4 * one)
})

test_that("energy is linear in the constants, and that of the memory is what its data sheet gives", {
  sim <- run_of(rus = 2)
  constants <- ssp_constants()
  energy <- ssp_energy(sim)
  expect_true(all(energy$low <= energy$high))
  is_energy <- !constants$unit %in% c("times", "sides", "um2", "mm2")
  thrice <- constants
  thrice[is_energy, c("low", "high")] <- 3 * constants[is_energy, c("low", "high")]
  is_memory <- energy$part == "memory chips"
  expect_equal(ssp_energy(sim, thrice)$low, energy$low * ifelse(is_memory, 1, 3))
  expect_equal(ssp_energy(sim, thrice)$high, energy$high * ifelse(is_memory, 1, 3))
  found <- noted_cycles(sim)$found
  kinds <- found$channels[nrow(found$channels) - 5:0, ]
  expect_equal(energy$low[is_memory], sum(kinds) / 100)
  expect_equal(energy$high[is_memory], energy$low[is_memory])
  total <- summary(energy)
  expect_equal(total$low, c(sum(energy$low[!is_memory]), energy$low[is_memory], sum(energy$low)))
  expect_equal(total$steps_high * total$low, rep(1e9, 3))
  expect_equal(total$watts_high[[3L]], total$high[[3L]] * 1e-9 * found$steps * 400e6 / found$cycles)
  expect_output(print(energy), "steps a joule")
  expect_equal(ssp_energy(sim, constants[rev(seq_len(nrow(constants))), ]), energy)
})

test_that("parts of a result have no totals", {
  net <- reaction_model("aggregation", copies = 8, sets = 2, seed = 1)
  sim <- simulate(compile_ssp(net, ssp(rus = 2)), nsim = 2, steps = 5, seed = 1)
  expect_error(ssp_cycles(sim[1L, ]), "must be an unchanged result", class = "fireflip_error_argument")
  energy <- ssp_energy(sim)
  expect_s3_class(energy, "ssp_energy")
  expect_identical(class(energy[1:2, ]), "data.frame")
  expect_identical(class(head(energy, 2)), "data.frame")
  twice <- rbind(energy, energy)
  expect_no_match(capture.output(print(twice)), "a joule")
  expect_error(summary(twice), "must be an unchanged result of ssp_energy()", class = "fireflip_error_argument", fixed = TRUE)
  expect_error(plot(twice), "must be an unchanged result of ssp_energy()", class = "fireflip_error_argument", fixed = TRUE)
  expect_silent(null_device(plot(energy)))
  expect_silent(null_device(plot(energy, xlim = c(1, 1e6), xlab = "energy", col = 2)))
})

test_that("the power is that of the whole run, also if an SPE is done before the others", {
  net <- reaction_model("aggregation", copies = 8, sets = 2, seed = 1)
  sim <- simulate(compile_ssp(net, ssp(spes = 2, rus = 2)), nsim = 3, steps = 50, seed = 1)
  cycles <- ssp_cycles(sim)
  share <- sum(cycles$cycles[cycles$state == "done"]) / sum(cycles$cycles)
  expect_gt(share, 0.2) # an SPE has one trajectory, the other one two
  seconds <- sum(cycles$cycles) / 4 / 400e6
  energy <- ssp_energy(sim)
  joules <- 1e-9 * sum(energy$low) * 3 * 51
  expect_equal(summary(energy)$watts_low[[3L]], joules / seconds)
})

test_that("64 bits cost more", {
  sim <- run_of(precision = "double")
  expect_equal(processor(sim, only(multiply = 1, double_multiply = 3)), 3 * (5 + 4 * 14))
  expect_equal(processor(sim, only(divide = 1, double_multiply = 3)), 3 * 4)
  expect_equal(processor(sim, only(add = 1, double_add = 2)), 2 * (4 + 4 * 14))
  expect_equal(processor(sim, only(random = 1)), 2 * 4)
  table <- run_of(logarithm = 10) # an entry is half a word of 4 kB
  expect_equal(processor(table, only(add = 1)), 4 + 4)
  expect_equal(processor(table, only(sram = 1)) - processor(run_of(), only(sram = 1)), 4 / 2 * sqrt(4096 / 8192))
})

test_that("the paper's chip has 4 MB, and areas are sums of units", {
  chip <- ssp(spes = 128)
  area <- ssp_area(chip)
  papers <- subset(area, part %in% c("reaction memories", "scratchpads", "vector caches"))
  bytes <- 128 * (chip$reaction_memory + 8 * (chip$internal + chip$cached) + 32 * chip$vector_lines)
  expect_equal(bytes, 4 * 2^20)
  expect_equal(sum(papers$count), 8 * bytes)
  expect_equal(sum(ssp_area(chip, only(area_bit = 0.5))$low[1:3]), 8 * bytes * 0.5e-6)
  expect_true(all(area$low <= area$high))
  all <- nrow(area)
  expect_equal(c(area$low[[all]], area$high[[all]]), c(sum(area$low[-all]), sum(area$high[-all])))
  one <- function(...) ssp_area(ssp(spes = 2, rus = 3), only(...))
  expect_equal(tail(one(area_multiply = 1e6, placement = 1)$low, 1), 6 * (3 + 8))
  expect_equal(tail(one(area_multiply = 1e6, placement = 1)$high, 1), 4 * 6 * (3 + 8)) # both factors are twice as large
  expect_equal(tail(one(area_add = 1e6, placement = 1)$low, 1), 6 * (2 + 8))
  expect_equal(tail(one(area_channel = 1.5)$low, 1), 8 * 1.5)
  expect_equal(tail(one(area_stage = 1e6, placement = 1)$low, 1), 6 * 22)
  expect_equal(subset(ssp_area(ssp(species_memory = 100)), part == "species memories")$count, 800)
})

test_that("a sweep has energy and area, and plots them", {
  net <- all_kinds()
  zero <- only()
  found <- ssp_sweep(net, rus = c(1, 2), seed = 1, progress = FALSE)
  none <- ssp_sweep(net, rus = c(1, 2), seed = 1, progress = FALSE, constants = zero)
  expect_equal(none$energy_low, none$memory_energy)
  expect_equal(none$energy_high, none$memory_energy)
  expect_equal(none$area_high, c(0, 0))
  expect_identical(found$memory_energy, none$memory_energy)
  expect_true(all(found$energy_low > found$memory_energy & found$energy_low < found$energy_high))
  area <- function(rus) tail(ssp_area(ssp(rus = rus))$high, 1)
  expect_equal(found$area_high, c(area(1), area(2)))
  expect_true(all(found$known))
  large <- reaction_model("aggregation", copies = 2048, sets = 512, seed = 1)
  short <- ssp_sweep(large, seed = 1, seconds = 1e-9, progress = FALSE)
  expect_false(short$known)
  if (is.nan(short$throughput)) { # not even a step has ended
    expect_identical(c(short$memory_energy, short$energy_low, short$energy_high), rep(NA_real_, 3))
  }
  found$throughput[[1L]] <- NaN
  expect_silent(null_device(plot(found)))
  expect_silent(null_device(plot(none, against = "area"))) # which is 0
  found$throughput[[1L]] <- 1e6
  expect_output(print(found), "energy_high")
  for (against in c("rus", "energy", "area")) {
    expect_silent(null_device(plot(found, against = against)))
    expect_silent(null_device(plot(found, against, xlab = "x", ylab = "y", xlim = c(1, 1e5), col = 2, log = "y")))
  }
  expect_error(plot(found, against = "price"), "one of", class = "fireflip_error_argument")
})

test_that("bad constants are refused", {
  sim <- run_of(9)
  refused <- function(constants, text) {
    expect_error(ssp_energy(sim, constants), text, class = "fireflip_error_argument", fixed = TRUE)
    expect_error(ssp_area(ssp(), constants), text, class = "fireflip_error_argument", fixed = TRUE)
    expect_error(ssp_sweep(all_kinds(), constants = constants), text, class = "fireflip_error_argument", fixed = TRUE)
  }
  with <- function(name, column, value) {
    constants <- ssp_constants()
    constants[[column]][constants$name == name] <- value
    constants
  }
  refused(3, "`constants` must be a data frame with the columns")
  refused(ssp_constants()[-1], "`constants` must be a data frame with the columns")
  refused(ssp_constants()[-2, ], "`constants` lacks \"add\"")
  refused(rbind(ssp_constants(), ssp_constants()[2, ]), "`constants` has \"add\" twice")
  refused(rbind(ssp_constants(), transform(ssp_constants()[2, ], name = "subtract")), "has \"subtract\", which is no constant")
  refused(with("add", "low", 100), "\"add\" of `constants` must have 0 <= low <= high; found 100 and 5.6")
  refused(with("add", "low", -1), "must have 0 <= low <= high; found -1 and 5.6")
  refused(with("add", "high", NA), "must have 0 <= low <= high")
  refused(with("add", "high", Inf), "must have 0 <= low <= high")
  refused(with("add", "unit", "nJ"), "\"add\" of `constants` must be in pJ; found \"nJ\"")
  refused(with("add", "low", "a"), "must be numbers")
  expect_error(ssp_energy(all_kinds()), "has no cycles", class = "fireflip_error_argument")
  expect_error(ssp_area(3), "`chip` must be a processor", class = "fireflip_error_argument")
})
