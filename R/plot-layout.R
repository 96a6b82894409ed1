# Coordinates of the nodes and arrows of a network, in inches on a page of a given width and height.
#
# The layered layout is Sugiyama's, as in Graphviz's dot: break cycles, assign nodes to rows, insert bends where long arrows cross
# rows, order each row to reduce crossings, and compute x and y. It is implemented here because igraph's Sugiyama layout ignores
# the width of boxes, and Graphviz is not available as a package from CRAN. The layout uses no random numbers.

# ---- rows ----------------------------------------------------------------------------------------------------------------

# Ranks nodes so that few arrows point from a higher to a lower rank. Components are ranked along the arrows. Within a component,
# the order is the greedy one of Eades, Lin and Smyth (1993), after which each node is moved to its best position.
feedback_rank <- function(graph) {
  rank <- order(order(graph$component))
  for (component in which(graph$size > 1L)) {
    nodes <- which(graph$component == component)
    inside <- graph$component[graph$from] == component & graph$component[graph$to] == component & graph$from != graph$to
    sequence <- greedy_sequence(match(graph$from[inside], nodes), match(graph$to[inside], nodes), length(nodes))
    rank[nodes[sequence]] <- sort(rank[nodes])
  }
  rank
}

greedy_sequence <- function(from, to, n) {
  arrows <- matrix(0, n, n)
  arrows[cbind(from, to)] <- 1
  out <- rowSums(arrows)
  into <- colSums(arrows)
  left <- rep(TRUE, n)
  head <- tail <- integer()
  for (i in seq_len(n)) {
    sink <- which(left & out == 0)
    source <- which(left & into == 0)
    node <- if (length(sink) > 0L) sink[[1L]] else if (length(source) > 0L) source[[1L]] else {
      which(left)[which.max((out - into)[left])]
    }
    if (length(sink) > 0L) tail <- c(node, tail) else head <- c(head, node)
    left[[node]] <- FALSE
    out <- out - arrows[, node]
    into <- into - arrows[node, ]
  }
  sequence <- c(head, tail)
  for (pass in 1:5) {
    before <- sequence
    for (node in seq_len(n)) {
      others <- sequence[sequence != node]
      # number of backward arrows if the node comes before others[1], others[2], ..., or last
      back <- c(0, cumsum(arrows[node, others])) + rev(c(0, cumsum(rev(arrows[others, node]))))
      at <- match(node, sequence)
      best <- which.min(back)
      if (back[[best]] < back[[at]]) sequence <- append(others, node, best - 1L)
    }
    if (identical(before, sequence)) break
  }
  sequence
}

# Assigns each node to a row below its parents, except for backward arrows. Rows have a maximum width. `down` lists the arrows,
# with backward arrows reversed.
row_of_nodes <- function(down, rank, width, most) {
  n <- length(rank)
  parents <- split(down$from, factor(down$to, seq_len(n)))
  children <- split(down$to, factor(down$from, seq_len(n)))
  row <- integer(n)
  used <- numeric(n)
  for (node in order(rank)) {
    above <- parents[[node]]
    at <- if (length(above) > 0L) max(row[above]) + 1L else 1L
    while (used[[at]] > 0 && used[[at]] + width[[node]] > most) {
      at <- at + 1L
      if (at > length(used)) used <- c(used, numeric(n))
    }
    row[[node]] <- at
    used[[at]] <- used[[at]] + width[[node]]
  }
  # arrows are shorter if a node is near its parents or its children, whichever are more
  for (pass in 1:6) {
    before <- row
    for (node in if (pass %% 2L == 1L) order(-rank) else order(rank)) {
      above <- parents[[node]]
      below <- children[[node]]
      pull <- length(below) - length(above)
      if (pull == 0L) next
      low <- if (length(above) > 0L) max(row[above]) + 1L else 1L
      high <- if (length(below) > 0L) min(row[below]) - 1L else max(row)
      free <- seq_len(high - low + 1L) + low - 1L
      free <- free[free == row[[node]] | used[free] + width[[node]] <= most]
      to <- if (pull > 0L) max(free) else min(free)
      used[[row[[node]]]] <- used[[row[[node]]]] - width[[node]]
      used[[to]] <- used[[to]] + width[[node]]
      row[[node]] <- to
    }
    if (identical(before, row)) break
  }
  match(row, sort(unique(row)))
}

# Moves nodes, one at a time, to the row in which their arrows are shortest. An arrow within a feedback component (`free`) may
# point upwards, at the cost of `up` additional rows; others must not. The ends of an arrow are in different rows, and no row
# exceeds its width.
shorten_arrows <- function(from, to, free, row, width, most, up = 2) {
  n <- length(row)
  rows <- seq_len(max(row))
  used <- as.vector(rowsum(c(width, numeric(length(rows))), c(row, rows)))
  node_of <- factor(c(from, to), seq_len(n))
  others <- split(c(to, from), node_of)
  down <- split(rep(c(1, -1), each = length(from)), node_of)
  penalty <- split(rep(ifelse(free, up, 1e3), 2L), node_of)
  for (pass in 1:20) {
    moved <- FALSE
    for (node in if (pass %% 2L == 1L) seq_len(n) else rev(seq_len(n))) {
      if (length(others[[node]]) == 0L) next
      span <- outer(rows, row[others[[node]]], function(own, other) other - own) * rep(down[[node]], each = length(rows))
      cost <- rowSums(abs(span) + (span < 0) * rep(penalty[[node]], each = length(rows)) + (span == 0) * 1e6)
      cost[used + width[[node]] > most & rows != row[[node]] & used > 0] <- Inf
      best <- which.min(cost)
      if (cost[[best]] < cost[[row[[node]]]]) {
        used[c(row[[node]], best)] <- used[c(row[[node]], best)] + c(-1, 1) * width[[node]]
        row[[node]] <- best
        moved <- TRUE
      }
    }
    if (!moved) break
  }
  match(row, sort(unique(row)))
}

# Inserts a bend into every row that an arrow crosses. Nodes 1..n are those of the network; larger numbers are bends. `chain`: for
# each arrow, its nodes and bends from top to bottom; `u`, `v`: the ends of segments between adjacent rows.
with_bends <- function(down, row) {
  n <- length(row)
  span <- row[down$to] - row[down$from]
  arrow <- rep(seq_along(span), pmax(span - 1L, 0L))
  step <- sequence(pmax(span - 1L, 0L))
  bends <- split(n + seq_along(arrow), factor(arrow, seq_along(span)))
  chain <- lapply(seq_along(span), function(i) c(down$from[[i]], bends[[i]], down$to[[i]]))
  list(
    row = c(row, row[down$from[arrow]] + step), chain = chain,
    u = as.integer(unlist(lapply(chain, function(nodes) nodes[-length(nodes)]))),
    v = as.integer(unlist(lapply(chain, function(nodes) nodes[-1L])))
  )
}

# ---- order within rows ------------------------------------------------------------------------------------------------------

# The position of each node in its row, from 1. Sorts rows by barycentres downwards and upwards, keeps the order with the fewest
# crossings, then exchanges neighbours as long as this removes crossings.
row_order <- function(parts, sweeps = 24L) {
  row <- parts$row
  members <- split(seq_along(row), factor(row, seq_len(max(row))))
  above <- split(parts$u, factor(parts$v, seq_along(row)))
  below <- split(parts$v, factor(parts$u, seq_along(row)))
  best <- NULL
  for (start in 1:2) {
    place <- first_order(row, members, if (start == 1L) below else above, if (start == 1L) above else below)
    for (sweep in seq_len(sweeps)) {
      down <- sweep %% 2L == start %% 2L
      for (r in if (down) seq_along(members) else rev(seq_along(members))) {
        nodes <- members[[r]]
        middle <- barycentre(if (down) above[nodes] else below[nodes], place, place[nodes])
        # ties are broken differently from time to time, to leave local optima
        place[nodes[order(middle, if (sweep %% 4L < 2L) place[nodes] else -place[nodes])]] <- seq_along(nodes)
      }
      crossings <- count_crossings(parts, place)
      if (is.null(best) || crossings < best$crossings) best <- list(place = place, crossings = crossings)
    }
  }
  exchange_neighbours(best$place, members, above, below)
}

barycentre <- function(neighbours, place, own) {
  size <- lengths(neighbours)
  sums <- numeric(length(size))
  some <- size > 0L
  if (any(some)) {
    total <- cumsum(place[unlist(neighbours, use.names = FALSE)])[cumsum(size)[some]]
    sums[some] <- diff(c(0, total))
  }
  ifelse(some, sums / size, own)
}

# Initial order by depth-first search, which keeps connected nodes together.
first_order <- function(row, members, ahead, back) {
  seen <- logical(length(row))
  found <- integer()
  roots <- order(lengths(back), row)
  for (root in roots) {
    stack <- root
    while (length(stack) > 0L) {
      node <- stack[[length(stack)]]
      stack <- stack[-length(stack)]
      if (seen[[node]]) next
      seen[[node]] <- TRUE
      found <- c(found, node)
      stack <- c(stack, rev(ahead[[node]][!seen[ahead[[node]]]]))
    }
  }
  place <- integer(length(row))
  when <- order(found)
  for (nodes in members) place[nodes] <- order(order(when[nodes]))
  place
}

# Number of pairs of segments between the same two rows that cross.
count_crossings <- function(parts, place) {
  if (length(parts$u) == 0L) return(0)
  gap <- parts$row[parts$u]
  order <- order(gap, place[parts$u], place[parts$v])
  inversions(((gap - 1L) * (max(place) + 1L) + place[parts$v])[order])
}

# Counts inversions, bit by bit: pairs of numbers in descending order that agree in all higher bits, and of which the first has
# the bit. Numbers from different gaps between rows never form such a pair.
inversions <- function(x) {
  total <- 0
  for (bit in 2^(0:floor(log2(max(x, 1L))))) {
    high <- x %/% (2 * bit)
    order <- order(high, method = "radix")
    one <- (x[order] %/% bit) %% 2
    before <- cumsum(one) - one
    start <- match(high[order], high[order])
    total <- total + sum((before - before[start])[one == 0])
  }
  total
}

exchange_neighbours <- function(place, members, above, below, passes = if (length(place) > 1000L) 3L else 10L) {
  # crossings between the arrows of `one`, on the left, and of `other`, on the right
  crossings <- function(one, other) {
    total <- 0
    for (side in list(above, below)) {
      a <- place[side[[one]]]
      b <- place[side[[other]]]
      total <- total + if (length(a) == 1L) sum(a > b) else if (length(b) == 1L) sum(a > b) else sum(outer(a, b, ">"))
    }
    total
  }
  for (pass in seq_len(passes)) {
    better <- FALSE
    for (nodes in members) {
      if (length(nodes) < 2L) next
      nodes <- nodes[order(place[nodes])]
      for (i in seq_len(length(nodes) - 1L)) {
        one <- nodes[[i]]
        other <- nodes[[i + 1L]]
        if (crossings(one, other) > crossings(other, one)) {
          place[c(one, other)] <- place[c(other, one)]
          nodes[c(i, i + 1L)] <- c(other, one)
          better <- TRUE
        }
      }
    }
    if (!better) break
  }
  place
}

# ---- coordinates -------------------------------------------------------------------------------------------------------

# The ascending numbers that are closest to y (weighted least squares), by the pool adjacent violators algorithm.
ascending <- function(y, weight) {
  n <- length(y)
  if (!is.unsorted(y)) return(y)
  value <- sum <- numeric(n)
  count <- integer(n)
  top <- 0L
  for (i in seq_len(n)) {
    top <- top + 1L
    value[[top]] <- y[[i]]
    sum[[top]] <- weight[[i]]
    count[[top]] <- 1L
    while (top > 1L && value[[top - 1L]] > value[[top]]) {
      both <- sum[[top - 1L]] + sum[[top]]
      value[[top - 1L]] <- (value[[top - 1L]] * sum[[top - 1L]] + value[[top]] * sum[[top]]) / both
      sum[[top - 1L]] <- both
      count[[top - 1L]] <- count[[top - 1L]] + count[[top]]
      top <- top - 1L
    }
  }
  rep(value[seq_len(top)], count[seq_len(top)])
}

# Coordinates as close to `wanted` as possible, in the same order, within bounds. `apart` holds the minimum distances between
# neighbours.
spaced <- function(wanted, weight, apart, low, high) {
  offset <- c(0, cumsum(apart))
  place <- ascending(wanted - offset, weight)
  high <- high - offset[[length(offset)]]
  if (high < low) low <- high <- (low + high) / 2
  pmin(pmax(place, low), high) + offset
}

# x of each node and bend. Rows are placed downwards and upwards, each as close to its neighbours in adjacent rows as the boxes
# allow. Segments between bends have the largest weights, so that long arrows are straight.
row_places <- function(parts, place, half, gap, width, sweeps = 30L) {
  row <- parts$row
  n <- length(half)
  real <- seq_along(row) <= n
  half <- c(half, numeric(length(row) - n))
  members <- lapply(split(seq_along(row), factor(row, seq_len(max(row)))), function(nodes) nodes[order(place[nodes])])
  weight <- c(1, 2, 8)[3L - real[parts$u] - real[parts$v]]
  apart <- lapply(members, function(nodes) {
    k <- length(nodes)
    half[nodes[-k]] + half[nodes[-1L]] + ifelse(real[nodes[-k]] & real[nodes[-1L]], gap[[1L]], gap[[2L]])
  })
  pieces <- function(end) split(seq_along(end), factor(end, seq_along(row)))
  above <- pieces(parts$v)
  below <- pieces(parts$u)
  x <- numeric(length(row))
  for (r in seq_along(members)) {
    nodes <- members[[r]]
    offset <- c(0, cumsum(apart[[r]]))
    x[nodes] <- width / 2 + offset - offset[[length(offset)]] / 2
  }
  for (sweep in seq_len(sweeps)) {
    for (r in if (sweep %% 2L == 1L) seq_along(members) else rev(seq_along(members))) {
      nodes <- members[[r]]
      one <- if (sweep > sweeps - 6L) NULL else if (sweep %% 2L == 1L) above else below
      pulls <- lapply(nodes, function(node) if (is.null(one)) c(above[[node]], below[[node]]) else one[[node]])
      size <- lengths(pulls)
      which <- unlist(pulls)
      other <- parts$u[which] + parts$v[which] - rep(nodes, size)
      sums <- rowsum(
        cbind(weight[which] * x[other], weight[which]), factor(rep(seq_along(nodes), size), seq_along(nodes)), reorder = TRUE
      )
      total <- wanted <- numeric(length(nodes))
      at <- as.integer(rownames(sums))
      total[at] <- sums[, 2L]
      wanted[at] <- sums[, 1L]
      wanted <- (wanted + 0.05 * x[nodes]) / (total + 0.05)
      k <- length(nodes)
      x[nodes] <- spaced(wanted, total + 0.05, apart[[r]], half[[nodes[[1L]]]], width - half[[nodes[[k]]]])
    }
  }
  x
}

# The layered layout on a page. `size(cex)` returns half the widths (including a loop) and half the height of boxes. Text is as
# large as the page allows.
layered_layout <- function(graph, page, size) {
  edge <- 0.03 # so that borders are not clipped
  page <- pmax(page - 2 * edge, 0.1)
  rank <- feedback_rank(graph)
  other <- which(graph$from != graph$to)
  from <- graph$from[other]
  to <- graph$to[other]
  inner <- graph$component[from] == graph$component[to]
  # arrows, with those that point upwards reversed
  downwards <- function(turned) list(from = ifelse(turned, to, from), to = ifelse(turned, from, to))
  first <- downwards(rank[from] > rank[to])
  # tries text sizes in descending order until everything fits. Rows that are less full make more rows and thus longer arrows, so
  # they are only tried for small text
  steps <- expand.grid(share = c(0.8, 0.5, 0.35), cex = largest_letters(page) * 0.92^(0:18))
  steps <- steps[steps$cex < 0.7 | steps$share == 0.8, ]
  for (step in seq_len(nrow(steps))) {
    cex <- steps$cex[[step]]
    most <- steps$share[[step]] * page[[1L]]
    box <- size(cex)
    width <- 2 * box$room + 0.12 * cex
    row <- row_of_nodes(first, rank, width, most)
    row <- shorten_arrows(from, to, inner, row, width, most)
    turned <- row[from] > row[to]
    parts <- with_bends(downwards(turned), row)
    rows <- max(row)
    gap <- row_gaps(parts, 2 * box$room, page[[1L]], cex)
    tall <- rows * 2 * box$half[[1L, 2L]] + (rows - 1) * (1.5 * box$half[[1L, 2L]] + 0.1 * cex + 0.05)
    if (gap[[2L]] >= (if (cex > 0.55) 0.07 * cex else 0.015) && tall <= page[[2L]]) break
  }
  x <- row_places(parts, row_order(parts), box$room, pmax(gap, 0.01), page[[1L]])
  x <- stretched(x, box$room, page[[1L]])
  y <- row_heights(parts, x, 2 * box$half[[1L, 2L]], page[[2L]])
  at <- cbind(x, y[parts$row], deparse.level = 0) + edge
  list(
    at = at[seq_along(row), , drop = FALSE], half = box$half, cex = cex, chain = parts$chain, arrow = other, turned = turned,
    bends = at
  )
}

# Gaps in rows, between boxes and beside bends. They are larger if all rows have room. Gaps beside bends are smaller if there
# are many bends.
row_gaps <- function(parts, width, page, cex) {
  rows <- max(parts$row)
  n <- length(width)
  boxes <- as.vector(rowsum(c(width + 0.14 * cex, numeric(rows)), c(parts$row[seq_len(n)], seq_len(rows))))
  bends <- tabulate(parts$row[-seq_len(n)], rows)
  beside <- min(0.09 * cex, ((page - boxes) / bends)[bends > 0L], if (any(boxes > page)) -1)
  spare <- min((page - boxes - bends * beside) / (tabulate(parts$row[seq_len(n)], rows) + bends))
  c(0.14 * cex, beside) + 0.8 * min(max(spare, 0), 0.25)
}

# The largest text size, which is larger on a large page.
largest_letters <- function(page) min(max(min(page) / 8, 1), 1.6)

# Stretches coordinates to the width, but at most threefold. Boxes are only moved apart.
stretched <- function(x, room, width) {
  room <- c(room, rep(0.03, length(x) - length(room))) + 0.02
  middle <- (min(x - room) + max(x + room)) / 2
  share <- min(3, ((width / 2 - room) / abs(x - middle))[x != middle])
  width / 2 + (x - middle) * max(1, share)
}

# y of the rows. A gap that arrows cross at a flat angle is higher.
row_heights <- function(parts, x, height, page) {
  rows <- max(parts$row)
  if (rows == 1L) return(page / 2)
  sideways <- numeric(rows - 1L)
  if (length(parts$u) > 0L) {
    aside <- tapply(abs(x[parts$u] - x[parts$v]), parts$row[parts$u], sum)
    sideways[as.integer(names(aside))] <- aside
  }
  share <- 1 + pmin(2, sideways / max(stats::median(sideways), 0.5)) / 2
  free <- max(page - rows * height, 0)
  gaps <- share / sum(share) * free
  gaps <- pmin(gaps, max(1.2, 0.16 * page)) # limits the gaps of a small network
  top <- page / 2 + (rows * height + sum(gaps)) / 2
  top - height / 2 - c(0, cumsum(height + gaps))
}
