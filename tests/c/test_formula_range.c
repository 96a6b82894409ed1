/* Ranges of formulas hold all values, and changes of truth are found at the first double at which they happen. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../../src/model/ff_formula_change_math.h"
#include "check.h"
#include "random.h"

static int64_t find(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'a' && name[0] <= 'c' ? name[0] - 'a' : -1;
}

static ff_formula parse(const char *text) {
  ff_formula formula;
  ff_error err;
  FF_CHECK_OK(ff_formula_parse(&formula, text, strlen(text), find, NULL, (ff_place){NULL, 0}, &err), &err);
  return formula;
}

static uint64_t state = 1;
static double between(double low, double high) {
  const double x = low + (high - low) * uniform(&state);
  return x < low ? low : x > high ? high : x;
}

/* Ends of ranges of all sizes and signs; some are 0. */
static double random_end(void) {
  const double size = pow(10, between(-3, 3));
  const double kind = between(0, 6);
  return kind < 1 ? 0 : kind < 3 ? -size : kind < 4 ? floor(size) : size;
}

static int is_anything(ff_range x) { return x.low == -INFINITY && x.high == INFINITY; }
static int holds(ff_range x, double value) { return value != value ? x.nan : value >= x.low && value <= x.high; }

/* One formula with random ranges, of which some are points. Returns how often the range said something. */
static int holds_values_of(const char *text) {
  ff_formula formula = parse(text);
  double stack[16], low[3], high[3], values[3];
  ff_range ranges[16];
  int told = 0;
  FF_CHECK(formula.depth <= 16);
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < 3; i++) {
      low[i] = random_end();
      high[i] = round % 3 == 0 ? low[i] : low[i] + fabs(random_end());
    }
    const double from = fabs(random_end());
    const ff_range time = {.low = from, .high = from + fabs(random_end())};
    const ff_range range = ff_formula_range(&formula, FF_RANGE_COMPUTED, low, high, time, ranges);
    told += !is_anything(range);
    const double at_low = ff_formula_value(&formula, low, from, stack);
    const ff_range sure = ff_formula_range(&formula, FF_RANGE_INEXACT, low, low, (ff_range){.low = from, .high = from}, ranges);
    FF_CHECK_SAY(holds(sure, at_low), "%s: %.17g is not in %.17g ... %.17g", text, at_low, sure.low, sure.high);
    FF_CHECK_SAY(!sure.exact || sure.nan || (sure.low == sure.high && at_low == sure.low), "%s: not without error", text);
    for (int k = 0; k < 20; k++) {
      for (int i = 0; i < 3; i++) values[i] = k < 2 ? (k == 0 ? low[i] : high[i]) : between(low[i], high[i]);
      const double at = k < 2 ? (k == 0 ? time.low : time.high) : between(time.low, time.high);
      const double value = ff_formula_value(&formula, values, at, stack);
      FF_CHECK_SAY(holds(range, value), "%s: %.17g is not in %.17g ... %.17g, %d", text, value, range.low, range.high, range.nan);
      FF_CHECK_SAY(!range.exact || memcmp(&value, &range.low, sizeof value) == 0 || value != value, "%s: not exact", text);
    }
  }
  ff_formula_free(&formula);
  return told;
}

static void ranges_hold_all_values(void) {
  static const char *const formulas[] = {
      "a + b", "a - b", "a * b", "a / b", "-a", "a * a - b", "a^2", "a^3", "a^-1", "a^-2", "a^0.5", "a^b", "abs(a)^b", "0^a",
      "a^0",
      "a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "a < b & b < c", "a < b | b < c", "!(a < b)", "!a", "a & b",
      "if(a > b, c, time)", "if(a, b, c)", "min(a, b)", "max(a, b, c)", "abs(a)", "floor(a)", "ceiling(a)", "sqrt(a)",
      "sqrt(abs(a))", "exp(a)", "exp(a / 1000)", "expm1(a)", "log(a)", "log(abs(a) + 1)", "log1p(a)", "log2(abs(a))",
      "log10(abs(a))", "sin(a)", "cos(a)", "tan(a)", "tan(a / 1000)", "sin(time)", "cos(3 * time + a)", "asin(a)",
      "acos(a / 1000)",
      "atan(a)", "sinh(a)", "cosh(a)", "cosh(a / 100)", "tanh(a)", "1 + sin(2 * pi * time / 24)", "a * (1 + 0.9 * sin(b * time))",
      "exp(-time) * a", "1 / (1 + exp(-(time - 5)))", "time * exp(-time / 10)", "log(a) - log(b)", "exp(a) * 0", "a / b * c",
      "0 * (1 / a)", "(a - a) / b",
      "min(log(a), b)", "if(log(a) > b, 1, 2)", "Inf - a", "1e308 * a * b", "sqrt(a) > b",
      "sqrt(a) <= b", "sqrt(a) != b", "sqrt(a) & b", "!log(a)", "(a / 10)^(b / 1000)", "(a / b)^0", "1^(a / b)", "log(a)^b",
      "a / (b - b)", "(a - a) / (b - b)", "max(sqrt(a), b)", "if(a > 0, sqrt(a), 0)", "abs(sqrt(a))", "cos(1 / a)",
      "exp(1 / a) - 1 / b", "asin(a / 100)", "floor(log(a))", "tanh(1 / a)", "-sqrt(a)", "log1p(a / 10)", "0^(a / b)"};
  int told = 0;
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) told += holds_values_of(formulas[i]);
  FF_CHECK_SAY(told > 19000, "only %d ranges are known", told); /* of 26,400; log, asin, a / b and others are often undefined */
}

/* Formulas of counts a and b, while a is from `low` to `high`, and of a number c that may be any. `never`: whether this shows
 * that the value is never below 0. */
static const struct { const char *text; double low, high; int never; } signs[] = {
    {"2 * a * b", 0, 5, 1}, {"a * b / (a + b)", 0, 0, 1}, {"a * b / (a + b)", 0, 5, 1}, {"c * a", 0, 0, 1},
    {"c * a", 0, 1, 0}, {"a - b", 0, 5, 0}, {"a - 1 - b", 0, 0, 0}, {"0.1 * a - 0.2 * b", 0, 0, 0},
    {"a^2 / (3 + a^2)", 0, 0, 1}, {"b^2.5 / (3^2.5 + b^2.5)", 0, 0, 1}, {"2 * a * (1 - b / 10)", 0, 0, 1},
    {"2 * a * (1 - b / 10)", 0, 1, 0}, {"a * (a - 1) / (1 + b)", 0, 0, 1}, {"a * (a - 1) / (1 + b)", 1, 1, 1},
    {"a * (a - 1) / (1 + b)", 0, 1, 0}, {"b * (1 + 0.9 * sin(time))", 0, 0, 1}, {"b * (1 + 1.1 * sin(time))", 0, 0, 0},
    {"max(0, b - a)", 0, 0, 1}, {"1 / max(b - a, 0)", 0, 0, 0}, {"1 / max(0, b - a)", 0, 0, 1}, {"min(b, a - 1)", 0, 0, 0},
    {"if(b > 3, a, b)", 0, 0, 1}, {"if(b > 3, b, a - 1)", 0, 0, 0}, {"abs(c) * b", 0, 0, 1}, {"exp(-b)", 0, 0, 1},
    {"log(b)", 0, 0, 0}, {"log(1 + b)", 0, 0, 0}, {"sqrt(b - a)", 0, 0, 1}, {"1 / sqrt(b - 1)", 0, 0, 0},
    {"b / (1 - a)", 0, 0, 1}, {"b / (1 - a)", 0, 5, 0}, {"1 / (a * -1)", 0, 0, 0}, {"floor(b / 3) - ceiling(a)", 0, 0, 1},
    {"floor(b - 1)", 0, 0, 0}, {"b^c", 0, 0, 1}, {"(0 - b)^-1", 0, 0, 0}, {"(a > b) * 3 + !b", 0, 0, 1}, {"c", 0, 0, 0},
    {"-3", 0, 0, 0}, {"0", 0, 0, 1},
};

static void signs_hold_for_all_values(void) {
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    ff_formula formula = parse(signs[i].text);
    const ff_formula_counts counts = {.symbol = 0, .n_counts = 2, .low = signs[i].low, .high = signs[i].high, .most = 1e6};
    double stack[16];
    int never = -1;
    ff_error err;
    FF_CHECK(formula.depth <= 16);
    FF_CHECK_OK(ff_formula_never_below(&never, &formula, &counts, &err), &err);
    FF_CHECK_SAY(never == signs[i].never, "%s: %d", signs[i].text, never);
    for (int round = 0; never && round < 2000; round++) {
      const double values[] = {floor(between(counts.low, counts.high + 0.999)),
                               round % 3 == 0 ? round / 3 % 4 : floor(fabs(random_end())), random_end()};
      const double value = ff_formula_value(&formula, values, fabs(random_end()), stack);
      FF_CHECK_SAY(!(value < 0), "%s: %g at %g, %g", signs[i].text, value, values[0], values[1]);
    }
    ff_formula_free(&formula);
  }
}

/* What rounding errors alone may put below 0 is 0. Products and sums of whole numbers have no rounding errors. */
static void negative_propensities_are_told_from_rounding_errors(void) {
  static const struct {
    const char *text;
    double value; /* for a = 0 and b = 2 */
  } cases[] = {
      {"if(a - b > -1 * b, a, 1.5 * (a - b))", -3}, {"if(2 * b * b > 8, a, -1)", -1}, {"if(3 * (a * b) > 0, b, a - b)", -2},
      {"a * b - 1", -1}, {"0.3 - 0.1 * 3", 0}, {"if(0.1 * b * 3 > 0.6, b, -b)", 2}, {"if(0.3 * b > 0.6, b, -b)", 0},
      {"0.1 * 3 - 0.1 * b - 0.1", 0}, {"5 / (1 + (3 / a)^2) - 0.1 * b", -0.2}, {"1 / (1 / a + 1 / 2) - 0.1 * b", -0.2},
      {"0.3 * (1 - b / (a * 0.7))", -INFINITY}, {"(1 + sin(b)) * 5 / (1 + (3 / a)^2) - 0.1 * b", -0.2},
      {"1 / (0.3 / a + 1) - 0.1 * b", -0.2}, {"if(tanh(a), 1, -5)", -5}, {"a^0.3 - 0.1 * b", -0.2}, {"exp(a) - 1.5", -0.5},
      {"1 / (0.3 + (0.2 / a)^2.5) - 0.1", -0.1}, {"log(a) + 0.3", -INFINITY}, {"min(a, 0.1 * b) - 0.1", -0.1},
      {"0.1 * b * a / (0.3 + a) - 0.1", -0.1}, {"sqrt(b * b) / b - 1", 0}, {"(0.3 - 0.1 * 3) / a - 1", 0},
      {"1 / (0.3 - 0.1 * 3)", 0},
  };
  const double values[] = {0, 2, 0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_formula formula = parse(cases[i].text);
    double stack[16];
    ff_range ranges[16];
    const ff_formula_at f = {&formula, values, stack, ranges};
    const double value = ff_change_propensity(&f, 0);
    FF_CHECK_SAY(value == cases[i].value || fabs(value - cases[i].value) < 1e-15, "%s: %.17g", cases[i].text, value);
    ff_formula_free(&formula);
  }
}

static void ranges_are_narrow(void) {
  static const struct {
    const char *text;
    double low, high; /* for a from 1 to 2, b = 3 and the time from 0 to 1 */
  } cases[] = {
      {"a * b", 3, 6}, {"b - a", 1, 2}, {"a^2", 1, 4}, {"sin(pi * time)", 0, 1}, {"cos(pi * time)", -1, 1},
      {"sin(time / 100)", 0, 0.01}, {"time >= 2", 0, 0}, {"time <= 1", 1, 1}, {"time < 1", 0, 1}, {"a == 3", 0, 0},
      {"if(b > 2, a, 100)", 1, 2}, {"if(time > 0.5, 5, 7)", 5, 7}, {"exp(-time)", 0.36787944, 1},
      {"b * (1 + sin(20 * time))", 0, 6},
      {"abs(a - b)", 1, 2}, {"(time - 0.5)^2", 0, 0.25}, {"(time - 0.5)^3", -0.125, 0.125}, {"cosh(time - 0.5)", 1, 1.12762597},
  };
  const double low[] = {1, 3, 0}, high[] = {2, 3, 0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_formula formula = parse(cases[i].text);
    ff_range stack[16], range = ff_formula_range(&formula, FF_RANGE_COMPUTED, low, high, (ff_range){.low = 0, .high = 1}, stack);
    FF_CHECK_SAY(fabs(range.low - cases[i].low) < 1e-8 && fabs(range.high - cases[i].high) < 1e-6, "%s: %.17g ... %.17g",
                 cases[i].text, range.low, range.high);
    ff_formula_free(&formula);
  }
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* The first change after `from`, found in pieces if it takes many steps; -1 if there is none up to `to`. */
static double change_of(const char *text, double from, double to, uint32_t steps, int *pieces) {
  ff_formula formula = parse(text);
  const double values[] = {10, 3, 0.5};
  double stack[16], at = from;
  ff_range ranges[16];
  const ff_formula_at f = {&formula, values, stack, ranges};
  const int truth = ff_formula_value(&formula, values, from, stack) != 0;
  ff_change found = FF_CHANGE_NONE;
  for (*pieces = 0; at < to && found == FF_CHANGE_NONE && *pieces < 1000; ++*pieces)
    found = ff_change_first(&f, at, to, truth, steps, &at);
  if (found == FF_CHANGE_FOUND) { /* it changes there, and not one double before */
    FF_CHECK((ff_formula_value(&formula, values, at, stack) != 0) != truth);
    FF_CHECK(at > from && (ff_formula_value(&formula, values, nextafter(at, 0), stack) != 0) == truth);
  }
  ff_formula_free(&formula);
  return found == FF_CHANGE_FOUND ? at : -1;
}

static void finds_the_first_change(void) {
  static const struct {
    const char *text;
    double from, to, at;
  } cases[] = {
      {"time >= 25", 0, INFINITY, 25},
      {"25 <= time", 0, 1e6, 25},
      {"time > 25", 0, INFINITY, 25.000000000000004},
      {"time < 25", 0, INFINITY, 25},
      {"time >= 25", 25, INFINITY, -1},
      {"time >= 25", 0, 24.9, -1},
      {"time >= 25", 0, 25, 25},
      {"time >= 0.1", 0, INFINITY, 0.1},
      {"time > 0", 0, INFINITY, 4.9406564584124654e-324},
      {"time == 7", 0, INFINITY, 7},
      {"time == 7", 7, INFINITY, 7.0000000000000009},
      {"time >= 5 & time < 6", 5, INFINITY, 6},
      {"time >= 5 & a > 20", 0, INFINITY, -1},
      {"time >= 50 | 2 * time >= a", 0, INFINITY, 5},
      {"a - b * time <= 0", 0, INFINITY, 3.3333333333333335},
      {"a + time >= 3 * b + 4", 0, INFINITY, 3},
      {"sin(time) > 0.5", 0, INFINITY, 0.52359877559829893},
      {"sin(time) > 0.5", 0.6, INFINITY, 2.6179938779914944},
      {"sin(time) > 2", 0, INFINITY, -1},
      {"sin(time) > 0.5 & time > 100", 0, INFINITY, 101.0545636904717},
      {"floor(time / 10) >= 3", 0, INFINITY, 30},
      {"exp(-time) < 0.01", 0, INFINITY, 4.6051701859880918},
      {"time^2 - 7 * time + 12 < 0", 0, INFINITY, 3},
      {"if(time < 4, 0, 1)", 0, INFINITY, 4},
      {"time >= 1e300", 0, INFINITY, 1e300},
      {"a > 5", 0, INFINITY, -1},
      {"(a - 10) / (b - 3) > 2 | time >= 5", 0, INFINITY, 5}, /* 0 / 0 is NaN, and NaN > 2 is false */
      {"time >= 1 & (a - 10) / (b - 3) > 2", 0, INFINITY, -1},
      {"a / (b - 3) > 2 & time < 5", 0, INFINITY, 5},
      {"(a - 10) / (b - 3) * time > 1", 0, INFINITY, -1},
      {"sqrt(b - a) * time > 1", 0, INFINITY, -1},
      {"sqrt(time - 1) >= 1", 0, INFINITY, 2},
      {"log(time - 1) > 0", 0, INFINITY, 2.0000000000000004},
      {"(time - 1)^0.5 > 1", 0, INFINITY, 2.0000000000000004},
      {"min(a, sqrt(time - 1)) >= 1", 0, INFINITY, 2},
      {"sqrt(0 - time) > 0", 0, INFINITY, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int pieces;
    const double at = change_of(cases[i].text, cases[i].from, cases[i].to, 4096, &pieces);
    FF_CHECK_SAY(fabs(at - cases[i].at) <= fabs(cases[i].at) * 1e-14, "%s: %.17g after %d pieces", cases[i].text, at, pieces);
    FF_CHECK_INT(pieces, cases[i].from < cases[i].to);
  }
}

static void finds_what_is_no_propensity(void) {
  static const struct {
    const char *text;
    double from, to, at; /* -1 if the search does not find anything */
  } cases[] = {
      {"1 - time", 0, 5, 1.0000000000000002}, {"sqrt(2 - time)", 0, 5, 2.0000000000000004},
      {"sqrt(2 - time)", 0, 2, -1},           {"if(time > 1, -1, 0)", 0, 2, 1.0000000000000002},
      {"if(time >= 1, -1, 0)", 0, 2, 1},      {"if(time > 1.1, sqrt(time - 1.1), 0)", 0, 2, -1},
      {"1 + sin(time)", 0, 1e3, -1},          {"0.5 + sin(time)", 0, 1e3, 3.6651914291880923},
      {"log(time)", 0.5, 2, 0.5000000000000001}, {"-time", 0, 1, 9.8813129168249309e-324},
      {"0.3 - time", 0, 5, 0.3},              {"time - 0.7 * floor(time / 0.7)", 0, 100, -1},
      {"0.3 - 0.1 * floor(time)", 0, 3.9, -1},  {"0.3 - 0.1 * floor(time)", 0, 5, 4},
      {"1 - time / 3", 0, 3, -1},             {"0.1 * (1 + time) - 0.1 - 0.1 * time", 0, 0.001, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_formula formula = parse(cases[i].text);
    double stack[16], at;
    ff_range ranges[16];
    const ff_formula_at f = {&formula, NULL, stack, ranges};
    const int found = ff_change_first_invalid(&f, cases[i].from, cases[i].to, 0, 256, &at);
    FF_CHECK_SAY(found == (cases[i].at >= 0), "%s: %d", cases[i].text, found);
    FF_CHECK_SAY(!found || fabs(at - cases[i].at) <= cases[i].at * 1e-15, "%s: %.17g", cases[i].text, at);
    ff_formula_free(&formula);
  }
}

/* Where ranges are too wide, the search goes on from where it has stopped; it misses nothing. */
static void goes_on_in_pieces(void) {
  int pieces;
  FF_CHECK(change_of("sin(time) + cos(time) > 1.9", 0, 1000, 200, &pieces) == -1); /* at most sqrt(2) */
  FF_CHECK_SAY(pieces > 5 && pieces < 1000, "%d pieces", pieces);
  const double at = change_of("sin(time) + cos(time) + time / 1e3 > 1.9", 0, INFINITY, 200, &pieces);
  FF_CHECK_SAY(pieces > 5 && pieces < 1000, "%d pieces", pieces);
  double first = 0; /* on a grid that is fine enough for every peak */
  while (first < 1000 && !(sin(first) + cos(first) + first / 1e3 > 1.9)) first += 1e-3;
  FF_CHECK_SAY(at <= first && at > first - 1e-3, "%.17g, not just before %.17g", at, first);
}

/* The power of a negative zero with a negative exponent is -infinity or infinity. The exponent 1^-2 is not known to be whole. */
static void powers_of_negative_zeros_are_held(void) {
  static const char *const texts[] = {"ceiling(a)^-1^-2", "ceiling(a)^-1", "ceiling(a)^-0.5"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ff_formula formula = parse(texts[i]);
    double stack[16];
    const double values[] = {-1e-9, 0, 0};
    ff_range ranges[16];
    const double value = ff_formula_value(&formula, values, 0, stack);
    const ff_range range = ff_formula_range(&formula, FF_RANGE_COMPUTED, values, values, (ff_range){.low = 0, .high = 0}, ranges);
    FF_CHECK_SAY(value >= range.low && value <= range.high, "%s: %g is not in %g ... %g", texts[i], value, range.low, range.high);
    ff_formula_free(&formula);
  }
}

FF_TEST_MAIN("formula_range", signs_hold_for_all_values, ranges_hold_all_values,
             negative_propensities_are_told_from_rounding_errors, ranges_are_narrow, finds_the_first_change,
             finds_what_is_no_propensity, goes_on_in_pieces, powers_of_negative_zeros_are_held)
