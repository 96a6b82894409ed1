#include "ff_petri_code_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../../../petri/program/ff_petri_plain.h"
#include "../../../petri/within/ff_petri_span_math.h"

#define PIECES 64u
#define FIRST_GIVEN 1000000u    /* the name of a given level, */
#define FIRST_OF_POINT 2000000u /* and of a number of a point */
#define SHORT_THREADS 128u  /* of a block whose threads have a trajectory, or a block of a large net, each */
#define SHORT_BLOCKS 8u     /* of a multiprocessor, for short code, */
#define CUT_BLOCKS 7u       /* for such code if steps end where something fires (it is not dense), */
#define TISSUE_BLOCKS 2u    /* and for large nets */
#define CURVED_THREADS 384u /* of a block with a pool, if some hazard is not affine, */
#define AFFINE_THREADS 512u /* and if all are */
#define MOST_POOL 65535u    /* trajectories of a pool */

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static ff_status place_values(ff_petri_coder *g, ff_error *err) {
  const ff_petri_program *p = g->p;
  const uint32_t given = p->n_levels + p->n_given;
  for (uint32_t v = 0; v < p->n_values; v++) {
    g->room[v] = v <= p->time ? FF_PETRI_NOWHERE : FF_PETRI_IN_TEXT;
    g->name[v] = v < p->n_levels ? v : v < given ? FIRST_GIVEN + v - p->n_levels : v - p->n_given;
  }
  g->room[p->time] = FF_PETRI_IN_TIME;
  for (uint32_t v = 0; v < p->n_places; v++) {
    const int continuous = p->flat->continuous[p->value_place[v]];
    g->room[v] = v < p->n_levels ? FF_PETRI_IN_LEVELS
                 : v < given     ? FF_PETRI_IN_OTHERS
                 : continuous    ? FF_PETRI_IN_REALS
                                 : FF_PETRI_IN_COUNTS;
    g->number[v] = v < p->n_levels ? v : v < given ? v - p->n_levels : continuous ? g->n_reals++ : g->n_counts++;
  }
  for (uint32_t k = 0; k < p->n_derived; k++) {
    ff_petri_code_switch *x = &g->switches[g->n_switches];
    g->room[p->derived[k].value] = FF_PETRI_IN_DERIVED;
    g->number[p->derived[k].value] = x->derived = k;
    if (p->derived[k].kind != FF_PETRI_DISCRETE)
      g->n_switches += (uint32_t)ff_petri_as_threshold(p, &p->derived[k], &x->threshold, &x->negated);
  }
  for (uint32_t v = p->n_values; v < g->n_values; v++) {
    g->room[v] = FF_PETRI_IN_POINT;
    g->number[v] = v - p->n_values;
    g->name[v] = FIRST_OF_POINT + g->number[v];
  }
  for (uint32_t s = 0; s < p->n_settable; s++)
    if (g->room[p->time + 1 + s] == FF_PETRI_NOWHERE) return ff_petri_refuse(err, "parameters that events set");
  return FF_OK;
}

/* The condition that ends trajectories, as a formula of values. */
static ff_status take_condition(ff_petri_coder *g, ff_error *err) {
  const ff_petri_plain *plain = &g->until;
  const ff_status status = ff_petri_program_plain(&g->until, g->p, g->request->until, err);
  if (status != FF_OK) return status;
  if (plain->formula.depth > FF_PETRI_CODE_DEPTH)
    return ff_petri_code_too_many(err, "operands that a condition keeps", plain->formula.depth, FF_PETRI_CODE_DEPTH);
  if (plain->formula.length > FF_PETRI_CODE_WORDS)
    return ff_petri_code_too_many(err, "operations and operands in a condition", plain->formula.length, FF_PETRI_CODE_WORDS);
  return FF_OK;
}

/* Flows whose rates may have narrow peaks: as make_lists() of petri/path/ff_petri_peak.c. */
static ff_status list_narrow(ff_petri_coder *g, ff_error *err) {
  const ff_petri_program *p = g->p;
  for (uint32_t f = 0; f < p->n_flows; f++) {
    const ff_petri_law *law = &p->law[p->flow[f]];
    if (!law->rate.moving || !ff_petri_span_may_be_narrow(&law->rate.formula)) continue;
    for (uint32_t i = 0; i < law->n; i++) {
      if (g->n_narrow == FF_PETRI_CODE_NARROW)
        return ff_petri_code_too_many(err, "flows with narrow peaks", (uint64_t)g->n_narrow + 1, FF_PETRI_CODE_NARROW);
      ff_petri_code_narrow *x = &g->narrow[g->n_narrow++];
      *x = (ff_petri_code_narrow){law, i, ff_petri_span_can(&law->rate.formula)};
      for (uint32_t k = 0; k < law->rate.n; k++) {
        const uint32_t value = ff_petri_value_of(law, law->rate.row[k], i);
        if (value >= p->n_places && value <= p->time) x->quick = 0;
        if (g->room[value] == FF_PETRI_IN_OTHERS)
          return ff_petri_refuse(err, "flows with narrow peaks that read levels of other cells");
      }
    }
  }
  return FF_OK;
}

/* ---- definitions -------------------------------------------------------------------------------------------------------- */

/* Bits of groups: with other profiles than 1 (0); some of whose firings may change a flow (1), or all (2). */
static uint64_t groups_of(const ff_petri_program *p, int which) {
  uint64_t bits = 0;
  for (uint32_t g = 0; g < p->n_groups; g++) {
    const size_t from = p->cell_members[p->cell_first[g]], to = p->cell_members[p->cell_first[g + 1]];
    size_t stirs = 0;
    int moves = 0;
    for (uint32_t c = p->cell_first[g]; c < p->cell_first[g + 1]; c++) moves |= p->cell_profile[c] != 0;
    for (size_t k = from; k < to; k++) stirs += p->law[p->stochastic[p->member[k]].law].stirs;
    if (which == 0 ? moves : which == 1 ? stirs > 0 : stirs == to - from) bits |= (uint64_t)1 << g;
  }
  return bits;
}

static uint64_t profiles_of(const ff_petri_program *p, int quick) {
  uint64_t bits = 0;
  for (uint32_t k = 0; k < p->n_profiles; k++)
    if (quick ? p->profile[k].quick : p->profile[k].affine) bits |= (uint64_t)1 << k;
  return bits;
}

/* Whether groups have a profile in common that is not affine. */
static int has_shared(const ff_petri_program *p) {
  uint32_t group[FF_PETRI_CODE_PROFILES] = {0}; /* 1 + the last one that has the profile */
  int shared = 0;
  for (uint32_t c = 0; c < p->n_cells; c++) {
    const uint32_t k = p->cell_profile[c];
    shared |= !p->profile[k].affine && group[k] != 0 && group[k] != p->group_of[c] + 1;
    group[k] = p->group_of[c] + 1;
  }
  return shared;
}

/* Whether something happens at one instant besides firings of stochastic transitions. */
static int has_instants(const ff_petri_coder *g) {
  return ff_petri_code_transitions(g->p) > g->p->n_stochastic || g->n_switches > 0;
}

/* The rows of ff_petri_thread_state.h. */
static void count_rows(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  const uint32_t profiles = p->n_profiles - 1, of_group = has_shared(p) ? 6 : 5;
  ff_petri_code *code = g->code;
  const int switches = g->n_switches > 0, instant = has_instants(g), again = g->n_narrow > 0 || code->pieces > 0;
  const uint32_t of_time = !p->timed_flows ? 0 : ff_petri_code_implicit(g) ? 2 : 1;
  code->instant_reals = instant ? g->n_kept + 1 + p->n_timed + (switches ? 4 : 0) : 0;
  code->instant_words = instant ? 3 + (p->n_timed > 0 ? 5 + 2 * p->n_timed : 0) + (switches ? 2 : 0) : 0;
  code->reals = FF_ODE_DENSE * p->n_levels + FF_PETRI_DEGREE * profiles + p->n_cells + of_group * p->n_groups + g->n_reals +
                p->n_derived + 6 + (p->n_given > 0 ? 2 * p->n_levels : of_time) +
                (code->pieces > 0 ? 3 * profiles : 0) + code->instant_reals + (code->pool ? 3 : 0);
  code->words = g->n_counts + p->n_groups + (again ? 8 : 5) + (code->pieces > 0 ? 2 * profiles : 0) + g->near +
                code->instant_words + (code->pool ? 8 : 0);
  code->of_group = of_group;
  code->sizes = (ff_petri_code_sizes){
      .levels = p->n_levels, .groups = p->n_groups, .own_places = p->n_places - p->n_given,
      .state_reals = p->n_levels + p->n_cells + of_group * p->n_groups + g->n_reals + p->n_derived + 4,
      .state_words = g->n_counts + p->n_groups + 4};
  code->slot_words = (2 * code->reals + code->words + 15) / 2 * 2;
}

static void mark(uint64_t *bits, const ff_formula *f) {
  for (uint32_t k = 0; k < f->length; k++) *bits |= (uint64_t)1 << f->word[k].code;
}

/* The operations that the code needs, as bits: those of formulas, and of their derivatives. */
static uint64_t operations_of(const ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  static const uint32_t pairs[][2] = {{FF_F_SIN, FF_F_COS}, {FF_F_SINH, FF_F_COSH}};
  uint64_t bits = 0;
  for (uint32_t k = 0; k < p->n_laws; k++) {
    mark(&bits, &p->law[k].rate.formula);
    mark(&bits, &p->law[k].enabled.formula);
    for (uint32_t c = 0; c < p->law[k].n_effects; c++) mark(&bits, &p->law[k].effect[c].formula.formula);
  }
  for (uint32_t k = 0; k < p->n_profiles; k++) mark(&bits, &p->profile[k].plain.formula);
  for (uint32_t k = 0; k < p->n_derived; k++) mark(&bits, &p->derived[k].plain.formula);
  mark(&bits, &g->until.formula);
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const uint64_t both = (uint64_t)1 << pairs[i][0] | (uint64_t)1 << pairs[i][1];
    if ((bits & both) != 0) bits |= both;
  }
  return bits;
}

/* Cells with one transition, as bits. */
static uint64_t singles_of(const ff_petri_program *p) {
  uint64_t bits = 0;
  for (uint32_t c = 0; c < p->n_cells; c++)
    if (p->cell_members[c + 1] - p->cell_members[c] == 1) bits |= (uint64_t)1 << c;
  return bits;
}

/* Whether some formula is not of arithmetic alone, or depends on the time. */
static int is_slow(const ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  int slow = p->timed_profiles;
  for (uint32_t k = 1; k < p->n_profiles; k++) slow |= !p->profile[k].affine && !p->profile[k].quick;
  for (uint32_t k = 0; k < g->n_narrow; k++) slow |= !g->narrow[k].quick;
  return slow;
}

/* Whether levels within each step are needed: for bounds of narrow peaks, too. `moving` and `all_stir` are bits of groups. */
static int is_dense(const ff_petri_coder *g, uint64_t moving, uint64_t all_stir) {
  return g->is_block || moving != 0 || all_stir != (((uint64_t)1 << g->p->n_groups) - 1) || g->n_narrow > 0 || has_instants(g) ||
         g->until.formula.length > 0;
}

/* Threads and trajectories of a block, and blocks of a multiprocessor, as measured on an H200. The code of a net is short if it
 * has at most one level, hazards that are affine in it, and stochastic transitions only. A pool has all the shared
 * memory, and five trajectories for four threads, or more. Code for curved hazards needs more registers than 512 threads have. */
static ff_status choose_threads(ff_petri_coder *g, int dense, ff_error *err) {
  ff_petri_code *code = g->code;
  code->pool = !g->is_block && (g->p->n_levels > 1 || g->n_narrow > 0 || code->pieces > 0 || has_instants(g));
  count_rows(g);
  code->threads = code->slots = SHORT_THREADS;
  code->blocks = g->is_block ? TISSUE_BLOCKS : dense ? SHORT_BLOCKS : CUT_BLOCKS;
  if (!code->pool) return FF_OK;
  const size_t each = ff_petri_code_shared_each(code), least = 32 * each + FF_PETRI_CODE_POOL_BYTES;
  if (g->shared < least)
    return ff_error_set(err, FF_EUNSUPPORTED,
                        "no generated code: the device has %zu bytes of shared memory; expected at least %zu", g->shared, least);
  const size_t fit = (g->shared - FF_PETRI_CODE_POOL_BYTES) / each;
  const uint32_t threads = (uint32_t)(fit * 4 / 5 / 32 * 32), most = code->pieces > 0 ? CURVED_THREADS : AFFINE_THREADS;
  code->blocks = 1;
  code->slots = (uint32_t)(fit < MOST_POOL ? fit : MOST_POOL);
  code->threads = threads < 32 ? 32 : threads < most ? threads : most;
  return FF_OK;
}

/* Multiples of a block's own levels, by level. */
static void define_own_terms(ff_petri_coder *g) {
  const ff_petri_program *p = g->p;
  uint32_t all = 0;
  ff_write(&g->out, "#define P_OWN_TERMS_OF(i) (");
  for (uint32_t i = 0; i < p->n_levels; i++) {
    uint32_t n = 0;
    for (size_t k = p->linear_first[i]; k < p->linear_first[i + 1]; k++) n += !ff_petri_is_given_value(p, p->linear_value[k]);
    ff_write(&g->out, "(i) == %uu ? %uu : ", i, n);
    all += n;
  }
  ff_write(&g->out, "0u)\n#define P_OWN_TERMS %uu\n", all);
}

static ff_status define(ff_petri_coder *g, ff_error *err) {
  const ff_petri_program *p = g->p;
  ff_petri_code *code = g->code;
  const uint64_t moving = groups_of(p, 0), some = groups_of(p, 1), all = groups_of(p, 2);
  uint64_t quick = 0;
  for (uint32_t k = 0; k < g->n_narrow; k++) quick |= (uint64_t)g->narrow[k].quick << k;
  const uint64_t curved = ~profiles_of(p, 0) & (((uint64_t)1 << p->n_profiles) - 1);
  code->pieces = curved != 0 ? PIECES : 0;
  const int dense = is_dense(g, moving, all);
  const ff_status status = choose_threads(g, dense, err);
  if (status != FF_OK) return status;
  const struct {
    const char *name;
    uint64_t value;
  } numbers[] = {{"P_LEVELS", p->n_levels}, {"P_COUNTS", g->n_counts}, {"P_REALS", g->n_reals}, {"P_DERIVED", p->n_derived},
                 {"P_GROUPS", p->n_groups}, {"P_CELLS", p->n_cells}, {"P_PROFILES", p->n_profiles}, {"P_NARROW", g->n_narrow},
                 {"P_DEPTH", p->depth}, {"P_READS", g->reads}, {"P_PIECES", code->pieces}, {"P_SLOT_WORDS", code->slot_words},
                 {"P_LARGEST", (uint64_t)FF_PETRI_CODE_LARGEST}, {"P_REALS_IN_ALL", code->reals}, {"P_WORDS_IN_ALL", code->words},
                 {"P_THREADS", code->threads}, {"P_BLOCKS", code->blocks}, {"P_SLOTS", code->slots},
                 {"P_POOL", (uint64_t)code->pool}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    ff_write(&g->out, "#define %s %lluu\n", numbers[i].name, (unsigned long long)numbers[i].value);
  const struct {
    const char *name;
    uint64_t value;
  } bits[] = {{"P_MOVING", moving}, {"P_SOME_STIR", some}, {"P_ALL_STIR", all}, {"P_AFFINE", profiles_of(p, 0)},
              {"P_QUICK", profiles_of(p, 1)}, {"P_QUICK_RATES", quick},
              {"FF_FORMULA_OPERATIONS", operations_of(g)}, {"P_SINGLES", singles_of(p)}};
  for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
    ff_write(&g->out, "#define %s 0x%llXull\n", bits[i].name, (unsigned long long)bits[i].value);
  ff_write(&g->out, "#define P_TIMED_FLOWS %d\n#define P_TIMED_PROFILES %d\n#define P_AUTO %d\n", p->timed_flows,
           p->timed_profiles, p->options.integrator == FF_PETRI_AUTO);
  ff_write(&g->out, "#define P_SHARED %d\n", has_shared(p));
  ff_write(&g->out, "#define P_SLOW %d\n%s", is_slow(g), code->pool ? "#define FF_PHILOX_IN_A_LOOP\n" : "");
  ff_write(&g->out, "#define P_DENSE %d\n#define P_UNTIL %d\n", dense, g->until.formula.length > 0);
  ff_petri_code_define_implicit(g);
  ff_petri_code_define_instant(g);
  ff_petri_code_define_switches(g);
  ff_write(&g->out, "#define P_RELATIVE ");
  ff_petri_code_number(g, p->options.relative);
  ff_write(&g->out, "\n#define P_ABSOLUTE ");
  ff_petri_code_number(g, p->options.absolute);
  ff_write(&g->out, "\n");
  ff_petri_code_define_map(g, "P_GROUP_OF", p->group_of, p->n_cells);
  ff_petri_code_define_map(g, "P_PROFILE_OF", p->cell_profile, p->n_cells);
  ff_petri_code_define_map(g, "P_FIRST_CELL", p->cell_first, p->n_groups + 1);
  ff_write(&g->out, "#define P_WINDOWS %d\n#define P_GIVEN %d\n#define P_NEAR %uu\n", g->is_block, p->n_given > 0, g->near);
  if (!g->is_block) {
    ff_write(&g->out, "#define P_OWN_TERMS 0u\n#define P_LISTS %d\n", g->request->max_firings > 0);
    if (g->request->points != NULL)
      ff_write(&g->out, "#define P_POINTS 1\n#define P_PLACES %uu\n#define P_POINT_SIZE %uu\n", p->n_places,
               p->n_places + g->points.n_numbers + 1);
    return FF_OK;
  }
  define_own_terms(g);
  ff_write(&g->out, "#define P_OWN_PLACES %uu\n", code->sizes.own_places);
  ff_write(&g->out, "#define P_STATE_REALS_IN_ALL %uu\n#define P_STATE_WORDS_IN_ALL %uu\n", code->sizes.state_reals,
           code->sizes.state_words);
  return FF_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static char *finish(ff_petri_coder *g) {
  char *text = g->out.text;
  g->out = (ff_writer){.status = g->out.status, .err = g->out.err};
  return text;
}

static ff_status fill_data(ff_petri_coder *g, ff_error *err) {
  ff_petri_code *code = g->code;
  code->n_places = g->p->n_places;
  code->initial = ff_calloc(code->n_places, sizeof *code->initial);
  code->table = ff_calloc(code->n_places, sizeof *code->table);
  if (code->initial == NULL || code->table == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  for (uint32_t f = 0; f < code->n_places; f++) {
    code->initial[f] = g->request->initial[f];
    code->table[f] = UINT32_MAX;
  }
  for (uint32_t j = 0; j < g->request->n_observed; j++) code->table[g->request->observed[j]] = j;
  return FF_OK;
}

static ff_status generate(ff_petri_coder *g, ff_error *err) {
  const ff_petri_program *p = g->p;
  const uint32_t room = FF_PETRI_CODE_WORDS;
  g->depth = p->depth > g->until.formula.depth ? p->depth : g->until.formula.depth;
  uint32_t *stack = ff_calloc((size_t)g->depth + 2 + room, sizeof *stack);
  ff_formula_written *shared = ff_calloc(room, sizeof *shared);
  g->formulas = (ff_formula_writer){.out = &g->out, .stack = stack, .shared = shared, .room = room};
  if (stack == NULL || shared == NULL) {
    if (g->out.status == FF_OK) g->out.status = ff_error_set(err, FF_EMEMORY, "no memory for code");
  } else {
    ff_petri_code_reach(g);
    ff_petri_code_places(g);
    ff_petri_code_flows(g);
    ff_petri_code_hazards(g);
    ff_petri_code_changes(g);
    ff_petri_code_instant(g);
    ff_petri_code_switches(g);
    g->code->functions = finish(g);
    const ff_status status = define(g, err);
    g->code->definitions = finish(g);
    if (g->out.status == FF_OK) g->out.status = status;
  }
  free(stack);
  free(shared);
  return g->out.status;
}

static ff_status make(ff_petri_coder *g, ff_error *err) {
  ff_petri_code_narrow narrow[FF_PETRI_CODE_NARROW];
  const int has_points = g->request != NULL && g->request->points != NULL;
  ff_status status = has_points ? ff_petri_code_join(g, err) : FF_OK;
  g->n_values = g->p->n_values + g->points.n_numbers;
  g->narrow = narrow;
  g->room = ff_calloc(g->n_values, sizeof *g->room);
  g->number = ff_calloc(g->n_values, sizeof *g->number);
  g->name = ff_calloc(g->n_values, sizeof *g->name);
  g->declared = ff_calloc(g->n_values, sizeof *g->declared);
  g->words = ff_calloc(FF_PETRI_CODE_WORDS, sizeof *g->words);
  const int fine = g->room && g->number && g->name && g->declared && g->words;
  if (status == FF_OK && !fine) status = ff_error_set(err, FF_EMEMORY, "no memory for code");
  if (status == FF_OK) status = place_values(g, err);
  if (status == FF_OK) status = list_narrow(g, err);
  if (status == FF_OK && g->request != NULL) status = fill_data(g, err);
  if (status == FF_OK) status = generate(g, err);
  if (status == FF_OK && has_points) status = ff_petri_code_fill_points(g, err);
  free(g->room);
  free(g->number);
  free(g->name);
  free(g->declared);
  free(g->words);
  ff_petri_code_free_points(&g->points);
  if (status != FF_OK) ff_petri_code_free(g->code);
  return status;
}

ff_status ff_petri_code_new(ff_petri_code *out, const ff_petri_program *p, const ff_device_request *request, size_t shared,
                            ff_error *err) {
  ff_petri_coder g = {.p = p, .request = request, .shared = shared, .code = out, .out = {.err = err}};
  *out = (ff_petri_code){0};
  ff_status status = ff_petri_check_request(p, request, err);
  if (status == FF_OK) status = ff_petri_code_check(p, err);
  if (status == FF_OK) status = ff_petri_code_check_points(p, request, err);
  if (status == FF_OK && request->until != NULL) status = take_condition(&g, err);
  if (status == FF_OK) status = make(&g, err);
  ff_petri_plain_free(&g.until);
  return status;
}

ff_status ff_petri_code_block_new(ff_petri_code *out, const ff_petri_program *p, uint32_t near, ff_error *err) {
  ff_petri_coder g = {.p = p, .is_block = 1, .near = near, .code = out, .out = {.err = err}};
  *out = (ff_petri_code){0};
  ff_status status = ff_petri_code_check_part(p, err);
  if (status == FF_OK && p->options.integrator == FF_PETRI_ROSENBROCK)
    status = ff_petri_refuse(err, "integrator = \"rosenbrock\" by windows");
  if (status == FF_OK && p->n_immediate > 0) status = ff_petri_refuse(err, "immediate transitions by windows");
  if (status == FF_OK && p->n_timed > 0) status = ff_petri_refuse(err, "deterministic or scheduled transitions by windows");
  if (status == FF_OK && ff_petri_code_switches_of(p) > 0)
    status = ff_petri_refuse(err, "rates that switch where a level crosses a value by windows");
  return status == FF_OK ? make(&g, err) : status;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

ff_status ff_petri_code_share(ff_petri_code *code, uint32_t n, ff_petri_code_sizes *most, ff_error *err) {
  *most = (ff_petri_code_sizes){0};
  for (uint32_t k = 0; k < n; k++) {
    const ff_petri_code_sizes own = code[k].sizes;
    *most = (ff_petri_code_sizes){larger(most->levels, own.levels), larger(most->groups, own.groups),
                                  larger(most->own_places, own.own_places), larger(most->state_reals, own.state_reals),
                                  larger(most->state_words, own.state_words)};
  }
  for (uint32_t k = 0; k < n; k++) {
    ff_writer out = {.err = err};
    ff_write(&out, "%s#define P_CLASSES %uu\n#define P_CLASS %uu\n#define P_MOST_LEVELS %uu\n#define P_MOST_GROUPS %uu\n"
             "#define P_MOST_PLACES %uu\n",
             code[k].definitions, n, k, most->levels, most->groups, most->own_places);
    free(code[k].definitions);
    code[k].definitions = out.text;
    if (out.status != FF_OK) return out.status;
  }
  return FF_OK;
}

void ff_petri_code_free(ff_petri_code *code) {
  free(code->definitions);
  free(code->functions);
  free(code->initial);
  free(code->table);
  free(code->points);
  *code = (ff_petri_code){0};
}
