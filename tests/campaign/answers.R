# Checks that answers have the same bits as before, on all engines: make campaign CAMPAIGN=answers, or
#   Rscript tests/campaign/answers.R                    # compares with tests/campaign/answers.csv
#   Rscript tests/campaign/answers.R new.csv            # the same, and writes the table
#   Rscript tests/campaign/answers.R new.csv old.csv    # compares with another table
#
# The table has a row for each network and call. `cpu` is a hash of the answer: all its numbers to the last bit, the classes of
# its warnings, or the class and the text of an error. All instruction sets must agree on it. The columns of the GPU's engines
# are empty if the answer is the same. Otherwise they are the hash of a refusal, for a GPU does not do everything. NA: there was
# no such engine.
#
# NETWORKS and CALLS in the environment are regular expressions that select rows;
# ENGINES=cpu,generated,generic,two selects engines; JOBS is the number of processes; VERBOSE=1 shows the errors that are
# answers.
suppressMessages(library(fireflip))
source("tests/campaign/answers-boolean.R")
source("tests/campaign/answers-reactions.R")
paths <- commandArgs(trailingOnly = TRUE)
chosen <- function(variable, texts) grepl(Sys.getenv(variable, "."), texts)
verbose <- nzchar(Sys.getenv("VERBOSE"))
jobs <- as.integer(Sys.getenv("JOBS", parallel::detectCores()))

# ---- one answer -------------------------------------------------------------------------------------------------------

text_of <- function(x) {
  if (inherits(x, "condition")) return(c(class(x)[[1L]], conditionMessage(x)))
  if (is.list(x)) return(unlist(Map(function(name, part) c(name, text_of(part)), if (is.null(names(x))) "" else names(x), x)))
  if (is.double(x)) sprintf("%a", x) else as.character(x)
}

# The hash of an answer, and whether it is an error that says that something is not supported.
judged <- function(call, answer_of) {
  warned <- character()
  value <- withCallingHandlers(
    tryCatch(answer_of(call()), fireflip_error = identity),
    warning = function(condition) {
      warned <<- c(warned, class(condition)[[1L]])
      tryInvokeRestart("muffleWarning")
    },
    message = function(condition) tryInvokeRestart("muffleMessage")
  )
  if (is.null(value)) return(NULL) # the question makes no sense for this network
  if (verbose && inherits(value, "error")) base::message(class(value)[[1L]], ": ", conditionMessage(value))
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(c(unique(warned), text_of(value)), file)
  list(hash = unname(substr(tools::md5sum(file), 1L, 8L)), refused = inherits(value, "fireflip_error_unsupported") ||
    inherits(value, "fireflip_error_argument"))
}

# ---- engines ----------------------------------------------------------------------------------------------------------

engine <- function(column, threads, ...) list(column = column, threads = threads, options = list(...))
engines <- list(
  portable = engine("cpu", 1, fireflip.simd = "portable"), avx2 = engine("cpu", 2, fireflip.simd = "avx2"),
  avx512 = engine("cpu", 3, fireflip.simd = "avx512"),
  generated = engine("generated", 2, fireflip.kernel = "generated", fireflip.devices = 0),
  generic = engine("generic", 2, fireflip.kernel = "generic", fireflip.devices = 0),
  two = engine("two", 2, fireflip.kernel = "generated", fireflip.devices = 0:1)
)
# Another process asks for GPUs, because a process that has used CUDA cannot be forked.
gpus <- system2("Rscript", c("-e", shQuote("cat(sum(with(fireflip::backends(), usable & name == 'cuda')))")), stdout = TRUE)
gpus <- as.integer(utils::tail(gpus, 1L))
there <- c("cpu", if (gpus >= 1L) c("generated", "generic"), if (gpus >= 2L) "two")
there <- intersect(there, strsplit(Sys.getenv("ENGINES", "cpu,generated,generic,two"), ",")[[1L]])
engines <- Filter(function(one) one$column %in% there, engines)

# Asks one question on all engines; returns the row of the table.
row_of <- function(network, call, ask, answer_of) {
  row <- list(network = network, call = call, cpu = NA, generated = NA, generic = NA, two = NA)
  for (name in names(engines)) {
    one <- engines[[name]]
    gpu <- one$column != "cpu"
    kernel <- one$options$fireflip.kernel
    if (identical(kernel, "generic") && identical(answer_of, boolean_answer)) one$options$fireflip.kernel <- "interpreter"
    old <- do.call(options, one$options)
    on.exit(options(old), add = TRUE)
    found <- judged(function() ask(threads = one$threads, backend = if (gpu) "cuda" else "cpu"), answer_of)
    options(old)
    if (is.null(found)) return(NULL)
    if (!gpu) {
      if (!is.na(row$cpu) && row$cpu != found$hash) stop(network, ", ", call, ": ", name, " differs from the engines before it")
      row$cpu <- found$hash
    } else {
      same <- identical(found$hash, row$cpu)
      if (!same && !found$refused && !is.na(row$cpu)) stop(network, ", ", call, ": ", name, " differs from the processor")
      row[[one$column]] <- if (same) "" else found$hash
    }
  }
  as.data.frame(row)
}

# ---- all questions ----------------------------------------------------------------------------------------------------

# Questions that no engine can be chosen for.
rows_once <- function(network, once, answer_of) {
  if (!"cpu" %in% there) return(NULL)
  hashes <- vapply(once, function(ask) judged(ask, answer_of)$hash, "")
  data.frame(network = network, call = names(once), cpu = hashes, generated = NA, generic = NA, two = NA)
}
rows_of <- function(network, calls, answer_of) {
  do.call(rbind, lapply(names(calls), function(call) row_of(network, call, calls[[call]], answer_of)))
}
each_method <- function(call, ask) {
  force(ask)
  methods <- c("auto", ssa_methods()$method)
  asked <- lapply(methods, function(method) function(...) ask(method = method, ...))
  stats::setNames(asked, paste(call, methods))
}

# A task is the questions of one network, or of one kind of output of a network by all methods.
tasks <- list()
add <- function(network, call, task) {
  if (!chosen("NETWORKS", network) || !chosen("CALLS", call)) return()
  tasks[[paste(call, network)]] <<- task
}
on_networks <- function(networks, calls_of, once_of, spread, answer_of) {
  Map(function(network, case) {
    calls <- calls_of(case)
    for (call in names(calls)) local({
      asked <- spread(call, calls[[call]])
      add(network, call, function() rows_of(network, asked, answer_of))
    })
    once <- once_of(case)
    for (call in names(once)) local({
      asked <- once[call]
      add(network, call, function() rows_once(network, asked, answer_of))
    })
  }, names(networks), networks)
}
invisible(on_networks(boolean_networks(), boolean_calls, boolean_once, function(call, ask) stats::setNames(list(ask), call),
  boolean_answer))
invisible(on_networks(reaction_networks(), reaction_calls, reaction_once, each_method, reaction_answer))
tasks <- tasks[order(names(tasks))] # of one call, so that processes seldom compile the same code at the same time
rows <- parallel::mclapply(tasks, function(task) tryCatch(task(), error = identity), mc.cores = jobs, mc.preschedule = FALSE)
broken <- Filter(function(one) !is.data.frame(one) && !is.null(one), rows)
rows <- do.call(rbind, Filter(is.data.frame, rows))
rownames(rows) <- NULL
cat(sprintf("%d questions about %d networks on %s\n", nrow(rows), length(unique(rows$network)),
  paste(names(engines), collapse = ", ")))
if (length(paths) >= 1L) utils::write.csv(rows, paths[[1L]], row.names = FALSE, quote = FALSE)
for (one in broken) message(if (inherits(one, "condition")) conditionMessage(one) else one)

# ---- comparison -------------------------------------------------------------------------------------------------------

before <- utils::read.csv(if (length(paths) >= 2L) paths[[2L]] else "tests/campaign/answers.csv", colClasses = "character")
before <- before[chosen("NETWORKS", before$network) & chosen("CALLS", sub(" .*", "", before$call)), ]
key <- function(table) paste(table$network, table$call, sep = ", ")
gone <- setdiff(key(before), key(rows))
both <- merge(before, rows, by = c("network", "call"), suffixes = c("_before", ""))
different <- character()
for (column in there) {
  was <- both[[paste0(column, "_before")]]
  differs <- !is.na(was) & !is.na(both[[column]]) & was != both[[column]]
  different <- c(different, sprintf("%s, %s", key(both)[differs], rep(column, sum(differs))))
}
cat(sprintf("%d answers compared, %d differ, %d are gone, %d are new\n", nrow(both), length(different), length(gone),
  length(setdiff(key(rows), key(before)))))
writeLines(c(different, sprintf("%s: gone", gone)))
if (length(different) > 0L || length(gone) > 0L || length(broken) > 0L || nrow(both) == 0L) stop("answers differ")
