/* make fuzz: expressions of colours. The first byte chooses the dialect and what is parsed: a guard, the value of a function, or
 * the predicate of a subset. What is parsed is written and parsed again in both dialects; a guard is searched, and the bindings
 * are compared with all combinations if there are few. */
#include "../../src/base/ff_names.h"
#include "../c/colours.h"
#include "fuzz.h"

static const colour_net *the_net(void) {
  static colour_net net;
  static int made;
  ff_error err = {FF_OK, ""};
  if (!made) MUST(colour_net_make(&net, &err) == FF_OK, err.text);
  made = 1;
  return &net;
}

static int same_code(const ff_colour_expr *x, const ff_colour_expr *y) {
  if (x->length != y->length || x->depth != y->depth) return 0;
  for (uint32_t i = 0; i < x->length; i++)
    if (x->word[i].code != y->word[i].code || x->word[i].of != y->word[i].of || x->word[i].value != y->word[i].value) return 0;
  return 1;
}

static void check_text(const ff_colour_expr *expr, ff_colour_dialect dialect, const ff_colour_scope *scope) {
  ff_error err = {FF_OK, ""};
  ff_colour_expr again;
  char *text;
  MUST(ff_colour_text(&text, expr, dialect, scope, &err) == FF_OK, err.text);
  MUST(ff_colour_parse(&again, text, strlen(text), dialect, scope, (ff_place){"text", 1}, &err) == FF_OK, err.text);
  MUST(same_code(expr, &again), text);
  ff_colour_free(&again);
  free(text);
}

enum { MOST_TRIED = 2000, STEPS = 20000 };

/* Compares the bindings with all combinations of positions. */
static void check_bindings(const ff_colour_expr *guard, const uint32_t *index, uint32_t n_indices, const ff_binder *binder) {
  const colour_net *net = the_net();
  const ff_colours *set[2 * COLOUR_INDICES];
  uint32_t component[2 * COLOUR_INDICES], position[2 * COLOUR_INDICES] = {0}, n = 0;
  int64_t value[2 * COLOUR_INDICES] = {0}, holds, *stack = malloc((guard->depth + 1) * sizeof *stack);
  uint64_t found = 0;
  for (uint32_t i = 0; i < n_indices; i++)
    for (uint32_t k = 0; k < ff_colours_width(net->colours[net->index[index[i]].set]); k++) {
      set[n] = ff_colours_component(net->colours[net->index[index[i]].set], k);
      component[n++] = net->index[index[i]].first + k;
    }
  for (;;) {
    int valid = 1;
    for (uint32_t c = 0; c < n; c++) ff_colours_at(set[c], position[c], &value[component[c]]);
    for (uint32_t i = 0; i < n_indices; i++)
      valid &= ff_colours_find(net->colours[net->index[index[i]].set], &value[net->index[index[i]].first]) >= 0;
    if (valid && ff_colour_value(&holds, guard, &net->scope, value, stack) && holds != 0) {
      MUST(found < ff_binder_n(binder), "a binding is missing");
      for (uint32_t c = 0; c < n; c++) MUST(ff_binder_values(binder)[found * n + c] == value[component[c]], "another binding");
      found++;
    }
    uint32_t c = n;
    while (c > 0 && ++position[c - 1] == ff_colours_n(set[c - 1])) position[--c] = 0;
    if (c == 0) break;
  }
  MUST(found == ff_binder_n(binder), "a binding is wrong");
  free(stack);
}

static void search(const ff_colour_expr *guard, int reverse) {
  const colour_net *net = the_net();
  ff_error err = {FF_OK, ""};
  uint32_t index[COLOUR_INDICES], n = 0;
  double combinations = 1;
  for (uint32_t i = 0; i < COLOUR_INDICES; i++) {
    const uint32_t at = reverse ? COLOUR_INDICES - 1 - i : i, first = net->index[at].first;
    const ff_colours *set = net->colours[net->index[at].set];
    int named = 0;
    for (uint32_t w = 0; w < guard->length; w++)
      named |=
          guard->word[w].code == FF_C_INDEX && guard->word[w].of >= first && guard->word[w].of - first < ff_colours_width(set);
    if (!named) continue;
    index[n++] = at;
    for (uint32_t k = 0; k < ff_colours_width(set); k++) combinations *= ff_colours_n(ff_colours_component(set, k));
  }
  ff_binder *binder;
  int done = 0;
  MUST(ff_binder_new(&binder, index, n, guard, &net->scope, &err) == FF_OK, err.text);
  MUST(ff_binder_step(binder, 1, &done, &err) == FF_OK, err.text);
  if (!done) MUST(ff_binder_step(binder, combinations > MOST_TRIED ? STEPS : UINT64_MAX / 2, &done, &err) == FF_OK, err.text);
  if (combinations <= MOST_TRIED) {
    MUST(done, "the search does not end");
    check_bindings(guard, index, n, binder);
  }
  ff_binder_free(binder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const ff_colour_dialect dialect = data[0] & 1 ? FF_COLOUR_CANDL : FF_COLOUR_R;
  ff_colour_scope scope = the_net()->scope;
  const int kind = data[0] >> 1 & 3;
  if (kind == 1) scope.within = &the_net()->function[2];
  if (kind == 2) scope.subset_of = data[0] & 8 ? 5 : 9;
  ff_error err = {FF_OK, ""};
  ff_colour_expr expr, expanded;
  const ff_status status =
      ff_colour_parse(&expr, (const char *)data + 1, size - 1, dialect, &scope, (ff_place){"net", 1}, &err);
  if (status != FF_OK) {
    MUST(expr.word == NULL, "an expression remains");
    must_explain(status, &err, 0);
    return 0;
  }
  check_text(&expr, FF_COLOUR_R, &scope);
  check_text(&expr, FF_COLOUR_CANDL, &scope);
  const ff_status expands = kind == 1 ? FF_EMODEL : ff_colour_expand(&expanded, &expr, &scope, &err);
  if (expands == FF_OK) {
    if (kind != 2) search(&expanded, data[0] & 16);
    ff_colour_free(&expanded);
  } else {
    MUST(expands == FF_EMODEL || expands == FF_ESIZE, err.text);
  }
  ff_colour_free(&expr);
  return 0;
}
