/* Reads SBML: lets libsbml read the document, and finds out which kind of network it holds. */
#include "ff_io_sbml_format.h"
#include "ff_io_sbml_math.h"
#include "ff_io_sbml_reactions.h"

#include <sbml/packages/qual/validator/QualSBMLError.h>
#include <stdlib.h>
#include <string.h>

/* ---- libsbml's messages ---- */

/* Copies the part of libsbml's message that is about this file, on one line. This is the text after the line "Reference:
 * ...", if there is any, else the start of the message. */
#define SAID_SIZE 400
static void shorten(char *said, const char *message) {
  static const char reference[] = "\nReference:";
  const char *from = message, *mark;
  while ((mark = strstr(from, reference)) != NULL) from = mark + 1;
  const char *end = strchr(from, '\n');
  if (from != message && end != NULL && end[strspn(end, " \t\r\n")] != '\0')
    from = end;
  else
    from = message;
  int valid = ff_utf8_valid(from, strlen(from)), blank = 1;
  size_t at = 0, last = 0; /* `last`: where the character starts that contains `at` */
  for (; *from != '\0' && (from == message || strncmp(from, reference, sizeof reference - 1) != 0); from++) {
    unsigned char c = (unsigned char)*from;
    if (c <= 0x20 || c == 0x7F) {
      if (!blank) said[at++] = ' ';
      blank = 1;
    } else {
      if ((c & 0xC0) != 0x80) last = at;
      said[at++] = c >= 0x80 && !valid ? '?' : (char)c;
      blank = 0;
    }
    if (at == SAID_SIZE - 4) {
      memcpy(said + last, "...", 4);
      return;
    }
  }
  while (at > 0 && (said[at - 1] == ' ' || said[at - 1] == '.')) at--;
  said[at] = '\0';
}

/* Notes and annotations are not read, so errors in them are ignored. */
static int is_about_remarks(unsigned id) {
  return (id >= MissingAnnotationNamespace && id <= 10499) || (id >= NotesNotInXHTMLNamespace && id <= 10899);
}

/* Packages that are not read: their identifiers begin with 13, 2, 4 or 6, as libsbml numbers render, fbc, groups and layout.
 * ff_sbml_check_packages() has refused those that are required. */
static int is_about_others(unsigned id) {
  return id == RequiredPackagePresent || (id >= 1300000 && id < 1400000) || (id >= 2000000 && id < 3000000) ||
         (id >= 4000000 && id < 5000000) || (id >= 6000000 && id < 7000000);
}

/* What a file lacks, or has too much of, although the model is the same whatever it says. */
static int is_harmless(unsigned id, const char *message) {
  switch (id) {
    case EmptyListElement:
    case EmptyListOfUnits:
    case EmptyUnitListElement:
    case EmptyListInReaction:
    case EmptyListInKineticLaw:
    case EmptyListOfElementNotSupported:
    case QualEmptyLONotAllowed:
    case QualTransitionEmptyLOElements:
    case QualInputSignMustBeSignEnum: return 1;
    case AllowedAttributesOnCompartment: return strstr(message, "'constant' is missing") != NULL;
    case QualQualSpeciesAllowedAttributes:
      return strstr(message, "'constant' is missing") != NULL || strstr(message, "'compartment' is missing") != NULL;
    case QualInputAllowedCoreAttributes:
    case QualInputAllowedAttributes: return strstr(message, "'essential'") != NULL;
    case NotSchemaConformant: return strstr(message, "cannot be empty") != NULL;
    default: return 0;
  }
}

/* `before` is the number of bytes put in front of the first line. */
static ff_status check_errors(SBMLDocument_t *document, const char *file, size_t before, ff_error *err) {
  unsigned n = SBMLDocument_getNumErrors(document);
  for (unsigned i = 0; i < n; i++) {
    const XMLError_t *error = (const XMLError_t *)SBMLDocument_getError(document, i);
    unsigned severity = XMLError_getSeverity(error);
    if (severity != LIBSBML_SEV_ERROR && severity != LIBSBML_SEV_FATAL) continue;
    unsigned id = XMLError_getErrorId(error);
    const char *message = XMLError_getMessage(error);
    if (message == NULL || message[0] == '\0') message = "an error without a message";
    if (is_about_remarks(id) || is_about_others(id) || is_harmless(id, message)) continue;
    char said[SAID_SIZE];
    shorten(said, message);
    unsigned line = XMLError_getLine(error), column = XMLError_getColumn(error);
    if (line <= 1 && column > before) column -= (unsigned)before;
    return ff_error_set(err, FF_EPARSE, "%s, line %u, column %u: libsbml found: %s", file, line == 0 ? 1 : line, column, said);
  }
  return FF_OK;
}

/* ---- the document ---- */

static ff_status read_model(ff_io_model *out, SBMLDocument_t *document, ff_span text, const char *file, size_t before,
                            const ff_io_given *given, ff_error *err) {
  ff_status status = check_errors(document, file, before, err);
  if (status != FF_OK) return status;
  Model_t *model = SBMLDocument_getModel(document);
  if (model == NULL) return ff_io_found(err, (ff_place){file, 1}, (ff_span){"", 0}, "a model");
  QualModelPlugin_t *qual = (QualModelPlugin_t *)SBase_getPlugin((SBase_t *)model, "qual");
  int has_reactions = Model_getNumReactions(model) > 0;
  if (qual != NULL && (QualModelPlugin_getNumQualitativeSpecies(qual) > 0 || !has_reactions))
    return ff_sbml_read_qual(&out->pbn, model, file, err);
  status = ff_sbml_check_flux(text.text, text.length, file, err);
  const int flows = given != NULL && given->flows && Model_getNumRules(model) > 0;
  if (status == FF_OK && !has_reactions && Model_getNumSpecies(model) == 0 && !flows)
    return ff_error_set(err, FF_EPARSE, "%s, line %llu: found a model without species where a Boolean network (SBML Level 3 with "
                        "qual, Version 1) or a reaction network was expected", file,
                        (unsigned long long)SBase_getLine((const SBase_t *)model));
  return status == FF_OK ? ff_sbml_read_reactions(out, document, text.length, file, given, err) : status;
}

ff_status ff_io_sbml_parse(ff_io_model *out, const char *text, size_t length, const char *file, const ff_io_given *given,
                           ff_error *err) {
  *out = (ff_io_model){0};
  ff_status status = ff_sbml_check_xml(text, length, file, err);
  if (status == FF_OK) status = ff_sbml_check_packages(text, length, file, err);
  if (status != FF_OK) return status;
  /* without it, libsbml would add a declaration on a line of its own */
  static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  size_t before = length >= 14 && memcmp(text, declaration, 14) == 0 ? 0 : sizeof declaration - 1;
  char *copy = ff_calloc(before + length + 1, 1);
  if (copy != NULL) {
    memcpy(copy, declaration, before);
    memcpy(copy + before, text, length);
    if (before == 0) ff_sbml_name_encoding(copy, length);
  }
  SBMLDocument_t *document = copy == NULL ? NULL : readSBMLFromString(copy);
  free(copy);
  if (document == NULL) return ff_error_set(err, FF_EMEMORY, "%s: no memory for a document of %zu bytes", file, length);
  status = read_model(out, document, (ff_span){text, length}, file, before, given, err);
  SBMLDocument_free(document);
  return status;
}
