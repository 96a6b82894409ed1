# Lines over time with bands in base graphics: an empty plot, the lines, and their names on the right.

# The colours of species: eight by Okabe and Ito, eight more that differ from them, and then colours around the wheel, in steps by
# which neighbours differ (the golden angle) and with alternating lightness.
first_colours <- c(
  "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
  "#332288", "#882255", "#999933", "#661100", "#DDCC77", "#44AA99", "#EE3377", "#4D4D4D"
)
course_colours <- function(n) {
  k <- seq_len(max(n - length(first_colours), 0))
  lightness <- c(35, 55, 70)[(k - 1) %% 3 + 1]
  utils::head(c(first_colours, grDevices::hcl((137.508 * k) %% 360, 60, lightness)), n)
}

# The colours of times, from dark to light, without the yellow that is hard to see on white.
time_colours <- function(n) utils::head(grDevices::hcl.colors(ceiling(1.2 * n), "viridis"), n)

# An empty plot with room for the names on the right. Arguments of plot.default() override our own.
# `line(k)` of the result has the colour, width and type of the k-th line; `lwd` is NULL if the user has not given it.
course_canvas <- function(time, range, species, main, label, ..., label_x = "time", xlab = label_x, ylab = label, xlim = NULL,
                          ylim = NULL, col = course_colours(length(species)), lwd = NULL, lty = 1, pch = 19, log = "",
                          usual_lwd = 2) {
  left <- axis_lines(c(range, ylim), log)
  old <- graphics::par(mar = c(4.2, left + 1.2, if (is.null(main) || !nzchar(main)) 1.6 else 3, legend_lines(species)))
  if (grepl("y", log)) range <- range[range > 0]
  range <- range[is.finite(range)]
  if (length(range) == 0L) abort_argument("Nothing to plot on a logarithmic axis: no value is above 0.")
  if (grepl("x", log)) time <- time[time > 0]
  if (length(time) == 0L) abort_argument("Nothing to plot on a logarithmic axis: no value on the x axis is above 0.")
  drawn <- FALSE
  on.exit(if (!drawn) graphics::par(old))
  graphics::plot.default(
    base::range(time), base::range(range), type = "n", xlab = xlab, ylab = "", main = main, xlim = xlim, ylim = ylim, log = log,
    las = 1, bty = "l", ...
  )
  graphics::title(ylab = ylab, line = left)
  drawn <- TRUE
  each <- lapply(list(col = col, lwd = if (is.null(lwd)) usual_lwd else lwd, lty = lty, pch = pch), rep_len, length(species))
  list(
    old = old, colour = each$col, line = function(k) lapply(each, `[[`, k), # names on the right have lines that can be seen
    names = list(lwd = if (is.null(lwd)) 2 else each$lwd, lty = each$lty)
  )
}

# The line for the label of the y axis: as usual, or further away if the numbers at the axis are long.
axis_lines <- function(range, log) {
  if (grepl("y", log)) range <- range[range > 0]
  if (length(range) == 0L || !all(is.finite(range))) return(3)
  ticks <- if (grepl("y", log)) grDevices::axisTicks(log10(base::range(range)), TRUE) else pretty(range)
  numbers <- format(ticks, digits = 7)
  max(3, label_width(numbers, graphics::par("cex.axis") * graphics::par("cex")) / graphics::par("csi") + 1.4)
}

# The margin, in lines, that the names of species need.
legend_lines <- function(species) {
  width <- max(label_width(distinct_names(species), 0.9))
  min(max(4, width / graphics::par("csi") + 2.5), 14)
}

# Names of at most 20 characters. Of names that begin alike, such as those of BioNetGen's complexes, the part is shown where they
# differ first.
distinct_names <- function(names, most = 20L) {
  out <- cut_text(names, most)
  for (same in split(seq_along(names), out)) {
    if (unique_count(names[same]) > 1L) out[same] <- cut_where_different(names[same], most)
  }
  out
}

cut_where_different <- function(names, most) {
  is_common <- function(at) unique_count(substr(names, at, at)) == 1L
  from <- Position(Negate(is_common), seq_len(max(nchar(names)))) - 9L
  out <- paste0("...", cut_text(substring(names, max(from, 1L)), most - 3L))
  for (same in split(seq_along(names), out)) {
    if (unique_count(names[same]) > 1L) out[same] <- cut_where_different(names[same], most)
  }
  out
}

draw_course <- function(time, mean, lower, upper, line) {
  if (graphics::par("xlog")) { # a band cannot begin at 0
    shown <- time > 0
    time <- time[shown]
    mean <- mean[shown]
    lower <- lower[shown]
    upper <- upper[shown]
    if (length(time) == 0L) return(invisible())
  }
  if (graphics::par("ylog")) { # a band may reach 0
    bottom <- 10^graphics::par("usr")[[3L]]
    lower <- pmax(lower, bottom)
    upper <- pmax(upper, bottom)
  }
  if (length(time) == 1L) {
    graphics::segments(time, lower, time, upper, col = line$col, lwd = line$lwd / 2, lty = line$lty)
    graphics::points(time, mean, pch = line$pch, col = line$col)
    return(invisible())
  }
  if (any(upper > lower)) {
    graphics::polygon(c(time, rev(time)), c(lower, rev(upper)), col = grDevices::adjustcolor(line$col, 0.2), border = NA)
  }
  graphics::lines(time, mean, col = line$col, lwd = line$lwd, lty = line$lty)
}

# How many of n names fit between the top of the plot and the bottom of the figure, and the size of their text.
legend_fit <- function(n) {
  room <- graphics::par("pin")[[2L]] + graphics::par("mai")[[1L]]
  lines <- room / graphics::par("cin")[[2L]] - 1 # of text of the size 1; the legend has a margin
  size <- max(0.6, min(0.9, lines / n))
  fit <- max(1, floor(lines / size))
  list(size = size, shown = if (n <= fit) n else fit - 1)
}

# The names of species on the right, as many as fit, and a note above the plot.
course_names <- function(species, canvas, note) {
  fit <- legend_fit(length(species))
  shown <- seq_len(fit$shown)
  more <- length(species) - fit$shown
  names <- distinct_names(species)[shown]
  each <- lapply(c(list(col = canvas$colour), canvas$names), function(x) rep_len(x, length(species))[shown])
  if (more > 0) {
    names <- c(names, sprintf("+ %s more", format_whole(more)))
    each <- Map(c, each, list(col = NA, lwd = 0, lty = 0))
  }
  usr <- graphics::par("usr")
  right <- if (graphics::par("xlog")) 10^usr[[2L]] else usr[[2L]]
  top <- if (graphics::par("ylog")) 10^usr[[4L]] else usr[[4L]]
  graphics::legend(
    right, top, names, col = each$col, lwd = each$lwd, lty = each$lty, bty = "n", xpd = NA, cex = fit$size, seg.len = 1.2
  )
  note <- note[nzchar(note)]
  if (length(note) > 0L) plot_note(paste(note, collapse = "; "), line = 0.2)
}
