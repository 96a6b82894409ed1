# Copies the package's shared object to libs/ and, where it was built, the CUDA backend's to libs/cuda/: beside the package's own
# R would take it for another that registers routines. With it goes the program that compiles code at run time.
copy <- function(files, folder) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  copied <- file.copy(files, folder, overwrite = TRUE)
  if (!all(copied)) stop("cannot copy ", paste(files[!copied], collapse = ", "), " to ", folder)
}
libs <- file.path(R_PACKAGE_DIR, paste0("libs", R_ARCH))
copy(c(paste0("fireflip", SHLIB_EXT), Sys.glob("symbols.rds")), libs)
# Names of local symbols are not needed to run. With them, the package is above the 5 MB that R CMD check allows.
strip <- Sys.which("strip")
if (Sys.info()[["sysname"]] == "Linux" && nzchar(strip)) {
  system2(strip, c("--discard-all", shQuote(file.path(libs, paste0("fireflip", SHLIB_EXT)))))
}
cuda <- Sys.glob(paste0("cuda/fireflip_cuda", SHLIB_EXT))
if (length(cuda) > 0L) copy(c(cuda, "cuda/fireflip_nvrtc"), file.path(libs, "cuda"))
