# Rate rules of SBML. Births with the rate k(t) are a Poisson process: the mean and the variance are the integral of k. Deaths
# with the rate k(t) of each molecule leave a binomial number.

math <- function(x) sprintf("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math>", x)
ci <- function(id) sprintf("<ci> %s </ci>", id)
op <- function(f, ...) sprintf("<apply><%s/>%s</apply>", f, paste0(...))

# A network with the compartment V of size 1, the species A, the parameters a = 20, b = 0.5 and x = 30, which may change, and the
# reaction r with this law
document <- function(rules, law, equation = c("", "A"), initial = 0, more = "", species = "") {
  side <- function(name, id) {
    if (!nzchar(id)) return("")
    sprintf("<listOf%s><speciesReference species=\"%s\" stoichiometry=\"1\" constant=\"true\"/></listOf%s>", name, id, name)
  }
  parameter <- function(id, value, constant) {
    point(sprintf("<parameter id=\"%s\" value=\"%g\" constant=\"%s\"/>", id, value, constant))
  }
  rule <- function(id) sprintf("<rateRule variable=\"%s\">%s</rateRule>", id, math(rules[[id]]))
  paste0(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" ",
    "version=\"2\"><model>\n<listOfCompartments><compartment id=\"V\" size=\"1\" constant=\"false\"/></listOfCompartments>\n",
    "<listOfSpecies><species id=\"A\" compartment=\"V\" initialAmount=\"", initial, "\" constant=\"false\" ",
    "hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\"/>", species, "</listOfSpecies>\n<listOfParameters>",
    parameter("a", 20, "true"), parameter("b", 0.5, "true"), parameter("x", 30, "false"), "</listOfParameters>\n<listOfRules>",
    paste(vapply(names(rules), rule, ""), collapse = "\n"), "</listOfRules>\n<listOfReactions><reaction id=\"r\" ",
    "reversible=\"false\">", side("Reactants", equation[[1L]]), side("Products", equation[[2L]]), "<kineticLaw>", math(law),
    "</kineticLaw></reaction></listOfReactions>\n", more, "</model></sbml>"
  )
}

read_text <- function(text) {
  file <- tempfile(fileext = ".xml")
  writeLines(text, file)
  read_sbml(file)
}

n <- 4000
births_are <- function(net, times, mean, ...) {
  sim <- simulate(net, nsim = n, times = times, observe = "A", seed = 1, ...)
  expect_lt(max(abs(sim$mean - mean) / sqrt(mean / n)), 4.5)
  expect_lt(max(abs(sim$sd / sqrt(mean) - 1)), 4.5 * sqrt((1 + 1 / min(mean) / 2) / 2 / n))
}

test_that("births with a rate that a rate rule determines are a Poisson process", {
  times <- c(0.5, 1, 3)
  linear <- read_text(document(list(x = ci("a")), ci("x")))
  births_are(linear, times, 30 * times + 20 * times^2 / 2)
  births_are(linear, times, 30 * times + 20 * times^2 / 2, method = "next_reaction")
  decay <- read_text(document(list(x = op("minus", op("times", ci("b"), ci("x")))), ci("x")))
  births_are(decay, times, 30 * (1 - exp(-0.5 * times)) / 0.5)
  relaxation <- read_text(document(list(x = op("minus", ci("a"), op("times", ci("b"), ci("x")))), ci("x")))
  births_are(relaxation, times, 40 * times - 10 * (1 - exp(-0.5 * times)) / 0.5)
  # the parameters may be changed, also to 0
  births_are(set_parameters(relaxation, c(b = 0)), times, 30 * times + 20 * times^2 / 2)
  births_are(relaxation, times, 30 * times, parameters = c(a = 0, b = 0))
  time <- "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\"> t </csymbol>"
  wave <- read_text(document(list(x = op("times", ci("a"), op("cos", time))), ci("x")))
  births_are(wave, times, 30 * times + 20 * (1 - cos(times)))
})

test_that("compartments and species may have rate rules", {
  # the law b A V / V^2: a molecule of A survives until T with the probability exp(-b integral of 1 / (1 + a t / 20))
  net <- read_text(document(list(V = op("divide", ci("a"), "<cn> 20 </cn>")), op("times", ci("b"), ci("A")), c("A", ""), 500))
  times <- c(0.5, 2, 5)
  sim <- simulate(net, nsim = n, times = times, observe = "A", seed = 1)
  p <- (1 + times)^-0.5
  expect_lt(max(abs(sim$mean - 500 * p) / sqrt(500 * p * (1 - p) / n)), 4.5)
  expect_lt(max(abs(sim$sd / sqrt(500 * p * (1 - p)) - 1)), 4.5 / sqrt(2 * n))
  # the amount of a species with a boundary condition, in concentrations, of which a reaction takes nothing
  feed <- paste0(
    "<species id=\"S\" compartment=\"V\" initialConcentration=\"7.5\" constant=\"false\" hasOnlySubstanceUnits=\"false\" ",
    "boundaryCondition=\"true\"/>"
  )
  net <- read_text(document(list(S = ci("a")), op("times", "<cn> 2 </cn>", ci("S")), c("S", "A"), species = feed))
  expect_identical(names(net$variables), "S")
  births_are(net, times, 2 * (7.5 * times + 20 * times^2 / 2))
})

test_that("events may look at what has a rate rule", {
  # x = 30 + 20 t reaches 50 at time 1
  event <- paste0(
    "<listOfEvents><event id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"false\" persistent=\"true\">",
    math(op("geq", ci("x"), "<cn> 50 </cn>")), "</trigger><listOfEventAssignments><eventAssignment variable=\"A\">",
    math("<cn> 1000 </cn>"), "</eventAssignment></listOfEventAssignments></event></listOfEvents>"
  )
  net <- read_text(document(list(x = ci("a")), "<cn> 1e-9 </cn>", more = event))
  sim <- simulate(net, times = c(0.999999, 1.000001), observe = c("A", "x"), output = "trajectories", seed = 1)
  expect_identical(sim$A, c(0, 1000))
  expect_equal(sim$x, c(30 + 20 * 0.999999, 30 + 20 * 1.000001))
})

test_that("what was a rate rule can be written", {
  net <- read_text(document(list(x = op("minus", ci("a"), op("times", ci("b"), ci("x")))), ci("x")))
  file <- tempfile(fileext = ".xml")
  write_network(net, file)
  again <- read_sbml(file)
  run <- function(net) simulate(net, nsim = 20, times = 1:2, observe = c("A", "x"), output = "trajectories", seed = 1)
  expect_identical(as.data.frame(run(again)), as.data.frame(run(net)))
})

test_that("other rate rules are refused by name", {
  expect_error(
    read_text(document(list(x = op("times", ci("x"), ci("x"))), ci("x"))), "<rateRule> \"x\".*no solution is known",
    class = "fireflip_error_unsupported"
  )
  expect_error(
    read_text(document(list(x = ci("A")), ci("x"))), "<rateRule> \"x\".*depends on \"A\", which reactions may change",
    class = "fireflip_error_unsupported"
  )
  expect_error(
    read_text(document(list(a = ci("b")), ci("x"))), "rateRule of \"a\", which is constant", class = "fireflip_error_parse"
  )
})

test_that("what begins at 0 and grows in proportion to itself stays 0", {
  text <- document(list(x = op("times", ci("b"), ci("x"))), ci("x"))
  net <- read_text(sub('id="x" value="30"', 'id="x" value="0"', text, fixed = TRUE))
  expect_identical(simulate(net, times = c(1, 3000), seed = 1)$mean, c(0, 0)) # exp(1500) is infinite
})
