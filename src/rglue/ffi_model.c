/* Converts the R object of class "pbn" to an ff_pbn and back. */
#include "ffi_values.h"

#include <stdlib.h>
#include <string.h>

static void finalize_pbn(SEXP holder) {
  ff_pbn_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

SEXP ffi_pbn_holder(void) { return ffi_pointer(finalize_pbn, 0, R_NilValue); }

/* ---- from R --------------------------------------------------------------------------------------------------------
 *   Calls of R that can jump come first; their results lie in R's memory or behind the holder. Only then does the core allocate.
 */

/* Raises an error that describes the whole value x as what was found. */
static void stop_shape(const char *what, const char *wanted, SEXP x) {
  ffi_stop_found(FFI_PBN, what, wanted, ffi_described(x).text);
}

static ff_update update_of(SEXP update) {
  const char *word = TYPEOF(update) == STRSXP && Rf_xlength(update) == 1 ? CHAR(STRING_ELT(update, 0)) : "";
  if (strcmp(word, "synchronous") != 0 && strcmp(word, "asynchronous") != 0)
    stop_shape("update", "\"synchronous\" or \"asynchronous\"", update);
  return word[0] == 'a' ? FF_ASYNCHRONOUS : FF_SYNCHRONOUS;
}

/* Checks that x has numbers: n of them, or any number if n is negative. */
static void need_numbers(SEXP x, R_xlen_t n, const char *what, const char *wanted) {
  if (!ffi_is_number(x) || (n >= 0 && Rf_xlength(x) != n)) stop_shape(what, wanted, x);
}

/* Raises an error unless x is NULL or has n numbers, each 0 or 1, or NA if it may be `missing`. */
static void need_bits(SEXP x, R_xlen_t n, int missing, const char *what, const char *wanted) {
  char all[120];
  snprintf(all, sizeof all, "%s for each node (%lld in all)", wanted, (long long)n);
  if (x == R_NilValue) return;
  need_numbers(x, n, what, all);
  for (R_xlen_t i = 0; i < n; i++)
    if (!missing || !ISNAN(ffi_number_at(x, i))) ffi_count_at(x, i, 0, 1, FFI_PBN, what, all);
}

static void check_contexts(SEXP contexts, R_xlen_t n_nodes) {
  static const char *const matrix = "a matrix with a row for each context and a column for each node";
  if (contexts == R_NilValue) return;
  if (TYPEOF(contexts) != VECSXP) stop_shape("contexts", "NULL, or a list of `probability` and `predictor`", contexts);
  SEXP probability = ffi_element(contexts, "probability"), predictor = ffi_element(contexts, "predictor");
  need_numbers(probability, -1, "contexts$probability", "one number for each context");
  need_numbers(predictor, -1, "contexts$predictor", matrix);
  const R_xlen_t m = Rf_xlength(probability);
  if (m < 1 || m > INT32_MAX)
    stop_shape("contexts$probability", "one number for each of 1 to 2^31 - 1 contexts", probability);
  if (Rf_xlength(predictor) / m != n_nodes || Rf_xlength(predictor) % m != 0 || !Rf_isMatrix(predictor)) {
    char sized[160], found[40];
    snprintf(sized, sizeof sized, "%s, %lld x %lld in all", matrix, (long long)m, (long long)n_nodes);
    snprintf(found, sizeof found, "length %lld", (long long)Rf_xlength(predictor));
    ffi_stop_found(FFI_PBN, "contexts$predictor", sized, found);
  }
}

static void check_rules(SEXP rules, R_xlen_t n_nodes) {
  if (TYPEOF(rules) != VECSXP) stop_shape("rules", "a data frame of node, predictor and probability", rules);
  SEXP node = ffi_element(rules, "node"), predictor = ffi_element(rules, "predictor");
  SEXP probability = ffi_element(rules, "probability");
  ffi_typed(predictor, STRSXP, -1, FFI_PBN, "rules$predictor", "predictor functions as text");
  const R_xlen_t n = Rf_xlength(predictor);
  need_numbers(node, -1, "rules$node", "numbers of nodes");
  need_numbers(probability, -1, "rules$probability", "numbers");
  need_numbers(node, n, "rules$node", "as long as `rules$predictor`");
  need_numbers(probability, n, "rules$probability", "as long as `rules$predictor`");
  if (n > (R_xlen_t)UINT32_MAX) stop_shape("rules$predictor", "at most 2^32 - 1 predictor functions", predictor);
  for (R_xlen_t r = 0, before = 1; r < n; r++)
    before = ffi_count_at(node, r, (double)before, (double)n_nodes, FFI_PBN, "rules$node", "numbers of nodes, from 1, ascending");
}

/* Checks the types and lengths of all parts, and the numbers of nodes. O(size of the list). */
static void check_parts(SEXP model) {
  if (TYPEOF(model) != VECSXP || !Rf_inherits(model, "pbn")) {
    ff_error err;
    ff_error_set(&err, FF_EARGUMENT,
                 "a network must be an object of class \"pbn\", as pbn() and read_network() make them; found one of type \"%s\" "
                 "without this class", Rf_type2char((SEXPTYPE)TYPEOF(model)));
    ffi_stop(&err);
  }
  SEXP nodes = ffi_typed(ffi_element(model, "nodes"), STRSXP, -1, FFI_PBN, "nodes", "the nodes' names");
  SEXP removed = ffi_element(model, "removed"), perturbation = ffi_element(model, "perturbation");
  const R_xlen_t n = Rf_xlength(nodes);
  if (n < 1 || n > (R_xlen_t)FF_X_MAX_OPERAND) stop_shape("nodes", "the names of 1 to 2^28 - 1 nodes", nodes);
  check_rules(ffi_element(model, "rules"), n);
  need_numbers(perturbation, 1, "perturbation", "one number");
  need_bits(ffi_element(model, "exempt"), n, 0, "exempt", "one TRUE or FALSE");
  need_bits(ffi_element(model, "initial"), n, 1, "initial", "0, 1 or NA");
  update_of(ffi_element(model, "update"));
  if (removed != R_NilValue) need_numbers(removed, 2, "removed", "two counts, of nodes and of perturbed nodes");
  check_contexts(ffi_element(model, "contexts"), n);
}

static void fill_settings(ff_pbn *pbn, SEXP model) {
  static const char *const counts = "two counts, of nodes and of perturbed nodes";
  SEXP exempt = ffi_element(model, "exempt"), initial = ffi_element(model, "initial"), removed = ffi_element(model, "removed");
  pbn->perturbation = ffi_number_at(ffi_element(model, "perturbation"), 0);
  pbn->update = update_of(ffi_element(model, "update"));
  for (uint32_t i = 0; i < pbn->n_nodes && exempt != R_NilValue; i++) pbn->perturbed[i] = ffi_number_at(exempt, i) == 0;
  for (uint32_t i = 0; i < pbn->n_nodes && initial != R_NilValue; i++) {
    const double value = ffi_number_at(initial, i);
    pbn->initial[i] = ISNAN(value) ? -1 : (int8_t)value;
  }
  if (removed == R_NilValue) return;
  pbn->removed_nodes = ffi_count_at(removed, 0, 0, FF_X_MAX_OPERAND, FFI_PBN, "removed", counts);
  pbn->removed_perturbed = ffi_count_at(removed, 1, 0, FF_X_MAX_OPERAND, FFI_PBN, "removed", counts);
}

static void fill_contexts(ff_pbn *pbn, SEXP model) {
  static const char *const numbers = "numbers of predictor functions, from 1";
  SEXP contexts = ffi_element(model, "contexts");
  if (contexts == R_NilValue) return;
  SEXP probability = ffi_element(contexts, "probability"), predictor = ffi_element(contexts, "predictor");
  const R_xlen_t m = Rf_xlength(probability);
  ff_error err;
  ffi_check(ff_pbn_new_contexts(pbn, (uint32_t)m, &err), &err);
  for (R_xlen_t c = 0; c < m; c++) {
    pbn->context_probability[c] = ffi_number_at(probability, c);
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      pbn->context[(size_t)c * pbn->n_nodes + i] =
          ffi_count_at(predictor, c + (R_xlen_t)i * m, 1, UINT32_MAX, FFI_PBN, "contexts$predictor", numbers) - 1;
  }
}

/* Sets first[] from the rules' nodes and allocates the predictors. */
static void fill_first(ff_pbn *pbn, SEXP node, SEXP probability) {
  R_xlen_t n = Rf_xlength(node);
  for (R_xlen_t r = 0; r < n; r++) pbn->first[(uint32_t)ffi_number_at(node, r)]++;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) pbn->first[i + 1] += pbn->first[i];
  ff_error err;
  ffi_check(ff_pbn_new_predictors(pbn, &err), &err);
  for (R_xlen_t r = 0; r < n; r++) pbn->predictors[r].probability = ffi_number_at(probability, r);
}

/* Parses the rules. Calls nothing of R. */
static ff_status parse_rules(ff_pbn *pbn, const char **texts, ff_error *err) {
  ff_names *names;
  ff_status status = ff_names_new(&names, pbn->names, pbn->n_nodes, "nodes", err);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < pbn->n_nodes && status == FF_OK; i++) {
    for (uint32_t r = pbn->first[i]; r < pbn->first[i + 1] && status == FF_OK; r++) {
      size_t length = strlen(texts[r]);
      ff_expr *expr = &pbn->predictors[r].expr;
      status = ff_expr_parse(expr, texts[r], length, ff_names_find, names, (ff_place){NULL, 0}, err);
      if (status != FF_EPARSE) continue;
      char file[FF_QUOTE_SIZE + 8] = "node "; /* parses again, so that the message names the function's node */
      strcat(file, ff_quote(pbn->names[i], strlen(pbn->names[i])).text);
      status = ff_expr_parse(expr, texts[r], length, ff_names_find, names, (ff_place){file, 0}, err);
    }
  }
  ff_names_free(names);
  return status;
}

SEXP ffi_pbn_hold(SEXP model, ff_pbn **out) {
  check_parts(model);
  SEXP nodes = ffi_element(model, "nodes"), rules = ffi_element(model, "rules");
  const char **names = ffi_texts(nodes, -1, 0, FFI_PBN, "nodes", "the nodes' names");
  SEXP predictor = ffi_element(rules, "predictor");
  const char **texts = ffi_texts(predictor, -1, 0, FFI_PBN, "rules$predictor", "predictor functions as text");
  SEXP holder = PROTECT(ffi_pbn_holder());
  ff_error err;
  ff_pbn *pbn;
  ffi_check(ff_pbn_new(&pbn, (uint32_t)Rf_xlength(nodes), &err), &err);
  R_SetExternalPtrAddr(holder, pbn);
  fill_settings(pbn, model);
  fill_first(pbn, ffi_element(rules, "node"), ffi_element(rules, "probability"));
  fill_contexts(pbn, model);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) ffi_check(ff_name_copy(&pbn->names[i], names[i], &err), &err);
  ffi_check(parse_rules(pbn, texts, &err), &err);
  ffi_check(ff_pbn_finish(pbn, 0, &err), &err);
  *out = pbn;
  UNPROTECT(1);
  return holder;
}

/* Raises an error unless R can work with the parts of a network; the core need not accept it. Returns NULL. O(size of the
 * list). */
SEXP ffi_pbn_parts(SEXP model) {
  static const char *const columns[] = {"node", "probability"}, *const parts[] = {"rules$node", "rules$probability"};
  static const char *const counts = "two counts, of nodes and of perturbed nodes";
  check_parts(model);
  const R_xlen_t n = Rf_xlength(ffi_element(model, "nodes"));
  SEXP rules = ffi_element(model, "rules"), removed = ffi_element(model, "removed");
  if (!Rf_inherits(rules, "data.frame")) stop_shape("rules", "a data frame of node, predictor and probability", rules);
  for (int i = 0; i < 2; i++) { /* R's functions take no logical numbers here */
    SEXP column = ffi_element(rules, columns[i]);
    if (TYPEOF(column) == LGLSXP) stop_shape(parts[i], "numbers", column);
  }
  need_numbers(ffi_element(model, "exempt"), n, "exempt", "one TRUE or FALSE for each node");
  need_numbers(ffi_element(model, "initial"), n, "initial", "0, 1 or NA for each node");
  need_numbers(removed, 2, "removed", counts);
  for (int i = 0; i < 2; i++) ffi_count_at(removed, i, 0, FF_X_MAX_OPERAND, FFI_PBN, "removed", counts);
  ff_error err;
  if (ISNAN(ffi_number_at(ffi_element(model, "perturbation"), 0)))
    ffi_check(ff_error_set(&err, FF_EMODEL, "the perturbation is NaN; expected a number in [0, 1)"), &err);
  return R_NilValue;
}

/* ---- to R --------------------------------------------------------------------------------------------------------- */

static SEXP predictor_texts(const ff_pbn *pbn) {
  uint32_t n = pbn->first[pbn->n_nodes];
  SEXP texts = PROTECT(Rf_allocVector(STRSXP, n));
  SEXP holder = PROTECT(ffi_pointer(ffi_free_text, 0, R_NilValue)); /* frees the text if R fails to copy it */
  for (uint32_t r = 0; r < n; r++) {
    ff_error err;
    char *text;
    ffi_check(ff_expr_text(&text, &pbn->predictors[r].expr, pbn->names, 1, &err), &err);
    R_SetExternalPtrAddr(holder, text);
    if (strlen(text) > INT32_MAX)
      ffi_check(ff_error_set(&err, FF_ESIZE, "a predictor function has more text than R's strings take"), &err);
    SET_STRING_ELT(texts, r, Rf_mkCharCE(text, CE_UTF8));
    ffi_free_text(holder);
  }
  UNPROTECT(2);
  return texts;
}

static SEXP rules_frame(const ff_pbn *pbn) {
  static const char *const names[] = {"node", "predictor", "probability"};
  uint32_t n = pbn->first[pbn->n_nodes];
  if (n > INT32_MAX) {
    ff_error err;
    ffi_check(ff_error_set(&err, FF_ESIZE, "%u predictor functions are more than a data frame has rows", n), &err);
  }
  SEXP frame = PROTECT(ffi_list(3, names));
  SET_VECTOR_ELT(frame, 0, Rf_allocVector(INTSXP, n));
  SET_VECTOR_ELT(frame, 1, predictor_texts(pbn));
  SET_VECTOR_ELT(frame, 2, Rf_allocVector(REALSXP, n));
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    for (uint32_t r = pbn->first[i]; r < pbn->first[i + 1]; r++) {
      INTEGER(VECTOR_ELT(frame, 0))[r] = (int)i + 1;
      REAL(VECTOR_ELT(frame, 2))[r] = pbn->predictors[r].probability;
    }
  }
  SEXP rows = PROTECT(Rf_allocVector(INTSXP, 2)); /* R's compact form of the row names 1..n */
  INTEGER(rows)[0] = NA_INTEGER;
  INTEGER(rows)[1] = -(int)n;
  Rf_setAttrib(frame, R_RowNamesSymbol, rows);
  Rf_setAttrib(frame, R_ClassSymbol, Rf_mkString("data.frame"));
  UNPROTECT(2);
  return frame;
}

static SEXP contexts_list(const ff_pbn *pbn) {
  static const char *const names[] = {"probability", "predictor"};
  if (pbn->n_contexts == 0) return R_NilValue;
  if (pbn->n_contexts > INT32_MAX) {
    ff_error err;
    ffi_check(ff_error_set(&err, FF_ESIZE, "%u contexts are more than a matrix has rows", pbn->n_contexts), &err);
  }
  SEXP list = PROTECT(ffi_list(2, names));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, pbn->n_contexts));
  SET_VECTOR_ELT(list, 1, Rf_allocMatrix(INTSXP, (int)pbn->n_contexts, (int)pbn->n_nodes));
  int *predictor = INTEGER(VECTOR_ELT(list, 1));
  for (uint32_t c = 0; c < pbn->n_contexts; c++) {
    REAL(VECTOR_ELT(list, 0))[c] = pbn->context_probability[c];
    for (uint32_t i = 0; i < pbn->n_nodes; i++)
      predictor[c + (size_t)i * pbn->n_contexts] = (int)pbn->context[(size_t)c * pbn->n_nodes + i] + 1;
  }
  UNPROTECT(1);
  return list;
}

SEXP ffi_pbn_list(const ff_pbn *pbn) {
  static const char *const names[] = {"nodes",  "rules",    "perturbation", "exempt", "initial",
                                      "update", "contexts", "removed"};
  static const char *const removed_names[] = {"nodes", "perturbed"};
  SEXP list = PROTECT(ffi_list(8, names));
  SEXP nodes = Rf_allocVector(STRSXP, pbn->n_nodes);
  SET_VECTOR_ELT(list, 0, nodes);
  for (uint32_t i = 0; i < pbn->n_nodes; i++) SET_STRING_ELT(nodes, i, Rf_mkCharCE(pbn->names[i], CE_UTF8));
  SET_VECTOR_ELT(list, 1, rules_frame(pbn));
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal(pbn->perturbation));
  SET_VECTOR_ELT(list, 3, Rf_allocVector(LGLSXP, pbn->n_nodes));
  SET_VECTOR_ELT(list, 4, Rf_allocVector(INTSXP, pbn->n_nodes));
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    LOGICAL(VECTOR_ELT(list, 3))[i] = pbn->perturbed[i] == 0;
    INTEGER(VECTOR_ELT(list, 4))[i] = pbn->initial[i] < 0 ? NA_INTEGER : pbn->initial[i];
  }
  SET_VECTOR_ELT(list, 5, Rf_mkString(pbn->update == FF_ASYNCHRONOUS ? "asynchronous" : "synchronous"));
  SET_VECTOR_ELT(list, 6, contexts_list(pbn));
  SEXP removed = Rf_allocVector(INTSXP, 2);
  SET_VECTOR_ELT(list, 7, removed);
  INTEGER(removed)[0] = (int)pbn->removed_nodes;
  INTEGER(removed)[1] = (int)pbn->removed_perturbed;
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, 2));
  for (int i = 0; i < 2; i++) SET_STRING_ELT(labels, i, Rf_mkChar(removed_names[i]));
  Rf_setAttrib(removed, R_NamesSymbol, labels);
  UNPROTECT(2);
  return list;
}
