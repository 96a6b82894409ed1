# Programs at work: trajectories, and where the cycles went.

#' Simulate a Stochastic Simulation Processor
#'
#' Runs a program of [compile_ssp()] on its processor, in simulation: the trajectories that the processor computes, and the cycles
#' that it takes.
#'
#' @param object A program of [compile_ssp()].
#' @param nsim The number of trajectories. Each SPE simulates one; an SPE that ends one takes the next.
#' @param seed A whole number, or `NULL` to draw it from R's generator.
#' @param times Ascending times at which the counts are recorded. A trajectory ends at the last one.
#' @param steps Instead of `times`: the number of reactions that fire in each trajectory. Then the result has the counts at the
#'   end, and all cycles are simulated. So `output`, `quantiles`, `covariance`, `cycles` and `threads` are not given with it.
#' @param observe,output,quantiles,covariance,confidence,threads,progress As in [`simulate()`][simulate.reaction_network] for
#'   reaction networks. `threads` are for the trajectories; cycles are simulated by one thread.
#' @param cycles Whether cycles are simulated. `"auto"`: until the mean number of cycles of a step is known to 0.5% (half of a 95%
#'   interval), or to the end of the run if this comes first; see section The pace of a run of [ssp_cycles()]. `"all"`: to the
#'   end. `"none"`: not at all.
#' @param ... Must be empty.
#' @returns With `times`, the result that `simulate()` has for the network, of the class that belongs to `output`. With `steps`,
#'   the counts after so many steps, as `output = "final"` gives them. [ssp_cycles()] and [ssp_memory()] tell of the cycles.
#' @section Trajectories: They depend on the network, the seed, and the fields `precision` and `logarithm` of the processor: not
#'   on the numbers of SPEs and RUs, the optimisation, or the memory. With `logarithm` above 0, waiting times are approximate, and
#'   so are distributions. With `precision = "double"`, they are those of method `"first_reaction"` of
#'   [`simulate()`][simulate.reaction_network] with the same seed, to the last bit. With `"single"`, propensities and waiting
#'   times are numbers of 32 bits.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_size` if a count exceeds 2^32 - 1, or if
#'   there is not enough memory for the processor. `fireflip_error_model` if a propensity exceeds the largest number of the
#'   precision.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [ssp()], [compile_ssp()], [ssp_cycles()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
#' program <- compile_ssp(net, ssp(spes = 2, rus = 4))
#' sim <- simulate(program, nsim = 4, times = 0:5 / 100, seed = 1)
#' summary(sim)
#' ssp_cycles(sim)
simulate.ssp_program <- function(object, nsim = 1, seed = NULL, ..., times, steps = NULL, observe = NULL,
                                 output = c("summary", "trajectories", "final", "histogram", "events"), quantiles = NULL,
                                 covariance = FALSE, confidence = 0.95, cycles = c("auto", "all", "none"), threads = NULL,
                                 progress = interactive()) {
  check_program(object, "object")
  check_no_more(...)
  check_consistent(object)
  given <- c(
    output = !missing(output), quantiles = !is.null(quantiles), covariance = !missing(covariance), cycles = !missing(cycles),
    threads = !is.null(threads)
  )
  cycles <- check_choice(cycles, "cycles", c("auto", "all", "none"))
  if (!is.null(steps)) {
    if (!missing(times)) abort_argument("`times` and `steps` both say when a trajectory ends; give one of them.")
    if (any(given)) {
      abort_argument(sprintf(
        "`%s` is for `times`; with `steps`, there are the final counts and all cycles.", names(which(given))[[1L]]
      ))
    }
    return(simulate_steps(object, nsim, seed, steps, observe, confidence, progress))
  }
  if (missing(times)) abort_not_named("times", "nsim = 4, times = 0:10", seed, " (or `steps`)")
  plan <- ensemble_plan(
    object$network, nsim, seed, times = times, method = "first_reaction", observe = observe, output = output,
    quantiles = quantiles, covariance = covariance, confidence = confidence, backend = "cpu", threads = threads,
    progress = progress
  )
  check_observed_species(plan, object)
  result <- run_ensemble(object, plan$options, progress, "cpu")
  out <- planned_result(plan, object$network, result)
  if (cycles == "none") return(out)
  run <- list(
    seed = plan$seed, first = plan$options$first, nsim = plan$options$nsim, last = max(plan$options$times), steps = 0,
    error = if (cycles == "auto") known_pace else 0, times = NULL, counts = NULL
  )
  with_cycles(out, run_cycles(object, run, progress), object)
}

known_pace <- 0.005

# What runs is the image; names of results come from `network`, and times from `chip`. So they must belong to it.
check_consistent <- function(program) {
  about <- .Call(ffi_ssp_describe, program$image)
  same <- function(x, y) identical(enc2utf8(as.character(x)), enc2utf8(as.character(y)))
  net <- program$network
  is_its <- inherits(net, "reaction_network") && same(net$species$species, about$species) &&
    length(net$reactions$name) == length(about$reactions) && identical(as.double(net$species$initial), about$initial)
  wrong <- if (!is_its) "network" else if (!identical(program$chip, chip_of_core(about$chip))) "chip"
  if (!is.null(wrong)) {
    abort_argument(sprintf(
      "`%s` of the program is not that for which its image was compiled; compile_ssp() makes programs for others.",
      wrong
    ))
  }
  invisible(program)
}

# A program knows species, but no variables.
check_observed_species <- function(plan, program) {
  species <- nrow(program$network$species)
  beyond <- plan$options$observed[plan$options$observed > species]
  if (length(beyond) == 0L) return(invisible())
  abort_argument(sprintf(
    "`observe` names %s, which is a variable of the network; a program has species only.",
    describe(names(program$network$variables)[[beyond[[1L]] - species]])
  ))
}

# Its trajectories are those of the network, so its results have the classes of a network's.
ensemble_engine.ssp_program <- function(model) {
  core <- reaction_engine
  core$new <- function(model, options) .Call(ffi_ssp_new, model$image, options)
  core$grows <- function(model, options) {
    I(paste(
      "A trajectory may have many events up to the last time, as when times and rates are in different units; or counts grow,",
      "and the run ends with an error when a count exceeds 2^32 - 1. To see which it is, simulate one trajectory up to an",
      "earlier last time, or for a number of `steps`."
    ))
  }
  core$without_kernel <- function() "first_reaction"
  core
}

# So many reactions in each trajectory: the counts and the times after them.
simulate_steps <- function(program, nsim, seed, steps, observe, confidence, progress) {
  check_count(steps, "steps", 1, 2^40)
  plan <- ensemble_plan(
    program$network, nsim, seed, times = 0, method = "first_reaction", observe = observe, output = "final",
    confidence = confidence, backend = "cpu", progress = progress
  )
  check_observed_species(plan, program)
  n <- plan$options$nsim
  species <- nrow(program$network$species)
  check_memory_of_result(8 * n * (species + 1))
  run <- list(
    seed = plan$seed, first = 0, nsim = n, last = Inf, steps = steps, error = 0, times = numeric(n), counts = numeric(n * species)
  )
  found <- run_cycles(program, run, progress)
  plan$options$times <- max(found$times)
  states <- matrix(found$counts, species)
  result <- list(
    states = lapply(plan$options$observed, function(i) states[i, ]), stopped = found$times, method = "first_reaction",
    varies = rep(TRUE, length(plan$options$observed)), events = found$steps - n # no reaction fires in the last step of each
  )
  result <- with_notes(result, found$seconds, 1L)
  with_cycles(planned_result(plan, program$network, result), found, program)
}

# Begins a run, if there is enough memory for its SPEs.
new_cycles <- function(program, options, memory = available_memory()) {
  options$memory <- memory
  .Call(ffi_ssp_cycles_new, program$image, options)
}

# Simulates cycles in short pieces. The run writes into `times` and `counts`, which this function makes anew.
run_cycles <- function(program, options, progress) {
  if (!is.null(options$times)) {
    options$times <- rep(0, length(options$times))
    options$counts <- rep(0, length(options$counts))
  }
  pointer <- new_cycles(program, options)
  c(follow_cycles(pointer, options$nsim, progress), list(times = options$times, counts = options$counts))
}

# Works on a run to its end, and releases it.
follow_cycles <- function(pointer, nsim, progress) {
  on.exit(.Call(ffi_release, pointer))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  repeat {
    state <- .Call(ffi_ssp_cycles_advance, list(pointer), piece_seconds)
    if (state$done == 1) break
    if (!progress || proc.time()[["elapsed"]] - started < 1) next
    if (is.null(bar)) bar <- start_ensemble_bar(nsim, environment())
    now <- sprintf("%s steps, %s cycles each", format_short(state$steps), format_short(state$mean))
    cli::cli_progress_update(id = bar, set = state$ended, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  c(.Call(ffi_ssp_cycles_result, pointer), list(nsim = nsim, seconds = proc.time()[["elapsed"]] - started))
}

# What a result knows of cycles is a note: results with the same trajectories are identical, whatever they took.
with_cycles <- function(out, found, program) {
  found[c("times", "counts")] <- NULL
  structure(out, ssp = machine_notes(
    chip = program$chip, found = found, program = program_notes(program), rows = nrow(out)
  ))
}

noted_cycles <- function(x) {
  if (missing(x)) abort_value("x", "a result of simulate() for a program of compile_ssp(), or of replay_ssp()", x)
  note <- attr(x, "ssp")
  if (!is.null(note)) note <- .Call(ffi_noted, note)
  if (is.null(note) || !identical(note$rows, nrow(x))) {
    abort_argument(paste(
      "The object has no cycles: it must be an unchanged result of replay_ssp(), or of simulate() for a program of",
      "compile_ssp() with `cycles` other than \"none\"."
    ))
  }
  note
}

#' Where the cycles of a processor went
#'
#' `ssp_cycles()` tells for each reaction unit (RU) how many cycles it spent in each state, and `ssp_memory()` what the channels
#' of the memory did, in a run of [`simulate()`][simulate.ssp_program] for a program, or of [replay_ssp()].
#'
#' @param x A result of [`simulate()`][simulate.ssp_program] for a program, or of [replay_ssp()].
#' @returns `ssp_cycles()`: a data frame of class `ssp_cycles` with the columns `spe`, `ru`, `state`, `cycles` and `share`. The
#'   cycles of an RU add up to those of the run. `summary()` adds up RUs; `plot()` shows shares, and takes arguments of
#'   [graphics::barplot()]. A selection of rows or columns is a plain data frame. `ssp_memory()`: a data frame with a row for each
#'   channel and use of it with at least a line, and the columns `channel`, `use` (`"reactions"`, `"species"`, `"writes"` and
#'   `"vectors"`), `lines`, `bytes`, `bandwidth` (GB/s) and `bus` (the share of the time in which this use has the channel's data
#'   bus).
#' @section States:
#' * `busy_uni`, `busy_bi1`, `busy_bi2`, `busy_dummy`, `busy_source`: issues an instruction of a reaction of one molecule, of two
#'   molecules of the same species, a half of a reaction of two species (which has two such instructions), an instruction that
#'   evaluates no reaction, or one of a reaction without reactants.
#' * `wait_vector`: waits for the other RUs, and for the state change of the last step. The pipeline fills and drains here.
#' * `starved_reactions`, `starved_lane`: the next instruction has not come from the memory; or it has come, but another SPE has
#'   no room for it.
#' * `starved_species`: the next population has not come from the memory.
#' * `done`: the SPE has no more trajectories.
#' @section The pace of a run: With `cycles = "auto"`, the begin of a run is simulated: at least 20 batches of steps, and
#'   4,000,000 instructions or 100,000 steps, until half of the interval is below 0.5% of the mean. If the pace changes later, as
#'   when other reactions fire, whose state changes are not in the cache, the interval does not know it; `cycles = "all"`
#'   simulates the whole run. The attribute `pace` of `ssp_cycles()` is a list: `mean`, the cycles of a step of an SPE; `error`,
#'   half of its 95% interval (`NA` of a whole run, which is not a sample); `steps`, from how many steps of all SPEs; `complete`,
#'   whether the whole run was simulated; `throughput`, steps a second of all SPEs that have a trajectory; `vectors`, the hits,
#'   victim hits and misses of the vector caches.
#' @section Errors: `fireflip_error_argument` if `x` is no such result.
#' @seealso [ssp_trace()] for what each RU does in each cycle, [ssp_energy()] for the energy of a step.
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
#' sim <- simulate(compile_ssp(net, ssp(rus = 4)), steps = 100, seed = 1)
#' ssp_cycles(sim)
#' ssp_memory(sim)
ssp_cycles <- function(x) {
  note <- noted_cycles(x)
  found <- note$found
  chip <- note$chip
  units <- ncol(found$units)
  states <- nrow(found$units)
  unit <- rep(seq_len(units), each = states) - 1L
  pace <- list(
    mean = found$mean, error = if (found$complete) NA_real_ else found$error, steps = found$sampled, complete = found$complete,
    throughput = throughput_of(found, chip),
    vectors = stats::setNames(rowSums(found$spes)[4:6], c("hits", "victim hits", "misses"))
  )
  structure(
    list(
      spe = as.integer(unit %/% chip$rus) + 1L, ru = as.integer(unit %% chip$rus) + 1L, state = rep(found$states, units),
      cycles = as.vector(found$units), share = as.vector(found$units) / max(found$cycles, 1)
    ),
    class = c("ssp_cycles", "data.frame"), row.names = .set_row_names(units * states), pace = pace, chip = chip
  )
}

# Steps a second of all SPEs at work: with fewer trajectories than SPEs, the others have none. They would not go at this pace, as
# all of them share the memory.
throughput_of <- function(found, chip) 1e6 * chip$clock * min(chip$spes, found$nsim) / found$mean

#' @export
print.ssp_cycles <- function(x, ...) {
  pace <- attr(x, "pace")
  if (!has_pace(x)) return(print(plain_frame(x), ...))
  writeLines(pace_text(pace, attr(x, "chip")))
  print(summary(x), row.names = FALSE)
  invisible(x)
}

pace_text <- function(pace, chip) {
  known <- if (is.na(pace$error)) "" else sprintf(" +- %s", format(pace$error, digits = 2))
  c(
    sprintf("<ssp_cycles> %s, %s MHz", format(structure(chip, class = "ssp")), format_whole(chip$clock)),
    sprintf(
      "%s%s cycles a step, from %s%s: %s steps a second", format(round(pace$mean, 1), big.mark = ","), known,
      if (pace$complete) "" else "the first ", count_of(pace$steps, "step"),
      format(signif(pace$throughput, 4), big.mark = ",")
    )
  )
}

#' @export
summary.ssp_cycles <- function(object, ...) {
  cycles <- tapply(object$cycles, factor(object$state, unique(object$state)), sum)
  cycles <- cycles[cycles > 0]
  data.frame(state = names(cycles), cycles = as.vector(cycles), share = as.vector(cycles) / sum(cycles))
}

# The pace is that of all rows, so a selection does not have it.
has_pace <- function(x) {
  if (is.null(attr(x, "pace")) || !all(c("spe", "ru", "state", "cycles", "share") %in% names(x))) return(FALSE)
  anyDuplicated((x$spe * 2048 + x$ru) * 16 + match(x$state, unique(x$state))) == 0L
}

#' @export
`[.ssp_cycles` <- function(x, ...) {
  out <- NextMethod()
  if (!is.data.frame(out) || (identical(dim(out), dim(x)) && has_pace(out))) return(out)
  attr(out, "pace") <- attr(out, "chip") <- NULL
  class(out) <- "data.frame"
  out
}

#' @export
plot.ssp_cycles <- function(x, ...) {
  unit <- paste(x$spe, x$ru, sep = ".")
  shares <- tapply(x$share, list(factor(x$state, unique(x$state)), factor(unit, unique(unit))), sum)
  shares <- shares[rowSums(shares) > 0, , drop = FALSE]
  draw_stacks(list(
    height = shares, col = state_colours[rownames(shares)], xlab = "SPE.RU", ylab = "share of the cycles",
    legend.text = rownames(shares)
  ), ...)
  invisible(x)
}

# Stacked bars with a legend. Arguments of the user replace ours.
draw_stacks <- function(ours, ...) {
  ours <- c(ours, list(border = NA, args.legend = list(bty = "n", border = NA)))
  do.call(graphics::barplot, utils::modifyList(ours, list(...)))
}

#' @rdname ssp_cycles
#' @export
ssp_memory <- function(x) {
  note <- noted_cycles(x)
  counts <- note$found$channels
  uses <- c("reactions", "species", "writes", "vectors")
  lines <- counts[seq_along(uses), , drop = FALSE]
  seconds <- note$found$cycles / (1e6 * note$chip$clock)
  busy <- counts[6L, ] / pmax(counts[5L, ], 1) # cycles of the bus, of all cycles
  all <- pmax(colSums(lines), 1)
  out <- data.frame(
    channel = rep(seq_len(ncol(lines)), each = length(uses)), use = rep(uses, ncol(lines)), lines = as.vector(lines),
    bytes = 64 * as.vector(lines), bandwidth = if (seconds > 0) 64e-9 * as.vector(lines) / seconds else NaN,
    bus = as.vector(t(t(lines) / all * busy))
  )
  out <- out[out$lines > 0, ]
  row.names(out) <- NULL
  out
}
