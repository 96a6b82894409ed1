/* Lanes of trajectories of a small network: their memory, and the choice of the vector instructions. */
#include "ff_ssa_small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_draws.h"

int ff_ssa_engine_small_can(const ff_ssa_program *program) {
  if (program->n_reactions == 0 || program->n_reactions > FF_SSA_SMALL_REACTIONS) return 0;
  for (uint32_t r = 0; r < program->n_reactions; r++)
    if (program->propensities[r].law > FF_LAW_TWIN) return 0;
  return 1;
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

static void start(ff_ssa_engine *engine, uint32_t lane, uint64_t unit, double wanted) {
  ff_ssa_small *w = (ff_ssa_small *)engine;
  for (uint32_t draw = w->drawn; draw < FF_SSA_SMALL_DRAWS; draw++) {
    const ff_philox_block words = ff_philox(ff_philox_counter(FF_SSA_DRAW_EVENT, 0, draw - w->drawn, unit), w->key);
    w->wait[draw * FF_SSA_SMALL_LANES + lane] = ff_ssa_exponential(words.v[0], words.v[1]);
    w->choice[draw * FF_SSA_SMALL_LANES + lane] = ff_ssa_closed(words.v[2], words.v[3]);
  }
  for (uint32_t s = 0; s < w->program->n_species; s++) w->count[(size_t)s * FF_SSA_SMALL_LANES + lane] = w->initial[s];
  w->next[lane] = w->program->n_reactions;
  w->time[lane] = w->next_time[lane] = 0;
  w->unit[lane] = unit;
  w->event[lane] = UINT64_MAX;
  w->wanted[lane] = wanted;
  w->base.broken &= ~(UINT64_C(1) << lane);
}

/* An idle lane simulates a trajectory that nobody wants. */
static void rest(ff_ssa_engine *engine, uint32_t lane) { start(engine, lane, 0, INFINITY); }

static uint64_t events(const ff_ssa_engine *engine, uint32_t lane) {
  uint64_t n = ((const ff_ssa_small *)engine)->event[lane];
  return n == UINT64_MAX ? 0 : n;
}

/* The method for one trajectory looks at the state and says what is wrong. */
static void diagnose(ff_ssa_engine *engine, uint32_t lane, ff_ssa_failure *out) {
  ff_ssa_small *w = (ff_ssa_small *)engine;
  for (uint32_t s = 0; s < w->program->n_species; s++) w->path.count[s] = w->count[(size_t)s * FF_SSA_SMALL_LANES + lane];
  w->path.key = w->key;
  w->path.unit = w->unit[lane];
  w->path.event = w->event[lane];
  w->path.time = w->time[lane];
  ff_ssa_path_resume(&w->path);
  *out = w->path.failure;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void drop(ff_ssa_engine *engine) {
  ff_ssa_small *w = (ff_ssa_small *)engine;
  if (w == NULL) return;
  ff_ssa_path_free(&w->path);
  free(w->changed);
  free(w->initial);
  double *const arrays[] = {w->change, w->count, w->time, w->next_time, w->wanted, w->wait, w->choice};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ff_free_aligned(arrays[i]);
  ff_free_aligned(w->unit);
  ff_free_aligned(w->event);
  ff_free_aligned(w->next);
  free(w);
}

static double *lanes_of(size_t items) { return ff_calloc_aligned(items * FF_SSA_SMALL_LANES, sizeof(double)); }
static uint64_t *words_of(void) { return ff_calloc_aligned(FF_SSA_SMALL_LANES, sizeof(uint64_t)); }

static ff_status allocate(ff_ssa_small *w, ff_error *err) {
  const uint32_t n_species = w->program->n_species;
  w->count = lanes_of((size_t)n_species + 1);
  w->initial = ff_calloc(n_species, sizeof *w->initial);
  w->changed = ff_calloc(n_species, sizeof *w->changed);
  w->change = ff_calloc_aligned((size_t)n_species * FF_SSA_SMALL_TABLE, sizeof *w->change);
  w->time = lanes_of(1);
  w->next_time = lanes_of(1);
  w->wanted = lanes_of(1);
  w->wait = lanes_of(FF_SSA_SMALL_DRAWS);
  w->choice = lanes_of(FF_SSA_SMALL_DRAWS);
  w->unit = words_of();
  w->event = words_of();
  w->next = words_of();
  if (w->count && w->initial && w->changed && w->change && w->time && w->next_time && w->wanted && w->wait && w->choice &&
      w->unit && w->event && w->next)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory for trajectories of %u species", n_species);
}

static void set_functions(ff_ssa_small *w, ff_simd simd) {
  w->base = (ff_ssa_engine){.lanes = FF_SSA_SMALL_LANES, .stride = FF_SSA_SMALL_LANES, .start = start, .rest = rest,
                            .advance = ff_ssa_small_portable, .events = events, .diagnose = diagnose, .free = drop};
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) w->base.advance = ff_ssa_small_avx512;
  if (simd == FF_SIMD_AVX2) w->base.advance = ff_ssa_small_avx2;
#else
  (void)simd;
#endif
  w->base.count = w->count;
  w->base.next_time = w->next_time;
  w->base.wanted = w->wanted;
}

static void set_laws(ff_ssa_small *w) {
  const ff_ssa_program *p = w->program;
  const uint32_t one = p->n_species;
  for (uint32_t r = 0; r < FF_SSA_SMALL_TABLE; r++) w->a[r] = w->b[r] = one;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    w->rate[r] = law->rate;
    w->a[r] = law->law == FF_LAW_CONSTANT ? one : law->a;
    w->b[r] = law->law == FF_LAW_PAIR ? law->b : law->law == FF_LAW_TWIN ? law->a : one;
    w->less[r] = law->law == FF_LAW_TWIN;
  }
  for (uint32_t s = 0; s < p->n_species; s++) {
    if (!p->changed[s]) continue;
    double *table = w->change + (size_t)w->n_changed * FF_SSA_SMALL_TABLE;
    for (uint32_t r = 0; r < p->n_reactions; r++)
      for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
        if (p->changes[i].species == s) table[r] = (double)p->changes[i].by;
    w->changed[w->n_changed++] = s;
  }
  for (uint32_t lane = 0; lane < FF_SSA_SMALL_LANES; lane++) w->count[(size_t)one * FF_SSA_SMALL_LANES + lane] = 1;
}

ff_status ff_ssa_engine_small(ff_ssa_engine **out, const ff_ssa_program *program, const double *initial, uint64_t key,
                              ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_status status = ff_simd_choose(&simd, err);
  if (status != FF_OK) return status;
  ff_ssa_small *w = ff_calloc(1, sizeof *w);
  if (w == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for trajectories");
  w->program = program;
  w->key = key;
  w->drawn = FF_SSA_SMALL_DRAWS;
  for (uint32_t round = 0; round < FF_PHILOX_ROUNDS; round++) {
    w->key_words[0][round] = (uint32_t)key + round * FF_PHILOX_W0;
    w->key_words[1][round] = (uint32_t)(key >> 32) + round * FF_PHILOX_W1;
  }
  status = allocate(w, err);
  if (status == FF_OK) status = ff_ssa_path_new(&w->path, program, FF_SSA_DIRECT, err);
  if (status != FF_OK) {
    drop(&w->base);
    return status;
  }
  set_functions(w, simd);
  set_laws(w);
  memcpy(w->initial, initial, program->n_species * sizeof *initial);
  for (uint32_t lane = 0; lane < FF_SSA_SMALL_LANES; lane++) rest(&w->base, lane);
  *out = &w->base;
  return FF_OK;
}
