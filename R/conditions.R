# Every error of the package is a condition of class
# c("fireflip_error_<class>", "fireflip_error", "error", "condition"), so that a caller can tell a
# misspelt argument ("argument") from a broken file ("parse", "file") or a contradictory network ("model").
# The classes of the core are those of the list in src/base/ff_base.h.

# Raises an error of the given class. Named `...` become fields of the condition.
abort <- function(class, message, call = NULL, ...) {
  stop(new_condition(class, "error", message, call, ...))
}

# An argument is not what the function expects.
abort_argument <- function(message, ...) abort("argument", message, ...)

# A warning of class c("fireflip_warning_<class>", "fireflip_warning", "warning", "condition").
warn <- function(class, message, call = NULL, ...) {
  warning(new_condition(class, "warning", message, call, ...))
}

# What src/rglue/ffi_common.c calls to raise the core's errors.
core_error <- function(class, text) abort(class, text)

new_condition <- function(class, kind, message, call, ...) {
  structure(
    class = c(paste0("fireflip_", kind, "_", class), paste0("fireflip_", kind), kind, "condition"),
    list(message = message, call = call, ...)
  )
}

# Stops with a plain instruction where an optional package is not there.
need_package <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort("package", sprintf(
      "%s needs the package %s, which is not installed. Run install.packages(\"%s\").", what, package, package
    ), package = package)
  }
  invisible(TRUE)
}
