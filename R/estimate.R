# What steady states and influences share: running the core's estimator, and intervals from its moments.

# Advances an estimate to its end in pieces short enough for Ctrl-C, with a progress bar once it takes a while.
run_estimate <- function(pointer, precision, progress) {
  on.exit(.Call(ffi_estimate_release, pointer))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  repeat {
    state <- .Call(ffi_estimate_advance, pointer, 0.1)
    if (state[[1L]] == 1) break
    if (!progress || proc.time()[["elapsed"]] - started < 1) next
    if (is.null(bar)) bar <- start_bar(environment())
    done <- if (state[[2L]] == 0) 0 else 0.999 * min(state[[4L]], 1)
    cli::cli_progress_update(id = bar, set = done, force = TRUE, extra = list(now = progress_text(state)))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  result <- .Call(ffi_estimate_result, pointer)
  result$seconds <- proc.time()[["elapsed"]] - started
  result
}

start_bar <- function(envir) {
  cli::cli_progress_bar(
    "Estimating", total = 1, clear = TRUE, .envir = envir,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_extra$now}", extra = list(now = "")
  )
}

progress_text <- function(state) {
  if (state[[2L]] == 0) {
    return(sprintf("pilot: %.3g steps%s", state[[3L]], if (is.nan(state[[6L]])) "" else sprintf(", rhat %.3f", state[[6L]])))
  }
  if (is.nan(state[[5L]])) "" else sprintf("+/- %.2g", state[[5L]])
}

# Checks what an estimate is asked for, and gives it in the shape of src/rglue/ffi_estimate.c. An exact answer draws no seed.
estimate_options <- function(precision, confidence, epsilon, method, seed, max_burn_in, shard, threads, layout) {
  if (!is.null(shard) && is.null(seed)) abort_argument("`shard` needs a `seed`, the same for all parts; found none.")
  if (method == "simulation" || !is.null(seed)) seed <- resolve_seed(seed)
  check_number(precision, "precision", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(epsilon, "epsilon", 0, 1, open_min = TRUE, open_max = TRUE)
  check_count(max_burn_in, "max_burn_in", 64, 2^40)
  part <- check_shard(shard)
  z <- signif(stats::qnorm((1 + confidence) / 2), 12) # the same plan whatever the mathematical library
  list(
    precision = precision, z = z, epsilon = epsilon, seed = seed,
    max_burn_in = max_burn_in, shard = part[[1L]] - 1, shards = part[[2L]], threads = resolve_threads(threads),
    layout = resolve_layout(layout), simd = resolve_simd()
  )
}

check_shard <- function(shard) {
  if (is.null(shard)) return(c(1, 1))
  if (!is.numeric(shard) || length(shard) != 2L || anyNA(shard) || any(shard != floor(shard)) || shard[[1L]] < 1 ||
      shard[[2L]] < shard[[1L]] || shard[[2L]] > 2^20) {
    abort_value("shard", "c(part, parts), whole numbers with 1 <= part <= parts", shard)
  }
  as.double(shard)
}

# Intervals at the given confidence. A probability's interval is Jeffreys': its posterior for as many independent samples
# as would have the same variance, which stays honest near 0 and 1 where a normal interval does not. What never varied gets
# a bound from the looks that can count as independent: one for every stretch of a trajectory (see ff_estimate_stretch()).
moment_intervals <- function(moments, chains, run) {
  mean <- unname(moments[, "mean"])
  visited <- unname(moments[, "visited"])
  se <- unname(pmax(moments[, "se_two_state"], moments[, "se_between"]))
  m <- pmin(pmax(mean, 0), 1)
  lower <- upper <- mean
  varied <- visited == 1 & se > 0
  if (any(varied)) {
    n <- pmin(pmax(m * (1 - m) / se^2, 1), 1e15)[varied] # beyond 1e15, qbeta() gives in
    tail <- (1 - run$confidence) / 2
    lower[varied] <- stats::qbeta(tail, m[varied] * n + 0.5, (1 - m[varied]) * n + 0.5)
    upper[varied] <- stats::qbeta(1 - tail, m[varied] * n + 0.5, (1 - m[varied]) * n + 0.5)
  }
  bound <- 1 - (1 - run$confidence)^(1 / (chains * (1 + floor(run$window / run$stretch))))
  lower[!varied] <- pmax(0, m[!varied] - bound * (visited[!varied] > 0))
  upper[!varied] <- pmin(1, m[!varied] + bound * (visited[!varied] < 2))
  known <- !is.na(run$constant) # what is constant by its expression is certain
  mean[known] <- lower[known] <- upper[known] <- run$constant[known]
  if (chains == 0) mean[] <- lower[] <- upper[] <- NA_real_ # a part without a tile
  data.frame(mean = mean, lower = lower, upper = upper)
}

visited_words <- function(visited, chains = 1) {
  if (chains == 0) return(rep(NA_character_, length(visited)))
  c("never", "sometimes", "always")[unname(visited) + 1L]
}
