# Tests of backends without a GPU. Fake backends, built from tests/c/fake_backend.c, have devices to list and choose. They are
# opened in this process, beside the installed one.

test_that("backends() lists the processor and the GPUs", {
  plain_session(fireflip.cuda_library = fake("right"))
  got <- backends()
  expect_s3_class(got, "data.frame")
  expect_identical(names(got), c("name", "index", "device", "memory", "compute_capability", "usable", "why_not", "limits"))
  expect_identical(got$name, c("cpu", "cuda", "cuda", "cuda"))
  expect_identical(got$index, c(NA, 0:2))
  expect_identical(got$device[-1L], c("Fake One", "Fake Old", "Fake Two"))
  expect_identical(got$memory[-1L], c(80, 4, 80) * 2^30)
  expect_identical(got$compute_capability, c(NA, "9.0", "6.1", "9.0"))
  expect_identical(got$usable, c(TRUE, TRUE, FALSE, TRUE))
  expect_identical(got$why_not, c("", "", "compute capability 6.1, and at least 7.5 is needed", ""))
  expect_match(got$device[[1L]], "^.+ \\([0-9]+ cores?, (64-bit words|AVX2|AVX-512)\\)$")
  if (file.exists("/proc/meminfo")) expect_gt(got$memory[[1L]], 2^26)
})

test_that("backends() prints one line per row, and the reason below", {
  show <- function(width = 80, ...) {
    plain_session(..., width = width)
    x <- backends()
    x$device[[1L]] <- "Some processor (2 cores, AVX2)"
    x$memory[[1L]] <- 8 * 2^30
    print(x)
  }
  right <- fake("right")
  expect_snapshot({
    show(fireflip.cuda_library = right)
    show(fireflip.cuda_library = fake("nodriver"))
    show(width = 50, fireflip.cuda_library = fake("nodriver"), fireflip.backend = "cuda")
    show(width = 50, fireflip.cuda_library = "/nowhere/fireflip_cuda.so")
  })
  plain_session(fireflip.cuda_library = right)
  x <- backends()
  expect_identical(class(as.data.frame(x)), "data.frame")
  expect_identical(nrow(subset(x, name == "cuda" & usable)), 2L)
  expect_output(print(x[c("name", "usable")]), "name +usable") # some columns: a data frame
  expect_no_match(capture.output(print(x[1L, ])), "only speed is lost")
  expect_output(expect_identical(print(x), x))
  expect_silent(print(x[0L, ]))
})

test_that("backends() tells where no code can be compiled at run time", {
  plain_session(fireflip.cuda_library = fake("right"))
  expect_identical(backends()$limits, character(4))
  Sys.setenv(FAKE_COMPILER = "the library libnvrtc.so.13 was not found")
  expect_identical(nzchar(backends()$limits), c(FALSE, TRUE, FALSE, TRUE))
  expect_snapshot(print(backends()[2:3, ], width = 80))
})

test_that("backends(model) takes models that are simulated", {
  plain_session(fireflip.cuda_library = "/nowhere/fireflip_cuda.so")
  expect_identical(backends(petri_model("gene")), backends())
  expect_error(backends(example_model("apoptosis")), "`model`", class = "fireflip_error_argument")
  expect_error(backends(method = "direct"), "method", class = "fireflip_error_argument")
  expect_error(backends(petri_model("gene"), metod = "exact"), "method", class = "fireflip_error_argument")
})

# Tests a build without a backend, on every machine.
test_that("a build without CUDA says how to get it", {
  plain_session()
  text <- fireflip:::no_cuda_text("cuda")
  expect_snapshot(writeLines(strwrap(text, 100)))
})

test_that("backends() finds more devices than it has room for at first", {
  plain_session(fireflip.cuda_library = fake("right"))
  expect_identical(nrow(backends()), 4L)
  Sys.setenv(FAKE_DEVICES = "40") # the list of devices is read again
  got <- backends()
  expect_identical(got$index, c(NA, 0:39))
  expect_identical(got$device[[41L]], "Fake One")
})

test_that("a backend that does not work has a row with the reason", {
  no <- function(path) {
    plain_session(fireflip.cuda_library = path)
    got <- backends()
    expect_identical(got$name, c("cpu", "cuda"))
    expect_identical(got$usable, c(TRUE, FALSE))
    expect_identical(got$index[[2L]], NA_integer_)
    gsub(dirname(path), "FOLDER", got$why_not[[2L]], fixed = TRUE)
  }
  expect_snapshot({
    no(fake("nodriver"))
    no(fake("abi"))
    no(fake("noentry"))
    no("/nowhere/fireflip_cuda.so")
  })
  text <- tempfile(fileext = ".so")
  writeLines("no shared object", text)
  expect_match(no(text), "^the backend cannot be opened: ")
  plain_session(fireflip.cuda_library = fake("right"))
  Sys.setenv(FAKE_DEVICES = "0")
  expect_match(backends()$why_not[[2L]], "finds no GPU")
})

# The result depends on the machine: no backend in this build, no driver, or a GPU. Each message must be of use.
test_that("the installed package knows whether it has a CUDA backend", {
  plain_session()
  got <- backends()
  cuda <- got[got$name == "cuda", ]
  expect_gte(nrow(cuda), 1L)
  expect_identical(nzchar(cuda$why_not), !cuda$usable)
  if (!file.exists(fireflip:::cuda_path())) {
    expect_match(cuda$why_not, "this build of fireflip has no CUDA backend")
  } else if (!any(cuda$usable)) {
    expect_match(cuda$why_not, "driver|compute capability|CUDA")
    expect_no_match(cuda$why_not, "cannot be opened|another version")
  }
  expect_identical(names(getLoadedDLLs())[names(getLoadedDLLs()) == "fireflip_cuda"], character())
})

test_that("the engine is given by the argument, else by the session, else it is a GPU if there is one", {
  engine <- fireflip:::resolve_engine
  plain_session(fireflip.cuda_library = fake("right"))
  expect_identical(engine("cpu")$name, "cpu")
  got <- engine("auto")
  expect_identical(got$name, "cuda")
  expect_identical(got$path, fake("right"))
  expect_identical(got$devices, c(0L, 2L))
  expect_type(got$pointer, "externalptr")
  expect_identical(got$cache, tools::R_user_dir("fireflip", "cache")) # tests/c/test_code_cache.c: made with mode 0700
  expect_identical(engine(c("auto", "cpu", "cuda"))$name, "cuda")
  expect_identical(engine("cuda")[c("name", "devices")], got[c("name", "devices")])

  Sys.setenv(FIREFLIP_BACKEND = "cpu")
  expect_identical(engine("auto")[c("name", "why")], list(name = "cpu", why = "FIREFLIP_BACKEND = \"cpu\""))
  expect_identical(engine("cuda")$name, "cuda")
  options(fireflip.backend = "cuda")
  expect_identical(engine("auto")$name, "cuda")

  plain_session(fireflip.cuda_library = fake("nodriver"))
  expect_identical(engine("auto"), list(name = "cpu", why = "no GPU can be used: no driver is here"))
})

test_that("devices are chosen by number", {
  devices <- function() fireflip:::resolve_engine("cuda")$devices
  plain_session(fireflip.cuda_library = fake("right"))
  Sys.setenv(FIREFLIP_DEVICES = "2, 0")
  expect_identical(devices(), c(2L, 0L))
  options(fireflip.devices = 2)
  expect_identical(devices(), 2L)
  options(fireflip.devices = "0")
  expect_identical(devices(), 0L)
})

test_that("a backend that cannot be used is an error with the reason", {
  engine <- function(backend = "cuda", ...) {
    plain_session(...)
    fireflip:::resolve_engine(backend)
  }
  expect_error(engine(fireflip.cuda_library = fake("nodriver")), class = "fireflip_error_backend")
  expect_error(engine("auto", fireflip.cuda_library = fake("right"), fireflip.devices = 1), class = "fireflip_error_backend")
  expect_error(engine("auto", fireflip.cuda_library = fake("right"), fireflip.devices = 3), class = "fireflip_error_argument")
  right <- fake("right")
  expect_snapshot(error = TRUE, {
    engine("gpu")
    engine("auto", fireflip.backend = "GPU")
    engine(fireflip.cuda_library = fake("nodriver"))
    engine("auto", fireflip.cuda_library = fake("nodriver"), fireflip.backend = "cuda")
    engine("auto", fireflip.backend = "quick")
    engine(fireflip.cuda_library = right, fireflip.devices = 1)
    engine(fireflip.cuda_library = right, fireflip.devices = c(0, 3))
    engine(fireflip.cuda_library = right, fireflip.devices = c(0, 0))
    engine(fireflip.cuda_library = right, fireflip.devices = "all")
    engine("cpu", fireflip.devices = -1)
    engine(fireflip.cuda_library = 7)
  })
})

test_that("if no GPU is usable, the message names all of them", {
  old <- list(name = c("A", "B"), usable = c(FALSE, FALSE), why_not = c("too old", "in use"))
  expect_identical(fireflip:::no_device_text(old), "A: too old; B: in use")
  expect_null(fireflip:::no_device_text(list(name = "A", usable = TRUE, why_not = "")))
})

test_that("a forked process does not use the GPU that its parent has opened", {
  skip_on_os("windows")
  plain_session(fireflip.cuda_library = fake("right"))
  expect_identical(fireflip:::resolve_engine("auto")$name, "cuda")
  child <- function(what) parallel::mccollect(parallel::mcparallel(what))[[1L]]
  row <- child(backends()[2L, ])
  expect_false(row$usable)
  expect_match(row$why_not, "forked.*multisession")
  expect_identical(child(fireflip:::resolve_engine("auto")$name), "cpu")
  expect_identical(
    child(tryCatch(fireflip:::resolve_engine("cuda"), fireflip_error_backend = function(e) "refused")), "refused"
  )
  expect_identical(fireflip:::resolve_engine("auto")$name, "cuda")
})
