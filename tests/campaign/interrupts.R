# Ctrl-C at random instants: Rscript tests/campaign/interrupts.R, or make campaign CAMPAIGN=interrupts. TIMES says how many (1000).
#
# Each round starts a long call, a shell sends SIGINT after a random while, and the call must come back within a second with no
# thread left; over all rounds the process's memory may not grow by more than 16 MB (the first 50 rounds are not counted: R's
# own heap settles). Every fourth call is of another kind.
library(fireflip)

times <- as.integer(Sys.getenv("TIMES", "1000"))
set.seed(1)
net <- example_model("apoptosis")
big <- random_pbn(2000, functions = c(1, 3), parents = c(1, 6), perturbation = 1e-4, seed = 1)
slow <- random_pbn(200, perturbation = 1e-4, seed = 2)
slow$update <- "asynchronous"
chain <- random_pbn(18, functions = c(1, 2), parents = c(1, 3), perturbation = 1e-3, seed = 3)
calls <- list(
  function() steady_state(net, "complex1 & FADD", precision = 1e-7, threads = 2),
  function() long_run_influence(net, precision = 1e-7, threads = 2),
  function() steady_state(big, big$nodes[[1]], precision = 1e-6, threads = 3),
  function() steady_state(slow, slow$nodes[[1]], precision = 1e-6, threads = 2),
  function() simulate(net, nsim = 300, steps = 4000),
  function() repeat stationary_distribution(chain)
)
status <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
pid <- Sys.getpid()
threads_at_start <- status("Threads")
latest <- numeric(times)
interrupted <- 0L
for (i in seq_len(times)) {
  call <- calls[[(i - 1L) %% length(calls) + 1L]]
  mark <- tempfile()
  after <- runif(1, 0.001, 0.3)
  system(sprintf("(sleep %.4f; date +%%s.%%N > %s; kill -INT %d) >/dev/null 2>&1 &", after, mark, pid))
  outcome <- tryCatch({
    call()
    Sys.sleep(1) # a call that was done before the signal came: it comes here
    "done"
  }, interrupt = function(condition) "interrupted")
  back <- as.numeric(Sys.time())
  latest[[i]] <- back - as.numeric(readLines(mark))
  unlink(mark)
  interrupted <- interrupted + (outcome == "interrupted")
  stopifnot(status("Threads") <= threads_at_start)
  if (i == min(50L, times)) {
    gc()
    memory <- status("VmRSS")
  }
  if (i %% 100L == 0L) cat(sprintf("%d interrupts, slowest %.2f s\n", i, max(latest[seq_len(i)])))
}
invisible(gc())
growth <- (status("VmRSS") - memory) / 1024
cat(sprintf("%d of %d calls interrupted; slowest return %.2f s; memory grew by %.1f MB\n", interrupted, times, max(latest), growth))
stopifnot(interrupted >= 0.9 * times, max(latest) < 1, growth < 16)
