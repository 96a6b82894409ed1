/* Expressions of colours: code, values, and functions replaced by what they stand for. Next and previous colours are looked up
 * in sets, so the look-ups are here, too. */
#include "../../base/ff_decimal.h"
#include "ff_colour_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- code --------------------------------------------------------------------------------------------------------------- */

static const uint8_t operands_of[] = {
#define FF_X(code, operands, r, candl) operands,
    FF_COLOUR_LIST(FF_X)
#undef FF_X
};

uint32_t ff_colour_operands(const ff_colour_scope *scope, const ff_colour_word *word) {
  return word->code == FF_C_CALL ? scope->function[word->of].n_arguments : operands_of[word->code];
}

ff_status ff_colour_push(ff_colour_builder *builder, ff_colour_word word, uint32_t operands, ff_error *err) {
  if (builder->length >= FF_COLOUR_MAX_WORDS)
    return ff_error_set(err, FF_ESIZE, "an expression of colours has more than %u operations", FF_COLOUR_MAX_WORDS);
  void *memory = builder->word;
  const ff_status status = ff_grow(&memory, &builder->capacity, builder->length + 1, sizeof word, err);
  builder->word = memory;
  if (status != FF_OK) return status;
  builder->word[builder->length++] = word;
  builder->height += 1 - operands;
  if (builder->height > builder->depth) builder->depth = builder->height;
  return FF_OK;
}

void ff_colour_finish(ff_colour_expr *out, ff_colour_builder *builder) {
  out->length = (uint32_t)builder->length;
  out->depth = builder->depth;
  out->word = ff_shrink(builder->word, builder->length, sizeof *builder->word);
  *builder = (ff_colour_builder){0};
}

void ff_colour_free(ff_colour_expr *expr) {
  if (expr == NULL) return;
  free(expr->word);
  *expr = (ff_colour_expr){0};
}

ff_status ff_colour_copy(ff_colour_expr *out, const ff_colour_expr *expr, ff_error *err) {
  *out = (ff_colour_expr){0};
  if (expr->length == 0) return FF_OK;
  ff_colour_word *word = ff_calloc(expr->length, sizeof *word);
  if (word == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for an expression of %u words", expr->length);
  memcpy(word, expr->word, expr->length * sizeof *word);
  *out = (ff_colour_expr){word, expr->length, expr->depth};
  return FF_OK;
}

/* One case for each operation. */
int ff_colour_level(uint32_t code, ff_colour_dialect dialect) {
  const int r = dialect == FF_COLOUR_R;
  switch (code) {
    case FF_C_OR: return FF_COLOUR_OR_LEVEL;
    case FF_C_AND: return FF_COLOUR_AND_LEVEL;
    case FF_C_NOT: return r ? FF_COLOUR_NOT_LEVEL : FF_COLOUR_SIGN_LEVEL;
    case FF_C_EQ:
    case FF_C_NE: return FF_COLOUR_EQUAL_LEVEL;
    case FF_C_LT:
    case FF_C_LE:
    case FF_C_GT:
    case FF_C_GE: return r ? FF_COLOUR_EQUAL_LEVEL : FF_COLOUR_ORDER_LEVEL;
    case FF_C_ADD:
    case FF_C_SUB: return FF_COLOUR_SUM_LEVEL;
    case FF_C_MUL: return FF_COLOUR_PRODUCT_LEVEL;
    case FF_C_DIV:
    case FF_C_MOD: return r ? FF_COLOUR_REST_LEVEL : FF_COLOUR_PRODUCT_LEVEL;
    case FF_C_POW: return r ? FF_COLOUR_POWER_LEVEL : FF_COLOUR_PRODUCT_LEVEL;
    case FF_C_NEG: return FF_COLOUR_SIGN_LEVEL;
    case FF_C_NEXT:
    case FF_C_PREVIOUS: return r ? FF_COLOUR_ATOM : FF_COLOUR_SIGN_LEVEL;
    default: return FF_COLOUR_ATOM;
  }
}

/* ---- colours of a set --------------------------------------------------------------------------------------------------- */

uint32_t ff_colours_n(const ff_colours *set) { return set->n; }
uint32_t ff_colours_width(const ff_colours *set) { return set->width; }
const ff_colours *ff_colours_component(const ff_colours *set, uint32_t k) { return set->component[k]; }

static uint32_t hash_of(const int64_t *tuple, uint32_t width) {
  uint64_t hash = 0;
  for (uint32_t k = 0; k < width; k++) {
    hash = (hash ^ (uint64_t)tuple[k]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return (uint32_t)hash;
}

uint32_t ff_colours_slot(const ff_colours *set, const int64_t *tuple) {
  uint32_t at = hash_of(tuple, set->width) & set->mask;
  while (set->slot[at] != 0 &&
         memcmp(set->value + (size_t)(set->slot[at] - 1) * set->width, tuple, set->width * sizeof *tuple) != 0)
    at = (at + 1) & set->mask;
  return at;
}

static int64_t find_in_factor(const ff_colours *set, const int64_t *tuple) {
  if (set->kind == FF_COLOURS_TABLE) return (int64_t)set->slot[ff_colours_slot(set, tuple)] - 1;
  return tuple[0] >= set->first && tuple[0] - set->first < set->n ? tuple[0] - set->first : -1;
}

int64_t ff_colours_find(const ff_colours *set, const int64_t *tuple) {
  if (set->kind != FF_COLOURS_PRODUCT) return find_in_factor(set, tuple);
  int64_t number = 0;
  for (uint32_t i = 0; i < set->n_factors; i++) {
    const int64_t at = find_in_factor(set->factor[i], tuple);
    if (at < 0) return -1;
    number = number * set->factor[i]->n + at;
    tuple += set->factor[i]->width;
  }
  return number;
}

static void take_from_factor(const ff_colours *set, uint32_t i, int64_t *tuple) {
  if (set->kind == FF_COLOURS_RANGE)
    tuple[0] = set->first + i;
  else
    memcpy(tuple, set->value + (size_t)i * set->width, set->width * sizeof *tuple);
}

void ff_colours_at(const ff_colours *set, uint32_t i, int64_t *tuple) {
  if (set->kind != FF_COLOURS_PRODUCT) {
    take_from_factor(set, i, tuple);
    return;
  }
  tuple += set->width;
  for (uint32_t k = set->n_factors; k-- > 0;) {
    const ff_colours *factor = set->factor[k];
    tuple -= factor->width;
    take_from_factor(factor, i % factor->n, tuple);
    i /= factor->n;
  }
}

int64_t ff_colours_step(const ff_colours *set, int64_t value, int by) {
  if (value == FF_COLOUR_NONE) return FF_COLOUR_NONE;
  const int64_t at = ff_colours_find(set, &value);
  if (at < 0) return FF_COLOUR_NONE;
  const uint32_t to = by > 0 ? (at + 1 == set->n ? 0 : (uint32_t)at + 1) : (at == 0 ? set->n - 1 : (uint32_t)at - 1);
  ff_colours_at(set, to, &value);
  return value;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static int64_t product(int64_t x, int64_t y) {
  const int64_t size = x < 0 ? -x : x, other = y < 0 ? -y : y;
  return size != 0 && other > (FF_COLOUR_MOST - 1) / size ? FF_COLOUR_NONE : x * y;
}

static int64_t power(int64_t x, int64_t y) {
  if (y < 0) return FF_COLOUR_NONE;
  if (x == 0 || x == 1) return y == 0 ? 1 : x;
  if (x == -1) return y % 2 == 0 ? 1 : -1;
  int64_t result = 1;
  for (int64_t i = 0; i < y && result != FF_COLOUR_NONE; i++) result = product(result, x); /* ends soon: |x| is at least 2 */
  return result;
}

static int64_t arithmetic(uint32_t code, int64_t x, int64_t y) {
  if (!ff_colour_is_number(x) || !ff_colour_is_number(y)) return FF_COLOUR_NONE;
  int64_t result;
  switch (code) {
    case FF_C_NEG: result = -x; break;
    case FF_C_ABS: result = x < 0 ? -x : x; break;
    case FF_C_ADD: result = x + y; break;
    case FF_C_SUB: result = x - y; break;
    case FF_C_MUL: result = product(x, y); break;
    case FF_C_DIV: result = y == 0 ? FF_COLOUR_NONE : x / y; break;
    case FF_C_MOD: result = y == 0 ? FF_COLOUR_NONE : x % y; break;
    default: result = power(x, y);
  }
  return ff_colour_is_number(result) ? result : FF_COLOUR_NONE;
}

/* One case for each operation. */
int64_t ff_colour_operate(uint32_t code, int64_t x, int64_t y) {
  switch (code) {
    case FF_C_AND:
      if (x == 0 || y == 0) return 0;
      return x == FF_COLOUR_NONE || y == FF_COLOUR_NONE ? FF_COLOUR_NONE : 1;
    case FF_C_OR:
      if ((x != 0 && x != FF_COLOUR_NONE) || (y != 0 && y != FF_COLOUR_NONE)) return 1;
      return x == FF_COLOUR_NONE || y == FF_COLOUR_NONE ? FF_COLOUR_NONE : 0;
    case FF_C_NOT: return x == FF_COLOUR_NONE ? FF_COLOUR_NONE : x == 0;
    default: break;
  }
  if (!ff_colour_compares(code)) return arithmetic(code, x, y);
  if (x == FF_COLOUR_NONE || y == FF_COLOUR_NONE) return FF_COLOUR_NONE;
  if (code == FF_C_EQ) return x == y;
  if (code == FF_C_NE) return x != y;
  if (ff_colour_is_number(x) != ff_colour_is_number(y)) return FF_COLOUR_NONE;
  switch (code) {
    case FF_C_LT: return x < y;
    case FF_C_LE: return x <= y;
    case FF_C_GT: return x > y;
    default: return x >= y;
  }
}

int64_t ff_colour_run(const ff_colour_word *word, uint32_t length, const ff_colour_scope *scope, const int64_t *component,
                      int64_t *stack) {
  int64_t *top = stack - 1;
  for (const ff_colour_word *end = word + length; word < end; word++) {
    switch (word->code) {
      case FF_C_NUMBER: *++top = word->value; break;
      case FF_C_INDEX: *++top = component[word->of]; break;
      case FF_C_NEXT:
      case FF_C_PREVIOUS:
        *top = ff_colours_step(scope->colours[word->of]->component[word->value], *top, word->code == FF_C_NEXT ? 1 : -1);
        break;
      case FF_C_NEG:
      case FF_C_NOT:
      case FF_C_ABS: *top = ff_colour_operate(word->code, *top, 0); break;
      default:
        top--;
        *top = ff_colour_operate(word->code, top[0], top[1]);
    }
  }
  return *top;
}

int ff_colour_value(int64_t *value, const ff_colour_expr *expr, const ff_colour_scope *scope, const int64_t *component,
                    int64_t *stack) {
  *value = expr->length == 0 ? 1 : ff_colour_run(expr->word, expr->length, scope, component, stack);
  return *value != FF_COLOUR_NONE;
}

/* ---- functions are replaced by their values ----------------------------------------------------------------------------- */

/* Code that is copied to the end of `out`: a function's, whose arguments are words of `saved`. */
typedef struct {
  const ff_colour_expr *expr;
  uint32_t at;       /* the next word */
  uint32_t function; /* functions below this one may be called */
  size_t span;       /* the first argument begins at saved[span[span]]; its end is the beginning of the next one */
} frame;

/* An array that grows. */
typedef struct {
  size_t *at, n, capacity;
} numbers;

typedef struct {
  const ff_colour_scope *scope;
  ff_colour_builder out;
  size_t work; /* words that were written, even if they were removed again */
  numbers start, span;
  ff_colour_word *saved;
  size_t n_saved, capacity;
  frame *stack;
  size_t height, stack_capacity;
  ff_error *err;
} expansion;

static ff_status add_number(numbers *list, size_t number, ff_error *err) {
  void *memory = list->at;
  const ff_status status = ff_grow(&memory, &list->capacity, list->n + 1, sizeof *list->at, err);
  list->at = memory;
  if (status == FF_OK) list->at[list->n++] = number;
  return status;
}

static ff_status push_frame(expansion *e, frame f) {
  void *memory = e->stack;
  const ff_status status = ff_grow(&memory, &e->stack_capacity, e->height + 1, sizeof f, e->err);
  e->stack = memory;
  if (status == FF_OK) e->stack[e->height++] = f;
  return status;
}

static ff_status write_word(expansion *e, ff_colour_word word, uint32_t operands) {
  if (++e->work > FF_COLOUR_MAX_WORDS)
    return ff_error_set(e->err, FF_ESIZE, "an expression of colours has more than %u operations after its functions are replaced",
                        FF_COLOUR_MAX_WORDS);
  if (operands == 0) {
    const ff_status status = add_number(&e->start, e->out.length, e->err);
    if (status != FF_OK) return status;
  } else {
    e->start.n -= operands - 1;
  }
  return ff_colour_push(&e->out, word, operands, e->err);
}

/* Moves the operands of a call from the end of `out` to `saved`. */
static ff_status begin_call(expansion *e, uint32_t function, uint32_t below) {
  const ff_colour_function *f = &e->scope->function[function];
  if (function >= below)
    return ff_error_set(e->err, FF_EINTERNAL, "the colour function %s is called by one that does not come after it", f->name);
  if (f->value.length == 0) return ff_error_set(e->err, FF_EMODEL, "the colour function %s has no value", f->name);
  const size_t first = e->start.n - f->n_arguments, begin = f->n_arguments > 0 ? e->start.at[first] : e->out.length;
  const size_t length = e->out.length - begin, span = e->span.n;
  for (uint32_t i = 0; i <= f->n_arguments; i++) {
    const size_t at = i < f->n_arguments ? e->start.at[first + i] : e->out.length;
    const ff_status status = add_number(&e->span, e->n_saved + at - begin, e->err);
    if (status != FF_OK) return status;
  }
  void *memory = e->saved;
  const ff_status status = ff_grow(&memory, &e->capacity, e->n_saved + length + 1, sizeof *e->saved, e->err);
  e->saved = memory;
  if (status != FF_OK) return status;
  if (length > 0) memcpy(e->saved + e->n_saved, e->out.word + begin, length * sizeof *e->saved);
  e->n_saved += length;
  e->out.length = begin;
  e->out.height -= f->n_arguments;
  e->start.n = first;
  return push_frame(e, (frame){&f->value, 0, function, span});
}

static ff_status write_argument(expansion *e, const frame *f, uint32_t argument) {
  ff_status status = add_number(&e->start, e->out.length, e->err);
  for (size_t i = e->span.at[f->span + argument]; i < e->span.at[f->span + argument + 1] && status == FF_OK; i++) {
    const ff_colour_word word = e->saved[i];
    if (++e->work > FF_COLOUR_MAX_WORDS) return write_word(e, word, 0); /* it fails */
    status = ff_colour_push(&e->out, word, operands_of[word.code], e->err);
  }
  return status;
}

static ff_status write_constant(expansion *e, uint32_t parameter) {
  const double value = e->scope->value[parameter];
  const int64_t whole = value > -(double)FF_COLOUR_MOST && value < (double)FF_COLOUR_MOST ? (int64_t)value : 0;
  if ((double)whole != value) {
    const ff_quoted name = ff_quote(e->scope->parameter[parameter], strlen(e->scope->parameter[parameter]));
    return ff_error_set(e->err, FF_EMODEL,
                        "the parameter %s is %s in an expression of colours, where a whole number was expected", name.text,
                        ff_show(value, 6).text);
  }
  return write_word(e, (ff_colour_word){FF_C_NUMBER, 0, whole}, 0);
}

/* next() or previous(). The set is known at last when the argument of a function has been replaced. */
static ff_status write_step(expansion *e, ff_colour_word word) {
  const ff_colour_word *last = &e->out.word[e->out.length - 1];
  uint32_t component = 0;
  if (word.of == UINT32_MAX && last->code == FF_C_INDEX) {
    ff_colour_set_of(e->scope, last->of, &word.of, &component);
    word.value = component;
  } else if (word.of == UINT32_MAX && ff_colour_steps(last->code)) {
    word.of = last->of;
    word.value = last->value;
  }
  if (word.of == UINT32_MAX)
    return ff_error_set(e->err, FF_EMODEL, "a colour function has %s() of an argument that is not an index",
                        word.code == FF_C_NEXT ? "next" : "previous");
  return write_word(e, word, 1);
}

static ff_status expand_all(expansion *e) {
  while (e->height > 0) {
    frame *f = &e->stack[e->height - 1];
    if (f->at == f->expr->length) {
      if (f->function < UINT32_MAX) {
        e->n_saved = e->span.at[f->span];
        e->span.n = f->span;
      }
      e->height--;
      continue;
    }
    const ff_colour_word word = f->expr->word[f->at++];
    ff_status status;
    if (word.code == FF_C_CALL)
      status = begin_call(e, word.of, f->function);
    else if (word.code == FF_C_ARGUMENT)
      status = write_argument(e, f, word.of);
    else if (word.code == FF_C_CONSTANT)
      status = write_constant(e, word.of);
    else if (ff_colour_steps(word.code))
      status = write_step(e, word);
    else
      status = write_word(e, word, operands_of[word.code]);
    if (status != FF_OK) return status;
  }
  return FF_OK;
}

ff_status ff_colour_expand(ff_colour_expr *out, const ff_colour_expr *expr, const ff_colour_scope *scope, ff_error *err) {
  *out = (ff_colour_expr){0};
  if (expr->length == 0) return FF_OK;
  expansion e = {.scope = scope, .err = err};
  ff_status status = push_frame(&e, (frame){expr, 0, UINT32_MAX, 0});
  if (status == FF_OK) status = expand_all(&e);
  free(e.start.at);
  free(e.span.at);
  free(e.saved);
  free(e.stack);
  if (status == FF_OK)
    ff_colour_finish(out, &e.out);
  else
    free(e.out.word);
  return status;
}

/* ---- sets before they are made ------------------------------------------------------------------------------------------ */

uint32_t ff_colour_width(const ff_colour_scope *scope, uint32_t s) {
  uint32_t pending[FF_COLOUR_MAX_WIDTH], n = 1, width = 0; /* each set that is pending has at least one component */
  pending[0] = s;
  while (n > 0) {
    const ff_colour_definition *set = &scope->set[pending[--n]];
    const uint32_t parts = set->kind == FF_SET_PRODUCT ? set->n_parts : set->n_parts > 0;
    if (set->kind == FF_SET_VALUES || parts == 0) {
      width++;
      continue;
    }
    if (width + n + parts > FF_COLOUR_MAX_WIDTH) return FF_COLOUR_MAX_WIDTH + 1;
    for (uint32_t i = 0; i < parts; i++) pending[n++] = set->part[i];
  }
  return width;
}

void ff_colour_simple(const ff_colour_scope *scope, uint32_t s, uint32_t k, uint32_t *set, uint32_t *component) {
  while (ff_colour_width(scope, s) > 1 && scope->set[s].kind != FF_SET_UNION) {
    const ff_colour_definition *d = &scope->set[s];
    uint32_t i = 0, width;
    while (d->kind == FF_SET_PRODUCT && i + 1 < d->n_parts && k >= (width = ff_colour_width(scope, d->part[i]))) {
      k -= width;
      i++;
    }
    s = d->part[i];
  }
  *set = s;
  *component = ff_colour_width(scope, s) > 1 ? k : 0;
}

int ff_colour_index_at(const ff_colour_scope *scope, uint32_t component, uint32_t *index, uint32_t *k) {
  for (uint32_t i = 0; i < scope->n_indices; i++) {
    const uint32_t first = scope->index[i].first;
    if (component < first || component - first >= ff_colour_width(scope, scope->index[i].set)) continue;
    *index = i;
    *k = component - first;
    return 1;
  }
  return 0;
}

void ff_colour_set_of(const ff_colour_scope *scope, uint32_t of, uint32_t *set, uint32_t *component) {
  uint32_t index, k;
  *set = UINT32_MAX;
  *component = 0;
  if (scope->subset_of != UINT32_MAX)
    ff_colour_simple(scope, scope->subset_of, of, set, component);
  else if (ff_colour_index_at(scope, of, &index, &k))
    ff_colour_simple(scope, scope->index[index].set, k, set, component);
}

ff_colour_stands ff_colour_stands_none(void) {
  ff_colour_stands out;
  for (uint32_t k = 0; k < FF_COLOUR_MAX_WIDTH; k++) out.index[k] = out.first[k] = UINT32_MAX;
  return out;
}

/* The set that a simple set is a subset of, if it is one. */
static uint32_t root(const ff_colour_scope *scope, uint32_t s) {
  while (scope->set[s].kind == FF_SET_SUBSET && ff_colour_width(scope, s) == 1) s = scope->set[s].part[0];
  return s;
}

static int may_stand(const ff_colour_stands *stands, const ff_colour_scope *scope, uint32_t s, uint32_t first, int roots) {
  const uint32_t width = ff_colour_width(scope, s);
  for (uint32_t k = 0; k < width; k++) {
    uint32_t set, component, other, other_component;
    if (stands->index[first + k] != UINT32_MAX) return 0;
    ff_colour_simple(scope, s, k, &set, &component);
    ff_colour_simple(scope, scope->subset_of, first + k, &other, &other_component);
    const int same = roots ? root(scope, set) == root(scope, other) : set == other;
    if (!same || component != other_component) return 0;
  }
  return 1;
}

int ff_colour_stand(const ff_colour_stands *stands, const ff_colour_scope *scope, uint32_t index) {
  const uint32_t s = scope->index[index].set, width = ff_colour_width(scope, s);
  const uint32_t all = ff_colour_width(scope, scope->subset_of);
  for (uint32_t k = 0; k < FF_COLOUR_MAX_WIDTH; k++)
    if (stands->index[k] == index) return (int)stands->first[k];
  if (all > FF_COLOUR_MAX_WIDTH) return -1;
  for (int roots = 0; roots < 2; roots++)
    for (uint32_t first = 0; first + width <= all; first++)
      if (may_stand(stands, scope, s, first, roots)) return (int)first;
  return -1;
}

void ff_colour_take(ff_colour_stands *stands, const ff_colour_scope *scope, uint32_t index, int first) {
  const uint32_t width = ff_colour_width(scope, scope->index[index].set);
  for (uint32_t k = (uint32_t)first; k < (uint32_t)first + width; k++) {
    stands->index[k] = index;
    stands->first[k] = (uint32_t)first;
  }
}
