/* Nets of cells that exchange levels, for tests. Random ones: each cell has a discrete place and two levels, and all cells have
 * the same transitions, or some have others. And a row of cells with one more transition. */
#ifndef FF_TESTS_PETRI_TISSUES_H
#define FF_TESTS_PETRI_TISSUES_H

#include "petri_random.h"
#include "petri_runs.h"

#define MOST_IN_RING 600
#define TISSUE_PICK(s, list) ((list)[below((s), sizeof(list) / sizeof *(list))])

/* A line of cells, or a ring. In a ring with an odd number of cells, neighbours run at the same time. If it `mixes`, some cells
 * lack transitions that others have. */
static inline void tissue_write(petri_text *x, uint64_t *s, int mixes) {
  static const char *const rates[] = {"0.8 * N[c]", "N[c] * (0.2 + L[c])", "N[c] * L[c]^2 / (0.5 + L[c]^2)", "0.5 + M[c]",
                                      "sqrt(0.1 + L[c]) / (1 + N[c])", "N[c] * exp(-L[c])", "N[c] * (1.2 + sin(3 * time))",
                                      "N[c] * L[c] * M[c]"};
  static const char *const flows[] = {"0.3 * N[c]", "0.2", "L[c] / (1 + L[c])", "N[c] * M[c] / (1 + L[c]^2)", "0.4 + cos(time)^2",
                                      "1 / (1 + M[c]^4)"};
  static const char *const pushes[] = {"0 -> 0.4 L[c]", "0 -> N[c] + 0.2 M[c]", "N[c] -> 0.1 L[c]"};
  static const char *const guards[] = {"abs(c - d) == 1", "d == next(c) | d == previous(c)"};
  static const char *const cells[] = {NULL, "c %% 2 == 0", "c %% 2 == 1", "c > 2", NULL};
  static const char *const brings[] = {"0.3 * L[d]", "0.2 * L[d] * M[c]", "0.1 * L[d] * L[c]"};
  const uint32_t ring = below(s, 2), n = 3 + below(s, 5), is_read = below(s, 2);
  int64_t number[8];
  const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *guard, *tests, *resets, *rate;
    int mass_action;
  } list[] = {{"birth", FF_PETRI_STOCHASTIC, "0 -> N[c]", NULL, "N[c] < 9", NULL, TISSUE_PICK(s, rates), 0},
              {"death", FF_PETRI_STOCHASTIC, "N[c] -> 0", NULL, NULL, NULL, TISSUE_PICK(s, rates), 0},
              {"start", FF_PETRI_STOCHASTIC, "0 -> 2 N[c]", NULL, "N[c] < 2", NULL, is_read ? "0.5 * F" : "1.5", 0},
              {"push", FF_PETRI_STOCHASTIC, TISSUE_PICK(s, pushes), NULL, NULL, NULL, "0.6", 0},
              {"clear", FF_PETRI_STOCHASTIC, "0 -> N[c]", NULL, NULL, "L[c]", "0.3", 0},
              {"spread", FF_PETRI_CONTINUOUS, "L[c] -> L[d]", guards[ring], NULL, NULL, "1.7", 1},
              {"turn", FF_PETRI_CONTINUOUS, "L[c] -> M[c]", NULL, NULL, NULL, "0.4", 1},
              {"gain", FF_PETRI_CONTINUOUS, "0 -> L[c]", NULL, NULL, NULL, TISSUE_PICK(s, flows), 0},
              {"gate", FF_PETRI_CONTINUOUS, "0 -> M[c]", NULL, "N[c] > 2", NULL, "0.7", 0},
              {"loss", FF_PETRI_CONTINUOUS, "M[c] -> 0", NULL, NULL, NULL, "0.9", 1},
              {"spread too", FF_PETRI_CONTINUOUS, "M[c] -> M[d]", guards[ring], NULL, NULL, "0.8", 1},
              {"bring", FF_PETRI_CONTINUOUS, "0 -> M[c]", guards[ring], NULL, NULL, TISSUE_PICK(s, brings), 0}};
  const uint32_t many = sizeof list / sizeof *list, left_out = 2 + below(s, 10), also = 2 + below(s, 10);
  for (uint32_t i = 0; i < n; i++) number[i] = i + 1;
  petri_begin(x);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "C", number, n, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "c", "C", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "d", "C", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "N", ff_petri_set_number(x->net, "C", 1), 0, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "L", ff_petri_set_number(x->net, "C", 1), 1, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "M", ff_petri_set_number(x->net, "C", 1), 1, 0, &x->err);
  petri_place(x, "F", 0, "3"); /* which nothing changes */
  petri_place(x, "G", 1, "0.25");
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "N", NULL, "c", 0, petri_nowhere, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "L", NULL, "0.3 * c", 0, petri_nowhere, &x->err);
  for (uint32_t k = 0; k < many && x->status == FF_OK; k++) {
    const char *guard = mixes && list[k].guard == NULL && !list[k].mass_action ? TISSUE_PICK(s, cells) : list[k].guard;
    if (k != left_out && k != also)
      x->status = petri_add(x->net, list[k].name, list[k].kind, list[k].equation, guard, list[k].tests, list[k].resets,
                            list[k].rate, list[k].mass_action, &x->err);
  }
}

/* A ring of n cells, the first of which fires so many times as often as others. If it `stirs`, each firing changes a flow. */
static inline void petri_ring_with_fast(petri_text *x, uint32_t n, const char *fast, int stirs) {
  int64_t number[MOST_IN_RING];
  char marking[60];
  for (uint32_t i = 0; i < n; i++) number[i] = i + 1;
  snprintf(marking, sizeof marking, "1 + (%s - 1) * (c == 1)", fast);
  petri_begin(x);
  if (x->status == FF_OK) x->status = ff_petri_add_values(x->net, "C", number, n, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "c", "C", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_index(x->net, "d", "C", &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "N", ff_petri_set_number(x->net, "C", 1), 0, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "H", ff_petri_set_number(x->net, "C", 1), 0, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_place(x->net, "L", ff_petri_set_number(x->net, "C", 1), 1, 0, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "N", NULL, "3", 0, petri_nowhere, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "H", NULL, marking, 0, petri_nowhere, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_add_marking(x->net, "L", NULL, "1", 0, petri_nowhere, &x->err);
  petri_fires(x, "birth", "0 -> N[c]", "2 * H[c]");
  petri_fires(x, "death", "N[c] -> 0", "0.5 * N[c] * H[c]");
  petri_flows(x, "gain", "0 -> L[c]", stirs ? "0.1 * N[c]" : "0.3");
  petri_flows(x, "loss", "L[c] -> 0", "0.1 * L[c]");
  if (x->status == FF_OK)
    x->status = petri_add(x->net, "spread", FF_PETRI_CONTINUOUS, "L[c] -> L[d]", "d == next(c) | d == previous(c)", NULL, NULL,
                          "0.01", 1, &x->err);
}

/* Cells in a row, X = 1 ... n, with a place of each kind, what flows from cell to cell, and one more transition. */
static inline ff_status petri_row(ff_petri **net, uint32_t n, const char *flow, const char *rate, const char *tests,
                                  ff_petri_kind kind, const char *equation, const char *number, ff_error *err) {
  int64_t value[64];
  ff_status status = ff_petri_new(net, err);
  for (uint32_t i = 0; i < n; i++) value[i] = i + 1;
  if (status == FF_OK) status = ff_petri_add_values(*net, "X", value, n, err);
  if (status == FF_OK) status = ff_petri_add_index(*net, "x", "X", err);
  if (status == FF_OK) status = ff_petri_add_index(*net, "a", "X", err);
  if (status == FF_OK) status = ff_petri_add_place(*net, "C", 0, 1, 0, err);
  if (status == FF_OK) status = ff_petri_add_place(*net, "S", 0, 0, 0, err);
  if (status == FF_OK) status = ff_petri_add_place(*net, "G", FF_PETRI_NONE, 0, 0, err);
  if (status == FF_OK) status = ff_petri_add_place(*net, "F", FF_PETRI_NONE, 0, 0, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "C", NULL, "x", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "F", NULL, "2", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "S", NULL, "1", 0, petri_nowhere, err);
  if (status == FF_OK)
    status = petri_add(*net, "spread", FF_PETRI_CONTINUOUS, flow, "abs(x - a) == 1", tests, NULL, rate, 0, err);
  if (status == FF_OK) status = petri_add(*net, "up", FF_PETRI_STOCHASTIC, "0 -> S[x]", NULL, NULL, NULL, "5 + C[x]", 0, err);
  if (status == FF_OK) status = petri_add(*net, "down", FF_PETRI_STOCHASTIC, "S[x] -> 0", NULL, NULL, NULL, "4", 1, err);
  if (status == FF_OK) status = petri_add(*net, "in", FF_PETRI_CONTINUOUS, "0 -> C[x]", "x == a", NULL, NULL, "S[x] / 3", 0, err);
  if (status == FF_OK && equation != NULL) {
    const char *at = strchr(number, '@'); /* begin@period */
    if (at == NULL) {
      status = petri_add(*net, "more", kind, equation, NULL, NULL, NULL, number, 0, err);
    } else {
      char begin[20];
      snprintf(begin, sizeof begin, "%.*s", (int)(at - number), number);
      status = petri_add(*net, "more", kind, equation, NULL, NULL, NULL, NULL, 0, err);
      const uint32_t t = (*net)->n_transitions - 1;
      if (status == FF_OK) status = ff_petri_at(*net, t, 0, begin, petri_nowhere, err);
      if (status == FF_OK) status = ff_petri_at(*net, t, 1, at + 1, petri_nowhere, err);
    }
  }
  return status == FF_OK ? ff_petri_finish(*net, err) : status;
}

#endif
