/* Allocations of igraph that fail. Only test_memory has this file, whose functions take the place of the C library's. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "failing_memory.h"

#include <link.h>

#include <string.h>

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

void failing_find_igraph(void) { dl_iterate_phdr(find_igraph, NULL); }

static failing_site of_igraph = {"igraph", "igraph", "malloc", 0, 0};

long failing_igraph(void) { return __atomic_load_n(&of_igraph.failed, __ATOMIC_SEQ_CST); }

BARE static int igraph_fails(const void *caller) {
  uintptr_t at = (uintptr_t)caller;
  return at >= igraph_code[0] && at < igraph_code[1] && failing_now(&of_igraph);
}

BARE void *malloc(size_t size) { return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_malloc(size); }
BARE void *calloc(size_t count, size_t size) {
  return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_calloc(count, size);
}
BARE void *realloc(void *memory, size_t size) {
  return igraph_fails(__builtin_return_address(0)) ? NULL : __interceptor_realloc(memory, size);
}
