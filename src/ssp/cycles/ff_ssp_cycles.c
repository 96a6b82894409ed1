/* Trajectories and cycles together, and how well the pace is known. */
#include "ff_ssp_cycles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 40u     /* at most; then each two become one */
#define LEAST_BATCHES 20u
#define STUDENT 2.093   /* the 97.5% quantile of Student's t with LEAST_BATCHES - 1 degrees of freedom; of more it is smaller */
#define WARM_UP 3u      /* steps of each SPE that are left out: buffers fill in the first two */
#define LEAST_STEPS 100000u /* of all SPEs, or */
#define LEAST_WORK 4000000u /* instructions of all RUs: some tenths of a second */
#define LEAST_PIECE 1024u /* cycles between two looks at the clock. Their number changes no result */
#define MOST_PIECE (LEAST_PIECE << 11)

struct ff_ssp_cycles {
  const ff_ssp_program *program;
  ff_ssp_cycles_options options;
  ff_ssp_code *code;    /* NULL with a source of reactions that have fired, */
  ff_ssp_spe **spes;    /* and so are these */
  uint64_t *fired, *number; /* by the present trajectory of each SPE, and which one it is, from 0 */
  double *time;    /* of its last reaction */
  ff_ssp_timing *timing;
  uint64_t next, ended; /* trajectories */
  uint64_t warm;        /* the cycle at which the warm-up ended; 0 before */
  uint64_t batch;       /* steps of a batch */
  uint64_t piece;       /* cycles between two looks at the clock */
  double means[BATCHES];
  uint32_t n_batches;
  uint64_t batch_from, batch_steps; /* the cycle and the steps at which the present batch began */
  uint64_t steps_from;  /* steps at the end of the warm-up */
  ff_failure failure;   /* the first one, */
  uint64_t failed;      /* and the number of its trajectory */
  int complete;
};

/* ---- trajectories --------------------------------------------------------------------------------------------------- */

static int begins(void *of, uint32_t s, uint64_t cycle) {
  ff_ssp_cycles *run = of;
  (void)cycle;
  if (run->next == run->options.n) return 0;
  run->number[s] = run->next++;
  run->fired[s] = 0;
  run->time[s] = 0;
  if (run->spes != NULL)
    ff_ssp_spe_start(run->spes[s], run->options.key, run->options.first + run->number[s], run->options.initial);
  return 1;
}

/* Reactions keep their numbers as tags. */
static uint32_t fired_already(void *of, uint32_t s, uint64_t cycle) {
  ff_ssp_cycles *run = of;
  (void)cycle;
  const uint32_t tag = run->options.fired.next(run->options.fired.of, run->options.first + run->number[s]);
  run->ended += tag == FF_SSP_ENDS;
  return tag;
}

static uint32_t fires(void *of, uint32_t s, uint64_t cycle) {
  ff_ssp_cycles *run = of;
  (void)cycle;
  int goes_on = ff_ssp_spe_step(run->spes[s]);
  const ff_ssp_winner *winner = ff_ssp_spe_winner(run->spes[s]);
  if (!goes_on && run->failure.what == FF_SSP_FINE) {
    ff_ssp_spe_diagnose(run->spes[s], &run->failure);
    run->failed = run->options.first + run->number[s];
  }
  goes_on = goes_on && winner->time <= run->options.last && (run->options.steps == 0 || run->fired[s] < run->options.steps);
  if (goes_on) {
    run->fired[s]++;
    run->time[s] = winner->time;
    return winner->tag;
  }
  const size_t n = run->program->n_species;
  if (run->options.times != NULL) run->options.times[run->number[s]] = run->time[s];
  if (run->options.states != NULL)
    memcpy(run->options.states + run->number[s] * n, ff_ssp_spe_state(run->spes[s]), n * sizeof(double));
  run->ended++;
  return FF_SSP_ENDS;
}

uint64_t ff_ssp_cycles_bytes(const ff_ssp_cycles *run) {
  const uint64_t spes = run->code != NULL ? run->program->chip.spes * ff_ssp_spe_bytes(run->code) : 0;
  return spes + ff_ssp_timing_bytes(run->program);
}

/* Each SPE has its own copies of species, unless reactions are replayed. Operating systems promise more memory than they have,
 * and end the process when it is used. So this is checked before. */
static ff_status check_memory(const ff_ssp_cycles *run, ff_error *err) {
  const ff_ssp_chip *chip = &run->program->chip;
  const uint64_t bytes = ff_ssp_cycles_bytes(run);
  if (run->options.memory == 0 || bytes <= run->options.memory) return FF_OK;
  return ff_error_set(err, FF_ESIZE,
                      "a processor of %u SPEs of %u RUs takes %.3g GB of memory for this program, and %.3g GB are available: "
                      "give it fewer SPEs or RUs, or simulate a smaller network",
                      chip->spes, chip->rus, (double)bytes / 1073741824, (double)run->options.memory / 1073741824);
}

static ff_status make_spes(ff_ssp_cycles *run, ff_error *err) {
  const uint32_t n = run->program->chip.spes;
  ff_status status = FF_OK;
  run->spes = ff_calloc(n, sizeof *run->spes);
  if (run->spes == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for %u processing elements", n);
  for (uint32_t s = 0; s < n && status == FF_OK; s++) status = ff_ssp_spe_new(&run->spes[s], run->code, NULL, err);
  return status;
}

static ff_status make_places(ff_ssp_cycles *run, ff_error *err) {
  const uint32_t n = run->program->chip.spes;
  run->fired = ff_calloc(n, sizeof *run->fired);
  run->number = ff_calloc(n, sizeof *run->number);
  run->time = ff_calloc(n, sizeof *run->time);
  if (run->fired == NULL || run->number == NULL || run->time == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for %u processing elements", n);
  return FF_OK;
}

ff_status ff_ssp_cycles_new(ff_ssp_cycles **out, const ff_ssp_program *program, const ff_ssp_cycles_options *options,
                            ff_error *err) {
  *out = NULL;
  const int replays = options->fired.next != NULL;
  if (replays && (options->times != NULL || options->states != NULL))
    return ff_error_set(err, FF_EARGUMENT, "times and states are not known of reactions that have fired already");
  ff_ssp_cycles *run = ff_calloc(1, sizeof *run);
  if (run == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a processor");
  run->program = program;
  run->options = *options;
  run->batch = program->chip.spes;
  run->piece = LEAST_PIECE;
  const ff_ssp_steps steps = {begins, replays ? fired_already : fires, run};
  ff_status status = make_places(run, err);
  if (status == FF_OK && !replays) status = ff_ssp_code_new(&run->code, program, err);
  if (status == FF_OK) status = check_memory(run, err);
  if (status == FF_OK && !replays) status = make_spes(run, err);
  if (status == FF_OK) status = ff_ssp_timing_new(&run->timing, program, &steps, NULL, err);
  if (status != FF_OK) {
    ff_ssp_cycles_free(run);
    return status;
  }
  *out = run;
  return FF_OK;
}

void ff_ssp_cycles_free(ff_ssp_cycles *run) {
  if (run == NULL) return;
  for (uint32_t s = 0; run->spes != NULL && s < run->program->chip.spes; s++) ff_ssp_spe_free(run->spes[s]);
  free(run->spes);
  free(run->fired);
  free(run->number);
  free(run->time);
  ff_ssp_timing_free(run->timing);
  ff_ssp_code_free(run->code);
  free(run);
}

/* ---- the pace --------------------------------------------------------------------------------------------------------- */

/* Each two batches become one, so that there is room for longer ones. */
static void join_batches(ff_ssp_cycles *run) {
  for (uint32_t i = 0; i < BATCHES / 2; i++) run->means[i] = (run->means[2 * i] + run->means[2 * i + 1]) / 2;
  run->n_batches = BATCHES / 2;
  run->batch *= 2;
}

/* SPEs that have a trajectory, as long as there are enough for all. */
static uint32_t at_work(const ff_ssp_cycles *run) {
  return run->options.n < run->program->chip.spes ? (uint32_t)run->options.n : run->program->chip.spes;
}

/* Whether trajectories run out, so that SPEs are done. */
static int runs_out(const ff_ssp_cycles *run) { return run->next > 0 && run->next - run->ended < at_work(run); }

/* The next number of steps at which something is to be noted. */
static uint64_t next_stop(const ff_ssp_cycles *run) {
  if (runs_out(run)) return UINT64_MAX;
  if (run->warm == 0) return (uint64_t)WARM_UP * run->program->chip.spes;
  return run->steps_from + (run->n_batches + 1) * run->batch;
}

/* SPEs end their steps at about the same pace, so the cycles of a batch tell that of one SPE. When trajectories run out, SPEs
 * that are done would spoil it. */
static void note(ff_ssp_cycles *run) {
  const uint64_t now = ff_ssp_timing_now(run->timing), steps = ff_ssp_timing_steps(run->timing);
  if (steps < next_stop(run)) return;
  if (run->warm == 0) {
    run->warm = now;
    run->steps_from = steps;
  } else {
    run->means[run->n_batches++] = (double)(now - run->batch_from) * at_work(run) / (double)(steps - run->batch_steps);
    if (run->n_batches == BATCHES) join_batches(run);
  }
  run->batch_from = now;
  run->batch_steps = steps;
}

/* The mean of all steps. SPEs that are done must not count, as trajectories may have very different lengths. */
static double mean_of_all(const ff_ssp_cycles *run) {
  double cycles = 0, steps = 0;
  for (uint32_t s = 0; s < run->program->chip.spes; s++) {
    ff_ssp_spe_counts counts;
    ff_ssp_timing_spe(run->timing, s, &counts);
    cycles += (double)counts.last_end;
    steps += (double)counts.steps;
  }
  return steps > 0 ? cycles / steps : NAN;
}

void ff_ssp_cycles_pace(const ff_ssp_cycles *run, ff_ssp_pace *out) {
  const uint32_t n = run->n_batches;
  double sum = 0, squares = 0;
  const uint64_t steps = ff_ssp_timing_steps(run->timing);
  *out = (ff_ssp_pace){.steps = steps, .cycles = ff_ssp_timing_now(run->timing), .mean = NAN, .error = NAN,
                       .complete = run->complete};
  if (n == 0) {
    out->mean = mean_of_all(run);
    return;
  }
  out->steps = run->batch_steps - run->steps_from;
  out->cycles = run->batch_from - run->warm;
  for (uint32_t i = 0; i < n; i++) sum += run->means[i];
  out->mean = sum / n;
  for (uint32_t i = 0; i < n; i++) squares += (run->means[i] - out->mean) * (run->means[i] - out->mean);
  if (n >= LEAST_BATCHES) out->error = STUDENT * sqrt(squares / (n - 1) / n);
  if (!run->complete) return;
  out->steps = steps;
  out->cycles = ff_ssp_timing_now(run->timing);
  out->mean = mean_of_all(run);
}

/* The steps after which a pace may be taken to be known. The first steps of a small network often have equal numbers of cycles,
 * which tell nothing of rare ones. */
static uint64_t least_steps(const ff_ssp_cycles *run) {
  const uint64_t n = ff_ssp_instructions(run->program), steps = n > 0 ? LEAST_WORK / n : LEAST_STEPS;
  if (run->options.sample > 0) return run->options.sample;
  return steps < LEAST_STEPS ? steps : LEAST_STEPS;
}

static int is_known(const ff_ssp_cycles *run) {
  ff_ssp_pace pace;
  if (!(run->options.error > 0) || run->n_batches < LEAST_BATCHES) return 0;
  if (run->batch_steps - run->steps_from < least_steps(run)) return 0;
  ff_ssp_cycles_pace(run, &pace);
  return pace.error <= run->options.error * pace.mean;
}

/* ---- the run ----------------------------------------------------------------------------------------------------------- */

ff_status ff_ssp_cycles_go(ff_ssp_cycles *run, uint64_t cycles, int *done, ff_error *err) {
  ff_status status = ff_ssp_timing_advance(run->timing, ff_ssp_timing_now(run->timing) + cycles, next_stop(run), done, err);
  if (status == FF_OK && run->failure.what != FF_SSP_FINE)
    status = ff_ssp_describe_failure(run->code, &run->failure, 0, run->failed + 1, err);
  if (status != FF_OK) return status;
  run->complete = *done;
  note(run);
  if (is_known(run)) *done = 1;
  return FF_OK;
}

ff_status ff_ssp_cycles_advance(ff_ssp_cycles *run, double seconds, int *done, ff_error *err) {
  double began = ff_clock();
  const double end = began + seconds;
  ff_status status = FF_OK;
  *done = 0;
  while (status == FF_OK && !*done && began < end) {
    status = ff_ssp_cycles_go(run, run->piece, done, err);
    const double now = ff_clock();
    if (now - began > seconds / 4 && run->piece > LEAST_PIECE) run->piece /= 2;
    if (now - began < seconds / 16 && run->piece < MOST_PIECE) run->piece *= 2;
    began = now;
  }
  return status;
}

uint64_t ff_ssp_cycles_ended(const ff_ssp_cycles *run) { return run->ended; }
uint64_t ff_ssp_cycles_steps(const ff_ssp_cycles *run) { return ff_ssp_timing_steps(run->timing); }
const ff_ssp_timing *ff_ssp_cycles_timing(const ff_ssp_cycles *run) { return run->timing; }
