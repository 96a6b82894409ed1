#' Simulate a reaction network
#'
#' Simulates trajectories of a reaction network exactly: each reaction fires at random times, with its propensity as the rate. The
#' result has the statistics of all trajectories, or the trajectories themselves.
#'
#' @param object A network of class `reaction_network`.
#' @param nsim Number of trajectories. Default 1.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param ... Must be empty. The arguments after it must be given by their full names.
#' @param times Times at which the state is observed, in ascending order, finite and at least 0. A trajectory starts at time 0 and
#'   ends at the last of them. The unit is that of the rates. The state at a time includes all events up to and including this
#'   time. The choice of times does not change a trajectory.
#' @param method `"auto"` or the name of a method in [ssa_methods()]. With `"auto"` (the default), the network alone determines
#'   the method. All methods are exact. For the same seed, `"direct"` and `"logarithmic_direct"` give the same trajectories; the
#'   others give trajectories of their own, with the same distribution.
#' @param observe Names or numbers of the species to observe. With `NULL` (the default), all species.
#' @param output `"summary"` (the default): statistics for each time and species. `"trajectories"`: the counts at all times.
#'   `"final"`: the counts at the last time. `"histogram"`: how often each count occurs, for each time and species. `"events"`:
#'   every firing of a reaction up to the last time, at most 1e7 of them.
#' @param initial Initial counts by species, such as `c(A = 100)`, which replace those of the network. Or a result for
#'   `output = "final"` that observes all species: see section Resuming.
#' @param parameters Values of parameters by name, which replace those of the network.
#' @param until A condition, such as `"A >= 100"`: a formula of species and parameters (see [reaction_network()]). It is checked
#'   at the start and after each firing. When its value is not 0, the trajectory stops: its state does not change any more. Its
#'   later rows have this state. With `NULL` (the default), no trajectory stops. See also [first_passage()].
#' @param quantiles For `"summary"`, probabilities of quantiles, such as `c(0.025, 0.5, 0.975)`. With `NULL` (the default), none.
#' @param covariance For `"summary"`, whether to compute the covariances of the species at each time: see [covariances()].
#' @param shard `c(part, parts)` simulates only a part of the `nsim` trajectories, for instance on another machine. `c()` of all
#'   parts is the result of the undivided run. It needs a `seed`, which is the same for all parts. Default `NULL`: all of them.
#' @param confidence Confidence level of the intervals of means and standard deviations, above 0 and below 1. Default 0.95.
#' @param threads Number of threads. By default, as in [fireflip_threads()]. The results do not depend on it.
#' @param progress Whether to show a progress bar if the simulation takes longer than a second. By default, in interactive
#'   sessions.
#'
#' @returns For `"summary"`, a data frame of class `reaction_ensemble` with a row for each time and species, ordered by time. Its
#'   columns are `time`, `species`, `mean`, `lower` and `upper` (the confidence interval of the mean), `sd` (the standard
#'   deviation between trajectories), `min` and `max`, a column for each quantile, such as `q97.5`, and `sd_lower` and `sd_upper`
#'   (the confidence interval of the standard deviation).
#'
#'   For `"trajectories"` and `"final"`, a data frame of class `reaction_trajectories` with the columns `trajectory` (from 1),
#'   `time`, and one column of counts per species. It has a row for each trajectory and time. With `until` and `"final"`, `time`
#'   is the time at which the trajectory has stopped, or the last time.
#'
#'   For `"histogram"`, a data frame of class `reaction_histogram` with a row for each time, species and count that occurs, in
#'   this order. Its columns are `time`, `species`, `count`, `n` (the number of trajectories) and `proportion`.
#'
#'   For `"events"`, a data frame of class `reaction_events` with a row for each firing, ordered by trajectory and time. Its
#'   columns are `trajectory`, `time` and `reaction` (a factor of the names of the reactions).
#'
#'   `print()`, `summary()`, `plot()` and `as.data.frame()` have methods: see [ensemble-methods].
#' @section Quantiles and histograms: The quantile of a probability p is the least count that is not exceeded in at least the part
#'   p of the trajectories (type 1 of [stats::quantile()]). It is exact for the sample: each count is kept with its frequency.
#'   This takes up to 64 bytes per count that differs, time, species and thread, and at most 2 GB. A run that needs more is an
#'   error.
#' @section Parts: `c()` merges parts that differ in `shard` only, in any order. A part that is missing is reported in a warning
#'   of class `fireflip_warning_parts`. The result of all parts is identical to that of the undivided run.
#' @section Resuming: `initial` can be a result for `output = "final"` with all species. Then each of its trajectories is
#'   continued from its state and time, and `nsim` is their number. The first of `times` must not be before that time. The draws
#'   are new, also if the seed is the same. So the continued trajectories have the distribution of undivided ones, but not the
#'   same events. Rates must not depend on the time.
#' @section Confidence intervals: The interval of a mean allows for skewed distributions (Hall 1992), such as that of a rare event
#'   with a large effect. It is `NA` if all trajectories have the same count, unless no reaction changes the species or the time
#'   is 0. Then the sample does not tell how precise the mean is: in 1,000 trajectories, an event with a probability of 0.001 is
#'   missed in more than one of three cases.
#'
#'   The interval of a standard deviation is that of a chi-square distribution whose degrees of freedom follow from the kurtosis
#'   of the sample, widened by a term of order 1/n. It is `NA` for fewer than 100 trajectories. At 95% it holds the true value in
#'   93% to 97% of cases for Poisson and binomial counts, also rare ones, and in 86% to 94% for distributions with long tails,
#'   such as the exponential and the log-normal, whose kurtosis a sample tends to underestimate.
#' @section Propensities: A reaction whose reactants are not all present has the propensity 0, whatever its rate law says. So no
#'   count is ever negative. A fixed species is never used up, so it may be missing, unless the law is mass action.
#' @section Errors: `fireflip_error_model` if a propensity is negative or not finite. The message names the reaction, the time and
#'   the trajectory. `fireflip_error_size` if a count exceeds 2^40, if the result has more rows than a data frame holds, or if
#'   histograms or events need too much memory.
#'   `fireflip_error_unsupported` if a rate depends on the time, which cannot be simulated yet. `fireflip_error_argument` for an
#'   invalid argument, and for a species whose name is that of a column of the result.
#' @references Gillespie DT (1977). Exact stochastic simulation of coupled chemical reactions. *Journal of Physical Chemistry*
#'   81(25), 2340-2361. \doi{10.1021/j100540a008}
#'
#' Hall P (1992). On the removal of skewness by transformation. *Journal of the Royal Statistical Society B* 54(1), 221-228.
#' \doi{10.1111/j.2517-6161.1992.tb01876.x}
#' @seealso [ssa_methods()], [reaction_network()], [ensemble-methods].
#' @concept stochastic simulation algorithm
#' @concept Gillespie algorithm
#' @concept SSA
#' @concept ensemble
#' @export
#' @examples
#' net <- example_model("decay_dimerisation")
#' sim <- simulate(net, nsim = 200, times = seq(0, 4, 0.2), initial = c(S1 = 1000), seed = 1)
#' sim
#' plot(sim)
#' simulate(net, times = 0:3, initial = c(S1 = 1000), observe = c("S1", "S2"), output = "trajectories", seed = 1)
simulate.reaction_network <- function(object, nsim = 1, seed = NULL, ..., times, method = "auto", observe = NULL,
                                      output = c("summary", "trajectories", "final", "histogram", "events"), initial = NULL,
                                      parameters = NULL, until = NULL, quantiles = NULL, covariance = FALSE, shard = NULL,
                                      confidence = 0.95, threads = NULL, progress = interactive()) {
  check_empty(setdiff(names(formals(sys.function())), c("object", "nsim", "seed", "...")), ...)
  if (missing(times)) {
    abort_argument(sprintf(
      "`times` must be given by its name, as in simulate(net, nsim = 1000, times = 0:10); found nothing%s.",
      if (is.null(seed)) "" else sprintf(", and %s for `seed`, the third argument of R's generic", describe(seed))
    ))
  }
  start <- if (inherits(initial, "reaction_trajectories")) resumed_start(object, initial, nsim, missing(nsim), shard)
  if (!is.null(start)) nsim <- start$nsim
  check_count(nsim, "nsim", 1, 2^47)
  times <- check_times(times)
  check_choice(method, "method", c("auto", ssa_method_names()))
  output <- check_choice(output, "output", c("summary", "trajectories", "final", "histogram", "events"))
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_flag(progress, "progress")
  check_summary_options(output, quantiles, covariance)
  check_condition(until, "until")
  if (output %in% c("final", "events")) times <- times[[length(times)]]
  if (!is.null(start)) check_after_start(times, start) else if (!is.null(initial)) object <- set_initial(object, initial)
  if (!is.null(parameters)) object <- set_parameters(object, parameters)
  observed <- if (output == "events") integer() else observed_species(object, observe, output)
  part <- trajectories_of_shard(nsim, seed, shard)
  check_rows_of_result(part$n, length(observed), length(times), output)
  seed <- resolve_seed(seed)
  options <- list(
    nsim = part$n, seed = if (is.null(start)) seed else derived_seed(seed, start$generation),
    first = if (is.null(start)) part$first else start$first, times = times, observed = observed, method = method,
    threads = resolve_threads(threads), simd = resolve_simd(), keep = output %in% c("trajectories", "final", "events"),
    covariance = covariance, histogram = output == "histogram" || length(quantiles) > 0L,
    firings = if (output == "events") most_events() else 0, until = until, starts = start$counts,
    start = if (is.null(start)) 0 else start$time
  )
  started <- proc.time()[["elapsed"]]
  result <- run_ensemble(object, options, progress)
  run <- list(
    method = result$method, reason = if (method == "auto") method_reason(result, nrow(object$reactions)), model = object,
    nsim = as.double(nsim), seed = seed, times = times, species = object$species$species[observed],
    confidence = confidence, events = result$events,
    machine = machine_notes(seconds = proc.time()[["elapsed"]] - started, backend = "cpu", threads = options$threads)
  )
  run$output <- output
  run$until <- until
  run$quantiles <- quantiles
  run$shard <- part$shard
  if (!is.null(start)) run[names(start$run)] <- start$run
  if (output == "final") run$stopped <- result$stopped
  known_result(result, run, options)
}

# The result of a run for each kind of output.
known_result <- function(result, run, options) {
  if (run$output %in% c("summary", "histogram")) {
    time <- rep(run$times, each = length(run$species))
    fixed <- is.null(options$starts) & (time == 0 | !rep(result$varies, times = length(run$times)))
    run$tally <- c(result$tally, list(known = fixed))
  }
  switch(run$output,
    summary = ensemble_of(run),
    histogram = histogram_of(run),
    events = events_of(result$firings, run),
    trajectories_of(result, run, options)
  )
}

observed_species <- function(model, observe, output) {
  known <- model$species$species
  index <- if (is.null(observe)) seq_along(known) else unique(check_known(observe, "observe", known, "species"))
  if (length(index) == 0L) abort_value("observe", "names of species", observe)
  own <- intersect(known[index], c("trajectory", "time"))
  if (output %in% c("trajectories", "final") && length(own) > 0L) {
    abort_argument(sprintf("A species is called \"%s\", like a column of the result; choose others by `observe`.", own[[1L]]))
  }
  index
}

check_rows_of_result <- function(nsim, species, times, output) {
  summed <- output %in% c("summary", "histogram")
  n <- if (summed) species else nsim
  if (n * times <= .Machine$integer.max) return(invisible())
  number <- function(x) format(x, big.mark = ",", scientific = FALSE)
  abort("size", sprintf(
    "%s %s at %s times are more rows than a data frame holds (%s); %s.", number(n),
    if (summed) "species" else "trajectories", number(times), number(.Machine$integer.max),
    if (summed) "set `observe`, or ask for fewer times" else "ask for fewer, or for `output` = \"summary\""
  ))
}

# Runs an ensemble to its end in short pieces, so that R can process Ctrl-C.
run_ensemble <- function(model, options, progress) {
  pointer <- .Call(ffi_ssa_new, model, options)
  on.exit(.Call(ffi_release, pointer))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  repeat {
    state <- .Call(ffi_ssa_advance, pointer, 0.1)
    if (state$done == 1) break
    if (!progress || proc.time()[["elapsed"]] - started < 1) next
    if (is.null(bar)) bar <- start_ensemble_bar(options$nsim, environment())
    now <- sprintf("%s trajectories, %s events", format_short(state$complete), format_short(state$events))
    cli::cli_progress_update(id = bar, set = state$complete, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  .Call(ffi_ssa_result, pointer)
}

start_ensemble_bar <- function(total, envir) {
  cli::cli_progress_bar(
    "Simulating", total = total, clear = TRUE, .envir = envir,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_extra$now} {cli::pb_eta_str}", extra = list(now = "")
  )
}

# ---- methods --------------------------------------------------------------------------------------------------------------

#' Methods of simulation
#'
#' Lists the methods that [`simulate()`][simulate.reaction_network] has for reaction networks. All are exact: the trajectories
#' have the distribution that the network defines.
#'
#' @returns A data frame with a row for each method and the columns `method` (its name), `description`, and `cost` (of one event,
#'   where n is the number of reactions, and d the number of reactions whose propensity an event changes).
#' @references Gillespie DT (1976). A general method for numerically simulating the stochastic time evolution of coupled chemical
#'   reactions. *Journal of Computational Physics* 22(4), 403-434. \doi{10.1016/0021-9991(76)90041-3}
#'
#' Gillespie DT (1977). Exact stochastic simulation of coupled chemical reactions. *Journal of Physical Chemistry* 81(25),
#' 2340-2361. \doi{10.1021/j100540a008}
#'
#' Li H, Petzold L (2006). Logarithmic direct method for discrete stochastic simulation of chemically reacting systems. Technical
#' report, University of California, Santa Barbara.
#'
#' Gibson MA, Bruck J (2000). Efficient exact stochastic simulation of chemical systems with many species and many channels.
#' *Journal of Physical Chemistry A* 104(9), 1876-1889. \doi{10.1021/jp993732q}
#'
#' Anderson DF (2007). A modified next reaction method for simulating chemical systems with time dependent propensities and
#' delays. *Journal of Chemical Physics* 127, 214107. \doi{10.1063/1.2799998}
#' @seealso [`simulate()`][simulate.reaction_network].
#' @export
#' @examples
#' ssa_methods()
ssa_methods <- function() {
  about <- list(
    direct = c("All propensities and their sum are computed after each event (Gillespie 1977).", "n"),
    logarithmic_direct = c(
      "Propensities that an event changes are computed anew; a tree holds their sums (Li and Petzold 2006).", "d log n"
    ),
    first_reaction = c("A waiting time is drawn for each reaction; the shortest wins (Gillespie 1976).", "n"),
    next_reaction = c(
      "Each reaction keeps a waiting time of its own, in a heap (Gibson and Bruck 2000; Anderson 2007).", "d log n"
    )
  )[ssa_method_names()]
  data.frame(
    method = names(about), description = unname(vapply(about, `[[`, "", 1L)), cost = unname(vapply(about, `[[`, "", 2L))
  )
}

ssa_method_names <- function() .Call(ffi_ssa_methods)

# Why "auto" chose a method.
method_reason <- function(result, reactions) {
  if (result$method == "direct" && reactions <= 256) {
    return(sprintf("with %s, computing all propensities is fastest", count_of(reactions, "reaction")))
  }
  sprintf("an event changes %.1f of %s propensities on average", result$coupling, format_whole(reactions))
}

# ---- results --------------------------------------------------------------------------------------------------------------

# Trajectories that have stopped before the last time have their time of stopping in a result of final states.
trajectories_of <- function(result, run, options) {
  states <- stats::setNames(result$states, run$species)
  times <- length(run$times)
  number <- trajectory_numbers(options)
  time <- rep(run$times, times = options$nsim)
  if (run$output == "final" && !is.null(result$stopped)) time <- ifelse(is.na(result$stopped), time, result$stopped)
  out <- c(list(trajectory = rep(number, each = times), time = time), states)
  structure(
    out, class = c("reaction_trajectories", "data.frame"), row.names = .set_row_names(options$nsim * times), run = run
  )
}

# Numbers from 1, as integers if possible.
trajectory_numbers <- function(options) {
  last <- options$first + options$nsim
  if (last > .Machine$integer.max) return(options$first + seq_len(options$nsim))
  seq.int(as.integer(options$first) + 1L, as.integer(last))
}
