# Variables of reaction networks: formulas with names.

inhibited <- reaction_network(
  "A -> B" = "k * free / (1 + total)", "B -> A" = mass_action("slow"), initial = c(A = 10), parameters = c(k = 1),
  variables = c(slow = "k / 4", free = "max(total - 2 * B, 0)", total = "A + 2 * B")
)
plain <- reaction_network(
  "A -> B" = "k * max(A + 2 * B - 2 * B, 0) / (1 + (A + 2 * B))", "B -> A" = mass_action("k / 4"), initial = c(A = 10),
  parameters = c(k = 1)
)

test_that("rates may use variables, in any order, with the same result as without them", {
  expect_identical(inhibited$variables, c(slow = "k / 4", free = "max(total - 2 * B, 0)", total = "A + 2 * B"))
  for (method in setdiff(ssa_methods()$method, c("pdm", "spdm", "pssa_cr"))) { # which need mass action
    run <- function(net) as.data.frame(simulate(net, 30, 1, times = 1:3, method = method, output = "trajectories"))
    expect_identical(run(inhibited), run(plain), info = method)
  }
  exact <- function(net) as.data.frame(chemical_master_equation(net, times = c(0.5, 2)))
  expect_identical(exact(inhibited), exact(plain))
  changed <- function(net) exact(set_parameters(net, k = 3))
  expect_identical(changed(inhibited), changed(plain))
})

test_that("variables are shown", {
  local_reproducible_output(width = 80)
  expect_snapshot({
    inhibited
    summary(inhibited)
    as.data.frame(inhibited, what = "variables")
  })
  expect_identical(summary(plain)$n_variables, 0)
  arrows <- network_arrows(inhibited)
  expect_setequal(arrows$from[arrows$role == "rate"], c("A", "B")) # by "total", each once
  expect_identical(arrows$to[arrows$role == "rate"], c("R1", "R1"))
})

test_that("a rate depends on the time if a variable does", {
  net <- reaction_network("A -> 0" = "A * rhythm", initial = c(A = 5), variables = c(rhythm = "1 + wave", wave = "sin(time)"))
  expect_identical(summary(net)$time_dependent, 1)
  expect_error(chemical_master_equation(net, times = 1), "depends on the time", class = "fireflip_error_unsupported")
})

test_that("bad variables are errors that name them", {
  bad <- function(..., class) {
    error <- expect_error(reaction_network("A -> B" = 1, ...), class = paste0("fireflip_error_", class))
    conditionMessage(error)
  }
  expect_identical(
    bad(variables = c(x = "y", y = "z + 1", z = "x"), class = "model"),
    "a variable depends on itself: \"x\", which depends on \"y\", which depends on \"z\", which depends on \"x\""
  )
  long <- stats::setNames(sprintf("v%d", c(2:50, 1)), sprintf("v%d", 1:50))
  expect_identical(
    bad(variables = long, class = "model"),
    paste(
      "a variable depends on itself: \"v1\", which depends on \"v2\", which depends on \"v3\", which depends on ..., which",
      "depends on \"v1\""
    )
  )
  expect_identical(bad(variables = c(A = "1"), class = "model"), "\"A\" is the name of a variable and of a species.")
  expect_identical(
    bad(variables = c(k = "1"), parameters = c(k = 1), class = "model"), "\"k\" is the name of a variable and of a parameter."
  )
  unknown <- "variable \"x\": no species, parameter or variable is called \"AA\""
  expect_match(bad(variables = c(x = "A + AA"), class = "parse"), unknown)
  expect_match(bad(variables = c(x = "A +"), class = "parse"), "variable \"x\": found the end")
  expect_match(bad(variables = "A", class = "argument"), "formulas as text with names")
  expect_match(bad(variables = c(x = 1), class = "argument"), "formulas as text with names")
  expect_match(bad(variables = c(x = "A", x = "B"), class = "argument"), "\"x\" more than once")
  expect_match(bad(variable = c(x = "A"), class = "argument"), "did you mean `variables`")
  unknown <- quote(simulate(inhibited, 1, 1, times = 1, observe = "totl"))
  expect_error(eval(unknown), "did you mean \"total\"", class = "fireflip_error_argument")
  broken <- replace(inhibited, "variables", list(c(x = NA_character_)))
  expect_error(summary(broken), "`variables` must be formulas as text", class = "fireflip_error_argument")
  expect_identical(reaction_network("A -> B" = 1, variables = character())$variables, reaction_network("A -> B" = 1)$variables)
})

test_that("a network of an earlier version, which has no variables, is still one", {
  old <- plain
  old$variables <- NULL
  expect_identical(summary(old), summary(plain))
})

test_that("formulas that grow without limit are an error", {
  variables <- stats::setNames(sprintf("v%d + v%d", 0:39, 0:39), sprintf("v%d", 1:40))
  net <- reaction_network("A -> B" = mass_action("v40"), initial = c(A = 1), variables = c(v0 = "A", variables))
  expect_error(simulate(net, 1, 1, times = 1), class = "fireflip_error_size")
})

test_that("variables are observed, with exact statistics", {
  net <- reaction_network(
    "A <-> B" = c(1, 0.5), initial = c(A = 12, B = 2),
    variables = c(total = "A + B", ratio = "A / (1 + B)", late = "time * A"), parameters = c(unused = 1)
  )
  seen <- c("A", "total", "ratio", "late")
  run <- function(...) simulate(net, nsim = 200, times = c(0, 0.5, 2), observe = seen, seed = 1, ...)
  paths <- run(output = "trajectories")
  expect_true(all(paths$total == 14))
  expect_identical(paths$late, paths$time * paths$A)
  sim <- run(threads = 1)
  for (name in seen) {
    x <- split(paths[[name]], paths$time)
    mine <- sim[sim$species == name, ]
    expect_equal(mine$mean, unname(vapply(x, mean, 0)), info = name)
    expect_equal(mine$sd, unname(vapply(x, stats::sd, 0)), info = name)
  }
  expect_identical(run(threads = 3), sim)
  expect_identical(sim$lower[sim$species == "total"], c(14, NA, NA)) # the same in all trajectories, perhaps by chance
  moments <- as.data.frame(chemical_master_equation(net, 2), what = "states")
  exact <- sum(moments$probability * moments$A / (1 + moments$B))
  ratio <- sim[sim$species == "ratio" & sim$time == 2, ]
  expect_lt(abs(ratio$mean - exact), 4.5 * ratio$sd / sqrt(200))
  fixed <- reaction_network("0 -> A" = "2 * k", parameters = c(k = 3), variables = c(twice = "2 * k"))
  known <- simulate(fixed, nsim = 20, times = c(1, 2), observe = "twice", seed = 1)
  expect_identical(c(known$lower, known$upper, known$sd_upper), c(6, 6, 6, 6, 0, 0))
  # events may set parameters that variables name
  jump <- reaction_network(
    "A -> 0" = "k * A", initial = c(A = 50), parameters = c(k = 0), variables = c(rate = "k * A"),
    events = list(on = event("time >= 1", set = c(k = 2)))
  )
  rows <- simulate(jump, times = c(0.5, 1), observe = "rate", output = "trajectories", seed = 1)
  expect_identical(rows$rate, c(0, 100))
})

test_that("an interval goes below 0 only if a variable can", {
  net <- reaction_network(
    "A -> 0" = 1, initial = c(A = 3), parameters = c(k = 1, j = 1),
    variables = c(half = "A / 2", less = "A - 1", known = "k * A", set = "j * A", square = "(A - 5)^2", late = "time * half"),
    events = list(on = event("time >= 0.5", set = c(j = 2)))
  )
  two <- simulate(net, 2, seed = 3, times = 0.7, observe = c("A", names(net$variables))) # the t-distribution has wide tails
  expect_identical(two$lower < 0, two$species %in% c("less", "set"))
  expect_identical(two$lower[two$species %in% c("A", "half", "known", "late")], rep(0, 4))
})

test_that("a parameter is not observed", {
  net <- reaction_network("A -> 0" = "k * A", parameters = c(k = 1), variables = c(now = "k"))
  expect_error(simulate(net, times = 1, observe = c("A", "k")), "\"k\", a parameter", class = "fireflip_error_argument")
  expect_identical(simulate(net, times = 1, observe = "now", seed = 1)$mean, 1)
})

test_that("a summary with variables of any size is printed", {
  net <- reaction_network(
    "0 -> A" = 10, "A -> 0" = 0.1, variables = c(
      molar = "A / 6e8", tiny = "A * 1e-200", big = "A * 6e23", near = "1 + A * 1e-10", infinite = "A / (A - A)",
      undefined = "0 / (A - A)"
    )
  )
  few <- simulate(net, nsim = 100, times = 10, observe = c("A", names(net$variables)), seed = 1)
  read <- function(text) utils::read.table(text = text[-(1:2)], header = TRUE, dec = if (has_comma()) "," else ".")
  old <- options(width = 200)
  on.exit(options(old))
  lines <- utils::capture.output(few)
  expect_lt(max(nchar(lines)), 120)
  shown <- read(lines)
  half <- (few$upper - few$lower) / 2
  for (column in c("mean", "lower", "upper")) { # two digits of the width
    known <- is.finite(few[[column]]) & is.finite(half)
    expect_lte(max(abs(shown[[column]] - few[[column]])[known] / half[known]), 0.05)
  }
  expect_equal(shown$mean[few$species == "tiny"], few$mean[few$species == "tiny"], tolerance = 1e-3)
  expect_identical(shown$mean[6:7], c(Inf, NaN))
  for (column in c("min", "max")) expect_equal(shown[[column]], few[[column]], tolerance = 1e-6)
  expect_identical(shown$min[[1L]], few$min[[1L]])
  one <- suppressMessages(simulate(net, times = 10, method = "ode", observe = "molar"))
  expect_equal(read(utils::capture.output(one))$mean, one$mean, tolerance = 1e-3)
})
