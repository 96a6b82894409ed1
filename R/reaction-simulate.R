#' Simulate a reaction network
#'
#' Simulates trajectories of a reaction network: each reaction fires at random times, with its propensity as the rate. The result
#' has the statistics of all trajectories, or the trajectories themselves. A *firing* is one occurrence of a reaction.
#' `output = "events"` and the number of events in `summary()` are about firings. An [event of the network][event()] is something
#' else: it changes the state when a condition becomes true, for instance at a given time.
#'
#' @param object A network of class `reaction_network`.
#' @param nsim Number of trajectories. Default 1. With `method = "ode"`, the result has one, unless `initial` is a result.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator.
#' @param ... Must be empty. The arguments after it must be given by their full names.
#' @param times Times at which the state is observed, in ascending order, finite and at least 0. A trajectory starts at time 0 and
#'   ends at the last of them. The unit is that of the rates. The state at a time is that after all firings and events of the
#'   network up to and including this time. The choice of times does not change a trajectory.
#' @param method `"auto"` or the name of a method in [ssa_methods()]. `"auto"` (the default) chooses an exact method. The choice
#'   depends on the network, and for some networks on a short simulation. It also depends on the kind of run: `output = "events"`,
#'   `until` and an `initial` that is a result need a method that simulates one firing after the other. For the same seed,
#'   `"direct"` and `"logarithmic_direct"` give the same trajectories. The other exact methods give other trajectories with the
#'   same distribution. [ssa_methods()] tells which methods are approximations.
#' @param observe Names of the species and variables to observe, each of them once, or their numbers, where variables come after
#'   the species. With `NULL` (the default), all species.
#' @param output `"summary"` (the default): statistics for each time and species. `"trajectories"`: the counts at all times.
#'   `"final"`: the counts at the last time. `"histogram"`: how often each count occurs, for each time and species. `"events"`:
#'   every firing of a reaction up to the last time, at most 1e7 of them.
#' @param initial Initial counts by species, such as `c(A = 100)` or one row of a data frame, which replace those of the network.
#'   Or a result for `output = "final"` that observes all species: see section Resuming.
#' @param parameters Values of parameters by name, such as `c(k = 0.1)` or one row of a data frame, which replace those of the
#'   network.
#' @param until A condition, such as `"A >= 100"`: a formula of species, parameters and variables (see [reaction_network()]). It
#'   is checked at the start, before any event of the network; directly after each firing, before the events that it triggers; and
#'   after each event of the network, also between several of them at the same time. When its value is not 0, the trajectory
#'   stops: nothing else happens, and its state does not change any more. Its later rows have this state. A variable that depends
#'   on the time keeps its value, too. With `NULL` (the default), no trajectory stops. See also [first_passage()].
#' @param quantiles For `"summary"`, probabilities of quantiles, such as `c(0.025, 0.5, 0.975)`. With `NULL` (the default), none.
#' @param covariance For `"summary"`, whether to compute the covariances of the species at each time: see [covariances()].
#' @param shard `c(part, parts)` simulates only a part of the `nsim` trajectories, for instance on another machine. `c()` of all
#'   parts is the result of the undivided run. It needs a `seed`, which is the same for all parts. Default `NULL`: all of them.
#' @param confidence Confidence level of the intervals of means and standard deviations, above 0 and below 1. Default 0.95.
#' @param tolerance For an approximate method, above 0 and at most 0.5: the relative change of the propensities that a leap may
#'   make. With `NULL` (the default), 0.03. For `"ode"`, it is the error of a step, by default 1e-8: see [ssa_methods()]. Exact
#'   methods have no tolerance.
#' @param backend `"cpu"`; `"cuda"`, which is an error if no GPU can be used or no GPU can do this run; or `"auto"` (the default),
#'   which moves a run to the GPUs of the machine if it would take more than some seconds on the processor. The results are
#'   identical to the last bit. See section GPUs.
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
#'   `time`, and one column for each observed species and variable. It has a row for each trajectory and time. With `until` and
#'   `"final"`, `time` is the time at which the trajectory has stopped, or the last time.
#'
#'   For `"histogram"`, a data frame of class `reaction_histogram` with a row for each time, species and count that occurs, in
#'   this order. Its columns are `time`, `species`, `count`, `n` (the number of trajectories) and `proportion`.
#'
#'   For `"events"`, a data frame of class `reaction_events` with a row for each firing, ordered by trajectory and time. Its
#'   columns are `trajectory`, `time` and `reaction` (a factor of the names of the reactions).
#'
#'   `print()`, `summary()`, `plot()` and `as.data.frame()` have methods: see [ensemble-methods].
#' @section GPUs: A GPU simulates thousands of trajectories at the same time, each of them more slowly than a core does. So it is
#'   useful for large `nsim`. GPUs have no kernels for `"composition_rejection"`, `"rssa_cr"` and `"spdm"`, nor for
#'   approximations; they have all other methods (see column `gpu` of [ssa_methods()]). Where no code can be compiled at run time
#'   (see [backends()]), they have only `"direct"`, `"logarithmic_direct"` and, for most networks, `"factored"`. `method = "auto"`
#'   chooses the same method for GPUs as for the processor. If this is `"pssa_cr"`, and hundreds of reactions share only a few
#'   species, `"logarithmic_direct"` is faster on a GPU.
#'
#'   GPUs give every output. They also check the condition `until`, and continue the trajectories of a result that is given as
#'   `initial`. With `until`, `output = "events"` or such an `initial`, code is generated only for `"direct"`,
#'   `"logarithmic_direct"` and `"first_reaction"`, and only for networks of at most 64 reactions and 64 species. (A species that
#'   does not change and that nothing reads is not counted.) With other methods, and for larger networks, the GPU then reads the
#'   network as data, which is slower. With `output = "events"`, the firings are copied from the GPU after each launch of a
#'   kernel. So launches are short, and a GPU saves less time than for other outputs.
#'
#'   GPUs cannot run a network with an initial count of 2^30 or more, nor continue a result that has such a count. They
#'   cannot observe a variable that depends on a parameter that events set. With `"factored"`, they cannot run groups of reactions
#'   whose counts add up to nearly 2^30.
#'
#'   With `"factored"`, some networks need code that is generated for them (see the option `fireflip.kernel` of [backends()]):
#'   those that consist of copies of one module (see [ssa_methods()]), and those with rate laws other than mass action of at most
#'   two molecules. Networks with such rate laws may have at most 65,534 reactions.
#'
#'   Networks with [events][event()], or with rates that depend on the time, have the same methods on GPUs as on the processor.
#'   They are fastest if code is generated for them. This needs a method other than `"next_reaction"`, and a network of at most 64
#'   reactions, 16 species, 32 events, and 64 parameters that events set. A species that does not change and that nothing reads is
#'   not counted. The formulas of all rates, and of `until`, may together have at most 512 numbers, names and operations. Those of
#'   the conditions, delays, priorities and values of events may have at most 1,024.
#'
#'   For what GPUs cannot run, `backend = "cuda"` is an error of class `fireflip_error_unsupported`, which gives the reason, and
#'   `"auto"` uses the processor. If a session asks for `"cuda"` by an option, such a run uses the processor, too: see
#'   [backends()]. If the reason is a method without a kernel, or one whose kernel cannot be compiled, the error names methods
#'   that have one. With `"auto"`, a message of class `fireflip_message_method` does so, once in a session for each method, if the
#'   run would have used a GPU.
#'
#'   The processor simulates single trajectories that a GPU cannot: those in which a count reaches 2^30, a propensity is invalid,
#'   or about 2^31 reactions fire. With `"pssa_cr"`, these are also trajectories that need more than 63 groups of reactants at the
#'   same time, because sums of propensities differ by a factor of more than 2^60.
#'
#'   With `"factored"`, counts may have 16 bits on a GPU if rate equations predict that they stay small. The processor simulates
#'   trajectories in which they do not. If there are many of these, the GPU simulates all its trajectories again, with code for
#'   larger counts, but not in a sweep.
#'
#'   If the network has events, the processor also simulates a trajectory in which an event fails, more than 1,024 events happen
#'   at one time, or it is hard to find when a condition becomes true, for instance because a quantity reaches its limit but does
#'   not cross it. With generated code, it also simulates a trajectory if an event sets a count of 2^29 or more, or if more than
#'   128 delayed events wait (fewer if an event sets more than 13 values). Without generated code, these limits are 2^30 and 2,340
#'   delayed events (fewer if an event sets several values). If all trajectories are like this, the run is as slow as on the
#'   processor.
#'
#'   If one of several GPUs fails, the others do its share, and a warning of class `fireflip_warning_backend` says so.
#'   `as.data.frame(run = TRUE)` tells which backend was used, and so does `summary()` of statistics and of trajectories.
#' @section Quantiles and histograms: The quantile of a probability p is the smallest count c such that a proportion of at least p
#'   of the trajectories have a count of at most c (type 1 of [stats::quantile()]). It is exact for the sample: each count is kept
#'   with its frequency. This takes up to 64 bytes for each different count, at each time and for each species. Sums for
#'   covariances take 16 bytes for each time and pair of species, or 280 if real numbers are observed. Histograms and covariances
#'   together take at most 2 GB, or twice that while the sums of several threads are merged. A run that needs more is an error,
#'   for any number of threads.
#' @section Parts: `c()` merges parts that differ in `shard` only, in any order. A part that is missing is reported in a warning
#'   of class `fireflip_warning_parts`. The result of all parts is identical to that of the undivided run.
#' @section Resuming: `initial` can be a result for `output = "final"` with all species. Then each of its trajectories is
#'   continued from its state and time, and `nsim` is their number. All of them must have the same time, so a run in which
#'   `until` has stopped some trajectories cannot be continued. The first of `times` must not be before that time. `shard`
#'   cannot be given, but each part of a divided run can be continued by itself. The random numbers are new, even if the seed
#'   is the same. So the continued trajectories are not those of a run without interruption, but they have the same
#'   distribution. The network must not have events. The counts of `"langevin"` and `"ode"` are not whole, so only these two
#'   methods can continue them. Other methods raise a `fireflip_error_argument`.
#' @section Confidence intervals: The interval of a mean allows for skewed distributions (Hall 1992), such as that of a rare event
#'   with a large effect. If all trajectories have the same count by chance, the interval is `NA`, because the sample does not
#'   tell how precise the mean is: 1,000 trajectories miss an event with a probability of 0.001 in more than one of three cases.
#'   At time 0 of a network without events, and for a species that no reaction and no event changes, all trajectories must have
#'   the same count. Then the interval has the width 0. If `initial` is a result, there is no such exception.
#'
#'   The numbers of a variable may be so small (below 1e-60) or large (above 1e75) that their powers are not exact doubles. Then
#'   what would not be precise is `NA` or `NaN`: standard deviations, covariances and intervals.
#'
#'   The interval of a standard deviation is that of a chi-square distribution whose degrees of freedom follow from the kurtosis
#'   of the sample, widened by a term of order 1/n, where n is the number of trajectories. It is `NA` for fewer than 100
#'   trajectories. A sample tends to underestimate the kurtosis, the more so the fewer trajectories there are. So 95% intervals
#'   contain the true value in fewer than 95% of cases if the distribution has a long tail. In 2,000 samples of each distribution
#'   and size, the share of such intervals was:
#'   * for Poisson counts of mean 1 and 100: 92% to 96% (100 to 3,000 trajectories);
#'   * for a firing that happens in one of 100 trajectories on average: 88% (100 trajectories) and 96% (1,000);
#'   * for the exponential distribution: 90% (100) and 95% (1,000);
#'   * for the log-normal distribution whose logarithm has the standard deviation 1: 75% (100) and 89% (3,000).
#' @section Propensities: A reaction whose reactants are not all present does not fire. So no count is ever negative. Its formula
#'   may then be NaN, or any number that is not below 0: `"b * S * I / (S + I)"` is NaN if both counts are 0. But a
#'   formula below 0 is an error, with or without all reactants. Fixed species are an exception: a reaction whose rate is a
#'   formula may fire although the count of a fixed reactant is 0, because a fixed species is never used up. The method
#'   `"ode"` has other rules: see [ssa_methods()].
#' @section Time: Rates that depend on the time are simulated exactly, by thinning (Lewis and Shedler 1979): interval arithmetic
#'   on the formula of a rate gives an upper bound of the propensity, and a reaction that would fire at the rate of the bound
#'   fires with the probability propensity / bound. The bound holds for a window of time, whose width adapts to the rate. If the
#'   bound is far above the rate, as for a narrow peak, the simulation takes longer. It is an error if a rate has no finite bound
#'   in any window, however short: `1 / abs(time - 1)` has none at time 1. If a rate is negative or not a number, the simulation
#'   ends with an error at the first time at which this is so. Only if it lasts for less than a thousandth of a window, it may be
#'   missed. [Events][event()] happen exactly at their times.
#' @section Errors: `fireflip_error_model` if a propensity is negative or not finite. The message names the reaction, the time and
#'   the trajectory. `fireflip_error_size` if a count exceeds 2^40, if the result has more rows than a data frame holds, or if
#'   histograms, covariances or events need too much memory. `fireflip_error_unsupported` in the following cases: the network has
#'   [events][event()] or rates that depend on the time, and the method does not simulate them; the method needs mass action of at
#'   most two molecules (see [ssa_methods()]), and a reaction has another law; with `until` or for `"events"`, the method is
#'   approximate or `"factored"`; `initial` is a result, and the method is `"factored"`; `backend` is `"cuda"`, and GPUs cannot do
#'   the run. `fireflip_error_backend` if `backend` is `"cuda"` and there is no GPU, or the last GPU fails. [event()] lists the
#'   errors of events. `fireflip_error_argument` for an invalid argument, and for a species whose name is that of a column of the
#'   result.
#' @section Messages: After ten seconds, a run that will take more than five minutes gives a message of class
#'   `fireflip_message_long` with the remaining time. There is also such a message if no trajectory has ended after ten seconds,
#'   or if later none ends for half of the time so far (at least 30 seconds). A reason may be that counts grow without bound:
#'   those of some networks, such as `2 A -> 3 A`, become infinite in a finite time. To find out, one trajectory is simulated for
#'   about a second. If one of its counts grows above a million and above 100 times its initial value, the message names the
#'   species.
#'
#'   Before the simulation, a message of class `fireflip_message_memory` tells the size of a data frame of trajectories of 1 GB or
#'   more. It is an error if the data frame is larger than the available memory.
#' @references Gillespie DT (1977). Exact stochastic simulation of coupled chemical reactions. *Journal of Physical Chemistry*
#'   81(25), 2340-2361. \doi{10.1021/j100540a008}
#'
#' Hall P (1992). On the removal of skewness by transformation. *Journal of the Royal Statistical Society B* 54(1), 221-228.
#' \doi{10.1111/j.2517-6161.1992.tb01876.x}
#'
#' Lewis PAW, Shedler GS (1979). Simulation of nonhomogeneous Poisson processes by thinning. *Naval Research Logistics Quarterly*
#' 26(3), 403-413. \doi{10.1002/nav.3800260304}
#' @seealso [ssa_methods()], [reaction_network()], [event()], [ensemble-methods], [ensemble-quantiles]; [noise()], [burn_in()] and
#'   [compare_ensembles()] for what follows. The vignettes "A first ensemble", "Choosing a method",
#'   and "Moving from GillespieSSA2 and adaptivetau".
#' @concept GillespieSSA2
#' @concept adaptivetau
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
#' simulate(net, times = 0:3, observe = c("S1", "S2"), output = "trajectories", seed = 1)
simulate.reaction_network <- function(object, nsim = 1, seed = NULL, ..., times, method = "auto", observe = NULL,
                                      output = c("summary", "trajectories", "final", "histogram", "events"), initial = NULL,
                                      parameters = NULL, until = NULL, quantiles = NULL, covariance = FALSE, shard = NULL,
                                      confidence = 0.95, tolerance = NULL, backend = c("auto", "cpu", "cuda"), threads = NULL,
                                      progress = interactive()) {
  check_parts(object)
  check_no_more(...)
  if (missing(times)) abort_not_named("times", "nsim = 1000, times = 0:10", seed)
  until <- given_condition(until, substitute(until), "until")
  start <- if (kind_of_result(initial) == "ensemble_trajectories") resumed_start(object, initial, nsim, missing(nsim), shard)
  if (!is.null(start)) nsim <- start$nsim
  plan <- ensemble_plan(
    object, nsim, seed, times = times, method = method, observe = observe, output = output, initial = initial,
    parameters = parameters, until = until, quantiles = quantiles, covariance = covariance, shard = shard,
    confidence = confidence, tolerance = tolerance, backend = backend, threads = threads, progress = progress, start = start
  )
  result <- run_ensemble(plan$model, plan$options, progress, backend)
  if (has_one_solution(method, start)) note_one_solution(plan$asked)
  planned_result(plan, plan$model, result)
}

smooth_methods <- c("langevin", "ode") # they make steps, which are short where rates are fast

reaction_engine <- list(
  name = "reaction", kernels = c("generated", "generic"),
  new = function(model, options) .Call(ffi_ssa_new, model, options),
  sweep = function(models, seeds, options) .Call(ffi_ssa_sweep, models, seeds, options),
  without_kernel = function() methods_without("gpu"),
  plan = function(...) ensemble_plan(...),
  reason = function(result, model) method_reason(result, nrow(model$reactions)),
  settable = function(model) c(names(model$parameters), model$species$species), settable_words = "parameters and species",
  words = "species",
  size = function(model) nrow(model$reactions) + nrow(model$species),
  columns = function(model, observe, output) {
    known <- observable_names(model)
    if (is.null(observe)) known else known[observed_species(model, observe, output)]
  },
  never_negative = function(model) names(model$variables)[.Call(ffi_reactions_never_negative, model)],
  fired = function(model) model$reactions$name,
  grows = function(model, options) if (options$method %in% smooth_methods) options$method else growing_species(model, options)
)
ensemble_engine.reaction_network <- function(model) reaction_engine

# Checks the arguments of simulate(). Returns what is simulated: the network, the options of the core, and what the result
# records. `start` is NULL, or where a run that is resumed goes on.
ensemble_plan <- function(object, nsim, seed, times, method, observe, output, initial = NULL, parameters = NULL, until = NULL,
                          quantiles = NULL, covariance = FALSE, shard = NULL, confidence = 0.95, tolerance = NULL,
                          backend = NULL, threads = NULL, progress = FALSE, start = NULL) {
  check_count(nsim, "nsim", 1, 2^47)
  times <- check_times(times)
  output <- check_kind_of_run(method, output, tolerance)
  kind <- output_kinds[[output]]
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_flag(progress, "progress")
  check_summary_options(output, quantiles, covariance)
  check_condition(until, "until")
  wanted_backend(backend)
  asked <- nsim
  if (has_one_solution(method, start)) nsim <- 1
  if (kind$last) times <- times[[length(times)]]
  if (is.null(start) && kind_of_result(initial) %in% kind_classes) {
    abort_value("initial", "counts by species, or a result of simulate() with `output` = \"final\"", initial)
  }
  if (!is.null(start)) {
    check_after_start(times, start)
    check_resumed_method(start$counts, method)
  }
  object <- with_arguments(object, if (is.null(start)) initial, parameters)
  observed <- if (kind$firings) 1L else observed_species(object, observe, output) # a GPU needs a species to observe
  part <- trajectories_of_shard(nsim, seed, shard)
  check_rows_of_result(part$n, length(observed), length(times), output)
  seed <- resolve_seed(seed)
  options <- c(options_of_start(start, part, seed), options_of_output(output, quantiles, covariance), list(
    times = times, observed = observed, method = method, threads = resolve_threads(threads), simd = resolve_simd(), until = until,
    tolerance = if (is.null(tolerance)) 0 else tolerance
  ))
  list(
    model = object, options = options, nsim = nsim, asked = asked, seed = seed,
    species = if (kind$firings) character() else observable_names(object)[observed], confidence = confidence, start = start,
    record = Filter(Negate(is.null), list(output = output, until = until, quantiles = quantiles, shard = part$shard))
  )
}

# The result of a planned run of a network. plan$net is a net that is simulated as this network, if it is one.
planned_result <- function(plan, model, result, seed = plan$seed) {
  auto <- plan$options$method == "auto"
  run <- list(
    method = result$method, reason = if (auto) ensemble_engine(model)$reason(result, model),
    model = if (is.null(plan$net)) model else plan$net, nsim = as.double(plan$nsim), seed = seed, times = plan$options$times,
    species = plan$species, confidence = plan$confidence, events = result$events, machine = do.call(machine_notes, result$notes)
  )
  known_result(result, c(run, plan$record), plan$start, plan$options)
}

# Checks method, output and tolerance, which depend on each other, and returns the output.
check_kind_of_run <- function(method, output, tolerance) {
  check_method(method)
  output <- check_choice(output, "output", output_names())
  check_tolerance(tolerance, method)
  if (method %in% real_methods() && output_kinds[[output]]$whole) {
    abort_argument(sprintf(
      "`output` = \"%s\" needs whole counts, which `method` = \"%s\" does not have; ask for \"summary\" or \"trajectories\".",
      output, method
    ))
  }
  output
}

check_method <- function(method) {
  said <- if (is.character(method) && length(method) == 1L && !is.na(method)) tolower(method) else ""
  if (said %in% c("ssa", "gillespie", "exact")) {
    hint <- "; Gillespie's algorithm is \"direct\", and \"auto\" chooses an exact method."
    abort_value("method", "\"auto\" or a method in ssa_methods()", method, hint)
  }
  if (said %in% names(other_method_names)) {
    hint <- sprintf("; did you mean \"%s\"?", other_method_names[[said]])
    abort_value("method", "\"auto\" or a method in ssa_methods()", method, hint)
  }
  check_choice(method, "method", c("auto", ssa_method_names()))
}

# Abbreviations that papers and other programs use.
other_method_names <- c(
  dm = "direct", frm = "first_reaction", nrm = "next_reaction", ldm = "logarithmic_direct", odm = "optimised_direct",
  sdm = "sorting_direct", cr = "composition_rejection", "ssa-cr" = "composition_rejection", etl = "tau_leaping",
  leaping = "tau_leaping", cle = "langevin", rre = "ode", deterministic = "ode"
)

# Differential equations have one solution. It is computed once, whatever `nsim` is.
has_one_solution <- function(method, start = NULL) identical(method, "ode") && is.null(start)

# Tells that there is one solution. Called after the run, because the run may fail.
note_one_solution <- function(nsim) {
  if (nsim > 1) message(new_condition("method", "message", sprintf(
    "method = \"ode\": all trajectories are the same, so the result has one instead of %s.\n", format_whole(nsim)
  ), NULL))
}

# Which trajectories are simulated, and where they start.
options_of_start <- function(start, part, seed) {
  if (is.null(start)) return(list(nsim = part$n, seed = seed, first = part$first, starts = NULL, start = 0))
  list(
    nsim = part$n, seed = derived_seed(seed, start$generation), first = start$first, starts = start$counts, start = start$time
  )
}

# What the core keeps.
options_of_output <- function(output, quantiles, covariance) {
  kind <- output_kinds[[output]]
  list(
    keep = !kind$sums, covariance = covariance, histogram = kind$counts || length(quantiles) > 0L,
    firings = if (kind$firings) most_events() else 0
  )
}

# For each time and quantity: whether all trajectories must have the same value. At time 0 they may differ if the network has
# events, because events at the same time may happen in a random order.
known_cells <- function(run, varies) {
  start <- run$times == 0 & starts_alike(run$model)
  is.null(run$start) & (rep(start, each = length(varies)) | !rep(varies, times = length(run$times)))
}

starts_alike <- function(model) {
  is.null(model$events) && !any(model$transitions$kind %in% c("immediate", "deterministic", "scheduled"))
}

# The result of a run for each kind of output.
known_result <- function(result, run, start, options) {
  if (!is.null(start)) run[names(start$run)] <- start$run
  run$n_stopped <- if (!is.null(result$stopped)) sum(!is.na(result$stopped))
  output_kinds[[run$output]]$make(run, result, options)
}

check_tolerance <- function(tolerance, method) {
  if (is.null(tolerance)) return(invisible())
  check_number(tolerance, "tolerance", 0, 0.5, open_min = TRUE)
  if (method %in% approximate_methods()) return(invisible())
  abort_argument(sprintf(
    "`tolerance` is for approximate methods (%s); found `method` = \"%s\".",
    paste0("\"", approximate_methods(), "\"", collapse = ", "), method
  ))
}

# What can be observed: species, and then variables.
observable_names <- function(model) c(model$species$species, names(model$variables))

observed_species <- function(model, observe, output) {
  known <- observable_names(model)
  what <- if (length(model$variables) > 0L) "species and variables" else "species"
  constant <- if (is.character(observe)) intersect(observe, setdiff(names(model$parameters), known))
  if (length(constant) > 0L) {
    abort_argument(sprintf(
      "`observe` names \"%s\", a parameter; species and variables can be observed, also a variable with the formula \"%s\".",
      constant[[1L]], constant[[1L]]
    ))
  }
  index <- if (is.null(observe)) seq_along(model$species$species) else check_known(observe, "observe", known, what)
  if (anyDuplicated(index)) {
    abort_argument(sprintf("`observe` names \"%s\" more than once.", known[[index[[anyDuplicated(index)]]]]))
  }
  if (length(index) == 0L) abort_value("observe", "names of species", observe)
  own <- intersect(known[index], c("trajectory", "time"))
  if (!output_kinds[[output]]$sums && length(own) > 0L) {
    abort_argument(sprintf("A species is called \"%s\", like a column of the result; choose others by `observe`.", own[[1L]]))
  }
  index
}

check_rows_of_result <- function(nsim, species, times, output) {
  summed <- output_kinds[[output]]$sums
  n <- if (summed) species else nsim
  if (n * times <= .Machine$integer.max) {
    if (!summed && !output_kinds[[output]]$firings) check_memory_of_result(8 * n * times * (species + 2))
    return(invisible())
  }
  number <- function(x) format(x, big.mark = ",", scientific = FALSE)
  abort("size", sprintf(
    "%s %s at %s are more rows than a data frame holds (%s); %s.", number(n),
    if (summed) "species" else "trajectories", if (times == 1) "one time" else paste(number(times), "times"),
    number(.Machine$integer.max),
    if (summed) "set `observe`, or ask for fewer times" else "ask for fewer trajectories or times, or for `output` = \"summary\""
  ))
}

# A data frame that does not fit into memory would be noticed after the simulation only. A large one is announced.
check_memory_of_result <- function(bytes, memory = available_memory()) {
  less <- "ask for fewer trajectories, times or species (`observe`), or for `output` = \"summary\""
  if (!is.na(memory) && bytes > memory) {
    abort("size", sprintf(
      "The data frame of all trajectories takes %s, and %s of memory are available; %s.", format_bytes(bytes),
      format_bytes(memory), less
    ))
  }
  if (bytes < 1024^3) return(invisible())
  message(new_condition("memory", "message", sprintf(
    "The data frame of all trajectories takes %s of memory. For less, %s.\n", format_bytes(bytes), less
  ), NULL))
}

# ---- methods --------------------------------------------------------------------------------------------------------------

#' Methods of simulation
#'
#' Lists the methods that [`simulate()`][simulate.reaction_network] has for reaction networks.
#'
#' @returns A data frame with a row for each method. Its columns are `method` (the name), `description`, `cost` (of one firing),
#'   `exact` (whether the trajectories have the distribution that the network defines) and `gpu` (whether GPUs have a kernel for
#'   the method). In `cost`, n is the number of reactions, s the number of species, d the number of reactions whose propensity a
#'   firing changes, and g the number of groups of reactions.
#' @section Factors: Many propensities of a network with mass action are products of the same factors: `k * A * B` and `k * A * C`
#'   add up to `k * A * (B + C)`. The method `"factored"` finds such groups from the rate laws and the values of the rate
#'   constants. It computes the propensities of groups from sums of counts, which are whole numbers without rounding errors. Then
#'   it draws one molecule of such a sum, which determines the reaction. The idea is that of partial propensities (Ramaswamy et
#'   al. 2009). A reaction that shares no factor, or has another rate law, is a group of its own. `"logarithmic_direct"` is used
#'   instead if there are more than 768 groups, or if reactions change too many numbers: counts, sums and parts of sums. One
#'   reaction may change at most 65,535 of them, and each by at most 2^30. All reactions together may make at most 2^25 such
#'   changes; this limit does not apply if each reaction adds and removes at most 16 molecules.
#'
#'   A network may also consist of copies of one module in a ring, such as `reaction_model("sir_ring")`. There may be 8 to 2,048
#'   modules of at most 8 species and 31 reactions. All modules have the same reactions, which involve modules at a distance of at
#'   most 4. The species must be listed module by module, or the first species of all modules, then the second ones, and so on. If
#'   the reactions make at most 8 groups (each of them over all modules), `"factored"` chooses a group, then the module, and then
#'   the reaction. The limits above do not apply then, and this is several times faster.
#' @section Details of the methods:
#' * `"optimised_direct"` counts firings in a short simulation before the run. This simulation starts from the initial counts of
#'   the network, and its draws follow from the seed. It has 1,000 firings and one more per reaction, but at most 100,000.
#'   `"optimised_direct"` and `"sorting_direct"` keep the sum of the propensities up to date, with a bound of its rounding errors.
#'   When the bound exceeds 2^-40 of the sum, all propensities are added up again. The sums of `"pdm"`, `"spdm"` and `"pssa_cr"`
#'   have the same bound.
#' * `"composition_rejection"` adds up the propensities of a group as whole numbers, so its sums have no such errors.
#' * `"rssa"` and `"rssa_cr"` keep an interval of 10% around each count. Counts of at most 4 have no interval. For counts from 5
#'   to 19, the interval extends by 2 to each side. Propensities that are not mass action, or need four or more molecules of one
#'   species, are computed after each firing that may change them.
#' * `"pdm"`, `"spdm"` and `"pssa_cr"` need mass action of at most two molecules, and refuse other networks with an error of class
#'   `fireflip_error_unsupported`. `"pssa_cr"` finds the reactant by composition and rejection, and its reaction by linear search.
#' * `"tau_leaping"` is an approximation. In a leap, reactions fire many times. The leap is so short that this is not likely to
#'   change a propensity by more than the relative `tolerance`. A reaction is *critical* if it can fire fewer than 10 times before
#'   a reactant is used up. At most one critical reaction fires in a leap, and only once. A leap is also at most `2 * tolerance`
#'   times as long as the time in which counts relax. A bound of this time follows from the derivatives of the propensities. So
#'   leaps are short in stiff networks, also in equilibrium. If fewer than 10 firings are expected in a leap, 100 firings are
#'   simulated exactly instead. A leap after which a count would be negative is drawn again with half its length. Within a leap,
#'   the firings of each reaction are spread uniformly; if this makes a count negative, it is shown as 0. The number of events in
#'   `summary()` includes all firings.
#'
#'   In an equilibrium without oscillations, leaps enlarge the standard deviation of a count by a factor of at most
#'   `1 / sqrt(1 - tolerance)`: by 1.5% for the default tolerance, by 5% for 0.1, and by 41% for 0.5. For immigration and death
#'   with the default tolerance, it was within 2% of the exact one for means from 300 to 1e6. **Elsewhere errors
#'   add up from leap to leap.** They are about proportional to the tolerance. For exponential growth (`A -> 2 A` with the
#'   constant 1, from 1,000 molecules), the mean was 7% too small at time 5 with the default tolerance, and 2.4% with 0.01. For
#'   `example_model("lotka_volterra")` from 1,000 prey and 500 predators, at time 3, which is about five periods, the mean of the
#'   predators was 23% too large, and the standard deviation of the prey was 2.3 times the exact one. With a tolerance of 0.01,
#'   the mean was 6% too large, and the standard deviation 1.4 times the exact one. The errors differ a little between
#'   trajectories. This hardly matters unless counts are very large: their fluctuations are then smaller than these differences.
#'   For `A -> B` with the constant 1, `B -> A` with 0.5, and 2^31 molecules of A at the start, the standard deviation at time 1
#'   was 2.2 times the exact one; with a tolerance of 0.003, it was within 4% of it. So halve the tolerance, and see whether
#'   the answer changes. Leaps may be too long in two cases. If a rate jumps at a count, such as `k * (A > 1000)`, the length of a
#'   leap does not take the jump into account before A reaches this count. And a leap may always change a count by one, even if
#'   propensities depend strongly on this molecule.
#' * `"implicit_tau_leaping"` is for stiff networks: fast reactions keep species in equilibrium, and slow reactions move this
#'   equilibrium. In such a network, the leaps of `"tau_leaping"` are as short as the fast reactions need.
#'   `"implicit_tau_leaping"` finds pairs of reactions that reverse each other. It takes a pair to be in partial equilibrium if
#'   the propensities of both directions differ by less than 5%, or by less than three times the standard deviation that this
#'   difference has in equilibrium. An implicit leap may be longer than the time in which such a pair relaxes: the counts at its
#'   end solve equations that contain the propensities at its end. The other reactions limit the length of the leap. Leaps are
#'   implicit only if all of the following holds. Otherwise they are those of `"tau_leaping"`, and the run may take very long:
#'     - The pair is a reaction of mass action and its exact reverse, such as `A + B <-> C`, and no third reaction makes the same
#'       change. A gene that makes a product (`G -> G + A`) and the decay of this product (`A -> 0`) are not such a pair. Pairs
#'       that form a closed loop, such as `A <-> B <-> C <-> A`, are in equilibrium only if there is no net flow round the loop.
#'     - No formula names a species of the pair, no propensity is a product of three or more counts of such species, and no
#'       reaction with a formula needs three or more molecules of such a species. Otherwise, fluctuations would change the mean
#'       of such a propensity.
#'     - The leap is more than 100 times as long as an explicit one, and at least 5 times as long as the time in which the
#'       pairs relax. If they share species, this is the time of the slowest of their modes: for diffusion along a row of
#'       places, the time in which differences over the whole row vanish.
#'     - The counts have already relaxed: they differ from those to which these modes lead by at most the tolerance, or by at most
#'       three standard deviations.
#'     - Each count of a species in these pairs is at least 1 / `tolerance` at the beginning of the leap, which is 34 molecules
#'       for the default tolerance, and at least 16.
#'     - At most 512 pairs are connected by the species that they share. If there are several such groups of pairs, the squares of
#'       their sizes add up to at most 512^2.
#'
#'   If all reactions are in partial equilibrium, the slowest of them limit the leaps. Fast species fluctuate at the end of an
#'   implicit leap, and at times within it, as they do in equilibrium: normally distributed, with the variance of the linear
#'   noise approximation and its correlations in time. (Among pairs that share species, all correlations vanish as slowly as
#'   those of the slowest mode.) For `A <-> B` with constants from 100 to 1e6, `B -> C` with the constant 1, and 1e3 and 1e5
#'   molecules, all means were within 0.4% and all standard deviations within 6% of the exact ones. The standard error of a
#'   standard deviation was 1.6%.
#'   If a leap after an implicit one would have fewer than 10 firings, 10 firings are simulated exactly, not 100. Errors add up
#'   from leap to leap as for `"tau_leaping"`. Rare events that need large fluctuations of a fast species are not
#'   simulated well. At most 256 species may both be changed by reactions and occur in propensities; larger networks are refused
#'   with an error of class `fireflip_error_unsupported`.
#' * `"langevin"` is an approximation whose counts are not whole numbers, so there are no histograms and no firings. Its steps
#'   are those of `"tau_leaping"`, with the same errors, and without critical reactions. A count that would be negative becomes
#'   0. This breaks conservation laws if counts are small: with `A <-> B`, 100 molecules of B and 5 of A, the sum grew by 2% in
#'   200 times of relaxation. The number of events in `summary()` is that of steps.
#' * `"ode"` solves the rate equations. Mass action, of numbers and of [mass_action()], has the deterministic limit of large
#'   counts, a product of powers: `2 A -> B` with the constant c has the rate c A^2 / 2. A formula as text runs as it is
#'   written: `"c * A * (A - 1) / 2"` does not have this limit. A rate may be below 0; then the reaction runs backwards. It runs
#'   also if a reactant is used up. So a count becomes negative if the rate is not 0 where the count is 0. With `A -> B`, this
#'   happens with the rate `"k"`, but not with `"k * (A > 0)"`. A count that is below 0 only because of the solver's error is
#'   shown as 0. If a rate has no value at a negative count, as `"sqrt(A)"`, this is an error. The estimated error of a count in
#'   a step is at most `tolerance * (1 + count)`; the default is 1e-8. Where a rate jumps, it may be larger, if no double is
#'   exactly the time of the jump. A pulse of a rate that is shorter than a step may be missed. The errors of steps add up, so
#'   the error of a result may be larger. All trajectories from the same initial counts are the same. So only one is computed
#'   and returned, whatever `nsim` is, and a message of class `fireflip_message_method` says so. If `initial` is a result, each
#'   of its trajectories is continued. Standard deviations and intervals are `NA`. The number of events in `summary()` is that
#'   of steps.
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
#'
#' Cao Y, Li H, Petzold L (2004). Efficient formulation of the stochastic simulation algorithm for chemically reacting systems.
#' *Journal of Chemical Physics* 121(9), 4059-4067. \doi{10.1063/1.1778376}
#'
#' McCollum JM, Peterson GD, Cox CD, Simpson ML, Samatova NF (2006). The sorting direct method for stochastic simulation of
#' biochemical systems with varying reaction execution behavior. *Computational Biology and Chemistry* 30(1), 39-49.
#' \doi{10.1016/j.compbiolchem.2005.10.007}
#'
#' Slepoy A, Thompson AP, Plimpton SJ (2008). A constant-time kinetic Monte Carlo algorithm for simulation of large biochemical
#' reaction networks. *Journal of Chemical Physics* 128, 205101. \doi{10.1063/1.2919546}
#'
#' Thanh VH, Priami C, Zunino R (2014). Efficient rejection-based simulation of biochemical reactions with stochastic noise and
#' delays. *Journal of Chemical Physics* 141, 134116. \doi{10.1063/1.4896985}
#'
#' Thanh VH, Zunino R, Priami C (2015). On the rejection-based algorithm for simulation and analysis of large-scale reaction
#' networks. *Journal of Chemical Physics* 142, 244106. \doi{10.1063/1.4922923}
#'
#' Ramaswamy R, Gonzalez-Segredo N, Sbalzarini IF (2009). A new class of highly efficient exact stochastic simulation algorithms
#' for chemical reaction networks. *Journal of Chemical Physics* 130, 244104. \doi{10.1063/1.3154624}
#'
#' Ramaswamy R, Sbalzarini IF (2010). A partial-propensity variant of the composition-rejection stochastic simulation algorithm
#' for chemical reaction networks. *Journal of Chemical Physics* 132, 044102. \doi{10.1063/1.3297948}
#'
#' Komarov I, D'Souza RM (2012). Accelerating the Gillespie exact stochastic simulation algorithm using hybrid parallel execution
#' on graphics processing units. *PLOS ONE* 7(11), e46693. \doi{10.1371/journal.pone.0046693}
#'
#' Cao Y, Gillespie DT, Petzold LR (2006). Efficient step size selection for the tau-leaping simulation method. *Journal of
#' Chemical Physics* 124, 044109. \doi{10.1063/1.2159468}
#'
#' Rathinam M, Petzold LR, Cao Y, Gillespie DT (2003). Stiffness in stochastic chemically reacting systems: the implicit
#' tau-leaping method. *Journal of Chemical Physics* 119(24), 12784-12794. \doi{10.1063/1.1627296}
#'
#' Cao Y, Gillespie DT, Petzold LR (2007). Adaptive explicit-implicit tau-leaping method with automatic tau selection. *Journal of
#' Chemical Physics* 126, 224101. \doi{10.1063/1.2745299}
#'
#' Gillespie DT (2000). The chemical Langevin equation. *Journal of Chemical Physics* 113(1), 297-306. \doi{10.1063/1.481811}
#'
#' Dormand JR, Prince PJ (1980). A family of embedded Runge-Kutta formulae. *Journal of Computational and Applied Mathematics*
#' 6(1), 19-26. \doi{10.1016/0771-050X(80)90013-3}
#' @seealso [`simulate()`][simulate.reaction_network].
#' @export
#' @examples
#' ssa_methods()
ssa_methods <- function() {
  methods <- .Call(ffi_ssa_methods)
  data.frame(
    method = methods$name, description = methods$about, cost = methods$cost, exact = methods$exact, gpu = methods$gpu
  )
}

ssa_method_names <- function() .Call(ffi_ssa_methods)$name

# Names of the methods that are approximations, and of those whose counts are not whole numbers.
approximate_methods <- function() methods_without("exact")
real_methods <- function() methods_without("whole")
gpu_methods <- function() setdiff(ssa_method_names(), methods_without("gpu"))
methods_without <- function(property) {
  methods <- .Call(ffi_ssa_methods)
  methods$name[!methods[[property]]]
}

# Why "auto" chose a method.
method_reason <- function(result, reactions) {
  if (result$method == "factored") {
    return(sprintf(
      "the propensities of its %s have common factors, in %s", count_of(reactions, "reaction"), count_of(result$groups, "group")
    ))
  }
  if (result$method == "direct" && reactions <= 256) {
    return(sprintf("with %s, computing all propensities is fastest", count_of(reactions, "reaction")))
  }
  where <- if (result$changed > result$coupling) "in a short simulation, " else ""
  sprintf("%sa firing changes %.1f of %s propensities on average", where, result$changed, format_whole(reactions))
}
