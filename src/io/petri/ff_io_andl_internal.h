/* What the files of the reader and writer of ANDL share. */
#ifndef FF_IO_ANDL_INTERNAL_H
#define FF_IO_ANDL_INTERNAL_H

#include "ff_io_andl.h"
#include "ff_io_candl_internal.h"

/* A section: which one it is, and where its statements start. */
typedef struct {
  int kind;
  size_t at;
} ff_andl_section;

/* The marking of a place, which is read after the observers. */
typedef struct {
  uint32_t place;
  ff_span text;
} ff_andl_marking;

typedef struct {
  ff_candl *candl;
  ff_span text;  /* without comments */
  size_t at;
  size_t counted; /* up to where lines have been counted */
  uint64_t line;
  const char *file;
  ff_error *err;
  int continuous;      /* a cpn */
  int in_continuous;   /* places: the present kind */
  ff_petri_kind kind;  /* transitions: the present kind */
  ff_span *valueset;
  size_t n_valuesets, valuesets_capacity;
  uint32_t chosen;     /* of the value sets */
  ff_andl_section *section;
  size_t n_sections, sections_capacity;
  ff_andl_marking *marking;
  size_t n_markings, markings_capacity;
} ff_andl;

/* The place of a piece of the text. O(1) on average while they follow each other. */
ff_place ff_andl_place(ff_andl *andl, ff_span piece);
/* A transition, without the ";" at its end. */
ff_status ff_andl_transition(ff_andl *andl, ff_span text);
/* Refuses a configuration of Spike. */
ff_status ff_andl_refuse_spc(const char *file, ff_span text, ff_error *err);
int ff_andl_is_spc(ff_span text);

#endif
