/* A block's pool of trajectories, of which there are more than threads. Each trajectory waits in the queue of its phase. In a
 * round, each warp takes as many from a queue as it has lanes, lets them go through the phase, and puts them back. So nearly all
 * lanes of a warp take part in what it does, and most warps of a block need the same part of the code. For code that is too long
 * for the cache of instructions; ff_petri_thread_launch.h is for short code. A part of ff_petri_thread.h. */
#ifndef FF_PETRI_THREAD_POOL_H
#define FF_PETRI_THREAD_POOL_H

/* Queues, in the order in which they are served. Trajectories that begin a segment, try a step, or search are in the last one. */
enum { P_RARE, P_LOOKING, P_BOUNDING, P_FIRING, P_GOING, P_QUEUES, P_NO_QUEUE };

typedef struct p_pool {
  uint32_t live;          /* trajectories that are not empty slots */
  uint32_t stops;         /* whether the launch ends */
  uint32_t end[P_QUEUES]; /* how many have been put into each queue so far */
  unsigned short entry[P_QUEUES * P_SLOTS]; /* entry number i of queue q is at q * P_SLOTS + i % P_SLOTS */
} p_pool;

#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
#define P_POOL_AT ((p_pool *)((uint32_t *)(p_rows + P_REAL_ROWS * P_SLOTS) + P_WORD_ROWS * P_SLOTS))
#define P_THREAD threadIdx.x
#define P_LANES 32u
#define P_BLOCK_MEETS() __syncthreads()
#define P_SAME(x) __match_any_sync(0xFFFFFFFFu, (x))
#define P_BEFORE(who) FF_POPCOUNT((who) & (P_BIT(threadIdx.x & 31u) - 1u))
#define P_OF_FIRST(who, x) __shfl_sync(0xFFFFFFFFu, (x), (int)FF_LOWEST(who))
#define P_ADD(at, n) atomicAdd((at), (n))
#else
#define P_POOL_AT (t->pool)
#define P_THREAD (t->thread)
#define P_LANES 1u
#ifndef P_BLOCK_MEETS /* tests may let several threads share a pool */
#define P_BLOCK_MEETS()
#endif
#define P_SAME(x) 1u
#define P_BEFORE(who) 0u
#define P_OF_FIRST(who, x) (x)
#define P_ADD(at, n) __atomic_fetch_add((at), (n), __ATOMIC_RELAXED)
#endif

#define P_AS_QUEUE(phase, queue) ((uint64_t)(queue) << 4u * (phase))

/* The queue of a phase: four bits for each. An empty slot is in none. */
FF_WARP uint32_t p_queue_of(uint32_t phase) {
  const uint64_t of = P_AS_QUEUE(P_EMPTY, P_QUEUES) | P_AS_QUEUE(P_BEGINS, P_GOING) | P_AS_QUEUE(P_STEPS, P_GOING) |
                      P_AS_QUEUE(P_LOOKS, P_LOOKING) | P_AS_QUEUE(P_SEARCHES, P_GOING) | P_AS_QUEUE(P_BOUNDS, P_BOUNDING) |
                      P_AS_QUEUE(P_FIRES, P_FIRING) | P_AS_QUEUE(P_ENDS, P_RARE) | P_AS_QUEUE(P_REFUSES, P_RARE) |
                      P_AS_QUEUE(P_NEW, P_RARE) | P_AS_QUEUE(P_STIFF_STEPS, P_RARE);
  return (uint32_t)(of >> 4u * phase) & 15u;
}

/* What is in registers while a thread has the trajectory. */
FF_WARP void p_put(p_thread *t) {
  P_REAL(P_AT_TIMES) = t->now;
  P_REAL(P_AT_TIMES + 1u) = t->from;
  P_REAL(P_AT_TIMES + 2u) = t->to;
  P_PHASE = t->phase;
  P_WORD(P_AT_REST + 1u) = t->is;
  P_WORD(P_AT_REST + 2u) = t->varies;
  P_WORD(P_AT_REST + 3u) = t->dirty;
  P_WORD(P_AT_REST + 4u) = t->pending;
  P_WORD(P_AT_REST + 5u) = t->integrated;
  P_WORD(P_AT_REST + 6u) = t->several;
  P_WORD(P_AT_REST + 7u) = t->cells;
}

FF_WARP void p_get(p_thread *t) {
  t->now = P_REAL(P_AT_TIMES);
  t->from = P_REAL(P_AT_TIMES + 1u);
  t->to = P_REAL(P_AT_TIMES + 2u);
  t->phase = P_PHASE;
  t->is = P_WORD(P_AT_REST + 1u);
  t->varies = P_WORD(P_AT_REST + 2u);
  t->dirty = P_WORD(P_AT_REST + 3u);
  t->pending = P_WORD(P_AT_REST + 4u);
  t->integrated = P_WORD(P_AT_REST + 5u);
  t->several = P_WORD(P_AT_REST + 6u);
  t->cells = P_WORD(P_AT_REST + 7u);
}

/* A trajectory goes through its phase. */
FF_WARP void p_go_through(p_thread *t, uint32_t queue) {
  if (queue == P_FIRING) p_fire(t);
  if (queue == P_GOING) {
    if (t->phase == P_BEGINS) p_begin(t);
    if (t->phase == P_STEPS) p_step(t);
  }
  if (t->phase == P_SEARCHES && (queue == P_FIRING || queue == P_GOING)) p_search(t);
#if P_NARROW > 0u
  if (queue == P_LOOKING) *t = p_look(*t);
#endif
#if P_PIECES > 0u
  if (queue == P_BOUNDING) *t = p_bounds(*t);
#endif
  if (queue == P_RARE) p_do_rarely(t);
}

/* Puts the slots of a warp into their queues, and counts those that are empty. All lanes call this; `to` may be P_NO_QUEUE. */
FF_WARP void p_queue(p_pool *pool, uint32_t slot, uint32_t to) {
  const uint32_t same = P_SAME(to), before = P_BEFORE(same);
  uint32_t end = 0u;
  if (before == 0u && to < P_QUEUES) end = P_ADD(&pool->end[to], FF_POPCOUNT(same));
  if (before == 0u && to == P_QUEUES) P_ADD(&pool->live, 0u - FF_POPCOUNT(same));
  end = P_OF_FIRST(same, end);
  if (to < P_QUEUES) pool->entry[to * P_SLOTS + (end + before) % P_SLOTS] = (unsigned short)slot;
}

/* What a warp does in a round: n trajectories of a queue, from entry `first` on. */
typedef struct {
  uint32_t queue, first, n;
} p_share;

/* Shares out a round among the warps of a block: whole warps; or if there are none, a part of a warp for each queue. All threads
 * compute the same, but for what is theirs. */
FF_WARP p_share p_share_out(const p_thread *t, const uint32_t *waiting, uint32_t *taken) {
  const uint32_t warps = P_THREADS / P_LANES, own = P_THREAD / P_LANES;
  p_share mine = {0u, 0u, 0u};
  uint32_t busy = 0u;
  (void)t;
  P_EACH(q, P_QUEUES) {
    const uint32_t most = waiting[q] / P_LANES, n = most < warps - busy ? most : warps - busy, at = own - busy;
    if (at < n) {
      mine.queue = q;
      mine.first = taken[q] + at * P_LANES;
      mine.n = P_LANES;
    }
    taken[q] += n * P_LANES;
    busy += n;
  }
  if (busy > 0u) return mine;
  P_EACH(q, P_QUEUES) {
    if (waiting[q] == 0u || busy == warps) continue;
    if (own == busy) {
      mine.queue = q;
      mine.first = taken[q];
      mine.n = waiting[q];
    }
    taken[q] += waiting[q];
    busy++;
  }
  return mine;
}

/* Rounds, until all trajectories are complete or the launch ends. All threads know how many were taken from each queue. */
FF_WARP void p_work(p_thread *t, uint64_t began, ff_petri_part *piece) {
  p_pool *const pool = P_POOL_AT;
  uint32_t taken[P_QUEUES] = {0u}, waiting[P_QUEUES], turn = 0u;
  uint64_t now;
  const uint64_t may_fire = (uint64_t)t->run->steps * P_SLOTS;
  for (;;) {
    P_BLOCK_MEETS();
    P_EACH(q, P_QUEUES) waiting[q] = pool->end[q] - taken[q];
    if (pool->live == 0u || pool->stops != 0u || taken[P_FIRING] + (uint64_t)P_THREADS > may_fire) return;
    const p_share mine = p_share_out(t, waiting, taken);
    const uint32_t lane = P_THREAD % P_LANES;
    uint32_t to = P_NO_QUEUE;
    /* Before the others go on: if all trajectories wait in one queue, the next one that is put there takes this entry. */
    if (lane < mine.n) t->at = pool->entry[mine.queue * P_SLOTS + (mine.first + lane) % P_SLOTS];
    P_BLOCK_MEETS();
    if (mine.n > 0u) {
      if (lane < mine.n) {
        t->piece = piece + (uint64_t)P_PIECES * t->at;
        p_get(t);
        p_use_point(t);
        p_go_through(t, mine.queue);
        p_put(t);
        to = p_queue_of(t->phase);
      }
      p_queue(pool, t->at, to);
    }
    if (P_THREAD == 0u && turn++ % 8u == 0u) {
      P_CLOCK(now);
      if (now - began > t->run->nanoseconds) pool->stops = 1u;
    }
  }
}

/* ---- a launch ----------------------------------------------------------------------------------------------------------- */

#define P_EACH_SLOT(t) FF_NO_UNROLL for ((t)->at = P_THREAD; (t)->at < P_SLOTS; (t)->at += P_THREADS)

/* Copies what slots keep between launches. Word i of a slot is state[i * slots + slot]; `state` is that of the block's first. */
FF_WARP void p_copy(p_thread *t, uint32_t *state, uint32_t slots, int saves) {
  FF_NO_UNROLL for (uint32_t i = 0u; i < P_REAL_ROWS; i++, state += 2u * (uint64_t)slots)
    P_EACH_SLOT(t) {
      uint32_t *const low = state + t->at, *const high = low + slots;
      const uint64_t bits = saves ? ff_math_bits(P_REAL(i)) : (uint64_t)*high << 32 | *low;
      if (saves) {
        *low = (uint32_t)bits;
        *high = (uint32_t)(bits >> 32);
      } else {
        P_REAL(i) = ff_math_from_bits(bits);
      }
    }
  FF_NO_UNROLL for (uint32_t i = 0u; i < P_WORD_ROWS; i++, state += slots)
    P_EACH_SLOT(t) {
      if (saves)
        state[t->at] = P_WORD(i);
      else
        P_WORD(i) = state[t->at];
    }
}

/* Runs a launch for a block, whose first slot is `slot`. If it is fresh, it has no trajectories yet. */
FF_WARP void p_run(p_thread *t, uint32_t slot, int fresh) {
  const ff_launch *run = t->run;
  p_pool *const pool = P_POOL_AT;
  uint64_t began;
  P_CLOCK(began);
  if (fresh)
    P_EACH_SLOT(t) P_PHASE = P_NEW;
  else
    p_copy(t, run->state + slot, run->slots, 0);
  if (P_THREAD == 0u) {
    pool->live = pool->stops = 0u;
    P_EACH(q, P_QUEUES) pool->end[q] = 0u;
  }
  P_BLOCK_MEETS();
  if (P_THREAD == 0u)
    FF_NO_UNROLL for (t->at = 0u; t->at < P_SLOTS; t->at++) {
      const uint32_t to = p_queue_of(P_PHASE);
      if (to == P_QUEUES) continue;
      pool->entry[to * P_SLOTS + pool->end[to]++] = (unsigned short)t->at;
      pool->live++;
    }
  p_work(t, began, (ff_petri_part *)(run->state + (uint64_t)P_SLOT_WORDS * run->slots) + (uint64_t)P_PIECES * slot);
  p_copy(t, run->state + slot, run->slots, 1);
}

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
extern "C" __global__ void __launch_bounds__(P_THREADS, P_BLOCKS)
    p_kernel(const __grid_constant__ ff_launch run, const double *initial, const uint32_t *table) {
  p_thread thread;
  const uint32_t slot = FF_SLOT_OF(&run, blockIdx.x * P_SLOTS);
  thread.run = &run;
  thread.initial = initial;
  thread.table = table;
  p_run(&thread, slot, slot >= run.begun);
}
#else
void p_host(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot);
void p_host(const ff_launch *run, const double *initial, const uint32_t *table, uint32_t slot) {
  double real[P_REAL_ROWS * P_SLOTS];
  uint32_t word[P_WORD_ROWS * P_SLOTS];
  p_pool pool;
  p_thread thread;
  thread.run = run;
  thread.initial = initial;
  thread.table = table;
  thread.real = real;
  thread.word = word;
  thread.pool = &pool;
  thread.thread = 0u;
  p_run(&thread, slot, slot >= run->begun);
}
#endif

#endif
