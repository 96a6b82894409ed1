/* Networks for tests: from lines of text, or random ones from a seed. */
#ifndef FF_TESTS_NETS_H
#define FF_TESTS_NETS_H

#include "../../src/base/ff_philox.h"
#include "../../src/model/ff_model.h"
#include "check.h"

typedef struct {
  uint64_t key;
  uint32_t at;
} net_random;

static inline uint32_t net_draw(net_random *r, uint32_t below) {
  ff_philox_block c = {{r->at++, 0, 0, 0}};
  return (uint32_t)(((uint64_t)ff_philox(c, r->key).v[0] * below) >> 32);
}

static inline double net_uniform(net_random *r) { return (net_draw(r, 1u << 30) + 0.5) / (1u << 30); }

/* Makes a network from rules: rules[k] = "name <probability> expression". All rules of a node must be adjacent, and NULL ends
 * the list. Nodes are numbered in the order of their names in the list. Returns NULL if a check fails. The caller frees the
 * network. */
static inline ff_pbn *net_parse(const char *const *rules, double perturbation, ff_update update) {
  ff_error err = {FF_OK, ""};
  uint32_t n_rules = 0, n = 0;
  while (rules[n_rules]) n_rules++;
  char (*name)[32] = ff_calloc(n_rules + 1u, sizeof *name);
  for (uint32_t k = 0; k < n_rules; k++) {
    char word[32];
    sscanf(rules[k], "%31s", word);
    if (n == 0 || strcmp(word, name[n - 1])) strcpy(name[n++], word);
  }
  ff_pbn *pbn = NULL;
  ff_names *names = NULL;
  ff_status status = ff_pbn_new(&pbn, n, &err);
  uint32_t node = 0;
  for (uint32_t k = 0; k < n_rules && status == FF_OK; k++) {
    char word[32];
    sscanf(rules[k], "%31s", word);
    if (strcmp(word, name[node])) node++;
    pbn->first[node + 1] = k + 1;
  }
  for (uint32_t i = 0; i < n && status == FF_OK; i++) pbn->names[i] = ff_strndup(name[i], strlen(name[i]));
  if (status == FF_OK) status = ff_pbn_new_predictors(pbn, &err);
  if (status == FF_OK) status = ff_names_new(&names, pbn->names, n, "nodes", &err);
  for (uint32_t k = 0; k < n_rules && status == FF_OK; k++) {
    int skip = 0;
    sscanf(rules[k], "%*s %lf %n", &pbn->predictors[k].probability, &skip);
    status = ff_expr_parse(&pbn->predictors[k].expr, rules[k] + skip, strlen(rules[k] + skip), ff_names_find, names,
                           (ff_place){NULL, 0}, &err);
  }
  ff_names_free(names);
  free(name);
  if (status == FF_OK) {
    pbn->perturbation = perturbation;
    pbn->update = update;
    status = ff_pbn_finish(pbn, 0, &err);
  }
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) return pbn;
  ff_pbn_free(pbn);
  return NULL;
}

typedef struct {
  uint32_t nodes, max_functions, max_parents, contexts; /* contexts 0: an independent network */
  double perturbation;
  ff_update update;
  double exempt, fixed; /* probabilities that a node is exempt, or has a fixed initial value */
  double keep;          /* probability that a node only keeps its value */
} net_shape;

static inline ff_pbn *net_random_make(const net_shape *shape, uint64_t seed) {
  net_random r = {seed, 0};
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = NULL;
  uint32_t n = shape->nodes;
  ff_status status = ff_pbn_new(&pbn, n, &err);
  FF_CHECK_OK(status, &err);
  if (status != FF_OK) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    char text[32];
    snprintf(text, sizeof text, "n%u", i);
    pbn->names[i] = ff_strndup(text, strlen(text));
    pbn->first[i + 1] = pbn->first[i] + 1 + net_draw(&r, shape->max_functions);
    if (net_uniform(&r) < shape->exempt) pbn->perturbed[i] = 0;
    if (net_uniform(&r) < shape->fixed) pbn->initial[i] = (int8_t)net_draw(&r, 2);
  }
  status = ff_pbn_new_predictors(pbn, &err);
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    int keeps = net_uniform(&r) < shape->keep;
    for (uint32_t j = pbn->first[i]; j < pbn->first[i + 1]; j++) {
      ff_predictor *f = &pbn->predictors[j];
      uint32_t k = keeps ? 1 : net_draw(&r, shape->max_parents + 1), words = k <= 5 ? 1 : 1u << (k - 5), at = 0;
      f->probability = 0.1 + net_uniform(&r);
      f->expr.length = k ? k + 1 + words : 1;
      f->expr.depth = k ? k : 1;
      f->expr.code = ff_calloc(f->expr.length, sizeof *f->expr.code);
      if (k == 0) {
        f->expr.code[0] = FF_X_OP(FF_X_CONST, net_draw(&r, 2));
        continue;
      }
      for (uint32_t q = 0; q < k; q++) f->expr.code[at++] = FF_X_OP(FF_X_VAR, keeps ? i : net_draw(&r, n));
      f->expr.code[at++] = FF_X_OP(FF_X_TABLE, k);
      for (uint32_t w = 0; w < words; w++)
        f->expr.code[at++] = keeps ? 2u : net_draw(&r, 1u << 16) << 16 | net_draw(&r, 1u << 16);
      if (k < 5 && !keeps) f->expr.code[at - 1] &= (1u << (1u << k)) - 1u;
    }
  }
  if (status == FF_OK && shape->contexts) {
    status = ff_pbn_new_contexts(pbn, shape->contexts, &err);
    for (uint32_t c = 0; c < shape->contexts && status == FF_OK; c++) {
      pbn->context_probability[c] = 0.1 + net_uniform(&r);
      for (uint32_t i = 0; i < n; i++)
        pbn->context[(size_t)c * n + i] = net_draw(&r, pbn->first[i + 1] - pbn->first[i]);
    }
  }
  pbn->perturbation = shape->perturbation;
  pbn->update = shape->update;
  if (status == FF_OK) status = ff_pbn_finish(pbn, 1, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) return pbn;
  ff_pbn_free(pbn);
  return NULL;
}

#endif
