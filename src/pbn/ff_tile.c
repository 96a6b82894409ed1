/* A tile, for both layouts and all instruction sets. */
#include <stdlib.h>
#include <string.h>

#include "ff_pbn_program.h"

static const ff_slice_kernel *kernel_of(ff_simd simd) {
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) return &ff_slice_kernel_avx512;
  if (simd == FF_SIMD_AVX2) return &ff_slice_kernel_avx2;
#endif
  (void)simd;
  return &ff_slice_kernel_portable;
}

static size_t hits_capacity(const ff_pbn_program *p) {
  if (p->hits.size == 0) return 0;
  return (size_t)p->hits.n_draws * ((size_t)p->hits.lowest + p->hits.size);
}

static size_t row_bytes(void) { return FF_ROW_WORDS * sizeof(uint64_t); }

static uint32_t count_two_state(const ff_pbn_program *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->n_terms; i++) n += p->two_state[i];
  return n;
}

size_t ff_pbn_program_tile_bytes(const ff_pbn_program *p) {
  size_t terms = p->n_terms * (FF_TILE * sizeof(uint32_t) + 24), hits = hits_capacity(p);
  if (p->layout == FF_LAYOUT_PACKED)
    return sizeof(ff_tile) + terms + p->n_terms * FF_TILE + ((size_t)FF_TILE + 1) * p->packed.words * 4 + hits * 4;
  return sizeof(ff_tile) + terms + (size_t)p->slice.n_rows * row_bytes() +
         ((size_t)p->n_terms + count_two_state(p)) * sizeof(ff_counter) + hits * 10;
}

void ff_tile_free(ff_tile *tile) {
  if (tile == NULL) return;
  ff_free_aligned(tile->rows);
  ff_free_aligned(tile->held);
  ff_free_aligned(tile->changed);
  free(tile->changed_at);
  free(tile->hit_word);
  free(tile->hit_bit);
  free(tile->hit_value);
  free(tile->state);
  free(tile->next);
  free(tile->value);
  free(tile->extra_hits);
  free(tile->counts);
  free(tile->changes);
  free(tile->before);
  free(tile->after);
  free(tile);
}

static int allocate(ff_tile *tile) {
  const ff_pbn_program *p = tile->program;
  size_t hits = hits_capacity(p);
  tile->counts = ff_calloc((size_t)p->n_terms * FF_TILE, sizeof *tile->counts);
  tile->changes = ff_calloc(p->n_terms, sizeof *tile->changes);
  tile->before = ff_calloc(p->n_terms, sizeof *tile->before);
  tile->after = ff_calloc(p->n_terms, sizeof *tile->after);
  if (tile->counts == NULL || tile->changes == NULL || tile->before == NULL || tile->after == NULL) return 0;
  if (p->layout == FF_LAYOUT_PACKED) {
    tile->state = ff_calloc((size_t)p->packed.words * FF_TILE, sizeof *tile->state);
    tile->next = ff_calloc(p->packed.words, sizeof *tile->next);
    tile->value = ff_calloc((size_t)p->n_terms * FF_TILE, 1);
    tile->extra_hits = ff_calloc(hits, sizeof *tile->extra_hits);
    return tile->state != NULL && tile->next != NULL && tile->value != NULL && tile->extra_hits != NULL;
  }
  tile->rows = ff_calloc_aligned(p->slice.n_rows, row_bytes());
  tile->held = ff_calloc_aligned(p->n_terms, sizeof *tile->held);
  tile->changed = ff_calloc_aligned(count_two_state(p), sizeof *tile->changed);
  tile->changed_at = ff_calloc(p->n_terms, sizeof *tile->changed_at);
  tile->hit_word = ff_calloc(hits, sizeof *tile->hit_word);
  tile->hit_bit = ff_calloc(hits, sizeof *tile->hit_bit);
  tile->hit_value = ff_calloc(hits, sizeof *tile->hit_value);
  if (tile->rows == NULL || tile->held == NULL || tile->changed == NULL || tile->changed_at == NULL ||
      tile->hit_word == NULL || tile->hit_bit == NULL || tile->hit_value == NULL)
    return 0;
  for (uint32_t i = 0, at = 0; i < p->n_terms; i++) tile->changed_at[i] = p->two_state[i] ? at++ : 0;
  return 1;
}

ff_status ff_tile_new(ff_tile **out, const ff_pbn_program *program, ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_status status = ff_simd_choose(&simd, err);
  if (status != FF_OK) return status;
  ff_tile *tile = ff_calloc(1, sizeof *tile);
  if (tile == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a tile");
  tile->program = program;
  tile->simd = simd;
  if (!allocate(tile)) {
    ff_tile_free(tile);
    return ff_error_set(err, FF_EMEMORY, "no memory for the %zu bytes of 1,024 trajectories", ff_pbn_program_tile_bytes(program));
  }
  *out = tile;
  return FF_OK;
}

static void forget(ff_tile *tile) {
  size_t n_terms = tile->program->n_terms;
  memset(tile->counts, 0, n_terms * FF_TILE * sizeof *tile->counts);
  memset(tile->changes, 0, n_terms * sizeof *tile->changes);
  if (tile->held != NULL) memset(tile->held, 0, n_terms * sizeof *tile->held);
  if (tile->changed != NULL) memset(tile->changed, 0, count_two_state(tile->program) * sizeof *tile->changed);
  tile->counted = tile->in_counters = 0;
  tile->fresh = 1;
}

void ff_tile_start(ff_tile *tile, uint64_t key, uint64_t unit) {
  tile->key = key;
  tile->unit = unit;
  tile->step = 0;
  forget(tile);
  if (tile->program->layout == FF_LAYOUT_PACKED)
    ff_packed_start(tile);
  else
    kernel_of(tile->simd)->start(tile);
}

void ff_tile_set(ff_tile *tile, uint32_t node, uint32_t lane, int value) {
  if (tile->state != NULL) {
    uint32_t *word = &tile->state[(size_t)lane * tile->program->packed.words + node / 32];
    *word = (*word & ~(1u << (node % 32))) | (uint32_t)(value != 0) << (node % 32);
    return;
  }
  uint64_t *word = &tile->rows[(size_t)node * FF_ROW_WORDS + lane / 64];
  *word = (*word & ~(UINT64_C(1) << (lane % 64))) | (uint64_t)(value != 0) << (lane % 64);
}

int ff_tile_get(const ff_tile *tile, uint32_t node, uint32_t lane) {
  if (tile->state != NULL)
    return (int)(tile->state[(size_t)lane * tile->program->packed.words + node / 32] >> (node % 32) & 1);
  return (int)(tile->rows[(size_t)node * FF_ROW_WORDS + lane / 64] >> (lane % 64) & 1);
}

void ff_tile_rows(uint64_t *rows, const ff_tile *tile) {
  uint32_t n = tile->program->n_nodes, words = tile->program->packed.words;
  if (tile->rows != NULL) {
    memcpy(rows, tile->rows, n * row_bytes());
    return;
  }
  memset(rows, 0, n * row_bytes());
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    const uint32_t *state = tile->state + (size_t)lane * words;
    for (uint32_t i = 0; i < n; i++)
      rows[(size_t)i * FF_ROW_WORDS + lane / 64] |= (uint64_t)(state[i / 32] >> (i % 32) & 1u) << (lane % 64);
  }
}

static void run(ff_tile *tile, uint64_t steps, int count) {
  if (tile->program->layout == FF_LAYOUT_PACKED)
    ff_packed_run(tile, steps, count);
  else
    kernel_of(tile->simd)->run(tile, steps, count);
}

void ff_tile_advance(ff_tile *tile, uint64_t steps) { run(tile, steps, 0); }
void ff_tile_count(ff_tile *tile, uint64_t steps) { run(tile, steps, 1); }
uint64_t ff_tile_step(const ff_tile *tile) { return tile->step; }

uint64_t ff_tile_term_word(const ff_tile *tile, uint32_t term, uint32_t word) {
  if (tile->rows != NULL) return tile->rows[(size_t)(tile->program->slice.terms + term) * FF_ROW_WORDS + word];
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 64; i++) bits |= (uint64_t)tile->value[(size_t)term * FF_TILE + word * 64 + i] << i;
  return bits;
}

ff_harvest ff_tile_harvest(ff_tile *tile) {
  const ff_pbn_program *p = tile->program;
  if (tile->rows != NULL) kernel_of(tile->simd)->spill(tile);
  for (uint32_t i = 0; i < p->n_terms; i++) {
    tile->after[i] = 0;
    for (uint32_t w = 0; w < FF_ROW_WORDS; w++)
      tile->after[i] += (uint32_t)__builtin_popcountll(ff_tile_term_word(tile, i, w));
  }
  ff_harvest out = {tile->counted, tile->counts, tile->changes, tile->before, tile->after};
  return out;
}

void ff_tile_forget(ff_tile *tile) { forget(tile); }
