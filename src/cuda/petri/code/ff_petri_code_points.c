/* Points of a sweep that share code. Their programs are the same but for numbers, such as values of parameters. A number that is
 * equal in all of them is in the text; one that is not belongs to what each point has. */
#include "ff_petri_code_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../../../petri/within/ff_petri_span_math.h"

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* What code is generated from: words, which points that share code have in common, and where the numbers are. Whatever the
 * generator reads of a program, or decides by its numbers, is here. */
typedef struct {
  uint64_t *word;
  const double **number;
  size_t n_words, n_numbers, words_room, numbers_room, factors; /* factors: the first number of these */
  ff_status status;
  ff_error *err;
} shape;

static void put(shape *s, uint64_t word) {
  if (s->status == FF_OK) s->status = ff_grow((void **)&s->word, &s->words_room, s->n_words + 1, sizeof *s->word, s->err);
  if (s->status == FF_OK) s->word[s->n_words++] = word;
}

static void put_number(shape *s, const double *at) {
  if (s->status == FF_OK)
    s->status = ff_grow((void **)&s->number, &s->numbers_room, s->n_numbers + 1, sizeof *s->number, s->err);
  if (s->status == FF_OK) s->number[s->n_numbers++] = at;
}

static void put_list(shape *s, const uint32_t *list, size_t n) {
  for (size_t k = 0; k < n; k++) put(s, list[k]);
}

static void put_formula(shape *s, const ff_formula *f) {
  put(s, f->length);
  for (uint32_t k = 0; k < f->length; k++) {
    put(s, (uint64_t)f->word[k].code << 32 | (f->word[k].code == FF_F_SYMBOL ? f->word[k].symbol : 0));
    if (f->word[k].code == FF_F_NUMBER) put_number(s, &f->word[k].number);
  }
}

static void put_plain(shape *s, const ff_petri_plain *plain) {
  put_formula(s, &plain->formula);
  put(s, plain->n);
  put_list(s, plain->read, plain->n);
}

static void put_term(shape *s, const ff_petri_term *term) {
  put_formula(s, &term->formula);
  put(s, term->n);
  put_list(s, term->row, term->n);
  put(s, (uint64_t)term->moving << 8 | term->simple);
  put(s, term->symbol);
  put_number(s, &term->number);
}

/* Whether a rate may have narrow peaks depends on exponents. */
static void put_law(shape *s, const ff_petri_law *law) {
  put(s, law->kind);
  put(s, law->first);
  put(s, (uint64_t)law->n << 32 | law->n_rows);
  put_list(s, law->index, (size_t)law->n_rows * law->n);
  put_term(s, &law->rate);
  put(s, (uint64_t)law->stirs << 8 | (uint64_t)ff_petri_span_may_be_narrow(&law->rate.formula));
  put(s, law->n_effects);
  for (uint32_t c = 0; c < law->n_effects; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    put(s, (uint64_t)effect->row << 8 | effect->resets);
    put_number(s, &effect->by);
    put_term(s, &effect->formula);
  }
}

/* What is kept of hazards, which depends on the signs of their coefficients. */
static void put_hazards(shape *s, const ff_petri_program *p) {
  put(s, p->n_stochastic);
  s->factors = s->n_numbers;
  for (uint32_t m = 0; m < p->n_stochastic; m++) put_number(s, &p->factor[m].number);
  for (uint32_t m = 0; m < p->n_stochastic; m++) {
    put(s, (uint64_t)p->stochastic[m].law << 32 | p->stochastic[m].i);
    put(s, (uint64_t)p->factor[m].value << 8 | (uint64_t)(p->factor[m].number >= 0));
  }
  put(s, p->n_profiles);
  for (uint32_t k = 0; k < p->n_profiles; k++) {
    const ff_petri_profile *profile = &p->profile[k];
    put(s, (uint64_t)profile->affine << 16 | (uint64_t)profile->timed << 8 | profile->quick);
    put_plain(s, &profile->plain);
  }
  put(s, (uint64_t)p->n_groups << 32 | p->n_cells);
  put_list(s, p->cell_first, (size_t)p->n_groups + 1);
  put_list(s, p->cell_profile, p->n_cells);
  put_list(s, p->group_of, p->n_cells);
  for (uint32_t c = 0; c <= p->n_cells; c++) put(s, p->cell_members[c]);
  put_list(s, p->member, p->n_stochastic);
}

static void put_values(shape *s, const ff_petri_program *p) {
  put(s, (uint64_t)p->n_levels << 32 | p->n_given);
  put(s, (uint64_t)p->n_places << 32 | p->n_values);
  put(s, (uint64_t)p->time << 32 | p->n_settable);
  put_list(s, p->value_place, p->n_places);
  for (uint32_t v = 0; v < p->n_places; v++) put(s, p->flat->continuous[v]);
  for (uint32_t v = 0; v < p->n_values; v++) put(s, p->stirs[v]);
  put(s, p->n_derived);
  for (uint32_t k = 0; k < p->n_derived; k++) {
    put(s, (uint64_t)p->derived[k].kind << 32 | p->derived[k].value);
    put_plain(s, &p->derived[k].plain);
  }
  for (uint32_t v = p->time + 1 + p->n_settable; v < p->n_values; v++) put_number(s, &p->initial[v]);
}

static void put_double(shape *s, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put(s, bits);
}

/* Writes down a program. The caller frees the shape. */
static ff_status shape_of(shape *s, const ff_petri_program *p, ff_error *err) {
  s->n_words = s->n_numbers = 0;
  s->status = FF_OK;
  s->err = err;
  put(s, p->options.integrator);
  put_double(s, p->options.relative);
  put_double(s, p->options.absolute);
  put(s, (uint64_t)p->timed_flows << 8 | p->timed_profiles);
  put(s, p->depth);
  put_values(s, p);
  put(s, (uint64_t)p->n_laws << 32 | p->n_flows);
  put_list(s, p->flow, p->n_flows);
  for (uint32_t k = 0; k < p->n_laws; k++) put_law(s, &p->law[k]);
  put_hazards(s, p);
  return s->status;
}

static void shape_free(shape *s) {
  free(s->word);
  free(s->number);
}

static int are_alike(const shape *a, const shape *b) {
  return a->n_words == b->n_words && a->n_numbers == b->n_numbers && memcmp(a->word, b->word, a->n_words * sizeof *a->word) == 0;
}

/* ---- points ------------------------------------------------------------------------------------------------------------- */

/* Takes a point that shares the code. */
static void take(ff_petri_code_points *points, const ff_device_point *point, const shape *s) {
  double *number = points->number + points->n * points->n_all;
  for (size_t i = 0; i < s->n_numbers; i++) number[i] = *s->number[i];
  points->point[points->n++] = point;
}

/* Whether code can be generated for a point. *is becomes 1 if it is that of the first one, whose shape is `first`. */
static ff_status compare(shape *own, const ff_device_point *point, const shape *first, int *is, ff_error *err) {
  ff_error why;
  *is = 0;
  if (point->until != NULL) return FF_OK;
  ff_status status = ff_petri_code_check(point->model, &why);
  if (status == FF_OK) status = ff_petri_check_marking(point->model, point->initial, &why);
  if (status == FF_EUNSUPPORTED) return FF_OK;
  status = shape_of(own, point->model, err);
  *is = status == FF_OK && are_alike(first, own);
  return status;
}

static ff_status take_all(ff_petri_coder *g, const shape *first, ff_error *err) {
  const ff_device_request *request = g->request;
  ff_petri_code_points *points = &g->points;
  const uint32_t n = request->n_points;
  shape own = {0};
  ff_status status = FF_OK;
  points->n_all = first->n_numbers;
  points->factors = first->factors;
  points->point = ff_calloc(n, sizeof *points->point);
  points->number = ff_calloc((size_t)n * points->n_all, sizeof *points->number);
  if (points->point == NULL || points->number == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u points", n);
  take(points, request->points, first);
  request->joins[0] = 1;
  for (uint32_t i = 1; i < n && status == FF_OK; i++) {
    int is;
    status = compare(&own, request->points + i, first, &is, err);
    request->joins[i] = (uint8_t)is;
    if (is) take(points, request->points + i, &own);
  }
  shape_free(&own);
  return status;
}

/* ---- numbers of points -------------------------------------------------------------------------------------------------- */

/* Whether two numbers of programs are equal in all points. */
static int are_equal(const ff_petri_code_points *points, size_t a, size_t b) {
  for (uint32_t k = 0; k < points->n; k++) {
    const double *number = points->number + k * points->n_all;
    if (memcmp(number + a, number + b, sizeof *number) != 0) return 0;
  }
  return 1;
}

static int is_constant(const ff_petri_code_points *points, size_t i) {
  for (uint32_t k = 1; k < points->n; k++)
    if (memcmp(points->number + k * points->n_all + i, points->number + i, sizeof *points->number) != 0) return 0;
  return 1;
}

static ff_status add_number(ff_petri_code_points *points, size_t source, ff_error *err) {
  const ff_status status =
      ff_grow((void **)&points->source, &points->room, (size_t)points->n_numbers + 1, sizeof *points->source, err);
  if (status == FF_OK) points->source[points->n_numbers++] = source;
  return status;
}

static int by_address(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t)((const ff_petri_code_datum *)a)->at, y = (uintptr_t)((const ff_petri_code_datum *)b)->at;
  return (x > y) - (x < y);
}

/* Numbers of the program that are equal in all points, such as those of one parameter, are one number of a point. */
static ff_status number_data(ff_petri_code_points *points, const shape *first, ff_error *err) {
  ff_status status = FF_OK;
  points->datum = ff_calloc(points->n_all, sizeof *points->datum);
  if (points->datum == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %zu numbers", points->n_all);
  for (size_t i = 0; i < points->n_all && status == FF_OK; i++) {
    if (is_constant(points, i)) continue;
    uint32_t k = 0;
    while (k < points->n_numbers && !are_equal(points, points->source[k], i)) k++;
    if (k == points->n_numbers) status = add_number(points, i, err);
    points->datum[points->n_data++] = (ff_petri_code_datum){first->number[i], k};
  }
  qsort(points->datum, points->n_data, sizeof *points->datum, by_address);
  return status;
}

ff_status ff_petri_code_join(ff_petri_coder *g, ff_error *err) {
  shape first = {0};
  ff_status status = shape_of(&first, g->p, err);
  if (status == FF_OK) status = take_all(g, &first, err);
  if (status == FF_OK) status = number_data(&g->points, &first, err);
  shape_free(&first);
  return status;
}

uint32_t ff_petri_code_datum_of(const ff_petri_coder *g, const double *at) {
  const ff_petri_code_points *points = &g->points;
  const ff_petri_code_datum key = {at, 0};
  if (points->n_data == 0) return FF_PETRI_CODE_NO_DATA;
  const ff_petri_code_datum *found = bsearch(&key, points->datum, points->n_data, sizeof key, by_address);
  return found != NULL ? found->number : FF_PETRI_CODE_NO_DATA;
}

void ff_petri_code_add_table(ff_petri_coder *g, const uint8_t *has) {
  const ff_petri_program *p = g->p;
  const uint32_t first = g->points.n_numbers;
  int differ = 0;
  g->points.table = FF_PETRI_CODE_NO_DATA;
  for (uint32_t c = 0; c < p->n_cells; c++)
    for (size_t k = p->cell_members[c]; k < p->cell_members[c + 1] && has[c]; k++)
      differ |= ff_petri_code_datum_of(g, &p->factor[p->member[k]].number) != FF_PETRI_CODE_NO_DATA;
  if (!differ) return;
  g->points.table = first;
  for (uint32_t c = 0; c < p->n_cells; c++)
    for (size_t k = p->cell_members[c]; k < p->cell_members[c + 1] && has[c] && g->out.status == FF_OK; k++)
      g->out.status = add_number(&g->points, g->points.factors + p->member[k], g->out.err);
}

ff_status ff_petri_code_fill_points(ff_petri_coder *g, ff_error *err) {
  const ff_petri_code_points *points = &g->points;
  ff_petri_code *code = g->code;
  code->n_points = points->n;
  code->point_size = g->p->n_places + points->n_numbers + 1;
  code->points = ff_calloc((size_t)code->n_points * code->point_size, sizeof *code->points);
  if (code->points == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u points", points->n);
  for (uint32_t i = 0; i < points->n; i++) {
    double *to = code->points + (size_t)i * code->point_size;
    memcpy(to, points->point[i]->initial, g->p->n_places * sizeof *to);
    to += g->p->n_places;
    for (uint32_t k = 0; k < points->n_numbers; k++) to[k] = points->number[i * points->n_all + points->source[k]];
    memcpy(to + points->n_numbers, &points->point[i]->key, sizeof points->point[i]->key);
  }
  return FF_OK;
}

void ff_petri_code_free_points(ff_petri_code_points *points) {
  free(points->point);
  free(points->number);
  free(points->datum);
  free(points->source);
}
