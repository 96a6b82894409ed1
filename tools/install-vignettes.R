# Builds the vignettes with the installed package and copies them into it. Called by tools/install-vignettes.
installed <- system.file(package = "fireflip", mustWork = TRUE)
files <- list.files("vignettes", pattern = "[.]Rmd$", full.names = TRUE)
# the mark identifies the texts and the package that built them; R CMD INSTALL removes it together with the vignettes
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

# the index that vignette() reads, in the form that R CMD build writes
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
