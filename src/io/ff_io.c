/* Files: detecting the format, reading within limits, and writing completely or not at all. */
#define _GNU_SOURCE /* open, fsync, realpath under -std=c11 */
#include "ff_io.h"
#include "ff_io_formats.h"
#include "petri/ff_io_andl.h"
#include "petri/ff_io_snoopy.h"
#include "sbml/ff_io_sbml_format.h"
#include "text/ff_io_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *ff_format_name(ff_format format) {
  switch (format) {
    case FF_FORMAT_AUTO: return "auto";
    case FF_FORMAT_ASSA: return "pbn";
    case FF_FORMAT_BOOLNET: return "boolnet";
    case FF_FORMAT_BNET: return "bnet";
    case FF_FORMAT_SBML: return "sbml";
    case FF_FORMAT_BNGL: return "bngl_net";
    case FF_FORMAT_ANDL: return "andl";
    case FF_FORMAT_CANDL: return "candl";
    case FF_FORMAT_SNOOPY: return "snoopy";
  }
  return NULL;
}

/* ---- which format ---- */

static int starts_with(ff_span line, const char *word) {
  size_t length = strlen(word);
  return line.length >= length && ff_span_is((ff_span){line.text, length}, word);
}

static ff_format format_of_line(ff_span line) {
  static const char *const keys[] = {"type", "n", "perturbation", "removedNodes"};
  static const char *const actions[] = {"substanceUnits(", "version(", "setOption(", "setModelName("}; /* of BioNetGen */
  if (line.text[0] == '<') return FF_FORMAT_SBML;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (starts_with(line, actions[i])) return FF_FORMAT_BNGL;
  if (starts_with(line, "begin ") || starts_with(line, "begin\t")) return FF_FORMAT_BNGL;
  if (ff_span_is(line, "nodeNames")) return FF_FORMAT_ASSA;
  const int petri = ff_io_andl_starts(line.text, line.length);
  if (petri > 0) return petri == 2 ? FF_FORMAT_CANDL : FF_FORMAT_ANDL;
  ff_span first, rest;
  const int has_key = ff_span_split(line, '=', &first, &rest);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (has_key && ff_span_is(first, keys[i])) return FF_FORMAT_ASSA;
  if (!ff_span_split(line, ',', &first, &rest)) return FF_FORMAT_AUTO;
  const int third = ff_span_find(rest, 0, ',', 0) < rest.length; /* a column of probabilities */
  return ff_span_is(first, "targets") && third ? FF_FORMAT_BOOLNET : FF_FORMAT_BNET;
}

/* Takes comments of C from the start of a line; what follows the end of one on a later line. Returns 0 if the line is within one.
 */
static int after_comment(ff_span *line, int *within) {
  for (;;) {
    if (!*within && !starts_with(*line, "/*")) return 1;
    size_t at = *within ? 0 : 2;
    while (at + 1 < line->length && (line->text[at] != '*' || line->text[at + 1] != '/')) at++;
    *within = at + 1 >= line->length;
    if (*within) return 0;
    *line = ff_span_trim(ff_span_after(*line, at + 2));
  }
}

/* Whether the first element of XML is that of Snoopy's files. */
static int is_snoopy(const char *text, size_t length) {
  static const char word[] = "<Snoopy";
  const char *end = text + length;
  while ((text = memchr(text, '<', (size_t)(end - text))) != NULL && end - text > 1 && !ff_is_letter(text[1])) text++;
  return text != NULL && (size_t)(end - text) > sizeof word && memcmp(text, word, sizeof word - 1) == 0 &&
         !ff_is_letter(text[sizeof word - 1]);
}

/* The first line that is neither empty nor a comment determines the format. */
static ff_status detect(ff_format *format, const char *text, size_t length, const char *file, ff_error *err) {
  ff_lines lines = {.rest = {text, length}};
  ff_span line;
  int within = 0;
  while (ff_lines_next(&lines, &line)) {
    line = ff_span_trim(line);
    if (!after_comment(&line, &within)) continue;
    if (line.length == 0 || line.text[0] == '#' || starts_with(line, "//")) continue;
    *format = format_of_line(line);
    if (*format == FF_FORMAT_SBML && is_snoopy(text, length)) *format = FF_FORMAT_SNOOPY;
    if (*format != FF_FORMAT_AUTO) return FF_OK;
    return ff_io_found(err, (ff_place){file, lines.line}, line,
                       "the start of a network: \"type=\" (.pbn), \"targets, factors\" (BoolNet's text, .bnet), \"<\" (SBML), "
                       "\"begin\" (BioNetGen's .net) or the type of a Petri net (ANDL, CANDL)");
  }
  return ff_io_found(err, (ff_place){file, lines.line}, (ff_span){0}, "a network");
}

/* ---- texts ---- */

static ff_status check_text(const char *text, size_t length, const char *file, ff_error *err) {
  int has_nul = length > 0 && memchr(text, '\0', length) != NULL;
  if (!has_nul && ff_utf8_valid(text, length)) return FF_OK;
  ff_lines lines = {.rest = {text, length}};
  ff_span line;
  while (ff_lines_next(&lines, &line)) {
    if (ff_utf8_valid(line.text, line.length) && (line.length == 0 || memchr(line.text, '\0', line.length) == NULL)) continue;
    return ff_io_found(err, (ff_place){file, lines.line}, line, "text in UTF-8");
  }
  return ff_error_set(err, FF_EINTERNAL, "%s is not valid UTF-8, although each of its lines is", file);
}

/* The name of a file for messages: control characters and invalid UTF-8 become '?'. Of a long name, only the end is shown. */
#define SHOWN_NAME 240
static void show_name(char *shown, const char *file) {
  size_t length = strlen(file), at = 0;
  if (length >= SHOWN_NAME) {
    file += length - (SHOWN_NAME - 4);
    while (ff_continues_character(*file)) file++;
    memcpy(shown, "...", 3);
    at = 3;
  }
  int valid = ff_utf8_valid(file, strlen(file));
  for (; *file != '\0'; file++) {
    unsigned char c = (unsigned char)*file;
    shown[at++] = c < 0x20 || c == 0x7F || (c >= 0x80 && !valid) ? '?' : (char)c;
  }
  shown[at] = '\0';
}

/* Checks a text, without a byte order mark, and finds its format. `shown` has SHOWN_NAME bytes, for messages. */
static ff_status begin(ff_span *text, ff_format *format, char *shown, const char *file, ff_error *err) {
  show_name(shown, file);
  if (text->length > FF_IO_MAX_BYTES)
    return ff_error_set(err, FF_ESIZE, "%s has %zu bytes; a network's file has at most %llu", shown, text->length,
                        (unsigned long long)FF_IO_MAX_BYTES);
  if (text->length >= 3 && memcmp(text->text, "\xEF\xBB\xBF", 3) == 0) *text = ff_span_after(*text, 3);
  if (text->length == 0) text->text = "";
  const ff_status status = check_text(text->text, text->length, shown, err);
  return status == FF_OK && *format == FF_FORMAT_AUTO ? detect(format, text->text, text->length, shown, err) : status;
}

/* A net of one of the formats of Petri nets. */
static ff_status parse_petri(ff_petri **out, ff_span text, const char *file, ff_format format, const ff_io_petri_options *options,
                             ff_error *err) {
  switch (format) {
    case FF_FORMAT_ANDL:
    case FF_FORMAT_CANDL: return ff_io_andl_parse(out, text.text, text.length, file, options, err);
    case FF_FORMAT_SNOOPY: return ff_io_snoopy_parse(out, text.text, text.length, file, options, err);
    default: return ff_error_set(err, FF_EUNSUPPORTED, "%s does not hold a Petri net in ANDL, CANDL or Snoopy's XML", file);
  }
}

ff_status ff_io_parse_given(ff_io_model *out, ff_format *found, const char *text, size_t length, const char *file,
                            ff_format format, const ff_io_given *given, ff_error *err) {
  char shown[SHOWN_NAME];
  ff_span all = {text, length};
  *out = (ff_io_model){0};
  const ff_status status = begin(&all, &format, shown, file, err);
  if (status != FF_OK) return status;
  text = all.text;
  length = all.length;
  if (found != NULL) *found = format;
  switch (format) {
    case FF_FORMAT_ASSA: return ff_io_assa_parse(&out->pbn, text, length, shown, err);
    case FF_FORMAT_BOOLNET:
    case FF_FORMAT_BNET: return ff_io_boolnet_parse(&out->pbn, text, length, shown, format == FF_FORMAT_BOOLNET, err);
    case FF_FORMAT_SBML: return ff_io_sbml_parse(out, text, length, shown, given, err);
    case FF_FORMAT_BNGL:
      if (given != NULL && given->converts)
        return ff_error_set(err, FF_EARGUMENT, "%s has counts; `counts` = \"convert\" is for the amounts of SBML", shown);
      return ff_io_bngl_parse(out, text, length, shown, given, err);
    case FF_FORMAT_ANDL:
    case FF_FORMAT_CANDL:
    case FF_FORMAT_SNOOPY: return parse_petri(&out->petri, all, shown, format, NULL, err);
    default: return ff_error_set(err, FF_EARGUMENT, "%d is not a format", (int)format);
  }
}

ff_status ff_io_parse_model(ff_io_model *out, ff_format *found, const char *text, size_t length, const char *file,
                            ff_format format, ff_error *err) {
  return ff_io_parse_given(out, found, text, length, file, format, NULL, err);
}

void ff_io_model_free(ff_io_model *model) {
  ff_pbn_free(model->pbn);
  ff_reactions_free(model->reactions);
  ff_petri_free(model->petri);
  *model = (ff_io_model){0};
}

ff_status ff_io_parse_petri(ff_petri **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                            const ff_io_petri_options *options, ff_error *err) {
  char shown[SHOWN_NAME];
  ff_span all = {text, length};
  *out = NULL;
  const ff_status status = begin(&all, &format, shown, file, err);
  if (status != FF_OK) return status;
  if (format == FF_FORMAT_SBML) format = FF_FORMAT_SNOOPY;
  if (found != NULL) *found = format;
  return parse_petri(out, all, shown, format, options, err);
}

/* Passes the Boolean network on. Another network is freed, and is an error. */
static ff_status take_pbn(ff_pbn **out, ff_io_model *model, const char *file, ff_error *err) {
  char shown[SHOWN_NAME];
  ff_status status;
  *out = model->pbn;
  if (model->pbn != NULL) return FF_OK;
  show_name(shown, file);
  if (model->petri != NULL)
    status =
        ff_error_set(err, FF_EUNSUPPORTED, "%s holds a Petri net (%u places and %u transitions); a Boolean network was expected",
                     shown, model->petri->n_places, model->petri->n_transitions);
  else
    status = ff_error_set(err, FF_EUNSUPPORTED, "%s holds a reaction network (%u species and %u reactions); a Boolean "
                          "network was expected", shown, model->reactions->n_species, model->reactions->n_reactions);
  ff_io_model_free(model);
  return status;
}

ff_status ff_io_parse(ff_pbn **out, ff_format *found, const char *text, size_t length, const char *file, ff_format format,
                      ff_error *err) {
  ff_io_model model;
  *out = NULL;
  ff_status status = ff_io_parse_model(&model, found, text, length, file, format, err);
  return status == FF_OK ? take_pbn(out, &model, file, err) : status;
}

/* ---- files ---- */

static ff_status file_error(ff_error *err, const char *verb, const char *path, int number) {
  char shown[SHOWN_NAME];
  show_name(shown, path);
  return ff_error_set(err, FF_EFILE, "cannot %s %s: %s", verb, shown, strerror(number));
}

static ff_status too_large(ff_error *err, const char *path) {
  char shown[SHOWN_NAME];
  show_name(shown, path);
  return ff_error_set(err, FF_ESIZE, "%s has more than %llu bytes, the most for a network's file", shown,
                      (unsigned long long)FF_IO_MAX_BYTES);
}

static ff_status read_file(char **text, size_t *length, const char *path, ff_error *err) {
  size_t capacity = 0;
  void *memory = NULL;
  ff_status status = FF_OK;
  *length = 0;
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return file_error(err, "read", path, errno);
  for (;;) {
    status = ff_grow(&memory, &capacity, *length + 65536, 1, err);
    if (status != FF_OK) break;
    size_t got = fread((char *)memory + *length, 1, capacity - *length, file);
    *length += got;
    if (got == 0 && ferror(file)) status = file_error(err, "read", path, errno);
    if (status == FF_OK && *length > FF_IO_MAX_BYTES) status = too_large(err, path);
    if (status != FF_OK || got == 0) break;
  }
  fclose(file);
  if (status != FF_OK) free(memory);
  *text = status == FF_OK ? memory : NULL;
  return status;
}

ff_status ff_io_read_given(ff_io_model *out, ff_format *found, const char *path, ff_format format, const ff_io_given *given,
                           ff_error *err) {
  char *text;
  size_t length;
  *out = (ff_io_model){0};
  ff_status status = read_file(&text, &length, path, err);
  if (status != FF_OK) return status;
  status = ff_io_parse_given(out, found, text, length, path, format, given, err);
  free(text);
  return status;
}

ff_status ff_io_read_petri(ff_petri **out, ff_format *found, const char *path, ff_format format,
                           const ff_io_petri_options *options, ff_error *err) {
  char *text;
  size_t length;
  *out = NULL;
  ff_status status = read_file(&text, &length, path, err);
  if (status != FF_OK) return status;
  status = ff_io_parse_petri(out, found, text, length, path, format, options, err);
  free(text);
  return status;
}

ff_status ff_io_read_model(ff_io_model *out, ff_format *found, const char *path, ff_format format, ff_error *err) {
  return ff_io_read_given(out, found, path, format, NULL, err);
}

ff_status ff_io_read(ff_pbn **out, ff_format *found, const char *path, ff_format format, ff_error *err) {
  ff_io_model model;
  *out = NULL;
  ff_status status = ff_io_read_model(&model, found, path, format, err);
  return status == FF_OK ? take_pbn(out, &model, path, err) : status;
}

ff_status ff_io_text(char **text, const ff_pbn *pbn, ff_format format, ff_error *err) {
  *text = NULL;
  switch (format) {
    case FF_FORMAT_ASSA: return ff_io_assa_text(text, pbn, err);
    case FF_FORMAT_BOOLNET:
    case FF_FORMAT_BNET: return ff_io_boolnet_text(text, pbn, format == FF_FORMAT_BOOLNET, err);
    case FF_FORMAT_SBML: return ff_io_sbml_text(text, pbn, err);
    case FF_FORMAT_BNGL:
      return ff_error_set(err, FF_EARGUMENT, "BioNetGen's .net has reaction networks; a Boolean network can be written as .pbn, "
                          "BoolNet's text, .bnet or SBML-qual");
    case FF_FORMAT_ANDL:
    case FF_FORMAT_CANDL:
    case FF_FORMAT_SNOOPY:
      return ff_error_set(err, FF_EARGUMENT,
                          "%s has Petri nets; a Boolean network can be written as .pbn, BoolNet's text, .bnet or "
                          "SBML-qual",
                          ff_format_name(format));
    default: return ff_error_set(err, FF_EARGUMENT, "the format must be given; there is no file to detect it from");
  }
}

unsigned ff_io_lost(const ff_pbn *pbn, ff_format format) {
  if (format == FF_FORMAT_ASSA) return 0;
  unsigned lost = pbn->perturbation > 0 ? FF_LOST_PERTURBATION : 0u;
  if (pbn->update == FF_ASYNCHRONOUS) lost |= FF_LOST_MODE;
  if (pbn->removed_nodes > 0) lost |= FF_LOST_REMOVED;
  for (uint32_t i = 0; i < pbn->n_nodes; i++) {
    if (pbn->perturbed[i] == 0) lost |= FF_LOST_EXEMPT;
    if (pbn->initial[i] >= 0 && format != FF_FORMAT_SBML) lost |= FF_LOST_INITIAL;
  }
  return lost;
}

/* Writes the whole text and closes the file. Returns 0 or an errno. */
static int write_and_close(int file, const char *text, size_t length, int sync) {
  int number = 0;
  while (length > 0 && number == 0) {
    ssize_t put = write(file, text, length);
    if (put < 0 && errno != EINTR) number = errno;
    if (put > 0) {
      text += put;
      length -= (size_t)put;
    }
  }
  if (number == 0 && sync && fsync(file) != 0) number = errno;
  if (close(file) != 0 && number == 0) number = errno;
  return number;
}

/* Writes a temporary file beside the target and renames it. The new file gets the target's mode. */
static ff_status replace_file(const char *target, const struct stat *old, const char *text, const char *path, ff_error *err) {
  size_t size = strlen(target) + 40;
  char *temporary = ff_calloc(size, 1);
  if (temporary == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a path");
  int file = -1;
  for (unsigned try = 0; try < 1000 && file < 0; try++) {
    snprintf(temporary, size, "%s.%ld-%u.tmp", target, (long)getpid(), try);
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  int number = file < 0 ? errno : 0;
  if (file >= 0) {
    if (old != NULL && fchmod(file, old->st_mode & 07777) != 0) number = errno;
    int written = write_and_close(file, text, strlen(text), 1);
    if (number == 0) number = written;
    if (number == 0 && rename(temporary, target) != 0) number = errno;
    if (number != 0) unlink(temporary);
  }
  free(temporary);
  return number == 0 ? FF_OK : file_error(err, "write", path, number);
}

static ff_status put_file(const char *path, const char *text, ff_error *err) {
  struct stat old;
  if (stat(path, &old) != 0) return replace_file(path, NULL, text, path, err);
  if (!S_ISREG(old.st_mode)) { /* a device or a pipe cannot be replaced */
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int number = file < 0 ? errno : write_and_close(file, text, strlen(text), 0);
    return number == 0 ? FF_OK : file_error(err, "write", path, number);
  }
  char *target = realpath(path, NULL); /* so that a symbolic link remains a link */
  if (target == NULL) return file_error(err, "write", path, errno);
  ff_status status = replace_file(target, &old, text, path, err);
  free(target);
  return status;
}

/* Writes a text, unless it could not be made, and frees it. */
static ff_status write_file(ff_status made, const char *path, char *text, ff_error *err) {
  ff_status status = made == FF_OK ? put_file(path, text, err) : made;
  free(text);
  return status;
}

ff_status ff_io_write(const ff_pbn *pbn, const char *path, ff_format format, ff_error *err) {
  char *text = NULL;
  ff_status status = ff_io_text(&text, pbn, format, err);
  return write_file(status, path, text, err);
}

ff_status ff_io_reactions_text(char **text, const ff_reactions *net, ff_format format, ff_error *err) {
  *text = NULL;
  switch (format) {
    case FF_FORMAT_SBML: return ff_io_sbml_reactions_text(text, net, err);
    case FF_FORMAT_BNGL: return ff_io_bngl_text(text, net, err);
    default: return ff_error_set(err, FF_EARGUMENT, "a reaction network can be written as SBML or as BioNetGen's .net");
  }
}

ff_status ff_io_write_reactions(const ff_reactions *net, const char *path, ff_format format, ff_error *err) {
  char *text = NULL;
  ff_status status = ff_io_reactions_text(&text, net, format, err);
  return write_file(status, path, text, err);
}

ff_status ff_io_petri_text(char **text, const ff_petri *net, ff_format format, ff_error *err) {
  *text = NULL;
  if (format == FF_FORMAT_ANDL || format == FF_FORMAT_CANDL) return ff_io_andl_text(text, net, err);
  return ff_error_set(err, FF_EARGUMENT, "a Petri net can be written as ANDL or CANDL");
}

ff_status ff_io_write_petri(const ff_petri *net, const char *path, ff_format format, ff_error *err) {
  char *text = NULL;
  ff_status status = ff_io_petri_text(&text, net, format, err);
  return write_file(status, path, text, err);
}
