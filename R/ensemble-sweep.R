#' Simulate a reaction network for several values
#'
#' Simulates one ensemble of a reaction network for each row of a data frame. The row gives the values of parameters and initial
#' counts.
#'
#' @param model A network of class `reaction_network`.
#' @param design A data frame with a numeric column for each parameter that varies, and for each species whose initial count
#'   varies. Each row is one *setting*. [expand.grid()] makes one with all combinations. Its values take the place of those in
#'   `parameters` and `initial`.
#' @param nsim Number of trajectories of each setting. Default 100; with `method = "ode"`, always 1.
#' @param ... Must be empty. The arguments after it must be given by their full names.
#' @param times,observe,output,until,quantiles,method,initial,parameters,confidence,tolerance,backend,threads,progress As for
#'   [`simulate()`][simulate.reaction_network]. `output` is `"summary"`, `"trajectories"`, `"final"` or `"histogram"`. `initial`
#'   must be counts: a result cannot be given.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param common Whether all settings use the same random numbers. With `FALSE` (the default), the ensembles of the settings are
#'   independent. With `TRUE`, trajectory i of each setting uses the same random numbers. A difference between similar settings is
#'   then often estimated more precisely, most of all with `method = "next_reaction"`, where each reaction has random numbers of
#'   its own.
#' @returns A data frame of class `parameter_sweep`: for each setting, in their order, the rows of
#'   [`simulate()`][simulate.reaction_network], after the columns `setting` (the number of the row of `design`) and those of
#'   `design`. `print()` shows its size and first rows; `as.data.frame()` gives a plain data frame.
#'
#'   `summary()` returns a list of class `summary.parameter_sweep`. Like the [summary of an ensemble][ensemble-methods], it has
#'   the elements `trajectories` (of each setting), `times`, `species`, `method`, `seed`, `until`, `n_stopped` (for each setting),
#'   `events` (of all settings), `seconds`, `threads`, `backend`, `device` (of the first setting on a GPU), `stopped` and `last`.
#'   In addition, `settings` is their number, and `common` is as given. `last` is a data frame about the last time, with a row for
#'   each setting and species: the columns `setting` and those of `design`, then `species`, `mean`, `sd`, and `fano`, the Fano
#'   factor. If settings or trajectories were removed, `settings` and `trajectories` are the numbers of those that are left, and
#'   `run_trajectories` is the number of all trajectories of the run, to which `events` and `n_stopped` belong.
#' @section Speed: Up to 1,000 settings are simulated as one run (fewer for networks of more than 250 reactions and species, or
#'   Petri nets of more than 250 transitions and places of all colours). Threads of the processor take work across settings.
#'   Settings are simulated one after the other in two cases: if each has more than 100,000 trajectories; and with
#'   `backend = "auto"`, if there are fewer than 32 settings, and each has at least 64 trajectories for each thread.
#'
#'   A GPU simulates settings together. Their networks may differ in rate constants, numbers in formulas and events, and initial
#'   counts. A setting with a rate constant of 0, or with counts of another order of magnitude, may need other code. It is then
#'   simulated after the others. Without generated code, settings that have enough trajectories to fill the GPU are simulated one
#'   after the other. So are those of the method `"optimised_direct"`, whose order of reactions depends on the seed. Settings with
#'   `until` are simulated together in the same way.
#'
#'   A GPU also simulates settings of a Petri net together. They may differ in the numbers of formulas and weights, and in initial
#'   markings. Numbers that differ are data of the code for the net, and other numbers are a part of its text. So a sweep over
#'   other parameters needs other code, which takes some seconds to compile. A setting in which a parameter is 0 or 1 may need
#'   other code than the others, because `0 + x` and `1 * x` are computed as `x`. A GPU simulates settings one after the other
#'   with `method = "windows"` or `until`, if no code is generated for the net, and if the net has immediate, deterministic or
#'   scheduled transitions, or rates or tests that switch where a level crosses a value.
#' @section Seeds: The ensemble of setting i is that of `simulate()` with the seed `attr(result, "run")$seeds[i]`.
#' @section Errors: `fireflip_error_argument` for an invalid argument, and if a column of `design` is neither a parameter nor a
#'   species, or has the name of a column of the result. Otherwise as for [`simulate()`][simulate.reaction_network]. If a setting
#'   fails, the message begins with its number and its values, such as `setting 3 (k = 10, d = 2)`. The condition has the number
#'   as its field `setting` and the values as its field `values`.
#' @seealso [`simulate()`][simulate.reaction_network], [set_parameters()].
#' @concept parameter scan
#' @concept common random numbers
#' @rdname sweep_parameters
#' @export
#' @examples
#' net <- reaction_network(
#'   "0 -> A" = mass_action("k"), "A -> 0" = mass_action("d"), parameters = c(k = 10, d = 1)
#' )
#' design <- expand.grid(k = c(5, 10), d = c(1, 2))
#' sweep <- sweep_parameters(net, design, nsim = 200, times = 5, seed = 1)
#' sweep
#' summary(sweep)
sweep_parameters.reaction_network <- function(model, design, nsim = 100, ..., times, method = "auto", observe = NULL,
                                              output = c("summary", "trajectories", "final", "histogram"), until = NULL,
                                              quantiles = NULL, initial = NULL, parameters = NULL, seed = NULL, common = FALSE,
                                              confidence = 0.95, tolerance = NULL, backend = c("auto", "cpu", "cuda"),
                                              threads = NULL, progress = interactive()) {
  check_parts(model)
  check_no_more(...)
  until <- given_condition(until, substitute(until), "until")
  if (is.data.frame(initial)) abort_value("initial", "counts by species", initial)
  model <- with_arguments(model, initial, parameters)
  sweep_of(model, design, nsim, if (missing(nsim)) 1 else nsim, seed, common, output, backend, progress, list(
    times = times, method = method, observe = observe, until = until, quantiles = quantiles, confidence = confidence,
    tolerance = tolerance, threads = threads
  ))
}

# The sweep of a model of any kind. `asked` is the number of trajectories that the user has asked for, and `arguments` are further
# ones of the engine's plan().
sweep_of <- function(model, design, nsim, asked, seed, common, output, backend, progress, arguments) {
  core <- ensemble_engine(model)
  method <- arguments$method
  until <- arguments$until
  check_flag(common, "common")
  output <- check_choice(output, "output", output_names("sweeps"))
  times <- check_times(arguments$times)
  design <- check_design(model, design, core)
  check_design_columns(design, model, output, core, arguments$observe)
  check_count(nsim, "nsim", 1, 2^47)
  if (has_one_solution(method)) nsim <- 1
  seed <- resolve_seed(seed)
  seeds <- if (common) rep(seed, nrow(design)) else vapply(seq_len(nrow(design)), function(i) derived_seed(seed, i), 0)
  started <- proc.time()[["elapsed"]]
  plan <- do.call(core$plan, c(
    list(changed_by(model, design, 1L), nsim, seed, output = output, backend = backend, progress = progress), arguments
  ))
  plan$options$flat <- NULL # of a Petri net: that of the first setting
  results <- simulate_settings(model, design, plan, seeds, progress, backend)
  if (has_one_solution(method)) note_one_solution(asked)
  rows <- vapply(results, nrow, 0L)
  setting <- rep(seq_len(nrow(design)), rows)
  out <- c(list(setting = setting), lapply(design, `[`, setting), as.list(do.call(rbind, lapply(results, plain_frame))))
  runs <- lapply(results, attr, "run")
  run <- list(
    method = unique(vapply(runs, `[[`, "", "method")), model = model, design = design, nsim = as.double(nsim), seed = seed,
    seeds = seeds, common = common, times = times, output = output, events = sum(vapply(runs, `[[`, 0, "events")),
    machine = all_notes(runs, proc.time()[["elapsed"]] - started)
  )
  run <- c(run, runs[[1L]][intersect(c("item", "colours"), names(runs[[1L]]))])
  if (!is.null(run$item)) run$species <- runs[[1L]]$species
  if (!is.null(until)) run[c("until", "n_stopped")] <- list(until, vapply(runs, `[[`, 0L, "n_stopped"))
  if (output_kinds[[output]]$sums) { # for noise_decomposition()
    run$species <- runs[[1L]]$species
    run$tallies <- lapply(runs, function(one) one$tally[setdiff(names(one$tally), c("cell", "value", "count"))])
  }
  structure(out, class = c("parameter_sweep", "data.frame"), row.names = .set_row_names(sum(rows)), run = run)
}

# The result of each setting. Many settings are one run.
simulate_settings <- function(model, design, plan, seeds, progress, backend) {
  results <- vector("list", nrow(design))
  settings <- seq_len(nrow(design))
  for (rows in split(settings, (settings - 1L) %/% settings_at_once(plan$model, nrow(design), plan$options, backend))) {
    nets <- lapply(rows, function(i) changed_by(model, design, i))
    models <- if (is.null(plan$convert)) nets else lapply(nets, plan$convert)
    finish <- function(i, result) {
      if (!is.null(plan$net)) plan$net <- nets[[i]]
      results[[rows[[i]]]] <<- planned_result(plan, models[[i]], result, seeds[[rows[[i]]]])
    }
    fail <- function(i, e) abort_of_setting(e, design, rows[[i]])
    if (length(rows) > 1L) {
      run_ensembles(models, seeds[rows], plan$options, progress, backend, finish, fail)
    } else {
      plan$options$seed <- seeds[[rows]]
      finish(1L, naming_failed(run_ensemble(models[[1L]], plan$options, progress, backend), 1L, fail))
    }
  }
  results
}

# Raises the error again, as one of setting i. Its class remains.
abort_of_setting <- function(e, design, i) {
  values <- vapply(design, function(column) as.double(column[[i]]), 0)
  cause <- conditionMessage(e)
  if (grepl("^(The|A|An|There) ", cause)) substr(cause, 1L, 1L) <- tolower(substr(cause, 1L, 1L))
  e$message <- sprintf("setting %d (%s): %s", i, some_values(names(values), format_values(values)), cause)
  e$setting <- i
  e$values <- values
  stop(e)
}

# The number of settings that are simulated as one run. Their networks are in memory at the same time. A setting of very many
# trajectories keeps all threads or a GPU busy by itself. If a run may move to GPUs, a setting that has begun stays on the
# processor, so it must be a small part of what a GPU can simulate at the same time.
settings_at_once <- function(model, settings, options, backend) {
  core <- ensemble_engine(model)
  few <- options$nsim < 64 * options$threads || settings >= 32
  if (options$nsim > 1e5 || (!few && wanted_backend(backend)$value == "auto")) return(1)
  max(1, min(1000, floor(250000 / core$size(model))))
}

# The columns of the design and of the result must have different names.
check_design_columns <- function(design, model, output, core, observe) {
  states <- core$columns(model, observe, output)
  result <- output_kinds[[output]]$columns(states)
  quantile <- grep("^q[0-9.]+$", names(design), value = TRUE)
  own <- intersect(names(design), c("setting", "time", result, if (output == "summary") quantile))
  if (length(own) == 0L) return(invisible())
  abort_argument(sprintf("`design` has a column \"%s\", like the result; choose other %s by `observe`.", own[[1L]], core$words))
}

check_design <- function(model, design, core) {
  known <- core$settable(model)
  if (missing(design) || !is.data.frame(design) || nrow(design) == 0L || length(design) == 0L) {
    found <- if (missing(design) || !is.data.frame(design)) describe(design) else {
      sprintf("one with %s and %s", count_of(nrow(design), "row"), count_of(length(design), "column"))
    }
    abort_argument(sprintf(
      "`design` must be a data frame with a row for each setting and a column for each value that varies, such as %s; found %s.",
      sprintf("data.frame(%s = c(1, 10))", argument_name(known[[1L]])), found
    ))
  }
  class(design) <- "data.frame"
  unknown <- setdiff(names(design), known)
  if (length(unknown) > 0L) abort_unknown_names("`design`", unknown, known, core$settable_words)
  if (anyDuplicated(names(design))) {
    abort_argument(sprintf("`design` has more than one column \"%s\".", names(design)[[anyDuplicated(names(design))]]))
  }
  for (name in names(design)) {
    if (!is.numeric(design[[name]]) || is.object(design[[name]])) {
      abort_argument(sprintf("The column \"%s\" of `design` must have numbers; found %s.", name, describe(design[[name]])))
    }
  }
  design
}

# The network with the values of row i.
changed_by <- function(model, design, i) {
  values <- vapply(design, function(column) as.double(column[[i]]), 0)
  parameters <- names(values) %in% names(model$parameters)
  tryCatch(
    {
      if (any(parameters)) model <- set_parameters(model, values[parameters])
      if (any(!parameters)) model <- set_initial(model, values[!parameters])
      model
    },
    fireflip_error = function(e) abort_of_setting(e, design, i)
  )
}

#' @export
print.parameter_sweep <- function(x, n = 10, ...) {
  warn_ignored(...)
  run <- attr(x, "run")
  if (!has_columns(x, c("setting", "time"))) {
    print(plain_frame(x))
  } else {
    rows <- plain_frame(x)
    if (only_flows(run)) rows <- rows[!names(rows) %in% c("lower", "upper", "sd", "sd_lower", "sd_upper")]
    varied <- intersect(names(run$design), names(rows))
    present <- unique(x$setting)
    rows[varied] <- lapply(rows[varied], format, digits = 7)
    print_first_rows(rows, n, digits = 4, c(sprintf(
      "<parameter_sweep> %s of %s each, %s, seed %s%s", count_of(unique_count(x$setting), "setting"), trajectory_count(run$nsim),
      times_text(run$times), format(run$seed, digits = 15), if (run$common) ", common random numbers" else ""
    ), until_line(of_settings(run, present), run$nsim * length(present))))
  }
  invisible(x)
}

# The record with the stopped trajectories of some settings only.
of_settings <- function(run, settings) {
  run$n_stopped <- run$n_stopped[settings]
  run
}

# The record of the run has sums for each setting, in hundreds of lines.
#' @importFrom utils str
#' @export
str.parameter_sweep <- function(object, list.len = 14, ...) {
  run <- attr(object, "run")
  if (!is.null(run) && !is_changed(object)) {
    cat(sprintf(
      "<parameter_sweep> %s of %s each; attr(, \"run\") has the network, the seeds and the sums\n",
      count_of(nrow(run$design), "setting"), trajectory_count(run$nsim)
    ))
  }
  utils::str(plain_frame(object), list.len = list.len, ...)
}

#' @export
summary.parameter_sweep <- function(object, ...) {
  warn_ignored(...)
  run <- run_of(object, "object")
  object <- with_species(object)
  rows <- plain_frame(object)
  columns <- c("setting", "time", switch(
    run$output, summary = c("species", "mean", "sd"), histogram = c("species", "count", "n"),
    setdiff(names(rows), names(run$design))
  ))
  refuse_changed(object, columns, "object")
  if (nrow(rows) == 0L || !has_columns(object, columns)) {
    abort_argument("`object` has no settings: it needs rows, the columns of the sweep, and the record of its run.")
  }
  rows <- plain_frame(in_run_order(object))
  last <- last_rows(rows, run)
  each <- lapply(split(last, last$setting), setting_moments, design = names(run$design))
  statistics <- do.call(rbind, each)
  setting <- rep(as.integer(names(each)), vapply(each, nrow, 0L))
  statistics$fano <- ifelse(statistics$mean > 0, statistics$sd^2 / statistics$mean, NA_real_)
  notes <- noted(run)
  n <- if (is.null(rows$trajectory)) run$nsim else as.double(max(tapply(rows$trajectory, rows$setting, unique_count)))
  settings <- unique_count(rows$setting)
  structure(class = "summary.parameter_sweep", c(list(
    settings = settings, trajectories = n, times = range(rows$time), species = unique_count(statistics$species),
    method = run$method, seed = run$seed, common = run$common, until = run$until, n_stopped = run$n_stopped,
    events = run$events, seconds = notes$seconds, threads = notes$threads, backend = notes$backend, device = notes$device,
    stopped = unique_count(last$time) > 1L, item = run$item, random = if (only_flows(run)) FALSE,
    last = structure(
      c(list(setting = setting), lapply(run$design, `[`, setting), as.list(with_items(statistics, run["item"]))),
      class = "data.frame", row.names = .set_row_names(length(setting))
    )
  ), if (settings < nrow(run$design) || n < run$nsim) list(run_trajectories = run$nsim * nrow(run$design))))
}

# The species, means and standard deviations of one setting at one time, from the rows of any output.
setting_moments <- function(rows, design) {
  if (all(c("species", "mean", "sd") %in% names(rows))) return(rows[c("species", "mean", "sd")])
  if (all(c("species", "count", "n") %in% names(rows))) return(histogram_moments(rows)[c("species", "mean", "sd")])
  species <- setdiff(names(rows), c("setting", design, "trajectory", "time"))
  data.frame(species = species, mean = vapply(rows[species], mean, 0), sd = vapply(rows[species], stats::sd, 0))
}

#' @export
print.summary.parameter_sweep <- function(x, n = 20, ...) {
  warn_ignored(...)
  check_number(n, "n", 0, Inf)
  writeLines(c(
    sprintf(
      "%s of %s each, %s, time%s%s", count_of(x$settings, "setting"), trajectory_count(x$trajectories),
      species_count(x$species, items_of(x)),
      if (x$times[[1L]] == x$times[[2L]]) " " else sprintf("s %s to ", format(x$times[[1L]])), format(x$times[[2L]])
    ),
    summary_lines(x, if (is.null(x$run_trajectories)) x$trajectories * x$settings else x$run_trajectories)
  ))
  shown <- utils::head(x$last, n)
  if (isFALSE(x$random)) shown <- shown[!names(shown) %in% c("sd", "fano")]
  numbers <- names(shown) %in% c("mean", "sd", "fano")
  shown[numbers] <- lapply(shown[numbers], short_numbers)
  design <- !numbers & !names(shown) %in% c("setting", names(items))
  shown[design] <- lapply(shown[design], format, digits = 7)
  if (nrow(shown) > 0L) print.data.frame(shown, row.names = FALSE)
  if (nrow(x$last) > nrow(shown)) writeLines(sprintf("... and %s", count_of(nrow(x$last) - nrow(shown), "more row")))
  if (isFALSE(x$random)) writeLines(only_flows_text)
  invisible(x)
}

#' @export
as.data.frame.parameter_sweep <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

#' @export
`[.parameter_sweep` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
c.parameter_sweep <- function(...) {
  if (...length() == 1L) return(..1)
  refuse_distribution("c", "sweeps", "rbind() stacks their rows")
}

#' @export
rbind.parameter_sweep <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)
