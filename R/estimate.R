# What steady states and influences share: running the core's estimator, and intervals from its moments.

# Advances an estimate to its end in pieces short enough for Ctrl-C, with a progress bar once it takes a while.
run_estimate <- function(pointer, precision, progress) {
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

estimate_options <- function(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout) {
  check_number(precision, "precision", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(epsilon, "epsilon", 0, 1, open_min = TRUE, open_max = TRUE)
  check_count(max_burn_in, "max_burn_in", 64, 2^40)
  part <- check_shard(shard)
  list(
    precision = precision, z = stats::qnorm((1 + confidence) / 2), epsilon = epsilon, seed = seed,
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
# a one-sided bound from the stretches of trajectories, each a burn-in long, that can count as independent.
moment_intervals <- function(moments, chains, run) {
  confidence <- run$confidence
  mean <- moments[, "mean"]
  se <- pmax(moments[, "se_two_state"], moments[, "se_between"])
  lower <- upper <- mean
  varied <- moments[, "visited"] == 1
  if (any(varied)) {
    m <- pmin(pmax(mean[varied], 0), 1)
    n <- pmax(m * (1 - m) / se[varied]^2, 1)
    tail <- (1 - confidence) / 2
    lower[varied] <- stats::qbeta(tail, m * n + 0.5, (1 - m) * n + 0.5)
    upper[varied] <- stats::qbeta(1 - tail, m * n + 0.5, (1 - m) * n + 0.5)
  }
  bound <- 1 - (1 - confidence)^(1 / (chains * (1 + floor(run$window / run$burn_in))))
  never <- moments[, "visited"] == 0
  always <- moments[, "visited"] == 2
  upper[never] <- bound
  lower[always] <- pmax(0, mean[always] - bound)
  known <- !is.na(run$constant) # what is constant by its expression is certain
  mean[known] <- lower[known] <- upper[known] <- run$constant[known]
  data.frame(mean = mean, lower = lower, upper = upper)
}

visited_words <- function(visited) c("never", "sometimes", "always")[visited + 1L]
