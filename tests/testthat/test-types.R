# Numbers that a user puts into a network or a result may be whole (of type integer); other types are errors that say so.

within_net <- function(net, part, value) {
  net[[part]] <- value
  net
}

plain_net <- function() reaction_network("A -> B" = "k * A", "B -> A" = 0.5, initial = c(A = 10, B = 3), parameters = c(k = 2))

test_that("whole numbers are numbers in every part of a reaction network", {
  net <- plain_net()
  whole <- net
  whole$parameters <- c(k = 2L)
  whole$species$initial <- c(10L, 3L)
  run <- function(net, ...) simulate(net, nsim = 20, times = 1:2, seed = 1, ...)
  expect_identical(run(whole)$mean, run(net)$mean)
  for (format in c("sbml", "bngl_net")) {
    expect_identical(
      readLines(write_network(whole, tempfile(), format)), readLines(write_network(net, tempfile(), format))
    )
  }
  expect_identical(chemical_master_equation(whole, times = 1L)$probability, chemical_master_equation(net, times = 1)$probability)
  expect_identical(format(whole), format(net))
  expect_identical(run(set_parameters(whole, k = 3L))$mean, run(set_parameters(net, k = 3))$mean)
})

test_that("final states with columns of whole numbers are continued", {
  net <- plain_net()
  final <- simulate(net, nsim = 5, times = 1, seed = 1, output = "final")
  whole <- final
  for (column in c("A", "B", "time")) whole[[column]] <- as.integer(final[[column]])
  on <- function(initial) simulate(net, nsim = 5, times = 3, seed = 1, initial = initial)$mean
  expect_identical(on(whole), on(final))
  for (wrong in list(as.character(final$A), factor(final$A), final$A > 3, rep(NA, 5), as.list(final$A))) {
    whole$A <- wrong
    expect_error(simulate(net, nsim = 5, times = 3, seed = 1, initial = whole), "`initial` must have finite numbers",
      class = "fireflip_error_argument")
  }
})

test_that("other types are errors that name the part", {
  wrong <- function(part, value) {
    net <- plain_net()
    if (part == "parameters") net$parameters <- value else net$species[[part]] <- value
    expect_error(simulate(net, times = 1, seed = 1), part, class = "fireflip_error")
  }
  some_factor <- structure(1L, levels = "2", class = "factor", names = "k")
  for (value in list(c(k = "2"), list(k = 2), c(k = TRUE), c(k = NA), some_factor)) wrong("parameters", value)
  for (value in list(c("1", "2"), c(NA, NA), c(TRUE, FALSE), factor(1:2), list(1, 2))) wrong("initial", value)
  net <- plain_net()
  net$species$initial <- c(1L, NA)
  expect_error(simulate(net, times = 1, seed = 1), "the initial count of species \"B\" is NaN", class = "fireflip_error_model")
  net <- plain_net()
  net$parameters <- c(k = NA_integer_)
  expect_error(simulate(net, times = 1, seed = 1), "the value of parameter \"k\" is NaN", class = "fireflip_error_model")
})

test_that("Boolean networks take whole and logical numbers, but no factors", {
  net <- pbn(list(A = c("B" = 0.5, "!B" = 0.5), B = "A"), perturbation = 0.01)
  changed <- function(change) suppressMessages(steady_state(change(net), list(on = "A"), seed = 1)$probability)
  same <- changed(identity)
  expect_identical(changed(function(x) within_net(x, "initial", c(TRUE, NA))), same)
  expect_identical(changed(function(x) within_net(x, "exempt", c(0L, 0L))), same)
  expect_error(changed(function(x) within_net(x, "initial", factor(c(1, 0)))), "`initial`", class = "fireflip_error_argument")
  broken <- net
  broken$rules$node <- factor(net$rules$node)
  expect_error(steady_state(broken, list(on = "A"), seed = 1), "rules$node", fixed = TRUE, class = "fireflip_error_argument")
  broken <- net
  broken$rules$probability <- c("1", "1", "1")
  expect_error(steady_state(broken, list(on = "A"), seed = 1), "rules$probability", fixed = TRUE,
    class = "fireflip_error_argument")
})

test_that("parts whose columns were changed are not merged", {
  part <- function(i, output) simulate(plain_net(), 10, times = 2, seed = 1, output = output, shard = c(i, 2))
  for (output in c("final", "trajectories")) {
    first <- part(1, output)
    expect_identical(nrow(c(first, part(2, output))), 10L)
    whole <- part(2, output)
    whole$A <- as.integer(whole$A)
    expect_equal(c(first, whole)$A, c(first, part(2, output))$A)
    changes <- list(
      function(x) transform(x, A = A > 3), function(x) transform(x, A = factor(A)), function(x) transform(x, A = as.character(A)),
      function(x) replace(x, "A", list(replace(x$A, 2, NA))), function(x) stats::setNames(x, names(x)[c(1, 2, 4, 3)])
    )
    for (change in changes) {
      other <- part(2, output)
      changed <- change(as.data.frame(other))
      for (i in seq_along(other)) other[[i]] <- changed[[i]]
      names(other) <- names(changed)
      expect_error(c(first, other), "columns were changed", class = "fireflip_error_argument")
    }
  }
})

# ---- changed objects ------------------------------------------------------------------------------------------------------

# What a user may put in the place of a part.
changes_of <- function(part) {
  list(
    NULL, list(1), "x", -1, NA, factor("a"), TRUE, part[-1L], c(part, part), as.list(part), unname(part),
    if (is.numeric(part)) replace(part, 1L, NA)
  )
}

# Puts `value` in the place of a part of a list, at a path of names, past the methods of its class.
put <- function(x, path, value) {
  at <- attributes(x)
  x <- unclass(x)
  x[path[[1L]]] <- list(if (length(path) == 1L) value else put(x[[path[[1L]]]], path[-1L], value))
  attributes(x) <- at
  x
}

# Calls each function with each change of each part, and expects answers or errors of the package.
expect_no_base_error <- function(x, paths, calls, change = put) {
  part_of <- function(path) Reduce(function(x, name) x[[name]], path, if (identical(change, put)) unclass(x) else attr(x, "run"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  wrong <- character()
  for (path in paths) {
    for (value in changes_of(part_of(path))) {
      changed <- change(x, path, value)
      for (name in names(calls)) {
        told <- function(e) {
          what <- sprintf("%s() with %s for `%s`", name, describe(value), paste(path, collapse = "$"))
          wrong <<- c(wrong, paste0(what, ": ", conditionMessage(e)))
        }
        muffle <- function(w) invokeRestart("muffleWarning")
        tryCatch(withCallingHandlers(suppressMessages(utils::capture.output(calls[[name]](changed))), fireflip_warning = muffle),
          fireflip_error = identity, error = told, warning = told)
      }
    }
  }
  expect_identical(wrong, character())
}

put_in_run <- function(x, path, value) {
  attr(x, "run") <- put(attr(x, "run"), path, value)
  x
}

test_that("no change of a network is an error of R", {
  net <- plain_net()
  parts <- c(
    list("species", "parameters", "reactions"), lapply(names(net$species), function(name) c("species", name)),
    lapply(names(net$reactions), function(name) c("reactions", name))
  )
  expect_no_base_error(net, parts, list(
    print = print, summary = summary, plot = plot, simulate = function(x) simulate(x, 3, times = 1, seed = 1),
    laws = conservation_laws, dependencies = reaction_dependencies, set = function(x) set_initial(x, A = 1),
    exact = function(x) chemical_master_equation(x, times = 1), write = function(x) write_network(x, tempfile(), "sbml")
  ))
  bool <- pbn(list(A = c("B" = 0.5, "!B" = 0.5), B = "A & C", C = "C"), perturbation = 0.01)
  parts <- c(as.list(names(unclass(bool))), lapply(names(bool$rules), function(name) c("rules", name)))
  expect_no_base_error(bool, parts, list(
    print = print, summary = summary, plot = function(x) null_device(plot(x)), frame = as.data.frame,
    simulate = function(x) simulate(x, 2, steps = 3, seed = 1),
    states = function(x) steady_state(x, "A", seed = 1), outcomes = outcomes, reduce = function(x) reduce_network(x, "A"),
    set = function(x) set_rule(x, A = "B"), write = function(x) write_network(x, tempfile(), "pbn")
  ))
})

test_that("a changed record is an error that names the field, for every method", {
  net <- plain_net()
  run <- function(output, ..., n = 100) simulate(net, n, times = 0:4, seed = 1, output = output, ...)
  other <- simulate(net, 100, times = 0:4, seed = 2)
  shown <- list(
    print = print, summary = summary, plot = function(x) null_device(plot(x)),
    frame = function(x) as.data.frame(x, run = TRUE), part = function(x) x[1, ],
    merge = function(x) c(x), quantile = stats::quantile, hist = function(x) null_device(graphics::hist(x)),
    noise = noise, burn_in = burn_in,
    split = function(x) noise_decomposition(x, c("A", "B")), resume = function(x) simulate(net, times = 9, initial = x, seed = 1),
    compare = function(x) compare_ensembles(x, other)
  )
  results <- list(
    summary = run("summary", quantiles = 0.5, covariance = TRUE), histogram = run("histogram"), final = run("final", n = 5),
    trajectories = run("trajectories"), events = run("events", n = 5),
    passage = first_passage(net, "A < 3", 20, end = 1, seed = 1, shard = c(1, 2)),
    sweep = sweep_parameters(net, data.frame(k = 1:2), 40, times = 1, seed = 1)
  )
  for (result in results) {
    fields <- setdiff(names(attr(result, "run")), c("model", "machine"))
    expect_no_base_error(result, as.list(fields), shown, put_in_run)
    expect_error(as.data.frame(put_in_run(result, "seed", "1"), run = TRUE), "`seed` must be one whole number; found \"1\"",
      class = "fireflip_error_argument")
    attr(result, "run") <- NULL
    expect_error(as.data.frame(result, run = TRUE), "lacks the record of its run", class = "fireflip_error_argument")
  }
  sums <- lapply(names(attr(results$histogram, "run")$tally), function(name) c("tally", name))
  expect_no_base_error(results$histogram, sums, shown, put_in_run)
  expect_error(noise(put_in_run(results$summary, c("tally", "n"), NULL)), "`tally$n` must be one whole number", fixed = TRUE,
    class = "fireflip_error_argument")
  expect_error(noise(put_in_run(results$summary, c("tally", "counts"), raw(3))), "`tally$counts` must be the sums", fixed = TRUE,
    class = "fireflip_error_argument")
})

test_that("changed columns are an error, or are printed as they are", {
  net <- plain_net()
  sim <- simulate(net, 120, times = 1:2, seed = 1)
  in_column <- function(x, path, value) {
    x[[path]] <- rep_len(if (length(value) == 0L) NA else value, nrow(x))
    x
  }
  expect_no_base_error(sim, as.list(names(sim)), list(print = print, summary = summary), in_column)
  solution <- chemical_master_equation(net, times = 1)
  expect_no_base_error(solution, list("times", "counts", "probability", c("times", "states")), list(
    print = print, summary = summary, plot = function(x) null_device(plot(x)), frame = as.data.frame
  ))
})

test_that("the error of a changed column names it, and print() shows a plain data frame", {
  net <- plain_net()
  results <- list(
    summary = simulate(net, 120, times = 1:2, seed = 1, quantiles = 0.5),
    paths = simulate(net, 120, times = 1:2, seed = 1, output = "trajectories"),
    counts = simulate(net, 120, times = 1:2, seed = 1, output = "histogram"),
    events = simulate(net, 3, times = 1, seed = 1, output = "events"),
    passage = first_passage(net, "A > 5", 50, end = 1, seed = 1),
    sweep = sweep_parameters(net, data.frame(A = c(1, 5)), 50, times = 1, seed = 1)
  )
  refused <- function(of, column, value, use, said, name = "x") {
    x <- results[[of]]
    x[[column]] <- rep_len(value, nrow(x))
    text <- sprintf("The column \"%s\" of `%s` was changed: %s. Use the original result.", column, name, said)
    expect_error(use(x), text, fixed = TRUE, class = "fireflip_error_argument")
    x
  }
  lower <- refused("summary", "lower", "a", plot, "numbers were expected; found text")
  expect_output(print(lower), "lower") # a plain data frame
  expect_identical(as.data.frame(lower)$lower[[1L]], "a")
  expect_s3_class(summary(lower), "summary.reaction_result") # which uses no interval
  refused("summary", "mean", TRUE, summary, "numbers were expected; found TRUE and FALSE", "object")
  refused("summary", "species", NA, summary, "names were expected; found NA", "object")
  refused("summary", "species", c("A", NA), plot, "names were expected; found text with NA")
  refused("summary", "time", c(1, NA), plot, "numbers without NA were expected; found numbers with NA")
  refused("paths", "A", factor("a"), summary, "numbers were expected; found a factor", "object")
  refused("paths", "A", c(NA, 1), plot, "numbers without NA were expected; found numbers with NA")
  refused("counts", "n", -1, summary, "numbers of at least 0 were expected; found other numbers", "object")
  refused("counts", "count", "1", hist, "numbers were expected; found text")
  refused("events", "reaction", "r", summary, "names in a factor were expected; found text", "object")
  refused("passage", "censored", 1, plot, "TRUE and FALSE were expected; found other numbers")
  refused("sweep", "setting", 3, plot, "numbers of settings were expected; found other numbers")
})

test_that("species may have the names of columns of other results", {
  net <- reaction_network("0 -> species" = 5, "0 -> n" = 3, "0 -> reaction" = 3, "0 -> setting" = 2)
  for (output in c("trajectories", "final")) {
    x <- simulate(net, 5, times = 1:2, seed = 1, output = output)
    expect_identical(summary(x)$last$species, c("species", "n", "reaction", "setting"))
    grDevices::pdf(NULL)
    expect_named(plot(x, species = "species"), c("trajectory", "time", "species"))
    expect_named(plot(x), c("trajectory", "time", "species", "n", "reaction", "setting"))
    grDevices::dev.off()
  }
})

test_that("a changed estimate for a Boolean network is an error that names the field", {
  net <- pbn(list(A = c("B" = 0.5, "!B" = 0.5), B = "A"), perturbation = 0.01)
  shown <- list(
    print = print, summary = summary, plot = function(x) null_device(plot(x)),
    frame = function(x) as.data.frame(x, run = TRUE), part = function(x) x[1, ],
    merge = function(x) c(x), bind = function(x) rbind(a = x, b = x)
  )
  part <- suppressMessages(steady_state(net, list(on = "A"), seed = 1, method = "simulation", precision = 0.01, shard = c(1, 2)))
  for (result in list(part, suppressMessages(long_run_influence(net, seed = 1)), outcomes(set_perturbation(net, 0), seed = 1))) {
    fields <- c("method", "sets", "pairs", "confidence", "seed", "shard", "tally", "values")
    fields <- intersect(fields, names(attr(result, "run")))
    expect_no_base_error(result, as.list(fields), if (inherits(result, "outcomes")) shown[names(shown) != "merge"] else shown,
      put_in_run)
  }
  expect_error(c(put_in_run(part, "shard", list(1, 2))), "`shard` must be a matrix of parts", class = "fireflip_error_argument")
  expect_error(c(put_in_run(part, "tally", "x")), "`tally` must be the sums", class = "fireflip_error_argument")
})
