/* What is simulated in lanes. */
#include "ff_petri_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "ff_petri_lanes_internal.h"

enum { L = FF_PETRI_LANES };

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

/* A new row, of a value or a number. */
static ff_status add_row(ff_petri_lanes *x, uint32_t value, double number, uint32_t *row, ff_error *err) {
  const size_t n = (size_t)x->n_rows + 1;
  ff_status status = ff_grow((void **)&x->row_value, &x->values_room, n, sizeof *x->row_value, err);
  if (status == FF_OK) status = ff_grow((void **)&x->row_number, &x->numbers_room, n, sizeof *x->row_number, err);
  if (status != FF_OK) return status;
  x->row_value[x->n_rows] = value;
  x->row_number[x->n_rows] = number;
  *row = x->n_rows++;
  return FF_OK;
}

/* The row of a value, which may be a new one. */
static ff_status row_of(ff_petri_lanes *x, uint32_t value, uint32_t *row, ff_error *err) {
  if (x->value_row[value] == 0) {
    const ff_status status = add_row(x, value, 0, row, err);
    if (status != FF_OK) return status;
    x->value_row[value] = *row + 1;
    if (value == x->program->time) x->time_row = *row;
  }
  *row = x->value_row[value] - 1;
  return FF_OK;
}

/* The row of a number. */
static ff_status row_of_number(ff_petri_lanes *x, double number, uint32_t *row, ff_error *err) {
  for (*row = 0; *row < x->n_rows; ++*row)
    if (x->row_value[*row] == FF_PETRI_NO_ROW && memcmp(&x->row_number[*row], &number, sizeof number) == 0) return FF_OK;
  return add_row(x, FF_PETRI_NO_ROW, number, row, err);
}

/* The row of what a word of a formula names: symbol k is the value read[k]; without `read`, the value k. */
static ff_status row_of_word(ff_petri_lanes *x, const ff_formula_word *word, const uint32_t *read, uint32_t *row, ff_error *err) {
  if (word->code == FF_F_NUMBER) return row_of_number(x, word->number, row, err);
  const uint32_t value = word->code == FF_F_TIME ? x->program->time : read != NULL ? read[word->symbol] : word->symbol;
  return row_of(x, value, row, err);
}

static int is_operand(const ff_formula_word *word) {
  return word->code == FF_F_SYMBOL || word->code == FF_F_TIME || word->code == FF_F_NUMBER;
}

/* A formula of rows. */
static ff_status rows_of(ff_petri_lanes *x, const ff_formula *formula, const uint32_t *read, ff_formula *out, ff_error *err) {
  ff_status status = ff_formula_copy(out, formula, err);
  for (uint32_t at = 0; status == FF_OK && at < out->length; at++) {
    ff_formula_word *word = &out->word[at];
    uint32_t row = 0;
    if (!is_operand(word)) continue;
    status = row_of_word(x, word, read, &row, err);
    *word = (ff_formula_word){FF_F_SYMBOL, row, 0};
  }
  return status;
}

/* The number of a word, which may be a new one. */
static ff_status number_of(ff_petri_lanes_words *list, const ff_petri_lanes_word *word, uint32_t *number, ff_error *err) {
  for (*number = 0; *number < list->n; ++*number) {
    ff_petri_lanes_word *other = &list->word[*number];
    if (other->code != word->code || memcmp(other->operand, word->operand, sizeof word->operand) != 0) continue;
    other->quick |= word->quick;
    return FF_OK;
  }
  const ff_status status = ff_grow((void **)&list->word, &list->room, (size_t)list->n + 1, sizeof *list->word, err);
  if (status == FF_OK) list->word[list->n++] = *word;
  return status;
}

/* Adds a formula to a list of words, and sets *out to the operand that it is. */
static ff_status add_words(ff_petri_lanes *x, ff_petri_lanes_words *list, const ff_formula *formula, const uint32_t *read,
                           int quick, uint32_t *out, ff_error *err) {
  uint32_t *stack = ff_calloc(formula->depth + 1u, sizeof *stack), *top = stack;
  ff_status status = stack != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for formulas in lanes");
  for (uint32_t at = 0; at < formula->length && status == FF_OK; at++) {
    const ff_formula_word *from = &formula->word[at];
    if (is_operand(from)) {
      status = row_of_word(x, from, read, top++, err);
      continue;
    }
    const uint32_t operands = ff_formula_operands(from->code);
    ff_petri_lanes_word word = {.code = from->code, .quick = (uint8_t)quick};
    uint32_t number;
    top -= operands;
    memcpy(word.operand, top, operands * sizeof *top);
    status = number_of(list, &word, &number, err);
    *top++ = FF_PETRI_WORD + number;
  }
  if (status == FF_OK) *out = stack[0];
  free(stack);
  return status;
}

/* The term of transition i of a law. `read` has room for its symbols. */
static ff_status term_of(ff_petri_lanes *x, const ff_petri_law *law, const ff_petri_term *term, uint32_t i, uint32_t *read,
                         ff_petri_lanes_term *out, ff_error *err) {
  for (uint32_t k = 0; k < term->n && law->n > 1; k++) read[k] = ff_petri_value_of(law, term->row[k], i);
  out->simple = term->simple;
  out->number = term->number;
  if (term->simple == FF_PETRI_SYMBOL || term->simple == FF_PETRI_MULTIPLE)
    return row_of(x, law->n > 1 ? read[term->symbol] : term->symbol, &out->symbol, err);
  if (term->simple != FF_PETRI_COMPLEX) return FF_OK;
  return rows_of(x, &term->formula, law->n > 1 ? read : NULL, &out->formula, err);
}

/* ---- what flows do ------------------------------------------------------------------------------------------------------ */

/* A rate that may have a narrow peak: either there are quick bounds of it, or lanes do not look at rates. */
static ff_status add_narrow(ff_petri_lanes *x, const ff_petri_law *law, uint32_t i, uint32_t *read, ff_error *err) {
  const ff_petri_term *term = &law->rate;
  const ff_petri_program *p = x->program;
  int quick = ff_petri_span_can(&term->formula);
  if (!term->moving || !ff_petri_span_may_be_narrow(&term->formula)) return FF_OK;
  for (uint32_t k = 0; k < term->n; k++) {
    const uint32_t value = ff_petri_value_of(law, term->row[k], i);
    read[k] = value;
    quick &= !(value >= p->n_places && value <= p->time) && !(value >= p->n_levels && value < p->n_levels + p->n_given);
  }
  x->looks_at_rates &= (uint8_t)quick;
  if (!quick) return FF_OK;
  x->narrow[x->n_narrow].flow = x->n_flows - 1;
  return add_words(x, &x->rates, &term->formula, law->n > 1 ? read : NULL, 1, &x->narrow[x->n_narrow++].value, err);
}

static ff_status add_flow(ff_petri_lanes *x, const ff_petri_law *law, uint32_t i, uint32_t *read, ff_error *err) {
  ff_petri_lanes_flow *flow = &x->flow[x->n_flows++];
  ff_status status = term_of(x, law, &law->rate, i, read, &flow->rate, err);
  flow->first = x->n_arcs;
  for (uint32_t c = 0; c < law->n_effects && status == FF_OK; c++) {
    const ff_petri_effect *effect = &law->effect[c];
    ff_petri_lanes_arc *arc = &x->arc[x->n_arcs++];
    *arc = (ff_petri_lanes_arc){ff_petri_value_of(law, effect->row, i), effect->by, NULL};
    if (effect->formula.formula.length == 0) continue;
    arc->weight = &x->weight[x->n_weights];
    status = term_of(x, law, &effect->formula, i, read, &x->weight[x->n_weights++], err);
  }
  flow->end = x->n_arcs;
  return status == FF_OK ? add_narrow(x, law, i, read, err) : status;
}

static ff_status add_variables(ff_petri_lanes *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < p->n_moving && status == FF_OK; k++) {
    const ff_petri_moving *moving = &p->moving[k];
    if (!moving->in_flow) continue;
    x->looks_at_rates &= (uint8_t)!ff_petri_span_may_be_narrow(&moving->plain.formula);
    ff_petri_lanes_variable *variable = &x->variable[x->n_variables++];
    status = rows_of(x, &moving->plain.formula, moving->plain.read, &variable->value.formula, err);
    if (status == FF_OK) status = row_of(x, moving->value, &variable->row, err);
  }
  return status;
}

/* The cell whose profile this is, or FF_PETRI_MANY_CELLS. */
static uint32_t cell_of(const ff_petri_program *p, uint32_t profile) {
  uint32_t found = FF_PETRI_MANY_CELLS, n = 0;
  for (uint32_t c = 0; c < p->n_cells; c++)
    if (p->cell_profile[c] == profile) {
      found = c;
      n++;
    }
  return n == 1 ? found : FF_PETRI_MANY_CELLS;
}

/* Profiles that do not depend on the time. */
static ff_status add_profiles(ff_petri_lanes *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  ff_status status = FF_OK;
  for (uint32_t k = 1; k < p->n_profiles && status == FF_OK; k++) {
    const ff_petri_profile *from = &p->profile[k];
    if (from->timed) continue;
    ff_petri_lanes_profile *profile = &x->profile[x->n_profiles++];
    x->profile_of[k] = x->n_profiles;
    *profile = (ff_petri_lanes_profile){.number = k, .cell = cell_of(p, k), .affine = from->affine,
                                         .quick = from->quick && !from->affine};
    status = add_words(x, &x->profiles, &from->plain.formula, from->plain.read, profile->quick, &profile->value, err);
    for (uint32_t i = 0; i < from->plain.n; i++)
      if (from->plain.read[i] < x->n_levels) x->is_shown[from->plain.read[i]] = 1;
  }
  return status;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status add_multiples(ff_petri_lanes *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < p->n_levels && p->linear_first != NULL; i++)
    for (size_t k = p->linear_first[i]; k < p->linear_first[i + 1] && status == FF_OK; k++) {
      ff_petri_lanes_multiple *multiple = &x->multiple[x->n_multiples++];
      *multiple = (ff_petri_lanes_multiple){.level = i, .by = p->linear_by[k]};
      status = row_of(x, p->linear_value[k], &multiple->row, err);
    }
  return status;
}

static int allocate_lists(ff_petri_lanes *x) {
  const ff_petri_program *p = x->program;
  const size_t multiples = p->linear_first != NULL ? p->linear_first[p->n_levels] : 0;
  size_t flows = 0, arcs = 0;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    flows += law->n;
    arcs += (size_t)law->n * law->n_effects;
  }
  x->value_row = ff_calloc(p->n_values, sizeof *x->value_row);
  x->is_shown = ff_calloc(p->n_levels, sizeof *x->is_shown);
  x->multiple = ff_calloc(multiples, sizeof *x->multiple);
  x->flow = ff_calloc(flows, sizeof *x->flow);
  x->narrow = ff_calloc(flows, sizeof *x->narrow);
  x->arc = ff_calloc(arcs, sizeof *x->arc);
  x->weight = ff_calloc(arcs, sizeof *x->weight);
  x->variable = ff_calloc(p->n_moving, sizeof *x->variable);
  x->profile = ff_calloc(p->n_profiles, sizeof *x->profile);
  x->profile_of = ff_calloc(p->n_profiles, sizeof *x->profile_of);
  return x->value_row && x->is_shown && x->multiple && x->flow && x->narrow && x->arc && x->weight && x->variable && x->profile &&
         x->profile_of;
}

static ff_status make_rows(ff_petri_lanes *x, ff_error *err) {
  const ff_petri_program *p = x->program;
  const int linear = p->linear_first != NULL;
  const uint32_t *flow = linear ? p->single : p->flow, n_flows = linear ? p->n_singles : p->n_flows;
  uint32_t *read = ff_calloc(p->most_rows, sizeof *read);
  ff_status status = allocate_lists(x) && read != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for flows in lanes");
  for (uint32_t i = 0, row; i < p->n_levels + p->n_given && status == FF_OK; i++) status = row_of(x, i, &row, err);
  if (status == FF_OK) status = add_variables(x, err);
  if (status == FF_OK) status = add_multiples(x, err);
  for (uint32_t f = 0; f < n_flows; f++)
    for (uint32_t i = 0; i < p->law[flow[f]].n && status == FF_OK; i++) status = add_flow(x, &p->law[flow[f]], i, read, err);
  if (status == FF_OK) status = add_profiles(x, err);
  free(read);
  return status;
}

/* All arrays of rows, with the numbers of these. n is the number of levels, d the depth of a stack. */
#define FF_LANES_ROWS(X)                                                                                                      \
  X(row, x->n_rows) X(start, n) X(k[0], n) X(k[1], n) X(k[2], n) X(k[3], n) X(k[4], n) X(k[5], n) X(k[6], n) X(at, n)         \
  X(end, n) X(error, n) X(dense, FF_ODE_DENSE * n) X(point, FF_PETRI_POINTS * n) X(wide, 2 * n) X(span, 2 * n)                \
  X(from, 1) X(h, 1) X(zero, 1) X(worst, 1) X(speed, 1) X(bad, 1) X(rate, 1) X(factor, 1) X(slack, 1) X(plain, 1)             \
  X(given, FF_PETRI_GIVEN_STAGES * (size_t)x->n_given) X(given_at, x->n_given) X(spans, 4) X(stack, FF_PETRI_POINTS + d)       \
  X(profiles.value, FF_PETRI_POINTS * (size_t)x->profiles.n) X(profiles.span, 2 * (size_t)x->profiles.n)                      \
  X(rates.span, 2 * (size_t)x->rates.n) X(tried, FF_PETRI_TRIED * (size_t)x->n_profiles)

static ff_status allocate(ff_petri_lanes *x, ff_error *err) {
  const size_t n = x->n_levels, d = x->program->depth + 1u;
  size_t rows = 0;
#define FF_X(name, number) rows += (number);
  FF_LANES_ROWS(FF_X)
#undef FF_X
  double *next = x->memory = ff_calloc_aligned(rows, L * sizeof *x->memory);
  x->operand = ff_calloc(d, sizeof *x->operand);
  if (next == NULL || x->operand == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for lanes of %u levels", x->n_levels);
#define FF_X(name, number)                                                                                                    \
  x->name = next;                                                                                                             \
  next += (number)*L;
  FF_LANES_ROWS(FF_X)
#undef FF_X
  for (uint32_t r = 0; r < x->n_rows; r++)
    for (uint32_t l = 0; l < L; l++) x->row[(size_t)r * L + l] = x->row_number[r];
  return FF_OK;
}

static const ff_petri_lanes_kernel *kernel_of(ff_simd simd) {
#if defined(__x86_64__)
  if (simd == FF_SIMD_AVX512) return &ff_petri_lanes_all_avx512;
  if (simd == FF_SIMD_AVX2) return &ff_petri_lanes_all_avx2;
#endif
  (void)simd;
  return &ff_petri_lanes_all_portable;
}

ff_status ff_petri_lanes_new(ff_petri_lanes **out, const ff_petri_program *program, ff_simd simd, ff_error *err) {
  *out = NULL;
  ff_status status = ff_simd_choose(&simd, err);
  ff_petri_lanes *x = status == FF_OK ? ff_calloc(1, sizeof *x) : NULL;
  if (status == FF_OK && x == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for lanes");
  if (status != FF_OK) return status;
  x->program = program;
  x->kernel = kernel_of(simd);
  x->n_levels = program->n_levels;
  x->n_given = program->n_given;
  x->time_row = FF_PETRI_NO_ROW;
  x->looks_at_rates = 1;
  x->size = program->options.absolute / program->options.relative;
  status = make_rows(x, err);
  if (status == FF_OK) status = allocate(x, err);
  if (status == FF_OK)
    *out = x;
  else
    ff_petri_lanes_free(x);
  return status;
}

void ff_petri_lanes_free(ff_petri_lanes *x) {
  if (x == NULL) return;
  for (uint32_t k = 0; k < x->n_flows; k++) ff_formula_free(&x->flow[k].rate.formula);
  for (uint32_t k = 0; k < x->n_weights; k++) ff_formula_free(&x->weight[k].formula);
  for (uint32_t k = 0; k < x->n_variables; k++) ff_formula_free(&x->variable[k].value.formula);
  void *const arrays[] = {x->value_row, x->row_value, x->row_number, x->is_shown, x->operand, x->multiple, x->flow,
                          x->arc, x->weight, x->variable, x->profile, x->profile_of, x->narrow, x->profiles.word, x->rates.word};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  ff_free_aligned(x->memory);
  free(x);
}
