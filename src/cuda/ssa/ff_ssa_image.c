/* Makes the image of a reaction network for the CUDA kernels that read the network as data. */
#include "ff_ssa_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_generic_step.h"

#define COPIED_MOST ((size_t)1 << 22) /* dependents whose laws are copied: 64 MB */

/* The arrays of the image are stored one after the other. A first pass (memory is NULL) counts the bytes, and a second pass fills
 * the arrays. */
typedef struct {
  const ff_ssa_program *program;
  const double *initial;
  ff_ssa_image *image;
  char *memory;
  size_t used;
} maker;

static void *take(maker *m, size_t count, size_t size) {
  void *at = m->memory != NULL ? m->memory + m->used : NULL;
  m->used += (count * size + 127) / 128 * 128;
  return at;
}

/* ---- laws ---------------------------------------------------------------------------------------------------------------- */

static int is_other(const ff_ssa_propensity *a) { return a->law > FF_LAW_TWIN; }

static int has_formula(const ff_ssa_propensity *a) { return a->law == FF_LAW_FORMULA || a->law == FF_LAW_SCALED; }

static ff_ssa_image_law law_of(const ff_ssa_program *p, uint32_t r, uint32_t other) {
  const ff_ssa_propensity *a = p->propensities + r;
  const uint32_t one = p->n_species;
  ff_ssa_image_law out = {a->rate, one, one};
  if (is_other(a)) {
    out.a = other;
    out.b = FF_SSA_IMAGE_OTHER;
  } else if (a->law != FF_LAW_CONSTANT) {
    out.a = a->a;
    if (a->law == FF_LAW_PAIR) out.b = a->b;
    if (a->law == FF_LAW_TWIN) out.b = a->a | FF_SSA_IMAGE_LESS;
  }
  return out;
}

static void put_laws(maker *m) {
  const ff_ssa_program *p = m->program;
  size_t n_others = 0, n_words = 0, word = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) n_others += is_other(p->propensities + r);
  for (uint32_t f = 0; f < p->n_formulas; f++) n_words += p->formulas[f].length;
  ff_ssa_image_law *laws = take(m, p->n_reactions, sizeof *laws);
  ff_ssa_image_other *others = take(m, n_others, sizeof *others);
  ff_participant *factors = take(m, p->n_factors, sizeof *factors);
  ff_formula_word *words = take(m, n_words, sizeof *words);
  m->image->laws = laws;
  m->image->others = others;
  m->image->factors = factors;
  m->image->words = words;
  if (m->memory == NULL) return;
  if (p->n_factors > 0) memcpy(factors, p->factors, p->n_factors * sizeof *factors);
  n_others = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    laws[r] = law_of(p, r, (uint32_t)n_others);
    if (!is_other(a)) continue;
    ff_ssa_image_other *other = others + n_others++;
    *other = (ff_ssa_image_other){.law = a->law, .first = a->first, .n = a->n};
    if (!has_formula(a)) continue;
    const ff_formula *formula = p->formulas + a->a;
    other->code = word;
    other->length = formula->length;
    memcpy(words + word, formula->word, formula->length * sizeof *words);
    word += formula->length;
    if (formula->depth > m->image->depth) m->image->depth = formula->depth;
  }
}

/* ---- what reactions change ----------------------------------------------------------------------------------------------- */

static int32_t clamped(int64_t by) {
  return by > FF_SSA_IMAGE_BY ? FF_SSA_IMAGE_BY : by < -FF_SSA_IMAGE_BY ? -FF_SSA_IMAGE_BY : (int32_t)by;
}

static uint32_t dependents_of(const ff_ssa_program *p, uint32_t r) {
  if (p->dependents != NULL) return (uint32_t)(p->depend_first[r + 1] - p->depend_first[r]);
  size_t n = 0;
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const uint32_t species = p->changes[i].species;
    n += p->reader_first[species + 1] - p->reader_first[species];
  }
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void put_rows(maker *m) {
  const ff_ssa_program *p = m->program;
  ff_ssa_image_row *rows = take(m, p->n_reactions, sizeof *rows);
  ff_ssa_image_change *changes = take(m, p->n_changes, sizeof *changes);
  m->image->rows = rows;
  m->image->changes = changes;
  if (m->memory == NULL) return;
  for (uint32_t i = 0; i < p->n_changes; i++)
    changes[i] = (ff_ssa_image_change){p->changes[i].species, clamped(p->changes[i].by)};
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const uint32_t n = p->change_first[r + 1] - p->change_first[r];
    rows[r] = (ff_ssa_image_row){p->change_first[r], n, p->dependents != NULL ? (uint32_t)p->depend_first[r] : 0,
                                 dependents_of(p, r)};
  }
}

static void put_dependents(maker *m) {
  const ff_ssa_program *p = m->program;
  const size_t n = p->depend_first[p->n_reactions];
  uint32_t *dependents = take(m, n, sizeof *dependents);
  m->image->dependents = dependents;
  if (m->memory != NULL && n > 0) memcpy(dependents, p->dependents, n * sizeof *dependents);
  if (n > COPIED_MOST) return;
  ff_ssa_image_law *laws = take(m, n, sizeof *laws);
  m->image->dependent_laws = laws;
  if (m->memory != NULL)
    for (size_t i = 0; i < n; i++) laws[i] = m->image->laws[dependents[i]];
}

static void put_readers(maker *m) {
  const ff_ssa_program *p = m->program;
  const size_t n = p->reader_first[p->n_species];
  uint64_t *first = take(m, (size_t)p->n_species + 1, sizeof *first);
  uint32_t *readers = take(m, n, sizeof *readers);
  m->image->reader_first = first;
  m->image->readers = readers;
  if (m->memory == NULL) return;
  for (size_t s = 0; s <= p->n_species; s++) first[s] = p->reader_first[s];
  if (n > 0) memcpy(readers, p->readers, n * sizeof *readers);
}

/* ---- the tree of sums ---------------------------------------------------------------------------------------------------- */

static size_t groups_of(size_t n) { return (n + FF_SSA_FAN - 1) / FF_SSA_FAN; }

/* The shape of ff_ssa_tree_new(). Returns the number of values. */
static size_t shape_tree(ff_ssa_image *image) {
  size_t room = 0, nodes = image->n_reactions > 0 ? image->n_reactions : 1;
  for (;;) {
    image->first[image->levels] = (uint32_t)room;
    image->n[image->levels++] = (uint32_t)nodes;
    room += groups_of(nodes) * FF_SSA_FAN;
    if (nodes == 1) return room;
    nodes = groups_of(nodes);
  }
}

/* The code of the kernels computes the propensities, so they have the same bits. The nodes that fill a group are 0. */
static ff_status fill_tree(ff_ssa_image *image, double *value, uint32_t depth, ff_error *err) {
  double *stack = ff_calloc(depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a formula");
  const ff_ssa_counts counts = {image->initial, 1, stack, 1};
  int invalid = 0;
  for (uint32_t r = 0; r < image->n_reactions; r++)
    value[r] = ff_ssa_law_value(image, image->laws[r], &counts, depth > 0, &invalid);
  for (uint32_t level = 1; level < image->levels; level++)
    for (uint32_t node = 0; node < image->n[level]; node++)
      value[image->first[level] + node] =
          ff_ssa_sum_children(value + image->first[level - 1] + (size_t)node * FF_SSA_FAN);
  image->invalid = (uint32_t)invalid;
  free(stack);
  return FF_OK;
}

/* No list is longer than the dependents of a reaction. */
static uint32_t list_length(const ff_ssa_image *image, const ff_ssa_program *p) {
  const uint32_t share = image->levels > 1 ? image->n[1] / FF_SSA_LIST_SHARE : 0;
  uint32_t most = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const uint32_t n = dependents_of(p, r);
    if (n > most && n <= share) most = n;
  }
  return most;
}

/* ---- images -------------------------------------------------------------------------------------------------------------- */

/* Returns where the tree is. */
static double *make(maker *m, char *memory) {
  const ff_ssa_program *p = m->program;
  m->memory = memory;
  m->used = 0;
  *m->image = (ff_ssa_image){.n_species = p->n_species, .n_reactions = p->n_reactions};
  m->image->n_values = (uint32_t)shape_tree(m->image);
  uint32_t *initial = take(m, (size_t)p->n_species + 1, sizeof *initial);
  m->image->initial = initial;
  for (uint32_t s = 0; memory != NULL && s < p->n_species; s++) initial[s] = (uint32_t)m->initial[s];
  if (memory != NULL) initial[p->n_species] = 1;
  put_laws(m);
  put_rows(m);
  if (p->dependents != NULL)
    put_dependents(m);
  else
    put_readers(m);
  m->image->listed = list_length(m->image, p);
  double *tree = take(m, m->image->n_values, sizeof *tree);
  m->image->tree = tree;
  return tree;
}

static ff_status check(const ff_ssa_program *p, const double *initial, ff_error *err) {
  ff_ssa_image shape = {.n_reactions = p->n_reactions};
  if (p->n_species >= FF_SSA_IMAGE_SPECIES || shape_tree(&shape) > UINT32_MAX)
    return ff_error_set(err, FF_EUNSUPPORTED, "the network is too large");
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(initial[s] >= 0 && initial[s] <= FF_SSA_DEVICE_MOST && initial[s] == floor(initial[s])))
      return ff_error_set(err, FF_EUNSUPPORTED, "the initial count of %s is %g, and a GPU keeps counts up to %u",
                          ff_quote(p->names[s], strlen(p->names[s])).text, initial[s], FF_SSA_DEVICE_MOST);
  return FF_OK;
}

ff_status ff_ssa_image_new(ff_ssa_image *out, void **memory, size_t *bytes, const ff_ssa_program *program, const double *initial,
                           ff_error *err) {
  maker m = {.program = program, .initial = initial, .image = out};
  *memory = NULL;
  ff_status status = check(program, initial, err);
  if (status != FF_OK) return status;
  make(&m, NULL);
  *bytes = m.used;
  char *block = ff_calloc_aligned(m.used, 1);
  if (block == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u reactions", program->n_reactions);
  double *tree = make(&m, block);
  status = fill_tree(out, tree, out->depth, err);
  if (status == FF_OK)
    *memory = block;
  else
    ff_free_aligned(block);
  return status;
}

ff_ssa_image ff_ssa_image_at(const ff_ssa_image *image, const void *from, const void *to) {
  ff_ssa_image out = *image;
#define MOVE(field) \
  if (image->field != NULL) out.field = (const void *)((const char *)to + ((const char *)image->field - (const char *)from))
  MOVE(initial);
  MOVE(tree);
  MOVE(laws);
  MOVE(others);
  MOVE(factors);
  MOVE(words);
  MOVE(rows);
  MOVE(changes);
  MOVE(dependents);
  MOVE(dependent_laws);
  MOVE(reader_first);
  MOVE(readers);
#undef MOVE
  return out;
}
