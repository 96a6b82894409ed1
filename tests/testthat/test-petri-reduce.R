# Reduction of Petri nets, bounds, and unfolding in bulk.

test_that("transitions that can never fire are dropped, with the reason", {
  net <- petri_net(
    go = transition("A -> B", rate = 1), jam = transition("A + X -> A", rate = 1), chain = transition("X -> Y", rate = 1),
    late = transition("Y -> A", weight = 1), few = transition("3 Z -> A", rate = 1),
    blocked = transition("A -> C", rate = 1, test = "K < 2"), equal = transition("A -> C", rate = 1, test = "K == 1"),
    open = transition("A -> C", rate = 1, test = "K >= 2"), leak = transition("x -> 0", flow = 1),
    zero = transition("A -> C", rate = 0),
    initial = c(A = 5, K = 2, Z = 2), continuous = "x"
  )
  less <- reduce_network(net)
  expect_s3_class(less, c("reduced_petri_net", "petri_net"), exact = TRUE)
  expect_identical(less$transitions$name, c("go", "open"))
  expect_identical(less$places$place, net$places$place)
  gone <- stats::setNames(less$reduction$why, less$reduction$name)
  expect_identical(unique(less$reduction$what), "transition")
  expect_match(gone[["jam"]], "\"X\" is always empty", fixed = TRUE)
  expect_match(gone[["late"]], "\"Y\" is always empty", fixed = TRUE)
  expect_match(gone[["few"]], "\"Z\" never has more than 2, and 3 are needed", fixed = TRUE)
  expect_match(gone[["blocked"]], "\"K\" is always 2, and the test is < 2", fixed = TRUE)
  expect_match(gone[["equal"]], "the test is == 1", fixed = TRUE)
  expect_match(gone[["leak"]], "\"x\" is always empty", fixed = TRUE)
  expect_match(gone[["zero"]], "its rate is 0", fixed = TRUE)
  expect_length(gone, 8L)
  expect_match(paste(capture.output(print(less)), collapse = "\n"), "reduced: 8 transitions dropped")
  expect_match(paste(capture.output(print(summary(less))), collapse = "\n"), "reduced: 8 transitions dropped")
  # the same behaviour
  mean_of <- function(net) as.data.frame(simulate(net, nsim = 2000, times = 1, observe = c("A", "B", "C"), seed = 1))$mean
  expect_equal(mean_of(less), mean_of(net), tolerance = 0.1)
  # all that may fire is kept, also in a circle that an immediate transition starts
  circle <- petri_net(
    a = transition("0 -> A", rate = 1), b = transition("A -> B", weight = 1), c = transition("B -> A", delay = 1)
  )
  expect_identical(reduce_network(circle)$transitions$name, c("a", "b", "c"))
  expect_match(paste(format(reduce_network(circle)), collapse = " "), "nothing was dropped")
})

test_that("with `of_interest`, what cannot affect it is dropped", {
  net <- petri_net(
    make = transition("0 -> A", rate = 4), turn = transition("A -> B", rate = 1), count = transition("B -> B + n", rate = 2),
    flow = transition("x -> y", flow = "k * C"), side = transition("0 -> C", rate = "if(D > 2, 1, 2)"),
    aside = transition("0 -> D", rate = "v"), initial = c(B = 2, x = 1), continuous = c("x", "y"), parameters = c(k = 1),
    variables = c(v = "E + 1", w = "n + 1"), places = "E"
  )
  less <- reduce_network(net, of_interest = "A")
  expect_identical(less$transitions$name, c("make", "turn"))
  expect_identical(less$transitions$equation, c("0 -> A", "A -> 0")) # B is gone
  expect_identical(less$places$place, "A")
  expect_setequal(less$reduction$name, c("count", "flow", "side", "aside", "B", "n", "x", "y", "C", "D", "E", "v", "w"))
  less <- reduce_network(net, of_interest = "y") # C and D change its rate, and E by a variable
  expect_setequal(less$places$place, c("x", "y", "C", "D", "E"))
  expect_setequal(less$transitions$name, c("flow", "side", "aside"))
  expect_identical(names(less$variables), "v")
  less <- reduce_network(net, of_interest = "w")
  expect_setequal(less$places$place, c("A", "B", "n"))
  expect_equal(
    as.data.frame(simulate(less, nsim = 2000, times = 2, observe = "w", seed = 1))$mean,
    as.data.frame(simulate(net, nsim = 2000, times = 2, observe = "w", seed = 2))$mean, tolerance = 0.1
  )
  expect_error(reduce_network(net, of_interest = "Q"), "`of_interest` names \"Q\"", class = "fireflip_error_argument")
  tissue <- petri_net(
    move = transition("A[x] -> A[x + 1]", rate = 1), colours = list(X = 1:5), indices = c(x = "X"), places = c(A = "X"),
    initial = c("A[3]" = 4)
  )
  less <- reduce_network(tissue)
  expect_identical(less$transitions$name, c("move[3]", "move[4]")) # tokens do not go back
  expect_identical(reduce_network(tissue, of_interest = "A[4]")$places$place, c("A[3]", "A[4]"))
  expect_identical(nrow(reduce_network(tissue, of_interest = "A[1]")$transitions), 0L)
})

test_that("P-invariants bound places", {
  net <- petri_net("A + 2 E -> C" = 1, "C -> B + 2 E" = 3, "0 -> free" = 1, initial = c(A = 10, E = 3))
  bounds <- summary(net)$bounds
  expect_identical(bounds$most[match(c("A", "B", "C", "E"), bounds$place)], c(10, 10, 1.5, 3))
  expect_false("free" %in% bounds$place)
  expect_match(paste(capture.output(print(summary(net))), collapse = "\n"), "bounds, by conservation laws: ")
  expect_null(summary(petri_model("calcium", nx = 20, ny = 20))$bounds)
})

test_that("unfold() gives the texts of every transition, whatever their number and quoting", {
  net <- petri_net(
    "big move" = transition(
      "2 `a b`[x] + C -> `a b`[next(x)] + (n + 1) C", rate = "k * `a b`[x] * (C + x)", test = "D >= 2 & C < 5"
    ),
    fast = transition("C + D -> 0", rate = mass_action("k * 2")),
    wide = transition("0 -> C", rate = "`a b`[x] - `a b`[next(x)] * k"),
    colours = list(X = 1:20), indices = c(x = "X"), places = c("a b" = "X"), parameters = c(k = 2, n = 3)
  )
  flat <- unfold(net)
  rows <- flat$transitions
  expect_identical(nrow(rows), 41L)
  at <- match("big move[20]", rows$name)
  expect_identical(rows$equation[[at]], "2 `a b[20]` + C -> `a b[1]` + (n + 1) C")
  expect_identical(rows$number[[at]], "k * `a b[20]` * (C + 20)")
  expect_identical(rows$test[[at]], "D >= 2 & C < 5")
  at <- match("wide[7]", rows$name)
  expect_identical(rows$number[[at]], "`a b[7]` - `a b[8]` * k")
  expect_identical(rows$equation[[match("fast", rows$name)]], "C + D -> 0")
  sums <- petri_net(
    all = transition("0 -> B", rate = "sum(A)"),
    many = transition("A[1] + A[2] + A[3] + A[4] + A[5] + A[6] + A[7] + A[8] + A[9] + A[10] -> B", rate = 1),
    colours = list(X = 1:10), places = c(A = "X")
  )
  expect_identical(unfold(sums)$transitions$equation[[2L]], paste(paste0("`A[", 1:10, "]`", collapse = " + "), "-> B"))
})

test_that("what may fire is what single tokens reach, and what simulations fire", {
  set.seed(1)
  places <- LETTERS[1:6]
  for (i in 1:40) {
    parts <- lapply(1:8, function(t) list(take = sample(places, sample(0:2, 1)), put = sample(places, 1), test = sample(places, 1)))
    rows <- lapply(parts, function(p) {
      side <- function(x) if (length(x) == 0L) "0" else paste(x, collapse = " + ")
      transition(sprintf("%s -> %s", side(p$take), p$put), rate = 1, test = sprintf("%s >= 1", p$test))
    })
    names(rows) <- paste0("t", 1:8)
    start <- sample(places, 2)
    net <- do.call(petri_net, c(rows, list(places = places, initial = stats::setNames(c(1, 1), start))))
    # no weight is above 1, so a place that may get a token may have all that is needed
    has <- places %in% start
    repeat {
      fires <- vapply(parts, function(p) all(has[match(c(p$take, p$test), places)]), NA)
      more <- has | places %in% vapply(parts[fires], `[[`, "", "put")
      if (identical(more, has)) break
      has <- more
    }
    expect_identical(setdiff(reduce_network(net)$transitions$name, names(rows)[fires]), character())
    # and none is dropped that a simulation fires
    events <- simulate(net, nsim = 20, times = 3, output = "events", seed = i)
    fired <- as.character(unique(events$transition))
    expect_identical(setdiff(fired, reduce_network(net)$transitions$name), character())
  }
})

test_that("what events set may have any marking, and what they read stays", {
  net <- petri_net(
    a = transition("X -> Y", rate = mass_action(1)), b = transition("3 Y -> Z", rate = 1),
    c = transition("0 -> W", rate = "k", test = "M < 1"), d = transition("0 -> G", rate = 1),
    e = transition("0 -> H", rate = 1), f = transition("N -> 0", rate = 1),
    initial = c(M = 1), parameters = c(k = 1, later = 1), variables = c(all = "G + 1"),
    events = list(
      fill = event("time > later", set = c(X = 100, M = "M - 1")), faster = event("all > 3", set = c(k = 10), priority = "Y")
    )
  )
  small <- reduce_network(net)
  expect_identical(small$transitions$name, c("a", "b", "c", "d", "e"))
  expect_identical(small$events$name, c("fill", "faster"))
  small <- reduce_network(net, of_interest = "W")
  expect_identical(small$transitions$name, c("a", "b", "c", "d")) # b changes Y, a priority
  expect_setequal(small$places$place, c("X", "Y", "M", "G", "W"))
  expect_identical(names(small$variables), "all")
  expect_gt(simulate(small, times = 5, seed = 1, output = "final")$W, 0)
})

test_that("what events set and read is kept", {
  net <- petri_net(
    "A -> B" = 1, back = transition("B -> C", rate = mass_action("k"), test = "D == 0"), "2 P -> Q" = 1, "x -> 0" = flow(1),
    "y -> 0" = flow(1),
    initial = c(D = 2, P = 1, x = 1, y = 1), continuous = c("x", "y"), parameters = c(k = 1), variables = c(both = "x + D"),
    events = list(on = event("both < 2.5", set = c(A = 20, D = 0, P = "P + 9")))
  )
  reduced <- reduce_network(net)
  expect_identical(reduced$reduction$what, character())
  run <- function(net) {
    as.data.frame(simulate(net, nsim = 200, times = 3, seed = 1, output = "trajectories"))[c("B", "C", "Q")]
  }
  expect_identical(run(reduced), run(net), ignore_attr = TRUE)
  expect_gt(min(colMeans(run(net))), 0.5)

  some <- reduce_network(net, of_interest = "C")
  expect_identical(some$reduction$name, c("T5", "Q", "y"))
})
