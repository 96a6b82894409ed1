/* The core allocates all its memory with these functions, so that a test can make each allocation fail
 * (tests/c/failing_memory.h). */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include "ff_base.h"

#include <stdlib.h>
#include <string.h>

void *ff_calloc(size_t count, size_t size) {
  if (count == 0 || size == 0) count = size = 1;
  if (count > PTRDIFF_MAX / size) return NULL;
  return calloc(count, size);
}

void *ff_calloc_aligned(size_t count, size_t size) {
  if (count == 0 || size == 0) count = size = 1;
  if (count > (SIZE_MAX - 128) / size) return NULL;
  void *memory = NULL;
  size_t bytes = (count * size + 127) / 128 * 128;
  if (posix_memalign(&memory, 128, bytes) != 0) return NULL;
  memset(memory, 0, bytes);
  return memory;
}

void ff_free_aligned(void *memory) { free(memory); }

ff_status ff_grow(void **memory, size_t *capacity, size_t need, size_t size, ff_error *err) {
  if (need <= *capacity) return FF_OK;
  size_t wanted = *capacity < 16 ? 16 : *capacity;
  while (wanted < need) {
    if (wanted > SIZE_MAX / 2) return ff_error_set(err, FF_ESIZE, "%zu elements need more memory than can be addressed", need);
    wanted *= 2;
  }
  if (wanted > SIZE_MAX / size) return ff_error_set(err, FF_ESIZE, "%zu elements need more memory than can be addressed", need);
  void *grown = realloc(*memory, wanted * size);
  if (grown == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %zu bytes", wanted * size);
  *memory = grown;
  *capacity = wanted;
  return FF_OK;
}

char *ff_strndup(const char *text, size_t length) {
  const char *end = memchr(text, '\0', length);
  if (end != NULL) length = (size_t)(end - text);
  char *copy = ff_calloc(length + 1, 1);
  if (copy != NULL) memcpy(copy, text, length);
  return copy;
}

void *ff_shrink(void *memory, size_t count, size_t size) {
  void *fitted = realloc(memory, count * size > 0 ? count * size : 1); /* of 0 bytes, the block would be freed */
  return fitted != NULL ? fitted : memory;
}
