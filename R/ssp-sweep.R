# What such a processor should look like: many processors for a network, and the paper's formula.

#' Compare processors for a network
#'
#' Compiles a network for many processors, and simulates each until its pace is known.
#'
#' @param net A network of class `reaction_network`, as for [compile_ssp()].
#' @param ... Fields of the processor, by name, each with one or several values: `spes = c(1, 4), channels = c(2, 8)`. All
#'   combinations are simulated. If `reaction_channels` is not given, it is half of `channels`. For `plot()`: graphical
#'   parameters.
#' @param optimise One or several of `"paper"`, `"none"` and `"locality"`; see [compile_ssp()].
#' @param seed A whole number for the trajectories, and for `optimise = "none"`; `NULL` draws it from R's generator.
#' @param error A processor is simulated until half of the 95% interval of the mean number of cycles of a step is below this
#'   part of the mean, by default 0.005; and for the least sample that [ssp_cycles()] tells.
#' @param seconds How many seconds a processor is simulated at most, by default 60. A row that ends by this depends on the speed
#'   of the machine: its `known` is `FALSE`. If not even a step has ended, its pace and energy are `NaN` and `NA`.
#' @param constants Constants of energy and area, as [ssp_constants()] gives them.
#' @param threads Number of threads, each of which simulates a processor at a time; see [fireflip_threads()]. Rows whose `known`
#'   is `TRUE` do not depend on it.
#' @param progress Whether to show a progress bar.
#' @param x A result of `ssp_sweep()`.
#' @param against What throughput is plotted against: `"rus"`, the number of RUs in all; `"energy"`, nJ a step; or `"area"`, mm2.
#' @returns A data frame of class `ssp_sweep` with a row for each processor: the fields, `optimise`, and
#'   * `cycles`: cycles of a step of an SPE, `error`: half of the 95% interval (`NA` if it is not known), `steps`: from how many
#'     steps, `known`: whether the error that was asked for was reached;
#'   * `throughput`: steps a second of all SPEs;
#'   * `utilisation`: the share of the cycles in which RUs issue instructions, `bottleneck`: the state, other than issuing
#'     instructions, in which they spend most cycles (see [ssp_cycles()]);
#'   * `bus`: the share of the time in which the busiest channel has data on its bus;
#'   * `memory_energy`: of the memory chips, nJ a step of an SPE. See section Energy.
#'   * `energy_low`, `energy_high`: of memory and processor, nJ a step of an SPE; `area_low`, `area_high`: of the processor, mm2.
#'     Intervals, by [ssp_energy()] and [ssp_area()].
#'
#'   `plot()` shows throughput against the number of RUs in all, the energy of a step, or the area. A line shows the interval of a
#'   processor, and a point its middle (the geometric mean). A dotted line joins the processors that are not
#'   beaten: no other one with at most as many RUs (at most that energy or area, by the middle of the interval) has a higher
#'   throughput.
#' @section Energy: That of the memory chips follows from the currents of their data sheets by Micron's method (TN-41-01):
#'   activations, bursts, refreshes, and the background of all ranks, which dominates if there are many. All else is an estimate
#'   from published and assumed constants, see [ssp_energy()].
#' @section Errors: `fireflip_error_argument` for an unknown field or one out of its domain; the errors of
#'   [compile_ssp()]; `fireflip_error_size` if there is not enough memory for a processor.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [ssp()], [ssp_energy()], [ssp_model()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 256, sets = 64, seed = 1)
#' found <- ssp_sweep(net, spes = c(1, 2), rus = c(1, 8), optimise = c("paper", "locality"), seed = 1)
#' found
#' plot(found)
#' plot(found, against = "energy")
ssp_sweep <- function(net, ..., optimise = "paper", seed = NULL, error = 0.005, seconds = 60, constants = ssp_constants(),
                      threads = NULL, progress = interactive()) {
  if (missing(net) || !inherits(net, "reaction_network")) abort_class(net, "reaction_network", "net")
  check_number(error, "error", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(seconds, "seconds", 0, open_min = TRUE)
  check_flag(progress, "progress")
  threads <- resolve_threads(threads)
  for (i in seq_along(optimise)) check_choice(optimise[[i]], "optimise", c("paper", "none", "locality"))
  if (length(optimise) == 0L) abort_value("optimise", "one or several of \"paper\", \"none\" and \"locality\"", optimise)
  constants <- check_constants(constants)
  seed <- resolve_seed(seed)
  points <- sweep_points(list(...), optimise)
  chips <- lapply(points, function(point) new_ssp(unclass(ssp()), point[names(point) != "optimise"]))
  rows <- vector("list", length(points))
  bar <- if (progress) cli::cli_progress_bar("Simulating processors", total = length(points))
  sample_paces(
    length(points), function(i) compile_ssp(net, chips[[i]], points[[i]]$optimise, seed), seed, error, seconds, threads,
    function(i, program, found) {
      rows[[i]] <<- sweep_row(points[[i]], program, found, constants)
      if (progress) cli::cli_progress_update(id = bar)
    }
  )
  structure(do.call(rbind, rows), class = c("ssp_sweep", "data.frame"))
}

# All combinations of the fields' values, as lists.
sweep_points <- function(fields, optimise) {
  check_field_names(fields, "rus = c(1, 8)")
  for (name in names(fields)) {
    if (!is.atomic(fields[[name]]) || length(fields[[name]]) == 0L) abort_value(name, "one or several values", fields[[name]])
  }
  fields$optimise <- optimise
  grid <- expand.grid(fields, KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)
  lapply(seq_len(nrow(grid)), function(i) as.list(grid[i, , drop = FALSE]))
}

# Simulates n programs, at most `threads` of them at the same time and no more than fit into the memory, each until its pace is
# known or its time is up: trajectories one after the other. The time in which programs are compiled is not counted. program(i)
# makes a program, and finish(i, program, found) is told what was found.
sample_paces <- function(n, program, seed, error, seconds, threads, finish, memory = available_memory()) {
  options <- list(seed = seed, first = 0, nsim = 2^40, last = Inf, steps = 0, error = error, times = NULL, counts = NULL)
  runs <- list()
  on.exit(for (run in runs) .Call(ffi_release, run$pointer))
  begun <- 0L
  waiting <- NULL # a program for which there is no memory beside the others
  now <- function() proc.time()[["elapsed"]]
  while (begun < n || length(runs) > 0L) {
    while (begun < n && length(runs) < threads) {
      made <- if (is.null(waiting)) program(begun + 1L) else waiting
      # Of the memory that runs have asked for, they have not touched all: the system's figure does not know it.
      free <- memory - sum(vapply(runs, `[[`, 0, "bytes"))
      pointer <- tryCatch(new_cycles(made, options, free), fireflip_error_size = function(e) if (length(runs) == 0L) stop(e))
      waiting <- if (is.null(pointer)) made
      if (is.null(pointer)) break
      begun <- begun + 1L
      bytes <- .Call(ffi_ssp_cycles_bytes, pointer)
      runs[[length(runs) + 1L]] <- list(i = begun, program = made, pointer = pointer, bytes = bytes, spent = 0)
    }
    started <- now()
    state <- .Call(ffi_ssp_cycles_advance, lapply(runs, `[[`, "pointer"), min(piece_seconds, seconds))
    took <- now() - started
    for (j in seq_along(runs)) runs[[j]]$spent <- runs[[j]]$spent + took
    known <- state$done == 1
    over <- known | vapply(runs, `[[`, 0, "spent") >= seconds
    for (j in which(over)) {
      run <- runs[[j]]
      finish(run$i, run$program, c(.Call(ffi_ssp_cycles_result, run$pointer), nsim = Inf, known = known[[j]]))
      .Call(ffi_release, run$pointer)
    }
    runs <- runs[!over]
  }
}

# The same for one program.
sample_pace <- function(program, seed, error, seconds) {
  out <- NULL
  sample_paces(1L, function(i) program, seed, error, seconds, 1L, function(i, program, found) out <<- found)
  out
}

sweep_row <- function(point, program, found, constants) {
  chip <- program$chip
  share <- rowSums(found$units) / max(1, sum(found$units))
  busy <- startsWith(found$states, "busy")
  rest <- share * !busy
  counts <- found$channels
  energies <- counts[nrow(counts) - 5:0, , drop = FALSE]
  energy <- energy_of(found, chip, program_notes(program), constants)
  a_step <- if (found$steps > 0) 1 else NA # without a step, there is no energy of one
  area <- area_of(unclass(chip), constants)
  data.frame(
    point, cycles = found$mean, error = found$error, steps = found$sampled, known = found$known,
    throughput = throughput_of(found, chip), utilisation = sum(share[busy]), bottleneck = found$states[[which.max(rest)]],
    bus = max(counts[6L, ] / pmax(counts[5L, ], 1)), memory_energy = sum(energies) / max(1, found$steps) * a_step,
    energy_low = sum(energy$low) * a_step, energy_high = sum(energy$high) * a_step, area_low = area$low[area$part == "all"],
    area_high = area$high[area$part == "all"]
  )
}

#' @export
print.ssp_sweep <- function(x, ...) {
  shown <- as.data.frame(x)
  numbers <- c("cycles", "error", "throughput", "utilisation", "bus", "memory_energy", "energy_low", "energy_high", "area_low")
  numbers <- intersect(c(numbers, "area_high"), names(shown))
  shown[numbers] <- lapply(shown[numbers], function(value) {
    format(signif(value, 3), big.mark = ",", scientific = FALSE, drop0trailing = TRUE)
  })
  print.data.frame(shown, row.names = FALSE)
  invisible(x)
}

# 0 has no place on a logarithmic axis: what stands for it.
least_shown <- function(low, high) {
  above <- c(low, high)
  above <- above[is.finite(above) & above > 0]
  if (length(above) == 0L) 1 else min(above) / 10
}

#' @rdname ssp_sweep
#' @export
plot.ssp_sweep <- function(x, against = c("rus", "energy", "area"), ...) {
  against <- check_choice(against, "against", c("rus", "energy", "area"))
  units <- (if (is.null(x$spes)) 1 else x$spes) * (if (is.null(x$rus)) 1 else x$rus)
  low <- switch(against, rus = units, energy = x$energy_low, area = x$area_low)
  high <- switch(against, rus = units, energy = x$energy_high, area = x$area_high)
  label <- switch(against, rus = "RUs in all", energy = "nJ a step", area = expression("area of the processor, " * mm^2))
  least <- least_shown(low, high)
  low <- pmax(low, least)
  high <- pmax(high, least)
  middle <- sqrt(low * high)
  kinds <- unique(x$optimise)
  colours <- grDevices::hcl.colors(max(3L, length(kinds)), "Dark 3")
  colour <- colours[match(x$optimise, kinds)]
  usual <- list(
    x = middle, y = x$throughput, log = "xy", pch = 19, col = colour, xlab = label, ylab = "steps a second",
    xlim = range(low, high, finite = TRUE)
  )
  do.call(graphics::plot, utils::modifyList(usual, list(...)))
  wide <- which(high > low)
  graphics::segments(low[wide], x$throughput[wide], high[wide], x$throughput[wide], col = colour[wide])
  order <- order(middle, -x$throughput)
  order <- order[is.finite(x$throughput[order]) & is.finite(middle[order])]
  front <- order[x$throughput[order] > c(-Inf, cummax(x$throughput[order])[-length(order)])]
  graphics::lines(middle[front], x$throughput[front], type = "s", lty = 3)
  corner <- if (against == "energy") "bottomleft" else "topleft" # fast processors take little energy
  graphics::legend(corner, kinds, pch = 19, col = colours[seq_along(kinds)], bty = "n")
  invisible(x)
}

#' The paper's formula for the throughput of hardware
#'
#' The cycles of a step by the analytic model of Park and Gerstlauer (their figure 1), which takes all data to be on the chip.
#' It counts a reaction of two species as one, where a program has two instructions. [ssp_sweep()] simulates instead.
#'
#' @param reactions Numbers of reactions.
#' @param spes,rus Numbers of SPEs and of RUs of each; of the same length, or one of them has length 1.
#' @param method One or several of `"first_reaction"`, `"next_reaction"`, `"direct"` and `"optimised_direct"`.
#' @param dependency The part of the reactions whose propensities change when a reaction fires, from 0 to 1. It matters for
#'   `"next_reaction"` and `"optimised_direct"`.
#' @param latency Cycles of the pipeline for each method, a named vector; for one method, a number will do. The paper gives 40 to
#'   60. The processor of its simulations has a pipeline of 22; see [ssp()].
#' @param clock MHz.
#' @param banks Of the memory that direct methods search, for each SPE; by default as many as RUs.
#' @returns A data frame with the columns `method`, `reactions`, `spes`, `rus`, `cycles` (of a step) and `throughput` (steps a
#'   second of all SPEs), with a row for each combination of a method, a number of reactions and a pair of numbers of units.
#' @section Formula: M reactions on R RUs take `latency + 2 ceil(log2 R) + ceil(D M / R)` cycles, where D is 1 for the first
#'   reaction method. Direct methods add `ceil(M / banks)` for the search. The paper states the formula for the first and the next
#'   reaction method; the latencies by method, and the term of the search, are ours.
#' @section Errors: `fireflip_error_argument` for an invalid argument.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [ssp_sweep()]
#' @export
#' @examples
#' ssp_model(2^(3:19), spes = c(1, 1, 128), rus = c(1, 128, 1))
ssp_model <- function(reactions, spes = 1, rus = 1, method = "first_reaction", dependency = 1,
                      latency = c(first_reaction = 40, next_reaction = 50, direct = 60, optimised_direct = 60), clock = 400,
                      banks = rus) {
  known <- c("first_reaction", "next_reaction", "direct", "optimised_direct")
  aliases <- c(frm = "first_reaction", nrm = "next_reaction", dm = "direct")
  for (i in seq_along(method)) check_choice(method[[i]], "method", known, aliases)
  check_number(dependency, "dependency", 0, 1)
  check_number(clock, "clock", 0, open_min = TRUE)
  if (length(method) == 1L && length(latency) == 1L && is.null(names(latency))) latency <- stats::setNames(latency, method)
  if (!is.numeric(latency) || !all(method %in% names(latency)) || anyNA(latency[method]) || any(latency[method] < 0)) {
    abort_value("latency", "a vector of cycles with the names of the methods, such as c(first_reaction = 40)", latency)
  }
  whole <- function(x, name) {
    if (missing(x) || !is.numeric(x) || length(x) == 0L || anyNA(x) || any(x < 1 | x != floor(x) | is.infinite(x))) {
      abort_value(name, "whole numbers of at least 1", x)
    }
  }
  whole(reactions, "reactions")
  whole(spes, "spes")
  whole(rus, "rus")
  whole(banks, "banks")
  units <- max(length(spes), length(rus))
  for (name in c("spes", "rus", "banks")) {
    if (!length(get(name)) %in% c(1L, units)) {
      abort_argument(sprintf(
        "`%s` must have 1 or %d elements, as many as the longer one of `spes` and `rus`; found %d.", name, units,
        length(get(name))
      ))
    }
  }
  pairs <- data.frame(spes = rep_len(spes, units), rus = rep_len(rus, units), banks = rep_len(banks, units))
  grid <- expand.grid(
    reactions = reactions, pair = seq_len(units), method = method, KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE
  )
  of <- pairs[grid$pair, ]
  part <- ifelse(grid$method %in% c("next_reaction", "optimised_direct"), dependency, 1)
  search <- ifelse(grid$method %in% c("direct", "optimised_direct"), ceiling(grid$reactions / of$banks), 0)
  evaluated <- ceiling(round(part * grid$reactions / of$rus, 6)) # 0.07 * 100 is above 7
  cycles <- unname(latency[grid$method]) + 2 * ceiling(log2(of$rus)) + evaluated + search
  data.frame(
    method = grid$method, reactions = grid$reactions, spes = of$spes, rus = of$rus, cycles = cycles,
    throughput = of$spes * clock * 1e6 / cycles
  )
}
