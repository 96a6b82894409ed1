# Ctrl-C at random instants: Rscript tests/campaign/interrupts.R, or make campaign CAMPAIGN=interrupts. TIMES says how many
# (1000).
#
# Each round starts a long call, the kinds in turn, a shell sends SIGINT after a random while, and the call must come back
# within a second with no thread left. The process's memory may not grow by more than 16 MB: that of 1000 leaks of
# 16 KB, where a tile has hundreds. What malloc keeps of a large block for a while is no leak, so that the least of the last
# 50 rounds is compared with the least of the first 50.
library(fireflip)
source("tests/campaign/interrupt-calls.R")

times <- as.integer(Sys.getenv("TIMES", "1000"))
set.seed(1)
calls <- long_calls()
threads_at_start <- process_status("Threads")
latest <- memory <- numeric(times)
interrupted <- 0L
for (i in seq_len(times)) {
  round <- interrupt(calls[[(i - 1L) %% length(calls) + 1L]], runif(1, 0.001, 0.3))
  latest[[i]] <- round$late
  interrupted <- interrupted + round$interrupted
  stopifnot(process_status("Threads") <= threads_at_start)
  gc()
  memory[[i]] <- process_status("VmRSS") / 1024
  if (i %% 100L == 0L) cat(sprintf("%d interrupts, slowest %.2f s\n", i, max(latest[seq_len(i)])))
}
few <- max(1L, min(50L, times %/% 2L))
growth <- min(utils::tail(memory, few)) - min(utils::head(memory, few))
cat(sprintf(
  "%d of %d calls interrupted; slowest return %.2f s; memory grew by %.1f MB (%.0f at most)\n", interrupted, times, max(latest),
  growth, max(memory)
))
stopifnot(interrupted >= 0.9 * times, max(latest) < 1, growth < 16)
