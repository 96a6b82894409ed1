/* Code: the instructions of a program, decoded once, with numbers for all that instructions name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssp_run_internal.h"

/* What is needed while the instructions of an RU are decoded. */
typedef struct {
  const ff_ssp_program *program;
  ff_ssp_code *code;
  uint32_t *copy_of; /* of each spid: 1 + the external copy of this RU, or 0 */
  uint32_t *seen;    /* for each reaction: how often it is evaluated in a step */
  uint32_t *waits_in; /* for each reaction: 1 + the register of the merger in which its first half waits, or 0 */
  uint32_t *registers; /* that are free, */
  uint32_t n_free;     /* so many */
  uint32_t *holds;   /* for each entry: the copy that it holds, or FF_SSP_NO_COPY */
  size_t copies_room;
} decoder;

static ff_status bad(ff_error *err, uint32_t unit, uint32_t word, const char *what) {
  return ff_error_set(err, FF_EMODEL, "the program is broken: instruction %u of RU %u %s", word + 1, unit + 1, what);
}

/* ---- copies of species ------------------------------------------------------------------------------------------------- */

static ff_status add_copy(decoder *d, uint32_t spid, ff_error *err) {
  void *memory = d->code->spid;
  if (d->code->n_copies == FF_SSP_NO_COPY) return ff_error_set(err, FF_ESIZE, "the RUs of the program have too many species");
  const ff_status status = ff_grow(&memory, &d->copies_room, (size_t)d->code->n_copies + 1, sizeof *d->code->spid, err);
  d->code->spid = memory;
  if (status == FF_OK) d->code->spid[d->code->n_copies++] = spid;
  return status;
}

static ff_status internal_copies(decoder *d, uint32_t unit, ff_error *err) {
  const ff_ssp_unit *u = &d->program->units[unit];
  if (u->n_internal > d->code->n_entries)
    return ff_error_set(err, FF_EMODEL, "the program is broken: %u species stay in RU %u, whose scratchpad has %u entries",
                        u->n_internal, unit + 1, d->code->n_entries);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < u->n_internal && status == FF_OK; i++) {
    if (u->internal[i] < d->code->n_species)
      status = add_copy(d, u->internal[i], err);
    else
      status = ff_error_set(err, FF_EMODEL, "the program is broken: entry %u of RU %u has a species that does not exist", i + 1,
                            unit + 1);
  }
  return status;
}

/* Lists the copies that an RU fetches. */
static ff_status decode_fetches(decoder *d, uint32_t unit, ff_error *err) {
  ff_ssp_code_unit *c = &d->code->units[unit];
  ff_ssp_data data = {&d->program->units[unit], 0, 0};
  uint32_t n = 0, s;
  c->data = ff_calloc(c->n_data, sizeof *c->data);
  if (c->data == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u species of RU %u", c->n_data, unit + 1);
  while (ff_ssp_next_datum(&data, &s)) {
    const ff_status status = d->copy_of[s] == 0 ? add_copy(d, s, err) : FF_OK;
    if (status != FF_OK) return status;
    if (d->copy_of[s] == 0) d->copy_of[s] = d->code->n_copies;
    c->data[n++] = d->copy_of[s] - 1;
  }
  while (n > 0) d->copy_of[d->code->spid[c->data[--n]]] = 0;
  return FF_OK;
}

/* ---- instructions ------------------------------------------------------------------------------------------------------ */

/* Whether a half's companion comes next. Then it needs no register: it gets the one beyond the last. */
static int is_next(const ff_ssp_unit *u, uint32_t word, uint32_t tag) {
  if (word + 1 >= u->n_local + u->n_stream) return 0;
  const ff_ssp_instruction next = ff_ssp_unpack(u->words[word + 1]);
  return next.type == FF_SSP_BI2 && next.tag == tag;
}

/* Gives a half of a Bi2 its register. *waits becomes 1 if its companion comes later. */
static ff_status merge(decoder *d, uint32_t unit, uint32_t word, uint32_t tag, uint32_t *place, int *waits, ff_error *err) {
  const uint32_t beyond = d->program->chip.merger;
  *waits = d->waits_in[tag] == 0;
  if (!*waits) {
    *place = d->waits_in[tag] - 1;
    d->waits_in[tag] = 0;
    if (*place != beyond) d->registers[d->n_free++] = *place;
    return FF_OK;
  }
  *place = beyond;
  if (!is_next(&d->program->units[unit], word, tag)) {
    if (d->n_free == 0) return bad(err, unit, word, "needs one more register of the merger than there are");
    *place = d->registers[--d->n_free];
  }
  d->waits_in[tag] = *place + 1;
  return FF_OK;
}

static double rate_of(const ff_ssp_unit *u, uint32_t word, uint32_t bits) {
  float narrow;
  memcpy(&narrow, &bits, sizeof narrow);
  return u->rates != NULL ? u->rates[word] : (double)narrow;
}

/* Finds the copy that an entry holds. */
static ff_status decode_operand(decoder *d, uint32_t unit, uint32_t word, ff_ssp_instruction in, uint32_t *taken, ff_error *err) {
  const ff_ssp_code_unit *c = &d->code->units[unit];
  if (in.entry >= d->code->n_entries) return bad(err, unit, word, "names an entry beyond the scratchpad");
  if (in.op == FF_SSP_SPAD) {
    if (d->holds[in.entry] == FF_SSP_NO_COPY)
      return bad(err, unit, word, "reads an entry of the scratchpad that holds no species in this step");
    return FF_OK;
  }
  if (in.entry < c->n_internal) return bad(err, unit, word, "overwrites a species that stays in the scratchpad");
  if (*taken == c->n_data) return bad(err, unit, word, "takes a population, but no more are fetched");
  d->holds[in.entry] = c->data[(*taken)++];
  return FF_OK;
}

static ff_status decode_word(decoder *d, uint32_t unit, uint32_t word, uint32_t *taken, ff_error *err) {
  const ff_ssp_unit *u = &d->program->units[unit];
  const ff_ssp_instruction in = ff_ssp_unpack(u->words[word]);
  const double rate = rate_of(u, word, in.rate);
  ff_ssp_do what = in.type == FF_SSP_UNI ? FF_SSP_DO_UNI : FF_SSP_DO_BI1;
  uint32_t place = 0;
  if (!(rate >= 0 && rate < INFINITY)) return bad(err, unit, word, "has a rate that is not finite");
  if (in.type == FF_SSP_SPECIAL) what = ff_ssp_is_dummy(in) ? FF_SSP_DO_DUMMY : FF_SSP_DO_SOURCE;
  if (what != FF_SSP_DO_DUMMY && in.tag >= d->code->n_reactions)
    return bad(err, unit, word, "names a reaction that the network does not have");
  if (what == FF_SSP_DO_SOURCE && in.op != FF_SSP_SPAD) return bad(err, unit, word, "is a source that reads a species");
  ff_status status = what != FF_SSP_DO_SOURCE ? decode_operand(d, unit, word, in, taken, err) : FF_OK;
  if (status == FF_OK && in.type == FF_SSP_BI2) {
    int waits = 0;
    status = merge(d, unit, word, in.tag, &place, &waits, err);
    what = waits ? FF_SSP_DO_WAIT : FF_SSP_DO_BI2;
  }
  if (status != FF_OK) return status;
  if (what != FF_SSP_DO_DUMMY && what != FF_SSP_DO_WAIT) d->seen[in.tag]++;
  d->code->units[unit].words[word] = (ff_ssp_code_word){.rate = rate, .tag = in.tag, .entry = (uint16_t)in.entry,
                                                        .place = (uint16_t)place, .what = (uint8_t)what,
                                                        .takes = in.op == FF_SSP_FIFO};
  return FF_OK;
}

static ff_status decode_unit(decoder *d, uint32_t unit, ff_error *err) {
  const ff_ssp_unit *u = &d->program->units[unit];
  ff_ssp_code_unit *c = &d->code->units[unit];
  ff_ssp_unit_counts counts;
  uint32_t taken = 0;
  ff_status status = ff_ssp_count_unit(&counts, d->program, unit, err);
  if (status != FF_OK) return status;
  c->n_data = counts.fetched;
  c->n_words = u->n_local + u->n_stream;
  c->n_internal = u->n_internal;
  c->first_copy = d->code->n_copies;
  c->words = ff_calloc(c->n_words, sizeof *c->words);
  if (c->words == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u instructions of RU %u", c->n_words, unit + 1);
  status = internal_copies(d, unit, err);
  if (status == FF_OK) status = decode_fetches(d, unit, err);
  for (uint32_t i = 0; i < d->code->n_entries; i++) d->holds[i] = i < c->n_internal ? c->first_copy + i : FF_SSP_NO_COPY;
  for (uint32_t i = 0; i < c->n_words && status == FF_OK; i++) status = decode_word(d, unit, i, &taken, err);
  if (status != FF_OK) return status;
  if (taken != c->n_data)
    return ff_error_set(err, FF_EMODEL, "the program is broken: RU %u fetches %u populations in a step and takes %u of them",
                        unit + 1, c->n_data, taken);
  if (d->n_free == d->program->chip.merger) return FF_OK;
  uint32_t open = 0;
  while (d->waits_in[open] == 0) open++;
  return ff_error_set(err, FF_EMODEL, "the program is broken: RU %u lacks a half of reaction %u", unit + 1, open + 1);
}

/* ---- all RUs ----------------------------------------------------------------------------------------------------------- */

static ff_status check_reactions(const decoder *d, ff_error *err) {
  for (uint32_t r = 0; r < d->code->n_reactions; r++)
    if (d->seen[r] != 1)
      return ff_error_set(err, FF_EMODEL, "the program is broken: reaction %u is evaluated %u times in a step", r + 1,
                          d->seen[r]);
  for (size_t i = 0; i < (size_t)d->code->n_reactions * FF_SSP_CHANGES; i++)
    if (d->program->vectors[i] != 0 && ff_ssp_change_spid(d->program->vectors[i]) >= d->code->n_species)
      return ff_error_set(err, FF_EMODEL, "the program is broken: reaction %llu changes a species that does not exist",
                          (unsigned long long)(i / FF_SSP_CHANGES + 1));
  return FF_OK;
}

/* Lists the copies of each species. */
static ff_status list_copies(ff_ssp_code *code, ff_error *err) {
  code->held_first = ff_calloc((size_t)code->n_species + 1, sizeof *code->held_first);
  code->held = ff_calloc(code->n_copies, sizeof *code->held);
  if (code->held_first == NULL || code->held == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u copies of species", code->n_copies);
  for (uint32_t i = 0; i < code->n_copies; i++) code->held_first[code->spid[i] + 1]++;
  for (uint32_t s = 0; s < code->n_species; s++) code->held_first[s + 1] += code->held_first[s];
  for (uint32_t i = 0; i < code->n_copies; i++) code->held[code->held_first[code->spid[i]]++] = i;
  memmove(code->held_first + 1, code->held_first, code->n_species * sizeof *code->held_first);
  code->held_first[0] = 0;
  return FF_OK;
}

/* Copies what the program says of species and reactions. */
static ff_status copy_tables(ff_ssp_code *code, ff_error *err) {
  const ff_ssp_program *p = code->program;
  const size_t n_changes = (size_t)code->n_reactions * FF_SSP_CHANGES;
  code->vectors = ff_calloc(n_changes, sizeof *code->vectors);
  code->species = ff_calloc(code->n_species, sizeof *code->species);
  code->initial = ff_calloc(code->n_species, sizeof *code->initial);
  if (code->vectors == NULL || code->species == NULL || code->initial == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u species and %u reactions", code->n_species, code->n_reactions);
  if (n_changes > 0) memcpy(code->vectors, p->vectors, n_changes * sizeof *code->vectors);
  for (uint32_t s = 0; s < code->n_species; s++) {
    if (p->species[s] >= code->n_species)
      return ff_error_set(err, FF_EMODEL, "the program is broken: species %u has number %u of the network, which has %u", s + 1,
                          p->species[s], code->n_species);
    code->species[s] = p->species[s];
    code->initial[p->species[s]] = p->initial[s];
  }
  return FF_OK;
}

static ff_status make_logarithms(ff_ssp_code *code, ff_error *err) {
  code->bits = code->program->chip.logarithm;
  if (code->is_double || code->bits == 0) return FF_OK;
  const uint32_t n = 1u << code->bits;
  code->logarithms = ff_calloc(n, sizeof *code->logarithms);
  if (code->logarithms == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a table of %u logarithms", n);
  for (uint32_t i = 0; i < n; i++) code->logarithms[i] = -ff_minus_log(1 + (i + 0.5) / n);
  return FF_OK;
}

static ff_status decode(decoder *d, ff_error *err) {
  const ff_ssp_program *p = d->program;
  d->copy_of = ff_calloc(p->n_species, sizeof *d->copy_of);
  d->seen = ff_calloc(p->n_reactions, sizeof *d->seen);
  d->waits_in = ff_calloc(p->n_reactions, sizeof *d->waits_in);
  d->registers = ff_calloc(p->chip.merger, sizeof *d->registers);
  d->holds = ff_calloc(d->code->n_entries, sizeof *d->holds);
  if (d->copy_of == NULL || d->seen == NULL || d->waits_in == NULL || d->registers == NULL || d->holds == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u species and %u reactions", p->n_species, p->n_reactions);
  ff_status status = FF_OK;
  while (d->n_free < p->chip.merger) {
    d->registers[d->n_free] = d->n_free;
    d->n_free++;
  }
  for (uint32_t j = 0; j < d->code->n_units && status == FF_OK; j++) status = decode_unit(d, j, err);
  return status == FF_OK ? check_reactions(d, err) : status;
}

ff_status ff_ssp_code_new(ff_ssp_code **out, const ff_ssp_program *program, ff_error *err) {
  *out = NULL;
  if (program->n_species > FF_SSP_MAX_SPECIES || program->n_reactions > FF_SSP_MAX_REACTIONS)
    return ff_error_set(err, FF_ESIZE, "the program has %u species and %u reactions; there may be %u and %u", program->n_species,
                        program->n_reactions, FF_SSP_MAX_SPECIES, FF_SSP_MAX_REACTIONS);
  ff_ssp_code *code = ff_calloc(1, sizeof *code);
  if (code != NULL) code->units = ff_calloc(program->chip.rus, sizeof *code->units);
  if (code == NULL || code->units == NULL) {
    free(code);
    return ff_error_set(err, FF_EMEMORY, "no memory for the code of %u RUs", program->chip.rus);
  }
  code->program = program;
  code->n_units = program->chip.rus;
  code->n_entries = program->chip.internal + program->chip.cached;
  code->n_species = program->n_species;
  code->n_reactions = program->n_reactions;
  code->is_double = program->chip.precision == 64;
  for (code->ahead = 1; code->ahead < program->chip.data;) code->ahead *= 2;
  decoder d = {.program = program, .code = code};
  ff_status status = decode(&d, err);
  free(d.copy_of);
  free(d.seen);
  free(d.waits_in);
  free(d.registers);
  free(d.holds);
  if (status == FF_OK) status = list_copies(code, err);
  if (status == FF_OK) status = copy_tables(code, err);
  if (status == FF_OK) status = make_logarithms(code, err);
  if (status == FF_OK)
    *out = code;
  else
    ff_ssp_code_free(code);
  return status;
}

void ff_ssp_code_free(ff_ssp_code *code) {
  if (code == NULL) return;
  for (uint32_t j = 0; j < code->n_units; j++) {
    free(code->units[j].words);
    free(code->units[j].data);
  }
  free(code->units);
  free(code->spid);
  free(code->held_first);
  free(code->held);
  free(code->vectors);
  free(code->species);
  free(code->initial);
  free(code->logarithms);
  free(code);
}
