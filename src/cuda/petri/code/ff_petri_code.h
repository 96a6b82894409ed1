/* Generates CUDA C for one Petri net: straight-line code, which ../steps/ff_petri_thread.h completes to a kernel; or for a type
 * of blocks of a large net, and ../windows/ff_petri_sweep.h completes it. The marking at the start and what is recorded are data,
 * so nets that differ only in these share the code. Of several points of a sweep, numbers in which they differ are data, too. */
#ifndef FF_PETRI_CODE_H
#define FF_PETRI_CODE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../ensemble/ff_device.h"
#include "../../../petri/path/ff_petri_hazard_math.h"
#include "../../../petri/program/ff_petri_program.h"
#include "ff_petri_kinds.h"

#define FF_PETRI_CODE_HEADERS "#include \"cuda/petri/steps/ff_petri_thread.h\"\n" /* what comes between the two texts */
#define FF_PETRI_CODE_BLOCK_HEADERS "#include \"cuda/petri/windows/ff_petri_sweep.h\"\n"
#define FF_PETRI_CODE_ROUND 1u /* a slot fires at most so many times more than a launch shall */

#define FF_PETRI_CODE_LARGEST FF_PETRI_KINDS_LARGEST /* count: a trajectory with more tokens in a place is refused */

/* Of a block of a large net. The rows of arrays that all blocks share have room for the largest ones. */
typedef struct {
  uint32_t levels, groups, own_places; /* own_places: all but given levels */
  uint32_t state_reals, state_words;   /* of its state */
} ff_petri_code_sizes;

typedef struct {
  char *definitions; /* text that comes before ff_petri_thread.h */
  char *functions;   /* text that comes after it */
  double *initial;   /* of each place */
  uint32_t *table;   /* for each place its number among what is recorded, or UINT32_MAX */
  double *points;    /* NULL, or what each of n_points points has: its marking, its other numbers, and the bits of its key */
  uint32_t n_points, point_size; /* point_size: numbers of a point */
  uint32_t n_places, threads, blocks; /* threads of a block, blocks of a multiprocessor for which registers are limited */
  int pool;                   /* whether a block has a pool of trajectories: see ff_petri_thread_pool.h */
  uint32_t slots;             /* trajectories of a block */
  uint32_t reals, words;      /* rows of shared memory, */
  uint32_t instant_reals, instant_words; /* and those of them that transitions other than stochastic ones need */
  uint32_t slot_words, pieces; /* that a slot keeps */
  uint32_t of_group;          /* numbers that a group keeps */
  ff_petri_code_sizes sizes;  /* of a block */
} ff_petri_code;

/* Generates the code for a program, what is recorded, and blocks with at most `shared` bytes of shared memory. If the request has
 * points, those join that differ from the first one in numbers only: its `joins` become 1. The caller frees the code with
 * ff_petri_code_free(). FF_EUNSUPPORTED, with a clause that tells why, if no code is generated for such a net. On an error there
 * is nothing to free. O(size of the program), and for each function the square of its operations; with points, O(points * size)
 * and memory as much, too. */
ff_status ff_petri_code_new(ff_petri_code *out, const ff_petri_program *program, const ff_device_request *request, size_t shared,
                            ff_error *err);
#define FF_PETRI_CODE_SHARED 232448u /* of a Hopper GPU; for tests */
void ff_petri_code_free(ff_petri_code *code);

/* The same for blocks of a large net, each of which has at most `near` neighbours: `program` is that of their type. Types that
 * differ only in their neighbours have the same text. ff_petri_code_share() completes it. */
ff_status ff_petri_code_block_new(ff_petri_code *out, const ff_petri_program *program, uint32_t near, ff_error *err);

/* The code of all n classes of types: completes the text of each. Sets the sizes of the largest blocks. The caller frees the code
 * after an error, too. O(length of the text). */
ff_status ff_petri_code_share(ff_petri_code *code, uint32_t n, ff_petri_code_sizes *most, ff_error *err);

/* Bytes of device memory that a slot needs. O(1). */
static inline uint64_t ff_petri_code_slot_bytes(const ff_petri_code *code) {
  return 4ull * code->slot_words + (uint64_t)sizeof(ff_petri_part) * code->pieces;
}

/* Bytes of shared memory of a trajectory of a block, and of the block. O(1). */
#define FF_PETRI_CODE_POOL_BYTES 64u
static inline size_t ff_petri_code_shared_each(const ff_petri_code *code) {
  return 8 * code->reals + 4 * code->words + (code->pool ? 10 : 0);
}

static inline size_t ff_petri_code_shared_bytes(const ff_petri_code *code) {
  return code->slots * ff_petri_code_shared_each(code) + (code->pool ? FF_PETRI_CODE_POOL_BYTES : 0);
}

/* FF_EUNSUPPORTED, with a clause, if no code is generated for a program, whatever is recorded. O(size of the program). */
ff_status ff_petri_code_check(const ff_petri_program *program, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
