# Formulas below 0, also while a reactant is absent; and "ode", which takes them.

# Differences stay one reaction here.
reaction_network <- function(...) fireflip::reaction_network(..., reversible = "keep")

exact_or_leaping <- setdiff(ssa_methods()$method, "ode")

# Whether a method does not simulate a network.
refuses <- function(net, method) {
  tryCatch({
    simulate(net, times = 0, method = method, seed = 1)
    FALSE
  }, fireflip_error_unsupported = function(e) TRUE, fireflip_error_model = function(e) FALSE)
}

binding <- reaction_network("ES -> E + S" = "0.1 * ES - 0.01 * E * S", initial = c(ES = 0, E = 50, S = 50))
offset <- reaction_network("A -> B" = "A - 1 - B", initial = c(A = 0, B = 2))

test_that("a formula below 0 is an error while a reactant is absent, with every method", {
  for (method in exact_or_leaping) for (nsim in c(1, 40)) {
    found <- function(net, value) {
      if (refuses(net, method)) return("which partial-propensity methods need")
      sprintf("the propensity of reaction \"R1\" is %d at", value)
    }
    expect_error(simulate(binding, nsim, times = 1, method = method, seed = 1), found(binding, -25L))
    expect_error(simulate(offset, nsim, times = 1, method = method, seed = 1), found(offset, -3L))
  }
  sentence <- paste0("the propensity of reaction \"R1\" is -25 at time 0 of trajectory 1, where \"ES\" is 0, \"E\" is 50, ",
                     "\"S\" is 50; expected a finite number of at least 0")
  expect_error(simulate(binding, 9, times = 1, seed = 1), sentence, class = "fireflip_error_model", fixed = TRUE)
  sentence <- "the propensity is -25 in a state that can be reached (\"ES\" = 0, \"E\" = 50, \"S\" = 50)"
  expect_error(chemical_master_equation(binding, 1), sentence, class = "fireflip_error_model", fixed = TRUE)
  expect_error(chemical_master_equation(offset, 1), "is -3 in a state that can be reached", class = "fireflip_error_model")
})

test_that("it is an error when a reactant is used up, also in other calls", {
  # the first firing of R1 leaves A = 0, B = 5 and the formula -0.5
  net <- reaction_network("A -> B" = 1, "A + B -> C" = "k * (A - 0.5)", initial = c(A = 1, B = 4), parameters = c(k = 1))
  error <- function(call) expect_error(call, "is -0.5", class = "fireflip_error_model")
  for (method in exact_or_leaping) if (!refuses(net, method) && method != "langevin") {
    error(simulate(net, 40, times = 50, method = method, seed = 1))
  }
  error(simulate(net, 20, times = 50, until = "C >= 9", seed = 1))
  error(simulate(net, 20, times = 50, output = "events", seed = 1))
  error(first_passage(net, "C >= 9", nsim = 20, end = 50, seed = 1))
  error(chemical_master_equation(net, 1))
  error(sweep_parameters(set_parameters(net, k = 2), data.frame(k = c(0, 1)), nsim = 20, times = 50, seed = 1))
  # a run that continues another one
  ends <- simulate(reaction_network("A -> B" = 1, "A + B -> C" = "k * B", initial = c(A = 1, B = 4), parameters = c(k = 0)),
                   20, times = 50, output = "final", seed = 1)
  expect_error(simulate(net, initial = ends, times = 51, seed = 2), "is -0.5", class = "fireflip_error_model")
})

test_that("it is an error with rates that depend on the time, variables and events", {
  run <- function(..., method) {
    net <- suppressWarnings(reaction_network(...), classes = "fireflip_warning_propensity")
    simulate(net, 10, times = 5, method = method, seed = 1, output = "final")
  }
  for (method in c("direct", "logarithmic_direct", "first_reaction", "next_reaction")) {
    error <- function(call, ...) expect_error(call, ..., class = "fireflip_error_model")
    # the first double at which the formula is below 0 by more than its rounding error
    error(run("A -> B" = "2 - time", "B -> B" = 1, initial = c(A = 0, B = 3), method = method), "at time 2 of")
    error(run("A -> B" = "v - 1", variables = c(v = "A * B"), initial = c(A = 0, B = 3), method = method), "is -1 at time 0")
    error(run("A -> B" = "k * B", "B -> B" = 1, initial = c(A = 0, B = 3), parameters = c(k = 1),
              events = list(event("time >= 2", set = c(k = -1))), method = method), "is -3 at time 2 of")
    error(run("A -> B" = "1 - C", initial = c(A = 0, C = 0), events = list(event("time >= 2", set = c(C = 4))),
              method = method), "is -3 at time 2 of")
    # an event lets A return
    back <- event("time >= 1", set = c(A = 3))
    fine <- run("A -> B" = "20 * (time > 1) + 6 - time", initial = c(A = 0), events = list(back), method = method)
    expect_identical(fine$B, rep(3, 10)) # there are 88 firings on average if A is enough
    error(run("A -> A" = "3 - time", initial = c(A = 0), events = list(back), method = method), "at time 3 of")
  }
})

test_that("a formula above 0, or without a value, means that the reaction cannot fire", {
  epidemic <- reaction_network("S + I -> 2 I" = "b * S * I / (S + I)", "I -> 0" = 1, "S -> 0" = 0.5, parameters = c(b = 2),
                               initial = c(S = 0, I = 0))
  limit <- reaction_network("A -> B" = "3 + B", "B -> 0" = "log(B) + 1", initial = c(A = 3))
  for (method in ssa_methods()$method) {
    if (refuses(epidemic, method)) next
    none <- suppressMessages(simulate(epidemic, 3, times = 9, method = method, seed = 1))
    expect_identical(none$mean, c(0, 0))
    if (method == "ode") next
    some <- simulate(set_initial(epidemic, c(S = 20, I = 5)), 30, times = 99, method = method, seed = 1, output = "final")
    expect_true(all(some$S + some$I < 1))
  }
  # log(0) is -Inf, which is below 0
  expect_error(simulate(limit, times = 1, seed = 1), "is -Inf at time 0", class = "fireflip_error_model")
  # a timed formula without a value
  timed <- reaction_network("S + I -> 2 I" = "S * I * (1 + sin(time)) / (S + I)", "I -> 0" = 1, initial = c(S = 9, I = 3))
  for (method in c("direct", "logarithmic_direct", "first_reaction", "next_reaction")) {
    final <- simulate(timed, 30, times = 99, method = method, seed = 1, output = "final")
    expect_true(all(final$I == 0))
  }
  # with all reactants present, it is an error
  present <- reaction_network("A -> B" = "log(A - 5)", initial = c(A = 3))
  expect_error(simulate(present, times = 1, seed = 1), "is NaN at time 0", class = "fireflip_error_model")
  # mass action is a product with a count that is 0
  scaled <- reaction_network("A -> B" = mass_action("B - 3"), initial = c(A = 0, B = 0))
  expect_identical(simulate(scaled, 9, times = 1, seed = 1)$mean, c(0, 0))
  expect_identical(as.data.frame(chemical_master_equation(scaled, 1), what = "moments")$mean, c(0, 0))
})

test_that("a formula that is below 0 by rounding errors alone is 0 while a reactant is absent", {
  # 1 / 49 * 49 is less than 1 by a rounding error
  net <- function(by) reaction_network("A -> B" = sprintf("B * (1 / (48 + B)) * 49 - %s", by), "B -> B" = 1, initial = c(B = 1))
  for (method in exact_or_leaping) for (nsim in c(1, 40)) {
    if (refuses(net("1"), method) || method == "langevin") next # "langevin" changes counts
    expect_identical(simulate(net("1"), nsim, times = 9, method = method, seed = 1)$mean, c(0, 1))
    expect_error(simulate(net("1.001"), nsim, times = 9, method = method, seed = 1), "is -0.001 at time 0")
  }
  expect_identical(as.data.frame(chemical_master_equation(net("1"), 1), what = "moments")$mean, c(0, 1))
  expect_error(chemical_master_equation(net("1.001"), 1), "is -0.001 in a state")
})

test_that("a formula between two whole counts is no reason for an error", {
  # A (A - 1) is below 0 for real counts below 1
  pairs <- reaction_network("2 A -> B" = "A * (A - 1) / (1 + B)", "B -> 2 A" = 1, "A -> 0" = 0.1, initial = c(A = 30))
  for (method in c("langevin", "implicit_tau_leaping", "tau_leaping")) {
    expect_identical(nrow(simulate(pairs, 20, times = 200, method = method, seed = 1)), 2L)
  }
})

# ---- "ode" --------------------------------------------------------------------------------------------------------------------

solve_ode <- function(net, times, ...) {
  out <- simulate(net, times = times, method = "ode", output = "trajectories", ...)
  as.matrix(out[net$species$species])
}

# The equations dx/dt = changes %*% rates(x), by the method of Runge and Kutta with n steps.
runge_kutta <- function(x, changes, rates, time, n) {
  h <- time / n
  f <- function(x) drop(changes %*% rates(as.list(x)))
  for (i in seq_len(n)) {
    a <- f(x)
    b <- f(x + h / 2 * a)
    c <- f(x + h / 2 * b)
    d <- f(x + h * c)
    x <- x + h / 6 * (a + 2 * b + 2 * c + d)
  }
  x
}

test_that("\"ode\" takes rates below 0", {
  relax <- reaction_network("A -> B" = "k1*A-k2*B", initial = c(A = 0, B = 100), parameters = c(k1 = .2, k2 = .3))
  times <- c(0, 1, 3, 50)
  expect_lt(max(abs(solve_ode(relax, times)[, "A"] - 60 * (1 - exp(-times / 2)))), 1e-5) # A(1) = 23.608
  cycle <- reaction_network("A -> B" = 1, "B -> C" = 1, "C -> A" = "C - A", initial = c(A = 100))
  changes <- cbind(c(-1, 1, 0), c(0, -1, 1), c(1, 0, -1))
  by_hand <- runge_kutta(c(A = 100, B = 0, C = 0), changes, function(x) c(x$A, x$B, x$C - x$A), 0.01, 1000)
  expect_equal(drop(solve_ode(cycle, 0.01)), by_hand, tolerance = 1e-7) # A is 98.0248
  # rounding below 0
  rest <- reaction_network("A -> B" = ".3*A - .7*B", initial = c(A = 70, B = 30))
  expect_equal(unname(solve_ode(rest, c(1, 1000))), cbind(c(70, 70), c(30, 30)), tolerance = 1e-8)
  # a count that is truly negative, and a rate that is below 0 all the time
  swing <- reaction_network("0 -> X" = "Y", "0 -> Y" = "-X", initial = c(X = 0, Y = 100))
  expect_equal(unname(solve_ode(swing, c(1, 4, 20))), 100 * cbind(sin(c(1, 4, 20)), cos(c(1, 4, 20))), tolerance = 1e-6)
  back <- reaction_network("A -> B" = "k * (A < 1e9)", initial = c(A = 3, B = 9), parameters = c(k = -2))
  expect_equal(drop(solve_ode(back, 1)), c(A = 5, B = 7), tolerance = 1e-8)
  negative <- suppressWarnings(reaction_network("A -> B" = "k", initial = c(A = 3, B = 9), parameters = c(k = -2)))
  expect_equal(drop(solve_ode(negative, 1)), c(A = 5, B = 7), tolerance = 1e-8)
  expect_error(simulate(negative, times = 1, seed = 1), "its rate is -2; expected", class = "fireflip_error_model")
  # no rule of absent reactants
  through <- suppressWarnings(reaction_network("A -> B" = "k", initial = c(A = 3), parameters = c(k = 1)))
  expect_equal(drop(solve_ode(through, 5)), c(A = -2, B = 5), tolerance = 1e-8)
})

test_that("\"ode\" takes text as it is written, and numbers as the limit of large counts", {
  pairs <- function(rate) reaction_network("2 P -> P2" = rate, initial = c(P = 4), parameters = c(k = .1))
  # P' = -k P (P - 1) has the solution P / (P - 1) = 4 / 3 exp(k t)
  expect_equal(drop(solve_ode(pairs("k*P*(P-1)/2"), 10))[["P"]], 1 / (1 - 0.75 * exp(-1)), tolerance = 1e-7) # 1.381043
  expect_equal(drop(solve_ode(pairs(0.1), 10))[["P"]], 0.8, tolerance = 1e-7)
  expect_equal(drop(solve_ode(pairs(mass_action("k")), 10))[["P"]], 0.8, tolerance = 1e-7)
  three <- reaction_network("3 A + B -> C" = "k*A*(A-1)*(A-2)/6*B", "C -> A" = 0.2, initial = c(A = 8, B = 5),
                            parameters = c(k = .1))
  changes <- cbind(c(-3, -1, 1), c(1, 0, -1))
  rates <- function(x) c(0.1 * x$A * (x$A - 1) * (x$A - 2) / 6 * x$B, 0.2 * x$C)
  expect_equal(drop(solve_ode(three, 2)), runge_kutta(c(A = 8, B = 5, C = 0), changes, rates, 2, 4000), tolerance = 1e-6)
  limit <- reaction_network("3 A + B -> C" = 0.1, "C -> A" = 0.2, initial = c(A = 8, B = 5))
  rates <- function(x) c(0.1 * x$A^3 / 6 * x$B, 0.2 * x$C)
  expect_equal(drop(solve_ode(limit, 2)), runge_kutta(c(A = 8, B = 5, C = 0), changes, rates, 2, 4000), tolerance = 1e-6)
})

test_that("\"ode\" passes the time at which a rate jumps", {
  ends <- function(a, r) reaction_network("A -> B" = "r * (A > 0)", initial = c(A = a), parameters = c(r = r))
  # the change of A in the shortest step, 2^-46 of the time, is at most r * 10 * 2^-46
  large <- solve_ode(ends(1e7, 1e6), c(5, 20), tolerance = 1e-10)
  expect_identical(large[[2L, "A"]], 0)
  expect_lt(abs(large[[2L, "B"]] - 1e7), 1e6 * 10 * 2^-46 + 1e-8)
  expect_equal(large[[1L, "A"]], 5e6, tolerance = 1e-9)
  for (a in c(1, 3, 700)) for (r in c(0.3, 1, 1e4, 1e9)) for (tolerance in c(1e-4, 1e-8, 1e-12)) {
    found <- solve_ode(ends(a, r), 3 * a / r, tolerance = tolerance)
    expect_identical(found[[1L, "A"]], 0)
    # a step that overshoots is accepted if this is within the tolerance, or if it is the shortest one
    expect_lt(abs(found[[1L, "B"]] - a), 2 * tolerance * (1 + a) + 2 * a * 2^-46)
  }
  # a step that ends just before the jump leaves it to the next one
  for (i in 1:100) {
    a <- round(10^(8 * ((i * 0.618) %% 1)))
    r <- 10^(10 * ((i * 0.271) %% 1) - 1)
    tolerance <- 10^(8 * ((i * 0.414) %% 1) - 12)
    found <- solve_ode(ends(a, r), 3 * a / r, tolerance = tolerance)[[1L, "B"]]
    expect_lt(abs(found - a), 2 * tolerance * (1 + a) + 6 * a * 2^-46)
  }
  # A' = -sqrt(A) has the solution (sqrt(100) - t / 2)^2 up to t = 20
  root <- reaction_network("A -> B" = "sqrt(A)", initial = c(A = 100))
  expect_equal(solve_ode(root, c(10, 25))[, "A"], c(25, 0), tolerance = 1e-7)
  # A' = -A^2 - 1 has the solution -tan(t), and none beyond pi / 2
  tangent <- reaction_network("0 -> A" = "-A * A - 1", initial = c(A = 0))
  expect_equal(solve_ode(tangent, c(0.5, 1.5))[, "A"], -tan(c(0.5, 1.5)), tolerance = 1e-6)
  expect_error(solve_ode(tangent, 2), "cannot be solved beyond time 1.57", class = "fireflip_error_model")
})

test_that("a network that is written and read gives the same with \"ode\"", {
  net <- reaction_network(
    "2 P -> Q" = "k*P*(P-1)/2", "Q -> 2 P" = 0.3, "2 P + Q -> 0" = mass_action("k * h"), "A -> B" = "k1*A-k2*B", "0 -> P" = "v",
    "A + B -> P" = 0.01, "3 P -> 0" = 0.001, "A + F -> F" = "0.02 * F * A", "F + B -> F" = 0.01, "0 -> A" = 2, "B -> 0" = "v",
    initial = c(P = 4, A = 0, B = 10, F = 3), parameters = c(k = .1, k1 = .2, k2 = .3, h = .01),
    variables = c(v = "k * B / (1 + P)"), fixed = "F"
  )
  read <- function(file) {
    suppressWarnings(read_network(file, reversible = "keep"), classes = "fireflip_warning_negative") # of R4
  }
  times <- c(0.1, 1, 9)
  first <- solve_ode(net, times)
  for (ending in c(".xml", ".net")) {
    again <- net
    for (round in 1:2) {
      again <- read(write_network(again, tempfile(fileext = ending)))
      expect_equal(solve_ode(again, times), first, tolerance = 1e-9)
    }
    expect_error(simulate(again, times = 1, seed = 1), "the propensity of reaction \"R4\" is -3 at time 0")
  }
  # in SBML, also the laws are the same
  again <- read(write_network(net, tempfile(fileext = ".xml")))
  expect_identical(again$reactions$law, net$reactions$law)
  expect_identical(again$reactions$rate[c(2, 3, 6, 7, 9, 10)], c("0.3", "k * h", "0.01", "0.001", "0.01", "2"))
  # a law that was changed in the file is a formula, as it is in SBML
  file <- write_network(net, tempfile(fileext = ".xml"))
  text <- sub("<cn> 0.3 </cn><ci> Q </ci>", "<ci> Q </ci><cn> 0.3 </cn>", readLines(file), fixed = TRUE)
  writeLines(text, file)
  expect_identical(unlist(read(file)$reactions[2, c("rate", "law")], use.names = FALSE), c("Q * 0.3", "formula"))
})

test_that("division by an absent reactant does not hide a negative rate", {
  laws <- c(
    "5 / (1 + (3 / A)^2) - 0.1 * B", "1 / (1 / A + 1 / 2) - 0.1 * B", "k * (1 - B / (A * K))", "if(tanh(A), 1, -5)",
    "1 / (K / A + 1) - k", "if(A - B > -1 * B, A, k * (A - B))"
  )
  for (law in laws) {
    net <- reaction_network(stats::setNames(list(law, 0.5), c("A -> B", "B -> 0")), initial = c(A = 0, B = 10),
      parameters = c(k = 0.3, K = 0.7))
    for (method in c("direct", "next_reaction", "rssa", "tau_leaping")) {
      expect_error(simulate(net, 20, times = 1, seed = 1, method = method), "propensity of reaction \"R1\" is -",
        class = "fireflip_error_model", label = paste(law, method))
    }
    expect_error(chemical_master_equation(net, 1), "propensity is -", class = "fireflip_error_model", label = law)
  }
  timed <- reaction_network("A -> B" = "(1 + sin(time)) * 5 / (1 + (3 / A)^2) - 0.1 * B", initial = c(A = 0, B = 10))
  expect_error(simulate(timed, times = 1, seed = 1), "is -1 at time 0", class = "fireflip_error_model")
})

test_that("with \"ode\", a rate without a value at a negative count is an error, and a true negative count is shown", {
  falling <- function(rate) {
    suppressWarnings(reaction_network("A -> 0" = "k", "0 -> B" = rate, initial = c(A = 4), parameters = c(k = 1)),
      classes = "fireflip_warning_propensity")
  }
  expect_equal(solve_ode(falling("sqrt(A)"), c(1, 3))[, "B"], 2 / 3 * (8 - c(3^1.5, 1)), tolerance = 1e-6)
  expect_error(solve_ode(falling("sqrt(A)"), 5), "rate of reaction \"R2\" is NaN at time 4", class = "fireflip_error_model")
  expect_error(solve_ode(falling("log(A + 1)"), 6), "rate of reaction \"R2\" is NaN at time 5", class = "fireflip_error_model")
  far <- reaction_network("A -> 0" = "k * (A + 5)", initial = c(A = 1e9), parameters = c(k = 1))
  times <- c(1, 20, 60)
  expect_equal(solve_ode(far, times)[, "A"], (1e9 + 5) * exp(-times) - 5, tolerance = 1e-6)
})

test_that("a line of a .net file that was changed after it was written means what it says", {
  net <- reaction_network("A -> B" = "vm*A/(K+A)", "2 A + B -> A" = "vm*A*B", initial = c(A = 50, B = 9),
    parameters = c(vm = 5, K = 10))
  file <- write_network(net, tempfile(fileext = ".net"))
  lines <- readLines(file)
  rates_of <- function(from, to) {
    expect_true(any(grepl(from, lines, fixed = TRUE)))
    writeLines(sub(from, to, lines, fixed = TRUE), file)
    read_network(file)$reactions[c("rate", "law")]
  }
  expect_identical(rates_of("_rate1 #", "_rate1 #")$law, c("formula", "formula"))
  expect_identical(as.list(rates_of(" _rate1 #", " 0.5 #")[1, ]), list(rate = "0.5", law = "mass action"))
  expect_identical(rates_of("_law1()/_n1", "_law1()/2/_n1")$law, c("mass action", "formula"))
  expect_identical(rates_of("/(_n1-1)", "/(_n1-2)")$law, c("formula", "mass action"))
  expect_error(rates_of(" _rate1 #", " _rate9 #"), "\"_rate9\"", class = "fireflip_error_parse")
})
