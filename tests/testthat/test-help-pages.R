# Pages of the manual that do not describe a function (?choosing_p, ?coming_from_boolnet), and the words that find a page.

page <- function(topic) {
  file <- tempfile(fileext = ".txt")
  on.exit(unlink(file))
  rd <- tools::Rd_db("fireflip")[[paste0(topic, ".Rd")]]
  tools::Rd2txt(rd, file, options = list(underline_titles = FALSE))
  readLines(file)
}

# The rows of a page's tables whose first cell is a number, as numbers; an empty cell is NA.
number_rows <- function(lines) {
  lines <- trimws(gsub(",", "", lines))
  rows <- strsplit(lines[grepl("^[0-9.e-]+ +0[.]", lines)], " +")
  lapply(rows, as.numeric)
}

test_that("?choosing_p has the numbers that its experiments give", {
  rows <- number_rows(page("choosing_p"))
  one <- do.call(rbind, Filter(function(row) length(row) == 4L, rows))
  two <- do.call(rbind, Filter(function(row) length(row) == 6L, rows))
  expect_equal(one[, 1L], c(0.1, 0.01, 0.001, 1e-4, 1e-5, 0))
  expect_equal(two[, 1L], c(0.1, 0.05, 0.02, 0.01, 0.005))

  cell <- example_model("cellcycle")
  for (i in seq_len(nrow(one))) {
    net <- set_perturbation(cell, one[i, 1L])
    exact <- steady_state(net, "CycB & !Cdh1", method = "exact")
    run <- as.data.frame(steady_state(net, "CycB & !Cdh1", method = "simulation", seed = 1), run = TRUE)
    expect_equal(c(round(exact$probability, 4L), run$burn_in, run$samples), one[i, -1L])
  }

  tcell <- fix_nodes(example_model("thelper"), IFNb = 0, IL12 = 0, IL18 = 0, TCR = 0)
  types <- c(Th0 = "!Tbet & !GATA3", Th1 = "Tbet & !GATA3", Th2 = "GATA3 & !Tbet")
  skip_on_cran() # some seconds
  for (i in seq_len(nrow(two))) {
    run <- as.data.frame(steady_state(set_perturbation(tcell, two[i, 1L]), types, seed = 1), run = TRUE)
    expect_equal(c(round(run$probability, 3L), run$burn_in[[1L]], run$samples[[1L]]), two[i, -1L])
  }
  random <- steady_state(set_perturbation(tcell, 0), types, seed = 1)
  expect_true(any(grepl("^0 random start +0.083 +0.553 +0.364", trimws(gsub(",", "", page("choosing_p"))))))
  expect_equal(round(random$probability, 3L), c(0.083, 0.553, 0.364))
  expect_error(steady_state(set_perturbation(tcell, 1e-5), types, seed = 1), class = "fireflip_error_convergence")
})

test_that("?coming_from_boolnet names functions that BoolNet has, and says what they give", {
  skip_if_not_installed("BoolNet")
  text <- page("coming_from_boolnet")
  text <- text[seq_len(which(text == "Examples:"))] # BoolNet's names have capitals
  used <- unique(unlist(regmatches(text, gregexpr("\\b[a-z]+[A-Z][A-Za-z]*(?=\\()", text, perl = TRUE))))
  expect_gt(length(used), 20L)
  expect_identical(setdiff(used, getNamespaceExports("BoolNet")), character())

  utils::data("cellcycle", package = "BoolNet", envir = environment())
  found <- BoolNet::getAttractors(cellcycle)
  basins <- vapply(found$attractors, function(attractor) attractor$basinSize, 0) / 2^10
  expect_equal(sort(outcomes(as_pbn(cellcycle), method = "exact")$probability), sort(basins))
})

test_that("help.search() finds the pages by the words that people search", {
  pages <- list(
    "knock-out" = "fix_nodes", knockout = "fix_nodes", mutant = "fix_nodes", phenotype = "steady_state", attractor = "outcomes",
    "steady state" = "steady_state", "steady-state probability" = "steady_state", stimulus = "fix_nodes",
    BoolNet = "coming_from_boolnet", perturbation = "choosing_p", driver = "long_run_influence",
    "over-expression" = "long_run_sensitivity"
  )
  for (word in names(pages)) {
    found <- utils::help.search(word, fields = c("alias", "concept", "title"), package = "fireflip", agrep = FALSE)$matches
    expect_true(pages[[word]] %in% found$Name, info = word)
  }
})
