/* Makes the image of a reaction network for the CUDA kernels that read the network as data. */
#include "ff_ssa_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../ssa/groups/ff_ssa_factor.h"
#include "ff_ssa_generic_step.h"
#include "ff_ssa_image_maker.h"

#define COPIED_MOST ((size_t)1 << 22) /* dependents whose laws are copied: 64 MB */

typedef ff_ssa_image_maker maker;

/* The number of reaction r in the image. */
static uint32_t number_of(const maker *m, uint32_t r) { return m->place != NULL ? m->place[r] : r; }

static void number_all(const maker *m, uint32_t *reactions, size_t n) {
  for (size_t i = 0; m->place != NULL && i < n; i++) reactions[i] = m->place[reactions[i]];
}

/* ---- laws ---------------------------------------------------------------------------------------------------------------- */

static int is_other(const ff_ssa_propensity *a) { return a->law > FF_LAW_TWIN; }

static int has_formula(const ff_ssa_propensity *a) { return a->law == FF_LAW_FORMULA || a->law == FF_LAW_SCALED; }

/* As has_bounds() of ff_ssa_rssa.c, which is false for these. */
static int is_exact(const ff_ssa_program *p, const ff_ssa_propensity *a) {
  if (has_formula(a)) return 1;
  for (uint32_t i = a->first; a->law == FF_LAW_PRODUCT && i < a->first + a->n; i++)
    if (p->factors[i].count > 3) return 1;
  return 0;
}

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
  ff_ssa_image_law *laws = ff_ssa_image_take(m, p->n_reactions, sizeof *laws);
  ff_ssa_image_other *others = ff_ssa_image_take(m, n_others, sizeof *others);
  ff_participant *factors = ff_ssa_image_take(m, p->n_factors, sizeof *factors);
  ff_formula_word *words = ff_ssa_image_take(m, n_words, sizeof *words);
  m->image->laws = laws;
  m->image->others = others;
  m->image->factors = factors;
  m->image->words = words;
  if (m->memory == NULL) return;
  if (p->n_factors > 0) memcpy(factors, p->factors, p->n_factors * sizeof *factors);
  n_others = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *a = p->propensities + r;
    laws[number_of(m, r)] = law_of(p, r, (uint32_t)n_others);
    if (!is_other(a)) continue;
    ff_ssa_image_other *other = others + n_others++;
    *other = (ff_ssa_image_other){.law = a->law, .first = a->first, .n = a->n, .exact = (uint32_t)is_exact(p, a),
                                  .timed = m->timed != NULL ? m->timed[r] : 0, .below = (uint32_t)ff_ssa_may_be_below(a)};
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

static int has_rows(const ff_ssa_image *image) { return ff_ssa_method_has_rows(image->method); }

static int has_bounds(const ff_ssa_image *image) { return image->method == FF_SSA_RSSA; }

/* rssa looks at the readers of single species. */
static int lists_dependents(const maker *m) {
  return m->program->dependents != NULL && !has_bounds(m->image) && !has_rows(m->image);
}

static uint32_t dependents_of(const maker *m, uint32_t r) {
  const ff_ssa_program *p = m->program;
  if (has_rows(m->image)) return 0;
  if (lists_dependents(m)) return (uint32_t)(p->depend_first[r + 1] - p->depend_first[r]);
  size_t n = 0;
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    const uint32_t species = p->changes[i].species;
    n += p->reader_first[species + 1] - p->reader_first[species];
  }
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void put_rows(maker *m) {
  const ff_ssa_program *p = m->program;
  ff_ssa_image_row *rows = ff_ssa_image_take(m, p->n_reactions, sizeof *rows);
  ff_ssa_image_change *changes = ff_ssa_image_take(m, p->n_changes, sizeof *changes);
  m->image->rows = rows;
  m->image->changes = changes;
  if (m->memory == NULL) return;
  for (uint32_t i = 0; i < p->n_changes; i++)
    changes[i] = (ff_ssa_image_change){p->changes[i].species, clamped(p->changes[i].by)};
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const uint32_t n = p->change_first[r + 1] - p->change_first[r];
    const uint32_t first = lists_dependents(m) ? (uint32_t)p->depend_first[r] : 0;
    rows[number_of(m, r)] = (ff_ssa_image_row){p->change_first[r], n, first, dependents_of(m, r)};
  }
}

static void put_dependents(maker *m) {
  const ff_ssa_program *p = m->program;
  const size_t n = p->depend_first[p->n_reactions];
  uint32_t *dependents = ff_ssa_image_take(m, n, sizeof *dependents);
  m->image->dependents = dependents;
  if (m->memory != NULL && n > 0) memcpy(dependents, p->dependents, n * sizeof *dependents);
  if (m->memory != NULL) number_all(m, dependents, n);
  if (n > COPIED_MOST) return;
  ff_ssa_image_law *laws = ff_ssa_image_take(m, n, sizeof *laws);
  m->image->dependent_laws = laws;
  if (m->memory != NULL)
    for (size_t i = 0; i < n; i++) laws[i] = m->image->laws[dependents[i]];
}

static void put_readers(maker *m) {
  const ff_ssa_program *p = m->program;
  const size_t n = p->reader_first[p->n_species];
  uint64_t *first = ff_ssa_image_take(m, (size_t)p->n_species + 1, sizeof *first);
  uint32_t *readers = ff_ssa_image_take(m, n, sizeof *readers);
  m->image->reader_first = first;
  m->image->readers = readers;
  if (m->memory == NULL) return;
  for (size_t s = 0; s <= p->n_species; s++) first[s] = p->reader_first[s];
  if (n > 0) memcpy(readers, p->readers, n * sizeof *readers);
  number_all(m, readers, n);
}

static void put_direct(maker *m) {
  const ff_ssa_program *p = m->program;
  size_t n = 0;
  for (size_t k = 0; k < p->reader_first[p->n_species]; k++) n += is_exact(p, p->propensities + p->readers[k]);
  uint64_t *first = ff_ssa_image_take(m, (size_t)p->n_species + 1, sizeof *first);
  uint32_t *direct = ff_ssa_image_take(m, n, sizeof *direct);
  m->image->direct_first = first;
  m->image->direct = direct;
  n = 0;
  for (uint32_t s = 0; m->memory != NULL && s < p->n_species; s++) {
    for (size_t k = p->reader_first[s]; k < p->reader_first[s + 1]; k++)
      if (is_exact(p, p->propensities + p->readers[k])) direct[n++] = p->readers[k];
    first[s + 1] = n;
  }
}

/* ---- conditions and firings ------------------------------------------------------------------------------------------------ */

/* Puts the condition that ends trajectories, and the numbers of reactions for the list of firings. */
static void put_following(maker *m) {
  const ff_formula *until = m->request->until;
  const uint32_t n = m->program->n_reactions, length = until != NULL ? until->length : 0;
  ff_formula_word *words = ff_ssa_image_take(m, length, sizeof *words);
  m->image->until = words;
  m->image->until_length = length;
  if (until != NULL && until->depth > m->image->depth) m->image->depth = until->depth;
  if (m->memory != NULL && length > 0) memcpy(words, until->word, length * sizeof *words);
  if (m->request->max_firings == 0 || m->place == NULL) return;
  uint32_t *numbers = ff_ssa_image_take(m, n, sizeof *numbers);
  m->image->numbers = numbers;
  for (uint32_t r = 0; m->memory != NULL && r < n; r++) numbers[m->place[r]] = r;
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

static size_t groups_of(size_t n, size_t fan) { return (n + fan - 1) / fan; }

static void shape_blocks(ff_ssa_image *image, size_t *room) {
  size_t nodes = image->n_reactions;
  image->levels = 3;
  for (image->fan = 1; (uint64_t)image->fan * image->fan * image->fan < image->n_reactions;) image->fan++;
  for (uint32_t level = 0; level < image->levels; level++, nodes = groups_of(nodes, image->fan)) {
    image->first[level] = (uint32_t)*room;
    image->n[level] = (uint32_t)nodes;
    *room += nodes;
  }
}

/* The shape of ff_ssa_tree_new() or of ff_ssa_block.c, or one level. Returns the number of values. */
static size_t shape_nodes(ff_ssa_image *image) {
  const ff_ssa_method method = image->method;
  const int flat = method == FF_SSA_FIRST || ff_ssa_method_searches(method) || has_rows(image);
  size_t room = 0, nodes = image->n_reactions > 0 ? image->n_reactions : 1;
  if (has_rows(image)) nodes = image->n_rows = image->n_species + 1;
  if (method == FF_SSA_BLOCK) {
    shape_blocks(image, &room);
    return room;
  }
  for (;;) {
    image->first[image->levels] = (uint32_t)room;
    image->n[image->levels++] = (uint32_t)nodes;
    room += groups_of(nodes, FF_SSA_FAN) * FF_SSA_FAN;
    if (nodes == 1 || flat) return room;
    nodes = groups_of(nodes, FF_SSA_FAN);
  }
}

static void shape_groups(ff_ssa_image *image) {
  image->bin_real = image->n_real;
  image->bin_whole = image->n_whole;
  image->n_real += FF_SSA_BIN_REAL;
  image->n_whole += FF_SSA_BIN_WHOLE(image->n[0]);
}

/* What a trajectory keeps: see ff_ssa_generic_update.h, ff_ssa_generic_bins.h and ff_ssa_generic_partial.h. */
static void shape_own(ff_ssa_image *image) {
  const uint64_t n = image->n_reactions, rows = image->n_rows;
  if (has_rows(image)) {
    image->n_real = 2 * rows;
    image->n_whole = rows;
  }
  if (has_bounds(image)) {
    image->n_real = n;
    image->n_whole = 2 * ((uint64_t)image->n_species + 1);
  }
  switch (image->method) {
    case FF_SSA_NEXT:
      image->n_real = 3 * n;
      image->n_whole = n;
      break;
    case FF_SSA_SORTING: image->n_whole = 2 * n; break;
    case FF_SSA_PSSA_CR: shape_groups(image); break;
    default: break;
  }
}

/* With a schedule, all nodes are computed when a trajectory begins. Else the code of the kernels computes the propensities and
 * sums here, so they have the same bits. The nodes that fill a group are 0.
 * Where nodes are times, these are infinite, and the other nodes are computed when a trajectory begins. */
static ff_status fill_nodes(maker *m, double *value, ff_error *err) {
  ff_ssa_image *image = m->image;
  double *stack = ff_calloc((size_t)image->depth * 32, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a formula");
  const ff_ssa_counts counts = {image->initial, 1, stack, 1, 0, NULL};
  const int times = image->method == FF_SSA_NEXT;
  int invalid = 0;
  image->tree = value;
  for (uint32_t i = 0; times && i < image->n_values; i++) value[i] = INFINITY;
  if (m->timed != NULL) {
    free(stack);
    return FF_OK;
  }
  for (uint32_t r = 0; !has_rows(image) && r < image->n_reactions; r++)
    value[r] = ff_ssa_law_value(image, image->laws[r], &counts, image->depth > 0, &invalid);
  const ff_ssa_warp warp = {.image = image, .value = value, .real = m->real, .count = m->initial, .whole = m->whole,
                            .stack = stack, .top_level = FF_SSA_NO_TOP, .formulas = image->depth > 0 && !has_rows(image),
                            .method = (int)image->method};
  if (has_rows(image))
    invalid = !ff_ssa_warp_start(&warp);
  else if (!times)
    ff_ssa_sum_levels(&warp, 1);
  image->total = ff_ssa_sum_terms(value, image->n[0]);
  image->invalid = (uint32_t)invalid;
  free(stack);
  return FF_OK;
}

/* No list is longer than the dependents of a reaction, to which next_reaction adds the reaction itself. */
static uint32_t list_length(const maker *m) {
  const ff_ssa_image *image = m->image;
  const uint32_t share = image->levels > 1 ? image->n[1] / FF_SSA_LIST_SHARE : 0, more = image->method == FF_SSA_NEXT;
  uint32_t most = has_rows(image) ? image->n_rows : 0; /* all rows that an event touches are listed */
  for (uint32_t r = 0; r < m->program->n_reactions; r++) {
    const uint32_t words = (m->program->change_first[r + 1] - m->program->change_first[r] + 31) / 32;
    if (has_bounds(image) && words > most) most = words; /* ff_ssa_warp_widen() */
    const uint32_t n = dependents_of(m, r);
    if (n >= most && n < UINT32_MAX - more && n + more <= share) most = n + more;
  }
  return most;
}

/* ---- images -------------------------------------------------------------------------------------------------------------- */

/* The method whose bits the kernels compute. The factored method of a network without groups and modules is the logarithmic
 * one. */
static ff_ssa_method method_of(const ff_ssa_program *p, ff_ssa_method method) {
  const int without = p->factor->n_groups == FF_FACTOR_NONE && p->ring == NULL;
  return method == FF_SSA_DIRECT || (method == FF_SSA_FACTORED && without) ? FF_SSA_TREE : method;
}

/* Returns where the values of the nodes are. */
static double *make(maker *m, char *memory) {
  const ff_ssa_program *p = m->program;
  m->memory = memory;
  m->used = 0;
  *m->image = (ff_ssa_image){.n_species = p->n_species, .n_reactions = p->n_reactions,
                             .method = method_of(p, m->request->method)};
  m->image->n_values = (uint32_t)shape_nodes(m->image);
  shape_own(m->image);
  uint32_t *initial = ff_ssa_image_take(m, (size_t)p->n_species + 1, sizeof *initial);
  m->image->initial = m->initial = initial;
  for (uint32_t s = 0; memory != NULL && s < p->n_species; s++) initial[s] = (uint32_t)m->request->initial[s];
  if (memory != NULL) initial[p->n_species] = 1;
  if (has_rows(m->image))
    ff_ssa_image_put_items(m);
  else
    put_laws(m);
  put_rows(m);
  if (has_rows(m->image))
    ff_ssa_image_put_partners(m);
  else if (lists_dependents(m))
    put_dependents(m);
  else
    put_readers(m);
  if (has_bounds(m->image)) put_direct(m);
  if (has_rows(m->image)) { /* all trajectories begin with the same numbers */
    m->image->real = m->real = ff_ssa_image_take(m, m->image->n_real, sizeof *m->real);
    m->image->whole = m->whole = ff_ssa_image_take(m, m->image->n_whole, sizeof *m->whole);
  }
  put_following(m);
  if (m->timed != NULL) ff_ssa_image_put_schedule(m);
  m->image->listed = list_length(m);
  double *tree = ff_ssa_image_take(m, m->image->n_values, sizeof *tree);
  m->image->tree = tree;
  return tree;
}

/* The methods that the kernel runs: it reads the network as data. */
static int can_run(ff_ssa_method method) {
  static const uint8_t has[FF_SSA_METHODS] = {
      [FF_SSA_DIRECT] = 1,  [FF_SSA_TREE] = 1, [FF_SSA_FIRST] = 1, [FF_SSA_NEXT] = 1,    [FF_SSA_OPTIMISED] = 1,
      [FF_SSA_SORTING] = 1, [FF_SSA_RSSA] = 1, [FF_SSA_PDM] = 1,   [FF_SSA_PSSA_CR] = 1, [FF_SSA_BLOCK] = 1};
  return has[method];
}

static ff_status check_method(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  const ff_ssa_method method = method_of(p, request->method);
  if (!can_run(method))
    return ff_error_set(err, FF_EUNSUPPORTED, "kernel \"generic\" does not run this method");
  if (method == FF_SSA_OPTIMISED && request->order == NULL)
    return ff_error_set(err, FF_EUNSUPPORTED, "the order of the reactions is missing");
  for (uint32_t r = 0; has_rows(&(ff_ssa_image){.method = method}) && r < p->n_reactions; r++)
    if (is_other(p->propensities + r))
      return ff_error_set(err, FF_EUNSUPPORTED, "its rates are not all mass action of at most two molecules");
  if (method == FF_SSA_NEXT && p->n_reactions > FF_PHILOX_MAX_BLOCKS)
    return ff_error_set(err, FF_EUNSUPPORTED, "%u reactions are more than this method can number", p->n_reactions);
  return FF_OK;
}

static ff_status check(const ff_ssa_program *p, const ff_device_request *request, ff_error *err) {
  ff_ssa_image shape = {.n_species = p->n_species, .n_reactions = p->n_reactions, .method = method_of(p, request->method)};
  ff_status status = check_method(p, request, err);
  if (status != FF_OK) return status;
  if (p->n_species >= FF_SSA_IMAGE_SPECIES || shape_nodes(&shape) > UINT32_MAX)
    return ff_error_set(err, FF_EUNSUPPORTED, "the network is too large");
  for (uint32_t s = 0; s < p->n_species; s++) {
    const double count = request->initial[s];
    if (!(count >= 0 && count <= FF_DEVICE_MOST && count == floor(count)))
      return ff_error_set(err, FF_EUNSUPPORTED, "the initial count of %s is %g, and a GPU keeps counts up to %u",
                          ff_quote(p->names[s], strlen(p->names[s])).text, count, FF_DEVICE_MOST);
  }
  return FF_OK;
}

static ff_status make_image(maker *m, void **memory, size_t *bytes, ff_error *err) {
  make(m, NULL);
  *bytes = m->used;
  char *block = ff_calloc_aligned(m->used, 1);
  if (block == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u reactions", m->program->n_reactions);
  double *values = make(m, block);
  ff_status status = fill_nodes(m, values, err);
  if (status == FF_OK)
    *memory = block;
  else
    ff_free_aligned(block);
  return status;
}

static ff_status number_reactions(maker *m, ff_error *err) {
  const ff_ssa_program *p = m->program;
  const ff_ssa_image shape = {.method = m->request->method};
  const int ordered = m->request->method == FF_SSA_OPTIMISED;
  if (!ordered && !has_rows(&shape)) return FF_OK;
  m->place = ff_calloc(p->n_reactions, sizeof *m->place);
  if (has_rows(&shape)) m->row_first = ff_calloc((size_t)p->n_species + 2, sizeof *m->row_first);
  if (m->place == NULL || (has_rows(&shape) && m->row_first == NULL))
    return ff_error_set(err, FF_EMEMORY, "no memory for %u reactions", p->n_reactions);
  for (uint32_t i = 0; ordered && i < p->n_reactions; i++) m->place[m->request->order[i]] = i;
  if (!ordered) ff_ssa_image_number_items(p, m->place, m->row_first);
  return FF_OK;
}

ff_status ff_ssa_image_new(ff_ssa_image *out, void **memory, size_t *bytes, const ff_ssa_program *program,
                           const ff_device_request *request, ff_error *err) {
  maker m = {.program = program, .request = request, .image = out};
  *memory = NULL;
  ff_status status = check(program, request, err);
  if (status != FF_OK) return status;
  status = number_reactions(&m, err);
  if (status == FF_OK && ff_ssa_program_scheduled(program)) status = ff_ssa_image_number_timed(&m, err);
  if (status == FF_OK) status = make_image(&m, memory, bytes, err);
  free(m.place);
  free(m.row_first);
  free(m.timed);
  return status;
}

ff_ssa_image ff_ssa_image_at(const ff_ssa_image *image, const void *from, const void *to) {
  ff_ssa_image out = *image;
#define MOVE(field) \
  if (image->field != NULL) out.field = (const void *)((const char *)to + ((const char *)image->field - (const char *)from))
  MOVE(initial);
  MOVE(tree);
  MOVE(real);
  MOVE(whole);
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
  MOVE(direct_first);
  MOVE(direct);
  MOVE(numbers);
  MOVE(until);
  MOVE(schedule.formulas);
  MOVE(schedule.words);
  MOVE(schedule.events);
  MOVE(schedule.watched);
  MOVE(schedule.kinds);
  MOVE(schedule.watch_first);
  MOVE(schedule.watchers);
  MOVE(schedule.rates);
  MOVE(schedule.timed_first);
  MOVE(schedule.timed);
  MOVE(schedule.settable);
  MOVE(row_first);
  MOVE(partner_first);
  MOVE(partners);
#undef MOVE
  return out;
}

static int alike_schedules(const ff_ssa_image_schedule *a, const ff_ssa_image_schedule *b) {
  return (a->formulas == NULL) == (b->formulas == NULL) && a->n_events == b->n_events && a->n_timed == b->n_timed &&
         a->n_settable == b->n_settable && a->most_sets == b->most_sets && a->due == b->due;
}

int ff_ssa_image_alike(const ff_ssa_image *a, const ff_ssa_image *b) {
  for (uint32_t level = 0; a->levels == b->levels && level < a->levels; level++)
    if (a->first[level] != b->first[level] || a->n[level] != b->n[level]) return 0;
  return a->levels == b->levels && a->n_values == b->n_values && a->n_species == b->n_species &&
         a->n_reactions == b->n_reactions && a->method == b->method && a->n_real == b->n_real && a->n_whole == b->n_whole &&
         a->depth == b->depth && a->listed == b->listed && (a->dependents == NULL) == (b->dependents == NULL) &&
         alike_schedules(&a->schedule, &b->schedule);
}
