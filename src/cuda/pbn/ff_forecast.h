/* How long either kernel of the sliced program would take for a run, by times that were measured on one card and are scaled by
 * another's multiprocessors and clock (bench/NOTES.md says how well that fits). Decides speed alone: no bit depends on it. */
#ifndef FF_FORECAST_H
#define FF_FORECAST_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_engine.h"

typedef struct {
  double compile;                /* seconds to make generated code, where none is kept */
  double generated, interpreted; /* seconds of the run; of a step of a trajectory where it is not known how long it is */
} ff_forecast;

/* A card, a run of so many steps of each of its tiles (0: not known), and generated code's shape: levels of counters in shared
 * memory, and warps that a multiprocessor then holds. */
typedef struct {
  uint32_t processors;
  double clock; /* ticks a second; 0: not known */
  uint64_t tiles, steps;
  uint32_t levels, warps;
} ff_forecast_run;

/* O(size of the program). */
ff_forecast ff_forecast_of(const ff_program *program, const ff_forecast_run *run);

#ifdef __cplusplus
}
#endif

#endif
