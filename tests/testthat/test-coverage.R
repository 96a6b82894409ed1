# A tenth of the campaign in tests/campaign/coverage.R, with fixed seeds: the first 30 fast networks of each family. Also the
# networks for which the estimator was once wrong.
campaign_files <- test_path("..", "campaign", c("oracle.R", "families.R", "judge.R", "issue-lines.R"))
skip_without_campaign <- function() {
  skip_on_cran()
  skip_if_not(all(file.exists(campaign_files)), "the campaign's networks are not part of the built package")
}
for (file in campaign_files[file.exists(campaign_files)]) source(file, local = TRUE)

# If every interval has a coverage of 95%, the number of intervals that contain the true value is binomial. Correct intervals may
# fail each test with probability 1e-3 / 11 = 9.1e-5, and those of all thirteen families together with probability 1.2e-3. Of 30
# intervals, 22 or fewer contain the true value with probability 8.5e-5, and 23 or fewer with probability 5.7e-4. So 23 pass.
least_chance <- 1e-3 / 11

test_that("the families' intervals have their coverage, and the oracle agrees with the exact method", {
  skip_without_campaign()
  for (family in setdiff(names(families), "masked_pairs")) { # those take minutes; test-rare-choices.R has one
    cases <- lapply(quick_cases(family, 30), function(i) suppressMessages(judge_case(family, i, 2^8, finest = 0.01)))
    rows <- do.call(rbind, cases)
    missed <- rows$network[rows$plain & !rows$held & !rows$certain]
    judged <- sum(rows$plain & !rows$certain)
    label <- sprintf("%s: %d of %d missed (%s): the chance of it", family, length(missed), judged, paste(missed, collapse = ", "))
    expect_gt(stats::pbinom(judged - length(missed), judged, 0.95), least_chance, label = label)
    expect_identical(rows$network[rows$plain & rows$certain & !rows$held], integer(), label = paste(family, "certain but wrong"))
    expect_identical(rows$network[which(abs(rows$exact - rows$oracle) > 1e-9)], integer(), label = paste(family, "by the oracle"))
    # if 80% of the networks of a family have a result, 14 of 30 or fewer have one with probability 5.2e-5
    chance <- stats::pbinom(sum(rows$plain), 30, least_plain(family))
    expect_gt(chance, least_chance, label = paste(family, "answered without a warning: chance"))
  }
})

# Of 300 correct intervals, 285 contain the true value, with a standard deviation of 3.8. The bounds are two of these away.
test_that("on 300 well-mixing networks, the coverage is 92.5% to 97.5%, and all have a result", {
  skip_without_campaign()
  rows <- suppressMessages(do.call(rbind, lapply(1:300, function(i) judge_case("well_mixing", i, 2^6, finest = 0.01))))
  expect_true(all(rows$plain))
  judged <- rows[!rows$certain, ]
  expect_gte(nrow(judged), 290L)
  expect_gte(mean(judged$held), 0.925)
  expect_lte(mean(judged$held), 0.975)
  expect_true(all(rows$held[rows$certain]))
})

# An interval with confidence 1 - 1e-6 misses the true value by chance once in a million.
test_that("networks for which the estimator was wrong now have a right result, or an error", {
  skip_without_campaign()
  judged <- 0L
  for (name in names(lines <- suppressMessages(issue_lines()))) {
    one <- lines[[name]]
    if (length(one$net$nodes) <= 12L) {
      expect_equal(exact_value(one$net, one$set), one$truth, tolerance = 2e-5, label = paste(name, "by the exact method"))
    }
    got <- attempt(line_answer(one, 1, 1 - 1e-6))
    expect_identical(!got$refused, one$answered, label = paste(name, "is answered"))
    if (got$refused || length(got$warned) > 0L || marked_uncertain(got$value)) next
    judged <- judged + 1L
    slack <- 1e-5 # the true value is known to so many digits
    expect_lte(got$value$lower, one$truth + slack, label = paste(name, "lower"))
    expect_gte(got$value$upper, one$truth - slack, label = paste(name, "upper"))
  }
  expect_gte(judged, sum(vapply(lines, `[[`, NA, "answered")) - 2L) # two may be marked as wider than requested
})

# The coverage of 95% intervals shows a bias that is smaller than such an interval. Of 20 intervals, 12 or fewer contain the true
# value by chance with probability 2.9e-6, and 13 or fewer with probability 3.4e-5. So 12 fail.
test_that("networks for which the estimator was slightly wrong now have the right coverage", {
  skip_without_campaign()
  for (name in names(lines <- Filter(function(one) one$often, suppressMessages(issue_lines())))) {
    one <- lines[[name]]
    held <- unlist(lapply(1:20, function(seed) {
      got <- attempt(line_answer(one, seed, 0.95))
      if (got$refused || length(got$warned) > 0L || marked_uncertain(got$value)) return(NULL)
      one$truth >= got$value$lower - 1e-5 && one$truth <= got$value$upper + 1e-5
    }))
    expect_gte(length(held), 15L)
    label <- sprintf("%s: %d of %d held: the chance of it", name, sum(held), length(held))
    expect_gt(stats::pbinom(sum(held), length(held), 0.95), 1e-5, label = label)
  }
})
