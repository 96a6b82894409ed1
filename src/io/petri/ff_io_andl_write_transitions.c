/* Writes transitions of ANDL and CANDL. */
#include "ff_io_andl_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ff_andl_elements elements_of(const ff_petri_transition *t) { return (ff_andl_elements){t->element, t->n_elements}; }

/* ---- arcs ---- */

/* The weight of an arc, plus 1 if `more`; before a colour, as a count. */
static ff_status put_weight(ff_andl_writer *w, const ff_petri_transition *t, const ff_petri_arc *arc, int coloured, int more) {
  double number = 1;
  if (arc->weight.length == 0 || ff_formula_is_number(&arc->weight, &number)) {
    number += more;
    if (!isfinite(number) || number < 0) return ff_andl_cannot(w, "transition", t->name, "an arc with such a weight");
    if (!coloured || number != 1) ff_out_number(w->out, number);
    if (coloured && number != 1) ff_out_puts(w->out, "`");
    return FF_OK;
  }
  ff_out_puts(w->out, coloured || more ? "(" : "");
  ff_out_puts(w->out, coloured && more ? "(" : "");
  const ff_status status = ff_andl_put_formula(w, &arc->weight, elements_of(t), "transition", t->name);
  ff_out_puts(w->out, more ? ") + 1" : "");
  ff_out_puts(w->out, coloured ? ")`" : "");
  return status;
}

/* [p SIGN w], or [p SIGN {w`colour}]. */
static ff_status put_part(ff_andl_writer *w, const ff_petri_transition *t, const ff_petri_arc *arc, const char *sign, int more) {
  const ff_petri_element *element = &t->element[arc->element];
  const int coloured = w->net->place[element->place].set != FF_PETRI_NONE;
  const int weighted = arc->kind != FF_ARC_MODIFIER && arc->kind != FF_ARC_RESET;
  ff_status status = FF_OK;
  ff_out_puts(w->out, "[");
  ff_out_puts(w->out, w->place[element->place]);
  ff_out_puts(w->out, sign);
  ff_out_puts(w->out, coloured ? sign[0] == '\0' ? " {" : "{" : "");
  if (weighted) status = put_weight(w, t, arc, coloured, more);
  if (arc->kind == FF_ARC_RESET && !coloured) ff_out_puts(w->out, "0");
  if (coloured && status == FF_OK) status = ff_andl_put_tuple(w, element);
  ff_out_puts(w->out, coloured ? "}]" : "]");
  return status;
}

static ff_status put_arcs(ff_andl_writer *w, const ff_petri_transition *t, int changes) {
  static const char *const signs[] = {
      [FF_ARC_IN] = " - ",     [FF_ARC_OUT] = " + ",   [FF_ARC_READ] = " >= ", [FF_ARC_INHIBITOR] = " < ",
      [FF_ARC_EQUAL] = " >= ", [FF_ARC_RESET] = " = ", [FF_ARC_MODIFIER] = ""};
  uint32_t n = 0;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < t->n_arcs && status == FF_OK; i++) {
    const ff_petri_arc *arc = &t->arc[i];
    double number;
    if ((arc->kind == FF_ARC_IN || arc->kind == FF_ARC_OUT || arc->kind == FF_ARC_RESET) != changes) continue;
    if (arc->kind != FF_ARC_EQUAL && ff_formula_is_number(&arc->weight, &number) && number == 0) {
      if (arc->kind == FF_ARC_INHIBITOR) return ff_andl_cannot(w, "transition", t->name, "an inhibitor with the weight 0");
      continue;
    }
    ff_out_puts(w->out, n++ == 0 ? " " : " & ");
    status = put_part(w, t, arc, signs[arc->kind], 0);
    if (arc->kind != FF_ARC_EQUAL || status != FF_OK) continue;
    ff_out_puts(w->out, " & ");
    status = put_part(w, t, arc, " < ", 1);
  }
  return status;
}

/* ---- laws ---- */

/* The weight of what standard arcs take from an element, or read and equal arcs need; NaN if it is no number. */
static double weight_of(const ff_petri_transition *t, uint32_t element, int takes) {
  double all = 0;
  for (uint32_t i = 0; i < t->n_arcs; i++) {
    const ff_petri_arc *arc = &t->arc[i];
    double number = 1;
    if (arc->element != element) continue;
    if (takes ? arc->kind != FF_ARC_IN : arc->kind != FF_ARC_READ && arc->kind != FF_ARC_EQUAL) continue;
    if (arc->weight.length > 0 && !ff_formula_is_number(&arc->weight, &number)) return NAN;
    all = takes ? all + number : number > all ? number : all;
  }
  return all;
}

/* What decides how a law is written. */
typedef struct {
  int numbers; /* all weights are numbers */
  int whole;   /* all weights are whole numbers that are not too large for a product */
  int once;    /* standard arcs take 1 */
  int tests;   /* there are read or equal arcs */
  int shares;  /* two inputs are colours of one place, so the law may depend on whether they are equal */
  int takes;   /* so are two standard inputs */
} shape;

static shape shape_of(const ff_petri_transition *t) {
  shape s = {1, 1, 1, 0, 0, 0};
  for (uint32_t e = 0; e < t->n_elements; e++) {
    const double takes = weight_of(t, e, 1), reads = weight_of(t, e, 0);
    s.numbers &= isfinite(takes) && isfinite(reads);
    s.whole &= takes == floor(takes) && reads == floor(reads) && takes <= 100 && reads <= 100;
    s.once &= takes == 0 || takes == 1;
    s.tests |= reads != 0;
    for (uint32_t k = 0; k < e; k++) {
      if (t->element[k].place != t->element[e].place) continue;
      s.shares |= takes + reads != 0 && weight_of(t, k, 1) + weight_of(t, k, 0) != 0;
      s.takes |= takes != 0 && weight_of(t, k, 1) != 0;
    }
  }
  return s;
}

/* Writes the factor m (m - 1) .../ k! of an element from `from` to `to`, or the power, after `start`. */
static void put_factor(ff_out *out, size_t start, const char *m, double from, double to, int powers) {
  if (powers && to > from) {
    ff_out_puts(out, out->length > start ? " * " : "");
    ff_out_puts(out, m);
    if (to - from != 1) ff_out_puts(out, "^");
    if (to - from != 1) ff_out_number(out, to - from);
    return;
  }
  for (double i = from; i < to; i++) {
    ff_out_puts(out, out->length > start ? " * " : "");
    ff_out_puts(out, i == 0 ? "" : "(");
    ff_out_puts(out, m);
    if (i == 0) continue;
    ff_out_puts(out, " - ");
    ff_out_number(out, i);
    ff_out_puts(out, ") / ");
    ff_out_number(out, i + 1);
  }
}

/* Writes the product over the inputs with names v0, v1, ... of elements: with `beyond`, of what tests add to standard arcs,
 * with `taken`, of the standard arcs alone. */
static void put_product(const ff_petri_transition *t, ff_out *out, int powers, int beyond, int taken) {
  const size_t start = out->length;
  char text[24];
  for (int changes = 0; changes < 2; changes++)
    for (uint32_t i = 0; i < t->n_arcs; i++) {
      const ff_petri_arc_kind kind = t->arc[i].kind;
      const uint32_t e = t->arc[i].element;
      int before = 0;
      if (kind == FF_ARC_OUT || (kind == FF_ARC_IN || kind == FF_ARC_RESET) != changes) continue;
      for (uint32_t k = 0; k < t->n_arcs; k++) {
        const int later = t->arc[k].kind == FF_ARC_IN || t->arc[k].kind == FF_ARC_RESET;
        if (t->arc[k].element == e && t->arc[k].kind != FF_ARC_OUT && (later < changes || (later == changes && k < i)))
          before = 1;
      }
      if (before) continue;
      const double takes = weight_of(t, e, 1), reads = taken ? 0 : weight_of(t, e, 0);
      snprintf(text, sizeof text, "v%u", e);
      put_factor(out, start, text, beyond ? takes : 0, reads > takes ? reads : takes, powers);
    }
}

static int64_t find_symbol(void *context, const char *name, size_t length) {
  uint64_t number;
  if (!ff_span_count((ff_span){name + 1, length - 1}, &number)) return -1;
  return (int64_t)number + *(const uint32_t *)context;
}

/* The code of the product; empty if it has no factors. */
static ff_status product_code(ff_andl_writer *w, const ff_petri_transition *t, ff_formula *code, int powers, int beyond,
                              int taken) {
  ff_out out = {.err = w->err};
  char *text;
  uint32_t first = ff_petri_first_element(w->net);
  *code = (ff_formula){0};
  put_product(t, &out, powers, beyond, taken);
  ff_status status = ff_out_finish(&out, &text);
  if (status != FF_OK) return status;
  if (text[0] != '\0') status = ff_formula_parse(code, text, strlen(text), find_symbol, &first, (ff_place){NULL, 0}, w->err);
  free(text);
  return status;
}

static int ends_with(const ff_formula *formula, const ff_formula *product) {
  if (product->length == 0 || formula->length <= product->length + 1) return 0;
  const ff_formula_word *end = &formula->word[formula->length - 1 - product->length];
  if (formula->word[formula->length - 1].code != FF_F_MUL) return 0;
  for (uint32_t i = 0; i < product->length; i++)
    if (end[i].code != product->word[i].code || end[i].symbol != product->word[i].symbol ||
        end[i].number != product->word[i].number)
      return 0;
  return 1;
}

static ff_status put_mass_action(ff_andl_writer *w, const ff_petri_transition *t, const ff_formula *value, uint32_t length) {
  const ff_formula k = {value->word, length, value->depth};
  ff_out_puts(w->out, "MassAction(");
  const ff_status status = ff_andl_put_formula(w, &k, elements_of(t), "transition", t->name);
  ff_out_puts(w->out, ")");
  return status;
}

/* value * product as a formula: the law of mass action where MassAction() would mean another one. */
static ff_status put_written_out(ff_andl_writer *w, const ff_petri_transition *t, const ff_formula *value) {
  ff_formula product, all = {0};
  ff_status status = product_code(w, t, &product, 0, 0, 1);
  double factor = 1;
  const int flow = t->kind == FF_PETRI_CONTINUOUS;
  if (status == FF_OK && flow) {
    ff_formula_free(&product);
    status = product_code(w, t, &product, 1, 0, 1);
    for (uint32_t e = 0; e < t->n_elements; e++)
      for (double i = 2; i <= weight_of(t, e, 1); i++) factor *= i;
  }
  const uint32_t length = value->length + (product.length > 0 ? product.length + 1 : 0) + (factor != 1 ? 2 : 0);
  if (status == FF_OK && (all.word = ff_calloc(length, sizeof *all.word)) == NULL)
    status = ff_error_set(w->err, FF_EMEMORY, "no memory for a formula");
  if (status == FF_OK) {
    memcpy(all.word, value->word, value->length * sizeof *all.word);
    all.length = value->length;
    if (product.length > 0) {
      memcpy(all.word + all.length, product.word, product.length * sizeof *all.word);
      all.length += product.length;
      all.word[all.length++] = (ff_formula_word){FF_F_MUL, 0, 0};
    }
    if (factor != 1) {
      all.word[all.length++] = (ff_formula_word){FF_F_NUMBER, 0, factor};
      all.word[all.length++] = (ff_formula_word){FF_F_DIV, 0, 0};
    }
    all.depth = value->depth + product.depth + 1;
    status = ff_andl_put_formula(w, &all, elements_of(t), "transition", t->name);
  }
  free(all.word);
  ff_formula_free(&product);
  return status;
}

/* Writes MassAction(k) if the reader makes this formula of it: k times a product. *done tells. */
static ff_status try_mass_action(ff_andl_writer *w, const ff_petri_transition *t, const ff_petri_piece *piece, int *done) {
  ff_formula product;
  ff_status status = product_code(w, t, &product, t->kind == FF_PETRI_CONTINUOUS, piece->mass_action, 0);
  if (status != FF_OK) return status;
  const int ends = ends_with(&piece->value, &product);
  *done = ends || (piece->mass_action && product.length == 0);
  if (*done) status = put_mass_action(w, t, &piece->value, piece->value.length - (ends ? 1 + product.length : 0));
  ff_formula_free(&product);
  return status;
}

/* The number of a transition: MassAction(k) where the reader makes the same of it, else a formula. */
static ff_status put_value(ff_andl_writer *w, const ff_petri_transition *t, const ff_petri_piece *piece) {
  const shape s = shape_of(t);
  const int flow = t->kind == FF_PETRI_CONTINUOUS, jump = t->kind == FF_PETRI_STOCHASTIC;
  const int lawful = s.numbers && !s.shares && (piece->mass_action ? (flow && s.once) || (jump && s.whole) : flow && !s.once);
  ff_status status = FF_OK;
  int done = 0;
  if (lawful) status = try_mass_action(w, t, piece, &done);
  if (done || status != FF_OK) return status;
  if (!piece->mass_action) return ff_andl_put_formula(w, &piece->value, elements_of(t), "transition", t->name);
  if (!s.numbers || (!flow && !s.whole)) return ff_andl_cannot(w, "transition", t->name, "mass action with such weights");
  if (!s.takes) return put_written_out(w, t, &piece->value);
  if (jump && !s.tests) return put_mass_action(w, t, &piece->value, piece->value.length);
  return ff_andl_cannot(w, "transition", t->name, "mass action with several colours of one place");
}

/* ---- transitions ---- */

static ff_status put_number(ff_andl_writer *w, const ff_petri_transition *t) {
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < t->n_pieces && status == FF_OK; i++) {
    const ff_petri_piece *piece = &t->piece[i];
    ff_out_puts(w->out, i == 0 ? " " : " ++ ");
    if (piece->when.length > 0) {
      ff_out_puts(w->out, "[");
      status = ff_andl_put_colour(w, &piece->when, &w->scope);
      ff_out_puts(w->out, "] ");
    } else if (i > 0) {
      ff_out_puts(w->out, "[true] ");
    }
    if (status == FF_OK) status = put_value(w, t, piece);
  }
  for (int i = 0; i < 3 && t->kind == FF_PETRI_SCHEDULED && status == FF_OK; i++) {
    ff_out_puts(w->out, i == 0 ? " " : ", ");
    if (t->at[i].length > 0)
      status = ff_andl_put_formula(w, &t->at[i], (ff_andl_elements){NULL, 0}, "transition", t->name);
    else
      ff_out_puts(w->out, i == 2 ? "_SimEnd" : "0");
  }
  return status;
}

static ff_status put_transition(ff_andl_writer *w, uint32_t number) {
  const ff_petri_transition *t = &w->net->transition[number];
  ff_status status = FF_OK;
  ff_out_puts(w->out, "  ");
  ff_out_puts(w->out, w->transition[number]);
  if (t->guard.length > 0) {
    ff_out_puts(w->out, " {[");
    status = ff_andl_put_colour(w, &t->guard, &w->scope);
    ff_out_puts(w->out, "]}");
  }
  ff_out_puts(w->out, "\n    :");
  if (status == FF_OK) status = put_arcs(w, t, 0);
  ff_out_puts(w->out, "\n    :");
  if (status == FF_OK) status = put_arcs(w, t, 1);
  ff_out_puts(w->out, "\n    :");
  if (status == FF_OK) status = put_number(w, t);
  ff_out_puts(w->out, "\n    ;\n");
  return status;
}

ff_status ff_andl_put_transitions(ff_andl_writer *w) {
  static const char *const kinds[] = {
#define FF_X(code, name, number) name ":\n",
    FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  const ff_petri *net = w->net;
  ff_status status = FF_OK;
  ff_out_puts(w->out, "transitions:\n");
  for (uint32_t i = 0; i < net->n_transitions && status == FF_OK; i++) {
    if (i == 0 || net->transition[i].kind != net->transition[i - 1].kind) ff_out_puts(w->out, kinds[net->transition[i].kind]);
    status = put_transition(w, i);
  }
  return status;
}
