#' Plot a network
#'
#' Draws the nodes and an arrow from every parent to its child. Nodes of the same feedback component (a strongly connected
#' component with more than one node) share a colour; inputs (nodes that keep their value) have a thick black border, or are
#' squares among circles where names are not written. With `influence`, an arrow is as wide and as dark as the long-run
#' influence of the parent on the child. A legend below names what occurs of this.
#'
#' @param x A network of class `pbn`.
#' @param influence A data frame with the columns `from`, `to` (names) and `influence` (between 0 and 1), as
#'   `long_run_influence()` gives. Arrows that it does not list are drawn thin.
#' @param layout `"layered"` (arrows run downwards as far as feedback allows), `"force"` (by igraph, which must be installed) or
#'   a matrix with two columns, x and y, and a row for each node. Where igraph is installed, it also orders the layers to
#'   avoid crossings.
#' @param labels Whether to write the nodes' names; by default, if there are at most 150 nodes.
#' @param main The title.
#' @param legend Whether to say below what borders, colours and arrows mean. Default `TRUE`.
#' @param ... Further arguments of [graphics::plot.default()].
#' @returns A data frame of the nodes drawn, invisibly: `node`, `x`, `y`, `component` and `colour`.
#' @export
#' @examples
#' plot(example_model("example1"))
plot.pbn <- function(x, influence = NULL, layout = "layered", labels = length(x$nodes) <= 150, main = NULL,
                     legend = TRUE, ...) {
  check_flag(labels, "labels")
  check_flag(legend, "legend")
  graph <- .Call(ffi_pbn_graph, x)
  at <- network_layout(x, graph, layout)
  colour <- component_colours(graph)
  arrows <- arrow_style(x, graph, influence)

  input <- seq_along(x$nodes) %in% input_nodes(x)
  said <- if (legend) network_legend(input, colour, labels, !is.null(influence))
  old <- plot_margins(NULL, 1L, if (is.null(said)) 0.5 else 2, if (is.null(main)) 0.5 else 2.5, 0.5, 0.5)
  on.exit(graphics::par(old))
  graphics::plot.default(
    extended_range(at[, 1L]), extended_range(at[, 2L]), type = "n", axes = FALSE, xlab = "", ylab = "", main = main, ...
  )
  size <- node_size(x, labels)
  half <- half_sizes(x, labels, size)
  draw_arrows(at, half, graph, arrows)
  if (labels) {
    graphics::rect(
      at[, 1L] - half[, 1L], at[, 2L] - half[, 2L], at[, 1L] + half[, 1L], at[, 2L] + half[, 2L],
      col = colour, border = ifelse(input, "black", "grey60"), lwd = ifelse(input, 1.6, 0.8)
    )
    graphics::text(at[, 1L], at[, 2L], x$nodes, cex = size)
  } else {
    graphics::points(at, pch = ifelse(input, 22, 21), bg = colour, col = "grey40", cex = size)
  }
  if (!is.null(said)) draw_legend(said)
  invisible(data.frame(node = x$nodes, x = at[, 1L], y = at[, 2L], component = graph$component, colour = colour))
}

# What there is to explain, as arguments of legend(); NULL if nothing.
network_legend <- function(input, colour, labels, influence) {
  looped <- which(colour != "white")
  several <- length(unique(colour[looped])) > 1L
  keep <- c(any(input), length(looped) > 0L, influence)
  if (!any(keep)) return(NULL)
  entries <- data.frame(
    legend = c(
      "input", if (several) "feedback component (a colour each)" else "feedback component", "wider arrow: more influence"
    ),
    pch = c(22, if (labels) 22 else 21, NA),
    col = c("black", if (labels) "grey60" else "grey40", "#1A1AB3"),
    pt.bg = c("white", if (length(looped) > 0L) colour[[looped[[1L]]]] else NA, NA),
    pt.lwd = c(if (labels) 1.6 else 1, 0.8, 1), lwd = c(NA, NA, 3)
  )
  as.list(entries[keep, ])
}

# In the bottom margin, as large as the width allows.
draw_legend <- function(entries) {
  place <- function(size, draw) {
    do.call(graphics::legend, c(entries, list(
      x = graphics::grconvertX(0.5, "npc"), y = graphics::grconvertY(0, "npc"), xjust = 0.5, yjust = 1, horiz = TRUE, bty = "n",
      xpd = NA, cex = size, pt.cex = 1.5 * size, seg.len = 1.2, x.intersp = 0.6, plot = draw
    )))
  }
  usr <- graphics::par("usr")
  wide <- place(0.9, FALSE)$rect$w / (usr[[2L]] - usr[[1L]])
  place(0.9 / max(1, wide), TRUE)
}

extended_range <- function(x) range(x) + c(-0.05, 0.05) * max(diff(range(x)), 0.5)

node_size <- function(model, labels) {
  n <- length(model$nodes)
  if (labels) max(0.35, min(1, 1.15 - 0.14 * log2(max(n, 2)) + 0.3)) else max(0.2, 1.5 - 0.15 * log2(n))
}

# White for a node on its own, a pastel colour for each feedback component, the largest first.
component_colours <- function(graph) {
  colour <- rep("white", length(graph$component))
  big <- which(graph$size > 1L)
  big <- big[order(-graph$size[big])]
  palette <- grDevices::hcl(h = 15 + 137.5 * (seq_along(big) - 1), c = 45, l = 82)
  for (i in seq_along(big)) colour[graph$component == big[[i]]] <- palette[[i]]
  colour
}

arrow_style <- function(model, graph, influence) {
  n <- length(graph$from)
  if (is.null(influence)) return(list(width = rep(1, n), colour = rep("grey45", n)))
  if (!is.data.frame(influence) || !all(c("from", "to", "influence") %in% names(influence))) {
    abort_value("influence", "a data frame with the columns \"from\", \"to\" and \"influence\"", influence)
  }
  from <- check_nodes(model, as.character(influence$from), "influence$from")
  to <- check_nodes(model, as.character(influence$to), "influence$to")
  at <- match(paste(graph$from, graph$to), paste(from, to))
  value <- influence$influence[at]
  said <- which(!is.na(value))
  value <- pmin(pmax(value[said], 0), 1)
  style <- list(width = rep(0.5, n), colour = rep("grey80", n))
  style$width[said] <- 0.5 + 4.5 * value
  style$colour[said] <- grDevices::rgb(0.75 - 0.65 * value, 0.75 - 0.65 * value, 0.85 - 0.15 * value)
  style
}

# Half the width and height of each node as drawn, in the plot's units.
half_sizes <- function(model, labels, size) {
  if (!labels) {
    half <- graphics::par("cxy") * size * 0.25
    return(matrix(half, length(model$nodes), 2L, byrow = TRUE))
  }
  width <- graphics::strwidth(model$nodes, cex = size) / 2 + graphics::strwidth("m", cex = size) * 0.4
  cbind(width, graphics::strheight("M", cex = size))
}

# Arrows from border to border, the most influential on top. One that has a counterpart in the other direction, or runs along a
# layer, is bent, so that neither hides the other or passes through the nodes between.
draw_arrows <- function(at, half, graph, style) {
  loop <- graph$from == graph$to
  twin <- paste(graph$to, graph$from) %in% paste(graph$from, graph$to)
  level <- abs(at[graph$from, 2L] - at[graph$to, 2L]) < 2 * half[graph$from, 2L]
  for (i in order(style$width)) {
    if (loop[[i]]) draw_loop(at[graph$from[[i]], ], half[graph$from[[i]], ], style$width[[i]], style$colour[[i]])
    else draw_arrow(
      at[graph$from[[i]], ], at[graph$to[[i]], ], half[graph$from[[i]], ], half[graph$to[[i]], ],
      if (level[[i]]) 0.18 else if (twin[[i]]) 0.08 else 0, style$width[[i]], style$colour[[i]]
    )
  }
}

draw_arrow <- function(from, to, half_from, half_to, bend, width, colour) {
  # a quadratic curve; the bend is measured in inches across the chord, so that it looks alike in any direction
  inch <- graphics::par("pin") / (graphics::par("usr")[c(2L, 4L)] - graphics::par("usr")[c(1L, 3L)])
  chord <- (to - from) * inch
  control <- (from + to) / 2 + bend * c(-chord[[2L]], chord[[1L]]) / inch
  t <- if (bend == 0) c(0, 1) else seq(0, 1, length.out = 25L)
  start <- border_point(from, control, half_from)
  end <- border_point(to, control, half_to)
  path <- cbind(
    (1 - t)^2 * start[[1L]] + 2 * t * (1 - t) * control[[1L]] + t^2 * end[[1L]],
    (1 - t)^2 * start[[2L]] + 2 * t * (1 - t) * control[[2L]] + t^2 * end[[2L]]
  )
  n <- nrow(path)
  if (sqrt(sum(((path[n, ] - path[n - 1L, ]) * inch)^2)) < 1e-3) return(invisible())
  if (n > 2L) graphics::lines(path, lwd = width, col = colour)
  graphics::arrows(
    path[n - 1L, 1L], path[n - 1L, 2L], path[n, 1L], path[n, 2L], length = 0.05 + 0.012 * width, lwd = width, col = colour
  )
}

# Where the line from the middle of a node to a point leaves the node's rectangle.
border_point <- function(middle, towards, half) {
  delta <- towards - middle
  share <- min(half / pmax(abs(delta), 1e-12), 1)
  middle + delta * share
}

# A node that is its own parent has a small ring at its upper right corner.
draw_loop <- function(middle, half, width, colour) {
  inch <- graphics::par("pin") / (graphics::par("usr")[c(2L, 4L)] - graphics::par("usr")[c(1L, 3L)])
  turn <- seq(0, 2 * pi, length.out = 25L)
  radius <- 0.06
  graphics::lines(
    middle[[1L]] + half[[1L]] * 0.8 + radius * cos(turn) / inch[[1L]],
    middle[[2L]] + half[[2L]] + radius * sin(turn) / inch[[2L]],
    lwd = width, col = colour
  )
}

# ---- where the nodes go ------------------------------------------------------------------------------------------------

network_layout <- function(model, graph, layout) {
  n <- length(model$nodes)
  if (is.matrix(layout)) {
    if (!is.numeric(layout) || nrow(layout) != n || ncol(layout) != 2L || anyNA(layout)) {
      abort_argument(sprintf(
        "`layout` must be a matrix of numbers with %s and 2 columns; found %d x %d.",
        count_of(n, "row"), nrow(layout), ncol(layout)
      ))
    }
    return(layout)
  }
  layout <- check_choice(layout, "layout", c("layered", "force"))
  if (layout == "layered") return(layered_layout(model, graph))
  need_package("igraph", "layout = \"force\"")
  restore <- keep_rng()
  on.exit(restore())
  set.seed(1)
  igraph::layout_with_fr(igraph::make_graph(rbind(graph$from, graph$to), n))
}

layered_layout <- function(model, graph) {
  layer <- network_layers(graph)
  if (requireNamespace("igraph", quietly = TRUE) && length(model$nodes) <= 1000L) {
    down <- layer[graph$from] < layer[graph$to]
    acyclic <- igraph::make_graph(rbind(graph$from[down], graph$to[down]), length(model$nodes))
    at <- igraph::layout_with_sugiyama(acyclic, layers = layer)$layout
    return(spread_layers(at[, 1L], layer))
  }
  spread_layers(barycentres(graph, layer), layer)
}

# A node's layer: the longest path of components that leads to it; within a component, the shortest from its entries.
network_layers <- function(graph) {
  n_components <- length(graph$size)
  component <- graph$component
  inner <- inner_depth(graph)
  height <- integer(n_components)
  height[sort(unique(component))] <- vapply(split(inner, component), max, 0L)
  first <- integer(n_components)
  between <- which(component[graph$from] != component[graph$to])
  between <- between[order(component[graph$from[between]])]
  # components are numbered along the arrows, so one pass sees every parent before its child
  for (i in between) {
    a <- component[[graph$from[[i]]]]
    b <- component[[graph$to[[i]]]]
    first[[b]] <- max(first[[b]], first[[a]] + height[[a]] + 1L)
  }
  first[component] + inner + 1L
}

# Within each component, the number of arrows from the nodes that something outside leads to.
inner_depth <- function(graph) {
  component <- graph$component
  depth <- rep(NA_integer_, length(component))
  inside <- component[graph$from] == component[graph$to] & graph$from != graph$to
  depth[graph$to[component[graph$from] != component[graph$to]]] <- 0L
  closed <- setdiff(component, component[!is.na(depth)])
  depth[match(closed, component)] <- 0L
  from <- graph$from[inside]
  to <- graph$to[inside]
  for (level in seq_along(component)) {
    new <- unique(to[!is.na(depth[from]) & depth[from] == level - 1L & is.na(depth[to])])
    if (length(new) == 0L) break
    depth[new] <- level
  }
  depth
}

# Each layer's nodes in the order of the mean place of their parents, swept a few times.
barycentres <- function(graph, layer) {
  n <- length(layer)
  place <- stats::ave(seq_len(n), layer, FUN = function(i) rank(i) - (length(i) + 1) / 2)
  both <- data.frame(node = c(graph$to, graph$from), other = c(graph$from, graph$to))
  both <- both[layer[both$node] != layer[both$other], ]
  for (sweep in 1:8) {
    mean_place <- place
    if (nrow(both) > 0L) {
      sums <- rowsum(cbind(place[both$other], 1), both$node)
      mean_place[as.integer(rownames(sums))] <- sums[, 1L] / sums[, 2L]
    }
    place <- stats::ave(mean_place, layer, FUN = function(i) rank(i, ties.method = "first") - (length(i) + 1) / 2)
  }
  place
}

# Nodes of a layer side by side; a crowded layer takes two or three rows, so that names stay apart.
spread_layers <- function(place, layer) {
  count <- tabulate(layer)
  rows <- pmin(3, pmax(1, ceiling(count / 9)))
  height <- 1 + 0.65 * (rows - 1)
  middle <- -(cumsum(height) - height / 2)
  number <- stats::ave(place, layer, FUN = function(i) rank(i, ties.method = "first"))
  k <- count[layer]
  x <- ifelse(k == 1L, 0, (number - (k + 1) / 2) / k)
  y <- middle[layer] + (number %% rows[layer] - (rows[layer] - 1) / 2) * 0.65
  cbind(x, y, deparse.level = 0)
}
