/* Makes the image of a sliced program for the CUDA interpreter. */
#include "ff_slice_image.h"

#include <stdlib.h>
#include <string.h>

#include "../../pbn/ff_pbn_program.h"

/* Limits of a segment's masks and words. Ten masks leave about 40 trajectories undecided, and a warp decides 32 of them at a
 * time. The last fifth of the program has smaller segments, so that all warps finish at about the same time. */
#define SEGMENT_MASKS 10
#define TAIL_MASKS 5
#define SEGMENT_WORDS 400
#define STAGED_ROWS 48    /* the most rows that a segment of a staged image reads */
#define TERM_SEGMENTS 32  /* the terms are divided into this many segments */
#define AHEAD 2           /* windows that a reader fetches beyond the end of the stream */
#define QUAD 4u           /* words */
#define WINDOW (FF_I_WINDOW / 4)
#define CUTS_AT_ONCE 7u

/* The arrays of the image are stored one after the other. A first pass (memory is NULL) counts the bytes, and a second pass
 * fills the arrays. */
typedef struct {
  char *memory;
  size_t used;
} arena;

static void *take(arena *a, size_t count, size_t size) {
  void *at = a->memory != NULL ? a->memory + a->used : NULL;
  a->used += (count * size + 127) / 128 * 128; /* because the stream is read in windows */
  return at;
}

typedef struct {
  const ff_pbn_program *program;
  const ff_slice *slice;
  ff_slice_image *image;
  int staged, broken;
  uint8_t *reads;       /* per operation: how often its result is read if it is a temporary row; 2 means more than once */
  uint32_t *stream, *segments, *segment_terms; /* NULL in the first pass */
  size_t n_words;
  uint32_t n_segments;
  uint32_t block_masks, block_choice; /* of the choices that the compiler put together */
  uint32_t first_mask, masks;         /* the segment's first one of these masks, and their number */
  uint32_t scratch_rows;              /* without staged rows */
  uint32_t stage_at;                  /* place of the staged rows; known only in the second pass */
  uint32_t most_staged;
  /* staged rows of the current segment */
  uint32_t *stamp, *staged_as, *staged_rows; /* per node, per node, in order */
  size_t staged_capacity;
  uint32_t turn, n_staged;
} builder;

/* A range of operations, and the range of choices that they read. */
typedef struct {
  size_t from, to;
  uint32_t first_choice, end_choice;
} stretch;

static void put(builder *b, uint32_t word) {
  if (b->stream != NULL) b->stream[b->n_words] = word;
  b->n_words++;
}

static void end_quad(builder *b) {
  while (b->n_words % QUAD != 0) put(b, 0);
}

static void end_window(builder *b) {
  while (b->n_words % WINDOW != 0) put(b, 0);
}

/* Makes sure that an operation of `quads` quads fits in the window, with room for an FF_I_NEXT after it. */
static void make_room(builder *b, uint32_t quads) {
  if (b->n_words % WINDOW + (quads + 1) * QUAD <= WINDOW) return;
  put(b, FF_I_NEXT);
  end_window(b);
}

/* ---- operands --------------------------------------------------------------------------------------------------------- */

static int is_node(const ff_slice *s, uint32_t row) { return row < s->n_nodes; }
static int ends_unit(const ff_slice *s, const ff_slice_op *op) {
  return op->dst >= s->n_nodes && (op->dst < s->ring || op->dst >= s->terms);
}

/* The rows that an operation reads: its operands, or the inputs of a table. *rows may point to `own`. Returns their number. */
static uint32_t rows_read(const ff_slice *s, const ff_slice_op *op, const uint32_t **rows, uint32_t own[3]) {
  *rows = own;
  own[0] = op->a;
  own[1] = op->b;
  own[2] = op->c;
  switch (op->code) {
  case FF_S_SELECT:
  case FF_S_CONST: return 0;
  case FF_S_TABLE: *rows = s->args + op->a + 1; return s->args[op->a];
  case FF_S_COPY:
  case FF_S_NOT: return 1;
  case FF_S_MUX: return 3;
  default: return 2;
  }
}

static uint32_t scratch_place(builder *b, uint32_t row) {
  if (row >= b->scratch_rows) b->scratch_rows = row + 1;
  return FF_I_PLACE(row, FF_I_SCRATCH);
}

static uint32_t place_of(builder *b, uint32_t row) {
  const ff_slice *s = b->slice;
  if (is_node(s, row)) return b->staged ? b->stage_at + FF_I_PLACE(b->staged_as[row], 0) : FF_I_PLACE(row, 0);
  row -= s->temps;
  return scratch_place(b, row < b->block_masks ? row - b->first_mask : row - b->block_masks + b->masks);
}

static uint32_t destination(builder *b, uint32_t row) {
  const ff_slice *s = b->slice;
  if (row >= s->terms) return FF_I_PLACE(s->n_nodes + row - s->terms, 0);
  if (row < s->ring) return FF_I_PLACE(row - s->n_nodes, 0);
  return FF_I_ROW(place_of(b, row)) | FF_I_TO_SCRATCH;
}

/* Counts how often each temporary row is read before it is written again. */
static ff_status count_reads(builder *b, ff_error *err) {
  const ff_slice *s = b->slice;
  size_t n_temps = s->terms - s->temps;
  size_t *made_by = ff_calloc(n_temps + 1, sizeof *made_by); /* per temporary row: the operation that wrote it, + 1 */
  if (made_by == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  for (size_t i = 0; i < s->n_ops; i++) {
    const uint32_t *rows;
    uint32_t own[3], n = rows_read(s, &s->ops[i], &rows, own);
    for (uint32_t j = 0; j < n; j++) {
      if (rows[j] < s->temps || rows[j] - s->temps >= n_temps || made_by[rows[j] - s->temps] == 0) continue;
      uint8_t *reads = &b->reads[made_by[rows[j] - s->temps] - 1];
      if (*reads < 2) ++*reads;
    }
    uint32_t dst = s->ops[i].dst;
    if (dst >= s->temps && dst < s->terms) made_by[dst - s->temps] = i + 1;
  }
  free(made_by);
  return FF_OK;
}

/* ---- operations ------------------------------------------------------------------------------------------------------- */

/* A nibble n of a truth table as the coefficients of c0 + c1 a + c2 b + c3 a b. A set bit of a row counts as -1. Returns the
 * coefficients as bytes of a word. */
static uint32_t nibble_numbers(uint32_t n) {
  int v[4];
  for (uint32_t i = 0; i < 4; i++) v[i] = (int)(n >> i & 1);
  const int c[4] = {-v[0], v[1] - v[0], v[2] - v[0], v[0] - v[1] - v[2] + v[3]};
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; i++) word |= ((uint32_t)c[i] & 255) << 8 * i;
  return word;
}

static void put_truth(builder *b, const uint32_t *bits, uint32_t k) {
  uint32_t nibbles = k > 2 ? 1u << (k - 2) : 1, word = 0;
  for (uint32_t i = 0; i < nibbles; i++) {
    uint32_t nibble = k == 1 ? (bits[0] & 3) * 5 : bits[i / 8] >> (i % 8 * 4) & 15;
    if (k <= 4) {
      put(b, nibble_numbers(nibble));
    } else {
      word |= nibble << i % 4 * 8;
      if (i % 4 < 3) continue;
      put(b, word);
      word = 0;
    }
  }
  end_quad(b);
}

static int in_scratch(const builder *b, uint32_t row) { return b->staged || !is_node(b->slice, row); }

/* Whether operation i, a table, and operation i + 1, a selection (FF_S_MUX), can be joined with the result of operation i - 1. */
static int joins(const builder *b, size_t i, size_t from, size_t to) {
  const ff_slice *s = b->slice;
  if (i <= from || i + 1 >= to || s->ops[i].code != FF_S_TABLE || s->ops[i + 1].code != FF_S_MUX) return 0;
  const ff_slice_op *before = &s->ops[i - 1], *table = &s->ops[i], *join = &s->ops[i + 1];
  return join->a == table->dst && join->b == before->dst && join->a != join->b && before->dst >= s->temps &&
         before->dst < s->terms && before->code != FF_S_SELECT && b->reads[i] == 1 && in_scratch(b, join->c);
}

/* The destination of a result, given the last operation that contributes to it. */
static uint32_t result_of(builder *b, size_t last, size_t from, size_t to) {
  if (joins(b, last + 1, from, to) && b->reads[last] == 1) return FF_I_NOWHERE;
  return destination(b, b->slice->ops[last].dst);
}

/* Writes a table of nodes. If `join` is not NULL, it is the selection between the result of the table and that of the operation
 * before. */
static void put_table(builder *b, uint32_t result, const ff_slice_op *op, const ff_slice_op *join) {
  const uint32_t *from = b->slice->args + op->a;
  uint32_t k = from[0], quads = FF_I_TABLE_QUADS(k);
  make_room(b, quads);
  put(b, FF_I_HEAD(FF_I_TABLE_OF(k), join != NULL ? FF_I_JOIN : 0, result));
  put(b, FF_I_SECOND(join != NULL ? FF_I_ROW(place_of(b, join->c)) : 0, quads));
  for (uint32_t i = 0; i < k; i++) {
    if (!is_node(b->slice, from[1 + i])) b->broken = 1;
    put(b, FF_I_ROW(place_of(b, from[1 + i])));
  }
  end_quad(b);
  put_truth(b, from + 1 + k, k);
}

/* Writes operation i, together with the selection after it if they can be joined. Returns the number of the next operation. */
static size_t put_op(builder *b, size_t i, size_t from, size_t to) {
  const ff_slice_op *op = &b->slice->ops[i];
  if (joins(b, i, from, to)) {
    put_table(b, result_of(b, i + 1, from, to), op, op + 1);
    return i + 2;
  }
  uint32_t result = result_of(b, i, from, to);
  if (op->code == FF_S_TABLE) {
    put_table(b, result, op, NULL);
    return i + 1;
  }
  const uint32_t *rows;
  uint32_t own[3], n = rows_read(b->slice, op, &rows, own), word[3] = {0, op->code == FF_S_CONST ? op->a : 0, 0};
  for (uint32_t j = 0; j < n; j++) word[j] = place_of(b, rows[j]);
  make_room(b, 1);
  put(b, FF_I_HEAD(op->code, 0, result));
  put(b, FF_I_SECOND(word[0], 1u));
  put(b, word[1]);
  put(b, word[2]);
  return i + 1;
}

/* ---- choices ---------------------------------------------------------------------------------------------------------- */

static void put_cut(builder *b, uint64_t cut) {
  for (uint32_t bit = 0; bit < FF_SELECT_ROWS; bit++) put(b, 0u - (uint32_t)(cut >> (FF_SELECT_BITS - 1 - bit) & 1));
}

static void put_choices(builder *b, uint32_t first, uint32_t end) {
  const ff_slice *s = b->slice;
  make_room(b, 1);
  put(b, FF_S_SELECT);
  put(b, s->selects[first].cut);
  end_quad(b);
  for (uint32_t i = first; i < end; i++) {
    const ff_slice_select *select = &s->selects[i];
    uint32_t flags = select->exact ? FF_I_EXACT : 0;
    if (select->row % 4 == 0 && select->n_rows == FF_SELECT_ROWS) flags |= FF_I_PLAIN;
    for (uint32_t k = 0; k < select->n_cuts; k += CUTS_AT_ONCE) {
      uint32_t n = select->n_cuts - k < CUTS_AT_ONCE ? select->n_cuts - k : CUTS_AT_ONCE;
      make_room(b, 1 + 2 * n); /* the reader understands FF_I_NEXT as a choice without cuts */
      put(b, select->row);
      uint32_t last = i + 1 == end && k + n == select->n_cuts ? FF_I_LAST : 0;
      put(b, FF_I_CHOICE(n, select->n_rows, flags | (k > 0 ? FF_I_MORE : 0) | last));
      end_quad(b);
      for (uint32_t j = 0; j < n; j++) put_cut(b, s->cuts[select->cut + k + j]);
    }
  }
}

/* The choice to which mask row `mask` of the block belongs. */
static uint32_t choice_of(const builder *b, uint32_t mask) {
  const ff_slice_select *selects = b->slice->selects;
  uint32_t at = b->block_choice, cut = selects[at].cut + mask;
  while (cut >= selects[at].cut + selects[at].n_cuts) at++;
  return at;
}

/* ---- segments --------------------------------------------------------------------------------------------------------- */

static void stage(builder *b, uint32_t node) {
  if (b->stamp[node] == b->turn) return;
  b->stamp[node] = b->turn;
  b->staged_as[node] = b->n_staged;
  if (b->n_staged < b->staged_capacity) b->staged_rows[b->n_staged] = node;
  b->n_staged++;
}

/* The operations of one node or one term, from operation i on. Adds the approximate number of words that they take to *words,
 * notes the choices that they read, and stages the rows that they read. */
static stretch unit_at(builder *b, size_t i, size_t end, size_t *words) {
  const ff_slice *s = b->slice;
  stretch out = {i, i, UINT32_MAX, 0};
  while (out.to < end) {
    const ff_slice_op *op = &s->ops[out.to++];
    const uint32_t *rows;
    uint32_t own[3], n = rows_read(s, op, &rows, own);
    *words += op->code == FF_S_TABLE ? FF_I_TABLE_QUADS(s->args[op->a]) * QUAD : QUAD;
    for (uint32_t j = 0; j < n; j++) {
      if (is_node(s, rows[j])) {
        if (b->staged) stage(b, rows[j]);
      } else if (rows[j] >= s->temps && rows[j] - s->temps < b->block_masks && b->image->prologue == 0) {
        uint32_t choice = choice_of(b, rows[j] - s->temps);
        if (choice < out.first_choice) out.first_choice = choice;
        if (choice >= out.end_choice) out.end_choice = choice + 1;
      }
    }
    if (ends_unit(s, op)) break;
  }
  return out;
}

static uint32_t masks_of(const builder *b, uint32_t first, uint32_t end) {
  const ff_slice_select *selects = b->slice->selects;
  return first < end ? selects[end - 1].cut + selects[end - 1].n_cuts - selects[first].cut : 0;
}

/* The operations from i on that form one segment: as many nodes or terms as fit, at least one. The staged rows are known only
 * after a node is added, so the last node may be removed again. */
static stretch segment_at(builder *b, size_t i, size_t end) {
  const ff_slice *s = b->slice;
  stretch out = {i, i, UINT32_MAX, 0};
  uint32_t masks = i < s->n_update - s->n_update / 5 ? SEGMENT_MASKS : TAIL_MASKS;
  size_t words = 0, most = i < s->n_update ? SIZE_MAX : (s->n_terms + TERM_SEGMENTS - 1) / TERM_SEGMENTS, units = 0;
  b->turn++;
  b->n_staged = 0;
  while (out.to < end && s->ops[out.to].code != FF_S_SELECT && units < most) {
    size_t more = 0;
    stretch unit = unit_at(b, out.to, end, &more);
    uint32_t first = unit.first_choice < out.first_choice ? unit.first_choice : out.first_choice;
    uint32_t last = unit.end_choice > out.end_choice ? unit.end_choice : out.end_choice;
    if (out.to > i && (masks_of(b, first, last) > masks || words + more > SEGMENT_WORDS * masks / SEGMENT_MASKS ||
                       (b->staged && b->n_staged + units + 1 > STAGED_ROWS)))
      break;
    words += more;
    units++;
    out = (stretch){i, unit.to, first, last};
  }
  return out;
}

/* Lists the rows that a segment writes, then those that it reads, and writes the operations that copy them. */
static void put_stage(builder *b, const stretch *of) {
  const ff_slice *s = b->slice;
  uint32_t first = 0, written = 0;
  b->turn++;
  b->n_staged = 0;
  for (size_t i = of->from; i < of->to; i++) {
    if (s->ops[i].dst < s->n_nodes || s->ops[i].dst >= s->ring) continue;
    if (written++ == 0) first = s->ops[i].dst - s->n_nodes;
    stage(b, s->ops[i].dst - s->n_nodes);
  }
  for (size_t i = of->from; i < of->to; i++) {
    const uint32_t *rows;
    uint32_t own[3], n = rows_read(s, &s->ops[i], &rows, own);
    for (uint32_t j = 0; j < n; j++)
      if (is_node(s, rows[j])) stage(b, rows[j]);
  }
  if (b->n_staged == 0) return;
  uint32_t n = (b->n_staged + FF_I_STAGED - 1) / FF_I_STAGED * FF_I_STAGED;
  if (n > b->most_staged) b->most_staged = n;
  for (uint32_t i = 0; i < n; i++) {
    if (i % FF_I_STAGED == 0) {
      make_room(b, 1 + FF_I_STAGED / QUAD);
      put(b, FF_I_STAGE);
      put(b, FF_I_ROW(b->stage_at) + FF_I_PLACE(i, 0));
      put(b, FF_I_PLACE(first, 0));
      put(b, FF_I_ROW(b->stage_at));
    }
    uint32_t which = i < b->n_staged ? i : b->n_staged - 1; /* fills up with the last one */
    put(b, which < b->staged_capacity ? FF_I_PLACE(b->staged_rows[which], 0) : 0);
  }
}

static void begin_segment(builder *b, uint32_t term) {
  if (b->segments != NULL) {
    b->segments[b->n_segments] = (uint32_t)(b->n_words / WINDOW);
    b->segment_terms[b->n_segments] = term;
  }
}

static void end_segment(builder *b, uint32_t term) {
  put(b, FF_I_END);
  end_window(b);
  b->n_segments++;
  if (b->segments != NULL) b->segment_terms[b->n_segments] = term;
}

static void put_segment(builder *b, const stretch *of) {
  const ff_slice *s = b->slice;
  int choices = of->first_choice < of->end_choice;
  if (b->image->prologue == 0) {
    b->first_mask = choices ? s->selects[of->first_choice].cut - s->selects[b->block_choice].cut : 0;
    b->masks = choices ? masks_of(b, of->first_choice, of->end_choice) : 0;
    if (b->masks > b->scratch_rows) b->scratch_rows = b->masks;
  }
  if (b->staged) put_stage(b, of);
  if (choices) put_choices(b, of->first_choice, of->end_choice);
  for (size_t i = of->from; i < of->to;) i = put_op(b, i, of->from, of->to);
}

/* Warps run segments independently of each other. A segment has choices with the nodes that read them, or a few nodes that read
 * no choice. If a choice concerns all nodes (the context, or the node to update), every warp makes it for itself. */
static void put_program(builder *b) {
  const ff_slice *s = b->slice;
  uint32_t term = 0;
  size_t i = 0;
  b->n_words = b->n_segments = b->block_masks = b->block_choice = b->first_mask = b->masks = 0;
  b->image->prologue = 0;
  while (i < s->n_ops) {
    if (i == s->n_update) {
      b->image->n_update = b->n_segments;
      b->block_masks = b->first_mask = b->masks = 0;
    }
    const ff_slice_op *op = &s->ops[i];
    if (op->code == FF_S_SELECT) {
      b->block_choice = op->a;
      b->block_masks = masks_of(b, op->a, op->a + op->b);
      if (i == 0 && (s->n_selects == 1 || b->program->update == FF_ASYNCHRONOUS)) {
        put_choices(b, 0, (uint32_t)s->n_selects);
        put(b, FF_I_END);
        end_window(b);
        b->image->prologue = 1;
        b->masks = b->block_masks;
        if (b->masks > b->scratch_rows) b->scratch_rows = b->masks;
      }
      i++;
      continue;
    }
    stretch of = segment_at(b, i, i < s->n_update ? s->n_update : s->n_ops);
    begin_segment(b, term);
    put_segment(b, &of);
    for (; i < of.to; i++) term += s->ops[i].dst >= s->terms;
    end_segment(b, term);
  }
  if (s->n_ops == s->n_update) b->image->n_update = b->n_segments;
  b->image->n_segments = b->n_segments;
}

static void lay_out(builder *b, arena *a) {
  const ff_pbn_program *p = b->program;
  const ff_slice *s = b->slice;
  ff_slice_image *image = b->image;
  if (a->memory == NULL) put_program(b); /* only counts */
  uint32_t n_segments = b->n_segments;
  image->stream = b->stream = take(a, b->n_words + WINDOW * AHEAD, sizeof *b->stream);
  image->segments = b->segments = take(a, n_segments, sizeof *b->segments);
  image->segment_terms = b->segment_terms = take(a, (size_t)n_segments + 1, sizeof *b->segment_terms);
  uint32_t *rest = take(a, s->n_cuts, sizeof *rest), *further = take(a, s->n_cuts, sizeof *further);
  uint32_t *number = take(a, s->n_cuts, sizeof *number);
  uint32_t *flip = take(a, p->n_flip, sizeof *flip);
  uint8_t *two_state = take(a, p->n_terms, 1);
  int8_t *initial = take(a, p->n_nodes, 1);
  uint64_t *threshold = take(a, p->hits.size, sizeof *threshold);
  uint32_t *alias = take(a, p->hits.size, sizeof *alias);
  image->cut_rest = rest;
  image->cut_further = further;
  image->cut_number = number;
  image->flip = flip;
  image->two_state = two_state;
  image->initial = initial;
  image->hits_threshold = threshold;
  image->hits_alias = alias;
  if (a->memory == NULL) return;
  put_program(b);
  for (size_t i = 0; i < s->n_selects; i++)
    for (uint32_t k = 0; k < s->selects[i].n_cuts; k++) number[s->selects[i].cut + k] = s->selects[i].number;
  for (size_t i = 0; i < s->n_cuts; i++) {
    rest[i] = FF_CUT_REST(s->cuts[i]);
    further[i] = FF_CUT_FURTHER(s->cuts[i]);
  }
  if (p->n_flip > 0) memcpy(flip, p->flip, p->n_flip * sizeof *flip);
  if (p->n_terms > 0) memcpy(two_state, p->two_state, p->n_terms);
  memcpy(initial, p->initial, p->n_nodes);
  if (p->hits.size > 0) memcpy(threshold, p->hits.threshold, p->hits.size * sizeof *threshold);
  if (p->hits.size > 0) memcpy(alias, p->hits.alias, p->hits.size * sizeof *alias);
}

/* Allocates the builder's own arrays. */
static ff_status take_notes(builder *b, ff_error *err) {
  const ff_slice *s = b->slice;
  b->reads = ff_calloc(s->n_ops, 1);
  if (b->staged) {
    size_t most = 0; /* the most rows that one segment can read */
    for (size_t i = 0; i < s->n_ops && most < s->n_nodes; i++) most += s->ops[i].code == FF_S_TABLE ? FF_TABLE_INPUTS + 1 : 4;
    b->staged_capacity = most < s->n_nodes ? most : s->n_nodes;
    b->stamp = ff_calloc(s->n_nodes, sizeof *b->stamp);
    b->staged_as = ff_calloc(s->n_nodes, sizeof *b->staged_as);
    b->staged_rows = ff_calloc(b->staged_capacity, sizeof *b->staged_rows);
  }
  if (b->reads == NULL || (b->staged && (b->stamp == NULL || b->staged_as == NULL || b->staged_rows == NULL)))
    return ff_error_set(err, FF_EMEMORY, "no memory for a program");
  return count_reads(b, err);
}

static ff_status build(builder *b, void **memory, size_t *bytes, ff_error *err) {
  arena a = {0};
  lay_out(b, &a);
  if (b->n_words + WINDOW * AHEAD > UINT32_MAX / 2 || (uint64_t)b->scratch_rows + b->most_staged > UINT32_MAX / 256)
    return ff_error_set(err, FF_ESIZE, "the program has %zu words, more than a CUDA program can address", b->n_words);
  if (b->broken) return ff_error_set(err, FF_EINTERNAL, "an input of a truth table is not a node");
  *bytes = a.used;
  a = (arena){.memory = ff_calloc_aligned(a.used + 128, 1)};
  if (a.memory == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program of %zu bytes", *bytes);
  *memory = a.memory;
  b->stage_at = FF_I_PLACE(b->scratch_rows, FF_I_SCRATCH);
  lay_out(b, &a);
  b->image->scratch_rows = b->scratch_rows + b->most_staged;
  return FF_OK;
}

static ff_status image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_pbn_program *program, int staged,
                           ff_error *err) {
  *memory = NULL;
  const ff_slice *s = &program->slice;
  if ((uint64_t)program->n_nodes + program->n_terms >= UINT32_MAX / 256 || s->terms - s->temps >= UINT32_MAX / 256)
    return ff_error_set(err, FF_ESIZE, "%u nodes are more than a CUDA program can address", program->n_nodes);
  *out = (ff_slice_image){.n_nodes = program->n_nodes,
                          .n_terms = program->n_terms,
                          .n_flip = program->n_flip,
                          .staged = (uint32_t)staged,
                          .hits_size = program->hits.size,
                          .hits_lowest = program->hits.lowest,
                          .hits_draws = program->hits.n_draws};
  for (size_t i = 0; i < s->n_selects; i++)
    if (s->selects[i].n_cuts >= 1u << 22)
      return ff_error_set(err, FF_ESIZE, "a choice among %u functions or contexts is more than a CUDA program can address",
                          s->selects[i].n_cuts + 1);
  builder b = {.program = program, .slice = s, .image = out, .staged = staged};
  ff_status status = take_notes(&b, err);
  if (status == FF_OK) status = build(&b, memory, bytes, err);
  free(b.reads);
  free(b.stamp);
  free(b.staged_as);
  free(b.staged_rows);
  return status;
}

ff_status ff_slice_image_new(ff_slice_image *out, void **memory, size_t *bytes, const ff_pbn_program *program, ff_error *err) {
  return image_new(out, memory, bytes, program, 0, err);
}

ff_status ff_slice_image_staged(ff_slice_image *out, void **memory, size_t *bytes, const ff_pbn_program *program, ff_error *err) {
  return image_new(out, memory, bytes, program, 1, err);
}

ff_slice_image ff_slice_image_at(const ff_slice_image *image, const void *from, const void *to) {
  ff_slice_image out = *image;
#define MOVE(field) out.field = (const void *)((const char *)to + ((const char *)image->field - (const char *)from))
  MOVE(stream);
  MOVE(segments);
  MOVE(segment_terms);
  MOVE(cut_rest);
  MOVE(cut_further);
  MOVE(cut_number);
  MOVE(flip);
  MOVE(two_state);
  MOVE(initial);
  MOVE(hits_threshold);
  MOVE(hits_alias);
#undef MOVE
  return out;
}
