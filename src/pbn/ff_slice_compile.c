/* Compiles predictor functions and terms into operations on rows. Operands carry a sign, so that a negation is merged into
 * the operation that uses the operand or computes it. */
#include <stdlib.h>
#include <string.h>

#include "ff_pbn_program.h"
#include "ff_fixed.h"

typedef struct {
  uint32_t row;    /* or the value 0 or 1 if `constant` */
  uint8_t constant, negated;
} operand;

typedef struct {
  ff_slice *slice;
  ff_error *err;
  ff_status status;
  uint32_t temps, most_temps; /* temporaries in use now, and the largest number so far */
  uint32_t pinned;            /* the first temporaries, this many, are masks, which later functions still read */
  operand *stack;             /* stack of the expression that is being compiled */
  size_t stack_capacity;
  uint32_t random_rows;       /* number of random rows used so far */
} compiler;

void ff_slice_free(ff_slice *slice) {
  free(slice->ops);
  free(slice->args);
  free(slice->selects);
  free(slice->cuts);
  *slice = (ff_slice){0};
}

static operand constant(int value) { return (operand){(uint32_t)value, 1, 0}; }
static operand negate(operand a) {
  if (a.constant) return constant(!a.row);
  a.negated = !a.negated;
  return a;
}

static void emit(compiler *c, uint32_t code, uint32_t dst, uint32_t a, uint32_t b, uint32_t mask) {
  if (c->status != FF_OK) return;
  ff_slice *s = c->slice;
  c->status = ff_grow((void **)&s->ops, &s->ops_capacity, s->n_ops + 1, sizeof *s->ops, c->err);
  if (c->status == FF_OK) s->ops[s->n_ops++] = (ff_slice_op){code, dst, a, b, mask};
}

static uint32_t push_arg(compiler *c, uint32_t word) {
  if (c->status != FF_OK) return 0;
  ff_slice *s = c->slice;
  c->status = ff_grow((void **)&s->args, &s->args_capacity, s->n_args + 1, sizeof *s->args, c->err);
  if (c->status != FF_OK) return 0;
  s->args[s->n_args] = word;
  return (uint32_t)s->n_args++;
}

/* Temporaries are numbered from the first one of the slice. Programs with more than 2^32 rows have been refused before. */
static uint32_t new_temp(compiler *c) {
  uint32_t temp = c->slice->temps + c->temps++;
  if (c->temps > c->most_temps) c->most_temps = c->temps;
  return temp;
}

static const uint32_t opposite[] = {
    [FF_S_CONST] = FF_S_CONST, [FF_S_COPY] = FF_S_NOT, [FF_S_NOT] = FF_S_COPY, [FF_S_AND] = FF_S_NAND,
    [FF_S_NAND] = FF_S_AND,    [FF_S_OR] = FF_S_NOR,   [FF_S_NOR] = FF_S_OR,   [FF_S_ANDN] = FF_S_ORN,
    [FF_S_ORN] = FF_S_ANDN,    [FF_S_XOR] = FF_S_XNOR, [FF_S_XNOR] = FF_S_XOR};

/* The last operation if it computed row `row`, so that it may still be changed, else NULL. */
static ff_slice_op *maker(compiler *c, uint32_t row) {
  if (c->slice->n_ops == 0) return NULL;
  ff_slice_op *last = &c->slice->ops[c->slice->n_ops - 1];
  return last->dst == row && last->code <= FF_S_TABLE ? last : NULL;
}

/* Stores the value of an operand in row `dst`. */
static void settle(compiler *c, operand a, uint32_t dst) {
  if (c->status != FF_OK) return;
  if (a.constant) {
    emit(c, FF_S_CONST, dst, a.row, 0, 0);
    return;
  }
  ff_slice_op *last = a.row >= c->slice->temps ? maker(c, a.row) : NULL;
  if (last != NULL && (!a.negated || last->code < FF_S_MUX)) {
    if (a.negated) last->code = opposite[last->code];
    last->dst = dst;
    return;
  }
  emit(c, a.negated ? FF_S_NOT : FF_S_COPY, dst, a.row, 0, 0);
}

/* The same value as an operand without a sign. */
static operand plain(compiler *c, operand a) {
  if (a.constant || !a.negated) return a;
  ff_slice_op *last = a.row >= c->slice->temps ? maker(c, a.row) : NULL;
  uint32_t row = last != NULL && last->code < FF_S_MUX ? a.row : new_temp(c);
  settle(c, a, row);
  return (operand){row, 0, 0};
}

/* The number of temporaries in use after an operand is freed. Only the last temporary can be freed. */
static uint32_t give_back(const compiler *c, operand a, uint32_t temps) {
  return !a.constant && temps > c->pinned && a.row == c->slice->temps + temps - 1 ? temps - 1 : temps;
}

/* The result may reuse the operands' temporaries: `temps` is the number of temporaries in use without them. */
static operand emit_and(compiler *c, operand a, operand b, uint32_t temps) {
  if (a.constant) return a.row ? b : a;
  if (b.constant) return b.row ? a : b;
  if (a.row == b.row) return a.negated == b.negated ? a : constant(0);
  c->temps = temps;
  uint32_t dst = new_temp(c);
  if (a.negated && b.negated)
    emit(c, FF_S_NOR, dst, a.row, b.row, 0);
  else if (a.negated)
    emit(c, FF_S_ANDN, dst, b.row, a.row, 0);
  else
    emit(c, b.negated ? FF_S_ANDN : FF_S_AND, dst, a.row, b.row, 0);
  return (operand){dst, 0, 0};
}

static operand emit_xor(compiler *c, operand a, operand b, uint32_t temps) {
  if (a.constant) return a.row ? negate(b) : b;
  if (b.constant) return b.row ? negate(a) : a;
  uint8_t negated = a.negated != b.negated;
  if (a.row == b.row) return constant(negated);
  c->temps = temps;
  uint32_t dst = new_temp(c);
  emit(c, FF_S_XOR, dst, a.row, b.row, 0);
  return (operand){dst, 0, negated};
}

/* a if the mask's bit is 1, else b, for each bit. */
static operand emit_mux(compiler *c, uint32_t mask, operand a, operand b, uint32_t temps) {
  operand m = {mask, 0, 0};
  if (a.constant && b.constant) return a.row == b.row ? a : a.row ? m : negate(m);
  if (!a.constant && !b.constant && a.row == b.row && a.negated == b.negated) return a;
  if (a.constant) /* 1: m | b = !(!m & !b); 0: !m & b */
    return a.row ? negate(emit_and(c, negate(m), negate(b), temps)) : emit_and(c, negate(m), b, temps);
  if (b.constant) /* 1: !m | a = !(m & !a); 0: m & a */
    return b.row ? negate(emit_and(c, m, negate(a), temps)) : emit_and(c, m, a, temps);
  int both = a.negated && b.negated;
  if (!both) {
    b = plain(c, b);
    a = plain(c, a);
  }
  c->temps = temps;
  uint32_t dst = new_temp(c);
  emit(c, FF_S_MUX, dst, a.row, b.row, mask);
  return (operand){dst, 0, (uint8_t)both};
}

/* A truth table over the rows inputs[0] (least significant) .. inputs[k - 1]. Bit `at` + r of `table` is the value in row r
 * of the table. */
static operand emit_table(compiler *c, const uint32_t *inputs, uint32_t k, const uint32_t *table, uint32_t at) {
  if (k > FF_TABLE_INPUTS) { /* Shannon's expansion by the most significant input */
    uint32_t temps = c->temps;
    operand low = emit_table(c, inputs, k - 1, table, at);
    operand high = emit_table(c, inputs, k - 1, table, at + (1u << (k - 1)));
    return emit_mux(c, inputs[k - 1], high, low, temps);
  }
  uint32_t ones = 0, rows = 1u << k;
  for (uint32_t r = 0; r < rows; r++) ones += table[(at + r) / 32] >> ((at + r) % 32) & 1;
  if (ones == 0 || ones == rows) return constant(ones != 0);
  uint32_t dst = new_temp(c), place = push_arg(c, k);
  for (uint32_t i = 0; i < k; i++) push_arg(c, inputs[i]);
  uint32_t word = 0;
  for (uint32_t r = 0; r < rows; r++) {
    word |= (table[(at + r) / 32] >> ((at + r) % 32) & 1) << (r % 32);
    if (r % 32 == 31 || r == rows - 1) {
      push_arg(c, word);
      word = 0;
    }
  }
  emit(c, FF_S_TABLE, dst, place, 0, 0);
  return (operand){dst, 0, 0};
}

/* The inputs of a table operation are rows, so constants and signs are folded into the table. */
static operand fold_table(compiler *c, const operand *inputs, uint32_t k, const ff_op *data) {
  uint32_t rows[FF_X_MAX_TABLE], kept = 0, flip = 0, fixed = 0, place[FF_X_MAX_TABLE];
  for (uint32_t i = 0; i < k; i++) { /* inputs[k - 1] is the least significant one */
    operand in = inputs[k - 1 - i];
    if (in.constant) {
      fixed |= in.row << i;
      continue;
    }
    if (in.negated) flip |= 1u << i;
    rows[kept] = in.row;
    place[kept++] = i;
  }
  uint32_t words = kept > 5 ? 1u << (kept - 5) : 1;
  uint32_t *table = ff_calloc(words, sizeof *table);
  if (table == NULL) {
    c->status = ff_error_set(c->err, FF_EMEMORY, "no memory for a truth table");
    return constant(0);
  }
  for (uint32_t r = 0; r < 1u << kept; r++) {
    uint32_t from = fixed;
    for (uint32_t j = 0; j < kept; j++) from |= (r >> j & 1) << place[j];
    from ^= flip;
    table[r / 32] |= (data[from / 32] >> (from % 32) & 1) << (r % 32);
  }
  operand out = emit_table(c, rows, kept, table, 0);
  free(table);
  return out;
}

/* The cost of an expression in units of one operation on rows. Tables have a cost of their own. */
static double expression_cost(const ff_expr *expr) {
  double cost = 0;
  for (uint32_t at = 0; at < expr->length; at = ff_expr_next(expr, at)) {
    uint32_t code = FF_X_CODE(expr->code[at]);
    if (code == FF_X_AND || code == FF_X_OR || code == FF_X_XOR) cost += 1;
    if (code == FF_X_TABLE) cost += 4 + (double)(1u << FF_X_OPERAND(expr->code[at])) / 8;
  }
  return cost;
}

static operand compile_code(compiler *c, const ff_expr *expr) {
  c->status = c->status != FF_OK ? c->status
                                 : ff_grow((void **)&c->stack, &c->stack_capacity, (size_t)expr->depth + 1, sizeof *c->stack,
                                           c->err);
  uint32_t top = 0;
  for (uint32_t at = 0; at < expr->length && c->status == FF_OK; at = ff_expr_next(expr, at)) {
    uint32_t code = FF_X_CODE(expr->code[at]), n = FF_X_OPERAND(expr->code[at]);
    if (code == FF_X_CONST) {
      c->stack[top++] = constant((int)n);
    } else if (code == FF_X_VAR) {
      c->stack[top++] = (operand){n, 0, 0};
    } else if (code == FF_X_NOT) {
      c->stack[top - 1] = negate(c->stack[top - 1]);
    } else if (code == FF_X_TABLE) {
      top -= n;
      operand out = fold_table(c, c->stack + top, n, expr->code + at + 1);
      c->stack[top++] = out;
    } else {
      operand a = c->stack[top - 2], b = c->stack[top - 1];
      top -= 2;
      uint32_t temps = give_back(c, a, give_back(c, b, c->temps));
      operand out = code == FF_X_AND  ? emit_and(c, a, b, temps)
                    : code == FF_X_OR ? negate(emit_and(c, negate(a), negate(b), temps))
                                      : emit_xor(c, a, b, temps);
      c->stack[top++] = out;
    }
  }
  return c->status == FF_OK && top == 1 ? c->stack[0] : constant(0);
}

/* Compiles a function from its expression, or from its truth table if that costs less. */
static operand compile_function(compiler *c, const ff_expr *expr, const uint32_t *parents, uint32_t n_parents) {
  double by_table = 4 + (n_parents <= 30 ? (double)(1u << n_parents) / 8 : 1e300);
  if (c->status != FF_OK || n_parents < 3 || n_parents > FF_X_MAX_TABLE || expression_cost(expr) <= by_table)
    return compile_code(c, expr);
  uint32_t *table = NULL;
  c->status = ff_expr_table(expr, parents, n_parents, &table, c->err);
  operand out = c->status == FF_OK ? emit_table(c, parents, n_parents, table, 0) : constant(0);
  free(table);
  return out;
}

/* Begins a choice with n_cuts bounds. The caller must write the bounds to the returned address. */
static uint64_t *begin_select(compiler *c, uint32_t n_cuts) {
  ff_slice *s = c->slice;
  if (c->status == FF_OK)
    c->status = ff_grow((void **)&s->selects, &s->selects_capacity, s->n_selects + 1, sizeof *s->selects, c->err);
  if (c->status == FF_OK) c->status = ff_grow((void **)&s->cuts, &s->cuts_capacity, s->n_cuts + n_cuts, sizeof *s->cuts, c->err);
  return c->status == FF_OK ? s->cuts + s->n_cuts : NULL;
}

/* Stores the choice that was begun. Its masks take the next temporaries, and the first of them is returned. */
static uint32_t note_select(compiler *c, uint32_t n_cuts) {
  ff_slice *s = c->slice;
  if (c->status != FF_OK) return 0;
  ff_slice_select select = {.n_cuts = n_cuts, .row = c->random_rows, .number = (uint32_t)s->n_selects,
                            .cut = (uint32_t)s->n_cuts};
  uint64_t bits = 0;
  for (uint32_t j = 0; j < n_cuts; j++) bits |= s->cuts[s->n_cuts++];
  select.exact = bits << FF_SELECT_ROWS == 0;
  select.n_rows = FF_SELECT_ROWS;
  if (select.exact) /* trailing zero bits need no random row */
    while (select.n_rows > 1 && !(bits >> (FF_SELECT_BITS - select.n_rows) & 1)) select.n_rows--;
  if ((uint64_t)(select.number + 1) * (FF_TILE / 4) > FF_PHILOX_MAX_BLOCKS ||
      ((uint64_t)c->random_rows + FF_SELECT_ROWS) / 4 * 32 > FF_PHILOX_MAX_BLOCKS) {
    c->status = ff_error_set(c->err, FF_ESIZE, "a step cannot draw choices for more than %u nodes with several functions",
                             select.number);
    return 0;
  }
  c->random_rows += select.n_rows;
  uint32_t masks = s->temps + c->temps;
  for (uint32_t j = 0; j < n_cuts; j++) new_temp(c);
  s->selects[s->n_selects++] = select;
  return masks;
}

/* A choice among n alternatives with the given probabilities. If n is 1, there is nothing to choose. */
static uint32_t choose(compiler *c, const double *probability, uint32_t n) {
  uint64_t *cuts = n > 1 ? begin_select(c, n - 1) : NULL;
  if (cuts == NULL) return 0;
  ff_fixed_cuts(cuts, probability, sizeof *probability, n);
  return note_select(c, n - 1);
}

/* Makes one operation of the choices stored since `first`. Their masks are kept until the next block. */
static void emit_selects(compiler *c, size_t first) {
  ff_slice *s = c->slice;
  c->pinned = c->temps;
  if (c->status == FF_OK && s->n_selects > first)
    emit(c, FF_S_SELECT, s->temps, (uint32_t)first, (uint32_t)(s->n_selects - first), 0);
}

/* Compiles a node: joins its functions by masks. Mask j selects function `which[j]` rather than those after it. */
static operand compile_node(compiler *c, const ff_pbn *pbn, const uint32_t *which, uint32_t n, uint32_t masks) {
  const ff_predictor *f = &pbn->predictors[which[n - 1]];
  operand value = compile_function(c, &f->expr, f->parents, f->n_parents);
  for (uint32_t j = n - 1; j-- > 0 && c->status == FF_OK;) {
    if (which[j] == which[j + 1]) continue; /* masks are nested, so mask j + 1 covers this case */
    uint32_t temps = give_back(c, value, c->temps);
    f = &pbn->predictors[which[j]];
    operand other = compile_function(c, &f->expr, f->parents, f->n_parents);
    value = emit_mux(c, masks + j, other, value, temps);
  }
  return value;
}

/* The functions of a node and their probabilities, in work space that grows. */
typedef struct {
  uint32_t *which;
  double *probability;
  size_t which_capacity, probability_capacity;
} alternatives;

static uint32_t list_alternatives(compiler *c, alternatives *list, const ff_pbn *pbn, uint32_t node) {
  uint32_t first = pbn->first[node], n = pbn->first[node + 1] - first;
  if (c->status == FF_OK) c->status = ff_grow((void **)&list->which, &list->which_capacity, n, sizeof *list->which, c->err);
  if (c->status == FF_OK)
    c->status = ff_grow((void **)&list->probability, &list->probability_capacity, n, sizeof *list->probability, c->err);
  for (uint32_t j = 0; j < n && c->status == FF_OK; j++) {
    list->which[j] = first + j;
    list->probability[j] = pbn->predictors[first + j].probability;
  }
  return n;
}

/* Compiles nodes in blocks: first the choices of all nodes of the block, then their functions. */
static void compile_independent(compiler *c, const ff_pbn *pbn) {
  alternatives list = {0};
  for (uint32_t i = 0, end = 0; i < pbn->n_nodes && c->status == FF_OK; i = end) {
    size_t first_select = c->slice->n_selects;
    c->temps = c->pinned = 0;
    for (end = i; end < pbn->n_nodes && (end == i || c->temps < FF_SELECT_BLOCK) && c->status == FF_OK; end++) {
      uint32_t n = list_alternatives(c, &list, pbn, end);
      choose(c, list.probability, n);
    }
    emit_selects(c, first_select);
    uint32_t masks = c->slice->temps;
    for (uint32_t node = i; node < end && c->status == FF_OK; node++) {
      uint32_t n = list_alternatives(c, &list, pbn, node);
      c->temps = c->pinned;
      settle(c, compile_node(c, pbn, list.which, n, masks), pbn->n_nodes + node);
      masks += n - 1;
    }
  }
  free(list.which);
  free(list.probability);
}

/* The function of a node in each context. If several contexts at the end have the same function, it is listed once. */
static uint32_t list_contexts(const ff_pbn *pbn, uint32_t i, uint32_t *which) {
  uint32_t n = pbn->n_contexts;
  for (uint32_t j = 0; j < n; j++) which[j] = pbn->first[i] + pbn->context[(size_t)j * pbn->n_nodes + i];
  while (n > 1 && which[n - 2] == which[n - 1]) n--;
  return n;
}

static uint32_t *room_for_contexts(compiler *c, uint32_t m) {
  uint32_t *which = ff_calloc(m, sizeof *which);
  if (which == NULL) c->status = ff_error_set(c->err, FF_EMEMORY, "no memory for %u contexts", m);
  return which;
}

static void compile_dependent(compiler *c, const ff_pbn *pbn) {
  uint32_t *which = room_for_contexts(c, pbn->n_contexts);
  uint32_t masks = choose(c, pbn->context_probability, pbn->n_contexts);
  emit_selects(c, 0);
  for (uint32_t i = 0; i < pbn->n_nodes && c->status == FF_OK; i++) {
    uint32_t n = list_contexts(pbn, i, which);
    c->temps = c->pinned;
    settle(c, compile_node(c, pbn, which, n, masks), pbn->n_nodes + i);
  }
  free(which);
}

/* One choice among all functions of all nodes. The probability of each is divided by the number of nodes, including removed
 * ones. The last alternative needs no bound. If there are removed nodes, this alternative is the selection of one of them. With
 * contexts, the choice is among nodes. */
static uint32_t choose_node(compiler *c, const ff_pbn *pbn) {
  static const double whole = 1.0;
  uint32_t n = pbn->n_nodes, all = n + pbn->removed_nodes;
  uint32_t n_cuts = (pbn->n_contexts > 0 ? n : pbn->first[n]) - (pbn->removed_nodes == 0);
  uint64_t *cuts = n_cuts > 0 ? begin_select(c, n_cuts) : NULL;
  if (cuts == NULL) return 0;
  for (uint32_t i = 0; i < n; i++) {
    const double *weight = pbn->n_contexts > 0 ? &whole : &pbn->predictors[pbn->first[i]].probability;
    uint32_t k = pbn->n_contexts > 0 ? 1 : pbn->first[i + 1] - pbn->first[i], bounded = k < n_cuts ? k : n_cuts;
    ff_fixed_cuts_within(cuts, weight, sizeof *pbn->predictors, k, bounded, i, all);
    cuts += bounded;
    n_cuts -= bounded;
  }
  return note_select(c, (uint32_t)(cuts - (c->slice->cuts + c->slice->n_cuts)));
}

/* A step updates one node, which may be a removed one. Masks are nested: node i is selected if the mask of its last alternative
 * is 1 and the mask of the last alternative of node i - 1 is 0. */
static void compile_asynchronous(compiler *c, const ff_pbn *pbn) {
  uint32_t m = pbn->n_contexts, n = pbn->n_nodes;
  uint32_t *which = m > 0 ? room_for_contexts(c, m) : NULL;
  alternatives list = {0};
  uint32_t masks = choose_node(c, pbn), of_context = m > 0 ? choose(c, pbn->context_probability, m) : 0;
  emit_selects(c, 0);
  for (uint32_t i = 0; i < n && c->status == FF_OK; i++) {
    uint32_t before = m > 0 ? i : pbn->first[i], last = (m > 0 ? i + 1 : pbn->first[i + 1]) - 1;
    uint32_t k = m > 0 ? list_contexts(pbn, i, which) : list_alternatives(c, &list, pbn, i);
    if (c->status != FF_OK) break;
    operand own = {i, 0, 0};
    c->temps = c->pinned;
    operand value = compile_node(c, pbn, m > 0 ? which : list.which, k, m > 0 ? of_context : masks + before);
    if (i > 0) value = emit_mux(c, masks + before - 1, own, value, give_back(c, value, c->temps));
    if (i + 1 < n || pbn->removed_nodes > 0) value = emit_mux(c, masks + last, value, own, give_back(c, value, c->temps));
    settle(c, value, n + i);
  }
  free(which);
  free(list.which);
  free(list.probability);
}

static void compile_terms(compiler *c, const ff_observables *observables) {
  uint32_t n = observables == NULL ? 0 : observables->first[observables->n];
  for (uint32_t i = 0; i < n && c->status == FF_OK; i++) {
    uint32_t *parents = NULL, n_parents = 0;
    c->status = ff_expr_parents(&observables->terms[i], &parents, &n_parents, c->err);
    if (c->status != FF_OK) break;
    c->temps = c->pinned = 0;
    settle(c, compile_function(c, &observables->terms[i], parents, n_parents), UINT32_MAX - n + i);
    free(parents);
  }
}

/* Terms have temporary row numbers at the top of the range, because their rows are known only after temporaries are counted. */
static void place_terms(ff_slice *s) {
  for (size_t i = s->n_update; i < s->n_ops; i++)
    if (s->ops[i].dst >= UINT32_MAX - s->n_terms) s->ops[i].dst = s->terms + (s->ops[i].dst - (UINT32_MAX - s->n_terms));
}

ff_status ff_slice_compile(ff_pbn_program *program, const ff_pbn *pbn, const ff_observables *observables, ff_error *err) {
  ff_slice *s = &program->slice;
  s->n_nodes = pbn->n_nodes;
  s->n_terms = program->n_terms;
  if ((uint64_t)pbn->n_nodes * 2 + (uint64_t)program->n_terms * 3 + (1u << 20) > UINT32_MAX / 2)
    return ff_error_set(err, FF_ESIZE, "%u nodes are more rows than a program can number", pbn->n_nodes);
  s->ring = 2 * pbn->n_nodes;
  s->temps = s->ring + FF_RING_ROWS;
  compiler c = {.slice = s, .err = err, .status = FF_OK};
  if (pbn->update == FF_ASYNCHRONOUS)
    compile_asynchronous(&c, pbn);
  else if (pbn->n_contexts > 0)
    compile_dependent(&c, pbn);
  else
    compile_independent(&c, pbn);
  s->n_update = s->n_ops;
  compile_terms(&c, observables);
  free(c.stack);
  if (c.status != FF_OK) return c.status;
  s->terms = s->temps + c.most_temps;
  s->before = s->terms + s->n_terms;
  s->n_rows = s->before + s->n_terms;
  place_terms(s);
  program->bytes += s->ops_capacity * sizeof *s->ops + s->args_capacity * sizeof *s->args +
                    s->selects_capacity * sizeof *s->selects + s->cuts_capacity * sizeof *s->cuts;
  return FF_OK;
}
