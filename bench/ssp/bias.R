# Rscript bench/ssp/bias.R [OUT.csv [OUT.png]]: what a table of logarithms costs the waiting times of a Stochastic Simulation
# Processor in bias, and what binary32 costs. First by arithmetic: the distribution of L is known cell by cell, or word by word.
# Then by simulation of networks whose means and variances are known. SHARE (default 1) is the share of the trajectories that are
# simulated; 0 leaves the simulation out. THREADS (default 2) are for the trajectories. If OUT.csv is there, it is only drawn.
library(fireflip)
args <- commandArgs(TRUE)
number <- function(name, default) as.numeric(Sys.getenv(name, default))
share <- number("SHARE", 1)
threads <- number("THREADS", 2)
tables <- 1:16
many <- c(8, 1024, 32768, 524288)
ratios <- c(1, 10, 1000)

row <- function(what, bits, measure, value, se = NA) {
  data.frame(what = what, bits = bits, measure = measure, value = value, se = se, row.names = NULL)
}

# ---- by arithmetic -----------------------------------------------------------------------------------------------------------

single <- function(x) readBin(writeBin(x, raw(), size = 4), "numeric", length(x), size = 4) # the nearest numbers of 32 bits

middle <- function(left, width) log(left + width / 2)
mean_of_cell <- function(left, width) {
  right <- left + width
  (right * log(right) - left * log(left)) / width - 1
}

# All values of L with a table of k bits, and their probabilities. src/ssp/run/ff_ssp_run.h says: of a word w, 2 w + 1 = 2^e m
# with 1 <= m < 2, and log(m) is taken from the table of 2^k cells. Each cell of e > k has 2^(e - k - 1) words; for e <= k, each
# word has a cell of its own, and m is the cell's left end.
cells <- function(k, table = middle) {
  wide <- rep((k + 1):32, each = 2^k)
  few <- rep(seq_len(k), 2^(seq_len(k) - 1))
  odd <- 2 * sequence(2^(seq_len(k) - 1)) - 1
  e <- c(wide, few, 0)
  left <- c(1 + (seq_along(wide) - 1) %% 2^k / 2^k, 1 + odd / 2^few, 1)
  p <- c(2^(wide - k - 33), rep(2^-32, length(few) + 1L))
  L <- single((33 - e) * log(2) - table(left, 2^-k))
  order <- order(L)
  last <- c(diff(L[order]) > 0, TRUE)
  list(L = L[order][last], p = diff(c(0, cumsum(p[order])[last]))) # sums of whole numbers of 2^-32: exact
}

# The relative bias of the mean of L and of that of its square, the largest difference from the exponential distribution function,
# and the probability that two are equal.
moments_of <- function(x) {
  below <- cumsum(x$p)
  exact <- -expm1(-x$L)
  c(
    mean = sum(x$p * x$L) - 1, square = sum(x$p * x$L^2) / 2 - 1, distance = max(abs(below - exact), abs(below - x$p - exact)),
    tie = sum(x$p^2)
  )
}

at_least <- function(x) rev(cumsum(rev(x$p)))
more_than <- function(x) c(at_least(x)[-1L], 0)

# The probability that the reaction with propensity 1 fires before one with propensity r, relative to the exact 1 / (1 + r). Of
# equal times, that of the lower tag wins.
rare_first <- function(x, r) {
  other <- single(x$L / r)
  above <- c(at_least(x), 0)
  low <- above[findInterval(x$L, other, left.open = TRUE) + 1L]
  high <- above[findInterval(x$L, other) + 1L]
  c(low = sum(x$p * low) * (1 + r) - 1, high = sum(x$p * high) * (1 + r) - 1)
}

# M reactions of equal propensities: the mean of the shortest waiting time, and the probabilities that the first and the last of
# them fire, relative to the exact 1 / M.
of_many <- function(x, m) {
  power <- function(q, n) exp(n * log(q))
  c(
    time = m * sum(diff(c(0, x$L)) * power(at_least(x), m)) - 1, first = m * sum(x$p * power(at_least(x), m - 1)) - 1,
    last = m * sum(x$p * power(more_than(x), m - 1)) - 1
  )
}

# The same if the words, or uniform numbers of binary32, are all that makes waiting times equal. Near 1, where the largest of many
# uniform numbers is, these have the distance h. Ours are in the middle between two multiples of h. Numbers that are rounded are
# multiples, and half as many words become 1 as any other.
of_words <- function(m, h = 2^-32) {
  x <- m * h
  c(time = x / 2 / tanh(x / 2) - 1, first = -x / expm1(-x) - 1, last = x / expm1(x) - 1)
}
of_rounded <- function(m, h = 2^-24) {
  x <- m * h
  all <- x / 2 / sinh(x / 2)
  c(time = all - 1, first = x / 2 + all - 1, last = exp(-x) * (x / 2 * exp(x / 2) + all) - 1, zero = -expm1(m * log1p(-h / 2)))
}

# Ours: the bias of the mean of -log((w + 1/2) 2^-32) by Stirling's formula, and the probability that two waiting times are equal:
# the sum of p^2 over numbers of binary32, whose distance is 2^-23 of their power of 2. Near 0, words are farther apart.
mean_of_words <- function(h = 2^-32) -log(2) / 2 * h
tie_of_words <- function(h = 2^-32) {
  sum(vapply(-33:4, function(j) {
    stats::integrate(function(x) exp(-x) * pmax(exp(-x) * 2^(j - 23), h), 2^j, 2^(j + 1), rel.tol = 1e-6)$value
  }, 0))
}

# A table of 2^k cells with linear interpolation, exact otherwise: the shortest of M waiting times is that of the largest uniform
# number, which is z^(1/M) for a uniform z.
interpolated <- function(k, u) {
  e <- floor(log2(u))
  m <- u / 2^e
  left <- 1 + floor((m - 1) * 2^k) / 2^k
  slope <- log1p(2^-k / left) * 2^k
  # For e = -1, from the right end, so that no digits are lost near u = 1.
  ifelse(e == -1, -(log(left + 2^-k) - log(2)) + (left + 2^-k - m) * slope, -e * log(2) - log(left) - (m - left) * slope)
}
of_interpolated <- function(k) {
  z <- (seq_len(2^20) - 0.5) / 2^20
  shortest <- function(m) m * (mean(interpolated(k, z^(1 / m))) - mean(-log(z) / m))
  rare <- function(r) { # P(the rare one's L is less than L of the other one / r), by the rare one's u
    u <- 1 - (seq_len(2^20) - 0.5) / 2^20 * 40 / r # beyond, the probability is below exp(-40)
    L <- r * interpolated(k, u)
    grid <- 2^-(seq(0, 2^16) / 2^10) # L of the other one falls with its u
    p <- stats::approx(interpolated(k, grid), grid, L, rule = 2)$y
    mean(p) * 40 / r * (1 + r) - 1
  }
  u <- (seq_len(2^22) - 0.5) / 2^22
  c(
    mean = mean(interpolated(k, u) + log(u)), stats::setNames(vapply(many, shortest, 0), paste0("time_", many)),
    rare_1000 = rare(1000)
  )
}

by_arithmetic <- function() {
  named <- function(x, with) stats::setNames(x, paste(names(x), format(with, scientific = FALSE, trim = TRUE), sep = "_"))
  one <- function(what, k, x) {
    values <- c(
      moments_of(x), unlist(lapply(ratios, function(r) named(rare_first(x, r), r))),
      unlist(lapply(many, function(m) named(of_many(x, m), m)))
    )
    row(what, k, names(values), values)
  }
  found <- do.call(rbind, lapply(tables, function(k) one("table", k, cells(k))))
  found <- rbind(found, do.call(rbind, lapply(c(4, 8, 12), function(k) one("mean of cell", k, cells(k, mean_of_cell)))))
  for (k in c(4, 8, 12)) {
    values <- of_interpolated(k)
    found <- rbind(found, row("interpolated", k, names(values), values))
  }
  for (m in many) {
    ours <- named(of_words(m), m)
    rounded <- named(of_rounded(m), m)
    found <- rbind(found, row("ours", 0, names(ours), ours), row("rounded", 0, names(rounded), rounded))
  }
  rbind(found, row("ours", 0, c("mean", "tie"), c(mean_of_words(), tie_of_words())))
}

# The values are those of programs: a waiting time of each kind that is seen is one of them.
check_cells <- function() {
  net <- reaction_network("0 -> A" = 1)
  for (k in tables) {
    sim <- simulate(compile_ssp(net, ssp(logarithm = k)), nsim = 5000, steps = 1, seed = k)
    stopifnot(sim$time %in% cells(k)$L)
  }
}

# ---- by simulation -------------------------------------------------------------------------------------------------------------

# Mean, variance and standard errors of a sample.
sample_of <- function(x) {
  n <- length(x)
  d <- x - mean(x)
  list(mean = mean(x), var = stats::var(x), mean_se = sqrt(mean(d^2) / n), var_se = sqrt((mean(d^4) - mean(d^2)^2) / n))
}

exact_of <- function(net, time, species) {
  exact <- as.data.frame(chemical_master_equation(net, time, tolerance = 1e-10))
  mean <- sum(exact[[species]] * exact$probability)
  list(mean = mean, var = sum((exact[[species]] - mean)^2 * exact$probability), mean_se = 0, var_se = 0)
}

counts_of <- function(net, chip, time, species, n, seed, ...) {
  model <- if (is.null(chip)) net else compile_ssp(net, chip, "locality")
  more <- if (is.null(chip)) list(method = "direct") else list(cycles = "none")
  sim <- do.call(simulate, c(
    list(model, nsim = n, times = time, seed = seed, output = "final", observe = species, threads = threads, progress = FALSE),
    more
  ))
  rowSums(as.data.frame(sim)[species])
}

# Relative biases of a mean and a variance.
compare <- function(what, bits, precision, got, want) {
  relative <- function(of) {
    se <- paste0(of, "_se")
    row(what, bits, paste(precision, of), got[[of]] / want[[of]] - 1, sqrt(got[[se]]^2 + want[[se]]^2) / want[[of]])
  }
  rbind(relative("mean"), relative("var"))
}

by_simulation <- function() {
  sets <- 32
  large <- reaction_model("aggregation", copies = 128, sets = sets, seed = 1)
  cases <- list(
    births = list(net = reaction_network("0 -> A" = 10, "A -> 0" = 1), species = "A", time = 1, n = 2e6),
    dimers = list(
      net = reaction_network("2 A -> B" = 0.1, "B -> 2 A" = 0.5, "A -> 0" = 0.2, initial = c(A = 20)), species = "A", time = 1,
      n = 2e6
    ),
    "aggregation, 8" = list(net = reaction_model("aggregation", copies = 1, seed = 1), species = "S1", time = 0.1, n = 1e6),
    "aggregation, 1024" = list(net = large, species = paste0("S", 4 * seq_len(sets) - 3), time = 0.01, n = 4000)
  )
  found <- NULL
  for (name in names(cases)) {
    case <- cases[[name]]
    n <- ceiling(share * case$n)
    started <- proc.time()[["elapsed"]]
    few <- length(case$species) == 1L
    want <- if (few) {
      exact_of(case$net, case$time, case$species)
    } else {
      sample_of(counts_of(case$net, NULL, case$time, case$species, 20 * n, 1))
    }
    for (k in c(0, 1:8, 10, 12, 16)) {
      got <- sample_of(counts_of(case$net, ssp(logarithm = k), case$time, case$species, n, 100 + k))
      found <- rbind(found, compare(name, k, "single", got, want))
    }
    for (precision in c("single", "double")) { # once more
      got <- sample_of(counts_of(case$net, ssp(precision = precision), case$time, case$species, 4 * n, 1000))
      found <- rbind(found, compare(name, 0, paste("long", precision), got, want))
    }
    cat(sprintf("%s: mean %.4g, variance %.4g, %.0f s\n", name, want$mean, want$var, proc.time()[["elapsed"]] - started))
  }
  found
}

# ---- tables and the figure --------------------------------------------------------------------------------------------------

show <- function(found) {
  wide <- function(what, measures, digits = 2) {
    part <- found[found$what == what & found$measure %in% measures, ]
    table <- tapply(part$value, list(part$bits, factor(part$measure, measures)), function(x) x[[1L]])
    print(signif(table, digits), na.print = "")
  }
  cat("\nL: relative biases, distance from the exponential distribution, probability of a tie\n")
  wide("table", c("mean", "square", "distance", "tie"))
  cat("\nthe reaction with propensity 1 fires before one with propensity r (low: it has the lower tag): relative bias\n")
  wide("table", paste(c("low", "high"), rep(ratios, each = 2), sep = "_"))
  cat("\nM reactions of equal propensities: relative bias of the time of a step\n")
  big <- format(many, scientific = FALSE, trim = TRUE)
  wide("table", paste0("time_", big))
  cat("\nand of the probability of the reaction with the lowest tag, and of that with the highest\n")
  wide("table", paste(c("first", "last"), rep(big, each = 2), sep = "_"))
  for (what in c("mean of cell", "interpolated", "ours", "rounded")) {
    cat("\n", what, "\n", sep = "")
    wide(what, unique(found$measure[found$what == what]))
  }
  cat("\nsimulated: relative bias and its standard error\n")
  part <- found[!is.na(found$se), ]
  part$text <- sprintf("%+.1e (%.0e)", part$value, part$se)
  for (of in c("mean", "var")) {
    one <- part[part$measure == paste("single", of), ]
    cat("\n", of, "\n", sep = "")
    print(noquote(tapply(one$text, list(one$bits, factor(one$what, unique(one$what))), function(x) x[[1L]])))
  }
  cat("\n32 bits against 64: the difference, its standard error, and the limit that it does not exceed (95%)\n")
  long <- part[startsWith(part$measure, "long"), ]
  for (of in c("mean", "var")) {
    one <- long[long$measure == paste("long single", of), ]
    other <- long[long$measure == paste("long double", of), ]
    difference <- one$value - other$value
    se <- sqrt(one$se^2 + other$se^2) # too large where the reference is a sample
    limit <- abs(difference) + 1.96 * se
    print(data.frame(of, what = one$what, difference, se, limit), digits = 2, row.names = FALSE, right = FALSE)
  }
}

draw <- function(found, file) {
  grDevices::png(file, 1100, 420, res = 100)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 3), mar = c(4, 4, 2, 1))
  colours <- grDevices::hcl.colors(4, "Dark 3")
  panel <- function(measures, labels, main, ylab) {
    plot(NULL, xlim = c(1, 16), ylim = c(1e-9, 1e8), log = "y", xlab = "bits of the table", ylab = ylab, main = main, yaxt = "n")
    graphics::axis(2, 10^seq(-8, 4, 4), c("1e-8", "1e-4", "1", "1e4"))
    graphics::abline(h = 0.01, lty = 3)
    for (i in seq_along(measures)) {
      one <- found[found$what == "table" & found$measure == measures[[i]], ]
      lines(one$bits, abs(one$value), col = colours[[i]], lwd = 2)
    }
    graphics::legend("topright", labels, col = colours, lwd = 2, bty = "n", cex = 0.8)
  }
  big <- format(many, scientific = FALSE, trim = TRUE)
  panel(
    c("mean", paste0("time_", big[c(1, 2, 4)])), c("one reaction", paste(big[c(1, 2, 4)], "equal ones")), "time of a step",
    "relative bias"
  )
  panel(
    c("high_1", "high_1000", "first_1024", "first_524288"),
    c("higher of 2 tags", "1 against 1000", "lowest of 1024 tags", "lowest of 524288"), "which reaction fires", ""
  )
  part <- found[found$measure == "single mean", ]
  plot(NULL, xlim = c(1, 16), ylim = c(1e-4, 10), log = "y", xlab = "bits of the table", ylab = "", main = "simulated means")
  cases <- unique(part$what)
  for (i in seq_along(cases)) {
    one <- part[part$what == cases[[i]] & part$bits > 0, ] # dotted: two standard errors
    clear <- abs(one$value) > 2 * one$se
    graphics::points(one$bits[clear], abs(one$value[clear]), col = colours[[i]], pch = 19)
    graphics::lines(one$bits, 2 * one$se, col = colours[[i]], lty = 3)
  }
  graphics::legend("topright", cases, col = colours, pch = 19, bty = "n", cex = 0.8)
}

there <- length(args) > 0L && file.exists(args[[1L]])
if (there) {
  found <- utils::read.csv(args[[1L]])
} else {
  check_cells()
  cat(sprintf("arithmetic: %.0f s\n", system.time(found <- by_arithmetic())[["elapsed"]]))
  if (share > 0) found <- rbind(found, by_simulation())
}
if (length(args) > 0L && !there) {
  utils::write.csv(transform(found, value = signif(value, 6), se = signif(se, 2)), args[[1L]], row.names = FALSE)
}
if (length(args) > 1L) draw(found, args[[2L]])
show(found)
