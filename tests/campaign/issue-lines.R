# Networks on which the estimator was once wrong. Each is a case with the exact value (`truth`), to as many digits as are known.

# The precisions are those of the reports, unless a slow mode would make the run take minutes. `often`: a run takes so little time
# that many can be made. `answered`: whether 2^16 steps of burn-in suffice, which is the most that these tests allow. If a network
# needs more, it must be refused.
line <- function(net, set, truth, precision = 1e-3, often = FALSE, answered = net$perturbation == 0 || net$perturbation > 2^-16) {
  list(net = net, set = set, truth = truth, precision = precision, often = often, answered = answered)
}

line_answer <- function(one, seed, confidence) {
  steady_state(
    one$net, one$set, precision = one$precision, confidence = confidence, method = "simulation", backend = "cpu", threads = 1,
    seed = seed, max_burn_in = 2^16
  )
}

# z reads a latch with nearly equal probabilities, so its own random changes hide the latch's slow mode.
hidden_line <- function(p, truth) {
  line(pbn(list(s = "s & t", t = "s & t", z = c("s" = 0.6, "!s" = 0.4)), perturbation = p), "z", truth, often = p >= 1e-3)
}

ring_line <- function(n) {
  net <- given_start(pbn(ring_rules(n)), c(1, integer(n - 1)))
  line(net, "x1", 1 / n, often = TRUE)
}

issue_lines <- function() {
  barrier <- pbn(list(s = "s | t", t = "!s & t | s & t", z = c("s" = 0.55, "!s" = 0.45)), perturbation = 0.001)
  majority <- given_start(pbn(majority_rules(3), perturbation = 1e-4), c(0, 0, 0))
  latch <- given_start(pbn(list(s = "s", z = c("s" = 0.7, "!s" = 0.3)), perturbation = 1e-6), c(0, 0))
  alternating <- given_start(pbn(list(a = c("!a" = 0.99, "a" = 0.01))), 0)
  toggle <- set_initial(pbn(c(A = "!B", B = "!A"), update = "asynchronous"), A = 0, B = 0)
  sticky <- paste0("x", 1:17)
  lines <- list(
    "hidden slow node, p = .01" = hidden_line(0.01, 0.40680), "hidden slow node, p = .001" = hidden_line(0.001, 0.40070),
    "hidden slow node, p = 1e-6" = hidden_line(1e-6, 0.40000), "barrier" = line(barrier, "z", 0.53317, often = TRUE),
    "majority of three from a given start" = line(majority, "a", 0.5, 0.02, answered = FALSE),
    "latch from a given start" = line(latch, "z", 0.5, 0.02),
    "alternating" = line(alternating, "a", 0.5, often = TRUE), "toggle that branches" = line(toggle, "A & !B", 0.5, 0.02),
    "17 sticky nodes" = line(
      pbn(stats::setNames(as.list(sticky), sticky), perturbation = 0.02), paste(sticky, collapse = " & "), 2^-17, 2e-6
    )
  )
  for (n in c(3, 4, 6, 7)) lines[[sprintf("ring of %d", n)]] <- ring_line(n)
  for (i in 1:6) { # a random network of 4 to 9 nodes, p <= 1e-4
    one <- seeded(21, i, {
      net <- random_pbn(3L + i, c(1, 2), c(1, 3), perturbation = log_uniform(1e-6, 1e-4))
      list(net = net, set = set_between(net, 0.05, 0.95))
    })
    lines[[sprintf("random network of %d nodes, p = %.1e", 3L + i, one$net$perturbation)]] <-
      line(one$net, one$set, exact_value(one$net, one$set), 0.02)
  }
  for (i in 1:6) {
    one <- seeded(22, i, {
      net <- cyclic_boolean()
      list(net = net, set = set_between(net, 0.01, 0.99))
    })
    lines[[sprintf("Boolean network %d in a cycle", i)]] <-
      line(one$net, one$set, exact_value(one$net, one$set), often = TRUE)
  }
  lines <- c(lines, later_lines())
  cellcycle <- set_perturbation(example_model("cellcycle"), 0.01)
  for (node in c("CycB", "Cdc20", "CycE")) {
    lines[[paste("oscillator,", node)]] <- line(cellcycle, node, exact_value(cellcycle, node), often = TRUE)
  }
  lines
}

# Found later. An "and" is left quickly and is hardly ever entered, but then holds for a long time. Trajectories do not see these
# long stays, but those with other initial states reveal them. A parity of three nodes cannot be seen in single nodes or in pairs.
# And rings of odd periods.
later_lines <- function() {
  stays <- pbn(list(s = "s & t", t = "s & t"), perturbation = 1e-3)
  coin <- c("1" = 0.5, "0" = 0.5)
  rare <- c("1" = 0.02, "0" = 0.98)
  parity <- pbn(list(
    u = coin, v = coin, u1 = "u", v1 = "v", r = rare, q = rare, y = "u ^ v ^ ((y ^ u1 ^ v1) | r & q)",
    z = c("y ^ u1 ^ v1" = 0.51, "!(y ^ u1 ^ v1)" = 0.49)
  ))
  from_0 <- function(net) given_start(net, integer(length(net$nodes)))
  twisted <- function(n) {
    from_0(pbn(c(ring_rules(n, "!"), list(c = c("1" = 0.3, "0" = 0.7), z = c("x15" = 0.9, "!x15" = 0.1)))))
  }
  ring <- c(ring_rules(13), list(y = "x1 & w | y & !w", w = "!w & x3 | y"))
  token <- function(name, n) stats::setNames(as.list(paste0(name, c(n, seq_len(n - 1)))), paste0(name, seq_len(n)))
  rings <- c(token("a", 11), token("b", 13), token("c", 17))
  tokens <- function(rules) given_start(pbn(rules), as.integer(names(rules) %in% c("a2", "b2", "c2", "d2")))
  meeting <- tokens(c(rings, token("d", 19), list(L = "L | (a1 & b1 & c1 & d1)"))) # at step 46,188, and then always
  coins <- function(name, k) {
    names <- paste0(name, seq_len(k))
    c(stats::setNames(list(coin), names[[1L]]), stats::setNames(as.list(names[-k]), names[-1L]))
  }
  all_on <- function(name, k) paste(paste0(name, seq_len(k)), collapse = " & ")
  # entered with probability 2^-27 per step; left after 5.2e5 steps
  entered <- sprintf("(M & !(%s)) | (%s)", all_on("y", 18), all_on("x", 26))
  entered <- set_initial(pbn(c(coins("x", 26), coins("y", 18), list(M = entered))), M = 0)
  driven <- given_start(pbn(ring, perturbation = 1e-3, exempt = paste0("x", 1:13)), c(1, integer(14)))
  list(
    "rare long stays" = line(stays, "s", exact_value(stays, "s"), 0.01, often = TRUE),
    "parity of three" = line(from_0(parity), "z", 0.51), "noisy reader of a ring of period 74" = line(twisted(37), "z", 0.5),
    "ring of period 74 and a coin" = line(twisted(37), "x3 & c", 0.15, often = TRUE),
    "ring of period 34" = line(twisted(17), "z", 0.5, often = TRUE),
    "three rings and a coin" = line(tokens(c(rings, list(W = coin))), "a1 & b6 & c10 & W", 1 / 4862, 5e-5, often = TRUE),
    "rings that meet once" = line(meeting, "L", 1, answered = FALSE),
    "set that is entered hardly ever" = line(entered, "M", 0.00389, answered = FALSE),
    "ring that drives nodes which flip" = line(driven, "y", 0.002300105, 5e-4, often = TRUE)
  )
}
