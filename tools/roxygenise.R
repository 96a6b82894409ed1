# Writes NAMESPACE and man/ from the comments in R/. Loads the package from an installed copy, so nothing is compiled in src/.
library <- file.path("build", "lib")
status <- system2("tools/install-package", library)
if (status != 0L) quit(status = status)
.libPaths(c(normalizePath(library), .libPaths()))
# roxygen2 uses the installed namespace, which may be older than the sources; the second pass knows new exports
for (pass in 1:2) {
  roxygen2::roxygenise(".", load_code = roxygen2::load_installed)
  if (system2("tools/install-package", library) != 0L) quit(status = 1L)
}
