/* Changes of formulas of levels, and the first ones of many conditions. */
#include "ff_petri_crossing.h"

#include "../../model/ff_formula_range_math.h"

/* ---- bounds of parts of a formula --------------------------------------------------------------------------------------- */

static ff_petri_bound bound_of(ff_range range) {
  ff_petri_bound out;
  out.range = range;
  out.is_curve = 0;
  return out;
}

static ff_petri_bound bound_of_number(double x) {
  ff_petri_bound out = bound_of(ff_range_of_value(x));
  for (int i = 0; i < FF_ODE_DENSE; i++) out.curve.b[i] = x;
  out.curve.low = out.curve.high = x;
  out.curve.error = 0;
  out.is_curve = ff_math_absolute(x) < ff_math_infinity();
  return out;
}

/* Adds what a polynomial tells to what the range tells. */
static ff_petri_bound bound_of_curve(const ff_petri_curve *x, ff_range range) {
  ff_petri_bound out = bound_of(range);
  if (!(x->high - x->low < ff_math_infinity())) return out;
  out.curve = *x;
  out.is_curve = 1;
  if (x->low > range.low) out.range.low = x->low;
  if (x->high < range.high) out.range.high = x->high;
  if (range.nan || range.low != range.high) out.range.nan = out.range.exact = 0;
  return out;
}

static ff_petri_bound bound_of_level(const double *c, double a, double b) {
  const ff_petri_curve x = ff_petri_curve_of(c, a, b);
  return x.error == 0 ? bound_of_number(c[0]) : bound_of_curve(&x, ff_range_anything());
}

/* The time does not fall, so its range has no error; as a polynomial it is a line. */
static ff_petri_bound bound_of_time(const ff_petri_step *step, double a, double b) {
  const double first = ff_petri_time(step, a), last = ff_petri_time(step, b);
  ff_petri_curve x;
  for (int i = 0; i < FF_ODE_DENSE; i++) x.b[i] = first + (last - first) * (i / 4.0);
  x.error = 0x1p-50 * (ff_math_absolute(first) > ff_math_absolute(last) ? ff_math_absolute(first) : ff_math_absolute(last));
  ff_petri_curve_bound(&x);
  return bound_of_curve(&x, ff_range_of_ends(first, last, 0));
}

/* by_x * x + by_y * y, where factors are 1 or -1, or y is not needed. The values that are computed are rounded, and so are these
 * coefficients. */
static ff_petri_curve combine(const ff_petri_curve *x, double by_x, const ff_petri_curve *y, double by_y) {
  ff_petri_curve out;
  double size = 0;
  for (int i = 0; i < FF_ODE_DENSE; i++) {
    out.b[i] = by_x * x->b[i] + (y != NULL ? by_y * y->b[i] : 0);
    if (ff_math_absolute(out.b[i]) > size) size = ff_math_absolute(out.b[i]);
  }
  out.error = ff_math_absolute(by_x) * x->error + (y != NULL ? ff_math_absolute(by_y) * y->error : 0);
  out.error += 0x1p-51 * (size + out.error) + 0x1p-1060;
  ff_petri_curve_bound(&out);
  return out;
}

static ff_petri_curve divide(const ff_petri_curve *x, double by) {
  ff_petri_curve out;
  double size = 0;
  for (int i = 0; i < FF_ODE_DENSE; i++) {
    out.b[i] = x->b[i] / by;
    if (ff_math_absolute(out.b[i]) > size) size = ff_math_absolute(out.b[i]);
  }
  out.error = x->error / ff_math_absolute(by);
  out.error += 0x1p-51 * (size + out.error) + 0x1p-1060;
  ff_petri_curve_bound(&out);
  return out;
}

/* Sets *x to the polynomial of a sum, a difference, a multiple or the negative. Returns whether it is one. */
static int curve_of(uint32_t code, const ff_petri_bound *a, const ff_petri_bound *b, ff_petri_curve *x) {
  const int both = a->is_curve && b->is_curve;
  switch (code) {
    case FF_F_NEG:
      if (a->is_curve) *x = combine(&a->curve, -1, NULL, 0);
      return a->is_curve;
    case FF_F_ADD:
    case FF_F_SUB:
      if (both) *x = combine(&a->curve, 1, &b->curve, code == FF_F_ADD ? 1 : -1);
      return both;
    case FF_F_MUL:
      if (!both || (!a->range.exact && !b->range.exact)) return 0;
      *x = a->range.exact ? combine(&b->curve, a->range.low, NULL, 0) : combine(&a->curve, b->range.low, NULL, 0);
      return 1;
    case FF_F_DIV:
      if (!both || !b->range.exact || b->range.low == 0) return 0;
      *x = divide(&a->curve, b->range.low);
      return 1;
    default: return 0;
  }
}

static int is_comparison(uint32_t code) { return code >= FF_F_LT && code <= FF_F_NE; }
static int is_known(ff_range x) { return x.exact || (x.low == x.high && !x.nan); }

/* What bounds leave open in a part of the step: whether rounding errors do so in each of these places. */
typedef struct {
  uint32_t open, still;
} open_places;

static void leave_open(open_places *places, int still) {
  places->open++;
  places->still += still != 0;
}

/* The sign of a difference of doubles is exact, so that of the polynomials' difference decides. */
static ff_petri_bound compare(uint32_t code, const ff_petri_bound *a, const ff_petri_bound *b, ff_range range,
                              open_places *places) {
  if (is_known(range)) return bound_of(range);
  if (!a->is_curve || !b->is_curve) {
    leave_open(places, 0);
    return bound_of(range);
  }
  const ff_petri_curve gap = combine(&a->curve, 1, &b->curve, -1);
  range = ff_range_apply(FF_RANGE_COMPUTED, code, 2, ff_range_of_ends(gap.low, gap.high, 0), ff_range_of_value(0),
                         ff_range_anything());
  if (!is_known(range)) leave_open(places, ff_petri_curve_is_still(&gap));
  return bound_of(range);
}

/* The smaller or the larger one, if one is on all of the part, and otherwise NULL. */
static const ff_petri_bound *one_of(uint32_t code, const ff_petri_bound *a, const ff_petri_bound *b) {
  if (!a->is_curve || !b->is_curve) return NULL;
  const ff_petri_curve gap = combine(&a->curve, 1, &b->curve, -1);
  if (gap.low > 0) return code == FF_F_MAX ? a : b;
  if (gap.high < 0) return code == FF_F_MAX ? b : a;
  return NULL;
}

static ff_petri_bound apply(uint32_t code, uint32_t n, const ff_petri_bound *a, const ff_petri_bound *b, const ff_petri_bound *c,
                            open_places *places) {
  const ff_range range = ff_range_apply(FF_RANGE_COMPUTED, code, n, a->range, b->range, c->range);
  ff_petri_curve x;
  if (range.exact && !range.nan) return bound_of_number(range.low);
  if (is_comparison(code)) return compare(code, a, b, range, places);
  if (code == FF_F_IF) {
    const int truth = ff_range_truth(a->range);
    return truth >= 0 ? *(truth ? b : c) : bound_of(range);
  }
  if (code == FF_F_MIN || code == FF_F_MAX) {
    const ff_petri_bound *one = one_of(code, a, b);
    return one != NULL ? *one : bound_of(range);
  }
  if (code == FF_F_FLOOR || code == FF_F_CEILING) {
    if (!is_known(range)) leave_open(places, a->is_curve && ff_petri_curve_is_still(&a->curve));
    return bound_of(range);
  }
  if (code == FF_F_ABS && a->is_curve && (a->range.low >= 0 || a->range.high <= 0)) {
    x = combine(&a->curve, a->range.low >= 0 ? 1 : -1, NULL, 0);
    return bound_of_curve(&x, range);
  }
  return curve_of(code, a, b, &x) ? bound_of_curve(&x, range) : bound_of(range);
}

static ff_petri_bound leaf(const ff_petri_formula *of, const ff_formula_word *word, const ff_petri_step *step, double a,
                           double b) {
  if (word->code == FF_F_NUMBER) return bound_of_number(word->number);
  if (word->code == FF_F_TIME) return bound_of_time(step, a, b);
  if (of->curve[word->symbol] == NULL) return bound_of_number(of->value[word->symbol]);
  return bound_of_level(of->curve[word->symbol], a, b);
}

ff_range ff_petri_formula_range(const ff_petri_formula *of, const ff_petri_step *step, double a, double b, int *still) {
  const ff_petri_bound anything = bound_of(ff_range_anything());
  const ff_formula *f = of->formula;
  open_places places = {0, 0};
  ff_petri_bound *top = of->bound;
  int moves = 0;
  *still = 0;
  if (f->length == 0) return anything.range;
  for (uint32_t at = 0; at < f->length; at++) {
    const uint32_t code = f->word[at].code, n = ff_formula_operands(code);
    top -= n;
    *top = n == 0 ? leaf(of, &f->word[at], step, a, b)
                  : apply(code, n, &top[0], n > 1 ? &top[1] : &anything, n > 2 ? &top[2] : &anything, &places);
    moves |= n == 0 && !(top->is_curve && ff_petri_curve_is_still(&top->curve));
    top++;
  }
  top = of->bound;
  if (places.open == 0) leave_open(&places, top->is_curve && ff_petri_curve_is_still(&top->curve));
  *still = !moves || places.still == places.open;
  return top->range;
}

/* ---- changes of a formula ----------------------------------------------------------------------------------------------- */

double ff_petri_formula_value(const ff_petri_formula *of, const ff_petri_step *step, double s) {
  for (uint32_t i = 0; i < of->n; i++) of->at[i] = of->curve[i] != NULL ? ff_ode_dense_value(of->curve[i], s) : of->value[i];
  const double value = ff_formula_value(of->formula, of->at, ff_petri_time(step, s), of->stack);
  return of->whole ? value : value != 0;
}

static int differs(double a, double b) { return !(a == b || (a != a && b != b)); }

/* 1 or 0 if all values of a range are the stored one, or none is; -1 if this is not known. */
static int is_value(const ff_petri_formula *of, ff_range x, double was) {
  if (!of->whole) {
    const int truth = ff_range_truth(x);
    return truth < 0 ? -1 : truth == (was != 0);
  }
  if (was != was ? !x.nan : !ff_range_holds(x, was)) return 0;
  if (was != was) return ff_range_is_empty(x) ? 1 : -1;
  return is_known(x) ? 1 : -1;
}

static int is_open_at(const ff_petri_formula *of, const ff_petri_step *step, double was, double s) {
  int still;
  return is_value(of, ff_petri_formula_range(of, step, s, s, &still), was) < 0;
}

static ff_petri_verdict verdict_of(const ff_petri_formula *of, const ff_petri_step *step, double was, const ff_petri_search *x) {
  int still;
  const int same = is_value(of, ff_petri_formula_range(of, step, x->a, x->b, &still), was);
  if (same >= 0) return same ? FF_PETRI_SAME : FF_PETRI_OTHER;
  if (still) return FF_PETRI_STILL;
  return ff_petri_search_is_late(x) && is_open_at(of, step, was, x->a) && is_open_at(of, step, was, x->b) &&
                 is_open_at(of, step, was, x->a + (x->b - x->a) / 2)
             ? FF_PETRI_STILL
             : FF_PETRI_OPEN;
}

ff_petri_found ff_petri_formula_first(const ff_petri_formula *of, const ff_petri_step *step, double was, double s0, double s1,
                                      double *s, double *now) {
  ff_petri_search x = ff_petri_search_new(s0, s1, FF_PETRI_FORMULA_STEPS);
  while (ff_petri_search_next(&x)) ff_petri_search_take(&x, verdict_of(of, step, was, &x));
  const int unsure = !x.found && x.n > 0;
  if (unsure) x.high = s1;
  if (!x.found && !unsure) return FF_PETRI_NONE;
  *now = ff_petri_formula_value(of, step, x.high);
  if (unsure && !differs(*now, was)) return FF_PETRI_NONE;
  while (x.high - x.low > FF_PETRI_FINEST) {
    const double middle = x.low + (x.high - x.low) / 2, value = ff_petri_formula_value(of, step, middle);
    if (differs(value, was)) {
      x.high = middle;
      *now = value;
    } else {
      x.low = middle;
    }
  }
  *s = x.high;
  return unsure ? FF_PETRI_UNSURE : FF_PETRI_FOUND;
}

/* ---- many conditions ---------------------------------------------------------------------------------------------------- */

static ff_petri_found search_one(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense, uint32_t k,
                                 double was, double s0, double s1, ff_petri_change *change) {
  change->condition = k;
  if (k >= of->n_thresholds)
    return ff_petri_formula_first(&of->formula[k - of->n_thresholds], step, was, s0, s1, &change->s, &change->value);
  const ff_petri_threshold *threshold = &of->threshold[k];
  change->value = was == 0;
  return ff_petri_threshold_first(threshold, dense + (size_t)threshold->level * FF_ODE_DENSE, was != 0, s0, s1, &change->s);
}

/* Gives all changes the same s: that of the last one. A formula has the value there, unless rounding errors make it the old
 * one. */
static void join(const ff_petri_conditions *of, const ff_petri_step *step, const double *value, ff_petri_change *change,
                 uint32_t n) {
  double s = 0;
  for (uint32_t i = 0; i < n; i++)
    if (change[i].s > s) s = change[i].s;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = change[i].condition;
    const int later = change[i].s < s;
    change[i].s = s;
    if (!later || k < of->n_thresholds) continue;
    const double now = ff_petri_formula_value(&of->formula[k - of->n_thresholds], step, s);
    if (differs(now, value[k])) change[i].value = now;
  }
}

uint32_t ff_petri_first_changes(const ff_petri_conditions *of, const ff_petri_step *step, const double *dense,
                                const double *value, double s0, double s1, ff_petri_change *change, int *unsure) {
  double first = ff_math_infinity(), limit = s1;
  uint32_t found = 0, n = 0;
  *unsure = 0;
  for (uint32_t k = 0; k < of->n_thresholds + of->n_formulas; k++) {
    const ff_petri_found how = search_one(of, step, dense, k, value[k], s0, limit, &change[found]);
    if (how == FF_PETRI_NONE) continue;
    *unsure |= how == FF_PETRI_UNSURE;
    if (change[found].s < first) {
      first = change[found].s;
      const double with = first + ff_petri_together(step, first);
      if (with < limit) limit = with;
    }
    found++;
  }
  for (uint32_t i = 0; i < found; i++)
    if (change[i].s <= limit) change[n++] = change[i];
  join(of, step, value, change, n);
  return n;
}
