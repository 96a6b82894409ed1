# Results that an earlier version has saved: their class is that of reaction networks alone, as in "reaction_ensemble".

net <- reaction_network("0 -> A" = 8, "A -> 0" = 1, "A <-> B" = c(1, 1), initial = c(A = 6))
run <- function(output, ...) simulate(net, nsim = 120, times = 0:5, output = output, seed = 4, ...)
outputs <- c("summary", "trajectories", "final", "histogram", "events")
aged <- function(x) {
  class(x) <- class(x)[c(1L, 3L)]
  x
}
printed <- function(x) utils::capture.output(print(x))

test_that("saved results have all methods", {
  for (x in c(lapply(outputs, run), list(noise(run("summary"))))) {
    old <- aged(x)
    expect_identical(class(old), c(class(x)[[1L]], "data.frame"))
    expect_identical(printed(old), printed(x))
    expect_identical(printed(old[1:2, ]), printed(x[1:2, ]))
    expect_identical(as.data.frame(old), as.data.frame(x))
    expect_identical(rbind(a = old, b = old), rbind(a = x, b = x))
    expect_identical(rbind(a = old, b = x), rbind(a = x, b = x))
    grDevices::pdf(NULL)
    expect_identical(as.data.frame(plot(old)), as.data.frame(plot(x)))
    grDevices::dev.off()
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_identical(ggplot2::autoplot(old)$data, ggplot2::autoplot(x)$data)
    if (inherits(x, "ensemble_noise")) next
    expect_identical(summary(old), summary(x))
    expect_identical(as.data.frame(old, run = TRUE), as.data.frame(x, run = TRUE))
    if (inherits(x, "ensemble_events")) {
      expect_error(quantile(old), class = "fireflip_error_argument")
    } else if (!inherits(x, "ensemble")) {
      expect_identical(quantile(old), quantile(x))
    }
  }
  spread <- run("summary", quantiles = 0.5)
  expect_identical(quantile(aged(spread)), quantile(spread))
})

test_that("c() merges saved parts, also with new ones", {
  for (output in outputs) {
    whole <- run(output)
    part <- function(i) run(output, shard = c(i, 3))
    expect_identical(c(aged(part(3)), aged(part(1)), aged(part(2))), whole)
    expect_identical(c(aged(part(3)), part(1), aged(part(2))), whole)
    expect_identical(c(part(3), aged(part(1)), part(2)), whole)
    expect_error(c(aged(part(1)), aged(part(1))), class = "fireflip_error_argument")
  }
})

test_that("functions of results take saved ones", {
  sim <- run("summary", covariance = TRUE)
  other <- simulate(net, nsim = 120, times = 0:5, seed = 5)
  expect_identical(compare_ensembles(aged(sim), aged(other)), compare_ensembles(sim, other))
  expect_identical(noise(aged(sim)), noise(sim))
  expect_identical(covariances(aged(sim)), covariances(sim))
  divided <- function(x) suppressWarnings(noise_decomposition(x, reporters = c("A", "B")))
  expect_identical(divided(aged(sim)), divided(sim))
  for (x in list(sim, run("trajectories"))) expect_identical(burn_in(aged(x)), burn_in(x))
  final <- run("final")
  go_on <- function(initial) simulate(net, times = 7, initial = initial, seed = 1)
  expect_identical(go_on(aged(final)), go_on(final))
  expect_error(go_on(aged(run("trajectories"))), "found one for `output` = \"trajectories\"", class = "fireflip_error_argument")
  expect_error(go_on(aged(sim)), "object of class \"reaction_ensemble\"", class = "fireflip_error_argument")
  expect_error(
    first_passage(net, "A > 9", end = 1, initial = aged(final)), "must be counts by species", class = "fireflip_error_argument"
  )
})

test_that("a saved result that was changed is an error", {
  old <- aged(run("summary"))
  attr(old, "run")$tally <- NULL
  expect_error(summary(old), "record of the run of `object` was changed", class = "fireflip_error_argument")
  two <- aged(run("final"))
  two <- structure(rbind(as.data.frame(two), as.data.frame(two)), class = class(two), run = attr(two, "run"))
  expect_error(summary(two), "more rows than its run gave", class = "fireflip_error_argument")
  fired <- run("events")
  two <- structure(rbind(as.data.frame(fired), as.data.frame(fired)), class = class(fired), run = attr(fired, "run"))
  expect_error(summary(two), "more rows than its run gave", class = "fireflip_error_argument")
})
