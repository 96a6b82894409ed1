# Evaluates plots on a device that keeps nothing, and returns the value of `code`.
null_device <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  force(code)
}
