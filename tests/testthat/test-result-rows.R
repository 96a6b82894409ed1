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

