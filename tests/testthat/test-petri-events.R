# Events of Petri nets in R, Petri nets as SBML, and the stochastic SBML test suite by nets.

final <- function(net, n, end, ...) simulate(net, nsim = n, times = end, output = "final", seed = 11, progress = FALSE, ...)
path_of <- function(n, net, times, ...) simulate(net, nsim = n, times = times, output = "trajectories", seed = 5, ...)

test_that("events set places and parameters", {
  net <- petri_net(
    "0 -> x" = flow("k"), "A -> 0" = 1, continuous = "x", initial = c(A = 5), parameters = c(k = 1), variables = c(v = "2 * k"),
    events = list(
      reset = event("x >= 1", set = c(x = 0, A = "A + 1", k = "k * 1.5"), delay = 0.25),
      event("time >= 3", set = c(k = 0), priority = 2)
    )
  )
  expect_identical(net$events$name, c("reset", "E2"))
  expect_match(format(net), "reset  when x >= 1: x = 0, A = A + 1, k = k * 1.5; after 0.25", fixed = TRUE, all = FALSE)
  expect_identical(summary(net)$n_events, 2L)
  expect_identical(as.data.frame(net, what = "events")$delay, c("0.25", NA))
  # x is 1 at 1 and 0 at 1.25; the slope is then 1.5, and at 1.9167 it is 1 again; at 2.1667 it is 0 and the slope 2.25
  sim <- path_of(1, net, c(1.1, 2, 2.5, 4), observe = c("x", "v"))
  expect_equal(sim$x, c(1.1, 1.125, 0.75, 0.46875), tolerance = 1e-6, ignore_attr = TRUE)
  expect_identical(sim$v, c(2, 3, 4.5, 0))
  passage <- first_passage(net, "v > 2", nsim = 2, end = 10, seed = 1)
  expect_equal(passage$time, c(1.25, 1.25))
  expect_error(simulate(net, times = 5, initial = final(net, 1, 1)), "the net has events", class = "fireflip_error_argument")
})

test_that("events have colours, also of the unfolded net", {
  net <- petri_net(
    grow = transition("0 -> Ca[x]", flow = "k * x"), colours = list(X = 1:3), indices = c(x = "X"), places = c(Ca = "X"),
    continuous = "Ca", parameters = c(k = 1),
    events = list(
      fall = event("Ca[3] >= 2 & sum(Ca) > 3", set = c(Ca = 0)), rise = event("Ca[2] >= 1", set = c("Ca[1]" = "Ca[1] + 10"))
    )
  )
  times <- c(0, 0.3, 0.6, 0.7, 1.2) # it rises at 1 / 2, falls at 2 / 3, and rises half a unit later
  coloured <- matrix(path_of(1, net, times)$value, 3)
  flat <- unfold(net)
  expect_identical(t(as.matrix(as.data.frame(path_of(1, flat, times))[-(1:2)])), coloured, ignore_attr = TRUE)
  expect_equal(coloured[, 3:5], cbind(c(10.6, 1.2, 1.8), (1:3) / 30, c(10, 0, 0) + 1:3 * (1.2 - 2 / 3)), tolerance = 1e-6)
  expect_identical(names(flat$events$set[[1L]]), paste0("Ca[", 1:3, "]"))
})

test_that("conversions keep events", {
  rn <- reaction_network(
    "X -> 0" = 0.1, parameters = c(last = 0), initial = c(X = 20),
    events = list(dose = event("time >= last + 5", set = c(X = "X + 50", last = "last + 5")))
  )
  net <- as_petri_net(rn)
  expect_identical(as_reaction_network(net)$events, rn$events)
  run <- function(model, ...) simulate(model, nsim = 200, times = 0:12, seed = 1, ...)
  expect_identical(run(net)$mean, run(rn)$mean)
  exact <- run(net, method = "exact")
  # 20 and the doses that are left: the variance is that of binomial numbers
  left <- function(n, age) c(n * exp(-0.1 * age), n * exp(-0.1 * age) * (1 - exp(-0.1 * age)))
  expected <- vapply(0:12, function(t) {
    rowSums(cbind(left(20, t), if (t >= 5) left(50, t - 5), if (t >= 10) left(50, t - 10)))
  }, c(0, 0))
  far <- abs(exact$mean - expected[1, ]) / sqrt(expected[2, ] / 200)
  expect_lt(max(far[-1]), qnorm(1 - 1e-3 / 26))
  # what an event sets is not conserved
  expect_identical(nrow(conservation_laws(petri_net("A -> B" = 1))), 2L)
  expect_identical(nrow(conservation_laws(petri_net("A -> B" = 1, events = list(event("time > 1", set = c(A = 5)))))), 0L)
})

test_that("what is wrong with events is told", {
  net <- function(...) petri_net("0 -> x" = flow(1), "A -> 0" = 1, continuous = "x", events = list(event(...)))
  parse <- function(...) expect_error(net(...), class = "fireflip_error_parse")
  expect_match(conditionMessage(parse("x > 1", set = c(y = 1))), "event \"E1\" sets \"y\", but no place or parameter")
  expect_match(conditionMessage(parse("x > z", set = c(x = 1))), "the condition of event \"E1\": .* called \"z\"")
  expect_error(net("x > 1", set = c(A = 0.5)), "sets place \"A\" to 0.5; expected a whole number", class = "fireflip_error_model")
  below <- net("x > 1", set = c(x = "1 - 2 * x"))
  expect_error(final(below, 1, 3), "sets place \"x\" to -1 at time 1", class = "fireflip_error_model")
  colours <- function(...) {
    petri_net(
      t = transition("0 -> A[x]", flow = 1, ...), colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X"),
      continuous = "A", parameters = c(n = 2), events = list(event("time > 1", set = c(n = 3)))
    )
  }
  expect_error(colours(guard = "x < n"), "an event sets parameter \"n\"", class = "fireflip_error_model")
  for (ending in c("andl", "pnml")) {
    expect_error(
      write_network(net("x > 1", set = c(x = 0)), tempfile(fileext = paste0(".", ending))), "has no events|have no events",
      class = "fireflip_error_model"
    )
  }
})

# ---- SBML -------------------------------------------------------------------------------------------------------------------

math <- function(x) sprintf("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math>", x)
ci <- function(id) sprintf("<ci> %s </ci>", id)
op <- function(f, ...) sprintf("<apply><%s/>%s</apply>", f, paste0(...))
document <- function(species, parameters, rules, reactions = "", events = "") {
  parts <- function(list, x) {
    if (length(x) > 0L && any(nzchar(x))) sprintf("<listOf%s>%s</listOf%s>", list, paste(x, collapse = "\n"), list)
  }
  file <- tempfile(fileext = ".xml")
  writeLines(c(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" version=\"2\"><model>",
    "<listOfCompartments><compartment id=\"V\" size=\"2\" constant=\"false\"/></listOfCompartments>",
    parts("Species", species), parts("Parameters", parameters), parts("Rules", rules), parts("Reactions", reactions),
    parts("Events", events), "</model></sbml>"
  ), file)
  file
}
species <- function(id, amount, boundary = "false", amounts = "true") {
  sprintf(paste(
    "<species id=\"%s\" compartment=\"V\" initialAmount=\"%s\" hasOnlySubstanceUnits=\"%s\" boundaryCondition=\"%s\"",
    "constant=\"false\"/>"
  ), id, amount, amounts, boundary)
}
parameter <- function(id, value) sprintf("<parameter id=\"%s\" value=\"%s\" constant=\"false\"/>", id, value)
rate <- function(id, x) sprintf("<rateRule variable=\"%s\">%s</rateRule>", id, math(x))

# A reaction that takes one molecule.
takes <- function(id, law) {
  paste0(
    "<reaction id=\"r\" reversible=\"false\"><listOfReactants><speciesReference species=\"", id, "\" stoichiometry=\"1\" ",
    "constant=\"true\"/></listOfReactants><kineticLaw>", math(law), "</kineticLaw></reaction>"
  )
}

test_that("rate rules become flows", {
  decay <- function(id) op("times", "<cn> -1 </cn>", ci(id))
  file <- document(
    c(species("x", 1.5, "true"), species("y", 6, "true", "false"), species("A", 10)), c(parameter("k", 0.5), parameter("p", 1)),
    c(rate("x", op("times", ci("k"), ci("x"), op("minus", "<cn> 3 </cn>", ci("x")))), rate("p", decay("p")),
      rate("y", "<cn> 1 </cn>"), rate("V", "<cn> 1 </cn>")),
    takes("A", op("times", ci("p"), ci("A"))),
    paste0(
      "<event useValuesFromTriggerTime=\"true\"><trigger initialValue=\"false\" persistent=\"true\">",
      math(op("geq", ci("x"), "<cn> 2 </cn>")), "</trigger><listOfEventAssignments><eventAssignment variable=\"p\">",
      math("<cn> 2 </cn>"), "</eventAssignment></listOfEventAssignments></event>"
    )
  )
  expect_error(read_sbml(file), "rateRule", class = "fireflip_error_unsupported")
  net <- read_sbml(file, as = "petri_net")
  expect_identical(net$places$place[net$places$continuous], c("x", "y", "p", "V"))
  expect_identical(net$transitions$kind, rep(c("stochastic", "continuous"), c(1, 4)))
  expect_match(summary(net)$choices, "x_rate: flows, because it is a rate rule", all = FALSE)
  # logistic growth reaches 2 at log(2) / 1.5; a concentration grows by 1 in a volume that grows by 1: (3 + t) (2 + t)
  at <- log(2) / 1.5
  sim <- path_of(1, net, c(0.25, 1, 2), tolerance = 1e-9)
  logistic <- function(t) 3 / (1 + exp(-1.5 * t))
  expect_equal(sim$x, logistic(c(0.25, 1, 2)), tolerance = 1e-6)
  expect_equal(sim$y, (3 + c(0.25, 1, 2)) * (2 + c(0.25, 1, 2)), tolerance = 1e-6)
  expect_equal(sim$p, c(exp(-0.25), 2 * exp(at - c(1, 2))), tolerance = 1e-6)
  # the hazard of A is the integral of p
  alive <- final(net, 1000, 1)$A / 10
  survive <- exp(-(1 - exp(-at)) - 2 * (1 - exp(at - 1)))
  expect_lt(abs(mean(alive) - survive) / sqrt(survive * (1 - survive) / 10000), 4)
})

test_that("a file with events alone becomes a net without transitions", {
  file <- document(species("A", 10), parameter("k", 1), NULL, events = paste0(
    "<event useValuesFromTriggerTime=\"true\"><trigger initialValue=\"false\" persistent=\"true\">",
    math(op("geq", "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\"> t </csymbol>",
      "<cn> 1 </cn>")), "</trigger><listOfEventAssignments><eventAssignment variable=\"A\">", math("<cn> 3 </cn>"),
    "</eventAssignment></listOfEventAssignments></event>"
  ))
  net <- read_sbml(file, as = "petri_net")
  expect_identical(nrow(net$transitions), 0L)
  expect_identical(path_of(1, net, c(0, 0.9, 1, 2))$A, c(10, 10, 3, 3))
})

test_that("levels of SBML may begin with fractions", {
  decay <- takes("B", op("times", ci("k"), ci("B")))
  file <- document(c(species("A", 10), species("B", 2.5)), parameter("k", 1), NULL, decay)
  expect_error(read_network(file, as = "petri_net"), "2.5", class = "fireflip_error_unsupported")
  net <- read_network(file, as = "petri_net", continuous = "B")
  expect_equal(path_of(1, net, 1)$B, 2.5 * exp(-1), tolerance = 1e-6)
  expect_equal(path_of(1, read_network(file, as = "petri_net", continuous = "B", initial = c(B = 7)), 0)$B, 7)
  expect_error(read_network(file, as = "petri_net", continuous = c("B", "Z")), "\"Z\"", class = "fireflip_error_argument")
  expect_identical(read_network(file, as = "petri_net", continuous = TRUE)$places$continuous, c(TRUE, TRUE))
  expect_error(read_network(file, as = "petri_net", continuous = 2), "names of species, or TRUE for all; found 2")
  expect_error(read_network(file, continuous = "B"), "`as` = \"petri_net\"", class = "fireflip_error_argument")
  below <- document(species("x", 1), parameter("p", -1), rate("p", "<cn> 1 </cn>"))
  expect_error(read_sbml(below, as = "petri_net"), "the initial value -1", class = "fireflip_error_unsupported")
})

test_that("Petri nets are written as SBML and read back", {
  make <- function(...) {
    petri_net(
      "off <-> on" = c(1.5, 2.5), "0 -> protein" = flow("k * on"), "protein -> 0" = flow(1),
      "2 ER -> 0.5 Ca" = flow(mass_action("k")), "5.405405 ER -> Ca" = flow("1.11 * (ER - Ca)"),
      "3 on -> 2 off" = mass_action("k"), "2.5 Ca -> on" = transition(rate = "0.1 * Ca"), ...,
      initial = c(off = 4, ER = 10.27, Ca = 0.1), continuous = c("protein", "ER", "Ca"), parameters = c(k = 0.75),
      variables = c(v = "protein * 2"),
      events = list(E = event("protein > 0.5", set = c(k = "k / 2", Ca = 0.25, off = "off + 1"), delay = 0.5, priority = "v"))
    )
  }
  net <- make()
  file <- write_sbml(net, tempfile(fileext = ".xml"))
  back <- read_sbml(file, as = "petri_net")
  for (part in c("places", "transitions", "parameters", "variables", "events", "markings")) {
    expect_identical(back[[part]], net[[part]], info = part)
  }
  run <- function(net) as.list(simulate(net, nsim = 10, times = 0:3, seed = 1))
  expect_identical(run(back)[1:6], run(net)[1:6])
  # a test becomes a piecewise rate
  tested <- make("0 -> Ca" = transition(rate = "protein + v", test = "on >= 1 & off < 2"))
  again <- read_network(write_network(tested, tempfile(fileext = ".sbml")), as = "petri_net")
  expect_identical(again$transitions$number[[9L]], "if(on >= 1 & off < 2, protein + v, 0)")
  # colours become parts of names
  cells <- petri_model("calcium", nx = 2, ny = 2)
  flat <- read_sbml(write_sbml(cells, tempfile(fileext = ".xml")), as = "petri_net")
  names <- grep("^Ca", flat$places$place, value = TRUE)
  expect_identical(names, sprintf("Ca_%d_%d", rep(1:2, each = 2), rep(1:2, 2)))
  end <- function(net, observe) simulate(net, nsim = 3, times = 0.01, seed = 2, observe = observe)$mean
  expect_equal(end(flat, names), end(cells, "Ca"), tolerance = 1e-6)
  # all other kinds are refused
  refused <- function(says, ...) {
    net <- suppressWarnings(petri_net(t = transition("(1 + B) A -> B", ...), initial = c(A = 1)))
    expect_error(write_sbml(net, tempfile(fileext = ".xml")), paste0("transition \"t\" ", says), class = "fireflip_error_model")
  }
  refused("is immediate", weight = 1)
  refused("is deterministic", delay = 1)
  refused("is scheduled", at = c(1, 2, 3))
  refused("resets a place", rate = "A", reset = "B")
  refused("has an arc whose weight changes", rate = "A")
})

# ---- the stochastic SBML test suite --------------------------------------------------------------------------------------------

test_that("the stochastic SBML test suite passes by Petri nets", {
  # tests/campaign/suite-petri.R has all cases with 10,000 trajectories
  folder <- skip_without_shared("dsmts")
  read <- function(case, ...) read_sbml(file.path(folder, case, paste0(case, "-sbml-l3v1.xml")), ...)
  passes <- function(case, n, net) {
    misses <- function(n, seed) {
      found <- suite_misses(folder, case, n, seed, "exact", net)
      expect_identical(found[["unequal"]], 0, info = case)
      max(found[c("mean", "sd")])
    }
    misses(n, 1) <= 1 || misses(10 * n, 2) <= 1
  }
  run <- function(model) as.list(simulate(model, nsim = 3, times = 5, seed = 1))[c("mean", "sd")]
  quick <- sprintf("%05d", c(4, 20, 27:30, 32:36))
  for (case in sprintf("%05d", 1:39)) {
    net <- read(case, as = "petri_net")
    expect_identical(run(net), run(read(case)), info = case) # converted
    if (case %in% quick) expect_true(passes(case, 1e4, net), info = case)
    if (case %in% names(suite_andl)) expect_true(passes(case, 1e4, suite_andl_net(case)), info = paste(case, "in ANDL"))
  }
  for (case in c("00001", "00011", "00021", "00037", "00039")) {
    expect_true(passes(case, 500, read(case, as = "petri_net")), info = case)
  }
})
