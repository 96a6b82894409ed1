# The families of networks on which the estimator is judged. Each is a function of i alone. It returns a case: a network (`net`),
# the question (`ask`), the `options` of the call, and the `truth` if that is known without the oracle. All networks can be solved
# exactly: they are small, or what affects the question is small, or few states can follow their start.

seeded <- function(family, i, expr) {
  set.seed(1e5 * family + i, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expr # evaluated here, because R evaluates arguments lazily
}

log_uniform <- function(from, to) exp(stats::runif(1, log(from), log(to)))
one_of <- function(...) sample(list(...), 1L)[[1L]]
chance <- function(probability) stats::runif(1) < probability
size <- function(from, to) { # the largest size is the rarest, because its exact answer takes longest
  sizes <- from:to
  sizes[[sample.int(length(sizes), 1L, prob = rev(seq_along(sizes)))]]
}
either_update <- function() one_of("synchronous", "asynchronous")

given_start <- function(net, values = sample(0:1, length(net$nodes), TRUE)) {
  set_initial(net, stats::setNames(values, net$nodes))
}

# A conjunction of k nodes or their negations.
literals <- function(nodes, k) {
  paste0(sample(c("", "!"), k, TRUE), nodes[sample.int(length(nodes), k)], collapse = " & ")
}

exact_value <- function(net, set) steady_state(net, set, method = "exact")$probability

# A set whose long-run probability lies between `least` and `most`, if one is found in a few draws.
set_between <- function(net, least, most, draw = function() literals(net$nodes, sample(min(2L, length(net$nodes)), 1L))) {
  for (attempt in 1:8) {
    set <- draw()
    value <- exact_value(net, set)
    if (value >= least && value <= most) break
  }
  set
}

case <- function(net, set, ...) {
  list(net = net, ask = list(what = "set", set = set), options = list(precision = one_of(1e-2, 5e-3, 2e-3), ...))
}

# ---- networks that mix well -----------------------------------------------------------------------------------------

well_mixing <- function(i) {
  update <- either_update()
  n <- size(3, 10)
  net <- random_pbn(n, c(1, 3), c(1, 3), perturbation = log_uniform(1e-2, 0.2), update = update, contexts = one_of(0, 0, 0, 0, 4))
  net$exempt <- stats::runif(n) < 0.15
  if (chance(0.2)) net <- given_start(net)
  layout <- if (update == "synchronous") one_of("sliced", "packed") else "packed"
  case(net, literals(net$nodes, min(2, n)), layout = layout, reduce = chance(2 / 3))
}

small_p <- function(i) {
  net <- random_pbn(size(4, 11), c(1, 2), c(1, 3), perturbation = log_uniform(1e-6, 1e-2), update = either_update())
  if (chance(0.5)) net <- given_start(net)
  case(net, set_between(net, 0.01, 0.99))
}

# ---- slow modes that the set hardly reflects ------------------------------------------------------------------------

# A latch: its rules, an expression that tells its two basins apart, and whether all nodes must be updated together.
slow_latch <- function() {
  k <- sample(2:4, 1L)
  s <- paste0("s", seq_len(k))
  all_of <- function(join) stats::setNames(rep(list(paste(s, collapse = join)), k), s)
  one_of(
    list(rules = all_of(" & "), basin = "s1"),
    list(rules = all_of(" | "), basin = "s1"),
    list(rules = list(s1 = "s1 | s2", s2 = "!s1 & s2 | s1 & s2"), basin = one_of("s1", "s2", "s1 & s2")), # a barrier
    list(rules = stats::setNames(as.list(paste0("!", s[1:2])), s[1:2]), basin = "(s1 ^ s2)", together = TRUE), # a parity
    list(rules = list(s1 = "s1"), basin = "s1"),
    list(rules = stats::setNames(as.list(s), s), basin = paste0("(", paste(s, collapse = " ^ "), ")"))
  )
}

hidden_slow <- function(i) {
  latch <- slow_latch()
  update <- if (isTRUE(latch$together)) "synchronous" else one_of("synchronous", "synchronous", "asynchronous")
  weight <- 0.5 + log_uniform(0.02, 0.4) / 2
  of <- latch$basin
  reader <- c(weight, 1 - weight)
  names(reader) <- if (chance(0.5)) c(of, sprintf("!(%s)", of)) else c(sprintf("!(%s)", of), of)
  if (chance(0.3)) reader <- c(0.8 * reader, stats::setNames(0.2, one_of("0", "1")))
  rules <- c(latch$rules, list(z = reader))
  set <- "z"
  if (chance(0.3)) {
    rules$y <- one_of("z", "!z", c("z" = 0.9, "!z" = 0.1), c("z" = 0.6, "y" = 0.4))
    set <- one_of("y", "z & y", "z | y")
  }
  net <- pbn(rules, perturbation = log_uniform(1e-5, 0.05), update = update)
  if (chance(1 / 3)) net <- given_start(net)
  case(net, set)
}

# ---- several basins -------------------------------------------------------------------------------------------------

majority_rules <- function(m) {
  nodes <- letters[seq_len(m)]
  most <- utils::combn(nodes, (m + 1) / 2, paste, collapse = " & ")
  stats::setNames(rep(list(paste(most, collapse = " | ")), m), nodes)
}

# A basin that can be left only by k simultaneous flips is left at a rate of the order p^k. With the k-th root of p it is as slow
# as one that needs a single flip. One network in ten keeps its p: no simulation leaves such basins, and the estimator should
# report this.
basins <- function(i) {
  p <- log_uniform(1e-5, 1e-2)
  self <- function(k) stats::setNames(as.list(letters[seq_len(k)]), letters[seq_len(k)])
  kind <- one_of(
    list(rules = majority_rules(3), flips = 2), list(rules = majority_rules(5), flips = 3),
    list(rules = list(a = "!b", b = "!a"), flips = 1), list(rules = list(a = "!b", b = "!a", c = "!d", d = "!c"), flips = 1),
    list(rules = self(sample(2:5, 1L)), flips = 1), list(rules = c(self(1), list(z = c("a" = 0.7, "!a" = 0.3))), flips = 1),
    list(rules = list(a = "b", b = "a"), flips = 1), list(rules = list(a = "b", b = "a", c = "a & b | c"), flips = 1)
  )
  if (!chance(0.1)) p <- min(p^(1 / kind$flips), 0.2)
  net <- pbn(kind$rules, perturbation = p, update = one_of("synchronous", "synchronous", "asynchronous"))
  if (chance(0.5)) net <- given_start(net)
  set <- if (is.null(kind$rules$z)) literals(net$nodes, sample(min(2L, length(net$nodes)), 1L)) else "z"
  case(net, set)
}

# ---- periods --------------------------------------------------------------------------------------------------------

ring_rules <- function(n, last = "") {
  nodes <- paste0("x", seq_len(n))
  stats::setNames(as.list(c(paste0(last, nodes[[n]]), nodes[-n])), nodes)
}

# Counts 0, 1, ..., period - 1 in binary and begins again. States beyond the period go to 0.
counter_rules <- function(period) {
  bits <- ceiling(log2(period))
  nodes <- paste0("b", seq_len(bits))
  from <- seq_len(2^bits) - 1
  after <- ifelse(from + 1 < period, from + 1, 0)
  # rows in counting order, with the first name as the highest bit
  table <- function(k) paste(after %/% 2^(bits - k) %% 2, collapse = "")
  rule <- sprintf("f(%s){%s}", paste(nodes, collapse = ", "), vapply(seq_len(bits), table, ""))
  stats::setNames(as.list(rule), nodes)
}

# `start`: an initial state that shows the period.
periodic <- function(largest) {
  kind <- one_of("one node on", "pattern", "twisted", "counter")
  n <- if (kind == "counter") sample(2:12, 1L) else if (kind == "twisted") sample(2:6, 1L) else size(2, largest)
  rules <- switch(kind, counter = counter_rules(n), twisted = ring_rules(n, "!"), ring_rules(n))
  m <- length(rules)
  start <- switch(kind, "one node on" = replace(integer(m), sample.int(m, 1L), 1L), pattern = sample(0:1, m, TRUE), integer(m))
  if (chance(0.2)) { # one node sometimes deviates from the ring's rule
    k <- sample.int(m, 1L)
    noise <- log_uniform(0.01, 0.3)
    rules[[k]] <- stats::setNames(c(1 - noise, noise), c(rules[[k]], one_of("0", "1", sprintf("!(%s)", rules[[k]]))))
  }
  list(rules = rules, start = start)
}

periods_p <- function(i) {
  made <- periodic(10)
  net <- pbn(made$rules, perturbation = log_uniform(1e-5, 1e-1))
  net <- one_of(net, given_start(net, made$start), given_start(net))
  case(net, literals(net$nodes, sample(min(2L, length(net$nodes)), 1L)))
}

# A random Boolean network, and an initial state from which it ends in a cycle, found by simulation.
cyclic_boolean <- function() {
  repeat {
    net <- given_start(random_pbn(sample(4:10, 1L), 1, c(1, 3), perturbation = 0))
    chain <- oracle_chain(net)
    if (any(lengths(recurrent_classes(chain$P)) > 1L)) break
  }
  net
}

periods_0 <- function(i) {
  kind <- one_of("periodic", "periodic", "boolean", "alternating")
  if (kind == "periodic") {
    made <- periodic(12)
    net <- given_start(pbn(made$rules), made$start)
    set <- literals(net$nodes, sample(min(2L, length(net$nodes)), 1L))
  } else if (kind == "boolean") {
    net <- cyclic_boolean()
    set <- set_between(net, 0.001, 0.999)
  } else {
    change <- 1 - log_uniform(1e-3, 0.3)
    net <- given_start(pbn(list(
      a = stats::setNames(c(change, 1 - change), c("!a", "a")), b = one_of("a", "!a", "!b", c("a" = 0.5, "b" = 0.5))
    )))
    set <- one_of("a", "b", "a & b")
  }
  case(net, set)
}

# ---- oscillators ----------------------------------------------------------------------------------------------------

oscillators <- function(i) {
  p <- log_uniform(1e-3, 0.05)
  kind <- one_of("cellcycle", "cellcycle", "feedback", "delayed")
  if (kind == "cellcycle") {
    net <- set_perturbation(example_model("cellcycle"), p)
    set <- literals(setdiff(net$nodes, "CycD"), sample(2L, 1L))
  } else if (kind == "feedback") { # a -| b -| c -| a: each node is the negation of the previous one
    k <- one_of(3, 5)
    nodes <- letters[seq_len(k)]
    before <- nodes[c(k, seq_len(k - 1))]
    noise <- log_uniform(0.01, 0.2)
    rules <- lapply(before, function(node) stats::setNames(c(1 - noise, noise), c(paste0("!", node), node)))
    net <- pbn(stats::setNames(rules, nodes), perturbation = p, update = either_update())
    set <- literals(nodes, sample(2L, 1L))
  } else {
    rules <- ring_rules(sample(2:7, 1L), "!")
    noise <- log_uniform(0.01, 0.2)
    rules[[1L]] <- stats::setNames(c(1 - noise, noise), c(rules[[1L]], one_of("0", "1", "x1")))
    net <- pbn(rules, perturbation = p)
    set <- literals(net$nodes, sample(2L, 1L))
  }
  if (chance(0.3)) net <- given_start(net, ifelse(is.na(net$initial), sample(0:1, length(net$nodes), TRUE), net$initial))
  case(net, set)
}

# ---- rare and sticky sets -------------------------------------------------------------------------------------------

# Two in three ask for a precision that is a fraction of the exact probability, as a user would who knows that the set is rare.
# But they ask for no more than 1e8 samples, of which one in 20 is independent.
rare <- function(i) {
  found <- NULL
  for (attempt in 1:50) {
    p <- log_uniform(0.005, 0.05)
    if (chance(0.7)) {
      k <- size(5, 11)
      nodes <- paste0("x", seq_len(k))
      keep <- lapply(nodes, function(node) {
        if (chance(0.5)) node else stats::setNames(c(0.9, 0.1), c(node, one_of("0", "0", paste0("!", node))))
      })
      net <- pbn(stats::setNames(keep, nodes), perturbation = p)
      set <- paste(nodes, collapse = " & ")
    } else {
      net <- random_pbn(sample(5:8, 1L), c(1, 2), c(1, 3), perturbation = p, update = either_update())
      set <- literals(net$nodes, length(net$nodes))
    }
    value <- exact_value(net, set)
    if (value >= 1e-6 && value <= 1e-2) break
  }
  out <- case(net, set)
  if (chance(2 / 3)) out$options$precision <- max(one_of(0.5, 0.2, 0.1) * value, 2 * sqrt(20 * value / 1e8))
  out
}

# ---- branching outcomes ---------------------------------------------------------------------------------------------

# Without perturbation, chance decides which attractor is reached.
branching <- function(i) {
  kind <- one_of("toggle", "toggles", "three", "random", "random", "random")
  rules <- switch(kind,
    toggle = list(a = "!b", b = "!a", c = one_of("a", "a & b", c("a" = 0.7, "!a" = 0.3))),
    toggles = list(a = "!b", b = "!a", c = "!d", d = "!c"),
    three = list(a = "!b & !c", b = "!a & !c", c = "!a & !b")
  )
  for (attempt in 1:50) {
    net <- if (kind != "random") pbn(rules, update = "asynchronous") else {
      update <- one_of("asynchronous", "asynchronous", "synchronous")
      random_pbn(sample(4:7, 1L), c(1, 2), c(1, 3), perturbation = 0, update = update)
    }
    net <- if (kind != "random" && chance(0.5)) given_start(net, integer(length(net$nodes))) else one_of(net, given_start(net))
    if (length(recurrent_classes(oracle_chain(net)$P)) > 1L) break
  }
  case(net, set_between(net, 0.01, 0.99))
}

# ---- choices that wait for steps without a flip -----------------------------------------------------------------------

# A latch is exempt from perturbation, and reads a source by a function that is rarely selected. Other nodes do not affect it,
# but a function acts only in steps in which none of them flips. So the latch changes about once in `wait` steps. In one network
# in ten it waits longer than the burn-in may last, and the estimator should report this.
choices_under_flips <- function(i) {
  p <- log_uniform(5e-3, 0.1)
  m <- min(one_of(5, 20, 50, 100, 200), floor(2 / p))
  k <- sample(1:4, 1L)
  update <- one_of("synchronous", "synchronous", "asynchronous")
  slow <- chance(0.1)
  wait <- log_uniform(10, 500) * if (slow) 4e5 else 1
  d <- paste0("d", seq_len(k))
  n <- m + k + 1
  acts <- (1 - p)^(m + k) / if (update == "asynchronous") n else 1
  rare <- max(min(1 / (wait * acts), 0.5), 1e-12)
  rules <- c(
    list(c("0" = 0.3, "1" = 0.7)), stats::setNames(as.list(d[-k]), d[-1L]),
    list(L = stats::setNames(c(1 - rare, rare), c("L", one_of(d[[k]], paste0("!", d[[k]]), one_of("0", d[[k]])))))
  )
  names(rules)[[1L]] <- d[[1L]]
  bystanders <- paste0("u", seq_len(m))
  net <- pbn(c(rules, stats::setNames(as.list(bystanders), bystanders)), perturbation = p, exempt = "L", update = update)
  net <- set_initial(net, c(L = sample(0:1, 1L)))
  if (update == "synchronous" && chance(0.3)) net <- one_context_each(net)
  case(net, "L")
}

# The same network with contexts: each selects one function of the latch and one of the first node.
one_context_each <- function(net) {
  of <- function(node) which(net$rules$node == match(node, net$nodes))
  first <- match(net$nodes, net$nodes[net$rules$node])
  grid <- expand.grid(d1 = seq_along(of("d1")), L = seq_along(of("L")))
  predictor <- matrix(1L, nrow(grid), length(net$nodes), dimnames = list(NULL, net$nodes))
  predictor[, "d1"] <- grid$d1
  predictor[, "L"] <- grid$L
  probability <- net$rules$probability[of("d1")][grid$d1] * net$rules$probability[of("L")][grid$L]
  rules <- lapply(net$nodes, function(node) net$rules$predictor[of(node)])
  pbn(
    stats::setNames(rules, net$nodes), perturbation = net$perturbation, exempt = net$nodes[net$exempt],
    initial = stats::setNames(net$initial, net$nodes), contexts = list(probability = probability, predictor = predictor)
  )
}

# ---- heads in a row ---------------------------------------------------------------------------------------------------

# Without perturbation, a latch waits until a coin has shown `k` heads in a row: then it is set, or toggled, or it is set until
# the coin has shown `j` tails in a row. The truth follows from the lengths of the present runs, or from symmetry.
heads_in_a_row <- function(i) {
  k <- sample(3:40, 1L)
  head <- log_uniform(0.1, 0.6)
  kind <- one_of("toggled", "toggled", "set", "two runs")
  run <- function(name, of, n) {
    nodes <- paste0(name, seq_len(n))
    stats::setNames(as.list(c(of, if (n > 1L) paste(nodes[-n], "&", of))), nodes)
  }
  rules <- c(list(c = c("0" = 1 - head, "1" = head)), run("x", "c", k))
  last <- paste0("x", k)
  truth <- c(toggled = 0.5, set = 1)[kind]
  if (kind == "two runs") {
    j <- max(1L, round(k * log(head) / log(1 - head)) + sample(-1:1, 1L)) # both runs are about as rare
    j <- min(j, 40L)
    rules <- c(rules, run("y", "!c", j))
    truth <- two_runs_truth(k, j, head)
  }
  tail <- if (kind == "two runs") paste0("y", j)
  rules$L <- switch(kind, toggled = paste("L ^", last), set = paste("L |", last), paste(last, "| L & !", tail))
  net <- pbn(rules)
  out <- case(given_start(net, integer(length(net$nodes))), "L")
  out$truth <- unname(truth)
  out
}

# The long-run probability that the latch is on, which k heads in a row turn on and j tails in a row turn off. States of this
# chain are the number of heads in a row, up to k, or of tails, up to j, together with the latch.
two_runs_truth <- function(k, j, h) {
  runs <- c(seq_len(k), -seq_len(j))
  number <- function(run, latch) match(run, runs) + latch * length(runs)
  P <- matrix(0, 2 * length(runs), 2 * length(runs))
  for (run in runs) for (latch in 0:1) {
    on <- if (run == k) 1L else if (run == -j) 0L else latch # the latch sees the run that is complete now
    after <- c(min(max(run, 0) + 1, k), -min(max(-run, 0) + 1, j))
    at <- number(run, latch)
    P[at, number(after[[1L]], on)] <- P[at, number(after[[1L]], on)] + h
    P[at, number(after[[2L]], on)] <- P[at, number(after[[2L]], on)] + 1 - h
  }
  sum(stationary(P)[number(runs, 1L)])
}

# ---- masked pairs -----------------------------------------------------------------------------------------------------

# The exclusive or of each x and a mask is slow: they copy a state that enough of them have. The mask follows a fast chain, so
# each node by itself is fast, and a node that reads a pair varies little more often with the slow state than without it. In a
# packed program, few pairs have monitors even if there are few nodes.
masked_pairs <- function(i) {
  packed <- chance(1 / 3)
  members <- one_of(3, 4, 4, 5)
  nodes <- if (packed) sample(8:13, 1L) else sample(17:18, 1L)
  k <- nodes - members - 3L
  d <- paste0("d", seq_len(max(k, 1L)))
  x <- paste0("x", seq_len(members))
  need <- one_of(2, members - 1) # seldom as many as would make both states equally stable
  most <- paste(utils::combn(sprintf("(%s ^ m)", x), need, paste, collapse = " & "), collapse = ") | (")
  rules <- c(
    stats::setNames(list(c("0" = 0.5, "1" = 0.5)), d[[1L]]), stats::setNames(as.list(d[-length(d)]), d[-1L]),
    list(m0 = d[[length(d)]], m = "m0"), stats::setNames(rep(list(sprintf("m0 ^ ((%s))", most)), members), x)
  )
  weight <- 0.5 + log_uniform(0.01, 0.1) / 2
  pair <- sprintf("%s ^ m", x[[sample.int(members, 1L)]])
  rules$z <- stats::setNames(c(weight, 1 - weight), c(pair, sprintf("!(%s)", pair)))
  net <- pbn(rules, perturbation = log_uniform(4e-3, 0.02), exempt = "m")
  case(net, "z", layout = if (packed) "packed" else "sliced")
}

# ---- influences and sensitivities: networks of the families above ---------------------------------------------------

# An influence that is the same in every state is certain and says little. At most one in twenty may be of this kind.
varies <- function(net, from, to) {
  states <- oracle_states(net$nodes, seq_len(2^length(net$nodes)) - 1)
  diff(range(influence_function(net, from, to)(states))) > 1e-12
}

influences <- function(i) {
  family <- one_of("well_mixing", "small_p", "hidden_slow", "periods_p")
  any_arrow <- chance(0.05)
  repeat {
    out <- families[[family]](i)
    arrows <- network_arrows(out$net)
    if (!any_arrow) arrows <- arrows[mapply(varies, arrows$from, arrows$to, MoreArgs = list(net = out$net)), ]
    if (nrow(arrows) > 0L) break
    family <- one_of("well_mixing", "small_p", "hidden_slow", "periods_p")
  }
  arrow <- arrows[sample.int(nrow(arrows), 1L), ]
  out$ask <- list(what = "influence", from = arrow$from, to = arrow$to)
  out
}

sensitivities <- function(i) {
  family <- one_of("well_mixing", "small_p")
  change <- one_of("node", "selection", "predictor", "perturbation")
  repeat {
    out <- families[[family]](i)
    net <- out$net
    if (length(net$nodes) > 8L || (change == "selection" && !is.null(net$contexts))) next
    # nodes that influence the set, are not held, and have several functions if that is what changes
    nodes <- intersect(reduce_network(net, out$ask$set)$nodes, net$nodes[!net$exempt | is.na(net$initial)])
    if (change == "selection") nodes <- nodes[tabulate(net$rules$node, length(net$nodes))[match(nodes, net$nodes)] > 1L]
    if (length(nodes) > 0L) break
  }
  out$ask <- list(
    what = "sensitivity", set = out$ask$set, change = change, node = nodes[[sample.int(length(nodes), 1L)]],
    by = one_of(0.1, 0.3), row = sample.int(2L, 1L)
  )
  out$options <- out$options["precision"]
  out
}

families <- list(
  well_mixing = well_mixing, small_p = small_p, hidden_slow = hidden_slow, basins = basins, periods_p = periods_p,
  periods_0 = periods_0, oscillators = oscillators, rare = rare, branching = branching, influences = influences,
  sensitivities = sensitivities, choices_under_flips = choices_under_flips, heads_in_a_row = heads_in_a_row,
  masked_pairs = masked_pairs
)

# Case number i of a family.
network_case <- function(family, i) seeded(match(family, names(families)), i, families[[family]](i))
