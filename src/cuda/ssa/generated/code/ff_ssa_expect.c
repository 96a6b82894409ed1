/* Rate equations, in steps of Euler's method. Each step is longer than the last one. A reaction takes no more of its reactants
 * than there are, so that steps may be longer than the shortest times of the network: what is wanted is an order of magnitude. */
#include "ff_ssa_expect.h"

#include <math.h>
#include <stdlib.h>

#include "../../../../ssa/rings/ff_ssa_ring.h"

#define STEPS 300u
#define FEWEST_STEPS 30u
#define SPAN 128825.0        /* how many times as long as the first step the last one is */
#define MOST_WORK 120000000u /* terms of all steps, which take about half a second: large networks have fewer steps */
#define MOST_TERMS 4000000u  /* of one step: larger networks are not solved */
#define BITS16_MOST 65536.0  /* what a request with bits32 expects at least: more than 16 bits */

typedef struct {
  const ff_ssa_program *p;
  const ff_ssa_factor *f;
  double *x, *flux, *loss; /* counts, and the one of which there is always one; by reaction; how much of a count reacts */
} equations;

static void add_pool(const equations *e, const ff_ssa_factor_group *group, const ff_ssa_member *members) {
  const uint32_t n = group->ranges;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      const double pairs = e->x[members[i].species] * (e->x[members[j].species] - (i == j));
      if (pairs > 0) e->flux[e->f->map[group->map + i * n + j]] += group->rate * pairs;
    }
}

static void add_group(const equations *e, const ff_ssa_factor_group *group) {
  const ff_ssa_factor_sum *sum = e->f->sums + group->sum;
  const ff_ssa_member *members = e->f->members + sum->first;
  double total = 0, rate = group->rate;
  if (group->kind == FF_GROUP_POOL && group->ranges > 1) {
    add_pool(e, group, members);
    return;
  }
  for (uint32_t k = 0; k < sum->n; k++) total += members[k].weight * e->x[members[k].species];
  if (group->kind == FF_GROUP_HUB) rate *= e->x[group->hub];
  if (group->kind == FF_GROUP_POOL) rate *= total > 1 ? total - 1 : 0;
  for (uint32_t k = 0; k < sum->n; k++)
    for (uint32_t u = 0; u < group->ranges && u < members[k].weight; u++)
      e->flux[e->f->map[group->map + k * group->ranges + u]] += rate * e->x[members[k].species];
}

static double count_of(const equations *e, uint32_t module, uint32_t species, int32_t offset) {
  const ff_ssa_ring *m = e->p->ring;
  if (species == FF_RING_ONE) return 1;
  return e->x[m->species[ff_ssa_ring_at(m, module, offset) * m->n_species + species]];
}

static void add_modules(const equations *e) {
  const ff_ssa_ring *m = e->p->ring;
  for (uint32_t q = 0; q < m->n_kinds; q++) {
    const ff_ssa_ring_kind *kind = m->kinds + q;
    const ff_ssa_ring_term *term = m->terms + kind->term;
    for (uint32_t j = 0; j < m->n; j++) {
      const double f = count_of(e, j, kind->species, kind->offset) - term->less;
      if (f > 0) e->flux[m->reaction[q * m->n + j]] += term->rate * kind->weight * count_of(e, j, term->hub, 0) * f;
    }
  }
}

static void make_step(const equations *e, double dt) {
  const ff_ssa_program *p = e->p;
  for (uint32_t r = 0; r <= p->n_reactions; r++) e->flux[r] = 0;
  for (uint32_t s = 0; s < p->n_species; s++) e->loss[s] = 0;
  if (p->ring != NULL) add_modules(e);
  for (uint32_t i = 0; p->ring == NULL && i < e->f->n_factored; i++) add_group(e, e->f->groups + i);
  for (uint32_t r = 0; r < p->n_reactions; r++)
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      if (p->changes[i].by < 0) e->loss[p->changes[i].species] -= (double)p->changes[i].by * e->flux[r] * dt;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    double part = 1;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
      const uint32_t s = p->changes[i].species;
      if (p->changes[i].by < 0 && e->loss[s] > 0 && e->x[s] < part * (e->x[s] + e->loss[s]))
        part = e->x[s] / (e->x[s] + e->loss[s]);
    }
    e->flux[r] *= part * dt;
  }
  for (uint32_t r = 0; r < p->n_reactions; r++)
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++)
      e->x[p->changes[i].species] += (double)p->changes[i].by * e->flux[r];
}

static void solve(const equations *e, double last, uint64_t terms, double *most) {
  const uint64_t affordable = MOST_WORK / (terms + 1);
  const uint32_t steps = affordable > STEPS ? STEPS : affordable < FEWEST_STEPS ? FEWEST_STEPS : (uint32_t)affordable;
  const double growth = exp(log(SPAN) / steps);
  double dt = last * (growth - 1) / (SPAN - 1); /* the first step: all steps add up to the last time */
  for (uint32_t i = 0; i < steps; i++, dt *= growth) {
    make_step(e, dt);
    for (uint32_t s = 0; s < e->p->n_species; s++)
      if (e->x[s] > most[s]) most[s] = e->x[s];
  }
}

static uint64_t terms_of(const ff_ssa_program *p) {
  uint64_t terms = p->n_changes;
  if (p->ring != NULL) return terms + (uint64_t)p->ring->n * p->ring->n_kinds;
  for (uint32_t i = 0; i < p->factor->n_factored; i++) {
    const ff_ssa_factor_group *group = p->factor->groups + i;
    terms += (uint64_t)group->ranges * p->factor->sums[group->sum].n;
  }
  return terms;
}

ff_status ff_ssa_expect(double **out, const ff_ssa_program *program, const ff_device_request *request, ff_error *err) {
  const uint32_t n = program->n_species;
  const double last = request->n_times > 0 ? request->times[request->n_times - 1] : 0;
  equations e = {program, program->factor, NULL, NULL, NULL};
  ff_status status = FF_OK;
  double *most = ff_calloc((size_t)n + 1, sizeof *most);
  e.x = ff_calloc((size_t)n + 1, sizeof *e.x);
  e.loss = ff_calloc((size_t)n + 1, sizeof *e.loss);
  e.flux = ff_calloc((size_t)program->n_reactions + 1, sizeof *e.flux);
  if (most == NULL || e.x == NULL || e.loss == NULL || e.flux == NULL) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for code");
    free(most);
  } else {
    for (uint32_t s = 0; s < n; s++) most[s] = e.x[s] = request->initial[s];
    e.x[n] = 1;
    const uint64_t terms = terms_of(program);
    if (last > 0 && last < INFINITY && terms <= MOST_TERMS) solve(&e, last, terms, most);
    for (uint32_t s = 0; s < n && request->bits32; s++) most[s] = fmax(most[s], BITS16_MOST);
    *out = most;
  }
  free(e.x);
  free(e.loss);
  free(e.flux);
  return status;
}
