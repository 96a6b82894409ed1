/* Programs at work: ensembles of trajectories, and the cycles that they take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../ssp/cycles/ff_ssp_cycles.h"
#include "../../ssp/cycles/ff_ssp_trace.h"
#include "../ffi_ensemble.h"
#include "../ffi_values.h"
#include "ffi_ssp.h"

/* ---- ensembles ------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_ssp_program *program;
  ff_ssp_code *code;
} held;

static void drop(held *h) {
  ff_ssp_code_free(h->code);
  ff_ssp_program_free(h->program);
  h->code = NULL;
  h->program = NULL;
}

static void release(void *own) {
  held *h = own;
  if (h == NULL) return;
  drop(h);
  free(h);
}

static void read_image(ff_ssp_program **program, SEXP image) {
  ff_error err;
  ffi_typed(image, RAWSXP, -1, FFI_ARGUMENT, "program$image", "a raw vector");
  ffi_check(ff_ssp_image_read(program, RAW(image), (size_t)Rf_xlength(image), &err), &err);
}

static const void *make(ffi_ensemble *ensemble, SEXP image, SEXP options, uint64_t seed, ff_run_options *o) {
  held *h = ff_calloc(1, sizeof *h);
  if (h == NULL) ffi_no_memory("an ensemble");
  *ffi_ensemble_own(ensemble) = h;
  ff_error err;
  read_image(&h->program, image);
  ffi_check(ff_ssp_code_new(&h->code, h->program, &err), &err);
  ffi_ensemble_observe(ensemble, options, h->program->n_species);
  *o = ffi_ensemble_options(ensemble, options, seed, NULL, h->program->n_species);
  return h->code;
}

/* Returns list(method, varies). `varies` tells for each observed species whether a reaction changes it. One walk over the changes
 * answers for all species: a network may have a million of both. */
static SEXP describe(const void *own, const uint32_t *observed, uint32_t n) {
  static const char *const names[] = {"method", "varies"};
  const ff_ssp_program *p = ((const held *)own)->program;
  SEXP out = PROTECT(ffi_list(2, names)), varies = Rf_allocVector(LGLSXP, n);
  ffi_set(out, "varies", varies);
  char *changes = R_alloc((size_t)p->n_species + 1, 1); /* by the network's numbers */
  memset(changes, 0, (size_t)p->n_species + 1);
  for (size_t i = 0; i < (size_t)p->n_reactions * FF_SSP_CHANGES; i++)
    if (p->vectors[i] != 0) changes[p->species[ff_ssp_change_spid(p->vectors[i])]] = 1;
  for (uint32_t j = 0; j < n; j++) LOGICAL(varies)[j] = changes[observed[j]];
  ffi_set(out, "method", Rf_mkString("first_reaction"));
  UNPROTECT(1);
  return out;
}

static const ffi_engine engine = {&ff_ssp_engine, "ssp", make, release, describe};

/* As ffi_ensemble_make(), for the image of a program. */
SEXP ffi_ssp_new(SEXP image, SEXP options) { return ffi_ensemble_make(&engine, image, options); }

/* ---- cycles ----------------------------------------------------------------------------------------------------------- */

/* Reactions that have fired, for ff_ssp_source. */
typedef struct {
  const int *reactions; /* numbers from 1, first by trajectory: R's memory */
  uint64_t *next, *end; /* of each trajectory: the next place in `reactions`, and the end of its own */
} fired;

typedef struct {
  ff_ssp_program *program;
  ff_ssp_cycles *run;
  ff_ssp_trace *trace;
  fired fired;
} clocked;

static void finalize_clocked(SEXP pointer) {
  clocked *c = R_ExternalPtrAddr(pointer);
  R_ClearExternalPtr(pointer);
  if (c == NULL) return;
  ff_ssp_cycles_free(c->run);
  ff_ssp_trace_free(c->trace);
  ff_ssp_program_free(c->program);
  free(c->fired.next);
  free(c->fired.end);
  free(c);
}

/* A pointer to a run that has not begun, which the caller PROTECTs. It keeps `kept`. */
static SEXP hold(clocked **c, SEXP image, SEXP kept) {
  SEXP holder = PROTECT(ffi_pointer(finalize_clocked, 0, kept));
  *c = ff_calloc(1, sizeof **c);
  if (*c == NULL) ffi_no_memory("a processor");
  R_SetExternalPtrAddr(holder, *c);
  read_image(&(*c)->program, image);
  UNPROTECT(1);
  return holder;
}

/* Bytes that a run may ask for; NA: any number, which is 0 for the core. If there is no memory left, hardly any. */
static uint64_t memory_of(SEXP memory) {
  const double bytes = Rf_asReal(memory);
  if (ISNAN(bytes) || bytes >= 1e18) return 0;
  return bytes < 1 ? 1 : (uint64_t)bytes;
}

/* Begins a run. `options` is list(seed, first, nsim, last, steps, error, memory, times, counts): trajectories first + 1 ...
 * first + nsim, until time `last` or for so many steps (0: any number), sampled to this relative error of the cycles of a step
 * (0: not). The run asks for at most `memory` bytes. `times` and `counts` are NULL, or numbers that the run
 * overwrites with the times and the counts at the ends of trajectories. So nobody else may hold them. */
SEXP ffi_ssp_cycles_new(SEXP image, SEXP options) {
  ff_ssp_cycles_options o = {.key = ffi_count(ffi_element(options, "seed"), "seed", FFI_MOST),
                             .first = ffi_count(ffi_element(options, "first"), "first", FFI_MOST),
                             .n = ffi_count(ffi_element(options, "nsim"), "nsim", FFI_MOST),
                             .last = ffi_number(ffi_element(options, "last"), "last"),
                             .steps = ffi_count(ffi_element(options, "steps"), "steps", FFI_MOST),
                             .error = ffi_number(ffi_element(options, "error"), "error"),
                             .memory = memory_of(ffi_element(options, "memory"))};
  ff_error err;
  clocked *c;
  SEXP holder = PROTECT(hold(&c, image, options));
  SEXP times = ffi_element(options, "times"), counts = ffi_element(options, "counts");
  if (times != R_NilValue) {
    o.times = REAL(ffi_typed(times, REALSXP, (R_xlen_t)o.n, FFI_ARGUMENT, "times", "numbers"));
    o.states = REAL(ffi_typed(counts, REALSXP, (R_xlen_t)(o.n * c->program->n_species), FFI_ARGUMENT, "counts", "numbers"));
  }
  ffi_check(ff_ssp_cycles_new(&c->run, c->program, &o, &err), &err);
  UNPROTECT(1);
  return holder;
}

static uint32_t next_fired(void *of, uint64_t trajectory) {
  fired *f = of;
  return f->next[trajectory] < f->end[trajectory] ? (uint32_t)f->reactions[f->next[trajectory]++] - 1 : FF_SSP_ENDS;
}

/* Begins a run whose reactions have fired already. `reactions` has their numbers from 1, first by trajectory, and `counts` how
 * many each trajectory has. The run asks for at most `memory` bytes. */
SEXP ffi_ssp_replay_new(SEXP image, SEXP reactions, SEXP counts, SEXP memory) {
  ff_error err;
  clocked *c;
  SEXP holder = PROTECT(hold(&c, image, reactions));
  const R_xlen_t n = Rf_xlength(counts), events = Rf_xlength(reactions);
  ffi_typed(reactions, INTSXP, -1, FFI_ARGUMENT, "reactions", "integers");
  ffi_typed(counts, INTSXP, -1, FFI_ARGUMENT, "counts", "integers");
  for (R_xlen_t i = 0; i < events; i++)
    ffi_count_at(reactions, i, 1, c->program->n_reactions, FFI_ARGUMENT, "reactions", "numbers of reactions of the program");
  c->fired = (fired){INTEGER(reactions), ff_calloc((size_t)n, sizeof(uint64_t)), ff_calloc((size_t)n, sizeof(uint64_t))};
  if (c->fired.next == NULL || c->fired.end == NULL) ffi_no_memory("a processor");
  uint64_t sum = 0;
  for (R_xlen_t i = 0; i < n; i++) {
    c->fired.next[i] = sum;
    sum += ffi_count_at(counts, i, 0, (double)events, FFI_ARGUMENT, "counts", "numbers of reactions of trajectories");
    c->fired.end[i] = sum;
  }
  if (sum != (uint64_t)events)
    ffi_check(ff_error_set(&err, FF_EARGUMENT, "trajectories have %llu reactions in all, and %llu are given",
                           (unsigned long long)sum, (unsigned long long)events), &err);
  const ff_ssp_cycles_options o = {.n = (uint64_t)n, .memory = memory_of(memory), .fired = {next_fired, &c->fired}};
  ffi_check(ff_ssp_cycles_new(&c->run, c->program, &o, &err), &err);
  UNPROTECT(1);
  return holder;
}

/* Runs that work at the same time, each in a thread of its own. */
typedef struct {
  clocked **runs;
  double seconds;
  int *done;
  ff_status *status;
  ff_error *errors;
} together;

static void advance(void *context, int i) {
  together *t = context;
  t->status[i] = ff_ssp_cycles_advance(t->runs[i]->run, t->seconds, &t->done[i], &t->errors[i]);
}

/* The bytes that a run may take. */
SEXP ffi_ssp_cycles_bytes(SEXP pointer) {
  const clocked *c = ffi_held(pointer, "a processor");
  return Rf_ScalarReal((double)ff_ssp_cycles_bytes(c->run));
}

/* Lets the runs of a list, each in it once, work for about so many seconds, each in a thread. Returns list(done, ended, steps,
 * mean, error) with an element for each run, where ended is a number of trajectories. */
SEXP ffi_ssp_cycles_advance(SEXP pointers, SEXP seconds) {
  static const char *const names[] = {"done", "ended", "steps", "mean", "error"};
  const int n = (int)Rf_xlength(ffi_typed(pointers, VECSXP, -1, FFI_ARGUMENT, "pointers", "a list"));
  together t = {(clocked **)R_alloc((size_t)n + 1, sizeof(clocked *)), ffi_number(seconds, "seconds"),
                (int *)R_alloc((size_t)n + 1, sizeof(int)), (ff_status *)R_alloc((size_t)n + 1, sizeof(ff_status)),
                (ff_error *)R_alloc((size_t)n + 1, sizeof(ff_error))};
  for (int i = 0; i < n; i++) t.runs[i] = ffi_held(VECTOR_ELT(pointers, i), "a processor");
  R_CheckUserInterrupt();
  ff_parallel(n, advance, &t);
  for (int i = 0; i < n; i++) ffi_check(t.status[i], &t.errors[i]);
  SEXP out = PROTECT(ffi_list(5, names));
  for (int k = 0; k < 5; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, n));
  for (int i = 0; i < n; i++) {
    ff_ssp_pace pace;
    ff_ssp_cycles_pace(t.runs[i]->run, &pace);
    const double values[] = {t.done[i], (double)ff_ssp_cycles_ended(t.runs[i]->run), (double)ff_ssp_cycles_steps(t.runs[i]->run),
                             pace.mean, pace.error};
    for (int k = 0; k < 5; k++) REAL(VECTOR_ELT(out, k))[i] = values[k];
  }
  UNPROTECT(1);
  return out;
}

/* A matrix of numbers with a row for each state and a column for each RU of each SPE. */
static SEXP unit_cycles(const ff_ssp_timing *t, const ff_ssp_chip *chip) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, FF_SSP_N_STATES, (int)(chip->spes * chip->rus)));
  for (uint32_t u = 0; u < chip->spes * chip->rus; u++) {
    uint64_t cycles[FF_SSP_N_STATES];
    ff_ssp_timing_unit(t, u / chip->rus, u % chip->rus, cycles);
    for (int i = 0; i < FF_SSP_N_STATES; i++) REAL(out)[(size_t)u * FF_SSP_N_STATES + (size_t)i] = (double)cycles[i];
  }
  UNPROTECT(1);
  return out;
}

#define SPE_COUNTS 6

static SEXP spe_counts(const ff_ssp_timing *t, const ff_ssp_chip *chip) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, SPE_COUNTS, (int)chip->spes));
  for (uint32_t s = 0; s < chip->spes; s++) {
    ff_ssp_spe_counts of;
    double *at = REAL(out) + (size_t)s * SPE_COUNTS;
    ff_ssp_timing_spe(t, s, &of);
#define FF_X(name, unit, meaning) *at++ = (double)of.name;
    FF_SSP_SPE_COUNTS(FF_X)
#undef FF_X
  }
  UNPROTECT(1);
  return out;
}

#define ENERGIES 6 /* activate, read, write, refresh, active, precharged */
#define CHANNEL_COUNTS (FF_SSP_N_USES + 8 + ENERGIES)

/* For each channel: lines by use, cycles of the memory, bus cycles, activations, hits, refreshes, reads, writes, read latency,
 * and nJ. */
static SEXP channel_counts(const ff_ssp_timing *t, const ff_ssp_chip *chip) {
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, CHANNEL_COUNTS, (int)chip->channels));
  for (uint32_t k = 0; k < chip->channels; k++) {
    uint64_t lines[FF_SSP_N_USES];
    ff_dram_counts n;
    ff_dram_energy e;
    double *at = REAL(out) + (size_t)k * CHANNEL_COUNTS;
    ff_ssp_timing_channel(t, k, lines, &n);
    ff_dram_energy_of(ff_dram_part_at(chip->part), &n, &e);
    for (int i = 0; i < FF_SSP_N_USES; i++) *at++ = (double)lines[i];
    const double rest[8 + ENERGIES] = {(double)n.cycles,      (double)n.bus_cycles, (double)n.activations, (double)n.hits,
                                       (double)n.refreshes,   (double)n.reads,      (double)n.writes,      (double)n.read_latency,
                                       e.activate,            e.read,               e.write,               e.refresh,
                                       e.active,              e.precharged};
    for (int i = 0; i < 8 + ENERGIES; i++) *at++ = rest[i];
  }
  UNPROTECT(1);
  return out;
}

static SEXP state_names(void) {
  static const char *const states[] = {
#define FF_X(code, name, meaning) #name,
      FF_SSP_STATES(FF_X)
#undef FF_X
  };
  SEXP out = PROTECT(Rf_allocVector(STRSXP, FF_SSP_N_STATES));
  for (int i = 0; i < FF_SSP_N_STATES; i++) SET_STRING_ELT(out, i, Rf_mkChar(states[i]));
  UNPROTECT(1);
  return out;
}

/* Returns list(cycles, steps, mean, error, sampled, complete, states, units, spes, channels): the present cycle, the pace, the
 * names of states, and matrices. */
SEXP ffi_ssp_cycles_result(SEXP pointer) {
  static const char *const names[] = {"cycles",   "steps",  "mean",  "error", "sampled",
                                      "complete", "states", "units", "spes",  "channels"};
  clocked *c = ffi_held(pointer, "a processor");
  const ff_ssp_timing *t = ff_ssp_cycles_timing(c->run);
  const ff_ssp_chip *chip = &c->program->chip;
  ff_ssp_pace pace;
  ff_ssp_cycles_pace(c->run, &pace);
  SEXP out = PROTECT(ffi_list(10, names));
  ffi_set(out, "states", state_names());
  ffi_set(out, "cycles", Rf_ScalarReal((double)ff_ssp_timing_now(t)));
  ffi_set(out, "steps", Rf_ScalarReal((double)ff_ssp_timing_steps(t)));
  ffi_set(out, "mean", Rf_ScalarReal(pace.mean));
  ffi_set(out, "error", Rf_ScalarReal(pace.error));
  ffi_set(out, "sampled", Rf_ScalarReal((double)pace.steps));
  ffi_set(out, "complete", Rf_ScalarLogical(pace.complete));
  ffi_set(out, "units", unit_cycles(t, chip));
  ffi_set(out, "spes", spe_counts(t, chip));
  ffi_set(out, "channels", channel_counts(t, chip));
  UNPROTECT(1);
  return out;
}

/* ---- traces ----------------------------------------------------------------------------------------------------------- */

/* Begins a trace of at most `most` rows: a trajectory of each SPE, for so many steps. Its run asks for at most `memory` bytes. */
SEXP ffi_ssp_trace_new(SEXP image, SEXP seed, SEXP steps, SEXP most, SEXP memory) {
  ff_error err;
  clocked *c;
  SEXP holder = PROTECT(hold(&c, image, R_NilValue));
  const ff_ssp_cycles_options o = {.key = ffi_count(seed, "seed", FFI_MOST), .n = c->program->chip.spes, .last = INFINITY,
                                   .steps = ffi_count(steps, "steps", FFI_MOST), .memory = memory_of(memory)};
  ffi_check(ff_ssp_trace_new(&c->trace, c->program, &o, ffi_count(most, "most", FFI_MOST), &err), &err);
  UNPROTECT(1);
  return holder;
}

/* Works for about so many seconds. Returns whether the run has ended. */
SEXP ffi_ssp_trace_advance(SEXP pointer, SEXP seconds) {
  clocked *c = ffi_held(pointer, "a processor");
  ff_error err;
  int done;
  R_CheckUserInterrupt();
  ffi_check(ff_ssp_trace_advance(c->trace, ffi_number(seconds, "seconds"), &done, &err), &err);
  return Rf_ScalarLogical(done);
}

/* Returns list(states, state, step): the names of states, and for each RU and cycle, first by RU, the number of its state from 1
 * and that of its SPE's step; NA after the last one. */
SEXP ffi_ssp_trace_result(SEXP pointer) {
  static const char *const names[] = {"states", "state", "step"};
  const clocked *c = ffi_held(pointer, "a processor");
  const uint32_t spes = c->program->chip.spes, rus = c->program->chip.rus;
  const uint64_t n = ff_ssp_trace_cycles(c->trace);
  SEXP out = PROTECT(ffi_list(3, names));
  ffi_set(out, "states", state_names());
  SEXP state = Rf_allocVector(INTSXP, (R_xlen_t)(n * spes * rus));
  ffi_set(out, "state", state);
  SEXP step = Rf_allocVector(INTSXP, (R_xlen_t)(n * spes * rus));
  ffi_set(out, "step", step);
  size_t row = 0;
  for (uint32_t u = 0; u < spes * rus; u++) {
    int ended = 0;
    for (uint64_t i = 0; i < n; i++, row++) {
      const uint32_t of = ff_ssp_trace_state(c->trace, u / rus, u % rus, i);
      INTEGER(state)[row] = (int)of + 1;
      const int ends = ff_ssp_trace_ends(c->trace, u / rus, i); /* the last step ends in the first cycle of an SPE that is done */
      INTEGER(step)[row] = of == FF_SSP_DONE && !ends ? NA_INTEGER : ended + 1;
      ended += ends;
    }
  }
  UNPROTECT(1);
  return out;
}
