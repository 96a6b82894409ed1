# Time of an event on a GPU against the size of the network, and against the number of trajectories, as in figures 7 and 8 of
# Komarov and D'Souza (2012), beside the fastest method on all cores of the processor:
#   Rscript bench/ssa_sizes.R build/sizes.csv           measures, some minutes on a machine with a GPU
#   Rscript bench/ssa_sizes.R build/sizes.csv draw build/sizes.png
# A measurement takes about a second: it is repeated with a longer time of the network until it does. Times are those of whole
# calls of simulate(), less that of a call which ends at time 0.
#   FAMILIES=chain,colloid   only these
#   MOST=1e5, LEAST=1e3      only networks of at most, or of at least, so many reactions
#   FIGURE=7                 only this figure
#   SECONDS=0.5              for a measurement
library(fireflip)

families <- list(
  chain = list(
    make = function(n) reaction_model("cyclic_chain", species = n), sizes = 10^(1:6),
    methods = c("auto", "composition_rejection")
  ),
  colloid = list(
    make = function(n) reaction_model("colloid", species = n), sizes = c(10, 30, 100, 252, 500, 1000),
    methods = c("auto", "pssa_cr")
  ),
  random = list(
    make = function(n) reaction_model("random", species = n, reactions = n, seed = 1), sizes = 2^c(6, 10, 13, 16, 19),
    methods = c("auto", "rssa_cr")
  )
)
realisations <- list(chain = 5e4, colloid = 252, random = 1024) # sizes of figure 8
least <- as.numeric(Sys.getenv("SECONDS", "0.7"))
most <- as.numeric(Sys.getenv("MOST", "Inf"))
fewest <- as.numeric(Sys.getenv("LEAST", "0"))
figure <- Sys.getenv("FIGURE")
only <- Sys.getenv("FAMILIES")
if (nzchar(only)) families <- families[strsplit(only, ",")[[1L]]]
cores <- fireflip_threads()

call_of <- function(net, nsim, end, method, backend) {
  took <- system.time(sim <- simulate(net, nsim, seed = 1, times = end, observe = 1, method = method, backend = backend,
    threads = cores))[["elapsed"]]
  about <- summary(sim)
  list(seconds = took, events = about$events, method = about$method, kernel = about$device$kernel)
}

# Events a second. A network at rest has no more events, however long its time is.
speed_of <- function(net, nsim, method, backend) {
  end <- 1e-9
  before <- 0
  call_of(net, nsim, 0, method, backend) # compiles
  empty <- call_of(net, nsim, 0, method, backend)
  repeat {
    if (backend == "cuda") call_of(net, nsim, end, method, backend) # another time may need other code
    full <- call_of(net, nsim, end, method, backend)
    took <- full$seconds - empty$seconds
    if (took >= max(least, empty$seconds / 2) || (before > 100 && full$events < 1.2 * before)) break
    before <- full$events
    wanted <- if (took < 0.02) 10 else min(10, 1.3 * max(least, empty$seconds / 2) / took)
    end <- end * wanted
  }
  data.frame(method = full$method, kernel = if (is.null(full$kernel)) NA else full$kernel, events = full$events,
    events_per_second = full$events / took)
}

# The fastest of some methods; those that cannot run the network are left out.
fastest <- function(net, nsim, methods, backend) {
  found <- lapply(methods, function(method) tryCatch(speed_of(net, nsim, method, backend), fireflip_error = function(e) {
    message(method, ", ", backend, ": ", conditionMessage(e))
    NULL
  }))
  found <- do.call(rbind, found)
  found[which.max(found$events_per_second), ]
}

measure <- function(csv) {
  result <- NULL
  add <- function(figure, family, size, net, nsim, backend, found) {
    if (is.null(found)) return(invisible())
    result <<- rbind(result, data.frame(figure, family, size, reactions = nrow(net$reactions), backend, trajectories = nsim, found))
    print(utils::tail(result, 1), row.names = FALSE)
    utils::write.csv(result, csv, row.names = FALSE)
  }
  for (family in names(families)) {
    one <- families[[family]]
    for (size in one$sizes) {
      net <- one$make(size)
      n <- nrow(net$reactions)
      if (n > most || n < fewest || figure == "8") next
      nsim <- if (n < 5000) 2^18 else if (n < 2e5) 2^16 else 2^14
      add(7, family, size, net, nsim, "cuda", fastest(net, nsim, "auto", "cuda"))
      add(7, family, size, net, 16 * cores, "cpu", fastest(net, 16 * cores, one$methods, "cpu"))
    }
    if (figure == "7") next
    net <- one$make(realisations[[family]])
    for (nsim in 2^seq(5, 17, 2)) {
      add(8, family, realisations[[family]], net, nsim, "cuda", fastest(net, nsim, "auto", "cuda"))
    }
  }
}

draw <- function(csv, png) {
  result <- utils::read.csv(csv)
  grDevices::png(png, 2000, 1200, res = 170)
  graphics::par(mfrow = c(2, 3), mar = c(4, 5, 2, 0.5), mgp = c(3.6, 0.7, 0), las = 1)
  panel <- function(rows, x, label, title) {
    plot(NA, xlim = range(rows[[x]]), ylim = range(1e9 / rows$events_per_second), log = "xy", xlab = "", ylab = "ns an event",
      main = title)
    graphics::title(xlab = label, line = 2.4)
    for (backend in unique(rows$backend)) {
      part <- rows[rows$backend == backend, ]
      graphics::lines(part[[x]], 1e9 / part$events_per_second, type = "o", lty = if (backend == "cuda") 1 else 2)
    }
  }
  for (family in names(families)) panel(result[result$figure == 7 & result$family == family, ], "reactions", "reactions", family)
  for (family in names(families)) {
    rows <- result[result$figure == 8 & result$family == family, ]
    panel(rows, "trajectories", "trajectories", sprintf("%s, %d reactions", family, rows$reactions[[1L]]))
  }
  invisible(grDevices::dev.off())
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1L) measure(arguments[[1L]]) else draw(arguments[[1L]], arguments[[3L]])
