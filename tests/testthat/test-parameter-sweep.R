# Sweeps are one run over all settings, on the processor or on GPUs (here fake devices). Each setting has the result of
# simulate().

net <- reaction_network(
  "0 -> A" = mass_action("k"), "A -> 0" = 1, "2 A -> B" = "c * A * (A - 1) / (1 + B)", "B -> 2 A" = mass_action("d"),
  parameters = c(k = 10, c = 0.05, d = 0.5), initial = c(A = 8, B = 2), variables = c(ratio = "A / (k + B)")
)
design <- expand.grid(k = c(2, 10, 40), B = c(0, 30), d = c(0, 0.5)) # without B -> 2 A, the network has another structure

# The rows and the tallies of a sweep, from simulate().
one_by_one <- function(seeds, ..., nsim, model = net, settings = design) {
  each <- lapply(seq_len(nrow(settings)), function(i) {
    changed <- model
    for (name in names(settings)) {
      set <- if (name %in% names(model$parameters)) set_parameters else set_initial
      changed <- set(changed, stats::setNames(settings[[name]][[i]], name))
    }
    simulate(changed, nsim, seeds[[i]], ...)
  })
  list(
    rows = do.call(rbind, lapply(each, function(x) as.list(as.data.frame(x)))),
    events = sum(vapply(each, function(x) attr(x, "run")$events, 0)),
    tallies = lapply(each, function(x) attr(x, "run")$tally)
  )
}

expect_settings <- function(sweep, ..., nsim) {
  run <- attr(sweep, "run")
  want <- one_by_one(run$seeds, ..., nsim = nsim)
  for (column in colnames(want$rows)) expect_identical(sweep[[column]], unlist(unname(want$rows[, column])))
  expect_identical(run$events, want$events)
  for (i in seq_along(run$tallies)) expect_identical(run$tallies[[i]], want$tallies[[i]][names(run$tallies[[i]])])
}

swept <- function(backend = "cpu", ..., nsim = 7, threads = 2) {
  sweep_parameters(net, design, nsim, times = c(0, 0.3, 1), seed = 4, backend = backend, threads = threads, ...)
}

test_that("each setting has the result of simulate(), for every output, any threads, and on GPUs", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  cases <- list(
    list(), list(method = "first_reaction", observe = c("B", "A")), list(method = "factored", quantiles = c(0.1, 0.5)),
    list(output = "histogram"), list(output = "trajectories", observe = c("ratio", "A")), list(output = "final", observe = "A"),
    list(method = "logarithmic_direct", observe = "ratio"), list(method = "next_reaction")
  )
  for (case in cases) {
    here <- do.call(swept, case)
    do.call(expect_settings, c(list(here), case, list(nsim = 7, times = c(0, 0.3, 1), backend = "cpu")))
    expect_identical(do.call(swept, c(case, threads = 1)), here)
    expect_identical(do.call(swept, c(case, threads = 30)), here)
    for (how in c("", "20 4", "3")) { # waves of 20 trajectories, of which one in four is refused; waves shorter than a setting
      Sys.setenv(FAKE_SSA = how)
      there <- do.call(swept, c(list("cuda"), case))
      expect_identical(there, here)
      expect_identical(summary(there)$backend, "cuda")
    }
  }
  Sys.setenv(FAKE_SSA = "")
})

test_that("settings have common random numbers, and the options of simulate()", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  here <- swept(common = TRUE)
  expect_settings(here, nsim = 7, times = c(0, 0.3, 1), backend = "cpu")
  expect_identical(swept("cuda", common = TRUE), here)
  stopped <- swept(output = "final", observe = "A", until = "A > 12")
  expect_settings(stopped, nsim = 7, times = c(0, 0.3, 1), output = "final", observe = "A", until = "A > 12")
  expect_identical(swept(nsim = 300), swept("cuda", nsim = 300)) # all threads on one setting
  expect_identical(swept(method = "next_reaction"), swept(method = "next_reaction", threads = 3))
  expect_settings(swept(method = "tau_leaping"), nsim = 7, times = c(0, 0.3, 1), method = "tau_leaping")
  expect_settings(swept(method = "ode", nsim = 1), nsim = 1, times = c(0, 0.3, 1), method = "ode")
})

test_that("the settings of a large network are several runs", {
  old <- swept()
  space <- asNamespace("fireflip")
  set <- function(value) {
    unlockBinding("settings_at_once", space)
    assign("settings_at_once", value, space)
    lockBinding("settings_at_once", space)
  }
  true <- space$settings_at_once
  on.exit(set(true))
  for (n in c(5, 1)) {
    set(function(...) n)
    expect_identical(swept(), old)
  }
  of <- NULL
  set(function(model, ...) {
    of <<- class(model)
    5
  })
  sweep_parameters(petri_net("0 -> A" = 1), data.frame(A = 0:1), times = 1, seed = 1)
  expect_identical(of, "reaction_network") # the net is simulated as one
})

test_that("the number of settings in one run follows from their size", {
  at_once <- function(nsim, settings, backend = "cpu", model = net) {
    fireflip:::settings_at_once(model, settings, list(nsim = nsim, threads = 2), backend)
  }
  plain_session()
  expect_identical(at_once(20, 2000), 1000)
  expect_identical(at_once(20, 2000, model = reaction_model("cyclic_chain", species = 1000)), 125)
  expect_identical(at_once(2e5, 2000), 1)
  expect_identical(at_once(1e4, 5), 1000)
  expect_identical(at_once(1e4, 5, "auto"), 1)
  expect_identical(at_once(1e4, 50, "auto"), 1000)
  expect_identical(at_once(100, 5, "auto"), 1000)
})

test_that("the error is that of the first setting that fails", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  bad <- reaction_network("A -> 0" = 1, "0 -> A" = "9 - b * A", parameters = c(b = 0), initial = c(A = 4))
  said <- function(b, backend) {
    tryCatch(
      sweep_parameters(bad, data.frame(b = b), 5, times = 50, seed = 2, backend = backend),
      fireflip_error_model = conditionMessage
    )
  }
  seeds <- attr(sweep_parameters(bad, data.frame(b = rep(0, 6)), 1, times = 1, seed = 2), "run")$seeds
  want <- tryCatch(simulate(bad, 5, seeds[[3]], times = 50, parameters = c(b = 3)), fireflip_error_model = conditionMessage)
  for (backend in c("cpu", "cuda")) expect_identical(said(c(0, 0, 3, 0, 4, 3), backend), paste("setting 3 (b = 3):", want))
  expect_match(want, "propensity")
})

test_that("an error tells the setting, and has the class of its cause", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  net <- reaction_network(
    "A -> 0" = mass_action("k - b"), "0 -> A" = "9 - c * A", "A -> 1000000 A" = mass_action("g"),
    parameters = c(k = 1, b = 0, c = 0, g = 0), initial = c(A = 4)
  )
  failed <- function(..., class = "model", nsim = 5, backend = "cpu", until = NULL, seed = 2) {
    expect_error(
      sweep_parameters(net, data.frame(...), nsim, times = 50, seed = seed, backend = backend, until = until),
      class = paste0("fireflip_error_", class)
    )
  }
  # a setting that fails while it runs, alone or with others, and on devices; 1e5 + 1 trajectories are a run of their own
  for (e in list(
    failed(c = c(0, 3, 4)), failed(c = c(0, 3), b = c(0, 0.5), backend = "cuda"), failed(c = c(0, 3), nsim = 100001)
  )) {
    expect_match(conditionMessage(e), "^setting 2 [(]c = 3(, b = 0.5)?[)]: the propensity of reaction \"R2\" is")
    expect_identical(e$setting, 2L)
    expect_identical(e$values[["c"]], 3)
  }
  expect_match(conditionMessage(failed(g = c(0, 1), class = "size")), "^setting 2 [(]g = 1[)]: .*2\\^40")
  # one that is invalid from the start, for the core or for R
  e <- failed(b = c(0, 0.5, 3), k = c(1, 1, 1))
  expect_match(conditionMessage(e), "^setting 3 [(]b = 3, k = 1[)]: reaction \"R1\": .* rate constant is -2")
  expect_identical(e$values, c(b = 3, k = 1))
  expect_match(conditionMessage(failed(A = c(1, 0.5), class = "argument")), "^setting 2 [(]A = 0.5[)]: the initial count of")
  # one that all settings share
  expect_match(conditionMessage(failed(c = 0:1, until = "X > 1", class = "parse")), "^the condition: no species")
})

test_that("str() shows the columns of a sweep, and not the sums of each setting", {
  lines <- capture.output(str(swept()))
  expect_match(lines[[1L]], "<parameter_sweep> 12 settings of 7 trajectories each")
  expect_match(lines, "^ [$] species", all = FALSE)
  expect_lte(length(lines), 20)
  decays <- stats::setNames(rep(list(mass_action("k")), 30), paste0("A", 1:30, " -> 0"))
  wide <- sweep_parameters(reaction_network(decays, parameters = c(k = 1)), data.frame(k = 1:2), 3, times = 1, output = "final")
  expect_gt(ncol(wide), 30)
  expect_lte(length(capture.output(str(wide))), 20)
  expect_match(capture.output(str(as.data.frame(swept())))[[1L]], "data.frame")
})

test_that("if a GPU fails, the others do its share; what no GPU can do is an error, or is done by the processor", {
  plain_session(fireflip.cuda_library = fake("ssa"))
  here <- swept()
  Sys.setenv(FAKE_SSA = "20 4 3")
  expect_warning(expect_identical(swept("cuda"), here), "GPU failed.*on fire", class = "fireflip_warning_backend")
  Sys.setenv(FAKE_SSA = "20 4 3 1")
  expect_error(swept("cuda"), "on fire", class = "fireflip_error_backend")
  Sys.setenv(FAKE_SSA = "0 0 0 0 0 0 1") # no kernel can do it
  expect_error(swept("cuda"), "too odd", class = "fireflip_error_unsupported")
  Sys.setenv(FAKE_SSA = "")
  expect_error(
    swept("cuda", method = "tau_leaping"), "no kernel for method \"tau_leaping\"", class = "fireflip_error_unsupported"
  )
  # one setting after the other, because each has an order of reactions
  expect_identical(swept("cuda", method = "optimised_direct"), swept("cpu", method = "optimised_direct"))
  options(fireflip.backend = "cuda")
  forget_told_methods()
  expect_message(there <- swept("auto", method = "tau_leaping"), "no kernel", class = "fireflip_message_method")
  expect_identical(there, swept("cpu", method = "tau_leaping"))
  expect_identical(swept("auto"), here)
})

test_that("a message about an argument without a name gives the arguments that need one", {
  net <- reaction_network("A -> 0" = mass_action("k"), initial = c(A = 9), parameters = c(k = 1))
  design <- data.frame(k = 1:2)
  expect_error(sweep_parameters(net, design, 10, 1), "after `nsim` must be given by their names, `times`, `method`",
    class = "fireflip_error_argument")
  expect_error(first_passage(net, "A < 1", 10, 1, 5), "after `end` must be given by their names, `seed`, `method`",
    class = "fireflip_error_argument")
  expect_error(simulate(net, 10, seed = 1), "times = 0:10[)]; found nothing[.]$", class = "fireflip_error_argument")
})

test_that("the cause of an error goes on in the sentence about the setting", {
  net <- reaction_network("A -> 0" = mass_action("k"), parameters = c(k = 1), initial = c(A = 5))
  expect_error(
    sweep_parameters(net, data.frame(k = c(1, NA)), times = 1, seed = 1), "setting 2 (k = NA): the value of \"k\" must be",
    fixed = TRUE, class = "fireflip_error_argument"
  )
})
