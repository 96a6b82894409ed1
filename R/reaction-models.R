#' Reaction networks of any size
#'
#' Generates reaction networks that are used in the literature to compare simulators. All reactions are mass action.
#'
#' @param name The name of the network; see section Networks.
#' @param ... Arguments of the network, by name.
#' @returns A network of class `reaction_network`.
#' @section Networks:
#' * `"decay_dimerisation"`: decay and reversible dimerisation (Gillespie 2001), `S1 -> 0` (1), `2 S1 <-> S2` (0.002 and 0.5) and
#'   `S2 -> S3` (0.04). Argument: `count`, the initial count of S1, by default 1e5.
#' * `"sir_ring"`: an epidemic in a ring of regions (Koester et al. 2022), with species S, I and R for each region. A susceptible
#'   person is infected by one of the same region (0.003) or of the two neighbouring regions (0.0003 each), and recovers (0.1).
#'   The constants are not printed in the paper; these are ours. Each region starts with 1,000 susceptible persons, and one
#'   person of region 1 is infected. Argument: `regions`, by default 100, at least 3.
#' * `"cyclic_chain"`: the reactions `S1 -> S2`, `S2 -> S3`, and so on, closed to a cycle. All constants and counts are 1.
#'   Argument: `species`, by default 100, at least 2.
#' * `"colloid"`: colloidal aggregation (Meakin 1988; Ramaswamy and Sbalzarini 2010). Clusters Sn and Sm join if n + m is not
#'   above the number of species. Each cluster of at least 2 particles breaks into two clusters in all possible ways. All
#'   constants and counts are 1. Argument: `species`, by default 100, at least 2.
#' * `"aggregation"`: copies of the colloid of four species and eight reactions, with constants drawn uniformly from 0 to 1 and
#'   counts of 10 (Park and Gerstlauer). Arguments: `copies`, by default 100; `sets`, how many sets of four species the copies
#'   share in turns, by default one for each copy; `shared = TRUE`, the same as `sets = 1`; `seed`.
#' * `"random"`: each reaction takes two different species, chosen at random, and makes two others, with constants drawn uniformly
#'   from 0 to 1 and counts of 100. When a reaction fires, about 9 propensities change if there are as many reactions as species.
#'   Arguments: `species` and `reactions`, by default 1024; `seed`. Komarov and D'Souza (2012) used such networks; this definition
#'   is ours.
#' * `"viral_infection"`: the growth of a virus within a cell (Srivastava et al. 2002), with the names of Park and Gerstlauer: the
#'   template RNA, the genome DNA, the structural protein P and the complete virus V. It starts with one RNA. The unit of time is
#'   a day. No arguments.
#' * `"multistate"`: a receptor R binds a ligand L and an adaptor A, in any order. A is phosphorylated in the complex of all
#'   three, and loses the phosphate anywhere (Blinov et al. 2004; Gupta and Mendes 2018). It has 9 species and 18 reactions. No
#'   arguments.
#' * `"multisite"`: a molecule A with independent sites. A kinase R binds to a site and phosphorylates it, and a phosphatase L
#'   binds to a phosphorylated site and removes the phosphate (the same sources). The name of a species of A has a letter for
#'   each site: u (unmodified), R (bound to R), p (phosphorylated) or L (phosphorylated and bound to L). With n sites, there
#'   are 4^n + 2 species and 6 n 4^(n - 1) reactions. Argument: `sites`, by default 3, at most 8.
#' * `"receptor"`: a receptor X with independent sites, of the size of large rule-based models. Each site is unphosphorylated
#'   (u), phosphorylated (p), or phosphorylated and bound to one of the complexes G, GS, H, Hp, HpG and HpGS of the adaptors G
#'   and H (letters g, s, h, i, j and k). These complexes also form and break up, both at a site and in solution. With n sites,
#'   there are 8^n + 7 species and 30 n 8^(n - 1) + 9 reactions: 4,103 and 61,449 for the default of 4. This network is ours.
#'   Argument: `sites`, at most 5.
#'
#'   `seed` is a whole number that determines the network. With `NULL`, the default, random numbers are drawn from R's generator.
#' @section Errors: `fireflip_error_argument` for an unknown name and for an invalid argument.
#' @references Gillespie DT (2001). Approximate accelerated stochastic simulation of chemically reacting systems. *Journal of
#'   Chemical Physics* 115(4), 1716-1733. \doi{10.1063/1.1378322}
#'
#' Koester T, Herrmann L, Andelfinger P, Uhrmacher AM (2022). GPU-accelerated simulation ensembles of stochastic reaction
#' networks. *Winter Simulation Conference*.
#'
#' Park H, Gerstlauer A. Toward a fast stochastic simulation processor for biochemical reaction networks.
#'
#' Srivastava R, You L, Summers J, Yin J (2002). Stochastic vs. deterministic modeling of intracellular viral kinetics. *Journal
#' of Theoretical Biology* 218(3), 309-321.
#'
#' Blinov ML, Faeder JR, Goldstein B, Hlavacek WS (2004). BioNetGen: software for rule-based modeling of signal transduction based
#' on the interactions of molecular domains. *Bioinformatics* 20(17), 3289-3291. \doi{10.1093/bioinformatics/bth378}
#'
#' Gupta A, Mendes P (2018). An overview of network-based and -free approaches for stochastic simulation of biochemical systems.
#' *Computation* 6(1), 9. \doi{10.3390/computation6010009}
#'
#' Meakin P (1988). Models for colloidal aggregation. *Annual Review of Physical Chemistry* 39, 237-267.
#'
#' Ramaswamy R, Sbalzarini IF (2010). A partial-propensity variant of the composition-rejection stochastic simulation algorithm
#' for chemical reaction networks. *Journal of Chemical Physics* 132, 044102.
#'
#' Komarov I, D'Souza RM (2012). Accelerating the Gillespie exact stochastic simulation algorithm using hybrid parallel execution
#' on graphics processing units. *PLOS ONE* 7(11), e46693. \doi{10.1371/journal.pone.0046693}
#' @seealso [reaction_network()], [example_model()].
#' @export
#' @examples
#' reaction_model("sir_ring", regions = 3)
#' reaction_model("colloid", species = 4)
#' summary(reaction_model("random", species = 1024, reactions = 1024, seed = 1))
reaction_model <- function(name, ...) {
  makers <- list(
    decay_dimerisation = model_decay_dimerisation, sir_ring = model_sir_ring, cyclic_chain = model_cyclic_chain,
    colloid = model_colloid, aggregation = model_aggregation, random = model_random, viral_infection = model_viral_infection,
    multistate = model_multistate, multisite = model_multisite, receptor = model_receptor
  )
  meant <- meant_arguments(name, list(...), names(makers), sys.call(), parent.frame())
  if (!is.null(meant)) return(do.call(reaction_model, meant))
  check_choice(name, "name", names(makers))
  check_arguments_of(makers[[name]], list(...), name, "network")
  makers[[name]](...)
}

# R takes an argument of a model, such as n = 3, for `name` if it is an abbreviation of it. The arguments that were meant, or NULL
# if these are they. `others` are those of `...`, `known` the names of the models.
meant_arguments <- function(name, others, known, call, caller) {
  if (!missing(name) && is.character(name) && all(name %in% known)) return(NULL)
  meant <- abbreviation_of("name", call, caller, names(others))
  at <- which(if (is.null(names(others))) rep(TRUE, length(others)) else !nzchar(names(others)))
  if (is.null(meant) || length(at) == 0L) return(NULL)
  c(list(name = others[[at[[1L]]]]), stats::setNames(list(name), meant), others[-at[[1L]]])
}

# Checks the arguments that the maker of the model `name` is given: by name, and such that it knows them. `what` is the kind of
# model in messages.
check_arguments_of <- function(maker, values, name, what) {
  known <- names(formals(maker))
  given <- names(values)
  if (length(values) > 0L && (is.null(given) || any(!nzchar(given)))) {
    abort_argument(sprintf("The arguments of \"%s\" must be given by name; found one without a name.", name))
  }
  for (argument in setdiff(given, known)) {
    if (length(known) == 0L) abort_argument(sprintf("The %s \"%s\" has no arguments; found `%s`.", what, name, argument))
    if (sum(startsWith(known, argument)) > 1L) { # it is not known which of them was meant
      all <- paste0("`", known, "`", collapse = ", ")
      abort_argument(sprintf("There is no argument `%s`; the arguments are %s.", argument, all))
    }
    abort_unknown(argument, known)
  }
}

# ---- the networks ---------------------------------------------------------------------------------------------------------

# A network of mass action without parameters. `rate` has a number for each equation, or one for all, and `initial` for each
# species. The core writes the texts of equations and rates.
mass_action_network <- function(species, initial, equation, rate) {
  n <- length(equation)
  text <- exact_text(unique(rate))[match(rate, unique(rate))]
  model <- new_reaction_network(
    species, rep_len(initial, length(species)), logical(length(species)), stats::setNames(numeric(), character()),
    data.frame(name = paste0("R", seq_len(n)), equation = equation, rate = rep_len(text, n), law = rep("mass action", n))
  )
  checked <- .Call(ffi_reactions_check, model)
  model$reactions$equation <- checked$equation
  model$reactions$rate <- checked$rate
  model
}

model_decay_dimerisation <- function(count = 1e5) {
  check_count(count, "count")
  mass_action_network(
    c("S1", "S2", "S3"), c(count, 0, 0), c("S1 -> 0", "2 S1 -> S2", "S2 -> 2 S1", "S2 -> S3"), c(1, 0.002, 0.5, 0.04)
  )
}

# The species and reactions of a region are next to each other.
model_sir_ring <- function(regions = 100) {
  check_count(regions, "regions", 3, 1e7)
  i <- seq_len(regions)
  after <- i %% regions + 1
  before <- (i - 2) %% regions + 1
  equation <- rbind(
    sprintf("S%d + I%d -> 2 I%d", i, i, i), sprintf("S%d + I%d -> I%d + I%d", i, after, i, after),
    sprintf("S%d + I%d -> I%d + I%d", i, before, i, before), sprintf("I%d -> R%d", i, i)
  )
  initial <- rbind(rep(1000, regions), i == 1, 0)
  mass_action_network(
    as.vector(rbind(paste0("S", i), paste0("I", i), paste0("R", i))), as.vector(initial), as.vector(equation),
    rep(c(0.003, 0.0003, 0.0003, 0.1), regions)
  )
}

model_cyclic_chain <- function(species = 100) {
  check_count(species, "species", 2, 1e8)
  names <- paste0("S", seq_len(species))
  mass_action_network(names, 1, paste(names, "->", c(names[-1L], names[[1L]])), 1)
}

model_colloid <- function(species = 100) {
  check_count(species, "species", 2, 1e4)
  mass_action_network(sprintf("S%d", seq_len(species)), 1, colloid_equations(colloid_pairs(species)), 1)
}

# The pairs n <= m of clusters whose sum is at most `species`, by their sum.
colloid_pairs <- function(species) {
  sums <- rep(2:species, 2:species %/% 2)
  n <- sequence(2:species %/% 2)
  list(n = n, m = sums - n)
}

# Equations of joining, and then those of breaking. `offset` is added to the numbers of species.
colloid_equations <- function(pairs, offset = 0) {
  n <- pairs$n + offset
  m <- pairs$m + offset
  apart <- ifelse(n == m, sprintf("2 S%d", n), sprintf("S%d + S%d", n, m))
  joined <- sprintf("S%d", pairs$n + pairs$m + offset)
  c(paste(apart, "->", joined), paste(joined, "->", apart))
}

model_aggregation <- function(copies = 100, shared = FALSE, seed = NULL, sets = NULL) {
  check_count(copies, "copies", 1, 1e7)
  check_flag(shared, "shared")
  check_count(sets, "sets", 1, copies, null = TRUE)
  if (shared && !is.null(sets) && sets != 1) {
    abort_argument(sprintf("`shared` = TRUE is one set of species; found `sets` = %s.", show_bound(sets)))
  }
  if (is.null(sets)) sets <- if (shared) 1 else copies
  restore <- seed_rng(seed)
  on.exit(restore())
  pairs <- colloid_pairs(4)
  offset <- 4 * ((seq_len(copies) - 1) %% sets)
  equation <- vapply(offset, function(first) colloid_equations(pairs, first), character(8L))
  mass_action_network(sprintf("S%d", seq_len(max(offset) + 4)), 10, as.vector(equation), stats::runif(8 * copies))
}

model_random <- function(species = 1024, reactions = 1024, seed = NULL) {
  check_count(species, "species", 4, 1e8)
  check_count(reactions, "reactions", 1, 1e8)
  restore <- seed_rng(seed)
  on.exit(restore())
  # four different species: each draw counts only those that are left
  drawn <- matrix(0, reactions, 4L)
  for (k in 1:4) {
    at <- floor(stats::runif(reactions) * (species - k + 1)) + 1
    if (k > 1L) {
      taken <- matrix(drawn[, seq_len(k - 1L)], ncol = k - 1L)
      taken <- matrix(taken[order(row(taken), taken)], ncol = k - 1L, byrow = TRUE) # ascending in each row
      for (j in seq_len(k - 1L)) at <- at + (at >= taken[, j])
    }
    drawn[, k] <- at
  }
  mass_action_network(
    sprintf("S%d", seq_len(species)), 100, sprintf("S%d + S%d -> S%d + S%d", drawn[, 1], drawn[, 2], drawn[, 3], drawn[, 4]),
    stats::runif(reactions)
  )
}

model_viral_infection <- function() {
  mass_action_network(
    c("DNA", "RNA", "P", "V"), c(0, 1, 0, 0),
    c("DNA -> RNA", "RNA -> 0", "RNA -> RNA + DNA", "DNA + P -> V", "RNA -> RNA + P", "P -> 0"),
    c(0.025, 0.25, 1, 7.5e-6, 1000, 1.99)
  )
}

# Seeds R's generator, unless the seed is NULL. Returns a function that restores its state.
seed_rng <- function(seed) {
  check_count(seed, "seed", -.Machine$integer.max, .Machine$integer.max, null = TRUE)
  if (is.null(seed)) return(function() NULL)
  restore <- keep_rng()
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  restore
}
