# What a result stores about its run. The columns of a result are its estimates. The attribute "run" is a list of everything that
# determined the estimates and of what the simulation observed. It is the same on every machine. What depends on the machine
# (seconds, backend, threads) is in the element `machine` of that list, which identical() does not compare: see ffi_note() in
# src/rglue/.

# Notes on the machine: seconds, backend, and if known threads, bytes (memory) and device (for a run on a GPU).
machine_notes <- function(...) .Call(ffi_note, list(...))

noted <- function(run) .Call(ffi_noted, run$machine)

# Merges the notes of several runs: the sum of seconds, all backends, the first device, and the largest memory and threads.
all_notes <- function(runs, seconds = NULL) {
  notes <- lapply(runs, noted)
  out <- notes[[1L]]
  each <- function(name) unlist(lapply(notes, `[[`, name))
  out$seconds <- if (is.null(seconds)) sum(each("seconds")) else seconds
  out$backend <- paste(unique(each("backend")), collapse = ", ")
  out$device <- Find(Negate(is.null), lapply(notes, `[[`, "device"))
  if (!is.null(each("bytes"))) out$bytes <- max(each("bytes"))
  if (!is.null(each("threads"))) out$threads <- max(each("threads"))
  do.call(machine_notes, out)
}

# The run of an exact result.
exact_run <- function(model, confidence, seconds, ...) {
  list(
    method = "exact", model = model, ..., confidence = confidence, forgets = forgets_start(model),
    machine = machine_notes(seconds = seconds, backend = "cpu")
  )
}

# Which rows are exact: they have no number of trajectories.
exact_rows <- function(x) if (is.null(x$trajectories)) logical(nrow(x)) else is.na(x$trajectories)

# What a row is about, as text: a set, a pair, or a change and a set. NULL for a selection of columns.
row_keys <- function(x) {
  columns <- if (inherits(x, "long_run_sensitivity")) c("change", "node", "predictor", "value", "set") else {
    if (inherits(x, "steady_state")) "set" else c("from", "to")
  }
  if (!all(columns %in% names(x))) return(NULL)
  do.call(paste, c(unname(as.list(x)[columns]), sep = "\r"))
}

# The keys of the rows that the run gave, in their order.
run_keys <- function(x, run) {
  if (inherits(x, "long_run_sensitivity")) return(run$keys)
  if (inherits(x, "steady_state")) names(run$sets) else paste(run$pairs$from, run$pairs$to, sep = "\r")
}

# Which rows did not come from the run of `x`. Functions such as dplyr::bind_rows() copy the run of the first result to the rows
# of all. Rows are foreign if there are more than the run gave, and one has a key that the run does not have, or other numbers
# than the earlier rows of the same key. With fewer rows, the user may have changed the keys.
foreign_rows <- function(x) {
  run <- attr(x, "run")
  if (is.null(run)) return(logical(nrow(x)))
  if (is.null(run$runs)) return(foreign_to_run(x, run))
  if (is.null(x[["run"]])) return(!logical(nrow(x)))
  out <- !x[["run"]] %in% names(run$runs)
  if (all(out) && length(unique(x[["run"]])) <= length(run$runs)) return(logical(nrow(x))) # the user has renamed the runs
  for (name in names(run$runs)) {
    of_run <- which(x[["run"]] == name)
    out[of_run] <- foreign_to_run(x[of_run, , drop = FALSE], run$runs[[name]])
  }
  out
}

foreign_to_run <- function(x, run) {
  key <- row_keys(x)
  known <- run_keys(x, run)
  if (length(unique(key)) == 0L || length(known) == 0L) return(logical(nrow(x)))
  numbers <- as.list(x)[intersect(c("probability", "changed", "influence", "difference", "lower", "upper"), names(x))]
  row <- do.call(paste, c(list(key), unname(lapply(numbers, sprintf, fmt = "%a"))))
  first <- !duplicated(row)
  # the number of a row among the different rows of its key
  nth <- stats::ave(seq_along(row)[first], key[first], FUN = seq_along)[match(row, row[first])]
  given <- tabulate(match(known, unique(key)), length(unique(key)))[match(key, unique(key))]
  differs <- nth > pmax(given, 1L)
  if (length(unique(key)) > length(known)) return(differs | !key %in% known)
  differs & (key %in% known | sum(first) > length(known))
}

refuse_foreign_rows <- function(x, name) {
  foreign <- foreign_rows(x)
  if (!any(foreign)) return(invisible())
  abort_argument(sprintf(
    "`%s` has %s that its run did not give; the first is row %d. rbind() combines several results.", name,
    count_of(sum(foreign), "row"), which(foreign)[[1L]]
  ))
}

# The columns that as.data.frame(run = TRUE) adds, with one row per row of the result.
run_columns <- function(x) {
  check_estimate(x)
  run <- attr(x, "run")
  runs <- if (is.null(run$runs)) list(run) else run$runs
  of_row <- if (is.null(run$runs)) rep(1L, nrow(x)) else match(x$run, names(run$runs))
  if (is.null(run) || length(of_row) != nrow(x) || anyNA(of_row)) {
    abort_argument("`x` lacks the record of its run; use the original result.")
  }
  if (!inherits(x, "outcomes")) refuse_foreign_rows(x, "x")
  field <- function(name, none) {
    value <- lapply(runs, `[[`, name)
    unlist(lapply(value, function(one) if (is.null(one)) none else one))[of_row]
  }
  note <- function(name) unlist(lapply(runs, function(one) noted(one)[[name]]))[of_row]
  out <- list(method = field("method", NA_character_))
  if (inherits(x, "long_run_sensitivity")) out <- list() # it has a column of its own
  if (!inherits(x, c("long_run_sensitivity", "outcomes"))) {
    out$layout <- field("layout", NA_character_)
    out$burn_in <- field("burn_in", NA_real_)
  }
  if (inherits(x, "steady_state")) {
    out$thinning <- vapply(seq_len(nrow(x)), function(i) {
      one <- runs[[of_row[[i]]]]
      at <- if (is.null(x$set)) NA else match(x$set[[i]], names(one$sets))
      if (is.null(one$thinning) || is.na(at)) NA_real_ else as.double(one$thinning[[at]])
    }, 0)
  }
  out$seed <- field("seed", NA_real_)
  out$backend <- note("backend")
  out$seconds <- note("seconds")
  as.data.frame(out)
}

# A plain data frame, optionally with the columns that describe the run.
with_run <- function(x, run) {
  check_flag(run, "run")
  if (!run) return(plain_frame(x))
  more <- run_columns(x)
  out <- plain_frame(x)
  out[names(more)] <- more
  out
}

plain_frame <- function(x) {
  attr(x, "run") <- NULL
  attr(x, "ssp") <- NULL # the cycles of simulate.ssp_program()
  class(x) <- "data.frame"
  x
}

# ---- rows of one result, or of several ------------------------------------------------------------------------------------

# Subsets of rows or columns keep the run, except for its tally, which is that of all rows.
keep_run <- function(out, x) {
  if (!is.data.frame(out) || !all(c("lower", "upper") %in% names(out))) return(out)
  run <- attr(x, "run")
  if (!is.list(run)) return(out)
  run$tally <- NULL
  if (!is.null(run$runs) && !is.null(out$run)) run <- notes_of_runs(run$runs[names(run$runs) %in% out$run])
  attr(out, "run") <- run
  out
}

# What several runs say together: whether one of them may depend on its start, and the first doubt.
notes_of_runs <- function(runs) {
  doubts <- unlist(lapply(runs, `[[`, "doubt"))
  list(
    runs = runs, forgets = if (any(vapply(runs, function(run) isFALSE(run$forgets), NA))) FALSE,
    doubt = if (length(doubts) > 0L) doubts[[1L]]
  )
}

#' @export
`[.steady_state` <- function(x, ...) keep_run(NextMethod(), x)

#' @export
`[.long_run_influence` <- function(x, ...) keep_run(NextMethod(), x)

#' @export
`[.long_run_sensitivity` <- function(x, ...) keep_run(NextMethod(), x)

#' Combine results of several runs
#'
#' `rbind()` combines results of [steady_state()], [node_activity()], [long_run_influence()], [long_run_sensitivity()] or
#' [outcomes()] by rows, for instance to compare a wild type with mutants. To merge the parts of one run, use
#' [c()][c.steady_state] instead.
#'
#' @param ... Results of the same kind, preferably named: `rbind(wild = a, mutant = b)`.
#' @param deparse.level,make.row.names,stringsAsFactors Ignored; required by the generic.
#' @returns A result of the same kind with the additional first column `run`, which holds the names of the arguments, or their
#'   numbers if there are none. It has the same methods for `print()`, `plot()` and `as.data.frame(run = TRUE)`. Rows of
#'   the same result that are given without names are combined without this column. For [outcomes()], whose attractors are
#'   numbered in each result separately, the value is a plain data frame with the additional column `nodes`, which describes
#'   the outcomes. If other objects are among the arguments, the value is a plain data frame.
#' @name result-rbind
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' rbind(
#'   wild = steady_state(net, "CycB & !Cdh1"),
#'   mutant = steady_state(fix_nodes(net, CycD = 0), "CycB & !Cdh1")
#' )
NULL

#' @rdname result-rbind
#' @export
rbind.steady_state <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) {
  bind_results(list(...), "steady_state")
}

#' @rdname result-rbind
#' @export
rbind.long_run_influence <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) {
  bind_results(list(...), "long_run_influence")
}

#' @rdname result-rbind
#' @export
rbind.long_run_sensitivity <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) {
  bind_results(list(...), "long_run_sensitivity")
}

#' @rdname result-rbind
#' @export
rbind.outcomes <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) {
  parts <- Filter(Negate(is.null), list(...))
  plain <- lapply(parts, function(part) if (is.data.frame(part)) plain_frame(part) else part)
  runs <- lapply(parts, attr, "run")
  known <- vapply(parts, inherits, NA, "outcomes") & !vapply(runs, is.null, NA)
  if (!all(known)) return(do.call(rbind.data.frame, plain))
  check_same_columns(plain)
  for (part in parts) outcome_values(part)
  label <- names(parts)
  if (is.null(label)) label <- rep("", length(parts))
  label <- make.unique(ifelse(nzchar(label), label, as.character(seq_along(parts))), " ")
  texts <- labels_of_all(runs) # in full
  rows <- lapply(seq_along(parts), function(i) {
    cbind(run = rep(label[[i]], nrow(plain[[i]])), plain[[i]], nodes = texts[[i]][plain[[i]]$outcome])
  })
  do.call(rbind.data.frame, c(rows, make.row.names = FALSE))
}

bind_results <- function(parts, class) {
  parts <- Filter(Negate(is.null), parts)
  known <- vapply(parts, function(part) inherits(part, class) && !is.null(attr(part, "run")), NA)
  if (!all(known)) {
    plain <- lapply(parts, function(part) if (is.data.frame(part)) plain_frame(part) else part)
    return(do.call(rbind.data.frame, plain))
  }
  check_same_columns(lapply(parts, function(part) plain_frame(part)[setdiff(names(part), "run")]))
  for (part in parts) check_estimate(part)
  untallied <- function(run) run[setdiff(names(run), "tally")]
  runs <- lapply(parts, function(part) untallied(attr(part, "run")))
  one_run <- is.null(names(parts)) && all(vapply(runs, identical, NA, runs[[1L]]))
  if (!one_run) parts <- labelled_runs(parts)
  out <- do.call(rbind.data.frame, c(lapply(unname(parts), plain_frame), make.row.names = FALSE))
  if (one_run) return(structure(out, class = c(class, "data.frame"), run = runs[[1L]]))
  all <- unlist(lapply(unname(parts), function(part) attr(part, "run")$runs), recursive = FALSE)
  structure(out, class = c(class, "data.frame"), run = notes_of_runs(lapply(all, untallied)))
}

# Adds a column `run` with different names to each part, and names the runs accordingly.
labelled_runs <- function(parts) {
  given <- names(parts)
  if (is.null(given)) given <- rep("", length(parts))
  own <- lapply(seq_along(parts), function(i) {
    inner <- names(attr(parts[[i]], "run")$runs)
    label <- if (nzchar(given[[i]])) given[[i]]
    if (is.null(inner)) return(if (is.null(label)) as.character(i) else label)
    if (is.null(label)) inner else paste(label, inner)
  })
  new <- utils::relist(make.unique(unlist(own), " "), own)
  lapply(seq_along(parts), function(i) {
    part <- parts[[i]]
    run <- attr(part, "run")
    label <- if (is.null(run$runs)) rep(new[[i]], nrow(part)) else new[[i]][match(part$run, names(run$runs))]
    out <- cbind(run = label, plain_frame(part)[setdiff(names(part), "run")])
    structure(out, run = list(runs = stats::setNames(if (is.null(run$runs)) list(run) else run$runs, new[[i]])))
  })
}
