/* Random coloured Petri nets with every construct. */
#ifndef FF_TESTS_PETRI_RANDOM_H
#define FF_TESTS_PETRI_RANDOM_H

#include "petri_nets.h"
#include "random.h"

/* Texts of colours, with the indices that they name as letters. */
typedef struct {
  const char *text, *indices;
} random_text;

static const random_text random_x[] = {
    {"x", "x"}, {"a", "a"},     {"x + 1", "x"},      {"a - 1", "a"},       {"next(x)", "x"}, {"previous(next(a))", "a"},
    {"1", ""},  {"m", ""},      {"x %% 2 + 1", "x"}, {"abs(x - a)", "xa"}, {"c[1]", "c"},    {"u", "u"},
    {"2", ""},  {"x * a", "xa"}};
static const random_text random_y[] = {{"y", "y"}, {"1 - y", "y"}, {"next(y)", "y"}, {"0", ""}, {"c[2]", "c"}, {"y + m", "y"}};
static const random_text random_e[] = {{"e", "e"}, {"f", "f"}, {"next(e)", "e"}, {"previous(f)", "f"}, {"ra", ""}, {"rc", ""}};
static const random_text random_u[] = {{"u", "u"}, {"next(u)", "u"}, {"x", "x"}, {"5", ""}, {"x + 4", "x"}, {"6", ""}};
static const random_text random_guards[] = {{"x == a", "xa"},
                                            {"x != a", "xa"},
                                            {"abs(x - a) <= 1", "xa"},
                                            {"near(x, a)", "xa"},
                                            {"next(x) == a", "xa"},
                                            {"e == f", "ef"},
                                            {"e != ra", "e"},
                                            {"y == 1", "y"},
                                            {"x + y > 2", "xy"},
                                            {"u == 5", "u"},
                                            {"c[1] == x", "cx"},
                                            {"!(x == a)", "xa"},
                                            {"(x == 1 | a == 1)", "xa"},
                                            {"x > m", "x"},
                                            {"u %% 2 == 1", "u"},
                                            {"c[1] + c[2] > 1", "c"},
                                            {"x < 0", "x"},
                                            {"m == 1", ""}};
static const random_text random_numbers[] = {{"k", ""},  {"m", ""},     {"0.5", ""},  {"2", ""}, {"x", "x"}, {"y", "y"},
                                             {"u", "u"}, {"c[1]", "c"}, {"time", ""}, {"v", ""}, {"w", ""}};

#define PICK(list) pick(s, list, sizeof(list) / sizeof *(list), allowed)

/* One of the texts whose indices are all allowed. */
static inline const char *pick(uint64_t *s, const random_text *list, size_t n, const char *allowed) {
  for (;;) {
    const random_text *t = &list[below(s, (uint32_t)n)];
    if (strspn(t->indices, allowed) == strlen(t->indices)) return t->text;
  }
}

static const struct {
  const char *name, *set;
  int continuous, fixed;
} random_places[] = {{"A", NULL, 0, 0}, {"B", NULL, 1, 0}, {"PX", "X", 0, 0}, {"CX", "X", 1, 0},
                     {"PE", "E", 0, 0}, {"PP", "P", 0, 0}, {"CP", "P", 1, 0}, {"PQ", "Q", 0, 0},
                     {"CS", "S", 1, 0}, {"PU", "U", 0, 0}, {"PT", "T", 0, 0}, {"F", "X", 0, 1}};
enum { RANDOM_PLACES = sizeof random_places / sizeof *random_places };

/* The text of an element of a place. */
static inline void random_element(uint64_t *s, uint32_t p, const char *allowed, char *text, size_t size) {
  const char set = random_places[p].set == NULL ? ' ' : random_places[p].set[0];
  const char *name = random_places[p].name;
  if (set == ' ') snprintf(text, size, "%s", name);
  if (set == 'X') snprintf(text, size, "%s[%s]", name, PICK(random_x));
  if (set == 'E') snprintf(text, size, "%s[%s]", name, PICK(random_e));
  if (set == 'U') snprintf(text, size, "%s[%s]", name, PICK(random_u));
  if (set == 'Q' || set == 'S') snprintf(text, size, "%s[%s, %s]", name, PICK(random_x), PICK(random_x));
  if (set == 'P' && strchr(allowed, 'c') != NULL && below(s, 2) == 0) snprintf(text, size, "%s[c]", name);
  else if (set == 'P') snprintf(text, size, "%s[%s,%s]", name, PICK(random_x), PICK(random_y));
  if (set == 'T') snprintf(text, size, "%s[%s,%s,%s]", name, PICK(random_x), PICK(random_y), PICK(random_e));
}

/* A formula of a few terms. */
static inline void random_formula(uint64_t *s, const char *allowed, int weight, char *text, size_t size) {
  size_t used = 0;
  const uint32_t terms = 1 + below(s, 3);
  for (uint32_t i = 0; i < terms; i++) {
    char term[100];
    const uint32_t p = below(s, RANDOM_PLACES), kind = below(s, weight ? 3 : 4);
    const char *number = PICK(random_numbers);
    if (weight) {
      while (strcmp(number, "time") == 0 || strcmp(number, "v") == 0 || strcmp(number, "w") == 0) number = PICK(random_numbers);
    }
    if (kind == 2) random_element(s, p, allowed, term, sizeof term);
    else if (kind == 3) snprintf(term, sizeof term, "sum(%s)", random_places[p].name);
    else snprintf(term, sizeof term, "%s", number);
    used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : below(s, 2) == 0 ? " + " : " * ", term);
  }
}

static inline void random_guard(uint64_t *s, const char *allowed, char *text, size_t size) {
  size_t used = 0;
  const uint32_t terms = 1 + below(s, 3);
  for (uint32_t i = 0; i < terms; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s",
                             i == 0             ? ""
                             : below(s, 3) == 0 ? " | "
                                                : " & ",
                             PICK(random_guards));
}

/* A side of an equation; places of flows are continuous or fixed. */
static inline void random_side(uint64_t *s, const char *allowed, int flow, int mass_action, char *text, size_t size) {
  size_t used = 0;
  const uint32_t terms = below(s, 4);
  text[0] = '\0';
  for (uint32_t i = 0; i < terms; i++) {
    char weight[300] = "", element[100], formula[200];
    uint32_t p = below(s, RANDOM_PLACES);
    while (flow && !random_places[p].continuous && !random_places[p].fixed) p = below(s, RANDOM_PLACES);
    const uint32_t kind = below(s, 6);
    random_element(s, p, allowed, element, sizeof element);
    if (kind == 0) snprintf(weight, sizeof weight, "%u ", 2 + below(s, 2));
    if (kind == 1 && !mass_action) {
      random_formula(s, allowed, 1, formula, sizeof formula);
      snprintf(weight, sizeof weight, "(%s) ", formula);
    }
    used += (size_t)snprintf(text + used, size - used, "%s%s%s", i > 0 ? " + " : "", weight, element);
  }
}

static inline void random_tests(uint64_t *s, const char *allowed, char *text, size_t size) {
  size_t used = 0;
  const uint32_t terms = 1 + below(s, 3);
  for (uint32_t i = 0; i < terms; i++) {
    static const char *const operators[] = {">=", "<", "=="};
    char element[100], weight[200];
    const uint32_t p = below(s, RANDOM_PLACES);
    const char *operator = operators[below(s, random_places[p].continuous ? 2 : 3)];
    random_element(s, p, allowed, element, sizeof element);
    if (below(s, 3) == 0) random_formula(s, allowed, 1, weight, sizeof weight);
    else snprintf(weight, sizeof weight, "%u", below(s, 4));
    if (operator[0] == '<' && strcmp(weight, "0") == 0) operator = ">="; /* "< 0" never holds, and is refused */
    used += (size_t)snprintf(text + used, size - used, "%s%s %s %s", i > 0 ? " & " : "", element, operator, weight);
  }
}

static inline ff_status random_transition(uint64_t *s, ff_petri *net, uint32_t number, ff_error *err) {
  static const char *const lists[] = {"xa", "xy", "ef", "xae", "c", "cx", "u", "xu", "xaef", "", "y", "xye"};
  const char *allowed = lists[below(s, 12)];
  const ff_petri_kind kind = (ff_petri_kind)below(s, FF_PETRI_KINDS_COUNT);
  const int flow = kind == FF_PETRI_CONTINUOUS, mass_action = below(s, 3) == 0;
  char name[20], equation[2][1600], whole[3300], text[2000];
  uint32_t t;
  int both;
  snprintf(name, sizeof name, "t%u", number);
  for (int i = 0; i < 2; i++) random_side(s, allowed, flow, mass_action, equation[i], sizeof equation[i]);
  snprintf(whole, sizeof whole, "%s -> %s", equation[0], equation[1]);
  ff_status status = ff_petri_add_transition(net, name, kind, &t, err);
  if (status == FF_OK) status = ff_petri_equation(net, t, whole, 0, &both, petri_nowhere, err);
  if (status == FF_OK && below(s, 3) > 0) {
    random_guard(s, allowed, text, sizeof text);
    status = ff_petri_guard(net, t, text, FF_COLOUR_R, petri_nowhere, err);
  }
  if (status == FF_OK && below(s, 2) == 0) {
    random_tests(s, allowed, text, sizeof text);
    status = ff_petri_tests(net, t, text, petri_nowhere, err);
  }
  if (status == FF_OK && !flow && below(s, 4) == 0) {
    random_element(s, below(s, RANDOM_PLACES - 1), allowed, text, sizeof text);
    status = ff_petri_resets(net, t, text, petri_nowhere, err);
  }
  if (kind == FF_PETRI_SCHEDULED) {
    if (status == FF_OK) status = ff_petri_at(net, t, 0, "k + 1", petri_nowhere, err);
    if (status == FF_OK && below(s, 2) == 0) status = ff_petri_at(net, t, 1, "m", petri_nowhere, err);
    return status == FF_OK && below(s, 2) == 0 ? ff_petri_at(net, t, 2, "10", petri_nowhere, err) : status;
  }
  const uint32_t pieces = 1 + (below(s, 3) == 0 ? below(s, 3) : 0);
  for (uint32_t i = 0; i < pieces && status == FF_OK; i++) {
    char when[300];
    random_guard(s, allowed, when, sizeof when);
    random_formula(s, allowed, 0, text, sizeof text);
    status = ff_petri_number(net, t, pieces > 1 || below(s, 6) == 0 ? when : NULL, below(s, 12) == 0 ? "0" : text, mass_action,
                             petri_nowhere, err);
  }
  return status;
}

static inline ff_status random_markings(uint64_t *s, ff_petri *net, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < 6 && status == FF_OK; i++) {
    const uint32_t p = below(s, RANDOM_PLACES);
    const char set = random_places[p].set == NULL ? ' ' : random_places[p].set[0];
    const char *allowed = set == 'E'                 ? "e"
                          : set == 'U'               ? "u"
                          : set == 'X'               ? "x"
                          : set == 'Q' || set == 'S' ? "xa"
                          : set == ' '               ? ""
                                                     : "xy";
    static const random_text values[] = {{"3", ""},       {"x + 2", "x"}, {"2 * m", ""}, {"x * a", "xa"},
                                         {"x + y", "xy"}, {"u", "u"},     {"y", "y"}};
    char element[100], when[300];
    random_element(s, p, allowed, element, sizeof element);
    random_guard(s, allowed, when, sizeof when);
    const int all = below(s, 2) == 0, guarded = below(s, 3) == 0;
    if (!all && strchr(element, '[') != NULL && strpbrk(strchr(element, '['), "xayuef") == NULL) continue; /* it may not exist */
    status = ff_petri_add_marking(net, all ? random_places[p].name : element, guarded ? when : NULL, PICK(values),
                                  (int)below(s, 2), petri_nowhere, err);
  }
  return status;
}

static inline ff_status random_sets(uint64_t *s, ff_petri *net, ff_error *err) {
  const int64_t numbers[] = {1, 2, 3}, ys[] = {0, 1}, zs[] = {5, 8, 7};
  static const char *const names[] = {"ra", "rb", "rc"};
  static const char *const arguments[] = {"p", "q"};
  static const char *const indices[][2] = {{"x", "X"}, {"a", "X"}, {"y", "Y"}, {"e", "E"}, {"f", "E"}};
  int64_t colour[3];
  ff_status status = ff_petri_add_values(net, "X", numbers, 2 + below(s, 2), err);
  if (status == FF_OK) status = ff_petri_add_values(net, "Y", ys, 2, err);
  if (status == FF_OK) status = ff_petri_add_values(net, "Z", zs, 3, err);
  for (int i = 0; i < 3 && status == FF_OK; i++) status = ff_petri_add_colour(net, names[i], &colour[i], err);
  if (status == FF_OK) status = ff_petri_add_values(net, "E", colour, 3, err);
  for (int i = 0; i < 5 && status == FF_OK; i++) status = ff_petri_add_index(net, indices[i][0], indices[i][1], err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "P", "X * Y", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "Q", "X * X", petri_nowhere, err);
  if (status == FF_OK)
    status = ff_petri_add_set_text(net, "S", below(s, 2) == 0 ? "Q[x >= a]" : "Q[x == 1 | a == 1]", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "U", "X + Z", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "T", "P * E", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_index(net, "c", "P", err);
  if (status == FF_OK) status = ff_petri_add_index(net, "u", "U", err);
  if (status == FF_OK)
    status = ff_petri_add_function(net, "near", arguments, NULL, 2, "abs(p - q) == m", FF_COLOUR_R, petri_nowhere, err);
  return status;
}

/* Makes a net. FF_EMODEL if it breaks a rule on what may join what. */
static inline ff_status random_petri(ff_petri **out, uint64_t *s, ff_error *err) {
  ff_status status = ff_petri_new(out, err);
  ff_petri *net = *out;
  if (status == FF_OK) status = ff_petri_add_parameter(net, "k", 0.75, err);
  if (status == FF_OK) status = ff_petri_add_parameter(net, "m", 1, err);
  if (status == FF_OK) status = random_sets(s, net, err);
  for (uint32_t p = 0; p < RANDOM_PLACES && status == FF_OK; p++) {
    const char *set = random_places[p].set;
    status = ff_petri_add_place(net, random_places[p].name, set == NULL ? FF_PETRI_NONE : ff_petri_set_number(net, set, 1),
                                random_places[p].continuous, random_places[p].fixed, err);
  }
  if (status == FF_OK) status = ff_petri_add_variable(net, "v", err);
  if (status == FF_OK) status = ff_petri_add_variable(net, "w", err);
  if (status == FF_OK) status = ff_petri_variable_text(net, 0, "k * sum(PQ) + CX[2]", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_variable_text(net, 1, "v + PE[rb] + time", petri_nowhere, err);
  if (status == FF_OK) status = random_markings(s, net, err);
  const uint32_t n = 4 + below(s, 6);
  for (uint32_t t = 0; t < n && status == FF_OK; t++) status = random_transition(s, net, t, err);
  return status == FF_OK ? ff_petri_finish(net, err) : status;
}

#endif
