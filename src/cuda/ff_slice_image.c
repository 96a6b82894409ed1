/* Builds the image of a sliced program that the CUDA interpreter reads. */
#include "ff_slice_image.h"

#include <stdlib.h>
#include <string.h>

#include "../pbn/ff_engine_internal.h"

#define SEGMENT_OPS 32 /* a warp's share at least, where nothing else ends it */

/* Arrays of the image stand one after the other; a first pass (memory NULL) counts, the second fills. */
typedef struct {
  char *memory;
  size_t used;
} arena;

static void *take(arena *a, size_t count, size_t size) {
  void *at = a->memory != NULL ? a->memory + a->used : NULL;
  a->used += (count * size + 127) / 128 * 128; /* rows of the args are read four words at a time */
  return at;
}

typedef struct {
  const ff_program *program;
  const ff_slice *slice;
  ff_slice_image *image;
  ff_image_op *ops;
  uint32_t *segments, *segment_terms, *args;
  uint32_t n_segments, n_args;
} builder;

static uint32_t operand(const ff_slice *s, uint32_t row) {
  if (row < s->n_nodes) return row * 32;
  return (row - s->temps) * 32 | FF_I_SCRATCH;
}

static uint32_t destination(const ff_slice *s, uint32_t row) {
  if (row >= s->terms) return (s->n_nodes + row - s->terms) * 32;
  if (row < s->ring) return (row - s->n_nodes) * 32;
  return operand(s, row);
}

/* Four monomial masks a nibble: value = c0 ^ c1 a ^ c2 b ^ c3 a b. */
static uint32_t place_table(builder *b, const uint32_t *from) {
  uint32_t k = from[0], place = b->n_args, nibbles = k > 2 ? 1u << (k - 2) : 1;
  const uint32_t *bits = from + 1 + k;
  uint32_t *to = b->args != NULL ? b->args + place : NULL, masks = (k + 3) / 4 * 4;
  b->n_args += masks + 4 * nibbles;
  if (to == NULL) return place;
  for (uint32_t i = 0; i < k; i++) to[i] = operand(b->slice, from[1 + i]);
  for (uint32_t i = 0; i < nibbles; i++) {
    uint32_t n = bits[i / 8] >> (i % 8 * 4) & 15;
    uint32_t c[4] = {n, n ^ n >> 1, n ^ n >> 2, n ^ n >> 1 ^ n >> 2 ^ n >> 3};
    for (uint32_t j = 0; j < 4; j++) to[masks + 4 * i + j] = 0u - (c[j] & 1);
  }
  return place;
}

static ff_image_op image_op(builder *b, const ff_slice_op *op) {
  const ff_slice *s = b->slice;
  ff_image_op out = {.code = op->code, .dst = destination(s, op->dst)};
  switch (op->code) {
  case FF_S_SELECT:
  case FF_S_CONST:
    out.a = op->a;
    out.b = op->b;
    break;
  case FF_S_TABLE:
    out.a = place_table(b, s->args + op->a);
    out.b = s->args[op->a];
    break;
  case FF_S_MUX: out.c = operand(s, op->c); /* fall through */
  default:
    out.a = operand(s, op->a);
    out.b = op->code == FF_S_COPY || op->code == FF_S_NOT ? out.a : operand(s, op->b);
  }
  return out;
}

static void begin_segment(builder *b, uint32_t op, uint32_t term) {
  if (b->segments != NULL) {
    b->segments[b->n_segments] = op;
    b->segment_terms[b->n_segments] = term;
  }
  b->n_segments++;
}

/* Segments are what warps run independently: a block of choices with the nodes that read them, or a stretch of nodes that
 * read none. A program's only choice is made by every warp for itself. */
static void place_ops(builder *b) {
  const ff_slice *s = b->slice;
  int masks = 0; /* alive from the present segment's choices */
  uint32_t start = 0, term = 0;
  b->n_segments = b->n_args = 0;
  b->image->n_prologue = s->n_selects == 1 && s->n_update > 0 && s->ops[0].code == FF_S_SELECT;
  for (uint32_t i = 0; i < s->n_ops; i++) {
    const ff_slice_op *op = &s->ops[i];
    if (i == s->n_update) b->image->n_update = b->n_segments;
    int choices = op->code == FF_S_SELECT && i >= b->image->n_prologue;
    int ended = i > 0 && s->ops[i - 1].dst >= s->n_nodes && (s->ops[i - 1].dst < s->ring || s->ops[i - 1].dst >= s->terms);
    if (i == b->image->n_prologue || i == s->n_update || choices || (!masks && ended && i - start >= SEGMENT_OPS)) {
      begin_segment(b, i, term);
      start = i;
      masks = choices;
    }
    ff_image_op made = image_op(b, op);
    if (b->ops != NULL) b->ops[i] = made;
    if (op->dst >= s->terms && i >= s->n_update) term++;
  }
  if (s->n_ops == s->n_update) b->image->n_update = b->n_segments;
  b->image->n_segments = b->n_segments;
  begin_segment(b, (uint32_t)s->n_ops, term);
}

static void lay_out(builder *b, arena *a) {
  const ff_program *p = b->program;
  const ff_slice *s = b->slice;
  ff_slice_image *image = b->image;
  place_ops(b); /* counts, in the first pass */
  uint32_t n_segments = b->n_segments, n_args = b->n_args;
  image->ops = b->ops = take(a, s->n_ops, sizeof *b->ops);
  image->segments = b->segments = take(a, n_segments, sizeof *b->segments);
  image->segment_terms = b->segment_terms = take(a, n_segments, sizeof *b->segment_terms);
  image->args = b->args = take(a, n_args, sizeof *b->args);
  ff_image_select *selects = take(a, s->n_selects, sizeof *selects);
  uint32_t *top = take(a, s->n_cuts, sizeof *top), *rest = take(a, s->n_cuts, sizeof *rest);
  uint32_t *number = take(a, s->n_cuts, sizeof *number);
  uint32_t *flip = take(a, p->n_flip, sizeof *flip);
  uint8_t *two_state = take(a, p->n_terms, 1);
  int8_t *initial = take(a, p->n_nodes, 1);
  uint64_t *threshold = take(a, p->hits.size, sizeof *threshold);
  uint32_t *alias = take(a, p->hits.size, sizeof *alias);
  image->selects = selects;
  image->cut_top = top;
  image->cut_rest = rest;
  image->cut_number = number;
  image->flip = flip;
  image->two_state = two_state;
  image->initial = initial;
  image->hits_threshold = threshold;
  image->hits_alias = alias;
  if (a->memory == NULL) return;
  place_ops(b);
  for (size_t i = 0; i < s->n_selects; i++) {
    const ff_slice_select *from = &s->selects[i];
    selects[i] = (ff_image_select){from->n_cuts, from->n_rows, from->row, from->number, from->exact, from->cut};
    for (uint32_t k = 0; k < from->n_cuts; k++) number[from->cut + k] = from->number;
  }
  for (size_t i = 0; i < s->n_cuts; i++) {
    top[i] = (uint32_t)(s->cuts[i] >> (FF_SELECT_BITS - FF_SELECT_ROWS));
    rest[i] = (uint32_t)s->cuts[i];
  }
  if (p->n_flip > 0) memcpy(flip, p->flip, p->n_flip * sizeof *flip);
  if (p->n_terms > 0) memcpy(two_state, p->two_state, p->n_terms);
  memcpy(initial, p->initial, p->n_nodes);
  if (p->hits.size > 0) memcpy(threshold, p->hits.threshold, p->hits.size * sizeof *threshold);
  if (p->hits.size > 0) memcpy(alias, p->hits.alias, p->hits.size * sizeof *alias);
}

ff_status ff_slice_image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_program *program, ff_error *err) {
  *memory = NULL;
  const ff_slice *s = &program->slice;
  if ((uint64_t)program->n_nodes + program->n_terms >= UINT32_MAX / 64 || s->equal - s->temps >= UINT32_MAX / 64)
    return ff_error_set(err, FF_ESIZE, "%u nodes are more rows than a CUDA program can number", program->n_nodes);
  *out = (ff_slice_image){.n_nodes = program->n_nodes,
                          .n_terms = program->n_terms,
                          .n_flip = program->n_flip,
                          .scratch_rows = s->equal - s->temps,
                          .hits_size = program->hits.size,
                          .hits_lowest = program->hits.lowest,
                          .hits_draws = program->hits.n_draws};
  builder b = {.program = program, .slice = s, .image = out};
  arena a = {0};
  lay_out(&b, &a);
  *bytes = a.used;
  a = (arena){.memory = ff_calloc_aligned(a.used + 128, 1)};
  if (a.memory == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program of %zu bytes", *bytes);
  b.ops = NULL;
  b.segments = b.segment_terms = b.args = NULL;
  lay_out(&b, &a);
  *memory = a.memory;
  return FF_OK;
}

ff_slice_image ff_slice_image_at(const ff_slice_image *image, const void *from, const void *to) {
  ff_slice_image out = *image;
#define MOVE(field) out.field = (const void *)((const char *)to + ((const char *)image->field - (const char *)from))
  MOVE(ops);
  MOVE(segments);
  MOVE(segment_terms);
  MOVE(args);
  MOVE(selects);
  MOVE(cut_top);
  MOVE(cut_rest);
  MOVE(cut_number);
  MOVE(flip);
  MOVE(two_state);
  MOVE(initial);
  MOVE(hits_threshold);
  MOVE(hits_alias);
#undef MOVE
  return out;
}
