/* Generates CUDA C for one network: straight-line code, which ff_ssa_thread.h completes to a kernel. Rate constants and initial
 * counts are data, so networks that differ only in these share the code. */
#ifndef FF_SSA_GENERATE_H
#define FF_SSA_GENERATE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../formula/ff_formula_writer.h"
#include "../../../../ensemble/ff_device.h"
#include "../../../../ssa/program/ff_ssa_options.h"
#include "../../../../ssa/groups/ff_ssa_factor.h"

typedef struct {
  char *definitions;  /* text that comes before ff_ssa_thread.h */
  char *functions;    /* text that comes after it */
  uint32_t *table;    /* the table that all threads read, in the shared memory of a block */
  uint32_t *big;      /* one in global memory */
  double *rates;
  uint32_t n_table, n_big, n_rates;
  uint32_t n_counts, n_rows; /* words of a thread: in registers, in shared memory */
  uint32_t n_store;   /* in global memory */
  uint32_t n_kept;    /* in memory of its own */
  uint32_t n_sums;    /* in shared memory behind the rows, an even number; if they are kept between launches, in n_kept, too */
  uint32_t threads;   /* per block */
  double speed;       /* about the steps per second of an H200 whose threads all have trajectories, for groups of reactions */
  double latency;     /* about the seconds that a step of a trajectory takes if there are few; 0 if this is not known */
  int for_points;     /* whether the code also works for several points */
  int bits16;         /* whether counts or sums have 16 bits, although code for a request with bits32 would have more */
  ff_formula_numbers numbers; /* of formulas, if the code is for several points */
  int initial_big;    /* whether the initial counts are in `big`, else in `table` */
  uint32_t initial_at, n_initial; /* where they are */
  uint32_t leaves_at, n_leaves;   /* words of `table` that hold other rate constants */
} ff_ssa_code;

#define FF_SSA_CODE_HEADERS "#include \"cuda/ssa/generated/steps/ff_ssa_thread.h\"\n" /* what comes between the two texts */
#define FF_SSA_CODE_WORDS 6u /* that each slot keeps, besides counts, rows, the store and n_kept words */

/* Generates the code for a program and what is recorded. A multiprocessor has `shared` bytes of shared memory. The caller frees
 * the code with ff_ssa_code_free(). FF_EUNSUPPORTED, with a clause that tells why, if no code is generated for such a network. On
 * an error there is nothing to free. O(size of the program). */
ff_status ff_ssa_generate(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request, uint32_t shared,
                          ff_error *err);
#define FF_SSA_CODE_ROUND 8u /* a launch may make fewer than so many steps more than it shall, to complete a round of its loop */
#define FF_SSA_SHARED_H200 233472u /* bytes of shared memory of a multiprocessor of an H100 or H200 */
/* About the steps per second for so many trajectories on a device like an H200, of so many multiprocessors. */
double ff_ssa_code_speed(const ff_ssa_code *code, double trajectories, double multiprocessors);
/* Frees the contents, not the struct itself. */
void ff_ssa_code_free(ff_ssa_code *code);

/* Generated code that the ensembles of several devices own together. The last owner frees it. Owners may be in different
 * threads. */
typedef struct ff_ssa_common_code ff_ssa_common_code;
/* Generates code as ff_ssa_generate() does, and makes the caller its owner. `other` is NULL, or code of the same program and an
 * equal request. If it was generated for as much shared memory, *out is `other`, and the caller becomes one more owner; this is
 * O(1). The caller frees *out with ff_ssa_common_code_free(), which accepts NULL. */
ff_status ff_ssa_common_code_new(ff_ssa_common_code **out, ff_ssa_common_code *other, const ff_ssa_program *program,
                                 const ff_device_request *request, uint32_t shared, ff_error *err);
const ff_ssa_code *ff_ssa_common_code_get(const ff_ssa_common_code *code); /* valid until the owner frees it */
void ff_ssa_common_code_free(ff_ssa_common_code *code);

/* If the request has points, rate constants and initial counts are not read from the arrays of the code, but from the words that
 * ff_ssa_code_point() fills for each point. */
uint32_t ff_ssa_code_point_words(const ff_ssa_code *code);
void ff_ssa_code_point(const ff_ssa_code *code, uint64_t key, uint32_t *words);
/* Whether two codes differ at most in the words of a point. O(size). */
int ff_ssa_code_alike(const ff_ssa_code *a, const ff_ssa_code *b);

/* The parts of ff_ssa_generate(): the direct method, and optimised_direct and sorting_direct in straight-line code; these two
 * with a table; factors; and replicated modules. What they allocate belongs to *out, also after an error. */
ff_status ff_ssa_generate_direct(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                 uint32_t shared, ff_error *err);
ff_status ff_ssa_generate_table(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                uint32_t shared, ff_error *err);
ff_status ff_ssa_generate_factored(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                   uint32_t shared, ff_error *err);
ff_status ff_ssa_generate_ring(ff_ssa_code *out, const ff_ssa_program *program, const ff_device_request *request,
                                  uint32_t shared, ff_error *err);

/* Whether code for optimised_direct and sorting_direct has a table. O(reactions). */
int ff_ssa_optimised_by_table(const ff_ssa_program *program);
/* FF_EUNSUPPORTED if no code is generated for these methods. */
ff_status ff_ssa_optimised_check(const ff_ssa_program *program, const ff_device_request *request, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
