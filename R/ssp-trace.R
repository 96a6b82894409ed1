# Steps of a processor, cycle by cycle.

#' What each reaction unit does in each cycle
#'
#' `ssp_trace()` simulates some steps of a processor, and lists what each reaction unit (RU) does in each cycle.
#'
#' @param program A program of [compile_ssp()].
#' @param steps After so many reactions a trajectory ends; before, if no reaction can fire. Each SPE has one trajectory.
#' @param seed A whole number, or `NULL` to draw it from R's generator.
#' @param x A trace. To see a part of a trace, select its rows, as in `x[x$cycle <= 100, ]`.
#' @param y Ignored.
#' @param n How many rows to print. `Inf` for all.
#' @param ... For `plot()`, arguments of [graphics::image()]. `print()` ignores it.
#' @returns A data frame of class `ssp_trace` with a row for each RU and cycle, and the columns `spe`, `ru`, `step` (of the SPE;
#'   `NA` after the last one), `cycle` and `state` (a factor; see section States of [ssp_cycles()]). Steps and cycles are numbered
#'   from 1. The run is that of `simulate(program, nsim = spes, steps = steps, seed = seed)`, where `spes` is the number of SPEs.
#'   So there is one step more, which finds that no reaction is to fire. `plot()` draws a row for each RU and a column for each
#'   cycle. Lines mark the ends of steps, if the picture has at most 200 steps of all SPEs together.
#' @section Steps: The step of an SPE ends when the shortest waiting time is known. If all that its RUs need is on the chip, and
#'   the state change is in the vector cache, a step takes as many cycles as the longest RU has instructions, and
#'   `latency - barrier + 1 + 2 ceil(log2 rus)` more, where `latency`, `barrier` and `rus` are fields of [ssp()]. In the first
#'   step, the state change need not come to the RUs, which saves `1 + ceil(log2 rus)` of these cycles.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_size` if the trace would have more than
#'   10,000,000 rows, if a count exceeds 2^32 - 1, or if there is not enough memory for the processor. `fireflip_error_model` if a
#'   propensity exceeds the largest number of the precision.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [ssp_cycles()] for sums over whole runs, [compile_ssp()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 8, sets = 2, seed = 1)
#' trace <- ssp_trace(compile_ssp(net, ssp(rus = 4)), steps = 5, seed = 1)
#' trace
#' plot(trace)
#' table(trace$state, trace$ru)
ssp_trace <- function(program, steps = 10, seed = NULL) {
  check_program(program)
  check_consistent(program)
  check_count(steps, "steps", 1, 2^40)
  pointer <- .Call(ffi_ssp_trace_new, program$image, resolve_seed(seed), steps, most_states, available_memory())
  on.exit(.Call(ffi_release, pointer))
  repeat if (.Call(ffi_ssp_trace_advance, pointer, piece_seconds)) break
  found <- .Call(ffi_ssp_trace_result, pointer)
  spes <- program$chip$spes
  rus <- program$chip$rus
  rows <- length(found$state)
  cycles <- rows / (spes * rus)
  structure(
    list(
      spe = rep(seq_len(spes), each = rus * cycles), ru = rep(rep(seq_len(rus), each = cycles), spes), step = found$step,
      cycle = rep(seq_len(cycles), spes * rus), state = structure(found$state, levels = found$states, class = "factor")
    ),
    class = c("ssp_trace", "data.frame"), row.names = .set_row_names(rows)
  )
}

most_states <- 1e7 # rows of a trace; each takes 20 bytes

has_trace <- function(x) {
  is.data.frame(x) && all(c("spe", "ru", "step", "cycle", "state") %in% names(x)) && nrow(x) > 0L && is.factor(x$state)
}

# A number for each RU of each SPE, in their order. An SPE has at most 1,024 RUs.
unit_of <- function(x) x$spe * 2048 + x$ru

#' @rdname ssp_trace
#' @export
print.ssp_trace <- function(x, n = 10, ...) {
  if (!has_trace(x)) return(print(plain_frame(x)))
  units <- length(unique(unit_of(x)))
  print_first_rows(x, n, sprintf(
    "<ssp_trace> %s, cycles %s to %s", count_of(units, "RU"), format_whole(min(x$cycle)), format_whole(max(x$cycle))
  ))
  invisible(x)
}

# Colours of states: the same in all pictures. Busy units are dark, waiting ones light.
state_colours <- c(
  busy_uni = "#1B4F72", busy_bi1 = "#2E86AB", busy_bi2 = "#5B5EA6", busy_dummy = "#6C757D", busy_source = "#117864",
  wait_vector = "#DDE1E4", starved_reactions = "#E76F51", starved_lane = "#B5179E", starved_species = "#F4B942", done = "#FFFFFF"
)

#' @rdname ssp_trace
#' @export
plot.ssp_trace <- function(x, y, ...) {
  if (!has_trace(x)) {
    abort_value("x", "a trace of ssp_trace() with rows and all columns", x)
  }
  unit <- unit_of(x)
  all <- sort(unique(unit))
  units <- data.frame(spe = all %/% 2048, ru = all %% 2048)
  span <- range(x$cycle)
  states <- names(state_colours)[sort(unique(match(x$state, names(state_colours))))]
  shown <- matrix(NA_integer_, span[[2L]] - span[[1L]] + 1, nrow(units))
  shown[cbind(x$cycle - span[[1L]] + 1, match(unit, all))] <- match(x$state, states)
  single <- length(unique(units$spe)) == 1L
  # The legend stands beside the picture.
  size <- 0.8
  margins <- graphics::par("mai")
  margins[[4L]] <- max(graphics::strwidth(states, "inches", cex = size)) + 0.45
  old <- graphics::par(mai = margins)
  on.exit(graphics::par(old))
  n <- nrow(units)
  ours <- list(
    x = seq(span[[1L]], span[[2L]]), y = seq_len(n), z = shown, col = unname(state_colours[states]),
    breaks = seq(0.5, length(states) + 0.5), ylim = c(n + 0.5, 0.5), xlab = "cycle", ylab = if (single) "RU" else "SPE.RU",
    yaxt = "n", useRaster = length(shown) > 1e4
  )
  do.call(graphics::image, utils::modifyList(ours, list(...)))
  graphics::axis(2, seq_len(n), if (single) units$ru else paste(units$spe, units$ru, sep = "."), las = 1)
  graphics::abline(h = seq_len(n - 1L) + 0.5, col = "white")
  mark_steps(plain_frame(x)[unit %in% all[!duplicated(units$spe)] & !is.na(x$step), ], units, span[[2L]])
  graphics::box()
  corner <- graphics::par("usr")
  graphics::legend(
    corner[[2L]], corner[[4L]], states, fill = state_colours[states], cex = size, bty = "n", xpd = NA
  )
  invisible(x)
}

# Lines at the ends of steps before the last cycle, across the RUs of their SPE. The numbers of the first SPE's steps are above
# the picture. `rows` are those of an RU of each SPE.
mark_steps <- function(rows, units, last_cycle) {
  if (nrow(rows) == 0L) return(invisible())
  steps <- stats::aggregate(cycle ~ step + spe, rows, range)
  if (nrow(steps) > 200L) return(invisible())
  last <- steps$cycle[, 2L]
  top <- match(steps$spe, units$spe) - 0.5
  bottom <- nrow(units) + 1.5 - match(steps$spe, rev(units$spe))
  ends <- last < last_cycle
  if (any(ends)) graphics::segments(last[ends] + 0.5, top[ends], last[ends] + 0.5, bottom[ends], lwd = 2)
  first <- steps$spe == steps$spe[[1L]]
  labels <- steps$step[first]
  labels[[1L]] <- paste("step", labels[[1L]])
  graphics::axis(3, rowMeans(steps$cycle[first, , drop = FALSE]), labels, cex.axis = 0.8, tick = FALSE, line = -0.8)
  invisible()
}
