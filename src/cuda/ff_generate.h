/* Generates CUDA C for one program of the sliced layout: straight-line code that ff_generated.h frames. */
#ifndef FF_GENERATE_H
#define FF_GENERATE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../pbn/ff_engine.h"

typedef struct {
  char *definitions;     /* to stand before ff_generated.h */
  char *functions;       /* to stand after it */
  uint32_t words;        /* of shared memory that a warp takes */
} ff_generated_text;

/* Words of shared memory and operations that the code would have, before it is made. */
void ff_generate_size(const ff_program *program, uint64_t *words, uint64_t *operations);

/* Text for `warps` warps a block and registers that let `blocks` blocks run on a multiprocessor. To be given back to
 * ff_generate_free. O(size of the program). */
ff_status ff_generate(ff_generated_text *out, const ff_program *program, uint32_t warps, uint32_t blocks, ff_error *err);
void ff_generate_free(ff_generated_text *text);

#ifdef __cplusplus
}
#endif

#endif
