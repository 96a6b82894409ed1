/* Predicts the run time of both kernels of the sliced program, and the time to compile generated code. The predictions are
 * measured times of one card, scaled by the other card's multiprocessors and clock rate
 * (docs/decisions/04-boolean-forecast.md compares them with measurements). They affect speed only: no bit of an answer depends on
 * them. */
#ifndef FF_FORECAST_H
#define FF_FORECAST_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../pbn/ff_pbn_engine.h"

typedef struct {
  double compile;                /* seconds to compile the generated code if it is not in the cache */
  double generated, interpreted; /* seconds of the run, or of one step of one trajectory if the length of the run is unknown */
} ff_forecast;

/* A card, a run, and the shape of generated code. */
typedef struct {
  /* multiprocessors of the card */
  uint32_t processors;
  double clock; /* Hz; 0: unknown */
  /* the run: its tiles, and the steps of each; 0: unknown */
  uint64_t tiles, steps;
  /* generated code: levels of counters in shared memory, and warps per multiprocessor */
  uint32_t levels, warps;
} ff_forecast_run;

/* Predicts the times for a program. O(size of the program). */
ff_forecast ff_forecast_of(const ff_pbn_program *program, const ff_forecast_run *run);

#ifdef __cplusplus
}
#endif

#endif
