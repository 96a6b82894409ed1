#' Print and summarise results
#'
#' `print()` shows the estimates with as many digits as the width of their intervals justifies. State sets are in the order of
#' `x`. Influences and sensitivities are in decreasing order. Influences that are certain, because they are the same in every
#' state, come last. If you have sorted the rows of `x`, your order is kept. `head()` and `tail()` of influences and
#' sensitivities give the first and the last rows as printed. If a table is wider than the line, `print()` omits columns and
#' lists their names below the table.
#'
#' `format()` returns the same, in the order of `x`, as a data frame of text. `summary()` describes the simulation; for
#' sensitivities it shows which changes have the largest effect. `as.data.frame()` removes the class and keeps the columns. With
#' `run = TRUE` it adds columns that describe the run: method, layout, burn-in, seed, backend and seconds.
#'
#' @param x,object A result of [steady_state()], [node_activity()], [long_run_influence()], [influence_analysis()] or
#'   [long_run_sensitivity()].
#' @param n How many rows to print; for an analysis, how many sets and how many pairs. Default 20; `Inf` for all.
#' @param row.names,optional Ignored; required by the generic.
#' @param run Whether to add columns that describe the run. Default `FALSE`.
#' @param ... Ignored.
#' @returns `format()`: a data frame of text.
#'
#'   `summary()` of a simulation: a list of class `summary.fireflip_run`. Its elements are `rows` (their number), `samples`,
#'   `trajectories`, `burn_in`, `window` (counted steps per trajectory), `thinning`, `rhat` (the largest), `width` (half the
#'   widest interval), `precision`, `layout`, `reason` (for the layout), `backend`, `device`, `threads`, `bytes` (memory of the
#'   simulation), `seed` and `seconds`. `device` describes a run on a GPU: `kernel`, `reason`, `threads` and `shared` (bytes of
#'   shared memory) per block, `blocks` per multiprocessor, `registers` per thread, `capacity` (tiles of 1,024 trajectories that
#'   run at a time), `bytes` and `seconds` on the device, and `gpus` (how many GPUs ran together). In the summary of an analysis,
#'   `rows`, `width` and `precision` have an element for `states` and one for `influence`.
#'
#'   `summary()` of sensitivities: a data frame of class `summary.long_run_sensitivity` with one row per change, ordered by
#'   `largest`. Its columns are `change`, `node`, `predictor`, `value`, `difference` (the largest over the sets in absolute value,
#'   with its sign: above 0 if the change raises the probability), `set` (the set of this difference), `largest` (its absolute
#'   value), `total` (the sum of absolute differences over the sets), `clear` (the number of sets for which the interval of the
#'   difference does not contain 0) and `p_adjusted` (the smallest over the sets, see [long_run_sensitivity()]).
#' @name result-methods
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' activity <- node_activity(net, seed = 1)
#' activity
#' summary(activity)
NULL

#' @rdname result-methods
#' @export
print.steady_state <- function(x, n = 20, ...) print_result(x, "steady_state", c("set", "probability", "lower", "upper"), n)

#' @rdname result-methods
#' @export
print.long_run_influence <- function(x, n = 20, ...) {
  print_result(x, "long_run_influence", c("from", "to", "influence", "lower", "upper"), n)
}

#' @rdname result-methods
#' @export
print.long_run_sensitivity <- function(x, n = 20, ...) {
  print_result(
    x, "long_run_sensitivity",
    c("node", "predictor", "value", "set", "probability", "changed", "difference", "lower", "upper"), n
  )
}

# A subset without the key columns is printed as a data frame.
print_result <- function(x, class, columns, n) {
  check_number(n, "n", 0, Inf)
  if (!all(columns %in% names(x))) return(print(as.data.frame(x)))
  check_estimate(x)
  foreign <- sum(foreign_rows(x))
  writeLines(c(
    result_title(x, class), run_notes(attr(x, "run")), if (foreign > 0L) foreign_text(foreign), if (is_empty_part(x)) empty_text
  ))
  print_rows(x, n)
  invisible(x)
}

# Whether `x` is a part of a run that has fewer blocks of trajectories than parts.
is_empty_part <- function(x) nrow(x) > 0L && length(x$trajectories) > 0L && all(x$trajectories %in% 0)

empty_text <- "This part has nothing to simulate, because the run has fewer blocks of 1,024 trajectories than parts."

foreign_text <- function(n) {
  sprintf("%s not from this run, about which nothing is known here; rbind() combines results.",
    if (n == 1L) "1 row is" else paste(count_of(n, "row"), "are"))
}

# If all differences are of one set, it is shown above the table.
one_set <- function(x) nrow(x) > 0L && length(unique(x$set)) == 1L && is.null(x[["run"]])

print_rows <- function(x, n) {
  certain <- certain_rows(x)
  order <- printed_order(x)
  if (inherits(x, "long_run_influence") && any(certain)) {
    writeLines(certain_text(sum(certain), nrow(x), last = !is.unsorted(certain[order])))
  }
  shown <- order[seq_len(min(n, nrow(x)))]
  text <- format(x[shown, , drop = FALSE])
  if (inherits(x, "long_run_sensitivity") && one_set(x)) text$set <- NULL
  if (nrow(text) > 0L) print_table(text)
  if (nrow(x) > length(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - length(shown), "more row")))
}

# The numbers of the rows in the order in which they are printed: that of the user, or the largest first.
printed_order <- function(x) {
  check_estimate(x)
  size <- row_size(x)
  if (is.null(size) || sorted_by_user(x)) return(seq_len(nrow(x)))
  order(certain_rows(x), -size)
}

# What influences and sensitivities are ordered by.
row_size <- function(x) {
  if (inherits(x, "long_run_influence")) return(x[["influence"]])
  if (inherits(x, "long_run_sensitivity") && !is.null(x[["difference"]])) abs(x[["difference"]])
}

# Whether the rows are in another order than that of the run. dplyr::arrange() drops the row names, so keys are compared too.
sorted_by_user <- function(x) {
  rows <- attr(x, "row.names")
  at <- if (is.null(x[["run"]])) match(row_keys(x), run_keys(x, attr(x, "run")))
  is.integer(rows) && is.unsorted(rows) || is.unsorted(at[!is.na(at)])
}

# Of a selection, the largest row is not the largest of the run.
has_all_keys <- function(x) !is.null(x[["run"]]) || all(run_keys(x, attr(x, "run")) %in% row_keys(x))

shown_largest_first <- function(x) {
  order <- printed_order(x)
  size <- row_size(x)[order][!certain_rows(x)[order]]
  nrow(x) > 1L && !is.null(row_size(x)) && !is.unsorted(-size[!is.na(size)]) && (sorted_by_user(x) || has_all_keys(x))
}

#' @rawNamespace S3method(utils::head, long_run_influence)
head.long_run_influence <- function(x, n = 6L, ...) if (length(n) > 1L) NextMethod() else printed_end(x, utils::head, n)

#' @rawNamespace S3method(utils::head, long_run_sensitivity)
head.long_run_sensitivity <- function(x, n = 6L, ...) if (length(n) > 1L) NextMethod() else printed_end(x, utils::head, n)

#' @rawNamespace S3method(utils::tail, long_run_influence)
tail.long_run_influence <- function(x, n = 6L, ...) if (length(n) > 1L) NextMethod() else printed_end(x, utils::tail, n)

#' @rawNamespace S3method(utils::tail, long_run_sensitivity)
tail.long_run_sensitivity <- function(x, n = 6L, ...) if (length(n) > 1L) NextMethod() else printed_end(x, utils::tail, n)

printed_end <- function(x, end, n) x[end(printed_order(x), n), , drop = FALSE]

# Prints a table that fits the line. First omits columns, which are listed below the table, then truncates names.
print_table <- function(text, width = getOption("width")) {
  wide <- function(text) vapply(names(text), function(name) max(nchar(c(name, text[[name]]), "width")) + 1L, 0L)
  left_out <- character()
  for (name in intersect(c("trajectories", "samples", "rhat", "probability", "visited"), names(text))) {
    if (sum(wide(text)) <= width) break
    if (name == "probability" && is.null(text$changed)) next # the estimate itself
    value <- unique(trimws(text[[name]]))
    left_out <- c(left_out, if (length(value) == 1L && nzchar(value)) sprintf("%s (%s)", name, value) else name)
    text[[name]] <- NULL
  }
  keys <- intersect(c("run", "set", "from", "to", "node"), names(text))
  excess <- sum(wide(text)) - width
  while (excess > 0L && length(keys) > 0L) {
    longest <- keys[[which.max(wide(text)[keys])]]
    room <- max(nchar(text[[longest]], "width"))
    if (room <= 12L) break
    text[[longest]] <- cut_text(text[[longest]], max(12L, room - 1L))
    excess <- sum(wide(text)) - width
  }
  print.data.frame(text, row.names = FALSE, right = TRUE)
  if (length(left_out) > 0L) writeLines(sprintf("Columns not shown: %s", paste(left_out, collapse = ", ")))
}

cut_text <- function(x, most) ifelse(nchar(x) > most, paste0(substr(x, 1L, most - 3L), "..."), x)

# Which rows of a simulation are certain. Their intervals have no width.
certain_rows <- function(x) {
  if (is.null(x$trajectories) || is.null(x$lower) || is.null(x$upper)) return(logical(nrow(x)))
  !exact_rows(x) & !is.na(x$lower) & !is.na(x$upper) & x$lower == x$upper
}

certain_text <- function(certain, of, last) {
  one <- certain == 1L
  if (certain == of) return(sprintf("%s certain: the same in every state", if (one) "It is" else "All are"))
  sprintf("%s of %s certain (the same in every state)%s", format_whole(certain),
    paste(count_of(of, "pair"), if (one) "is" else "are"), if (last) " and listed last" else "")
}

result_title <- function(x, class) {
  what <- count_of(nrow(x), switch(class, steady_state = "state set", long_run_influence = "pair", "difference"))
  if (class == "long_run_sensitivity" && one_set(x)) what <- sprintf("%s of %s", what, format_key(x$set[[1L]]))
  run_title(x, class, paste0(what, if (shown_largest_first(x)) ", largest first"))
}

run_title <- function(x, class, what) {
  run <- attr(x, "run")
  title <- if (is.null(class)) what else sprintf("<%s> %s", class, what)
  if (nrow(x) == 0L || is.null(run)) return(title)
  if (!is.null(run$runs)) return(sprintf("%s; %s", title, count_of(length(unique(x$run)), "run")))
  change <- if (identical(class, "long_run_sensitivity")) sprintf("; change: %s", run$change)
  if (run$method == "exact") return(paste0(title, change, ", exact"))
  paste0(title, change, sprintf(
    "%s %s%% intervals, seed %s%s", if (is.null(change)) ";" else ",", format(100 * run$confidence),
    format(run$seed, digits = 15), parts_text(run$shard)
  ))
}

# Important facts about a simulated result, one sentence per line.
run_notes <- function(run) {
  c(
    if (identical(run$forgets, FALSE)) {
      "The long run may depend on the start. This is the average over the network's initial states."
    },
    if (!is.null(run$doubt)) "UNCERTAIN: trajectories still disagree, and the intervals are not reliable; see summary()."
  )
}

parts_text <- function(shard) {
  if (is.null(shard) || shard[[1L, "parts"]] == 1) return("")
  sprintf("; PART %s of %d", paste(shard[, "part"] + 1, collapse = ", "), shard[[1L, "parts"]])
}

# Large numbers in readable form: 4,096 or 2.0e9.
format_short <- function(x) {
  if (is.na(x)) return("NA")
  if (x >= 1e6) sub("e\\+0?", "e", sprintf("%.3g", x)) else if (x >= 1) format_whole(x) else format(x)
}

#' @rdname result-methods
#' @export
format.steady_state <- function(x, ...) format_result(x, "set", "probability")

#' @rdname result-methods
#' @export
format.long_run_influence <- function(x, ...) format_result(x, c("from", "to"), "influence")

#' @rdname result-methods
#' @export
format.long_run_sensitivity <- function(x, ...) {
  keys <- c("node", "predictor", "value", "set")
  check_estimate(x)
  if (!all(c(keys, "method", "difference", "lower", "upper") %in% names(x))) return(format(plain_frame(x)))
  keys <- keys[vapply(keys, function(key) !all(is.na(x[[key]])), NA)]
  exact <- all(x$method == "exact")
  numbers <- as.list(x)[intersect(c("probability", "changed", "difference", if (!exact) c("lower", "upper")), names(x))]
  digits <- interval_digits(x$upper - x$lower)
  out <- data.frame(
    lapply(as.list(x)[c(if (!is.null(x[["run"]])) "run", keys)], format_key),
    if (exact) lapply(numbers, format_exact) else lapply(numbers, format_fixed, digits), check.names = FALSE
  )
  if (!exact && !is.null(x$p_adjusted)) out$p_adjusted <- format_p(x$p_adjusted)
  out
}

# At most three decimals, because more would not affect a decision.
format_p <- function(p) ifelse(p < 0.001, "<0.001", format_fixed(p, 3L))

format_result <- function(x, keys, estimate) {
  check_estimate(x)
  if (!all(c(keys, estimate, "lower", "upper") %in% names(x))) return(format(plain_frame(x)))
  columns <- as.list(x)
  digits <- interval_digits(columns$upper - columns$lower)
  exact <- all(exact_rows(x))
  certain <- certain_rows(x)
  numbers <- columns[c(estimate, if (!exact) c("lower", "upper"))]
  out <- data.frame(
    lapply(columns[c(if (!is.null(columns[["run"]])) "run", keys)], format_key),
    if (exact) lapply(numbers, format_exact) else lapply(numbers, format_estimate, digits, certain), check.names = FALSE
  )
  if (!exact && any(columns$visited[!exact_rows(x)] %in% c("never", "always"))) {
    out$visited <- ifelse(columns$visited == "sometimes" | exact_rows(x), "", columns$visited)
  }
  if (!exact) {
    for (count in intersect(c("samples", "trajectories"), names(columns))) {
      out[[count]] <- vapply(columns[[count]], function(one) if (is.na(one)) "" else format_short(one), "")
    }
    if (any(is.finite(columns$rhat))) out$rhat <- ifelse(is.finite(columns$rhat), format_fixed(columns$rhat, 3L), "")
  }
  own <- setdiff(names(columns), c(keys, estimate, result_columns)) # columns added by the user
  if (length(own) > 0L) out[own] <- columns[own]
  out
}

result_columns <- c("run", "lower", "upper", "visited", "samples", "trajectories", "rhat")

# Exact numbers: six decimals, or more if the smallest number needs them to show two digits.
format_exact <- function(x) {
  smallest <- min(abs(x[is.finite(x) & x != 0]), 1)
  if (smallest < 1e-9) return(formatC(x, digits = 4, format = "g", width = 1))
  format_fixed(x, max(6L, as.integer(1 - floor(log10(smallest)))))
}

# A value that is certain is printed without trailing decimals: 1, or 0.3.
format_estimate <- function(x, digits, certain) {
  ifelse(certain, formatC(x, digits = 6, format = "g", width = 1), format_fixed(x, digits))
}

# Avoids "-0.000".
format_fixed <- function(x, digits) formatC(round(x, digits) + 0, digits = digits, format = "f")

format_key <- function(x) {
  if (!is.character(x)) return(format(x, digits = 6))
  ifelse(is.na(x), "", cut_text(x, 40L))
}

# Number of decimals that show two digits of the narrowest interval; six if no interval has a width.
interval_digits <- function(width) {
  width <- width[is.finite(width) & width > 0]
  if (length(width) == 0L) return(6L)
  as.integer(min(max(1 - floor(log10(min(width))), 2), 12))
}

#' @rdname result-methods
#' @export
as.data.frame.steady_state <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) with_run(x, run)

#' @rdname result-methods
#' @export
as.data.frame.long_run_influence <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) with_run(x, run)

#' @rdname result-methods
#' @export
as.data.frame.long_run_sensitivity <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) with_run(x, run)

#' @rdname result-methods
#' @export
summary.steady_state <- function(object, ...) run_summary(object)

#' @rdname result-methods
#' @export
summary.long_run_influence <- function(object, ...) run_summary(object)

#' @rdname result-methods
#' @export
summary.long_run_sensitivity <- function(object, ...) {
  needed <- c("change", "node", "predictor", "value", "set", "difference", "lower", "upper", "p_adjusted", "method")
  if (!all(needed %in% names(object)) || nrow(object) == 0L) {
    abort_argument("`object` lacks rows or columns of the result; summarise the original result.")
  }
  check_estimate(object, "object")
  run <- attr(object, "run")
  if (!is.null(run$runs)) abort_argument("`object` has changes of several results; summarise each by itself.")
  refuse_foreign_rows(object, "object")
  object <- object[!is.na(object$difference), , drop = FALSE] # changes without a result
  key <- paste(object$node, object$predictor, object$value)
  parts <- unname(split(seq_len(nrow(object)), factor(key, unique(key))))
  first <- vapply(parts, `[[`, 0L, 1L)
  size <- abs(object$difference)
  most <- vapply(parts, function(rows) rows[[which.max(size[rows])]], 0L)
  rounding <- ifelse(object$method == "exact", exact_rounding, 0)
  clear <- object$lower > rounding | object$upper < -rounding
  out <- data.frame(
    change = object$change[first], node = object$node[first], predictor = object$predictor[first], value = object$value[first],
    difference = object$difference[most], set = object$set[most],
    largest = size[most], total = vapply(parts, function(rows) sum(size[rows]), 0),
    clear = vapply(parts, function(rows) sum(clear[rows]), 0L),
    p_adjusted = vapply(parts, function(rows) min(object$p_adjusted[rows]), 0)
  )
  out <- out[order(-out$largest, -out$total), ]
  structure(
    out, row.names = .set_row_names(nrow(out)), class = c("summary.long_run_sensitivity", "data.frame"),
    sets = length(unique(object$set)), exact = all(object$method == "exact"), seed = run$seed, notes = run_notes(run),
    seconds = noted(run)$seconds, digits = min(interval_digits(object$upper - object$lower), 5L)
  )
}

#' @rdname result-methods
#' @export
print.summary.long_run_sensitivity <- function(x, n = 20, ...) {
  check_number(n, "n", 0, Inf)
  sets <- attr(x, "sets")
  needed <- c("change", "difference", "set", "total", "clear", "p_adjusted")
  if (is.null(sets) || !all(needed %in% names(x))) return(print(plain_frame(x)))
  writeLines(c(
    sprintf("Sensitivity of %s to %s (%s), %s", count_of(sets, "state set"), count_of(nrow(x), "change"), x$change[[1L]],
      if (attr(x, "exact")) "exact" else paste("seed", format(attr(x, "seed"), digits = 15))),
    sprintf("  %s of %s %s, largest difference first", sum(x$clear > 0L), count_of(nrow(x), "change"),
      if (attr(x, "exact")) "affect a probability" else "have a difference whose interval does not contain 0"),
    if (!attr(x, "exact")) {
      sprintf("  %d with p_adjusted below 0.05, adjusted for the number of comparisons", sum(x$p_adjusted < 0.05))
    },
    attr(x, "notes")
  ))
  shown <- utils::head(plain_frame(x), n)
  keys <- intersect(c("node", "predictor", "value"), names(shown))
  keys <- keys[vapply(keys, function(key) !all(is.na(shown[[key]])), NA)]
  digits <- attr(x, "digits")
  numbers <- as.list(shown)[c("difference", "total")]
  numbers <- if (attr(x, "exact")) lapply(numbers, format_exact) else lapply(numbers, format_fixed, digits)
  text <- data.frame(
    lapply(as.list(shown)[keys], format_key),
    if (sets > 1L) {
      list(difference = numbers$difference, set = format_key(shown$set), total = numbers$total,
        clear = sprintf("%d of %d", shown$clear, sets))
    } else list(difference = numbers$difference, clear = ifelse(shown$clear > 0L, "yes", "no"))
  )
  if (!attr(x, "exact")) text$p_adjusted <- format_p(shown$p_adjusted)
  if (nrow(text) > 0L) print_table(text)
  if (nrow(x) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - nrow(shown), "more change")))
  invisible(x)
}

run_summary <- function(x) {
  if (!is.null(attr(x, "run"))) run_of(x, "object")
  run <- attr(x, "run")
  needed <- c("samples", "trajectories", "rhat", "lower", "upper")
  if (!is.null(run$runs)) abort_argument("`object` has rows of several runs; summarise each result by itself.")
  if (is.null(run) || !all(needed %in% names(x)) || nrow(x) == 0L) {
    abort_argument("`object` lacks columns of the result or the record of its run; summarise the original result.")
  }
  check_estimate(x, "object")
  refuse_foreign_rows(x, "object")
  finite <- x$rhat[is.finite(x$rhat)]
  notes <- noted(run)
  or_na <- function(value) if (is.null(value)) NA_real_ else value
  structure(class = "summary.fireflip_run", list(
    rows = nrow(x), method = run$method, samples = x$samples[[1L]], trajectories = x$trajectories[[1L]],
    burn_in = or_na(run$burn_in), window = run$window, thinning = run$thinning,
    rhat = if (length(finite) > 0L) max(finite) else NA_real_, width = max(x$upper - x$lower) / 2,
    precision = run$precision, confidence = run$confidence, forgets = run$forgets, doubt = run$doubt, layout = run$layout,
    reason = run$reason, bytes = notes$bytes, threads = notes$threads,
    backend = notes$backend, device = notes$device, nodes = length(run$model$nodes), removed = run$model$removed[[1L]],
    shard = run$shard, seed = or_na(run$seed), seconds = notes$seconds
  ))
}

#' @export
print.summary.fireflip_run <- function(x, ...) {
  if (x$method == "exact") {
    writeLines(c(
      sprintf("An exact answer on %s (%d removed), in %.3g s", count_of(x$nodes, "node"), x$removed, x$seconds), start_note(x)
    ))
    return(invisible(x))
  }
  writeLines(c(
    sprintf("A simulation of %s (%d removed)", count_of(x$nodes, "node"), x$removed),
    sprintf("  trajectories  %s, %s of burn-in, %s counted", format_whole(x$trajectories),
      count_of(x$burn_in, "step"), format_whole(x$window)),
    sprintf("  samples       %s; thinning at most %d", format_short(x$samples), as.integer(max(x$thinning, 1))),
    sprintf("  intervals     at most +/- %.2g%s (asked for: %.2g), confidence %s", x$width,
      if (length(x$width) > 1L) c(" on probabilities", " on influences") else "", x$precision, format(x$confidence)),
    if (is.finite(x$rhat)) sprintf("  rhat          at most %.4f", x$rhat),
    sprintf("  layout        %s (%s)", x$layout, x$reason),
    sprintf("  backend       %s", backend_text(x)),
    sprintf("  memory        %s for program, tiles and counts", format_bytes(x$bytes)),
    sprintf("  seed          %s; %.3g s%s", format(x$seed, digits = 15), x$seconds, parts_text(x$shard)),
    start_note(x),
    if (!is.null(x$doubt)) strwrap(paste0("UNCERTAIN: ", x$doubt, "."), 100, indent = 2, exdent = 2)
  ))
  invisible(x)
}

start_note <- function(x) {
  if (identical(x$forgets, FALSE)) {
    "  start         the long run may depend on it; this is the average over the network's initial states"
  }
}

# The backend and why it was chosen. For a GPU, also the launch parameters of the kernel.
backend_text <- function(x) {
  d <- x$device
  if (is.null(d)) return(paste0(x$backend, if (!is.null(x$threads)) paste0(", ", count_of(x$threads, "thread"))))
  refused <- if (d$refused > 0) {
    sprintf("; the processor simulated %s of the trajectories, which a GPU cannot", format(d$refused, big.mark = ","))
  }
  sprintf(
    "%s%s (%s; %s threads per block, %s, %s registers, %s of shared memory, %s on %s; %.3g s of its time%s)", x$backend,
    if (d$gpus > 1) sprintf(", %d GPUs", d$gpus) else "", d$reason, d$threads, count_of(d$blocks, "block"), d$registers,
    format_bytes(d$shared), format_bytes(d$bytes), if (d$gpus > 1) "the devices" else "the device", d$seconds, paste0(refused, "")
  )
}

format_bytes <- function(x) {
  unit <- min(floor(log(max(x * 1.024, 1), 1024)), 4)
  sprintf("%.3g %s", x / 1024^unit, c("bytes", "KB", "MB", "GB", "TB")[[unit + 1L]])
}
