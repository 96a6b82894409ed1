#' Hybrid Petri nets from the literature
#'
#' Makes example nets. Some of them can have any size.
#'
#' @param name The name of the net: `"gene"`, `"hill"`, `"growth"`, `"calcium"` or `"puff"`. See section Nets.
#' @param ... Arguments of the net, by name. Section Nets has their defaults.
#' @returns A net of class `petri_net`.
#' @section Nets:
#' * `"gene"`: a gene that is switched on and off, and a protein that flows. The protein is made at the rate 1 while the gene is
#'   on, and decays. With the default arguments, the level of the protein in the long run has the Beta distribution with the
#'   parameters 1.5 and 2.5. Arguments: `on`, by default 1.5, and `off`, by default 2.5, the rates of switching; `decay`, by
#'   default 1, the rate constant of decay. Times and levels have no units.
#' * `"hill"`: a gene whose protein switches it on. mRNA and protein flow. The rates of switching are Hill functions of the
#'   protein with the exponent 4 and the constant 15. No arguments. Times and levels have no units.
#' * `"growth"`: a level x grows at the rate 1. It is reset to 0 at the rate x, and `divisions` counts the resets. The times
#'   between resets have a Rayleigh distribution. In the long run, the level has the distribution of |Z|, where Z is standard
#'   normal. No arguments. Times and levels have no units.
#' * `"calcium"`: the model of De Young and Keizer (1992) for calcium in the cytosol (the place Ca) and in the endoplasmic
#'   reticulum (ER) of `nx` times `ny` cells, with one channel in each. A channel has four subunits. Each subunit has a site for
#'   IP3, an activating site for calcium and an inhibiting one. The place S110 is the number of subunits with IP3 and calcium at
#'   the first two sites only, and so on. The channel is open if S110 is at least 3. Concentrations are in micromoles per litre,
#'   times in seconds. Not from the publication are the grid, one channel in a cell, and diffusion between neighbours, with the
#'   rate constant D = 20. With 100 times 200 cells, the net has 200,000 places. Arguments: `nx` and `ny`, by default 1, which
#'   gives a net without colours; `ip3`, the concentration of IP3, by default 0.5; `channels`, `"closed"` (the default: all
#'   subunits are in the state 000) or `"stationary"` (the states are drawn from the stationary distribution of a subunit at the
#'   initial level of calcium); `seed` of these draws, by default `NULL`, which takes R's random numbers.
#' * `"puff"`: a cluster of IP3 receptors that release calcium together (Cao et al. 2013, with the constants of Hawker et al.
#'   2024). A channel has the closed states C1 to C4 and the open states O5 and O6. At an open channel, calcium is 120 micromoles
#'   per litre higher than at a closed one. The inactivation h42 of a channel follows calcium slowly, as a level. c is calcium and
#'   B free buffer. Concentrations are in nanomoles per litre, times in seconds. The publication does not print the flows of
#'   calcium and buffer: they follow from its parameters and the state at rest. Arguments: `channels`, their number, by default
#'   10; `ip3`, by default 0.1, in micromoles per litre.
#' @section Errors: `fireflip_error_argument` for an unknown name and for an invalid argument. The message lists the names.
#' @references De Young GW, Keizer J (1992). A single-pool inositol 1,4,5-trisphosphate-receptor-based model for
#'   agonist-stimulated oscillations in Ca2+ concentration. *PNAS* 89(20), 9895-9899. \doi{10.1073/pnas.89.20.9895}
#'
#' Cao P, Donovan G, Falcke M, Sneyd J (2013). A stochastic model of calcium puffs based on single-channel data. *Biophysical
#' Journal* 105(5), 1133-1142. \doi{10.1016/j.bpj.2013.07.034}
#'
#' Hawker M, Cao P, Sneyd J, Siekmann I (2024). A Ca2+ puff model based on integrodifferential equations. *arXiv* 2401.17326.
#' \doi{10.48550/arXiv.2401.17326}
#' @seealso [petri_net()], [reaction_model()].
#' @export
#' @examples
#' petri_model("gene")
#' summary(petri_model("calcium", nx = 3, ny = 4))
petri_model <- function(name, ...) {
  makers <- petri_makers()
  meant <- meant_arguments(name, list(...), names(makers), sys.call(), parent.frame())
  if (!is.null(meant)) return(do.call(petri_model, meant))
  check_choice(name, "name", names(makers))
  check_arguments_of(makers[[name]], list(...), name, "net")
  makers[[name]](...)
}

petri_makers <- function() {
  list(gene = net_gene, hill = net_hill, calcium = net_calcium, growth = net_growth, puff = net_puff)
}

net_gene <- function(on = 1.5, off = 2.5, decay = 1) {
  for (one in c("on", "off", "decay")) check_number(get(one), one, 0)
  petri_net(
    switch_on = transition("off -> on", rate = mass_action("k_on")),
    switch_off = transition("on -> off", rate = mass_action("k_off")),
    make = transition("0 -> protein", flow = "on"), decay = transition("protein -> 0", flow = mass_action("d")),
    initial = c(off = 1), continuous = "protein", parameters = c(k_on = on, k_off = off, d = decay)
  )
}

net_hill <- function() {
  petri_net(
    switch_on = transition("off -> on", rate = "off * (0.2 + 4 * protein^4 / (K^4 + protein^4))"),
    switch_off = transition("on -> off", rate = "on * (0.5 + 1.5 * K^4 / (K^4 + protein^4))"),
    transcribe = transition("0 -> mRNA", flow = "20 * on"), degrade = transition("mRNA -> 0", flow = 2),
    translate = transition("0 -> protein", flow = "3 * mRNA"), decay = transition("protein -> 0", flow = 1),
    initial = c(off = 1, mRNA = 0.1, protein = 0.1), continuous = c("mRNA", "protein"), parameters = c(K = 15)
  )
}

net_growth <- function() {
  petri_net(
    grow = transition("0 -> x", flow = 1), divide = transition("0 -> divisions", rate = "x", reset = "x"), continuous = "x"
  )
}

# The bindings of a subunit: the states before and after, the constants of both directions, and whether calcium binds.
calcium_bindings <- function() {
  one <- function(from, to, forth, back, calcium) data.frame(from = from, to = to, forth = forth, back = back, calcium = calcium)
  state <- function(i, j, k) paste0("S", i, j, k)
  rbind(
    do.call(rbind, lapply(0:1, function(j) one(state(0, j, 0), state(1, j, 0), "a1 * IP3", "b1", FALSE))),
    do.call(rbind, lapply(0:1, function(j) one(state(1, j, 0), state(1, j, 1), "a2", "b2", TRUE))),
    do.call(rbind, lapply(0:1, function(j) one(state(0, j, 1), state(1, j, 1), "a3 * IP3", "b3", FALSE))),
    do.call(rbind, lapply(0:1, function(j) one(state(0, j, 0), state(0, j, 1), "a4", "b4", TRUE))),
    do.call(rbind, lapply(0:1, function(i) do.call(rbind, lapply(0:1, function(k) {
      one(state(i, 0, k), state(i, 1, k), "a5", "b5", TRUE)
    }))))
  )
}

net_calcium <- function(nx = 1, ny = 1, ip3 = 0.5, channels = c("closed", "stationary"), seed = NULL) {
  check_count(nx, "nx", 1, 1e6)
  check_count(ny, "ny", 1, 1e6)
  check_number(ip3, "ip3", 0)
  channels <- check_choice(channels, "channels", c("closed", "stationary"))
  cells <- nx * ny
  at <- if (cells == 1) "" else "[x,y]"
  a <- c(a1 = 400, a2 = 0.2, a3 = 400, a4 = 0.2, a5 = 20)
  b <- a * c(0.13, 1.049, 0.9434, 0.1445, 0.08234)
  names(b) <- paste0("b", 1:5)
  parameters <- c(a, b, IP3 = ip3, c1 = 0.185, v1 = 6, v2 = 0.11, v3 = 0.9, k3 = 0.1, D = 20)
  bindings <- calcium_bindings()
  states <- unique(c("S000", bindings$from, bindings$to))
  subunits <- lapply(seq_len(nrow(bindings)), function(i) {
    forth <- paste0(bindings$forth[[i]], if (bindings$calcium[[i]]) paste0(" * Ca", at))
    transition(
      sprintf("%s%s <-> %s%s", bindings$from[[i]], at, bindings$to[[i]], at), rate = mass_action(c(forth, bindings$back[[i]]))
    )
  })
  names(subunits) <- paste0(bindings$from, "_", sub("S", "", bindings$to))
  local <- function(text) gsub("@", at, text, fixed = TRUE)
  flows <- list(
    release = transition(local("(1 / c1) ER@ -> Ca@"), flow = local("c1 * v1 * (ER@ - Ca@)"), test = local("S110@ >= 3")),
    leak = transition(local("(1 / c1) ER@ -> Ca@"), flow = local("c1 * v2 * (ER@ - Ca@)")),
    pump = transition(local("Ca@ -> (1 / c1) ER@"), flow = local("v3 * Ca@^2 / (Ca@^2 + k3^2)"))
  )
  near <- "abs(x - a) + abs(y - b) == 1"
  if (cells > 1) flows <- c(flows, list(
    diffuse_Ca = transition("Ca[x,y] -> Ca[a,b]", flow = mass_action("D"), guard = near),
    diffuse_ER = transition("ER[x,y] -> ER[a,b]", flow = mass_action("D"), guard = near)
  ))
  initial <- c(list(Ca = 0.1, ER = 10.27), calcium_start(channels, states, bindings, parameters, nx, ny, seed))
  if (cells == 1) {
    parameters <- parameters[names(parameters) != "D"]
    return(do.call(petri_net, c(subunits, flows, list(initial = initial, continuous = c("Ca", "ER"), parameters = parameters))))
  }
  do.call(petri_net, c(subunits, flows, list(
    colours = list(X = seq_len(nx), Y = seq_len(ny)), sets = c(Cell = "X * Y"), indices = c(x = "X", y = "Y", a = "X", b = "Y"),
    places = stats::setNames(rep("Cell", 2L + length(states)), c("Ca", "ER", states)), continuous = c("Ca", "ER"),
    initial = initial, parameters = parameters
  )))
}

# The initial states of four subunits in each cell.
calcium_start <- function(channels, states, bindings, parameters, nx, ny, seed) {
  if (channels == "closed") return(list(S000 = 4))
  share <- stationary_subunit(states, bindings, parameters)
  restore <- seed_rng(seed)
  on.exit(restore())
  counts <- stats::rmultinom(nx * ny, 4L, share)
  rownames(counts) <- states
  if (nx * ny == 1) return(as.list(counts[counts[, 1L] > 0, 1L]))
  cell <- paste0("[", rep(seq_len(nx), each = ny), ",", rep(seq_len(ny), times = nx), "]")
  at <- which(counts > 0, arr.ind = TRUE)
  stats::setNames(as.list(as.double(counts[at])), paste0(states[at[, 1L]], cell[at[, 2L]]))
}

# The stationary distribution of a subunit at the initial level of calcium.
stationary_subunit <- function(states, bindings, parameters) {
  constant <- function(name) {
    parts <- strsplit(name, " * ", fixed = TRUE)[[1L]]
    prod(parameters[parts])
  }
  rates <- matrix(0, length(states), length(states), dimnames = list(states, states))
  for (i in seq_len(nrow(bindings))) {
    calcium <- if (bindings$calcium[[i]]) 0.1 else 1
    rates[bindings$from[[i]], bindings$to[[i]]] <- constant(bindings$forth[[i]]) * calcium
    rates[bindings$to[[i]], bindings$from[[i]]] <- constant(bindings$back[[i]])
  }
  diag(rates) <- -rowSums(rates)
  system <- rbind(t(rates), 1)
  share <- qr.solve(system, c(numeric(length(states)), 1))
  pmax(share, 0) / sum(pmax(share, 0))
}

net_puff <- function(channels = 10, ip3 = 0.1) {
  check_count(channels, "channels", 1, 1e5)
  check_number(ip3, "ip3", 0)
  p <- ip3
  up <- function(n, k) p^n / (p^n + k^n)
  down <- function(n, k) k^n / (p^n + k^n)
  parameters <- c(
    Jr = 200000, Vs = 20 * 200000, Ks = 12000, Jleak = 20 * 200000 * 100 / (100 + 12000), BT = 20000, kon = 0.15,
    koff = 2000 * 0.15,
    q12 = 1240, q21 = 88, q23 = 3, q32 = 69, q26 = 10500, q62 = 4010, q45 = 11, q54 = 3330, high = 120000,
    a24 = 1 + 30 * down(2, 0.5), V24 = 60 + 253 * down(3, 1.2), k24 = 479 + 70 * down(2, 1.2), n24 = 6.3 + 1.72 * up(2, 1.2),
    kn24 = 79750 + 17368 * down(2, 1.2), nn24 = 8.2 * up(2, 1.5), a42 = 1.8 * up(2, 0.58),
    V42 = 100, k42 = 398 + 257 * up(4, 3.6), n42 = 5.9 + 5.3 * down(2, 1.2), kn42 = 170 + 70000 * up(3, 6.5),
    nn42 = 3.2 + 4.88 * up(2, 1.3), ah = 0.5, Vh = 100, Kh = 20000
  )
  level <- "(c + high * (O5[i] + O6[i]))" # what the channel sees
  rise <- function(k, n) sprintf("(%s^%s / (%s^%s + %s^%s))", level, n, k, n, level, n)
  fall <- function(k, n) sprintf("(%s^%s / (%s^%s + %s^%s))", k, n, k, n, level, n)
  lambda <- sprintf("(ah + Vh * %s)", rise("Kh", "7"))
  step <- function(from, to, rate) transition(sprintf("%s[i] -> %s[i]", from, to), rate = mass_action(rate))
  start <- with(as.list(parameters), kn42^nn42 / (kn42^nn42 + 100^nn42))
  petri_net(
    q12 = step("C1", "C2", "q12"), q21 = step("C2", "C1", "q21"), q23 = step("C2", "C3", "q23"), q32 = step("C3", "C2", "q32"),
    q26 = step("C2", "O6", "q26"), q62 = step("O6", "C2", "q62"), q45 = step("C4", "O5", "q45"), q54 = step("O5", "C4", "q54"),
    q24 = step("C2", "C4", sprintf("a24 + V24 * (1 - %s * %s)", rise("k24", "n24"), fall("kn24", "nn24"))),
    q42 = step("C4", "C2", sprintf("a42 + V42 * %s * h42[i]", rise("k42", "n42"))),
    h42_up = transition("0 -> h42[i]", flow = sprintf("%s * %s", lambda, fall("kn42", "nn42"))),
    h42_down = transition("h42[i] -> 0", flow = mass_action(lambda)),
    release = transition("0 -> c", flow = "Jr * (sum(O5) + sum(O6))"), leak = transition("0 -> c", flow = "Jleak"),
    pump = transition("c -> 0", flow = "Vs * c / (c + Ks)"), bind = transition("c + B -> 0", flow = mass_action("kon")),
    unbind = transition("0 -> c + B", flow = "koff * (BT - B)"),
    colours = list(Channel = seq_len(channels)), indices = c(i = "Channel"),
    places = stats::setNames(rep("Channel", 7L), c("C1", "C2", "C3", "C4", "O5", "O6", "h42")), continuous = c("c", "B", "h42"),
    initial = list(C4 = 1, c = 100, B = with(as.list(parameters), koff * BT / (kon * 100 + koff)), h42 = start),
    parameters = parameters
  )
}
