# The time of an event against the size of the network, for each method, as a table of nanoseconds: Rscript bench/ssa_methods.R
# Environment: MOST and LEAST, the numbers of reactions of the largest and of the smallest network (default 4096 and 32; sizes are
# powers of two), EVENTS, the least number of events of a measurement (default 20000; 20 times as many for methods whose search is
# not linear), RUNS, of which the median is taken (default 1), FAMILY, to measure one family only, and STEP, the distance of the
# powers (default 1). TABLE names a file to which the table is written; bench/plot_methods.R draws it. The time is the
# processor's, which has all methods, for one trajectory. What a simulation to time 0 takes (reading the network, and making its
# dependency graph) is subtracted. So a measurement is repeated with more events until these take a second, and half as long as
# the rest.
library(fireflip)

setting <- function(name, default) as.numeric(Sys.getenv(name, default))
most <- setting("MOST", "4096")
events <- setting("EVENTS", "20000")
runs <- setting("RUNS", "1")
linear <- c("direct", "first_reaction") # an event takes a time in proportion to the reactions: not beyond 512
searching <- c(linear, "optimised_direct", "sorting_direct", "pdm", "spdm")

powers <- rev(2^seq(floor(log2(most)), log2(setting("LEAST", "32")), by = -setting("STEP", "1")))
families <- list(
  chain = function(n) reaction_model("cyclic_chain", species = n),
  colloid = function(n) reaction_model("colloid", species = floor(sqrt(2 * n))),
  random = function(n) reaction_model("random", species = n, reactions = n, seed = 1),
  aggregation = function(n) reaction_model("aggregation", copies = n / 8, seed = 1),
  aggregation_shared = function(n) reaction_model("aggregation", copies = n / 8, shared = TRUE, seed = 1)
)
family <- Sys.getenv("FAMILY")
if (nzchar(family)) families <- families[family]

# The time until which about `events` events happen, found with another seed; a network that comes to rest has fewer.
time_for <- function(net, events) {
  time <- 1e-6
  repeat {
    found <- attr(simulate(net, times = time, observe = 1, method = "logarithmic_direct", threads = 1, seed = 2,
      backend = "cpu"), "run")$events
    if (found >= events / 2 || time > 1e3) return(time)
    time <- if (found < 20) time * 10 else time * min(10, events / found)
  }
}

seconds <- function(net, time, method) {
  took <- system.time(
    sim <- simulate(net, times = time, observe = 1, method = method, threads = 1, seed = 1, backend = "cpu")
  )
  c(took[["user.self"]], attr(sim, "run")$events)
}

# Nanoseconds an event. A network that comes to rest has no more events, however long the time is.
measure <- function(net, time, method) {
  stats::median(replicate(runs, {
    empty <- seconds(net, 0, method)[[1L]]
    full <- seconds(net, time, method)
    repeat {
      needed <- max(1, empty / 2) / max(full[[1L]] - empty, 0.01)
      if (needed <= 1) break
      time <- time * min(max(1.5 * needed, 2), 50)
      before <- full[[2L]]
      full <- seconds(net, time, method)
      if (full[[2L]] < 1.5 * before) break
    }
    (full[[1L]] - empty) / full[[2L]] * 1e9
  }))
}

table <- NULL
for (family in names(families)) {
  for (size in powers) {
    net <- families[[family]](size)
    n <- nrow(net$reactions)
    short <- time_for(net, events)
    long <- time_for(net, 20 * events)
    row <- data.frame(network = family, reactions = n, species = nrow(net$species))
    for (method in ssa_methods()$method[ssa_methods()$exact]) {
      row[[method]] <- if (method %in% linear && n > 512) NA else {
        signif(measure(net, if (method %in% searching) short else long, method), 3)
      }
    }
    table <- rbind(table, row)
    message(paste(format(row), collapse = "  "))
    if (nzchar(Sys.getenv("TABLE"))) utils::write.csv(table, Sys.getenv("TABLE"), row.names = FALSE)
  }
}
options(width = 250)
print(table, row.names = FALSE)
