/* Scenarios of test_memory: coloured Petri nets. */
#ifndef FF_TESTS_MEMORY_PETRI_H
#define FF_TESTS_MEMORY_PETRI_H

#include "memory_given.h"
#include "petri_nets.h"

static ff_status add_petri_sets(ff_petri *net, ff_error *err) {
  static const char *const arguments[] = {"p", "q"}, *const sets[] = {"X", NULL};
  static const char long_name[] = "a place whose name is so long that the memory for the names of all places has to grow once";
  const uint32_t cell = ff_petri_set_number(net, "Cell", 4);
  ff_status status = ff_petri_add_set_text(net, "Half", "Cell[x < 2]", petri_nowhere, err);
  if (status == FF_OK)
    status = ff_petri_add_set(net, "Other", FF_SET_SUBSET, &cell, 1, "x = 1", FF_COLOUR_CANDL, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_set_text(net, "Either", "Half + Other", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_place(net, "H", ff_petri_set_number(net, "Half", 4), 1, 0, err);
  if (status == FF_OK) status = ff_petri_add_place(net, long_name, ff_petri_set_number(net, "X", 1), 1, 0, err);
  if (status == FF_OK)
    status = ff_petri_add_function(net, "near", arguments, sets, 2, "abs(p - q) == 1", FF_COLOUR_R, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_variable(net, "v", err);
  return status == FF_OK ? ff_petri_variable_text(net, 0, "sum(Ca) * k + G[red]", petri_nowhere, err) : status;
}

static ff_status add_petri_arcs(ff_petri *net, ff_error *err) {
  static const char *const colour[] = {"x", "1"};
  const uint32_t place = ff_petri_place_number(net, "S100", 4);
  uint32_t t;
  ff_status status = petri_add(net, "t", FF_PETRI_DETERMINISTIC, "A + 2 A + (x) S100[c] -> (2 * 3) B + S100[c[1],1]",
                               "near(x, a)", "B > A & G[g] < n & G[red] < A", "G[g]", "v + Ca[x + 1,a] * x + sum(S100)", 0, err);
  if (status == FF_OK) status = petri_add(net, "u", FF_PETRI_CONTINUOUS, "C + 2 A -> 2 A", NULL, NULL, NULL, "k", 1, err);
  if (status == FF_OK)
    status = petri_add(net, "e", FF_PETRI_STOCHASTIC, "A -> B", "g == red", "G[g] == n & G[red] == 2", NULL, "k", 0, err);
  if (status == FF_OK) status = ff_petri_add_transition(net, "w", FF_PETRI_SCHEDULED, &t, err);
  if (status == FF_OK) status = ff_petri_add_arc(net, t, FF_ARC_OUT, place, colour, 2, "n", FF_COLOUR_R, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_at(net, t, 0, "k", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_transition(net, "d", FF_PETRI_DETERMINISTIC, &t, err);
  return status == FF_OK ? ff_petri_number(net, t, "x > 5", "1", 0, petri_nowhere, err) : status;
}

static ff_status add_petri_event(ff_petri *net, ff_error *err) {
  ff_status status = ff_petri_add_event(net, "E", err);
  if (status == FF_OK) status = ff_petri_event_text(net, 0, FF_EVENT_TRIGGER, "Ca[1,2] > m & sum(G) > 0", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_text(net, 0, FF_EVENT_DELAY, "v / 2", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_text(net, 0, FF_EVENT_PRIORITY, "m", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_set_text(net, 0, "Ca", "Ca[1,1] / 2", "m", petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_event_set_text(net, 0, "G[red]", "2", NULL, petri_nowhere, err);
  return status == FF_OK ? ff_petri_event_set_text(net, 0, "m", "m + time", NULL, petri_nowhere, err) : status;
}

static ff_status make_petri(ff_petri **net, ff_error *err) {
  ff_status status = petri_small(net, 2, err);
  if (status == FF_OK) status = add_petri_sets(*net, err);
  if (status == FF_OK) status = add_petri_arcs(*net, err);
  if (status == FF_OK) status = add_petri_event(*net, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "Ca", NULL, "k * x", 0, petri_nowhere, err);
  if (status == FF_OK) status = ff_petri_add_marking(*net, "Ca[x,next(y)]", "x < 2", "1", 1, petri_nowhere, err);
  return status == FF_OK ? ff_petri_finish(*net, err) : status;
}

static ff_status makes_petri(ff_error *err) {
  ff_petri *net = NULL;
  ff_status status = make_petri(&net, err);
  ff_petri_free(net);
  return status;
}

static void prepare_petri(void) {
  ff_error err;
  FF_CHECK_OK(make_petri(&given.petri, &err), &err);
}

static ff_status writes_petri(ff_error *err) {
  ff_petri *net = given.petri;
  char *text[10] = {NULL};
  ff_status status = ff_petri_equation_text(&text[0], net, 0, err);
  if (status == FF_OK) status = ff_petri_tests_text(&text[1], net, 0, err);
  if (status == FF_OK) status = ff_petri_resets_text(&text[2], net, 0, err);
  if (status == FF_OK) status = ff_petri_guard_text(&text[3], net, 0, err);
  if (status == FF_OK) status = ff_petri_number_text(&text[4], net, 0, 0, err);
  if (status == FF_OK) status = ff_petri_variable_value_text(&text[5], net, 0, err);
  if (status == FF_OK) status = ff_petri_set_text(&text[6], net, ff_petri_set_number(net, "Half", 4), err);
  if (status == FF_OK) status = ff_petri_marking_text(&text[7], &text[8], &text[9], net, 1, err);
  for (int i = 0; i < 10; i++) {
    if (status == FF_OK) FF_CHECK(text[i] != NULL);
    free(text[i]);
  }
  return status;
}

static ff_status unfolds_petri(ff_error *err) {
  ff_petri_flat *flat = NULL;
  ff_status status = ff_petri_unfold(&flat, given.petri, err);
  CHECK_OUT(status, flat);
  if (status == FF_OK) status = ff_petri_check_names(flat, "_", err);
  ff_petri_flat_free(flat);
  return status;
}

#endif
