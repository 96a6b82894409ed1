# The overview that plot() draws of a network with many nodes: groups of nodes, distributions of the numbers of parents and
# children, and the nodes with most of them.

# The group of each node, and the label of each group. Nodes outside feedback components are grouped by what they lead to.
overview_groups <- function(model, graph, most = 8L) {
  component <- graph$component
  big <- which(graph$size > 1L)
  big <- big[order(-graph$size[big])]
  own <- utils::head(big, most)
  pooled <- setdiff(big, own)
  reaches <- reaching(graph, component %in% big)
  kind <- ifelse(
    component %in% own, paste0("core", match(component, own)),
    ifelse(component %in% pooled, "pooled", ifelse(graph$input, "input", outer_kind(graph, reaches, length(big) > 0L)))
  )
  said <- c(
    input = "inputs", before = "before feedback", between = "between feedback", after = "after feedback",
    apart = "apart from feedback", inner = "with children", leaf = "without children",
    stats::setNames(rep("feedback component", length(own)), sprintf("core%d", seq_along(own))),
    pooled = count_of(length(pooled), "smaller component")
  )
  kinds <- intersect(names(said), kind)
  group <- match(kind, kinds)
  from <- group[graph$from]
  to <- group[graph$to]
  within <- tabulate(from[from == to & graph$from != graph$to], length(kinds))
  nodes <- tabulate(group, length(kinds))
  between <- from != to
  pair <- (from[between] - 1L) * length(kinds) + to[between]
  counts <- as.data.frame(table(pair), stringsAsFactors = FALSE)
  pair <- as.integer(counts$pair)
  colour <- ifelse(kinds == "pooled", "grey92", component_colours(graph)[match(kinds, kind)])
  list(
    group = group, kind = kinds, name = unname(said[kinds]), nodes = nodes, within = within, colour = colour,
    arrows = data.frame(from = (pair - 1L) %/% length(kinds) + 1L, to = (pair - 1L) %% length(kinds) + 1L, number = counts$Freq),
    text = paste0(said[kinds], "\n", vapply(nodes, count_of, "", "node"),
      ifelse(within > 0, paste0(", ", vapply(within, count_of, "", "arrow")), ""))
  )
}

outer_kind <- function(graph, reaches, feedback) {
  if (!feedback) return(ifelse(seq_along(graph$component) %in% graph$from[graph$from != graph$to], "inner", "leaf"))
  ifelse(reaches$to & reaches$from, "between", ifelse(reaches$to, "before", ifelse(reaches$from, "after", "apart")))
}

# For each node, whether it can reach a node of `goal` (to), and whether one can reach it (from).
reaching <- function(graph, goal) {
  spread <- function(along, against) {
    seen <- goal
    repeat {
      new <- setdiff(against[seen[along]], which(seen))
      if (length(new) == 0L) return(seen)
      seen[new] <- TRUE
    }
  }
  list(to = spread(graph$to, graph$from), from = spread(graph$from, graph$to))
}

overview_degrees <- function(graph) {
  other <- graph$from != graph$to
  n <- length(graph$component)
  list(parents = tabulate(graph$to[other], n), children = tabulate(graph$from[other], n))
}

# The number of nodes with each number of parents, and of children. The last class holds all larger numbers.
degree_counts <- function(degrees, most = 12L) {
  top <- min(max(degrees$parents, degrees$children), most)
  count <- function(x) tabulate(pmin(x, top) + 1L, top + 1L)
  more <- max(degrees$parents, degrees$children) > most
  data.frame(
    degree = 0:top, label = paste0(0:top, ifelse(0:top == top & more, "+", "")), parents = count(degrees$parents),
    children = count(degrees$children)
  )
}

# The nodes with the largest numbers of parents and children.
most_connected <- function(model, degrees, n) {
  order <- utils::head(order(-(degrees$parents + degrees$children)), n)
  data.frame(node = model$nodes[order], parents = degrees$parents[order], children = degrees$children[order])
}

overview_title <- function(graph) {
  other <- sum(graph$from != graph$to | !graph$input[graph$from])
  sprintf("Overview of %s and %s", count_of(length(graph$component), "node"), count_of(other, "arrow"))
}

# ---- base graphics ---------------------------------------------------------------------------------------------------------

plot_overview <- function(model, graph, main, legend, ...) {
  groups <- overview_groups(model, graph)
  degrees <- overview_degrees(graph)
  old <- graphics::par("mai", "mgp")
  on.exit(graphics::par(old))
  network_margins(NULL, "title")
  page <- graphics::par("pin")
  network_frame(page, if (is.null(main)) overview_title(graph) else main, ...)
  size <- largest_letters(page)
  line <- graphics::strheight("M", "inches", cex = size) * 1.9
  foot <- if (legend) overview_note(graph, main, page, size) else 0
  split <- 0.56 * page[[1L]]
  draw_groups(groups, c(0, split - 0.15, foot, page[[2L]]))
  middle <- foot + (page[[2L]] - foot) * 0.5
  draw_degrees(degree_counts(degrees), c(split, page[[1L]], middle + 1.2 * line, page[[2L]] - 0.3 * line), size)
  draw_connected(model, degrees, c(split, page[[1L]], foot, middle), size)
  invisible(data.frame(
    node = model$nodes, component = graph$component, group = groups$name[groups$group], parents = degrees$parents,
    children = degrees$children
  ))
}

# Draws a description of the plot, in as many lines as needed, and returns their height.
overview_note <- function(graph, main, page, size) {
  cex <- 0.8 * size
  text <- c(
    if (!is.null(main)) paste0(overview_title(graph), "."),
    "Groups of nodes, with the numbers of arrows between them.", "overview = FALSE draws every node."
  )
  lines <- text[[1L]]
  for (part in text[-1L]) {
    longer <- paste(lines[[length(lines)]], part)
    fits <- graphics::strwidth(longer, "inches", cex = cex) <= page[[1L]]
    lines <- if (fits) c(lines[-length(lines)], longer) else c(lines, part)
  }
  cex <- min(cex, cex * page[[1L]] / max(graphics::strwidth(lines, "inches", cex = cex)))
  height <- graphics::strheight("M", "inches", cex = cex) * 1.7
  graphics::text(page[[1L]] / 2, (rev(seq_along(lines)) - 0.5) * height, lines, cex = cex, col = "grey30")
  (length(lines) + 0.5) * height
}

panel_title <- function(text, box, size) {
  cex <- min(size, (box[[2L]] - box[[1L]]) / graphics::strwidth(text, "inches", font = 2))
  graphics::text(box[[1L]], box[[4L]], text, adj = c(0, 1), font = 2, cex = cex)
}

# Draws groups as boxes with arrows between them, in a part of the page: left, right, bottom, top.
draw_groups <- function(groups, box) {
  drawing <- groups_drawing(groups, c(box[[2L]] - box[[1L]], box[[4L]] - box[[3L]]), list(
    width = graphics::strwidth(groups$text, "inches"), height = graphics::strheight("M\nM", "inches")
  ))
  shift <- function(path) path + rep(box[c(1L, 3L)], each = nrow(path))
  k <- nrow(groups$arrows)
  style <- list(
    width = 0.8 + 1.2 * log10(pmax(groups$arrows$number, 1)), colour = rep("grey55", k), line = rep(1L, k), sign = rep("+", k),
    hidden = logical(k), influence = groups$arrows$number
  )
  drawing$paths <- lapply(drawing$paths, function(path) if (!is.null(path)) shift(path))
  drawing$at <- shift(drawing$at)
  draw_arrows(drawing, style)
  at <- drawing$at
  half <- drawing$half
  graphics::rect(
    at[, 1L] - half[, 1L], at[, 2L] - half[, 2L], at[, 1L] + half[, 1L], at[, 2L] + half[, 2L], col = groups$colour,
    border = ifelse(groups$kind == "input", "black", "grey55"), lwd = ifelse(groups$kind == "input", 2, 1)
  )
  graphics::text(at[, 1L], at[, 2L], groups$text, cex = drawing$cex)
  numbers <- format_whole(groups$arrows$number)
  cex <- 0.9 * drawing$cex
  wide <- max(graphics::strwidth(numbers, "inches", cex = cex), 0) + 0.03
  places <- arrow_label_places(drawing, style, wide, graphics::strheight("0", "inches", cex = cex) + 0.04)
  for (i in seq_along(places$arrow)) {
    p <- places$at[i, ]
    text <- numbers[[places$arrow[[i]]]]
    wide <- graphics::strwidth(text, "inches", cex = cex) / 2 + 0.015
    tall <- graphics::strheight("0", "inches", cex = cex) / 2 + 0.02
    graphics::rect(p[[1L]] - wide, p[[2L]] - tall, p[[1L]] + wide, p[[2L]] + tall, col = "white", border = NA)
    graphics::text(p[[1L]], p[[2L]], text, cex = cex, col = "grey30")
  }
}

# The layered layout, with groups as nodes.
groups_drawing <- function(groups, page, letters) {
  n <- length(groups$kind)
  graph <- quotient_graph(groups$arrows$from, groups$arrows$to, n)
  size <- function(cex) {
    half <- cbind(letters$width / 2 * cex + 0.06, rep(letters$height / 2 * cex + 0.06, n))
    list(half = half, room = half[, 1L])
  }
  found <- layered_layout(graph, page, size)
  paths <- layered_paths(found, graph$from, graph$to, 0.03)
  list(at = found$at, half = found$half, cex = found$cex, paths = paths)
}

# A graph of groups. It may have cycles, so feedback_rank() needs its components.
quotient_graph <- function(from, to, n) {
  reach <- diag(n) > 0
  reach[cbind(from, to)] <- TRUE
  for (k in seq_len(n)) reach <- reach | outer(reach[, k], reach[k, ], "&")
  both <- reach & t(reach)
  first <- max.col(both, "first")
  # numbered along the arrows: components that reach more others come first
  heads <- unique(first)
  heads <- heads[order(-rowSums(reach)[heads])]
  component <- match(first, heads)
  list(from = from, to = to, component = component, size = tabulate(component, length(heads)))
}

# Draws bars of the number of nodes with 0, 1, 2, ... parents, and children.
draw_degrees <- function(counts, box, size) {
  panel_title("Nodes by parents and children", box, size)
  line <- graphics::strheight("M", "inches", cex = size) * 1.9
  bottom <- box[[3L]] + 1.9 * line
  top <- box[[4L]] - 2.7 * line
  left <- box[[1L]] + graphics::strwidth("0,000", "inches", cex = 0.8 * size) + 0.05
  right <- box[[2L]] - 0.05
  ticks <- pretty(c(0, max(counts$parents, counts$children)), 4)
  y <- function(value) bottom + (top - bottom) * value / max(ticks)
  graphics::segments(left, y(ticks), right, y(ticks), col = "grey90")
  graphics::text(left - 0.05, y(ticks), format_whole(ticks), adj = c(1, 0.5), cex = 0.8 * size)
  each <- (right - left) / nrow(counts)
  x <- left + each * (seq_len(nrow(counts)) - 0.5)
  graphics::rect(x - 0.4 * each, bottom, x, y(counts$parents), col = degree_colours[[1L]], border = NA)
  graphics::rect(x, bottom, x + 0.4 * each, y(counts$children), col = degree_colours[[2L]], border = NA)
  # an axis of numbers may omit labels
  every <- ceiling(1.3 * max(graphics::strwidth(counts$label, "inches", cex = 0.8 * size)) / each)
  shown <- rev(seq(nrow(counts), 1L, by = -every))
  graphics::text(x[shown], bottom - 0.45 * line, counts$label[shown], cex = 0.8 * size)
  graphics::text((left + right) / 2, bottom - 1.35 * line, "number of parents, or of children", cex = 0.8 * size)
  degree_key(left, box[[4L]] - 1.6 * line, size)
}

degree_colours <- c(parents = "grey60", children = "#1B4F8A")

degree_key <- function(x, y, size) {
  for (i in 1:2) {
    graphics::rect(x, y - 0.05 * size, x + 0.12 * size, y + 0.05 * size, col = degree_colours[[i]], border = NA)
    graphics::text(x + 0.17 * size, y, names(degree_colours)[[i]], adj = c(0, 0.5), cex = 0.8 * size)
    x <- x + 0.35 * size + graphics::strwidth(names(degree_colours)[[i]], "inches", cex = 0.8 * size)
  }
}

# Lists the nodes with the largest numbers of parents and children, as many as fit.
draw_connected <- function(model, degrees, box, size) {
  panel_title("Most connected nodes", box, size)
  line <- graphics::strheight("M", "inches", cex = size) * 1.9
  top <- box[[4L]] - 1.4 * line
  shown <- most_connected(model, degrees, max(1, min(20, floor((top - box[[3L]]) / (0.8 * line)))))
  label <- short_label(shown$node, 20L)
  cex <- min(0.8 * size, 0.4 * (box[[2L]] - box[[1L]]) / max(graphics::strwidth(label, "inches")))
  left <- box[[1L]] + max(graphics::strwidth(label, "inches", cex = cex)) + 0.08
  number <- paste(shown$parents, "+", shown$children)
  right <- box[[2L]] - max(graphics::strwidth(number, "inches", cex = 0.7 * size)) - 0.1
  each <- min((top - box[[3L]]) / nrow(shown), 1.1 * line)
  y <- top - each * (seq_len(nrow(shown)) - 0.5)
  tall <- 0.32 * each
  one <- max(right - left, 0.05) / max(shown$parents + shown$children, 1)
  graphics::rect(left, y - tall, left + one * shown$parents, y + tall, col = degree_colours[[1L]], border = NA)
  graphics::rect(
    left + one * shown$parents, y - tall, left + one * (shown$parents + shown$children), y + tall, col = degree_colours[[2L]],
    border = NA
  )
  graphics::text(left - 0.05, y, label, adj = c(1, 0.5), cex = cex)
  graphics::text(left + one * (shown$parents + shown$children) + 0.05, y, number, adj = c(0, 0.5), cex = 0.7 * size)
}
