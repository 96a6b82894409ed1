/* The memory of an ensemble on a device: how many trajectories a wave has, and how many slots. */
#include "ff_trajectories.h"
#include "ff_turns.h"

extern "C" {
#include "ff_collect_reals.h"
}

#include <math.h>

#define MEMORY_SHARE 0.85  /* of the free memory, */
#define MOST_SHARE 0.98    /* and this with the sums: allocations are rounded up */
#define MOST_UNITS (UINT64_C(1) << 31)
#define LISTED 4194304.0   /* firings that a launch may list: the slots share them, */
#define LEAST_LISTED 8u    /* but each makes at least so many steps in such a launch, */
#define MOST_LISTED 4096u  /* and at most so many */

/* The trajectories that the ensemble is to run in all. */
static uint64_t wanted_units(const ff_trajectories *e) {
  if (e->n_points > 0) return e->n_points * e->request.n_each < MOST_UNITS ? e->n_points * e->request.n_each : MOST_UNITS;
  return e->options.units > 0 ? e->options.units : MOST_UNITS;
}

/* At least the bytes of the list of a launch's firings, before it is known how many slots run. */
static double largest_list(const ff_trajectories *e) {
  if (e->request.max_firings == 0) return 0;
  return (LISTED + (double)e->resident * (LEAST_LISTED + e->round)) * sizeof(ff_fired);
}

/* A slot may complete a round of its loop. */
uint64_t ff_trajectories_list_room(const ff_trajectories *e) {
  return (uint64_t)e->running * (e->firings_each + e->round);
}

/* Decides how many steps of a launch are listed. */
static void plan_list(ff_trajectories *e) {
  const uint64_t steps = (uint64_t)LISTED / e->running;
  if (e->request.max_firings == 0) return;
  e->firings_each = steps < LEAST_LISTED ? LEAST_LISTED : steps < MOST_LISTED ? (uint32_t)steps : MOST_LISTED;
  e->info.bytes += ff_trajectories_list_room(e) * sizeof(ff_fired);
}

/* What a wave may take of the free memory: a share, and no more than what its sums leave; less the list of firings. */
static double room_of(const ff_trajectories *e, size_t unused) {
  const ff_device_request *r = &e->request;
  const int products = r->product_bytes > 0;
  const double counts = 8.0 * FF_COLLECT_WORDS * r->n_times * r->n_observed + (double)r->product_bytes;
  const double reals = 8.0 * FF_COLLECT_REAL_WORDS * r->n_times * (double)ff_collect_real_jobs(r->n_observed, products);
  const double sums = !r->reals ? counts : r->tallies ? reals : 0;
  return fmin((double)unused * MEMORY_SHARE, (double)unused * MOST_SHARE - sums) - largest_list(e);
}

/* As many slots as the device can run at the same time, or up to twice as many (ff_turns.h), and a wave as large as memory
 * allows: the more trajectories it has, the shorter is the part of its time in which slots are empty. */
static ff_status size_up(ff_trajectories *e, ff_error *err) {
  size_t unused = 0, all = 0;
  ff_status status = ff_cuda_check(cudaMemGetInfo(&unused, &all), "reading its memory size", err);
  if (status != FF_OK) return status;
  const ff_device_request *r = &e->request;
  const uint64_t block = e->block_slots, wanted = wanted_units(e);
  const double room = room_of(e, unused);
  const double count = (double)ff_device_count_bytes(r->reals);
  const double each = r->until != NULL ? sizeof(double) : 0, starts = r->starts != NULL ? count * e->n_counts : 0;
  const double bytes = count * r->n_times * r->n_observed + 0.125 + each + starts;
  if (room < 0)
    return ff_error_set(err, FF_EMEMORY, "only %zu bytes of GPU memory are free, too few for the sums and the list of firings",
                        unused);
  uint64_t slots = ff_wave_slots(wanted, e->resident, (uint64_t)(room / 2 / (double)e->slot_bytes));
  if ((double)slots * (double)e->slot_bytes > room / 2) slots = (uint64_t)(room / 2 / (double)e->slot_bytes);
  if (slots == 0) slots = 1; /* a trajectory of a large net may take more than half of the memory */
  slots = (slots + block - 1) / block * block;
  const double fits = (room - (double)slots * (double)e->slot_bytes) / bytes;
  if (fits < 1)
    return ff_error_set(err, FF_EMEMORY, "a trajectory takes %.0f bytes of GPU memory, but only %.0f are free",
                        bytes + (double)e->slot_bytes * (double)block, room);
  e->capacity = wanted < MOST_UNITS ? wanted : MOST_UNITS;
  if ((double)e->capacity > fits) e->capacity = (uint64_t)fits;
  e->launch.slots = (uint32_t)slots;
  const uint64_t row = block * (uint64_t)e->device.multiProcessorCount;
  e->running = (uint32_t)(slots < e->resident && e->fills ? ff_balanced_slots(slots, row)
                          : slots < e->resident           ? slots
                                                          : e->resident);
  e->info.capacity = e->capacity;
  e->info.bytes = (uint64_t)((double)e->capacity * bytes) + slots * e->slot_bytes;
  plan_list(e);
  return FF_OK;
}

/* Allocates memory for what only some ensembles have. */
static ff_status take_more_memory(ff_trajectories *e, ff_error *err) {
  ff_launch *l = &e->launch;
  const ff_device_request *r = &e->request;
  const size_t units = (size_t)e->capacity, count = ff_device_count_bytes(r->reals);
  ff_status status = FF_OK;
  if (e->n_points > 0)
    status = ff_cuda_new((void **)&l->point_steps, e->n_points * sizeof *l->point_steps, "counters", err);
  if (status == FF_OK && r->starts != NULL)
    status = ff_cuda_new((void **)&l->starts, units * e->n_counts * count, "counts at the start", err);
  if (status == FF_OK && r->until != NULL)
    status = ff_cuda_new((void **)&l->stopped, units * sizeof *l->stopped, "times", err);
  if (status == FF_OK && r->max_firings > 0)
    status = ff_cuda_new((void **)&l->fired, (size_t)ff_trajectories_list_room(e) * sizeof *l->fired, "firings", err);
  return status;
}

static ff_status allocate(ff_trajectories *e, ff_error *err) {
  ff_launch *l = &e->launch;
  const ff_device_request *r = &e->request;
  l->n_times = r->n_times;
  l->n_observed = r->n_observed;
  ff_status status = ff_cuda_upload((void **)&l->times, r->times, r->n_times * sizeof *r->times, "times", err);
  if (status == FF_OK)
    status = ff_cuda_upload((void **)&l->observed, r->observed, r->n_observed * sizeof *r->observed, "observed quantities", err);
  if (status == FF_OK)
    status = ff_cuda_new((void **)&l->recorded,
                         (size_t)e->capacity * r->n_times * r->n_observed * ff_device_count_bytes(r->reals), "counts", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&l->refused, (e->capacity + 31) / 32 * 4, "trajectories", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&l->counters, sizeof *l->counters, "counters", err);
  if (status == FF_OK) status = ff_cuda_new((void **)&l->state, (size_t)l->slots * e->slot_bytes, "trajectories", err);
  return status == FF_OK ? take_more_memory(e, err) : status;
}

ff_status ff_trajectories_take_memory(ff_trajectories *e, ff_error *err) {
  const ff_status status = size_up(e, err);
  return status == FF_OK ? allocate(e, err) : status;
}
