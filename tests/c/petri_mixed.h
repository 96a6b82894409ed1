/* Tissues whose cells are of several kinds, for tests. */
#ifndef FF_TESTS_PETRI_MIXED_H
#define FF_TESTS_PETRI_MIXED_H

#include "petri_runs.h"

#define MIXED_NEAR "abs(x - a) + abs(y - b) == 1"
#define MIXED_SPREAD {"spread", FF_PETRI_CONTINUOUS, "L[x,y] -> L[a,b]", MIXED_NEAR, NULL, "1.7", 1}
#define MIXED_LOSS {"loss", FF_PETRI_CONTINUOUS, "L[x,y] -> 0", NULL, NULL, "0.3", 1}
#define MIXED_BIRTH(guard, rate) {"birth", FF_PETRI_STOCHASTIC, "0 -> N[x,y]", (guard), "N[x,y] < 9", (rate), 0}
#define MIXED_DEATH(guard) {"death", FF_PETRI_STOCHASTIC, "N[x,y] -> 0", (guard), NULL, "0.7", 1}
#define MIXED_GAIN(guard) {"gain", FF_PETRI_CONTINUOUS, "0 -> L[x,y]", (guard), NULL, "0.4 * N[x,y]", 0}
#define MIXED_TURN(guard) {"turn", FF_PETRI_CONTINUOUS, "L[x,y] -> M[x,y]", (guard), NULL, "0.4", 1}
#define MIXED_FADE(guard) {"fade", FF_PETRI_CONTINUOUS, "M[x,y] -> 0", (guard), NULL, "0.9", 1}
#define MIXED_EVEN "(x + y) %% 2 == 0"
#define MIXED_ODD "(x + y) %% 2 == 1"

/* Places N, H (counts), L and M (levels) of each cell of nx times ny; Z, a count in parts of their own. */
typedef struct {
  const char *what;
  uint32_t nx, ny;
  double relative, last;
  uint32_t classes; /* of blocks with different code */
  struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *guard, *tests, *rate;
    int mass_action;
  } list[12];
} mixed_net;

static const mixed_net mixed_nets[] = {
    {"excitable and passive cells", 6, 4, 1e-6, 5, 2,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(MIXED_EVEN, "0.5 + L[x,y]"), MIXED_DEATH(MIXED_EVEN), MIXED_GAIN(MIXED_EVEN)}},
    {"passive cells come first", 6, 4, 1e-9, 2, 2,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(MIXED_ODD, "0.5 + L[x,y]"), MIXED_DEATH(MIXED_ODD), MIXED_GAIN(MIXED_ODD)}},
    {"few cells in a lattice of levels", 12, 12, 1e-6, 3, 2,
     {MIXED_SPREAD, MIXED_BIRTH("x == y & x %% 4 == 2", "3"), MIXED_DEATH("x == y & x %% 4 == 2"),
      MIXED_GAIN("x == y & x %% 4 == 2")}},
    {"two levels beside one", 5, 5, 1e-6, 4, 2,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(NULL, "N[x,y] * exp(-L[x,y]) + 0.5"), MIXED_DEATH(NULL), MIXED_GAIN(MIXED_ODD),
      MIXED_TURN(MIXED_EVEN), MIXED_FADE(MIXED_EVEN),
      {"wave", FF_PETRI_CONTINUOUS, "0 -> M[x,y]", MIXED_EVEN, NULL, "0.4 + cos(time)^2", 0},
      {"start", FF_PETRI_STOCHASTIC, "0 -> N[x,y] + 0.2 M[x,y]", MIXED_EVEN, NULL, "0.2 + M[x,y]", 0}}},
    {"two groups beside one", 5, 3, 1e-9, 2, 2,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(NULL, "1 + L[x,y]"), MIXED_DEATH(NULL), MIXED_GAIN(NULL),
      {"rise", FF_PETRI_STOCHASTIC, "0 -> H[x,y]", MIXED_ODD, NULL, "2", 0},
      {"sink", FF_PETRI_STOCHASTIC, "H[x,y] -> 0", MIXED_ODD, NULL, "0.2 * H[x,y] * L[x,y]", 0}}},
    {"parts without levels", 4, 4, 1e-6, 4, 3,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(MIXED_EVEN, "0.5 + L[x,y]"), MIXED_DEATH(MIXED_EVEN), MIXED_GAIN(MIXED_EVEN),
      {"come", FF_PETRI_STOCHASTIC, "0 -> Z[z]", NULL, NULL, "3", 0},
      {"go", FF_PETRI_STOCHASTIC, "2 Z[z] -> 0", NULL, NULL, "0.5", 1}}},
    {"formulas that read neighbours", 7, 1, 1e-6, 4, 2,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH("x %% 2 == 0", "0.5 + M[x,y]"), MIXED_DEATH("x %% 2 == 0"), MIXED_GAIN("x %% 2 == 0"),
      MIXED_FADE("x %% 2 == 0"),
      {"bring", FF_PETRI_CONTINUOUS, "0 -> M[x,y]", "abs(x - a) == 1 & y == b & x %% 2 == 0", NULL, "0.3 * L[a,b] * L[x,y]", 0}}},
    {"eight kinds", 8, 2, 1e-6, 3, 8,
     {MIXED_SPREAD, MIXED_LOSS, MIXED_BIRTH(NULL, "0.1 * x + L[x,y]"), MIXED_DEATH(NULL), MIXED_GAIN(NULL)}}};
#define MIXED_NETS (sizeof mixed_nets / sizeof *mixed_nets)

/* Simple sets X, Y and D, and the set Cell. */
static inline void mixed_sets(petri_text *x, uint32_t nx, uint32_t ny) {
  static const char *const indices[][2] = {{"x", "X"}, {"y", "Y"}, {"a", "X"}, {"b", "Y"}, {"z", "D"}};
  int64_t number[64];
  for (uint32_t i = 0; i < 64; i++) number[i] = i + 1;
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "X", number, nx, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "Y", number, ny, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "D", number, 3, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_set_text(x->net, "Cell", "X * Y", petri_nowhere, &x->err);
  for (int i = 0; i < 5 && x->status == FF_OK; i++)
    x->status = ff_petri_add_index(x->net, indices[i][0], indices[i][1], &x->err);
}

static inline void mixed_write(petri_text *x, const mixed_net *of) {
  static const struct {
    const char *name, *set, *marking;
    int continuous;
  } places[] = {{"N", "Cell", "2", 0}, {"H", "Cell", "1", 0}, {"L", "Cell", "0.3 * x + 0.1 * y", 1}, {"M", "Cell", "0.5", 1},
                {"Z", "D", "z", 0}};
  petri_begin(x);
  mixed_sets(x, of->nx, of->ny);
  for (int i = 0; i < 5 && x->status == FF_OK; i++) {
    const uint32_t set = ff_petri_set_number(x->net, places[i].set, (uint32_t)strlen(places[i].set));
    x->status = ff_petri_add_place(x->net, places[i].name, set, places[i].continuous, 0, &x->err);
    if (x->status == FF_OK)
      x->status = ff_petri_add_marking(x->net, places[i].name, NULL, places[i].marking, 0, petri_nowhere, &x->err);
  }
  for (int i = 0; i < 12 && of->list[i].name != NULL && x->status == FF_OK; i++)
    x->status = petri_add(x->net, of->list[i].name, of->list[i].kind, of->list[i].equation, of->list[i].guard, of->list[i].tests,
                          NULL, of->list[i].rate, of->list[i].mass_action, &x->err);
}

#endif
