/* The pilot's monitors: nodes, pairs of nodes, and predictor functions. */
#include "ff_monitor.h"

#include <stdlib.h>
#include <string.h>

#include "ff_influence.h"

void ff_monitors_free(ff_monitors *monitors) {
  ff_influence_free(&monitors->observables);
  free(monitors->node[0]);
  free(monitors->node[1]);
  *monitors = (ff_monitors){0};
}

/* A term with the value of one node, or the exclusive or of two nodes. */
static ff_status make_term(ff_expr *out, uint32_t a, uint32_t b, ff_error *err) {
  uint32_t length = a == b ? 1 : 3;
  ff_op *code = ff_calloc(length, sizeof *code);
  if (code == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a monitor");
  code[0] = FF_X_OP(FF_X_VAR, a);
  if (a != b) {
    code[1] = FF_X_OP(FF_X_VAR, b);
    code[2] = FF_X_OP(FF_X_XOR, 0);
  }
  *out = (ff_expr){.code = code, .length = length, .depth = a == b ? 1 : 2};
  return FF_OK;
}

/* A partner for a node in a pair: its first parent that is another node, else the next node. */
static uint32_t partner(const ff_pbn *pbn, uint32_t node) {
  for (uint32_t f = pbn->first[node]; f < pbn->first[node + 1]; f++)
    for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++)
      if (pbn->predictors[f].parents[j] != node) return pbn->predictors[f].parents[j];
  return (node + 1) % pbn->n_nodes;
}

static uint32_t list_pairs(ff_monitors *m, uint32_t at, const ff_pbn *pbn, uint32_t most) {
  uint32_t n = pbn->n_nodes, found = 0;
  if (n < 2) return 0;
  if ((uint64_t)n * (n - 1) / 2 <= most) {
    for (uint32_t a = 0; a < n; a++)
      for (uint32_t b = a + 1; b < n; b++, found++) {
        m->node[0][at + found] = a;
        m->node[1][at + found] = b;
      }
    return found;
  }
  if (most > n) most = n; /* one pair per node */
  for (uint32_t i = 0; i < most; i++, found++) {
    uint32_t a = m->node[0][(uint32_t)((uint64_t)i * at / most)]; /* one of the nodes monitored, which are listed before */
    m->node[0][at + found] = a;
    m->node[1][at + found] = partner(pbn, a);
  }
  return found;
}

#define PASSES 64 /* over all nodes; if nodes without feedback remain after these, they do no harm */

/* Lists the nodes that can be slow by themselves first: those on cycles and between cycles. The other nodes follow them or lead
 * to them. Nodes without remaining parents, or without remaining children, are removed in passes. `mark` has room for two bytes
 * per node. */
static uint32_t list_core(uint32_t *list, const ff_pbn *pbn, uint8_t *mark) {
  uint32_t n = pbn->n_nodes, core = 0, others = 0;
  uint8_t *keep = mark, *leads = mark + n;
  memset(keep, 1, n);
  for (int pass = 0, struck = 1; pass < PASSES && struck; pass++) {
    memset(leads, 0, n);
    struck = 0;
    for (uint32_t i = 0; i < n; i++) {
      int follows = 0;
      for (uint32_t f = pbn->first[i]; keep[i] && f < pbn->first[i + 1]; f++)
        for (uint32_t j = 0; j < pbn->predictors[f].n_parents; j++) {
          follows |= keep[pbn->predictors[f].parents[j]];
          leads[pbn->predictors[f].parents[j]] = 1;
        }
      if (!keep[i] || follows) continue;
      keep[i] = 0;
      struck = 1;
    }
    for (uint32_t i = 0; i < n; i++)
      if (keep[i] && !leads[i]) {
        keep[i] = 0;
        struck = 1;
      }
  }
  for (uint32_t i = 0; i < n; i++) core += keep[i];
  for (uint32_t i = 0, at = 0; i < n; i++) list[keep[i] ? at++ : core + others++] = i;
  return core;
}

/* Takes the core and then further nodes in order, or, if the core is too large, an even selection of it. */
static uint32_t list_monitors(ff_monitors *m, const ff_pbn *pbn, const uint32_t *list, uint32_t core, uint32_t nodes,
                              uint32_t pairs) {
  for (uint32_t i = 0; i < nodes; i++)
    m->node[0][i] = m->node[1][i] = list[core > nodes ? (uint32_t)((uint64_t)i * core / nodes) : i];
  return nodes + list_pairs(m, nodes, pbn, pairs);
}

#define MANY_PARENTS 3 /* a function of two nodes is a linear combination of the nodes and their exclusive or */

static int watched(const ff_predictor *f) { return f->n_parents >= MANY_PARENTS && f->expr.length < 64; }

/* Selects functions to monitor, spread evenly over all. function[i] is the number of the i-th one, and the nodes to which they
 * belong are listed from `at` on. */
static uint32_t list_functions(ff_monitors *m, uint32_t at, uint32_t *function, const ff_pbn *pbn, uint32_t most) {
  uint32_t all = 0, seen = 0, found = 0;
  for (uint32_t f = 0; f < pbn->first[pbn->n_nodes]; f++) all += (uint32_t)watched(&pbn->predictors[f]);
  uint32_t wanted = all < most ? all : most;
  for (uint32_t i = 0; i < pbn->n_nodes; i++)
    for (uint32_t f = pbn->first[i]; f < pbn->first[i + 1] && found < wanted; f++) {
      if (!watched(&pbn->predictors[f]) || (uint64_t)found * all / wanted != seen++) continue;
      m->node[0][at + found] = i;
      m->node[1][at + found] = UINT32_MAX;
      function[found++] = f;
    }
  return found;
}

ff_status ff_monitors_new(ff_monitors *out, const ff_observables *asked, const ff_pbn *pbn, uint32_t most_nodes,
                          uint32_t most_pairs, uint32_t most_functions, ff_error *err) {
  *out = (ff_monitors){.n_asked = asked->n};
  uint32_t nodes = pbn->n_nodes < most_nodes ? pbn->n_nodes : most_nodes, most = nodes + most_pairs + most_functions;
  uint32_t n_terms = asked->first[asked->n];
  out->node[0] = ff_calloc(most, sizeof *out->node[0]);
  out->node[1] = ff_calloc(most, sizeof *out->node[1]);
  uint32_t *first = ff_calloc((size_t)asked->n + most + 1, sizeof *first);
  ff_expr *terms = ff_calloc((size_t)n_terms + most, sizeof *terms);
  double *weights = ff_calloc((size_t)n_terms + most, sizeof *weights);
  uint32_t *function = ff_calloc(most_functions, sizeof *function);
  out->observables = (ff_observables){.first = first, .terms = terms, .weights = weights};
  uint32_t *list = ff_calloc(pbn->n_nodes, sizeof *list);
  uint8_t *mark = ff_calloc(pbn->n_nodes, 2);
  if (out->node[0] == NULL || out->node[1] == NULL || first == NULL || terms == NULL || weights == NULL || function == NULL ||
      list == NULL || mark == NULL) {
    free(list);
    free(mark);
    free(function);
    ff_monitors_free(out);
    return ff_error_set(err, FF_EMEMORY, "no memory for the monitors of %u nodes", nodes);
  }
  uint32_t n_single = list_monitors(out, pbn, list, list_core(list, pbn, mark), nodes, most_pairs);
  uint32_t found = n_single + list_functions(out, n_single, function, pbn, most_functions);
  free(list);
  free(mark);
  out->observables.n = asked->n + found;
  memcpy(first, asked->first, (size_t)asked->n * sizeof *first);
  for (uint32_t i = 0; i <= found; i++) first[asked->n + i] = n_terms + i; /* terms that have not been made yet are empty */
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n_terms && status == FF_OK; i++) {
    status = ff_expr_copy(&terms[i], &asked->terms[i], err);
    weights[i] = asked->weights[i];
  }
  for (uint32_t i = 0; i < found && status == FF_OK; i++) {
    if (i < n_single)
      status = make_term(&terms[n_terms + i], out->node[0][i], out->node[1][i], err);
    else
      status = ff_expr_copy(&terms[n_terms + i], &pbn->predictors[function[i - n_single]].expr, err);
    weights[n_terms + i] = 0.5;
  }
  free(function);
  if (status == FF_OK) status = ff_observables_hold(&out->observables, pbn, err);
  if (status != FF_OK) ff_monitors_free(out);
  return status;
}
