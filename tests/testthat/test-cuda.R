# On a machine with a GPU: the CUDA backend gives the processor's bits. `make gpu-check` runs these.

# Everything except backend and time.
answer <- function(x) {
  x <- as.data.frame(x, run = TRUE)
  x[setdiff(names(x), c("backend", "seconds"))]
}

expect_same <- function(call, ..., kernel = NULL) {
  old <- options(fireflip.kernel = kernel)
  on.exit(options(old))
  here <- call(backend = "cpu", ...)
  there <- call(backend = "cuda", ...)
  expect_identical(answer(there), answer(here))
  expect_identical(there, here)
  there
}

test_that("the apoptosis network has the processor's answer on a GPU, with either kernel and either layout", {
  skip_without_gpu()
  net <- example_model("apoptosis")
  sets <- c(both = "RIP_deubi & complex1 & !FADD", any = "complex1 & FADD", never = "TNF & !TNF")
  call <- function(...) steady_state(net, sets, precision = 2e-4, method = "simulation", seed = 7, ...)
  for (kernel in c("generated", "interpreter")) {
    there <- expect_same(call, kernel = kernel)
    expect_identical(summary(there)$backend, "cuda")
    expect_identical(summary(there)$device$kernel, kernel)
  }
  expect_same(function(...) steady_state(net, sets, precision = 5e-3, seed = 7, layout = "packed", ...))
  expect_same(function(...) influence_analysis(net, sets[1:2], precision = 1e-3, method = "simulation", seed = 3, ...))
})

test_that("random networks of 3 to 2,000 nodes have the processor's answers", {
  skip_without_gpu()
  sizes <- c(3:12, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000, 2000)
  for (i in seq_along(sizes)) {
    net <- random_pbn(sizes[[i]], functions = c(1, 3), parents = c(1, min(5, sizes[[i]])), perturbation = 0.02, seed = i)
    layout <- if (sizes[[i]] <= 100 && i %% 2 == 0) "packed" else "sliced"
    call <- function(...) {
      steady_state(net, net$nodes[1:2], precision = 0.02, method = "simulation", seed = i, reduce = FALSE, ...)
    }
    expect_same(call, layout = layout)
    if (sizes[[i]] > 100) next
    net <- set_update(net, "asynchronous")
    expect_same(call)
  }
})

test_that("dependent networks, exempt nodes and given starts have the processor's answers", {
  skip_without_gpu()
  for (i in 1:6) {
    net <- random_pbn(20, functions = c(2, 2), parents = c(1, 4), perturbation = 0.05, seed = 40 + i)
    contexts <- rbind(rep(1L, 20), rep(2L, 20), rep(1:2, 10))
    net <- pbn(
      data.frame(node = net$nodes[net$rules$node], predictor = net$rules$predictor), perturbation = 0.05,
      update = if (i %% 2 == 0) "asynchronous" else "synchronous", exempt = net$nodes[i],
      contexts = list(probability = c(0.5, 0.3, 0.2), predictor = contexts)
    )
    for (layout in c("packed", if (i %% 2 == 1) "sliced")) {
      expect_same(
        function(...) steady_state(net, net$nodes[7:9], precision = 0.01, seed = i, layout = layout, reduce = FALSE, ...)
      )
    }
  }
})

test_that("any number of GPUs, and parts, give the same result", {
  skip_without_gpu()
  net <- example_model("apoptosis")
  call <- function(...) steady_state(net, "complex1 & FADD", precision = 1e-4, method = "simulation", seed = 5, ...)
  here <- call(backend = "cpu")
  gpus <- sum(backends()$name == "cuda" & backends()$usable)
  for (n in unique(pmin(c(1, 2, 4), gpus))) {
    old <- options(fireflip.devices = seq_len(n) - 1)
    expect_identical(answer(call(backend = "cuda")), answer(here))
    options(old)
  }
  parts <- lapply(1:3, function(i) call(backend = if (i == 2) "cpu" else "cuda", shard = c(i, 3)))
  expect_identical(answer(do.call(c, parts)), answer(here))
})

test_that("an interrupt comes back within a second and leaves the GPU usable", {
  skip_without_gpu()
  net <- example_model("apoptosis")
  started <- proc.time()[["elapsed"]]
  expect_interrupted(function() {
    steady_state(net, "complex1 & FADD", precision = 1e-8, method = "simulation", seed = 1, backend = "cuda")
  }, 1.5)
  expect_lt(proc.time()[["elapsed"]] - started, 2.5)
  expect_same(function(...) steady_state(net, "complex1 & FADD", precision = 1e-3, method = "simulation", seed = 1, ...))
})

test_that("in a forked process, the use of the GPU is an error", {
  skip_without_gpu()
  skip_on_os("windows")
  script <- tempfile(fileext = ".R") # in a new process, because a fork of this one would include the tests' reporter
  writeLines(c(
    "library(fireflip)", "net <- example_model(\"apoptosis\")",
    "call <- function() steady_state(net, \"complex1\", precision = 1e-3, seed = 1, backend = \"cuda\")", "invisible(call())",
    "job <- parallel::mcparallel(tryCatch(call(), fireflip_error_backend = conditionMessage))",
    "cat(parallel::mccollect(job)[[1]])"
  ), script)
  said <- system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE)
  expect_match(paste(said, collapse = " "), "forked")
})
