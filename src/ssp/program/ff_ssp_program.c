/* Programs: their memory, what an RU has to do, and their move to another chip. */
#include "ff_ssp_program.h"

#include <stdlib.h>

ff_status ff_ssp_program_new(ff_ssp_program **out, const ff_ssp_chip *chip, ff_error *err) {
  *out = NULL;
  ff_status status = ff_ssp_chip_check(chip, err);
  if (status != FF_OK) return status;
  ff_ssp_program *p = ff_calloc(1, sizeof *p);
  if (p != NULL) p->units = ff_calloc(chip->rus, sizeof *p->units);
  if (p == NULL || p->units == NULL) {
    free(p);
    return ff_error_set(err, FF_EMEMORY, "no memory for a program of %u RUs", chip->rus);
  }
  p->chip = *chip;
  *out = p;
  return FF_OK;
}

void ff_ssp_program_free(ff_ssp_program *p) {
  if (p == NULL) return;
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    free(p->units[j].words);
    free(p->units[j].rates);
    free(p->units[j].fetches);
    free(p->units[j].internal);
  }
  for (size_t i = 0; p->names != NULL && i < (size_t)p->n_species + p->n_reactions; i++) free(p->names[i]);
  free(p->names);
  free(p->units);
  free(p->vectors);
  free(p->initial);
  free(p->species);
  free(p->lanes);
  free(p->copies);
  free(p->vectors_at);
  free(p);
}

uint64_t ff_ssp_instructions(const ff_ssp_program *p) {
  uint64_t n = 0;
  for (uint32_t j = 0; j < p->chip.rus; j++) n += (uint64_t)p->units[j].n_local + p->units[j].n_stream;
  return n;
}

uint64_t ff_ssp_fetched(const ff_ssp_unit *unit) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < unit->n_fetches; i++) n += ff_ssp_fetch_length(unit->fetches[i]);
  return n;
}

ff_status ff_ssp_count_unit(ff_ssp_unit_counts *out, const ff_ssp_program *p, uint32_t j, ff_error *err) {
  const ff_ssp_unit *unit = &p->units[j];
  const uint64_t fetched = ff_ssp_fetched(unit);
  uint64_t requests = 0;
  *out = (ff_ssp_unit_counts){.local = unit->n_local, .streamed = unit->n_stream, .internal = unit->n_internal};
  for (uint32_t i = 0; i < unit->n_fetches; i++) {
    const uint32_t first = ff_ssp_fetch_spid(unit->fetches[i]), length = ff_ssp_fetch_length(unit->fetches[i]);
    if (length > p->n_species || first > p->n_species - length)
      return ff_error_set(err, FF_EMODEL,
                          "the program is broken: species instruction %u of RU %u fetches species %u to %u of %u", i + 1, j + 1,
                          first + 1, first + length, p->n_species);
    requests += (first + length - 1) / p->chip.per_request - first / p->chip.per_request + 1;
  }
  if ((uint64_t)unit->n_local + unit->n_stream >= UINT32_MAX || fetched >= UINT32_MAX)
    return ff_error_set(err, FF_ESIZE, "RU %u of the program has more than 2^32 - 2 instructions or populations in a step",
                        j + 1);
  out->fetched = (uint32_t)fetched;
  out->requests = (uint32_t)requests;
  for (uint32_t i = 0; i < unit->n_local + unit->n_stream; i++) {
    const ff_ssp_instruction at = ff_ssp_unpack(unit->words[i]);
    uint32_t *const by_type[] = {&out->uni, &out->bi1, &out->bi2, ff_ssp_is_dummy(at) ? &out->dummy : &out->source};
    ++*by_type[at.type];
  }
  return FF_OK;
}

/* Notes that RU j holds this species. Returns whether this is new. */
static int hold(uint32_t *holder, uint32_t n_species, uint32_t spid, uint32_t j) {
  if (spid >= n_species || holder[spid] == j + 1) return 0;
  holder[spid] = j + 1;
  return 1;
}

ff_status ff_ssp_count_copies(uint64_t *copies, const ff_ssp_program *p, ff_error *err) {
  uint32_t *holder = ff_calloc(p->n_species, sizeof *holder); /* of each species: 1 + the last RU that was seen to hold it */
  *copies = 0;
  if (holder == NULL && p->n_species > 0) return ff_error_set(err, FF_EMEMORY, "no memory for %u species", p->n_species);
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    const ff_ssp_unit *unit = &p->units[j];
    ff_ssp_data data = {unit, 0, 0};
    uint32_t spid;
    for (uint32_t i = 0; i < unit->n_internal; i++) *copies += hold(holder, p->n_species, unit->internal[i], j);
    while (ff_ssp_next_datum(&data, &spid)) *copies += hold(holder, p->n_species, spid, j);
  }
  free(holder);
  return FF_OK;
}

/* What instructions depend on. */
static const char *different(const ff_ssp_chip *a, const ff_ssp_chip *b) {
#define LOOK(field) \
  if (a->field != b->field) return #field;
  LOOK(rus) LOOK(precision) LOOK(reaction_memory) LOOK(internal) LOOK(cached) LOOK(merger) LOOK(species_memory) LOOK(per_request)
#undef LOOK
  return NULL;
}

ff_status ff_ssp_program_move(ff_ssp_program *program, const ff_ssp_chip *chip, ff_error *err) {
  const ff_status status = ff_ssp_chip_check(chip, err);
  if (status != FF_OK) return status;
  const char *field = different(&program->chip, chip);
  if (field != NULL)
    return ff_error_set(err, FF_EARGUMENT, "the program was compiled for a processor with another `%s`; compile the network anew",
                        field);
  const ff_ssp_chip before = program->chip;
  program->chip = *chip;
  const ff_status mapped = ff_ssp_map(program, err);
  if (mapped != FF_OK) program->chip = before;
  return mapped;
}
