/* Looks at the counts, and decisions: when the pilot is accepted, what it plans, and when the run is done. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_decimal.h"
#include "ff_pbn_estimate_internal.h"

#define RARE 50.0               /* independent observations, times the precision, that a value never seen requires */
#define MORE_WORK 34359738368.0 /* node updates (2^35, about a second) after which a run adds no tiles for rare events */
#define MIN_PATIENCE 64         /* stretches (of at least 2,048 steps) of burn-in before the estimator gives up: if ... */
#define MIN_STRETCH 2048
#define MAX_STUCK 2             /* ... this many doublings have brought the trajectories no closer */
#define HOPELESS 8              /* gives up at once if trajectories seem to need more than this many times max_burn_in */
#define DOUBTFUL_TILES 16       /* largest number of tiles of a run whose answer is uncertain */
#define SHARED_RUN 0.08         /* allowed correlation of the halves of a trajectory in the run */
#define DRIFT_RUN 5.0
#define MARGIN 1.1              /* plans more samples than computed, so that one run is usually enough */
#define MARGIN_MORE 1.02        /* the same if it was not enough: then the spread is known better */
#define MOST_REMEMBERED 0.0625  /* largest difference by the start, between means over an eighth of the burn-in, that needs no
                                 * longer measurement */
#define BURN_IN_SHARE 5         /* counted steps of a tile, in units of the burn-in: at least this many if there are many
                                 * samples ... */
#define LONG_SHARE 32           /* ... and this many if they would take more than FF_MAX_TILES tiles */

static double larger(double a, double b) { return a > b ? a : b; }

double ff_decide_stretch(const ff_pbn_program *program) {
  double p = ff_pbn_program_perturbation(program), stretch = 1 / ff_pbn_program_rarest(program);
  return p > 0 && 1 / p > stretch ? 1 / p : stretch;
}

static double chains_of(const ff_pbn_estimate *e) { return (double)e->tally.tiles * FF_TILE; }

static ff_status note(ff_pbn_estimate *e, ff_look now, ff_error *err) {
  ff_status status = ff_grow((void **)&e->trace, &e->trace_capacity, e->n_trace + 1, sizeof *e->trace, err);
  if (status != FF_OK) return status;
  double samples = (double)e->tally.tiles * FF_TILE * (double)(e->plan.half[0] + e->plan.half[1]);
  e->trace[e->n_trace++] = (ff_trace){(int)e->phase, samples, now.rhat, now.width, (double)e->plan.burn_in};
  return FF_OK;
}

double ff_pbn_estimate_stretch(const ff_pbn_estimate *e) { return larger((double)e->plan.burn_in,
                                                                         ff_decide_stretch(e->run.program)); }

/* 1 if the run has done so little work that it may add tiles for rare events. */
static int may_work(const ff_pbn_estimate *e) {
  double nodes = (double)ff_pbn_program_nodes(e->run.program) + 1, steps = chains_of(e) * (double)e->target[2];
  return steps * nodes * (ff_pbn_program_layout(e->run.program) == FF_LAYOUT_PACKED ? PACKED_COST : 1) < MORE_WORK;
}

/* The factor by which the number of trajectories must grow, from 1 (there are enough) to 4. A state set that varied needs
 * FF_FEW_VISITS visits. Terms that never varied need RARE / precision independent observations, times their weight. */
static double looks_wanted(const ff_pbn_estimate *e) {
  double window = (double)(e->plan.half[0] + e->plan.half[1]), more = 1;
  double looks = chains_of(e) * (1 + floor(window / ff_pbn_estimate_stretch(e)));
  for (uint32_t i = 0; i < e->observables.n && may_work(e); i++) {
    if (e->constant[i]) continue;
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    if (m.visited == 1 && m.visits < FF_FEW_VISITS && e->two_state[i])
      more = larger(more, larger(1.1 * FF_FEW_VISITS / m.visits, 1.25));
    else if (looks * e->precision[i] < RARE * larger(m.unseen[0], m.unseen[1]))
      more = larger(more, 2);
  }
  return more > 4 ? 4 : more;
}

static uint32_t watched_pairs(const ff_pbn_estimate *e) {
  return e->slots[0].pairs.count != NULL && e->waves == NULL ? e->options.pairs->n : 0; /* a device counts only monitors */
}

static ff_moments pair_moments(const ff_pbn_estimate *e, uint32_t pair) {
  const ff_pair_counts *tiles[FF_PILOT_TILES];
  for (uint32_t t = 0; t < e->pilot; t++) tiles[t] = &e->slots[t].pairs;
  return ff_pair_moments(tiles, e->pilot, pair);
}

/* The recall, in steps, that follows from the correlation of the halves (ff_look_unmixed()). `sampling` is its allowed error. */
static double shared_recall(const ff_pbn_estimate *e, const ff_moments *m, double sampling) {
  double shared = m->half_var > 0 ? m->half_cov / m->half_var - sampling : 0;
  return shared > 0 ? (double)e->plan.half[0] * 2 * shared / (1 + 2 * shared) : 0;
}

/* The burn-in that one observable of the user needs in addition to mixing, and the thinning of its record. */
static double own_burn_in(ff_pbn_estimate *e, uint32_t i, const ff_moments *m) {
  uint64_t window = e->plan.half[0] + e->plan.half[1];
  uint32_t recorded = window < RECORD_STEPS ? (uint32_t)window : RECORD_STEPS;
  double alpha, beta, out = 0;
  /* recall = (inflation - 1) / (inflation + 1) for a chain whose correlations decrease geometrically */
  if (m->inflation > 1 && e->rule.forgets)
    out = ff_log_series(e->options.epsilon) / ff_log_series((m->inflation - 1) / (m->inflation + 1));
  if (!e->two_state[i]) return out;
  e->thinning[i] = ff_thinning(e->record + (size_t)e->set[i] * RECORD_STEPS + (RECORD_STEPS - recorded), recorded, &alpha, &beta);
  if (alpha > 0 && beta > 0 && e->rule.forgets) /* otherwise differences between trajectories would count as recall */
    out = larger(out, 1 + (ff_burn_in(alpha, beta, e->options.epsilon) - 1) * (double)e->thinning[i]);
  return out;
}

/* Burn-in and samples that follow from the pilot: at least the pilot's burn-in, and a longer one if epsilon requires it, up
 * to max_burn_in. */
static void wanted(ff_pbn_estimate *e, double *burn_in, double *samples) {
  double n = (double)(e->plan.half[0] + e->plan.half[1]) * chains_of(e), z = e->options.z, recall = 0, most = 0;
  *samples = 1;
  for (uint32_t i = 0; i < e->tally.n; i++) {
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    if (m.visited != 1) continue;
    if (e->rule.forgets) recall = larger(recall, shared_recall(e, &m, 2.5 / sqrt(chains_of(e))));
    if (i >= e->observables.n) continue;
    double r = e->precision[i];
    *samples = larger(*samples, m.se * m.se * n * (z / r) * (z / r));
    most = larger(most, own_burn_in(e, i, &m));
  }
  recall = larger(recall, e->pair_recall);
  most = larger(most, -ff_log_series(e->options.epsilon) * recall);
  if (most > (double)e->options.max_burn_in) most = (double)e->options.max_burn_in;
  *burn_in = larger((double)e->plan.burn_in, most);
}

void ff_decide_start_round(ff_pbn_estimate *e, uint64_t round, uint64_t first, uint64_t tiles) {
  uint64_t s = e->options.shard, k = e->options.n_shards;
  e->next_tile = round * ROUND_UNITS + first + ff_share(tiles, s, k);
  e->start_tile = e->next_tile;
  e->last_tile = round * ROUND_UNITS + first + ff_share(tiles, s + 1, k);
  uint64_t n = e->last_tile - e->start_tile; /* a long run pauses for looks at a 64th, a 16th, a quarter, and the end */
  e->stop_tile = n <= 64 || e->waves != NULL ? e->last_tile : e->start_tile + n / 64;
  for (uint32_t i = 0; i < e->n_slots; i++) e->slots[i].busy = 0;
}

/* With many tiles, many threads can work, and also many GPUs if the run is long. But each tile costs a burn-in. */
static double tiles_for(double steps, double burn_in, double fewest) {
  double tiles = ceil(steps / (BURN_IN_SHARE * burn_in)), more = ceil(steps / (LONG_SHARE * burn_in));
  if (tiles <= FF_MAX_TILES) return tiles < fewest ? fewest : tiles;
  return more < FF_MAX_TILES ? FF_MAX_TILES : more > FF_MOST_TILES ? FF_MOST_TILES : more;
}

static ff_status plan_run(ff_pbn_estimate *e, double burn_in, double samples, uint64_t round, ff_error *err) {
  uint64_t steps = (uint64_t)burn_in;
  double least = (double)e->least_window, tiles = tiles_for(samples / FF_TILE, burn_in, e->pilot);
  double window = ceil(samples / FF_TILE / tiles / PERIODS) * PERIODS;
  if (window < least || !e->rule.forgets) { /* if trajectories never become alike, more of them are needed, not longer ones */
    window = least;
    tiles = larger(ceil(samples / FF_TILE / window), e->pilot);
  }
  double most = FF_MAX_WINDOW / PERIODS * PERIODS;
  if (window > most) {
    window = most;
    tiles = larger(ceil(samples / FF_TILE / window), e->pilot);
  }
  if (tiles * 2 > (double)ROUND_UNITS || (double)steps + window > 2.8e14)
    return ff_error_set(err, FF_ESIZE,
                        "the requested precision takes %s%.3g samples, but at most %.2g are possible: increase `precision`",
                        isfinite(samples) ? "" : "more than ", isfinite(samples) ? samples : DBL_MAX,
                        (double)FF_TILE * (double)FF_MAX_WINDOW * (double)(ROUND_UNITS / 2));
  if (e->phase == FF_PHASE_PILOT) {
    ff_status status = ff_slots_new(e, &e->run, (uint32_t)e->options.threads, err);
    if (status != FF_OK) return status;
  }
  e->phase = FF_PHASE_RUN;
  ff_slots_window(e, steps, (uint64_t)window);
  e->plan.tiles = (uint64_t)tiles;
  ff_decide_start_round(e, round, 0, e->plan.tiles);
  return FF_OK;
}

/* Used if every single node has mixed: names the pair of nodes, or the predictor function, that has mixed least. */
static void name_slow_together(const ff_pbn_estimate *e, const double *unmixed, char *out, size_t size) {
  const ff_monitors *monitors = e->options.monitors;
  uint32_t asked = e->observables.n, worst = asked;
  for (uint32_t i = asked; i < e->tally.n; i++)
    if (unmixed[i] > unmixed[worst]) worst = i;
  int monitored = worst < e->tally.n && unmixed[worst] > 1;
  if (!monitored && e->slow_pair == UINT32_MAX) return;
  uint32_t a = monitored ? monitors->node[0][worst - asked] : e->options.pairs->node[0][e->slow_pair];
  uint32_t b = monitored ? monitors->node[1][worst - asked] : e->options.pairs->node[1][e->slow_pair];
  const char *name = e->options.names[a], *other = b == UINT32_MAX ? "" : e->options.names[b];
  if (b == UINT32_MAX)
    snprintf(out, size, " about a predictor function of node %s", ff_quote(name, strlen(name)).text);
  else if (a == b)
    snprintf(out, size, " about node %s", ff_quote(name, strlen(name)).text);
  else
    snprintf(out, size, " about nodes %s and %s together", ff_quote(name, strlen(name)).text,
             ff_quote(other, strlen(other)).text);
}

/* Names up to four nodes that have mixed least, the worst first, as in: about nodes "a", "b". If no node is slow, names a
 * pair or a function. */
static void name_slow(const ff_pbn_estimate *e, const double *unmixed, char *out, size_t size) {
  const ff_monitors *monitors = e->options.monitors;
  uint32_t shown[4], n = 0, slow = 0, asked = e->observables.n, total = e->tally.n;
  for (uint32_t i = asked; i < total; i++) { /* a node is more informative than a pair */
    int node = monitors != NULL && monitors->node[0][i - asked] == monitors->node[1][i - asked];
    if (!(unmixed[i] > 1) || !node) continue;
    slow++;
    uint32_t at = n < 4 ? n++ : 4;
    while (at > 0 && unmixed[shown[at - 1]] < unmixed[i]) {
      if (at < 4) shown[at] = shown[at - 1];
      at--;
    }
    if (at < 4) shown[at] = i;
  }
  size_t used = 0;
  *out = '\0';
  for (uint32_t i = 0; i < n && used < size; i++) {
    const char *name = e->options.names[monitors->node[0][shown[i] - asked]];
    used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? slow > 1 ? " about nodes " : " about node " : ", ",
                             ff_quote(name, strlen(name)).text);
  }
  if (slow > n && used < size) snprintf(out + used, size - used, " and %u more", slow - n);
  if (n == 0 && monitors != NULL) name_slow_together(e, unmixed, out, size);
}

/* A lower bound of the burn-in that mixing seems to need. If halves of h steps share nearly all of one recall of t steps,
 * their correlation is 1 - 2/3 h / t, and windows of 14 t are required. The sampling error of the correlation is taken into
 * account. */
static double wanted_psi(const ff_pbn_estimate *e) {
  double most = 0, h = (double)e->plan.half[0], sampling = 3 / sqrt(chains_of(e));
  for (uint32_t i = 0; i < e->tally.n && e->rule.forgets; i++) {
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    if (m.visited != 1 || m.visits < FF_FEW_VISITS || !(m.half_cov > 0.5 * m.half_var)) continue;
    most = larger(most, 14 * h / (1.5 * (1 - m.half_cov / m.half_var + sampling)));
  }
  return most;
}

/* The message advises a longer burn-in only if max_burn_in was the limit, not if doublings have brought no agreement. */
static ff_status not_converged(const ff_pbn_estimate *e, const double *unmixed, ff_error *err) {
  char about[700];
  name_slow(e, unmixed, about, sizeof about);
  unsigned long long steps = e->target[2];
  int in_vain = e->stuck >= MAX_STUCK || wanted_psi(e) > FF_MAX_WINDOW || e->plan.burn_in >= FF_MAX_WINDOW;
  const char *longer = in_vain ? "" : "allow a longer burn-in (max_burn_in), or ";
  if (!e->rule.forgets)
    return ff_error_set(err, FF_ECONVERGENCE,
                        "after %llu steps, the two halves of a trajectory still disagree%s; a trajectory may stay in one "
                        "region for a long time%s: %suse method = \"exact\" if the network is small",
                        steps, about, e->stuck >= MAX_STUCK ? ", and longer runs do not change that" : "", longer);
  return ff_error_set(err, FF_ECONVERGENCE,
                      "after %llu steps (burn-in and window), trajectories from different starts still disagree%s%s; the network "
                      "may have several basins and rarely move between them: %suse a larger perturbation probability, or "
                      "method = \"exact\" if the network is small",
                      steps, about, e->stuck >= MAX_STUCK ? ", and longer runs do not change that" : "", longer);
}

static ff_status too_short(const ff_pbn_estimate *e, ff_error *err) {
  double stretch = ff_decide_stretch(e->run.program);
  double p = ff_pbn_program_perturbation(e->run.program);
  int flips = p > 0 && 1 / p >= stretch;
  char what[96];
  if (flips)
    snprintf(what, sizeof what, "with a perturbation probability of %s, a node flips", ff_show(p, 6).text);
  else
    snprintf(what, sizeof what, "the predictor function that acts most rarely does so");
  const char *longer = stretch > 2.0 * FF_MAX_WINDOW ? "" : flips ? "increase max_burn_in, " : "increase max_burn_in, or ";
  return ff_error_set(err, FF_ECONVERGENCE, "%s about once in %.3g steps%s, but the burn-in is limited to %llu steps: %s%s", what,
                      stretch, flips || p == 0 ? "" : " (none acts in a step in which a node flips)",
                      (unsigned long long)e->options.max_burn_in, longer,
                      flips ? "use a larger perturbation probability, or, for small networks, method = \"exact\""
                            : "use method = \"exact\" if the network is small");
}

double ff_decide_longest(const ff_pbn_estimate *e) {
  return (double)e->options.max_burn_in < FF_MAX_WINDOW ? (double)e->options.max_burn_in : FF_MAX_WINDOW;
}

/* A set that is constant by its expression needs no waiting. */
static ff_status check_stretch(const ff_pbn_estimate *e, ff_error *err) {
  int constant = 1;
  for (uint32_t i = 0; i < e->observables.n; i++) constant &= e->constant[i];
  return constant || 2 * ff_decide_longest(e) >= ff_decide_stretch(e->run.program) ? FF_OK : too_short(e, err);
}

/* Each flip of another node delays them by a step. */
double ff_decide_settled(const ff_pbn_estimate *e) {
  double moves = ff_pbn_program_still(e->run.program); /* probability that a step is not delayed */
  return (double)e->clockwork.settled * 1.1 / (moves > 1e-9 ? moves : 1e-9);
}

/* Checks that deterministic nodes can enter their cycle, and repeat it, within the first look. */
static ff_status check_clockwork(const ff_pbn_estimate *e, ff_error *err) {
  double limit = ff_decide_longest(e) / 2;
  const char *else_use = "set a perturbation probability, or use outcomes() or method = \"exact\"";
  if (e->clockwork.period == 0)
    return ff_error_set(err, FF_ECONVERGENCE,
                        "the deterministic nodes (those with one predictor function, no flips, and deterministic parents) did "
                        "not return to an earlier state, as far as they were followed, so their long run is not known: %s",
                        else_use);
  if ((double)e->clockwork.period <= limit && ff_decide_settled(e) <= limit) return FF_OK;
  return ff_error_set(err, FF_ECONVERGENCE,
                      "the deterministic nodes (those with one predictor function, no flips, and deterministic parents) enter a "
                      "cycle by step %.0f and repeat it every %llu steps, but the burn-in is limited to %llu steps: increase "
                      "max_burn_in, %s",
                      ff_decide_settled(e), (unsigned long long)e->clockwork.period,
                      (unsigned long long)e->options.max_burn_in, else_use);
}

/* The exact long run becomes the answer. */
static ff_status finish_exactly(ff_pbn_estimate *e) {
  e->is_exact = 1;
  e->phase = FF_PHASE_DONE;
  return FF_OK;
}

ff_status ff_decide_begin(ff_pbn_estimate *e, ff_error *err) {
  ff_error why;
  ff_status status = e->options.go_on ? FF_OK : check_stretch(e, &why);
  if (status == FF_OK) {
    if (check_clockwork(e, &why) == FF_OK) return FF_OK;
    status = e->exact == NULL ? ff_decide_give_up(e, FF_ECONVERGENCE, &why, err) : FF_ECONVERGENCE;
  } else if (err != NULL) {
    *err = why;
  }
  return e->exact != NULL ? finish_exactly(e) : status;
}

/* Starts one more tile, whose trajectories start in very different states and are counted from their first step on. It measures
 * ff_pbn_estimate_recall(): how long trajectories that start in a set, or outside it, stay there. */
static ff_status begin_recall(ff_pbn_estimate *e, double steps, ff_error *err) {
  ff_status status = ff_slots_new(e, &e->run, 1, err);
  if (status != FF_OK) return status;
  ff_slots_halves(e, 0, 1, (uint64_t)larger(ceil(fmin(steps, FF_MAX_WINDOW)) - 1, 1));
  e->remembers = 1;
  e->slots[0].unit = PILOT_UNIT + e->pilot;
  e->slots[0].busy = 1;
  ff_tile_start(e->slots[0].tile, e->options.key, e->slots[0].unit);
  return FF_OK;
}

static ff_status plan_after_pilot(ff_pbn_estimate *e, ff_error *err) {
  e->waits = 1;
  return plan_run(e, e->planned[0], e->planned[1], 0, err);
}

/* An eighth of the burn-in is usually enough: after that time the start hardly matters. */
ff_status ff_decide_after_recall(ff_pbn_estimate *e, ff_error *err) {
  double difference = 0;
  for (uint32_t i = 0; i < e->observables.n; i++) {
    double *share = &e->recall[2 * i];
    ff_pbn_tally_recall(&e->tally, i, share);
    if (share[0] == share[0] && share[1] == share[1]) difference = larger(difference, fabs(share[1] - share[0]));
  }
  e->recall_steps = (double)e->plan.half[1];
  int longer = e->recall_steps + 2 < fmin(e->planned[0], FF_MAX_WINDOW);
  if (difference > MOST_REMEMBERED && longer) return begin_recall(e, e->planned[0], err);
  return plan_after_pilot(e, err);
}

/* Goes from the pilot to the run. */
static ff_status end_pilot(ff_pbn_estimate *e, ff_error *err) {
  double burn_in, samples;
  wanted(e, &burn_in, &samples);
  free(e->record);
  e->record = NULL;
  if (e->waves != NULL) e->pilot_seconds = ff_pbn_waves_info(e->waves).device_seconds;
  ff_pbn_waves_free(e->waves);
  e->waves = NULL;
  ff_status status = ff_certain_find(e, err);
  if (status != FF_OK) return status;
  e->least_window = e->plan.half[0] + e->plan.half[1];
  double most = (double)e->options.max_burn_in, more = ceil(burn_in * MARGIN);
  double doubtful = DOUBTFUL_TILES * FF_TILE * (double)e->least_window; /* enough for an uncertain answer */
  if (e->doubt.status != FF_OK && samples > doubtful) samples = doubtful;
  e->planned[0] = more < most ? more : most;
  e->planned[1] = samples * MARGIN;
  /* in a large network, measuring the recall on this processor takes longer than the pilot on a device */
  int worth = e->rule.forgets && ff_pbn_program_nodes(e->run.program) < FF_LONG_PILOT;
  return worth ? begin_recall(e, e->planned[0] / 8, err) : plan_after_pilot(e, err);
}

/* Gives up with an error or, if the caller accepts an uncertain answer, continues and stores the error as the reason for
 * doubt. */
ff_status ff_decide_give_up(ff_pbn_estimate *e, ff_status status, const ff_error *why, ff_error *err) {
  if (status != FF_ECONVERGENCE || !e->options.go_on) {
    if (err != NULL) *err = *why;
    return status;
  }
  e->doubt = *why;
  return FF_OK;
}

/* How far pairs are from having mixed, as ff_look_unmixed(). A correlation of values that few trajectories showed is as
 * uncertain as that of so few trajectories. */
static double judge_pairs(ff_pbn_estimate *e) {
  double most = 0;
  ff_look_rule rule = e->rule;
  rule.n_judged = watched_pairs(e);
  for (uint32_t i = 0; i < rule.n_judged; i++) {
    ff_moments m = pair_moments(e, i);
    if (m.visited != 1) continue;
    double chains = larger(m.visits, 1), unmixed = ff_look_unmixed(&m, chains, &rule, NULL);
    e->pair_recall = larger(e->pair_recall, shared_recall(e, &m, ff_look_sampling(rule.n_judged, chains)));
    if (!(unmixed > most)) continue;
    most = unmixed;
    if (most > 1) e->slow_pair = i;
  }
  return most;
}

static double judge(ff_pbn_estimate *e, double *unmixed) {
  double most = 0;
  e->slow_pair = UINT32_MAX;
  e->pair_recall = 0;
  for (uint32_t i = 0; i < e->tally.n; i++) {
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    unmixed[i] = m.visited == 1 ? ff_look_unmixed(&m, chains_of(e), &e->rule, &e->within[i]) : 0;
    most = larger(most, unmixed[i]);
  }
  return most > 1 ? most : larger(most, judge_pairs(e)); /* pairs need not be judged as long as something else is slow */
}

#define CONTRADICTS 6.0 /* standard errors between the pilot and the exact long run. If the pilot contradicts it by chance, the
                         * answer is still right, as it is then the exact one */

/* Whether the pilot is far from the exact long run, so that a run of this length would be wrong. If a value was seen rarely, its
 * spread is not known; then it is taken to be the largest that trajectories with this mean may have. */
static int contradicts(const ff_pbn_estimate *e) {
  for (uint32_t i = 0; i < e->observables.n; i++) {
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    double x = e->exact[i], se = m.visited == 1 ? m.se : 0;
    if (m.visited == 1 && m.visits < FF_FEW_VISITS) se = larger(se, sqrt(larger(x * (1 - x), 0) / chains_of(e)));
    if (!e->constant[i] && fabs(m.mean - x) > CONTRADICTS * se + e->rule.negligible) return 1;
  }
  return 0;
}

/* Whether the pilot's window is not doubled any more. */
static int is_last(ff_pbn_estimate *e, double most) {
  const double psi = (double)e->plan.burn_in;
  const int patient = psi >= MIN_PATIENCE * larger(ff_decide_stretch(e->run.program), MIN_STRETCH);
  e->stuck = patient && !(most < 0.8 * e->last_unmixed) ? e->stuck + 1 : 0;
  e->last_unmixed = most;
  const int hopeless = wanted_psi(e) > HOPELESS * (double)e->options.max_burn_in;
  return e->stuck >= MAX_STUCK || hopeless || 2 * psi > (double)e->options.max_burn_in || 2 * psi > FF_MAX_WINDOW;
}

ff_status ff_decide_after_pilot(ff_pbn_estimate *e, ff_error *err) {
  ff_look now = ff_look_at(&e->tally, &e->rule);
  ff_status status = note(e, now, err);
  double *unmixed = status == FF_OK ? ff_calloc(e->tally.n, sizeof *unmixed) : NULL;
  if (status == FF_OK && unmixed == NULL)
    status = ff_error_set(err, FF_EMEMORY, "no memory for a look at %u observables", e->tally.n);
  if (status != FF_OK) return status;
  double most = judge(e, unmixed);
  int converged = most <= 1 && !(e->rule.forgets && now.rhat > FF_CONVERGED);
  int had_a_chance = 2 * (double)e->plan.burn_in >= ff_decide_stretch(e->run.program);
  if (converged && had_a_chance) {
    free(unmixed);
    return e->exact != NULL && contradicts(e) ? finish_exactly(e) : end_pilot(e, err);
  }
  const int last = is_last(e, most);
  if (last && e->exact != NULL) {
    free(unmixed);
    return finish_exactly(e);
  }
  if (last) {
    ff_error why;
    status = converged ? too_short(e, &why) : not_converged(e, unmixed, &why);
    status = ff_decide_give_up(e, status, &why, err);
  }
  free(unmixed);
  if (last) return status == FF_OK ? end_pilot(e, err) : status;
  ff_slots_window(e, 2 * e->plan.burn_in, 2 * e->plan.burn_in); /* all steps run so far become the next burn-in */
  for (uint32_t i = 0; i < e->pilot; i++) e->slots[i].busy = e->waves == NULL;
  return FF_OK;
}

static ff_status add_tiles(ff_pbn_estimate *e, uint64_t round, uint64_t more, ff_error *err) {
  if (e->plan.tiles + more >= ROUND_UNITS)
    return ff_error_set(err, FF_ESIZE,
                        "the requested precision takes %llu more tiles of 1,024 trajectories, which is too many: increase "
                        "`precision`",
                        (unsigned long long)more);
  ff_decide_start_round(e, round, e->plan.tiles, more);
  e->plan.tiles += more;
  return FF_OK;
}

/* The reasons why a run is not accepted, other than too few samples. */
typedef enum { SETTLED, MOVES, HALF_PERIODS } shortfall;

/* For a network that does not forget its start. MOVES: trajectories only entered or only left the set, or the start still
 * matters. HALF_PERIODS: all trajectories are equal, and an incomplete period may change the mean by more than the precision. */
static shortfall settles(const ff_pbn_estimate *e, uint32_t i, const ff_moments *m) {
  if (!e->two_state[i]) return SETTLED;
  if ((m->n01 == 0) != (m->n10 == 0)) return MOVES;
  /* the recall of the start decreases as exp(-(alpha + beta) t), which must be at most a tenth of the standard error */
  double rate = m->alpha + m->beta;
  if (m->n01 > 0 && m->se > 0 && ff_log_series(10 * sqrt(larger(m->visits, 1))) > rate * (double)e->plan.burn_in) return MOVES;
  uint64_t period = e->clockwork.whole ? e->clockwork.period : 0;
  if (period > 0 && e->plan.half[0] % period == 0 && e->plan.half[1] % period == 0) return SETTLED;
  return m->se == 0 && m->n01 > 0 && chains_of(e) / (4 * (double)m->n01) > e->precision[i] ? HALF_PERIODS : SETTLED;
}

/* Checks whether the run's trajectories depend on their start more than allowed. */
static shortfall falls_short(const ff_pbn_estimate *e, double drift) {
  double chains = chains_of(e), small = e->rule.negligible;
  shortfall out = SETTLED;
  for (uint32_t i = 0; i < e->observables.n; i++) {
    ff_moments m = ff_pbn_tally_moments(&e->tally, i);
    if (m.visited != 1) continue;
    if (fabs(m.drift) > drift && (e->rule.forgets || fabs(m.gap) > small)) return MOVES;
    if (e->rule.forgets && m.visits >= FF_FEW_VISITS && m.half_cov > small * small &&
        m.half_cov > (SHARED_RUN + DRIFT_RUN / sqrt(chains)) * m.half_var)
      return MOVES;
    shortfall own = e->rule.forgets ? SETTLED : settles(e, i, &m);
    if (own == MOVES) return MOVES;
    if (own == HALF_PERIODS) out = HALF_PERIODS;
  }
  return out;
}

/* Starts anew with four times the burn-in and window, or only with a longer window. */
static ff_status run_longer(ff_pbn_estimate *e, shortfall why, double samples, uint64_t round, ff_error *err) {
  double burn_in = (why == MOVES ? 4 : 1) * (double)e->plan.burn_in;
  if (burn_in > (double)e->options.max_burn_in) {
    ff_error too_long;
    ff_status status = ff_error_set(&too_long, FF_ECONVERGENCE,
                                    "after a burn-in of %llu steps, trajectories still depend on their start, and a longer "
                                    "burn-in is not allowed: increase max_burn_in, or use method = \"exact\"",
                                    (unsigned long long)e->plan.burn_in);
    status = ff_decide_give_up(e, status, &too_long, err);
    if (status == FF_OK) e->phase = FF_PHASE_DONE;
    return status;
  }
  uint64_t window = e->plan.half[0] + e->plan.half[1];
  e->least_window = window < FF_MAX_WINDOW / 4 ? 4 * window : window;
  return plan_run(e, burn_in, samples, round, err);
}

ff_status ff_decide_after_run(ff_pbn_estimate *e, uint64_t *round, ff_error *err) {
  ff_look now = ff_look_at(&e->tally, &e->rule);
  ff_status status = e->tally.tiles > 0 ? note(e, now, err) : FF_OK;
  if (status != FF_OK) return status;
  if (e->stop_tile < e->last_tile) {
    uint64_t n = 4 * (e->stop_tile - e->start_tile);
    e->stop_tile = 2 * n > e->last_tile - e->start_tile ? e->last_tile : e->start_tile + n;
    return FF_OK;
  }
  int whole = e->options.n_shards == 1; /* shards only run the first plan; after they are merged, the sum is resumed */
  double samples = chains_of(e) * (double)(e->plan.half[0] + e->plan.half[1]);
  if (e->doubt.status != FF_OK) {
    e->phase = FF_PHASE_DONE;
    return FF_OK;
  }
  shortfall why = whole ? falls_short(e, DRIFT_RUN) : SETTLED;
  int longer = why == MOVES || (why == HALF_PERIODS && e->least_window < FF_MAX_WINDOW / 4);
  if (longer) return run_longer(e, why, samples, ++*round, err);
  if (whole && now.width > e->options.precision) {
    double ratio = now.width / e->options.precision;
    double more = ceil((double)e->plan.tiles * (ratio * ratio * MARGIN_MORE - 1)) + 1;
    return add_tiles(e, *round, more < (double)ROUND_UNITS ? (uint64_t)more : ROUND_UNITS, err);
  }
  double wanted = whole ? looks_wanted(e) : 1;
  if (wanted > 1) return add_tiles(e, *round, (uint64_t)ceil((double)e->plan.tiles * (wanted - 1)), err);
  e->phase = FF_PHASE_DONE;
  return FF_OK;
}

