# The kinds of output of an ensemble. Each has an entry, with all that distinguishes it. To add a kind, write an entry, and its
# name into the signature of simulate().

# An entry. `make`: makes the result from the record of the run, what the core returns, and the options. `sums`: whether the core
# adds up trajectories; else it keeps them. `counts`: whether it counts how often each value occurs. `firings`: whether it lists
# the firings, and no states. `last`: whether only the last time is kept. `whole`: whether counts must be whole. `sweeps`: whether
# sweep_parameters() has it. `columns`: those besides the time, from the names of what is observed.
output_kind <- function(make, columns, sums = FALSE, counts = FALSE, firings = FALSE, last = FALSE, whole = FALSE,
                        sweeps = TRUE) {
  list(
    make = make, columns = columns, sums = sums, counts = counts, firings = firings, last = last, whole = whole, sweeps = sweeps
  )
}

with_tally <- function(run, result) {
  run$tally <- c(result$tally, list(known = known_cells(run, result$varies)))
  run
}

state_columns <- function(observed) c("trajectory", observed)

output_kinds <- list(
  summary = output_kind(
    function(run, result, options) ensemble_of(with_tally(run, result)), sums = TRUE,
    columns = function(observed) c("species", "mean", "lower", "upper", "sd", "min", "max", "sd_lower", "sd_upper")
  ),
  trajectories = output_kind(
    function(run, result, options) {
      run$varies <- result$varies
      trajectories_of(result, run, options)
    }, state_columns
  ),
  final = output_kind(
    function(run, result, options) {
      run$stopped <- result$stopped
      trajectories_of(result, run, options)
    }, state_columns, last = TRUE
  ),
  histogram = output_kind(
    function(run, result, options) histogram_of(with_tally(run, result)), sums = TRUE, counts = TRUE, whole = TRUE,
    columns = function(observed) c("species", "count", "n", "proportion")
  ),
  events = output_kind(
    function(run, result, options) events_of(result$firings, run), function(observed) c("trajectory", "reaction"),
    firings = TRUE, last = TRUE, whole = TRUE, sweeps = FALSE
  )
)

output_names <- function(property = NULL) {
  if (is.null(property)) names(output_kinds) else names(Filter(function(kind) kind[[property]], output_kinds))
}

# Whether a run kept the final states, whose times differ if some trajectories have stopped before.
kept_final <- function(run) identical(run$output, "final")
