# Makes the vignettes with the installed package, and puts them beside it: called by tools/install-vignettes.
installed <- system.file(package = "fireflip", mustWork = TRUE)
files <- list.files("vignettes", pattern = "[.]Rmd$", full.names = TRUE)
# the text and the package that made it; R CMD INSTALL removes the mark with all the rest
mark <- c(unname(tools::md5sum(files)), readLines(file.path(installed, ".sources"), warn = FALSE))
marked <- file.path(installed, "doc", ".sources")
if (file.exists(marked) && identical(readLines(marked), mark)) quit(status = 0L)

copy <- tempfile()
dir.create(copy)
stopifnot(file.copy(c("DESCRIPTION", "vignettes"), copy, recursive = TRUE))
tools::buildVignettes(dir = copy, tangle = TRUE)
folder <- file.path(copy, "vignettes")
names <- sub("[.]Rmd$", "", basename(files))
made <- file.path(folder, outer(names, c(".Rmd", ".html", ".R"), paste0))
stopifnot(file.exists(made))

# the index that vignette() reads, as R CMD build makes it
titles <- vapply(files, function(file) tools::vignetteInfo(file)$title, "")
index <- data.frame(
  File = basename(files), Title = unname(titles), PDF = paste0(names, ".html"), R = paste0(names, ".R"), stringsAsFactors = FALSE
)
index$Depends <- index$Keywords <- rep(list(character()), nrow(index))
dir.create(dirname(marked), showWarnings = FALSE)
stopifnot(file.copy(made, dirname(marked), overwrite = TRUE))
saveRDS(index, file.path(installed, "Meta", "vignette.rds"))
writeLines(mark, marked)
found <- utils::vignette(package = "fireflip", lib.loc = dirname(installed))$results[, "Item"]
stopifnot(setequal(found, names))
