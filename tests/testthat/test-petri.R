# Petri nets: making, showing, changing and converting them.
gene <- petri_net(
  "off <-> on" = c(1.5, 2.5), "0 -> protein" = flow("on"), "protein -> 0" = flow(1), initial = c(off = 1), continuous = "protein"
)
issue_net <- function() {
  petri_net(
    bind = transition("S100[x,y] -> S110[x,y]", rate = mass_action("a5 * Ca[x,y]")),
    release = transition("5.405405 ER[x,y] -> Ca[x,y]", flow = "1.11 * (ER[x,y] - Ca[x,y])", test = "S110[x,y] >= 3"),
    diffuse = transition("Ca[x,y] -> Ca[a,b]", flow = mass_action("D"), guard = "abs(x - a) + abs(y - b) == 1"),
    colours = list(X = 1:3, Y = 1:4), sets = c(Cell = "X * Y"), indices = c(x = "X", y = "Y", a = "X", b = "Y"),
    places = c(Ca = "Cell", ER = "Cell", S100 = "Cell", S110 = "Cell"), continuous = c("Ca", "ER"),
    initial = list(Ca = 0.1, ER = 10.27, S100 = 4), parameters = c(a5 = 20, D = 20)
  )
}

test_that("equations and numbers become places and transitions", {
  expect_s3_class(gene, "petri_net", exact = TRUE)
  expect_identical(gene$places, data.frame(
    place = c("off", "on", "protein"), set = NA_character_, continuous = c(FALSE, FALSE, TRUE), fixed = FALSE
  ))
  expect_identical(gene$transitions$name, paste0("T", 1:4))
  expect_identical(gene$transitions$kind, c("stochastic", "stochastic", "continuous", "continuous"))
  expect_identical(gene$transitions$equation, c("off -> on", "on -> off", "0 -> protein", "protein -> 0"))
  expect_identical(gene$transitions$number, c("1.5", "2.5", "on", "1"))
  expect_identical(gene$transitions$law, c("mass action", "mass action", "formula", "mass action"))
  expect_identical(gene$markings, data.frame(element = "off", when = NA_character_, value = "1", adds = FALSE))
})

test_that("every kind of transition is made", {
  net <- petri_net(
    "2 A -> B" = 0.5, react = transition("B <-> A", rate = list(1, "k * B")), now = transition("A -> C", weight = "A / 2"),
    wait = transition("C -> 0", delay = "tau"), pulse = transition("0 -> A", at = c(1, 2, 9)),
    once = transition("0 -> A", at = c(period = 0, begin = 3)), clear = transition("0 -> B", rate = "B * k", reset = c("A", "C")),
    tested = transition("A -> B", rate = mass_action("k"), test = c("B < 3", "C >= 1 & A == 2")), parameters = c(k = 2, tau = 1)
  )
  rows <- net$transitions
  expect_identical(rows$name, c("T1", "react", "react_reverse", "now", "wait", "pulse", "once", "clear", "tested"))
  expect_identical(rows$kind, c(
    rep("stochastic", 3), "immediate", "deterministic", "scheduled", "scheduled", rep("stochastic", 2)
  ))
  expect_identical(rows$equation[2:3], c("B -> A", "A -> B"))
  expect_identical(rows$law[1:3], c("mass action", "mass action", "formula"))
  expect_identical(rows$number[c(4, 5)], c("A / 2", "tau"))
  expect_identical(unlist(rows[6, c("begin", "period", "end")], use.names = FALSE), c("1", "2", "9"))
  expect_identical(unlist(rows[7, c("begin", "period", "end")], use.names = FALSE), c("3", "0", NA))
  expect_identical(rows$reset[[8]], "A, C")
  expect_identical(rows$test[[9]], "B < 3 & C >= 1 & A == 2")
  expect_identical(summary(net)$coloured$n, c(3, 0, 5, 0, 1, 1, 2))
})

test_that("all forms of transitions give the same net", {
  initial <- c(off = 1)
  expect_identical(petri_net(as.data.frame(gene), initial = initial, continuous = "protein"), gene)
  frame <- data.frame(
    equation = c("off -> on", "on -> off", "0 -> protein", "protein -> 0"), rate = c(1.5, 2.5, NA, NA),
    flow = c(NA, NA, "on", "1")
  )
  expect_identical(petri_net(frame, initial = initial, continuous = c(FALSE, FALSE, TRUE)), gene)
  listed <- list("off <-> on" = list(1.5, mass_action(2.5)), "0 -> protein" = transition(flow = "on"), "protein -> 0" = flow(1))
  expect_identical(petri_net(listed, initial = list(off = 1), continuous = 3), gene)
  both <- petri_net("A <-> B" = flow(c(1, 2)), continuous = c("A", "B"))
  expect_identical(both$transitions$number, c("1", "2"))
  expect_identical(both$transitions$kind, rep("continuous", 2))
})

test_that("places that only `places` and `initial` name exist", {
  net <- petri_net("A -> B" = 1, places = c("Z", "A"), initial = c(Z = 2))
  expect_identical(net$places$place, c("Z", "A", "B"))
  expect_warning(
    net <- petri_net("Apple -> B" = 1, initial = c(Aple = 3)), "did you mean \"Apple\"", fixed = TRUE,
    class = "fireflip_warning_unused"
  )
  expect_identical(net$places$place, c("Apple", "B", "Aple"))
})

test_that("a discrete place on both sides of a flow becomes a test and a factor, and the net says so", {
  net <- petri_net("A + E -> B + E" = flow(2), continuous = c("A", "B"))
  expect_identical(net$transitions[c("equation", "number", "law", "test")], data.frame(
    equation = "A -> B", number = "2 * E", law = "mass action", test = "E >= 1"
  ))
  expect_match(summary(net)$choices, "T1: E >= 1, because it flows", fixed = TRUE)
  again <- petri_net(as.data.frame(net), places = c("A", "E", "B"), continuous = c("A", "B"))
  expect_identical(again$transitions, net$transitions)
})

test_that("what is wrong is said, and what to write", {
  parse <- function(...) expect_error(..., class = "fireflip_error_parse")
  argument <- function(...) expect_error(..., fixed = TRUE, class = "fireflip_error_argument")
  model <- function(...) expect_error(..., fixed = TRUE, class = "fireflip_error_model")
  argument(petri_net("A -> B" = 1, colors = 3), "did you mean `colours`?")
  argument(petri_net("A -> B" = 1, t = transition(rate = 3)), "found a transition called \"t\" without one")
  argument(petri_net("A -> B" = transition("A -> C", rate = 1)), "has the equation \"A -> C\"")
  argument(petri_net("A <-> B" = 2), "needs two rates, one for each direction; found 1")
  argument(petri_net("A -> B" = c(1, 2)), "needs one rate; found 2")
  argument(petri_net("A -> B" = -2), "The rate of \"A -> B\" must be a finite number of at least 0; found -2")
  argument(petri_net(t = transition("A -> B", delay = mass_action(1))), "The delay of \"A -> B\" must be a number or")
  argument(transition("A -> B", rate = 1, flow = 2), "found `rate` and `flow`")
  argument(transition("A -> B"), "found none for \"A -> B\"")
  argument(petri_net("A -> B" = 1, events = list(1)), "`events` must be a list of events")
  argument(petri_net("A -> B" = 1, initial = c(A = -1)), "must be one finite number of at least 0")
  argument(petri_net("A -> B" = 1, places = c(A = "Cell")), "the set \"Cell\"")
  argument(petri_net("A -> B" = 1, colours = 1:3), "a list of vectors with names")
  argument(petri_net("A -> B" = 1, colours = list(X = c(1, 1))), "found 1 twice")
  argument(petri_net("A -> B" = 1, colours = list(X = 1.5)), "must be different whole numbers or names; found 1.5")
  argument(petri_net("A -> B" = 1, continuous = "C"), "its places are \"A\", \"B\"")
  argument(petri_net(data.frame(equation = "A -> B", rate = 1, flow = 2)), "must have exactly one of")
  argument(petri_net(t = transition("A -> B", at = 1:4)), "must be c(begin, period, end)")
  model(petri_net("A -> B" = 1, parameters = c(A = 1)), "\"A\" is the name of a place and of a parameter.")
  model(petri_net("A -> B" = flow(2)), "transition \"T1\", \"A -> B\": a flow takes from the discrete place \"A\"")
  model(petri_net("A -> B" = flow(2)), "; continuous = \"A\" makes it continuous")
  model(petri_net("(A) A -> B" = 1), "mass action takes a formula of place \"A\"")
  model(petri_net("(A) A -> B" = 1), "a rate as text, such as \"k * A\", is the whole rate")
  argument(petri_net("A -> B" = 1, initial = c(A = 0.5)), "`initial` gives \"A\" the marking 0.5, but counts are whole")
  argument(set_initial(petri_net("A -> B" = 1), B = 1.5), "; continuous = \"B\" in petri_net() makes it a level.")
  parse(petri_net("A -> B" = mass_action("kk"), parameters = c(k = 1)), "kk")
  parse(petri_net(t = transition("A -> B", rate = 1, test = "A + 1 > 2")), "the test of transition \"t\"")
  parse(petri_net(t = transition("Ann -> B", rate = 1, test = "Ana >= 2")), "is called \"Ana\"; did you mean \"Ann\"\\?")
  parse(petri_net(t = transition("A -> B", rate = 1, test = "gate >= 2")), "; `places` names those .* places = \"gate\"")
  parse(
    petri_net("A[x] -> 0" = 1, colours = list(X = 1:3), places = c(A = "X")),
    "transition \"T1\", .*no index, .* is called \"x\"; `indices` tells what stands for .* indices = c\\(x = \"X\"\\)"
  )
  expect_warning(
    petri_net("A -> B" = "k", parameters = c(k = 1)), "write mass_action(\"k\"). If not, write \"(k) * (A > 0)\"", fixed = TRUE,
    class = "fireflip_warning_propensity"
  )
})

test_that("print, format and as.data.frame show a net", {
  expect_identical(format(gene), c(
    "<petri_net> 3 places (1 continuous), 4 transitions", "start: off = 1; the other 2 at 0", "continuous: protein",
    "  T1  off -> on     rate constant 1.5", "  T2  on -> off     rate constant 2.5", "  T3  0 -> protein  flow on",
    "  T4  protein -> 0  flow constant 1"
  ))
  expect_identical(format(gene, n = 1)[4:5], c("  T1  off -> on  rate constant 1.5", "... and 3 more transitions"))
  expect_identical(as.data.frame(gene), gene$transitions)
  expect_identical(gene["T2"], as.data.frame(gene)[2, ], ignore_attr = "row.names")
  expect_identical(as.data.frame(gene, what = "places"), gene$places)
  expect_error(gene$protein <- 2, "set_initial(net, protein = ...)", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(gene$place <- 2, "has no element called", class = "fireflip_error_argument")
})

test_that("set_initial() and set_parameters() change a net", {
  net <- petri_net("A -> B" = mass_action("k"), initial = c(A = 3), parameters = c(k = 1))
  expect_identical(set_parameters(net, k = 2)$parameters, c(k = 2))
  expect_identical(set_initial(net, A = 4, B = "2 * k")$markings$value, c("4", "2 * k"))
  expect_error(set_initial(net, k = 1), "is a parameter; set_parameters()", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(set_initial(net, C = 1), "its places are \"A\", \"B\"", fixed = TRUE, class = "fireflip_error_argument")
  expect_error(set_parameters(net, A = 1), class = "fireflip_error_argument")
})

test_that("a coloured net is made as it is written, and unfolded", {
  net <- issue_net()
  expect_identical(net$places$set, rep("Cell", 4))
  found <- summary(net)
  expect_identical(found$flat$n[1:4], c(24, 24, 12, 12 + 2 * (2 * 4 + 3 * 3)))
  expect_identical(found$never, character())
  flat <- unfold(net)
  expect_identical(flat$places$place[1:5], c("Ca[1,1]", "Ca[1,2]", "Ca[1,3]", "Ca[1,4]", "Ca[2,1]"))
  expect_identical(nrow(flat$transitions), 12L + 12L + 34L)
  expect_identical(flat$transitions$equation[[13]], "5.405405 `ER[1,1]` -> `Ca[1,1]`")
  expect_identical(flat$transitions$test[[13]], "`S110[1,1]` >= 3")
  expect_identical(summary(flat)$flat$n, found$flat$n)
  expect_match(format(net)[2:4], "^(colours|indices|places): ")
})

test_that("colours of all kinds are read", {
  net <- petri_net(
    step = transition("A[i] -> A[next(i)]", rate = c("i == top" = 1, "i == side" = 2, 3)),
    pair = transition("A[i] + B[c] -> 2 B[x, previous(i)]", rate = "B[c]", guard = "near(x, i)"),
    colours = list(L = c("top", "side", "bottom"), X = 3:4), sets = c(Both = "X * L", Odd = "Both[x %% 2 == 1]"),
    indices = c(c = "Odd", x = "X", i = "L"), places = c(A = "L", B = "Both"),
    functions = c("near(x in X, i in L)" = "x == 4 | i == top"), initial = list(A = "5", "B[3,top]" = 2)
  )
  expect_identical(names(net$indices), c("x", "c", "i"))
  expect_identical(net$pieces$when, c("i == top", "i == side", NA))
  flat <- unfold(net)
  expect_identical(flat$transitions$number[1:3], c("1", "2", "3"))
  expect_identical(flat$transitions$equation[1:3], c(
    "`A[top]` -> `A[side]`", "`A[side]` -> `A[bottom]`", "`A[bottom]` -> `A[top]`"
  ))
  # c is one of 3 colours; x = 4 goes with all three i, x = 3 with top only
  expect_identical(nrow(flat$transitions), 3L + 3L * 4L)
  expect_identical(flat$markings$value, c("5", "5", "5", "2"))
})

test_that("transitions that never bind are told", {
  net <- petri_net(
    move = transition("A[x] -> A[x + 5]", rate = 1), colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X")
  )
  expect_identical(summary(net)$never, "move")
})

test_that("reaction networks become hybrid nets, and stochastic nets reaction networks", {
  rn <- reaction_network("0 -> mRNA" = 2, "mRNA -> 0" = 0.5, "mRNA -> mRNA + protein" = 20, "protein -> 0" = 0.1)
  net <- as_petri_net(rn, continuous = "protein")
  expect_identical(net$transitions$kind, rep(c("stochastic", "continuous"), each = 2))
  expect_match(summary(net)$choices[1:2], "all that it changes is continuous")
  fewer <- as_petri_net(rn, continuous = "protein", flows = "R4")
  expect_identical(fewer$transitions$kind, rep(c("stochastic", "continuous"), c(3, 1)))
  plain <- as_petri_net(rn)
  expect_identical(as_reaction_network(plain)$reactions, rn$reactions)
  expect_identical(as_reaction_network(plain)$species, rn$species)
  expect_error(as_reaction_network(net), "transition \"R3\" is continuous", class = "fireflip_error_unsupported")
  back <- as_reaction_network(as_petri_net(net, as = "stochastic"))
  expect_identical(back$reactions$rate[[3]], "20 * mRNA * (mRNA >= 1)")
  expect_error(as_reaction_network(net), "as = \"stochastic\") counts what flows", fixed = TRUE)
  expect_identical(as_petri_net(net, as = "continuous")$transitions$kind, rep("continuous", 4))
  expect_identical(as_petri_net(rn, continuous = TRUE)$transitions$kind, rep("continuous", 4))
  expect_error(as_petri_net(rn, as = "continuous"), "continuous = TRUE makes", class = "fireflip_error_argument")
  expect_identical(petri_net("A -> B" = 1, continuous = TRUE)$places$continuous, c(TRUE, TRUE))
  still <- reaction_network("S -> 0" = 1, initial = c(S = 3), fixed = "S") # changes nothing
  expect_identical(simulate(as_petri_net(still), times = 1:2, seed = 1)$mean, c(3, 3))
  fixed <- reaction_network("S + A -> B" = "2 * A", "S -> A" = 3, fixed = "S")
  expect_identical(as_petri_net(fixed)$transitions$equation, c("A -> B", "S -> A"))
  reset <- petri_net(t = transition("A -> B", rate = 1, reset = "B"))
  expect_error(as_reaction_network(reset), "resets B", class = "fireflip_error_unsupported")
  half <- petri_net("A -> B" = 1, "B -> 1.5 C" = 1, continuous = "C")
  expect_error(as_reaction_network(half), "continuous", class = "fireflip_error_unsupported")
  formula <- petri_net("A -> (A + 1) B" = 1)
  expect_error(as_reaction_network(formula), "which depends on places", class = "fireflip_error_unsupported")
  weight <- petri_net(t = transition("(w) A -> B + (2 * w) C", rate = "0.3 * A"), initial = c(A = 9), parameters = c(w = 0))
  expect_identical(as_reaction_network(weight)$reactions$equation, "0 -> B")
  weight$parameters[["w"]] <- 1
  expect_identical(as_reaction_network(weight)$reactions$equation, "A -> B + 2 C")
})

test_that("invariants are whole, and those that they must be", {
  net <- petri_net("A + E -> C" = 1, "C -> A + E" = 2, "C -> B + E" = 3, "B -> A" = 1, initial = c(A = 10, E = 2))
  laws <- conservation_laws(net)
  expect_identical(laws$place, c("E", "C", "A", "C", "B"))
  expect_identical(laws$weight, rep(1, 5))
  expect_identical(laws$total, c(2, 2, 10, 10, 10))
  expect_identical(invariants(net), laws)
  expect_identical(invariants(net, "T"), data.frame(
    invariant = c(1L, 1L, 2L, 2L, 2L), transition = c("T1", "T2", "T1", "T3", "T4"), weight = 1
  ))
  calcium <- conservation_laws(petri_model("calcium"))
  expect_identical(calcium$weight[1:2], c(37, 200)) # 1 / 0.185 is 200 / 37
  expect_identical(calcium$place[1:2], c("ER", "Ca"))
  expect_identical(calcium$total[[3]], 4)
  reset <- petri_net(a = transition("A -> B", rate = 1), b = transition("B -> A", rate = 1, reset = "A"))
  expect_output(print(conservation_laws(reset)), "no conservation law")
  expect_identical(nrow(invariants(reset, "T")), 0L)
})

test_that("example nets have the sizes that are stated", {
  expect_identical(summary(petri_model("calcium"))$flat$n[1:4], c(8, 2, 24, 3))
  grid <- summary(petri_model("calcium", nx = 3, ny = 4))
  expect_identical(grid$flat$n[1:4], c(96, 24, 24 * 12, 3 * 12 + 2 * 34))
  drawn <- petri_model("calcium", nx = 3, ny = 4, channels = "stationary", seed = 1)
  expect_identical(sum(as.numeric(drawn$markings$value[-(1:2)])), 48)
  expect_identical(drawn, petri_model("calcium", nx = 3, ny = 4, channels = "stationary", seed = 1))
  expect_identical(summary(petri_model("puff"))$flat$n[1:4], c(60, 12, 100, 25))
  for (name in c("gene", "hill", "growth")) expect_s3_class(petri_model(name), "petri_net")
  expect_error(petri_model("gene", k = 1), class = "fireflip_error_argument")
  expect_error(petri_model("genes"), "did you mean", class = "fireflip_error_argument")
})

test_that("the stationary distribution of a subunit is that of the chain", {
  bindings <- fireflip:::calcium_bindings()
  states <- unique(c("S000", bindings$from, bindings$to))
  share <- fireflip:::stationary_subunit(states, bindings, petri_model("calcium")$parameters)
  # the model's source: S110 has the probability 0.357 at 0.5 of IP3 and 0.1 of calcium, an open channel 0.133
  expect_equal(share[[match("S110", states)]], 0.357, tolerance = 2e-3)
  expect_equal(pbinom(2, 4, share[[match("S110", states)]], lower.tail = FALSE), 0.133, tolerance = 1e-2)
})

test_that("network_arrows() gives the arcs of a net", {
  net <- petri_net(
    t = transition("2 A -> 3 B", rate = "k * A * C", test = "D >= 2 & C < 4", reset = "E"), initial = c(C = 1, D = 1, E = 1),
    parameters = c(k = 1)
  )
  arrows <- network_arrows(net)
  expect_identical(arrows$role, c("reactant", "product", "read", "inhibitor", "reset"))
  expect_identical(arrows$from, c("A", "t", "D", "C", "E"))
  expect_identical(arrows$to, c("t", "B", "t", "t", "t"))
  expect_identical(arrows$count, c(2, 3, 2, 4, 0))
})

test_that("transitions may have no names, and a net may have none that ever fires", {
  named <- petri_net("A -> B" = 1, "B -> A" = 2, initial = c(A = 1))
  expect_identical(petri_net(transition("A -> B", rate = 1), transition("B -> A", rate = 2), initial = c(A = 1)), named)
  expect_identical(petri_net(transition("A -> B", rate = 1))$transitions$equation, "A -> B")
  expect_error(petri_net("A -> B"), "needs", class = "fireflip_error_argument")
  for (test in c("A < 0", "A <= -1", "A < 2 - 3")) {
    expect_error(petri_net(transition("A -> B", rate = 1, test = test)), "never holds", class = "fireflip_error_parse")
  }
  expect_error(petri_net("A -> B", "B -> A"), "without one", class = "fireflip_error_argument")
  for (test in c("A < n", "A < n & A < 5")) {
    shut <- petri_net(transition("A -> B", rate = 9, test = test), initial = c(A = 3), parameters = c(n = 0))
    expect_identical(simulate(shut, times = 9, seed = 1, output = "final")$A, 3)
  }
  expect_warning(
    never <- petri_net(
      "A[x] -> B[4]" = 1, colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X", B = "X"), initial = c(A = 3)
    ), "4 is no colour of X", class = "fireflip_warning_colours"
  )
  expect_identical(nrow(unfold(never)$transitions), 0L)
  expect_warning(
    sim <- simulate(never, times = 5, seed = 1, output = "final"),
    "No colours satisfy the sets of places in transition \"T1\"", class = "fireflip_warning_colours"
  )
  expect_identical(sim$value[sim$place == "A"], c(3, 3, 3))
  net <- reaction_network("A -> B" = 1, initial = c(A = 1))
  expect_error(as_petri_net(net, continuous = "C"), "`continuous` names \"C\"", class = "fireflip_error_argument")
})

test_that("a transition needs the tokens of a fixed place, also as a reaction", {
  net <- petri_net(
    never = transition("3 F -> A", rate = "F"), always = transition("2 F -> B", rate = "F", test = "A < 1"),
    counts = transition("F -> C", rate = mass_action(1)), fixed = "F", initial = c(F = 2)
  )
  last <- function(x, ...) as.data.frame(simulate(x, nsim = 200, times = 3, seed = 1, output = "final", ...))
  for (fired in list(last(net), last(net, method = "exact"), last(as_reaction_network(net)))) {
    expect_identical(unique(as.double(fired$A)), 0)
    expect_gt(min(mean(fired$B), mean(fired$C)), 3)
  }
  expect_identical(as_reaction_network(net)$reactions$law, c("formula", "formula", "mass action"))
  file <- tempfile(fileext = ".xml")
  write_network(net, file)
  expect_identical(unique(as.double(last(read_network(file))$A)), 0)
})
