#define _GNU_SOURCE /* dl_iterate_phdr */
#include "failing_memory.h"

#include <link.h>

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

/* Returns 1 if this allocation is to fail. */
static int fails(failing_site *site) {
  long number = __atomic_add_fetch(&state.count, 1, __ATOMIC_SEQ_CST);
  if (state.first == 0 || (state.onwards ? number < state.first : number != state.first)) return 0;
  const failing_site *none = NULL;
  __atomic_compare_exchange_n(&state.place, &none, site, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&site->failed, 1, __ATOMIC_SEQ_CST);
  return 1;
}

void *failing_calloc(failing_site *site, size_t count, size_t size) { return fails(site) ? NULL : ff_calloc(count, size); }

void *failing_calloc_aligned(failing_site *site, size_t count, size_t size) {
  return fails(site) ? NULL : ff_calloc_aligned(count, size);
}

ff_status failing_grow(failing_site *site, void **memory, size_t *capacity, size_t need, size_t size, ff_error *err) {
  if (need <= *capacity) return FF_OK; /* enough capacity: nothing is allocated */
  if (fails(site)) return ff_error_set(err, FF_EMEMORY, "no memory for %zu elements of %zu bytes", need, size);
  return ff_grow(memory, capacity, need, size, err);
}

char *failing_strndup(failing_site *site, const char *text, size_t length) {
  return fails(site) ? NULL : ff_strndup(text, length);
}

void *failing_shrink(failing_site *site, void *memory, size_t count, size_t size) {
  return fails(site) ? memory : ff_shrink(memory, count, size);
}

/* ---- allocations of igraph ------------------------------------------------------------------------------------------- */

/* The libraries find this program's functions of these names before those of AddressSanitizer, which these functions call. The
 * sanitizer itself calls them first, before it is ready. Therefore they must not be instrumented. */
#define BARE __attribute__((no_sanitize("address", "undefined")))
void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t count, size_t size);
void *__interceptor_realloc(void *memory, size_t size);

static uintptr_t igraph_code[2]; /* the address range of its code */

static int find_igraph(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  if (strstr(object->dlpi_name, "libigraph") == NULL) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    igraph_code[0] = object->dlpi_addr + part->p_vaddr;
    igraph_code[1] = igraph_code[0] + part->p_memsz;
  }
  return 1;
}

void failing_start(long first, int onwards) {
  if (igraph_code[1] == 0) dl_iterate_phdr(find_igraph, NULL);
  state.first = 0; /* from here on this is the only thread */
  state.onwards = onwards;
  state.place = NULL;
  __atomic_store_n(&state.count, 0, __ATOMIC_SEQ_CST);
  state.first = first;
}

static failing_site of_igraph = {"igraph", "igraph", "malloc", 0, 0};

long failing_igraph(void) { return __atomic_load_n(&of_igraph.failed, __ATOMIC_SEQ_CST); }

BARE static int igraph_fails(const void *caller) {
  uintptr_t at = (uintptr_t)caller;
  return state.first != 0 && at >= igraph_code[0] && at < igraph_code[1] && fails(&of_igraph);
}

BARE void *malloc(size_t size) { return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_malloc(size); }
BARE void *calloc(size_t count, size_t size) {
  return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_calloc(count, size);
}
BARE void *realloc(void *memory, size_t size) {
  return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_realloc(memory, size);
}
