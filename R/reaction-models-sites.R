# Networks of molecules with sites, made from rules. A rule changes the state of one site, whatever the other sites are.

# The reactions of one site by its rules. `rules` is a data frame with a row per rule: `from` and `to` (states of the site),
# `with` and `release` (free species that the reaction takes and makes, "" for none) and `rate`.
site_rules <- function(...) {
  rows <- list(...)
  pick <- function(i) vapply(rows, function(row) as.character(row[[i]]), "")
  data.frame(
    from = pick(1L), to = pick(2L), with = pick(3L), release = pick(4L), rate = vapply(rows, function(row) row[[5L]], 0)
  )
}

# All molecules with `sites` sites, whose names are `stem` and a letter for the state of each site. Site 1 changes fastest.
site_species <- function(stem, states, sites) {
  columns <- expand.grid(rep(list(states), sites), stringsAsFactors = FALSE)
  paste0(stem, do.call(paste0, columns))
}

# The equations and rates of all sites: for each rule and site, one for each combination of states of the other sites.
site_reactions <- function(stem, states, sites, rules) {
  names <- site_species(stem, states, sites)
  n <- length(states)
  at <- seq_along(names) - 1
  by_site <- lapply(seq_len(sites), function(site) {
    step <- n^(site - 1) # between molecules that differ in this site only
    state <- at %/% step %% n
    lapply(seq_len(nrow(rules)), function(i) {
      from <- match(rules$from[[i]], states) - 1
      before <- which(state == from)
      after <- before + (match(rules$to[[i]], states) - 1 - from) * step
      data.frame(
        equation = paste0(
          names[before], if (nzchar(rules$with[[i]])) paste(" +", rules$with[[i]]), " -> ",
          names[after], if (nzchar(rules$release[[i]])) paste(" +", rules$release[[i]])
        ),
        rate = rules$rate[[i]]
      )
    })
  })
  list_of <- function(column) unlist(lapply(by_site, lapply, `[[`, column), use.names = FALSE)
  data.frame(equation = list_of("equation"), rate = list_of("rate"))
}

# The receptor R binds the ligand L and the adaptor A, in any order. A is phosphorylated (Ap) only in the complex of all three,
# and loses the phosphate anywhere.
model_multistate <- function() {
  rate <- c(bind = 0.01, leave = 0.1)
  ligand <- c("", "L")
  adaptor <- c("A", "Ap")
  pairs <- function(left, right, joined) c(paste(left, "+", right, "->", joined), paste(joined, "->", left, "+", right))
  equation <- c(
    unlist(lapply(c("", adaptor), function(a) pairs(paste0("R", a), "L", paste0("RL", a)))),
    unlist(lapply(ligand, function(l) lapply(adaptor, function(a) pairs(paste0("R", l), a, paste0("R", l, a))))),
    "RLA -> RLAp", "RLAp -> RLA", "RAp -> RA", "Ap -> A"
  )
  mass_action_network(
    c("R", "L", "A", "RL", "RA", "RLA", "RLAp", "RAp", "Ap"), c(5360, 1160, 5360, rep(0, 6)), equation,
    unname(rate[c(rep(c("bind", "leave"), 7L), "bind", rep("leave", 3L))])
  )
}

# Each site of A is unmodified (u), bound to R (R), phosphorylated (p), or then bound to L (L).
model_multisite <- function(sites = 3) {
  check_count(sites, "sites", 1, 8)
  states <- c("u", "R", "p", "L")
  rules <- site_rules(
    list("u", "R", "R", "", 0.01), list("R", "u", "", "R", 0.1), list("R", "p", "", "R", 5),
    list("p", "L", "L", "", 0.01), list("L", "p", "", "L", 0.1), list("L", "u", "", "L", 5.1)
  )
  species <- c("R", "L", site_species("A", states, sites))
  reactions <- site_reactions("A", states, sites, rules)
  mass_action_network(species, c(5360, 1160, 5360, numeric(length(species) - 3L)), reactions$equation, reactions$rate)
}

# Each site of the receptor X is unphosphorylated (u), phosphorylated (p), or bound to one of six molecules, which the letters g,
# s, h, i, j and k stand for: G, GS, H, Hp, HpG and HpGS.
model_receptor <- function(sites = 4) {
  check_count(sites, "sites", 1, 5)
  states <- c("u", "p", "g", "s", "h", "i", "j", "k")
  adaptors <- c(g = "G", s = "GS", h = "H", i = "Hp", j = "HpG", k = "HpGS")
  on <- 1e-3
  bind <- lapply(names(adaptors), function(a) list("p", a, adaptors[[a]], "", on))
  leave <- lapply(names(adaptors), function(a) list(a, "p", "", adaptors[[a]], 0.1))
  strip <- lapply(names(adaptors), function(a) list(a, "u", "", adaptors[[a]], 0.05)) # the phosphatase releases what was bound
  rules <- do.call(site_rules, c(
    list(list("u", "p", "", "", 0.5), list("p", "u", "", "", 0.5)), bind, leave, strip,
    list(
      list("g", "s", "S", "", on), list("s", "g", "", "S", 0.1), list("h", "i", "", "", 0.3), list("i", "h", "", "", 0.1),
      list("i", "j", "G", "", on), list("j", "i", "", "G", 0.1), list("i", "k", "GS", "", on), list("k", "i", "", "GS", 0.1),
      list("j", "k", "S", "", on), list("k", "j", "", "S", 0.1)
    )
  ))
  free <- c(G = 1000, S = 500, GS = 0, H = 1000, Hp = 0, HpG = 0, HpGS = 0)
  receptors <- site_species("X", states, sites)
  in_solution <- data.frame(
    equation = c(
      "G + S -> GS", "GS -> G + S", "Hp -> H", "Hp + G -> HpG", "HpG -> Hp + G", "Hp + GS -> HpGS", "HpGS -> Hp + GS",
      "HpG + S -> HpGS", "HpGS -> HpG + S"
    ),
    rate = c(on, 0.1, 0.1, on, 0.1, on, 0.1, on, 0.1)
  )
  reactions <- rbind(in_solution, site_reactions("X", states, sites, rules))
  mass_action_network(
    c(names(free), receptors), c(free, 1000, numeric(length(receptors) - 1L)), reactions$equation, reactions$rate
  )
}
