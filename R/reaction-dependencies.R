# The dependency graph of a reaction network, and its plot.

#' Dependencies between reactions
#'
#' Lists, for each reaction, the reactions whose propensities it changes, and the species through which it does so. Methods of
#' simulation use this graph to recompute only the propensities that a firing has changed.
#'
#' Reaction `to` depends on reaction `from` if `from` changes the count of a species that `to` reads: a reactant of `to`, or a
#' species that the formula of its rate names, also through variables. A reaction does not change a catalyst, which is a reactant
#' and a product in the same number, or a fixed species. [Events][event()] of the network are not considered.
#'
#' @param model A network of class `reaction_network`.
#' @param ... Must be empty.
#' @returns A data frame with a row for each dependency and species, ordered by `from`, then by `to`, in the order of the
#'   reactions in the network. Its columns are `from`, `to` (names of reactions) and `species`. Most reactions depend on
#'   themselves.
#' @section Errors: `fireflip_error_size` if there are more than 1e8 rows.
#' @references Gibson MA, Bruck J (2000). Efficient exact stochastic simulation of chemical systems with many species and many
#'   channels. *Journal of Physical Chemistry A* 104(9), 1876-1889. \doi{10.1021/jp993732q}
#' @seealso [network_arrows()] for the arrows between species and reactions; [`plot()`][plot.reaction_network] of a reaction
#'   network.
#' @concept dependency graph
#' @rdname reaction_dependencies
#' @export
#' @examples
#' net <- example_model("decay_dimerisation")
#' reaction_dependencies(net)
#' plot(net, type = "dependencies")
reaction_dependencies.reaction_network <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  found <- dependency_rows(model)
  data.frame(
    from = model$reactions$name[found$from], to = model$reactions$name[found$to], species = model$species$species[found$species]
  )
}

# Numbers of reactions and species, ordered by both reactions and then by species.
dependency_rows <- function(model) {
  arrows <- .Call(ffi_reactions_arrows, model)
  species <- nrow(model$species)
  key <- (arrows$reaction - 1) * species + arrows$species
  part <- arrows$role != 3L
  change <- rowsum(ifelse(arrows$role == 2L, 1, -1)[part] * arrows$count[part], key[part])
  changed <- as.double(rownames(change))[change != 0]
  changed <- changed[!model$species$fixed[(changed - 1) %% species + 1]]
  read <- unique(key[arrows$role != 2L])
  by_species <- function(keys) {
    split((keys - 1) %/% species + 1, factor((keys - 1) %% species + 1, seq_len(species)))
  }
  writers <- by_species(changed)
  readers <- by_species(read)
  rows <- lengths(writers) * as.double(lengths(readers))
  if (sum(rows) > 1e8) abort("size", sprintf("%s dependencies are more than a result may have (1e8).", format_short(sum(rows))))
  from <- unlist(Map(rep, writers, each = lengths(readers)), use.names = FALSE)
  to <- unlist(Map(rep, readers, times = lengths(writers)), use.names = FALSE)
  through <- rep(seq_len(species), rows)
  order <- order(from, to, through)
  list(from = as.integer(from)[order], to = as.integer(to)[order], species = through[order])
}

# ---- plots ------------------------------------------------------------------------------------------------------------------

#' Plot a reaction network
#'
#' Draws species and reactions as boxes of different colours, with arrows from reactants to reactions and from these to products.
#' A dashed arrow points from a species to a reaction whose rate names the species although it is not a reactant. With
#' `type = "dependencies"`, only the reactions are drawn, with an arrow from each reaction to those that depend on it: see
#' [reaction_dependencies()]. A legend below the plot explains the symbols that occur.
#'
#' Networks with at least 150 boxes or 1,000 arrows are drawn as an overview by default, as those of class `pbn`: see
#' [plot.pbn()].
#'
#' @param x,object A network of class `reaction_network`.
#' @param type `"network"` (the default) for species and reactions, or `"dependencies"` for the dependencies between reactions.
#'   The dependency of a reaction on itself is not drawn.
#' @param layout As for [plot.pbn()]. The rows of a matrix are the species and then the reactions; for dependencies, the
#'   reactions. A function takes the graph of `igraph::as.igraph(x, type)`.
#' @param labels Whether to draw names. By default, if there are fewer than 150 boxes.
#' @param main The title.
#' @param legend Whether to draw the legend. Default `TRUE`.
#' @param overview `TRUE` to draw the overview, `FALSE` to draw boxes and arrows.
#' @param size For `autoplot()`, width and height of the plot in inches. By default, those of the open device, or 7 by 7.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]; `lwd` multiplies the widths of the arrows, and `lty`
#'   replaces their line type. Otherwise ignored, with a warning of class `fireflip_warning_argument`.
#' @returns `plot()`: a data frame of the boxes, invisibly, with the columns `node`, `kind` (`"species"` or `"reaction"`), `x` and
#'   `y` (in inches). For an overview, as for [plot.pbn()]. `autoplot()`: a ggplot. The method for igraph's generic `as.igraph()`:
#'   a graph with the vertex attributes `name` and `kind`, and for `type = "network"` the edge attributes `role` and `count`.
#' @seealso [network_arrows()], [reaction_dependencies()].
#' @export
#' @examples
#' net <- example_model("decay_dimerisation")
#' plot(net)
#' plot(net, type = "dependencies")
plot.reaction_network <- function(x, type = c("network", "dependencies"), layout = "layered", labels = NULL, main = NULL,
                                  legend = TRUE, overview = NULL, ...) {
  check_parts(x)
  check_graphical(...)
  plan <- plan_reactions(x, type, layout, labels, legend, overview)
  if (plan$overview) return(plot_overview(plan$model, plan$graph, main, legend, ...))
  drawing <- draw_network(plan$model, plan, if (legend) reaction_legend(plan), main, arrow_labels = FALSE, ...)
  invisible(data.frame(node = plan$model$nodes, kind = plan$graph$kind, x = drawing$at[, 1L], y = drawing$at[, 2L]))
}

# Nodes and arrows, by number.
reaction_graph <- function(model, type) {
  species <- nrow(model$species)
  reactions <- nrow(model$reactions)
  if (type == "dependencies") {
    found <- dependency_rows(model)
    keep <- !duplicated(data.frame(found$from, found$to)) & found$from != found$to
    out <- list(from = found$from[keep], to = found$to[keep], role = rep("dependency", sum(keep)), count = rep(0, sum(keep)))
    out$kind <- rep("reaction", reactions)
    out$names <- model$reactions$name
  } else {
    arrows <- .Call(ffi_reactions_arrows, model)
    reaction <- arrows$reaction + species
    to_species <- arrows$role == 2L
    out <- list(
      from = ifelse(to_species, reaction, arrows$species), to = ifelse(to_species, arrows$species, reaction),
      role = c("reactant", "product", "rate")[arrows$role], count = arrows$count
    )
    twice <- duplicated(data.frame(out$from, out$to)) # a reactant that the rate names, too
    out <- lapply(out, function(column) column[!twice])
    out$kind <- rep(c("species", "reaction"), c(species, reactions))
    out$names <- c(model$species$species, model$reactions$name)
  }
  out[c("from", "to")] <- lapply(out[c("from", "to")], as.integer)
  c(out, .Call(ffi_arrow_components, out$from, out$to, length(out$names)), list(input = logical(length(out$names))))
}

# What plot() and autoplot() draw. `model` has the nodes that functions for Boolean networks need.
plan_reactions <- function(x, type, layout, labels, legend, overview) {
  type <- check_choice(type, "type", c("network", "dependencies"))
  check_flag(legend, "legend")
  if (!is.null(labels)) check_flag(labels, "labels")
  graph <- reaction_graph(x, type)
  if (length(graph$names) == 0L) abort_argument("There is nothing to plot: the network has neither species nor reactions.")
  model <- list(nodes = graph$names)
  overview <- wants_overview(overview, graph, is.null(labels) && identical(layout, "layered"))
  if (is.null(labels)) labels <- length(graph$names) < 150L
  list(
    type = type, graph = graph, model = model, overview = overview, style = reaction_style(graph, labels),
    words = reaction_words, role_colours = reaction_colours, kind_colours = kind_colours,
    layout = if (!overview) reaction_places(x, type, model, graph, layout)
  )
}

reaction_places <- function(x, type, model, graph, layout) {
  if (!is.function(layout)) return(given_places(model, graph, layout))
  need_package("igraph", "a function as `layout`")
  restore <- keep_rng()
  on.exit(restore())
  set.seed(1, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  check_layout(layout(as.igraph.reaction_network(x, type)), model)
}

reaction_colours <- c(reactant = "#0072B2", product = "#D55E00", rate = "grey40", dependency = "grey30")
kind_colours <- c(species = "#D6E6F4", reaction = "#FBE3C4")

reaction_style <- function(graph, labels) {
  n <- length(graph$kind)
  rate <- graph$role == "rate"
  list(
    labels = labels, input = graph$input, sign = ifelse(rate, "?", "+"), hidden = logical(length(graph$from)),
    fill = unname(kind_colours[graph$kind]), border = rep("grey45", n), border_width = rep(0.8, n),
    width = rep(1, length(graph$from)), colour = unname(reaction_colours[graph$role]), line = ifelse(rate, 2L, 1L)
  )
}

reaction_words <- c(
  reactant = "from a reactant", product = "to a product", rate = "the rate names the species",
  dependency = "to a reaction that depends on it"
)

reaction_legend <- function(plan) {
  kinds <- unique(plan$graph$kind)
  roles <- intersect(names(reaction_words), plan$graph$role)
  data.frame(
    kind = c(rep("node", length(kinds)), ifelse(roles == "rate", "dashed", "+")),
    text = c(kinds, unname(reaction_words[roles])), colour = unname(c(kind_colours[kinds], reaction_colours[roles]))
  )
}

#' @rdname plot.reaction_network
#' @exportS3Method ggplot2::autoplot
autoplot.reaction_network <- function(object, type = c("network", "dependencies"), layout = "layered", labels = NULL, main = NULL,
                                      legend = TRUE, overview = NULL, size = NULL, ...) {
  check_parts(object)
  warn_ignored(...)
  gg_two_kinds(plan_reactions(object, type, layout, labels, legend, overview), main, legend, size)
}

# Draws the plan of a network with two kinds of nodes.
gg_two_kinds <- function(plan, main, legend, size) {
  if (is.null(size)) size <- device_size()
  if (!is.numeric(size) || length(size) != 2L || anyNA(size) || any(size <= 0)) {
    abort_value("size", "two positive numbers, the width and height in inches", size)
  }
  if (plan$overview) return(gg_overview(plan$model, plan$graph, main))
  page <- pmax(size - c(0.2, 0.2 + 0.4 * has_title(main) + 0.8 * legend), 0.5)
  drawing <- network_drawing(plan$model, plan$graph, plan$layout, plan$style$labels, page, measured(plan$model$nodes))
  ggplot2::ggplot() + gg_reaction_arrows(drawing, plan) + gg_boxes(drawing, plan) +
    ggplot2::coord_fixed(xlim = c(0, page[[1L]]), ylim = c(0, page[[2L]]), expand = FALSE) +
    ggplot2::labs(title = if (has_title(main)) main, colour = NULL, fill = NULL) + ggplot2::theme_void() +
    ggplot2::theme(legend.position = if (legend) "bottom" else "none")
}

gg_reaction_arrows <- function(drawing, plan) {
  style <- plan$style
  style$width <- drawn_width(style, drawing)
  shown <- which(lengths(drawing$paths) > 0L)
  if (length(shown) == 0L) return(NULL)
  heads <- lapply(shown, function(i) head_of_arrow(i, drawing$paths[[i]], style, drawing$cex))
  roles <- intersect(names(plan$words), plan$graph$role)
  role <- factor(plan$graph$role[shown], roles)
  frame <- function(which, part) {
    rows <- path_frame(lapply(heads[which], `[[`, part), which)
    rows$role <- role[rows$arrow]
    rows
  }
  at <- ggplot2::aes(x = .data$x, y = .data$y, group = .data$arrow, colour = .data$role)
  lines <- frame(seq_along(shown), "line")
  filled <- which(vapply(heads, `[[`, NA, "filled"))
  open <- setdiff(seq_along(shown), filled)
  width <- function(rows) style$width[shown][rows$arrow] / 96 * 25.4
  list(
    ggplot2::geom_path(at, lines, linewidth = width(lines), linetype = style$line[shown][lines$arrow]),
    if (length(filled) > 0L) {
      rows <- frame(filled, "shape")
      fill <- ifelse(vapply(heads, `[[`, NA, "hollow")[rows$arrow], "white", plan$role_colours[as.character(rows$role)])
      ggplot2::geom_polygon(at, rows, fill = fill, linewidth = 0.27, show.legend = FALSE)
    },
    if (length(open) > 0L) {
      rows <- frame(open, "shape")
      ggplot2::geom_path(at, rows, linewidth = width(rows), show.legend = FALSE)
    },
    ggplot2::scale_colour_manual(values = plan$role_colours, labels = plan$words[roles], breaks = roles),
    ggplot2::guides(
      fill = ggplot2::guide_legend(order = 1),
      colour = ggplot2::guide_legend(order = 2, override.aes = list(linetype = ifelse(roles == "rate", 2, 1)))
    )
  )
}

gg_boxes <- function(drawing, plan) {
  turn <- seq(0, 2 * pi, length.out = 33L)[-1L]
  unit <- if (plan$style$labels) cbind(c(-1, 1, 1, -1), c(-1, -1, 1, 1)) else cbind(cos(turn), sin(turn))
  n <- nrow(drawing$at)
  round <- plan$style$round
  outline <- lapply(seq_len(n), function(i) {
    if (isTRUE(round[i])) return(stadium(drawing$at[i, ], drawing$half[i, ]))
    if (!is.null(round)) unit <- cbind(c(-1, 1, 1, -1), c(-1, -1, 1, 1))
    cbind(drawing$at[i, 1L] + unit[, 1L] * drawing$half[i, 1L], drawing$at[i, 2L] + unit[, 2L] * drawing$half[i, 2L])
  })
  rows <- path_frame(outline, seq_len(n))
  rows$kind <- factor(plan$graph$kind[rows$arrow], unique(plan$graph$kind))
  text <- data.frame(x = drawing$at[, 1L], y = drawing$at[, 2L], label = short_label(plan$model$nodes))
  list(
    ggplot2::geom_polygon(
      ggplot2::aes(x = .data$x, y = .data$y, group = .data$arrow, fill = .data$kind), rows, colour = "grey45",
      linewidth = 0.25 * plan$style$border_width[rows$arrow]
    ),
    ggplot2::scale_fill_manual(values = plan$kind_colours),
    if (plan$style$labels) {
      place <- ggplot2::aes(x = .data$x, y = .data$y, label = .data$label)
      ggplot2::geom_text(place, text, size = 12 * drawing$cex * 25.4 / 72)
    }
  )
}

#' @exportS3Method igraph::as.igraph
as.igraph.reaction_network <- function(x, type = c("network", "dependencies"), ...) {
  check_parts(x)
  graph <- reaction_graph(x, check_choice(type, "type", c("network", "dependencies")))
  out <- igraph::make_graph(rbind(graph$from, graph$to), length(graph$names))
  igraph::V(out)$name <- make.unique(graph$names, " ")
  igraph::V(out)$kind <- graph$kind
  if (type[[1L]] == "network") {
    igraph::E(out)$role <- graph$role
    igraph::E(out)$count <- graph$count
  }
  out
}
