# On a machine with a GPU: ensembles of small Petri nets have the processor's bits. `make gpu-check` runs these.
# test-petri-backend.R has the tests for a machine without a GPU.

# The same call on the processor and on GPUs. `...` are arguments of simulate().
expect_same_ensemble <- function(net, ...) expect_same_run(function(backend) simulate(net, ..., backend = backend))

# The example nets, and times up to which a trajectory has at most some thousand firings.
example_nets <- function() {
  list(
    gene = list(petri_model("gene"), 20), hill = list(petri_model("hill"), 10), growth = list(petri_model("growth"), 20),
    calcium = list(petri_model("calcium", nx = 1, ny = 1, channels = "stationary", seed = 1), 2)
  )
}

# Changes of flows by counts and by the time, quadratic and saturating rates, weights above 1 and by a formula, tests on counts,
# read arcs, resets, a fixed place and independent groups.
mixed_net <- function() {
  petri_net(
    "off <-> on" = c(1.5, 2.5), "0 -> mRNA" = flow("20 * on * (1 + 0.5 * sin(3 * time))"), "mRNA -> 0" = flow(2),
    "0 -> protein" = flow("3 * mRNA * catalyst / (1 + 0.01 * mRNA)"), "protein -> 0" = flow(1),
    burst = transition("0 -> 3 n", rate = "0.01 * protein^2 / (1 + protein)"), "n -> 0" = 1,
    pair = transition("2 n -> dimer", rate = "0.02 * n * (n - 1) * exp(-protein / 50)"),
    clear = transition("0 -> cleared", rate = "0.3 * sqrt(1 + protein)", test = "dimer >= 2", reset = "dimer"),
    raise = transition("0 -> (1 + n) mRNA", rate = 0.2), "a -> b" = 0.7, "b -> a" = "0.1 + 0.2 * b",
    initial = c(off = 1, mRNA = 0.1, catalyst = 0.8, a = 12), continuous = c("mRNA", "protein", "catalyst"),
    variables = c(all = "n + 2 * dimer", late = "protein + time")
  )
}

nets <- function() c(example_nets(), mixed = list(list(mixed_net(), 8)))

# Some names of each kind of place.
some_places <- function(net) utils::head(net$places$place, 6)

test_that("nets have the processor's results on a GPU, for every output", {
  skip_without_gpu()
  for (one in nets()) {
    net <- one[[1L]]
    times <- one[[2L]] * c(0, 0.3, 1)
    few <- some_places(net)
    same <- function(..., nsim = 500) expect_same_ensemble(net, nsim, seed = 7, times = times, ...)
    same()
    same(covariance = TRUE, observe = rev(few))
    same(quantiles = c(0.025, 0.5), observe = few)
    same(output = "histogram", observe = few)
    same(output = "final")
    same(output = "trajectories", observe = c(few, names(net$variables)))
    expect_gt(nrow(same(output = "events", nsim = 100)), 100)
    same(integrator = "dormand_prince", tolerance = 1e-8)
    same(tolerance = c(relative = 1e-4, absolute = 1e-6))
    same(nsim = 1)
    same(nsim = 20000, observe = few[[1L]])
  }
})

test_that("times that are recorded change nothing on a GPU", {
  skip_without_gpu()
  net <- mixed_net()
  some <- expect_same_ensemble(net, 300, seed = 2, times = c(0, 1.7, 4), output = "trajectories")
  more <- expect_same_ensemble(net, 300, seed = 2, times = seq(0, 4, 0.1), output = "trajectories")
  at <- more$time %in% c(0, 4)
  expect_identical(more$protein[at], some$protein[some$time %in% c(0, 4)])
  expect_same_ensemble(net, 300, seed = 2, times = seq(0, 4, 0.01))
})

test_that("markings, parameters and continued trajectories give the processor's results on a GPU", {
  skip_without_gpu()
  gene <- petri_model("gene")
  expect_same_ensemble(gene, 500, seed = 3, times = c(1, 5), initial = c(protein = 0.9, off = 0, on = 1))
  expect_same_ensemble(gene, 500, seed = 3, times = c(1, 5), parameters = c(k_on = 0.5, d = 2))
  for (one in example_nets()) { # no rate of these depends on the time
    net <- one[[1L]]
    end <- one[[2L]]
    half <- simulate(net, 500, seed = 5, times = end / 2, output = "final", backend = "cuda")
    for (output in c("summary", "trajectories", "final", "events")) {
      expect_same_ensemble(net, initial = half, seed = 6, times = end * c(0.6, 1), output = output)
    }
    part <- simulate(net, 500, seed = 5, times = end / 2, output = "final", shard = c(2, 3), backend = "cuda")
    expect_same_ensemble(net, initial = part, seed = 6, times = end * c(0.6, 1), output = "trajectories")
  }
  timed <- mixed_net()
  half <- simulate(timed, 100, seed = 5, times = 1, output = "final", backend = "cuda")
  again <- function() simulate(timed, initial = half, seed = 6, times = 2, backend = "cuda")
  expect_error(again(), "no kernel begins at another time than 0", class = "fireflip_error_unsupported")
  half$time <- 0
  expect_same_ensemble(timed, initial = half, seed = 6, times = c(0.5, 2))
})

test_that("tissues have the processor's results on a GPU, by windows", {
  skip_without_gpu()
  for (tissue in list(row_of_genes(9), petri_model("calcium", nx = 5, ny = 4))) {
    for (output in c("trajectories", "final")) {
      run <- function(backend) {
        simulate(tissue, 3, 2, times = c(0, 0.05, 0.1), method = "windows", output = output, backend = backend)
      }
      expect_identical(run("cuda"), run("cpu"))
    }
  }
})

test_that("sweeps of nets have the processor's results on a GPU", {
  skip_without_gpu()
  design <- expand.grid(k_on = c(0.5, 1.5), d = c(1, 3), protein = c(0, 0.5))
  for (output in c("summary", "trajectories", "final", "histogram")) {
    for (common in c(FALSE, TRUE)) {
      sweep <- function(backend) {
        sweep_parameters(petri_model("gene"), design, 50, times = c(0.5, 3), seed = 3, backend = backend, output = output,
          observe = "on", common = common)
      }
      there <- sweep("cuda")
      expect_identical(there, sweep("cpu"))
      expect_identical(backend_of(there), "cuda")
    }
  }
})

test_that("settings of a sweep share the code of a net on a GPU", {
  skip_without_gpu()
  replace_in_package(list(run_ensemble = function(...) stop("a setting is alone")))
  for (one in Filter(function(one) length(one[[1L]]$parameters) > 0L, example_nets())) {
    net <- one[[1L]]
    varied <- utils::head(names(net$parameters), 3)
    design <- as.data.frame(lapply(net$parameters[varied], function(value) value * c(0.83, 1.27, 2.11, 1.27)))
    sweep <- function(backend) {
      sweep_parameters(net, design, 200, times = one[[2L]] * c(0.1, 0.3), seed = 3, backend = backend, output = "final")
    }
    expect_identical(sweep("cuda"), sweep("cpu"))
  }
})

test_that("any number of GPUs, and parts, give the same ensemble of a net", {
  skip_without_gpu()
  gpus <- subset(backends(), name == "cuda" & usable)$index
  net <- petri_model("hill")
  for (output in c("summary", "final", "events")) {
    call <- function(...) simulate(net, 3000, seed = 5, times = c(1, 5), output = output, ...)
    here <- call(backend = "cpu")
    for (n in unique(pmin(c(1, 2, 4, length(gpus)), length(gpus)))) {
      old <- options(fireflip.devices = gpus[seq_len(n)])
      expect_identical(call(backend = "cuda"), here)
      options(old)
    }
    parts <- lapply(1:3, function(i) call(backend = if (i == 2) "cpu" else "cuda", shard = c(i, 3)))
    expect_identical(do.call(c, parts), here)
  }
})

test_that("what a GPU refuses of a net is simulated by the processor", {
  skip_without_gpu()
  # each of some 1,080 firings makes 10^6 tokens, with a standard deviation of 33 firings: at the end, some trajectories have more
  # than 2^30 tokens, and some fewer
  net <- petri_net(make = transition("0 -> 1000000 B", rate = "1000 + 0 * x"), "B -> 0" = 1e-9,
    "0 -> x" = flow(1), initial = c(B = 0), continuous = "x")
  there <- expect_same_ensemble(net, 200, seed = 1, times = c(0.5, 1, 1.08), output = "trajectories", observe = "B")
  refused <- sum(there$B[there$time == 1.08] > 2^30)
  expect_true(refused > 0 && refused < 200)
  expect_identical(summary(there)$device$refused, as.double(refused))
  # while `on`, the flow of y is stiff
  stiff <- petri_net("off -> on" = 1, "0 -> x" = flow(1), "0 -> y" = flow("1e6 * on * (x - y)"), initial = c(off = 1),
    continuous = c("x", "y"))
  for (integrator in c("auto", "rosenbrock"))
    expect_same_ensemble(stiff, 100, seed = 1, times = c(0.5, 2), integrator = integrator)
  expect_same_ensemble(row_of_genes(40), 50, seed = 1, times = c(0.5, 1), integrator = "rosenbrock")
  bad <- petri_net("A -> 0" = 1, "0 -> A" = "2 * (A - 2.5) + 0 * x", "0 -> x" = flow(1), initial = c(A = 4), continuous = "x")
  said <- function(backend) tryCatch(simulate(bad, 100, 1, times = 2, backend = backend), fireflip_error_model = conditionMessage)
  expect_identical(said("cuda"), said("cpu"))
  expect_match(said("cuda"), "the rate of stochastic transition")
})

test_that("a net that no GPU simulates is an error with the reason, and has the processor's results with \"auto\"", {
  skip_without_gpu()
  nets <- refused_nets()
  for (i in seq_along(nets)) {
    run <- function(backend) simulate(nets[[i]], 50, 1, times = c(0.3, 1), backend = backend)
    told <- sprintf("Reason: no kernel simulates nets with %s yet.", names(nets)[[i]])
    expect_error(run("cuda"), told, fixed = TRUE, class = "fireflip_error_unsupported")
    expect_identical(backends(nets[[i]])$why_not[[2L]], sprintf("no kernel simulates nets with %s yet", names(nets)[[i]]))
    expect_identical(run("auto"), run("cpu"))
  }
  gene <- petri_model("gene")
  expect_identical(backends(gene), backends())
  expect_match(backends(gene, until = "protein > 0")$why_not[[2L]], "on levels or the time")
  unable <- function(...) expect_error(..., class = "fireflip_error_unsupported")
  unable(first_passage(gene, "protein > 0.5", 50, end = 1, seed = 1, backend = "cuda"), "on levels or the time")
  unable(simulate(gene, 50, 1, times = 1, until = "protein > 0", backend = "cuda"), "on levels or the time")
  unable(simulate(gene, 50, 1, times = 1, method = "paper", backend = "cuda"), "method = \"paper\"")
  unable(simulate(gene, 50, 1, times = 1, integrator = "cvode", backend = "cuda"), "\"cvode\"|no CVODE") # or no SUNDIALS
  unable(simulate(gene, 50, 1, times = 1, semantics = "bio", backend = "cuda"), "semantics = \"bio\"")
  expect_same_ensemble(row_of_genes(16), 50, seed = 1, times = c(0.5, 1))
  expect_same_ensemble(gene, 500, seed = 1, times = c(0.5, 1), until = "on > 0")
  passage <- function(backend) first_passage(gene, "on > 0", 500, end = 1, seed = 1, backend = backend)
  expect_identical(passage("cuda"), passage("cpu"))
})

test_that("a larger net, and any without the run-time compiler, is data for a kernel", {
  skip_without_gpu()
  kernel_of <- function(result) summary(result)$device$kernel
  there <- expect_same_ensemble(row_of_genes(40), 50, seed = 1, times = c(0.5, 1))
  expect_identical(kernel_of(there), "generic")
  options(fireflip.kernel = "generic")
  there <- expect_same_ensemble(petri_model("gene"), 200, seed = 1, times = 1)
  expect_identical(kernel_of(there), "generic")
  options(fireflip.kernel = NULL)
  session_without_compiler()
  expect_match(subset(backends(), usable & name == "cuda")$limits, "only those with stochastic transitions and flows run there")
  there <- expect_same_ensemble(petri_model("gene"), 50, seed = 1, times = 1)
  expect_identical(kernel_of(there), "generic")
})

test_that("an interrupt of an ensemble of a net leaves the GPU usable", {
  skip_without_gpu()
  net <- petri_model("gene")
  simulate(net, 10, seed = 1, times = 1, backend = "cuda") # compiles the code
  expect_interrupted(function() simulate(net, 1e6, seed = 1, times = 1e6, backend = "cuda"), 3)
  expect_same_ensemble(net, 1000, seed = 1, times = 1)
})

test_that("a long ensemble of a net moves to a GPU by itself", {
  skip_without_gpu()
  net <- petri_model("gene")
  there <- simulate(net, 1e6, seed = 1, times = 1000, threads = 1, observe = "on") # some 2e9 firings
  expect_identical(summary(there)$backend, "cuda")
})
