/* The memory interface: requests on their way, turns of clients, channels, and data on their way back. */
#include <stdlib.h>

#include "ff_ssp_timing_internal.h"

static uint32_t power_of_2(uint32_t n) { return UINT32_C(1) << ff_ssp_log2(n); }

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A client with so many places for requests and for reads that are not all taken. */
static ff_status make_client(ff_ssp_timing *t, uint32_t i, const ff_ssp_place *place, uint32_t use, uint32_t requests,
                             uint32_t reads, ff_error *err) {
  client *c = &t->clients[i];
  c->place = place;
  c->use = use;
  c->granted = NEVER;
  c->queue_mask = power_of_2(requests) - 1;
  c->reads_mask = power_of_2(reads) - 1;
  c->queue = ff_calloc((size_t)c->queue_mask + 1, sizeof *c->queue);
  c->reads = ff_calloc((size_t)c->reads_mask + 1, sizeof *c->reads);
  if (c->queue == NULL || c->reads == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the requests of %u clients of the memory", t->n_clients);
  return FF_OK;
}

uint64_t ff_ssp_client_bytes(const ff_ssp_chip *chip) {
  const uint64_t way = chip->reorder > 0 ? chip->reorder : 1, arrivals = chip->requests < way + 1 ? chip->requests : way + 1;
  return power_of_2(chip->requests) * sizeof(asked) + power_of_2(chip->data) * sizeof(line_read) + arrivals * sizeof(arrival);
}

/* Clients that never ask have no rings. */
static ff_status make_clients(ff_ssp_timing *t, ff_error *err) {
  const ff_ssp_program *p = t->program;
  const uint32_t requests = t->chip->requests, data = t->chip->data;
  uint64_t n_arrivals = t->S;
  ff_status status = FF_OK;
  for (uint32_t i = 0; i < t->n_clients && status == FF_OK; i++) {
    if (i >= t->R + t->n_units) {
      status = make_client(t, i, &p->vectors_at[i - t->R - t->n_units], FF_SSP_READ_VECTORS, 1, 1, err);
    } else if (i >= t->R && t->plans[(i - t->R) % t->R].fetched > 0) {
      status = make_client(t, i, &p->copies[i - t->R], FF_SSP_READ_SPECIES, requests, data, err);
    } else if (i < t->R && p->units[i].n_stream > 0) {
      status = make_client(t, i, &p->lanes[i], FF_SSP_READ_REACTIONS, requests, requests, err);
    } else {
      continue;
    }
    n_arrivals += requests < t->way + 1 ? requests : t->way + 1; /* one a cycle of a client */
  }
  if (status != FF_OK) return status;
  t->arrivals_mask = 1;
  while (t->arrivals_mask < n_arrivals) t->arrivals_mask *= 2;
  t->arrivals = ff_calloc((size_t)t->arrivals_mask, sizeof *t->arrivals);
  t->arrivals_mask--;
  return t->arrivals != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for requests on their way to the memory");
}

static void log_command(void *of, const ff_dram_command *command);

static ff_status make_channel(ff_ssp_timing *t, uint32_t i, ff_error *err) {
  channel *ch = &t->channels[i];
  const ff_dram_options options = {.ranks = t->chip->ranks, .transactions = t->chip->transactions, .commands = t->chip->commands,
                                   .hits = t->chip->hits, .every_cycle = t->options.every_cycle, .log = log_command, .of = ch};
  ch->timing = t;
  ch->sync = NEVER;
  ch->ready = ff_calloc(t->n_words, sizeof *ch->ready);
  if (ch->ready == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the turns of %u clients", t->n_clients);
  return ff_dram_new(&ch->dram, ff_dram_part_at(t->chip->part), &options, err);
}

ff_status ff_ssp_memory_new(ff_ssp_timing *t, ff_error *err) {
  const ff_dram_part *part = ff_dram_part_at(t->chip->part);
  const uint32_t picoseconds = (uint32_t)(part->clock * 1000 + 0.5), a = 1000000;
  const uint64_t b = (uint64_t)t->chip->clock * picoseconds;
  const uint32_t common = ff_common_divisor(a, (uint32_t)(b % a));
  t->num = a / common;
  t->den = b / common;
  t->way = t->chip->reorder > 0 ? t->chip->reorder : 1;
  t->data_way = t->chip->reorder;
  t->read_time = part->cl + part->bl / 2;
  t->n_clients = t->R + t->n_units + t->S;
  t->n_words = (t->n_clients + 63) / 64;
  t->memory_at = NEVER;
  t->clients = ff_calloc(t->n_clients, sizeof *t->clients);
  t->channels = ff_calloc(t->chip->channels, sizeof *t->channels);
  if (t->clients == NULL || t->channels == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for the memory interface");
  ff_status status = make_clients(t, err);
  for (uint32_t i = 0; i < t->chip->channels && status == FF_OK; i++) status = make_channel(t, i, err);
  return status;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

void ff_ssp_ask(ff_ssp_timing *t, uint32_t i, uint32_t line, int is_write, uint32_t n) {
  client *c = &t->clients[i];
  const ff_ssp_address at = ff_ssp_address_of(t->program, c->place, line);
  const uint32_t read = is_write ? WRITE : (uint32_t)(c->tail & c->reads_mask);
  c->queue[c->queue_tail++ & c->queue_mask] = (asked){t->now, at.bank, at.row, at.column, read};
  if (is_write)
    c->writes++;
  else
    *read_at(c, c->tail++) = (line_read){t->now, NEVER, n};
  t->arrivals[t->arrivals_tail++ & t->arrivals_mask] = (arrival){t->now + t->way, i};
  if (t->memory_at > t->now + t->way) t->memory_at = t->now + t->way;
}

/* Those that reach the interface now. */
static void arrive(ff_ssp_timing *t) {
  for (; t->arrivals_head < t->arrivals_tail; t->arrivals_head++) {
    const arrival *one = &t->arrivals[t->arrivals_head & t->arrivals_mask];
    if (one->at > t->now) return;
    client *c = &t->clients[one->client];
    if (c->here++ != c->queue_head) continue; /* it waits already */
    channel *ch = &t->channels[c->place->channel];
    ch->ready[one->client / 64] |= UINT64_C(1) << one->client % 64;
    ch->n_ready++;
    t->n_ready++;
  }
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Tells those that wait for a client's data that some come at this cycle. */
static void tell(ff_ssp_timing *t, uint32_t i, uint64_t at) {
  if (i < t->R) {
    ff_ssp_look_at(t, i, at);
  } else if (i < t->R + t->n_units) {
    const uint32_t u = i - t->R;
    if (t->smus[u].wants_place) ff_ssp_look_at(t, i, at);
    if (!t->units[u].wants_datum) return;
    t->units[u].wants_datum = 0;
    ff_ssp_look_at(t, unit_waker(t, u), at);
  } else {
    t->clients[i].head++;
    t->vector_comes(t, i - t->R - t->n_units, at);
  }
}

/* With the command of a read, its end is known. It is later than the present cycle. */
static void log_command(void *of, const ff_dram_command *command) {
  ff_ssp_timing *t = ((channel *)of)->timing;
  if (command->kind != FF_DRAM_READ) return;
  const uint32_t i = (uint32_t)(command->tag >> 32);
  client *c = &t->clients[i];
  c->reads[(uint32_t)command->tag].at = ff_ssp_scaled_up(command->cycle + t->read_time, t->den, t->num) + t->data_way;
  const uint64_t before = c->known;
  while (c->known < c->tail && read_at(c, c->known)->at != NEVER) {
    line_read *one = read_at(c, c->known++);
    if (one->at < c->last) one->at = c->last;
    c->last = one->at;
    c->time += one->at - one->made;
  }
  if (c->known > before) tell(t, i, read_at(c, before)->at);
}

/* Brings a channel to a memory cycle. Reads whose end is not known now end `read_time` cycles later at the earliest. */
static void bring(ff_ssp_timing *t, channel *ch, uint64_t to) {
  ff_dram_finished finished;
  ff_dram_advance(ch->dram, to);
  while (ff_dram_take(ch->dram, &finished)) continue;
  ch->sync = NEVER;
  if (ff_dram_waiting(ch->dram) > 0) ch->sync = ff_ssp_scaled_up(to + t->read_time, t->den, t->num) + t->data_way - 1;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* The first client from `from` on whose channel is among those of the list and which is ready, or NOBODY. */
static uint32_t first_ready(const ff_ssp_timing *t, channel *const *open, uint32_t n_open, uint32_t from) {
  for (uint32_t i = 0; i <= t->n_words; i++) { /* the first word twice: from the client on, and before it */
    const uint32_t at = (from / 64 + i) % t->n_words;
    uint64_t bits = 0;
    for (uint32_t k = 0; k < n_open; k++) bits |= open[k]->ready[at];
    if (i == 0) bits &= ~UINT64_C(0) << from % 64;
    if (bits != 0) return at * 64 + (uint32_t)__builtin_ctzll(bits);
  }
  return NOBODY;
}

/* Gives a client's first request to its channel in a memory cycle. Returns 0 if this is full. */
static int grant(ff_ssp_timing *t, channel *ch, uint32_t i, uint64_t cycle) {
  client *c = &t->clients[i];
  const asked *one = &c->queue[c->queue_head & c->queue_mask];
  const int is_write = one->read == WRITE;
  const ff_dram_request request = {.tag = (uint64_t)i << 32 | one->read, .rank = c->place->rank, .bank = one->bank,
                                   .row = one->row, .column = one->column, .is_write = is_write};
  bring(t, ch, cycle);
  const int taken = ff_dram_push(ch->dram, &request);
  if (taken < 0) t->status = FF_EINTERNAL;
  if (taken != 1) {
    const uint64_t next = t->options.every_cycle ? cycle : ff_dram_next(ch->dram);
    ch->retry = (next > cycle ? next : cycle) + 1;
    return 0;
  }
  ch->sync = ff_ssp_scaled_up(cycle + t->read_time, t->den, t->num) + t->data_way - 1;
  ch->lines[is_write ? FF_SSP_WRITE_SPECIES : c->use]++;
  c->granted = cycle;
  if (is_write) {
    c->writes--;
    c->write_time += t->now - one->made;
    if (t->smus[i - t->R].wants_place) ff_ssp_look_at(t, i, t->now + 1);
  }
  if (++c->queue_head == c->here) {
    ch->ready[i / 64] &= ~(UINT64_C(1) << i % 64);
    ch->n_ready--;
    t->n_ready--;
  }
  return 1;
}

static uint32_t after(const ff_ssp_timing *t, uint32_t i) { return i + 1 < t->n_clients ? i + 1 : 0; }

/* One turn for each channel. */
static void grant_channels(ff_ssp_timing *t, uint64_t cycle) {
  for (uint32_t k = 0; k < t->chip->channels; k++) {
    channel *ch = &t->channels[k];
    if (ch->n_ready == 0 || ch->retry > cycle) continue;
    const uint32_t i = first_ready(t, &ch, 1, ch->turn);
    if (i != NOBODY && grant(t, ch, i, cycle)) ch->turn = after(t, i);
  }
}

/* The grants of a memory cycle; a client has one at most. */
static void grant_some(ff_ssp_timing *t, uint64_t cycle) {
  channel *open[64]; /* the most that a chip has */
  for (uint32_t granted = 0; granted < t->chip->grants;) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->chip->channels; k++)
      if (t->channels[k].n_ready > 0 && t->channels[k].retry <= cycle) open[n++] = &t->channels[k];
    const uint32_t i = n > 0 ? first_ready(t, open, n, t->turn) : NOBODY;
    if (i == NOBODY || t->clients[i].granted == cycle) return;
    if (!grant(t, &t->channels[t->clients[i].place->channel], i, cycle)) continue;
    t->turn = after(t, i);
    granted++;
  }
}

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

/* The next cycle, from `least` on, at which the interface must be looked at. */
static uint64_t next_look(const ff_ssp_timing *t, uint64_t least) {
  uint64_t next = NEVER;
  if (t->arrivals_head < t->arrivals_tail) next = t->arrivals[t->arrivals_head & t->arrivals_mask].at;
  for (uint32_t k = 0; k < t->chip->channels; k++) {
    const channel *ch = &t->channels[k];
    if (ch->sync < next) next = ch->sync;
    if (ch->n_ready == 0) continue;
    const uint64_t retry = ff_ssp_scaled(ch->retry, t->den, t->num);
    if (retry < next) next = retry;
  }
  return next > least ? next : least;
}

void ff_ssp_memory_cycle(ff_ssp_timing *t) {
  const uint64_t first = ff_ssp_scaled_up(t->now, t->num, t->den), end = ff_ssp_scaled_up(t->now + 1, t->num, t->den);
  arrive(t);
  for (uint64_t cycle = first; cycle < end && t->n_ready > 0; cycle++) {
    if (t->chip->grants == 0)
      grant_channels(t, cycle);
    else
      grant_some(t, cycle);
  }
  for (uint32_t k = 0; k < t->chip->channels; k++)
    if (t->channels[k].sync <= t->now || t->options.every_cycle) bring(t, &t->channels[k], end);
  t->memory_at = next_look(t, t->now + 1);
}

void ff_ssp_memory_settle(ff_ssp_timing *t) {
  for (uint32_t k = 0; k < t->chip->channels; k++) bring(t, &t->channels[k], ff_ssp_scaled_up(t->now, t->num, t->den));
  t->memory_at = next_look(t, t->now);
}
