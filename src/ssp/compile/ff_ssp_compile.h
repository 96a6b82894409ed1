/* Compiles a reaction network for a Stochastic Simulation Processor. */
#ifndef FF_SSP_COMPILE_H
#define FF_SSP_COMPILE_H

#include "../../model/reactions/ff_reactions.h"
#include "../program/ff_ssp_program.h"

/* How reactions get to RUs and into an order. */
typedef enum {
  FF_SSP_NONE,     /* at random; the scratchpad is used as it comes */
  FF_SSP_PAPER,    /* the paper's: groups by reactant are dealt over the RUs, species are renamed, Algorithm 1 */
  FF_SSP_LOCALITY, /* ours: groups stay whole, and species that react with each other are neighbours */
  FF_SSP_OPTIMISES
} ff_ssp_optimise;

/* "none", "paper", "locality"; NULL for other numbers. */
const char *ff_ssp_optimise_name(int optimise);

/* The program of a network. FF_EUNSUPPORTED if a reaction is not elementary (no more than two reactants, mass action with a
 * constant rate, at most 8 species that change, by at most 127), or if there are events or rates of the time; the sentence names
 * the reaction. FF_ESIZE if a number or the memory does not suffice. The result depends on the arguments alone; the seed matters
 * for FF_SSP_NONE only. The caller frees *out. O(size * log(size)): some 4e5 reactions a second. */
ff_status ff_ssp_compile(ff_ssp_program **out, const ff_reactions *net, const ff_ssp_chip *chip, ff_ssp_optimise optimise,
                         uint64_t seed, ff_error *err);

/* The network that a program evaluates, with mass action and no parameters: that which was compiled, but for the precision of
 * rates, and for species that reactions do not change. The program is one that ff_ssp_check() accepts. FF_EMODEL if its names are
 * not those of a network. The caller frees *out. O(size). */
ff_status ff_ssp_decompile(ff_reactions **out, const ff_ssp_program *program, ff_error *err);

#endif
