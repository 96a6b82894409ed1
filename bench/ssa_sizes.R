# Time of an event on a GPU against the size of the network, against the number of trajectories, and against the number of partial
# sums, as in figures 7, 8 and 9 of Komarov and D'Souza (2012), the first beside the fastest method on all cores of the processor:
#   Rscript bench/ssa_sizes.R build/sizes.csv           measures, some minutes on a machine with a GPU
#   Rscript bench/ssa_sizes.R build/sizes.csv draw build/sizes.png
# Times are those by which whole calls of simulate() exceed shorter ones. The speed of the size before tells how long a network is
# simulated; if that was too short, it is simulated again.
#   FAMILIES=chain,colloid   only these
#   MOST=1e5, LEAST=1e3      only networks of at most, or of at least, so many reactions
#   FIGURE=7                 only this figure
#   SECONDS=0.3              for a measurement, which also takes at least twice as long as set-up
library(fireflip)

# `rate`: the sum of all propensities at time 0, by which the first measurement finds its time. `method`: the fastest one on the
# processor for networks of more than 2e5 reactions, for which a call takes many seconds. For others, the fastest is taken.
families <- list(
  chain = list(
    make = function(n) reaction_model("cyclic_chain", species = n), sizes = 10^(1:6), rate = function(n) n,
    methods = c("auto", "composition_rejection"), method = "composition_rejection"
  ),
  colloid = list(
    make = function(n) reaction_model("colloid", species = n), sizes = c(10, 30, 100, 252, 500, 1000),
    rate = function(n) n^2 / 2, methods = c("auto", "pssa_cr"), method = "auto"
  ),
  random = list(
    make = function(n) reaction_model("random", species = n, reactions = n, seed = 1), sizes = 2^c(6, 10, 13, 16, 19),
    rate = function(n) 5000 * n, methods = c("auto", "rssa_cr"), method = "rssa_cr"
  )
)
realisations <- list(chain = 5e4, colloid = 252, random = 1024) # sizes of figure 8
blocks <- list( # numbers of partial sums of figure 9; 0 lets the program choose
  chain = list(size = 5e4, n = c(0, 4, 8, 16, 32, 64, 128, 256)), colloid = list(size = 60, n = c(0, 1, 2, 4, 8))
)
least <- as.numeric(Sys.getenv("SECONDS", "0.3"))
most <- as.numeric(Sys.getenv("MOST", "Inf"))
fewest <- as.numeric(Sys.getenv("LEAST", "0"))
figure <- Sys.getenv("FIGURE")
only <- Sys.getenv("FAMILIES")
if (nzchar(only)) families <- families[strsplit(only, ",")[[1L]]]
cores <- fireflip_threads()
large <- 2e5 # reactions: such a network is simulated as seldom as possible
known <- new.env() # events per second of the last measurement, by family, backend and method

call_of <- function(net, nsim, end, method, backend) {
  took <- system.time(sim <- simulate(net, nsim, seed = 1, times = end, observe = 1, method = method, backend = backend,
    threads = cores))[["elapsed"]]
  about <- summary(sim)
  list(seconds = took, events = about$events, method = about$method, kernel = about$device$kernel)
}

# Events a second: by how many events, and by how much time, a longer call exceeds a shorter one. So what a call needs besides its
# events does not count. A network at rest has no more events, however long its time is; then the speed is that of the call.
speed_of <- function(net, nsim, rate, method, backend, key) {
  key <- paste(key, backend, method)
  guess <- if (is.null(known[[key]])) if (backend == "cuda") min(1e9, 3e5 * nsim) else 1e6 * cores else known[[key]]
  call_to <- function(end) call_of(net, nsim, end, method, backend)
  if (backend == "cuda") call_to(0) # compiles
  least <- max(least, 2 * call_to(0)$seconds) # the time of set-up varies
  end <- guess * least / (nsim * rate)
  short <- call_to(end)
  for (tries in 1:7) {
    end <- end * min(20, max(2, 3 * least / short$seconds))
    long <- call_to(end)
    seconds <- long$seconds - short$seconds
    events <- long$events - short$events
    if (events < 0.2 * long$events || (seconds >= least && events >= 0.45 * long$events)) break
    short <- long
  }
  speed <- if (events < 0.2 * long$events) long$events / long$seconds else events / seconds
  known[[key]] <- speed
  data.frame(method = long$method, kernel = if (is.null(long$kernel)) NA else long$kernel, events = long$events,
    events_per_second = speed)
}

# The fastest of some methods; those that cannot run the network are left out.
fastest <- function(net, nsim, rate, methods, backend, key) {
  found <- lapply(methods, function(method) tryCatch(speed_of(net, nsim, rate, method, backend, key),
    fireflip_error = function(e) {
      message(method, ", ", backend, ": ", conditionMessage(e))
      NULL
    }))
  found <- do.call(rbind, found)
  found[which.max(found$events_per_second), ]
}

# Figure 9: the networks have as many first partial sums as wanted.
measure_blocks <- function(family, net, rate, add) {
  for (n in blocks[[family]]$n) {
    options(fireflip.blocks = n, fireflip.kernel = "generated")
    found <- fastest(net, 2^16, rate, "auto", "cuda", paste(family, "blocks"))
    options(fireflip.blocks = NULL, fireflip.kernel = NULL)
    add(9, family, n, net, 2^16, "cuda", found)
  }
}

measure <- function(csv) {
  result <- NULL
  add <- function(figure, family, size, net, nsim, backend, found) {
    if (is.null(found)) return(invisible())
    about <- data.frame(figure, family, size, reactions = nrow(net$reactions), backend, trajectories = nsim)
    result <<- rbind(result, cbind(about, found))
    print(utils::tail(result, 1), row.names = FALSE)
    utils::write.csv(result, csv, row.names = FALSE)
  }
  wanted <- function(number) figure %in% c("", number)
  for (family in names(families)) {
    one <- families[[family]]
    for (size in one$sizes) {
      if (!wanted(7)) next
      net <- one$make(size)
      n <- nrow(net$reactions)
      if (n > most || n < fewest) next
      nsim <- if (n < 5000) 2^18 else if (n < 2e5) 2^16 else 2^14
      methods <- if (n > large) one$method else one$methods
      add(7, family, size, net, nsim, "cuda", fastest(net, nsim, one$rate(size), "auto", "cuda", family))
      add(7, family, size, net, 16 * cores, "cpu", fastest(net, 16 * cores, one$rate(size), methods, "cpu", family))
    }
    size <- realisations[[family]]
    if (wanted(8)) {
      net <- one$make(size)
      for (nsim in 2^seq(5, 17, 2)) {
        found <- fastest(net, nsim, one$rate(size), "auto", "cuda", paste(family, "trajectories"))
        add(8, family, size, net, nsim, "cuda", found)
      }
    }
    size <- blocks[[family]]$size
    if (wanted(9) && !is.null(size)) measure_blocks(family, one$make(size), one$rate(size), add)
  }
}

draw <- function(csv, png) {
  result <- utils::read.csv(csv)
  grDevices::png(png, 2000, 1800, res = 170)
  graphics::par(mfrow = c(3, 3), mar = c(4, 5, 2, 0.5), mgp = c(3.6, 0.7, 0), las = 1)
  panel <- function(rows, x, label, title) {
    plot(NA, xlim = range(rows[[x]]), ylim = range(1e9 / rows$events_per_second), log = "xy", axes = FALSE, xlab = "", ylab = "",
      main = title)
    for (side in 1:2) {
      at <- graphics::axTicks(side, nintLog = 3)
      powers <- 10^(-3:7)
      shown <- powers[powers >= min(at) & powers <= max(at)]
      if (length(shown) < 3L) shown <- at
      graphics::axis(side, shown, vapply(shown, format, "", big.mark = ",", scientific = FALSE))
    }
    graphics::box()
    graphics::title(xlab = label, line = 2.4)
    graphics::title(ylab = "ns an event", line = 3.6)
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
  for (family in names(blocks)) {
    rows <- result[result$figure == 9 & result$family == family & result$size > 0, ]
    chosen <- result[result$figure == 9 & result$family == family & result$size == 0, ]
    if (nrow(rows) == 0L) next
    panel(rows, "size", "partial sums", sprintf("%s, %d reactions", family, rows$reactions[[1L]]))
    graphics::abline(h = 1e9 / chosen$events_per_second, lty = 3) # what the program chooses
  }
  plot.new()
  graphics::legend("center", c("GPU", "all cores of the processor", "the number that the program chooses"), lty = c(1, 2, 3),
    pch = c(1, 1, NA), bty = "n")
  invisible(grDevices::dev.off())
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 1L) measure(arguments[[1L]]) else draw(arguments[[1L]], arguments[[3L]])
