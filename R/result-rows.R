# The rows of a result. Users sort them and select some of them, and the result keeps its record. This file brings rows in the
# order of the run, and tells which are missing or were changed.

# What orders the rows of each kind of result.
order_of_rows <- function(x) {
  switch(
    kind_of_result(x), ensemble = , ensemble_noise = , noise_decomposition = c("time", "species"),
    ensemble_histogram = c("time", "species", "count"), ensemble_trajectories = , ensemble_events = c("trajectory", "time"),
    first_passage = "trajectory", parameter_sweep = switch(
      attr(x, "run")$output, summary = c("setting", "time", "species"), histogram = c("setting", "time", "species", "count"),
      c("setting", "trajectory", "time")
    )
  )
}

# A result with its rows in the order of its run. It may lack rows. Species have the order of the run, others come last. Without
# the columns that order them, rows stay as they are.
in_run_order <- function(x) {
  by <- order_of_rows(x)
  if (is.null(by) || !has_columns(x, by)) return(x)
  keys <- as.list(x)[by]
  if (!is.null(keys$species)) {
    names <- as.character(keys$species)
    keys$species <- match(names, unique(c(attr(x, "run")$species, names)))
  }
  sorted_by(x, keys)
}

# Equal rows keep their order, and sorted rows their names.
sorted_by <- function(x, keys) {
  at <- do.call(order, unname(keys))
  if (is.unsorted(at)) x[at, , drop = FALSE] else x
}

# The numbers of the trajectories of a run, or of the parts that a result has.
run_trajectories <- function(run) {
  if (is.null(run$shard)) return(seq_len(run$nsim))
  sort(unlist(Map(
    function(before, n) before + seq_len(n), trajectories_before(run$nsim, run$shard), trajectories_in(run$nsim, run$shard)
  )))
}

# What was done to the rows of a result that has a row for each trajectory and time, or for each firing: "" for nothing. They must
# be in the order of the run.
change_of_rows <- function(x) {
  run <- attr(x, "run")
  kind <- kind_of_result(x)
  rows <- if (kind == "first_passage") run_size(run) else kind_of_class(kind, run$output)$rows(run)
  if (nrow(x) < rows) return("rows removed")
  if (nrow(x) > rows) return("rows added")
  each <- if (kind == "ensemble_trajectories") length(run$times) else 1L
  numbers <- run_trajectories(run)
  same <- if (kind == "ensemble_events") x$trajectory %in% numbers else x$trajectory == rep(numbers, each = each)
  if (!all(same)) return("other numbers of trajectories")
  times <- rep(run$times, length.out = nrow(x))
  if (kept_final(run) && !is.null(run$stopped)) times <- ifelse(is.na(run$stopped), times, run$stopped)
  same <- if (kind == "ensemble_trajectories") x$time == times else x$time <= run$times[[length(run$times)]]
  if (all(same)) "" else "other times"
}

# ---- times and species of a run ---------------------------------------------------------------------------------------------

abort_changed <- function(name, found) {
  abort_argument(sprintf("%s must be an unchanged result, or rows of one; found %s.", name, found))
}

# The cells of a summary or a histogram: those times and species of its run that it has. `at` are their numbers in the run, in
# ascending order, and `found` the statistics of the run's sums. Rows have any order, but the numbers of the run, because answers
# come from its sums. So an answer is about these rows, or there is an error. `name` is what messages call `x`.
cells_of_result <- function(x, name) {
  x <- with_species(x)
  run <- attr(x, "run")
  found <- .Call(ffi_ensemble_statistics, run$tally)
  histogram <- kind_of_result(x) == "ensemble_histogram"
  cell <- numbers_of_cells(x, name, histogram)
  if (histogram) check_counts(x, cell, run$tally, name) else check_statistics(x, cell, found, name)
  at <- sort(unique(cell))
  species <- length(run$species)
  list(
    at = at, time = run$times[(at - 1) %/% species + 1], species = run$species[(at - 1) %% species + 1],
    found = lapply(found[setdiff(names(found), "covariance")], `[`, at), known = run$tally$known[at]
  )
}

# The number of each row's cell in its run.
numbers_of_cells <- function(x, name, histogram) {
  run <- attr(x, "run")
  if (!has_columns(x, c("time", "species", if (histogram) c("count", "n")))) abort_changed(name, "columns removed or changed")
  if (nrow(x) == 0L) abort_changed(name, "no rows")
  cell <- (match(x$time, run$times) - 1) * length(run$species) + match(as.character(x$species), run$species)
  if (anyNA(cell)) abort_changed(name, sprintf("times or %s that its run does not have", items_of(x)))
  cell
}

# Rows of a summary have the statistics of their cells. Other columns may be changed.
check_statistics <- function(x, cell, found, name) {
  if (anyDuplicated(cell)) abort_changed(name, "rows repeated")
  for (column in intersect(c("mean", "sd", "min", "max"), names(x))) {
    if (is_kept(x[[column]]) && all_same(x[[column]], found[[column]][cell])) next
    abort_changed(name, sprintf("other numbers in the column \"%s\"", column))
  }
}

# Rows of a histogram are all counts of their cells.
check_counts <- function(x, cell, tally, name) {
  of <- tally$cell %in% cell
  if (nrow(x) < sum(of)) abort_changed(name, "some counts of a time and species removed")
  at <- order(cell, x$count)
  same <- nrow(x) == sum(of) && all_same(cell[at], tally$cell[of]) && all_same(x$count[at], tally$value[of])
  if (!same || !all_same(x$n[at], tally$count[of])) abort_changed(name, "other numbers in the columns \"count\" and \"n\"")
}

# Whether numbers are equal. A variable may be NaN.
all_same <- function(a, b) all((a == b | is.na(a) & is.na(b)) %in% TRUE)

# The settings that a sweep has, the cells of their run, which must be the same for all of them, and the statistics of each.
cells_of_sweep <- function(x) {
  x <- with_species(x)
  run <- attr(x, "run")
  if (!has_columns(x, "setting")) abort_changed("`x`", "columns removed or changed")
  cell <- numbers_of_cells(x, "`x`", run$output == "histogram")
  settings <- sort(unique(x$setting))
  rows <- unname(split(seq_len(nrow(x)), match(x$setting, settings)))
  at <- unique(lapply(rows, function(of) sort(unique(cell[of]))))
  if (length(at) > 1L) {
    abort_argument(sprintf("`x` must have the same times and %s for each setting; found different ones.", items_of(x)))
  }
  found <- lapply(seq_along(settings), function(i) {
    found <- .Call(ffi_ensemble_statistics, run$tallies[[settings[[i]]]])
    of <- rows[[i]]
    if (run$output != "histogram") check_statistics(x[of, ], cell[of], found, "`x`")
    else if (any(rowsum(x$n[of], cell[of]) != run$nsim)) abort_changed("`x`", "counts removed or changed")
    lapply(found, `[`, at[[1L]])
  })
  species <- length(run$species)
  list(
    settings = settings, time = run$times[(at[[1L]] - 1) %/% species + 1], species = run$species[(at[[1L]] - 1) %% species + 1],
    found = found
  )
}
