# Runs of ensembles: short pieces of work, messages about long runs, and trajectories as a data frame.

# Runs an ensemble to its end in short pieces, so that R can process Ctrl-C.
run_ensemble <- function(model, options, progress) {
  pointer <- .Call(ffi_ssa_new, model, options)
  on.exit(.Call(ffi_release, pointer))
  started <- proc.time()[["elapsed"]]
  bar <- NULL
  told <- FALSE
  repeat {
    state <- .Call(ffi_ssa_advance, pointer, 0.1)
    if (state$done == 1) break
    seconds <- proc.time()[["elapsed"]] - started
    if (!told && seconds >= 10) {
      tell_if_slow(state, options$nsim, seconds)
      told <- TRUE
    }
    if (!progress || seconds < 1) next
    if (is.null(bar)) bar <- start_ensemble_bar(options$nsim, environment())
    now <- sprintf("%s trajectories, %s events", format_short(state$complete), format_short(state$events))
    cli::cli_progress_update(id = bar, set = state$complete, force = TRUE, extra = list(now = now))
  }
  if (!is.null(bar)) cli::cli_progress_done(id = bar)
  .Call(ffi_ssa_result, pointer)
}

# Ten seconds into a run that will take minutes, or in which no trajectory has ended, gives a message of class
# fireflip_message_long. Some trajectories have many events; the counts of some networks become infinite in a finite time. Both
# kinds of runs seem to do nothing.
tell_if_slow <- function(state, nsim, seconds) {
  left <- if (state$complete > 0) seconds * (nsim / state$complete - 1) else Inf
  if (left < 300) return(invisible())
  text <- if (is.finite(left)) {
    sprintf("The remaining %s take about %s more.\n", trajectory_count(nsim - state$complete), duration_text(left))
  } else {
    sprintf(paste(
      "No trajectory has ended after %.0f seconds and %s events. This has two likely reasons: a trajectory has many events up to",
      "the last time, or counts grow without bound. In the second case, the run ends with an error when a count exceeds 2^40,",
      "which may take hours. To see which it is, simulate one trajectory up to an earlier last time. If counts grow, a condition",
      "such as until = \"A > 1e6\" ends a trajectory earlier.\n"
    ), seconds, format_short(state$events))
  }
  message(new_condition("long", "message", text, NULL))
}

start_ensemble_bar <- function(total, envir) {
  cli::cli_progress_bar(
    "Simulating", total = total, clear = TRUE, .envir = envir,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} {cli::pb_extra$now} {cli::pb_eta_str}", extra = list(now = "")
  )
}

# Trajectories that have stopped before the last time have their time of stopping in a result of final states.
trajectories_of <- function(result, run, options) {
  states <- stats::setNames(result$states, run$species)
  times <- length(run$times)
  number <- trajectory_numbers(options)
  time <- rep(run$times, times = options$nsim)
  if (run$output == "final" && !is.null(result$stopped)) time <- ifelse(is.na(result$stopped), time, result$stopped)
  out <- c(list(trajectory = rep(number, each = times), time = time), states)
  structure(
    out, class = c("reaction_trajectories", "data.frame"), row.names = .set_row_names(options$nsim * times), run = run
  )
}

# Numbers from 1, as integers if possible.
trajectory_numbers <- function(options) {
  last <- options$first + options$nsim
  if (last > .Machine$integer.max) return(options$first + seq_len(options$nsim))
  seq.int(as.integer(options$first) + 1L, as.integer(last))
}
