# Reaction networks are written and read again.

# The propensities of a network in a state, computed by R.
propensities <- function(net, state) {
  values <- c(as.list(state), as.list(net$parameters))
  left <- lapply(net$variables, r_formula)
  while (length(left) > 0L) {
    ready <- vapply(left, function(one) all(all.vars(one) %in% c(names(values), "pi")), NA)
    values[names(left)[ready]] <- lapply(left[ready], eval, values, list2env(list(time = function() 0), parent = baseenv()))
    left <- left[!ready]
  }
  arrows <- network_arrows(net)
  reactants <- arrows[arrows$role == "reactant", ]
  vapply(seq_len(nrow(net$reactions)), function(r) {
    own <- reactants[reactants$to == net$reactions$name[[r]], ]
    action <- net$reactions$law[[r]] == "mass action"
    needed <- if (action) own else own[!net$species$fixed[match(own$from, net$species$species)], ]
    if (any(state[needed$from] < needed$count)) return(0)
    rate <- eval(r_formula(net$reactions$rate[[r]]), values, list2env(list(time = function() 0), parent = baseenv()))
    if (action) rate * prod(choose(state[own$from], own$count)) else rate
  }, 0)
}

# A formula in R's syntax, where `if` is no function and names do not begin with "_".
r_formula <- function(text) {
  text <- gsub("\\bif\\(", "ifelse(", text)
  str2lang(gsub("(?<![A-Za-z0-9_.`])(_[A-Za-z0-9_]*)", "`\\1`", text, perl = TRUE))
}

expect_same_network <- function(again, net, names = net$species$species) {
  expect_identical(again$species, replace(net$species, "species", list(names)))
  expect_equal(unname(stoichiometry(again)), unname(stoichiometry(net))) # fixed species do not matter
  set.seed(1)
  for (i in 1:10) {
    state <- stats::setNames(floor(stats::rexp(length(names), c(0.1, 1)[1 + i %% 2])), net$species$species)
    expect_equal(propensities(again, stats::setNames(state, names)), propensities(net, state), tolerance = 1e-14)
  }
}

written <- function(net, ending) read_network(write_network(net, tempfile(fileext = ending)))

every_law <- reaction_network(
  "2 A + B -> 3 C" = mass_action("2 * k"), "3 A -> 0" = 0.1, "0 -> A" = 1e-7, "A <-> B" = mass_action(c("half", "k")),
  "2 B -> B + C" = "k * B^2 / (1 + total)", "0 -> C" = "if(A > 2 & B != 1 | C <= 3, max(A, B, 2), min(half, 1e+20)) - -0",
  "D + A -> D" = "abs(D - A) * D / 3 + exp(-total / 1e3) + sqrt(A) + log(A + 1) + log2(C + 1) + log10(B + 1)",
  "C -> D" = mass_action("slow"), "2 A + D -> B" = "inhibited^2",
  initial = c(A = 10, B = 3, D = 4), parameters = c(k = 0.1, big = 1e22), fixed = "D",
  variables = c(slow = "half / (1 + total)", half = "k / 2", total = "A + 2 * B", inhibited = "sin(A) + cos(total) * tanh(k) + D")
)

test_that("SBML has the same propensities", {
  again <- written(every_law, ".sbml")
  expect_same_network(again, every_law)
  expect_identical(again$parameters, every_law$parameters)
  expect_identical(names(again$variables), names(every_law$variables))
  expect_identical(again$reactions$equation, every_law$reactions$equation)
  expect_identical(again$reactions$name, every_law$reactions$name)
  expect_identical(written(again, ".xml"), again)
  rare <- reaction_network(
    "A -> 0" = "if(!(A == 3), floor(A / 2) + ceiling(k), expm1(A) + log1p(A)) + asin(k) + acos(k) + atan(A) + sinh(k) + cosh(k)",
    "0 -> A" = "tan(k) + 1 / k", initial = c(A = 3), parameters = c(k = 0.5)
  )
  expect_same_network(written(rare, ".sbml"), rare)
  timed <- reaction_network("0 -> A" = "1 + sin(2 * pi * time / 24)")
  expect_identical(written(timed, ".sbml")$reactions$rate, "1 + sin(2 * 3.141592653589793 * time() / 24)")
})

test_that("the time is printed as `time`, unless this is a name", {
  rule <- event("time >= 25", set = c(X = "X + time"), delay = "1 / (1 + time)")
  net <- reaction_network("0 -> X" = "1 / (1 + time)", events = list(reset = rule))
  shown <- format(written(net, ".sbml"))
  expect_match(shown, "when time >= 25: X = X + time; after 1 / (1 + time)", fixed = TRUE, all = FALSE)
  expect_match(shown, "rate     1 / (1 + time)", fixed = TRUE, all = FALSE)
  hidden <- reaction_network("0 -> X" = "time / (1 + time())", parameters = c(time = 2))
  expect_match(format(written(hidden, ".sbml")), "time / (1 + time())", fixed = TRUE, all = FALSE)
})

test_that("a network of BioNetGen has the same propensities", {
  again <- written(every_law, ".net")
  expect_same_network(again, every_law)
  expect_identical(again$parameters[1:2], every_law$parameters)
  expect_setequal(intersect(names(again$variables), names(every_law$variables)), names(every_law$variables))
})

test_that("names that a format does not allow are replaced", {
  net <- reaction_network(
    "`R(a!1).L` + `a b` -> `5#`" = 0.5, "`5#` -> 0" = "k * `5#` / `a b`", initial = c("R(a!1).L" = 3, "a b" = 2),
    parameters = c(k = 1)
  )
  expect_same_network(written(net, ".sbml"), net, c("R_a_1__L", "a_b", "_5_"))
  expect_same_network(written(net, ".net"), net, c("R(a!1).L", "a_b", "_5_"))
  expect_match(readLines(write_sbml(net, tempfile())), "id=\"a_b\" name=\"a b\"", fixed = TRUE, all = FALSE)
})

test_that("networks of the literature are written and read again", {
  for (name in c("decay_dimerisation", "multistate", "viral_infection")) {
    net <- reaction_model(name)
    for (ending in c(".sbml", ".net")) expect_same_network(written(net, ending), net)
  }
  file <- skip_without_shared("models/bngl-nets/multistate.net")
  net <- read_network(file)
  again <- written(net, ".net")
  expect_identical(again, net)
})

test_that("what cannot be written is an error", {
  expect_error(write_network(every_law, tempfile(fileext = ".bnet")), ".sbml, .xml or .net", class = "fireflip_error_argument")
  expect_error(write_bnet(every_law, tempfile()), class = "fireflip_error_argument")
  floor <- reaction_network("A -> 0" = "floor(A / 2)")
  expect_error(write_bngl_net(floor, tempfile()), "reaction \"R1\": the formula has floor()", fixed = TRUE,
    class = "fireflip_error_model")
  infinite <- reaction_network("A -> 0" = "A * min(k, 1)", parameters = c(k = Inf))
  expect_error(write_bngl_net(infinite, tempfile()), "parameter \"k\" is", class = "fireflip_error_model")
  expect_identical(read_sbml(write_sbml(infinite, tempfile()))$parameters, c(k = Inf))
  many <- reaction_network("30 A -> 0" = 1)
  expect_error(write_sbml(many, tempfile()), "a reactant occurs 30 times", class = "fireflip_error_model")
  deep <- paste0(strrep("sqrt(", 500), "A", strrep(")", 500))
  expect_error(write_sbml(reaction_network("A -> 0" = deep), tempfile()), "reaction \"R1\": a formula nests more than",
    class = "fireflip_error_model")
  long <- reaction_network("A -> 0" = paste(rep("A", 3000), collapse = " + "))
  expect_identical(written(long, ".sbml")$reactions$rate, long$reactions$rate)
  expect_error(write_sbml(every_law, file.path(tempdir(), "no", "file")), class = "fireflip_error_file")
})

test_that("events are written to SBML, and a .net is refused", {
  net <- reaction_network(
    "0 -> X" = "k", "X -> 0" = "X * 0.1", "X + Y -> Y" = "if(X > 0, slow, 0)",
    initial = c(X = 3, Y = 1), parameters = c(k = 1, k2 = 1e-7), fixed = "Y", variables = c(slow = "k2 * X * Y"),
    events = list(
      reset = event("time() >= 25", set = c(X = 50)),
      late = event("X > 7 & time() < 3.25", set = list(X = "X + Y - 1", k = "k2 * 2"), delay = "X / 2", priority = "-slow",
                   persistent = FALSE, initially = TRUE, values = "execution"),
      feed = event("Y == 1 | !X < 3", set = c(Y = 2), delay = 0.1, priority = 1e300)
    )
  )
  again <- written(net, ".sbml")
  expect_identical(again$events, net$events)
  same <- setdiff(names(net), "reactions") # laws of mass action are read as formulas
  expect_identical(unclass(again)[same], unclass(net)[same])
  expect_identical(written(again, ".xml"), again)
  run <- function(net) simulate(net, nsim = 20, times = 0:6, output = "trajectories", method = "direct", seed = 1)$X
  expect_identical(run(again), run(net))
  file <- tempfile(fileext = ".net")
  expect_error(write_network(net, file), "event \"reset\": BioNetGen's format", class = "fireflip_error_model")
  expect_false(file.exists(file))
})

test_that("the ids of events differ from all others", {
  net <- reaction_network(
    "cell -> 0" = "cell", initial = c(cell = 5),
    events = list(R1 = event("time >= 5", set = c(cell = 5)), cell = event("time >= 6", set = c(cell = 6)),
                  "a b" = event("cell > 7", set = c(cell = 1)))
  )
  file <- write_network(net, tempfile(fileext = ".sbml"))
  expect_identical(read_network(file)$events$name, c("R1_", "cell_", "a_b"))
  expect_match(readLines(file), "id=\"a_b\" name=\"a b\"", fixed = TRUE, all = FALSE)
})

test_that("the cases of the stochastic suite are the same after they are written and read", {
  folder <- dirname(dirname(skip_without_shared("dsmts/00001/00001-sbml-l3v1.xml")))
  with_events <- 0
  for (case in sprintf("%05d", 1:39)) {
    net <- read_network(file.path(folder, case, paste0(case, "-sbml-l3v1.xml")))
    expect_identical(written(net, ".sbml"), net)
    with_events <- with_events + !is.null(net$events)
  }
  expect_gt(with_events, 3)
})
