# Petri nets on GPUs, without a GPU: the devices of a fake backend take the nets for which code can be generated, and are this
# processor. test-cuda-petri.R has the tests for a machine with a GPU.

net <- petri_net(
  "off <-> on" = c(1.5, 2.5), "0 -> protein" = flow("k * on"), "protein -> 0" = flow(1),
  burst = transition("0 -> 3 n", rate = "2 * protein"), "n -> 0" = 1,
  initial = c(off = 1), continuous = "protein", parameters = c(k = 1),
  variables = c(all = "n + protein", late = "protein + time")
)

simulated <- function(backend, ..., nsim = 60, times = c(0, 0.5, 1)) {
  simulate(net, nsim, 3, times = times, backend = backend, threads = 2, ...)
}

# What `...` gives on the processor and on the fake devices. `how` is FAKE_PETRI of tests/c/fake_backend.c.
expect_same_ensemble <- function(..., how = "") {
  Sys.setenv(FAKE_PETRI = how)
  expect_same_run(function(backend) simulated(backend, ...))
}

test_that("GPUs give a net's results of the processor, for every output", {
  plain_session(fireflip.cuda_library = fake("petri"))
  half <- simulated("cpu", times = 0.5, output = "final")
  part <- simulated("cpu", times = 0.5, output = "final", shard = c(2, 3))
  for (how in c("", "7 4")) { # waves of 7 trajectories, of which one in four is refused
    same <- function(...) expect_same_ensemble(how = how, ...)
    there <- same()
    same(covariance = TRUE, observe = c("protein", "n"))
    same(quantiles = c(0.1, 0.5), observe = c("all", "n"))
    same(output = "histogram", observe = c("n", "protein"))
    same(output = "trajectories", observe = c("late", "on"))
    same(output = "final")
    expect_gt(nrow(same(output = "events")), 100)
    same(output = "events", shard = c(2, 3))
    same(shard = c(2, 3), output = "trajectories")
    same(initial = c(protein = 0.7, n = 4), parameters = c(k = 2))
    for (output in c("summary", "final", "trajectories", "events")) same(output = output, initial = half, times = c(0.5, 1))
    same(initial = part, nsim = 20, times = c(0.75, 1), output = "trajectories")
  }
  expect_identical(summary(there)$device$kernel, "fake")
  expect_identical(summary(there)$device$refused, 15) # of 60, one in four
  parts <- lapply(1:3, function(i) simulated(if (i == 2) "cpu" else "cuda", shard = c(i, 3)))
  expect_identical(do.call(c, parts), simulated("cpu"))
})

# A row of genes whose flows have different rates: if there are more than eight, no kernel simulates them by windows.
genes_unlike <- function(n) {
  petri_net(
    "off[x] <-> on[x]" = c(1.5, 2.5), "0 -> protein[x]" = flow("x * on[x]"), "protein[x] -> 0" = flow(1),
    spread = transition("protein[x] -> protein[y]", flow = mass_action(0.5), guard = "abs(x - y) == 1"),
    colours = list(Cell = seq_len(n)), indices = c(x = "Cell", y = "Cell"), places = c(off = "Cell", on = "Cell", protein = "Cell"),
    continuous = "protein", initial = c(off = 1)
  )
}

test_that("GPUs give the processor's results of tissues, by windows", {
  plain_session(fireflip.cuda_library = fake("petri"))
  tissue <- row_of_genes(6)
  for (output in c("summary", "trajectories", "final", "histogram")) {
    run <- function(backend) {
      simulate(tissue, 5, 2, times = c(0, 0.5, 1), method = "windows", output = output, backend = backend, observe = "protein[3]")
    }
    there <- expect_same_run(run)
  }
  half <- simulate(tissue, 5, 2, times = 0.5, method = "windows", output = "final")
  expect_same_run(function(backend) {
    simulate(tissue, 5, 2, times = 1, method = "windows", initial = half, output = "final", backend = backend)
  })
  unlike <- function(n, backend) simulate(genes_unlike(n), 5, 2, times = 1, method = "windows", backend = backend)
  expect_same_run(function(backend) unlike(8, backend))
  refused <- expect_error(unlike(9, "cuda"), class = "fireflip_error_unsupported")
  expect_match(conditionMessage(refused), "more than 8 kinds of parts with different transitions; this net has at least 9",
    fixed = TRUE)
})

test_that("GPUs simulate settings of a sweep of nets together", {
  plain_session(fireflip.cuda_library = fake("petri"))
  design <- expand.grid(k = c(0.5, 1, 2), protein = c(0, 5), off = 1:3)
  replace_in_package(list(run_ensemble = function(...) stop("a setting is alone")))
  for (how in c("", "45 4")) { # waves of two settings, where one trajectory in four is refused
    Sys.setenv(FAKE_PETRI = how)
    for (output in c("summary", "trajectories", "final", "histogram")) {
      for (common in c(FALSE, TRUE)) {
        sweep <- function(backend) {
          sweep_parameters(net, design, 20, times = c(0.5, 1), seed = 1, backend = backend, output = output,
            observe = c("on", "all"), common = common)
        }
        there <- sweep("cuda")
        expect_identical(there, sweep("cpu"))
        expect_identical(backend_of(there), "cuda")
      }
    }
  }
  expect_identical(summary(there)$device$refused, 5) # of the first setting's 20
})

test_that("settings that GPUs cannot simulate together are simulated one after the other", {
  plain_session(fireflip.cuda_library = fake("petri"))
  Sys.setenv(FAKE_PETRI = "19") # fewer trajectories than a setting has
  sweep <- function(backend, ...) {
    sweep_parameters(net, data.frame(k = c(0.5, 2, 3)), 20, times = 1, seed = 1, backend = backend, ...)
  }
  there <- sweep("cuda")
  expect_identical(there, sweep("cpu"))
  expect_identical(backend_of(there), "cuda")
  Sys.setenv(FAKE_PETRI = "")
  by_windows <- function(backend) {
    sweep_parameters(row_of_genes(3), data.frame(protein = c(0, 2)), 5, times = 1, seed = 1, method = "windows",
      backend = backend, observe = "on[1]")
  }
  there <- by_windows("cuda")
  expect_identical(there, by_windows("cpu"))
  expect_identical(backend_of(there), "cuda")
})

test_that("what no GPU can do is an error with the reason, or is done by the processor, which is told once", {
  # arguments, the reason, and whether the core knows it before a GPU is asked for
  levels <- "no kernel simulates nets with conditions on levels or the time that end trajectories yet"
  until <- list(list(until = "protein > 3"), levels, FALSE)
  late <- list(list(until = "n > 3 & time > 0.05"), levels, FALSE)
  windows <- list(
    list(method = "windows", output = "events"), "no kernel lists firings of nets that are simulated by windows yet", TRUE
  )
  paper <- list(list(method = "paper"), "no kernel simulates nets with method = \"paper\" yet", FALSE)
  stiff <- list(list(integrator = "cvode"), "no kernel simulates nets with integrator = \"cvode\" yet", FALSE)
  for (one in list(until, late, paper, stiff, windows)) {
    run <- function(backend) {
      model <- if (identical(one, windows)) petri_model("calcium", nx = 2, ny = 2) else net
      do.call(simulate, c(list(model, 20, 1, times = 0.1, backend = backend), one[[1L]]))
    }
    plain_session(fireflip.cuda_library = fake("petri"))
    here <- run("cpu")
    refused <- expect_error(run("cuda"), class = "fireflip_error_unsupported")
    expect_match(conditionMessage(refused), paste("no GPU can do this run; the processor gives the same results"), fixed = TRUE)
    expect_match(conditionMessage(refused), paste("Reason:", one[[2L]]), fixed = TRUE)
    options(fireflip.backend = "cuda") # of the session, not of the call
    forget_told_methods()
    told <- paste("The processor simulates this ensemble:", one[[2L]])
    expect_message(there <- run("auto"), told, fixed = TRUE, class = "fireflip_message_method")
    expect_silent(again <- run("auto"))
    expect_identical(list(there, again), list(here, here))
    expect_identical(backend_of(there), "cpu")
    plain_session(fireflip.cuda_library = "/nowhere.so")
    lacks <- if (one[[3L]]) "unsupported" else "backend"
    expect_error(run("cuda"), class = paste0("fireflip_error_", lacks))
    expect_silent(run("auto"))
  }
})

test_that("a net for which no code can be generated is an error with the reason, in simulate() and in a sweep", {
  plain_session(fireflip.cuda_library = fake("petri"))
  nets <- refused_nets()
  forget_told_methods()
  for (i in seq_along(nets)) {
    why <- sprintf("no kernel simulates nets with %s yet", names(nets)[[i]])
    run <- function(backend) simulate(nets[[i]], 20, 1, times = 1, backend = backend)
    sweep <- function(backend) sweep_parameters(nets[[i]], data.frame(A = 1:3), 5, times = 1, seed = 1, backend = backend)
    for (way in list(run, sweep)) {
      options(fireflip.backend = NULL)
      expect_error(way("cuda"), paste0("Reason: ", why, "."), fixed = TRUE, class = "fireflip_error_unsupported")
      options(fireflip.backend = "cuda")
      told <- duplicated(names(nets))[[i]] || identical(way, sweep)
      if (told) expect_silent(there <- way("auto")) else {
        expect_message(there <- way("auto"), why, fixed = TRUE, class = "fireflip_message_method")
      }
      expect_identical(there, way("cpu"))
    }
  }
  long <- petri_net("0 -> A" = 1, "A -> 0" = "1 + x * exp(-time)", "0 -> x" = flow(1), initial = c(A = 1), continuous = "x")
  start <- simulate(long, 20, 1, times = 1, output = "final", backend = "cpu")
  run <- function(backend, initial) simulate(long, initial = initial, seed = 2, times = 2, backend = backend)
  options(fireflip.backend = NULL)
  expect_error(
    run("cuda", start), "Reason: rates depend on the time, and no kernel begins at another time than 0 yet.", fixed = TRUE,
    class = "fireflip_error_unsupported"
  )
  start$time <- 0
  expect_identical(run("cuda", start), run("cpu", start))
  clocks <- petri_net("0 -> A" = 1, then = transition("A -> 0", at = c(0.5, 0.5)), "0 -> x" = flow(1), continuous = "x")
  start <- simulate(clocks, 20, 1, times = 1, output = "final", backend = "cpu")
  run <- function(backend) simulate(clocks, initial = start, seed = 2, times = 2, backend = backend)
  expect_error(
    run("cuda"), "Reason: some transitions have clocks, and no kernel begins at another time than 0 yet.", fixed = TRUE,
    class = "fireflip_error_unsupported"
  )
  start$time <- 0
  expect_identical(run("cuda"), run("cpu"))
})

test_that("GPUs simulate nets with immediate transitions, clocks and crossings, which settings of a sweep may change", {
  plain_session(fireflip.cuda_library = fake("petri"))
  clocks <- petri_net(
    "0 -> A" = 2, more = transition("0 -> A", rate = "ifelse(x > 0.5, 3, 0.1)"),
    now = transition("2 A -> B", weight = 1), late = transition("B -> C", delay = "d"),
    then = transition("C -> 0", at = c(0.5, 0.5)), "0 -> x" = flow("C"), "x -> 0" = flow(1), parameters = c(d = 0.3),
    continuous = "x"
  )
  for (output in c("summary", "trajectories", "events")) {
    run <- function(backend) simulate(clocks, 30, 1, times = c(0, 1, 2.5), output = output, backend = backend)
    expect_identical(run("cuda"), run("cpu"))
    expect_identical(backend_of(run("cuda")), "cuda")
  }
  sweep <- function(backend) sweep_parameters(clocks, data.frame(d = c(0, 0.5)), 20, times = 3, seed = 1, backend = backend)
  expect_identical(sweep("cuda"), sweep("cpu"))
  expect_identical(backend_of(sweep("cuda")), "cuda")
  sweep <- function(backend) {
    sweep_parameters(net, data.frame(k = c(0.5, 2, 3)), 20, times = 1, seed = 1, until = "n > 3", backend = backend)
  }
  expect_identical(sweep("cuda"), sweep("cpu"))
  expect_identical(backend_of(sweep("cuda")), "cuda")
})

test_that("a flow whose weight is a formula of parameters is as safe as one whose weight is a number", {
  plain_session(fireflip.cuda_library = fake("petri"))
  for (name in c("gene", "hill", "growth", "calcium")) { # the weights of calcium are 1 and 1 / c1
    run <- function(backend) simulate(petri_model(name), 20, 1, times = c(0.1, 0.5), backend = backend)
    expect_identical(run("cuda"), run("cpu"))
  }
  weight <- transition("(1 / c) x -> y", flow = "k * x")
  pump <- function(...) petri_net("A -> B" = 1, weight, ..., continuous = c("x", "y"), initial = c(A = 3, x = 1),
    parameters = c(c = 0.3, k = 2))
  run <- function(net, c) simulate(net, 20, 1, times = 1, parameters = c(c = c), backend = "cuda", output = "final")
  expect_equal(run(pump(), 0.3)$x, rep(exp(-2 / 0.3), 20), tolerance = 1e-5)
  expect_equal(run(pump(), 2)$x, rep(exp(-1), 20), tolerance = 1e-5)
})

test_that("conditions on counts end trajectories on GPUs, those on levels need the processor", {
  plain_session(fireflip.cuda_library = fake("petri"))
  for (how in c("", "7 4")) for (output in c("summary", "trajectories", "final", "events", "histogram")) {
    expect_same_ensemble(until = "n + on > 3", output = output, observe = if (output != "events") c("all", "n"), how = how)
  }
  passage <- function(backend, condition) first_passage(net, condition, 30, end = 1, seed = 1, backend = backend)
  there <- passage("cuda", "n > 3")
  expect_identical(there, passage("cpu", "n > 3"))
  expect_gt(sum(!is.na(there$time)), 5)
  expect_error(passage("cuda", "all > 3"), "on levels or the time", class = "fireflip_error_unsupported")
  options(fireflip.backend = "cuda")
  forget_told_methods()
  expect_message(there <- passage("auto", "all > 3"), "on levels or the time", class = "fireflip_message_method")
  expect_identical(there, passage("cpu", "all > 3"))
})

test_that("a larger net runs as data or is refused with its size, and one without flows is a reaction network", {
  plain_session(fireflip.cuda_library = fake("petri"))
  larger <- function(backend) simulate(row_of_genes(17), 5, 1, times = 0.1, backend = backend)
  expect_identical(larger("cuda"), larger("cpu"))
  implicit <- function(backend) simulate(row_of_genes(17), 5, 1, times = 0.1, integrator = "rosenbrock", backend = backend)
  expect_identical(implicit("cuda"), implicit("cpu"))
  many <- expect_error(
    simulate(row_of_genes(513), 5, 1, times = 0.1, method = "exact", integrator = "rosenbrock", backend = "cuda"),
    class = "fireflip_error_unsupported"
  )
  told <- "as data: the net has 513 continuous places that flows change, and implicit steps; expected at most 512"
  expect_match(conditionMessage(many), told, fixed = TRUE)
  nested <- paste0(strrep("sqrt(1 + ", 40), "x", strrep(")", 40))
  deep <- petri_net("0 -> A" = 1, "0 -> x" = flow(nested), initial = c(A = 1), continuous = "x")
  refused <- expect_error(simulate(deep, 5, 1, times = 0.1, backend = "cuda"), class = "fireflip_error_unsupported")
  told <- "the net has 41 operands that a formula keeps; expected at most 32"
  expect_match(conditionMessage(refused), paste("Reason: no generated code:", told), fixed = TRUE)
  expect_match(conditionMessage(refused), paste("too large as data:", told), fixed = TRUE)
  counted <- petri_net("0 -> A" = 2, "A -> 0" = 1, initial = c(A = 1))
  run <- function(backend, ...) simulate(counted, 20, 1, times = 1, backend = backend, ...)
  expect_identical(run("cuda", method = "exact"), run("cpu", method = "exact"))
  plain_session(fireflip.cuda_library = fake("ssa"))
  expect_identical(run("cuda"), run("cpu"))
  expect_identical(backend_of(run("cuda")), "cuda")
})

# A run with "auto" in the smallest pieces, so that it does not depend on the speed of this machine where the run moves: the name
# of the engine after each piece, and the tally. `after` is the time in seconds that the first piece seems to have taken.
in_small_pieces <- function(model, after, nsim = 1000, method = "exact") {
  core <- asNamespace("fireflip")
  plan <- core$petri_plan(model, nsim, 3, times = c(1, 50), method = method, observe = NULL, output = "summary", threads = 2L,
    backend = "auto")
  pointer <- .Call(core$ffi_petri_new, plan$model, plan$options)
  on.exit(.Call(core$ffi_release, pointer))
  engine <- list(name = "auto")
  engines <- character()
  repeat {
    state <- .Call(core$ffi_ensemble_advance, pointer, 0)
    if (state$done == 1) break
    engine <- core$settle_ensemble(engine, core$ensemble_job(pointer, core$petri_engine), state, after, plan$options)
    engines <- c(engines, engine$name)
  }
  list(engines = unique(engines), tally = .Call(core$ffi_ensemble_result, pointer)$tally)
}

test_that("with \"auto\", a long ensemble of a net moves to GPUs, a short one does not, and a refused one says why", {
  plain_session(fireflip.cuda_library = fake("nodriver"))
  here <- in_small_pieces(net, 10)
  expect_identical(here$engines, "cpu")
  plain_session(fireflip.cuda_library = fake("petri"))
  expect_identical(in_small_pieces(net, 10), list(engines = c("starting", "cuda"), tally = here$tally))
  expect_identical(in_small_pieces(net, 1e-6), list(engines = "auto", tally = here$tally)) # nothing to gain
  few <- in_small_pieces(net, 1e6, nsim = 150) # too few trajectories for a GPU
  expect_identical(few$engines, "auto")
  forget_told_methods()
  odd <- refused_nets()[[1L]]
  expect_message(there <- in_small_pieces(odd, 10), "processor.*events", class = "fireflip_message_method")
  expect_identical(there$engines, c("starting", "cpu"))
  expect_silent(again <- in_small_pieces(odd, 10))
  expect_identical(again, there)
})

test_that("with \"auto\", one trajectory of a tissue begins anew on a GPU if it takes long, and only if GPUs share it", {
  replace_in_package(list(gpu_start_seconds = 0, gpu_gain_seconds = 0, piece_seconds = 0))
  net <- row_of_genes(40)
  run <- function(backend, method = "windows", nsim = 1) {
    simulate(
      net, nsim, 2, times = c(0, 1, 2), method = method, backend = backend, observe = c("protein[3]", "on[40]"), threads = 1
    )
  }
  plain_session(fireflip.cuda_library = fake("nodriver"))
  expect_silent(here <- run("auto"))
  expect_identical(backend_of(here), "cpu")
  plain_session(fireflip.cuda_library = fake("petri"))
  there <- run("auto")
  expect_identical(there, here)
  expect_identical(backend_of(there), "cuda")
  expect_identical(backend_of(run("auto", method = "exact")), "cpu")
  expect_identical(several <- run("auto", nsim = 4), run("cpu", nsim = 4))
  expect_match(backend_of(several), "cuda")
  replace_in_package(list(gpu_gain_seconds = 3600)) # the rest takes less
  expect_identical(backend_of(run("auto")), "cpu")
  replace_in_package(list(gpu_gain_seconds = 0))
  forget_told_methods()
  unlike <- function(backend) simulate(genes_unlike(9), 1, 2, times = 1, method = "windows", backend = backend, threads = 1)
  expect_message(there <- unlike("auto"), "different transitions", class = "fireflip_message_method")
  expect_identical(there, unlike("cpu"))
})

test_that("a run begins anew on a GPU if its rest would take long, by the time that its trajectories have covered", {
  rest <- function(underway, seconds, nsim = 1) {
    fireflip:::is_worth_beginning_anew(list(underway = underway), seconds, list(nsim = nsim))
  }
  expect_true(rest(0.1, 1)) # 9 seconds
  expect_false(rest(0.2, 1)) # 4
  expect_true(rest(0.2, 1, nsim = 2)) # 9
  expect_false(rest(0.9, 40)) # 4.4
  expect_false(rest(0, 4))
  expect_true(rest(0, 5))
})

test_that("with \"auto\", a run is made anew only for a GPU, and goes on without it if there is no memory for two", {
  made <- 0
  engine <- fireflip:::petri_engine
  counting <- replace(engine, "new", list(function(...) {
    made <<- made + 1
    if (made == 2) fireflip:::abort("memory", "no memory for the net")
    engine$new(...)
  }))
  replace_in_package(list(gpu_start_seconds = 0, gpu_gain_seconds = 0, piece_seconds = 0, petri_engine = counting))
  run <- function(backend) simulate(row_of_genes(40), 1, 2, times = 2, method = "windows", backend = backend, threads = 1)
  plain_session(fireflip.cuda_library = fake("nodriver"))
  expect_silent(here <- run("auto"))
  expect_equal(made, 1)
  made <- 0
  plain_session(fireflip.cuda_library = fake("petri"))
  expect_warning(there <- run("auto"), "no memory for the net", class = "fireflip_warning_backend")
  expect_equal(made, 2)
  expect_identical(there, here)
  made <- 2 # trajectories that have not begun do not move without those that have
  several <- simulate(row_of_genes(40), 6, 2, times = 2, method = "windows", threads = 1)
  expect_equal(made, 4)
  expect_identical(backend_of(several), "cuda")
})

test_that("with \"auto\", few trajectories of many settings move to GPUs, or are one run on the processor", {
  plain_session(fireflip.cuda_library = fake("petri"))
  replace_in_package(list(gpu_start_seconds = 0, gpu_gain_seconds = 0, gpu_least_trajectories = 20, piece_seconds = 0))
  replace_in_package(list(run_ensemble = function(...) stop("a setting is alone")))
  sweep <- function(net, backend) {
    sweep_parameters(net, data.frame(A = 1:60), 15, times = c(1, 10), seed = 1, backend = backend, threads = 1)
  }
  can <- petri_net("A -> 0" = 0.01, "0 -> A" = 20, "0 -> x" = flow(1), "x -> 0" = flow("x"), continuous = "x")
  cannot <- refused_nets()[[1L]]
  expect_identical(there <- sweep(can, "auto"), sweep(can, "cpu"))
  expect_match(backend_of(there), "cuda") # some settings had begun on the processor
  expect_silent(there <- sweep(cannot, "auto"))
  expect_identical(there, sweep(cannot, "cpu"))
  expect_identical(backend_of(there), "cpu")
})

test_that("with \"auto\", many settings are one run", {
  core <- asNamespace("fireflip")
  at_once <- function(nsim, settings, backend = "auto", model = net) {
    core$settings_at_once(model, settings, list(nsim = nsim, threads = 2L), backend)
  }
  plain_session(fireflip.cuda_library = fake("petri"))
  expect_identical(at_once(1000, 20), 1) # each may move by itself
  expect_gt(at_once(1000, 100), 1)
  expect_gt(at_once(1000, 100, "cpu"), 1)
  expect_gt(at_once(100, 100), 1)
  # as many nets as fit in memory, each of which is unfolded
  expect_identical(at_once(20, 2000, "cpu"), 1000)
  expect_lt(at_once(20, 2000, "cpu", petri_model("calcium", nx = 20, ny = 20)), 20)
  expect_identical(at_once(20, 2000, "cpu", petri_model("calcium", nx = 100, ny = 60)), 1)
})
