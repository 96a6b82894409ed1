/* Compares the table kernel's step code and data, on the host and with the plans of various cards, with tiles. */
#include "../../src/cuda/pbn/ff_table_image.h"
#include "nets.h"
#include "open.h"

#define GROUP 128 /* trajectories side by side, as in a block */

/* ---- networks and terms ------------------------------------------------------------------------------------------ */

/* Writes a random expression. With `bias` 0 it nests to the left, with 2 to the right, and with 1 both ways. */
static size_t write_text(char *to, net_random *r, uint32_t nodes, uint32_t leaves, uint32_t bias) {
  static const char *const sign[] = {"&", "|", "^"};
  if (leaves <= 1) {
    uint32_t a = net_draw(r, nodes), b = net_draw(r, nodes), kind = net_draw(r, 8);
    if (kind == 0) return (size_t)sprintf(to, "f(n%u, n%u){0111}", a, b);
    if (kind == 1) return (size_t)sprintf(to, "f(n%u, n%u, n%u, n%u, n%u, n%u){%064u}", a, b, a, b, a, b, 1u);
    if (kind == 2) return (size_t)sprintf(to, "%u", a % 2);
    return (size_t)sprintf(to, "%sn%u", kind < 5 ? "!" : "", a);
  }
  uint32_t left = bias == 0 ? leaves - 1 : bias == 2 ? 1 : 1 + net_draw(r, leaves - 1);
  size_t n = (size_t)sprintf(to, "%s(", net_draw(r, 4) == 0 ? "!" : "");
  n += write_text(to + n, r, nodes, left, bias);
  n += (size_t)sprintf(to + n, " %s ", sign[net_draw(r, 3)]);
  n += write_text(to + n, r, nodes, leaves - left, bias);
  return n + (size_t)sprintf(to + n, ")");
}

static ff_expr random_expression(net_random *r, const ff_pbn *pbn, ff_names *names, uint32_t leaves) {
  ff_expr out = {0};
  ff_error err = {FF_OK, ""};
  char *text = ff_calloc(leaves + 1u, 200);
  size_t length = write_text(text, r, pbn->n_nodes, leaves, net_draw(r, 3));
  FF_CHECK_OK(ff_expr_parse(&out, text, length, ff_names_find, names, (ff_place){NULL, 0}, &err), &err);
  free(text);
  return out;
}

typedef struct {
  ff_pbn *pbn;
  ff_pbn_program *program;
  ff_expr terms[7];
  uint32_t n_terms;
} model;

static int model_new(model *m, const net_shape *shape, uint64_t seed) {
  static const uint32_t leaves[] = {1, 2, 5, 17, 30, 80, 3};
  static const uint32_t first[] = {0, 1, 2, 4, 5, 7};
  static const double weights[] = {1, 1, 0.25, 0.5, 1, 0.1, 0.2};
  net_random r = {seed, 1u << 20};
  ff_error err = {FF_OK, ""};
  ff_names *names = NULL;
  *m = (model){0};
  m->pbn = net_random_make(shape, seed);
  if (m->pbn == NULL) return 0;
  m->pbn->removed_nodes = seed % 3 == 0 ? 2 : 0; /* as in a reduced network */
  m->pbn->removed_perturbed = seed % 3 == 0 ? 1 : 0;
  FF_CHECK_OK(ff_names_new(&names, m->pbn->names, m->pbn->n_nodes, "nodes", &err), &err);
  m->n_terms = 7;
  for (uint32_t i = 0; i < m->n_terms; i++) m->terms[i] = random_expression(&r, m->pbn, names, leaves[i]);
  ff_names_free(names);
  ff_observables observables = {5, first, m->terms, weights};
  FF_CHECK_OK(ff_pbn_program_new(&m->program, m->pbn, &observables, FF_LAYOUT_PACKED, &err), &err);
  return m->program != NULL;
}

static void model_free(model *m) {
  for (uint32_t i = 0; i < m->n_terms; i++) ff_expr_free(&m->terms[i]);
  ff_pbn_program_free(m->program);
  ff_pbn_free(m->pbn);
}

/* ---- a tile as a GPU would run it -------------------------------------------------------------------------------- */

typedef struct {
  const ff_pbn_program *program;
  ff_table_plan plan;
  ff_step_program step; /* as a block sees it */
  void *memory, *shared, *constant;
  uint32_t *state, *next, *hits, *counts, *changed; /* GROUP trajectories at a time */
  uint8_t *value;
  uint64_t *changes;
  uint32_t *before, *after;
} card_tile;

static void card_tile_free(card_tile *c) {
  ff_free_aligned(c->memory);
  ff_free_aligned(c->shared);
  free(c->constant);
  free(c->state);
  free(c->next);
  free(c->hits);
  free(c->counts);
  free(c->changed);
  free(c->value);
  free(c->changes);
  free(c->before);
  free(c->after);
}

/* The image is copied and the original is freed, so that a pointer to the original is detected. */
static void card_tile_new(card_tile *c, const ff_pbn_program *p, const ff_table_card *card, int split) {
  ff_error err = {FF_OK, ""};
  ff_step_program image;
  void *memory;
  size_t bytes;
  *c = (card_tile){.program = p};
  ff_table_plan_of(&c->plan, p, card, split);
  FF_CHECK_OK(ff_table_image_new(&image, &memory, &bytes, p, &c->plan, &err), &err);
  c->memory = ff_calloc_aligned(bytes, 1);
  memcpy(c->memory, memory, bytes);
  c->step = ff_table_image_at(&image, memory, c->memory);
  ff_free_aligned(memory);
  c->shared = ff_calloc_aligned(c->plan.fast.words, 4);
  c->constant = ff_calloc(ff_table_uniform(p), 4);
  if (c->plan.constant) {
    memcpy(c->constant, c->step.first, ff_table_uniform(p) * sizeof(uint32_t));
    ff_table_read_uniform(&c->step, c->constant);
  }
  ff_table_fetch(c->plan.form, &c->step, &c->plan.fast, c->shared, 0, 1);
  size_t hits = (size_t)p->hits.n_draws * (p->hits.lowest + p->hits.size);
  c->state = ff_calloc((size_t)p->packed.words * FF_TILE, 4);
  c->next = ff_calloc((size_t)p->packed.words * GROUP, 4);
  c->hits = ff_calloc(hits * GROUP, 4);
  c->counts = ff_calloc((size_t)p->n_terms * FF_TILE, 4);
  c->changed = ff_calloc((size_t)p->n_terms * GROUP, 4);
  c->value = ff_calloc((size_t)p->n_terms * FF_TILE, 1);
  c->changes = ff_calloc(p->n_terms, 8);
  c->before = ff_calloc(p->n_terms, 4);
  c->after = ff_calloc(p->n_terms, 4);
}

enum { START, BEFORE, ADVANCE, COUNT };

static void card_lane(card_tile *c, uint32_t lane, int what, uint64_t key, uint64_t unit, uint64_t step, uint64_t steps) {
  const ff_pbn_program *p = c->program;
  uint32_t group = lane / GROUP, thread = lane % GROUP, held[4] = {0}, next[4] = {0};
  size_t at = (size_t)group * GROUP;
  ff_step_trajectory t = {key, unit * FF_TILE + lane, c->state + at * p->packed.words + thread, c->next + thread,
                          c->hits + thread, GROUP, GROUP, GROUP};
  ff_step_counts counts = {p->n_terms, c->value + at * p->n_terms + thread, c->counts + at * p->n_terms + thread,
                           c->changed + thread, GROUP, GROUP, GROUP};
  uint32_t *state = t.state;
  if (what == START) {
    ff_step_start(FF_FORM_PLACED, &c->step, &t);
    return;
  }
  if (what == BEFORE) {
    ff_step_evaluate(FF_FORM_PLACED, &c->step, &t, &counts);
    for (uint32_t i = 0; i < p->n_terms; i++) c->before[i] += counts.value[i * GROUP];
    return;
  }
  if (c->plan.state == FF_STATE_REGISTERS) {
    for (uint32_t i = 0; i < p->packed.words; i++) held[i] = state[i * GROUP];
    t.state = held;
    t.next = next;
  }
  for (uint32_t i = 0; i < p->n_terms; i++) counts.changes[i * GROUP] = 0;
  if (what == ADVANCE) counts.n_terms = 0;
  ff_step_run(c->plan.form, &c->step, &t, step, steps, &counts);
  for (uint32_t i = 0; i < counts.n_terms; i++) c->changes[i] += counts.changes[i * GROUP];
  if (c->plan.state == FF_STATE_REGISTERS)
    for (uint32_t i = 0; i < p->packed.words; i++) state[i * GROUP] = held[i];
}

static int card_get(const card_tile *c, uint32_t place, uint32_t lane) {
  size_t at = (size_t)(lane / GROUP) * GROUP * c->program->packed.words + lane % GROUP;
  return (int)(c->state[at + (size_t)(place / 32) * GROUP] >> (place % 32) & 1);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void check_same(const ff_tile *tile, const ff_harvest *h, const card_tile *c) {
  const ff_pbn_program *p = c->program;
  uint32_t states = 0, counts = 0;
  for (uint32_t place = 0; place < p->n_nodes; place++)
    for (uint32_t lane = 0; lane < FF_TILE; lane++)
      states += card_get(c, place, lane) != ff_tile_get(tile, p->packed.order[place], lane);
  for (uint32_t i = 0; i < p->n_terms; i++) {
    uint32_t after = 0;
    for (uint32_t lane = 0; lane < FF_TILE; lane++) {
      size_t at = ((size_t)(lane / GROUP) * p->n_terms + i) * GROUP + lane % GROUP;
      counts += c->counts[at] != h->counts[(size_t)i * FF_TILE + lane];
      after += c->value[at];
    }
    FF_CHECK_INT(c->changes[i], h->changes[i]);
    FF_CHECK_INT(c->before[i], h->before[i]);
    FF_CHECK_INT(after, h->after[i]);
  }
  FF_CHECK_SAY(states == 0, "form %d: %u bits of states differ", c->plan.form, states);
  FF_CHECK_SAY(counts == 0, "form %d: %u counts differ", c->plan.form, counts);
}

/* Runs steps without counting, then counted steps in two parts, with uncounted steps in between. */
static void check_plan(const model *m, const ff_tile *tile, const ff_harvest *h, const ff_table_card *card, int split,
                       uint64_t key, uint64_t unit, const uint64_t *pieces) {
  card_tile c;
  card_tile_new(&c, m->program, card, split);
  for (uint32_t lane = 0; lane < FF_TILE; lane++) {
    card_lane(&c, lane, START, key, unit, 0, 0);
    card_lane(&c, lane, ADVANCE, key, unit, 0, pieces[0]);
    card_lane(&c, lane, BEFORE, key, unit, 0, 0);
    card_lane(&c, lane, COUNT, key, unit, pieces[0], pieces[1]);
    card_lane(&c, lane, ADVANCE, key, unit, pieces[0] + pieces[1], pieces[2]);
    card_lane(&c, lane, COUNT, key, unit, pieces[0] + pieces[1] + pieces[2], pieces[3]);
  }
  check_same(tile, h, &c);
  card_tile_free(&c);
}

static const ff_table_card h200 = {232448, 233472, 1024, 2048}, t4 = {65536, 65536, 0, 1024}, small = {24576, 24576, 0, 1024},
                           tiny = {6144, 6144, 0, 1024};

static void check_model(const model *m, uint64_t key) {
  const uint64_t pieces[] = {5, 9, 3, 7}, unit = (UINT64_C(1) << 33) + 5;
  ff_error err = {FF_OK, ""};
  ff_tile *tile = NULL;
  if (key % 2 == 0) leave_open(m->program, key, unit, 3);
  FF_CHECK_OK(ff_tile_new(&tile, m->program, FF_SIMD_BEST, &err), &err);
  ff_tile_start(tile, key, unit);
  ff_tile_advance(tile, pieces[0]);
  ff_tile_count(tile, pieces[1]);
  ff_tile_advance(tile, pieces[2]);
  ff_tile_count(tile, pieces[3]);
  ff_harvest h = ff_tile_harvest(tile);
  check_plan(m, tile, &h, &h200, 1, key, unit, pieces);
  check_plan(m, tile, &h, &small, 1, key, unit, pieces);
  check_plan(m, tile, &h, &tiny, 1, key, unit, pieces);
  check_plan(m, tile, &h, key % 2 == 0 ? &h200 : &t4, 0, key, unit, pieces);
  ff_tile_free(tile);
}

static const net_shape shapes[] = {
    {.nodes = 3, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},
    {.nodes = 31, .max_functions = 2, .max_parents = 5, .perturbation = 0.001, .keep = 0.3},
    {.nodes = 32, .max_functions = 6, .max_parents = 7, .perturbation = 0, .fixed = 0.4},
    {.nodes = 59, .max_functions = 2, .max_parents = 4, .perturbation = 0.01, .exempt = 0.5, .fixed = 0.2},
    {.nodes = 64, .max_functions = 3, .max_parents = 14, .perturbation = 0.3},
    {.nodes = 65, .max_functions = 4, .max_parents = 6, .contexts = 4, .perturbation = 0.02},
    {.nodes = 100, .max_functions = 2, .max_parents = 15, .perturbation = 0.005},
    {.nodes = 128, .max_functions = 9, .max_parents = 5, .perturbation = 0.002},
    {.nodes = 129, .max_functions = 3, .max_parents = 8, .perturbation = 0.1, .exempt = 0.1},
    {.nodes = 300, .max_functions = 3, .max_parents = 15, .contexts = 3, .perturbation = 0.001, .keep = 0.1},
    {.nodes = 300, .max_functions = 4, .max_parents = 7, .perturbation = 0.002, .fixed = 0.1},
};
#define N_SHAPES (sizeof shapes / sizeof shapes[0])

static void cards_agree_with_tiles(void) {
  for (uint32_t i = 0; i < 4 * N_SHAPES; i++) {
    net_shape shape = shapes[i % N_SHAPES];
    model m;
    shape.update = i / N_SHAPES % 2 == 0 ? FF_SYNCHRONOUS : FF_ASYNCHRONOUS;
    if (model_new(&m, &shape, i + 1)) check_model(&m, i + 77);
    model_free(&m);
  }
}

/* More than 65,536 nodes: parents are 32-bit numbers. */
static void large_networks_agree(void) {
  net_shape shape = {.nodes = 65600, .max_functions = 2, .max_parents = 3, .perturbation = 0.00001};
  const uint64_t pieces[] = {0, 1, 0, 0};
  ff_error err = {FF_OK, ""};
  ff_tile *tile = NULL;
  model m;
  if (model_new(&m, &shape, 5)) {
    FF_CHECK_OK(ff_tile_new(&tile, m.program, FF_SIMD_BEST, &err), &err);
    ff_tile_start(tile, 3, 0);
    ff_tile_count(tile, pieces[1]);
    ff_harvest h = ff_tile_harvest(tile);
    check_plan(&m, tile, &h, &h200, 1, 3, 0, pieces);
    ff_tile_free(tile);
  }
  model_free(&m);
}

/* For every plan, ff_table.cu has a kernel, and every such kernel is used by some plan. */
static void plans_are_those_with_kernels(void) {
  const ff_table_card *cards[] = {&h200, &t4, &small, &tiny};
  uint32_t met[3][2][2] = {{{0}}};
  for (uint32_t i = 0; i < 2 * N_SHAPES; i++) {
    net_shape shape = shapes[i % N_SHAPES];
    model m;
    shape.update = i < N_SHAPES ? FF_SYNCHRONOUS : FF_ASYNCHRONOUS;
    if (model_new(&m, &shape, i + 1))
      for (uint32_t j = 0; j < 4; j++) {
        ff_table_plan plan;
        ff_table_plan_of(&plan, m.program, cards[j], 1);
        int split = (plan.form & FF_FORM_SPLIT) != 0, words = plan.form & (FF_FORM_WORDS2 | FF_FORM_WORDS4);
        met[plan.state][split][i < N_SHAPES]++;
        FF_CHECK(plan.form & FF_FORM_PLACED);
        FF_CHECK_INT((plan.form & FF_FORM_ROWS) != 0, split);
        FF_CHECK_INT(words != 0, plan.state == FF_STATE_REGISTERS);
        FF_CHECK(!split || plan.state != FF_STATE_REGISTERS);
        FF_CHECK(split || plan.state != FF_STATE_GLOBAL);
        FF_CHECK(!plan.constant || (i < N_SHAPES && plan.state != FF_STATE_GLOBAL));
        FF_CHECK_INT(FF_TILE % plan.threads, 0);
        FF_CHECK(ff_table_shared_bytes(&plan, plan.threads) <= cards[j]->shared_block);
      }
    model_free(&m);
  }
  for (int synchronous = 0; synchronous < 2; synchronous++) {
    FF_CHECK(met[FF_STATE_REGISTERS][0][synchronous] > 0);
    FF_CHECK(met[FF_STATE_SHARED][0][synchronous] > 0);
    FF_CHECK(met[FF_STATE_SHARED][1][synchronous] > 0);
  }
  FF_CHECK(met[FF_STATE_GLOBAL][1][1] > 0);
}

/* Expressions are reordered for the packed program. Compares their values, of terms and of wide predictors, with
 * ff_expr_value(). */
static void expressions_keep_their_meaning(void) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    net_shape shape = {.nodes = 90, .max_functions = 1, .max_parents = 15};
    ff_error err = {FF_OK, ""};
    ff_names *names = NULL;
    ff_tile *tile = NULL;
    ff_pbn_program *program = NULL;
    net_random r = {seed, 1u << 21};
    static uint32_t old[3 * FF_TILE];
    uint8_t stack[4096];
    ff_pbn *pbn = net_random_make(&shape, seed);
    if (pbn == NULL) return;
    FF_CHECK_OK(ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", &err), &err);
    for (uint32_t i = 0; i < 30; i++) {
      ff_expr_free(&pbn->predictors[i].expr);
      pbn->predictors[i].expr = random_expression(&r, pbn, names, 100 + 20 * i);
    }
    FF_CHECK_OK(ff_pbn_finish(pbn, 0, &err), &err);
    FF_CHECK_OK(ff_pbn_program_new(&program, pbn, NULL, FF_LAYOUT_PACKED, &err), &err);
    if (program != NULL) FF_CHECK_OK(ff_tile_new(&tile, program, FF_SIMD_BEST, &err), &err);
    if (tile == NULL) return;
    FF_CHECK_SAY(program->packed.n_wide > 20, "%u wide functions", program->packed.n_wide);
    ff_tile_start(tile, seed, 0);
    memcpy(old, tile->state, sizeof old);
    ff_tile_advance(tile, 1);
    for (uint32_t lane = 0; lane < FF_TILE; lane += 5)
      for (uint32_t i = 0; i < pbn->n_nodes; i++)
        FF_CHECK_INT(ff_tile_get(tile, i, lane), ff_expr_value(&pbn->predictors[i].expr, old + (size_t)lane * 3, stack));
    ff_tile_free(tile);
    ff_pbn_program_free(program);
    ff_names_free(names);
    ff_pbn_free(pbn);
  }
}

FF_TEST_MAIN("table", cards_agree_with_tiles, large_networks_agree, plans_are_those_with_kernels, expressions_keep_their_meaning)
