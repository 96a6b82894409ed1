#' Simulate a Petri net
#'
#' Simulates trajectories of a Petri net. Continuous places change by flows, all the time. The other transitions fire, at random
#' times or at times that are due. Firings change the flows, and levels change the rates of firings. The result has statistics of
#' all trajectories, or the trajectories themselves, as for reaction networks.
#'
#' @inheritParams simulate.reaction_network
#' @param object,model A net of class `petri_net`.
#' @param nsim Number of trajectories. The default is 1, for `first_passage()` 1000, and for `sweep_parameters()` 100 of each
#'   setting.
#' @param method How trajectories are computed.
#'   * `"exact"`: the flows of the whole net are solved step by step, with a stated tolerance. The times of firings follow from
#'     the flows: see section Precision.
#'   * `"windows"`: the same for each part of a large net by itself, such as each cell of a tissue: see section Windows.
#'   * `"paper"`: the serial algorithm of ELansary and others, for comparisons. Its results have the same distribution, but its
#'     random numbers are others: see section Reference methods.
#'   * `"auto"` (the default): `"windows"` for nets of at least 200 parts with firings and flows of their own, most of them alike,
#'     without events and without `until`. Otherwise `"exact"`. See also section Nets without flows.
#' @param observe What the result has: names of places, which stand for all of their colours; names of single colours, such as
#'   `"Ca[3,5]"`; and names of variables. Or numbers of places, where the numbers of variables come after those of places. With
#'   `NULL` (the default), all places.
#' @param initial Initial markings named by places, such as `c(Ca = 0.1, "Ca[1,2]" = 5)` or one row of a data frame. They replace
#'   those of the net. Or a result for `output = "final"` that observes all places: see section Resuming. With `NULL` (the
#'   default), the marking of the net.
#' @param output `"summary"` (the default): statistics for each time and place. `"trajectories"`: the markings at all times.
#'   `"final"`: the markings at the last time. `"histogram"`: how often each count or level occurs, for each time and place.
#'   `"events"`: every firing of a transition that is not a flow, at most 1e7 of them.
#' @param covariance For `"summary"`, whether to compute the covariances of the places at each time: see [covariances()].
#' @param until,condition A condition, such as `"Ca[50,100] > 1"`: a formula of places, parameters and variables. The trajectory
#'   stops when it becomes true, also between two firings, and between two immediate firings at one instant. It is true if its
#'   value is not 0: `"Ca"` means `"Ca != 0"`.
#' @param tolerance The largest error of a step of the flows: `c(relative = , absolute = )`, or one number for the relative one,
#'   of which the absolute one is then a thousandth. The absolute one has the unit of the levels. With `NULL` (the default), 1e-6
#'   and 1e-9. The relative one is from 1e-14 to 0.1. Nets without flows do not use it.
#' @param backend `"cpu"`; `"cuda"`, which is an error if no GPU can be used or no GPU can do this run; or `"auto"` (the default),
#'   which moves a large ensemble to the GPUs of the machine if the rest of it would take more than 5 seconds on the
#'   processor. The results are identical to the last bit. See section GPUs.
#' @param integrator The method that solves the flows. `"dormand_prince"`: an explicit method of order 5. `"rosenbrock"`: an
#'   implicit method of order 5 for stiff equations. `"auto"` (the default): the first one, until the flows turn out to be stiff.
#'   `"cvode"`: the solver CVODE of SUNDIALS, for comparisons: see section Reference methods.
#' @param semantics What happens when a continuous place is empty. `"adaptive"` (the default): its outflows are multiplied by a
#'   common factor, so that no more flows out than in. `"bio"`: all rates are as they are written, and a level that becomes
#'   negative is an error.
#' @param end,design,common As in [first_passage()] and [sweep_parameters()]. Columns of `design` may be places and parameters.
#' @returns A result as that of [`simulate()`][simulate.reaction_network] of a reaction network, of class `petri_ensemble`,
#'   `petri_trajectories`, `petri_histogram` or `petri_events`. Instead of `species`, it has the column `place` with the names of
#'   places and variables. Times have the unit of the rates, and counts and levels that of the net. If an observed place has
#'   colours, there is a further column for each component of the colours. It has the name of its set, and `NA` for a place
#'   without this component. Trajectories then have a row for each trajectory, time and place, and the column `value`. In
#'   `petri_events`, the column `transition` has every firing of a transition that is not a flow.
#'
#'   `first_passage()` and `sweep_parameters()` return what they return for a reaction network. The columns of `design` are
#'   parameters and places: the latter are initial markings.
#' @section Precision: Levels and integrals of rates have about the error that `tolerance` permits. No length of a time step is
#'   fixed. The times are located at which a rate changes suddenly: where a comparison in a rate or a test changes, and at the
#'   bends of `max()`, `min()` and `abs()`. Two such times are both found, however near to each other they are.
#'
#'   A rate may also have a smooth peak that is narrower than a step of the solver, such as `exp(-((x - 5) / 0.001)^2)`. Bounds of
#'   all values of the formula find it, if it is high enough: it must exceed the values around it by an eighth of them plus
#'   four times the range that they have within a step. Three kinds of peaks may be missed: lower ones, those of a rate
#'   that has no finite bounds, such as a power with an exponent that varies, and those narrower than a millionth of a step.
#'   Where terms of a rate nearly cancel, this search takes up to thousands of times as many steps. So `0 -> y` at the rate
#'   `k * (f(z) - y)`, or a gate of a channel, `a(v) * (1 - n) - b(v) * n`, is much faster as two flows, one to the place and one
#'   from it. Then each is searched by itself, so a peak of `k * f(z)` must exceed an eighth of it.
#'
#'   A flow that oscillates many times within a step, such as `1 + sin(2000 * time)`, may be wrong by more than the tolerance: the
#'   solver takes few values in each step, and may not see the oscillation between them. If rates oscillate much faster than
#'   levels change, compare results of two tolerances.
#'
#'   Levels below the absolute tolerance have no correct digits. If levels of 1e-12 matter, give
#'   `tolerance = c(relative = 1e-6, absolute = 1e-18)`. Levels in moles, as files have them, are often as small.
#'   A rate should not change within some 100 absolute tolerances, as the outflow `x / (K + x)` does if K is small. With K below
#'   25 of them, a run may end with an error, or take very long, above all with `"auto"`. With K of about one of them, or less, a
#'   level may stay near 0 although more flows in. Then give a smaller absolute tolerance.
#' @section Windows: With one step for a whole net, each firing that changes a flow costs a step of all places. With
#'   `method = "windows"`, the net is divided into parts that only flows join, and each part is simulated by itself over a short
#'   time, a window. It uses the levels of the other parts as they were found last. This is repeated until all parts agree, a
#'   method that is known as waveform relaxation. Places that a transition other than such a flow changes, tests or reads are in
#'   one part. Places of the same colour are in one part, too, such as `Ca[3,5]` and `ER[3,5]`.
#'
#'   The random numbers are those of `"exact"`. So the same transitions fire at the same times, up to errors of the flows: a few
#'   tolerances, or some tens of them at a tolerance of 1e-9. Two kinds of choices have other random numbers: those among
#'   immediate transitions, and orders of firings that are due at the same time.
#'
#'   If there are fewer trajectories than `threads`, several threads work on each. This method cannot simulate nets with events,
#'   nets with a single part, and conditions (`until`).
#' @section Order of events: A row at a time is the state after everything that happens at that time. What happens at one instant
#'   has this order:
#'   1. Tests and comparisons of levels are brought up to date.
#'   2. Immediate transitions fire until none is enabled.
#'   3. Each [event()] that is due happens, in the order of priorities. After each of them, immediate transitions fire.
#'   4. Deterministic and scheduled transitions fire that are due. First those that take tokens, in random order, each only if it
#'      is still enabled. Then the others. After the last of them, immediate transitions fire again.
#'   5. Stochastic transitions fire.
#'
#'   The conditions of events are looked at after each of these changes. More than a million immediate firings, or events, at one
#'   instant are an error.
#' @section Reference methods: `method = "paper"` is Algorithm 1 of ELansary and others, one trajectory after the other. One clock
#'   is for all stochastic transitions: the integral of the sum of their rates is one more equation of the solver, and a
#'   transition fires when it reaches an exponential random number. The solver starts again at each firing of any kind. All kinds
#'   of transitions, both semantics and all integrators are supported.
#'
#'   `integrator = "cvode"` solves the flows by backward differentiation formulas of order 1 to 4 with Newton's method. What
#'   happens within its steps is located as for other integrators. So all integrators find the same firings, up to errors of the
#'   flows. CVODE is there if the library SUNDIALS was there when fireflip was installed (on Debian, `libsundials-dev`). Its
#'   results may depend on the version of SUNDIALS.
#'
#'   Both are slower than the default, because each firing costs the first steps of a solver.
#' @section Nets without flows: If all transitions are stochastic and no place is continuous, `method = "auto"` simulates
#'   `as_reaction_network(net)`, if the net is a reaction network. The numbers are those of that network.
#' @section GPUs: GPUs simulate ensembles of nets, and tissues by windows.
#'
#'   In an ensemble of a small net, each thread of a GPU simulates one trajectory after the other, and there are tens of
#'   thousands of threads. A thread is much slower than a core of the processor, so a GPU is useful for large `nsim`. The code is
#'   generated for the net and compiled at run time, which needs the library libnvrtc: see [backends()]. It is stored
#'   for later use. Nets that differ only in the initial marking share their code; other values of parameters need other code,
#'   except within a sweep.
#'
#'   A net on a GPU may have transitions of all kinds, tests on counts, read arcs, resets, weights that are formulas, and
#'   rates that depend on the time. The main limits of generated code are:
#'   * at most 64 places, of which flows change at most 16;
#'   * at most 64 transitions that fire, of which 32 may be deterministic or scheduled. Stochastic ones are in at most 16
#'     groups. Two stochastic transitions are in one group if both read or change a place that stochastic transitions change
#'     and flows do not, or if both are in one group with a third one;
#'   * at most 15 different functions of levels in the rates of stochastic transitions, and at most 4,000 numbers, names and
#'     operations in all formulas together. A formula of a coloured net counts once for each colour.
#'
#'   A net for which no code can be generated, or any net where there is no libnvrtc, is data for a kernel that is the same for
#'   all nets, if it has only stochastic transitions and flows, no rate or test that changes where a level crosses a value, and no
#'   `until`. The 32 threads of a warp share a trajectory. There may be up to 65,536 places, of which flows change at most 4,096,
#'   65,536 stochastic transitions, 16,384 groups, and 16,383 functions of levels in the rates of stochastic transitions.
#'
#'   With `method = "windows"`, which `"auto"` chooses for tissues of many cells, the threads of a GPU share a trajectory: each
#'   runs a cell over a window of time. Several trajectories run side by side, up to about 400,000 cells in all. The limits of
#'   generated code hold for a cell together with the levels that it reads of its neighbours. There may be up to 8 kinds of cells
#'   or other parts, such as cells that fire beside a lattice of levels. Cells of a kind have the same transitions with the same
#'   rates. They may have different numbers of neighbours, as at the border of a tissue, if rates of flows between cells are
#'   numbers times a level, as those of diffusion are; with other rates, such cells are of different kinds. The code of each
#'   kind is compiled.
#'
#'   GPUs give every output, except `"events"` with `method = "windows"`. They continue the trajectories of a result that is
#'   given as `initial`, and simulate parts of a run (`shard`). The settings of a sweep that differ in numbers only, such as
#'   values of parameters and initial markings, share their code, and a GPU simulates them together, but not by windows, nor if
#'   the net is data: see [sweep_parameters()].
#'
#'   GPUs cannot simulate nets with
#'   * events; with `method = "windows"`, also immediate, deterministic or scheduled transitions;
#'   * rates or tests that change suddenly where the time or a function of levels crosses a value, as `ifelse(time > 1, 2, 3)`
#'     and `ifelse(x > y, 2, 3)` do for levels x and y. At most 16 comparisons of a level with a number are possible, as
#'     `ifelse(x > 1, 2, 3)`, but not with `method = "windows"`;
#'   * flows that may empty a place, such as one with a constant rate out of a place, or variables of levels that rates read;
#'   * more than 2^30 tokens in a place at the start;
#'   * `semantics = "bio"`, or without stochastic transitions.
#'
#'   They also have neither conditions on levels or the time (`until` and [first_passage()]), nor the method `"paper"`, nor
#'   the integrator `"cvode"`. They have `"rosenbrock"` for at most 8 places that flows change; if all transitions are stochastic
#'   or flows, for at most 512; not with `method = "windows"`. If rates depend on the time, or transitions are scheduled, they
#'   cannot continue a result whose time is not 0. A net that `method = "auto"` simulates as a reaction network has the kernels of
#'   that network: see [`simulate()`][simulate.reaction_network].
#'
#'   For what GPUs cannot do, `backend = "cuda"` is an error of class `fireflip_error_unsupported`, which gives the reason. So
#'   this is how to find out whether a GPU can simulate a net: simulate one trajectory with `backend = "cuda"`. With `"auto"`,
#'   the processor simulates the net. A message of class `fireflip_message_method` gives the reason, once in a session for each
#'   reason, if the run would have used a GPU.
#'
#'   With `"auto"`, an ensemble begins on the processor. It moves to GPUs if the rest would take more than 5 seconds there, and
#'   at least 100 trajectories for each thread have not begun: see [backends()]. `method = "windows"` has no such least number. If
#'   none of its trajectories has ended after a second, and the rest would take more than 5 seconds, it begins anew on a GPU. Any
#'   other run of a few trajectories stays on the processor, even if the net is large. Give `backend = "cuda"` to simulate it on
#'   a GPU.
#'
#'   The processor simulates single trajectories that a GPU cannot: those in which a place gets more than 2^30 tokens,
#'   transitions fire 2^30 times, or others than stochastic ones 1,025 times at one instant, levels cross values 1,001 times
#'   without a firing, a delay is infinite, a rate is negative or not finite, or a rate has so many peaks that it needs more
#'   room than there is. With `method = "windows"`, also those of more than 500,000 cells that have more than 8 steps of the
#'   solver in a window, on average. With `integrator = "auto"`, also those whose flows turn out to be stiff, where GPUs do not
#'   have `"rosenbrock"`, or have it in kernel `"generic"` alone and run the net by generated code: this is so for 9 to 16 places
#'   that flows change. If all trajectories are like this, the run is slower than on the processor; give the kernel `"generic"`:
#'   see [backends()].
#' @section Resuming: As for reaction networks. Schedules go on. A net with events or with deterministic transitions cannot be
#'   resumed, because a result has neither the events that wait, nor the parameters that events have set, nor the clocks of
#'   deterministic transitions.
#' @section Warnings: `fireflip_warning_tolerance` if a level is below 1,000 times the absolute tolerance at all times, and a
#'   rate, flow or test reads it. Levels that are not observed are looked at in the first trajectories, if this takes a second at
#'   most. `sweep_parameters()` looks at these for the first setting only. `fireflip_warning_colours` if no colours satisfy the
#'   guard of a transition and the sets of its places.
#' @section Errors: `fireflip_error_argument` for an invalid argument. `fireflip_error_model` if a trajectory cannot go on. The
#'   reasons are:
#'   * the rate of a stochastic transition is negative or not finite, or that of a flow is not finite;
#'   * a delay is negative or `NaN`, or a weight is not finite;
#'   * a discrete place would get a fraction, or a place a negative number of tokens;
#'   * immediate transitions or events happen without end at one instant;
#'   * a level falls below 0 with `semantics = "bio"`;
#'   * an event sets a place to a value that it cannot have, or its delay is negative or not finite.
#'
#'   `fireflip_error_size` for a count above 2^53, and for a result or a net that is too large. `fireflip_error_unsupported` for
#'   `integrator = "cvode"` without SUNDIALS, and if `backend` is `"cuda"` and GPUs cannot do the run. `fireflip_error_backend` if
#'   `backend` is `"cuda"` and there is no GPU, or the last GPU fails.
#' @references ELansary I, Hefnawy A, Herajy M, Sweilam N (undated; it cites work of 2018). Improving the simulation performance
#'   of colored hybrid Petri nets by the graphics processing units.
#'
#' Salis H, Kaznessis Y (2005). Accurate hybrid stochastic simulation of a system of coupled chemical or biochemical reactions.
#' *Journal of Chemical Physics* 122, 054103. \doi{10.1063/1.1835951}
#'
#' Dormand JR, Prince PJ (1980). A family of embedded Runge-Kutta formulae. *Journal of Computational and Applied Mathematics*
#' 6(1), 19-26. \doi{10.1016/0771-050X(80)90013-3}
#'
#' Steinebach G (2023). Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within the Julia Differential
#' Equations package. *BIT Numerical Mathematics* 63, 27. \doi{10.1007/s10543-023-00967-x}
#'
#' Hindmarsh AC, et al. (2005). SUNDIALS: suite of nonlinear and differential/algebraic equation solvers. *ACM Transactions on
#' Mathematical Software* 31(3), 363-396. \doi{10.1145/1089014.1089020}
#'
#' Lelarasmee E, Ruehli AE, Sangiovanni-Vincentelli AL (1982). The waveform relaxation method for time-domain analysis of large
#' scale integrated circuits. *IEEE Transactions on Computer-Aided Design* 1(3), 131-145. \doi{10.1109/TCAD.1982.1270004}
#' @seealso [petri_net()], [petri_model()], [`simulate()`][simulate.reaction_network] of reaction networks, [ensemble-methods].
#' @name simulate.petri_net
#' @examples
#' net <- petri_model("gene")
#' simulate(net, nsim = 100, times = 1:3, seed = 1)
#' simulate(net, times = seq(0, 5, 0.5), output = "trajectories", seed = 1)
#' first_passage(net, "protein > 0.7", nsim = 100, end = 10, seed = 1)
NULL

#' @rdname simulate.petri_net
#' @export
simulate.petri_net <- function(object, nsim = 1, seed = NULL, ..., times, method = c("auto", "exact", "windows", "paper"),
                               observe = NULL,
                               output = c("summary", "trajectories", "final", "histogram", "events"), initial = NULL,
                               parameters = NULL, until = NULL, quantiles = NULL, covariance = FALSE, shard = NULL,
                               confidence = 0.95, tolerance = NULL, backend = c("auto", "cpu", "cuda"), threads = NULL,
                               progress = interactive(),
                               integrator = c("auto", "dormand_prince", "rosenbrock", "cvode"),
                               semantics = c("adaptive", "bio")) {
  check_parts(object)
  check_no_more(...)
  if (missing(times)) abort_not_named("times", "nsim = 1000, times = 0:10", seed)
  until <- given_condition(until, substitute(until), "until")
  plan <- petri_plan(
    object, nsim, seed, times = times, method = method, observe = observe, output = output, initial = initial,
    parameters = parameters, until = until, quantiles = quantiles, covariance = covariance, shard = shard,
    confidence = confidence, tolerance = tolerance, backend = backend, threads = threads, progress = progress,
    integrator = integrator, semantics = semantics, any_number = missing(nsim)
  )
  out <- planned_result(plan, plan$model, run_ensemble(plan$model, plan$options, progress, backend))
  warn_small_levels(out, plan)
  out
}

petri_engine <- list(
  name = "petri", kernels = c("generated", "generic"),
  new = function(model, options) .Call(ffi_petri_new, model, options),
  sweep = function(models, seeds, options) .Call(ffi_petri_sweep, models, seeds, options),
  plan = function(...) petri_plan(...),
  reason = function(result, model) NULL,
  settable = function(model) c(names(model$parameters), model$places$place), settable_words = "parameters and places",
  words = "places",
  columns = function(model, observe, output) {
    seen <- if (is.null(observe)) model$places$place else as.character(observe)
    coloured <- model$places$place[!is.na(model$places$set)]
    if (!any(place_of_element(seen) %in% coloured)) return(c("place", seen))
    c("place", "value", names(model$colours)) # a column for each component
  },
  size = function(model) {
    found <- .Call(ffi_petri_sizes, model) # of all colours
    found$n_places + sum(found$kinds)
  },
  never_negative = function(model) character(),
  fired = function(model) .Call(ffi_petri_transition_names, model),
  grows = function(model, options) I(why_slow_net(model, options$integrator))
)
ensemble_engine.petri_net <- function(model) petri_engine

# What a message on a long run says. Large nets are slow because of their size, not because counts grow. A run does not know
# which method "auto" has chosen.
why_slow_net <- function(model, integrator) {
  found <- .Call(ffi_petri_sizes, model)
  flows <- found$kinds[[match("continuous", petri_kinds)]]
  sprintf(
    paste(
      "The net has %s and %s%s, and the time is in proportion to the number of firings%s. Check that times and rates are in the",
      "same units, and see with one trajectory up to an earlier last time how long a unit of time takes.%s%s"
    ), count_of(found$n_places, "place"), count_of(sum(found$kinds), "transition"),
    if (flows > 0) sprintf(", of which %s flow", format_whole(flows)) else "",
    if (flows > 0) {
      ". Each may begin a step of the flows anew, of the whole net or, with method = \"windows\", of a part of it"
    } else {
      ""
    },
    if (flows > 0) " A larger `tolerance` makes longer steps." else "",
    if (flows > 0 && identical(integrator, "dormand_prince")) {
      " If the flows are stiff, integrator = \"auto\" or \"rosenbrock\" needs far fewer steps."
    } else {
      ""
    }
  )
}

# As ensemble_plan(), for a Petri net. `any_number`: whether a result that is resumed tells the number of trajectories.
petri_plan <- function(object, nsim, seed, times, method, observe, output, initial = NULL, parameters = NULL, until = NULL,
                       quantiles = NULL, covariance = FALSE, shard = NULL, confidence = 0.95, tolerance = NULL, backend = NULL,
                       threads = NULL, progress = FALSE, integrator = "auto", semantics = "adaptive", any_number = FALSE) {
  method <- check_petri_method(method)
  integrator <- check_choice(integrator, "integrator", c("auto", "dormand_prince", "rosenbrock", "cvode"))
  semantics <- check_choice(semantics, "semantics", c("adaptive", "bio"))
  tolerance <- check_petri_tolerance(tolerance)
  times <- check_times(times)
  output <- check_choice(output, "output", output_names())
  kind <- output_kinds[[output]]
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_flag(progress, "progress")
  check_summary_options(output, quantiles, covariance)
  check_condition(until, "until")
  wanted_backend(backend)
  resumed <- kind_of_result(initial) == "ensemble_trajectories"
  if (!resumed && kind_of_result(initial) %in% kind_classes) {
    abort_value("initial", "markings by places, or a result of simulate() with `output` = \"final\"", initial)
  }
  object <- with_petri_arguments(object, if (!resumed) initial, parameters)
  flat <- .Call(ffi_petri_flatten, object, until)
  warn_never_bound(object, flat)
  start <- if (resumed) petri_start(object, flat, initial, nsim, any_number, shard)
  if (!is.null(start)) nsim <- start$nsim
  check_count(nsim, "nsim", 1, 2^47)
  if (kind$last) times <- times[[length(times)]]
  if (!is.null(start)) check_after_start(times, start)
  seen <- if (kind$firings) list(at = 1L, species = character()) else observed_places(object, flat, observe, output)
  part <- trajectories_of_shard(nsim, seed, shard)
  long <- !is.null(seen$colours) && !kind$sums # a row for each place, and a column for each component
  check_rows_of_result(
    part$n * (if (long) length(seen$at) else 1), if (long) length(seen$colours) + 1L else length(seen$at), length(times), output
  )
  seed <- resolve_seed(seed)
  converted <- if (method == "auto") reactions_if_any(object)
  reactions <- !is.null(converted)
  options <- c(options_of_start(start, part, seed), options_of_output(output, quantiles, covariance), list(
    times = times, observed = seen$at, method = method, threads = resolve_threads(threads), simd = resolve_simd(),
    until = if (reactions && !is.null(until)) .Call(ffi_petri_condition, flat) else until, tolerance = 0,
    relative = tolerance[["relative"]], absolute = tolerance[["absolute"]], integrator = integrator, semantics = semantics,
    flat = if (!reactions) flat
  ))
  list(
    model = if (reactions) converted else object, net = if (reactions) object,
    convert = if (reactions) as_reaction_network, options = options, nsim = nsim, asked = nsim, seed = seed,
    species = seen$species, confidence = confidence, start = start,
    record = Filter(Negate(is.null), list(
      output = output, until = until, quantiles = quantiles, shard = part$shard, item = "place", colours = seen$colours
    ))
  )
}

check_petri_method <- function(method) {
  said <- if (is.character(method) && length(method) == 1L && !is.na(method)) method else ""
  if (said %in% ssa_method_names()) {
    hint <- if (said == "ode") "; as_petri_net(net, as = \"continuous\") makes all places continuous" else {
      "; this is a method for reaction networks, which as_reaction_network(net) makes"
    }
    abort_value("method", "\"auto\", \"exact\", \"windows\" or \"paper\"", method, paste0(hint, "."))
  }
  check_choice(method, "method", c("auto", "exact", "windows", "paper"))
}

# The relative and the absolute tolerance.
check_petri_tolerance <- function(x) {
  if (is.null(x)) return(c(relative = 1e-6, absolute = 1e-9))
  expected <- "one number between 1e-14 and 0.1, or c(relative = 1e-6, absolute = 1e-9)"
  if (!is_numbers(x) || !length(x) %in% 1:2 || any(!is.finite(x) | x <= 0)) abort_value("tolerance", expected, x)
  if (length(x) == 2L && !setequal(names(x), c("relative", "absolute"))) abort_value("tolerance", expected, x)
  if (length(x) == 1L && !is.null(names(x)) && !names(x) %in% "relative") abort_value("tolerance", expected, x)
  x <- if (length(x) == 1L) c(relative = x[[1L]], absolute = 1e-3 * x[[1L]]) else x[c("relative", "absolute")]
  if (x[["relative"]] > 0.1 || x[["relative"]] < 1e-14) {
    abort_value("tolerance", "a relative tolerance between 1e-14 and 0.1", x[["relative"]])
  }
  vapply(x, as.double, 0)
}

# The net with the arguments `initial` and `parameters`. Errors name the argument.
with_petri_arguments <- function(model, initial, parameters) {
  constants <- names(model$parameters)
  parameters <- check_known_numbers(
    parameters, "parameters", constants, "parameters", model$places$place, "which is a place; `initial` takes its marking"
  )
  added <- check_markings(initial)
  added$element <- as_elements(added$element, model$places$place)
  unknown <- setdiff(place_of_element(added$element), model$places$place)
  misplaced <- intersect(unknown, constants)
  if (length(misplaced) > 0L) {
    abort_argument(sprintf(
      "`initial` names \"%s\", which is a parameter; `parameters` takes its value.", misplaced[[1L]]
    ), unknown = misplaced)
  }
  if (length(unknown) > 0L) abort_unknown_names("`initial`", unknown, model$places$place, "places", "net")
  if (nrow(added) > 0L) {
    check_marked_colours(model, added, "`initial`")
    refuse_fractions(model, added, "`initial`")
    model <- set_initial(model, initial)
  }
  set_parameters(model, parameters)
}

# What is observed: `at`, numbers of flat places and variables from 1; `species`, their names; `colours`, or NULL if none has any.
observed_places <- function(model, flat, observe, output) {
  known <- c(model$places$place, names(model$variables))
  constant <- if (is.character(observe)) intersect(observe, setdiff(names(model$parameters), known))
  if (length(constant) > 0L) {
    abort_argument(sprintf(
      "`observe` names \"%s\", a parameter; places and variables can be observed, also a variable with the formula \"%s\".",
      constant[[1L]], constant[[1L]]
    ))
  }
  if (is.factor(observe)) observe <- as.character(observe)
  if (is.numeric(observe)) observe <- known[check_known(observe, "observe", known, "places and variables", owner = "net")]
  if (is.null(observe)) observe <- model$places$place
  if (!is_texts(observe) || length(observe) == 0L) abort_value("observe", "names of places", observe)
  observe <- enc2utf8(observe)
  ranges <- .Call(ffi_petri_observed, flat, observe)
  if (anyNA(ranges$first)) abort_not_observed(model, observe[is.na(ranges$first)], known)
  at <- as.integer(sequence(ranges$n, ranges$first))
  cells <- .Call(ffi_petri_cells, flat, at)
  if (anyDuplicated(at)) {
    abort_argument(sprintf("`observe` names \"%s\" more than once.", cells[[1L]][[anyDuplicated(at)]]))
  }
  own <- intersect(cells[[1L]], c("trajectory", "time"))
  if (!output_kinds[[output]]$sums && length(own) > 0L && length(cells) == 2L) {
    abort_argument(sprintf("A place is called \"%s\", like a column of the result; choose others by `observe`.", own[[1L]]))
  }
  list(at = at, species = cells[[1L]], colours = colour_columns(model, cells))
}

# A data frame of the places and of the components of their colours, which have the names of their sets.
colour_columns <- function(model, cells) {
  width <- length(cells) - 2L
  if (width == 0L) return(NULL)
  own <- c(
    "trajectory", "time", "place", "value", "mean", "lower", "upper", "sd", "min", "max", "sd_lower", "sd_upper", "count", "n",
    "proportion", "setting"
  )
  sets <- unique(model$places$set[model$places$place %in% cells[[2L]] & !is.na(model$places$set)])
  parts <- lapply(sets, function(set) simple_sets(model, set))
  longest <- parts[[which.max(lengths(parts))]]
  names <- if (length(longest) == width) longest else paste0("colour", seq_len(width))
  names <- utils::tail(make.unique(c(own, names), "_"), width)
  structure(
    c(list(place = cells[[2L]]), stats::setNames(cells[-(1:2)], names)), class = "data.frame",
    row.names = .set_row_names(length(cells[[1L]]))
  )
}

# The names of the simple sets of which a set is a product.
simple_sets <- function(model, set, most = 20L) {
  if (set %in% names(model$colours) || most == 0L) return(set)
  text <- model$sets[[set]]
  base <- sub("\\[.*$", "", text)
  if (grepl("*", base, fixed = TRUE)) {
    parts <- trimws(strsplit(base, "*", fixed = TRUE)[[1L]])
  } else {
    parts <- trimws(strsplit(base, "+", fixed = TRUE)[[1L]])[[1L]]
  }
  unlist(lapply(gsub("^[\"`]|[\"`]$", "", parts), function(part) {
    if (part %in% c(names(model$colours), names(model$sets))) simple_sets(model, part, most - 1L) else part
  }))
}

abort_not_observed <- function(model, unknown, known) {
  place <- place_of_element(unknown[[1L]])
  if (grepl("]$", unknown[[1L]]) && place %in% model$places$place) {
    abort_argument(sprintf(
      "`observe` names \"%s\", but the place \"%s\" %s.", unknown[[1L]], place,
      if (is.na(model$places$set[match(place, model$places$place)])) "has no colours" else "does not have this colour"
    ), unknown = unknown)
  }
  abort_unknown_names("`observe`", unknown, known, "places and variables", "net")
}

# Where trajectories go on, as resumed_start() gives it.
petri_start <- function(model, flat, final, nsim, any_number, shard) {
  if (!is.null(model$events)) {
    abort_argument(
      paste(
        "`initial` cannot be a result, because the net has events: a result has neither the parameters that they have set nor",
        "the events that wait. Simulate up to the last time in one call."
      )
    )
  }
  clocks <- model$transitions$name[model$transitions$kind == "deterministic"]
  if (length(clocks) > 0L) {
    abort_argument(sprintf(
      paste(
        "`initial` cannot be a result, because the transition \"%s\" is deterministic: a result does not have its clock.",
        "Simulate up to the last time in one call."
      ), clocks[[1L]]
    ))
  }
  sizes <- .Call(ffi_petri_observed, flat, model$places$place)
  cells <- .Call(ffi_petri_cells, flat, seq_len(sum(sizes$n)))
  start <- resumed_start(model, final, nsim, any_number, shard, cells[[1L]])
  whole <- !rep(model$places$continuous, sizes$n)
  bad <- which(whole & rowSums(start$counts != floor(start$counts)) > 0)
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "`initial` must have whole numbers of tokens on discrete places; found others on \"%s\".", cells[[1L]][[bad[[1L]]]]
    ))
  }
  start
}

#' @rdname simulate.petri_net
#' @export
first_passage.petri_net <- function(model, condition, nsim = 1000, end, ..., seed = NULL, method = c("auto", "exact", "paper"),
                                    initial = NULL, parameters = NULL, shard = NULL, tolerance = NULL,
                                    backend = c("auto", "cpu", "cuda"), threads = NULL, progress = interactive(),
                                    integrator = c("auto", "dormand_prince", "rosenbrock", "cvode"),
                                    semantics = c("adaptive", "bio")) {
  check_parts(model)
  check_no_more(...)
  if (!missing(condition)) condition <- given_condition(condition, substitute(condition), "condition")
  check_passage(condition, nsim, end, initial, "markings by places")
  free <- setdiff(c(model$places$place[is.na(model$places$set)], names(model$variables)), c("trajectory", "time"))
  passage_of(simulate(
    model, nsim, seed, times = end, method = if (missing(method)) "auto" else method,
    observe = if (length(free) > 0L) free[[1L]] else model$places$place[[1L]], output = "final", initial = initial,
    parameters = parameters, until = condition, shard = shard, tolerance = tolerance, backend = backend, threads = threads,
    progress = progress, integrator = integrator, semantics = semantics
  ), end)
}

#' @rdname simulate.petri_net
#' @export
sweep_parameters.petri_net <- function(model, design, nsim = 100, ..., times,
                                       method = c("auto", "exact", "windows", "paper"), observe = NULL,
                                       output = c("summary", "trajectories", "final", "histogram"), until = NULL,
                                       quantiles = NULL, initial = NULL, parameters = NULL, seed = NULL, common = FALSE,
                                       confidence = 0.95, tolerance = NULL, backend = c("auto", "cpu", "cuda"), threads = NULL,
                                       progress = interactive(), integrator = c("auto", "dormand_prince", "rosenbrock", "cvode"),
                                       semantics = c("adaptive", "bio")) {
  check_parts(model)
  check_no_more(...)
  until <- given_condition(until, substitute(until), "until")
  if (is.data.frame(initial)) abort_value("initial", "markings by places", initial)
  model <- with_petri_arguments(model, initial, parameters)
  arguments <- list(
    times = times, method = method, observe = observe, until = until, quantiles = quantiles, confidence = confidence,
    tolerance = tolerance, threads = threads, integrator = integrator, semantics = semantics
  )
  out <- sweep_of(model, design, nsim, if (missing(nsim)) 1 else nsim, seed, common, output, backend, progress, arguments)
  run <- attr(out, "run")
  first <- changed_by(model, run$design, 1L)
  small <- places_that_start_small(list(model = first), small_level * check_petri_tolerance(tolerance)[["absolute"]])
  if (length(small) == 0L) return(out) # a plan takes long for a large net
  first <- list(first, run$nsim, run$seeds[[1L]], output = run$output, backend = "cpu")
  plan <- suppressWarnings(do.call(petri_plan, c(first, arguments)), "fireflip_warning_colours") # the sweep has warned
  warn_small_levels(out, plan)
  out
}
