# Amounts and concentrations that become counts.

avogadro <- 6.02214076e23

mathml <- function(...) sprintf("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math>", paste0(...))
op <- function(name, ...) sprintf("<apply><%s/>%s</apply>", name, paste0(...))
ci <- function(...) paste(sprintf("<ci>%s</ci>", c(...)), collapse = "")
cn <- function(x) sprintf("<cn>%s</cn>", x)

# A model of Level 3 in a compartment V. `unit` is list(kind, scale), or NULL. `reactions` is a list of list(reactants, products,
# law); those of a side are names, repeated as often as they occur.
units_file <- function(initial, reactions, unit = list("mole", 0), size = 1, substance = FALSE, parameters = c(k = 1), more = "",
                       rules = "", concentration = !substance) {
  sides <- function(tag, names) {
    if (length(names) == 0L) return("")
    n <- table(factor(names, unique(names)))
    paste0("<", tag, ">", paste0(sprintf(
      "<speciesReference species=\"%s\" stoichiometry=\"%d\" constant=\"true\"/>", names(n), n
    ), collapse = ""), "</", tag, ">")
  }
  number <- function(x) point(format(x, digits = 17, trim = TRUE))
  file <- tempfile("units", fileext = ".xml")
  writeLines(c(
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\">",
    if (is.null(unit)) "<model>" else sprintf(paste0(
      "<model substanceUnits=\"s\" extentUnits=\"s\"><listOfUnitDefinitions><unitDefinition id=\"s\"><listOfUnits>",
      "<unit kind=\"%s\" exponent=\"1\" scale=\"%d\" multiplier=\"1\"/></listOfUnits></unitDefinition></listOfUnitDefinitions>"
    ), unit[[1L]], unit[[2L]]),
    sprintf("<listOfCompartments><compartment id=\"V\" spatialDimensions=\"3\" size=\"%s\" constant=\"true\"/>", number(size)),
    "</listOfCompartments><listOfSpecies>",
    sprintf(
      "<species id=\"%s\" compartment=\"V\" %s=\"%s\" hasOnlySubstanceUnits=\"%s\" boundaryCondition=\"false\" constant=\"false\"/>",
      names(initial), if (concentration) "initialConcentration" else "initialAmount", number(initial), tolower(substance)
    ),
    "</listOfSpecies><listOfParameters>",
    sprintf("<parameter id=\"%s\" value=\"%s\" constant=\"true\"/>", names(parameters), number(parameters)),
    more, "</listOfParameters>", rules, "<listOfReactions>",
    unlist(Map(function(i, r) paste0(
      sprintf("<reaction id=\"r%d\" reversible=\"false\" fast=\"false\">", i), sides("listOfReactants", r[[1L]]),
      sides("listOfProducts", r[[2L]]), "<kineticLaw>", mathml(r[[3L]]), "</kineticLaw></reaction>"
    ), seq_along(reactions), reactions)),
    "</listOfReactions></model></sbml>"
  ), file)
  file
}

convert <- function(..., counts = "convert", round = "nearest") {
  suppressMessages(
    read_network(..., counts = counts, round = round), classes = c("fireflip_message_counts", "fireflip_message_reversible")
  )
}

rates_at <- function(net, ...) {
  values <- c(list(...), as.list(net$parameters))
  unname(vapply(net$reactions$rate, function(rate) eval(str2lang(rate), values), 0))
}

test_that("100 models with units have the propensities of their counts", {
  for (seed in 1:100) {
    set.seed(seed)
    scale <- sample(c(-9L, -6L, -3L, 0L), 1)
    f <- avogadro * 10^scale
    size <- signif(10^stats::runif(1, -16, -13), 3)
    substance <- seed %% 2 == 0
    molar <- if (substance) 1 else size # amounts in laws, or concentrations
    n <- sample(5:60, 2)
    k <- signif(stats::runif(4, 0.1, 3), 3) # of counts: production, decay, binding, pairs
    parameters <- c(k0 = k[[1]] / f / size, k1 = k[[2]], k2 = k[[3]] * f * molar^2 / size, k3 = k[[4]] * f * molar^2 / size)
    law <- function(...) op("times", ci("V"), ...)
    first <- if (substance) op("divide", ci("A"), ci("V")) else ci("A")
    file <- units_file(
      c(A = n[[1]], B = n[[2]]) / f / molar, list(
        list(NULL, "A", law(ci("k0"))), list("A", NULL, law(ci("k1"), first)), list(c("A", "B"), "B", law(ci("k2", "A", "B"))),
        list(c("A", "A"), "B", if (seed %% 3 == 0) law(ci("k3"), op("power", ci("A"), cn(2))) else law(ci("k3", "A", "A")))
      ), list("mole", scale), size, substance, parameters
    )
    net <- convert(file)
    expect_identical(net$species$initial, as.double(n))
    a <- n[[1]]
    expect_equal(rates_at(net, A = a, B = n[[2]]), c(k[[1]], k[[2]] * a, k[[3]] * a * n[[2]], k[[4]] * a * (a - 1)),
      tolerance = 1e-9, label = seed)
  }
})

test_that("the distribution is that of the counts", {
  f <- avogadro * 1e-9
  size <- 1e-15
  file <- units_file(
    c(A = 12, B = 0) / f / size, list(list("A", "B", op("minus", op("times", ci("V", "k", "A")), op("times", ci("V", "q", "B"))))),
    list("mole", -9L), size, parameters = c(k = 0.4, q = 0.1)
  )
  net <- convert(file)
  expect_identical(net$reactions$equation, c("A -> B", "B -> A"))
  moments <- as.data.frame(chemical_master_equation(net, 2), what = "moments")
  p <- 0.8 * (1 - exp(-1))
  expect_equal(moments$mean, 12 * c(1 - p, p), tolerance = 1e-7)
  expect_equal(moments$sd, rep(sqrt(12 * p * (1 - p)), 2), tolerance = 1e-7)
})

test_that("laws that are no powers are those of concentrations, and variables and events are converted", {
  f <- avogadro * 1e-9
  size <- 2e-15
  set <- function(id, math) sprintf("<eventAssignment variable=\"%s\">%s</eventAssignment>", id, mathml(math))
  rules <- paste0(
    "<listOfRules><assignmentRule variable=\"total\">", mathml(op("plus", ci("A", "B"))), "</assignmentRule></listOfRules>"
  )
  file <- units_file(
    c(A = 20, B = 10) / f / size, list(
      list("A", "B", op("divide", op("times", ci("V", "k", "A")), op("plus", ci("m", "A")))),
      list("B", NULL, op("times", ci("V", "k"), op("power", op("divide", ci("B"), ci("total")), cn("1.5"))))
    ), list("mole", -9L), size, parameters = c(k = 3 / f / size, m = 40 / f / size),
    more = "<parameter id=\"total\" constant=\"false\"/>", rules = rules
  )
  text <- readLines(file)
  events <- paste0(
    "<listOfEvents><event id=\"e\" useValuesFromTriggerTime=\"true\"><trigger initialValue=\"false\" persistent=\"true\">",
    mathml(op("gt", ci("total"), op("times", cn(2), ci("m")))), "</trigger><listOfEventAssignments>",
    set("A", op("times", cn("0.51"), ci("A"))), set("B", ci("m")), "</listOfEventAssignments></event></listOfEvents>"
  )
  writeLines(sub("</listOfReactions>", paste0("</listOfReactions>", events), text, fixed = TRUE), file)
  net <- convert(file)
  total <- 30 / f / size
  expect_equal(rates_at(net, A = 20, B = 10, total = total), c(3 * 20 / 60, 3 * (1 / 3)^1.5), tolerance = 1e-12)
  here <- c(list(A = 20, B = 10, total = total, floor = floor), as.list(net$parameters))
  expect_equal(eval(str2lang(net$variables[["total"]]), here), total, tolerance = 1e-12)
  expect_false(eval(str2lang(net$events$when), here))
  expect_true(eval(str2lang(net$events$when), utils::modifyList(here, list(total = 81 / f / size))))
  values <- vapply(net$events$set[[1L]], function(value) eval(str2lang(value), here), 0)
  expect_identical(unname(values), c(10, 40)) # 10.2 is rounded
})

test_that("a message tells what was converted", {
  file <- units_file(c(A = 30 / avogadro), list(list(c("A", "A"), NULL, op("times", ci("k", "A", "A")))), substance = TRUE)
  said <- expect_message(read_network(file, counts = "convert"), class = "fireflip_message_counts")
  expect_identical(conditionMessage(said), sprintf(
    paste0(
      "In %s, an amount of 1 (mole) is 6.02214076e+23 molecules. The rate of \"r1\" counts molecules without repetition, as ",
      "A * (A - 1).\n"
    ), file
  ))
  expect_identical(said[c("factor", "reactions")], list(factor = avogadro, reactions = "r1"))
  said <- expect_message(read_network(file, counts = "convert", particles = avogadro), class = "fireflip_message_counts")
  expect_match(conditionMessage(said), "an amount of 1 is 6.02214076e+23 molecules", fixed = TRUE)
  # amounts in items are counts, and count pairs
  file <- units_file(c(A = 30), list(list(c("A", "A"), NULL, op("times", ci("k", "A", "A")))), list("item", 0L), substance = TRUE)
  expect_identical(convert(file)$reactions$rate, "k * A * (A - 1)")
  expect_identical(read_network(file)$reactions$rate, "k * A * A")
})

test_that("constants of mass action that write_network() has marked are for the amounts of the file", {
  net <- reaction_network("2 A -> B" = 0.5, "A -> 0" = 3, initial = c(A = 7))
  file <- write_network(net, tempfile(fileext = ".xml"))
  expect_identical(convert(file, particles = 1)$reactions, net$reactions)
  expect_warning(read <- convert(file, particles = 10), "where A = 1", class = "fireflip_warning_negative") # 10 are one unit
  expect_identical(read$species$initial, c(70, 0))
  expect_equal(rates_at(read, A = 70), 10 * c(0.5 * 7 * 6 / 2, 21), tolerance = 1e-12)
})

test_that("what cannot be converted is an error with advice", {
  decay <- list(list("A", NULL, op("times", ci("k", "A"))))
  error <- function(file, text, ..., class = "unsupported") {
    expect_error(read_network(file, ...), text, class = paste0("fireflip_error_", class), fixed = TRUE)
  }
  none <- units_file(c(A = 2.5), decay, unit = NULL, substance = TRUE)
  error(none, "does not tell the unit of amounts; `particles` gives how many molecules one has", counts = "convert")
  net <- convert(none, particles = 1000)
  expect_identical(net$species$initial, 2500)
  grams <- units_file(c(A = 2.5), decay, list("gram", -3L), substance = TRUE)
  error(grams, "amounts have the unit 0.001 gram, which is no number of molecules; `particles` gives", counts = "convert")
  nano <- units_file(c(A = 2.5e-14), decay, list("mole", -9L), substance = TRUE)
  error(nano, "\"A\" with the initial count 15.0553519 where", counts = "convert")
  error(nano, "round = \"nearest\" rounds them", counts = "convert")
  error(nano, "counts = \"convert\" converts amounts and rates to numbers of molecules")
  error(nano, "`particles` needs `counts` = \"convert\"", particles = 3, class = "argument")
  error(nano, "`particles` must be", counts = "convert", particles = 0, class = "argument")
  error(nano, "`volume` must be", volume = -1, class = "argument")
  error(nano, "`round` must be one of", round = "down", class = "argument")
  error(nano, "`counts` needs `as` = \"auto\"", counts = "convert", as = "petri_net", class = "argument")
  extents <- readLines(nano)
  file <- tempfile(fileext = ".xml")
  writeLines(sub("extentUnits=\"s\"", "extentUnits=\"mole\"", extents), file)
  error(file, "amounts have the unit 1e-09 mole, but extents of reactions mole; expected one unit", counts = "convert")
  large <- units_file(c(A = 1), decay, list("mole", 0L), substance = TRUE)
  error(large, "\"A\" with the initial count 6.02214076e+23 where", counts = "convert", round = "nearest")
  net <- tempfile(fileext = ".net")
  writeLines(c("begin species", "1 A() 21.7", "end species", "begin reactions", "1 1 0 0.5", "end reactions"), net)
  error(net, "has counts; `counts` = \"convert\" is for the amounts of SBML", counts = "convert", class = "argument")
  expect_identical(read_network(net, round = "nearest")$species$initial, 22)
  expect_error(
    read_network(write_network(pbn(list(A = "A")), tempfile(fileext = ".pbn")), round = "nearest"), "`round` is only for reaction",
    class = "fireflip_error_argument"
  )
})

test_that("counts above 0 that become 0 are told", {
  decay <- list(list("A", NULL, op("times", ci("k", "A"))))
  file <- units_file(c(A = 30, B = 0.2, C = 0.4, D = 0.6), decay, substance = TRUE)
  expect_error(read_network(file), class = "fireflip_error_unsupported")
  said <- expect_warning(
    suppressWarnings(net <- read_network(file, round = "nearest"), classes = "fireflip_warning_unit"),
    class = "fireflip_warning_rounded"
  )
  expect_match(conditionMessage(said), "the initial counts of \"B\" and 1 more species are above 0, but less than half a molecule",
    fixed = TRUE)
  expect_identical(net$species$initial, c(30, 0, 0, 1))
  expect_no_warning(
    suppressWarnings(read_network(file, round = "nearest", initial = c(B = 1, C = 1)), classes = "fireflip_warning_unit")
  )
  net <- tempfile(fileext = ".net")
  writeLines(c("begin species", "1 A() 0.1", "end species", "begin reactions", "1 1 0 0.5", "end reactions"), net)
  expect_warning(read_network(net, round = "nearest"), "the initial count of \"A()\" is above 0", fixed = TRUE,
    class = "fireflip_warning_rounded")
})

test_that("the files of others become counts", {
  path <- skip_without_shared("models/wild/enz.xml")
  net <- convert(path)
  expect_identical(net$species$initial, c(30, 0, 301, 0)[match(net$species$species, c("E", "ES", "S", "P"))])
  ode <- simulate(net, times = 20, method = "ode")
  expect_equal(ode$mean[ode$species == "P"], 234.2, tolerance = 0.05 / 234)
  folder <- dirname(path)
  expect_identical(convert(file.path(folder, "biomd5.xml"), particles = 1e3)$species$initial, c(0, 0, 750, 0, 250, 0, 0))
  expect_error(read_network(file.path(folder, "core_no_size.xml")), "the argument `volume` can give one", fixed = TRUE)
  sized <- read_network(file.path(folder, "core_no_size.xml"), volume = 1)
  expect_identical(rates_at(sized, A = 7), rates_at(read_network(file.path(folder, "core_control.xml")), A = 7))
  expect_identical(read_network(file.path(folder, "core_fractional.xml"), round = "nearest")$species$initial[[1L]], 10)
  expect_identical(read_network(file.path(folder, "fractional.net"), round = "nearest")$species$initial[[1L]], 22)
})
