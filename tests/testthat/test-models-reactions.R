# The reaction networks of example_model(), each against an exact answer.

# True values against the intervals of an ensemble, which hold them with a probability of 1 - 1e-6 each. Rows of `truth` have the
# columns species, mean and sd.
expect_moments <- function(net, truth, time, n, ...) {
  sim <- simulate(net, nsim = n, times = time, observe = truth$species, confidence = 1 - 1e-6, seed = 1, ...)
  expect_identical(sim$species, truth$species)
  expect_true(all(sim$lower <= truth$mean & truth$mean <= sim$upper))
  expect_true(all(sim$sd_lower <= truth$sd & truth$sd <= sim$sd_upper))
  expect_true(all(sim$upper - sim$lower < truth$sd)) # the intervals are narrow enough to find a wrong constant
}

test_that("tables, SBML and networks of BioNetGen give networks with parameters and initial counts", {
  net <- example_model("gene_expression")
  expect_identical(net$species$initial, c(1, 0, 0, 0))
  expect_identical(net$parameters[["k_mRNA"]], 5)
  expect_identical(unique(net$reactions$law), "mass action")
  sir <- example_model("sir")
  expect_identical(stats::setNames(sir$species$initial, sir$species$species), c(S = 199, I = 1, R = 0))
  expect_named(sir$parameters, c("infection", "recovery"))
  expect_named(example_model("multistate")$variables, "A_phosphorylated")
  expect_identical(nrow(example_model("repressilator_reactions")$reactions), 12L)
})

test_that("models that are also generated are the same", {
  net <- example_model("viral_infection")
  expect_equal(net$reactions, reaction_model("viral_infection")$reactions)
  expect_setequal(net$species$species, reaction_model("viral_infection")$species$species)
  expect_identical(net$species$initial[net$species$species == "RNA"], 1)
  run <- function(net) {
    observe <- reaction_model("multistate")$species$species
    as.data.frame(simulate(net, nsim = 20, times = c(0.1, 1), observe = observe, method = "direct", seed = 1))
  }
  expect_identical(run(example_model("multistate")), run(reaction_model("multistate")))
})

test_that("gene expression has the moments that follow from its linear propensities", {
  net <- example_model("gene_expression")
  k <- as.list(net$parameters)
  # in the long run, dmean/dt = A mean + b = 0 and A C + C A' + D = 0, where D is the sum of the squared changes by propensity;
  # the gene is one count, because gene_off = 1 - gene_on
  A <- rbind(c(-k$k_on - k$k_off, 0, 0), c(k$k_mRNA, -k$d_mRNA, 0), c(0, k$k_protein, -k$d_protein))
  mean <- solve(A, -c(k$k_on, 0, 0))
  expect_equal(mean, c(1 / 6, 25 / 6, 1250 / 3))
  D <- diag(c(
    k$k_on * (1 - mean[[1]]) + k$k_off * mean[[1]], k$k_mRNA * mean[[1]] + k$d_mRNA * mean[[2]],
    k$k_protein * mean[[2]] + k$d_protein * mean[[3]]
  ))
  C <- matrix(solve(kronecker(diag(3), A) + kronecker(A, diag(3)), -as.vector(D)), 3)
  # at time 700, exp(-0.02 * 700) is below 1e-6
  expect_moments(net, data.frame(species = c("gene_on", "mRNA", "protein"), mean = mean, sd = sqrt(diag(C))), 700, 3000)
})

test_that("predators and prey are in balance at the start, and have the right distribution", {
  net <- example_model("lotka_volterra")
  flow <- simulate(net, times = c(0, 1, 3), method = "ode") # c3 / c2 prey and c1 / c2 predators are a fixed point
  expect_equal(flow$mean, rep(1000, 6), tolerance = 1e-6)
  few <- set_parameters(set_initial(net, prey = 10, predator = 5), c2 = 1)
  truth <- as.data.frame(chemical_master_equation(few, times = 0.1), what = "moments")
  expect_moments(few, truth, 0.1, 20000)
})

test_that("Schloegl's reaction has its two stable counts and the right distribution", {
  net <- example_model("schlogl")
  # (c1 A / 2) x^2 - (c2 / 6) x^3 + c3 B - c4 x = 0
  counts <- sort(Re(polyroot(c(200, -3.5, 0.015, -1e-4 / 6))))
  ends <- vapply(c(240, 260), function(x) simulate(net, times = 200, initial = c(X = x), method = "ode")$mean, 0)
  expect_equal(ends, counts[c(1, 3)], tolerance = 1e-6)
  expect_equal(round(ends), c(85, 567))
  truth <- as.data.frame(chemical_master_equation(net, times = 1.5), what = "moments")
  expect_moments(net, truth, 1.5, 5000)
})

test_that("the epidemic has the exact distribution of its final size", {
  net <- example_model("sir")
  k <- as.list(net$parameters)
  # probability[s + 1, i + 1]: that s are susceptible and i infected at some time; each event takes (s, i) to (s - 1, i + 1) or
  # (s, i - 1)
  probability <- matrix(0, 200, 202)
  probability[200, 2] <- 1
  for (s in 199:0) for (i in (200 - s):1) {
    p <- probability[s + 1, i + 1]
    infects <- k$infection * s / (k$infection * s + k$recovery)
    if (s > 0) probability[s, i + 2] <- probability[s, i + 2] + p * infects
    probability[s + 1, i] <- probability[s + 1, i] + p * (1 - infects)
  }
  n <- 5000
  sim <- simulate(net, nsim = n, times = 1000, observe = c("S", "I"), output = "final", seed = 1)
  expect_true(all(sim$I == 0))
  group <- function(s) cut(s, c(-1, seq(2, 32, by = 2), 170, 190, 194, 196:199))
  expected <- n * vapply(split(probability[, 1], group(0:199)), sum, 0)
  expect_true(all(expected > 5))
  expect_equal(sum(expected), n)
  observed <- as.vector(table(group(sim$S)))
  expect_gt(stats::pchisq(sum((observed - expected)^2 / expected), length(expected) - 1, lower.tail = FALSE), 1e-4)
})

test_that("the toggle switch has the right distribution", {
  net <- example_model("toggle_reactions")
  truth <- as.data.frame(chemical_master_equation(net, times = 3, tolerance = 1e-6), what = "moments")
  expect_moments(net, truth, 3, 10000)
})

test_that("the repressilator rests where its equations say, and oscillates otherwise", {
  net <- example_model("repressilator_reactions")
  k <- as.list(net$parameters)
  rest <- stats::uniroot(function(p) p - 20 * (0.03 + 29.97 / (1 + (p / 40)^2)) * 10 / log(2), c(0, 1e4), tol = 1e-9)$root
  even <- simulate(net, times = 100, initial = c(m_lacI = 10, m_tetR = 10, m_cI = 10), method = "ode", tolerance = 1e-10)
  expect_equal(even$mean[startsWith(even$species, "p_")], rep(rest, 3), tolerance = 1e-6)
  expect_equal(even$mean[startsWith(even$species, "m_")], rep(rest / 20 * 2 / 10, 3), tolerance = 1e-6)
  flow <- simulate(net, times = seq(400, 800, 5), observe = "p_cI", method = "ode")
  expect_gt(max(flow$mean), 10 * min(flow$mean))
})
