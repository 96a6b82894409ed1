/* The kinds of nets and runs that kernels for trajectories simulate, whatever their size. */
#ifndef FF_PETRI_KINDS_H
#define FF_PETRI_KINDS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../ensemble/ff_device.h"
#include "../../../petri/program/ff_petri_program.h"

/* FF_EUNSUPPORTED, with the clause "no kernel simulates nets with <why> yet". */
ff_status ff_petri_refuse(ff_error *err, const char *why);

/* FF_EUNSUPPORTED, with a clause, if no kernel simulates such a net. Not all kernels simulate the others: generated code has
 * transitions of all kinds and implicit steps, and nets as data (../data/) only stochastic transitions and explicit steps. O(size
 * of the program). */
ff_status ff_petri_check_kinds(const ff_petri_program *program, ff_error *err);
/* The same for a part of a net, which may have flows only. */
ff_status ff_petri_check_part(const ff_petri_program *program, ff_error *err);

#define FF_PETRI_KINDS_LARGEST 0x1p30 /* the largest count at the start */

/* The same for a marking at the start. O(places). */
ff_status ff_petri_check_marking(const ff_petri_program *program, const double *initial, ff_error *err);

/* The same for a run. It comes before the kinds of the net, of which a condition that ends trajectories may be a switch, too.
 * With starts, the request has the largest marking of each place. O(places + size of the condition). */
ff_status ff_petri_check_request(const ff_petri_program *program, const ff_device_request *request, ff_error *err);

#ifdef __cplusplus
}
#endif

#endif
