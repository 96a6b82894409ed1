/* Lanes of trajectories: their memory, and the choice of the vector instructions. */
#include "ff_ssa_wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

int ff_ssa_engine_wide_can(const ff_ssa_program *program) {
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

void ff_ssa_wide_start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_wide *w = (ff_ssa_wide *)engine;
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_EVENT, 0, 0, unit), w->key);
  for (uint32_t s = 0; s < w->program->n_species; s++) w->count[(size_t)s * FF_SSA_LANES + lane] = w->initial[s];
  w->wait[lane] = ff_ssa_exponential(words.v[0], words.v[1]);
  w->choice[lane] = ff_ssa_closed(words.v[2], words.v[3]);
  w->next[lane] = w->program->n_reactions;
  w->time[lane] = w->next_time[lane] = 0;
  w->unit[lane] = unit;
  w->event[lane] = UINT64_MAX;
  w->wanted[lane] = wanted;
  w->base.broken &= ~(UINT64_C(1) << lane);
}

/* An idle lane simulates a trajectory that nobody wants. */
static void rest(ff_ssa_engine *engine, uint32_t lane) { engine->start(engine, lane, 0, INFINITY); }

static uint64_t events(const ff_ssa_engine *engine, uint32_t lane) {
  uint64_t n = ((const ff_ssa_wide *)engine)->event[lane];
  return n == UINT64_MAX ? 0 : n;
}

/* The method for one trajectory looks at the state and says what is wrong. */
static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  ff_ssa_wide *w = (ff_ssa_wide *)engine;
  for (uint32_t s = 0; s < w->program->n_species; s++) w->path.count[s] = w->count[(size_t)s * FF_SSA_LANES + lane];
  w->path.key = w->key;
  w->path.unit = w->unit[lane];
  w->path.event = w->event[lane];
  w->path.time = w->time[lane];
  ff_ssa_path_resume(&w->path);
  *out = w->path.failure;
}

void ff_ssa_wide_clear(ff_ssa_wide *w) {
  ff_ssa_path_free(&w->path);
  ff_free_aligned(w->count);
  free(w->initial);
  ff_free_aligned(w->value);
  ff_free_aligned(w->stack);
  ff_free_aligned(w->time);
  ff_free_aligned(w->next_time);
  ff_free_aligned(w->wanted);
  ff_free_aligned(w->wait);
  ff_free_aligned(w->choice);
  ff_free_aligned(w->unit);
  ff_free_aligned(w->event);
  ff_free_aligned(w->next);
}

static void drop(ff_ssa_engine *engine) {
  if (engine == NULL) return;
  ff_ssa_wide_clear((ff_ssa_wide *)engine);
  free(engine);
}

static void set_functions(ff_ssa_wide *w, ff_simd simd) {
  w->base = (ff_ssa_engine){.lanes = FF_SSA_LANES, .stride = FF_SSA_LANES, .start = ff_ssa_wide_start, .rest = rest,
                            .advance = ff_ssa_advance_portable, .events = events, .diagnose = diagnose, .free = drop};
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) w->base.advance = ff_ssa_advance_avx512;
  if (simd == FF_SIMD_AVX2) w->base.advance = ff_ssa_advance_avx2;
#else
  (void)simd;
#endif
}

static ff_status allocate(ff_ssa_wide *w, uint32_t rows, uint32_t leaves, ff_error *err) {
  const ff_ssa_program *program = w->program;
  w->count = w->base.count = lanes_of(rows);
  w->initial = ff_calloc(program->n_species, sizeof *w->initial);
  w->value = lanes_of(shape_of(w, leaves));
  w->stack = lanes_of((size_t)program->depth + 1);
  w->time = lanes_of(1);
  w->next_time = w->base.next_time = lanes_of(1);
  w->wanted = w->base.wanted = lanes_of(1);
  w->wait = lanes_of(1);
  w->choice = lanes_of(1);
  w->unit = words_of();
  w->event = words_of();
  w->next = words_of();
  if (w->count && w->initial && w->value && w->stack && w->time && w->next_time && w->wanted && w->wait && w->choice &&
      w->unit && w->event && w->next)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", program->n_species);
}

ff_status ff_ssa_wide_fill(ff_ssa_wide *w, const ff_ssa_program *program, uint32_t rows, uint32_t leaves,
                           const double *initial, uint64_t key, ff_simd simd, ff_error *err) {
  set_functions(w, simd);
  w->program = program;
  w->key = key;
  for (uint32_t round = 0; round < FF_PHILOX_ROUNDS; round++) {
    w->key_words[0][round] = (uint32_t)key + round * FF_PHILOX_W0;
    w->key_words[1][round] = (uint32_t)(key >> 32) + round * FF_PHILOX_W1;
  }
  ff_status status = allocate(w, rows, leaves, err);
  if (status == FF_OK) status = ff_ssa_path_new(&w->path, program, FF_SSA_DIRECT, err);
  if (status == FF_OK) memcpy(w->initial, initial, program->n_species * sizeof *initial);
  return status;
}

ff_status ff_ssa_engine_wide(ff_ssa_engine **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                             ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_status status = ff_simd_choose(&simd, err);
  if (status != FF_OK) return status;
  ff_ssa_wide *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  status = ff_ssa_wide_fill(w, program, program->n_species, program->n_reactions, initial, key, simd, err);
  if (status != FF_OK) {
    drop(&w->base);
    return status;
  }
  for (uint32_t lane = 0; lane < FF_SSA_LANES; lane++) rest(&w->base, lane);
  *out = &w->base;
  return FF_OK;
}
