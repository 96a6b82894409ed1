/* Makes the image of a reaction network whose propensities have common factors, for the CUDA kernel that reads it as data. */
#include "ff_ssa_factored_image.h"

#include <math.h>
#include <stdlib.h>

#include "../../../ensemble/ff_device.h"

#define FEW_USES 8u            /* of a species in sums: so many are listed by species */
#define MOST_USES 32u          /* so many are listed if a sum is large */
#define LARGE_SUM 1024u
#define TOP_CELLS 64u          /* of the top level of a sum, if uses are listed */
#define MOST_BY (1 << 21)      /* molecules that a reaction adds and removes: times the largest weight, it is below 2^30 */
#define MOST_BYTE 127          /* of a change of a count, which is a byte if weights are used */
#define MOST_BYTES ((uint64_t)1 << 32)

/* The arrays are stored one after the other. A first pass (memory is NULL) counts the bytes, and a second pass fills them. */
typedef struct {
  const ff_ssa_program *p;
  const ff_ssa_factor *f;
  const double *initial;
  ff_ssa_factored_image *image;
  uint32_t *first; /* position of the first member of each sum; the last entry is the end */
  uint32_t *seen;  /* for each species: the uses so far */
  char *memory;
  size_t used;
} maker;

static void *take(maker *m, size_t count, size_t size) {
  void *at = m->memory != NULL ? m->memory + m->used : NULL;
  m->used += (count * size + 127) / 128 * 128;
  return at;
}

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

static uint32_t sums_of(const ff_ssa_factored_image *image) { return 32 * image->each * image->rounds; }

static double initial_of(const maker *m, uint32_t species) {
  return species < m->p->n_species ? m->initial[species] : 1;
}

static const ff_ssa_member *members_of(const maker *m, uint32_t sum) { return m->f->members + m->f->sums[sum].first; }

/* ---- the shape ---------------------------------------------------------------------------------------------------------- */

static void choose_lanes(const maker *m) {
  ff_ssa_factored_image *image = m->image;
  const uint32_t n = m->f->n_groups > m->f->n_sums ? m->f->n_groups : m->f->n_sums;
  for (image->each = 1; 32 * image->each < n && image->each < FF_SSA_EACH_MOST;) image->each *= 2;
  image->rounds = (n + 32 * image->each - 1) / (32 * image->each);
}

/* Whether uses are listed, and how many levels of cells there are. Without lists there are no cells. */
static void choose_levels(maker *m) {
  ff_ssa_factored_image *image = m->image;
  uint32_t uses = 1, members = 1;
  for (uint32_t s = 0; s <= m->p->n_species; s++) m->seen[s] = 0;
  for (uint32_t i = 0; i < m->f->n_sums; i++)
    if (m->f->sums[i].n > members) members = m->f->sums[i].n;
  for (uint32_t i = 0; i < m->f->n_members; i++)
    if (++m->seen[m->f->members[i].species] > uses) uses = m->seen[m->f->members[i].species];
  image->n_uses = uses <= FEW_USES || (uses <= MOST_USES && members > LARGE_SUM) ? uses : 0;
  image->levels = 0;
  for (; image->n_uses > 0 && members > TOP_CELLS && image->levels < FF_SSA_CELL_LEVELS; members = (members + 31) / 32)
    image->levels++;
}

static ff_status place_members(maker *m, ff_error *err) {
  const uint32_t to = 1u << (5 * m->image->levels);
  uint64_t at = 0;
  for (uint32_t i = 0; i < m->f->n_sums; i++) {
    m->first[i] = (uint32_t)at;
    at += ((uint64_t)m->f->sums[i].n + to - 1) / to * to;
    if (at > INT32_MAX) return ff_error_set(err, FF_EUNSUPPORTED, "the sums of the network are too large");
  }
  m->first[m->f->n_sums] = (uint32_t)at;
  return FF_OK;
}

static void place_words(maker *m) {
  ff_ssa_factored_image *image = m->image;
  uint32_t at = sums_of(image);
  for (uint32_t level = image->levels; level > 0; level--) {
    image->cell[level] = at;
    at += round_up(m->first[m->f->n_sums] >> (5 * level), 32);
  }
  image->count = at;
  image->n_words = round_up(at + m->p->n_species + 2, 32);
}

static void measure_changes(maker *m) {
  uint32_t most = 1;
  for (uint32_t r = 0; r < m->p->n_reactions; r++) {
    const uint32_t n = m->p->change_first[r + 1] - m->p->change_first[r];
    if (n > most) most = n;
  }
  m->image->n_changes = round_up(most, 4);
}

/* ---- data ---------------------------------------------------------------------------------------------------------------- */

static void put_words(maker *m) {
  ff_ssa_factored_image *image = m->image;
  uint32_t *words = take(m, image->n_words, sizeof *words);
  image->initial = words;
  if (m->memory == NULL) return;
  for (uint32_t s = 0; s <= m->p->n_species; s++) words[image->count + s] = (uint32_t)initial_of(m, s);
  for (uint32_t i = 0; i < m->f->n_sums; i++)
    for (uint32_t k = 0; k < m->f->sums[i].n; k++) {
      const ff_ssa_member *member = members_of(m, i) + k;
      const uint32_t by = member->weight * (uint32_t)initial_of(m, member->species);
      words[FF_SSA_SUM_WORD(i, image->each)] += by;
      for (uint32_t level = 1; level <= image->levels; level++)
        words[image->cell[level] + ((m->first[i] + k) >> (5 * level))] += by;
    }
}

static void put_groups(maker *m) {
  ff_ssa_factored_image *image = m->image;
  const uint32_t n = sums_of(image);
  ff_ssa_factored_leaf *leaves = take(m, n, sizeof *leaves);
  ff_ssa_factored_search *searches = take(m, m->f->n_groups, sizeof *searches);
  image->leaves = leaves;
  image->searches = searches;
  if (m->memory == NULL) return;
  for (uint32_t g = 0; g < n; g++) {
    ff_ssa_factored_leaf *leaf = leaves + FF_SSA_SUM_WORD(g, image->each);
    *leaf = (ff_ssa_factored_leaf){0, m->p->n_species, 0};
    if (g >= m->f->n_groups) continue;
    const ff_ssa_factor_group *group = m->f->groups + g;
    leaf->rate = group->rate;
    leaf->hub = group->kind == FF_GROUP_HUB ? group->hub : group->kind == FF_GROUP_POOL ? FF_SSA_LEAF_POOL : m->p->n_species;
    leaf->sum = FF_SSA_SUM_WORD(group->sum, image->each);
    const int two = group->kind == FF_GROUP_POOL && group->ranges > 1;
    searches[g] = (ff_ssa_factored_search){m->first[group->sum], m->first[group->sum] + m->f->sums[group->sum].n, group->map,
                                           group->ranges | (two ? FF_SSA_LEAF_POOL : 0)};
  }
}

static void put_members(maker *m) {
  const uint32_t n = round_up(m->first[m->f->n_sums], 32) + 32, none = m->p->n_species + 1;
  uint32_t *members = take(m, n, sizeof *members);
  m->image->members = members;
  if (m->memory == NULL) return;
  for (uint32_t i = 0; i < n; i++) members[i] = none;
  for (uint32_t i = 0; i < m->f->n_sums; i++)
    for (uint32_t k = 0; k < m->f->sums[i].n; k++)
      members[m->first[i] + k] = members_of(m, i)[k].species | (members_of(m, i)[k].weight - 1) << 24;
}

/* What a reaction changes, as an entry of a map. */
static void put_entry(const maker *m, ff_ssa_factored_by *to, uint32_t r) {
  const ff_ssa_change *changes = m->p->changes + m->p->change_first[r];
  const uint32_t n = m->p->change_first[r + 1] - m->p->change_first[r];
  for (uint32_t i = 0; i < n; i++) to[i] = (ff_ssa_factored_by){changes[i].species, (int32_t)changes[i].by};
}

/* Entries beyond the weight of a member are never found; they change nothing. */
static void put_changes(maker *m) {
  const uint32_t each = m->image->n_changes;
  ff_ssa_factored_by *changes = take(m, (size_t)m->f->n_map * each, sizeof *changes);
  m->image->changes = changes;
  if (m->memory == NULL) return;
  for (size_t i = 0; i < (size_t)m->f->n_map * each; i++) changes[i].species = m->p->n_species + 1;
  for (const ff_ssa_factor_group *g = m->f->groups; g < m->f->groups + m->f->n_groups; g++)
    for (uint32_t k = 0; k < m->f->sums[g->sum].n; k++) {
      const uint32_t ranges = g->kind == FF_GROUP_POOL ? g->ranges : members_of(m, g->sum)[k].weight;
      for (uint32_t i = g->map + k * g->ranges; i < g->map + k * g->ranges + ranges; i++)
        put_entry(m, changes + (size_t)i * each, m->f->map[i]);
    }
}

static void put_uses(maker *m) {
  const uint32_t each = m->image->n_uses;
  ff_ssa_factored_use *uses = take(m, ((size_t)m->p->n_species + 2) * each, sizeof *uses);
  m->image->uses = uses;
  if (m->memory == NULL) return;
  for (uint32_t s = 0; s <= m->p->n_species; s++) m->seen[s] = 0;
  for (uint32_t i = 0; i < m->f->n_sums; i++)
    for (uint32_t k = 0; k < m->f->sums[i].n; k++) {
      const ff_ssa_member *member = members_of(m, i) + k;
      uses[(size_t)member->species * each + m->seen[member->species]++] =
          (ff_ssa_factored_use){m->first[i] + k, FF_SSA_SUM_WORD(i, m->image->each) | member->weight << 16};
    }
}

static void put_weights(maker *m) {
  const uint32_t row = sums_of(m->image);
  uint32_t *weights = take(m, ((size_t)m->p->n_species + 2) * row, 1);
  m->image->weights = weights;
  if (m->memory == NULL) return;
  for (uint32_t i = 0; i < m->f->n_sums; i++)
    for (uint32_t k = 0; k < m->f->sums[i].n; k++) {
      const ff_ssa_member *member = members_of(m, i) + k;
      const size_t at = (size_t)member->species * row + i;
      weights[at / 4] |= member->weight << (at % 4 * 8);
    }
}

/* ---- images -------------------------------------------------------------------------------------------------------------- */

static void make(maker *m, char *memory) {
  m->memory = memory;
  m->used = 0;
  put_words(m);
  put_groups(m);
  put_members(m);
  put_changes(m);
  if (m->image->n_uses > 0)
    put_uses(m);
  else
    put_weights(m);
}

static ff_status check_initial(const maker *m, ff_error *err) {
  const ff_ssa_program *p = m->p;
  for (uint32_t s = 0; s < p->n_species; s++)
    if (!(m->initial[s] >= 0 && m->initial[s] <= FF_DEVICE_MOST && m->initial[s] == floor(m->initial[s])))
      return ff_error_set(err, FF_EUNSUPPORTED, "an initial count is %g, not a whole number below 2^30", m->initial[s]);
  for (uint32_t i = 0; i < m->f->n_sums; i++) {
    double sum = 0;
    for (uint32_t k = 0; k < m->f->sums[i].n; k++) sum += members_of(m, i)[k].weight * initial_of(m, members_of(m, i)[k].species);
    if (sum > FF_DEVICE_MOST)
      return ff_error_set(err, FF_EUNSUPPORTED, "a sum of counts is %.17g at time 0, and must stay below 2^30", sum);
  }
  return FF_OK;
}

static ff_status check_network(const maker *m, ff_error *err) {
  const ff_ssa_program *p = m->p;
  if (m->f->n_factored < m->f->n_groups)
    return ff_error_set(err, FF_EUNSUPPORTED, "%u reactions have laws without factors", m->f->n_groups - m->f->n_factored);
  if (p->n_species > FF_SSA_MEMBER_SPECIES - 2 || m->f->n_groups > 32 * FF_SSA_EACH_MOST * FF_SSA_ROUNDS_MOST)
    return ff_error_set(err, FF_EUNSUPPORTED, "the network is too large");
  for (uint32_t r = 0; r < p->n_reactions; r++)
    if (p->change_first[r + 1] - p->change_first[r] > FF_SSA_FACTORED_CHANGES)
      return ff_error_set(err, FF_EUNSUPPORTED, "a reaction changes %u counts", p->change_first[r + 1] - p->change_first[r]);
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    double by = 0;
    for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) by += fabs((double)p->changes[i].by);
    if (by > MOST_BY) return ff_error_set(err, FF_EUNSUPPORTED, "a reaction changes counts by %.17g in all", by);
  }
  return FF_OK;
}

/* Weights of 256 do not fit into a byte, and large tables not into memory. */
static ff_status check_image(const maker *m, ff_error *err) {
  const ff_ssa_factored_image *image = m->image;
  for (uint32_t i = 0; i < m->f->n_members; i++)
    if (m->f->members[i].weight > 255 && image->n_uses == 0)
      return ff_error_set(err, FF_EUNSUPPORTED, "a weight is %u", m->f->members[i].weight);
  for (uint32_t i = 0; i < m->p->n_changes && image->n_uses == 0; i++)
    if (m->p->changes[i].by > MOST_BYTE || m->p->changes[i].by < -MOST_BYTE)
      return ff_error_set(err, FF_EUNSUPPORTED, "a reaction changes a count by %lld", (long long)m->p->changes[i].by);
  const uint64_t each = image->n_uses > 0 ? (uint64_t)image->n_uses * sizeof(ff_ssa_factored_use) : sums_of(image);
  if (((uint64_t)m->p->n_species + 2) * each > MOST_BYTES || (uint64_t)m->f->n_map * image->n_changes * 8 > MOST_BYTES)
    return ff_error_set(err, FF_EUNSUPPORTED, "the network is too large");
  return FF_OK;
}

static ff_status make_image(maker *m, void **memory, size_t *bytes, ff_error *err) {
  m->first = ff_calloc((size_t)m->f->n_sums + 1, sizeof *m->first);
  m->seen = ff_calloc((size_t)m->p->n_species + 1, sizeof *m->seen);
  if (m->first == NULL || m->seen == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network");
  choose_lanes(m);
  choose_levels(m);
  measure_changes(m);
  ff_status status = check_image(m, err);
  if (status == FF_OK) status = place_members(m, err);
  if (status != FF_OK) return status;
  place_words(m);
  make(m, NULL);
  *bytes = m->used;
  char *block = ff_calloc_aligned(m->used, 1);
  if (block == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a network of %u reactions", m->p->n_reactions);
  make(m, block);
  *memory = block;
  return FF_OK;
}

ff_status ff_ssa_factored_image_new(ff_ssa_factored_image *out, void **memory, size_t *bytes, const ff_ssa_program *program,
                                    const double *initial, ff_error *err) {
  maker m = {.p = program, .f = program->factor, .initial = initial, .image = out};
  *memory = NULL;
  *out = (ff_ssa_factored_image){.n_species = program->n_species};
  ff_status status = check_network(&m, err);
  if (status == FF_OK) status = check_initial(&m, err);
  if (status == FF_OK) status = make_image(&m, memory, bytes, err);
  free(m.first);
  free(m.seen);
  return status;
}

/* The time of a step is about a constant, a part for each group of a lane, and a part for 32 members of a sum; it grows with
 * fewer warps. All of this was measured on an H200 (docs/decisions/14-gpu-warps-for-groups.md). */
#define TIME 0.45e-9
#define TIME_GROUP 0.05e-9
#define TIME_MEMBERS 0.03e-9
#define MOST_MEMBERS 224.0 /* more members do not take longer: cells are searched then */
#define WARPS 32.0
#define WARPS_EXPONENT 0.6
double ff_ssa_factored_speed(const ff_ssa_program *program, double trajectories) {
  ff_ssa_factored_image image = {.n_species = program->n_species};
  const maker m = {.p = program, .f = program->factor, .image = &image};
  ff_error err;
  if (m.f->n_groups == FF_FACTOR_NONE || check_network(&m, &err) != FF_OK) return 0;
  choose_lanes(&m);
  const double members = (double)m.f->n_members / m.f->n_sums, each = (double)image.each * image.rounds;
  const double warps = image.each < FF_SSA_EACH_MOST ? WARPS : image.rounds > 1 ? 12 : 20;
  const double time = TIME + TIME_GROUP * each + TIME_MEMBERS * (members < MOST_MEMBERS ? members : MOST_MEMBERS) / 32;
  return (trajectories < warps ? trajectories / warps : 1) / (time * pow(WARPS / warps, WARPS_EXPONENT));
}

ff_ssa_factored_image ff_ssa_factored_image_at(const ff_ssa_factored_image *image, const void *from, const void *to) {
  ff_ssa_factored_image out = *image;
#define MOVE(field) \
  if (image->field != NULL) out.field = (const void *)((const char *)to + ((const char *)image->field - (const char *)from))
  MOVE(initial);
  MOVE(leaves);
  MOVE(searches);
  MOVE(members);
  MOVE(changes);
  MOVE(uses);
  MOVE(weights);
#undef MOVE
  return out;
}

int ff_ssa_factored_image_alike(const ff_ssa_factored_image *a, const ff_ssa_factored_image *b) {
  for (uint32_t level = 1; level <= FF_SSA_CELL_LEVELS; level++)
    if (a->cell[level] != b->cell[level]) return 0;
  return a->n_species == b->n_species && a->each == b->each && a->rounds == b->rounds && a->levels == b->levels &&
         a->count == b->count && a->n_words == b->n_words;
}
