/* Changes of conditions within a step: thresholds against exact roots, formulas against polynomials and samples. */
#include "../../src/petri/within/ff_petri_crossing.h"
#include "../../src/petri/within/ff_petri_span_math.h"
#include "../../src/model/ff_formula_range_math.h"
#include "check.h"
#include "curves.h"
#include "long_double.h"

static const ff_petri_step unit = {0, 1, 1};

static long double size_of(const double *c) { return (long double)fabs(c[1]) + fabs(c[2]) + fabs(c[3]) + fabs(c[4]); }

/* What rounding errors may hide: see ff_petri_curve_of(). A part that is left open has bounds that are at most 4 errors wide, and
 * is 4 errors from the threshold at most. */
static long double hidden(const double *c, long double s) {
  return 4 * (0x1p-52L * (fabs(c[0]) + 64 * s * size_of(c)) + 0x1p-1060L);
}

/* ---- bounds -------------------------------------------------------------------------------------------------------------- */

static void random_level(uint64_t *seed, double *c) {
  long double m[TERMS];
  random_powers(seed, m);
  const double by = pow(10, 6 - 12 * uniform(seed));
  for (int i = 0; i < TERMS; i++) m[i] *= by;
  if (below(seed, 3) == 0) m[0] += below(seed, 1000);
  dense_of(m, c);
}

/* Bounds hold all values, computed and exact ones, and are too wide by the square of the part's width only. */
static void levels_are_within_bounds(void) {
  if (!long_double_is_longer()) FF_SKIP("long double is no reference");
  uint64_t seed = 11;
  for (int run = 0; run < 10000; run++) {
    double c[2 * TERMS], low[2], high[2];
    long double m[TERMS];
    random_level(&seed, c);
    random_level(&seed, c + TERMS);
    const double a = below(&seed, 3) == 0 ? 0 : uniform(&seed);
    const double wide = below(&seed, 2) ? 1 - a : (1 - a) * pow(2, -60 * uniform(&seed));
    const double b = a + wide > a ? a + wide : a;
    ff_petri_levels_range(c, 2, a, b, low, high);
    for (int level = 0; level < 2; level++) {
      long double least = INFINITY, most = -INFINITY;
      powers_of(c + level * TERMS, 0, m);
      for (int i = 0; i <= 32; i++) {
        const double s = i < 32 ? a + (b - a) * i / 32 : b, value = ff_ode_dense_value(c + level * TERMS, s);
        const long double exact = power_value(m, TERMS - 1, s);
        FF_CHECK_SAY(low[level] <= value && value <= high[level], "%g from %g to %g at %g", value, low[level], high[level], s);
        FF_CHECK(low[level] <= exact && exact <= high[level]);
        least = exact < least ? exact : least;
        most = exact > most ? exact : most;
      }
      const double *of = c + level * TERMS;
      const long double loose = 8 * (b - a) * (b - a) * size_of(of) + 2 * hidden(of, b);
      if (b - a <= 0.1) FF_CHECK(high[level] - low[level] <= most - least + loose);
    }
  }
}

/* A polynomial through five values of a level is this level. */
static void curves_pass_through(void) {
  uint64_t seed = 2;
  for (int run = 0; run < 1000; run++) {
    double c[TERMS], value[TERMS], out[TERMS];
    random_level(&seed, c);
    for (int i = 0; i < TERMS; i++) value[i] = ff_ode_dense_value(c, i / 4.0);
    ff_petri_curve_through(value, out);
    const double size = fabs(c[0]) + (double)size_of(c);
    for (int i = 0; i < TERMS; i++) FF_CHECK_NEAR(ff_ode_dense_value(out, i / 4.0), value[i], 0x1p-48 * size);
    for (int i = 0; i < TERMS; i++) FF_CHECK_NEAR(out[i], c[i], 0x1p-44 * size);
  }
}

/* ---- thresholds ---------------------------------------------------------------------------------------------------------- */

/* What was found of a level that is `holds` at s0, against its exact polynomial. */
static void check_first(const double *c, const ff_petri_threshold *of, int holds, double s0, double s1, int found, double s) {
  long double m[TERMS], slope[TERMS];
  powers_of(c, of->weight, m);
  const int sign = holds ? -1 : 1;
  const long double by = hidden(c, s1), surely = first_beyond(m, sign, by, s0, s1);
  if (!found) {
    FF_CHECK_SAY(surely > s1, "missed at %.17Lg of (%.17g, %.17g]: %g, {%a, %a, %a, %a, %a}", surely, s0, s1, of->weight, c[0],
                 c[1], c[2], c[3], c[4]);
    return;
  }
  FF_CHECK(s > s0 && s <= s1);
  FF_CHECK_INT(ff_petri_threshold_holds(of, ff_ode_dense_value(c, s)), !holds);
  FF_CHECK_SAY(s <= surely + 0x1p-52L, "%.17g is after %.17Lg", s, surely);
  FF_CHECK(sign * power_value(m, TERMS - 1, s) > -hidden(c, s));
  const long double root = first_beyond(m, sign, 0, s0, s1);
  for (int i = 0; i < TERMS - 1; i++) slope[i] = m[i + 1] * (i + 1);
  const long double steep = fabsl(power_value(slope, TERMS - 2, root));
  if (root < 2 && steep > size_of(c) / 2 && fabs(c[0]) <= (double)steep && surely - root < 1e-10L)
    FF_CHECK_SAY(fabsl(s - root) <= 0x1p-50L, "%.17g, expected %.17Lg", s, root);
}

/* Goes through all changes of a level in a part of the step. */
static int check_all(const double *c, const ff_petri_threshold *of, double s0, double s1) {
  int holds = ff_petri_threshold_holds(of, ff_ode_dense_value(c, s0)), n = 0;
  double s = s0;
  for (; n < 20; n++) {
    double at = -1;
    const ff_petri_found found = ff_petri_threshold_first(of, c, holds, s, s1, &at);
    FF_CHECK(found != FF_PETRI_UNSURE);
    check_first(c, of, holds, s, s1, found == FF_PETRI_FOUND, at);
    if (found != FF_PETRI_FOUND) break;
    s = at;
    holds = !holds;
  }
  FF_CHECK(n <= 4); /* a polynomial of degree 4 has no more roots */
  return n;
}

static void thresholds_are_found(void) {
  if (!long_double_is_longer()) FF_SKIP("long double is no reference");
  uint64_t seed = 3;
  int changes[5] = {0};
  for (int run = 0; run < 20000; run++) {
    double c[TERMS];
    long double m[TERMS];
    random_powers(&seed, m);
    const ff_petri_threshold of = {below(&seed, 2) ? 0 : (double)below(&seed, 4), 0, below(&seed, 2) != 0};
    m[0] += of.weight;
    if (below(&seed, 4) == 0)
      for (int i = 0; i < TERMS; i++) m[i] *= 0x1p-20;
    dense_of(m, c);
    const double s0 = below(&seed, 2) ? 0 : uniform(&seed), s1 = below(&seed, 2) ? 1 : s0 + (1 - s0) * uniform(&seed);
    if (s1 > s0) changes[check_all(c, &of, s0, s1) % 5]++;
  }
  for (int i = 0; i < 4; i++) FF_CHECK(changes[i] > 100);
}

/* Coefficients of k * (s - r)(s - q) + w. */
static void parabola(double k, double r, double q, double w, double *c) {
  const long double m[TERMS] = {(long double)k * r * q + w, -(long double)k * ((long double)r + q), k, 0, 0};
  dense_of(m, c);
}

static int count_changes(const double *c, double weight, int strict, int holds, double *at) {
  const ff_petri_threshold of = {weight, 0, strict != 0};
  int n = 0;
  double s = 0;
  while (n < 10 && ff_petri_threshold_first(&of, c, holds, s, 1, &s) == FF_PETRI_FOUND) {
    at[n++] = s;
    holds = !holds;
  }
  return n;
}

static void named_cases(void) {
  double c[TERMS], at[10];
  for (int strict = 0; strict < 2; strict++) {
    parabola(4, 0.25, 0.75, 0, c); /* two simple roots */
    FF_CHECK_INT(count_changes(c, 0, strict, 1, at), 2);
    FF_CHECK_NEAR(at[0], 0.25, 0x1p-50);
    FF_CHECK_NEAR(at[1], 0.75, 0x1p-50);
    parabola(1, 0.3, 0.3 + 1e-6, 0, c); /* a pair: below for a millionth of the step, by 2.5e-13 */
    FF_CHECK_INT(count_changes(c, 0, strict, 1, at), 2);
    FF_CHECK_NEAR(at[0], 0.3, 1e-9);
    FF_CHECK_NEAR(at[1], 0.3 + 1e-6, 1e-9);
    parabola(1, 0.3, 0.3, 1, c); /* touches, from both sides */
    FF_CHECK_INT(count_changes(c, 1, strict, 1, at), 0);
    parabola(-1, 0.3, 0.3, 1, c);
    FF_CHECK_INT(count_changes(c, 1, strict, 0, at), 0);
    parabola(1, 0.5, 0.5, 0, c); /* touches exactly */
    FF_CHECK_INT(count_changes(c, 0, strict, 1, at), 0);
    /* begins on the threshold and falls, rises, or stays */
    const double falls[] = {3, -1, 0, 0, 0}, rises[] = {3, 1, 0, 0, 0}, stays[] = {3, 0, 0, 0, 0};
    FF_CHECK_INT(count_changes(falls, 3, strict, 1, at), 1);
    FF_CHECK(at[0] > 0 && at[0] <= 0x1p-50);
    FF_CHECK_INT(count_changes(falls, 3, strict, 0, at), 0);
    FF_CHECK_INT(count_changes(rises, 3, strict, 1, at), 0);
    FF_CHECK_INT(count_changes(rises, 3, strict, 0, at), 1);
    FF_CHECK(at[0] > 0 && at[0] <= 0x1p-50);
    FF_CHECK_INT(count_changes(stays, 3, strict, !strict, at), 0);
    /* reaches it at the end, by a rounding or more */
    const double ends[] = {1, -1, 0, 0, 0};
    FF_CHECK_INT(count_changes(ends, 0x1p-40, strict, 1, at), 1);
    FF_CHECK_NEAR(at[0], 1 - 0x1p-40, 0x1p-52);
  }
  const double nan[] = {0, NAN, 0, 0, 0}, infinite[] = {1, -INFINITY, 0, 0, 0};
  FF_CHECK_INT(count_changes(nan, 1, 0, 0, at), 0);
  FF_CHECK(count_changes(infinite, 1, 0, 1, at) <= 1);
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

enum { SYMBOLS = 4, ROOM = 64 };

/* A formula of x, y, z (levels) and k (a constant), and its room. */
typedef struct {
  ff_formula code;
  const double *curve[SYMBOLS];
  double value[SYMBOLS], at[SYMBOLS], stack[ROOM];
  ff_petri_bound bound[ROOM];
  ff_petri_formula of;
} condition;

static int64_t find_symbol(void *context, const char *name, size_t length) {
  (void)context;
  return length != 1 ? -1 : name[0] == 'k' ? 3 : name[0] >= 'x' && name[0] <= 'z' ? name[0] - 'x' : -1;
}

static void make(condition *out, const char *text, const double *dense, double k, int whole) {
  ff_error err;
  memset(out, 0, sizeof *out);
  FF_CHECK_OK(ff_formula_parse(&out->code, text, strlen(text), find_symbol, NULL, (ff_place){NULL, 0}, &err), &err);
  FF_CHECK(out->code.depth <= ROOM);
  for (int i = 0; i < 3; i++) out->curve[i] = dense + i * TERMS;
  out->value[3] = k;
  out->of = (ff_petri_formula){&out->code, SYMBOLS, out->curve, out->value, out->at, out->stack, out->bound, whole != 0, 0};
}

static void end(condition *c) { ff_formula_free(&c->code); }

static void random_levels(uint64_t *seed, double *dense) {
  for (int level = 0; level < 3; level++) {
    long double m[TERMS];
    random_powers(seed, m);
    dense_of(m, dense + level * TERMS);
  }
}

/* Formulas that are polynomials of degree 4 pass 0 where the polynomial does; a threshold that has the same coefficients, but for
 * rounding, changes there, too. */
static void sums_are_as_thresholds(void) {
  static const char *const text[] = {"x > 2 * y", "x - y >= k * z", "!(x / 4 + y < -z)", "3 * (x - y) > k + z / k"};
  if (!long_double_is_longer()) FF_SKIP("long double is no reference");
  uint64_t seed = 21;
  int found = 0;
  for (int run = 0; run < 10000; run++) {
    const int which = run % 4;
    double dense[3 * TERMS], sum[TERMS], s = -1, now = -1, at = -1;
    random_levels(&seed, dense);
    const double k = 0.5 + uniform(&seed), *x = dense, *y = x + TERMS, *z = y + TERMS;
    condition c;
    make(&c, text[which], dense, k, 0);
    for (int i = 0; i < TERMS; i++)
      sum[i] = which == 0   ? x[i] - 2 * y[i]
               : which == 1 ? x[i] - y[i] - k * z[i]
               : which == 2 ? x[i] / 4 + y[i] + z[i]
                            : 3 * (x[i] - y[i]) - z[i] / k - (i == 0 ? k : 0);
    const ff_petri_threshold of = {0, 0, which == 0 || which == 3};
    const double was = ff_petri_formula_value(&c.of, &unit, 0);
    const int formula = ff_petri_formula_first(&c.of, &unit, was, 0, 1, &s, &now) == FF_PETRI_FOUND;
    const int threshold = ff_petri_threshold_first(&of, sum, was != 0, 0, 1, &at) == FF_PETRI_FOUND;
    long double m[TERMS];
    powers_of(sum, 0, m);
    long double size = fabs(k); /* sums of the formula have errors of their own */
    for (int i = 0; i < 3 * TERMS; i++) size += fabs(dense[i]);
    const long double by = 0x1p-42L * size;
    const int sign = was != 0 ? -1 : 1;
    if (formula) {
      found++;
      FF_CHECK(now != was && ff_petri_formula_value(&c.of, &unit, s) == now);
      FF_CHECK(s <= first_beyond(m, sign, by, 0, 1) && sign * power_value(m, TERMS - 1, s) > -by);
    } else {
      FF_CHECK(first_beyond(m, sign, by, 0, 1) > 1);
    }
    if (formula && threshold && first_beyond(m, sign, by, 0, 1) - first_beyond(m, sign, -by, 0, 1) < 1e-10L)
      FF_CHECK_NEAR(s, at, 2e-10);
    end(&c);
  }
  FF_CHECK(found > 3000);
}

/* Values that are computed are within the bounds of a part of the step and of all of it, for every operation that has a slope. */
static void formulas_are_within_bounds(void) {
  static const char *const text[] = {
      "x * y - z",              "x / (k + y * y)",  "exp(x - y)",       "expm1(x) * z",       "log(1 + x * x)",
      "log1p(abs(y))",          "log2(k + x * x)",  "log10(x * x + k)", "sqrt(k + y^2)",      "sin(5 * x) * y",
      "cos(3 * x) - 4 * y * x", "tan(x / 3) - x^2", "atan(4 * x)",      "sinh(x) - x * y",    "cosh(x) - y * y",
      "tanh(3 * x) - y",        "abs(x * y)",       "min(x * y, z)",    "max(x, y * z)",      "x^3 * y",
      "(k + x^2)^1.5",          "(k + x * x)^-2",   "if(x > 0, y, z)",  "asin(x / 9) * y",    "-(x * x)",
      "x^y",                    "floor(3 * x * y)", "time * x - y / k", "(x > y) * z + time", "1 / x"};
  enum { TEXTS = sizeof text / sizeof *text };
  const ff_petri_step step = {2, 2 + 1.25, 1.25};
  uint64_t seed = 88;
  for (int run = 0; run < 600 * TEXTS; run++) {
    double dense[3 * TERMS];
    ff_petri_verdict why;
    condition c;
    random_levels(&seed, dense);
    make(&c, text[run % TEXTS], dense, 0.5 + uniform(&seed), 1);
    const double a = uniform(&seed), b = a + (1 - a) * pow(2, -30 * uniform(&seed) * below(&seed, 2));
    const ff_range all = ff_petri_formula_outline(&c.of, &step), part = ff_petri_formula_range(&c.of, &step, a, b, &why);
    for (int i = 0; i <= 10; i++) {
      const double value = ff_petri_formula_value(&c.of, &step, i < 10 ? a + (b - a) * i / 10 : b);
      const int fits = value != value ? part.nan && all.nan : ff_range_holds(part, value) && ff_range_holds(all, value);
      FF_CHECK_SAY(fits, "%s is %.17g, not from %.17g to %.17g", text[run % TEXTS], value, part.low, part.high);
    }
    end(&c);
  }
}

/* Other formulas, against samples of what is computed: the first sample that differs is not before what was found, and nothing is
 * found where there is none but between two samples. */
static void formulas_are_found(void) {
  static const char *const text[] = {
      "x * y > k * z",      "x > 2 * y & time < 3",  "exp(x) < y + k | z^2 > k", "floor(8 * x)",         "ceiling(x * y * 9)",
      "abs(x - y) < k / 4", "max(x, y) > min(z, k)", "if(x > y, z, y) > 0",      "sqrt(x) > k / 2",      "x / (k + y^2) >= z",
      "log(x) + y > z",     "x * z > 0 & !(y > 0)",  "floor(time * 5) + (x > y)", "sin(9 * x) > y - 0.5",
      "x^3 - y^2 > z * k - 1"};
  enum { TEXTS = sizeof text / sizeof *text, SAMPLES = 200 };
  uint64_t seed = 8;
  int found[TEXTS] = {0};
  for (int run = 0; run < 10000; run++) {
    const int which = run % TEXTS, whole = text[which][0] == 'c' || strncmp(text[which], "floor", 5) == 0;
    const ff_petri_step step = {2, 2 + 1.25, 1.25};
    double dense[3 * TERMS], s = -1, now = -1;
    random_levels(&seed, dense);
    condition c;
    make(&c, text[which], dense, 0.5 + uniform(&seed), whole);
    const double s0 = below(&seed, 2) ? 0 : uniform(&seed), was = ff_petri_formula_value(&c.of, &step, s0);
    const ff_petri_found how = ff_petri_formula_first(&c.of, &step, was, s0, 1, &s, &now);
    const double limit = how == FF_PETRI_NO_CHANGE ? 1 : s;
    found[which] += how == FF_PETRI_FOUND;
    FF_CHECK(how != FF_PETRI_UNSURE);
    for (int i = 1; i <= SAMPLES; i++) {
      const double at = s0 + (1 - s0) * i / SAMPLES, value = ff_petri_formula_value(&c.of, &step, at);
      if (!(at < limit || how == FF_PETRI_NO_CHANGE)) break;
      ff_petri_verdict why;
      const ff_range range = ff_petri_formula_range(&c.of, &step, at, at, &why);
      const int sure = whole ? range.low == range.high && !range.nan : ff_range_truth(range) >= 0;
      FF_CHECK_SAY(value == was || !sure || at > limit - 0x1p-52, "%s at %.17g, but %.17g was found", text[which], at, limit);
    }
    if (how != FF_PETRI_NO_CHANGE) {
      FF_CHECK(s > s0 && s <= 1 && now != was && ff_petri_formula_value(&c.of, &step, s) == now);
      int old = s - FF_PETRI_FINEST <= s0; /* values may go to and fro; one of these still is the old one */
      for (int i = 0; i <= 64 && !old; i++)
        old = ff_petri_formula_value(&c.of, &step, s - FF_PETRI_FINEST + FF_PETRI_FINEST * i / 64) == was;
      FF_CHECK_SAY(old, "%s", text[which]);
    }
    end(&c);
  }
  for (int i = 0; i < TEXTS; i++) FF_CHECK_SAY(found[i] > 20, "%s: %d", text[i], found[i]);
}

/* x * y touches k where both move; x and y touch; floor(x) reaches a whole number and turns. All end soon, and without a
 * change. */
static void touches_without_change(void) {
  const double dense[] = {0, 2, 0, 0, 0, 2, -2, 0, 0, 0, 0, 8, 0, 0, 0}; /* 2 s, 2 - 2 s, 8 s: x * y is at most 1 */
  const double turns[] = {1.75, 0, 1, 0, 0, 1.75, 0, 1, 0, 0, 0.75, 1, 1, 0, 0}; /* x is at most 2 */
  double s, now;
  condition c;
  make(&c, "x * y >= k", dense, 1, 0);
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 0, 0, 1, &s, &now), FF_PETRI_NO_CHANGE);
  end(&c);
  make(&c, "x * y > k", dense, 1 - 0x1p-30, 0); /* a pair */
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 0, 0, 1, &s, &now), FF_PETRI_FOUND);
  FF_CHECK_NEAR(s, 0.5 - 0x1p-16, 1e-9);
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 1, s, 1, &s, &now), FF_PETRI_FOUND);
  FF_CHECK_NEAR(s, 0.5 + 0x1p-16, 1e-9);
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 0, s, 1, &s, &now), FF_PETRI_NO_CHANGE);
  end(&c);
  make(&c, "floor(x)", turns, 0, 1);
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 1, 0, 1, &s, &now), FF_PETRI_NO_CHANGE);
  end(&c);
  static const char *const same[] = {"x > y", "x - z / 4 > y - z * 0.25", "x * z > y * z", "x / (1 + z) != y / (1 + z)"};
  for (int i = 0; i < 4; i++) { /* x and y are the same */
    make(&c, same[i], turns, 0, 0);
    FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 0, 0, 1, &s, &now), FF_PETRI_NO_CHANGE);
    end(&c);
  }
}

/* Two things leave a formula open: z is above 0 for a tenth of the step, and another change comes later, or rounding errors
 * decide between x and y all the time. */
static void first_of_two(void) {
  static const char *const text[] = {"x > 0 | max(z, 0)", "x > 0.5 * y | z > 0", "x > y | z > 0"};
  double dense[3 * TERMS] = {-0.9, 1}, s, now;
  parabola(-1, 0.3, 0.4, 0, dense + 2 * TERMS);
  for (int i = 0; i < 3; i++) {
    condition c;
    if (i == 2) memcpy(dense, dense + TERMS, TERMS * sizeof *dense);
    make(&c, text[i], dense, 0, 0);
    FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 0, 0, 1, &s, &now), FF_PETRI_FOUND);
    FF_CHECK_NEAR(s, 0.3, 1e-14);
    end(&c);
    if (i == 1) parabola(2, 0.1, 0.7, 0.3, dense + TERMS);
  }
}

/* All whole numbers that a level passes are found, in order. */
static void floors_are_counted(void) {
  const double dense[] = {-0.5, 40, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
  double s = 0, now = -1;
  condition c;
  make(&c, "floor(x)", dense, 0, 1);
  for (int i = 0; i < 40; i++) {
    FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, i - 1, s, 1, &s, &now), FF_PETRI_FOUND);
    FF_CHECK(now == i);
    FF_CHECK_NEAR(s, (i + 0.5) / 40, 0x1p-50);
  }
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &unit, 39, s, 1, &s, &now), FF_PETRI_NO_CHANGE);
  end(&c);
}

/* A comparison of the time changes at the first double of s at which it is true. */
static void times_are_exact(void) {
  const ff_petri_step step = {1e6, 1e6 + 0.5, 0.5};
  const double dense[3 * TERMS] = {0};
  double s, now;
  condition c;
  make(&c, "time >= k", dense, 1e6 + 0.125, 0);
  FF_CHECK_INT(ff_petri_formula_first(&c.of, &step, 0, 0, 1, &s, &now), FF_PETRI_FOUND);
  FF_CHECK(ff_petri_time(&step, s) == 1e6 + 0.125);
  FF_CHECK(ff_petri_time(&step, s - 0x1p-52) < 1e6 + 0.125);
  end(&c);
}

/* Where the steps do not suffice, it is known how far there is no change, and a search from there goes on. */
static void goes_on_in_parts(void) {
  const double dense[3 * TERMS] = {0, 4e4};
  double s = 0, now, before = -1;
  int parts = 0;
  condition c;
  make(&c, "sin(x) * sin(x) + cos(x) * cos(x) < 0.5 | time >= 1", dense, 0, 0); /* x is up to 4e4, so ranges tell nothing */
  while (ff_petri_formula_first(&c.of, &unit, 0, s, 1, &s, &now) == FF_PETRI_UNSURE && parts++ < 10000) {
    FF_CHECK(s > before && s < 1);
    before = s;
  }
  FF_CHECK(parts > 4 && parts < 10000);
  FF_CHECK(s == 1 && now == 1);
  double value = 0, until = 0;
  ff_petri_change change;
  const ff_petri_conditions of = {0, 1, NULL, &c.of};
  FF_CHECK_INT(ff_petri_first_changes(&of, &unit, dense, &value, 0, 1, &change, &until), 0);
  FF_CHECK(until > 0 && until < 1);
  end(&c);
}

/* ---- many conditions ----------------------------------------------------------------------------------------------------- */

/* The first changes of many conditions are those of the conditions one by one. */
static void many_are_as_each(void) {
  enum { LEVELS = 3, CONDITIONS = 8 };
  static const char *const text[] = {"x > y", "y * z > 0.1"};
  uint64_t seed = 77;
  for (int run = 0; run < 3000; run++) {
    double dense[LEVELS * TERMS], value[CONDITIONS];
    ff_petri_threshold threshold[CONDITIONS - 2];
    condition c[2];
    random_levels(&seed, dense);
    if (below(&seed, 4) == 0) memcpy(dense + TERMS, dense, TERMS * sizeof *dense); /* the same level twice */
    ff_petri_formula formula[2];
    for (int i = 0; i < 2; i++) {
      make(&c[i], text[i], dense, 0, 0);
      formula[i] = c[i].of;
      value[CONDITIONS - 2 + i] = ff_petri_formula_value(&formula[i], &unit, 0);
    }
    for (uint32_t k = 0; k < CONDITIONS - 2; k++) {
      threshold[k] = (ff_petri_threshold){below(&seed, 3) * 0.25, below(&seed, LEVELS), below(&seed, 2) != 0};
      value[k] = ff_petri_threshold_holds(&threshold[k], dense[threshold[k].level * TERMS]);
    }
    const ff_petri_conditions of = {CONDITIONS - 2, 2, threshold, formula};
    ff_petri_change change[CONDITIONS];
    double s0 = 0, until;
    for (int round = 0; round < 40; round++) {
      double first = 2, at[CONDITIONS], now;
      for (uint32_t k = 0; k < CONDITIONS; k++) {
        ff_petri_found found;
        if (k < CONDITIONS - 2)
          found = ff_petri_threshold_first(&threshold[k], dense + threshold[k].level * TERMS, value[k] != 0, s0, 1, &at[k]);
        else
          found = ff_petri_formula_first(&formula[k - (CONDITIONS - 2)], &unit, value[k], s0, 1, &at[k], &now);
        if (found == FF_PETRI_NO_CHANGE) at[k] = 3;
        if (at[k] < first) first = at[k];
      }
      const uint32_t n = ff_petri_first_changes(&of, &unit, dense, value, s0, 1, change, &until);
      const double with = first + ff_petri_together(&unit, first);
      uint32_t next = 0;
      FF_CHECK(until == 1);
      for (uint32_t k = 0; k < CONDITIONS; k++) {
        const int is = next < n && change[next].condition == k;
        FF_CHECK_INT(is, at[k] <= with);
        if (!is) continue;
        FF_CHECK(change[next].s >= at[k] && change[next].s == change[0].s && change[next].value == (value[k] == 0));
        next++;
      }
      FF_CHECK_INT(n, next);
      if (n == 0) break;
      s0 = change[0].s;
      for (uint32_t i = 0; i < n; i++) value[change[i].condition] = change[i].value;
      FF_CHECK(round < 39);
    }
    for (int i = 0; i < 2; i++) end(&c[i]);
  }
}

/* Spans of parts hold the values there, also of levels that count as 0 below 0. */
static void spans_hold_values(void) {
  const double dense[3 * TERMS] = {-0.1, 1, 0, 0, 0};
  const ff_petri_step step = {0, 1, 1};
  for (int clips = 0; clips < 2; clips++) {
    condition c;
    ff_petri_verdict why;
    make(&c, "2 * x", dense, 0, 1);
    c.of.clips = (uint8_t)clips;
    const ff_range span = ff_petri_formula_span(&c.of, &step, 0, 0.5), range = ff_petri_formula_range(&c.of, &step, 0, 0.5, &why);
    const double low = clips ? 0 : -0.2;
    FF_CHECK(span.low <= low && span.low > low - 1e-9 && span.high >= 0.8 && span.high < 0.8 + 1e-9);
    FF_CHECK(range.low <= low && range.low > low - 0.5 && range.high >= 0.8 && range.high < 1.3);
    end(&c);
  }
}

/* Quick bounds of operations on two levels of a random step, and of the levels, hold the values at many parts of it. */
static void quick_bounds_hold_values(void) {
  uint64_t s = 5;
  for (int i = 0; i < 2000; i++) {
    double c[2][FF_ODE_DENSE];
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < FF_ODE_DENSE; j++) c[k][j] = (j == 0 ? 2 : 0) + uniform(&s) - 0.5;
    const double y = (double)below(&s, 9) / 2 - 2;
    const ff_petri_span a = ff_petri_span_of_level(c[0], 0), b = ff_petri_span_of_level(c[1], 1);
    const ff_petri_span all[] = {ff_petri_span_sum(a, b), ff_petri_span_difference(a, b), ff_petri_span_product(a, b),
                                 ff_petri_span_quotient(a, b),
                                 ff_petri_span_power(y, a.low, ff_formula_pow(a.low, y), ff_formula_pow(a.high, y)), a, b};
    for (int part = 0; part <= 64; part++) {
      const double x = ff_ode_dense_value(c[0], part / 64.0), z = ff_ode_dense_value(c[1], part / 64.0);
      const double value[] = {x + z, x - z, x * z, x / z, ff_formula_pow(x, y), x, z};
      for (int k = 0; k < 7; k++) {
        const double slack = 1e-12 * (1 + fabs(value[k]));
        FF_CHECK_SAY(!(value[k] < all[k].low - slack || value[k] > all[k].high + slack), "%d: %g is not from %g to %g\n", k,
                     value[k], all[k].low, all[k].high);
      }
    }
    FF_CHECK(all[2].high - all[2].low < 20 && b.low >= 0);
  }
  const ff_petri_span across = ff_petri_span_quotient(ff_petri_span_new(1, 2), ff_petri_span_new(-1, 1));
  FF_CHECK(!ff_petri_span_is_near(across, 1, 2, 100) && ff_petri_span_is_near(ff_petri_span_new(1, 2), 1, 2, 0));
  FF_CHECK(ff_petri_span_is_near(ff_petri_span_new(1, 6.2), 1, 2, 0));
  FF_CHECK(!ff_petri_span_is_near(ff_petri_span_new(1, 6.3), 1, 2, 0));
}

FF_TEST_MAIN("petri_crossing", levels_are_within_bounds, curves_pass_through, thresholds_are_found, named_cases,
             sums_are_as_thresholds, formulas_are_within_bounds, formulas_are_found, touches_without_change, first_of_two,
             floors_are_counted, times_are_exact, goes_on_in_parts, many_are_as_each, spans_hold_values, quick_bounds_hold_values)
