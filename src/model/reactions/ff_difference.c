/* Laws of reactions in both directions: differences of two rates, which are negative in some states. */
#include <stdlib.h>
#include <string.h>

#include "../ff_formula_code.h"
#include "../ff_formula_range.h"
#include "ff_reactions_internal.h"

#define MOST_DIFFERENCES 64u         /* of a law that are looked at */
#define MOST_SPECIES 16u             /* names of species in a law that are looked at */
#define MOST_WORK (UINT64_C(1) << 28) /* words that are evaluated, a second or two; laws after that are not looked at */

typedef struct {
  const ff_reactions *net;
  const ff_replacement *replacement;
  ff_formula law; /* without parameters and variables */
  uint32_t *start;
  double *stack;
  ff_range *ranges;
  uint8_t *side; /* of each species: ON_LEFT, ON_RIGHT, or both */
  double *count;
  double value;  /* of the law, in the state `count` */
  uint64_t work;
  ff_error *err;
} search;

enum { ON_LEFT = 1, ON_RIGHT = 2 };

/* ---- what may be a difference ------------------------------------------------------------------------------------------- */

/* Whether a formula subtracts, has a negative number or parameter, or names a variable that does. */
static int subtracts(const ff_formula *formula, const ff_reactions *net, const uint8_t *marked) {
  const uint32_t first = net->n_species + net->n_parameters;
  for (uint32_t i = 0; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code == FF_F_SUB || word->code == FF_F_NEG || word->number < 0) return 1;
    if (word->code != FF_F_SYMBOL || word->symbol < net->n_species) continue;
    if (word->symbol >= first ? marked[word->symbol - first] : net->value[word->symbol - net->n_species] < 0) return 1;
  }
  return 0;
}

ff_status ff_reactions_subtract(uint8_t *found, uint32_t *n, const ff_reactions *net, ff_error *err) {
  uint32_t *order;
  uint8_t *marked = ff_calloc(net->n_variables, 1);
  *n = 0;
  if (marked == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u variables", net->n_variables);
  ff_status status = ff_reactions_order(&order, net, err);
  if (status == FF_OK) {
    for (uint32_t i = 0; i < net->n_variables; i++)
      marked[order[i]] = (uint8_t)subtracts(&net->variable[order[i]], net, marked);
    for (uint32_t r = 0; r < net->n_reactions; r++)
      *n += found[r] = (uint8_t)subtracts(&net->reactions[r].rate, net, marked);
  }
  free(order);
  free(marked);
  return status;
}

/* ---- a state in which a law is negative --------------------------------------------------------------------------------- */

/* Whether the law is negative in this state, also without rounding errors. */
static int is_negative(search *s) {
  static const double times[] = {0, 1, 100};
  const int n = ff_formula_has_time(&s->law) ? 3 : 1;
  for (int i = 0; i < n; i++) {
    const ff_range time = {.low = times[i], .high = times[i], .exact = 1};
    s->work += s->law.length;
    s->value = ff_formula_value(&s->law, s->count, times[i], s->stack);
    if (!(s->value < 0)) continue;
    const ff_range range = ff_formula_range(&s->law, FF_RANGE_INEXACT, s->count, s->count, time, s->ranges);
    if (range.high < 0 && !range.nan) return 1;
  }
  return 0;
}

/* Sets the counts of the species that the law names, but for fixed ones, which keep theirs: those that this side names (with
 * `alone`, only this side) to `many`, the others to `others` or, if this is INITIAL, to their initial counts. */
#define INITIAL (-1)
static void set_counts(search *s, uint8_t side, int alone, double many, double others) {
  for (uint32_t i = 0; i < s->law.length; i++) {
    const uint32_t species = s->law.word[i].symbol;
    if (s->law.word[i].code != FF_F_SYMBOL) continue;
    const int here = alone ? s->side[species] == side : (s->side[species] & side) != 0;
    s->count[species] = here ? many : others;
    if (s->net->fixed[species] || (!here && others == INITIAL)) s->count[species] = s->net->initial[species];
  }
}

/* Looks for a state in which what is on this side outweighs the rest: with few or many molecules of the species that this side
 * names, or that only this side names, and none, one, or the initial count of the others; or as many of all. */
static int outweighs(search *s, uint8_t side) {
  static const double many[] = {0, 1, 2, 3, 5, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  for (size_t k = 0; k < sizeof many / sizeof *many; k++) {
    const double others[] = {0, 1, INITIAL, many[k]};
    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
      set_counts(s, side, i % 2 == 0, many[k], others[i / 2]);
      if (is_negative(s)) return 1;
    }
  }
  return 0;
}

static void mark_side(search *s, uint32_t last, uint8_t side) {
  for (uint32_t i = s->start[last]; i <= last; i++)
    if (s->law.word[i].code == FF_F_SYMBOL) s->side[s->law.word[i].symbol] |= side;
}

static void clear_sides(search *s) {
  for (uint32_t i = 0; i < s->law.length; i++)
    if (s->law.word[i].code == FF_F_SYMBOL) s->side[s->law.word[i].symbol] = 0;
}

/* Looks at a sum or difference whose operands end with the words `left` (NONE for none) and `right`. Each of them may be what is
 * taken away: what comes before may have changed the sign. */
#define NONE UINT32_MAX
static int look_at(search *s, uint32_t left, uint32_t right) {
  clear_sides(s);
  if (left != NONE) mark_side(s, left, ON_LEFT);
  mark_side(s, right, ON_RIGHT);
  return outweighs(s, ON_RIGHT) || outweighs(s, ON_LEFT);
}

/* Looks at the species one by one: both sides may name the same ones, as those of A^2 B - A B^2. */
static int look_at_species(search *s) {
  uint32_t looked = 0;
  for (uint32_t i = 0; i < s->law.length && looked < MOST_SPECIES && s->work < MOST_WORK; i++) {
    if (s->law.word[i].code != FF_F_SYMBOL) continue;
    clear_sides(s);
    mark_side(s, i, ON_RIGHT);
    looked++;
    if (outweighs(s, ON_RIGHT)) return 1;
  }
  return 0;
}

/* Looks at the sums and differences of which the law consists, also within products, numerators and branches. `todo` has room for
 * the words of the law. */
static int find_state(search *s, uint32_t *todo) {
  uint32_t n = 0, looked = 0;
  todo[n++] = s->law.length - 1;
  while (n > 0 && looked < MOST_DIFFERENCES && s->work < MOST_WORK) {
    const uint32_t at = todo[--n], code = s->law.word[at].code, last = at - 1;
    const uint32_t operands = ff_formula_operands(code);
    const uint32_t before = operands > 1 ? s->start[last] - 1 : NONE;
    switch (code) {
      case FF_F_ADD:
      case FF_F_SUB:
      case FF_F_NEG:
        looked++;
        if (look_at(s, before, last)) return 1;
        break;
      case FF_F_DIV: todo[n++] = before; continue;
      case FF_F_MUL:
      case FF_F_MIN:
      case FF_F_MAX:
      case FF_F_IF: break; /* the condition of a branch comes before both, and is not looked at */
      default: continue;
    }
    if (before != NONE) todo[n++] = before;
    todo[n++] = last;
  }
  return looked > 0 && look_at_species(s);
}

/* ---- a law -------------------------------------------------------------------------------------------------------------- */

static int look_at_law(search *s, uint32_t r, ff_status *status) {
  uint32_t *todo = NULL;
  int found = 0;
  s->start = NULL;
  s->stack = NULL;
  s->ranges = NULL;
  *status = ff_formula_replace(&s->law, &s->net->reactions[r].rate, s->replacement->of, s->err);
  if (*status == FF_OK) {
    s->start = ff_calloc(s->law.length, sizeof *s->start);
    s->stack = ff_calloc(s->law.depth, sizeof *s->stack);
    s->ranges = ff_calloc(s->law.depth, sizeof *s->ranges);
    todo = ff_calloc((size_t)s->law.length + 1, sizeof *todo);
    if (s->start == NULL || s->stack == NULL || s->ranges == NULL || todo == NULL)
      *status = ff_error_set(s->err, FF_EMEMORY, "no memory for a rate law");
  }
  if (*status == FF_OK) {
    ff_formula_starts(s->start, &s->law);
    found = find_state(s, todo);
  }
  free(s->start);
  free(s->stack);
  free(s->ranges);
  free(todo);
  return found;
}

/* Tells the state that the search has found. */
static void tell(ff_negative_law *law, double *count, const search *s, uint32_t r) {
  *law = (ff_negative_law){.reaction = r, .value = s->value};
  for (uint32_t i = 0; i < s->net->n_species; i++) count[i] = ff_math_nan();
  for (uint32_t i = 0; i < s->law.length; i++)
    if (s->law.word[i].code == FF_F_SYMBOL) count[s->law.word[i].symbol] = s->count[s->law.word[i].symbol];
}

ff_status ff_reactions_negative(uint8_t *negative, ff_negative_law *first, double *count, const ff_reactions *net,
                                ff_error *err) {
  ff_replacement replacement = {0};
  uint32_t n;
  int told = 0;
  ff_status status = ff_reactions_subtract(negative, &n, net, err);
  if (status != FF_OK || n == 0) return status;
  search s = {.net = net, .replacement = &replacement, .err = err};
  s.side = ff_calloc(net->n_species, 1);
  s.count = ff_calloc(net->n_species, sizeof *s.count);
  if (s.side == NULL || s.count == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for %u species", net->n_species);
  if (status == FF_OK) status = ff_replacement_new(&replacement, net, NULL, err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    if (!negative[r]) continue;
    negative[r] = s.work < MOST_WORK && look_at_law(&s, r, &status);
    if (negative[r] && !told++) tell(first, count, &s, r);
    ff_formula_free(&s.law);
  }
  ff_replacement_free(&replacement);
  free(s.side);
  free(s.count);
  return status;
}
