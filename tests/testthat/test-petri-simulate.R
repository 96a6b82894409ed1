# Simulations of Petri nets: closed forms, equal bits, and what ensembles of any model have.
#
# There are 19 statistical tests in this file. Each has the level 1e-3 / 19, so a right simulator fails one of them with a
# probability of at most 1e-3. Seeds are fixed.
level <- 1e-3 / 19
far <- qnorm(1 - level / 2)

# The distance of a mean of n values from the exact one, in standard errors.
errors_off <- function(x, mean, variance) abs(mean(x) - mean) / sqrt(variance / length(x))
final <- function(net, n, end, ...) simulate(net, nsim = n, times = end, output = "final", seed = 11, progress = FALSE, ...)

test_that("nets without flows are reaction networks, with the same numbers", {
  net <- petri_net("A + E -> C" = 1, "C -> A + E" = 2, "C -> B + E" = 3, initial = c(A = 10, E = 2), variables = c(all = "A + B"))
  rn <- as_reaction_network(net)
  run <- function(model, ...) simulate(model, nsim = 100, times = 1:3, seed = 1, ...)
  sim <- run(net)
  expect_identical(class(sim), c("petri_ensemble", "ensemble", "data.frame"))
  renamed <- as.data.frame(run(rn))
  names(renamed)[[2]] <- "place"
  expect_identical(as.data.frame(sim), renamed)
  expect_identical(as.data.frame(run(net, output = "trajectories")), as.data.frame(run(rn, output = "trajectories")))
  events <- run(net, output = "events")
  expect_identical(names(events), c("trajectory", "time", "transition"))
  expect_identical(as.integer(events$transition), as.integer(run(rn, output = "events")$reaction))
  expect_identical(first_passage(net, "all < 10", nsim = 20, end = 5, seed = 2)$time,
                   first_passage(rn, "all < 10", nsim = 20, end = 5, seed = 2)$time)
  sweep <- function(model) sweep_parameters(model, data.frame(A = c(5, 10)), nsim = 20, times = 1, seed = 1)
  expect_identical(sweep(net)$mean, sweep(rn)$mean)
})

test_that("the method \"exact\" has the distribution of reaction networks", {
  net <- petri_net(
    "A + E -> C" = 1, "C -> A + E" = 2, "C -> B + E" = 3, "2 B -> D" = "B * (B - 1) * (time < 0.8)", initial = c(A = 10, E = 2)
  )
  run <- function(seed, method) simulate(net, nsim = 1000, times = 1, output = "histogram", seed = seed, method = method)
  expect_gt(min(compare_ensembles(run(1, "exact"), run(2, "auto"))$adjusted, na.rm = TRUE), level)
})

test_that("trajectories of coloured places are long, and all methods know their colours", {
  net <- petri_net(
    move = transition("A[x,y] -> A[next(x),y]", rate = 1), colours = list(X = 1:3, Y = c("u", "v")), sets = c(Cell = "X * Y"),
    indices = c(x = "X", y = "Y"), places = c(A = "Cell"), initial = c("A[1,u]" = 5, "A[2,v]" = 3), variables = c(all = "sum(A)")
  )
  run <- function(...) simulate(net, nsim = 60, times = 1:2, seed = 1, ...)
  paths <- run(output = "trajectories", observe = c("A", "all"))
  expect_identical(names(paths), c("trajectory", "time", "place", "X", "Y", "value"))
  expect_identical(paths$X[1:7], c(1L, 1L, 2L, 2L, 3L, 3L, NA))
  expect_identical(paths$Y[1:7], c("u", "v", "u", "v", "u", "v", NA))
  expect_true(all(paths$value[paths$place == "all"] == 8))
  sim <- run()
  expect_identical(names(sim)[1:5], c("time", "place", "X", "Y", "mean"))
  at <- paths$time == 2 & paths$X %in% 2 & paths$Y %in% "u"
  expect_equal(sim$mean[sim$time == 2 & sim$X == 2 & sim$Y == "u"], mean(paths$value[at]))
  expect_identical(summary(paths)$last$place[1:2], c("A[1,u]", "A[1,v]"))
  expect_identical(quantile(paths, 0.5)$q50, quantile(run(output = "histogram", observe = c("A", "all")), 0.5)$q50)
  expect_identical(names(noise(sim))[1:4], c("time", "place", "X", "Y"))
  for (output in c("summary", "trajectories", "final", "histogram", "events")) {
    part <- function(i) run(output = output, shard = c(i, 2))
    expect_identical(c(part(2), part(1)), run(output = output), info = output)
  }
  half <- run(output = "final")
  expect_s3_class(simulate(net, times = 3, initial = half, seed = 1), "petri_ensemble")
  expect_identical(run(observe = "A[3,v]")$mean, sim$mean[sim$X == 3 & sim$Y == "v"])
  expect_error(run(observe = "A[4,u]"), "does not have this colour", class = "fireflip_error_argument")
  expect_error(run(observe = c("A", "A[1,u]")), "\"A[1,u]\" more than once", fixed = TRUE, class = "fireflip_error_argument")
  pdf(NULL)
  on.exit(dev.off())
  for (x in list(sim, paths, run(output = "histogram"), run(output = "events"), noise(sim))) expect_silent(plot(x))
})

test_that("an on/off gene with a flowing protein has the Beta distribution", {
  got <- final(petri_model("gene"), 1000, 20)$protein # exp(-20) of the start is left
  expect_gt(ks.test(got, "pbeta", 1.5, 2.5)$p.value, level)
  expect_lt(errors_off(got, 0.375, 1.5 * 2.5 / (4^2 * 5)), far)
})

test_that("growth that is reset at the rate of its level has Rayleigh intervals", {
  net <- petri_model("growth")
  events <- simulate(net, nsim = 200, times = 12, output = "events", seed = 3)
  gaps <- unlist(tapply(events$time, events$trajectory, function(t) diff(c(0, t))[1:3])) # the fourth is before 12 but for 1e-9
  expect_gt(ks.test(gaps, function(t) 1 - exp(-t^2 / 2))$p.value, level)
  expect_gt(ks.test(final(net, 1000, 12)$x, function(x) 2 * pnorm(x) - 1)$p.value, level)
})

test_that("jumps into a place that decays have their mean and variance", {
  net <- petri_net("0 -> x" = transition(rate = 4), "x -> 0" = flow(0.5), continuous = "x")
  got <- final(net, 1000, 3)$x
  mean <- 8 * (1 - exp(-1.5))
  variance <- 4 * (1 - exp(-3))
  expect_lt(errors_off(got, mean, variance), far)
  fourth <- 3 * variance^2 + 4 * (1 - exp(-6)) / 2 # the fourth cumulant of shot noise is 4 (1 - exp(-4 g t)) / (4 g)
  expect_lt(errors_off((got - mean)^2, variance, fourth - variance^2), far)
})

test_that("a hazard that decays may never fire", {
  net <- petri_net("x -> 0" = flow(2), "A -> B" = transition(rate = "3 * x"), initial = c(x = 1, A = 1), continuous = "x")
  expect_lt(errors_off(final(net, 1000, 30)$A, exp(-1.5), exp(-1.5) * (1 - exp(-1.5))), far)
})

test_that("counted nets whose weights change are simulated as nets", {
  net <- petri_net("0 -> A" = 5, flush = transition("(A) A -> 0", rate = "0.5 * (A > 0)")) # all go at once
  got <- final(net, 1000, 30)$A # Poisson with the mean 5 T, and T is exponential with the mean 2
  expect_lt(errors_off(got, 10, 110), far)
  weights <- petri_net("A -> B" = 1, t = transition("B -> (n) A", rate = "B"), initial = c(A = 4), parameters = c(n = 2))
  expect_s3_class(simulate(weights, times = 1, seed = 1), "petri_ensemble")
  expect_error(
    simulate(weights, times = 9, parameters = c(n = 1.5), seed = 1), "would set place \"A\"", class = "fireflip_error_model"
  )
})

test_that("delays, weights and schedules", {
  race <- petri_net(
    slow = transition("A -> B", delay = 0.7), fast = transition("A -> C", rate = 1), initial = c(A = 1)
  )
  expect_lt(errors_off(final(race, 1000, 5)$B, exp(-0.7), exp(-0.7) * (1 - exp(-0.7))), far)
  weights <- petri_net(a = transition("A -> B", weight = 1), b = transition("A -> C", weight = 3), initial = c(A = 1))
  expect_lt(errors_off(final(weights, 1000, 1)$C, 0.75, 0.1875), far)
  pulses <- petri_net(p = transition("0 -> A", at = c(1, 2, 6)), "A -> A" = 1)
  got <- simulate(pulses, times = c(0.5, 1, 2.9, 3, 4, 5, 9), output = "trajectories", seed = 1)
  expect_identical(got$A, c(0, 1, 1, 2, 2, 3, 3))
})

test_that("a queue with fixed service times has the length of Pollaczek and Khinchine", {
  net <- petri_net(arrive = transition("0 -> waiting", rate = 0.5), serve = transition("waiting -> 0", delay = 1))
  got <- final(net, 1000, 60)$waiting # with a load of 0.5, the start is forgotten with a relaxation time of about 5
  mean <- 0.5 + 0.5^2 / (2 * (1 - 0.5))
  expect_lt(abs(mean(got) - mean) / (sd(got) / sqrt(1000)), far)
})

test_that("a linear hybrid net has the mean of the stochastic one", {
  rn <- reaction_network("0 -> mRNA" = 2, "mRNA -> 0" = 0.5, "mRNA -> mRNA + protein" = 5, "protein -> 0" = 0.25)
  got <- final(as_petri_net(rn, continuous = "protein"), 1000, 4)$protein
  # m(t) = 4 (1 - exp(-t / 2)), p' = 5 m - p / 4
  mean <- 80 * (1 - exp(-1)) - 80 * (exp(-1) - exp(-2))
  expect_lt(abs(mean(got) - mean) / (sd(got) / sqrt(1000)), far)
})

test_that("nets in which all flows have the numbers of the method \"ode\"", {
  rn <- reaction_network(
    "A -> B" = "k * A * B / (1 + A)", "B -> C" = "2 * B", "C -> A" = "sqrt(1 + C)", initial = c(A = 5, B = 2),
    parameters = c(k = 3)
  )
  net <- as_petri_net(as_petri_net(rn), as = "continuous")
  run <- function(model, ...) as.data.frame(simulate(model, times = 1:5, output = "trajectories", seed = 1, ...))
  expect_identical(run(net, tolerance = c(relative = 1e-8, absolute = 1e-8)), run(rn, method = "ode", tolerance = 1e-8))
  stiff <- petri_net("A -> B" = flow(1e4), "B -> A" = flow(1e4), "B -> 0" = flow(1), continuous = c("A", "B"), initial = c(A = 1))
  for (integrator in c("auto", "rosenbrock")) {
    got <- simulate(stiff, times = 2, output = "final", seed = 1, integrator = integrator)
    expect_equal(got$A + got$B, exp(-1), tolerance = 1e-4) # half of the sum decays with 1; the rest is of order 1e-4
  }
})

test_that("implicit steps go on when levels have faded to numbers of few digits", {
  net <- petri_net(
    tick = transition("0 -> n", at = c(begin = 0, period = 0.02)), "0 -> C" = flow("n"), # each firing ends a step
    "A -> B" = flow(100), "B -> 0" = flow(100), continuous = c("A", "B", "C"), initial = c(A = 1)
  )
  for (integrator in c("auto", "rosenbrock")) {
    got <- simulate(net, times = c(0.01, 10), output = "trajectories", seed = 1, integrator = integrator)
    expect_equal(c(got$A[[1L]], got$B[[1L]]), exp(-1) * c(1, 1), tolerance = 1e-5)
    expect_equal(got$C[[2L]], 0.02 * 500 * 501 / 2, tolerance = 1e-9)
  }
})

test_that("integrators find the same firings", {
  ends <- c(gene = 20, hill = 10, calcium = 0.2, growth = 20)
  firings <- function(name, ...) {
    x <- simulate(petri_model(name), nsim = 20, times = ends[[name]], seed = 5, output = "events", tolerance = 1e-9, ...)
    split(data.frame(time = x$time, transition = as.character(x$transition)), factor(x$trajectory, 1:20))
  }
  # of 1000 seeds, at most 10 may differ: tests/campaign/agreement.R. Two of 20 would be a share that is far larger.
  expect_alike <- function(x, y, info) {
    d <- mapply(function(a, b) if (identical(a$transition, b$transition)) max(0, abs(a$time - b$time)) else Inf, x, y)
    expect_lte(sum(d >= 1e-5), 1, label = info)
  }
  for (name in names(ends)) {
    ours <- firings(name, integrator = "dormand_prince")
    expect_alike(ours, firings(name, integrator = "rosenbrock"), paste(name, "rosenbrock"))
    paper <- firings(name, integrator = "dormand_prince", method = "paper")
    expect_gt(sum(vapply(paper, nrow, 0L)), 50)
    expect_alike(paper, firings(name, integrator = "rosenbrock", method = "paper"), paste(name, "rosenbrock, paper"))
    if (!has_cvode) next
    expect_alike(ours, firings(name, integrator = "cvode"), paste(name, "cvode"))
    expect_alike(paper, firings(name, integrator = "cvode", method = "paper"), paste(name, "cvode, paper"))
  }
})

test_that("without SUNDIALS, the message names the package that has it", {
  skip_if(has_cvode, "SUNDIALS is there")
  expect_error(simulate(petri_model("gene"), times = 1, seed = 1, integrator = "cvode"), "libsundials-dev", fixed = TRUE,
               class = "fireflip_error_unsupported")
})

test_that("Algorithm 1 has the laws of closed forms", {
  got <- final(petri_model("gene"), 1000, 20, method = "paper")$protein
  expect_gt(ks.test(got, "pbeta", 1.5, 2.5)$p.value, level)
  x <- final(petri_model("growth"), 1000, 12, method = "paper")$x
  expect_gt(ks.test(x, function(x) 2 * pnorm(x) - 1)$p.value, level)
  net <- petri_net("x -> 0" = flow(2), "A -> B" = transition(rate = "3 * x"), initial = c(x = 1, A = 1), continuous = "x")
  expect_lt(errors_off(final(net, 1000, 30, method = "paper")$A, exp(-1.5), exp(-1.5) * (1 - exp(-1.5))), far)
  race <- petri_net(wait = transition("a -> slow", delay = 0.8), "a -> fast" = 1.3, initial = c(a = 1))
  p <- exp(-1.3 * 0.8)
  expect_lt(errors_off(final(race, 1000, 5, method = "paper")$slow, p, p * (1 - p)), far)
  md1 <- petri_net("0 -> queue" = 0.6, start = transition("queue + idle -> busy", weight = 1),
                   serve = transition("busy -> idle", delay = 1), initial = c(idle = 1))
  idle <- final(md1, 1000, 60, method = "paper")$idle
  expect_lt(errors_off(idle, 0.4, 0.24), far)
  birth <- petri_net("0 -> A" = 3, "A -> 0" = 1) # without flows, too: Poisson
  got <- final(birth, 1000, 2, method = "paper")$A
  expect_lt(errors_off(got, 3 * (1 - exp(-2)), 3 * (1 - exp(-2))), far)
  expect_identical(attr(simulate(birth, times = 1, seed = 1, method = "paper"), "run")$method, "paper")
})

test_that("bits do not depend on threads, parts and times, and depend on the seed", {
  for (net in list(petri_model("hill"), petri_model("calcium", nx = 2, ny = 2), petri_model("puff", channels = 3))) {
    end <- if ("mRNA" %in% net$places$place) 20 else 0.05
    run <- function(...) simulate(net, nsim = 7, output = "final", seed = 5, ...)
    one <- run(times = end, threads = 1)
    expect_identical(run(times = end, threads = 2), one)
    expect_identical(as.data.frame(run(times = seq(0, end, length.out = 8))), as.data.frame(one))
    part <- function(i) run(times = end, shard = c(i, 3))
    expect_identical(c(part(3), part(1), part(2)), one)
    expect_false(identical(as.data.frame(simulate(net, nsim = 7, times = end, output = "final", seed = 6)), as.data.frame(one)))
  }
})

test_that("conditions are found within flows", {
  net <- petri_net("x -> 0" = flow(1), initial = c(x = 1), continuous = "x")
  passed <- first_passage(net, "x < 0.5", nsim = 1, end = 5, seed = 1, tolerance = 1e-9)
  expect_equal(passed$time, log(2), tolerance = 1e-8)
  sim <- simulate(net, times = c(0.5, 1, 2), until = "x <= 0.5", output = "trajectories", seed = 1)
  expect_equal(sim$x, c(exp(-0.5), 0.5, 0.5), tolerance = 1e-5)
})

test_that("an empty place holds its outflow back, or the net is refused", {
  net <- petri_net("0 -> x" = flow("1"), "x -> y" = flow("3"), continuous = c("x", "y"), initial = c(x = 2))
  got <- simulate(net, times = c(0.5, 1, 3), output = "trajectories", seed = 1)
  expect_equal(got$x, c(1, 0, 0), tolerance = 1e-6)
  expect_equal(got$y, c(1.5, 3, 5), tolerance = 1e-6)
  expect_error(simulate(net, times = 3, seed = 1, semantics = "bio"), "x", class = "fireflip_error_model")
})

test_that("hybrid nets have all outputs, and go on from final states", {
  net <- petri_model("gene")
  run <- function(...) simulate(net, nsim = 40, times = 1:3, seed = 4, ...)
  expect_s3_class(run(quantiles = c(0.1, 0.9)), "petri_ensemble")
  expect_identical(nrow(covariances(run(covariance = TRUE))), 9L)
  paths <- run(output = "trajectories")
  expect_identical(names(paths), c("trajectory", "time", "off", "on", "protein"))
  expect_equal(run()$mean[run()$place == "protein"], as.vector(tapply(paths$protein, paths$time, mean)), tolerance = 1e-12)
  expect_identical(unique(as.character(run(output = "events")$transition)), c("switch_on", "switch_off"))
  half <- simulate(net, nsim = 40, times = 1, output = "final", seed = 4)
  expect_identical(nrow(simulate(net, times = 2:3, initial = half, output = "trajectories", seed = 5)), 80L)
  sweep <- sweep_parameters(net, data.frame(k_on = c(1, 3)), nsim = 20, times = 2, seed = 1)
  expect_identical(sweep$mean[sweep$setting == 2], simulate(set_parameters(net, k_on = 3), nsim = 20, times = 2,
                                                            seed = attr(sweep, "run")$seeds[[2]])$mean)
})

test_that("runs that cannot go on say why", {
  model <- function(net, text, ...) expect_error(simulate(net, times = 10, seed = 1, ...), text, class = "fireflip_error_model")
  model(petri_net(a = transition("A -> B", weight = 1), b = transition("B -> A", weight = 1), initial = c(A = 1)),
        "fire without end")
  below <- petri_net("x -> 0" = flow(1), t = transition("A -> B", rate = "x - 2"), initial = c(x = 1, A = 1), continuous = "x")
  model(below, "\"t\"")
  model(petri_net(t = transition("A -> B", delay = "A - 5"), initial = c(A = 1)), "\"t\"")
  argument <- function(..., text) {
    expect_error(simulate(petri_model("gene"), ...), text, fixed = TRUE, class = "fireflip_error_argument")
  }
  argument(times = 1, method = "direct", text = "as_reaction_network(net)")
  argument(times = 1, tolerance = 2, text = "`tolerance` must be")
  argument(times = 1, observe = "k_on", text = "a parameter")
  argument(times = 1, integrator = "cvodes", text = "`integrator`")
  argument(times = 1, initial = c(k_on = 3), text = "`parameters` takes its value")
  queue <- petri_net(serve = transition("waiting -> 0", delay = 1), initial = c(waiting = 2))
  half <- simulate(queue, times = 0.5, output = "final", seed = 1)
  expect_error(simulate(queue, times = 1, initial = half), "does not have its clock", class = "fireflip_error_argument")
})

test_that("a net whose weights depend on places is simulated as it is, whatever the method", {
  net <- petri_net("0 -> A" = 1, "0 -> (A + 1) B" = 1)
  auto <- simulate(net, nsim = 50, times = c(1, 2), seed = 1)
  exact <- simulate(net, nsim = 50, times = c(1, 2), seed = 1, method = "exact")
  expect_identical(as.data.frame(auto), as.data.frame(exact))
  expect_gt(mean(first_passage(net, "B > 3", nsim = 50, end = 20, seed = 1)$time, na.rm = TRUE), 0)
})

test_that("a firing changes when a condition of levels and counts becomes true", {
  net <- petri_net(
    "x -> 0" = flow(1), fire = transition("A -> B", rate = "x"), initial = c(x = 1.5, A = 1), continuous = "x"
  )
  passage <- function(condition, method) {
    first_passage(net, condition, nsim = 1000, end = 50, seed = 1, method = method)$time
  }
  for (method in c("exact", "paper")) {
    fire <- passage("B == 1", method)
    late <- passage("x < 0.5 && B == 0", method)
    expect_identical(late < 50, fire > log(3)) # 50: never
    expect_lt(max(abs(late[late < 50] - log(3))), 1e-5)
    expect_lt(max(abs(passage("x < 0.25 + B", method) - pmin(log(6), pmax(fire, log(1.2))))), 1e-4)
  }
})

test_that("the first token beyond 2^53 is an error, although its sum is rounded", {
  net <- petri_net("0 -> B" = 5, "0 -> x" = flow(1), continuous = "x", initial = c(B = 2^53 - 2))
  run <- function(method, ...) simulate(net, seed = 1, method = method, ...)
  for (method in c("exact", "paper")) {
    second <- run(method, times = 50, until = "B == 2^53", output = "final")
    expect_identical(second$B, 2^53)
    expect_error(run(method, times = 50), "\"B\"", class = "fireflip_error_size")
  }
})

test_that("a condition that holds at the start ends every trajectory there", {
  net <- petri_net("0 -> x" = flow("1 + x"), "A -> 0" = 1, initial = c(x = 0.5, A = 3), continuous = "x")
  for (method in c("exact", "paper")) {
    for (condition in c("x > 0.2", "A > 2", "time >= 0")) {
      passed <- first_passage(net, condition, nsim = 40, end = 2, seed = 1, threads = 1, method = method)
      expect_identical(passed$time, rep(0, 40))
    }
  }
})

test_that("time goes on for levels after a firing or an event that changes none of them", {
  times <- c(0.5, 1, 1.5, 2, 3)
  make <- function(...) petri_net("y -> 0" = flow(0.5), "x -> 0" = flow(1), ..., continuous = c("x", "y"), initial = c(y = 3))
  nets <- list(
    make(transition("0 -> 0", rate = "20 * min(y, 1.45)", reset = "x")),
    make("0 -> n" = 20, events = list(set = event("n - 2 * floor(n / 2) == 1", set = c(x = 0))))
  )
  for (net in nets) {
    levels <- as.data.frame(simulate(net, nsim = 20, times = times, seed = 1, output = "trajectories"))
    expect_equal(levels$y, rep(3 * exp(-0.5 * times), 20), tolerance = 1e-5)
  }
})

# An ensemble says of most of the solver's steps at once that nothing fires in them; a lone trajectory searches each.
test_that("trajectories of ensembles have the bits of lone ones", {
  peak <- petri_net(
    on = transition("off -> on", rate = "off * (0.2 + 40 * exp(-((x - 1) / 0.01)^2))"),
    off = transition("on -> off", rate = mass_action(2)), "0 -> x" = flow("3 * on + 0.3"), "x -> 0" = flow(1),
    birth = transition("0 -> n", rate = "x + 1"), death = transition("n -> 0", rate = mass_action(0.5)),
    continuous = "x", initial = c(off = 1)
  )
  for (net in list(petri_model("gene"), petri_model("hill"), petri_model("growth"), peak)) {
    run <- function(...) {
      as.data.frame(simulate(net, nsim = 24, times = c(0.7, 12), seed = 5, output = "trajectories", threads = 1, ...))
    }
    all <- run()
    for (i in c(1, 9, 24)) {
      expect_identical(unname(as.list(run(shard = c(i, 24)))), unname(as.list(all[all$trajectory == i, ])))
    }
  }
})
