/* Pilot and run on devices, without a GPU: a backend whose ensembles are tiles on this processor. Whatever the capacity, the
 * speed and the failures of the devices, the answer has the same bits as without devices. */
#include "../../src/pbn/estimate/ff_pbn_estimate.h"
#include "../../src/pbn/estimate/ff_influence.h"
#include "rows.h"

/* ---- the backend --------------------------------------------------------------------------------------------------------- */

static struct {
  const ff_observables *observables;
  uint64_t capacity;
  int delays;      /* number of calls of ready() until an ensemble is ready */
  int fails_at;    /* of all calls of start(), steps(), half() and tally(), the one that fails; 0: none */
  int calls;       /* number of these calls so far */
  uint32_t refused; /* bit i: device i cannot start, either at once or when it should be ready */
  int refuses_late;
  int no_new, never_ready; /* which creation, or call of ready(), fails: 1 for the pilot's, 2 for the run's, 0 for none */
  int made, freed, steps; /* so far */
  char kernel[32]; /* the kernel that was requested last; empty: none */
  int alike;        /* number of ensembles that may share with another one, of the same program */
} fake;

struct ff_ensemble {
  const ff_pbn_program *program;
  ff_tile **tiles;
  uint32_t *first_half; /* one tile after the other */
  uint64_t capacity, n;
  int delays, fails;
};

static void ensemble_free(ff_ensemble *e) {
  if (e == NULL) return;
  for (uint64_t i = 0; i < e->capacity; i++) ff_tile_free(e->tiles[i]);
  free(e->tiles);
  free(e->first_half);
  free(e);
  __atomic_fetch_add(&fake.freed, 1, __ATOMIC_RELAXED);
}

static ff_status ensemble_new(ff_ensemble **out, const ff_pbn_program *program, const ff_ensemble_options *options,
                              ff_error *err) {
  int which = options->kernel != NULL ? 1 : 2; /* a pilot uses the interpreter */
  const int refused = fake.refused >> options->device & 1;
  if (fake.no_new == which || (refused && !fake.refuses_late)) return ff_error_set(err, FF_EMEMORY, "the device is full");
  ff_ensemble *e = ff_calloc(1, sizeof *e);
  __atomic_fetch_add(&fake.made, 1, __ATOMIC_RELAXED);
  snprintf(fake.kernel, sizeof fake.kernel, "%s", options->kernel != NULL ? options->kernel : "");
  fake.alike += options->like != NULL && options->like->program == program;
  e->program = program;
  e->delays = fake.delays;
  e->fails = fake.never_ready == which || refused;
  e->capacity = options->units > 0 && options->units < fake.capacity ? options->units : fake.capacity;
  e->tiles = ff_calloc(e->capacity, sizeof *e->tiles);
  e->first_half = ff_calloc(e->capacity * ff_pbn_program_terms(program) * FF_TILE, sizeof *e->first_half);
  ff_status status = FF_OK;
  for (uint64_t i = 0; i < e->capacity && status == FF_OK; i++) status = ff_tile_new(&e->tiles[i], program, FF_SIMD_BEST, err);
  *out = e;
  return status;
}

static ff_ensemble_info ensemble_info(const ff_ensemble *e) {
  return (ff_ensemble_info){.kernel = "tiles", .capacity = e->capacity, .device_seconds = 1};
}

static ff_status ready(ff_ensemble *e, double seconds, int *is, ff_error *err) {
  (void)seconds;
  *is = e->delays-- <= 0;
  return *is && e->fails ? ff_error_set(err, FF_EBACKEND, "the code does not load") : FF_OK;
}

static int call_fails(void) { return __atomic_add_fetch(&fake.calls, 1, __ATOMIC_RELAXED) == fake.fails_at; }

static ff_status on_fire(ff_error *err) { return ff_error_set(err, FF_EBACKEND, "the device is on fire"); }

static ff_status start(ff_ensemble *e, uint64_t key, uint64_t unit, uint64_t tiles, ff_error *err) {
  if (tiles > e->capacity) return ff_error_set(err, FF_EINTERNAL, "too many tiles");
  if (call_fails()) return on_fire(err);
  for (uint64_t i = 0; i < tiles; i++) ff_tile_start(e->tiles[i], key, unit + i);
  e->n = tiles;
  return FF_OK;
}

static ff_status steps(ff_ensemble *e, uint64_t wanted, int count, double seconds, uint64_t *done, ff_error *err) {
  (void)seconds;
  *done = wanted < 37 ? wanted : 37;
  __atomic_fetch_add(&fake.steps, 1, __ATOMIC_RELAXED);
  if (call_fails()) return on_fire(err);
  for (uint64_t i = 0; i < e->n; i++) {
    if (count)
      ff_tile_count(e->tiles[i], *done);
    else
      ff_tile_advance(e->tiles[i], *done);
  }
  return FF_OK;
}

static ff_status half(ff_ensemble *e, ff_error *err) {
  if (call_fails()) return on_fire(err);
  const size_t n = (size_t)ff_pbn_program_terms(e->program) * FF_TILE;
  for (uint64_t i = 0; i < e->n; i++)
    memcpy(e->first_half + i * n, ff_tile_harvest(e->tiles[i]).counts, n * sizeof *e->first_half);
  return FF_OK;
}

static ff_status tally(ff_ensemble *e, const ff_pbn_sums *sums, ff_error *err) {
  ff_pbn_tally view;
  if (call_fails()) return on_fire(err);
  const size_t n = (size_t)ff_pbn_program_terms(e->program) * FF_TILE;
  ff_status status = ff_pbn_tally_new(&view, fake.observables, err);
  if (status != FF_OK) return status;
  uint64_t *own = view.words;
  view.words = sums->words;
  view.half[0] = sums->half[0];
  view.half[1] = sums->half[1];
  for (uint64_t i = 0; i < e->n; i++) {
    ff_harvest harvest = ff_tile_harvest(e->tiles[i]);
    ff_pbn_tally_add(&view, sums->at, e->first_half + i * n, &harvest);
    ff_tile_forget(e->tiles[i]);
  }
  view.words = own;
  ff_pbn_tally_free(&view);
  return FF_OK;
}

static ff_status terms(ff_ensemble *e, uint64_t tile, uint32_t n, uint64_t *words, ff_error *err) {
  (void)err;
  for (uint32_t i = 0; i < n; i++) words[i] = ff_tile_term_word(e->tiles[tile], i, 0);
  return FF_OK;
}

static const ff_pbn_device backend = {.common = {.destroy = ensemble_free, .ready = ready, .start = start, .info = ensemble_info},
                                      .create = ensemble_new, .steps = steps, .half = half, .tally = tally, .terms = terms};

/* ---- estimates ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  ff_pbn *pbn;
  term_list c;
  ff_counted counted;
  ff_pbn_program *program;
  ff_pbn_estimate_options options;
} scene;

/* A ring with a negation is not a first-order chain, and a node that usually keeps its value forgets slowly. This results in
 * thinning, and in windows longer than the record. */
static const char *const ring[] = {"a 1 !d", "b 1 a", "c 0.9 b", "c 0.1 c", "d 1 c", "e 1 e", NULL};

/* Uses the ring if `shape` is NULL. */
static int scene_new(scene *s, const net_shape *shape, ff_layout layout, uint64_t seed) {
  ff_error err;
  memset(s, 0, sizeof *s);
  s->pbn = shape != NULL ? net_random_make(shape, seed) : net_parse(ring, 1e-3, FF_SYNCHRONOUS);
  if (s->pbn == NULL) return 0;
  choose_terms(&s->c, s->pbn, 9);
  FF_CHECK_OK(ff_counted_new(&s->counted, &s->c.observables, &err), &err);
  FF_CHECK_OK(ff_pbn_program_new(&s->program, s->pbn, &s->counted.counted, layout, &err), &err);
  s->options = (ff_pbn_estimate_options){.precision = 8e-3, .z = 1.96, .epsilon = 1e-6, .key = seed, .max_burn_in = 1u << 16,
                                     .n_shards = 1, .threads = 2, .simd = FF_SIMD_BEST};
  fake.observables = &s->c.observables;
  fake.capacity = 3;
  fake.refused = 0;
  fake.no_new = fake.never_ready = fake.delays = fake.fails_at = 0;
  fake.calls = fake.made = fake.freed = fake.steps = fake.alike = 0;
  return s->program != NULL;
}

static void scene_free(scene *s) {
  ff_pbn_program_free(s->program);
  ff_counted_free(&s->counted);
  ff_pbn_free(s->pbn);
}

static ff_status use(ff_pbn_estimate *e, uint32_t n_devices, ff_error *err) {
  static const uint32_t devices[] = {0, 1, 2, 3};
  const ff_fleet_choice choice = {.calls = &backend.common, .devices = devices, .n_devices = n_devices};
  ff_status status = ff_pbn_estimate_use(e, &choice, err);
  for (int is = 0; status == FF_OK && !is;) status = ff_pbn_estimate_ready(e, 0.01, &is, err);
  return status;
}

/* The numbers of devices for pilot and run; 0: none. */
static ff_status run(ff_pbn_estimate **out, const scene *s, uint32_t pilot, uint32_t devices, ff_error *err) {
  ff_status status = ff_pbn_estimate_new(out, &(ff_counting){s->program, &s->c.observables, s->counted.at}, NULL, s->options,
                                         err);
  if (status == FF_OK && pilot > 0) status = use(*out, pilot, err);
  for (int done = 0; !done && status == FF_OK;) {
    status = ff_pbn_estimate_advance(*out, 0.02, &done, err);
    if (status == FF_OK && ff_pbn_estimate_waits(*out) && devices > 0) status = use(*out, devices, err);
  }
  return status;
}

static void compare(ff_pbn_estimate *got, ff_pbn_estimate *want, const scene *s, const char *what) {
  const ff_pbn_tally *a = ff_pbn_estimate_tally(got), *b = ff_pbn_estimate_tally(want);
  const ff_plan p = ff_pbn_estimate_plan(got), q = ff_pbn_estimate_plan(want);
  FF_CHECK_SAY(p.burn_in == q.burn_in && p.half[0] == q.half[0] && p.half[1] == q.half[1] && p.tiles == q.tiles,
               "%s: another plan", what);
  FF_CHECK_SAY(a->tiles == b->tiles && memcmp(a->words, b->words, a->n_words * sizeof *a->words) == 0, "%s: other sums", what);
  for (uint32_t i = 0; i < s->c.observables.n; i++)
    FF_CHECK_SAY(ff_pbn_estimate_thinning(got)[i] == ff_pbn_estimate_thinning(want)[i], "%s: another thinning of %u", what, i);
  size_t n, m;
  const ff_trace *t = ff_pbn_estimate_trace(got, &n), *u = ff_pbn_estimate_trace(want, &m);
  for (size_t i = 0; i < m && u[i].phase == FF_PHASE_PILOT; i++) /* a run on devices has fewer looks */
    FF_CHECK_SAY(i < n && t[i].rhat == u[i].rhat && t[i].burn_in == u[i].burn_in, "%s: another look %zu of the pilot", what, i);
  FF_CHECK_INT(ff_pbn_estimate_progress(got).steps, ff_pbn_estimate_progress(want).steps);
}

static const net_shape shapes[] = {
    {.nodes = 5, .max_functions = 3, .max_parents = 3, .perturbation = 0.05},
    {.nodes = 30, .max_functions = 2, .max_parents = 4, .perturbation = 0.002},
    {.nodes = 12, .max_functions = 3, .max_parents = 3, .contexts = 3, .perturbation = 0.02},
    {.nodes = 6, .max_functions = 2, .max_parents = 3, .perturbation = 0.05, .update = FF_ASYNCHRONOUS},
};

static void devices_change_no_bit(void) {
  static const struct { uint32_t pilot, devices; uint64_t capacity; int delays; } ways[] = {
      {0, 1, 3, 0}, {0, 3, 2, 2}, {1, 0, 4, 0}, {2, 2, 5, 3}, {1, 4, 64, 1}, {1, 1, 1, 0} /* too few for the pilot */};
  ff_error err;
  scene s;
  const size_t n_shapes = sizeof shapes / sizeof shapes[0];
  for (size_t i = 0; i <= n_shapes; i++) {
    ff_pbn_estimate *want = NULL;
    if (!scene_new(&s, i < n_shapes ? &shapes[i] : NULL, FF_LAYOUT_AUTO, 11 + i)) continue;
    FF_CHECK_OK(run(&want, &s, 0, 0, &err), &err);
    if (i == n_shapes) FF_CHECK(ff_pbn_estimate_thinning(want)[0] > 1 && ff_pbn_estimate_plan(want).burn_in > 1024);
    for (size_t j = 0; j < sizeof ways / sizeof ways[0]; j++) {
      ff_pbn_estimate *got = NULL;
      char what[64];
      snprintf(what, sizeof what, "network %zu, way %zu", i, j);
      fake.capacity = ways[j].capacity;
      fake.delays = ways[j].delays;
      fake.steps = fake.alike = 0;
      FF_CHECK_OK(run(&got, &s, ways[j].pilot, ways[j].devices, &err), &err);
      compare(got, want, &s, what);
      FF_CHECK((ff_pbn_estimate_device(got) != NULL) == (ways[j].devices > 0));
      if (ways[j].devices > 0) FF_CHECK_INT(ff_pbn_estimate_device(got)->devices, ways[j].devices);
      FF_CHECK(fake.steps > 0);
      FF_CHECK_INT(fake.alike, ways[j].devices > 1 ? ways[j].devices - 1 : 0);
      ff_pbn_estimate_free(got);
      FF_CHECK_INT(fake.freed, fake.made);
    }
    ff_pbn_estimate_free(want);
    scene_free(&s);
  }
}

/* A pilot is too short to be worth compiling code. For the run, the backend chooses the kernel. */
static void a_pilot_is_interpreted(void) {
  ff_error err;
  scene s;
  ff_pbn_estimate *e = NULL;
  if (!scene_new(&s, &shapes[0], FF_LAYOUT_SLICED, 3)) return;
  FF_CHECK_OK(ff_pbn_estimate_new(&e, &(ff_counting){s.program, &s.c.observables, s.counted.at}, NULL, s.options, &err), &err);
  FF_CHECK_OK(use(e, 1, &err), &err);
  FF_CHECK_STR(fake.kernel, "interpreter");
  for (int done = 0; !done && !ff_pbn_estimate_waits(e);) FF_CHECK_OK(ff_pbn_estimate_advance(e, 1, &done, &err), &err);
  FF_CHECK_OK(use(e, 1, &err), &err);
  FF_CHECK_STR(fake.kernel, "");
  FF_CHECK(use(e, 1, &err) == FF_EARGUMENT); /* a second time */
  ff_pbn_estimate_free(e);
  FF_CHECK_INT(fake.freed, fake.made);
  scene_free(&s);
}

/* If the only device fails, the run fails. If there are several devices, the others do the rest, and the answer is the same. This
 * also holds for the pilot, which only one device runs: if it fails, this processor continues. */
static void what_a_device_fails_at_is_told(void) {
  static const struct {
    uint32_t pilot, devices;
  } ways[] = {{0, 1}, {0, 2}, {0, 3}, {1, 1}, {3, 3}};
  ff_error err;
  scene s;
  ff_pbn_estimate *want = NULL;
  if (!scene_new(&s, &shapes[1], FF_LAYOUT_SLICED, 5)) return;
  FF_CHECK_OK(run(&want, &s, 0, 0, &err), &err);
  for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
    int lost = 0, over = 0;
    fake.capacity = ways[way].pilot > 0 ? 4 : 2;
    for (int at = 1; !over; at += at < 24 ? 1 : at / 4) {
      ff_pbn_estimate *e = NULL;
      fake.calls = 0;
      fake.fails_at = at;
      ff_status status = run(&e, &s, ways[way].pilot, ways[way].devices, &err);
      over = fake.calls < at;
      if (over) {
        FF_CHECK_OK(status, &err);
      } else if (ways[way].devices == 1) {
        FF_CHECK_FAILS(status, FF_EBACKEND, &err, "the device is on fire");
      } else {
        const char *told = ff_pbn_estimate_lost(e);
        FF_CHECK_OK(status, &err);
        FF_CHECK(ways[way].pilot > 0 || told != NULL); /* after a failure in the pilot, the run's device may work */
        FF_CHECK(told == NULL || (strncmp(told, "GPU ", 4) == 0 && strstr(told, "the device is on fire") != NULL));
        compare(e, want, &s, "a device was lost");
        lost++;
      }
      ff_pbn_estimate_free(e);
      FF_CHECK_INT(fake.freed, fake.made);
    }
    FF_CHECK(ways[way].devices == 1 || lost > 24);
  }
  ff_pbn_estimate_free(want);
  scene_free(&s);
}

/* A device that cannot start is not used, and the others continue. If no device can start, this is an error. */
static void a_device_that_cannot_start_is_left_out(void) {
  ff_error err;
  scene s;
  ff_pbn_estimate *want = NULL;
  if (!scene_new(&s, &shapes[2], FF_LAYOUT_SLICED, 6)) return;
  FF_CHECK_OK(run(&want, &s, 0, 0, &err), &err);
  fake.capacity = 4;
  for (uint32_t refused = 1; refused <= 7; refused++) /* bits: devices 0, 1, 2 */
    for (int late = 0; late < 4; late++) { /* the second bit: the pilot shall use it too */
      ff_pbn_estimate *e = NULL;
      fake.steps = fake.delays = 0;
      fake.refused = refused;
      fake.refuses_late = late & 1;
      ff_status status = run(&e, &s, late & 2 ? 3 : 0, 3, &err);
      if (refused == 7) {
        FF_CHECK(status == FF_EMEMORY || status == FF_EBACKEND);
      } else {
        FF_CHECK_OK(status, &err);
        compare(e, want, &s, "a device was left out");
        const char *told = ff_pbn_estimate_lost(e);
        for (uint32_t device = 0; device < 3; device++) {
          char name[16];
          snprintf(name, sizeof name, "GPU %u:", device);
          FF_CHECK_INT(told != NULL && strstr(told, name) != NULL, refused >> device & 1);
        }
      }
      ff_pbn_estimate_free(e);
      FF_CHECK_INT(fake.freed, fake.made);
    }
  fake.refused = 0;
  ff_pbn_estimate_free(want);
  scene_free(&s);
}

/* If no device can start, pilot and run use the processor, and the bits are the same. This also holds for parts that have no
 * tiles. */
static void without_devices_it_goes_on_here(void) {
  ff_error err;
  scene s;
  if (!scene_new(&s, &shapes[1], FF_LAYOUT_SLICED, 5)) return;
  s.options.n_shards = 6;
  for (s.options.shard = 0; s.options.shard < 6; s.options.shard++) {
    ff_pbn_estimate *want = NULL;
    fake.no_new = fake.never_ready = 0;
    FF_CHECK_OK(run(&want, &s, 0, 0, &err), &err);
    for (int way = 0; way < 4; way++) {
      ff_pbn_estimate *got = NULL;
      fake.no_new = way == 0 ? 1 : way == 1 ? 2 : 0;
      fake.never_ready = way == 2 ? 1 : way == 3 ? 2 : 0;
      FF_CHECK_OK(ff_pbn_estimate_new(&got, &(ff_counting){s.program, &s.c.observables, s.counted.at}, NULL, s.options, &err),
                  &err);
      int done = 0, refused = use(got, 1, &err) != FF_OK;
      for (ff_status status = FF_OK; !done && status == FF_OK;) {
        status = ff_pbn_estimate_advance(got, 0.02, &done, &err);
        FF_CHECK_OK(status, &err);
        if (ff_pbn_estimate_waits(got)) refused += use(got, 2, &err) != FF_OK;
      }
      const ff_pbn_tally *a = ff_pbn_estimate_tally(got), *b = ff_pbn_estimate_tally(want);
      FF_CHECK_INT(refused, way % 2 == 0 || b->tiles > 0);
      FF_CHECK(a->tiles == b->tiles && memcmp(a->words, b->words, a->n_words * sizeof *a->words) == 0);
      ff_pbn_estimate_free(got);
      FF_CHECK_INT(fake.freed, fake.made);
    }
    ff_pbn_estimate_free(want);
  }
  scene_free(&s);
}

/* A pilot that has begun on the processor starts again on a device. The estimate waits for devices that are not ready. */
static void a_pilot_can_move(void) {
  ff_error err;
  scene s;
  ff_pbn_estimate *want = NULL, *got = NULL;
  int done = 0, is;
  if (!scene_new(&s, NULL, FF_LAYOUT_SLICED, 15)) return;
  fake.capacity = 64;
  FF_CHECK_OK(run(&want, &s, 0, 0, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_new(&got, &(ff_counting){s.program, &s.c.observables, s.counted.at}, NULL, s.options, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_advance(got, 0, &done, &err), &err);
  FF_CHECK(ff_pbn_estimate_progress(got).steps > 0);
  FF_CHECK_OK(ff_pbn_estimate_use(got, &(ff_fleet_choice){.calls = &backend.common, .devices = (const uint32_t[]){0},
                                                          .n_devices = 1},
                                  &err), &err);
  FF_CHECK(ff_pbn_estimate_advance(got, 0, &done, &err) == FF_EARGUMENT);
  FF_CHECK_OK(ff_pbn_estimate_ready(got, 1, &is, &err), &err);
  while (!done && ff_pbn_estimate_advance(got, 0.02, &done, &err) == FF_OK) {}
  compare(got, want, &s, "moved");
  FF_CHECK(fake.steps > 0);
  ff_pbn_estimate_free(got);
  ff_pbn_estimate_free(want);
  scene_free(&s);
}

/* While code is compiled, an estimate can be freed. */
static void what_is_not_ready_can_be_freed(void) {
  ff_error err;
  scene s;
  ff_pbn_estimate *e = NULL;
  int is = 1;
  if (!scene_new(&s, &shapes[0], FF_LAYOUT_SLICED, 3)) return;
  fake.delays = 1000;
  FF_CHECK_OK(ff_pbn_estimate_new(&e, &(ff_counting){s.program, &s.c.observables, s.counted.at}, NULL, s.options, &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_use(e, &(ff_fleet_choice){.calls = &backend.common, .devices = (const uint32_t[]){0},
                                                        .n_devices = 1},
                                  &err), &err);
  FF_CHECK_OK(ff_pbn_estimate_ready(e, 0.001, &is, &err), &err);
  FF_CHECK_INT(is, 0);
  ff_pbn_estimate_free(e);
  FF_CHECK_INT(fake.freed, 1);
  scene_free(&s);
}

FF_TEST_MAIN("waves", devices_change_no_bit, a_pilot_is_interpreted, what_a_device_fails_at_is_told,
             a_device_that_cannot_start_is_left_out, without_devices_it_goes_on_here, a_pilot_can_move,
             what_is_not_ready_can_be_freed)
