/* Numbers as text: read and written alike in every locale. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdarg.h>

#include "../../src/base/ff_decimal.h"
#include "check.h"
#include "comma.h"
#include "random.h"

static double read_all(const char *text) {
  const size_t length = strlen(text);
  FF_CHECK_INT(ff_decimal_length(text, length), length);
  return ff_decimal_read(text, length);
}

static void lengths(void) {
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"1", 1},     {".5", 2},   {"1.", 2},     {"1.e3", 4}, {"2E-3x", 4}, {"1e", 1},    {"1e+", 1}, {"12e5e6", 4},
               {"1.2.3", 3}, {".", 0},    {"", 0},       {".e5", 0},  {"-1", 0},    {"+1", 0},    {"e5", 0},  {"0,25", 1},
               {"0x10", 1},  {"1d5", 1},  {" 1", 0},     {"Inf", 0},  {"nan", 0},   {"5e-324 ", 6}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    FF_CHECK_SAY(ff_decimal_length(cases[i].text, strlen(cases[i].text)) == cases[i].length, "\"%s\"", cases[i].text);
}

/* Any double, or one whose text has few digits. */
static double some_number(uint64_t *seed, int i) {
  double x;
  const uint64_t high = next_random(seed) >> 32, bits = high << 32 | next_random(seed) >> 32;
  memcpy(&x, &bits, sizeof x);
  if (i % 3 == 1) x = (double)below(seed, 1u << 20) / 1000;
  if (i % 3 == 2) x = ldexp(1, (int)below(seed, 2098) - 1074);
  return isfinite(x) ? x : 0.25;
}

static double value_of(const char *text) {
  const int negative = text[0] == '-';
  const double value = read_all(text + negative);
  return negative ? -value : value;
}

/* Writes and reads numbers. The C library does the same in the locale "C"; `same` has its texts. */
static void round_trips(int n, char (*same)[3][32], int plain) {
  uint64_t seed = 7;
  for (int i = 0; i < n; i++) {
    const double x = some_number(&seed, i);
    const ff_shown texts[3] = {ff_show(x, 1 + i % 17), ff_show_exact(x), ff_show_as_r(x, 17)};
    for (int k = 0; k < 3; k++) {
      if (plain) memcpy(same[i][k], texts[k].text, sizeof texts[k].text);
      FF_CHECK_STR(texts[k].text, same[i][k]);
    }
    FF_CHECK_SAY(value_of(texts[1].text) == x && value_of(texts[2].text) == x, "%a: %s, %s", x, texts[1].text, texts[2].text);
    if (!plain) continue;
    char text[40];
    snprintf(text, sizeof text, "%.*g", 1 + i % 17, x);
    FF_CHECK_STR(texts[0].text, text);
    FF_CHECK(value_of(text) == strtod(text, NULL));
    for (int digits = 15; digits <= 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, x);
      if (strtod(text, NULL) == x) break;
    }
    FF_CHECK_STR(texts[1].text, text);
  }
}

static void check_text(ff_shown shown, const char *text) { FF_CHECK_STR(shown.text, text); }

/* Texts that are the same in every locale. */
static void known(void) {
  static const struct {
    double number;
    int digits;
    const char *as_r, *shown;
  } cases[] = {{0.25, 17, "0.25", "0.25"},
               {-1.5e-7, 17, "-1.5e-07", "-1.4999999999999999e-07"},
               {1e5, 17, "1e+05", "100000"},
               {123456, 17, "123456", "123456"},
               {1e-4, 17, "1e-04", "0.0001"},
               {0.1 + 0.2, 17, "0.30000000000000004", "0.30000000000000004"},
               {0.1 + 0.2, 15, "0.3", "0.3"},
               {1.0 / 3, 7, "0.3333333", "0.3333333"},
               {99.96, 3, "100", "100"},
               {734.12, 1, "734", "7e+02"},
               {123456789, 4, "123456789", "1.235e+08"},
               {7005179638508706816, 15, "7005179638508706816", "7.00517963850871e+18"},
               {7005179638508706816, 17, "7005179638508707000", "7.0051796385087068e+18"},
               {0x1p-44, 17, "5.684341886080802e-14", "5.6843418860808015e-14"},
               {5e-324, 17, "5e-324", "4.9406564584124654e-324"},
               {DBL_MAX, 17, "1.7976931348623157e+308", "1.7976931348623157e+308"},
               {0.0, 17, "0", "0"},
               {-0.0, 17, "-0", "-0"},
               {INFINITY, 17, "Inf", "Inf"},
               {-INFINITY, 5, "-Inf", "-Inf"},
               {NAN, 17, "NaN", "NaN"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_text(ff_show_as_r(cases[i].number, cases[i].digits), cases[i].as_r);
    check_text(ff_show(cases[i].number, cases[i].digits), cases[i].shown);
  }
  check_text(ff_show_exact(0.25), "0.25");
  check_text(ff_show_exact(1e5), "100000");
  check_text(ff_show_exact(INFINITY), "Inf");
  FF_CHECK(read_all("1e400") == INFINITY && read_all("1e-400") == 0 && read_all("0e99999999999999999999") == 0);
  FF_CHECK(read_all("9007199254740993") == 9007199254740992.0 && read_all("9007199254740993.0000001") == 9007199254740994.0);
}

/* A mantissa and a power of 10 are the number that is written with both. */
static void scaled(void) {
  uint64_t seed = 11;
  for (int i = 0; i < 3000; i++) {
    const unsigned digits = 1 + below(&seed, 99999);
    const int power = (int)below(&seed, 660) - 340;
    char text[40];
    snprintf(text, sizeof text, "%ue%d", digits, power - 3);
    FF_CHECK_SAY(ff_decimal_scale(digits / 1000.0, power) == read_all(text), "%s", text);
    FF_CHECK(ff_decimal_scale(-(digits / 1000.0), power) == -read_all(text));
  }
  FF_CHECK(ff_decimal_scale(1.1, 100000) == INFINITY && ff_decimal_scale(1.1, -100000) == 0);
  FF_CHECK(ff_decimal_scale(0, 5) == 0 && ff_decimal_scale(INFINITY, -5) == INFINITY && isnan(ff_decimal_scale(NAN, 1)));
}

static int print(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = ff_print_list(text, size, format, args);
  va_end(args);
  return length;
}

static void lists(void) {
  char text[40];
  FF_CHECK_INT(print(text, sizeof text, "%g and %s", 0.5, "1,5"), 11);
  FF_CHECK_STR(text, "0.5 and 1,5");
}

#define N 30000

static void locales(void) {
  char(*same)[3][32] = calloc(N, sizeof *same), text[16];
  round_trips(N, same, 1);
  known();
  scaled();
  lists();
  const int found = comma_begin();
  if (found) {
    round_trips(N, same, 0);
    known();
    scaled();
    lists();
    snprintf(text, sizeof text, "%g", 0.5); /* the locale is as before */
    FF_CHECK_STR(text, "0,5");
  }
  comma_end();
  free(same);
  if (!found) FF_SKIP("no locale with a decimal comma is installed");
}

FF_TEST_MAIN("decimal", lengths, locales)
