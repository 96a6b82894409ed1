/* Rounds: blocks are prepared, and listed if they have to run; they run; strips are added up; and the outcome of the sweep is
 * reviewed. Each class prepares and runs its blocks; the first one does the rest. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_ROUND_H
#define FF_PETRI_SWEEP_ROUND_H

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_ALL_MEET() __syncthreads()
#define P_EACH_REVIEWER(i, n) for (uint32_t i = threadIdx.x; i < (n); i += FF_PETRI_REVIEW_THREADS)
#define P_IS_FIRST_REVIEWER (threadIdx.x == 0u)
#define P_ADD_OF_LANES(at, x) \
  do { \
    const uint32_t p_sum = p_sum_of_lanes(x); \
    if (P_IS_FIRST_LANE && p_sum != 0u) atomicAdd((at), p_sum); \
  } while (0)
#define P_RAISE_BY_LANES(at, x) \
  do { \
    const uint32_t p_most = p_most_of_lanes(x); \
    if (P_IS_FIRST_LANE) atomicMax((at), p_most); \
  } while (0)

/* The sum of all lanes of a warp. GPUs before 8.0 have no instruction for it. */
FF_WARP uint32_t p_sum_of_lanes(uint32_t x) {
  FF_UNROLL for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, by);
  return x;
}

/* The largest one, likewise. */
FF_WARP uint32_t p_most_of_lanes(uint32_t x) {
  FF_UNROLL for (int by = 16; by > 0; by /= 2) x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, by));
  return x;
}
#else
#define P_ALL_MEET()
#define P_EACH_REVIEWER(i, n) for (uint32_t i = 0u; i < (n); i++)
#define P_IS_FIRST_REVIEWER 1
#define P_ADD_OF_LANES(at, x) (*(at) += (x))
#define P_RAISE_BY_LANES(at, x) (*(at) = (x) > *(at) ? (x) : *(at))
#endif

FF_WARP ff_petri_strip *p_strips(const ff_petri_tissue *net, char *memory) { return P_IN(memory, ff_petri_strip, net->at_strip); }

/* ---- blocks are prepared ------------------------------------------------------------------------------------------------ */

/* Records levels at times of the window that ends. */
FF_WARP void p_show_block(p_thread *t, const ff_petri_slot *slot, uint32_t wave, uint32_t block) {
  const ff_launch *run = t->run;
  const ff_petri_tissue *net = t->net;
  const uint32_t *table = net->table + (uint64_t)block * P_MOST_PLACES;
  const ff_petri_told *told = p_told(net, t->memory, wave, block);
  const double *piece = p_pieces(net, t->memory, told->first);
  FF_NO_UNROLL for (uint32_t k = slot->at_time; k < run->n_times && run->times[k] < slot->pace.to; k++) {
    const double time = run->times[k];
    const double *p = piece + (uint64_t)p_piece_at(piece, told->n_pieces, 0u, time, 1) * P_PIECE;
    double y[P_ROOM(P_LEVELS)] = {0}, *to = FF_RECORD_REAL_OF(run, k, slot->unit);
    P_EACH(i, P_LEVELS) {
      const double x = ff_petri_piece_value(p, i, (time - p[0]) * p[1]);
      y[i] = x < 0 && x >= -P_DOUBT ? 0 : x;
    }
    FF_NO_UNROLL for (uint32_t i = 0u; i < P_LEVELS; i++)
      if (table[i] != P_NONE) to[(uint64_t)table[i] * run->units] = p_show(t, y, i) + 0.0;
  }
}

/* The same for places that no transition changes, which blocks share out. */
FF_WARP void p_show_fixed(const p_thread *t, const ff_petri_slot *slot, uint32_t block) {
  const ff_launch *run = t->run;
  const ff_petri_tissue *net = t->net;
  FF_NO_UNROLL for (uint32_t i = block; i < net->n_fixed; i += net->n_blocks) {
    const double value = P_IN(t->memory, double, net->at_fixed)[i];
    FF_NO_UNROLL for (uint32_t k = slot->at_time; k < run->n_times && run->times[k] < slot->pace.to; k++)
      FF_RECORD_REAL_OF(run, k, slot->unit)[(uint64_t)net->fixed[i] * run->units] = value;
  }
}

/* Records what falls into the window that ends, and prepares a block for the one that begins, if there are such windows. Returns
 * whether the block has to run in the next sweep. */
FF_WARP int p_prepare(p_thread *t, uint32_t block) {
  const ff_petri_tissue *net = t->net;
  const ff_petri_slot *slot = p_slot_of(net, t->memory);
  const p_window w = p_window_of(slot);
  const int leaves = slot->phase == FF_PETRI_SLOT_LEAVES, done = slot->phase == FF_PETRI_SLOT_IS_DONE;
  if (leaves || done) {
    const uint32_t wave = p_newer(net, t->memory, block, FF_PETRI_NO_SWEEP);
    if (slot->at_time < t->run->n_times && t->run->times[slot->at_time] < slot->pace.to) {
      if (P_LEVELS > 0u) p_show_block(t, slot, wave, block);
      p_show_fixed(t, slot, block);
    }
    if (leaves && P_LEVELS > 0u) p_end_wave(net, t->memory, block, wave, w.from, w.to - w.from);
  }
  if (w.begins) p_guess_wave(net, t->memory, block, w.from, w.to);
  return p_sweeps(slot) && net->colour[block] == w.colour && p_has_to_run(net, t->memory, &w, block);
}

/* ---- a sweep ------------------------------------------------------------------------------------------------------------ */

/* Whether there are too many sweeps, so that no block runs. */
FF_WARP int p_is_over_long(const ff_petri_slot *slot) {
  return slot->phase == FF_PETRI_SLOT_SWEEPS && slot->pace.turn == FF_PETRI_MOST_SWEEPS;
}

/* How many blocks of the class run. */
FF_WARP uint32_t p_runs(const ff_petri_slot *slot) { return p_is_over_long(slot) ? 0u : (uint32_t)slot->listed[P_CLASS]; }

/* How many blocks have to run, of all classes. */
FF_WARP uint64_t p_listed(const ff_petri_slot *slot) {
  uint64_t n = slot->listed[0];
  FF_UNROLL for (uint32_t c = 1u; c < P_CLASSES; c++) n += slot->listed[c];
  return n;
}

/* A thread runs block number i of the list, and then others that no thread has taken yet: those from number `free` on. */
FF_WARP void p_run_blocks(p_thread *t, ff_petri_slot *slot, uint32_t i, uint32_t free, double *stop) {
  const uint32_t *list = p_list(t->net, t->memory), n = p_runs(slot);
  const p_window w = p_window_of(slot);
  int idle = 0;
  t->unit = slot->unit;
  t->phase = i < n ? P_NEW : P_EMPTY;
  FF_NO_UNROLL while (P_GOES_ON(t->phase != P_EMPTY)) {
    const int ends = t->phase == P_ENDS || t->phase == P_REFUSES || t->phase == P_IS_FULL;
    const uint32_t n_runs = P_COUNT_LANES(!ends && t->phase != P_EMPTY && t->phase != P_NEW);
    if (p_is_due(P_COUNT_LANES(ends), P_WAIT_ENDS, n_runs == 0u) && ends) {
      p_close(*t, &w);
      t->phase = P_NEW;
      i = free < n ? free + (uint32_t)P_FETCH_ADD(&slot->taken[P_CLASS], 1u) : n;
    }
    if (t->phase == P_NEW) {
      t->phase = P_EMPTY;
      if (i < n) p_open(t, &w, list[i], stop);
    }
    idle = !p_go_on(t, idle);
  }
}

/* The share of a warp of so many. Lanes that do different things wait for each other. So while there are few blocks, few lanes of
 * each warp have one. */
FF_WARP void p_sweep(p_thread *t, uint32_t warp, uint32_t warps, double *stop) {
  ff_petri_slot *slot = p_slot_of(t->net, t->memory);
  const uint32_t share = (p_runs(slot) + warps - 1u) / warps, lanes = share < 32u ? share : 32u;
  FF_LANE_IN;
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  p_run_blocks(t, slot, lane < lanes ? lane * warps + warp : P_NONE, lanes * warps, stop);
#else
  p_run_blocks(t, slot, 0u, 1u, stop);
  (void)warp;
  (void)lanes;
#endif
}

/* ---- the sums of a strip ------------------------------------------------------------------------------------------------ */

/* Counts what every 32nd block of a strip has in the window, from number `lane` on. */
FF_WARP void p_count_blocks(const ff_petri_tissue *net, char *memory, const p_window *w, uint32_t strip, uint32_t lane,
                            ff_petri_strip *out) {
  FF_UNROLL for (uint32_t half = 0u; half < 2u; half++) {
    const uint32_t i = strip * FF_PETRI_STRIP + 32u * half + lane;
    if (i >= net->n_blocks) continue;
    const uint32_t block = net->order[i], wave = p_newer(net, memory, block, w->sweep);
    const ff_petri_fired fired = *p_fired(net, memory, wave, block);
    out->firings += fired.n;
    out->shown += fired.shown;
    out->pieces += p_told(net, memory, wave, block)->n_pieces;
    out->use = fired.use > out->use ? fired.use : out->use;
  }
}

/* No block of the net runs. */
FF_WARP void p_count_strip(const ff_petri_tissue *net, char *memory, const p_window *w, uint32_t strip, ff_petri_strip *out) {
  FF_LANE_IN;
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  p_count_blocks(net, memory, w, strip, lane, out);
  out->firings = p_sum_of_lanes(out->firings);
  out->shown = p_sum_of_lanes(out->shown);
  out->pieces = p_sum_of_lanes(out->pieces);
  out->use = p_most_of_lanes(out->use);
#else
  FF_EACH_LANE p_count_blocks(net, memory, w, strip, lane, out);
#endif
}

/* By how much the blocks of a strip have moved, and their neighbours before; 0 if they did not run, or if flows change
 * otherwise. */
typedef struct {
  double change[FF_PETRI_STRIP], before[FF_PETRI_STRIP];
} p_moves;

/* Reads what number i of a strip has found, and adds its pieces. Returns 1 if it ran; plus 2 if it has not come to the end with
 * finite levels; plus 4 if it is refused. */
FF_WARP uint32_t p_read_moves(const ff_petri_tissue *net, char *memory, const p_window *w, uint32_t strip, uint32_t i,
                              p_moves *moves, uint32_t *pieces) {
  const uint32_t place = strip * FF_PETRI_STRIP + i, block = place < net->n_blocks ? net->order[place] : P_NONE;
  uint32_t found = 0u;
  moves->change[i] = moves->before[i] = 0;
  if (block == P_NONE || net->colour[block] != w->colour) return found;
  const ff_petri_told told = *p_told(net, memory, p_newer(net, memory, block, w->sweep + 1u), block);
  const double moved = P_IN(memory, double, net->at_moved)[block];
  if (told.sweep != w->sweep) return found;
  *pieces += told.n_pieces;
  if (told.differs == 0u && moved > 0) {
    moves->change[i] = told.distance;
    moves->before[i] = moved;
  }
  return 1u + (told.distance < P_INFINITY ? 0u : 2u) + (told.refused != 0u ? 4u : 0u);
}

/* Adds up what the blocks that ran have found, in the order of the strip. */
FF_WARP void p_add_up_moves(const ff_petri_tissue *net, char *memory, const p_window *w, uint32_t strip, p_moves *moves,
                            ff_petri_strip *out) {
  uint32_t found = 0u;
  FF_LANE_IN;
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  found = p_read_moves(net, memory, w, strip, lane, moves, &out->pieces);
  found |= p_read_moves(net, memory, w, strip, lane + 32u, moves, &out->pieces);
  out->pieces = p_sum_of_lanes(out->pieces);
  FF_UNROLL for (int by = 16; by > 0; by /= 2) found |= __shfl_xor_sync(0xFFFFFFFFu, found, by);
  __syncwarp();
#else
  for (uint32_t i = 0u; i < FF_PETRI_STRIP; i++) found |= p_read_moves(net, memory, w, strip, i, moves, &out->pieces);
#endif
  out->fine = (found & 2u) == 0u;
  out->refused = found >> 2;
  if (!P_IS_FIRST_LANE || found == 0u) return;
  P_BY_EIGHT for (uint32_t i = 0u; i < FF_PETRI_STRIP; i++) {
    out->change += moves->change[i];
    out->before += moves->before[i];
  }
}

/* What reviewers need to know of a strip after a sweep. */
FF_WARP void p_sum_strip(const ff_petri_tissue *net, char *memory, uint32_t strip, p_moves *moves) {
  const ff_petri_slot *slot = p_slot_of(net, memory);
  const p_window w = p_window_of(slot);
  ff_petri_strip out = {0, 0, 1u, 0u, 0u, 0u, 0u, 0u};
  if (!p_sweeps(slot)) return;
  if (p_listed(slot) == 0u)
    p_count_strip(net, memory, &w, strip, &out);
  else if (!p_is_over_long(slot))
    p_add_up_moves(net, memory, &w, strip, moves, &out);
  if (P_IS_FIRST_LANE) p_strips(net, memory)[strip] = out;
}

/* ---- the review --------------------------------------------------------------------------------------------------------- */

FF_WARP void p_finish(const ff_launch *run, ff_petri_slot *slot, int refuses) {
  if (refuses)
    P_OR(run->refused + slot->unit / 32u, 1u << (slot->unit % 32u));
  else
    P_FETCH_ADD(&run->counters->steps, slot->firings);
  P_FETCH_ADD(&run->counters->complete, 1u);
  slot->phase = FF_PETRI_SLOT_IS_EMPTY;
}

/* The sweep was the first one of its window. */
FF_WARP void p_enter(const ff_launch *run, ff_petri_slot *slot) {
  const p_window w = p_window_of(slot);
  FF_NO_UNROLL while (slot->phase == FF_PETRI_SLOT_LEAVES && slot->at_time < run->n_times &&
                      run->times[slot->at_time] < slot->pace.to)
    slot->at_time++;
  slot->start = w.start;
  slot->phase = FF_PETRI_SLOT_SWEEPS;
  slot->idle = 0u;
  ff_petri_pace_begin(&slot->pace, w.from);
}

/* What follows, if this is the sum of all strips. */
FF_WARP void p_decide(const ff_launch *run, const ff_petri_tissue *net, ff_petri_slot *slot, const ff_petri_strip *sum) {
  ff_petri_outcome_of_sweep outcome = FF_PETRI_GOES_ON;
  if (slot->phase != FF_PETRI_SLOT_SWEEPS) p_enter(run, slot);
  ff_petri_pace *pace = &slot->pace;
  const ff_petri_swept swept = {(int)sum->fine, sum->change, sum->before, (double)sum->pieces / net->n_blocks};
  if (p_listed(slot) > 0u) {
    slot->idle = 0u;
    if (pace->turn == FF_PETRI_MOST_SWEEPS)
      outcome = ff_petri_pace_halve(pace);
    else
      outcome = ff_petri_pace_after_sweep(pace, swept);
  } else if (slot->idle++ == 0u) {
    pace->colour = 1u - pace->colour;
  } else {
    const int last = run->times[run->n_times - 1u] < pace->to;
    slot->firings += last ? sum->shown : sum->firings;
    slot->phase = last ? FF_PETRI_SLOT_IS_DONE : FF_PETRI_SLOT_LEAVES;
    ff_petri_pace_accept(pace, (double)sum->firings / net->n_blocks, (double)sum->pieces / net->n_blocks, sum->use);
  }
  if (outcome == FF_PETRI_GOES_BACK) slot->phase = FF_PETRI_SLOT_BEGINS;
  if (slot->phase != FF_PETRI_SLOT_SWEEPS) slot->spent = 0u;
  if (sum->refused != 0u || outcome == FF_PETRI_IS_SHORTEST) p_finish(run, slot, 1);
}

/* What reviewers share: changes of strips, and the sum of the rest; `fine` counts strips that are not. */
typedef struct {
  double change[FF_PETRI_REVIEW_THREADS], before[FF_PETRI_REVIEW_THREADS];
  ff_petri_strip sum;
} p_reviewed;

/* Threads copy strips, and the first one adds up their changes in their order, and decides. */
FF_WARP void p_review(const ff_launch *run, const ff_petri_tissue *net, char *memory, p_reviewed *all) {
  ff_petri_slot *slot = p_slot_of(net, memory);
  ff_petri_strip own = {0, 0, 0u, 0u, 0u, 0u, 0u, 0u}, *const sum = &all->sum;
  const uint32_t phase = slot->phase;
  if (P_IS_FIRST_REVIEWER) *sum = own;
  P_ALL_MEET();
  if (phase == FF_PETRI_SLOT_IS_EMPTY) return;
  const int ends = phase == FF_PETRI_SLOT_IS_DONE;
  FF_NO_UNROLL for (uint32_t from = 0u; from < net->n_strips && !ends; from += FF_PETRI_REVIEW_THREADS) {
    const uint32_t left = net->n_strips - from, n = left < FF_PETRI_REVIEW_THREADS ? left : FF_PETRI_REVIEW_THREADS;
    P_EACH_REVIEWER(i, n) {
      const ff_petri_strip strip = p_strips(net, memory)[from + i];
      all->change[i] = strip.change;
      all->before[i] = strip.before;
      own.fine += 1u - strip.fine;
      own.refused += strip.refused;
      own.firings += strip.firings;
      own.shown += strip.shown;
      own.pieces += strip.pieces;
      own.use = strip.use > own.use ? strip.use : own.use;
    }
    P_ALL_MEET();
    if (P_IS_FIRST_REVIEWER) {
      P_BY_EIGHT for (uint32_t i = 0u; i < n; i++) {
        own.change += all->change[i];
        own.before += all->before[i];
      }
    }
    P_ALL_MEET();
  }
  P_ADD_OF_LANES(&sum->fine, own.fine);
  P_ADD_OF_LANES(&sum->refused, own.refused);
  P_ADD_OF_LANES(&sum->firings, own.firings);
  P_ADD_OF_LANES(&sum->shown, own.shown);
  P_ADD_OF_LANES(&sum->pieces, own.pieces);
  P_RAISE_BY_LANES(&sum->use, own.use);
  P_ALL_MEET();
  if (!P_IS_FIRST_REVIEWER) return;
  sum->change = own.change;
  sum->before = own.before;
  sum->fine = sum->fine == 0u;
  if (ends)
    p_finish(run, slot, 0);
  else
    p_decide(run, net, slot, sum);
  P_EACH(c, P_CLASSES) slot->listed[c] = slot->taken[c] = 0u;
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

FF_WARP void p_begin_thread(p_thread *t, const ff_launch *run, const ff_petri_tissue *net, char *memory, double *real,
                            uint32_t *word, ff_petri_part *piece) {
  t->run = run;
  t->net = net;
  t->memory = memory;
  p_use_rows(t, real, word);
  t->piece = piece;
  t->phase = P_EMPTY;
}

/* Whether the generator knows how many rows there are. */
typedef char p_has_its_rows[P_REAL_ROWS == P_REALS_IN_ALL && P_WORD_ROWS == P_WORDS_IN_ALL &&
                                    P_STATE_REALS == P_STATE_REALS_IN_ALL && P_STATE_WORDS == P_STATE_WORDS_IN_ALL ? 1 : -1];

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(P_THREADS, P_BLOCKS)
    p_prepare_kernel(const __grid_constant__ ff_launch run, const __grid_constant__ ff_petri_tissue net) {
  char *const memory = net.memory + blockIdx.y * net.slot_bytes;
  const uint32_t i = blockIdx.x * P_THREADS + threadIdx.x, block = i < p_blocks(&net) ? p_block(&net, i) : P_NONE;
  p_thread thread;
  p_begin_thread(&thread, &run, &net, memory, 0, 0, 0);
  const int runs = block != P_NONE && p_prepare(&thread, block);
  const uint32_t who = __ballot_sync(0xFFFFFFFFu, runs), lane = threadIdx.x & 31u;
  uint32_t first = 0u;
  if (lane == 0u && who != 0u) first = (uint32_t)P_FETCH_ADD(&p_slot_of(&net, memory)->listed[P_CLASS], FF_POPCOUNT(who));
  first = __shfl_sync(0xFFFFFFFFu, first, 0);
  if (runs) p_list(&net, memory)[first + FF_POPCOUNT(who & (P_BIT(lane) - 1u))] = block;
}

extern "C" __global__ void __launch_bounds__(P_THREADS, P_BLOCKS)
    p_sweep_kernel(const __grid_constant__ ff_launch run, const __grid_constant__ ff_petri_tissue net) {
  double stop[FF_PETRI_ROOM_FOR_STOPS];
  ff_petri_part piece[P_ROOM(P_PIECES)];
  p_thread thread;
  p_begin_thread(&thread, &run, &net, net.memory + blockIdx.y * net.slot_bytes, 0, 0, piece);
  p_sweep(&thread, threadIdx.x / 32u * gridDim.x + blockIdx.x, gridDim.x * (P_THREADS / 32u), stop);
}

extern "C" __global__ void __launch_bounds__(FF_PETRI_REVIEW_THREADS)
    p_add_up_kernel(const __grid_constant__ ff_launch run, const __grid_constant__ ff_petri_tissue net) {
  const uint32_t strip = (blockIdx.x * FF_PETRI_REVIEW_THREADS + threadIdx.x) / 32u;
  __shared__ p_moves moves[FF_PETRI_REVIEW_THREADS / 32u];
  if (strip < net.n_strips) p_sum_strip(&net, net.memory + blockIdx.y * net.slot_bytes, strip, &moves[threadIdx.x / 32u]);
}

extern "C" __global__ void __launch_bounds__(FF_PETRI_REVIEW_THREADS)
    p_review_kernel(const __grid_constant__ ff_launch run, const __grid_constant__ ff_petri_tissue net) {
  __shared__ p_reviewed all;
  p_review(&run, &net, net.memory + blockIdx.x * net.slot_bytes, &all);
}
#else
/* A part of a round of a slot, for tests: the class prepares its blocks (0), or runs them (1); or the sweep is reviewed (2). */
void p_host(const ff_launch *run, const ff_petri_tissue *net, uint32_t slot, uint32_t part);
void p_host(const ff_launch *run, const ff_petri_tissue *net, uint32_t slot, uint32_t part) {
  double real[P_REAL_ROWS], stop[FF_PETRI_ROOM_FOR_STOPS];
  uint32_t word[P_WORD_ROWS];
  ff_petri_part piece[P_ROOM(P_PIECES)];
  p_moves moves;
  p_reviewed all;
  p_thread thread;
  for (uint32_t i = 0u; i < P_REAL_ROWS; i++) real[i] = ff_math_nan(); /* nothing may read what was not written */
  for (uint32_t i = 0u; i < P_WORD_ROWS; i++) word[i] = P_NONE;
  p_begin_thread(&thread, run, net, net->memory + slot * net->slot_bytes, real, word, piece);
  ff_petri_slot *of = p_slot_of(net, thread.memory);
  for (uint32_t i = 0u; i < p_blocks(net) && part == 0u; i++)
    if (p_prepare(&thread, p_block(net, i))) p_list(net, thread.memory)[of->listed[P_CLASS]++] = p_block(net, i);
  if (part == 1u) p_sweep(&thread, 0u, 1u, stop);
  for (uint32_t k = 0u; k < net->n_strips && part == 2u; k++) p_sum_strip(net, thread.memory, k, &moves);
  if (part == 2u) p_review(run, net, thread.memory, &all);
}
#endif

#endif
