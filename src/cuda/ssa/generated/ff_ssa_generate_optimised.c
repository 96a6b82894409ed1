/* Code for optimised_direct and sorting_direct: a thread keeps the propensities and corrects their sum. A step either
 * computes all propensities, by straight-line code, or reads from a table which ones it changes. A branch for each reaction
 * would be slower, because the threads of a warp let many different reactions fire at the same time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_generate_direct.h"
#include "groups/ff_ssa_generate_factored.h"
#include "../data/ff_ssa_image.h"
#include "../device/ff_ssa_launch.h"

#define SEARCH 8u            /* the most propensities that are read before the search looks whether it has ended */
#define FEWEST_THREADS 64u   /* of a multiprocessor; for fewer, the kernel that reads the network as data is better */
#define MOST_THREADS 768u    /* of a multiprocessor: each of so many has 80 registers */
#define MOST_STRAIGHT 64u    /* reactions in straight-line code */
#define MOST_ENTRIES 65535u  /* of a list of a table */
#define TABLE_SHARE 4u       /* a table takes at most a fourth of the shared memory */
#define TERM_COST 2.5        /* a table is faster if the reactions exceed the propensities that a step changes by this factor */
#define MOST_CHANGE 127
#define NONE UINT32_MAX

typedef ff_ssa_direct_generator generator;

static int sorts(const ff_device_request *request) { return request->method == FF_SSA_SORTING; }

/* ---- what both kinds of code have ---------------------------------------------------------------------------------------- */

static void shape_search(ff_ssa_optimised_code *o, uint32_t n) {
  const uint32_t parts = n > 0 ? (n + SEARCH - 1) / SEARCH : 1;
  o->search = n > 0 ? (n + parts - 1) / parts : 1;
  o->values = parts * o->search;
}

/* Blocks of so many threads that share a multiprocessor. */
static uint32_t blocks_of(const ff_ssa_code *code, const ff_ssa_optimised_code *o, uint32_t threads, uint32_t shared) {
  const uint64_t each = 8 * (uint64_t)o->values + 4 * (uint64_t)code->n_rows;
  const uint64_t fixed = FF_SSA_BLOCK_BYTES + 4 * (uint64_t)code->n_table;
  const uint64_t blocks = shared / (fixed + threads * each), most = MOST_THREADS / threads;
  return (uint32_t)(blocks < most ? blocks : most);
}

/* The size of blocks with which a multiprocessor runs most threads; of several such sizes, the one nearest to 128. */
static ff_status choose_threads(ff_ssa_code *code, ff_ssa_optimised_code *o, uint32_t shared, ff_error *err) {
  static const uint32_t sizes[] = {128, 160, 96, 192, 224, 64, 256, 320, 384, 448, 512, 32};
  uint32_t best = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const uint32_t blocks = blocks_of(code, o, sizes[i], shared);
    if (blocks * sizes[i] <= best) continue;
    best = blocks * sizes[i];
    code->threads = sizes[i];
    o->blocks = blocks;
  }
  if (best >= FEWEST_THREADS) return FF_OK;
  return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: shared memory has room for the propensities of %u threads", best);
}

/* The propensities at time 0, and their sum. */
static ff_status fill_values(ff_ssa_code *code, const ff_ssa_optimised_code *o, const ff_ssa_image *image, ff_error *err) {
  code->n_big = 2 * (o->values + 1);
  code->n_sums = 2 * o->values;
  code->n_kept = 4 + 2 * o->values;
  double *big = ff_calloc((size_t)o->values + 1, sizeof *big);
  code->big = (uint32_t *)big;
  if (big == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t i = 0; i < o->values; i++) big[i] = i < image->n_reactions ? image->tree[i] : INFINITY;
  big[o->values] = image->invalid ? NAN : image->total;
  return FF_OK;
}

static void define(ff_writer *out, const ff_ssa_optimised_code *o, uint32_t n, int sorted, uint32_t places, int by_table) {
  ff_write(out, "#define S_SEARCHED %uu\n#define S_VALUES %uu\n#define S_SEARCH %uu\n", n, o->values, o->search);
  ff_write(out, "#define S_SORTS %d\n", sorted);
  ff_write(out, "#define S_ORDERS %uu\n#define S_BY_TABLE %d\n#define S_ORDER %uu\n", places, by_table, o->order);
}

/* ---- straight-line code -------------------------------------------------------------------------------------------------- */

static ff_status append_table(ff_ssa_code *code, uint32_t n, ff_error *err) {
  void *table = code->table;
  size_t room = code->n_table;
  const ff_status status = ff_grow(&table, &room, (size_t)code->n_table + n, sizeof *code->table, err);
  code->table = table;
  if (status != FF_OK) return status;
  memset(code->table + code->n_table, 0, n * sizeof *code->table);
  code->n_table += n;
  return FF_OK;
}

/* The rate constants are followed by the offset of each reaction's propensity, as the bits of a number: to read what all threads
 * read takes no instruction. */
static ff_status append_offsets(generator *g, ff_error *err) {
  const uint32_t n = g->p->n_reactions;
  void *rates = g->code->rates;
  size_t room = g->code->n_rates;
  const ff_status status = ff_grow(&rates, &room, (size_t)n * 2 + 1, sizeof *g->code->rates, err);
  g->code->rates = rates;
  if (status != FF_OK) return status;
  g->code->n_rates = n > 0 ? 2 * n : 1;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t r = sorts(g->request) ? i : g->request->order[i];
    const uint64_t bits = (uint64_t)i * g->code->threads;
    memcpy(g->code->rates + n + r, &bits, sizeof bits);
  }
  return FF_OK;
}

ff_status ff_ssa_optimised_fill(generator *g, uint32_t shared, ff_error *err) {
  const uint32_t n = g->p->n_reactions;
  ff_ssa_optimised_code *o = &g->optimised;
  ff_ssa_image image;
  void *memory;
  size_t bytes;
  shape_search(o, n);
  o->order = g->code->n_table;
  g->code->for_points = 0;
  g->code->n_rows = sorts(g->request) ? n : 0;
  ff_status status = append_table(g->code, n + 1 + (o->order + n + 1) % 2, err); /* the propensities begin at even words */
  if (status == FF_OK) status = choose_threads(g->code, o, shared, err);
  if (status == FF_OK) status = append_offsets(g, err);
  if (status == FF_OK) status = ff_ssa_image_new(&image, &memory, &bytes, g->p, g->request, err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i <= n; i++) {
    const uint32_t r = i == n || sorts(g->request) ? i : g->request->order[i];
    g->code->table[o->order + i] = ff_ssa_direct_number(g, r);
  }
  status = fill_values(g->code, o, &image, err);
  ff_free_aligned(memory);
  return status;
}

void ff_ssa_optimised_define(generator *g) {
  define(&g->out, &g->optimised, g->p->n_reactions, sorts(g->request), 0, 0);
}

void ff_ssa_optimised_write(generator *g) {
  const uint32_t n = g->p->n_reactions;
  ff_ssa_direct_write_counts(g);
  for (uint32_t r = 0; r < n; r++) {
    if (g->p->propensities[r].law == FF_LAW_CONSTANT) continue;
    ff_ssa_direct_write_propensity(g, r);
    if (sorts(g->request))
      ff_write(&g->out, "  s_correct(t, s_offset(t, %uu), p%u);\n", r, r);
    else
      ff_write(&g->out, "  s_correct(t, s_offset(t, (uint32_t)ff_math_bits(S_LOAD_RATE(%u))), p%u);\n", n + r, r);
  }
  ff_write(&g->out, "  s_settle(t, next, %s);\n", g->checked ? "invalid" : "0");
}

/* ---- code with a table --------------------------------------------------------------------------------------------------- */

/* The rows of a thread, and where the parts of the table begin. */
typedef struct {
  uint32_t *row; /* of each species, or NONE if neither a law nor the record reads it; the last one is that of the count 1 */
  uint32_t rows, lists, changes, recorded, dependents, all;
} table_plan;

static uint32_t most_dependents(const ff_ssa_program *p) {
  size_t most = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (p->depend_first[r + 1] - p->depend_first[r] > most) most = p->depend_first[r + 1] - p->depend_first[r];
  return (uint32_t)most;
}

/* Whether the numbers of the network fit into the entries of a table. */
static int fits_table(const ff_ssa_program *p) {
  if (p->dependents == NULL || p->n_species >= MOST_ENTRIES || p->n_reactions >= MOST_ENTRIES || p->n_changes > MOST_ENTRIES ||
      p->depend_first[p->n_reactions] > MOST_ENTRIES)
    return 0;
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (p->propensities[r].law > FF_LAW_TWIN) return 0;
  for (uint32_t i = 0; i < p->n_changes; i++)
    if (p->changes[i].by > MOST_CHANGE || p->changes[i].by < -MOST_CHANGE) return 0;
  return 1;
}

static void give_row(table_plan *plan, uint32_t species) {
  if (plan->row[species] == NONE) plan->row[species] = plan->rows++;
}

static void plan_table(table_plan *plan, const ff_ssa_program *p, const ff_device_request *request) {
  for (uint32_t s = 0; s < p->n_species; s++) plan->row[s] = NONE;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    if (law->law != FF_LAW_CONSTANT) give_row(plan, law->a);
    if (law->law == FF_LAW_PAIR) give_row(plan, law->b);
  }
  for (uint32_t j = 0; j < request->n_observed; j++) give_row(plan, request->observed[j]);
  plan->row[p->n_species] = plan->rows++;
  plan->lists = plan->rows;
  plan->changes = plan->lists + 2 * (p->n_reactions + 1);
  plan->recorded = plan->changes + p->n_changes;
  plan->dependents = (plan->recorded + request->n_observed + 3) / 4 * 4;
  plan->all = plan->dependents + 4 * (uint32_t)p->depend_first[p->n_reactions];
}

/* Appends what a reaction changes to the list of n changes. Returns how many there are then. */
static uint32_t fill_changes(uint32_t *to, uint32_t n, const table_plan *plan, const ff_ssa_image *image,
                             const ff_ssa_image_row *reaction) {
  for (uint32_t i = reaction->change; i < reaction->change + reaction->n_changes; i++) {
    const uint32_t row = plan->row[image->changes[i].species];
    if (row != NONE) to[n++] = row | (uint32_t)image->changes[i].by << 16;
  }
  return n;
}

static void fill_table(ff_ssa_code *code, const ff_ssa_image *image, const table_plan *plan,
                       const ff_device_request *request) {
  uint32_t *table = code->table, n = 0;
  for (uint32_t s = 0; s <= image->n_species; s++)
    if (plan->row[s] != NONE) table[plan->row[s]] = image->initial[s];
  for (uint32_t r = 0; r < image->n_reactions; r++) {
    const ff_ssa_image_row *reaction = image->rows + r;
    const uint32_t first = n;
    n = fill_changes(table + plan->changes, n, plan, image, reaction);
    table[plan->lists + 2 * r] = first | (n - first) << 16;
    table[plan->lists + 2 * r + 1] = reaction->dependent | reaction->n_dependents << 16;
    for (uint32_t i = reaction->dependent; i < reaction->dependent + reaction->n_dependents; i++) {
      const ff_ssa_image_law law = image->laws[image->dependents[i]];
      uint32_t *to = table + plan->dependents + 4 * i;
      memcpy(to, &law.rate, sizeof law.rate);
      to[2] = plan->row[law.a] | plan->row[law.b & FF_SSA_IMAGE_SPECIES] << 16;
      to[3] = image->dependents[i] * (sorts(request) ? 1 : code->threads) | (law.b & FF_SSA_IMAGE_LESS);
    }
  }
  for (uint32_t j = 0; j < request->n_observed; j++) table[plan->recorded + j] = plan->row[request->observed[j]];
}

static ff_status define_table(ff_ssa_code *code, const ff_ssa_program *p, const ff_ssa_optimised_code *o, const table_plan *plan,
                              int sorted, ff_error *err) {
  ff_writer out = {.err = err};
  int64_t most = 0;
  for (uint32_t i = 0; i < p->n_changes; i++)
    if (p->changes[i].by > most) most = p->changes[i].by;
  ff_write(&out, "#define S_REACTIONS %uu\n#define S_COUNTS 0u\n#define S_ROWS %uu\n#define S_STORE 0u\n", p->n_reactions,
           code->n_rows);
  ff_write(&out, "#define S_RATES 1\n#define S_PLAIN %d\n#define S_FIRST 0\n#define S_KEEP_KEYS 1\n#define S_UNROLL 1u\n",
           ff_ssa_has_plain_rates(p));
  ff_write(&out, "#define S_MOST %uu\n#define S_THREADS %u\n#define S_BLOCKS %u\n#define S_TABLE %uu\n", (unsigned)most,
           code->threads, o->blocks, code->n_table);
  ff_write(&out, "#define S_ROWS_READ %uu\n#define S_LISTS_AT %uu\n#define S_CHANGES_AT %uu\n#define S_DEPENDENTS_AT %uu\n",
           plan->rows, plan->lists, plan->changes, plan->dependents);
  ff_write(&out, "#define S_RECORDED_AT %uu\n", plan->recorded);
  define(&out, o, p->n_reactions, sorted, plan->rows, 1);
  code->definitions = out.text;
  return out.status;
}

static ff_status fill_code(ff_ssa_code *code, const ff_ssa_program *p, const ff_device_request *request,
                           const table_plan *plan, uint32_t shared, ff_error *err) {
  ff_ssa_optimised_code o = {.order = 0};
  ff_ssa_image image;
  void *memory;
  size_t bytes;
  if ((uint64_t)plan->all * 4 > shared / TABLE_SHARE)
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code: a table of %u words is too large", plan->all);
  code->n_table = plan->all;
  code->n_initial = plan->rows;
  code->n_rates = 1;
  code->n_rows = plan->rows + (sorts(request) ? p->n_reactions : 0);
  shape_search(&o, p->n_reactions);
  ff_status status = choose_threads(code, &o, shared, err);
  if (status != FF_OK) return status;
  code->rates = ff_calloc(code->n_rates, sizeof *code->rates);
  code->table = ff_calloc(code->n_table, sizeof *code->table);
  code->functions = ff_calloc(1, 1);
  if (code->rates == NULL || code->table == NULL || code->functions == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for code");
  status = ff_ssa_image_new(&image, &memory, &bytes, p, request, err);
  if (status != FF_OK) return status;
  fill_table(code, &image, plan, request);
  status = fill_values(code, &o, &image, err);
  ff_free_aligned(memory);
  return status == FF_OK ? define_table(code, p, &o, plan, sorts(request), err) : status;
}

ff_status ff_ssa_generate_table(ff_ssa_code *code, const ff_ssa_program *p, const ff_device_request *request,
                                uint32_t shared, ff_error *err) {
  table_plan plan = {.row = ff_calloc((size_t)p->n_species + 1, sizeof *plan.row)};
  if (plan.row == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  plan_table(&plan, p, request);
  const ff_status status = fill_code(code, p, request, &plan, shared, err);
  free(plan.row);
  return status;
}

/* ---- which kind of code -------------------------------------------------------------------------------------------------- */

ff_status ff_ssa_optimised_check(const ff_ssa_program *program, const ff_device_request *request, ff_error *err) {
  if (ff_ssa_program_scheduled(program))
    return ff_error_set(err, FF_EUNSUPPORTED, "no generated code for this method with events or rates that depend on the time");
  if (request->method == FF_SSA_OPTIMISED && request->order == NULL)
    return ff_error_set(err, FF_EUNSUPPORTED, "the order of the reactions is missing");
  return FF_OK;
}

int ff_ssa_optimised_by_table(const ff_ssa_program *program) {
  const uint32_t n = program->n_reactions;
  return fits_table(program) && (n > MOST_STRAIGHT || n > TERM_COST * most_dependents(program));
}
