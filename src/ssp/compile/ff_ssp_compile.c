/* The compiler: the steps in their order. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_names.h"
#include "ff_ssp_compile_internal.h"

const char *ff_ssp_optimise_name(int optimise) {
  static const char *const names[] = {"none", "paper", "locality"};
  return optimise >= 0 && optimise < FF_SSP_OPTIMISES ? names[optimise] : NULL;
}

typedef struct {
  const ff_reactions *net;
  ff_ssp_network of;
  ff_ssp_program *program;
  uint32_t *spid_of;            /* of each species */
  uint32_t *ru_of, *ru_of_dummy;
  uint32_t *list, *dummy_list;  /* reactions and dummies, RU by RU, */
  uint32_t *first, *dummy_first; /* from first[j] on */
  uint32_t *scratch;
  ff_ssp_optimise optimise;
  ff_error *err;
} compiler;

/* ---- rates ---------------------------------------------------------------------------------------------------------- */

/* A rate must keep its digits as a binary32, and so must a waiting time, which is at most 33 log(2) / rate. */
static ff_status check_rates(const compiler *c) {
  const double least = 23 / (double)FLT_MAX, most = FLT_MAX;
  for (uint32_t r = 0; r < c->of.n_reactions && c->program->chip.precision == 32; r++) {
    const double rate = c->of.rate[r], times = c->of.type[r] == FF_SSP_BI1 ? 2 : 1;
    if (rate == 0 || (rate >= least && rate <= most)) continue;
    return ff_error_set(c->err, FF_ESIZE,
                        "the rate constant of reaction %s is %g; with 32 bits, propensities and waiting times need %g to %g; "
                        "`precision` = \"double\" has no such limit",
                        ff_ssp_label(c->net, r).text, times * rate, times * least, times * most);
  }
  return FF_OK;
}

/* With 64 bits, the rate of each instruction. */
static ff_status put_rates(const compiler *c, ff_ssp_unit *unit) {
  const size_t n = (size_t)unit->n_local + unit->n_stream;
  if (c->program->chip.precision == 32) return FF_OK;
  unit->rates = ff_calloc(n, sizeof *unit->rates);
  if (unit->rates == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory for the rates of an RU");
  for (size_t i = 0; i < n; i++) {
    const ff_ssp_instruction at = ff_ssp_unpack(unit->words[i]);
    unit->rates[i] = ff_ssp_is_dummy(at) ? 0 : c->of.rate[at.tag];
  }
  return FF_OK;
}

/* ---- shares of RUs -------------------------------------------------------------------------------------------------- */

/* Lists the numbers below n by their RU, in the order of `order`, or ascending if that is NULL. `first` has rus + 2 entries, of
 * which rus + 1 are of use afterwards. */
static void list_by_ru(uint32_t *list, uint32_t *first, const uint32_t *ru_of, const uint32_t *order, uint32_t n, uint32_t rus) {
  for (uint32_t i = 0; i < n; i++) first[ru_of[i] + 2]++;
  for (uint32_t j = 0; j < rus; j++) first[j + 2] += first[j + 1];
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t r = order != NULL ? order[i] : i;
    list[first[ru_of[r] + 1]++] = r;
  }
}

static ff_status make_room(compiler *c) {
  const size_t n = c->of.n_species, m = c->of.n_reactions, rus = c->program->chip.rus;
  c->spid_of = ff_calloc(n, sizeof *c->spid_of);
  c->scratch = ff_calloc(n, sizeof *c->scratch);
  c->ru_of = ff_calloc(m, sizeof *c->ru_of);
  c->ru_of_dummy = ff_calloc(n, sizeof *c->ru_of_dummy);
  c->list = ff_calloc(m, sizeof *c->list);
  c->dummy_list = ff_calloc(n, sizeof *c->dummy_list);
  c->first = ff_calloc(rus + 2, sizeof *c->first);
  c->dummy_first = ff_calloc(rus + 2, sizeof *c->dummy_first);
  ff_ssp_program *p = c->program;
  p->vectors = ff_calloc(m * FF_SSP_CHANGES, sizeof *p->vectors);
  p->initial = ff_calloc(n, sizeof *p->initial);
  p->species = ff_calloc(n, sizeof *p->species);
  if (c->spid_of == NULL || c->scratch == NULL || c->ru_of == NULL || c->ru_of_dummy == NULL || c->list == NULL ||
      c->dummy_list == NULL || c->first == NULL || c->dummy_first == NULL || p->vectors == NULL || p->initial == NULL ||
      p->species == NULL)
    return ff_error_set(c->err, FF_EMEMORY, "no memory to compile %zu reactions", m);
  p->n_species = c->of.n_species;
  p->n_reactions = c->of.n_reactions;
  for (size_t s = 0; s < n; s++) c->scratch[s] = FF_SSP_NONE_OF;
  return FF_OK;
}

/* Steps (ii) and (iii). */
static ff_status order_and_share(compiler *c, uint64_t seed) {
  ff_ssp_program *p = c->program;
  const uint32_t rus = p->chip.rus;
  ff_status status = ff_ssp_rename(p->species, &c->of, c->optimise, seed, c->err);
  if (status == FF_OK)
    status = ff_ssp_partition(c->ru_of, c->ru_of_dummy, &c->of, p->species, rus, c->optimise, seed, c->err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < p->n_species; i++) c->spid_of[p->species[i]] = i;
  for (uint32_t i = 0; i < p->n_species; i++) p->initial[i] = c->of.initial[p->species[i]];
  for (size_t i = 0; i < (size_t)p->n_reactions * FF_SSP_CHANGES; i++) {
    const uint32_t change = c->of.vectors[i];
    if (change != 0) p->vectors[i] = ff_ssp_change(c->spid_of[ff_ssp_change_spid(change)], ff_ssp_change_by(change));
  }
  uint32_t *order = NULL;
  if (c->optimise == FF_SSP_NONE) {
    order = ff_calloc(p->n_reactions, sizeof *order);
    if (order == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory to compile %u reactions", p->n_reactions);
    for (uint32_t r = 0; r < p->n_reactions; r++) order[r] = r;
    ff_ssp_shuffle(order, p->n_reactions, seed, DRAW_SCHEDULE);
  }
  list_by_ru(c->list, c->first, c->ru_of, order, p->n_reactions, rus);
  list_by_ru(c->dummy_list, c->dummy_first, c->ru_of_dummy, NULL, c->of.n_dummies, rus);
  free(order);
  return FF_OK;
}

static ff_ssp_share share_of(const compiler *c, uint32_t j) {
  const ff_ssp_share out = {c->list + c->first[j], c->dummy_list + c->dummy_first[j], c->first[j + 1] - c->first[j],
                            c->dummy_first[j + 1] - c->dummy_first[j], 0};
  return out;
}

/* Steps (iii) to (v) and (vii), RU by RU. */
static ff_status schedule(compiler *c) {
  const ff_ssp_chip *chip = &c->program->chip;
  ff_status status = FF_OK;
  int all_stay = 1;
  for (uint32_t j = 0; j < chip->rus && all_stay; j++) {
    const ff_ssp_share share = share_of(c, j);
    all_stay = ff_ssp_species_of(&c->of, &share, c->scratch) <= chip->internal + chip->cached;
  }
  for (uint32_t j = 0; j < chip->rus && status == FF_OK; j++) {
    ff_ssp_share share = share_of(c, j);
    share.all_stay = all_stay;
    ff_ssp_unit *unit = &c->program->units[j];
    status = ff_ssp_schedule(unit, &c->of, c->spid_of, &share, &c->program->chip, c->optimise, c->scratch, c->err);
    if (status == FF_OK) status = put_rates(c, unit);
  }
  return status;
}

static ff_status copy_names(compiler *c) {
  ff_ssp_program *p = c->program;
  const size_t n = p->n_species, all = n + p->n_reactions;
  p->names = ff_calloc(all, sizeof *p->names);
  ff_status status = p->names != NULL ? FF_OK : ff_error_set(c->err, FF_EMEMORY, "no memory for %zu names", all);
  for (size_t i = 0; i < all && status == FF_OK; i++) {
    const char *name = i < n ? c->net->names[i] : c->net->reactions[i - n].name;
    status = ff_name_copy(&p->names[i], name != NULL ? name : "", c->err);
  }
  return status;
}

static void drop(compiler *c) {
  ff_ssp_network_free(&c->of);
  free(c->spid_of);
  free(c->scratch);
  free(c->ru_of);
  free(c->ru_of_dummy);
  free(c->list);
  free(c->dummy_list);
  free(c->first);
  free(c->dummy_first);
}

ff_status ff_ssp_compile(ff_ssp_program **out, const ff_reactions *net, const ff_ssp_chip *chip, ff_ssp_optimise optimise,
                         uint64_t seed, ff_error *err) {
  *out = NULL;
  if (ff_ssp_optimise_name((int)optimise) == NULL) return ff_error_set(err, FF_EARGUMENT, "there is no such optimisation");
  compiler c = {.net = net, .optimise = optimise, .err = err};
  ff_status status = ff_ssp_program_new(&c.program, chip, err);
  if (status != FF_OK) return status;
  c.program->optimise = (uint32_t)optimise;
  c.program->seed = seed;
  status = ff_ssp_network_read(&c.of, net, err);
  if (status == FF_OK) status = check_rates(&c);
  if (status == FF_OK) status = make_room(&c);
  if (status == FF_OK) status = order_and_share(&c, seed);
  if (status == FF_OK) status = schedule(&c);
  if (status == FF_OK) status = copy_names(&c);
  if (status == FF_OK) status = ff_ssp_map(c.program, err);
  drop(&c);
  if (status != FF_OK) {
    ff_ssp_program_free(c.program);
    return status;
  }
  *out = c.program;
  return FF_OK;
}
