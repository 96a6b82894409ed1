# Pictures of Petri nets.

#' Plot a Petri net
#'
#' Draws places as round boxes and transitions as rectangles, with an arrow for each arc. A net with colours is drawn as it is
#' written, with one box for all colours of a place or transition. `plot(unfold(net))` draws a box for each colour.
#'
#' Continuous places, continuous transitions (flows) and the arcs of flows are thick. The end of an arc shows its kind: a head
#' for tokens that are taken or added, a dot for the test `>=` (read arc), a ring for `<` (inhibitor arc), two bars for `==`
#' (equal arc), and two open heads for a reset. A dashed line leads from a place to a transition whose rate names it (modifier
#' arc). A legend below the plot explains the symbols that occur.
#'
#' By default, nets with at least 150 boxes or 1,000 arcs are drawn as an overview, as networks of class `pbn`: see [plot.pbn()].
#'
#' @param x,object A net of class `petri_net`.
#' @param layout As for [plot.pbn()]. The rows of a matrix are the places and then the transitions. A function takes the graph of
#'   `igraph::as.igraph(x)`.
#' @param labels Whether to draw names. By default (`NULL`), if there are fewer than 150 boxes.
#' @param main The title. By default (`NULL`), none.
#' @param legend Whether to draw the legend. Default `TRUE`.
#' @param overview `TRUE` to draw the overview, `FALSE` to draw boxes and arrows. By default (`NULL`), the size of the net
#'   decides.
#' @param size For `autoplot()`, width and height of the plot in inches. By default, those of the open device, or 7 by 7.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]; `lwd` multiplies the widths of the arrows, and `lty`
#'   replaces their line type. Otherwise ignored, with a warning of class `fireflip_warning_argument`.
#' @returns `plot()`: a data frame of the boxes, invisibly, with the columns `node`, `kind`, `x` and `y` (in
#'   inches). `kind` is `"counted place"` for a discrete place, `"continuous place"`, or the kind of a transition, where `"flow"`
#'   is a continuous one. For an overview, as for
#'   [plot.pbn()]. `autoplot()`: a ggplot. The method for igraph's generic `as.igraph()`: a graph with the vertex attributes
#'   `name` and `kind`, and the edge attributes `role` and `count` of [network_arrows()].
#' @section Errors: `fireflip_error_argument` for an invalid argument.
#' @seealso [network_arrows()], [petri_net()]; [ensemble-methods] for plots of results.
#' @export
#' @examples
#' plot(petri_model("gene"))
#' plot(petri_model("calcium", nx = 10, ny = 10))
plot.petri_net <- function(x, layout = "layered", labels = NULL, main = NULL, legend = TRUE, overview = NULL, ...) {
  check_parts(x)
  check_graphical(...)
  plan <- plan_petri(x, layout, labels, legend, overview)
  if (plan$overview) return(plot_overview(plan$model, plan$graph, main, legend, ...))
  drawing <- draw_network(plan$model, plan, if (legend) petri_legend(plan), main, arrow_labels = FALSE, ...)
  invisible(data.frame(node = plan$model$nodes, kind = plan$graph$kind, x = drawing$at[, 1L], y = drawing$at[, 2L]))
}

# Nodes and arrows, by number: places, then transitions. An arc for each place, transition and role; a place that has another arc
# to the transition is not said to be named by its rate.
petri_graph <- function(model) {
  arrows <- .Call(ffi_petri_arrows, model)
  places <- nrow(model$places)
  flows <- model$transitions$kind[arrows$transition] == "continuous"
  transition <- arrows$transition + places
  role <- c("reactant", "product", "read", "inhibitor", "equal", "reset", "rate")[arrows$kind + 1L]
  drawn <- ifelse(role %in% c("reactant", "product"), ifelse(flows, "flow", "counted"), role)
  out <- list(
    from = ifelse(role == "product", transition, arrows$place), to = ifelse(role == "product", arrows$place, transition),
    role = drawn, named = role, count = ifelse(role %in% c("reset", "rate"), 0, arrows$weight)
  )
  pair <- paste(out$from, out$to)
  twice <- duplicated(paste(pair, role)) | role == "rate" & pair %in% pair[role != "rate"]
  out <- lapply(out, function(column) column[!twice])
  out[c("from", "to")] <- lapply(out[c("from", "to")], as.integer)
  out$kind <- c(ifelse(model$places$continuous, "continuous place", "counted place"), transition_words[model$transitions$kind])
  out$names <- c(model$places$place, model$transitions$name)
  c(out, .Call(ffi_arrow_components, out$from, out$to, length(out$names)), list(input = logical(length(out$names))))
}

transition_words <- c(
  stochastic = "stochastic", continuous = "flow", immediate = "immediate", deterministic = "deterministic",
  scheduled = "scheduled"
)

arc_words <- c(
  counted = "tokens", flow = "tokens that flow", read = "test >=", inhibitor = "test <", equal = "test ==", reset = "reset",
  rate = "the rate names the place"
)
arc_colours <- c(
  counted = "grey25", flow = "#0072B2", read = "#009E73", inhibitor = "#B2182B", equal = "#7B3294", reset = "#D55E00",
  rate = "grey45"
)
arc_signs <- c(
  counted = "+", flow = "+", read = "read", inhibitor = "inhibitor", equal = "equal", reset = "reset", rate = "?"
)
petri_colours <- c(
  "counted place" = "#E4EFF8", "continuous place" = "#B5D3EC", stochastic = "#FBE3C4", flow = "#F5C183", immediate = "#DDDDDD",
  deterministic = "#CFE8CF", scheduled = "#EBCFE3"
)

# What plot() and autoplot() draw.
plan_petri <- function(x, layout, labels, legend, overview) {
  check_flag(legend, "legend")
  if (!is.null(labels)) check_flag(labels, "labels")
  graph <- petri_graph(x)
  model <- list(nodes = graph$names)
  overview <- wants_overview(overview, graph, is.null(labels) && identical(layout, "layered"))
  if (is.null(labels)) labels <- length(graph$names) < 150L
  places <- if (!overview) petri_layout(x, model, graph, layout)
  style <- petri_style(graph, nrow(x$places), labels)
  if (!is.null(places)) { # straight lines; the layered layout keeps the ends of arrows apart
    style$behind <- stats::ave(seq_along(graph$from), graph$from, graph$to, FUN = seq_along) - 1L
  }
  list(
    graph = graph, model = model, overview = overview, style = style, words = arc_words, role_colours = arc_colours,
    kind_colours = petri_colours, layout = places
  )
}

petri_layout <- function(x, model, graph, layout) {
  if (!is.function(layout)) return(given_places(model, graph, layout))
  need_package("igraph", "a function as `layout`")
  restore <- keep_rng()
  on.exit(restore())
  set.seed(1, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  check_layout(layout(as.igraph.petri_net(x)), model)
}

petri_style <- function(graph, places, labels) {
  flows <- graph$kind %in% c("continuous place", "flow")
  n <- length(graph$from)
  list(
    labels = labels, input = graph$input, sign = unname(arc_signs[graph$role]), hidden = logical(n),
    fill = unname(petri_colours[graph$kind]), border = rep("grey45", length(graph$kind)),
    border_width = ifelse(flows, 2.2, 0.8), width = ifelse(graph$role == "flow", 2, 1),
    colour = unname(arc_colours[graph$role]), line = ifelse(graph$role == "rate", 2L, 1L),
    round = seq_along(graph$kind) <= places
  )
}

petri_legend <- function(plan) {
  kinds <- intersect(names(petri_colours), plan$graph$kind)
  roles <- intersect(names(arc_words), plan$graph$role)
  shape <- c("counted place" = "place", "continuous place" = "level", flow = "flow")[kinds]
  shape[is.na(shape)] <- "node"
  data.frame(
    kind = unname(c(shape, ifelse(roles == "rate", "dashed", arc_signs[roles]))), text = unname(c(kinds, arc_words[roles])),
    colour = unname(c(petri_colours[kinds], arc_colours[roles]))
  )
}

#' @rdname plot.petri_net
#' @exportS3Method ggplot2::autoplot
autoplot.petri_net <- function(object, layout = "layered", labels = NULL, main = NULL, legend = TRUE, overview = NULL,
                               size = NULL, ...) {
  check_parts(object)
  warn_ignored(...)
  gg_two_kinds(plan_petri(object, layout, labels, legend, overview), main, legend, size)
}

#' @exportS3Method igraph::as.igraph
as.igraph.petri_net <- function(x, ...) {
  check_parts(x)
  graph <- petri_graph(x)
  out <- igraph::make_graph(rbind(graph$from, graph$to), length(graph$names))
  igraph::V(out)$name <- make.unique(graph$names, " ")
  igraph::V(out)$kind <- unname(graph$kind)
  igraph::E(out)$role <- graph$named
  igraph::E(out)$count <- graph$count
  out
}
