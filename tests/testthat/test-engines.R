# A second engine of ensembles: that of reaction networks by another name, which a kind of model has.

net <- reaction_network("0 -> A" = 5, "A -> 0" = 1)

# Calls f() while there is such an engine. It gives the network, and counts what the engine makes.
with_toys <- function(f) {
  space <- asNamespace("fireflip")
  made <- c(runs = 0, sweeps = 0)
  toy <- replace(space$reaction_engine, c("name", "new", "sweep"), list(
    "toy",
    function(model, options) {
      made[["runs"]] <<- made[["runs"]] + 1
      .Call(space$ffi_ssa_new, model, options)
    },
    function(models, seeds, options) {
      made[["sweeps"]] <<- made[["sweeps"]] + 1
      .Call(space$ffi_ssa_sweep, models, seeds, options)
    }
  ))
  registerS3method("ensemble_engine", "toy_network", function(model) toy, envir = space)
  on.exit(rm("ensemble_engine.toy_network", envir = space[[".__S3MethodsTable__."]]))
  f(structure(net, class = c("toy_network", class(net))))
  made
}

test_that("another engine makes the runs of its models, and names the class of their results", {
  kinds <- c(
    summary = "ensemble", trajectories = "ensemble_trajectories", final = "ensemble_trajectories",
    histogram = "ensemble_histogram", events = "ensemble_events"
  )
  made <- with_toys(function(toys) {
    for (output in names(kinds)) {
      got <- function(net) simulate(net, nsim = 50, times = 1:2, output = output, seed = 1)
      one <- got(toys)
      expect_identical(class(one), c(sub("^ensemble_|^", "toy_", kinds[[output]]), kinds[[output]], "data.frame"))
      expect_identical(as.data.frame(one), as.data.frame(got(net)))
      expect_output(print(one), sprintf("<%s> ", class(one)[[1L]]))
      part <- function(i) simulate(toys, nsim = 50, times = 1:2, output = output, seed = 1, shard = c(i, 2))
      expect_identical(c(part(2), part(1)), one)
    }
  })
  expect_identical(made, c(runs = 15, sweeps = 0))
})

test_that("another engine makes sweeps, and has noise() and resumed runs", {
  made <- with_toys(function(toys) {
    sweep <- function(net) {
      sweep_parameters(net, data.frame(A = c(0, 5, 9)), nsim = 20, times = 1:2, seed = 1, backend = "cpu", threads = 1)
    }
    expect_identical(as.data.frame(sweep(toys)), as.data.frame(sweep(net)))
    noisy <- noise(simulate(toys, nsim = 200, times = 1, seed = 1))
    expect_identical(class(noisy), c("toy_noise", "ensemble_noise", "data.frame"))
    half <- simulate(toys, nsim = 5, times = 1, output = "final", seed = 1)
    expect_s3_class(simulate(toys, times = 2, initial = half, seed = 1), "toy_ensemble")
  })
  expect_identical(made, c(runs = 3, sweeps = 1))
})
