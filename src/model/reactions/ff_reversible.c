/* Reactions in both directions whose rate is one formula, forward - backward: they become two. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../ff_formula_code.h"
#include "../ff_formula_range.h"
#include "ff_reactions_internal.h"

#define MOST_WORK (UINT64_C(1) << 28) /* words that are looked at, about a second; laws after that are kept */
#define MOST_FALLING 3                /* species with whole numbers that are tried one by one */

enum { FORWARD, BACKWARD };

/* A factor of the whole law, or a term of the sum that is left: the words that end with `last`. */
typedef struct {
  uint32_t last;
  uint8_t flipped; /* whether it is not above 0, and stands for what it would be without its sign */
  uint8_t side;    /* of a term: FORWARD or BACKWARD */
  uint8_t before;  /* of a factor: whether it comes before the rest */
  uint32_t code;   /* of a factor: FF_F_MUL or FF_F_DIV */
} part;

typedef struct {
  const ff_reactions *net;
  ff_replacement numbers;   /* without variables, and without parameters but those that events set */
  const ff_formula **named; /* without variables that may be negative */
  ff_formula *expanded;
  const ff_formula **counts; /* what replaces species whose counts are tried */
  double *low, *high;        /* of species, and of parameters that events set */
  uint32_t n_positive;       /* so many of them are not below 0 */
  ff_formula law;
  uint32_t *start;
  part *factor, *term, *todo;
  uint32_t n_factors, n_terms;
  uint64_t work;
  ff_error *err;
} splitter;

/* ---- signs -------------------------------------------------------------------------------------------------------------- */

/* A species from which the formula takes a whole number, as A in A * (A - 1). */
static int find_falling(const splitter *s, const ff_formula *formula, uint32_t *species) {
  for (uint32_t i = 2; i < formula->length; i++) {
    const ff_formula_word *word = &formula->word[i];
    if (word->code != FF_F_SUB || word[-1].code != FF_F_NUMBER || word[-2].code != FF_F_SYMBOL) continue;
    *species = word[-2].symbol;
    if (*species < s->net->n_species) return 1;
  }
  return 0;
}

/* Whether a formula of species is never below 0 for counts, which are whole: where A - 1 occurs, A is 0, 1, 2, 3, or A + 4. */
static ff_status is_positive(splitter *s, const ff_formula *formula, int falling, int *yes) {
  enum { TRIED = 4 };
  const ff_formula_counts known = {.symbol = UINT32_MAX, .n_counts = s->n_positive, .most = FF_MAX_COUNT};
  uint32_t species;
  s->work += formula->length;
  ff_status status = ff_formula_never_below(yes, formula, &known, s->err);
  if (status != FF_OK || *yes || falling == MOST_FALLING || !find_falling(s, formula, &species)) return status;
  ff_formula_word words[] = {{FF_F_SYMBOL, species, 0}, {FF_F_NUMBER, 0, TRIED}, {FF_F_ADD, 0, 0}}, number;
  *yes = 1;
  for (int count = 0; count <= TRIED && *yes && status == FF_OK; count++) {
    number = (ff_formula_word){FF_F_NUMBER, 0, count};
    const ff_formula one = {&number, 1, 1}, more = {words, 3, 2};
    ff_formula tried;
    s->counts[species] = count < TRIED ? &one : &more;
    status = ff_formula_replace(&tried, formula, s->counts, s->err);
    s->counts[species] = NULL;
    if (status == FF_OK) status = is_positive(s, &tried, falling + 1, yes);
    ff_formula_free(&tried);
  }
  return status;
}

/* The part of the law that ends with the word `last`, without parameters and variables. */
static ff_status expand(splitter *s, uint32_t last, ff_formula *out) {
  const ff_formula words = {s->law.word + s->start[last], last - s->start[last] + 1, s->law.depth};
  const ff_status status = ff_formula_replace(out, &words, s->numbers.of, s->err);
  s->work += words.length + out->length;
  return status;
}

static ff_status is_negative(splitter *s, const ff_formula *formula, int *yes) {
  ff_formula_builder b = {0};
  ff_formula negated = {0};
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < formula->length && status == FF_OK; i++) status = ff_formula_push(&b, formula->word[i], s->err);
  if (status == FF_OK) status = ff_formula_push(&b, (ff_formula_word){FF_F_NEG, 0, 0}, s->err);
  if (status == FF_OK) ff_formula_finish(&negated, &b);
  if (status == FF_OK) status = is_positive(s, &negated, 0, yes);
  free(b.word);
  ff_formula_free(&negated);
  return status;
}

/* *sign becomes 1 or -1 if the part of the law has never the other sign, else 0. */
static ff_status sign_of(splitter *s, uint32_t last, int *sign) {
  ff_formula formula = {0};
  int yes = 0;
  *sign = 0;
  if (s->work > MOST_WORK) return FF_OK;
  ff_status status = expand(s, last, &formula);
  if (status == FF_OK) status = is_positive(s, &formula, 0, &yes);
  if (status == FF_OK && yes) *sign = 1;
  if (status == FF_OK && !yes) status = is_negative(s, &formula, &yes);
  if (status == FF_OK && !*sign && yes) *sign = -1;
  ff_formula_free(&formula);
  return status;
}

/* ---- the form of a law -------------------------------------------------------------------------------------------------- */

static uint32_t code_at(const splitter *s, uint32_t last) { return s->law.word[last].code; }

/* The last word of the first of two operands; the second one ends before `last`. */
static uint32_t left_of(const splitter *s, uint32_t last) { return s->start[last - 1] - 1; }

/* Takes factors with a sign off the law: *last becomes the end of what is left, and *negative whether it is taken away. */
static ff_status take_factors(splitter *s, uint32_t *last, int *negative) {
  ff_status status = FF_OK;
  s->n_factors = 0;
  *negative = 0;
  while (status == FF_OK) {
    const uint32_t code = code_at(s, *last), right = *last - 1;
    int sign = 0, before = 0;
    if (code == FF_F_NEG) {
      *negative = !*negative;
      *last = right;
      continue;
    }
    if (code != FF_F_MUL && code != FF_F_DIV) return FF_OK;
    const uint32_t left = left_of(s, *last);
    status = sign_of(s, right, &sign);
    if (status == FF_OK && sign == 0 && code == FF_F_MUL) {
      before = 1;
      status = sign_of(s, left, &sign);
    }
    if (status != FF_OK || sign == 0) return status;
    const part found = {.last = before ? left : right, .flipped = sign < 0, .before = (uint8_t)before, .code = code};
    s->factor[s->n_factors++] = found;
    *negative ^= sign < 0;
    *last = before ? right : left;
  }
  return status;
}

/* Sorts the terms of the sum that ends with `last`. *sorted becomes 0 if a term may have both signs. */
static ff_status sort_terms(splitter *s, uint32_t last, int negative, int *sorted) {
  uint32_t n = 0;
  ff_status status = FF_OK;
  s->n_terms = 0;
  s->todo[n++] = (part){.last = last, .flipped = (uint8_t)negative};
  *sorted = 1;
  while (n > 0 && *sorted && status == FF_OK) {
    const part at = s->todo[--n];
    const uint32_t code = code_at(s, at.last);
    int sign = 0;
    status = sign_of(s, at.last, &sign);
    if (sign != 0) {
      const uint8_t side = (sign < 0) != at.flipped ? BACKWARD : FORWARD;
      s->term[s->n_terms++] = (part){.last = at.last, .flipped = sign < 0, .side = side};
    } else if (code == FF_F_NEG) {
      s->todo[n++] = (part){.last = at.last - 1, .flipped = !at.flipped};
    } else if (code == FF_F_ADD || code == FF_F_SUB) {
      s->todo[n++] = (part){.last = at.last - 1, .flipped = (uint8_t)(at.flipped != (code == FF_F_SUB))};
      s->todo[n++] = (part){.last = left_of(s, at.last), .flipped = at.flipped};
    } else {
      *sorted = 0;
    }
  }
  return status;
}

/* ---- the two rates ------------------------------------------------------------------------------------------------------ */

/* Appends a part of the law. If it is flipped, without the sign of its first factor, or with one. */
static ff_status put(splitter *s, ff_formula_builder *b, const part *p) {
  const ff_formula_word minus = {FF_F_NEG, 0, 0};
  uint32_t first = p->last;
  ff_status status = FF_OK;
  while (code_at(s, first) == FF_F_MUL || code_at(s, first) == FF_F_DIV) first = left_of(s, first);
  const int number = code_at(s, first) == FF_F_NUMBER && s->law.word[first].number < 0, drops = code_at(s, first) == FF_F_NEG;
  for (uint32_t i = s->start[p->last]; i <= p->last && status == FF_OK; i++) {
    ff_formula_word word = s->law.word[i];
    const int flips = p->flipped && i == first;
    if (flips && drops) continue;
    if (flips && number) word.number = -word.number;
    status = ff_formula_push(b, word, s->err);
    if (status == FF_OK && flips && !number) status = ff_formula_push(b, minus, s->err);
  }
  return status;
}

static ff_status make_rate(splitter *s, uint8_t side, ff_formula *out) {
  const ff_formula_word add = {FF_F_ADD, 0, 0};
  ff_formula_builder b = {0};
  uint32_t n = 0;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < s->n_factors && status == FF_OK; i++)
    if (s->factor[i].before) status = put(s, &b, &s->factor[i]);
  for (uint32_t i = 0; i < s->n_terms && status == FF_OK; i++) {
    if (s->term[i].side != side) continue;
    status = put(s, &b, &s->term[i]);
    if (status == FF_OK && n++ > 0) status = ff_formula_push(&b, add, s->err);
  }
  for (uint32_t i = s->n_factors; i-- > 0 && status == FF_OK;) {
    const ff_formula_word by = {s->factor[i].code, 0, 0};
    if (!s->factor[i].before) status = put(s, &b, &s->factor[i]);
    if (status == FF_OK) status = ff_formula_push(&b, by, s->err);
  }
  if (status == FF_OK) ff_formula_finish(out, &b);
  free(b.word);
  return status;
}

/* ---- whether they are the rates of two directions ----------------------------------------------------------------------- */

static uint32_t count_in(const ff_participant *all, uint32_t n, uint32_t species) {
  for (uint32_t i = 0; i < n; i++)
    if (all[i].species == species) return all[i].count;
  return 0;
}

/* Whether a formula of species is 0 wherever this species is missing. */
static ff_status vanishes(splitter *s, const ff_formula *formula, uint32_t species, int *yes) {
  const ff_range time = {.low = 0, .high = DBL_MAX};
  ff_range *stack = ff_calloc(formula->depth, sizeof *stack);
  if (stack == NULL) return ff_error_set(s->err, FF_EMEMORY, "no memory for a rate law");
  const double most = s->high[species];
  s->high[species] = 0;
  const ff_range range = ff_formula_range(formula, FF_RANGE_COMPUTED, s->low, s->high, time, stack);
  s->high[species] = most;
  *yes = range.low >= 0 && range.high <= 0;
  free(stack);
  return FF_OK;
}

/* Whether a factor is 0 wherever this species is missing. */
static ff_status factor_vanishes(splitter *s, uint32_t species, int *yes) {
  ff_status status = FF_OK;
  *yes = 0;
  for (uint32_t i = 0; i < s->n_factors && !*yes && status == FF_OK; i++) {
    ff_formula factor = {0};
    if (s->factor[i].code == FF_F_DIV) continue;
    status = expand(s, s->factor[i].last, &factor);
    if (status == FF_OK) status = vanishes(s, &factor, species, yes);
    ff_formula_free(&factor);
  }
  return status;
}

/* What one side of an equation says: *vanish becomes 1 if the rate of the direction that takes these species away is 0 where one
 * of them is missing. *wrong becomes 1 if a factor of both rates is, or if the rate of the other direction is although it does
 * not take the species away: then the difference is no balance of two directions, as A * (T - B) where T - B counts what is
 * free. */
static ff_status look_at_side(splitter *s, const ff_reaction *reaction, uint8_t side, const ff_formula *full, int *vanish,
                              int *wrong) {
  const ff_participant *all = side == FORWARD ? reaction->reactants : reaction->products;
  const uint32_t n = side == FORWARD ? reaction->n_reactants : reaction->n_products;
  const ff_participant *others = side == FORWARD ? reaction->products : reaction->reactants;
  const uint32_t n_others = side == FORWARD ? reaction->n_products : reaction->n_reactants;
  ff_status status = FF_OK;
  *vanish = 0;
  for (uint32_t i = 0; i < n && status == FF_OK && !*wrong; i++) {
    const uint32_t species = all[i].species, back = count_in(others, n_others, species);
    int zero = 0, other = 0, factor = 0;
    if (back >= all[i].count) continue;
    status = vanishes(s, &full[side], species, &zero);
    if (status == FF_OK && side == FORWARD && back == 0) status = vanishes(s, &full[BACKWARD], species, &other);
    if (status == FF_OK && !s->net->fixed[species]) status = factor_vanishes(s, species, &factor);
    *vanish |= zero;
    *wrong |= other || factor;
  }
  return status;
}

static ff_status are_directions(splitter *s, const ff_reaction *reaction, const ff_formula rate[2], int *yes) {
  ff_formula full[2] = {{0}, {0}};
  int vanish[2] = {0, 0}, wrong = 0;
  ff_status status = ff_formula_replace(&full[FORWARD], &rate[FORWARD], s->numbers.of, s->err);
  if (status == FF_OK) status = ff_formula_replace(&full[BACKWARD], &rate[BACKWARD], s->numbers.of, s->err);
  for (uint8_t side = FORWARD; side <= BACKWARD && status == FF_OK && !wrong; side++)
    status = look_at_side(s, reaction, side, full, &vanish[side], &wrong);
  *yes = vanish[FORWARD] && vanish[BACKWARD] && !wrong;
  ff_formula_free(&full[FORWARD]);
  ff_formula_free(&full[BACKWARD]);
  return status;
}

/* ---- a law -------------------------------------------------------------------------------------------------------------- */

static ff_status make_rates(splitter *s, const ff_reaction *reaction, ff_formula rate[2]) {
  uint32_t last = s->law.length - 1, n[2] = {0, 0};
  int sign, negative = 0, sorted = 0, yes = 0;
  ff_formula_starts(s->start, &s->law);
  ff_status status = sign_of(s, last, &sign);
  if (status != FF_OK || sign != 0) return status;
  status = take_factors(s, &last, &negative);
  if (status == FF_OK) status = sort_terms(s, last, negative, &sorted);
  for (uint32_t i = 0; i < s->n_terms; i++) n[s->term[i].side]++;
  if (status != FF_OK || !sorted || n[FORWARD] == 0 || n[BACKWARD] == 0) return status;
  status = make_rate(s, FORWARD, &rate[FORWARD]);
  if (status == FF_OK) status = make_rate(s, BACKWARD, &rate[BACKWARD]);
  if (status == FF_OK) status = are_directions(s, reaction, rate, &yes);
  if (status == FF_OK && yes) return FF_OK;
  ff_formula_free(&rate[FORWARD]);
  ff_formula_free(&rate[BACKWARD]);
  return status;
}

/* rate[] becomes the rates of both directions, or stays empty if the law has another form. */
static ff_status look_at_law(splitter *s, uint32_t r, ff_formula rate[2]) {
  if (s->work > MOST_WORK) return FF_OK;
  ff_status status = ff_formula_replace(&s->law, &s->net->reactions[r].rate, s->named, s->err);
  if (status != FF_OK) return status;
  const uint32_t length = s->law.length;
  s->start = ff_calloc(length, sizeof *s->start);
  s->factor = ff_calloc(length, sizeof *s->factor);
  s->term = ff_calloc(length, sizeof *s->term);
  s->todo = ff_calloc((size_t)length + 1, sizeof *s->todo);
  if (s->start == NULL || s->factor == NULL || s->term == NULL || s->todo == NULL)
    status = ff_error_set(s->err, FF_EMEMORY, "no memory for a rate law of %u words", length);
  if (status == FF_OK) status = make_rates(s, &s->net->reactions[r], rate);
  free(s->start);
  free(s->factor);
  free(s->term);
  free(s->todo);
  ff_formula_free(&s->law);
  return status;
}

/* ---- the network -------------------------------------------------------------------------------------------------------- */

/* Parameters that events set have the sign that they have before. */
static void set_ranges(splitter *s, const uint32_t *settable_of, uint32_t n_settable) {
  const ff_reactions *net = s->net;
  s->n_positive = net->n_species + n_settable;
  for (uint32_t i = 0; i < net->n_species + n_settable; i++) s->high[i] = FF_MAX_COUNT;
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    if (settable_of[i] == UINT32_MAX || net->value[i] >= 0) continue;
    s->low[net->n_species + settable_of[i]] = -ff_math_infinity();
    s->n_positive = net->n_species;
  }
}

static ff_status name_variables(splitter *s) {
  const ff_reactions *net = s->net;
  uint8_t *never = ff_calloc(net->n_variables, 1);
  if (never == NULL) return ff_error_set(s->err, FF_EMEMORY, "no memory for %u variables", net->n_variables);
  ff_status status = ff_reactions_never_negative(never, net, s->err);
  if (status == FF_OK) status = ff_reactions_expand(s->expanded, net, s->named, s->err);
  for (uint32_t v = 0; v < net->n_variables && status == FF_OK; v++)
    if (never[v]) s->named[net->n_species + net->n_parameters + v] = NULL;
  free(never);
  return status;
}

static ff_status prepare(splitter *s) {
  const ff_reactions *net = s->net;
  const size_t symbols = (size_t)net->n_species + net->n_parameters + net->n_variables;
  uint32_t *settable_of = ff_calloc(net->n_parameters, sizeof *settable_of);
  s->named = ff_calloc(symbols, sizeof *s->named);
  s->expanded = ff_calloc(net->n_variables, sizeof *s->expanded);
  s->counts = ff_calloc(symbols, sizeof *s->counts);
  s->low = ff_calloc(symbols, sizeof *s->low);
  s->high = ff_calloc(symbols, sizeof *s->high);
  ff_status status = FF_OK;
  if (settable_of == NULL || s->named == NULL || s->expanded == NULL || s->counts == NULL || s->low == NULL || s->high == NULL)
    status = ff_error_set(s->err, FF_EMEMORY, "no memory for the rates of %u reactions", net->n_reactions);
  if (status == FF_OK) {
    const uint32_t n = ff_reactions_settable(settable_of, net);
    set_ranges(s, settable_of, n);
    status = ff_replacement_new(&s->numbers, net, settable_of, s->err);
  }
  if (status == FF_OK) status = name_variables(s);
  free(settable_of);
  return status;
}

static void end(splitter *s) {
  ff_replacement_free(&s->numbers);
  for (uint32_t v = 0; v < s->net->n_variables && s->expanded != NULL; v++) ff_formula_free(&s->expanded[v]);
  free(s->named);
  free(s->expanded);
  free(s->counts);
  free(s->low);
  free(s->high);
}

/* "NAME_reverse", with "_" behind it until no reaction has this name; no name if the reaction has none. */
static ff_status name_reverse(char **out, const char *name, ff_names *names, ff_error *err) {
  ff_string text = {0};
  if (name[0] == '\0') return ff_name_copy(out, name, err);
  ff_status status = ff_string_puts(&text, name, err);
  if (status == FF_OK) status = ff_string_puts(&text, "_reverse", err);
  while (status == FF_OK && ff_names_find(names, text.text, text.length) >= 0) status = ff_string_puts(&text, "_", err);
  if (status == FF_OK)
    *out = text.text;
  else
    free(text.text);
  return status;
}

static ff_status copy_participants(ff_participant **out, const ff_participant *from, uint32_t n, ff_error *err) {
  *out = ff_calloc(n, sizeof **out);
  if (*out == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a reaction");
  if (n > 0) memcpy(*out, from, n * sizeof **out);
  return FF_OK;
}

static ff_status make_reverse(ff_reaction *out, const ff_reaction *of, ff_names *names, ff_error *err) {
  out->n_reactants = of->n_products;
  out->n_products = of->n_reactants;
  ff_status status = name_reverse(&out->name, of->name, names, err);
  if (status == FF_OK) status = copy_participants(&out->reactants, of->products, of->n_products, err);
  if (status == FF_OK) status = copy_participants(&out->products, of->reactants, of->n_reactants, err);
  return status;
}

/* Puts the reverse of each reaction that has a second rate behind it. rate[2 r] and rate[2 r + 1] are those of reaction r. */
static ff_status insert(ff_reactions *net, ff_formula *rate, uint32_t n, uint8_t *reverse, ff_error *err) {
  char **named = ff_calloc(net->n_reactions, sizeof *named);
  ff_reaction *all = ff_calloc((size_t)net->n_reactions + n, sizeof *all);
  ff_names *names = NULL;
  uint32_t at = 0, n_named = 0;
  ff_status status = FF_OK;
  if (named == NULL || all == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for %u more reactions", n);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++)
    if (net->reactions[r].name[0] != '\0') named[n_named++] = net->reactions[r].name;
  if (status == FF_OK) status = ff_names_new(&names, named, n_named, "reactions", err);
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    at++;
    if (rate[2 * r].length == 0) continue;
    reverse[at] = 1;
    status = make_reverse(&all[at++], &net->reactions[r], names, err);
  }
  ff_names_free(names);
  free(named);
  if (status != FF_OK) {
    for (uint32_t i = 0; i < net->n_reactions + n && all != NULL; i++) ff_reaction_free(&all[i]);
    free(all);
    return status;
  }
  at = 0;
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    ff_reaction *to = &all[at++];
    *to = net->reactions[r];
    if (rate[2 * r].length == 0) continue;
    ff_formula_free(&to->rate);
    to->rate = rate[2 * r];
    all[at++].rate = rate[2 * r + 1];
    rate[2 * r] = rate[2 * r + 1] = (ff_formula){0};
  }
  free(net->reactions);
  net->reactions = all;
  net->n_reactions += n;
  return FF_OK;
}

/* Finds the rates of both directions of each reaction that may have them. Returns how many have in *n. */
static ff_status find_rates(ff_formula *rate, uint32_t *n, const uint8_t *candidate, const ff_reactions *net, ff_error *err) {
  splitter s = {.net = net, .err = err};
  ff_status status = prepare(&s);
  *n = 0;
  for (uint32_t r = 0; r < net->n_reactions && status == FF_OK; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    if (!candidate[r] || reaction->mass_action || reaction->flows || reaction->weight != NULL) continue;
    status = look_at_law(&s, r, rate + 2 * r);
    *n += rate[2 * r].length > 0;
  }
  end(&s);
  return status;
}

ff_status ff_reactions_split(ff_reactions *net, uint8_t **reverse, ff_error *err) {
  const size_t size = 2 * (size_t)net->n_reactions;
  uint8_t *candidate = ff_calloc(net->n_reactions, 1);
  ff_formula *rate = ff_calloc(size, sizeof *rate);
  uint32_t n = 0;
  *reverse = ff_calloc(size, 1);
  ff_status status = FF_OK;
  if (candidate == NULL || rate == NULL || *reverse == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for the rates of %u reactions", net->n_reactions);
  if (status == FF_OK) status = ff_reactions_subtract(candidate, &n, net, err);
  if (status == FF_OK && n > 0) status = find_rates(rate, &n, candidate, net, err);
  if (status == FF_OK && n > 0 && net->n_reactions > UINT32_MAX - n)
    status = ff_error_set(err, FF_ESIZE, "a network has at most 2^32 - 1 reactions");
  if (status == FF_OK && n > 0) status = insert(net, rate, n, *reverse, err);
  for (size_t i = 0; i < size && rate != NULL; i++) ff_formula_free(&rate[i]);
  free(rate);
  free(candidate);
  if (status == FF_OK) return FF_OK;
  free(*reverse);
  *reverse = NULL;
  return status;
}
