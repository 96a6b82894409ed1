/* Flows with constant rates between places that become empty: trajectories are straight lines between events, which a short loop
 * finds from the shares (ff_petri_share.h) alone. */
#include <math.h>

#include "petri_runs.h"
#include "random.h"

#include "../../src/ode/ff_cvode.h"
#include "../../src/petri/within/ff_petri_share.h"

enum { LEVELS = 4, FLOWS = 7, ARCS = 3 * FLOWS };

/* Flow t takes `takes` from level a and 1 from level `also`, and gives `gives` to level b; LEVELS is none. */
typedef struct {
  double rate[FLOWS], takes[FLOWS], gives[FLOWS], level[LEVELS];
  uint32_t a[FLOWS], also[FLOWS], b[FLOWS];
} lines;

static lines random_lines(uint64_t *s) {
  lines x;
  for (int i = 0; i < LEVELS; i++) x.level[i] = below(s, 4) > 0 ? 0 : 1 + below(s, 4);
  for (int t = 0; t < FLOWS; t++) {
    x.rate[t] = (1 + below(s, 20)) / 4.0;
    x.takes[t] = 1 + below(s, 2);
    x.gives[t] = 1 + below(s, 2);
    x.a[t] = below(s, LEVELS + 1);
    x.b[t] = below(s, LEVELS + 1);
    if (x.b[t] == x.a[t]) x.b[t] = LEVELS;
    x.also[t] = below(s, 2) == 0 ? below(s, LEVELS) : LEVELS;
    if (x.also[t] == x.a[t] || x.also[t] == x.b[t]) x.also[t] = LEVELS;
  }
  return x;
}

static void write_lines(petri_text *out, const lines *x) {
  petri_begin(out);
  for (int i = 0; i < LEVELS; i++) {
    char name[16], marking[16];
    snprintf(name, sizeof name, "L%d", i);
    snprintf(marking, sizeof marking, "%d", (int)x->level[i]);
    petri_place(out, name, 1, marking);
  }
  for (int t = 0; t < FLOWS; t++) {
    char name[16], equation[70], rate[16], from[20] = "0", also[20] = "", to[20] = "0";
    if (x->a[t] < LEVELS) snprintf(from, sizeof from, "%d L%d", (int)x->takes[t], (int)x->a[t]);
    if (x->also[t] < LEVELS) snprintf(also, sizeof also, "%sL%d", x->a[t] < LEVELS ? " + " : "", (int)x->also[t]);
    if (x->also[t] < LEVELS && x->a[t] == LEVELS) from[0] = 0;
    if (x->b[t] < LEVELS) snprintf(to, sizeof to, "%d L%d", (int)x->gives[t], (int)x->b[t]);
    snprintf(name, sizeof name, "t%d", t);
    snprintf(equation, sizeof equation, "%s%s -> %s", from, also, to);
    snprintf(rate, sizeof rate, "%d / 4", (int)(4 * x->rate[t]));
    if (x->a[t] < LEVELS || x->also[t] < LEVELS || x->b[t] < LEVELS) petri_flows(out, name, equation, rate);
  }
}

/* The arcs of all flows, by flow and by level. */
typedef struct {
  size_t first[FLOWS + 1], taker_first[LEVELS + 1];
  uint32_t place[ARCS], taker[ARCS];
  double by[ARCS], taker_by[ARCS];
} arcs;

static ff_petri_flows arcs_of(arcs *out, const lines *x) {
  size_t n = 0, m = 0;
  for (uint32_t t = 0; t < FLOWS; t++) {
    out->first[t] = n;
    if (x->a[t] < LEVELS) out->place[n] = x->a[t], out->by[n++] = -x->takes[t];
    if (x->also[t] < LEVELS) out->place[n] = x->also[t], out->by[n++] = -1;
    if (x->b[t] < LEVELS) out->place[n] = x->b[t], out->by[n++] = x->gives[t];
  }
  out->first[FLOWS] = n;
  for (uint32_t i = 0; i < LEVELS; i++) {
    out->taker_first[i] = m;
    for (uint32_t t = 0; t < FLOWS; t++)
      for (size_t k = out->first[t]; k < out->first[t + 1]; k++)
        if (out->place[k] == i) out->taker[m] = t, out->taker_by[m++] = out->by[k];
  }
  out->taker_first[LEVELS] = m;
  return (ff_petri_flows){out->first, out->place, out->by, out->taker_first, out->taker, out->taker_by};
}

/* Slopes where levels at 0 that would fall are held. */
static void slopes_of(const ff_petri_flows *flows, const lines *x, const double *level, double *slope) {
  double share[LEVELS], factor[FLOWS];
  uint32_t empty[LEVELS], n = 0;
  for (int i = 0; i < LEVELS; i++) {
    share[i] = 1;
    if (level[i] == 0) empty[n++] = (uint32_t)i; /* one that need not be held has the share 1 */
  }
  for (int t = 0; t < FLOWS; t++) factor[t] = 1;
  FF_CHECK(ff_petri_share(flows, x->rate, empty, n, share, factor));
  for (uint32_t i = 0; i < LEVELS; i++) {
    slope[i] = 0;
    for (size_t k = flows->taker_first[i]; k < flows->taker_first[i + 1]; k++)
      slope[i] += flows->taker_by[k] * x->rate[flows->taker[k]] * factor[flows->taker[k]];
    if (level[i] == 0 && (slope[i] < 0 || share[i] < 1)) slope[i] = 0;
  }
}

static void follow_lines(const lines *x, double end, double *level) {
  arcs room;
  const ff_petri_flows flows = arcs_of(&room, x);
  for (double t = 0; t < end;) {
    double slope[LEVELS], step = end - t;
    uint32_t first = LEVELS;
    slopes_of(&flows, x, level, slope);
    for (uint32_t i = 0; i < LEVELS; i++)
      if (slope[i] < -1e-12 && -level[i] / slope[i] < step) {
        step = -level[i] / slope[i];
        first = i;
      }
    for (uint32_t i = 0; i < LEVELS; i++)
      level[i] = i == first || level[i] + step * slope[i] < 1e-11 ? 0 : level[i] + step * slope[i];
    t += step;
  }
}

static void follows_straight_lines(void) {
  const ff_petri_options options = {.relative = 1e-8, .absolute = 1e-10};
  const double times[] = {0.3, 1, 2.7, 6};
  uint32_t emptied = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    uint64_t s = seed;
    const lines x = random_lines(&s);
    petri_text text;
    petri_states states = {0};
    write_lines(&text, &x);
    petri_compile(&text, &options);
    if (text.status == FF_OK) text.status = petri_observe(&states, text.program, 1, times, 4, LEVELS, 1, 1, &text.err);
    FF_CHECK_SAY(text.status == FF_OK, "net %d: %s\n", (int)seed, text.err.text);
    for (uint32_t t = 0; t < 4 && text.status == FF_OK; t++) {
      double level[LEVELS];
      memcpy(level, x.level, sizeof level);
      follow_lines(&x, times[t], level);
      for (uint32_t i = 0; i < LEVELS; i++) {
        const double got = petri_state(&states, i, 0, t);
        FF_CHECK_SAY(fabs(got - level[i]) < 1e-6 * (1 + level[i]), "net %d: L%d is %.10g at %g, not %.10g\n", (int)seed, (int)i,
                     got, times[t], level[i]);
        emptied += got == 0;
      }
    }
    petri_states_free(&states);
    petri_end(&text);
  }
  FF_CHECK(emptied > 800);
}

/* A level is empty until what flows out, 2.1 (1 + sin(3 t)), is less than 0.8, which flows in; then it rises, as the square of the
 * time, and falls to 0 again. In between it is an integral. Implicit steps do not stick where it begins to rise. */
static void rises_from_zero(void) {
  const double rises = (3.14159265358979323846 - asin(0.8 / 2.1 - 1)) / 3;
  const ff_petri_integrator integrators[] = {FF_PETRI_DORMAND_PRINCE, FF_PETRI_ROSENBROCK};
  const double times[] = {1.2, 1.3, 2, 3};
  for (int k = 0; k < 2; k++) {
    const ff_petri_options options = {.relative = 1e-6, .integrator = integrators[k]};
    petri_text x;
    petri_states states = {0};
    petri_begin(&x);
    petri_place(&x, "Z", 1, "0");
    petri_flows(&x, "out", "Z -> 0", "2.1 * (1 + sin(3 * time))");
    petri_flows(&x, "in", "0 -> Z", "0.8");
    petri_compile(&x, &options);
    x.status = petri_observe(&states, x.program, 1, times, 4, 1, 1, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "integrator %d: %s", k, x.err.text);
    for (uint32_t t = 0; t < 4 && x.status == FF_OK; t++) {
      const double s = times[t], y = t == 0 || t == 3 ? 0 : -1.3 * (s - rises) + 0.7 * (cos(3 * s) - cos(3 * rises));
      const double got = petri_state(&states, 0, 0, t);
      FF_CHECK_SAY(fabs(got - y) < 1e-5, "integrator %d: %.8g at %g, not %.8g", k, got, s, y);
    }
    petri_states_free(&states);
    petri_end(&x);
  }
}

/* A flow that stops near 0 alone is constant before. Steps passed over 0, where its formula has the same values again, and the
 * level fell for ever. */
static void stays_above_zero(void) {
  static const char *const rates[] = {"X / (1e-3 + X)", "X / (1e-4 + X)", "X / (1e-6 + X)"};
  static const double time = 3;
  for (int k = 0; k < 9; k++) {
    const ff_petri_options options = {.relative = 1e-6, .integrator = (ff_petri_integrator)(k % 3)};
    petri_text x;
    petri_states states = {0};
    petri_begin(&x);
    petri_place(&x, "X", 1, "1");
    petri_place(&x, "Y", 1, "0");
    petri_flows(&x, "out", "X -> Y", rates[k / 3]);
    petri_compile(&x, &options);
    x.status = petri_observe(&states, x.program, 1, &time, 1, 2, 1, 1, &x.err);
    FF_CHECK_SAY(x.status == FF_OK, "%s, integrator %d: %s", rates[k / 3], k % 3, x.err.text);
    if (x.status == FF_OK) {
      const double left = petri_state(&states, 0, 0, 0), gone = petri_state(&states, 1, 0, 0);
      FF_CHECK_SAY(fabs(left) < 1e-5 && fabs(gone - 1) < 1e-5, "%s, integrator %d: %g and %g", rates[k / 3], k % 3, left, gone);
    }
    petri_states_free(&states);
    petri_end(&x);
  }
}

/* What CVODE cannot solve, as such a flow has no digits that count near 0, is an error: the level was -2. */
static void reference_does_not_fall(void) {
  const ff_petri_options options = {.relative = 1e-6, .integrator = FF_PETRI_CVODE};
  static const double time = 3;
  petri_text x;
  petri_states states = {0};
  if (!ff_cvode_exists()) FF_SKIP("there is no CVODE");
  petri_begin(&x);
  petri_place(&x, "X", 1, "1");
  petri_flows(&x, "out", "X -> 0", "X / (1e-10 + X)");
  petri_compile(&x, &options);
  x.status = petri_observe(&states, x.program, 1, &time, 1, 1, 1, 1, &x.err);
  FF_CHECK_FAILS(x.status, FF_EMODEL, &x.err, "the steps of the solver become too short for place \"X\"");
  petri_states_free(&states);
  petri_end(&x);
}

FF_TEST_MAIN("petri_empty", follows_straight_lines, rises_from_zero, stays_above_zero, reference_does_not_fall)
