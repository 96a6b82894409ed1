/* What the parts of the generator for networks of replicated modules share. */
#ifndef FF_SSA_GENERATE_RING_H
#define FF_SSA_GENERATE_RING_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../../ssa/rings/ff_ssa_ring.h"
#include "../code/ff_ssa_generate.h"
#include "../code/ff_ssa_generate_text.h"

#define FF_SSA_RING_NONE UINT32_MAX
#define FF_SSA_RING_REACH (2 * FF_RING_OFFSET) /* a step changes sums of modules that are at most so far away */
#define FF_SSA_RING_EFFECTS (FF_RING_TERMS * (2 * FF_SSA_RING_REACH + 1))
#define FF_SSA_RING_CONSTANTS 512u

/* A case: neighbouring kinds of a term that change the same counts. */
typedef struct {
  uint32_t term, kind; /* its first kind */
} ff_ssa_ring_case;

/* An effect: cases change the product of a term, in the module at an offset from that of the reaction. */
typedef struct {
  uint32_t term;
  int32_t offset;
  int32_t by_a[FF_RING_KINDS], by_f[FF_RING_KINDS]; /* for each case: what it adds to A and to F */
  int changes_a, changes_f;                               /* whether a case does */
} ff_ssa_ring_effect;

typedef struct {
  const ff_ssa_program *p;
  const ff_ssa_ring *m;
  const ff_device_request *request;
  ff_ssa_code *code;
  uint32_t shared;             /* bytes of shared memory of a multiprocessor */
  double *expected;            /* the largest count of each species */
  uint32_t *at;                /* module * n_species + number in the module, for each species of the program */
  uint32_t place[FF_RING_SPECIES]; /* of the species of a module; NONE if neither a product nor the record reads it */
  uint32_t n_read, n_places;   /* places of species that products read, which are first; all */
  uint32_t read_species[FF_RING_SPECIES]; /* by place */
  int derived[FF_RING_SPECIES];    /* whether a species has no place, because its count follows from counts that are read: */
  int32_t factor[FF_RING_SPECIES][FF_RING_SPECIES]; /* by so much of each, by its place, and a constant of the module */
  int any_derived;
  uint32_t read, each;         /* words of a module: those that products read, and all */
  int bits32;
  int tame;                    /* whether sums of propensities are far from underflow and overflow */
  uint32_t halves;             /* words of a sum of products: 2 if they have 64 bits */
  uint32_t before, after;      /* how far products reach */
  uint32_t check, most_count;  /* steps between two checks; the most that a count may be at a check */
  uint32_t span, parts, last_part, fan, uppers, blocks; /* parts that have modules end with the last one */
  uint32_t n_cases, n_boundaries; /* all cases; boundaries between the cases of the term that has most */
  uint32_t first[FF_RING_TERMS]; /* case of each term */
  ff_ssa_ring_case cases[FF_RING_KINDS];
  uint32_t n_effects;
  ff_ssa_ring_effect effects[FF_SSA_RING_EFFECTS];
  uint32_t n_constants;        /* of a case */
  uint32_t constants[FF_SSA_RING_CONSTANTS][FF_RING_KINDS];
} ff_ssa_ring_generator;

/* The same module as at an offset: the number from -n / 2 on. */
int32_t ff_ssa_ring_around(const ff_ssa_ring_generator *g, int32_t offset);

/* Lists cases and effects. */
void ff_ssa_ring_list(ff_ssa_ring_generator *g);

/* Writes the definition of s_term, and the functions that ff_ssa_thread_ring.h wants. */
ff_status ff_ssa_ring_put_term(ff_ssa_ring_generator *g, ff_writer *out, ff_writer *functions);
ff_status ff_ssa_ring_put(ff_ssa_ring_generator *g, ff_writer *out, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
