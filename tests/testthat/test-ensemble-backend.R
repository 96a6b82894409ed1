# Ensembles of reaction networks on GPUs, without a GPU: the devices of a fake backend are this processor. test-cuda.R has the
# tests for a machine with a GPU.

net <- reaction_network(
  "0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A -> B" = 0.05, "B -> 2 A" = 0.5, parameters = c(k = 10),
  initial = c(A = 8, B = 2), variables = c(all = "A + 2 * B", ratio = "A / (1 + B)")
)

simulated <- function(backend, ..., nsim = 60, times = c(0, 0.5, 1)) {
  simulate(net, nsim, 3, times = times, backend = backend, threads = 2, ...)
}

# What `...` gives on the processor and on the fake devices. `how` is FAKE_SSA of tests/c/fake_backend.c.
expect_same_ensemble <- function(..., how = "") {
  here <- simulated("cpu", ...)
  Sys.setenv(FAKE_SSA = how)
  there <- simulated("cuda", ...)
  expect_identical(there, here)
  expect_identical(unique(as.data.frame(there, run = TRUE)$backend), "cuda")
  expect_identical(unique(as.data.frame(here, run = TRUE)$backend), "cpu")
  there
}

test_that("GPUs give the results of the processor, for every output", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  for (method in ssa_methods()$method[ssa_methods()$gpu]) { # the rates of `net` are mass action, which some of them need
    for (how in c("", "7 4")) { # waves of 7 trajectories, of which one in four is refused
      same <- function(...) expect_same_ensemble(method = method, how = how, ...)
      there <- same()
      same(covariance = TRUE, observe = c("B", "A"))
      same(quantiles = c(0.1, 0.5), observe = c("ratio", "A"))
      same(output = "histogram")
      same(output = "trajectories", observe = c("all", "B"))
      same(output = "final")
      same(shard = c(2, 3), output = "trajectories")
    }
  }
  got <- summary(there)
  expect_identical(got$backend, "cuda")
  expect_identical(got$device$kernel, "fake")
  expect_output(print(got), "backend +cuda \\(there is no other")
  expect_null(summary(simulated("cpu"))$device)
  expect_no_match(capture.output(summary(simulated("cpu"))), "backend")
  sweep <- function(backend) sweep_parameters(net, data.frame(k = c(1, 5)), 20, times = 1, seed = 1, backend = backend)
  expect_identical(sweep("cuda"), sweep("cpu"))
  expect_identical(summary(sweep("cuda"))$backend, "cuda")
})

test_that("networks with events, and with rates that depend on the time, go to GPUs", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  nets <- list(
    reaction_network("A -> 0" = "A * time", initial = c(A = 5)),
    reaction_network("A -> 0" = 1, initial = c(A = 5), events = list(event("A < 3", set = c(A = 9))))
  )
  for (net in nets) {
    for (method in c("direct", "first_reaction")) {
      run <- function(backend) simulate(net, 30, seed = 1, times = c(0.5, 2), method = method, backend = backend)
      expect_identical(run("cuda"), run("cpu"))
      expect_identical(summary(run("cuda"))$backend, "cuda")
    }
  }
})

test_that("if a GPU fails, the others do its share; if the last one fails, this is an error", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  expect_warning(expect_same_ensemble(how = "7 4 9"), "GPU failed.*on fire", class = "fireflip_warning_backend")
  expect_warning(expect_same_ensemble(how = "7 4 0 0 1 1"), "GPU 0: the code does not load", class = "fireflip_warning_backend")
  Sys.setenv(FAKE_SSA = "7 4 9 1")
  expect_error(simulated("cuda"), "on fire", class = "fireflip_error_backend")
})

test_that("an invalid propensity is the error of the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  bad <- reaction_network("A -> 0" = 1, "0 -> A" = "2 * (A - 2.5)", initial = c(A = 4))
  said <- function(backend) tryCatch(simulate(bad, 100, 1, times = 2, backend = backend), fireflip_error_model = conditionMessage)
  expect_identical(said("cuda"), said("cpu"))
  expect_match(said("cuda"), "propensity")
})

test_that("\"auto\" is the same method on GPUs and on the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  rates <- as.list(stats::setNames(1 + seq_len(600) / 1000, rep(c("A + B -> 2 B", "A + B -> 2 A"), 300)))
  coupled <- do.call(reaction_network, c(rates, list(initial = c(A = 5, B = 5))))
  run <- function(...) simulate(coupled, 20, seed = 1, times = 1e-4, ...)
  here <- run(backend = "cpu")
  there <- run(backend = "cuda")
  expect_identical(attr(here, "run")$method, "pssa_cr")
  expect_identical(summary(there)$backend, "cuda")
  expect_identical(there, here)
  expect_identical(run(backend = "auto"), here) # a run that does not move
  expect_identical(simulated("cuda"), simulated("cpu"))
})

test_that("what no GPU can do is an error with the reason, or is done by the processor if the session asks for a GPU", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  refused <- function(model, ..., times = 1) simulate(model, 5, seed = 1, times = times, backend = "cuda", ...)
  expect_snapshot(error = TRUE, {
    refused(net, method = "tau_leaping")
    refused(net, output = "events")
    refused(net, until = "A > 20")
    refused(net, initial = simulate(net, 5, seed = 1, times = 0.5, output = "final"))
    refused(net, initial = c(A = 2^30))
  })
  Sys.setenv(FAKE_SSA = "0 0 0 0 0 0 1")
  expect_error(refused(net), "Reason: this network is too odd.", class = "fireflip_error_unsupported")
  options(fireflip.backend = "cuda")
  expect_identical(summary(simulated("auto"))$backend, "cpu")
  Sys.setenv(FAKE_SSA = "")
  expect_identical(summary(simulated("auto"))$backend, "cuda")
  expect_identical(summary(simulated("auto", until = "A > 20"))$backend, "cpu")
  expect_s3_class(first_passage(net, "A > 20", 5, end = 3, seed = 1), "first_passage")
})

test_that("without a GPU, \"auto\" is the processor and \"cuda\" an error", {
  plain_session(fireflip.cuda_library = fake("nodriver"))
  expect_identical(summary(simulated("auto"))$backend, "cpu")
  expect_error(simulated("cuda"), "no driver is here", class = "fireflip_error_backend")
  expect_error(simulated("quick"), class = "fireflip_error_argument")
  plain_session(fireflip.cuda_library = fake("right"))
  expect_error(simulated("cuda"), "does not run models of this kind", class = "fireflip_error_backend")
})

# With these numbers, "auto" moves every run that does not end in its first, smallest piece.
eager <- function(frame = parent.frame()) {
  space <- asNamespace("fireflip")
  set <- function(values) {
    for (name in names(values)) {
      unlockBinding(name, space)
      assign(name, values[[name]], space)
      lockBinding(name, space)
    }
  }
  numbers <- c("gpu_start_seconds", "gpu_gain_seconds", "gpu_least_trajectories", "piece_seconds")
  old <- mget(numbers, space)
  set(stats::setNames(list(0, 0, 0, 0), numbers))
  do.call(on.exit, list(bquote(.(set)(.(old))), add = TRUE, after = FALSE), envir = frame)
}

# A run with "auto" in the smallest pieces, so that it does not depend on the speed of this machine where the run moves. Returns
# the name of the engine after each piece, and the sums.
in_small_pieces <- function(until = NULL) {
  core <- asNamespace("fireflip")
  options <- list(
    nsim = 30, seed = 3, first = 0, starts = NULL, start = 0, keep = FALSE, covariance = FALSE, histogram = FALSE, firings = 0,
    times = c(1, 800), observed = 1:2, method = "logarithmic_direct", threads = 2L, simd = 0L, until = until, tolerance = 0
  )
  pointer <- .Call(core$ffi_ssa_new, net, options)
  on.exit(.Call(core$ffi_release, pointer))
  engine <- list(name = "auto")
  engines <- character()
  repeat {
    state <- .Call(core$ffi_ssa_advance, pointer, 0)
    if (state$done == 1) break
    engine <- core$settle_ensemble(engine, core$ensemble_job(pointer), state, 1, options)
    engines <- c(engines, engine$name)
  }
  list(engines = unique(engines), tally = .Call(core$ffi_ssa_result, pointer)$tally)
}

test_that("\"auto\" moves a long run to GPUs, and the result is the same", {
  plain_session(fireflip.cuda_library = fake("nodriver"))
  eager()
  here <- in_small_pieces()
  expect_identical(here$engines, "cpu")
  plain_session(fireflip.cuda_library = fake("ssa"))
  there <- in_small_pieces()
  expect_identical(there$engines, c("starting", "cuda"))
  expect_identical(there$tally, here$tally)
  Sys.setenv(FAKE_SSA = "7 0 0 0 255 1") # no device starts
  expect_warning(there <- in_small_pieces(), "The processor is used instead of a GPU", class = "fireflip_warning_backend")
  expect_identical(there$engines, c("starting", "cpu"))
  expect_identical(there$tally, here$tally)
  Sys.setenv(FAKE_SSA = "0 0 0 0 0 0 1") # no kernel can do it
  expect_silent(there <- in_small_pieces())
  expect_identical(there, list(engines = c("starting", "cpu"), tally = here$tally))
  expect_identical(in_small_pieces(until = "A > 1e9")$engines, "cpu")
  Sys.setenv(FAKE_SSA = "")
  long <- function(backend) simulated(backend, method = "logarithmic_direct", nsim = 30, times = c(1, 8000))
  expect_identical(long("auto"), long("cpu"))
})

test_that("with \"auto\", a run whose last GPU fails begins anew on the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  eager()
  long <- function(backend) simulated(backend, method = "logarithmic_direct", nsim = 40, times = c(1, 1e4)) # many pieces
  Sys.setenv(FAKE_SSA = "7 4 9 1")
  expect_warning(there <- long("auto"), "The processor is used instead of a GPU.*on fire", class = "fireflip_warning_backend")
  expect_identical(there, long("cpu"))
  design <- data.frame(k = 5:16)
  sweep <- function(backend) sweep_parameters(net, design, 4, times = c(1, 1e4), seed = 1, backend = backend, threads = 2)
  expect_warning(there <- sweep("auto"), "on fire", class = "fireflip_warning_backend")
  expect_identical(there, sweep("cpu"))
})

test_that("a run is worth moving if it would take long and has many trajectories", {
  worth <- function(complete, waiting, seconds) {
    state <- list(complete = complete, waiting = waiting)
    fireflip:::is_worth_moving(state, seconds, list(nsim = 1e6, threads = 2))
  }
  expect_true(worth(1e3, 9e5, 1))
  expect_false(worth(5e5, 4e5, 1))
  expect_false(worth(10, 100, 1))
  expect_true(worth(0, 1e6 - 32, 1))
})
