# What a processor may need: energy and area, from counts and from constants of 40 and 45 nm.

#' The energy and the area of a processor
#'
#' The paper gives no energy and no area for a Stochastic Simulation Processor. `ssp_energy()` and `ssp_area()` estimate both:
#' they count operations, bits and units, and multiply them by constants for 40 or 45 nm, which others published or, where nothing
#' was found, we assumed. Constants are intervals, so results are. They tell orders of magnitude, and compare processors with each
#' other.
#'
#' @param x A result of [`simulate()`][simulate.ssp_program] for a program, or of [replay_ssp()]; for `plot()`, of `ssp_energy()`.
#' @param chip A processor of [ssp()].
#' @param constants A data frame as `ssp_constants()` gives it, in which `low` and `high` may be changed.
#' @param object A result of `ssp_energy()`.
#' @param ... For `summary()`, must be empty; for `plot()`, graphical parameters.
#' @param y Ignored.
#' @returns `ssp_constants()`: a data frame with the columns `name`, `low`, `high`, `unit` and `source`. A source says "assumed"
#'   where nothing better was found.
#'
#'   `ssp_energy()`: a data frame of class `ssp_energy` with a row for each part and the columns `part`, `low` and `high` (nJ a
#'   step of an SPE) and `operations` (how many a step; bits for wires and the memory interface, stages of pipelines times cycles
#'   for the clock, 0 for memory chips). The attribute `operations` is a data frame that tells how each part is composed. A row is
#'   a count times a constant: `part`, `constant`, `count` a step, and the factors `low` and `high` for its size or length.
#'   `summary()`: a data frame with rows for the processor, the memory and both, and the columns `part`, `low`, `high`,
#'   `steps_low` and `steps_high` (steps a joule), `watts_low` and `watts_high`.
#'
#'   `plot()` draws the intervals of the parts, in nJ, without parts that take nothing.
#'
#'   `ssp_area()`: a data frame with the columns `part`, `low` and `high` (mm2), `count`, and `of` what. Its last row is the
#'   total.
#' @section What is counted: All counts are those of the run, divided by its steps. If SPEs are done while others are not, their
#' cycles count, too. Replayed reactions are counted as if they were computed.
#' * Propensities: by the kinds of instructions that were issued. A reaction of one molecule takes a multiplication and a
#'   conversion to floating point (counted as an addition); one of two takes two multiplications and a conversion for each
#'   species, and an integer subtraction if both are of the same species.
#' * Logarithm and random numbers: one for each reaction that was evaluated. A logarithm takes 8 multiplications and as many
#'   additions (14 of each with 64 bits; assumed), or a table's entry and an addition if `logarithm` is above 0.
#' * Division: one for each reaction that was evaluated.
#' * Comparison: one for each reaction that was evaluated, and `rus - 1` of MinTree a step. Each species that is read is compared
#'   with the 8 changes of a state-change vector, and each half of a reaction of two species with all registers of the merger, by
#'   20 bits.
#' * Reaction memories: the instructions that were issued, but for the part of the program that streams from the memory.
#' * Scratchpads: an access for each species that is read, and one for each change. The run does not tell how many copies change,
#'   so this is the mean number of species that a reaction changes, times the mean number of RUs that hold a species.
#' * Species memories and buffers: lines and populations that were fetched, and words of streams, each written and read once.
#' * Vector cache: four words for each step, and four more for each hit among the victims and each miss. Each search of the
#'   victims compares all their tags, by 20 bits.
#' * Wires: bits, times lengths. Data of the memory travel a side of the chip. A tree to n units is sqrt(n) sides long; reaction
#'   words go to all SPEs, state changes from an SPE to its RUs, and waiting times back. The side is the square root of
#'   `ssp_area()`, or of an SPE's share.
#' * Clock and leakage: pipeline stages, `latency` for each RU, in all cycles of all RUs; bits and mm2 for the time of a step.
#' * Memory chips: what [ssp_sweep()] calls `memory_energy`, all six kinds added up. Most of it is the background of chips that
#'   are ready whether they are used or not. Data sheets give one figure, so `low` and `high` are the same.
#' * Memory interface: 512 bits for each line. The constant depends on the memory.
#'
#' An access of an SRAM of n kB takes the constant of 8 kB times sqrt(n / 8). For 32 kB this is Horowitz's figure, and for 1 MB it
#' is 13% above it. Controllers, output to the host, and what programs the chip are not counted.
#' @section Double precision: Additions and conversions take `double_add` times the energy and area, multiplications and divisions
#'   `double_multiply` times. Instructions, comparisons, random numbers and pipeline stages are twice as wide.
#' @section Area: Memories are bits times the area of a bit. `species_memory = 0` counts as the paper's 4,096 bytes. An RU has
#'   operators for an instruction a cycle: 3 multipliers and 2 converters for propensities, those of the logarithm, a divider, and
#'   a generator of random numbers.
#' @section Errors: `fireflip_error_argument` if `x` is no such result, or for constants that are incomplete or no intervals.
#' @references Horowitz M. Computing's energy problem (and what we can do about it). ISSCC 2014.
#'
#'   Keckler SW, Dally WJ, Khailany B, Garland M, Glasco D. GPUs and the future of parallel computing. IEEE Micro 31(5), 2011.
#'
#'   Shao YS, Reagen B, Wei GY, Brooks D. Aladdin: a pre-RTL, power-performance accelerator simulator. ISCA 2014.
#' @seealso [ssp_cycles()], [ssp_sweep()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
#' sim <- simulate(compile_ssp(net, ssp(rus = 4)), steps = 1000, seed = 1)
#' ssp_energy(sim)
#' summary(ssp_energy(sim))
#' ssp_area(ssp(spes = 128))
#' constants <- ssp_constants()
#' constants[constants$name == "divide", c("low", "high")] <- c(20, 30)
#' summary(ssp_energy(sim, constants))
ssp_energy <- function(x, constants = ssp_constants()) {
  note <- noted_cycles(x)
  energy_of(note$found, note$chip, note$program, check_constants(constants))
}

# Aladdin's figures are those of its 40 nm library at a cycle of 1 ns: power times a cycle is the energy of an operation of a full
# pipeline.
ssp_constant_rows <- function() {
  row <- function(name, low, high, unit, source) data.frame(name, low, high, unit, source)
  rbind(
    row("integer", 0.10, 0.21, "pJ", "32-bit addition: Horowitz 2014 (45 nm, 0.9 V); Aladdin (40 nm)"),
    row("add", 0.9, 5.6, "pJ", "float32: Horowitz 2014; Aladdin"),
    row("multiply", 3.7, 11.8, "pJ", "float32: Horowitz 2014; Aladdin"),
    row("divide", 26, 84, "pJ", "float32, 7.1 multiplications, as measured on a Cortex-M4F; assumed for hardware"),
    row("random", 1.2, 67, "pJ", "32 bits; taus88: 12 logical operations; Philox4x32-10: 5 multiplications; assumed"),
    row("double_add", 2.3, 2.7, "times", "64 bits for 32: Aladdin, area and energy"),
    row("double_multiply", 2.5, 3.3, "times", "64 bits for 32: Aladdin, area and energy"),
    row("sram", 10, 14, "pJ", "64 bits of 8 kB: Horowitz 2014; Keckler 2011 (40 nm)"),
    row("wire", 0.12, 0.24, "pJ a bit and mm", "Keckler 2011 (40 nm, 0.9 V): random data; each bit toggles"),
    row("span", 0.5, 1.5, "sides", "length of a wire that crosses the chip or a part of it; assumed"),
    row("stage", 0.3, 2.7, "pJ", "of 32 bits in a cycle: 100 to 300 flip-flops of 9 fJ (Aladdin); low: gated; assumed"),
    row("leakage_bit", 0.1, 40, "nW", "a bit of SRAM; low-power to fast processes, assumed (a flip-flop of Aladdin: 74)"),
    row("leakage_logic", 1, 13, "mW a mm2", "high: Aladdin's multiplier; low: a low-power process, assumed"),
    row("io_ddr3", 10, 30, "pJ a bit", "interface and terminations: 20 by Keckler 2011; a half more or less, assumed"),
    row("io_ddr4", 5, 20, "pJ a bit", "assumed"),
    row("io_hbm2", 0.3, 2, "pJ a bit", "assumed"),
    row("area_bit", 0.36, 0.60, "um2", "SRAM: cells of 0.25 to 0.30 um2, an array efficiency of 0.7 to 0.5"),
    row("area_flip_flop", 5, 8, "um2", "Aladdin: 6.0"),
    row("area_integer", 140, 280, "um2", "32-bit comparator or adder: high: Aladdin; low: half of it, assumed"),
    row("area_add", 4000, 4400, "um2", "float32: about 4,000 is usual for 45 nm; Aladdin"),
    row("area_multiply", 7700, 9000, "um2", "float32: about 8,000 is usual for 45 nm; Aladdin"),
    row("area_divide", 8000, 36000, "um2", "float32: 1 to 4 multipliers, assumed"),
    row("area_random", 1000, 40000, "um2", "32 bits a cycle: taus88 to Philox4x32-10, assumed"),
    row("area_stage", 600, 1800, "um2", "a pipeline stage of 32 bits: 100 to 300 flip-flops, assumed"),
    row("area_channel", 1, 5, "mm2", "controller and interface of a memory channel, assumed"),
    row("placement", 1.1, 1.5, "times", "area of logic for the area of its cells, assumed")
  )
}

#' @rdname ssp_energy
#' @export
ssp_constants <- function() ssp_constant_rows()

# As a list of c(low, high) by name.
check_constants <- function(constants) {
  known <- ssp_constant_rows()
  is_like <- is.data.frame(constants) && all(c("name", "low", "high", "unit") %in% names(constants))
  if (!is_like) {
    abort_value(
      "constants", "a data frame with the columns `name`, `low`, `high` and `unit`, as ssp_constants() gives it", constants
    )
  }
  names <- as.character(constants$name)
  missing <- setdiff(known$name, names)
  wrong <- if (anyDuplicated(names)) {
    sprintf("has %s twice", describe(names[[anyDuplicated(names)]]))
  } else if (length(missing) > 0L) {
    sprintf("lacks %s", describe(missing[[1L]]))
  } else if (!all(names %in% known$name)) {
    sprintf("has %s, which is no constant", describe(setdiff(names, known$name)[[1L]]))
  }
  if (!is.null(wrong)) abort_argument(sprintf("`constants` %s; ssp_constants() gives all constants.", wrong))
  if (!is.numeric(constants$low) || !is.numeric(constants$high)) {
    abort_argument("`low` and `high` of `constants` must be numbers.")
  }
  for (i in seq_along(names)) {
    unit <- known$unit[known$name == names[[i]]]
    if (!identical(as.character(constants$unit[[i]]), unit)) {
      abort_argument(sprintf(
        "%s of `constants` must be in %s; found %s.", describe(names[[i]]), unit, describe(constants$unit[[i]])
      ))
    }
    low <- constants$low[[i]]
    high <- constants$high[[i]]
    if (!isTRUE(is.finite(low) && is.finite(high) && 0 <= low && low <= high)) {
      abort_argument(sprintf(
        "%s of `constants` must have 0 <= low <= high; found %s and %s.", describe(names[[i]]), describe(low), describe(high)
      ))
    }
  }
  stats::setNames(Map(c, constants$low, constants$high), names)
}

# What a run does not tell of its program: which part of the instructions streams, how many populations a request brings, and how
# many copies of species a reaction changes, in the mean of all reactions and species.
program_notes <- function(program) {
  about <- .Call(ffi_ssp_describe, program$image)
  units <- lapply(about$units, sum)
  held <- about$copies / max(1, length(about$species)) # RUs that hold a species
  list(
    streamed = units$streamed / max(1, units$local + units$streamed), populations = units$fetched / max(1, units$requests),
    copies = held * about$changes / max(1, length(about$reactions))
  )
}

# Words of 64 bits that an instruction takes.
words_of <- function(chip) if (chip$precision == "double") 2 else 1

# Operators of a logarithm: multiplications with as many additions. With a table: an addition.
logarithm_terms <- function(chip) if (chip$logarithm > 0) 0 else if (chip$precision == "double") 14 else 8

# Constants of the processor's precision.
of_precision <- function(constants, chip) {
  if (chip$precision == "single") return(constants)
  for (name in c("add", "area_add")) constants[[name]] <- constants[[name]] * constants$double_add
  for (name in c("multiply", "divide", "area_multiply", "area_divide")) {
    constants[[name]] <- constants[[name]] * constants$double_multiply
  }
  constants
}

# ---- area ------------------------------------------------------------------------------------------------------------------

#' @rdname ssp_energy
#' @export
ssp_area <- function(chip = ssp(), constants = ssp_constants()) {
  check_ssp(chip)
  area_of(unclass(chip), check_constants(constants))
}

area_of <- function(chip, constants) {
  k <- of_precision(constants, chip)
  units <- chip$spes * chip$rus
  words <- words_of(chip)
  terms <- logarithm_terms(chip)
  species <- if (chip$species_memory == 0) 4096 else chip$species_memory
  tables <- if (chip$logarithm > 0) 32 * words * 2^chip$logarithm else 0
  buffers <- units * (64 * words * chip$reaction_fifo + 64 * chip$data + 64 * chip$requests + tables) +
    512 * chip$rus * chip$requests
  merger <- 20 + 32 + 32 * words # tag, population and rate
  registers <- units * (chip$merger * merger + 256) + chip$spes * chip$victims * (256 + 20) # also of vectors
  compared <- units * ((8 + chip$merger) * 20 / 32 + words) + chip$spes * ((chip$rus - 1) * words + chip$victims * 20 / 32)
  logic <- function(constant) constant * k$placement / 1e6
  memory <- k$area_bit / 1e6
  row <- function(part, count, of, each) data.frame(part, low = count * each[[1L]], high = count * each[[2L]], count, of)
  out <- rbind(
    row("reaction memories", 8 * units * chip$reaction_memory, "bits", memory),
    row("scratchpads", 64 * units * (chip$internal + chip$cached), "bits", memory),
    row("vector caches", 256 * chip$spes * chip$vector_lines, "bits", memory),
    row("species memories", 8 * units * species, "bits", memory),
    row("buffers and tables", buffers, "bits", memory),
    row("multipliers", units * (3 + terms), "operators", logic(k$area_multiply)),
    row("adders", units * (2 + max(1, terms)), "operators", logic(k$area_add)),
    row("dividers", units, "operators", logic(k$area_divide)),
    row("random numbers", units * words, "generators of 32 bits", logic(k$area_random)),
    row("comparators", compared, "32-bit comparators", logic(k$area_integer)),
    row("pipeline", units * chip$latency * words, "stages of 32 bits", logic(k$area_stage)),
    row("registers", registers, "bits", logic(k$area_flip_flop)),
    row("memory interfaces", chip$channels, "channels", k$area_channel)
  )
  rbind(out, data.frame(part = "all", low = sum(out$low), high = sum(out$high), count = NA_real_, of = ""))
}

# Of memories, and of logic: what leaks.
leaking <- function(area) {
  is_memory <- area$part %in% c("reaction memories", "scratchpads", "vector caches", "species memories", "buffers and tables")
  is_logic <- !is_memory & !area$part %in% c("memory interfaces", "all")
  list(bits = sum(area$count[is_memory]), logic = c(sum(area$low[is_logic]), sum(area$high[is_logic])))
}

# ---- energy ----------------------------------------------------------------------------------------------------------------

# Counts of a run, a step of an SPE.
activity_of <- function(found, chip) {
  n <- max(1, found$steps)
  busy <- stats::setNames(rowSums(found$units), found$states) / n
  lines <- stats::setNames(rowSums(found$channels)[1:4], c("reactions", "species", "writes", "vectors")) / n
  spes <- rowSums(found$spes) / n
  energies <- found$channels[nrow(found$channels) - 5:0, , drop = FALSE]
  kind <- function(name) busy[[paste0("busy_", name)]]
  species <- kind("uni") + kind("bi1") + kind("bi2")
  list(
    uni = kind("uni"), bi1 = kind("bi1"), bi2 = kind("bi2"), species = species, reads = species + kind("dummy"),
    issued = species + kind("dummy") + kind("source"), evaluated = kind("uni") + kind("bi1") + kind("bi2") / 2 + kind("source"),
    lines = as.list(lines), fired = sum(spes[4:6]), victim_hits = spes[[5L]], misses = spes[[6L]],
    cycles = found$cycles / n, seconds = found$cycles / n / (1e6 * chip$clock), memory = 1000 * sum(energies) / n # pJ
  )
}

# Rows of counts: the energy of each is count x constant x factor, with an interval of factors.
energy_counts <- function(a, chip, program, area) {
  words <- words_of(chip)
  terms <- logarithm_terms(chip)
  row <- function(part, constant, count, low = 1, high = low) data.frame(part, constant, count, low, high)
  access <- function(part, count, bytes) row(part, "sram", count, sqrt(bytes / 8192))
  streamed <- a$issued * program$streamed * words
  requested <- a$lines$species + a$lines$writes
  fetched <- a$lines$species * program$populations
  species_memory <- if (chip$species_memory == 0) 4096 else chip$species_memory
  buffers <- "species memories and buffers"
  log_name <- "logarithm and random numbers"
  rbind(
    row("propensities", "multiply", a$uni + 2 * a$bi1 + a$bi2),
    row("propensities", "add", a$species),
    row("propensities", "integer", a$bi1 * words),
    row(log_name, "random", a$evaluated * words),
    row(log_name, "multiply", a$evaluated * terms),
    row(log_name, "add", a$evaluated * max(1, terms)),
    if (chip$logarithm > 0) access(log_name, a$evaluated * words / 2, 4 * words * 2^chip$logarithm),
    row("division", "divide", a$evaluated),
    row("comparison", "integer", (a$evaluated + chip$rus - 1) * words + (8 * a$reads + chip$merger * a$bi2) * 20 / 32),
    access("reaction memories", a$issued * (1 - program$streamed) * words, chip$reaction_memory),
    access("scratchpads", a$reads + a$fired * program$copies, 8 * (chip$internal + chip$cached)),
    access(buffers, 2 * streamed, 8 * words * chip$reaction_fifo),
    access(buffers, 16 * a$lines$reactions, 64 * chip$requests), # a line of 8 words in a lane
    access(buffers, a$lines$species / 2, species_memory), # an instruction is half a word
    access(buffers, fetched, 8 * chip$data), # half a word is written and read
    access(buffers, 2 * requested, 8 * chip$requests),
    access("vector cache", 4 * (a$fired + a$victim_hits + a$misses), 32 * chip$vector_lines),
    row("vector cache", "integer", chip$victims * (a$victim_hits + a$misses) * 20 / 32),
    wire_counts(a, chip, fetched, area, row),
    row("clock and leakage", "stage", a$cycles * chip$spes * chip$rus * chip$latency * words),
    leakage_counts(a, area, row),
    row("memory chips", "memory", a$memory),
    row("memory interface", io_of(chip$memory), 512 * Reduce(`+`, a$lines))
  )
}

# Bits, and their ways in mm. A tree to n units that fill a square is sqrt(n) sides long.
wire_counts <- function(a, chip, fetched, area, row) {
  all <- area[area$part == "all", ]
  side <- sqrt(c(all$low, all$high))
  spe <- side / sqrt(chip$spes)
  wires <- function(bits, length) row("wires", "wire", bits, length[[1L]], length[[2L]])
  rbind(
    wires(512 * a$lines$reactions, side * sqrt(chip$spes)),
    wires(32 * (fetched + a$lines$writes) + 256 * a$misses, side),
    wires(256 * a$fired + 32 * words_of(chip) + 20, spe * sqrt(chip$rus))
  )
}

leakage_counts <- function(a, area, row) {
  leaks <- leaking(area)
  rbind(
    row("clock and leakage", "leakage_bit", leaks$bits, 1e3 * a$seconds), # nW s to pJ
    row("clock and leakage", "leakage_logic", 1, 1e9 * a$seconds * leaks$logic[[1L]], 1e9 * a$seconds * leaks$logic[[2L]])
  )
}

io_of <- function(memory) paste0("io_", tolower(sub("-.*", "", memory)))

# `program` is what program_notes() tells.
energy_of <- function(found, chip, program, constants) {
  chip <- unclass(chip)
  area <- area_of(chip, constants)
  counts <- energy_counts(activity_of(found, chip), chip, program, area)
  k <- of_precision(constants, chip)
  k$wire <- k$wire * k$span
  k$memory <- c(1, 1) # counted in pJ
  end <- function(i) counts$count * vapply(k[counts$constant], `[[`, 0, i) * counts[[c("low", "high")[[i]]]] / 1000
  part <- factor(counts$part, unique(counts$part))
  operations <- ifelse(counts$constant %in% c("memory", "leakage_bit", "leakage_logic"), 0, counts$count)
  structure(
    list(
      part = levels(part), low = as.vector(tapply(end(1L), part, sum)), high = as.vector(tapply(end(2L), part, sum)),
      operations = as.vector(tapply(operations, part, sum))
    ),
    class = c("ssp_energy", "data.frame"), row.names = .set_row_names(nlevels(part)), operations = counts,
    throughput = found$steps / (found$cycles / (1e6 * chip$clock)) # also while SPEs are done, as their energy is counted
  )
}

# Whether these are all parts of a run, each once. Functions like rbind() keep the class.
has_all_parts <- function(x) {
  "memory chips" %in% x$part && anyDuplicated(x$part) == 0L && all(c("low", "high", "operations") %in% names(x)) &&
    !is.null(attr(x, "throughput"))
}

#' @rdname ssp_energy
#' @export
summary.ssp_energy <- function(object, ...) {
  check_no_more(...)
  if (!has_all_parts(object)) abort_argument("`object` must be an unchanged result of ssp_energy().")
  is_memory <- object$part == "memory chips"
  low <- c(sum(object$low[!is_memory]), sum(object$low[is_memory]), sum(object$low))
  high <- c(sum(object$high[!is_memory]), sum(object$high[is_memory]), sum(object$high))
  pace <- attr(object, "throughput")
  data.frame(
    part = c("processor", "memory", "all"), low = low, high = high, steps_low = 1e9 / high, steps_high = 1e9 / low,
    watts_low = low * pace / 1e9, watts_high = high * pace / 1e9
  )
}

# Totals of a part would be wrong, so a part is a plain data frame.
#' @export
`[.ssp_energy` <- function(x, ...) {
  out <- NextMethod()
  if (!is.data.frame(out) || identical(dim(out), dim(x))) return(out)
  attr(out, "throughput") <- attr(out, "operations") <- NULL
  class(out) <- "data.frame"
  out
}

#' @export
print.ssp_energy <- function(x, ...) {
  if (!has_all_parts(x)) return(print(plain_frame(x), ...))
  number <- function(value) format(signif(value, 3), big.mark = ",", scientific = FALSE, drop0trailing = TRUE)
  all <- summary(x)[3L, ]
  writeLines("<ssp_energy> nJ a step of an SPE, from published and assumed constants; see ssp_constants()")
  shown <- data.frame(
    part = c(x$part, "all"), low = c(x$low, all$low), high = c(x$high, all$high), operations = c(x$operations, NA)
  )
  shown[2:4] <- lapply(shown[2:4], function(value) trimws(vapply(value, function(v) if (is.na(v)) "" else number(v), "")))
  print.data.frame(shown, row.names = FALSE)
  writeLines(sprintf(
    "%s to %s steps a joule, %s to %s W", number(all$steps_low), number(all$steps_high), number(all$watts_low),
    number(all$watts_high)
  ))
  invisible(x)
}

#' @rdname ssp_energy
#' @export
plot.ssp_energy <- function(x, y, ...) {
  if (!has_all_parts(x)) abort_argument("`x` must be an unchanged result of ssp_energy().")
  shown <- plain_frame(x)[x$high > 0, ]
  n <- nrow(shown)
  if (n == 0L) abort_argument("`x` has no part that takes energy.")
  low <- pmax(shown$low, least_shown(shown$low, shown$high))
  size <- 0.9
  margins <- graphics::par("mai")
  margins[[2L]] <- max(graphics::strwidth(shown$part, "inches", cex = size)) + 0.3
  old <- graphics::par(mai = margins)
  on.exit(graphics::par(old))
  ours <- list(
    x = sqrt(low * shown$high), y = rev(seq_len(n)), log = "x", pch = 19, xlim = range(low, shown$high), ylim = c(0.5, n + 0.5),
    xlab = "nJ a step", ylab = "", yaxt = "n"
  )
  do.call(graphics::plot, utils::modifyList(ours, list(...)))
  graphics::segments(low, rev(seq_len(n)), shown$high, rev(seq_len(n)), lwd = 2)
  graphics::axis(2, rev(seq_len(n)), shown$part, las = 1, cex.axis = size)
  invisible(x)
}
