/* Reads a model of SBML-qual: Level 3, qual Version 1, with species that have the levels 0 and 1. */
#include "ff_io_sbml_math.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  ff_build build;
  QualModelPlugin_t *model;
  uint64_t *set_on; /* for each species: the line of the transition that has it as output, or 0 if there is none */
  int8_t *initial;
  ff_error *err;
} reader;

static ff_place place_of(const reader *r, const void *element) { return (ff_place){r->build.file, SBase_getLine(element)}; }

/* "FILE, line N: found THING NAME with WORD = LEVEL where WANTED was expected" */
static ff_status found_level(const reader *r, const void *element, const char *thing, const char *name, const char *word,
                             int level, const char *expected) {
  ff_quoted shown = {""};
  if (name != NULL) shown = ff_quote(name, strlen(name));
  ff_place place = place_of(r, element);
  return ff_error_set(r->err, FF_EPARSE, "%s, line %llu: found a %s%s%s with %s = %d where %s was expected", place.file,
                      (unsigned long long)place.line, thing, name != NULL ? " " : "", shown.text, word, level, expected);
}

/* The same for something that has no text of its own to quote. */
static ff_status found_kind(const reader *r, ff_place place, const char *found, const char *expected) {
  return ff_error_set(r->err, FF_EPARSE, "%s, line %llu: found %s where %s was expected", place.file,
                      (unsigned long long)place.line, found, expected);
}

/* ---- species ---- */

static ff_status read_one_species(reader *r, QualitativeSpecies_t *species) {
  static const char levels[] = "a species with the levels 0 and 1";
  const char *id = SBase_getIdAttribute((const SBase_t *)species); /* QualitativeSpecies_getId() would make a copy */
  if (ff_span_of(id).length == 0)
    return ff_io_found(r->err, place_of(r, species), (ff_span){"", 0}, "the id of a qualitativeSpecies");
  if (QualitativeSpecies_isSetMaxLevel(species)) {
    int level = QualitativeSpecies_getMaxLevel(species);
    if (level != 0 && level != 1) return found_level(r, species, "species", id, "maxLevel", level, levels);
  }
  uint32_t node;
  int is_new;
  ff_status status = ff_build_node(&r->build, ff_span_of(id), &node, &is_new);
  if (status != FF_OK) return status;
  if (!is_new) return ff_io_found(r->err, place_of(r, species), ff_span_of(id), "an id that no other species has");
  r->initial[node] = -1;
  if (!QualitativeSpecies_isSetInitialLevel(species)) return FF_OK;
  int level = QualitativeSpecies_getInitialLevel(species);
  if (level != 0 && level != 1) return found_level(r, species, "species", id, "initialLevel", level, levels);
  r->initial[node] = (int8_t)level;
  return FF_OK;
}

static QualitativeSpecies_t *species_at(const reader *r, unsigned i) {
  return (QualitativeSpecies_t *)QualModelPlugin_getQualitativeSpecies(r->model, i);
}

static ff_status read_species(reader *r, const Model_t *model) {
  unsigned n = QualModelPlugin_getNumQualitativeSpecies(r->model);
  if (n == 0) return ff_io_found(r->err, place_of(r, model), (ff_span){"", 0}, "a qualitativeSpecies");
  r->set_on = ff_calloc(n, sizeof *r->set_on);
  r->initial = ff_calloc(n, sizeof *r->initial);
  if (r->set_on == NULL || r->initial == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for %u nodes", n);
  ff_status status = FF_OK;
  for (unsigned i = 0; i < n && status == FF_OK; i++) status = read_one_species(r, species_at(r, i));
  return status;
}

/* ---- transitions ---- */

/* libsbml's C functions give access to the default term only through the list of all elements. */
static ff_status read_default(const reader *r, Transition_t *transition, int *level) {
  List_t *elements = SBase_getAllElements((SBase_t *)Transition_getListOfFunctionTerms(transition));
  DefaultTerm_t *term = NULL;
  unsigned n = elements == NULL ? 0 : List_size(elements);
  for (unsigned i = 0; i < n; i++) {
    SBase_t *element = List_get(elements, i);
    if (SBase_getTypeCode(element) == SBML_QUAL_DEFAULT_TERM && strcmp(SBase_getElementName(element), "defaultTerm") == 0)
      term = (DefaultTerm_t *)element;
  }
  if (elements != NULL) List_free(elements);
  if (term == NULL) return found_kind(r, place_of(r, transition), "a transition without a defaultTerm", "one with it");
  *level = DefaultTerm_isSetResultLevel(term) ? DefaultTerm_getResultLevel(term) : -1;
  if (*level == 0 || *level == 1) return FF_OK;
  return found_level(r, term, "defaultTerm", NULL, "resultLevel", *level, "the level 0 or 1");
}

/* Combines the terms in their order; the first that holds determines the value. The result is t1 op (t2 op (t3 ...)). If the
 * level of a term is 1, op is |; if it is 0, the term is negated and op is &. Terms after the last one whose level differs
 * from the default level have no effect and are left out. */
static ff_status read_terms(reader *r, Transition_t *transition, ff_sbml_code *code) {
  int otherwise = 0;
  ff_status status = read_default(r, transition, &otherwise);
  unsigned n = Transition_getNumFunctionTerms(transition), used = 0;
  size_t end = 0;
  for (unsigned i = 0; i < n && status == FF_OK; i++) {
    FunctionTerm_t *term = (FunctionTerm_t *)Transition_getFunctionTerm(transition, i);
    int level = FunctionTerm_isSetResultLevel(term) ? FunctionTerm_getResultLevel(term) : -1;
    if (level != 0 && level != 1) return found_level(r, term, "functionTerm", NULL, "resultLevel", level, "the level 0 or 1");
    if (!FunctionTerm_isSetMath(term))
      return found_kind(r, place_of(r, term), "a functionTerm without math", "one with it");
    status = ff_sbml_math(code, FunctionTerm_getMath(term), &r->build, transition, place_of(r, term).line);
    if (status == FF_OK && level == 0) status = ff_sbml_emit(code, FF_X_OP(FF_X_NOT, 0));
    if (level == otherwise) continue;
    end = code->length;
    used = i + 1;
  }
  if (status != FF_OK) return status;
  code->length = end;
  if (used == 0) return ff_sbml_emit(code, FF_X_OP(FF_X_CONST, otherwise));
  for (unsigned i = used - 1; i > 0 && status == FF_OK; i--) {
    FunctionTerm_t *term = (FunctionTerm_t *)Transition_getFunctionTerm(transition, i - 1);
    status = ff_sbml_emit(code, FF_X_OP(FunctionTerm_getResultLevel(term) ? FF_X_OR : FF_X_AND, 0));
  }
  return status;
}

static uint32_t depth_of(const ff_op *code, size_t length) {
  uint32_t depth = 0, most = 0;
  for (size_t i = 0; i < length; i++) {
    uint32_t kind = FF_X_CODE(code[i]);
    if (kind == FF_X_CONST || kind == FF_X_VAR) depth++;
    if (kind == FF_X_AND || kind == FF_X_OR || kind == FF_X_XOR) depth--;
    if (depth > most) most = depth;
  }
  return most;
}

/* Finds the species that an input or output names. `id` is libsbml's copy and is freed here. */
static ff_status find_species(reader *r, const void *element, char *id, uint32_t *node) {
  int64_t found = ff_build_find(&r->build, ff_span_of(id).text, ff_span_of(id).length);
  ff_status status = FF_OK;
  if (found < 0) status = ff_io_found(r->err, place_of(r, element), ff_span_of(id), "the id of a species");
  if (found < 0) status = ff_build_suggest(&r->build, ff_span_of(id), status);
  *node = (uint32_t)found;
  free(id);
  return status;
}

/* Sets the function of the species that is one output. */
static ff_status read_output(reader *r, Output_t *output, const ff_sbml_code *code, uint64_t line) {
  uint32_t node;
  ff_status status = find_species(r, output, Output_getQualitativeSpecies(output), &node);
  if (status != FF_OK) return status;
  ff_quoted shown = ff_quote(r->build.names[node], strlen(r->build.names[node]));
  ff_place place = place_of(r, output);
  if (Output_getTransitionEffect(output) != OUTPUT_TRANSITION_EFFECT_ASSIGNMENT_LEVEL)
    return ff_error_set(r->err, FF_EPARSE,
                        "%s, line %llu: found the output %s, whose transitionEffect is not assignmentLevel, where an output "
                        "with assignmentLevel was expected",
                        place.file, (unsigned long long)place.line, shown.text);
  if (QualitativeSpecies_getConstant(species_at(r, node)))
    return ff_error_set(r->err, FF_EPARSE,
                        "%s, line %llu: found the output %s, which is constant, where a species that is not constant was "
                        "expected",
                        place.file, (unsigned long long)place.line, shown.text);
  if (r->set_on[node] != 0)
    return ff_error_set(r->err, FF_EPARSE,
                        "%s, line %llu: found a second transition with the output %s (the first is on line %llu) where one "
                        "was expected",
                        place.file, (unsigned long long)place.line, shown.text, (unsigned long long)r->set_on[node]);
  r->set_on[node] = line == 0 ? 1 : line;
  ff_expr from = {.code = code->code, .length = (uint32_t)code->length, .depth = depth_of(code->code, code->length)}, expr;
  status = ff_expr_copy(&expr, &from, r->err);
  return status == FF_OK ? ff_build_rule(&r->build, node, 1.0, line, &expr) : status;
}

static ff_status read_transition(reader *r, Transition_t *transition) {
  unsigned inputs = Transition_getNumInputs(transition), outputs = Transition_getNumOutputs(transition);
  for (unsigned i = 0; i < inputs; i++) {
    Input_t *input = (Input_t *)Transition_getInput(transition, i);
    uint32_t node;
    ff_status status = find_species(r, input, Input_getQualitativeSpecies(input), &node);
    if (status != FF_OK) return status;
    if (Input_getTransitionEffect(input) == INPUT_TRANSITION_EFFECT_CONSUMPTION)
      return ff_io_found(r->err, place_of(r, input), ff_span_of("consumption"), "the transitionEffect \"none\" of an input");
  }
  ff_sbml_code code = {.err = r->err};
  uint64_t line = place_of(r, transition).line;
  ff_status status = read_terms(r, transition, &code);
  for (unsigned i = 0; i < outputs && status == FF_OK; i++)
    status = read_output(r, (Output_t *)Transition_getOutput(transition, i), &code, line);
  free(code.code);
  return status;
}

/* Reads all transitions. Species that are not an output keep their level. */
static ff_status read_transitions(reader *r) {
  unsigned n = QualModelPlugin_getNumTransitions(r->model);
  ff_status status = FF_OK;
  for (unsigned i = 0; i < n && status == FF_OK; i++)
    status = read_transition(r, (Transition_t *)QualModelPlugin_getTransition(r->model, i));
  for (uint32_t i = 0; i < r->build.n_nodes && status == FF_OK; i++) {
    if (r->set_on[i] != 0) continue;
    ff_op keep = FF_X_OP(FF_X_VAR, i);
    ff_expr from = {.code = &keep, .length = 1, .depth = 1}, expr;
    status = ff_expr_copy(&expr, &from, r->err);
    if (status == FF_OK) status = ff_build_rule(&r->build, i, 1.0, 0, &expr);
  }
  return status;
}

/* ---- names ---- */

static int may_name_a_node(const char *name) {
  for (size_t i = 0; name[i] != '\0'; i++)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F) return 0;
  return strchr(name, '"') == NULL || strchr(name, '`') == NULL;
}

/* Whether the names are different ones, and the writer would make exactly these ids from them. */
static ff_status names_fit(int *fit, const reader *r, const ff_pbn *pbn, char **names) {
  ff_names *unique;
  char **ids;
  *fit = 0;
  ff_status status = ff_names_new(&unique, names, pbn->n_nodes, "nodes", r->err);
  if (status != FF_OK) return status == FF_EMODEL ? FF_OK : status;
  ff_names_free(unique);
  status = ff_sbml_ids(&ids, names, pbn->n_nodes, r->err);
  if (status != FF_OK) return status;
  *fit = 1;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) *fit &= strcmp(ids[i], pbn->names[i]) == 0;
  ff_sbml_ids_free(ids, pbn->n_nodes);
  return FF_OK;
}

static ff_status put_names(const reader *r, ff_pbn *pbn, char *const *names) {
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    if (strcmp(names[i], pbn->names[i]) == 0) continue;
    char *copy = ff_strndup(names[i], strlen(names[i]));
    if (copy == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for the names of %u nodes", pbn->n_nodes);
    free(pbn->names[i]);
    pbn->names[i] = copy;
  }
  return FF_OK;
}

/* Replaces ids by names as ff_io.h describes: all of them or none, and only if the writer would make exactly these ids from
 * the names. */
static ff_status take_names(const reader *r, ff_pbn *pbn) {
  const uint32_t n = pbn->n_nodes;
  char **names = ff_calloc(n, sizeof *names);
  if (names == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for the names of %u nodes", n);
  int differ = 0, fit = 1;
  for (uint32_t i = 0; i < n; i++) {
    const char *name = SBase_getName((const SBase_t *)species_at(r, i));
    names[i] = ff_span_of(name).length > 0 ? (char *)name : pbn->names[i]; /* not modified through this pointer */
    differ |= strcmp(names[i], pbn->names[i]) != 0;
    fit &= may_name_a_node(names[i]);
  }
  ff_status status = differ && fit ? names_fit(&fit, r, pbn, names) : FF_OK;
  if (status == FF_OK && differ && fit) status = put_names(r, pbn, names);
  free(names);
  return status;
}

ff_status ff_sbml_read_qual(ff_pbn **out, Model_t *model, const char *file, ff_error *err) {
  reader r = {.build = {.file = file, .err = err}, .err = err};
  *out = NULL;
  r.model = (QualModelPlugin_t *)SBase_getPlugin((SBase_t *)model, "qual");
  ff_status status = read_species(&r, model);
  if (status == FF_OK) status = read_transitions(&r);
  if (status == FF_OK) status = ff_build_pbn(out, &r.build);
  if (status == FF_OK) {
    memcpy((*out)->initial, r.initial, (*out)->n_nodes * sizeof *r.initial);
    status = take_names(&r, *out);
  }
  if (status == FF_OK) status = ff_build_finish(*out, &r.build);
  ff_build_free(&r.build);
  free(r.set_on);
  free(r.initial);
  if (status == FF_OK) return FF_OK;
  ff_pbn_free(*out);
  *out = NULL;
  return status;
}
