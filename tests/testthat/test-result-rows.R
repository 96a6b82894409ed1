# Results whose rows a user has sorted or selected.

dimer <- reaction_network("S1 -> 0" = 1, "2 S1 <-> S2" = c(0.01, 0.5), "S2 -> S3" = 0.04, initial = c(S1 = 100))
refused <- function(code, text, ...) expect_error(code, text, class = "fireflip_error_argument", ...)

# The rows in another order, with the row names that they had, and without.
reordered <- function(x) {
  at <- order((seq_len(nrow(x)) * 7919) %% 10007)
  stopifnot(is.unsorted(at))
  named <- x[at, , drop = FALSE]
  plain <- named
  attr(plain, "row.names") <- seq_len(nrow(plain))
  list(named, plain)
}

expect_same <- function(x, f) {
  wanted <- f(x)
  for (other in reordered(x)) expect_equal(f(other), wanted, tolerance = 0, ignore_attr = "row.names")
}

run_dimer <- function(..., seed = 1, nsim = 200, times = 0:9) simulate(dimer, nsim = nsim, times = times, seed = seed, ...)
slow <- reaction_network(
  "S1 -> 0" = mass_action("k"), "2 S1 <-> S2" = c(0.01, 0.5), "S2 -> S3" = 0.04, parameters = c(k = 1), initial = c(S1 = 100)
)
rates <- function(rows) data.frame(k = seq(0.2, 2.4, 0.2)[rows])
sweep_dimer <- function(..., rows = c(1, 5, 3), times = 0:3) {
  sweep_parameters(slow, rates(rows), nsim = 50, times = times, seed = 1, ...)
}

test_that("answers do not depend on the order of the rows", {
  both <- run_dimer(covariance = TRUE, quantiles = c(0.05, 0.95))
  other <- run_dimer(quantiles = c(0.05, 0.95), seed = 2)
  for (f in list(
    noise, covariances, burn_in, quantile, summary, function(x) noise_decomposition(x, c("S1", "S2")),
    function(x) compare_ensembles(x, other), function(x) compare_ensembles(other, x)
  )) expect_same(both, function(x) suppressWarnings(f(x)))
  counts <- run_dimer(output = "histogram")
  for (f in list(noise, burn_in, quantile, summary, function(x) compare_ensembles(x, other))) expect_same(counts, f)
  paths <- run_dimer(output = "trajectories")
  for (f in list(burn_in, quantile, summary, function(x) noise_decomposition(x, c("S1", "S2")))) {
    expect_same(paths, function(x) suppressWarnings(f(x)))
  }
  final <- simulate(dimer, nsim = 100, times = 5, output = "final", until = "S3 >= 2", seed = 1)
  for (f in list(quantile, summary)) expect_same(final, f)
  events <- simulate(dimer, nsim = 4, times = 1, output = "events", seed = 1)
  expect_same(events, summary)
  expect_same(first_passage(dimer, "S3 >= 5", nsim = 50, end = 8, seed = 1), summary)
  for (output in c("summary", "histogram", "trajectories", "final")) expect_same(sweep_dimer(output = output), summary)
  for (output in c("summary", "histogram")) expect_same(sweep_dimer(output = output), noise_decomposition)
})

test_that("plots do not depend on the order of the rows", {
  skip_if_not_installed("ggplot2")
  layers <- function(plot) {
    built <- ggplot2::ggplot_build(plot)
    list(lapply(built$data, as.list), vapply(built$plot$scales$scales, function(scale) toString(scale$get_labels()), ""))
  }
  same <- function(x, ...) {
    expect_same(x, function(x) null_device(plot(x, ...)))
    expect_same(x, function(x) drawn(plot(x, ...)))
    if (!inherits(x, "pbn_trajectories")) expect_same(x, function(x) layers(ggplot2::autoplot(x, ...)))
  }
  ensemble <- run_dimer(nsim = 50)
  same(ensemble)
  same(ensemble, n = 2)
  same(ensemble, species = 3)
  same(noise(run_dimer()))
  counts <- run_dimer(nsim = 50, output = "histogram")
  same(counts)
  expect_same(counts, function(x) null_device(hist(x)))
  paths <- run_dimer(nsim = 12, output = "trajectories")
  same(paths)
  expect_same(paths, function(x) null_device(hist(x)))
  same(simulate(dimer, nsim = 4, times = 0.2, output = "events", seed = 1))
  same(sweep_dimer())
  same(sweep_dimer(times = 1))
  same(noise_decomposition(sweep_dimer()))
  same(simulate(set_perturbation(example_model("cellcycle"), 0.01), nsim = 3, steps = 20, seed = 1), n = 2)
})

test_that("lines go from left to right where a user has changed the times", {
  ensemble <- run_dimer(nsim = 50)
  ensemble$time <- 9 - ensemble$time
  data <- null_device(plot(ensemble))
  expect_false(any(vapply(split(ensemble$time, ensemble$species), is.unsorted, NA) == FALSE))
  plan <- fireflip:::ensemble_series(ensemble, "sd", 10)
  expect_false(any(vapply(split(plan$data$x, plan$data$series), is.unsorted, NA)))
})

test_that("a part of the times and species has the numbers of the whole, and no others", {
  both <- run_dimer(covariance = TRUE, quantiles = c(0.05, 0.95))
  counts <- run_dimer(output = "histogram")
  late <- function(x) x[x$time > 2, ]
  some <- function(x) x[x$species != "S2" | x$time < 4, ]
  one <- function(x) x[x$species == "S3", ]
  bare <- function(x) {
    x <- as.data.frame(x)
    rownames(x) <- NULL
    x
  }
  for (part in list(late, some, one)) {
    for (x in list(both, counts)) {
      expect_identical(bare(noise(part(x))), bare(part(noise(x))))
      expect_identical(bare(noise(reordered(part(x))[[1L]])), bare(part(noise(x))))
    }
    expect_identical(bare(quantile(part(both))), bare(part(quantile(both))))
  }
  all <- covariances(both)
  expect_identical(covariances(late(both)), bare(all[all$time > 2, ]))
  left <- all$time < 4 | (all$species_1 != "S2" & all$species_2 != "S2")
  expect_identical(covariances(some(both)), bare(all[left, ]))
  refused(covariances(one(both)), "two species at one time at least")
  expect_identical(null_device(hist(both[both$time < 3, ])), null_device(hist(both, time = 2)))

  parts <- function(x) suppressWarnings(noise_decomposition(x, c("S1", "S2")))
  expect_identical(bare(parts(late(both))), bare(late(parts(both))))
  expect_identical(bare(parts(some(both))), bare(parts(both)[1:4, ]))
  refused(parts(one(both)), "S1")
  expect_identical(bare(parts(late(run_dimer(output = "trajectories")))), bare(late(parts(run_dimer(output = "trajectories")))))
})

test_that("burn_in() looks at the times and species that a summary has", {
  steps <- c(0:4, seq(5, 40, 5))
  kept <- which(steps > 2)
  for (output in c("summary", "histogram")) {
    all <- run_dimer(output = output, times = steps)
    alone <- run_dimer(output = output, times = steps[kept]) # the times of observation do not change a trajectory
    late <- all[all$time > 2, ]
    expect_identical(burn_in(late), burn_in(alone))
    expect_identical(burn_in(reordered(late)[[2L]]), burn_in(alone))
    expect_identical(attr(burn_in(late), "run")$times, steps[kept])
    observed <- run_dimer(output = output, times = steps, observe = c("S1", "S3"))
    expect_identical(burn_in(all[all$species != "S2", ]), burn_in(observed))
    refused(burn_in(all[all$time > 25, ]), "at least 5 times; found 3")
    refused(burn_in(all[all$species != "S2" | all$time > 2, ]), "the same species at each of its times")
  }
  refused(burn_in(all[all$count > 3, ]), "some counts of a time and species removed")
  paths <- run_dimer(output = "trajectories")
  refused(burn_in(paths[paths$time > 2, ]), "rows removed")
  refused(burn_in(paths[paths$trajectory > 2, ]), "rows removed")
  minutes <- paths
  minutes$time <- minutes$time * 60
  refused(burn_in(minutes), "unchanged result; found other times")
  twice <- paths
  twice$trajectory[1:10] <- 2L
  refused(burn_in(twice), "other numbers of trajectories")
})

test_that("burn_in() of trajectories that are sorted by time is that of the run", {
  grow <- reaction_network("0 -> A" = 10)
  paths <- simulate(grow, nsim = 300, times = 0:40, seed = 1, output = "trajectories")
  by_time <- burn_in(paths[order(paths$time), ])
  expect_identical(unique(by_time$stationary), FALSE)
  expect_identical(by_time, burn_in(paths))
})

test_that("compare_ensembles() compares the times and species that both have", {
  run <- function(seed, ...) run_dimer(seed = seed, times = 1:5, ...)
  bare <- function(x) {
    x <- as.data.frame(x)
    rownames(x) <- NULL
    x[names(x) != "adjusted"]
  }
  for (output in c("summary", "histogram")) {
    a <- run(1, output = output)
    b <- run(2, output = output)
    all <- compare_ensembles(a, b)
    cell <- function(x) x[x$species == "S1" & x$time == 5, ]
    found <- compare_ensembles(cell(a), cell(b))
    expect_identical(bare(found), bare(cell(all)))
    expect_identical(found$adjusted, stats::p.adjust(found$p_value, "holm")) # of these tests alone
    some <- function(x) x[x$species != "S2" | x$time > 3, ]
    expect_identical(bare(compare_ensembles(some(a), some(b))), bare(some(all)))
    refused(compare_ensembles(cell(a), b), "same times; only `b` has 1, 2, 3, 4")
    refused(compare_ensembles(a[a$species != "S1", ], b), "same species; only `b` has \"S1\"")
    refused(compare_ensembles(some(a), b), "rows removed from one of them only")
    # an ensemble with more times than the other
    longer <- run_dimer(seed = 1, times = 0:5, output = output)
    expect_identical(compare_ensembles(longer[longer$time > 0, ], b), all)
  }
  net <- reaction_network("A <-> B" = c(1, 1), initial = c(A = 10))
  counts <- simulate(net, nsim = 200, times = c(1, 5), output = "histogram", seed = 1)
  exact <- chemical_master_equation(net, times = c(1, 5))
  all <- compare_ensembles(counts, exact)
  late <- function(x) x[x$time == 5, ]
  some <- function(x) x[x$time == 5 | x$species == "B", ]
  expect_identical(bare(compare_ensembles(late(counts), exact)), bare(late(all)))
  expect_identical(bare(compare_ensembles(exact, some(counts))), bare(some(all)))
  expect_identical(compare_ensembles(reordered(counts)[[1L]], exact), all)
})

test_that("noise_decomposition() looks at the settings, times and species that a sweep has", {
  run <- function(rows, ...) sweep_dimer(rows = rows, ...)
  for (output in c("summary", "histogram")) {
    sweep <- run(1:12, output = output)
    all <- noise_decomposition(sweep)
    first <- noise_decomposition(sweep[sweep$setting <= 11, ]) # the seed of a setting depends on its number
    expect_identical(first, noise_decomposition(run(1:11, output = output)))
    late <- as.data.frame(noise_decomposition(sweep[sweep$time > 1 & sweep$species != "S2", ]))
    wanted <- as.data.frame(all)[all$time > 1 & all$species != "S2", ]
    expect_equal(late, wanted, tolerance = 0, ignore_attr = "row.names")
    refused(noise_decomposition(sweep[sweep$setting == 1, ]), "at least 2 settings; found 1")
    refused(noise_decomposition(sweep[sweep$setting == 1 | sweep$time > 1, ]), "same times and species for each setting")
    weighted <- noise_decomposition(sweep[sweep$setting > 10, ], "all", weights = c(1, 2))
    expect_identical(attr(weighted, "run")$settings, 2L)
    refused(noise_decomposition(sweep[sweep$setting > 10, ], "all", weights = 1:12), "2 numbers")
  }
  refused(noise_decomposition(sweep[-which(sweep$time == 3)[[1L]], ]), "counts removed or changed")
})

test_that("changed numbers are refused where the sums of the run would be used instead", {
  ensemble <- run_dimer(covariance = TRUE)
  changed <- list(
    within(ensemble, mean <- mean * 2), within(ensemble, sd[[5L]] <- NA), within(ensemble, time <- time + 0.5),
    within(ensemble, species <- sub("S1", "A", species)), within(ensemble, time <- rev(time)), ensemble["mean"], ensemble[0L, ],
    ensemble[rep(1:3, 2), ], within(ensemble, max <- as.character(max))
  )
  for (x in changed) {
    class(x) <- class(ensemble)
    attr(x, "run") <- attr(ensemble, "run")
    for (f in list(
      noise, covariances, burn_in, function(x) noise_decomposition(x, c("S1", "S2")), function(x) compare_ensembles(x, ensemble)
    )) refused(f(x), "must be an unchanged result, or rows of one; found ")
  }
  more <- ensemble
  more$cv <- more$sd / more$mean
  more$species <- factor(more$species)
  expect_identical(noise(more), noise(ensemble))
  counts <- run_dimer(output = "histogram")
  for (column in c("count", "n")) {
    x <- counts
    x[[column]] <- x[[column]] + 1
    refused(noise(x), "other numbers")
  }
  sweep <- sweep_dimer()
  sweep$mean <- sweep$mean / 2
  refused(noise_decomposition(sweep), "other numbers in the column \"mean\"")
  refused(noise_decomposition(sweep["mean"]), "columns removed")
})

test_that("summaries of selected trajectories do not share out the events of others", {
  paths <- run_dimer(output = "trajectories", until = "S3 >= 5")
  run <- attr(paths, "run")
  whole <- summary(paths)
  expect_null(whole$run_trajectories)
  few <- summary(paths[paths$trajectory <= 2, ])
  expect_identical(few$trajectories, 2L)
  expect_identical(few$run_trajectories, 200)
  each <- signif(run$events / 200, 3)
  number <- format(run$events, big.mark = ",")
  expect_output(print(few), sprintf("events   %s in the run's 200 trajectories \\(%s per trajectory\\)", number, each))
  expect_output(print(few), sprintf("%d of the run's 200 have stopped", run$n_stopped))
  expect_output(print(whole), sprintf("events   %s \\(%s per trajectory\\)", number, each))
  final <- simulate(dimer, nsim = 4, times = 5, output = "final", seed = 1)
  expect_output(print(summary(final[2, ])), "in the run's 4 trajectories")
  # a resumed run does not know how many trajectories it had
  on <- simulate(dimer, initial = final[2:3, ], times = 8, output = "final", seed = 1)
  expect_output(print(summary(on)), "in the whole run\n")

  events <- simulate(dimer, nsim = 4, times = 1, output = "events", seed = 1)
  expect_equal(summary(events)$per_trajectory, tabulate(events$reaction, 4L) / 4)
  first <- events[events$trajectory == 1, ]
  expect_equal(summary(first)$per_trajectory, tabulate(first$reaction, 4L))
  expect_true(all(is.na(summary(events[0L, ])$per_trajectory)))
  expect_output(print(events[1:3, ]), sprintf("> 3 of the %d events of 4 trajectories up", nrow(events)))
  expect_output(print(events), sprintf("> %d events of 4 trajectories up", nrow(events)))

  sweep <- sweep_dimer(output = "final", until = "S3 >= 1")
  stopped <- attr(sweep, "run")$n_stopped
  part <- sweep[sweep$setting != 2, ]
  expect_output(print(part), sprintf("%d of 100 have stopped", sum(stopped[c(1, 3)])))
  expect_identical(summary(part)$settings, 2L)
  expect_output(print(summary(part)), sprintf("%d of the run's 150 have stopped", sum(stopped)))
  expect_output(print(summary(part)), "^2 settings of 50 trajectories each.*in the run's 150 trajectories \\(")
  expect_output(print(summary(part[part$trajectory < 6, ])), "^2 settings of 5 trajectories each")
  expect_null(summary(sweep)$run_trajectories)
})

test_that("c() merges parts in any order of rows to the undivided run", {
  merged <- function(run) {
    parts <- lapply(c(3, 1, 2), function(i) run(c(i, 3)))
    for (k in 1:2) expect_identical(do.call(c, lapply(parts, function(part) reordered(part)[[k]])), run(NULL))
  }
  merged(function(part) run_dimer(nsim = 8, output = "trajectories", shard = part))
  merged(function(part) simulate(dimer, nsim = 8, times = 1, output = "events", seed = 1, shard = part))
  merged(function(part) simulate(dimer, nsim = 30, times = 3, output = "final", until = "S3 >= 2", seed = 1, shard = part))
  merged(function(part) first_passage(dimer, "S3 >= 5", nsim = 30, end = 8, seed = 1, shard = part))
  part <- function(i) run_dimer(nsim = 8, output = "trajectories", shard = c(i, 2))
  changed <- part(1)
  changed$time <- changed$time * 60
  refused(c(changed, part(2)), "rows were changed")
  changed <- part(1)
  changed$trajectory <- changed$trajectory + 4L
  refused(c(changed, part(2)), "rows were changed")
})

test_that("c() of whole runs and of sweeps tells of rbind()", {
  refused(c(run_dimer(), run_dimer(seed = 2)), "a whole run among them. rbind() stacks results", fixed = TRUE)
  sweep <- sweep_dimer()
  refused(c(sweep, sweep), "c() does not apply to sweeps; rbind() stacks their rows", fixed = TRUE)
  expect_identical(c(sweep), sweep)
  for (f in list(noise, burn_in, function(x) compare_ensembles(x, x))) refused(f(sweep), "does not apply to a sweep; simulate")
})

test_that("head() and tail() give the rows that print() shows", {
  net <- set_perturbation(example_model("shmulevich3"), 0.01)
  states <- stationary_distribution(net)
  expect_identical(head(states, 3)$probability, sort(states$probability, decreasing = TRUE)[1:3])
  expect_identical(tail(states, 1)$probability, min(states$probability))
  expect_identical(head(states, c(2, 1)), states[1:2, 1, drop = FALSE])
  expect_identical(head(states["x1"], 2), states[1:2, "x1", drop = FALSE])
  found <- compare_ensembles(run_dimer(times = 1:3), run_dimer(times = 1:3, seed = 2))
  expect_identical(head(found, 4)$p_value, sort(found$p_value)[1:4])
  shown <- utils::capture.output(print(found, n = 4))[4:7]
  expect_identical(sub(".*(mean|variance).*", "\\1", shown), head(found, 4)$test)
  expect_identical(tail(found, 1)$p_value, max(found$p_value))

  cycle <- set_perturbation(example_model("cellcycle"), 0.01)
  arrows <- long_run_influence(cycle, method = "exact")
  header <- function(x) utils::capture.output(print(x))[[1L]]
  expect_match(header(arrows), "largest first")
  expect_no_match(header(arrows[1:2, ]), "largest first")
})

test_that("an ensemble says which columns it does not print", {
  ensemble <- run_dimer(quantiles = c(0.05, 0.5))
  ensemble$cv <- ensemble$sd / ensemble$mean
  shown <- utils::capture.output(print(ensemble))
  expect_identical(shown[[length(shown)]], "columns not shown: q5, q50, cv; as.data.frame() gives all rows")
  expect_no_match(utils::capture.output(print(run_dimer())), "columns not shown")
})

test_that("a decomposition without intervals says so", {
  few <- noise_decomposition(sweep_dimer())
  expect_output(print(few), "a sample, no intervals: fewer than 10 settings")
  expect_null(fireflip:::decomposition_series(few, 10, "S1")$note)
  wide <- sweep_dimer(rows = 1:12)
  expect_output(print(noise_decomposition(wide)), "a sample, 95% intervals")
  expect_identical(fireflip:::decomposition_series(noise_decomposition(wide), 10, "S1")$note, "band: 95% interval")
})

test_that("a network without conservation laws says so", {
  none <- conservation_laws(reaction_network("0 -> A" = 1))
  expect_output(print(none), "has no conservation law")
  expect_identical(nrow(as.data.frame(none)), 0L)
})
