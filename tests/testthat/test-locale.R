# Numbers in files, in formulas and in messages of the core have a point in every locale.

test_that("every format is written and read alike with a decimal comma", {
  net <- reaction_network(
    "A -> B" = 0.25, "B -> A" = "k * B * 1.5e-3", "0 -> A" = mass_action("k"), initial = c(A = 10, B = 3),
    parameters = c(k = 0.125, l = 1e-7, third = 1 / 3), variables = c(v = "A / 2.5"),
    events = list(e = event("time >= 1.5", set = c(k = 0.75), delay = 0.1, priority = 2.5))
  )
  boolean <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A"), perturbation = 0.001)
  dependent <- pbn(
    list(A = c("B", "!B"), B = c("A", "!A")), contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1), c(2, 2)))
  )
  certain <- pbn(list(A = "B", B = "A"))
  without <- net
  without$events <- NULL
  cases <- list(
    list(net, "sbml"), list(without, "bngl_net"), list(boolean, "pbn"), list(dependent, "pbn"), list(boolean, "boolnet"),
    list(certain, "bnet"), list(certain, "sbml")
  )
  formats <- eval(formals(getS3method("write_network", "pbn"))$format) # a new format needs a case here
  expect_setequal(vapply(cases, `[[`, "", 2L), setdiff(c(formats, "bngl_net"), "auto"))
  file <- function(case) suppressWarnings(write_network(case[[1L]], tempfile(), case[[2L]]), classes = "fireflip_warning_dropped")
  read <- function(file) suppressMessages(read_network(file))
  files <- lapply(cases, file)
  plain <- list(files = lapply(files, readLines), read = lapply(files, read))
  comma <- with_comma({
    again <- lapply(cases, file)
    list(files = lapply(again, readLines), read = lapply(again, read), old = lapply(files, read))
  })
  expect_identical(comma$files, plain$files)
  expect_identical(comma$read, plain$read)
  expect_identical(comma$old, plain$read)
  expect_identical(plain$read[[1L]]$parameters, net$parameters)
  expect_identical(plain$read[[3L]], boolean)
  expect_identical(plain$read[[4L]], dependent)
})

test_that("formulas of all levels of SBML are read alike with a decimal comma", { # libsbml reads the numbers of Level 1 as text
  file <- tempfile(fileext = ".xml")
  writeLines(c(
    "<sbml xmlns=\"http://www.sbml.org/sbml/level1\" level=\"1\" version=\"2\"><model><listOfCompartments>",
    "<compartment name=\"c\" volume=\"1\"/></listOfCompartments><listOfSpecies>",
    "<species name=\"A\" compartment=\"c\" initialAmount=\"100\"/></listOfSpecies><listOfParameters>",
    "<parameter name=\"k\" value=\"0.125\"/></listOfParameters><listOfReactions>",
    "<reaction name=\"r\" reversible=\"false\"><listOfReactants><speciesReference species=\"A\"/></listOfReactants>",
    "<kineticLaw formula=\"0.25*k*A+1.5e-3*A*A/(A+2.5)\"/></reaction></listOfReactions></model></sbml>"
  ), file)
  net <- read_network(file)
  expect_identical(net$reactions$rate, "0.25 * k * (A / c) + 0.0015 * (A / c) * (A / c) / (A / c + 2.5)")
  expect_identical(with_comma(read_network(file)), net)
})

test_that("networks that are made with a decimal comma have the same numbers", {
  make <- function() {
    list(
      reaction_network("A -> B" = 0.25, "B -> A" = mass_action(1 / 3), initial = c(A = 10),
        events = list(e = event("time >= 1.5", set = c(A = 7), delay = 0.1))),
      reaction_network(data.frame(equation = c("A -> 0", "0 -> A"), rate = c(0.1, 2e-5))),
      reaction_model("sir_ring", regions = 5)
    )
  }
  expect_identical(with_comma(make()), make())
  times <- c(0.5, 2.25)
  net <- make()[[1L]]
  expect_identical(
    with_comma(simulate(net, nsim = 20, times = times, seed = 1, until = "A < 2.5"))$mean,
    simulate(net, nsim = 20, times = times, seed = 1, until = "A < 2.5")$mean
  )
})

test_that("messages of the core have a point", {
  file <- tempfile(fileext = ".net")
  writeLines(c("begin species", "1 A() 2.5", "end species", "begin reactions", "1 1 0 0.5", "end reactions"), file)
  error <- with_comma(expect_error(read_network(file), class = "fireflip_error_unsupported"))
  expect_match(conditionMessage(error), "with the initial count 2.5 where", fixed = TRUE)
  net <- reaction_network("A -> 0" = "(A > 0) * if(time < 1.5, 1, -0.25)", initial = c(A = 100))
  error <- with_comma(expect_error(simulate(net, times = 2.5, seed = 1), class = "fireflip_error"))
  expect_match(conditionMessage(error), "at time 1.5", fixed = TRUE)
})

test_that("R's texts of numbers are those of format(), with a point", {
  x <- c(0.25, 1 / 3, 1e5, 123456, 1e-4, 1e22, 0.1 + 0.2, 2^60, 1e15, 734.12, -1.5e-7, 0, Inf, -Inf, NaN)
  for (digits in c(1, 3, 7, 15)) {
    texts <- with_comma(exact_text(x, digits))
    expect_identical(point(vapply(x, format, "", digits = digits)), texts)
  }
  expect_identical(with_comma(exact_text(x[-15])), exact_text(x[-15]))
  expect_identical(as.numeric(exact_text(x[-15])), x[-15])
  expect_identical(with_comma(describe(c(a = 0.5, b = 1))), "c(a = 0.5, b = 1)")
  net <- reaction_network("A -> 0" = 1, initial = c(A = 10))
  result <- simulate(net, nsim = 10, times = 1, seed = 1, output = "histogram")
  expect_identical(with_comma(quantile(result, c(0.025, 0.5))), quantile(result, c(0.025, 0.5)))
})
