/* Steps (ii) and (iii): the order of the species, and which RU evaluates which reaction. */
#include <stdlib.h>

#include "../../base/ff_philox.h"
#include "ff_ssp_compile_internal.h"

uint32_t ff_ssp_random(uint64_t seed, uint32_t purpose, uint64_t i, uint32_t n) {
  const ff_philox_block w = ff_philox(ff_philox_counter(purpose, 0, i, 0), seed);
  return (uint32_t)((uint64_t)w.v[0] * n >> 32);
}

void ff_ssp_shuffle(uint32_t *array, uint32_t n, uint64_t seed, uint32_t purpose) {
  for (uint32_t i = n; i > 1; i--) {
    const uint32_t at = ff_ssp_random(seed, purpose, i, i), held = array[at];
    array[at] = array[i - 1];
    array[i - 1] = held;
  }
}

/* ---- the order of the species --------------------------------------------------------------------------------------- */

static uint32_t readers_of(const ff_ssp_network *net, uint32_t s) { return net->reader_first[s + 1] - net->reader_first[s]; }

/* Appends the companions of a species that have not been reached: those that react with it. */
static uint32_t reach_companions(uint32_t *order, uint32_t n, uint8_t *reached, const ff_ssp_network *net, uint32_t s) {
  for (uint32_t i = net->reader_first[s]; i < net->reader_first[s + 1]; i++) {
    const uint32_t r = net->readers[i], other = net->a[r] == s ? net->b[r] : net->a[r];
    if (reached[other]) continue;
    reached[other] = 1;
    order[n++] = other;
  }
  return n;
}

/* Sorts species by descending numbers of readers; those of equal numbers keep their order. `count` has most + 2 entries. */
static void sort_by_readers(uint32_t *out, const uint32_t *species, uint32_t n, const ff_ssp_network *net, uint32_t most,
                            uint32_t *count) {
  for (uint32_t i = 0; i <= most + 1; i++) count[i] = 0;
  for (uint32_t i = 0; i < n; i++) count[most - readers_of(net, species[i]) + 1]++;
  for (uint32_t i = 0; i <= most; i++) count[i + 1] += count[i];
  for (uint32_t i = 0; i < n; i++) out[count[most - readers_of(net, species[i])]++] = species[i];
}

/* Breadth first from each root that has not been reached. Companions are so neighbours in the order. */
static uint32_t spread(uint32_t *order, const uint32_t *roots, uint32_t n_roots, uint8_t *reached, const ff_ssp_network *net) {
  uint32_t n = 0;
  for (uint32_t i = 0, at = 0; i < n_roots; i++) {
    if (!reached[roots[i]]) {
      reached[roots[i]] = 1;
      order[n++] = roots[i];
    }
    for (; at < n; at++) n = reach_companions(order, n, reached, net, order[at]);
  }
  return n;
}

static ff_status check_order(const uint32_t *order, uint8_t *seen, uint32_t n, ff_error *err) {
  for (uint32_t i = 0; i < n; i++) seen[i] = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (order[i] >= n || seen[order[i]]) return ff_error_set(err, FF_EINTERNAL, "the order of species has %u twice", order[i]);
    seen[order[i]] = 1;
  }
  return FF_OK;
}

/* Species in the order of their first appearance, and then the others. Returns how many appear. */
static uint32_t by_appearance(uint32_t *out, const ff_ssp_network *net) {
  uint32_t n = 0, rest;
  for (uint32_t s = 0; s < net->n_species; s++) n += net->rank[s] != FF_SSP_NONE_OF;
  rest = n;
  for (uint32_t s = 0; s < net->n_species; s++) out[net->rank[s] != FF_SSP_NONE_OF ? net->rank[s] : rest++] = s;
  return n;
}

ff_status ff_ssp_rename(uint32_t *order, const ff_ssp_network *net, ff_ssp_optimise optimise, uint64_t seed, ff_error *err) {
  const uint32_t n = net->n_species;
  uint32_t most = 0;
  for (uint32_t s = 0; s < n; s++)
    if (readers_of(net, s) > most) most = readers_of(net, s);
  uint32_t *appear = ff_calloc(n, sizeof *appear), *roots = ff_calloc(n, sizeof *roots);
  uint32_t *count = ff_calloc((size_t)most + 2, sizeof *count);
  uint8_t *reached = ff_calloc(n, 1);
  ff_status status = FF_OK;
  if (appear == NULL || roots == NULL || count == NULL || reached == NULL) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for the order of %u species", n);
  } else {
    by_appearance(appear, net);
    if (optimise == FF_SSP_NONE) {
      for (uint32_t i = 0; i < n; i++) order[i] = appear[i];
      ff_ssp_shuffle(order, n, seed, DRAW_ORDER);
    } else {
      const uint32_t *from = appear;
      if (optimise == FF_SSP_PAPER) {
        sort_by_readers(roots, appear, n, net, most, count);
        from = roots;
      }
      spread(order, from, n, reached, net);
    }
    status = check_order(order, reached, n, err);
  }
  free(appear);
  free(roots);
  free(count);
  free(reached);
  return status;
}

/* ---- the partition -------------------------------------------------------------------------------------------------- */

/* The group of a reaction: the place of its first reactant in the order that `place` gives. Sources come last. */
static uint32_t group_of(const ff_ssp_network *net, const uint32_t *place, uint32_t r) {
  if (net->type[r] == FF_SSP_SPECIAL) return net->n_species;
  return place[net->a[r]] < place[net->b[r]] ? place[net->a[r]] : place[net->b[r]];
}

/* The reactions group by group. `first` has n_species + 2 entries. */
static void list_groups(uint32_t *list, uint32_t *first, const ff_ssp_network *net, const uint32_t *place) {
  const uint32_t n = net->n_species;
  for (uint32_t i = 0; i < n + 2; i++) first[i] = 0;
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t r = 0; r < net->n_reactions; r++) {
      const uint32_t group = group_of(net, place, r);
      if (fill)
        list[first[group]++] = r;
      else
        first[group + 1]++;
    }
    for (uint32_t i = 0; i <= n && !fill; i++) first[i + 1] += first[i];
  }
}

/* Deals reactions, one to each RU in turn. */
static void deal(uint32_t *ru_of, const uint32_t *list, uint32_t n, uint32_t rus) {
  for (uint32_t i = 0; i < n; i++) ru_of[list[i]] = i % rus;
}

/* Cuts the list of groups into pieces with equal numbers of instructions. A group is cut only if it is large: if to keep it whole
 * would make a piece too long by more than a 32nd. */
static void cut(uint32_t *ru_of, const ff_ssp_network *net, const uint32_t *list, const uint32_t *place, uint32_t rus) {
  uint64_t total = 0, done = 0;
  for (uint32_t r = 0; r < net->n_reactions; r++) total += ff_ssp_weight(net, r);
  const uint64_t slack = total / rus / 32;
  uint32_t ru = 0, group = FF_SSP_NONE_OF;
  for (uint32_t i = 0; i < net->n_reactions; i++) {
    const uint32_t r = list[i];
    const uint32_t its = group_of(net, place, r);
    const uint64_t end = (ru + 1) * total / rus;
    if (ru + 1 < rus && (its != group ? done >= end : done >= end + slack)) ru++;
    group = its;
    ru_of[r] = ru;
    done += ff_ssp_weight(net, r);
  }
}

/* A heap of RUs, by their numbers of instructions and then their own numbers. */
typedef struct {
  uint32_t *ru;
  uint64_t *load;
  uint32_t n;
} heap;

static int before(const heap *h, uint32_t i, uint32_t j) {
  const uint32_t x = h->ru[i], y = h->ru[j];
  return h->load[x] != h->load[y] ? h->load[x] < h->load[y] : x < y;
}

static void sink(heap *h, uint32_t i) {
  for (;;) {
    uint32_t least = i;
    for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->n; child++)
      if (before(h, child, least)) least = child;
    if (least == i) return;
    const uint32_t held = h->ru[i];
    h->ru[i] = h->ru[least];
    h->ru[least] = held;
    i = least;
  }
}

/* Gives each dummy to the RU that has the fewest instructions. */
static ff_status give_dummies(uint32_t *ru_of_dummy, const uint32_t *ru_of, const ff_ssp_network *net, uint32_t rus,
                              ff_error *err) {
  heap h = {ff_calloc(rus, sizeof *h.ru), ff_calloc(rus, sizeof *h.load), rus};
  ff_status status = FF_OK;
  if (h.ru == NULL || h.load == NULL) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u RUs", rus);
  } else {
    for (uint32_t r = 0; r < net->n_reactions; r++) h.load[ru_of[r]] += ff_ssp_weight(net, r);
    for (uint32_t j = 0; j < rus; j++) h.ru[j] = j;
    for (uint32_t i = rus / 2; i-- > 0;) sink(&h, i);
    for (uint32_t i = 0; i < net->n_dummies; i++) {
      ru_of_dummy[i] = h.ru[0];
      h.load[h.ru[0]]++;
      sink(&h, 0);
    }
  }
  free(h.ru);
  free(h.load);
  return status;
}

static ff_status check_partition(const uint32_t *ru_of, uint32_t n, uint32_t rus, ff_error *err) {
  for (uint32_t r = 0; r < n; r++)
    if (ru_of[r] >= rus) return ff_error_set(err, FF_EINTERNAL, "reaction %u belongs to RU %u of %u", r + 1, ru_of[r], rus);
  return FF_OK;
}

ff_status ff_ssp_partition(uint32_t *ru_of, uint32_t *ru_of_dummy, const ff_ssp_network *net, const uint32_t *order,
                           uint32_t rus, ff_ssp_optimise optimise, uint64_t seed, ff_error *err) {
  uint32_t *list = ff_calloc(net->n_reactions, sizeof *list), *place = ff_calloc(net->n_species, sizeof *place);
  uint32_t *first = ff_calloc((size_t)net->n_species + 2, sizeof *first);
  ff_status status = FF_OK;
  if (list == NULL || place == NULL || first == NULL) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for the partition of %u reactions", net->n_reactions);
  } else {
    for (uint32_t i = 0; i < net->n_species; i++) place[order[i]] = i;
    for (uint32_t r = 0; r < net->n_reactions; r++) list[r] = r;
    /* The paper groups by the order before renaming. */
    if (optimise != FF_SSP_NONE) list_groups(list, first, net, optimise == FF_SSP_PAPER ? net->rank : place);
    if (optimise == FF_SSP_NONE) ff_ssp_shuffle(list, net->n_reactions, seed, DRAW_PARTITION);
    if (optimise == FF_SSP_LOCALITY)
      cut(ru_of, net, list, place, rus);
    else
      deal(ru_of, list, net->n_reactions, rus);
    status = check_partition(ru_of, net->n_reactions, rus, err);
  }
  if (status == FF_OK) status = give_dummies(ru_of_dummy, ru_of, net, rus, err);
  free(list);
  free(place);
  free(first);
  return status;
}
