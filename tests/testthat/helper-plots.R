# Evaluates plots on a device that keeps nothing, and returns the value of `code`.
null_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}

# The graphical calls of a plot, with their arguments, from the display list of the device.
drawn <- function(code, width = 7, height = 5) {
  file <- recording_device(width, height)
  on.exit(unlink(file))
  force(code)
  record <- grDevices::recordPlot()
  grDevices::dev.off()
  calls <- lapply(record[[1L]], function(call) c(list(call[[2L]][[1L]]$name), as.list(call[[2L]])[-1L]))
  names(calls) <- vapply(calls, `[[`, "", 1L)
  calls
}

recording_device <- function(width, height) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, width, height)
  grDevices::dev.control("enable")
  file
}

call_of <- function(calls, name) calls[names(calls) == name]

# The colour, type and width of the lines that a plot draws, also those of its legend.
drawn_lines <- function(code) {
  calls <- drawn(code)
  own <- Filter(function(call) call[[3L]] %in% c("l", "s", "h"), call_of(calls, "C_plotXY")) # type "n" draws nothing
  rows <- c(
    lapply(own, function(call) data.frame(lty = I(list(call[[5L]])), col = call[[6L]], lwd = call[[9L]])),
    lapply(call_of(calls, "C_segments"), function(call) {
      data.frame(lty = I(list(call$lty)), col = call$col[[1L]], lwd = call$lwd[[1L]])
    })
  )
  do.call(rbind, rows)
}
