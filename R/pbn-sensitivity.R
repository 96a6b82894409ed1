#' Long-run sensitivity to a change of the network
#'
#' How the long-run probabilities of state sets move when the network is changed: a node fixed off or on, a selection
#' probability moved, a predictor function inverted, or the perturbation probability scaled.
#'
#' @param model A network of class `pbn`.
#' @param states State sets, as in [steady_state()].
#' @param change What to change:
#'   * `"node"`: each node is fixed off, and on (see [fix_nodes()]);
#'   * `"selection"`: each selection probability of a node with several predictor functions is raised by `by` (at most to 1),
#'     the node's others shrinking in proportion;
#'   * `"predictor"`: each predictor function is replaced by its negation;
#'   * `"perturbation"`: p is multiplied by `1 + by`.
#' @param nodes Names or numbers of the nodes to change. Default `NULL`: all that can matter to the sets and are not held at a
#'   value, as [fix_nodes()] holds them, or as an exempt input with an initial value is. Not used for `"perturbation"`.
#' @param by Size of the change for `"selection"` and `"perturbation"`. Default 0.1.
#' @param precision Half the width of the interval of a difference. Default 0.001.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator. Each network, the unchanged one first,
#'   is simulated with a seed of its own, made from `seed` and the number of the run.
#' @inheritParams steady_state
#' @param ... More arguments of [steady_state()], but for `shard`: the parts of a division would not add up to sensitivities.
#'
#' @returns A data frame of class `long_run_sensitivity`, a row for each change and set: `change`, `node`, `predictor` (number
#'   within the node), `value` (what the changed quantity became), `set`, `probability` (before), `changed` (after),
#'   `difference`, `lower`, `upper`, `p_adjusted`, `method` (`"exact"` where the answers before and after are). `summary()`
#'   gives one row a change, the one that matters most first: its largest difference, with its sign and set, and two norms
#'   (largest absolute and sum of absolute differences) over the sets.
#'
#' A node that is fixed is no longer perturbed. As a flip of any node suspends the update of all, this alone moves probabilities by
#' something of the order of the perturbation probability, even where the node does not matter otherwise.
#'
#' Where the simulation of a changed network is given up, its rows are NA, and a warning (`fireflip_warning_convergence`) says so.
#' @section Many comparisons:
#' `lower` and `upper` are the interval of each difference by itself: of 100 changes that do nothing, about 5 have a 95% interval
#' without 0. `p_adjusted` is Holm's correction ([stats::p.adjust()]) of two-sided p-values for all estimated differences of the
#' result: the probability that any change that does nothing has a p_adjusted below 0.05 is at most about 0.05. Each p-value takes
#' the difference as normal, with the standard error that the interval implies on the side of 0. What is not estimated needs
#' no test, and does not count among the comparisons: with `method = "exact"`, and where the value is certain before and after
#' the change, `p_adjusted` is 0 for a difference (above 1e-10) and 1 for none. All differences share the run of the unchanged
#' network, which Holm's correction allows.
#' @inheritSection steady_state Errors
#' @references Shmulevich I, Gluhovsky I, Hashimoto RF, Dougherty ER, Zhang W (2003). Steady-state analysis of genetic
#'   regulatory networks modelled by probabilistic Boolean networks. *Comparative and Functional Genomics* 4(6), 601-608.
#'   \doi{10.1002/cfg.342}
#'
#' Zou GY, Donner A (2008). Construction of confidence limits about effect measures: a general approach. *Statistics in
#' Medicine* 27(10), 1693-1702. \doi{10.1002/sim.3095}
#'
#' Holm S (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal of Statistics* 6(2), 65-70.
#'
#' Qian X, Dougherty ER (2009). On the long-run sensitivity of probabilistic Boolean networks. *Journal of Theoretical Biology*
#' 257(4), 560-577. \doi{10.1016/j.jtbi.2008.12.023}
#' @concept knock-out
#' @concept knockout
#' @concept mutant
#' @concept over-expression
#' @concept intervention
#' @concept drug target
#' @concept robustness
#' @rdname long_run_sensitivity
#' @export
#' @examples
#' net <- set_perturbation(example_model("cellcycle"), 0.01)
#' long_run_sensitivity(net, "CycB", change = "node", nodes = c("Rb", "p27"), method = "exact")
long_run_sensitivity.pbn <- function(model, states, change = c("node", "selection", "predictor", "perturbation"),
                                     nodes = NULL, by = 0.1, precision = 1e-3, confidence = 0.95, seed = NULL, ...) {
  sets <- as_sets(states, model)
  refuse_shard(list(...))
  check_passed_on(steady_state.pbn, ..., own = c("change", "nodes", "by"), not = "shard")
  change <- check_choice(change, "change", c("node", "selection", "predictor", "perturbation"))
  check_number(by, "by", 0, 1e6, open_min = TRUE)
  check_number(precision, "precision", 0, 1, open_min = TRUE, open_max = TRUE)
  forget_draw <- if (is.null(seed)) undo_draws() else function() NULL
  seed <- resolve_seed(seed)
  index <- if (is.null(nodes)) changeable_nodes(model, sets) else check_nodes(model, nodes)
  changes <- switch(change,
    node = node_changes(model, index), selection = selection_changes(model, index, by),
    predictor = predictor_changes(model, index), perturbation = perturbation_changes(model, by)
  )
  started <- proc.time()[["elapsed"]]
  if (length(changes) == 0L) abort_argument(sprintf("The network has nothing of the kind to change: `change` = \"%s\".", change))
  estimate <- function(model, i) {
    # a set that the change itself makes constant is no cause for a warning, and the method is told once
    once_told(i > 0,
      steady_state(model, sets, precision = precision / sqrt(2), confidence = confidence, seed = derived_seed(seed, i), ...)
    )
  }
  before <- estimate(model, 0)
  after <- lapply(seq_along(changes), function(i) {
    tryCatch(estimate(changes[[i]]$model, i), fireflip_error_convergence = identity)
  })
  tell_refused(changes, after)
  rows <- lapply(seq_along(changes), function(i) sensitivity_rows(change, changes[[i]], before, after[[i]]))
  results <- c(list(before), after)
  out <- do.call(rbind, rows)
  exact <- all(out$method == "exact")
  if (exact) forget_draw()
  doubts <- unlist(lapply(results, function(result) attr(result, "run")$doubt))
  out$p_adjusted <- adjusted_p(out$difference, out$p_adjusted, confidence)
  structure(out, class = c("long_run_sensitivity", "data.frame"), run = list(
    method = if (exact) "exact" else "simulation", model = model, sets = sets, change = change, precision = precision,
    confidence = confidence, seed = if (!exact) seed, doubt = if (length(doubts) > 0L) doubts[[1L]],
    forgets = attr(before, "run")$forgets, machine = all_notes(
      lapply(Filter(is.data.frame, results), attr, "run"), seconds = proc.time()[["elapsed"]] - started
    )
  ))
}

# Changes whose networks the simulation gives up have rows of NA, and are told in a warning; an error where these are all.
tell_refused <- function(changes, after) {
  refused <- which(vapply(after, inherits, NA, "condition"))
  if (length(refused) == 0L) return(invisible())
  if (length(refused) == length(after)) stop(after[[1L]])
  warn("convergence", sprintf(
    "%s without an answer (rows of NA). The first, of %s: %s", count_of(length(refused), "change"),
    quote_some(changes[[refused[[1L]]]]$node), conditionMessage(after[[refused[[1L]]]])
  ))
}

# An abbreviation reaches steady_state()'s argument as well.
refuse_shard <- function(given) {
  given <- given[names(given) %in% c("sh", "sha", "shar", "shard")]
  if (!all(vapply(given, is.null, NA))) {
    abort_argument("`shard` is not for sensitivities: differences of parts do not add up. Divide the changes by `nodes` instead.")
  }
}

# A function that puts R's generator back to where it is now.
undo_draws <- function() {
  state <- get0(".Random.seed", globalenv(), inherits = FALSE)
  function() {
    if (is.null(state)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", state, globalenv())
  }
}

once_told <- function(told, expr) {
  withCallingHandlers(
    expr, fireflip_warning_precision = function(condition) if (told) invokeRestart("muffleWarning"),
    fireflip_message_method = function(condition) if (told) invokeRestart("muffleMessage")
  )
}

# The seed of one of several runs: another one for each pair of seed and number, but for a chance of 2^-53.
derived_seed <- function(seed, run) .Call(ffi_derived_seed, seed, as.double(run))

# A row a set; for `p_adjusted` stands how far the interval reaches towards 0, until all rows are there.
sensitivity_rows <- function(change, what, before, after) {
  exact <- attr(before, "run")$method == "exact" && identical(attr(after, "run")$method, "exact")
  if (inherits(after, "condition")) {
    after <- before
    after[c("probability", "lower", "upper")] <- NA_real_
  }
  difference <- after$probability - before$probability
  # the interval of a difference from those of its two independent parts, which need not be symmetric (Zou and Donner 2008)
  below <- sqrt((after$probability - after$lower)^2 + (before$upper - before$probability)^2)
  above <- sqrt((after$upper - after$probability)^2 + (before$probability - before$lower)^2)
  data.frame(
    change = change, node = what$node, predictor = what$predictor, value = what$value, set = before$set,
    probability = before$probability, changed = after$probability, difference = difference,
    lower = pmax(-1, difference - below), upper = pmin(1, difference + above),
    p_adjusted = ifelse(difference > 0, below, above),
    method = if (exact) "exact" else "simulation"
  )
}

exact_rounding <- 1e-10 # an exact difference below this is none

# Two-sided p-values by a normal distribution, with Holm's correction for their number. `reach` is how far an interval reaches
# towards 0: so p is below 1 - confidence before the correction where the interval leaves 0 out. What has no reach is no
# estimate and is not tested: it is 0 or it is not.
adjusted_p <- function(difference, reach, confidence) {
  p <- as.double(abs(difference) <= exact_rounding)
  tested <- which(reach > 0)
  error <- reach[tested] / stats::qnorm(0.5 + confidence / 2)
  p[tested] <- stats::p.adjust(2 * stats::pnorm(-abs(difference[tested]) / error), "holm")
  p
}

# Nodes that can matter and are not constants already.
changeable_nodes <- function(model, sets) {
  kept <- reduce_network(model, sets)$nodes
  match(setdiff(kept, model$nodes[held_nodes(model)]), model$nodes)
}

one_change <- function(model, node, predictor, value) list(model = model, node = node, predictor = predictor, value = value)

node_changes <- function(model, index) {
  unlist(lapply(model$nodes[index], function(node) {
    lapply(0:1, function(value) one_change(fix_nodes(model, stats::setNames(value, node)), node, NA_integer_, as.double(value)))
  }), recursive = FALSE)
}

selection_changes <- function(model, index, by) {
  if (!is.null(model$contexts)) abort_argument("`change` = \"selection\" needs an independent network; found a dependent one.")
  unlist(lapply(index, function(i) {
    at <- which(model$rules$node == i)
    if (length(at) < 2L) return(NULL)
    lapply(seq_along(at), function(j) {
      old <- model$rules$probability[at]
      new <- min(old[[j]] + by, 1)
      changed <- model
      changed$rules$probability[at] <- old * (1 - new) / (1 - old[[j]])
      changed$rules$probability[at[[j]]] <- new
      keep <- changed$rules$probability > 0
      changed$rules <- changed$rules[keep, , drop = FALSE]
      rownames(changed$rules) <- NULL
      one_change(changed, model$nodes[[i]], j, new)
    })
  }), recursive = FALSE)
}

predictor_changes <- function(model, index) {
  unlist(lapply(index, function(i) {
    at <- which(model$rules$node == i)
    lapply(seq_along(at), function(j) {
      changed <- model
      changed$rules$predictor[[at[[j]]]] <- paste0("!(", model$rules$predictor[[at[[j]]]], ")")
      one_change(changed, model$nodes[[i]], j, NA_real_)
    })
  }), recursive = FALSE)
}

perturbation_changes <- function(model, by) {
  p <- model$perturbation * (1 + by)
  if (p >= 1) {
    abort_argument(sprintf("`by` = %g would raise the perturbation probability to %g, and it must stay below 1.", by, p))
  }
  if (p == 0) abort_argument("`change` = \"perturbation\" needs a network with perturbation; found p = 0.")
  changed <- model
  changed$perturbation <- p
  list(one_change(changed, NA_character_, NA_integer_, p))
}
