/* The network: making it, checking it and freeing it. */
#include "../base/ff_decimal.h"
#include "ff_model_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_pbn_new(ff_pbn **out, uint32_t n_nodes, ff_error *err) {
  *out = NULL;
  if (n_nodes > FF_X_MAX_OPERAND)
    return ff_error_set(err, FF_ESIZE, "a network has at most %lu nodes, not %u", (unsigned long)FF_X_MAX_OPERAND, n_nodes);
  ff_pbn *pbn = ff_calloc(1, sizeof *pbn);
  if (pbn == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u nodes", n_nodes);
  pbn->n_nodes = n_nodes;
  pbn->names = ff_calloc(n_nodes, sizeof *pbn->names);
  pbn->first = ff_calloc((size_t)n_nodes + 1, sizeof *pbn->first);
  pbn->perturbed = ff_calloc(n_nodes, 1);
  pbn->initial = ff_calloc(n_nodes, 1);
  if (pbn->names == NULL || pbn->first == NULL || pbn->perturbed == NULL || pbn->initial == NULL) {
    ff_pbn_free(pbn);
    return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u nodes", n_nodes);
  }
  memset(pbn->perturbed, 1, n_nodes);
  memset(pbn->initial, -1, n_nodes);
  *out = pbn;
  return FF_OK;
}

ff_status ff_pbn_new_predictors(ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->first[pbn->n_nodes];
  pbn->predictors = ff_calloc(n, sizeof *pbn->predictors);
  return pbn->predictors != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %u predictor functions", n);
}

ff_status ff_pbn_new_contexts(ff_pbn *pbn, uint32_t m, ff_error *err) {
  if (pbn->n_nodes > 0 && m > SIZE_MAX / sizeof *pbn->context / pbn->n_nodes)
    return ff_error_set(err, FF_ESIZE, "%u contexts of %u nodes need more memory than can be addressed", m, pbn->n_nodes);
  double *probability = ff_calloc(m, sizeof *probability);
  uint32_t *context = ff_calloc((size_t)m * pbn->n_nodes, sizeof *context);
  if (probability == NULL || context == NULL) {
    free(probability);
    free(context);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u contexts of %u nodes", m, pbn->n_nodes);
  }
  free(pbn->context_probability);
  free(pbn->context);
  pbn->n_contexts = m;
  pbn->context_probability = probability;
  pbn->context = context;
  return FF_OK;
}

void ff_pbn_free(ff_pbn *pbn) {
  if (pbn == NULL) return;
  for (uint32_t i = 0; pbn->names != NULL && i < pbn->n_nodes; i++) free(pbn->names[i]);
  for (uint32_t f = 0; pbn->predictors != NULL && f < pbn->first[pbn->n_nodes]; f++) {
    ff_expr_free(&pbn->predictors[f].expr);
    free(pbn->predictors[f].parents);
  }
  free(pbn->names);
  free(pbn->first);
  free(pbn->predictors);
  free(pbn->perturbed);
  free(pbn->initial);
  free(pbn->context_probability);
  free(pbn->context);
  free(pbn);
}

ff_status ff_name_check(const char *name, const char *what, uint32_t at, ff_error *err) {
  if (name == NULL || name[0] == '\0')
    return ff_error_set(err, FF_EMODEL, "%s %u has no name; expected a text of at least one character", what, at);
  size_t length = strlen(name);
  ff_quoted shown = ff_quote(name, length);
  if (!ff_utf8_valid(name, length))
    return ff_error_set(err, FF_EMODEL, "the name %s of %s %u is not valid UTF-8", shown.text, what, at);
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F)
      return ff_error_set(err, FF_EMODEL, "the name %s of %s %u has a control character", shown.text, what, at);
  if (strchr(name, '"') != NULL && strchr(name, '`') != NULL)
    return ff_error_set(err, FF_EMODEL,
                        "the name %s of %s %u has both a double quote and a backquote; it may have only one of them",
                        shown.text, what, at);
  return FF_OK;
}

static ff_status check_names(const ff_pbn *pbn, ff_error *err) {
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    ff_status status = ff_name_check(pbn->names[i], "node", i + 1, err);
    if (status != FF_OK) return status;
  }
  ff_names *names;
  ff_status status = ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", err);
  ff_names_free(names);
  return status;
}

/* Whether a sum is so close to 1 that division would not bring it closer. Such probabilities are not changed, so that writing
 * and reading a network gives the same network. */
static int sums_to_one(double sum, uint32_t n) { return fabs(sum - 1.0) <= 4e-16 * (1.0 + n); }

/* Checks and normalises n probabilities that are `stride` bytes apart. In messages, `who` and `name` tell to what they belong. */
static ff_status normalise_sum(double *first, size_t stride, uint32_t n, int normalise, const char *who, const char *name,
                               ff_error *err) {
  double sum = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    double p = *(double *)((char *)first + i * stride);
    if (!(p > 0.0) || !isfinite(p))
      return ff_error_set(err, FF_EMODEL, "%s%s: probability %u is %s; expected a positive number", who, name, i + 1,
                          ff_show(p, 6).text);
    sum += p;
  }
  if (!isfinite(sum) || (!normalise && fabs(sum - 1.0) > 1e-6))
    return ff_error_set(err, FF_EMODEL, "%s%s: the probabilities sum to %s; expected 1", who, name, ff_show(sum, 9).text);
  if (sums_to_one(sum, n)) return FF_OK;
  for (uint32_t i = 0; i < n; i++) {
    double *p = (double *)((char *)first + i * stride);
    *p /= sum;
    if (!(*p > 0.0))
      return ff_error_set(err, FF_EMODEL, "%s%s: probability %u is too small compared with the others", who, name, i + 1);
  }
  return FF_OK;
}

static ff_status finish_predictor(ff_pbn *pbn, ff_predictor *predictor, uint32_t node, ff_error *err) {
  ff_error inner;
  if (predictor->expr.length == 0 || ff_expr_measure(&predictor->expr, pbn->n_nodes, &inner) != FF_OK) {
    ff_quoted name = ff_quote(pbn->names[node], strlen(pbn->names[node]));
    return ff_error_set(err, FF_EINTERNAL, "a predictor function of node %s is broken: %s", name.text,
                        predictor->expr.length == 0 ? "it is empty" : inner.text);
  }
  free(predictor->parents);
  return ff_expr_parents(&predictor->expr, &predictor->parents, &predictor->n_parents, err);
}

static ff_status finish_node(ff_pbn *pbn, uint32_t node, int normalise, ff_error *err) {
  uint32_t first = pbn->first[node], n = pbn->first[node + 1] - first;
  if (pbn->first[node + 1] <= first) {
    ff_quoted name = ff_quote(pbn->names[node], strlen(pbn->names[node]));
    return ff_error_set(err, FF_EMODEL, "node %s has no predictor function; expected at least one", name.text);
  }
  for (uint32_t f = first; f < first + n; f++) {
    ff_status status = finish_predictor(pbn, &pbn->predictors[f], node, err);
    if (status != FF_OK) return status;
    if (pbn->n_contexts > 0) pbn->predictors[f].probability = 1.0;
  }
  if (pbn->n_contexts > 0) return FF_OK;
  ff_quoted name = ff_quote(pbn->names[node], strlen(pbn->names[node]));
  return normalise_sum(&pbn->predictors[first].probability, sizeof *pbn->predictors, n, normalise, "node ", name.text, err);
}

static ff_status finish_contexts(ff_pbn *pbn, int normalise, ff_error *err) {
  if (pbn->n_contexts == 0) return FF_OK;
  for (uint32_t c = 0; c < pbn->n_contexts; c++) {
    const uint32_t *row = pbn->context + (size_t)c * pbn->n_nodes;
    for (uint32_t i = 0; i < pbn->n_nodes; i++) {
      uint32_t n = pbn->first[i + 1] - pbn->first[i];
      if (row[i] < n) continue;
      ff_quoted name = ff_quote(pbn->names[i], strlen(pbn->names[i]));
      return ff_error_set(err, FF_EMODEL, "context %u selects predictor function %lu of node %s, which has %u", c + 1,
                          (unsigned long)row[i] + 1, name.text, n);
    }
  }
  return normalise_sum(pbn->context_probability, sizeof *pbn->context_probability, pbn->n_contexts, normalise, "the contexts",
                       "", err);
}

ff_status ff_pbn_finish(ff_pbn *pbn, int normalise, ff_error *err) {
  if (pbn->n_nodes == 0) return ff_error_set(err, FF_EMODEL, "a network has no nodes; expected at least one");
  if (!(pbn->perturbation >= 0.0 && pbn->perturbation < 1.0))
    return ff_error_set(err, FF_EMODEL, "the perturbation is %s; expected a number in [0, 1)",
                        ff_show(pbn->perturbation, 6).text);
  if (pbn->update != FF_SYNCHRONOUS && pbn->update != FF_ASYNCHRONOUS)
    return ff_error_set(err, FF_EMODEL, "the update is %d; expected %d (synchronous) or %d (asynchronous)", (int)pbn->update,
                        (int)FF_SYNCHRONOUS, (int)FF_ASYNCHRONOUS);
  if (pbn->removed_perturbed > pbn->removed_nodes)
    return ff_error_set(err, FF_EMODEL, "found more removed nodes that can be perturbed (%u) than removed nodes in all (%u)",
                        pbn->removed_perturbed, pbn->removed_nodes);
  if (pbn->first[0] != 0 || pbn->predictors == NULL)
    return ff_error_set(err, FF_EMODEL, "a network has no predictor functions");
  ff_status status = check_names(pbn, err);
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    if (pbn->initial[i] < -1 || pbn->initial[i] > 1)
      return ff_error_set(err, FF_EMODEL, "the initial value of node %u is %d; expected 0, 1 or -1 (random)", i + 1,
                          pbn->initial[i]);
    if (pbn->perturbed[i] > 1)
      return ff_error_set(err, FF_EMODEL, "the mark of node %u as perturbed is %u; expected 0 or 1", i + 1, pbn->perturbed[i]);
    status = finish_node(pbn, i, normalise, err);
  }
  return status == FF_OK ? finish_contexts(pbn, normalise, err) : status;
}

double ff_pbn_density(const ff_pbn *pbn) {
  uint64_t parents = 0;
  for (uint32_t f = 0; f < pbn->first[pbn->n_nodes]; f++) parents += pbn->predictors[f].n_parents;
  return pbn->n_nodes == 0 ? 0.0 : (double)parents / (double)pbn->n_nodes;
}
