/* Code: the instructions of a program, decoded once, with numbers for all that instructions name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssp_run_internal.h"

/* What is needed while the instructions of an RU are decoded. */
typedef struct {
  const ff_ssp_program *program;
  ff_ssp_code *code;
  uint32_t *copy_of;  /* of each spid: 1 + the external copy of this RU, or 0 */
  uint32_t *seen;     /* for each reaction and phase: how often it is evaluated in a step */
  uint32_t *waiting;  /* for each register of the merger: 1 + the tag that waits there, or 0 */
  uint32_t *holds;    /* for each entry: the copy that it holds, or FF_SSP_NO_COPY */
  size_t copies_room;
} decoder;

static ff_status bad(ff_error *err, uint32_t unit, uint64_t word, const char *what) {
  return ff_error_set(err, FF_EMODEL, "instruction %llu of RU %u of the program %s", (unsigned long long)word, unit, what);
}

/* ---- species instructions ---------------------------------------------------------------------------------------------- */

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
  if (u->n_internal > d->program->chip.internal)
    return ff_error_set(err, FF_EMODEL, "RU %u of the program has %u internal species; the processor has room for %u", unit,
                        u->n_internal, d->program->chip.internal);
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < u->n_internal && status == FF_OK; i++)
    if (u->internal[i] < d->code->n_species)
      status = add_copy(d, u->internal[i], err);
    else
      status = ff_error_set(err, FF_EMODEL, "RU %u of the program has internal species %u; there are %u", unit, u->internal[i],
                            d->code->n_species);
  return status;
}

/* The number of populations that a phase fetches; UINT32_MAX if a species instruction is not one. */
static uint32_t count_data(const ff_ssp_program *program, const ff_ssp_unit *u, uint32_t phase) {
  uint64_t n = 0;
  const uint32_t *fetch = u->fetches + ff_ssp_fetches_at(u, phase);
  for (uint32_t i = 0; i < u->n_fetches[phase]; i++) {
    n += ff_ssp_fetch_length(fetch[i]);
    if ((uint64_t)ff_ssp_fetch_spid(fetch[i]) + ff_ssp_fetch_length(fetch[i]) > program->n_species) return UINT32_MAX;
  }
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Lists the copies that an RU fetches. */
static ff_status decode_fetches(decoder *d, uint32_t unit, ff_error *err) {
  const ff_ssp_unit *u = &d->program->units[unit];
  ff_ssp_code_unit *c = &d->code->units[unit];
  uint64_t n = 0;
  for (uint32_t phase = 0; phase < d->code->phases; phase++) {
    c->n_data[phase] = u->n_fetches[phase] > 0 ? count_data(d->program, u, phase) : 0;
    if (c->n_data[phase] == UINT32_MAX)
      return ff_error_set(err, FF_EMODEL, "RU %u of the program fetches a species that does not exist", unit);
    n += c->n_data[phase];
  }
  c->data = ff_calloc(n, sizeof *c->data);
  if (c->data == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %llu species of RU %u", (unsigned long long)n, unit);
  n = 0;
  for (uint32_t phase = 0; phase < d->code->phases; phase++)
    for (uint32_t i = 0; i < u->n_fetches[phase]; i++) {
      const uint32_t fetch = u->fetches[ff_ssp_fetches_at(u, phase) + i], first = ff_ssp_fetch_spid(fetch);
      for (uint32_t s = first; s < first + ff_ssp_fetch_length(fetch); s++) {
        if (d->copy_of[s] == 0) {
          const ff_status status = add_copy(d, s, err);
          if (status != FF_OK) return status;
          d->copy_of[s] = d->code->n_copies;
        }
        c->data[n++] = d->copy_of[s] - 1;
      }
    }
  while (n > 0) d->copy_of[d->code->spid[c->data[--n]]] = 0;
  return FF_OK;
}

/* ---- instructions ------------------------------------------------------------------------------------------------------ */

/* Gives a half of a Bi2 its register. *waits becomes 1 if its companion comes later. */
static ff_status merge(decoder *d, uint32_t unit, uint64_t word, uint32_t tag, uint32_t *place, int *waits, ff_error *err) {
  const uint32_t n = d->program->chip.merger;
  uint32_t free_one = n;
  for (uint32_t i = 0; i < n; i++) {
    if (d->waiting[i] == tag + 1) {
      d->waiting[i] = 0;
      *place = i;
      *waits = 0;
      return FF_OK;
    }
    if (d->waiting[i] == 0 && free_one == n) free_one = i;
  }
  if (free_one == n) return bad(err, unit, word, "finds no free register for the first half of a reaction");
  d->waiting[free_one] = tag + 1;
  *place = free_one;
  *waits = 1;
  return FF_OK;
}

static ff_status decode_rate(const ff_ssp_unit *u, uint64_t word, uint32_t bits, double *rate) {
  float narrow;
  memcpy(&narrow, &bits, sizeof narrow);
  *rate = u->rates != NULL ? u->rates[word] : (double)narrow;
  return *rate >= 0 && *rate < INFINITY ? FF_OK : FF_EMODEL;
}

/* Decodes what an instruction does; its population is already read. */
static ff_status decode_word(decoder *d, uint32_t unit, uint64_t word, uint32_t phase, ff_ssp_instruction in, ff_error *err) {
  ff_ssp_code_word out = {.tag = in.tag, .entry = (uint16_t)in.entry};
  ff_ssp_do what = in.type == FF_SSP_UNI ? FF_SSP_DO_UNI : FF_SSP_DO_BI1;
  uint32_t place = 0;
  if (decode_rate(&d->program->units[unit], word, in.rate, &out.rate) != FF_OK)
    return bad(err, unit, word, "has a rate that is not a finite number of at least 0");
  if (in.type == FF_SSP_SPECIAL) what = ff_ssp_is_dummy(in) ? FF_SSP_DO_DUMMY : FF_SSP_DO_SOURCE;
  if (what != FF_SSP_DO_DUMMY && in.tag >= d->code->n_reactions) return bad(err, unit, word, "has a tag that is no reaction's");
  if (in.type == FF_SSP_BI2) {
    int waits = 0;
    const ff_status status = merge(d, unit, word, in.tag, &place, &waits, err);
    if (status != FF_OK) return status;
    what = waits ? FF_SSP_DO_WAIT : FF_SSP_DO_BI2;
  }
  if (what != FF_SSP_DO_DUMMY && what != FF_SSP_DO_WAIT) d->seen[(size_t)phase * d->code->n_reactions + in.tag]++;
  out.what = (uint16_t)(place | (in.op == FF_SSP_FIFO ? FF_SSP_IS_FIFO : 0) | (uint32_t)what << 13);
  d->code->units[unit].words[word] = out;
  return FF_OK;
}

/* Decodes n instructions of a step in this phase, from `word` on; *taken counts the populations that they take. In the first
 * round, entries may be empty that the last step of a phase will have filled. */
static ff_status decode_part(decoder *d, uint32_t unit, uint64_t word, uint32_t n, uint32_t phase, int round, uint32_t *taken,
                             ff_error *err) {
  const ff_ssp_code_unit *c = &d->code->units[unit];
  const uint32_t *data = c->data + (phase > 0 ? c->n_data[0] : 0);
  for (const uint64_t end = word + n; word < end; word++) {
    const ff_ssp_instruction in = ff_ssp_unpack(d->program->units[unit].words[word]);
    if (in.entry >= d->code->n_entries) return bad(err, unit, word, "has an entry that the scratchpad lacks");
    if (in.op == FF_SSP_FIFO) {
      if (ff_ssp_is_source(in)) return bad(err, unit, word, "is a source, but takes a population");
      if (*taken == c->n_data[phase]) return bad(err, unit, word, "takes a population that no species instruction fetches");
      if (in.entry < c->n_internal) return bad(err, unit, word, "takes a population into the entry of an internal species");
      d->holds[in.entry] = data[(*taken)++];
    } else if (!ff_ssp_is_source(in) && d->holds[in.entry] == FF_SSP_NO_COPY && round > 0) {
      return bad(err, unit, word, "reads an entry of the scratchpad that holds no species");
    }
    if (round == 0) continue;
    const ff_status status = decode_word(d, unit, word, phase, in, err);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* Decodes a step of each phase, first without instructions, to learn what entries hold before the first step. */
static ff_status decode_steps(decoder *d, uint32_t unit, ff_error *err) {
  ff_ssp_code_unit *c = &d->code->units[unit];
  for (int round = 0; round < 2; round++) {
    if (round == 1) memcpy(c->loaded, d->holds, d->code->n_entries * sizeof *c->loaded);
    for (uint32_t phase = 0; phase < d->code->phases; phase++) {
      uint32_t taken = 0;
      const uint64_t stream = ff_ssp_stream_at(&d->program->units[unit], phase);
      ff_status status = decode_part(d, unit, 0, c->n_local, phase, round, &taken, err);
      if (status == FF_OK) status = decode_part(d, unit, stream, c->n_stream[phase], phase, round, &taken, err);
      if (status != FF_OK) return status;
      if (taken != c->n_data[phase])
        return ff_error_set(err, FF_EMODEL, "RU %u of the program fetches %u populations in a step and takes %u of them", unit,
                            c->n_data[phase], taken);
      for (uint32_t i = 0; i < d->program->chip.merger; i++)
        if (d->waiting[i] != 0)
          return ff_error_set(err, FF_EMODEL, "RU %u of the program has only one half of reaction %u", unit, d->waiting[i] - 1);
    }
  }
  return FF_OK;
}

static ff_status decode_unit(decoder *d, uint32_t unit, ff_error *err) {
  const ff_ssp_unit *u = &d->program->units[unit];
  ff_ssp_code_unit *c = &d->code->units[unit];
  uint64_t n = u->n_local;
  c->n_local = u->n_local;
  for (uint32_t phase = 0; phase < d->code->phases; phase++) n += c->n_stream[phase] = u->n_stream[phase];
  c->n_internal = u->n_internal;
  c->first_copy = d->code->n_copies;
  c->words = ff_calloc(n, sizeof *c->words);
  c->loaded = ff_calloc(d->code->n_entries, sizeof *c->loaded);
  if (c->words == NULL || c->loaded == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %llu instructions", (unsigned long long)n);
  ff_status status = internal_copies(d, unit, err);
  if (status == FF_OK) status = decode_fetches(d, unit, err);
  for (uint32_t i = 0; i < d->code->n_entries; i++) d->holds[i] = i < c->n_internal ? c->first_copy + i : FF_SSP_NO_COPY;
  return status == FF_OK ? decode_steps(d, unit, err) : status;
}

/* ---- all RUs ----------------------------------------------------------------------------------------------------------- */

static ff_status check_reactions(const decoder *d, ff_error *err) {
  for (uint32_t phase = 0; phase < d->code->phases; phase++)
    for (uint32_t r = 0; r < d->code->n_reactions; r++) {
      const uint32_t n = d->seen[(size_t)phase * d->code->n_reactions + r];
      if (n != 1)
        return ff_error_set(err, FF_EMODEL, "reaction %u of the program is evaluated %u times in phase %u; expected once", r, n,
                            phase);
    }
  for (size_t i = 0; i < (size_t)d->code->n_reactions * FF_SSP_CHANGES; i++)
    if (d->program->vectors[i] != 0 && ff_ssp_change_spid(d->program->vectors[i]) >= d->code->n_species)
      return ff_error_set(err, FF_EMODEL, "reaction %llu of the program changes a species that does not exist",
                          (unsigned long long)(i / FF_SSP_CHANGES));
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
      return ff_error_set(err, FF_EMODEL, "species %u of the program is number %u of the network, which has %u", s, p->species[s],
                          code->n_species);
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
  d->seen = ff_calloc((size_t)p->n_reactions * FF_SSP_PHASES, sizeof *d->seen);
  d->waiting = ff_calloc(p->chip.merger, sizeof *d->waiting);
  d->holds = ff_calloc(d->code->n_entries, sizeof *d->holds);
  if (d->copy_of == NULL || d->seen == NULL || d->waiting == NULL || d->holds == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u species and %u reactions", p->n_species, p->n_reactions);
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < d->code->n_units && status == FF_OK; j++) status = decode_unit(d, j, err);
  return status == FF_OK ? check_reactions(d, err) : status;
}

ff_status ff_ssp_code_new(ff_ssp_code **out, const ff_ssp_program *program, ff_error *err) {
  *out = NULL;
  if (program->phases < 1 || program->phases > FF_SSP_PHASES)
    return ff_error_set(err, FF_EMODEL, "the program has %u phases; expected 1 or %d", program->phases, FF_SSP_PHASES);
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
  code->phases = program->phases;
  code->is_double = program->chip.precision == 64;
  for (code->ahead = 1; code->ahead < program->chip.data;) code->ahead *= 2;
  decoder d = {.program = program, .code = code};
  ff_status status = decode(&d, err);
  free(d.copy_of);
  free(d.seen);
  free(d.waiting);
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
    free(code->units[j].loaded);
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

uint64_t ff_ssp_code_instructions(const ff_ssp_code *code, uint32_t phase) {
  uint64_t n = 0;
  for (uint32_t j = 0; j < code->n_units; j++) n += (uint64_t)code->units[j].n_local + code->units[j].n_stream[phase];
  return n;
}
