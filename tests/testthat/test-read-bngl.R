# Networks of BioNetGen. tests/c/test_bngl.c tests the reader itself.

net_file <- function(..., ending = ".net") {
  file <- tempfile("net", fileext = ending)
  writeLines(c(...), file)
  file
}

block <- function(name, ...) c(paste("begin", name), ..., paste("end", name))

small_net <- function() {
  net_file(
    "# Created by BioNetGen 2.7.0", block("parameters", "1 k 0.5", "2 half k/2", "3 start 10  # Constant"),
    block("functions", "1 slow() half / (1 + All)"),
    block("species", "1 A(b) start", "2 $B(a) 3", "3 A(b!1).B(a!1) 0"),
    block("reactions", "1 1,2 3 k #_R1", "2 1,1 3 0.5*k #_R2", "3 3 1,2 slow #_R3"), block("groups", "1 All 1,2*3")
  )
}

test_that("a file .net is a reaction network", {
  file <- small_net()
  net <- read_bngl_net(file)
  expect_identical(net$species, data.frame(
    species = c("A(b)", "B(a)", "A(b!1).B(a!1)"), initial = c(10, 3, 0), fixed = c(FALSE, TRUE, FALSE)
  ))
  expect_identical(net$parameters, c(k = 0.5, start = 10))
  expect_identical(net$variables, c(half = "k / 2", slow = "half / (1 + All)", All = "`A(b)` + 2 * `A(b!1).B(a!1)`"))
  expect_identical(net$reactions, data.frame(
    name = c("R1", "R2", "R3"),
    equation = c("`A(b)` + `B(a)` -> `A(b!1).B(a!1)`", "2 `A(b)` -> `A(b!1).B(a!1)`", "`A(b!1).B(a!1)` -> `A(b)` + `B(a)`"),
    rate = c("k", "k", "slow"), law = "mass action"
  ))
  expect_identical(read_network(file), net)
  expect_identical(read_network(file, "bngl_net"), net)
  expect_identical(read_network(gzcon(file(file, "rb"))), net)
  expect_identical(read_bngl_net(file, initial = c("A(b)" = 4))$species$initial, c(4, 3, 0))
  # R reads the names again
  expect_identical(summary(set_parameters(net, k = 2))$n_variables, 3)
  again <- reaction_network(
    as.data.frame(net), initial = c("A(b)" = 10, "B(a)" = 3), parameters = net$parameters, fixed = "B(a)",
    variables = net$variables
  )
  expect_identical(again, net)
})

test_that("a damaged file is an error that names the line", {
  file <- net_file(block("species", "1 A 5"), block("reactions", "1 1,2 0 k"))
  for (read in list(read_network, read_bngl_net)) {
    expect_error(read(file), "line 5: found \"2\" where the number of a species, from 1 to 1", class = "fireflip_error_parse")
  }
  expect_error(read_bngl_net(net_file("A, B")), "line 1: found \"A, B\" where a block", class = "fireflip_error_parse")
  rules <- net_file("begin model", block("reaction rules", "A() -> 0 k"), "end model", ending = ".bngl")
  expect_error(read_network(rules), "holds a rule-based model", class = "fireflip_error_unsupported")
  expect_error(read_network(small_net(), update = "synchronous"), "only for Boolean networks", class = "fireflip_error_argument")
})

# BioNetGen's propensity of x molecules with the constant c is c x (x - 1). So the first event comes at the rate 2 c.
test_that("two molecules of the same species react with BioNetGen's propensity", {
  file <- net_file(block("species", "1 A 2", "2 B 0"), block("reactions", "1 1,1 2 0.35"))
  exact <- chemical_master_equation(read_bngl_net(file), times = 1)
  one <- as.data.frame(exact)
  expect_equal(one$probability[one$B == 1], 1 - exp(-0.35 * 2), tolerance = 1e-8)
})

test_that("the networks of the literature have the sizes and the dependencies that the papers state", {
  size <- function(name, ...) {
    net <- read_network(skip_without_shared(file.path("models/bngl-nets", name)))
    counts <- summary(net)
    expect_identical(c(counts$n_species, counts$n_reactions, counts$mass_action), c(...))
    net
  }
  multistate <- size("multistate.net", 9, 18, 18)
  expect_identical(names(multistate$variables), c("A_P", "A_unbound_P", "A_bound_P", "RLA_P"))
  size("multisite2.net", 66, 288, 288)
  egfr <- size("egfr_net.net", 356, 3749, 3749)
  expect_identical(egfr$species$initial[1:2], c(1.2e6, 1e5))
  expect_length(egfr$variables, 13L)
})
