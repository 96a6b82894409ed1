# What new users of Petri nets meet: texts that are almost right, and what messages say of them.

parse_error <- function(code, text) expect_error(code, text, fixed = TRUE, class = "fireflip_error_parse")

test_that("a data frame of transitions keeps schedules", {
  net <- petri_net(
    p = transition("0 -> A", at = c(1, 2, 6)), q = transition("0 -> A", at = c(begin = "2 * k", period = "k")), "A -> B" = 1,
    parameters = c(k = 3)
  )
  expect_identical(petri_net(as.data.frame(net), parameters = c(k = 3)), net)
})

test_that("names with blanks may be written without quotes in `initial`", {
  net <- petri_net("`a b` -> B" = 1, initial = c("a b" = 5))
  expect_identical(net, petri_net("`a b` -> B" = 1, initial = c("`a b`" = 5)))
  expect_identical(set_initial(net, "a b" = 3)$markings$value, "3")
  expect_identical(sum(simulate(net, times = 1, initial = c("a b" = 3), seed = 1)$mean), 3)
  coloured <- function(...) {
    petri_net("`a b`[x] -> B" = 1, colours = list(X = 1:3), indices = c(x = "X"), places = c("a b" = "X"), initial = c(...))
  }
  expect_identical(coloured("a b[2]" = 5), coloured("`a b`[2]" = 5))
  expect_identical(unfold(coloured("a b" = 5))$markings$element, paste0("`a b[", 1:3, "]`"))
  flat <- unfold(coloured("a b[2]" = 5)) # its places are called a b[1] and so on
  expect_identical(set_initial(flat, "a b[3]" = 7)$markings$element, c("`a b[2]`", "`a b[3]`"))
  expect_output(print(coloured("a b[2]" = 5)), "start: a b[2] = 5", fixed = TRUE)
})

test_that("print() shows the conditions of markings", {
  path <- tempfile(fileext = ".candl")
  on.exit(unlink(path))
  net <- petri_net(
    "A[x] -> 0" = 1, colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X"), initial = list(A = "4")
  )
  net$markings$when <- "x == 2"
  expect_output(print(net), "start: A = 4 where x == 2", fixed = TRUE)
})

test_that("wrong colours are told at once, with their place and set", {
  make <- function(...) petri_net("A[x] -> B" = 1, colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X"), ...)
  wrong <- "names \"A[7]\", but 7 is no colour of X (1:3), which the place \"A\" has"
  argument <- function(code) expect_error(code, wrong, fixed = TRUE, class = "fireflip_error_argument")
  argument(make(initial = c("A[7]" = 1)))
  argument(set_initial(make(), "A[7]" = 1))
  argument(simulate(make(), times = 1, initial = c("A[7]" = 1)))
  expect_warning(
    petri_net("A[7] -> B" = 1, "B -> A[1]" = 1, colours = list(X = 1:3), places = c(A = "X")), wrong, fixed = TRUE,
    class = "fireflip_warning_colours"
  )
  expect_no_warning(petri_net("A[x] -> A[x + 1]" = 1, colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X")))
  sides <- function(...) {
    petri_net("A[s,x] -> B" = 1, colours = list(S = c("left", "right"), T = "top", X = 1:2), sets = c(P = "S * X"),
              indices = c(s = "S", x = "X"), places = c(A = "P"), ...)
  }
  expect_error(sides(initial = c("A[top,1]" = 1)), "top is no colour of S ({left, right})", fixed = TRUE)
  several <- c("A[right, 2]" = 1, "A[left,3]" = 1, "A[top,4]" = 1) # the first wrong one is named, and its first wrong colour
  expect_error(sides(initial = several), "\"A[left,3]\", but 3 is no colour of X (1:2)", fixed = TRUE)
  expect_error(sides(initial = several[c(1, 3, 2)]), "\"A[top,4]\", but top is no colour of S", fixed = TRUE)
  expect_no_warning(sides(initial = c("A[right,2]" = 1)))
})

test_that("texts that are almost right get a hint", {
  parse_error(petri_net("A -> B" = transition(rate = 1, test = "B = 2")), "\"==\" compares, as in \"B == 2\"")
  parse_error(petri_net("A -> B" = transition(rate = 1, test = "B => 2")), "comparisons are written >=, < and ==")
  parse_error(petri_net("A -> B" = "MassAction(2)"), "MassAction() of Snoopy is mass_action() of R")
  parse_error(
    petri_net(
      "A[x] -> B" = transition(rate = 1, guard = "x = 2"), colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X")
    ), "(\"==\" compares)"
  )
  parse_error(petri_net("A[x] -> B" = 1, colours = list(X = 1:3), indices = c(x = "X")), "as in places = c(A = \"X\")")
  for (name in c("colors", "Colors", "color", "colour")) {
    call <- stats::setNames(list(1, list(X = 1:3)), c("A -> B", name))
    expect_error(do.call(petri_net, call), "did you mean `colours`?", fixed = TRUE, class = "fireflip_error_argument")
  }
  path <- tempfile(fileext = ".pnml")
  on.exit(unlink(path))
  write_network(petri_model("gene"), path)
  for (format in c("auto", "pnml")) {
    expect_error(
      if (format == "auto") read_network(path) else read_network(path, format),
      "PNML is written by write_network(), but not read", fixed = TRUE, class = "fireflip_error_unsupported"
    )
  }
})

test_that("immediate transitions without end are named, each once", {
  net <- petri_net(
    a = transition("A[x] -> B[x]", weight = 1), b = transition("B[x] -> A[x]", weight = 1), colours = list(X = 1:2),
    indices = c(x = "X"), places = c(A = "X", B = "X"), initial = c("A[2]" = 1)
  )
  error <- tryCatch(simulate(net, times = 1, seed = 1), fireflip_error_model = conditionMessage)
  named <- regmatches(error, gregexpr("\"[^\"]*\"", error))[[1L]]
  expect_setequal(named, c("\"a[2]\"", "\"b[2]\""))
})

test_that("print() says how to see other places", {
  sim <- simulate(petri_model("calcium", nx = 2, ny = 2), times = 0.1, seed = 1)
  expect_output(print(sim), "... and 30 more places; print(x, n = Inf) shows all", fixed = TRUE)
  sim <- simulate(petri_model("calcium", nx = 2, ny = 2), times = c(0, 0.1), seed = 1)
  notes <- unlist(lapply(call_of(drawn(plot(sim)), "C_mtext"), function(one) Filter(is.character, one[-1L])))
  expect_match(notes, "10 of 40 places; `place` chooses others", fixed = TRUE, all = FALSE)
})

test_that("the message on a long run is about the size of a net", {
  net <- petri_model("calcium", nx = 10, ny = 10)
  text <- why_slow(ensemble_engine(net)$grows(net, list()))
  expect_match(text, "The net has 1,000 places and 3,420 transitions, of which 1,020 flow", fixed = TRUE)
  expect_no_match(text, "2^40", fixed = TRUE)
  message <- tryCatch(
    tell_if_slow(list(complete = 0, events = 5e6), 1, 12, grows = function() ensemble_engine(net)$grows(net, list())),
    message = conditionMessage
  )
  expect_match(message, "No trajectory has ended after 12 seconds and 5e6 events. The net has 1,000 places", fixed = TRUE)
})

test_that("small levels are warned of where a rate reads them", {
  small <- function(level, ...) {
    petri_net(
      "x -> 0" = flow(1), fire = transition("A -> B", rate = "1e7 * x"), "0 -> y" = flow("1e-8"), initial = c(x = level, A = 1),
      continuous = c("x", "y")
    )
  }
  warned <- function(code) {
    expect_warning(code, "The levels of \"x\" are at most 1e-07", fixed = TRUE, class = "fireflip_warning_tolerance")
  }
  warned(simulate(small(1e-7), times = 0:1, seed = 1))
  warned(simulate(small(1e-7), times = 0:1, seed = 1, output = "trajectories"))
  expect_no_warning(simulate(small(1e-3), times = 0:1, seed = 1))
  expect_no_warning(simulate(small(1e-7), times = 0:1, seed = 1, tolerance = c(relative = 1e-6, absolute = 1e-14)))
  warned(simulate(small(1e-7), times = 0:1, seed = 1, observe = "B"))
  warned(simulate(small(1e-7), times = 0:1, seed = 1, output = "events"))
  expect_no_warning(simulate(small(1e-3), times = 0:1, seed = 1, observe = "B"))
})

test_that("small levels that are not observed are warned of, also where they grow from 0", {
  net <- petri_net(
    "0 -> s" = flow("k"), "s -> 0" = flow(1), "0 -> y" = flow("1e12 * s"), "y -> 0" = flow(1), continuous = TRUE,
    parameters = c(k = 1e-12)
  )
  warned <- function(code) expect_warning(code, "levels of \"s\" are at most .*e-13", class = "fireflip_warning_tolerance")
  warned(simulate(net, times = 5, observe = "y"))
  warned(first_passage(net, "y > 0.1", nsim = 2, end = 5))
  warned(sweep_parameters(net, data.frame(k = c(1e-12, 1e-13)), nsim = 1, times = 5, observe = "y"))
  # a condition that stops trajectories before levels rise does not make them small
  expect_no_warning(first_passage(petri_model("gene"), "protein", nsim = 3, end = 1, seed = 1))
  expect_no_warning(simulate(petri_model("gene"), observe = "on", times = c(1, 1000), seed = 1))
})

test_that("levels below the absolute tolerance get advice that gives the right answer", {
  net <- petri_net(
    "E + S -> ES" = flow("1e13 * E * S"), "ES -> E + S" = flow("0.1 * ES"), "ES -> E + P" = flow("0.5 * ES"),
    continuous = TRUE, initial = c(E = 5e-14, S = 5e-13)
  )
  text <- tryCatch(simulate(net, times = c(1, 10), integrator = "dormand_prince"), fireflip_error_model = conditionMessage)
  expect_match(text, "place \"S\", which is 5e-13 at the start", fixed = TRUE)
  advice <- regmatches(text, regexpr("c\\(relative[^)]*\\)", text))
  expect_identical(advice, "c(relative = 1e-6, absolute = 5e-19)")
  scaled <- petri_net(
    "E + S -> ES" = flow("0.01 * E * S"), "ES -> E + S" = flow("0.1 * ES"), "ES -> E + P" = flow("0.5 * ES"),
    continuous = TRUE, initial = c(E = 50, S = 500)
  )
  found <- simulate(net, times = c(1, 10), tolerance = eval(parse(text = advice)))
  expect_equal(1e15 * found$mean, simulate(scaled, times = c(1, 10), tolerance = 1e-10)$mean, tolerance = 1e-4)
})

test_that("levels that have grown by errors alone do not hide how small they were", {
  net <- petri_net(
    "E + S -> ES" = flow("1e13 * E * S"), "ES -> E + S" = flow("0.1 * ES"), "ES -> E + P" = flow("0.5 * ES"),
    continuous = TRUE, initial = c(E = 5e-14, S = 5e-13)
  )
  run <- function(integrator) {
    tryCatch(simulate(net, times = c(1, 10), integrator = integrator), fireflip_warning_tolerance = conditionMessage)
  }
  expect_match(run("rosenbrock"), "absolute = [1-5]e-(19|20)")
  skip_if_not(has_cvode, "SUNDIALS is not there")
  expect_match(run("cvode"), "absolute = [1-5]e-(19|20)")
})

test_that("a message on a long run tells which integrators are for stiff flows", {
  net <- petri_model("gene")
  say <- function(integrator) why_slow(ensemble_engine(net)$grows(net, list(integrator = integrator)))
  expect_match(say("dormand_prince"), "integrator = \"auto\" or \"rosenbrock\" needs far fewer steps", fixed = TRUE)
  expect_no_match(say("auto"), "stiff")
})

test_that("constants of flows must not be negative", {
  expect_error(
    petri_net("A -> B" = flow(mass_action("-1")), continuous = TRUE), "the flow is -1; expected a finite number of at least 0",
    class = "fireflip_error_model"
  )
  net <- petri_net("A -> B" = flow(mass_action("2 * k")), continuous = TRUE, parameters = c(k = -1), initial = c(A = 1))
  expect_error(simulate(net, times = 1), "\"T1\": .* its flow constant is -2", class = "fireflip_error_model")
  expect_error(sweep_parameters(net, data.frame(k = c(1, -1)), nsim = 1, times = 1), "setting 2 .*flow constant is -2")
  expect_equal(simulate(net, times = 1, parameters = c(k = 0.5))$mean[[1L]], exp(-1), tolerance = 1e-5)
  back <- petri_net("A -> B" = flow("k * B"), continuous = TRUE, parameters = c(k = -1), initial = c(B = 1))
  expect_equal(simulate(back, times = 1)$mean[[2L]], exp(-1), tolerance = 1e-5) # a formula may be negative
})

test_that("times of schedules are checked", {
  at <- function(x) petri_net("A -> B" = transition(at = x), parameters = c(k = -1), initial = c(A = 1))
  expect_error(
    at(c(1, -1, 4)), "`at` of \"A -> B\" must be c(begin, period, end) with a period of at least 0; found c(1, -1, 4).",
    fixed = TRUE, class = "fireflip_error_argument"
  )
  expect_error(
    at(c(begin = 5, end = 2, period = 1)), "with an end that is not before its begin; found c(5, 1, 2).", fixed = TRUE,
    class = "fireflip_error_argument"
  )
  expect_error(simulate(at(c("1", "k")), times = 1), "the period is -1", class = "fireflip_error_model")
  expect_s3_class(at(c(2, 0, 2)), "petri_net")
})

test_that("an argument of a net that abbreviates `name` is one of the net", {
  known <- "There is no argument `n`; the arguments are `nx`, `ny`, `ip3`, `channels`, `seed`."
  expect_error(petri_model("calcium", n = 3), known, fixed = TRUE, class = "fireflip_error_argument")
  expect_error(petri_model("gene", na = 3), "`na`", class = "fireflip_error_argument")
  expect_error(reaction_model("sir_ring", n = 3), "There is no argument `n`", class = "fireflip_error_argument")
  expect_s3_class(petri_model(n = "hill"), "petri_net")
})

test_that("simulate() of a text tells what it takes", {
  expect_error(
    simulate("gene", times = 1), "found \"gene\"; petri_model(\"gene\") gives this net.", fixed = TRUE,
    class = "fireflip_error_argument"
  )
  expect_error(simulate("net.xml", times = 1), "read_network() reads a network from a file", fixed = TRUE)
  text <- tryCatch(steady_state("gene"), fireflip_error_argument = conditionMessage)
  expect_no_match(text, "petri_model") # steady states are not of nets
})

test_that("messages name elements of `times`, and one range of `tolerance`", {
  net <- petri_model("gene")
  expect_error(simulate(net, times = c(3, 2)), "`times` must increase; element 2 is 2 after 3.", fixed = TRUE)
  expect_error(simulate(net, times = c(1, NA)), "element 2 is NA", fixed = TRUE)
  for (bad in c(0, 0.2)) expect_error(simulate(net, times = 1, tolerance = bad), "between 1e-14 and 0.1", fixed = TRUE)
})

test_that("two flows for a reversible equation are told to be one", {
  expect_error(
    petri_net("A <-> B" = c(flow(1), flow(2)), continuous = TRUE), "both directions are one transition: flow(c(1, 2))",
    fixed = TRUE, class = "fireflip_error_argument"
  )
  expect_error(
    petri_net("A <-> B" = list(transition(weight = 1), transition(weight = 2))), "transition(weight = c(1, 2))", fixed = TRUE
  )
})

test_that("prints of nets of flows alone have no words on chance", {
  net <- petri_net("A -> B" = flow("k * A"), continuous = TRUE, initial = c(A = 1), parameters = c(k = 1))
  sim <- simulate(net, nsim = 10, times = 0:2, seed = 1)
  sweep <- sweep_parameters(net, data.frame(k = 1:2), nsim = 2, times = 1, seed = 1)
  for (x in list(sim, summary(sim), sweep, summary(sweep))) {
    text <- paste(utils::capture.output(print(x)), collapse = "\n")
    if (!identical(x, sweep)) expect_match(text, "nothing is random", fixed = TRUE)
    expect_no_match(text, "NA|confidence|fewer than 30|sd|Fano")
  }
  final <- simulate(petri_model("gene"), nsim = 3, times = 1, output = "final", seed = 1)
  # states that were resumed may differ
  decay <- petri_net("protein -> 0" = flow(1), places = c("off", "on"), continuous = "protein")
  expect_output(print(summary(simulate(decay, times = 2, initial = final))), "sd")
})

test_that("messages have no counts where there are levels", {
  net <- petri_net("A -> 0" = flow(1), fire = transition("0 -> n", rate = 1), continuous = "A", initial = c(A = 1))
  expect_output(print(simulate(net, times = 1, seed = 1)), "gives its levels at all times")
  expect_error(first_passage(net, "n > 1", end = 1, initial = simulate(net, times = 1, output = "final")), "markings by places")
})

test_that("levels that are the same in all trajectories have no spread in a histogram", {
  net <- petri_net(
    "0 -> n" = 1, "A -> 0" = flow("0 * n"), continuous = c("A", "C"), places = "C", initial = c(A = 5.7, C = 0.1)
  )
  found <- summary(simulate(net, nsim = 3, times = 1, output = "histogram", seed = 1))
  expect_identical(found$sd[found$place != "n"], c(0, 0))
  expect_identical(found$mean[found$place == "C"], 0.1)
})

test_that("modes that are faster than times can be told apart are an error, not a wrong level", {
  net <- petri_net(
    "a -> b" = flow("1e10 * n * a"), "b -> c" = flow("1e10 / 3 * n * b"), "c -> 0" = flow("n * c"),
    "0 -> n" = transition(at = 1e6), initial = c(a = 1), continuous = c("a", "b", "c")
  )
  expect_error(
    simulate(net, times = 1e6 + 1, integrator = "rosenbrock"), "the steps of the solver become too short",
    class = "fireflip_error"
  )
})
