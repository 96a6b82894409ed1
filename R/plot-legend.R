# The legend of plots of networks.

# The entries of the legend: a text for each, and the kind of its symbol.
network_legend <- function(style) {
  drawn <- !style$hidden
  sign <- style$sign[drawn]
  looped <- unique(style$component[style$component != "white"])
  certain <- !is.null(style$influence) && any(style$certain[drawn])
  entry <- function(when, kind, text, colour = "black") if (when) data.frame(kind = kind, text = text, colour = colour)
  out <- rbind(
    entry(any(style$input), "input", "input", "white"),
    entry(length(looped) > 0L, if (is.null(style$activity)) "node" else "border",
      if (length(looped) > 1L) "feedback components (one colour each)" else "feedback component", c(looped, NA)[[1L]]),
    entry(any(sign == "+"), "+", "activates", sign_colours[["+"]]),
    entry(any(sign == "-"), "-", "inhibits", sign_colours[["-"]]),
    entry(any(sign == "+/-"), "+/-", "both", sign_colours[["+/-"]]),
    entry(any(sign == "?"), "?", "sign unknown, or no effect", sign_colours[["?"]]),
    entry(!is.null(style$influence), "wide", "wider arrow: more influence", "grey30"),
    entry(certain, "dashed", "certain influence (drawn thin)", "grey50"),
    entry(!is.null(style$activity), "activity", "activity 0 to 1", "grey50")
  )
  if (is.null(out)) NULL else out
}

# The text size of the legend, which depends on the size of the figure.
legend_size <- function() 0.85 * largest_letters(graphics::par("fin"))

# Widths of the entries, in inches.
legend_widths <- function(entries) {
  size <- legend_size()
  graphics::strwidth(entries$text, "inches", cex = size) + (ifelse(entries$kind == "activity", 0.62, 0.42) + 0.15) * size / 0.85
}

# The entries in each row: as many as fit the width.
legend_rows <- function(entries, width) {
  wide <- legend_widths(entries)
  row <- integer(length(wide))
  used <- Inf
  for (i in seq_along(wide)) {
    if (used + wide[[i]] > width) {
      row[[i]] <- max(row) + 1L
      used <- wide[[i]]
    } else {
      row[[i]] <- max(row)
      used <- used + wide[[i]]
    }
  }
  split(seq_along(wide), row)
}

draw_legend <- function(entries, rows) {
  usr <- graphics::par("usr")
  pin <- graphics::par("pin")
  # one inch in the coordinates of the plot, which an argument may have changed
  inch <- c((usr[[2L]] - usr[[1L]]) / pin[[1L]], (usr[[4L]] - usr[[3L]]) / pin[[2L]])
  to_x <- function(x) usr[[1L]] + x * inch[[1L]]
  to_y <- function(y) usr[[3L]] + y * inch[[2L]]
  wide <- legend_widths(entries)
  size <- legend_size()
  room <- graphics::par("mai")[[1L]] - 0.1
  widest <- max(vapply(rows, function(row) sum(wide[row]), 0))
  line <- room / max(length(rows), 1L)
  fit <- min(1, line / (0.85 * size * graphics::par("csi")), (pin[[1L]] + 0.1) / widest)
  for (r in seq_along(rows)) {
    x <- (pin[[1L]] - sum(wide[rows[[r]]]) * fit) / 2
    y <- -0.05 - line * (r - 0.5)
    for (i in rows[[r]]) {
      long <- (wide[[i]] - graphics::strwidth(entries$text[[i]], "inches", cex = size) - 0.22 * size / 0.85) * fit
      draw_sign(entries[i, ], x, y, long, fit * size / 0.85, to_x, to_y)
      graphics::text(
        to_x(x + long + 0.07 * size / 0.85 * fit), to_y(y), entries$text[[i]], adj = c(0, 0.5), cex = size * fit, xpd = NA
      )
      x <- x + wide[[i]] * fit
    }
  }
}

# Draws one symbol of the legend from x on, `long` inches wide.
draw_sign <- function(entry, x, y, long, fit, to_x, to_y) {
  kind <- entry$kind
  if (kind %in% c("place", "level")) {
    tall <- 0.055 * fit
    shape <- stadium(c(x + long - 1.3 * tall, y), c(1.3, 1) * tall)
    graphics::polygon(
      to_x(shape[, 1L]), to_y(shape[, 2L]), col = entry$colour, border = "grey45", lwd = if (kind == "level") 2 else 0.8, xpd = NA
    )
    return(invisible())
  }
  if (kind %in% c("input", "node", "flow", "border", "activity")) {
    tall <- 0.055 * fit
    left <- if (kind == "activity") x + long / 3 * 0:2 else x + long - 2.6 * tall
    right <- if (kind == "activity") left + long / 3 else x + long
    graphics::rect(
      to_x(left), to_y(y - tall), to_x(right), to_y(y + tall), xpd = NA,
      col = switch(kind, activity = activity_colours, input = , border = "white", entry$colour),
      border = switch(kind, input = "black", border = darker(entry$colour), "grey55"),
      lwd = switch(kind, input = , flow = 2, border = 1.8, 0.8)
    )
    return(invisible())
  }
  path <- cbind(c(x, x + long), y)
  if (kind %in% c("wide", "dashed")) {
    wide <- kind == "wide"
    graphics::lines(
      to_x(path[, 1L]), to_y(path[, 2L]), lwd = if (wide) 4 else 0.9, lty = if (wide) 1L else 2L, col = entry$colour, lend = 1L,
      xpd = NA
    )
    return(invisible())
  }
  head <- arrow_head(path, kind, 0.09 * fit)
  graphics::lines(to_x(head$line[, 1L]), to_y(head$line[, 2L]), col = entry$colour, lend = 1L, xpd = NA)
  if (head$filled) {
    graphics::polygon(to_x(head$shape[, 1L]), to_y(head$shape[, 2L]), col = if (head$hollow) "white" else entry$colour,
      border = entry$colour, xpd = NA)
  } else graphics::lines(to_x(head$shape[, 1L]), to_y(head$shape[, 2L]), col = entry$colour, xpd = NA)
}
