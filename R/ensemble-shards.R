# Parts of an ensemble that are simulated apart, and trajectories that go on from states of an earlier run.

# The trajectories of a part: their number, how many come before, and the part as a matrix, or NULL for a whole run.
trajectories_of_shard <- function(nsim, seed, shard) {
  if (is.null(shard)) return(list(n = as.double(nsim), first = 0, shard = NULL))
  part <- check_shard(shard)
  if (is.null(seed)) abort_argument("`shard` needs a `seed`, the same for all parts; found none.")
  if (part[[2L]] > nsim) {
    abort_argument(sprintf(
      "`shard` must not have more parts than there are trajectories; found %s for %s.", count_of(part[[2L]], "part"),
      trajectory_count(nsim)
    ))
  }
  row <- matrix(c(part[[1L]] - 1, part[[2L]]), 1L, dimnames = list(NULL, c("part", "parts")))
  list(n = trajectories_in(nsim, row), first = trajectories_before(nsim, row), shard = if (part[[2L]] > 1) row)
}

# The trajectories before the parts of an ensemble, and in them. Of p parts, the first n mod p have one more.
trajectories_before <- function(nsim, shard) {
  part <- shard[, "part"]
  parts <- shard[, "parts"]
  unname(part * (nsim %/% parts) + pmin(part, nsim %% parts))
}

trajectories_in <- function(nsim, shard) unname(nsim %/% shard[, "parts"] + (shard[, "part"] < nsim %% shard[, "parts"]))

#' Merge parts of an ensemble
#'
#' `c()` merges results of [`simulate()`][simulate.reaction_network] for a reaction network that were computed with
#' `shard = c(part, parts)`. If all parts are given, the result is identical to that of the undivided run.
#'
#' @param ... Results of the same kind, of parts of the same run, in any order.
#' @returns A result of the same kind. If parts are missing, it is that of the given parts, and there is a warning of class
#'   `fireflip_warning_parts`. It can be merged with the missing parts later.
#' @section Errors: `fireflip_error_argument` if the results are not unchanged parts of one run. Rows may be in any order for
#'   trajectories, events and times of passage.
#' @seealso [`simulate()`][simulate.reaction_network], and [c.steady_state()] for Boolean networks.
#' @name ensemble-parts
#' @examples
#' net <- example_model("decay_dimerisation")
#' net <- set_initial(net, S1 = 500)
#' part <- function(i) simulate(net, nsim = 100, times = 0:2, seed = 1, shard = c(i, 2))
#' c(part(1), part(2))
NULL

#' @rdname ensemble-parts
#' @export
c.ensemble <- function(...) merge_ensembles(list(...), ensemble_of)

#' @rdname ensemble-parts
#' @export
c.ensemble_histogram <- function(...) merge_ensembles(list(...), histogram_of)

#' @rdname ensemble-parts
#' @export
c.ensemble_trajectories <- function(...) merge_rows(list(...))

#' @rdname ensemble-parts
#' @export
c.ensemble_events <- function(...) merge_rows(list(...))

#' @rdname ensemble-parts
#' @export
c.first_passage <- function(...) merge_rows(list(...))

# The record of all parts; its sums are still those of the first.
merged_run <- function(parts) {
  class <- class(parts[[1L]])[[1L]]
  if (!all(vapply(parts, inherits, NA, class))) {
    abort_argument(sprintf("c() merges results of class \"%s\"; found another object among them.", class))
  }
  runs <- lapply(parts, attr, "run")
  if (any(vapply(runs, is.null, NA))) abort_argument("c() merges unchanged results; found one without the record of its run.")
  for (i in seq_along(parts)) run_of(parts[[i]], sprintf("..%d", i))
  if (length(runs) == 1L) return(runs[[1L]])
  if (any(vapply(runs, function(run) is.null(run$shard), NA))) {
    abort_argument("c() merges parts of one run; found a whole run among them. rbind() stacks results of different runs.")
  }
  own <- c("shard", "events", "tally", "machine", "stopped", "n_stopped")
  plain <- function(run) run[setdiff(names(run), own)]
  other <- Find(function(run) !identical(plain(run), plain(runs[[1L]])), runs)
  if (!is.null(other)) {
    abort_argument(sprintf("c() merges parts of one run; found parts that differ in %s.", run_difference(runs[[1L]], other)))
  }
  run <- runs[[1L]]
  run$shard <- different_parts(do.call(rbind, lapply(runs, `[[`, "shard")))
  run$events <- sum(vapply(runs, `[[`, 0, "events"))
  if (!is.null(run$n_stopped)) run$n_stopped <- sum(unlist(lapply(runs, `[[`, "n_stopped")))
  run$machine <- all_notes(runs)
  run
}

run_difference <- function(one, other) {
  asked <- c(
    model = "the network", nsim = "`nsim`", seed = "`seed`", times = "`times`", species = "`observe`", method = "`method`",
    output = "`output`", confidence = "`confidence`", quantiles = "`quantiles`", until = "`until`"
  )
  differs <- Filter(function(field) !identical(one[[field]], other[[field]]), names(asked))
  if (length(differs) > 0L) paste(asked[differs], collapse = ", ") else "their records"
}

# A whole run has no parts in its record.
told_of_missing <- function(run) {
  missing <- setdiff(seq_len(run$shard[[1L, "parts"]]), run$shard[, "part"] + 1)
  if (length(missing) == 0L) {
    run$shard <- NULL
    return(run)
  }
  more <- length(missing) - 10L
  warn("parts", sprintf(
    "%d of %d parts %s missing: %s%s.", length(missing), as.integer(run$shard[[1L, "parts"]]),
    if (length(missing) == 1L) "is" else "are", paste(utils::head(missing, 10L), collapse = ", "),
    if (more > 0L) sprintf(" and %d more", more) else ""
  ))
  run
}

# The kind of each column, by its name. Integers are numbers, as in a result that was read from a file.
kinds_of_columns <- function(x) {
  vapply(plain_frame(x), function(column) if (is.object(column)) class(column)[[1L]] else mode(column), "")
}

# A count or a variable is a number, and may be NaN, but is never NA.
has_its_counts <- function(x) {
  if (kind_of_result(x) != "ensemble_trajectories") return(TRUE)
  all(vapply(plain_frame(x), function(column) mode(column) == "numeric" && !lacks_counts(column), NA))
}
lacks_counts <- function(column) any(is.na(column) & !is.nan(column))

merge_ensembles <- function(parts, frame) {
  run <- merged_run(parts)
  parts <- lapply(parts, with_kind)
  if (length(parts) == 1L) return(parts[[1L]])
  unchanged <- vapply(parts, function(part) identical(part, frame(attr(part, "run"))), NA)
  if (!all(unchanged)) abort_argument("c() merges unchanged results; found one whose rows or columns were changed.")
  run$tally <- merge_tallies(lapply(parts, function(part) attr(part, "run")$tally))
  frame(told_of_missing(run))
}

merge_tallies <- function(tallies) {
  out <- .Call(ffi_ensemble_merge, tallies)
  if (is.null(out$cell)) return(out)
  all <- lapply(c(cell = "cell", value = "value", count = "count"), function(name) unlist(lapply(tallies, `[[`, name)))
  order <- order(all$cell, all$value)
  cell <- all$cell[order]
  value <- all$value[order]
  n <- length(cell)
  equal <- value[-1L] == value[-n] | (is.nan(value[-1L]) & is.nan(value[-n])) # NA where one value is NaN
  same <- c(FALSE, cell[-1L] == cell[-n] & equal %in% TRUE)
  group <- cumsum(!same)
  out$cell <- cell[!same]
  out$value <- value[!same]
  out$count <- as.vector(rowsum(all$count[order], group, reorder = FALSE))
  out
}

# Rows are in the order of the trajectories and their times.
merge_rows <- function(parts) {
  run <- merged_run(parts)
  parts <- lapply(parts, with_kind)
  if (length(parts) == 1L) return(parts[[1L]])
  parts <- lapply(parts, function(part) in_run_order(with_species(part)))
  if (!all(vapply(parts, change_of_rows, "") == "")) {
    abort_argument("c() merges unchanged results; found one whose rows were changed.")
  }
  if (length(unique(lapply(parts, kinds_of_columns))) > 1L || !all(vapply(parts, has_its_counts, NA))) {
    abort_argument("c() merges unchanged results; found one whose columns were changed.")
  }
  out <- do.call(rbind, lapply(parts, plain_frame))
  rows <- order(out$trajectory)
  out <- out[rows, , drop = FALSE]
  attr(out, "row.names") <- .set_row_names(nrow(out))
  if (!is.null(run$stopped)) run$stopped <- unlist(lapply(parts, function(part) attr(part, "run")$stopped))[rows]
  out <- structure(out, class = class(parts[[1L]]), run = told_of_missing(run))
  if (item_of(run) == "species") return(out)
  if (has_wide_rows(run)) with_long_rows(out, run) else with_items(out, run)
}

# ---- resuming -------------------------------------------------------------------------------------------------------------

# The states from which trajectories go on. `counts` has a column per trajectory.
resumed_start <- function(model, final, nsim, any_number, shard, species = model$species$species) {
  run <- if (!is.null(attr(final, "run"))) run_of(final, "initial")
  final <- with_species(final)
  if (is.null(run) || !kept_final(run) || !all(c("trajectory", "time", species) %in% names(final))) {
    found <- if (is.null(run)) "one without the record of its run"
      else if (!kept_final(run)) sprintf("one for `output` = \"%s\"", run$output)
      else paste("one without", quote_some(setdiff(c("trajectory", "time", species), names(final))))
    abort_argument(sprintf(
      "`initial` must be %s by %s, or a result for `output` = \"final\" with all %s (%s); found %s.",
      if (item_of(final) == "place") "markings" else "counts", items_of(final), items_of(final), quote_some(species), found
    ))
  }
  if (nrow(final) == 0L) abort_argument("`initial` must have at least one trajectory; found none.")
  check_resumed_values(final, species)
  if (!is.null(shard)) abort_argument("`shard` cannot divide trajectories that are resumed; resume each part by itself.")
  if (length(unique(final$time)) > 1L) {
    abort_argument("`initial` must have all trajectories at the same time; found several, as `until` gives them.")
  }
  first <- final$trajectory[[1L]] - 1
  if (!all(final$trajectory == first + seq_len(nrow(final)))) {
    abort_argument(paste(
      "`initial` must have trajectories with consecutive numbers; found others, as in a selection of rows. To number them anew,",
      "use x$trajectory <- seq_len(nrow(x))."
    ))
  }
  if (!any_number && !identical(as.double(nsim), as.double(nrow(final)))) {
    abort_argument(sprintf(
      "`nsim` must be the number of trajectories in `initial`, %s; found %s.", format_whole(nrow(final)), describe(nsim)
    ))
  }
  generation <- if (is.null(run$generation)) 1 else run$generation + 1
  kept <- list(nsim = run$nsim, shard = run$shard, start = final$time[[1L]], generation = generation)
  list(
    nsim = nrow(final), first = first, time = final$time[[1L]], generation = generation,
    counts = t(as.matrix(plain_frame(final)[species]) + 0), run = Filter(Negate(is.null), kept)
  )
}

# A user may have edited the final states.
check_resumed_values <- function(final, species) {
  for (column in c("trajectory", "time", species)) {
    values <- final[[column]]
    bad <- if (!is.numeric(values) || is.object(values)) 1L else which(!is.finite(values) | values < 0)
    if (length(bad) == 0L) next
    abort_argument(sprintf(
      "`initial` must have finite numbers of at least 0; found %s in row %s of column \"%s\".", describe(values[[bad[[1L]]]]),
      format_whole(bad[[1L]]), column
    ))
  }
}

# Counts that are not whole can be continued by some methods only.
check_resumed_method <- function(counts, method) {
  if (method %in% real_methods() || all(counts == floor(counts))) return(invisible())
  at <- which(counts != floor(counts), arr.ind = TRUE)[1L, ]
  abort_argument(sprintf(
    "`initial` has counts that are not whole (\"%s\" is %s), which only the methods %s have. `method` must be one; found %s%s.",
    rownames(counts)[[at[[1L]]]], format(counts[[at[[1L]], at[[2L]]]], digits = 7),
    paste0("\"", real_methods(), "\"", collapse = " and "), describe(method),
    if (method == "auto") ", which chooses an exact method" else ""
  ))
}

check_after_start <- function(times, start) {
  if (times[[1L]] >= start$time) return(invisible())
  abort_argument(sprintf(
    "`times` must not be before the time of the states in `initial`, %s; found %s.", format(start$time, digits = 15),
    format(times[[1L]], digits = 15)
  ))
}
