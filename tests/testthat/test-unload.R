# Unloads the package in new R processes, in which R calls finalizers after the core was unloaded.

# The output of these lines in a new R process, one element per line. The last is "the end" if all lines have run.
in_fresh_r <- function(...) {
  skip_on_cran() # it takes some seconds
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(c("library(fireflip)", ..., "invisible(gc())", "cat(\"the end\\n\")"), file)
  paths <- paste(.libPaths(), collapse = .Platform$path.sep)
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(file)), stdout = TRUE, stderr = TRUE,
    env = paste0("R_LIBS=", shQuote(paths))
  ))
  structure(as.character(out), status = attr(out, "status"))
}

expect_the_end <- function(out) {
  expect_null(attr(out, "status"), info = paste(out, collapse = "\n"))
  expect_identical(utils::tail(as.character(out), 1L), "the end")
}

unload <- c("unloadNamespace(\"fireflip\")", "stopifnot(!\"fireflip\" %in% names(getLoadedDLLs()))")
run <- c(
  "net <- example_model(\"cellcycle\")",
  "answer <- steady_state(net, \"CycB & !Cdh1\", method = \"simulation\", precision = 0.01, seed = 1)"
)

test_that("the package can be unloaded after a run, and loaded again", {
  out <- in_fresh_r(
    run, "before <- answer$probability", unload, "invisible(gc())",
    "library(fireflip)", run, "stopifnot(identical(answer$probability, before))",
    "invisible(stationary_distribution(example_model(\"toggle\")))", unload
  )
  expect_the_end(out)
})

# Objects that are still referenced, and objects of a call that was interrupted, here by a time limit.
test_that("objects that exist at unloading can be collected later", {
  out <- in_fresh_r(
    run,
    "estimate <- fireflip:::new_estimate(net, c(CycB = \"CycB\"), NULL, list(precision = 0.01, z = 1.96, epsilon = 1e-6,",
    "  seed = 1, max_burn_in = 1e5, shard = 0, shards = 1, threads = 1, simd = 3, go_on = 0, layout = 0, explore = 0))",
    "invisible(.Call(fireflip:::ffi_estimate_advance, estimate, 0))",
    "chain <- .Call(fireflip:::ffi_exact_new, net)",
    "stopped <- tryCatch({",
    "  setTimeLimit(elapsed = 0.5, transient = TRUE)",
    "  steady_state(net, \"CycB\", method = \"simulation\", precision = 1e-7, seed = 1, progress = FALSE)",
    "}, error = function(e) e)",
    "setTimeLimit()",
    "stopifnot(inherits(stopped, \"error\"), grepl(\"time limit\", conditionMessage(stopped)))",
    unload, "rm(estimate, chain, stopped)", "invisible(gc())", "library(fireflip)", run
  )
  expect_the_end(out)
})

test_that("the package can be unloaded with a backend open", {
  path <- fake("right")
  ask <- c(
    sprintf("options(fireflip.cuda_library = %s)", deparse(path)),
    "stopifnot(sum(backends()$name == \"cuda\") == 3L)", "pointer <- fireflip:::opened$pointer", run
  )
  expect_the_end(in_fresh_r(ask, unload, "invisible(gc())", "rm(pointer)", "invisible(gc())", "library(fireflip)", ask, unload))
})
