# The plots drawn with ggplot2.

# The size of the open device in inches. The plot will most likely be drawn on it.
device_size <- function() if (grDevices::dev.cur() > 1L) grDevices::dev.size() else c(7, 7)

# Labels of rows on the open device: the text size in points, and the number of rows per label.
row_letters <- function(rows) {
  size <- 72 * 0.8 * max(device_size()[[2L]] - 1, 0.5) / max(rows, 1L)
  every <- max(1L, ceiling(4.5 / size))
  list(size = min(8.8, size * every), every = every)
}

row_names_scale <- function(...) {
  ggplot2::scale_y_discrete(breaks = function(rows) rows[rev(seq(length(rows), 1L, by = -row_letters(length(rows))$every))], ...)
}

# A note for plots in which not every row has a label.
row_note <- function(rows) {
  every <- row_letters(rows)$every
  if (every > 1L) sprintf("every %s row is named", ordinal(every))
}

ranked_theme <- function(rows) {
  ggplot2::theme_minimal() + ggplot2::theme(axis.text.y = ggplot2::element_text(size = row_letters(rows)$size))
}

autoplot_ranked <- function(rows, xlab, note = ranked_note(rows), most = 40L, title = NULL) {
  count <- if (is.null(rows$panel)) nrow(rows) else max(table(rows$panel))
  if (!is.null(row_note(count))) note <- paste(c(note, row_note(count)), collapse = if (is.null(rows$panel)) "; " else "\n")
  rows$label <- factor(rows$label, unique(rows$label))
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$estimate, y = .data$label)) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey70") +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), colour = "#1B4F8A") +
    ggplot2::geom_point(colour = "#1B4F8A") +
    row_names_scale(labels = function(label) short_label(label, most)) +
    ggplot2::guides(x = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = xlab, y = NULL, caption = if (length(note) > 0L) note, title = title) +
    ranked_theme(count)
}

autoplot_convergence <- function(x) {
  found <- trace_of(x)
  trace <- found$trace
  panels <- found$labels
  panel <- function(which) factor(panels[which], panels)
  long <- data.frame(
    samples = rep(trace$samples, 2), phase = rep(trace$phase, 2), value = c(pmax(trace$rhat - 1, 1e-6), pmax(trace$width, 1e-12)),
    what = panel(rep(1:2, each = nrow(trace)))
  )
  wanted <- data.frame(what = panel(1:2), value = found$goals)
  ggplot2::ggplot(long, ggplot2::aes(x = .data$samples, y = .data$value, colour = .data$phase)) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$value, linetype = "wanted"), wanted, colour = "grey50") +
    ggplot2::geom_line(
      data = long[stats::ave(long$value, long$what, long$phase, FUN = length) > 1, ], colour = "grey80", na.rm = TRUE
    ) +
    ggplot2::geom_point(na.rm = TRUE) +
    ggplot2::facet_wrap("what", ncol = 1, scales = "free_y") +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = phase_colours) +
    ggplot2::scale_linetype_manual(values = c(wanted = "dashed")) +
    ggplot2::labs(x = "samples", y = NULL, colour = NULL, linetype = NULL) +
    ggplot2::theme_minimal()
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.steady_state <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  check_estimate(object, "object")
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") return(autoplot_convergence(object))
  autoplot_ranked(ranked(object, object$set, "probability", n), "probability")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_influence <- function(object, type = c("estimates", "network", "convergence"), n = 30, ...) {
  check_estimate(object, "object")
  type <- check_choice(type, "type", c("estimates", "network", "convergence"))
  if (type == "convergence") return(autoplot_convergence(object))
  if (type == "network") return(autoplot_network_of(object, ...))
  autoplot_ranked(influence_ranked(object, n), "long-run influence", title = influence_title(object))
}

autoplot_network_of <- function(object, ..., main = influence_title(object)) {
  autoplot.pbn(influence_network(object), influence = object, main = main, ...)
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.influence_analysis <- function(object, type = c("estimates", "convergence"), n = 30, ...) {
  if (check_choice(type, "type", c("estimates", "convergence")) == "convergence") {
    return(autoplot_convergence(object$states) + ggplot2::labs(title = which_run(object)))
  }
  rows <- analysis_ranked(object, n)
  panels <- analysis_labels(object)
  panel <- function(which) factor(panels[which], panels)
  notes <- lapply(rows, ranked_note)
  said <- which(lengths(notes) > 0L)
  note <- if (length(said) > 0L) paste(c("probability", "long-run influence")[said], notes[said], sep = ": ", collapse = "\n")
  rows <- rbind(data.frame(rows$states, panel = panel(1)), data.frame(rows$influence, panel = panel(2)))
  autoplot_ranked(rows, NULL, note, 25L) + ggplot2::facet_wrap("panel", scales = "free")
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.long_run_sensitivity <- function(object, n = 30, ...) {
  check_estimate(object, "object")
  autoplot_ranked(sensitivity_ranked(object, n), "difference in probability", title = sensitivity_title(object))
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.stationary_distribution <- function(object, n = 30, ...) {
  top <- rev(most_probable(object, n))
  nodes <- setdiff(names(object), "probability")
  rows <- data.frame(label = state_labels(plain_frame(object)[top, nodes, drop = FALSE]), probability = object$probability[top])
  rows$label <- factor(rows$label, rows$label)
  note <- c(strwrap(states_of(nodes), 90L), left_out(length(top), nrow(object), ", most probable first"), row_note(nrow(rows)))
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$probability, y = .data$label)) +
    ggplot2::geom_col(fill = "#1B4F8A") +
    row_names_scale() +
    ggplot2::labs(x = "probability", y = NULL, caption = paste(note, collapse = "\n")) +
    ranked_theme(nrow(rows))
}

#' @rdname result-plots
#' @exportS3Method ggplot2::autoplot
autoplot.pbn_trajectories <- function(object, n = 1, ...) {
  shown <- shown_trajectories(object, n)
  x <- shown$rows
  rows <- data.frame(
    step = rep(x$step, length(shown$nodes)), trajectory = rep(paste("trajectory", x$trajectory), length(shown$nodes)),
    node = factor(rep(shown$nodes, each = nrow(x)), rev(shown$nodes)),
    value = factor(unlist(unclass(x)[shown$nodes], use.names = FALSE), c(0, 1))
  )
  rows$trajectory <- factor(rows$trajectory, unique(rows$trajectory))
  note <- c(left_out(shown$number, shown$of, " trajectories"), row_note(length(shown$nodes)))
  wide <- if (nrow(x) > 1L) min(diff(sort(unique(x$step)))) else 1
  out <- ggplot2::ggplot(rows, ggplot2::aes(x = .data$step, y = .data$node, fill = .data$value)) +
    ggplot2::geom_tile(width = wide) +
    ggplot2::scale_fill_manual(values = c("0" = trajectory_colours[[1L]], "1" = trajectory_colours[[2L]]), drop = FALSE) +
    ggplot2::scale_x_continuous(breaks = function(limits) step_breaks(x$step), expand = c(0, 0)) +
    ggplot2::labs(x = "step", y = NULL, fill = NULL, caption = if (length(note) > 0L) paste(note, collapse = "; ")) +
    row_names_scale() +
    ranked_theme(length(shown$nodes)) +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), panel.spacing.x = ggplot2::unit(1.5, "lines"))
  if (shown$number > 1L) out + ggplot2::facet_wrap("trajectory", scales = "free_x") else out
}

# The first and the last step, and round numbers between them.
step_breaks <- function(step) {
  ends <- range(step)
  ticks <- pretty(step, 4)
  unique(c(ends[[1L]], ticks[ticks > ends[[1L]] & ticks < ends[[2L]] - 0.1 * diff(ends) & ticks == floor(ticks)], ends[[2L]]))
}

# ---- networks --------------------------------------------------------------------------------------------------------------

#' @rdname result-plots
#' @param size For `autoplot()` of a network, width and height of the plot in inches. By default, those of the open device, or 7
#'   by 7.
#' @exportS3Method ggplot2::autoplot
autoplot.pbn <- function(object, ..., size = NULL) {
  check_parts(object)
  if (is.null(size)) size <- device_size()
  if (!is.numeric(size) || length(size) != 2L || anyNA(size) || any(size <= 0)) {
    abort_value("size", "two positive numbers, the width and height in inches", size)
  }
  gg_network(object, size, ...)
}

# The arguments are those of plot.pbn().
gg_network <- function(x, size, influence = NULL, layout = "layered", labels = length(x$nodes) < 150, main = NULL, legend = TRUE,
                       activity = NULL, arrow_labels = FALSE, overview = NULL) {
  plan <- plan_picture(x, influence, activity, layout, labels, legend, arrow_labels, overview, missing(labels) && missing(layout))
  graph <- plan$graph
  style <- plan$style
  if (plan$overview) return(gg_overview(x, graph, main))
  page <- pmax(size - c(0.2, 0.2 + 0.4 * has_title(main) + 0.8 * legend), 0.5)
  drawing <- network_drawing(x, graph, plan$layout, labels, page, measured(x$nodes))
  out <- ggplot2::ggplot() + gg_arrows(drawing, style) + gg_nodes(drawing, style, x$nodes, labels)
  if (arrow_labels && !is.null(style$influence)) out <- out + gg_arrow_labels(drawing, style)
  out + ggplot2::coord_fixed(xlim = c(0, page[[1L]]), ylim = c(0, page[[2L]]), expand = FALSE) +
    ggplot2::labs(title = if (has_title(main)) main, colour = NULL, fill = NULL, caption = if (legend) gg_network_note(style)) +
    ggplot2::theme_void() +
    ggplot2::theme(legend.position = if (legend) "bottom" else "none")
}

gg_network_note <- function(style) {
  note <- c(
    if (any(style$input)) "thick border: input", if (!is.null(style$influence)) "wider arrow: more influence",
    if (!is.null(style$influence) && any(style$certain[!style$hidden])) "thin, dashed: certain influence"
  )
  if (length(note) > 0L) paste(note, collapse = "; ")
}

# Widths of names and the height of a line, measured on a device that draws nothing. On other devices, text may be a little wider.
measured <- function(names) {
  before <- grDevices::dev.cur()
  grDevices::pdf(NULL)
  on.exit({
    grDevices::dev.off()
    if (before > 1L) grDevices::dev.set(before)
  })
  graphics::plot.new()
  letters <- base_widths(names)
  letters$width <- letters$width * 1.12
  letters
}

sign_names <- c("+" = "activates", "-" = "inhibits", "+/-" = "both", "?" = "sign unknown, or no effect")

# Points of several paths in one data frame; `which` numbers the paths.
path_frame <- function(paths, which) {
  data.frame(
    x = unlist(lapply(paths, function(path) path[, 1L])), y = unlist(lapply(paths, function(path) path[, 2L])),
    arrow = rep(which, vapply(paths, nrow, 0L))
  )
}

gg_arrows <- function(drawing, style) {
  style$width <- drawn_width(style, drawing)
  shown <- Filter(function(i) !style$hidden[[i]] && !is.null(drawing$paths[[i]]), arrow_order(style))
  if (length(shown) == 0L) return(NULL)
  heads <- lapply(shown, function(i) arrow_head(drawing$paths[[i]], style$sign[[i]], head_length(style$width[[i]], drawing$cex)))
  lines <- path_frame(lapply(heads, `[[`, "line"), seq_along(shown))
  signed <- function(rows) factor(sign_names[style$sign[shown[rows$arrow]]], sign_names)
  lines$sign <- signed(lines)
  # a width of 1 is 1/96 inch
  width <- style$width[shown] / 96 * 25.4
  pale <- style$strength[shown]
  layers <- list(ggplot2::geom_path(
    ggplot2::aes(x = .data$x, y = .data$y, group = .data$arrow, colour = .data$sign), lines, linewidth = width[lines$arrow],
    alpha = pale[lines$arrow], linetype = style$line[shown][lines$arrow]
  ))
  filled <- vapply(heads, `[[`, NA, "filled")
  hollow <- vapply(heads, `[[`, NA, "hollow")
  for (kind in 1:3) {
    which <- which(list(filled & !hollow, filled & hollow, !filled)[[kind]])
    if (length(which) == 0L) next
    rows <- path_frame(lapply(heads[which], `[[`, "shape"), which)
    rows$sign <- signed(rows)
    at <- ggplot2::aes(x = .data$x, y = .data$y, group = .data$arrow, colour = .data$sign)
    colour <- sign_colours[style$sign[shown[rows$arrow]]]
    layers <- c(layers, if (kind == 3L) {
      ggplot2::geom_path(at, rows, linewidth = pmax(0.27, width[rows$arrow]), alpha = pale[rows$arrow], show.legend = FALSE)
    } else {
      ggplot2::geom_polygon(
        at, rows, fill = if (kind == 2L) "white" else mixed_with_white(colour, pale[rows$arrow]), linewidth = 0.27,
        show.legend = FALSE
      )
    })
  }
  c(layers, ggplot2::scale_colour_manual(values = stats::setNames(sign_colours, sign_names)))
}

gg_nodes <- function(drawing, style, names, labels) {
  n <- length(names)
  turn <- seq(0, 2 * pi, length.out = 33L)[-1L]
  box <- labels | style$input
  outline <- lapply(seq_len(n), function(i) {
    unit <- if (box[[i]]) cbind(c(-1, 1, 1, -1), c(-1, -1, 1, 1)) else cbind(cos(turn), sin(turn))
    cbind(drawing$at[i, 1L] + unit[, 1L] * drawing$half[i, 1L], drawing$at[i, 2L] + unit[, 2L] * drawing$half[i, 2L])
  })
  rows <- path_frame(outline, seq_len(n))
  looped <- unique(style$component[style$component != "white"])
  text <- "feedback component"
  if (length(looped) != 1L) text <- paste(rep(text, length(looped)), seq_along(looped), recycle0 = TRUE)
  text <- c(text, "no feedback")
  value <- if (is.null(style$activity)) factor(text[match(style$component, c(looped, "white"))], text) else style$activity
  rows$fill <- value[rows$arrow]
  at <- data.frame(x = drawing$at[, 1L], y = drawing$at[, 2L], label = short_label(names))
  c(
    list(ggplot2::geom_polygon(
      ggplot2::aes(x = .data$x, y = .data$y, group = .data$arrow, fill = .data$fill), rows, colour = style$border[rows$arrow],
      linewidth = style$border_width[rows$arrow] / 96 * 25.4
    )),
    if (is.null(style$activity)) {
      list(ggplot2::scale_fill_manual(values = stats::setNames(c(looped, "white"), text)))
    } else {
      list(ggplot2::scale_fill_gradientn(colours = activity_colours, limits = c(0, 1), breaks = c(0, 0.5, 1), na.value = "white",
        name = "activity"))
    },
    if (labels) {
      place <- ggplot2::aes(x = .data$x, y = .data$y, label = .data$label)
      list(ggplot2::geom_text(place, at, size = 12 * drawing$cex * 25.4 / 72))
    }
  )
}

gg_arrow_labels <- function(drawing, style) {
  cex <- max(0.75 * drawing$cex, 0.4)
  found <- arrow_label_places(drawing, style, 0.3 * cex, 0.13 * cex)
  rows <- data.frame(x = found$at[, 1L], y = found$at[, 2L], label = influence_text(style$influence[found$arrow]))
  ggplot2::geom_label(
    ggplot2::aes(x = .data$x, y = .data$y, label = .data$label), rows, size = 12 * cex * 25.4 / 72,
    colour = style_text(style, found$arrow), label.size = 0, label.padding = ggplot2::unit(0.02, "inches")
  )
}

gg_overview <- function(model, graph, main) {
  groups <- overview_groups(model, graph)
  degrees <- overview_degrees(graph)
  counts <- degree_counts(degrees)
  top <- most_connected(model, degrees, 12L)
  panels <- c("groups of nodes", "nodes by parents and children", "most connected nodes")
  part <- function(panel, label, number, what) data.frame(panel = panels[[panel]], label = label, number = number, what = what)
  group_names <- make.unique(groups$name, " ")
  rows <- rbind(
    part(1L, group_names, groups$nodes, "nodes"),
    part(2L, rep(counts$label, 2L), c(counts$parents, counts$children), rep(names(degree_colours), each = nrow(counts))),
    part(3L, rep(top$node, 2L), c(top$parents, top$children), rep(names(degree_colours), each = nrow(top)))
  )
  rows$panel <- factor(rows$panel, panels)
  # a label may occur in both panels
  key <- paste(rows$label, as.integer(rows$panel), sep = "\r")
  rows$label <- factor(key, rev(unique(key)))
  title <- overview_title(graph)
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$number, y = .data$label, fill = .data$what)) +
    ggplot2::geom_col(position = ggplot2::position_dodge(preserve = "single"), orientation = "y") +
    ggplot2::facet_wrap("panel", scales = "free", ncol = 2) +
    ggplot2::scale_y_discrete(labels = function(label) short_label(sub("\r.*", "", label), 25L)) +
    ggplot2::scale_fill_manual(values = c(nodes = "#8FA876", degree_colours), breaks = names(degree_colours)) +
    ggplot2::labs(
      x = NULL, y = NULL, fill = NULL, title = if (is.null(main)) title else if (has_title(main)) main,
      caption = paste0(if (!is.null(main)) paste0(title, ". "), "overview = FALSE draws every node.")
    ) +
    ggplot2::theme_minimal() +
    ggplot2::theme(legend.position = "bottom")
}
