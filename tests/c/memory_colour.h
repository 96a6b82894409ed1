/* Scenarios of test_memory for colours. */
#ifndef FF_TESTS_MEMORY_COLOUR_H
#define FF_TESTS_MEMORY_COLOUR_H

#include "colours.h"
#include "memory_given.h"

static ff_status finds_bindings(const char *text, const ff_colour_scope *scope, ff_error *err) {
  static const uint32_t index[] = {0, 8, 11};
  ff_colour_expr expr = {0}, expanded = {0}, copy = {0};
  char *shown = NULL;
  ff_binder *binder = NULL;
  int done = 0;
  ff_status status = ff_colour_parse(&expr, text, strlen(text), FF_COLOUR_R, scope, (ff_place){0}, err);
  FF_CHECK((status == FF_OK) == (expr.word != NULL));
  if (status == FF_OK) status = ff_colour_copy(&copy, &expr, err);
  if (status == FF_OK) status = ff_colour_text(&shown, &copy, FF_COLOUR_CANDL, scope, err);
  if (status == FF_OK) status = ff_colour_expand(&expanded, &expr, scope, err);
  if (status == FF_OK) status = ff_binder_new(&binder, index, 3, &expanded, scope, err);
  while (status == FF_OK && !done) status = ff_binder_step(binder, 1000, &done, err);
  ff_binder_free(binder);
  ff_colour_free(&expr);
  ff_colour_free(&expanded);
  ff_colour_free(&copy);
  free(shown);
  return status;
}

/* A set for each kind, and guards that need every list of the search. */
static ff_status uses_colours(ff_error *err) {
  static const char list[] =
      "p[1] == 1 & p[2] == 1 | p[1] == 2 & p[2] == 3 | p[1] == 4 & p[2] == 1 | p[1] == 5 & p[2] == 5 | "
      "p[1] == 3 & p[2] == 2 | p[1] == 2 & p[2] == 7 | p[1] == 1 & p[2] == 6 | p[1] == 5 & p[2] == 1 | x > p[2]";
  static const char functions[] = "step(x, p[1] + 1) & (near(p[2], x) | v[1] == red | !(v[2] != next(p[1])) & x != 3)";
  static colour_net net;
  ff_status status = colour_net_make(&net, err);
  if (status == FF_OK) status = finds_bindings(functions, &net.scope, err);
  if (status == FF_OK) status = finds_bindings(list, &net.scope, err);
  colour_net_free(&net);
  return status;
}

/* So many names that there is a table of them. */
static ff_status names_many_colours(ff_error *err) {
  enum { N = 20 };
  char text[8 * N], name[N][16], *names[N];
  size_t length = 0;
  for (int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "n%d", i);
    names[i] = name[i];
    length += (size_t)snprintf(text + length, sizeof text - length, "%sn%d", i > 0 ? " | " : "", i);
  }
  ff_colour_expr expr;
  const ff_colour_scope scope = {.colour = names, .n_colours = N, .subset_of = UINT32_MAX};
  const ff_status status = ff_colour_parse(&expr, text, length, FF_COLOUR_R, &scope, (ff_place){0}, err);
  ff_colour_free(&expr);
  return status;
}

#endif
