# Paths of arrows around boxes, in inches. A path is a matrix of points from the border of the parent's box to that of the child's
# box. It does not enter any box. `boxes` has the columns left, right, bottom, top.

boxes_of <- function(at, half) {
  cbind(left = at[, 1L] - half[, 1L], right = at[, 1L] + half[, 1L], bottom = at[, 2L] - half[, 2L], top = at[, 2L] + half[, 2L])
}

# Whether segments pass through boxes: many segments (rows of a and b) and one box (a row), or one segment and many boxes.
enters <- function(a, b, boxes, margin = 0) {
  x <- inside(a[, 1L], b[, 1L], boxes[, 1L] - margin, boxes[, 2L] + margin)
  y <- inside(a[, 2L], b[, 2L], boxes[, 3L] - margin, boxes[, 4L] + margin)
  pmax(x$enter, y$enter, 0) < pmin(x$leave, y$leave, 1)
}

# The part of a segment, as shares of its length, that is between two bounds.
inside <- function(a, b, low, high) {
  delta <- b - a
  first <- (low - a) / delta
  second <- (high - a) / delta
  enter <- pmin(first, second)
  leave <- pmax(first, second)
  level <- delta == 0
  if (any(level)) {
    level <- rep_len(level, length(enter))
    within <- rep_len(a > low & a < high, length(enter))
    enter[level] <- ifelse(within[level], -Inf, Inf)
    leave[level] <- Inf
  }
  list(enter = enter, leave = leave)
}

# Whether a path passes through a box.
path_enters <- function(path, boxes, margin = 0) {
  reach <- c(range(path[, 1L]), range(path[, 2L]))
  near <- which(
    boxes[, 1L] - margin < reach[[2L]] & boxes[, 2L] + margin > reach[[1L]] &
      boxes[, 3L] - margin < reach[[4L]] & boxes[, 4L] + margin > reach[[3L]]
  )
  if (length(near) == 0L) return(FALSE)
  k <- nrow(path)
  if (k == 2L) return(any(enters(path[1L, , drop = FALSE], path[2L, , drop = FALSE], boxes[near, , drop = FALSE], margin)))
  for (i in near) {
    if (any(enters(path[-k, , drop = FALSE], path[-1L, , drop = FALSE], boxes[i, , drop = FALSE], margin))) return(TRUE)
  }
  FALSE
}

# Removes points that a straight segment can bypass without touching a box.
straighten <- function(path, boxes, margin) {
  clear <- function(from, to) !path_enters(path[c(from, to), , drop = FALSE], boxes, margin)
  keep <- 1L
  k <- nrow(path)
  while (keep[[length(keep)]] < k) {
    from <- keep[[length(keep)]]
    to <- k
    if (from + 1L < k && !clear(from, k)) {
      to <- from + 1L
      while (to + 1L < k && clear(from, to + 1L)) to <- to + 1L
    }
    keep <- c(keep, to)
  }
  path[keep, , drop = FALSE]
}

# Rounds the corners of a path, each as much as the boxes allow.
round_corners <- function(path, boxes) {
  k <- nrow(path)
  if (k < 3L) return(path)
  out <- path[1L, , drop = FALSE]
  for (i in 2:(k - 1L)) {
    corner <- path[i, ]
    before <- path[i - 1L, ] - corner
    after <- path[i + 1L, ] - corner
    lengths <- sqrt(c(sum(before^2), sum(after^2)))
    # two corners share the segment between them
    most <- c(if (i == 2L) 0.85 else 0.5, if (i == k - 1L) 0.85 else 0.5)
    share <- if (min(lengths) > 0) 1 else 0
    t <- seq(0, 1, length.out = min(40, max(9, ceiling(sum(lengths) / 0.15))))
    while (share > 0.02) {
      start <- corner + before * share * most[[1L]]
      end <- corner + after * share * most[[2L]]
      curve <- outer((1 - t)^2, start) + outer(2 * t * (1 - t), corner) + outer(t^2, end)
      if (!path_enters(rbind(out[nrow(out), ], curve), boxes)) break
      share <- share / 2
    }
    out <- rbind(out, if (share > 0.02) curve else corner)
  }
  rbind(out, path[k, ])
}

# ---- arrows of the layered layout --------------------------------------------------------------------------------------

# Paths along chains of bends, which are clear of boxes: vertical at the row of a bend, and slanted between rows.
layered_paths <- function(layout, from, to, tip) {
  boxes <- boxes_of(layout$at, layout$half)
  height <- layout$half[[1L, 2L]]
  ends <- layered_ports(layout)
  paths <- vector("list", length(from))
  for (i in seq_along(layout$chain)) {
    chain <- layout$chain[[i]]
    k <- length(chain)
    upper <- c(ends$upper[[i]], layout$bends[chain[[1L]], 2L] - height)
    lower <- c(ends$lower[[i]], layout$bends[chain[[k]], 2L] + height)
    bends <- layout$bends[chain[-c(1L, k)], , drop = FALSE]
    way <- rbind(
      upper,
      matrix(rbind(bends[, 1L], bends[, 2L] + height, bends[, 1L], bends[, 2L] - height), ncol = 2L, byrow = TRUE),
      lower, deparse.level = 0
    )
    if (layout$turned[[i]]) way <- way[rev(seq_len(nrow(way))), , drop = FALSE]
    way[nrow(way), 2L] <- way[nrow(way), 2L] + tip * if (layout$turned[[i]]) -1 else 1
    paths[[layout$arrow[[i]]]] <- round_corners(straighten(way, boxes, 0.035 * layout$cex), boxes)
  }
  paths
}

# x of the ends of arrows at the upper and the lower box: close to the next point of each arrow, and beside each other.
layered_ports <- function(layout) {
  chain <- layout$chain
  first <- vapply(chain, `[[`, 0, 1L)
  last <- vapply(chain, function(nodes) nodes[[length(nodes)]], 0)
  second <- vapply(chain, `[[`, 0, 2L)
  last_but_one <- vapply(chain, function(nodes) nodes[[length(nodes) - 1L]], 0)
  list(
    upper = side_ports(first, layout$bends[second, , drop = FALSE], layout),
    lower = side_ports(last, layout$bends[last_but_one, , drop = FALSE], layout)
  )
}

side_ports <- function(node, next_point, layout) {
  towards <- next_point[, 1L]
  port <- numeric(length(node))
  for (arrows in split(seq_along(node), node)) {
    box <- node[[arrows[[1L]]]]
    half <- 0.8 * layout$half[[box, 1L]]
    middle <- layout$at[[box, 1L]]
    order <- arrows[order(towards[arrows])]
    apart <- rep(0.11, length(order) - 1L)
    # two arrows between the same boxes are parallel, so that a slanted pair needs ends that are further apart
    twin <- which(diff(towards[order]) == 0)
    slant <- next_point[order[twin], , drop = FALSE] - rep(layout$at[box, ], each = length(twin))
    apart[twin] <- pmax(0.11, 0.07 * sqrt(1 + (slant[, 1L] / pmax(abs(slant[, 2L]), 1e-9))^2))
    apart <- apart * min(1, 2 * half / max(sum(apart), 1e-9))
    # if all arrows of a box come from one side, their ends are moved towards its middle
    wanted <- middle + (pmin(pmax(towards[order], middle - half), middle + half) - middle) * 0.6
    port[order] <- spaced(wanted, rep(1, length(order)), apart, middle - half, middle + half)
  }
  port
}

# ---- arrows of any other layout ----------------------------------------------------------------------------------------

# Straight segments between boxes where possible; otherwise the shortest path along the corners of boxes.
straight_paths <- function(at, half, from, to, tip, margin = 0.05) {
  boxes <- boxes_of(at, half)
  other <- which(from != to)
  twin <- paste(to, from) %in% paste(from, to)
  corners <- NULL
  paths <- vector("list", length(from))
  for (i in other) {
    a <- from[[i]]
    b <- to[[i]]
    delta <- at[b, ] - at[a, ]
    # two arrows between the same boxes are parallel
    aside <- if (twin[[i]] && any(delta != 0)) {
      c(-delta[[2L]], delta[[1L]]) / sqrt(sum(delta^2)) * min(0.05, 0.6 * half[c(a, b), ])
    } else c(0, 0)
    start <- at[a, ] + aside
    end <- at[b, ] + aside
    between <- boxes[-c(a, b), , drop = FALSE]
    way <- rbind(start, end, deparse.level = 0)
    if (path_enters(way, between, 0.4 * margin)) {
      if (is.null(corners)) corners <- corner_graph(boxes, margin)
      way <- way_round(start, end, a, b, boxes, corners)
    }
    way <- clip_ends(way, boxes[a, ], boxes[b, ], tip)
    if (!is.null(way)) paths[[i]] <- round_corners(way, boxes)
  }
  paths
}

# Cuts off the parts of a path inside the boxes at both ends, and the gap at the second box. NULL if nothing remains.
clip_ends <- function(way, box_from, box_to, tip) {
  leave <- function(inner, outer, box, further) {
    grown <- box + c(-1, 1, -1, 1) * further
    delta <- outer - inner
    share <- pmax((grown[c(1L, 3L)] - inner) / delta, (grown[c(2L, 4L)] - inner) / delta)
    inner + delta * min(share[is.finite(share) & delta != 0], 1)
  }
  k <- nrow(way)
  first <- leave(way[1L, ], way[2L, ], box_from, 1e-6)
  last <- leave(way[k, ], way[k - 1L, ], box_to, tip)
  if (k == 2L && sum((last - first) * (way[2L, ] - way[1L, ])) <= 0) return(NULL) # the boxes touch
  way[1L, ] <- first
  way[k, ] <- last
  way
}

# The corners of boxes, at a margin, and the lengths of the segments between corners that no box blocks.
corner_graph <- function(boxes, margin) {
  out <- cbind(boxes[, c(1L, 3L)] - margin, boxes[, c(2L, 4L)] + margin)
  point <- rbind(out[, 1:2], out[, c(1L, 4L)], out[, c(3L, 2L)], out[, 3:4])
  covered <- logical(nrow(point))
  for (i in seq_len(nrow(boxes))) {
    box <- boxes[i, ] + c(-1, 1, -1, 1) * 0.5 * margin
    covered <- covered | (point[, 1L] > box[[1L]] & point[, 1L] < box[[2L]] & point[, 2L] > box[[3L]] & point[, 2L] < box[[4L]])
  }
  point <- point[!covered, , drop = FALSE]
  n <- nrow(point)
  pair <- which(upper.tri(diag(n)), arr.ind = TRUE)
  seen <- sees(point[pair[, 1L], , drop = FALSE], point[pair[, 2L], , drop = FALSE], boxes, 0.5 * margin)
  length <- matrix(Inf, n, n)
  pair <- pair[seen, , drop = FALSE]
  length[pair] <- sqrt(rowSums((point[pair[, 1L], , drop = FALSE] - point[pair[, 2L], , drop = FALSE])^2))
  list(point = point, length = pmin(length, t(length)), margin = margin)
}

# Whether each segment from a to b is clear of all boxes.
sees <- function(a, b, boxes, margin) {
  clear <- rep(TRUE, nrow(a))
  for (i in seq_len(nrow(boxes))) {
    left <- which(clear)
    clear[left] <- !enters(a[left, , drop = FALSE], b[left, , drop = FALSE], boxes[i, , drop = FALSE], margin)
  }
  clear
}

# Dijkstra's shortest path between two boxes along corners. A straight segment if there is no path, because boxes overlap.
way_round <- function(start, end, from, to, boxes, corners) {
  n <- nrow(corners$point)
  from_here <- function(p, own) {
    here <- matrix(p, n, 2L, byrow = TRUE)
    length <- sqrt(rowSums((here - corners$point)^2))
    length[!sees(here, corners$point, boxes[-own, , drop = FALSE], 0.5 * corners$margin)] <- Inf
    length
  }
  bend <- 0.05 # cost of a further corner
  distance <- from_here(start, from) + bend
  last <- from_here(end, to)
  came <- integer(n)
  done <- logical(n)
  best <- Inf
  at_end <- 0L
  repeat {
    open <- distance
    open[done] <- Inf
    node <- which.min(open)
    if (length(node) == 0L || open[[node]] >= best) break
    done[[node]] <- TRUE
    if (distance[[node]] + last[[node]] < best) {
      best <- distance[[node]] + last[[node]]
      at_end <- node
    }
    further <- distance[[node]] + corners$length[node, ] + bend
    closer <- which(further < distance & !done)
    distance[closer] <- further[closer]
    came[closer] <- node
  }
  way <- integer()
  while (at_end > 0L) {
    way <- c(at_end, way)
    at_end <- came[[at_end]]
  }
  rbind(start, corners$point[way, , drop = FALSE], end, deparse.level = 0)
}

# A loop from a node to itself: three quarters of a circle around the upper right corner of its box.
loop_path <- function(at, half, radius, tip) {
  turn <- seq(pi, -pi / 2, length.out = 25L)
  corner <- at + half + tip * 0.7
  cbind(corner[[1L]] + radius * cos(turn), corner[[2L]] + radius * sin(turn))
}

# Moves boxes that overlap apart, and then all boxes into the page.
separate_boxes <- function(at, half, gap, page) {
  for (pass in 1:80) {
    dx <- outer(at[, 1L], at[, 1L], "-")
    dy <- outer(at[, 2L], at[, 2L], "-")
    over_x <- outer(half[, 1L], half[, 1L], "+") + gap - abs(dx)
    over_y <- outer(half[, 2L], half[, 2L], "+") + gap - abs(dy)
    over <- over_x > 1e-6 & over_y > 1e-6 & row(dx) != col(dx)
    if (!any(over)) break
    sideways <- over & over_x < over_y
    upright <- over & !sideways
    # boxes with the same centre are separated in the order of their numbers
    sign_x <- ifelse(dx == 0, sign(row(dx) - col(dx)), sign(dx))
    sign_y <- ifelse(dy == 0, sign(row(dy) - col(dy)), sign(dy))
    at[, 1L] <- at[, 1L] + rowSums(ifelse(sideways, sign_x * over_x * 0.3, 0))
    at[, 2L] <- at[, 2L] + rowSums(ifelse(upright, sign_y * over_y * 0.3, 0))
    at <- cbind(into(at[, 1L], half[, 1L], page[[1L]]), into(at[, 2L], half[, 2L], page[[2L]]))
  }
  at
}

into <- function(x, half, page) pmin(pmax(x, pmin(half, page / 2)), pmax(page - half, page / 2))
