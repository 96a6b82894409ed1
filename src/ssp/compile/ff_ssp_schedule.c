/* Steps (iii) to (v) for an RU: which species stay in its scratchpad, and its instructions in their order. */
#include <stdlib.h>
#include <string.h>

#include "ff_ssp_compile_internal.h"

/* With FF_SSP_LOCALITY, entries that are left for species that pass by, if not all species can stay. Species that react with each
 * other are neighbours then, so few are enough. */
#define WINDOW 64u

/* An item is a reaction or a dummy. Species of an RU have numbers of its own, in the order of their spids. */
typedef struct {
  uint32_t a, b; /* its species, a <= b; of a source, FF_SSP_NONE_OF */
  uint32_t tag;
  uint8_t type;
  uint8_t half; /* of a Bi2: 0, or 1 + which half waits in the merger: 1 for a, 2 for b */
  uint8_t done;
} item;

typedef struct {
  const ff_ssp_network *net;
  const ff_ssp_chip *chip;
  ff_ssp_unit *unit;
  uint32_t *spid;  /* of each species of the RU, ascending */
  uint32_t *entry; /* of each species: where it is, or FF_SSP_NONE_OF */
  item *items;
  uint32_t *item_first, *item_of; /* of species s: the items that read it */
  uint32_t *ring;                 /* the species in each entry after the internal ones */
  size_t words_room, fetches_room;
  uint32_t n, n_items, n_words, ring_size, ring_at, open;
  ff_error *err;
} scheduler;

static int is_internal(const scheduler *s, uint32_t e) { return s->entry[e] < s->unit->n_internal; }

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static ff_status put(scheduler *s, const item *it, uint32_t op, uint32_t entry) {
  ff_ssp_unit *unit = s->unit;
  const float rate = it->tag == FF_SSP_NO_TAG || s->chip->precision == 64 ? 0 : (float)s->net->rate[it->tag];
  ff_ssp_instruction out = {it->type, op, entry, it->tag, 0};
  memcpy(&out.rate, &rate, sizeof out.rate);
  const ff_status status = ff_grow((void **)&unit->words, &s->words_room, (size_t)s->n_words + 1, sizeof *unit->words, s->err);
  if (status == FF_OK) unit->words[s->n_words++] = ff_ssp_pack(out);
  return status;
}

/* One more species is fetched. It extends the last species instruction if it is the next species. */
static ff_status put_fetch(scheduler *s, uint32_t spid) {
  ff_ssp_unit *unit = s->unit;
  if (unit->n_fetches > 0) {
    uint32_t *last = &unit->fetches[unit->n_fetches - 1];
    const uint32_t from = ff_ssp_fetch_spid(*last), length = ff_ssp_fetch_length(*last);
    if (from + length == spid && length < FF_SSP_MAX_LENGTH) {
      *last = ff_ssp_fetch(from, length + 1);
      return FF_OK;
    }
  }
  const ff_status status =
      ff_grow((void **)&unit->fetches, &s->fetches_room, (size_t)unit->n_fetches + 1, sizeof *unit->fetches, s->err);
  if (status == FF_OK) unit->fetches[unit->n_fetches++] = ff_ssp_fetch(spid, 1);
  return status;
}

/* An instruction that reads species e of this RU. A species that is not there is fetched, in place of the one that was fetched
 * longest ago. */
static ff_status read_species(scheduler *s, const item *it, uint32_t e) {
  if (s->entry[e] != FF_SSP_NONE_OF) return put(s, it, FF_SSP_SPAD, s->entry[e]);
  const uint32_t at = s->ring_at;
  s->ring_at = (at + 1) % s->ring_size;
  if (s->ring[at] != FF_SSP_NONE_OF) s->entry[s->ring[at]] = FF_SSP_NONE_OF;
  s->ring[at] = e;
  s->entry[e] = s->unit->n_internal + at;
  const ff_status status = put_fetch(s, s->spid[e]);
  return status == FF_OK ? put(s, it, FF_SSP_FIFO, s->entry[e]) : status;
}

static ff_status put_item(scheduler *s, item *it) {
  it->done = 1;
  if (it->a == FF_SSP_NONE_OF) return put(s, it, FF_SSP_SPAD, 0);
  ff_status status = read_species(s, it, it->a);
  if (status == FF_OK && it->type == FF_SSP_BI2) status = read_species(s, it, it->b);
  return status;
}

/* ---- items ---------------------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right) {
  const uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  return x < y ? -1 : x > y;
}

/* Species number k that item i of a share reads, or FF_SSP_NONE_OF. */
static uint32_t read_by(const ff_ssp_network *net, const ff_ssp_share *share, uint32_t i, int k) {
  if (i >= share->n_reactions) return k == 0 ? net->dummies[share->dummies[i - share->n_reactions]] : FF_SSP_NONE_OF;
  return k == 0 ? net->a[share->reactions[i]] : net->b[share->reactions[i]];
}

uint32_t ff_ssp_species_of(const ff_ssp_network *net, const ff_ssp_share *share, uint32_t *scratch) {
  uint32_t n = 0;
  for (int clear = 0; clear < 2; clear++) {
    for (uint32_t i = 0; i < share->n_reactions + share->n_dummies; i++) {
      for (int k = 0; k < 2; k++) {
        const uint32_t s = read_by(net, share, i, k);
        if (s == FF_SSP_NONE_OF) continue;
        n += !clear && scratch[s] == FF_SSP_NONE_OF;
        scratch[s] = clear ? FF_SSP_NONE_OF : 0;
      }
    }
  }
  return n;
}

/* Lists the species that the RU reads, by spid. While it is at work, number_of[] has the RU's number of each spid. */
static ff_status list_species(scheduler *s, const uint32_t *spid_of, const ff_ssp_share *share, uint32_t *number_of) {
  s->spid = ff_calloc(2 * (size_t)share->n_reactions + share->n_dummies, sizeof *s->spid);
  if (s->spid == NULL) return ff_error_set(s->err, FF_EMEMORY, "no memory for the species of an RU");
  for (uint32_t i = 0; i < share->n_reactions + share->n_dummies; i++) {
    for (int k = 0; k < 2; k++) {
      const uint32_t species = read_by(s->net, share, i, k);
      if (species == FF_SSP_NONE_OF || number_of[spid_of[species]] != FF_SSP_NONE_OF) continue;
      number_of[spid_of[species]] = 0;
      s->spid[s->n++] = spid_of[species];
    }
  }
  qsort(s->spid, s->n, sizeof *s->spid, compare);
  for (uint32_t e = 0; e < s->n; e++) number_of[s->spid[e]] = e;
  return FF_OK;
}

static item make_item(const scheduler *s, uint32_t r, const uint32_t *spid_of, const uint32_t *number_of) {
  item out = {FF_SSP_NONE_OF, FF_SSP_NONE_OF, r, s->net->type[r], 0, 0};
  if (out.type == FF_SSP_SPECIAL) return out;
  out.a = number_of[spid_of[s->net->a[r]]];
  out.b = number_of[spid_of[s->net->b[r]]];
  if (out.a > out.b) {
    const uint32_t held = out.a;
    out.a = out.b;
    out.b = held;
  }
  return out;
}

/* Lists the items, and those of each species in their order. */
static ff_status list_items(scheduler *s, const uint32_t *spid_of, const ff_ssp_share *share, const uint32_t *number_of) {
  s->n_items = share->n_reactions + share->n_dummies;
  s->items = ff_calloc(s->n_items, sizeof *s->items);
  s->item_first = ff_calloc((size_t)s->n + 2, sizeof *s->item_first);
  s->item_of = ff_calloc(2 * (size_t)s->n_items, sizeof *s->item_of);
  s->entry = ff_calloc(s->n, sizeof *s->entry);
  if (s->items == NULL || s->item_first == NULL || s->item_of == NULL || s->entry == NULL)
    return ff_error_set(s->err, FF_EMEMORY, "no memory for the reactions of an RU");
  for (uint32_t i = 0; i < share->n_reactions; i++) s->items[i] = make_item(s, share->reactions[i], spid_of, number_of);
  for (uint32_t i = 0; i < share->n_dummies; i++) {
    const uint32_t e = number_of[spid_of[s->net->dummies[share->dummies[i]]]];
    s->items[share->n_reactions + i] = (item){e, e, FF_SSP_NO_TAG, FF_SSP_SPECIAL, 0, 0};
  }
  uint32_t *first = s->item_first + 1; /* shifted by one while the lists are filled */
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < s->n_items; i++) {
      const item *it = &s->items[i];
      if (it->a == FF_SSP_NONE_OF) continue;
      for (uint32_t k = 0; k < (it->type == FF_SSP_BI2 ? 2u : 1u); k++) {
        const uint32_t e = k == 0 ? it->a : it->b;
        if (fill)
          s->item_of[first[e]++] = i;
        else
          first[e + 1]++;
      }
    }
    for (uint32_t e = 0; e < s->n && !fill; e++) first[e + 1] += first[e];
  }
  return FF_OK;
}

/* The species that stay: the first ones. If those of all RUs have room (`all_stay`), no species passes by. With FF_SSP_LOCALITY,
 * each RU uses its scratchpad as it needs it. */
static ff_status choose_internal(scheduler *s, ff_ssp_optimise optimise, int all_stay) {
  const uint32_t all = s->chip->internal + s->chip->cached;
  uint32_t n = s->chip->internal;
  if (optimise == FF_SSP_LOCALITY) n = all - (s->chip->cached < WINDOW ? s->chip->cached : WINDOW);
  if (all_stay || s->n < n || (optimise == FF_SSP_LOCALITY && s->n <= all)) n = s->n;
  s->unit->n_internal = n;
  s->ring_size = all - n;
  s->unit->internal = ff_calloc(n, sizeof *s->unit->internal);
  s->ring = ff_calloc(s->ring_size, sizeof *s->ring);
  if (s->unit->internal == NULL || s->ring == NULL) return ff_error_set(s->err, FF_EMEMORY, "no memory for a scratchpad");
  for (uint32_t i = 0; i < s->ring_size; i++) s->ring[i] = FF_SSP_NONE_OF;
  for (uint32_t e = 0; e < s->n; e++) s->entry[e] = e < n ? e : FF_SSP_NONE_OF;
  for (uint32_t e = 0; e < n; e++) s->unit->internal[e] = s->spid[e];
  return FF_OK;
}

/* ---- step (iv): reactions whose species all stay ------------------------------------------------------------------------ */

/* Puts those of one kind, species by species: with both = 0, those that read one species or none, else those that read two. The
 * reaction memory has the first instructions, as many as fit. */
static ff_status put_internal(scheduler *s, int both) {
  ff_status status = FF_OK;
  for (uint32_t e = 0; e < s->unit->n_internal && status == FF_OK; e++) {
    for (uint32_t i = s->item_first[e]; i < s->item_first[e + 1] && status == FF_OK; i++) {
      item *it = &s->items[s->item_of[i]];
      if (it->done || (it->type == FF_SSP_BI2) != both || !is_internal(s, it->a) || !is_internal(s, it->b)) continue;
      status = put_item(s, it);
    }
  }
  return status;
}

static ff_status put_sources(scheduler *s) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < s->n_items && status == FF_OK; i++)
    if (s->items[i].a == FF_SSP_NONE_OF) status = put_item(s, &s->items[i]);
  return status;
}

/* ---- step (v): Algorithm 1 ------------------------------------------------------------------------------------------- */

/* Whether species f is there, even after the next species has been fetched. */
static int stays(const scheduler *s, uint32_t f) {
  return s->entry[f] != FF_SSP_NONE_OF && (is_internal(s, f) || s->ring[s->ring_at] != f);
}

/* Whether an instruction of this item can be put while species e is there: 0; 1 for a half that closes or a whole item, 2 for a
 * half that opens. */
static int can_put(const scheduler *s, const item *it, uint32_t e) {
  if (it->done) return 0;
  if (it->type != FF_SSP_BI2) return 1;
  if (it->half != 0) return it->half == (it->a == e ? 2 : 1);
  if (stays(s, it->a == e ? it->b : it->a)) return 1;
  return s->open < s->chip->merger ? 2 : 0;
}

/* Puts what can be put of an item while species e is there. A Bi2 whose other species is there takes no register. */
static ff_status put_at(scheduler *s, item *it, uint32_t e) {
  const int can = can_put(s, it, e);
  if (can == 0) return FF_OK;
  ff_status status = read_species(s, it, e);
  if (it->type == FF_SSP_BI2 && can == 2) {
    it->half = it->a == e ? 1 : 2;
    s->open++;
    return status;
  }
  if (it->type == FF_SSP_BI2 && it->half == 0 && status == FF_OK) status = read_species(s, it, it->a == e ? it->b : it->a);
  if (it->half != 0) s->open--;
  it->done = 1;
  return status;
}

/* Puts what can be put of species e: first reactions of one species, then of two. *left becomes the number of its items that
 * still need it. */
static ff_status put_species(scheduler *s, uint32_t e, uint32_t *left) {
  ff_status status = FF_OK;
  for (int both = 0; both < 2; both++) {
    for (uint32_t i = s->item_first[e]; i < s->item_first[e + 1] && status == FF_OK; i++) {
      item *it = &s->items[s->item_of[i]];
      if ((it->type == FF_SSP_BI2) == both) status = put_at(s, it, e);
    }
  }
  *left = 0;
  for (uint32_t i = s->item_first[e]; i < s->item_first[e + 1]; i++) {
    const item *it = &s->items[s->item_of[i]];
    *left += !it->done && it->half != (it->a == e ? 1 : 2);
  }
  return status;
}

/* Goes over the species that pass by until all reactions are scheduled. Each pass puts something: if all registers are taken, it
 * comes to a species for which one of their halves waits. */
static ff_status put_external(scheduler *s) {
  uint32_t *waiting = ff_calloc(s->n, sizeof *waiting), n = 0;
  if (waiting == NULL) return ff_error_set(s->err, FF_EMEMORY, "no memory for the species of an RU");
  ff_status status = FF_OK;
  for (uint32_t e = s->unit->n_internal; e < s->n; e++) waiting[n++] = e;
  while (n > 0 && status == FF_OK) {
    const uint32_t before = s->n_words;
    uint32_t kept = 0, left = 0;
    for (uint32_t i = 0; i < n && status == FF_OK; i++) {
      status = put_species(s, waiting[i], &left);
      if (left > 0) waiting[kept++] = waiting[i];
    }
    if (status == FF_OK && s->n_words == before && kept == n)
      status = ff_error_set(s->err, FF_EINTERNAL, "the schedule of an RU does not come to its end");
    n = kept;
  }
  free(waiting);
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

static ff_status put_all(scheduler *s, ff_ssp_optimise optimise) {
  ff_status status = FF_OK;
  if (optimise == FF_SSP_NONE) {
    for (uint32_t i = 0; i < s->n_items && status == FF_OK; i++) status = put_item(s, &s->items[i]);
    return status;
  }
  status = put_sources(s);
  if (status == FF_OK) status = put_internal(s, 0);
  if (status == FF_OK) status = put_internal(s, 1);
  return status == FF_OK ? put_external(s) : status;
}

static ff_status check_schedule(const scheduler *s) {
  uint64_t want = 0;
  for (uint32_t i = 0; i < s->n_items; i++) {
    want += s->items[i].type == FF_SSP_BI2 ? 2 : 1;
    if (!s->items[i].done) return ff_error_set(s->err, FF_EINTERNAL, "an RU lacks reaction %u", s->items[i].tag + 1);
  }
  if (s->n_words != want || s->open != 0)
    return ff_error_set(s->err, FF_EINTERNAL, "an RU has %u instructions, not %llu", s->n_words, (unsigned long long)want);
  const uint64_t bytes = 4 * (uint64_t)s->unit->n_fetches;
  if (s->chip->species_memory > 0 && bytes > s->chip->species_memory)
    return ff_error_set(s->err, FF_ESIZE,
                        "the species instructions of an RU take %llu bytes; `species_memory` of the processor is %u bytes",
                        (unsigned long long)bytes, s->chip->species_memory);
  return FF_OK;
}

ff_status ff_ssp_schedule(ff_ssp_unit *unit, const ff_ssp_network *net, const uint32_t *spid_of, const ff_ssp_share *share,
                          const ff_ssp_chip *chip, ff_ssp_optimise optimise, uint32_t *scratch, ff_error *err) {
  scheduler s = {.net = net, .chip = chip, .unit = unit, .err = err};
  ff_status status = list_species(&s, spid_of, share, scratch);
  if (status == FF_OK) status = list_items(&s, spid_of, share, scratch);
  for (uint32_t e = 0; e < s.n; e++) scratch[s.spid[e]] = FF_SSP_NONE_OF;
  if (status == FF_OK) status = choose_internal(&s, optimise, share->all_stay);
  if (status == FF_OK) status = put_all(&s, optimise);
  if (status == FF_OK) status = check_schedule(&s);
  const uint32_t local = ff_ssp_local_most(chip);
  unit->n_local = s.n_words < local ? s.n_words : local;
  unit->n_stream = s.n_words - unit->n_local;
  unit->words = ff_shrink(unit->words, s.n_words, sizeof *unit->words);
  unit->fetches = ff_shrink(unit->fetches, unit->n_fetches, sizeof *unit->fetches);
  free(s.spid);
  free(s.entry);
  free(s.items);
  free(s.item_first);
  free(s.item_of);
  free(s.ring);
  return status;
}
