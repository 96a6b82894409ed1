/* The nets that coloured Petri nets stand for. */
#include "check.h"
#include "petri_brute.h"
#include "petri_random.h"

static ff_petri_flat *unfold(const ff_petri *net) {
  ff_petri_flat *flat = NULL;
  ff_error err;
  FF_CHECK_OK(ff_petri_unfold(&flat, net, &err), &err);
  return flat;
}

static const char *name_of(const ff_petri_flat *flat, uint32_t place) {
  static char name[100];
  ff_petri_place_name(name, sizeof name, flat, place, ",");
  return name;
}

/* ---- all constructs, against the simplest way --------------------------------------------------------------------- */

static int in_order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void compare_transitions(uint32_t number, brute *wanted, brute *got) {
  FF_CHECK_SAY(wanted->n_told == got->n_told, "net %u has %zu transitions, expected %zu", number, got->n_told, wanted->n_told);
  if (wanted->n_told > 0) qsort(wanted->told, wanted->n_told, sizeof *wanted->told, in_order);
  if (got->n_told > 0) qsort(got->told, got->n_told, sizeof *got->told, in_order);
  for (size_t i = 0; i < wanted->n_told && i < got->n_told; i++) {
    if (strcmp(wanted->told[i], got->told[i]) == 0) continue;
    FF_CHECK_SAY(0, "net %u has\n  %s\n  expected\n  %s", number, got->told[i], wanted->told[i]);
    break;
  }
}

static void compare_places(uint32_t number, const ff_petri_flat *flat, const brute *b) {
  FF_CHECK_INT(flat->n_places, b->n_places);
  for (uint32_t p = 0; p < flat->n_places && p < b->n_places; p++) {
    char name[100];
    const size_t length = brute_place_name(b->net, b->first, p, name, sizeof name);
    FF_CHECK_STR(name_of(flat, p), name);
    FF_CHECK_SAY(flat->initial[p] == b->initial[p], "net %u: %s has %g, expected %g", number, name, flat->initial[p], b->initial[p]);
    FF_CHECK_INT(ff_petri_find_place(flat, name, length), p);
  }
}

static void compare_never(const ff_petri_flat *flat, const brute *b) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < b->net->n_transitions; t++)
    if (b->bindings[t] == 0) FF_CHECK(n < flat->n_never && flat->never[n++] == t);
  FF_CHECK_INT(flat->n_never, n);
}

/* Unfolds by steps of this size. */
static ff_petri_flat *unfold_by_steps(const ff_petri *net, uint64_t budget) {
  ff_unfolder *unfolder = NULL;
  ff_petri_flat *flat = NULL;
  ff_error err;
  FF_CHECK_OK(ff_unfolder_new(&unfolder, net, &err), &err);
  for (long i = 0; flat == NULL && i < 10000000; i++) FF_CHECK_OK(ff_unfolder_step(unfolder, budget, &flat, &err), &err);
  FF_CHECK(flat != NULL);
  ff_unfolder_free(unfolder);
  return flat;
}

static void unfolds_as_brute_force(void) {
  uint64_t seed = 37;
  uint32_t nets = 0, transitions = 0, families = 0, never = 0;
  for (uint32_t number = 0; nets < 200 && number < 2000; number++) {
    ff_petri *net = NULL;
    ff_error err;
    const ff_status status = random_petri(&net, &seed, &err);
    FF_CHECK_SAY(status == FF_OK || status == FF_EMODEL, "net %u: %s", number, err.text);
    if (status != FF_OK) {
      ff_petri_free(net);
      continue;
    }
    brute wanted, got = {0};
    brute_start(&wanted, net);
    for (uint32_t p = 0; p < wanted.n_places; p++) wanted.marking[p] = (double)below(&seed, 7);
    brute_unfold(&wanted);
    ff_petri_flat *flat = number % 2 == 0 ? unfold(net) : unfold_by_steps(net, 1 + below(&seed, 20));
    compare_places(number, flat, &wanted);
    brute_tell_flat(&got, flat, &wanted);
    FF_CHECK_INT(flat->n_transitions, got.n_told);
    compare_transitions(number, &wanted, &got);
    compare_never(flat, &wanted);
    nets++;
    transitions += (uint32_t)got.n_told;
    families += flat->n_families;
    never += flat->n_never;
    brute_free(&wanted);
    brute_free(&got);
    ff_petri_flat_free(flat);
    ff_petri_free(net);
    if (ff_check_state.failures > 0) break;
  }
  FF_CHECK_INT(nets, 200);
  FF_CHECK_SAY(transitions > 5000 && families > 800 && never > 20, "%u transitions, %u families, %u never", transitions, families,
               never);
}

FF_TEST_MAIN("petri_unfold", unfolds_as_brute_force)
