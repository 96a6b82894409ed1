/* Code that the devices of a run own together. It takes a while to generate code, and ensembles are created one after the
 * other. */
#include "code/ff_ssa_generate.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Nothing but `owners` changes after the code is generated. */
struct ff_ssa_common_code {
  ff_ssa_code code;
  uint32_t shared; /* bytes of shared memory for which it was generated */
  atomic_uint owners;
};

ff_status ff_ssa_common_code_new(ff_ssa_common_code **out, ff_ssa_common_code *other, const ff_ssa_program *program,
                                 const ff_device_request *request, uint32_t shared, ff_error *err) {
  *out = NULL;
  if (other != NULL && other->shared == shared) {
    atomic_fetch_add(&other->owners, 1);
    *out = other;
    return FF_OK;
  }
  ff_ssa_common_code *own = ff_calloc(1, sizeof *own);
  if (own == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  ff_status status = ff_ssa_generate(&own->code, program, request, shared, err);
  if (status != FF_OK) {
    free(own);
    return status;
  }
  own->shared = shared;
  atomic_init(&own->owners, 1);
  *out = own;
  return FF_OK;
}

const ff_ssa_code *ff_ssa_common_code_get(const ff_ssa_common_code *code) { return &code->code; }

void ff_ssa_common_code_free(ff_ssa_common_code *code) {
  if (code == NULL || atomic_fetch_sub(&code->owners, 1) > 1) return;
  ff_ssa_code_free(&code->code);
  free(code);
}
