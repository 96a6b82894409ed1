/* Colours in the inner texts of Petri nets. */
#include "ff_io_candl_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ff_candl_is_all(ff_span text) {
  if (text.length < 3 || memcmp(text.text, "all", 3) != 0) return 0;
  const ff_span rest = ff_span_trim(ff_span_after(text, 3));
  return rest.length == 0 || (rest.text[0] == '(' && ff_span_trim(ff_span_after(rest, 1)).length == 1 &&
                              rest.text[rest.length - 1] == ')');
}

/* ---- sets of the net ---- */

/* Marks the sets that `set` needs and that have not been made; parts come before the sets that have them. */
static void mark(const ff_candl *candl, uint32_t set, uint8_t *needed) {
  needed[set] = 1;
  for (uint32_t s = set + 1; s-- > 0;) {
    if (candl->colours[s] != NULL) needed[s] = 0;
    if (!needed[s]) continue;
    const ff_colour_definition *definition = &candl->net->set[s];
    for (uint32_t k = 0; k < definition->n_parts; k++) needed[definition->part[k]] = 1;
  }
}

ff_status ff_candl_colours(ff_candl *candl, uint32_t set, const ff_colours **out) {
  void *memory = candl->colours;
  size_t capacity = candl->n_colours;
  *out = NULL;
  ff_status status = ff_grow(&memory, &capacity, candl->net->n_sets, sizeof *candl->colours, candl->err);
  candl->colours = memory;
  if (status != FF_OK) return status;
  for (; candl->n_colours < capacity; candl->n_colours++) candl->colours[candl->n_colours] = NULL;
  if (candl->colours[set] == NULL) {
    ff_colour_scope scope = ff_petri_scope(candl->net);
    scope.colours = candl->colours;
    uint8_t *needed = ff_calloc((size_t)set + 1, 1);
    if (needed == NULL) return ff_candl_no_memory(candl);
    mark(candl, set, needed);
    for (uint32_t s = 0; s <= set && status == FF_OK; s++)
      if (needed[s]) status = ff_colours_new(&candl->colours[s], s, &scope, candl->err);
    free(needed);
  }
  *out = candl->colours[set];
  return status;
}

uint32_t ff_candl_width(const ff_candl *candl, uint32_t place) {
  return ff_petri_set_width(candl->net, candl->net->place[place].set);
}

/* ---- colours ---- */

static ff_status read_component(ff_candl *candl, ff_candl_colour *out, ff_span text, ff_place place) {
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr *expr = &out->expr[out->width];
  ff_status status = ff_colour_parse(expr, text.text, text.length, FF_COLOUR_CANDL, &scope, place, candl->err);
  if (status == FF_OK && expr->length == 0) status = ff_io_found(candl->err, place, text, "a colour");
  if (status == FF_OK) status = ff_colour_text(&out->text[out->width], expr, FF_COLOUR_R, &scope, candl->err);
  if (status == FF_OK) out->width++;
  return status;
}

/* Whether a text is in parentheses as a whole, which are then taken away. */
static int unwrap(ff_span *text) {
  if (text->length < 2 || text->text[0] != '(' || ff_candl_close(*text, 0) != text->length - 1) return 0;
  *text = ff_span_trim((ff_span){text->text + 1, text->length - 2});
  return 1;
}

static ff_status wrong_width(ff_candl *candl, ff_span text, uint32_t width, ff_place place) {
  char wanted[80];
  snprintf(wanted, sizeof wanted, "a colour with %u component%s", (unsigned)width, width == 1 ? "" : "s");
  return ff_io_found(candl->err, place, text, wanted);
}

/* Reads components that commas separate; a tuple within them has its own parentheses. */
static ff_status read_tuple(ff_candl *candl, ff_candl_colour *out, ff_span text, uint32_t width, uint32_t depth, ff_place place) {
  ff_span rest = text, part;
  ff_status status = FF_OK;
  while (status == FF_OK && ff_candl_part(&rest, ",", &part)) {
    ff_span inner = part;
    if (out->width == width)
      status = wrong_width(candl, text, width, place);
    else if (depth < FF_COLOUR_MAX_WIDTH && unwrap(&inner) && ff_candl_find(inner, 0, ",") < inner.length)
      status = read_tuple(candl, out, inner, width, depth + 1, place);
    else
      status = read_component(candl, out, part, place);
  }
  return status;
}

/* A variable of a product stands for all its components. */
static ff_status read_index(ff_candl *candl, ff_candl_colour *out, ff_span text, uint32_t width) {
  const int64_t id = ff_candl_is_name(text) ? ff_candl_lookup(&candl->symbols, text) : -1;
  if (width < 2 || id < 0 || candl->symbols.kind[id] != FF_CANDL_INDEX) return FF_OK;
  const ff_colour_index *index = &candl->net->index[candl->symbols.number[id]];
  if (ff_petri_set_width(candl->net, index->set) != width) return FF_OK;
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_status status = FF_OK;
  for (uint32_t k = 0; k < width && status == FF_OK; k++) {
    ff_colour_word word = {FF_C_INDEX, index->first + k, 0};
    status = ff_colour_copy(&out->expr[k], &(ff_colour_expr){&word, 1, 1}, candl->err);
    if (status == FF_OK) status = ff_colour_text(&out->text[k], &out->expr[k], FF_COLOUR_R, &scope, candl->err);
    out->width = k + 1;
  }
  return status;
}

ff_status ff_candl_colour_read(ff_candl *candl, ff_candl_colour *out, ff_span text, uint32_t set, ff_place place) {
  const uint32_t width = ff_petri_set_width(candl->net, set);
  memset(out, 0, sizeof *out);
  ff_span inner = text = ff_span_trim(text);
  ff_status status = read_index(candl, out, text, width);
  if (status == FF_OK && out->width == 0) {
    if (width > 1) unwrap(&inner);
    status = read_tuple(candl, out, inner, width, 0, place);
    if (status == FF_OK && out->width != width) status = wrong_width(candl, text, width, place);
  }
  if (status != FF_OK) ff_candl_colour_free(out);
  return status;
}

ff_status ff_candl_colour_at(ff_candl *candl, ff_candl_colour *out, uint32_t set, uint32_t number) {
  const ff_colours *colours;
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  memset(out, 0, sizeof *out);
  ff_status status = ff_candl_colours(candl, set, &colours);
  if (status != FF_OK) return status;
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  const uint32_t width = ff_colours_width(colours);
  ff_colours_at(colours, number, tuple);
  for (uint32_t k = 0; k < width && status == FF_OK; k++) {
    ff_colour_word word = {FF_C_NUMBER, 0, tuple[k]};
    status = ff_colour_copy(&out->expr[k], &(ff_colour_expr){&word, 1, 1}, candl->err);
    if (status == FF_OK) status = ff_colour_text(&out->text[k], &out->expr[k], FF_COLOUR_R, &scope, candl->err);
    out->width = k + 1;
  }
  if (status != FF_OK) ff_candl_colour_free(out);
  return status;
}

ff_status ff_candl_element(ff_candl *candl, char **out, uint32_t place, const ff_candl_colour *colour) {
  ff_out text = {.err = candl->err};
  ff_candl_put_name(&text, candl->net->place[place].name);
  for (uint32_t k = 0; k < colour->width; k++) {
    ff_out_puts(&text, k == 0 ? "[" : ", ");
    ff_out_puts(&text, colour->text[k]);
  }
  if (colour->width > 0) ff_out_puts(&text, "]");
  return ff_out_finish(&text, out);
}

ff_status ff_candl_when(ff_candl *candl, char **out, ff_span text, ff_place place) {
  const ff_colour_scope scope = ff_petri_scope(candl->net);
  ff_colour_expr expr = {0};
  *out = NULL;
  if (text.length == 0 || ff_span_equals(text, "true")) return FF_OK;
  ff_status status = ff_colour_parse(&expr, text.text, text.length, FF_COLOUR_CANDL, &scope, place, candl->err);
  if (status == FF_OK) status = ff_colour_text(out, &expr, FF_COLOUR_R, &scope, candl->err);
  ff_colour_free(&expr);
  return status;
}
