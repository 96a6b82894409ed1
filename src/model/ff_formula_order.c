/* The order in which formulas with names are computed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_formula.h"

enum { NEW, OPEN, DONE };

typedef struct {
  const ff_formula *formula;
  uint32_t n, first;
  char *const *names;
  uint8_t *state; /* of each formula */
  uint32_t *at;   /* of each formula: its next word */
  uint32_t *stack, height;
  uint32_t *order, n_done;
} walk;

/* The formulas on the stack from `from` on depend on each other. */
static ff_status found_cycle(const walk *w, uint32_t from, ff_error *err) {
  char text[600];
  size_t used = 0;
  uint32_t i = 0;
  while (w->stack[i] != from) i++;
  for (uint32_t n = 0; i < w->height && n < 4; i++, n++) {
    const char *name = w->names[w->stack[i]];
    const ff_quoted shown = ff_quote(name, strlen(name));
    const int left_out = n == 3 && i + 1 < w->height;
    int more = snprintf(text + used, sizeof text - used, "%s%.120s", n > 0 ? ", which depends on " : "",
                        left_out ? "..." : shown.text);
    used += more < 0 ? 0 : (size_t)more;
    if (used >= sizeof text) break;
  }
  return ff_error_set(err, FF_EMODEL, "a variable depends on itself: %s, which depends on %s", text,
                      ff_quote(w->names[from], strlen(w->names[from])).text);
}

/* Takes one step for the formula on top of the stack: it is done, or a formula that it names goes onto the stack. */
static ff_status step(walk *w, ff_error *err) {
  const uint32_t top = w->stack[w->height - 1];
  const ff_formula *formula = &w->formula[top];
  w->state[top] = OPEN;
  while (w->at[top] < formula->length) {
    const ff_formula_word *word = &formula->word[w->at[top]++];
    if (word->code != FF_F_SYMBOL || word->symbol < w->first || word->symbol - w->first >= w->n) continue;
    const uint32_t other = word->symbol - w->first;
    if (w->state[other] == DONE) continue;
    if (w->state[other] == OPEN) return found_cycle(w, other, err);
    w->stack[w->height++] = other;
    return FF_OK;
  }
  w->state[top] = DONE;
  w->order[w->n_done++] = top;
  w->height--;
  return FF_OK;
}

ff_status ff_formula_order(uint32_t **order, const ff_formula *formula, uint32_t n, uint32_t first, char *const *names,
                           ff_error *err) {
  walk w = {.formula = formula, .n = n, .first = first, .names = names, .state = ff_calloc(n, 1),
            .at = ff_calloc(n, sizeof *w.at), .stack = ff_calloc(n, sizeof *w.stack), .order = ff_calloc(n, sizeof *w.order)};
  ff_status status = FF_OK;
  *order = NULL;
  if (w.state == NULL || w.at == NULL || w.stack == NULL || w.order == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u variables", n);
  for (uint32_t v = 0; v < n && status == FF_OK; v++) {
    if (w.state[v] == DONE) continue;
    w.stack[w.height++] = v;
    while (w.height > 0 && status == FF_OK) status = step(&w, err);
  }
  free(w.state);
  free(w.at);
  free(w.stack);
  if (status == FF_OK)
    *order = w.order;
  else
    free(w.order);
  return status;
}
