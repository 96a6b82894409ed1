# Rscript bench/ssp/figure7.R [OUT.csv [OUT.png]]: figure 7 of Park and Gerstlauer: steps a second against the number of
# reactions, for two numbers of species (so fixed dependency) and two ratios N/M. Six processors, simulated; their formula; and,
# measured in the same run, fireflip's methods on one core. Processors run CORES at a time (default: all cores), methods ALONGSIDE
# (default: 1). A processor has at least 3 steps of each SPE after 3 of warm-up, and SECONDS (default 4) if it needs more; what
# takes longer than 30 s for this is left out. MOST is the largest number of reactions (default 2^19). If OUT.csv is there, it is
# only drawn.
library(fireflip)
args <- commandArgs(TRUE)
number <- function(name, default) as.numeric(Sys.getenv(name, default))
cores <- number("CORES", parallel::detectCores())
seconds <- number("SECONDS", 4)
sizes <- 2^(3:19)
sizes <- sizes[sizes <= number("MOST", 2^19)]
panels <- list(
  "a: N = 4" = function(m) 1, "b: N = 256" = function(m) 64, "c: N/M = 1/8" = function(m) m / 32,
  "d: N/M = 1/64" = function(m) m / 256
)
shapes <- data.frame(spes = c(128, 1, 16, 4, 1, 1), rus = c(1, 128, 8, 32, 8, 1))

# The network of a panel: copies share so many sets of four species; NULL if there are more sets than copies, or a part of one.
network <- function(panel, m) {
  sets <- panels[[panel]](m)
  if (sets < 1 || sets > m / 8 || sets != round(sets)) return(NULL)
  reaction_model("aggregation", copies = m / 8, sets = sets, seed = 1)
}

processor <- function(point) {
  net <- network(point$panel, point$m)
  if (is.null(net)) return(NULL)
  chip <- ssp(spes = point$spes, rus = point$rus)
  program <- compile_ssp(net, chip, "paper")
  started <- proc.time()[["elapsed"]]
  found <- NULL
  for (try in c(seconds, 30)) {
    found <- fireflip:::sample_pace(program, 1, 0.005, try)
    if (found$steps >= 6 * chip$spes) break
  }
  if (found$steps < 6 * chip$spes) return(NULL)
  formula <- ssp_model(point$m, point$spes, point$rus)$throughput
  data.frame(
    panel = point$panel, reactions = point$m, species = nrow(net$species), what = sprintf("%d x %d", point$spes, point$rus),
    throughput = fireflip:::throughput_of(found, chip), error = found$error / found$mean, steps = found$steps, formula = formula
  )
}

# Events a second of a method on one core, without what is done before the first event.
software <- function(panel, m, method) {
  net <- network(panel, m)
  if (is.null(net)) return(NULL)
  time <- function(last) {
    system.time(sim <<- simulate(
      net, nsim = 1, times = last, seed = 1, method = method, threads = 1, backend = "cpu", observe = "S1", progress = FALSE
    ))[["elapsed"]]
  }
  sim <- NULL
  tryCatch(
    {
      setTimeLimit(elapsed = 40)
      on.exit(setTimeLimit())
      before <- min(time(0), time(0))
      last <- 1 / m
      repeat {
        spent <- time(last) - before
        if (spent > max(0.3, before)) break
        last <- last * if (spent > 0.03) 0.5 / spent else 8
      }
      data.frame(
        panel = panel, reactions = m, species = nrow(net$species), what = method, throughput = attr(sim, "run")$events / spent,
        error = NA, steps = attr(sim, "run")$events, formula = NA
      )
    },
    error = function(e) NULL
  )
}

measure <- function() {
  points <- merge(expand.grid(m = rev(sizes), panel = names(panels), stringsAsFactors = FALSE), shapes)
  points <- points[order(-points$m * points$spes), ]
  started <- proc.time()[["elapsed"]]
  rows <- parallel::mclapply(
    split(points, seq_len(nrow(points))), function(point) tryCatch(processor(point), error = function(e) conditionMessage(e)),
    mc.cores = cores, mc.preschedule = FALSE
  )
  failed <- Filter(is.character, rows)
  if (length(failed) > 0L) print(unique(unlist(failed)))
  found <- do.call(rbind, Filter(is.data.frame, rows))
  cat(sprintf("%d points of processors in %.0f s on %d cores\n", nrow(found), proc.time()[["elapsed"]] - started, cores))
  started <- proc.time()[["elapsed"]]
  asked <- expand.grid(
    method = c("composition_rejection", "next_reaction", "auto"), m = rev(sizes), panel = names(panels), stringsAsFactors = FALSE
  )
  measured <- parallel::mclapply(
    split(asked, seq_len(nrow(asked))), function(one) software(one$panel, one$m, one$method), mc.cores = number("ALONGSIDE", 1),
    mc.preschedule = FALSE
  )
  found <- rbind(found, do.call(rbind, Filter(is.data.frame, measured)))
  cat(sprintf("methods in %.0f s\n", proc.time()[["elapsed"]] - started))
  found
}

# Processors as lines, methods as points, the formula of 128 x 1 as a dotted line.
draw <- function(found, file) {
  grDevices::png(file, 1000, 900, res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 2), mar = c(4, 4, 2, 1))
  chips <- sprintf("%d x %d", shapes$spes, shapes$rus)
  methods <- c("composition_rejection", "next_reaction", "auto")
  colours <- grDevices::hcl.colors(length(chips), "Dark 3")
  for (panel in names(panels)) {
    part <- found[found$panel == panel, ]
    plot(NULL,
      xlim = range(found$reactions), ylim = range(found$throughput), log = "xy", xlab = "reactions", ylab = "steps a second",
      main = panel
    )
    for (i in seq_along(chips)) {
      one <- part[part$what == chips[[i]], ]
      one <- one[order(one$reactions), ]
      lines(one$reactions, one$throughput, col = colours[[i]], lwd = 2)
      if (i == 1L) lines(one$reactions, one$formula, lty = 3)
    }
    for (i in seq_along(methods)) {
      one <- part[part$what == methods[[i]], ]
      points(one$reactions, one$throughput, pch = c(4, 1, 19)[[i]], cex = 0.7)
    }
    if (panel == names(panels)[[1L]]) {
      legend("bottomleft", c(chips, methods),
        col = c(colours, rep(1, 3)), lty = c(rep(1, 6), NA, NA, NA), pch = c(rep(NA, 6), 4, 1, 19), bty = "n", cex = 0.7
      )
    }
  }
}

there <- length(args) > 0L && file.exists(args[[1L]])
found <- if (there) utils::read.csv(args[[1L]]) else measure()
if (length(args) > 0L && !there) utils::write.csv(found, args[[1L]], row.names = FALSE)
if (length(args) > 1L) draw(found, args[[2L]])
for (panel in names(panels)) {
  part <- found[found$panel == panel, ]
  wide <- tapply(part$throughput, list(part$reactions, factor(part$what, unique(found$what))), function(x) signif(x[[1L]], 3))
  cat("\nsteps a second,", panel, "\n")
  print(wide, na.print = "")
}
