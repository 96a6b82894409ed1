/* Code for networks of replicated modules: places of counts, sums of parts, and the data. ff_ssa_generate_ring_change.c writes
 * the functions, and ff_ssa_thread_ring.h has what does not depend on the network. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../random/ff_exponential.h"
#include "../code/ff_ssa_expect.h"
#include "ff_ssa_generate_ring.h"
#include "../../device/ff_ssa_launch.h"

#define NONE FF_SSA_RING_NONE
#define MOST_SHORT 0x3FFFFFFFu    /* the most that a total of 32 bits may be: searches add up to twice the total */
#define MOST_GAIN 0x7FFFFFFFu     /* what a step may add to a total, so that one that exceeds the most is noticed */
#define MOST_LONG 0x1p52          /* the same for a total of 64 bits */
#define BITS16_MOST 32768.0       /* counts have 16 bits if so much is expected */
#define ROOM 16384.0              /* what is left of 16 bits for what a count gains between two checks */
#define MOST_EVENTS 1024u         /* between two checks */
#define FEWEST_STEPS 64u
#define FEWEST_THREADS 96u        /* of a multiprocessor; with fewer, counts are in global memory */
#define SECTOR_COST 100.0         /* what reading 32 bytes of global memory costs, in instructions */
#define MOST_SPAN 32u
#define MOST_FAN 32u
#define MOST_WARPS 24u
#define MOST_DERIVED 0x10000000u  /* the largest initial count, if counts are derived */
#define MOST_OTHERS 0x4000000u
#define DERIVED 0x80000000u       /* the place of a count that is derived; then the module and, in 3 bits, the species */
#define BLOCK_BYTES FF_SSA_BLOCK_SHORT_BYTES
#define LOGARITHMS (55u * FF_EXPONENTIAL_CELLS)

typedef ff_ssa_ring_generator generator;

/* ---- places ------------------------------------------------------------------------------------------------------------- */

/* Whether each step changes a species by the sum of these factors times its changes of the species that are read. */
static int follows(const generator *g, uint32_t species, const int32_t *factor) {
  for (uint32_t q = 0; q < g->m->n_kinds; q++) {
    const ff_ssa_ring_kind *kind = g->m->kinds + q;
    for (uint32_t i = 0; i < kind->n_changes; i++) {
      int32_t sum = 0;
      for (uint32_t k = 0; k < kind->n_changes; k++) {
        const ff_ssa_ring_change *c = kind->changes + k;
        if (ff_ssa_ring_around(g, c->offset) != ff_ssa_ring_around(g, kind->changes[i].offset)) continue;
        if (c->species == species)
          sum -= c->by;
        else if (g->place[c->species] < g->n_read)
          sum += factor[g->place[c->species]] * c->by;
      }
      if (sum != 0) return 0;
    }
  }
  return 1;
}

/* Looks for such factors among -1, 0 and 1. Then the count of a species that no product reads is a constant plus a sum of
 * counts that are read. */
static int derive(generator *g, uint32_t species) {
  uint32_t n = 1;
  for (uint32_t j = 0; j < g->m->n; j++)
    if (g->request->initial[g->m->species[j * g->m->n_species + species]] > MOST_DERIVED) return 0;
  for (uint32_t i = 0; i < g->n_read; i++) n *= 3;
  for (uint32_t code = 0; code < n; code++) {
    uint32_t rest = code;
    for (uint32_t i = 0; i < g->n_read; i++, rest /= 3) g->factor[species][i] = (int32_t)(rest % 3) - 1;
    if (follows(g, species, g->factor[species])) return g->any_derived = g->derived[species] = 1;
  }
  return 0;
}

static void want(generator *g, uint32_t species) {
  if (species != FF_RING_ONE && g->place[species] == NONE) g->place[species] = g->n_places++;
}

static void place_counts(generator *g) {
  const ff_ssa_ring *m = g->m;
  const uint32_t s = m->n_species;
  for (uint32_t i = 0; i < m->n * s; i++) g->at[m->species[i]] = i;
  for (uint32_t k = 0; k < s; k++) g->place[k] = NONE;
  for (uint32_t i = 0; i < m->n_terms; i++) want(g, m->terms[i].hub);
  for (uint32_t i = 0; i < m->n_kinds; i++) want(g, m->kinds[i].species);
  g->n_read = g->n_places;
  for (uint32_t k = 0; k < s; k++)
    if (g->place[k] != NONE) g->read_species[g->place[k]] = k;
  for (uint32_t i = 0; i < g->request->n_observed; i++) {
    const uint32_t k = g->at[g->request->observed[i]] % s;
    if (g->place[k] == NONE && !g->derived[k] && !derive(g, k)) want(g, k);
  }
}

/* The most that a step adds to a count. */
static double most_gain(const ff_ssa_ring *m) {
  int32_t most = 1;
  for (uint32_t q = 0; q < m->n_kinds; q++)
    for (uint32_t i = 0; i < m->kinds[q].n_changes; i++)
      if (m->kinds[q].changes[i].by > most) most = m->kinds[q].changes[i].by;
  return most;
}

/* What a step adds to all totals is at most this times the largest count. */
static double most_factor(const generator *g) {
  double most = 1;
  for (uint32_t c = 0; c < g->n_cases; c++) {
    double sum = 0;
    for (uint32_t i = 0; i < g->n_effects; i++) {
      const ff_ssa_ring_effect *e = g->effects + i;
      double weights = 1;
      for (uint32_t k = 0; k < g->m->terms[e->term].n; k++) weights += g->m->kinds[g->m->terms[e->term].first + k].weight;
      sum += fabs((double)e->by_f[c]) + fabs((double)e->by_a[c]) * (weights + fabs((double)e->by_f[c]));
    }
    if (sum > most) most = sum;
  }
  return most;
}

/* An estimate of the largest sum of products of a term; for the initial counts, the exact sum. */
static double sum_of(const generator *g, const ff_ssa_ring_term *term, const double *count) {
  const ff_ssa_ring *m = g->m;
  double total = 0;
  for (uint32_t j = 0; j < m->n; j++) {
    double f = -(double)term->less;
    for (uint32_t q = term->first; q < term->first + term->n; q++) {
      const ff_ssa_ring_kind *kind = m->kinds + q;
      const uint32_t at = ff_ssa_ring_at(m, j, kind->offset) * m->n_species;
      f += kind->weight * (kind->species == FF_RING_ONE ? 1 : count[m->species[at + kind->species]]);
    }
    total += (term->hub == FF_RING_ONE ? 1 : count[m->species[j * m->n_species + term->hub]]) * f;
  }
  return total;
}

static double most_weight(const generator *g) {
  double most = 1;
  for (uint32_t i = 0; i < g->m->n_terms; i++) {
    double sum = 1;
    for (uint32_t q = 0; q < g->m->terms[i].n; q++) sum += g->m->kinds[g->m->terms[i].first + q].weight;
    if (sum > most) most = sum;
  }
  return most;
}

/* How many bits sums have. */
static ff_status choose_sums(generator *g, ff_error *err) {
  g->halves = 1;
  for (uint32_t i = 0; i < g->m->n_terms; i++) {
    const double now = sum_of(g, g->m->terms + i, g->request->initial);
    if (now > MOST_LONG)
      return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a sum of products of counts is %g at time 0", now);
    if (now > MOST_SHORT || sum_of(g, g->m->terms + i, g->expected) > MOST_SHORT) g->halves = 2;
  }
  return FF_OK;
}

/* How many bits counts have, and what they may be at a check. */
static ff_status choose_width(generator *g, ff_error *err) {
  const double by = most_gain(g->m), factor = most_factor(g);
  double initial = 0;
  for (uint32_t s = 0; s < g->p->n_species; s++) {
    if (g->place[g->at[s] % g->m->n_species] == NONE) continue;
    if (g->request->initial[s] > initial) initial = g->request->initial[s];
    if (g->request->initial[s] >= BITS16_MOST || g->expected[s] >= BITS16_MOST) g->bits32 = 1;
  }
  const double most = floor(MOST_GAIN / (g->halves == 1 ? factor : most_weight(g))); /* so that F has 31 bits, too */
  g->bits32 |= most < 65535;
  double limit = g->bits32 ? most : 65535;
  if (limit > FF_DEVICE_MOST) limit = FF_DEVICE_MOST;
  if (g->any_derived && limit > MOST_OTHERS) limit = MOST_OTHERS;
  g->check = MOST_EVENTS;
  while (g->check > FEWEST_STEPS && by * g->check > ROOM) g->check /= 2;
  if (initial + 2 * by * g->check > limit) /* a trajectory may begin just after a check */
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a count is %.17g at time 0, and must stay below %.17g", initial,
                        limit);
  g->most_count = (uint32_t)(limit - by * g->check);
  const uint32_t each = g->bits32 ? 1 : 2;
  g->read = (g->n_read + each - 1) / each;
  g->each = (g->n_places + each - 1) / each;
  return FF_OK;
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

static void choose_window(generator *g) {
  for (uint32_t q = 0; q < g->m->n_kinds; q++) {
    const int32_t offset = ff_ssa_ring_around(g, g->m->kinds[q].offset); /* of 8 modules, 4 is -4 */
    if (offset < 0 && (uint32_t)-offset > g->before) g->before = (uint32_t)-offset;
    if (offset > 0 && (uint32_t)offset > g->after) g->after = (uint32_t)offset;
  }
}

static uint32_t sum_rows(const generator *g) {
  return g->halves * g->m->n_terms * ((g->parts > 1 ? g->parts : 0) + g->uppers);
}

/* Sets parts and upper sums for parts of so many modules. The last upper sum is one of `fan` parts, too, although some of these
 * have no modules. */
static void set_parts(generator *g, uint32_t span, uint32_t fan) {
  g->span = span;
  g->parts = (g->m->n + span - 1) / span;
  g->last_part = g->parts - 1;
  g->uppers = 0;
  g->fan = g->parts;
  if (fan >= g->parts) return;
  g->fan = fan;
  g->uppers = (g->parts + fan - 1) / fan;
  g->parts = g->uppers * fan;
}

/* Instructions of a step, and more for each if there are few warps. */
static double cost_of(const generator *g, uint32_t store) {
  const double free_bytes = (double)g->shared - BLOCK_BYTES, rows = (store ? 0 : g->m->n * g->each) + sum_rows(g);
  const double product = 4 + g->read * (1.0 + g->before + g->after) + (g->m->n % g->span != 0 ? 2 : 0);
  const double parts = g->uppers > 0 ? 20 + 3.5 * (g->uppers + g->fan) : 3.5 * g->parts;
  double warps = rows > 0 ? floor(free_bytes / (128 * rows)) : MOST_WARPS;
  if (warps > MOST_WARPS) warps = MOST_WARPS;
  const double sectors = store > 0 ? 2 + g->span * g->each / 8.0 : 0;
  return (250 + parts + product * g->span) * (1 + 6 / (warps < 1 ? 1 : warps)) + SECTOR_COST * sectors;
}

/* Whether counts are in global memory, because shared memory has room for few threads only. */
static uint32_t choose_store(generator *g) {
  const uint32_t counts = g->m->n * g->each;
  return 4 * counts * FEWEST_THREADS > g->shared - BLOCK_BYTES ? (counts + 3) / 4 * 4 : 0;
}

/* A search looks at modules beyond the end of the last part, which are those at the beginning of the ring. It must not come to
 * its end a second time. */
static int reaches_too_far(const generator *g) { return g->last_part * g->span + g->span + g->after > 2 * g->m->n; }

static void choose_parts(generator *g, uint32_t store) {
  double best = INFINITY;
  uint32_t best_span = g->m->n, best_fan = 1;
  for (uint32_t span = 2; span <= MOST_SPAN && span <= g->m->n; span++)
    for (uint32_t fan = 2; fan <= MOST_FAN; fan++) {
      set_parts(g, span, fan);
      const double cost = cost_of(g, store);
      if (reaches_too_far(g) || !(cost < best)) continue;
      best = cost;
      best_span = span;
      best_fan = fan;
    }
  set_parts(g, best_span, best_fan);
}

/* As many threads as shared memory and registers allow. */
static void choose_threads(generator *g) {
  ff_ssa_code *code = g->code;
  const uint32_t table = 4 * code->n_table + BLOCK_BYTES, most = g->m->n_terms <= 4 ? 768 : 512;
  uint32_t best = 0;
  code->threads = 32;
  g->blocks = 1;
  for (uint32_t threads = 512; threads >= 32; threads -= 32)
    for (uint32_t k = 1; k * threads <= most && k <= 16; k++)
      if (k * (table + 4 * code->n_rows * threads) <= g->shared && k * threads > best) {
        best = k * threads;
        g->blocks = k;
        code->threads = threads;
      }
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

static uint64_t initial_of(const generator *g, uint32_t module, uint32_t species, int32_t offset) {
  if (species == FF_RING_ONE) return 1;
  return (uint64_t)g->request->initial[g->m->species[ff_ssa_ring_at(g->m, module, offset) * g->m->n_species + species]];
}

static uint64_t product_of(const generator *g, const ff_ssa_ring_term *term, uint32_t module) {
  uint64_t f = 0u - (uint64_t)term->less; /* A is 0 if this makes F negative */
  for (uint32_t q = term->first; q < term->first + term->n; q++)
    f += g->m->kinds[q].weight * initial_of(g, module, g->m->kinds[q].species, g->m->kinds[q].offset);
  return initial_of(g, module, term->hub, 0) * f;
}

static void add_sum(const generator *g, uint32_t *to, uint32_t i, uint64_t by) {
  const uint64_t sum = (g->halves == 1 ? to[i] : (uint64_t)to[2 * i + 1] << 32 | to[2 * i]) + by;
  to[g->halves * i] = (uint32_t)sum;
  if (g->halves == 2) to[2 * i + 1] = (uint32_t)(sum >> 32);
}

/* What counts, sums and totals are at time 0. */
static void fill_initial(const generator *g, uint32_t *to) {
  const ff_ssa_ring *m = g->m;
  const uint32_t store = g->code->n_store, rows = g->code->n_rows;
  uint32_t *counts = store > 0 ? to + rows : to, *sums = store > 0 ? to : to + m->n * g->each, *totals = to + rows + store;
  for (uint32_t j = 0; j < m->n; j++)
    for (uint32_t k = 0; k < m->n_species; k++) {
      const uint32_t place = g->place[k], x = (uint32_t)g->request->initial[m->species[j * m->n_species + k]];
      if (place == NONE) continue;
      counts[j * g->each + (g->bits32 ? place : place / 2)] |= x << (g->bits32 ? 0 : place % 2 * 16);
    }
  for (uint32_t i = 0; i < m->n_terms; i++)
    for (uint32_t j = 0; j < m->n; j++) {
      const uint64_t q = product_of(g, m->terms + i, j);
      const uint32_t part = j / g->span;
      add_sum(g, totals, i, q);
      if (g->parts > 1) add_sum(g, sums, i * g->parts + part, q);
      if (g->uppers > 0) add_sum(g, sums, m->n_terms * g->parts + i * g->uppers + part / g->fan, q);
    }
}

/* Where species number s of the program is, and the constant of a count that is derived. */
static void fill_place(const generator *g, uint32_t s, uint32_t *to, uint32_t *constant) {
  const uint32_t n = g->m->n_species, module = g->at[s] / n, species = g->at[s] % n, place = g->place[species];
  if (!g->derived[species]) {
    *to = g->bits32 ? 2 * (module * g->each + place) : 2 * (module * g->each + place / 2) + place % 2;
    return;
  }
  *to = DERIVED | module << 3 | species;
  *constant = (uint32_t)g->request->initial[s];
  for (uint32_t i = 0; i < g->n_read; i++)
    *constant -= (uint32_t)g->factor[species][i] * (uint32_t)g->request->initial[g->m->species[module * n + g->read_species[i]]];
}

static ff_status fill(generator *g, ff_error *err) {
  ff_ssa_code *code = g->code;
  const uint32_t n = g->request->n_observed, constants = 2 * LOGARITHMS + code->n_rows + code->n_store + code->n_counts;
  code->for_points = code->initial_big = 1;
  code->initial_at = 2 * LOGARITHMS;
  code->n_initial = constants + n - code->initial_at;
  code->n_big = constants + 2 * n;
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  code->big = ff_calloc(code->n_big, sizeof *code->big);
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  if (code->rates == NULL || code->big == NULL || code->table == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t i = 0; i < g->m->n_terms; i++) {
    code->rates[i] = g->m->terms[i].rate;
    code->rates[g->m->n_terms + i] = 0x1p20 / g->m->terms[i].rate;
  }
  for (uint32_t i = 0; i < LOGARITHMS; i++) {
    const double first = ff_exponential_first(i + (1023u - 54u) * FF_EXPONENTIAL_CELLS);
    memcpy(code->big + 2 * i, &first, sizeof first);
  }
  fill_initial(g, code->big + 2 * LOGARITHMS);
  for (uint32_t i = 0; i < n; i++)
    fill_place(g, g->request->observed[i], code->big + constants + n + i, code->big + constants + i);
  for (uint32_t c = 0; c < g->n_cases; c++)
    for (uint32_t i = 0; i < g->n_constants; i++) code->table[c * g->n_constants + i] = g->constants[i][c];
  return FF_OK;
}

/* ---- text --------------------------------------------------------------------------------------------------------------- */

static void put_definitions(const generator *g, ff_writer *out) {
  const ff_ssa_code *code = g->code;
  const uint32_t counts = code->n_store > 0 ? 0 : g->m->n * g->each, data = 2 * LOGARITHMS;
  const ff_ssa_definition values[] = {
    {"S_RATES", code->n_rates}, {"S_PLAIN", (uint32_t)g->tame}, {"S_QUICK", g->tame && g->halves == 1}, {"S_FIRST", 0},
    {"S_KEEP_KEYS", code->threads * g->blocks <= 512}, {"S_UNROLL", 1}, {"S_THREADS", code->threads}, {"S_BLOCKS", g->blocks},
    {"S_REACTIONS", g->m->n_terms},
    {"S_COUNTS", code->n_counts}, {"S_ROWS", code->n_rows}, {"S_STORE", code->n_store}, {"S_MOST", 1}, {"S_CHUNK", g->check},
    {"S_TABLE", code->n_table}, {"S_AHEAD", 1}, {"S_TERMS", g->m->n_terms}, {"S_MODULES", g->m->n},
    {"S_BITS32", (uint32_t)g->bits32}, {"S_EACH", g->each}, {"S_READ", g->read}, {"S_SPAN", g->span}, {"S_PARTS", g->parts},
    {"S_LAST_PART", g->last_part},
    {"S_FAN", g->fan}, {"S_UPPERS", g->uppers}, {"S_SUMS", counts},
    {"S_TOPS", counts + g->halves * g->m->n_terms * g->parts}, {"S_BEFORE", g->before},
    {"S_AFTER", g->after}, {"S_MOST_COUNT", g->most_count}, {"S_LOGS", 0}, {"S_INITIAL", data},
    {"S_PLACES", data + code->n_rows + code->n_store + code->n_counts + g->request->n_observed},
    {"S_CONSTANTS", g->n_constants}, {"S_DERIVED", (uint32_t)g->any_derived},
  };
  ff_ssa_define(out, values, sizeof values / sizeof *values);
  ff_write(out, "#define S_MOST_TOTAL %s\n", g->halves == 1 ? "0x3FFFFFFFu" : "(1ull << 62)\n#define S_LONG 1");
}

static ff_status write_text(generator *g, ff_error *err) {
  ff_writer head = {.err = err}, body = {.err = err};
  ff_status status = ff_ssa_ring_put(g, &body, err); /* lists the constants */
  g->code->n_table = g->n_cases * g->n_constants + 4; /* not empty */
  choose_threads(g);
  put_definitions(g, &head);
  if (status == FF_OK) status = ff_ssa_ring_put_term(g, &head, &body);
  g->code->definitions = head.text;
  g->code->functions = body.text;
  if (status == FF_OK) status = head.status;
  return status == FF_OK ? body.status : status;
}

static ff_status generate(generator *g, ff_error *err) {
  g->tame = 1;
  for (uint32_t i = 0; i < g->m->n_terms; i++) g->tame &= g->m->terms[i].rate >= 1e-200 && g->m->terms[i].rate <= 1e200;
  place_counts(g);
  choose_window(g);
  ff_ssa_ring_list(g);
  ff_status status = choose_sums(g, err);
  if (status == FF_OK) status = choose_width(g, err);
  if (status != FF_OK) return status;
  ff_ssa_code *code = g->code;
  code->n_store = choose_store(g);
  choose_parts(g, code->n_store);
  code->n_rows = (code->n_store > 0 ? 0 : g->m->n * g->each) + sum_rows(g);
  code->n_rates = 2 * g->m->n_terms;
  code->n_counts = g->halves * g->m->n_terms;
  code->bits16 = !g->bits32 && !g->request->bits32;
  status = write_text(g, err);
  return status == FF_OK ? fill(g, err) : status;
}

ff_status ff_ssa_generate_ring(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                  uint32_t shared, ff_error *err) {
  generator *g = ff_calloc(1, sizeof *g);
  if (g == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  *g = (generator){.p = program, .m = program->ring, .request = request, .code = out, .shared = shared};
  g->at = ff_calloc((size_t)program->n_species + 1, sizeof *g->at);
  ff_status status = g->at != NULL ? ff_ssa_expect(&g->expected, program, request, err)
                                   : ff_error_set(err, FF_EMEMORY, "no memory for code");
  if (status == FF_OK) status = generate(g, err);
  free(g->expected);
  free(g->at);
  free(g);
  return status;
}
