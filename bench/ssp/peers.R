# Rscript bench/ssp/peers.R: Stochastic Simulation Processors beside this machine's cores and its GPU: steps a second and a joule.
# Prints a table in Markdown; bench/ssp/RESULTS.md has it. Takes a minute or two.
#   PARTS=ssp,cores,gpu       which rows
#   TDP=360 TDP_CORES=96      watts and cores of the processor, if its family is not in the table below, or to be exact
#
# Energy. Processors: ssp_sweep(). Cores: watts times seconds. The watts are measured (RAPL, all sockets) where this can be read.
# Otherwise they are an interval: the published watts of the largest processor of the family (TDP) for as many cores as work, and
# all of it. GPU: the mean of the power that nvidia-smi tells during the call.
library(fireflip)

parts <- strsplit(Sys.getenv("PARTS", "ssp,cores,gpu"), ",")[[1L]]
aggregation <- function(copies, sets) reaction_model("aggregation", copies = copies, sets = sets, seed = 1)
networks <- list( # network, last time of a trajectory, shapes of processors
  "viral infection" = list(reaction_model("viral_infection"), 20, list(c(128, 1))),
  "aggregation, 8 reactions" = list(aggregation(1, 1), 10, list(c(128, 1))),
  "aggregation, 512 reactions, 4 species" = list(aggregation(64, 1), 1, list(c(128, 1))),
  "Table II, 32,768 reactions, 4,096 species" = list(aggregation(4096, 1024), 0.01, list(c(1, 128)))
)

# Published TDP and cores of the largest processor, by vendor, family and model of /proc/cpuinfo.
tdps <- data.frame(
  vendor = c("AuthenticAMD", "AuthenticAMD", "AuthenticAMD", "GenuineIntel", "GenuineIntel", "GenuineIntel"),
  family = c(25, 25, 26, 6, 6, 6), model = c(1, 17, 2, 106, 143, 207),
  name = c("EPYC 7763", "EPYC 9654", "EPYC 9755", "Xeon 8380", "Xeon 8480+", "Xeon 8592+"),
  watts = c(280, 360, 500, 270, 350, 350), cores = c(64, 96, 128, 40, 56, 64)
)
this_tdp <- function() {
  if (nzchar(Sys.getenv("TDP"))) {
    return(list(name = "TDP as given", watts = as.numeric(Sys.getenv("TDP")), cores = as.numeric(Sys.getenv("TDP_CORES"))))
  }
  about <- tryCatch(readLines("/proc/cpuinfo", 60L), error = function(e) "")
  field <- function(name) sub(".*: *", "", grep(sprintf("^%s\\s*:", name), about, value = TRUE)[1L])
  at <- which(tdps$vendor == field("vendor_id") & tdps$family == field("cpu family") & tdps$model == field("model"))
  if (length(at) == 0L) NULL else as.list(tdps[at[1L], ])
}

# Joules that RAPL counts so far, or NA.
rapl <- function() {
  files <- Sys.glob("/sys/class/powercap/intel-rapl:[0-9]*/energy_uj")
  files <- files[!grepl(":[0-9]+:[0-9]+/", files)] # parts of sockets
  if (length(files) == 0L) return(NA_real_)
  read <- function() sum(vapply(files, function(f) as.numeric(readLines(f, 1L)), 0)) / 1e6
  tryCatch(read(), error = function(e) NA_real_, warning = function(w) NA_real_)
}

# Runs f() while nvidia-smi writes the power; returns its value with the mean watts.
with_power <- function(f) {
  file <- tempfile()
  query <- "nvidia-smi --query-gpu=power.draw --format=csv,noheader,nounits -i 0 -lms 50"
  pid <- as.integer(system(sprintf("%s > %s 2>/dev/null & echo $!", query, file), intern = TRUE))
  out <- tryCatch(f(), finally = tools::pskill(pid))
  watts <- suppressWarnings(as.numeric(readLines(file, warn = FALSE)))
  c(out, watts = if (any(is.finite(watts))) mean(watts, na.rm = TRUE) else NA)
}

# Calls with more and more trajectories, until one takes long enough; of cores, the fastest of some such calls.
# With one thread, seconds are those of the processor: others may use the machine.
measure <- function(net, last, backend, threads, wanted) {
  nsim <- if (backend == "cuda") 2^12 else 16 * threads
  call <- function() {
    before <- rapl()
    times <- system.time(sim <- simulate(
      net, nsim = nsim, times = last, seed = 1, method = "auto", threads = if (backend == "cpu") threads, observe = 1,
      backend = backend
    ))
    seconds <- if (backend == "cpu" && threads == 1L) sum(times[c("user.self", "sys.self")]) else times[["elapsed"]]
    list(events = attr(sim, "run")$events, seconds = seconds, joules = rapl() - before)
  }
  repeat {
    seconds <- call()$seconds
    if (seconds >= wanted / 4 || nsim >= 2^26) break
    nsim <- nsim * 2^min(5, max(1, ceiling(log2(wanted / 2 / seconds))))
  }
  nsim <- ceiling(nsim * max(1, wanted / seconds))
  if (backend == "cuda") return(with_power(call))
  calls <- lapply(1:6, function(i) call())
  calls[[which.min(vapply(calls, `[[`, 0, "seconds"))]]
}

row <- function(network, on, rate, low, high, of) {
  data.frame(network, on, million = rate / 1e6, low = low / 1e6, high = high / 1e6, of)
}

ssp_rows <- function(name, net, shapes) {
  of_shape <- function(shape, ...) {
    found <- ssp_sweep(
      net, spes = shape[[1L]], rus = shape[[2L]], ..., optimise = c("paper", "locality"), seed = 1, progress = FALSE
    )
    if (!all(found$known)) message(name, ": the pace is not known to 0.5%")
    if (diff(range(found$throughput)) < 0.01 * max(found$throughput)) found <- found[1L, ] # they hardly differ
    label <- sprintf("SSP %d x %d, %s", shape[[1L]], shape[[2L]], if (nrow(found) == 1L) "either compiler" else found$optimise)
    if (...length() > 0L) label <- paste0(label, ", small memory")
    row(name, label, found$throughput, 1e9 / found$energy_high, 1e9 / found$energy_low, "ssp_energy()")
  }
  usual <- do.call(rbind, lapply(shapes, of_shape))
  rbind(usual, do.call(rbind, lapply(shapes, of_shape, channels = 2, ranks = 1)))
}

core_rows <- function(name, net, last) {
  tdp <- this_tdp()
  do.call(rbind, lapply(unique(c(1L, fireflip_threads())), function(threads) {
    found <- measure(net, last, "cpu", threads, 1.5)
    watts <- if (!is.na(found$joules)) {
      rep(found$joules / found$seconds, 2L)
    } else if (is.null(tdp)) {
      c(NA, NA)
    } else {
      c(tdp$watts * min(1, threads / tdp$cores), tdp$watts)
    }
    of <- if (!is.na(found$joules)) "RAPL" else if (is.null(tdp)) "" else sprintf("%.0f to %.0f W", watts[[1L]], watts[[2L]])
    rate <- found$events / found$seconds
    row(name, if (threads == 1L) "a core" else sprintf("%d cores", threads), rate, rate / watts[[2L]], rate / watts[[1L]], of)
  }))
}

gpu_row <- function(name, net, last) {
  found <- measure(net, last, "cuda", 1L, 3)
  rate <- found$events / found$seconds
  row(name, "GPU", rate, rate / found$watts, rate / found$watts, sprintf("%.0f W measured", found$watts))
}

has_gpu <- any(with(backends(), name == "cuda" & usable))
rows <- list()
for (name in names(networks)) {
  n <- networks[[name]]
  if ("ssp" %in% parts) rows <- c(rows, list(ssp_rows(name, n[[1L]], n[[3L]])))
  if ("cores" %in% parts) rows <- c(rows, list(core_rows(name, n[[1L]], n[[2L]])))
  if ("gpu" %in% parts) {
    rows <- c(rows, list(if (has_gpu) gpu_row(name, n[[1L]], n[[2L]]) else row(name, "GPU", NA, NA, NA, "not measured")))
  }
}
rows <- do.call(rbind, rows)
number <- function(x) {
  ifelse(is.na(x), "", vapply(x, function(v) format(signif(v, 3), big.mark = ",", scientific = FALSE, drop0trailing = TRUE), ""))
}
tdp <- this_tdp()
if (!is.null(tdp)) cat(sprintf("Power of cores without RAPL: %s, %g W for %g cores\n\n", tdp$name, tdp$watts, tdp$cores))
cat("| network | on | million steps/s | million steps/J | power or energy |\n|---|---|---|---|---|\n")
interval <- ifelse(rows$low == rows$high, number(rows$low), paste(number(rows$low), "to", number(rows$high)))
joules <- ifelse(is.na(rows$low), "", interval)
cat(sprintf("| %s | %s | %s | %s | %s |\n", rows$network, rows$on, number(rows$million), joules, rows$of), sep = "")
