# Methods of simulation: what each of them needs, and what the help page says about it.

test_that("partial-propensity methods refuse other laws by name", {
  three <- reaction_network("A -> B" = 1, "3 B -> A" = 2, initial = c(A = 9))
  law <- reaction_network("A -> B" = "A / (1 + A)", initial = c(A = 9))
  for (method in c("pdm", "spdm", "pssa_cr")) {
    expect_error(simulate(three, times = 1, method = method), "reaction \"R2\" is not mass action", class = "fireflip_error_unsupported")
    expect_error(simulate(law, times = 1, method = method), "reaction \"R1\" is not", class = "fireflip_error_unsupported")
  }
  expect_snapshot(error = TRUE, {
    simulate(three, times = 1, method = "pdm")
  })
})

test_that("methods agree on larger networks", {
  # the mean count of each species, against the logarithmic direct method: two samples of equal size
  nets <- list(
    list(reaction_model("colloid", species = 24), 0.5), list(reaction_model("sir_ring", regions = 60), 3),
    list(reaction_model("random", species = 200, reactions = 300, seed = 2), 1e-3),
    list(reaction_model("aggregation", copies = 20, shared = TRUE, seed = 1), 0.2)
  )
  exact <- ssa_methods()$method[ssa_methods()$exact]
  for (one in nets) {
    run <- function(method, seed) {
      simulate(one[[1L]], nsim = 200, times = one[[2L]], method = method, seed = seed)
    }
    reference <- run("logarithmic_direct", 1)
    others <- setdiff(exact, c("direct", "logarithmic_direct", "first_reaction")) # the last one is slow here
    z <- vapply(seq_along(others), function(i) {
      sim <- run(others[[i]], 1 + i)
      spread <- sqrt((sim$sd^2 + reference$sd^2) / 200)
      max(ifelse(spread > 0, abs(sim$mean - reference$mean) / spread, 0))
    }, 0)
    # family-wise 1e-3 over species and methods, with a factor of 1.5 for distributions that are not normal
    expect_lt(max(z), 1.5 * stats::qnorm(1 - 1e-3 / 2 / length(z) / nrow(reference)))
  }
})

test_that("methods do not depend on threads or times", {
  net <- reaction_model("sir_ring", regions = 5)
  for (method in ssa_methods()$method) {
    run <- function(times, threads) {
      sim <- simulate(net, nsim = 12, times = times, method = method, output = "trajectories", threads = threads, seed = 4)
      as.data.frame(sim)[sim$time == 8, -1]
    }
    one <- run(8, 1)
    many <- run(c(0.01, 1.7, 3, 5, 8), 2)
    rownames(one) <- rownames(many) <- NULL
    expect_identical(many, one, info = method)
  }
})
