/* What the files of BioNetGen's network format (.net) share.
 *
 * Nothing of another program is copied here. What rates mean was found by reading how BioNetGen's program run_network computes
 * them: the propensity of a rate constant k is k times x (x - 1) ... (x - n + 1) for each reactant that occurs n times.
 */
#ifndef FF_IO_BNGL_H
#define FF_IO_BNGL_H

#include "text/ff_io_parts.h"

typedef enum { FF_BNGL_SPECIES, FF_BNGL_PARAMETER, FF_BNGL_FUNCTION, FF_BNGL_GROUP } ff_bngl_kind;

/* A name of the file, and what its line says of it. */
typedef struct {
  ff_bngl_kind kind;
  int fixed;          /* of a species */
  uint64_t line;
  ff_span text;       /* an expression, or the list of a group */
  ff_formula formula; /* of the expression; its symbols are numbers of ff_bngl_symbol */
  uint32_t number;    /* of the symbol in the network */
} ff_bngl_symbol;

typedef struct {
  uint64_t line;
  ff_span reactants, products, rate;
  ff_span law; /* the name of the function that is the whole propensity, if write_network() has marked the line; else empty */
} ff_bngl_reaction;

/* The mark of a reaction whose law is a formula, in the comment of its line: the name of the formula follows. */
#define FF_BNGL_MARK "fireflip:formula"

/* A file whose lines have been read. The names are those of `ids`, with the same numbers as `symbol`. */
typedef struct {
  ff_build ids;
  ff_bngl_symbol *symbol;
  size_t symbols_room;
  uint32_t *species; /* the symbol of each species */
  size_t n_species, species_room;
  ff_bngl_reaction *reaction;
  size_t n_reactions, reactions_room;
  ff_names *names; /* of all symbols, once all lines have been read */
  ff_out buffer;   /* of ff_bngl_formula() */
  ff_span comment; /* of the line that is read */
  const char *file;
  ff_error *err;
} ff_bngl;

/* Reads the lines of a file. The spans point into the text. The caller calls ff_bngl_free() also on failure. O(length). */
ff_status ff_bngl_read_lines(ff_bngl *file, const char *text, size_t length);
void ff_bngl_free(ff_bngl *file);

/* Takes the next word of a line from *rest: bytes without blanks, empty at the end of the line. */
ff_span ff_bngl_word(ff_span *rest);

/* The length of the name at the start of the text: [A-Za-z_][A-Za-z0-9_]*; 0 if there is none. */
size_t ff_bngl_name_length(ff_span text);

/* Translates an expression of BioNetGen to a formula, whose symbols are numbers of ff_bngl_symbol. `wanted` says what an empty
 * text should have been. The caller frees the contents of *out. O(length). */
ff_status ff_bngl_formula(ff_formula *out, ff_bngl *file, ff_span text, uint64_t line, const char *wanted);

/* Sets the rate and the law of a reaction whose participants are known. `marked` is empty or the name of a formula, which is
 * the law if the rate is the function that write_network() writes for it. The symbols of the rate are numbers of
 * ff_bngl_symbol. */
ff_status ff_bngl_rate(ff_reaction *reaction, ff_bngl *file, ff_span text, ff_span marked, uint64_t line);

#endif
