/* What windows are made of: blocks are what only flows join, and their slopes are those of the whole net; pieces of waves. */
#include <math.h>

#include "check.h"
#include "petri_random.h"
#include "petri_runs.h"
#include "petri_tissues.h"

#include "../../src/petri/windows/ff_petri_windows.h"

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

static const ff_petri_program *program_of(const ff_petri_blocks *b, uint32_t block) { return b->types[b->type[block]].program; }

/* Whether a transition changes a place. */
static int changes(const ff_petri_program *net, uint32_t transition, uint32_t place) {
  const ff_petri_member t = ff_petri_member_of(net, transition);
  const ff_petri_law *law = &net->law[t.law];
  for (uint32_t c = 0; c < law->n_effects; c++)
    if (net->value_place[ff_petri_value_of(law, law->effect[c].row, t.i)] == place) return 1;
  return 0;
}

/* A jump is in one block, and all that it touches and something changes is in it. A flow is in each block that it changes. */
static void check_lists(const ff_petri_blocks *b, int seed) {
  const ff_petri_program *net = b->net;
  for (uint32_t t = 0; t < net->flat->n_transitions; t++) {
    const ff_petri_member m = ff_petri_member_of(net, t);
    const ff_petri_family *family = &net->flat->family[m.law];
    const int flow = family->kind == FF_PETRI_CONTINUOUS;
    uint32_t listed = 0;
    for (uint32_t k = 0; k < b->n_blocks; k++) {
      uint32_t here = 0;
      int changed = 0;
      for (size_t i = b->transition_first[k]; i < b->transition_first[k + 1]; i++) here += b->transition[i] == t;
      for (uint32_t f = 0; f < net->n_places && flow; f++) changed |= b->home[f] == k && changes(net, t, f);
      FF_CHECK_SAY(here <= 1 && (!flow || (int)here == changed), "net %d, transition %u, block %u", seed, t, k);
      listed += here;
      for (uint32_t s = 0; s < family->n_slots && here > 0 && !flow; s++) {
        const uint32_t f = family->slot[(size_t)s * family->n + m.i];
        if (f < net->n_places) FF_CHECK_SAY(b->home[f] == k || b->home[f] == FF_PETRI_NONE, "net %d, transition %u", seed, t);
      }
    }
    if (!flow) FF_CHECK_INT(listed, 1);
  }
  for (uint32_t f = 0; f < net->n_places; f++) {
    int changed = 0;
    for (uint32_t t = 0; t < net->flat->n_transitions; t++) changed |= changes(net, t, f);
    FF_CHECK_INT(b->home[f] != FF_PETRI_NONE, changed);
  }
}

/* Groups of blocks are those of the net, with the same transitions. */
static void check_groups(const ff_petri_blocks *b) {
  const ff_petri_program *net = b->net;
  uint8_t *met = calloc(net->n_groups + 1, 1);
  for (uint32_t k = 0; k < b->n_blocks; k++) {
    const ff_petri_program *own = program_of(b, k);
    for (uint32_t g = 0; g < own->n_groups; g++) {
      const uint32_t group = b->group[b->group_first[k] + g];
      const size_t first = own->cell_members[own->cell_first[g]], end = own->cell_members[own->cell_first[g + 1]];
      FF_CHECK(group < net->n_groups && !met[group]);
      met[group] = 1;
      FF_CHECK_INT(net->cell_members[net->cell_first[group + 1]] - net->cell_members[net->cell_first[group]], end - first);
      for (size_t i = first; i < end; i++) {
        const uint32_t t = b->transition[b->transition_first[k] + ff_petri_number_of(own, own->stochastic[own->member[i]])];
        const ff_petri_member m = ff_petri_member_of(net, t);
        FF_CHECK_INT(net->group_of[net->cell_of[net->law[m.law].own + m.i]], group);
      }
    }
  }
  for (uint32_t g = 0; g < net->n_groups; g++) FF_CHECK(met[g]);
  free(met);
}

/* The level of another block that a block reads as given value g, from the marking of the net. */
static double given_by(const ff_petri_blocks *b, const double *marking, uint32_t block, uint32_t g) {
  const ff_petri_source *source = &b->given[b->given_first[block] + g];
  const uint32_t other = b->neighbour[b->neighbour_first[block] + source->neighbour];
  return marking[b->place[b->place_first[other] + program_of(b, other)->value_place[source->level]]];
}

/* The largest sum of the derivatives of a slope by given levels, one by one. */
static double coupling_of(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double *slope = calloc(3 * (size_t)p->n_levels + 1, sizeof *slope), *other = slope + p->n_levels, *sum = other + p->n_levels;
  double most = 0;
  ff_petri_path_slopes(path, slope);
  for (uint32_t g = 0; g < p->n_given && p->n_levels > 0; g++) {
    double *given = &path->value[p->n_levels + g];
    const double before = *given, shift = 0x1p-20 * (before + p->options.absolute / p->options.relative);
    *given = before + shift;
    ff_petri_path_slopes(path, other);
    *given = before;
    for (uint32_t i = 0; i < p->n_levels; i++) sum[i] += fabs(other[i] - slope[i]) / shift;
  }
  for (uint32_t i = 0; i < p->n_levels; i++) most = sum[i] > most ? sum[i] : most;
  free(slope);
  return most;
}

/* The slopes of all levels, by the net and by its blocks. */
static void check_slopes(const ff_petri_blocks *b, uint64_t *s, int seed) {
  const ff_petri_program *net = b->net;
  double *marking = calloc(net->n_places + 1, sizeof *marking), *initial = calloc(net->n_places + 1, sizeof *initial);
  double *slope = calloc(net->n_places + 1, sizeof *slope), *own_slope = calloc(net->n_places + 1, sizeof *own_slope);
  ff_petri_path path;
  ff_error err;
  memset(&path, 0, sizeof path);
  for (uint32_t f = 0; f < net->n_places; f++)
    marking[f] = b->home[f] == FF_PETRI_NONE ? net->start[f] : below(s, 7) / (net->flat->continuous[f] ? 2.0 : 1);
  FF_CHECK_OK(ff_petri_path_new(&path, net, NULL, &err), &err);
  ff_petri_path_start(&path, 1, 0, marking, 0.5);
  ff_petri_path_open(&path, NULL);
  const int fine = ff_petri_path_slopes(&path, slope);
  ff_petri_path_free(&path);
  for (uint32_t k = 0; k < b->n_blocks && fine; k++) {
    const ff_petri_program *own = program_of(b, k);
    const ff_petri_start start = {.initial = marking, .key = 1, .start = 0.5};
    FF_CHECK_OK(ff_petri_path_new(&path, own, NULL, &err), &err);
    const ff_petri_opened opened = ff_petri_block_open(b, k, &start, &path, initial, NULL);
    for (uint32_t g = 0; g < own->n_given; g++) FF_CHECK(path.value[own->n_levels + g] == given_by(b, marking, k, g));
    FF_CHECK(opened.coupling == coupling_of(&path));
    ff_petri_path_slopes(&path, own_slope);
    for (uint32_t i = 0; i < own->n_levels; i++) {
      const uint32_t place = b->place[b->place_first[k] + own->value_place[i]];
      const double whole = slope[net->place_value[place]];
      FF_CHECK_SAY(fabs(own_slope[i] - whole) <= 1e-10 * (1 + fabs(whole)), "net %d, block %u, place %u: %g, not %g", seed, k,
                   place, own_slope[i], whole);
    }
    ff_petri_path_free(&path);
  }
  free(marking);
  free(initial);
  free(slope);
  free(own_slope);
}

static void divides_random_nets(void) {
  uint32_t divided = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    uint64_t s = seed;
    const ff_petri_options options = {.relative = 1e-5};
    ff_petri *net = NULL;
    ff_petri_flat *flat = NULL;
    ff_petri_program *program = NULL;
    ff_petri_blocks *blocks = NULL;
    ff_error err;
    ff_status status = random_petri(&net, &s, &err);
    if (status == FF_OK) status = ff_petri_unfold(&flat, net, &err);
    if (status == FF_OK) status = ff_petri_program_new(&program, flat, &options, &err);
    if (status == FF_OK) status = ff_petri_blocks_new(&blocks, program, &err);
    if (blocks != NULL) {
      divided++;
      check_lists(blocks, (int)seed);
      check_groups(blocks);
      check_slopes(blocks, &s, (int)seed);
    }
    ff_petri_blocks_free(blocks);
    ff_petri_program_free(program);
    ff_petri_flat_free(flat);
    ff_petri_free(net);
  }
  FF_CHECK_SAY(divided >= 30, "%u nets", divided);
}

/* Blocks of a row of 6 cells; 1 if it is refused. */
static uint32_t blocks_of(const char *flow, const char *rate, const char *tests, ff_petri_kind kind, const char *equation,
                          const char *number) {
  const ff_petri_options options = {.relative = 1e-6};
  ff_petri *net = NULL;
  ff_petri_flat *flat = NULL;
  ff_petri_program *program = NULL;
  ff_petri_blocks *blocks = NULL;
  ff_error err;
  uint32_t n = 1;
  FF_CHECK_OK(petri_row(&net, 6, flow, rate, tests, kind, equation, number, &err), &err);
  FF_CHECK_OK(ff_petri_unfold(&flat, net, &err), &err);
  FF_CHECK_OK(ff_petri_program_new(&program, flat, &options, &err), &err);
  const ff_status status = ff_petri_blocks_new(&blocks, program, &err);
  if (status == FF_OK)
    n = blocks->n_blocks;
  else
    FF_CHECK_SAY(status == FF_EARGUMENT && strstr(err.text, "method = \"exact\"") != NULL, "%s", err.text);
  ff_petri_blocks_free(blocks);
  ff_petri_program_free(program);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
  return n;
}

static void joins_what_it_must(void) {
  static const char flow[] = "C[x] -> C[a]";
  const ff_petri_kind jump = FF_PETRI_STOCHASTIC;
  FF_CHECK_INT(blocks_of(flow, "0.1 * C[x]", NULL, jump, NULL, NULL), 6);
  FF_CHECK_INT(blocks_of(flow, "C[x] * C[a] * (1 + time)", NULL, jump, NULL, NULL), 6);
  FF_CHECK_INT(blocks_of(flow, "F * C[x]", NULL, jump, NULL, NULL), 6);               /* nothing changes F */
  FF_CHECK_INT(blocks_of(flow, "F * C[x]", NULL, jump, "F -> 0", "1"), 1);            /* now something does */
  FF_CHECK_INT(blocks_of(flow, "C[x] * (1 + F)", NULL, jump, "0 -> G", "1"), 7);            /* G is a block of its own */
  FF_CHECK_INT(blocks_of(flow, "C[x]", NULL, jump, "S[1] -> S[2]", "1"), 5);          /* cells 1 and 2 */
  FF_CHECK_INT(blocks_of(flow, "C[x]", NULL, jump, "0 -> G", "C[2] + C[3]"), 5);      /* they with G */
  FF_CHECK_INT(blocks_of(flow, "C[x]", NULL, FF_PETRI_IMMEDIATE, "5 S[1] -> S[2]", "1"), 5);
  FF_CHECK_INT(blocks_of(flow, "C[x]", NULL, FF_PETRI_SCHEDULED, "0 -> C[1] + C[3]", "0.1@0.2"), 5);
  FF_CHECK_INT(blocks_of(flow, "C[x]", "C[a] >= 1", jump, NULL, NULL), 1);            /* a test of another cell */
  FF_CHECK_INT(blocks_of(flow, "C[x] * (C[a] < 3)", NULL, jump, NULL, NULL), 1);      /* a comparison */
  FF_CHECK_INT(blocks_of(flow, "S[x] * C[x]", NULL, jump, NULL, NULL), 1);            /* a count */
  FF_CHECK_INT(blocks_of(flow, "0.1", NULL, jump, NULL, NULL), 1);                    /* it would empty a cell */
  FF_CHECK_INT(blocks_of(flow, "C[x] - C[a]", NULL, jump, NULL, NULL), 6);            /* it would not */
}

/* ---- pieces of waves ---------------------------------------------------------------------------------------------------- */

/* Second derivatives of a step of 10^-11 are rounding errors. A guess over the next window is near the tangent of this step. */
static void guesses_are_no_rounding_errors(void) {
  const double h = 1e-11, window = 5e-3, start = 10.1, slope = 3, k[] = {3, 3, 3, 3, 3, 3, 3};
  double d[FF_ODE_DENSE], c[FF_PETRI_COEFFICIENTS], guess[3];
  ff_ode_explicit_dense(h, start, start + h * slope, k, d);
  ff_petri_piece_of_dense(d, c);
  ff_petri_piece_end(c, 1, 1 / h, window, guess);
  ff_petri_piece_guess(guess[0], guess[1], guess[2], window, c);
  FF_CHECK_NEAR(ff_petri_piece_polynomial(c, 1), start + slope * window, 1e-3);
}

/* A level whose second derivative jumps at 0.37, in two pieces. */
static double bent(double t) { return 2 + t * (1 - t) + (t > 0.37 ? 3 * (t - 0.37) * (t - 0.37) : 0); }

/* The integrals of what a step reads: by many panels, and by the formulas of the method for the slopes that it reads. */
static void steps_know_what_they_miss(void) {
  enum { SIZE = FF_PETRI_PIECE_SIZE(1), PANELS = 200000 };
  double piece[2 * SIZE] = {0, 1 / 0.37, 2, 0.37, -0.37 * 0.37, 0, 0, 0, 0.37, 1 / 0.63, bent(0.37)};
  double sum[2] = {0, 0}, k[FF_ODE_EXPLICIT_STAGES], dense[FF_ODE_DENSE];
  const double from = 0.1, h = 0.8;
  piece[SIZE + 3] = (1 - 2 * 0.37) * 0.63;
  piece[SIZE + 4] = 2 * 0.63 * 0.63;
  piece[SIZE + 7] = ff_petri_piece_integral(piece, piece + FF_PETRI_PIECE_HEAD, 0.37);
  for (int i = 0; i < PANELS; i++) sum[2 * i < PANELS ? 0 : 1] += h / PANELS * bent(from + (i + 0.5) * h / PANELS);
  for (int i = 0; i < FF_ODE_EXPLICIT_STAGES; i++) k[i] = bent(from + ff_ode_explicit_node(i) * h);
  const double end = ff_ode_explicit_6(0, h, k[0], k[2], k[3], k[4], k[5]);
  ff_petri_reading x;
  ff_petri_piece_read(piece, 2, SIZE, 0, 0, from, h, &x);
  FF_CHECK(x.spanned == 1 && x.end != 0);
  for (int i = 0; i < (int)FF_PETRI_STAGES; i++) FF_CHECK_NEAR(x.x[i], k[i], 1e-14);
  FF_CHECK_NEAR(x.end, end - (sum[0] + sum[1]), 1e-9);
  for (int i = 1; i < 5; i++) k[i] += x.shift;
  const double whole = ff_ode_explicit_6(0, h, k[0], k[2], k[3], k[4], k[5]);
  FF_CHECK_NEAR(whole, sum[0] + sum[1], 1e-9);
  ff_ode_explicit_dense(h, 0, whole, k, dense);
  FF_CHECK_NEAR(x.middle, ff_ode_dense_value(dense, 0.5) - sum[0], 1e-9);
  ff_petri_piece_read(piece, 2, SIZE, 1, 0, 0.4, 0.5, &x);
  FF_CHECK(x.spanned == 0 && x.end == 0 && x.shift == 0 && x.middle == 0);
}

FF_TEST_MAIN("petri_blocks", divides_random_nets, joins_what_it_must, guesses_are_no_rounding_errors, steps_know_what_they_miss)
