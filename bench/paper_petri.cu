/* Algorithm 1 of ELansary, Hefnawy, Herajy and Sewilam, "Improving the Simulation Performance of Colored Hybrid Petri Nets by the
 * Graphics Processing Units": the arrangement of its Table I and its Figure 2 (time and speed-up against the size of a net), made
 * anew for comparisons on the same machine. bench/paper_petri.sh compiles and runs this program:
 *
 *   paper_petri [LIMIT [SEED [closed]]]    prints a table (CSV) for the ten sizes of Table I
 *   paper_petri check [SEED]               compares with an exact method, and the variants with each other; some 12 s
 *
 * There is one trajectory, and one clock for all stochastic transitions. The host integrates the flows and the sum of all hazards
 * with CVODE (SUNDIALS 6 or 7), until the integral of this sum reaches an exponentially distributed threshold. Then all
 * transitions draw a time tau from their propensities at this moment. Each block of threads finds its least tau, and the least of
 * these tells which transition fires. The integral becomes 0, and CVODE begins anew. In print, a threshold is uniform in an
 * equation, and the state becomes that of the start after a firing: slips, which are not made here. The variants:
 *
 *   serial     all of this on one core of the host
 *   explicit   propensities, tau and firings on the card, in its own memory. For a firing, the calcium of all cells is copied to
 *              the card, and the transition that fires is copied back. The host lets it fire in its own copy
 *   managed    the same kernels. All that the host and the card use is in managed memory ("Unified Memory"). This is the paper's
 *              arrangement
 *
 * All variants draw the same random numbers (Philox, not cuRAND), and must have the same firings at the same times, bit for bit.
 * The paper does not name the method of CVODE. Here it is that of Adams, with a fixed point iteration: the net is not stiff.
 * It does not tell tolerances or end times either. Here, tolerances are 1e-6 and 1e-9, relative and absolute.
 *
 * The net is petri_model("calcium"): a grid of cells with calcium, ER and a channel of four subunits, which have 8 states. A cell
 * has 10 places and 24 stochastic transitions. (The paper's net is not published.) The host does not compute 24 propensities for
 * each evaluation of the equations: a cell keeps the sum of those that are constant, and of those that are proportional to
 * calcium. This favours the card, as the host keeps less of the work.
 *
 * Channels begin in their stationary distribution, or closed. A run ends after LIMIT seconds (5) or 2^20 firings. The first two
 * firings are not timed. Columns: choosing_us is the part of us_a_firing that is not CVODE's. A card can save only this part of
 * serial. Pages of managed memory that return to the host count as CVODE's. ratio is the time of serial by that of the variant,
 * printed is the speed-up in Table I, and agrees is 1 if the firings are those of serial.
 *
 * With -DHOST, a C++ compiler makes this program for the processor (g++ -x c++), with kernels as loops. This tests the logic. */
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "../src/base/ff_philox.h"
#include "../src/random/ff_exponential.h"
#include "paper_parts.h"

/* A kernel is a sequence of steps with barriers between them. In a step, each thread of a block works for its number t. */
#define THREADS 256
#ifdef HOST
#define KERNEL(name, ...) static void name(uint32_t block, __VA_ARGS__)
#define BLOCK block
#define SHARED
#define STEP for (uint32_t t = 0; t < THREADS; t++)
#define LAUNCH(kernel, blocks, ...) \
  for (uint32_t block = 0; block < (blocks); block++) kernel(block, __VA_ARGS__)
#else
#define KERNEL(name, ...) static __global__ void name(__VA_ARGS__)
#define BLOCK blockIdx.x
#define SHARED __shared__
#define STEP \
  __syncthreads(); \
  for (uint32_t t = threadIdx.x; t < THREADS; t += THREADS)
#define LAUNCH(kernel, blocks, ...) (kernel<<<blocks, THREADS>>>(__VA_ARGS__), check(cudaGetLastError(), #kernel))
#endif

static void check_cvode(int code, const char *what) {
  if (code < 0) fail(what, "CVODE has failed");
}

static double now(void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* ---- the net ------------------------------------------------------------------------------------------------------------- */

/* De Young and Keizer (1992). A subunit's state has bit 0 for IP3, bit 1 for activating and bit 2 for inhibiting calcium. */
#define STATES 8
#define KINDS 24
#define SUBUNITS 4
#define OPEN 3 /* the state that opens a channel if 3 subunits have it */
#define C1 0.185
#define V1 6.0
#define V2 0.11
#define V3 0.9
#define K3 0.1
#define DIFFUSION 20.0
#define IP3 0.5
#define CALCIUM 0.1 /* at the start */
#define ER 10.27
#define MOST_CALCIUM 2.0 /* the total of a cell: calcium + C1 * ER */
static const double binds[] = {0, 400, 0.2, 400, 0.2, 20}, leaves[] = {0, 0.13, 1.049, 0.9434, 0.1445, 0.08234};

enum { DRAW_TAU, DRAW_THRESHOLD, DRAW_START, DRAW_EXACT };

typedef struct {
  double rate;
  uint32_t from, to;
  int calcium; /* the rate is multiplied by calcium */
} kind;

/* The sum of the propensities of a cell is constant + by_calcium * calcium. release * (ER - calcium) flows into the cytosol. */
typedef struct {
  double constant, by_calcium, release;
} cell;

typedef struct {
  double tau;
  uint32_t transition;
} candidate;

/* Transition k * cells + i is kind k in cell i. Its tests and propensities read count[from * cells + i] and level[i]. */
typedef struct {
  uint32_t nx, ny, cells, blocks;
  uint64_t seed;
  kind kinds[KINDS];
  double *level; /* calcium of all cells, ER of all cells, the integral */
  uint8_t *count;
  cell *rates;
  candidate *least; /* of each block, and of all */
} net;

/* The dissociation constant is that of the site with what the others have bound. */
static uint32_t constant_of(uint32_t state, uint32_t site) {
  if (site == 0) return state & 4 ? 3 : 1;
  return site == 1 ? 5 : state & 1 ? 2 : 4;
}

static void make_kinds(kind *kinds) {
  for (uint32_t state = 0; state < STATES; state++)
    for (uint32_t site = 0; site < 3; site++) {
      if (state >> site & 1) continue;
      const uint32_t with = state | 1u << site, c = constant_of(state, site);
      *kinds++ = kind{binds[c] * (site == 0 ? IP3 : 1), state, with, site != 0};
      *kinds++ = kind{binds[c] * leaves[c], with, state, 0};
    }
}

static FF_HD void update_cell(const net *n, uint32_t i) {
  cell c = {0, 0, C1 * (V2 + (n->count[OPEN * n->cells + i] >= 3 ? V1 : 0))};
  for (uint32_t k = 0; k < KINDS; k++) {
    const double a = n->kinds[k].rate * n->count[n->kinds[k].from * n->cells + i];
    if (n->kinds[k].calcium) c.by_calcium += a;
    else c.constant += a;
  }
  n->rates[i] = c;
}

static FF_HD void fire(const net *n, uint32_t transition) {
  const kind *k = &n->kinds[transition / n->cells];
  const uint32_t i = transition % n->cells;
  n->count[k->from * n->cells + i]--;
  n->count[k->to * n->cells + i]++;
  update_cell(n, i);
}

static FF_HD candidate lesser(candidate a, candidate b) {
  return b.tau < a.tau || (b.tau == a.tau && b.transition < a.transition) ? b : a;
}

static FF_HD candidate candidate_of(const net *n, uint32_t k, uint32_t i, uint64_t firing) {
  candidate out = {INFINITY, k * n->cells + i};
  const uint32_t count = n->count[n->kinds[k].from * n->cells + i];
  if (count == 0) return out;
  const double propensity = n->kinds[k].rate * count * (n->kinds[k].calcium ? n->level[i] : 1);
  const ff_philox_block drawn = ff_philox(ff_philox_counter(DRAW_TAU, 0, firing, out.transition), n->seed);
  out.tau = ff_exponential(drawn.v[0], drawn.v[1]) / propensity;
  return out;
}

/* ---- choosing what fires --------------------------------------------------------------------------------------------------- */

#define HALVE(mine) \
  for (uint32_t half = THREADS / 2; half > 0; half /= 2) { \
    STEP if (t < half) mine[t] = lesser(mine[t], mine[t + half]); \
  }

KERNEL(least_of_blocks, net n, uint64_t firing) {
  SHARED candidate mine[THREADS];
  STEP {
    const uint32_t j = BLOCK * THREADS + t;
    mine[t] = j < KINDS * n.cells ? candidate_of(&n, j / n.cells, j % n.cells, firing) : candidate{INFINITY, UINT32_MAX};
  }
  HALVE(mine)
  STEP if (t == 0) n.least[BLOCK] = mine[0];
}

/* Of one block. */
KERNEL(fire_least_of_all, net n) {
  SHARED candidate mine[THREADS];
  STEP {
    mine[t] = candidate{INFINITY, UINT32_MAX};
    for (uint32_t b = BLOCK * THREADS + t; b < n.blocks; b += THREADS) mine[t] = lesser(mine[t], n.least[b]);
  }
  HALVE(mine)
  STEP if (t == 0) {
    n.least[n.blocks] = mine[0];
    fire(&n, mine[0].transition);
  }
}

static candidate least_in_series(const net *n, uint64_t firing) {
  candidate least = {INFINITY, UINT32_MAX};
  for (uint32_t k = 0; k < KINDS; k++)
    for (uint32_t i = 0; i < n->cells; i++) least = lesser(least, candidate_of(n, k, i, firing));
  return least;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

enum { ON_HOST, PINNED, MANAGED, ON_CARD };

static void *take(int where, size_t bytes) {
  void *memory = NULL;
#ifndef HOST
  if (where == PINNED) check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  if (where == MANAGED) check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
  if (where == ON_CARD) check(cudaMalloc(&memory, bytes), "cudaMalloc");
  if (where != ON_HOST) return memory;
#endif
  (void)where;
  if ((memory = calloc(bytes, 1)) == NULL) fail("the net", "too little memory");
  return memory;
}

static void give_back(int where, void *memory) {
#ifndef HOST
  if (where == PINNED) check(cudaFreeHost(memory), "cudaFreeHost");
  if (where == MANAGED || where == ON_CARD) check(cudaFree(memory), "cudaFree");
  if (where != ON_HOST) return;
#endif
  (void)where;
  free(memory);
}

static void wait(void) {
#ifndef HOST
  check(cudaDeviceSynchronize(), "a kernel");
#endif
}

#define LEVELS(n) (2 * (size_t)(n)->cells + 1)
#define COUNTS(n) (STATES * (size_t)(n)->cells)

/* What is copied in each firing is in memory `moving`, the rest in `rest`. */
static net net_new(uint32_t nx, uint32_t ny, uint64_t seed, int moving, int rest) {
  net n = {};
  n.nx = nx;
  n.ny = ny;
  n.cells = nx * ny;
  n.blocks = (KINDS * n.cells + THREADS - 1) / THREADS;
  n.seed = seed;
  make_kinds(n.kinds);
  n.level = (double *)take(moving, LEVELS(&n) * sizeof *n.level);
  n.least = (candidate *)take(moving, ((size_t)n.blocks + 1) * sizeof *n.least);
  n.count = (uint8_t *)take(rest, COUNTS(&n));
  n.rates = (cell *)take(rest, n.cells * sizeof *n.rates);
  return n;
}

static void net_free(net *n, int moving, int rest) {
  give_back(moving, n->level);
  give_back(moving, n->least);
  give_back(rest, n->count);
  give_back(rest, n->rates);
}

/* The states of a subunit have a product form, but for the rounding of the constants (d1 d2 = d3 d4 but for 4e-4). */
static uint32_t drawn_state(double u) {
  double share[STATES], total = 0;
  for (uint32_t s = 0; s < STATES; s++) {
    share[s] = s & 1 ? IP3 / leaves[1] : 1;
    if (s & 4) share[s] *= CALCIUM / leaves[s & 1 ? 2 : 4];
    if (s & 2) share[s] *= CALCIUM / leaves[5];
    total += share[s];
  }
  uint32_t s = 0;
  for (u = u * total - share[0]; u >= 0 && s + 1 < STATES; u -= share[s]) s++;
  return s;
}

static void set_start(const net *n, int closed) {
  memset(n->count, 0, COUNTS(n));
  for (uint32_t i = 0; i < n->cells; i++) {
    n->level[i] = CALCIUM;
    n->level[n->cells + i] = ER;
    for (uint32_t k = 0; k < SUBUNITS; k++) {
      const ff_philox_block drawn = ff_philox(ff_philox_counter(DRAW_START, k, 0, i), n->seed);
      n->count[(closed ? 0 : drawn_state(ff_closed(drawn.v[0], drawn.v[1]))) * n->cells + i]++;
    }
    update_cell(n, i);
  }
  n->level[2 * n->cells] = 0;
}

/* ---- flows --------------------------------------------------------------------------------------------------------------- */

/* At the edges of the grid, a cell is its own neighbour, so that nothing flows out. */
static void flows(const net *n, const double *level, double *slope) {
  const uint32_t nx = n->nx;
  const double *ca = level, *er = level + n->cells;
  double *ca_slope = slope, *er_slope = slope + n->cells;
  for (uint32_t y = 0; y < n->ny; y++) {
    const uint32_t up = y > 0 ? nx : 0, down = y + 1 < n->ny ? nx : 0;
    for (uint32_t x = 0; x < nx; x++) {
      const uint32_t i = y * nx + x, left = x > 0, right = x + 1 < nx;
      const double square = ca[i] * ca[i];
      const double rise = n->rates[i].release * (er[i] - ca[i]) - V3 * square / (square + K3 * K3);
      ca_slope[i] = rise + DIFFUSION * (ca[i - left] + ca[i + right] + ca[i - up] + ca[i + down] - 4 * ca[i]);
      er_slope[i] = DIFFUSION * (er[i - left] + er[i + right] + er[i - up] + er[i + down] - 4 * er[i]) - rise * (1 / C1);
    }
  }
}

static double total_hazard(const net *n, const double *level) {
  double total = 0;
  for (uint32_t i = 0; i < n->cells; i++) total += n->rates[i].constant + n->rates[i].by_calcium * level[i];
  return total;
}

static void slopes(const net *n, const double *level, double *slope) {
  flows(n, level, slope);
  slope[2 * n->cells] = total_hazard(n, level);
}

/* ---- a trajectory ---------------------------------------------------------------------------------------------------------- */

enum { SERIAL, EXPLICIT, MANAGED_MEMORY, VARIANTS };
static const char *const names[] = {"serial", "explicit", "managed"};
static const int moving_of[] = {ON_HOST, PINNED, MANAGED}, rest_of[] = {ON_HOST, ON_HOST, MANAGED};

typedef struct {
  int variant;
  net host, card; /* with managed memory, both are the same */
  double time, threshold, choosing;
  uint64_t firings;
  SUNContext context;
  void *memory;
  N_Vector x, absolute;
  SUNNonlinearSolver nonlinear;
} path;

static int slope_of(sunrealtype, N_Vector x, N_Vector slope, void *of) {
  slopes(&((const path *)of)->host, N_VGetArrayPointer(x), N_VGetArrayPointer(slope));
  return 0;
}

static int root_of(sunrealtype, N_Vector x, sunrealtype *value, void *of) {
  const path *p = (const path *)of;
  value[0] = N_VGetArrayPointer(x)[2 * p->host.cells] - p->threshold;
  return 0;
}

/* The integral grows from 0 to a threshold of about 1, so its tolerance is absolute. CVODE limits the root mean square over all
 * components, so that of one component alone needs the factor. */
static void make_solver(path *p) {
  const size_t n = LEVELS(&p->host);
#if SUNDIALS_VERSION_MAJOR >= 7
  if (SUNContext_Create(SUN_COMM_NULL, &p->context) != 0) fail("SUNDIALS", "there is no context");
#else
  if (SUNContext_Create(NULL, &p->context) != 0) fail("SUNDIALS", "there is no context");
#endif
  p->x = N_VMake_Serial((sunindextype)n, p->host.level, p->context);
  p->absolute = N_VNew_Serial((sunindextype)n, p->context);
  p->memory = CVodeCreate(CV_ADAMS, p->context);
  if (p->x == NULL || p->absolute == NULL || p->memory == NULL) fail("CVODE", "too little memory");
  N_VConst(1e-9, p->absolute);
  N_VGetArrayPointer(p->absolute)[n - 1] = 1e-6 / sqrt((double)n);
  check_cvode(CVodeInit(p->memory, slope_of, 0, p->x), "CVodeInit");
  check_cvode(CVodeSVtolerances(p->memory, 1e-6, p->absolute), "CVodeSVtolerances");
  check_cvode(CVodeSetUserData(p->memory, p), "CVodeSetUserData");
  check_cvode(CVodeSetMaxNumSteps(p->memory, 100000), "CVodeSetMaxNumSteps");
  check_cvode(CVodeRootInit(p->memory, 1, root_of), "CVodeRootInit");
  if ((p->nonlinear = SUNNonlinSol_FixedPoint(p->x, 0, p->context)) == NULL) fail("CVODE", "too little memory");
  check_cvode(CVodeSetNonlinearSolver(p->memory, p->nonlinear), "CVodeSetNonlinearSolver");
}

static void draw_threshold(path *p) {
  const ff_philox_block drawn = ff_philox(ff_philox_counter(DRAW_THRESHOLD, 0, p->firings, 0), p->host.seed);
  p->threshold = ff_exponential(drawn.v[0], drawn.v[1]);
}

/* CVODE keeps the address of a path. */
static path *path_new(int variant, uint32_t nx, uint32_t ny, uint64_t seed, int closed) {
  path *p = (path *)take(ON_HOST, sizeof *p);
  p->variant = variant;
  p->host = net_new(nx, ny, seed, moving_of[variant], rest_of[variant]);
  set_start(&p->host, closed);
  p->card = p->host;
  if (variant == EXPLICIT) {
    p->card = net_new(nx, ny, seed, ON_CARD, ON_CARD);
    copy(p->card.count, p->host.count, COUNTS(&p->host));
    copy(p->card.rates, p->host.rates, p->host.cells * sizeof *p->host.rates);
  }
  draw_threshold(p);
  make_solver(p);
  return p;
}

static void path_free(path *p) {
  CVodeFree(&p->memory);
  if (SUNNonlinSolFree(p->nonlinear) != 0) fail("SUNDIALS", "a solver is not freed");
  N_VDestroy(p->x);
  N_VDestroy(p->absolute);
  if (SUNContext_Free(&p->context) != 0) fail("SUNDIALS", "a context is not freed");
  if (p->variant == EXPLICIT) net_free(&p->card, ON_CARD, ON_CARD);
  net_free(&p->host, moving_of[p->variant], rest_of[p->variant]);
  free(p);
}

static uint32_t choose_and_fire(path *p) {
  candidate *fired = &p->host.least[p->host.blocks];
  if (p->variant == SERIAL) {
    *fired = least_in_series(&p->host, p->firings);
  } else {
    if (p->variant == EXPLICIT) copy(p->card.level, p->host.level, p->host.cells * sizeof *p->host.level);
    LAUNCH(least_of_blocks, p->card.blocks, p->card, p->firings);
    LAUNCH(fire_least_of_all, 1, p->card);
    if (p->variant == EXPLICIT) copy(fired, &p->card.least[p->card.blocks], sizeof *fired);
    else wait();
  }
  if (p->variant != MANAGED_MEMORY) fire(&p->host, fired->transition);
  return fired->transition;
}

/* Goes on to the next firing, and tells which transition fires, or KINDS * cells if none does before `end`. */
static uint32_t advance(path *p, double end) {
  int code = CV_SUCCESS;
  while (code != CV_ROOT_RETURN && p->time < end) {
    code = CVode(p->memory, fmin(end, p->time + 1), p->x, &p->time, CV_NORMAL);
    check_cvode(code, "CVode");
  }
  if (code != CV_ROOT_RETURN) return KINDS * p->host.cells;
  const double from = now();
  const uint32_t transition = choose_and_fire(p);
  p->choosing += now() - from;
  p->firings++;
  draw_threshold(p);
  p->host.level[2 * p->host.cells] = 0;
  check_cvode(CVodeReInit(p->memory, p->time, p->x), "CVodeReInit");
  return transition;
}

/* ---- the table ------------------------------------------------------------------------------------------------------------- */

#define MOST_FIRINGS (1u << 20)
#define NOT_TIMED 2 /* they load kernels and pages */

typedef struct {
  double time;
  uint32_t transition;
} firing;

typedef struct {
  size_t firings;
  double seconds, a_firing, choosing;
  int agrees;
} result;

/* Of the variants, serial is the first one, which fills `all`. */
static result run_variant(int variant, uint32_t nx, uint32_t ny, uint64_t seed, int closed, double limit, size_t most,
                          std::vector<firing> &all) {
  path *p = path_new(variant, nx, ny, seed, closed);
  result r = {};
  r.agrees = 1;
  double from = now();
  if (variant == SERIAL) all.clear();
  while (r.firings < most && (r.seconds < limit || r.firings <= NOT_TIMED)) {
    firing f = {};
    f.transition = advance(p, INFINITY);
    f.time = p->time;
    if (variant == SERIAL) all.push_back(f);
    else if (r.firings < all.size())
      r.agrees &= f.transition == all[r.firings].transition && memcmp(&f.time, &all[r.firings].time, sizeof f.time) == 0;
    if (++r.firings == NOT_TIMED) {
      from = now();
      p->choosing = 0;
    }
    r.seconds = now() - from;
  }
  const double timed = (double)(r.firings - NOT_TIMED);
  r.a_firing = r.seconds / timed * 1e6;
  r.choosing = p->choosing / timed * 1e6;
  path_free(p);
  return r;
}

/* 0 if a variant has other firings than serial. */
static int print_table(double limit, uint64_t seed, int closed) {
  static const uint32_t sizes[][2] = {{1, 1},   {2, 5},    {5, 10},    {10, 10},   {20, 25},
                                      {25, 40}, {50, 100}, {100, 100}, {100, 150}, {100, 200}};
  static const double printed[] = {1.33, 4.5, 8.2, 11.3, 14, 14.1, 15.5, 15.7, 16.5, 17};
  std::vector<firing> all;
  int agree = 1;
  printf("places,variant,firings,seconds,us_a_firing,choosing_us,ratio,printed,agrees\n");
  for (size_t s = 0; s < sizeof printed / sizeof *printed; s++) {
    double serial = 0;
    for (int variant = 0; variant < VARIANTS; variant++) {
      const result r = run_variant(variant, sizes[s][0], sizes[s][1], seed, closed, limit, MOST_FIRINGS, all);
      if (variant == SERIAL) serial = r.a_firing;
      agree &= r.agrees;
      printf("%u,%s,%zu,%.3f,%.4g,%.4g,%.3g,%g,%d\n", 10 * sizes[s][0] * sizes[s][1], names[variant], r.firings, r.seconds,
             r.a_firing, r.choosing, serial / r.a_firing, printed[s], r.agrees);
      fflush(stdout);
    }
  }
  return agree;
}

/* ---- checks ---------------------------------------------------------------------------------------------------------------- */

/* The method of Runge and Kutta of order 4, instead of CVODE. Diffusion is the fastest, z = 160 / s x 1e-4 s = 0.016 a step. A
 * step adds an error of z^5 / 120 = 9e-12 of a difference of levels, which decays within some 60 steps. So errors of levels stay
 * below 1e-9. */
#define LONGEST_STEP 1e-4

static void runge_kutta(const net *n, double length) {
  const size_t size = LEVELS(n);
  const uint32_t steps = (uint32_t)(length / LONGEST_STEP) + 1;
  const double h = length / steps, ahead[] = {0.5 * h, 0.5 * h, h, 0}, weight[] = {h / 6, h / 3, h / 3, h / 6};
  std::vector<double> at(size), slope(size), sum(size);
  for (uint32_t step = 0; step < steps; step++) {
    at.assign(n->level, n->level + size);
    sum = at;
    for (int stage = 0; stage < 4; stage++) {
      slopes(n, at.data(), slope.data());
      for (size_t i = 0; i < size; i++) {
        sum[i] += weight[stage] * slope[i];
        at[i] = n->level[i] + ahead[stage] * slope[i];
      }
    }
    memcpy(n->level, sum.data(), size * sizeof *n->level);
  }
}

/* Is the integral of hazards between two firings the threshold? CVODE needs fewer than 10 steps for a firing, and each may make
 * an error of 1e-6. Flows level differences out, so errors do not grow. */
static int check_integral(uint32_t nx, uint32_t ny, uint64_t seed, int firings) {
  path *p = path_new(SERIAL, nx, ny, seed, 0);
  net n = net_new(nx, ny, seed, ON_HOST, ON_HOST);
  double worst = 0;
  for (int k = 0; k < firings; k++) {
    const double from = p->time, threshold = p->threshold;
    copy(n.level, p->host.level, LEVELS(&n) * sizeof *n.level);
    copy(n.rates, p->host.rates, n.cells * sizeof *n.rates);
    advance(p, INFINITY);
    runge_kutta(&n, p->time - from);
    worst = fmax(worst, fabs(n.level[2 * n.cells] - threshold));
  }
  path_free(p);
  net_free(&n, ON_HOST, ON_HOST);
  printf("integral,%u x %u stationary,largest error,%.2g,0,1e-5,,%d\n", nx, ny, worst, worst < 1e-5);
  return worst < 1e-5;
}

/* The transition in which the sum of propensities exceeds `at`, or KINDS * cells. */
static uint32_t transition_at(const net *n, double at) {
  for (uint32_t i = 0; i < n->cells; i++)
    for (uint32_t k = 0; k < KINDS; k++) {
      at -= n->kinds[k].rate * n->count[n->kinds[k].from * n->cells + i] * (n->kinds[k].calcium ? n->level[i] : 1);
      if (at < 0) return k * n->cells + i;
    }
  return KINDS * n->cells;
}

/* What is compared: firings, their square, subunits that open channels, calcium of the first cell, firings of each kind. */
#define VALUES (4 + KINDS)

static void note_end(const net *n, double *value) {
  value[1] = value[0] * value[0];
  for (uint32_t i = 0; i < n->cells; i++) value[2] += n->count[OPEN * n->cells + i];
  value[3] = n->level[0];
}

/* An exact method without CVODE, without an integral of hazards and without tau: thinning. Events have a constant rate above the
 * sum of hazards. An event is a firing with the probability sum / rate. */
static void exact(uint32_t nx, uint32_t ny, uint64_t seed, int closed, double end, double *value) {
  net n = net_new(nx, ny, seed, ON_HOST, ON_HOST);
  set_start(&n, closed);
  double time = 0;
  for (uint64_t event = 0;; event++) {
    double rate = 0;
    for (uint32_t i = 0; i < n.cells; i++) {
      rate += n.rates[i].constant + n.rates[i].by_calcium * MOST_CALCIUM;
      if (!(n.level[i] < MOST_CALCIUM)) fail("exact", "calcium exceeds its bound");
    }
    const ff_philox_block drawn = ff_philox(ff_philox_counter(DRAW_EXACT, 0, event, 0), seed);
    const double wait_for = ff_exponential(drawn.v[0], drawn.v[1]) / rate;
    runge_kutta(&n, fmin(wait_for, end - time));
    if ((time += wait_for) >= end) break;
    const uint32_t transition = transition_at(&n, ff_closed(drawn.v[2], drawn.v[3]) * rate);
    if (transition == KINDS * n.cells) continue;
    fire(&n, transition);
    value[0]++;
    value[4 + transition / n.cells]++;
  }
  note_end(&n, value);
  net_free(&n, ON_HOST, ON_HOST);
}

static void algorithm_1(uint32_t nx, uint32_t ny, uint64_t seed, int closed, double end, double *value) {
  path *p = path_new(SERIAL, nx, ny, seed, closed);
  for (;;) {
    const uint32_t transition = advance(p, end);
    if (transition == KINDS * p->host.cells) break;
    value[0]++;
    value[4 + transition / p->host.cells]++;
  }
  note_end(&p->host, value);
  path_free(p);
}

/* Both methods should have the same law, and their trajectories are independent. Then the difference of two means is nearly
 * normal. Kinds with fewer than 100 firings in all trajectories of a method are left out. There are at most 2 x 28 comparisons.
 * By chance, one of them is beyond 4.5 standard errors with a probability of at most 56 x 6.8e-6 = 4e-4. */
#define TRAJECTORIES 4000

static int check_law(uint32_t nx, uint32_t ny, uint64_t seed, int closed, double end) {
  double sum[2][VALUES] = {}, squares[2][VALUES] = {};
  int right = 1;
  for (uint64_t k = 0; k < 2 * TRAJECTORIES; k++) {
    double value[VALUES] = {};
    (k % 2 == 0 ? algorithm_1 : exact)(nx, ny, ff_philox_seed(seed, k), closed, end, value);
    for (int v = 0; v < VALUES; v++) {
      sum[k % 2][v] += value[v];
      squares[k % 2][v] += value[v] * value[v];
    }
  }
  for (int v = 0; v < VALUES; v++) {
    double mean[2], variance = 0;
    for (int m = 0; m < 2; m++) {
      mean[m] = sum[m][v] / TRAJECTORIES;
      variance += (squares[m][v] / TRAJECTORIES - mean[m] * mean[m]) / (TRAJECTORIES - 1);
    }
    if (v >= 4 && (sum[0][v] < 100 || sum[1][v] < 100)) continue;
    static const char *const what[] = {"firings", "squares of firings", "open subunits", "calcium"};
    char kind_name[32];
    snprintf(kind_name, sizeof kind_name, "firings of kind %d", v - 4);
    const double z = (mean[0] - mean[1]) / sqrt(variance);
    right &= fabs(z) < 4.5;
    printf("law,%u x %u %s,%s,%.6g,%.6g,%.2g,%.2f,%d\n", nx, ny, closed ? "closed" : "stationary", v < 4 ? what[v] : kind_name,
           mean[0], mean[1], sqrt(variance), z, fabs(z) < 4.5);
  }
  return right;
}

static int check_variants(uint32_t nx, uint32_t ny, uint64_t seed, size_t firings) {
  std::vector<firing> all;
  int right = 1;
  for (int variant = 0; variant < VARIANTS; variant++) {
    const result r = run_variant(variant, nx, ny, seed, 0, INFINITY, firings, all);
    right &= r.agrees;
    if (variant == SERIAL) continue;
    printf("bits,%u x %u stationary,%s,%zu,%zu,,,%d\n", nx, ny, names[variant], r.firings, all.size(), r.agrees);
  }
  return right;
}

static int check_all(uint64_t seed) {
  printf("check,net,what,here,expected,error,z,right\n"); /* error: the standard error, or the largest that is right */
  int right = check_variants(1, 1, seed, 2000);
  right &= check_variants(5, 10, seed, 2000);
  right &= check_variants(25, 40, seed, 200);
  right &= check_integral(1, 1, seed, 2000);
  right &= check_integral(5, 10, seed, 2000);
  right &= check_law(2, 2, seed, 0, 0.1);
  right &= check_law(1, 1, seed, 1, 0.5);
  return right;
}

int main(int argc, char **argv) {
  const int checks = argc > 1 && strcmp(argv[1], "check") == 0;
  const double limit = argc > 1 && !checks ? atof(argv[1]) : 5;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const int closed = argc > 3 && strcmp(argv[3], "closed") == 0;
  if (!(limit > 0) || argc > (checks ? 3 : 4) || (argc > 3 && !closed))
    fail("usage", "paper_petri [LIMIT [SEED [closed]]], or paper_petri check [SEED]");
  const int right = checks ? check_all(seed) : print_table(limit, seed, closed);
  if (!right) fail("paper_petri", "a row ends with 0: there is a difference");
  return 0;
}
