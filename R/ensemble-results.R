#' Results of simulated reaction networks
#'
#' Methods for what [`simulate()`][simulate.reaction_network] returns for a reaction network: statistics of an ensemble, and
#' trajectories.
#'
#' @param x,object A result of [`simulate()`][simulate.reaction_network]. Its rows may be sorted and selected. `plot()` and
#'   `summary()` bring them in the order of the run.
#' @param species For `plot()`, the species to draw: names, or numbers in the order of the result. With `NULL` (the default), all.
#' @param place The same as `species`, for results of Petri nets. The name of a place with colours stands for all of its colours.
#' @param type `"series"` (the default): lines over time. `"map"`: see section Maps.
#' @param at For maps, the times to draw: times of the result. By default, up to four of them.
#' @param components For maps, the names of one or two components of the colours, such as `c("X", "Y")`. By default, all; a place
#'   whose colours have more than two needs a choice.
#' @param n For an ensemble, how many species to print or draw: the first ones in the order of the result. For trajectories, how
#'   many rows to print, or how many trajectories to draw. `Inf` for all. Default 10.
#' @param band What the band around a mean shows: `"sd"` (the default) for the mean plus and minus one standard deviation between
#'   trajectories, `"interval"` for the confidence interval of the mean, `"range"` for minimum and maximum,
#'   `"quantile"` for the lowest and the highest of the quantiles that the result has (see `quantiles` of
#'   [`simulate()`][simulate.reaction_network]), `"none"`.
#' @param main The title.
#' @param run Whether to add columns that describe the run: `method`, `trajectories`, `seed`, `backend` and `seconds`.
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()], such as `xlab`, `ylim` and `log`. `col`,
#'   `lwd` and `lty` may have a value per species. An unknown argument is an error. Other methods ignore it, with a warning of
#'   class `fireflip_warning_argument`.
#' @returns `print()` returns `x`, and `plot()` the data that were drawn, both invisibly. `as.data.frame()` returns a plain data
#'   frame. `rbind()` of several results returns a plain data frame, too. If they have names, as in
#'   `rbind(wild_type = a, mutant = b)`, its first column `run` has these.
#'
#'   `summary()` returns a list of class `summary.reaction_result` with `trajectories` (their number), `times` (first and
#'   last), `species` (their number), `method`, `reason` (why it was chosen, or `NULL`), `seed`, `until` (the condition, or
#'   `NULL`), `n_stopped` (how many trajectories of the run it has stopped, or `NULL`), `events` (of the whole run), `seconds`,
#'   `threads`, `backend`, `device` (if GPUs were used: the kernel and its launch, the number `gpus`, and how many trajectories
#'   they have `refused`, which the processor simulated) and `last`. `events` is the number of firings; for `"langevin"` and
#'   `"ode"`, it is that of steps. `last` is a data frame about the last time with the columns `species`, `mean`, `sd` and `fano`,
#'   the Fano factor: the variance divided by the mean. It is 1 for a Poisson distribution. For final
#'   states, `last` is about the last state of each trajectory, and `stopped` says whether these have different times. If
#'   trajectories were removed, `run_trajectories` is their number in the run, to which `events` and `n_stopped` belong.
#' @section Maps: With `type = "map"`, `plot()` and `autoplot()` draw one place of a [petri_net()] over its colours. For two
#'   components, they draw a map for each time in `at`. For one component, they draw a kymograph: all times against the colours.
#'   They show the mean of a summary, or the values of the first trajectory of the result; `x[x$trajectory == 3, ]` chooses
#'   another one. If a place has further components, the mean over them is drawn; `x[x$Z == 1, ]` chooses one of their colours.
#' @section Petri nets: The methods are the same for results of [Petri nets][simulate.petri_net]. These have places instead of
#'   species, and transitions instead of reactions. Levels of continuous places are drawn as lines, and counts as steps. Names
#'   such as `"Ca[3,5]"` stand for single colours of a place: `plot(x, place = "Ca[3,5]")`. If all transitions flow and there are
#'   no events, nothing is random: `print()` says so, and shows neither spread nor intervals; the summary has `random`, `FALSE`.
#' @seealso [ensemble-plots] for `autoplot()`; [noise()], [burn_in()], [compare_ensembles()] and [covariances()].
#' @name ensemble-methods
#' @examples
#' net <- example_model("decay_dimerisation")
#' sim <- simulate(net, nsim = 100, times = seq(0, 4, 0.1), initial = c(S1 = 1000), seed = 1)
#' summary(sim)
#' plot(sim, band = "range")
#' head(as.data.frame(sim))
#' net <- set_initial(net, S1 = 1000)
#' spread <- simulate(net, nsim = 100, times = seq(0, 4, 0.1), quantiles = c(0.05, 0.95), seed = 1)
#' plot(spread, band = "quantile")
#' few <- simulate(net, nsim = 3, times = seq(0, 4, 0.1), output = "trajectories", seed = 1)
#' plot(few)
#'
#' # one cell of a small tissue, and maps of all
#' tissue <- petri_model("calcium", nx = 4, ny = 3)
#' sim <- simulate(tissue, times = seq(0, 1, 0.1), observe = "Ca", output = "trajectories", seed = 1)
#' plot(sim, place = "Ca[2,1]")
#' plot(sim, type = "map", place = "Ca", at = c(0.5, 1))
#' plot(sim, type = "map", place = "Ca", components = "X")
NULL

# Whether `x` is an unchanged result with these columns.
has_columns <- function(x, names) {
  is.data.frame(x) && all(names %in% names(x)) && !is.null(attr(x, "run")) && !is_changed(x, names) && is_of_one_run(x)
}

# Rows of several results that dplyr::bind_rows() has put together have the class and the record of the first.
is_of_one_run <- function(x) {
  run <- attr(x, "run")
  class <- kind_of_result(x)
  if (is.null(run) || !is.data.frame(x) || !class %in% kind_classes) return(TRUE)
  nrow(x) <= kind_of_class(class, run$output)$rows(run)
}

# The classes of a result: that of the engine, such as "reaction_histogram", that of the kind, which all engines share, and
# "data.frame". Methods are for kinds.
ensemble_class <- function(kind, model) {
  c(paste0(ensemble_engine(model)$name, "_", kind), if (kind == "ensemble") kind else paste0("ensemble_", kind), "data.frame")
}

# ---- results of earlier versions --------------------------------------------------------------------------------------------

# Results that an earlier version has saved have the class of their engine, and not that of their kind.
old_kinds <- c(stats::setNames(kind_classes, sub("^ensemble_|^", "reaction_", kind_classes)), reaction_noise = "ensemble_noise")

with_kind <- function(x) {
  kind <- old_kinds[match(class(x)[[1L]], names(old_kinds))]
  if (!is.na(kind) && !inherits(x, kind)) class(x) <- append(class(x), unname(kind), 1L)
  x
}

# Lines of NAMESPACE that let the methods of kinds be those of the old classes, too.
#' @evalNamespace methods_of_old()
NULL

methods_of_old <- function() {
  lines <- function(old) {
    end <- paste0(".", old_kinds[[old]])
    methods <- Filter(function(name) endsWith(name, end), ls(topenv(), all.names = TRUE))
    generics <- substr(methods, 1L, nchar(methods) - nchar(end))
    generics <- ifelse(generics == "autoplot", "ggplot2::autoplot", ifelse(generics == "[", "\"[\"", generics))
    sprintf("S3method(%s,%s,\"%s\")", generics, old, methods)
  }
  unlist(lapply(names(old_kinds), lines))
}

# ---- prints -----------------------------------------------------------------------------------------------------------------

result_head <- function(x, species) {
  run <- attr(x, "run")
  sprintf(
    "<%s> %s of %s, %s, seed %s%s", class(x)[[1L]],
    trajectory_count(if (is.null(x$trajectory)) run_size(run) else unique_count(x$trajectory)),
    species_count(species, items_of(x)), times_text(unique(x$time)), format(run$seed, digits = 15), parts_text(run$shard)
  )
}

# The trajectories of a run, or of the parts that a result has.
run_size <- function(run) {
  if (!is.null(run$tally)) run$tally$n else if (is.null(run$shard)) run$nsim else sum(trajectories_in(run$nsim, run$shard))
}

unique_count <- function(x) length(unique(x))

species_count <- function(n, word = "species") {
  paste(format_whole(n), if (n == 1 && word == "places") "place" else word)
}

times_text <- function(times) {
  if (length(times) == 0L) return("no times")
  if (length(times) == 1L) return(paste("time", format(times)))
  sprintf("%s times from %s to %s", format_whole(length(times)), format(min(times)), format(max(times)))
}

#' @rdname ensemble-methods
#' @export
print.ensemble <- function(x, n = 10, ...) {
  warn_ignored(...)
  check_number(n, "n", 0, Inf)
  whole <- x
  x <- with_species(x)
  if (!has_columns(x, c("time", "species", "mean", "lower", "upper", "sd", "min", "max")) || nrow(x) == 0L) {
    print(plain_frame(whole))
    return(invisible(whole))
  }
  run <- attr(x, "run")
  one <- run$method == "ode" || only_flows(run)
  last <- max(x$time)
  rows <- plain_frame(x)[x$time == last, ]
  shown <- utils::head(rows, n)
  writeLines(result_head(x, unique_count(x$species)))
  if (nrow(shown) > 0L) {
    writeLines(until_line(run))
    intervals <- if (one) "" else sprintf(", with %g%% confidence intervals of the means", 100 * run$confidence)
    writeLines(sprintf("at time %s%s:", format(last), intervals))
    columns <- if (one) c("species", "mean") else TRUE # trajectories that are the same have no spread
    text <- format_statistics(shown)[columns]
    names(text)[[1L]] <- item_of(x)
    print.data.frame(text, row.names = FALSE)
  }
  if (nrow(rows) > nrow(shown)) {
    writeLines(paste0(
      sprintf("... and %s more %s", format_whole(nrow(rows) - nrow(shown)), items_of(x)),
      if (item_of(x) == "place") "; print(x, n = Inf) shows all, x[x$place == \"name\", ] some; `observe` keeps some"
    ))
  }
  if (only_flows(run)) writeLines(only_flows_text)
  if (run_size(run) < 30 && !one) writeLines(few_text(run_size(run), run))
  hidden <- setdiff(names(x), c(ensemble_columns, "sd_lower", "sd_upper"))
  if (nrow(shown) > 0L && length(hidden) > 0L) {
    writeLines(sprintf("columns not shown: %s; as.data.frame() gives all rows", some_values(hidden, most = 10L)))
  }
  invisible(whole)
}

# Whether nothing is random in the run of a Petri net. Events of the same priority have a random order, and trajectories that were
# resumed have begun with different states.
only_flows <- function(run) {
  net <- run$model
  inherits(net, "petri_net") && all(net$transitions$kind == "continuous") && is.null(net$events) && is.null(run$generation)
}
only_flows_text <- "All transitions of the net flow, so nothing is random: all trajectories are the same."

# What a print says about the condition that stops trajectories; nothing if there is none.
until_line <- function(run, trajectories = run_size(run)) {
  if (is.null(run$until)) return(character())
  sprintf(
    "trajectories stop when \"%s\" is true, and keep their state; %s", run$until,
    stopped_text(sum(run$n_stopped), trajectories)
  )
}

stopped_text <- function(n, of, whose = "") {
  of <- if (is.na(of)) "" else sprintf(" of %s%s", whose, format_whole(of))
  sprintf("%s%s %s stopped", format_whole(n), of, if (n == 1) "has" else "have")
}

# 29 trajectories miss an outcome with a probability of 0.1 with the probability 0.9^29, about 0.05.
few_text <- function(n, run) {
  if (n == 1) return(sprintf(
    "One trajectory has no statistics; output = \"trajectories\" gives its %ss at all times.", word_of_values(run, run$species)
  ))
  "With fewer than 30 trajectories, an outcome with a probability of 0.1 may be missing."
}

# Means and limits of an interval have the digits that its width justifies.
format_statistics <- function(rows) {
  width <- rows$upper - rows$lower
  digits <- ifelse(is.finite(rows$mean) & rows$mean == floor(rows$mean), 0, 4)
  usual <- is.finite(width) & width > 0
  digits[usual] <- 1 - floor(log10(width[usual] / 2))
  size <- floor(log10(pmax(abs(rows$mean), abs(rows$lower), abs(rows$upper), na.rm = TRUE)))
  exponent <- is.finite(size) & (size > 14 | size < -3 & (digits > 8 | !usual)) # not 0.00000010
  figures <- pmin(pmax(ifelse(usual, digits + size, 3), 0), 14)
  number <- function(x, digits, exponent, figures) {
    if (is.na(x)) format(x) else if (exponent) formatC(x, digits = figures, format = "e") else format_fixed(x, max(digits, 0))
  }
  shown <- function(x) mapply(number, x, digits, exponent, figures)
  data.frame(
    species = format_key(rows$species), mean = shown(rows$mean), lower = shown(rows$lower), upper = shown(rows$upper),
    sd = ifelse(is.na(rows$sd), "NA", formatC(rows$sd, digits = 4, format = "g", width = 1)),
    min = format_counts(rows$min), max = format_counts(rows$max)
  )
}

# Counts are written out. Variables may have very small or very large values.
format_counts <- function(x) {
  count <- !is.na(x) & abs(x) < 1e15 & x == floor(x)
  out <- vapply(x, format, "", trim = TRUE)
  out[count] <- vapply(x[count], format, "", scientific = FALSE, trim = TRUE)
  out
}

#' @rdname ensemble-methods
#' @export
print.ensemble_trajectories <- function(x, n = 10, ...) {
  warn_ignored(...)
  check_number(n, "n", 0, Inf)
  if (!has_columns(x, c("trajectory", "time"))) {
    print(plain_frame(x))
    return(invisible(x))
  }
  named <- with_species(x)
  writeLines(c(result_head(named, length(named) - 2L), until_line(attr(x, "run"))))
  shown <- utils::head(plain_frame(x), n)
  width <- vapply(names(shown), function(name) max(nchar(c(name, format(shown[[name]])), "width")) + 1L, 0L)
  fit <- seq_len(max(3L, sum(cumsum(width) < getOption("width"))))
  fit <- fit[fit <= length(shown)]
  if (nrow(shown) > 0L) print.data.frame(shown[fit], row.names = FALSE)
  if (nrow(x) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x) - nrow(shown), "more row")))
  hidden <- names(shown)[-fit]
  if (nrow(shown) > 0L && length(hidden) > 0L) {
    writeLines(sprintf(
      "... and %s more %s: %s", format_whole(length(hidden)), items_of(x), some_values(short_label(hidden), most = 10L)
    ))
  }
  invisible(x)
}

# ---- summaries and data frames ----------------------------------------------------------------------------------------------

#' @rdname ensemble-methods
#' @export
summary.ensemble <- function(object, ...) {
  warn_ignored(...)
  run <- run_of(object, "object")
  object <- with_species(object)
  columns <- c("time", "species", "mean", "sd")
  refuse_changed(object, columns, "object")
  if (!has_columns(object, columns) || nrow(object) == 0L) {
    abort_argument(sprintf(
      "`object` has no statistics: it needs rows, and the columns `time`, `%s`, `mean` and `sd`.", item_of(object)
    ))
  }
  object <- in_run_order(object)
  last <- plain_frame(object)[object$time == max(object$time), ]
  summary_of_run(run, range(object$time), last[c("species", "mean", "sd")])
}

#' @rdname ensemble-methods
#' @export
summary.ensemble_trajectories <- function(object, ...) {
  warn_ignored(...)
  run <- run_of(object, "object")
  object <- with_species(object)
  run <- attr(object, "run")
  species <- species_columns(object, "object")
  object <- in_run_order(object) # the last bit of a mean depends on the order
  rows <- last_rows(plain_frame(object), run)
  last <- rows[species]
  statistics <- data.frame(
    species = species, mean = vapply(last, mean, 0), sd = vapply(last, stats::sd, 0), row.names = NULL
  )
  out <- summary_of_run(run, range(object$time), statistics)
  out$trajectories <- unique_count(object$trajectory)
  # events and stops were counted in all trajectories; how many a resumed run had is not known if it began with a selection
  if (out$trajectories < run_size(run)) out$run_trajectories <- if (is.null(run$generation)) run_size(run) else NA_real_
  out$stopped <- unique_count(rows$time) > 1L
  out
}

# The columns of trajectories that have the numbers of species. `x` is as with_species() gives it.
species_columns <- function(x, name) {
  species <- setdiff(names(x), c("trajectory", "time"))
  good <- has_columns(x, c("trajectory", "time", species)) && has_its_counts(x)
  if (good && length(species) > 0L && nrow(x) > 0L) return(species)
  refuse_changed(x, c("trajectory", "time", species), name)
  for (column in species[vapply(species, function(column) lacks_counts(x[[column]]), NA)]) {
    abort_argument(changed_text(x, column, name, "numbers without NA"))
  }
  abort_argument(sprintf(
    "`%s` has no trajectories: it needs rows, columns `trajectory` and `time`, and a column per %s.", name, item_of(x)
  ))
}

# The rows about the last time. Final states have the times at which their trajectories stopped, so that all of them are last.
last_rows <- function(rows, run) if (kept_final(run)) rows else rows[rows$time == max(rows$time), ]

summary_of_run <- function(run, times, last) {
  word <- item_of(run)
  last$fano <- ifelse(last$mean > 0, last$sd^2 / last$mean, NA_real_)
  names(last)[names(last) == "species"] <- word
  rownames(last) <- NULL
  notes <- noted(run)
  structure(class = "summary.reaction_result", list(
    trajectories = run_size(run), times = times, species = nrow(last), method = run$method, reason = run$reason, seed = run$seed,
    until = run$until, n_stopped = run$n_stopped, events = run$events, seconds = notes$seconds, threads = notes$threads,
    backend = notes$backend, device = notes$device, item = if (word != "species") word,
    random = if (only_flows(run)) FALSE, last = last
  ))
}

#' @export
print.summary.reaction_result <- function(x, n = 20, ...) {
  warn_ignored(...)
  check_number(n, "n", 0, Inf)
  writeLines(c(
    sprintf(
      "%s of %s, time%s%s", trajectory_count(x$trajectories), species_count(x$species, items_of(x)),
      if (x$times[[1L]] == x$times[[2L]]) " " else sprintf("s %s to ", format(x$times[[1L]])), format(x$times[[2L]])
    ),
    summary_lines(x, if (is.null(x$run_trajectories)) x$trajectories else x$run_trajectories)
  ))
  shown <- utils::head(x$last, n)
  if (nrow(shown) > 0L) {
    numbers <- if (isFALSE(x$random)) "mean" else c("mean", "sd", "fano")
    columns <- c(list(species = format_key(shown[[item_of(x)]])), lapply(as.list(shown)[numbers], short_numbers))
    names(columns)[[1L]] <- item_of(x)
    print.data.frame(as.data.frame(columns), row.names = FALSE)
  }
  if (nrow(x$last) > nrow(shown)) writeLines(sprintf("... and %s more %s", format_whole(nrow(x$last) - nrow(shown)), items_of(x)))
  if (isFALSE(x$random)) writeLines(only_flows_text)
  invisible(x)
}

# What the summaries of one ensemble and of a sweep say about the run of this many trajectories. NA if this is not known.
summary_lines <- function(x, trajectories) {
  of_run <- if (is.null(x$run_trajectories)) "" else if (is.na(trajectories)) " in the whole run" else {
    sprintf(" in the run's %s", trajectory_count(trajectories))
  }
  c(
    method_line(x),
    if (!is.null(x$until)) {
      sprintf("  until    \"%s\"; %s, and keep their state", x$until, stopped_text(
        sum(x$n_stopped), trajectories, if (is.null(x$run_trajectories)) "" else "the run's "
      ))
    },
    sprintf(
      "  events   %s%s%s", format_short(x$events), of_run,
      if (trajectories %in% c(NA, 1)) "" else sprintf(" (%s per trajectory)", format_short(signif(x$events / trajectories, 3)))
    ),
    machine_lines(x),
    sprintf(
      "%s%s:", if (isTRUE(x$stopped)) "at the last time of each trajectory" else paste("at time", format(x$times[[2L]])),
      if (isFALSE(x$random)) "" else ", with the Fano factor (variance divided by mean)"
    )
  )
}

method_line <- function(x) {
  sprintf(
    "  method   %s%s", paste(x$method, collapse = ", "),
    if (is.null(x$reason)) "" else sprintf(" (chosen by \"auto\": %s)", x$reason)
  )
}

# The seed, the time and the backend.
machine_lines <- function(x) {
  c(
    sprintf("  seed     %s%s", format(x$seed, digits = 15), if (isTRUE(x$common)) ", common random numbers" else ""),
    sprintf("  time     %s on %s", seconds_text(x$seconds), count_of(x$threads, "thread")),
    if (!is.null(x$device)) sprintf("  backend  %s", backend_text(x))
  )
}

short_numbers <- function(x) ifelse(is.na(x), "NA", formatC(x, digits = 4, format = "g", width = 1))

seconds_text <- function(seconds) sprintf(if (seconds < 10) "%.2f s" else "%.0f s", seconds)

#' @rdname ensemble-methods
#' @export
as.data.frame.ensemble <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

#' @rdname ensemble-methods
#' @export
as.data.frame.ensemble_trajectories <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

result_frame <- function(x, run) {
  check_flag(run, "run")
  out <- plain_frame(x)
  if (!run) return(out)
  about <- run_of(x)
  n <- nrow(out)
  notes <- noted(about)
  more <- list(
    method = paste(about$method, collapse = ", "), trajectories = run_size(about), seed = about$seed, backend = notes$backend,
    seconds = notes$seconds
  )
  own <- intersect(names(more), names(out))
  if (length(own) > 0L) {
    abort_argument(sprintf("`x` has a column \"%s\", and `run = TRUE` would add another; rename it first.", own[[1L]]))
  }
  out[names(more)] <- lapply(more, rep, n)
  out
}

# Subsets keep the record of the run.
keep_record <- function(out, x) {
  if (is.data.frame(out)) attr(out, "run") <- attr(x, "run")
  out
}

#' @export
`[.ensemble` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
`[.ensemble_trajectories` <- function(x, ...) keep_record(NextMethod(), x)

# Rows of several results have no record of one run.
#' @export
rbind.ensemble <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @export
rbind.ensemble_trajectories <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

# With names, as in rbind(wild_type = a, mutant = b), a column `run` has these.
rbind_plain <- function(...) {
  results <- Filter(function(x) !is.null(x) && !identical(dim(x), c(0L, 0L)), list(...))
  plain <- lapply(results, function(x) if (is.data.frame(x)) plain_frame(x) else x)
  check_same_columns(plain)
  label <- names(plain)
  if (is.null(label)) return(do.call(rbind, plain))
  label <- make.unique(ifelse(nzchar(label), label, as.character(seq_along(label))), " ")
  labelled <- Map(function(rows, run) cbind(run = rep(run, nrow(rows)), rows), plain, label)
  do.call(rbind.data.frame, c(unname(labelled), make.row.names = FALSE))
}

check_same_columns <- function(rows) {
  for (x in rows) {
    if (!is.data.frame(x)) abort_argument(sprintf("rbind() combines results of the same kind; found %s.", describe(x)))
    only <- c(setdiff(names(x), names(rows[[1L]])), setdiff(names(rows[[1L]]), names(x)))
    if (length(only) > 0L) {
      abort_argument(sprintf("rbind() combines results with the same columns; only some of these have %s.", quote_some(only)))
    }
  }
}

# The species to draw: rows, or for trajectories columns. NULL stands for all.
of_species <- function(x, species) {
  x <- with_species(x)
  wide <- kind_of_result(x) == "ensemble_trajectories"
  if (!wide && is.factor(x$species)) x$species <- as.character(x$species)
  if (is.null(species)) return(x)
  known <- if (wide) setdiff(names(x), c("trajectory", "time")) else unique(x$species)
  chosen <- known[check_known(species, "species", known, items_of(x), owner = "result")]
  if (wide) x[c("trajectory", "time", chosen)] else x[x$species %in% chosen, ]
}

# ---- pictures ---------------------------------------------------------------------------------------------------------------

#' @rdname ensemble-methods
#' @export
plot.ensemble <- function(x, band = c("sd", "interval", "range", "quantile", "none"), n = 10, main = NULL,
                          species = NULL, ..., place = NULL, type = c("series", "map"), at = NULL, components = NULL) {
  band <- check_choice(band, "band", bands)
  if (is_map(type, at, components)) {
    check_graphical(..., draws = graphics::image.default)
    return(draw_map(map_of(x, species, place, at, components), main, ...))
  }
  check_graphical(...)
  species <- named_items(x, species, place)
  x <- of_species(in_run_order(with_species(x)), species)
  plan <- ensemble_series(x, band, n)
  draw_series(plan, main, ...)
  invisible(first_species(x, n)$rows)
}

#' @rdname ensemble-methods
#' @export
plot.ensemble_trajectories <- function(x, n = 10, main = NULL, species = NULL, ..., place = NULL, type = c("series", "map"),
                                       at = NULL, components = NULL) {
  if (is_map(type, at, components)) {
    check_graphical(..., draws = graphics::image.default)
    return(draw_map(map_of(x, species, place, at, components), main, ...))
  }
  check_graphical(...)
  found <- shown_paths(x, n, named_items(x, species, place))
  shown <- found$rows
  drawn <- found$species
  canvas <- course_canvas(shown$time, unlist(shown[drawn]), drawn, main, found$word, ..., usual_lwd = 1)
  on.exit(graphics::par(canvas$old))
  for (one in unique(shown$trajectory)) {
    rows <- shown$trajectory == one
    for (k in seq_along(drawn)) {
      line <- canvas$line(k)
      graphics::lines(
        shown$time[rows], shown[[drawn[[k]]]][rows], type = found$types[[k]], col = line$col, lwd = line$lwd, lty = line$lty,
        pch = line$pch
      )
    }
  }
  course_names(drawn, canvas, found$note)
  invisible(shown)
}

# The rows of the first n trajectories, whether one of them has several rows, at most ten species to draw, the types of their
# lines (steps for counts), the word for their values, and a note about the others. Final states have one row each, even if their
# times differ.
shown_paths <- function(x, n, species) {
  x <- with_species(x)
  run_of(x)
  check_rows(n)
  x <- of_species(in_run_order(x), species)
  if (nrow(x) == 0L) {
    abort_argument(sprintf(
      "There are no trajectories to plot: rows, columns `trajectory` and `time`, and one per %s are needed.", item_of(x)
    ))
  }
  species <- species_columns(x, "x")
  all <- unique(x$trajectory)
  first <- utils::head(all, n)
  drawn <- utils::head(species, 10L)
  rows <- plain_frame(x)[x$trajectory %in% first, ]
  run <- attr(x, "run")
  steps <- anyDuplicated(rows$trajectory) > 0L
  list(
    rows = rows, steps = steps, species = drawn, word = word_of_values(run, drawn),
    types = if (steps) ifelse(are_levels(run, drawn), "l", "s") else rep("p", length(drawn)),
    note = c(
      left_out(length(first), length(all), " trajectories"), left_out_items(length(drawn), length(species), x)
    )
  )
}
