/* Steady states and influences: the estimator behind an external pointer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../pbn/estimate/ff_pbn_estimate.h"
#include "../pbn/estimate/ff_influence.h"
#include "ffi_backend.h"
#include "ffi_values.h"

/* Everything that one estimate owns. `observables` owns the terms; ff_influence_free() frees them. */
typedef struct {
  ff_observables observables;
  ff_counted counted;
  ff_pbn_program *program;
  ff_monitors monitors; /* the observables that the pilot counts, and its program */
  ff_counted pilot_counted;
  ff_pbn_program *pilot_program;
  ff_pairs pairs; /* of nodes that the pilot watches */
  ff_pbn_estimate *estimate;
} held;

enum { KEPT_NETWORK, KEPT_BACKEND }; /* positions in the list that lives as long as the pointer */

static void release(SEXP pointer) {
  held *h = R_ExternalPtrAddr(pointer);
  if (h == NULL) return;
  SEXP backend = VECTOR_ELT(R_ExternalPtrProtected(pointer), KEPT_BACKEND);
  /* in a forked process, objects that the backend made must not be freed */
  if (backend == R_NilValue || ffi_backend_may_free(backend)) ff_pbn_estimate_free(h->estimate);
  ff_pbn_program_free(h->program);
  ff_pbn_program_free(h->pilot_program);
  ff_counted_free(&h->counted);
  ff_counted_free(&h->pilot_counted);
  ff_monitors_free(&h->monitors);
  ff_pairs_free(&h->pairs);
  ff_influence_free(&h->observables);
  free(h);
  R_ClearExternalPtr(pointer);
}

/* The pointer is made first, so that a later R error leaks nothing. The estimate's messages use the network's names. */
static SEXP hold(held **out, SEXP network) {
  SEXP kept = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(kept, KEPT_NETWORK, network);
  SEXP pointer = PROTECT(ffi_pointer(release, 1, kept));
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an estimate");
  R_SetExternalPtrAddr(pointer, h);
  UNPROTECT(2);
  *out = h;
  return pointer;
}

static held *held_of(SEXP pointer) { return ffi_held(pointer, "an estimate"); }

static double number(SEXP list, const char *name) { return ffi_number(ffi_element(list, name), name); }

static int whole(SEXP list, const char *name) { return ffi_int(ffi_element(list, name), name); }

static uint64_t count(SEXP list, const char *name) { return ffi_count(ffi_element(list, name), name, FFI_MOST); }

/* `precision` is one number, or one for each of n observables. Its memory remains R's. A seed up to 2^53 is the key itself. */
static ff_pbn_estimate_options options_of(SEXP list, uint32_t n) {
  SEXP precision = ffi_element(list, "precision");
  const R_xlen_t given = Rf_xlength(precision);
  const double *precisions =
      ffi_doubles(precision, given == n ? n : 1, FFI_ARGUMENT, "precision", "one number, or one for each answer");
  return (ff_pbn_estimate_options){.precision = given > 0 ? precisions[0] : NA_REAL,
                               .precisions = given == n ? precisions : NULL,
                               .z = number(list, "z"),
                               .epsilon = number(list, "epsilon"),
                               .key = count(list, "seed"),
                               .max_burn_in = count(list, "max_burn_in"),
                               .shard = (uint32_t)whole(list, "shard"),
                               .n_shards = (uint32_t)whole(list, "shards"),
                               .threads = whole(list, "threads"),
                               .simd = (ff_simd)whole(list, "simd"),
                               .go_on = whole(list, "go_on"),
                               .explore = (ff_explore)whole(list, "explore")};
}

/* Makes the influences of from[i] on to[i] in h->observables. Nodes are numbered from 1. */
static void hold_influences(held *h, const ff_pbn *pbn, SEXP from, SEXP to) {
  ff_error err;
  const uint32_t *first = ffi_nodes(from, -1, "from", pbn->n_nodes);
  const uint32_t *second = ffi_nodes(to, Rf_xlength(from), "to", pbn->n_nodes);
  ffi_check(ff_influence_new(&h->observables, pbn, first, second, (uint32_t)Rf_xlength(from), &err), &err);
}

/* Inserts state sets, given as text, before the observables that h->observables holds. */
static void hold_sets(held *h, const ff_pbn *pbn, SEXP sets) {
  ff_error err;
  const char *const *texts = ffi_sets(sets);
  uint32_t n = (uint32_t)Rf_xlength(sets);
  if (n == 0) return;
  ff_expr *terms = ff_calloc(n, sizeof *terms);
  ff_status status = terms == NULL ? ff_error_set(&err, FF_EMEMORY, "no memory for %u state sets", n)
                                   : ffi_parse_sets(terms, texts, n, pbn, &err);
  if (status == FF_OK) status = ff_observables_put_sets(&h->observables, terms, n, &err);
  for (uint32_t i = 0; status != FF_OK && terms != NULL && i < n; i++) ff_expr_free(&terms[i]);
  free(terms);
  ffi_check(status, &err);
}

/* The largest number of nodes that a pilot monitors: a packed program evaluates each of them whenever a state changes. */
#define MOST_NODES 4096
#define MOST_PAIRS 128
#define MOST_FUNCTIONS 64
#define MOST_WATCHED 4096 /* nodes and pairs that a pilot watches at some instants */
#define MOST_PACKED_NODES 32
#define MOST_PACKED_PAIRS 3
#define MOST_PACKED_FUNCTIONS 3

static void hold_programs(held *h, const ff_pbn *pbn, ff_layout layout) {
  ff_error err;
  ffi_check(ff_counted_new(&h->counted, &h->observables, &err), &err);
  ffi_check(ff_pbn_program_new(&h->program, pbn, &h->counted.counted, layout, &err), &err);
  int packed = ff_pbn_program_layout(h->program) == FF_LAYOUT_PACKED;
  ffi_check(ff_monitors_new(&h->monitors, &h->observables, pbn, packed ? MOST_PACKED_NODES : MOST_NODES,
                            packed ? MOST_PACKED_PAIRS : MOST_PAIRS,
                            packed ? MOST_PACKED_FUNCTIONS : MOST_FUNCTIONS, &err), &err);
  uint64_t n = pbn->n_nodes, most_pairs = packed ? MOST_PACKED_PAIRS : MOST_PAIRS;
  /* otherwise all pairs have monitors, or a device may run the pilot */
  if (ff_pbn_program_forgets(h->program) && n * (n - 1) / 2 > most_pairs && n < FF_LONG_PILOT)
    ffi_check(ff_pairs_new(&h->pairs, &h->observables, pbn, packed ? MOST_PACKED_NODES : MOST_NODES, MOST_WATCHED, &err), &err);
  ffi_check(ff_counted_new(&h->pilot_counted, &h->monitors.observables, &err), &err);
  ffi_check(ff_pbn_program_new(&h->pilot_program, pbn, &h->pilot_counted.counted, layout, &err), &err);
  ff_pbn_program_spread(h->program);
  ff_pbn_program_spread(h->pilot_program);
}

/* Makes an estimate of state sets (text) and influences from one simulation. There may be none of either kind. */
SEXP ffi_estimate_new(SEXP model, SEXP sets, SEXP from, SEXP to, SEXP options) {
  ff_error err;
  ff_pbn *pbn;
  held *h;
  SEXP network = PROTECT(ffi_pbn_hold(model, &pbn));
  SEXP pointer = PROTECT(hold(&h, network));
  hold_influences(h, pbn, from, to);
  hold_sets(h, pbn, sets);
  ffi_check(ff_observables_hold(&h->observables, pbn, &err), &err);
  hold_programs(h, pbn, (ff_layout)whole(options, "layout"));
  ff_pbn_estimate_options how = options_of(options, h->observables.n);
  ff_clockwork clockwork;
  if (!ff_pbn_program_forgets(h->program)) {
    ffi_check(ff_clockwork_find(&clockwork, pbn, &err), &err);
    how.clockwork = &clockwork;
  }
  how.monitors = &h->monitors;
  how.names = pbn->names;
  how.pairs = &h->pairs;
  how.network = pbn; /* `kept` of the pointer keeps it */
  ff_counting run = {h->program, &h->observables, h->counted.at};
  ff_counting pilot = {h->pilot_program, &h->monitors.observables, h->pilot_counted.at};
  ffi_check(ff_pbn_estimate_new(&h->estimate, &run, &pilot, how, &err), &err);
  UNPROTECT(2);
  return pointer;
}

SEXP ffi_estimate_long_pilot(SEXP pointer) { return Rf_ScalarLogical(ff_pbn_estimate_long_pilot(held_of(pointer)->estimate)); }

/* Lets devices of a backend (numbered from 0) do the pilot or the run when they are ready. Called before the first call of
 * ffi_estimate_advance(), or between pilot and run. `kernel` is the name of a kernel, or NULL. */
SEXP ffi_estimate_use(SEXP pointer, SEXP backend, SEXP devices, SEXP kernel, SEXP cache) {
  ff_error err;
  held *h = held_of(pointer);
  ff_fleet_choice choice = {.calls = ffi_backend_interface(backend, FF_PBN_INTERFACE),
                             .devices = ffi_device_numbers(devices),
                             .n_devices = (uint32_t)Rf_xlength(devices),
                             .kernel = ffi_kernel(kernel),
                             .cache = ffi_cache(cache)};
  SET_VECTOR_ELT(R_ExternalPtrProtected(pointer), KEPT_BACKEND, backend);
  ffi_check(ff_pbn_estimate_use(h->estimate, &choice, &err), &err);
  return R_NilValue;
}

/* Waits for the devices for `seconds` at most. Returns whether they can start. */
SEXP ffi_estimate_ready(SEXP pointer, SEXP seconds) {
  ff_error err;
  int ready = 0;
  held *h = held_of(pointer);
  R_CheckUserInterrupt();
  ffi_check(ff_pbn_estimate_ready(h->estimate, ffi_number(seconds, "seconds"), &ready, &err), &err);
  return Rf_ScalarLogical(ready);
}

/* Works for about `seconds`. Returns list(done, phase, steps, fraction, width, rhat, waits, planned, burn_in, window), all
 * numbers. waits is 1 between pilot and run. planned is the number of trajectory-steps of the run; in the pilot, that of its
 * current window with burn-in. burn_in and window are the steps of a trajectory in the present phase. forgets is 1 if the start
 * is forgotten. */
SEXP ffi_estimate_advance(SEXP pointer, SEXP seconds) {
  static const char *const names[] = {"done",  "phase",   "steps",   "fraction", "width", "rhat",
                                      "waits", "planned", "burn_in", "window",   "forgets"};
  ff_error err;
  held *h = held_of(pointer);
  int done = 0;
  R_CheckUserInterrupt(); /* R itself checks only once in a thousand evaluations, and a call takes only a few */
  ffi_check(ff_pbn_estimate_advance(h->estimate, ffi_number(seconds, "seconds"), &done, &err), &err);
  ff_progress p = ff_pbn_estimate_progress(h->estimate);
  ff_plan plan = ff_pbn_estimate_plan(h->estimate);
  double values[] = {done,    p.phase, (double)p.steps, p.fraction, p.width, p.rhat, ff_pbn_estimate_waits(h->estimate),
                     ff_pbn_estimate_planned(h->estimate), (double)plan.burn_in, (double)(plan.half[0] + plan.half[1]),
                     ff_pbn_program_forgets(h->program)};
  return ffi_numbers(11, names, values);
}

static const char *const moment_names[] = {"mean", "se",   "visits", "se_two_state", "se_between", "rhat",   "drift", "inflation",
                                           "gap",  "alpha", "beta",   "n01",          "n10",        "visited", "unseen_off",
                                           "unseen_on"};
#define N_MOMENTS 16

/* Returns a matrix with one row per observable. */
static SEXP moments_of(const ff_pbn_tally *tally) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)tally->n, N_MOMENTS));
  SEXP names = PROTECT(Rf_allocVector(VECSXP, 2)), columns = PROTECT(Rf_allocVector(STRSXP, N_MOMENTS));
  for (int j = 0; j < N_MOMENTS; j++) SET_STRING_ELT(columns, j, Rf_mkChar(moment_names[j]));
  SET_VECTOR_ELT(names, 1, columns);
  Rf_setAttrib(out, R_DimNamesSymbol, names);
  for (uint32_t i = 0; i < tally->n; i++) {
    ff_moments m = ff_pbn_tally_moments(tally, i);
    double values[N_MOMENTS] = {m.mean, m.se,    m.visits, m.se_two_state, m.se_between,  m.rhat, m.drift, m.inflation,
                                m.gap,  m.alpha, m.beta,   (double)m.n01,  (double)m.n10, m.visited, m.unseen[0], m.unseen[1]};
    for (int j = 0; j < N_MOMENTS; j++) REAL(out)[(size_t)j * tally->n + i] = values[j];
  }
  UNPROTECT(3);
  return out;
}

/* Returns a tally as bytes, to be merged with others of its plan. Numbers are stored in this machine's representation, which the
 * first word identifies. */
#define TALLY_MARK UINT64_C(0x6666746C00000003)

static SEXP bytes_of(const ff_pbn_tally *t) {
  size_t words = 6 + ((size_t)t->n + 1) + t->n_terms + t->n_words, at = 0;
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(words * 8)));
  uint64_t *to = (uint64_t *)R_alloc(words, 8);
  to[at++] = TALLY_MARK;
  to[at++] = t->n;
  to[at++] = t->n_terms;
  to[at++] = t->tiles;
  to[at++] = t->half[0];
  to[at++] = t->half[1];
  for (uint32_t i = 0; i <= t->n; i++) to[at++] = t->first[i];
  memcpy(to + at, t->weights, t->n_terms * sizeof(double));
  memcpy(to + at + t->n_terms, t->words, t->n_words * sizeof(uint64_t));
  memcpy(RAW(out), to, words * 8);
  UNPROTECT(1);
  return out;
}

/* Fills *out from bytes. Its arrays are in R's transient memory. */
static void tally_of(ff_pbn_tally *out, SEXP bytes) {
  ffi_typed(bytes, RAWSXP, -1, FFI_RESULT, "tally", "bytes");
  size_t words = (size_t)XLENGTH(bytes) / 8;
  uint64_t *from = (uint64_t *)R_alloc(words > 6 ? words : 6, 8);
  memcpy(from, RAW(bytes), words * 8);
  if (words >= 6 && from[0] == TALLY_MARK) {
    *out = (ff_pbn_tally){.n = (uint32_t)from[1], .n_terms = (uint32_t)from[2], .tiles = from[3], .half = {from[4], from[5]}};
    out->n_words = ff_pbn_sums_words(out->n_terms, out->n);
    if (words == 7 + (size_t)out->n + out->n_terms + out->n_words) {
      out->first = (uint32_t *)R_alloc((size_t)out->n + 1, sizeof *out->first);
      int ascending = from[6] == 0 && from[6 + out->n] == out->n_terms;
      for (uint32_t i = 0; i <= out->n; i++) {
        out->first[i] = (uint32_t)from[6 + i];
        ascending &= from[6 + i] <= out->n_terms && (i == 0 || from[6 + i] >= from[5 + i]);
      }
      out->weights = (double *)(from + 7 + out->n);
      out->words = from + 7 + out->n + out->n_terms;
      if (ascending) return;
    }
  }
  ff_error err;
  ff_error_set(&err, FF_EARGUMENT, "the sums in a result come from another version of fireflip or another kind of machine");
  ffi_stop(&err);
}

/* Adds up the tallies of several parts of one plan. Returns list(moments, tally, tiles). */
SEXP ffi_tally_merge(SEXP tallies) {
  static const char *const names[] = {"moments", "tally", "tiles"};
  ff_error err;
  ff_pbn_tally sum, other;
  ffi_listed(tallies, 1, "tallies");
  tally_of(&sum, VECTOR_ELT(tallies, 0));
  for (R_xlen_t i = 1; i < XLENGTH(tallies); i++) {
    tally_of(&other, VECTOR_ELT(tallies, i));
    ffi_check(ff_pbn_tally_merge(&sum, &other, &err), &err);
  }
  SEXP out = PROTECT(ffi_list(3, names));
  ffi_set(out, "moments", moments_of(&sum));
  ffi_set(out, "tally", bytes_of(&sum));
  ffi_set(out, "tiles", Rf_ScalarReal((double)sum.tiles));
  UNPROTECT(1);
  return out;
}

/* Makes an estimate in the state that the undivided run has after the tiles of all parts. */
SEXP ffi_estimate_resume(SEXP pointer, SEXP tally, SEXP burn_in, SEXP window, SEXP tiles, SEXP doubt) {
  ff_error err;
  held *h = held_of(pointer);
  double plan[] = {ffi_number(burn_in, "burn_in"), ffi_number(window, "window"), ffi_number(tiles, "tiles")};
  for (int i = 0; i < 3; i++)
    if (!(plan[i] >= 1 && plan[i] < 9e15)) plan[i] = 0; /* refused below */
  uint64_t steps = (uint64_t)plan[1];
  ff_pbn_tally sum;
  tally_of(&sum, tally);
  ff_plan whole = {.burn_in = (uint64_t)plan[0], .half = {steps / 2, steps - steps / 2}, .tiles = (uint64_t)plan[2]};
  ffi_check(ff_pbn_estimate_resume(h->estimate, whole, &sum, doubt == R_NilValue ? NULL : ffi_text(doubt, "doubt"), &err), &err);
  return R_NilValue;
}

static SEXP trace_of(const ff_pbn_estimate *estimate) {
  static const char *const names[] = {"phase", "samples", "rhat", "width", "burn_in"};
  size_t n;
  const ff_trace *trace = ff_pbn_estimate_trace(estimate, &n);
  SEXP out = PROTECT(ffi_list(5, names));
  for (int j = 0; j < 5; j++) SET_VECTOR_ELT(out, j, Rf_allocVector(REALSXP, (R_xlen_t)n));
  for (size_t i = 0; i < n; i++) {
    double values[] = {trace[i].phase, trace[i].samples, trace[i].rhat, trace[i].width, trace[i].burn_in};
    for (int j = 0; j < 5; j++) REAL(VECTOR_ELT(out, j))[i] = values[j];
  }
  UNPROTECT(1);
  return out;
}

/* Sets a field to a vector of n numbers, which it returns. */
static double *set_numbers(SEXP list, const char *name, uint32_t n) {
  SEXP numbers = Rf_allocVector(REALSXP, (R_xlen_t)n);
  ffi_set(list, name, numbers);
  return REAL(numbers);
}

/* For each observable: steps, means from starts outside and inside. */
static void set_memory(SEXP out, const held *h) {
  double steps;
  const double *share = ff_pbn_estimate_recall(h->estimate, &steps);
  SEXP memory = Rf_allocMatrix(REALSXP, 3, (int)h->observables.n);
  ffi_set(out, "memory", memory);
  for (uint32_t i = 0; i < h->observables.n; i++) {
    REAL(memory)[3 * (size_t)i] = steps;
    for (int j = 0; j < 2; j++) REAL(memory)[3 * (size_t)i + 1 + (size_t)j] = share[2 * i + (uint32_t)j];
  }
}

SEXP ffi_estimate_result(SEXP pointer) {
  static const char *const names[] = {"moments", "tally",  "tiles",  "burn_in", "window", "planned_tiles", "thinning",
                                      "trace",   "layout", "reason", "bytes",   "constant", "stretch",       "wanted_rhat",
                                      "device", "forgets", "doubt", "memory", "period", "certain", "exact", "reached",
                                      "known", "stuck"};
  held *h = held_of(pointer);
  const ff_pbn_tally *tally = ff_pbn_estimate_tally(h->estimate); /* with an exact answer, that of the pilot */
  uint32_t n = h->observables.n;
  ff_plan plan = ff_pbn_estimate_plan(h->estimate);
  uint32_t reached, stuck = ff_pbn_estimate_stuck(h->estimate);
  int answer;
  const double *exact = ff_pbn_estimate_exact(h->estimate, &reached, &answer);
  SEXP out = PROTECT(ffi_list(24, names));
  ffi_set(out, "moments", moments_of(tally));
  ffi_set(out, "tally", bytes_of(tally));
  ffi_set(out, "tiles", Rf_ScalarReal((double)tally->tiles));
  ffi_set(out, "burn_in", Rf_ScalarReal((double)plan.burn_in));
  ffi_set(out, "window", Rf_ScalarReal((double)(plan.half[0] + plan.half[1])));
  ffi_set(out, "planned_tiles", Rf_ScalarReal((double)plan.tiles));
  double *thinning = set_numbers(out, "thinning", n);
  for (uint32_t i = 0; i < n; i++) thinning[i] = ff_pbn_estimate_thinning(h->estimate)[i];
  ffi_set(out, "trace", trace_of(h->estimate));
  ffi_set(out, "layout", Rf_mkString(ff_layout_name(ff_pbn_program_layout(h->program))));
  ffi_set(out, "reason", Rf_mkString(ff_pbn_program_reason(h->program)));
  ffi_set(out, "bytes", Rf_ScalarReal((double)ff_pbn_estimate_bytes(h->estimate)));
  double *constant = set_numbers(out, "constant", n);
  for (uint32_t i = 0; i < n; i++) {
    const double value = ff_observable_constant(&h->observables, i);
    constant[i] = isnan(value) ? NA_REAL : value;
  }
  ffi_set(out, "stretch", Rf_ScalarReal(ff_pbn_estimate_stretch(h->estimate)));
  ffi_set(out, "wanted_rhat", Rf_ScalarReal(FF_CONVERGED));
  const ff_ensemble_info *info = ff_pbn_estimate_device(h->estimate);
  if (info != NULL) ffi_set(out, "device", ffi_device(info, ff_pbn_estimate_lost(h->estimate)));
  ffi_set(out, "forgets", Rf_ScalarLogical(ff_pbn_program_forgets(h->program)));
  const ff_error *doubt = ff_pbn_estimate_doubt(h->estimate);
  if (doubt != NULL) ffi_set(out, "doubt", Rf_mkString(doubt->text));
  ffi_set(out, "period", Rf_ScalarReal((double)ff_pbn_estimate_period(h->estimate)));
  SEXP certain = Rf_allocVector(LGLSXP, (R_xlen_t)n);
  ffi_set(out, "certain", certain);
  for (uint32_t i = 0; i < n; i++) LOGICAL(certain)[i] = ff_pbn_estimate_certain(h->estimate)[i];
  ffi_set(out, "reached", Rf_ScalarReal(reached));
  if (stuck != UINT32_MAX) ffi_set(out, "stuck", Rf_ScalarReal(stuck + 1.0));
  if (exact != NULL) memcpy(set_numbers(out, "known", n), exact, n * sizeof *exact);
  if (exact != NULL && answer) memcpy(set_numbers(out, "exact", n), exact, n * sizeof *exact);
  set_memory(out, h);
  UNPROTECT(1);
  return out;
}

/* Returns list(cores, simd), which this process may use. simd is 0 for portable code, 1 for AVX2, 2 for AVX-512. */
SEXP ffi_machine(void) {
  static const char *const names[] = {"cores", "simd"};
  double values[] = {ff_cores(), ff_simd_best()};
  return ffi_numbers(2, names, values);
}
