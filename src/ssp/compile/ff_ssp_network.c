/* Step (i): elementary reactions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_names.h"
#include "ff_ssp_compile_internal.h"

#define MOST_CHANGE 127
#define MOST_POPULATION 0xFFFFFFFFu

ff_quoted ff_ssp_label(const ff_reactions *net, uint32_t r) {
  const char *name = net->reactions[r].name;
  if (name != NULL && *name != '\0') return ff_quote(name, strlen(name));
  ff_quoted out;
  snprintf(out.text, sizeof out.text, "number %u", r + 1);
  return out;
}

static ff_quoted species_of(const ff_reactions *net, uint32_t s) { return ff_quote(net->names[s], strlen(net->names[s])); }

static ff_status refuse(const ff_reactions *net, uint32_t r, const char *why, ff_error *err) {
  return ff_error_set(err, FF_EUNSUPPORTED, "reaction %s is not elementary: %s", ff_ssp_label(net, r).text, why);
}

/* ---- reactants and rates -------------------------------------------------------------------------------------------- */

static ff_status use(ff_ssp_network *out, const ff_reactions *net, uint32_t r, double rate, const ff_participant *factors,
                     uint32_t n, ff_error *err) {
  uint64_t molecules = 0;
  for (uint32_t i = 0; i < n; i++) molecules += factors[i].count;
  if (molecules > 2) return refuse(net, r, "it has more than two reactants; write it as reactions of at most two", err);
  out->a[r] = n > 0 ? factors[0].species : FF_SSP_NONE_OF;
  out->b[r] = n > 0 ? factors[n - 1].species : FF_SSP_NONE_OF;
  out->type[r] = (uint8_t)(n == 0 ? FF_SSP_SPECIAL : n == 2 ? FF_SSP_BI2 : molecules == 2 ? FF_SSP_BI1 : FF_SSP_UNI);
  out->rate[r] = (out->type[r] == FF_SSP_BI1 ? rate / 2 : rate) + 0.0; /* -0 becomes 0: an instruction has no place for a sign */
  if (rate > 0 && out->rate[r] == 0)
    return ff_error_set(err, FF_ESIZE, "the rate constant of reaction %s is %g; half of it must be above 0",
                        ff_ssp_label(net, r).text, rate);
  return FF_OK;
}

static ff_status read_rate(ff_ssp_network *out, const ff_reactions *net, uint32_t r, const ff_formula *formula, ff_error *err) {
  const ff_reaction *reaction = &net->reactions[r];
  double rate;
  if (ff_formula_has_time(formula)) return refuse(net, r, "its rate depends on the time", err);
  if (ff_formula_is_number(formula, &rate)) {
    if (!(rate >= 0 && isfinite(rate)))
      return ff_error_set(err, FF_EMODEL, "the rate of reaction %s is %g; it must be a finite number that is not below 0",
                          ff_ssp_label(net, r).text, rate);
    if (reaction->mass_action) return use(out, net, r, rate, reaction->reactants, reaction->n_reactants, err);
  } else if (reaction->mass_action) {
    return refuse(net, r, "its rate constant depends on counts", err);
  }
  ff_mass_action law;
  ff_status status = ff_mass_action_read(&law, formula, net, r, err);
  if (status == FF_OK && !law.is)
    status = refuse(net, r, "its rate is not that of mass action with a constant; write its steps as such reactions of at most "
                            "two molecules", err);
  if (status == FF_OK) status = use(out, net, r, law.rate, law.factors, law.n, err);
  free(law.factors);
  return status;
}

static ff_status read_rates(ff_ssp_network *out, const ff_reactions *net, ff_error *err) {
  ff_replacement replacement;
  ff_status status = ff_replacement_new(&replacement, net, NULL, err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    ff_formula formula = {0};
    status = ff_formula_replace(&formula, &net->reactions[r].rate, replacement.of, err);
    if (status == FF_OK) status = read_rate(out, net, r, &formula, err);
    ff_formula_free(&formula);
  }
  ff_replacement_free(&replacement);
  return status;
}

/* ---- changes -------------------------------------------------------------------------------------------------------- */

static ff_status add_change(ff_ssp_network *out, const ff_reactions *net, uint32_t r, uint32_t *n, uint32_t species, int64_t by,
                            ff_error *err) {
  if (by == 0 || net->fixed[species]) return FF_OK;
  if (*n == FF_SSP_CHANGES)
    return ff_error_set(err, FF_EUNSUPPORTED, "reaction %s changes more than the %u species that a state-change vector holds",
                        ff_ssp_label(net, r).text, FF_SSP_CHANGES);
  if (by > MOST_CHANGE || by < -MOST_CHANGE)
    return ff_error_set(err, FF_EUNSUPPORTED, "reaction %s changes %s by %lld; a state-change vector has places for -%d to %d",
                        ff_ssp_label(net, r).text, species_of(net, species).text, (long long)by, MOST_CHANGE, MOST_CHANGE);
  out->vectors[(size_t)r * FF_SSP_CHANGES + (*n)++] = ff_ssp_change(species, (int)by);
  return FF_OK;
}

static ff_status read_changes(ff_ssp_network *out, const ff_reactions *net, uint32_t r, ff_error *err) {
  const ff_reaction *reaction = &net->reactions[r];
  const ff_participant *in = reaction->reactants, *to = reaction->products;
  const ff_participant *in_end = in + reaction->n_reactants, *to_end = to + reaction->n_products;
  uint32_t n = 0;
  ff_status status = FF_OK;
  while ((in < in_end || to < to_end) && status == FF_OK) {
    const uint32_t species = to == to_end || (in < in_end && in->species < to->species) ? in->species : to->species;
    int64_t by = 0;
    if (in < in_end && in->species == species) by -= in++->count;
    if (to < to_end && to->species == species) by += to++->count;
    status = add_change(out, net, r, &n, species, by, err);
  }
  return status;
}

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

static void list_readers(ff_ssp_network *out) {
  uint32_t *first = out->reader_first;
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t r = out->n_reactions; r-- > 0;) {
      if (out->type[r] == FF_SSP_SPECIAL) continue;
      const uint32_t read[2] = {out->a[r], out->b[r]};
      for (uint32_t i = 0; i < ff_ssp_weight(out, r); i++) {
        if (fill)
          out->readers[--first[read[i] + 1]] = r;
        else
          first[read[i] + 1]++;
      }
    }
    if (fill) break;
    for (uint32_t s = 0; s < out->n_species; s++) first[s + 1] += first[s];
  }
  /* Filling from the end has moved each end to the begin of its list. */
  for (uint32_t s = 0; s < out->n_species; s++) first[s] = first[s + 1];
  uint32_t total = 0;
  for (uint32_t r = 0; r < out->n_reactions; r++) total += out->type[r] == FF_SSP_SPECIAL ? 0 : ff_ssp_weight(out, r);
  first[out->n_species] = total;
}

static void rank_species(ff_ssp_network *out) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < out->n_species; s++) out->rank[s] = FF_SSP_NONE_OF;
  for (uint32_t r = 0; r < out->n_reactions; r++) {
    if (out->type[r] == FF_SSP_SPECIAL) continue;
    if (out->rank[out->a[r]] == FF_SSP_NONE_OF) out->rank[out->a[r]] = n++;
    if (out->rank[out->b[r]] == FF_SSP_NONE_OF) out->rank[out->b[r]] = n++;
  }
  for (size_t i = 0; i < (size_t)out->n_reactions * FF_SSP_CHANGES; i++) {
    const uint32_t s = ff_ssp_change_spid(out->vectors[i]);
    if (out->vectors[i] == 0 || out->rank[s] != FF_SSP_NONE_OF) continue;
    out->rank[s] = n++;
    out->dummies[out->n_dummies++] = s;
  }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static ff_status check_sizes(const ff_reactions *net, ff_error *err) {
  if (net->n_events > 0) return ff_error_set(err, FF_EUNSUPPORTED, "the network has events, which the processor cannot simulate");
  if (net->n_reactions > FF_SSP_MAX_REACTIONS)
    return ff_error_set(err, FF_ESIZE, "the network has %u reactions; tags of 20 bits are enough for %u", net->n_reactions,
                        FF_SSP_MAX_REACTIONS);
  if (net->n_species > FF_SSP_MAX_SPECIES)
    return ff_error_set(err, FF_ESIZE, "the network has %u species; numbers of 20 bits are enough for %u", net->n_species,
                        FF_SSP_MAX_SPECIES);
  for (uint32_t s = 0; s < net->n_species; s++) {
    if (net->real != NULL && net->real[s])
      return ff_error_set(err, FF_EUNSUPPORTED, "%s is a level, not a count; the processor has no levels",
                          species_of(net, s).text);
    if (net->initial[s] > MOST_POPULATION)
      return ff_error_set(err, FF_ESIZE, "the initial count of %s is %.17g; populations have 32 bits, up to %u",
                          species_of(net, s).text, net->initial[s], MOST_POPULATION);
  }
  return FF_OK;
}

ff_status ff_ssp_network_read(ff_ssp_network *out, const ff_reactions *net, ff_error *err) {
  *out = (ff_ssp_network){.n_species = net->n_species, .n_reactions = net->n_reactions};
  ff_status status = check_sizes(net, err);
  if (status != FF_OK) return status;
  const size_t n = net->n_species, m = net->n_reactions;
  out->type = ff_calloc(m, 1);
  out->a = ff_calloc(m, sizeof *out->a);
  out->b = ff_calloc(m, sizeof *out->b);
  out->rate = ff_calloc(m, sizeof *out->rate);
  out->vectors = ff_calloc(m * FF_SSP_CHANGES, sizeof *out->vectors);
  out->initial = ff_calloc(n, sizeof *out->initial);
  out->reader_first = ff_calloc(n + 1, sizeof *out->reader_first);
  out->readers = ff_calloc(2 * m, sizeof *out->readers);
  out->rank = ff_calloc(n, sizeof *out->rank);
  out->dummies = ff_calloc(n, sizeof *out->dummies);
  if (out->type == NULL || out->a == NULL || out->b == NULL || out->rate == NULL || out->vectors == NULL ||
      out->initial == NULL || out->reader_first == NULL || out->readers == NULL || out->rank == NULL || out->dummies == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory to compile %zu reactions", m);
  for (size_t s = 0; s < n; s++) out->initial[s] = (uint32_t)net->initial[s];
  status = read_rates(out, net, err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) status = read_changes(out, net, r, err);
  if (status != FF_OK) return status;
  list_readers(out);
  rank_species(out);
  return FF_OK;
}

void ff_ssp_network_free(ff_ssp_network *net) {
  free(net->type);
  free(net->a);
  free(net->b);
  free(net->rate);
  free(net->vectors);
  free(net->initial);
  free(net->reader_first);
  free(net->readers);
  free(net->rank);
  free(net->dummies);
}
