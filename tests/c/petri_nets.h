/* Small Petri nets for tests. */
#ifndef FF_TESTS_PETRI_NETS_H
#define FF_TESTS_PETRI_NETS_H

#include "../../src/model/petri/ff_petri_flat.h"

static const ff_place petri_nowhere = {NULL, 0};

/* A net with the places A and B (discrete), "two words" (discrete), C (continuous), F (fixed), Ca and S100 of the cells X * Y
 * (Ca is continuous), G of the names red, green, blue; the parameters k, n and m; the indices x, a of X, y of Y, g of the names,
 * c of Cell. */
static inline ff_status petri_small(ff_petri **out, uint32_t size, ff_error *err) {
  static const char *const parameters[] = {"k", "n", "m"};
  const double values[] = {0.5, 2, 1};
  int64_t number[100], name[3];
  ff_status status = ff_petri_new(out, err);
  ff_petri *net = *out;
  for (int i = 0; i < 3 && status == FF_OK; i++) status = ff_petri_add_parameter(net, parameters[i], values[i], err);
  for (uint32_t i = 0; i < size; i++) number[i] = i + 1;
  if (status == FF_OK) status = ff_petri_add_values(net, "X", number, size, err);
  if (status == FF_OK) status = ff_petri_add_values(net, "Y", number, size, err);
  if (status == FF_OK) status = ff_petri_add_colour(net, "red", &name[0], err);
  if (status == FF_OK) status = ff_petri_add_colour(net, "green", &name[1], err);
  if (status == FF_OK) status = ff_petri_add_colour(net, "blue", &name[2], err);
  if (status == FF_OK) status = ff_petri_add_values(net, "Paint", name, 3, err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "Cell", "X * Y", petri_nowhere, err);
  static const char *const indices[][2] = {{"x", "X"}, {"y", "Y"}, {"a", "X"}, {"b", "Y"}, {"g", "Paint"}, {"c", "Cell"}};
  for (int i = 0; i < 6 && status == FF_OK; i++) status = ff_petri_add_index(net, indices[i][0], indices[i][1], err);
  static const struct {
    const char *name, *set;
    int continuous, fixed;
  } places[] = {{"A", NULL, 0, 0}, {"B", NULL, 0, 0}, {"two words", NULL, 0, 0}, {"C", NULL, 1, 0}, {"F", NULL, 0, 1},
                {"Ca", "Cell", 1, 0}, {"S100", "Cell", 0, 0}, {"G", "Paint", 0, 0}};
  for (int i = 0; i < 8 && status == FF_OK; i++) {
    const uint32_t set = places[i].set == NULL ? FF_PETRI_NONE : ff_petri_set_number(net, places[i].set, strlen(places[i].set));
    status = ff_petri_add_place(net, places[i].name, set, places[i].continuous, places[i].fixed, err);
  }
  return status;
}

/* Adds a transition; texts may be NULL. */
static inline ff_status petri_add(ff_petri *net, const char *name, ff_petri_kind kind, const char *equation, const char *guard,
                                  const char *tests, const char *resets, const char *number, int mass_action, ff_error *err) {
  uint32_t t;
  int both;
  ff_status status = ff_petri_add_transition(net, name, kind, &t, err);
  if (status == FF_OK) status = ff_petri_equation(net, t, equation, 0, &both, petri_nowhere, err);
  if (status == FF_OK && guard != NULL) status = ff_petri_guard(net, t, guard, FF_COLOUR_R, petri_nowhere, err);
  if (status == FF_OK && tests != NULL) status = ff_petri_tests(net, t, tests, petri_nowhere, err);
  if (status == FF_OK && resets != NULL) status = ff_petri_resets(net, t, resets, petri_nowhere, err);
  if (status == FF_OK && number != NULL) status = ff_petri_number(net, t, NULL, number, mass_action, petri_nowhere, err);
  return status;
}

/* The calcium cells of facts A: receptors with 8 states, of which calcium and IP3 bind, and two pools of calcium that diffuse. */
static inline ff_status petri_calcium_with(ff_petri **out, uint32_t nx, uint32_t ny, double diffusion, ff_error *err) {
  static const char *const parameters[] = {"a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "b5", "ip3", "D"};
  const double values[] = {400, 0.2, 400, 0.2, 20, 52, 0.2098, 377.36, 0.0289, 1.6468, 0.5, diffusion};
  /* each edge: the states, the constant, and what binds */
  static const struct {
    const char *from, *to;
    int k, calcium;
  } edges[] = {{"S000", "S100", 1, 0}, {"S010", "S110", 1, 0}, {"S100", "S101", 2, 1}, {"S110", "S111", 2, 1},
               {"S001", "S101", 3, 0}, {"S011", "S111", 3, 0}, {"S000", "S001", 4, 1}, {"S010", "S011", 4, 1},
               {"S000", "S010", 5, 1}, {"S001", "S011", 5, 1}, {"S100", "S110", 5, 1}, {"S101", "S111", 5, 1}};
  static const char *const places[] = {"Ca", "ER", "S000", "S001", "S010", "S011", "S100", "S101", "S110", "S111"};
  static const char near[] = "abs(x - a) + abs(y - b) == 1";
  int64_t *number = calloc(nx > ny ? nx : ny, sizeof *number);
  ff_status status = ff_petri_new(out, err);
  ff_petri *net = *out;
  for (uint32_t i = 0; i < (nx > ny ? nx : ny); i++) number[i] = i + 1;
  for (int i = 0; i < 12 && status == FF_OK; i++) status = ff_petri_add_parameter(net, parameters[i], values[i], err);
  if (status == FF_OK) status = ff_petri_add_values(net, "X", number, nx, err);
  if (status == FF_OK) status = ff_petri_add_values(net, "Y", number, ny, err);
  free(number);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "Cell", "X * Y", petri_nowhere, err);
  static const char *const indices[][2] = {{"x", "X"}, {"y", "Y"}, {"a", "X"}, {"b", "Y"}};
  for (int i = 0; i < 4 && status == FF_OK; i++) status = ff_petri_add_index(net, indices[i][0], indices[i][1], err);
  for (int i = 0; i < 10 && status == FF_OK; i++)
    status = ff_petri_add_place(net, places[i], ff_petri_set_number(net, "Cell", 4), i < 2, 0, err);
  for (int i = 0; i < 12 && status == FF_OK; i++) {
    char name[2][20], equation[2][60], rate[2][40];
    for (int back = 0; back < 2 && status == FF_OK; back++) {
      snprintf(name[back], sizeof name[back], "%s%d", back ? "off" : "on", i);
      snprintf(equation[back], sizeof equation[back], "%s[x,y] -> %s[x,y]", back ? edges[i].to : edges[i].from,
               back ? edges[i].from : edges[i].to);
      snprintf(rate[back], sizeof rate[back], back ? "b%d" : edges[i].calcium ? "a%d * Ca[x,y]" : "a%d * ip3", edges[i].k);
      status = petri_add(net, name[back], FF_PETRI_STOCHASTIC, equation[back], NULL, NULL, NULL, rate[back], 1, err);
    }
  }
  if (status == FF_OK)
    status = petri_add(net, "release", FF_PETRI_CONTINUOUS, "5.405405 ER[x,y] -> Ca[x,y]", NULL, "S110[x,y] >= 3", NULL,
                       "1.11 * (ER[x,y] - Ca[x,y])", 0, err);
  if (status == FF_OK)
    status = petri_add(net, "leak", FF_PETRI_CONTINUOUS, "5.405405 ER[x,y] -> Ca[x,y]", NULL, NULL, NULL,
                       "0.02035 * (ER[x,y] - Ca[x,y])", 0, err);
  if (status == FF_OK)
    status = petri_add(net, "pump", FF_PETRI_CONTINUOUS, "Ca[x,y] -> 5.405405 ER[x,y]", NULL, NULL, NULL,
                       "0.9 * Ca[x,y]^2 / (Ca[x,y]^2 + 0.01)", 0, err);
  if (status == FF_OK)
    status = petri_add(net, "diffuse", FF_PETRI_CONTINUOUS, "Ca[x,y] -> Ca[a,b]", near, NULL, NULL, "D", 1, err);
  if (status == FF_OK)
    status = petri_add(net, "diffuse_ER", FF_PETRI_CONTINUOUS, "ER[x,y] -> ER[a,b]", near, NULL, NULL, "D", 1, err);
  if (status == FF_OK) status = ff_petri_add_marking(net, "Ca", NULL, "0.1", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(net, "ER", NULL, "10.27", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(net, "S100", NULL, "4", 0, petri_nowhere, err);
  return status == FF_OK ? ff_petri_finish(net, err) : status;
}

static inline ff_status petri_calcium(ff_petri **out, uint32_t nx, uint32_t ny, ff_error *err) {
  return petri_calcium_with(out, nx, ny, 20, err);
}

#endif
