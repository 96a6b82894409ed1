# The time of an event against the size of the network, for each method, as a table of nanoseconds: Rscript bench/ssa_methods.R
# Environment: MOST, the largest number of reactions (default 4096; sizes are powers of two), EVENTS, the events of a measurement
# (default 20000), and RUNS, of which the median is taken (default 1). The time is the processor's, for one trajectory. What a
# simulation to time 0 takes (reading the network, and making its dependency graph) is subtracted.
library(fireflip)

setting <- function(name, default) as.numeric(Sys.getenv(name, default))
most <- setting("MOST", "4096")
events <- setting("EVENTS", "20000")
runs <- setting("RUNS", "1")
linear <- c("direct", "first_reaction") # an event takes a time in proportion to the reactions: not beyond 512

powers <- function(from) 2^seq(from, floor(log2(most)))
networks <- list(
  chain = lapply(powers(3), function(n) reaction_model("cyclic_chain", species = n)),
  colloid = lapply(powers(3), function(n) reaction_model("colloid", species = floor(sqrt(2 * n)))),
  random = lapply(powers(5), function(n) reaction_model("random", species = n, reactions = n, seed = 1)),
  aggregation = lapply(powers(3), function(n) reaction_model("aggregation", copies = n / 8, seed = 1)),
  aggregation_shared = lapply(powers(3), function(n) reaction_model("aggregation", copies = n / 8, shared = TRUE, seed = 1))
)

# The time until which about `events` events happen, found with another seed; a network that comes to rest has fewer.
time_for <- function(net) {
  time <- 1e-6
  repeat {
    found <- attr(simulate(net, times = time, observe = 1, method = "logarithmic_direct", threads = 1, seed = 2), "run")$events
    if (found >= events || time > 1e3) return(time)
    time <- time * 2
  }
}

seconds <- function(net, time, method) {
  took <- system.time(
    sim <- simulate(net, times = time, observe = 1, method = method, threads = 1, seed = 1)
  )
  c(took[["user.self"]], attr(sim, "run")$events)
}

# Nanoseconds an event
measure <- function(net, time, method) {
  stats::median(replicate(runs, {
    full <- seconds(net, time, method)
    empty <- seconds(net, 0, method)
    (full[[1L]] - empty[[1L]]) / full[[2L]] * 1e9
  }))
}

table <- NULL
for (family in names(networks)) {
  for (net in networks[[family]]) {
    n <- nrow(net$reactions)
    time <- time_for(net)
    row <- data.frame(network = family, reactions = n, species = nrow(net$species))
    for (method in ssa_methods()$method[ssa_methods()$exact]) {
      row[[method]] <- if (method %in% linear && n > 512) NA else signif(measure(net, time, method), 3)
    }
    table <- rbind(table, row)
    message(paste(format(row), collapse = "  "))
  }
}
options(width = 250)
print(table, row.names = FALSE)
