/* Makes programs: translates the network, then finds its groups and its rings. */
#include "ff_ssa_plan.h"

#include <stdlib.h>

#include "../groups/ff_ssa_factor.h"
#include "../rings/ff_ssa_ring.h"

struct ff_ssa_compiler {
  ff_ssa_translator *translator;
  ff_ssa_program *p; /* once it is translated */
  uint32_t stage;    /* the next one */
};
enum { TRANSLATE, FIND_GROUPS, FIND_RINGS };

ff_status ff_ssa_compiler_new(ff_ssa_compiler **out, const ff_reactions *net, double start, ff_error *err) {
  *out = NULL;
  ff_ssa_compiler *c = ff_calloc(1, sizeof *c);
  if (c == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program of %u reactions", net->n_reactions);
  ff_status status = ff_ssa_translator_new(&c->translator, net, start, err);
  if (status == FF_OK)
    *out = c;
  else
    ff_ssa_compiler_free(c);
  return status;
}

ff_status ff_ssa_compiler_step(ff_ssa_compiler *c, ff_ssa_program **out, ff_error *err) {
  ff_status status = FF_OK;
  *out = NULL;
  switch (c->stage) {
    case TRANSLATE:
      status = ff_ssa_translator_step(c->translator, &c->p, err);
      c->stage += c->p != NULL;
      return status;
    case FIND_GROUPS:
      c->stage++;
      return ff_ssa_factor_new(&c->p->factor, c->p, FF_FACTOR_ADDENDS_MOST, err);
    default:
      status = ff_ssa_ring_new(&c->p->ring, c->p, FF_RING_LEAST, err);
      if (status != FF_OK) return status;
      *out = c->p;
      c->p = NULL;
      return FF_OK;
  }
}

void ff_ssa_compiler_free(ff_ssa_compiler *c) {
  if (c == NULL) return;
  ff_ssa_translator_free(c->translator);
  ff_ssa_program_free(c->p);
  free(c);
}

ff_status ff_ssa_program_new(ff_ssa_program **out, const ff_reactions *net, ff_error *err) {
  ff_ssa_compiler *c;
  *out = NULL;
  ff_status status = ff_ssa_compiler_new(&c, net, 0, err);
  while (status == FF_OK && *out == NULL) status = ff_ssa_compiler_step(c, out, err);
  ff_ssa_compiler_free(c);
  return status;
}

void ff_ssa_program_free(ff_ssa_program *p) {
  if (p == NULL) return;
  ff_ssa_factor_free(p->factor);
  ff_ssa_ring_free(p->ring);
  ff_ssa_program_clear(p);
}

uint32_t ff_ssa_program_groups(const ff_ssa_program *program) {
  if (program->ring != NULL) return program->ring->n_terms;
  return program->factor->n_groups != FF_FACTOR_NONE ? program->factor->n_groups : 0;
}
