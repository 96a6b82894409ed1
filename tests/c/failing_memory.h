/* Memory that fails on demand. The core is compiled once more with this header before each file (-include, see the Makefile): its
 * calls of ff_calloc() and the like then come to failing_memory.c, each with a record of the place that it is made from. These
 * records stand in a section of the program, so that the list of places is complete, reached or not.
 */
#ifndef FF_TESTS_FAILING_MEMORY_H
#define FF_TESTS_FAILING_MEMORY_H

#include "../../src/base/ff_base.h"

/* A place that allocates. */
typedef struct {
  const char *file, *function, *call;
  int line;
  long failed; /* times that it has been made to fail */
} failing_site;

/* Of the allocations from now on number `first` fails, from 1, and with `onwards` all after it; 0: none. */
void failing_start(long first, int onwards);

/* Allocations since then. */
long failing_count(void);

/* Allocations that failed since then: the place of the first, or NULL. */
const failing_site *failing_place(void);

/* Allocations within the igraph library that have failed so far: these count and fail as well, but have no records. */
long failing_igraph(void);

/* All places in the order of files and lines; *n is their number. The caller frees the array. */
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
