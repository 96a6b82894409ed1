/* Allocations that fail on demand. For tests under sanitizers, the core is compiled with this header before each file (-include,
 * see the Makefile). Its calls of ff_calloc() and similar functions then go to failing_memory.c, each with a record of the place
 * of the call. The records form a section of the program, so the list of places is complete, whether they are reached or not.
 * Only test_memory lets any fail. */
#ifndef FF_TESTS_FAILING_MEMORY_H
#define FF_TESTS_FAILING_MEMORY_H

#include "../../src/base/ff_base.h"

/* A place that allocates. */
typedef struct {
  const char *file, *function, *call;
  int line;
  long failed; /* how often it was made to fail */
} failing_site;

/* Makes the allocation with number `first` fail, counted from 1 at this call. With `onwards`, all later allocations fail too. If
 * `first` is 0, none fails. */
void failing_start(long first, int onwards);

/* The number of allocations since failing_start(). */
long failing_count(void);

/* The place of the first allocation that failed since failing_start(), or NULL. */
const failing_site *failing_place(void);

/* Counts an allocation at this place. Returns 1 if it is to fail. */
int failing_now(failing_site *site);

/* From this call on, allocations within the igraph library are counted and fail as well, but have no records. */
void failing_find_igraph(void);

/* The number of allocations within the igraph library that have failed so far. */
long failing_igraph(void);

/* All places, sorted by file and line; *n is their number. The caller frees the array. */
failing_site **failing_sites(size_t *n);

void *failing_calloc(failing_site *site, size_t count, size_t size);
void *failing_calloc_aligned(failing_site *site, size_t count, size_t size);
ff_status failing_grow(failing_site *site, void **memory, size_t *capacity, size_t need, size_t size, ff_error *err);
char *failing_strndup(failing_site *site, const char *text, size_t length);
void *failing_shrink(failing_site *site, void *memory, size_t count, size_t size);

#ifdef FAILING_MEMORY
#define FAILING_HERE(call)                                                               \
  __extension__({                                                                                  \
    static failing_site failing_here = {__FILE__, __func__, call, __LINE__, 0};                    \
    static failing_site *failing_at __attribute__((section("failing_sites"), used)) = &failing_here; \
    failing_at;                                                                                    \
  })
#define ff_calloc(count, size) failing_calloc(FAILING_HERE("ff_calloc"), count, size)
#define ff_calloc_aligned(count, size) failing_calloc_aligned(FAILING_HERE("ff_calloc_aligned"), count, size)
#define ff_grow(memory, capacity, need, size, err) failing_grow(FAILING_HERE("ff_grow"), memory, capacity, need, size, err)
#define ff_strndup(text, length) failing_strndup(FAILING_HERE("ff_strndup"), text, length)
#define ff_shrink(memory, count, size) failing_shrink(FAILING_HERE("ff_shrink"), memory, count, size)
#endif

#endif
