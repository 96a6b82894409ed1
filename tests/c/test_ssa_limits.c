/* No code is generated for a network whose counts, or sums of counts, begin near the largest on a GPU: threads check them only
 * once in many events, and a trajectory may begin and end between two checks. */
#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "simulations.h"

/* The status with this initial count of all species. */
static ff_status generate(const ff_ssa_program *program, ff_ssa_method method, double count, ff_error *err) {
  const double initial[] = {count, count, count, count, count}, time = 1;
  const uint32_t species = 0;
  const ff_device_request request = {.method = method, .initial = initial, .times = &time, .n_times = 1,
                                         .observed = &species, .n_observed = 1};
  ff_ssa_code code;
  const ff_status status = ff_ssa_generate(&code, program, &request, FF_SSA_SHARED_H200, err);
  ff_ssa_code_free(&code);
  return status;
}

static void counts_that_begin_near_the_limit(void) {
  static const reaction_text births[] = {{"0 -> 100 A", "1"}, {NULL, NULL}};
  const double initial = 0;
  ff_ssa_program *program = program_of(births, &initial, 1);
  ff_error err;
  FF_CHECK_OK(generate(program, FF_SSA_DIRECT, 1073000000, &err), &err);
  FF_CHECK_FAILS(generate(program, FF_SSA_DIRECT, FF_DEVICE_MOST, &err), FF_EUNSUPPORTED, &err,
                 "no generated code: a count is 1073741823 at time 0");
  ff_ssa_program_free(program);
}

/* All five species are members of a sum, which does not fit into 32 bits. */
static void sums_that_begin_above_the_limit(void) {
  static const reaction_text ring[] = {{"A -> B", "1"}, {"B -> C", "1"}, {"C -> D", "1"}, {"D -> E", "1"}, {"E -> A", "1"},
                                       {NULL, NULL}};
  const double initial[] = {1, 1, 1, 1, 1};
  ff_ssa_program *program = program_of(ring, initial, 5);
  ff_error err;
  FF_CHECK_INT(program->factor->n_sums, 1);
  FF_CHECK_OK(generate(program, FF_SSA_FACTORED, 2e8, &err), &err);
  FF_CHECK_FAILS(generate(program, FF_SSA_FACTORED, 9e8, &err), FF_EUNSUPPORTED, &err, "a sum of counts is 4500000000 at time 0");
  FF_CHECK_OK(generate(program, FF_SSA_DIRECT, 9e8, &err), &err);
  ff_ssa_program_free(program);
}

FF_TEST_MAIN("ssa_limits", counts_that_begin_near_the_limit, sums_that_begin_above_the_limit)
