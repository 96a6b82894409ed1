#include "ff_ssa_generate.h"
ff_status ff_ssa_generate_factored(ff_ssa_code *out, const ff_ssa_program *program, const ff_ssa_device_request *request, ff_error *err) { (void)out;(void)program;(void)request; return ff_error_set(err, FF_EUNSUPPORTED, "no"); }
