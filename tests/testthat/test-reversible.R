# Rates that are the difference of the rates of two directions: they become two reactions.

# Without the message that a rate became two.
quietly <- function(call) suppressMessages(call, classes = "fireflip_message_reversible")

two_ways <- function(law = "k1 * A - k2 * B", ...) {
  net <- stats::setNames(list(law), "A -> B")
  reaction_network(net, initial = c(A = 10), parameters = c(k1 = 0.2, k2 = 0.3), ...)
}

# A random rate that is 0 without the species, as text.
random_rate <- function(species) {
  k <- signif(stats::runif(1, 0.1, 2), 3)
  switch(sample(5, 1),
    sprintf("%s * %s", k, species), sprintf("%s * %s / (4 + %s)", k, species, species), sprintf("%s / %s", species, k),
    sprintf("%s * %s * E", k, species), sprintf("%s * %s * exp(-0.1 * %s)", k, species, species)
  )
}

# The same random network with a difference, and with two reactions.
random_pair <- function(seed) {
  set.seed(seed)
  f <- random_rate("A")
  r <- random_rate("B")
  around <- sample(c("%s", "c * (%s)", "(%s) / (1 + A / 3 + B / 2)", "(1 + E) * (%s)"), 1)
  equation <- sample(c("A -> B", "A + E -> B + E", "A -> B + C"), 1)
  back <- switch(equation, "A -> B" = "B -> A", "A -> B + C" = "B + C -> A", "B + E -> A + E")
  one <- sprintf(around, switch(sample(3, 1), sprintf("%s - %s", f, r), sprintf("-(%s - %s)", r, f), sprintf("-(%s) + %s", r, f)))
  initial <- c(A = sample(6, 1), B = sample(0:4, 1), E = sample(3, 1), C = 2)
  make <- function(rates) reaction_network(c(rates, rest), initial = initial, parameters = c(c = 1.5))
  rest <- list("A -> 0" = 0.1, "E -> 0" = 0.05, "C -> 0" = 0.2)
  split <- quietly(make(stats::setNames(list(one), equation)))
  both <- make(stats::setNames(list(sprintf(around, f), sprintf(around, r)), c(equation, back)))
  list(split = split, both = both)
}

test_that("300 random networks have the distribution of their two reactions", {
  for (seed in 1:300) {
    pair <- random_pair(seed)
    expect_identical(pair$split$reactions$equation, pair$both$reactions$equation)
    moments <- lapply(pair, function(net) as.data.frame(chemical_master_equation(net, c(0.5, 3)), what = "moments"))
    expect_equal(moments$split$mean, moments$both$mean, tolerance = 1e-9, label = seed)
    expect_equal(moments$split$sd, moments$both$sd, tolerance = 1e-9, label = seed)
  }
})

test_that("a rate of both directions becomes two reactions, and a message says so once", {
  said <- expect_message(net <- two_ways(), class = "fireflip_message_reversible")
  expect_identical(conditionMessage(said), paste0(
    "The rate of reaction \"R1\" is the difference of the rates of two directions. It becomes two reactions, \"R1\" and ",
    "\"R1_reverse\".\n"
  ))
  expect_identical(said$reactions, "R1")
  expect_identical(net$reactions, data.frame(
    name = c("R1", "R1_reverse"), equation = c("A -> B", "B -> A"), rate = c("k1 * A", "k2 * B"), law = "formula"
  ))
  # binomial: each molecule is B with the probability 0.4 (1 - exp(-t / 2))
  moments <- as.data.frame(chemical_master_equation(net, 3), what = "moments")
  p <- 0.4 * (1 - exp(-1.5))
  expect_equal(moments$mean, 10 * c(1 - p, p), tolerance = 1e-8)
  expect_equal(moments$sd, rep(sqrt(10 * p * (1 - p)), 2), tolerance = 1e-7)
  ode <- simulate(net, times = 3, method = "ode")
  expect_equal(ode$mean, 10 * c(1 - p, p), tolerance = 1e-6)
  # parameters stay parameters
  moments <- as.data.frame(chemical_master_equation(set_parameters(net, k2 = 0), 3), what = "moments")
  expect_equal(moments$mean[[1L]], 10 * exp(-0.6), tolerance = 1e-8)
  said <- expect_message(
    reaction_network("A -> B" = "A - B", "B -> C" = 1, "C -> A" = "2 * (C - A)"), class = "fireflip_message_reversible"
  )
  expect_match(conditionMessage(said), paste(
    "The rates of 2 reactions are differences of the rates of two directions. Each becomes two, such as \"R1\" and",
    "\"R1_reverse\": \"R1\", \"R3\"."
  ), fixed = TRUE)
})

test_that("it may be kept, or be an error", {
  expect_silent(net <- two_ways(reversible = "keep"))
  expect_identical(net$reactions$rate, "k1 * A - k2 * B")
  error <- expect_error(two_ways(reversible = "error"), class = "fireflip_error_model")
  expect_match(conditionMessage(error), "a reaction for each direction, as `reversible` = \"split\" makes them", fixed = TRUE)
  expect_identical(error$reactions, "R1")
  expect_silent(two_ways("k1 * A", reversible = "error"))
  expect_error(two_ways(reversible = "both"), "must be one of \"split\", \"keep\", \"error\"", class = "fireflip_error_argument")
  expect_error(two_ways(Reversible = "keep"), class = "fireflip_error_argument")
})

test_that("differences that count what is left stay one reaction", {
  # a gene that is on or off, without the species of the gene that is off: binomial, not Poisson
  expect_silent(gene <- reaction_network("0 -> on" = "k * (3 - on)", "on -> 0" = 0.5, parameters = c(k = 1)))
  moments <- as.data.frame(chemical_master_equation(gene, 100), what = "moments")
  expect_equal(moments$sd, sqrt(3 * 2 / 9), tolerance = 1e-6)
  for (law in c("k1 * A * (1 - B / 20)", "k1 * (10 - B)", "k1 * A - k2 * (10 - A)", "k1 * A * (A - 1)", "max(0, A - B)")) {
    expect_silent(net <- two_ways(law))
    expect_identical(net$reactions$rate, law)
  }
})

test_that("files are read alike", {
  net <- quietly(two_ways(reversible = "keep"))
  net$variables <- c(v = "k1 * A - k2 * B", total = "A + B")
  net$reactions$rate <- "v / (1 + total)"
  for (ending in c(".xml", ".net")) {
    file <- write_network(net, tempfile(fileext = ending))
    said <- expect_message(read <- read_network(file), class = "fireflip_message_reversible")
    expect_match(conditionMessage(said), sprintf("In %s, the rate of reaction \"R1\" is", file), fixed = TRUE)
    expect_identical(read$reactions$equation, c("A -> B", "B -> A"))
    expect_identical(read$reactions$name, c("R1", "R1_reverse"))
    values <- list(A = 7, B = 5, k1 = 0.2, k2 = 0.3, total = 12, compartment = 1)
    values <- c(values, as.list(read$parameters[setdiff(names(read$parameters), names(values))]))
    expect_equal(unname(vapply(read$reactions$rate, function(rate) eval(str2lang(rate), values), 0)), c(1.4, 1.5) / 13)
    expect_silent(again <- read_network(write_network(read, tempfile(fileext = ending))))
    expect_identical(again$reactions$equation, read$reactions$equation)
    expect_error(read_network(file, reversible = "error"), "In .*the rate of reaction \"R1\" is", class = "fireflip_error_model")
    expect_warning(read_network(file, reversible = "keep"), class = "fireflip_warning_negative")
  }
  expect_warning(
    read_network(write_network(reaction_network("0 -> A" = "2 - A"), tempfile(fileext = ".xml"))), "where A = 3",
    class = "fireflip_warning_negative"
  )
  pbn <- write_network(pbn(list(A = "A")), tempfile(fileext = ".pbn"))
  expect_error(read_network(pbn, reversible = "keep"), "`reversible` is only for", class = "fireflip_error_argument")
  file <- write_network(net, tempfile(fileext = ".xml"))
  expect_error(read_sbml(file, as = "petri_net", reversible = "split"), "`reversible` needs", class = "fireflip_error_argument")
})

test_that("the files of others are right", {
  path <- skip_without_shared("models/wild/core_reversible.xml")
  expect_message(net <- read_network(path), class = "fireflip_message_reversible")
  moments <- as.data.frame(chemical_master_equation(net, 50), what = "moments")
  expect_equal(moments$mean, c(5, 5), tolerance = 1e-6)
  expect_equal(moments$sd, rep(sqrt(2.5), 2), tolerance = 1e-6)
  expect_equal(simulate(net, times = 1, method = "ode")$mean[[1L]], 5 + 5 * exp(-0.4), tolerance = 1e-6)
  expect_message(net <- read_network(file.path(dirname(path), "rev.xml")), class = "fireflip_message_reversible")
  expect_identical(net$reactions$equation, c("S1 -> S2", "S2 -> S1", "S2 -> 0"))
})
