# The chemical master equation against closed forms and a matrix exponential, and the methods of its result.

# exp(Q), by Taylor series of Q / 2^s and s squarings. Q is a generator, so all terms of exp(Q + r I) are positive, and nothing
# cancels: the relative error of an entry is about 2^s times that of a product, below 1e-11 for the examples here.
matrix_exponential <- function(q) {
  rate <- max(-diag(q))
  squarings <- max(0, ceiling(log2(max(rate, 1))))
  p <- (q + diag(rate, nrow(q))) / 2^squarings
  sum <- term <- diag(nrow(q))
  for (k in 1:40) sum <- sum + (term <- term %*% p / k)
  sum <- sum * exp(-rate / 2^squarings)
  for (k in seq_len(squarings)) sum <- sum %*% sum
  sum
}

# The distribution on `states` (a matrix with a row per state) from the first one. `jumps` are functions of a state that give its
# propensity; `changes` are what they add to it.
brute_distribution <- function(states, jumps, changes, time) {
  key <- apply(states, 1, paste, collapse = " ")
  q <- matrix(0, nrow(states), nrow(states))
  for (i in seq_along(key)) {
    for (r in seq_along(jumps)) {
      rate <- jumps[[r]](states[i, ])
      if (rate == 0) next
      j <- match(paste(states[i, ] + changes[[r]], collapse = " "), key)
      q[i, j] <- q[i, j] + rate
      q[i, i] <- q[i, i] - rate
    }
  }
  matrix_exponential(q * time)[1, ]
}

# The sum of the differences from true probabilities of the states with these counts; all others are 0.
gap <- function(found, counts, probability) {
  columns <- setdiff(names(found), c("time", "probability"))
  keys <- do.call(paste, unname(found[columns]))
  at <- match(do.call(paste, unname(as.data.frame(counts))), keys)
  sum(abs(ifelse(is.na(at), 0, found$probability[at]) - probability)) + sum(found$probability[-at[!is.na(at)]])
}

states_of_solution <- function(...) as.data.frame(chemical_master_equation(..., progress = FALSE))

test_that("closed forms are found within the error that is stated", {
  times <- c(0, 0.5, 1, 1.5, 2, 10)
  check <- function(net, counts, formula) {
    solution <- chemical_master_equation(net, times, tolerance = 1e-10)
    expect_true(all(solution$times$missing <= 1e-10))
    expect_identical(solution$times$time, times)
    found <- as.data.frame(solution)
    for (i in seq_along(times)) {
      rows <- found[found$time == times[[i]], ]
      # closed forms have an error of about 1e-13
      expect_lte(gap(rows, counts, formula(times[[i]])), solution$times$missing[[i]] + 1e-12)
      expect_equal(1 - sum(rows$probability), 0, tolerance = solution$times$missing[[i]])
    }
  }
  check(reaction_network("A -> 0" = 0.3, initial = c(A = 30)), 0:30, function(t) stats::dbinom(0:30, 30, exp(-0.3 * t)))
  check(reaction_network("0 -> A" = 4, initial = c(A = 2)), 0:200, function(t) stats::dpois(0:200 - 2, 4 * t))
  check(reaction_network("0 -> A" = 8, "A -> 0" = 0.5), 0:100, function(t) stats::dpois(0:100, 16 * (1 - exp(-0.5 * t))))
  check(
    reaction_network("A <-> B" = c(1, 2), initial = c(A = 25)), cbind(25:0, 0:25),
    function(t) stats::dbinom(0:25, 25, (1 - exp(-3 * t)) / 3)
  )
  # pure birth of individuals (Yule): negative binomial
  yule <- chemical_master_equation(reaction_network("A -> 2 A" = 1, initial = c(A = 3)), 2)
  expect_lte(gap(as.data.frame(yule)[-1], 3:2000, stats::dnbinom(0:1997, 3, exp(-2))), yule$times$missing + 1e-12)
})

test_that("small networks agree with a matrix exponential", {
  dimer <- reaction_network("2 A <-> D" = c(0.4, 0.7), "A -> 0" = 0.2, initial = c(A = 9))
  states <- as.matrix(expand.grid(A = 9:0, D = 0:4))
  want <- brute_distribution(states[rowSums(states * c(1, 2)[col(states)]) <= 9, ], list(
    function(x) 0.4 * choose(x[[1]], 2), function(x) 0.7 * x[[2]], function(x) 0.2 * x[[1]]
  ), list(c(-2, 1), c(2, -1), c(-1, 0)), 1.7)
  expect_lte(gap(states_of_solution(dimer, 1.7), states[rowSums(states * c(1, 2)[col(states)]) <= 9, ], want), 1e-8)

  enzyme <- reaction_network("S -> P" = "v * S / (K + S)", "P -> S" = 0.1, initial = c(S = 20), parameters = c(v = 5, K = 4))
  states <- cbind(20:0, 0:20)
  want <- brute_distribution(states, list(function(x) 5 * x[[1]] / (4 + x[[1]]), function(x) 0.1 * x[[2]]),
    list(c(-1, 1), c(1, -1)), 3)
  expect_lte(gap(states_of_solution(enzyme, 3, tolerance = 1e-11), states, want), 1e-10)

  # E is fixed, S + E -> E needs it, and 2 P -> P never removes the last
  fixed <- reaction_network("S + E -> P + E" = 0.3, "2 P -> P" = 1, initial = c(S = 8, E = 4), fixed = "E")
  states <- as.matrix(expand.grid(S = 8:0, E = 4, P = 0:8))
  states <- states[states[, 1] + states[, 3] <= 8, ]
  want <- brute_distribution(states, list(function(x) 1.2 * x[[1]], function(x) choose(x[[3]], 2)),
    list(c(-1, 0, 1), c(0, 0, -1)), 0.9)
  expect_lte(gap(states_of_solution(fixed, 0.9), states, want), 1e-8)
  last <- states_of_solution(fixed, 1000)
  expect_equal(last$probability[last$S == 0 & last$P == 1], 1, tolerance = 1e-8)
})

test_that("the error of a rough solution is at most what is missing", {
  net <- reaction_network("0 -> A" = 10, "A -> 0" = 1, "2 A <-> D" = c(0.1, 0.5))
  fine <- states_of_solution(net, 3, tolerance = 1e-11)
  for (tolerance in c(0.5, 0.1, 1e-3, 1e-6)) {
    solution <- chemical_master_equation(net, 3, tolerance = tolerance)
    rough <- as.data.frame(solution)
    expect_lt(solution$times$states, nrow(fine))
    expect_lte(gap(rough, fine[c("A", "D")], fine$probability), solution$times$missing + 1e-11)
    true <- fine$probability[match(paste(rough$A, rough$D), paste(fine$A, fine$D))]
    expect_true(all(rough$probability <= true + 1e-11))
  }
})

test_that("many jumps are followed", {
  net <- reaction_network("A <-> B" = c(500, 500), initial = c(A = 100)) # 1e5 jumps
  found <- states_of_solution(net, 2)
  expect_lte(gap(found, cbind(100:0, 0:100), stats::dbinom(0:100, 100, 0.5)), 1e-8)
})

net <- reaction_network("A -> B" = 1, "2 B -> 0" = 0.1, initial = c(A = 3))

test_that("initial counts can be changed", {
  by_hand <- chemical_master_equation(set_initial(net, A = 5, B = 1), c(1, 2))
  expect_identical(chemical_master_equation(net, c(1, 2), initial = c(B = 1, A = 5)), by_hand)
  expect_identical(by_hand$model$species$initial, c(5, 1))
  expect_identical(chemical_master_equation(net, 1, initial = NULL), chemical_master_equation(net, 1))
})

test_that("parameters can be changed", {
  net <- reaction_network("A -> B" = mass_action("k"), initial = c(A = 3), parameters = c(k = 1))
  by_hand <- chemical_master_equation(set_parameters(net, k = 2), 1)
  expect_identical(chemical_master_equation(net, 1, parameters = c(k = 2)), by_hand)
  expect_error(chemical_master_equation(net, 1, parameters = c(j = 2)), "\"j\"", class = "fireflip_error_argument")
})

test_that("the result gives states, marginals and moments", {
  solution <- chemical_master_equation(net, c(0, 1, 3))
  expect_s3_class(solution, "cme_solution", exact = TRUE)
  states <- as.data.frame(solution)
  expect_identical(names(states), c("time", "A", "B", "probability"))
  expect_identical(as.vector(table(states$time)), solution$times$states)
  expect_identical(order(states$time, states$A, states$B), seq_len(nrow(states)))
  expect_identical(states[1, ], data.frame(time = 0, A = 3, B = 0, probability = 1))
  marginals <- as.data.frame(solution, what = "marginals")
  by_hand <- stats::aggregate(probability ~ B + time, states, sum)
  rows <- marginals[marginals$species == "B", ]
  expect_identical(rows$count, by_hand$B)
  expect_identical(rows$time, by_hand$time)
  expect_equal(rows$probability, by_hand$probability, tolerance = 1e-14)
  moments <- as.data.frame(solution, what = "moments")
  expect_identical(moments, summary(solution))
  expect_identical(moments$species, rep(c("A", "B"), 3))
  expect_equal(moments$mean[moments$species == "A"], 3 * exp(-c(0, 1, 3)), tolerance = 1e-7)
  expect_equal(moments$sd[moments$species == "A"], sqrt(3 * exp(-c(0, 1, 3)) * (1 - exp(-c(0, 1, 3)))), tolerance = 1e-7)
  expect_identical(nrow(format(solution)), 6L)
  expect_snapshot({
    solution
    print(solution, n = 2)
    print(chemical_master_equation(net, 0), n = 0)
  })
})

test_that("the distribution can be plotted", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  solution <- chemical_master_equation(net, seq(0, 4, 0.5))
  expect_identical(plot(solution), as.data.frame(solution, what = "marginals"), ignore_attr = TRUE)
  expect_identical(unique(plot(solution, species = "B", main = "B alone", xlim = c(0, 2), col = "red")$species), "B")
  expect_identical(plot(solution, type = "moments"), summary(solution), ignore_attr = TRUE)
  expect_identical(unique(plot(solution, "moments", species = 2)$species), "B")
  expect_invisible(plot(chemical_master_equation(net, 0)))
  expect_error(plot(solution, species = "C"), class = "fireflip_error_argument")
  expect_error(plot(solution, species = character()), class = "fireflip_error_argument")
})

test_that("plots look like those of ensembles", {
  solution <- chemical_master_equation(net, seq(0, 4, 0.5))
  sim <- simulate(net, nsim = 100, times = seq(0, 4, 0.5), seed = 1)
  legends <- function(...) {
    texts <- Filter(function(call) length(call[[3L]]) > 1L, call_of(drawn(plot(...)), "C_text"))
    vapply(texts, function(call) paste(call[[3L]], collapse = ", "), "")
  }
  expect_identical(legends(solution, type = "moments"), legends(sim))
  expect_identical(drawn_lines(plot(solution, type = "moments"))$col, drawn_lines(plot(sim))$col)
  # each panel names the same six of the nine times
  times <- "time 0, time 1, time 1.5, time 2.5, time 3, time 4"
  expect_identical(unname(legends(solution)), rep(times, 2L))
  calls <- drawn(plot(solution, type = "moments"))
  band <- call_of(calls, "C_polygon")
  expect_gte(min(unlist(lapply(band, `[[`, 3L))), 0)
  # the names are beside the plot, whose axis goes from 0 to 4
  named <- Filter(function(call) length(call[[3L]]) == 2L, call_of(calls, "C_text"))
  expect_gt(min(named[[1L]][[2L]]$x), 4 * 1.04)
  expect_no_warning(drawn(plot(solution, log = "y", lwd = 1:9)))
})

test_that("each time has a colour that is seen on white, and a name", {
  lightness <- function(colour) grDevices::convertColor(t(grDevices::col2rgb(colour)) / 255, "sRGB", "Lab")[, 1L]
  expect_lt(max(lightness(time_colours(3))), 85)
  expect_identical(anyDuplicated(time_colours(40)), 0L)
  expect_identical(time_labels(c(1, 1.00001)), c("time 1", "time 1.00001"))
  skip_if_not_installed("ggplot2")
  solution <- chemical_master_equation(net, c(0.5, 1, 2))
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(solution, species = "A"))
  expect_setequal(drawn$data[[1L]]$colour, time_colours(3))
})

test_that("errors say what is wrong", {
  birth <- reaction_network("0 -> A" = 1000)
  expect_snapshot(error = TRUE, {
    chemical_master_equation(net)
    chemical_master_equation(net, c(2, 1))
    chemical_master_equation(net, "1")
    chemical_master_equation(net, -1)
    chemical_master_equation(net, Inf)
    chemical_master_equation(net, 1, initial = c(C = 1))
    chemical_master_equation(net, 1, initial = c(A = 0.5))
    chemical_master_equation(net, 1, tolerance = 0)
    chemical_master_equation(net, 1, max_states = 0)
    chemical_master_equation(net, 1, states = 10)
    chemical_master_equation(pbn(c(A = "A")), 1)
    chemical_master_equation(birth, 1, max_states = 50)
    chemical_master_equation(birth, 1, tolerance = 1e-15)
    chemical_master_equation(reaction_network("A -> 0" = "(1 + time) * A", initial = c(A = 1)), 1)
    chemical_master_equation(reaction_network("A -> B" = "A - 1.5", initial = c(A = 3)), 1)
    as.data.frame(chemical_master_equation(reaction_network("time -> 0" = 1), 1))
    as.data.frame(chemical_master_equation(net, 1), what = "mean")
  })
  size <- tryCatch(chemical_master_equation(birth, 1, max_states = 50), error = class)
  expect_identical(size[[1L]], "fireflip_error_size")
})

test_that("a long computation tells how far it is", {
  state <- list(time = 2, states = 1500)
  expect_identical(tell_if_solving_is_slow(state, 100, 9), 10)
  expect_identical(tell_if_solving_is_slow(state, 4, 12), 10)
  expect_message(
    due <- tell_if_solving_is_slow(state, 100, 10), "known up to time 2 of 100, with 1,500 states. At this speed, .* 8 minutes",
    class = "fireflip_message_long"
  )
  expect_identical(due, 20) # it is repeated when the time has doubled
  expect_no_message(tell_if_solving_is_slow(state, 100, 19, due))
  expect_message(tell_if_solving_is_slow(state, 100, 20, due, 1500), "largest number allowed", class = "fireflip_message_long")
  expect_message(tell_if_solving_is_slow(state, 4, 61), class = "fireflip_message_long")
  expect_message(tell_if_solving_is_slow(list(time = 0, states = 3), 1, 11), class = "fireflip_message_long")
})

test_that("a call can be interrupted", {
  slow <- reaction_network("2 X <-> 3 X" = c(0.36, 1.5e-3), "0 <-> X" = c(2200, 37.5), initial = c(X = 250))
  started <- proc.time()[["elapsed"]]
  expect_error({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    on.exit(setTimeLimit())
    chemical_master_equation(slow, 1000, tolerance = 0.1)
  }, "time limit")
  # the call takes minutes; an interrupt is noticed between pieces of 0.1 s, and 20 s allow for a busy machine
  expect_lt(proc.time()[["elapsed"]] - started, 20)
})
