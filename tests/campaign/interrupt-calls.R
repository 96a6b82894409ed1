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

# The same for reaction networks. With `backend = "cuda"`, only calls that GPUs can run.
long_reaction_calls <- function(backend = "cpu", species = 2e4, regions = 100) {
  small <- example_model("decay_dimerisation")
  toggle <- example_model("toggle_reactions")
  ring <- reaction_model("sir_ring", regions = regions)
  chain <- reaction_model("cyclic_chain", species = species)
  random <- reaction_model("random", species = 300, reactions = 300, seed = 1)
  clock <- reaction_network(
    "0 -> A" = "20 * (1 + sin(3 * time))", "A -> 0" = 0.5, initial = c(A = 5),
    events = list(event("A > 60", set = c(A = "floor(A / 2)"), delay = 0.1))
  )
  grows <- reaction_network("0 -> 20 A" = "5e5 * (2 + B) / (1 + B)", "A -> B" = 1e-5, "C -> B" = 1e-3, initial = c(C = 2))
  run <- function(net, last, ..., nsim = 1e6) {
    simulate(net, nsim, seed = 1, times = last * c(0.5, 1), ..., backend = backend, threads = 2)
  }
  calls <- list(
    function() run(small, 100), function() run(toggle, 1e6, nsim = 1e5, observe = 1, output = "histogram"),
    function() run(ring, 50), function() run(chain, 50, observe = 1, nsim = 1e4), function() run(clock, 1e5),
    function() run(random, 1, method = "rssa", nsim = 1e5), function() run(random, 1, method = "first_reaction", nsim = 1e5),
    function() sweep_parameters(toggle, data.frame(U = 1:200), 1e5, seed = 1, times = 1e3, backend = backend, threads = 2),
    function() run(small, 10, output = "trajectories", nsim = 1e5), function() run(grows, 10, method = "factored"),
    function() run(toggle, 1e5, until = "U > 1e6", nsim = 1e5),
    function() first_passage(toggle, "U > 1e6", nsim = 1e6, seed = 1, end = 1e5, backend = backend, threads = 2)
  )
  if (backend != "cpu") return(calls)
  file <- tempfile(fileext = ".xml")
  c(calls, list(
    function() run(small, 100, method = "tau_leaping"), function() run(toggle, 1e4, method = "langevin"),
    function() run(toggle, 1e4, output = "events", nsim = 1e3),
    function() repeat chemical_master_equation(toggle, times = 1e3),
    function() repeat conservation_laws(chain), function() repeat read_network(write_network(ring, file))
  ))
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
