# How results describe their run. Equal runs are identical.
net <- set_perturbation(example_model("cellcycle"), 0.01)
sets <- c(cycling = "CycB & !Cdh1", quiet = "Rb")
calls <- list(
  steady_state = function(...) steady_state(net, sets, precision = 2e-3, ...),
  packed = function(...) steady_state(net, sets, precision = 1e-2, layout = "packed", ...),
  node_activity = function(...) node_activity(net, precision = 1e-2, ...),
  long_run_influence = function(...) long_run_influence(net, to = "CycB", precision = 5e-3, ...),
  influence_analysis = function(...) influence_analysis(net, sets, precision = 5e-3, influence_precision = 5e-3, ...),
  two_runs = function(...) influence_analysis(net, sets, precision = 1e-3, influence_precision = 2e-2, ...),
  long_run_sensitivity = function(...) long_run_sensitivity(net, sets, nodes = "p27", precision = 2e-2, ...)
)

test_that("two equal runs are identical on any backend", {
  for (name in names(calls)) {
    call <- function(...) suppressWarnings(calls[[name]](method = "simulation", seed = 1, ...))
    one <- call(threads = 1)
    expect_true(identical(call(threads = 3), one), info = name)
    old <- options(fireflip.simd = "portable")
    expect_true(identical(call(threads = 2), one), info = name)
    options(old)
    expect_false(identical(suppressWarnings(calls[[name]](method = "simulation", seed = 2)), one), info = name)
    if (name == "packed") next
    expect_true(identical(calls[[name]](method = "exact"), calls[[name]](method = "exact", threads = 1)), info = name)
  }
  ends <- function(...) outcomes(set_update(set_perturbation(net, 0), "asynchronous"), precision = 0.05, seed = 1, ...)
  expect_true(identical(ends(method = "simulation", threads = 1), ends(method = "simulation", threads = 3)))
  expect_true(identical(suppressMessages(ends()), suppressMessages(ends())))
  expect_identical(simulate(net, steps = 9, seed = 1, threads = 1), simulate(net, steps = 9, seed = 1, threads = 3))
})

test_that("all parts merged are identical to the undivided run", {
  for (name in c("steady_state", "packed", "long_run_influence", "influence_analysis", "two_runs")) {
    call <- function(...) suppressMessages(suppressWarnings(calls[[name]](method = "simulation", seed = 1, ...)))
    parts <- lapply(1:3, function(i) call(shard = c(i, 3), threads = i))
    expect_true(identical(suppressMessages(do.call(c, parts)), call()), info = name)
  }
})

test_that("summary() and as.data.frame(run = TRUE) describe the machine, also after saving", {
  got <- calls$steady_state(method = "simulation", seed = 1, threads = 2)
  expect_named(got, c("set", "probability", "lower", "upper", "visited", "samples", "trajectories", "rhat"))
  expect_named(as.data.frame(got), names(got))
  about <- summary(got)
  expect_identical(about[c("backend", "threads", "method", "seed")], list(
    backend = "cpu", threads = 2L, method = "simulation", seed = 1
  ))
  expect_gte(about$seconds, 0)
  expect_gt(about$bytes, 0)
  expect_output(print(about), "cpu, 2 threads")
  all <- as.data.frame(got, run = TRUE)
  expect_identical(setdiff(names(all), names(got)), c("method", "layout", "burn_in", "thinning", "seed", "backend", "seconds"))
  expect_identical(all$thinning, as.double(about$thinning))
  expect_identical(all$seconds, rep(about$seconds, 2))
  file <- tempfile(fileext = ".rds")
  saveRDS(got, file)
  back <- readRDS(file)
  expect_true(identical(back, got))
  expect_identical(summary(back)$seconds, about$seconds)

  part <- got[2, ]
  expect_identical(as.data.frame(part, run = TRUE)$thinning, all$thinning[[2]])
  expect_identical(summary(part)$threads, 2L)
  expect_error(as.data.frame(got[c("set", "probability")], run = 1), class = "fireflip_error_argument")
  attr(part, "run") <- NULL
  expect_error(as.data.frame(part, run = TRUE), "lacks the record of its run", class = "fireflip_error_argument")
  exact <- calls$steady_state(method = "exact")
  expect_identical(as.list(as.data.frame(exact, run = TRUE)[1, c("method", "layout", "burn_in", "thinning", "seed", "backend")]),
    list(method = "exact", layout = NA_character_, burn_in = NA_real_, thinning = NA_real_, seed = NA_real_, backend = "cpu"))
  analysis <- calls$influence_analysis(method = "simulation", seed = 1)
  expect_identical(unique(as.data.frame(analysis, run = TRUE)$seed), 1)
  changes <- calls$long_run_sensitivity(method = "simulation", seed = 1)
  expect_named(changes, c("change", "node", "predictor", "value", "set", "probability", "changed", "difference", "lower", "upper",
    "p_adjusted", "method"))
  expect_identical(of_run(changes, "seed"), 1)
})

test_that("rbind() distinguishes runs and keeps their notes", {
  wild <- calls$steady_state(method = "simulation", seed = 1)
  start <- pbn(c(a = "a", b = "!b")) # its long run may depend on the start
  other <- steady_state(start, c(cycling = "a", quiet = "b"), method = "exact")
  both <- rbind(wild = wild, start = other)
  expect_s3_class(both, "steady_state")
  expect_identical(both$run, rep(c("wild", "start"), each = 2))
  expect_identical(both$probability, c(wild$probability, other$probability))
  lines <- capture.output(print(both))
  expect_identical(lines[[1L]], "<steady_state> 4 state sets; 2 runs")
  expect_match(lines[[2L]], "may depend on the start")
  expect_identical(as.data.frame(both, run = TRUE)$method, rep(c("simulation", "exact"), each = 2))
  expect_identical(as.data.frame(both[3:2, ], run = TRUE)$seed, c(NA, 1))
  expect_match(capture.output(print(both[4, ]))[[2L]], "may depend on the start")
  expect_error(summary(both), "of several runs", class = "fireflip_error_argument")
  expect_identical(rbind(both, wild)$run, c(rep(c("wild", "start"), each = 2), "2", "2"))
  expect_identical(rbind(x = both, y = wild)$run, c(rep(c("x wild", "x start"), each = 2), "y", "y"))
  # rows of one result can be combined again
  expect_identical(plain_frame(rbind(wild[1, ], wild[2, ])), plain_frame(wild))
  expect_identical(run_columns(rbind(wild[2, ], wild[1, ]))$thinning, rev(run_columns(wild)$thinning))
  expect_s3_class(rbind(wild, data.frame(wild)), "data.frame", exact = TRUE)
  # the plot has all rows
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(nrow(plot(both)), 4L)

  arrows <- rbind(one = calls$long_run_influence(method = "exact"), two = calls$long_run_influence(method = "exact"))
  expect_identical(unique(arrows$run), c("one", "two"))
  expect_error(as.matrix(arrows), "several runs", class = "fireflip_error_argument")
  changes <- calls$long_run_sensitivity(method = "exact")
  expect_identical(unique(rbind(a = changes, b = changes)$run), c("a", "b"))
  expect_error(summary(rbind(a = changes, b = changes)), "several results", class = "fireflip_error_argument")

  toggle <- pbn(c(A = "!B", B = "!A"), update = "asynchronous")
  ends <- rbind(random = outcomes(toggle, method = "exact"), on = outcomes(toggle, from = c(A = 1, B = 0), method = "exact"))
  expect_s3_class(ends, "data.frame", exact = TRUE)
  expect_identical(ends$run, c("random", "random", "on"))
  expect_identical(ends$nodes, c("A & !B", "B & !A", "A & !B"))
})

test_that("tables fit the line", {
  for (width in c(60, 80, 120)) {
    local_reproducible_output(width = width)
    for (name in names(calls)) {
      lines <- capture.output(print(calls[[name]](method = "simulation", seed = 1)))
      table <- lines[!grepl("^<|^Long-run|^Columns not shown|^[.]|certain", lines)]
      expect_lte(max(nchar(table)), width)
    }
  }
  local_reproducible_output(width = 50)
  printed <- capture.output(print(calls$steady_state(method = "simulation", seed = 1)))
  expect_match(printed, "^Columns not shown: trajectories", all = FALSE)
})

test_that("exact answers have as many digits as they need, the same in a column", {
  expect_identical(format_exact(c(0.5, 0.25, 0)), c("0.500000", "0.250000", "0.000000"))
  expect_identical(format_exact(c(0.5, 1.25e-6)), c("0.5000000", "0.0000013"))
  expect_identical(format_exact(c(0.5, 1.25e-12)), c("0.5", "1.25e-12"))
  expect_identical(trimws(format_exact(c(0, NA))), c("0.000000", "NA"))
})

test_that("the progress bar tells how long the run will still take", {
  now <- proc.time()[["elapsed"]]
  expect_null(time_left(NA_real_, 0.5)) # the pilot
  expect_null(time_left(now, 0.5)) # too early to tell
  expect_match(time_left(now - 10, 0.5), "^1[0-9] s left$")
  expect_match(time_left(now - 100, 0.1), "^15 min left$")
  expect_match(time_left(now - 1000, 0.01), "^2[78] h left$")
})

test_that("the notes of one of several results belong to its rows", {
  may <- steady_state(pbn(c(A = "A | B", B = "B & A")), "A", method = "simulation", seed = 1, on_slow = "warn", progress = FALSE)
  fine <- steady_state(pbn(c(A = "!A"), perturbation = 0.1), "A", method = "simulation", seed = 1, progress = FALSE)
  expect_false(isTRUE(attr(may, "run")$forgets))
  both <- rbind(may = may, fine = fine)
  expect_identical(attr(both, "run")$forgets, FALSE)
  expect_identical(attr(both[both$run == "may", ], "run")$forgets, FALSE)
  expect_null(attr(both[both$run == "fine", ], "run")$forgets)
  expect_no_match(capture.output(print(both[both$run == "fine", ])), "start")
  renamed <- fine
  renamed$set <- "another"
  expect_identical(as.data.frame(renamed, run = TRUE)$thinning, NA_real_)
})

# As dplyr::bind_rows() does: the attributes are those of the first result.
bound_otherwise <- function(...) {
  parts <- list(...)
  rows <- do.call(rbind.data.frame, lapply(parts, as.data.frame))
  structure(rows, class = class(parts[[1L]]), run = attr(parts[[1L]], "run"))
}

test_that("rows that are not from a run are not described as its rows", {
  net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A"), perturbation = 0.01)
  one <- steady_state(net, c("A", "B"), precision = 0.05, method = "simulation", seed = 1)
  same <- steady_state(net, c("A", "B"), precision = 0.05, method = "simulation", seed = 2)
  other <- steady_state(net, c(both = "A & B"), precision = 0.05, method = "simulation", seed = 2)
  expect_identical(fireflip:::foreign_rows(bound_otherwise(one, same)), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(fireflip:::foreign_rows(bound_otherwise(one, other)), c(FALSE, FALSE, TRUE))
  expect_output(print(bound_otherwise(one, other)), "1 row is not from this run")
  for (bad in list(bound_otherwise(one, same), bound_otherwise(one, other))) {
    expect_error(as.data.frame(bad, run = TRUE), "that its run did not give; the first is row 3",
      class = "fireflip_error_argument")
    expect_error(summary(bad), "did not give", class = "fireflip_error_argument")
    expect_error(c(bad), "rows or columns were changed", class = "fireflip_error_argument")
  }
  # a selection and a repetition of the run's own rows remain its rows
  for (good in list(one, one[2, ], one[c(2, 1, 2), ], rbind(one, one), rbind(a = one, b = same))) {
    expect_false(any(fireflip:::foreign_rows(good)))
    expect_silent(as.data.frame(good, run = TRUE))
  }
  filtered <- structure(as.data.frame(one)[1, ], class = class(one), run = attr(one, "run"))
  expect_error(c(filtered), "rows or columns were changed", class = "fireflip_error_argument")
  expect_identical(c(one), one)

  arrows <- long_run_influence(net, precision = 0.05, method = "simulation", seed = 1)
  mixed <- bound_otherwise(arrows, long_run_influence(net, precision = 0.05, method = "simulation", seed = 2))
  expect_identical(sum(fireflip:::foreign_rows(mixed)), sum(arrows$lower < arrows$upper))
  expect_error(c(mixed), "rows or columns were changed", class = "fireflip_error_argument")
})

test_that("head() gives the first rows as printed, and the user's own order of rows is kept", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  x <- long_run_influence(net, method = "exact")
  top <- head(x, 3)
  expect_identical(top$influence, sort(x$influence, decreasing = TRUE)[1:3])
  expect_output(print(top), "largest first")
  expect_identical(tail(x, 1)$influence, min(x$influence))
  expect_identical(nrow(head(x, -3)), nrow(x) - 3L)
  sorted <- x[order(x$from), ]
  expect_identical(fireflip:::printed_order(sorted), seq_len(nrow(x)))
  rownames(sorted) <- NULL # as dplyr::arrange() leaves them
  expect_identical(fireflip:::printed_order(sorted), seq_len(nrow(x)))
  expect_no_match(utils::capture.output(print(sorted))[[1L]], "largest first")
  expect_identical(x[2:5, ]$influence[fireflip:::printed_order(x[2:5, ])], sort(x$influence[2:5], decreasing = TRUE))
  changes <- long_run_sensitivity(net, "CycB", nodes = c("Rb", "p27", "CycD"), method = "exact")
  expect_identical(abs(head(changes, 2)$difference), sort(abs(changes$difference), decreasing = TRUE)[1:2])
})

test_that("plots of results that rbind() combined distinguish the runs", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  both <- rbind(wild = steady_state(net, "CycB"), mutant = steady_state(fix_nodes(net, CycD = 0), "CycB"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_setequal(plot(both)$label, c("CycB (wild)", "CycB (mutant)"))
})

test_that("a part without trajectories says so", {
  net <- pbn(list(A = c("B" = 0.3, "!B" = 0.7), B = "A"), perturbation = 0.01)
  part <- function(i) steady_state(net, "A", precision = 0.05, method = "simulation", seed = 1, shard = c(i, 64))
  parts <- lapply(1:64, part)
  none <- Find(function(x) x$trajectories == 0, parts)
  expect_output(print(none), "This part has nothing to simulate")
  expect_no_match(utils::capture.output(print(do.call(c, parts))), "nothing to simulate")
})

test_that("columns and orders of the user's own are no obstacle to print(), head() and summary()", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  x <- long_run_influence(net, method = "simulation", precision = 0.02, seed = 1)
  certain <- fireflip:::certain_rows(x)
  expect_true(any(certain))
  expect_output(print(x), "and listed last")
  expect_no_match(utils::capture.output(print(x[order(x$from), ])), "listed last")
  expect_named(head(x[c("from", "to")], 2), c("from", "to"))
  expect_identical(head(x, c(3, 2)), x[1:3, 1:2])
  # one pair's names must not run into another's
  nodes <- pbn(c(a = "`a b`", `a b` = "`b c`", `b c` = "a", c = "`a b`"), perturbation = 0.1)
  pairs <- long_run_influence(nodes, from = c("a", "a b"), to = c("b c", "c"), method = "exact")
  expect_false(fireflip:::sorted_by_user(pairs))

  s <- steady_state(net, c("CycB", "Rb"), precision = 0.05, method = "simulation", seed = 1)
  s$runtime <- c(1.5, 2)
  expect_identical(sum(grepl("runtime", utils::capture.output(print(s)))), 1L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_setequal(plot(s)$label, c("CycB", "Rb"))
  s$set <- "all"
  expect_false(any(fireflip:::foreign_rows(s)))
  runs <- rbind(a = s, b = s)
  runs$run <- toupper(runs$run)
  expect_false(any(fireflip:::foreign_rows(runs)))
})

test_that("sensitivities of two runs that were bound otherwise are noticed", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  one <- long_run_sensitivity(net, "CycB", nodes = c("Rb", "p27"), method = "exact")
  other <- long_run_sensitivity(set_perturbation(net, 0.02), "CycB", nodes = c("Rb", "E2F"), method = "exact")
  expect_false(any(fireflip:::foreign_rows(one)))
  expect_error(summary(bound_otherwise(one, other)), "did not give", class = "fireflip_error_argument")
  sorted <- one[order(one$value, decreasing = TRUE), ]
  rownames(sorted) <- NULL
  expect_identical(fireflip:::printed_order(sorted), seq_len(nrow(one)))
})

test_that("an analysis prints certain pairs last, and its empty parts say so", {
  net <- set_perturbation(example_model("cellcycle"), 0.01)
  analysis <- function(...) {
    influence_analysis(net, "CycB", method = "simulation", precision = 0.02, influence_precision = 0.02, seed = 1, ...)
  }
  x <- analysis()
  lines <- utils::capture.output(print(x, n = Inf))
  expect_match(lines, "listed last", all = FALSE)
  certain <- x$influence$lower == x$influence$upper
  last <- utils::tail(lines, sum(certain))
  expect_true(all(mapply(function(from, to) any(grepl(paste0(" ", from, " +", to, " "), last)),
    x$influence$from[certain], x$influence$to[certain])))
  expect_output(print(suppressWarnings(analysis(shard = c(63, 64)))), "nothing to simulate")
  x$states <- NULL
  expect_error(c(x), class = "fireflip_error_argument")
})
