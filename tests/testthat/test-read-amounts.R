# Amounts that are no counts, units, and laws that may be negative: what the readers say of them.

amounts_file <- function(amounts, unit = NULL, laws = NULL) {
  definition <- sprintf(paste0(
    "<listOfUnitDefinitions><unitDefinition id=\"substance\"><listOfUnits><unit kind=\"%s\" exponent=\"1\" scale=\"-9\" ",
    "multiplier=\"1\"/></listOfUnits></unitDefinition></listOfUnitDefinitions>"
  ), unit)
  given <- ifelse(is.na(amounts), "", point(sprintf(" initialAmount=\"%s\"", amounts)))
  reactions <- sprintf(paste0(
    "<reaction id=\"%s\" reversible=\"true\" fast=\"false\"><listOfReactants><speciesReference species=\"A\" ",
    "stoichiometry=\"1\" constant=\"true\"/></listOfReactants><kineticLaw><math ",
    "xmlns=\"http://www.w3.org/1998/Math/MathML\">%s</math></kineticLaw></reaction>"
  ), names(laws), laws)
  file <- tempfile("amounts", fileext = ".xml")
  writeLines(c(
    "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\">",
    if (is.null(unit)) "<model>" else c("<model substanceUnits=\"substance\">", definition),
    "<listOfCompartments><compartment id=\"V\" spatialDimensions=\"3\" size=\"0.5\" constant=\"true\"/></listOfCompartments>",
    "<listOfSpecies>",
    sprintf("<species id=\"%s\" compartment=\"V\"%s hasOnlySubstanceUnits=\"false\" %s", names(amounts), given,
      "boundaryCondition=\"false\" constant=\"false\"/>"),
    "</listOfSpecies>", "<listOfParameters><parameter id=\"k\" value=\"0.25\" constant=\"true\"/></listOfParameters>",
    if (length(laws) > 0L) c("<listOfReactions>", reactions, "</listOfReactions>"), "</model></sbml>"
  ), file)
  file
}

message_of <- function(file, ..., class = "unsupported") {
  error <- expect_error(read_network(file, ...), class = paste0("fireflip_error_", class))
  sub(file, "FILE", conditionMessage(error), fixed = TRUE)
}

op <- function(name, ...) sprintf("<apply><%s/>%s</apply>", name, paste0(...))
ci <- function(...) paste(sprintf("<ci>%s</ci>", c(...)), collapse = "")

either <- paste(
  "; if the file means numbers of molecules, round = \"nearest\" rounds them, or the argument `initial` can give counts; if its",
  "amounts have another unit, so have the constants of its rates, and "
)
perhaps <- paste0(
  either, "counts = \"convert\" with `particles`, the molecules in a unit, converts both; as = \"petri_net\" with continuous = TRUE ",
  "reads amounts as levels"
)
of_bionetgen <- paste0(either, "counts would give wrong results")

test_that("one message names all species whose amounts are no counts", {
  expect_identical(message_of(amounts_file(c(A = 10.4, B = 3, C = -1, D = NA))), paste0(
    "FILE, line 5: found the species \"A\" with the initial amount 10.4, \"C\" with -1, \"D\" without one where whole numbers ",
    "from 0 to 2^53 were expected, counts", perhaps
  ))
  expect_identical(message_of(amounts_file(c(A = NA, B = 3, C = 0.5))), paste0(
    "FILE, line 5: found the species \"A\" without an initial amount or concentration, \"C\" with 0.5 where whole numbers ",
    "from 0 to 2^53 were expected, counts", perhaps
  ))
  many <- stats::setNames(1:9 + 0.5, LETTERS[1:9])
  expect_match(message_of(amounts_file(many)), "with the initial amount 1.5, \"B\" with 2.5, .* \"E\" with 5.5 and 4 more where")
  expect_match(message_of(amounts_file(many), initial = c(B = 2)), "1.5, \"C\" with 3.5, .* and 3 more .*; `initial` names only")
  expect_match(message_of(amounts_file(c(A = NA)), class = "parse"),
    "\"A\" without an initial amount or concentration where one was expected; the argument `initial` can give one$")
  expect_match(message_of(amounts_file(c(A = NA, B = NA)), class = "parse"), "concentration, \"B\" without one where whole")
  long <- stats::setNames(1:9 + 0.5, paste0(strrep("x", 500), 1:9))
  text <- message_of(amounts_file(long))
  expect_match(text, "and [0-9] more where whole numbers")
  expect_match(text, "converts both; as = \"petri_net\"")
  whole <- read_network(amounts_file(many), initial = stats::setNames(1:9, LETTERS[1:9]))
  expect_identical(whole$species$initial, as.double(1:9))
  net <- tempfile(fileext = ".net")
  writeLines(c(
    "begin species", "1 A() 21.7", "2 B() 0", "3 C() 1/3", "end species", "begin reactions", "1 1 2 0.5", "end reactions"
  ), net)
  expect_identical(message_of(net), paste0(
    "FILE, line 2: found the species \"A()\" with the initial count 21.7, \"C()\" with 0.333333333333333 where whole numbers ",
    "from 0 to 2^53 were expected, counts", of_bionetgen
  ))
  expect_match(message_of(net, initial = c("A()" = 22)), "line 4: found the species \"C()\" with the initial count 0.3333333",
    fixed = TRUE)
})

test_that("counts are not advised where the constants have another unit", {
  rate <- c(decay = op("times", ci("k", "V", "A")))
  text <- message_of(amounts_file(c(A = 0.25, B = 1e-7), "mole", rate))
  expect_identical(text, paste(
    "FILE, line 6: found the species \"A\" with the initial amount 0.25, \"B\" with 1e-07 where whole numbers from 0 to 2^53",
    "were expected, counts (the unit of the amount is 1e-09 mole, and units are not converted); counts = \"convert\" converts",
    "amounts and rates to numbers of molecules, and round = \"nearest\" rounds these; counts in `initial` would give wrong results,",
    "because the constants of the rates are for this unit, too, unless every rate is of first order; as = \"petri_net\" with",
    "continuous = TRUE reads amounts as levels"
  ))
  levels <- read_network(amounts_file(c(A = 0.25, B = 1e-7), "mole", rate), as = "petri_net", continuous = TRUE) # no warning
  expect_identical(levels$markings$value, c("0.25", "1e-07"))
  expect_match(message_of(amounts_file(c(A = NA), "mole"), class = "parse"), "would give wrong results, because")
  warning_of <- function(...) {
    warning <- expect_warning(net <- read_network(...), class = "fireflip_warning_unit")
    list(text = conditionMessage(warning), net = net)
  }
  wrong <- "With counts of molecules in `initial`, they give wrong results, unless every rate is of first order."
  found <- warning_of(amounts_file(c(A = 0.25, B = 0), "mole", rate), initial = c(A = 50))
  expect_match(found$text, wrong, fixed = TRUE)
  # a rate of first order is the same for any unit: 0.25 x 50
  values <- c(A = 50, as.list(found$net$parameters))
  expect_identical(eval(str2lang(found$net$reactions$rate), values), 12.5)
  expect_no_match(warning_of(amounts_file(c(A = 3, B = 0), "mole", rate))$text, "initial")
  expect_no_warning(read_network(amounts_file(c(A = 3.5, B = 0), NULL, rate), initial = c(A = 4)))
})

test_that("the files of others get the same words", {
  path <- skip_without_shared("models/wild/enz.xml")
  text <- conditionMessage(expect_error(read_sbml(path), class = "fireflip_error_unsupported"))
  expect_match(text, "\"E\" with the initial amount 5e-14, \"S\" with 5e-13 where", fixed = TRUE)
  expect_match(text, "the unit of the amount is 1e-09 mole", fixed = TRUE)
  expect_no_match(text, "can give")
  expect_warning(read_sbml(path, initial = c(E = 30, S = 301)), "wrong results, unless every rate is of first order",
    class = "fireflip_warning_unit")
  folder <- dirname(path)
  expect_match(message_of(file.path(folder, "core_fractional.xml")), "\"A\" with the initial amount 10.4 where", fixed = TRUE)
  expect_match(message_of(file.path(folder, "fractional.net")), "\"A()\" with the initial count 21.7 where", fixed = TRUE)
  expect_match(message_of(file.path(folder, "biomd5.xml")), "\"CP\" with the initial amount 0.75, \"pM\" with 0.25", fixed = TRUE)
  for (file in c("core_reversible.xml", "rev.xml")) {
    path <- file.path(folder, file)
    expect_warning(read_network(path, reversible = "keep"), "is a difference", class = "fireflip_warning_negative")
  }
  for (file in c("core_control.xml", "biomd12.xml")) expect_no_warning(read_network(file.path(folder, file)))
})

# The reactions in the warning, and the state in which it says that the first is negative.
negative_of <- function(file) {
  found <- NULL
  net <- withCallingHandlers(read_network(file, reversible = "keep"), fireflip_warning_negative = function(w) {
    found <<- c(found, list(w))
    invokeRestart("muffleWarning")
  })
  expect_lte(length(found), 1L)
  list(net = net, warning = if (length(found) > 0L) found[[1L]])
}

test_that("a law that is the difference of two rates is told when it is read", {
  net_law <- op("minus", op("times", ci("k", "A")), op("times", ci("k", "B")))
  plain <- op("times", ci("k", "A"))
  found <- negative_of(amounts_file(c(A = 10, B = 0), laws = c(r = net_law, plain = plain, q = net_law)))
  expect_identical(found$warning$reactions, c("r", "q"))
  expect_match(conditionMessage(found$warning), paste(
    "the rates of reactions \"r\", \"q\" are differences that can be negative: k * (A / V) - k * (B / V) is -0.5 where A = 0,",
    "B = 1. A simulation ends with an error where a rate is below 0; the method \"ode\" takes it. If each is the balance of two",
    "directions, write a reaction for each: as one, the fluctuations are wrong."
  ), fixed = TRUE)
  one <- negative_of(amounts_file(c(A = 10, B = 0), laws = c(r = net_law)))$warning
  expect_match(conditionMessage(one), "the rate of reaction \"r\" is a difference that can be negative", fixed = TRUE)
  expect_null(negative_of(amounts_file(c(A = 10, B = 0), laws = c(r = plain)))$warning)
})

test_that("differences are found behind functions, variables, factors and denominators, and only those that can be negative", {
  some <- c("k1 * A - k2 * B", "K * (A - B) / (1 + A + B)", "v", "w - k2 * B", "-(k2 * B - k1 * A)")
  none <- c(
    "K * A * (A - 1) / 2", "K * (1 - A / (K + A))", "max(0, A - B)", "if(A > B, A - B, 0)", "(A - B)^2", "K * A * exp(-A)"
  )
  for (rate in c(some, none)) {
    net <- reaction_network(
      stats::setNames(list(rate), "A -> B"), initial = c(A = 10, B = 5), parameters = c(k1 = 1, k2 = 3, K = 2),
      variables = c(v = "k1 * A - k2 * B", w = "k1 * A"), reversible = "keep"
    )
    for (format in c("sbml", "bngl_net")) {
      found <- negative_of(write_network(net, tempfile(), format))
      expect_identical(is.null(found$warning), rate %in% none, label = paste(rate, "as", format))
    }
  }
  # a function of SBML
  body <- op("minus", ci("x"), ci("y"))
  file <- amounts_file(c(A = 10, B = 0), laws = c(r = sprintf("<apply><ci>f</ci>%s</apply>", ci("A", "B"))))
  lines <- readLines(file)
  lines <- append(lines, after = 2L, sprintf(paste0(
    "<listOfFunctionDefinitions><functionDefinition id=\"f\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>",
    "<bvar><ci>x</ci></bvar><bvar><ci>y</ci></bvar>%s</lambda></math></functionDefinition></listOfFunctionDefinitions>"
  ), body))
  writeLines(lines, file)
  expect_identical(negative_of(file)$warning$reactions, "r")
})

test_that("the networks of the package and of the suite have no such laws", {
  expect_no_warning(for (name in example_models()$name) example_model(name), class = "fireflip_warning_negative")
  folder <- skip_without_shared("dsmts")
  files <- list.files(folder, "-sbml-l3v1[.]xml$", recursive = TRUE, full.names = TRUE)
  skip_if(length(files) == 0L, "there are no files of the suite")
  for (file in files) expect_null(negative_of(file)$warning, label = file)
})
