/* Generates CUDA C for one sliced program: straight-line code, which ff_generated.h completes to a kernel. */
#ifndef FF_GENERATE_H
#define FF_GENERATE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_engine.h"

typedef struct {
  char *definitions;     /* text that comes before ff_generated.h */
  char *functions;       /* text that comes after ff_generated.h */
  uint32_t words;        /* 32-bit words of shared memory per warp */
} ff_generated_text;

#define FF_GENERATE_LEVELS 3 /* the most levels of a counter in shared memory: higher levels are seldom accessed */

/* The shape of the kernel: warps per block, blocks per multiprocessor for which the number of registers is limited, and how many
 * of the lowest levels of each counter lie in shared memory (0: none). */
typedef struct {
  uint32_t warps, blocks, levels;
} ff_generate_shape;

/* Computes the words of shared memory per warp and the approximate number of operations of the code, without generating it.
 * O(size of the program). */
void ff_generate_size(const ff_pbn_program *program, uint32_t levels, uint64_t *words, uint64_t *operations);

/* Generates the code. The caller frees it with ff_generate_free(). On an error there is nothing to free. O(size of the
 * program). */
ff_status ff_generate(ff_generated_text *out, const ff_pbn_program *program, const ff_generate_shape *shape, ff_error *err);
/* Frees the texts, not the struct itself. */
void ff_generate_free(ff_generated_text *text);

#ifdef __cplusplus
}
#endif

#endif
