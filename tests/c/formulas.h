/* What the tests of formulas share: random formulas, a second parser of their grammar, and checks of texts. */
#ifndef FF_TESTS_FORMULAS_H
#define FF_TESTS_FORMULAS_H

#include <math.h>

#include "../../src/model/ff_formula_math.h"
#include "check.h"

static char *names[] = {"a", "b", "c", "d"};
enum { N_NAMES = 4 };

static inline int64_t find_letter(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'a' && name[0] < 'a' + N_NAMES ? name[0] - 'a' : -1;
}

static inline ff_status parse(ff_formula *formula, const char *text, ff_error *err) {
  return ff_formula_parse(formula, text, strlen(text), find_letter, NULL, (ff_place){NULL, 0}, err);
}

static inline double value(const ff_formula *formula, const double *values) {
  double *stack = malloc(formula->depth * sizeof *stack);
  double result = ff_formula_value(formula, values, 0.5, stack);
  free(stack);
  return result;
}

static inline int same_bits(double x, double y) { return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0; }

static inline int same_code(const ff_formula *a, const ff_formula *b) {
  if (a->length != b->length || a->depth != b->depth) return 0;
  for (uint32_t i = 0; i < a->length; i++)
    if (a->word[i].code != b->word[i].code || a->word[i].symbol != b->word[i].symbol ||
        !same_bits(a->word[i].number, b->word[i].number))
      return 0;
  return 1;
}

static inline uint64_t draw_bits(uint64_t *seed) {
  *seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *seed;
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
static inline uint32_t draw(uint64_t *seed, uint32_t below) { return (uint32_t)((draw_bits(seed) >> 32) * below >> 32); }

/* ---- a second parser of the grammar: precedence climbing that evaluates at once ---------------------------------- */

typedef struct {
  const char *at;
  const double *values;
  int chained; /* whether comparisons are chained */
} oracle;

static inline double oracle_value(oracle *o, int least);

static inline void past_blanks(oracle *o) { o->at += strspn(o->at, " "); }

static const struct {
  const char *text;
  int level;
} infix[] = {{"<=", 4}, {">=", 4}, {"==", 4}, {"!=", 4}, {"**", 8}, {"&&", 2}, {"||", 1}, {"<", 4}, {">", 4},
             {"&", 2},  {"|", 1},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"^", 8}};
enum { N_INFIX = sizeof infix / sizeof infix[0] };

static inline double oracle_call(const char *name, size_t length, const double *x, int n) {
  char f[16];
  snprintf(f, sizeof f, "%.*s", (int)length, name);
#define IS(text) (strcmp(f, text) == 0)
  double least = x[0], most = x[0];
  for (int i = 1; i < n; i++) {
    least = least != least || x[i] != x[i] ? NAN : x[i] < least ? x[i] : least;
    most = most != most || x[i] != x[i] ? NAN : x[i] > most ? x[i] : most;
  }
  if (IS("min")) return least;
  if (IS("max")) return most;
  if (IS("if") || IS("ifelse")) return x[0] != 0 ? x[1] : x[2];
  if (IS("log") && n == 2) return ff_log(x[0]) / ff_log(x[1]);
  if (IS("pow")) return ff_formula_pow(x[0], x[1]);
  if (IS("time")) return 0.5;
  if (IS("floor")) return floor(x[0]);
  if (IS("ceiling") || IS("ceil")) return ceil(x[0]);
  static const struct {
    const char *name;
    double (*f)(double);
  } plain[] = {{"abs", fabs}, {"sqrt", sqrt}, {"exp", ff_exp}, {"expm1", ff_expm1}, {"log", ff_log}, {"ln", ff_log},
               {"log1p", ff_log1p}, {"log2", ff_formula_log2}, {"log10", ff_formula_log10}, {"sin", ff_sin}, {"cos", ff_cos},
               {"tan", ff_tan}, {"asin", ff_asin}, {"acos", ff_acos}, {"atan", ff_atan}, {"sinh", ff_sinh}, {"cosh", ff_cosh},
               {"tanh", ff_tanh}};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (IS(plain[i].name)) return plain[i].f(x[0]);
  FF_CHECK_SAY(0, "the oracle knows no function %s", f);
  return 0;
#undef IS
}

static inline double oracle_operand(oracle *o) {
  past_blanks(o);
  char c = *o->at;
  if (c == '!' || c == '-' || c == '+') {
    o->at++;
    double x = oracle_value(o, c == '!' ? 3 : 7);
    return c == '!' ? x == 0 : c == '-' ? -x : x;
  }
  if (c == '(') {
    o->at++;
    double x = oracle_value(o, 0);
    past_blanks(o);
    o->at++;
    return x;
  }
  if ((c >= '0' && c <= '9') || c == '.') {
    char *end;
    double x = strtod(o->at, &end);
    o->at = end;
    return x;
  }
  size_t length = strspn(o->at, "abcdefghijklmnopqrstuvwxyz0123456789");
  const char *name = o->at;
  o->at += length;
  if (*o->at != '(') return length == 1 ? o->values[c - 'a'] : name[0] == 'p' ? 3.14159265358979323846 : 0.5;
  double x[8] = {0};
  int n = 0;
  for (o->at++; *o->at != ')';) {
    x[n++] = oracle_value(o, 0);
    past_blanks(o);
    if (*o->at == ',') o->at++;
  }
  o->at++;
  return oracle_call(name, length, x, n);
}

static inline double oracle_operate(const char *sign, double x, double y) {
  switch (sign[0]) {
    case '<': return sign[1] == '=' ? x <= y : x < y;
    case '>': return sign[1] == '=' ? x >= y : x > y;
    case '=': return x == y;
    case '!': return x != y;
    case '&': return x != 0 && y != 0;
    case '|': return x != 0 || y != 0;
    case '+': return x + y;
    case '-': return x - y;
    case '/': return x / y;
    case '*':
      if (sign[1] == '\0') return x * y;
      return ff_formula_pow(x, y);
    default: return ff_formula_pow(x, y);
  }
}

static inline double oracle_value(oracle *o, int least) {
  double x = oracle_operand(o);
  for (int compared = 0;;) {
    int i = 0;
    past_blanks(o);
    while (i < N_INFIX && strncmp(o->at, infix[i].text, strlen(infix[i].text)) != 0) i++;
    if (i == N_INFIX || infix[i].level < least) return x;
    int level = infix[i].level;
    o->chained |= compared && level == 4;
    compared = level == 4;
    o->at += strlen(infix[i].text);
    double y = oracle_value(o, level == 8 ? 8 : level + 1);
    x = oracle_operate(infix[i].text, x, y);
  }
}

/* ---- random formulas -------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int arguments;
} calls[] = {{"abs", 1}, {"acos", 1}, {"asin", 1}, {"atan", 1}, {"ceiling", 1}, {"ceil", 1}, {"cos", 1}, {"cosh", 1},
             {"exp", 1}, {"expm1", 1}, {"floor", 1}, {"if", 3}, {"ifelse", 3}, {"ln", 1}, {"log", 1}, {"log", 2}, {"log10", 1},
             {"log1p", 1}, {"log2", 1}, {"max", 1}, {"max", 2}, {"max", 4}, {"min", 1}, {"min", 2}, {"min", 3}, {"pow", 2},
             {"sin", 1}, {"sinh", 1}, {"sqrt", 1}, {"tan", 1}, {"tanh", 1}, {"time", 0}};
enum { N_CALLS = sizeof calls / sizeof calls[0] };

static inline char *put(char *out, const char *text) {
  memcpy(out, text, strlen(text) + 1);
  return out + strlen(text);
}

static inline char *put_random(char *out, uint64_t *seed, int depth) {
  static const char *const atoms[] = {"0", "1", "2", "0.5", "1e-3", "3.", ".25", "1e5", "time", "pi", "7"};
  uint32_t what = depth == 0 ? 0 : draw(seed, 12);
  if (what < 2) {
    if (draw(seed, 5) < 2) return put(out, atoms[draw(seed, sizeof atoms / sizeof atoms[0])]);
    return put(out, names[draw(seed, N_NAMES)]);
  }
  if (what < 5) return put_random(put(out, (const char *[]){"-", "!", "+", "-", "!"}[draw(seed, 5)]), seed, depth - 1);
  if (what == 5) return put(put_random(put(out, "("), seed, depth - 1), ")");
  if (what == 6) {
    uint32_t call = draw(seed, N_CALLS);
    out = put(put(out, calls[call].name), "(");
    for (int i = 0; i < calls[call].arguments; i++) out = put_random(i > 0 ? put(out, ", ") : out, seed, depth - 2 > 0 ? 1 : 0);
    return put(out, ")");
  }
  int wrap = draw(seed, 3) == 0;
  out = put_random(wrap ? put(out, "(") : out, seed, depth - 1);
  out = put(put(put(out, " "), infix[draw(seed, N_INFIX)].text), " ");
  out = put_random(out, seed, depth - 1);
  return wrap ? put(out, ")") : out;
}

static inline double draw_value(uint64_t *seed) {
  switch (draw(seed, 8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1.0 * draw(seed, 5);
    case 3: return (double)draw(seed, 1000);
    case 4: return draw(seed, 1000) / 64.0 - 5;
    case 5: return draw(seed, 20) == 0 ? NAN : draw(seed, 20) == 0 ? INFINITY : 2.5;
    default: return draw(seed, 1u << 30) * 0x1p-30;
  }
}

/* Draws until a formula has no chained comparison. */
static inline void draw_formula(ff_formula *formula, char *text, uint64_t *seed, int depth) {
  ff_error err;
  oracle o = {.values = (const double[N_NAMES]){0}};
  do {
    put_random(text, seed, depth);
    o.at = text;
    o.chained = 0;
    oracle_value(&o, 0);
    if (o.chained) FF_CHECK_FAILS(parse(formula, text, &err), FF_EPARSE, &err, "chained");
  } while (o.chained);
  FF_CHECK_SAY(*o.at == '\0', "the oracle stops at %s of %s", o.at, text);
  FF_CHECK_OK(parse(formula, text, &err), &err);
}

enum { TEXT = 1 << 16, DEPTH = 5 }; /* of random formulas */

/* ---- text --------------------------------------------------------------------------------------------------------- */

/* Without any of its pairs of parentheses, except for those of functions, a text must not have the same meaning. */
static inline void check_fewest(const ff_formula *formula, const char *shown) {
  size_t length = strlen(shown);
  for (size_t open = 0; open < length; open++) {
    if (shown[open] != '(' || (open > 0 && strchr("abcdefghijklmnopqrstuvwxyz0123456789", shown[open - 1]) != NULL)) continue;
    size_t close = open + 1, nested = 0;
    for (; shown[close] != ')' || nested > 0; close++) nested = nested + (shown[close] == '(') - (shown[close] == ')');
    char *less = malloc(length);
    memcpy(less, shown, open);
    memcpy(less + open, shown + open + 1, close - open - 1);
    memcpy(less + close - 1, shown + close + 1, length - close);
    ff_formula other;
    ff_error err;
    ff_status status = parse(&other, less, &err);
    FF_CHECK_SAY(status == FF_EPARSE || (status == FF_OK && !same_code(formula, &other)), "%s means %s", shown, less);
    ff_formula_free(&other);
    free(less);
  }
}

static inline void check_text(const ff_formula *formula) {
  ff_error err;
  ff_formula again;
  char *shown, *second;
  FF_CHECK_OK(ff_formula_text(&shown, formula, names, &err), &err);
  FF_CHECK_OK(parse(&again, shown, &err), &err);
  FF_CHECK_SAY(same_code(formula, &again), "%s", shown);
  FF_CHECK_OK(ff_formula_text(&second, &again, names, &err), &err);
  FF_CHECK_STR(second, shown);
  if (strlen(shown) < 5000) check_fewest(formula, shown);
  ff_formula_free(&again);
  free(second);
  free(shown);
}

#endif
