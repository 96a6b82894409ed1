#include "failing_memory.h"

#include <stdlib.h>
#include <string.h>

/* The core allocates in several threads. */
static struct {
  long count, first;
  int onwards;
  const failing_site *place;
} state;

/* The linker defines these names for the two ends of the section. */
extern failing_site *__start_failing_sites[], *__stop_failing_sites[];

void failing_start(long first, int onwards) {
  state.first = 0; /* from here on this is the only thread */
  state.onwards = onwards;
  state.place = NULL;
  __atomic_store_n(&state.count, 0, __ATOMIC_SEQ_CST);
  state.first = first;
}

long failing_count(void) { return __atomic_load_n(&state.count, __ATOMIC_SEQ_CST); }

const failing_site *failing_place(void) { return __atomic_load_n(&state.place, __ATOMIC_SEQ_CST); }

static int by_place(const void *a, const void *b) {
  const failing_site *x = *(failing_site *const *)a, *y = *(failing_site *const *)b;
  int order = strcmp(x->file, y->file);
  return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

failing_site **failing_sites(size_t *n) {
  *n = (size_t)(__stop_failing_sites - __start_failing_sites);
  failing_site **all = malloc(*n * sizeof *all);
  if (all == NULL) abort();
  memcpy(all, __start_failing_sites, *n * sizeof *all);
  qsort(all, *n, sizeof *all, by_place);
  return all;
}

int failing_now(failing_site *site) {
  long number = __atomic_add_fetch(&state.count, 1, __ATOMIC_SEQ_CST);
  if (state.first == 0 || (state.onwards ? number < state.first : number != state.first)) return 0;
  const failing_site *none = NULL;
  __atomic_compare_exchange_n(&state.place, &none, site, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&site->failed, 1, __ATOMIC_SEQ_CST);
  return 1;
}

void *failing_calloc(failing_site *site, size_t count, size_t size) { return failing_now(site) ? NULL : ff_calloc(count, size); }

void *failing_calloc_aligned(failing_site *site, size_t count, size_t size) {
  return failing_now(site) ? NULL : ff_calloc_aligned(count, size);
}

ff_status failing_grow(failing_site *site, void **memory, size_t *capacity, size_t need, size_t size, ff_error *err) {
  if (need <= *capacity) return FF_OK; /* enough capacity: nothing is allocated */
  if (failing_now(site)) return ff_error_set(err, FF_EMEMORY, "no memory for %zu elements of %zu bytes", need, size);
  return ff_grow(memory, capacity, need, size, err);
}

char *failing_strndup(failing_site *site, const char *text, size_t length) {
  return failing_now(site) ? NULL : ff_strndup(text, length);
}

void *failing_shrink(failing_site *site, void *memory, size_t count, size_t size) {
  return failing_now(site) ? memory : ff_shrink(memory, count, size);
}
