/* Replicated modules: the search for them, and their terms. */
#include "ff_ssa_ring.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../groups/ff_ssa_factor.h"
#include "../groups/ff_ssa_factor_hubs.h"

#define NONE UINT32_MAX

/* What a reaction is like, seen from one module, the anchor: reactions of one kind have equal shapes. Reactant a is in the
 * anchor. */
enum { RATE, LAW = 2, A, B, OFFSET_B, CHANGES, FIRST, WORDS = FIRST + 3 * FF_RING_CHANGES };
typedef struct {
  uint32_t word[WORDS];
} shape;

/* A guess: m modules of s species. Species k of module j has the number j * s + k, or k * m + j. */
typedef struct {
  const ff_ssa_program *p;
  uint32_t s, m;
  int across; /* whether it is k * m + j */
  uint32_t n_active; /* reactions that can happen */
  uint32_t n_kinds;
  shape shapes[FF_RING_KINDS]; /* in the order of their first reactions */
  uint32_t *reaction; /* by kind, then by anchor; NONE if there is none */
} guess;

static uint32_t module_of(const guess *g, uint32_t species) { return g->across ? species % g->m : species / g->s; }

static uint32_t place_of(const guess *g, uint32_t species) { return g->across ? species / g->m : species % g->s; }

/* The shortest offset that leads to the same module. */
static int32_t shortest(const guess *g, int64_t offset) {
  const int64_t m = g->m, at = (offset % m + m) % m;
  return (int32_t)(at > m / 2 ? at - m : at);
}

/* ---- kinds -------------------------------------------------------------------------------------------------------------- */

static int is_active(const ff_ssa_propensity *a) { return a->rate != 0 || a->law > FF_LAW_PRODUCT; }

static int before(const shape *x, const shape *y) {
  for (uint32_t i = 0; i < WORDS; i++)
    if (x->word[i] != y->word[i]) return x->word[i] < y->word[i];
  return 0;
}

/* The shape of a reaction, seen from the module of reactant a. */
static shape shape_from(const guess *g, uint32_t r, uint32_t a, uint32_t b, uint32_t anchor) {
  const ff_ssa_program *p = g->p;
  const ff_ssa_propensity *law = p->propensities + r;
  shape x = {{0}};
  memcpy(x.word + RATE, &law->rate, sizeof law->rate);
  x.word[LAW] = law->law;
  if (law->law != FF_LAW_CONSTANT) x.word[A] = place_of(g, a);
  if (law->law == FF_LAW_PAIR) x.word[B] = place_of(g, b);
  if (law->law == FF_LAW_PAIR) x.word[OFFSET_B] = (uint32_t)shortest(g, (int64_t)module_of(g, b) - anchor);
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const ff_ssa_change *change = p->changes + i;
    const uint32_t k = place_of(g, change->species);
    const int32_t offset = shortest(g, (int64_t)module_of(g, change->species) - anchor);
    uint32_t *at = x.word + FIRST + 3 * x.word[CHANGES]++;
    for (; at > x.word + FIRST && (at[-3] > k || (at[-3] == k && (int32_t)at[-2] > offset)); at -= 3)
      memcpy(at, at - 3, 3 * sizeof *at);
    at[0] = k;
    at[1] = (uint32_t)offset;
    at[2] = (uint32_t)(int32_t)change->by;
  }
  return x;
}

/* The shape and the anchor of a reaction. Of the modules from which it can be seen, the one is taken from which the shape comes
 * first. Returns 0 if no module has such reactions. */
static int find_shape(const guess *g, uint32_t r, shape *out, uint32_t *anchor) {
  const ff_ssa_program *p = g->p;
  const ff_ssa_propensity *law = p->propensities + r;
  const uint32_t first = p->change_first[r], n = p->change_first[r + 1] - first;
  const uint32_t views = law->law == FF_LAW_CONSTANT ? n : law->law == FF_LAW_PAIR ? 2 : 1;
  if (law->law > FF_LAW_TWIN || n > FF_RING_CHANGES || views == 0 || (law->law == FF_LAW_PAIR && law->a == law->b)) return 0;
  for (uint32_t i = first; i < first + n; i++)
    if (p->changes[i].by > FF_RING_BY || p->changes[i].by < -FF_RING_BY) return 0;
  for (uint32_t i = 0; i < views; i++) {
    const uint32_t a = law->law == FF_LAW_CONSTANT ? p->changes[first + i].species : i == 0 ? law->a : law->b;
    const uint32_t from = module_of(g, a);
    const shape x = shape_from(g, r, a, i == 0 ? law->b : law->a, from);
    if (i > 0 && !before(&x, out)) continue;
    *out = x;
    *anchor = from;
  }
  return 1;
}

/* Finds the kind of each reaction. Returns 0 if a kind does not have one reaction for each module. */
static int find_kinds(guess *g) {
  const uint32_t most = g->n_active / g->m;
  g->n_kinds = 0;
  if (g->n_active % g->m != 0 || most == 0 || most > FF_RING_KINDS) return 0;
  for (uint32_t i = 0; i < most * g->m; i++) g->reaction[i] = NONE;
  for (uint32_t r = 0; r < g->p->n_reactions; r++) {
    shape x;
    uint32_t anchor, q = 0;
    if (!is_active(g->p->propensities + r)) continue;
    if (!find_shape(g, r, &x, &anchor)) return 0;
    while (q < g->n_kinds && (memcmp(g->shapes + q, &x, sizeof x) != 0 || g->reaction[q * g->m + anchor] != NONE)) q++;
    if (q == most) return 0;
    if (q == g->n_kinds) g->shapes[g->n_kinds++] = x;
    g->reaction[q * g->m + anchor] = r;
  }
  return 1; /* `most` kinds at most, and each reaction has a place of its own */
}

/* ---- terms -------------------------------------------------------------------------------------------------------------- */

/* A kind that is not yet in a term. */
typedef struct {
  uint32_t law, a, b;
  int32_t offset_b;
  double rate;
  uint32_t base, weight; /* the kind with the smallest rate of its class, and the multiple of that rate */
  uint32_t hub;
  int32_t moved;  /* the hub's module, from the anchor */
  uint32_t term;
} part;

static int is_multiple(double x, double base, uint32_t k) { return fabs(x - base * k) <= DBL_EPSILON * x; }

/* Rates that are whole multiples of another one, and of the same sort of law, are of its class. */
static void find_classes(part *parts, uint32_t n) {
  for (uint32_t done = 0; done < n;) {
    uint32_t base = NONE;
    for (uint32_t q = 0; q < n; q++)
      if (parts[q].weight == 0 && (base == NONE || parts[q].rate < parts[base].rate)) base = q;
    for (uint32_t q = 0; q < n; q++) {
      const int alike = (parts[q].law == FF_LAW_PAIR) == (parts[base].law == FF_LAW_PAIR) &&
                        parts[q].law != FF_LAW_TWIN && parts[base].law != FF_LAW_TWIN;
      if (parts[q].weight != 0 || (!alike && q != base)) continue;
      for (uint32_t k = 1; k <= FF_FACTOR_MULTIPLE && parts[q].weight == 0; k++)
        if (is_multiple(parts[q].rate, parts[base].rate, k)) parts[q].weight = k;
      if (parts[q].weight == 0) continue;
      parts[q].base = base;
      done++;
    }
  }
}

static ff_status choose_hubs(part *parts, uint32_t n, ff_error *err) {
  ff_ssa_factor_pair pairs[FF_RING_KINDS];
  uint32_t n_pairs = 0;
  for (uint32_t q = 0; q < n; q++)
    if (parts[q].law == FF_LAW_PAIR && parts[q].a != parts[q].b)
      pairs[n_pairs++] = (ff_ssa_factor_pair){.class = parts[q].base, .a = parts[q].a, .b = parts[q].b};
  ff_status status = ff_ssa_factor_hubs(pairs, n_pairs, err);
  for (uint32_t q = 0, at = 0; q < n && status == FF_OK; q++) {
    part *x = parts + q;
    x->hub = x->law == FF_LAW_TWIN || x->law == FF_LAW_PAIR ? x->a : FF_RING_ONE;
    if (x->law != FF_LAW_PAIR || x->a == x->b) continue;
    x->hub = pairs[at++].hub;
    if (x->hub == x->a) continue;
    x->moved = x->offset_b;
    x->b = x->a;
    x->offset_b = -x->offset_b;
  }
  return status;
}

/* Groups the parts by terms, and divides the weights of a term by their greatest common divisor. */
static int find_terms(ff_ssa_ring *ring, part *parts, uint32_t n) {
  const part *first[FF_RING_TERMS];
  uint32_t divisor[FF_RING_TERMS] = {0};
  for (uint32_t q = 0; q < n; q++) {
    part *x = parts + q;
    for (x->term = 0; x->term < ring->n_terms; x->term++)
      if (first[x->term]->base == x->base && first[x->term]->hub == x->hub && ring->terms[x->term].n < FF_RING_MEMBERS)
        break;
    if (x->term == FF_RING_TERMS) return 0;
    if (x->term == ring->n_terms) {
      first[ring->n_terms] = x;
      ring->terms[ring->n_terms++] = (ff_ssa_ring_term){.hub = x->hub, .less = x->law == FF_LAW_TWIN};
    }
    ring->terms[x->term].n++;
    divisor[x->term] = ff_common_divisor(x->weight, divisor[x->term]);
  }
  for (uint32_t t = 0, at = 0; t < ring->n_terms; at += ring->terms[t++].n) ring->terms[t].first = at;
  for (uint32_t q = n; q-- > 0;) {
    ff_ssa_ring_term *term = ring->terms + parts[q].term;
    if (term->rate == 0) term->rate = parts[parts[q].base].rate * divisor[parts[q].term];
    parts[q].weight /= divisor[parts[q].term];
  }
  for (uint32_t q = n; q-- > 0;)
    if (parts[q].weight == 1) ring->terms[parts[q].term].rate = parts[q].rate;
  return 1;
}

/* Fills in the kinds, by terms. Returns 0 if an offset is too large. */
static int list_kinds(ff_ssa_ring *ring, const guess *g, const part *parts) {
  uint32_t filled[FF_RING_TERMS] = {0};
  for (uint32_t i = 0; i < g->n_kinds; i++) {
    const part *x = parts + i;
    const uint32_t q = ring->terms[x->term].first + filled[x->term]++, *word = g->shapes[i].word;
    ff_ssa_ring_kind *kind = ring->kinds + q;
    *kind = (ff_ssa_ring_kind){.term = x->term, .weight = x->weight, .n_changes = word[CHANGES]};
    kind->species = x->law == FF_LAW_CONSTANT ? FF_RING_ONE : x->law == FF_LAW_PAIR ? x->b : x->a;
    kind->offset = x->law == FF_LAW_PAIR ? shortest(g, x->offset_b) : 0;
    int32_t most = abs(kind->offset);
    for (uint32_t k = 0; k < kind->n_changes; k++) {
      const uint32_t *change = word + FIRST + 3 * k;
      const int32_t offset = shortest(g, (int64_t)(int32_t)change[1] - x->moved);
      uint32_t at = k;
      for (; at > 0 && kind->changes[at - 1].species == change[0] && kind->changes[at - 1].offset > offset; at--)
        kind->changes[at] = kind->changes[at - 1];
      kind->changes[at] = (ff_ssa_ring_change){change[0], offset, (int32_t)change[2]};
      if (abs(offset) > most) most = abs(offset);
    }
    if (most > FF_RING_OFFSET) return 0;
    for (uint32_t j = 0; j < g->m; j++)
      ring->reaction[(size_t)q * g->m + ff_ssa_ring_at(ring, j, x->moved)] = g->reaction[(size_t)i * g->m + j];
  }
  return 1;
}

/* How many Q_j may change at steps in one module: of these terms, in the modules at these distances. */
static uint32_t count_effects(const ff_ssa_ring *ring, const guess *g) {
  uint8_t seen[FF_RING_TERMS][4 * FF_RING_OFFSET + 1] = {{0}};
  uint32_t n = 0;
  for (uint32_t q = 0; q < ring->n_kinds; q++)
    for (uint32_t i = 0; i < ring->kinds[q].n_changes; i++)
      for (uint32_t k = 0; k < ring->n_kinds; k++) {
        const ff_ssa_ring_change *change = ring->kinds[q].changes + i;
        const ff_ssa_ring_kind *reader = ring->kinds + k;
        const int32_t of_hub = shortest(g, change->offset), of_f = shortest(g, (int64_t)change->offset - reader->offset);
        const int hub = ring->terms[reader->term].hub == change->species, f = reader->species == change->species;
        uint8_t *at = seen[reader->term] + 2 * FF_RING_OFFSET;
        if (hub && !at[of_hub]) n += at[of_hub] = 1;
        if (f && !at[of_f]) n += at[of_f] = 1;
      }
  return n;
}

/* Sets *fits to whether the kinds make terms. */
static ff_status make_terms(ff_ssa_ring *ring, const guess *g, int *fits, ff_error *err) {
  part parts[FF_RING_KINDS];
  for (uint32_t q = 0; q < g->n_kinds; q++) {
    const uint32_t *word = g->shapes[q].word;
    parts[q] = (part){.law = word[LAW], .a = word[A], .b = word[B], .offset_b = (int32_t)word[OFFSET_B]};
    memcpy(&parts[q].rate, word + RATE, sizeof parts[q].rate);
  }
  find_classes(parts, g->n_kinds);
  ff_status status = choose_hubs(parts, g->n_kinds, err);
  if (status != FF_OK) return status;
  *fits = find_terms(ring, parts, g->n_kinds) && list_kinds(ring, g, parts) &&
          count_effects(ring, g) <= FF_RING_EFFECTS;
  return FF_OK;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

void ff_ssa_ring_free(ff_ssa_ring *ring) {
  if (ring == NULL) return;
  free(ring->species);
  free(ring->reaction);
  free(ring);
}

/* Makes *out from a guess that was checked, if its kinds make terms. */
static ff_status make(ff_ssa_ring **out, const guess *g, ff_error *err) {
  const uint32_t n_species = g->p->n_species;
  int fits = 0;
  ff_ssa_ring *ring = ff_calloc(1, sizeof *ring);
  if (ring == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the modules of a network");
  ring->n = g->m;
  ring->n_species = g->s;
  ring->n_kinds = g->n_kinds;
  ring->species = ff_calloc(n_species, sizeof *ring->species);
  ring->reaction = ff_calloc((size_t)g->n_kinds * g->m, sizeof *ring->reaction);
  ff_status status = FF_OK;
  if (ring->species == NULL || ring->reaction == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u modules of a network", g->m);
  if (status == FF_OK) status = make_terms(ring, g, &fits, err);
  for (uint32_t i = 0; i < n_species && fits; i++) ring->species[module_of(g, i) * g->s + place_of(g, i)] = i;
  if (fits)
    *out = ring;
  else
    ff_ssa_ring_free(ring);
  return status;
}

ff_status ff_ssa_ring_new(ff_ssa_ring **out, const ff_ssa_program *p, uint32_t least, ff_error *err) {
  guess g = {.p = p};
  ff_status status = FF_OK;
  *out = NULL;
  if (ff_ssa_program_scheduled(p)) return FF_OK;
  for (uint32_t r = 0; r < p->n_reactions; r++) g.n_active += is_active(p->propensities + r) != 0;
  if (g.n_active == 0) return FF_OK;
  g.reaction = ff_calloc(g.n_active, sizeof *g.reaction);
  if (g.reaction == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the modules of %u reactions", p->n_reactions);
  int found = 0;
  for (g.s = 1; g.s <= FF_RING_SPECIES && !found && status == FF_OK; g.s++) {
    g.m = p->n_species / g.s;
    if (p->n_species % g.s != 0 || g.m < least) continue;
    for (g.across = 0; g.across < 2 && !found && status == FF_OK; g.across++) {
      found = find_kinds(&g);
      if (found && g.m <= FF_RING_MOST) status = make(out, &g, err);
    }
  }
  free(g.reaction);
  return status;
}
