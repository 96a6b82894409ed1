/* Generates CUDA C for one program of the sliced layout: straight-line code that ff_generated.h frames. */
#ifndef FF_GENERATE_H
#define FF_GENERATE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_engine.h"

typedef struct {
  char *definitions;     /* to stand before ff_generated.h */
  char *functions;       /* to stand after it */
  uint32_t words;        /* of shared memory that a warp takes */
} ff_generated_text;

#define FF_GENERATE_LEVELS 3 /* at most in shared memory: higher ones are seldom touched */

/* Warps of a block, how many blocks registers are to leave room for on a multiprocessor, and how many of the lowest levels of all
 * counters lie in shared memory (0: none). */
typedef struct {
  uint32_t warps, blocks, levels;
} ff_generate_shape;

/* Words of shared memory (of a warp) and operations that the code would have, before it is made. */
void ff_generate_size(const ff_program *program, uint32_t levels, uint64_t *words, uint64_t *operations);

/* To be given back to ff_generate_free. O(size of the program). */
ff_status ff_generate(ff_generated_text *out, const ff_program *program, const ff_generate_shape *shape, ff_error *err);
void ff_generate_free(ff_generated_text *text);

#ifdef __cplusplus
}
#endif

#endif
