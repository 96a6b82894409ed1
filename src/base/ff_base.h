/* Status codes, errors, memory, time and threads. Every module of the core uses this header.
 *
 * Conventions of the whole core:
 * - A function that can fail returns ff_status. On failure it has filled the caller's ff_error, which may be NULL.
 * - The caller of an ff_*_new or ff_*_read owns the result and frees it with the matching ff_*_free, which accepts NULL.
 * - No function in the core prints, exits, or uses R. There are no mutable global variables.
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

/* Tells the compiler that a condition is almost always false. */
#if defined(__GNUC__) || defined(__CUDACC__)
#define FF_RARELY(condition) __builtin_expect((condition) != 0, 0)
#else
#define FF_RARELY(condition) (condition)
#endif

/* A function for a rare case. The processor's compiler keeps it out of line, so that its caller needs no registers for it. */
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

/* The columns are: the code, its name (the class of the R condition is fireflip_error_<name>), and its meaning. */
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
  X(FF_EUNSUPPORTED, "unsupported", "a kind of model that cannot be read")

typedef enum {
#define FF_X(code, name, text) code,
  FF_STATUS_LIST(FF_X)
#undef FF_X
} ff_status;

#define FF_ERROR_TEXT 1024

typedef struct {
  ff_status status;
  char text[FF_ERROR_TEXT]; /* one sentence in UTF-8, always terminated; "..." ends a text that was cut */
} ff_error;

/* The short name of a status, such as "parse", or "unknown" if the value is not a status. A constant string. */
const char *ff_status_name(ff_status status);

/* Fills err, unless it is NULL, from a printf format and returns `status`, so that callers can write `return
 * ff_error_set(err, FF_EPARSE, ...)`. A text that is too long is cut at a character boundary and ends with "...". */
ff_status ff_error_set(ff_error *err, ff_status status, const char *format, ...) FF_PRINTF(3, 4);

/* Allocates count * size zeroed bytes. Returns NULL if the product overflows or there is no memory. If the product is 0, the
 * result is still a pointer that can be freed. The caller frees it with free(). */
void *ff_calloc(size_t count, size_t size);

/* The same, aligned to 128 bytes, as tiles need it. The caller frees it with ff_free_aligned(). */
void *ff_calloc_aligned(size_t count, size_t size);
void ff_free_aligned(void *memory);

/* Enlarges the array *memory, whose elements have `size` bytes, to hold at least `need` elements. *capacity is doubled until
 * it suffices. New bytes are not set to zero. On failure *memory and *capacity are unchanged. */
ff_status ff_grow(void **memory, size_t *capacity, size_t need, size_t size, ff_error *err);

/* Shrinks a block from ff_calloc() or ff_grow() to its first count * size bytes (at least 1) and returns it; the block may
 * have moved. It cannot fail: if there is no memory, the block keeps its size. */
void *ff_shrink(void *memory, size_t count, size_t size);

/* A terminated copy of the first `length` bytes of text, or fewer if the text ends earlier. NULL if there is no memory. The
 * caller frees it with free(). */
char *ff_strndup(const char *text, size_t length);

/* Sorts numbers in ascending order and drops repeats. Returns how many are left. O(n log n). */
size_t ff_sort_unique(uint32_t *numbers, size_t n);
/* The same, faster for many numbers that are near each other. `bits` has a bit for each number up to the largest. All are 0 before
 * and after. */
size_t ff_sort_unique_bits(uint32_t *numbers, size_t n, uint64_t *bits);

/* The least common multiple of two positive numbers. It must be below 2^64. */
uint64_t ff_common_multiple(uint64_t a, uint64_t b);

/* Divides n items into `parts` shares of nearly equal size, and returns the first item of share `part`. Share i has the items
 * from ff_share(n, i, parts) to ff_share(n, i + 1, parts) - 1. Sizes differ by at most one. With more parts than items, some
 * parts are empty. Nothing overflows for any n as long as parts < 2^32. */
static inline uint64_t ff_share(uint64_t n, uint64_t part, uint64_t parts) { return n / parts * part + n % parts * part / parts; }

/* The greatest common divisor of two numbers; if one of them is 0, the other one. */
static inline uint32_t ff_common_divisor(uint32_t x, uint32_t y) {
  while (y != 0) {
    const uint32_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/* Seconds on a monotonic clock. */
double ff_clock(void);

/* The number of processors that this process may use, at least 1. CPU affinity and the cgroup's quota are taken into account. */
int ff_cores(void);

/* Calls work(context, i) for i = 0, ..., n_threads - 1, each in a thread of its own; i = 0 runs in the caller's thread.
 * Returns after all calls have returned, so no thread outlives it. If a thread cannot be created, its call is made in the
 * caller's thread. Signals are delivered only to the caller's thread. */
void ff_parallel(int n_threads, void (*work)(void *context, int index), void *context);

/* -log(1 - p) for 0 <= p < 1, and log(x) for x > 0. They use only +, -, * and /, so the result has the same bits on every
 * machine. The relative error is below 1e-15. Results of the PBN engine and of the estimator depend on these bits, so these
 * functions must not change. ff_log() of ff_math.h is more exact and five times as fast. */
double ff_neg_log1m(double p);
double ff_log_series(double x);

#endif
