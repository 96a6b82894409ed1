/* Writes SBML-qual (Level 3 Version 1, qual Version 1): one qualitative species and one transition per node. The text is
 * written here and not by libsbml, whose recursion would be as deep as a function is nested. */
#include "ff_io_sbml_format.h"
#include "ff_io_sbml.h"

#include <stdlib.h>
#include <string.h>

/* <sbml>, <model>, the list, <transition>, the list, <functionTerm> and <math>, and the innermost comparison with its <ci>. */
#define OUTER_DEPTH 9

typedef struct {
  ff_out out;
  const ff_pbn *pbn;
  char **ids;
  ff_names *by_id;
  const char *compartment;
  ff_error *err;
} writer;

static void put_species(writer *w, uint32_t node) {
  ff_out *out = &w->out;
  ff_out_puts(out, "      <qual:qualitativeSpecies qual:id=\"");
  ff_out_puts(out, w->ids[node]);
  if (strcmp(w->ids[node], w->pbn->names[node]) != 0) {
    ff_out_puts(out, "\" qual:name=\"");
    ff_sbml_put_escaped(out, w->pbn->names[node]);
  }
  ff_out_puts(out, "\" qual:compartment=\"");
  ff_out_puts(out, w->compartment);
  ff_out_puts(out, "\" qual:constant=\"false\"");
  if (w->pbn->initial[node] >= 0)
    ff_out_puts(out, w->pbn->initial[node] ? " qual:initialLevel=\"1\"" : " qual:initialLevel=\"0\"");
  ff_out_puts(out, " qual:maxLevel=\"1\"/>\n");
}

/* ---- functions ---- */

/* Appends a truth table written with !, & and |. The table is the operation at `at` together with the k inputs before it,
 * which have been appended already. */
static ff_status expand_table(const writer *w, ff_sbml_code *code, const ff_expr *expr, uint32_t at) {
  uint32_t k = FF_X_OPERAND(expr->code[at]);
  ff_expr part = {.code = expr->code + (at - k), .length = ff_expr_next(expr, at) - (at - k), .depth = k > 0 ? k : 1}, sum;
  char *text;
  code->length -= k;
  ff_status status = ff_expr_text(&text, &part, w->ids, 0, w->err);
  if (status != FF_OK) return status;
  status = ff_expr_parse(&sum, text, strlen(text), ff_names_find, w->by_id, (ff_place){NULL, 0}, w->err);
  free(text);
  if (status != FF_OK) return status;
  for (uint32_t i = 0; i < sum.length && status == FF_OK; i++) status = ff_sbml_emit(code, sum.code[i]);
  ff_expr_free(&sum);
  return status;
}

static ff_status expand(const writer *w, ff_sbml_code *code, const ff_expr *expr) {
  ff_status status = FF_OK;
  for (uint32_t at = 0; at < expr->length && status == FF_OK; at = ff_expr_next(expr, at))
    status = FF_X_CODE(expr->code[at]) == FF_X_TABLE ? expand_table(w, code, expr, at) : ff_sbml_emit(code, expr->code[at]);
  return status;
}

typedef struct {
  uint32_t root;  /* the last operation of the subexpression to be written, or CLOSE */
  uint32_t above; /* the operation whose argument it is */
} task;
#define CLOSE UINT32_MAX

static void put_level(ff_out *out, const char *id, int level) {
  ff_out_puts(out, "<apply><eq/><ci> ");
  ff_out_puts(out, id);
  ff_out_puts(out, level ? " </ci><cn type=\"integer\"> 1 </cn></apply>" : " </ci><cn type=\"integer\"> 0 </cn></apply>");
}

/* Writes one operation and adds its arguments to the tasks. Returns the number of tasks that are left. If an argument of and,
 * or or xor is the same operation, its arguments become arguments of the upper one. */
static size_t put_operation(writer *w, const ff_op *code, const uint32_t *start, task *tasks, size_t left, uint32_t *depth) {
  static const char *const open[] = {
      [FF_X_NOT] = "<apply><not/>", [FF_X_AND] = "<apply><and/>", [FF_X_OR] = "<apply><or/>", [FF_X_XOR] = "<apply><xor/>"};
  task now = tasks[--left];
  if (now.root == CLOSE) {
    ff_out_puts(&w->out, "</apply>");
    --*depth;
    return left;
  }
  uint32_t kind = FF_X_CODE(code[now.root]), operand = FF_X_OPERAND(code[now.root]);
  if (kind == FF_X_CONST) {
    ff_out_puts(&w->out, operand ? "<true/>" : "<false/>");
  } else if (kind == FF_X_VAR) {
    put_level(&w->out, w->ids[operand], 1);
  } else if (kind == FF_X_NOT && FF_X_CODE(code[now.root - 1]) == FF_X_VAR) {
    put_level(&w->out, w->ids[FF_X_OPERAND(code[now.root - 1])], 0);
  } else {
    if (kind != now.above || kind == FF_X_NOT) {
      ff_out_puts(&w->out, open[kind]);
      tasks[left++] = (task){CLOSE, 0};
      ++*depth;
    }
    tasks[left++] = (task){now.root - 1, kind};
    if (kind != FF_X_NOT) tasks[left++] = (task){start[now.root - 1] - 1, kind};
  }
  return left;
}

static ff_status put_math(writer *w, const ff_sbml_code *code, uint32_t node) {
  /* start: where the operands of each operation begin */
  uint32_t *start = ff_calloc(code->length, sizeof *start), depth = 0;
  task *tasks = ff_calloc(code->length, 3 * sizeof *tasks);
  ff_status status = FF_OK;
  if (start == NULL || tasks == NULL) status = ff_error_set(w->err, FF_EMEMORY, "no memory to write a function");
  for (uint32_t i = 0; i < code->length && status == FF_OK; i++) {
    uint32_t kind = FF_X_CODE(code->code[i]);
    start[i] = kind == FF_X_CONST || kind == FF_X_VAR ? i : kind == FF_X_NOT ? start[i - 1] : start[start[i - 1] - 1];
  }
  size_t left = 1;
  if (status == FF_OK) tasks[0] = (task){(uint32_t)code->length - 1, FF_X_CONST};
  while (left > 0 && status == FF_OK) {
    left = put_operation(w, code->code, start, tasks, left, &depth);
    if (depth + OUTER_DEPTH <= FF_SBML_DEPTH) continue;
    ff_quoted shown = ff_quote(w->pbn->names[node], strlen(w->pbn->names[node]));
    status = ff_error_set(w->err, FF_EMODEL,
                          "the function of node %s nests more than %d operations, the limit for SBML-qual; .pbn has no limit",
                          shown.text, FF_SBML_DEPTH - OUTER_DEPTH);
  }
  free(start);
  free(tasks);
  return status;
}

static ff_status put_transition(writer *w, uint32_t node) {
  const ff_predictor *predictor = &w->pbn->predictors[w->pbn->first[node]];
  ff_out *out = &w->out;
  ff_sbml_code code = {.err = w->err};
  ff_out_puts(out, "      <qual:transition>\n");
  if (predictor->n_parents > 0) {
    ff_out_puts(out, "        <qual:listOfInputs>\n");
    for (uint32_t i = 0; i < predictor->n_parents; i++) {
      ff_out_puts(out, "          <qual:input qual:qualitativeSpecies=\"");
      ff_out_puts(out, w->ids[predictor->parents[i]]);
      ff_out_puts(out, "\" qual:transitionEffect=\"none\"/>\n");
    }
    ff_out_puts(out, "        </qual:listOfInputs>\n");
  }
  ff_out_puts(out, "        <qual:listOfOutputs>\n          <qual:output qual:qualitativeSpecies=\"");
  ff_out_puts(out, w->ids[node]);
  ff_out_puts(out, "\" qual:transitionEffect=\"assignmentLevel\"/>\n        </qual:listOfOutputs>\n");
  ff_out_puts(out, "        <qual:listOfFunctionTerms>\n          <qual:defaultTerm qual:resultLevel=\"");
  ff_status status = expand(w, &code, &predictor->expr);
  if (status == FF_OK && code.length == 1 && FF_X_CODE(code.code[0]) == FF_X_CONST) {
    ff_out_puts(out, FF_X_OPERAND(code.code[0]) ? "1\"/>\n" : "0\"/>\n");
  } else if (status == FF_OK) {
    ff_out_puts(out,
                "0\"/>\n          <qual:functionTerm qual:resultLevel=\"1\">\n"
                "            <math xmlns=\"http://www.w3.org/1998/Math/MathML\">");
    status = put_math(w, &code, node);
    ff_out_puts(out, "</math>\n          </qual:functionTerm>\n");
  }
  ff_out_puts(out, "        </qual:listOfFunctionTerms>\n      </qual:transition>\n");
  free(code.code);
  return status == FF_OK ? out->status : status;
}

static ff_status put_all(writer *w, char *compartment, size_t size) {
  ff_out *out = &w->out;
  /* The compartment's id must differ from those of all species. "cell" is extended by '_' until it does. */
  memcpy(compartment, "cell", 5);
  for (size_t at = 4; ff_names_find(w->by_id, compartment, at) >= 0 && at + 1 < size; at++) compartment[at] = '_';
  w->compartment = compartment;
  ff_out_puts(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\" "
              "xmlns:qual=\"http://www.sbml.org/sbml/level3/version1/qual/version1\" qual:required=\"true\">\n"
              "  <model>\n    <listOfCompartments>\n      <compartment id=\"");
  ff_out_puts(out, compartment);
  ff_out_puts(out, "\" constant=\"true\"/>\n    </listOfCompartments>\n    <qual:listOfQualitativeSpecies>\n");
  for (uint32_t i = 0; i < w->pbn->n_nodes; i++) put_species(w, i);
  ff_out_puts(out, "    </qual:listOfQualitativeSpecies>\n    <qual:listOfTransitions>\n");
  for (uint32_t i = 0; i < w->pbn->n_nodes; i++) {
    ff_status status = put_transition(w, i);
    if (status != FF_OK) return status;
  }
  ff_out_puts(out, "    </qual:listOfTransitions>\n  </model>\n</sbml>\n");
  return out->status;
}

ff_status ff_io_sbml_text(char **text, const ff_pbn *pbn, ff_error *err) {
  writer w = {.out = {.err = err}, .pbn = pbn, .err = err};
  *text = NULL;
  if (pbn->n_contexts > 0)
    return ff_error_set(err, FF_EMODEL, "SBML-qual cannot express the contexts of a dependent network; .pbn can");
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    ff_status status = ff_sbml_check_name(pbn->names[i], err);
    if (status != FF_OK) return status;
    if (pbn->first[i + 1] - pbn->first[i] == 1) continue;
    ff_quoted shown = ff_quote(pbn->names[i], strlen(pbn->names[i]));
    return ff_error_set(err, FF_EMODEL,
                        "SBML-qual has one function per node, but node %s has %u; .pbn and BoolNet's text format can store "
                        "several",
                        shown.text, pbn->first[i + 1] - pbn->first[i]);
  }
  ff_status status = ff_sbml_ids(&w.ids, pbn->names, pbn->n_nodes, err);
  if (status == FF_OK) status = ff_names_new(&w.by_id, w.ids, pbn->n_nodes, "nodes", err);
  size_t size = (size_t)pbn->n_nodes + 6; /* all n + 1 candidates cannot be taken */
  char *compartment = status == FF_OK ? ff_calloc(size, 1) : NULL;
  if (status == FF_OK && compartment == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for an id");
  if (status == FF_OK) status = put_all(&w, compartment, size);
  free(compartment);
  ff_names_free(w.by_id);
  ff_sbml_ids_free(w.ids, pbn->n_nodes);
  if (status == FF_OK) return ff_out_finish(&w.out, text);
  free(w.out.text);
  return status;
}
