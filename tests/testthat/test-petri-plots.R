# Pictures of Petri nets and of their results.

grid <- petri_net(
  "0 -> A[x,y]" = transition(rate = "x"), "B[x,y] -> 0" = flow(1), "C[x] -> 0" = flow(0.5), "0 -> D" = 1,
  colours = list(X = 1:3, Y = c("low", "high")), sets = c(Cell = "X * Y"), indices = c(x = "X", y = "Y"),
  places = c(A = "Cell", B = "Cell", C = "X"), continuous = c("B", "C"), initial = list(B = "x", C = "2 * x")
)
paths <- simulate(grid, nsim = 2, times = c(0, 1, 2), output = "trajectories", seed = 1)
means <- simulate(grid, nsim = 40, times = c(0, 1, 2), seed = 1)

test_that("a map shows the values of a place over the grid of its colours", {
  for (sim in list(paths, means)) {
    value <- if (is.null(sim$value)) "mean" else "value"
    shown <- null_device(plot(sim, type = "map", place = "B", at = c(2, 1)))
    expect_named(shown, c("time", "X", "Y", "value"))
    expect_identical(unique(shown$time), c(1, 2))
    expect_identical(levels(shown$Y), c("low", "high")) # the order of the set, not of the alphabet
    rows <- as.data.frame(sim)
    rows <- rows[rows$place == "B" & rows$time %in% c(1, 2), ]
    if (value == "value") rows <- rows[rows$trajectory == 1, ]
    key <- function(x) paste(x$time, x$X, x$Y)
    expect_identical(shown$value[match(key(rows), key(shown))], rows[[value]])
    expect_identical(nrow(shown), nrow(rows))
  }
  # what is drawn: a picture for each time and the scale, with the values at their cells
  calls <- drawn(plot(means, type = "map", place = "B", at = c(1, 2)))
  images <- call_of(calls, "C_image")
  expect_length(images, 3L)
  colours <- matrix(as.integer(factor(images[[1L]][[4L]])), 3L)
  expect_identical(colours, matrix(rep(1:3, 2L), 3L)) # the level is higher with x
})

test_that("one component gives a kymograph, also as the mean over the others", {
  shown <- null_device(plot(means, type = "map", place = "C"))
  expect_named(shown, c("time", "X", "value"))
  expect_identical(nrow(shown), 9L)
  expect_equal(shown$value[shown$time == 2], 2 * (1:3) * exp(-1), tolerance = 1e-5)
  over <- null_device(plot(means, type = "map", place = "B", components = "X"))
  expect_equal(over$value[over$time == 1], (1:3) * exp(-1), tolerance = 1e-5)
  turned <- null_device(plot(means, type = "map", place = "B", components = c("Y", "X"), at = 0))
  expect_named(turned, c("time", "Y", "X", "value"))
  expect_identical(turned$value[turned$X == 3], c(3, 3))
})

test_that("maps that cannot be drawn get a sentence", {
  refused <- function(code, text) expect_error(null_device(code), text, fixed = TRUE, class = "fireflip_error_argument")
  refused(plot(means, type = "map", place = "D"), "\"D\" has no colours; a map needs a place with colours: A, B, C.")
  refused(plot(means, type = "map", place = "B", at = 1.5), "`at` has the time 1.5, which was not saved; the result has 3 times")
  refused(plot(means, type = "map"), "the name of one place with colours (A, B, C)")
  refused(plot(means, type = "map", place = "B[1,low]"), "is a single colour of a place")
  refused(plot(means, type = "map", place = "E"), "its places with colours are \"A\", \"B\", \"C\"")
  refused(plot(means, type = "map", place = "C", at = 1), "a kymograph of one component shows all times")
  refused(plot(means, at = 1), "`at` and `components` are for type = \"map\"")
  refused(plot(simulate(grid, times = 1, seed = 1), type = "map", place = "C"), "A kymograph needs at least two times")
  gene <- simulate(petri_model("gene"), times = 1, seed = 1)
  refused(plot(gene, type = "map", place = "protein"), "A map needs a place with colours; the result has none.")
  cube <- petri_net(
    "A[x,y,z] -> 0" = flow(1), colours = list(X = 1:2, Y = 1:2, Z = 1:3), sets = c(S = "X * Y * Z"),
    indices = c(x = "X", y = "Y", z = "Z"), places = c(A = "S"), continuous = "A", initial = list(A = "z")
  )
  sim <- simulate(cube, times = 0:1, seed = 1)
  refused(plot(sim, type = "map", place = "A"), "have 3 components (X, Y, Z), and a map shows two")
  shown <- null_device(plot(sim, type = "map", place = "A", components = c("X", "Z"), at = 0))
  expect_identical(shown$value[shown$X == 1], c(1, 2, 3))
  reactions <- simulate(reaction_network("0 -> A" = 1), times = 1, seed = 1)
  refused(plot(reactions, type = "map"), "A map needs a result of a Petri net")
})

test_that("levels are drawn as lines and counts as steps, and the axis says which", {
  sim <- simulate(petri_model("gene"), nsim = 2, times = seq(0, 2, 0.5), output = "trajectories", seed = 1)
  types <- function(calls) vapply(Filter(function(one) one[[3L]] %in% c("l", "s"), call_of(calls, "C_plotXY")), `[[`, "", 3L)
  words <- function(calls) unlist(lapply(call_of(calls, "C_title"), function(one) Filter(is.character, one[-1L])))
  expect_identical(unname(types(drawn(plot(sim, place = "protein")))), c("l", "l"))
  expect_identical(unname(types(drawn(plot(sim, place = "on")))), c("s", "s"))
  expect_true("level" %in% words(drawn(plot(sim))))
  expect_true("count" %in% words(drawn(plot(sim, place = c("on", "off")))))
  summed <- simulate(petri_model("gene"), nsim = 40, times = 0:2, seed = 1)
  expect_true("mean level" %in% words(drawn(plot(summed))))
  expect_true("mean count" %in% words(drawn(plot(summed, place = "on"))))
})

test_that("histograms of levels have bars of a width, and densities", {
  sim <- simulate(petri_model("gene"), nsim = 1000, times = 3, output = "histogram", seed = 1)
  calls <- drawn(plot(sim, place = "protein"))
  line <- Filter(function(one) identical(one[[3L]], "s"), call_of(calls, "C_plotXY"))[[1L]]
  at <- line[[2L]]
  width <- diff(at$x[-1L])
  expect_length(width, 20L) # 2 * 1000^(1/3)
  expect_equal(width, rep(mean(width), 20L))
  expect_equal(sum(at$y[2:21] * width), 1) # a density
  counted <- null_device(plot(sim, place = "on"))
  expect_equal(sum(counted$proportion), 1)
})

test_that("`place` chooses as `species` does, and stands for all colours of a place", {
  shown <- null_device(plot(means, place = "B"))
  expect_identical(unique(shown$species), sprintf("B[%d,%s]", rep(1:3, each = 2), c("low", "high")))
  expect_identical(null_device(plot(means, place = "B[2,high]")), null_device(plot(means, species = "B[2,high]")))
  expect_identical(
    null_device(plot(paths, place = c("C", "D"))), null_device(plot(paths, species = c("C[1]", "C[2]", "C[3]", "D")))
  )
  refused <- function(code, text) expect_error(null_device(code), text, fixed = TRUE, class = "fireflip_error_argument")
  refused(plot(means, place = "B", species = "C"), "`place` and `species` do the same")
  reactions <- simulate(reaction_network("0 -> A" = 1), times = 1, seed = 1)
  refused(plot(reactions, place = "A"), "`place` is for results of Petri nets")
  refused(plot(means, place = "E"), "`place` names \"E\"")
})

test_that("ggplot2 draws the same maps and lines", {
  skip_if_not_installed("ggplot2")
  map <- ggplot2::autoplot(means, type = "map", place = "B", at = c(1, 2))
  expect_identical(nrow(map$data), 12L)
  expect_silent(null_device(print(map)))
  flat <- ggplot2::autoplot(means, type = "map", place = "C")
  expect_identical(flat$labels$x, "time")
  expect_silent(null_device(print(flat)))
  sim <- simulate(petri_model("gene"), nsim = 2, times = seq(0, 2, 0.5), output = "trajectories", seed = 1)
  layers <- function(plot) vapply(plot$layers, function(one) class(one$geom)[[1L]], "")
  expect_setequal(unname(layers(ggplot2::autoplot(sim))), c("GeomStep", "GeomLine"))
  expect_silent(null_device(print(ggplot2::autoplot(sim))))
  counts <- simulate(petri_model("gene"), nsim = 100, times = 3, output = "histogram", seed = 1)
  expect_identical(ggplot2::autoplot(counts)$labels$y, "density")
  expect_silent(null_device(print(ggplot2::autoplot(counts))))
})

test_that("plot() of a net draws places and transitions, and the kinds of arcs", {
  net <- petri_net(
    a = transition("A -> B", rate = 1, test = "C >= 2 & D < 3 & E == 1", reset = "C"), b = transition("B -> C", weight = 2),
    c = transition("C -> D", delay = 1), d = transition("0 -> E", at = c(1, 2)),
    f = transition("x -> y", flow = "2 * A * x"), g = transition("A -> D", rate = "A", test = "A >= 3"),
    continuous = c("x", "y"), initial = c(A = 3)
  )
  shown <- null_device(plot(net))
  expect_identical(shown$node, c("A", "B", "C", "D", "E", "x", "y", letters[c(1:4, 6:7)]))
  expect_identical(shown$kind, c(
    rep("counted place", 5), rep("continuous place", 2), "stochastic", "immediate", "deterministic", "scheduled", "flow",
    "stochastic"
  ))
  graph <- petri_graph(net)
  arcs <- data.frame(from = graph$names[graph$from], to = graph$names[graph$to], role = graph$role)
  of_a <- arcs[arcs$to == "a", ]
  expect_identical(of_a$role[match(c("A", "D", "E"), of_a$from)], c("counted", "inhibitor", "equal"))
  expect_setequal(of_a$role[of_a$from == "C"], c("read", "reset"))
  expect_identical(arcs$role[arcs$from == "x" & arcs$to == "f"], "flow") # its rate names it, too
  expect_identical(arcs$role[arcs$from == "A" & arcs$to == "f"], "rate")
  # places are polygons with round ends, transitions rectangles, with the colours of their kinds
  calls <- drawn(plot(net, legend = FALSE))
  boxes <- call_of(calls, "C_rect")[[1L]]
  expect_identical(unname(petri_colours[shown$kind[8:13]]), boxes[[6L]])
  # the head of each kind of arc is its own
  path <- cbind(c(0, 1), 0)
  heads <- lapply(arc_signs, function(sign) arrow_head(path, sign, 0.1)$shape)
  expect_identical(anyDuplicated(heads[c("counted", "read", "equal", "reset", "rate")]), 0L)
  expect_true(arrow_head(path, "inhibitor", 0.1)$hollow)
  expect_false(arrow_head(path, "read", 0.1)$hollow)
})

test_that("the coloured net is drawn, not the unfolded one", {
  net <- petri_model("calcium", nx = 40, ny = 50)
  shown <- null_device(plot(net))
  expect_identical(nrow(shown), nrow(net$places) + nrow(net$transitions))
  large <- null_device(plot(unfold(petri_model("calcium", nx = 3, ny = 3))))
  expect_named(large, c("node", "component", "group", "parents", "children"))
  expect_error(null_device(plot(net, layuot = "force")), "did you mean `layout`", class = "fireflip_error_argument")
  skip_if_not_installed("igraph")
  graph <- igraph::as.igraph(net)
  expect_equal(igraph::vcount(graph), nrow(shown))
  expect_silent(null_device(plot(net, layout = igraph::layout_in_circle)))
  skip_if_not_installed("ggplot2")
  expect_silent(null_device(print(ggplot2::autoplot(net))))
})
