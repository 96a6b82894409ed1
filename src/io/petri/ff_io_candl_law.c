/* MassAction and its like, and bare places: what a rate says of the arcs of its transition. */
#include "ff_io_candl_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WEIGHT 100.0 /* of a binomial that is written out */

/* A colour of a place, with all that the inputs say of it. */
typedef struct {
  const ff_candl_input *first;
  double taken; /* by standard arcs */
  double read, read_now;
  uint32_t inscription; /* to which read_now belongs */
} factor;

typedef struct {
  factor *all;
  size_t n, capacity;
} factors;

ff_candl_law ff_candl_law_of(ff_span name) {
  if (name.length > 3 && memcmp(name.text, "Bio", 3) == 0) name = ff_span_after(name, 3);
  if (ff_span_equals(name, "MassAction")) return FF_CANDL_MASS_ACTION;
  if (ff_span_equals(name, "LevelInterpretation")) return FF_CANDL_LEVELS;
  return ff_span_equals(name, "MichaelisMenten") ? FF_CANDL_MICHAELIS : FF_CANDL_NO_LAW;
}

/* Adds an input to the factor of its colour. */
static ff_status add_input(ff_candl *candl, factors *to, const ff_candl_input *input, ff_place place) {
  size_t at = 0;
  int holds = 1;
  if (input->when != NULL) {
    const ff_status status = ff_candl_condition(candl, &holds, input->when, place);
    if (status != FF_OK || !holds) return status;
  }
  for (int equal = 0; at < to->n; at++) {
    if (to->all[at].first->place != input->place) continue;
    const ff_status status = ff_candl_equal(candl, &equal, &to->all[at].first->colour, &input->colour, place);
    if (status != FF_OK) return status;
    if (equal) break;
  }
  void *memory = to->all;
  const ff_status status = ff_grow(&memory, &to->capacity, to->n + 1, sizeof *to->all, candl->err);
  to->all = memory;
  if (status != FF_OK) return status;
  if (at == to->n) to->all[to->n++] = (factor){.first = input};
  factor *f = &to->all[at];
  if (input->kind == FF_ARC_IN) f->taken += input->weight;
  if (input->kind != FF_ARC_READ && input->kind != FF_ARC_EQUAL) return FF_OK;
  f->read_now = f->inscription == input->inscription ? f->read_now + input->weight : input->weight;
  f->inscription = input->inscription;
  if (!(f->read_now <= f->read)) f->read = f->read_now;
  return FF_OK;
}

static ff_status gather(ff_candl *candl, factors *to, ff_place place) {
  ff_status status = FF_OK;
  for (size_t i = 0; i < candl->n_inputs && status == FF_OK; i++) status = add_input(candl, to, &candl->input[i], place);
  return status;
}

/* What the transition needs of a colour; NaN if a weight is not a number. */
static double lower(const factor *f) { return f->read > f->taken || isnan(f->read) ? f->read : f->taken; }

static ff_status check_weights(ff_candl *candl, const factors *all, int whole, ff_place place) {
  for (size_t i = 0; i < all->n; i++) {
    const double w = lower(&all->all[i]);
    if (whole ? w == floor(w) && w <= MOST_WEIGHT : isfinite(w)) continue;
    return ff_error_set(
        candl->err, FF_EUNSUPPORTED, "%s, line %llu: the law of the rate depends on the weight of %s, which is not %s",
        place.file, (unsigned long long)place.line, all->all[i].first->element, whole ? "a whole number up to 100" : "a number");
  }
  return FF_OK;
}

static void put_sign(ff_out *out, size_t start) {
  if (out->length > start) ff_out_puts(out, " * ");
}

/* m (m - 1) ... / k!, from factor `from` on; what was written since `start` is multiplied by it. */
static void put_ways(ff_out *out, size_t start, const char *m, double from, double to) {
  for (double i = from; i < to; i++) {
    put_sign(out, start);
    ff_out_puts(out, i == 0 ? "" : "(");
    ff_out_puts(out, m);
    if (i == 0) continue;
    ff_out_puts(out, " - ");
    ff_out_number(out, i);
    ff_out_puts(out, ") / ");
    ff_out_number(out, i + 1);
  }
}

static void put_power(ff_out *out, size_t start, const char *m, double power) {
  if (power == 0) return;
  put_sign(out, start);
  ff_out_puts(out, m);
  if (power == 1) return;
  ff_out_puts(out, "^");
  ff_out_number(out, power);
}

/* The product over the inputs; with `beyond`, of what they add to the standard arcs. */
static void put_product(ff_out *out, const factors *all, int powers, int beyond) {
  const size_t start = out->length;
  for (size_t i = 0; i < all->n; i++) {
    const factor *f = &all->all[i];
    const double from = beyond ? f->taken : 0;
    if (powers)
      put_power(out, start, f->first->element, lower(f) - from);
    else
      put_ways(out, start, f->first->element, from, lower(f));
  }
}

static int is_flow(const ff_candl *candl) { return candl->net->transition[candl->transition].kind == FF_PETRI_CONTINUOUS; }

/* Writes (k) * (product), or k if there is no product. */
static ff_status put_times(ff_candl *candl, ff_out *out, const char *k, const factors *all, int powers, int beyond) {
  ff_out product = {.err = candl->err};
  char *text;
  put_product(&product, all, powers, beyond);
  const ff_status status = ff_out_finish(&product, &text);
  if (status != FF_OK) return status;
  ff_out_puts(out, "(");
  ff_out_puts(out, k);
  ff_out_puts(out, text[0] != '\0' ? ") * (" : "");
  ff_out_puts(out, text);
  ff_out_puts(out, ")");
  free(text);
  return FF_OK;
}

static void put_levels(ff_out *out, const factors *all, const char *k, const char *n) {
  const char *const pieces[] = {"((", k, ") * (", n, ")"};
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) ff_out_puts(out, pieces[i]);
  for (size_t i = 0; i < all->n; i++) {
    const char *const each[] = {" * ", all->all[i].first->element, " / (", n, ")"};
    for (size_t j = 0; j < sizeof each / sizeof each[0]; j++) ff_out_puts(out, each[j]);
  }
  ff_out_puts(out, ")");
}

static ff_status put_michaelis(ff_candl *candl, ff_out *out, const factors *all, const char *v, const char *k) {
  ff_out product = {.err = candl->err};
  char *p;
  put_product(&product, all, 1, 0);
  if (product.length == 0) ff_out_puts(&product, "1");
  const ff_status status = ff_out_finish(&product, &p);
  if (status != FF_OK) return status;
  const char *const pieces[] = {"((", v, ") * (", p, ") / ((", k, ") + (", p, ")))"};
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) ff_out_puts(out, pieces[i]);
  free(p);
  return FF_OK;
}

ff_status ff_candl_put_law(ff_candl *candl, ff_out *out, ff_candl_law law, const char *const *argument, ff_place place) {
  factors all = {0};
  const int powers = law == FF_CANDL_MICHAELIS || is_flow(candl);
  ff_status status = gather(candl, &all, place);
  if (status == FF_OK && law != FF_CANDL_LEVELS) status = check_weights(candl, &all, !powers, place);
  if (status == FF_OK && law == FF_CANDL_LEVELS) put_levels(out, &all, argument[0], argument[1]);
  if (status == FF_OK && law == FF_CANDL_MICHAELIS) status = put_michaelis(candl, out, &all, argument[0], argument[1]);
  if (status == FF_OK && law == FF_CANDL_MASS_ACTION) {
    ff_out_puts(out, "(");
    status = put_times(candl, out, argument[0], &all, powers, 0);
    ff_out_puts(out, ")");
  }
  free(all.all);
  return status;
}

ff_status ff_candl_mass_action(ff_candl *candl, char **out, int *mass_action, const char *k, ff_place place) {
  const ff_petri_kind kind = candl->net->transition[candl->transition].kind;
  factors all = {0};
  ff_out text = {.err = candl->err};
  *out = NULL;
  *mass_action = kind == FF_PETRI_STOCHASTIC || kind == FF_PETRI_CONTINUOUS;
  ff_status status = gather(candl, &all, place);
  if (status == FF_OK) status = check_weights(candl, &all, !is_flow(candl), place);
  for (size_t i = 0; i < all.n; i++)
    if (is_flow(candl) && all.all[i].taken != 0 && all.all[i].taken != 1) *mass_action = 0;
  if (status == FF_OK) status = put_times(candl, &text, k, &all, is_flow(candl), *mass_action);
  free(all.all);
  if (status == FF_OK) return ff_out_finish(&text, out);
  free(text.text);
  return status;
}

/* Whether an input counts for a bare place: it is of the last inscription, its predicate holds, and no input before has its
 * colour. */
static ff_status picks(ff_candl *candl, int *yes, size_t number, uint32_t last, ff_place place) {
  const ff_candl_input *input = &candl->input[number];
  ff_status status = FF_OK;
  *yes = input->inscription == last;
  if (*yes && input->when != NULL) status = ff_candl_condition(candl, yes, input->when, place);
  for (size_t k = 0; k < number && *yes && status == FF_OK; k++) {
    const ff_candl_input *other = &candl->input[k];
    int holds = other->inscription == last, equal = 0;
    if (holds && other->when != NULL) status = ff_candl_condition(candl, &holds, other->when, place);
    if (holds && status == FF_OK) status = ff_candl_equal(candl, &equal, &other->colour, &input->colour, place);
    if (holds && equal) *yes = 0;
  }
  return status;
}

ff_status ff_candl_put_picked(ff_candl *candl, ff_out *out, uint32_t place, ff_span name, ff_place where) {
  uint32_t last = 0, n = 0;
  for (size_t i = 0; i < candl->n_inputs; i++)
    if (candl->input[i].place == place) last = candl->input[i].inscription;
  for (size_t i = 0; i < candl->n_inputs && last > 0; i++) {
    int yes;
    const ff_status status = picks(candl, &yes, i, last, where);
    if (status != FF_OK) return status;
    if (!yes) continue;
    ff_out_puts(out, n++ == 0 ? "(" : " + ");
    ff_out_puts(out, candl->input[i].element);
  }
  if (n == 0 && last > 0) ff_out_puts(out, "(0"); /* no predicate holds */
  n += last > 0;
  if (n > 0) ff_out_puts(out, ")");
  if (n > 0) return FF_OK;
  return ff_error_set(candl->err, FF_EPARSE,
                      "%s, line %llu: found the coloured place %s in a rate, but no arc into the transition picks "
                      "its colours; %.60s[...] names one, and %.60s[all()] is the sum over all",
                      where.file, (unsigned long long)where.line, ff_quote(name.text, name.length).text,
                      candl->net->place[place].name, candl->net->place[place].name);
}
