/* Compiles a reaction network: rate laws, changes of counts, and which reactions affect which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_philox.h"
#include "ff_ssa_program.h"

#define EXPLICIT_MOST ((size_t)1 << 27) /* entries of `dependents`; 512 MB */
#define SAMPLED_MARKS 0x1p24            /* marks that are looked at to estimate how many dependents there are */
#define DEPENDENTS_AT_ONCE 2097152      /* that a step counts or lists, reactions included, in about a tenth of a second */

struct ff_ssa_translator {
  ff_ssa_program *p;
  const ff_reactions *net;
  ff_replacement replacement;
  size_t factors_room, formulas_room;
  uint32_t stage; /* the next one */
  int halfway;    /* whether the last stage has not come to its end */
  uint32_t *mark; /* of ff_ssa_gather(), while dependents are counted and listed */
  uint64_t *bits; /* of ff_sort_unique_bits(), while they are listed */
  uint32_t next;  /* the reaction whose dependents are next */
  ff_error *err;
};
typedef ff_ssa_translator compiler;

static ff_quoted label_of(const ff_ssa_program *p, uint32_t r) {
  const char *name = p->names[p->n_species + r];
  return ff_quote(name, strlen(name));
}

/* ---- rate laws ---------------------------------------------------------------------------------------------------------- */

static ff_status append_factors(compiler *c, ff_ssa_propensity *a, const ff_participant *factors, uint32_t n) {
  ff_ssa_program *p = c->p;
  ff_status status =
      ff_grow((void **)&p->factors, &c->factors_room, (size_t)p->n_factors + n, sizeof *p->factors, c->err);
  if (status != FF_OK) return status;
  if (p->n_factors > UINT32_MAX - n) return ff_error_set(c->err, FF_ESIZE, "the network has more than 2^32 reactants");
  if (n > 0) memcpy(p->factors + p->n_factors, factors, n * sizeof *factors);
  a->first = p->n_factors;
  a->n = n;
  p->n_factors += n;
  return FF_OK;
}

/* The form of mass action with this constant and these factors. */
static ff_status use_mass_action(compiler *c, uint32_t r, double rate, const ff_participant *factors, uint32_t n) {
  ff_ssa_propensity *a = c->p->propensities + r;
  a->rate = rate;
  if (n > 0) a->a = a->b = factors[0].species;
  if (n > 1) a->b = factors[1].species;
  if (n == 0) {
    a->law = FF_LAW_CONSTANT;
  } else if (n == 1 && factors[0].count == 1) {
    a->law = FF_LAW_LINEAR;
  } else if (n == 1 && factors[0].count == 2) {
    a->law = FF_LAW_TWIN;
    a->rate = rate / 2;
  } else if (n == 2 && factors[0].count == 1 && factors[1].count == 1) {
    a->law = FF_LAW_PAIR;
  } else {
    a->law = FF_LAW_PRODUCT;
  }
  return append_factors(c, a, factors, n);
}

#define WHOLE_MOST 16 /* counts that are looked at one by one */

/* Sets a->b to 1 unless this shows that the formula is never below 0 while a reactant is missing. */
static ff_status look_below(compiler *c, ff_ssa_propensity *a) {
  const ff_ssa_program *p = c->p;
  for (uint32_t i = a->first; i < a->first + a->n; i++) {
    const uint32_t lacks = p->factors[i].count - 1, last = lacks < WHOLE_MOST ? lacks : 0;
    for (uint32_t x = 0; x <= last; x++) {
      const ff_formula_counts counts = {.symbol = p->factors[i].species, .n_counts = p->n_species, .low = x,
                                        .high = last > 0 ? x : lacks, .most = FF_MAX_COUNT};
      int never;
      const ff_status status = ff_formula_never_below(&never, &p->formulas[a->a], &counts, c->err);
      if (status != FF_OK) return status;
      if (!never) a->b = 1;
    }
  }
  return FF_OK;
}

static ff_status use_formula(compiler *c, uint32_t r, ff_formula *formula, ff_ssa_law law) {
  ff_ssa_program *p = c->p;
  const ff_reaction *reaction = &c->net->reactions[r];
  ff_ssa_propensity *a = p->propensities + r;
  if (ff_formula_has_time(formula)) {
    if (p->timed == NULL) p->timed = ff_calloc(p->n_reactions, 1);
    if (p->timed == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory for a program of %u reactions", p->n_reactions);
    p->timed[r] = 1;
  }
  ff_status status = ff_grow((void **)&p->formulas, &c->formulas_room, (size_t)p->n_formulas + 1, sizeof *p->formulas, c->err);
  if (status != FF_OK) return status;
  a->law = law;
  a->a = p->n_formulas;
  if (formula->depth > p->depth) p->depth = formula->depth;
  p->formulas[p->n_formulas++] = *formula;
  *formula = (ff_formula){0};
  if (law == FF_LAW_SCALED) return append_factors(c, a, reaction->reactants, reaction->n_reactants);
  status = append_factors(c, a, NULL, 0);
  for (uint32_t i = 0; i < reaction->n_reactants && status == FF_OK; i++) {
    if (c->net->fixed[reaction->reactants[i].species]) continue; /* it is never used up */
    ff_ssa_propensity one;
    status = append_factors(c, &one, &reaction->reactants[i], 1);
    if (status == FF_OK) a->n++;
  }
  return status == FF_OK ? look_below(c, a) : status;
}

/* Whether a formula names a parameter that events set. */
static int names_settable(const ff_ssa_program *p, const ff_formula *formula) {
  for (uint32_t i = 0; p->n_settable > 0 && i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && formula->word[i].symbol >= p->n_species) return 1;
  return 0;
}

static ff_status compile_rate(compiler *c, uint32_t r, ff_formula *formula) {
  const ff_reaction *reaction = &c->net->reactions[r];
  double rate;
  if (ff_formula_is_number(formula, &rate) && !(rate >= 0 && isfinite(rate))) {
    const ff_ssa_law law = reaction->mass_action ? FF_LAW_SCALED : FF_LAW_FORMULA;
    if (c->p->negative == 0 || !isfinite(rate)) c->p->negative = r + 1;
    c->p->propensities[r].law = law;
    c->p->propensities[r].rate = rate;
    return isfinite(rate) ? use_formula(c, r, formula, law) : ff_ssa_program_check_rates(c->p, c->err);
  }
  if (reaction->mass_action && ff_formula_is_number(formula, &rate))
    return use_mass_action(c, r, rate, reaction->reactants, reaction->n_reactants);
  if (reaction->mass_action) return use_formula(c, r, formula, FF_LAW_SCALED);
  if (names_settable(c->p, formula)) return use_formula(c, r, formula, FF_LAW_FORMULA);
  ff_mass_action law;
  ff_status status = ff_mass_action_read(&law, formula, c->net, r, c->err);
  if (status == FF_OK && law.is)
    status = use_mass_action(c, r, law.rate, law.factors, law.n);
  else if (status == FF_OK)
    status = use_formula(c, r, formula, FF_LAW_FORMULA);
  c->p->propensities[r].written = 1;
  free(law.factors);
  return status;
}

/* Makes a rate that depends on the time a function of the time since the start. */
static ff_status count_from_start(const compiler *c, ff_formula *formula) {
  ff_formula later;
  if (c->p->start == 0 || !ff_formula_has_time(formula)) return FF_OK;
  ff_status status = ff_formula_later(&later, formula, c->p->start, c->err);
  ff_formula_free(formula);
  *formula = later;
  return status;
}

static ff_status compile_rates(compiler *c) {
  ff_status status = FF_OK;
  for (uint32_t r = 0; r < c->net->n_reactions && status == FF_OK; r++) {
    ff_formula formula = {0};
    status = ff_formula_replace(&formula, &c->net->reactions[r].rate, c->replacement.of, c->err);
    if (status == FF_OK) status = count_from_start(c, &formula);
    if (status == FF_OK) status = compile_rate(c, r, &formula);
    ff_formula_free(&formula);
  }
  return status;
}

/* ---- changes of counts -------------------------------------------------------------------------------------------------- */

static ff_status append_change(compiler *c, size_t *room, uint32_t species, int64_t by) {
  ff_ssa_program *p = c->p;
  if (by == 0 || c->net->fixed[species]) return FF_OK;
  ff_status status = ff_grow((void **)&p->changes, room, (size_t)p->n_changes + 1, sizeof *p->changes, c->err);
  if (status != FF_OK) return status;
  if (p->n_changes == UINT32_MAX) return ff_error_set(c->err, FF_ESIZE, "the network has more than 2^32 reactants and products");
  p->changes[p->n_changes++] = (ff_ssa_change){species, by};
  p->changed[species] = 1;
  return FF_OK;
}

/* Merges reactants and products, which are both in ascending order. */
static ff_status compile_changes(compiler *c) {
  ff_ssa_program *p = c->p;
  size_t room = 0;
  ff_status status = FF_OK;
  for (uint32_t r = 0; r < p->n_reactions && status == FF_OK; r++) {
    const ff_reaction *reaction = &c->net->reactions[r];
    const ff_participant *in = reaction->reactants, *out = reaction->products;
    const ff_participant *in_end = in + reaction->n_reactants, *out_end = out + reaction->n_products;
    p->change_first[r] = p->n_changes;
    while ((in < in_end || out < out_end) && status == FF_OK) {
      uint32_t species = out == out_end || (in < in_end && in->species < out->species) ? in->species : out->species;
      int64_t by = 0;
      if (in < in_end && in->species == species) by -= in++->count;
      if (out < out_end && out->species == species) by += out++->count;
      status = append_change(c, &room, species, by);
    }
  }
  p->change_first[p->n_reactions] = p->n_changes;
  return status;
}

/* ---- dependencies ------------------------------------------------------------------------------------------------------- */

/* Calls for each species that the propensity of r reads; a species may come several times. */
static void read_species(const ff_ssa_program *p, uint32_t r, void (*found)(void *context, uint32_t species, uint32_t r),
                         void *context) {
  const ff_ssa_propensity *a = p->propensities + r;
  for (uint32_t i = a->first; i < a->first + a->n; i++) found(context, p->factors[i].species, r);
  if (a->law != FF_LAW_FORMULA && a->law != FF_LAW_SCALED) return;
  const ff_formula *formula = p->formulas + a->a;
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL && formula->word[i].symbol < p->n_species)
      found(context, formula->word[i].symbol, r);
}

/* Reactions that read each species. Two passes: the first counts. `last` is the last reaction + 1 that was found to read it. */
typedef struct {
  ff_ssa_program *p;
  uint32_t *last;
  size_t *at;
} readers;

static void count_reader(void *context, uint32_t species, uint32_t r) {
  readers *all = context;
  if (all->last[species] == r + 1) return;
  all->last[species] = r + 1;
  all->p->reader_first[species + 1]++;
}

static void list_reader(void *context, uint32_t species, uint32_t r) {
  readers *all = context;
  if (all->last[species] == r + 1) return;
  all->last[species] = r + 1;
  all->p->readers[all->at[species]++] = r;
}

static ff_status list_readers(compiler *c) {
  ff_ssa_program *p = c->p;
  uint32_t n = p->n_species;
  readers all = {p, ff_calloc(n, sizeof *all.last), ff_calloc(n, sizeof *all.at)};
  ff_status status = FF_OK;
  if (all.last == NULL || all.at == NULL) status = FF_EMEMORY;
  if (status == FF_OK) {
    for (uint32_t r = 0; r < p->n_reactions; r++) read_species(p, r, count_reader, &all);
    for (uint32_t s = 0; s < n; s++) p->reader_first[s + 1] += p->reader_first[s];
    p->readers = ff_calloc(p->reader_first[n], sizeof *p->readers);
    if (p->readers == NULL) status = FF_EMEMORY;
  }
  if (status == FF_OK) {
    memset(all.last, 0, n * sizeof *all.last);
    memcpy(all.at, p->reader_first, n * sizeof *all.at);
    for (uint32_t r = 0; r < p->n_reactions; r++) read_species(p, r, list_reader, &all);
  }
  free(all.last);
  free(all.at);
  return status == FF_OK ? FF_OK : ff_error_set(c->err, status, "no memory for the dependencies of %u reactions", p->n_reactions);
}

size_t ff_ssa_gather(const ff_ssa_program *p, uint32_t r, uint32_t *mark, uint32_t stamp, uint32_t *out) {
  size_t n = 0;
  for (uint32_t i = p->change_first[r]; i < p->change_first[r + 1]; i++) {
    uint32_t species = p->changes[i].species;
    for (size_t k = p->reader_first[species]; k < p->reader_first[species + 1]; k++) {
      uint32_t reader = p->readers[k];
      if (mark[reader] == stamp) continue;
      mark[reader] = stamp;
      if (out != NULL) out[n] = reader;
      n++;
    }
  }
  return n;
}

/* The marks that ff_ssa_gather() looks at for all reactions. */
static double marks_of(const ff_ssa_program *p) {
  double n = 0;
  for (uint32_t i = 0; i < p->n_changes; i++) {
    const uint32_t species = p->changes[i].species;
    n += (double)(p->reader_first[species + 1] - p->reader_first[species]);
  }
  return n;
}

/* The mean number of dependents, from reactions at equal distances. */
static double estimate_coupling(const ff_ssa_program *p, uint32_t *mark) {
  const size_t step = (size_t)(marks_of(p) / SAMPLED_MARKS) + 1;
  double sum = 0, n = 0;
  memset(mark, 0, p->n_reactions * sizeof *mark);
  for (size_t r = 0; r < p->n_reactions; r += step, n++)
    sum += (double)ff_ssa_gather(p, (uint32_t)r, mark, (uint32_t)r + 1, NULL);
  return sum / n;
}

/* Counts the dependents of each reaction, or stops as soon as they are too many to list; then their mean is estimated. A step
 * counts those of some reactions. */
static ff_status count_dependents(compiler *c) {
  ff_ssa_program *p = c->p;
  const uint32_t n = p->n_reactions;
  if (c->mark == NULL) c->mark = ff_calloc(n, sizeof *c->mark);
  if (c->mark == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory for the dependencies of %u reactions", n);
  for (size_t work = 0; c->next < n && work < DEPENDENTS_AT_ONCE; c->next++) {
    const size_t found = ff_ssa_gather(p, c->next, c->mark, c->next + 1, NULL);
    work += found + 1;
    p->depend_first[c->next + 1] = p->depend_first[c->next] + found;
    if (p->depend_first[c->next + 1] <= EXPLICIT_MOST) continue;
    p->coupling = estimate_coupling(p, c->mark);
    return FF_OK;
  }
  c->halfway = c->next < n;
  if (!c->halfway) p->coupling = n > 0 ? (double)p->depend_first[n] / n : 0;
  return FF_OK;
}

/* Lists the dependents of each reaction, unless the lists would be too long. A step lists those of some reactions. */
static ff_status list_dependents(compiler *c) {
  ff_ssa_program *p = c->p;
  const uint32_t n = p->n_reactions;
  if (c->next < n && p->dependents == NULL) return FF_OK; /* they are too many */
  if (p->dependents == NULL) {
    p->dependents = ff_calloc(p->depend_first[n], sizeof *p->dependents);
    c->bits = ff_calloc((size_t)n / 64 + 1, sizeof *c->bits);
    if (p->dependents == NULL || c->bits == NULL)
      return ff_error_set(c->err, FF_EMEMORY, "no memory for the dependencies of %u reactions", n);
    memset(c->mark, 0, n * sizeof *c->mark);
    c->next = 0;
  }
  for (size_t work = 0; c->next < n && work < DEPENDENTS_AT_ONCE; c->next++) {
    uint32_t *list = p->dependents + p->depend_first[c->next];
    const size_t found = ff_ssa_gather(p, c->next, c->mark, c->next + 1, list);
    ff_sort_unique_bits(list, found, c->bits);
    work += found + 1;
  }
  c->halfway = c->next < n;
  return FF_OK;
}

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

static ff_status allocate(compiler *c) {
  const ff_reactions *net = c->net;
  ff_ssa_program *p = c->p;
  p->n_species = net->n_species;
  p->n_reactions = net->n_reactions;
  p->names = ff_calloc((size_t)net->n_species + net->n_reactions, sizeof *p->names);
  p->initial = ff_calloc(net->n_species, sizeof *p->initial);
  p->changed = ff_calloc(net->n_species, 1);
  p->propensities = ff_calloc(net->n_reactions, sizeof *p->propensities);
  p->change_first = ff_calloc((size_t)net->n_reactions + 1, sizeof *p->change_first);
  p->reader_first = ff_calloc((size_t)net->n_species + 1, sizeof *p->reader_first);
  p->depend_first = ff_calloc((size_t)net->n_reactions + 1, sizeof *p->depend_first);
  if (p->names && p->initial && p->changed && p->propensities && p->change_first && p->reader_first && p->depend_first)
    return FF_OK;
  return ff_error_set(c->err, FF_EMEMORY, "no memory for a program of %u reactions", net->n_reactions);
}

static ff_status copy_names(compiler *c) {
  const ff_reactions *net = c->net;
  for (uint32_t i = 0; i < net->n_species + net->n_reactions; i++) {
    const char *name = i < net->n_species ? net->names[i] : net->reactions[i - net->n_species].name;
    c->p->names[i] = ff_strndup(name, strlen(name));
    if (c->p->names[i] == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory for names");
  }
  memcpy(c->p->initial, net->initial, net->n_species * sizeof *net->initial);
  return FF_OK;
}

/* Parameters are replaced by their values unless they are settable, and variables by their formulas. */
static ff_status set_replacement(compiler *c) {
  uint32_t *settable_of = ff_calloc(c->net->n_parameters, sizeof *settable_of);
  if (settable_of == NULL) return ff_error_set(c->err, FF_EMEMORY, "no memory for %u parameters", c->net->n_parameters);
  ff_status status = ff_ssa_compile_settable(c->p, c->net, settable_of, c->err);
  if (status == FF_OK) status = ff_replacement_new(&c->replacement, c->net, settable_of, c->err);
  free(settable_of);
  return status;
}

static ff_status compile_events(compiler *c) { return ff_ssa_compile_events(c->p, c->net, c->replacement.of, c->err); }

/* The variables are kept, to be observed. */
static ff_status keep_variables(compiler *c) {
  ff_ssa_program *p = c->p;
  p->variables = c->replacement.expanded;
  p->n_variables = c->replacement.n_expanded;
  c->replacement.expanded = NULL;
  c->replacement.n_expanded = 0;
  for (uint32_t v = 0; v < p->n_variables; v++)
    if (p->variables[v].depth > p->depth) p->depth = p->variables[v].depth;
  return FF_OK;
}

static ff_status (*const stages[])(compiler *c) = {
    allocate,     copy_names,       set_replacement, compile_rates,  compile_changes,
    list_readers, count_dependents, list_dependents, compile_events, keep_variables,
};
enum { STAGES = sizeof stages / sizeof *stages };

ff_status ff_ssa_translator_new(ff_ssa_translator **out, const ff_reactions *net, double start, ff_error *err) {
  *out = NULL;
  if (net->n_reactions > UINT32_MAX - net->n_species || net->n_reactions > FF_PHILOX_MAX_BLOCKS)
    return ff_error_set(err, FF_ESIZE, "a simulation has at most 2^29 reactions; found %u", net->n_reactions);
  compiler *c = ff_calloc(1, sizeof *c);
  ff_ssa_program *p = ff_calloc(1, sizeof *p);
  if (c == NULL || p == NULL) {
    free(c);
    free(p);
    return ff_error_set(err, FF_EMEMORY, "no memory for a program of %u reactions", net->n_reactions);
  }
  *c = (compiler){.p = p, .net = net};
  p->start = start;
  *out = c;
  return FF_OK;
}

ff_status ff_ssa_translator_step(ff_ssa_translator *c, ff_ssa_program **out, ff_error *err) {
  *out = NULL;
  c->err = err;
  c->halfway = 0;
  ff_status status = stages[c->stage](c);
  if (status != FF_OK || c->halfway || ++c->stage < STAGES) return status;
  *out = c->p;
  c->p = NULL;
  return FF_OK;
}

void ff_ssa_translator_free(ff_ssa_translator *c) {
  if (c == NULL) return;
  ff_replacement_free(&c->replacement);
  ff_ssa_program_clear(c->p);
  free(c->mark);
  free(c->bits);
  free(c);
}

void ff_ssa_program_clear(ff_ssa_program *p) {
  if (p == NULL) return;
  for (size_t i = 0; p->names != NULL && i < (size_t)p->n_species + p->n_reactions; i++) free(p->names[i]);
  for (uint32_t i = 0; i < p->n_formulas; i++) ff_formula_free(&p->formulas[i]);
  for (uint32_t i = 0; i < p->n_variables; i++) ff_formula_free(&p->variables[i]);
  free(p->variables);
  free(p->names);
  free(p->initial);
  free(p->changed);
  free(p->propensities);
  free(p->factors);
  free(p->formulas);
  free(p->change_first);
  free(p->changes);
  free(p->reader_first);
  free(p->readers);
  free(p->depend_first);
  free(p->dependents);
  free(p->timed);
  ff_ssa_free_events(p);
  free(p);
}

ff_status ff_ssa_program_check_rates(const ff_ssa_program *p, ff_error *err) {
  if (p->negative == 0) return FF_OK;
  const uint32_t r = p->negative - 1;
  return ff_error_set(err, FF_EMODEL, "reaction %s: with the values of the parameters, its rate%s is %s; expected a finite "
                      "number of at least 0", label_of(p, r).text, p->propensities[r].law == FF_LAW_SCALED ? " constant" : "",
                      ff_show(p->propensities[r].rate, 6).text);
}

double ff_ssa_program_coupling(const ff_ssa_program *p) { return p->coupling; }

int ff_ssa_program_changes(const ff_ssa_program *p, uint32_t item) {
  if (item < p->n_species) return p->changed[item];
  const ff_formula *formula = &p->variables[item - p->n_species];
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code == FF_F_SYMBOL && (word->symbol >= p->n_species || p->changed[word->symbol])) return 1;
  }
  return ff_formula_has_time(formula);
}

uint32_t ff_ssa_program_formulas(const ff_ssa_program *p) { return p->n_formulas; }
