# 300 random networks, as tests/campaign/coverage.R draws them; the campaign prints more and takes other numbers.
test_that("95% intervals hold the exact value in 92.5% to 97.5% of the cases", {
  skip_on_cran()
  campaign <- test_path("..", "campaign", "random-networks.R")
  skip_if_not(file.exists(campaign), "the campaign's networks are not part of the built package")
  source(campaign, local = TRUE)
  results <- NULL
  for (i in 1:3000) {
    results <- rbind(results, one_network(i))
    if (NROW(results) == 300L) break
  }
  expect_identical(nrow(results), 300L)
  expect_setequal(unique(results$update), c("synchronous", "asynchronous"))
  expect_setequal(unique(results$layout), c("sliced", "packed"))
  for (held in list(results$set_held, results$influence_held)) {
    # honest intervals: 285 of 300 with a standard deviation of 3.8, so that these bounds are two of them away
    expect_gte(mean(held), 0.925)
    expect_lte(mean(held), 0.975)
  }
  expect_true(all(results$precise))
  expect_true(all(results$reduction_kept))
})
