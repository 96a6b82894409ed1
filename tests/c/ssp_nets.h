/* Random networks of elementary reactions, and random programs of a network for a Stochastic Simulation Processor: random RUs for
 * reactions, random internal species, random order, random entries, species that are fetched again. All of them must give the
 * same trajectories. */
#ifndef FF_TESTS_SSP_NETS_H
#define FF_TESTS_SSP_NETS_H

#include "../../src/ssp/run/ff_ssp_run_internal.h"
#include "random.h"
#include "reactions.h"

/* ---- networks ---------------------------------------------------------------------------------------------------------- */

static inline void ssp_side(ff_participant **side, uint32_t *n, const uint32_t *species, uint32_t length) {
  *side = ff_calloc(length + 1, sizeof **side);
  for (uint32_t i = 0; i < length; i++) {
    uint32_t k = 0;
    while (k < *n && (*side)[k].species != species[i]) k++;
    if (k == *n) (*side)[(*n)++] = (ff_participant){species[i], 0};
    (*side)[k].count++;
  }
  if (*n == 2 && (*side)[0].species > (*side)[1].species) {
    const ff_participant swapped = (*side)[0];
    (*side)[0] = (*side)[1];
    (*side)[1] = swapped;
  }
}

/* Conversions, decays and supplies, so that populations stay bounded. The last species is made, and is nobody's reactant. */
static inline ff_reactions *ssp_random_network(uint64_t *state, uint32_t n_species, uint32_t n) {
  ff_reactions *net;
  ff_error err;
  FF_CHECK_OK(ff_reactions_new(&net, n_species, 0, n, &err), &err);
  for (uint32_t s = 0; s < n_species; s++) {
    char name[16];
    snprintf(name, sizeof name, "S%u", s);
    net->names[s] = ff_strndup(name, strlen(name));
    net->initial[s] = below(state, 40);
  }
  for (uint32_t r = 0; r < n; r++) {
    static const uint32_t takes[] = {1, 1, 2, 2, 0, 1}, makes[] = {1, 0, 1, 2, 1, 2};
    ff_reaction *to = &net->reactions[r];
    const uint32_t kind = below(state, 6), most = n_species - 1;
    uint32_t from[2], into[2];
    for (uint32_t i = 0; i < 2; i++) from[i] = below(state, most), into[i] = below(state, most);
    if (kind == 2 && below(state, 2) == 0) from[1] = from[0];
    if (kind == 1 || kind == 5) into[1] = most; /* from time to time, the last species */
    if (kind == 5) into[0] = from[0];
    char name[16];
    snprintf(name, sizeof name, "R%u", r);
    to->name = ff_strndup(name, strlen(name));
    to->mass_action = 1;
    const double typical = kind == 4 ? 3 : kind == 2 || kind == 3 ? 0.01 : 0.3;
    FF_CHECK_OK(ff_formula_of_number(&to->rate, typical * (0.1 + uniform(state)), &err), &err);
    ssp_side(&to->reactants, &to->n_reactants, from, takes[kind]);
    ssp_side(&to->products, &to->n_products, into, makes[kind]);
  }
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* ---- programs ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssp_chip chip;
  uint32_t internal;    /* of 100 species that an RU reads, so many are internal */
  uint32_t local;       /* of 100 reactions, so many are in the reaction memory */
  int plain;            /* whether spids are the network's numbers */
  int without_dummies;  /* a fault */
} ssp_shape;

#define SSP_NOWHERE UINT32_MAX
enum { SSP_LOCAL, SSP_STREAM, SSP_PARTS }; /* instructions in the reaction memory, and others */

typedef struct {
  uint32_t type, spid, tag;
  double rate;
  int done;
} ssp_task;

/* An RU while its program is made. */
typedef struct {
  uint64_t *state;
  const ssp_shape *shape;
  uint32_t n_species;
  ssp_task *tasks[SSP_PARTS];
  uint32_t n_tasks[SSP_PARTS], n_internal;
  uint32_t *entry_of;    /* of internal species */
  uint32_t *where;       /* the cached entry of a species */
  uint32_t holds[FF_SSP_MAX_ENTRIES];
  uint64_t *words[SSP_PARTS];
  double *rates[SSP_PARTS];
  uint32_t *data[SSP_PARTS];
  uint32_t n_words[SSP_PARTS], n_data[SSP_PARTS];
  uint8_t *half;         /* of reactions: whether a half waits */
} ssp_maker;

static inline void ssp_hold(ssp_maker *m, uint32_t entry, uint32_t spid) {
  if (m->holds[entry] != SSP_NOWHERE) m->where[m->holds[entry]] = SSP_NOWHERE;
  if (m->where[spid] != SSP_NOWHERE) m->holds[m->where[spid]] = SSP_NOWHERE; /* the older copy is stale from now on */
  m->holds[entry] = spid;
  m->where[spid] = entry;
}

static inline void ssp_emit(ssp_maker *m, uint32_t part, const ssp_task *t) {
  ff_ssp_instruction in = {.type = t->type, .op = FF_SSP_SPAD, .tag = t->tag};
  const float rate = (float)t->rate;
  const int wide = m->shape->chip.precision == 64;
  if (!wide) memcpy(&in.rate, &rate, sizeof rate);
  if (t->spid == SSP_NOWHERE) {
    in.entry = 0;
  } else if (m->entry_of[t->spid] != SSP_NOWHERE) {
    in.entry = m->entry_of[t->spid];
  } else if (m->where[t->spid] != SSP_NOWHERE && below(m->state, 4) != 0) {
    in.entry = m->where[t->spid];
  } else {
    in.op = FF_SSP_FIFO;
    in.entry = m->n_internal + below(m->state, m->shape->chip.internal + m->shape->chip.cached - m->n_internal);
    ssp_hold(m, in.entry, t->spid);
    m->data[part][m->n_data[part]++] = t->spid;
  }
  m->rates[part][m->n_words[part]] = t->rate;
  m->words[part][m->n_words[part]++] = ff_ssp_pack(in);
}

/* Writes all tasks in a random order. If the merger is full, a companion comes before the next first half. */
static inline void ssp_emit_all(ssp_maker *m, uint32_t part) {
  const uint32_t n = m->n_tasks[part];
  ssp_task *tasks = m->tasks[part];
  uint32_t open = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = i + below(m->state, n - i);
    const ssp_task swapped = tasks[i];
    tasks[i] = tasks[k];
    tasks[k] = swapped;
    tasks[i].done = 0;
  }
  for (uint32_t i = 0; i < n;) {
    ssp_task *t = &tasks[i];
    if (!t->done && t->type == FF_SSP_BI2 && !m->half[t->tag] && open == m->shape->chip.merger)
      for (t = tasks; t->done || t->type != FF_SSP_BI2 || !m->half[t->tag];) t++;
    else
      i++;
    if (t->done) continue;
    t->done = 1;
    ssp_emit(m, part, t);
    if (t->type != FF_SSP_BI2) continue;
    if (m->half[t->tag])
      open--;
    else
      open++;
    m->half[t->tag] ^= 1;
  }
}

/* Species instructions for a list of species. */
static inline uint32_t ssp_fetches(uint32_t *fetches, const uint32_t *data, uint32_t n) {
  uint32_t count = 0;
  for (uint32_t i = 0, length; i < n; i += length) {
    for (length = 1; i + length < n && data[i + length] == data[i] + length;) length++;
    fetches[count++] = ff_ssp_fetch(data[i], length);
  }
  return count;
}

static inline void ssp_emit_unit(ssp_maker *m, ff_ssp_unit *u) {
  const int wide = m->shape->chip.precision == 64;
  for (uint32_t s = 0; s < m->n_species; s++) m->where[s] = SSP_NOWHERE;
  for (uint32_t i = 0; i < FF_SSP_MAX_ENTRIES; i++) m->holds[i] = SSP_NOWHERE;
  for (uint32_t part = 0; part < SSP_PARTS; part++) ssp_emit_all(m, part);
  u->n_local = m->n_words[SSP_LOCAL];
  u->n_stream = m->n_words[SSP_STREAM];
  const uint32_t n = u->n_local + u->n_stream, n_data = m->n_data[SSP_LOCAL] + m->n_data[SSP_STREAM];
  uint32_t *data = ff_calloc(n_data, sizeof *data);
  u->words = ff_calloc(n, sizeof *u->words);
  if (wide) u->rates = ff_calloc(n, sizeof *u->rates);
  u->fetches = ff_calloc(n_data, sizeof *u->fetches);
  for (uint32_t i = 0; i < n_data; i++)
    data[i] = i < m->n_data[SSP_LOCAL] ? m->data[SSP_LOCAL][i] : m->data[SSP_STREAM][i - m->n_data[SSP_LOCAL]];
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t part = i < u->n_local ? SSP_LOCAL : SSP_STREAM, k = i < u->n_local ? i : i - u->n_local;
    u->words[i] = m->words[part][k];
    if (wide) u->rates[i] = m->rates[part][k];
  }
  u->n_fetches = ssp_fetches(u->fetches, data, n_data);
  free(data);
}

static inline void ssp_add_task(ssp_maker *m, uint32_t which, uint32_t type, uint32_t spid, uint32_t tag, double rate) {
  m->tasks[which][m->n_tasks[which]++] = (ssp_task){type, spid, tag, rate, 0};
}

/* Makes some of the species that the tasks read internal, and one more with a dummy. */
static inline void ssp_choose_internal(ssp_maker *m, ff_ssp_unit *u) {
  const ff_ssp_chip *chip = &m->shape->chip;
  const uint32_t most = chip->internal + below(m->state, chip->cached); /* an entry is left for what passes by */
  u->internal = ff_calloc(most, sizeof *u->internal);
  for (uint32_t s = 0; s < m->n_species; s++) m->entry_of[s] = SSP_NOWHERE;
  if (m->shape->internal > 0 && most > 0 && below(m->state, 2) == 0)
    ssp_add_task(m, SSP_STREAM, FF_SSP_SPECIAL, below(m->state, m->n_species), FF_SSP_NO_TAG, 0);
  for (int which = 0; which < SSP_PARTS; which++)
    for (uint32_t i = 0; i < m->n_tasks[which]; i++) {
      const uint32_t s = m->tasks[which][i].spid;
      if (s == SSP_NOWHERE || m->entry_of[s] != SSP_NOWHERE || u->n_internal == most) continue;
      if (below(m->state, 100) >= m->shape->internal) continue;
      m->entry_of[s] = u->n_internal;
      u->internal[u->n_internal++] = s;
    }
  m->n_internal = u->n_internal;
}

static inline void ssp_add_reaction(ssp_maker *m, const ff_reactions *net, uint32_t tag, const uint32_t *spid_of) {
  const ff_reaction *r = &net->reactions[tag];
  const double rate = ff_formula_value(&r->rate, NULL, 0, (double[8]){0});
  const uint32_t which = below(m->state, 100) >= m->shape->local;
  if (r->n_reactants == 0) ssp_add_task(m, which, FF_SSP_SPECIAL, SSP_NOWHERE, tag, rate);
  for (uint32_t i = 0; i < r->n_reactants; i++) {
    const uint32_t spid = spid_of[r->reactants[i].species];
    const int twin = r->reactants[i].count == 2;
    ssp_add_task(m, which, r->n_reactants == 2 ? FF_SSP_BI2 : twin ? FF_SSP_BI1 : FF_SSP_UNI, spid, tag, twin ? rate / 2 : rate);
  }
}

static inline void ssp_add_vector(ff_ssp_program *p, const ff_reactions *net, uint32_t tag, const uint32_t *spid_of) {
  const ff_reaction *r = &net->reactions[tag];
  int by[16] = {0};
  uint32_t species[16], n = 0, used = 0;
  for (uint32_t i = 0; i < r->n_reactants + r->n_products; i++) {
    const ff_participant *x = i < r->n_reactants ? &r->reactants[i] : &r->products[i - r->n_reactants];
    uint32_t k = 0;
    while (k < n && species[k] != x->species) k++;
    if (k == n) species[n++] = x->species;
    by[k] += i < r->n_reactants ? -(int)x->count : (int)x->count;
  }
  for (uint32_t k = 0; k < n; k++)
    if (by[k] != 0) p->vectors[(size_t)tag * FF_SSP_CHANGES + used++] = ff_ssp_change(spid_of[species[k]], by[k]);
}

static inline ssp_maker ssp_maker_new(uint64_t *state, const ssp_shape *shape, uint32_t n_species, uint32_t n_reactions) {
  ssp_maker m = {.state = state, .shape = shape, .n_species = n_species};
  const size_t room = 2 * (size_t)n_reactions + n_species + 2;
  for (int i = 0; i < SSP_PARTS; i++) {
    m.tasks[i] = ff_calloc(room, sizeof *m.tasks[i]);
    m.words[i] = ff_calloc(room, sizeof *m.words[i]);
    m.rates[i] = ff_calloc(room, sizeof *m.rates[i]);
    m.data[i] = ff_calloc(room, sizeof *m.data[i]);
  }
  m.entry_of = ff_calloc(n_species, sizeof *m.entry_of);
  m.where = ff_calloc(n_species, sizeof *m.where);
  m.half = ff_calloc(n_reactions, sizeof *m.half);
  return m;
}

static inline void ssp_maker_free(ssp_maker *m) {
  for (int i = 0; i < SSP_PARTS; i++) {
    free(m->tasks[i]);
    free(m->words[i]);
    free(m->rates[i]);
    free(m->data[i]);
  }
  free(m->entry_of);
  free(m->where);
  free(m->half);
}

/* What a program says of species and reactions. spid_of[] becomes a random order. */
static inline ff_ssp_program *ssp_tables(uint64_t *state, const ff_reactions *net, const ssp_shape *shape,
                                           uint32_t *spid_of) {
  ff_ssp_program *p;
  ff_error err;
  FF_CHECK_OK(ff_ssp_program_new(&p, &shape->chip, &err), &err);
  p->n_species = net->n_species;
  p->n_reactions = net->n_reactions;
  p->initial = ff_calloc(p->n_species, sizeof *p->initial);
  p->species = ff_calloc(p->n_species, sizeof *p->species);
  p->vectors = ff_calloc((size_t)p->n_reactions * FF_SSP_CHANGES, sizeof *p->vectors);
  p->names = ff_calloc((size_t)p->n_species + p->n_reactions, sizeof *p->names);
  for (uint32_t s = 0; s < p->n_species; s++) p->species[s] = s;
  for (uint32_t s = 0; s + 1 < p->n_species && !shape->plain; s++) {
    const uint32_t k = s + below(state, p->n_species - s), swapped = p->species[s];
    p->species[s] = p->species[k];
    p->species[k] = swapped;
  }
  for (uint32_t s = 0; s < p->n_species; s++) {
    spid_of[p->species[s]] = s;
    p->initial[s] = (uint32_t)net->initial[p->species[s]];
    p->names[s] = ff_strndup(net->names[s], strlen(net->names[s]));
  }
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    p->names[p->n_species + r] = ff_strndup(net->reactions[r].name, strlen(net->reactions[r].name));
    ssp_add_vector(p, net, r, spid_of);
  }
  return p;
}

/* The network is one of elementary reactions. The caller frees the program. */
static inline ff_ssp_program *ssp_random_program(uint64_t seed, const ff_reactions *net, const ssp_shape *shape) {
  uint64_t state = seed;
  const uint32_t n = net->n_species, n_rus = shape->chip.rus;
  uint32_t *spid_of = ff_calloc(n, sizeof *spid_of), *ru_of = ff_calloc(net->n_reactions, sizeof *ru_of);
  uint8_t *needs = ff_calloc(n, sizeof *needs); /* 1: it changes; 2 besides: it is read */
  ff_ssp_program *p = ssp_tables(&state, net, shape, spid_of);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    ru_of[r] = below(&state, n_rus);
    for (uint32_t i = 0; i < FF_SSP_CHANGES && p->vectors[r * FF_SSP_CHANGES + i] != 0; i++)
      needs[ff_ssp_change_spid(p->vectors[r * FF_SSP_CHANGES + i])] |= 1;
  }
  for (uint32_t r = 0; r < net->n_reactions; r++)
    for (uint32_t i = 0; i < net->reactions[r].n_reactants; i++) needs[spid_of[net->reactions[r].reactants[i].species]] |= 2;
  for (uint32_t j = 0; j < n_rus; j++) {
    ssp_maker m = ssp_maker_new(&state, shape, n, net->n_reactions);
    for (uint32_t r = 0; r < net->n_reactions; r++)
      if (ru_of[r] == j) ssp_add_reaction(&m, net, r, spid_of);
    for (uint32_t s = 0; s < n && !shape->without_dummies; s++)
      if (needs[s] == 1 && s % n_rus == j) ssp_add_task(&m, below(&state, 2), FF_SSP_SPECIAL, s, FF_SSP_NO_TAG, 0);
    ssp_choose_internal(&m, &p->units[j]);
    ssp_emit_unit(&m, &p->units[j]);
    ssp_maker_free(&m);
  }
  free(spid_of);
  free(ru_of);
  free(needs);
  ff_error err;
  FF_CHECK_OK(ff_ssp_map(p, &err), &err);
  if (!shape->without_dummies) FF_CHECK_OK(ff_ssp_check(p, &err), &err);
  return p;
}

/* A random shape. */
static inline ssp_shape ssp_random_shape(uint64_t *state, uint32_t precision) {
  ssp_shape s = {.chip = ff_ssp_chip_default()};
  s.chip.rus = 1 + below(state, 9);
  s.chip.precision = precision;
  s.chip.internal = below(state, 8);
  s.chip.cached = 1 + below(state, 12);
  s.chip.merger = 1 + below(state, 5);
  s.chip.data = 1 + below(state, 70);
  s.internal = 25 * below(state, 5);
  s.local = 25 * below(state, 5);
  s.plain = below(state, 2) == 0;
  return s;
}

static inline ff_ssp_code *ssp_code_of(const ff_ssp_program *program) {
  ff_ssp_code *code = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ssp_code_new(&code, program, &err), &err);
  return code;
}

#endif
