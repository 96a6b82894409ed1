/* The model of a probabilistic Boolean network and the Boolean expressions it is made of. Knows base/ alone.
 *
 * An expression is postfix code in one array of words: an opcode in the top 4 bits, an operand in the low 28.
 * FF_X_TABLE pops its k inputs, the k FF_X_VAR words right before it (the first is the most significant bit of the row
 * number, the convention of BoolNet), and is followed by max(1, 2^k / 32) words of data, row r being bit r % 32 of word
 * r / 32 and unused bits 0. Walk code with ff_expr_next.
 */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "../base/ff_names.h"

typedef uint32_t ff_op;
enum { FF_X_CONST, FF_X_VAR, FF_X_NOT, FF_X_AND, FF_X_OR, FF_X_XOR, FF_X_TABLE };
#define FF_X_OPERAND_BITS 28
#define FF_X_MAX_OPERAND ((UINT32_C(1) << FF_X_OPERAND_BITS) - 1)
#define FF_X_MAX_TABLE 16 /* inputs of a truth table; wider predictors are expressions */
#define FF_X_OP(code, operand) (((ff_op)(code) << FF_X_OPERAND_BITS) | (ff_op)(operand))
#define FF_X_CODE(op) ((op) >> FF_X_OPERAND_BITS)
#define FF_X_OPERAND(op) ((op)&FF_X_MAX_OPERAND)

typedef struct {
  ff_op *code;     /* NULL when empty */
  uint32_t length; /* words, table data included */
  uint32_t depth;  /* largest number of values on the stack */
} ff_expr;

typedef struct {
  ff_expr expr;
  double probability; /* selection probability, > 0; those of a node sum to 1 (set to 1 in a dependent network) */
  uint32_t *parents;  /* the nodes that the expression names, ascending, each once */
  uint32_t n_parents;
} ff_predictor;

typedef enum { FF_SYNCHRONOUS, FF_ASYNCHRONOUS } ff_update;

/* A probabilistic Boolean network. Everything is owned by the struct. */
typedef struct {
  uint32_t n_nodes;
  char **names;
  uint32_t *first; /* n_nodes + 1 entries: node i's predictor functions are predictors[first[i]] .. [first[i+1] - 1] */
  ff_predictor *predictors;
  double perturbation; /* p in [0, 1) */
  uint8_t *perturbed;  /* per node: 1 = flips with probability p, 0 = exempt */
  int8_t *initial;     /* per node: 0, 1, or -1 = drawn at random */
  ff_update update;
  uint32_t n_contexts;         /* 0: an independent network, every node draws its own predictor */
  double *context_probability; /* n_contexts, summing to 1 */
  uint32_t *context;           /* n_contexts x n_nodes, row by row: which of the node's predictors (from 0) */
  uint32_t removed_nodes;      /* what a reduction took away: still drawn from in asynchronous mode ... */
  uint32_t removed_perturbed;  /* ... and still perturbed: lambda = (1 - p)^removed_perturbed */
} ff_pbn;

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* Looks a name up: the node's index, -1 where there is none, or -2 without memory. `context` is the caller's. */
typedef int64_t (*ff_lookup)(void *context, const char *name, size_t length);

/* Where a text stands, for messages: "file.pbn, line 12"; NULL where the text speaks for itself. */
typedef struct {
  const char *file; /* printed as it is, so free of control characters */
  uint64_t line; /* from 1; 0 where there is none */
} ff_place;

/* Parses a predictor function or a state set: names, 0, 1, true, false, ! ~ not, & && * and, | || + or, ^ xor, parentheses
 * (not binds tighter than and, and than xor, xor than or), and a truth table f(a, b, c){01101001} with the first name the
 * most significant. A name is [A-Za-z_.] followed by [A-Za-z0-9_.-]* or other bytes >= 0x80 (a '-' only inside a name), or
 * any text within double quotes or backquotes; a word that starts with a digit and is not 0 or 1 is taken for a name too.
 * Words such as `and` are operators in any case of letters, and names within quotes. Any depth of nesting: the stack is on
 * the heap. The only name that `f (` can mean is a table. On failure *out is empty. Where `lookup` is ff_names_find, the message
 * on an unknown name says which one was perhaps meant. O(length). */
ff_status ff_expr_parse(ff_expr *out, const char *text, size_t length, ff_lookup lookup, void *context, ff_place place,
                        ff_error *err);
void ff_expr_free(ff_expr *expr);
ff_status ff_expr_copy(ff_expr *out, const ff_expr *expr, ff_error *err);

/* Index of the word after the operation at `at`, table data skipped. */
uint32_t ff_expr_next(const ff_expr *expr, uint32_t at);

/* The value in one state: bit i of word i / 32 is node i. `stack` has expr->depth bytes. O(length). */
int ff_expr_value(const ff_expr *expr, const uint32_t *state, uint8_t *stack);

/* The nodes named, ascending and each once, in a new array that the caller frees. O(length log length). */
ff_status ff_expr_parents(const ff_expr *expr, uint32_t **parents, uint32_t *n_parents, ff_error *err);

/* The truth table over `parents` (n <= FF_X_MAX_TABLE of them, parents[0] the LEAST significant bit of the row number):
 * max(1, 2^n / 32) words in a new array that the caller frees. O(2^n / 64 * length). */
ff_status ff_expr_table(const ff_expr *expr, const uint32_t *parents, uint32_t n, uint32_t **table, ff_error *err);

/* A new expression in which every node v reads as map[v], or as the constant 0/1 where map[v] is -2/-3 (FF_MAP_0/1);
 * constants are folded away. map[v] = -1 for a node that occurs is FF_EMODEL. */
#define FF_MAP_0 (-2)
#define FF_MAP_1 (-3)
ff_status ff_expr_remap(ff_expr *out, const ff_expr *expr, const int64_t *map, ff_error *err);

/* The text of an expression in the grammar above, with the fewest parentheses from which ff_expr_parse makes the same code
 * again, in a new terminated string that the caller frees. When `tables` is 0, for formats that know no more than ! & |
 * and parentheses, tables and what hangs from a ^ are written as irredundant sums of products and !! is left out; FF_EMODEL
 * where more than FF_X_MAX_TABLE nodes hang from one ^. O(length of the text), and O(4^k) at worst for a sum. */
ff_status ff_expr_text(char **out, const ff_expr *expr, char *const *names, int tables, ff_error *err);

/* ---- names and texts --------------------------------------------------------------------------------------------- */

/* 1 where a name may stand in an expression without quotes, else 0. */
int ff_name_is_plain(const char *name, size_t length);

/* The quote that stands before and after a name in an expression: "" for a plain name, else "\"", or "`" for a name that has a
 * double quote in it. A constant text. O(length of the name). */
const char *ff_name_quote(const char *name);

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* An empty network with room for n nodes: all arrays there, no predictor yet, all perturbed, initial -1. */
ff_status ff_pbn_new(ff_pbn **out, uint32_t n_nodes, ff_error *err);

/* Once first[] is filled, not to change again: makes the first[n_nodes] zeroed predictors, to be filled next. */
ff_status ff_pbn_new_predictors(ff_pbn *pbn, ff_error *err);

/* Makes room for m contexts (probabilities and selections 0). */
ff_status ff_pbn_new_contexts(ff_pbn *pbn, uint32_t m, ff_error *err);
void ff_pbn_free(ff_pbn *pbn);

/* Checks every promise written at the struct (unique names, probabilities, indices), normalises selection and context
 * probabilities (sums within 1e-6 of 1 unless `normalise`, which takes any positive sum), fills in parents. To be called
 * once a model is filled. O(size). */
ff_status ff_pbn_finish(ff_pbn *pbn, int normalise, ff_error *err);

/* Two roles of nodes, of a network that ff_pbn_finish has passed. A predictor function counts for them by its values: A & A and
 * f(A){01} are A's own value, A | !A is the constant 1. One that names other nodes too is neither, whatever its values are.
 * Both functions fill one entry a node and take O(size of the network) time and O(nodes) memory; only memory can fail them.
 *
 * A held node keeps a value that is known from the start: it is not perturbed (exempt, or p = 0), it has a definite initial
 * value, and every predictor function of it is its own value or that constant. held[i] is the value, 0 or 1, or -1 for a node
 * that is not held.
 *
 * An input keeps its value until a perturbation flips it: every predictor function of it is its own value. input[i] is 1 for
 * an input, else 0. */
ff_status ff_pbn_held(int8_t *held, const ff_pbn *pbn, ff_error *err);
ff_status ff_pbn_inputs(uint8_t *input, const ff_pbn *pbn, ff_error *err);

/* Signs of arrows. FF_SIGN_UP: in some state of the other parents, raising the parent from 0 to 1 raises a predictor function of
 * the child; FF_SIGN_DOWN: it lowers one. So FF_SIGN_UP alone is an activator, FF_SIGN_DOWN alone an inhibitor, and 0 a parent that
 * is named and never matters. Functions of up to FF_X_MAX_TABLE parents are judged by their truth tables. Of a larger one the
 * written expression is looked at: a parent that occurs without negation only (or with one only) has that sign, which it
 * cannot contradict; any other gets FF_SIGN_UNKNOWN.
 *
 * Fills sign[], the caller's, one entry an arrow. The arrows are sorted by (to, from), each once (ff_pbn_arrows() of pbn/ makes
 * them so). Takes O(2^k / 32 * (length + k)) time for a function of k parents, and memory for one truth table; only memory can
 * fail it. */
enum { FF_SIGN_UP = 1, FF_SIGN_DOWN = 2, FF_SIGN_UNKNOWN = 4 };
ff_status ff_pbn_signs(uint8_t *sign, const ff_pbn *pbn, const uint32_t *from, const uint32_t *to, size_t n_arrows,
                       ff_error *err);

/* Density as in Mizera et al.: number of parents over all predictor functions, divided by nodes. */
double ff_pbn_density(const ff_pbn *pbn);

#endif
