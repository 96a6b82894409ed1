/* Scenarios of test_memory: code for small Petri nets. */
#ifndef FF_TESTS_MEMORY_PETRI_CODE_H
#define FF_TESTS_MEMORY_PETRI_CODE_H

#include "../../src/cuda/petri/data/ff_petri_image.h"
#include "../../src/cuda/petri/windows/ff_petri_tissue_data.h"
#include "memory_petri_engine.h"
#include "petri_mixed.h"

/* Flows and hazards with narrow peaks, weights that are formulas, resets, a chain of transitions with one profile; and with cells
 * whose families have several members. With `all`, transitions of all kinds and a rate that switches. */
static void prepare_petri_net(int all) {
  const struct {
    const char *name;
    ff_petri_kind kind;
    const char *equation, *resets, *number;
    int mass_action;
  } list[] = {{"in", FF_PETRI_CONTINUOUS, "0 -> C", NULL, "1 + A", 0},
              {"out", FF_PETRI_CONTINUOUS, "C -> 0", NULL, "k", 1},
              {"peak", FF_PETRI_CONTINUOUS, "0 -> 2 C", NULL, "1 / (0.01 + (C - 1)^2)", 0},
              {"grow", FF_PETRI_CONTINUOUS, "0 -> (1 + A) C", NULL, "0.1 * C", 0},
              {"wave", FF_PETRI_CONTINUOUS, "0 -> C", NULL, "exp(-9 * (C - time)^2)", 0},
              {"spread", FF_PETRI_CONTINUOUS, "Ca[x,y] -> Ca[next(x),y]", NULL, "1", 1},
              {"turn", FF_PETRI_CONTINUOUS, "Ca[x,y] -> C", NULL, "Ca[x,y]^2 / (0.1 + Ca[x,y]^2)", 0},
              {"one", FF_PETRI_STOCHASTIC, "A -> B", NULL, "A * (C^2 / (1 + C^2))", 0},
              {"two", FF_PETRI_STOCHASTIC, "0 -> (1 + B) C", NULL, all ? "exp(-C) * (A > 2) * (C < 2)" : "exp(-C) * (A > 2)", 0},
              {"at once", FF_PETRI_IMMEDIATE, "3 A -> (B) C", NULL, "1 + A / 2", 0},
              {"late", FF_PETRI_DETERMINISTIC, "A -> 2 C", NULL, "1 + C", 0},
              {"three", FF_PETRI_STOCHASTIC, "0 -> A", "C", "k", 0},
              {"bind", FF_PETRI_STOCHASTIC, "S100[x,y] -> (x) Ca[x,y]", NULL, "x + Ca[x,y]", 1},
              {"unbind", FF_PETRI_STOCHASTIC, "0 -> S100[x,y]", NULL, "1 + Ca[x,y]^2 / (1 + Ca[x,y]^2)", 0}};
  ff_error err;
  FF_CHECK_OK(petri_small(&given.petri, 2, &err), &err);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if ((given.variant == 1 || strchr(list[i].equation, '[') == NULL) &&
        (all || list[i].kind == FF_PETRI_STOCHASTIC || list[i].kind == FF_PETRI_CONTINUOUS))
      FF_CHECK_OK(petri_add(given.petri, list[i].name, list[i].kind, list[i].equation, NULL, NULL, list[i].resets, list[i].number,
                            list[i].mass_action, &err), &err);
  for (int i = 0; i < 8; i++) {
    char name[20], rate[30];
    snprintf(name, sizeof name, "chain %d", i);
    snprintf(rate, sizeof rate, "0.%d * k * A", i + 1);
    FF_CHECK_OK(petri_add(given.petri, name, FF_PETRI_STOCHASTIC, "A -> 0", NULL, NULL, NULL, rate, 0, &err), &err);
  }
  FF_CHECK_OK(ff_petri_finish(given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&given.flat, given.petri, &err), &err);
  const ff_petri_options options = {.integrator = FF_PETRI_AUTO};
  FF_CHECK_OK(ff_petri_program_new(&given.compiled, given.flat, &options, &err), &err);
  if (given.variant != 2) return;
  given.petri->value[0] = 0.75; /* k */
  FF_CHECK_OK(ff_petri_unfold(&given.flat_too, given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_program_new(&given.compiled_too, given.flat_too, &options, &err), &err);
}

static void prepare_petri_code(void) { prepare_petri_net(given.variant != 2); }
static void prepare_petri_data(void) { prepare_petri_net(0); }

/* Also with firings, starts, and a condition; and for two points, of which the second one has another rate of each transition of
 * the chain. */
static ff_status generates_petri_code(ff_error *err) {
  static ff_formula_word many[] = {{FF_F_SYMBOL, 0, 0}, {FF_F_NUMBER, 0, 9}, {FF_F_GE, 0, 0}};
  static const ff_formula until = {many, 3, 2};
  static const double times[] = {0, 1};
  static const uint32_t observed[] = {0, 1};
  uint8_t joins[2] = {0, 0};
  const ff_device_point points[] = {{given.compiled, given.compiled->start, 1, NULL},
                                    {given.compiled_too, given.compiled->start, 2, NULL}};
  ff_device_request request = {.initial = given.compiled->start, .times = times, .n_times = 2, .observed = observed,
                                     .n_observed = 2, .starts = given.variant == 1 ? given.compiled->start : NULL, .reals = 1,
                                     .max_firings = given.variant == 1 ? 100 : 0, .until = given.variant == 1 ? &until : NULL};
  ff_petri_code code;
  if (given.variant == 2) request.points = points, request.n_points = 2, request.n_each = 5, request.joins = joins;
  const ff_status status = ff_petri_code_new(&code, given.compiled, &request, FF_PETRI_CODE_SHARED, err);
  CHECK_OUT(status, code.definitions);
  CHECK_OUT(status, code.functions);
  CHECK_OUT(status, code.initial);
  CHECK_OUT(status, code.table);
  if (given.variant == 2) CHECK_OUT(status, code.points);
  if (given.variant == 2 && status == FF_OK) FF_CHECK(joins[0] && joins[1] && code.n_points == 2);
  if (status == FF_OK) ff_petri_code_free(&code);
  return status;
}

/* Such nets as data. */
static ff_status makes_petri_image(ff_error *err) {
  static const double time = 1;
  static const uint32_t observed[] = {0, 1};
  const ff_device_request request = {.initial = given.compiled->start, .times = &time, .n_times = 1, .observed = observed,
                                     .n_observed = 2, .reals = 1};
  ff_petri_image image;
  void *memory;
  size_t bytes;
  const ff_status status = ff_petri_image_new(&image, &memory, &bytes, given.compiled, &request, err);
  CHECK_OUT(status, memory);
  ff_free_aligned(memory);
  return status;
}

/* ---- large nets --------------------------------------------------------------------------------------------------------- */

/* Cells that are alike, and of two kinds. */
static void prepare_tissue(void) {
  const ff_petri_options options = {.integrator = FF_PETRI_AUTO};
  ff_error err;
  if (given.variant == 0) {
    FF_CHECK_OK(petri_calcium(&given.petri, 2, 1, &err), &err);
  } else {
    petri_text x;
    mixed_net cells = mixed_nets[0];
    cells.nx = 2;
    cells.ny = 1;
    mixed_write(&x, &cells);
    given.petri = x.net;
    FF_CHECK_OK(x.status == FF_OK ? ff_petri_finish(x.net, &err) : x.status, &x.err);
  }
  FF_CHECK_OK(ff_petri_unfold(&given.flat, given.petri, &err), &err);
  FF_CHECK_OK(ff_petri_program_new(&given.compiled, given.flat, &options, &err), &err);
}

/* The data for a device, and of a trajectory that begins there. */
static ff_status makes_tissue_data(ff_error *err) {
  static const double end = 1;
  static const uint32_t observed[] = {0, 1};
  const ff_device_request request = {.initial = given.compiled->start, .times = &end, .n_times = 1, .observed = observed,
                                     .n_observed = 2, .reals = 1};
  ff_petri_parts parts = {.opener = &ff_petri_opener_of_windows};
  ff_petri_tissue_data data = {0};
  char *memory = NULL;
  ff_status status = ff_petri_blocks_new(&parts.blocks, given.compiled, err);
  if (status == FF_OK) status = ff_petri_tissue_data_new(&data, &parts, &request, err);
  CHECK_OUT(status, data.opener);
  if (status == FF_OK) memory = calloc(1, ff_petri_tissue_open_bytes(&data));
  if (status == FF_OK) ff_petri_tissue_open(&data, 3, 0, 0, given.compiled->start, memory);
  free(memory);
  ff_petri_tissue_data_free(&data);
  ff_petri_blocks_free(parts.blocks);
  return status;
}

#endif
