/* Where data lie in the memory. Clients take turns over the channels, then over the ranks. Those that share a rank have rows of
 * their own. The lines of a client go over all banks. */
#include <stdlib.h>

#include "ff_ssp_program.h"

typedef struct {
  const ff_ssp_chip *chip;
  const ff_dram_part *part;
  uint32_t *row; /* the first free row of each channel and rank */
} map;

/* Gives a client so many lines. */
static ff_status place(map *m, ff_ssp_place *out, uint32_t channel, uint32_t rank, uint64_t lines, const char *what,
                       ff_error *err) {
  uint32_t *row = &m->row[channel * m->chip->ranks + rank];
  const uint64_t a_row = (uint64_t)m->part->banks * m->part->columns, rows = (lines + a_row - 1) / a_row;
  if (rows > m->part->rows - *row)
    return ff_error_set(err, FF_ESIZE,
                        "%s need %llu rows of rank %u of memory channel %u, of which %u of %u are free; give the processor "
                        "more `channels`, or fewer SPEs or RUs",
                        what, (unsigned long long)rows, rank, channel, m->part->rows - *row, m->part->rows);
  *out = (ff_ssp_place){channel, rank, *row, (uint32_t)lines};
  *row += (uint32_t)rows;
  return FF_OK;
}

static ff_status place_lanes(map *m, const ff_ssp_program *p, ff_ssp_place *lanes, ff_error *err) {
  const uint32_t channels = m->chip->reaction_channels;
  ff_status status = FF_OK;
  for (uint32_t j = 0; j < m->chip->rus && status == FF_OK; j++) {
    status = place(m, &lanes[j], j % channels, j / channels % m->chip->ranks, ff_ssp_stream_lines(p, j), "reactions", err);
  }
  return status;
}

/* Species and vectors share channels. If there are several ranks, the last one has the vectors. */
static ff_status place_copies(map *m, const ff_ssp_program *p, ff_ssp_place *copies, ff_error *err) {
  const uint32_t first = m->chip->reaction_channels, channels = m->chip->channels - first;
  const uint32_t ranks = m->chip->ranks > 1 ? m->chip->ranks - 1 : 1;
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < m->chip->spes; s++) {
    for (uint32_t j = 0; j < m->chip->rus && status == FF_OK; j++) {
      const uint32_t i = s * m->chip->rus + j;
      const uint64_t lines = p->units[j].n_fetches > 0 ? ff_ssp_species_lines(p) : 0;
      status = place(m, &copies[i], first + i % channels, i / channels % ranks, lines, "species", err);
    }
  }
  return status;
}

static ff_status place_vectors(map *m, const ff_ssp_program *p, ff_ssp_place *at, ff_error *err) {
  const uint32_t first = m->chip->reaction_channels, channels = m->chip->channels - first;
  ff_status status = FF_OK;
  for (uint32_t s = 0; s < m->chip->spes && status == FF_OK; s++) {
    if (s >= channels)
      at[s] = at[s % channels];
    else
      status = place(m, &at[s], first + s, m->chip->ranks - 1, ff_ssp_vector_lines(p), "state changes", err);
  }
  return status;
}

ff_status ff_ssp_map(ff_ssp_program *p, ff_error *err) {
  const ff_ssp_chip *chip = &p->chip;
  const size_t units = (size_t)chip->spes * chip->rus;
  map m = {chip, ff_dram_part_at(chip->part), ff_calloc((size_t)chip->channels * chip->ranks, sizeof(uint32_t))};
  ff_ssp_place *lanes = ff_calloc(chip->rus, sizeof *lanes), *copies = ff_calloc(units, sizeof *copies),
               *at = ff_calloc(chip->spes, sizeof *at);
  ff_status status = m.row != NULL && lanes != NULL && copies != NULL && at != NULL
                         ? FF_OK
                         : ff_error_set(err, FF_EMEMORY, "no memory for the map of %zu RUs", units);
  if (status == FF_OK) status = place_lanes(&m, p, lanes, err);
  if (status == FF_OK) status = place_vectors(&m, p, at, err);
  if (status == FF_OK) status = place_copies(&m, p, copies, err);
  free(m.row);
  if (status != FF_OK) {
    free(lanes);
    free(copies);
    free(at);
    return status;
  }
  free(p->lanes);
  free(p->copies);
  free(p->vectors_at);
  p->lanes = lanes;
  p->copies = copies;
  p->vectors_at = at;
  return FF_OK;
}

ff_ssp_address ff_ssp_address_of(const ff_ssp_program *program, const ff_ssp_place *place, uint32_t line) {
  const ff_dram_part *part = ff_dram_part_at(program->chip.part);
  const uint32_t in_bank = line / part->banks;
  const ff_ssp_address out = {place->channel, place->rank, line % part->banks, place->first_row + in_bank / part->columns,
                              in_bank % part->columns};
  return out;
}
