# Copies the package's shared object and, where it was built, the CUDA backend's.
files <- c(paste0("fireflip", SHLIB_EXT), Sys.glob(paste0("fireflip_cuda", SHLIB_EXT)))
folder <- file.path(R_PACKAGE_DIR, paste0("libs", R_ARCH))
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
copied <- file.copy(files, folder, overwrite = TRUE)
if (!all(copied)) stop("cannot copy ", paste(files[!copied], collapse = ", "), " to ", folder)
if (file.exists("symbols.rds")) file.copy("symbols.rds", folder, overwrite = TRUE)
