# Speed on GPUs, for bench/RESULTS.md: Rscript bench/gpu.R (make gpu-bench), some minutes. Writes build/gpu-bench.csv
# (one row per figure) and build/gpu-speed.png (speed against density and size). A step is one step of one trajectory. Speeds
# refer to the seconds in which kernels run, on a fully used GPU; the column elapsed_per_second refers to elapsed time. Reference
# figures are those of Mizera, Pang and Yuan (2019) for one die of a K80: samples per second from their Tables 2, 3 and 4.
#   Rscript bench/gpu.R call cuda     times one call in a new session; the section on whole calls starts it
#   Rscript bench/gpu.R plot          draws the figure again from build/gpu-bench.csv
library(fireflip)

table4 <- c("!RIP_deubi & complex1 & FADD", "RIP_deubi & complex1 & FADD", "RIP_deubi & !complex1 & FADD",
  "RIP_deubi & complex1 & !FADD", "complex1 & FADD", "complex1 & !FADD", "!complex1 & FADD")
whole_call <- function(backend) {
  net <- example_model("apoptosis")
  influence_analysis(net, table4, precision = 5e-6, influence_precision = 1e-3, seed = 1, backend = backend)
}
# c(elapsed, device seconds, samples) of a call, then of the same call again.
timed_call <- function(backend) {
  once <- function() {
    elapsed <- system.time(answer <- whole_call(backend))[["elapsed"]]
    device <- lapply(answer[c("states", "influence")], function(half) summary(half)$device$seconds) # two runs
    c(elapsed, if (length(unlist(device)) == 0L) NaN else sum(unlist(device)), answer$states$samples[[1L]])
  }
  c(once(), once())
}
if (identical(commandArgs(TRUE)[1L], "call")) {
  cat(format(timed_call(commandArgs(TRUE)[2L]), digits = 6), "\n")
  quit(save = "no")
}

# Speed against size and density, as in figure 7 of the paper, which shows speed-ups.
draw_speed <- function(result) {
  if (capabilities("png")) grDevices::png("build/gpu-speed.png", 1500, 750, res = 110) else
    grDevices::pdf("build/gpu-speed.pdf", 13, 6.5)
  on.exit(grDevices::dev.off())
  points <- result[result$part == "c" & !is.na(result$steps_per_second), ]
  points$class <- cut(points$density, c(0, 4, 10, Inf), c("density 2.5", "density 7", "density 17"))
  whats <- c("GPU, sliced", "GPU, table", "CPU, 1 core")
  colours <- c("#1b9e77", "#d95f02", "#7570b3")
  shapes <- c(19, 17, 15, 4)
  paper <- points[points$what == "GPU, table" & !is.na(points$reference), ]
  span <- range(points$steps_per_second, paper$reference)
  panel <- function(x, by, label) {
    plot(NA, xlim = range(points[[x]]), ylim = span, log = "xy", xlab = label, ylab = "steps of trajectories per second", las = 1)
    graphics::grid(equilogs = FALSE)
    for (i in seq_along(whats)) {
      for (group in unique(points[[by]])) {
        one <- points[points$what == whats[[i]] & points[[by]] == group, ]
        one <- one[order(one[[x]]), ]
        colour <- colours[as.integer(one$class)]
        line <- if (by == "class") colour[1L] else "grey70"
        if (nrow(one) > 1L) graphics::lines(one[[x]], one$steps_per_second, col = line, lty = i)
        graphics::points(one[[x]], one$steps_per_second, pch = shapes[[i]], col = colour)
      }
    }
    graphics::points(paper[[x]], paper$reference, pch = shapes[[4L]], col = colours[as.integer(paper$class)])
  }
  graphics::par(mfrow = c(1, 2), mar = c(5, 5.5, 1, 1), mgp = c(4, 0.8, 0), oma = c(3.2, 0, 0, 0))
  panel("nodes", "class", "nodes")
  panel("density", "nodes", "density (parents per node, over all its functions)")
  graphics::par(fig = c(0, 1, 0, 1), oma = rep(0, 4), mar = rep(0, 4), new = TRUE)
  plot.new()
  graphics::legend("bottom", c(whats, "K80 (paper)", levels(points$class)), horiz = TRUE, bty = "n",
    pch = c(shapes, NA, NA, NA), lty = c(1:3, NA, 1, 1, 1), col = c(rep("black", 4), colours))
}
if (identical(commandArgs(TRUE)[1L], "plot")) { # draws build/gpu-bench.csv again, on a machine with fonts
  draw_speed(utils::read.csv("build/gpu-bench.csv"))
  quit(save = "no")
}

gpus <- subset(backends(), name == "cuda" & usable)
if (nrow(gpus) == 0L) {
  message("bench/gpu.R measures GPUs, and there is none to use here: ", subset(backends(), name == "cuda")$why_not[[1L]])
  quit(save = "no", status = 1L)
}
engine <- fireflip:::resolve_engine("cuda")
cores <- fireflip_threads()
bench_started <- proc.time()[["elapsed"]]

# ---- measuring --------------------------------------------------------------------------------------------------------

rows <- list()
note <- function(part, net, what, steps, reference = NA_real_, of = "", seconds = NA_real_, nodes = NA, density = NA,
                 info = list()) {
  own <- c("elapsed_per_second", "kernel", "tiles", "threads", "blocks", "registers", "shared", "bytes", "reason")
  info <- lapply(stats::setNames(own, own), function(name) if (is.null(info[[name]])) NA else info[[name]])
  rows[[length(rows) + 1L]] <<- data.frame(
    part = part, network = net, what = what, steps_per_second = steps, times_reference = steps / reference,
    reference = reference, of = of, seconds = seconds, nodes = nodes, density = density, info, stringsAsFactors = FALSE
  )
  message(sprintf(
    "%5.0f s  %-40s %-34s %9.3g steps/s%s", proc.time()[["elapsed"]] - bench_started, net, what, steps,
    if (is.na(info$reason)) "" else paste0("  ", info$reason)
  ))
  invisible(steps)
}

cpu_speed <- function(net, threads = 1, layout = "auto", seconds = 0.3) {
  .Call(fireflip:::ffi_engine_speed, net, fireflip:::quote_name(net$nodes[[1L]]), fireflip:::resolve_layout(layout), 3L,
    as.integer(threads), 1, seconds)
}

# Measures speed in the core. If the kernel cannot run the network, steps_per_second is NA and the reason is given.
gpu_speed <- function(net, kernel = NULL, layout = "auto", seconds = 0.4, tiles = 0) {
  tryCatch(
    .Call(fireflip:::ffi_device_speed, net, fireflip:::quote_name(net$nodes[[1L]]), fireflip:::resolve_layout(layout),
      engine$pointer, engine$devices[[1L]], kernel, engine$cache, 1, seconds, tiles),
    fireflip_error = function(e) list(steps_per_second = NA_real_, reason = conditionMessage(e))
  )
}
note_gpu <- function(part, net, what, measured, ...) note(part, net, what, measured$steps_per_second, ..., info = measured)

density <- function(net) summary(net)$density
signif3 <- function(x) format(signif(x, 3), digits = 3)

# A run of about this many samples on the network with its inputs held. Its burn-in is short, so there are many trajectories.
held <- example_model("apoptosis")
long_run <- function(samples, shard = NULL) {
  known <- steady_state(held, "complex1 & FADD", precision = 2e-5, seed = 1, backend = "cpu")
  steady_state(held, "complex1 & FADD", precision = 2e-5 * sqrt(known$samples / samples), seed = 1, backend = "cuda",
    shard = shard)
}
run_speed <- function(run) {
  about <- summary(run)
  about$trajectories * (about$burn_in + about$window) / about$device$seconds
}

# ---- a: the apoptosis network, reduced for complex2, p = 0.001 on every node ----------------------------------------------
whole <- set_perturbation(example_model("apoptosis"), 0.001, exempt = character())
whole <- set_initial(whole, NULL)
apoptosis <- reduce_network(whole, of_interest = "complex2")
k80 <- 1.03e8
name <- sprintf("apoptosis reduced, %d nodes", length(apoptosis$nodes))
core <- note("a", name, "CPU, 1 core, sliced", cpu_speed(apoptosis, seconds = 1), k80, "K80, table layout")
note("a", name, sprintf("CPU, %d cores, sliced", cores), cpu_speed(apoptosis, cores, seconds = 1), core, "1 core")
fastest <- 0
for (kernel in c("generated", "interpreter", "table")) {
  measured <- gpu_speed(apoptosis, kernel, if (kernel == "table") "packed" else "sliced", seconds = 1)
  note_gpu("a", name, paste("GPU,", kernel), measured, k80, "K80, table layout")
  note_gpu("a", name, paste("GPU,", kernel), measured, core, "CPU, 1 core")
  fastest <- max(fastest, measured$steps_per_second, na.rm = TRUE)
}
# ... and within a whole estimate: all steps of its trajectories, including burn-in, per second of kernel time
run <- long_run(0.4 * fastest)
device <- summary(run)$device
note("a", "apoptosis, inputs held", "GPU, within steady_state()", run_speed(run), k80, "K80, table layout", device$seconds,
  info = device)

# ---- b: Table 4's seven probabilities at 5e-6 and all influences, one call -------------------------------------------------
call_in_session <- function(backend, cache, kernel = "auto") {
  command <- file.path(R.home("bin"), "Rscript")
  old <- Sys.getenv("R_USER_CACHE_DIR", NA)
  Sys.setenv(R_USER_CACHE_DIR = cache, FIREFLIP_KERNEL = kernel)
  on.exit({
    if (is.na(old)) Sys.unsetenv("R_USER_CACHE_DIR") else Sys.setenv(R_USER_CACHE_DIR = old)
    Sys.unsetenv("FIREFLIP_KERNEL")
  })
  as.numeric(strsplit(trimws(tail(system2(command, c("bench/gpu.R", "call", backend), stdout = TRUE), 1L)), " +")[[1L]])
}
note_call <- function(what, seconds, samples) {
  note("b", "apoptosis, Table 4 and influences", what, samples / seconds, samples / 59.0, "K80, seven runs: 59.0 s", seconds)
}
cache <- tempfile("cache")
dir.create(cache)
empty <- call_in_session("cuda", cache)
made <- call_in_session("cuda", cache, "generated")
kept <- call_in_session("cuda", cache)
cpu <- call_in_session("cpu", cache)
note_call("GPU, new session, empty cache", empty[[1L]], empty[[3L]])
note_call("GPU, kernels of this call", empty[[2L]], empty[[3L]])
note_call("GPU, new session, code is compiled", made[[1L]], made[[3L]])
note_call("GPU, new session, code in the cache", kept[[1L]], kept[[3L]])
note_call("GPU, again in that session", kept[[4L]], kept[[6L]])
note_call("GPU, kernels of this call", kept[[5L]], kept[[6L]])
note_call(sprintf("CPU, %d cores", cores), cpu[[4L]], cpu[[6L]])

# ---- c: the paper's Tables 2 and 3, on random networks with the same parameters --------------------------------------------
draw_net <- function(nodes, redundant, functions, parents, leaf_parents = parents, seed = nodes) {
  rest <- nodes - redundant
  net <- random_pbn(rest, functions, parents, perturbation = 0.001, seed = seed)
  if (redundant == 0) return(net)
  leaves <- random_pbn(rest, functions, leaf_parents, perturbation = 0.001, seed = seed + 1)$rules
  leaves <- leaves[leaves$node <= redundant, ]
  rules <- rbind(net$rules, transform(leaves, node = node + rest))
  pbn(data.frame(node = paste0("x", rules$node), rules[c("predictor", "probability")]), perturbation = 0.001)
}
sparse <- list(functions = c(1, 2), parents = c(1, 3), leaf_parents = c(1, 2))
middle <- list(functions = c(1, 3), parents = c(1, 6))
dense <- list(functions = c(2, 4), parents = c(4, 7))
spec <- function(table, nodes, redundant, kind, plain, plus) {
  list(table = table, nodes = nodes, redundant = redundant, kind = kind, plain = plain, plus = plus)
}
# samples per second in the paper: `plain` without and `plus` with reduction (Table 2), without and with splitting (Table 3)
specs <- list(
  spec(2, 100, 36, sparse, 358e6 / 7, 366e6 / 4.6), spec(2, 100, 31, middle, 153e6 / 4, 151e6 / 2.9),
  spec(2, 400, 131, middle, 491e6 / 60, 494e6 / 38.2), spec(2, 400, 148, sparse, 316e6 / 28, 318e6 / 15.7),
  spec(2, 700, 231, middle, 543e6 / 125, 540e6 / 79.8), spec(2, 700, 269, sparse, 260e6 / 36, 259e6 / 23.1),
  spec(2, 1000, 331, middle, 996e6 / 328, 992e6 / 214), spec(2, 1000, 338, sparse, 843e6 / 183, 844e6 / 108),
  spec(3, 500, 0, dense, 3287e5 / 513, 3290e5 / 77.4), spec(3, 600, 0, dense, 3170e5 / 634, 3169e5 / 90.7),
  spec(3, 700, 0, dense, 5324e5 / 1346, 5319e5 / 180.5), spec(3, 800, 0, dense, 4430e5 / 1487, 4434e5 / 175.8),
  spec(3, 900, 0, dense, 6694e5 / 2736, 6693e5 / 301), spec(3, 1000, 0, dense, 9374e5 / 4921, 9367e5 / 479.0),
  spec(0, 100, 0, dense, NA, NA), spec(0, 250, 0, dense, NA, NA) # for the plot
)
wide <- list()
for (s in specs) {
  net <- do.call(draw_net, c(list(s$nodes, s$redundant), s$kind))
  d <- density(net)
  small <- if (s$redundant > 0) reduce_network(net, of_interest = "x1") else net
  name <- sprintf("random, %d nodes, density %.1f", s$nodes, d)
  add <- function(what, measured, reference, of) {
    note_gpu("c", name, what, measured, reference, of, nodes = s$nodes, density = d)
  }
  of <- if (s$table == 0) "" else paste("K80, Table", s$table)
  cpu <- note("c", name, "CPU, 1 core", cpu_speed(net), s$plain, of, nodes = s$nodes, density = d)
  plus <- if (s$table == 3) s$plus else s$plain # our tables are split if necessary
  table <- add("GPU, table", gpu_speed(net, "table", "packed"), plus, of)
  unsplit <- if (s$table == 3) {
    add("GPU, table, unsplit", gpu_speed(net, "table_unsplit", "packed"), s$plain, of)
  } else {
    NA_real_
  }
  sliced <- gpu_speed(net, layout = "sliced")
  add("GPU, sliced", sliced, plus, of)
  table_reduced <- sliced_reduced <- NA_real_
  if (s$redundant > 0) {
    table_reduced <- add("GPU, table, reduced", gpu_speed(small, "table", "packed"), s$plus, of)
    sliced_reduced <- add("GPU, sliced, reduced", gpu_speed(small, layout = "sliced"), s$plus, of)
  }
  best <- max(sliced$steps_per_second, sliced_reduced, na.rm = TRUE)
  wide[[length(wide) + 1L]] <- data.frame(
    table = s$table, nodes = s$nodes, removed = s$nodes - length(small$nodes), density = round(d, 2), cpu_core = cpu,
    table_unsplit = unsplit, table_layout = table, table_reduced = table_reduced,
    sliced = sliced$steps_per_second, sliced_reduced = sliced_reduced,
    kernel = if (is.null(sliced$kernel)) NA else sliced$kernel, paper = s$plain, paper_plus = s$plus,
    table_ratio = max(table, table_reduced, na.rm = TRUE) / s$plus, sliced_ratio = best / s$plus
  )
}

# ---- d: several GPUs ---------------------------------------------------------------------------------------------------
# The elapsed time after each GPU has been used once. Also the time of one of n shards on one GPU, which is the work of each of n
# GPUs.
one <- NULL
invisible(long_run(fastest / 10))
for (n in c(1, 2, 4, 8)) {
  if (n > nrow(gpus)) break
  old <- options(fireflip.devices = gpus$index[seq_len(n)])
  run <- long_run(10 * fastest)
  options(old)
  speed <- run_speed(run)
  seconds <- summary(run)$seconds
  if (is.null(one)) one <- c(speed, seconds)
  device <- summary(run)$device
  name <- sprintf("apoptosis, %.2g samples", run$samples)
  what <- sprintf("%d GPU%s", n, if (n > 1) "s" else "")
  note("d", name, paste0(what, ", kernels of the busiest GPU"), speed, one[[1L]], "1 GPU", device$seconds, info = device)
  note("d", name, paste0(what, ", elapsed time of the call"), run$samples / seconds, run$samples / one[[2L]], "1 GPU",
    seconds)
}
old <- options(fireflip.devices = gpus$index[[1L]])
for (parts in c(4, 8)) {
  run <- long_run(10 * fastest, c(1, parts))
  seconds <- summary(run)$seconds
  note("d", name, sprintf("1 GPU, 1 part of %d, elapsed time", parts), parts * run$samples / seconds,
    run$samples * parts / one[[2L]], "1 GPU", seconds)
}
options(old)

# ---- e: a network of 100,000 nodes -----------------------------------------------------------------------------------------
big <- random_pbn(1e5, c(1, 3), c(1, 6), perturbation = 1e-6, seed = 1)
d <- density(big)
name <- sprintf("random, 100000 nodes, density %.1f", d)
core <- note("e", name, "CPU, 1 core", cpu_speed(big, seconds = 1), nodes = 1e5, density = d)
for (layout in c("sliced", "packed")) {
  measured <- gpu_speed(big, layout = layout, seconds = 2)
  note_gpu("e", name, paste0("GPU, ", layout), measured, core, "CPU, 1 core", nodes = 1e5, density = d)
}

# ---- results ---------------------------------------------------------------------------------------------------------
result <- do.call(rbind, rows)
dir.create("build", showWarnings = FALSE)
utils::write.csv(result, "build/gpu-bench.csv", row.names = FALSE)
options(width = 220)
cat(sprintf(
  "\n%d x %s, fireflip %s, R %s; CPU: %s\n", nrow(gpus), gpus$device[[1L]], utils::packageVersion("fireflip"),
  getRversion(), backends()$device[[1L]]
))
show <- function(title, part, columns) {
  shown <- result[result$part == part, columns]
  numbers <- vapply(shown, is.numeric, NA)
  shown[numbers] <- lapply(shown[numbers], function(x) ifelse(is.na(x), "", signif3(x)))
  cat("\n", title, "\n", sep = "")
  print(shown, row.names = FALSE, right = FALSE)
}
launch <- c("threads", "blocks", "registers", "shared")
show("a. Apoptosis network, reduced for complex2, p = 0.001", "a",
  c("what", "steps_per_second", "times_reference", "of", launch))
show("b. Seven probabilities at 5e-6 and all influences at 1e-3, one call", "b",
  c("what", "seconds", "steps_per_second", "times_reference", "of"))
cat("\nc. Random networks as in the paper's Tables 2 and 3: steps per second; the ratios are to paper_plus\n")
wide <- do.call(rbind, wide)
speeds <- setdiff(names(wide), c("table", "nodes", "removed", "density", "kernel"))
wide[speeds] <- lapply(wide[speeds], signif3)
print(wide, row.names = FALSE)
show("d. Several GPUs", "d", c("network", "what", "seconds", "steps_per_second", "times_reference", "of"))
show("e. 100,000 nodes (bytes are of the memory of the GPU)", "e",
  c("what", "steps_per_second", "times_reference", "of", "tiles", "bytes", "reason"))

draw_speed(result)
cat(sprintf("\nbuild/gpu-bench.csv and build/gpu-speed.png were written; %.0f s in all\n",
  proc.time()[["elapsed"]] - bench_started))
