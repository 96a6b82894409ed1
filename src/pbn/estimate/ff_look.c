/* Precision and mixing, computed from sums over trajectories. */
#include "ff_look.h"

#include <math.h>

#define MOST_SHARED 0.04  /* allowed correlation of the halves of a trajectory ... */
#define MOST_KEPT 0.7     /* ... and allowed ratio of the variances within trajectories after and before the window is doubled */
#define SAMPLING 2.5      /* number of standard errors, at least, by which these two may be exceeded */
#define DRIFT 4.0         /* allowed difference of the means of the halves, in standard errors, at least */

static double larger(double a, double b) { return a > b ? a : b; }

ff_look ff_look_at(const ff_pbn_tally *tally, const ff_look_rule *rule) {
  ff_look out = {.rhat = NAN};
  for (uint32_t i = 0; i < rule->n_asked; i++) {
    ff_moments m = ff_pbn_tally_moments(tally, i);
    if (!isnan(m.rhat) && !(out.rhat > m.rhat)) out.rhat = m.rhat;
    out.width = larger(out.width, rule->z * m.se * (rule->unit / rule->precision[i]));
    out.drift = larger(out.drift, fabs(m.drift));
  }
  return out;
}

/* The approximate maximum of n standard normal numbers. One look judges that many observables. */
static double largest_of(uint32_t n) { return sqrt(2 * ff_log_series(n + 1.0)); }

static double shared(const ff_moments *m, double sampling, double small) {
  if (m->half_cov <= small * small || !(m->half_var > 0)) return 0;
  return m->half_cov / m->half_var / (MOST_SHARED + sampling);
}

static double kept(const ff_moments *m, double chains, double sampling, double small, double *within) {
  double now = m->gap_se * m->gap_se * chains, before = *within;
  *within = now;
  if (now <= small * small) return 0;
  return now / before / (MOST_KEPT + 2 * sampling);
}

double ff_look_sampling(uint32_t n, double chains) { return larger(SAMPLING, largest_of(n)) / sqrt(chains); }

double ff_look_unmixed(const ff_moments *m, double chains, const ff_look_rule *rule, double *within) {
  double small = rule->negligible, gap = fabs(m->gap);
  double sampling = ff_look_sampling(rule->n_judged, chains);
  double drift = larger(DRIFT, 1.5 + largest_of(rule->n_judged));
  double out = rule->forgets ? shared(m, sampling, small) : kept(m, chains, sampling, small, within);
  if (m->gap_se > 0 && (rule->forgets || gap > small)) return larger(out, gap / m->gap_se / drift);
  return gap > small ? INFINITY : out;
}
