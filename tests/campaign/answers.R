# Writes a hash of each answer, for several networks, calls and engines. Two versions of fireflip that write the same table give
# the same answers to the last bit. Run it with each version and compare:
#   Rscript tests/campaign/answers.R before.csv             # writes the table
#   Rscript tests/campaign/answers.R after.csv before.csv   # writes it and compares; stops with an error if an answer differs
suppressMessages(library(fireflip))
# ONLY=cuda,interpreter in the environment leaves out the other engines, and the calls that do not use an engine.
paths <- commandArgs(trailingOnly = TRUE)
only <- strsplit(Sys.getenv("ONLY"), ",")[[1L]]

# The answer itself, without other parts of a result. Numbers are represented by their bits.
numbers <- c("set", "from", "to", "node", "probability", "influence", "changed", "difference", "lower", "upper", "samples",
             "trajectories", "rhat", "trajectory", "step")
bits <- function(x) if (is.double(x)) sprintf("%a", x) else as.character(x)
answer <- function(x) {
  if (is.matrix(x)) return(bits(x))
  x <- as.data.frame(x)
  names(x)[names(x) == "frequency"] <- "probability"
  unlist(lapply(x[intersect(numbers, names(x))], bits), use.names = FALSE)
}
hash <- function(x) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(if (inherits(x, "error")) class(x) else answer(x), file)
  unname(tools::md5sum(file))
}

perturbed <- function(name, p = 0.01) set_perturbation(example_model(name), p)
networks <- list(
  shmulevich3 = perturbed("shmulevich3"), cellcycle = perturbed("cellcycle"), yeast = perturbed("yeast"),
  apoptosis = example_model("apoptosis"), toggle_p0 = set_perturbation(example_model("toggle"), 0),
  random_40 = random_pbn(40, parents = c(1, 5), perturbation = 0.01, seed = 11),
  random_40_async = random_pbn(40, parents = c(1, 4), perturbation = 0.01, seed = 12, update = "asynchronous"),
  random_60_contexts = random_pbn(60, parents = c(1, 4), perturbation = 0.005, seed = 13, contexts = 3),
  random_300 = random_pbn(300, functions = c(1, 4), parents = c(1, 6), perturbation = 0.01, seed = 14),
  random_300_async = random_pbn(
    300, functions = c(1, 4), parents = c(1, 6), perturbation = 0.01, seed = 15, update = "asynchronous"
  )
)
target <- function(net) utils::tail(net$nodes, 1)
sets <- function(net) c(net$nodes[[1L]], paste(utils::tail(net$nodes, 2), collapse = " & !"))
simulated <- function(verb, net, what, ...) {
  verb(net, what, precision = 0.005, method = "simulation", seed = 7, on_slow = "warn", progress = FALSE, ...)
}
calls <- list(
  steady_state = function(net, ...) simulated(steady_state, net, sets(net), ...),
  packed = function(net, ...) simulated(steady_state, net, sets(net), layout = "packed", ...),
  influence = function(net, ...) long_run_influence(net, to = target(net), precision = 0.005, method = "simulation", seed = 7,
                                                    on_slow = "warn", progress = FALSE, ...),
  parts = function(net, ...) c(simulated(steady_state, net, sets(net), shard = c(1, 2), ...),
                               simulated(steady_state, net, sets(net), shard = c(2, 2), ...))
)
once <- list(
  exact = function(net) if (length(net$nodes) <= 12) steady_state(net, sets(net), method = "exact"),
  stationary = function(net) if (length(net$nodes) <= 12) as.matrix(stationary_distribution(net)$probability),
  outcomes = function(net) if (length(net$nodes) <= 60) outcomes(set_perturbation(net, 0), seed = 7, progress = FALSE),
  simulate = function(net) simulate(net, nsim = 5, seed = 7, steps = 40),
  sensitivity = function(net) {
    if (length(net$nodes) <= 12) {
      long_run_sensitivity(net, sets(net), change = "node", precision = 0.01, seed = 7, method = "simulation", progress = FALSE)
    }
  }
)
engines <- list(
  portable = list(simd = "portable", threads = 1), avx2 = list(simd = "avx2", threads = 2),
  avx512 = list(simd = "avx512", threads = 3), cuda = list(simd = NULL, threads = 2, backend = "cuda"),
  interpreter = list(simd = NULL, threads = 2, backend = "cuda", kernel = "interpreter")
)
cuda <- any(with(backends(), usable[name == "cuda"]))
if (!cuda) engines <- engines[1:3]
if (length(only) > 0L) {
  engines <- engines[only]
  once <- list()
}

try_call <- function(...) suppressMessages(suppressWarnings(tryCatch(..., error = identity)))
rows <- list()
add <- function(network, call, engine, x) {
  if (is.null(x)) return()
  # a packed program, which this kernel does not run
  if (engine == "interpreter" && inherits(x, "fireflip_error_argument")) return()
  rows[[length(rows) + 1L]] <<- data.frame(network = network, call = call, engine = engine, hash = hash(x))
  message(network, " ", call, " ", engine, " ", rows[[length(rows)]]$hash)
}
for (name in names(networks)) {
  net <- networks[[name]]
  for (call in names(calls)) for (engine in names(engines)) {
    with_engine <- engines[[engine]]
    options(fireflip.simd = with_engine$simd, fireflip.kernel = with_engine$kernel)
    backend <- if (is.null(with_engine$backend)) "cpu" else with_engine$backend
    add(name, call, engine, try_call(calls[[call]](net, threads = with_engine$threads, backend = backend)))
  }
  options(fireflip.simd = NULL, fireflip.kernel = NULL)
  for (call in names(once)) add(name, call, "", try_call(once[[call]](net)))
}
rows <- do.call(rbind, rows)
same <- tapply(rows$hash, paste(rows$network, rows$call), function(hashes) length(unique(hashes)) == 1L)
cat(sprintf("%d answers, %d networks; %d of %d calls have the same bits on all engines\n", nrow(rows), length(networks),
            sum(same),
            length(same)))
if (length(paths) >= 1L) utils::write.csv(rows, paths[[1L]], row.names = FALSE)
if (length(paths) >= 2L) {
  both <- merge(utils::read.csv(paths[[2L]]), rows, by = c("network", "call"), suffixes = c("_before", ""))
  different <- both[both$hash != both$hash_before, ]
  print(different, row.names = FALSE)
  cat(sprintf("%d answers compared, %d differ\n", nrow(both), nrow(different)))
  if (nrow(different) > 0L || nrow(both) == 0L) stop("answers differ")
}
if (!all(same)) stop("engines differ: ", paste(names(same)[!same], collapse = ", "))
