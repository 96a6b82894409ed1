#define _POSIX_C_SOURCE 200809L /* newlocale */
#include "ff_decimal.h"

#include "ff_text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the locale ----------------------------------------------------------------------------------------------------------- */

/* Lets this thread write numbers as in C. Returns what leave_c() gets. glibc and musl allocate nothing for this locale. */
typedef struct {
  locale_t own, before;
} c_locale;

static c_locale enter_c(void) {
  c_locale c = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
  if (c.own != (locale_t)0) c.before = uselocale(c.own);
  return c;
}

static void leave_c(c_locale c) {
  if (c.own == (locale_t)0) return;
  uselocale(c.before);
  freelocale(c.own);
}

int ff_print_list(char *text, size_t size, const char *format, va_list args) {
  const c_locale c = enter_c();
  const int length = vsnprintf(text, size, format, args);
  leave_c(c);
  return length;
}

/* ---- reading -------------------------------------------------------------------------------------------------------------- */

size_t ff_decimal_length(const char *text, size_t length) {
  size_t at = 0, digits = 0;
  for (; at < length && ff_is_digit(text[at]); at++) digits++;
  if (at < length && text[at] == '.') at++;
  for (; at < length && ff_is_digit(text[at]); at++) digits++;
  if (digits == 0) return 0;
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    size_t sign = at + 1 < length && (text[at + 1] == '+' || text[at + 1] == '-'), from = at + 1 + sign, to = from;
    while (to < length && ff_is_digit(text[to])) to++;
    if (to > from) at = to;
  }
  return at;
}

/* strtod() gets an integer and an exponent, because the sign that it takes for the decimal point depends on the locale. It rounds
 * correctly. Digits after the 770th matter only by whether one of them is not 0: no double, and no number halfway between two
 * doubles, has more than 768 digits. */
double ff_decimal_read(const char *text, size_t length) {
  char copy[800];
  size_t n = 0, at = 0;
  int64_t exponent = 0, given = 0;
  int point = 0, more = 0;
  for (; at < length && text[at] != 'e' && text[at] != 'E'; at++) {
    if (text[at] == '.') {
      point = 1;
    } else if (n > 0 || text[at] != '0') {
      if (n < 770) copy[n++] = text[at];
      else {
        more |= text[at] != '0';
        exponent++;
      }
      exponent -= point;
    } else {
      exponent -= point;
    }
  }
  if (n == 0) return 0.0;
  int negative = at + 1 < length && text[at + 1] == '-';
  for (at += 1; at < length; at++)
    if (ff_is_digit(text[at]) && given < INT64_MAX / 32) given = given * 10 + (text[at] - '0');
  exponent += negative ? -given : given;
  if (more) {
    copy[n++] = '1';
    exponent--;
  }
  if (exponent > 99999 || exponent < -99999) exponent = exponent > 0 ? 99999 : -99999; /* infinite, or 0 */
  snprintf(copy + n, sizeof copy - n, "e%d", (int)exponent);
  return strtod(copy, NULL);
}

/* ---- the fewest digits ---------------------------------------------------------------------------------------------------- */

/* digits * 10^exponent */
typedef struct {
  uint64_t digits;
  int exponent;
} decimal;

static double value_of(decimal d) {
  char text[48];
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)d.digits, d.exponent);
  return strtod(text, NULL);
}

/* A decimal number with the fewest digits whose value is x, for finite x > 0, or the nearest one with `most` digits if these are
 * too few; 17 never are. Among those with n digits, the nearest one is tried, and the next one above it: doubles are half as far
 * apart below a power of 2 as above it, so the value of the latter may be x although that of the former is not. If fewer than 15
 * digits suffice, the nearest one of 15 digits ends with zeros, because numbers of 15 digits have different values, unless they
 * are below the smallest normal double. */
static decimal fewest(double x, int most) {
  decimal d = {0, 0};
  for (int n = x < DBL_MIN ? 1 : most < 15 ? most : 15; n <= most; n++) {
    char text[48]; /* such as 1.25e-07; the sign after the first digit depends on the locale */
    snprintf(text, sizeof text, "%.*e", n - 1, x);
    const char *mark = strchr(text, 'e');
    d = (decimal){0, (int)strtol(mark + 1, NULL, 10) - (n - 1)};
    for (const char *at = text; at < mark; at++)
      if (ff_is_digit(*at)) d.digits = d.digits * 10 + (uint64_t)(*at - '0');
    if (value_of(d) == x || (n == most && most < 17)) break;
    d.digits++;
    if (value_of(d) == x) break;
  }
  while (d.digits % 10 == 0) {
    d.digits /= 10;
    d.exponent++;
  }
  return d;
}

double ff_decimal_scale(double number, int power) {
  if (!isfinite(number) || number == 0) return number;
  decimal d = fewest(fabs(number), 17);
  d.exponent += power;
  return copysign(value_of(d), number);
}

/* ---- writing -------------------------------------------------------------------------------------------------------------- */

ff_shown ff_show(double number, int digits) {
  ff_shown out;
  const c_locale c = enter_c();
  if (isfinite(number))
    snprintf(out.text, sizeof out.text, "%.*g", digits, number);
  else
    snprintf(out.text, sizeof out.text, "%s", isnan(number) ? "NaN" : number > 0 ? "Inf" : "-Inf");
  leave_c(c);
  return out;
}

ff_shown ff_show_exact(double number) {
  ff_shown out;
  for (int digits = 15; digits <= 17; digits++) {
    out = ff_show(number, digits);
    const size_t sign = out.text[0] == '-';
    if (!isfinite(number) || ff_decimal_read(out.text + sign, strlen(out.text + sign)) == fabs(number)) break;
  }
  return out;
}

/* Without an exponent unless this is longer. There are at least two digits in the exponent. */
ff_shown ff_show_as_r(double number, int digits) {
  char out[64], text[24];
  const char *sign = signbit(number) ? "-" : "";
  if (!isfinite(number)) return ff_show(number, 1);
  if (number == 0) return *sign == '-' ? (ff_shown){"-0"} : (ff_shown){"0"};
  decimal d = fewest(fabs(number), digits);
  int n = snprintf(text, sizeof text, "%llu", (unsigned long long)d.digits), power = d.exponent + n - 1;
  int plain = power >= n - 1 ? power + 1 : power >= 0 ? n + 1 : n + 1 - power; /* the length without an exponent */
  int scientific = n + (n > 1) + (power >= 100 || power <= -100 ? 5 : 4);
  if (plain > scientific)
    snprintf(out, sizeof out, "%s%c%s%se%+03d", sign, text[0], n > 1 ? "." : "", text + 1, power);
  else if (power >= n - 1 && digits < 17)
    snprintf(out, sizeof out, "%s%.0f", sign, fabs(number));
  else if (power >= n - 1)
    snprintf(out, sizeof out, "%s%s%.*s", sign, text, power - (n - 1), "0000000000");
  else if (power >= 0)
    snprintf(out, sizeof out, "%s%.*s.%s", sign, power + 1, text, text + power + 1);
  else
    snprintf(out, sizeof out, "%s0.%.*s%s", sign, -power - 1, "0000000000", text);
  ff_shown shown; /* at most 24 characters */
  memcpy(shown.text, out, sizeof shown.text);
  return shown;
}
