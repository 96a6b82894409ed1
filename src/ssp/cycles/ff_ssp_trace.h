/* What each RU of a processor does in each cycle. */
#ifndef FF_SSP_TRACE_H
#define FF_SSP_TRACE_H

#include "ff_ssp_cycles.h"

typedef struct ff_ssp_trace ff_ssp_trace;

/* Begins a run as ff_ssp_cycles_new() does, and a record of at most `most` states: one for each RU of each SPE and cycle. The
 * caller frees *out with ff_ssp_trace_free(), which accepts NULL. Memory: O(most), besides that of the run. */
ff_status ff_ssp_trace_new(ff_ssp_trace **out, const ff_ssp_program *program, const ff_ssp_cycles_options *options, uint64_t most,
                           ff_error *err);
void ff_ssp_trace_free(ff_ssp_trace *trace);

/* As ff_ssp_cycles_advance(). FF_ESIZE if the record is full before the run ends. O(instructions of a step) for each cycle. */
ff_status ff_ssp_trace_advance(ff_ssp_trace *trace, double seconds, int *done, ff_error *err);

/* Cycles so far. */
uint64_t ff_ssp_trace_cycles(const ff_ssp_trace *trace);

/* The state of RU `ru` of an SPE in a cycle; FF_SSP_DONE and the others of ff_ssp_timing.h. O(1). */
uint32_t ff_ssp_trace_state(const ff_ssp_trace *trace, uint32_t spe, uint32_t ru, uint64_t cycle);

/* Whether a step of an SPE ended in this cycle. O(1). */
int ff_ssp_trace_ends(const ff_ssp_trace *trace, uint32_t spe, uint64_t cycle);

#endif
