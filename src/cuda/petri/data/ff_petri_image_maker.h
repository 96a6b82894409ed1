/* What the files that make an image share. */
#ifndef FF_PETRI_IMAGE_MAKER_H
#define FF_PETRI_IMAGE_MAKER_H

#include "ff_petri_image.h"

#define FF_PETRI_IMAGE_LOOKS 64u /* so many words of formulas, and constants, that came last are looked at for equal ones */

/* A formula that is put: its words, and its operands in a row. */
typedef struct {
  uint32_t word, length, first, n;
  uint32_t number; /* of what it belongs to */
} ff_petri_image_put;

typedef struct {
  const ff_petri_program *p;
  ff_error *err;
  ff_status status; /* of the first failure */
  uint32_t *of;     /* of each value: its number in the image, or FF_PETRI_IMAGE_NONE for the time and constants */
  uint32_t *row;    /* room for the values of a term's symbols */
  uint32_t n_others, depth;
  /* The arrays of the image, with the numbers of their elements, and for how many there is room. */
#define FF_X(type, name) type *name; size_t n_##name, room_##name;
  FF_PETRI_IMAGE_ARRAYS(FF_X)
#undef FF_X
  struct {
    uint32_t word, length;
  } shape[FF_PETRI_IMAGE_LOOKS]; /* words that came last */
  uint32_t n_shapes;
  ff_petri_image_put *put;       /* a list of formulas that is not complete, */
  uint32_t *taken;               /* and their operands */
  size_t n_put, room_put, n_taken, room_taken;
} ff_petri_image_maker;

/* Makes room for n more elements of an array, and one, so that there is an array. Returns where they begin; NULL after a failure.
 * The caller adds to n_<name>. */
#define FF_PETRI_IMAGE_MORE(m, name, n) \
  ff_petri_image_more((m), (void **)&(m)->name, &(m)->room_##name, (m)->n_##name, (n), sizeof *(m)->name)
void *ff_petri_image_more(ff_petri_image_maker *m, void **array, size_t *room, size_t used, size_t n, size_t size);

ff_status ff_petri_image_check_size(const char *what, uint64_t found, uint64_t most, ff_error *err);

/* ---- implicit steps: ff_petri_image_stiff.c ----------------------------------------------------------------------------- */

/* FF_EUNSUPPORTED if all steps of the solver are implicit, and the net is too large for this. */
ff_status ff_petri_image_check_stiff(const ff_petri_program *program, ff_error *err);

/* Whether there are implicit steps. Otherwise, trajectories that are stiff are refused. */
int ff_petri_image_is_implicit(const ff_petri_program *program);

/* Add what implicit steps need: the places from which flows take, where place[f] is the number of flow f in the image; and
 * derivatives and their elimination. */
void ff_petri_image_put_inputs(ff_petri_image_maker *m, const uint32_t *place);
void ff_petri_image_put_elimination(ff_petri_image_maker *m);

/* ---- formulas: ff_petri_image_formulas.c -------------------------------------------------------------------------------- */

/* Begin a formula of the list that is being put, and add its words: of a formula whose symbol k is the value of[k], or k
 * if `of` is NULL; or the product of a number and a value. `number` tells what it belongs to. */
void ff_petri_image_put_formula(ff_petri_image_maker *m, const ff_formula *formula, const uint32_t *of, uint32_t number);
void ff_petri_image_put_product(ff_petri_image_maker *m, double number, uint32_t value, uint32_t to);

/* A term of transition i of a law. */
void ff_petri_image_put_term(ff_petri_image_maker *m, const ff_petri_law *law, const ff_petri_term *term, uint32_t i,
                             uint32_t number);

/* The list is complete: stores its formulas in out[], in order; or with `sorts`, those with the same words together, and
 * place[number] is where each one is. out[] has room for all. */
void ff_petri_image_end_list(ff_petri_image_maker *m, ff_petri_image_formula *out, int sorts, uint32_t *place);

/* The number of a constant. */
uint32_t ff_petri_image_constant(ff_petri_image_maker *m, double number);

#endif
