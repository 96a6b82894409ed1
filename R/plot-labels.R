# Labels, margins and notes of plots.

# Truncates a text to a number of characters. In a pair, "from > to", the longer end is truncated, or both.
short_label <- function(x, most = 40L) {
  if (!is.character(x)) x <- as.character(x)
  cut <- function(x, most) ifelse(nchar(x) > most, paste0(substr(x, 1L, pmax(most - 3L, 1L)), "..."), x)
  pair <- which(nchar(x) > most & lengths(strsplit(x, " > ", fixed = TRUE)) == 2L)
  if (most >= 15L && length(pair) > 0L) {
    from <- sub(" > .*", "", x[pair])
    to <- sub(".* > ", "", x[pair])
    room <- most - 3L
    least <- pmin(nchar(from), nchar(to)) # keeps the shorter end if 6 characters remain
    least <- ifelse(room - least >= 6L, least, room %/% 2L)
    longer <- nchar(from) > nchar(to)
    x[pair] <- paste(cut(from, ifelse(longer, room - least, least)), cut(to, ifelse(longer, least, room - least)), sep = " > ")
  }
  cut(x, most)
}

# Sets the margins in lines and returns the old ones. The left margin depends on the labels, if any, and the number of rows. The
# margins take at most 0.6 of the figure, so that a small device draws a small plot and not an error. With labels, the figure is
# started here, because text can only be measured then.
plot_margins <- function(labels, rows, bottom, top, right = 1, left = 5) {
  old <- graphics::par("mai", "mgp")
  if (!is.null(labels)) start_figure()
  line <- graphics::par("csi")
  figure <- graphics::par("fin")
  up <- c(bottom, top) * line
  squeeze <- min(1, 0.6 * figure[[2L]] / sum(up))
  up <- up * squeeze
  size <- label_size((figure[[2L]] - sum(up)) / max(rows, 1L))$size
  left <- left * line
  if (!is.null(labels)) left <- max(2 * line, 1.02 * label_width(short_label(labels), size) + 0.9 * line)
  across <- c(min(left, 0.5 * figure[[1L]]), min(right * line, 0.1 * figure[[1L]]))
  graphics::par(mai = c(up[[1L]], across[[1L]], up[[2L]], across[[2L]]), mgp = c(3, 1, 0) * squeeze)
  old
}

# Begins a figure without margins, in which text can be measured.
start_figure <- function() {
  graphics::par(mai = c(0, 0, 0, 0))
  graphics::plot.new()
  graphics::par(new = TRUE)
}

# Width in inches. `size` is the cex of mtext(), which ignores par("cex").
label_width <- function(labels, size) max(graphics::strwidth(labels, "inches", cex = size / graphics::par("cex")), 0)

# The size of labels that are `height` inches apart, and the number of rows per label that keeps them readable.
label_size <- function(height) {
  size <- min(graphics::par("cex"), height / (0.85 * graphics::par("cin")[[2L]]))
  every <- max(1L, ceiling(0.4 / size))
  list(size = if (every > 1L) min(size * every, graphics::par("cex")) else size, every = every)
}

# Draws labels left of the plot, as large as rows and margin allow. axis() would omit labels that are close to each other. Returns
# a note if not all labels fit, else NULL.
side_labels <- function(at, labels) {
  usr <- graphics::par("usr")
  fit <- label_size(graphics::par("pin")[[2L]] / (usr[[4L]] - usr[[3L]]))
  keep <- rev(seq(length(at), 1, by = -fit$every))
  labels <- short_label(labels[keep])
  room <- graphics::par("mai")[[2L]] - 0.6 * graphics::par("csi")
  width <- label_width(labels, fit$size)
  if (width > room) fit$size <- fit$size * max(room / width, 0.7)
  for (i in seq_along(labels)) {
    whole <- labels[[i]]
    most <- nchar(whole)
    while (label_width(labels[[i]], fit$size) > 1.001 * room && most > 4L) {
      most <- most - 1L
      labels[[i]] <- short_label(whole, most)
    }
  }
  graphics::mtext(labels, 2, 0.4, at = at[keep], las = 1, cex = fit$size)
  if (fit$every > 1L) sprintf("every %s row is named", ordinal(fit$every))
}

# A note about what a plot of rows omits, or NULL.
ranked_note <- function(rows) {
  certain <- attr(rows, "certain")
  note <- c(
    if (!is.null(attr(rows, "doubt"))) "UNCERTAIN: intervals are not reliable",
    left_out(nrow(rows), attr(rows, "of"), ", largest first"),
    if (!is.null(certain) && certain > 0L) sprintf("%s certain, not drawn", format_whole(certain))
  )
  if (length(note) > 0L) paste(note, collapse = "; ")
}

left_out <- function(shown, of, what) if (shown < of) sprintf("%s of %s%s", shown, format_whole(of), what)

# Draws a small grey note above the plot, on the right.
plot_note <- function(text, line = 0.2) {
  if (length(text) == 0L) return(invisible())
  size <- 0.8 * graphics::par("cex")
  room <- graphics::par("fin")[[1L]] - graphics::par("mai")[[4L]]
  size <- size * min(1, max(room / label_width(text, size), 0.6))
  graphics::mtext(text, 3, line, adj = 1, cex = size, col = "grey40")
}

# 2nd, 3rd, 4th
ordinal <- function(n) paste0(n, if (n == 2L) "nd" else if (n == 3L) "rd" else "th")
