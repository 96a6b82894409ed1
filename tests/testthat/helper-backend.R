# Backends without a GPU, made from tests/c/fake_backend.c.

# The hash of the headers that the core and its backends share, computed as in src/Makevars.in.
shared_build <- function() {
  lists <- readLines(test_path("..", "..", "src", "Makevars.in"))
  first <- grep("^SHARED_HEADERS", lists) + 1L
  last <- first - 1L + which(!nzchar(lists[first:length(lists)]))[[1L]] - 1L
  headers <- test_path("..", "..", "src", sub(" .*", "", lists[first:last]))
  command <- paste("cat", paste(shQuote(headers), collapse = " "), "| cksum")
  sum <- strsplit(system2("sh", c("-c", shQuote(command)), stdout = TRUE), " ")
  paste(sum[[1L]][1:2], collapse = "-")
}

# fake("right"): path of a fake backend. Its name tells whether it is right, or what is wrong with it.
fake <- local({
  made <- list()
  function(way) {
    source <- test_path("..", "c", "fake_backend.c")
    skip_if(!file.exists(source), "tests/c is not there")
    compiler <- Sys.which("gcc")
    skip_if(!nzchar(compiler), "gcc is not there")
    if (is.null(made[[way]])) {
      path <- file.path(tempdir(), sprintf("fake_%s.so", way))
      writeLines(sprintf("#define FF_BUILD \"%s\"", shared_build()), file.path(tempdir(), "ff_build.inc"))
      system2(compiler, c("-std=c11", "-fPIC", "-shared", "-I", shQuote(tempdir()), paste0("-DFAKE_", way), shQuote(source), "-o",
                          shQuote(path)))
      made[[way]] <<- path
    }
    made[[way]]
  }
})
