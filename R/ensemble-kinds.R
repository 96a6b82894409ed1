# The kinds of output of an ensemble. Each has an entry, with all that distinguishes it. To add a kind, write an entry, and its
# name into the signature of simulate(). If sweep_parameters() has it, also into that signature, and its columns into
# setting_moments(). If its class is new, write methods for it.

# An entry. `make`: makes the result from the record of the run, what the core returns, and the options. `class`: the class that
# any engine's results of this kind have. `needs`: the fields that its record must have besides `run_fields`. `rows`: the number
# of rows that a run, or a part, gave. `sums`: whether the core adds up trajectories; else it keeps them. `counts`: whether it
# counts how often each value occurs. `firings`: whether it lists the firings, and no states. `last`: whether only the last time
# is kept. `whole`: whether counts must be whole. `sweeps`: whether sweep_parameters() has it. `columns`: those besides the time,
# from the names of what is observed.
output_kind <- function(make, class, columns, rows, needs = character(), sums = FALSE, counts = FALSE, firings = FALSE,
                        last = FALSE, whole = FALSE, sweeps = TRUE) {
  list(
    make = make, class = class, columns = columns, rows = rows, needs = needs, sums = sums, counts = counts, firings = firings,
    last = last, whole = whole, sweeps = sweeps
  )
}

with_tally <- function(run, result) {
  run$tally <- c(result$tally, list(known = known_cells(run, result$varies)))
  run
}

state_columns <- function(observed) c("trajectory", observed)
state_rows <- function(run) run_size(run) * length(run$times) * (if (is.null(run$colours)) 1 else length(run$species))

output_kinds <- list(
  summary = output_kind(
    function(run, result, options) ensemble_of(with_tally(run, result)), "ensemble",
    columns = function(observed) c("species", "mean", "lower", "upper", "sd", "min", "max", "sd_lower", "sd_upper"),
    rows = function(run) length(run$times) * length(run$species), needs = "tally", sums = TRUE
  ),
  trajectories = output_kind(
    function(run, result, options) {
      run$varies <- result$varies
      trajectories_of(result, run, options)
    }, "ensemble_trajectories", state_columns, state_rows, needs = "varies"
  ),
  final = output_kind(
    function(run, result, options) {
      run$stopped <- result$stopped
      trajectories_of(result, run, options)
    }, "ensemble_trajectories", state_columns, state_rows, last = TRUE
  ),
  histogram = output_kind(
    function(run, result, options) histogram_of(with_tally(run, result)), "ensemble_histogram",
    columns = function(observed) c("species", "count", "n", "proportion"), rows = function(run) length(run$tally$cell),
    needs = "tally", sums = TRUE, counts = TRUE, whole = TRUE
  ),
  events = output_kind(
    function(run, result, options) events_of(result$firings, run), "ensemble_events",
    columns = function(observed) c("trajectory", "reaction"), rows = function(run) run$events, firings = TRUE, last = TRUE,
    whole = TRUE, sweeps = FALSE
  )
)

output_classes <- function(property) unique(vapply(output_kinds[output_names(property)], `[[`, "", "class"))

# The classes of all kinds. The entry for a result of this class: that of the output of its run, or the last one of the class.
kind_classes <- unique(vapply(output_kinds, `[[`, "", "class"))
kind_of_class <- function(class, output = NULL) {
  kinds <- Filter(function(kind) kind$class == class, output_kinds)
  kinds[[c(intersect(output, names(kinds)), rev(names(kinds)))[[1L]]]]
}

output_names <- function(property = NULL) {
  if (is.null(property)) names(output_kinds) else names(Filter(function(kind) kind[[property]], output_kinds))
}

# Whether a run kept the final states, whose times differ if some trajectories have stopped before.
kept_final <- function(run) identical(run$output, "final")
