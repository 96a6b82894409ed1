# Events that set concentrations in compartments whose size changes, from SBML: beside a small simulator in plain R.

# An R expression as MathML. `t` is the time.
mathml <- function(x) {
  if (is.numeric(x)) return(point(sprintf("<cn>%.15g</cn>", x)))
  time <- "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>"
  if (is.name(x)) return(if (identical(x, quote(t))) time else sprintf("<ci>%s</ci>", as.character(x)))
  if (identical(x[[1L]], quote(`(`))) return(mathml(x[[2L]]))
  name <- c(`+` = "plus", `-` = "minus", `*` = "times", `/` = "divide", floor = "floor", `>=` = "geq")[[as.character(x[[1L]])]]
  sprintf("<apply><%s/>%s</apply>", name, paste(vapply(as.list(x[-1L]), mathml, ""), collapse = ""))
}
math_of <- function(x) sprintf("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math>", mathml(x))

# A model: `species` (id, compartment, amount, dense: whether its id stands for the concentration), `parameters`, `rules` and
# `rates` (expressions of compartments), and `events` (at, delay, late, set).
sbml_of <- function(m, level) {
  flag <- function(x) if (x) "true" else "false"
  container <- function(id) sprintf("<compartment id=\"%s\" spatialDimensions=\"3\"%s constant=\"false\"/>", id,
    if (is.null(m$sizes[[id]])) "" else point(sprintf(" size=\"%.15g\"", m$sizes[[id]])))
  species <- sprintf(
    "<species id=\"%s\" compartment=\"%s\" initialAmount=\"%d\" hasOnlySubstanceUnits=\"%s\" boundaryCondition=\"false\" %s/>",
    m$species$id, m$species$compartment, m$species$amount, ifelse(m$species$dense, "false", "true"), "constant=\"false\""
  )
  parameters <- point(sprintf("<parameter id=\"%s\" value=\"%.15g\" constant=\"false\"/>", names(m$parameters), m$parameters))
  rule <- function(kind, rules) sprintf("<%s variable=\"%s\">%s</%s>", kind, names(rules), vapply(rules, math_of, ""), kind)
  event <- function(e, i) {
    trigger <- if (level == 3) "<trigger initialValue=\"true\" persistent=\"true\">" else "<trigger>"
    sets <- sprintf("<eventAssignment variable=\"%s\">%s</eventAssignment>", names(e$set), vapply(e$set, math_of, ""))
    c(
      sprintf("<event id=\"e%d\" useValuesFromTriggerTime=\"%s\">%s%s</trigger>", i, flag(!e$late), trigger,
        math_of(call(">=", quote(t), e$at))),
      if (!is.null(e$delay)) sprintf("<delay>%s</delay>", math_of(e$delay)),
      "<listOfEventAssignments>", sets, "</listOfEventAssignments></event>"
    )
  }
  file <- tempfile("sizes", fileext = ".xml")
  uri <- if (level == 3) "level3/version1/core" else "level2/version4"
  writeLines(c(
    sprintf("<sbml xmlns=\"http://www.sbml.org/sbml/%s\" level=\"%d\" version=\"%d\"><model id=\"m\">", uri, level,
      if (level == 3) 1L else 4L),
    "<listOfCompartments>", vapply(unique(m$species$compartment), container, ""), "</listOfCompartments>",
    "<listOfSpecies>", species, "</listOfSpecies>",
    "<listOfParameters>", parameters, "</listOfParameters>",
    if (length(m$rules) + length(m$rates) > 0L) {
      c("<listOfRules>", if (length(m$rules) > 0L) rule("assignmentRule", m$rules),
        if (length(m$rates) > 0L) rule("rateRule", m$rates), "</listOfRules>")
    },
    "<listOfEvents>", unlist(Map(event, m$events, seq_along(m$events))), "</listOfEvents></model></sbml>"
  ), file)
  file
}

# The amounts at the times, from the definition: a concentration that an event sets becomes an amount when the event happens, with
# the size of the compartment before that (case 01780 of the SBML test suite). Rules hold at all times. No two events happen at
# the same time. Rate rules are x' = a number.
amounts_by_hand <- function(m, times) {
  amount <- stats::setNames(as.double(m$species$amount), m$species$id)
  parameters <- as.list(m$parameters)
  # ids are promises to their values, so that each is computed when it is needed
  values <- function(time) {
    all <- new.env(parent = baseenv())
    assign("t", time, all)
    for (name in names(parameters)) assign(name, parameters[[name]], all)
    for (name in names(m$sizes)) assign(name, m$sizes[[name]], all)
    for (name in names(m$rates)) assign(name, m$sizes[[name]] + m$rates[[name]] * time, all)
    define <- function(name, x) eval(substitute(delayedAssign(name, x, all, all), list(x = x)))
    for (name in names(m$rules)) define(name, m$rules[[name]])
    for (i in seq_len(nrow(m$species))) {
      s <- m$species[i, ]
      define(s$id, if (s$dense) call("/", amount[[s$id]], as.name(s$compartment)) else amount[[s$id]])
    }
    all
  }
  at <- vapply(m$events, `[[`, 0, "at")
  delay <- vapply(m$events, function(e) if (is.null(e$delay)) 0 else e$delay, 0)
  steps <- data.frame(time = c(at, at + delay), event = seq_along(at), what = rep(1:2, each = length(at)))
  steps <- steps[order(steps$time, steps$what), ]
  kept <- list()
  out <- matrix(0, length(times), length(amount), dimnames = list(NULL, names(amount)))
  for (k in seq_along(times)) {
    while (nrow(steps) > 0L && steps$time[[1L]] <= times[[k]]) {
      e <- m$events[[steps$event[[1L]]]]
      now <- steps$time[[1L]]
      if ((steps$what[[1L]] == 1) != e$late) kept[[steps$event[[1L]]]] <- lapply(e$set, eval, values(now))
      if (steps$what[[1L]] == 2) {
        set <- kept[[steps$event[[1L]]]]
        before <- values(now)
        own <- names(set) %in% names(parameters)
        for (id in names(set)[!own]) {
          s <- m$species[m$species$id == id, ]
          size <- if (s$dense) get(s$compartment, before) else 1
          set[[id]] <- set[[id]] * size
        }
        parameters[names(set)[own]] <- set[own]
        amount[names(set)[!own]] <- unlist(set[!own])
      }
      steps <- steps[-1L, ]
    }
    out[k, ] <- amount
  }
  out
}

amounts_simulated <- function(net, times, ids) {
  sim <- simulate(net, nsim = 1, times = times, seed = 1, observe = ids)
  matrix(sim$mean, length(times), length(ids), byrow = TRUE, dimnames = list(NULL, ids))
}

expect_same_amounts <- function(m, level, times) {
  net <- read_sbml(sbml_of(m, level))
  expected <- amounts_by_hand(m, times)
  expect_equal(amounts_simulated(net, times, colnames(expected)), expected, tolerance = 1e-12)
  written <- write_network(net, tempfile(fileext = ".xml"))
  expect_equal(amounts_simulated(read_sbml(written), times, colnames(expected)), expected, tolerance = 1e-12)
  net
}

species_in <- function(...) {
  rows <- list(...)
  data.frame(
    id = names(rows), compartment = vapply(rows, `[[`, "", 1L), amount = as.integer(vapply(rows, `[[`, "", 2L)),
    dense = vapply(rows, `[[`, "", 3L) == "dense", row.names = NULL
  )
}

test_that("a concentration becomes an amount with the size at the execution", {
  # the size becomes 20 between the trigger, at time 1, and the execution, at time 2
  m <- list(
    species = species_in(S = c("V", 20, "dense")), parameters = c(c = 0), rules = list(V = quote(10 + 10 * floor(t / 1.5))),
    events = list(list(at = 1, delay = 1, late = FALSE, set = list(S = 3)))
  )
  for (level in 2:3) {
    net <- expect_same_amounts(m, level, c(0, 1.9, 2, 2.5))
    expect_identical(amounts_simulated(net, c(0, 1.9, 2, 2.5), "S")[, "S"], c(20, 20, 60, 60))
  }
  expect_output(print(net), "S = 3 (times V when it happens); after 1", fixed = TRUE)
  path <- skip_without_shared("models/wild/delayed_event_compartment.xml")
  expect_identical(amounts_simulated(read_sbml(path), c(1.9, 2), "S")[, "S"], c(20, 60))
})

test_that("the value is that of the trigger, and the size that before the execution", {
  # p is 2 when the first event is triggered and 5 when it happens; it doubles q, on which the size depends
  m <- list(
    species = species_in(S = c("V", 20, "dense"), T = c("V", 7, "amount")), parameters = c(p = 2, q = 1),
    rules = list(V = quote(10 * q + T)),
    events = list(
      list(at = 1, delay = 2, late = FALSE, set = list(S = quote(p + 1), q = quote(2 * q))),
      list(at = 2, late = FALSE, set = list(p = 5)),
      list(at = 4, delay = 0.5, late = TRUE, set = list(S = quote(p * q), q = 3, T = 1))
    )
  )
  times <- c(0, 2.5, 3, 4.6)
  for (level in 2:3) {
    net <- expect_same_amounts(m, level, times)
    expect_identical(amounts_simulated(net, times, "S")[, "S"], c(20, 20, 3 * 17, 10 * 27))
  }
})

test_that("sizes that depend on what the event sets are those before", {
  m <- list(
    species = species_in(S = c("V", 20, "dense"), T = c("W", 6, "dense"), U = c("X", 5, "dense")), parameters = c(q = 3),
    rules = list(V = quote(4 + 2 * T), W = quote(q + floor(U + 0.5)), X = quote(q + floor(t))),
    events = list(list(at = 1, delay = 2, late = FALSE, set = list(S = 2, T = 3, q = 2, U = quote(q + 1))))
  )
  net <- expect_same_amounts(m, 3, c(0, 4))
  # at time 3, X = 3 + 3, and U is 5 / 6; W = 3 + 1; T is 6 / 4; V = 4 + 2 * 1.5
  expect_identical(amounts_simulated(net, 3, c("S", "T", "U"))[1L, ], c(S = 14, T = 12, U = 24))
})

test_that("a size with a rate rule is that at the execution", {
  m <- list(
    species = species_in(S = c("V", 20, "dense"), T = c("V", 3, "amount")), parameters = c(c = 1), sizes = list(V = 10),
    rates = list(V = 4), events = list(
      list(at = 1, delay = 2, late = FALSE, set = list(S = 3, T = 8)), list(at = 4, delay = 1, late = TRUE, set = list(S = 1))
    )
  )
  for (level in 2:3) {
    net <- expect_same_amounts(m, level, c(2, 3, 5))
    expect_identical(amounts_simulated(net, c(2, 3, 5), "S")[, "S"], c(20, 3 * 22, 30))
  }
})

test_that("random models have the amounts of a simulator in plain R", {
  set.seed(7)
  for (i in 1:40) {
    one_of <- function(...) sample(list(...), 1L)[[1L]]
    rules <- list(
      V = one_of(quote(5 + floor(t)), quote(2 * p + T), quote(q + p), quote(q + floor(R)), quote(3 + floor(T / 4) + q)),
      W = one_of(quote(q + 2 * floor(t / 2)), quote(4 * q + p), quote(9 + 0 * t))
    )
    value <- function() one_of(2, quote(p + 1), quote(q * p), quote(floor(t) + 1), quote(p + q))
    times <- sample(seq(0.3, 9, by = 0.37), 6L)
    events <- lapply(1:3, function(k) {
      what <- sample(c("S", "T", "R", "p", "q"), sample(1:3, 1L))
      list(at = times[[k]], delay = if (k > 1L) times[[k + 3L]], late = sample(c(TRUE, FALSE), 1L),
        set = stats::setNames(lapply(what, function(name) value()), what))
    })
    m <- list(
      species = species_in(S = c("V", 20, "dense"), T = c("W", 8, "amount"), R = c("W", 12, "dense")),
      parameters = c(p = sample(1:4, 1L), q = sample(2:5, 1L)), rules = rules, events = events
    )
    expect_same_amounts(m, sample(2:3, 1L), seq(0, 20, by = 0.5))
  }
})

test_that("factors of events are checked, and kept by what changes a network", {
  m <- list(
    species = species_in(S = c("V", 20, "dense")), parameters = c(c = 2), rules = list(V = quote(10 + c * floor(t))),
    events = list(list(at = 1, delay = 1, late = FALSE, set = list(S = 3)))
  )
  net <- read_sbml(sbml_of(m, 3))
  expect_identical(net$events$factor, list(c(S = "V")))
  expect_identical(amounts_simulated(set_parameters(net, c = 5), 3, "S")[[1L]], 3 * 20)
  expect_identical(read_sbml(write_network(net, tempfile(fileext = ".xml"))), net)
  broken <- function(factor) {
    net$events$factor <- factor
    conditionMessage(expect_error(simulate(net, times = 1, seed = 1), class = "fireflip_error"))
  }
  expect_match(broken(list(c("V", "V"))), "events$factor", fixed = TRUE)
  expect_match(broken(list(3)), "events$factor", fixed = TRUE)
  expect_match(broken(list("V +")), "the value of \"S\" of event \"e1\"", fixed = TRUE)
  net$events$factor <- list("2 * V")
  expect_identical(amounts_simulated(net, 3, "S")[[1L]], 2 * 3 * 14)
  expect_error(write_network(net, tempfile(fileext = ".xml")), "event \"e1\" sets \"S\" by a factor; SBML can express this",
    class = "fireflip_error_model")
  net$events$factor <- list(NA_character_)
  expect_identical(amounts_simulated(net, 3, "S")[[1L]], 3)
})
