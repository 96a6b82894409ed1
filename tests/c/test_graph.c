/* Components, arrows, reduction and node order. Small networks have known results; random networks are compared with the
 * definitions (reachability by Warshall's algorithm). */
#include "../../src/pbn/reduce/ff_reduce.h"

#include "../../src/io/ff_io.h"
#include "nets.h"

/* The structure of Example 1 of Mizera et al.: four components in a diamond. */
static const char *const example1[] = {"x1 1 !x2",      "x2 1 x1",      "x3 1 x1 | x4", "x4 1 x3 & x2", "x5 1 x4 & !x6",
                                       "x6 1 x5 | x3", "x7 1 x2 | x8", "x8 1 x1 & !x7", NULL};

/* reach[i * n + j]: whether a path of at least one arrow leads from i to j. */
static uint8_t *reachable(const ff_pbn *pbn) {
  uint32_t n = pbn->n_nodes;
  uint8_t *reach = ff_calloc((size_t)n * n, 1);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = pbn->first[i]; j < pbn->first[i + 1]; j++)
      for (uint32_t k = 0; k < pbn->predictors[j].n_parents; k++) reach[pbn->predictors[j].parents[k] * n + i] = 1;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++) reach[i * n + j] |= reach[i * n + k] & reach[k * n + j];
  return reach;
}

static void example_components(void) {
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_parse(example1, 0.01, FF_SYNCHRONOUS), *small = NULL;
  ff_components *c = NULL;
  FF_CHECK_OK(ff_pbn_components(&c, pbn, &err), &err);
  FF_CHECK_INT(c->n_components, 4);
  for (uint32_t i = 0; i < 8; i += 2) FF_CHECK_INT(c->component[i], c->component[i + 1]);
  for (uint32_t k = 0; k < 4; k++) {
    FF_CHECK_INT(c->size[k], 2);
    FF_CHECK_INT(c->cyclic[k], 1);
  }
  FF_CHECK_INT(c->component[0], 0);
  FF_CHECK(c->component[2] < c->component[4]);
  ff_graph_components_free(c);
  uint8_t keep[8];
  uint32_t interest = 6, kept[8];
  FF_CHECK_OK(ff_pbn_keep(keep, pbn, &interest, 1, &err), &err);
  pbn->perturbed[2] = 0;
  FF_CHECK_OK(ff_pbn_reduce(&small, kept, pbn, keep, &err), &err);
  FF_CHECK_INT(small->n_nodes, 4);
  FF_CHECK_INT(small->removed_nodes, 4);
  FF_CHECK_INT(small->removed_perturbed, 3);
  FF_CHECK_STR(small->names[2], "x7");
  FF_CHECK_INT(kept[3], 7);
  FF_CHECK_INT(small->predictors[2].n_parents, 2);
  FF_CHECK_INT(small->predictors[2].parents[0], 1); /* x2 | x8, with the new numbers */
  FF_CHECK_INT(small->predictors[2].parents[1], 3);
  FF_CHECK(small->perturbation == 0.01);
  /* a second reduction adds to the first */
  ff_pbn *smaller = NULL;
  interest = 0;
  FF_CHECK_OK(ff_pbn_keep(keep, small, &interest, 1, &err), &err);
  FF_CHECK_OK(ff_pbn_reduce(&smaller, NULL, small, keep, &err), &err);
  FF_CHECK_INT(smaller->n_nodes, 2);
  FF_CHECK_INT(smaller->removed_nodes, 6);
  FF_CHECK_INT(smaller->removed_perturbed, 5);
  ff_pbn_free(smaller);
  ff_pbn_free(small);
  ff_pbn_free(pbn);
}

static void loops_and_lone_nodes(void) {
  const char *const rules[] = {"a 1 a", "b 1 a", "c 1 1", "d 0.5 b", "d 0.5 c & d", NULL};
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
  ff_components *c = NULL;
  uint32_t *from = NULL, *to = NULL;
  size_t n = 0;
  FF_CHECK_OK(ff_pbn_components(&c, pbn, &err), &err);
  FF_CHECK_INT(c->n_components, 4);
  FF_CHECK_INT(c->cyclic[c->component[0]], 1);
  FF_CHECK_INT(c->cyclic[c->component[1]], 0);
  FF_CHECK_INT(c->cyclic[c->component[2]], 0);
  FF_CHECK_INT(c->cyclic[c->component[3]], 1);
  ff_graph_components_free(c);
  FF_CHECK_OK(ff_pbn_arrows(&from, &to, &n, pbn, &err), &err);
  const uint32_t want_from[] = {0, 0, 1, 2, 3}, want_to[] = {0, 1, 3, 3, 3};
  FF_CHECK_INT(n, 5);
  for (size_t k = 0; k < n && k < 5; k++) {
    FF_CHECK_INT(from[k], want_from[k]);
    FF_CHECK_INT(to[k], want_to[k]);
  }
  free(from);
  free(to);
  ff_pbn_free(pbn);
}

static void random_against_definition(void) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    net_shape shape = {30, 2, 2, 0, 0.01, FF_SYNCHRONOUS, 0.2, 0, 0.2};
    if (seed % 2) shape.max_parents = 1;
    ff_error err = {FF_OK, ""};
    ff_pbn *pbn = net_random_make(&shape, seed), *small = NULL;
    uint32_t n = pbn->n_nodes, *from = NULL, *to = NULL, sizes = 0;
    size_t arrows = 0;
    uint8_t *reach = reachable(pbn), keep[30];
    ff_components *c = NULL;
    FF_CHECK_OK(ff_pbn_components(&c, pbn, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
      FF_CHECK(c->component[i] < c->n_components);
      for (uint32_t j = 0; j < n; j++) {
        int together = i == j || (reach[i * n + j] && reach[j * n + i]);
        FF_CHECK_INT(c->component[i] == c->component[j], together);
        if (reach[i * n + j]) FF_CHECK(c->component[i] <= c->component[j]);
      }
      FF_CHECK_INT(c->cyclic[c->component[i]], reach[i * n + i]);
    }
    for (uint32_t k = 0; k < c->n_components; k++) sizes += c->size[k];
    FF_CHECK_INT(sizes, n);
    ff_graph_components_free(c);

    FF_CHECK_OK(ff_pbn_arrows(&from, &to, &arrows, pbn, &err), &err);
    for (size_t k = 0; k < arrows; k++) {
      FF_CHECK(reach[from[k] * n + to[k]]);
      if (k > 0) FF_CHECK(to[k - 1] < to[k] || (to[k - 1] == to[k] && from[k - 1] < from[k]));
    }
    free(from);
    free(to);

    const uint32_t interest[] = {(uint32_t)seed % n, (uint32_t)(seed * 7) % n};
    FF_CHECK_OK(ff_pbn_keep(keep, pbn, interest, 2, &err), &err);
    uint32_t stays = 0, gone_perturbed = 0;
    for (uint32_t i = 0; i < n; i++) {
      int want = i == interest[0] || i == interest[1] || reach[i * n + interest[0]] || reach[i * n + interest[1]];
      FF_CHECK_INT(keep[i], want);
      stays += keep[i];
      gone_perturbed += !keep[i] && pbn->perturbed[i];
    }
    FF_CHECK_OK(ff_pbn_reduce(&small, NULL, pbn, keep, &err), &err);
    FF_CHECK_INT(small->n_nodes, stays);
    FF_CHECK_INT(small->removed_nodes, n - stays);
    FF_CHECK_INT(small->removed_perturbed, gone_perturbed);
    ff_pbn_free(small);
    ff_pbn_free(pbn);
    free(reach);
  }
}

static void contexts_stay(void) {
  net_shape shape = {12, 3, 2, 5, 0.01, FF_ASYNCHRONOUS, 0.2, 0.2, 0.2};
  ff_error err = {FF_OK, ""};
  uint32_t reduced = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    ff_pbn *pbn = net_random_make(&shape, seed), *small = NULL;
    uint8_t keep[12];
    uint32_t kept[12], interest = 5;
    FF_CHECK_OK(ff_pbn_keep(keep, pbn, &interest, 1, &err), &err);
    FF_CHECK_OK(ff_pbn_reduce(&small, kept, pbn, keep, &err), &err);
    reduced += small->n_nodes < 12;
    FF_CHECK_INT(small->n_contexts, 5);
    FF_CHECK_INT(small->update, FF_ASYNCHRONOUS);
    for (uint32_t c = 0; c < 5; c++) {
      FF_CHECK(small->context_probability[c] == pbn->context_probability[c]);
      for (uint32_t i = 0; i < small->n_nodes; i++) {
        FF_CHECK_INT(small->context[c * small->n_nodes + i], pbn->context[c * 12 + kept[i]]);
        FF_CHECK_INT(small->initial[i], pbn->initial[kept[i]]);
      }
    }
    ff_pbn_free(small);
    ff_pbn_free(pbn);
  }
  FF_CHECK(reduced > 3);
}

static void refusals(void) {
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_parse(example1, 0, FF_SYNCHRONOUS), *small = NULL;
  uint8_t keep[8] = {0, 0, 1, 1, 0, 0, 0, 0};
  uint32_t interest = 8;
  FF_CHECK_FAILS(ff_pbn_reduce(&small, NULL, pbn, keep, &err), FF_EMODEL, &err, "\"x3\" is kept, but its parent \"x1\"");
  FF_CHECK(small == NULL);
  memset(keep, 0, sizeof keep);
  FF_CHECK_FAILS(ff_pbn_reduce(&small, NULL, pbn, keep, &err), FF_EARGUMENT, &err, "at least one node");
  FF_CHECK_FAILS(ff_pbn_keep(keep, pbn, &interest, 1, &err), FF_EARGUMENT, &err, "node 8");
  ff_pbn_free(pbn);
}

static void order_and_split(void) {
  const char *const rules[] = {"a 0.5 b", "a 0.5 c",
                               "b 1 f(a, b, c, d, e, g){0000000000000000000000000000000000000000000000000000000000000001}",
                               "c 1 a",   "d 0.2 a", "d 0.3 b", "d 0.5 c", "e 1 1", "g 1 c", NULL};
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = net_parse(rules, 0, FF_SYNCHRONOUS);
  uint32_t order[6], split = 9;
  const uint32_t want[] = {4, 2, 5, 1, 0, 3}; /* one function, by bytes (e: 4; c, g: 8; b: 32), then two functions, then three */
  FF_CHECK_OK(ff_pbn_order(order, &split, pbn, SIZE_MAX, &err), &err);
  for (int k = 0; k < 6; k++) FF_CHECK_INT(order[k], want[k]);
  FF_CHECK_INT(split, 6);
  const size_t budgets[] = {0, 3, 4, 11, 12, 20, 51, 52, 68, 91, 92};
  const uint32_t fits[] = {0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6};
  for (int k = 0; k < 11; k++) {
    FF_CHECK_OK(ff_pbn_order(order, &split, pbn, budgets[k], &err), &err);
    FF_CHECK_INT(split, fits[k]);
  }
  ff_pbn_free(pbn);
}

/* A chain of many nodes must need no recursion and no quadratic time. */
static void large(void) {
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = NULL, *small = NULL;
  uint32_t n = 100000;
  FF_CHECK_OK(ff_pbn_new(&pbn, n, &err), &err);
  for (uint32_t i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%u", i);
    pbn->names[i] = ff_strndup(name, strlen(name));
    pbn->first[i + 1] = i + 1;
  }
  FF_CHECK_OK(ff_pbn_new_predictors(pbn, &err), &err);
  for (uint32_t i = 0; i < n; i++) {
    ff_op code = FF_X_OP(FF_X_VAR, i == 0 ? n / 2 - 1 : i - 1); /* the first half is a loop, the rest a chain */
    ff_expr expr = {&code, 1, 1};
    FF_CHECK_OK(ff_expr_copy(&pbn->predictors[i].expr, &expr, &err), &err);
    pbn->predictors[i].probability = 1;
  }
  FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
  ff_components *c = NULL;
  FF_CHECK_OK(ff_pbn_components(&c, pbn, &err), &err);
  FF_CHECK_INT(c->n_components, n / 2 + 1);
  FF_CHECK_INT(c->size[0], n / 2);
  FF_CHECK_INT(c->component[n - 1], n / 2);
  ff_graph_components_free(c);
  uint8_t *keep = ff_calloc(n, 1);
  uint32_t interest = 7;
  FF_CHECK_OK(ff_pbn_keep(keep, pbn, &interest, 1, &err), &err);
  FF_CHECK_OK(ff_pbn_reduce(&small, NULL, pbn, keep, &err), &err);
  FF_CHECK_INT(small->n_nodes, n / 2);
  free(keep);
  ff_pbn_free(small);
  ff_pbn_free(pbn);
}

/* What the paper and its authors' files state about the apoptosis network. */
static void apoptosis(void) {
  const char *shared = getenv("FIREFLIP_SHARED");
  if (!shared) {
    printf("apoptosis: skipped, FIREFLIP_SHARED is not set\n");
    return;
  }
  ff_error err = {FF_OK, ""};
  ff_pbn *pbn = NULL;
  ff_format found;
  char path[4096];
  snprintf(path, sizeof path, "%s/facts/apoptosis.boolnet", shared);
  FF_CHECK_OK(ff_io_read(&pbn, &found, path, FF_FORMAT_AUTO, &err), &err);
  if (!pbn) return;
  uint32_t interest = UINT32_MAX, kept = 0, larger = 0, largest = 0;
  for (uint32_t i = 0; i < pbn->n_nodes; i++)
    if (!strcmp(pbn->names[i], "complex2")) interest = i;
  uint8_t *keep = ff_calloc(pbn->n_nodes, 1);
  FF_CHECK_OK(ff_pbn_keep(keep, pbn, &interest, 1, &err), &err);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) kept += keep[i];
  FF_CHECK_INT(pbn->n_nodes - kept, 36);
  ff_components *c = NULL;
  FF_CHECK_OK(ff_pbn_components(&c, pbn, &err), &err);
  for (uint32_t k = 0; k < c->n_components; k++) {
    larger += c->size[k] > 1;
    if (c->size[k] > largest) largest = c->size[k];
  }
  FF_CHECK_INT(larger, 1);
  FF_CHECK_INT(largest, 20);
  ff_graph_components_free(c);
  free(keep);
  ff_pbn_free(pbn);
}

FF_TEST_MAIN("graph", example_components, loops_and_lone_nodes, random_against_definition, contexts_stay, refusals,
             order_and_split, large, apoptosis)
