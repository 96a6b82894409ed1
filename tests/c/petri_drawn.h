/* Random hybrid nets that kernels simulate, and runs of them. */
#ifndef FF_TESTS_PETRI_DRAWN_H
#define FF_TESTS_PETRI_DRAWN_H

#include "petri_code.h"
#include "petri_hybrid.h"

enum { DRAWN = 54, DRAWN_LEAST = 60, DRAWN_MOST = 4000 }; /* nets; firings in a run */

typedef struct {
  petri_text net;
  char name[40];
  code_case of;
} drawn_net;

static inline void drawn_forget(code_case *x) {
  if (x->all != NULL) code_part_free(x->all);
  free(x->all);
  x->all = NULL;
}

/* Whether some transitions fire in the trajectories of a case, but not too many. The simulation is kept for the comparison if
 * firings are compared; without these, the engine simulates several trajectories at a time. */
static inline int drawn_is_lively(code_case *x) {
  ff_error err;
  code_ask(x);
  x->request.max_firings = DRAWN_MOST;
  x->all = ff_calloc(1, sizeof *x->all);
  const int fine = code_simulate(x->all, x, 0, x->units, &err) == FF_OK && ff_run_n_firings(x->all->run) >= DRAWN_LEAST;
  if (!fine || !x->firings) drawn_forget(x);
  return fine;
}

/* Whether a net can be compiled, and is one that a kernel simulates. */
static inline int drawn_compiles(petri_text *x, const ff_petri_options *options,
                                 ff_status (*check)(const ff_petri_program *program, ff_error *err)) {
  if (x->status == FF_OK) x->status = ff_petri_finish(x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_unfold(&x->flat, x->net, &x->err);
  if (x->status == FF_OK) x->status = ff_petri_program_new(&x->program, x->flat, options, &x->err);
  if (x->status == FF_OK) x->status = check(x->program, &x->err);
  return x->status == FF_OK;
}

/* Markings at the start; some levels are 0. The caller frees them. */
static inline double *drawn_starts(const ff_petri_program *p, uint64_t units, uint64_t *s) {
  double *starts = ff_calloc(units * p->n_places, sizeof *starts);
  for (uint64_t k = 0; k < units; k++)
    for (uint32_t f = 0; f < p->n_places; f++)
      starts[k * p->n_places + f] = !p->flat->continuous[f] ? below(s, 6) : below(s, 3) == 0 ? 0 : 2 * uniform(s);
  return starts;
}

typedef void (*drawn_writer)(petri_text *x, uint64_t *s, int all);

/* Draws n nets, with transitions of all kinds or not, that pass a check, and in which enough happens. The first writer is used
 * more often than the second one, and each integrator in turn. The caller ends the nets with drawn_end(). */
static inline void drawn_nets_by(drawn_net *nets, uint32_t n_nets, int all, const drawn_writer *write,
                                 const ff_petri_integrator *integrator,
                                 ff_status (*check)(const ff_petri_program *program, ff_error *err)) {
  static const double relative[] = {1e-6, 1e-4, 1e-9};
  uint64_t seed = 38;
  uint32_t n = 0;
  for (uint32_t draws = 0; n < n_nets && draws < 40 * n_nets; draws++) {
    const ff_petri_options options = {.relative = relative[n % 3], .one_clock = n % 9 == 4, .integrator = integrator[n % 2]};
    drawn_net *d = &nets[n];
    const uint64_t begun = seed;
    write[n % 6 == 5](&d->net, &seed, all);
    if (drawn_compiles(&d->net, &options, check)) {
      snprintf(d->name, sizeof d->name, "net %u, seed %llu", n, (unsigned long long)begun);
      d->of = (code_case){.what = d->name, .program = d->net.program, .last = 5, .units = 20 + n % 3, .firings = n % 4 != 1,
                          .some = n % 5 == 2, .most_refused = 22};
      if (n % 4 == 2) d->of.starts = drawn_starts(d->net.program, d->of.units, &seed);
      if (drawn_is_lively(&d->of)) {
        n++;
        continue;
      }
      free((void *)d->of.starts);
    }
    petri_end(&d->net);
  }
  FF_CHECK_INT(n, n_nets);
}

static inline void drawn_nets(drawn_net *nets, uint32_t n_nets, int all,
                              ff_status (*check)(const ff_petri_program *program, ff_error *err)) {
  static const drawn_writer write[] = {hybrid_write, hybrid_write_coloured};
  static const ff_petri_integrator integrator[] = {FF_PETRI_AUTO, FF_PETRI_DORMAND_PRINCE};
  drawn_nets_by(nets, n_nets, all, write, integrator, check);
}

/* Checks what was found. */
static inline void drawn_check(const code_case *cases, uint32_t n) {
  uint32_t trajectories = 0, refused = 0, failed = 0;
  uint64_t steps = 0;
  for (uint32_t i = 0; i < n; i++) {
    trajectories += (uint32_t)cases[i].units;
    refused += cases[i].refused;
    failed += cases[i].failed;
    steps += cases[i].steps;
  }
  FF_CHECK_INT(failed, 0); /* see drawn_is_lively() */
  FF_CHECK_SAY(refused <= trajectories / 20, "%u of %u refused", refused, trajectories);
  FF_CHECK(steps > DRAWN_LEAST * n);
}

static inline void drawn_end(drawn_net *nets, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    free((void *)nets[i].of.starts);
    drawn_forget(&nets[i].of);
    petri_end(&nets[i].net);
  }
}

#endif
