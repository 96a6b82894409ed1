# Functions shared by steady states and influences: running the core's estimator, merging parts, and computing intervals.

# Creates an estimate of the core. Its observables are the state sets (named text), then the influences of the pairs that are
# arrows. Either may be NULL. `options$precision` is one number, or two: one for the sets and one for the influences.
new_estimate <- function(model, sets, pairs, options) {
  arrows <- pairs[pairs$arrow, c("from", "to")]
  of_each <- c(length(sets), NROW(arrows))
  if (length(options$precision) == 2L) options$precision <- unname(rep(options$precision, of_each))
  .Call(
    ffi_estimate_new, model, as.character(unname(sets)), match(arrows$from, model$nodes), match(arrows$to, model$nodes),
    options
  )
}

# Estimates sets and pairs, or finds their exact long run (`exact` of the result) from the states that can follow the start. The
# result has `options` with the seed. An exact result draws none from R's generator.
estimate_or_explore <- function(model, sets, pairs, options, method, backend, progress, scale = NULL) {
  engine <- if (method == "exact") list(name = "cpu") else resolve_backend(backend)
  forget_draw <- if (is.null(options$seed)) undo_draws() else function() NULL
  options$seed <- resolve_seed(options$seed)
  options$explore <- explore_codes[[method]]
  result <- run_estimate(new_estimate(model, sets, pairs, options), progress, scale, engine = engine)
  if (!is.null(result$exact) || method == "exact") forget_draw()
  if (!is.null(result$exact)) tell_explored(result, method)
  c(result, list(options = options))
}

# The run of an exact result that comes from the states that can follow the start.
explored_run <- function(model, confidence, result, ...) {
  exact_run(model, confidence, result$notes$seconds, ..., explored = result$reached)
}

# Whether the simulation contradicts the exact long run, if that is known. Then it has not reached the long run, and the exact
# one is the answer. A correct simulation is 6 standard errors away, or misses what 20 of its trajectories should show, once in
# 5e8. `se` of a few visits is not known; it is at most that of independent trajectories. An incomplete period is a
# contradiction, too.
contradicts_known <- function(run, moments, chains) {
  if (is.null(run$known) || chains == 0 || nrow(run$shard) < run$shard[[1L, "parts"]]) return(FALSE)
  x <- run$known
  seen <- moments[, "visited"] == 1
  few <- seen & moments[, "visits"] < few_visits
  se <- ifelse(few, pmax(moments[, "se"], sqrt(pmax(x * (1 - x), 0) / chains)), moments[, "se"])
  away <- abs(moments[, "mean"] - x)
  any(is.na(run$constant) & ifelse(seen, away > 6 * se + 1e-9, away * chains > 20))
}

# The run of the exact result that takes the place of a simulation.
known_run <- function(run) {
  tell_explored(run, "simulation")
  about <- Filter(Negate(is.null), run[c("sets", "pairs", "nodes")])
  do.call(explored_run, c(list(run$model, run$confidence, list(notes = noted(run), reached = run$reached)), about))
}

# Runs an estimate to its end in short pieces, so that R can process Ctrl-C. Long runs show a progress bar. `scale` is the unit in
# which the core reports widths, if it is not that of the estimates (see ff_progress).
run_estimate <- function(pointer, progress, scale = NULL, engine = list(name = "cpu")) {
  force(pointer) # before on.exit() uses it
  on.exit(.Call(ffi_release, pointer))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  began <- c(NA_real_, NA_real_) # the pilot, which follows the exploration of states, and the run
  told <- c(FALSE, FALSE)
  long_pilot <- engine$name != "cpu" && .Call(ffi_estimate_long_pilot, pointer)
  if (long_pilot && engine$name != "auto") engine <- use_devices(engine, pointer)
  repeat {
    state <- .Call(ffi_estimate_advance, pointer, if (engine$name == "cuda") 0.25 else 0.1) # a GPU is idle between calls
    if (state$done == 1) break
    now <- proc.time()[["elapsed"]]
    phase <- 1L + state$phase
    new <- is.na(began[seq_len(phase)]) & state$steps > 0 # a short pilot is over when it is first seen
    began[which(new)] <- now - 0.1
    seconds <- now - began[[phase]]
    first_look <- long_pilot && state$steps > 0 && .Call(ffi_estimate_long_pilot, pointer)
    if (state$waits == 1 || first_look) engine <- settle_engine(engine, pointer, state, now - began[[1L]])
    long_pilot <- long_pilot && state$steps == 0
    if (!told[[phase]] && !is.na(seconds)) told[[phase]] <- told_if_long(state, seconds)
    if (!progress || now - started < 1) next
    if (is.null(bar)) bar <- start_bar(environment())
    done <- if (state$phase == 0) 0 else 0.999 * min(state$fraction, 1)
    text <- paste(c(progress_text(state, scale), time_left(began[[2L]], done)), collapse = ", ")
    cli::cli_progress_update(id = bar, set = done, force = TRUE, extra = list(now = text))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  result <- .Call(ffi_estimate_result, pointer)
  warn_of_lost(result$device)
  result$notes <- list(
    seconds = proc.time()[["elapsed"]] - started, backend = if (is.null(result$device)) "cpu" else "cuda",
    device = result$device, bytes = result$bytes
  )
  result
}

estimate_methods <- c("auto", "simulation", "exact")

# "auto" selects the exact method if it takes about a second at most, unless an argument is given that only simulation
# supports. The choice depends only on the network and the arguments. A message of class fireflip_message_method reports it.
# The result is "auto" if the network is to be simulated unless few states can follow its start.
settle_method <- function(method, model, backend, layout, shard) {
  if (method != "auto") return(method)
  asks <- !is.null(shard) || identical(backend, "cuda") || identical(backend, "gpu") || (length(layout) == 1L && layout != "auto")
  if (asks) return("simulation")
  free <- quick_chain(model)
  if (is.na(free)) return("auto")
  message(new_condition("method", "message", sprintf(
    "method = \"exact\": the long run of the %s of %s is computed, not simulated.\n",
    count_of(2^free, "state"), count_of(free, "free node")
  ), NULL))
  "exact"
}

# How the core uses the states that can follow the start (ff_explore in ff_pbn_estimate.h).
explore_codes <- c(simulation = 0, auto = 1, exact = 2)

# Whether the exact answer may come from the states that can follow the start: there are too many free nodes for the whole chain,
# and no node flips.
explores <- function(model) {
  flips <- model$perturbation > 0 && (!all(model$exempt) || model$removed[[2L]] > 0)
  !flips && length(model$nodes) - length(held_nodes(model)) > 24L
}

# The message of class fireflip_message_method for an answer that was computed from the states that can follow the start.
tell_explored <- function(result, method) {
  if (method == "exact") return(invisible())
  message(new_condition("method", "message", sprintf(
    "method = \"exact\": %sonly %s can follow the start, and their long run is computed%s.\n",
    if (method == "simulation") "the simulation does not reach the long run; " else "", count_of(result$reached, "state"),
    if (method == "auto") ", not simulated" else ""
  ), NULL))
}

# The number of free nodes if the chain can be solved in about a second, else NA. Measured: solving takes about 2e-7 s per state
# and node, plus 8e-8 s per transition, or 6e-9 s per transition if every state can follow every other.
quick_chain <- function(model) {
  free <- length(model$nodes) - length(held_nodes(model))
  if (free > 20L) return(NA_integer_)
  log_choices <- if (!is.null(model$contexts)) {
    log(length(model$contexts$probability))
  } else if (model$update == "synchronous") {
    sum(log(tabulate(model$rules$node, length(model$nodes))))
  } else {
    log(nrow(model$rules))
  }
  seconds <- 2e-7 * free * 2^free + min(8e-8 * exp(log_choices + free * log(2)), 6e-9 * 4^free)
  if (seconds <= 1) free else NA_integer_
}

# The warning of class fireflip_warning_convergence, given for an uncertain result that on_slow = "warn" returns.
warn_of_doubt <- function(run) {
  if (is.null(run$doubt)) return(invisible())
  warn("convergence", paste0("The result is uncertain, and its intervals are not reliable: ", run$doubt, "."))
}

# The warning of class fireflip_warning_unchanged for sets or pairs whose value no trajectory has changed, or for a node that
# they depend on, if this may change later (see ff_pbn_estimate_certain() and ff_pbn_estimate_stuck()). `rows`: which rows of
# the run these are.
warn_of_rare_changes <- function(run, moments, names, rows = TRUE) {
  if (all(run$certain) || nrow(run$shard) < run$shard[[1L, "parts"]] || !is.null(run$doubt)) return(invisible())
  is_set <- !is.nan(moments[, "alpha"])
  still <- ifelse(is_set, moments[, "n01"] + moments[, "n10"] == 0, moments[, "visited"] != 1)
  open <- is.na(run$constant[rows]) & !run$certain[rows]
  unsure <- names[still & open]
  if (length(unsure) == 0L && (length(run$stuck) == 0L || !any(open))) return(invisible())
  warn("unchanged", sprintf(
    paste(
      "In no trajectory did %s change. It may still change later, because too many states can follow to explore them all. If",
      "a change needs several rare choices in a row, the true long run may be different."
    ), if (length(unsure) == 0L) paste("node", quote_some(run$stuck)) else
      paste(if (all(is_set[still & open])) "the value of" else "the influence of", quote_some(unsure))
  ))
}

# The engine of a run. An exact computation uses no GPU, so none needs to be present.
method_engine <- function(method, backend) {
  if (method == "exact") list(name = wanted_backend(backend)$value) else resolve_backend(backend)
}

# Chooses the engine once the pilot has measured how long the run will take. For large networks it is called during the pilot
# too, which a GPU simulates faster although it has few tiles. "auto" uses the processor for a run that would end before a GPU
# has started. The choice changes no bit of the result.
settle_engine <- function(engine, pointer, state, seconds) {
  if (engine$name == "auto") {
    if (state$planned / max(state$steps, 1) * max(seconds, 1e-3) < gpu_start_seconds) {
      return(if (state$waits == 1) list(name = "cpu") else engine)
    }
    engine <- auto_engine()
  } else if (state$waits != 1) {
    return(engine) # its devices are in use since the start
  }
  use_devices(engine, pointer)
}

# Ten seconds into the pilot, and into the run, gives a message of class fireflip_message_long if at least half a minute is left.
# `seconds`: since the beginning of this phase. Returns whether there was a message.
told_if_long <- function(state, seconds) {
  done <- if (state$phase == 1) state$fraction else state$steps / state$planned # of the pilot's present window
  if (seconds < 10 || is.nan(done) || done <= 0) return(FALSE)
  left <- seconds * (1 / min(done, 1) - 1)
  if (left < 30) return(FALSE)
  text <- if (state$phase == 0) "The pilot takes at least %s more on this machine; the run follows.\n" else {
    paste("The run takes %s more on this machine.", if (state$forgets == 1 && state$burn_in > state$window) {
      sprintf("Most of its steps are burn-in: a trajectory forgets its start in %s steps.\n", format_whole(state$burn_in))
    } else {
      "A `precision` ten times as large takes a hundredth of the time.\n"
    })
  }
  message(new_condition("long", "message", sprintf(text, duration_text(left)), NULL))
  TRUE
}

duration_text <- function(seconds) {
  if (seconds < 120) return(count_of(round(seconds), "second"))
  if (seconds < 7200) return(count_of(round(seconds / 60), "minute"))
  if (seconds < 172800) count_of(round(seconds / 3600), "hour") else count_of(round(seconds / 86400), "day")
}

# Text for the progress bar: the remaining time, or NULL while it cannot be estimated.
time_left <- function(began, done) {
  gone <- proc.time()[["elapsed"]] - began
  if (is.na(gone) || gone < 2 || done <= 0.005) return(NULL)
  left <- gone * (1 / done - 1)
  if (left < 1) return(NULL)
  in_unit <- if (left < 120) paste(ceiling(left), "s") else if (left < 7200) paste(round(left / 60), "min") else {
    paste(round(left / 3600), "h")
  }
  paste(in_unit, "left") # short, because the bar takes most of the line
}

auto_engine <- function(kernels = pbn_kernels) c(resolve_engine("auto", kernels), auto = TRUE)

# If a backend that was requested explicitly fails, this is an error. If it was chosen by "auto", the processor is used instead.
use_devices <- function(engine, pointer) {
  if (engine$name == "cpu") return(engine)
  attempt <- function() { # R processes Ctrl-C between the waits
    .Call(ffi_estimate_use, pointer, engine$pointer, engine$devices, engine$kernel, engine$cache)
    while (!.Call(ffi_estimate_ready, pointer, 0.1)) NULL
    engine
  }
  if (isTRUE(engine$auto)) tryCatch(attempt(), fireflip_error = stay_on_cpu) else attempt()
}

# Warns about a GPU that failed during the run. The other GPUs have run its share of the tiles, with the same result.
warn_of_lost <- function(device) {
  if (is.null(device) || is.na(device$lost)) return(invisible())
  warn("backend", sprintf("The answer is complete, but a GPU failed and the others ran its share: %s", device$lost))
}

# Approximate time to create a GPU's context and load its code in a new session.
gpu_start_seconds <- 1

stay_on_cpu <- function(condition) {
  warn("backend", sprintf("The processor is used instead of a GPU: %s", conditionMessage(condition)))
  list(name = "cpu")
}

start_bar <- function(envir) {
  cli::cli_progress_bar(
    "Estimating", total = 1, clear = TRUE, .envir = envir,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_extra$now}", extra = list(now = "")
  )
}

progress_text <- function(state, scale = NULL) {
  if (state$phase == 0) {
    return(sprintf("pilot: %.3g steps%s", state$steps, if (is.nan(state$rhat)) "" else sprintf(", rhat %.3f", state$rhat)))
  }
  if (is.nan(state$width)) return("")
  if (is.null(scale)) sprintf("+/- %.2g", state$width) else sprintf("%.2f times the requested width", state$width / scale)
}

# Checks the arguments of an estimate and returns them in the form of src/rglue/ffi_estimate.c. A seed that is not given stays
# NULL, because an exact computation draws none.
estimate_options <- function(precision, confidence, epsilon, seed, max_burn_in, shard, threads, layout, on_slow, backend, reduce,
                             progress) {
  on_slow <- check_choice(on_slow, "on_slow", c("error", "warn"))
  check_flag(reduce, "reduce")
  check_flag(progress, "progress")
  if (!is.null(shard) && is.null(seed)) abort_argument("`shard` needs a `seed`, the same for all parts; found none.")
  if (!is.null(seed)) seed <- resolve_seed(seed)
  wanted_backend(backend)
  check_number(precision, "precision", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(confidence, "confidence", 0, 1, open_min = TRUE, open_max = TRUE)
  check_number(epsilon, "epsilon", 0, 1, open_min = TRUE, open_max = TRUE)
  check_count(max_burn_in, "max_burn_in", 64, 2^40)
  part <- check_shard(shard)
  z <- signif(stats::qnorm((1 + confidence) / 2), 12) # rounded, so that the plan does not depend on the C library
  list(
    precision = precision, z = z, epsilon = epsilon, seed = seed,
    max_burn_in = max_burn_in, shard = part[[1L]] - 1, shards = part[[2L]], threads = resolve_threads(threads),
    layout = resolve_layout(layout), simd = resolve_simd(), go_on = on_slow == "warn", explore = 0
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

# Everything that identifies a run. Parts of the same run differ in `shard`, `trace`, `tally` and `machine` only. With both `sets`
# and `pairs` there are two precisions, and widths in the trace are in units of the first.
estimate_run <- function(model, sets, pairs, options, confidence, result) {
  list(
    method = "simulation", model = model, sets = sets, pairs = pairs, confidence = confidence, precision = options$precision,
    z = options$z, epsilon = options$epsilon, seed = options$seed, max_burn_in = options$max_burn_in, burn_in = result$burn_in,
    window = result$window, tiles = result$planned_tiles, thinning = result$thinning, constant = result$constant,
    go_on = options$go_on, stretch = result$stretch, forgets = result$forgets, doubt = result$doubt,
    memory = result$memory, period = result$period, certain = result$certain,
    stuck = model$nodes[result$stuck], known = result$known, reached = result$reached, layout = result$layout,
    reason = result$reason,
    wanted_rhat = result$wanted_rhat, machine = do.call(machine_notes, c(result$notes, threads = options$threads)),
    shard = matrix(c(options$shard, options$shards), 1L, dimnames = list(NULL, c("part", "parts"))),
    trace = as.data.frame(result$trace), tally = result$tally
  )
}

# `frame` makes the result from a run, its moments and tiles. If no part is missing, the result is that of the undivided run.
merge_parts <- function(parts, class, frame) {
  if (!all(vapply(parts, inherits, NA, class))) {
    abort_argument(sprintf("c() merges only results of %s(); found another object among them.", class))
  }
  for (i in seq_along(parts)) {
    (if (is.data.frame(parts[[i]])) check_estimate else check_analysis)(parts[[i]], sprintf("..%d", i))
  }
  runs <- lapply(parts, attr, "run")
  if (all(vapply(runs, function(run) !is.null(run$explored), NA))) return(same_exact_parts(parts, runs))
  if (any(vapply(runs, function(run) !is.null(run$trace_unit), NA))) {
    abort_argument("c() merges whole results of influence_analysis(); found one half of such a result.")
  }
  if (any(vapply(runs, function(run) is.null(run$tally), NA)) || !all(vapply(parts, has_its_rows, NA))) {
    abort_argument(
      "c() merges unchanged results of a simulation; found an exact result, or one whose rows or columns were changed."
    )
  }
  shards <- lapply(runs, `[[`, "shard")
  if (length(runs) > 1L && any(vapply(shards, function(shard) shard[[1L, "parts"]] == 1, NA))) {
    abort_argument("c() merges parts of one run; found a whole run among them.")
  }
  same_run(runs)
  shard <- different_parts(do.call(rbind, shards))
  merged <- .Call(ffi_tally_merge, lapply(runs, `[[`, "tally"))
  run <- runs[[1L]]
  run$tally <- merged$tally
  run$shard <- shard
  run$machine <- all_notes(runs)
  if (nrow(shard) == shard[[1L, "parts"]]) return(resume_run(run, merged, frame))
  missing <- setdiff(seq_len(shard[[1L, "parts"]]), shard[, "part"] + 1)
  more <- length(missing) - 10L
  warn("parts", sprintf(
    "%d of %d parts %s missing: %s%s.", length(missing), shard[[1L, "parts"]], if (length(missing) == 1L) "is" else "are",
    paste(utils::head(missing, 10L), collapse = ", "), if (more > 0L) sprintf(" and %d more", more) else ""
  ))
  frame(run, merged$moments, merged$tiles)
}

# Each part found that only the exact method reaches the long run, so each is the whole result.
same_exact_parts <- function(parts, runs) {
  same_run(runs)
  if (!all(vapply(parts, has_its_rows, NA))) abort_argument("c() merges unchanged results; found one whose rows were changed.")
  parts[[1L]]
}

# Whether a result has the rows that its run gave, in their order. An analysis is a list of two results.
has_its_rows <- function(x) {
  if (inherits(x, "influence_analysis")) return(has_its_rows(x$states) && has_its_rows(x$influence))
  if (!is.data.frame(x)) return(FALSE)
  run <- attr(x, "run")
  if (inherits(x, "steady_state")) return(identical(x$set, names(run$sets)))
  identical(x$from, run$pairs$from) && identical(x$to, run$pairs$to)
}

# The parts in their order. Each part may occur once, and all must be parts of the same division.
different_parts <- function(shard) {
  name <- function(row) sprintf("part %d of %d", as.integer(shard[[row, "part"]] + 1), as.integer(shard[[row, "parts"]]))
  other <- which(shard[, "parts"] != shard[[1L, "parts"]])
  if (length(other) > 0L) {
    abort_argument(sprintf("c() merges parts of one division; found %s and %s.", name(1L), name(other[[1L]])))
  }
  twice <- anyDuplicated(shard[, "part"])
  if (twice > 0L) abort_argument(sprintf("c() merges different parts; %s was given twice.", name(twice)))
  shard[order(shard[, "part"]), , drop = FALSE]
}

same_run <- function(runs) {
  plain <- function(run) run[setdiff(names(run), c("shard", "trace", "tally", "machine"))]
  other <- Find(function(run) !identical(plain(run), plain(runs[[1L]])), runs)
  if (is.null(other)) return(invisible())
  asked <- c(
    model = "`model` or `reduce`", sets = "`states`", pairs = "`from` or `to`", seed = "`seed`", precision = "`precision`",
    confidence = "`confidence`", epsilon = "`epsilon`", max_burn_in = "`max_burn_in`", layout = "`layout`"
  )
  differs <- Filter(function(field) !identical(runs[[1L]][[field]], other[[field]]), names(asked))
  if (any(c("sets", "pairs") %in% differs)) differs <- setdiff(differs, "model") # the network is reduced for the sets and pairs
  found <- if (length(differs) == 0L) "parts with different pilots, perhaps from another version of fireflip" else {
    values <- vapply(differs, function(field) {
      if (field %in% c("model", "sets", "pairs")) return("")
      sprintf(" (%s and %s)", describe(runs[[1L]][[field]]), describe(other[[field]]))
    }, "")
    paste("parts that differ in", paste0(asked[differs], values, collapse = ", "))
  }
  abort_argument(sprintf("c() merges parts of one run; found %s.", found))
}

# Continues with the sum of all parts as the undivided run does at the end of its first plan. Most runs end at once.
resume_run <- function(run, merged, frame) {
  options <- list(
    precision = run$precision, z = run$z, epsilon = run$epsilon, seed = run$seed, max_burn_in = run$max_burn_in, shard = 0,
    shards = 1, threads = resolve_threads(NULL), layout = resolve_layout(run$layout), simd = resolve_simd(),
    go_on = run$go_on, explore = 0
  )
  pointer <- new_estimate(run$model, run$sets, run$pairs, options)
  on.exit(.Call(ffi_release, pointer))
  .Call(ffi_estimate_resume, pointer, run$tally, run$burn_in, run$window, run$tiles, run$doubt)
  if (.Call(ffi_estimate_advance, pointer, 0)$done != 1) inform_more(run, .Call(ffi_estimate_result, pointer))
  result <- run_estimate(pointer, interactive(), if (length(run$precision) == 2L) run$precision[[1L]])
  whole <- estimate_run(run$model, run$sets, run$pairs, options, run$confidence, result)
  # known from the pilot, and from the choice of the layout, only
  kept <- c("thinning", "memory", "certain", "stuck", "known", "reached", "reason")
  whole[kept] <- run[kept]
  whole$trace <- rbind(run$trace[run$trace$phase == 0, ], whole$trace)
  rownames(whole$trace) <- NULL
  whole$machine <- all_notes(list(run, whole))
  whole[setdiff(names(run), names(whole))] <- run[setdiff(names(run), names(whole))]
  frame(whole, result$moments, result$tiles)
}

# The message of class fireflip_message_resume. It has no number of trajectories, because the run may continue more than once.
inform_more <- function(run, plan) {
  text <- if (plan$burn_in > run$burn_in) {
    "The halves of the trajectories differ: the run starts again with a longer burn-in"
  } else {
    "The parts do not reach the precision, or have visited a set too rarely: the run continues with more trajectories"
  }
  message(new_condition("resume", "message", paste0(text, ", as the undivided run does.\n"), NULL))
}

# Intervals at the given confidence. The interval of a probability is Jeffreys' interval for the number of independent samples
# that would have the same variance. Unlike a normal interval, it has the right coverage near 0 and 1. If a set has few visits,
# the longest visits may not have been observed. The number of samples is then limited to the number of observations that can be
# independent: one per stretch of a trajectory (see ff_pbn_estimate_stretch()). The same number gives the bound for a set, or a
# part of an influence, that never varied.
moment_intervals <- function(moments, chains, run) {
  column <- function(name) unname(moments[, name])
  mean <- column("mean")
  visited <- column("visited")
  se <- sqrt(column("se")^2 + phase_error(moments, chains, run)^2)
  m <- pmin(pmax(mean, 0), 1)
  lower <- upper <- mean
  looks <- chains * (1 + floor(run$window / run$stretch))
  varied <- visited == 1 & se > 0
  if (any(varied)) {
    n <- pmax(m * (1 - m) / se^2, 1)
    n <- pmin(ifelse(column("visits") < few_visits, pmin(n, looks), n), 1e15)[varied] # qbeta() fails beyond 1e15
    tail <- (1 - run$confidence) / 2
    on <- m[varied] * n
    off <- (1 - m[varied]) * n
    lower[varied] <- ifelse(on < 1, 0, stats::qbeta(tail, on + 0.5, off + 0.5)) # below one visit, 0 is possible
    upper[varied] <- ifelse(off < 1, 1, stats::qbeta(1 - tail, on + 0.5, off + 0.5))
  }
  bound <- 1 - (1 - run$confidence)^(1 / looks) # for sets that never, or always, held
  hidden <- hidden_visits(m, chains, run)
  lower <- pmax(0, lower - bound * column("unseen_on") - hidden$off)
  upper <- pmin(1, upper + bound * column("unseen_off") + hidden$on)
  known <- !is.na(run$constant) # constant by its expression
  mean[known] <- lower[known] <- upper[known] <- run$constant[known]
  if (chains == 0) mean[] <- lower[] <- upper[] <- NA_real_ # a part without tiles
  data.frame(mean = mean, lower = lower, upper = upper)
}

few_visits <- 50 # FF_FEW_VISITS

# Bounds the time spent in a part of the state space that the run has missed and in which a set holds, or does not hold, for long.
# The bound is that on the number of visits, times the excess over the long-run mean of a trajectory that starts there.
hidden_visits <- function(m, chains, run) {
  excess <- function(share, sign) {
    steps <- run$memory[1L, ] * sign * (share - m)
    1 - (1 - run$confidence)^(ifelse(is.na(steps) | steps < 0, 0, steps) / (chains * run$window))
  }
  list(off = excess(run$memory[2L, ], -1), on = excess(run$memory[3L, ], 1))
}

# Error of a mean if a window may hold an incomplete period; 0 if the start is forgotten. If all trajectories are equal, it is the
# larger of the difference between the halves and 1 / (4 visits per trajectory). Otherwise it is the difference between the
# halves, if this is more than 4 standard errors.
phase_error <- function(moments, chains, run) {
  if (isTRUE(run$forgets) || chains == 0) return(0)
  column <- function(name) unname(moments[, name])
  gap <- abs(column("gap"))
  visits <- column("n01") / chains # per trajectory
  alike <- column("visited") == 1 & column("se") == 0
  whole <- isTRUE(run$period > 0 && run$window %% (2 * run$period) == 0) # each half holds whole periods of all nodes
  ifelse(alike, pmax(gap, ifelse(visits > 0 & !whole, 1 / (4 * visits), 0)), ifelse(abs(column("drift")) > 4, gap, 0))
}

visited_words <- function(visited, chains = 1) {
  if (chains == 0) return(rep(NA_character_, length(visited)))
  c("never", "sometimes", "always")[unname(visited) + 1L]
}
