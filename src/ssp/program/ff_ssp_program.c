/* Programs: their memory, and their move to another chip. */
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
