# Times of first passage, and the conditions that define them.

# NULL, or a formula as text. The core parses it.
check_condition <- function(x, name, null = TRUE) {
  if (null && is.null(x)) return(invisible())
  expected <- "a condition as text, such as \"A >= 100\""
  if (missing(x)) abort_value(name, expected)
  check_string(x, name, expected)
}

# The condition as it was given. Without quotes, R looks for objects that have the names of species, and finds none.
given_condition <- function(x, code, name) {
  compares <- is.call(code) && as.character(code[[1L]])[[1L]] %in% c(">", "<", ">=", "<=", "==", "!=", "&", "|", "&&", "||", "!")
  tryCatch(x, error = function(e) {
    if (!compares) stop(e)
    code <- paste(deparse(code), collapse = " ")
    abort_argument(sprintf("`%s` must be a condition as text: %s = \"%s\"; found it without quotes.", name, name, code))
  })
}

#' Times of first passage
#'
#' Simulates trajectories of a reaction network until they fulfil a condition, such as `"A >= 100"`, and gives the times at which
#' they do so for the first time.
#'
#' @param model A network of class `reaction_network`.
#' @param condition A formula of species, parameters and variables as text, with the grammar of [reaction_network()]. It must not
#'   depend on the time. It is fulfilled if its value is not 0. It is checked at time 0, before any event of the network; directly
#'   after each firing, before the events that it triggers; and after each event of the network, also between several of them at
#'   the same time.
#' @param nsim Number of trajectories. Default 1000.
#' @param end A positive number: the time at which a trajectory ends if it has not fulfilled the condition before. Its time of
#'   passage is then *censored*: we know only that it is after `end`.
#' @param seed,method,initial,parameters,shard,backend,threads,progress As for [`simulate()`][simulate.reaction_network]. With the
#'   same seed and the same exact method, the trajectories are those of `simulate()`. `"auto"` may choose different methods for
#'   the two, because a condition needs every firing. `initial` must be counts: a result cannot be given.
#' @param ... Must be empty. The arguments after it must be given by their full names.
#' @returns A data frame of class `first_passage` with a row for each trajectory. Its columns are `trajectory`, `time` (of
#'   passage, or `end`), and `censored`: whether the trajectory has reached `end` without passage. See [passage-methods] for its
#'   methods.
#' @section Errors: As for [`simulate()`][simulate.reaction_network]. `fireflip_error_parse` if the condition does not follow the
#'   grammar or names something unknown, `fireflip_error_unsupported` if it depends on the time.
#' @references Kaplan EL, Meier P (1958). Nonparametric estimation from incomplete observations. *Journal of the American
#'   Statistical Association* 53(282), 457-481. \doi{10.1080/01621459.1958.10501452}
#' @seealso `until` of [`simulate()`][simulate.reaction_network]; [passage-methods].
#' @concept first passage time
#' @concept hitting time
#' @rdname first_passage
#' @export
#' @examples
#' net <- reaction_network("0 -> A" = 10, "A -> 0" = 0.5)
#' passage <- first_passage(net, "A >= 15", nsim = 500, end = 4, seed = 1)
#' passage
#' summary(passage)
#' plot(passage)
first_passage.reaction_network <- function(model, condition, nsim = 1000, end, ..., seed = NULL, method = "auto", initial = NULL,
                                           parameters = NULL, shard = NULL, backend = c("auto", "cpu", "cuda"), threads = NULL,
                                           progress = interactive()) {
  check_parts(model)
  check_no_more(...)
  if (!missing(condition)) condition <- given_condition(condition, substitute(condition), "condition")
  check_passage(condition, nsim, end, initial)
  free <- c(which(!observable_names(model) %in% c("trajectory", "time")), 1L) # the counts are not needed
  passage_of(simulate(
    model, nsim, seed, times = end, method = method, observe = free[[1L]], output = "final", initial = initial,
    parameters = parameters, until = condition, shard = shard, backend = backend, threads = threads, progress = progress
  ), end)
}

check_passage <- function(condition, nsim, end, initial, wanted = "counts by species") {
  check_condition(condition, "condition", null = FALSE)
  check_count(nsim, "nsim", 1, 2^31 - 1)
  check_number(end, "end", 0, open_min = TRUE)
  if (end == Inf) abort_value("end", "one finite number above 0", end)
  if (kind_of_result(initial) == "ensemble_trajectories") abort_value("initial", wanted, initial)
}

# The result, from the final states of a run that ends when the condition is true.
passage_of <- function(final, end) {
  final <- with_species(final)
  run <- attr(final, "run")
  stopped <- run$stopped
  run[c("stopped", "n_stopped", "species", "word")] <- NULL
  run$output <- "passage"
  structure(
    list(trajectory = final$trajectory, time = ifelse(is.na(stopped), end, stopped), censored = is.na(stopped)),
    class = c("first_passage", "data.frame"), row.names = .set_row_names(nrow(final)), run = run
  )
}

#' Methods for times of first passage
#'
#' `print()` shows the first rows. `summary()` estimates the probability, the mean time and the quantiles of passage. `plot()`
#' draws the share of the trajectories with passage against the time.
#'
#' @param x,object A result of [first_passage()].
#' @param n How many rows to print. `Inf` for all. Default 10.
#' @param probabilities Probabilities of the quantiles, between 0 and 1. Default 0.025, 0.25, 0.5, 0.75 and 0.975.
#' @param confidence Confidence level of the intervals. Default 0.95.
#' @param main The title.
#' @param run Whether to add columns that describe the run: see [ensemble-methods].
#' @param row.names,optional Ignored; required by the generic.
#' @param ... For `plot()`, further arguments of [graphics::plot.default()]. Otherwise ignored, with a
#'   warning of class `fireflip_warning_argument`.
#' @returns `print()` returns `x`, and `plot()` the data that were drawn, both invisibly: the share of the trajectories with
#'   passage at each time of passage. `as.data.frame()` returns a plain data frame.
#'
#'   `summary()` returns a list of class `summary.first_passage`. `trajectories` is their number; `condition`, `end` and
#'   `confidence` are the arguments. Three elements are data frames. `passed` has the columns `n` (how many have passed),
#'   `probability` (of passage up to `end`), `lower` and `upper` (the interval of Clopper and Pearson). `mean` has the columns
#'   `mean`, `lower` and `upper`, where a censored time counts as `end`. If few trajectories pass, the interval of the mean is too
#'   short: where 2 of 200 passed on average, a 95% interval contained the true mean in 90% of 522 samples. `quantiles` has the
#'   columns `probability`, `time`, `lower` and `upper`. The elements `method`, `reason`, `seed`, `events`, `seconds`, `threads`,
#'   `backend` and `device` describe the run, as in the [summary of an ensemble][ensemble-methods].
#' @section Quantiles: The estimate of the distribution is that of Kaplan and Meier. As times are censored at `end` only, it is
#'   the share of the trajectories that have passed. The quantile of p is the first time at which this share is at least p, and
#'   `NA` if it never is. Its interval consists of order statistics. It contains the true quantile with a probability of at least
#'   `confidence`, whatever the distribution is. A limit that is after `end` is `NA`.
#' @references Clopper CJ, Pearson ES (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
#'   *Biometrika* 26(4), 404-413. \doi{10.1093/biomet/26.4.404}
#' @name passage-methods
#' @examples
#' net <- reaction_network("A -> 0" = 1, initial = c(A = 10))
#' summary(first_passage(net, "A == 0", nsim = 200, end = 5, seed = 1))
NULL

passage_columns <- c("trajectory", "time", "censored")

#' @rdname passage-methods
#' @export
print.first_passage <- function(x, n = 10, ...) {
  warn_ignored(...)
  if (!has_columns(x, passage_columns)) {
    print(plain_frame(x))
  } else {
    run <- attr(x, "run")
    print_first_rows(x, n, sprintf(
      "<first_passage> %s, %s with \"%s\" up to time %s, seed %s%s", trajectory_count(nrow(x)), format_whole(sum(!x$censored)),
      run$until, format(run$times), format(run$seed, digits = 15), parts_text(run$shard)
    ))
  }
  invisible(x)
}

#' @rdname passage-methods
#' @export
summary.first_passage <- function(object, probabilities = c(0.025, 0.25, 0.5, 0.75, 0.975), confidence = 0.95, ...) {
  warn_ignored(...)
  need_columns(object, passage_columns, "object")
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  good <- is.numeric(probabilities) && !is.object(probabilities) && !anyNA(probabilities)
  if (!good || any(probabilities < 0 | probabilities > 1)) {
    abort_value("probabilities", "numbers between 0 and 1", probabilities)
  }
  run <- attr(object, "run")
  notes <- noted(run)
  n <- nrow(object)
  passed <- sum(!object$censored)
  tail <- (1 - confidence) / 2
  structure(class = "summary.first_passage", list(
    trajectories = n, condition = run$until, end = run$times, confidence = confidence,
    passed = data.frame(
      n = passed, probability = passed / n, lower = if (passed == 0) 0 else stats::qbeta(tail, passed, n - passed + 1),
      upper = if (passed == n) 1 else stats::qbeta(1 - tail, passed + 1, n - passed)
    ),
    mean = mean_passage(object$time, confidence), quantiles = passage_quantiles(object, probabilities, tail),
    method = run$method, reason = run$reason, seed = run$seed, events = run$events, seconds = notes$seconds,
    threads = notes$threads, backend = notes$backend, device = notes$device
  ))
}

mean_passage <- function(time, confidence) {
  n <- length(time)
  mean <- mean(time)
  second <- mean((time - mean)^2)
  sd <- if (n > 1) stats::sd(time) else NA_real_
  skewness <- if (second > 0) mean((time - mean)^3) / second^1.5 else NA_real_
  interval <- mean_interval(mean, sd, skewness, n, confidence, FALSE)
  data.frame(mean = mean, lower = pmax(interval$lower, 0), upper = interval$upper)
}

# If i of n times are below the quantile of p, i is binomial of n and p.
passage_quantiles <- function(x, probabilities, tail) {
  n <- nrow(x)
  time <- sort(x$time[!x$censored])
  at <- function(rank) ifelse(rank > n, NA_real_, time[pmax(rank, 1)])
  lower <- stats::qbinom(tail, n, probabilities)
  data.frame(
    probability = probabilities, time = at(ceiling(n * probabilities - 4 * .Machine$double.eps * n)),
    lower = ifelse(lower == 0, 0, at(lower)), upper = at(stats::qbinom(1 - tail, n, probabilities) + 1)
  )
}

#' @export
print.summary.first_passage <- function(x, ...) {
  warn_ignored(...)
  writeLines(c(
    sprintf("%s until \"%s\", to time %s at most", trajectory_count(x$trajectories), x$condition, format(x$end)),
    sprintf(
      "  passed   %s, probability %.4g (%g%% interval %.4g to %.4g)", format_whole(x$passed$n), x$passed$probability,
      100 * x$confidence, x$passed$lower, x$passed$upper
    ),
    sprintf(
      "  mean     %.4g (%s)%s", x$mean$mean, passage_interval(x$mean),
      if (x$passed$n < x$trajectories) ", of the smaller of the time of passage and the end" else ""
    ),
    method_line(x),
    machine_lines(x),
    "quantiles of the time of passage:"
  ))
  print.data.frame(x$quantiles, row.names = FALSE, digits = 4)
  invisible(x)
}

passage_interval <- function(x) if (is.na(x$lower)) "no interval" else sprintf("%.4g to %.4g", x$lower, x$upper)

#' @rdname passage-methods
#' @export
as.data.frame.first_passage <- function(x, row.names = NULL, optional = FALSE, run = FALSE, ...) {
  warn_ignored(...)
  result_frame(x, run)
}

#' @export
`[.first_passage` <- function(x, ...) keep_record(NextMethod(), x)

#' @export
rbind.first_passage <- function(..., deparse.level = 1, make.row.names = TRUE, stringsAsFactors = FALSE) rbind_plain(...)

#' @rdname passage-methods
#' @export
plot.first_passage <- function(x, main = NULL, ...) {
  check_graphical(...)
  shown <- passage_steps(x)
  run <- attr(x, "run")
  canvas <- course_canvas(shown$time, c(0, 1), run$until, main, "share with passage", ...)
  on.exit(graphics::par(canvas$old))
  line <- canvas$line(1L)
  graphics::lines(shown$time, shown$share, type = "s", col = line$col, lwd = line$lwd, lty = line$lty)
  course_names(run$until, canvas, trajectory_count(nrow(x)))
  invisible(shown)
}

# The share of the trajectories with passage, from time 0 to the end.
passage_steps <- function(x) {
  need_columns(x, passage_columns, "x")
  time <- sort(x$time[!x$censored])
  data.frame(time = c(0, time, attr(x, "run")$times), share = c(0, seq_along(time), length(time)) / nrow(x))
}
