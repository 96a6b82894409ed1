# The oracle computes a network's Markov chain in plain R, without fireflip's core and parser. It gives the long-run mean from the
# network's initial states, and the variance of a trajectory's time average.
#
# R itself evaluates the predictor functions. In the grammar, operators bind in the order not, and, xor, or. R's operators !, &,
# |, ~ bind in the same order. So ^ in the text becomes | and | becomes ~, and these two are redefined as xor and or.
grammar <- list2env(list(
  `!` = function(a) base::`!`(a),
  `&` = function(a, b) base::`&`(a, b),
  `|` = function(a, b) xor(a, b),
  `~` = function(a, b) base::`|`(a, b),
  `(` = base::`(`,
  .table = function(bits, ...) {
    row <- 0
    for (value in list(...)) row <- 2 * row + value
    strsplit(bits, "")[[1L]][row + 1] == "1"
  }
), parent = baseenv())

# The value of an expression in each state. `states` is a logical matrix with one row per state and one column per node.
oracle_value <- function(text, states) {
  text <- gsub("\\bf\\(([^(){}]*)\\)\\{([01]+)\\}", ".table(\"\\2\", \\1)", text)
  columns <- lapply(seq_len(ncol(states)), function(i) states[, i])
  where <- list2env(stats::setNames(columns, colnames(states)), parent = grammar)
  rep_len(as.logical(eval(str2lang(chartr("^|", "|~", text)), where)), nrow(states))
}

# The states with these numbers. The first node is the lowest bit.
oracle_states <- function(nodes, numbers) {
  states <- vapply(seq_along(nodes), function(i) (numbers %/% 2^(i - 1)) %% 2 == 1, logical(length(numbers)))
  matrix(states, length(numbers), length(nodes), dimnames = list(NULL, nodes))
}

# For each row, the probabilities of all 2^n states if node i is on with on[, i] and off with off[, i], independently.
product_rows <- function(off, on) {
  out <- matrix(1, nrow(on), 1L)
  for (i in seq_len(ncol(on))) out <- cbind(out * off[, i], out * on[, i])
  out
}

# Per context: its probability, and the value of each node's chosen function. An independent network has no contexts.
oracle_contexts <- function(net, values) {
  first <- match(seq_along(net$nodes), net$rules$node) - 1L
  lapply(seq_along(net$contexts$probability), function(k) {
    list(weight = net$contexts$probability[[k]], values = values[, first + net$contexts$predictor[k, ], drop = FALSE])
  })
}

# The rows of the transition matrix for the states with these numbers; the columns are all 2^n states.
oracle_rows <- function(net, numbers) {
  n <- length(net$nodes)
  states <- oracle_states(net$nodes, numbers)
  values <- vapply(net$rules$predictor, oracle_value, logical(length(numbers)), states = states, USE.NAMES = FALSE)
  values <- matrix(values, length(numbers))
  if (is.null(net$contexts)) {
    # on and off are summed separately, so that an impossible value has probability 0 and not 1e-16
    of_node <- outer(net$rules$node, seq_len(n), "==") * net$rules$probability
    choices <- list(list(weight = 1, on = values %*% of_node, off = (!values) %*% of_node))
  } else {
    choices <- lapply(oracle_contexts(net, values), function(one) {
      list(weight = one$weight, on = one$values * 1, off = (!one$values) * 1)
    })
  }
  removed <- net$removed[["nodes"]]
  row <- seq_along(numbers)
  update <- matrix(0, length(numbers), 2^n)
  for (choice in choices) {
    if (net$update == "synchronous") {
      update <- update + choice$weight * product_rows(choice$off, choice$on)
      next
    }
    for (i in seq_len(n)) {
      without <- numbers - states[, i] * 2^(i - 1)
      for (value in 0:1) {
        at <- cbind(row, without + value * 2^(i - 1) + 1)
        update[at] <- update[at] + choice$weight / (n + removed) * (if (value == 1) choice$on[, i] else choice$off[, i])
      }
    }
  }
  here <- cbind(row, numbers + 1)
  if (net$update == "asynchronous") update[here] <- update[here] + removed / (n + removed)
  p <- ifelse(net$exempt, 0, net$perturbation)
  if (all(p == 0) && net$removed[["perturbed"]] == 0) return(update)
  flip <- matrix(p, length(numbers), n, byrow = TRUE)
  out <- product_rows(ifelse(states, flip, 1 - flip), ifelse(states, 1 - flip, flip))
  none <- prod(1 - p)
  none_removed <- (1 - net$perturbation)^net$removed[["perturbed"]]
  out[here] <- none * (1 - none_removed) # a removed node flips, and nothing else happens
  out + none * none_removed * update
}

# The chain of the states that can be reached from the initial states, and the initial distribution on them.
oracle_chain <- function(net) {
  start <- 0
  for (i in seq_along(net$nodes)) {
    value <- net$initial[[i]]
    start <- c(outer(start, (if (is.na(value)) 0:1 else value) * 2^(i - 1), "+"))
  }
  numbers <- NULL
  rows <- list()
  new <- start
  while (length(new) > 0L) {
    more <- oracle_rows(net, new)
    rows <- c(rows, list(more))
    numbers <- c(numbers, new)
    new <- setdiff(which(colSums(more) > 0) - 1, numbers)
  }
  list(
    P = do.call(rbind, rows)[, numbers + 1, drop = FALSE], start = (numbers %in% start) / length(start),
    states = oracle_states(net$nodes, numbers), numbers = numbers
  )
}

# Which states can be reached from `from`; with `back`, which states can reach it.
reached <- function(arrows, from, back = FALSE) {
  seen <- logical(nrow(arrows))
  seen[from] <- TRUE
  new <- from
  while (length(new) > 0L) {
    next_to <- if (back) rowSums(arrows[, new, drop = FALSE]) > 0 else colSums(arrows[new, , drop = FALSE]) > 0
    new <- which(next_to & !seen)
    seen[new] <- TRUE
  }
  seen
}

# The recurrent classes, as vectors of row numbers. A walk that always continues to states that cannot return ends in one.
recurrent_classes <- function(P) {
  arrows <- P > 0
  classes <- list()
  open <- rep(TRUE, nrow(P)) # states that cannot reach a class found so far, as far as is known
  while (any(open)) {
    at <- which(open)[[1L]]
    repeat {
      ahead <- reached(arrows, at)
      lost <- which(ahead & !reached(arrows, at, back = TRUE))
      if (length(lost) == 0L) break
      at <- lost[[1L]]
    }
    classes <- c(classes, list(which(ahead)))
    open <- open & !reached(arrows, which(ahead), back = TRUE)
  }
  classes
}

# The stationary distribution of an irreducible chain, by the algorithm of Grassmann, Taksar and Heyman. It does not subtract, so
# all digits are correct however rare the transitions are. Large chains are solved by elimination.
stationary <- function(P) {
  n <- nrow(P)
  if (n == 1L) return(1)
  if (n > 512L) {
    A <- generator(P)
    last <- solve(t(A[-1L, -1L]), P[1L, -1L], tol = 0)
    return(c(1, last) / (1 + sum(last)))
  }
  for (k in n:2) {
    to <- seq_len(k - 1L)
    P[to, k] <- P[to, k] / sum(P[k, to])
    if (k > 2L) P[to, to] <- P[to, to] + P[to, k] %o% P[k, to]
  }
  out <- c(1, numeric(n - 1L))
  for (k in 2:n) out[[k]] <- sum(out[seq_len(k - 1L)] * P[seq_len(k - 1L), k])
  out / sum(out)
}

# I - P; each diagonal element is the sum of the probabilities of leaving.
generator <- function(P) {
  diag(P) <- 0
  A <- -P
  diag(A) <- rowSums(P)
  A
}

# The asymptotic variance of f: the variance of its time average over N steps is this number / N for large N. It is 2 pi(g h) -
# pi(g^2), where g is f minus its mean and h solves Poisson's equation (I - P) h = g.
asymptotic_variance <- function(P, share, f) {
  g <- f - sum(share * f)
  if (max(abs(g)) < 1e-14) return(0)
  r <- which.max(share)
  h <- numeric(nrow(P))
  h[-r] <- solve(generator(P)[-r, -r, drop = FALSE], g[-r], tol = 0)
  value <- 2 * sum(share * g * h) - sum(share * g^2)
  if (value < 1e-13) 0 else value # a cycle without noise has none
}

# The long-run mean of f (one number per state), and the variances of a trajectory's average: `within` is the asymptotic variance
# within the classes, `between` the variance of the classes' means. `want` selects which are computed.
oracle_answer <- function(net, f, variance = TRUE) {
  chain <- oracle_chain(net)
  classes <- recurrent_classes(chain$P)
  class_of <- integer(nrow(chain$P))
  for (k in seq_along(classes)) class_of[classes[[k]]] <- k
  ends <- vapply(seq_along(classes), function(k) sum(chain$start[class_of == k]), 0)
  passing <- which(class_of == 0L)
  if (length(passing) > 0L && length(classes) > 1L) {
    into <- vapply(classes, function(class) rowSums(chain$P[passing, class, drop = FALSE]), numeric(length(passing)))
    A <- generator(chain$P)[passing, passing, drop = FALSE]
    ends <- ends + c(chain$start[passing] %*% solve(A, matrix(into, length(passing)), tol = 0))
  } else if (length(passing) > 0L) {
    ends <- 1
  }
  value <- f(chain$states) * 1
  of_class <- lapply(classes, function(class) {
    P <- chain$P[class, class, drop = FALSE]
    share <- stationary(P)
    c(mean = sum(share * value[class]), within = if (variance) asymptotic_variance(P, share, value[class]) else NA_real_)
  })
  mean <- vapply(of_class, `[[`, 0, "mean")
  truth <- sum(ends * mean)
  between <- sum(ends * (mean - truth)^2)
  list(
    truth = truth, within = sum(ends * vapply(of_class, `[[`, 0, "within")), between = if (between < 1e-20) 0 else between,
    classes = length(classes), states = nrow(chain$P), ends = ends
  )
}

# The function that is averaged for a state set, and for the influence of one node on another.
set_function <- function(set) function(states) oracle_value(set, states)

influence_function <- function(net, from, to) {
  function(states) {
    flipped <- states
    flipped[, from] <- !flipped[, from]
    differ <- vapply(net$rules$predictor, function(text) oracle_value(text, states) != oracle_value(text, flipped),
      logical(nrow(states)), USE.NAMES = FALSE)
    differ <- matrix(differ, nrow(states))
    to <- match(to, net$nodes)
    if (!is.null(net$contexts)) {
      return(Reduce(`+`, lapply(oracle_contexts(net, differ), function(one) one$weight * one$values[, to])))
    }
    c(differ %*% (net$rules$probability * (net$rules$node == to)))
  }
}

# The network that a row of long_run_sensitivity() refers to, made from the contents of the row.
changed_network <- function(net, row, by) {
  i <- match(row$node, net$nodes)
  at <- which(net$rules$node %in% i)
  if (row$change == "node") {
    net$rules <- net$rules[!net$rules$node %in% i, ]
    net$rules <- rbind(net$rules, data.frame(node = i, predictor = as.character(row$value), probability = 1))
    net$rules <- net$rules[order(net$rules$node), ]
    net$exempt[[i]] <- TRUE
    net$initial[[i]] <- as.integer(row$value)
    if (!is.null(net$contexts)) net$contexts$predictor[, i] <- 1L
  } else if (row$change == "selection") {
    old <- net$rules$probability[at]
    new <- min(1, old[[row$predictor]] + by)
    net$rules$probability[at] <- old * (1 - new) / (1 - old[[row$predictor]])
    net$rules$probability[[at[[row$predictor]]]] <- new
    net$rules <- net$rules[net$rules$probability > 0, ]
  } else if (row$change == "predictor") {
    j <- at[[row$predictor]]
    net$rules$predictor[[j]] <- paste0("!(", net$rules$predictor[[j]], ")")
  } else {
    net$perturbation <- net$perturbation * (1 + by)
  }
  rownames(net$rules) <- NULL
  net
}
