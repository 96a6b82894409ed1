/* A net's sets, indices, functions and parameters, for tests of colours. */
#ifndef FF_TESTS_COLOURS_H
#define FF_TESTS_COLOURS_H

#include <stdlib.h>
#include <string.h>

#include "../../src/model/petri/ff_colour.h"

enum { COLOUR_SETS = 12, COLOUR_INDICES = 14, COLOUR_FUNCTIONS = 4, COLOUR_PARAMETERS = 4, COLOUR_NAMED = 4 };

typedef struct {
  ff_colour_definition set[COLOUR_SETS];
  ff_colours *colours[COLOUR_SETS];
  ff_colour_index index[COLOUR_INDICES];
  ff_colour_function function[COLOUR_FUNCTIONS];
  ff_colour_scope scope;
  uint32_t n_components;
} colour_net;

static char *const colour_names[COLOUR_NAMED] = {(char *)"red", (char *)"green", (char *)"blue", (char *)"light grey"};
static char *const colour_parameters[COLOUR_PARAMETERS] = {(char *)"n", (char *)"k", (char *)"half", (char *)"big"};
static const double colour_parameter_values[COLOUR_PARAMETERS] = {3, -2, 2.5, 1e13};

#define NAMED(i) (FF_COLOUR_NAMES + (i))
static int64_t colour_x[] = {1, 2, 3, 4, 5}, colour_y[] = {1, 2, 3, 4, 5, 6, 7}, colour_c[] = {NAMED(0), NAMED(1), NAMED(2)};
static int64_t colour_g[] = {1, 3, 7, 8, -2}, colour_m[] = {2, NAMED(0), 5, NAMED(3)};
static uint32_t parts_cell[] = {0, 1}, parts_first[] = {5}, parts_rainbow[] = {2, 0}, parts_union[] = {6, 5}, parts_x[] = {0};
static uint32_t parts_mixed[] = {5, 8}, parts_even[] = {10};

static const ff_colour_definition colour_sets[COLOUR_SETS] = {
    {.name = (char *)"X", .kind = FF_SET_VALUES, .value = colour_x, .n_values = 5},
    {.name = (char *)"Y", .kind = FF_SET_VALUES, .value = colour_y, .n_values = 7},
    {.name = (char *)"C", .kind = FF_SET_VALUES, .value = colour_c, .n_values = 3},
    {.name = (char *)"G", .kind = FF_SET_VALUES, .value = colour_g, .n_values = 5},
    {.name = (char *)"M", .kind = FF_SET_VALUES, .value = colour_m, .n_values = 4},
    {.name = (char *)"Cell", .kind = FF_SET_PRODUCT, .part = parts_cell, .n_parts = 2},
    {.name = (char *)"Part", .kind = FF_SET_SUBSET, .part = parts_first, .n_parts = 1},
    {.name = (char *)"Both", .kind = FF_SET_UNION, .part = parts_union, .n_parts = 2},
    {.name = (char *)"Paint", .kind = FF_SET_PRODUCT, .part = parts_rainbow, .n_parts = 2},
    {.name = (char *)"Mixed", .kind = FF_SET_UNION, .part = parts_mixed, .n_parts = 2},
    {.name = (char *)"Odd", .kind = FF_SET_SUBSET, .part = parts_x, .n_parts = 1},
    {.name = (char *)"Most", .kind = FF_SET_SUBSET, .part = parts_even, .n_parts = 1},
};
static const struct {
  uint32_t set;
  const char *text;
} colour_predicates[] = {{6, "x %% 2 == y %% 2 | x == next(x) | y > 2 * n"}, {10, "x %% 2 == 1"}, {11, "x > 1"}};

static const struct {
  const char *name;
  uint32_t set;
} colour_indices[COLOUR_INDICES] = {{"x", 0}, {"y", 1}, {"a", 0}, {"b", 1}, {"c", 2},  {"d", 2},   {"g", 3},
                                    {"m", 4}, {"p", 5}, {"q", 6}, {"u", 7}, {"v", 9}, {"odd", 10}, {"most", 11}};

static char *colour_arguments[] = {(char *)"x", (char *)"s", (char *)"t"};
static uint32_t colour_argument_sets[] = {0, UINT32_MAX, UINT32_MAX};
static const struct {
  const char *name, *text;
  int first, n; /* arguments */
} colour_functions[COLOUR_FUNCTIONS] = {{"near", "abs(s - t) == 1", 1, 2},
                                        {"after", "next(s)", 1, 1},
                                        {"step", "next(x) == s | near(x, s + n)", 0, 2},
                                        {"one", "1", 0, 0}};

static inline void colour_net_free(colour_net *net) {
  for (int s = COLOUR_SETS; s-- > 0;) {
    ff_colours_free(net->colours[s]);
    ff_colour_free(&net->set[s].predicate);
  }
  for (int f = 0; f < COLOUR_FUNCTIONS; f++) ff_colour_free(&net->function[f].value);
}

/* Makes the net; `net` is large, so the caller has it. The caller frees its contents, also after a failure. */
static inline ff_status colour_net_make(colour_net *net, ff_error *err) {
  memset(net, 0, sizeof *net);
  memcpy(net->set, colour_sets, sizeof colour_sets);
  ff_colour_scope *scope = &net->scope;
  *scope = (ff_colour_scope){.set = net->set, .colours = net->colours, .n_sets = COLOUR_SETS, .colour = colour_names,
                             .n_colours = COLOUR_NAMED, .function = net->function, .index = net->index,
                             .n_indices = COLOUR_INDICES, .parameter = colour_parameters, .value = colour_parameter_values,
                             .n_parameters = COLOUR_PARAMETERS, .subset_of = UINT32_MAX};
  static const uint32_t widths[COLOUR_SETS] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1};
  for (int i = 0; i < COLOUR_INDICES; i++) {
    net->index[i] = (ff_colour_index){(char *)colour_indices[i].name, colour_indices[i].set, net->n_components};
    net->n_components += widths[colour_indices[i].set];
  }
  ff_status status = FF_OK;
  for (uint32_t f = 0; f < COLOUR_FUNCTIONS && status == FF_OK; f++) {
    ff_colour_function *to = &net->function[f];
    *to = (ff_colour_function){.name = (char *)colour_functions[f].name, .argument = colour_arguments + colour_functions[f].first,
                               .set = colour_argument_sets + colour_functions[f].first,
                               .n_arguments = (uint32_t)colour_functions[f].n};
    scope->within = to;
    scope->n_functions = f;
    const char *text = colour_functions[f].text;
    status = ff_colour_parse(&to->value, text, strlen(text), FF_COLOUR_R, scope, (ff_place){0}, err);
  }
  scope->within = NULL;
  scope->n_functions = COLOUR_FUNCTIONS;
  for (size_t i = 0; i < sizeof colour_predicates / sizeof colour_predicates[0] && status == FF_OK; i++) {
    const uint32_t s = colour_predicates[i].set;
    const char *text = colour_predicates[i].text;
    scope->subset_of = net->set[s].part[0];
    status = ff_colour_parse(&net->set[s].predicate, text, strlen(text), FF_COLOUR_R, scope, (ff_place){0}, err);
  }
  scope->subset_of = UINT32_MAX;
  for (uint32_t s = 0; s < COLOUR_SETS && status == FF_OK; s++) status = ff_colours_new(&net->colours[s], s, scope, err);
  return status;
}

#endif
