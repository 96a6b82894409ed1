/* A network whose nodes and functions are added one by one while a file is read. */
#include "ff_io_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The slot that holds the name, or the free slot where it belongs. There is always a free slot. */
static size_t find_slot(const ff_build *build, ff_span name) {
  size_t mask = build->slots - 1, at = (size_t)ff_name_hash(name.text, name.length) & mask;
  for (; build->slot[at] != 0; at = (at + 1) & mask) {
    const char *other = build->names[build->slot[at] - 1];
    if (strncmp(other, name.text, name.length) == 0 && other[name.length] == '\0') break;
  }
  return at;
}

/* Enlarges the hash table if necessary, so that it is at most half full. */
static ff_status make_room(ff_build *build) {
  if (2 * ((size_t)build->n_nodes + 1) <= build->slots) return FF_OK;
  size_t slots = build->slots == 0 ? 64 : build->slots * 2;
  uint32_t *slot = ff_calloc(slots, sizeof *slot), *old = build->slot;
  if (slot == NULL) return ff_error_set(build->err, FF_EMEMORY, "no memory for the names of %zu nodes", slots / 2);
  build->slot = slot;
  build->slots = slots;
  for (uint32_t i = 0; i < build->n_nodes; i++)
    slot[find_slot(build, ff_span_of(build->names[i]))] = i + 1;
  free(old);
  return FF_OK;
}

ff_status ff_build_node(ff_build *build, ff_span name, uint32_t *node, int *is_new) {
  ff_status status = make_room(build);
  if (status != FF_OK) return status;
  size_t at = find_slot(build, name);
  if (is_new != NULL) *is_new = build->slot[at] == 0;
  if (build->slot[at] != 0) {
    *node = build->slot[at] - 1;
    return FF_OK;
  }
  if (build->n_nodes >= FF_X_MAX_OPERAND)
    return ff_error_set(build->err, FF_ESIZE, "%s: a network has at most %lu nodes", build->file,
                        (unsigned long)FF_X_MAX_OPERAND);
  void *memory = build->names;
  status = ff_grow(&memory, &build->names_capacity, (size_t)build->n_nodes + 1, sizeof *build->names, build->err);
  build->names = memory;
  if (status != FF_OK) return status;
  char *copy = ff_strndup(name.text, name.length);
  if (copy == NULL) return ff_error_set(build->err, FF_EMEMORY, "no memory for a name of %zu bytes", name.length);
  *node = build->n_nodes;
  build->names[build->n_nodes++] = copy;
  build->slot[at] = build->n_nodes;
  return FF_OK;
}

int64_t ff_build_find(void *build, const char *name, size_t length) {
  const ff_build *b = build;
  if (b->slots == 0 || memchr(name, '\0', length) != NULL) return -1;
  return (int64_t)b->slot[find_slot(b, (ff_span){name, length})] - 1;
}

ff_status ff_build_suggest(const ff_build *build, ff_span name, ff_status status) {
  const char *near = ff_name_near(build->names, build->n_nodes, name.text, name.length);
  if (near == NULL || build->err == NULL) return status;
  ff_error first = *build->err;
  return ff_error_set(build->err, status, "%s%s", first.text, ff_hint_of(near).text);
}

ff_status ff_build_rule(ff_build *build, uint32_t node, double probability, uint64_t line, ff_expr *expr) {
  void *memory = build->rules;
  ff_status status = ff_grow(&memory, &build->rules_capacity, build->n_rules + 1, sizeof *build->rules, build->err);
  build->rules = memory;
  if (status == FF_OK && build->n_rules >= UINT32_MAX)
    status = ff_error_set(build->err, FF_ESIZE, "%s: a network has at most 2^32 - 1 predictor functions", build->file);
  if (status == FF_OK)
    build->rules[build->n_rules++] = (ff_rule){node, line, probability, *expr};
  else
    ff_expr_free(expr);
  *expr = (ff_expr){0};
  return status;
}

ff_status ff_build_pbn(ff_pbn **out, ff_build *build) {
  ff_pbn *pbn;
  *out = NULL;
  ff_status status = ff_pbn_new(&pbn, build->n_nodes, build->err);
  if (status != FF_OK) return status;
  uint32_t *next = ff_calloc((size_t)build->n_nodes + 1, sizeof *next);
  if (next == NULL) status = ff_error_set(build->err, FF_EMEMORY, "no memory for %u nodes", build->n_nodes);
  if (status == FF_OK) { /* a counting sort by node keeps the order of each node's functions */
    for (size_t r = 0; r < build->n_rules; r++) next[build->rules[r].node + 1]++;
    for (uint32_t i = 0; i < build->n_nodes; i++) next[i + 1] += next[i];
    memcpy(pbn->first, next, ((size_t)build->n_nodes + 1) * sizeof *next);
    status = ff_pbn_new_predictors(pbn, build->err);
  }
  if (status == FF_OK) {
    for (size_t r = 0; r < build->n_rules; r++) {
      ff_predictor *predictor = &pbn->predictors[next[build->rules[r].node]++];
      predictor->expr = build->rules[r].expr;
      predictor->probability = build->rules[r].probability;
    }
    for (uint32_t i = 0; i < build->n_nodes; i++) pbn->names[i] = build->names[i];
    build->n_rules = 0; /* the network owns them now */
    build->n_nodes = 0;
    *out = pbn;
    pbn = NULL;
  }
  free(next);
  ff_pbn_free(pbn);
  return status;
}

ff_status ff_build_finish(ff_pbn *pbn, const ff_build *build) {
  ff_error inner;
  ff_status status = ff_pbn_finish(pbn, 1, &inner);
  return status == FF_OK ? FF_OK : ff_error_set(build->err, status, "%s: %s", build->file, inner.text);
}

ff_status ff_io_finish_reactions(ff_reactions *net, const char *file, ff_error *err) {
  ff_error inner;
  ff_status status = ff_reactions_finish(net, &inner);
  return status == FF_OK ? FF_OK : ff_error_set(err, status, "%s: %s", file, inner.text);
}

/* ---- amounts that are no counts ----------------------------------------------------------------------------------------- */

#define MOST_SHOWN 5

int ff_io_count(double number, int rounds, double *count) {
  int fine = ff_count_of(number, count);
  if (!fine && rounds && number >= 0) {
    *count = floor(number + 0.5);
    fine = 1;
  }
  fine = fine && *count <= FF_MAX_COUNT;
  if (!fine) *count = 0;
  return fine;
}

void ff_io_uncounted_add(ff_io_uncounted *all, const char *name, const char *what, double value, int missing, uint64_t line) {
  const size_t used = strlen(all->text);
  char *const end = all->text + used;
  const char *const comma = all->n > 0 ? ", " : "";
  const ff_quoted shown = ff_quote(name, strlen(name));
  if (all->n == 0) all->line = line;
  all->n++;
  all->n_missing += missing != 0;
  if (all->n_shown == MOST_SHOWN || used > FF_IO_UNCOUNTED_SIZE / 2) return; /* the longest entry takes the other half */
  const size_t room = FF_IO_UNCOUNTED_SIZE - used;
  if (missing)
    snprintf(end, room, "%s%s without %s", comma, shown.text, all->n > 1 ? "one" : "an initial amount or concentration");
  else if (all->n == 1)
    snprintf(end, room, "%s with the initial %s %s", shown.text, what, ff_show(value, 15).text);
  else
    snprintf(end, room, "%s%s with %s", comma, shown.text, ff_show(value, 15).text);
  all->n_shown++;
}

ff_status ff_io_uncounted_check(const ff_io_uncounted *all, const char *file, const char *more, ff_error *err) {
  char others[40] = "";
  const unsigned long long line = all->line;
  if (all->n == 0) return FF_OK;
  if (all->n > all->n_shown) snprintf(others, sizeof others, " and %u more", all->n - all->n_shown);
  const ff_status status = all->n_missing == all->n ? FF_EPARSE : FF_EUNSUPPORTED;
  const char *const wanted = all->n == 1 && all->n_missing == 1 ? "one was expected"
                             : all->n == 1                      ? "a whole number from 0 to 2^53 was expected, a count"
                                                                : "whole numbers from 0 to 2^53 were expected, counts";
  return ff_error_set(err, status, "%s, line %llu: found the species %s%s where %s%s", file, line, all->text, others, wanted,
                      more);
}

void ff_build_free(ff_build *build) {
  for (uint32_t i = 0; i < build->n_nodes; i++) free(build->names[i]);
  for (size_t r = 0; r < build->n_rules; r++) ff_expr_free(&build->rules[r].expr);
  free(build->names);
  free(build->slot);
  free(build->rules);
}
