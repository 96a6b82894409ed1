/* Shares of flows out of empty places: closed forms, and all ways in which places can be held, tried one by one. */
#include <math.h>

#include "../../src/petri/within/ff_petri_share.h"
#include "../../src/petri/within/ff_petri_vanish.h"
#include "check.h"
#include "random.h"

enum { PLACES = 6, TRANSITIONS = 10, ARCS = PLACES * TRANSITIONS };

/* A net that is given by the changes by[t][p], and its state. */
typedef struct {
  uint32_t places, transitions, n_empty;
  double by[TRANSITIONS][PLACES], rate[TRANSITIONS];
  uint32_t empty[PLACES];
  size_t first[TRANSITIONS + 1], taker_first[PLACES + 1];
  uint32_t place[ARCS], taker[ARCS];
  double place_by[ARCS], taker_by[ARCS], share[PLACES], factor[TRANSITIONS];
  ff_petri_flows flows;
} net;

static void list_arcs(net *m) {
  size_t n = 0;
  for (uint32_t t = 0; t < m->transitions; t++) {
    m->first[t] = n;
    for (uint32_t p = 0; p < m->places; p++)
      if (m->by[t][p] != 0) {
        m->place[n] = p;
        m->place_by[n++] = m->by[t][p];
      }
  }
  m->first[m->transitions] = n;
  n = 0;
  for (uint32_t p = 0; p < m->places; p++) {
    m->taker_first[p] = n;
    for (uint32_t t = 0; t < m->transitions; t++)
      if (m->by[t][p] != 0) {
        m->taker[n] = t;
        m->taker_by[n++] = m->by[t][p];
      }
  }
  m->taker_first[m->places] = n;
  m->flows = (ff_petri_flows){m->first, m->place, m->place_by, m->taker_first, m->taker, m->taker_by};
}

static int solve(net *m) {
  list_arcs(m);
  for (uint32_t p = 0; p < PLACES; p++) m->share[p] = 1;
  for (uint32_t t = 0; t < TRANSITIONS; t++) m->factor[t] = 1;
  return ff_petri_share(&m->flows, m->rate, m->empty, m->n_empty, m->share, m->factor);
}

static double slope_of(const net *m, uint32_t p) {
  double slope = 0;
  for (uint32_t t = 0; t < m->transitions; t++) slope += m->by[t][p] * m->rate[t] * m->factor[t];
  return slope;
}

/* All shares are a solution: each empty place has the slope 0, or loses nothing at the share 1. */
static void check_solution(const net *m) {
  for (uint32_t t = 0; t < m->transitions; t++) {
    double least = 1;
    for (uint32_t p = 0; p < m->places; p++)
      if (m->by[t][p] * m->rate[t] < 0 && m->share[p] < least) least = m->share[p];
    FF_CHECK(m->factor[t] == least);
  }
  for (uint32_t i = 0; i < m->n_empty; i++) {
    const uint32_t p = m->empty[i];
    const double slope = slope_of(m, p), excess = ff_petri_excess(&m->flows, m->rate, m->share, m->factor, p);
    FF_CHECK(m->share[p] >= 0 && m->share[p] <= 1);
    if (ff_petri_is_held(m->share, p)) {
      FF_CHECK_NEAR(slope, 0, 1e-11);
      FF_CHECK(excess <= 0);
    } else {
      FF_CHECK(slope >= -1e-11);
      FF_CHECK_NEAR(excess, slope, 1e-10);
    }
  }
}

/* -> A -> B -> C, where all are empty and u flows in. */
static void chain_passes_what_flows_in(void) {
  for (int backwards = 0; backwards < 2; backwards++) {
    net m = {.places = 3, .transitions = 4, .n_empty = 3, .rate = {0.3, 2, 5, 0.2}};
    for (uint32_t i = 0; i < 3; i++) { /* transition i gives to the i-th place, and transition i + 1 takes from it */
      const uint32_t p = backwards ? 2 - i : i;
      m.empty[i] = i;
      m.by[i][p] = 1;
      m.by[i + 1][p] = -1;
    }
    FF_CHECK(solve(&m));
    check_solution(&m);
    FF_CHECK(m.factor[0] == 1 && m.factor[1] == 0.3 / 2 && m.factor[3] == 1);
    FF_CHECK_NEAR(m.factor[2], 0.3 / 5, 1e-16);
    FF_CHECK_NEAR(slope_of(&m, backwards ? 0 : 2), 0.1, 1e-15); /* C is left */
  }
}

static void outflows_share(void) {
  net m = {.places = 1, .transitions = 3, .n_empty = 1, .rate = {1, 3, 0.5}, .by = {{1}, {-1}, {-2}}};
  FF_CHECK(solve(&m));
  FF_CHECK(m.share[0] == 0.25 && m.factor[1] == 0.25 && m.factor[2] == 0.25);
  check_solution(&m);
  m.rate[0] = 0; /* nothing flows in */
  FF_CHECK(solve(&m));
  FF_CHECK(m.share[0] == 0 && m.factor[1] == 0);
  m.rate[0] = 4; /* just enough: it stays empty, and is not held */
  FF_CHECK(solve(&m));
  FF_CHECK(m.share[0] == 1 && ff_petri_excess(&m.flows, m.rate, m.share, m.factor, 0) <= 0);
  m.rate[0] = 4.5; /* it is left */
  FF_CHECK(solve(&m));
  FF_CHECK(m.share[0] == 1);
  FF_CHECK_NEAR(ff_petri_excess(&m.flows, m.rate, m.share, m.factor, 0), 0.5, 1e-11);
  m.rate[2] = -0.5; /* flows backwards: what took gives */
  m.rate[0] = 1;
  FF_CHECK(solve(&m));
  FF_CHECK(m.factor[2] == 1 && m.factor[1] == 2.0 / 3);
  check_solution(&m);
}

/* Two places that go round. Without a loss, the largest flow is that of the slower transition; with a loss and what flows in, it
 * is a geometric sum. */
static void circles(void) {
  net m = {.places = 2, .transitions = 4, .n_empty = 2, .empty = {0, 1}, .rate = {2, 1, 0, 0}};
  m.by[0][0] = m.by[1][1] = -1;
  m.by[0][1] = m.by[1][0] = m.by[2][0] = 1;
  m.by[3][1] = -1;
  FF_CHECK(solve(&m));
  FF_CHECK(m.share[0] == 0.5 && m.share[1] == 1);
  m.rate[1] = 3;
  m.rate[2] = 0.25; /* flows into place 0 */
  m.rate[3] = 1;    /* a quarter of what leaves place 1 is lost */
  FF_CHECK(solve(&m));
  check_solution(&m);
  FF_CHECK_NEAR(m.factor[0] * 2, 1, 1e-14); /* 0.25 / (1 - 3 / 4) */
  FF_CHECK_NEAR(m.factor[1], 0.25, 1e-14);
  m.rate[2] = 0; /* nothing flows in, so all of it is lost */
  FF_CHECK(solve(&m));
  FF_CHECK(m.factor[0] < 1e-14 && m.factor[1] < 1e-14);
  m.rate[3] = 1e-6; /* so slowly that the rounds do not suffice */
  FF_CHECK(!solve(&m));
}

/* t0 and t1 feed A and B; t2 takes both, t3 takes A, t4 takes B: max-min fairness. What B cannot give, A gives to t3. */
static void shared_transitions(void) {
  net m = {.places = 2, .transitions = 5, .n_empty = 2, .empty = {0, 1}, .rate = {0.8, 0, 1, 1, 1}};
  m.by[0][0] = m.by[1][1] = 1;
  m.by[2][0] = m.by[2][1] = m.by[3][0] = m.by[4][1] = -1;
  FF_CHECK(solve(&m));
  check_solution(&m);
  FF_CHECK(m.factor[2] == 0 && m.factor[3] == 0.8 && m.factor[4] == 0);
  m.rate[1] = 1.4;
  FF_CHECK(solve(&m));
  check_solution(&m);
  FF_CHECK_NEAR(m.factor[2], 0.4, 1e-16);
  FF_CHECK_NEAR(m.factor[3], 0.4, 1e-16);
  FF_CHECK_NEAR(m.factor[4], 1, 2e-16);
}

static void random_net(uint64_t *seed, net *m, int shared) {
  memset(m, 0, sizeof *m);
  m->places = 1 + below(seed, 5);
  m->transitions = 1 + below(seed, TRANSITIONS);
  for (uint32_t p = 0; p < m->places; p++)
    if (below(seed, 4) > 0) m->empty[m->n_empty++] = p;
  for (uint32_t t = 0; t < m->transitions; t++) {
    const uint32_t takes = below(seed, m->places + 1), gives = below(seed, m->places + 1);
    m->rate[t] = 0.1 + 3 * uniform(seed);
    if (takes < m->places) m->by[t][takes] = -1 - (double)below(seed, 2);
    if (gives < m->places && gives != takes) m->by[t][gives] = 0.5 + 0.5 * below(seed, 2);
    if (shared && below(seed, 2)) m->by[t][below(seed, m->places)] = -1;
    if (below(seed, 8) == 0) { /* backwards */
      m->rate[t] = -m->rate[t];
      for (uint32_t p = 0; p < m->places; p++) m->by[t][p] = -m->by[t][p];
    }
  }
}

/* Solves a * x = b, where b is column n of a; returns 0 if this is singular. */
static int eliminate(double a[PLACES][PLACES + 1], uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    uint32_t best = k;
    for (uint32_t i = k; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    if (fabs(a[best][k]) < 1e-9) return 0;
    for (uint32_t j = 0; j <= n; j++) {
      const double x = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
      const double by = a[i][k] / a[k][k];
      for (uint32_t j = k; i != k && j <= n; j++) a[i][j] -= by * a[k][j];
    }
  }
  for (uint32_t i = 0; i < n; i++) a[i][n] /= a[i][i];
  return 1;
}

/* The empty place that a transition takes from, or PLACES. */
static uint32_t taken_by(const net *m, uint32_t t, const int *is_empty) {
  for (uint32_t p = 0; p < m->places; p++)
    if (is_empty[p] && m->by[t][p] * m->rate[t] < 0) return p;
  return PLACES;
}

/* Shares if just the places in `held` have the slope 0, and others the share 1. Returns whether this is a solution. */
static int try_held(const net *m, const int *is_empty, uint32_t held, double *share) {
  double a[PLACES][PLACES + 1] = {{0}};
  uint32_t row[PLACES], n = 0;
  for (uint32_t p = 0; p < m->places; p++) {
    share[p] = 1;
    if (held >> p & 1) row[p] = n++;
  }
  for (uint32_t t = 0; t < m->transitions; t++) {
    const uint32_t q = taken_by(m, t, is_empty);
    for (uint32_t p = 0; p < m->places; p++) {
      if (!(held >> p & 1)) continue;
      const int by_share = q < PLACES && (held >> q & 1);
      a[row[p]][by_share ? row[q] : n] += (by_share ? 1 : -1) * m->by[t][p] * m->rate[t];
    }
  }
  if (!eliminate(a, n)) return 0;
  for (uint32_t p = 0; p < m->places; p++)
    if (held >> p & 1) share[p] = a[row[p]][n];
  for (uint32_t p = 0; p < m->places; p++) {
    double slope = 0;
    for (uint32_t t = 0; t < m->transitions; t++) {
      const uint32_t q = taken_by(m, t, is_empty);
      slope += m->by[t][p] * m->rate[t] * (q < PLACES ? share[q] : 1);
    }
    if (is_empty[p] && (slope < -1e-9 || share[p] < -1e-9 || share[p] > 1 + 1e-9)) return 0;
  }
  return 1;
}

/* No transition takes from two empty places: the shares are the largest of all solutions. */
static void shares_are_the_largest(void) {
  uint64_t seed = 4;
  int held_at_all = 0;
  for (int run = 0; run < 3000; run++) {
    net m;
    int is_empty[PLACES] = {0};
    double share[PLACES], largest[PLACES] = {0};
    random_net(&seed, &m, 0);
    for (uint32_t i = 0; i < m.n_empty; i++) is_empty[m.empty[i]] = 1;
    FF_CHECK(solve(&m));
    check_solution(&m);
    for (uint32_t held = 0; held < 1u << m.places; held++) {
      int all_empty = 1;
      for (uint32_t p = 0; p < m.places; p++) all_empty &= !(held >> p & 1) || is_empty[p];
      if (!all_empty || !try_held(&m, is_empty, held, share)) continue;
      for (uint32_t p = 0; p < m.places; p++) largest[p] = share[p] > largest[p] ? share[p] : largest[p];
    }
    for (uint32_t i = 0; i < m.n_empty; i++) {
      FF_CHECK_NEAR(m.share[m.empty[i]], largest[m.empty[i]], 1e-8);
      held_at_all += ff_petri_is_held(m.share, m.empty[i]);
    }
  }
  FF_CHECK(held_at_all > 1000);
}

/* Transitions that take from several empty places, in nets with circles: it converges to a solution. */
static void shared_random_nets(void) {
  uint64_t seed = 14;
  for (int run = 0; run < 20000; run++) {
    net m;
    random_net(&seed, &m, 1);
    FF_CHECK(solve(&m));
    check_solution(&m);
    for (uint32_t i = 0; i < m.n_empty; i++) ff_petri_share_end(&m.flows, m.rate, m.share, m.factor, m.empty[i]);
    for (uint32_t t = 0; t < m.transitions; t++) FF_CHECK(m.factor[t] == 1);
  }
}

/* A place that is fed by 1 + sin(t) and loses 1.2: it becomes empty and is left once in each period, in small steps of Euler. */
static void nothing_chatters(void) {
  net m = {.places = 1, .transitions = 2, .by = {{1}, {-1}}, .rate = {1, 1.2}};
  const double h = 1e-3;
  double level = 0.5;
  int emptied = 0, left = 0;
  for (int step = 0; step < 62832; step++) { /* 10 periods */
    m.rate[0] = 1 + sin(step * h);
    FF_CHECK(solve(&m));
    if (m.n_empty == 1 && ff_petri_excess(&m.flows, m.rate, m.share, m.factor, 0) > 0) {
      ff_petri_share_end(&m.flows, m.rate, m.share, m.factor, 0);
      m.n_empty = 0;
      left++;
    }
    level += m.n_empty == 1 ? 0 : h * slope_of(&m, 0);
    if (level <= 0 && m.n_empty == 0) {
      level = 0;
      m.n_empty = 1;
      emptied++;
    }
  }
  FF_CHECK_INT(emptied, 10);
  FF_CHECK_INT(left, 9 + (m.n_empty == 0));
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

static int64_t find_symbol(void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] >= 'x' && name[0] <= 'z' ? name[0] - 'x' : -1;
}

enum { ROOM = 32 };

static int text_vanishes(const char *text, double *at) {
  ff_error err;
  ff_formula f;
  ff_petri_vanishing stack[ROOM];
  double numbers[ROOM], values[] = {*at, 0.7, 0.3};
  FF_CHECK_OK(ff_formula_parse(&f, text, strlen(text), find_symbol, NULL, (ff_place){NULL, 0}, &err), &err);
  FF_CHECK(f.depth <= ROOM);
  const int vanishes = ff_petri_vanishes(&f, 0, stack);
  *at = ff_formula_value(&f, values, 3, numbers);
  ff_formula_free(&f);
  return vanishes;
}

static void tells_what_vanishes(void) {
  static const char *const yes[] = {
      "x",         "0.1 * x * y", "y * x",       "x^2",      "x^1.5 * z", "2 * x / (3 + x)", "x * y / 5",   "x^4 / (1 + x^4)",
      "min(x, y)", "min(2, x)",   "0",           "-x",       "x - x * y", "x * exp(-time)",  "-expm1(-x)",  "if(y > z, x, 2 * x)",
      "abs(x)",    "floor(x)",    "x * (y > 1)", "tanh(x)",  "0 * y",     "log1p(x) * z",    "x * (x < 1)", "max(x, x * y)"};
  static const char *const no[] = {"y",      "1",          "x + y", "sqrt(x)", "x^0.5",      "x / y",  "x / (y + x)",
                                   "time",   "max(x, y)",  "x > 0", "1 / x",   "x * log(z)", "x^y",    "y * (x > 0)",
                                   "log(x)", "ceiling(x)", "x / x", "exp(x)",  "1 - exp(-x)", "min(x, y - z)", "if(x > 0, 1, 0)"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    double tiny = 1e-9, zero = 0;
    FF_CHECK_SAY(text_vanishes(yes[i], &tiny), "%s", yes[i]);
    FF_CHECK(fabs(tiny) <= 10 * 1e-9);
    FF_CHECK(text_vanishes(yes[i], &zero) && zero == 0);
  }
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    double x = 0;
    FF_CHECK_SAY(!text_vanishes(no[i], &x), "%s", no[i]);
  }
  ff_petri_vanishing none;
  const ff_formula empty = {NULL, 0, 0};
  FF_CHECK(!ff_petri_vanishes(&empty, 0, &none));
}

FF_TEST_MAIN("petri_share", chain_passes_what_flows_in, outflows_share, circles, shared_transitions, shares_are_the_largest,
             shared_random_nets, nothing_chatters, tells_what_vanishes)
