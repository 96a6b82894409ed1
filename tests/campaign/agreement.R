# Compares integrators firing by firing: make campaign CAMPAIGN=agreement, or Rscript tests/campaign/agreement.R
#
# A trajectory follows from its seed, so at a relative tolerance of 1e-9 all integrators must give the same firings, at times that
# differ by less than 1e-5, for 99% of N (1000) seeds; others have a firing so near to another one, or to a choice, that errors
# decide. CVODE is the reference, if the package was built with it. The method "paper" has draws of its own, and is compared with
# itself. Prints a row for each pair.
library(fireflip)

n <- as.integer(as.double(Sys.getenv("N", "1000")))
nets <- list(
  gene = list(petri_model("gene"), 20), hill = list(petri_model("hill"), 20), calcium = list(petri_model("calcium"), 1),
  growth = list(petri_model("growth"), 20)
)
firings <- function(net, last, method, integrator) {
  x <- simulate(net, nsim = n, times = last, seed = 1, output = "events", method = method, integrator = integrator,
    tolerance = 1e-9, progress = FALSE)
  split(data.frame(time = x$time, transition = as.character(x$transition)), factor(x$trajectory, seq_len(n)))
}
# The largest difference of times for each trajectory; infinite if other transitions fire.
differences <- function(x, y) {
  mapply(function(a, b) {
    if (!identical(a$transition, b$transition)) return(Inf)
    if (nrow(a) == 0L) 0 else max(abs(a$time - b$time))
  }, x, y)
}
integrators <- c("rosenbrock", "cvode")
integrators <- integrators[vapply(integrators, function(integrator) {
  tryCatch({
    simulate(petri_model("gene"), times = 1, integrator = integrator, seed = 1)
    TRUE
  }, fireflip_error_unsupported = function(e) FALSE)
}, NA)]

rows <- list()
for (name in names(nets)) {
  for (method in c("exact", "paper")) {
    run <- function(integrator) firings(nets[[name]][[1L]], nets[[name]][[2L]], method, integrator)
    ours <- run("dormand_prince")
    for (integrator in integrators) {
      d <- differences(ours, run(integrator))
      rows[[length(rows) + 1L]] <- data.frame(
        net = name, method = method, integrator = integrator, firings = sum(vapply(ours, nrow, 0L)), same = mean(d < 1e-5),
        largest = max(d[is.finite(d)])
      )
    }
  }
}
rows <- do.call(rbind, rows)
print(rows, row.names = FALSE, digits = 3)
bad <- sum(rows$same < 0.99)
if (bad > 0L) stop(bad, " of ", nrow(rows), " comparisons have other firings for more than 1% of seeds")
