/* Flows out of empty places. A level that is 0 must not fall. If less flows in than the rates take out, all flows out are
 * multiplied by one factor, so that both are the same and the level stays 0 (Filippov's solution). gcc and nvcc compile the same
 * text.
 *
 * v_t are full rates. If one is negative, the transition flows backwards: it takes from the places on its right side. Each
 * empty place p has a share g_p in [0, 1]. A transition that takes from empty places has the factor f_t = the smallest of their
 * shares; any other has 1. We look for shares with which each empty place either has the share 1 and does not fall, or has the
 * slope 0. Of all solutions, the largest shares are taken, so that an empty place may also be fed by another one.
 *
 * All shares begin with 1. In each round, place by place in the order of `empty`, g_p becomes the largest share with which p
 * does not fall, given the present factors of the other places.
 *
 * - If no transition takes from two empty places, g_p = T_p(g) = min(1, inflow(f) / full outflow). The inflow grows with the
 *   other shares, so T is monotone. T(1) <= 1, so by induction no share ever grows. What is bounded below by 0 converges; T is
 *   continuous, so the limit is a solution; and if h is any solution, g >= h implies T(g) >= T(h) = h, so the limit is the
 *   largest one (the theorem of Knaster and Tarski). A chain needs as many rounds as it has places against its order; a circle
 *   converges as the powers of what is left after going round.
 * - If places share transitions, but do not feed each other, the shares are those of max-min fairness: let p have the smallest
 *   inflow / full outflow, b. All shares always are at least b, so p's is b from its first turn on, and its transitions have the
 *   factor b. Without these, the same holds for the place that is next. So there are at most as many rounds as places.
 * - If both come together, shares may swing to and fro. So after FF_PETRI_SHARE_SWINGS rounds, a share grows by half of what it
 *   should, and by less and less after every FF_PETRI_SHARE_SLOWER rounds more. Nothing is proved; it has converged in each of
 *   1.5 million random nets with up to 5 empty places, of which the test has 20,000.
 *
 * It ends when no share changes by more than FF_PETRI_SHARE_CHANGE of it and FF_PETRI_SHARE_LEAST. Then slopes of held places
 * are 0 but for such an error, usually below 0 because shares come from above. The caller sets the slopes of all empty places
 * to 0, so that their levels stay exactly 0. If FF_PETRI_SHARE_ROUNDS do not suffice, as in a circle that loses less than a
 * hundredth, the result says so.
 *
 * An empty place is left when ff_petri_excess() becomes positive: more flows in than all rates take out. While it is 0, the
 * place stays empty. Nothing chatters: where the excess is 0, the share is 1, so the slopes are the same before and after, and
 * go through 0 continuously. A place that is left has a positive slope; one that becomes empty, with a negative slope, has a
 * negative excess. So between leaving and coming back the excess must change its sign, which takes time. Where two places are
 * fed and emptied alike, rounding errors decide whether there is an excess; so it must be more than FF_PETRI_BALANCED of the
 * inflow. */
#ifndef FF_PETRI_SHARE_H
#define FF_PETRI_SHARE_H

#include "../../base/ff_math.h"

#define FF_PETRI_SHARE_ROUNDS 4096u
#define FF_PETRI_SHARE_SWINGS 64u
#define FF_PETRI_SHARE_SLOWER 256u
#define FF_PETRI_SHARE_CHANGE 0x1p-50
#define FF_PETRI_SHARE_LEAST 0x1p-60
#define FF_PETRI_BALANCED 0x1p-40 /* inflow and outflow are the same if they differ by this part of the inflow */

/* What flows change: for each unit of its rate, transition t changes the level place[k] by by[k], where k is at least first[t]
 * and below first[t + 1]. It names each level once. The same for levels: `taker` tells the transitions, in ascending order.
 * Borrowed. */
typedef struct {
  const size_t *first;
  const uint32_t *place;
  const double *by;
  const size_t *taker_first;
  const uint32_t *taker;
  const double *taker_by;
} ff_petri_flows;

static FF_HD inline int ff_petri_is_held(const double *share, uint32_t place) { return share[place] < 1; }

/* The smallest share of what a transition takes from, but for one place. All shares are 1 but those of empty places. */
static FF_HD inline double ff_petri_least_share(const ff_petri_flows *of, const double *rate, const double *share, uint32_t t,
                                                uint32_t but) {
  double least = 1;
  for (size_t k = of->first[t]; k < of->first[t + 1]; k++)
    if (of->place[k] != but && of->by[k] * rate[t] < 0 && share[of->place[k]] < least) least = share[of->place[k]];
  return least;
}

/* What flows into a level. */
static FF_HD inline double ff_petri_inflow(const ff_petri_flows *of, const double *rate, const double *factor, uint32_t place) {
  double in = 0;
  for (size_t k = of->taker_first[place]; k < of->taker_first[place + 1]; k++) {
    const uint32_t t = of->taker[k];
    const double flow = of->taker_by[k] * rate[t];
    if (flow > 0) in += flow * factor[t];
  }
  return in;
}

/* Sets *out to what is taken at the share 1 by transitions whose other places have a share of at least `share`, and *limited to
 * what the others take. */
static FF_HD inline void ff_petri_outflow(const ff_petri_flows *of, const double *rate, const double *shares, uint32_t place,
                                          double share, double *out, double *limited) {
  *out = *limited = 0;
  for (size_t k = of->taker_first[place]; k < of->taker_first[place + 1]; k++) {
    const uint32_t t = of->taker[k];
    const double flow = of->taker_by[k] * rate[t];
    if (!(flow < 0)) continue;
    const double other = ff_petri_least_share(of, rate, shares, t, place);
    if (other < share)
      *limited -= flow * other;
    else
      *out -= flow;
  }
}

/* How much more flows into a place than it loses at the share 1, with the present factors of the other places, and a bit less,
 * so that rounding errors leave nothing. O(its arcs, and those of its transitions). */
static FF_HD inline double ff_petri_excess(const ff_petri_flows *of, const double *rate, const double *share,
                                           const double *factor, uint32_t place) {
  const double in = ff_petri_inflow(of, rate, factor, place);
  double out, limited, full, none;
  ff_petri_outflow(of, rate, share, place, 1, &out, &limited);
  ff_petri_outflow(of, rate, share, place, 0, &full, &none);
  return in - (out + limited) - FF_PETRI_BALANCED * in - FF_PETRI_SHARE_CHANGE * full;
}

/* The largest share with which the place does not fall. What others limit leaves more for the rest, whose share grows; then
 * others may limit more of it. */
static FF_HD inline double ff_petri_share_of(const ff_petri_flows *of, const double *rate, const double *shares,
                                             const double *factor, uint32_t place) {
  const double in = ff_petri_inflow(of, rate, factor, place);
  double share = 0, out, limited;
  for (;;) {
    ff_petri_outflow(of, rate, shares, place, share, &out, &limited);
    const double rest = in - limited, next = rest < out ? rest / out : 1;
    if (!(next > share)) return share;
    if (next == 1) return 1;
    share = next;
  }
}

/* Sets the factors of all transitions that take from a place. */
static FF_HD inline void ff_petri_set_factors(const ff_petri_flows *of, const double *rate, const double *share, double *factor,
                                              uint32_t place) {
  for (size_t k = of->taker_first[place]; k < of->taker_first[place + 1]; k++)
    factor[of->taker[k]] = ff_petri_least_share(of, rate, share, of->taker[k], UINT32_MAX);
}

/* Sets the shares of n empty places, and the factors of the transitions that touch them. All other shares and factors must be 1.
 * Rates are finite. Returns whether the shares have converged. O(rounds * arcs of transitions that touch empty places). */
static FF_HD inline int ff_petri_share(const ff_petri_flows *of, const double *rate, const uint32_t *empty, uint32_t n,
                                       double *share, double *factor) {
  for (uint32_t i = 0; i < n; i++) share[empty[i]] = 1;
  for (uint32_t i = 0; i < n; i++) ff_petri_set_factors(of, rate, share, factor, empty[i]);
  for (uint32_t round = 0; round < FF_PETRI_SHARE_ROUNDS; round++) {
    int changed = 0;
    for (uint32_t i = 0; i < n; i++) {
      const double before = share[empty[i]];
      double now = ff_petri_share_of(of, rate, share, factor, empty[i]);
      if (now == before) continue;
      const int much = ff_math_absolute(now - before) > FF_PETRI_SHARE_CHANGE * before + FF_PETRI_SHARE_LEAST;
      if (now > before && round >= FF_PETRI_SHARE_SWINGS && (much || now < 1))
        now = before + (now - before) / (2 + round / FF_PETRI_SHARE_SLOWER);
      changed |= much;
      share[empty[i]] = now;
      ff_petri_set_factors(of, rate, share, factor, empty[i]);
    }
    if (!changed) return 1;
  }
  return 0;
}

/* The place is no longer empty. */
static FF_HD inline void ff_petri_share_end(const ff_petri_flows *of, const double *rate, double *share, double *factor,
                                            uint32_t place) {
  share[place] = 1;
  ff_petri_set_factors(of, rate, share, factor, place);
}

#endif
