/* Random programs of a Stochastic Simulation Processor, and random chips. */
#ifndef FF_TESTS_SSP_PROGRAMS_H
#define FF_TESTS_SSP_PROGRAMS_H

#include "../../src/ssp/program/ff_ssp_program.h"
#include "check.h"
#include "random.h"

static inline uint32_t drawn(uint64_t *seed, uint32_t least, uint32_t most) { return least + below(seed, most - least + 1); }

/* A chip whose queues are often too small, so that units wait for each other in all ways. */
static inline ff_ssp_chip draw_chip(uint64_t *seed) {
  ff_ssp_chip c = ff_ssp_chip_default();
  c.spes = drawn(seed, 1, 4);
  c.rus = drawn(seed, 1, 5);
  c.part = below(seed, 4);
  c.clock = below(seed, 2) == 0 ? 400 : drawn(seed, 200, 1000);
  c.latency = drawn(seed, 4, 30);
  c.barrier = below(seed, 4);
  c.reaction_memory = drawn(seed, 2, 40) * 8;
  c.internal = drawn(seed, 0, 20);
  c.cached = drawn(seed, 1, 20);
  c.vector_lines = drawn(seed, 1, 16);
  c.victims = below(seed, 4);
  c.requests = below(seed, 2) == 0 ? 32 : drawn(seed, 1, 5);
  c.data = below(seed, 2) == 0 ? 32 : drawn(seed, 1, 8);
  c.reaction_fifo = drawn(seed, 8, 20);
  c.reorder = below(seed, 6);
  c.per_request = 1u << below(seed, 5);
  c.grants = below(seed, 4);
  c.channels = drawn(seed, 2, 8);
  c.reaction_channels = drawn(seed, 1, c.channels - 1);
  c.ranks = drawn(seed, 1, 4);
  c.transactions = below(seed, 2) == 0 ? 32 : drawn(seed, 1, 4);
  c.commands = below(seed, 2) == 0 ? 32 : drawn(seed, 2, 6);
  c.hits = drawn(seed, 1, 6);
  c.precision = below(seed, 3) == 0 ? 64 : 32;
  return c;
}

typedef struct {
  uint32_t n_species, reactions; /* reactions: of an RU, about */
  uint32_t external; /* of 16 reads, those of species that may be external */
  int in_order;      /* external species ascend */
} drawn_shape;

static inline drawn_shape draw_shape(uint64_t *seed) {
  const drawn_shape s = {below(seed, 3) == 0 ? drawn(seed, 200, 9000) : drawn(seed, 2, 60), drawn(seed, 1, 60), below(seed, 17),
                         below(seed, 2) == 0};
  return s;
}

/* What is being written for an RU. `at` has the species of each entry, plus 1. */
typedef struct {
  ff_ssp_unit *unit;
  uint32_t first_cached, n_entries, n;
  uint32_t at[FF_SSP_MAX_ENTRIES];
} drawn_unit;

/* Adds an instruction that reads a species, which is fetched unless it is there. */
static inline void add_read(drawn_unit *d, const ff_ssp_chip *chip, uint64_t *seed, uint32_t type, uint32_t tag, uint32_t spid) {
  ff_ssp_unit *u = d->unit;
  uint32_t op = FF_SSP_SPAD, entry = 0;
  while (entry < d->n_entries && d->at[entry] != spid + 1) entry++;
  if (entry == d->n_entries) {
    op = FF_SSP_FIFO;
    entry = drawn(seed, d->first_cached, d->n_entries - 1);
    d->at[entry] = spid + 1;
    const uint32_t last = u->n_fetches > 0 ? u->fetches[u->n_fetches - 1] : 0;
    if (u->n_fetches > 0 && ff_ssp_fetch_spid(last) + ff_ssp_fetch_length(last) == spid && below(seed, 8) > 0)
      u->fetches[u->n_fetches - 1] = ff_ssp_fetch(ff_ssp_fetch_spid(last), ff_ssp_fetch_length(last) + 1);
    else
      u->fetches[u->n_fetches++] = ff_ssp_fetch(spid, 1);
  }
  const ff_ssp_instruction i = {type, op, entry, tag, chip->precision == 64 ? 0 : 0x3F800000u};
  u->words[d->n++] = ff_ssp_pack(i);
}

static inline uint32_t draw_spid(const drawn_unit *d, const drawn_shape *shape, uint64_t *seed, uint32_t *walk) {
  if (d->unit->n_internal > 0 && below(seed, 16) >= shape->external) return d->unit->internal[below(seed, d->unit->n_internal)];
  if (!shape->in_order) return below(seed, shape->n_species);
  return *walk = (*walk + (below(seed, 4) == 0 ? drawn(seed, 1, 3) : 1)) % shape->n_species;
}

/* An RU with its internal species, so many reactions from *tag on, and dummies of species that it has to read. */
static inline void draw_unit(ff_ssp_program *p, uint32_t j, const drawn_shape *shape, uint32_t n, uint32_t *tag, uint64_t *seed) {
  drawn_unit d = {.unit = &p->units[j]};
  ff_ssp_unit *u = d.unit;
  const uint32_t most = 2 * n + 2 * p->n_species + 1;
  u->words = ff_calloc(most, sizeof *u->words);
  u->rates = ff_calloc(most, sizeof *u->rates);
  u->fetches = ff_calloc(most, sizeof *u->fetches);
  u->internal = ff_calloc(p->chip.internal, sizeof *u->internal);
  uint32_t walk = below(seed, p->n_species), first = below(seed, p->n_species);
  u->n_internal = p->chip.internal < p->n_species ? p->chip.internal : p->n_species;
  for (uint32_t i = 0; i < u->n_internal; i++) d.at[i] = (u->internal[i] = (first + i) % p->n_species) + 1;
  d.first_cached = u->n_internal;
  d.n_entries = p->chip.internal + p->chip.cached;
  if (u->n_internal == p->n_species) d.n_entries = u->n_internal; /* nothing else is read */
  for (uint32_t i = 0; i < n; i++, ++*tag) {
    const uint32_t type = below(seed, 8) == 0 ? (uint32_t)FF_SSP_SPECIAL : below(seed, 3);
    if (type == FF_SSP_SPECIAL) {
      const ff_ssp_instruction source = {type, FF_SSP_SPAD, 0, *tag, p->chip.precision == 64 ? 0 : 0x3F800000u};
      u->words[d.n++] = ff_ssp_pack(source);
      continue;
    }
    const uint32_t spid = draw_spid(&d, shape, seed, &walk);
    add_read(&d, &p->chip, seed, type, *tag, spid);
    if (type == FF_SSP_BI2) add_read(&d, &p->chip, seed, type, *tag, draw_spid(&d, shape, seed, &walk));
  }
  for (uint32_t i = 0; i < u->n_internal; i++) add_read(&d, &p->chip, seed, FF_SSP_SPECIAL, FF_SSP_NO_TAG, u->internal[i]);
  for (uint32_t i = j; i < p->n_species && i < 100; i += p->chip.rus)
    add_read(&d, &p->chip, seed, FF_SSP_SPECIAL, FF_SSP_NO_TAG, i);
  const uint32_t local = ff_ssp_local_most(&p->chip);
  u->n_local = d.n < local ? d.n : local;
  u->n_stream = d.n - u->n_local;
}

/* A program that the caller frees. */
static inline ff_ssp_program *draw_program(const ff_ssp_chip *chip, const drawn_shape *shape, uint64_t *seed) {
  ff_ssp_program *p;
  ff_error err;
  FF_CHECK_OK(ff_ssp_program_new(&p, chip, &err), &err);
  p->n_species = shape->n_species;
  uint32_t tag = 0;
  for (uint32_t j = 0; j < chip->rus; j++) {
    const uint32_t n = j == 0 ? shape->reactions : drawn(seed, 0, shape->reactions);
    draw_unit(p, j, shape, n, &tag, seed);
  }
  p->n_reactions = tag;
  p->vectors = ff_calloc((size_t)tag * FF_SSP_CHANGES, sizeof *p->vectors);
  p->initial = ff_calloc(p->n_species, sizeof *p->initial);
  p->species = ff_calloc(p->n_species, sizeof *p->species);
  for (uint32_t i = 0; i < p->n_species; i++) p->species[i] = i;
  for (uint32_t m = 0; m < tag; m++) {
    const uint32_t n = below(seed, FF_SSP_CHANGES + 1);
    for (uint32_t i = 0; i < n; i++)
      p->vectors[(size_t)m * FF_SSP_CHANGES + i] = ff_ssp_change(below(seed, p->n_species), below(seed, 2) == 0 ? 1 : -1);
  }
  FF_CHECK_OK(ff_ssp_map(p, &err), &err);
  return p;
}

/* A program whose RUs all have so many local instructions and so many of the stream that read internal species, and so many that
 * fetch one species after the other from spid 0 on (with `apart` above 1: each apart-th), after the others. */
static inline ff_ssp_program *plain_program(const ff_ssp_chip *chip, uint32_t local, uint32_t stream, uint32_t fetched,
                                            uint32_t apart) {
  ff_ssp_program *p;
  ff_error err;
  FF_CHECK_OK(ff_ssp_program_new(&p, chip, &err), &err);
  p->n_species = fetched * apart + 1;
  for (uint32_t j = 0; j < chip->rus; j++) {
    ff_ssp_unit *u = &p->units[j];
    const uint32_t n = local + stream + fetched;
    u->words = ff_calloc(n, sizeof *u->words);
    u->fetches = ff_calloc(fetched, sizeof *u->fetches);
    u->internal = ff_calloc(1, sizeof *u->internal);
    u->internal[0] = p->n_species - 1;
    u->n_internal = 1;
    for (uint32_t i = 0; i < n; i++) {
      const int takes = i >= local + stream;
      const ff_ssp_instruction one = {FF_SSP_UNI, takes ? FF_SSP_FIFO : FF_SSP_SPAD, takes ? 1 : 0, p->n_reactions++, 0};
      u->words[i] = ff_ssp_pack(one);
    }
    for (uint32_t i = 0; i < fetched; i++) u->fetches[i] = ff_ssp_fetch(i * apart, 1);
    u->n_fetches = fetched;
    u->n_local = local;
    u->n_stream = n - local;
  }
  p->vectors = ff_calloc((size_t)p->n_reactions * FF_SSP_CHANGES, sizeof *p->vectors);
  p->initial = ff_calloc(p->n_species, sizeof *p->initial);
  p->species = ff_calloc(p->n_species, sizeof *p->species);
  FF_CHECK_OK(ff_ssp_map(p, &err), &err);
  return p;
}

#endif
