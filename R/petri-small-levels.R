# The warning about levels that are small against the absolute tolerance.

# Levels that stay below this many times the absolute tolerance have few correct digits, and a rate that reads them has no more.
small_level <- 1000

# Warns once in a call, of the first place. `x` has the rows of a result of this plan.
warn_small_levels <- function(x, plan) {
  limit <- small_level * plan$options$absolute
  names <- places_that_start_small(plan, limit)
  if (length(names) == 0L) return(invisible())
  rows <- plain_frame(x)
  value <- intersect(c("max", "value", "count"), names(rows))
  levels <- lapply(names, function(name) {
    if (is.null(rows$place)) rows[[name]] else if (length(value) > 0L) rows[[value[[1L]]]][rows$place == name]
  })
  hidden <- lengths(levels) == 0L
  if (any(hidden)) levels[hidden] <- levels_of_some(plan, names[hidden])
  for (i in seq_along(names)) {
    if (length(levels[[i]]) == 0L || !all(is.finite(levels[[i]]))) next
    level <- max(levels[[i]])
    if (level <= 0 || level >= limit) next
    start <- starts_of_place(plan, names[[i]])
    fine <- 1e-6 * min(level, max(start)[max(start) > 0]) # a level may grow by errors alone
    return(warn("tolerance", sprintf(
      paste(
        "The levels of \"%s\" are at most %s, which is not much above the absolute tolerance %s, so they have few correct",
        "digits, and a rate, flow or test reads them. Give tolerance = c(relative = 1e-6, absolute = %s), or use other units."
      ), names[[i]], format(level, digits = 2), format(plan$options$absolute), format(signif(fine, 1))
    ), place = names[[i]]))
  }
}

# The continuous places that a rate, flow or test reads, and whose levels are below the limit at the start.
places_that_start_small <- function(plan, limit) {
  model <- plan$model
  if (!any(model$places$continuous)) return(character()) # nor has a reaction network any
  arrows <- .Call(ffi_petri_arrows, model)
  read <- unique(arrows$place[arrows$kind %in% c(0L, 2:4, 6L)])
  names <- model$places$place[intersect(read, which(model$places$continuous))]
  names[vapply(names, function(name) isTRUE(all(starts_of_place(plan, name) < limit)), NA)]
}

# The levels at the start, of all colours; NA for a formula.
starts_of_place <- function(plan, name) {
  if (!is.null(plan$start)) {
    range <- .Call(ffi_petri_observed, plan$options$flat, name)
    return(plan$start$counts[seq.int(range$first, length.out = range$n), ])
  }
  markings <- plan$model$markings
  suppressWarnings(c(0, as.numeric(markings$value[place_of_element(markings$element) == name])))
}

# The levels of places that the result does not have, in at most ten of its trajectories, at many times. An element is NULL if
# this would take more than a second.
levels_of_some <- function(plan, places) {
  options <- plan$options
  last <- options$times[[length(options$times)]]
  if (!is.null(plan$start) || last == 0) return(vector("list", length(places)))
  ranges <- .Call(ffi_petri_observed, options$flat, places)
  times <- last * sort(unique(c(2^-(7:20), seq_len(100) / 100)))
  changed <- list(
    nsim = max(1, min(options$nsim, 10, floor(1e6 / (sum(ranges$n) * length(times))))), keep = TRUE, covariance = FALSE,
    histogram = FALSE, firings = 0, times = times, observed = as.integer(sequence(ranges$n, ranges$first))
  )
  options[names(changed)] <- changed
  options["until"] <- list(NULL) # a condition may stop trajectories before levels rise
  result <- result_within(petri_engine$new, plan$model, options, 1)
  of <- rep(seq_along(places), ranges$n)
  lapply(seq_along(places), function(i) unlist(result$states[of == i]))
}
