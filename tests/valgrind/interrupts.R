# A few interrupts of each kind of long call, for valgrind: the package must free what an interrupted call leaves.
library(fireflip)
source("tests/campaign/interrupt-calls.R")

set.seed(1)
calls <- long_calls(big = 100, slow = 40, chain = 9, trajectories = 20)
threads <- process_status("Threads")
interrupted <- 0L
for (call in rep(calls, 3)) {
  interrupted <- interrupted + interrupt(call, runif(1, 0.3, 4))$interrupted # under valgrind even the start takes time
  invisible(gc()) # frees the R objects that hold objects of the core
  stopifnot(process_status("Threads") <= threads)
}
cat(sprintf("interrupts: %d of %d calls interrupted\n", interrupted, 3L * length(calls)))
stopifnot(interrupted >= 0.9 * 3 * length(calls))
