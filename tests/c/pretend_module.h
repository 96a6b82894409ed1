/* Replaces the CUDA driver in tests of ff_jit.c. It accepts code that begins with "code", unless REFUSE_CODE is set. */
#ifndef FF_TESTS_PRETEND_MODULE_H
#define FF_TESTS_PRETEND_MODULE_H

#include <stdlib.h>
#include <string.h>

#include "../../src/cuda/runtime/ff_module.h"

struct ff_module {
  char *code;
};

ff_status ff_module_load(ff_module **out, const char *cubin, ff_error *err) {
  *out = NULL;
  if (strncmp(cubin, "code", 4) != 0 || getenv("REFUSE_CODE") != NULL)
    return ff_error_set(err, FF_EARGUMENT, "the driver does not load compiled code (no)");
  ff_module *m = calloc(1, sizeof *m); /* not allocated by the core, so that test_memory does not make it fail */
  if (m != NULL) m->code = calloc(strlen(cubin) + 1, 1);
  if (m == NULL || m->code == NULL) {
    free(m);
    return ff_error_set(err, FF_EMEMORY, "no memory for a module");
  }
  strcpy(m->code, cubin);
  *out = m;
  return FF_OK;
}

void ff_module_free(ff_module *m) {
  if (m == NULL) return;
  free(m->code);
  free(m);
}

int ff_module_cuda(void) { return 13; }

#endif
