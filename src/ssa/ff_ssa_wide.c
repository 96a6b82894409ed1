/* Lanes of trajectories: their memory, and the choice of the vector instructions. */
#include "ff_ssa_wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

int ff_ssa_wide_can(const ff_ssa_program *program) {
  return program->n_reactions > 0 && program->n_reactions <= FF_SSA_WIDE_REACTIONS;
}

static double *lanes_of(size_t items) { return ff_calloc_aligned(items * FF_SSA_LANES, sizeof(double)); }
static uint64_t *words_of(void) { return ff_calloc_aligned(FF_SSA_LANES, sizeof(uint64_t)); }

/* The shape of the tree of n propensities. Returns the number of nodes, with those that fill the last groups. */
static size_t shape_of(ff_ssa_wide *wide, uint32_t n) {
  size_t room = 0;
  for (uint32_t nodes = n;; nodes = (nodes + FF_SSA_FAN - 1) / FF_SSA_FAN) {
    wide->first[wide->levels] = (uint32_t)room;
    wide->n[wide->levels++] = nodes;
    room += ((size_t)nodes + FF_SSA_FAN - 1) / FF_SSA_FAN * FF_SSA_FAN;
    if (nodes == 1) return room;
  }
}

static void set_kernel(ff_ssa_wide *wide, ff_simd simd) {
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) {
    wide->advance = ff_ssa_advance_avx512;
    return;
  }
  if (simd == FF_SIMD_AVX2) {
    wide->advance = ff_ssa_advance_avx2;
    return;
  }
#endif
  (void)simd;
  wide->advance = ff_ssa_advance_portable;
}

ff_status ff_ssa_wide_new(ff_ssa_wide *wide, const ff_ssa_program *program, const double *initial, uint64_t key, ff_simd simd,
                          ff_error *err) {
  memset(wide, 0, sizeof *wide);
  ff_status status = ff_simd_choose(&simd, err);
  if (status != FF_OK) return status;
  set_kernel(wide, simd);
  wide->program = program;
  wide->key = key;
  for (uint32_t round = 0; round < FF_PHILOX_ROUNDS; round++) {
    wide->key_words[0][round] = (uint32_t)key + round * FF_PHILOX_W0;
    wide->key_words[1][round] = (uint32_t)(key >> 32) + round * FF_PHILOX_W1;
  }
  wide->count = lanes_of(program->n_species);
  wide->initial = ff_calloc(program->n_species, sizeof *wide->initial);
  wide->value = lanes_of(shape_of(wide, program->n_reactions));
  wide->stack = lanes_of((size_t)program->depth + 1);
  wide->time = lanes_of(1);
  wide->next_time = lanes_of(1);
  wide->wanted = lanes_of(1);
  wide->wait = lanes_of(1);
  wide->choice = lanes_of(1);
  wide->unit = words_of();
  wide->event = words_of();
  wide->next = words_of();
  if (!wide->count || !wide->initial || !wide->value || !wide->stack || !wide->time || !wide->next_time || !wide->wanted ||
      !wide->wait || !wide->choice || !wide->unit || !wide->event || !wide->next) {
    ff_ssa_wide_free(wide);
    return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", program->n_species);
  }
  memcpy(wide->initial, initial, program->n_species * sizeof *initial);
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) ff_ssa_wide_rest(wide, lane);
  return FF_OK;
}

void ff_ssa_wide_free(ff_ssa_wide *wide) {
  ff_free_aligned(wide->count);
  free(wide->initial);
  ff_free_aligned(wide->value);
  ff_free_aligned(wide->stack);
  ff_free_aligned(wide->time);
  ff_free_aligned(wide->next_time);
  ff_free_aligned(wide->wanted);
  ff_free_aligned(wide->wait);
  ff_free_aligned(wide->choice);
  ff_free_aligned(wide->unit);
  ff_free_aligned(wide->event);
  ff_free_aligned(wide->next);
  memset(wide, 0, sizeof *wide);
}

void ff_ssa_wide_start(ff_ssa_wide *wide, uint32_t lane, uint64_t unit, double wanted) {
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_EVENT, 0, 0, unit), wide->key);
  for (uint32_t s = 0; s < wide->program->n_species; s++) wide->count[(size_t)s * FF_SSA_LANES + lane] = wide->initial[s];
  wide->wait[lane] = ff_ssa_exponential(words.v[0], words.v[1]);
  wide->choice[lane] = ff_ssa_closed(words.v[2], words.v[3]);
  wide->next[lane] = wide->program->n_reactions;
  wide->time[lane] = wide->next_time[lane] = 0;
  wide->unit[lane] = unit;
  wide->event[lane] = UINT64_MAX;
  wide->wanted[lane] = wanted;
  wide->broken &= ~(UINT32_C(1) << lane);
}

/* An idle lane simulates a trajectory that nobody wants. */
void ff_ssa_wide_rest(ff_ssa_wide *wide, uint32_t lane) { ff_ssa_wide_start(wide, lane, 0, INFINITY); }
