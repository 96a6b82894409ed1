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
    FF_CHECK_SAY(flat->initial[p] == b->initial[p], "net %u: %s has %g, expected %g", number, name, flat->initial[p],
                 b->initial[p]);
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
  FF_CHECK_SAY(transitions > 2500 && families > 800 && never > 100, "%u transitions, %u families, %u never", transitions,
               families, never);
}


/* ---- the example, and what is special ----------------------------------------------------------------------------- */

/* n x m cells have 24 stochastic and 3 continuous transitions each, and 2 for each pair of neighbours, in both ways. */
static void unfolds_calcium(void) {
  const uint32_t n = 12, m = 7, pairs = 2 * (n * (m - 1) + (n - 1) * m);
  ff_petri *net = NULL;
  ff_error err;
  char name[100];
  FF_CHECK_OK(petri_calcium(&net, n, m, &err), &err);
  ff_petri_flat *flat = unfold(net);
  FF_CHECK_INT(flat->n_places, 10 * n * m);
  FF_CHECK_INT(flat->n_transitions, 27 * n * m + 2 * pairs);
  FF_CHECK_INT(flat->n_families, 29);
  const int64_t cell = ff_petri_find_place(flat, "ER[3, 5]", 8);
  FF_CHECK_INT(cell, n * m + 2 * m + 4);
  FF_CHECK_STR(name_of(flat, (uint32_t)cell), "ER[3,5]");
  ff_petri_place_name(name, sizeof name, flat, (uint32_t)cell, "_");
  FF_CHECK_STR(name, "ER_3_5");
  FF_CHECK(flat->continuous[cell] == 1 && flat->initial[cell] == 10.27);
  const int64_t count = ff_petri_find_place(flat, "S100[12,7]", 10);
  FF_CHECK(flat->continuous[count] == 0 && flat->initial[count] == 4);
  FF_CHECK_INT(ff_petri_find_place(flat, "S100[13,7]", 10), -1);
  FF_CHECK_INT(ff_petri_find_place(flat, "S100[1]", 7), -1);
  FF_CHECK_INT(ff_petri_find_place(flat, "S100", 4), -1);
  ff_petri_transition_name(name, sizeof name, flat, 27, 0, ",");
  FF_CHECK_STR(name, "diffuse[1,1,1,2]");
  FF_CHECK_INT(ff_petri_transition_name(name, 8, flat, 27, 0, ","), 16);
  FF_CHECK_STR(name, "diffuse");
  FF_CHECK_INT(flat->family[27].n, pairs);
  FF_CHECK_INT(flat->family[27].n_slots, 2);
  FF_CHECK(flat->family[27].mass_action);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

/* The family of a net with one transition and one binding. */
static ff_petri_flat *unfold_one(ff_petri **net, const char *equation, const char *guard, const char *tests, const char *number) {
  ff_error err;
  FF_CHECK_OK(petri_small(net, 2, &err), &err);
  FF_CHECK_OK(petri_add(*net, "t", FF_PETRI_STOCHASTIC, equation, guard, tests, NULL, number, 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(*net, &err), &err);
  return unfold(*net);
}

/* The value of the weight of the only arc of this kind, where all slots have the value 2, and the parameters theirs. */
static double weight_of(const ff_petri_family *family, ff_petri_arc_kind kind) {
  double values[20] = {0}, stack[20], weight = -99;
  int n = 0;
  for (uint32_t i = 0; i < family->n_slots; i++) values[i] = 2;
  for (uint32_t i = 0; i < 3; i++) values[family->n_slots + family->n_numbers + i] = i == 0 ? 0.5 : 3.0 - i; /* k, n, m */
  for (uint32_t i = 0; i < family->n_arcs; i++) {
    const ff_petri_flat_arc *arc = &family->arc[i];
    if (arc->kind != kind) continue;
    weight = arc->weight.length == 0 ? arc->number : ff_formula_value(&arc->weight, values, 0, stack);
    n++;
  }
  return n == 1 ? weight : -100 - n;
}

/* Elements that are the same place: their arcs are one. */
static void merges_arcs(void) {
  static const struct {
    const char *equation, *tests;
    ff_petri_arc_kind kind;
    double weight; /* -100: there is no arc; -1000: no transition */
  } cases[] = {
      {"G[g] + 2 G[red] -> 0", NULL, FF_ARC_IN, 3},
      {"0 -> G[g] + (n + 1) G[red]", NULL, FF_ARC_OUT, 4},
      {"(0) G[g] -> G[g]", NULL, FF_ARC_IN, -100},
      {"A -> B", "G[g] >= 2 & G[red] >= 3", FF_ARC_READ, 3},
      {"A -> B", "G[g] >= 2 & G[red] >= (n + 5)", FF_ARC_READ, 7},
      {"A -> B", "G[g] >= 0 & G[red] >= 1", FF_ARC_READ, 1},
      {"A -> B", "G[g] < 2 & G[red] < 3", FF_ARC_INHIBITOR, 2},
      {"A -> B", "G[g] < n - 2 & G[red] < 3", FF_ARC_INHIBITOR, 0},
      {"A -> B", "G[g] < n + 2 & G[red] < m", FF_ARC_INHIBITOR, 1},
      {"A -> B", "G[g] == 2 & G[red] == 2", FF_ARC_EQUAL, 2},
      {"A -> B", "G[g] == 0", FF_ARC_EQUAL, 0},
      {"A -> B", "G[g] == 2 & G[red] == 3", FF_ARC_EQUAL, -1000},
      {"A -> B", "G[g] == n & G[red] == 2", FF_ARC_EQUAL, 2},
      {"A -> B", "G[g] == n & G[red] == 3", FF_ARC_EQUAL, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = NULL;
    ff_petri_flat *flat = unfold_one(&net, cases[i].equation, "g == red", cases[i].tests, "k");
    if (cases[i].weight == -1000) {
      FF_CHECK_INT(flat->n_families, 0);
      FF_CHECK_INT(flat->n_never, 0);
    } else {
      FF_CHECK_INT(flat->n_families, 1);
      FF_CHECK_SAY(weight_of(&flat->family[0], cases[i].kind) == cases[i].weight, "case %zu: %g", i,
                   weight_of(&flat->family[0], cases[i].kind));
    }
    ff_petri_flat_free(flat);
    ff_petri_free(net);
  }
}

/* Bindings whose places coincide are another family. */
static void splits_families(void) {
  ff_petri *net = NULL;
  ff_petri_flat *flat = unfold_one(&net, "Ca[x,y] -> Ca[a,y]", NULL, NULL, "Ca[x,y] * Ca[a,y]");
  FF_CHECK_INT(flat->n_families, 2);
  FF_CHECK_INT(flat->family[0].n_slots, 1); /* that of the first binding, [1,1,1] */
  FF_CHECK_INT(flat->family[0].n, 4);
  FF_CHECK_INT(flat->family[1].n_slots, 2);
  FF_CHECK_INT(flat->family[1].n, 4);
  FF_CHECK_INT(flat->family[1].width, 3);
  FF_CHECK(flat->family[0].binding[0] == 1 && flat->family[1].binding[2] == 2);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

static void makes_sums(void) {
  ff_petri *net = NULL;
  ff_error err;
  double values[40], stack[10];
  FF_CHECK_OK(petri_small(&net, 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_variable(net, "v", &err), &err);
  FF_CHECK_OK(ff_petri_variable_text(net, 0, "k * sum(Ca) + G[green]", petri_nowhere, &err), &err);
  FF_CHECK_OK(petri_add(net, "t", FF_PETRI_STOCHASTIC, "A -> B", NULL, NULL, NULL, "sum(Ca) + sum(S100) + v + x", 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  ff_petri_flat *flat = unfold(net);
  FF_CHECK_INT(flat->n_variables, 3);
  FF_CHECK_INT(flat->n_places, 5 + 4 + 4 + 3);
  for (uint32_t p = 0; p < flat->n_places; p++) values[p] = p;
  for (uint32_t i = 0; i < 3; i++) values[flat->n_places + 3 + i] = flat->parameter[i];
  for (uint32_t i = 0; i < 3; i++)
    values[flat->n_places + flat->order[i]] = ff_formula_value(&flat->variable[flat->order[i]], values, 0, stack);
  FF_CHECK(values[flat->n_places] == 0.5 * (5 + 6 + 7 + 8) + 14);
  const ff_petri_family *family = &flat->family[0];
  double own[10], rate = (5 + 6 + 7 + 8) + (9 + 10 + 11 + 12) + values[flat->n_places];
  FF_CHECK_INT(family->n, 2);
  FF_CHECK_INT(family->n_slots, 5);
  for (uint32_t i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < 5; k++) own[k] = values[family->slot[k * 2 + i]];
    own[5] = family->number[i];
    FF_CHECK(ff_formula_value(&family->rate, own, 0, stack) == rate + i + 1);
  }
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

static void finds_what_never_binds(void) {
  static const char *const guards[] = {"x > 2", "x < 3", "x > 1 & g == red & g == blue", "x == y"};
  ff_petri *net = NULL;
  ff_error err;
  FF_CHECK_OK(petri_small(&net, 2, &err), &err);
  for (int i = 0; i < 4; i++)
    FF_CHECK_OK(petri_add(net, "t", FF_PETRI_STOCHASTIC, "A -> B", guards[i], NULL, NULL, i == 1 ? "0" : "1", 0, &err), &err);
  FF_CHECK_OK(petri_add(net, "t", FF_PETRI_STOCHASTIC, "Ca[x + 2,y] -> B", NULL, NULL, NULL, "1", 0, &err), &err);
  FF_CHECK_OK(petri_add(net, "t", FF_PETRI_STOCHASTIC, "A -> B", NULL, NULL, NULL, "Ca[x - 1,1]", 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  ff_petri_flat *flat = unfold(net);
  FF_CHECK_INT(flat->n_never, 3);
  FF_CHECK(flat->never[0] == 0 && flat->never[1] == 2 && flat->never[2] == 4);
  FF_CHECK_INT(flat->n_families, 2);
  FF_CHECK(flat->family[1].n == 1 && flat->family[1].binding[0] == 2);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

static void refuses_markings(void) {
  static const struct {
    const char *element, *value, *part;
  } cases[] = {
      {"A", "1.5", "the initial marking of the discrete place \"A\" is 1.5; expected a whole number from 0 to 2^53"},
      {"S100[x,y]", "x - 2", "discrete place \"S100[1,1]\" is -1"},
      {"Ca[2,2]", "-0.5",
       "the initial marking of the continuous place \"Ca[2,2]\" is -0.5; expected a finite number of at least 0"},
      {"Ca", "1/0", "place \"Ca[1,1]\" is Inf"},
      {"A", "2^54", "discrete place \"A\" is 18014398509481984"},
      {"Ca[3,1]", "1", "an initial marking of place \"Ca\" has a colour that the place does not have"},
      {"G", "x", "names index \"x\" of the set \"X\"; expected an index of a set"},
      {"Ca", "x + a", "names index \"a\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ff_petri *net = NULL;
    ff_petri_flat *flat = NULL;
    ff_error err;
    FF_CHECK_OK(petri_small(&net, 2, &err), &err);
    FF_CHECK_OK(ff_petri_add_marking(net, cases[i].element, NULL, cases[i].value, 0, petri_nowhere, &err), &err);
    FF_CHECK_OK(ff_petri_finish(net, &err), &err);
    FF_CHECK_FAILS(ff_petri_unfold(&flat, net, &err), FF_EMODEL, &err, cases[i].part);
    FF_CHECK(flat == NULL);
    ff_petri_free(net);
  }
}

static void refuses_schedules(void) {
  ff_petri *net = NULL;
  ff_petri_flat *flat = NULL;
  ff_error err;
  uint32_t t;
  FF_CHECK_OK(petri_small(&net, 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_transition(net, "t", FF_PETRI_SCHEDULED, &t, &err), &err);
  FF_CHECK_OK(ff_petri_at(net, t, 0, "1 / (m - 1)", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_FAILS(ff_petri_unfold(&flat, net, &err), FF_EMODEL, &err,
                 "transition \"t\": the begin is Inf; expected a finite number");
  FF_CHECK_OK(ff_petri_at(net, t, 0, "k", petri_nowhere, &err), &err);
  flat = unfold(net);
  FF_CHECK(flat->family[0].at[0] == 0.5 && flat->family[0].at[1] == 0 && flat->family[0].at[2] == INFINITY);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

static void refuses_variables(void) {
  ff_petri *net = NULL;
  ff_petri_flat *flat = NULL;
  ff_error err;
  FF_CHECK_OK(petri_small(&net, 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_variable(net, "v", &err), &err);
  FF_CHECK_OK(ff_petri_variable_text(net, 0, "Ca[1,3]", petri_nowhere, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_FAILS(ff_petri_unfold(&flat, net, &err), FF_EMODEL, &err,
                 "variable \"v\" names a colour that place \"Ca\" does not have");
  ff_petri_free(net);
}

/* A_1 with the colour 2, and A with the colours 1 and 2. */
static void finds_clashes(void) {
  ff_petri *net = NULL;
  ff_error err;
  FF_CHECK_OK(petri_small(&net, 2, &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "Ca_1", ff_petri_set_number(net, "X", 1), 0, 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  ff_petri_flat *flat = unfold(net);
  FF_CHECK_OK(ff_petri_check_names(flat, ",", &err), &err);
  FF_CHECK_FAILS(ff_petri_check_names(flat, "_", &err), FF_EMODEL, &err,
                 "\"Ca[1,1]\" and \"Ca_1[1]\" would both be called \"Ca_1_1\"");
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

static void refuses_sizes(void) {
  static int64_t numbers[10000];
  ff_petri *net = NULL;
  ff_petri_flat *flat = NULL;
  ff_error err;
  for (int i = 0; i < 10000; i++) numbers[i] = i;
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "X", numbers, 8192, &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "Cell", "X * X", petri_nowhere, &err), &err);
  for (int i = 0; i < 5; i++) {
    char name[2] = {(char)('A' + i), '\0'};
    FF_CHECK_OK(ff_petri_add_place(net, name, 1, 0, 0, &err), &err);
  }
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_FAILS(ff_petri_unfold(&flat, net, &err), FF_ESIZE, &err, "335544320 places up to those of");
  FF_CHECK_OK(ff_petri_add_values(net, "Y", numbers, 10000, &err), &err);
  FF_CHECK_OK(ff_petri_add_set_text(net, "Large", "X * Y", petri_nowhere, &err), &err);
  FF_CHECK_FAILS(ff_petri_finish(net, &err), FF_ESIZE, &err, "81920000");
  ff_petri_free(net);
}

/* Without a guard, choices are counted before they are listed, which would take 100 TB here. */
static void refuses_many_choices(void) {
  static int64_t numbers[1 << 14];
  static const char *const names[] = {"x", "y", "z"};
  ff_petri *net = NULL;
  ff_petri_flat *flat = NULL;
  ff_error err;
  for (int i = 0; i < 1 << 14; i++) numbers[i] = i;
  FF_CHECK_OK(ff_petri_new(&net, &err), &err);
  FF_CHECK_OK(ff_petri_add_values(net, "X", numbers, 1 << 14, &err), &err);
  for (int i = 0; i < 3; i++) FF_CHECK_OK(ff_petri_add_index(net, names[i], "X", &err), &err);
  FF_CHECK_OK(ff_petri_add_place(net, "A", ff_petri_set_number(net, "X", 1), 0, 0, &err), &err);
  FF_CHECK_OK(petri_add(net, "jump", FF_PETRI_STOCHASTIC, "A[x] + A[y] -> A[z]", NULL, NULL, NULL, "1", 0, &err), &err);
  FF_CHECK_OK(ff_petri_finish(net, &err), &err);
  FF_CHECK_FAILS(ff_petri_unfold(&flat, net, &err), FF_ESIZE, &err,
                 "transition \"jump\": there are at least 4.398046511e+12 choices of colours");
  ff_petri_free(net);
}

FF_TEST_MAIN("petri_unfold", unfolds_as_brute_force, unfolds_calcium, merges_arcs, splits_families, makes_sums,
             finds_what_never_binds, refuses_markings, refuses_schedules, refuses_variables, finds_clashes, refuses_sizes,
             refuses_many_choices)
