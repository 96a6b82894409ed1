# Long calls of every kind, and a signal during a call. tests/campaign/interrupts.R does this a thousand times, and
# tests/valgrind/interrupts.R a few times with smaller networks.

long_calls <- function(big = 2000, slow = 200, chain = 18, trajectories = 300) {
  net <- example_model("apoptosis")
  big <- random_pbn(big, functions = c(1, 3), parents = c(1, 6), perturbation = 1e-4, seed = 1)
  slow <- random_pbn(slow, perturbation = 1e-4, update = "asynchronous", seed = 2)
  chain <- random_pbn(chain, functions = c(1, 2), parents = c(1, 3), perturbation = 1e-3, seed = 3)
  still <- set_perturbation(big, 0)
  ends <- set_update(set_perturbation(net, 0), "asynchronous")
  file <- tempfile(fileext = ".pbn")
  list(
    function() steady_state(net, "complex1 & FADD", precision = 1e-7, threads = 2),
    function() long_run_influence(net, precision = 1e-7, threads = 2),
    function() influence_analysis(net, c("complex1", "complex2"), precision = 1e-7, influence_precision = 1e-7, threads = 2),
    function() steady_state(big, big$nodes[[1]], precision = 1e-6, threads = 3),
    function() steady_state(slow, slow$nodes[[1]], precision = 1e-6, threads = 2),
    function() simulate(net, nsim = trajectories, steps = 4000),
    function() outcomes(still, max_steps = 2^30, max_states = 2^20, threads = 2, progress = FALSE),
    function() outcomes(ends, precision = 1e-3, max_states = 2^20, threads = 2, progress = FALSE),
    function() repeat stationary_distribution(chain),
    function() repeat reduce_network(read_network(write_network(net, file)), "complex2")
  )
}

# Sends SIGINT to this process after `after` seconds. Returns whether the call was interrupted, and how late it returned.
interrupt <- function(call, after) {
  mark <- tempfile()
  on.exit(unlink(mark))
  outcome <- tryCatch({
    system(sprintf("(sleep %.4f; date +%%s.%%N > %s; kill -INT %d) >/dev/null 2>&1 &", after, mark, Sys.getpid()))
    call()
    Sys.sleep(after + 1) # the call ended before the signal arrived: it arrives here
    "done"
  }, interrupt = function(condition) "interrupted")
  back <- as.numeric(Sys.time())
  list(interrupted = outcome == "interrupted", late = back - as.numeric(readLines(mark)))
}

process_status <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
