# Checks whether long-run answers are correct: make campaign CAMPAIGN=coverage, or Rscript tests/campaign/coverage.R
#
# NETWORKS (300) of each family of tests/campaign/families.R are simulated and compared with their exact answers. FAMILY selects
# families by name, separated by commas. VERBOSE=1 prints one line per network. JOBS is the number of processes (default: all
# processors). All rows go to build/coverage-<family>.csv. Fails if in a family the exact method and the oracle differ; if fewer
# than 80% of the networks are answered without a warning; if the intervals of these contain the exact value in fewer than 92.5%
# or more than 97.5% of the cases; if a certain answer is wrong; if intervals are on average more than 1.5 times as wide as
# needed; or if an interval is wider than requested.
library(fireflip)
source("tests/campaign/oracle.R")
source("tests/campaign/families.R")
source("tests/campaign/judge.R")

n <- as.integer(Sys.getenv("NETWORKS", "300"))
wanted <- strsplit(Sys.getenv("FAMILY", paste(names(families), collapse = ",")), ",")[[1L]]
verbose <- nzchar(Sys.getenv("VERBOSE"))
stopifnot(all(wanted %in% names(families)))
dir.create("build", showWarnings = FALSE)

jobs <- as.integer(Sys.getenv("JOBS", parallel::detectCores()))

tell <- function(row) {
  cat(sprintf("%s %d p %.2g %s exact %.6f found %.6f [%.6f, %.6f] ratio %.2f, %.2f s%s%s\n", row$family, row$network, row$p,
    row$start, row$exact, row$estimate, row$lower, row$upper, row$ratio, row$seconds,
    if (row$plain && !row$held) " MISSED" else "",
    if (nzchar(row$warned)) paste0(": ", row$warned) else ""))
}

judge_one <- function(family, i) {
  row <- judge_case(family, i)
  if (verbose && !is.null(row)) tell(row)
  row
}

# All families share one queue, so that no process waits for the last case of a family.
cases <- expand.grid(i = seq_len(n), family = wanted, stringsAsFactors = FALSE)
rows <- parallel::mcmapply(judge_one, cases$family, cases$i, SIMPLIFY = FALSE, mc.cores = jobs, mc.preschedule = FALSE)
failed <- vapply(rows, inherits, NA, "try-error")
if (any(failed)) stop("case ", paste(cases[which(failed)[[1L]], ], collapse = " of "), ": ", rows[failed][[1L]])
unsolved <- table(factor(cases$family[vapply(rows, is.null, NA)], wanted))
rows <- do.call(rbind, rows)
lines <- NULL
for (family in wanted) {
  of_family <- rows[rows$family == family, ]
  utils::write.csv(of_family, sprintf("build/coverage-%s.csv", family), row.names = FALSE)
  lines <- rbind(lines, judge_family(of_family))
}
options(width = 200)
print(lines, row.names = FALSE, digits = 3)
failures <- unlist(lapply(split(lines, seq_len(nrow(lines))), family_failures))
for (family in wanted[unsolved > 0]) { # the others are judged all the same
  failures <- c(failures, sprintf("%s: %d networks have no exact answer to compare with", family, unsolved[[family]]))
}
if (length(failures) > 0L) stop("\n", paste(failures, collapse = "\n"))
