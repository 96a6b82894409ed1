# Nets for tests of GPUs, and whether there is a library for nets.

# Nets that no generated code simulates, and the reasons.
refused_nets <- function() {
  made <- list("A -> 0" = 1, "0 -> A" = 2, initial = c(A = 3, x = 1), continuous = "x")
  with <- function(...) do.call(petri_net, c(made, list(...)))
  grows <- transition("0 -> x", flow = 1)
  list(
    "events" = with(grow = grows, events = list(event("time >= 0.5", set = c(A = 5)))),
    "events" = with(grow = grows, events = list(event("A >= 5", set = c(A = 0), delay = 0.1))),
    "no stochastic transition" = petri_net("A -> 0" = flow(1), initial = c(A = 1), continuous = "A"),
    "rates that switch where the time or a function of levels crosses a value" = with(
      grow = transition("0 -> x", flow = "ifelse(time < 0.5, 1, 2)")
    ),
    "rates that switch where the time or a function of levels crosses a value" = with(
      grow = transition("0 -> x", flow = "ifelse(x < A, 1, 2)")
    ),
    "flows that may empty a place" = with(fall = transition("x -> 0", flow = "A"))
  )
}

# A row of genes whose proteins spread to the neighbours.
row_of_genes <- function(cells) {
  petri_net(
    "off[x] <-> on[x]" = c(1.5, 2.5), "0 -> protein[x]" = flow("on[x]"), "protein[x] -> 0" = flow(1),
    spread = transition("protein[x] -> protein[y]", flow = mass_action(0.5), guard = "abs(x - y) == 1"),
    colours = list(Cell = seq_len(cells)), indices = c(x = "Cell", y = "Cell"),
    places = c(off = "Cell", on = "Cell", protein = "Cell"), continuous = "protein", initial = c(off = 1)
  )
}

# Whether SUNDIALS is there.
has_cvode <- tryCatch({
  simulate(petri_model("gene"), times = 1, seed = 1, integrator = "cvode")
  TRUE
}, fireflip_error_unsupported = function(e) FALSE)
