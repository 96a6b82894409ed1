/* Makes a program from a network: the parts that both layouts share, and the choice of the layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_pbn_program.h"

const char *ff_layout_name(ff_layout layout) {
  return layout == FF_LAYOUT_SLICED ? "sliced" : layout == FF_LAYOUT_PACKED ? "packed" : "auto";
}

ff_layout ff_pbn_program_layout(const ff_pbn_program *program) { return program->layout; }
const char *ff_pbn_program_reason(const ff_pbn_program *program) { return program->reason; }
uint32_t ff_pbn_program_nodes(const ff_pbn_program *program) { return program->n_nodes; }
uint32_t ff_pbn_program_terms(const ff_pbn_program *program) { return program->n_terms; }
int ff_pbn_program_forgets(const ff_pbn_program *program) { return program->forgets; }
uint32_t ff_pbn_program_all_nodes(const ff_pbn_program *program) { return program->n_all; }
int ff_pbn_program_asynchronous(const ff_pbn_program *program) { return program->update == FF_ASYNCHRONOUS; }
double ff_pbn_program_perturbation(const ff_pbn_program *program) { return program->n_flip > 0 ? program->perturbation : 0; }
uint32_t ff_pbn_program_flips(const ff_pbn_program *program) { return program->n_flip; }
double ff_pbn_program_still(const ff_pbn_program *program) { return program->still; }
uint32_t ff_pbn_program_waiting(const ff_pbn_program *program) { return program->n_waiting; }
double ff_pbn_program_rarest(const ff_pbn_program *program) { return program->rarest; }
size_t ff_pbn_program_bytes(const ff_pbn_program *program) { return program->bytes; }

void ff_pbn_program_free(ff_pbn_program *program) {
  if (program == NULL) return;
  ff_poisson_free(&program->hits);
  ff_slice_free(&program->slice);
  ff_packed_free(&program->packed);
  if (program->terms != NULL)
    for (uint32_t i = 0; i < program->n_terms; i++) ff_expr_free(&program->terms[i]);
  free(program->terms);
  free(program->two_state);
  free(program->initial);
  free(program->held);
  free(program->flip);
  free(program);
}

/* In an asynchronous step, each alternative costs some work for all 1,024 trajectories of a tile. If there are more alternatives
 * than this, a GPU is faster when it runs each trajectory separately. On a processor, this is only so with even more
 * alternatives. */
#define MOST_ALTERNATIVES 256

static uint64_t alternatives_of(const ff_pbn *pbn) {
  return pbn->n_contexts > 0 ? (uint64_t)pbn->n_nodes + pbn->n_contexts : pbn->first[pbn->n_nodes];
}

/* The layout depends only on the network, so that every machine gives the same answer. */
static void plan(ff_pbn_program *program, const ff_pbn *pbn, ff_layout wanted) {
  int synchronous = pbn->update == FF_SYNCHRONOUS, few = alternatives_of(pbn) <= MOST_ALTERNATIVES;
  program->layout = wanted != FF_LAYOUT_AUTO ? wanted : synchronous || few ? FF_LAYOUT_SLICED : FF_LAYOUT_PACKED;
  snprintf(program->reason, sizeof program->reason, "%s",
           wanted != FF_LAYOUT_AUTO ? "as requested"
           : synchronous            ? "synchronous: all nodes of 1,024 trajectories are updated by operations on whole rows"
           : few                    ? "asynchronous: 1,024 trajectories choose their nodes by operations on whole rows"
                                    : "asynchronous, with many nodes: a trajectory updates one node per step");
}

static ff_status copy_terms(ff_pbn_program *program, const ff_observables *observables, ff_error *err) {
  uint32_t n_terms = observables == NULL ? 0 : observables->first[observables->n];
  program->terms = ff_calloc(n_terms, sizeof *program->terms);
  program->two_state = ff_calloc(n_terms, 1);
  if (program->terms == NULL || program->two_state == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for state sets");
  program->n_terms = n_terms;
  for (uint32_t i = 0; i < n_terms; i++) {
    ff_status status = ff_expr_copy(&program->terms[i], &observables->terms[i], err);
    if (status != FF_OK) return status;
  }
  for (uint32_t i = 0; observables != NULL && i < observables->n; i++) {
    uint32_t first = observables->first[i];
    if (ff_is_set(observables->first, observables->weights, i)) program->two_state[first] = 1;
  }
  return FF_OK;
}

/* The probability that no node flips in a step. It is a product, because the C library's pow() may differ between machines. */
static double still(double p, uint32_t n_flip) {
  double out = 1;
  for (uint32_t i = 0; p > 0 && i < n_flip && out > 0; i++) out *= 1 - p;
  return out;
}

/* Finds the nodes that wait for a step in which no node flips, because they do not flip themselves. Held nodes and inputs do not
 * wait: their functions change nothing. */
static ff_status find_waiting(uint8_t *waits, ff_pbn_program *program, const ff_pbn *pbn, ff_error *err) {
  ff_status status = ff_pbn_inputs(waits, pbn, err);
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    int flips = pbn->perturbed[i] && pbn->perturbation > 0;
    waits[i] = !waits[i] && !flips && program->held[i] < 0;
    program->n_waiting += waits[i];
  }
  return status;
}

/* The smallest probability, per step, that a function of a node acts or, if that is larger, that the node flips. Functions act
 * only in steps in which no node flips. A function that acts more rarely than its node flips needs no waiting time of its own,
 * because flips give the node the same values more often. */
static double rarest(const ff_pbn_program *program, const ff_pbn *pbn, const uint8_t *waits) {
  double least = 1, acts = program->still, p = pbn->perturbation;
  if (pbn->update == FF_ASYNCHRONOUS) acts /= (double)pbn->n_nodes + (double)pbn->removed_nodes;
  for (uint32_t i = 0; pbn->n_contexts == 0 && i < pbn->n_nodes; i++) {
    if (!waits[i] && !(pbn->perturbed[i] && p > 0)) continue;
    for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1]; f++) {
      double c = pbn->predictors[f].probability * acts;
      if (!waits[i] && c < p) c = p;
      if (c < least) least = c;
    }
  }
  for (uint32_t k = 0; k < pbn->n_contexts; k++) {
    double c = pbn->context_probability[k] * acts;
    if (program->n_waiting == 0 && c < p) c = p;
    if (c < least) least = c;
  }
  return least;
}

/* What the estimator must know of waiting times. */
static ff_status find_rates(ff_pbn_program *program, const ff_pbn *pbn, ff_error *err) {
  uint8_t *waits = ff_calloc(pbn->n_nodes, 1);
  if (waits == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the rates of %u nodes", pbn->n_nodes);
  program->still = still(pbn->perturbation, program->n_flip);
  ff_status status = find_waiting(waits, program, pbn, err);
  if (status == FF_OK) program->rarest = rarest(program, pbn, waits);
  free(waits);
  return status;
}

/* The draws of a step for one purpose have 2^29 blocks. There are two hits per block, and a group of four initial rows takes
 * 32 blocks. */
static ff_status check_addresses(const ff_pbn_program *program, ff_error *err) {
  double hits = (double)program->hits.n_draws * ((double)program->hits.lowest + program->hits.size);
  double blocks = hits / 2 + (double)program->hits.n_draws, rows = (double)program->n_nodes * 8 + 32;
  if (blocks < FF_PHILOX_MAX_BLOCKS && rows < FF_PHILOX_MAX_BLOCKS) return FF_OK;
  return ff_error_set(err, FF_ESIZE, "%u nodes with perturbation %g take more random words per step than can be addressed",
                      program->n_nodes, program->perturbation);
}

static ff_status fill(ff_pbn_program *program, const ff_pbn *pbn, const ff_observables *observables, ff_layout wanted,
                      ff_error *err) {
  plan(program, pbn, wanted);
  program->update = pbn->update;
  program->perturbation = pbn->perturbation;
  program->n_nodes = pbn->n_nodes;
  if ((uint64_t)pbn->n_nodes + pbn->removed_nodes > UINT32_MAX)
    return ff_error_set(err, FF_ESIZE, "%u nodes and %u removed ones are more than 2^32", pbn->n_nodes, pbn->removed_nodes);
  program->n_all = pbn->n_nodes + pbn->removed_nodes;
  program->flip = ff_calloc((size_t)pbn->n_nodes + pbn->removed_perturbed, sizeof *program->flip);
  program->initial = ff_calloc(pbn->n_nodes, 1);
  if (program->flip == NULL || program->initial == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  for (uint32_t i = 0; i < pbn->n_nodes; i++)
    if (pbn->perturbed[i]) program->flip[program->n_flip_here++] = i;
  memcpy(program->initial, pbn->initial, pbn->n_nodes);
  program->n_flip = program->n_flip_here + pbn->removed_perturbed;
  for (uint32_t i = program->n_flip_here; i < program->n_flip; i++) program->flip[i] = pbn->n_nodes;
  ff_status status = ff_start_classify(program, pbn, err);
  if (status == FF_OK) status = find_rates(program, pbn, err);
  if (status == FF_OK) status = copy_terms(program, observables, err);
  if (status != FF_OK) return status;
  uint64_t sites = (uint64_t)program->n_flip * (program->layout == FF_LAYOUT_SLICED ? FF_TILE : 1);
  status = ff_poisson_new(&program->hits, pbn->perturbation, sites, err);
  if (status == FF_OK) status = check_addresses(program, err);
  if (status != FF_OK) return status;
  program->bytes = sizeof *program + (size_t)pbn->n_nodes * 5;
  return program->layout == FF_LAYOUT_SLICED ? ff_slice_compile(program, pbn, observables, err)
                                             : ff_packed_compile(program, pbn, err);
}

ff_status ff_pbn_program_new(ff_pbn_program **out, const ff_pbn *pbn, const ff_observables *observables, ff_layout wanted,
                             ff_error *err) {
  *out = NULL;
  ff_pbn_program *program = ff_calloc(1, sizeof *program);
  if (program == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  ff_status status = fill(program, pbn, observables, wanted, err);
  if (status != FF_OK) {
    ff_pbn_program_free(program);
    return status;
  }
  *out = program;
  return FF_OK;
}
