# Maps and kymographs: one place of a Petri net over its colours, in base graphics and in ggplot2.

is_map <- function(type, at, components) {
  map <- check_choice(type, "type", c("series", "map")) == "map"
  if (!map && !is.null(c(at, components))) {
    abort_argument("`at` and `components` are for type = \"map\"; found type = \"series\".")
  }
  map
}

# What is drawn: `data`, a data frame of time, the components (a factor each, in the order of the colours) and value;
# `components`, their names; `word` for the values; `note`; `place`. With two components, each time has a map. With one, time is
# the x axis.
map_of <- function(x, species, place, at, components) {
  run <- run_of(x)
  if (item_of(x) == "species") {
    abort_argument("A map needs a result of a Petri net with a coloured place; found one of a reaction network.")
  }
  place <- place_of_map(run, species, place)
  rows <- map_rows(x, run, place)
  cells <- run$colours[run$colours$place == place, -1L, drop = FALSE]
  all <- names(cells)[!vapply(cells, function(one) all(is.na(one)), NA)]
  components <- components_of_map(components, all, place)
  rest <- setdiff(all, components)
  times <- times_of_map(at, unique(rows$rows$time), length(components))
  data <- rows$rows[rows$rows$time %in% times, c("time", components, rest, "value")]
  if (length(rest) > 0L) {
    data <- stats::aggregate(data["value"], rev(data[c("time", components)]), mean)[c("time", components, "value")]
  }
  data[components] <- lapply(components, function(one) factor(data[[one]], colours_in_order(run$model, one, cells[[one]])))
  data <- data[!is.na(data$value), ]
  if (nrow(data) == 0L) abort_argument("There is nothing to plot: the values are all `NA`.")
  rownames(data) <- NULL
  note <- c(rows$note, if (length(rest) > 0L) sprintf("mean over %s", paste(rest, collapse = ", ")))
  word <- paste0(if (is.null(x$trajectory)) "mean ", word_of_values(run, place))
  list(data = data, components = components, word = word, note = note, place = place)
}

# The one place with colours that a map shows.
place_of_map <- function(run, species, place) {
  coloured <- if (!is.null(run$colours)) unique(run$colours$place[rowSums(!is.na(run$colours[-1L])) > 0L])
  if (length(coloured) == 0L) {
    abort_argument("A map needs a place with colours; the result has none. The argument `observe` of simulate() chooses places.")
  }
  name <- if (is.null(place)) species else place
  if (is.null(name) && length(coloured) == 1L) return(coloured)
  if (is.factor(name)) name <- as.character(name)
  if (!is_texts(name, 1L)) {
    abort_value("place", sprintf("the name of one place with colours (%s)", some_values(coloured, most = 10L)), name)
  }
  if (name %in% coloured) return(name)
  if (name %in% run$species) {
    single <- !name %in% run$colours$place
    abort_argument(sprintf(
      "\"%s\" %s; a map needs a place with colours: %s.", name,
      if (single) "is a single colour of a place" else "has no colours", some_values(coloured, most = 10L)
    ))
  }
  check_known(name, "place", coloured, "places with colours", owner = "result")
  name
}

# The rows of the place: those of a summary, or of one trajectory.
map_rows <- function(x, run, place) {
  value <- if (is.null(x$trajectory)) "mean" else "value"
  need <- c("time", names(run$colours), value)
  if (!all(need %in% names(x)) || nrow(x) == 0L) {
    abort_argument(sprintf("A map needs rows, and the columns %s, as simulate() gives them.", quote_some(need)))
  }
  rows <- plain_frame(x)
  rows <- rows[rows$place == place, ]
  if (nrow(rows) == 0L) abort_argument(sprintf("The result has no rows of \"%s\" left.", place))
  note <- character()
  if (value == "value") {
    all <- unique(rows$trajectory)
    rows <- rows[rows$trajectory == all[[1L]], ]
    note <- if (length(all) > 1L) sprintf("trajectory %s of %s", format_whole(all[[1L]]), format_whole(length(all)))
  }
  rows$value <- rows[[value]]
  list(rows = rows, note = note)
}

components_of_map <- function(components, all, place) {
  if (is.null(components)) {
    if (length(all) <= 2L) return(all)
    abort_argument(sprintf(
      "The colours of \"%s\" have %d components (%s), and a map shows two: choose them, as in components = c(\"%s\", \"%s\").",
      place, length(all), paste(all, collapse = ", "), all[[1L]], all[[2L]]
    ))
  }
  check_known(components, "components", all, "components", owner = sprintf("place \"%s\"", place))
  chosen <- if (is.numeric(components)) all[components] else as.character(components) # in the order of the user
  if (!length(chosen) %in% 1:2 || anyDuplicated(chosen)) {
    abort_value("components", "the names of one or two different components", components)
  }
  chosen
}

times_of_map <- function(at, times, components) {
  if (components == 1L) {
    if (!is.null(at)) abort_argument("`at` is for maps of two components: a kymograph of one component shows all times.")
    if (length(times) == 1L) abort_argument("A kymograph needs at least two times; the result has one.")
    return(times)
  }
  if (is.null(at)) return(times[unique(round(seq(1, length(times), length.out = min(4L, length(times)))))])
  if (!is_numbers(at) || length(at) == 0L) abort_value("at", "times of the result", at)
  near <- vapply(at, function(one) which.min(abs(times - one)), 0L)
  bad <- which(abs(times[near] - at) > 1e-9 * pmax(1, abs(at)))
  if (length(bad) > 0L) {
    abort_argument(sprintf(
      "`at` has the time %s, which was not saved; the result has %s.", format(at[[bad[[1L]]]], digits = 15),
      if (length(times) == 1L) paste("only", format(times)) else {
        sprintf("%s, the nearest of them %s", times_text(times), format(times[[near[[bad[[1L]]]]]], digits = 15))
      }
    ))
  }
  times[unique(near)]
}

# The colours of a component in the order of their set.
colours_in_order <- function(model, component, values) {
  values <- unique(values[!is.na(values)])
  set <- model$colours[[component]]
  if (is.character(set) && all(values %in% set)) return(set[set %in% values])
  if (is.numeric(values)) sort(values) else values
}

map_colours <- function(n = 64L) grDevices::hcl.colors(n, "viridis")

# Positions along an axis, with labels: those of numbers, or all names that fit.
axis_of_colours <- function(factor) {
  names <- levels(factor)
  number <- suppressWarnings(as.numeric(names))
  regular <- !anyNA(number) && length(number) > 1L && all(diff(number) == 1)
  if (regular) list(place = number, axis = NULL) else list(place = seq_along(names), axis = names)
}

# ---- base graphics ----------------------------------------------------------------------------------------------------------

draw_map <- function(map, main, ...) {
  data <- map$data
  panels <- if (length(map$components) == 2L) split(data, data$time) else list(data)
  old <- graphics::par("mar", "oma", "mfrow")
  on.exit({
    graphics::layout(1)
    graphics::par(old)
  })
  grid <- if (length(panels) <= 3L) c(1L, length(panels)) else rev(grDevices::n2mfrow(length(panels)))
  cells <- matrix(c(seq_along(panels), numeric(prod(grid) - length(panels))), grid[[1L]], grid[[2L]], byrow = TRUE)
  graphics::par(oma = c(0, 0, if (has_title(main)) 2.2 else 0, 0))
  graphics::layout(cbind(cells, length(panels) + 1L), widths = c(rep(1, grid[[2L]]), graphics::lcm(2.6)))
  for (panel in panels) {
    last <- identical(panel, panels[[length(panels)]])
    map_panel(panel, map, range(data$value), ...)
    note <- c(if (length(map$components) == 2L) sprintf("%s, time %s", map$place, format(panel$time[[1L]])) else map$place,
              if (last) map$note)
    plot_note(paste(note, collapse = "; "))
  }
  map_scale(map, range(data$value), ...)
  if (has_title(main)) graphics::mtext(main, 3, 0.5, outer = TRUE, font = 2)
  invisible(data)
}

# Arguments of image() override our own.
map_panel <- function(panel, map, range, ..., x, y, z, type, main, col = map_colours(), zlim = range, xlab = NULL, ylab = NULL,
                      asp = NULL, axes = TRUE, las = 1, useRaster = FALSE) {
  two <- length(map$components) == 2L
  second <- panel[[map$components[[length(map$components)]]]]
  across <- if (two) axis_of_colours(panel[[map$components[[1L]]]]) else list(place = sort(unique(panel$time)), axis = NULL)
  up <- axis_of_colours(second)
  column <- if (two) as.integer(panel[[map$components[[1L]]]]) else match(panel$time, across$place)
  values <- matrix(NA_real_, length(across$place), length(up$place))
  values[cbind(column, as.integer(second))] <- panel$value
  if (zlim[[1L]] == zlim[[2L]]) zlim <- zlim + c(-0.5, 0.5)
  if (is.null(asp)) asp <- if (two && is.null(across$axis) && is.null(up$axis)) 1 else NA
  graphics::par(mar = c(4, if (is.null(up$axis)) 4 else 6, 1.8, 0.6))
  graphics::image(
    edges_between(across$place), edges_between(up$place), values, col = col, zlim = zlim, asp = asp, axes = FALSE, las = las,
    xlab = "", ylab = "", useRaster = useRaster, ...
  )
  if (axes) {
    colour_axis(1, across, up$place, las)
    colour_axis(2, up, across$place, las)
  }
  axis_title(1, if (is.null(xlab)) if (two) map$components[[1L]] else "time" else xlab, up$place, 2.4)
  label <- if (is.null(ylab)) map$components[[length(map$components)]] else ylab
  axis_title(2, label, across$place, if (is.null(up$axis)) 2.6 else 4.6)
}

# The limits of cells around their middles.
edges_between <- function(middle) {
  if (length(middle) == 1L) return(middle + c(-0.5, 0.5))
  inner <- (middle[-1L] + middle[-length(middle)]) / 2
  c(2 * middle[[1L]] - inner[[1L]], inner, 2 * middle[[length(middle)]] - inner[[length(inner)]])
}

# The axes are at the cells, which may be away from the edges of the plot because both axes have one scale. `other`: the middles
# of cells on the other axis.
colour_axis <- function(side, scale, other, las) {
  ends <- range(edges_between(scale$place))
  at <- if (is.null(scale$axis)) pretty(ends) else scale$place
  inside <- at >= ends[[1L]] & at <= ends[[2L]]
  if (all(scale$place == round(scale$place))) inside <- inside & at == round(at)
  labels <- if (is.null(scale$axis)) at[inside] else short_label(scale$axis, 12L)
  graphics::axis(
    side, at[inside], labels, las = las, gap.axis = 0.1, lwd = 0, lwd.ticks = if (is.null(scale$axis)) 1 else 0,
    line = lines_inside(side, other)
  )
}

axis_title <- function(side, text, other, line) {
  graphics::mtext(text, side, line + lines_inside(side, other), cex = graphics::par("cex"))
}

# How many lines the cells are away from the edge of the plot, as a negative number.
lines_inside <- function(side, other) {
  at <- if (side == 1) 3L else 1L
  usr <- graphics::par("usr")
  share <- (edges_between(other)[[1L]] - usr[[at]]) / (usr[[at + 1L]] - usr[[at]])
  -share * graphics::par("pin")[[if (side == 1) 2L else 1L]] / (graphics::par("csi") * graphics::par("mex"))
}

# The colours and their values, on the right.
map_scale <- function(map, range, ..., col = map_colours(), zlim = range) {
  if (zlim[[1L]] == zlim[[2L]]) zlim <- zlim + c(-0.5, 0.5)
  graphics::par(mar = c(4, 0.4, 1.8, 3.4))
  limits <- seq(zlim[[1L]], zlim[[2L]], length.out = length(col) + 1L)
  graphics::image(c(0, 1), limits, matrix(seq_along(col), 1L), col = col, axes = FALSE, xlab = "", ylab = "")
  graphics::axis(4, las = 1)
  graphics::mtext(map$word, 3, 0.2, adj = 0, cex = 0.8 * graphics::par("cex"))
}

# ---- ggplot2 ----------------------------------------------------------------------------------------------------------------

gg_map <- function(map) {
  data <- map$data
  two <- length(map$components) == 2L
  scales <- lapply(data[map$components], axis_of_colours)
  place <- function(k) scales[[k]]$place[as.integer(data[[map$components[[k]]]])]
  times <- sort(unique(data$time))
  drawn <- data.frame(
    x = if (two) place(1L) else data$time, y = place(length(map$components)), value = data$value,
    panel = factor(data$time, times, paste("time", vapply(times, format, "")))
  )
  named <- function(scale, k) {
    axis <- scales[[k]]$axis
    if (!is.null(axis)) scale(breaks = scales[[k]]$place, labels = axis)
  }
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$x, y = .data$y, fill = .data$value)) + ggplot2::geom_tile() +
    ggplot2::scale_fill_gradientn(colours = map_colours(), name = map$word) +
    (if (two) named(ggplot2::scale_x_continuous, 1L)) + named(ggplot2::scale_y_continuous, length(map$components)) +
    (if (two) ggplot2::facet_wrap("panel")) +
    (if (two && is.null(scales[[1L]]$axis) && is.null(scales[[2L]]$axis)) ggplot2::coord_fixed()) +
    gg_words(if (two) map$components[[1L]] else "time", map$components[[length(map$components)]], map$note, map$place) + gg_look()
}
