# Every error of the package is a condition of class c("fireflip_error_<class>", "fireflip_error", "error", "condition"). A
# caller can thus distinguish an invalid argument ("argument"), an invalid file ("parse", "file") and an inconsistent network
# ("model"). The list in src/base/ff_base.h has the classes of the core's errors.

# Raises an error of the given class. Named `...` become fields of the condition.
abort <- function(class, message, call = NULL, ...) {
  stop(new_condition(class, "error", message, call, ...))
}

# Raises the error for an invalid argument.
abort_argument <- function(message, ...) abort("argument", message, ...)

# A warning of class c("fireflip_warning_<class>", "fireflip_warning", "warning", "condition").
warn <- function(class, message, call = NULL, ...) {
  warning(new_condition(class, "warning", message, call, ...))
}

# Called by src/rglue/ffi_common.c to raise errors of the core.
core_error <- function(class, text) abort(class, text)

new_condition <- function(class, kind, message, call, ...) {
  structure(
    class = c(paste0("fireflip_", kind, "_", class), paste0("fireflip_", kind), kind, "condition"),
    list(message = message, call = call, ...)
  )
}

# Raises an error with an instruction if an optional package is not installed.
need_package <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort("package", sprintf(
      "%s needs the package %s, which is not installed. Run install.packages(\"%s\").", what, package, package
    ), package = package)
  }
  invisible(TRUE)
}
