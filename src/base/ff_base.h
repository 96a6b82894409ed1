/* Status codes, errors, memory, time and threads: what every module of the core stands on.
 *
 * Conventions of the whole core:
 *  - a function that can fail returns ff_status and, on failure, has filled the caller's ff_error (which may be NULL);
 *  - whoever calls an ff_*_new or ff_*_read owns the result and gives it back to the matching ff_*_free, which takes NULL;
 *  - nothing here or above prints, exits, keeps globals or knows of R.
 */
#ifndef FF_BASE_H
#define FF_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define FF_HD __host__ __device__
#else
#define FF_HD
#endif

/* A condition that hardly ever holds. */
#if defined(__GNUC__) || defined(__CUDACC__)
#define FF_RARELY(condition) __builtin_expect((condition) != 0, 0)
#else
#define FF_RARELY(condition) (condition)
#endif

/* A function for such a case: on the processor no part of what calls it, so that it costs that no registers. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define FF_SELDOM static __attribute__((noinline, cold, unused))
#else
#define FF_SELDOM static FF_HD inline
#endif

#if defined(__GNUC__)
#define FF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define FF_PRINTF(fmt, args)
#endif

/* code, name (the R condition's class is fireflip_error_<name>), what it means */
#define FF_STATUS_LIST(X)                                             \
  X(FF_OK, "ok", "success")                                           \
  X(FF_EMEMORY, "memory", "out of memory")                            \
  X(FF_EARGUMENT, "argument", "an argument is out of its domain")     \
  X(FF_EPARSE, "parse", "a text does not follow its grammar")         \
  X(FF_EFILE, "file", "a file cannot be read or written")             \
  X(FF_EMODEL, "model", "a model contradicts itself")                 \
  X(FF_ESIZE, "size", "a size exceeds what the program can address")  \
  X(FF_EBACKEND, "backend", "a backend is missing or failed")         \
  X(FF_ECONVERGENCE, "convergence", "an iteration did not converge")  \
  X(FF_EINTERNAL, "internal", "a broken invariant: please report it") \
  X(FF_EUNSUPPORTED, "unsupported", "a model of a kind that is not read")

typedef enum {
#define FF_X(code, name, text) code,
  FF_STATUS_LIST(FF_X)
#undef FF_X
} ff_status;

#define FF_ERROR_TEXT 1024

typedef struct {
  ff_status status;
  char text[FF_ERROR_TEXT]; /* one sentence, UTF-8, always terminated; long tokens are cut with "..." */
} ff_error;

/* The short name of a status ("parse"); "unknown" for a value that is none. */
const char *ff_status_name(ff_status status);

/* Fills err (if not NULL) and returns status, so that `return ff_error_set(err, FF_EPARSE, ...)` reads well. */
ff_status ff_error_set(ff_error *err, ff_status status, const char *format, ...) FF_PRINTF(3, 4);

/* count * size zeroed bytes, or NULL where that overflows or there is no memory; count 0 gives a pointer to free. */
void *ff_calloc(size_t count, size_t size);

/* The same aligned to 128 bytes, as tiles want it; to be freed by ff_free_aligned. */
void *ff_calloc_aligned(size_t count, size_t size);
void ff_free_aligned(void *memory);

/* Grows *memory (elements of `size` bytes) to hold at least `need` elements, doubling *capacity; new bytes are not
 * cleared. On failure *memory is as it was. */
ff_status ff_grow(void **memory, size_t *capacity, size_t need, size_t size, ff_error *err);

/* Gives room back: the first count * size bytes, at least 1, of memory that ff_calloc or ff_grow made, perhaps elsewhere. It cannot
 * fail: without memory the block stays as large as it was. */
void *ff_shrink(void *memory, size_t count, size_t size);

/* A copy of at most `length` bytes of text, terminated; NULL without memory. */
char *ff_strndup(const char *text, size_t length);

/* The least common multiple of two numbers above 0, whose product is below 2^64. */
uint64_t ff_common_multiple(uint64_t a, uint64_t b);

/* Where part `part` of `parts` equal shares of n begins: part i has what lies between ff_share(n, i, parts) and
 * ff_share(n, i + 1, parts). Sizes differ by at most one; some are empty where parts > n. No overflow. */
static inline uint64_t ff_share(uint64_t n, uint64_t part, uint64_t parts) { return n / parts * part + n % parts * part / parts; }

/* Seconds on a clock that never goes back. */
double ff_clock(void);

/* Processors that this process may use (affinity and cgroup quota counted), at least 1. */
int ff_cores(void);

/* Runs work(context, i) for i in 0..n_threads-1, each in a thread of its own (i = 0 in the caller's), and returns once
 * all are back: no thread outlives the call. Where a thread cannot be made its share runs in the caller. Signals stay
 * with the caller's thread. */
void ff_parallel(int n_threads, void (*work)(void *context, int index), void *context);

/* -log(1 - p) for 0 <= p < 1, and log(x) for x > 0, by +, -, * and / alone: the same bits on every machine.
 * Relative error below 1e-15. Results of the PBN engine and of the estimator depend on their bits, so they stay as they are;
 * ff_log() of ff_math.h is more exact and five times as fast. */
double ff_neg_log1m(double p);
double ff_log_series(double x);

#endif
