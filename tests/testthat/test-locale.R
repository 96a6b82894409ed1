# Numbers in files, in formulas and in messages of the core have a point in every locale.

# Evaluates an expression where numbers have a decimal comma. tools/check makes such a locale in the folder FIREFLIP_LOCALES.
with_comma <- function(expr) {
  known <- c("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "da_DK.UTF-8", "ru_RU.UTF-8")
  old <- list(path = Sys.getenv("LOCPATH", NA), numeric = Sys.getlocale("LC_NUMERIC"))
  on.exit({
    suppressWarnings(Sys.setlocale("LC_NUMERIC", old$numeric))
    if (is.na(old$path)) Sys.unsetenv("LOCPATH") else Sys.setenv(LOCPATH = old$path)
  })
  folder <- Sys.getenv("FIREFLIP_LOCALES")
  if (nzchar(folder)) Sys.setenv(LOCPATH = folder)
  found <- FALSE
  for (name in known) {
    if (!found && nzchar(suppressWarnings(Sys.setlocale("LC_NUMERIC", name)))) found <- sprintf("%.1f", 1.5) == "1,5"
  }
  skip_if(!found, "no locale with a decimal comma is installed")
  expr
}

test_that("networks are written and read alike with a decimal comma", {
  net <- reaction_network(
    "A -> B" = 0.25, "B -> A" = "k * B * 1.5e-3", "0 -> A" = mass_action("k"), initial = c(A = 10, B = 3),
    parameters = c(k = 0.125, l = 1e-7), variables = c(v = "A / 2.5"),
    events = list(e = event("time >= 1.5", set = c(k = 0.75), delay = 0.1, priority = 2.5))
  )
  boolean <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A"), perturbation = 0.001)
  file <- function(model, format) write_network(model, tempfile(), format)
  without <- net
  without$events <- NULL
  cases <- list(list(net, "sbml"), list(without, "bngl_net"), list(boolean, "pbn"))
  plain <- lapply(cases, function(case) readLines(file(case[[1L]], case[[2L]])))
  read <- lapply(cases, function(case) read_network(file(case[[1L]], case[[2L]])))
  comma <- with_comma(list(
    files = lapply(cases, function(case) readLines(file(case[[1L]], case[[2L]]))),
    read = lapply(cases, function(case) read_network(file(case[[1L]], case[[2L]])))
  ))
  expect_identical(comma$files, plain)
  expect_identical(comma$read, read)
  expect_identical(read[[1L]]$parameters, c(k = 0.125, l = 1e-7))
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
