# README.md: its R code runs, and what it shows is what it prints.

readme <- function() {
  file <- file.path("..", "..", "README.md")
  skip_if_not(file.exists(file), "the sources are not here") # R CMD check has only the tests
  readLines(file, encoding = "UTF-8")
}

# The code blocks, as character vectors of lines.
r_blocks <- function(lines) {
  start <- which(lines == "```r")
  ends <- which(lines == "```")
  lapply(start, function(from) lines[(from + 1L):(min(ends[ends > from]) - 1L)])
}

# What a block prints, run in `env` as at R's prompt.
run_block <- function(block, env) {
  utils::capture.output(for (code in parse(text = block, keep.source = FALSE)) {
    shown <- withVisible(eval(code, env))
    if (shown$visible) print(shown$value)
  })
}

test_that("README's code runs and prints what README shows", {
  blocks <- r_blocks(readme())
  expect_gt(length(blocks), 5L)
  folder <- tempfile("readme")
  dir.create(folder)
  old <- setwd(folder)
  grDevices::pdf(NULL)
  task <- Sys.getenv("SLURM_ARRAY_TASK_ID", NA)
  on.exit({
    grDevices::dev.off()
    setwd(old)
    if (is.na(task)) Sys.unsetenv("SLURM_ARRAY_TASK_ID") else Sys.setenv(SLURM_ARRAY_TASK_ID = task)
    unlink(folder, recursive = TRUE)
  })
  env <- new.env(parent = globalenv())
  shows <- 0L
  for (block in blocks) {
    # the job of a cluster runs once for each of its tasks
    tasks <- if (any(grepl("SLURM_ARRAY_TASK_ID", block))) 1:16 else 1L
    for (i in tasks) {
      Sys.setenv(SLURM_ARRAY_TASK_ID = i)
      printed <- suppressMessages(run_block(block, env))
    }
    shown <- block[startsWith(block, "#> ")]
    if (length(shown) == 0L) next
    shows <- shows + 1L
    expect_identical(printed, substring(shown, 4L))
  }
  expect_gte(shows, 4L)
})

test_that("the files that README links to are there", {
  lines <- readme()
  links <- unlist(regmatches(lines, gregexpr("(?<=\\]\\()[^)#]+(?=\\))", lines, perl = TRUE)))
  expect_gt(length(links), 3L)
  expect_true(all(file.exists(file.path("..", "..", links))))
})
