/* What is known of a program beforehand, and its check. */
#include <stdlib.h>

#include "ff_ssp_timing_internal.h"

static uint8_t code_of(uint64_t packed) {
  const ff_ssp_instruction i = ff_ssp_unpack(packed);
  const uint8_t takes = i.op == FF_SSP_FIFO ? TAKES : 0;
  if (ff_ssp_is_source(i)) return takes | FF_SSP_BUSY_SOURCE;
  if (ff_ssp_is_dummy(i)) return takes | FF_SSP_BUSY_DUMMY;
  return takes | (uint8_t)(i.type == FF_SSP_UNI ? FF_SSP_BUSY_UNI : i.type == FF_SSP_BI1 ? FF_SSP_BUSY_BI1 : FF_SSP_BUSY_BI2);
}

static ff_status plan_unit(ff_ssp_timing *t, uint32_t j, ff_error *err) {
  const ff_ssp_unit *of = &t->program->units[j];
  unit_plan *plan = &t->plans[j];
  ff_ssp_unit_counts counts;
  const ff_status status = ff_ssp_count_unit(&counts, t->program, j, err);
  if (status != FF_OK) return status;
  plan->n = of->n_local + of->n_stream;
  plan->codes = ff_calloc(plan->n, sizeof *plan->codes);
  plan->runs = ff_calloc((size_t)of->n_local + 1, sizeof *plan->runs);
  if (plan->codes == NULL || plan->runs == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the cycles of %u instructions", plan->n);
  uint32_t takes = 0;
  for (uint32_t i = 0; i < plan->n; i++) {
    plan->codes[i] = code_of(of->words[i]);
    plan->by_state[plan->codes[i] & STATE]++;
    takes += (plan->codes[i] & TAKES) != 0;
  }
  for (uint32_t i = of->n_local; i-- > 0;) plan->runs[i] = plan->codes[i] & TAKES ? 0 : plan->runs[i + 1] + 1;
  if (counts.fetched != takes)
    return ff_error_set(err, FF_EMODEL, "the program is broken: RU %u fetches %u populations in a step and takes %u of them",
                        j + 1, counts.fetched, takes);
  plan->fetched = takes;
  plan->is_local = of->n_stream == 0 && takes == 0;
  if (!plan->is_local) t->n_waiting_units++;
  if (plan->is_local && plan->n > t->longest) t->longest = plan->n;
  return FF_OK;
}

/* ---- who reads which species ------------------------------------------------------------------------------------- */

/* Counts in first_reader[spid + 1] the RUs that fetch a species; or notes them at first_reader[spid], which is then raised. */
static void find_readers(ff_ssp_timing *t, uint32_t *seen, int is_count) {
  for (uint32_t j = 0; j < t->R; j++) {
    ff_ssp_data data = {&t->program->units[j], 0, 0};
    uint32_t spid;
    for (uint32_t position = 0; ff_ssp_next_datum(&data, &spid); position++) {
      while (!(t->plans[j].codes[position] & TAKES)) position++;
      if (seen[spid] == j + 1) continue;
      seen[spid] = j + 1;
      if (is_count)
        t->first_reader[spid + 1]++;
      else
        t->readers[t->first_reader[spid]++] = (reader){j, position};
    }
  }
}

static ff_status plan_readers(ff_ssp_timing *t, ff_error *err) {
  const uint32_t n = t->program->n_species;
  size_t all = 0;
  t->first_reader = ff_calloc((size_t)n + 1, sizeof *t->first_reader);
  uint32_t *seen = ff_calloc((size_t)n + 1, sizeof *seen);
  if (t->first_reader != NULL && seen != NULL) {
    find_readers(t, seen, 1);
    for (uint32_t i = 0; i < n; i++) t->first_reader[i + 1] += t->first_reader[i];
    all = t->first_reader[n];
    t->readers = ff_calloc(all, sizeof *t->readers);
  }
  if (t->readers == NULL) {
    free(seen);
    return ff_error_set(err, FF_EMEMORY, "no memory for the readers of %u species", n);
  }
  for (uint32_t i = 0; i < n; i++) seen[i] = 0;
  find_readers(t, seen, 0);
  for (uint32_t i = n; i > 0; i--) t->first_reader[i] = t->first_reader[i - 1]; /* each was raised to the next one's first */
  t->first_reader[0] = 0;
  free(seen);
  return FF_OK;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static ff_status check_place(const ff_ssp_timing *t, const ff_ssp_place *place, uint64_t lines, const char *what, ff_error *err) {
  const ff_dram_part *part = ff_dram_part_at(t->chip->part);
  const uint64_t a_row = (uint64_t)part->banks * part->columns, rows = (lines + a_row - 1) / a_row;
  if (lines == 0) return FF_OK;
  if (place->lines < lines)
    return ff_error_set(err, FF_EMODEL, "the memory map has %u lines for the %s of a client, which needs %llu", place->lines,
                        what, (unsigned long long)lines);
  if (place->channel >= t->chip->channels || place->rank >= t->chip->ranks || place->first_row + rows > part->rows)
    return ff_error_set(err, FF_EMODEL,
                        "the memory map has %s from channel %u, rank %u, row %u on, beyond the processor's memory", what,
                        place->channel, place->rank, place->first_row);
  return FF_OK;
}

static ff_status check_places(const ff_ssp_timing *t, ff_error *err) {
  const ff_ssp_program *p = t->program;
  if (p->lanes == NULL || p->copies == NULL || p->vectors_at == NULL)
    return ff_error_set(err, FF_EMODEL, "the program has no memory map; ff_ssp_map() makes it");
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < t->R && status == FF_OK; j++)
    status = check_place(t, &p->lanes[j], ff_ssp_stream_lines(p, j), "reactions", err);
  for (uint32_t u = 0; u < t->n_units && status == FF_OK; u++)
    if (t->plans[u % t->R].fetched > 0)
      status = check_place(t, &p->copies[u], ff_ssp_species_lines(p), "species", err);
  for (uint32_t s = 0; s < t->S && status == FF_OK; s++)
    status = check_place(t, &p->vectors_at[s], ff_ssp_vector_lines(p), "state changes", err);
  return status;
}

ff_status ff_ssp_timing_plan(ff_ssp_timing *t, ff_error *err) {
  t->plans = ff_calloc(t->R, sizeof *t->plans);
  if (t->plans == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the cycles of %u RUs", t->R);
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < t->R && status == FF_OK; j++) status = plan_unit(t, j, err);
  if (status == FF_OK) status = plan_readers(t, err);
  if (status == FF_OK) status = check_places(t, err);
  return status;
}
