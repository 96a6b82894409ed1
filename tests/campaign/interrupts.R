# Ctrl-C at random times: Rscript tests/campaign/interrupts.R, or make campaign CAMPAIGN=interrupts. TIMES is the number of rounds
# (1000). BACKEND=cuda calls only what runs on GPUs, and needs one. Each of its calls is made once before, because the first one
# compiles code, which takes longer than the signal.
#
# Each round starts a long call; the kinds of calls alternate. A shell sends SIGINT after a random time. The call must return
# within a second and leave no thread. The memory of the process may grow by at most 16 MB. That is 1000 leaks of 16 KB, and a
# tile has hundreds of KB. malloc keeps large blocks for a while, which is no leak. So the smallest size in the last 50 rounds is
# compared with the smallest in the first 50.
library(fireflip)
source("tests/campaign/interrupt-calls.R")

times <- as.integer(Sys.getenv("TIMES", "1000"))
set.seed(1)
backend <- Sys.getenv("BACKEND", "cpu")
calls <- c(if (backend == "cpu") long_calls(), long_reaction_calls(backend))
if (backend != "cpu") for (call in calls) interrupt(call, 5)
threads_at_start <- process_status("Threads")
latest <- memory <- numeric(times)
interrupted <- 0L
for (i in seq_len(times)) {
  round <- interrupt(calls[[(i - 1L) %% length(calls) + 1L]], runif(1, 0.001, 0.3))
  latest[[i]] <- round$late
  if (round$late >= 1) cat(sprintf("call %d returned after %.2f s\n", (i - 1L) %% length(calls) + 1L, round$late))
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
