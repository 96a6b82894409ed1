# What a user waits for in a new session of R, on one core: Rscript bench/ssa_cold.R. Each row is a session of its own, which
# loads the package and then makes one call; the table has the seconds of this call, RUNS (3) times, and in parentheses those that
# a processor worked for it.
#   decay-dimerisation   1,000 trajectories from 1e5 molecules, means at 100 times
#   egfr_net             from the file to the first event, if FIREFLIP_SHARED names the folder that has it
#   receptor             the same for a network of 4,103 species and 61,449 reactions, which is written to a file before
library(fireflip)
runs <- as.integer(Sys.getenv("RUNS", "3"))

# The last argument of a session is a file, or "".
first_event <- "system.time({
  net <- read_bngl_net(file)
  found <- simulate(net, nsim = 1, times = 1e-9, observe = 1, threads = 1, seed = 1)
})"
calls <- c("decay-dimerisation" = "system.time({
  net <- reaction_network('S1 -> 0' = 1, '2 S1 <-> S2' = c(0.002, 0.5), 'S2 -> S3' = 0.04, initial = c(S1 = 1e5))
  found <- simulate(net, nsim = 1000, times = seq(0.1, 10, 0.1), observe = c('S1', 'S2'), threads = 1, seed = 1)
})", egfr_net = first_event, receptor = first_event)
targets <- c("decay-dimerisation" = 2.5, egfr_net = 0.2, receptor = 1)

receptor <- tempfile(fileext = ".net")
write_network(reaction_model("receptor"), receptor)
egfr <- file.path(Sys.getenv("FIREFLIP_SHARED"), "models", "bngl-nets", "egfr_net.net")
files <- c("decay-dimerisation" = "", egfr_net = egfr, receptor = receptor)

cold <- function(call, file) {
  code <- sprintf("file <- commandArgs(TRUE); library(fireflip); took <- %s; cat(took[['elapsed']], sum(took[1:2]))", call)
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  on.exit(unlink(script))
  scan(text = system2(file.path(R.home("bin"), "Rscript"), c(script, shQuote(file)), stdout = TRUE), quiet = TRUE)
}

for (name in names(calls)) {
  if (name == "egfr_net" && !file.exists(egfr)) next
  took <- vapply(seq_len(runs), function(i) cold(calls[[name]], files[[name]]), c(0, 0))
  shown <- sprintf("%.3g (%.3g)", took[1L, ], took[2L, ])
  cat(sprintf("%-20s %s s, target %g\n", name, paste(shown, collapse = ", "), targets[[name]]))
}
