/* The chemical master equation: segments of time. */
#include "ff_cme_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_JUMPS = 16, FIRST_JUMPS = 64, MOST_JUMPS = 16384, FIRST_LAYERS = 4, MOST_LAYERS = 1 << 20, MUCH_MORE = 100 };

/* ---- making ---- */

static ff_status check_rates(const ff_reactions *net, ff_error *err) {
  if (net->n_events > 0)
    return ff_error_set(err, FF_EUNSUPPORTED,
                        "event %s: the master equation is only solved for networks without events",
                        ff_quote(net->events[0].name, strlen(net->events[0].name)).text);
  uint8_t *timed = ff_calloc(net->n_reactions, 1);
  if (timed == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u reactions", net->n_reactions);
  ff_status status = ff_reactions_timed(timed, net, err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++)
    if (timed[r])
      status = ff_error_set(err, FF_EUNSUPPORTED,
                            "reaction %s: the rate depends on the time; the master equation is only solved for rates that do not",
                            ff_quote(net->reactions[r].name, strlen(net->reactions[r].name)).text);
  free(timed);
  return status;
}

/* The change of species i by a reaction. */
static double change_of(const ff_reaction *reaction, uint32_t i) {
  double change = 0;
  for (uint32_t k = 0; k < reaction->n_products; k++)
    if (reaction->products[k].species == i) change += reaction->products[k].count;
  for (uint32_t k = 0; k < reaction->n_reactants; k++)
    if (reaction->reactants[k].species == i) change -= reaction->reactants[k].count;
  return change;
}

/* Appends the change of species i by a reaction, if there is one and it is not in the list yet. */
static void add_change(ff_cme *cme, const ff_reaction *reaction, uint32_t i, uint32_t first, uint32_t *n, uint32_t *place) {
  const double by = cme->net->fixed[i] ? 0 : change_of(reaction, i);
  if (by == 0) return;
  if (place[i] == FF_CME_OUTSIDE) {
    place[i] = cme->n_varying;
    cme->varying[cme->n_varying++] = i;
  }
  for (uint32_t c = first; c < *n; c++)
    if (cme->change[c].species == place[i]) return;
  cme->change[(*n)++] = (ff_cme_change){place[i], by};
}

/* `place` gives the position of a species in `varying`. */
static void list_changes(ff_cme *cme, uint32_t *place) {
  const ff_reactions *net = cme->net;
  uint32_t n = 0;
  memset(place, 0xFF, net->n_species * sizeof *place);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    const uint32_t first = cme->change_at[r] = n;
    for (uint32_t k = 0; k < reaction->n_reactants; k++)
      add_change(cme, reaction, reaction->reactants[k].species, first, &n, place);
    for (uint32_t k = 0; k < reaction->n_products; k++)
      add_change(cme, reaction, reaction->products[k].species, first, &n, place);
  }
  cme->change_at[net->n_reactions] = n;
}

static ff_status make_arrays(ff_cme *cme, ff_error *err) {
  const ff_reactions *net = cme->net;
  size_t participants = 0, depth = 0;
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    participants += (size_t)net->reactions[r].n_reactants + net->reactions[r].n_products;
    if (net->reactions[r].rate.depth > depth) depth = net->reactions[r].rate.depth;
  }
  for (uint32_t v = 0; v < net->n_variables; v++)
    if (net->variable[v].depth > depth) depth = net->variable[v].depth;
  uint32_t *place = ff_calloc(net->n_species, sizeof *place);
  cme->varying = ff_calloc(net->n_species, sizeof *cme->varying);
  cme->change_at = ff_calloc((size_t)net->n_reactions + 1, sizeof *cme->change_at);
  cme->change = ff_calloc(participants, sizeof *cme->change);
  cme->values = ff_calloc((size_t)net->n_species + net->n_parameters + net->n_variables, sizeof *cme->values);
  cme->stack = ff_calloc(depth, sizeof *cme->stack);
  cme->target = ff_calloc(net->n_species, sizeof *cme->target);
  const int enough = place != NULL && cme->varying != NULL && cme->change_at != NULL && cme->change != NULL &&
                     cme->values != NULL && cme->stack != NULL && cme->target != NULL;
  if (enough) list_changes(cme, place);
  free(place);
  return enough ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for a master equation of %u species", net->n_species);
}

ff_status ff_cme_new(ff_cme **out, const ff_reactions *net, double tolerance, uint32_t max_states, double end, ff_error *err) {
  *out = NULL;
  if (!(tolerance > 0 && tolerance < 1) || max_states == 0 || max_states == UINT32_MAX || !(end >= 0 && end < HUGE_VAL))
    return ff_error_set(err, FF_EARGUMENT, "a tolerance above 0 and below 1, from 1 to 2^32 - 2 states and a finite time of at "
                        "least 0 were expected; found %g, %u and %g", tolerance, max_states, end);
  ff_status status = check_rates(net, err);
  if (status != FF_OK) return status;
  ff_cme *cme = ff_calloc(1, sizeof *cme);
  if (cme == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a master equation");
  *cme = (ff_cme){.net = net, .tolerance = tolerance, .end = end, .max_states = max_states, .stage = FF_CME_COUNT,
                  .jumps = FIRST_JUMPS, .layers = FIRST_LAYERS};
  status = make_arrays(cme, err);
  if (status == FF_OK) status = ff_reactions_order(&cme->order, net, err);
  if (status == FF_OK) {
    memcpy(cme->values, net->initial, net->n_species * sizeof *cme->values);
    memcpy(cme->values + net->n_species, net->value, net->n_parameters * sizeof *cme->values);
    for (uint32_t i = 0; i < cme->n_varying; i++) cme->target[i] = net->initial[cme->varying[i]];
    status = ff_cme_add(cme, err);
  }
  if (status != FF_OK) {
    ff_cme_free(cme);
    return status;
  }
  cme->set.state[0].p = 1;
  *out = cme;
  return FF_OK;
}

void ff_cme_free(ff_cme *cme) {
  if (cme == NULL) return;
  free(cme->varying);
  free(cme->change_at);
  free(cme->change);
  free(cme->values);
  free(cme->order);
  free(cme->stack);
  free(cme->target);
  free(cme->set.state);
  free(cme->set.count);
  free(cme->set.arrow);
  free(cme->set.slot);
  ff_cme_matrix_free(&cme->matrix);
  free(cme->poisson.weight);
  free(cme->poisson.after);
  free(cme->number);
  free(cme);
}

/* ---- the start of a segment ---- */

static void go(ff_cme *cme, ff_cme_stage stage) {
  cme->stage = stage;
  cme->at = 0;
}

/* A bound of the rounding errors of n jumps, in the 1-norm. A jump multiplies and adds at most `widest` + 1 numbers for each
 * state. It uses the rounded weights and `stay`, which needs a sum of at most `widest` rates. The mean number of jumps is rounded
 * too. No operand is negative, and each rounding has a relative error of at most 2^-53 of numbers that add up to at most 1. */
static double rounding_of(const ff_cme *cme, double n) { return n * (2.0 * cme->matrix.widest + 10) * 0x1p-53 * 1.01; }

/* What may still be lost. Rounding errors are expected to go on as in this segment. */
static double budget_of(const ff_cme *cme) {
  const double left = cme->tolerance - cme->lost - 2 * cme->rounding;
  const double wanted = 0.9 * left - 2 * rounding_of(cme, 1.2 * cme->matrix.rate * (cme->end - cme->time));
  return wanted > 0.05 * left ? wanted : 0.05 * left;
}

/* Segments up to `until` are of equal length. */
static ff_status begin_segment(ff_cme *cme, double until, ff_error *err) {
  const double length = until - cme->time, rate = cme->matrix.rate, n = ceil(rate * length / cme->jumps);
  const double h = n > 1 ? length / n : length, budget = budget_of(cme);
  if (rate * h == 0) { /* nothing happens any more */
    cme->time = until;
    go(cme, FF_CME_IDLE);
    return FF_OK;
  }
  if (budget <= 0 || cme->time + h == cme->time)
    return ff_error_set(err, FF_ECONVERGENCE, "rounding errors may exceed the tolerance, %g: their bound is %.2g at time %g, and "
                        "%.2g jumps follow; choose a larger tolerance or an earlier last time", cme->tolerance, 2 * cme->rounding,
                        cme->time, rate * (cme->end - cme->time));
  const double share = h / (cme->end - cme->time);
  cme->next = n > 1 ? cme->time + h : until;
  cme->allowed = cme->strained ? 0.9 * budget : 0.5 * budget * share;
  cme->droppable = 0.3 * budget * share; /* until a bound for single states is found */
  cme->epsilon = 0.05 * budget * share;
  if (cme->epsilon < 1e-200) cme->epsilon = 1e-200;
  cme->leaving = 0;
  cme->jump = cme->counted = 0;
  for (uint32_t i = 0; i < cme->set.n; i++) {
    cme->matrix.x[i] = cme->set.state[i].p;
    cme->matrix.sum[i] = 0;
  }
  if (cme->matrix.n_edges > 0) memset(cme->matrix.flow, 0, cme->matrix.n_edges * sizeof *cme->matrix.flow);
  go(cme, FF_CME_PASS);
  return ff_cme_poisson_weights(&cme->poisson, rate * (cme->next - cme->time), cme->epsilon, err);
}

/* ---- jumps ---- */

/* The largest power of 2 such that all smaller probabilities add up to at most `budget`. *n becomes their number. */
static double bound_of_droppable(const ff_cme *cme, double budget, uint32_t *n) {
  enum { EXPONENTS = 1100 };
  double mass[EXPONENTS] = {0};
  uint32_t count[EXPONENTS] = {0};
  for (uint32_t i = 0; i < cme->set.n; i++) {
    const double p = cme->set.state[i].p;
    const int e = p > 0 ? -ilogb(p) : EXPONENTS - 1;
    const int bin = e < 0 ? 0 : e >= EXPONENTS ? EXPONENTS - 1 : e;
    mass[bin] += p;
    count[bin]++;
  }
  double sum = 0;
  int bin = EXPONENTS;
  *n = 0;
  while (bin > 1 && sum + mass[bin - 1] <= budget) {
    sum += mass[--bin];
    *n += count[bin];
  }
  return ldexp(1.0, 1 - bin); /* the numbers in a bin are below this; 0 for the last bin, which has only zeros */
}

/* Adds what leaves the projection with the next jump and before the end of the segment. Returns 0 if it is so much that the
 * segment need not be finished. If it is only somewhat too much, the whole segment shows best where the set must be enlarged. */
static int count_leaving(ff_cme *cme) {
  ff_cme_matrix *m = &cme->matrix;
  const ff_cme_poisson *p = &cme->poisson;
  const double after = cme->jump < p->left ? 1 : p->after[cme->jump - p->left];
  double sum = 0;
  for (uint32_t e = 0; e < m->n_edges; e++) {
    const double flow = m->x[m->edge[e]] * m->leave[e] * after;
    m->flow[e] += flow;
    sum += flow;
  }
  cme->leaving += sum;
  cme->turn.left -= m->n_edges;
  return cme->leaving <= (cme->full ? 1 : MUCH_MORE) * cme->allowed;
}

/* When too much leaves: enlarges the set. If it is full, makes segments shorter, without the states that were added. If they are
 * as short as possible, allows more to be lost. */
static ff_status react(ff_cme *cme, ff_error *err) {
  uint32_t n;
  cme->failures++;
  if (!cme->full) {
    cme->layers = cme->failures > 1 && cme->layers < MOST_LAYERS ? 2 * cme->layers : cme->layers;
    cme->layer = 0;
    cme->before = cme->layer_end = cme->set.n;
    go(cme, FF_CME_OPEN);
    return FF_OK;
  }
  if (cme->jumps > FEWEST_JUMPS) {
    cme->jumps = cme->jumps / 4 > FEWEST_JUMPS ? cme->jumps / 4 : FEWEST_JUMPS;
    cme->layers = 1;
    cme->droppable = bound_of_droppable(cme, cme->droppable, &n); /* states that were added have probability 0 and go too */
    go(cme, FF_CME_NUMBER);
    return ff_cme_drop_begin(cme, err);
  }
  if (cme->strained)
    return ff_error_set(err, FF_ESIZE, "%u states are too few: more than %.2g of the probability is outside of them at time %g "
                        "of %g, where at most %.2g may be: the tolerance is %g, and a part of it is for later times and for "
                        "rounding errors%s", cme->set.n, cme->lost + cme->leaving, cme->next, cme->end,
                        cme->lost + cme->allowed, cme->tolerance, cme->set.n < cme->max_states ? "" :
                        "; choose a larger max_states, a larger tolerance, or an earlier last time");
  cme->strained = 1;
  go(cme, FF_CME_BEGIN);
  return FF_OK;
}

/* Does the jumps of a segment until it ends, too much leaves, or the turn is over. Returns 0 in the last case. */
static int do_jumps(ff_cme *cme, ff_status *status, ff_error *err) {
  ff_cme_matrix *m = &cme->matrix;
  const ff_cme_poisson *p = &cme->poisson;
  for (;;) {
    const int last = cme->jump == p->right;
    if (cme->counted == cme->jump && !last) {
      cme->counted++;
      if (!count_leaving(cme)) {
        *status = react(cme, err);
        return 1;
      }
    }
    if (!ff_cme_pass(cme, cme->jump < p->left ? 0 : p->weight[cme->jump - p->left], !last)) return 0;
    cme->at = 0;
    if (last) break;
    double *x = m->x;
    m->x = m->y;
    m->y = x;
    size_t capacity = m->x_capacity;
    m->x_capacity = m->y_capacity;
    m->y_capacity = capacity;
    cme->jump++;
  }
  if (cme->leaving <= cme->allowed)
    go(cme, FF_CME_FINISH);
  else
    *status = react(cme, err);
  return 1;
}

/* ---- enlarging ---- */

/* Opens the edges where much has left, and then, layer by layer, the new states to which much comes. Returns 0 if the turn is
 * over. */
static int open_states(ff_cme *cme, ff_status *status, ff_error *err) {
  const ff_cme_matrix *m = &cme->matrix;
  const double much = ldexp(0.02, -2 * (int)(cme->failures < 100 ? cme->failures : 100)) * cme->allowed / m->n_edges;
  while (cme->layer < cme->layers && !cme->full) {
    const uint32_t end = cme->layer == 0 ? m->n_edges : cme->layer_end;
    for (; cme->at < end && !cme->full; cme->at++) {
      const uint32_t i = cme->layer == 0 ? m->edge[cme->at] : cme->at;
      const double flow = cme->layer == 0 ? m->flow[cme->at] : cme->set.state[i].flow;
      if (flow <= much) continue;
      if (!ff_cme_more(&cme->turn, 50 * (1 + (uint64_t)cme->net->n_reactions))) return 0;
      *status = ff_cme_open(cme, i, flow, cme->layer == 0, err);
      if (*status != FF_OK) return 1;
    }
    cme->at = cme->layer == 0 ? cme->before : cme->layer_end;
    if (cme->at == cme->set.n) break; /* this layer is empty */
    cme->layer_end = cme->set.n;
    cme->layer++;
  }
  if (cme->set.n == cme->before) cme->full = 1; /* counts are at their limit */
  go(cme, FF_CME_RESOLVE);
  return 1;
}

static int resolve_states(ff_cme *cme) {
  for (; cme->at < cme->set.n; cme->at++) {
    if (!ff_cme_more(&cme->turn, 10 * (1 + (uint64_t)cme->set.state[cme->at].n_arrows))) return 0;
    ff_cme_resolve(cme, cme->at);
  }
  go(cme, FF_CME_COUNT);
  return 1;
}

/* ---- the end of a segment ---- */

/* Accepts the result of a segment. Drops states if it is worth the effort. */
static ff_status finish_segment(ff_cme *cme, ff_error *err) {
  const ff_cme_poisson *p = &cme->poisson;
  uint32_t n;
  for (uint32_t i = 0; i < cme->set.n; i++) cme->set.state[i].p = cme->matrix.sum[i];
  cme->lost += cme->leaving + cme->epsilon;
  cme->rounding += rounding_of(cme, p->right) + 5.0 * ((double)p->right - p->left + 10) * 0x1p-53; /* of jumps, and of weights */
  cme->time = cme->next;
  if (cme->failures == 0 && cme->jumps < MOST_JUMPS) cme->jumps *= 2;
  if (cme->failures > 1 && cme->jumps > FIRST_JUMPS) cme->jumps /= 2;
  if (cme->failures == 0 && cme->layers > 1) cme->layers /= 2;
  cme->failures = 0;
  const double bound = bound_of_droppable(cme, cme->droppable, &n);
  if (n < 16 || n < cme->set.n / 4) {
    go(cme, FF_CME_IDLE);
    return FF_OK;
  }
  cme->droppable = bound;
  go(cme, FF_CME_NUMBER);
  return ff_cme_drop_begin(cme, err);
}

/* Drops states, as far as the turn allows. */
static int drop_states(ff_cme *cme) {
  if (cme->stage == FF_CME_NUMBER) {
    if (!ff_cme_drop_number(cme)) return 0;
    cme->place = 0;
    go(cme, FF_CME_MOVE);
  }
  if (cme->stage == FF_CME_MOVE) {
    if (!ff_cme_drop_move(cme)) return 0;
    go(cme, FF_CME_HASH);
  }
  if (!ff_cme_drop_hash(cme)) return 0;
  cme->kept = 0;
  cme->full = cme->strained = 0;
  go(cme, FF_CME_COUNT);
  return 1;
}

/* ---- the whole ---- */

static int build(ff_cme *cme, ff_status *status, ff_error *err) {
  int finished;
  if (cme->stage == FF_CME_COUNT) {
    *status = ff_cme_matrix_count(cme, &finished, err);
    if (finished) go(cme, FF_CME_FILL);
  } else {
    *status = ff_cme_matrix_fill(cme, &finished, err);
    if (finished) go(cme, FF_CME_IDLE);
  }
  return finished;
}

static ff_status check_missing(const ff_cme *cme, ff_error *err) {
  const double missing = ff_cme_missing(cme);
  if (missing <= cme->tolerance) return FF_OK;
  return ff_error_set(err, FF_ECONVERGENCE, "the error at time %g is at most %.2g, of which %.2g is a bound of rounding errors; "
                      "this is more than the tolerance, %g", cme->time, missing, 2 * cme->rounding, cme->tolerance);
}

ff_status ff_cme_advance(ff_cme *cme, double until, double seconds, int *done, ff_error *err) {
  const int64_t grain = seconds > 0 ? 1 << 16 : 1 << 8;
  ff_status status = FF_OK;
  int more = 1;
  cme->turn = (ff_cme_turn){ff_clock() + seconds, grain, grain};
  *done = 0;
  if (!(until >= cme->time && until <= cme->end))
    return ff_error_set(err, FF_EARGUMENT, "the time %g was asked for; expected one from %g to %g", until, cme->time, cme->end);
  while (more && status == FF_OK) switch (cme->stage) {
      case FF_CME_IDLE:
        if (cme->time >= until) {
          *done = 1;
          return check_missing(cme, err);
        }
        go(cme, FF_CME_BEGIN);
        break;
      case FF_CME_COUNT:
      case FF_CME_FILL: more = build(cme, &status, err); break;
      case FF_CME_BEGIN: status = begin_segment(cme, until, err); break;
      case FF_CME_PASS: more = do_jumps(cme, &status, err); break;
      case FF_CME_OPEN: more = open_states(cme, &status, err); break;
      case FF_CME_RESOLVE: more = resolve_states(cme); break;
      case FF_CME_FINISH: status = finish_segment(cme, err); break;
      default: more = drop_states(cme);
    }
  return status;
}

/* ---- answers ---- */

double ff_cme_time(const ff_cme *cme) { return cme->time; }

uint32_t ff_cme_states(const ff_cme *cme) { return cme->set.n; }

uint32_t ff_cme_species(const ff_cme *cme) { return cme->net->n_species; }

double ff_cme_missing(const ff_cme *cme) {
  double sum = 0, low = 0; /* Kahan's summation */
  for (uint32_t i = 0; i < cme->set.n; i++) {
    const double y = cme->set.state[i].p - low, t = sum + y;
    low = (t - sum) - y;
    sum = t;
  }
  return (1 - sum > cme->lost ? 1 - sum : cme->lost) + 2 * cme->rounding;
}

uint32_t ff_cme_distribution(const ff_cme *cme, double *counts, double *probability, size_t n_rows) {
  const uint32_t n_species = cme->net->n_species;
  uint32_t n = 0;
  for (uint32_t i = 0; i < cme->set.n; i++) {
    if (cme->set.state[i].p <= 0) continue;
    if (counts != NULL) {
      for (uint32_t j = 0; j < n_species; j++) counts[n + j * n_rows] = cme->net->initial[j];
      for (uint32_t v = 0; v < cme->n_varying; v++) counts[n + cme->varying[v] * n_rows] = ff_cme_counts(cme, i)[v];
    }
    if (probability != NULL) probability[n] = cme->set.state[i].p;
    n++;
  }
  return n;
}
