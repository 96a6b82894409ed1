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
#' * `"colloid"`: colloidal aggregation (Meakin 1988; Ramaswamy and Sbalzarini 2010). Clusters Sn and Sm join, as long as n + m is
#'   not above the number of species, and each cluster of at least 2 particles breaks in all ways. All constants and counts are 1.
#'   Argument: `species`, by default 100, at least 2.
#' * `"aggregation"`: copies of the colloid of four species and eight reactions, with constants drawn uniformly from 0 to 1 and
#'   counts of 10 (Park and Gerstlauer). Arguments: `copies`, by default 100; `shared`, whether all copies use the same four
#'   species, by default `FALSE`; `seed`.
#' * `"random"`: each reaction takes two different species, chosen at random, and makes two others, with constants drawn uniformly
#'   from 0 to 1 and counts of 100. When a reaction fires, about 9 propensities change if there are as many reactions as species.
#'   Arguments: `species` and `reactions`, by default 1024; `seed`. Komarov and D'Souza (2012) used such networks; this definition
#'   is ours.
#' * `"viral_infection"`: the growth of a virus within a cell (Srivastava et al. 2002; Haseltine and Rawlings 2002). One copy of the
#'   template `tem` starts the infection; `gen` is the genome and `struct` the structural protein. No arguments.
#'
#'   `seed` is a whole number that determines the network. With `NULL`, the default, random numbers are drawn from R's generator.
#' @section Errors: `fireflip_error_argument` for an unknown name and for an invalid argument.
#' @references Gillespie DT (2001). Approximate accelerated stochastic simulation of chemically reacting systems. *Journal of
#'   Chemical Physics* 115(4), 1716-1733. \doi{10.1063/1.1378322}
#'
#' Koester T, Herrmann L, Herrmann P, Warnke T, Uhrmacher AM (2022). GPU-based simulation of ensembles of reaction networks.
#'
#' Meakin P (1988). Models for colloidal aggregation. *Annual Review of Physical Chemistry* 39, 237-267.
#'
#' Ramaswamy R, Sbalzarini IF (2010). A partial-propensity variant of the composition-rejection stochastic simulation algorithm for
#' chemical reaction networks. *Journal of Chemical Physics* 132, 044102.
#'
#' Komarov I, D'Souza RM (2012). Accelerating the Gillespie exact stochastic simulation algorithm using hybrid parallel execution on
#' graphics processing units. *PLOS ONE* 7(11), e46693. \doi{10.1371/journal.pone.0046693}
#' @seealso [reaction_network()], [example_model()].
#' @export
#' @examples
#' reaction_model("sir_ring", regions = 3)
#' reaction_model("colloid", species = 4)
#' summary(reaction_model("random", species = 1024, reactions = 1024, seed = 1))
reaction_model <- function(name, ...) {
  makers <- list(
    decay_dimerisation = model_decay_dimerisation, sir_ring = model_sir_ring, cyclic_chain = model_cyclic_chain,
    colloid = model_colloid, aggregation = model_aggregation, random = model_random, viral_infection = model_viral_infection
  )
  check_choice(name, "name", names(makers))
  known <- names(formals(makers[[name]]))
  given <- names(list(...))
  if (...length() > 0L && (is.null(given) || any(!nzchar(given)))) {
    abort_argument(sprintf("The arguments of \"%s\" must be given by name; found one without a name.", name))
  }
  for (argument in setdiff(given, known)) {
    if (length(known) == 0L) abort_argument(sprintf("The network \"%s\" has no arguments; found `%s`.", name, argument))
    abort_unknown(argument, known)
  }
  makers[[name]](...)
}
