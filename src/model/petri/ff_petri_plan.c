/* The unfolding of coloured nets: the bindings of a transition are sorted into families. */
#include <stdlib.h>
#include <string.h>

#include "ff_petri_unfold.h"

struct ff_petri_plan {
  ff_bindings bindings;
  ff_flat_element *element; /* of the transition */
  uint32_t n_elements;
  ff_colour_expr *when; /* of each piece */
  uint32_t n_pieces;
  uint8_t *shared;      /* for each element: whether another one has the same place of the coloured net */
  uint32_t *needed;     /* elements whose colours must exist, whatever the piece */
  uint32_t n_needed;
  uint32_t *used;       /* elements that families have as slots: first those of arcs, then those of each piece */
  uint32_t n_arc_used;
  int certain;          /* whether the first piece always counts, so that its elements are among those needed */
  uint32_t *piece_used, *piece_end; /* of piece i: piece_used[i] to piece_end[i] - 1, beside those of arcs */
  uint32_t *place;      /* of each element, for a binding */
  uint32_t *list, *pattern;
  uint32_t *stamp, *slot, *first, mask, now; /* a hash table of places, whose entries count if their stamp is `now` */
  ff_family_builder *family;
  uint32_t n_families, last;
  uint64_t bound;
};

void ff_petri_plan_free(ff_petri_plan *plan) {
  if (plan == NULL) return;
  ff_bindings_free(&plan->bindings);
  for (uint32_t i = 0; plan->element != NULL && i < plan->n_elements; i++) ff_flat_element_free(&plan->element[i]);
  for (uint32_t i = 0; plan->when != NULL && i < plan->n_pieces; i++) ff_colour_free(&plan->when[i]);
  for (uint32_t i = 0; i < plan->n_families; i++) ff_family_builder_free(&plan->family[i]);
  void *const arrays[] = {plan->element, plan->when, plan->shared, plan->needed, plan->used, plan->piece_used, plan->piece_end,
                          plan->place, plan->list, plan->pattern, plan->stamp, plan->slot, plan->first, plan->family};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(plan);
}

/* ---- making a plan ------------------------------------------------------------------------------------------------ */

/* The number of words of all pieces, which bounds the elements that they name. */
static size_t words_of(const ff_petri_transition *t) {
  size_t words = 0;
  for (uint32_t i = 0; i < t->n_pieces; i++) words += t->piece[i].value.length;
  return words;
}

static ff_status allocate(ff_petri_plan *plan, const ff_petri_transition *t, ff_error *err) {
  const size_t n = t->n_elements, words = words_of(t);
  size_t slots = 16;
  while (slots < 2 * n) slots *= 2;
  plan->n_elements = t->n_elements;
  plan->n_pieces = t->n_pieces;
  plan->mask = (uint32_t)(slots - 1);
  plan->element = ff_calloc(n, sizeof *plan->element);
  plan->when = ff_calloc(t->n_pieces, sizeof *plan->when);
  plan->shared = ff_calloc(n, 1);
  plan->needed = ff_calloc(n, sizeof *plan->needed);
  plan->used = ff_calloc(n + words, sizeof *plan->used);
  plan->piece_used = ff_calloc(t->n_pieces, sizeof *plan->piece_used);
  plan->piece_end = ff_calloc(t->n_pieces, sizeof *plan->piece_end);
  plan->place = ff_calloc(n, sizeof *plan->place);
  plan->list = ff_calloc(n, sizeof *plan->list);
  plan->pattern = ff_calloc(n, sizeof *plan->pattern);
  plan->stamp = ff_calloc(slots, sizeof *plan->stamp);
  plan->slot = ff_calloc(slots, sizeof *plan->slot);
  plan->first = ff_calloc(slots, sizeof *plan->first);
  if (plan->element != NULL && plan->when != NULL && plan->shared != NULL && plan->needed != NULL && plan->used != NULL &&
      plan->piece_used != NULL && plan->piece_end != NULL && plan->place != NULL && plan->list != NULL && plan->pattern != NULL &&
      plan->stamp != NULL && plan->slot != NULL && plan->first != NULL)
    return FF_OK;
  return ff_error_set(err, FF_EMEMORY, "no memory to unfold a transition");
}

/* Takes the elements of a formula that are not marked yet, marks them with `mark`, and appends them to used[]. */
static void use_formula(ff_petri_plan *plan, const ff_unfolder *u, const ff_petri_transition *t, const ff_formula *formula,
                        uint32_t *marked, uint32_t mark, uint32_t *n) {
  const uint32_t first = ff_petri_first_element(u->net);
  for (uint32_t i = 0; i < formula->length; i++) {
    if (formula->word[i].code != FF_F_SYMBOL || formula->word[i].symbol < first) continue;
    const uint32_t e = formula->word[i].symbol - first;
    if (t->element[e].all || marked[e] == 1 || marked[e] == mark) continue;
    marked[e] = mark;
    plan->used[(*n)++] = e;
  }
}

/* Lists what arcs and pieces use, and what must exist. marked[e] is 1 for what arcs use, i + 2 for what piece i was the last to
 * use. */
static void list_elements(ff_petri_plan *plan, const ff_unfolder *u, const ff_petri_transition *t, uint32_t *marked) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_arcs; i++) {
    const ff_petri_arc *arc = &t->arc[i];
    if (arc->kind == FF_ARC_MODIFIER) continue;
    if (marked[arc->element] != 1) plan->used[n++] = arc->element;
    marked[arc->element] = 1;
    use_formula(plan, u, t, &arc->weight, marked, 1, &n);
  }
  plan->n_arc_used = plan->n_needed = n;
  for (uint32_t i = 0; i < n; i++) plan->needed[i] = plan->used[i];
  for (uint32_t i = 0; i < t->n_pieces; i++) {
    plan->piece_used[i] = n;
    use_formula(plan, u, t, &t->piece[i].value, marked, i + 2, &n);
    plan->piece_end[i] = n;
  }
  plan->certain = t->n_pieces > 0 && t->piece[0].when.length == 0;
  for (uint32_t i = 0; plan->certain && i < plan->piece_end[0] - plan->piece_used[0]; i++)
    plan->needed[plan->n_needed++] = plan->used[plan->piece_used[0] + i];
  for (uint32_t i = 0; i < t->n_arcs; i++) { /* modifiers that no piece names */
    const uint32_t e = t->arc[i].element;
    if (marked[e] != 0) continue;
    marked[e] = 1;
    plan->needed[plan->n_needed++] = e;
  }
}

/* Marks elements whose place other elements have too. */
static ff_status find_shared(ff_petri_plan *plan, const ff_unfolder *u, const ff_petri_transition *t, ff_error *err) {
  uint32_t *last = ff_calloc(u->net->n_places, sizeof *last); /* + 1 */
  if (last == NULL) return ff_error_set(err, FF_EMEMORY, "no memory to unfold a transition");
  for (uint32_t e = 0; e < t->n_elements; e++) {
    uint32_t *before = &last[t->element[e].place];
    if (t->element[e].all || u->net->place[t->element[e].place].set == FF_PETRI_NONE) continue;
    if (*before != 0) plan->shared[e] = plan->shared[*before - 1] = 1;
    *before = e + 1;
  }
  free(last);
  return FF_OK;
}

/* Marks the components of indices that are bound. */
static void mark_components(const ff_petri_plan *plan, const ff_petri *net, const ff_petri_transition *t,
                            const ff_colour_expr *guard, uint8_t *component) {
  ff_mark_colour(component, guard);
  for (uint32_t i = 0; i < plan->n_needed; i++) {
    const ff_flat_element *element = &plan->element[plan->needed[i]];
    for (uint32_t k = 0; k < element->width; k++) ff_mark_colour(component, &element->colour[k]);
  }
  for (uint32_t i = 0; i < t->n_arcs; i++) ff_mark_formula(component, net, &t->arc[i].weight);
  for (uint32_t i = 0; i < t->n_pieces; i++) {
    ff_mark_colour(component, &plan->when[i]);
    ff_mark_formula(component, net, &t->piece[i].value);
    for (uint32_t j = plan->piece_used[i]; j < plan->piece_end[i]; j++)
      for (uint32_t k = 0; k < plan->element[plan->used[j]].width; k++)
        ff_mark_colour(component, &plan->element[plan->used[j]].colour[k]);
  }
}

static ff_status expand_all(ff_petri_plan *plan, ff_unfolder *u, const ff_petri_transition *t, ff_error *err) {
  ff_status status = FF_OK;
  for (uint32_t e = 0; e < t->n_elements && status == FF_OK; e++)
    status = ff_flat_element_make(&plan->element[e], u->net, u->flat->first, &t->element[e], &u->at, err);
  for (uint32_t i = 0; i < t->n_pieces && status == FF_OK; i++)
    status = ff_colour_place_expand(&plan->when[i], &t->piece[i].when, &u->at, err);
  return status;
}

/* The guard, narrowed by the colours that must exist; then the search for bindings can begin. */
static ff_status start_bindings(ff_petri_plan *plan, ff_unfolder *u, const ff_petri_transition *t, ff_error *err) {
  const ff_petri *net = u->net;
  uint8_t *component = ff_calloc(net->n_components, 1);
  ff_colour_expr guard = {0};
  ff_status status = component != NULL ? ff_colour_place_expand(&guard, &t->guard, &u->at, err)
                                       : ff_error_set(err, FF_EMEMORY, "no memory for %u indices", net->n_indices);
  if (status == FF_OK) mark_components(plan, net, t, &guard, component);
  for (uint32_t i = 0; i < plan->n_needed && status == FF_OK; i++) {
    const uint32_t e = plan->needed[i];
    status = ff_guard_narrow(&guard, net, u->bounds, &t->element[e], &plan->element[e], err);
  }
  if (status == FF_OK) status = ff_bindings_start(&plan->bindings, net, component, &guard, &u->at, err);
  ff_colour_free(&guard);
  free(component);
  return status;
}

static ff_status make_plan(ff_unfolder *u, const ff_petri_transition *t, ff_error *err) {
  ff_petri_plan *plan = u->plan = ff_calloc(1, sizeof *plan);
  uint32_t *marked = ff_calloc(t->n_elements, sizeof *marked);
  ff_status status = plan != NULL && marked != NULL ? allocate(plan, t, err)
                                                    : ff_error_set(err, FF_EMEMORY, "no memory to unfold a transition");
  if (status == FF_OK) status = expand_all(plan, u, t, err);
  if (status == FF_OK) list_elements(plan, u, t, marked);
  if (status == FF_OK) status = find_shared(plan, u, t, err);
  if (status == FF_OK) status = start_bindings(plan, u, t, err);
  free(marked);
  return status;
}

/* ---- bindings ----------------------------------------------------------------------------------------------------- */

/* Finds the first element of the list with the same place, for those at `k` on the list. */
static uint32_t first_with(ff_petri_plan *plan, uint32_t place, uint32_t k) {
  uint32_t at = place * UINT32_C(0x9E3779B1) >> 7 & plan->mask;
  for (; plan->stamp[at] == plan->now; at = (at + 1) & plan->mask)
    if (plan->slot[at] == place) return plan->first[at];
  plan->stamp[at] = plan->now;
  plan->slot[at] = place;
  plan->first[at] = k;
  return k;
}

/* Which elements of the list coincide. Returns a hash of the pattern. */
static uint64_t find_pattern(ff_petri_plan *plan, uint32_t n) {
  uint64_t key = UINT64_C(0xCBF29CE484222325);
  if (++plan->now == 0) { /* after 2^32 bindings, old stamps would count */
    memset(plan->stamp, 0, ((size_t)plan->mask + 1) * sizeof *plan->stamp);
    plan->now = 1;
  }
  for (uint32_t k = 0; k < n; k++) {
    plan->pattern[k] = k;
    if (!plan->shared[plan->list[k]]) continue;
    plan->pattern[k] = first_with(plan, plan->place[plan->list[k]], k);
    key = (key ^ plan->pattern[k]) * UINT64_C(0x100000001B3);
  }
  return key;
}

static int is_family(const ff_family_builder *f, uint32_t piece, uint64_t key, const uint32_t *pattern, uint32_t n) {
  return f->piece == piece && f->key == key && (n == 0 || memcmp(f->pattern, pattern, n * sizeof *pattern) == 0);
}

/* The family of the binding whose places have been found. */
static ff_status find_family(ff_unfolder *u, uint32_t transition, uint32_t piece, uint32_t n, ff_error *err) {
  ff_petri_plan *plan = u->plan;
  const uint64_t key = find_pattern(plan, n);
  if (plan->last < plan->n_families && is_family(&plan->family[plan->last], piece, key, plan->pattern, n)) return FF_OK;
  for (plan->last = 0; plan->last < plan->n_families; plan->last++)
    if (is_family(&plan->family[plan->last], piece, key, plan->pattern, n)) return FF_OK;
  void *memory = plan->family;
  ff_status status = ff_petri_room(&memory, plan->n_families, sizeof *plan->family, err);
  plan->family = memory;
  if (status == FF_OK)
    status = ff_family_start(&plan->family[plan->n_families], u, transition, piece, plan->list, plan->pattern, n, err);
  if (status != FF_OK) return status;
  plan->family[plan->n_families++].key = key;
  return FF_OK;
}

/* Finds the places of elements. Returns 0 if a colour does not exist. */
static int find_places(ff_petri_plan *plan, const ff_colour_place *at, const uint32_t *element, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!ff_flat_element_find(&plan->element[element[k]], at, &plan->place[element[k]])) return 0;
  return 1;
}

/* Fails if the bindings of a transition, of which there are at least n, and the transitions before it are too many. */
static ff_status check_size(const ff_unfolder *u, uint32_t transition, double n, ff_error *err) {
  char guard[] = "; a guard, such as \"x != y\", leaves out choices";
  if ((double)u->flat->n_transitions + n <= FF_PETRI_MAX_TRANSITIONS) return FF_OK;
  if (u->net->transition[transition].guard.length > 0) guard[0] = '\0';
  return ff_error_set(err, FF_ESIZE,
                      "%sthere are at least %.10g choices of colours, each of which is a transition; at most %u transitions are "
                      "possible%s",
                      ff_petri_label_of(u->net, transition).text, n, FF_PETRI_MAX_TRANSITIONS, guard);
}

/* How many bindings there are, if no guard leaves out any; otherwise 0. */
static double all_bindings(const ff_bindings *bindings, const ff_petri *net) {
  double n = bindings->guard.length == 0;
  for (uint32_t i = 0; i < bindings->n_indices; i++) n *= ff_colours_n(net->colours[net->index[bindings->index[i]].set]);
  return n;
}

/* Takes one binding. */
static ff_status take_binding(ff_unfolder *u, uint32_t transition, ff_error *err) {
  ff_petri_plan *plan = u->plan;
  uint32_t piece = 0, n = plan->n_arc_used;
  ff_bindings_set(&plan->bindings, plan->bindings.next++, &u->at);
  if (!find_places(plan, &u->at, plan->needed, plan->n_needed)) return FF_OK;
  while (piece < plan->n_pieces && !ff_colour_holds(&plan->when[piece], &u->at)) piece++;
  memcpy(plan->list, plan->used, n * sizeof *plan->list);
  if (piece == plan->n_pieces) {
    piece = FF_PETRI_NONE;
  } else {
    const uint32_t more = plan->piece_end[piece] - plan->piece_used[piece];
    if (!plan->certain && !find_places(plan, &u->at, plan->used + plan->piece_used[piece], more)) return FF_OK;
    memcpy(plan->list + n, plan->used + plan->piece_used[piece], more * sizeof *plan->list);
    n += more;
  }
  plan->bound++;
  ff_status status = find_family(u, transition, piece, n, err);
  if (status != FF_OK || plan->family[plan->last].dropped) return status;
  u->flat->n_transitions++;
  return ff_family_add(&plan->family[plan->last], plan->list, plan->place, &plan->bindings, u->at.component, err);
}

/* Passes the families on. */
static ff_status finish_plan(ff_unfolder *u, uint32_t transition, ff_error *err) {
  ff_petri_plan *plan = u->plan;
  ff_petri_flat *flat = u->flat;
  ff_status status = FF_OK;
  ff_bindings_free(&plan->bindings);
  if (plan->bound == 0) flat->never[flat->n_never++] = transition;
  for (uint32_t i = 0; i < plan->n_families && status == FF_OK; i++) {
    if (plan->family[i].dropped) continue;
    void *memory = flat->family;
    status = ff_petri_room(&memory, flat->n_families, sizeof *flat->family, err);
    flat->family = memory;
    if (status == FF_OK) status = ff_family_finish(&flat->family[flat->n_families], &plan->family[i], err);
    if (status == FF_OK) flat->n_families++;
  }
  if (status != FF_OK) return status;
  ff_petri_plan_free(plan);
  u->plan = NULL;
  return FF_OK;
}

ff_status ff_unfolder_bind(ff_unfolder *u, uint32_t transition, int64_t *budget, int *done, ff_error *err) {
  const ff_petri_transition *t = &u->net->transition[transition];
  ff_status status = FF_OK;
  *done = 0;
  if (u->plan == NULL) {
    status = make_plan(u, t, err);
    if (status == FF_OK) status = check_size(u, transition, all_bindings(&u->plan->bindings, u->net), err);
  }
  if (status != FF_OK) return status;
  ff_petri_plan *plan = u->plan;
  if (!plan->bindings.done) {
    status = ff_bindings_step(&plan->bindings, &u->at, budget, err);
    if (status == FF_OK) status = check_size(u, transition, (double)plan->bindings.n, err);
  }
  for (; status == FF_OK && plan->bindings.done && plan->bindings.next < plan->bindings.n && *budget > 0;
       *budget -= 1 + (int64_t)plan->n_needed)
    status = take_binding(u, transition, err);
  if (status != FF_OK || !plan->bindings.done || plan->bindings.next < plan->bindings.n) return status;
  *done = 1;
  return finish_plan(u, transition, err);
}
