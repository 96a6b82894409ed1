# Nets for tests of GPUs.

# Nets that no generated code simulates, and the reasons.
refused_nets <- function() {
  made <- list("A -> 0" = 1, "0 -> A" = 2, initial = c(A = 3, x = 1), continuous = "x")
  with <- function(...) do.call(petri_net, c(made, list(...)))
  grows <- transition("0 -> x", flow = 1)
  list(
    "immediate transitions" = with(grow = grows, now = transition("2 A -> B", weight = 1)),
    "deterministic or scheduled transitions" = with(grow = grows, late = transition("A -> B", delay = 1)),
    "deterministic or scheduled transitions" = with(grow = grows, then = transition("0 -> A", at = 0.5)),
    "events" = with(grow = grows, events = list(event("time >= 0.5", set = c(A = 5)))),
    "no stochastic transition" = petri_net("A -> 0" = flow(1), initial = c(A = 1), continuous = "A"),
    "rates that switch where a level or the time crosses a value" = with(
      grow = transition("0 -> x", flow = "ifelse(x < 1.2, 1, 2)")
    ),
    "flows that may empty a place" = with(fall = transition("x -> 0", flow = "A"))
  )
}
