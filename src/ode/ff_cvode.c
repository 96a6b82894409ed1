/* The only file that knows SUNDIALS, versions 6 and 7. */
#include "ff_cvode.h"

#ifdef FF_SUNDIALS

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#define MOST_DENSE 500 /* components of a dense matrix */

struct ff_cvode {
  ff_ode_equations equations;
  ff_ode_watch watch;
  ff_cvode_options options;
  uint64_t calls;
  int begun;
  int *roots;
  SUNContext context;
  void *memory;
  N_Vector x, absolute, work;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
};

int ff_cvode_exists(void) { return 1; }

/* ---- callbacks ---------------------------------------------------------------------------------------------------------- */

/* A slope that does not exist lets CVODE try a shorter step. */
static int slope_of(sunrealtype t, N_Vector x, N_Vector slope, void *of) {
  ff_cvode *c = of;
  c->calls++;
  return c->equations.slope(c->equations.of, t, N_VGetArrayPointer(x), N_VGetArrayPointer(slope)) ? 0 : 1;
}

static int roots_of(sunrealtype t, N_Vector x, sunrealtype *value, void *of) {
  ff_cvode *c = of;
  for (uint32_t i = 0; i < c->watch.n; i++) value[i] = c->watch.value(c->watch.of, i, t, N_VGetArrayPointer(x));
  return 0;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------------- */

#if SUNDIALS_VERSION_MAJOR >= 7
static int make_context(SUNContext *context) {
  if (SUNContext_Create(SUN_COMM_NULL, context) != 0) return 0;
  return SUNContext_ClearErrHandlers(*context) == 0; /* what CVODE returns is enough; it must not print */
}
static int silence(void *memory) {
  (void)memory;
  return 1;
}
#else
static void ignore(int code, const char *module, const char *function, char *message, void *of) {
  (void)code, (void)module, (void)function, (void)message, (void)of;
}
static int make_context(SUNContext *context) { return SUNContext_Create(NULL, context) == 0; }
static int silence(void *memory) { return CVodeSetErrHandlerFn(memory, ignore, NULL) == CV_SUCCESS; }
#endif

static int make_vectors(ff_cvode *c) {
  const sunindextype n = c->equations.n > 0 ? (sunindextype)c->equations.n : 1; /* CVODE needs a component */
  c->x = N_VNew_Serial(n, c->context);
  c->absolute = N_VNew_Serial(n, c->context);
  c->work = N_VNew_Serial(n, c->context);
  c->roots = ff_calloc(c->watch.n, sizeof *c->roots);
  if (c->x == NULL || c->absolute == NULL || c->work == NULL || c->roots == NULL) return 0;
  N_VConst(0, c->x);
  N_VConst(1, c->absolute);
  if (c->equations.n > 0)
    memcpy(N_VGetArrayPointer(c->absolute), c->options.absolute, c->equations.n * sizeof *c->options.absolute);
  return 1;
}

static int make_solvers(ff_cvode *c) {
  if (c->options.method == FF_CVODE_ADAMS) {
    c->nonlinear = SUNNonlinSol_FixedPoint(c->x, 0, c->context);
    return c->nonlinear != NULL && CVodeSetNonlinearSolver(c->memory, c->nonlinear) == CV_SUCCESS;
  }
  if (c->equations.n <= MOST_DENSE) {
    const sunindextype n = N_VGetLength(c->x);
    c->matrix = SUNDenseMatrix(n, n, c->context);
    c->linear = c->matrix != NULL ? SUNLinSol_Dense(c->x, c->matrix, c->context) : NULL;
  } else {
    c->linear = SUNLinSol_SPGMR(c->x, SUN_PREC_NONE, 0, c->context);
  }
  return c->linear != NULL && CVodeSetLinearSolver(c->memory, c->linear, c->matrix) == CV_SUCCESS;
}

static int set_up(ff_cvode *c) {
  int ok = CVodeInit(c->memory, slope_of, 0, c->x) == CV_SUCCESS;
  ok = ok && CVodeSVtolerances(c->memory, c->options.relative, c->absolute) == CV_SUCCESS;
  ok = ok && CVodeSetUserData(c->memory, c) == CV_SUCCESS;
  ok = ok && CVodeSetMaxNumSteps(c->memory, (long)c->options.most_steps) == CV_SUCCESS;
  if (c->options.most_order > 0) ok = ok && CVodeSetMaxOrd(c->memory, c->options.most_order) == CV_SUCCESS;
  if (c->watch.n > 0) ok = ok && CVodeRootInit(c->memory, (int)c->watch.n, roots_of) == CV_SUCCESS;
  return ok && CVodeSetNoInactiveRootWarn(c->memory) == CV_SUCCESS && make_solvers(c);
}

ff_status ff_cvode_new(ff_cvode **out, const ff_ode_equations *equations, const ff_ode_watch *watch,
                       const ff_cvode_options *options, ff_error *err) {
  *out = NULL;
  if (!(options->relative > 0 && options->relative < 1))
    return ff_error_set(err, FF_EARGUMENT, "the relative tolerance is %g; expected a number above 0 and below 1",
                        options->relative);
  ff_cvode *c = ff_calloc(1, sizeof *c);
  if (c == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a solution");
  c->equations = *equations;
  if (watch != NULL) c->watch = *watch;
  c->options = *options;
  int ok = make_context(&c->context) && make_vectors(c);
  c->memory = ok ? CVodeCreate(options->method == FF_CVODE_ADAMS ? CV_ADAMS : CV_BDF, c->context) : NULL;
  ok = ok && c->memory != NULL && silence(c->memory) && set_up(c);
  if (ok) {
    *out = c;
    return FF_OK;
  }
  ff_cvode_free(c);
  return ff_error_set(err, FF_EMEMORY, "CVODE could not be set up for %u components", equations->n);
}

void ff_cvode_free(ff_cvode *c) {
  if (c == NULL) return;
  CVodeFree(&c->memory);
  if (c->linear != NULL) SUNLinSolFree(c->linear);
  if (c->matrix != NULL) SUNMatDestroy(c->matrix);
  if (c->nonlinear != NULL) SUNNonlinSolFree(c->nonlinear);
  if (c->x != NULL) N_VDestroy(c->x);
  if (c->absolute != NULL) N_VDestroy(c->absolute);
  if (c->work != NULL) N_VDestroy(c->work);
  SUNContext_Free(&c->context);
  free(c->roots);
  free(c);
}

/* ---- solving ------------------------------------------------------------------------------------------------------------ */

static ff_status failed(int code, double t, ff_error *err) {
  char *name = CVodeGetReturnFlagName(code);
  ff_error_set(err, code == CV_MEM_FAIL ? FF_EMEMORY : FF_EMODEL, "CVODE failed at time %.17g: %s", t, name != NULL ? name : "?");
  free(name);
  return code == CV_MEM_FAIL ? FF_EMEMORY : FF_EMODEL;
}

ff_status ff_cvode_begin(ff_cvode *c, double t, const double *x, ff_error *err) {
  if (c->equations.n > 0) memcpy(N_VGetArrayPointer(c->x), x, c->equations.n * sizeof *x);
  const int code = CVodeReInit(c->memory, t, c->x);
  return code == CV_SUCCESS ? FF_OK : failed(code, t, err);
}

ff_status ff_cvode_go_on(ff_cvode *c, double most, double *at, double *x, int8_t *found, ff_error *err) {
  int code = CVodeSetStopTime(c->memory, most);
  sunrealtype t = most;
  if (code == CV_SUCCESS) code = CVode(c->memory, most, c->x, &t, CV_NORMAL);
  if (code < 0) return failed(code, t, err);
  *at = t;
  if (c->equations.n > 0) memcpy(x, N_VGetArrayPointer(c->x), c->equations.n * sizeof *x);
  if (c->watch.n > 0) memset(found, 0, c->watch.n * sizeof *found);
  if (code != CV_ROOT_RETURN) return FF_OK;
  code = CVodeGetRootInfo(c->memory, c->roots);
  if (code != CV_SUCCESS) return failed(code, t, err);
  for (uint32_t i = 0; i < c->watch.n; i++) found[i] = (int8_t)((c->roots[i] > 0) - (c->roots[i] < 0));
  return FF_OK;
}

/* The first step also needs a time that lies in its direction, for the choice of its length. */
ff_status ff_cvode_step(ff_cvode *c, double most, double *to, double *x, double *const *derivative, int derivatives,
                        ff_error *err) {
  sunrealtype t, from = 0;
  int order = 0, code = CVodeGetCurrentTime(c->memory, &from);
  const double last = most < DBL_MAX ? most : DBL_MAX, soon = from + 1 + fabs(from);
  if (code == CV_SUCCESS) code = CVodeSetStopTime(c->memory, last);
  if (code == CV_SUCCESS) code = CVode(c->memory, soon, c->x, &t, CV_ONE_STEP);
  if (code < 0) return failed(code, from, err);
  *to = t;
  if (c->equations.n > 0) memcpy(x, N_VGetArrayPointer(c->x), c->equations.n * sizeof *x);
  code = CVodeGetLastOrder(c->memory, &order);
  for (int k = 0; k < derivatives && code == CV_SUCCESS; k++) {
    if (k < order) code = CVodeGetDky(c->memory, t, k + 1, c->work);
    if (k < order && c->equations.n > 0) memcpy(derivative[k], N_VGetArrayPointer(c->work), c->equations.n * sizeof *x);
    if (k >= order) memset(derivative[k], 0, c->equations.n * sizeof *x);
  }
  return code == CV_SUCCESS ? FF_OK : failed(code, t, err);
}

uint64_t ff_cvode_calls(const ff_cvode *c) { return c->calls; }

#else

int ff_cvode_exists(void) { return 0; }

ff_status ff_cvode_new(ff_cvode **out, const ff_ode_equations *equations, const ff_ode_watch *watch,
                       const ff_cvode_options *options, ff_error *err) {
  (void)equations, (void)watch, (void)options;
  *out = NULL;
  return ff_error_set(err, FF_EUNSUPPORTED,
                      "this installation has no CVODE; install the library SUNDIALS (Debian: libsundials-dev), and then the "
                      "package again");
}

void ff_cvode_free(ff_cvode *c) { (void)c; }

ff_status ff_cvode_begin(ff_cvode *c, double t, const double *x, ff_error *err) {
  (void)c, (void)t, (void)x;
  return ff_error_set(err, FF_EUNSUPPORTED, "there is no CVODE");
}

ff_status ff_cvode_go_on(ff_cvode *c, double most, double *at, double *x, int8_t *found, ff_error *err) {
  (void)c, (void)most, (void)at, (void)x, (void)found;
  return ff_error_set(err, FF_EUNSUPPORTED, "there is no CVODE");
}

ff_status ff_cvode_step(ff_cvode *c, double most, double *to, double *x, double *const *derivative, int derivatives,
                        ff_error *err) {
  (void)c, (void)most, (void)to, (void)x, (void)derivative, (void)derivatives;
  return ff_error_set(err, FF_EUNSUPPORTED, "there is no CVODE");
}

uint64_t ff_cvode_calls(const ff_cvode *c) {
  (void)c;
  return 0;
}

#endif
