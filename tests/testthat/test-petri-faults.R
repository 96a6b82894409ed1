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
  expect_no_warning(simulate(small(1e-7), times = 0:1, seed = 1, observe = "B")) # nothing is known of x
})
