# Writes NAMESPACE and man/ from the comments in R/, with the package loaded from an installed copy (no compiler in src/).
library <- file.path("build", "lib")
status <- system2("tools/install-package", library)
if (status != 0L) quit(status = status)
.libPaths(c(normalizePath(library), .libPaths()))
# roxygen2 cannot run code of a namespace that is older than the sources: twice, so that new exports are known
for (pass in 1:2) {
  roxygen2::roxygenise(".", load_code = roxygen2::load_installed)
  if (system2("tools/install-package", library) != 0L) quit(status = 1L)
}
