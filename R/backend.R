# Threads, backends, layouts and seeds, which all long computations use.

#' Threads
#'
#' The number of threads that long computations use. It is taken from the argument `threads` of a function, then from the option
#' `fireflip.threads`, then from the environment variable `FIREFLIP_THREADS`. If none is given, it is the number of processors
#' that this R process may use, or less if the environment variable `OMP_THREAD_LIMIT` or R CMD check's limit of two cores says
#' so. Results do not depend on it.
#'
#' @returns One integer.
#' @export
#' @examples
#' fireflip_threads()
fireflip_threads <- function() resolve_threads(NULL)

resolve_threads <- function(threads) {
  if (!is.null(threads)) return(as.integer(check_count(threads, "threads", 1, 4096)))
  option <- getOption("fireflip.threads")
  if (!is.null(option)) return(as.integer(check_count(option, "options(fireflip.threads)", 1, 4096)))
  variable <- Sys.getenv("FIREFLIP_THREADS")
  if (nzchar(variable)) {
    number <- suppressWarnings(as.numeric(variable))
    if (is.na(number)) number <- variable
    return(as.integer(check_count(number, "FIREFLIP_THREADS", 1, 4096)))
  }
  allowed_cores()
}

allowed_cores <- function() {
  limit <- suppressWarnings(as.numeric(Sys.getenv("OMP_THREAD_LIMIT")))
  checking <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_")) # as in the package parallel
  limits <- c(.Call(ffi_machine)$cores, if (isTRUE(limit >= 1)) floor(limit), if (!checking %in% c("", "false")) 2)
  as.integer(min(limits))
}

# A seed is a whole number up to 2^53. Without one, it is drawn from R's generator, so that set.seed() determines it.
resolve_seed <- function(seed) {
  if (is.null(seed)) return(as.double(sample.int(.Machine$integer.max, 1L)))
  check_count(seed, "seed", 0, 2^53)
  as.double(seed)
}

resolve_layout <- function(layout) match(check_choice(layout, "layout", layouts), layouts) - 1L
layouts <- c("auto", "sliced", "packed")

# Vector instructions. By default the widest of the processor are used. options(fireflip.simd =) limits them; no result changes.
simd_names <- c("portable", "avx2", "avx512")
resolve_simd <- function() {
  option <- getOption("fireflip.simd", "auto")
  check_choice(option, "options(fireflip.simd)", c("auto", simd_names))
  if (option == "auto") 3L else match(option, simd_names) - 1L
}

# The backend of an estimate, for settle_engine(). "auto" does not look for a GPU before a run is long enough for one.
resolve_backend <- function(backend) {
  wanted <- wanted_backend(backend)$value
  if (wanted == "cuda") resolve_engine(backend) else list(name = wanted)
}

backend_names <- c("auto", "cpu", "cuda")

#' Backends
#'
#' Lists what can run simulations on this machine: the processor, and each GPU that the CUDA backend finds. With
#' `backend = "auto"`, an estimate for a Boolean network uses all GPUs that are usable if it would take more than a second on the
#' processor, and the processor otherwise. With `backend = "cuda"`, it is an error if no GPU is usable. The results of all
#' backends are identical, to the last bit.
#'
#' GPUs run estimates for Boolean networks, such as [steady_state()], and ensembles of reaction networks and of Petri nets:
#' [`simulate()`][simulate.reaction_network], [sweep_parameters()] and [first_passage()]. With `"auto"`, an ensemble begins on
#' the processor. After a second, the trajectories that have not begun move to GPUs if they would take more than 5 seconds on the
#' processor, and if there are at least 100 of them for each thread; with `method = "windows"`, any number is enough. The
#' processor does what GPUs cannot do.
#'
#' What GPUs can do depends on the model. `?simulate.reaction_network` and `?simulate.petri_net` give the limits.
#' `backends(model)` tells whether GPUs can simulate a model: it simulates one trajectory, up to time 0. If code for the model
#' has to be compiled, this takes some seconds, and the code is stored. If GPUs cannot, `simulate()` with `backend = "cuda"` ends
#' with an error of class `fireflip_error_unsupported`, which gives the same reason.
#'
#' The CUDA backend is a separate shared library. It is built when the package is installed from source and CUDA's compiler
#' `nvcc` (12.1 or later) is found. Environment variables control the installation. `FIREFLIP_CUDA` is `"auto"` (the default:
#' build the backend if possible), `"yes"` (stop with an error if it cannot be built) or `"no"`. `NVCC` or `CUDA_HOME` give the
#' location of the compiler. `FIREFLIP_CUDA_ARCH`, for instance `"80,90"`, gives the compute capabilities to compile for. The
#' driver is loaded when the backend is first used, so a package with the backend also works on a machine without a GPU.
#'
#' @section Options:
#' Options and environment variables apply to the whole session. An option overrides the environment variable of the same item.
#'
#' * `fireflip.backend`, `FIREFLIP_BACKEND`: the backend that `backend = "auto"` uses, `"cpu"` or `"cuda"`. With `"auto"` (the
#'   default), it is chosen as described above. With `"cuda"`, an ensemble that no GPU can do, for instance because its method has
#'   no kernel, uses the processor.
#' * `fireflip.devices`, `FIREFLIP_DEVICES`: numbers of the GPUs to use, as in column `index`, for instance `c(0, 1)` or `"0,1"`.
#'   By default, all usable GPUs.
#' * `fireflip.kernel`, `FIREFLIP_KERNEL`: the CUDA code that simulates a model. `"generated"` is code for this model, which is
#'   compiled at run time. This takes some seconds, and the code is stored for later use. `"interpreter"` (for synchronous
#'   Boolean networks) needs no compilation. `"table"` (for asynchronous networks, and for `layout = "packed"`) needs no
#'   compilation. `"generic"` (for reaction networks) needs none for the methods `"direct"`, `"logarithmic_direct"` and, for
#'   most networks, `"factored"`; its code for another method is compiled once for each kind of run, for all networks, in one
#'   to seven seconds. For Petri nets, `"generic"` needs none; windows always have code that is generated. With `"auto"` (the
#'   default), stored code is used. Code that is not stored is compiled for a reaction network or a Petri net; for a Boolean
#'   network, it is compiled if this takes less time than it saves in this run or would have saved in earlier runs. Models for
#'   which no code can be generated, such as larger ones, use the other kernels. Compiled code is stored in the folder
#'   `tools::R_user_dir("fireflip", "cache")`, which only the user can access. If other users can write to that folder, nothing
#'   is read from or written to it. It holds at most 256 MB, and files that were not used for 90 days are removed. The compiler
#'   is the library libnvrtc of CUDA's toolkit. It runs in a separate process, which ends on Ctrl-C and when R ends. Where
#'   there is no libnvrtc, methods that need it have no kernel: see column `limits` below.
#' * `fireflip.cuda_library`, `FIREFLIP_CUDA_LIBRARY`: path of a CUDA backend to use instead of the installed one.
#'
#' A process that was forked from a process that has used a GPU, for instance by `parallel::mclapply()`, cannot use the GPU:
#' `backend = "cuda"` is an error there. Start new R processes instead, with `parallel::makeCluster()` or
#' `future::plan("multisession")`.
#'
#' @param model A reaction network or a Petri net. By default, GPUs are listed whatever they are used for.
#' @param ... Further arguments of `simulate()` for this model, such as `method` or `until`.
#' @returns A data frame with a row for the processor and a row for each GPU. If there is no GPU, a row gives the reason. The
#'   class is `fireflip_backends`, which prints one line per row; [as.data.frame()] removes this class. Columns:
#'   - `name`: `"cpu"` or `"cuda"`.
#'   - `index`: number of the GPU in CUDA's order, from 0; `NA` for the processor.
#'   - `device`: its name. For the processor, also the number of cores and the widest vector instructions.
#'   - `memory`: bytes; `NA` if unknown.
#'   - `compute_capability`: of a GPU, as text, for instance `"9.0"`.
#'   - `usable`: `TRUE` or `FALSE`; with `model`, whether the model can be simulated there.
#'   - `why_not`: the reason why it is not usable; empty if it is usable.
#'   - `limits`: of a usable GPU, what it cannot do because no code can be compiled at run time, and the reason; empty otherwise.
#' @export
#' @examples
#' backends()
#' backends(petri_model("gene"))
backends <- function(model = NULL, ...) {
  if (is.null(model)) check_no_more(...)
  else check_simulated(model, ...)
  rows <- list(cpu_row(), cuda_rows(ask_cuda(fresh = TRUE)))
  rows <- do.call(rbind, rows)
  there <- rows$name == "cuda" & rows$usable
  if (!is.null(model) && any(there)) {
    rows$why_not[there] <- why_not_on_gpus(model, ...)
    rows$usable[there] <- !nzchar(rows$why_not[there])
  }
  class(rows) <- c("fireflip_backends", "data.frame")
  rows
}

# Whether simulate() takes this model and has these arguments.
check_simulated <- function(model, ...) {
  if (inherits(model, "petri_net")) method <- simulate.petri_net
  else if (inherits(model, "reaction_network")) method <- simulate.reaction_network
  else abort_class(model, c("reaction_network", "petri_net"))
  known <- setdiff(names(formals(method)), c("object", "..."))
  unknown <- setdiff(...names(), c(known, ""))
  if (length(unknown) > 0L) abort_unknown(unknown[[1L]], known)
}

# The reason why GPUs cannot simulate a model; empty if they can.
why_not_on_gpus <- function(model, ...) {
  tryCatch(
    {
      simulate(model, nsim = 1, seed = 1, times = 0, output = "final", backend = "cuda", progress = FALSE, ...)
      ""
    },
    fireflip_error_unsupported = function(e) if (is.null(e$reason)) conditionMessage(e) else e$reason
  )
}

#' @export
print.fireflip_backends <- function(x, ...) {
  if (!all(names(backend_row("cpu")) %in% names(x))) { # columns were removed: print a data frame
    print(as.data.frame(x), ...)
    return(invisible(x))
  }
  lines <- backend_lines(x)
  cuda <- x$name == "cuda"
  notes <- ifelse(x$usable, x$limits, x$why_not)
  notes <- paste0(notes, ifelse(nzchar(notes) & !grepl("[.?!]$", notes), ".", ""))
  lost <- which(cuda)[1L] # one note for all, before the reasons
  if (any(cuda) && !any(x$usable[cuda])) {
    notes[lost] <- sprintf("Without a GPU, only speed is lost: %s. Reason: %s", same_answer(), notes[lost])
  }
  wrapped <- lapply(notes, strwrap, width = getOption("width"), indent = 4L, exdent = 4L)
  for (i in seq_along(lines)) writeLines(c(lines[[i]], wrapped[[i]][nzchar(notes[[i]])]))
  invisible(x)
}

# Advice for a machine without a GPU. Omitting `backend` does not help if the session's options ask for CUDA.
same_answer <- function() {
  session <- identical(from_session("fireflip.backend", "FIREFLIP_BACKEND")$value, "cuda")
  how <- if (session) "use `backend = \"cpu\"`" else "omit `backend`, or use \"cpu\""
  sprintf("the processor gives the same results (%s)", how)
}

# "cuda 0  usable  NVIDIA H200, 140 GB, compute capability 9.0", in columns.
backend_lines <- function(x) {
  memory <- vapply(x$memory, function(bytes) if (is.na(bytes)) "" else paste0(", ", format_bytes(bytes)), "")
  capability <- ifelse(is.na(x$compute_capability), "", paste0(", compute capability ", x$compute_capability))
  lines <- sprintf(
    "%s  %s  %s", format(paste0(x$name, ifelse(is.na(x$index), "", paste0(" ", x$index)))),
    format(ifelse(x$usable, "usable", "not usable")), ifelse(is.na(x$device), "", paste0(x$device, memory, capability))
  )
  trimws(lines, "right")
}

backend_row <- function(name, index = NA_integer_, device = NA_character_, memory = NA_real_, capability = NA_character_,
                        usable = TRUE, why_not = "", limits = "") {
  data.frame(
    name = name, index = index, device = device, memory = memory, compute_capability = capability, usable = usable,
    why_not = why_not, limits = limits, stringsAsFactors = FALSE
  )
}

cpu_row <- function() {
  machine <- .Call(ffi_machine)
  vectors <- c("64-bit words", "AVX2", "AVX-512")[[machine$simd + 1]]
  device <- sprintf("%s (%s, %s)", processor_name(), count_of(machine$cores, "core"), vectors)
  backend_row("cpu", device = device, memory = machine_memory())
}

# Name and memory of the processor are read from files on Linux. On other systems they are the architecture and NA.
processor_name <- function() {
  name <- linux_field("/proc/cpuinfo", "^model name[[:space:]]*:[[:space:]]*")
  if (is.na(name)) Sys.info()[["machine"]] else name
}

machine_memory <- function() memory_field("MemTotal")

# What this process can still have: no more than its group of processes may have, in a container or on a cluster.
available_memory <- function(groups = "/sys/fs/cgroup") {
  group <- function(limit, used) {
    value <- function(file) suppressWarnings(as.numeric(linux_field(file.path(groups, file), "")))
    value(limit) - value(used)
  }
  left <- c(
    memory_field("MemAvailable"), group("memory.max", "memory.current"),
    group("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes")
  )
  if (all(is.na(left))) NA_real_ else min(left, na.rm = TRUE)
}

memory_field <- function(name) {
  size <- linux_field("/proc/meminfo", sprintf("^%s:[[:space:]]*", name))
  if (is.na(size)) NA_real_ else as.numeric(sub("[[:space:]]*kB$", "", size)) * 1024
}

# A handler that leaves file() because of its warning would leave the connection open, so a warning is not caught.
linux_field <- function(file, pattern) {
  if (!file.exists(file)) return(NA_character_)
  lines <- tryCatch(suppressWarnings(readLines(file, n = 64L)), error = function(e) character())
  found <- grep(pattern, lines, value = TRUE)
  if (length(found) == 0L) NA_character_ else trimws(sub(pattern, "", found[[1L]]))
}

cuda_rows <- function(cuda) {
  if (is.null(cuda$devices)) return(backend_row("cuda", usable = FALSE, why_not = cuda$why_not))
  d <- cuda$devices
  lacks <- .Call(ffi_backend_compiles, cuda$pointer)
  limits <- ifelse(nzchar(lacks), sprintf(paste(
    "No code can be compiled at run time (%s). Of the Petri nets, only those with stochastic transitions and flows run there,",
    "not by windows. Of the methods for reaction networks, only \"logarithmic_direct\", \"direct\" and, for most networks,",
    "\"factored\" do"
  ), lacks), "")
  backend_row("cuda", seq_along(d$name) - 1L, d$name, d$memory, d$compute_capability, d$usable, d$why_not, limits)
}

# ---- the CUDA backend ----------------------------------------------------------------------------------------------------

# The backend that this process has opened (path, pointer), and its answer (answer) together with the number of the process
# that asked for it (process).
opened <- new.env(parent = emptyenv())

cuda_path <- function() {
  path <- from_session("fireflip.cuda_library", "FIREFLIP_CUDA_LIBRARY")
  if (!is.null(path$value)) return(check_string(path$value, path$name))
  file.path(dirname(getLoadedDLLs()[["fireflip"]][["path"]]), "cuda", paste0("fireflip_cuda", .Platform$dynlib.ext))
}

# list(path, pointer, devices, why_not). If the backend does not work, devices is NULL and why_not gives the reason. Devices are
# remembered, because asking the driver takes time; with `fresh`, it is asked again.
ask_cuda <- function(fresh = FALSE) {
  path <- cuda_path()
  if (!file.exists(path)) return(list(path = path, why_not = no_cuda_text(path)))
  known <- opened$answer
  if (!fresh && identical(known$path, path) && identical(opened$process, Sys.getpid()) && !is.null(known$devices)) return(known)
  opened$process <- Sys.getpid()
  opened$answer <- tryCatch({
    pointer <- open_cuda(path)
    devices <- .Call(ffi_backend_devices, pointer)
    if (length(devices$name) == 0L) abort("backend", "CUDA finds no GPU; check the hardware and CUDA_VISIBLE_DEVICES")
    list(path = path, pointer = pointer, devices = devices, why_not = "")
  }, fireflip_error_backend = function(e) list(path = path, why_not = conditionMessage(e)))
}

open_cuda <- function(path) {
  if (!identical(opened$path, path)) {
    opened$pointer <- .Call(ffi_backend_open, path)
    opened$path <- path
  }
  opened$pointer
}

no_cuda_text <- function(path) {
  if (!is.null(from_session("fireflip.cuda_library", "FIREFLIP_CUDA_LIBRARY")$value)) {
    return(sprintf("the file %s, which was given as the CUDA backend, does not exist", path))
  }
  paste0(
    "this build of fireflip has no CUDA backend: to get one, install the package from source where nvcc of CUDA 12.1 or later ",
    "is found; with the environment variable FIREFLIP_CUDA=yes, the installation says what is missing"
  )
}

# The value of an option or, if it is not set, of an environment variable: list(value, name). value is NULL if neither is set.
from_session <- function(option, variable) {
  value <- getOption(option)
  if (!is.null(value)) return(list(value = value, name = sprintf("options(%s)", option)))
  value <- Sys.getenv(variable)
  list(value = if (nzchar(value)) value, name = variable)
}

# All kernels of the CUDA backend, and those for Boolean networks. ensemble_engine() has those for other kinds of models.
kernel_names <- c("generated", "interpreter", "table", "generic")
pbn_kernels <- c("generated", "interpreter", "table")

# The name of the kernel to use; NULL if the backend chooses, or if the session's kernel is not one of `kernels`, those for the
# kind of model.
resolve_kernel <- function(kernels) {
  session <- from_session("fireflip.kernel", "FIREFLIP_KERNEL")
  if (is.null(session$value)) return(NULL)
  kernel <- check_choice(session$value, session$name, c("auto", kernel_names))
  if (kernel %in% kernels) kernel
}

# The engine of a run: list(name = "cpu", why) or list(name = "cuda", why, path, pointer, devices, cache, kernel). `devices` are
# numbers from 0; `cache` is the folder for compiled code, or NULL if there is none; `why` is a clause that gives the reason for
# this choice. It is an error if a backend was requested explicitly and does not work; it is never replaced silently. `kernels`
# are those for the kind of model.
resolve_engine <- function(backend = "auto", kernels = pbn_kernels) {
  wanted <- wanted_backend(backend)
  numbers <- wanted_devices()
  if (wanted$value == "cpu") return(list(name = "cpu", why = wanted$why))
  cuda <- ask_cuda()
  why_not <- if (is.null(cuda$devices)) cuda$why_not else no_device_text(cuda$devices)
  if (!is.null(why_not)) {
    if (wanted$value == "auto") return(list(name = "cpu", why = paste("no GPU can be used:", why_not)))
    why_not <- paste0(why_not, if (!grepl("[.?!]$", why_not)) ".")
    abort("backend", sprintf("%s: no GPU can be used; %s. Reason: %s", wanted$why, same_answer(), why_not))
  }
  list(
    name = "cuda", why = if (wanted$value == "auto") "a GPU is there" else wanted$why, path = cuda$path, pointer = cuda$pointer,
    devices = pick_devices(cuda$devices, numbers), cache = cache_folder(), kernel = resolve_kernel(kernels)
  )
}

# The argument `backend` or, if it is "auto", the session's setting: list(value, why).
wanted_backend <- function(backend) {
  value <- check_backend(backend, "backend")
  if (value != "auto") return(list(value = value, why = sprintf("`backend` = \"%s\"", value)))
  session <- from_session("fireflip.backend", "FIREFLIP_BACKEND")
  if (is.null(session$value)) return(list(value = "auto", why = "`backend` = \"auto\""))
  value <- check_backend(session$value, session$name)
  list(value = value, why = sprintf("%s = \"%s\"", session$name, value))
}

check_backend <- function(value, name) {
  if (is.character(value) && length(value) == 1L && tolower(value) %in% c("gpu", "gpus", "nvidia")) { # "cpu" is closer
    abort_value(name, paste("one of", paste0("\"", backend_names, "\"", collapse = ", ")), value, "; did you mean \"cuda\"?")
  }
  check_choice(value, name, backend_names)
}

# list(value, name): the numbers of the GPUs to use, from 0, or NULL for all.
wanted_devices <- function() {
  session <- from_session("fireflip.devices", "FIREFLIP_DEVICES")
  if (is.null(session$value)) return(session)
  value <- session$value
  if (is.character(value) && length(value) == 1L && grepl("^ *[0-9]+ *(, *[0-9]+ *)*$", value)) {
    value <- as.numeric(strsplit(value, ",")[[1L]])
  }
  ok <- is.numeric(value) && !is.object(value) && length(value) > 0L && !anyNA(value) && all(value >= 0) &&
    all(value == floor(value)) && !anyDuplicated(value)
  if (!ok) abort_value(session$name, "different numbers of GPUs, counted from 0, such as c(0, 1) or \"0,1\"", session$value)
  list(value = as.double(value), name = session$name)
}

# The reason why no device is usable, or NULL if one is.
no_device_text <- function(devices) {
  if (any(devices$usable)) return(NULL)
  paste0(devices$name, ": ", devices$why_not, collapse = "; ")
}

pick_devices <- function(devices, numbers) {
  if (is.null(numbers$value)) return(which(devices$usable) - 1L)
  there <- length(devices$name)
  absent <- numbers$value[numbers$value >= there]
  if (length(absent) > 0L) {
    abort_argument(sprintf(
      "`%s` names GPU %s, but there %s, numbered from 0.", numbers$name, describe(absent[[1L]]),
      if (there == 1L) "is 1 GPU" else paste("are", there, "GPUs")
    ))
  }
  refused <- numbers$value[!devices$usable[numbers$value + 1]]
  if (length(refused) > 0L) {
    at <- refused[[1L]] + 1
    abort("backend", sprintf(
      "`%s` names GPU %s (%s), which cannot be used: %s.", numbers$name, describe(refused[[1L]]), devices$name[[at]],
      devices$why_not[[at]]
    ))
  }
  as.integer(numbers$value)
}

# The folder for compiled code, which the core makes. NULL if it can neither be written to nor made, so that nothing can be kept.
cache_folder <- function() {
  folder <- tools::R_user_dir("fireflip", "cache")
  there <- folder
  while (!file.exists(there) && dirname(there) != there) there <- dirname(there)
  if (file.access(there, 2L) == 0L) folder
}
