/* Code for networks of replicated modules: what steps change, and the functions that depend on the network. */
#include <stdio.h>
#include <stdlib.h>

#include "ff_ssa_generate_ring.h"

#define NONE FF_SSA_RING_NONE
#define ONE FF_RING_ONE
#define MOST_CHOSEN 4u /* of so many cases, code chooses the constants; of more cases, constants are in a table */
#define TAKE_LOWER 0x5510u /* equal those of ff_ssa_thread_ring.h */
#define TAKE_UPPER 0x5532u
#define TAKE_ONE 0x5554u

typedef ff_ssa_ring_generator generator;

/* ---- what steps change ------------------------------------------------------------------------------------------------- */

int32_t ff_ssa_ring_around(const generator *g, int32_t offset) {
  const int32_t n = (int32_t)g->m->n, at = ((offset + n / 2) % n + n) % n;
  return at - n / 2;
}

static int32_t offset_of(const generator *g, const ff_ssa_ring_kind *kind) { return ff_ssa_ring_around(g, kind->offset); }

/* What a case adds to a species at an offset; 0 if neither a product nor the record reads it. */
static int32_t change_of(const generator *g, uint32_t c, uint32_t species, int32_t offset) {
  const ff_ssa_ring_kind *kind = g->m->kinds + g->cases[c].kind;
  int32_t by = 0;
  for (uint32_t i = 0; i < kind->n_changes && species != ONE && g->place[species] != NONE; i++)
    if (kind->changes[i].species == species && ff_ssa_ring_around(g, kind->changes[i].offset) == offset)
      by += kind->changes[i].by;
  return by;
}

/* Whether two kinds change the counts that products or the record read in the same way. */
static int same_changes(const generator *g, const ff_ssa_ring_kind *x, const ff_ssa_ring_kind *y) {
  uint32_t i = 0, k = 0;
  for (;;) {
    while (i < x->n_changes && g->place[x->changes[i].species] == NONE) i++;
    while (k < y->n_changes && g->place[y->changes[k].species] == NONE) k++;
    if (i == x->n_changes || k == y->n_changes) return i == x->n_changes && k == y->n_changes;
    const ff_ssa_ring_change *a = x->changes + i++, *b = y->changes + k++;
    if (a->species != b->species || a->offset != b->offset || a->by != b->by) return 0;
  }
}

static void list_cases(generator *g) {
  for (uint32_t i = 0; i < g->m->n_terms; i++) {
    const ff_ssa_ring_term *term = g->m->terms + i;
    g->first[i] = g->n_cases;
    for (uint32_t q = term->first; q < term->first + term->n; q++)
      if (q == term->first || !same_changes(g, g->m->kinds + q - 1, g->m->kinds + q))
        g->cases[g->n_cases++] = (ff_ssa_ring_case){i, q};
    const uint32_t boundaries = g->n_cases - g->first[i] - 1;
    if (boundaries > g->n_boundaries) g->n_boundaries = boundaries;
  }
}

static ff_ssa_ring_effect *effect_at(generator *g, uint32_t term, int32_t offset) {
  for (uint32_t i = 0; i < g->n_effects; i++)
    if (g->effects[i].term == term && g->effects[i].offset == offset) return g->effects + i;
  ff_ssa_ring_effect *e = g->effects + g->n_effects++;
  *e = (ff_ssa_ring_effect){.term = term, .offset = offset};
  return e;
}

static void list_effects_of(generator *g, uint32_t c, uint32_t t) {
  const ff_ssa_ring_kind *kind = g->m->kinds + g->cases[c].kind;
  const ff_ssa_ring_term *term = g->m->terms + t;
  for (uint32_t i = 0; i < kind->n_changes; i++) {
    const ff_ssa_ring_change *change = kind->changes + i;
    if (g->place[change->species] == NONE) continue;
    if (change->species == term->hub) {
      ff_ssa_ring_effect *e = effect_at(g, t, ff_ssa_ring_around(g, change->offset));
      e->by_a[c] += change->by;
      e->changes_a = 1;
    }
    for (uint32_t q = term->first; q < term->first + term->n; q++) {
      if (g->m->kinds[q].species != change->species) continue;
      ff_ssa_ring_effect *e = effect_at(g, t, ff_ssa_ring_around(g, change->offset - g->m->kinds[q].offset));
      e->by_f[c] += change->by * (int32_t)g->m->kinds[q].weight;
      e->changes_f = 1;
    }
  }
}

void ff_ssa_ring_list(generator *g) {
  list_cases(g);
  for (uint32_t c = 0; c < g->n_cases; c++)
    for (uint32_t t = 0; t < g->m->n_terms; t++) list_effects_of(g, c, t);
}

/* ---- terms -------------------------------------------------------------------------------------------------------------- */

static uint32_t word_of(const generator *g, uint32_t species) { return g->bits32 ? g->place[species] : g->place[species] / 2; }

static int is_upper(const generator *g, uint32_t species) { return !g->bits32 && g->place[species] % 2 == 1; }

/* The weights of the members of a term before kind number `end` at a word and an offset. That of an upper half is in bits 8 to
 * 15. */
static uint32_t weights_of(const generator *g, uint32_t t, uint32_t end, int32_t offset, uint32_t word) {
  uint32_t weights = 0;
  for (uint32_t q = g->m->terms[t].first; q < end; q++) {
    const ff_ssa_ring_kind *kind = g->m->kinds + q;
    if (kind->species == ONE || offset_of(g, kind) != offset || word_of(g, kind->species) != word) continue;
    weights += kind->weight << (is_upper(g, kind->species) ? 8 : 0);
  }
  return weights;
}

static uint32_t end_of(const generator *g, uint32_t t) { return g->m->terms[t].first + g->m->terms[t].n; }

/* What does not depend on counts: molecules of which there is always one, and -less. */
static uint32_t constant_of(const generator *g, uint32_t t, uint32_t end) {
  uint32_t sum = end == end_of(g, t) ? 0u - g->m->terms[t].less : 0u;
  for (uint32_t q = g->m->terms[t].first; q < end; q++)
    if (g->m->kinds[q].species == ONE) sum += g->m->kinds[q].weight;
  return sum;
}

/* The end of the members of a term that come before a boundary; the first member if there is no such boundary. */
static uint32_t boundary_of(const generator *g, uint32_t t, uint32_t boundary) {
  const uint32_t c = g->first[t] + boundary + 1, end = t + 1 < g->m->n_terms ? g->first[t + 1] : g->n_cases;
  return c < end ? g->cases[c].kind : g->m->terms[t].first;
}

/* The words that sums up to a boundary, or all members, read. */
typedef struct {
  int32_t offset;
  uint32_t word;
} window_word;

static int is_used(const generator *g, uint32_t boundary, int32_t offset, uint32_t word) {
  for (uint32_t t = 0; t < g->m->n_terms; t++)
    if (weights_of(g, t, boundary == NONE ? end_of(g, t) : boundary_of(g, t, boundary), offset, word) != 0) return 1;
  return 0;
}

/* Writes a field of s_term, and how it is chosen. */
static void put_field(const generator *g, ff_writer *out, ff_writer *functions, const char *name, const uint32_t *value) {
  ff_write(out, " uint32_t %s;", name);
  ff_write(functions, "  out.%s = ", name);
  int same = 1;
  for (uint32_t t = 1; t < g->m->n_terms; t++) same &= value[t] == value[0];
  for (uint32_t t = g->m->n_terms; --t > 0 && !same;) ff_write(functions, "term == %uu ? 0x%Xu : ", t, value[t]);
  ff_write(functions, "0x%Xu;\n", value[0]);
}

/* The fields for the sum of members up to a boundary, or of all: a constant, and the weights at each word. */
static void put_weights(const generator *g, ff_writer *out, ff_writer *functions, const char *prefix, uint32_t boundary) {
  uint32_t value[FF_RING_TERMS], previous[FF_RING_TERMS], n = 0;
  char name[32];
  for (uint32_t t = 0; t < g->m->n_terms; t++)
    value[t] = constant_of(g, t, boundary == NONE ? end_of(g, t) : boundary_of(g, t, boundary));
  snprintf(name, sizeof name, "%s_base", prefix);
  put_field(g, out, functions, name, value);
  for (int32_t offset = -(int32_t)g->before; offset <= (int32_t)g->after; offset++)
    for (uint32_t w = 0; w < g->read; w++) {
      if (!is_used(g, boundary, offset, w)) continue;
      for (uint32_t t = 0; t < g->m->n_terms; t++)
        value[t] = weights_of(g, t, boundary == NONE ? end_of(g, t) : boundary_of(g, t, boundary), offset, w);
      snprintf(name, sizeof name, "%s%u", prefix, g->bits32 ? n : n / 2);
      for (uint32_t t = 0; t < g->m->n_terms && !g->bits32 && n % 2 == 1; t++) value[t] = previous[t] | value[t] << 16;
      if (g->bits32 || n % 2 == 1) put_field(g, out, functions, name, value);
      for (uint32_t t = 0; t < g->m->n_terms; t++) previous[t] = value[t];
      n++;
    }
  snprintf(name, sizeof name, "%s%u", prefix, n / 2);
  if (!g->bits32 && n % 2 == 1) put_field(g, out, functions, name, previous);
}

ff_status ff_ssa_ring_put_term(generator *g, ff_writer *out, ff_writer *functions) {
  uint32_t sums[FF_RING_TERMS], tops[FF_RING_TERMS], take[FF_RING_TERMS], has[FF_RING_TERMS], hub[FF_RING_TERMS];
  const uint32_t threads = g->code->threads, counts = g->code->n_store > 0 ? 0 : g->m->n * g->each;
  char name[16];
  for (uint32_t t = 0; t < g->m->n_terms; t++) {
    const uint32_t species = g->m->terms[t].hub;
    sums[t] = (counts + t * g->parts * g->halves) * threads;
    tops[t] = (counts + (g->m->n_terms * g->parts + t * g->uppers) * g->halves) * threads;
    has[t] = species != ONE;
    take[t] = species == ONE ? TAKE_ONE : is_upper(g, species) ? TAKE_UPPER : TAKE_LOWER;
    hub[t] = species == ONE ? 0 : word_of(g, species);
  }
  ff_write(out, "#define S_TERM_FIELDS");
  ff_write(functions, "FF_WARP s_term s_term_of(uint32_t term) {\n  s_term out;\n");
  put_field(g, out, functions, "first", g->first);
  put_field(g, out, functions, "sums", sums);
  put_field(g, out, functions, "tops", tops);
  put_field(g, out, functions, "take", take);
  put_field(g, out, functions, "has", has);
  put_field(g, out, functions, "hub", hub);
  put_weights(g, out, functions, "f", NONE);
  for (uint32_t b = 0; b < g->n_boundaries; b++) {
    snprintf(name, sizeof name, "b%uv", b);
    put_weights(g, out, functions, name, b);
  }
  ff_write(out, "\n");
  if (g->parts > 1) ff_write(out, "#define S_PARTS_OF(x) s_high((x), 0x%Xu)\n", 0xFFFFFFFFu / g->span + 1);
  if (g->uppers > 0) ff_write(out, "#define S_UPPERS_OF(x) s_high((x), 0x%Xu)\n", 0xFFFFFFFFu / (g->span * g->fan) + 1);
  ff_write(functions, "  (void)term;\n  return out;\n}\n");
  return functions->status;
}

/* The name of a word of a module at an offset from that of the reaction: w<word>, then p<offset> or m<-offset>. */
static void put_word(ff_writer *out, uint32_t word, int32_t offset) {
  ff_write(out, "w%u%s%d", word, offset < 0 ? "m" : "p", offset < 0 ? -offset : offset);
}

/* Writes statements for the sum of members up to a boundary, or of all: variable f. In a window, a word is words[i]. */
static void put_sum(const generator *g, ff_writer *out, const char *prefix, uint32_t boundary, int window) {
  uint32_t n = 0;
  ff_write(out, "  uint32_t %s = term->%s_base;\n", window ? "f" : prefix, prefix);
  for (int32_t offset = -(int32_t)g->before; offset <= (int32_t)g->after; offset++)
    for (uint32_t w = 0; w < g->read; w++) {
      if (!is_used(g, boundary, offset, w)) continue;
      ff_write(out, "  %s ", window ? "f" : prefix);
      ff_write(out, g->bits32 ? "+= " : n % 2 == 0 ? "= s_dp2_low(" : "= s_dp2_high(");
      if (window)
        ff_write(out, "words[%u]", ((uint32_t)((int32_t)g->before + offset)) * g->read + w);
      else
        put_word(out, w, offset);
      ff_write(out, g->bits32 ? " * " : ", ");
      ff_write(out, "term->%s%u", prefix, g->bits32 ? n : n / 2);
      ff_write(out, g->bits32 ? ";\n" : ", %s);\n", window ? "f" : prefix);
      n++;
    }
}

/* Writes statements for A of the chosen term: variable a. */
static void put_hub(const generator *g, ff_writer *out, int window) {
  int any = 0;
  uint32_t words = 0, first = 0; /* a bit for each word that has a hub */
  for (uint32_t t = 0; t < g->m->n_terms; t++) {
    if (g->m->terms[t].hub == ONE) continue;
    any = 1;
    words |= 1u << word_of(g, g->m->terms[t].hub);
  }
  ff_write(out, "  uint32_t a = %s;\n", any ? "" "0u" : "1u");
  if (!any) return;
  for (uint32_t w = 0; w < FF_RING_SPECIES; w++) {
    if ((words >> w & 1) == 0) continue;
    ff_write(out, "  a = ");
    if (first++ > 0) ff_write(out, "term->hub != %uu ? a : ", w);
    if (window)
      ff_write(out, "words[%u]", g->before * g->read + w);
    else
      put_word(out, w, 0);
    ff_write(out, ";\n");
  }
  ff_write(out, g->bits32 ? "  a = term->has != 0u ? a : 1u;\n" : "  a = s_take_count(a, term->take);\n");
}

static void put_product(const generator *g, ff_writer *out) {
  ff_write(out, "FF_WARP s_sum s_product(const uint32_t *words, const s_term *term, s_sum sum) {\n");
  put_sum(g, out, "f", NONE, 1);
  put_hub(g, out, 1);
  ff_write(out, "  (void)words;\n  return sum + (s_sum)a * f;\n}\n");
}

/* ---- changes ------------------------------------------------------------------------------------------------------------ */

/* Writes a number of each case: a constant, or its variable k<n>, which is declared later. */
static void put_constant(generator *g, ff_writer *out, const uint32_t value[FF_RING_KINDS]) {
  uint32_t n = 0;
  int same = 1;
  for (uint32_t c = 1; c < g->n_cases; c++) same &= value[c] == value[0];
  if (same) {
    ff_write(out, "0x%Xu", value[0]);
    return;
  }
  for (; n < g->n_constants; n++) {
    int equal = 1;
    for (uint32_t c = 0; c < g->n_cases; c++) equal &= g->constants[n][c] == value[c];
    if (equal) break;
  }
  for (uint32_t c = 0; c < g->n_cases && n == g->n_constants; c++) g->constants[n][c] = value[c];
  if (n == g->n_constants) g->n_constants++;
  ff_write(out, "k%u", n);
}

static void put_constants(const generator *g, ff_writer *out) {
  for (uint32_t n = 0; n < g->n_constants; n++) {
    ff_write(out, "  const uint32_t k%u = ", n);
    if (g->n_cases <= MOST_CHOSEN) {
      for (uint32_t c = g->n_cases; --c > 0;) ff_write(out, "row == %uu ? 0x%Xu : ", c, g->constants[n][c]);
      ff_write(out, "0x%Xu;\n", g->constants[n][0]);
    } else {
      ff_write(out, "t->table[(row < %uu ? row : 0u) * S_CONSTANTS + %uu];\n", g->n_cases, n);
    }
  }
}

static void put_count(const generator *g, ff_writer *out, uint32_t species, int32_t offset) {
  if (species == ONE) {
    ff_write(out, "1u");
    return;
  }
  ff_write(out, g->bits32 ? "(" : is_upper(g, species) ? "S_UPPER_HALF(" : "S_LOWER_HALF(");
  put_word(out, word_of(g, species), offset);
  ff_write(out, ")");
}

/* F of a term at an offset. */
static void put_members(const generator *g, ff_writer *out, uint32_t t, int32_t offset) {
  const ff_ssa_ring_term *term = g->m->terms + t;
  ff_write(out, "(0x%Xu", 0u - term->less);
  for (uint32_t q = term->first; q < term->first + term->n; q++) {
    ff_write(out, " + %uu * ", g->m->kinds[q].weight);
    put_count(g, out, g->m->kinds[q].species, ff_ssa_ring_around(g, offset + g->m->kinds[q].offset));
  }
  ff_write(out, ")");
}

/* Declares what an effect adds to the sum of its term: A * (change of F) + (change of A) * (F + change of F). */
static void put_effect(generator *g, ff_writer *out, uint32_t i) {
  const ff_ssa_ring_effect *e = g->effects + i;
  const ff_ssa_ring_term *term = g->m->terms + e->term;
  uint32_t by_a[FF_RING_KINDS], by_f[FF_RING_KINDS];
  for (uint32_t c = 0; c < g->n_cases; c++) {
    by_a[c] = (uint32_t)e->by_a[c];
    by_f[c] = (uint32_t)e->by_f[c];
  }
  ff_write(out, "  const s_sum d%u = ", i);
  put_count(g, out, term->hub, e->offset);
  ff_write(out, " * S_SIGNED(");
  put_constant(g, out, by_f);
  ff_write(out, ")");
  if (e->changes_a) {
    ff_write(out, " + S_SIGNED(");
    put_constant(g, out, by_a);
    ff_write(out, ") * S_SIGNED(");
    put_members(g, out, e->term, e->offset);
    ff_write(out, " + ");
    put_constant(g, out, by_f);
    ff_write(out, ")");
  }
  ff_write(out, ";\n");
}

/* Whether a case changes a word of the module at an offset, and by what. */
static int word_changes(const generator *g, uint32_t word, int32_t offset, uint32_t by[FF_RING_KINDS]) {
  int any = 0;
  for (uint32_t c = 0; c < g->n_cases; c++) {
    by[c] = 0;
    for (uint32_t k = 0; k < g->m->n_species; k++)
      if (g->place[k] != NONE && word_of(g, k) == word)
        by[c] += (uint32_t)change_of(g, c, k, offset) << (is_upper(g, k) ? 16 : 0);
    any |= by[c] != 0;
  }
  return any;
}

static int32_t first_offset(const generator *g) {
  const int32_t half = -((int32_t)g->m->n / 2);
  return half > -2 * FF_SSA_RING_REACH ? half : -2 * FF_SSA_RING_REACH;
}

static int32_t last_offset(const generator *g) {
  const int32_t half = ((int32_t)g->m->n - 1) / 2;
  return half < 2 * FF_SSA_RING_REACH ? half : 2 * FF_SSA_RING_REACH;
}

/* Declares the modules at all offsets, and their words. The compiler drops those that are not used. */
static void put_neighbours(const generator *g, ff_writer *out) {
  for (int32_t o = first_offset(g); o <= last_offset(g); o++) {
    const char *sign = o < 0 ? "m" : "p";
    const int32_t n = o < 0 ? -o : o;
    if (o == 0)
      ff_write(out, "  const uint32_t jp0 = module;\n");
    else
      ff_write(out, "  const uint32_t j%s%d = s_%s(module %s %du);\n", sign, n, o < 0 ? "before" : "after", o < 0 ? "-" : "+", n);
    for (uint32_t w = 0; w < g->each; w++) {
      ff_write(out, "  const uint32_t ");
      put_word(out, w, o);
      if (o >= -(int32_t)g->before && o <= (int32_t)g->after && w < g->read)
        ff_write(out, " = S_NEAR_WORD(%u, j%s%d, %uu);\n", (uint32_t)(o + (int32_t)g->before) * g->read + w, sign, n, w);
      else
        ff_write(out, " = S_WORD_OF(j%s%d, %uu);\n", sign, n, w);
    }
  }
}

/* Chooses the case: `row`. */
static void put_row(const generator *g, ff_writer *out) {
  char name[16];
  if (g->n_boundaries == 0) {
    ff_write(out, "  const uint32_t row = next->reaction;\n");
    return;
  }
  ff_write(out, "  uint32_t row = term->first;\n");
  put_hub(g, out, 0);
  for (uint32_t b = 0; b < g->n_boundaries; b++) {
    snprintf(name, sizeof name, "b%uv", b);
    put_sum(g, out, name, b, 0);
    ff_write(out, "  row += ");
    for (uint32_t t = 0; t < g->m->n_terms; t++)
      if (boundary_of(g, t, b) == g->m->terms[t].first) ff_write(out, "next->reaction != %uu & ", t);
    ff_write(out, "left >= (s_sum)a * %s;\n", name);
  }
}

static void put_stores(generator *g, ff_writer *out) {
  ff_write(out, "  if (next->reaction != S_REACTIONS) {\n");
  for (int32_t o = first_offset(g); o <= last_offset(g); o++)
    for (uint32_t w = 0; w < g->each; w++) {
      uint32_t by[FF_RING_KINDS];
      if (!word_changes(g, w, o, by)) continue;
      const char *sign = o < 0 ? "m" : "p";
      ff_write(out, "    S_WORD_OF(j%s%d, %uu) = ", sign, o < 0 ? -o : o, w);
      put_word(out, w, o);
      ff_write(out, " + ");
      put_constant(g, out, by);
      ff_write(out, ";\n");
    }
  for (uint32_t i = 0; i < g->n_effects; i++) {
    const ff_ssa_ring_effect *e = g->effects + i;
    if (e->offset == 0) ff_write(out, "    s_add_effect(t, %uu, jp0, part, d%u);\n", e->term, i);
    else ff_write(out, "    s_add_effect(t, %uu, j%s%d, S_PARTS_OF(j%s%d), d%u);\n", e->term, e->offset < 0 ? "m" : "p",
                  abs(e->offset), e->offset < 0 ? "m" : "p", abs(e->offset), i);
  }
  ff_write(out, "  }\n");
}

static ff_status put_change(generator *g, ff_writer *out, ff_error *err) {
  ff_writer body = {.err = err};
  for (uint32_t i = 0; i < g->n_effects; i++) put_effect(g, &body, i);
  put_stores(g, &body);
  ff_write(out, "FF_WARP void s_change(s_thread *t, const s_next *next, const s_term *term, const uint32_t *near, "
           "uint32_t module, uint32_t part, s_sum left) {\n");
  put_neighbours(g, out);
  put_row(g, out);
  put_constants(g, out);
  if (body.text != NULL) ff_write(out, "%s", body.text);
  ff_write(out, "  (void)term;\n  (void)near;\n  (void)part;\n  (void)left;\n}\n");
  free(body.text);
  return body.status;
}

/* ---- what is recorded --------------------------------------------------------------------------------------------------- */

/* The part of a count without a place that depends on the counts of its module. */
static void put_derived(const generator *g, ff_writer *out) {
  if (!g->any_derived) return;
  ff_write(out, "FF_WARP uint32_t s_derived(const s_thread *t, uint32_t module, uint32_t species) {\n");
  for (uint32_t w = 0; w < g->read; w++) ff_write(out, "  const uint32_t w%up0 = S_WORD_OF(module, %uu);\n", w, w);
  ff_write(out, "  uint32_t sum = 0u;\n");
  for (uint32_t k = 0; k < g->m->n_species; k++) {
    if (!g->derived[k]) continue;
    ff_write(out, "  if (species == %uu) sum = 0u", k);
    for (uint32_t i = 0; i < g->n_read; i++) {
      if (g->factor[k][i] == 0) continue;
      ff_write(out, g->factor[k][i] > 0 ? " + " : " - ");
      put_count(g, out, g->read_species[i], 0);
    }
    ff_write(out, ";\n");
  }
  ff_write(out, "  return sum;\n}\n");
}

ff_status ff_ssa_ring_put(generator *g, ff_writer *out, ff_error *err) {
  put_derived(g, out);
  put_product(g, out);
  ff_status status = put_change(g, out, err);
  return status == FF_OK ? out->status : status;
}
