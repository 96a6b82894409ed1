# Values of all predictor functions in one state; random networks have tables, f(a, b){0110}.
rule_values <- function(net, state) {
  table <- "^f\\((.*)\\)\\{([01]+)\\}$"
  vapply(seq_len(nrow(net$rules)), function(j) {
    text <- net$rules$predictor[[j]]
    if (!grepl(table, text)) return(evaluate_rules(list(nodes = net$nodes, rules = net$rules[j, ]), state))
    parents <- match(strsplit(sub(table, "\\1", text), ", *")[[1]], net$nodes)
    row <- sum(state[parents] * 2^(rev(seq_along(parents)) - 1))
    as.integer(substr(sub(table, "\\2", text), row + 1, row + 1))
  }, 0L)
}

# The Markov chain by its definition, in plain R: all perturbations, selections of functions and choices of a node. States are in
# the order of transition_matrix(), with the last node changing fastest.
brute_chain <- function(net) {
  n <- length(net$nodes)
  states <- as.matrix(rev(expand.grid(rep(list(0:1), n))))
  number <- function(state) 1 + sum(state * 2^(rev(seq_len(n)) - 1))
  count <- tabulate(net$rules$node, n)
  first <- c(0, cumsum(count))[seq_len(n)]
  if (is.null(net$contexts)) {
    choices <- as.matrix(expand.grid(lapply(count, seq_len)))
    weight <- apply(choices, 1, function(choice) prod(net$rules$probability[first + choice]))
  } else {
    choices <- net$contexts$predictor
    weight <- net$contexts$probability
  }
  p <- ifelse(net$exempt, 0, net$perturbation)
  idle <- (1 - net$perturbation)^net$removed[["perturbed"]]
  total <- n + net$removed[["nodes"]]
  chain <- matrix(0, 2^n, 2^n)
  for (s in seq_len(nrow(states))) {
    state <- states[s, ]
    values <- rule_values(net, state)
    for (f in seq_len(nrow(states))) {
      chance <- prod(ifelse(states[f, ] == 1, p, 1 - p))
      if (any(states[f, ] == 1)) {
        to <- number(bitwXor(state, states[f, ]))
        chain[s, to] <- chain[s, to] + chance
        next
      }
      chain[s, s] <- chain[s, s] + chance * (1 - idle)
      for (k in seq_len(nrow(choices))) {
        new <- values[first + choices[k, ]]
        if (net$update == "synchronous") {
          to <- number(new)
          chain[s, to] <- chain[s, to] + chance * idle * weight[[k]]
          next
        }
        chain[s, s] <- chain[s, s] + chance * idle * weight[[k]] * net$removed[["nodes"]] / total
        for (i in seq_len(n)) {
          to <- number(replace(state, i, new[[i]]))
          chain[s, to] <- chain[s, to] + chance * idle * weight[[k]] / total
        }
      }
    }
  }
  chain
}

# The long-run share of time in each state, by squaring (I + P) / 2.
brute_long_run <- function(chain, start) {
  chain <- (chain + diag(nrow(chain))) / 2
  for (k in 1:40) {
    chain <- chain %*% chain
    chain <- chain / rowSums(chain)
  }
  as.vector(start %*% chain)
}

tiny <- function(seed, update, dependent) {
  net <- random_pbn(4, functions = c(1, 3), parents = c(1, 3), perturbation = c(0, 1e-3, 0.05, 0.3)[[1 + seed %% 4]], seed = seed)
  net$update <- update
  net$exempt[[2]] <- seed %% 3 == 0
  net$removed <- c(nodes = 2L, perturbed = seed %% 3)
  if (dependent) {
    count <- tabulate(net$rules$node, 4)
    net$rules$probability <- 1
    net$contexts <- list(probability = c(0.5, 0.3, 0.2), predictor = rbind(rep(1L, 4), count, pmax(count - 1L, 1L)))
  }
  net
}

test_that("matrix and long run agree with the definition in every mode", {
  for (update in c("synchronous", "asynchronous")) {
    for (dependent in c(FALSE, TRUE)) {
      for (seed in 1:6) {
        net <- tiny(seed, update, dependent)
        got <- transition_matrix(net)
        want <- brute_chain(net)
        expect_equal(unname(got), want, tolerance = 1e-14, ignore_attr = TRUE)
        expect_equal(unname(rowSums(got)), rep(1, 16))
        pi <- stationary_distribution(net)
        expect_equal(pi$probability, brute_long_run(want, rep(1 / 16, 16)), tolerance = 1e-9)
        expect_equal(as.vector(pi$probability %*% got), pi$probability, tolerance = 1e-12)
      }
    }
  }
})

test_that("without perturbation the long run depends on the start", {
  net <- pbn(c(a = "!b", b = "a", c = "c", d = "c & d"))
  at <- function(...) {
    model <- net
    model$initial[match(names(c(...)), net$nodes)] <- as.integer(c(...))
    model
  }
  full <- stationary_distribution(net)
  expect_equal(sum(full$probability), 1)
  expect_equal(sum(full$probability[full$c == 1]), 0.5)
  expect_equal(sum(full$probability[full$d == 1]), 0.25)
  chain <- transition_matrix(net)
  for (d in 0:1) {
    started <- at(d = d, a = 1L)
    want <- brute_long_run(chain, (full$d == d & full$a == 1) / 4)
    expect_equal(stationary_distribution(started)$probability, want)
  }
  held <- stationary_distribution(at(c = 1L))
  expect_named(held, c("a", "b", "d", "probability"))
  expect_equal(held$probability, rep(1 / 8, 8))
})

test_that("states are in order and named by their bits", {
  net <- pbn(c(a = "b", b = "a", c = "a"), perturbation = 0.1)
  names <- c("000", "001", "010", "011", "100", "101", "110", "111")
  expect_identical(dimnames(transition_matrix(net)), list(from = names, to = names))
  pi <- stationary_distribution(net)
  expect_identical(paste0(pi$a, pi$b, pi$c), names)
  expect_type(pi$a, "integer")
})

test_that("a network without free nodes has one state", {
  net <- pbn(c(a = "1", b = "b"), initial = c(a = 1, b = 0))
  expect_identical(unname(transition_matrix(net)), matrix(1))
  expect_identical(stationary_distribution(net)$probability, 1)
  expect_identical(exact_probability(net, c(x = "a & !b", y = "b")), c(x = 1, y = 0))
})

test_that("rare flips do not reduce the accuracy", {
  # two basins that only a flip of two nodes at once can leave, with a probability of order p^2
  majority <- "a & b | b & c | a & c"
  net <- pbn(list(a = majority, b = majority, c = c("a & b | b & c | a & c" = 0.9, "a | b" = 0.1)))
  for (p in c(1e-6, 1e-4, 1e-2)) {
    chain <- transition_matrix(set_perturbation(net, p))
    # elimination without subtraction (Grassmann, Taksar and Heyman), which keeps relative accuracy
    n <- nrow(chain)
    for (k in n:2) {
      chain[seq_len(k - 1), k] <- chain[seq_len(k - 1), k] / sum(chain[k, seq_len(k - 1)])
      chain[seq_len(k - 1), seq_len(k - 1)] <- chain[seq_len(k - 1), seq_len(k - 1)] +
        chain[seq_len(k - 1), k] %o% chain[k, seq_len(k - 1)]
    }
    want <- 1
    for (k in 2:n) want[[k]] <- sum(want * chain[seq_len(k - 1), k])
    expect_equal(stationary_distribution(set_perturbation(net, p))$probability, want / sum(want), tolerance = 1e-12)
  }
})

test_that("the iterative solver gives the same answer for a thousand states", {
  net <- random_pbn(10, perturbation = 0.01, seed = 3)
  chain <- transition_matrix(net)
  pi <- stationary_distribution(net)
  want <- solve(rbind((t(chain) - diag(1024))[-1, ], 1), c(rep(0, 1023), 1))
  expect_equal(pi$probability, unname(want), tolerance = 1e-9)
  expect_lt(sum(abs(pi$probability %*% chain - pi$probability)), 1e-13)
  expect_gte(min(pi$probability), 0)
})

test_that("a solver that stalls at the level of rounding errors has an answer", {
  # two slow states that mirror each other: the rounding errors of the iteration feed the mode between them
  d <- paste0("d", 1:10)
  x <- paste0("x", 1:5)
  three <- paste(utils::combn(sprintf("(%s ^ m)", x), 3, paste, collapse = " & "), collapse = ") | (")
  rules <- c(
    list(d1 = c("0" = 0.5, "1" = 0.5)), stats::setNames(as.list(d[-10]), d[-1]), list(m0 = "d10", m = "m0"),
    stats::setNames(rep(list(sprintf("m0 ^ ((%s))", three)), 5L), x)
  )
  net <- pbn(rules, perturbation = 0.008, exempt = "m")
  expect_equal(steady_state(net, "x1 ^ m", method = "exact", reduce = FALSE)$probability, 0.5, tolerance = 1e-12)
})

test_that("probabilities of sets and influences are sums over the distribution", {
  for (dependent in c(FALSE, TRUE)) {
    net <- tiny(6, "synchronous", dependent)
    pi <- stationary_distribution(net)
    states <- as.matrix(as.data.frame(pi)[net$nodes])
    sets <- c(one = paste(net$nodes[1:2], collapse = " & "), two = paste0("!", net$nodes[[4]], " ^ ", net$nodes[[1]]), all = "1")
    want <- c(
      one = sum(pi$probability[states[, 1] & states[, 2]]), two = sum(pi$probability[xor(!states[, 4], states[, 1])]), all = 1
    )
    expect_equal(exact_probability(net, sets), want, tolerance = 1e-13)

    selected <- net$rules$probability
    if (dependent) {
      within <- sequence(tabulate(net$rules$node, 4))
      selected <- vapply(seq_along(within), function(j) {
        sum(net$contexts$probability[net$contexts$predictor[, net$rules$node[[j]]] == within[[j]]])
      }, 0)
    }
    pairs <- network_arrows(net)
    want <- mapply(function(from, to) {
      differs <- apply(states, 1, function(state) {
        flipped <- replace(state, from, 1 - state[[from]])
        abs(rule_values(net, state) - rule_values(net, flipped))
      })
      use <- net$rules$node == match(to, net$nodes)
      sum(selected[use] * (differs %*% pi$probability)[use])
    }, pairs$from, pairs$to, USE.NAMES = FALSE)
    expect_equal(exact_influence(net, pairs)$influence, want, tolerance = 1e-13)
  }
})

test_that("distributions print, summarise and plot", {
  local_reproducible_output(width = 80)
  net <- set_perturbation(example_model("shmulevich3"), 0.01)
  pi <- stationary_distribution(net)
  expect_s3_class(pi, c("stationary_distribution", "data.frame"), exact = TRUE)
  expect_snapshot(print(pi, n = 3))
  expect_snapshot(print(pi))
  about <- summary(pi)
  expect_identical(about$states, 8L)
  expect_equal(about$activity[["x1"]], sum(pi$probability[pi$x1 == 1]))
  expect_equal(about$entropy, -sum(pi$probability * log2(pi$probability)))
  expect_identical(class(as.data.frame(pi)), "data.frame")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  top <- plot(pi, n = 2)
  expect_identical(top$probability, sort(pi$probability, decreasing = TRUE)[1:2])
})

test_that("errors say what is wrong", {
  big <- random_pbn(13, seed = 1, perturbation = 0.1)
  huge <- random_pbn(30, seed = 1, perturbation = 0.1)
  expect_error(transition_matrix(big), class = "fireflip_error_size")
  expect_error(stationary_distribution(huge), class = "fireflip_error_size")
  # few enough nodes, but the values of its functions need 13 GB: refused at once on every machine
  many <- random_pbn(24, functions = c(256, 256), parents = c(1, 3), seed = 1, perturbation = 0.1)
  expect_error(stationary_distribution(many), class = "fireflip_error_size")
  expect_error(steady_state(many, "1", method = "exact"), class = "fireflip_error_size")
  expect_error(stationary_distribution(big, tolerance = 0), class = "fireflip_error_argument")
  expect_snapshot(error = TRUE, {
    transition_matrix(big)
    stationary_distribution(huge)
    stationary_distribution(many)
    stationary_distribution(big, tolerance = 0)
    stationary_distribution("net")
    transition_matrix(NULL)
  })
})

test_that("a chain that stays among transient states for long is solved at once, and exactly", {
  for (k in c(1, 9)) { # 2 and 512 transient states: solved directly, and by iteration
    b <- paste0("b", seq_len(k))
    own <- rep(1, k)
    # a rare context turns on `a` or `c`, whichever comes first
    net <- pbn(
      c(list(a = c("a", "a | !c"), c = c("c", "c | !a")), stats::setNames(as.list(b), b)), perturbation = 0.1,
      contexts = list(probability = c(1 - 4e-6, 1e-6, 3e-6), predictor = rbind(c(1, 1, own), c(2, 1, own), c(1, 2, own))),
      exempt = c("a", "c"), initial = c(a = 0, c = 0)
    )
    found <- steady_state(net, c("a & !c", "c & !a"), method = "exact", reduce = FALSE)
    expect_equal(found$probability, c(0.25, 0.75), tolerance = if (k == 1) 1e-14 else 1e-9)
  }
  # most states of the start are recurrent, so that little mass is transient
  free <- paste0("d", 1:6)
  none <- paste(paste0("!", free), collapse = " & ")
  b <- paste0("b", 1:9)
  own <- rep(1, length(c(b, free)))
  rare <- pbn(
    c(list(a = c("a", paste("a | !c &", none)), c = c("c", paste("c | !a &", none))),
      stats::setNames(as.list(c(b, free)), c(b, free))),
    perturbation = 0.1, exempt = c("a", "c", free), initial = c(a = 0, c = 0),
    contexts = list(probability = c(1 - 4e-7, 1e-7, 3e-7), predictor = rbind(c(1, 1, own), c(2, 1, own), c(1, 2, own)))
  )
  found <- steady_state(rare, c("a & !c", "c & !a"), method = "exact", reduce = FALSE)
  expect_equal(found$probability * 64, c(0.25, 0.75), tolerance = 1e-7)
  # the latch closes once all the others are on
  k <- 13
  b <- paste0("b", seq_len(k))
  latch <- pbn(
    c(a = paste("a | (", paste(b, collapse = " & "), ")"), stats::setNames(b, b)), perturbation = 0.01, exempt = "a",
    initial = c(a = 0)
  )
  found <- stationary_distribution(latch)
  expect_equal(sum(found$probability[found$a == 1]), 1, tolerance = 1e-12)
  for (p in c(0.1, 0.9999)) {
    net <- pbn(list(a = c("a | b" = 1e-6, "a" = 1 - 1e-6), b = "b"), perturbation = p, exempt = "a", initial = c(a = 0))
    expect_equal(steady_state(net, "a", method = "exact")$probability, 1, tolerance = 1e-14)
  }
})
