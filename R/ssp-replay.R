# Cycles of reactions that have fired already, by any exact method.

#' The cycles that a processor would take for given events
#'
#' `replay_ssp()` lets a processor repeat reactions that have fired in a simulation of a network. It simulates the cycles alone:
#' no propensities and no waiting times. Use it to compare processors or programs on the same trajectories, or to save time for
#' large networks: see section Speed.
#'
#' @param program A program of [compile_ssp()].
#' @param events A result of [`simulate()`][simulate.reaction_network] with `output = "events"` for the network of the program,
#'   unchanged: missing rows are found, but not other values.
#'   All exact methods that have events will do: trajectories have the same distribution whichever method computes them.
#' @param progress Whether to show the progress of long runs.
#' @returns The events, from which [ssp_cycles()], [ssp_memory()] and [ssp_energy()] tell the cycles and the energy. All cycles
#'   are simulated. SPEs take trajectories in their order: an SPE whose trajectory has ended takes the next one. After its last
#'   reaction, a trajectory has one more step, which finds its end.
#' @section What the result depends on: The cycles depend on the program, and on the reactions that fire in each step; not on
#'   times, nor on counts. For events of `"first_reaction"`, and a processor with `precision = "double"`, they are those of
#'   [`simulate()`][simulate.ssp_program] for the program with the same seed, the same times and `cycles = "all"`. With another
#'   method or precision, they are those of other trajectories with the same distribution. (With `precision = "single"`, the
#'   processor rounds, so its distribution differs a little.) Rates and initial counts may differ from those of the program: its
#'   instructions take the same time.
#' @section Speed: [`simulate()`][simulate.ssp_program] for a program evaluates all reactions in each step. `replay_ssp()` does
#'   not, so it takes as long as the model of the cycles alone. If all data are on the chip, this model needs little time for a
#'   step: cycles of 65,536 reactions on 128 RUs were simulated 29 times as fast, or 12 times with the simulation of the events.
#'   If RUs wait for the memory, its simulation takes the time, and nothing is gained.
#' @section Errors: `fireflip_error_argument` if `events` are not the complete events of an exact method, if their network has
#'   events (see [event()]), or if its reactions are not those of the program. `fireflip_error_size` if there is not enough memory
#'   for the cycles of the processor.
#' @references Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks. University
#'   of Texas at Austin.
#' @seealso [compile_ssp()], [ssp_cycles()], [ssp_trace()]
#' @export
#' @examples
#' net <- reaction_model("aggregation", copies = 64, sets = 16, seed = 1)
#' events <- simulate(net, nsim = 4, times = 0.05, output = "events", seed = 1)
#' few <- replay_ssp(compile_ssp(net, ssp(spes = 2, rus = 2)), events)
#' many <- replay_ssp(compile_ssp(net, ssp(spes = 2, rus = 8)), events)
#' ssp_cycles(few)
#' ssp_cycles(many)
#' ssp_memory(many)
replay_ssp <- function(program, events, progress = interactive()) {
  check_program(program)
  check_consistent(program)
  if (missing(events)) abort_value("events", firings_expected, events)
  fired <- fired_reactions(events, program$network)
  check_flag(progress, "progress")
  pointer <- .Call(ffi_ssp_replay_new, program$image, fired$reactions, fired$counts, available_memory())
  found <- follow_cycles(pointer, length(fired$counts), progress)
  with_cycles(events, found, program)
}

firings_expected <- "a result of simulate() for the network of the program with output = \"events\""

# The reactions that have fired, as numbers, first by trajectory, and how many each trajectory has.
fired_reactions <- function(events, net) {
  columns <- c("trajectory", "time", "reaction")
  if (!inherits(events, "ensemble_events")) abort_value("events", firings_expected, events)
  run <- run_of(events, "events")
  refuse_changed(events, columns, "events")
  if (!inherits(run$model, "reaction_network")) {
    abort_value("events", firings_expected, events, "; this one is not about a reaction network.")
  }
  if (run$method %in% approximate_methods()) {
    abort_argument(sprintf(
      "`events` are of method \"%s\", which is approximate; a processor fires single reactions.", run$method
    ))
  }
  # Rows that were selected twice have texts as names.
  if (!all(columns %in% names(events)) || nrow(events) != run$events || is.character(attr(events, "row.names"))) {
    abort_argument("`events` must be complete, as each step depends on the one before; rows or columns were removed.")
  }
  if (!is.null(run$model$events)) {
    abort_argument("The network of `events` has events of its own (see event()); a processor fires reactions only.")
  }
  check_same_reactions(run$model, net)
  number <- match(levels(events$reaction), make.unique(net$reactions$name, " "))[events$reaction]
  at <- match(events$trajectory, trajectories_of_run(run))
  if (anyNA(number) || anyNA(at)) {
    abort_argument("`events` name trajectories or reactions that their run does not have. Use the original result.")
  }
  if (is.unsorted(at) || any(diff(events$time)[diff(at) == 0] < 0)) number <- number[order(at, events$time)]
  list(reactions = number, counts = tabulate(at, run_size(run)))
}

# The numbers of the trajectories of a run, or of the parts that a result has.
trajectories_of_run <- function(run) {
  if (is.null(run$shard)) return(seq_len(run$nsim))
  first <- trajectories_before(run$nsim, run$shard)
  sort(unlist(lapply(seq_along(first), function(i) first[[i]] + seq_len(trajectories_in(run$nsim, run$shard)[[i]]))))
}

check_same_reactions <- function(net, own) {
  texts <- function(net) paste0("\"", net$reactions$name, ": ", net$reactions$equation, "\"")
  theirs <- texts(net)
  ours <- texts(own)
  if (length(theirs) != length(ours)) {
    abort_argument(sprintf(
      "`events` are of a network with %s; that of the program has %s.",
      count_of(length(theirs), "reaction"), format_whole(length(ours))
    ))
  }
  differs <- which(theirs != ours)
  if (length(differs) > 0L) {
    abort_argument(sprintf(
      "`events` are of another network than that of the program: reaction %d of `events` is %s, and that of the program is %s.",
      differs[[1L]], theirs[[differs[[1L]]]], ours[[differs[[1L]]]]
    ))
  }
  invisible()
}
