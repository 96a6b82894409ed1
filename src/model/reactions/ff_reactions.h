/* The model of a reaction network: species, parameters, and reactions with their rates. Uses base/ only.
 *
 * The state of the network is a count of each species. Reaction r fires with the propensity a_r, a rate per unit of time. It
 * takes its reactants away and adds its products. Variables are formulas that have names. Symbols of formulas are the species,
 * from 0, then the parameters, and then the variables.
 */
#ifndef FF_REACTIONS_H
#define FF_REACTIONS_H

#include "ff_event.h"

typedef struct {
  uint32_t species;
  uint32_t count; /* at least 1 */
} ff_participant;

/* Sorts participants by species, adds up those of the same species, and drops those whose count is 0. *n becomes the number of
 * those that are left. Returns 0 if a sum is larger than 2^32 - 1, else 1. O(n log n). */
int ff_participants_merge(ff_participant *all, size_t *n);

/* With mass action, the propensity is the value of `rate` times the number of ways to choose the reactants: the product of
 * x (x - 1) ... (x - k + 1) / k! over the reactants with count k. Otherwise it is the value of `rate` itself. */
typedef struct {
  char *name;                        /* may be empty */
  ff_participant *reactants, *products; /* in ascending order of species, without repeats */
  uint32_t n_reactants, n_products;
  int mass_action;
  ff_formula rate;
  uint8_t flows;  /* of a network with levels: 1 if it flows. With mass action, its law is that of flows: x^k / k! */
  double *weight; /* NULL, or of a network with levels: what counts in place of the counts, of reactants, then of products */
} ff_reaction;

/* The struct owns all its arrays and texts. */
typedef struct {
  uint32_t n_species, n_parameters, n_reactions, n_variables;
  char **names;          /* n_species + n_parameters + n_variables names of symbols, all different */
  double *initial;       /* for each species: a whole number from 0 to FF_MAX_COUNT */
  uint8_t *fixed;        /* for each species: 1 if reactions do not change it (a boundary condition) */
  uint8_t *real;         /* NULL, or for each species: 1 if it is a level, any number of at least 0. Only of what becomes, or was,
                          * a Petri net */
  double *value;         /* for each parameter */
  ff_reaction *reactions;
  ff_formula *variable;  /* for each variable; it may name any symbols, but does not depend on itself */
  uint32_t n_events;
  ff_event *events;
} ff_reactions;

/* Makes a network of the given sizes. Names are NULL, and all numbers are 0. The caller fills it and frees it with
 * ff_reactions_free(), which accepts NULL. O(size). */
ff_status ff_reactions_new(ff_reactions **out, uint32_t n_species, uint32_t n_parameters, uint32_t n_reactions, ff_error *err);
void ff_reactions_free(ff_reactions *net);

/* Makes room for n variables in a network that has none. Their names are NULL, and their formulas are empty. O(size). */
ff_status ff_reactions_add_variables(ff_reactions *net, uint32_t n, ff_error *err);

/* Gives a network that has no events n of them, which are empty. The caller fills them. O(n). */
ff_status ff_reactions_add_events(ff_reactions *net, uint32_t n, ff_error *err);

/* Parses an equation such as "2 S1 + S2 -> S3" or "0 -> S1" into participants of reaction r. `->` and `=>` separate the sides. A
 * side is a sum of species, each with an optional whole number before it (with or without `*`), or `0` for nothing; an empty side
 * is nothing too. A species that occurs twice on a side is counted twice. Names are as in ff_formula_parse(). Names of species
 * must be set before: `names` is the table of the first n_species of them. *both becomes 1 if the separator is `<->` or `<=>`,
 * for a reaction that has a reverse, else 0. Participants that the reaction had before are freed. O(length * log(length)). */
ff_status ff_reactions_equation(ff_reactions *net, uint32_t r, const char *text, ff_names *names, ff_place place, int *both,
                                ff_error *err);

/* Calls found(context, ...) for each name of an equation, in its order and without quotes, also for names that occur before. The
 * text is that of ff_reactions_equation(), which may then still find a count that is too large. O(length). */
ff_status ff_equation_names(const char *text, void (*found)(void *context, const char *name, size_t length), void *context,
                            ff_place place, int *both, ff_error *err);

/* The text of the equation of reaction r, as a new string that the caller frees. O(length of the text). */
ff_status ff_reactions_equation_text(char **out, const ff_reactions *net, uint32_t r, ff_error *err);

/* Completes a network that has been filled: checks all that the comments at the structs state. O(size of the network), on
 * average. */
ff_status ff_reactions_finish(ff_reactions *net, ff_error *err);

/* The propensity of reaction r. This function is the definition; simulators may compute the same in faster ways. values[i] is the
 * value of symbol i: the counts of all species, then all parameters, then all variables. If the state has fewer of a reactant
 * than the reaction takes, the propensity is 0, unless the law is a formula whose value is below 0: then it is this value.
 * Otherwise it is the value of the rate. With mass action, it is multiplied for each reactant, in their order, by the number of
 * ways to choose k of x: x (x - 1) ... (x - k + 1) / k!. A fixed species is never used up, so it may be missing unless the law is
 * mass action. The result may be negative, and infinite or NaN if the rate is. The caller provides `stack` with rate.depth
 * entries. O(length of the rate + sum of the counts of reactants, at most about a thousand for each). */
double ff_reactions_propensity(const ff_reactions *net, uint32_t r, const double *values, double time, double *stack);

/* Whether the state has fewer of a reactant than the reaction takes. O(reactants). */
int ff_reactions_missing(const ff_reactions *net, uint32_t r, const double *values);

/* ---- variables: ff_variables.c ------------------------------------------------------------------------------------------ */

/* An order of the variables in which each comes after those that its formula names, as a new array that the caller frees. Fails
 * with FF_EMODEL if a variable depends on itself; the message names the variables of the cycle. O(length of the formulas). */
ff_status ff_reactions_order(uint32_t **order, const ff_reactions *net, ff_error *err);

/* Computes the values of all variables, in that order, and puts them behind those of species and parameters. The caller provides
 * `stack` with as many entries as the deepest of the formulas needs. O(length of the formulas). */
void ff_reactions_compute(const ff_reactions *net, const uint32_t *order, double *values, double time, double *stack);

/* Makes the formulas of all variables without names of variables. replacement[] has an entry for each symbol, as in
 * ff_formula_replace(); those of variables are NULL before, and point to expanded[] afterwards, so that it also serves to replace
 * the variables in rates. expanded[] has an empty formula for each variable; the caller frees their contents, also on failure.
 * Fails with FF_ESIZE if they have more than FF_REACTIONS_EXPANDED words together. O(number of words). */
#define FF_REACTIONS_EXPANDED (UINT64_C(1) << 26)
ff_status ff_reactions_expand(ff_formula *expanded, const ff_reactions *net, const ff_formula **replacement, ff_error *err);

/* What replaces the symbols of a network, for ff_formula_replace(): parameters become numbers, or symbols that the caller
 * numbers, and variables become formulas of species and such symbols. */
typedef struct {
  const ff_formula **of;        /* of each symbol of the network; NULL for species */
  ff_formula *value, *expanded; /* of parameters and of variables */
  uint32_t n_values, n_expanded;
} ff_replacement;

/* Parameter i becomes the symbol n_species + settable_of[i] unless settable_of is NULL or settable_of[i] is UINT32_MAX; then it
 * becomes its value. The caller frees what *out owns with ff_replacement_free(), also on failure. Fails as ff_reactions_expand().
 * */
ff_status ff_replacement_new(ff_replacement *out, const ff_reactions *net, const uint32_t *settable_of, ff_error *err);
void ff_replacement_free(ff_replacement *replacement);

/* Numbers the settable parameters, which events set: settable_of[i], from 0 in the order in which events set them, or UINT32_MAX
 * for a parameter that no event sets. Returns how many there are. O(parameters + what events set). */
uint32_t ff_reactions_settable(uint32_t *settable_of, const ff_reactions *net);

/* Sets timed[r] for each reaction to 1 if its rate depends on the time, also through variables, else to 0. O(length of the
 * formulas). */
ff_status ff_reactions_timed(uint8_t *timed, const ff_reactions *net, ff_error *err);

/* Sets never[v] to 1 for each variable that is shown to be never negative, whatever the counts, the time and the parameters that
 * events set; else to 0. O(length of the formulas). */
ff_status ff_reactions_never_negative(uint8_t *never, const ff_reactions *net, ff_error *err);

/* ---- rate laws that have the form of mass action: ff_mass_action.c ------------------------------------------------------ */

/* A propensity: `rate` times the number of ways to choose the factors, as of mass action. */
typedef struct {
  int is; /* whether a formula has this form; else the rest means nothing */
  double rate;
  ff_participant *factors; /* in ascending order of species; the caller frees it */
  uint32_t n;
} ff_mass_action;

/* Recognises a formula that is mass action in its form, such as k * A * (A - 1) / 2, and is 0 whenever a reactant of reaction r
 * is missing. Its symbols are species, and what may be no number is replaced. O(length log length). */
ff_status ff_mass_action_read(ff_mass_action *out, const ff_formula *formula, const ff_reactions *net, uint32_t r,
                              ff_error *err);

/* A law that is negative in some state. */
typedef struct {
  uint32_t reaction;
  double value;
} ff_negative_law;

/* Sets negative[r] to 1 for each reaction whose rate is a difference that is negative for some counts, as k1 * A - k2 * B is,
 * else to 0. The difference may have a factor or a denominator, and variables are replaced by their formulas. Parameters and
 * fixed species have their values at time 0. Only the states are tried in which the one or the other part outweighs the rest, so
 * laws may be missed, but none is reported without such a state. If there is one, *first tells the first of these reactions, and
 * count[] the state: NaN for species that it does not name. O(length of the formulas, and of products of variables). Defined in
 * ff_difference.c. */
ff_status ff_reactions_negative(uint8_t *negative, ff_negative_law *first, double *count, const ff_reactions *net,
                                ff_error *err);

/* Makes two reactions of each reaction whose rate is the difference of the rates of two directions, such as k1 * A - k2 * B. The
 * first keeps the name and the equation and gets the first rate. The second comes behind it, is called NAME_reverse, and has the
 * products as reactants and the reactants as products. *reverse becomes a new array with an entry for each reaction of the
 * network: 1 for the second ones, else 0. The caller frees it. On failure the network is as it was.
 *
 * The rate must be a sum whose terms have a sign, perhaps with factors and denominators that have one, for counts from 0 on and
 * the values of parameters; a term A * (A - 1) is not below 0 for whole counts. Variables that may be negative are replaced by
 * their formulas. Rates of the first direction must be 0 where some species is missing that it consumes, and those of the second
 * one where some species is missing that it consumes. Differences without this are kept, as k * (N - A), where N - A may count
 * what is left; and so are those with a factor that is 0 where a species is missing that the reaction changes, as A * (N - A), and
 * those whose second rate is 0 where a reactant is missing that is no product. Flows and mass action are kept, and laws after
 * 2^28 words. The network must be finished, and is so afterwards. O(length of the formulas x the depth of a sum). Defined in
 * ff_reversible.c. */
ff_status ff_reactions_split(ff_reactions *net, uint8_t **reverse, ff_error *err);

/* ---- amounts that become counts: ff_convert.c ---------------------------------------------------------------------------- */

/* Makes formulas of counts from formulas of amounts, of which one unit has `factor` items. amount[] has a 1 for each symbol that is
 * an amount: species, and variables; of others, the values remain. A rate becomes that of counts, too, `factor` times as large.
 * So k * A * B becomes k * A * B / factor; formulas that are no powers of amounts get A / factor for A. Initial counts and rates
 * of mass action are not changed. With `rounds`, the counts that events set become the nearest whole numbers, unless they have a
 * factor. The network need not be finished yet. After a failure, some formulas are converted. O(length of the formulas x the depth
 * of a sum of products). */
ff_status ff_reactions_convert(ff_reactions *net, const uint8_t *amount, double factor, int rounds, ff_error *err);

/* Rates that have a reactant as often as a factor as the reaction takes it count pairs: k * A^2 of 2 A -> B becomes
 * k * A * (A - 1), and so on. counted[r] becomes 1 if the rate of reaction r is such a rate, else 0. O(length of the formulas x the
 * depth of a product). */
ff_status ff_reactions_count_pairs(ff_reactions *net, uint8_t *counted, ff_error *err);

/* *sure becomes 1 if the rate of reaction r is below 0 for these values by more than rounding errors may explain, else 0. `order`
 * is that of ff_reactions_order(), and the time is 0. O(length of the formulas). */
ff_status ff_reactions_surely_negative(int *sure, const ff_reactions *net, uint32_t r, const uint32_t *order,
                                       const double *values, ff_error *err);

/* Calls found(context, r, species) for each species that the rate of reaction r names, also through variables; a species may come
 * several times. mark[] and stack[] have an entry for each variable, and no mark is r + 1 before. O(length of the formulas). */
void ff_reactions_read(const ff_reactions *net, uint32_t r, uint32_t *mark, uint32_t *stack,
                       void (*found)(void *context, uint32_t r, uint32_t species), void *context);

#endif
