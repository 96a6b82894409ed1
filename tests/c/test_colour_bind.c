/* The search for the bindings of a guard, compared with all combinations of the values of the indices. */
#include "check.h"
#include "colours.h"
#include "random.h"

static colour_net net;

static void with_net(void (*test)(void)) {
  ff_error err = {FF_OK, ""};
  const ff_status status = colour_net_make(&net, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) test();
  colour_net_free(&net);
}

/* ---- trees of random guards --------------------------------------------------------------------------------------------- */

/* Leaves: LEAF_NUMBER has a number, LEAF_NAME the number of a name, LEAF_CONSTANT that of a parameter, and LEAF_INDEX the number
 * of an index and one of its components. Operations have the names of the expressions' codes; a function's operands are its
 * arguments. */
enum { LEAF_NUMBER, LEAF_NAME, LEAF_CONSTANT, LEAF_INDEX, OPERATION, STEP, TUPLES, NEAR, AFTER, TRIED };

typedef struct tree {
  int kind;
  uint32_t code; /* of OPERATION: a code; of STEP: FF_C_NEXT or FF_C_PREVIOUS; of TUPLES: FF_C_EQ or FF_C_NE */
  uint32_t index, component, other;
  int64_t number;
  const struct tree *left, *right;
} tree;

enum { MOST_TREES = 4000, MOST_BOUND = 3 };
static tree trees[MOST_TREES];
static int n_trees;
static uint32_t bound[MOST_BOUND], n_bound; /* the indices of the guard */

static tree *new_tree(int kind, uint32_t code, const tree *left, const tree *right) {
  tree *t = &trees[n_trees < MOST_TREES - 1 ? n_trees++ : n_trees];
  *t = (tree){.kind = kind, .code = code, .left = left, .right = right};
  return t;
}

static uint32_t pick(uint64_t *state, uint32_t n) { return below(state, n); }
static uint32_t width_of(uint32_t index) { return ff_colours_width(net.colours[net.index[index].set]); }

static tree *random_index(uint64_t *state) {
  tree *t = new_tree(LEAF_INDEX, 0, NULL, NULL);
  t->index = bound[pick(state, n_bound)];
  t->component = pick(state, width_of(t->index));
  return t;
}

static tree *random_neighbour(uint64_t *state) {
  tree *t = random_index(state);
  for (uint32_t n = pick(state, 3); n > 0; n--) t = new_tree(STEP, pick(state, 2) ? FF_C_NEXT : FF_C_PREVIOUS, t, NULL);
  return t;
}

static tree *random_number(uint64_t *state, int depth) {
  static const uint32_t binary[] = {FF_C_ADD, FF_C_SUB, FF_C_ADD, FF_C_SUB, FF_C_MUL, FF_C_DIV, FF_C_MOD, FF_C_POW};
  const uint32_t way = pick(state, depth > 0 ? 12 : 6);
  tree *t;
  if (way < 3) return random_neighbour(state);
  if (way < 5) {
    t = new_tree(LEAF_NUMBER, 0, NULL, NULL);
    t->number = (int64_t)pick(state, 10);
    return t;
  }
  if (way == 5) {
    t = new_tree(LEAF_CONSTANT, 0, NULL, NULL);
    t->number = pick(state, 2);
    return t;
  }
  if (way == 6) return new_tree(OPERATION, FF_C_ABS, random_number(state, depth - 1), NULL);
  if (way == 7) return new_tree(AFTER, 0, random_neighbour(state), NULL);
  if (way == 8) { /* a sign before an index means something else */
    const tree *of = random_number(state, depth - 1);
    return new_tree(OPERATION, FF_C_NEG, new_tree(OPERATION, FF_C_ADD, of, random_number(state, 0)), NULL);
  }
  t = new_tree(OPERATION, binary[pick(state, 8)], random_number(state, depth - 1), NULL);
  t->right = random_number(state, depth - 1);
  return t;
}

static tree *random_comparison(uint64_t *state) {
  static const uint32_t codes[] = {FF_C_EQ, FF_C_EQ, FF_C_EQ, FF_C_NE, FF_C_LT, FF_C_LE, FF_C_GT, FF_C_GE};
  tree *t = new_tree(OPERATION, codes[pick(state, 8)], NULL, NULL);
  if (pick(state, 4) == 0) {
    tree *name = new_tree(LEAF_NAME, 0, NULL, NULL);
    name->number = pick(state, COLOUR_NAMED);
    t->left = random_neighbour(state);
    t->right = name;
    return t;
  }
  t->left = random_number(state, 2);
  t->right = random_number(state, 2);
  return t;
}

static tree *random_guard(uint64_t *state, int depth) {
  const uint32_t way = pick(state, depth > 0 ? 12 : 3);
  tree *t;
  if (way < 2) return random_comparison(state);
  if (way == 2) {
    const uint32_t i = bound[pick(state, n_bound)], j = bound[pick(state, n_bound)];
    if (width_of(i) == 1 || width_of(i) != width_of(j)) return random_comparison(state);
    t = new_tree(TUPLES, pick(state, 3) ? FF_C_EQ : FF_C_NE, NULL, NULL);
    t->index = i;
    t->other = j;
    return t;
  }
  if (way == 3) {
    t = new_tree(NEAR, 0, random_number(state, 1), NULL);
    t->right = random_number(state, 1);
    return t;
  }
  if (way == 4) {
    t = new_tree(TRIED, 0, random_number(state, 1), NULL);
    t->right = random_number(state, 1);
    return t;
  }
  if (way == 5) return new_tree(OPERATION, FF_C_NOT, random_guard(state, depth - 1), NULL);
  if (way == 6) return random_number(state, 1);
  t = new_tree(OPERATION, way % 2 == 0 ? FF_C_AND : FF_C_OR, random_guard(state, depth - 1), NULL);
  t->right = random_guard(state, depth - 1);
  return t;
}

/* ---- their texts -------------------------------------------------------------------------------------------------------- */

static char guard_text[1 << 20];
static size_t text_length;

static void put(const char *text) {
  const size_t length = strlen(text);
  if (text_length + length + 1 > sizeof guard_text) return;
  memcpy(guard_text + text_length, text, length + 1);
  text_length += length;
}

static void put_number(int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  put(text);
}

static const char *operator_text(uint32_t code, ff_colour_dialect dialect) {
  switch (code) {
    case FF_C_ADD: return "+";
    case FF_C_SUB: return "-";
    case FF_C_MUL: return "*";
    case FF_C_DIV: return dialect == FF_COLOUR_R ? "%/%" : "/";
    case FF_C_MOD: return dialect == FF_COLOUR_R ? "%%" : "%";
    case FF_C_POW: return "^";
    case FF_C_LT: return "<";
    case FF_C_LE: return "<=";
    case FF_C_GT: return ">";
    case FF_C_GE: return ">=";
    case FF_C_EQ: return dialect == FF_COLOUR_R ? "==" : "=";
    case FF_C_NE: return "!=";
    case FF_C_AND: return "&";
    default: return "|";
  }
}

/* All operations are in parentheses. */
static void write_tree(const tree *t, ff_colour_dialect d) {
  const int r = d == FF_COLOUR_R;
  switch (t->kind) {
    case LEAF_NUMBER: put_number(t->number); return;
    case LEAF_NAME: put("`"); put(colour_names[t->number]); put("`"); return;
    case LEAF_CONSTANT: put(colour_parameters[t->number]); return;
    case LEAF_INDEX:
      put(net.index[t->index].name);
      if (width_of(t->index) == 1) return;
      put(r ? "[" : ":");
      put_number(t->component + 1);
      put(r ? "]" : "");
      return;
    case TUPLES:
      put("(");
      put(net.index[t->index].name);
      put(operator_text(t->code, d));
      put(net.index[t->other].name);
      break;
    case STEP:
      put(t->code == FF_C_NEXT ? (r ? "next(" : "+(") : r ? "previous(" : "-(");
      write_tree(t->left, d);
      break;
    case AFTER:
      put("after(");
      write_tree(t->left, d);
      break;
    case NEAR:
    case TRIED:
      put(t->kind == NEAR ? "near(" : "step(");
      write_tree(t->left, d);
      put(", ");
      write_tree(t->right, d);
      break;
    default:
      if (t->right == NULL) put(t->code == FF_C_ABS ? "abs(" : t->code == FF_C_NOT ? "(!(" : "(-(");
      if (t->right != NULL) put("(");
      write_tree(t->left, d);
      if (t->right == NULL) {
        put(t->code == FF_C_ABS ? "" : ")");
        break;
      }
      put(" ");
      put(operator_text(t->code, d));
      put(" ");
      write_tree(t->right, d);
  }
  put(")");
}

/* ---- their values ------------------------------------------------------------------------------------------------------- */

/* A value, or none. */
typedef struct {
  int has;
  int64_t is;
} maybe;

static const maybe none = {0, 0};
static maybe some(int64_t value) { return (maybe){1, value}; }
static maybe if_number(int64_t value) {
  return value < FF_COLOUR_MOST && value > -FF_COLOUR_MOST ? some(value) : none;
}

static maybe move(const ff_colours *set, maybe x, int by) {
  const uint32_t n = ff_colours_n(set);
  for (uint32_t i = 0; i < n && x.has; i++) {
    int64_t value;
    ff_colours_at(set, i, &value);
    if (value != x.is) continue;
    ff_colours_at(set, (i + n + (uint32_t)by) % n, &value);
    return some(value);
  }
  return none;
}

static maybe calculate(uint32_t code, maybe x, maybe y) {
  if (!x.has || !y.has || !if_number(x.is).has || !if_number(y.is).has) return none;
  if ((code == FF_C_DIV || code == FF_C_MOD) && y.is == 0) return none;
  switch (code) {
    case FF_C_ADD: return if_number(x.is + y.is);
    case FF_C_SUB: return if_number(x.is - y.is);
    case FF_C_DIV: return some(x.is / y.is);
    case FF_C_MOD: return some(x.is % y.is);
    case FF_C_MUL: {
      const long double result = (long double)x.is * (long double)y.is; /* exact below 2^64 */
      return result < (long double)FF_COLOUR_MOST && result > -(long double)FF_COLOUR_MOST ? some(x.is * y.is) : none;
    }
    default: {
      if (y.is < 0) return none;
      if (x.is >= -1 && x.is <= 1) return some(y.is == 0 ? 1 : x.is == -1 && y.is % 2 == 0 ? 1 : x.is);
      maybe result = some(1);
      for (int64_t i = 0; i < y.is && result.has; i++) result = calculate(FF_C_MUL, result, x);
      return result;
    }
  }
}

static maybe decide(uint32_t code, maybe x, maybe y) {
  if (code == FF_C_AND && ((x.has && x.is == 0) || (y.has && y.is == 0))) return some(0);
  if (code == FF_C_OR && ((x.has && x.is != 0) || (y.has && y.is != 0))) return some(1);
  if (!x.has || !y.has) return none;
  const int names = (x.is >= FF_COLOUR_NAMES) + (y.is >= FF_COLOUR_NAMES);
  switch (code) {
    case FF_C_AND: return some(1);
    case FF_C_OR: return some(0);
    case FF_C_EQ: return some(x.is == y.is);
    case FF_C_NE: return some(x.is != y.is);
    case FF_C_LT: return names == 1 ? none : some(x.is < y.is);
    case FF_C_LE: return names == 1 ? none : some(x.is <= y.is);
    case FF_C_GT: return names == 1 ? none : some(x.is > y.is);
    default: return names == 1 ? none : some(x.is >= y.is);
  }
}

static const ff_colours *simple_set(const tree *t) {
  while (t->kind == STEP) t = t->left;
  return ff_colours_component(net.colours[net.index[t->index].set], t->component);
}

static maybe near(maybe x, maybe y) {
  maybe d = calculate(FF_C_SUB, x, y);
  d.is = d.is < 0 ? -d.is : d.is;
  return decide(FF_C_EQ, d, some(1));
}

/* `value` has the components of all indices. */
static maybe evaluate(const tree *t, const int64_t *value) {
  if (t->kind == LEAF_NUMBER) return some(t->number);
  if (t->kind == LEAF_NAME) return some(FF_COLOUR_NAMES + t->number);
  if (t->kind == LEAF_CONSTANT) return some((int64_t)colour_parameter_values[t->number]);
  if (t->kind == LEAF_INDEX) return some(value[net.index[t->index].first + t->component]);
  if (t->kind == TUPLES) {
    int same = 1;
    for (uint32_t k = 0; k < width_of(t->index); k++)
      same &= value[net.index[t->index].first + k] == value[net.index[t->other].first + k];
    return some(t->code == FF_C_EQ ? same : !same);
  }
  const maybe x = evaluate(t->left, value);
  if (t->kind == STEP) return move(simple_set(t->left), x, t->code == FF_C_NEXT ? 1 : -1);
  if (t->kind == AFTER) return move(simple_set(t->left), x, 1);
  if (t->right == NULL) {
    if (!x.has || t->code == FF_C_NOT) return x.has ? some(x.is == 0) : none;
    const maybe number = if_number(x.is);
    return number.has ? some(t->code == FF_C_NEG || x.is < 0 ? -x.is : x.is) : none;
  }
  const maybe y = evaluate(t->right, value);
  if (t->kind == NEAR) return near(x, y);
  if (t->kind == TRIED)
    return decide(FF_C_OR, decide(FF_C_EQ, move(net.colours[0], x, 1), y), near(x, calculate(FF_C_ADD, y, some(3))));
  return t->code <= FF_C_POW ? calculate(t->code, x, y) : decide(t->code, x, y);
}

/* ---- all combinations --------------------------------------------------------------------------------------------------- */

enum { MOST_COMPONENTS = 2 * MOST_BOUND, MOST_BINDINGS = 300000 };
static int64_t bindings[MOST_BINDINGS * MOST_COMPONENTS];

/* Lists the bindings of a tree in `bindings`; returns their number. If there are more than may be tried, returns -1. */
static long list_all(const tree *t) {
  uint32_t n = 0, position[MOST_COMPONENTS] = {0}, component[MOST_COMPONENTS];
  const ff_colours *set[MOST_COMPONENTS];
  int64_t value[32];
  long found = 0;
  double combinations = 1;
  for (uint32_t i = 0; i < n_bound; i++)
    for (uint32_t k = 0; k < width_of(bound[i]); k++) {
      set[n] = ff_colours_component(net.colours[net.index[bound[i]].set], k);
      component[n] = net.index[bound[i]].first + k;
      combinations *= ff_colours_n(set[n++]);
    }
  if (combinations > MOST_BINDINGS) return -1;
  for (;;) {
    int valid = 1;
    for (uint32_t c = 0; c < n; c++) ff_colours_at(set[c], position[c], &value[component[c]]);
    for (uint32_t i = 0; i < n_bound; i++)
      valid &= ff_colours_find(net.colours[net.index[bound[i]].set], &value[net.index[bound[i]].first]) >= 0;
    if (valid) {
      const maybe holds = evaluate(t, value);
      if (holds.has && holds.is != 0) {
        for (uint32_t c = 0; c < n; c++) bindings[found * n + c] = value[component[c]];
        found++;
      }
    }
    uint32_t c = n;
    while (c > 0 && ++position[c - 1] == ff_colours_n(set[c - 1])) position[--c] = 0;
    if (c == 0) return found;
  }
}

/* Searches with steps of this budget and compares with `bindings`. */
static void check_search(const ff_colour_expr *guard, uint64_t budget, long wanted) {
  ff_error err = {FF_OK, ""};
  ff_binder *binder;
  int done = 0;
  FF_CHECK_OK(ff_binder_new(&binder, bound, n_bound, guard, &net.scope, &err), &err);
  if (binder == NULL) return;
  while (!done && ff_binder_step(binder, budget, &done, &err) == FF_OK) continue;
  FF_CHECK(done);
  const size_t bytes = (size_t)wanted * ff_binder_width(binder) * sizeof *bindings;
  const int same = (long)ff_binder_n(binder) == wanted && (bytes == 0 || memcmp(ff_binder_values(binder), bindings, bytes) == 0);
  FF_CHECK_SAY(same, "%ld bindings were expected of %.300s; %lu were found", wanted, guard_text,
               (unsigned long)ff_binder_n(binder));
  FF_CHECK_OK(ff_binder_step(binder, budget, &done, &err), &err); /* nothing is left */
  FF_CHECK(done && (long)ff_binder_n(binder) == wanted);
  ff_binder_free(binder);
}

/* Reads the text of the guard in a dialect, and expands it. */
static int read_guard(ff_colour_expr *out, ff_colour_dialect dialect) {
  ff_error err = {FF_OK, ""};
  ff_colour_expr parsed, again;
  char *text;
  *out = (ff_colour_expr){0};
  const ff_status status = ff_colour_parse(&parsed, guard_text, text_length, dialect, &net.scope, (ff_place){0}, &err);
  FF_CHECK_OK(status, &err);
  if (status != FF_OK) return 0;
  for (int d = 0; d < 2; d++) { /* texts in both dialects give the same code */
    const ff_colour_dialect to = d == 0 ? FF_COLOUR_R : FF_COLOUR_CANDL;
    FF_CHECK_OK(ff_colour_text(&text, &parsed, to, &net.scope, &err), &err);
    FF_CHECK_OK(ff_colour_parse(&again, text, strlen(text), to, &net.scope, (ff_place){0}, &err), &err);
    FF_CHECK_SAY(again.length == parsed.length && memcmp(again.word, parsed.word, again.length * sizeof *again.word) == 0, "%s",
                 text);
    ff_colour_free(&again);
    free(text);
  }
  FF_CHECK_OK(ff_colour_expand(out, &parsed, &net.scope, &err), &err);
  ff_colour_free(&parsed);
  return 1;
}

static void check_random(void) {
  uint64_t state = 37;
  int tried = 0, empty = 0;
  for (int run = 0; tried < 1000; run++) {
    n_trees = 0;
    text_length = 0;
    n_bound = 1 + pick(&state, MOST_BOUND);
    for (uint32_t i = 0; i < n_bound; i++) {
      bound[i] = pick(&state, COLOUR_INDICES);
      for (uint32_t j = 0; j < i; j++)
        if (bound[j] == bound[i]) n_bound = i;
    }
    const tree *t = random_guard(&state, 4);
    const long wanted = list_all(t);
    if (wanted < 0 || n_trees >= MOST_TREES - 1) continue;
    const ff_colour_dialect dialect = run % 2 == 0 ? FF_COLOUR_R : FF_COLOUR_CANDL;
    ff_colour_expr guard;
    write_tree(t, dialect);
    if (read_guard(&guard, dialect)) check_search(&guard, run % 3 == 0 ? 1 : 1000, wanted);
    ff_colour_free(&guard);
    tried++;
    empty += wanted == 0;
  }
  FF_CHECK(empty < 500); /* most guards have bindings */
}
static void random_guards(void) { with_net(check_random); }

/* A list of neighbours, whose parts are found by their positions, in both orders of the indices, and with a third one between. */
static void check_lists(void) {
  static const uint32_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
  uint64_t state = 5;
  for (int run = 0; run < 40; run++) {
    n_trees = 0;
    text_length = 0;
    n_bound = 2 + (uint32_t)run % 2;
    for (uint32_t i = 0; i < n_bound; i++) bound[i] = orders[run % 4][i];
    tree *t = NULL;
    for (int part = 0; part < 30; part++) {
      tree *both = new_tree(OPERATION, FF_C_AND, NULL, NULL), *inner = NULL;
      for (int k = 0; k < 4; k++) {
        tree *equal = new_tree(OPERATION, run % 5 == 0 && k == 3 ? FF_C_LE : FF_C_EQ, random_index(&state), NULL);
        tree *number = new_tree(LEAF_NUMBER, 0, NULL, NULL);
        number->number = (int64_t)pick(&state, 8);
        equal->right = number;
        if (k == 0)
          both->left = equal;
        else
          inner = inner == NULL ? equal : new_tree(OPERATION, FF_C_OR, inner, equal);
      }
      both->right = inner;
      t = t == NULL ? both : new_tree(OPERATION, FF_C_OR, t, both);
    }
    const long wanted = list_all(t);
    ff_colour_expr guard;
    write_tree(t, FF_COLOUR_R);
    if (read_guard(&guard, FF_COLOUR_R)) check_search(&guard, 100, wanted);
    ff_colour_free(&guard);
  }
}
static void lists(void) { with_net(check_lists); }

/* No index, no guard, and an index that the guard does not name. */
static void check_few(void) {
  static const struct {
    const char *text;
    uint32_t n;
    long bindings;
  } cases[] = {{"1 < 2", 0, 1},  {"1 > 2", 0, 0},   {"", 0, 1},     {"", 3, 5 * 7 * 5},
               {"x == 2", 2, 7}, {"y == 2", 3, 25}, {"2 < 1", 3, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    static const uint32_t index[] = {0, 1, 2};
    ff_error err = {FF_OK, ""};
    ff_colour_expr guard = {0};
    ff_binder *binder;
    int done = 0;
    const char *text = cases[i].text;
    if (text[0] != 0)
      FF_CHECK_OK(ff_colour_parse(&guard, text, strlen(text), FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
    FF_CHECK_OK(ff_binder_new(&binder, index, cases[i].n, &guard, &net.scope, &err), &err);
    FF_CHECK(ff_binder_n(binder) == 0 && ff_binder_width(binder) == cases[i].n);
    FF_CHECK_OK(ff_binder_step(binder, UINT32_MAX, &done, &err), &err);
    FF_CHECK_SAY(done && (long)ff_binder_n(binder) == cases[i].bindings, "%s: %lu", text, (unsigned long)ff_binder_n(binder));
    ff_binder_free(binder);
    ff_colour_free(&guard);
  }
  ff_error err = {FF_OK, ""};
  ff_colour_expr guard;
  ff_binder *binder;
  const uint32_t index[] = {1};
  FF_CHECK_OK(ff_colour_parse(&guard, "near(y, n)", 10, FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
  FF_CHECK(ff_binder_new(&binder, index, 1, &guard, &net.scope, &err) == FF_EINTERNAL && binder == NULL); /* it is not expanded */
  ff_colour_free(&guard);
  FF_CHECK_OK(ff_colour_parse(&guard, "x == y", 6, FF_COLOUR_R, &net.scope, (ff_place){0}, &err), &err);
  FF_CHECK(ff_binder_new(&binder, index, 1, &guard, &net.scope, &err) == FF_EINTERNAL && binder == NULL); /* x is not bound */
  ff_colour_free(&guard);
}
static void few(void) { with_net(check_few); }

/* ---- large sets --------------------------------------------------------------------------------------------------------- */

enum { X = 100, Y = 200 };

/* Searches for bindings of x, y, a, b in two ranges. Returns their number; *nodes becomes the nodes of the search. */
static uint64_t count(const char *text, size_t length, const char *order, uint32_t n_x, uint32_t n_y, uint64_t *nodes) {
  int64_t *value = calloc(n_x > n_y ? n_x : n_y, sizeof *value);
  for (uint32_t i = 0; i < n_x || i < n_y; i++) value[i] = i + 1;
  const ff_colour_definition set[] = {{.name = (char *)"X", .value = value, .n_values = n_x},
                                      {.name = (char *)"Y", .value = value, .n_values = n_y}};
  const ff_colour_index index[] = {{(char *)"x", 0, 0}, {(char *)"y", 1, 1}, {(char *)"a", 0, 2}, {(char *)"b", 1, 3}};
  ff_colours *made[2] = {NULL};
  const ff_colour_scope scope = {
      .set = set, .colours = made, .n_sets = 2, .index = index, .n_indices = 4, .subset_of = UINT32_MAX};
  ff_error err = {FF_OK, ""};
  ff_colour_expr guard;
  ff_binder *binder;
  uint32_t which[4], n = 0;
  int done = 0;
  for (const char *o = order; *o != 0; o++)
    for (uint32_t i = 0; i < 4; i++)
      if (index[i].name[0] == *o) which[n++] = i;
  for (uint32_t s = 0; s < 2; s++) FF_CHECK_OK(ff_colours_new(&made[s], s, &scope, &err), &err);
  FF_CHECK_OK(ff_colour_parse(&guard, text, length, FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
  FF_CHECK_OK(ff_binder_new(&binder, which, n, &guard, &scope, &err), &err);
  while (!done && ff_binder_step(binder, 100000, &done, &err) == FF_OK) continue;
  const uint64_t found = ff_binder_n(binder);
  *nodes = ff_binder_nodes(binder);
  ff_binder_free(binder);
  ff_colour_free(&guard);
  for (int s = 0; s < 2; s++) ff_colours_free(made[s]);
  free(value);
  return found;
}

/* Neighbours on a grid, written in several ways. The search visits about as many nodes as there are cells and bindings. */
static void grids(void) {
  static const char *const orders[] = {"xyab", "xayb", "bayx"};
  static const struct {
    const char *guard;
    uint64_t bindings;
  } cases[] = {
      {"abs(x - a) + abs(y - b) == 1", 2 * (X - 1) * Y + 2 * X * (Y - 1)},
      {"(a==x&b==y-1) | (a==x&b==y+1) | (a==x-1&b==y) | (a==x+1&b==y)", 2 * (X - 1) * Y + 2 * X * (Y - 1)},
      {"(a==x-1|a==x|a==x+1) & (b==y-1|b==y|b==y+1) & (!(a==x & b==y))", (3 * X - 2) * (3 * Y - 2) - X * Y},
      {"a==previous(x)&b==previous(y) | a==previous(x)&b==next(y) | a==x&b==next(next(y)) | a==x&b==previous(previous(y)) | "
       "a==next(x)&b==previous(y) | a==next(x)&b==next(y)",
       6 * X * Y}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (size_t o = 0; o < 3; o++) {
      uint64_t nodes;
      const uint64_t found = count(cases[i].guard, strlen(cases[i].guard), orders[o], X, Y, &nodes);
      FF_CHECK_SAY(found == cases[i].bindings, "%s: %lu", cases[i].guard, (unsigned long)found);
      FF_CHECK_SAY(nodes < 2 * (found + X * Y), "%s: %lu nodes", cases[i].guard, (unsigned long)nodes);
    }
}

/* Sums, factors, quotients and distances narrow too. */
static void sums(void) {
  static const struct {
    const char *guard, *order;
    uint64_t bindings, nodes; /* at most */
  } cases[] = {{"x + 2 * y == a", "xya", 2450, 2 * 2450 + X},
               {"3 * x - a == 7", "xa", 33, 33 + X},
               {"abs(x - a) == 50", "xa", 100, 100 + X},
               {"x %/% 10 == 3 & a == x", "xa", 10, 20},
               {"x < y & y < a & a < b & b < 4", "xyab", 0, 0},
               {"x == a & a == y & y == b & b == 5", "xyab", 1, 4},
               {"(x - 7)^2 + (a - 5)^2 <= 2", "xa", 9, 9 + 3},
               {"(x - a)^2 == 49 & x > 50", "xa", 50 + 43, 50 + 2 * 50},
               {"x^3 == 64 | (x - 5)^3 == -8", "x", 2, 2 + X},
               {"!(a != x | y > 1)", "xya", X, 3 * X}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint64_t nodes;
    const uint64_t found = count(cases[i].guard, strlen(cases[i].guard), cases[i].order, X, Y, &nodes);
    FF_CHECK_SAY(found == cases[i].bindings, "%s: %lu", cases[i].guard, (unsigned long)found);
    FF_CHECK_SAY(nodes <= cases[i].nodes, "%s: %lu nodes", cases[i].guard, (unsigned long)nodes);
  }
}

/* A ring of 4,000 nodes with six neighbours each, as a list. */
static void long_list(void) {
  enum { N = 4000 };
  char *text = malloc(N * 200);
  size_t length = 0;
  for (int i = 0; i < N; i++) {
    length += (size_t)sprintf(text + length, "%s(x == %d & (", i > 0 ? " | " : "", i + 1);
    for (int k = 1; k <= 6; k++)
      length += (size_t)sprintf(text + length, "%sa == %d", k > 1 ? " | " : "", (int)((i + (int64_t)k * k * 397) % N) + 1);
    length += (size_t)sprintf(text + length, "))");
  }
  uint64_t nodes;
  FF_CHECK(count(text, length, "xa", N, 1, &nodes) == 6 * N && nodes == 7 * N);
  FF_CHECK(count(text, length, "ax", N, 1, &nodes) == 6 * N && nodes == 7 * N);
  free(text);
}

/* More values are left out than the search keeps apart. */
static void holes(void) {
  char text[Y * 12];
  size_t length = 0;
  uint64_t nodes;
  for (int i = 1; i < Y; i += 2) length += (size_t)sprintf(text + length, "%sy != %d", i > 1 ? " & " : "", i);
  FF_CHECK(count(text, length, "y", X, Y, &nodes) == Y / 2 && nodes < Y);
  FF_CHECK(count(text, length, "xy", X, Y, &nodes) == X * Y / 2 && nodes < X + X * Y);
}

/* An index of a subset visits only what its colours begin with. */
static void sparse(void) {
  int64_t value[Y];
  uint32_t both[] = {0, 0}, cells[] = {1};
  for (int i = 0; i < Y; i++) value[i] = i + 1;
  ff_colour_definition set[] = {{.name = (char *)"X", .value = value, .n_values = Y},
                                {.name = (char *)"XX", .kind = FF_SET_PRODUCT, .part = both, .n_parts = 2},
                                {.name = (char *)"D", .kind = FF_SET_SUBSET, .part = cells, .n_parts = 1}};
  const ff_colour_index index[] = {{(char *)"x", 0, 0}, {(char *)"a", 0, 1}, {(char *)"d", 2, 2}};
  ff_colours *made[3] = {NULL};
  ff_colour_scope scope = {.set = set, .colours = made, .n_sets = 3, .index = index, .n_indices = 3, .subset_of = 1};
  static const char predicate[] = "(x - a) %% 50 == 0 & x %% 10 == 0", text[] = "d[2] > d[1] & x != 7";
  ff_error err = {FF_OK, ""};
  FF_CHECK_OK(ff_colour_parse(&set[2].predicate, predicate, strlen(predicate), FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
  scope.subset_of = UINT32_MAX;
  for (uint32_t s = 0; s < 3; s++) FF_CHECK_OK(ff_colours_new(&made[s], s, &scope, &err), &err);
  FF_CHECK(ff_colours_n(made[2]) == 20 * 4);
  static const struct {
    uint32_t index[2], n;
    uint64_t bindings, nodes;
  } cases[] = {{{2, 0}, 1, 5 * (3 + 2 + 1), 15 + 5 + 30}, {{2, 0}, 2, 30 * 199, 15 + 5 + 30 + 30 * 199}};
  for (int i = 0; i < 2; i++) {
    ff_colour_expr guard;
    ff_binder *binder;
    int done = 0;
    const size_t length = i == 0 ? 11 : strlen(text);
    FF_CHECK_OK(ff_colour_parse(&guard, text, length, FF_COLOUR_R, &scope, (ff_place){0}, &err), &err);
    FF_CHECK_OK(ff_binder_new(&binder, cases[i].index, cases[i].n, &guard, &scope, &err), &err);
    while (!done && ff_binder_step(binder, 50, &done, &err) == FF_OK) continue;
    FF_CHECK(ff_binder_n(binder) == cases[i].bindings);
    FF_CHECK_SAY(ff_binder_nodes(binder) <= cases[i].nodes, "%lu nodes", (unsigned long)ff_binder_nodes(binder));
    ff_binder_free(binder);
    ff_colour_free(&guard);
  }
  ff_colour_free(&set[2].predicate);
  for (int s = 0; s < 3; s++) ff_colours_free(made[s]);
}

/* A guard that does not narrow is tried for all combinations, in steps. */
static void no_narrowing(void) {
  uint64_t nodes, wanted = 0;
  for (int x = 1; x <= X; x++)
    for (int a = 1; a <= X; a++) wanted += x * a % 7 == 3;
  FF_CHECK(count("(x * a) %% 7 == 3", 17, "xa", X, Y, &nodes) == wanted && nodes == X + X * X);
}

/* Parts that are nested more deeply than the search narrows are still right. */
static void nested(void) {
  char text[8000];
  size_t length = 0;
  uint64_t nodes, wanted = 0;
  for (int i = 0; i < 200; i++) length += (size_t)sprintf(text + length, "x == %d | (a >= %d & (", i, i % 50);
  length += (size_t)sprintf(text + length, "a == 99");
  for (int i = 0; i < 400; i++) text[length++] = ')';
  for (int x = 1; x <= X; x++)
    for (int a = 1; a <= X; a++) {
      int holds = a == 99;
      for (int i = 200; i-- > 0;) holds = x == i || (a >= i % 50 && holds);
      wanted += (uint64_t)holds;
    }
  const uint64_t found = count(text, length, "xa", X, Y, &nodes);
  FF_CHECK_SAY(found == wanted, "%lu of %lu", (unsigned long)found, (unsigned long)wanted);
}

FF_TEST_MAIN("bindings", random_guards, lists, few, grids, sums, holes, sparse, long_list, no_narrowing, nested)
