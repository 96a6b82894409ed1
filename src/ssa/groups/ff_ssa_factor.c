/* The analysis: classes of rates, pools, hubs, groups. */
#include "ff_ssa_dense.h"
#include "ff_ssa_factor.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssa_factor_hubs.h"

#define POOL_MOST 512u            /* members of a pool; the table of its pairs has this many rows and columns */
#define SUM_WEIGHT (UINT64_C(1) << 13)
#define MERGED_WEIGHT SUM_WEIGHT

/* A reaction in a group: `species` is the member of the sum. */
typedef struct {
  double rate;
  uint32_t kind, hub, species, weight, reaction;
  uint32_t layer; /* of several reactions of a species whose weights are too many for one member */
} item;

/* Distinct rates in ascending order, and their classes. */
typedef struct {
  double *rate;
  uint32_t *base;   /* of each rate: the number of the smallest rate of its class */
  uint32_t *weight; /* of each rate: its multiple of that */
  uint32_t n;
} classes;

typedef struct {
  const ff_ssa_program *p;
  ff_ssa_factor *f;
  classes rates[2]; /* of reactions without and with a hub */
  uint8_t *used;    /* for each reaction: 1 if it is in a pool */
  uint8_t *merged;  /* for each item: 1 if its group has multiples of its rate */
  item *items, *twins;
  uint32_t n_items, n_twins;
  uint32_t *place;  /* for each species: its position in a pool + 1 */
  size_t groups_room, members_room, map_room, sums_room;
  size_t addends;   /* the most for lists by reaction */
  ff_error *err;
} analysis;

static int compare_doubles(const void *left, const void *right) {
  const double x = *(const double *)left, y = *(const double *)right;
  return x < y ? -1 : x > y;
}

static int compare_items(const void *left, const void *right) {
  const item *x = left, *y = right;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->rate != y->rate) return x->rate < y->rate ? -1 : 1;
  if (x->hub != y->hub) return x->hub < y->hub ? -1 : 1;
  if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
  if (x->species != y->species) return x->species < y->species ? -1 : 1;
  return x->reaction < y->reaction ? -1 : x->reaction > y->reaction;
}

/* ---- classes of rates --------------------------------------------------------------------------------------------------- */

/* Constants are rounded, so multiples are too. The rate of a reaction changes by at most one unit in its last place, which is
 * less than the rounding of its propensity. */
static int same_rate(double x, double y) { return fabs(x - y) <= DBL_EPSILON * x; }

static int factorable(const ff_ssa_propensity *a) {
  return a->rate > 0 && (a->law == FF_LAW_CONSTANT || a->law == FF_LAW_LINEAR || (a->law == FF_LAW_PAIR && a->a != a->b));
}

/* The first of the rates that is at least x, but for rounding; the number of rates if none is. */
static uint32_t find_rate(const classes *c, double x) {
  uint32_t low = 0, high = c->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (c->rate[middle] >= x || same_rate(c->rate[middle], x))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void sort_rates(classes *c) {
  uint32_t n = 0;
  if (c->n > 0) qsort(c->rate, c->n, sizeof *c->rate, compare_doubles);
  for (uint32_t i = 0; i < c->n; i++)
    if (i == 0 || c->rate[i] != c->rate[n - 1]) c->rate[n++] = c->rate[i];
  c->n = n;
}

static classes *classes_of(analysis *a, const ff_ssa_propensity *law) { return a->rates + (law->law == FF_LAW_PAIR); }

/* Returns 0 as soon as the classes are too many: each has at least one group, unless a pool has its pairs. */
static int find_classes(analysis *a) {
  uint32_t groups = 0;
  for (uint32_t r = 0; r < a->p->n_reactions; r++) {
    const ff_ssa_propensity *law = a->p->propensities + r;
    classes *c = classes_of(a, law);
    if (factorable(law)) c->rate[c->n++] = law->rate;
  }
  for (classes *c = a->rates; c < a->rates + 2; c++) {
    sort_rates(c);
    for (uint32_t i = 0; i < c->n; i++) {
      if (c->weight[i] != 0) continue;
      if ((c == a->rates || a->n_twins == 0) && ++groups > FF_FACTOR_LEAVES) return 0;
      for (uint32_t k = 1; k <= FF_FACTOR_MULTIPLE; k++) {
        const double x = c->rate[i] * k;
        for (uint32_t j = find_rate(c, x); j < c->n && same_rate(c->rate[j], x); j++) {
          if (c->weight[j] != 0) continue;
          c->base[j] = i;
          c->weight[j] = k;
        }
      }
    }
  }
  return 1;
}

/* The number of a rate that is in the list. */
static uint32_t number_of(const classes *c, double rate) {
  uint32_t i = find_rate(c, rate);
  while (c->rate[i] != rate) i++;
  return i;
}

/* ---- pools -------------------------------------------------------------------------------------------------------------- */

static void list_twins(analysis *a) {
  for (uint32_t r = 0; r < a->p->n_reactions; r++) {
    const ff_ssa_propensity *law = a->p->propensities + r;
    if (law->law == FF_LAW_TWIN && law->rate > 0)
      a->twins[a->n_twins++] = (item){law->rate, FF_GROUP_POOL, 0, law->a, 1, r, 0};
  }
  qsort(a->twins, a->n_twins, sizeof *a->twins, compare_items);
}

static ff_status add_members(analysis *a, const ff_ssa_member *members, uint32_t n) {
  ff_ssa_factor *f = a->f;
  ff_status status = ff_grow((void **)&f->members, &a->members_room, (size_t)f->n_members + n, sizeof *members, a->err);
  if (status != FF_OK) return status;
  memcpy(f->members + f->n_members, members, n * sizeof *members);
  f->n_members += n;
  return FF_OK;
}

/* A sum with the last n members, or an equal one that there is already. */
static ff_status add_sum(analysis *a, uint32_t n, uint32_t *sum) {
  ff_ssa_factor *f = a->f;
  const uint32_t first = f->n_members - n;
  for (*sum = 0; *sum < f->n_sums; ++*sum) {
    const ff_ssa_factor_sum *s = f->sums + *sum;
    if (s->n != n || memcmp(f->members + s->first, f->members + first, n * sizeof *f->members) != 0) continue;
    f->n_members = first;
    return FF_OK;
  }
  ff_status status = ff_grow((void **)&f->sums, &a->sums_room, (size_t)f->n_sums + 1, sizeof *f->sums, a->err);
  if (status == FF_OK) f->sums[f->n_sums++] = (ff_ssa_factor_sum){.first = first, .n = n};
  return status;
}

/* Adds a group and room for its map. */
static ff_status add_group(analysis *a, ff_ssa_factor_group group, size_t map) {
  ff_ssa_factor *f = a->f;
  group.map = f->n_map;
  if (map > UINT32_MAX - f->n_map) return ff_error_set(a->err, FF_ESIZE, "the factors of the network are too large");
  ff_status status = ff_grow((void **)&f->groups, &a->groups_room, (size_t)f->n_groups + 1, sizeof *f->groups, a->err);
  if (status == FF_OK) status = ff_grow((void **)&f->map, &a->map_room, f->n_map + map, sizeof *f->map, a->err);
  if (status != FF_OK) return status;
  f->groups[f->n_groups++] = group;
  f->n_map += (uint32_t)map;
  return FF_OK;
}

static ff_status add_pool(analysis *a, const item *twins, uint32_t m, const uint32_t *table) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < m && status == FF_OK; i++)
    status = add_members(a, &(ff_ssa_member){twins[i].species, 1}, 1);
  uint32_t sum = 0;
  if (status == FF_OK) status = add_sum(a, m, &sum);
  const ff_ssa_factor_group group = {.rate = twins->rate, .kind = FF_GROUP_POOL, .sum = sum, .ranges = m};
  if (status == FF_OK) status = add_group(a, group, (size_t)m * m);
  if (status != FF_OK) return status;
  memcpy(a->f->map + a->f->n_map - (size_t)m * m, table, (size_t)m * m * sizeof *table);
  return FF_OK;
}

/* Whether there is a reaction of twice the rate for each pair of the twins' species. Then *table has all reactions. */
static int is_pool(analysis *a, const item *twins, uint32_t m, uint32_t *table) {
  uint32_t found = 0;
  int repeated = 0;
  memset(table, 0xff, (size_t)m * m * sizeof *table);
  for (uint32_t i = 0; i < m; i++) {
    repeated |= a->place[twins[i].species] != 0;
    a->place[twins[i].species] = i + 1;
    table[i * m + i] = twins[i].reaction;
  }
  for (uint32_t i = 0; i < m && !repeated; i++) { /* each pair is seen from both sides */
    const uint32_t species = twins[i].species;
    for (size_t k = a->p->reader_first[species]; k < a->p->reader_first[species + 1]; k++) {
      const ff_ssa_propensity *law = a->p->propensities + a->p->readers[k];
      if (law->law != FF_LAW_PAIR || law->a == law->b || !same_rate(law->rate, 2 * twins->rate)) continue;
      const uint32_t j = a->place[law->a == species ? law->b : law->a];
      if (j == 0) continue;
      repeated |= table[i * m + j - 1] != FF_FACTOR_NONE;
      table[i * m + j - 1] = a->p->readers[k];
      found++;
    }
  }
  for (uint32_t i = 0; i < m; i++) a->place[twins[i].species] = 0;
  return !repeated && found == m * (m - 1);
}

static ff_status find_pools(analysis *a) {
  const size_t most = a->n_twins < POOL_MOST ? a->n_twins : POOL_MOST; /* members of a pool */
  uint32_t *table = ff_calloc(most * most, sizeof *table);
  if (table == NULL) return ff_error_set(a->err, FF_EMEMORY, "no memory for the factors of a network");
  ff_status status = FF_OK;
  for (uint32_t i = 0, n; i < a->n_twins && status == FF_OK && a->f->n_groups <= FF_FACTOR_LEAVES; i += n) {
    const item *twins = a->twins + i;
    for (n = 1; i + n < a->n_twins && twins[n].rate == twins->rate;) n++;
    if (n <= POOL_MOST && is_pool(a, twins, n, table)) {
      for (uint32_t k = 0; k < n * n; k++) a->used[table[k]] = 1;
      status = add_pool(a, twins, n, table);
    } else {
      for (uint32_t k = 0; k < n && status == FF_OK && a->f->n_groups <= FF_FACTOR_LEAVES; k++)
        status = add_pool(a, twins + k, 1, &twins[k].reaction);
    }
  }
  free(table);
  return status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

static int same_group(const item *x, const item *y) {
  return x->kind == y->kind && x->rate == y->rate && x->hub == y->hub && x->layer == y->layer;
}

static int same_member(const item *x, const item *y) {
  return x->kind == y->kind && x->rate == y->rate && x->hub == y->hub && x->species == y->species;
}

/* Puts the items of a species that together weigh too much into several layers. The items are sorted. */
static void set_layers(analysis *a) {
  uint32_t weight = 0, layer = 0;
  for (uint32_t i = 0; i < a->n_items; i++) {
    item *one = a->items + i;
    if (i == 0 || !same_member(one, one - 1)) weight = layer = 0;
    weight += one->weight;
    if (weight > FF_FACTOR_WEIGHT) {
      weight = one->weight;
      layer++;
    }
    one->layer = layer;
  }
  qsort(a->items, a->n_items, sizeof *a->items, compare_items);
}

/* Sorts the items by groups. Different rates stay in one group only if its sum remains small. */
static void separate_rates(analysis *a) {
  if (a->n_items == 0) return;
  qsort(a->items, a->n_items, sizeof *a->items, compare_items);
  for (uint32_t first = 0, n; first < a->n_items; first += n) {
    item *items = a->items + first;
    uint64_t total = 0;
    for (n = 0; first + n < a->n_items && same_group(items, items + n); n++) total += items[n].weight;
    a->merged[first] = total <= MERGED_WEIGHT;
    for (uint32_t i = 1; i < n; i++) a->merged[first + i] = a->merged[first];
  }
  for (uint32_t i = 0; i < a->n_items; i++) {
    if (a->merged[i]) continue;
    a->items[i].rate = a->p->propensities[a->items[i].reaction].rate;
    a->items[i].weight = 1;
  }
  qsort(a->items, a->n_items, sizeof *a->items, compare_items);
  set_layers(a);
}

/* Lists the reactions with constant, linear and pair laws, with a hub for each pair. */
static ff_status list_items(analysis *a) {
  const ff_ssa_program *p = a->p;
  ff_ssa_factor_pair *pairs = ff_calloc(p->n_reactions, sizeof *pairs);
  if (pairs == NULL) return ff_error_set(a->err, FF_EMEMORY, "no memory for the factors of %u reactions", p->n_reactions);
  uint32_t n_pairs = 0;
  for (uint32_t r = 0; r < p->n_reactions; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    if (factorable(law) && law->law == FF_LAW_PAIR && !a->used[r])
      pairs[n_pairs++] =
          (ff_ssa_factor_pair){.class = a->rates[1].base[number_of(a->rates + 1, law->rate)], .a = law->a, .b = law->b};
  }
  ff_status status = ff_ssa_factor_hubs(pairs, n_pairs, a->err);
  uint32_t at = 0;
  for (uint32_t r = 0; r < p->n_reactions && status == FF_OK; r++) {
    const ff_ssa_propensity *law = p->propensities + r;
    if (!factorable(law) || a->used[r]) continue;
    const classes *c = classes_of(a, law);
    const uint32_t number = number_of(c, law->rate);
    item *one = a->items + a->n_items++;
    *one = (item){c->rate[c->base[number]], FF_GROUP_PLAIN, 0, law->a, c->weight[number], r, 0};
    if (law->law == FF_LAW_CONSTANT) one->species = p->n_species;
    if (law->law != FF_LAW_PAIR) continue;
    one->kind = FF_GROUP_HUB;
    one->hub = pairs[at++].hub;
    one->species = one->hub == law->a ? law->b : law->a;
  }
  free(pairs);
  if (status == FF_OK) separate_rates(a);
  return status;
}

/* How many of n items, from the first on, fit into one group. *divisor becomes the greatest common divisor of their weights. */
static uint32_t count_group(const item *items, uint32_t n, uint32_t *divisor) {
  uint64_t total = 0, member = 0;
  uint32_t i = 0;
  *divisor = 0;
  for (; i < n && same_group(items, items + i) && (total += items[i].weight) <= SUM_WEIGHT; i++) {
    member = (i > 0 && items[i].species == items[i - 1].species ? member : 0) + items[i].weight;
    if (member > FF_FACTOR_WEIGHT) break;
    *divisor = ff_common_divisor(items[i].weight, *divisor);
  }
  return i;
}

/* Makes a group of n items. The weights become multiples of their divisor, so that groups have the same sums if possible. */
static ff_status make_group(analysis *a, const item *items, uint32_t n, uint32_t divisor) {
  ff_ssa_factor *f = a->f;
  uint32_t members = 0, ranges = 0, sum = 0;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < n && status == FF_OK; i++) {
    if (i == 0 || items[i].species != items[i - 1].species) {
      status = add_members(a, &(ff_ssa_member){items[i].species, 0}, 1);
      if (status != FF_OK) return status;
      members++;
    }
    ff_ssa_member *last = f->members + f->n_members - 1;
    last->weight += items[i].weight / divisor;
    if (last->weight > ranges) ranges = last->weight;
  }
  status = add_sum(a, members, &sum);
  const double rate = divisor == items->weight ? a->p->propensities[items->reaction].rate : items->rate * divisor;
  if (status == FF_OK)
    status = add_group(a, (ff_ssa_factor_group){.rate = rate, .kind = items->kind, .hub = items->hub, .sum = sum,
                                                .ranges = ranges},
                       (size_t)members * ranges);
  if (status != FF_OK) return status;
  uint32_t *map = f->map + f->groups[f->n_groups - 1].map;
  for (uint32_t i = 0; i < members * ranges; i++) map[i] = a->p->n_reactions;
  for (uint32_t i = 0, unit = 0; i < n; i++) {
    if (i > 0 && items[i].species != items[i - 1].species) map += ranges, unit = 0;
    for (uint32_t k = 0; k < items[i].weight / divisor; k++) map[unit++] = items[i].reaction;
  }
  return FF_OK;
}

static ff_status find_groups(analysis *a) {
  ff_ssa_factor *f = a->f;
  ff_status status = FF_OK;
  for (uint32_t at = 0, n, divisor; at < a->n_items && status == FF_OK && f->n_groups <= FF_FACTOR_LEAVES; at += n) {
    n = count_group(a->items + at, a->n_items - at, &divisor);
    status = make_group(a, a->items + at, n, divisor);
  }
  f->n_factored = f->n_groups;
  for (uint32_t r = 0; r < a->p->n_reactions && status == FF_OK && f->n_groups <= FF_FACTOR_LEAVES; r++) {
    const ff_ssa_propensity *law = a->p->propensities + r;
    if (factorable(law) || law->law == FF_LAW_TWIN || (law->rate == 0 && law->law <= FF_LAW_PRODUCT)) continue;
    status = add_group(a, (ff_ssa_factor_group){.kind = FF_GROUP_REST, .hub = r, .ranges = 1}, 1);
    if (status == FF_OK) f->map[f->n_map - 1] = r;
  }
  return status;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static void clear(ff_ssa_factor *f) {
  free(f->groups);
  free(f->sums);
  free(f->members);
  free(f->map);
  free(f->searches);
  free(f->reactions);
  free(f->species);
  free(f->addends);
  free(f->addends32);
  free(f->rest);
  ff_ssa_dense_free(f->dense);
  *f = (ff_ssa_factor){.n_groups = FF_FACTOR_NONE};
}

void ff_ssa_factor_free(ff_ssa_factor *f) {
  if (f == NULL) return;
  clear(f);
  free(f);
}

static ff_status allocate(analysis *a) {
  const ff_ssa_program *p = a->p;
  for (classes *c = a->rates; c < a->rates + 2; c++) {
    c->rate = ff_calloc(p->n_reactions, sizeof *c->rate);
    c->base = ff_calloc(p->n_reactions, sizeof *c->base);
    c->weight = ff_calloc(p->n_reactions, sizeof *c->weight);
    if (!c->rate || !c->base || !c->weight)
      return ff_error_set(a->err, FF_EMEMORY, "no memory for the factors of %u reactions", p->n_reactions);
  }
  a->used = ff_calloc(p->n_reactions, 1);
  a->merged = ff_calloc(p->n_reactions, 1);
  a->items = ff_calloc(p->n_reactions, sizeof *a->items);
  a->twins = ff_calloc(p->n_reactions, sizeof *a->twins);
  a->place = ff_calloc(p->n_species, sizeof *a->place);
  if (!a->used || !a->merged || !a->items || !a->twins || !a->place)
    return ff_error_set(a->err, FF_EMEMORY, "no memory for the factors of %u reactions", p->n_reactions);
  return FF_OK;
}

static ff_status analyse(analysis *a) {
  ff_status status = allocate(a);
  if (status != FF_OK) return status;
  list_twins(a);
  if (!find_classes(a)) {
    clear(a->f);
    return FF_OK;
  }
  status = find_pools(a);
  if (status == FF_OK) status = list_items(a);
  if (status == FF_OK) status = find_groups(a);
  if (status == FF_OK && a->f->n_groups <= FF_FACTOR_LEAVES && a->f->n_groups > 0)
    status = ff_ssa_factor_lay_out(a->f, a->p, a->addends, a->err);
  else if (status == FF_OK)
    a->f->n_groups = FF_FACTOR_NONE;
  if (status == FF_OK && a->f->n_groups == FF_FACTOR_NONE) clear(a->f);
  if (status == FF_OK && a->f->n_groups != FF_FACTOR_NONE) status = ff_ssa_dense_new(&a->f->dense, a->f, a->p, a->err);
  return status;
}

ff_status ff_ssa_factor_new(ff_ssa_factor **out, const ff_ssa_program *program, size_t addends, ff_error *err) {
  *out = NULL;
  ff_ssa_factor *f = ff_calloc(1, sizeof *f);
  if (f == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the factors of a network");
  analysis a = {.p = program, .f = f, .addends = addends, .err = err};
  ff_status status = analyse(&a);
  for (classes *c = a.rates; c < a.rates + 2; c++) {
    free(c->rate);
    free(c->base);
    free(c->weight);
  }
  free(a.used);
  free(a.merged);
  free(a.items);
  free(a.twins);
  free(a.place);
  if (status == FF_OK)
    *out = f;
  else
    ff_ssa_factor_free(f);
  return status;
}
