# Petri nets in files.
same_net <- function(a, b) {
  order_of <- function(x) x[order(x$place), ]
  expect_identical(order_of(a$places), order_of(b$places), ignore_attr = "row.names")
  for (part in c("transitions", "colours", "sets", "indices", "functions", "parameters", "variables", "pieces")) {
    expect_identical(a[[part]], b[[part]], info = part)
  }
  by_element <- function(x) x[order(x$element), c("element", "value")]
  expect_identical(by_element(a$markings), by_element(b$markings), ignore_attr = "row.names")
}

test_that("nets that are written as ANDL or CANDL are read back", {
  path <- tempfile(fileext = ".andl")
  for (name in c("hill", "growth", "calcium")) {
    net <- petri_model(name)
    expect_identical(write_network(net, path), path)
    same_net(read_network(path), net)
    same_net(read_andl(path), net)
  }
  grid <- petri_model("calcium", nx = 3, ny = 4)
  write_network(grid, path, format = "candl")
  again <- read_network(path, format = "candl")
  expect_identical(summary(again)$flat, summary(grid)$flat)
  write_andl(again, path)
  same_net(read_network(path), again)
})

test_that("constants and value sets of a file are replaced", {
  path <- tempfile(fileext = ".candl")
  writeLines(c(
    "colspn [a net]", "{", "constants:", "  int N = 3;", "  double k = 0.5;", "colorsets:", "  X = {1..N};", "variables:",
    "  X : x;", "places:", "  X A = 2`all;", "transitions:", "  move", "    :", "    : [A - {x}] & [A + {+x}]",
    "    : MassAction(k)", "    ;", "}"
  ), path)
  expect_identical(summary(read_network(path))$flat$n[1:3], c(3, 0, 3))
  wide <- read_network(path, constants = c(N = 7, k = 2), initial = c("A[1]" = 9))
  expect_identical(summary(wide)$flat$n[1:3], c(7, 0, 7))
  expect_identical(wide$parameters[["k"]], 2)
  expect_identical(unfold(wide)$markings$value, c("9", rep("2", 6)))
  expect_error(read_network(path, constants = c(M = 7)), "M", class = "fireflip_error")
  expect_error(read_network(path, perturbation = 0.1), "holds a Petri net", class = "fireflip_error_argument")
})

test_that("PNML has the unfolded net", {
  path <- tempfile(fileext = ".pnml")
  write_network(petri_model("calcium", nx = 2, ny = 2), path)
  text <- paste(readLines(path), collapse = "\n")
  expect_identical(lengths(regmatches(text, gregexpr("<place id", text, fixed = TRUE))), 40L)
  coloured <- petri_net(
    "0 -> A[x]" = "k / (1 + sum(A))", colours = list(X = 1:3), indices = c(x = "X"), places = c(A = "X"),
    parameters = c(k = 1), variables = c(total = "sum(A)")
  )
  write_network(coloured, path)
  text <- paste(readLines(path), collapse = "\n")
  expect_match(text, "<variable name=\"total\">`sum(A)`</variable>", fixed = TRUE)
  expect_match(text, "<variable name=\"sum(A)\">A_1 + A_2 + A_3</variable>", fixed = TRUE)
  expect_match(text, "<rate>k / (1 + `sum(A)`)</rate>", fixed = TRUE)
  expect_error(write_network(petri_model("gene"), "x.foo"), "must end in .andl, .candl, .sbml, .xml or .pnml", fixed = TRUE)
  expect_error(write_network(petri_model("gene"), file.path(tempfile(), "x.pnml")), class = "fireflip_error_file")
})

test_that("files of other programs have the sizes that these state", {
  shared <- Sys.getenv("FIREFLIP_SHARED")
  skip_if_not(nzchar(shared) && dir.exists(file.path(shared, "models", "petri")), "there are no shared models")
  path <- function(name) file.path(shared, "models", "petri", name)
  small <- summary(read_network(path("diffusion_2D.colcpn"), constants = c(D = 15)))
  expect_identical(sum(small$flat$n[1:2]), 225)
  expect_identical(sum(small$flat$n[-(1:2)]), 840)
  notch <- summary(read_network(path("Delta-Notch-patternformation.colcpn")))
  expect_identical(c(sum(notch$flat$n[1:2]), sum(notch$flat$n[-(1:2)])), c(192, 704))
  expect_s3_class(read_network(path("GeneGate.spn")), "petri_net")
})

# Columns are separated by commas or semicolons.
read_peer <- function(csv) {
  sep <- if (grepl(";", readLines(csv, 1L), fixed = TRUE)) ";" else ","
  utils::read.csv(csv, sep = sep, check.names = FALSE)
}

# The largest difference from the CSV of another program, at its rows `rows`. Its columns are called p_1_2.
distance_to <- function(csv, net, rows = TRUE, scale = 1) {
  peer <- read_peer(csv)[rows, ]
  sim <- simulate(net, times = peer[[1]] * scale, output = "trajectories", seed = 1, tolerance = 1e-8)
  colours <- as.list(sim)[setdiff(names(sim), c("trajectory", "time", "place", "value"))]
  name <- do.call(paste, c(list(sim$place), unname(colours), sep = "_"))
  mine <- matrix(sim$value, nrow(peer), byrow = TRUE, dimnames = list(NULL, name[seq_len(nrow(sim) / nrow(peer))]))
  common <- intersect(colnames(mine), names(peer))
  expect_gt(length(common), 1)
  max(abs(mine[, common] - as.matrix(peer[common])))
}

test_that("numbers are those of other programs", {
  shared <- Sys.getenv("FIREFLIP_SHARED")
  skip_if_not(nzchar(shared) && dir.exists(file.path(shared, "models", "petri")), "there are no shared models")
  path <- function(name) file.path(shared, "models", "petri", name)
  # the CSV has the numbers of the rows as times, which are a tenth of these; it was made with a tolerance of 1e-5
  diffusion <- read_network(path("diffusion_2D.colcpn"), constants = c(D = 15))
  expect_lt(distance_to(path("diffusion_2D15.csv"), diffusion, scale = 0.1), 2e-4)
  # the CSV is of a version of the net in which D is only read: the weight c1 is 0
  notch <- read_network(path("Delta-Notch-patternformation.colcpn"), constants = c(c1 = 0))
  times <- read_peer(path("Delta-Notch-patternformation.csv"))[[1]]
  expect_lt(distance_to(path("Delta-Notch-patternformation.csv"), notch, times <= 90), 2e-4)
  # Spike's row at the time of a firing is that before it
  external <- read_network(path("external.candl"))
  times <- read_peer(path("external.csv"))[[1]]
  expect_identical(distance_to(path("external.csv"), external, times != 0.5), 0)
})

test_that("formulas of constants are written again while they hold", {
  source <- tempfile(fileext = ".candl")
  target <- tempfile(fileext = ".candl")
  on.exit(unlink(c(source, target)))
  writeLines(c(
    "colcpn [net] {", "constants:", "  all:", "    int D = 3;", "    int M = D / 2 + 1;", "    double k1 = 0.5;",
    "    double k2 = k1 * 2;", "colorsets:", "  X = {1..D};", "variables:", "  X : x;", "places:", "continuous:", "  X A = k2`1;",
    "transitions:", "continuous:", "  t {[x != M]} : : [A - {x}] & [A + {M}] : k2 * A ;", "}"
  ), source)
  constants <- function(net) {
    write_network(net, target)
    grep("^ +(int|double) ", readLines(target), value = TRUE)
  }
  net <- read_network(source)
  expect_identical(constants(net), c("  double D = 3;", "  int M = D / 2 + 1;", "  double k1 = 0.5;", "  double k2 = k1 * 2;"))
  again <- read_network(target)
  expect_identical(again$parameters, net$parameters)
  # a change of a constant does not change those that were computed from it, and what is written gives the same net
  changed <- set_parameters(net, k1 = 7)
  expect_identical(constants(changed), c("  double D = 3;", "  int M = D / 2 + 1;", "  double k1 = 7;", "  double k2 = 1;"))
  expect_identical(read_network(target)$parameters, changed$parameters)
  expect_identical(constants(set_parameters(net, k2 = 4))[[4L]], "  double k2 = 4;")
  # a value that was given is that of the file, and formulas of it hold
  given <- read_network(source, constants = c(k1 = 1))
  expect_identical(constants(given)[3:4], c("  double k1 = 1;", "  double k2 = k1 * 2;"))
  expect_identical(unname(given$parameters[["k2"]]), 2)
})
