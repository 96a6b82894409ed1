#include "ff_base.h"

#include "ff_decimal.h"
#include "ff_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers are sorted by bits if there are at least BITS_FROM, and at most BITS_WORDS words of bits for each. */
#define BITS_FROM 32u
#define BITS_WORDS 32u

const char *ff_status_name(ff_status status) {
  switch (status) {
#define FF_X(code, name, text) \
  case code:                   \
    return name;
    FF_STATUS_LIST(FF_X)
#undef FF_X
  }
  return "unknown";
}

/* Ends a truncated text with "...", but not inside a UTF-8 character. */
static void cut_utf8(char *text, size_t length) {
  size_t end = length;
  while (end > 0 && ff_continues_character(text[end - 1])) end--;
  if (end > 0 && (unsigned char)text[end - 1] >= 0xC0) end--;
  if (end + 4 > FF_ERROR_TEXT) end = FF_ERROR_TEXT - 4;
  memcpy(text + end, "...", 4);
}

ff_status ff_error_set(ff_error *err, ff_status status, const char *format, ...) {
  if (err == NULL) return status;
  err->status = status;
  va_list args;
  va_start(args, format);
  int length = ff_print_list(err->text, FF_ERROR_TEXT, format, args);
  va_end(args);
  if (length < 0) err->text[0] = '\0';
  if (length >= FF_ERROR_TEXT) cut_utf8(err->text, FF_ERROR_TEXT - 4);
  return status;
}

/* log((1 + s) / (1 - s)) = 2 atanh(s), for |s| <= 1/3. Each term is at most 1/9 of the one before, so 20 terms reach 1e-19. */
static double twice_atanh(double s) {
  double square = s * s, sum = 0.0;
  for (int k = 19; k >= 0; k--) sum = sum * square + 1.0 / (double)(2 * k + 1);
  return 2.0 * s * sum;
}

static const double ln2_high = 0.693147180369123816490; /* the low 32 bits are zero, so exponent * ln2_high is exact */
static const double ln2_low = 1.90821492927058770002e-10;

double ff_log_series(double x) {
  uint64_t bits;
  int exponent = 0;
  memcpy(&bits, &x, sizeof bits);
  if (((bits >> 52) & 0x7FF) == 0) { /* subnormal */
    x *= 18014398509481984.0;        /* 2^54 */
    memcpy(&bits, &x, sizeof bits);
    exponent -= 54;
  }
  exponent += (int)((bits >> 52) & 0x7FF) - 1023;
  bits = (bits & UINT64_C(0x000FFFFFFFFFFFFF)) | UINT64_C(0x3FF0000000000000);
  double fraction;
  memcpy(&fraction, &bits, sizeof fraction);
  if (fraction > 1.4142135623730951) {
    fraction *= 0.5;
    exponent++;
  }
  double rest = twice_atanh((fraction - 1.0) / (fraction + 1.0));
  return (double)exponent * ln2_high + (rest + (double)exponent * ln2_low);
}

double ff_neg_log1m(double p) {
  if (p > 0.5) return -ff_log_series(1.0 - p); /* 1 - p is exact here */
  return twice_atanh(p / (2.0 - p));
}

static int ascending(const void *left, const void *right) {
  const uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  return (x > y) - (x < y);
}

size_t ff_sort_unique(uint32_t *numbers, size_t n) {
  size_t kept = 0;
  if (n > 1) qsort(numbers, n, sizeof *numbers, ascending);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || numbers[i] != numbers[i - 1]) numbers[kept++] = numbers[i];
  return kept;
}

size_t ff_sort_unique_bits(uint32_t *numbers, size_t n, uint64_t *bits) {
  size_t kept = 0;
  uint32_t first = UINT32_MAX, last = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t word = numbers[i] / 64;
    if (word < first) first = word;
    if (word > last) last = word;
  }
  if (n < BITS_FROM || (last - first) / BITS_WORDS > n) return ff_sort_unique(numbers, n);
  for (size_t i = 0; i < n; i++) bits[numbers[i] / 64] |= UINT64_C(1) << numbers[i] % 64;
  for (uint32_t word = first; word <= last; word++) {
    for (uint64_t left = bits[word]; left != 0; left &= left - 1) numbers[kept++] = 64 * word + (uint32_t)__builtin_ctzll(left);
    bits[word] = 0;
  }
  return kept;
}

uint64_t ff_common_multiple(uint64_t a, uint64_t b) {
  uint64_t x = a, y = b;
  while (y > 0) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}
