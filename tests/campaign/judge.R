# Judges the estimator: one row per case of tests/campaign/families.R, and one line per family.
#
# The exact method gives the exact value. If the whole network has at most 2^8 states, the oracle computes it as well,
# independently, and the two must agree to 1e-9. The oracle also gives the width that an interval must have: z sqrt(within / N +
# between / M) for N samples of M trajectories. Here `within` is the asymptotic variance of a trajectory's average, and `between`
# is the variance of the means of the attractors in which it may end.

# Warnings that do not concern the answer.
not_about_the_answer <- "fireflip_warning_backend"

# The value of an estimate with its warnings, or the condition that refused it.
attempt <- function(expr) {
  warned <- character()
  value <- withCallingHandlers(
    tryCatch(expr, fireflip_error_convergence = function(condition) condition),
    fireflip_warning = function(condition) {
      kind <- grep("^fireflip_warning_", class(condition), value = TRUE)
      warned <<- union(warned, setdiff(kind, not_about_the_answer))
      invokeRestart("muffleWarning")
    }
  )
  list(value = value, warned = warned, refused = inherits(value, "condition"))
}

# A result is uncertain if its run has a doubt.
marked_uncertain <- function(value) {
  !is.null(attr(value, "run")$doubt)
}

# A question: the call that answers it, the column with the answer, and the one or two long-run means (`parts`) from which it is
# computed. Each part has a network, the expressions for reduce_network(), and the function that is averaged.
question <- function(net, ask) {
  of_set <- function(net) list(net = net, keep = ask$set, f = function(net) set_function(ask$set))
  switch(ask$what,
    set = list(call = function(...) steady_state(net, ask$set, ...), column = "probability", parts = list(of_set(net))),
    influence = list(
      call = function(...) long_run_influence(net, ask$from, ask$to, ...), column = "influence",
      parts = list(list(net = net, keep = ask$to, f = function(net) influence_function(net, ask$from, ask$to)))
    ),
    sensitivity = {
      call <- function(...) { # one row: the others share the simulation of the unchanged network
        nodes <- if (ask$change != "perturbation") ask$node
        out <- long_run_sensitivity(net, ask$set, change = ask$change, nodes = nodes, by = ask$by, ...)
        out[min(ask$row, nrow(out)), ]
      }
      changed <- changed_network(net, call(method = "exact"), ask$by)
      list(call = call, column = "difference", parts = list(of_set(net), of_set(changed)))
    }
  )
}

# The oracle's results for the parts, each a network and a function; NULL if one has more than `most` states.
oracle_of <- function(parts, most, reduce = TRUE, variance = TRUE) {
  answers <- lapply(parts, function(part) {
    net <- if (reduce) reduce_network(part$net, part$keep) else part$net
    many <- net$perturbation > 0 || anyNA(net$initial) # otherwise few states can be reached
    if (many && 2^length(net$nodes) > most) return(NULL)
    oracle_answer(net, part$f(net), variance)
  })
  if (any(vapply(answers, is.null, NA))) NULL else answers
}

# Half the width that the number of samples implies. A sensitivity does not report its samples, so its two parts are run again to
# find their number.
ideal_width <- function(answers, parts, value, options) {
  if (is.null(answers)) return(NA_real_)
  if (length(parts) == 2L) {
    options$precision <- options$precision / sqrt(2)
    value <- lapply(parts, function(part) attempt(do.call(steady_state, c(list(part$net, part$keep), options)))$value)
    if (any(vapply(value, inherits, NA, "condition"))) return(NA_real_)
  } else {
    value <- list(value)
  }
  variance <- mapply(function(answer, row) answer$within / row$samples + answer$between / row$trajectories, answers, value)
  stats::qnorm(0.975) * sqrt(sum(variance))
}

# The precision that a call asks for is that of the case. If `budget` samples cannot reach it, it is the precision that they can
# reach, at most .1. The number of samples follows from the asymptotic variance. If a network is too large for the oracle, a slow
# mode that is forgotten in 1 / p steps is assumed.
affordable <- function(one, truth, answers, update, p) {
  budget <- if (update == "synchronous") 2e7 else 2e6 # about a second of one thread
  variance <- if (is.null(answers) || max(vapply(answers, `[[`, 0, "states")) > 2^8) {
    if (p > 0) 2 * truth * (1 - truth) / p else 0
  } else {
    sum(vapply(answers, function(answer) answer$within + answer$between, 0))
  }
  least <- stats::qnorm(0.975) * sqrt(max(variance, 0) / budget)
  max(one$options$precision, min(0.1, signif(least, 2)))
}

# The numbers of the first `n` cases of a family that take little time: small networks with frequent perturbations. Some families
# take little time with more nodes: few states can follow, or few nodes affect the question.
quick_cases <- function(family, n, least_p = c(synchronous = 1e-3, asynchronous = 2e-3), most_nodes = 8L) {
  large <- c(oscillators = 10L, choices_under_flips = 60L, heads_in_a_row = 100L, masked_pairs = 11L)
  if (family %in% names(large)) most_nodes <- large[[family]]
  found <- integer()
  i <- 0L
  while (length(found) < n) {
    i <- i + 1L
    net <- network_case(family, i)$net
    if (length(net$nodes) <= most_nodes && (net$perturbation == 0 || net$perturbation >= least_p[[net$update]])) {
      found <- c(found, i)
    }
  }
  found
}

# Runs case number i of a family; returns one row, or NULL if the exact method has no answer.
# `most_states` limits the oracle's work: the interval's width is not judged for
# networks with more states. The precision that is asked for is not finer than `finest`.
judge_case <- function(family, i, most_states = 2^11, finest = 0) {
  one <- network_case(family, i)
  net <- one$net
  asked <- question(net, one$ask)
  truth <- tryCatch(asked$call(method = "exact")[[asked$column]], fireflip_error_convergence = function(condition) NULL)
  if (is.null(truth)) return(NULL) # the solver stopped before its last digits, so there is nothing to compare with
  own <- if (is.null(one$truth)) oracle_of(asked$parts, 2^8, reduce = FALSE, variance = FALSE)
  own <- if (!is.null(one$truth)) one$truth else if (is.null(own)) NA_real_ else {
    if (length(own) == 2L) own[[2L]]$truth - own[[1L]]$truth else own[[1L]]$truth
  }
  answers <- if (is.null(one$truth)) oracle_of(asked$parts, most_states) # else there are too many nodes for the oracle's rows
  total <- function(field) if (is.null(answers)) NA_real_ else sum(vapply(answers, `[[`, 0, field))

  one$options$precision <- max(finest, affordable(one, abs(truth), answers, net$update, net$perturbation))
  options <- c(one$options, list(method = "simulation", backend = "cpu", threads = 1, seed = i))
  started <- proc.time()[["elapsed"]]
  got <- attempt(do.call(asked$call, options))
  seconds <- proc.time()[["elapsed"]] - started
  row <- data.frame(
    family = family, network = i, nodes = length(net$nodes), update = net$update, p = net$perturbation,
    start = if (!anyNA(net$initial)) "given" else if (all(is.na(net$initial))) "random" else "some",
    what = paste(one$ask, collapse = "; "), precision = one$options$precision, exact = truth, oracle = own,
    within = total("within"), between = total("between"), classes = total("classes"), states = total("states"),
    answered = !got$refused, warned = paste(got$warned, collapse = " "), plain = FALSE, estimate = NA_real_, lower = NA_real_,
    upper = NA_real_, certain = NA, held = NA, error = NA_real_, ratio = NA_real_, samples = NA_real_, trajectories = NA_real_,
    burn_in = NA_real_, visited = NA_character_, seconds = seconds
  )
  if (got$refused) {
    row$warned <- conditionMessage(got$value)
    return(row)
  }
  value <- got$value
  slack <- 1e-9 # error of the exact solver
  width <- (value$upper - value$lower) / 2
  row$estimate <- value[[asked$column]]
  row$lower <- value$lower
  row$upper <- value$upper
  row$plain <- length(got$warned) == 0L && !marked_uncertain(value)
  row$held <- truth >= value$lower - slack && truth <= value$upper + slack
  row$certain <- width == 0 || isTRUE(row$within + row$between == 0)
  row$error <- abs(row$estimate - truth) / max(width, slack)
  all <- as.data.frame(value, run = TRUE)
  for (column in intersect(names(all), c("samples", "trajectories", "burn_in", "visited"))) row[[column]] <- all[[column]]
  # If an expression never varied, its interval is a bound, and its width does not follow from a variance. The same holds if it is
  # so rare that its own error exceeds it.
  if (row$plain && !row$certain && !row$visited %in% c("never", "always")) {
    ideal <- ideal_width(answers, asked$parts, value, options)
    rare <- one$ask$what != "sensitivity" && isTRUE(ideal > min(truth, 1 - truth))
    if (!rare) row$ratio <- width / ideal
  }
  row
}

# One line of the table. An answer is certain if its interval has no width or if it does not depend on chance. Certain answers
# must all be correct; they do not count in the coverage.
judge_family <- function(rows) {
  plain <- rows[rows$plain, ]
  chancy <- plain[!plain$certain, ]
  data.frame(
    family = rows$family[[1L]], n = nrow(rows), answered = mean(rows$answered), plain = mean(rows$plain),
    judged = nrow(chancy), missed = sum(!chancy$held), covered = mean(chancy$held), certain = sum(plain$certain),
    certain_missed = sum(!plain$held[plain$certain]), width = mean(chancy$ratio, na.rm = TRUE),
    median = stats::median(chancy$ratio, na.rm = TRUE),
    worst = suppressWarnings(max(chancy$error)), kept = mean((plain$upper - plain$lower) / 2 <= 1.02 * plain$precision),
    oracle = sum(abs(rows$exact - rows$oracle) > 1e-9, na.rm = TRUE), seconds = sum(rows$seconds)
  )
}

# The share of networks that must be answered without a warning. Long runs of heads may be too rare for any simulation.
least_plain <- function(family) if (family == "heads_in_a_row") 0.6 else 0.8

# Returns texts that say what is wrong with a line of the table; none if all is well. A correct 95% interval contains the exact
# value in 285 +- 3.8 of 300 cases, so 92.5% and 97.5% are two standard deviations away. With fewer cases the standard deviation
# is larger.
family_failures <- function(line) {
  room <- 0.025 * sqrt(300 / line$n)
  found <- c(
    if (line$oracle > 0) sprintf("the exact method and the oracle differ on %d networks", line$oracle),
    if (line$plain < least_plain(line$family)) {
      sprintf("%.1f%% are answered without a warning, at least %.0f%% should be", 100 * line$plain,
        100 * least_plain(line$family))
    },
    if (line$certain_missed > 0) sprintf("%d of %d certain answers are wrong", line$certain_missed, line$certain),
    if (line$judged > 0 && abs(line$covered - 0.95) > room + 1e-9) {
      sprintf("the coverage is %.1f%%, and not %.1f to %.1f%%", 100 * line$covered, 95 - 100 * room, min(100, 95 + 100 * room))
    },
    if (isTRUE(line$width > 1.5)) sprintf("intervals are %.2f times as wide as needed, 1.5 is allowed", line$width),
    if (isTRUE(line$kept < 1)) sprintf("%.1f%% of the answers have the requested precision, all should have it", 100 * line$kept)
  )
  if (length(found) > 0L) paste0(line$family, ": ", found)
}
