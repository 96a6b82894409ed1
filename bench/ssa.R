# Speed of exact simulation of reaction networks on one core, in one table: Rscript bench/ssa.R (make bench-ssa). Figures are
# medians of `runs` calls, in millions of events per second. The reference is bench/plain_ssa.c, a plain C program with a
# dependency graph, which is compiled and run here. All simulate the same networks to the same time. Times of fireflip are those
# of whole calls of simulate(), with two times of observation.
library(fireflip)

runs <- as.integer(Sys.getenv("RUNS", "3"))
best <- c("portable", "avx2", "avx512")[.Call(fireflip:::ffi_machine)$simd + 1]

# The network as numbers; see plain_ssa.c.
write_plain <- function(net, file) {
  side <- function(text) {
    terms <- strsplit(trimws(text), " + ", fixed = TRUE)[[1L]]
    terms <- terms[terms != "0" & nzchar(terms)]
    count <- ifelse(grepl("^[0-9]+ ", terms), sub(" .*", "", terms), "1")
    index <- match(sub("^[0-9]+ ", "", terms), net$species$species)
    stats::setNames(as.integer(count), index)
  }
  lines <- vapply(seq_len(nrow(net$reactions)), function(r) {
    sides <- strsplit(net$reactions$equation[[r]], "->", fixed = TRUE)[[1L]]
    from <- side(sides[[1L]])
    to <- side(sides[[2L]])
    all <- unique(c(names(from), names(to)))
    change <- vapply(all, function(s) sum(to[names(to) == s]) - sum(from[names(from) == s]), 0)
    change <- change[change != 0]
    list_of <- function(x) paste(c(length(x), rbind(as.integer(names(x)) - 1L, x)), collapse = " ")
    paste(net$reactions$rate[[r]], list_of(from), list_of(change))
  }, "")
  writeLines(c(paste(nrow(net$species), nrow(net$reactions)), paste(net$species$initial, collapse = " "), lines), file)
}

plain <- file.path(tempdir(), "plain_ssa")
compiler <- Sys.getenv("CC", "gcc")
stopifnot(system2(compiler, c("-std=gnu11", "-O3", "-march=native", "-o", plain, "bench/plain_ssa.c", "-lm")) == 0)

plain_speed <- function(file, nsim, time) {
  found <- scan(text = system2(plain, c(file, nsim, time), stdout = TRUE), quiet = TRUE)
  found[[1L]] / found[[2L]] / 1e6
}

fireflip_speed <- function(net, nsim, time, method, simd) {
  old <- options(fireflip.simd = simd)
  on.exit(options(old))
  took <- system.time(sim <- simulate(
    net, nsim = nsim, times = c(0, time), output = "summary", method = method, threads = 1, seed = 1, observe = 1
  ))[["elapsed"]]
  attr(sim, "run")$events / took / 1e6
}

networks <- list(
  list("decay-dimerisation, 4 reactions", example_model("decay_dimerisation"), 64, 10),
  list("SIR ring of 3 regions, 12 reactions", reaction_model("sir_ring", regions = 3), 2000, 50),
  list("SIR ring of 10 regions, 40 reactions", reaction_model("sir_ring", regions = 10), 500, 50),
  list("SIR ring of 100 regions, 400 reactions", reaction_model("sir_ring", regions = 100), 50, 50),
  list("colloid of 10 species, 50 reactions", reaction_model("colloid", species = 10), 20000, 10),
  list("colloid of 40 species, 800 reactions", reaction_model("colloid", species = 40), 1000, 10),
  list("colloid of 252 species, 31,752 reactions", reaction_model("colloid", species = 252), 8, 2),
  list("random, 1,024 reactions", reaction_model("random", species = 1024, reactions = 1024, seed = 1), 4, 2e-3),
  list("cyclic chain of 10,000 species", reaction_model("cyclic_chain", species = 1e4), 20, 10)
)

rows <- list()
for (one in networks) {
  file <- tempfile()
  write_plain(one[[2L]], file)
  reference <- median(replicate(runs, plain_speed(file, one[[3L]], one[[4L]])))
  reactions <- nrow(one[[2L]]$reactions)
  methods <- if (reactions > 5000) c("logarithmic_direct", "next_reaction", "factored") else ssa_methods()$method
  for (method in methods) {
    for (simd in if (method == "direct" && reactions <= 512) unique(c("portable", best)) else best) {
      speed <- median(replicate(runs, fireflip_speed(one[[2L]], one[[3L]], one[[4L]], method, simd)))
      rows[[length(rows) + 1L]] <- data.frame(
        network = one[[1L]], method = method, vectors = if (method == "direct" && reactions <= 512) simd else "",
        million_per_second = signif(speed, 3), plain_c = signif(reference, 3), ratio = signif(speed / reference, 3)
      )
      message(paste(format(rows[[length(rows)]]), collapse = "  "))
    }
  }
}
print(do.call(rbind, rows), row.names = FALSE)
