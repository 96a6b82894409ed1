# Pages of the manual that describe no function.

#' Choosing the perturbation probability p
#'
#' The perturbation probability p is the noise of a probabilistic Boolean network. It determines whether the long run depends on
#' the initial state, how probable each set of states is, and how long a simulation takes. This page explains how to choose it.
#'
#' @section What p means:
#' At each step, each node that is not exempt flips with probability p, independently of the others. If at least one node
#' flips, the rules are not applied in this step. Otherwise the rules give the next state. So with n nodes that are not
#' exempt, the rules are applied in a fraction `(1 - p)^n` of the steps. Choose p well below 1/n: with 100 nodes, this fraction
#' is 0.90 for p = 0.001, and 0.37 for p = 0.01.
#'
#' With perturbation, every state can be reached from every other state (as long as no node is exempt). Therefore each set of
#' states has one steady-state probability, for any initial state.
#'
#' With asynchronous update, a step updates only one node. Between two of its updates, a node is then flipped n times as often
#' as with synchronous update and the same p. For about the same noise, divide p by n.
#'
#' @section What is usual:
#' Published studies often use 0.001 or 0.01. The [example models][example_models] have such values. A network from a
#' file has p = 0 unless the file contains a value (ASSA-PBN's format does) or you give one: `read_network(file, perturbation =
#' 0.001)`. [set_perturbation()] changes p.
#'
#' @section What p changes, in a network with one attractor:
#' With its input CycD on, the network `example_model("cellcycle")` has one attractor, a cycle of seven states. The set `CycB
#' & !Cdh1` contains two of them. The table shows the exact probability of this set, and the burn-in and the number of samples
#' that a simulation needs with the default precision and `seed = 1`.
#'
#' | p | probability | burn-in, steps | samples |
#' |---|---|---|---|
#' | 0.1 | 0.1434 | 132 | 1,966,080 |
#' | 0.01 | 0.2581 | 132 | 983,040 |
#' | 0.001 | 0.2829 | 741 | 2,457,600 |
#' | 1e-4 | 0.2854 | 5,544 | 20,643,840 |
#' | 1e-5 | 0.2857 | 55,045 | 204,963,840 |
#' | 0 | 0.2857 | 5,544 | 20,643,840 |
#'
#' The probability approaches 2/7, its value in the attractor. With a small p, the simulation takes more time. It must run at
#' least until nodes have flipped, so for small p its length grows like 1/p. Without perturbation, no node flips and the length
#' does not grow.
#'
#' @section What p changes, in a network with several attractors:
#' Without a stimulus, the network `example_model("thelper")` has three attractors: the cell types Th0, Th1 and Th2. Flips
#' take a cell from one to another. (The inputs are held off. The examples below contain the call.)
#'
#' | p | Th0 | Th1 | Th2 | burn-in, steps | samples |
#' |---|---|---|---|---|---|
#' | 0.1 | 0.265 | 0.281 | 0.266 | 132 | 6,635,520 |
#' | 0.05 | 0.225 | 0.368 | 0.315 | 264 | 19,169,280 |
#' | 0.02 | 0.115 | 0.393 | 0.463 | 2,112 | 110,837,760 |
#' | 0.01 | 0.055 | 0.349 | 0.584 | 8,448 | 427,622,400 |
#' | 0.005 | 0.025 | 0.308 | 0.661 | 33,792 | 1,541,652,480 |
#' | 0, random start | 0.083 | 0.553 | 0.364 | | |
#'
#' Here the answer itself depends on p. With a large p, the noise hides the attractors. With a small p, the probability of an
#' attractor depends on the number of flips that it takes to leave and to enter it. The length of the run grows like 1/p^2,
#' because a cell changes its type mostly by two flips close to each other. With p = 1e-5, the trajectories remain in the
#' attractors near their initial states for so long that the run stops with an error. The error names the nodes in which the
#' trajectories differ.
#'
#' The last row has no perturbation. It is not the limit of the other rows. It gives the probabilities with which a random
#' initial state leads to each attractor. Without flips, a trajectory never leaves its attractor.
#'
#' @section No perturbation, p = 0:
#' The network ends in an attractor and stays there. Use [outcomes()] to compute the attractors and their probabilities.
#' [steady_state()] can be used too. It gives the average over the network's own initial states, and reports that the long run
#' may depend on the initial state.
#'
#' @section Exempt nodes:
#' An exempt node is never perturbed. Two kinds of nodes should be exempt:
#' * *Inputs that hold a stimulus.* An input that is perturbed loses its value in the long run. `set_perturbation(net, 0.01,
#'   exempt = "inputs")` exempts all inputs; [set_initial()] then gives their values. [fix_nodes()] holds a node at a value, for
#'   any rule, and exempts it.
#' * *Nodes that noise cannot change*, such as a gene that is deleted. Use [fix_nodes()] for these, too.
#'
#' If an exempt input has no initial value, it starts at random, and the long run depends on it.
#'
#' @section Advice:
#' * If p models noise whose size you know, use that value.
#' * If p only makes the long run independent of the initial state, use 0.001, and check whether the answer changes with p/2.
#'   If the change is too small to matter for your question, p is small enough. If the answer changes even for small p, the
#'   network has several attractors. Then report the answer together with p, or use [outcomes()].
#' * `long_run_sensitivity(net, states, change = "perturbation", by = 1)` compares p with 2p, with an interval for the
#'   difference.
#' * If a run stops with an error because trajectories from different initial states disagree, use a larger p. In a small
#'   network, you can also use `method = "exact"`.
#'
#' @references Shmulevich I, Dougherty ER, Zhang W (2002). Gene perturbation and intervention in probabilistic Boolean networks.
#'   *Bioinformatics* 18(10), 1319-1331. \doi{10.1093/bioinformatics/18.10.1319}
#' @seealso [set_perturbation()], [steady_state()], [outcomes()].
#' @name choosing_p
#' @aliases perturbation
#' @concept perturbation probability
#' @concept noise
#' @concept mutation rate
#' @concept steady-state probability
#' @concept ergodic
#' @examples
#' # one attractor: the probability for smaller and smaller p
#' cell <- example_model("cellcycle")
#' for (p in c(0.1, 0.01, 0.001, 1e-4, 1e-5, 0)) {
#'   print(steady_state(set_perturbation(cell, p), c(mitosis = "CycB & !Cdh1"), method = "exact"))
#' }
#'
#' # three attractors
#' tcell <- fix_nodes(example_model("thelper"), IFNb = 0, IL12 = 0, IL18 = 0, TCR = 0)
#' types <- c(Th0 = "!Tbet & !GATA3", Th1 = "Tbet & !GATA3", Th2 = "GATA3 & !Tbet")
#' steady_state(set_perturbation(tcell, 0.05), types, seed = 1)
#' outcomes(set_perturbation(tcell, 0), seed = 1)
NULL

#' Coming from BoolNet
#'
#' This page lists the functions of the package BoolNet with their counterparts in fireflip. [as_pbn()] and [as_boolnet()]
#' convert networks in both directions, so that both packages can be used together.
#'
#' @section Networks:
#'
#' | BoolNet | fireflip | what differs |
#' |---|---|---|
#' | `loadNetwork()` | [read_network()] | no delays, no functions of time |
#' | `saveNetwork()` | [write_network()] | the ending decides the format |
#' | `toSBML()` | [write_network()] | |
#' | `loadSBML()` | [read_sbml()] | |
#' | `generateRandomNKNetwork()` | [random_pbn()] | several functions per node |
#' | `fixGenes(net, "A", 0)` | [`fix_nodes(net, A = 0)`][fix_nodes] | A is not perturbed either |
#' | `perturbNetwork()` | [long_run_sensitivity()] | tries all changes of a kind |
#' | `simplifyNetwork()` | [reduce_network()] | keeps what matters to given nodes |
#' | `chooseNetwork()` | [set_rule()] | |
#' | `plotNetworkWiring()` | [`plot(net)`][plot.pbn] | signed arrows |
#' | `binarizeTimeSeries()` | none | |
#' | `reconstructNetwork()` | none | use BoolNet's, then [as_pbn()] |
#' | `simulateSymbolicModel()` | none | no delays |
#'
#' @section Attractors and trajectories:
#'
#' | BoolNet | fireflip | what differs |
#' |---|---|---|
#' | `getAttractors()` | [outcomes()] | probabilities; see below |
#' | the same, asynchronous | [outcomes()] | see [set_update()] |
#' | `getAttractorSequence()` | [`as.matrix(outcomes(net), state = TRUE)`][outcomes] | one state of each; see below |
#' | `getBasinOfAttraction()` | [`outcomes(net, from = state)`][outcomes] | where a state ends |
#' | `getTransitionTable()` | [transition_matrix()] | up to 12 free nodes |
#' | `stateTransition()` | [`simulate(net, steps = 1, initial = state)`][simulate.pbn] | |
#' | `getPathToAttractor()` | [`simulate(net, steps = 10, initial = state)`][simulate.pbn] | |
#' | `generateTimeSeries()` | [`simulate(net, nsim = 5, steps = 10)`][simulate.pbn] | one data frame |
#' | `plotAttractors()` | [`plot(outcomes(net))`][outcomes] | probabilities, not states |
#' | `plotSequence()` | [`plot(simulate(net, steps = 10))`][plot.pbn_trajectories] | |
#'
#' @section Probabilistic networks:
#'
#' | BoolNet | fireflip | what differs |
#' |---|---|---|
#' | `markovSimulation()` | [stationary_distribution()] | no `numIterations` |
#' | the same, for some states | [steady_state()] | any size, with intervals |
#' | `getTransitionProbabilities()` | [transition_matrix()] | a matrix |
#' | `plotPBNTransitions()` | none | |
#' | `perturbTrajectories()` | [long_run_influence()] | in the long run |
#' | `testNetworkProperties()` | none | |
#'
#' @section What to know:
#' * *Perturbation.* BoolNet's networks have none, and a network that comes from BoolNet has p = 0. In fireflip, p is a
#'   property of the network: `as_pbn(net, perturbation = 0.001)`. See [choosing_p].
#' * *Attractors need p = 0.* With perturbation, the network leaves every attractor, and [outcomes()] is an error.
#' * *Probabilities, not sizes of basins.* [outcomes()] computes how probable each attractor is from the network's initial
#'   state, which is random by default. In a synchronous network with one function per node, this probability is the size of
#'   the basin divided by the number of states.
#' * *An attractor with a tiny basin.* `getAttractors()` lists all attractors by its exhaustive methods. So does
#'   `outcomes(net, method = "exact")`, for a network of up to 24 nodes that are not held. A simulation lists those in which
#'   its trajectories ended, and `summary()` gives an upper bound on the probability of any other attractor.
#' * *The states of a cycle.* `simulate(net, steps = k, initial = state)`, started in a state of a synchronous cycle of k states,
#'   goes through all of them.
#' * *Random numbers.* Every function that simulates has an argument `seed`. Without it, the seed is drawn from R's generator,
#'   which `set.seed()` determines, as in BoolNet.
#' * *Updates.* The update scheme is a property of the network: `set_update(net, "asynchronous")`.
#' * *Arguments.* The network comes first, and values are named: `fix_nodes(net, A = 0, B = 1)`.
#'
#' @references Muessel C, Hopfensitz M, Kestler HA (2010). BoolNet: an R package for generation, reconstruction and analysis of
#'   Boolean networks. *Bioinformatics* 26(10), 1378-1380. \doi{10.1093/bioinformatics/btq124}
#' @seealso [as_pbn()] and [as_boolnet()]; [verbs] for all functions that analyse or change a network.
#' @name coming_from_boolnet
#' @aliases BoolNet
#' @concept BoolNet
#' @concept getAttractors
#' @concept markovSimulation
#' @concept loadNetwork
#' @concept fixGenes
#' @concept basin of attraction
#' @examples
#' if (requireNamespace("BoolNet", quietly = TRUE)) {
#'   data("cellcycle", package = "BoolNet", envir = environment())
#'   net <- as_pbn(cellcycle)
#'
#'   # attractors: the sizes of their basins, and their probabilities from a random start
#'   found <- BoolNet::getAttractors(cellcycle)
#'   vapply(found$attractors, function(attractor) attractor$basinSize, 0) / 2^10
#'   outcomes(net)
#'
#'   # a knock-out
#'   BoolNet::getAttractors(BoolNet::fixGenes(cellcycle, "CycD", 0))
#'   outcomes(fix_nodes(net, CycD = 0))
#'
#'   # the Markov chain of a probabilistic network
#'   data("examplePBN", package = "BoolNet", envir = environment())
#'   BoolNet::markovSimulation(examplePBN)
#'   stationary_distribution(as_pbn(examplePBN))
#' }
NULL
