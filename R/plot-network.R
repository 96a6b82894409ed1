#' Plot a network
#'
#' Draws nodes as boxes, with an arrow from every parent to its child. The end of an arrow shows its sign, as in the column `sign`
#' of [network_arrows()]: an arrow head means activation, a bar inhibition, and a diamond both. An open arrow head means that the
#' sign is unknown, or that the parent has no effect. Nodes of the same feedback component (a strongly connected component with
#' more than one node) have the same colour. Inputs (nodes that keep their value) have a thick black border; the arrow from an
#' input to itself is not drawn. A legend below the plot explains the symbols that occur.
#'
#' Networks with at least 150 nodes or 1,000 arrows are drawn as an overview by default. It shows the feedback components, the
#' number of nodes upstream of, between and downstream of them, the distributions of the numbers of parents and children, and the
#' nodes with most of them. The title states that the plot is an overview.
#'
#' @param x A network of class `pbn`.
#' @param influence A data frame with the columns `from`, `to` (names) and `influence` (between 0 and 1), such as a result of
#'   [long_run_influence()]. The width and darkness of an arrow show its influence. Arrows that are not listed are thin and
#'   pale. Arrows whose influence is certain (exactly 0 or 1, or the same in every state) are thin and dashed.
#' @param layout `"layered"` (arrows point downwards, except where feedback makes this impossible); `"force"` (needs igraph); a
#'   matrix with columns x and y and a row per node; or a function that takes the network as an igraph graph and
#'   returns such a matrix, such as `igraph::layout_with_kk`. The coordinates are scaled to the plot, and boxes that would
#'   overlap are moved apart. During a call of a function, R's generator has a fixed seed; its state is restored afterwards.
#' @param labels Whether to draw the names of nodes. By default, if there are fewer than 150 nodes. Without names, nodes are
#'   circles and inputs are squares.
#' @param main The title.
#' @param legend Whether to draw the legend. Default `TRUE`.
#' @param activity Activity of nodes, shown as their colour: a result of [node_activity()], a result of [steady_state()] whose
#'   sets have the names of nodes, or a vector of numbers between 0 and 1 named by nodes. Nodes without an activity are
#'   white. The colour of the feedback component is then that of the border.
#' @param arrow_labels Whether to write the influence beside each arrow that `influence` lists. Default `FALSE`.
#' @param overview `TRUE` to draw the overview, `FALSE` to draw nodes and arrows. By default, the overview is drawn for
#'   networks with at least 150 nodes or 1,000 arrows, unless `labels` or `layout` is given.
#' @param ... Further arguments of [graphics::plot.default()]. `lwd` multiplies the widths of the arrows, and `lty` replaces their
#'   line type.
#' @returns A data frame of the nodes, invisibly. Its columns are `node`, `x` and `y` (in inches, the coordinates of the plot),
#'   `component` and `colour`. For an overview, they are `node`, `component`, `group` (the group in which the node is counted),
#'   `parents` and `children`.
#' @export
#' @examples
#' net <- example_model("cellcycle")
#' plot(net)
#' plot(net, activity = node_activity(net), influence = long_run_influence(net), arrow_labels = TRUE)
#' plot(random_pbn(200, seed = 1))
#' if (requireNamespace("igraph", quietly = TRUE)) {
#'   plot(net, layout = igraph::layout_in_circle)
#' }
plot.pbn <- function(x, influence = NULL, layout = "layered", labels = length(x$nodes) < 150, main = NULL, legend = TRUE,
                     activity = NULL, arrow_labels = FALSE, overview = NULL, ...) {
  check_parts(x)
  check_graphical(...)
  plan <- plan_picture(x, influence, activity, layout, labels, legend, arrow_labels, overview, missing(labels) && missing(layout))
  graph <- plan$graph
  style <- plan$style
  if (plan$overview) return(plot_overview(x, graph, main, legend, ...))

  drawing <- draw_network(x, plan, if (legend) network_legend(style), main, arrow_labels, ...)
  invisible(data.frame(
    node = x$nodes, x = drawing$at[, 1L], y = drawing$at[, 2L], component = graph$component, colour = style$fill
  ))
}

# What plot() and autoplot() of a network draw, from their arguments. `by_default`: a large network is drawn as an overview.
plan_picture <- function(model, influence, activity, layout, labels, legend, arrow_labels, overview, by_default) {
  check_flag(labels, "labels")
  check_flag(legend, "legend")
  check_flag(arrow_labels, "arrow_labels")
  graph <- network_graph(model)
  overview <- wants_overview(overview, graph, by_default)
  list(
    graph = graph, overview = overview, style = network_style(model, graph, influence, activity, labels),
    layout = if (!overview) given_places(model, graph, layout)
  )
}

# Components, and arrows with their signs.
network_graph <- function(model) {
  graph <- .Call(ffi_pbn_graph, model)
  graph$sign <- arrow_signs(model)
  graph$input <- seq_along(model$nodes) %in% input_nodes(model)
  graph
}

wants_overview <- function(overview, graph, by_default) {
  if (!is.null(overview)) return(check_flag(overview, "overview"))
  by_default && (length(graph$component) >= 150L || length(graph$from) > 1000L)
}

# ---- style -----------------------------------------------------------------------------------------------------------------

sign_colours <- c("+" = "#1B4F8A", "-" = "#B2182B", "+/-" = "#7B3294", "?" = "grey40")
activity_colours <- c("#F7F7F7", "#FDD49E", "#FC8D59")

# Colours and widths of nodes and arrows.
network_style <- function(model, graph, influence, activity, labels) {
  component <- component_colours(graph)
  value <- activity_values(model, activity)
  sign <- ifelse(is.na(graph$sign), "?", graph$sign)
  n <- length(graph$from)
  style <- list(
    labels = labels, input = graph$input, sign = sign, component = component, influence = NULL, activity = value,
    hidden = graph$from == graph$to & graph$input[graph$from],
    fill = if (is.null(value)) component else activity_fill(value),
    border = ifelse(graph$input, "black", if (is.null(value)) "grey55" else darker(component)),
    border_width = ifelse(graph$input, 2, if (is.null(value)) 0.8 else ifelse(component == "white", 0.8, 1.8)),
    width = rep(1, n), colour = unname(sign_colours[sign]), line = rep(1L, n), strength = rep(1, n)
  )
  if (is.null(influence)) style else influence_style(style, model, graph, influence)
}

# White for a node on its own, a pastel colour for each feedback component, the largest first.
component_colours <- function(graph) {
  colour <- rep("white", length(graph$component))
  big <- which(graph$size > 1L)
  big <- big[order(-graph$size[big])]
  palette <- grDevices::hcl(h = 90 + 137.5 * (seq_along(big) - 1), c = 35, l = 90)
  for (i in seq_along(big)) colour[graph$component == big[[i]]] <- palette[[i]]
  colour
}

darker <- function(colour) {
  rgb <- t(grDevices::col2rgb(colour)) / 255
  ifelse(colour == "white", "grey55", grDevices::rgb(rgb * 0.55))
}

mixed_with_white <- function(colour, share) {
  rgb <- t(grDevices::col2rgb(colour)) / 255
  grDevices::rgb(1 - (1 - rgb) * share)
}

activity_fill <- function(value) {
  ramp <- grDevices::colorRamp(activity_colours)
  out <- rep("white", length(value))
  some <- !is.na(value)
  if (any(some)) out[some] <- grDevices::rgb(ramp(value[some]), maxColorValue = 255)
  out
}

# One picture shows one network.
refuse_runs <- function(x, name) {
  if (is.null(attr(x, "run")$runs)) return(invisible(x))
  abort_argument(sprintf("`%s` has rows of several runs; plot each of them by itself.", name))
}

# A number between 0 and 1 for each node, NA where none is given; NULL for no activity at all.
activity_values <- function(model, activity) {
  if (is.null(activity)) return(NULL)
  refuse_runs(activity, "activity")
  expected <- "a result of node_activity() or steady_state(), or numbers with the nodes' names"
  if (is.data.frame(activity) && all(c("set", "probability") %in% names(activity))) {
    given <- stats::setNames(activity$probability, activity$set)
    known <- names(given) %in% model$nodes
    if (!any(known)) {
      abort_argument("`activity` must have state sets named as nodes; found none. node_activity() gives one for each node.")
    }
    given <- given[known]
  } else {
    given <- activity
    if (!is.numeric(given) || is.object(given) || is.null(names(given))) abort_value("activity", expected, activity)
  }
  at <- check_nodes(model, names(given), "activity")
  bad <- which(given < -1e-9 | given > 1 + 1e-9) # exact answers are rounded
  if (length(bad) > 0L) {
    abort_argument(sprintf("`activity` must be between 0 and 1; found %s.", describe(unname(given[[bad[[1L]]]]))))
  }
  replace(rep(NA_real_, length(model$nodes)), at, pmin(pmax(given, 0), 1))
}

# Widths and colours by influence. An arrow whose influence is certain is thin and dashed, whatever its influence.
influence_style <- function(style, model, graph, influence) {
  if (!is.data.frame(influence) || !all(c("from", "to", "influence") %in% names(influence))) {
    abort_value("influence", "a data frame with the columns \"from\", \"to\" and \"influence\"", influence)
  }
  refuse_runs(influence, "influence")
  from <- check_nodes(model, as.character(influence$from), "influence$from")
  to <- check_nodes(model, as.character(influence$to), "influence$to")
  at <- match(paste(graph$from, graph$to), paste(from, to))
  value <- pmin(pmax(influence$influence[at], 0), 1)
  certain <- (certain_influences(influence))[at] & !is.na(value)
  known <- ifelse(is.na(value) | certain, 0, value)
  style$influence <- value
  style$certain <- certain
  style$width <- ifelse(is.na(value), 0.6, ifelse(certain, 0.7, 0.8 + 4.2 * known))
  style$strength <- ifelse(is.na(value), 0.4, ifelse(certain, 0.5, 0.35 + 0.65 * known))
  style$colour <- mixed_with_white(style$colour, style$strength)
  style$line <- ifelse(certain, 2L, 1L)
  style
}

# Influences that are certain: 0 or 1 (except for rounding of exact results) if there is no interval, else as the result tells.
certain_influences <- function(x) {
  width <- if (is.null(x$lower) || is.null(x$upper)) numeric(nrow(x)) else x$upper - x$lower
  certain_rows(x) | (whole_influence(x$influence) & !is.na(width) & width < 1e-9)
}

whole_influence <- function(value) !is.na(value) & abs(value - round(value)) < 1e-9

# ---- geometry, in inches -----------------------------------------------------------------------------------------------------

# Widths of names in inches at the default size, and the height of a line. Needs an open plot.
base_widths <- function(names) {
  list(width = graphics::strwidth(short_label(names), "inches"), height = graphics::strheight("M", "inches"))
}

# `at`: the centre of each node; `half`: half its width and height; `cex`: the size of text; `paths`: for each arrow, a matrix of
# points, or NULL if there is no room for the arrow. `places` is a value of given_places().
network_drawing <- function(model, graph, places, labels, page, letters) {
  size <- box_sizes(graph, labels, letters, length(model$nodes))
  tip <- 0.035 # gap between an arrow's end and the box, so that a bar is visible
  if (is.null(places)) {
    found <- layered_layout(graph, page, size)
    paths <- layered_paths(found, graph$from, graph$to, tip)
  } else {
    found <- placed_layout(places, page, size)
    paths <- straight_paths(found$at, found$half, graph$from, graph$to, tip)
  }
  radius <- 0.07 * max(found$cex, 0.5)
  for (i in which(graph$from == graph$to)) {
    node <- graph$from[[i]]
    paths[[i]] <- loop_path(found$at[node, ], found$half[node, ], min(radius, found$half[node, ] * 1.2), tip)
  }
  list(at = found$at, half = found$half, cex = found$cex, paths = paths, page = page)
}

# Returns a function of the text size: half the width and height of boxes, and half the width including a loop.
box_sizes <- function(graph, labels, letters, n) {
  loop <- seq_len(n) %in% graph$from[graph$from == graph$to & !graph$input[graph$from]]
  arrows <- pmax(tabulate(graph$from, n), tabulate(graph$to, n))
  function(cex) {
    if (labels) {
      # a box with many arrows is wider, so that their ends are apart
      wide <- pmax(letters$width / 2 * cex + 0.06 * cex, 0.13 * cex, pmin(0.03 * arrows, 0.5) * cex)
      half <- cbind(wide, rep(0.5 * letters$height * cex + 0.045 * cex, n))
    } else {
      half <- matrix(0.09 * cex, n, 2L)
    }
    list(half = unname(half), room = unname(half[, 1L] + ifelse(loop, 0.1 * cex, 0)))
  }
}

# Given coordinates, scaled to the page.
placed_layout <- function(at, page, size) {
  n <- nrow(at)
  for (cex in 0.93^(0:12)) {
    box <- size(cex)
    room <- c(max(box$room), max(box$half[, 2L]))
    place <- vapply(1:2, function(i) {
      span <- range(at[, i])
      share <- if (diff(span) > 0) (at[, i] - span[[1L]]) / diff(span) else rep(0.5, n)
      room[[i]] + share * max(page[[i]] - 2 * room[[i]] - 0.15, 0)
    }, numeric(n))
    dim(place) <- c(n, 2L)
    place <- separate_boxes(place, cbind(box$room, box$half[, 2L]), 0.12 * cex, page)
    if (!any_cover(place, box$half, 0.08 * cex)) break
  }
  list(at = place, half = box$half, cex = cex)
}

any_cover <- function(at, half, gap) {
  over <- abs(outer(at[, 1L], at[, 1L], "-")) < outer(half[, 1L], half[, 1L], "+") + gap &
    abs(outer(at[, 2L], at[, 2L], "-")) < outer(half[, 2L], half[, 2L], "+") + gap
  sum(over) > nrow(at)
}

# The coordinates given by the argument `layout`; NULL for the layered layout, which depends on the page.
given_places <- function(model, graph, layout) {
  if (is.matrix(layout)) return(check_layout(layout, model))
  if (!is.function(layout)) {
    if (is.data.frame(layout)) return(check_layout(as.matrix(layout), model))
    if (check_choice(layout, "layout", c("layered", "force")) == "layered") return(NULL)
    need_package("igraph", "layout = \"force\"")
  } else {
    need_package("igraph", "a function as `layout`")
  }
  restore <- keep_rng()
  on.exit(restore())
  set.seed(1, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  if (is.function(layout)) return(check_layout(layout(igraph::as.igraph(model)), model))
  # the layout ignores the direction of arrows
  igraph::layout_with_fr(igraph::make_graph(rbind(graph$from, graph$to), length(model$nodes)), niter = 2000L)
}

check_layout <- function(layout, model) {
  n <- length(model$nodes)
  if (!is.matrix(layout) || !is.numeric(layout) || nrow(layout) != n || ncol(layout) != 2L || anyNA(layout)) {
    found <- if (!is.matrix(layout) || !is.numeric(layout)) describe(layout) else {
      paste0(nrow(layout), " x ", ncol(layout), if (anyNA(layout)) " with NA")
    }
    abort_argument(sprintf("`layout` must be a matrix of numbers with %s and 2 columns; found %s.", count_of(n, "row"), found))
  }
  unname(layout)
}

# ---- base graphics ---------------------------------------------------------------------------------------------------------

# Draws a network and its legend, whose entries are NULL for none. Returns the drawing.
draw_network <- function(model, plan, entries, main, arrow_labels, ...) {
  force(entries)
  style <- plan$style
  old <- graphics::par("mai", "mgp")
  on.exit(graphics::par(old))
  rows <- network_margins(entries, main)
  page <- graphics::par("pin")
  drawing <- network_drawing(model, plan$graph, plan$layout, style$labels, page, base_widths(model$nodes))
  network_frame(page, main, ...)
  draw_arrows(drawing, style, ...)
  draw_nodes(drawing, style, model$nodes, style$labels)
  if (arrow_labels) draw_arrow_labels(drawing, style)
  if (!is.null(entries)) draw_legend(entries, rows)
  drawing
}

# Starts the figure and sets its margins, with as many rows for the legend as needed. Returns the entries of each row.
network_margins <- function(entries, main) {
  start_figure()
  line <- graphics::par("csi")
  figure <- graphics::par("fin")
  rows <- if (is.null(entries)) list() else legend_rows(entries, figure[[1L]] - 0.2)
  up <- c(0.1 + 1.15 * line * legend_size() * length(rows), if (has_title(main)) 2.2 * line else 0.1)
  up <- up * min(1, 0.6 * figure[[2L]] / sum(up))
  side <- min(0.1, 0.1 * figure[[1L]])
  graphics::par(mai = c(up[[1L]], side, up[[2L]], side))
  rows
}

has_title <- function(main) !is.null(main) && !identical(main, "")

# The coordinates of the plot are inches. Arguments of plot.default() override our own.
network_frame <- function(page, main, ..., x, y, type, lwd, lty, xlab = "", ylab = "", axes = FALSE, xlim = c(0, page[[1L]]),
                          ylim = c(0, page[[2L]]), xaxs = "i", yaxs = "i") {
  graphics::plot.default(
    c(0, page[[1L]]), c(0, page[[2L]]), type = "n", xlim = xlim, ylim = ylim, xaxs = xaxs, yaxs = yaxs, axes = axes,
    xlab = xlab, ylab = ylab, main = if (has_title(main)) main, ...
  )
}

# Draws arrows of high influence last, on top. Arrows that are certain, or not listed in `influence`, are drawn first.
draw_arrows <- function(drawing, style, ..., lwd = 1, lty = style$line) {
  style$width <- lwd * drawn_width(style, drawing)
  style$line <- rep_len(lty, length(style$width))
  for (i in arrow_order(style)) {
    path <- drawing$paths[[i]]
    if (is.null(path) || style$hidden[[i]]) next
    head <- head_of_arrow(i, path, style, drawing$cex)
    graphics::lines(head$line, lwd = style$width[[i]], col = style$colour[[i]], lty = style$line[[i]], lend = 1L)
    if (head$filled) {
      graphics::polygon(head$shape, col = if (head$hollow) "white" else style$colour[[i]], border = style$colour[[i]], lwd = 1)
    } else {
      graphics::lines(head$shape, lwd = max(1, 0.8 * style$width[[i]]), col = style$colour[[i]], lend = 1L)
    }
  }
}

# The head of arrow i. An arrow beside others between the same nodes, with heads of their own, has its head behind theirs
# (`behind`: their number).
head_of_arrow <- function(i, path, style, cex) {
  length <- head_length(style$width[[i]], cex)
  if (!is.null(style$behind) && style$behind[[i]] > 0L) path <- cut_end(path, 1.2 * length * style$behind[[i]])
  arrow_head(path, style$sign[[i]], length)
}

# Lines are thinner if text is small.
drawn_width <- function(style, drawing) style$width * min(max(1.3 * drawing$cex, 0.5), 1.3)

arrow_order <- function(style) order(style$width)

head_length <- function(width, cex) (0.075 + 0.012 * width) * min(1.4, max(cex, 0.55) * 1.2)

# The line without its end, and the symbol at the end: a triangle, a bar, a diamond or an open head; of arcs of Petri nets, also a
# dot, a ring, two bars, or two open heads.
arrow_head <- function(path, sign, length) {
  total <- sum(sqrt(rowSums(diff(path)^2)))
  length <- min(length, 0.6 * total)
  end <- path[nrow(path), ]
  cut <- cut_end(path, if (sign == "+/-") 1.5 * length else length)
  back <- cut[nrow(cut), ]
  along <- end - back
  along <- along / max(sqrt(sum(along^2)), 1e-9)
  across <- c(-along[[2L]], along[[1L]])
  point <- function(behind, aside) end - along * behind * length + across * aside * length
  turn <- seq(0, 2 * pi, length.out = 17L)[-1L]
  circle <- function() t(vapply(turn, function(a) point(0.4 + 0.4 * cos(a), 0.4 * sin(a)), end))
  head <- function(behind) rbind(point(behind + 0.7, 0.4), point(behind, 0), point(behind + 0.7, -0.4))
  switch(sign,
    read = list(line = cut_end(path, 0.8 * length), shape = circle(), filled = TRUE, hollow = FALSE),
    inhibitor = list(line = cut_end(path, 0.8 * length), shape = circle(), filled = TRUE, hollow = TRUE),
    equal = list(
      line = path, shape = rbind(point(0.1, 0.5), point(0.1, -0.5), NA, point(0.5, 0.5), point(0.5, -0.5)), filled = FALSE,
      hollow = FALSE
    ),
    reset = list(line = path, shape = rbind(head(0), NA, head(0.6)), filled = FALSE, hollow = FALSE),
    "+" = list(line = cut, shape = rbind(end, point(1, 0.4), point(1, -0.4)), filled = TRUE, hollow = FALSE),
    "-" = list(line = path, shape = rbind(point(0, 0.55), point(0, -0.55)), filled = FALSE, hollow = FALSE),
    "+/-" = list(
      line = cut, shape = rbind(end, point(0.75, 0.45), point(1.5, 0), point(0.75, -0.45)), filled = TRUE, hollow = TRUE
    ),
    list(line = path, shape = rbind(point(0.9, 0.45), end, point(0.9, -0.45)), filled = FALSE, hollow = FALSE)
  )
}

# A path shortened at its end by a length.
cut_end <- function(path, length) {
  k <- nrow(path)
  left <- length
  while (k > 1L) {
    piece <- sqrt(sum((path[k, ] - path[k - 1L, ])^2))
    if (piece > left) {
      end <- path[k, ] + (path[k - 1L, ] - path[k, ]) * left / piece
      return(rbind(path[seq_len(k - 1L), , drop = FALSE], end, deparse.level = 0))
    }
    left <- left - piece
    k <- k - 1L
  }
  path[1L, , drop = FALSE]
}

draw_nodes <- function(drawing, style, names, labels) {
  at <- drawing$at
  half <- drawing$half
  box <- labels | style$input
  if (!is.null(style$round)) { # a Petri net: places are round, transitions are boxes, with or without labels
    box <- !style$round
    for (i in which(style$round)) {
      shape <- stadium(at[i, ], half[i, ])
      graphics::polygon(shape, col = style$fill[[i]], border = style$border[[i]], lwd = style$border_width[[i]])
    }
  }
  if (any(box)) {
    graphics::rect(
      at[box, 1L] - half[box, 1L], at[box, 2L] - half[box, 2L], at[box, 1L] + half[box, 1L], at[box, 2L] + half[box, 2L],
      col = style$fill[box], border = style$border[box], lwd = style$border_width[box]
    )
  }
  if (any(!box) && is.null(style$round)) {
    graphics::symbols(
      at[!box, 1L], at[!box, 2L], circles = half[!box, 1L], inches = FALSE, add = TRUE, bg = style$fill[!box],
      fg = style$border[!box], lwd = style$border_width[!box]
    )
  }
  if (labels) graphics::text(at[, 1L], at[, 2L], short_label(names), cex = drawing$cex)
}

# The outline of a box with round ends; a circle if it is as high as wide.
stadium <- function(at, half) {
  r <- min(half)
  turn <- seq(-pi / 2, pi / 2, length.out = 17L)
  cbind(
    at[[1L]] + c(half[[1L]] - r + r * cos(turn), r - half[[1L]] - r * cos(turn)),
    at[[2L]] + half[[2L]] * c(sin(turn), -sin(turn))
  )
}

# Places of the numbers beside arrows, on a white background: the middle of the arrow, or the nearest place that is free.
arrow_label_places <- function(drawing, style, width, height) {
  boxes <- boxes_of(drawing$at, drawing$half)
  shown <- which(!is.na(style$influence) & !style$hidden & lengths(drawing$paths) > 0L)
  places <- matrix(NA_real_, length(shown), 2L)
  for (i in seq_along(shown)) {
    path <- drawing$paths[[shown[[i]]]]
    length <- c(0, cumsum(sqrt(rowSums(diff(path)^2))))
    share <- 0.5 + c(0, rep(1:8, each = 2L) * c(-0.05, 0.05))
    spots <- cbind(
      stats::approx(length, path[, 1L], share * length[[length(length)]], ties = "ordered")$y,
      stats::approx(length, path[, 2L], share * length[[length(length)]], ties = "ordered")$y
    )
    covered <- apply(spots, 1L, function(p) {
      sum(p[[1L]] + width / 2 > boxes[, 1L] & p[[1L]] - width / 2 < boxes[, 2L] & p[[2L]] + height / 2 > boxes[, 3L] &
        p[[2L]] - height / 2 < boxes[, 4L])
    })
    p <- spots[which.min(covered), ]
    places[i, ] <- p
    boxes <- rbind(boxes, c(p[[1L]] - width / 2, p[[1L]] + width / 2, p[[2L]] - height / 2, p[[2L]] + height / 2))
  }
  list(arrow = shown, at = places)
}

draw_arrow_labels <- function(drawing, style) {
  if (is.null(style$influence)) return(invisible())
  cex <- max(0.75 * drawing$cex, 0.4)
  width <- graphics::strwidth("0.00", "inches", cex = cex) + 0.02
  height <- graphics::strheight("0", "inches", cex = cex) + 0.03
  found <- arrow_label_places(drawing, style, width, height)
  at <- found$at
  if (nrow(at) == 0L) return(invisible())
  graphics::rect(
    at[, 1L] - width / 2, at[, 2L] - height / 2, at[, 1L] + width / 2, at[, 2L] + height / 2, col = "white", border = NA
  )
  text <- influence_text(style$influence[found$arrow])
  graphics::text(at[, 1L], at[, 2L], text, cex = cex, col = style_text(style, found$arrow))
}

influence_text <- function(value) ifelse(whole_influence(value), sprintf("%.0f", value), sprintf("%.2f", value))

style_text <- function(style, arrow) unname(sign_colours[style$sign[arrow]])
