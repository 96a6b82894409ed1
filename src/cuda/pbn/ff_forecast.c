#include "ff_forecast.h"

#include "../../pbn/ff_pbn_program.h"
#include "ff_generate.h"

#define CLOCK 1.98e9
#define CARD (132 * CLOCK)   /* multiprocessors times clock rate of the card on which the times were measured, an H200 */
#define FEWEST_TILES 8       /* per multiprocessor: fewer tiles do not make a step of the interpreter faster */
#define CACHED 320           /* number of counters, over all warps of a multiprocessor, whose low levels fit in its cache */

/* The next three functions return seconds on an H200. The first two are per step and trajectory. Generated code takes the time
 * on a fully used card, multiplied by a factor if there are too few warps, plus the time of accesses to counters in global
 * memory. The more levels of the counters are in shared memory, the fewer these accesses are. */
static double generated_step(const ff_pbn_program *p, uint32_t levels, double warps) {
  uint64_t words, operations;
  ff_generate_size(p, 0, &words, &operations);
  const double n = (double)operations, code = 3.5e-13 + 1.95e-15 * n + 1.96e-19 * n * n;
  const double far = warps * p->n_terms > CACHED ? 6e-13 : 6e-14;
  return code * (warps + 8) / (1.4 * warps) + far * p->n_terms / (1u << levels);
}

static double interpreted_step(const ff_pbn_program *p) {
  const ff_slice *s = &p->slice;
  double plain = 0, truth = 0, rows = 0; /* operations on rows, rows of truth tables, random rows */
  for (size_t i = 0; i < s->n_ops; i++) {
    if (s->ops[i].code == FF_S_TABLE)
      truth += 1u << s->args[s->ops[i].a];
    else
      plain++;
  }
  for (size_t i = 0; i < s->n_selects; i++) rows += s->selects[i].n_rows;
  const double hits = p->perturbation * p->n_flip * FF_TILE;
  return 4.4e-13 + 6.1e-14 * plain + 2.36e-15 * truth + 5.85e-14 * rows + 8e-14 * hits + 7.8e-13 * p->n_terms;
}

static double compile_seconds(const ff_pbn_program *p) {
  uint64_t words, operations;
  ff_generate_size(p, 0, &words, &operations);
  const double n = (double)operations;
  return 0.12 + 3.6e-4 * n + 2.8e-8 * n * n;
}

static double larger(double a, double b) { return a > b ? a : b; }

ff_forecast ff_forecast_of(const ff_pbn_program *program, const ff_forecast_run *run) {
  const int known = run->tiles > 0 && run->steps > 0;
  const double share = CARD / (run->processors * (run->clock > 0 ? run->clock : CLOCK));
  const double a_tile = known ? FF_TILE * (double)run->steps : 1;
  const double each = known ? (double)run->tiles / run->processors : run->warps; /* tiles per multiprocessor */
  const double at_once = larger(each < run->warps ? each : run->warps, 1);
  const double tiles = known ? larger((double)run->tiles, run->processors) : 1;
  const double full = known ? larger(tiles, (double)run->processors * FEWEST_TILES) : 1;
  return (ff_forecast){.compile = compile_seconds(program),
                       .generated = tiles * a_tile * share * generated_step(program, run->levels, at_once),
                       .interpreted = full * a_tile * share * interpreted_step(program)};
}
