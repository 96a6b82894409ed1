# Ctrl-C at random instants: Rscript tests/campaign/interrupts.R, or make campaign CAMPAIGN=interrupts. TIMES says how many (1000).
#
# Each round starts a long call, the kinds in turn, a shell sends SIGINT after a random while, and the call must come back within a
# second with no thread left; over all rounds the process's memory may not grow by more than 16 MB (the first 50 rounds are
# not counted: R's own heap settles).
library(fireflip)
source("tests/campaign/interrupt-calls.R")

times <- as.integer(Sys.getenv("TIMES", "1000"))
set.seed(1)
calls <- long_calls()
threads_at_start <- process_status("Threads")
latest <- numeric(times)
interrupted <- 0L
for (i in seq_len(times)) {
  round <- interrupt(calls[[(i - 1L) %% length(calls) + 1L]], runif(1, 0.001, 0.3))
  latest[[i]] <- round$late
  interrupted <- interrupted + round$interrupted
  stopifnot(process_status("Threads") <= threads_at_start)
  if (i == min(50L, times)) {
    gc()
    memory <- process_status("VmRSS")
  }
  if (i %% 100L == 0L) cat(sprintf("%d interrupts, slowest %.2f s\n", i, max(latest[seq_len(i)])))
}
invisible(gc())
growth <- (process_status("VmRSS") - memory) / 1024
cat(sprintf("%d of %d calls interrupted; slowest return %.2f s; memory grew by %.1f MB\n", interrupted, times, max(latest), growth))
stopifnot(interrupted >= 0.9 * times, max(latest) < 1, growth < 16)
