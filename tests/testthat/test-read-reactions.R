# Reaction networks from SBML. tests/c/test_sbml_reactions.c tests the reader itself.

sbml_file <- function(..., attributes = "level=\"3\" version=\"1\"") {
  file <- tempfile("net", fileext = ".xml")
  writeLines(c(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    sprintf("<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" %s>", attributes), "<model>", ..., "</model>",
    "</sbml>"
  ), file)
  file
}

list_of <- function(name, ...) c(sprintf("<listOf%s>", name), ..., sprintf("</listOf%s>", name))
cell <- "<listOfCompartments><compartment id=\"cell\" spatialDimensions=\"3\" size=\"2\" constant=\"true\"/></listOfCompartments>"
species <- function(id, amount, more = "hasOnlySubstanceUnits=\"true\" boundaryCondition=\"false\"") {
  point(sprintf("<species id=\"%s\" compartment=\"cell\" initialAmount=\"%s\" %s constant=\"false\"/>", id, amount, more))
}
math <- function(x) sprintf("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math>", x)
product <- function(...) sprintf("<apply><times/>%s</apply>", paste(sprintf("<ci> %s </ci>", c(...)), collapse = ""))
reaction <- function(id, from, to, law, locals = NULL) {
  references <- function(kind, names) {
    if (length(names) > 0L) {
      list_of(kind, sprintf("<speciesReference species=\"%s\" stoichiometry=\"1\" constant=\"true\"/>", names))
    }
  }
  c(
    sprintf("<reaction id=\"%s\" reversible=\"false\" fast=\"false\">", id), references("Reactants", from),
    references("Products", to), "<kineticLaw>", math(law),
    if (!is.null(locals)) list_of("LocalParameters", locals), "</kineticLaw>", "</reaction>"
  )
}

small_model <- function() {
  sbml_file(
    cell,
    list_of("Species", species("A", 10), species("B", 4, "hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\""),
      species("Sink", 0, "hasOnlySubstanceUnits=\"true\" boundaryCondition=\"true\"")),
    list_of("Parameters", "<parameter id=\"k\" value=\"0.5\" constant=\"true\"/>"),
    list_of("Reactions",
      reaction("bind", c("A", "B"), "Sink", product("k", "A", "B")),
      reaction("make", NULL, "A", product("k"), "<localParameter id=\"k\" value=\"3\"/>"))
  )
}

# The propensities in a state. Formulas have R's grammar.
propensities <- function(model, state = stats::setNames(model$species$initial, model$species$species)) {
  values <- c(as.list(state), as.list(model$parameters))
  vapply(model$reactions$rate, function(rate) eval(str2lang(rate), values, baseenv()), 0, USE.NAMES = FALSE)
}

test_that("an SBML file without qual is a reaction network, by either function", {
  file <- small_model()
  net <- read_network(file)
  expect_s3_class(net, "reaction_network")
  expect_identical(net$species, data.frame(
    species = c("A", "B", "Sink"), initial = c(10, 4, 0), fixed = c(FALSE, FALSE, TRUE)
  ))
  expect_identical(net$parameters, c(k = 0.5, cell = 2, make_k = 3))
  expect_identical(net$reactions, data.frame(
    name = c("bind", "make"), equation = c("A + B -> Sink", "0 -> A"), rate = c("k * A * (B / cell)", "make_k"), law = "formula"
  ))
  expect_identical(read_sbml(file), net)
  expect_identical(read_network(file, "sbml"), net)
  expect_identical(propensities(net), c(0.5 * 10 * 4 / 2, 3))
  expect_identical(propensities(set_parameters(net, cell = 4, make_k = 1)), c(0.5 * 10 * 4 / 4, 1))

  same <- reaction_network(
    "A + B -> Sink" = "k * A * (B / cell)", "0 -> A" = "make_k", initial = c(A = 10, B = 4),
    parameters = c(k = 0.5, cell = 2, make_k = 3), fixed = "Sink"
  )
  same$reactions$name <- c("bind", "make")
  expect_identical(net, same)

  compressed <- paste0(file, ".gz")
  connection <- gzfile(compressed, "wb")
  writeLines(readLines(file), connection)
  close(connection)
  expect_identical(read_network(compressed), net)
  connection <- file(file)
  expect_identical(read_sbml(connection), net)
  expect_match(capture.output(print(net)), "reaction_network", all = FALSE)
})

test_that("initial sets counts; arguments of Boolean networks are errors", {
  file <- small_model()
  expect_identical(read_network(file, initial = c(Sink = 7, A = 0))$species$initial, c(0, 4, 7))
  expect_identical(read_network(file, initial = c(A = 0)), set_initial(read_network(file), A = 0))
  expect_identical(read_network(file, initial = numeric()), read_network(file))
  bad <- function(...) {
    for (read in list(read_network, read_sbml)) {
      error <- expect_error(read(file, ...), class = "fireflip_error_argument")
    }
    sub(paste0(tempdir(), "/net[^ ]*"), "FILE", conditionMessage(error))
  }
  expect_identical(bad(perturbation = 0.1), "`perturbation` is only for Boolean networks, but FILE holds a reaction network.")
  expect_identical(bad(update = "synchronous"), "`update` is only for Boolean networks, but FILE holds a reaction network.")
  expect_identical(bad(exempt = "A"), "`exempt` is only for Boolean networks, but FILE holds a reaction network.")
  expect_match(bad(initial = c(A = 1.5)), "The initial count of \"A\" must be one whole number from 0 to 2^53; found 1.5.",
    fixed = TRUE)
  expect_match(bad(initial = c(AA = 1)), "`initial` names \"AA\", which the network does not have; ", fixed = TRUE)
  expect_match(bad(initial = c(1, 2, 3)), "`initial` must be counts named by species", fixed = TRUE)
})

test_that("initial may name species whose values in the file are not counts", {
  missing <- sub(" initialAmount=\"[^\"]*\"", "", species("B", 0))
  file <- sbml_file(cell, list_of("Species", species("A", 1.5), missing))
  expect_identical(read_network(file, initial = c(A = 2, B = 1))$species$initial, c(2, 1))
  expect_identical(read_network(file, initial = list(B = 1, A = 2))$species$initial, c(2, 1))
  expect_error(read_network(file, initial = c(B = 1)), "species \"A\" with the initial amount 1.5",
    class = "fireflip_error_unsupported")
  expect_error(read_network(file, initial = c(b = 1)), "\"A\" .*, or the argument `initial` can .*; `initial` names only \"b\"$",
    class = "fireflip_error_unsupported")
  expect_error(read_network(file, initial = c(2, 1)), "`initial` must be counts named", class = "fireflip_error_argument")
  expect_error(read_network(file, initial = c(A = NA)), "count of \"A\" .*; found NA", class = "fireflip_error_argument")
  expect_error(read_network(file, initial = c(A = 2)), "species \"B\" without .*; the argument `initial` can",
    class = "fireflip_error_parse")
  expect_error(read_network(file, initial = c(A = 2, B = 1, C = 3)), "names \"C\"", class = "fireflip_error_argument")
  text <- c("begin species", "  1 A(b) 2.5", "  2 B() 3", "end species", "begin reactions", "  1 1 2 0.5", "end reactions")
  net <- tempfile(fileext = ".net")
  writeLines(text, net)
  expect_error(
    read_network(net), "initial count 2.5 .*, or the argument `initial` can give counts; if its amounts",
    class = "fireflip_error_unsupported"
  )
  expect_identical(read_network(net, initial = c("A(b)" = 4))$species$initial, c(4, 3))
  expect_error(read_network(net, "net"), "did you mean \"bngl_net\"", class = "fireflip_error_argument")
})

test_that("what is not supported is an error that names the element and the line", {
  refused <- function(..., attributes = "level=\"3\" version=\"1\"") {
    file <- sbml_file(..., attributes = attributes)
    error <- expect_error(read_network(file), class = "fireflip_error_unsupported")
    sub(paste0(tempdir(), "/net[^,]*"), "FILE", conditionMessage(error))
  }
  some <- list_of("Species", species("A", 1))
  expect_identical(
    refused(cell, some, list_of("Rules", "<algebraicRule>", math("<ci> A </ci>"), "</algebraicRule>")),
    "FILE, line 9: found <algebraicRule>, which is not supported in a reaction network"
  )
  expect_identical(
    refused(cell, list_of("Species", species("A", 1.5))),
    paste(
      "FILE, line 6: found the species \"A\" with the initial amount 1.5 where a whole number from 0 to 2^53 was expected,",
      "a count; if the file means numbers of molecules, round = \"nearest\" rounds them, or the argument `initial` can give counts;",
      "if its amounts have another unit, so have the constants of its rates, and counts = \"convert\" with `particles`, the",
      "molecules in a unit, converts both; as = \"petri_net\" with continuous = TRUE reads amounts as levels"
    )
  )
  expect_match(
    refused(cell, some, attributes = paste(
      "level=\"3\" version=\"1\" xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" comp:required=\"true\""
    )),
    "line 2: found the package \"comp\" with required = true", fixed = TRUE
  )
  # libsbml complains of the package's own elements, such as this csymbol; the package comes first
  normal <- paste0(
    "<apply><csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/distrib/normal\"> normal </csymbol>",
    "<cn> 3 </cn><cn> 1 </cn></apply>"
  )
  expect_match(
    refused(cell, some, list_of("Reactions", reaction("r", "A", NULL, normal)), attributes = paste(
      "level=\"3\" version=\"1\" xmlns:distrib=\"http://www.sbml.org/sbml/level3/version1/distrib/version1\"",
      "distrib:required=\"true\""
    )),
    "line 2: found the package \"distrib\" with required = true, which changes the meaning of the model", fixed = TRUE
  )
  expect_match(refused(cell, some, list_of("Reactions", "<reaction id=\"r\" reversible=\"false\" fast=\"true\"/>")), "is fast")
})

test_that("a unit of amounts that is no count is told, and different units are refused", {
  model <- function(unit, other = unit) {
    file <- tempfile(fileext = ".xml")
    writeLines(sprintf(paste0(
      "<sbml xmlns='http://www.sbml.org/sbml/level3/version1/core' level='3' version='1'><model><listOfUnitDefinitions>",
      "<unitDefinition id='nmol'><listOfUnits><unit kind='mole' exponent='1' scale='-9' multiplier='1'/></listOfUnits>",
      "</unitDefinition><unitDefinition id='number'><listOfUnits><unit kind='item' exponent='1' scale='0' multiplier='1'/>",
      "</listOfUnits></unitDefinition></listOfUnitDefinitions><listOfCompartments><compartment id='c' size='1' constant='true' ",
      "spatialDimensions='3'/></listOfCompartments><listOfSpecies>%s%s</listOfSpecies></model></sbml>"
    ), species_in("A", unit), species_in("B", other)), file)
    file
  }
  species_in <- function(id, unit) {
    sprintf(paste0(
      "<species id='%s' compartment='c' initialAmount='3' substanceUnits='%s' hasOnlySubstanceUnits='true' ",
      "boundaryCondition='false' constant='false'/>"
    ), id, unit)
  }
  expect_no_warning(read_network(model("item")))
  expect_no_warning(read_network(model("number", "dimensionless")))
  for (unit in c("mole", "nmol")) {
    told <- expect_warning(net <- read_network(model(unit)), class = "fireflip_warning_unit")
    expect_identical(told$unit, if (unit == "mole") "mole" else "1e-09 mole")
    expect_match(conditionMessage(told), "are read as counts of molecules: units are not converted", fixed = TRUE)
    expect_identical(net$species$initial, c(3, 3))
  }
  expect_error(
    read_network(model("item", "mole")),
    "the species \"B\" with amounts in the unit mole where item was expected, as for the species \"A\"",
    class = "fireflip_error_unsupported"
  )
})

# ---- the stochastic SBML test suite (Evans, Gillespie and Wilkinson 2008) ------------------------------------------------------

dsmts_file <- function(case, what = "sbml-l3v1.xml") skip_without_shared(sprintf("dsmts/%05d/%05d-%s", case, case, what))

test_that("the cases of the stochastic test suite are read", {
  for (case in 1:39) {
    net <- read_network(dsmts_file(case))
    expect_s3_class(net, "reaction_network")
    first <- utils::read.csv(dsmts_file(case, "results.csv"))[1, ]
    expect_identical(net$species$initial, unname(unlist(first[paste0(net$species$species, ".mean")])), info = case)
  }
})

test_that("propensities of the stochastic test suite are those that its description gives", {
  at <- function(case, ...) {
    net <- read_network(dsmts_file(case))
    propensities(net, replace(stats::setNames(net$species$initial, net$species$species), names(c(...)), c(...)))
  }
  expect_equal(at(1), c(0.1 * 100, 0.11 * 100))
  expect_equal(at(2, X = 30), c(0.1 * 30, 0.11 * 30)) # both constants are local parameters
  expect_equal(at(6, X = 7, Sink = 5), c(0.1 * 7, 0.11 * 7)) # Sink is a boundary condition
  expect_equal(at(11), c(0.1 * 100 / 2, 0.11 * 100 / 2)) # X is a concentration in a compartment of size 2
  expect_equal(at(22, X = 50), c(5, 0.1 * 50)) # a local parameter of 5 hides the global one of 10
  expect_equal(at(27, X = 50), c(1, 0.1 * 50)) # two local parameters of the same name
  expect_equal(at(30, P = 98, P2 = 1), c(0.001 * 98 * 97 / 2, 0.01))
  expect_equal(at(30, P = 1, P2 = 0), c(0, 0))
  expect_equal(at(31), c(0.0002 * 1000 * 999 / 2, 0))
  for (case in 34:36) expect_equal(at(case, P2 = 10), c(0.001 * 80 * 79 / 2, 0.1)) # of the 100 - 2 P2 monomers
  expect_equal(at(39, X = 100), c(1, 400))
  expect_identical(read_network(dsmts_file(39))$reactions$equation, c("0 -> 100 X", "X -> 0"))
  expect_identical(read_network(dsmts_file(19))$variables, c(y = "2 * X"))
  expect_identical(read_network(dsmts_file(24))$species$fixed, c(FALSE, TRUE, TRUE))
  expect_identical(read_network(dsmts_file(25))$species$fixed, c(FALSE, TRUE, FALSE))
})

# If the propensities are a + b X, the mean m of X follows the equation dm/dt = a + b m, where a and b are summed over the
# reactions, each times its change of X. The means of the test suite have five decimals.
test_that("linear cases of the stochastic test suite have the means that follow from the network", {
  for (case in c(1:27, 37:39)) {
    net <- read_network(dsmts_file(case))
    state <- function(x) c(X = x, stats::setNames(rep(0, nrow(net$species) - 1), setdiff(net$species$species, "X")))
    change <- vapply(strsplit(net$reactions$equation, " -> ", fixed = TRUE), function(sides) {
      count <- vapply(sides, function(side) {
        term <- regmatches(side, regexpr("([0-9]+ )?X$", side))
        if (length(term) == 0L) 0 else if (term == "X") 1 else as.numeric(sub(" X", "", term))
      }, 0)
      count[[2L]] - count[[1L]]
    }, 0)
    a <- sum(change * propensities(net, state(0)))
    b <- sum(change * propensities(net, state(1))) - a
    results <- utils::read.csv(dsmts_file(case, "results.csv"))
    x0 <- net$species$initial[net$species$species == "X"]
    mean <- x0 * exp(b * results$time) + a / b * (exp(b * results$time) - 1)
    expect_lt(max(abs(mean - results$X.mean) / pmax(1, results$X.mean)), 2e-5, label = paste("case", case))
  }
})
