/* The network that a program evaluates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ff_ssp_compile_internal.h"

#define MOST_SIDE (2 + FF_SSP_CHANGES) /* participants of a side before they are merged */

/* What a reaction reads: up to two species of the network. */
typedef struct {
  uint32_t species[2], n;
  double rate;
} reading;

/* Follows the list of an RU. entry[] has room for a scratchpad. */
static void read_unit(reading *of, const ff_ssp_program *p, const ff_ssp_unit *unit, uint32_t *entry) {
  ff_ssp_data data = {unit, 0, 0};
  for (uint32_t i = 0; i < unit->n_internal; i++) entry[i] = unit->internal[i];
  for (uint32_t i = 0; i < unit->n_local + unit->n_stream; i++) {
    const ff_ssp_instruction at = ff_ssp_unpack(unit->words[i]);
    if (at.op == FF_SSP_FIFO) ff_ssp_next_datum(&data, &entry[at.entry]);
    if (ff_ssp_is_dummy(at)) continue;
    reading *r = &of[at.tag];
    float single;
    memcpy(&single, &at.rate, sizeof single);
    r->rate = unit->rates != NULL ? unit->rates[i] : (double)single;
    if (ff_ssp_is_source(at)) continue;
    r->species[r->n++] = p->species[entry[at.entry]];
    if (at.type != FF_SSP_BI1) continue;
    r->rate *= 2;
    r->species[r->n++] = p->species[entry[at.entry]];
  }
}

/* Fills a side of a reaction: what it reads, and for the products the changes too. */
static ff_status put_side(ff_participant **out, uint32_t *n_out, const ff_ssp_program *p, uint32_t r, const reading *of,
                          int products, ff_error *err) {
  ff_participant *all = ff_calloc(MOST_SIDE, sizeof *all);
  size_t n = 0;
  if (all == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the reactions of a network");
  *out = all;
  for (uint32_t i = 0; i < of->n; i++) all[n++] = (ff_participant){of->species[i], 1};
  for (uint32_t k = 0; k < FF_SSP_CHANGES && products; k++) {
    const uint32_t change = p->vectors[(size_t)r * FF_SSP_CHANGES + k];
    const uint32_t species = change != 0 ? p->species[ff_ssp_change_spid(change)] : 0;
    int by = change != 0 ? ff_ssp_change_by(change) : 0;
    /* What is taken away is among what it reads. */
    for (size_t i = 0; i < n && by < 0; i++) {
      if (all[i].species != species || all[i].count == 0) continue;
      all[i].count = 0;
      by++;
    }
    if (by > 0) all[n++] = (ff_participant){species, (uint32_t)by};
  }
  ff_participants_merge(all, &n);
  *n_out = (uint32_t)n;
  return FF_OK;
}

static ff_status put_reaction(ff_reactions *net, const ff_ssp_program *p, uint32_t r, const reading *of, ff_error *err) {
  ff_reaction *reaction = &net->reactions[r];
  const char *name = p->names != NULL ? p->names[(size_t)p->n_species + r] : "";
  reaction->mass_action = 1;
  reaction->name = ff_strndup(name, strlen(name));
  if (reaction->name == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the names of a network");
  ff_status status = ff_formula_of_number(&reaction->rate, of->rate, err);
  if (status == FF_OK) status = put_side(&reaction->reactants, &reaction->n_reactants, p, r, of, 0, err);
  if (status == FF_OK) status = put_side(&reaction->products, &reaction->n_products, p, r, of, 1, err);
  return status;
}

static ff_status put_species(ff_reactions *net, const ff_ssp_program *p, ff_error *err) {
  for (uint32_t i = 0; i < p->n_species; i++) {
    const uint32_t s = p->species[i];
    char number[16];
    snprintf(number, sizeof number, "S%u", s + 1);
    const char *name = p->names != NULL ? p->names[s] : number;
    net->initial[s] = p->initial[i];
    net->names[s] = ff_strndup(name, strlen(name));
    if (net->names[s] == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the names of a network");
  }
  return FF_OK;
}

ff_status ff_ssp_decompile(ff_reactions **out, const ff_ssp_program *p, ff_error *err) {
  reading *of = ff_calloc(p->n_reactions, sizeof *of);
  uint32_t *entry = ff_calloc(FF_SSP_MAX_ENTRIES, sizeof *entry);
  ff_reactions *net = NULL;
  *out = NULL;
  ff_status status = of != NULL && entry != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for a network");
  if (status == FF_OK) status = ff_reactions_new(&net, p->n_species, 0, p->n_reactions, err);
  if (status == FF_OK) status = put_species(net, p, err);
  for (uint32_t j = 0; j < p->chip.rus && status == FF_OK; j++) read_unit(of, p, &p->units[j], entry);
  for (uint32_t r = 0; r < p->n_reactions && status == FF_OK; r++) status = put_reaction(net, p, r, &of[r], err);
  if (status == FF_OK) status = ff_reactions_finish(net, err);
  free(of);
  free(entry);
  if (status != FF_OK) {
    ff_reactions_free(net);
    return status;
  }
  *out = net;
  return FF_OK;
}
