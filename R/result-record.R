# The record of a run, attr(x, "run"), and the columns of a result. This is the only place that finds out whether a user has
# changed them.

# What a part of a result must be: words for a message, and a function of the part, and of the record or the result.
part_of_result <- function(expected, good) list(expected = expected, good = good)

is_texts <- function(x, n = length(x)) is.character(x) && !is.object(x) && length(x) == n && !anyNA(x)
is_numbers <- function(x, n = length(x)) is.numeric(x) && !is.object(x) && length(x) == n && !anyNA(x)
is_flags <- function(x, n = length(x)) is.logical(x) && !is.object(x) && length(x) == n && !anyNA(x)
is_count <- function(x, least = 0) is_numbers(x, 1L) && x >= least && x <= 2^53 && x == floor(x)
is_share <- function(x) is_numbers(x, 1L) && x > 0 && x < 1
is_times <- function(x) is_numbers(x) && length(x) > 0L && all(is.finite(x)) && !is.unsorted(x)
is_kept <- function(x) is.numeric(x) && !is.object(x)

is_shard <- function(x) {
  is.matrix(x) && is_numbers(as.vector(x)) && nrow(x) > 0L && identical(colnames(x), c("part", "parts")) && all(x == floor(x)) &&
    all(x[, "part"] >= 0 & x[, "part"] < x[, "parts"] & x[, "parts"] <= 2^20)
}

is_matrix_of_nodes <- function(x) is.matrix(x) && is_kept(as.vector(x)) && is_texts(colnames(x), ncol(x))

# Statistics, and how often each value occurs, are by time and species.
cells_of <- function(run) length(run$times) * length(run$species)

# The fields of records, by their names. A field may have no value where a kind of result does not have it.
text_field <- part_of_result("one text", function(x, run) is_texts(x, 1L))
texts_field <- part_of_result("texts", function(x, run) is_texts(x) && length(x) > 0L)
number_field <- part_of_result("one number", function(x, run) is_numbers(x, 1L))
numbers_field <- part_of_result("numbers", function(x, run) is_numbers(x))
count_field <- part_of_result("one whole number of at least 0", function(x, run) is_count(x))
flag_field <- part_of_result("TRUE or FALSE", function(x, run) is_flags(x, 1L))
kept_field <- part_of_result("numbers or NA", function(x, run) is_kept(x))

record_fields <- list(
  method = part_of_result("one text", function(x, run) is_texts(x) && length(x) > 0L && (length(x) == 1L || !is.null(run$seeds))),
  model = part_of_result("a network", function(x, run) is.list(x) && (inherits(x, "pbn") || !is.null(ensemble_engine(x)))),
  machine = part_of_result("the notes on the machine", function(x, run) typeof(x) == "externalptr"),
  seed = part_of_result("one whole number", function(x, run) is_count(x) || identical(x, NA_real_)),
  confidence = part_of_result("one number between 0 and 1", function(x, run) is_share(x)),
  shard = part_of_result("a matrix of parts", function(x, run) is_shard(x)),
  tally = part_of_result("the sums of its run", function(x, run) is.list(x) || is.raw(x)),
  runs = part_of_result("a list of records", function(x, run) is.list(x) && is_texts(names(x)) && all(vapply(x, is.list, NA))),
  reason = text_field, precision = numbers_field,
  # reaction networks
  nsim = part_of_result("one whole number of at least 1", function(x, run) is_count(x, 1)),
  times = part_of_result("numbers in ascending order", function(x, run) {
    is_times(x) && (length(x) == 1L || !is.null(run$seeds) || !isTRUE(run$output %in% c(output_names("last"), "passage")))
  }),
  species = part_of_result("names of species", function(x, run) is_texts(x)),
  item = part_of_result("\"place\"", function(x, run) is_texts(x, 1L) && x %in% names(items)),
  colours = part_of_result("a data frame with a row for each place", function(x, run) {
    is.data.frame(x) && nrow(x) == length(run$species) && is_texts(x$place)
  }),
  stopped = part_of_result("numbers", function(x, run) is_kept(x)),
  n_stopped = part_of_result("whole numbers", function(x, run) is_numbers(x, max(1L, length(run$seeds))) && all(x >= 0)),
  varies = part_of_result("TRUE or FALSE for each species", function(x, run) is_flags(x, length(run$species))),
  design = part_of_result("a data frame of numbers", function(x, run) {
    is.data.frame(x) && is_texts(names(x)) && length(x) > 0L && all(vapply(x, is_numbers, NA))
  }),
  tallies = part_of_result("a list of sums", function(x, run) is.list(x) && all(vapply(x, is.list, NA))),
  n = part_of_result("one number for each ensemble", function(x, run) is_numbers(x) && length(x) %in% c(1, run$ensembles)),
  seeds = numbers_field, events = number_field, output = text_field, until = text_field, quantiles = numbers_field,
  common = flag_field, generation = count_field, start = number_field, kind = text_field, tolerance = number_field,
  ensembles = count_field, settings = count_field,
  # Boolean networks
  sets = part_of_result("texts with names", function(x, run) is_texts(x) && is_texts(names(x))),
  pairs = part_of_result("a data frame of pairs", function(x, run) is.data.frame(x) && is_texts(x$from) && is_texts(x$to)),
  keys = part_of_result("texts", function(x, run) is_texts(x)),
  values = part_of_result("a matrix with a column for each node", function(x, run) {
    is_matrix_of_nodes(x) && identical(dim(x), dim(run$state))
  }),
  state = part_of_result("a matrix with a column for each node", function(x, run) is_matrix_of_nodes(x)),
  thinning = part_of_result("a number for each set", function(x, run) {
    is_kept(x) && length(x) >= length(run$sets) && !any(x >= 2^31, na.rm = TRUE)
  }),
  certain = part_of_result("TRUE or FALSE", function(x, run) is_flags(x)),
  trace = part_of_result("a data frame of looks", function(x, run) {
    is.data.frame(x) && all(vapply(c("phase", "samples", "rhat", "width", "burn_in"), function(name) is_kept(x[[name]]), NA))
  }),
  memory = part_of_result("a matrix of numbers", function(x, run) is.matrix(x) && is_kept(as.vector(x))),
  nodes = texts_field, change = texts_field, from = texts_field, doubt = text_field, layout = text_field, forgets = flag_field,
  go_on = flag_field, burn_in = number_field, window = number_field, stretch = number_field, period = number_field,
  z = number_field, epsilon = number_field, explored = number_field, unseen = number_field, max_burn_in = count_field,
  tiles = count_field, constant = kept_field, known = kept_field
)

# The fields of `tally` for a reaction network, but for the bytes of its sums, which the core checks.
sums_fields <- list(
  n = part_of_result("one whole number of at least 1", function(x, run) is_count(x, 1)),
  n_times = part_of_result("the number of times", function(x, run) is_numbers(x, 1L) && x == length(run$times)),
  real = part_of_result("TRUE or FALSE for each species", function(x, run) is_flags(x, length(run$species))),
  known = part_of_result("TRUE or FALSE for each time and species", function(x, run) is_flags(x, cells_of(run))),
  cell = part_of_result("numbers of times and species in ascending order", function(x, run) {
    is_numbers(x) && !is.unsorted(x) && (length(x) == 0L || (x[[1L]] >= 1 && x[[length(x)]] <= cells_of(run)))
  }),
  value = part_of_result("a number for each `tally$cell`", function(x, run) is_kept(x) && length(x) == length(run$tally$cell)),
  count = part_of_result("a number for each `tally$cell`", function(x, run) is_numbers(x, length(run$tally$cell)) && all(x >= 0))
)

# The fields that each kind of results must have. A kind is a class, and of an ensemble the one that all engines share; its
# output may need more.
run_fields <- c("method", "model", "nsim", "seed", "times", "species", "confidence", "events", "machine", "output")
needed_fields <- c(lapply(stats::setNames(nm = kind_classes), function(class) run_fields), list(
  first_passage = c(setdiff(run_fields, "species"), "until"),
  parameter_sweep = c("method", "model", "design", "nsim", "seed", "seeds", "common", "times", "output", "events", "machine"),
  ensemble_noise = c("times", "species", "confidence"), noise_decomposition = c("times", "kind"),
  burn_in = c("times", "n", "tolerance", "confidence", "ensembles"),
  steady_state = c("method", "model", "sets", "confidence", "machine"),
  long_run_influence = c("method", "model", "pairs", "confidence", "machine"),
  influence_analysis = c("method", "model", "sets", "pairs", "confidence", "machine"),
  long_run_sensitivity = c("keys", "method", "model", "sets", "machine"), outcomes = c("method", "model", "machine")
))

# The first part that cannot be right, as a clause, or NULL. `prefix` is what comes before the names of the fields.
changed_field <- function(parts, fields, needed, run, prefix = "") {
  for (name in unique(c(needed, intersect(names(fields), names(parts))))) {
    value <- parts[[name]]
    if (if (is.null(value)) !name %in% needed else fields[[name]]$good(value, run)) next
    return(sprintf("`%s%s` must be %s; found %s", prefix, name, fields[[name]]$expected, describe(value)))
  }
}

# The same for the record of a result of this class.
changed_record <- function(run, class) {
  if (!is.list(run)) return(sprintf("it must be a list; found %s", describe(run)))
  changed <- changed_field(run, record_fields, if (is.null(run$runs)) needed_fields[[class]] else "runs", run)
  estimate <- class %in% c("steady_state", "long_run_influence", "influence_analysis") && is.null(run$runs)
  if (is.null(changed) && estimate && run$method != "exact") {
    needed <- c("seed", "burn_in", "window", "stretch", "memory", "shard", "thinning", "trace", "constant", "precision")
    changed <- changed_field(run, record_fields, needed, run)
  }
  kind <- if (is.null(changed) && is.null(run$runs) && class %in% kind_classes) kind_of_class(class, run$output)
  if (!is.null(kind)) changed <- changed_field(run, record_fields, kind$needs, run)
  if (!is.null(changed)) return(changed)
  for (one in run$runs) if (!is.null(changed <- changed_record(one, class))) return(changed)
  for (tally in run$tallies) {
    changed <- changed_field(tally, sums_fields, c("n", "n_times", "real"), run, "tallies$")
    if (!is.null(changed)) return(changed)
  }
  if (!startsWith(class, "ensemble") || is.null(run$tally)) return(NULL)
  if (!is.list(run$tally)) return(sprintf("`tally` must be the sums of its run; found %s", describe(run$tally)))
  counted <- c("cell", "value", "count")
  counts <- isTRUE(kind$counts) || any(counted %in% names(Filter(Negate(is.null), run$tally)))
  changed_field(run$tally, sums_fields, c("n", "n_times", "real", "known", if (counts) counted), run, "tally$")
}

# The kind of a result; "" if `x` is none.
kind_of_result <- function(x) c(intersect(class(with_kind(x)), names(needed_fields)), "")[[1L]]

# The record of the run that gave `x`, or NULL if `x` is no result of a run.
run_of <- function(x, name = "x") {
  kind <- kind_of_result(x)
  run <- attr(x, "run")
  if (kind == "") return(run)
  if (is.null(run)) abort_argument(sprintf("`%s` lacks the record of its run; use the original result.", name))
  changed <- changed_record(run, kind)
  if (!is.null(changed)) {
    abort_argument(sprintf("The record of the run of `%s` was changed: %s. Use the original result.", name, changed))
  }
  if (is_of_one_run(x)) return(run)
  abort_argument(paste(
    "The result has more rows than its run gave, as after dplyr::bind_rows() of several results; use one result, or",
    "as.data.frame() to work with the rows alone."
  ))
}

# The columns of results of ensembles, by their names; others have numbers. Times and numbers of trajectories are never NA.
names_column <- part_of_result("names", function(x, run) (is.character(x) || is.factor(x)) && !anyNA(x))
known_column <- part_of_result("numbers without NA", function(x, run) is_numbers(x))
special_columns <- list(
  species = names_column, statistic = names_column, time = known_column, trajectory = known_column,
  reaction = part_of_result("names in a factor", function(x, run) is.factor(x)),
  place = names_column, transition = part_of_result("names in a factor", function(x, run) is.factor(x)),
  censored = part_of_result("TRUE and FALSE", function(x, run) is_flags(x)),
  stationary = part_of_result("TRUE, FALSE and NA", function(x, run) is.logical(x)),
  n = part_of_result("numbers of at least 0", function(x, run) is_numbers(x) && all(x >= 0)),
  setting = part_of_result("numbers of settings", function(x, run) is_numbers(x) && all(x %in% seq_len(nrow(run$design))))
)
numbers_column <- part_of_result("numbers", function(x, run) is_kept(x))

# The rule for a column. In states, all others than these are species and variables, whatever their names are.
rule_of_column <- function(column, run) {
  kind <- if (is_texts(run$output, 1L)) output_kinds[[run$output]]
  states <- !is.null(kind) && !kind$sums && !kind$firings
  rule <- if (!states || column %in% c("trajectory", "time", if (!is.null(run$design)) "setting")) special_columns[[column]]
  if (is.null(rule)) numbers_column else rule
}

# The first of these columns that is there and cannot be right, as a sentence, or NULL.
changed_column <- function(x, columns, name = "x") {
  for (column in intersect(columns, names(x))) {
    rule <- rule_of_column(column, attr(x, "run"))
    if (!rule$good(x[[column]], attr(x, "run"))) return(changed_text(x, column, name, rule$expected))
  }
}

changed_text <- function(x, column, name, expected) {
  sprintf(
    "The column \"%s\" of `%s` was changed: %s were expected; found %s. Use the original result.", column, name, expected,
    content_of(x[[column]])
  )
}

# What a column has, for a message.
content_of <- function(x) {
  if (is.factor(x)) return("a factor")
  if (is.object(x) || !is.atomic(x)) return(describe(x))
  kind <- switch(typeof(x), character = "text", logical = "TRUE and FALSE", integer = , double = "numbers", describe(x))
  if (length(x) > 0L && all(is.na(x))) return("NA")
  if (anyNA(x)) paste(kind, "with NA") else if (kind == "numbers") "other numbers" else kind
}

refuse_changed <- function(x, columns, name) {
  changed <- changed_column(x, columns, name)
  if (!is.null(changed)) abort_argument(changed)
}

# Whether the record or one of these columns of a result cannot be right, or is missing.
is_changed <- function(x, columns = character()) {
  !is.null(changed_record(attr(x, "run"), kind_of_result(x))) || !all(columns %in% names(x)) ||
    !is.null(changed_column(x, columns))
}

# The parts of a solution of the master equation.
solution_fields <- list(
  times = part_of_result("a data frame of time, states and missing", function(x, all) {
    is.data.frame(x) && is_times(x$time) && is_numbers(x$states) && is_numbers(x$missing) && all(x$states >= 1)
  }),
  counts = part_of_result("a matrix with a row for each state and a column for each species", function(x, all) {
    is.matrix(x) && is_numbers(as.vector(x)) && nrow(x) == sum(all$times$states) && is_texts(colnames(x), ncol(x))
  }),
  probability = part_of_result("a number of at least 0 for each state", function(x, all) {
    is_numbers(x, nrow(all$counts)) && all(x >= 0) && any(x > 0)
  }),
  tolerance = number_field
)

check_solution <- function(x, name = "x") {
  changed <- changed_field(unclass(x), solution_fields, names(solution_fields), unclass(x))
  if (!is.null(changed)) abort_argument(sprintf("The solution `%s` was changed: %s. Use the original one.", name, changed))
}

# The columns of estimates for Boolean networks, if they are there.
estimate_numbers <- c(
  "probability", "lower", "upper", "influence", "difference", "changed", "samples", "trajectories", "rhat", "p_value",
  "p_adjusted", "states"
)
estimate_words <- c("set", "from", "to", "node", "predictor", "visited", "method", "change", "outcome")

# Raises an error if the record or a column of an estimate for a Boolean network cannot be right. Both may be missing.
check_estimate <- function(x, name = "x") {
  if (!is.data.frame(x)) abort_value(name, "an unchanged result", x)
  if (!is.null(attr(x, "run"))) run_of(x, name)
  good <- function(column, kind) {
    if (kind %in% estimate_numbers) return(is_kept(column) || (is.logical(column) && all(is.na(column))))
    values <- attr(x, "run")$values
    if (kind == "outcome") return(is_numbers(column) && (is.null(values) || all(column %in% seq_len(nrow(values)))))
    is.atomic(column) && (!kind %in% c("method", "change") || is_texts(column))
  }
  for (kind in intersect(c(estimate_numbers, estimate_words), names(x))) {
    if (good(x[[kind]], kind)) next
    abort_argument(sprintf(
      "The column \"%s\" of `%s` was changed; found %s. Use the original result.", kind, name, describe(x[[kind]])
    ))
  }
}

check_analysis <- function(x, name = "x") {
  halves <- inherits(x$states, "steady_state") && inherits(x$influence, "long_run_influence")
  if (!halves) abort_argument(sprintf("`%s` was changed: it must have the results `states` and `influence`.", name))
  if (!is.null(attr(x, "run"))) run_of(x, name)
  for (half in list(x$states, x$influence)) check_estimate(half, name)
  need_estimate(x$states, c("set", "probability"), name)
  need_estimate(x$influence, c("from", "to", "influence"), name)
}

need_estimate <- function(x, columns, name = "x") {
  missing <- setdiff(c(columns, "lower", "upper"), names(x))
  if (length(missing) == 0L) return(invisible())
  abort_argument(sprintf("`%s` lacks %s; use the original result.", name, quote_some(missing)))
}
