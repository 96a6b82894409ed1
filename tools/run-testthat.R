# tools/run-testthat.R [FILES [comma]]: runs testthat on the installed package. FILES is a regular expression. With "comma",
# numbers have a decimal comma, because any library may set such a locale; it is in FIREFLIP_LOCALES. The last line is
# "testthat: N passed, N failed, N skipped" and counts test_that blocks.
suppressPackageStartupMessages({
  library(testthat)
  library(fireflip)
})
only <- commandArgs(TRUE)
if ("comma" %in% only[-1L]) {
  Sys.setenv(LOCPATH = Sys.getenv("FIREFLIP_LOCALES"))
  if (!nzchar(suppressWarnings(Sys.setlocale("LC_NUMERIC", "de_DE.UTF-8")))) stop("FIREFLIP_LOCALES has no de_DE.UTF-8")
}
results <- as.data.frame(test_dir(
  "tests/testthat", package = "fireflip", load_package = "installed", stop_on_failure = FALSE, stop_on_warning = FALSE,
  reporter = CheckReporter$new(), filter = if (length(only) > 0L) only[[1L]]
))
failed <- results$failed > 0 | results$error
skipped <- results$skipped & !failed
slow <- head(results[order(-results$real), c("file", "test", "real")], 8)
cat("\nSlowest:\n", sprintf("  %6.1f s  %s: %s\n", slow$real, slow$file, slow$test), sep = "")
cat(sprintf("testthat: %d passed, %d failed, %d skipped\n", sum(!failed & !skipped), sum(failed), sum(skipped)))
