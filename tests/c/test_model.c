/* Expressions, names and networks. */
#include "../../src/model/ff_model.h"

#include <math.h>

#include "check.h"

static char *letters[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P"};
enum { N_LETTERS = 16 };

static int64_t find_letter(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'A' && name[0] < 'A' + N_LETTERS ? name[0] - 'A' : -1;
}

static ff_status parse(ff_expr *expr, const char *text, ff_error *err) {
  return ff_expr_parse(expr, text, strlen(text), find_letter, NULL, (ff_place){NULL, 0}, err);
}

static int value(const ff_expr *expr, uint32_t state) {
  uint8_t stack[64];
  FF_CHECK(expr->depth <= sizeof stack);
  return ff_expr_value(expr, &state, stack);
}

/* ---- a second parser of the grammar: recursive descent that evaluates while it reads ---- */

static int ref_or(const char **at, uint32_t state);

static void past_blanks(const char **at) { *at += strspn(*at, " "); }

static int ref_not(const char **at, uint32_t state) {
  past_blanks(at);
  char c = *(*at)++;
  if (c == '!') return !ref_not(at, state);
  if (c == '0' || c == '1') return c - '0';
  if (c != '(') return (int)((state >> (c - 'A')) & 1u);
  int v = ref_or(at, state);
  past_blanks(at);
  (*at)++;
  return v;
}

static int ref_and(const char **at, uint32_t state) {
  int v = ref_not(at, state);
  for (past_blanks(at); **at == '&'; past_blanks(at)) {
    (*at)++;
    v &= ref_not(at, state);
  }
  return v;
}

static int ref_xor(const char **at, uint32_t state) {
  int v = ref_and(at, state);
  for (past_blanks(at); **at == '^'; past_blanks(at)) {
    (*at)++;
    v ^= ref_and(at, state);
  }
  return v;
}

static int ref_or(const char **at, uint32_t state) {
  int v = ref_xor(at, state);
  for (past_blanks(at); **at == '|'; past_blanks(at)) {
    (*at)++;
    v |= ref_xor(at, state);
  }
  return v;
}

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (uint32_t)(((uint64_t)(*seed >> 8) * below) >> 24);
}

/* A random expression in the first n letters. */
static char *put_random(char *out, uint32_t *seed, uint32_t n, int depth) {
  uint32_t what = depth == 0 ? 0 : draw(seed, 8);
  if (what < 2) {
    *out++ = draw(seed, 12) == 0 ? (char)('0' + draw(seed, 2)) : (char)('A' + draw(seed, n));
  } else if (what == 2) {
    *out++ = '!';
    out = put_random(out, seed, n, 0);
  } else if (what == 3) {
    *out++ = '!';
    *out++ = '(';
    out = put_random(out, seed, n, depth - 1);
    *out++ = ')';
  } else {
    int wrap = draw(seed, 2) == 0;
    if (wrap) *out++ = '(';
    out = put_random(out, seed, n, depth - 1);
    *out++ = ' ';
    *out++ = "&|^"[draw(seed, 3)];
    *out++ = ' ';
    out = put_random(out, seed, n, depth - 1);
    if (wrap) *out++ = ')';
  }
  return out;
}

static int same_code(const ff_expr *a, const ff_expr *b) {
  return a->length == b->length && a->depth == b->depth && memcmp(a->code, b->code, a->length * sizeof *a->code) == 0;
}

static void random_expressions(void) {
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    char text[8192];
    uint32_t n = 1 + draw(&seed, 7);
    *put_random(text, &seed, n, 5) = '\0';
    ff_error err;
    ff_expr expr, again, mapped;
    FF_CHECK_OK(parse(&expr, text, &err), &err);
    uint32_t *parents, n_parents, *table, all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    FF_CHECK_OK(ff_expr_table(&expr, all, n, &table, &err), &err);
    for (uint32_t state = 0; state < 1u << n; state++) {
      const char *at = text;
      int want = ref_or(&at, state);
      FF_CHECK_SAY(value(&expr, state) == want, "%s in state %u", text, state);
      FF_CHECK_SAY((int)((table[state / 32] >> (state % 32)) & 1u) == want, "table of %s in state %u", text, state);
    }
    free(table);

    char *shown;
    FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 1, &err), &err);
    FF_CHECK_OK(parse(&again, shown, &err), &err);
    FF_CHECK_SAY(same_code(&expr, &again), "%s read again from %s", text, shown);
    free(shown);
    ff_expr_free(&again);
    FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 0, &err), &err);
    FF_CHECK(strpbrk(shown, "^{") == NULL && strstr(shown, "!!") == NULL);
    FF_CHECK_OK(parse(&again, shown, &err), &err);
    for (uint32_t state = 0; state < 1u << n; state++)
      FF_CHECK_SAY(value(&expr, state) == value(&again, state), "%s as %s", text, shown);
    free(shown);
    ff_expr_free(&again);

    FF_CHECK_OK(ff_expr_parents(&expr, &parents, &n_parents, &err), &err);
    for (uint32_t i = 0; i < n_parents; i++) {
      FF_CHECK(i == 0 || parents[i] > parents[i - 1]);
      FF_CHECK(strchr(text, 'A' + (int)parents[i]) != NULL);
    }
    free(parents);

    int64_t map[8];
    uint32_t ones = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t how = draw(&seed, 4);
      map[i] = how == 0 ? FF_MAP_0 : how == 1 ? FF_MAP_1 : (int64_t)(n - 1 - i);
      ones |= (uint32_t)(how == 1) << i;
    }
    FF_CHECK_OK(ff_expr_remap(&mapped, &expr, map, &err), &err);
    for (uint32_t state = 0; state < 1u << n; state++) {
      uint32_t old = ones;
      for (uint32_t i = 0; i < n; i++)
        if (map[i] >= 0) old |= ((state >> map[i]) & 1u) << i;
      FF_CHECK_SAY(value(&mapped, state) == value(&expr, old), "%s renamed", text);
    }
    for (uint32_t at = 0; at < mapped.length; at = ff_expr_next(&mapped, at))
      FF_CHECK(FF_X_CODE(mapped.code[at]) != FF_X_CONST || mapped.length == 1);
    ff_expr_free(&mapped);
    ff_expr_free(&expr);
  }
}

static void words_and_signs(void) {
  const char *same[][2] = {{"A & B | C", "a"},
                           {"A and B or C", ""},
                           {"A && B || C", ""},
                           {"(A*B)+C", ""},
                           {"A AND B Or C", ""},
                           {" \t\r\nA&B|C ", ""}};
  ff_error err;
  ff_expr first, expr;
  FF_CHECK_OK(parse(&first, same[0][0], &err), &err);
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    FF_CHECK_OK(parse(&expr, same[i][0], &err), &err);
    FF_CHECK(same_code(&first, &expr));
    ff_expr_free(&expr);
  }
  ff_expr_free(&first);
  FF_CHECK_OK(parse(&expr, "not A xor ~B & TRUE | False", &err), &err);
  for (uint32_t s = 0; s < 4; s++) FF_CHECK(value(&expr, s) == (int)((~s & 1u) ^ ((~s >> 1) & 1u)));
  ff_expr_free(&expr);
  FF_CHECK_OK(parse(&expr, "`A` & \"B\"", &err), &err);
  FF_CHECK(expr.length == 3);
  ff_expr_free(&expr);
}

static void tables(void) {
  ff_error err;
  ff_expr expr, again;
  FF_CHECK_OK(parse(&expr, "!f(C, A, B){0110 1001} | f(D){01}", &err), &err);
  for (uint32_t s = 0; s < 16; s++) { /* C is the most significant bit of the row */
    uint32_t row = ((s >> 2) & 1u) << 2 | (s & 1u) << 1 | ((s >> 1) & 1u);
    FF_CHECK_INT(value(&expr, s), (!("01101001"[row] - '0')) | (int)((s >> 3) & 1u));
  }
  char *shown;
  FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 1, &err), &err);
  FF_CHECK_STR(shown, "!f(C, A, B){01101001} | f(D){01}");
  FF_CHECK_OK(parse(&again, shown, &err), &err);
  FF_CHECK(same_code(&expr, &again));
  free(shown);
  ff_expr_free(&again);
  FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 0, &err), &err);
  FF_CHECK_OK(parse(&again, shown, &err), &err);
  for (uint32_t s = 0; s < 16; s++) FF_CHECK(value(&expr, s) == value(&again, s));
  free(shown);
  ff_expr_free(&again);
  ff_expr_free(&expr);
  FF_CHECK_OK(parse(&expr, "f(){1} & A", &err), &err);
  FF_CHECK_INT(expr.code[0], FF_X_OP(FF_X_CONST, 1));
  ff_expr_free(&expr);
}

/* For tables of every width, the sum of products has the same values, and no part of it can be left out. */
static void sums_of_products(void) {
  uint32_t seed = 7;
  for (uint32_t k = 1; k <= FF_X_MAX_TABLE; k += k < 10 ? 1 : 6) { /* 16 is the last */
    for (int round = 0; round < (k > 10 ? 1 : 12); round++) {
      char *text = calloc(1, (1u << k) + 200), *at = text;
      at += sprintf(at, "f(");
      for (uint32_t i = 0; i < k; i++) at += sprintf(at, i ? ",%c" : "%c", 'A' + (int)i);
      at += sprintf(at, "){");
      /* few ones, because otherwise the sum would be very long */
      uint32_t odds = k > 10 ? 1 : draw(&seed, 9), of = k > 10 ? 512 : 8;
      for (uint32_t row = 0; row < 1u << k; row++) *at++ = draw(&seed, of) < odds ? '1' : '0';
      *at++ = '}';
      ff_error err;
      ff_expr table, sum;
      FF_CHECK_OK(parse(&table, text, &err), &err);
      char *shown;
      FF_CHECK_OK(ff_expr_text(&shown, &table, letters, 0, &err), &err);
      FF_CHECK_OK(parse(&sum, shown, &err), &err);
      uint32_t all[N_LETTERS], *a, *b;
      for (uint32_t i = 0; i < N_LETTERS; i++) all[i] = i;
      FF_CHECK_OK(ff_expr_table(&table, all, k, &a, &err), &err);
      FF_CHECK_OK(ff_expr_table(&sum, all, k, &b, &err), &err);
      FF_CHECK(memcmp(a, b, k <= 5 ? 4 : (size_t)4 << (k - 5)) == 0);
      free(a);
      free(b);
      free(shown);
      free(text);
      ff_expr_free(&table);
      ff_expr_free(&sum);
    }
  }
  ff_error err;
  ff_expr expr;
  char *shown;
  struct {
    const char *text, *want;
  } known[] = {{"f(A,B){0001}", "A & B"},       {"f(A,B){0111}", "B | A"},  {"f(A,B){0011}", "A"},
               {"!f(A,B){0001}", "!B | !A"},   {"f(A){10}", "!A"},         {"f(A,B){0000}", "0"},
               {"!f(A,B){1100}", "A"},        {"f(A,B){1111} | C", "1 | C"},
               {"!!!A", "!A"},                  {"!!(A & B) | C", "A & B | C"}, {"(A ^ B) & C", "(A & !B | !A & B) & C"},
               {"A ^ 1", "!A"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    FF_CHECK_OK(parse(&expr, known[i].text, &err), &err);
    FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 0, &err), &err);
    FF_CHECK_STR(shown, known[i].want);
    free(shown);
    ff_expr_free(&expr);
  }
}

static void remapped_tables(void) {
  ff_error err;
  ff_expr expr, mapped;
  FF_CHECK_OK(parse(&expr, "f(A, B, C){01101001} & D", &err), &err);
  int64_t map[] = {FF_MAP_1, 5, FF_MAP_0, 2}, gone[] = {0, 1, -1, 3};
  FF_CHECK_OK(ff_expr_remap(&mapped, &expr, map, &err), &err);
  char *shown;
  FF_CHECK_OK(ff_expr_text(&shown, &mapped, letters, 1, &err), &err);
  FF_CHECK_STR(shown, "f(F){10} & C");
  free(shown);
  ff_expr_free(&mapped);
  FF_CHECK_FAILS(ff_expr_remap(&mapped, &expr, gone, &err), FF_EMODEL, &err, "node 3");
  ff_expr_free(&mapped);
  ff_expr_free(&expr);
  FF_CHECK_OK(parse(&expr, "f(A, B){0101} | C", &err), &err);
  int64_t one[] = {7, FF_MAP_1, 0};
  FF_CHECK_OK(ff_expr_remap(&mapped, &expr, one, &err), &err);
  FF_CHECK_INT(mapped.length, 1);
  FF_CHECK_INT(mapped.code[0], FF_X_OP(FF_X_CONST, 1));
  ff_expr_free(&mapped);
  ff_expr_free(&expr);
}

/* Nesting that is too deep for recursion. */
static void deep_nesting(void) {
  enum { DEEP = 200000 };
  char *text = malloc(4 * DEEP + 2);
  ff_error err;
  ff_expr expr, again;
  for (int shape = 0; shape < 4; shape++) {
    char *at = text;
    if (shape == 0) { /* ((((A)))) */
      memset(at, '(', DEEP);
      at[DEEP] = 'A';
      memset(at + DEEP + 1, ')', DEEP);
      at[2 * DEEP + 1] = '\0';
    } else if (shape == 1) { /* !!!!A */
      memset(at, '!', DEEP);
      at[DEEP] = 'A';
      at[DEEP + 1] = '\0';
    } else if (shape == 2) { /* A&(A&(A&(A))) */
      for (int i = 0; i < DEEP; i++) at = memcpy(at, "A&(", 3), at += 3;
      *at++ = 'A';
      memset(at, ')', DEEP);
      at[DEEP] = '\0';
    } else { /* (A&!(A&!(... */
      for (int i = 0; i < DEEP / 2; i++) at = memcpy(at, "(A|!", 4), at += 4;
      *at++ = 'A';
      memset(at, ')', DEEP / 2);
      at[DEEP / 2] = '\0';
    }
    FF_CHECK_OK(parse(&expr, text, &err), &err);
    uint8_t *stack = malloc(expr.depth);
    uint32_t state = 1;
    FF_CHECK_INT(ff_expr_value(&expr, &state, stack), 1);
    free(stack);
    char *shown;
    FF_CHECK_OK(ff_expr_text(&shown, &expr, letters, 1, &err), &err);
    FF_CHECK_OK(parse(&again, shown, &err), &err);
    FF_CHECK(same_code(&expr, &again));
    free(shown);
    ff_expr_free(&again);
    ff_expr_free(&expr);
  }
  memset(text, '(', DEEP);
  text[DEEP] = '\0';
  FF_CHECK_FAILS(parse(&expr, text, &err), FF_EPARSE, &err, "found the end at character 200001");
  free(text);
}

static void expression_errors(void) {
  struct {
    const char *text, *want;
  } cases[] = {
      {"", "the expression: found the end at character 1 of \"\" where a node name, 0, 1, \"!\" or \"(\" was expected"},
      {"A &", "the expression: found the end at character 4 of \"A &\" where a node name, 0, 1, \"!\" or \"(\" was expected"},
      {"A & )", "the expression: found \")\" at character 5 of \"A & )\" where a node name, 0, 1, \"!\" or \"(\" was expected"},
      {"A B", "the expression: found \"B\" at character 3 of \"A B\" where an operator (& | ^), \")\" or the end was expected"},
      {"A)", "the expression: found \")\" at character 2 of \"A)\" where an operator (& | ^) or the end was expected"},
      {"(A", "the expression: found the end at character 3 of \"(A\" where \")\" was expected"},
      {"Zoe | A", "no node is called \"Zoe\" (character 1 of \"Zoe | A\")"},
      {"Zoe", "no node is called \"Zoe\""},
      {"A & maj(A, B)",
       "BoolNet's function maj() is not supported (character 5 of \"A & maj(A, B)\"); write it with !, & and |, or as a table"},
      {"any[d=-3..-1](A)",
       "BoolNet's function any() is not supported (character 1 of \"any[d=-3..-1](A)\"); write it with !, & and |, or as a "
       "table"},
      {"A[-2]", "BoolNet's delays, such as A[-2], are not supported (character 2 of \"A[-2]\")"},
      {"A & \"B", "the expression: found \"\"B\" at character 5 of \"A & \"B\" where a closing quote was expected"},
      {"A # B", "the expression: found \"#\" at character 3 of \"A # B\" where an operator (& | ^), \")\" or the end was "
                "expected"},
      {"f(A){0}", "the expression: found \"}\" at character 7 of \"f(A){0}\" where 0 or 1 (a truth table has 2^inputs rows) "
                  "was expected"},
      {"f(A){010}",
       "the expression: found \"0\" at character 8 of \"f(A){010}\" where the \"}\" of a truth table (2^inputs rows) was "
       "expected"},
      {"f(A B){0101}", "the expression: found \"B\" at character 5 of \"f(A B){0101}\" where \",\" or \")\" was expected"},
      {"f(!A){01}", "the expression: found \"!\" at character 3 of \"f(!A){01}\" where the name of an input was expected"},
      {"f(A)", "the expression: found the end at character 5 of \"f(A)\" where the \"{\" of a truth table was expected"},
      {"f(A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A){0}",
       "the expression: found \"A\" at character 35 of \"f(A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A){0}\" where \")\" (a truth "
       "table has at most 16 inputs) was expected"},
      {"A & \x01", "the expression: found \"\\x01\" at character 5 of \"A & \\x01\" where a node name, 0, 1, \"!\" or \"(\" "
                   "was expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_error err = {0};
    ff_expr expr;
    FF_CHECK(parse(&expr, cases[i].text, &err) == FF_EPARSE);
    FF_CHECK_STR(err.text, cases[i].want);
    FF_CHECK(expr.code == NULL);
  }
  ff_error err;
  ff_expr expr;
  ff_place place = {"net.pbn", 12};
  FF_CHECK(ff_expr_parse(&expr, "Q", 1, find_letter, NULL, place, &err) == FF_EPARSE);
  FF_CHECK_STR(err.text, "net.pbn, line 12: no node is called \"Q\"");
}

static void names(void) {
  char *list[] = {"alpha", "beta", "b\xC3\xA9ta", "a b"};
  ff_names *table;
  ff_error err;
  FF_CHECK_OK(ff_names_new(&table, list, 4, "nodes", &err), &err);
  for (int i = 0; i < 4; i++) FF_CHECK_INT(ff_names_find(table, list[i], strlen(list[i])), i);
  FF_CHECK_INT(ff_names_find(table, "alph", 4), -1);
  FF_CHECK_INT(ff_names_find(table, "alphab", 5), 0);
  FF_CHECK_INT(ff_names_find(table, "", 0), -1);
  FF_CHECK_INT(ff_names_find(table, "alpha\0x", 7), -1);
  static const char *const typed[][2] = {{"ALPHA", "alpha"}, {"alpa", "alpha"}, {"alphaa", "alpha"}, {"alfha", "alpha"},
                                         {"lAPHA", "alpha"}, {"A B", "a b"}};
  for (int i = 0; i < 6; i++) FF_CHECK_STR(ff_names_near(table, typed[i][0], strlen(typed[i][0])), typed[i][1]);
  FF_CHECK(ff_names_near(table, "ab", 2) == NULL && ff_names_near(table, "lapah", 5) == NULL);
  FF_CHECK(ff_names_near(table, "gamma", 5) == NULL && ff_names_near(table, "", 0) == NULL);
  /* one edit per three bytes, the nearest name, and the first of several that are equally near */
  char *genes[] = {"complex1", "Complex2", "RasGTP", "NFkB_nucleus"};
  static const char *const meant[][2] = {{"complex22", "Complex2"}, {"complx", "complex1"}, {"cmoplex_2", "Complex2"},
                                         {"complex3", "complex1"}, {"rasgt", "RasGTP"}, {"NFkB_neuclus", "NFkB_nucleus"}};
  for (int i = 0; i < 6; i++) FF_CHECK_STR(ff_name_near(genes, 4, meant[i][0], strlen(meant[i][0])), meant[i][1]);
  FF_CHECK(ff_name_near(genes, 4, "comp", 4) == NULL && ff_name_near(genes, 4, "cmplx", 5) == NULL);
  FF_CHECK(ff_name_near(genes, 0, "RasGTP", 6) == NULL && ff_name_near(genes, 4, "NFkB_nucleus_membrane", 21) == NULL);
  char *big = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  FF_CHECK_STR(ff_name_near(&big, 1, big, 60) == NULL ? "none" : "one", "none"); /* 88 bytes allow 28 edits, but at most 20 */
  FF_CHECK_STR(ff_name_near((char *[]){big + 20}, 1, big, 60), big + 20);
  FF_CHECK(ff_name_near(&big, 1, big, 61) == NULL);
  ff_expr expr;
  FF_CHECK_FAILS(ff_expr_parse(&expr, "beta & Alpha", 12, ff_names_find, table, (ff_place){NULL, 0}, &err), FF_EPARSE, &err,
                 "no node is called \"Alpha\" (character 8 of \"beta & Alpha\"); did you mean \"alpha\"?");
  FF_CHECK_FAILS(ff_expr_parse(&expr, "b\xC3\xA9ta beta", 10, ff_names_find, table, (ff_place){NULL, 0}, &err), FF_EPARSE, &err,
                 "found \"beta\" at character 6"); /* characters are counted, not bytes */
  ff_names_free(table);
  char *twice[] = {"x", "y", "x"};
  FF_CHECK_FAILS(ff_names_new(&table, twice, 3, "nodes", &err), FF_EMODEL, &err, "nodes 1 and 3 have the same name \"x\"");
  FF_CHECK(ff_name_is_plain("CD4-x.1", 7) && ff_name_is_plain("14_3_3", 6) && ff_name_is_plain("android", 7));
  FF_CHECK(!ff_name_is_plain("and", 3) && !ff_name_is_plain("True", 4) && !ff_name_is_plain("1", 1));
  FF_CHECK(!strcmp(ff_name_quote("CD4-x.1"), "") && !strcmp(ff_name_quote("and"), "\"") && !strcmp(ff_name_quote("a\"b"), "`"));
  FF_CHECK(!ff_name_is_plain("a b", 3) && !ff_name_is_plain("-a", 2) && !ff_name_is_plain("", 0));
  FF_CHECK(ff_utf8_valid("\xE2\x82\xAC", 3) && !ff_utf8_valid("\xE2\x82", 2) && !ff_utf8_valid("\xC0\x80", 2) &&
           !ff_utf8_valid("\xED\xA0\x80", 3) && !ff_utf8_valid("\xFF", 1));
  FF_CHECK_STR(ff_quote("a\xFF\n\xC3\xA9", 5).text, "\"a\\xFF\\x0A\xC3\xA9\"");
}

/* A network of n nodes, each with `per` copies of the same predictor, with equal probabilities. */
static ff_pbn *small(uint32_t n, uint32_t per, const char *text) {
  ff_error err;
  ff_pbn *pbn;
  FF_CHECK_OK(ff_pbn_new(&pbn, n, &err), &err);
  for (uint32_t i = 0; i < n; i++) {
    pbn->names[i] = ff_strndup(letters[i], 1);
    pbn->first[i + 1] = pbn->first[i] + per;
  }
  FF_CHECK_OK(ff_pbn_new_predictors(pbn, &err), &err);
  for (uint32_t f = 0; f < n * per; f++) {
    pbn->predictors[f].probability = 1.0 / per;
    FF_CHECK_OK(parse(&pbn->predictors[f].expr, text, &err), &err);
  }
  return pbn;
}

static void roles(void) {
  static const struct {
    const char *rule;
    int held[2]; /* for the initial values 0 and 1 */
    int input;
  } cases[] = {
      {"A", {0, 1}, 1},        {"!!A", {0, 1}, 1},       {"A & A | A", {0, 1}, 1}, {"A & (A | !A)", {0, 1}, 1},
      {"1", {-1, 1}, 0},       {"0", {0, -1}, 0},        {"A | !A", {-1, 1}, 0},   {"!A", {-1, -1}, 0},
      {"f(A){01}", {0, 1}, 1}, {"f(A){10}", {-1, -1}, 0}, {"B", {-1, -1}, 0},       {"A & B", {-1, -1}, 0},
      {"A & (B | !B)", {-1, -1}, 0}, /* names another node */
  };
  ff_error err;
  int8_t held[3];
  uint8_t input[3];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_pbn *pbn = small(3, 1, "B");
    ff_expr_free(&pbn->predictors[0].expr);
    FF_CHECK_OK(parse(&pbn->predictors[0].expr, cases[i].rule, &err), &err);
    FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
    FF_CHECK_OK(ff_pbn_inputs(input, pbn, &err), &err);
    FF_CHECK_SAY(input[0] == cases[i].input, "%s", cases[i].rule);
    FF_CHECK(input[1] == 1 && input[2] == 0);
    for (int value = -1; value <= 1; value++) {
      int want = value < 0 ? -1 : cases[i].held[value];
      pbn->initial[0] = pbn->initial[2] = (int8_t)value;
      for (int p = 0; p <= 1; p++) {
        for (uint8_t perturbed = 0; perturbed <= 1; perturbed++) {
          pbn->perturbation = 0.1 * p;
          pbn->perturbed[0] = perturbed;
          FF_CHECK_OK(ff_pbn_held(held, pbn, &err), &err);
          FF_CHECK_SAY(held[0] == (p && perturbed ? -1 : want), "%s from %d: %d", cases[i].rule, value, held[0]);
          FF_CHECK(held[1] == -1 && held[2] == -1);
        }
      }
    }
    ff_pbn_free(pbn);
  }

  ff_pbn *pbn = small(2, 2, "A"); /* every function must keep the value */
  ff_expr_free(&pbn->predictors[1].expr);
  FF_CHECK_OK(parse(&pbn->predictors[1].expr, "1", &err), &err);
  FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
  FF_CHECK_OK(ff_pbn_inputs(input, pbn, &err), &err);
  FF_CHECK_INT(input[0], 0);
  for (int8_t value = 0; value <= 1; value++) {
    pbn->initial[0] = value;
    FF_CHECK_OK(ff_pbn_held(held, pbn, &err), &err);
    FF_CHECK_INT(held[0], value ? 1 : -1);
  }
  ff_pbn_free(pbn);
}

/* Compares signs with their definition, over all states, for functions of 0 to 7 letters. Each node has two functions. */
static void signs(void) {
  static const char *const functions[] = {"A", "!A", "A ^ B", "A & !B | C", "f(A, B, C){00010111}", "(A | !A) & B", "1",
                                          "A & B & C & D & E & F | !G", "(A ^ G) & F | !E", "!(A & (B | !F)) ^ G & F",
                                          "!A & !B & (C | G)", "f(A){10} | f(B, A){0110}"};
  enum { N = 7, FUNCTIONS = sizeof functions / sizeof functions[0] };
  ff_error err;
  for (uint32_t one = 0; one < FUNCTIONS; one++) {
    for (uint32_t two = 0; two < FUNCTIONS; two++) {
      ff_pbn *pbn = small(N, 2, functions[one]);
      for (uint32_t i = 0; i < N; i++) {
        ff_expr_free(&pbn->predictors[2 * i + 1].expr);
        FF_CHECK_OK(parse(&pbn->predictors[2 * i + 1].expr, functions[two], &err), &err);
      }
      FF_CHECK_OK(ff_pbn_finish(pbn, 1, &err), &err);
      uint32_t from[N * N], to[N * N];
      uint8_t sign[N * N];
      size_t n = 0;
      for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = 0; j < N; j++) {
          if (strchr(functions[one], 'A' + (int)j) == NULL && strchr(functions[two], 'A' + (int)j) == NULL) continue;
          from[n] = j;
          to[n++] = i;
        }
      }
      FF_CHECK_OK(ff_pbn_signs(sign, pbn, from, to, n, &err), &err);
      for (size_t a = 0; a < n; a++) {
        int want = 0;
        for (uint32_t f = 2 * to[a]; f < 2 * to[a] + 2; f++) {
          for (uint32_t state = 0; state < 1u << N; state++) {
            int off = value(&pbn->predictors[f].expr, state & ~(1u << from[a]));
            int on = value(&pbn->predictors[f].expr, state | 1u << from[a]);
            want |= on > off ? FF_SIGN_UP : on < off ? FF_SIGN_DOWN : 0;
          }
        }
        FF_CHECK_SAY(sign[a] == want, "%s, %s: %c has %d, not %d", functions[one], functions[two], 'A' + (int)from[a], sign[a],
                     want);
      }
      ff_pbn_free(pbn);
    }
  }
}

static void finished(void) {
  ff_error err;
  ff_pbn *pbn = small(3, 3, "A & B | B");
  for (uint32_t f = 0; f < 9; f++) pbn->predictors[f].probability = 0.333333;
  pbn->predictors[4].probability = 0.333334;
  FF_CHECK_OK(ff_pbn_finish(pbn, 1, &err), &err);
  double sum = 0, before[9];
  for (uint32_t f = 0; f < 9; f++) {
    before[f] = pbn->predictors[f].probability;
    sum += before[f];
    FF_CHECK_INT(pbn->predictors[f].n_parents, 2);
  }
  FF_CHECK_NEAR(sum, 3.0, 1e-14);
  FF_CHECK_NEAR(ff_pbn_density(pbn), 6.0, 0.0);
  FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err); /* a second call changes no bit */
  for (uint32_t f = 0; f < 9; f++) FF_CHECK(pbn->predictors[f].probability == before[f]);

  pbn->predictors[0].probability = 0.2;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 0, &err), FF_EMODEL, &err, "node \"A\": the probabilities sum to 0.86666");
  FF_CHECK_OK(ff_pbn_finish(pbn, 1, &err), &err);
  pbn->predictors[0].probability = 0.0;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "node \"A\": probability 1 is 0; expected a positive number");
  pbn->predictors[0].probability = NAN;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "expected a positive number");
  pbn->predictors[0].probability = 1.0;

  double wrong[] = {-0.1, 1.0, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    pbn->perturbation = wrong[i];
    FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "expected a number in [0, 1)");
  }
  pbn->perturbation = 0.01;

  FF_CHECK_OK(ff_pbn_new_contexts(pbn, 2, &err), &err);
  pbn->context_probability[0] = 0.25;
  pbn->context_probability[1] = 0.75;
  pbn->context[4] = 2;
  FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
  FF_CHECK(pbn->predictors[1].probability == 1.0);
  pbn->context[4] = 3;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 0, &err), FF_EMODEL, &err,
                 "context 2 selects predictor function 4 of node \"B\", which has 3");
  pbn->context[4] = 2;
  pbn->context_probability[0] = 0.5;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 0, &err), FF_EMODEL, &err, "the contexts: the probabilities sum to 1.25");
  pbn->removed_perturbed = 1;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err,
                 "more removed nodes that can be perturbed (1) than removed nodes in all (0)");
  ff_pbn_free(pbn);
}

static void model_errors(void) {
  ff_error err;
  ff_pbn *pbn = small(2, 1, "A");
  const struct {
    const char *name, *want;
  } cases[] = {{"", "node 2 has no name"},
               {"A", "nodes 1 and 2 have the same name \"A\""},
               {"a\"`", "both a double quote and a backquote"},
               {"a\nb", "has a control character"},
               {"\xC3", "is not valid UTF-8"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    free(pbn->names[1]);
    pbn->names[1] = ff_strndup(cases[i].name, strlen(cases[i].name));
    FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, cases[i].want);
  }
  ff_pbn_free(pbn);
  pbn = small(2, 1, "A");
  pbn->initial[1] = 2;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "the initial value of node 2 is 2; expected 0, 1 or -1 (random)");
  pbn->initial[1] = 0;
  pbn->perturbed[0] = 3;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "the mark of node 1 as perturbed is 3; expected 0 or 1");
  pbn->update = (ff_update)7;
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "the update is 7; expected 0 (synchronous) or 1 (asynchronous)");
  ff_pbn_free(pbn);
  pbn = small(2, 1, "C"); /* names a node that does not exist */
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EINTERNAL, &err, "names node 2 of 2");
  ff_pbn_free(pbn);
  FF_CHECK_OK(ff_pbn_new(&pbn, 0, &err), &err);
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "no nodes");
  ff_pbn_free(pbn);
  FF_CHECK_OK(ff_pbn_new(&pbn, 2, &err), &err);
  FF_CHECK_FAILS(ff_pbn_finish(pbn, 1, &err), FF_EMODEL, &err, "no predictor functions");
  ff_pbn_free(pbn);
  FF_CHECK_FAILS(ff_pbn_new(&pbn, UINT32_MAX, &err), FF_ESIZE, &err, "at most");
  ff_pbn_free(NULL);
}

FF_TEST_MAIN("model", random_expressions, words_and_signs, tables, sums_of_products, remapped_tables, deep_nesting,
             expression_errors, names, roles, signs, finished, model_errors)
