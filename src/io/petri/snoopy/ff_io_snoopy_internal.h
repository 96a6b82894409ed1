/* What the files of the reader of Snoopy's XML share: a document whose elements have been read, but not understood. */
#ifndef FF_IO_SNOOPY_INTERNAL_H
#define FF_IO_SNOOPY_INTERNAL_H

#include "../ff_io_snoopy.h"

/* The columns are: the code, the element of such classes, and the name of the class. The misspelt one is Snoopy's. */
#define FF_SNOOPY_CLASSES(X)                                                            \
  X(FF_SNOOPY_PLACE, "nodeclass", "Place")                                              \
  X(FF_SNOOPY_CONTINUOUS_PLACE, "nodeclass", "Place, Continuous")                       \
  X(FF_SNOOPY_TRANSITION, "nodeclass", "Transition")                                    \
  X(FF_SNOOPY_CONTINUOUS, "nodeclass", "Transition, Continuous")                        \
  X(FF_SNOOPY_IMMEDIATE, "nodeclass", "Immediate Transition")                           \
  X(FF_SNOOPY_DETERMINISTIC, "nodeclass", "Deterministic Transition")                   \
  X(FF_SNOOPY_SCHEDULED, "nodeclass", "Scheduled Transition")                           \
  X(FF_SNOOPY_PARAMETER, "nodeclass", "Parameter")                                      \
  X(FF_SNOOPY_COARSE_PLACE, "nodeclass", "Coarse Place")                                \
  X(FF_SNOOPY_COARSE_TRANSITION, "nodeclass", "Coarse Transition")                      \
  X(FF_SNOOPY_COARSE_PARAMETER, "nodeclass", "Coarse Parameter")                        \
  X(FF_SNOOPY_LOOKUP, "nodeclass", "LookupTable")                                       \
  X(FF_SNOOPY_EDGE, "edgeclass", "Edge")                                                \
  X(FF_SNOOPY_READ, "edgeclass", "Read Edge")                                           \
  X(FF_SNOOPY_INHIBITOR, "edgeclass", "Inhibitor Edge")                                 \
  X(FF_SNOOPY_EQUAL, "edgeclass", "Equal Edge")                                         \
  X(FF_SNOOPY_RESET, "edgeclass", "Reset Edge")                                         \
  X(FF_SNOOPY_MODIFIER, "edgeclass", "Modifier Edge")                                   \
  X(FF_SNOOPY_CONSTANT, "metadataclass", "Constant Class")                              \
  X(FF_SNOOPY_NEW_CONSTANT, "metadataclass", "Constant Class1")                         \
  X(FF_SNOOPY_FUNCTION, "metadataclass", "Function Class")                              \
  X(FF_SNOOPY_OBSERVER, "metadataclass", "Oberserver Class")                            \
  X(FF_SNOOPY_BASIC_SET, "metadataclass", "Basic Colorset Class")                       \
  X(FF_SNOOPY_STRUCTURED_SET, "metadataclass", "Structured Colorset Class")             \
  X(FF_SNOOPY_ALIAS_SET, "metadataclass", "Alias Colorset Class")                       \
  X(FF_SNOOPY_VARIABLE, "metadataclass", "Variable Class")

typedef enum {
#define FF_X(code, element, name) code,
  FF_SNOOPY_CLASSES(FF_X)
#undef FF_X
  FF_SNOOPY_CLASSES_COUNT
} ff_snoopy_class;

/* Classes of nets. The columns are: the name, and whether the net is coloured. */
#define FF_SNOOPY_NETS(X)                      \
  X("Petri Net", 0)                            \
  X("Extended Petri Net", 0)                   \
  X("Stochastic Petri Net", 0)                 \
  X("Continuous Petri Net", 0)                 \
  X("Hybrid Petri Net", 0)                     \
  X("Fuzzy Stochastic Petri Net", 0)           \
  X("Fuzzy Continuous Petri Net", 0)           \
  X("Fuzzy Hybrid Petri Net", 0)               \
  X("Colored Petri Net", 1)                    \
  X("Colored Extended Petri Net", 1)           \
  X("Colored Stochastic Petri Net", 1)         \
  X("Colored Continuous Petri Net", 1)         \
  X("Colored Hybrid Petri Net", 1)             \
  X("Colored Fuzzy Stochastic Petri Net", 1)   \
  X("Colored Fuzzy Continuous Petri Net", 1)   \
  X("Colored Fuzzy Hybrid Petri Net", 1)

/* A text without blanks at its ends. */
typedef struct {
  ff_span text;
  uint64_t line;
} ff_snoopy_text;

typedef struct {
  uint32_t first, n; /* its cells */
} ff_snoopy_row;

/* An attribute: a text, or a table if it has rows. */
typedef struct {
  ff_span name;
  ff_snoopy_text value;
  uint32_t head;        /* the row of its labels; UINT32_MAX if there is none */
  uint32_t first, n;    /* its rows */
  uint32_t row, column; /* those in use */
} ff_snoopy_attribute;

/* A node, edge or piece of metadata. */
typedef struct {
  ff_snoopy_class class;
  uint64_t line, id, source, target;
  uint32_t first, n; /* its attributes */
} ff_snoopy_item;

typedef struct {
  const char *file;
  ff_error *err;
  char *text; /* what spans point to: decoded texts, which are never longer than the file */
  size_t used;
  int coloured, fuzzy;
  ff_snoopy_item *item;
  ff_snoopy_attribute *attribute;
  ff_snoopy_row *row;
  ff_snoopy_text *cell;
  uint32_t n_items, n_attributes, n_rows, n_cells;
  size_t items_room, attributes_room, rows_room, cells_room;
} ff_snoopy;

/* Reads a document. The caller calls ff_snoopy_free(), also on failure. O(length). */
ff_status ff_snoopy_read(ff_snoopy *doc, const char *text, size_t length);
void ff_snoopy_free(ff_snoopy *doc);

/* The attribute of an item, or NULL. */
const ff_snoopy_attribute *ff_snoopy_find(const ff_snoopy *doc, const ff_snoopy_item *item, const char *name);
/* Its text; empty if there is none, with the line of the item. */
ff_snoopy_text ff_snoopy_value(const ff_snoopy *doc, const ff_snoopy_item *item, const char *name);
/* A cell of a table; empty if there is none. */
ff_snoopy_text ff_snoopy_cell(const ff_snoopy *doc, const ff_snoopy_attribute *table, uint32_t row, uint32_t column);
/* The cell of the row in use, or if it is empty, of the first row. */
ff_snoopy_text ff_snoopy_active(const ff_snoopy *doc, const ff_snoopy_attribute *table, uint32_t column);

ff_place ff_snoopy_place(const ff_snoopy *doc, uint64_t line);

/* The parts of the reader; each adds something to the net. */
ff_status ff_snoopy_constants(const ff_snoopy *doc, ff_candl *candl, const ff_io_petri_options *options);
ff_status ff_snoopy_functions(const ff_snoopy *doc, ff_candl *candl);        /* of numbers */
ff_status ff_snoopy_sets(const ff_snoopy *doc, ff_candl *candl);             /* of colours, and variables */
ff_status ff_snoopy_colour_functions(const ff_snoopy *doc, ff_candl *candl);
ff_status ff_snoopy_observers(const ff_snoopy *doc, ff_candl *candl);

/* Puts the marking of a coloured place into *out, in the grammar of CANDL; *line becomes its line. */
ff_status ff_snoopy_marking(ff_out *out, uint64_t *line, const ff_snoopy *doc, const ff_snoopy_item *place, const ff_petri *net);

#endif
