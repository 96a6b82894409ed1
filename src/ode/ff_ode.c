/* Steps and their lengths, and the state within a step. */
#include "ff_cvode.h"
#include "ff_ode_internal.h"

#include <stdlib.h>
#include <string.h>

/* A jump of a rate within a step counts by the weights of the stages before it. So a part of the way to the jump may be left, at
 * most four times in a row for Dormand and Prince's weights. */
#define STEPS_OF_A_JUMP 8

static const ff_ode_stepper *const steppers[] = {
    [FF_ODE_DORMAND_PRINCE] = &ff_ode_explicit, [FF_ODE_RODAS] = &ff_ode_implicit, [FF_ODE_CVODE] = &ff_ode_reference};

const ff_ode_about *ff_ode_method_about(ff_ode_method method) { return &steppers[method]->about; }

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

static ff_status allocate(ff_ode *o, ff_error *err) {
  const size_t n = o->equations.n;
  double **const arrays[] = {&o->start, &o->end, &o->slope[0], &o->slope[1], &o->at, &o->error, &o->look};
  const size_t n_arrays = sizeof arrays / sizeof arrays[0];
  double *next = o->memory = ff_calloc(n, (n_arrays + FF_ODE_STAGES + FF_ODE_DENSE) * sizeof *o->memory);
  o->dense_step = ff_calloc(n, sizeof *o->dense_step);
  if (next == NULL || o->dense_step == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for a solution of %zu components", n);
  for (size_t i = 0; i < n_arrays; i++, next += n) *arrays[i] = next;
  for (int i = 0; i < FF_ODE_STAGES; i++, next += n) o->k[i] = next;
  o->dense = next;
  return FF_OK;
}

static ff_status check(const ff_ode_equations *equations, const ff_ode_options *options, ff_error *err) {
  const uint32_t n = equations->n;
  if (!(options->tolerance > 0))
    return ff_error_set(err, FF_EARGUMENT, "the tolerance is %g; expected a number above 0", options->tolerance);
  for (uint32_t i = 0; options->size != NULL && i < n; i++)
    if (!(options->size[i] > 0))
      return ff_error_set(err, FF_EARGUMENT, "the size of component %u is %g; expected a number above 0", i, options->size[i]);
  if (equations->order != NULL && equations->order->n != n)
    return ff_error_set(err, FF_EARGUMENT, "the order is that of %u components; expected %u", equations->order->n, n);
  return FF_OK;
}

ff_status ff_ode_new(ff_ode **out, const ff_ode_equations *equations, const ff_ode_options *options, ff_error *err) {
  *out = NULL;
  ff_status status = check(equations, options, err);
  if (status != FF_OK) return status;
  ff_ode *o = ff_calloc(1, sizeof *o);
  if (o == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a solution");
  o->equations = *equations;
  o->options = *options;
  if (!(options->least > 0)) o->options.least = FF_ODE_LEAST_STEP;
  status = allocate(o, err);
  const ff_ode_stepper *stepper = steppers[options->automatic ? FF_ODE_DORMAND_PRINCE : options->method];
  if (status == FF_OK && stepper->make != NULL) status = stepper->make(o, err);
  if (status == FF_OK)
    ff_ode_begin(*out = o, 0, o->end, 0);
  else
    ff_ode_free(o);
  return status;
}

void ff_ode_free(ff_ode *o) {
  if (o == NULL) return;
  ff_ode_linear_free(o->linear);
  ff_cvode_free(o->cvode);
  free(o->memory);
  free(o->dense_step);
  free(o);
}

/* ---- between steps ------------------------------------------------------------------------------------------------------ */

static void set_span(ff_ode *o) {
  o->span.start = o->start;
  o->span.end = o->end;
  o->span.slope = o->slope[1];
  o->span.error = o->error;
}

static void set_state(ff_ode *o, double t, const double *x) {
  memmove(o->end, x, o->equations.n * sizeof *o->end);
  memcpy(o->start, o->end, o->equations.n * sizeof *o->start);
  memset(o->error, 0, o->equations.n * sizeof *o->error);
  o->span.from = o->span.to = t;
  o->span.jumped = o->has_slope = o->has_dense = 0;
  o->fresh = o->anew = 1;
  set_span(o);
}

/* Sets all that a later step reads of earlier ones, but for the number of the step, which tells whose derivatives are known. */
void ff_ode_begin(ff_ode *o, double t, const double *x, double h) {
  set_state(o, t, x);
  o->pace.next = o->pace.shortest = h > 0 ? h : 0;
  o->pace.tried = o->length = 0;
  o->stepper = steppers[o->options.automatic ? FF_ODE_DORMAND_PRINCE : o->options.method];
  o->pace.jumps = o->pace.stiff = o->pace.calm = 0;
  o->trying = 0;
}

void ff_ode_go_on(ff_ode *o, double t, const double *x) {
  if (t >= o->span.from && t < o->span.to && o->pace.next > o->pace.tried) o->pace.next = o->pace.tried; /* as ff_ode_cut() */
  set_state(o, t, x);
  o->trying = 0;
}

ff_ode_pace ff_ode_pace_of(const ff_ode *o) { return o->pace; }

void ff_ode_set_pace(ff_ode *o, const ff_ode_pace *pace) {
  o->span.to = o->span.from; /* the last step may be of another solution */
  o->pace = *pace;
}

const ff_ode_span *ff_ode_last(const ff_ode *o) { return &o->span; }

double ff_ode_next(const ff_ode *o) { return o->pace.next; }

uint64_t ff_ode_calls(const ff_ode *o) { return o->calls; }

ff_ode_method ff_ode_present_method(const ff_ode *o) {
  ff_ode_method method = FF_ODE_DORMAND_PRINCE;
  while (steppers[method] != o->stepper) method++;
  return method;
}

const double *ff_ode_slope(ff_ode *o) {
  if (!o->has_slope) {
    o->failed = 0;
    ff_ode_call(o, o->span.to, o->end, o->slope[1]);
    o->has_slope = !o->failed;
  }
  return o->has_slope ? o->slope[1] : NULL;
}

double *ff_ode_wants_slope(ff_ode *o) { return o->has_slope || o->trying || o->stepper != &ff_ode_explicit ? NULL : o->slope[1]; }

void ff_ode_has_slope(ff_ode *o) { o->has_slope = 1; }

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

static void swap(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

static double first_step(const ff_ode *o) {
  double fastest = 0;
  for (uint32_t i = 0; i < o->equations.n; i++)
    fastest = ff_ode_larger(fabs(o->slope[0][i]) / (ff_ode_size(o, i) + fabs(o->start[i])), fastest);
  return ff_ode_first_step(fastest);
}

/* The method of the next step. The implicit one gets its memory when it is first needed. */
static int choose_method(ff_ode *o) {
  if (!o->options.automatic) return 1;
  const ff_ode_stepper *stepper = o->pace.stiff == FF_ODE_STIFF_STEPS ? &ff_ode_implicit : &ff_ode_explicit;
  if (stepper->make != NULL && stepper->make(o, NULL) != FF_OK) return 0;
  o->stepper = stepper;
  return 1;
}

/* The end of the last step becomes the start of the next one. */
static ff_ode_outcome begin_step(ff_ode *o) {
  if (ff_ode_slope(o) == NULL) return FF_ODE_FAILED;
  if (!choose_method(o)) return FF_ODE_NO_MEMORY;
  swap(&o->start, &o->end);
  swap(&o->slope[0], &o->slope[1]);
  set_span(o);
  o->span.from = o->span.to;
  o->step++;
  o->has_dense = 0;
  if (!(o->pace.next > 0)) o->pace.next = o->pace.shortest = first_step(o);
  return FF_ODE_STEPPED;
}

/* No step was made: the state is that from before. */
static ff_ode_outcome end_without_step(ff_ode *o) {
  swap(&o->start, &o->end);
  swap(&o->slope[0], &o->slope[1]);
  set_span(o);
  o->span.to = o->span.from;
  memcpy(o->start, o->end, o->equations.n * sizeof *o->start);
  return FF_ODE_FAILED;
}

/* The largest error of a component, as a part of what the tolerance permits. */
static double error_of(const ff_ode *o) {
  double error = 0;
  for (uint32_t i = 0; i < o->equations.n; i++) {
    const double most = o->options.tolerance * (ff_ode_size(o, i) + ff_ode_larger(fabs(o->start[i]), fabs(o->end[i])));
    const double part = o->error[i] / most;
    if (!(part < INFINITY)) return INFINITY;
    error = ff_ode_larger(error, part);
  }
  return error;
}

/* Does the arithmetic of the step that is planned. */
static double try_step(ff_ode *o) {
  double error = o->stepper->attempt(o, o->pace.tried) ? error_of(o) : INFINITY;
  if (o->options.judge != NULL) error = o->options.judge(o->equations.of, &o->span, error);
  return error;
}

/* A step of length h was accepted. */
static void end_step(ff_ode *o, double h, double speed) {
  o->pace.jumps = o->span.jumped ? o->pace.jumps + 1 : 0;
  if (!o->span.jumped && h < o->pace.shortest) o->pace.shortest = h;
  o->fresh = 0;
  o->length = o->span.to - o->span.from;
  if (!o->options.automatic) return;
  if (speed != speed) speed = o->stepper == &ff_ode_explicit ? ff_ode_explicit_speed(o) : ff_ode_implicit_speed(o);
  ff_ode_count_stiff(&o->pace, o->pace.tried * speed > FF_ODE_STIFF_BORDER, o->stepper == &ff_ode_explicit);
}

/* The error that counts, with that of components below 0. */
static double error_of_trial(const ff_ode *o, double error) {
  const double most = o->options.below;
  for (uint32_t i = 0; i < o->equations.n && most > 0; i++)
    if (o->options.may_fall == NULL || !o->options.may_fall[i]) error = ff_ode_error_below(error, o->end[i], most);
  return error;
}

/* A step of a method that chooses its length. Only its own estimate makes it shorter, so levels below 0 are a failure. */
static ff_ode_outcome advance(ff_ode *o) {
  o->trying = 0;
  if (!o->stepper->advance(o, o->plan.most) || error_of_trial(o, 0) > 1) return end_without_step(o);
  end_step(o, o->pace.tried, NAN);
  o->has_slope = 0;
  return FF_ODE_STEPPED;
}

/* Begins a step, unless one was begun. */
static ff_ode_outcome begin_trials(ff_ode *o, double most) {
  if (o->trying) return FF_ODE_STEPPED;
  if (most <= o->span.to) return FF_ODE_AT_END;
  if (!(most > o->span.to)) return FF_ODE_FAILED; /* it is no number */
  const ff_ode_outcome begun = begin_step(o);
  o->trying = begun == FF_ODE_STEPPED;
  o->plan.most = most;
  return begun;
}

/* The length of the step that is tried next. */
static void plan_trial(ff_ode *o) {
  for (;;) {
    ff_ode_plan_step(&o->pace, &o->plan, o->span.from, o->options.least, o->fresh);
    o->span.to = o->span.from + o->pace.tried;
    if (o->options.see == NULL) break;
    const double to = o->plan.limited ? o->plan.most : o->span.to;
    const double end = o->options.see(o->equations.of, o->span.from, to, o->pace.tried);
    if (!(end < to)) break;
    o->plan.most = end;
  }
  o->failed = 0;
}

int ff_ode_trial_end(ff_ode *o, const ff_ode_verdict *verdict, ff_ode_outcome *outcome) {
  const double h = o->pace.tried, error = error_of_trial(o, verdict->error);
  o->span.jumped = o->plan.least && error > 1 && error < INFINITY &&
                   o->pace.jumps < (uint64_t)STEPS_OF_A_JUMP * o->options.jumps;
  const int accepted = (error <= 1 || o->span.jumped) && !o->failed;
  ff_ode_next_length(&o->pace, &o->plan, ff_ode_factor(error, o->stepper->about.order, accepted), accepted);
  o->trying = !accepted && !o->plan.least;
  if (o->trying) return 0;
  if (accepted) {
    if (o->plan.limited) o->span.to = o->plan.most;
    end_step(o, h, verdict->speed);
    o->has_dense = verdict->dense;
  }
  *outcome = accepted ? FF_ODE_STEPPED : end_without_step(o);
  return 1;
}

/* The speed is computed when it is needed. */
ff_ode_verdict ff_ode_trial_alone(ff_ode *o) { return (ff_ode_verdict){try_step(o), NAN, 0}; }

/* Makes the step that was begun. */
static ff_ode_outcome make_step(ff_ode *o) {
  ff_ode_outcome outcome;
  if (o->stepper->advance != NULL) return advance(o);
  for (;; plan_trial(o)) {
    const ff_ode_verdict verdict = ff_ode_trial_alone(o);
    if (ff_ode_trial_end(o, &verdict, &outcome)) return outcome;
  }
}

int ff_ode_trial_begin(ff_ode *o, double most, ff_ode_trial *out, ff_ode_outcome *outcome) {
  *outcome = begin_trials(o, most);
  if (*outcome != FF_ODE_STEPPED) return 0;
  plan_trial(o);
  if (o->stepper == &ff_ode_explicit) {
    *out = (ff_ode_trial){o->span.from, o->pace.tried, o->start, o->slope[0], o->end, o->slope[1], o->error, o->dense};
    return 1;
  }
  *outcome = make_step(o);
  return 0;
}

ff_ode_outcome ff_ode_step(ff_ode *o, double most) {
  const ff_ode_outcome outcome = begin_trials(o, most);
  if (outcome != FF_ODE_STEPPED) return outcome;
  plan_trial(o);
  return make_step(o);
}

/* ---- within a step ------------------------------------------------------------------------------------------------------ */

static double part_of(const ff_ode *o, double t) { return (t - o->span.from) / o->length; }

static inline double value_of(const ff_ode *o, uint32_t i, double part) {
  return ff_ode_dense_value(o->dense + (size_t)i * FF_ODE_DENSE, part);
}

const double *ff_ode_curve(ff_ode *o, uint32_t i) {
  if (!o->has_dense && o->dense_step[i] != o->step) {
    o->stepper->interpolate(o, i, i + 1);
    o->dense_step[i] = o->step;
  }
  return o->dense + (size_t)i * FF_ODE_DENSE;
}

double ff_ode_component(ff_ode *o, double t, uint32_t i) {
  if (t <= o->span.from) return o->start[i];
  if (t >= o->span.to) return o->end[i];
  return ff_ode_dense_value(ff_ode_curve(o, i), part_of(o, t));
}

void ff_ode_state(ff_ode *o, double t, double *x) {
  if (t <= o->span.from || t >= o->span.to) {
    memcpy(x, t <= o->span.from ? o->start : o->end, o->equations.n * sizeof *x);
    return;
  }
  const double part = part_of(o, t);
  if (!o->has_dense) o->stepper->interpolate(o, 0, o->equations.n);
  o->has_dense = 1;
  for (uint32_t i = 0; i < o->equations.n; i++) x[i] = value_of(o, i, part);
}

/* Before the end changes, ff_ode_state() computes the coefficients of all components: they need the whole step. */
void ff_ode_cut(ff_ode *o, double t) {
  if (!(t >= o->span.from && t < o->span.to)) return;
  ff_ode_state(o, t, o->look);
  memcpy(o->end, o->look, o->equations.n * sizeof *o->end);
  o->span.to = t;
  o->anew = 1;
  o->has_slope = 0;
  if (o->pace.next > o->pace.tried) o->pace.next = o->pace.tried;
}
