/* PNML: the writer. */
#include "ff_io_pnml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACE "urn:fireflip"

typedef struct {
  const ff_petri_flat *flat;
  ff_error *err;
  ff_out out;
  ff_build names[2]; /* of parameters, variables and places; of transitions */
  char *name;        /* room for one name */
  size_t name_room;
  uint64_t n_transitions, n_arcs;

  /* Of the family whose transitions are written. */
  const ff_petri_family *family;
  uint32_t i;                 /* the transition */
  char **symbol;              /* names of its symbols */
  ff_formula *number;         /* formulas of its numbers */
  const ff_formula **replace; /* its symbols by these numbers */
} writer;

static const char *const test_names[FF_ARC_COUNT] = {
    [FF_ARC_READ] = "read", [FF_ARC_INHIBITOR] = "inhibitor", [FF_ARC_EQUAL] = "equal", [FF_ARC_RESET] = "reset"};

static const char *const kind_names[] = {
#define FF_X(code, name, number) name,
    FF_PETRI_KINDS(FF_X)
#undef FF_X
};
static const char *const number_names[] = {
#define FF_X(code, name, number) number,
    FF_PETRI_KINDS(FF_X)
#undef FF_X
};

/* ---- text ---- */

static void put(writer *w, const char *text) { ff_out_puts(&w->out, text); }

static void put_escaped(writer *w, const char *text) {
  for (size_t from = 0; text[from] != '\0';) {
    const size_t plain = strcspn(text + from, "&<>\"");
    ff_out_add(&w->out, (ff_span){text + from, plain});
    from += plain;
    switch (text[from]) {
      case '&': put(w, "&amp;"); break;
      case '<': put(w, "&lt;"); break;
      case '>': put(w, "&gt;"); break;
      case '"': put(w, "&quot;"); break;
      default: continue;
    }
    from++;
  }
}

static void put_number(writer *w, const char *before, double number, const char *after) {
  put(w, before);
  ff_out_number(&w->out, number);
  put(w, after);
}

static void put_id(writer *w, const char *before, char letter, uint64_t number, const char *after) {
  put(w, before);
  ff_out_add(&w->out, (ff_span){&letter, 1});
  ff_out_count(&w->out, number);
  put(w, after);
}

static int is_whole(double number) { return number >= 0 && number <= 9007199254740992.0 && number == floor(number); }

static void put_whole(writer *w, const char *before, double number, const char *after) {
  put(w, before);
  ff_out_count(&w->out, (uint64_t)number);
  put(w, after);
}

static void open_tool(writer *w, const char *indent) {
  put(w, indent);
  put(w, "<toolspecific tool=\"fireflip\" version=\"1\">\n");
}

static void close_tool(writer *w, const char *indent) {
  put(w, indent);
  put(w, "</toolspecific>\n");
}

/* ---- names ---- */

/* Adds a name; all of one list must be different. */
static ff_status add_name(writer *w, int list, const char *name) {
  uint32_t number;
  int is_new;
  const ff_status status = ff_build_node(&w->names[list], ff_span_of(name), &number, &is_new);
  if (status != FF_OK || is_new) return status;
  return ff_error_set(w->err, FF_EMODEL, "found two %s with the name %s where different names in a file were expected",
                      list == 0 ? "places, parameters or variables" : "transitions", ff_quote(name, strlen(name)).text);
}

static ff_status make_room(writer *w, size_t length) {
  if (length < w->name_room) return FF_OK;
  return ff_grow((void **)&w->name, &w->name_room, length + 1, 1, w->err);
}

/* Makes the names of all places, variables and parameters. */
static ff_status name_places(writer *w) {
  const ff_petri_flat *flat = w->flat;
  ff_status status = FF_OK;
  for (uint32_t p = 0; p < flat->n_places && status == FF_OK; p++) {
    status = make_room(w, ff_petri_place_name(w->name, w->name_room, flat, p, "_"));
    if (status != FF_OK) break;
    (void)ff_petri_place_name(w->name, w->name_room, flat, p, "_");
    status = add_name(w, 0, w->name);
  }
  for (uint32_t v = 0; v < flat->n_variables && status == FF_OK; v++) {
    status = make_room(w, ff_petri_variable_name(w->name, w->name_room, flat, v));
    if (status != FF_OK) break;
    (void)ff_petri_variable_name(w->name, w->name_room, flat, v);
    status = add_name(w, 0, w->name);
  }
  for (uint32_t k = 0; k < flat->n_parameters && status == FF_OK; k++) status = add_name(w, 0, flat->net->parameter[k]);
  return status;
}

static ff_status name_transition(writer *w, uint32_t family) {
  ff_status status = make_room(w, ff_petri_transition_name(w->name, w->name_room, w->flat, family, w->i, "_"));
  if (status != FF_OK) return status;
  (void)ff_petri_transition_name(w->name, w->name_room, w->flat, family, w->i, "_");
  return add_name(w, 1, w->name);
}

/* ---- formulas ---- */

/* Puts a formula of the symbols of the transition that is written, or of the names `all` if there is none. */
static ff_status put_formula(writer *w, const ff_formula *formula, char *const *all) {
  ff_formula plain = {0};
  char *text = NULL;
  ff_status status = FF_OK;
  if (all == NULL && w->family->n_numbers > 0) {
    status = ff_formula_replace(&plain, formula, w->replace, w->err);
    formula = &plain;
  }
  if (status == FF_OK) status = ff_formula_text(&text, formula, all == NULL ? w->symbol : all, w->err);
  if (status == FF_OK) put_escaped(w, text);
  free(text);
  ff_formula_free(&plain);
  return status == FF_OK ? w->out.status : status;
}

/* Sets the symbols of transition i of the family. */
static void take_transition(writer *w, uint32_t i) {
  const ff_petri_family *f = w->family;
  w->i = i;
  for (uint32_t k = 0; k < f->n_slots; k++) w->symbol[k] = w->names[0].names[f->slot[(size_t)k * f->n + i]];
  for (uint32_t k = 0; k < f->n_numbers; k++) w->number[k].word->number = f->number[(size_t)k * f->n + i];
}

static ff_status begin_family(writer *w, const ff_petri_family *family) {
  const uint32_t n = family->n_slots + family->n_numbers, all = n + w->flat->n_parameters;
  w->family = family;
  w->symbol = ff_calloc((size_t)all + 1, sizeof *w->symbol);
  w->number = ff_calloc((size_t)family->n_numbers + 1, sizeof *w->number);
  w->replace = ff_calloc((size_t)all + 1, sizeof *w->replace);
  if (w->symbol == NULL || w->number == NULL || w->replace == NULL)
    return ff_error_set(w->err, FF_EMEMORY, "no memory for %u symbols", all);
  for (uint32_t k = 0; k < w->flat->n_parameters; k++) w->symbol[n + k] = w->flat->net->parameter[k];
  for (uint32_t k = 0; k < family->n_numbers; k++) {
    const ff_status status = ff_formula_of_number(&w->number[k], 0, w->err);
    if (status != FF_OK) return status;
    w->replace[family->n_slots + k] = &w->number[k];
  }
  return FF_OK;
}

static void end_family(writer *w) {
  for (uint32_t k = 0; w->number != NULL && k < w->family->n_numbers; k++) ff_formula_free(&w->number[k]);
  free(w->symbol);
  free(w->number);
  free(w->replace);
  w->symbol = NULL;
  w->number = NULL;
  w->replace = NULL;
}

/* ---- the net ---- */

/* The parameters and variables, as an element of the net. */
static ff_status put_symbols(writer *w) {
  const ff_petri_flat *flat = w->flat;
  ff_status status = FF_OK;
  if (flat->n_parameters + flat->n_variables == 0) return FF_OK;
  open_tool(w, "    ");
  put(w, "      <symbols xmlns=\"" NAMESPACE "\">\n");
  for (uint32_t k = 0; k < flat->n_parameters; k++) {
    put(w, "        <parameter name=\"");
    put_escaped(w, flat->net->parameter[k]);
    put_number(w, "\" value=\"", flat->parameter[k], "\"/>\n");
  }
  for (uint32_t v = 0; v < flat->n_variables && status == FF_OK; v++) {
    put(w, "        <variable name=\"");
    put_escaped(w, w->names[0].names[flat->n_places + v]);
    put(w, "\">");
    status = put_formula(w, &flat->variable[v], w->names[0].names);
    put(w, "</variable>\n");
  }
  put(w, "      </symbols>\n");
  close_tool(w, "    ");
  return status;
}

static void put_place(writer *w, uint32_t p) {
  const ff_petri_flat *flat = w->flat;
  const double marking = flat->initial[p];
  put_id(w, "      <place id=\"", 'p', (uint64_t)p + 1, "\">\n        <name><text>");
  put_escaped(w, w->names[0].names[p]);
  put(w, "</text></name>\n");
  if (is_whole(marking) && marking > 0) put_whole(w, "        <initialMarking><text>", marking, "</text></initialMarking>\n");
  if (flat->continuous[p] || flat->fixed[p] || !is_whole(marking)) {
    open_tool(w, "        ");
    put(w, flat->continuous[p] ? "          <place xmlns=\"" NAMESPACE "\" kind=\"continuous\""
                               : "          <place xmlns=\"" NAMESPACE "\" kind=\"discrete\"");
    if (flat->fixed[p]) put(w, " fixed=\"true\"");
    if (!is_whole(marking)) put_number(w, " marking=\"", marking, "\"");
    put(w, "/>\n");
    close_tool(w, "        ");
  }
  put(w, "      </place>\n");
}

/* A test or reset of a transition. */
static ff_status put_test(writer *w, const ff_petri_flat_arc *arc) {
  ff_status status = FF_OK;
  put(w, "            <test kind=\"");
  put(w, test_names[arc->kind]);
  put_id(w, "\" place=\"", 'p', (uint64_t)w->family->slot[(size_t)arc->slot * w->family->n + w->i] + 1, "\"");
  if (arc->kind != FF_ARC_RESET) {
    put(w, " weight=\"");
    if (arc->weight.length > 0)
      status = put_formula(w, &arc->weight, NULL);
    else
      ff_out_number(&w->out, arc->number);
    put(w, "\"");
  }
  put(w, "/>\n");
  return status;
}

static ff_status put_transition(writer *w) {
  const ff_petri_family *f = w->family;
  const char *number = number_names[f->kind];
  ff_status status = FF_OK;
  put_id(w, "      <transition id=\"", 't', w->n_transitions, "\">\n        <name><text>");
  put_escaped(w, w->name);
  put(w, "</text></name>\n");
  open_tool(w, "        ");
  put(w, "          <transition xmlns=\"" NAMESPACE "\" kind=\"");
  put(w, kind_names[f->kind]);
  put(w, "\">\n");
  if (f->kind == FF_PETRI_SCHEDULED) {
    put_number(w, "            <at begin=\"", f->at[0], "\"");
    put_number(w, " period=\"", f->at[1], "\"");
    put_number(w, " end=\"", f->at[2], "\"/>\n");
  } else {
    put(w, "            <");
    put(w, number);
    put(w, f->mass_action ? " massAction=\"true\">" : ">");
    status = put_formula(w, &f->rate, NULL);
    put(w, "</");
    put(w, number);
    put(w, ">\n");
  }
  for (uint32_t a = 0; a < f->n_arcs && status == FF_OK; a++)
    if (test_names[f->arc[a].kind] != NULL) status = put_test(w, &f->arc[a]);
  put(w, "          </transition>\n");
  close_tool(w, "        ");
  put(w, "      </transition>\n");
  return status == FF_OK ? w->out.status : status;
}

static ff_status put_arc(writer *w, const ff_petri_flat_arc *arc) {
  const uint64_t place = (uint64_t)w->family->slot[(size_t)arc->slot * w->family->n + w->i] + 1;
  const int in = arc->kind == FF_ARC_IN;
  const int plain = arc->weight.length == 0 && is_whole(arc->number) && arc->number > 0;
  ff_status status = FF_OK;
  put_id(w, "      <arc id=\"", 'a', ++w->n_arcs, "\"");
  put_id(w, " source=\"", in ? 'p' : 't', in ? place : w->n_transitions, "\"");
  put_id(w, " target=\"", in ? 't' : 'p', in ? w->n_transitions : place, "\"");
  if (plain && arc->number == 1) {
    put(w, "/>\n");
    return w->out.status;
  }
  put(w, ">\n");
  if (plain) {
    put_whole(w, "        <inscription><text>", arc->number, "</text></inscription>\n");
  } else {
    open_tool(w, "        ");
    put(w, "          <weight xmlns=\"" NAMESPACE "\">");
    if (arc->weight.length > 0)
      status = put_formula(w, &arc->weight, NULL);
    else
      ff_out_number(&w->out, arc->number);
    put(w, "</weight>\n");
    close_tool(w, "        ");
  }
  put(w, "      </arc>\n");
  return status == FF_OK ? w->out.status : status;
}

static ff_status put_family(writer *w, uint32_t family) {
  const ff_petri_family *f = &w->flat->family[family];
  ff_status status = begin_family(w, f);
  for (uint32_t i = 0; i < f->n && status == FF_OK; i++) {
    take_transition(w, i);
    w->n_transitions++;
    status = name_transition(w, family);
    if (status == FF_OK) status = put_transition(w);
    for (uint32_t a = 0; a < f->n_arcs && status == FF_OK; a++)
      if (f->arc[a].kind == FF_ARC_IN || f->arc[a].kind == FF_ARC_OUT) status = put_arc(w, &f->arc[a]);
  }
  end_family(w);
  return status;
}

ff_status ff_io_pnml_text(char **out, const ff_petri_flat *flat, ff_error *err) {
  writer w = {.flat = flat, .err = err, .out = {.err = err}};
  for (int i = 0; i < 2; i++) w.names[i] = (ff_build){.file = "the net", .err = err};
  *out = NULL;
  if (flat->n_events > 0)
    return ff_error_set(err, FF_EMODEL, "event %s cannot be written: PNML has no events; SBML has them",
                        ff_quote(flat->event[0].name, strlen(flat->event[0].name)).text);
  ff_status status = make_room(&w, 60);
  if (status == FF_OK) status = name_places(&w);
  put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
          "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n");
  if (status == FF_OK) status = put_symbols(&w);
  put(&w, "    <page id=\"page\">\n");
  for (uint32_t p = 0; p < flat->n_places && status == FF_OK; p++) put_place(&w, p);
  for (uint32_t f = 0; f < flat->n_families && status == FF_OK; f++) status = put_family(&w, f);
  put(&w, "    </page>\n  </net>\n</pnml>\n");
  for (int i = 0; i < 2; i++) ff_build_free(&w.names[i]);
  free(w.name);
  if (status == FF_OK) return ff_out_finish(&w.out, out);
  free(w.out.text);
  return status;
}
