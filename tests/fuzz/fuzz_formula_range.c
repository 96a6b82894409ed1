/* make fuzz: bounds of formulas. The first bytes are the ranges of the symbols and of the time, and the rest is a formula, in
 * which every name of one letter from a to h is a symbol. The value at any point of the ranges must be within the bounds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../src/model/ff_formula_range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_SYMBOLS = 8, HEAD = N_SYMBOLS + 1, POINTS = 16 };

static int64_t find(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'a' && name[0] < 'a' + N_SYMBOLS ? name[0] - 'a' : -1;
}

/* The low bits choose an end, and the high bits a width. */
static ff_range range_of(uint8_t byte) {
  static const double ends[] = {0, 1, -1, 0.5, 3, 1e-3, 40, -2.5, 1e5, 7, -1e-9, 1e300, 2, 10, 1.5, 5e-324};
  static const double widths[] = {0, 0x1p-52, 1e-6, 0.1, 1, 3, 100, 1e9};
  const double low = ends[byte & 15], width = widths[byte >> 4 & 7];
  return (ff_range){low, low + width * (byte & 128 ? fabs(low) : 1)};
}

/* Both ends, and points between them. */
static double point_of(ff_range range, uint32_t word) {
  const double x = range.low + (range.high - range.low) * ((double)(word >> 2) / 0x3fffffff);
  if ((word & 3) == 0 || !(x > range.low)) return range.low;
  return (word & 3) == 1 || !(x < range.high) ? range.high : x;
}

static void fail(const uint8_t *data, size_t size, double value, ff_range bounds) {
  fprintf(stderr, "%.*s\nhas the value %.17g outside the bounds %.17g and %.17g\n", (int)(size - HEAD), (const char *)data + HEAD,
          value, bounds.low, bounds.high);
  abort();
}

static uint32_t next(uint32_t *random) { return *random = *random * 747796405u + 2891336453u; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size <= HEAD) return 0;
  ff_error err;
  ff_formula formula;
  const char *text = (const char *)data + HEAD;
  if (ff_formula_parse(&formula, text, size - HEAD, find, NULL, (ff_place){NULL, 0}, &err) != FF_OK) return 0;
  double low[N_SYMBOLS], high[N_SYMBOLS], values[N_SYMBOLS], *stack = malloc(formula.depth * sizeof *stack);
  ff_range *ranges = malloc(formula.depth * sizeof *ranges);
  if (stack == NULL || ranges == NULL) abort();
  for (int i = 0; i < N_SYMBOLS; i++) {
    const ff_range range = range_of(data[i]);
    low[i] = range.low;
    high[i] = range.high;
  }
  const ff_range time = range_of(data[N_SYMBOLS] & 0xF3);
  const ff_range_kind kind = (ff_range_kind)(size % 3); /* all of them hold the values that are computed */
  const ff_range bounds = ff_formula_range(&formula, kind, low, high, time, ranges);
  uint32_t random = 12345;
  for (int point = 0; point < POINTS; point++) {
    for (int i = 0; i < N_SYMBOLS; i++) values[i] = point_of((ff_range){low[i], high[i]}, next(&random));
    const double value = ff_formula_value(&formula, values, point_of(time, next(&random)), stack);
    if (isnan(value) ? !bounds.nan : !(value >= bounds.low && value <= bounds.high)) fail(data, size, value, bounds);
  }
  free(stack);
  free(ranges);
  ff_formula_free(&formula);
  return 0;
}
