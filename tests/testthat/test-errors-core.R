# Messages of errors that the core raises for a network, a file or a call. Messages of readers are tested in tests/c (test_io.c,
# test_sbml.c). The tests here are of messages that only R can reach, and of one message of each other kind.
net <- pbn(list(a = c("b | !c" = 0.6, "!b & c" = 0.4), b = "a ^ c", c = c("a" = 0.5, "!b" = 0.5)), perturbation = 0.01)

# `net` with some fields replaced by values that no function of the package would give them.
broken <- function(...) {
  fields <- list(...)
  out <- net
  out[names(fields)] <- fields
  out
}

test_that("messages about networks that contradict themselves", {
  plain <- data.frame(node = 1:3, predictor = "a", probability = 1)
  expect_snapshot(error = TRUE, {
    pbn(c("a\tb" = "1"))
    pbn(stats::setNames("1", "a\"b`c"))
    pbn(c(A = "A & B & maj(A, B, C)", B = "B"))
    pbn(c(A = "A[-2]"))
    pbn(list(A = c("A" = 0, "!A" = 0.5, "1" = 0.5)))
    pbn(list(A = c("A" = NaN, "!A" = 1)))
    summary(broken(nodes = c("a", "b", "a")))
    summary(broken(nodes = c("a", "", "c"), rules = plain))
    summary(broken(rules = plain[c(1, 3), ]))
    summary(broken(rules = plain[c(3, 1, 2), ]))
    summary(broken(rules = plain[-1]))
    summary(broken(rules = plain[-3]))
    summary(broken(rules = list(node = 1:3, predictor = "a", probability = 1)))
    summary(broken(nodes = c("a", NA, "c")))
    summary(broken(nodes = 1:3))
    summary(broken(nodes = character()))
    summary(broken(nodes = c("a", "b", "c", "d")))
    summary(broken(rules = 1))
    summary(broken(rules = data.frame(node = 1, predictor = 2, probability = 1)))
    summary(broken(perturbation = 1))
    summary(broken(perturbation = NaN))
    summary(broken(perturbation = "low"))
    summary(broken(exempt = TRUE))
    summary(broken(initial = c(0, 1, 2)))
    summary(broken(initial = NULL, exempt = c(TRUE, NA, FALSE)))
    summary(broken(update = "both"))
    summary(broken(removed = 1))
    summary(broken(removed = c(1, 2)))
    summary(broken(contexts = 1))
    summary(broken(contexts = list(probability = 1, predictor = matrix(1, 1, 2))))
    summary(broken(contexts = list(probability = 1, predictor = "a")))
    summary(broken(contexts = list(probability = numeric(), predictor = matrix(1, 1, 2))))
    summary(broken(contexts = list(probability = 1, predictor = matrix(0, 1, 3))))
    summary(broken(contexts = list(probability = 1, predictor = matrix(3, 1, 3))))
    .Call(ffi_pbn_check, unclass(net))
  })
})

test_that("messages about files", {
  folder <- tempfile("folder")
  dir.create(folder)
  file <- file.path(folder, "net.txt")
  on.exit(unlink(folder, recursive = TRUE))
  several <- pbn(list(A = c("A", "!A")))
  contexts <- pbn(list(A = c("A", "!A")), contexts = list(probability = c(0.5, 0.5), predictor = cbind(1:2)))
  wide <- pbn(stats::setNames(c(letters[1:17], paste(letters[1:17], collapse = " ^ ")), letters[1:18]))
  deep <- pbn(c(A = paste0(strrep("!(A ^ ", 400), "A", strrep(")", 400))))
  writeLines(c("targets, factors", "A, B | (A"), file)
  misspelt <- file.path(folder, "misspelt.pbn")
  writeLines(c("nodeNames", "complex2", "endNodeNames", "node complex2", "1 : !complx", "endNode"), misspelt)
  good <- write_pbn(net, file.path(folder, "good.pbn"))
  twice <- write_pbn(contexts, file.path(folder, "twice.pbn"))
  cat("contexts\n1 : 1\nendContexts\n", file = twice, append = TRUE)
  empty <- write_sbml(pbn(c(A = "A")), file.path(folder, "empty.sbml"))
  writeLines(gsub("(<math[^>]*>).*(</math>)", "\\1\\2", readLines(empty)), empty)
  cut <- function(lines) gsub(folder, "FOLDER", lines, fixed = TRUE)
  expect_error(read_network(file, "sbml"), "net[.]txt, line 1, column \\d+: libsbml found: .", class = "fireflip_error_parse")
  expect_snapshot(error = TRUE, transform = cut, {
    read_network(1)
    read_network(file, "excel")
    read_network(file, perturbation = 1)
    read_network(file, update = "fast")
    read_network(good, exempt = "C")
    read_network(good, initial = c(a = 2))
    read_network(file)
    read_network(file, "pbn")
    read_network(misspelt)
    read_network(twice)
    read_network(empty)
    read_network(folder)
    read_network(file.path(folder, "none.txt"))
    write_network("net", file)
    write_network(net, c(file, file))
    write_network(net, "net.doc")
    write_network(net, file, "excel")
    write_network(net, file.path(folder, "none", "net.pbn"))
    write_bnet(several, file)
    write_bnet(contexts, file)
    write_bnet(wide, file)
    write_boolnet(contexts, file)
    write_sbml(several, file)
    write_sbml(contexts, file)
    write_sbml(deep, file)
    write_boolnet(net, file)
  })
})

test_that("messages about conversions", {
  contexts <- pbn(list(A = c("A", "!A")), contexts = list(probability = c(0.5, 0.5), predictor = cbind(1:2)))
  wide <- pbn(stats::setNames(c(letters[1:17], paste(letters[1:17], collapse = " & ")), letters[1:18]))
  gene <- list(input = 1L, func = c(0, -1), expression = "<f(A){0*}>")
  unknown <- structure(
    list(genes = "A", interactions = list(A = gene), fixed = c(A = -1)), class = "BooleanNetwork"
  )
  expect_snapshot(error = TRUE, {
    as_pbn("A")
    as_pbn(structure(list(), class = "SymbolicBooleanNetwork"))
    as_pbn(unknown)
    as_boolnet(1)
    as_boolnet(contexts)
    as_boolnet(wide)
    need_package("nothing.there", "as_pbn() of a graph")
  })
  skip_if_not_installed("igraph")
  twice <- igraph::make_ring(3, directed = TRUE)
  igraph::V(twice)$name <- c("A", "B", "A")
  expect_snapshot(error = TRUE, {
    as_pbn(twice)
    as_pbn(igraph::make_empty_graph(0))
    as_pbn(igraph::make_ring(3))
    as_pbn(igraph::make_ring(3, directed = TRUE), join = "none")
  })
})

test_that("messages about exact answers", {
  majority <- "a & b | b & c | a & c"
  far <- pbn(c(a = majority, b = majority, c = majority), perturbation = 1e-320)
  big <- random_pbn(25, perturbation = 0.1, seed = 1)
  expect_snapshot(error = TRUE, {
    steady_state(big, "x1 | x2", method = "exact", reduce = FALSE)
    long_run_influence(big, method = "exact")
    transition_matrix(random_pbn(13, perturbation = 0.1, seed = 1))
    stationary_distribution(far)
  })
})

# Numbers are removed, because they depend on when the estimator stops.
test_that("messages about estimates that do not converge", {
  no_numbers <- function(lines) {
    gsub("\\b(after|in|take|rhat|burn-in of) ([0-9][0-9.e+]*|inf)", "\\1 #", lines)
  }
  slow <- pbn(c(a = "a", b = "a"), perturbation = 1e-3)
  quiet <- pbn(c(a = "a & !a & b", b = "!b"), perturbation = 1e-6)
  # s changes about once in 256 steps, after eight coins in a row have shown heads; 2^17 states are too many to explore
  coins <- c("h1" = "0", stats::setNames(paste0("h", 1:15), paste0("h", 2:16)))
  coins <- c(as.list(coins), s = "s ^ (h9 & h10 & h11 & h12 & h13 & h14 & h15 & h16)")
  coins$h1 <- c("0" = 0.5, "1" = 0.5)
  coins <- pbn(coins, initial = c(s = 0))
  expect_snapshot(error = TRUE, transform = no_numbers, {
    steady_state(slow, "b", method = "simulation", seed = 1, max_burn_in = 1024)
    steady_state(coins, "s", method = "simulation", seed = 1, max_burn_in = 1024)
    steady_state(set_initial(quiet, a = 0), "a", method = "simulation", seed = 1, max_burn_in = 256)
  })
  # the value suggested by the message works, and a small network needs no long burn-in
  expect_lt(abs(steady_state(slow, "b", precision = 0.01, method = "simulation", seed = 1)$probability - 0.5), 0.02)
  settled <- steady_state(coins, "s", precision = 0.01, method = "simulation", seed = 1, max_burn_in = 2^15)
  expect_lt(abs(settled$probability - 0.5), 0.02)
  expect_lte(of_run(steady_state(net, "a", method = "simulation", seed = 1, max_burn_in = 64), "burn_in"), 64)
})
