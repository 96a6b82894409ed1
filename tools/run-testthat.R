# Runs testthat on the installed package. The last line is "testthat: N passed, N failed, N skipped" and counts test_that blocks.
suppressPackageStartupMessages({
  library(testthat)
  library(fireflip)
})
only <- commandArgs(TRUE)
results <- as.data.frame(test_dir(
  "tests/testthat", package = "fireflip", load_package = "installed", stop_on_failure = FALSE, stop_on_warning = FALSE,
  reporter = CheckReporter$new(), filter = if (length(only) > 0L) only[[1L]]
))
failed <- results$failed > 0 | results$error
skipped <- results$skipped & !failed
slow <- head(results[order(-results$real), c("file", "test", "real")], 8)
cat("\nSlowest:\n", sprintf("  %6.1f s  %s: %s\n", slow$real, slow$file, slow$test), sep = "")
cat(sprintf("testthat: %d passed, %d failed, %d skipped\n", sum(!failed & !skipped), sum(failed), sum(skipped)))
