# Locales in which numbers have a decimal comma.

# Evaluates an expression where numbers have a decimal comma. tools/check makes such a locale in the folder FIREFLIP_LOCALES.
with_comma <- function(expr) {
  known <- c("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "da_DK.UTF-8", "ru_RU.UTF-8")
  old <- list(path = Sys.getenv("LOCPATH", NA), numeric = Sys.getlocale("LC_NUMERIC"))
  on.exit({
    suppressWarnings(Sys.setlocale("LC_NUMERIC", old$numeric))
    if (is.na(old$path)) Sys.unsetenv("LOCPATH") else Sys.setenv(LOCPATH = old$path)
  })
  folder <- Sys.getenv("FIREFLIP_LOCALES")
  if (nzchar(folder)) Sys.setenv(LOCPATH = folder)
  found <- FALSE
  for (name in known) {
    if (!found && nzchar(suppressWarnings(Sys.setlocale("LC_NUMERIC", name)))) found <- has_comma()
  }
  skip_if(!found, "no locale with a decimal comma is installed")
  expr
}

# "tools/run-testthat.R FILES comma" runs all tests in such a locale. There, R prints a comma, and testthat even changes the code
# of snapshots: it writes c(A = 1.5) as c(A = 1,5) and runs this.
has_comma <- function() sprintf("%.1f", 1.5) == "1,5"
skip_with_comma <- function(why = "R prints numbers with a comma here") skip_if(has_comma(), why)
if (has_comma()) expect_snapshot <- function(...) skip_with_comma()

# The text of a number in a file that a test writes.
point <- function(text) gsub("([0-9]),([0-9])", "\\1.\\2", text)
