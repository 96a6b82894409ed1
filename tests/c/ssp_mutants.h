/* Mutants of program files for the Stochastic Simulation Processor. A valid program is changed, its checksums are right, and it
 * is read. It must be refused with a sentence. Or it is accepted, and then it must be a program: all copies of species equal the
 * state, it is timed, its network compiled anew gives the same trajectory, and its file is read back as the same bytes. */
#ifndef FF_TESTS_SSP_MUTANTS_H
#define FF_TESTS_SSP_MUTANTS_H

#include <math.h>

#include "../../src/ssp/compile/ff_ssp_compile.h"
#include "../../src/ssp/run/ff_ssp_run.h"
#include "../../src/ssp/timing/ff_ssp_timing.h"
#include "ssp_networks.h"

/* Of a file: bytes before the table, bytes of an entry of the table, and sections. */
enum { MUTANT_HEAD = 20, MUTANT_ENTRY = 24, MUTANT_SECTIONS = 11, MUTANT_TABLE_END = 20 + 24 * 11 };

#define MUTANT_STEPS 12u     /* that are executed */
#define MUTANT_CYCLES 6000u  /* that are timed */

typedef struct {
  uint64_t tried, accepted, compiled; /* compiled: those whose networks gave a program again */
  uint64_t refused[32];               /* by status */
} mutant_counts;

/* Which mutant this is, for messages. */
typedef struct {
  unsigned long long seed, number;
} mutant_id;

/* ---- valid programs ------------------------------------------------------------------------------------------------- */

static inline ff_ssp_chip mutant_chip(uint64_t *state) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.rus = 1 + below(state, 4);
  chip.spes = 1 + below(state, 2);
  chip.internal = below(state, 5);
  chip.cached = 1 + below(state, 8);
  chip.merger = 1 + below(state, 3);
  chip.reaction_memory = 16 * (1 + below(state, 6));
  chip.precision = below(state, 2) == 0 ? 64 : 32;
  chip.logarithm = chip.precision == 32 && below(state, 4) == 0 ? 4 : 0;
  chip.vector_lines = 1 + below(state, 8);
  chip.victims = below(state, 3);
  chip.requests = 1 + below(state, 4);
  chip.data = 1 + below(state, 8);
  chip.reaction_fifo = 8 + below(state, 8);
  chip.per_request = 1u << below(state, 5);
  chip.ranks = 1 + below(state, 2);
  chip.channels = 2 + below(state, 2);
  chip.reaction_channels = 1 + below(state, chip.channels - 1);
  chip.transactions = 4;
  chip.commands = 4;
  return chip;
}

/* Streams of next_random() from states in a row are much alike, so that some changes would never come together. */
static inline uint64_t mutant_mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  return x ^ x >> 31;
}

/* The file of a small program. The caller frees it. */
static inline uint8_t *mutant_base(uint64_t seed, size_t *n) {
  uint64_t state = mutant_mix(seed);
  uint8_t *image = NULL;
  ff_ssp_program *p = NULL;
  ff_error err;
  const uint32_t large = seed % 8 == 7 ? 8 : 1;
  const uint32_t n_species = 1 + below(&state, 12 * large), n_reactions = 1 + below(&state, 16 * large);
  ff_reactions *net = random_network(&state, n_species, n_reactions);
  const ff_ssp_chip chip = mutant_chip(&state);
  FF_CHECK_OK(ff_ssp_compile(&p, net, &chip, (ff_ssp_optimise)below(&state, FF_SSP_OPTIMISES), seed, &err), &err);
  if (p != NULL) FF_CHECK_OK(ff_ssp_image(&image, n, p, &err), &err);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
  return image;
}

/* ---- changes of bytes ----------------------------------------------------------------------------------------------- */

static inline uint32_t mutant_crc(const uint8_t *bytes, size_t n) {
  uint32_t c = 0xFFFFFFFFu;
  for (size_t i = 0; i < n; i++) {
    c ^= bytes[i];
    for (int k = 0; k < 8; k++) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0);
  }
  return ~c;
}

static inline uint64_t mutant_number(const uint8_t *at, uint32_t size) {
  uint64_t x = 0;
  for (uint32_t k = 0; k < size; k++) x |= (uint64_t)at[k] << 8 * k;
  return x;
}

static inline void mutant_put(uint8_t *at, uint64_t x, uint32_t size) {
  for (uint32_t k = 0; k < size; k++) at[k] = (uint8_t)(x >> 8 * k);
}

/* Makes the checksums of all sections that are there, and of the table, right. */
static inline void mutant_repair(uint8_t *image, size_t n) {
  if (n < MUTANT_TABLE_END) return;
  for (uint32_t i = 0; i < MUTANT_SECTIONS; i++) {
    uint8_t *entry = image + MUTANT_HEAD + i * MUTANT_ENTRY;
    const uint64_t at = mutant_number(entry + 8, 8), size = mutant_number(entry + 16, 8);
    if (at <= n && size <= n - at) mutant_put(entry + 4, mutant_crc(image + at, (size_t)size), 4);
  }
  mutant_put(image + 16, mutant_crc(image + MUTANT_HEAD, MUTANT_SECTIONS * MUTANT_ENTRY), 4);
}

/* A number that is likely to reach a limit. */
static inline uint32_t mutant_value(uint64_t *state, uint32_t before, uint32_t another) {
  switch (below(state, 9)) {
    case 0: return before ^ 1u << below(state, 32);
    case 1: return 0;
    case 2: return UINT32_MAX;
    case 3: return before + 1;
    case 4: return before - 1;
    case 5: return below(state, 64);
    case 6: return 1u << below(state, 21);
    case 7: return another;
    default: return (uint32_t)(next_random(state) >> 32);
  }
}

/* Changes a number of a section, or of the table. */
static inline void mutant_change_bytes(uint64_t *state, uint8_t *image, size_t n) {
  const uint32_t which = below(state, MUTANT_SECTIONS + 1);
  uint64_t first = MUTANT_HEAD, size = MUTANT_SECTIONS * MUTANT_ENTRY;
  if (which < MUTANT_SECTIONS) {
    const uint8_t *entry = image + MUTANT_HEAD + which * MUTANT_ENTRY;
    first = mutant_number(entry + 8, 8);
    size = mutant_number(entry + 16, 8);
  }
  if (first > n || size > n - first || size < 4) return; /* the table may have been changed before */
  uint8_t *at = image + first + 4 * below(state, (uint32_t)size / 4);
  const uint8_t *other = image + first + 4 * below(state, (uint32_t)size / 4);
  if (below(state, 8) == 0)
    *at = (uint8_t)below(state, 256);
  else
    mutant_put(at, mutant_value(state, (uint32_t)mutant_number(at, 4), (uint32_t)mutant_number(other, 4)), 4);
}

/* ---- changes of programs -------------------------------------------------------------------------------------------- */

/* The array with a free place. It takes the place of the old one. */
static inline void *mutant_gap(void *array, size_t n, size_t at, size_t size) {
  char *out = ff_calloc(n + 1, size);
  if (out == NULL) abort();
  if (at > 0) memcpy(out, array, at * size);
  if (n > at) memcpy(out + (at + 1) * size, (char *)array + at * size, (n - at) * size);
  free(array);
  return out;
}

static inline void mutant_drop(void *array, size_t n, size_t at, size_t size) {
  memmove((char *)array + at * size, (char *)array + (at + 1) * size, (n - at - 1) * size);
}

static inline void mutant_rate(uint64_t *state, ff_ssp_unit *u, uint32_t i) {
  static const double special[] = {0, -0.0, 1, INFINITY, NAN, 4.9e-324, 1.7976931348623157e308, 1e300, -1, 1e-300};
  static const uint32_t bits[] = {0, 1, 0x3F800000u, 0x7F7FFFFFu, 0x7F800000u, 0x7FC00000u, 0x00800000u};
  ff_ssp_instruction in = ff_ssp_unpack(u->words[i]);
  if (u->rates != NULL && below(state, 8) != 0) {
    u->rates[i] = special[below(state, 10)];
    return;
  }
  in.rate = below(state, 2) == 0 ? bits[below(state, 7)] : (uint32_t)(next_random(state) >> 33);
  u->words[i] = ff_ssp_pack(in);
}

static inline void mutant_word(uint64_t *state, const ff_ssp_program *p, ff_ssp_unit *u, uint32_t i) {
  ff_ssp_instruction in = ff_ssp_unpack(u->words[i]);
  switch (below(state, 5)) {
    case 0: in.type = below(state, 4); break;
    case 1: in.op ^= 1; break;
    case 2: in.entry = below(state, p->chip.internal + p->chip.cached + 1); break;
    case 3: in.tag = below(state, 8) == 0 ? FF_SSP_NO_TAG : below(state, p->n_reactions + 1); break;
    default: mutant_rate(state, u, i); return;
  }
  u->words[i] = ff_ssp_pack(in);
}

/* A dummy that takes one more population, which may fit; or a copy of an instruction. */
static inline void mutant_new_word(uint64_t *state, const ff_ssp_program *p, ff_ssp_unit *u) {
  const uint32_t n = u->n_local + u->n_stream, at = below(state, n + 1), entries = p->chip.internal + p->chip.cached;
  const ff_ssp_instruction dummy = {FF_SSP_SPECIAL, below(state, 2), below(state, entries), FF_SSP_NO_TAG, 0};
  const uint64_t word = n == 0 || below(state, 4) != 0 ? ff_ssp_pack(dummy) : u->words[below(state, n)];
  uint32_t before = 0, fetch = 0;
  for (uint32_t i = 0; i < at; i++) before += ff_ssp_unpack(u->words[i]).op == FF_SSP_FIFO;
  u->words = mutant_gap(u->words, n, at, sizeof *u->words);
  u->words[at] = word;
  if (u->rates != NULL) u->rates = mutant_gap(u->rates, n, at, sizeof *u->rates);
  if (u->n_local > 0 && below(state, 2) == 0)
    u->n_local++;
  else
    u->n_stream++;
  if (ff_ssp_unpack(word).op != FF_SSP_FIFO) return;
  while (fetch < u->n_fetches && before >= ff_ssp_fetch_length(u->fetches[fetch]))
    before -= ff_ssp_fetch_length(u->fetches[fetch++]);
  u->fetches = mutant_gap(u->fetches, u->n_fetches, fetch, sizeof *u->fetches);
  u->fetches[fetch] = ff_ssp_fetch(below(state, p->n_species), 1);
  u->n_fetches++;
}

static inline void mutant_words(uint64_t *state, const ff_ssp_program *p, ff_ssp_unit *u) {
  const uint32_t n = u->n_local + u->n_stream;
  if (n == 0 || below(state, 6) == 0) {
    mutant_new_word(state, p, u);
    return;
  }
  const uint32_t i = below(state, n), k = below(state, n);
  const uint32_t what = below(state, 6);
  if (what == 0) { /* two change places */
    const uint64_t word = u->words[i];
    u->words[i] = u->words[k];
    u->words[k] = word;
    if (u->rates == NULL) return;
    const double rate = u->rates[i];
    u->rates[i] = u->rates[k];
    u->rates[k] = rate;
  } else if (what == 1) {
    mutant_drop(u->words, n, i, sizeof *u->words);
    if (u->rates != NULL) mutant_drop(u->rates, n, i, sizeof *u->rates);
    if (u->n_stream > 0)
      u->n_stream--;
    else
      u->n_local--;
  } else if (what == 2 && u->n_local > 0) { /* the first of the stream */
    u->n_local--;
    u->n_stream++;
  } else {
    mutant_word(state, p, u, i);
  }
}

static inline void mutant_fetches(uint64_t *state, const ff_ssp_program *p, ff_ssp_unit *u) {
  const uint32_t n = u->n_fetches, what = below(state, 5);
  if (n == 0 || what == 0) {
    const uint32_t at = below(state, n + 1);
    u->fetches = mutant_gap(u->fetches, n, at, sizeof *u->fetches);
    u->fetches[at] = ff_ssp_fetch(below(state, p->n_species), 1 + below(state, 2));
    u->n_fetches++;
    return;
  }
  uint32_t *one = &u->fetches[below(state, n)], *other = &u->fetches[below(state, n)];
  if (what == 1) {
    const uint32_t kept = *one;
    *one = *other;
    *other = kept;
  } else if (what == 2) {
    mutant_drop(u->fetches, n, (size_t)(one - u->fetches), sizeof *one);
    u->n_fetches--;
  } else if (what == 3) { /* other species, as many */
    *one = ff_ssp_fetch(below(state, p->n_species), ff_ssp_fetch_length(*one));
  } else {
    *one = ff_ssp_fetch(below(state, p->n_species + 1), 1 + below(state, 4));
  }
}

static inline void mutant_internal(uint64_t *state, const ff_ssp_program *p, ff_ssp_unit *u) {
  const uint32_t n = u->n_internal, what = below(state, 3);
  if (n == 0 || what == 0) {
    const uint32_t at = below(state, n + 1);
    u->internal = mutant_gap(u->internal, n, at, sizeof *u->internal);
    u->internal[at] = below(state, p->n_species);
    u->n_internal++;
  } else if (what == 1) {
    mutant_drop(u->internal, n, below(state, n), sizeof *u->internal);
    u->n_internal--;
  } else {
    u->internal[below(state, n)] = below(state, p->n_species + 1);
  }
}

static inline void mutant_vector(uint64_t *state, ff_ssp_program *p) {
  if (p->n_reactions == 0) return;
  uint32_t *vector = p->vectors + (size_t)below(state, p->n_reactions) * FF_SSP_CHANGES;
  uint32_t *one = &vector[below(state, 3)], *other = &vector[below(state, FF_SSP_CHANGES)];
  const uint32_t kept = *one;
  switch (below(state, 5)) {
    case 0: *one = 0; break;
    case 1: *one = ff_ssp_change(below(state, p->n_species), (int)below(state, 6) - 3); break;
    case 2: *one = ff_ssp_change(below(state, p->n_species), (int)below(state, 256) - 128); break;
    case 3: *one = mutant_value(state, *one, *other); break;
    default: *one = *other; *other = kept;
  }
}

static inline void mutant_place(uint64_t *state, ff_ssp_program *p) {
  const uint32_t units = p->chip.rus * p->chip.spes, what = below(state, 3);
  ff_ssp_place *at = what == 0   ? &p->lanes[below(state, p->chip.rus)]
                     : what == 1 ? &p->copies[below(state, units)]
                                 : &p->vectors_at[below(state, p->chip.spes)];
  switch (below(state, 5)) {
    case 0: at->channel = below(state, p->chip.channels + 1); break;
    case 1: at->rank = below(state, p->chip.ranks + 1); break;
    case 2: at->first_row = below(state, 8); break;
    case 3: at->first_row = ff_dram_part_at(p->chip.part)->rows - below(state, 3); break;
    default: at->lines = mutant_value(state, at->lines, p->lanes[0].lines);
  }
}

static inline void mutant_tables(uint64_t *state, ff_ssp_program *p) {
  const uint32_t n = p->n_species, i = below(state, n), k = below(state, n), kept = p->species[i];
  switch (below(state, 4)) {
    case 0: p->initial[i] = mutant_value(state, p->initial[i], p->initial[k]); break;
    case 1: p->species[i] = mutant_value(state, kept, p->species[k]); break;
    case 2: p->species[i] = p->species[k]; p->species[k] = kept; break;
    default:
      if (p->names == NULL) return;
      char *name = p->names[below(state, n + p->n_reactions)];
      const size_t length = strlen(name);
      if (length > 0) name[below(state, (uint32_t)length)] = (char)(below(state, 3) == 0 ? below(state, 256) : 'S');
  }
}

/* Counts become less, so that a writer of the file does not read beyond lists. */
static inline void mutant_count(uint64_t *state, ff_ssp_unit *u) {
  uint32_t *of[] = {&u->n_local, &u->n_stream, &u->n_fetches, &u->n_internal}, *one = of[below(state, 4)];
  if (*one > 0) *one -= 1 + below(state, *one);
}

static inline void mutant_change(uint64_t *state, ff_ssp_program *p) {
  ff_ssp_unit *u = &p->units[below(state, p->chip.rus)];
  switch (below(state, 10)) {
    case 0:
    case 1:
    case 2: mutant_words(state, p, u); break;
    case 3:
    case 4: mutant_fetches(state, p, u); break;
    case 5: mutant_internal(state, p, u); break;
    case 6: mutant_vector(state, p); break;
    case 7: mutant_place(state, p); break;
    case 8: mutant_tables(state, p); break;
    default: mutant_count(state, u);
  }
}

/* ---- accepted mutants ------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssp_winner winner[MUTANT_STEPS];
  ff_failure failure;
  uint32_t n, next[1024]; /* steps that fire; and for each SPE, which one fires next */
} mutant_trace;

/* The first steps of a trajectory. All copies must equal the state, but for a state that is no population. */
static inline void mutant_execute(const ff_ssp_program *p, mutant_trace *out, mutant_id id) {
  ff_ssp_code *code = NULL;
  ff_ssp_spe *spe = NULL;
  const ff_ssp_spe_options late = {.delay = (uint32_t)(id.number % 4)}; /* changes no result */
  ff_error err = {.text = ""};
  *out = (mutant_trace){.n = 0};
  ff_status status = ff_ssp_code_new(&code, p, &err);
  if (status == FF_OK) status = ff_ssp_spe_new(&spe, code, &late, &err);
  FF_CHECK_SAY(status == FF_OK, "seed %llu, mutant %llu is accepted, but not executed: %s", id.seed, id.number, err.text);
  if (status == FF_OK) {
    double before = 0;
    ff_ssp_spe_start(spe, 5, id.number, NULL);
    for (int goes_on = 1; goes_on && out->n < MUTANT_STEPS; out->n += (uint32_t)goes_on) {
      goes_on = ff_ssp_spe_step(spe);
      const ff_ssp_winner *w = ff_ssp_spe_winner(spe);
      out->winner[out->n] = *w;
      ff_ssp_spe_diagnose(spe, &out->failure);
      if (out->failure.what != FF_SSP_FINE) break;
      FF_CHECK_SAY(w->wait > 0 && w->time >= before && (!goes_on || w->tag < p->n_reactions),
                   "seed %llu, mutant %llu: reaction %u fires after %g at %g", id.seed, id.number, w->tag, w->wait, w->time);
      before = w->time;
      status = ff_ssp_spe_drain(spe, &err);
      FF_CHECK_SAY(status == FF_OK, "seed %llu, mutant %llu: %s", id.seed, id.number, err.text);
    }
  }
  ff_ssp_spe_free(spe);
  ff_ssp_code_free(code);
}

/* The network of a program, compiled anew, gives the same trajectory. */
static inline void mutant_decompile(ff_ssp_program *p, const mutant_trace *trace, mutant_id id, mutant_counts *counts) {
  static mutant_trace again;
  ff_reactions *net = NULL;
  ff_ssp_program *q = NULL;
  ff_error err = {.text = ""};
  ff_status status = ff_ssp_decompile(&net, p, &err);
  if (status == FF_EMODEL && p->names != NULL) { /* the names are not those of a network */
    for (size_t i = 0; i < (size_t)p->n_species + p->n_reactions; i++) free(p->names[i]);
    free(p->names);
    p->names = NULL;
    status = ff_ssp_decompile(&net, p, &err);
  }
  FF_CHECK_SAY(status == FF_OK, "seed %llu, mutant %llu is accepted, but has no network: %s", id.seed, id.number, err.text);
  if (status != FF_OK) return;
  /* Fewer species may stay, and a small memory may not have the instructions. */
  ff_ssp_chip chip = p->chip;
  chip.species_memory = 0;
  status = ff_ssp_compile(&q, net, &chip, FF_SSP_NONE, 1, &err);
  FF_CHECK_SAY(status == FF_OK || status == FF_ESIZE, "seed %llu, mutant %llu: %s", id.seed, id.number, err.text);
  if (status == FF_OK) {
    counts->compiled++;
    mutant_execute(q, &again, id);
    int same = again.n == trace->n && again.failure.what == trace->failure.what;
    for (uint32_t i = 0; i < trace->n && same; i++)
      same = again.winner[i].tag == trace->winner[i].tag && again.winner[i].time == trace->winner[i].time;
    FF_CHECK_SAY(same, "seed %llu, mutant %llu: its network has another trajectory", id.seed, id.number);
  }
  ff_ssp_program_free(q);
  ff_reactions_free(net);
}

static inline uint32_t mutant_fires(void *of, uint32_t spe, uint64_t cycle) {
  mutant_trace *trace = of;
  (void)cycle;
  return trace->next[spe] < trace->n ? trace->winner[trace->next[spe]++].tag : FF_SSP_ENDS;
}

/* Simulates some cycles. Returns a hash of how far all SPEs have come. */
static inline uint64_t mutant_time(const ff_ssp_program *p, mutant_trace *trace, int every_cycle, mutant_id id) {
  const ff_ssp_steps steps = {NULL, mutant_fires, trace};
  const ff_ssp_timing_options options = {.every_cycle = every_cycle, .shuffle = every_cycle ? id.number + 1 : 0};
  ff_ssp_timing *t = NULL;
  ff_error err = {.text = ""};
  int done;
  memset(trace->next, 0, sizeof trace->next);
  ff_status status = ff_ssp_timing_new(&t, p, &steps, &options, &err);
  if (status == FF_OK) status = ff_ssp_timing_advance(t, MUTANT_CYCLES, UINT64_MAX, &done, &err);
  FF_CHECK_SAY(status == FF_OK, "seed %llu, mutant %llu is accepted, but not timed: %s", id.seed, id.number, err.text);
  uint64_t hash = status == FF_OK ? ff_ssp_timing_now(t) : 0;
  for (uint32_t s = 0; s < p->chip.spes && status == FF_OK; s++) {
    ff_ssp_spe_counts counts;
    ff_ssp_timing_spe(t, s, &counts);
    hash = hash * 31 + counts.steps;
    hash = hash * 31 + counts.last_end;
  }
  ff_ssp_timing_free(t);
  return hash;
}

static inline void mutant_write(const ff_ssp_program *p, mutant_id id) {
  uint8_t *bytes = NULL, *again = NULL;
  size_t n = 0, m = 0;
  ff_ssp_program *q = NULL;
  ff_error err = {.text = ""};
  ff_status status = ff_ssp_image(&bytes, &n, p, &err);
  if (status == FF_OK) status = ff_ssp_image_read(&q, bytes, n, &err);
  if (status == FF_OK) status = ff_ssp_image(&again, &m, q, &err);
  FF_CHECK_SAY(status == FF_OK && n == m && memcmp(bytes, again, n) == 0, "seed %llu, mutant %llu is not read back: %s", id.seed,
               id.number, err.text);
  free(bytes);
  free(again);
  ff_ssp_program_free(q);
}

/* ---- mutants ---------------------------------------------------------------------------------------------------------- */

/* The file of a mutant. The caller frees it. */
static inline uint8_t *mutant_make(uint64_t *state, const uint8_t *base, size_t base_n, size_t *n) {
  uint8_t *image = NULL;
  ff_ssp_program *p = NULL;
  ff_error err;
  if (below(state, 8) < 5) {
    FF_CHECK_OK(ff_ssp_image_read(&p, base, base_n, &err), &err);
    for (uint32_t i = 1 + below(state, 3); i > 0 && p != NULL; i--) mutant_change(state, p);
    if (p != NULL) FF_CHECK_OK(ff_ssp_image(&image, n, p, &err), &err);
    ff_ssp_program_free(p);
    return image;
  }
  image = ff_calloc(base_n, 1);
  if (image == NULL) abort();
  memcpy(image, base, base_n);
  *n = base_n;
  for (uint32_t i = 1 + below(state, 2); i > 0; i--) mutant_change_bytes(state, image, base_n);
  if (below(state, 16) == 0) *n = below(state, (uint32_t)base_n);
  mutant_repair(image, *n);
  return image;
}

static inline void mutant_try(const uint8_t *base, size_t base_n, mutant_id id, mutant_counts *counts) {
  static mutant_trace trace;
  uint64_t state = mutant_mix((uint64_t)id.seed << 20 ^ id.number);
  size_t n = 0;
  ff_ssp_program *p = NULL;
  ff_error err = {.text = ""};
  uint8_t *image = mutant_make(&state, base, base_n, &n);
  if (image == NULL) return;
  const ff_status status = ff_ssp_image_read(&p, image, n, &err);
  free(image);
  counts->tried++;
  FF_CHECK((status == FF_OK) == (p != NULL));
  if (status != FF_OK) {
    counts->refused[status]++;
    FF_CHECK_SAY((status == FF_EPARSE || status == FF_EMODEL || status == FF_EARGUMENT || status == FF_ESIZE) &&
                     strlen(err.text) > 30,
                 "seed %llu, mutant %llu: %s: \"%s\"", id.seed, id.number, ff_status_name(status), err.text);
    return;
  }
  counts->accepted++;
  mutant_execute(p, &trace, id);
  const uint64_t cycles = mutant_time(p, &trace, 0, id);
  if (id.number % 16 == 0)
    FF_CHECK_SAY(mutant_time(p, &trace, 1, id) == cycles, "seed %llu, mutant %llu: cycle by cycle, it is another time", id.seed,
                 id.number);
  mutant_write(p, id);
  mutant_decompile(p, &trace, id, counts);
  ff_ssp_program_free(p);
}

/* So many mutants of the program of a seed. */
static inline void try_mutants(uint64_t seed, uint32_t n, mutant_counts *counts) {
  size_t base_n = 0;
  uint8_t *base = mutant_base(seed, &base_n);
  for (uint32_t i = 0; i < n && base != NULL; i++) mutant_try(base, base_n, (mutant_id){seed, i}, counts);
  free(base);
}

#endif
