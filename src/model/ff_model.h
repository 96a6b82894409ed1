/* The model of a probabilistic Boolean network, and the Boolean expressions in it. Uses base/ only.
 *
 * An expression is postfix code in an array of words. The top 4 bits of a word are an opcode, the low 28 bits an operand.
 * FF_X_TABLE has the number k of inputs as its operand. Its inputs are the k FF_X_VAR words right before it; the first is the
 * most significant bit of the row number, as in BoolNet. max(1, 2^k / 32) words of data follow it: row r is bit r % 32 of
 * word r / 32, and unused bits are 0. Use ff_expr_next() to go from one operation to the next.
 */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "../base/ff_names.h"

typedef uint32_t ff_op;
enum { FF_X_CONST, FF_X_VAR, FF_X_NOT, FF_X_AND, FF_X_OR, FF_X_XOR, FF_X_TABLE };
#define FF_X_OPERAND_BITS 28
#define FF_X_MAX_OPERAND ((UINT32_C(1) << FF_X_OPERAND_BITS) - 1)
#define FF_X_MAX_TABLE 16 /* inputs of a truth table; predictor functions with more inputs are written as other expressions */
#define FF_X_OP(code, operand) (((ff_op)(code) << FF_X_OPERAND_BITS) | (ff_op)(operand))
#define FF_X_CODE(op) ((op) >> FF_X_OPERAND_BITS)
#define FF_X_OPERAND(op) ((op)&FF_X_MAX_OPERAND)

typedef struct {
  ff_op *code;     /* NULL when empty */
  uint32_t length; /* in words, including the data of tables */
  uint32_t depth;  /* the largest number of values on the stack */
} ff_expr;

typedef struct {
  ff_expr expr;
  double probability; /* selection probability, > 0; those of a node sum to 1 (in a dependent network all are set to 1) */
  uint32_t *parents;  /* the nodes that the expression names, in ascending order, without repeats */
  uint32_t n_parents;
} ff_predictor;

typedef enum { FF_SYNCHRONOUS, FF_ASYNCHRONOUS } ff_update;

/* A probabilistic Boolean network. The struct owns all its arrays. */
typedef struct {
  uint32_t n_nodes;
  char **names;
  uint32_t *first; /* n_nodes + 1 entries: the predictor functions of node i are predictors[first[i]] to [first[i + 1] - 1] */
  ff_predictor *predictors;
  double perturbation; /* p in [0, 1) */
  uint8_t *perturbed;  /* for each node: 1 = flips with probability p, 0 = exempt from perturbation */
  int8_t *initial;     /* for each node: 0, 1, or -1 = drawn at random */
  ff_update update;
  uint32_t n_contexts;         /* 0 for an independent network, where each node selects its own predictor function */
  double *context_probability; /* n_contexts entries that sum to 1 */
  uint32_t *context;           /* n_contexts rows of n_nodes entries: which of the node's predictor functions is used, from 0 */
  uint32_t removed_nodes;      /* nodes that a reduction removed; they still count when an asynchronous update selects a node */
  uint32_t removed_perturbed;  /* those of them that are perturbed: lambda = (1 - p)^removed_perturbed */
} ff_pbn;

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* Parses a predictor function or a state set into *out. The caller frees its contents with ff_expr_free(). On failure *out is
 * empty.
 *
 * The grammar has names, 0, 1, true, false, the operators ! ~ not, & && * and, | || + or, ^ xor, and parentheses. `not` binds
 * tightest, then `and`, `xor` and `or`. f(a, b, c){01101001} is a truth table whose first name is the most significant bit;
 * `f (` always begins a table. A name starts with a letter, `_`, `.` or a byte >= 0x80 and goes on with these, digits and
 * `-`. A word that starts with a digit is a name too, unless it is 0 or 1. Any text within double quotes or backquotes is a
 * name. Words such as `and` are operators in upper and lower case, but names if quoted. Nesting may be of any depth, as the
 * stack is on the heap.
 *
 * `text` need not be terminated. `lookup` is called with `context` for every name. If `lookup` is ff_names_find, the message
 * on an unknown name suggests the one that was probably meant. `place` is only used in messages. O(length), not counting
 * look-ups.
 */
ff_status ff_expr_parse(ff_expr *out, const char *text, size_t length, ff_lookup lookup, void *context, ff_place place,
                        ff_error *err);
/* Frees the code, not the struct, and empties the struct. Accepts NULL. */
void ff_expr_free(ff_expr *expr);
/* Makes *out a copy of its own. The caller frees its contents with ff_expr_free(). O(length). */
ff_status ff_expr_copy(ff_expr *out, const ff_expr *expr, ff_error *err);

/* The index of the word after the operation at `at`. The data of a table is skipped. O(1). */
uint32_t ff_expr_next(const ff_expr *expr, uint32_t at);

/* The value of an expression in one state, 0 or 1. Bit i of word i / 32 of `state` is node i. The caller provides `stack`,
 * which needs expr->depth bytes. O(length). */
int ff_expr_value(const ff_expr *expr, const uint32_t *state, uint8_t *stack);

/* The values that an expression may have if each node i may have the values can[i]: 1 is the value 0, 2 the value 1, and 3 both.
 * The result is in the same form. All values that occur are in it. It may contain a value that does not occur, because each
 * occurrence of a node is considered by itself: A & !A may be 1. The caller provides `stack`, which needs expr->depth bytes.
 * O(length), and O(2^k) for a table of which k inputs may have both values. */
uint8_t ff_expr_possible(const ff_expr *expr, const uint8_t *can, uint8_t *stack);

/* The nodes that the expression names, in ascending order and without repeats, in a new array that the caller frees. O(length
 * log length). */
ff_status ff_expr_parents(const ff_expr *expr, uint32_t **parents, uint32_t *n_parents, ff_error *err);

/* The truth table over n <= FF_X_MAX_TABLE parents, where parents[0] is the LEAST significant bit of the row number. *table
 * is a new array of max(1, 2^n / 32) words that the caller frees. Fails with FF_EARGUMENT if the expression names another
 * node. O(2^n / 32 * length), and a table in the expression counts 32 times its inputs. */
ff_status ff_expr_table(const ff_expr *expr, const uint32_t *parents, uint32_t n, uint32_t **table, ff_error *err);

/* Makes a new expression in which node v is replaced by node map[v], or by a constant if map[v] is FF_MAP_0 or FF_MAP_1.
 * Constants are then folded away. Fails with FF_EMODEL if map[v] is another negative number and v occurs. The caller frees
 * the contents of *out with ff_expr_free(). O(length). */
#define FF_MAP_0 (-2)
#define FF_MAP_1 (-3)
ff_status ff_expr_remap(ff_expr *out, const ff_expr *expr, const int64_t *map, ff_error *err);

/* The text of an expression in the grammar above, as a new terminated string that the caller frees. It has the fewest
 * parentheses from which ff_expr_parse() makes the same code again. If `tables` is 0, the text uses only !, &, | and
 * parentheses, for formats that have nothing else: tables, exclusive ors and everything within them are written as
 * irredundant sums of products, and !! is dropped. Then it fails with FF_EMODEL if an exclusive or has more than
 * FF_X_MAX_TABLE nodes. O(length of the text), and at worst O(4^k) for a sum of products over k nodes. */
ff_status ff_expr_text(char **out, const ff_expr *expr, char *const *names, int tables, ff_error *err);

/* ---- names and texts --------------------------------------------------------------------------------------------- */

/* 1 if a name can be written in an expression without quotes, else 0. O(length). */
int ff_name_is_plain(const char *name, size_t length);

/* The quote that must surround a name in an expression: "" for a plain name, else "\"", or "`" for a name that contains a
 * double quote. A constant string. O(length of the name). */
const char *ff_name_quote(const char *name);

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* Makes a network of n nodes. All arrays are allocated except predictors and contexts. Names are NULL, all nodes are
 * perturbed, and all initial values are -1. The caller frees *out with ff_pbn_free(). O(n). */
ff_status ff_pbn_new(ff_pbn **out, uint32_t n_nodes, ff_error *err);

/* Allocates first[n_nodes] zeroed predictor functions, which the caller fills. first[] must be complete and must not change
 * afterwards. */
ff_status ff_pbn_new_predictors(ff_pbn *pbn, ff_error *err);

/* Allocates m contexts whose probabilities and selections are 0. Earlier contexts are freed. O(m * nodes). */
ff_status ff_pbn_new_contexts(ff_pbn *pbn, uint32_t m, ff_error *err);
/* Frees a network and all that it owns. Accepts NULL. */
void ff_pbn_free(ff_pbn *pbn);

/* Completes a network that has been filled: checks all that the comments at the struct state (unique names, probabilities,
 * indices), normalises the selection and context probabilities, and fills in the parents. Unless `normalise` is 1, a sum that
 * differs from 1 by more than 1e-6 is an error; otherwise any positive sum is accepted. O(size of the network), on average. */
ff_status ff_pbn_finish(ff_pbn *pbn, int normalise, ff_error *err);

/* Two roles of nodes in a network that ff_pbn_finish() has completed. A predictor function is judged by its values: A & A and
 * f(A){01} are the own value of A, and A | !A is the constant 1. A function that names other nodes is neither, whatever its
 * values are.
 *
 * A held node keeps a value that is known from the start: it is not perturbed (exempt, or p = 0), its initial value is 0 or
 * 1, and each of its predictor functions is its own value or the constant with that value. held[i] is the value, or -1 if
 * node i is not held.
 *
 * An input keeps its value until a perturbation flips it: each of its predictor functions is its own value. input[i] is 1 for
 * an input, else 0.
 *
 * The caller provides held[] and input[] with an entry for each node. Both functions take O(size of the network) time and
 * O(nodes) memory, and fail only if there is no memory.
 */
ff_status ff_pbn_held(int8_t *held, const ff_pbn *pbn, ff_error *err);
ff_status ff_pbn_inputs(uint8_t *input, const ff_pbn *pbn, ff_error *err);

/* Adds to can[], in the form of ff_expr_possible(), the values that nodes may have at any later time, so that no trajectory
 * leaves these values. Perturbed nodes may have both. If this does not settle in 64 sweeps over the functions, all nodes may
 * have both. O(length of all functions) for a sweep, and usually a few sweeps. */
ff_status ff_pbn_possible(uint8_t *can, const ff_pbn *pbn, ff_error *err);

/* Signs of arrows. FF_SIGN_UP: in some state of the other parents, changing the parent from 0 to 1 changes a predictor
 * function of the child from 0 to 1. FF_SIGN_DOWN: it changes one from 1 to 0. So FF_SIGN_UP alone is an activator,
 * FF_SIGN_DOWN alone is an inhibitor, and 0 is a parent that is named but has no effect. Functions of up to FF_X_MAX_TABLE
 * parents are judged by their truth tables. Larger ones are judged by the written expression: a parent that occurs only under
 * an even number of negations, or only under an odd number, gets the one sign that is possible. Any other parent gets
 * FF_SIGN_UNKNOWN.
 *
 * The arrows must be sorted by (to, from) without repeats, as ff_pbn_arrows() of pbn/ returns them. The caller provides
 * sign[] with an entry for each arrow. A function of k parents takes O(2^k / 32 * (length + k)) time and the memory of one
 * truth table. Fails only if there is no memory.
 */
enum { FF_SIGN_UP = 1, FF_SIGN_DOWN = 2, FF_SIGN_UNKNOWN = 4 };
ff_status ff_pbn_signs(uint8_t *sign, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, size_t n_arrows,
                       ff_error *err);

/* Density as defined by Mizera et al.: the number of parents of all predictor functions, divided by the number of nodes.
 * O(number of predictor functions). */
double ff_pbn_density(const ff_pbn *pbn);

#endif
