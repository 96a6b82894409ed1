# Backends without a GPU, made from tests/c/fake_backend.c.

# The hash of the headers that the core and its backends share, computed as in src/Makevars.in.
shared_build <- function() {
  lists <- readLines(test_path("..", "..", "src", "Makevars.in"))
  first <- grep("^SHARED_HEADERS", lists) + 1L
  last <- first - 1L + which(!nzchar(lists[first:length(lists)]))[[1L]] - 1L
  headers <- test_path("..", "..", "src", sub(" .*", "", lists[first:last]))
  command <- paste("cat", paste(shQuote(headers), collapse = " "), "| cksum")
  sum <- strsplit(system2("sh", c("-c", shQuote(command)), stdout = TRUE), " ")
  paste(sum[[1L]][1:2], collapse = "-")
}

# fake("right"): path of a fake backend. Its name tells whether it is right, or what is wrong with it. fake("ssa") can simulate
# reaction networks, and fake("petri") nets, with the core's own engine.
fake <- local({
  made <- list()
  function(way) {
    source <- test_path("..", "c", "fake_backend.c")
    skip_if(!file.exists(source), "tests/c is not there")
    compiler <- Sys.which("gcc")
    skip_if(!nzchar(compiler), "gcc is not there")
    if (is.null(made[[way]])) {
      path <- file.path(tempdir(), sprintf("fake_%s.so", way))
      writeLines(sprintf("#define FF_BUILD \"%s\"", shared_build()), file.path(tempdir(), "ff_build.inc"))
      core <- if (way %in% c("ssa", "petri")) {
        engine <- "ssa"
        if (way == "petri") engine <- c("petri", "cuda/formula", file.path("cuda/petri", c("code", "data", "windows")))
        folders <- test_path("..", "..", "src", c("base", "random", "linear", "ode", "model", "ensemble", engine))
        c(
          list.files(folders, "[.]c$", recursive = TRUE, full.names = TRUE),
          if (way == "petri") test_path("..", "..", "src", "cuda", "runtime", "ff_writer.c")
        )
      }
      system2(compiler, c("-std=c11", "-pthread", "-fPIC", "-shared", "-I", shQuote(tempdir()), paste0("-DFAKE_", way),
                          shQuote(c(source, core)), "-o", shQuote(path), "-lm"))
      made[[way]] <<- path
    }
    made[[way]]
  }
})

# Until the caller returns, options and environment variables of the session are unset, except for the given options.
plain_session <- function(..., frame = parent.frame()) {
  none <- list(fireflip.backend = NULL, fireflip.devices = NULL, fireflip.cuda_library = NULL)
  old <- options(utils::modifyList(none, list(...), keep.null = TRUE))
  variables <- c(
    "FIREFLIP_BACKEND", "FIREFLIP_DEVICES", "FIREFLIP_CUDA_LIBRARY", "FAKE_DEVICES", "FAKE_SSA", "FAKE_PETRI",
    "FAKE_COMPILER", "R_USER_CACHE_DIR"
  )
  values <- Sys.getenv(variables, unset = NA, names = TRUE)
  Sys.unsetenv(variables)
  Sys.setenv(R_USER_CACHE_DIR = file.path(tempdir(), "cache"))
  opened <- fireflip:::opened # forgets the backend that was opened before
  rm(list = ls(opened), envir = opened)
  restore <- function() {
    options(old)
    Sys.unsetenv(variables)
    for (name in variables[!is.na(values)]) do.call(Sys.setenv, as.list(values[name]))
  }
  do.call(on.exit, list(bquote(.(restore)()), add = TRUE, after = FALSE), envir = frame)
}

# Until the caller returns, objects of the package have other values: a list, named by them.
replace_in_package <- function(values, frame = parent.frame()) {
  space <- asNamespace("fireflip")
  set <- function(values) {
    for (name in names(values)) {
      unlockBinding(name, space)
      assign(name, values[[name]], space)
      lockBinding(name, space)
    }
  }
  old <- mget(names(values), space)
  set(values)
  do.call(on.exit, list(bquote(.(set)(.(old))), add = TRUE, after = FALSE), envir = frame)
}

# The backend that made a result.
backend_of <- function(result) unique(as.data.frame(result, run = TRUE)$backend)

# run(backend) must give the same ensemble on the processor and on GPUs.
expect_same_run <- function(run) {
  here <- run("cpu")
  there <- run("cuda")
  expect_identical(there, here)
  expect_identical(c(backend_of(there), backend_of(here)), c("cuda", "cpu"))
  there
}

# Ctrl-C, after so many seconds, must end run().
expect_interrupted <- function(run, seconds) {
  skip_on_os("windows")
  system(sprintf("(sleep %g; kill -INT %d) &", seconds, Sys.getpid()))
  outcome <- tryCatch(
    {
      run()
      "done"
    },
    interrupt = function(condition) "interrupted"
  )
  expect_identical(outcome, "interrupted")
}

# Until the caller returns, the CUDA backend lies where no program is that compiles code.
session_without_compiler <- function(frame = parent.frame()) {
  path <- file.path(tempfile("alone"), "fireflip_cuda.so")
  dir.create(dirname(path))
  file.copy(fireflip:::cuda_path(), path)
  plain_session(fireflip.cuda_library = path, frame = frame)
}

skip_without_gpu <- function() {
  cuda <- subset(backends(), name == "cuda" & usable)
  if (nrow(cuda) == 0L) skip("no GPU to use here")
}

# Forgets the methods without a kernel of which this session was told.
forget_told_methods <- function() {
  told <- fireflip:::told_methods
  rm(list = ls(told), envir = told)
}
