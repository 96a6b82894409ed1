#include "code/ff_ssa_generate.h"

#include <stdlib.h>
#include <string.h>

#include "../../../base/ff_philox.h"
#include "../../../ssa/program/ff_ssa_method_kinds.h"
#include "../../../ssa/rings/ff_ssa_ring.h"
#include "code/ff_ssa_generate_text.h"

#define LEAST_ROW 512u /* modules of one species; their own code is faster for fewer (docs/decisions/13-gpu-chains.md) */
#define MOST_GAIN (1024.0 * 127) /* what a count or sum can gain until a thread checks it: in 1,024 steps, 127 in each */

void ff_ssa_code_free(ff_ssa_code *code) {
  free(code->definitions);
  free(code->functions);
  free(code->table);
  free(code->big);
  free(code->rates);
  free(code->numbers.at);
  *code = (ff_ssa_code){0};
}

static ff_status check(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(request->initial[s] <= FF_DEVICE_MOST))
      return ff_error_set(err, FF_EUNSUPPORTED, "an initial count is %g, not a whole number below 2^30", request->initial[s]);
  return FF_OK;
}

/* The largest count at time 0, or the largest sum of a group. */
static double largest_at_start(const ff_ssa_program *p, const double *initial, int factored) {
  const ff_ssa_factor *f = p->factor;
  double most = 0;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (initial[s] > most) most = initial[s];
  for (uint32_t i = 0; factored && i < f->n_sums; i++) {
    double sum = 0;
    for (const ff_ssa_member *m = f->members + f->sums[i].first, *end = m + f->sums[i].n; m < end; m++)
      sum += m->weight * (m->species < p->n_species ? initial[m->species] : 1);
    if (sum > most) most = sum;
  }
  return most;
}

/* Threads check counts and sums only now and then, and a trajectory may begin just after a check. */
static ff_status check_start(const ff_ssa_program *p, const ff_device_request *request, int factored, ff_error *err) {
  const double most = largest_at_start(p, request->initial, factored);
  if (most + MOST_GAIN <= FF_DEVICE_MOST) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a count%s is %.17g at time 0, and must stay below 2^30",
                      factored ? " or a sum of counts" : "", most);
}

/* ---- several points ------------------------------------------------------------------------------------------------------ */

/* The words of a point: the key of each round, rate constants, numbers of formulas, other rate constants, initial counts. All
 * doubles begin at even words. */
typedef struct {
  uint32_t rates, numbers, leaves, initial, all;
} point_places;

static point_places places_of(const ff_ssa_code *code) {
  point_places at = {.rates = 2 * FF_PHILOX_ROUNDS};
  at.numbers = at.rates + 2 * code->n_rates;
  at.leaves = at.numbers + 2 * (uint32_t)code->numbers.n;
  at.initial = at.leaves + code->n_leaves;
  at.all = (at.initial + code->n_initial + 1) / 2 * 2;
  return at;
}

uint32_t ff_ssa_code_point_words(const ff_ssa_code *code) { return places_of(code).all; }

static void put_words(uint32_t *to, const void *from, size_t bytes) {
  if (bytes > 0) memcpy(to, from, bytes);
}

void ff_ssa_code_point(const ff_ssa_code *code, uint64_t key, uint32_t *words) {
  const point_places at = places_of(code);
  words[at.all - 1] = 0;
  ff_philox_round_keys(words, key);
  put_words(words + at.rates, code->rates, code->n_rates * sizeof *code->rates);
  put_words(words + at.numbers, code->numbers.at, code->numbers.n * sizeof *code->numbers.at);
  put_words(words + at.leaves, code->table + code->leaves_at, code->n_leaves * 4);
  put_words(words + at.initial, (code->initial_big ? code->big : code->table) + code->initial_at, code->n_initial * 4);
}

/* Whether two tables are equal without some words. */
static int same_words(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t from, uint32_t without) {
  const uint32_t to = from + without;
  return n == 0 || (memcmp(a, b, (size_t)from * 4) == 0 && memcmp(a + to, b + to, ((size_t)n - to) * 4) == 0);
}

static int same_table(const ff_ssa_code *a, const ff_ssa_code *b) {
  if (a->initial_big || a->n_leaves == 0) {
    const uint32_t from = a->initial_big ? a->leaves_at : a->initial_at;
    return same_words(a->table, b->table, a->n_table, from, a->initial_big ? a->n_leaves : a->n_initial);
  }
  const uint32_t middle = a->leaves_at + a->n_leaves; /* the initial counts are behind the rate constants */
  return same_words(a->table, b->table, middle, a->leaves_at, a->n_leaves) &&
         same_words(a->table + middle, b->table + middle, a->n_table - middle, a->initial_at - middle, a->n_initial);
}

int ff_ssa_code_alike(const ff_ssa_code *a, const ff_ssa_code *b) {
  if (a->n_table != b->n_table || a->n_big != b->n_big || a->initial_at != b->initial_at || a->n_initial != b->n_initial ||
      a->initial_big != b->initial_big || a->leaves_at != b->leaves_at || a->n_leaves != b->n_leaves || a->n_sums != b->n_sums ||
      a->n_store != b->n_store || a->numbers.n != b->numbers.n)
    return 0;
  if (strcmp(a->definitions, b->definitions) != 0 || strcmp(a->functions, b->functions) != 0) return 0;
  const uint32_t from = a->initial_big ? a->initial_at : 0, without = a->initial_big ? a->n_initial : 0;
  return same_table(a, b) && same_words(a->big, b->big, a->n_big, from, without);
}

/* Puts the places of a point's words before the other definitions. */
static ff_status define_points(ff_ssa_code *code, ff_error *err) {
  const point_places at = places_of(code);
  ff_writer out = {.err = err};
  ff_write(&out, "#define S_POINTS 1\n#define S_POINT_RATES %uu\n#define S_POINT_NUMBERS %uu\n", at.rates, at.numbers);
  ff_write(&out, "#define S_POINT_LEAVES %uu\n#define S_POINT_INITIAL %uu\n", at.leaves, at.initial);
  ff_write(&out, "#define S_POINT_WORDS %uu\n%s", at.all, code->definitions);
  free(code->definitions);
  code->definitions = out.text;
  return out.status;
}

/* Whether each module is a species with one reaction, as in a long chain. Then the sum of all counts is the only one of the
 * network. It is in the order of the modules, so the code for groups has the same trajectories. */
static int is_long_row(const ff_ssa_program *p) {
  const ff_ssa_ring *m = p->ring;
  const ff_ssa_factor *f = p->factor;
  return m->n >= LEAST_ROW && m->n_species == 1 && m->n_kinds == 1 && f->n_groups == 1 && f->groups->kind == FF_GROUP_PLAIN &&
         f->groups->ranges == 1 && f->sums->n == m->n;
}

/* ---- generators ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  int (*can)(const ff_ssa_program *program, ff_ssa_method method);
  ff_status (*check)(const ff_ssa_program *program, const ff_device_request *request, ff_error *err);
  ff_status (*write)(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request, uint32_t shared,
                     ff_error *err);
  int follows; /* whether its code checks conditions, continues trajectories and lists firings */
} generator;

static int has_rings(const ff_ssa_program *p, ff_ssa_method method) {
  return method == FF_SSA_FACTORED && p->ring != NULL && !is_long_row(p);
}

static int has_groups(const ff_ssa_program *p, ff_ssa_method method) {
  return method == FF_SSA_FACTORED && p->factor->n_groups != FF_FACTOR_NONE;
}

static int searches_table(const ff_ssa_program *p, ff_ssa_method method) {
  return ff_ssa_method_searches(method) && ff_ssa_optimised_by_table(p);
}

static int searches(const ff_ssa_program *p, ff_ssa_method method) {
  (void)p;
  return ff_ssa_method_searches(method);
}

static int is_direct(const ff_ssa_program *p, ff_ssa_method method) {
  (void)p;
  return method == FF_SSA_DIRECT || method == FF_SSA_TREE || method == FF_SSA_FACTORED || method == FF_SSA_FIRST;
}

static ff_status check_counts(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  return check_start(p, request, 0, err);
}

static ff_status check_sums(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  return check_start(p, request, 1, err);
}

static ff_status check_search(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  ff_status status = check_start(p, request, 0, err);
  return status == FF_OK ? ff_ssa_optimised_check(p, request, err) : status;
}

static ff_status check_nothing(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  (void)p;
  (void)request;
  (void)err;
  return FF_OK;
}

/* The first that can do it writes the code. */
static const generator generators[] = {
    {has_rings, check_nothing, ff_ssa_generate_ring, 0},   {has_groups, check_sums, ff_ssa_generate_factored, 0},
    {searches_table, check_search, ff_ssa_generate_table, 0}, {searches, check_search, ff_ssa_generate_direct, 0},
    {is_direct, check_counts, ff_ssa_generate_direct, 1},
};

ff_status ff_ssa_generate(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request, uint32_t shared,
                          ff_error *err) {
  const generator *g = generators, *end = generators + sizeof generators / sizeof *generators;
  *out = (ff_ssa_code){0};
  while (g < end && !g->can(program, request->method)) g++;
  if (g == end) return ff_error_set(err, FF_EUNSUPPORTED, "no generated code for this method");
  ff_status status = check(program, request, err);
  if (status == FF_OK) status = g->check(program, request, err);
  if (status == FF_OK && !g->follows && ff_device_follows(request))
    status = ff_error_set(err, FF_EUNSUPPORTED, "no generated code: with this method, other kernels check conditions, continue "
                          "trajectories and list firings");
  if (status == FF_OK) status = g->write(out, program, request, shared, err);
  if (status == FF_OK && request->points != NULL)
    status = out->for_points ? define_points(out, err)
                             : ff_error_set(err, FF_EUNSUPPORTED, "the code for this network is for one point of a sweep");
  if (status != FF_OK) ff_ssa_code_free(out);
  return status;
}

double ff_ssa_code_speed(const ff_ssa_code *code, double trajectories, double multiprocessors) {
  const double busy = trajectories / (code->threads * multiprocessors);
  const double few = code->latency > 0 ? trajectories / code->latency : code->speed * busy;
  return few < code->speed ? few : code->speed;
}
