/* A processing element: what its reaction units do in a step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_names.h"
#include "ff_ssp_run_internal.h"

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

uint64_t ff_ssp_spe_bytes(const ff_ssp_code *code) {
  const uint64_t reactions = ff_ssp_whole_chunks(code->n_reactions), copies = code->n_copies, merger = code->program->chip.merger;
  const uint64_t a_unit = sizeof(ff_ssp_ru) + (uint64_t)code->n_entries * sizeof(ff_ssp_entry) + code->ahead * sizeof(uint32_t);
  return sizeof(ff_ssp_spe) + copies * sizeof(ff_ssp_copy) + code->n_units * a_unit + (merger + 1) * sizeof(uint32_t) +
         (uint64_t)code->n_species * sizeof(double) + reactions * (code->is_double ? sizeof(double) : sizeof(float));
}

ff_status ff_ssp_spe_new(ff_ssp_spe **out, const ff_ssp_code *code, const ff_ssp_spe_options *options, ff_error *err) {
  *out = NULL;
  ff_ssp_spe *e = ff_calloc(1, sizeof *e);
  if (e == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a processing element");
  const uint32_t n_padded = ff_ssp_whole_chunks(code->n_reactions);
  e->code = code;
  if (options != NULL) e->options = *options;
  e->rus = ff_calloc(code->n_units, sizeof *e->rus);
  e->copies = ff_calloc(code->n_copies, sizeof *e->copies);
  e->entries = ff_calloc((size_t)code->n_units * code->n_entries, sizeof *e->entries);
  e->fetched = ff_calloc((size_t)code->n_units * code->ahead, sizeof *e->fetched);
  e->merger = ff_calloc((size_t)code->program->chip.merger + 1, sizeof *e->merger);
  e->state = ff_calloc(code->n_species, sizeof *e->state);
  e->propensity = ff_calloc(code->is_double ? n_padded : 0, sizeof *e->propensity);
  e->propensity32 = ff_calloc(code->is_double ? 0 : n_padded, sizeof *e->propensity32);
  if (e->rus == NULL || e->copies == NULL || e->entries == NULL || e->fetched == NULL || e->merger == NULL || e->state == NULL ||
      e->propensity == NULL || e->propensity32 == NULL) {
    ff_ssp_spe_free(e);
    return ff_error_set(err, FF_EMEMORY, "no memory for a processing element with %u RUs and %u copies of species", code->n_units,
                        code->n_copies);
  }
  for (uint32_t j = 0; j < code->n_units; j++) {
    e->rus[j].entries = e->entries + (size_t)j * code->n_entries;
    e->rus[j].fetched = e->fetched + (size_t)j * code->ahead;
  }
  *out = e;
  return FF_OK;
}

void ff_ssp_spe_free(ff_ssp_spe *e) {
  if (e == NULL) return;
  free(e->rus);
  free(e->copies);
  free(e->entries);
  free(e->fetched);
  free(e->merger);
  free(e->state);
  free(e->propensity);
  free(e->propensity32);
  free(e);
}

/* ---- populations from the memory ---------------------------------------------------------------------------------------- */

/* Fetches the next population of the stream. Before this, an update of the species that waits is committed. */
static inline void fetch(const ff_ssp_code *code, const ff_ssp_code_unit *unit, ff_ssp_ru *ru, ff_ssp_copy *copies) {
  if (ru->at == unit->n_data) {
    ru->at = 0;
    ru->step++;
  }
  ff_ssp_copy *c = &copies[unit->data[ru->at++]];
  if (c->state == FF_SSP_WAITING && c->when <= ru->step) {
    c->memory = c->update;
    c->state = FF_SSP_COMMITTED;
    c->when = ru->n_fetched;
  }
  ru->fetched[ru->n_fetched++ & (code->ahead - 1)] = c->memory;
}

/* The next population that was fetched, of this copy; the update wins over what was read before its commit. */
static inline uint32_t take(const ff_ssp_code *code, const ff_ssp_code_unit *unit, ff_ssp_ru *ru, ff_ssp_copy *copies,
                            uint32_t copy) {
  ff_ssp_copy *c = &copies[copy];
  const uint64_t number = ru->n_taken++;
  uint32_t population = ru->fetched[number & (code->ahead - 1)];
  if (c->state != FF_SSP_NO_UPDATE) {
    if (c->state == FF_SSP_COMMITTED && number >= c->when)
      c->state = FF_SSP_NO_UPDATE;
    else
      population = c->update;
  }
  fetch(code, unit, ru, copies);
  return population;
}

/* ---- instructions ------------------------------------------------------------------------------------------------------ */

/* Applies the change of the last step to the species in an entry. An external species is also to be written back. */
FF_SELDOM void apply(ff_ssp_spe *e, const ff_ssp_code_unit *unit, ff_ssp_entry *entry, ff_ssp_copy *c) {
  entry->population += (uint32_t)ff_ssp_change_by((uint32_t)(c->told & 0xFFu));
  c->told = 0;
  if (entry->copy - unit->first_copy < unit->n_internal) return;
  c->update = entry->population;
  c->state = FF_SSP_WAITING;
  c->when = e->winner.step + 1 + e->options.delay;
}

/* The propensity of an instruction with population x, and of its companion's. */
static inline double propensity(ff_ssp_do action, double rate, uint32_t x, uint32_t merged) {
  if (action == FF_SSP_DO_UNI) return rate * x;
  if (action == FF_SSP_DO_BI2) return rate * ((double)merged * x);
  return rate * ((double)x * ((double)x - 1)) + 0.0; /* -0 becomes 0 */
}

static inline float propensity32(ff_ssp_do action, float rate, uint32_t x, uint32_t merged) {
  if (action == FF_SSP_DO_UNI) return rate * (float)x;
  if (action == FF_SSP_DO_BI2) return rate * ((float)merged * (float)x);
  return rate * (float)((uint64_t)x * ((uint64_t)x - 1)); /* 0 of 0, although 0 - 1 wraps around */
}

/* Executes the instructions of RU j. */
static inline void execute(ff_ssp_spe *e, uint32_t j, int is_double) {
  const ff_ssp_code *code = e->code;
  const ff_ssp_code_unit *unit = &code->units[j];
  ff_ssp_ru *ru = &e->rus[j];
  const uint64_t now = e->winner.step + 1;
  const uint32_t *data = unit->data;
  for (const ff_ssp_code_word *word = unit->words, *end = word + unit->n_words; word < end; word++) {
    const ff_ssp_do action = (ff_ssp_do)word->what;
    if (action == FF_SSP_DO_SOURCE) {
      if (is_double)
        e->propensity[word->tag] = word->rate;
      else
        e->propensity32[word->tag] = (float)word->rate;
      continue;
    }
    ff_ssp_entry *entry = &ru->entries[word->entry];
    if (word->takes) {
      entry->copy = *data++;
      entry->population = take(code, unit, ru, e->copies, entry->copy);
    }
    ff_ssp_copy *c = &e->copies[entry->copy];
    if (FF_RARELY(c->told >> 8 == now)) apply(e, unit, entry, c);
    uint32_t *merged = &e->merger[word->place];
    if (action == FF_SSP_DO_DUMMY) continue;
    if (action == FF_SSP_DO_WAIT)
      *merged = entry->population;
    else if (is_double)
      e->propensity[word->tag] = propensity(action, word->rate, entry->population, *merged);
    else
      e->propensity32[word->tag] = propensity32(action, (float)word->rate, entry->population, *merged);
  }
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

static void fail(ff_ssp_spe *e, ff_ssp_failing what, uint32_t item, double value, double time) {
  if (e->failure.what == FF_SSP_FINE) e->failure = (ff_failure){.what = what, .item = item, .value = value, .time = time};
}

/* Changes the state, and tells all copies. */
static void fire(ff_ssp_spe *e) {
  const ff_ssp_code *code = e->code;
  const uint32_t *change = code->vectors + (size_t)e->winner.tag * FF_SSP_CHANGES;
  e->winner.step++;
  for (uint32_t i = 0; i < FF_SSP_CHANGES && change[i] != 0; i++) {
    const uint32_t spid = ff_ssp_change_spid(change[i]);
    double *population = &e->state[code->species[spid]];
    *population += ff_ssp_change_by(change[i]);
    if (!(*population >= 0 && *population <= FF_SSP_MOST))
      fail(e, FF_SSP_BAD_POPULATION, code->species[spid], *population, e->winner.time);
    const uint64_t told = (e->winner.step + 1) << 8 | (change[i] & 0xFFu);
    for (uint32_t k = code->held_first[spid]; k < code->held_first[spid + 1]; k++) e->copies[code->held[k]].told = told;
  }
}

int ff_ssp_spe_step(ff_ssp_spe *e) {
  const double before = e->winner.time;
  if (e->begun) fire(e);
  e->begun = 1;
  if (e->failure.what != FF_SSP_FINE) return 0;
  for (uint32_t j = 0; j < e->code->n_units; j++)
    if (e->code->is_double)
      execute(e, j, 1);
    else
      execute(e, j, 0);
  if (!ff_ssp_spe_find(e)) {
    fail(e, FF_SSP_BAD_PROPENSITY, e->winner.tag, INFINITY, before);
    return 0;
  }
  e->winner.time = before + e->winner.wait;
  if (e->options.told != NULL) e->options.told(e->options.of, &e->winner);
  return e->winner.wait < INFINITY;
}

void ff_ssp_spe_start(ff_ssp_spe *e, uint64_t key, uint64_t trajectory, const double *initial) {
  const ff_ssp_code *code = e->code;
  if (initial == NULL) initial = code->initial;
  if (code->n_species > 0) memcpy(e->state, initial, code->n_species * sizeof *e->state);
  for (uint32_t i = 0; i < code->n_copies; i++)
    e->copies[i] = (ff_ssp_copy){.memory = (uint32_t)initial[code->species[code->spid[i]]]};
  e->key = key;
  e->trajectory = trajectory;
  ff_philox_round_keys(e->keys, key);
  e->begun = 0;
  e->winner = (ff_ssp_winner){.wait = 0};
  e->failure = (ff_failure){.what = FF_SSP_FINE};
  for (uint32_t j = 0; j < code->n_units; j++) {
    const ff_ssp_code_unit *unit = &code->units[j];
    ff_ssp_ru *ru = &e->rus[j];
    ru->n_fetched = ru->n_taken = ru->step = 0;
    ru->at = 0;
    for (uint32_t i = 0; i < code->n_entries; i++) {
      const uint32_t copy = i < unit->n_internal ? unit->first_copy + i : FF_SSP_NO_COPY;
      ru->entries[i] = (ff_ssp_entry){.population = copy != FF_SSP_NO_COPY ? e->copies[copy].memory : 0, .copy = copy};
    }
    if (unit->n_data > 0)
      while (ru->n_fetched < code->ahead) fetch(code, unit, ru, e->copies);
  }
}

const ff_ssp_winner *ff_ssp_spe_winner(const ff_ssp_spe *e) { return &e->winner; }
const double *ff_ssp_spe_state(const ff_ssp_spe *e) { return e->state; }
void ff_ssp_spe_diagnose(const ff_ssp_spe *e, ff_failure *failure) { *failure = e->failure; }

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

/* The population of a copy when all updates are committed. */
static uint32_t population_of(const ff_ssp_spe *e, uint32_t j, uint32_t copy) {
  const ff_ssp_code_unit *unit = &e->code->units[j];
  const ff_ssp_copy *c = &e->copies[copy];
  if (copy - unit->first_copy < unit->n_internal) return e->rus[j].entries[copy - unit->first_copy].population;
  return c->state == FF_SSP_WAITING ? c->update : c->memory;
}

/* The name of a species of the network, as messages show it. */
static ff_quoted shown(const ff_ssp_code *code, uint32_t number) {
  char plain[32];
  snprintf(plain, sizeof plain, "number %u", number);
  const char *name = code->program->names != NULL ? code->program->names[number] : plain;
  return ff_quote(name, strlen(name));
}

/* The copies of RU j. */
static ff_status drain(const ff_ssp_spe *e, uint32_t j, ff_error *err) {
  const ff_ssp_code *code = e->code;
  const unsigned long long step = e->winner.step;
  const uint32_t end = j + 1 < code->n_units ? code->units[j + 1].first_copy : code->n_copies;
  for (uint32_t i = code->units[j].first_copy; i < end; i++) {
    const uint32_t number = code->species[code->spid[i]], population = population_of(e, j, i);
    if ((double)population != e->state[number])
      return ff_error_set(err, FF_EINTERNAL, "the copy of species %s in RU %u is %u in step %llu; the state is %.17g",
                          shown(code, number).text, j + 1, population, step, e->state[number]);
    /* An update of this step, or of one before, is to be committed in the next step's stream, or so many steps later. */
    const uint64_t when = e->copies[i].when;
    if (e->copies[i].state == FF_SSP_WAITING && (when <= e->winner.step || when > e->winner.step + 1 + e->options.delay))
      return ff_error_set(err, FF_EINTERNAL, "an update of species %s in RU %u waits in step %llu to be committed in step %llu",
                          shown(code, number).text, j + 1, step, (unsigned long long)when);
  }
  return FF_OK;
}

ff_status ff_ssp_spe_drain(const ff_ssp_spe *e, ff_error *err) {
  const ff_ssp_code *code = e->code;
  for (size_t i = 0; i < (size_t)code->n_reactions * FF_SSP_CHANGES; i++) {
    const uint32_t spid = ff_ssp_change_spid(code->vectors[i]);
    if (code->vectors[i] != 0 && code->held_first[spid] == code->held_first[spid + 1])
      return ff_error_set(err, FF_EINTERNAL, "no RU reads species %s, which changes, so its population is lost",
                          shown(code, code->species[spid]).text);
  }
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < code->n_units && status == FF_OK; j++) status = drain(e, j, err);
  return status;
}
