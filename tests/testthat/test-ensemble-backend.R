# Ensembles of reaction networks on GPUs, without a GPU: the devices of a fake backend are this processor. test-cuda-reactions.R
# has the tests for a machine with a GPU, and test-petri-backend.R those of nets.

net <- reaction_network(
  "0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A -> B" = 0.05, "B -> 2 A" = 0.5, parameters = c(k = 10),
  initial = c(A = 8, B = 2), variables = c(all = "A + 2 * B", ratio = "A / (1 + B)", late = "A + time")
)

simulated <- function(backend, ..., nsim = 60, times = c(0, 0.5, 1)) {
  simulate(net, nsim, 3, times = times, backend = backend, threads = 2, ...)
}

# What `...` gives on the processor and on the fake devices. `how` is FAKE_SSA of tests/c/fake_backend.c.
expect_same_ensemble <- function(..., how = "") {
  Sys.setenv(FAKE_SSA = how)
  expect_same_run(function(backend) simulated(backend, ...))
}

# The value of `call`, without warnings of lost GPUs.
quietly <- function(call) {
  withCallingHandlers(call, fireflip_warning_backend = function(w) invokeRestart("muffleWarning"))
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
  expect_gt(got$device$gpus, 1)
  expect_identical(got$device$refused, 15) # of 60, one in four
  expect_output(
    print(got), "backend +cuda, [0-9]+ GPUs \\(there is no other.*simulated 15 of the trajectories, which a GPU cannot"
  )
  expect_null(summary(simulated("cpu"))$device)
  expect_no_match(capture.output(summary(simulated("cpu"))), "backend")
  sweep <- function(backend) sweep_parameters(net, data.frame(k = c(1, 5)), 20, times = 1, seed = 1, backend = backend)
  expect_identical(sweep("cuda"), sweep("cpu"))
  expect_identical(summary(sweep("cuda"))$backend, "cuda")
  # what no run can do is no refusal of GPUs
  wrong <- function(backend) {
    error <- tryCatch(sweep_parameters(
      net, data.frame(k = c(1, 5)), 20, times = 1, seed = 1, backend = backend, method = "factored", until = "A > 3",
      output = "histogram", observe = "B"
    ), error = identity)
    c(class(error), conditionMessage(error))
  }
  expect_match(wrong("cpu")[[length(wrong("cpu"))]], "does not simulate one firing after the other")
  expect_identical(wrong("cuda"), wrong("cpu"))
})

test_that("GPUs check conditions, list firings and continue trajectories as the processor does", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  half <- simulated("cpu", times = 0.5, output = "final")
  part <- simulated("cpu", times = 0.5, output = "final", shard = c(2, 3))
  until <- "A + 2 * B > 14 & ratio < 9"
  for (method in setdiff(gpu_methods(), "factored")) { # "factored" does not simulate one firing after the other
    for (how in c("", "7 4")) {
      same <- function(...) expect_same_ensemble(method = method, how = how, ...)
      for (output in c("summary", "histogram", "trajectories", "final")) {
        stopped <- attr(same(output = output, until = until), "run")$n_stopped
        expect_true(stopped > 10 && stopped < 50)
      }
      same(until = until, observe = c("ratio", "A"), quantiles = 0.5)
      ended <- same(until = until, observe = c("late", "A"), output = "final")
      expect_identical(ended$late, ended$A + ended$time)
      expect_gt(nrow(same(output = "events")), 500)
      same(output = "events", until = until, shard = c(2, 3))
      for (output in c("summary", "final", "trajectories", "events")) same(output = output, initial = half, times = c(0.5, 1))
      same(initial = part, nsim = 20, times = c(0.75, 1), output = "trajectories")
      expect_gt(min(same(initial = half, times = 1, until = until, output = "final")$time), 0.5 - 1e-12)
      same(initial = half, times = c(0.5, 1), until = until, output = "events")
    }
  }
})

test_that("times of first passage are the same on GPUs", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  passage <- function(backend, ...) first_passage(net, "A >= 12", 60, end = 1, seed = 3, backend = backend, ...)
  for (how in c("", "7 4")) {
    Sys.setenv(FAKE_SSA = how)
    here <- passage("cpu", threads = 2)
    there <- passage("cuda", threads = 2)
    expect_identical(there, here)
    expect_true(any(there$censored) && any(there$time > 0 & !there$censored))
    expect_identical(c(passage("cuda", shard = c(2, 2)), passage("cpu", shard = c(1, 2))), here)
    few <- c(A = 2)
    expect_identical(passage("cuda", initial = few, method = "rssa"), passage("cpu", initial = few, method = "rssa"))
  }
  expect_identical(c(backend_of(there), backend_of(here)), c("cuda", "cpu"))
  expect_identical(summary(there)$backend, "cuda")
  expect_identical(summary(there)$device$kernel, "fake")
  expect_output(print(summary(there)), "backend +cuda, [0-9]+ GPUs \\(there is no other")
  expect_null(summary(here)$device)
  expect_no_match(capture.output(summary(here)), "backend")
  expect_identical(summary(passage("auto"))$backend, "cpu")
  options(fireflip.backend = "cuda")
  expect_identical(summary(passage("auto"))$backend, "cuda")
  expect_identical(summary(passage("cpu"))$backend, "cpu")
  expect_error(passage("gpu"), "did you mean \"cuda\"", class = "fireflip_error_argument")
})

test_that("sweeps with a condition share GPUs", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  design <- expand.grid(k = c(2, 10, 30), B = c(2, 5))
  for (how in c("", "50 4", "50 4 9")) {
    for (method in c("direct", "pssa_cr", "optimised_direct")) {
      for (output in c("summary", "histogram", "final")) {
        sweep <- function(backend) {
          sweep_parameters(net, design, 20, times = c(0.5, 1), seed = 1, until = "A > k", observe = "A", output = output,
            method = method, backend = backend)
        }
        Sys.setenv(FAKE_SSA = how)
        here <- sweep("cpu")
        there <- if (how == "50 4 9") quietly(sweep("cuda")) else sweep("cuda")
        expect_identical(there, here)
        expect_identical(summary(there)$backend, "cuda")
        expect_gt(length(unique(summary(there)$n_stopped)), 2)
      }
    }
  }
})

# A rate that depends on the time, and an event whose condition depends on the state.
clocks <- list(
  reaction_network("A -> 0" = "A * time", initial = c(A = 5)),
  reaction_network("A -> 0" = 1, initial = c(A = 5), events = list(event("A < 3", set = c(A = 9))))
)

test_that("networks with events, and with rates that depend on the time, go to GPUs", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  for (net in clocks) {
    from <- simulate(net, 30, seed = 2, times = 0.3, output = "final")
    from$time <- 0 # such a network cannot go on at another time
    runs <- list(
      list(), list(until = "A == 3"), list(output = "events"), list(until = "A > 5", output = "events"),
      list(initial = from, output = "trajectories")
    )
    for (method in c("direct", "first_reaction")) {
      for (more in runs) {
        run <- function(backend) {
          do.call(simulate, c(list(net, 30, seed = 1, times = c(0.5, 2), method = method, backend = backend), more))
        }
        there <- run("cuda")
        expect_identical(there, run("cpu"))
        expect_identical(backend_of(there), "cuda")
      }
    }
  }
})

test_that("if a GPU fails, the others do its share; if the last one fails, this is an error", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  expect_warning(expect_same_ensemble(how = "7 4 9"), "GPU failed.*on fire", class = "fireflip_warning_backend")
  expect_warning(expect_same_ensemble(how = "7 4 0 0 1 1"), "GPU 0: the code does not load", class = "fireflip_warning_backend")
  Sys.setenv(FAKE_SSA = "7 4 9 1")
  expect_error(simulated("cuda"), "on fire", class = "fireflip_error_backend")
  expect_error(simulated("cuda", output = "events"), "on fire", class = "fireflip_error_backend")
})

test_that("a GPU may fail at any time while trajectories have conditions, lists of firings or starts of their own", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  half <- simulated("cpu", times = 0.5, output = "final")
  runs <- list(
    list(until = "A > 10", output = "final"), list(until = "A > 10", times = 1), list(output = "events"),
    list(output = "events", until = "A > 10", initial = half, times = 1), list(initial = half, times = c(0.5, 1))
  )
  for (run in runs) {
    here <- do.call(simulated, c("cpu", run))
    for (call in 1:40) { # a run has some 50 calls of the devices, and the one with this number fails
      Sys.setenv(FAKE_SSA = paste("7 4", call))
      expect_warning(there <- do.call(simulated, c("cuda", run)), "on fire", class = "fireflip_warning_backend")
      expect_identical(there, here)
    }
  }
})

test_that("too many firings are the error of the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  most <- most_events
  on.exit(utils::assignInNamespace("most_events", most, "fireflip"), add = TRUE)
  keep_at_most <- function(n) utils::assignInNamespace("most_events", function() n, "fireflip")
  said <- function(backend, ...) {
    tryCatch(simulated(backend, output = "events", ...), fireflip_error_size = conditionMessage)
  }
  all <- nrow(simulated("cpu", output = "events"))
  for (how in c("", "7 4", "7")) {
    Sys.setenv(FAKE_SSA = how)
    for (n in c(100, all - 1)) {
      keep_at_most(n)
      expect_match(said("cpu"), sprintf("more than %d firings, which are too many to keep", n))
      expect_identical(said("cuda"), said("cpu"))
    }
    keep_at_most(all)
    expect_identical(said("cuda"), said("cpu"))
    expect_s3_class(said("cuda"), "reaction_events")
  }
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

test_that("a method without a kernel is an error that names those with one, or is done by the processor, which is told once", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  without <- c("composition_rejection", "rssa_cr", "spdm")
  expect_identical(with(ssa_methods(), method[exact & !gpu]), without)
  forget_told_methods()
  for (method in without) {
    options(fireflip.backend = NULL)
    told <- sprintf(paste0(
      "GPUs have no kernel for method \"%s\"; choose \"direct\", \"logarithmic_direct\", \"first_reaction\", \"next_reaction\", ",
      "\"factored\", \"optimised_direct\", \"sorting_direct\", \"rssa\", \"pdm\", \"pssa_cr\" or \"block_search\"."
    ), method)
    runs <- list(list(), list(until = "A > 12"), list(output = "events"), list(output = "histogram", observe = "A"))
    for (run in runs) {
      run$method <- method
      refused <- expect_error(do.call(simulated, c("cuda", run)), class = "fireflip_error_unsupported")
      expect_match(conditionMessage(refused), paste("Reason:", told), fixed = TRUE)
    }
    options(fireflip.backend = "cuda")
    for (run in runs) {
      run$method <- method
      once <- if (length(run) == 1L) expect_message else function(x, ...) expect_silent(x)
      once(there <- do.call(simulated, c("auto", run)), told, fixed = TRUE, class = "fireflip_message_method")
      expect_identical(there, do.call(simulated, c("cpu", run)))
    }
    expect_silent(sweep_parameters(net, data.frame(k = 1:2), 5, times = 1, seed = 1, method = method))
  }
})

test_that("what no GPU can do is an error with the reason, or is done by the processor if the session asks for a GPU", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  refused <- function(model, ..., times = 1) simulate(model, 5, seed = 1, times = times, backend = "cuda", ...)
  many <- simulate(net, 5, seed = 1, times = 0, output = "final", initial = c(B = 2^31))
  expect_snapshot(error = TRUE, {
    refused(net, method = "tau_leaping")
    refused(net, initial = c(A = 2^30))
    refused(net, initial = many)
    refused(net, output = "events", initial = c(A = 2^30))
    first_passage(net, "A > 20", 5, end = 1, initial = c(A = 2^30), backend = "cuda")
  })
  Sys.setenv(FAKE_SSA = "0 0 0 0 0 0 1")
  expect_error(refused(net), "Reason: this network is too odd.", class = "fireflip_error_unsupported")
  options(fireflip.backend = "cuda")
  expect_identical(summary(simulated("auto"))$backend, "cpu")
  Sys.setenv(FAKE_SSA = "")
  expect_identical(summary(simulated("auto"))$backend, "cuda")
  expect_identical(summary(simulated("auto", until = "A > 20"))$backend, "cuda")
  forget_told_methods()
  expect_message(there <- simulated("auto", method = "tau_leaping"), "no kernel", class = "fireflip_message_method")
  expect_identical(summary(there)$backend, "cpu")
  large <- reaction_network("A -> 0" = 1e-12, initial = c(A = 2^30))
  expect_identical(summary(first_passage(large, "A < 5", 5, end = 3, seed = 1))$backend, "cpu")
})

test_that("a variable of a parameter that events set is not observed on GPUs, which record only counts", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  switched <- reaction_network(
    "A -> 0" = mass_action("k"), initial = c(A = 10), parameters = c(k = 1), variables = c(v = "A + k", w = "2 * A"),
    events = list(event("A < 8", set = c(k = 0.5)))
  )
  run <- function(backend, observe) simulate(switched, 20, 1, times = 0:2, observe = observe, backend = backend)
  sweep <- function(backend) {
    sweep_parameters(switched, data.frame(A = c(3, 10)), 20, times = 1, observe = "v", seed = 1, backend = backend)
  }
  told <- "depends on parameter \"k\", which an event sets, and GPUs record only counts"
  expect_error(run("cuda", c("A", "v")), told, class = "fireflip_error_unsupported")
  expect_error(sweep("cuda"), told, class = "fireflip_error_unsupported")
  expect_identical(run("cuda", c("w", "A")), run("cpu", c("w", "A")))
  here <- list(run("cpu", "v"), sweep("cpu"))
  options(fireflip.backend = "cuda")
  expect_identical(list(run("auto", "v"), sweep("auto")), here)
  expect_equal(min(here[[1L]]$min), min(run("cpu", "A")$min) + 0.5)
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
  replace_in_package(list(gpu_start_seconds = 0, gpu_gain_seconds = 0, gpu_least_trajectories = 0, piece_seconds = 0), frame)
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
    state <- .Call(core$ffi_ensemble_advance, pointer, 0)
    if (state$done == 1) break
    engine <- core$settle_ensemble(engine, core$ensemble_job(pointer, core$reaction_engine), state, 1, options)
    engines <- c(engines, engine$name)
  }
  list(engines = unique(engines), tally = .Call(core$ffi_ensemble_result, pointer)$tally)
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
  Sys.setenv(FAKE_SSA = "")
  there <- in_small_pieces(until = "A > 30")
  expect_identical(there$engines, c("starting", "cuda"))
  plain_session(fireflip.cuda_library = fake("nodriver"))
  expect_identical(in_small_pieces(until = "A > 30"), list(engines = "cpu", tally = there$tally))
  plain_session(fireflip.cuda_library = fake("ssa"))
  long <- function(backend) simulated(backend, method = "logarithmic_direct", nsim = 30, times = c(1, 8000))
  expect_identical(long("auto"), long("cpu"))
})

test_that("with \"auto\", a long run whose method has no kernel stays on the processor, and says so if there is a GPU", {
  plain_session(fireflip.cuda_library = fake("nodriver"))
  eager()
  long <- function(backend, method) simulated(backend, method = method, nsim = 30, times = c(1, 8000))
  forget_told_methods()
  expect_silent(here <- long("auto", "spdm"))
  plain_session(fireflip.cuda_library = fake("ssa"))
  expect_message(there <- long("auto", "spdm"), "processor.*no kernel for method \"spdm\"", class = "fireflip_message_method")
  expect_silent(again <- long("auto", "spdm"))
  expect_identical(list(there, again), list(here, long("cpu", "spdm")))
  expect_identical(summary(there)$backend, "cpu")
  expect_message(long("auto", "rssa_cr"), "no kernel for method \"rssa_cr\"", class = "fireflip_message_method")
  forget_told_methods()
  options(fireflip.devices = "no number") # such a run needs no GPU
  expect_silent(long("auto", "spdm"))
})

test_that("a method whose kernel cannot be compiled is an error, or is done by the processor, which is told once", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  Sys.setenv(FAKE_COMPILER = "this kernel needs the library libnvrtc")
  eager()
  run <- function(backend, method, last = 5) simulated(backend, method = method, nsim = 30, times = c(1, last))
  expect_error(run("cuda", "rssa"), "Reason: this kernel needs the library libnvrtc.", class = "fireflip_error_unsupported")
  expect_identical(summary(run("cuda", "logarithmic_direct"))$backend, "cuda")
  told <- "processor simulates this ensemble: this kernel needs the library libnvrtc"
  twice <- function(...) {
    forget_told_methods()
    expect_message(there <- run("auto", "rssa", ...), told, class = "fireflip_message_method")
    expect_silent(again <- run("auto", "rssa", ...))
    expect_identical(list(there, again), rep(list(run("cpu", "rssa", ...)), 2))
    expect_identical(summary(there)$backend, "cpu")
  }
  twice(8000)
  options(fireflip.backend = "cuda")
  twice()
})

test_that("with \"auto\", a run whose last GPU fails begins anew on the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  eager()
  long <- function(backend) simulated(backend, method = "logarithmic_direct", nsim = 40, times = c(1, 1e4)) # many pieces
  Sys.setenv(FAKE_SSA = "7 4 9 1")
  expect_warning(there <- long("auto"), "The processor is used instead of a GPU.*on fire", class = "fireflip_warning_backend")
  here <- long("cpu")
  expect_identical(there, here)
  design <- data.frame(k = 5:16)
  sweep <- function(backend) sweep_parameters(net, design, 4, times = c(1, 1e4), seed = 1, backend = backend, threads = 2)
  expect_warning(there <- sweep("auto"), "on fire", class = "fireflip_warning_backend")
  swept <- sweep("cpu")
  expect_identical(there, swept)
  Sys.setenv(FAKE_SSA = "7 4 9 1 0 0 0 1")
  expect_warning(there <- long("auto"), "the device is full", class = "fireflip_warning_backend")
  expect_identical(there, here)
  expect_warning(there <- sweep("auto"), "the device is full", class = "fireflip_warning_backend")
  expect_identical(there, swept)
  expect_error(long("cuda"), "the device is full", class = "fireflip_error_memory")
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
