/* Translates operations on rows to straight-line CUDA C. */
#include "ff_generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../pbn/ff_pbn_program.h"
#include "../runtime/ff_writer.h"
#include "ff_slice_image.h"

#define ITEMS 64       /* equals G_ITEMS of ff_generated.h */
#define SOME_TERMS 8   /* equals G_SOME */

/* What a temporary row holds at this point: a variable of the generated code, or a mask. */
typedef struct {
  uint32_t number;
  int mask;
} meaning;

typedef struct {
  const ff_pbn_program *program;
  const ff_slice *slice;
  ff_writer out;
  meaning *temps;      /* one per temporary row */
  uint32_t variables;  /* how many variables have names so far */
  uint32_t *last_read; /* per node: 1 + the number of the last operation of the update that reads it */
  uint32_t *waiting;   /* nodes whose new value is computed but not stored, because later operations still read the old one */
  uint32_t n_waiting;
} generator;

/* ---- sizes ---------------------------------------------------------------------------------------------------------- */

static uint32_t hits_at_most(const ff_pbn_program *p) {
  uint64_t n = p->hits.size == 0 ? 0 : (uint64_t)p->hits.n_draws * ((uint64_t)p->hits.lowest + p->hits.size);
  return n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

static uint32_t changing_before(const ff_pbn_program *p, uint32_t term) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < term; i++) n += p->two_state[i] != 0;
  return n;
}

void ff_generate_size(const ff_pbn_program *p, uint32_t levels, uint64_t *words, uint64_t *operations) {
  const ff_slice *s = &p->slice;
  const uint64_t near = levels > 0 ? 2 * ((uint64_t)p->n_terms * levels + changing_before(p, p->n_terms)) : 0;
  *words = ((uint64_t)p->n_nodes + s->n_cuts + 1 + near) * 32 + ITEMS + ((uint64_t)hits_at_most(p) + 31) / 32 * 32;
  *operations = s->n_cuts * 20 + p->n_terms * 8 + (uint64_t)p->n_nodes * 3;
  for (size_t i = 0; i < s->n_ops; i++) {
    const ff_slice_op *op = &s->ops[i];
    *operations += op->code == FF_S_TABLE ? 1 + (1u << s->args[op->a]) / 2 : 1;
  }
  for (size_t i = 0; i < s->n_selects; i++) *operations += s->selects[i].n_rows * 12;
}

/* ---- operands ------------------------------------------------------------------------------------------------------- */

#define OPERAND 48

static const char *operand(const generator *g, uint32_t row, char text[OPERAND]) {
  const ff_slice *s = g->slice;
  if (row < s->n_nodes) {
    snprintf(text, OPERAND, "NODE(%uu)", row);
    return text;
  }
  const meaning *temp = &g->temps[row - s->temps];
  snprintf(text, OPERAND, temp->mask ? "MASK(%uu)" : "t%u", temp->number);
  return text;
}

/* Writes a truth table as nested selections, which are simplified if sub-tables are equal or constant. The table's rows are
 * `at` .. `at` + 2^k - 1. Returns the number of the variable that holds the result, or ALL_0 or ALL_1 if it is constant. */
#define ALL_0 (UINT32_MAX - 1)
#define ALL_1 UINT32_MAX

static int same_rows(const uint32_t *bits, uint32_t a, uint32_t b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if ((bits[(a + i) / 32] >> ((a + i) % 32) & 1) != (bits[(b + i) / 32] >> ((b + i) % 32) & 1)) return 0;
  return 1;
}

static uint32_t table(generator *g, const uint32_t *inputs, uint32_t k, const uint32_t *bits, uint32_t at) {
  if (k == 0) return bits[at / 32] >> (at % 32) & 1 ? ALL_1 : ALL_0;
  uint32_t half = 1u << (k - 1), low = table(g, inputs, k - 1, bits, at);
  if (same_rows(bits, at, at + half, half)) return low;
  uint32_t high = table(g, inputs, k - 1, bits, at + half), out = g->variables++;
  char x[OPERAND];
  operand(g, inputs[k - 1], x);
  ff_write(&g->out, "    const uint32_t t%u = ", out);
  if (low == ALL_0 && high == ALL_1)
    ff_write(&g->out, "%s;\n", x);
  else if (low == ALL_1 && high == ALL_0)
    ff_write(&g->out, "~%s;\n", x);
  else if (low == ALL_0)
    ff_write(&g->out, "t%u & %s;\n", high, x);
  else if (low == ALL_1)
    ff_write(&g->out, "t%u | ~%s;\n", high, x);
  else if (high == ALL_0)
    ff_write(&g->out, "t%u & ~%s;\n", low, x);
  else if (high == ALL_1)
    ff_write(&g->out, "t%u | %s;\n", low, x);
  else
    ff_write(&g->out, "(t%u & %s) | (t%u & ~%s);\n", high, x, low, x);
  return out;
}

/* Writes the right-hand side of an operation to `text`. The statements that a truth table needs are written before. */
static void value(generator *g, const ff_slice_op *op, char *text, size_t size) {
  static const char *const forms[] = {[FF_S_COPY] = "%s",        [FF_S_NOT] = "~%s",       [FF_S_AND] = "%s & %s",
                                      [FF_S_NAND] = "~(%s & %s)", [FF_S_OR] = "%s | %s",    [FF_S_NOR] = "~(%s | %s)",
                                      [FF_S_ANDN] = "%s & ~%s",   [FF_S_ORN] = "~%s | %s",  [FF_S_XOR] = "%s ^ %s",
                                      [FF_S_XNOR] = "~(%s ^ %s)"};
  char a[OPERAND], b[OPERAND], c[OPERAND];
  if (op->code == FF_S_CONST) {
    snprintf(text, size, "%s", op->a ? "0xFFFFFFFFu" : "0u");
  } else if (op->code == FF_S_TABLE) {
    const uint32_t *args = g->slice->args + op->a;
    uint32_t out = table(g, args + 1, args[0], args + 1 + args[0], 0);
    if (out == ALL_0 || out == ALL_1)
      snprintf(text, size, "%s", out == ALL_1 ? "0xFFFFFFFFu" : "0u");
    else
      snprintf(text, size, "t%u", out);
  } else if (op->code == FF_S_MUX) {
    operand(g, op->c, c);
    snprintf(text, size, "(%s & %s) | (%s & ~%s)", operand(g, op->a, a), c, operand(g, op->b, b), c);
  } else if (op->code == FF_S_COPY || op->code == FF_S_NOT) {
    snprintf(text, size, op->code == FF_S_COPY ? "%s" : "~%s", operand(g, op->a, a));
  } else {
    operand(g, op->a, a);
    operand(g, op->b, b);
    snprintf(text, size, forms[op->code], a, b);
  }
}

static void put_temp(generator *g, const ff_slice_op *op, const char *text) {
  ff_write(&g->out, "    const uint32_t t%u = %s;\n", g->variables, text);
  g->temps[op->dst - g->slice->temps] = (meaning){g->variables++, 0};
}

/* ---- the update ------------------------------------------------------------------------------------------------------- */

static void read_row(generator *g, uint32_t row, uint32_t op) {
  if (row < g->slice->n_nodes) g->last_read[row] = op + 1;
}

static void note_reads(generator *g) {
  const ff_slice *s = g->slice;
  for (uint32_t i = 0; i < s->n_update; i++) {
    const ff_slice_op *op = &s->ops[i];
    if (op->code == FF_S_CONST || op->code == FF_S_SELECT) continue;
    if (op->code == FF_S_TABLE) {
      for (uint32_t j = 0; j < s->args[op->a]; j++) read_row(g, s->args[op->a + 1 + j], i);
      continue;
    }
    read_row(g, op->a, i);
    if (op->code != FF_S_COPY && op->code != FF_S_NOT) read_row(g, op->b, i);
    if (op->code == FF_S_MUX) read_row(g, op->c, i);
  }
}

/* Stores the new values of nodes whose old values no later operation reads. */
static void store_ready(generator *g, uint32_t op) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g->n_waiting; i++) {
    uint32_t node = g->waiting[i];
    if (g->last_read[node] <= op + 1)
      ff_write(&g->out, "    NODE(%uu) = x%u;\n", node, node);
    else
      g->waiting[kept++] = node;
  }
  g->n_waiting = kept;
}

static void put_masks(generator *g, const ff_slice_op *op) {
  const ff_slice *s = g->slice;
  uint32_t row = op->dst - s->temps;
  for (uint32_t i = op->a; i < op->a + op->b; i++)
    for (uint32_t k = 0; k < s->selects[i].n_cuts; k++) g->temps[row++] = (meaning){s->selects[i].cut + k, 1};
}

static void put_update(generator *g) {
  const ff_slice *s = g->slice;
  int flips = g->program->hits.size > 0;
  note_reads(g);
  ff_write(&g->out, "FF_WARP void g_update(const g_warp *w) {\n  FF_LANE_IN;\n  FF_EACH_LANE {\n");
  if (flips) ff_write(&g->out, "    const uint32_t stay = w->stay[lane];\n");
  for (uint32_t i = 0; i < s->n_update && g->out.status == FF_OK; i++) {
    const ff_slice_op *op = &s->ops[i];
    char text[4 * OPERAND + 32];
    if (op->code == FF_S_SELECT) {
      put_masks(g, op);
      continue;
    }
    value(g, op, text, sizeof text);
    if (op->dst >= s->temps) {
      put_temp(g, op, text);
    } else {
      uint32_t node = op->dst - s->n_nodes;
      if (flips)
        ff_write(&g->out, "    const uint32_t x%u = (NODE(%uu) & stay) | ((%s) & ~stay);\n", node, node, text);
      else
        ff_write(&g->out, "    const uint32_t x%u = %s;\n", node, text);
      g->waiting[g->n_waiting++] = node;
    }
    store_ready(g, i);
  }
  ff_write(&g->out, "  }\n}\n\n");
}

/* ---- choices ---------------------------------------------------------------------------------------------------------- */

static void put_cut(generator *g, const ff_slice_select *select, uint32_t cut) {
  uint32_t top = (uint32_t)(g->slice->cuts[cut] >> (FF_SELECT_BITS - FF_SELECT_ROWS));
  if (!select->exact) ff_write(&g->out, "  FF_LANE_VAR(uint32_t, o%u);\n", cut);
  ff_write(&g->out, "  FF_EACH_LANE {\n    uint32_t equal = 0xFFFFFFFFu, less = 0u;\n");
  for (uint32_t r = 0; r < select->n_rows; r++) {
    uint32_t row = select->row + r;
    if (top >> (7 - r) & 1)
      ff_write(&g->out, "    less |= equal & ~FF_L(r%u).v[%u], equal &= FF_L(r%u).v[%u];\n", row / 4, row % 4, row / 4, row % 4);
    else
      ff_write(&g->out, "    equal &= ~FF_L(r%u).v[%u];\n", row / 4, row % 4);
  }
  ff_write(&g->out, "    MASK(%uu) = less;\n", cut);
  ff_write(&g->out, select->exact ? "    (void)equal;\n  }\n" : "    FF_L(o%u) = equal;\n  }\n", cut);
  if (!select->exact) ff_write(&g->out, "  g_open(w, %uu, o%u);\n", cut, cut);
}

static void put_select(generator *g) {
  const ff_slice *s = g->slice;
  uint32_t groups = 0;
  ff_write(&g->out, "FF_WARP void g_select(g_warp *w) {\n  FF_LANE_IN;\n  (void)w;\n");
  for (size_t i = 0; i < s->n_selects && g->out.status == FF_OK; i++) {
    const ff_slice_select *select = &s->selects[i];
    for (; groups * 4 < select->row + select->n_rows; groups++)
      ff_write(&g->out, "  FF_LANE_VAR(ff_philox_block, r%u);\n  FF_EACH_LANE FF_L(r%u) = RANDOM(%uu);\n", groups, groups,
               groups);
    for (uint32_t k = 0; k < select->n_cuts; k++) put_cut(g, select, select->cut + k);
  }
  ff_write(&g->out, "}\n\n");
}

/* ---- terms and the rest --------------------------------------------------------------------------------------------------- */

/* The terms are in the order of their operations. Each case of the switch computes the next eight. */
static void put_terms(generator *g) {
  const ff_slice *s = g->slice;
  uint32_t done = 0;
  ff_write(&g->out, "FF_WARP void g_terms(const g_warp *w, uint32_t chunk, uint32_t *word, unsigned lane) {\n");
  ff_write(&g->out, "  (void)w;\n  (void)lane;\n");
  ff_write(&g->out, "  switch (chunk) {\n  case 0: {\n");
  for (size_t i = s->n_update; i < s->n_ops && g->out.status == FF_OK; i++) {
    const ff_slice_op *op = &s->ops[i];
    char text[4 * OPERAND + 32];
    if (done > 0 && done % SOME_TERMS == 0 && s->ops[i - 1].dst >= s->terms)
      ff_write(&g->out, "    break;\n  }\n  case %u: {\n", done / SOME_TERMS);
    value(g, op, text, sizeof text);
    if (op->dst >= s->terms)
      ff_write(&g->out, "    word[%u] = %s;\n", done++ % SOME_TERMS, text);
    else
      put_temp(g, op, text);
  }
  ff_write(&g->out, "    break;\n  }\n  default: break;\n  }\n}\n");
}

/* Defines G_TWO_STATE and G_CHANGING_BEFORE by ranges of terms whose changes are counted. */
static void put_changing(generator *g) {
  const ff_pbn_program *p = g->program;
  uint32_t end = 0;
  ff_write(&g->out, "#define G_CHANGING %uu\n#define G_TWO_STATE(i) (0", changing_before(p, p->n_terms));
  for (uint32_t i = 0; i < p->n_terms; i = end) {
    for (end = i; end < p->n_terms && p->two_state[end] == p->two_state[i];) end++;
    if (p->two_state[i]) ff_write(&g->out, " || ((i) >= %uu && (i) < %uu)", i, end);
  }
  ff_write(&g->out, ")\n#define G_CHANGING_BEFORE(i) (0u");
  for (uint32_t i = 0; i < p->n_terms; i = end) {
    for (end = i; end < p->n_terms && p->two_state[end] == p->two_state[i];) end++;
    if (p->two_state[i]) ff_write(&g->out, " + ((i) < %uu ? 0u : (i) < %uu ? (i) - %uu : %uu)", i, end, i, end - i);
  }
  ff_write(&g->out, ")\n");
}

static void put_definitions(generator *g, const ff_generate_shape *shape) {
  const ff_pbn_program *p = g->program;
  const ff_slice *s = g->slice;
  int flips = p->hits.size > 0, same = 1, one_cut = s->n_cuts == s->n_selects;
  for (uint32_t i = 0; i < p->n_flip_here; i++) same &= p->flip[i] == i;
  ff_write(&g->out, "#define G_NODES %uu\n#define G_TERMS %u\n#define G_CUTS %zu\n", p->n_nodes, p->n_terms, s->n_cuts);
  ff_write(&g->out, "#define G_FLIP %u\n#define G_FLIP_HERE %uu\n#define G_FLIP_SAME %d\n", flips ? p->n_flip : 0,
           p->n_flip_here, same);
  ff_write(&g->out, "#define G_DRAWS %u\n#define G_SIZE %uu\n#define G_LOWEST %uu\n#define G_HITS %uu\n", p->hits.n_draws,
           p->hits.size, p->hits.lowest, hits_at_most(p));
  ff_write(&g->out, "#define G_CHOICES_ARE_CUTS %d\n#define G_NEAR_LEVELS %u\n", one_cut, p->n_terms > 0 ? shape->levels : 0);
  ff_write(&g->out, "#define G_WARPS %u\n#define G_BLOCKS %u\n", shape->warps, shape->blocks);
  put_changing(g);
}

static char *finish(generator *g) {
  char *text = g->out.text;
  g->out = (ff_writer){.status = g->out.status, .err = g->out.err};
  return text;
}

void ff_generate_free(ff_generated_text *text) {
  free(text->definitions);
  free(text->functions);
  *text = (ff_generated_text){0};
}

ff_status ff_generate(ff_generated_text *out, const ff_pbn_program *program, const ff_generate_shape *shape, ff_error *err) {
  *out = (ff_generated_text){0};
  const ff_slice *s = &program->slice;
  generator g = {.program = program, .slice = s, .out = {.err = err}};
  uint64_t words, operations;
  ff_generate_size(program, shape->levels, &words, &operations);
  out->words = (uint32_t)words;
  g.temps = ff_calloc(s->terms - s->temps, sizeof *g.temps);
  g.last_read = ff_calloc(program->n_nodes, sizeof *g.last_read);
  g.waiting = ff_calloc(program->n_nodes, sizeof *g.waiting);
  if (g.temps == NULL || g.last_read == NULL || g.waiting == NULL) {
    g.out.status = ff_error_set(err, FF_EMEMORY, "no memory for code");
  } else {
    put_definitions(&g, shape);
    out->definitions = finish(&g);
    put_select(&g);
    put_update(&g);
    put_terms(&g);
    out->functions = finish(&g);
  }
  free(g.temps);
  free(g.last_read);
  free(g.waiting);
  if (g.out.status != FF_OK) ff_generate_free(out);
  return g.out.status;
}
