/* Tests which kernel has the shorter predicted run time. */
#include <math.h>

#include "../../src/cuda/pbn/ff_forecast.h"
#include "rows.h"

static ff_forecast of(const ff_pbn_program *p, uint32_t processors, uint64_t tiles, uint64_t steps) {
  return ff_forecast_of(p, &(ff_forecast_run){processors, 1.98e9, tiles, steps, 0, 16});
}

static ff_pbn_program *program_of(const net_shape *shape) {
  ff_error err;
  ff_pbn_program *out = NULL;
  ff_pbn *pbn = net_random_make(shape, 1);
  if (pbn != NULL) FF_CHECK_OK(ff_pbn_program_new(&out, pbn, NULL, FF_LAYOUT_SLICED, &err), &err);
  ff_pbn_free(pbn);
  return out;
}

static void long_runs_are_worth_compiling_for(void) {
  ff_pbn_program *p = program_of(&(net_shape){.nodes = 40, .max_functions = 2, .max_parents = 4, .perturbation = 0.01});
  if (p == NULL) return;
  ff_forecast brief = of(p, 132, 4, 1000), lasting = of(p, 132, 4096, UINT64_C(1) << 30);
  FF_CHECK(brief.compile == lasting.compile && brief.compile > 0);
  FF_CHECK(brief.generated < brief.interpreted); /* short code is faster than its interpreter ... */
  FF_CHECK(brief.compile + brief.generated > brief.interpreted);
  FF_CHECK(lasting.compile + lasting.generated < lasting.interpreted); /* ... and is compiled if the whole run is then faster */
  ff_pbn_program_free(p);
}

static void time_follows_the_work_and_the_card(void) {
  ff_pbn_program *p = program_of(&(net_shape){.nodes = 40, .max_functions = 2, .max_parents = 4, .perturbation = 0.01});
  if (p == NULL) return;
  ff_forecast one = of(p, 132, 4096, 1000), two = of(p, 132, 8192, 1000);
  ff_forecast steps = of(p, 132, 4096, 2000), half = of(p, 66, 4096, 1000);
  FF_CHECK(fabs(two.generated / one.generated - 2) < 1e-9 && fabs(two.interpreted / one.interpreted - 2) < 1e-9);
  FF_CHECK(fabs(steps.generated / one.generated - 2) < 1e-9 && fabs(steps.interpreted / one.interpreted - 2) < 1e-9);
  FF_CHECK(fabs(half.generated / one.generated - 2) < 1e-9 && fabs(half.interpreted / one.interpreted - 2) < 1e-9);
  ff_forecast few = of(p, 132, 1, 1000), some = of(p, 132, 132, 1000), most = of(p, 132, 132 * 16, 1000);
  /* fewer tiles on a nearly empty device take no less time */
  FF_CHECK(few.generated == some.generated && few.interpreted == some.interpreted);
  FF_CHECK(some.generated < most.generated && most.generated < 16 * some.generated);
  ff_forecast unknown = of(p, 132, 0, 0);
  FF_CHECK(isfinite(unknown.generated) && unknown.generated > 0 && unknown.generated < unknown.interpreted);
  ff_pbn_program_free(p);
}

static void counters_close_by_pay_where_terms_are_many(void) {
  ff_error err;
  ff_pbn_program *p = NULL;
  term_list c;
  ff_pbn *pbn = net_random_make(&(net_shape){.nodes = 40, .max_functions = 2, .max_parents = 4, .perturbation = 0.01}, 1);
  if (pbn == NULL) return;
  choose_terms(&c, pbn, MOST_TERMS);
  FF_CHECK_OK(ff_pbn_program_new(&p, pbn, &c.observables, FF_LAYOUT_SLICED, &err), &err);
  ff_pbn_free(pbn);
  if (p == NULL) return;
  double far = ff_forecast_of(p, &(ff_forecast_run){132, 1.98e9, 0, 0, 0, 20}).generated;
  double near = ff_forecast_of(p, &(ff_forecast_run){132, 1.98e9, 0, 0, 3, 4}).generated;
  FF_CHECK(near < far); /* although fewer warps fit */
  ff_pbn_program_free(p);
}

/* docs/decisions/04-boolean-forecast.md: at 100 nodes with wide tables generated code is slower, however long the run is. */
static void large_programs_are_interpreted(void) {
  ff_pbn_program *p = program_of(&(net_shape){.nodes = 200, .max_functions = 4, .max_parents = 7, .perturbation = 0.001});
  if (p == NULL) return;
  ff_forecast f = of(p, 132, 0, 0);
  FF_CHECK(f.generated > f.interpreted);
  FF_CHECK(f.compile > 5);
  ff_pbn_program_free(p);
}

FF_TEST_MAIN("forecast", long_runs_are_worth_compiling_for, time_follows_the_work_and_the_card,
             counters_close_by_pay_where_terms_are_many, large_programs_are_interpreted)
