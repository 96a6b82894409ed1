#' Long-run sensitivity to a change of the network
#'
#' Computes how the long-run probabilities of state sets change if the network is changed: if a node is fixed at 0 or 1, if a
#' selection probability is raised, if a predictor function is negated, or if the perturbation probability is scaled.
#'
#' @param model A network of class `pbn`.
#' @param states State sets, as in [steady_state()].
#' @param change What to change:
#'   * `"node"`: each node is fixed at 0, and at 1 (see [fix_nodes()]);
#'   * `"selection"`: each selection probability of a node with several predictor functions is raised by `by` (at most to 1),
#'     and the other probabilities of the node are reduced in proportion;
#'   * `"predictor"`: each predictor function is replaced by its negation;
#'   * `"perturbation"`: p is multiplied by `1 + by`.
#' @param nodes Names or numbers of the nodes to change. With `NULL` (the default), all nodes that can affect the sets and are
#'   not held at a value (by [fix_nodes()], or as an exempt input with an initial value). Not used for `"perturbation"`.
#' @param by Size of the change for `"selection"` and `"perturbation"`. Default 0.1.
#' @param precision Requested half-width of the confidence interval of a difference. Default 0.001.
#' @param seed A whole number from 0 to 2^53, or `NULL` to draw one from R's generator. Each network, including the unchanged
#'   one, is simulated with its own seed, which is derived from `seed` and the number of the run.
#' @inheritParams steady_state
#' @param ... Further arguments of [steady_state()], except `shard`: differences between parts of runs do not add up to the
#'   difference between the runs.
#'
#' @returns A data frame of class `long_run_sensitivity` with a row for each change and set. Its columns are `change`, `node`,
#'   `predictor` (its number within the node), `value` (the new value of what was changed), `set`, `probability` (before the
#'   change), `changed` (the probability after the change), `difference`, `lower`, `upper`, `p_adjusted` and `method` (`"exact"`
#'   if both probabilities are exact). `summary()` returns a data frame with a row per change, ordered by the largest absolute
#'   difference: this difference with its sign and set, and two norms over the sets (largest and sum of absolute differences).
#'
#' A node that is fixed is no longer perturbed. In a step in which any node is perturbed, no node is updated. Fixing a node
#' therefore changes probabilities by an amount of the order of the perturbation probability, even if the node has no other
#' effect.
#'
#' If the simulation of a changed network does not converge, its rows are `NA` and there is a warning of class
#' `fireflip_warning_convergence`.
#' @section Multiple comparisons:
#' `lower` and `upper` are the confidence interval of a single difference. Of 100 changes without effect, about 5 have a 95%
#' interval that does not contain 0. `p_adjusted` is a two-sided p-value with Holm's correction ([stats::p.adjust()]) for all
#' estimated differences in the result: the probability that `p_adjusted` is below 0.05 for any change without effect is at most
#' about 0.05. The p-values assume a normal distribution of the difference. Its standard error is computed from the side of the
#' interval that faces 0. Two kinds of differences are not estimated: exact differences, and differences of values that are
#' certain before and after the change. They are not tested and do not count as comparisons. For them `p_adjusted` is 0 if there
#' is a difference (above 1e-10), and 1 if there is none. All differences are relative to the same run of the unchanged network.
#' Holm's correction is valid for such dependent comparisons.
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
  check_parts(model)
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
  if (length(changes) == 0L) abort_argument(sprintf("`change` = \"%s\", but %s.", change, nothing_to_change[[change]]))
  estimate <- function(model, i) {
    # no warning for a set that the change makes constant, and the message about the method only once
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
  class(out) <- c("long_run_sensitivity", "data.frame")
  structure(out, run = list(
    keys = row_keys(out), method = if (exact) "exact" else "simulation", model = model, sets = sets, change = change,
    precision = precision, confidence = confidence, seed = if (!exact) seed, doubt = if (length(doubts) > 0L) doubts[[1L]],
    forgets = attr(before, "run")$forgets, machine = all_notes(
      lapply(Filter(is.data.frame, results), attr, "run"), seconds = proc.time()[["elapsed"]] - started
    )
  ))
}

nothing_to_change <- c(
  node = "no node can be set to a value that changes anything", selection = "no node has several predictor functions",
  predictor = "no node has a predictor function that can be inverted", perturbation = "the network has no perturbation"
)

# Warns about changes whose simulation did not converge. Their rows are NA. It is an error if this is so for all changes.
tell_refused <- function(changes, after) {
  refused <- which(vapply(after, inherits, NA, "condition"))
  if (length(refused) == 0L) return(invisible())
  if (length(refused) == length(after)) stop(after[[1L]])
  warn("convergence", sprintf(
    "%s without an answer (rows of NA). The first, of %s: %s", count_of(length(refused), "change"),
    quote_some(changes[[refused[[1L]]]]$node), conditionMessage(after[[refused[[1L]]]])
  ))
}

# `shard` may be abbreviated, as in steady_state().
refuse_shard <- function(given) {
  given <- given[names(given) %in% c("sh", "sha", "shar", "shard")]
  if (!all(vapply(given, is.null, NA))) {
    abort_argument("`shard` is not supported: differences between parts do not add up. Use `nodes` to divide the changes.")
  }
}

# Returns a function that restores the current state of R's generator.
undo_draws <- function() {
  state <- get0(".Random.seed", globalenv(), inherits = FALSE)
  function() {
    if (is.null(state)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", state, globalenv())
  }
}

once_told <- function(told, expr) {
  withCallingHandlers(
    expr, fireflip_warning_precision = function(condition) if (told) invokeRestart("muffleWarning"),
    fireflip_warning_unchanged = function(condition) if (told) invokeRestart("muffleWarning"),
    fireflip_message_method = function(condition) if (told) invokeRestart("muffleMessage")
  )
}

# The seed of one of several runs. Different pairs of seed and number have different seeds, except with probability 2^-53.
derived_seed <- function(seed, run) .Call(ffi_derived_seed, seed, as.double(run))

# One row per set. `p_adjusted` holds the half-width of the interval on the side of 0 until all rows are present.
sensitivity_rows <- function(change, what, before, after) {
  exact <- attr(before, "run")$method == "exact" && identical(attr(after, "run")$method, "exact")
  if (inherits(after, "condition")) {
    after <- before
    after[c("probability", "lower", "upper")] <- NA_real_
  }
  difference <- after$probability - before$probability
  # interval of a difference from the intervals of its independent parts, which may be asymmetric (Zou and Donner 2008)
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

exact_rounding <- 1e-10 # smaller exact differences count as 0

# Two-sided p-values of a normal distribution, with Holm's correction. `reach` is the half-width of the interval on the side of 0,
# so that p before the correction is below 1 - confidence if the interval does not contain 0. A row without a reach is not an
# estimate, and is not tested.
adjusted_p <- function(difference, reach, confidence) {
  p <- as.double(abs(difference) <= exact_rounding)
  tested <- which(reach > 0)
  error <- reach[tested] / stats::qnorm(0.5 + confidence / 2)
  p[tested] <- stats::p.adjust(2 * stats::pnorm(-abs(difference[tested]) / error), "holm")
  p
}

# Nodes that can affect the sets and are not constant already.
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
    abort_argument(sprintf("`by` = %g would raise the perturbation probability to %g, but it must be below 1.", by, p))
  }
  if (p == 0) abort_argument("`change` = \"perturbation\" needs a network with perturbation; found p = 0.")
  changed <- model
  changed$perturbation <- p
  list(one_change(changed, NA_character_, NA_integer_, p))
}
