/* Snoopy's XML: makes the net of a document. */
#include "ff_io_snoopy_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE, TRANSITION, OTHER };

/* What a node became: the number of a place or transition. */
typedef struct {
  uint64_t id;
  uint32_t item, number;
  int what;
} node;

typedef struct {
  ff_snoopy doc;
  ff_petri *net;
  ff_candl *candl;
  node *nodes; /* by their ids */
  uint32_t n_nodes;
  ff_build names[2]; /* of places and transitions */
  uint32_t *of[2];   /* the item of each */
  size_t of_room[2];
  uint32_t *first; /* arcs of transition t: arc[first[t]] ... arc[first[t + 1] - 1], items of edges */
  uint32_t *arc;
  ff_out text;
} builder;

static int what_is(ff_snoopy_class class) {
  if (class <= FF_SNOOPY_CONTINUOUS_PLACE) return PLACE;
  return class <= FF_SNOOPY_SCHEDULED ? TRANSITION : OTHER;
}

/* An attribute that this reader does not know may change what the net does, unless it is empty or off. */
static ff_status check_attributes(const ff_snoopy *doc, const ff_snoopy_item *item) {
  static const char *const known[] = {"Name", "ID", "Comment", "Logic", "Node Type", "Reversible", "Fixed", "Marking",
                                      "MarkingList", "Colorset", "FunctionList", "DelayList", "PeriodicList", "GuardList",
                                      "Multiplicity", "ExpressionList"};
  for (uint32_t i = 0; i < item->n; i++) {
    const ff_snoopy_attribute *a = &doc->attribute[item->first + i];
    size_t k = 0;
    while (k < sizeof known / sizeof known[0] && !ff_span_equals(a->name, known[k])) k++;
    if (k < sizeof known / sizeof known[0]) continue;
    if (a->n == 0 && (a->value.text.length == 0 || ff_span_equals(a->value.text, "0"))) continue;
    return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the attribute %s, which is not known", doc->file,
                        (unsigned long long)a->value.line, ff_quote(a->name.text, a->name.length).text);
  }
  return FF_OK;
}

/* ---- nodes ---- */

/* The name that Snoopy uses: without one, it is made of the class and the ID. Puts it into b->text. */
static ff_status put_name(builder *b, const ff_snoopy_item *item, ff_span *name) {
  static const char first[] = "PPTTIDS";
  ff_out *out = &b->text;
  const ff_span given = ff_snoopy_value(&b->doc, item, "Name").text;
  out->length = 0;
  if (given.length == 0) {
    const char begin[] = {'_', first[item->class], '_'};
    ff_out_add(out, (ff_span){begin, sizeof begin});
    ff_out_add(out, ff_snoopy_value(&b->doc, item, "ID").text);
  } else {
    ff_out_puts(out, ff_is_digit(given.text[0]) ? "_" : "");
    for (size_t i = 0; i < given.length; i++) {
      const char c = given.text[i];
      if (ff_continues_character(c)) continue;
      ff_out_add(out, ff_is_letter(c) || ff_is_digit(c) ? (ff_span){&given.text[i], 1} : (ff_span){"_", 1});
    }
  }
  *name = (ff_span){out->text, out->length};
  return out->status;
}

static int same_text(ff_snoopy_text a, ff_snoopy_text b) {
  return a.text.length == b.text.length && memcmp(a.text.text, b.text.text, a.text.length) == 0;
}

static int same_table(const ff_snoopy *doc, const ff_snoopy_attribute *a, const ff_snoopy_attribute *b) {
  if (a->n != b->n || a->row != b->row || a->column != b->column) return 0;
  for (uint32_t row = 0; row < a->n; row++) {
    if (doc->row[a->first + row].n != doc->row[b->first + row].n) return 0;
    for (uint32_t column = 0; column < doc->row[a->first + row].n; column++)
      if (!same_text(ff_snoopy_cell(doc, a, row, column), ff_snoopy_cell(doc, b, row, column))) return 0;
  }
  return 1;
}

/* Whether two logical nodes say the same of the net: all attributes are equal but those of their looks. */
static int same_node(const ff_snoopy *doc, const ff_snoopy_item *a, const ff_snoopy_item *b) {
  if (a->class != b->class || a->n != b->n || !ff_span_equals(ff_snoopy_value(doc, a, "Logic").text, "1") ||
      !ff_span_equals(ff_snoopy_value(doc, b, "Logic").text, "1"))
    return 0;
  for (uint32_t i = 0; i < a->n; i++) {
    const ff_snoopy_attribute *x = &doc->attribute[a->first + i], *y = NULL;
    if (ff_span_equals(x->name, "ID") || ff_span_equals(x->name, "Comment")) continue;
    for (uint32_t k = 0; k < b->n && y == NULL; k++) {
      const ff_snoopy_attribute *other = &doc->attribute[b->first + k];
      if (other->name.length == x->name.length && memcmp(other->name.text, x->name.text, x->name.length) == 0) y = other;
    }
    if (y == NULL || !same_text(x->value, y->value) || !same_table(doc, x, y)) return 0;
  }
  return 1;
}

static ff_status add_place(builder *b, const ff_snoopy_item *item, ff_span name) {
  const ff_snoopy_text fixed = ff_snoopy_value(&b->doc, item, "Fixed");
  const ff_snoopy_text set = ff_snoopy_value(&b->doc, item, "Colorset");
  const ff_place place = ff_snoopy_place(&b->doc, item->line);
  if (b->doc.coloured && set.text.length == 0) return ff_io_found(b->doc.err, place, set.text, "a set of colours of each place");
  return ff_candl_place(b->candl, b->doc.coloured ? set.text : (ff_span){"", 0}, name, item->class == FF_SNOOPY_CONTINUOUS_PLACE,
                        ff_span_equals(fixed.text, "1"), place);
}

static ff_status add_transition(builder *b, const ff_snoopy_item *item, ff_span name) {
  static const ff_petri_kind kinds[] = {
      [FF_SNOOPY_TRANSITION] = FF_PETRI_STOCHASTIC,        [FF_SNOOPY_CONTINUOUS] = FF_PETRI_CONTINUOUS,
      [FF_SNOOPY_IMMEDIATE] = FF_PETRI_IMMEDIATE,          [FF_SNOOPY_DETERMINISTIC] = FF_PETRI_DETERMINISTIC,
      [FF_SNOOPY_SCHEDULED] = FF_PETRI_SCHEDULED};
  uint32_t number;
  return ff_candl_transition(b->candl, name, kinds[item->class], &number, ff_snoopy_place(&b->doc, item->line));
}

/* Adds a place or transition, unless it is a logical one that there is already. */
static ff_status add_named(builder *b, uint32_t i, int what, uint32_t *number) {
  const ff_snoopy_item *item = &b->doc.item[i];
  ff_span name;
  int is_new;
  ff_status status = check_attributes(&b->doc, item);
  if (status == FF_OK) status = put_name(b, item, &name);
  if (status == FF_OK) status = ff_build_node(&b->names[what], name, number, &is_new);
  if (status != FF_OK) return status;
  if (!is_new) {
    const ff_snoopy_item *before = &b->doc.item[b->of[what][*number]];
    if (same_node(&b->doc, before, item)) return FF_OK;
    return ff_error_set(b->doc.err, FF_EMODEL, "%s, line %llu: found the name %s again, which line %llu has, where another name, "
                        "or two equal logical nodes, were expected", b->doc.file, (unsigned long long)item->line,
                        ff_quote(name.text, name.length).text, (unsigned long long)before->line);
  }
  status = ff_grow((void **)&b->of[what], &b->of_room[what], (size_t)*number + 1, sizeof *b->of[what], b->doc.err);
  if (status != FF_OK) return status;
  b->of[what][*number] = i;
  return what == PLACE ? add_place(b, item, name) : add_transition(b, item, name);
}

static int by_id(const void *a, const void *b) {
  const node *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

/* Adds the nodes that are transitions, or those that are not. */
static ff_status add_nodes(builder *b, int transitions) {
  ff_snoopy *doc = &b->doc;
  for (uint32_t i = 0; i < doc->n_items; i++) {
    const ff_snoopy_item *item = &doc->item[i];
    if (item->class > FF_SNOOPY_LOOKUP || (what_is(item->class) == TRANSITION) != transitions) continue;
    const ff_span name = ff_snoopy_value(doc, item, "Name").text;
    if (item->class == FF_SNOOPY_LOOKUP)
      return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the lookup table %s, which is not supported",
                          doc->file, (unsigned long long)item->line, ff_quote(name.text, name.length).text);
    node *one = &b->nodes[b->n_nodes++];
    *one = (node){item->id, i, 0, what_is(item->class)};
    if (item->id == UINT64_MAX)
      return ff_io_found(doc->err, ff_snoopy_place(doc, item->line), (ff_span){"", 0}, "the id of a node");
    const ff_status status = one->what == OTHER ? FF_OK : add_named(b, i, one->what, &one->number);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

static ff_status sort_nodes(builder *b) {
  qsort(b->nodes, b->n_nodes, sizeof *b->nodes, by_id);
  for (uint32_t i = 1; i < b->n_nodes; i++)
    if (b->nodes[i].id == b->nodes[i - 1].id)
      return ff_error_set(b->doc.err, FF_EPARSE, "%s: found the id %llu at two nodes where different ids were expected",
                          b->doc.file, (unsigned long long)b->nodes[i].id);
  return FF_OK;
}

static ff_status add_markings(builder *b) {
  ff_snoopy *doc = &b->doc;
  for (uint32_t p = 0; p < b->names[PLACE].n_nodes; p++) {
    const ff_snoopy_item *item = &doc->item[b->of[PLACE][p]];
    const ff_snoopy_attribute *table = ff_snoopy_find(doc, item, "MarkingList");
    ff_span text;
    uint64_t line;
    if (doc->coloured) {
      b->text.length = 0;
      const ff_status status = ff_snoopy_marking(&b->text, &line, doc, item, b->net);
      if (status != FF_OK) return status;
      text = (ff_span){b->text.text == NULL ? "" : b->text.text, b->text.length};
    } else {
      const ff_snoopy_text marking = table != NULL ? ff_snoopy_active(doc, table, 1) : ff_snoopy_value(doc, item, "Marking");
      text = marking.text;
      line = marking.line;
    }
    const ff_status status = ff_candl_marking(b->candl, p, text, ff_snoopy_place(doc, line));
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

/* ---- arcs ---- */

static ff_status find_end(const builder *b, const ff_snoopy_item *edge, uint64_t id, const node **end) {
  const node wanted = {.id = id};
  *end = b->n_nodes == 0 ? NULL : bsearch(&wanted, b->nodes, b->n_nodes, sizeof *b->nodes, by_id);
  if (*end != NULL) return FF_OK;
  if (id == UINT64_MAX)
    return ff_io_found(b->doc.err, ff_snoopy_place(&b->doc, edge->line), (ff_span){"", 0}, "the source and target of an edge");
  return ff_error_set(b->doc.err, FF_EPARSE, "%s, line %llu: found an edge of the node %llu where a node of the file was "
                      "expected", b->doc.file, (unsigned long long)edge->line, (unsigned long long)id);
}

static ff_status wrong_ends(const builder *b, const ff_snoopy_item *edge, const char *wanted) {
  return ff_error_set(b->doc.err, FF_EMODEL, "%s, line %llu: found an edge between other nodes where one %s was expected",
                      b->doc.file, (unsigned long long)edge->line, wanted);
}

/* The transition of an edge; NULL if it has none. An edge between other nodes, such as coarse ones, is only drawn. */
static ff_status find_transition(const builder *b, const ff_snoopy_item *edge, const node **transition, const node **place) {
  const node *source, *target;
  ff_status status = find_end(b, edge, edge->source, &source);
  if (status == FF_OK) status = find_end(b, edge, edge->target, &target);
  if (status != FF_OK) return status;
  *transition = source->what == TRANSITION ? source : target->what == TRANSITION ? target : NULL;
  *place = *transition == source ? target : source;
  const ff_snoopy_class class = b->doc.item[(*place)->item].class;
  const int parameter = class == FF_SNOOPY_PARAMETER || class == FF_SNOOPY_COARSE_PARAMETER; /* such an edge has no effect */
  if (parameter) *transition = NULL;
  if (*transition == NULL && (parameter || source->what != PLACE || target->what != PLACE)) return FF_OK;
  if (*transition == NULL || (*place)->what != PLACE) return wrong_ends(b, edge, "between a place and a transition");
  return edge->class != FF_SNOOPY_EDGE && *transition == source ? wrong_ends(b, edge, "from a place to a transition") : FF_OK;
}

/* Lists the edges of each transition, in the order of the file. */
static ff_status sort_arcs(builder *b) {
  const ff_snoopy *doc = &b->doc;
  const uint32_t n = b->names[TRANSITION].n_nodes;
  const node *transition, *place;
  b->first = ff_calloc((size_t)n + 2, sizeof *b->first);
  b->arc = ff_calloc((size_t)doc->n_items + 1, sizeof *b->arc);
  if (b->first == NULL || b->arc == NULL) return ff_error_set(doc->err, FF_EMEMORY, "no memory for %u arcs", doc->n_items);
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < doc->n_items; i++) {
      if (doc->item[i].class < FF_SNOOPY_EDGE || doc->item[i].class > FF_SNOOPY_MODIFIER) continue;
      const ff_status status = find_transition(b, &doc->item[i], &transition, &place);
      if (status != FF_OK) return status;
      if (transition == NULL) continue;
      if (pass == 0)
        b->first[transition->number + 2]++;
      else
        b->arc[b->first[transition->number + 1]++] = i;
    }
    for (uint32_t t = 1; t <= n && pass == 0; t++) b->first[t + 1] += b->first[t];
  }
  return FF_OK;
}

/* Puts an inscription without its counts into b->text: "2`(x,y)++[x<3]c`x" becomes "(x,y)++[x<3]x". */
static void put_colours(builder *b, ff_span text) {
  ff_out *out = &b->text;
  out->length = 0;
  size_t part = 0, open = 0; /* where the part begins in the output; brackets */
  for (size_t i = 0; i < text.length; i++) {
    const char c = text.text[i];
    if (c == '`' && open == 0) {
      if (out->status == FF_OK) out->length = part;
      continue;
    }
    ff_out_add(out, (ff_span){text.text + i, 1});
    open += c == '[' || c == '(';
    open -= (c == ']' || c == ')') && open > 0;
    const int joins = c == '+' && i > 0 && text.text[i - 1] == '+';
    if (open == 0 && (joins || c == ']')) part = out->length;
  }
}

static ff_status add_arc(builder *b, uint32_t t, const ff_snoopy_item *edge) {
  static const ff_petri_arc_kind kinds[] = {
      [FF_SNOOPY_EDGE] = FF_ARC_IN,      [FF_SNOOPY_READ] = FF_ARC_READ,   [FF_SNOOPY_INHIBITOR] = FF_ARC_INHIBITOR,
      [FF_SNOOPY_EQUAL] = FF_ARC_EQUAL,  [FF_SNOOPY_RESET] = FF_ARC_RESET, [FF_SNOOPY_MODIFIER] = FF_ARC_MODIFIER};
  const ff_snoopy *doc = &b->doc;
  const ff_snoopy_attribute *table = ff_snoopy_find(doc, edge, "ExpressionList");
  const node *transition, *place;
  ff_status status = check_attributes(doc, edge);
  if (status == FF_OK) status = find_transition(b, edge, &transition, &place);
  if (status != FF_OK) return status;
  ff_petri_arc_kind kind = kinds[edge->class];
  if (edge->class == FF_SNOOPY_EDGE && edge->source == transition->id) kind = FF_ARC_OUT;
  ff_snoopy_text text = ff_snoopy_value(doc, edge, "Multiplicity");
  if (doc->coloured) text = table == NULL ? (ff_snoopy_text){ff_span_of("dot"), edge->line} : ff_snoopy_active(doc, table, 1);
  if (doc->coloured && text.text.length == 0)
    return ff_io_found(doc->err, ff_snoopy_place(doc, text.line), text.text, "the inscription of an arc");
  if (kind == FF_ARC_RESET && !doc->coloured) {
    text.text = ff_span_of("0");
  } else if (kind == FF_ARC_RESET) {
    put_colours(b, text.text);
    if (b->text.status != FF_OK) return b->text.status;
    text.text = (ff_span){b->text.text, b->text.length};
  } else if (kind == FF_ARC_MODIFIER && !doc->coloured) {
    text.text = ff_span_of("1");
  }
  return ff_candl_arc(b->candl, t, kind, place->number, text.text, ff_snoopy_place(doc, text.line));
}

/* ---- rates ---- */

/* Puts what a row of a coloured table says into b->text: a predicate, and one number or, if it is scheduled, three. */
static void put_piece(builder *b, const ff_snoopy_attribute *table, uint32_t row, uint32_t column, uint32_t n) {
  ff_out *out = &b->text;
  const ff_span predicate = ff_snoopy_cell(&b->doc, table, row, 0).text;
  if (ff_snoopy_cell(&b->doc, table, row, column).text.length == 0) return;
  ff_out_puts(out, out->length > 0 ? " ++ " : "");
  const int always = predicate.length == 0 || ff_span_is(predicate, "true");
  if (!always || table->n > 1) { /* of several pieces, each has its predicate */
    ff_out_puts(out, "[");
    ff_out_add(out, always ? ff_span_of("true") : predicate);
    ff_out_puts(out, "] ");
  }
  for (uint32_t i = 0; i < n; i++) {
    ff_out_puts(out, i > 0 ? ", " : "");
    ff_out_add(out, ff_snoopy_cell(&b->doc, table, row, column + i).text);
  }
}

static ff_status add_rate(builder *b, uint32_t t, const ff_snoopy_item *item) {
  const ff_snoopy *doc = &b->doc;
  const int scheduled = item->class == FF_SNOOPY_SCHEDULED;
  const char *name = scheduled ? "PeriodicList" : item->class == FF_SNOOPY_DETERMINISTIC ? "DelayList" : "FunctionList";
  const ff_snoopy_attribute *table = ff_snoopy_find(doc, item, name);
  const uint32_t n = scheduled ? 3 : 1;
  if (table == NULL && item->class != FF_SNOOPY_TRANSITION)
    return ff_io_found(doc->err, ff_snoopy_place(doc, item->line), (ff_span){"", 0}, name);
  if (table == NULL) return ff_candl_rate(b->candl, t, (ff_span){"", 0}, ff_snoopy_place(doc, item->line));
  const uint64_t column = doc->coloured ? 1 + (uint64_t)table->column * n : 1;
  if (table->n > 0 && column + n > doc->row[table->first].n)
    return ff_error_set(doc->err, FF_EPARSE, "%s, line %llu: found %lu columns in %s where %llu were expected", doc->file,
                        (unsigned long long)table->value.line, (unsigned long)doc->row[table->first].n, name,
                        (unsigned long long)(column + n));
  b->text.length = 0;
  if (doc->coloured) {
    for (uint32_t row = 0; row < table->n; row++) put_piece(b, table, row, (uint32_t)column, n);
  } else {
    for (uint32_t i = 0; i < n; i++) {
      ff_out_puts(&b->text, i > 0 ? ", " : "");
      ff_out_add(&b->text, ff_snoopy_active(doc, table, 1 + i).text);
    }
  }
  if (b->text.status != FF_OK) return b->text.status;
  const ff_span text = {b->text.text == NULL ? "" : b->text.text, b->text.length};
  return ff_candl_rate(b->candl, t, text, ff_snoopy_place(doc, ff_snoopy_cell(doc, table, 0, (uint32_t)column).line));
}

static ff_status add_transitions(builder *b) {
  ff_snoopy *doc = &b->doc;
  ff_status status = sort_arcs(b);
  for (uint32_t t = 0; t < b->names[TRANSITION].n_nodes && status == FF_OK; t++) {
    const ff_snoopy_item *item = &doc->item[b->of[TRANSITION][t]];
    const ff_snoopy_attribute *guards = ff_snoopy_find(doc, item, "GuardList");
    if (doc->coloured && guards != NULL) {
      const ff_snoopy_text guard = ff_snoopy_active(doc, guards, 1);
      status = ff_candl_guard(b->candl, t, guard.text, ff_snoopy_place(doc, guard.line));
    }
    for (uint32_t i = b->first[t]; i < b->first[t + 1] && status == FF_OK; i++) status = add_arc(b, t, &doc->item[b->arc[i]]);
    if (status == FF_OK) status = add_rate(b, t, item);
  }
  return status;
}

/* ---- the net ---- */

static ff_status build(builder *b, const char *text, size_t length, const ff_io_petri_options *options) {
  ff_snoopy *doc = &b->doc;
  ff_status status = ff_snoopy_read(doc, text, length);
  if (status == FF_OK) status = ff_petri_new(&b->net, doc->err);
  if (status == FF_OK) status = ff_candl_new(&b->candl, b->net, options, doc->err);
  if (status == FF_OK) status = ff_snoopy_constants(doc, b->candl, options);
  if (status == FF_OK) status = ff_snoopy_functions(doc, b->candl);
  if (status == FF_OK && doc->coloured) status = ff_snoopy_sets(doc, b->candl);
  if (status == FF_OK && doc->coloured) status = ff_snoopy_colour_functions(doc, b->candl);
  if (status == FF_OK && (b->nodes = ff_calloc((size_t)doc->n_items + 1, sizeof *b->nodes)) == NULL)
    status = ff_error_set(doc->err, FF_EMEMORY, "no memory for %u nodes", doc->n_items);
  if (status == FF_OK) status = add_nodes(b, 0);
  if (status == FF_OK) status = ff_snoopy_observers(doc, b->candl); /* before formulas whose symbols they would move */
  if (status == FF_OK) status = add_markings(b);
  if (status == FF_OK) status = add_nodes(b, 1);
  if (status == FF_OK) status = sort_nodes(b);
  if (status == FF_OK) status = add_transitions(b);
  return status;
}

/* Puts the file's name before a message on the whole net. */
static ff_status finish(ff_petri *net, const char *file, ff_error *err) {
  ff_error inner;
  const ff_status status = ff_petri_finish(net, &inner);
  return status == FF_OK ? FF_OK : ff_error_set(err, status, "%s: %s", file, inner.text);
}

ff_status ff_io_snoopy_parse(ff_petri **out, const char *text, size_t length, const char *file,
                             const ff_io_petri_options *options, ff_error *err) {
  builder b = {.doc = {.file = file, .err = err}, .text = {.err = err}};
  for (int i = 0; i < 2; i++) b.names[i] = (ff_build){.file = file, .err = err};
  *out = NULL;
  ff_status status = build(&b, text, length, options);
  if (status == FF_OK) status = finish(b.net, file, err);
  if (status == FF_OK) {
    *out = b.net;
    b.net = NULL;
  }
  ff_candl_free(b.candl);
  ff_petri_free(b.net);
  for (int i = 0; i < 2; i++) {
    ff_build_free(&b.names[i]);
    free(b.of[i]);
  }
  free(b.nodes);
  free(b.first);
  free(b.arc);
  free(b.text.text);
  ff_snoopy_free(&b.doc);
  return status;
}
