# Files as people have them: what does not change the model is no reason to refuse it.

wild <- function(file) skip_without_shared(file.path("models/wild", file))

rules_file <- function(...) {
  file <- tempfile(fileext = ".txt")
  writeLines(c(...), file, useBytes = TRUE)
  file
}

# The file of others with one text replaced.
changed <- function(file, from, to) {
  text <- paste(readLines(wild(file)), collapse = "\n")
  expect_match(text, from, fixed = TRUE)
  out <- tempfile(fileext = ".xml")
  writeLines(sub(from, to, text, fixed = TRUE), out)
  out
}

test_that("lists without elements and attributes that nobody reads are no errors", {
  control <- read_network(wild("core_control.xml"))
  expect_identical(read_network(wild("core_empty_list.xml")), control)
  file <- changed("core_control.xml", "<kineticLaw>", "<listOfModifiers></listOfModifiers><kineticLaw>")
  expect_identical(read_network(file)$reactions, control$reactions)
  layout <- read_network(wild("core_layout_no_id.xml"))
  expect_identical(layout$reactions[c("equation", "rate")], data.frame(equation = "A -> 0", rate = "A"))
  file <- changed("core_layout_no_id.xml", "size=\"1\" constant=\"true\"", "size=\"1\"")
  expect_identical(read_network(file), layout)
})

test_that("SBML-qual is read without compartments, with `essential`, empty lists and other signs", {
  control <- read_network(wild("qual_control.sbml"))
  expect_identical(read_network(wild("qual_no_compartment.sbml")), control)
  expect_identical(read_network(wild("qual_essential.sbml")), control)
  effect <- "qual:transitionEffect=\"none\""
  expect_identical(read_network(changed("qual_control.sbml", effect, paste(effect, "qual:sign=\"mixed\""))), control)
  expect_identical(read_network(changed("qual_control.sbml", "qual:constant=\"false\"", "")), control)
  expect_error(
    read_network(changed("qual_control.sbml", "qual:id=\"A\"", "")), class = "fireflip_error_parse"
  )
  expect_error(
    read_network(changed("qual_control.sbml", effect, paste(effect, "qual:weight=\"2\""))), "weight",
    class = "fireflip_error_parse"
  )
})

test_that("other encodings are read if all characters are of ASCII", {
  control <- read_network(wild("core_control.xml"))
  for (encoding in c("ISO-8859-1", "iso-8859-15", "windows-1252", "latin1", "us-ascii", "utf-8")) {
    expect_identical(read_network(changed("core_control.xml", "UTF-8", encoding)), control)
  }
  for (encoding in c("UTF-16", "EBCDIC", "Shift_JIS")) {
    expect_error(read_network(changed("core_control.xml", "UTF-8", encoding)), "where the encoding UTF-8 was expected")
  }
  file <- changed("core_control.xml", "UTF-8", "ISO-8859-1")
  writeLines(c(readLines(file), "<!-- \u00e9 -->"), file, useBytes = TRUE)
  expect_error(read_network(file), "found \"ISO-8859-1\" where the encoding UTF-8", class = "fireflip_error_parse")
})

test_that("the first lines of old versions of BioNetGen are known", {
  for (file in c("old_prologue.net", "old_prologue3.net")) {
    net <- read_network(wild(file))
    expect_identical(net$species$initial, c(21, 0))
    expect_identical(unname(net$parameters), 0.02)
  }
  lines <- c("setOption(\"NumberPerQuantityUnit\",6.0221e23);", readLines(wild("old_prologue.net")))
  expect_identical(read_network(rules_file(lines)), net)
})

test_that("rules of BooleanNet are read, with their initial values", {
  net <- read_network(wild("booleannet.txt"))
  expect_identical(net, read_network(rules_file("A = B and not A", "B = A")))
  expect_identical(net$update, "synchronous")
  net <- read_network(rules_file(
    "# a comment", "A = True", "B = Random", "C = False", "", "A* = B and not C", "B *= A or (C)", "D* = not D # another"
  ))
  expect_identical(net$nodes, c("C", "A", "B", "D"))
  expect_identical(net$initial, c(0L, 1L, NA, NA))
  expect_identical(net$rules$predictor, c("C", "B & !C", "A | C", "!D"))
  # what `initial` gives comes first
  given <- read_network(rules_file("A = True", "A* = not A"), initial = c(A = 0))
  expect_identical(given$initial, 0L)
  expect_error(
    read_network(rules_file("A = True", "B = A and C", "A* = B")), "line 2: found .* where a rule \"NAME\\* = function\" or an",
    class = "fireflip_error_parse"
  )
  expect_error(read_network(rules_file("A* = B", "A* = A")), "line 2: found a second rule of node \"A\"")
  # a constant, in a file without stars
  expect_identical(read_network(rules_file("A = True", "B = A"))$rules$predictor, c("1", "A"))
})

test_that("names with + and / need no quotes where they are clear", {
  net <- read_network(wild("names_plus_slash.txt"))
  expect_identical(net$nodes, c("Ca2+", "IGFR1A/B"))
  quoted <- read_network(rules_file("\"Ca2+\" = \"IGFR1A/B\"", "\"IGFR1A/B\" = !\"Ca2+\""))
  expect_identical(net, quoted)
  net <- read_network(rules_file("Ca2+ = Na+|!Ca2+", "Na+ = (Ca2+) + B", "B = Ca2+ & Na+"))
  expect_identical(net$rules$predictor, c("\"Na+\" | !\"Ca2+\"", "\"Ca2+\" | B", "\"Ca2+\" & \"Na+\""))
  expect_error(
    read_network(rules_file("A+B = C", "A = C", "B = A", "C = A+B")), "found the name A+B, and A is a name, too; expected quotes",
    fixed = TRUE, class = "fireflip_error_parse"
  )
})
