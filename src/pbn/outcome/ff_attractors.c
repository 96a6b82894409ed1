/* Finds the attractor that a state leads to by Tarjan's search for strongly connected components; arrows are computed when
 * needed. When the search leaves a component, the component is labelled by what its states can end in. A component that no
 * arrow leaves is an attractor. As soon as a state on the path leads to several attractors, so do all states that the search
 * has not left, and the search ends.
 *
 * If the nodes of a synchronous network select their functions independently, the states that may follow a state are a cube:
 * the values of some nodes, and nodes that may have either value. Cubes are nodes of the search too. One arrow goes from a
 * state to its cube, and arrows go from there to the cube's states. So states with the same cube share its arrows, of which
 * there are 2^k if k nodes may have either value.
 */
#include "ff_attractors.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/ff_states.h"

#define KEEP_BYTES (UINT64_C(1) << 27) /* for states whose results are known */
#define LOOK_AT_CLOCK 4096u            /* predictor functions evaluated between two readings of the clock */

enum { LEADS_NOWHERE = -3 }; /* for a state on the path: no arrow that leads to a known result has been followed yet */

/* What is known of a state. `index` is the time of its last visit. The current search has visited it if `index` is at least
 * `first_index`. */
typedef struct {
  int32_t leads, sum; /* `sum`: result of all arrows so far, while the search is in its component */
  uint32_t index, low;
  uint32_t other; /* another state that may follow */
  uint32_t tried;
  uint8_t branches; /* 1 if several other states may follow */
  uint8_t cube;     /* 1 if this is a cube and not a state */
} known;

/* A state or cube on the path of the search, and the arrows that must still be followed from it. */
typedef struct {
  uint32_t state;
  uint32_t arrow, n_arrows; /* synchronous: number of the next arrow, and of all arrows; asynchronous: `arrow` is the current
                             * word of the form */
} step;

typedef struct {
  uint32_t states;
  ff_attractor_type type;
} found;

struct ff_attractors {
  const ff_pbn *pbn;
  uint32_t words, key_words; /* words of a state, and of its key; if there are cubes, a key has a second half: the nodes that
                              * may have either value */
  int cubes;
  uint8_t *used;       /* for each predictor function: 1 if some context selects it */
  uint8_t *stack;      /* for evaluating expressions */
  uint32_t *here, *to; /* the current state, and one that may follow it */
  ff_states states;
  known *about; /* for each state */
  size_t about_capacity;

  uint32_t met, first_index, limit, n_new, root;
  step *path;
  uint32_t *form; /* two states for each step of the path: a state that follows, and the nodes that may have the other value */
  uint32_t *open; /* the states of unfinished components */
  size_t path_capacity, form_capacity, open_capacity;
  uint32_t n_path, n_open;
  int32_t answer;
  uint64_t work;

  ff_states smallest; /* for each attractor */
  found *attractors;
  uint32_t *extent; /* two states for each attractor: the nodes that are always 1, and those that are 1 in some state */
  size_t attractors_capacity, extent_capacity;
};

static uint32_t *form_of(const ff_attractors *a, uint32_t at) { return a->form + (size_t)at * 2 * a->words; }

static ff_status prepare(ff_attractors *a, const ff_pbn *pbn, ff_error *err) {
  uint32_t n = pbn->n_nodes, n_predictors = pbn->first[n], depth = 1;
  for (uint32_t j = 0; j < n_predictors; j++)
    if (pbn->predictors[j].expr.depth > depth) depth = pbn->predictors[j].expr.depth;
  a->pbn = pbn;
  a->words = (n + 31) / 32;
  a->cubes = pbn->update == FF_SYNCHRONOUS && pbn->n_contexts == 0;
  a->key_words = a->cubes ? 2 * a->words : a->words;
  a->met = 1; /* 0 means never */
  a->used = ff_calloc(n_predictors, sizeof *a->used);
  a->stack = ff_calloc(depth, sizeof *a->stack);
  a->here = ff_calloc(a->key_words, sizeof *a->here);
  a->to = ff_calloc(a->key_words, sizeof *a->to);
  if (a->used == NULL || a->stack == NULL || a->here == NULL || a->to == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a search for attractors");
  if (pbn->n_contexts == 0) memset(a->used, 1, n_predictors);
  for (uint32_t c = 0; c < pbn->n_contexts; c++)
    for (uint32_t i = 0; i < n; i++) a->used[pbn->first[i] + pbn->context[(size_t)c * n + i]] = 1;
  ff_status status = ff_states_new(&a->states, a->key_words, err);
  return status == FF_OK ? ff_states_new(&a->smallest, a->words, err) : status;
}

ff_status ff_attractors_new(ff_attractors **out, const ff_pbn *pbn, ff_error *err) {
  *out = NULL;
  ff_attractors *a = ff_calloc(1, sizeof *a);
  if (a == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a search for attractors");
  ff_status status = prepare(a, pbn, err);
  if (status != FF_OK)
    ff_attractors_free(a);
  else
    *out = a;
  return status;
}

void ff_attractors_free(ff_attractors *a) {
  if (a == NULL) return;
  ff_states_free(&a->states);
  ff_states_free(&a->smallest);
  free(a->used);
  free(a->stack);
  free(a->here);
  free(a->to);
  free(a->about);
  free(a->path);
  free(a->form);
  free(a->open);
  free(a->attractors);
  free(a->extent);
  free(a);
}

uint32_t ff_attractors_words(const ff_attractors *a) { return a->words; }
uint32_t ff_attractors_count(const ff_attractors *a) { return a->smallest.n; }
uint64_t ff_attractors_work(const ff_attractors *a) { return a->work; }
int32_t ff_attractors_answer(const ff_attractors *a) { return a->answer; }

ff_attractor ff_attractors_get(const ff_attractors *a, uint32_t i) {
  const uint32_t *extent = a->extent + (size_t)i * 2 * a->words;
  return (ff_attractor){a->attractors[i].states, a->attractors[i].type, ff_states_at(&a->smallest, i), extent,
                        extent + a->words};
}

int32_t ff_attractors_known(const ff_attractors *a, const uint32_t *state, uint32_t *tried) {
  memset(a->here, 0, a->key_words * sizeof *a->here);
  memcpy(a->here, state, a->words * sizeof *a->here);
  uint32_t number = ff_states_find(&a->states, a->here);
  *tried = number == FF_STATES_NONE ? 0 : a->about[number].tried;
  return number == FF_STATES_NONE ? FF_LEADS_UNKNOWN : a->about[number].leads;
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

static uint32_t bit_of(const uint32_t *state, uint32_t node) { return state[node / 32] >> (node % 32) & 1u; }

static uint32_t value_of(ff_attractors *a, uint32_t predictor, const uint32_t *state) {
  a->work++;
  return ff_expr_value(&a->pbn->predictors[predictor].expr, state, a->stack) != 0;
}

/* For the state in here[]: next[] gets the state that follows by each node's first predictor function (asynchronous: the
 * state itself), and varies[] the nodes that may have the other value. */
static void fill_form(ff_attractors *a, uint32_t *next, uint32_t *varies) {
  const ff_pbn *pbn = a->pbn;
  int asynchronous = pbn->update == FF_ASYNCHRONOUS;
  memset(next, 0, a->words * sizeof *next);
  memset(varies, 0, a->words * sizeof *varies);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    uint32_t j = pbn->first[i], end = pbn->first[i + 1], differs = 0;
    uint32_t value = asynchronous ? bit_of(a->here, i) : value_of(a, j++, a->here);
    for (; j < end && !differs; j++) differs = a->used[j] && value_of(a, j, a->here) != value;
    next[i / 32] |= value << (i % 32);
    varies[i / 32] |= differs << (i % 32);
  }
}

static uint32_t ones(const uint32_t *state, uint32_t words) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcount(state[w]);
  return n;
}

/* Computes the state that follows the one in here[] in one context. The result is in to[]. */
static void follow_context(ff_attractors *a, uint32_t context) {
  const ff_pbn *pbn = a->pbn;
  memset(a->to, 0, a->words * sizeof *a->to);
  for (uint32_t i = 0; i < pbn->n_nodes; i++)
    a->to[i / 32] |= value_of(a, pbn->first[i] + pbn->context[(size_t)context * pbn->n_nodes + i], a->here) << (i % 32);
}

/* Computes a state of a cube, in to[]. The bits of `number`, lowest first, are assigned to the nodes whose bit in varies[] is
 * 1. */
static void follow_number(ff_attractors *a, const uint32_t *next, const uint32_t *varies, uint32_t number) {
  memset(a->to, 0, a->key_words * sizeof *a->to);
  for (uint32_t w = 0; w < a->words; w++) {
    uint32_t flips = 0;
    for (uint32_t left = varies[w]; left != 0 && number != 0; left &= left - 1, number >>= 1)
      if (number & 1) flips |= left & (0u - left);
    a->to[w] = next[w] ^ flips;
  }
}

/* Computes a state in which one node has changed, in to[]. The arrow is removed from varies[]. `word` is the word of the last
 * arrow. */
static int follow_one(ff_attractors *a, const uint32_t *state, uint32_t *varies, uint32_t *word) {
  while (*word < a->words && varies[*word] == 0) ++*word;
  if (*word == a->words) return 0;
  uint32_t bit = varies[*word] & (0u - varies[*word]);
  varies[*word] ^= bit;
  memcpy(a->to, state, a->words * sizeof *state);
  a->to[*word] ^= bit;
  return 1;
}

/* Follows the next arrow from the end of the path. Its target is in to[]. Returns 0 if all arrows have been followed. */
static int follow(ff_attractors *a) {
  step *top = &a->path[a->n_path - 1];
  uint32_t *form = form_of(a, a->n_path - 1);
  a->work++;
  if (a->pbn->update == FF_ASYNCHRONOUS) return follow_one(a, form, form + a->words, &top->arrow);
  if (top->arrow == top->n_arrows) return 0;
  uint32_t arrow = top->arrow++;
  if (a->about[top->state].cube) {
    follow_number(a, form, form + a->words, arrow);
  } else if (a->cubes) {
    memcpy(a->to, form, a->key_words * sizeof *a->to);
  } else {
    memcpy(a->here, ff_states_at(&a->states, top->state), a->words * sizeof *a->here);
    follow_context(a, arrow);
  }
  return 1;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int32_t both(int32_t a, int32_t b) {
  return a == LEADS_NOWHERE ? b : b == LEADS_NOWHERE || a == b ? a : FF_LEADS_SEVERAL;
}

static ff_status room(ff_attractors *a, ff_error *err) {
  ff_status status = ff_grow((void **)&a->path, &a->path_capacity, (size_t)a->n_path + 1, sizeof *a->path, err);
  if (status == FF_OK)
    status = ff_grow((void **)&a->form, &a->form_capacity, (size_t)a->n_path + 1, 2 * a->words * sizeof *a->form, err);
  if (status == FF_OK) status = ff_grow((void **)&a->open, &a->open_capacity, (size_t)a->n_open + 1, sizeof *a->open, err);
  return status;
}

/* Adds a state or cube to the set. The result of a new one is unknown. */
static ff_status meet(ff_attractors *a, const uint32_t *state, uint32_t *number, ff_error *err) {
  ff_status status = ff_grow((void **)&a->about, &a->about_capacity, (size_t)a->states.n + 1, sizeof *a->about, err);
  uint32_t before = a->states.n;
  if (status == FF_OK) status = ff_states_put(&a->states, state, number, err);
  if (status == FF_OK && *number == before)
    a->about[before] = (known){.leads = FF_LEADS_UNKNOWN, .cube = a->cubes && ones(state + a->words, a->words) > 0};
  return status;
}

/* Finds what follows a state of a synchronous network with independent choices: a cube, or one state. */
static void enter_cubes(ff_attractors *a, known *about, uint32_t *next, uint32_t *varies) {
  uint32_t k = ones(varies, a->words);
  int stays = 1; /* the state may follow itself */
  for (uint32_t w = 0; w < a->words; w++) {
    stays &= ((next[w] ^ a->here[w]) & ~varies[w]) == 0;
    next[w] &= ~varies[w];
  }
  about->branches = k > 1 || (k == 1 && !stays);
  if (k > 24 || UINT32_C(1) << k > a->limit) a->n_new = UINT32_MAX; /* so many states may follow that they exceed the limit */
}

/* Extends the path by a state or cube that this search has not visited. */
static ff_status enter(ff_attractors *a, uint32_t number, ff_error *err) {
  ff_status status = room(a, err);
  if (status != FF_OK) return status;
  known *about = &a->about[number];
  about->index = about->low = a->met++;
  about->sum = LEADS_NOWHERE;
  about->other = FF_STATES_NONE;
  about->branches = 0;
  a->open[a->n_open++] = number;
  step *top = &a->path[a->n_path];
  uint32_t *form = form_of(a, a->n_path++);
  *top = (step){.state = number, .n_arrows = a->cubes ? 1 : a->pbn->n_contexts};
  memcpy(a->here, ff_states_at(&a->states, number), a->key_words * sizeof *a->here);
  if (about->cube) {
    memcpy(form, a->here, a->key_words * sizeof *form);
    top->n_arrows = UINT32_C(1) << ones(form + a->words, a->words); /* at most a->limit */
    return FF_OK;
  }
  a->n_new++;
  if (!a->cubes && a->pbn->update == FF_SYNCHRONOUS) return FF_OK; /* contexts are followed one by one */
  fill_form(a, form, form + a->words);
  if (a->cubes) enter_cubes(a, about, form, form + a->words);
  return FF_OK;
}

/* Describes an attractor, whose states are the open ones from `from` on. */
static found describe(const ff_attractors *a, uint32_t from, const uint32_t **smallest) {
  found is = {0, FF_CYCLE};
  for (uint32_t i = from; i < a->n_open; i++) {
    const known *about = &a->about[a->open[i]];
    if (about->cube) continue;
    const uint32_t *state = ff_states_at(&a->states, a->open[i]);
    if (is.states == 0 || ff_states_compare(state, *smallest, a->words) < 0) *smallest = state;
    if (about->branches) is.type = FF_COMPLEX;
    is.states++;
  }
  if (is.states == 1) is.type = FF_FIXED_POINT;
  return is;
}

/* Stores the attractor that the open states from `from` on are. *number is a new number, or that of an attractor known
 * before. */
static ff_status note_attractor(ff_attractors *a, uint32_t from, int32_t *number, ff_error *err) {
  uint32_t before = a->smallest.n, words = a->words, id = 0;
  const uint32_t *smallest = NULL;
  found is = describe(a, from, &smallest);
  ff_status status = ff_grow((void **)&a->attractors, &a->attractors_capacity, (size_t)before + 1, sizeof is, err);
  if (status == FF_OK)
    status = ff_grow((void **)&a->extent, &a->extent_capacity, (size_t)before + 1, 2 * words * sizeof *a->extent, err);
  if (status == FF_OK) status = ff_states_put(&a->smallest, smallest, &id, err);
  if (status != FF_OK) return status;
  *number = (int32_t)id;
  if (id != before) return FF_OK;
  a->attractors[id] = is;
  uint32_t *always = a->extent + (size_t)id * 2 * words, *ever = always + words;
  memcpy(always, ff_states_at(&a->smallest, id), words * sizeof *always);
  memcpy(ever, always, words * sizeof *ever);
  for (uint32_t i = from; i < a->n_open; i++) {
    const uint32_t *state = ff_states_at(&a->states, a->open[i]);
    for (uint32_t w = 0; w < words && !a->about[a->open[i]].cube; w++) {
      always[w] &= state[w];
      ever[w] |= state[w];
    }
  }
  return FF_OK;
}

static void label_open(ff_attractors *a, uint32_t from, int32_t leads) {
  for (uint32_t i = from; i < a->n_open; i++) a->about[a->open[i]].leads = leads;
  a->n_open = from;
}

/* Removes the last state from the path after all its arrows have been followed. A component may end with it. */
static ff_status leave(ff_attractors *a, ff_error *err) {
  uint32_t number = a->path[--a->n_path].state;
  known *about = &a->about[number], *before = a->n_path > 0 ? &a->about[a->path[a->n_path - 1].state] : NULL;
  int32_t sum = about->sum;
  if (about->low == about->index) {
    uint32_t from = a->n_open;
    while (a->open[--from] != number) continue;
    if (sum == LEADS_NOWHERE) {
      ff_status status = note_attractor(a, from, &sum, err);
      if (status != FF_OK) return status;
    }
    label_open(a, from, sum);
  } else if (about->low < before->low) {
    before->low = about->low; /* the first state on the path starts a component, so there is a state before this one */
  }
  if (before != NULL) before->sum = both(before->sum, sum);
  return FF_OK;
}

/* Follows the arrow to the state in to[]. */
static ff_status advance(ff_attractors *a, ff_error *err) {
  uint32_t from = a->path[a->n_path - 1].state, number;
  ff_status status = meet(a, a->to, &number, err);
  if (status != FF_OK) return status;
  known *here = &a->about[from];
  const known *there = &a->about[number];
  if (number != from && !here->cube && !there->cube) {
    here->branches |= here->other != FF_STATES_NONE && here->other != number;
    here->other = number;
  }
  if (there->leads != FF_LEADS_UNKNOWN) {
    here->sum = both(here->sum, there->leads);
  } else if (there->index >= a->first_index) {
    if (there->index < here->low) here->low = there->index;
  } else {
    return enter(a, number, err);
  }
  return FF_OK;
}

ff_status ff_attractors_begin(ff_attractors *a, const uint32_t *state, uint32_t limit, ff_error *err) {
  uint64_t bytes = (uint64_t)a->states.n * (a->key_words * sizeof *state + sizeof *a->about);
  if (bytes > KEEP_BYTES || a->met > UINT32_C(1) << 31) {
    ff_states_clear(&a->states);
    a->met = 1;
  }
  a->n_path = a->n_open = a->n_new = 0;
  a->first_index = a->met;
  a->limit = limit < FF_ATTRACTORS_MAX_STATES ? limit : FF_ATTRACTORS_MAX_STATES;
  a->answer = FF_LEADS_UNKNOWN;
  memset(a->here, 0, a->key_words * sizeof *a->here);
  memcpy(a->here, state, a->words * sizeof *a->here);
  ff_status status = meet(a, a->here, &a->root, err);
  if (status != FF_OK) return status;
  a->answer = a->about[a->root].leads;
  return a->answer == FF_LEADS_UNKNOWN ? enter(a, a->root, err) : FF_OK;
}

ff_status ff_attractors_run(ff_attractors *a, double deadline, int *done, ff_error *err) {
  uint64_t look = a->work + LOOK_AT_CLOCK;
  *done = 0;
  while (a->n_path > 0) {
    if (a->n_new > a->limit) { /* states that the search has left are known, the others are not */
      a->about[a->root].tried = a->limit;
      a->n_path = a->n_open = 0;
      break;
    }
    ff_status status = follow(a) ? advance(a, err) : leave(a, err);
    if (status != FF_OK) return status;
    if (a->n_path > 0 && a->about[a->path[a->n_path - 1].state].sum == FF_LEADS_SEVERAL) {
      label_open(a, 0, FF_LEADS_SEVERAL); /* each of them can reach the last state of the path */
      a->n_path = 0;
    }
    if (a->work < look) continue;
    if (ff_clock() >= deadline) return FF_OK;
    look = a->work + LOOK_AT_CLOCK;
  }
  a->answer = a->about[a->root].leads;
  *done = 1;
  return FF_OK;
}
