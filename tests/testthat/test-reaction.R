# Reaction networks: making, showing and changing them, and the networks of the literature.
dimer <- reaction_network("S1 -> 0" = 1, "2 S1 <-> S2" = c(0.002, 0.5), "S2 -> S3" = 0.04, initial = c(S1 = 1e5))
enzyme <- reaction_network(
  "A -> B" = "vmax * A / (K + A)", "B -> 0" = mass_action("k"), "0 -> A" = "1 + sin(2 * pi * time / 24)",
  initial = c(A = 100), parameters = c(vmax = 10, K = 20, k = 0.1), fixed = "B"
)

test_that("equations and rates become species, parameters and reactions", {
  expect_s3_class(dimer, "reaction_network", exact = TRUE)
  expect_identical(dimer$species, data.frame(
    species = c("S1", "S2", "S3"), initial = c(1e5, 0, 0), fixed = FALSE
  ))
  expect_identical(dimer$parameters, stats::setNames(numeric(), character()))
  expect_identical(dimer$reactions, data.frame(
    name = paste0("R", 1:4), equation = c("S1 -> 0", "2 S1 -> S2", "S2 -> 2 S1", "S2 -> S3"),
    rate = c("1", "0.002", "0.5", "0.04"), law = "mass action"
  ))
  expect_identical(enzyme$reactions$rate, c("vmax * A / (K + A)", "k", "1 + sin(2 * pi * time / 24)"))
  expect_identical(enzyme$reactions$law, c("formula", "mass action", "formula"))
  expect_identical(enzyme$parameters, c(vmax = 10, K = 20, k = 0.1))
  expect_identical(enzyme$species$fixed, c(FALSE, TRUE))
})

test_that("species are in the order of the equations, then of the initial counts", {
  net <- reaction_network("C + B => A" = "D * B", initial = c(D = 3, A = 1, E = 2), parameters = NULL, fixed = 4) |>
    suppressWarnings(classes = "fireflip_warning_unused")
  expect_identical(net$species$species, c("C", "B", "A", "D", "E"))
  expect_identical(net$species$initial, c(0, 0, 1, 3, 2))
  expect_identical(net$species$fixed, c(FALSE, FALSE, FALSE, TRUE, FALSE))
  expect_identical(net$reactions$equation, "C + B -> A")
  expect_identical(reaction_network("B + A + B -> " = 1)$reactions$equation, "2 B + A -> 0")
})

test_that("all forms of reactions give the same network", {
  initial <- c(S1 = 1e5)
  rates <- list("S1 -> 0" = 1, "2 S1 <=> S2" = list(0.002, 0.5), "S2 -> S3" = 0.04)
  expect_identical(reaction_network(rates, initial = initial), dimer)
  expect_identical(reaction_network(as.data.frame(dimer), initial = initial), dimer)
  frame <- data.frame(equation = names(rates), rate = I(unname(rates)))
  expect_identical(reaction_network(frame, initial = list(S1 = 1e5)), dimer)
  text <- data.frame(equation = dimer$reactions$equation, rate = c("1", "2e-3", " 0.5", "0.04"))
  expect_identical(reaction_network(text, initial = initial), dimer)
  again <- reaction_network(as.data.frame(enzyme), initial = c(A = 100), parameters = enzyme$parameters, fixed = c(FALSE, TRUE))
  expect_identical(again, enzyme)
  named <- reaction_network(data.frame(equation = c("A <-> B", "B -> C"), rate = I(list(c(1, 2), "B / 2")), name = c("x", "y")))
  expect_identical(named$reactions$name, c("x", "x_reverse", "y"))
  expect_identical(named$reactions$law, c("mass action", "mass action", "formula"))
  both <- reaction_network("A <-> B" = mass_action(c("k", "2 * k")), "B <-> C" = list(1, "k * C"), parameters = c(k = 1))
  expect_identical(both$reactions$rate, c("k", "2 * k", "1", "k * C"))
  expect_identical(both$reactions$law, c("mass action", "mass action", "mass action", "formula"))
  expect_identical(reaction_network("A -> B" = mass_action(0.1))$reactions, reaction_network("A -> B" = 0.1)$reactions)
})

test_that("the reverse of an equation is found when names are quoted", {
  net <- reaction_network("2 `a <-> b` + \"c\" <-> `\"`" = c(1, 2))
  expect_identical(net$species$species, c("a <-> b", "c", "\""))
  expect_identical(net$reactions$equation, c("2 `a <-> b` + c -> `\"`", "`\"` -> 2 `a <-> b` + c"))
  unicode <- reaction_network("\u03b1 -> \u03b2" = "\u03b1 * k\u03b1", parameters = c("k\u03b1" = 1), initial = c("\u03b1" = 1))
  expect_identical(unicode$species, data.frame(species = c("\u03b1", "\u03b2"), initial = c(1, 0), fixed = FALSE))
})

test_that("numbers keep all their digits", {
  rates <- c(1 / 3, 1e-300, pi, 1e15 + 0.3, 5e-324)
  net <- reaction_network(data.frame(equation = paste0("A -> B", seq_along(rates)), rate = rates))
  expect_identical(as.numeric(net$reactions$rate), rates)
})

test_that("bad networks are errors that say where", {
  local_reproducible_output(width = 200)
  expect_snapshot(error = TRUE, {
    reaction_network("2 A + -> B" = 1)
    reaction_network("A -> B" = "kk1 * A", parameters = c(kk2 = 1))
    reaction_network("A -> B" = "t * A")
    reaction_network("A -> B" = "Time * A")
    reaction_network("A <-> B" = 1)
    reaction_network("A -> B" = c(1, 2))
    reaction_network("A -> B" = -1)
    reaction_network("A -> B" = "1 - 2")
    reaction_network("A -> B" = 1, init = c(A = 1))
    reaction_network("A -> B" = 1, initial = c(A = 1.5))
    reaction_network("A -> B" = 1, initial = 5)
    reaction_network("A -> B" = 1, parameters = c(A = 1))
    reaction_network(data.frame(equation = "A -> B", rate = 1, law = "mass"))
    reaction_network(data.frame(equation = c("A -> B", "B -> A"), rate = 1, name = "x"))
    set_parameters(enzyme, Vmax = 1)
    set_parameters(dimer, k = 1)
    set_initial(enzyme, A = -1)
    steady_state(dimer, "S1")
  })
  expect_error(reaction_network("A -> B" = "A + "), class = "fireflip_error_parse")
  expect_error(reaction_network("A -> B" = "1 / 0"), class = "fireflip_error_model")
  for (bad in list(
    quote(reaction_network()), quote(reaction_network(1)), quote(reaction_network("A -> B" = TRUE)),
    quote(reaction_network("A -> B" = NA_real_)), quote(reaction_network("A -> B" = NA_character_)),
    quote(reaction_network("A -> B" = list(list(1)))), quote(reaction_network("0 -> 0" = 1)),
    quote(reaction_network("A -> B" = numeric())), quote(reaction_network(list("A -> B" = 1), "B -> A" = 2)),
    quote(reaction_network("A -> B" = 1, initial = c(A = 1, A = 2))),
    quote(reaction_network("A -> B" = 1, initial = list(A = 1:2))),
    quote(reaction_network("A -> B" = 1, fixed = "C")), quote(reaction_network("A -> B" = 1, fixed = 3)),
    quote(reaction_network("A -> B" = 1, fixed = TRUE)), quote(reaction_network("A -> B" = 1, parameters = list(k = "a"))),
    quote(reaction_network(data.frame(equation = "A -> B"))), quote(reaction_network(data.frame(equation = "A -> B", rate = -1))),
    quote(reaction_network(data.frame(equation = NA, rate = 1))), quote(mass_action(TRUE)), quote(mass_action(1:3)),
    quote(dimer["R9"]), quote(dimer[1, 2]), quote(set_initial(dimer)), quote(set_initial(dimer, 5)),
    quote(set_initial(dimer, S1 = 1, S1 = 2)),
    quote(set_initial(dimer, c(S1 = NA))), quote(set_initial(1, S1 = 1)), quote(set_parameters(1, k = 1)), quote(set_parameters())
  )) expect_error(eval(bad), class = "fireflip_error_argument", info = deparse(bad))
})

test_that("a name with parentheses that is not in quotes is recognised", {
  net <- reaction_network("`R(a,l)` -> `R(a,l!1).L(r!1)`" = 1, initial = c("R(a,l)" = 5))
  said <- function(until) conditionMessage(expect_error(simulate(net, times = 1, until = until), class = "fireflip_error_parse"))
  expect_match(said("R(a,l) < 3"), "; the name \"R(a,l)\" must be in backquotes", fixed = TRUE)
  expect_match(said("3 > R(a,l!1).L(r!1)"), "; the name \"R(a,l!1).L(r!1)\" must be in backquotes", fixed = TRUE)
  expect_match(said("R(a) < 3"), "no function is called \"R\".*; the functions are")
})

test_that("an initial count that nothing uses is reported", {
  told <- tryCatch(reaction_network("AaA -> B" = 1, initial = c(Aaa = 1, B = 2)), fireflip_warning_unused = identity)
  expect_identical(told$unused, "Aaa")
  expect_match(
    conditionMessage(told), "names \"Aaa\", which no equation, rate, variable or event names; did you mean \"AaA\"?", fixed = TRUE
  )
  expect_silent(reaction_network("A -> B" = "2 * E", initial = c(E = 1)))
})

test_that("a formula that is probably meant as a rate constant is reported", {
  told <- function(...) tryCatch(reaction_network(...), fireflip_warning_propensity = identity)
  k <- c(k = 1)
  sir <- told("S + I -> 2 I" = "k", "I -> R" = "2 * x", initial = c(I = 1), parameters = k, variables = c(x = "k + time"))
  expect_identical(sir$reactions, c("R1", "R2"))
  expect_identical(conditionMessage(sir), paste(
    "The rate \"k\" of \"S + I -> 2 I\" does not depend on any count, like those of 1 other reaction.",
    "A formula as text is the whole propensity. If it is a rate constant, write mass_action(\"k\"). If not, write",
    "\"(k) * (S > 0)\"."
  ))
  expect_silent(told("A -> B" = "k * (A > 0)", "0 -> A" = "k", initial = c(A = 1), parameters = k))
  expect_silent(told("A -> B" = mass_action("k"), "B -> C" = "k * x", parameters = k, variables = c(x = "B")))
  expect_silent(told("F -> A" = "k", initial = c(F = 1), parameters = k, fixed = "F"))
  expect_silent(told("A -> 0" = "0", "B -> 0" = "0.0"))
})

test_that("a formula that follows the counts through events is not reported", {
  told <- function(..., variables = NULL) {
    made <- tryCatch(
      reaction_network("A -> 0" = "k", parameters = c(k = 1, j = 1, i = 1), variables = variables, events = list(...)),
      fireflip_warning_propensity = identity
    )
    inherits(made, "fireflip_warning_propensity")
  }
  expect_false(told(event("A < 1", set = c(k = 0))))
  expect_false(told(event("half < 1", set = c(k = -1)), variables = c(half = "A / 2")))
  expect_false(told(event("time >= 1", set = c(k = "2 * A"))))
  expect_false(told(event("time >= 1", set = c(k = 2), delay = "A")))
  # k follows j, which follows i, which follows A
  chain <- list(event("j < 1", set = c(k = 0)), event("time > i", set = c(j = 0)), event("A < 1", set = c(i = 5)))
  expect_false(do.call(told, chain))
  # these do not follow counts
  expect_true(do.call(told, chain[1:2]))
  expect_true(told(event("time >= 1", set = c(k = 0))))
  expect_true(told(event("A < 1", set = c(j = 0))))
})

test_that("errors of rates say if rounding errors may be the reason", {
  expect_snapshot(error = TRUE, {
    reaction_network("0 -> A" = "0.3 - (0.1 + 0.2)")
    reaction_network("0 -> A" = "0.3 - (0.1 + 0.2001)")
  })
  # 1 / 49 * 49 is less than 1 by a rounding error
  net <- function(by) reaction_network("0 -> A" = sprintf("B * (1 / (48 + B)) * 49 - %s", by), initial = c(B = 1))
  for (method in c("direct", "next_reaction", "tau_leaping")) {
    run <- function(by) simulate(net(by), times = 1, method = method, seed = 1)
    where <- if (method %in% c("direct", "next_reaction")) ", where \"B\" is 1" else ""
    expect_error(run("1"), paste0("trajectory 1", where, ", perhaps by rounding errors alone; expected"),
                 class = "fireflip_error_model")
    expect_error(run("1.001"), paste0("trajectory 1", where, "; expected"), class = "fireflip_error_model")
  }
})

test_that("networks are shown", {
  local_reproducible_output(width = 80)
  expect_snapshot({
    dimer
    enzyme
    summary(enzyme)
    format(dimer, n = 2)
  })
  counts <- summary(enzyme)
  expect_identical(unclass(counts)[c("n_species", "n_reactions", "n_parameters", "order", "mass_action", "formula")], list(
    n_species = 2, n_reactions = 3, n_parameters = 3, order = 1, mass_action = 1, formula = 2
  ))
  expect_equal(c(counts$time_dependent, counts$fixed), c(1, 1))
  expect_identical(dimer[c("R4", "R1")], data.frame(
    name = c("R4", "R1"), equation = c("S2 -> S3", "S1 -> 0"), rate = c("0.04", "1"), law = "mass action"
  ))
  expect_identical(dimer[2], dimer["R2"])
  expect_identical(as.data.frame(enzyme, what = "parameters"), data.frame(
    parameter = c("vmax", "K", "k"), value = c(10, 20, 0.1)
  ))
  expect_identical(as.data.frame(enzyme, what = "species"), enzyme$species)
  expect_lte(max(nchar(format(reaction_model("sir_ring")))), 80L)
})

test_that("arrows join species and reactions", {
  expect_identical(network_arrows(enzyme), data.frame(
    from = c("A", "R1", "A", "B", "R3"), to = c("R1", "B", "R1", "R2", "A"),
    role = c("reactant", "product", "rate", "reactant", "product"), count = c(1, 1, 0, 1, 1)
  ))
  expect_identical(network_arrows(dimer)$count, c(1, 2, 1, 1, 2, 1, 1))
})

test_that("counts and parameters change", {
  changed <- set_parameters(enzyme, k = 3, vmax = 1)
  expect_identical(changed$parameters, c(vmax = 1, K = 20, k = 3))
  expect_identical(set_parameters(changed, c(k = 0.1, vmax = 10)), enzyme)
  expect_identical(set_parameters(enzyme, numeric()), enzyme)
  expect_identical(set_initial(dimer, S3 = 2^53, S1 = 0)$species$initial, c(0, 0, 2^53))
  expect_identical(set_initial(dimer, list(S2 = 5))$species$initial, c(1e5, 5, 0))
  own <- reaction_network("model -> 0" = mass_action("m"), parameters = c(m = 1))
  expect_identical(set_initial(own, model = 7)$species$initial, 7) # a name that R takes for the argument
})

test_that("elements that a network does not have are refused, with the function that was meant", {
  net <- reaction_network("A -> 0" = mass_action("k"), initial = c(A = 3), parameters = c(k = 1))
  said <- function(expr) conditionMessage(expect_error(expr, class = "fireflip_error_argument"))
  expect_identical(said(net$k <- 2), "\"k\" is a parameter: set_parameters(net, k = ...) changes its value.")
  expect_identical(said(net[["A"]] <- 2), "\"A\" is a species: set_initial(net, A = ...) changes its initial count.")
  expect_match(said(net["initial"] <- 2), "no element called \"initial\"; set_initial() and", fixed = TRUE)
  expect_match(said(net[1, 2] <- 2), "no rows and columns", fixed = TRUE)
  net$parameters["k"] <- 2
  net[["species"]]$initial <- 4
  expect_identical(net, reaction_network("A -> 0" = mass_action("k"), initial = c(A = 4), parameters = c(k = 2)))
  expect_match(said(set_initial(net, k = 1)), "names \"k\", which is a parameter; set_parameters() changes it", fixed = TRUE)
  expect_match(said(set_parameters(net, A = 1)), "names \"A\", which is a species; set_initial() changes it", fixed = TRUE)
  other <- net
  expect_warning(other$parameters["K"] <- 5, "\"K\" is a new parameter, which nothing uses; did you mean \"k\"?",
    class = "fireflip_warning_unused", fixed = TRUE)
  expect_warning(net[["parameters"]][["K"]] <- 5, "new parameter, which nothing uses", class = "fireflip_warning_unused")
  expect_no_warning(net$parameters["other"] <- 5)
  expect_no_warning(net$parameters["k"] <- 5)
})

test_that("counts and parameters may be a row of a data frame", {
  net <- reaction_network("0 -> A" = mass_action("k"), "A -> 0" = 1, parameters = c(k = 10))
  design <- data.frame(k = c(1, 2), A = c(5L, 7L))
  run <- function(...) as.data.frame(simulate(net, nsim = 9, times = 1, seed = 1, ...))
  expect_identical(run(parameters = design[2, "k", drop = FALSE]), run(parameters = c(k = 2)))
  expect_identical(run(initial = design[2, "A", drop = FALSE]), run(initial = c(A = 7)))
  expect_identical(set_parameters(net, design[2, "k", drop = FALSE]), set_parameters(net, k = 2))
  expect_identical(set_initial(net, design[2, "A", drop = FALSE]), set_initial(net, A = 7))
  solve <- function(...) chemical_master_equation(net, 1, ...)$probability
  expect_identical(solve(parameters = design[1, "k", drop = FALSE]), solve(parameters = c(k = 1)))
  made <- function(initial) reaction_network("A -> B" = 1, initial = initial)
  expect_identical(made(data.frame(A = 3, B = 1)), made(c(A = 3, B = 1)))
  refused <- function(code, message) expect_error(code, message, class = "fireflip_error_argument", fixed = TRUE)
  refused(run(parameters = design), "`parameters` takes one row of a data frame; found 2 rows. sweep_parameters() runs")
  refused(run(initial = design["A"]), "`initial` takes one row of a data frame; found 2 rows.")
  refused(set_parameters(net, design["k"]), "set_parameters() takes one row of a data frame; found 2 rows.")
  refused(made(data.frame(A = 1)[0L, , drop = FALSE]), "found 0 rows.")
  refused(run(parameters = design[1, ]), "`parameters` names \"A\", which is a species; `initial` takes its count.")
  refused(run(initial = design[1, ]), "`initial` names \"k\", which is a parameter; `parameters` takes its value.")
  refused(run(parameters = data.frame(k = "a")), "The value of \"k\" must be one number; found \"a\"")
})

test_that("c() and list() join rates of mass action", {
  k <- c(kf = 1, kr = 2)
  want <- reaction_network("A <-> B" = mass_action(c("kf", "kr")), parameters = k)
  expect_identical(reaction_network("A <-> B" = list(mass_action("kf"), mass_action("kr")), parameters = k), want)
  expect_identical(reaction_network("A <-> B" = c(mass_action("kf"), mass_action("kr")), parameters = k), want)
  expect_identical(reaction_network(c("A -> B" = mass_action("kf"), "B -> A" = mass_action("kr")), parameters = k), want)
  mixed <- reaction_network("A <-> B" = list(mass_action("kf"), "kr * B"), parameters = k)
  expect_identical(reaction_network("A <-> B" = c(mass_action("kf"), "kr * B"), parameters = k), mixed)
  joined <- "c() cannot join mass_action() with other rates; expected list()"
  expect_error(reaction_network("A <-> B" = c(1, mass_action("kr")), parameters = k), joined, fixed = TRUE,
    class = "fireflip_error_argument")
  expect_error(reaction_network(c("A -> B" = 1, "B -> A" = mass_action("kr")), parameters = k), joined, fixed = TRUE,
    class = "fireflip_error_argument")
})

test_that("several values where one number is expected are named", {
  several <- function(...) reaction_network("A -> 0" = 1, ...)
  expect_error(several(parameters = list(k = 1:2)), "The value of \"k\" must be one number; found c(1, 2).",
    fixed = TRUE, class = "fireflip_error_argument")
  expect_error(several(initial = list(A = NULL)), "count of \"A\" .*; found NULL", class = "fireflip_error_argument")
})

test_that("the core refuses a damaged object", {
  damage <- function(...) {
    bad <- dimer
    parts <- list(...)
    for (name in names(parts)) bad[[name]] <- parts[[name]]
    summary(bad)
  }
  reactions <- function(...) replace(dimer$reactions, ...)
  expect_error(damage(species = 1), "`species` must be a data frame", class = "fireflip_error_argument")
  expect_error(damage(species = transform(dimer$species, initial = "a")), class = "fireflip_error_argument")
  expect_error(damage(species = transform(dimer$species, fixed = NA)), "found NA at place 1", class = "fireflip_error_argument")
  expect_error(damage(species = transform(dimer$species, initial = -1)), class = "fireflip_error_model")
  expect_error(damage(parameters = 1), "numbers with names", class = "fireflip_error_argument")
  expect_error(damage(parameters = c(S1 = 1)), "the same name", class = "fireflip_error_model")
  expect_error(damage(parameters = c(k = NaN)), "NaN", class = "fireflip_error_model")
  expect_error(damage(reactions = reactions("law", "x")), "reaction \"R1\": the law must be", class = "fireflip_error_argument")
  expect_error(damage(reactions = reactions("rate", NA_character_)), "NA at place 1", class = "fireflip_error_argument")
  expect_error(damage(reactions = reactions("equation", "S1 <-> S2")), "both directions", class = "fireflip_error_parse")
  expect_error(damage(reactions = reactions("equation", "s1 -> S2")), "did you mean \"S1\"", class = "fireflip_error_parse")
  expect_error(damage(reactions = dimer$reactions[-1]), "`reactions$name`", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(.Call(ffi_reactions_check, unclass(dimer)), "object of class \"reaction_network\"",
    class = "fireflip_error_argument")
})

# ---- the networks of the literature ----------------------------------------------------------------------------------------

# The reactions whose propensity a reaction may change: those that have a reactant whose count it changes.
dependents <- function(net) {
  arrows <- network_arrows(net)
  change <- rowsum(ifelse(arrows$role == "product", arrows$count, -arrows$count), paste(
    ifelse(arrows$role == "product", arrows$from, arrows$to), ifelse(arrows$role == "product", arrows$to, arrows$from)
  ))
  changed <- strsplit(rownames(change)[change != 0], " ")
  changes <- split(vapply(changed, `[[`, "", 2L), vapply(changed, `[[`, "", 1L))
  readers <- split(arrows$to[arrows$role == "reactant"], arrows$from[arrows$role == "reactant"])
  lengths(lapply(changes, function(species) unique(unlist(readers[species]))))
}

test_that("the dimer of the literature is the one above", {
  expect_identical(example_model("decay_dimerisation"), dimer)
  expect_identical(reaction_model("decay_dimerisation"), dimer)
  expect_identical(reaction_model("decay_dimerisation", count = 1e4), set_initial(dimer, S1 = 1e4))
})

test_that("generated networks have the sizes that the papers state", {
  size <- function(...) unlist(summary(reaction_model(...))[c("n_species", "n_reactions")], use.names = FALSE)
  expect_equal(size("sir_ring", regions = 7), c(21, 28))
  expect_equal(size("cyclic_chain", species = 11), c(11, 11))
  for (n in c(2:9, 30)) expect_equal(size("colloid", species = n), c(n, n^2 %/% 2))
  expect_equal(size("aggregation", copies = 5, seed = 1), c(20, 40))
  expect_equal(size("aggregation", copies = 5, shared = TRUE, seed = 1), c(4, 40))
  expect_equal(size("random", species = 50, reactions = 70, seed = 1), c(50, 70))
  expect_equal(size("viral_infection"), c(4, 6))
})

test_that("generated networks have the dependencies that the papers state", {
  ring <- reaction_model("sir_ring", regions = 10)
  expect_identical(max(dependents(ring)), 6L)
  expect_true(all(dependents(reaction_model("cyclic_chain", species = 10)) == 2L))
  random <- dependents(reaction_model("random", species = 1024, reactions = 1024, seed = 1))
  expect_gt(mean(random), 8)
  expect_lt(mean(random), 16)
})

test_that("the ring joins each region with its two neighbours", {
  ring <- reaction_model("sir_ring", regions = 3)
  expect_identical(ring$species$species[1:6], c("S1", "I1", "R1", "S2", "I2", "R2"))
  expect_identical(ring$species$initial, c(1000, 1, 0, 1000, 0, 0, 1000, 0, 0))
  expect_identical(ring$reactions$equation[5:8], c("S2 + I2 -> 2 I2", "S2 + I3 -> I2 + I3", "I1 + S2 -> I1 + I2", "I2 -> R2"))
  expect_identical(ring$reactions$rate[5:8], c("0.003", "3e-04", "3e-04", "0.1"))
})

test_that("generated networks depend on the seed alone, and leave R's generator as it is", {
  set.seed(3)
  before <- .Random.seed
  for (name in c("random", "aggregation")) {
    one <- reaction_model(name, seed = 1)
    expect_identical(reaction_model(name, seed = 1), one)
    expect_false(identical(reaction_model(name, seed = 2), one))
  }
  expect_identical(.Random.seed, before)
  net <- reaction_model("random", species = 4, reactions = 200, seed = 1)
  sides <- strsplit(net$reactions$equation, " [+] | -> ")
  expect_true(all(vapply(sides, function(names) identical(sort(names), paste0("S", 1:4)), NA)))
  expect_length(unique(net$reactions$equation), 6L) # each choice of two reactants; one is missing with probability 1e-15
  expect_error(reaction_model("sir_ring", region = 5), "did you mean `regions`", class = "fireflip_error_argument")
  expect_error(reaction_model("colloid", 5), "by name", class = "fireflip_error_argument")
  expect_error(reaction_model("viral_infection", size = 5), "no arguments", class = "fireflip_error_argument")
  # abbreviations of `name`, which R takes for it
  unknown <- "There is no argument `n`; the arguments are `species`."
  passed_on <- function(...) reaction_model("colloid", ...)
  expect_error(reaction_model("colloid", n = 3), unknown, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(reaction_model("colloid", n = "3"), unknown, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(passed_on(n = 3), unknown, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(do.call(reaction_model, list("colloid", n = 3)), unknown, class = "fireflip_error_argument", fixed = TRUE)
  expect_error(reaction_model("viral_infection", na = 5), "no arguments; found `na`", class = "fireflip_error_argument")
  expect_identical(reaction_model(n = "colloid", species = 3), reaction_model("colloid", species = 3))
  expect_error(reaction_model(n = "coloid"), "did you mean \"colloid\"", class = "fireflip_error_argument")
})

test_that("misspelt arguments and other signs for nothing are errors that say so", {
  expect_error(reaction_network("0 -> A" = "k", params = c(k = 1)), "no argument `params`", class = "fireflip_error_argument")
  expect_error(reaction_network("A -> NULL" = 1), "expected 0 for nothing", class = "fireflip_error_argument")
  expect_error(reaction_network("\u2205 -> A" = 1), "expected 0 for nothing", class = "fireflip_error_argument")
})
