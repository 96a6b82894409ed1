/* Checks programs. It shares no logic with the compiler. */
#include <math.h>
#include <stdlib.h>

#include "ff_ssp_program.h"

#define NOTHING 0xFFFFFFFFu

/* How far a reaction is. */
enum { UNSEEN, HALF, SEEN };

typedef struct {
  const ff_ssp_program *p;
  uint8_t *seen;    /* of each reaction */
  uint32_t *reads;  /* of each reaction: the two species that it reads, or NOTHING */
  uint32_t *half_at; /* of each reaction: the instruction of its first half */
  uint8_t *read;    /* of each species: whether an RU reads it */
  uint32_t *stays_in; /* of each species: 1 + the last RU in which it is internal */
  uint8_t *touched; /* of each entry of an RU: whether it is read */
  uint32_t *holds;  /* of each entry of an RU: its species */
  ff_error *err;
} checker;

/* Where an RU is. */
typedef struct {
  const ff_ssp_unit *unit;
  uint32_t number, open;
  ff_ssp_data data;      /* the next population that is fetched */
  uint32_t at;           /* instruction */
} place_in;

static ff_status fault(const checker *c, const place_in *at, const char *what) {
  return ff_error_set(c->err, FF_EMODEL, "the program is broken: instruction %u of RU %u %s", at->at + 1, at->number + 1, what);
}

/* ---- instructions --------------------------------------------------------------------------------------------------- */

/* Finds the species that an instruction reads. */
static ff_status check_operand(checker *c, place_in *at, ff_ssp_instruction i, uint32_t *spid) {
  const ff_ssp_chip *chip = &c->p->chip;
  if (i.entry >= chip->internal + chip->cached) return fault(c, at, "names an entry beyond the scratchpad");
  if (i.op == FF_SSP_SPAD) {
    *spid = c->holds[i.entry];
    if (*spid == NOTHING) return fault(c, at, "reads an entry of the scratchpad that holds no species in this step");
  } else {
    if (i.entry < at->unit->n_internal) return fault(c, at, "overwrites a species that stays in the scratchpad");
    if (!ff_ssp_next_datum(&at->data, spid)) return fault(c, at, "takes a population, but no more are fetched");
    if (*spid >= c->p->n_species) return fault(c, at, "takes a species that the network does not have");
    if (c->stays_in[*spid] == at->number + 1) return fault(c, at, "takes a species that also stays in the scratchpad");
    c->holds[i.entry] = *spid;
  }
  c->touched[i.entry] = 1;
  c->read[*spid] = 1;
  return FF_OK;
}

static int companion_next(const place_in *at, uint32_t tag) {
  if (at->at + 1 == at->unit->n_local + at->unit->n_stream) return 0;
  const ff_ssp_instruction next = ff_ssp_unpack(at->unit->words[at->at + 1]);
  return next.type == FF_SSP_BI2 && next.tag == tag;
}

static ff_status check_half(checker *c, place_in *at, ff_ssp_instruction i, uint32_t spid) {
  if (c->seen[i.tag] == SEEN) return fault(c, at, "repeats a reaction");
  if (c->seen[i.tag] == UNSEEN) {
    c->seen[i.tag] = HALF;
    c->reads[2 * (size_t)i.tag] = spid;
    c->half_at[i.tag] = at->at;
    /* A half whose companion comes next needs no register. */
    return ++at->open > c->p->chip.merger && !companion_next(at, i.tag)
               ? fault(c, at, "needs one more register of the merger than there are")
               : FF_OK;
  }
  const uint32_t other = c->half_at[i.tag];
  const double *rates = at->unit->rates;
  if (ff_ssp_unpack(at->unit->words[other]).rate != i.rate || (rates != NULL && rates[other] != rates[at->at]))
    return fault(c, at, "has another rate than the other half of its reaction");
  c->seen[i.tag] = SEEN;
  c->reads[2 * (size_t)i.tag + 1] = spid;
  at->open--;
  return c->reads[2 * (size_t)i.tag] == spid ? fault(c, at, "reads the same species as the other half of its reaction") : FF_OK;
}

/* A rate of -0 would give a waiting time below 0. The rate constant of a Bi1 is twice its rate. */
static ff_status check_rate(const checker *c, const place_in *at, ff_ssp_instruction i) {
  const double rate = at->unit->rates != NULL ? at->unit->rates[at->at] : 0, most = 1.7976931348623157e308;
  if (i.rate >= 0x7F800000u) return fault(c, at, "has a rate that is not finite");
  if (at->unit->rates != NULL && (!(rate >= 0 && rate <= most) || i.rate != 0))
    return fault(c, at, "has a rate that is not finite, or two rates");
  if (rate == 0 && signbit(rate)) return fault(c, at, "has a rate of -0");
  if (i.type == FF_SSP_BI1 && rate > most / 2) return fault(c, at, "has a rate constant that is not finite");
  if (ff_ssp_is_dummy(i) && (i.rate != 0 || rate != 0)) return fault(c, at, "is a dummy with a rate");
  return FF_OK;
}

static ff_status check_instruction(checker *c, place_in *at) {
  const ff_ssp_instruction i = ff_ssp_unpack(at->unit->words[at->at]);
  uint32_t spid = NOTHING;
  const ff_status rated = check_rate(c, at, i);
  if (rated != FF_OK) return rated;
  if (!ff_ssp_is_dummy(i) && i.tag >= c->p->n_reactions) return fault(c, at, "names a reaction that the network does not have");
  if (ff_ssp_is_source(i)) {
    if (i.op != FF_SSP_SPAD || i.entry != 0) return fault(c, at, "is a source that reads a species");
  } else {
    const ff_status status = check_operand(c, at, i, &spid);
    if (status != FF_OK) return status;
  }
  if (ff_ssp_is_dummy(i)) return FF_OK;
  if (i.type == FF_SSP_BI2) return check_half(c, at, i, spid);
  if (c->seen[i.tag] != UNSEEN) return fault(c, at, "repeats a reaction");
  c->seen[i.tag] = SEEN;
  c->reads[2 * (size_t)i.tag] = spid;
  if (i.type == FF_SSP_BI1) c->reads[2 * (size_t)i.tag + 1] = spid;
  return FF_OK;
}

static ff_status check_internal(checker *c, const place_in *at) {
  const ff_ssp_unit *unit = at->unit;
  const uint32_t entries = c->p->chip.internal + c->p->chip.cached;
  if (unit->n_internal > entries)
    return ff_error_set(c->err, FF_EMODEL, "the program is broken: %u species stay in RU %u, whose scratchpad has %u entries",
                        unit->n_internal, at->number + 1, entries);
  for (uint32_t e = 0; e < entries; e++) {
    c->holds[e] = e < unit->n_internal ? unit->internal[e] : NOTHING;
    c->touched[e] = 0;
    if (e >= unit->n_internal) continue;
    if (c->holds[e] >= c->p->n_species || c->stays_in[c->holds[e]] == at->number + 1)
      return ff_error_set(c->err, FF_EMODEL, "the program is broken: entry %u of RU %u has no species, or that of another entry",
                          e, at->number + 1);
    c->stays_in[c->holds[e]] = at->number + 1;
  }
  return FF_OK;
}

static ff_status check_unit(checker *c, uint32_t number) {
  place_in at = {.unit = &c->p->units[number], .number = number, .data = {&c->p->units[number], 0, 0}};
  const ff_ssp_unit *unit = at.unit;
  const ff_ssp_chip *chip = &c->p->chip;
  if (unit->n_local > ff_ssp_local_most(chip) || unit->n_local + (uint64_t)unit->n_stream > UINT32_MAX)
    return ff_error_set(c->err, FF_EMODEL, "the program is broken: RU %u has %u instructions in a memory for %u", number + 1,
                        unit->n_local, ff_ssp_local_most(chip));
  if (chip->species_memory > 0 && 4 * (uint64_t)unit->n_fetches > chip->species_memory)
    return ff_error_set(c->err, FF_EMODEL, "the program is broken: RU %u has %u species instructions in a memory of %u bytes",
                        number + 1, unit->n_fetches, chip->species_memory);
  ff_status status = check_internal(c, &at);
  for (; at.at < unit->n_local + unit->n_stream && status == FF_OK; at.at++) status = check_instruction(c, &at);
  if (status != FF_OK) return status;
  if (at.data.fetch != unit->n_fetches || at.data.taken != 0)
    return ff_error_set(c->err, FF_EMODEL, "the program is broken: RU %u does not take all populations that are fetched for it",
                        number + 1);
  if (at.open != 0)
    return ff_error_set(c->err, FF_EMODEL, "the program is broken: RU %u lacks halves of %u reactions", number + 1, at.open);
  for (uint32_t e = 0; e < unit->n_internal; e++)
    if (!c->touched[e])
      return ff_error_set(c->err, FF_EMODEL,
                          "the program is broken: no instruction of RU %u reads its entry %u, whose changes would be lost",
                          number + 1, e);
  return FF_OK;
}

/* ---- data ----------------------------------------------------------------------------------------------------------- */

static ff_status check_vector(const checker *c, uint32_t r) {
  const uint32_t *vector = c->p->vectors + (size_t)r * FF_SSP_CHANGES;
  for (uint32_t i = 0; i < FF_SSP_CHANGES; i++) {
    const uint32_t spid = ff_ssp_change_spid(vector[i]);
    if (vector[i] == 0) continue;
    if (i > 0 && vector[i - 1] == 0)
      return ff_error_set(c->err, FF_EMODEL, "the program is broken: change %u of reaction %u comes after one that is not used",
                          i + 1, r + 1);
    if (spid >= c->p->n_species || ff_ssp_change_by(vector[i]) == 0)
      return ff_error_set(c->err, FF_EMODEL, "the program is broken: change %u of reaction %u is of no species, or 0", i + 1,
                          r + 1);
    for (uint32_t k = 0; k < i; k++)
      if (vector[k] != 0 && ff_ssp_change_spid(vector[k]) == spid)
        return ff_error_set(c->err, FF_EMODEL, "the program is broken: reaction %u changes a species twice", r + 1);
    const uint32_t *reads = c->reads + 2 * (size_t)r;
    if (ff_ssp_change_by(vector[i]) < -((reads[0] == spid) + (reads[1] == spid)))
      return ff_error_set(c->err, FF_EMODEL, "the program is broken: reaction %u takes more of a species than it reads", r + 1);
    if (!c->read[spid])
      return ff_error_set(c->err, FF_EMODEL,
                          "the program is broken: reaction %u changes a species that no RU reads, so the change would be lost",
                          r + 1);
  }
  return FF_OK;
}

/* The numbers of species in the network are those below n_species, each once. */
static ff_status check_species(checker *c) {
  for (uint32_t i = 0; i < c->p->n_species; i++) c->stays_in[i] = 0;
  for (uint32_t i = 0; i < c->p->n_species; i++) {
    const uint32_t s = c->p->species[i];
    if (s >= c->p->n_species || c->stays_in[s] != 0)
      return ff_error_set(c->err, FF_EMODEL, "the program is broken: species %u has the number of another one", i + 1);
    c->stays_in[s] = 1;
  }
  return FF_OK;
}

static int compare(const void *left, const void *right) {
  const ff_ssp_place *x = left, *y = right;
  if (x->channel != y->channel) return x->channel < y->channel ? -1 : 1;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return x->first_row < y->first_row ? -1 : x->first_row > y->first_row;
}

/* Drops places without lines, and sorts the others. With `once`, those that are the same are kept once. Returns how many are
 * left. */
static size_t sort_places(ff_ssp_place *places, size_t n, int once) {
  size_t kept = 0, out = 0;
  for (size_t i = 0; i < n; i++)
    if (places[i].lines > 0) places[kept++] = places[i];
  qsort(places, kept, sizeof *places, compare);
  for (size_t i = 0; i < kept; i++)
    if (!once || out == 0 || compare(&places[out - 1], &places[i]) != 0) places[out++] = places[i];
  return out;
}

/* Whether sorted places are in the memory, and none overlaps another. */
static int are_apart(const ff_ssp_place *all, size_t n, const ff_ssp_chip *chip) {
  const ff_dram_part *part = ff_dram_part_at(chip->part);
  const uint64_t a_row = (uint64_t)part->banks * part->columns;
  for (size_t i = 0; i < n; i++) {
    const uint64_t end = all[i].first_row + (all[i].lines + a_row - 1) / a_row;
    const int next = i + 1 < n && all[i + 1].channel == all[i].channel && all[i + 1].rank == all[i].rank;
    if (all[i].channel >= chip->channels || all[i].rank >= chip->ranks || end > part->rows) return 0;
    if (next && end > all[i + 1].first_row) return 0;
  }
  return 1;
}

/* Places must be in the memory, have the lines that their clients need, and not overlap. SPEs may share their vectors. */
static ff_status check_places(const checker *c) {
  const ff_ssp_program *p = c->p;
  const size_t spes = p->chip.spes, rus = p->chip.rus, units = spes * rus;
  ff_ssp_place *all = ff_calloc(spes + rus + units, sizeof *all);
  if (all == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory to check the map of a program");
  int good = 1;
  for (size_t s = 0; s < spes; s++) {
    good &= p->vectors_at[s].lines == (4 * (uint64_t)FF_SSP_CHANGES * p->n_reactions + 63) / 64;
    all[s] = p->vectors_at[s];
  }
  size_t n = sort_places(all, spes, 1);
  for (size_t j = 0; j < rus; j++) {
    good &= p->lanes[j].lines == ff_ssp_stream_lines(p, (uint32_t)j);
    all[n++] = p->lanes[j];
  }
  for (size_t i = 0; i < units; i++) {
    good &= p->units[i % rus].n_fetches == 0 || p->copies[i].lines == (4 * (uint64_t)p->n_species + 63) / 64;
    all[n++] = p->copies[i];
  }
  n = sort_places(all, n, 0);
  good = good && are_apart(all, n, &p->chip);
  free(all);
  if (good) return FF_OK;
  return ff_error_set(c->err, FF_EMODEL, "the program is broken: its data do not fit into their places in the memory");
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static ff_status check_all(checker *c) {
  ff_status status = FF_OK;
  for (size_t i = 0; i < 2 * (size_t)c->p->n_reactions; i++) c->reads[i] = NOTHING;
  for (uint32_t j = 0; j < c->p->chip.rus && status == FF_OK; j++) status = check_unit(c, j);
  for (uint32_t r = 0; r < c->p->n_reactions && status == FF_OK; r++) {
    if (c->seen[r] != SEEN)
      status = ff_error_set(c->err, FF_EMODEL, "the program is broken: no RU evaluates reaction %u", r + 1);
    if (status == FF_OK) status = check_vector(c, r);
  }
  if (status == FF_OK) status = check_species(c);
  return status == FF_OK ? check_places(c) : status;
}

ff_status ff_ssp_check(const ff_ssp_program *program, ff_error *err) {
  const size_t n = program->n_species, m = program->n_reactions;
  checker c = {.p = program, .err = err};
  ff_status status = ff_ssp_chip_check(&program->chip, err);
  if (status != FF_OK) return status;
  c.seen = ff_calloc(m, 1);
  c.reads = ff_calloc(2 * m, sizeof *c.reads);
  c.half_at = ff_calloc(m, sizeof *c.half_at);
  c.read = ff_calloc(n, 1);
  c.stays_in = ff_calloc(n, sizeof *c.stays_in);
  c.touched = ff_calloc(FF_SSP_MAX_ENTRIES, 1);
  c.holds = ff_calloc(FF_SSP_MAX_ENTRIES, sizeof *c.holds);
  if (c.seen == NULL || c.reads == NULL || c.half_at == NULL ||
      c.read == NULL || c.stays_in == NULL || c.touched == NULL || c.holds == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory to check a program of %zu reactions", m);
  else
    status = check_all(&c);
  free(c.seen);
  free(c.reads);
  free(c.half_at);
  free(c.read);
  free(c.stays_in);
  free(c.touched);
  free(c.holds);
  return status;
}
