/* Code for the factored method: propensities of groups are computed at each step, from totals of sums. ff_ssa_thread_factored.h
 * has what does not depend on the network, and tells how counts and cells are laid out. */
#include <stdlib.h>

#include "../code/ff_ssa_expect.h"
#include "ff_ssa_generate_factored.h"

#define MOST_REGISTERS FF_SSA_MOST_REGISTERS
#define MOST_CHANGE FF_SSA_MOST_CHANGE
#define MOST_WEIGHT 255u
#define MOST_REACTIONS (1u << 22)
#define MOST_SHORT 65534u        /* 16 bits, and one that changes nothing */
#define MOST_FORMULAS 512u       /* words */
#define MOST_GROUPS 512u         /* the search has a level less for these than for more */
#define MOST_EVENTS 1024u        /* between two checks */
#define CHUNK FF_SSA_CHUNK
#define MOST_CHUNKS FF_SSA_MOST_CHUNKS
#define BLOCK_BYTES FF_SSA_BLOCK_BYTES

typedef ff_ssa_factored_generator generator;

/* Networks in which a step changes few of some groups are as those of many groups. */
#define FEW_GROUPS 16u
#define FEW_CHANGES 8u
static int has_many(const ff_ssa_factor *f, uint32_t n_reactions) {
  if (f->n_groups > FF_SSA_FEW_GROUPS) return 1;
  if (f->reactions == NULL || f->n_groups <= FEW_GROUPS || f->n_factored < f->n_groups || n_reactions > MOST_SHORT) return 0;
  for (uint32_t r = 0; r < n_reactions; r++)
    if (f->reactions[r].groups > FEW_CHANGES) return 0;
  return 1;
}

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

static ff_status check_limits(const generator *g, ff_error *err) {
  const ff_ssa_program *p = g->p;
  uint64_t words = 0;
  if (g->f->reactions == NULL)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: lists of what reactions change are too long");
  if (p->n_reactions > MOST_REACTIONS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u reactions are too many", p->n_reactions);
  if (g->f->n_groups > MOST_GROUPS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u groups are too many", g->f->n_groups);
  for (uint32_t i = 0; i < g->f->n_members; i++)
    if (g->f->members[i].weight > MOST_WEIGHT)
      return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a weight is %u", g->f->members[i].weight);
  for (uint32_t i = 0; i < p->n_changes; i++)
    if (p->changes[i].by > MOST_CHANGE || p->changes[i].by < -MOST_CHANGE)
      return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a reaction changes a count by %lld",
                          (long long)p->changes[i].by);
  for (uint32_t i = g->f->n_factored; i < g->f->n_groups; i++) {
    const ff_ssa_propensity *law = p->propensities + g->f->groups[i].hub;
    if (law->law == FF_LAW_FORMULA || law->law == FF_LAW_SCALED) words += p->formulas[law->a].length;
  }
  if (words > MOST_FORMULAS)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: formulas of %llu words are too many",
                        (unsigned long long)words);
  return FF_OK;
}

/* ---- text -------------------------------------------------------------------------------------------------------------- */

static void put_definitions(generator *g, uint32_t blocks) {
  const ff_ssa_code *code = g->code;
  const ff_ssa_definition values[] = {
    {"S_RATES", code->n_rates}, {"S_PLAIN", ff_ssa_factored_is_tame(g)}, {"S_FIRST", 0}, {"S_KEEP_KEYS", g->many},
    {"S_UNROLL", g->f->n_groups <= 4 ? 2 : 1 /* more would take too many registers */}, {"S_THREADS", code->threads},
    {"S_BLOCKS", blocks}, {"S_BITS32", g->bits32},
    {"S_QUADS", (uint32_t)g->quads}, {"S_FAR", (uint32_t)g->far}, {"S_HEAD", g->head}, {"S_HEADS", ff_ssa_heads_at(g)},
    {"S_BIG", code->n_big > 0}, {"S_POOLS", g->f->pools != 0}, {"S_NOTHING", g->p->n_reactions},
    {"S_STORE", g->held > 0 ? 0 : code->n_store}, {"S_HELD", g->held}, {"S_AWAY", g->away}, {"S_SPLIT", (uint32_t)g->split},
    {"S_REACTIONS", g->f->n_groups}, {"S_GROUPS", g->f->n_groups}, {"S_COUNTS", code->n_counts}, {"S_ROWS", code->n_rows},
    {"S_MOST", (uint32_t)g->most}, {"S_CHUNK", g->check}, {"S_MOST16", 65535u - (uint32_t)g->most16 * g->check},
    {"S_TABLE", code->n_table}, {"S_CHUNKS", g->chunks}, {"S_PARTS", g->parts}, {"S_SPAN", ff_ssa_span(g)},
    {"S_REGIONS", g->regions}, {"S_REGION", g->region}, {"S_APART", (uint32_t)g->apart}, {"S_ONES", (uint32_t)g->ones},
    {"S_MAPPED", (uint32_t)g->mapped}, {"S_STEP16", g->most16 > 1 ? (uint32_t)g->most16 : 1}, {"S_CELLS", g->words},
    {"S_COLUMNS", g->columns}, {"S_USED", g->used}, {"S_PAIRS", g->pairs}, {"S_CELL_BYTES", g->cell_bytes},
    {"S_WORDS_ALL", g->all}, {"S_RANGES", g->ranges > 0 ? g->ranges : 1}, {"S_MOVED", g->moved}, {"S_ENTRIES", g->entries},
    {"S_TOTALS", g->totals}, {"S_LOOSE", g->loose}, {"S_INITIAL", g->initial_at}, {"S_WEIGHTS", g->weights_at},
    {"S_MAPS", g->maps_at}, {"S_CHANGES", g->changes_at}, {"S_CHANGE", g->change}, {"S_FIXED", g->fixed},
    {"S_LEAF_WORDS", g->leaf_words}, {"S_MANY", g->many}, {"S_AHEAD", g->many},
  };
  ff_ssa_define(&g->out, values, sizeof values / sizeof *values);
  if (g->apart) ff_write(&g->out, "#define S_SAFE %uu\n", ff_ssa_factored_safe(g));
  if (g->many) ff_ssa_many_define(g);
  else ff_write(&g->out, "#define S_CHOICES %uu\n", g->f->n_groups);
  if (g->checked) ff_write(&g->out, "#define S_FORMULAS 1\n");
}

static char *finish(generator *g) {
  char *text = g->out.text;
  g->out = (ff_writer){.status = g->out.status, .err = g->out.err};
  return text;
}

static ff_status generate(generator *g, uint32_t blocks, ff_error *err) {
  uint32_t *stack = ff_calloc((size_t)g->p->depth + 1, sizeof *stack);
  if (stack == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  g->law = (ff_formula_writer){.out = &g->out, .place = g->place, .stack = stack,
                               .numbers = g->request->points != NULL ? &g->code->numbers : NULL};
  put_definitions(g, blocks);
  g->code->definitions = finish(g);
  ff_ssa_factored_put(g);
  g->code->functions = finish(g);
  free(stack);
  return g->out.status;
}

/* As many threads as shared memory and registers allow. Returns the blocks of a multiprocessor. */
static uint32_t choose_threads(generator *g) {
  ff_ssa_code *code = g->code;
  const uint32_t table = 4 * code->n_table + BLOCK_BYTES, words = g->all + g->leaf_words;
  const uint32_t most = ff_ssa_most_threads(g);
  uint32_t best = 0, blocks = 1;
  code->threads = 128;
  code->n_sums = 2 * g->n_sums;
  code->n_store = g->regions > 1 ? ff_ssa_store_of(g) : g->split ? g->words : g->stored ? words : 0;
  code->n_rows = words - code->n_store;
  if (g->held > 0) {
    code->n_rows = words - g->words + 4 * g->held;
    code->n_store = g->away;
  }
  if (g->quads) code->n_rows = (code->n_rows + 3) / 4 * 4;
  if (g->quads) code->n_store = (code->n_store + 3) / 4 * 4;
  for (uint32_t threads = 512; threads >= 32; threads -= 32)
    for (uint32_t k = 1; k * threads <= most && k <= 16; k++)
      if (k * (table + 4 * (code->n_rows + code->n_sums) * threads) <= g->shared && k * threads > best &&
          g->away * threads <= FF_SSA_MOST_OFFSET) {
        best = k * threads;
        blocks = k;
        code->threads = threads;
      }
  return blocks;
}

/* Steps per second of an H200, roughly, as measured (docs/decisions/14-gpu-warps-for-groups.md): with counts in shared memory;
 * in global memory; and for steps that change many groups, where the time grows with the number of sums that a step
 * changes. */
#define SPEED 2e10
#define SPEED_LOOPED 1.9e10
#define SPEED_LOOPED_STORED 1e8
static double speed_of(const generator *g) {
  if (g->apart) return g->code->speed; /* as ff_ssa_factored_plan() has predicted */
  if (!g->many || !g->looped) return SPEED;
  return g->stored ? SPEED_LOOPED_STORED : SPEED_LOOPED / g->halves_changed;
}

static ff_status generate_code(generator *g, ff_error *err) {
  g->checked = g->f->n_groups > g->f->n_factored;
  g->check = MOST_EVENTS;
  ff_status status = ff_ssa_many_plan(g, err);
  if (status != FF_OK) return status;
  ff_ssa_factored_plan(g);
  if (g->totals + g->loose > MOST_REGISTERS || g->large > 255)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u sums are too many", g->f->n_sums);
  if (g->parts * g->chunks > MOST_CHUNKS && !g->ones)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u species in sums are too many", g->members);
  ff_ssa_factored_lay_out(g);
  if (g->p->n_reactions > MOST_SHORT && !g->mapped)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: %u reactions are too many", g->p->n_reactions);
  ff_ssa_factored_size(g);
  const uint32_t blocks = choose_threads(g);
  g->code->speed = speed_of(g);
  g->code->bits16 = !g->request->bits32 && (!g->bits32 || (g->many && !g->leaf_bits32));
  status = ff_ssa_factored_fill(g, err);
  return status == FF_OK ? generate(g, blocks, err) : status;
}

ff_status ff_ssa_generate_factored(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                   uint32_t shared, ff_error *err) {
  generator g = {.p = program, .f = program->factor, .request = request, .code = out, .out = {.err = err}, .shared = shared};
  g.many = has_many(g.f, program->n_reactions);
  ff_status status = check_limits(&g, err);
  if (status != FF_OK) return status;
  g.place = ff_calloc((size_t)program->n_species + 1, sizeof *g.place);
  g.sums = ff_calloc((size_t)g.f->n_sums + 1, sizeof *g.sums);
  status = g.place != NULL && g.sums != NULL ? ff_ssa_expect(&g.expected, program, request, err)
                                             : ff_error_set(err, FF_EMEMORY, "no memory for code");
  if (status == FF_OK) status = generate_code(&g, err);
  free(g.expected);
  free(g.place);
  free(g.sums);
  return status;
}
