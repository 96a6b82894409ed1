# Runs of ensembles: short pieces of work, moving to GPUs, messages about long runs, and trajectories as a data frame.

# What ensembles need of the engine for a kind of model: a list, or NULL if it has no ensembles. `name` is the first word of the
# class of its results. new(model, options) makes a run, and sweep(models, seeds, options) one of several networks, where
# `options` are those of ffi_ensemble.h. `kernels` are the values of the option fireflip.kernel that it has. without_kernel()
# gives the methods that no GPU has; it is NULL if this depends on the model. grows(model, options) is as growing_species().
# never_negative(model) gives the variables that cannot be negative, and fired(model) the names of what fires.
ensemble_engine <- function(model) UseMethod("ensemble_engine")
ensemble_engine.default <- function(model) NULL

# Runs an ensemble to its end. The result has `notes` for machine_notes(). With "auto", a run whose last GPU fails begins anew on
# the processor, which gives the same result.
run_ensemble <- function(model, options, progress, backend = "auto") {
  run <- function(backend) run_ensemble_once(model, options, progress, backend)
  if (wanted_backend(backend)$value != "auto") return(run(backend))
  tryCatch(run("auto"), fireflip_error_backend = function(e) run(stay_on_cpu(e)$name))
}

run_ensemble_once <- function(model, options, progress, backend) {
  started <- proc.time()[["elapsed"]]
  core <- ensemble_engine(model)
  pointers <- list()
  on.exit(for (pointer in pointers) .Call(ffi_release, pointer))
  begin <- function() {
    pointer <- core$new(model, options)
    pointers <<- c(pointers, pointer)
    c(ensemble_job(pointer, core), again = begin, grows = function() core$grows(model, options))
  }
  job <- follow_run(begin(), started, options, progress, backend)
  result <- job$result()
  warn_of_lost(result$device)
  with_notes(result, proc.time()[["elapsed"]] - started, options$threads)
}

with_notes <- function(result, seconds, threads) {
  result$notes <- list(
    seconds = seconds, backend = if (is.null(result$device)) "cpu" else "cuda", device = result$device, threads = threads
  )
  result
}

# The functions by which follow_run() works on a run of the core, and its engine.
ensemble_job <- function(pointer, core) {
  list(
    core = core,
    why_not = function() .Call(ffi_ensemble_why_not, pointer),
    use = function(engine) {
      blocks <- as.integer(getOption("fireflip.blocks", 0L)) # for measurements: bench/ssa_sizes.R
      .Call(ffi_ensemble_use, pointer, engine$pointer, engine$devices, engine$kernel, engine$cache, blocks)
    },
    ready = function(seconds) .Call(ffi_ensemble_ready, pointer, seconds),
    advance = function(seconds) .Call(ffi_ensemble_advance, pointer, seconds),
    result = function() .Call(ffi_ensemble_result, pointer)
  )
}

# Runs the ensembles of several networks as one. The options are the same, but for the seeds. finish(i, result) is called with
# the result of each network, in any order. Networks that GPUs cannot simulate together are simulated one after the other; or,
# with "auto", as one run on the processor if none of them would move to GPUs by itself. If network i fails, fail(i, e) raises its
# error.
run_ensembles <- function(models, seeds, options, progress, backend, finish, fail) {
  started <- proc.time()[["elapsed"]]
  core <- ensemble_engine(models[[1L]])
  pointer <- naming_failed(core$sweep(models, seeds, options), first_refused(models, options), fail)
  on.exit(.Call(ffi_release, pointer))
  one <- function(i) replace(options, "seed", list(seeds[[i]]))
  seconds <- function() proc.time()[["elapsed"]] - started
  job <- sweep_job(
    pointer, core, length(models), function(i, result) finish(i, with_notes(result, seconds(), options$threads)), fail,
    grows = function(i) core$grows(models[[i]], one(i))
  )
  whole <- replace(options, "nsim", list(options$nsim * length(models))) # for messages
  follow <- function() {
    follow_run(job, started, whole, progress, backend)
    backend
  }
  if (wanted_backend(backend)$value == "auto") {
    backend <- tryCatch(follow(), fireflip_error_backend = function(e) {
      job$lost <- NULL # stay_on_cpu() warns of it
      stay_on_cpu(e)$name
    })
  } else {
    follow()
  }
  warn_of_lost(job$lost)
  left <- which(!job$taken)
  if (length(left) > 1L && wanted_backend(backend)$value == "auto" && too_few_for_gpus(options$nsim, options)) {
    run_ensembles(
      models[left], seeds[left], options, progress, "cpu", function(i, result) finish(left[[i]], result),
      function(i, e) fail(left[[i]], e)
    )
    return(invisible())
  }
  for (i in left) {
    finish(i, naming_failed(run_ensemble(models[[i]], one(i), progress, backend), i, fail))
  }
}

# The functions by which follow_run() works on a sweep of the core, and what it has found: `taken`, for each network whether its
# result was given to `take`, and `lost`, the device of the last result that has one. It is an environment, so all see the same.
sweep_job <- function(pointer, core, n, take, fail, grows) {
  job <- new.env(parent = emptyenv())
  job$core <- core
  job$taken <- logical(n)
  job$lost <- NULL
  job$why_not <- function() .Call(ffi_sweep_why_not, pointer)
  job$use <- function(engine) .Call(ffi_sweep_use, pointer, engine$pointer, engine$devices, engine$kernel, engine$cache)
  job$ready <- function(seconds) .Call(ffi_sweep_ready, pointer, seconds)
  job$advance <- function(seconds) {
    state <- naming_failed(.Call(ffi_sweep_advance, pointer, seconds), .Call(ffi_sweep_failed, pointer), fail)
    results <- .Call(ffi_sweep_take, pointer)
    for (i in which(!vapply(results, is.null, NA))) {
      if (!is.null(results[[i]]$device)) job$lost <- results[[i]]$device
      take(i, results[[i]])
      job$taken[[i]] <- TRUE
    }
    state
  }
  job$grows <- function() grows(which(!job$taken)[[1L]])
  job
}

# The value of `run`. If it fails by what it simulates, fail(i, e) raises the error. `i` is computed only then, and is NA if no
# network has failed. Other errors are those of a machine, or of options that all networks share.
naming_failed <- function(run, i, fail) {
  named <- function(e) if (is.na(i)) stop(e) else fail(i, e)
  tryCatch(run, fireflip_error_model = named, fireflip_error_size = named)
}

# The number of the first network that the core cannot prepare, or NA.
first_refused <- function(models, options) {
  for (i in seq_along(models)) {
    refused <- tryCatch(
      {
        .Call(ffi_release, ensemble_engine(models[[i]])$new(models[[i]], options))
        FALSE
      },
      fireflip_error = function(e) TRUE
    )
    if (refused) return(i)
  }
  NA_integer_
}

# Lets a run go on to its end in short pieces, so that R can process Ctrl-C. After 10, 20, 40 seconds and so on, it looks whether
# the run is slow, until it has told so. Returns the job that has ended: a run may begin anew on GPUs.
follow_run <- function(job, started, options, progress, backend) {
  engine <- list(name = wanted_backend(backend)$value)
  if (engine$name == "cuda") engine <- begin_on_devices(job, backend, options$method)
  bar <- NULL
  look <- 10
  complete <- since <- 0 # the trajectories that have ended, and when the last of them has
  repeat {
    state <- if (engine$name == "cuda") advance_on_devices(job, backend) else job$advance(piece_seconds)
    if (state$done == 1) break
    seconds <- proc.time()[["elapsed"]] - started
    engine <- settle_ensemble(engine, job, state, seconds, options)
    if (engine$name == "cuda" && !is.null(engine$anew)) {
      job <- engine$anew
      engine$anew <- NULL
    }
    if (state$complete > complete) since <- seconds
    complete <- state$complete
    if (seconds >= look) look <- if (tell_if_slow(state, options$nsim, seconds, since, job$grows)) Inf else 2 * look
    if (!progress || seconds < 1) next
    if (is.null(bar)) bar <- start_ensemble_bar(options$nsim, environment())
    now <- sprintf("%s trajectories, %s events", format_short(state$complete), format_short(state$events))
    cli::cli_progress_update(id = bar, set = state$complete, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  job
}

# ---- GPUs ----------------------------------------------------------------------------------------------------------------

# Lets GPUs simulate all trajectories. If the argument asks for a GPU, a run that no GPU can do is an error. If only the
# option of the session does, such a run uses the processor.
begin_on_devices <- function(job, backend, method) {
  refuse <- function(why_not) {
    if (check_backend(backend, "backend") != "cuda") {
      tell_no_kernel(job, method, why_not)
      return(list(name = "cpu"))
    }
    text <- sprintf("`backend` = \"cuda\": no GPU can do this run; %s. Reason: %s.", same_answer(), why_not)
    abort("unsupported", text, reason = why_not)
  }
  why_not <- job$why_not()
  if (!is.null(why_not)) return(refuse(why_not))
  engine <- resolve_engine(backend, job$core$kernels)
  tryCatch(
    {
      job$use(engine)
      while (!job$ready(0.1)) NULL # R processes Ctrl-C between the waits
      engine
    },
    fireflip_error_unsupported = function(e) refuse(conditionMessage(e))
  )
}

# Lets a run go on that GPUs have. With "auto", a lack of memory is a failure of the last GPU: the processor may have enough.
advance_on_devices <- function(job, backend) {
  advance <- function() job$advance(0.25) # a GPU is idle between calls
  if (wanted_backend(backend)$value != "auto") return(advance())
  tryCatch(advance(), fireflip_error_memory = function(e) abort("backend", conditionMessage(e)))
}

# With "auto", a run begins on the processor. If what has not begun would take long there, it moves to GPUs as soon as they are
# ready; the processor goes on until then. A run whose trajectories take long there, and not on GPUs, begins anew on these:
# `anew` is its job. This changes no bit of the result.
settle_ensemble <- function(engine, job, state, seconds, options) {
  if (engine$name == "auto" && seconds >= gpu_start_seconds) {
    if (may_begin_anew(job, state)) {
      if (is_worth_beginning_anew(state, seconds, options)) return(start_on_devices(job, options, anew = TRUE))
    } else if (is_worth_moving(state, seconds, options)) {
      return(start_on_devices(job, options))
    }
  }
  if (engine$name != "starting") return(engine)
  there <- if (is.null(engine$anew)) job else engine$anew
  leave_on_failure(there, options$method, {
    if (there$ready(0)) engine$name <- "cuda"
    engine
  })
}

# Lets GPUs get ready for a job, if there is one that can do it; or for the same run from its beginning.
start_on_devices <- function(job, options, anew = FALSE) {
  why_not <- job$why_not()
  if (!is.null(why_not)) {
    tell_no_kernel(job, options$method, why_not, is_there = has_gpu)
    return(list(name = "cpu"))
  }
  engine <- auto_engine(job$core$kernels)
  if (engine$name == "cpu") return(engine)
  leave_on_failure(job, options$method, {
    there <- if (anew) job$again() else job
    there$use(engine)
    c(list(name = "starting", anew = if (anew) there), engine[names(engine) != "name"])
  })
}

# Tells that the processor simulates an ensemble because GPUs have no kernel for its method or its model, or because none can be
# compiled, in a message of class fireflip_message_method: once in a session for each method, or for each reason if this depends
# on the model. `why_not` is the reason; is_there() tells whether a GPU could have been used.
tell_no_kernel <- function(job, method, why_not, is_there = function() TRUE) {
  by_model <- is.null(job$core$without_kernel)
  lacks <- by_model || method %in% job$core$without_kernel() || grepl("libnvrtc", why_not, fixed = TRUE)
  about <- if (by_model) why_not else method
  if (!lacks || exists(about, told_methods, inherits = FALSE) || !is_there()) return(invisible())
  assign(about, TRUE, told_methods)
  message(new_condition("method", "message", sprintf("The processor simulates this ensemble: %s.\n", why_not), NULL))
}
told_methods <- new.env(parent = emptyenv())

has_gpu <- function() tryCatch(auto_engine()$name == "cuda", fireflip_error = function(e) FALSE)

# A run that no kernel can do stays on the processor, and so does one whose GPUs do not start, with a warning.
leave_on_failure <- function(job, method, engine) {
  stay <- function(e) {
    tell_no_kernel(job, method, conditionMessage(e))
    list(name = "cpu")
  }
  tryCatch(engine, fireflip_error_unsupported = stay, fireflip_error = stay_on_cpu)
}

# Whether the trajectories that have not begun would take more than `gpu_gain_seconds` on the processor: several times as long as
# it takes to create a GPU's context and to compile code. A GPU needs many trajectories, because each of them takes longer there
# than on a core, unless all threads share it.
is_worth_moving <- function(state, seconds, options) {
  if (state$waiting == 0 || (!is_shared(state) && too_few_for_gpus(state$waiting, options))) return(FALSE)
  ended <- if (state$complete > 0) state$complete else options$nsim - state$waiting # those that have begun take at least as long
  state$waiting * seconds / ended >= gpu_gain_seconds
}
# Whether all threads of a GPU share a trajectory, and none has ended here. Then the run may begin anew: if it moved, those that
# have begun would stay here. What was done is lost.
may_begin_anew <- function(job, state) is_shared(state) && state$complete == 0 && !is.null(job$again)
# Whether the rest would take more than `gpu_gain_seconds` here, if the trajectories go on as fast as they have so far. As long as
# they have covered no time, this is not known, and so many seconds must pass.
is_worth_beginning_anew <- function(state, seconds, options) {
  if (state$underway == 0) return(seconds >= gpu_gain_seconds)
  seconds * (options$nsim / state$underway - 1) >= gpu_gain_seconds
}
is_shared <- function(state) isTRUE(state$shared == 1) # a sweep does not tell
too_few_for_gpus <- function(trajectories, options) trajectories < gpu_least_trajectories * options$threads
gpu_gain_seconds <- 5
piece_seconds <- 0.1 # between two looks at Ctrl-C
gpu_least_trajectories <- 100 # for each thread of the processor: a cautious number, which was not measured

# ---- long runs -----------------------------------------------------------------------------------------------------------

# Gives a message of class fireflip_message_long if a run will take minutes, or if no trajectory ends any more. Some trajectories
# have many events; the counts of some networks become infinite in a finite time. Both kinds of runs seem to do nothing. `since`
# is the time at which the last trajectory has ended, in seconds. grows() gives what why_slow() wants. Returns whether there was a
# message.
tell_if_slow <- function(state, nsim, seconds, since = 0, grows = function() NULL) {
  left <- if (state$complete > 0) seconds * (nsim / state$complete - 1) else Inf
  still <- state$complete > 0 && seconds - since >= max(30, seconds / 2)
  if (!still && left < 300) return(FALSE)
  rest <- trajectory_count(nsim - state$complete)
  text <- if (!still && is.finite(left)) {
    sprintf("The remaining %s take about %s more.\n", rest, duration_text(left))
  } else {
    grown <- grows()
    begin <- if (still) {
      left <- if (nsim - state$complete == 1) "is left" else "are left"
      sprintf("No trajectory has ended in the last %.0f seconds; %s %s.", seconds - since, rest, left)
    } else {
      # those of a GPU are counted when they end
      word <- if (is.character(grown) && !inherits(grown, "AsIs")) "steps" else "events"
      counted <- if (state$events > 0) sprintf(" and %s %s", format_short(state$events), word) else ""
      sprintf("No trajectory has ended after %.0f seconds%s.", seconds, counted)
    }
    paste0(begin, " ", why_slow(grown), "\n")
  }
  message(new_condition("long", "message", text, NULL))
  TRUE
}

# `grown` is a value of growing_species(), the name of a method whose steps get shorter where rates are fast, or I(the reason).
why_slow <- function(grown) {
  if (is.character(grown) && !inherits(grown, "AsIs")) {
    return(sprintf(paste(
      "With method = \"%s\", no step is longer than the fastest reactions need, so there are many steps if some of them are much",
      "faster than the last time is long. Check that times and rates are in the same units; up to an earlier last time, there",
      "are fewer steps."
    ), grown))
  }
  if (is.null(grown)) {
    return(paste(
      "This has two likely reasons: a trajectory has many events up to the last time, as when times and rates are in different",
      "units, or counts grow without bound. In the second case, the run ends with an error when a count exceeds 2^40, which may",
      "take hours. To see which it is, simulate",
      "one trajectory up to an earlier last time. If counts grow, a condition such as until = \"A > 1e6\" ends a trajectory",
      "earlier."
    ))
  }
  if (inherits(grown, "AsIs")) return(unclass(grown)) # the reason itself
  name <- argument_name(grown$species)
  sprintf(paste(
    "In one trajectory, the count of %s exceeds %s at time %s, so counts may grow without bound. If so, the run ends with an",
    "error when a count exceeds 2^40, which may take hours. A condition such as until = \"%s > %s\" ends a trajectory earlier."
  ), name, format(grown$limit), format(grown$time, digits = 4), name, format(grown$limit))
}

# Simulates one trajectory for about a second at most, until a count is above a million and far above its initial value. Returns
# the species, the limit and the time, or NULL if there was no such count.
growing_species <- function(model, options) {
  names <- model$species$species
  if (!is.null(options$starts) || length(names) > 1000L) return(NULL)
  limit <- pmax(1e6, 100 * model$species$initial)
  given <- if (!is.null(options$until)) sprintf("(%s)", options$until)
  conditions <- c(given, sprintf("%s > %s", argument_name(names), exact_text(limit)))
  probe <- list(
    nsim = 1, method = "auto", until = paste(conditions, collapse = " | "), keep = TRUE, covariance = FALSE, histogram = FALSE,
    firings = 0, times = options$times[[length(options$times)]], observed = seq_along(names), threads = 1L, tolerance = 0
  )
  options[names(probe)] <- probe
  result <- result_within(function(model, options) .Call(ffi_ssa_new, model, options), model, options, 1)
  if (is.null(result)) return(NULL)
  counts <- unlist(result$states)
  most <- which.max(counts / limit)
  if (counts[[most]] > limit[[most]]) list(species = names[[most]], limit = limit[[most]], time = result$stopped)
}

# The result of a run that new() makes, or NULL if it fails, or takes longer than about so many seconds.
result_within <- function(new, model, options, seconds) {
  tryCatch(
    {
      pointer <- new(model, options)
      on.exit(.Call(ffi_release, pointer))
      pieces <- 0
      while (.Call(ffi_ensemble_advance, pointer, piece_seconds)$done == 0) {
        pieces <- pieces + 1
        if (pieces * piece_seconds >= seconds) return(NULL)
      }
      .Call(ffi_ensemble_result, pointer)
    },
    fireflip_error = function(e) NULL
  )
}

# What a narrow terminal cuts off is at the end: the numbers, not the remaining time.
start_ensemble_bar <- function(total, envir) {
  cli::cli_progress_bar(
    "Simulating", total = total, clear = TRUE, .envir = envir,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_eta_str} {cli::pb_extra$now}", extra = list(now = "")
  )
}

# Trajectories that have stopped before the last time have their time of stopping in a result of final states.
trajectories_of <- function(result, run, options) {
  states <- stats::setNames(result$states, run$species)
  times <- length(run$times)
  number <- trajectory_numbers(options)
  time <- rep(run$times, times = options$nsim)
  if (kept_final(run) && !is.null(result$stopped)) time <- ifelse(is.na(result$stopped), time, result$stopped)
  out <- columns_of_states(rep(number, each = times), time, states, run)
  structure(
    out, class = ensemble_class("trajectories", run$model), row.names = .set_row_names(length(out$time)), run = run
  )
}

# Numbers from 1, as integers if possible.
trajectory_numbers <- function(options) {
  last <- options$first + options$nsim
  if (last > .Machine$integer.max) return(options$first + seq_len(options$nsim))
  seq.int(as.integer(options$first) + 1L, as.integer(last))
}
