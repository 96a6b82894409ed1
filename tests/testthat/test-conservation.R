# Conservation laws: sums of counts that no reaction changes.

# The laws are a basis of all of them: orthogonal to the changes, independent, and as many as there can be.
expect_all_laws <- function(net, laws = conservation_laws(net)) {
  change <- stoichiometry(net)
  weights <- matrix(0, max(c(laws$law, 0)), nrow(change), dimnames = list(NULL, rownames(change)))
  weights[cbind(laws$law, match(laws$species, colnames(weights)))] <- laws$weight
  expect_true(all(weights %*% change == 0))
  expect_identical(laws$weight, round(laws$weight))
  rank <- if (ncol(change) == 0L) 0L else qr(change)$rank
  expect_identical(nrow(weights), nrow(change) - rank)
  if (nrow(weights) > 0L) expect_identical(qr(weights)$rank, nrow(weights))
  expect_equal(laws$total, as.vector(weights %*% net$species$initial)[laws$law])
  invisible(laws)
}

test_that("small networks have the laws that follow from their equations", {
  enzyme <- reaction_network("E + S <-> ES" = c(0.1, 1), "ES -> E + P" = 0.5, initial = c(E = 5, S = 100))
  expect_identical(conservation_laws(enzyme), data.frame(
    law = c(1L, 1L, 2L, 2L, 2L), species = c("E", "ES", "S", "ES", "P"), weight = 1, total = c(5, 5, 100, 100, 100)
  ))
  dimer <- reaction_network("2 A <-> B" = c(1, 1), "3 B <-> 2 C" = c(1, 1), initial = c(A = 1, C = 4))
  expect_identical(conservation_laws(dimer), data.frame(
    law = 1L, species = c("A", "B", "C"), weight = c(1, 2, 3), total = 13
  ))
  expect_identical(nrow(conservation_laws(reaction_model("decay_dimerisation"))), 0L)
  fixed <- reaction_network("A -> B" = 1, "F -> F + C" = 1, initial = c(F = 7), fixed = "B")
  expect_identical(conservation_laws(fixed), data.frame(law = 1:2, species = c("B", "F"), weight = 1, total = c(0, 7)))
  difference <- reaction_network("0 <-> A + B" = c(1, 1), initial = c(A = 3, B = 1)) # only A - B is conserved
  laws <- expect_all_laws(difference)
  expect_identical(abs(laws$total), c(2, 2))
  expect_identical(sort(laws$weight), c(-1, 1))
})

test_that("a sum of counts is the same in every state that a simulation reaches", {
  net <- reaction_model("multistate")
  laws <- expect_all_laws(net)
  expect_true(all(laws$weight == 1))
  expect_identical(sort(unique(laws$total)), c(1160, 5360))
  states <- as.data.frame(simulate(net, 3, 1, times = c(0.1, 5), output = "trajectories"))
  for (law in unique(laws$law)) {
    own <- laws[laws$law == law, ]
    expect_true(all(as.matrix(states[own$species]) %*% own$weight == own$total[[1L]]))
  }
})

test_that("laws of networks of the literature have no negative weights, and are all of them", {
  expect_positive <- function(net) expect_true(all(expect_all_laws(net)$weight > 0))
  expect_positive(reaction_model("multisite"))
  expect_positive(reaction_model("sir_ring", regions = 4))
  expect_positive(reaction_model("cyclic_chain", species = 20))
  expect_identical(conservation_laws(reaction_model("colloid", species = 12))$weight, as.double(1:12))
  egfr <- read_network(skip_without_shared("models/bngl-nets/egfr_net.net"))
  laws <- conservation_laws(egfr) # the numbers of molecules: EGF, EGFR, Grb2, Shc and Sos, some of which are bound at the start
  expect_true(all(laws$weight %in% 1:4))
  expect_setequal(laws$total, c(1.2e6, 1.8e5, 1e5 + 4.9e4, 2.7e5, 1.3e4 + 4.9e4))
})

test_that("random networks", {
  for (seed in 1:10) {
    expect_all_laws(reaction_model("random", species = 12, reactions = 5 + seed %% 6, seed = seed))
    expect_all_laws(reaction_model("aggregation", copies = 2, seed = seed))
  }
})

test_that("objects of other classes are an error", {
  expect_error(conservation_laws(1), "\"reaction_network\"", class = "fireflip_error_argument")
  expect_error(conservation_laws(reaction_model("multistate"), 5), class = "fireflip_error_argument")
})

test_that("a long chain has one law", { # the time once grew with the cube of the length
  n <- 3000
  chain <- reaction_network(data.frame(equation = sprintf("A%d -> A%d", seq_len(n - 1), seq_len(n)[-1]), rate = 1))
  expect_identical(conservation_laws(chain), data.frame(law = 1L, species = paste0("A", seq_len(n)), weight = 1, total = 0)[
    order(match(paste0("A", seq_len(n)), chain$species$species)), ])
})

test_that("networks with many laws have them soon", { # the times grew with the cube of the number of laws, and exponentially
  n <- 300
  hub <- reaction_network(data.frame(equation = sprintf("E + S%d -> C%d", 1:n, 1:n), rate = 1), initial = c(E = 5))
  expect_true(all(expect_all_laws(hub)$weight > 0))
  # Farkas's algorithm would need 69,754 vectors for this network
  expect_all_laws(reaction_model("random", species = 60, reactions = 40, seed = 1))
})
