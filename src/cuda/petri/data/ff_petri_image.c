#include "ff_petri_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../petri/within/ff_petri_span_math.h"
#include "../code/ff_petri_kinds.h"
#include "ff_petri_image_maker.h"

typedef ff_petri_image_maker maker;

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

static ff_status refuse(ff_error *err, const char *what) {
  return ff_error_set(err, FF_EUNSUPPORTED, "no kernel simulates nets with %s as data yet", what);
}

/* What only generated code has. */
static ff_status check_kinds(const ff_petri_program *p, const ff_device_request *request, ff_error *err) {
  if (request->until != NULL) return refuse(err, "conditions that end trajectories");
  if (p->n_immediate > 0) return refuse(err, "immediate transitions");
  if (p->n_timed > 0) return refuse(err, "deterministic or scheduled transitions");
  for (uint32_t k = 0; k < p->n_derived; k++)
    if (p->derived[k].kind != FF_PETRI_DISCRETE) return refuse(err, "rates that switch where a level crosses a value");
  return FF_OK;
}

static uint64_t flows_of(const ff_petri_program *p) {
  uint64_t n = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) n += p->law[p->flow[f]].n;
  return n;
}

static ff_status check_sizes(const ff_petri_program *p, ff_error *err) {
  const struct {
    const char *what;
    uint64_t found, most;
  } sizes[] = {{"continuous places that flows change", p->n_levels, FF_PETRI_IMAGE_LEVELS},
               {"places", p->n_places, FF_PETRI_IMAGE_PLACES},
               {"flows", flows_of(p), FF_PETRI_IMAGE_FLOWS},
               {"stochastic transitions", p->n_stochastic, FF_PETRI_IMAGE_TRANSITIONS},
               {"independent groups of transitions", p->n_groups, FF_PETRI_IMAGE_GROUPS},
               {"functions of levels in hazards", p->n_profiles - 1, FF_PETRI_IMAGE_PROFILES - 1},
               {"parts of rates that counts tell", p->n_derived, FF_PETRI_IMAGE_PLACES},
               {"operands that a formula keeps", p->depth, FF_PETRI_IMAGE_DEPTH}};
  ff_status status = FF_OK;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == FF_OK; i++)
    status = ff_petri_image_check_size(sizes[i].what, sizes[i].found, sizes[i].most, err);
  return status == FF_OK ? ff_petri_image_check_stiff(p, err) : status;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

/* Levels; the other places and what is derived of them. */
static void number_values(maker *m) {
  const ff_petri_program *p = m->p;
  for (uint32_t v = 0; v < p->n_values; v++) m->of[v] = v < p->n_places ? v : FF_PETRI_IMAGE_NONE;
  for (uint32_t k = 0; k < p->n_derived; k++) m->of[p->derived[k].value] = p->n_places + k;
  m->n_others = p->n_places - p->n_levels + p->n_derived;
}

#define PUT(m, name, ...)                                    \
  do {                                                       \
    void *const put_to = FF_PETRI_IMAGE_MORE(m, name, 1);    \
    if (put_to == NULL) return;                              \
    (m)->name[(m)->n_##name++] = __VA_ARGS__;                \
  } while (0)

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

/* An effect of a flow, by the order of the net. */
typedef struct {
  uint32_t level, flow, law, i, c, order;
} flow_effect;

static int compare_effects(const void *a, const void *b) {
  const flow_effect *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* Lists the terms of each level. place[f] is where the rate of flow f is. */
static void put_terms(maker *m, flow_effect *list, uint32_t n, const uint32_t *place) {
  const ff_petri_program *p = m->p;
  qsort(list, n, sizeof *list, compare_effects);
  for (uint32_t i = 0, k = 0; i <= p->n_levels; i++) {
    PUT(m, term_first, k);
    for (; i < p->n_levels && k < n && list[k].level == i; k++) {
      const ff_petri_law *law = &p->law[list[k].law];
      const ff_petri_effect *effect = &law->effect[list[k].c];
      const int varies = effect->formula.formula.length > 0;
      ff_petri_image_term term = {effect->by, place[list[k].flow], FF_PETRI_IMAGE_NONE};
      if (varies) {
        term.weight = (uint32_t)m->n_put;
        ff_petri_image_put_term(m, law, &effect->formula, list[k].i, term.weight);
      }
      PUT(m, term, term);
    }
  }
}

/* As make_lists() and slack_of() of petri/path/ff_petri_peak.c. */
static void put_narrow(maker *m, const ff_petri_law *law, uint32_t i, uint32_t flow) {
  const ff_petri_program *p = m->p;
  if (!law->rate.moving || !ff_petri_span_may_be_narrow(&law->rate.formula)) return;
  ff_petri_image_narrow narrow = {flow, (uint32_t)ff_petri_span_can(&law->rate.formula)};
  for (uint32_t k = 0; k < law->rate.n; k++) {
    const uint32_t value = ff_petri_value_of(law, law->rate.row[k], i);
    if (value >= p->n_places && value <= p->time) narrow.quick = 0;
  }
  PUT(m, narrow, narrow);
  PUT(m, arc_first, (uint32_t)m->n_arc);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    const uint32_t level = ff_petri_value_of(law, effect->row, i);
    const double by = effect->formula.formula.length == 0 ? fabs(effect->by) : 1;
    if (level < p->n_levels && by > 0) PUT(m, arc, (ff_petri_image_arc){by, level, 0});
  }
}

static void put_flows(maker *m, flow_effect *list, uint32_t *place) {
  const ff_petri_program *p = m->p;
  uint32_t flow = 0, n = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i++, flow++) {
      ff_petri_image_put_term(m, law, &law->rate, i, flow);
      for (uint32_t c = 0; c < law->n_effects; c++, n++)
        list[n] = (flow_effect){ff_petri_value_of(law, law->effect[c].row, i), flow, p->flow[f], i, c, n};
    }
  }
  ff_petri_image_formula *out = FF_PETRI_IMAGE_MORE(m, flow, flow);
  if (out == NULL) return;
  m->n_flow = flow;
  ff_petri_image_end_list(m, out, 1, place);
  flow = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    for (uint32_t i = 0; i < law->n; i++) put_narrow(m, law, i, place[flow++]);
  }
  PUT(m, arc_first, (uint32_t)m->n_arc);
  if (ff_petri_image_is_implicit(p)) ff_petri_image_put_inputs(m, place);
  put_terms(m, list, n, place);
}

static void make_flows(maker *m) {
  const ff_petri_program *p = m->p;
  size_t effects = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) effects += (size_t)p->law[p->flow[f]].n * p->law[p->flow[f]].n_effects;
  flow_effect *list = ff_calloc(effects, sizeof *list);
  uint32_t *place = ff_calloc((size_t)flows_of(p), sizeof *place);
  if (list == NULL || place == NULL)
    m->status = ff_error_set(m->err, FF_EMEMORY, "no memory for the image of a net");
  else
    put_flows(m, list, place);
  free(list);
  free(place);
}

/* ---- hazards ------------------------------------------------------------------------------------------------------------ */

/* Completes the list of formulas that was put. */
#define END_LIST(m, name)                                                              \
  do {                                                                                 \
    ff_petri_image_formula *const list_to = FF_PETRI_IMAGE_MORE(m, name, (m)->n_put);  \
    if (list_to == NULL) return;                                                       \
    (m)->n_##name += (m)->n_put;                                                       \
    ff_petri_image_end_list(m, list_to, 0, NULL);                                      \
  } while (0)

static void put_transitions(maker *m) {
  const ff_petri_program *p = m->p;
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_member x = p->stochastic[t];
    const ff_petri_law *law = &p->law[x.law];
    PUT(m, transition, ff_petri_number_of(p, x));
    PUT(m, transition_stirs, law->stirs);
    PUT(m, effect_first, (uint32_t)m->n_effect);
    for (uint32_t c = 0; c < law->n_effects; c++) {
      const ff_petri_effect *effect = &law->effect[c];
      const uint32_t value = ff_petri_value_of(law, effect->row, x.i);
      const int varies = effect->formula.formula.length > 0;
      const ff_petri_image_effect out = {effect->by, m->of[value], varies ? (uint32_t)m->n_put : FF_PETRI_IMAGE_NONE,
                                         effect->resets, p->flat->continuous[p->value_place[value]]};
      if (varies) ff_petri_image_put_term(m, law, &effect->formula, x.i, out.weight);
      PUT(m, effect, out);
    }
  }
  PUT(m, effect_first, (uint32_t)m->n_effect);
}

static void put_coefficients(maker *m) {
  const ff_petri_program *p = m->p;
  for (uint32_t t = 0; t < p->n_stochastic; t++) {
    const ff_petri_member x = p->stochastic[t];
    if (p->factor[t].value != FF_PETRI_NO_FACTOR)
      ff_petri_image_put_product(m, p->factor[t].number, p->factor[t].value, t);
    else
      ff_petri_image_put_term(m, &p->law[x.law], &p->law[x.law].rate, x.i, t);
  }
  END_LIST(m, coefficient);
}

static void put_plains(maker *m) {
  const ff_petri_program *p = m->p;
  for (uint32_t k = 0; k < p->n_derived; k++)
    ff_petri_image_put_formula(m, &p->derived[k].plain.formula, p->derived[k].plain.read, k);
  END_LIST(m, derived);
  for (uint32_t k = 0; k < p->n_profiles; k++) {
    ff_petri_image_put_formula(m, &p->profile[k].plain.formula, p->profile[k].plain.read, k);
    PUT(m, profile_is, (uint8_t)((p->profile[k].affine ? FF_PETRI_IMAGE_AFFINE : 0) |
                                 (p->profile[k].quick ? FF_PETRI_IMAGE_QUICK : 0)));
  }
  END_LIST(m, profile);
}

/* As find_stirring_groups() and list_moving_groups() of petri/path/. */
static uint8_t group_is(const ff_petri_program *p, uint32_t g) {
  const size_t from = p->cell_members[p->cell_first[g]], to = p->cell_members[p->cell_first[g + 1]];
  size_t stirs = 0;
  int moves = 0;
  for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++) moves |= p->cell_profile[c] != 0;
  for (size_t k = from; k < to; k++) stirs += p->law[p->stochastic[p->member[k]].law].stirs;
  return (uint8_t)((moves ? FF_PETRI_IMAGE_MOVES : 0) | (stirs > 0 ? FF_PETRI_IMAGE_SOME_STIR : 0) |
                   (stirs == to - from ? FF_PETRI_IMAGE_ALL_STIR : 0));
}

static void put_cells(maker *m) {
  const ff_petri_program *p = m->p;
  for (uint32_t g = 0; g < p->n_groups; g++) {
    PUT(m, cell_first, p->cell_first[g]);
    PUT(m, group_is, group_is(p, g));
  }
  PUT(m, cell_first, p->n_cells);
  for (uint32_t c = 0; c < p->n_cells; c++) {
    PUT(m, cell_group, p->group_of[c]);
    PUT(m, cell_profile, p->cell_profile[c]);
    PUT(m, member_first, (uint32_t)p->cell_members[c]);
  }
  PUT(m, member_first, p->n_stochastic);
  for (uint32_t k = 0; k < p->n_stochastic; k++) PUT(m, member, p->member[k]);
}

/* The cells of each profile, ascending. */
static void put_shared(maker *m) {
  const ff_petri_program *p = m->p;
  uint32_t *first = FF_PETRI_IMAGE_MORE(m, shared_first, (size_t)p->n_profiles + 1);
  uint32_t *cell = FF_PETRI_IMAGE_MORE(m, shared, p->n_cells);
  if (first == NULL || cell == NULL) return;
  memset(first, 0, ((size_t)p->n_profiles + 1) * sizeof *first);
  for (uint32_t c = 0; c < p->n_cells; c++) first[p->cell_profile[c] + 1]++;
  for (uint32_t k = 0; k < p->n_profiles; k++) first[k + 1] += first[k];
  for (uint32_t c = 0; c < p->n_cells; c++) cell[first[p->cell_profile[c]]++] = c;
  memmove(first + 1, first, p->n_profiles * sizeof *first);
  first[0] = 0;
  m->n_shared_first = (size_t)p->n_profiles + 1;
  m->n_shared = p->n_cells;
}

/* ---- what depends on a place ----------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sorts the numbers of a list from `first` on, and leaves one of equal ones. Returns where it ends. */
static size_t unify(uint32_t *list, size_t first, size_t end) {
  size_t n = first;
  if (end > first) qsort(list + first, end - first, sizeof *list, compare_numbers);
  for (size_t k = first; k < end; k++)
    if (k == first || list[k] != list[k - 1]) list[n++] = list[k];
  return n;
}

static void put_readers(maker *m, uint32_t value) {
  const ff_petri_program *p = m->p;
  for (size_t k = p->member_first[value]; k < p->member_first[value + 1]; k++) {
    const ff_petri_law *law = &p->law[p->member_of[k].law];
    if (law->kind == FF_PETRI_STOCHASTIC) PUT(m, coefficient_of, law->own + p->member_of[k].i);
  }
}

static void put_dependents(maker *m, uint32_t value) {
  const ff_petri_program *p = m->p;
  const size_t first = m->n_coefficient_of, sums = m->n_sum_of;
  PUT(m, derived_first, (uint32_t)m->n_derived_of);
  PUT(m, coefficient_first, (uint32_t)first);
  PUT(m, sum_first, (uint32_t)sums);
  put_readers(m, value);
  for (size_t d = p->derived_first[value]; d < p->derived_first[value + 1]; d++) {
    PUT(m, derived_of, p->derived_of[d]);
    put_readers(m, p->derived[p->derived_of[d]].value);
  }
  if (m->status != FF_OK) return;
  m->n_coefficient_of = unify(m->coefficient_of, first, m->n_coefficient_of);
  for (size_t k = first; k < m->n_coefficient_of; k++) PUT(m, sum_of, p->cell_of[m->coefficient_of[k]]);
  m->n_sum_of = unify(m->sum_of, sums, m->n_sum_of);
}

static void put_places(maker *m, const ff_device_request *request) {
  const ff_petri_program *p = m->p;
  for (uint32_t v = p->n_levels; v < p->n_places; v++) {
    put_dependents(m, v);
    PUT(m, stirs, p->stirs[v]);
  }
  PUT(m, derived_first, (uint32_t)m->n_derived_of);
  PUT(m, coefficient_first, (uint32_t)m->n_coefficient_of);
  PUT(m, sum_first, (uint32_t)m->n_sum_of);
  for (uint32_t k = 0; k < p->n_derived; k++) PUT(m, stirs, p->stirs[p->derived[k].value]);
  for (uint32_t f = 0; f < p->n_places; f++) {
    PUT(m, place, p->place_value[f]);
    PUT(m, initial, request->initial[f]);
  }
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t symbols_of(const maker *m, const ff_petri_image_formula *f) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->length; k++) n += m->word[f->word + k].code == FF_F_SYMBOL;
  return n;
}

static void describe(const maker *m, ff_petri_image *out) {
  const ff_petri_program *p = m->p;
  *out = (ff_petri_image){.n_levels = p->n_levels, .n_places = p->n_places, .n_others = m->n_others,
                          .n_flows = (uint32_t)m->n_flow, .n_transitions = p->n_stochastic, .n_groups = p->n_groups,
                          .n_cells = p->n_cells, .n_profiles = p->n_profiles, .n_derived = p->n_derived,
                          .n_narrow = (uint32_t)m->n_narrow, .depth = m->depth,
                          .automatic = p->options.integrator == FF_PETRI_AUTO, .timed_flows = p->timed_flows,
                          .implicit = (uint32_t)ff_petri_image_is_implicit(p), .n_entries = (uint32_t)m->n_column_row,
                          .n_factors = (uint32_t)m->n_factor_column,
                          .timed_profiles = p->timed_profiles, .relative = p->options.relative, .absolute = p->options.absolute};
  if (out->implicit) {
    out->n_column_groups = p->n_column_groups;
    out->n_forward = (uint32_t)m->n_forward_first - 1;
    out->n_backward = (uint32_t)m->n_backward_first - 1;
  }
  for (size_t k = 0; k < m->n_narrow; k++) out->reads = larger(out->reads, symbols_of(m, &m->flow[m->narrow[k].flow]));
  for (uint32_t k = 1; k < p->n_profiles; k++) {
    out->reads = larger(out->reads, symbols_of(m, &m->profile[k]));
    out->has_shared |= !(m->profile_is[k] & FF_PETRI_IMAGE_AFFINE) && m->shared_first[k + 1] > m->shared_first[k] + 1;
  }
  uint32_t effects = 0;
  for (uint32_t t = 0; t < p->n_stochastic; t++) effects = larger(effects, m->effect_first[t + 1] - m->effect_first[t]);
  out->scratch = larger(larger(256, effects), larger(p->n_cells, (uint32_t)m->n_flow));
}

/* Copies the arrays to one block. */
static ff_status pack(const maker *m, ff_petri_image *out, void **memory, size_t *bytes) {
  size_t used = 0;
#define FF_X(type, name) used += (m->n_##name * sizeof(type) + 127) / 128 * 128;
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  char *to = ff_calloc_aligned(used, 1);
  if (to == NULL) return ff_error_set(m->err, FF_EMEMORY, "no memory for the image of a net");
  *memory = to;
  *bytes = used;
#define FF_X(type, name)                                              \
  if (m->n_##name > 0) memcpy(to, m->name, m->n_##name * sizeof(type)); \
  out->name = (const type *)(const void *)to;                         \
  to += (m->n_##name * sizeof(type) + 127) / 128 * 128;
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  return FF_OK;
}

static void make(maker *m, const ff_device_request *request) {
  number_values(m);
  make_flows(m);
  if (m->status == FF_OK) put_transitions(m); /* these come after the weights of flows, in the same list */
  if (m->status == FF_OK) END_LIST(m, weight);
  if (m->status == FF_OK) put_coefficients(m);
  if (m->status == FF_OK) put_plains(m);
  if (m->status == FF_OK) put_cells(m);
  if (m->status == FF_OK) put_shared(m);
  if (m->status == FF_OK) put_places(m, request);
  if (m->status == FF_OK && ff_petri_image_is_implicit(m->p)) ff_petri_image_put_elimination(m);
}

static ff_status check_formulas(const maker *m) {
  const ff_status status = ff_petri_image_check_size("operations in formulas", m->n_word, FF_PETRI_IMAGE_WORDS, m->err);
  if (status != FF_OK) return status;
  return ff_petri_image_check_size("operands in formulas", m->n_operand, FF_PETRI_IMAGE_OPERANDS, m->err);
}

ff_status ff_petri_image_new(ff_petri_image *out, void **memory, size_t *bytes, const ff_petri_program *p,
                             const ff_device_request *request, ff_error *err) {
  maker m = {.p = p, .err = err};
  *memory = NULL;
  ff_status status = ff_petri_check_request(p, request, err);
  if (status == FF_OK) status = ff_petri_check_kinds(p, err);
  if (status == FF_OK) status = check_kinds(p, request, err);
  if (status == FF_OK) status = check_sizes(p, err);
  if (status == FF_OK && request->points != NULL)
    status = ff_error_set(err, FF_EUNSUPPORTED, "a net as data is one point of a sweep");
  if (status != FF_OK) return status;
  m.of = ff_calloc(p->n_values, sizeof *m.of);
  m.row = ff_calloc(larger(p->most_rows, p->most_reads), sizeof *m.row);
  if (m.of == NULL || m.row == NULL) m.status = ff_error_set(err, FF_EMEMORY, "no memory for the image of a net");
  if (m.status == FF_OK) make(&m, request);
  if (m.status == FF_OK) m.status = check_formulas(&m);
  if (m.status == FF_OK) {
    describe(&m, out);
    m.status = pack(&m, out, memory, bytes);
  }
#define FF_X(type, name) free(m.name);
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  free(m.of);
  free(m.row);
  free(m.put);
  free(m.taken);
  return m.status;
}

ff_petri_image ff_petri_image_at(const ff_petri_image *image, const void *from, const void *to) {
  ff_petri_image out = *image;
#define FF_X(type, name) \
  out.name = (const type *)(const void *)((const char *)to + ((const char *)image->name - (const char *)from));
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  return out;
}
