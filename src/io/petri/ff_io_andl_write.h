/* What the files of the writer of ANDL share. */
#ifndef FF_IO_ANDL_WRITE_H
#define FF_IO_ANDL_WRITE_H

#include "../../model/petri/ff_petri_flat.h"
#include "ff_io_andl.h"
#include "ff_io_candl_internal.h"

/* Names as the format allows them, and what expressions then name. */
typedef struct {
  const ff_petri *net;
  ff_out *out;
  ff_error *err;
  char **kept; /* all ids */
  size_t n_kept, kept_capacity;
  ff_build symbols, sets, transitions; /* the ids that are taken */
  char **place, **variable, **transition; /* ids */
  ff_colour_scope scope;                  /* with ids for names */
  char **symbol; /* names of symbols by their numbers */
  size_t n_symbols, symbols_capacity;
  ff_petri_flat *flat;                    /* unfolded, once it is needed */
} ff_andl_writer;

/* The elements that a formula names. */
typedef struct {
  const ff_petri_element *element;
  uint32_t n;
} ff_andl_elements;

ff_status ff_andl_writer_begin(ff_andl_writer *w, const ff_petri *net, ff_out *out, ff_error *err);
void ff_andl_writer_end(ff_andl_writer *w);

/* Sets the error that a part of the net cannot be written. */
ff_status ff_andl_cannot(const ff_andl_writer *w, const char *what, const char *name, const char *why);
/* An expression of colours. */
ff_status ff_andl_put_colour(ff_andl_writer *w, const ff_colour_expr *expr, const ff_colour_scope *scope);
/* The colours of an element: x, (x,+y) or (+x). */
ff_status ff_andl_put_tuple(ff_andl_writer *w, const ff_petri_element *element);
/* A formula; `what` and `name` are for messages: a transition and its name. */
ff_status ff_andl_put_formula(ff_andl_writer *w, const ff_formula *formula, ff_andl_elements elements, const char *what,
                              const char *name);
/* A count before a colour: nothing for 1, n`, or (formula)`. */
ff_status ff_andl_put_count(ff_andl_writer *w, const ff_formula *weight, ff_andl_elements elements, const char *what,
                            const char *name);

/* The section transitions: ff_io_andl_write_transitions.c. */
ff_status ff_andl_put_transitions(ff_andl_writer *w);

#endif
