# Plots of trajectories of Boolean networks.

#' @rdname result-plots
#' @export
plot.pbn_trajectories <- function(x, n = 1, main = NULL, ...) {
  check_graphical(..., draws = graphics::image.default)
  found <- shown_trajectories(x, n)
  shown <- found$rows
  nodes <- found$nodes
  values <- as.matrix(as.data.frame(unclass(shown)[nodes], check.names = FALSE))
  several <- found$number > 1L
  top <- 1.5 + several + if (has_title(main)) 2 else 0
  old <- plot_margins(nodes, length(nodes), 4.2, top)
  on.exit(graphics::par(old))
  parts <- trajectory_places(shown)
  grid <- matrix(NA_real_, max(parts$place), length(nodes))
  grid[parts$place, ] <- values[, rev(seq_along(nodes))]
  trajectory_image(grid, parts$label, ...)
  if (has_title(main)) fitted_title(main, 1.5 + several, ...)
  axes <- has_axes(...)
  if (axes) for (part in parts$ticks) if (length(part$at) > 0L) trajectory_axis(part, ...)
  note <- c("dark: 1", left_out(found$number, found$of, " trajectories"), if (several) trajectory_names(parts$ticks))
  if (axes) note <- c(note, side_labels(seq_along(nodes), rev(nodes)))
  plot_note(paste(note, collapse = "; "), line = 0.2 + several)
  invisible(shown)
}

# The rows of the first n trajectories in the order of the steps, the number of these trajectories, and the number of all.
shown_trajectories <- function(x, n) {
  check_rows(n)
  nodes <- setdiff(names(x), c("trajectory", "step"))
  good <- is_numbers(x$trajectory) && is_numbers(x$step) && all(vapply(plain_frame(x)[nodes], is_kept, NA))
  if (!good || length(nodes) == 0L || nrow(x) == 0L) {
    abort_argument("`x` has no trajectories to plot: it needs rows, columns `trajectory` and `step`, and a column per node.")
  }
  x <- sorted_by(x, list(x$trajectory, x$step))
  all <- unique(x$trajectory)
  first <- utils::head(all, n)
  list(rows = x[x$trajectory %in% first, , drop = FALSE], nodes = nodes, number = length(first), of = length(all))
}

trajectory_colours <- c("grey92", "#1B4F8A")

# Arguments of image() override our own.
trajectory_image <- function(grid, label, ..., x, y, z, type, main, cex.axis, col = trajectory_colours, xlab = label, ylab = "",
                             axes = FALSE, zlim = c(0, 1),
                             # adjacent rectangles have hairlines between them on devices with antialiasing
                             useRaster = identical(grDevices::dev.capabilities("rasterImage")[[1L]], "yes")) {
  graphics::image(
    seq_len(nrow(grid)), seq_len(ncol(grid)), grid, zlim = zlim, col = col, axes = FALSE, xlab = xlab, ylab = ylab,
    useRaster = useRaster, ...
  )
}

# Draws all labels: those that would overlap have been removed before.
trajectory_axis <- function(part, ..., las = 1, cex.axis = graphics::par("cex.axis")) {
  graphics::axis(1, part$at, part$step, gap.axis = -1e3, las = las, cex.axis = cex.axis)
}

# Draws as many numbers above trajectories as there is room for. Returns a note about the others.
trajectory_names <- function(ticks) {
  middle <- vapply(ticks, `[[`, 0, "middle")
  name <- vapply(ticks, `[[`, "", "name")
  cex <- 0.9 * graphics::par("cex")
  apart <- inches_of_x(min(diff(middle)))
  first <- paste("trajectory", name[[1L]])
  word <- label_width(first, cex) < 0.95 * apart
  if (word) name[[1L]] <- first
  every <- max(1L, ceiling((label_width(name[-1L], cex) + 0.05) / apart))
  keep <- seq(1L, length(name), by = every)
  graphics::mtext(name[keep], 3, 0.2, at = middle[keep], cex = cex)
  c(if (!word) "numbers: trajectories", if (every > 1L) sprintf("every %s is numbered", ordinal(every)))
}

inches_of_x <- function(x) x / diff(graphics::par("usr")[1:2]) * graphics::par("pin")[[1L]]

# The position of each row of the trajectories along the axis, and the ticks of each trajectory. The gaps between trajectories
# have room for the labels of a last and a first step. If the gaps would take too much of the width, the label of the axis gives
# the steps instead.
trajectory_places <- function(x) {
  rows <- split(seq_len(nrow(x)), factor(x$trajectory, unique(x$trajectory)))
  width <- graphics::par("pin")[[1L]]
  k <- length(rows)
  ends <- vapply(rows, function(row) range(x$step[row]), numeric(2))
  text <- function(step) graphics::strwidth(format_step(step), "inches", cex = graphics::par("cex.axis"))
  wanted <- max(text(ends)) + 0.06
  fits <- k == 1L || (k - 1) * wanted < 0.4 * width && min(lengths(rows)) / nrow(x) * (width - (k - 1) * wanted) > wanted
  gap <- max(1, ceiling(nrow(x) * if (fits) wanted / (width - (k - 1) * wanted) else 0.15 / k))
  place <- integer(nrow(x))
  last <- -gap
  middle <- numeric(k)
  for (i in seq_len(k)) {
    at <- last + gap + seq_along(rows[[i]])
    place[rows[[i]]] <- at
    last <- at[[length(at)]]
    middle[[i]] <- mean(range(at))
  }
  inch <- width / (max(place) + 1)
  ticks <- lapply(seq_len(k), function(i) {
    row <- rows[[i]]
    tick <- if (fits) step_ticks(x$step[row], place[row], inch, text) else list(step = numeric(), at = numeric())
    c(tick, list(middle = middle[[i]], name = names(rows)[[i]]))
  })
  list(place = place, ticks = ticks, label = if (fits) "step" else steps_in_words(ends))
}

steps_in_words <- function(ends) {
  same <- length(unique(ends[1L, ])) == 1L && length(unique(ends[2L, ])) == 1L
  if (same) return(sprintf("step (%s to %s in each)", format_step(ends[[1L, 1L]]), format_step(ends[[2L, 1L]])))
  sprintf("step (up to %s; trajectories differ)", format_step(max(ends)))
}

format_step <- function(step) format(step, trim = TRUE, scientific = FALSE)

# The first and the last step, and as many round numbers between them as fit. `inch`: width of a row; `text`: width of a label.
step_ticks <- function(step, at, inch, text) {
  order <- order(step)
  step <- step[order]
  at <- at[order]
  n <- length(step)
  if (n == 1L) return(list(step = step, at = at))
  ends <- step[c(1L, n)]
  for (many in c(8, 6, 5, 4, 3, 2, 1)) {
    ticks <- pretty(step, many)
    ticks <- ticks[ticks > ends[[1L]] & ticks < ends[[2L]] & ticks == floor(ticks)]
    place <- stats::approx(step, at, c(ends[[1L]], ticks, ends[[2L]]))$y * inch
    half <- text(c(ends[[1L]], ticks, ends[[2L]])) / 2
    k <- length(place)
    # the last step is always labelled, round numbers close to it are not
    near <- place + half > place[[k]] - half[[k]] - 0.06 & seq_len(k) < k & seq_len(k) > 1L
    all <- c(ends[[1L]], ticks, ends[[2L]])[!near]
    place <- place[!near]
    half <- half[!near]
    k <- length(place)
    if (all(place[-1L] - half[-1L] > place[-k] + half[-k] + 0.06)) break
    all <- ends
  }
  list(step = all, at = stats::approx(step, at, all)$y)
}
