#include "ff_petri_tissue_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../petri/path/ff_petri_segment_math.h"

#define PIECES 8u   /* for which each wave has room; 1 in 70 of calcium cells has more */
#define LINE 128u   /* bytes of a line of the cache: arrays begin at multiples of it */

static const ff_petri_program *program_of(const ff_petri_tissue_data *d, uint32_t block) {
  return d->blocks->types[d->blocks->type[block]].program;
}

/* ---- code --------------------------------------------------------------------------------------------------------------- */

static int are_alike(const ff_petri_code *a, const ff_petri_code *b) {
  return strcmp(a->definitions, b->definitions) == 0 && strcmp(a->functions, b->functions) == 0;
}

/* Puts a type into the class whose code it has, or into a new one. */
static ff_status classify(ff_petri_tissue_data *d, uint32_t type, uint32_t near, ff_error *err) {
  ff_petri_code own;
  uint32_t c = 0;
  const ff_status status = ff_petri_code_block_new(&own, d->blocks->types[type].program, near, err);
  if (status != FF_OK) return status;
  while (c < d->n_classes && !are_alike(&own, &d->code[c])) c++;
  d->class_of[type] = c;
  if (c == d->n_classes && c < FF_PETRI_MOST_CLASSES) {
    d->code[d->n_classes++] = own;
    return FF_OK;
  }
  ff_petri_code_free(&own);
  if (c < d->n_classes) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED,
                      "no kernel simulates nets of more than %u kinds of parts with different transitions; this net has at least "
                      "%u", FF_PETRI_MOST_CLASSES, c + 1);
}

/* Types that differ only in their neighbours have the same code. */
static ff_status make_code(ff_petri_tissue_data *d, ff_error *err) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t near = 0;
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const uint32_t own = (uint32_t)(b->neighbour_first[k + 1] - b->neighbour_first[k]);
    near = own > near ? own : near;
  }
  d->class_of = ff_calloc(b->n_types, sizeof *d->class_of);
  if (d->class_of == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u types of blocks", b->n_types);
  for (uint32_t t = 0; t < b->n_types && status == FF_OK; t++) status = classify(d, t, near, err);
  return status == FF_OK ? ff_petri_code_share(d->code, d->n_classes, &d->most, err) : status;
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

/* Room for n elements of a size, from a line on. Offsets become pointers later: 1 is added, so that none is NULL. */
static void *take(size_t *bytes, size_t n, size_t size) {
  void *at = (void *)(uintptr_t)(*bytes + 1);
  *bytes += (n * size + LINE - 1) / LINE * LINE;
  return at;
}

#define AT(d, name) ((void *)((d)->data + ((uintptr_t)(d)->net.name - 1)))

/* All lists of a net, with their numbers of elements. d is the data, b its blocks. */
#define FF_TISSUE_LISTS(X)                                                                                                  \
  X(order, b->n_blocks) X(type, b->n_blocks) X(colour, b->n_blocks) X(of_class, d->n_classes > 1 ? b->n_blocks : 0)           \
  X(near_first, b->n_blocks + 1)                                                                                              \
  X(near, b->neighbour_first[b->n_blocks]) X(bends, b->neighbour_first[b->n_blocks])                       \
  X(far_first, b->n_blocks + 1) X(far, b->far_first[b->n_blocks])                                                             \
  X(given_first, b->n_blocks + 1) X(given, b->given_first[b->n_blocks])                                                       \
  X(group, (size_t)b->n_blocks * d->most.groups) X(table, (size_t)b->n_blocks * d->most.own_places)                           \
  X(linear_first, (size_t)b->n_types * (2 * d->most.levels + 1)) X(linear_value, terms) X(linear_by, terms)                   \
  X(fixed, d->net.n_fixed) X(fixed_place, d->net.n_fixed)

static void copy_numbers(void *out, const size_t *from, size_t n) {
  uint32_t *to = out;
  for (size_t i = 0; i < n; i++) to[i] = (uint32_t)from[i];
}

/* Which of the recorded quantities each own place of a block is. */
static void fill_table(ff_petri_tissue_data *d, const uint32_t *observed) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t *table = AT(d, table);
  for (uint32_t k = 0; k < b->n_blocks; k++, table += d->most.own_places) {
    const ff_petri_program *p = program_of(d, k);
    for (uint32_t v = 0, i = 0; v < p->n_places; v++)
      if (v < p->n_levels || v >= p->n_levels + p->n_given)
        table[i++] = observed[b->place[b->place_first[k] + p->value_place[v]]];
  }
}

/* The numbers by which draws of each block are addressed. */
static void fill_groups(ff_petri_tissue_data *d) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t *group = AT(d, group);
  for (uint32_t k = 0; k < b->n_blocks; k++, group += d->most.groups)
    for (size_t g = b->group_first[k]; g < b->group_first[k + 1]; g++) group[g - b->group_first[k]] = b->group[g];
}

/* The blocks of each class. */
static void fill_classes(ff_petri_tissue_data *d) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t *of_class = AT(d, of_class), n = 0;
  for (uint32_t c = 0; c < d->n_classes; c++) {
    for (uint32_t k = 0; k < b->n_blocks && d->n_classes > 1; k++)
      if (d->class_of[b->type[k]] == c) of_class[n++] = k;
    d->net.class_first[c + 1] = d->n_classes > 1 ? n : b->n_blocks;
  }
}

/* Takes places that no transition changes out of what blocks record. */
static void list_fixed(ff_petri_tissue_data *d, uint32_t *observed) {
  uint32_t *fixed = AT(d, fixed), *place = AT(d, fixed_place);
  for (uint32_t f = 0; f < d->blocks->net->n_places; f++) {
    if (observed[f] == UINT32_MAX || d->blocks->home[f] != FF_PETRI_NONE) continue;
    *fixed++ = observed[f];
    *place++ = f;
    observed[f] = UINT32_MAX;
  }
}

static void fill_linear(ff_petri_tissue_data *d) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t *value = AT(d, linear_value), n = 0;
  double *by = AT(d, linear_by);
  for (uint32_t t = 0; t < b->n_types; t++) {
    const ff_petri_program *p = b->types[t].program;
    uint32_t *first = (uint32_t *)AT(d, linear_first) + (size_t)t * (2 * d->most.levels + 1);
    for (uint32_t i = 0; i < p->n_levels; i++) {
      size_t own = p->linear_first[i];
      while (own < p->linear_first[i + 1] && ff_petri_is_given_value(p, p->linear_value[own])) own++;
      *first++ = n + (uint32_t)p->linear_first[i];
      *first++ = n + (uint32_t)own;
    }
    *first = n + (uint32_t)p->linear_first[p->n_levels];
    for (size_t k = 0; k < p->linear_first[p->n_levels]; k++, n++) {
      by[n] = p->linear_by[k];
      value[n] = p->linear_value[k];
    }
  }
}

static ff_status fill(ff_petri_tissue_data *d, const ff_device_request *request, ff_error *err) {
  const ff_petri_blocks *b = d->blocks;
  uint32_t *order = AT(d, order);
  for (uint32_t t = 0; t < b->n_types; order += b->types[t++].n_blocks)
    memcpy(order, b->types[t].block, b->types[t].n_blocks * sizeof *order);
  memcpy(AT(d, type), b->type, b->n_blocks * sizeof *b->type);
  memcpy(AT(d, colour), b->colour, b->n_blocks);
  copy_numbers(AT(d, near_first), b->neighbour_first, (size_t)b->n_blocks + 1);
  copy_numbers(AT(d, far_first), b->far_first, (size_t)b->n_blocks + 1);
  copy_numbers(AT(d, given_first), b->given_first, (size_t)b->n_blocks + 1);
  memcpy(AT(d, near), b->neighbour, b->neighbour_first[b->n_blocks] * sizeof *b->neighbour);
  memcpy(AT(d, bends), b->bends, b->neighbour_first[b->n_blocks]);
  memcpy(AT(d, far), b->far, b->far_first[b->n_blocks] * sizeof *b->far);
  memcpy(AT(d, given), b->given, b->given_first[b->n_blocks] * sizeof *b->given);
  uint32_t *observed = ff_calloc(b->net->n_places, sizeof *observed);
  if (observed == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u places", b->net->n_places);
  for (uint32_t f = 0; f < b->net->n_places; f++) observed[f] = UINT32_MAX;
  for (uint32_t j = 0; j < request->n_observed; j++) observed[request->observed[j]] = j;
  list_fixed(d, observed);
  fill_table(d, observed);
  free(observed);
  fill_groups(d);
  fill_classes(d);
  fill_linear(d);
  return FF_OK;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Spare pieces of n blocks. In a sweep, blocks have FF_PETRI_PIECES_OF_SWEEP pieces on average at most, and waves that move leave
 * room behind. In small nets, a few blocks may have most of them. In very large ones, memory is dear. */
static uint32_t spare_of(uint32_t n) { return 8 * n + 56 * smaller(n, 250000) + 128 * smaller(n, 1000); }

/* Where a slot has what: first that with which a trajectory begins, up to the strips. */
static void lay_out(ff_petri_tissue_data *d) {
  ff_petri_tissue *net = &d->net;
  const uint64_t n = net->n_blocks;
  const uint64_t pieces = 2 * n * PIECES + spare_of(net->n_blocks);
  size_t at = 0;
  net->pieces = PIECES;
  net->spare = spare_of(net->n_blocks);
  net->at_slot = at;
  at += LINE * ((sizeof(ff_petri_slot) + LINE - 1) / LINE);
  const struct {
    uint64_t *at, bytes;
  } room[] = {{&net->at_real, 2 * n * d->most.state_reals * sizeof(double)},
              {&net->at_word, 2 * n * d->most.state_words * sizeof(uint32_t)},
              {&net->at_guess, 3 * n * d->most.levels * sizeof(double)},
              {&net->at_fixed, net->n_fixed * sizeof(double)},
              {&net->at_strip, net->n_strips * sizeof(ff_petri_strip)},
              {&net->at_told, 2 * n * sizeof(ff_petri_told)},
              {&net->at_fired, 2 * n * sizeof(ff_petri_fired)},
              {&net->at_piece, pieces * ff_petri_piece_size(d->most.levels) * sizeof(double)},
              {&net->at_kink, pieces * sizeof(double)},
              {&net->at_moved, n * sizeof(double)},
              {&net->at_list, n * sizeof(uint32_t)}};
  for (size_t i = 0; i < sizeof room / sizeof room[0]; i++) {
    *room[i].at = at;
    at += (size_t)((room[i].bytes + LINE - 1) / LINE * LINE);
  }
  net->slot_bytes = at;
}

static ff_status make_lists(ff_petri_tissue_data *d, const ff_device_request *request, ff_error *err) {
  const ff_petri_blocks *b = d->blocks;
  size_t terms = 0;
  for (uint32_t t = 0; t < b->n_types; t++) {
    const ff_petri_program *p = b->types[t].program;
    terms += p->linear_first[p->n_levels];
  }
  d->net.n_blocks = b->n_blocks;
  for (uint32_t j = 0; j < request->n_observed; j++) d->net.n_fixed += b->home[request->observed[j]] == FF_PETRI_NONE;
  d->net.n_strips = (b->n_blocks + FF_PETRI_STRIP - 1) / FF_PETRI_STRIP;
#define FF_X(name, n) d->net.name = take(&d->bytes, (n), sizeof *d->net.name);
  FF_TISSUE_LISTS(FF_X)
#undef FF_X
  lay_out(d);
  d->data = ff_calloc(d->bytes, 1);
  if (d->data == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the blocks of %u places", b->net->n_places);
  return fill(d, request, err);
}

ff_petri_tissue ff_petri_tissue_at(const ff_petri_tissue_data *d, char *data, char *memory) {
  ff_petri_tissue net = d->net;
#define FF_X(name, n) net.name = (const void *)(data + ((uintptr_t)d->net.name - 1));
  FF_TISSUE_LISTS(FF_X)
#undef FF_X
  net.memory = memory;
  return net;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

ff_status ff_petri_tissue_data_new(ff_petri_tissue_data *out, const ff_petri_parts *parts, const ff_device_request *request,
                                   ff_error *err) {
  *out = (ff_petri_tissue_data){.parts = parts, .blocks = parts->blocks};
  const ff_petri_program *net = parts->blocks->net;
  ff_status status = ff_petri_check_marking(net, request->initial, err);
  if (status == FF_OK && net->n_stochastic == 0) status = ff_petri_refuse(err, "no stochastic transition");
  if (status == FF_OK) status = make_code(out, err);
  if (status == FF_OK) status = make_lists(out, request, err);
  const int threads = request->threads > 0 ? request->threads : 1;
  return status == FF_OK ? parts->opener->create(&out->opener, parts->blocks, threads, err) : status;
}

void ff_petri_tissue_data_free(ff_petri_tissue_data *d) {
  if (d->opener != NULL) d->parts->opener->free(d->opener);
  free(d->data);
  for (uint32_t c = 0; c < d->n_classes; c++) ff_petri_code_free(&d->code[c]);
  free(d->class_of);
  *d = (ff_petri_tissue_data){0};
}

/* ---- a trajectory begins ------------------------------------------------------------------------------------------------ */

/* When a group fires, as far as it is known. */
static double candidate_of(const ff_petri_path *x, uint32_t group) {
  for (uint32_t k = 0; k < x->candidates.n; k++)
    if (x->candidates.heap[k].number == group) return x->candidates.heap[k].time;
  return INFINITY;
}

/* Where blocks write their states. */
typedef struct {
  const ff_petri_tissue_data *data;
  char *memory;
} begin;

/* The state of a block at the start, as p_load() reads it. */
static void take_block(void *of, uint32_t k, const ff_petri_path *x, const ff_petri_kept *kept) {
  begin *to = of;
  const ff_petri_tissue_data *d = to->data;
  const ff_petri_tissue *net = &d->net;
  const ff_petri_program *p = x->program;
  const size_t n = net->n_blocks;
  const uint32_t of_group = d->code[d->class_of[d->blocks->type[k]]].of_group;
  double *real = (double *)(to->memory + net->at_real) + k, *guess = (double *)(to->memory + net->at_guess) + k;
  uint32_t *word = (uint32_t *)(to->memory + net->at_word) + k, dirty = 0;
  for (uint32_t i = 0; i < p->n_levels; i++, real += n) *real = x->value[i];
  for (uint32_t c = 0; c < p->n_cells; c++, real += n) *real = x->sum[c];
  for (uint32_t g = 0; g < p->n_groups; g++) {
    const double numbers[] = {x->left[g], x->choice[g], x->since[g], x->rate[g], candidate_of(x, g), 0};
    for (uint32_t i = 0; i < of_group; i++, real += n) *real = numbers[i];
    dirty |= (uint32_t)(x->is_dirty_group[g] != 0) << g;
  }
  for (uint32_t v = p->n_levels + p->n_given; v < p->n_places; v++) {
    const int continuous = p->flat->continuous[p->value_place[v]];
    if (!continuous) {
      *word = (uint32_t)x->value[v];
      word += n;
    } else {
      *real = x->value[v];
      real += n;
    }
  }
  for (uint32_t g = 0; g < p->n_groups; g++, word += n) *word = (uint32_t)x->fired[g];
  for (uint32_t i = 0; i < p->n_derived; i++, real += n) *real = x->value[p->derived[i].value];
  const double lengths[] = {kept->pace.next, kept->pace.tried, kept->pace.shortest, kept->reach};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++, real += n) *real = lengths[i];
  word[0] = kept->pace.stiff;
  word[n] = kept->pace.calm;
  word[2 * n] = 0;
  word[3 * n] = dirty;
  for (uint32_t i = 0; i < p->n_levels; i++, guess += 3 * n) {
    guess[0] = x->value[i];
    guess[n] = guess[2 * n] = 0;
  }
}

void ff_petri_tissue_open(ff_petri_tissue_data *d, uint64_t key, uint64_t number, uint32_t unit, const double *initial,
                          char *memory) {
  ff_petri_slot *slot = (ff_petri_slot *)(memory + d->net.at_slot);
  const ff_petri_start start = {.initial = initial, .key = key, .unit = number};
  begin to = {.data = d, .memory = memory};
  const uint32_t *place = AT(d, fixed_place);
  for (uint32_t i = 0; i < d->net.n_fixed; i++) ((double *)(memory + d->net.at_fixed))[i] = ff_petri_reset_to(initial[place[i]]);
  *slot = (ff_petri_slot){.phase = FF_PETRI_SLOT_BEGINS, .unit = unit};
  slot->pace = d->parts->opener->open(d->opener, &start, take_block, &to);
}
