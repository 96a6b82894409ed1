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
#'   `"final"`: the counts at the last time.
#' @param initial Initial counts by species, such as `c(A = 100)`, which replace those of the network.
#' @param parameters Values of parameters by name, which replace those of the network.
#' @param confidence Confidence level of the intervals of the means, above 0 and below 1. Default 0.95.
#' @param threads Number of threads. By default, as in [fireflip_threads()]. The results do not depend on it.
#' @param progress Whether to show a progress bar if the simulation takes longer than a second. By default, in interactive
#'   sessions.
#'
#' @returns For `"summary"`, a data frame of class `reaction_ensemble` with a row for each time and species, ordered by time. Its
#'   columns are `time`, `species`, `mean`, `lower` and `upper` (the confidence interval of the mean), `sd` (the standard
#'   deviation between trajectories), `min` and `max`.
#'
#'   For `"trajectories"` and `"final"`, a data frame of class `reaction_trajectories` with the columns `trajectory` (from 1),
#'   `time`, and one column of counts per species. It has a row for each trajectory and time.
#'
#'   `print()`, `summary()`, `plot()` and `as.data.frame()` have methods for both: see [ensemble-methods].
#' @section Confidence intervals: The interval of a mean allows for skewed distributions (Hall 1992), such as that of a rare event
#'   with a large effect. It is `NA` if all trajectories have the same count, unless no reaction changes the species or the time
#'   is 0. Then the sample does not tell how precise the mean is: in 1,000 trajectories, an event with a probability of 0.001 is
#'   missed in more than one of three cases.
#' @section Propensities: A reaction whose reactants are not all present has the propensity 0, whatever its rate law says. So no
#'   count is ever negative. A fixed species is never used up, so it may be missing, unless the law is mass action.
#' @section Errors: `fireflip_error_model` if a propensity is negative or not finite. The message names the reaction, the time and
#'   the trajectory. `fireflip_error_size` if a count exceeds 2^40, or if the result has more rows than a data frame holds.
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
                                      output = c("summary", "trajectories", "final"), initial = NULL, parameters = NULL,
                                      confidence = 0.95, threads = NULL, progress = interactive()) {
  check_empty(
    c("times", "method", "observe", "output", "initial", "parameters", "confidence", "threads", "progress"), ...
  )
  if (missing(times)) {
    abort_argument(sprintf(
      "`times` must be given by its name, as in simulate(net, nsim = 1000, times = 0:10); found nothing%s.",
      if (is.null(seed)) "" else sprintf(", and %s for `seed`, the third argument of R's generic", describe(seed))
    ))
  }
  check_count(nsim, "nsim", 1, 2^47)
  times <- check_times(times)
  check_choice(method, "method", c("auto", ssa_method_names()))
  output <- check_choice(output, "output", c("summary", "trajectories", "final"))
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_flag(progress, "progress")
  if (output == "final") times <- times[[length(times)]]
  if (!is.null(initial)) object <- set_initial(object, initial)
  if (!is.null(parameters)) object <- set_parameters(object, parameters)
  observed <- observed_species(object, observe, output)
  check_rows_of_result(nsim, length(observed), length(times), output)
  options <- list(
    nsim = as.double(nsim), seed = resolve_seed(seed), times = times, observed = observed, method = method,
    threads = resolve_threads(threads), simd = resolve_simd(), keep = output != "summary"
  )
  started <- proc.time()[["elapsed"]]
  result <- run_ensemble(object, options, progress)
  run <- list(
    method = result$method, reason = if (method == "auto") method_reason(result, nrow(object$reactions)), model = object,
    nsim = options$nsim, seed = options$seed, times = times, species = object$species$species[observed],
    confidence = confidence, events = result$events,
    machine = machine_notes(seconds = proc.time()[["elapsed"]] - started, backend = "cpu", threads = options$threads)
  )
  if (output == "summary") ensemble_of(result, run) else trajectories_of(result, run)
}

observed_species <- function(model, observe, output) {
  known <- model$species$species
  index <- if (is.null(observe)) seq_along(known) else unique(check_known(observe, "observe", known, "species"))
  if (length(index) == 0L) abort_value("observe", "names of species", observe)
  own <- intersect(known[index], c("trajectory", "time"))
  if (output != "summary" && length(own) > 0L) {
    abort_argument(sprintf("A species is called \"%s\", like a column of the result; choose others by `observe`.", own[[1L]]))
  }
  index
}

check_rows_of_result <- function(nsim, species, times, output) {
  n <- if (output == "summary") species else nsim
  if (n * times <= .Machine$integer.max) return(invisible())
  number <- function(x) format(x, big.mark = ",", scientific = FALSE)
  abort("size", sprintf(
    "%s %s at %s times are more rows than a data frame holds (%s); %s.", number(n),
    if (output == "summary") "species" else "trajectories", number(times), number(.Machine$integer.max),
    if (output == "summary") "set `observe`, or ask for fewer times" else "ask for fewer, or for `output` = \"summary\""
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
#'   where n is the number of reactions, d the number of reactions whose propensity an event changes, g the number of groups, and
#'   s the number of sums that an event changes).
#' @section Factors: Many propensities of a network with mass action are products of the same factors: k x A x B and k x A x C are
#'   k x A times a molecule of B + C. The method `"factored"` finds such groups from the rate laws and the values of the rate
#'   constants. It computes the propensities of groups from sums of counts, which are whole numbers without rounding, and chooses
#'   a molecule of such a sum by its number. The idea is that of partial propensities (Ramaswamy et al. 2009). Reactions that share
#'   no factor, or have another rate law, are groups of their own. A network with more than 512 groups is simulated by
#'   `"logarithmic_direct"`, and so is one with a reaction that changes a sum by more than 32,767.
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
#' Ramaswamy R, Gonzalez-Segredo N, Sbalzarini IF (2009). A new class of highly efficient exact stochastic simulation algorithms
#' for chemical reaction networks. *Journal of Chemical Physics* 130, 244104. \doi{10.1063/1.3154624}
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
    ),
    factored = c(
      "Reactions whose propensities have common factors are one group: a group is chosen, then a molecule.", "g + s log n"
    )
  )[ssa_method_names()]
  data.frame(
    method = names(about), description = unname(vapply(about, `[[`, "", 1L)), cost = unname(vapply(about, `[[`, "", 2L))
  )
}

ssa_method_names <- function() .Call(ffi_ssa_methods)

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
  sprintf("an event changes %.1f of %s propensities on average", result$coupling, format_whole(reactions))
}

# ---- results --------------------------------------------------------------------------------------------------------------

# The core's statistics are ordered by species; the rows of the result by time.
ensemble_of <- function(result, run) {
  times <- length(run$times)
  species <- length(run$species)
  order <- as.vector(matrix(seq_len(times * species), species, times, byrow = TRUE))
  columns <- lapply(result[c("mean", "sd", "skewness", "min", "max")], `[`, order)
  time <- rep(run$times, each = species)
  known <- time == 0 | !rep(result$varies, times = times)
  interval <- mean_interval(columns$mean, columns$sd, columns$skewness, run$nsim, run$confidence, known)
  out <- list(
    time = time, species = rep(run$species, times = times), mean = columns$mean, lower = interval$lower, upper = interval$upper,
    sd = columns$sd, min = columns$min, max = columns$max
  )
  structure(out, class = c("reaction_ensemble", "data.frame"), row.names = .set_row_names(times * species), run = run)
}

# The confidence interval of a mean by Hall's transformation, which removes most of the effect of skewness. For the standardised
# mean w = (mean - mu) / sd of n values of skewness g, w + g w^2 / 3 + g^2 w^3 / 27 + g / (6 n) is nearly normal with variance
# 1/n. `known` marks values that are the same in every trajectory by the network's structure.
mean_interval <- function(mean, sd, skewness, n, confidence, known) {
  inverse <- function(t) {
    root <- function(x) sign(x) * abs(x)^(1 / 3)
    g <- skewness
    small <- abs(g) < 1e-4
    g[small] <- 1
    ifelse(small, t, 3 / g * (root(1 + g * (t - g / (6 * n))) - 1))
  }
  q <- if (n == 1) NA_real_ else stats::qt((1 + confidence) / 2, n - 1) / sqrt(n)
  out <- list(lower = mean - sd * inverse(q), upper = mean - sd * inverse(-q))
  same <- is.na(skewness)
  out$lower[same] <- out$upper[same] <- NA_real_
  out$lower[known] <- out$upper[known] <- mean[known]
  out$lower <- pmax(out$lower, 0) # counts are not negative
  out
}

trajectories_of <- function(result, run) {
  states <- stats::setNames(result$states, run$species)
  times <- length(run$times)
  out <- c(list(trajectory = rep(seq_len(run$nsim), each = times), time = rep(run$times, times = run$nsim)), states)
  structure(
    out, class = c("reaction_trajectories", "data.frame"), row.names = .set_row_names(run$nsim * times), run = run
  )
}
