/* Immediate transitions, and those with clocks. */
#include "ff_petri_instant_math.h"
#include "ff_petri_path_internal.h"

/* ---- immediate ones ----------------------------------------------------------------------------------------------------- */

void ff_petri_immediate_enable(ff_petri_path *path, ff_petri_member m, int enabled) {
  const uint32_t k = path->program->law[m.law].own + m.i;
  const uint64_t bit = UINT64_C(1) << k % 64;
  if (((path->enabled[k / 64] & bit) != 0) == enabled) return;
  path->enabled[k / 64] ^= bit;
  path->n_enabled += enabled ? 1u : UINT32_MAX;
}

/* The first enabled one from k on, or n_immediate. O(1 + how many are passed / 64). */
static uint32_t next_enabled(const ff_petri_path *path, uint32_t k) {
  const size_t words = ff_petri_enabled_words(path->program);
  uint64_t here = k / 64 < words ? path->enabled[k / 64] >> k % 64 << k % 64 : 0;
  for (size_t word = k / 64; word < words; here = ++word < words ? path->enabled[word] : 0)
    if (here != 0) return (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(here);
  return path->program->n_immediate;
}

/* The weight of an enabled transition; 0 if it must not fire. */
static double weight_of(ff_petri_path *path, uint32_t k) {
  const ff_petri_program *p = path->program;
  const ff_petri_law *law = &p->law[p->immediate[k].law];
  const double weight = law->rate.formula.length == 0 ? 0 : ff_petri_term_at(path, path->now, law, &law->rate, p->immediate[k].i);
  if (!(fabs(weight) < INFINITY))
    ff_petri_path_fail(path, FF_PETRI_BAD_WEIGHT, ff_petri_number_of(p, p->immediate[k]), weight, 0);
  return weight > 0 ? weight : 0;
}

int ff_petri_find_immediate(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  double total = 0;
  if (path->n_enabled == 0) return 0;
  for (uint32_t k = next_enabled(path, 0); k < p->n_immediate; k = next_enabled(path, k + 1)) total += weight_of(path, k);
  if (!(total > 0)) return 0;
  const double part = ff_petri_drawn(FF_PETRI_DRAW_IMMEDIATE, path->around.choice, path->choices, path->unit, path->key);
  ff_petri_choice choice = {part * total, FF_PETRI_NOT_DUE};
  for (uint32_t k = next_enabled(path, 0); k < p->n_immediate; k = next_enabled(path, k + 1))
    if (!ff_petri_choice_goes_on(&choice, k, weight_of(path, k))) break;
  ff_petri_set_fires(path, p->immediate[choice.chosen], path->now);
  return 1;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------------- */

static const ff_petri_law *law_of(const ff_petri_path *path, uint32_t k) {
  return &path->program->law[path->program->timed[k].law];
}

/* The clock of a deterministic transition starts. */
static void start_clock(ff_petri_path *path, uint32_t k) {
  const ff_petri_program *p = path->program;
  const ff_petri_law *law = law_of(path, k);
  const double delay = law->rate.formula.length == 0 ? 0 : ff_petri_term_at(path, path->now, law, &law->rate, p->timed[k].i);
  if (!(delay >= 0)) {
    ff_petri_path_fail(path, FF_PETRI_BAD_DELAY, ff_petri_number_of(p, p->timed[k]), delay, 0);
    return;
  }
  if (delay < INFINITY) ff_petri_due_set(&path->due, k, path->now + delay);
}

/* The next time of a scheduled transition. */
static void schedule(ff_petri_path *path, uint32_t k) {
  const ff_petri_law *law = law_of(path, k);
  if (path->times[k] < law->times)
    ff_petri_due_set(&path->due, k, law->begin + path->times[k] * law->period - path->start);
}

void ff_petri_timed_enable(ff_petri_path *path, ff_petri_member m, int enabled) {
  const ff_petri_law *law = &path->program->law[m.law];
  const uint32_t k = law->own + m.i;
  path->is_enabled_timed[k] = (uint8_t)enabled;
  if (law->kind != FF_PETRI_DETERMINISTIC || path->in_batch[k]) return;
  if (!enabled)
    ff_petri_due_cancel(&path->due, k);
  else if (!ff_petri_due_has(&path->due, k))
    start_clock(path, k);
}

/* How many points a run up to the start had: those at the start belong to it. At time 0 there was none. */
static double points_before(const ff_petri_law *law, double start) {
  if (!(start > 0) || law->begin > start) return 0;
  if (!(law->period > 0)) return 1;
  double n = floor((start - law->begin) / law->period);
  if (n >= law->times || n >= 0x1p53) return n; /* above, n + 1 would be n */
  while (n > 0 && law->begin + (n - 1) * law->period > start) n--; /* divisions round */
  while (law->begin + n * law->period <= start) n++;
  return n;
}

void ff_petri_timed_begin(ff_petri_path *path) {
  const ff_petri_program *p = path->program;
  ff_petri_due_clear(&path->due, p->n_timed);
  path->n_batch = path->at_batch = 0;
  for (uint32_t k = 0; k < p->n_timed; k++) {
    const ff_petri_law *law = law_of(path, k);
    path->in_batch[k] = 0;
    path->times[k] = 0;
    if (law->kind != FF_PETRI_SCHEDULED || !(law->begin >= 0)) continue;
    path->times[k] = points_before(law, path->start);
    schedule(path, k);
  }
}

/* ---- batches ------------------------------------------------------------------------------------------------------------ */

static void end_batch(ff_petri_path *path) {
  for (uint32_t b = 0; b < path->n_batch; b++) path->in_batch[path->batch[b]] = 0;
  for (uint32_t b = 0; b < path->n_batch; b++) {
    const uint32_t k = path->batch[b];
    if (law_of(path, k)->kind == FF_PETRI_SCHEDULED)
      schedule(path, k);
    else if (path->is_enabled_timed[k])
      start_clock(path, k);
  }
  path->n_batch = path->at_batch = 0;
}

int ff_petri_find_in_batch(ff_petri_path *path) {
  for (; path->at_batch < path->n_batch; path->at_batch++) {
    const uint32_t k = path->batch[path->at_batch];
    if (path->at_batch < path->n_takers && !path->is_enabled_timed[k]) continue;
    ff_petri_set_fires(path, path->program->timed[k], path->now);
    return 1;
  }
  if (path->n_batch > 0) end_batch(path);
  return 0;
}

/* Those that take tokens come first, in a random order, and are tested once more before they fire; then the others fire without a
 * test. A scheduled one that is not enabled does not fire. */
void ff_petri_find_due(ff_petri_path *path, double t) {
  const uint32_t n = ff_petri_due_take(&path->due, t, path->batch);
  uint32_t kept = 0;
  path->n_takers = 0;
  for (uint32_t b = 0; b < n; b++) {
    const uint32_t k = path->batch[b];
    path->times[k]++;
    if (!path->is_enabled_timed[k]) {
      schedule(path, k);
      continue;
    }
    path->in_batch[k] = 1;
    path->batch[kept++] = k;
  }
  for (uint32_t b = 0; b < kept; b++) /* the order of the others does not matter */
    if (law_of(path, path->batch[b])->takes) ff_petri_batch_swap(path->batch, 1, b, path->n_takers++);
  path->n_batch = kept;
  path->at_batch = 0;
  ff_petri_batch_shuffle(path->batch, 1, path->n_takers, path->around.order, path->batches, path->unit, path->key);
  path->batches++;
  if (kept > 0)
    ff_petri_set_fires(path, path->program->timed[path->batch[0]], t);
  else
    ff_petri_set_next(path, FF_PETRI_PASSES, t);
}
