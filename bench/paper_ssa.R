# Compares fireflip with the GPU programs of Koester et al. (2022) that bench/paper_ssa.cu has. From the top folder:
#   Rscript bench/paper_ssa.R write build/paper            writes the networks, runs.txt and expected.csv
#   bench/paper_ssa.sh build/paper build/paper-ssa.csv     measures, on a machine with a GPU and nvcc
#   Rscript bench/paper_ssa.R check build/paper build/paper-ssa.csv    compares means with those of simulate()
#   Rscript bench/paper_ssa.R ours build/fireflip.csv      measures fireflip on the same networks, from the same states
#   Rscript bench/paper_ssa.R plot build/paper-ssa.csv build/paper-ssa.png build/fireflip.csv
#
# With 1 and 3 regions, runs are those of the paper: from one infected person to time 20 (2^15 trajectories) or 10 (2^20). With
# more regions, they have up to 100,000 events, which takes very long. Such a run and those of the other networks begin with the
# state of one trajectory in the middle of the paper's time, when the epidemic is under way, and stop after some steps, so that
# speeds are those of the middle of the paper's run. Runs of the purpose "check" end at a time after about 200 events.
library(fireflip)
source("bench/write_plain.R")

# The paper's times for 2^15 and 2^20 trajectories, and the time of the state in which runs begin here.
models <- rbind(
  data.frame(network = "sir_ring", regions = c(1, 3, 10, 30, 100, 300, 1000), end_15 = 20, end_20 = 10,
    from = rep(c(0, 5), c(2, 5))),
  data.frame(network = c("decay_dimerisation", "multistate", "multisite"), regions = NA, end_15 = c(10, 10, 4),
    end_20 = c(10, 10, 4), from = c(5, 5, 2))
)

# An answer of simulate() at its last time.
at_last <- function(net, time, nsim, seed) {
  sim <- simulate(net, nsim = nsim, times = c(0, time), seed = seed, threads = 1)
  last <- as.data.frame(sim)[sim$time == time, c("species", "mean", "sd")]
  structure(last, events = attr(sim, "run")$events / nsim)
}

network_of <- function(name, regions, from) {
  net <- switch(name,
    sir_ring = if (regions > 1) reaction_model("sir_ring", regions = regions) else
      reaction_network("S + I -> 2 I" = 0.003, "I -> R" = 0.1, initial = c(S = 1000, I = 1)),
    decay_dimerisation = example_model("decay_dimerisation"),
    reaction_model(name)
  )
  if (from > 0) {
    state <- at_last(net, from, 1, 2)
    net$species$initial <- state$mean[match(net$species$species, state$species)]
  }
  net
}

# The steps of a run, so that a variant should take about a second on an H200 if memory limits its speed. 0 is no limit.
steps_of <- function(bits, reactions, from) {
  if (from == 0) 0 else if (bits == 20) min(3000, max(50, 4e4 %/% reactions)) else min(20000, max(800, 24e5 %/% reactions))
}

write_all <- function(folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  runs <- expected <- NULL
  for (i in seq_len(nrow(models))) {
    model <- models[i, ]
    file <- if (is.na(model$regions)) model$network else paste0(model$network, "_", model$regions)
    net <- network_of(model$network, model$regions, model$from)
    write_plain(net, file.path(folder, paste0(file, ".txt")))
    soon <- if (model$from == 0) 3 else 200 / attr(at_last(net, 0.01, 64, 3), "events") * 0.01
    nsim <- 20000
    means <- at_last(net, soon, nsim, 4)
    most <- order(-means$sd)[1:2] # the species that vary most
    species <- match(means$species[most], net$species$species) - 1
    run <- function(purpose, bits, time, steps) data.frame(
      purpose, network = model$network, regions = model$regions, file, trajectories = 2^bits, time = signif(time, 6),
      steps, species_1 = species[[1L]], species_2 = species[[2L]]
    )
    steps <- function(bits) steps_of(bits, nrow(net$reactions), model$from)
    runs <- rbind(runs, run("check", 15, soon, 0), run("speed", 15, model$end_15 - model$from, steps(15)),
      run("speed", 20, model$end_20 - model$from, steps(20)))
    expected <- rbind(expected, data.frame(network = model$network, regions = model$regions, mean_1 = means$mean[[most[[1L]]]],
      mean_2 = means$mean[[most[[2L]]]], se_1 = means$sd[[most[[1L]]]] / sqrt(nsim), se_2 = means$sd[[most[[2L]]]] / sqrt(nsim)))
  }
  write.table(format(runs, scientific = FALSE, trim = TRUE, drop0trailing = TRUE), file.path(folder, "runs.txt"), quote = FALSE,
    row.names = FALSE)
  write.csv(expected, file.path(folder, "expected.csv"), row.names = FALSE)
}

# Speeds of fireflip by the clock of a whole call whose code is in the cache. A run ends at a time by which a trajectory has had
# about as many steps as one of the paper's variants.
measure <- function(csv) {
  result <- NULL
  for (i in seq_len(nrow(models))) {
    model <- models[i, ]
    net <- network_of(model$network, model$regions, model$from)
    rate <- attr(at_last(net, 0.01, 64, 3), "events") / 0.01
    for (bits in c(15, 20)) {
      end <- (if (bits == 15) model$end_15 else model$end_20) - model$from
      steps <- steps_of(bits, nrow(net$reactions), model$from)
      if (steps > 0) end <- min(end, steps / rate)
      run <- function(seed) simulate(net, nsim = 2^bits, times = c(0, end), observe = 1, seed = seed, backend = "cuda")
      run(1)
      took <- system.time(sim <- run(2))[["elapsed"]]
      about <- summary(sim)
      result <- rbind(result, data.frame(
        network = model$network, regions = model$regions, variant = "fireflip", trajectories = 2^bits, events = about$events,
        events_per_second = about$events / took, kernels = about$events / about$device$seconds, method = about$method
      ))
      print(utils::tail(result, 1), row.names = FALSE)
    }
  }
  utils::write.csv(result, csv, row.names = FALSE)
}

# Differences of the means from those of simulate(), in standard errors. The variants of the optimized direct method have the same
# means, so 10 networks have at most 10 x 2 x 2 different differences. One of them is beyond 4.5 by chance with a probability of
# at most 40 x 6.8e-6 = 2.7e-4.
check_means <- function(folder, csv) {
  result <- read.csv(csv)
  both <- merge(result[result$purpose == "check", ], read.csv(file.path(folder, "expected.csv")), by = c("network", "regions"))
  for (k in 1:2) {
    part <- function(what, whose) both[[paste0(what, "_", k, whose)]]
    both[[paste0("z_", k)]] <- (part("mean", ".x") - part("mean", ".y")) / sqrt(part("se", ".x")^2 + part("se", ".y")^2)
  }
  print(both[c("network", "regions", "variant", "finished", "mean_1.x", "mean_1.y", "z_1", "mean_2.x", "mean_2.y", "z_2")],
    digits = 4, row.names = FALSE)
  stopifnot(both$finished == 1, abs(c(both$z_1, both$z_2)) < 4.5)
}

# Figures 5a and 5b of the paper: time of a step of a trajectory against the number of regions. Dashed lines leave out the time of
# sorting.
draw <- function(csv, png, ours) {
  result <- read.csv(csv)
  result <- result[result$purpose == "speed", ]
  result$without <- with(result, ifelse(sort_seconds > 0, events / (seconds - sort_seconds), NA))
  columns <- c("network", "regions", "variant", "trajectories", "events_per_second", "without")
  ours <- read.csv(ours)
  ours$events_per_second <- ours$kernels # the times of the variants are those of their kernels, too
  result <- rbind(result[columns], cbind(ours[columns[1:5]], without = NA))
  result <- result[result$network == "sir_ring", ]
  variants <- unique(result$variant)
  colours <- grDevices::hcl.colors(length(variants), "Dark 3")
  grDevices::png(png, 2000, 900, res = 160)
  graphics::par(mfrow = c(1, 2), mar = c(4, 5, 2, 0.5), mgp = c(3.6, 0.7, 0), las = 1)
  span <- range(1e6 / result$events_per_second, 1e6 / result$without, na.rm = TRUE)
  for (n in 2^c(15, 20)) {
    plot(NA, xlim = range(result$regions), ylim = span, log = "xy", xlab = "", ylab = "microseconds a step",
      main = sprintf("2^%d trajectories", log2(n)))
    graphics::title(xlab = "regions", line = 2.4)
    for (k in seq_along(variants)) {
      rows <- result[result$variant == variants[[k]] & result$trajectories == n, ]
      rows <- rows[order(rows$regions), ]
      graphics::lines(rows$regions, 1e6 / rows$events_per_second, col = colours[[k]], type = "o", pch = k, cex = 0.7)
      graphics::lines(rows$regions, 1e6 / rows$without, col = colours[[k]], lty = 2)
    }
    if (n == 2^15) graphics::legend("topleft", variants, col = colours, pch = seq_along(variants), lty = 1, bty = "n", cex = 0.7)
  }
  invisible(grDevices::dev.off())
}

arguments <- c(commandArgs(TRUE), rep(NA, 4))
switch(arguments[[1L]],
  write = write_all(arguments[[2L]]),
  check = check_means(arguments[[2L]], arguments[[3L]]),
  ours = measure(arguments[[2L]]),
  plot = draw(arguments[[2L]], arguments[[3L]], arguments[[4L]]),
  stop("write, check, ours or plot; see the top of this file")
)
