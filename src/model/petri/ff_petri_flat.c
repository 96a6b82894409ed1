/* Nets that have been unfolded: their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "../../base/ff_text.h"
#include "ff_petri_unfold.h"

void ff_petri_family_free(ff_petri_family *family) {
  free(family->slot);
  free(family->number);
  for (uint32_t i = 0; i < family->n_arcs; i++) ff_formula_free(&family->arc[i].weight);
  free(family->arc);
  ff_formula_free(&family->rate);
  free(family->binding);
  *family = (ff_petri_family){0};
}

void ff_petri_flat_free(ff_petri_flat *flat) {
  if (flat == NULL) return;
  for (uint32_t f = 0; f < flat->n_families; f++) ff_petri_family_free(&flat->family[f]);
  for (uint32_t v = 0; flat->variable != NULL && v < flat->n_variables; v++) ff_formula_free(&flat->variable[v]);
  for (uint32_t e = 0; e < flat->n_events; e++) ff_event_free(&flat->event[e]);
  free(flat->event);
  free(flat->family);
  free(flat->variable);
  free(flat->first);
  free(flat->continuous);
  free(flat->fixed);
  free(flat->initial);
  free(flat->parameter);
  free(flat->order);
  free(flat->never);
  free(flat);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* A text of bounded size, which counts what does not fit. */
typedef struct {
  char *out;
  size_t size, length;
} bounded;

static void add(bounded *to, const char *text) {
  const size_t length = strlen(text);
  if (to->length < to->size) {
    const size_t left = to->size - to->length - 1, n = length < left ? length : left;
    memcpy(to->out + to->length, text, n);
    to->out[to->length + n] = '\0';
  }
  to->length += length;
}

/* The place of the net to which a flat place belongs. */
static uint32_t place_of(const ff_petri_flat *flat, uint32_t place) {
  uint32_t low = 0, high = flat->net->n_places; /* first[low] <= place < first[high] */
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (flat->first[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

size_t ff_petri_place_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t place, const char *between) {
  const ff_petri_place *p = &flat->net->place[place_of(flat, place)];
  const int brackets = strcmp(between, ",") == 0;
  const ff_colour_scope scope = ff_petri_scope(flat->net);
  bounded to = {out, size, 0};
  if (size > 0) out[0] = '\0';
  add(&to, p->name);
  if (p->set == FF_PETRI_NONE) return to.length;
  add(&to, brackets ? "[" : between);
  const size_t at = to.length < size ? to.length : size;
  to.length += ff_colours_text(out + at, size - at, flat->net->colours[p->set], place - flat->first[p - flat->net->place],
                               between, &scope);
  if (brackets) add(&to, "]");
  return to.length;
}

size_t ff_petri_transition_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t family, uint32_t i,
                                const char *between) {
  const ff_petri_family *f = &flat->family[family];
  const int brackets = strcmp(between, ",") == 0;
  bounded to = {out, size, 0};
  if (size > 0) out[0] = '\0';
  add(&to, flat->net->transition[f->transition].name);
  for (uint32_t k = 0; k < f->width; k++) {
    const int64_t value = f->binding[(size_t)i * f->width + k];
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)value);
    add(&to, k == 0 && brackets ? "[" : between);
    add(&to, value >= FF_COLOUR_NAMES ? flat->net->colour[value - FF_COLOUR_NAMES] : number);
  }
  if (f->width > 0 && brackets) add(&to, "]");
  return to.length;
}

size_t ff_petri_variable_name(char *out, size_t size, const ff_petri_flat *flat, uint32_t variable) {
  const ff_petri *net = flat->net;
  const ff_formula *formula = &flat->variable[variable];
  uint32_t place = 0;
  bounded to = {out, size, 0};
  if (size > 0) out[0] = '\0';
  if (variable < net->n_variables) {
    add(&to, net->variable[variable].name);
    return to.length;
  }
  for (uint32_t i = 0; i < formula->length; i++)
    if (formula->word[i].code == FF_F_SYMBOL) place = formula->word[i].symbol;
  add(&to, "sum(");
  add(&to, net->place[place_of(flat, place)].name);
  add(&to, ")");
  return to.length;
}

/* Reads a simple colour. */
static int read_colour(const ff_petri *net, const char *text, size_t length, int64_t *value) {
  ff_petri_name_kind kind = FF_NAMES_COLOUR;
  const uint32_t named = ff_petri_find(net, &kind, text, length);
  const size_t sign = length > 0 && text[0] == '-';
  if (named != FF_PETRI_NONE) {
    *value = FF_COLOUR_NAMES + named;
    return 1;
  }
  *value = 0;
  for (size_t i = sign; i < length; i++) {
    if (!ff_is_digit(text[i]) || *value >= FF_COLOUR_MOST) return 0;
    *value = 10 * *value + (text[i] - '0');
  }
  if (sign) *value = -*value;
  return length > sign;
}

/* Reads the colours within brackets, and finds the place. */
static int64_t find_coloured(const ff_petri_flat *flat, uint32_t place, const char *text, size_t length) {
  const ff_petri *net = flat->net;
  const uint32_t set = net->place[place].set, width = ff_petri_set_width(net, set);
  int64_t tuple[FF_COLOUR_MAX_WIDTH];
  uint32_t n = 0;
  if (set == FF_PETRI_NONE) return -1;
  for (size_t at = 0; at <= length; n++) {
    const char *comma = memchr(text + at, ',', length - at);
    size_t end = comma != NULL ? (size_t)(comma - text) : length, start = at;
    at = end + 1;
    while (start < end && ff_is_blank(text[start])) start++;
    while (end > start && ff_is_blank(text[end - 1])) end--;
    if (n == width || !read_colour(net, text + start, end - start, &tuple[n])) return -1;
  }
  const int64_t found = n == width ? ff_colours_find(net->colours[set], tuple) : -1;
  return found < 0 ? -1 : (int64_t)flat->first[place] + found;
}

int64_t ff_petri_find_place(const ff_petri_flat *flat, const char *name, size_t length) {
  const ff_petri *net = flat->net;
  const uint32_t plain = ff_petri_place_number(net, name, length);
  if (plain != FF_PETRI_NONE && net->place[plain].set == FF_PETRI_NONE) return flat->first[plain];
  for (size_t at = 0; at < length && name[length - 1] == ']'; at++) {
    if (name[at] != '[') continue;
    const uint32_t place = ff_petri_place_number(net, name, at);
    const int64_t found = place == FF_PETRI_NONE ? -1 : find_coloured(flat, place, name + at + 1, length - at - 2);
    if (found >= 0) return found;
  }
  return -1;
}

/* ---- names that clash --------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t hash;
  uint64_t number; /* + 1 of what has the name; 0 if the slot is free */
} named;

/* What names are of: places (and variables and parameters) or transitions. */
typedef struct {
  const ff_petri_flat *flat;
  const char *between;
  named *table;
  size_t mask;
  char *text[2]; /* of names, which grow */
  size_t size[2];
} checker;

/* The name with this number, into text[which]: a place, then a named variable, then a parameter. */
static ff_status write_symbol(checker *c, int which, uint64_t number, size_t *length, ff_error *err) {
  const ff_petri *net = c->flat->net;
  const uint64_t n = c->flat->n_places;
  for (;;) {
    if (number < n) {
      *length = ff_petri_place_name(c->text[which], c->size[which], c->flat, (uint32_t)number, c->between);
    } else {
      bounded to = {c->text[which], c->size[which], 0};
      add(&to, number < n + net->n_variables ? net->variable[number - n].name : net->parameter[number - n - net->n_variables]);
      *length = to.length;
    }
    if (*length < c->size[which]) return FF_OK;
    void *memory = c->text[which];
    ff_status status = ff_grow(&memory, &c->size[which], *length + 1, 1, err);
    c->text[which] = memory;
    if (status != FF_OK) return status;
  }
}

static ff_status enter_symbol(checker *c, uint64_t number, ff_error *err) {
  size_t length, other;
  ff_status status = write_symbol(c, 0, number, &length, err);
  if (status != FF_OK) return status;
  const uint64_t hash = ff_name_hash(c->text[0], length);
  size_t at = (size_t)hash & c->mask;
  char plain[2][100];
  for (; c->table[at].number != 0; at = (at + 1) & c->mask) {
    const uint64_t before = c->table[at].number - 1;
    if (c->table[at].hash != hash) continue;
    status = write_symbol(c, 1, before, &other, err);
    if (status != FF_OK) return status;
    if (other != length || memcmp(c->text[0], c->text[1], length) != 0) continue;
    for (int i = 0; i < 2; i++) {
      const uint64_t one = i == 0 ? before : number;
      if (one < c->flat->n_places) ff_petri_place_name(plain[i], sizeof plain[i], c->flat, (uint32_t)one, ",");
      else snprintf(plain[i], sizeof plain[i], "%.99s", c->text[0]);
    }
    return ff_error_set(err, FF_EMODEL, "%s and %s would both be called %s; names must differ",
                        ff_quote(plain[0], strlen(plain[0])).text, ff_quote(plain[1], strlen(plain[1])).text,
                        ff_quote(c->text[0], length).text);
  }
  c->table[at] = (named){hash, number + 1};
  return FF_OK;
}

ff_status ff_petri_check_names(const ff_petri_flat *flat, const char *between, ff_error *err) {
  const uint64_t n = (uint64_t)flat->n_places + flat->net->n_variables + flat->net->n_parameters;
  checker c = {.flat = flat, .between = between, .mask = 15};
  while (c.mask < 2 * n) c.mask = 2 * c.mask + 1;
  c.table = ff_calloc(c.mask + 1, sizeof *c.table);
  ff_status status = c.table != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for %llu names", (unsigned long long)n);
  for (int i = 0; i < 2 && status == FF_OK; i++) {
    void *memory = NULL;
    status = ff_grow(&memory, &c.size[i], 64, 1, err);
    c.text[i] = memory;
  }
  for (uint64_t i = 0; i < n && status == FF_OK; i++) status = enter_symbol(&c, i, err);
  free(c.table);
  free(c.text[0]);
  free(c.text[1]);
  return status;
}
