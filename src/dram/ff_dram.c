/* A channel: memory, requests, time. */
#include <stdlib.h>
#include <string.h>

#include "ff_dram_internal.h"

static uint32_t power_of_2(uint32_t n) {
  uint32_t power = 1;
  while (power < n) power *= 2;
  return power;
}

/* ---- a channel ----------------------------------------------------------------------------------------------------- */

static ff_status check_options(const ff_dram_options *o, const ff_dram_part *part, ff_error *err) {
  if (o->ranks > part->ranks)
    return ff_error_set(err, FF_EARGUMENT, "a DRAM channel of %u ranks of '%s': expected at most %u", o->ranks, part->name,
                        part->ranks);
  if (o->transactions < 1 || o->transactions > 4096)
    return ff_error_set(err, FF_EARGUMENT, "a DRAM transaction queue of %u places: expected 1 to 4096", o->transactions);
  if (o->commands < 2 || o->commands > 4096)
    return ff_error_set(err, FF_EARGUMENT, "a DRAM command queue of %u places: expected 2 to 4096", o->commands);
  return FF_OK;
}

static void set_delays(ff_dram *c) {
  ff_dram_constraints all;
  ff_dram_constrain(&c->part, &all);
  for (uint32_t i = 0; i < all.n; i++) {
    const ff_dram_constraint *one = &all.of[i];
    if (one->window > 1) {
      c->windows[c->n_windows++] = *one;
      continue;
    }
    uint32_t *delay = &c->delay[one->scope][one->before][one->after];
    *delay = *delay < one->cycles ? one->cycles : *delay;
  }
}

/* Memory of a channel with checked options. At most one request of a bank, whose row is open, has one place in the queue; the
 * others have two. */
static ff_status make_queues(ff_dram *c, ff_error *err) {
  const uint32_t size = power_of_2((c->options.commands + 1) / 2);
  const uint32_t n_transactions = power_of_2(c->options.transactions);
  /* All reads that wait, and as many as can be on their way: one begins at most each bl / 2 cycles. */
  const uint32_t on_way = 2 * (c->part.cl + c->part.bl) / c->part.bl + 2;
  const uint32_t n_finished = power_of_2(n_transactions + c->places * size + on_way);
  c->transactions.at = ff_calloc(n_transactions, sizeof(request));
  c->requests = ff_calloc((size_t)c->places * size, sizeof(request));
  c->finished = ff_calloc(n_finished, sizeof(ff_dram_finished));
  if (c->transactions.at == NULL || c->requests == NULL || c->finished == NULL)
    return ff_error_set(err, FF_EMEMORY, "no memory for the queues of a DRAM channel");
  c->transactions.mask = n_transactions - 1;
  c->finished_mask = n_finished - 1;
  for (uint32_t i = 0; i < c->places; i++) {
    c->banks[i].queue.at = c->requests + (size_t)i * size;
    c->banks[i].queue.mask = size - 1;
  }
  return FF_OK;
}

static void set_up(ff_dram *c) {
  const uint32_t a_group = c->part.banks / c->part.groups;
  for (uint32_t i = 0; i < c->places; i++) {
    bank *b = &c->banks[i];
    b->row = CLOSED;
    b->rank = (uint16_t)(i % c->ranks);
    b->number = (uint16_t)(i / c->ranks);
    b->group = (uint16_t)(b->number / a_group);
    c->kind[i] = NOTHING;
    c->of_kind[NOTHING] |= UINT64_C(1) << i;
    c->of_rank[b->rank] |= UINT64_C(1) << i;
    c->has_room |= UINT64_C(1) << i;
  }
  /* The second term is the time in which one bank alone could open a row for each request of a full queue. */
  c->most_wait = c->part.refi + (uint64_t)c->options.commands / 2 * c->part.rc;
  c->next_refresh = NEVER;
  for (uint32_t r = 0; r < c->ranks; r++) { /* the ranks' refreshes are staggered */
    c->rank[r].due = (uint64_t)c->part.refi * (r + 1) / c->ranks;
    if (c->rank[r].due < c->next_refresh) c->next_refresh = c->rank[r].due;
  }
  set_delays(c);
}

ff_status ff_dram_new(ff_dram **out, const ff_dram_part *part, const ff_dram_options *options, ff_error *err) {
  *out = NULL;
  ff_dram_options o = {0};
  if (options != NULL) o = *options;
  if (o.transactions == 0) o.transactions = 32;
  if (o.commands == 0) o.commands = 32;
  if (o.hits == 0) o.hits = 4;
  ff_status status = ff_dram_part_check(part, err);
  if (status == FF_OK) status = check_options(&o, part, err);
  if (status != FF_OK) return status;
  ff_dram *c = ff_calloc(1, sizeof *c);
  if (c == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a DRAM channel");
  c->part = *part;
  c->options = o;
  c->ranks = o.ranks > 0 ? o.ranks : part->ranks;
  c->places = c->ranks * part->banks;
  status = make_queues(c, err);
  if (status != FF_OK) {
    ff_dram_free(c);
    return status;
  }
  set_up(c);
  *out = c;
  return FF_OK;
}

void ff_dram_free(ff_dram *c) {
  if (c == NULL) return;
  free(c->transactions.at);
  free(c->requests);
  free(c->finished);
  free(c);
}

/* ---- time and requests ---------------------------------------------------------------------------------------------- */

void ff_dram_advance(ff_dram *c, uint64_t to) {
  while (c->now < to) {
    uint64_t next = c->now + 1;
    if (c->wake <= c->now || c->options.every_cycle) c->wake = ff_dram_step(c);
    if (!c->options.every_cycle) next = c->wake < to ? c->wake : to;
    const uint64_t passed = next - c->now;
    c->counts.transaction_sum += passed * c->transactions.n;
    c->counts.command_sum += passed * c->in_queues;
    c->counts.active_cycles += passed * c->active_ranks;
    c->now = next;
  }
}

int ff_dram_push(ff_dram *c, const ff_dram_request *of) {
  if (of->rank >= c->ranks || of->bank >= c->part.banks || of->row >= c->part.rows || of->column >= c->part.columns) return -1;
  ring *q = &c->transactions;
  if (q->n == c->options.transactions || (!of->is_write && c->reads_out > c->finished_mask)) {
    c->counts.refused++;
    return 0;
  }
  const uint32_t place = of->bank * c->ranks + of->rank;
  *ring_at(q, q->n++) = (request){.tag = of->tag, .since = c->now, .pushed = c->now, .row = of->row, .column = of->column,
                                  .place = place, .is_write = of->is_write != 0, .needs_row = 1};
  c->counts.pushed++;
  c->reads_out += !of->is_write;
  if (c->banks[place].wanted++ == 0) c->wanted |= UINT64_C(1) << place;
  c->wake = c->now;
  return 1;
}

uint64_t ff_dram_now(const ff_dram *c) { return c->now; }

uint64_t ff_dram_next(const ff_dram *c) {
  uint64_t next = c->wake;
  if (c->n_finished > 0 && c->finished[c->finished_head & c->finished_mask].cycle < next)
    next = c->finished[c->finished_head & c->finished_mask].cycle;
  return next > c->now ? next : c->now;
}

int ff_dram_take(ff_dram *c, ff_dram_finished *out) {
  if (c->n_finished == 0 || c->finished[c->finished_head & c->finished_mask].cycle > c->now) return 0;
  *out = c->finished[c->finished_head++ & c->finished_mask];
  c->n_finished--;
  c->reads_out--;
  return 1;
}

uint64_t ff_dram_waiting(const ff_dram *c) { return c->transactions.n + c->in_queues; }

void ff_dram_count(const ff_dram *c, ff_dram_counts *out) {
  *out = c->counts;
  out->cycles = c->now;
  out->rank_cycles = c->now * c->ranks;
}
