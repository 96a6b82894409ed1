/* The steps of the compiler, each a function with a check of its result. Numbers of species are those of the network until they
 * are renamed to spids. */
#ifndef FF_SSP_COMPILE_INTERNAL_H
#define FF_SSP_COMPILE_INTERNAL_H

#include "../../base/ff_names.h"
#include "ff_ssp_compile.h"

#define FF_SSP_NONE_OF 0xFFFFFFFFu /* no species, no RU */

/* What the compiler knows of a network: elementary reactions. */
typedef struct {
  uint32_t n_species, n_reactions;
  uint8_t *type;     /* of a reaction: FF_SSP_UNI, FF_SSP_BI1, FF_SSP_BI2, or FF_SSP_SPECIAL for a source */
  uint32_t *a, *b;   /* its reactants, a < b for FF_SSP_BI2; else b = a. Of a source, FF_SSP_NONE_OF */
  double *rate;      /* with the factor 1/2 of FF_SSP_BI1 */
  uint32_t *vectors; /* n_reactions x FF_SSP_CHANGES changes, with numbers of species in place of spids */
  uint32_t *initial;
  uint32_t *reader_first, *readers; /* of species s: the reactions that read it, readers[reader_first[s] ... ], ascending */
  uint32_t *rank;    /* of a species: its place in the order in which reactants first appear, then in which others change; of one
                      * that neither reacts nor changes, FF_SSP_NONE_OF */
  uint32_t *dummies, n_dummies; /* species that change and that no reaction reads, in this order */
} ff_ssp_network;

/* The name of a reaction for messages, or "number 3" if it has none. */
ff_quoted ff_ssp_label(const ff_reactions *net, uint32_t r);

/* Step (i). The caller frees what *out owns with ff_ssp_network_free(), also on failure. */
ff_status ff_ssp_network_read(ff_ssp_network *out, const ff_reactions *net, ff_error *err);
void ff_ssp_network_free(ff_ssp_network *net);

/* Instructions that a reaction takes. */
static inline uint32_t ff_ssp_weight(const ff_ssp_network *net, uint32_t r) { return net->type[r] == FF_SSP_BI2 ? 2 : 1; }

/* Step (iii), first part: the order of the species. order[i] becomes the species whose spid is i. */
ff_status ff_ssp_rename(uint32_t *order, const ff_ssp_network *net, ff_ssp_optimise optimise, uint64_t seed, ff_error *err);

/* Step (ii): the RU of each reaction, and that of each dummy: the RU with the fewest instructions. `order` is that of
 * ff_ssp_rename(). */
ff_status ff_ssp_partition(uint32_t *ru_of, uint32_t *ru_of_dummy, const ff_ssp_network *net, const uint32_t *order,
                           uint32_t rus, ff_ssp_optimise optimise, uint64_t seed, ff_error *err);

/* What an RU has to do. */
typedef struct {
  const uint32_t *reactions, *dummies; /* of this RU; reactions in the order in which they are tried */
  uint32_t n_reactions, n_dummies;
  int all_stay; /* whether each RU has an entry of its scratchpad for each of its species */
} ff_ssp_share;

/* How many species the RU reads. `scratch` as below. O(reactions). */
uint32_t ff_ssp_species_of(const ff_ssp_network *net, const ff_ssp_share *share, uint32_t *scratch);

/* Steps (iii) to (v) for an RU, and (vii): fills *unit, but for `rates`. spid_of[] has the spid of each species. `scratch` has an
 * entry for each species, all FF_SSP_NONE_OF before and after. */
ff_status ff_ssp_schedule(ff_ssp_unit *unit, const ff_ssp_network *net, const uint32_t *spid_of, const ff_ssp_share *share,
                          const ff_ssp_chip *chip, ff_ssp_optimise optimise, uint32_t *scratch, ff_error *err);

/* What random numbers are for. */
enum { DRAW_ORDER, DRAW_PARTITION, DRAW_SCHEDULE };

/* A random number below n, which is at least 1: number i for this purpose. */
uint32_t ff_ssp_random(uint64_t seed, uint32_t purpose, uint64_t i, uint32_t n);
/* Brings an array into a random order. O(n). */
void ff_ssp_shuffle(uint32_t *array, uint32_t n, uint64_t seed, uint32_t purpose);

#endif
