# Dependencies between reactions, and plots of reaction networks.

test_that("a reaction depends on those that change what it reads", {
  net <- reaction_network(
    data.frame(
      name = c("bind", "decay", "make", "join", "swap"),
      equation = c("A + E -> B + E", "B -> 0", "0 -> F", "F + B -> C", "2 C -> C + A"),
      rate = c("1", "2", "k * total", "1", "0.5 * C"), law = c(rep("mass action", 2), "formula", "mass action", "formula")
    ),
    parameters = c(k = 1), variables = c(total = "A + 2 * C"), initial = c(A = 5, E = 1, F = 2), fixed = "F"
  )
  found <- reaction_dependencies(net)
  # E is a catalyst, F is fixed
  expect_identical(found, data.frame(
    from = c("bind", "bind", "bind", "bind", "decay", "decay", "join", "join", "join", "join", "swap", "swap", "swap", "swap"),
    to = c("bind", "decay", "make", "join", "decay", "join", "decay", "make", "join", "swap", "bind", "make", "make", "swap"),
    species = c("A", "B", "A", "B", "B", "B", "B", "C", "B", "C", "A", "A", "C", "C")
  ))
  error <- tryCatch(reaction_dependencies(pbn(c(A = "A"))), error = identity)
  expect_s3_class(error, "fireflip_error_argument")
  expect_match(conditionMessage(error), "reaction_network")
})

test_that("dependencies are those of the equations", {
  net <- reaction_model("random", species = 30, reactions = 40, seed = 1)
  sides <- strsplit(net$reactions$equation, " -> ", fixed = TRUE)
  names <- lapply(sides, function(side) strsplit(side, " + ", fixed = TRUE))
  wanted <- do.call(rbind, lapply(1:40, function(from) {
    changed <- setdiff(union(names[[from]][[1L]], names[[from]][[2L]]), intersect(names[[from]][[1L]], names[[from]][[2L]]))
    do.call(rbind, lapply(1:40, function(to) {
      through <- intersect(net$species$species, intersect(changed, names[[to]][[1L]]))
      if (length(through) > 0L) data.frame(from = from, to = to, species = through)
    }))
  }))
  found <- reaction_dependencies(net)
  expect_identical(found$from, net$reactions$name[wanted$from])
  expect_identical(found$to, net$reactions$name[wanted$to])
  expect_identical(found$species, wanted$species)
})

test_that("components are numbered along the arrows", {
  found <- .Call(ffi_arrow_components, c(1L, 2L, 3L, 3L, 5L), c(2L, 3L, 2L, 4L, 5L), 5L)
  expect_identical(found$component[[2L]], found$component[[3L]])
  expect_true(all(diff(found$component[c(1L, 2L, 4L)]) > 0))
  expect_identical(found$size[found$component], c(1L, 2L, 2L, 1L, 1L))
  expect_identical(found$cyclic[found$component], c(FALSE, TRUE, TRUE, FALSE, TRUE))
  expect_error(.Call(ffi_arrow_components, 1L, 3L, 2L), "node 3", class = "fireflip_error_argument")
  expect_error(.Call(ffi_arrow_components, 1L, 1:2, 2L), "same length", class = "fireflip_error_argument")
  expect_error(.Call(ffi_graph_keep, pbn(c(A = "A")), 0L), "found the node 0; expected one from 1 to 1",
    class = "fireflip_error_argument")
  expect_error(.Call(ffi_graph_keep, pbn(c(A = "B", B = "A")), 1.5), "found the node 1.5", class = "fireflip_error_argument")
})

test_that("plot() of a reaction network draws all boxes on the page, and no two on each other", {
  net <- example_model("decay_dimerisation")
  for (type in c("network", "dependencies")) {
    found <- null_device(plot(net, type = type))
    expect_identical(found$node, c(if (type == "network") net$species$species, net$reactions$name))
    expect_identical(found$kind, rep(c("species", "reaction"), c(if (type == "network") 3L else 0L, 4L)))
    expect_true(all(found$x > 0 & found$x < 7 & found$y > 0 & found$y < 7))
    expect_false(any(duplicated(found[c("x", "y")])))
  }
  square <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1))
  found <- null_device(plot(net, type = "dependencies", layout = square, labels = FALSE, legend = FALSE, main = "a title"))
  expect_identical(order(found$x, found$y), 1:4)
  large <- null_device(plot(reaction_model("sir_ring", regions = 30)))
  expect_named(large, c("node", "component", "group", "parents", "children"))
  expect_error(plot(net, type = "tree"), class = "fireflip_error_argument")
  expect_error(plot(net, labels = 3), class = "fireflip_error_argument")
  expect_error(plot(net, layout = square), "7 rows", class = "fireflip_error_argument")
  skip_if_not_installed("igraph")
  circle <- null_device(plot(net, layout = igraph::layout_in_circle))
  expect_false(any(duplicated(circle[c("x", "y")])))
  graph <- igraph::as.igraph(net)
  arrows <- network_arrows(net)
  ends <- igraph::as_edgelist(graph)
  expect_setequal(paste(ends[, 1L], ends[, 2L]), unique(paste(arrows$from, arrows$to)))
  expect_identical(igraph::V(graph)$kind, rep(c("species", "reaction"), c(3, 4)))
  depends <- reaction_dependencies(net)
  ends <- igraph::as_edgelist(igraph::as.igraph(net, "dependencies"))
  expect_setequal(paste(ends[, 1L], ends[, 2L]), unique(paste(depends$from, depends$to))[unique(depends[1:2])$from !=
    unique(depends[1:2])$to])
})

test_that("autoplot() of a reaction network draws the same boxes and arrows", {
  skip_if_not_installed("ggplot2")
  net <- example_model("decay_dimerisation")
  for (type in c("network", "dependencies")) {
    picture <- ggplot2::autoplot(net, type = type, size = c(7, 7))
    null_device(print(picture))
    boxes <- Filter(function(layer) !is.null(layer$data$kind), picture$layers)[[1L]]$data
    expect_identical(length(unique(boxes$arrow)), if (type == "network") 7L else 4L)
  }
  formula <- reaction_network("0 -> A" = "k * B", "A -> 0" = 1, "B -> A" = 1, parameters = c(k = 1))
  null_device(print(ggplot2::autoplot(formula, legend = FALSE, labels = FALSE, main = "m")))
  null_device(print(ggplot2::autoplot(reaction_model("sir_ring", regions = 30))))
  expect_error(ggplot2::autoplot(net, size = 1), class = "fireflip_error_argument")
})
