#' Plot a network
#'
#' Draws the nodes and an arrow from every parent to its child. Nodes of the same feedback component (a strongly connected
#' component with more than one node) share a colour; inputs are squares. With `influence`, an arrow is as wide and as dark as
#' the long-run influence of the parent on the child.
#'
#' @param x A network of class `pbn`.
#' @param influence A data frame with the columns `from`, `to` (names) and `influence` (between 0 and 1), as
#'   `long_run_influence()` gives. Arrows that it does not list are drawn thin.
#' @param layout `"layered"` (arrows run downwards as far as feedback allows), `"force"` (by igraph, which must be installed) or
#'   a matrix with two columns, x and y, and a row for each node. Where igraph is installed, it also orders the layers to
#'   avoid crossings.
#' @param labels Whether to write the nodes' names; by default, if there are at most 150 nodes.
#' @param main The title.
#' @param ... Further arguments of [graphics::plot.default()].
#' @returns A data frame of the nodes drawn, invisibly: `node`, `x`, `y`, `component` and `colour`.
#' @export
#' @examples
#' plot(example_model("example1"))
plot.pbn <- function(x, influence = NULL, layout = "layered", labels = length(x$nodes) <= 150, main = NULL, ...) {
  check_flag(labels, "labels")
  graph <- .Call(ffi_pbn_graph, x)
  at <- network_layout(x, graph, layout)
  colour <- component_colours(graph)
  arrows <- arrow_style(x, graph, influence)

  old <- graphics::par(mar = c(0.5, 0.5, if (is.null(main)) 0.5 else 2.5, 0.5))
  on.exit(graphics::par(old))
  graphics::plot.default(
    range(at[, 1L]) + c(-0.08, 0.08) * max(diff(range(at[, 1L])), 1), range(at[, 2L]) + c(-0.08, 0.08) * max(diff(range(at[, 2L])), 1),
    type = "n", axes = FALSE, xlab = "", ylab = "", main = main, ...
  )
  size <- node_size(x, labels)
  draw_arrows(at, graph, arrows, size)
  input <- seq_along(x$nodes) %in% input_nodes(x)
  if (labels) {
    half <- cbind(graphics::strwidth(x$nodes, cex = size) / 2 + graphics::strwidth("m", cex = size) * 0.4, graphics::strheight("M", cex = size))
    graphics::symbols(
      at[, 1L], at[, 2L], rectangles = 2 * half, inches = FALSE, add = TRUE,
      bg = colour, fg = ifelse(input, "black", "grey60"), lwd = ifelse(input, 1.6, 0.8)
    )
    graphics::text(at[, 1L], at[, 2L], x$nodes, cex = size)
  } else {
    graphics::points(at, pch = ifelse(input, 22, 21), bg = colour, col = "grey40", cex = size)
  }
  invisible(data.frame(node = x$nodes, x = at[, 1L], y = at[, 2L], component = graph$component, colour = colour))
}

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
  style <- list(width = rep(if (is.null(influence)) 1 else 0.5, n), colour = rep(if (is.null(influence)) "grey45" else "grey80", n))
  if (is.null(influence)) return(style)
  if (!is.data.frame(influence) || !all(c("from", "to", "influence") %in% names(influence))) {
    abort_value("influence", "a data frame with the columns \"from\", \"to\" and \"influence\"", influence)
  }
  from <- check_nodes(model, as.character(influence$from), "influence$from")
  to <- check_nodes(model, as.character(influence$to), "influence$to")
  at <- match(paste(graph$from, graph$to), paste(from, to))
  value <- influence$influence[at]
  said <- which(!is.na(value))
  value <- pmin(pmax(value[said], 0), 1)
  style$width[said] <- 0.5 + 4.5 * value
  style$colour[said] <- grDevices::rgb(0.75 - 0.65 * value, 0.75 - 0.65 * value, 0.85 - 0.15 * value)
  style
}

draw_arrows <- function(at, graph, style, size) {
  order <- order(style$width)
  from <- graph$from[order]
  to <- graph$to[order]
  width <- style$width[order]
  colour <- style$colour[order]
  loop <- from == to
  # arrows end short of their node, measured in inches so that both axes agree
  inch <- graphics::par("pin") / (graphics::par("usr")[c(2L, 4L)] - graphics::par("usr")[c(1L, 3L)])
  delta <- cbind(at[to, 1L] - at[from, 1L], at[to, 2L] - at[from, 2L])
  length <- sqrt((delta[, 1L] * inch[[1L]])^2 + (delta[, 2L] * inch[[2L]])^2)
  short <- pmin(0.17 * size / pmax(length, 1e-9), 0.4)
  drawn <- which(!loop & length > 1e-3)
  start <- at[from, , drop = FALSE] + delta * short
  end <- at[to, , drop = FALSE] - delta * short
  for (i in drawn) {
    graphics::arrows(
      start[i, 1L], start[i, 2L], end[i, 1L], end[i, 2L], length = 0.05 + 0.01 * width[[i]], lwd = width[[i]], col = colour[[i]]
    )
  }
  if (any(loop)) {
    shift <- 0.13 * size / inch
    graphics::symbols(
      at[from[loop], 1L] + shift[[1L]], at[from[loop], 2L] + shift[[2L]], circles = rep(0.1 * size / inch[[1L]], sum(loop)),
      inches = FALSE, add = TRUE, fg = colour[loop], lwd = width[loop]
    )
  }
}

# ---- where the nodes go ------------------------------------------------------------------------------------------------

network_layout <- function(model, graph, layout) {
  n <- length(model$nodes)
  if (is.matrix(layout)) {
    if (!is.numeric(layout) || nrow(layout) != n || ncol(layout) != 2L || anyNA(layout)) {
      abort_argument(sprintf("`layout` must be a matrix of numbers with %d rows and 2 columns; found %d x %d.", n, nrow(layout), ncol(layout)))
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

spread_layers <- function(place, layer) {
  x <- stats::ave(place, layer, FUN = function(i) {
    k <- length(i)
    if (k == 1L) return(0)
    (rank(i, ties.method = "first") - (k + 1) / 2) / k
  })
  # neighbours in a crowded layer are set a little up and down, so that their names stay apart
  order_in_layer <- stats::ave(x, layer, FUN = rank)
  crowd <- stats::ave(x, layer, FUN = length)
  y <- -layer + ifelse(crowd > 8, (order_in_layer %% 3 - 1) * 0.25, 0)
  cbind(x, y, deparse.level = 0)
}
