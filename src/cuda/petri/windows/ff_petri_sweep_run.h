/* A block in a window: its state before and after, and whether it has to run. A part of ff_petri_sweep.h. */
#ifndef FF_PETRI_SWEEP_RUN_H
#define FF_PETRI_SWEEP_RUN_H

/* ---- states ------------------------------------------------------------------------------------------------------------- */

/* Of a state: levels, sums, groups, places and lengths of steps; and counts, firings of groups, and four other words. */
#define P_STATE_REALS (P_LEVELS + (P_AT_LENGTHS + 4u - P_AT_SUM))
#define P_STATE_WORDS (P_AT_PIECES + 4u)

/* Rows have an element for each block, whatever its class. */
FF_WARP double *p_state_reals(const p_thread *t, uint32_t which) {
  return P_IN(t->memory, double, t->net->at_real) + (uint64_t)which * P_STATE_REALS * t->net->n_blocks + t->block;
}

FF_WARP uint32_t *p_state_words(const p_thread *t, uint32_t which) {
  return P_IN(t->memory, uint32_t, t->net->at_word) + (uint64_t)which * P_STATE_WORDS * t->net->n_blocks + t->block;
}

/* All of a state is read before the first row is written, so that the thread waits for the memory once. */
FF_WARP void p_load(p_thread *t, uint32_t which) {
  const double *real = p_state_reals(t, which);
  const uint32_t *word = p_state_words(t, which);
  const uint64_t n = t->net->n_blocks;
  double x[P_STATE_REALS];
  uint32_t w[P_STATE_WORDS];
  P_EACH(i, P_STATE_REALS) x[i] = real[n * i];
  P_EACH(i, P_STATE_WORDS) w[i] = word[n * i];
  P_EACH(i, P_LEVELS) P_Y(i) = x[i];
  P_EACH(i, P_STATE_REALS - P_LEVELS) P_REAL(P_AT_SUM + i) = x[P_LEVELS + i];
  P_EACH(i, P_AT_PIECES) P_WORD(i) = w[i];
  P_STIFF = w[P_AT_PIECES];
  P_CALM = w[P_AT_PIECES + 1u];
  P_FIRINGS = w[P_AT_PIECES + 2u];
  t->dirty = w[P_AT_PIECES + 3u];
  t->cells = 0u;
  P_EACH(c, P_CELLS) P_SET_SUM(c, P_SUM(c));
}

FF_WARP void p_save(const p_thread *t, uint32_t which) {
  double *real = p_state_reals(t, which);
  uint32_t *word = p_state_words(t, which);
  const uint64_t n = t->net->n_blocks;
  P_EACH(i, P_LEVELS) real[n * i] = P_Y(i);
  real += n * P_LEVELS;
  FF_NO_UNROLL for (uint32_t i = P_AT_SUM; i < P_AT_LENGTHS + 4u; i++) real[n * (i - P_AT_SUM)] = P_REAL(i);
  FF_NO_UNROLL for (uint32_t i = 0u; i < P_AT_PIECES; i++) word[n * i] = P_WORD(i);
  word += n * P_AT_PIECES;
  word[0] = P_STIFF;
  word[n] = P_CALM;
  word[n * 2u] = P_FIRINGS;
  word[n * 3u] = t->dirty;
}

/* ---- what a trajectory needs of a thread -------------------------------------------------------------------------------- */

/* The group has fired. */
FF_WARP void p_draw(p_thread *t, uint32_t g) {
  const uint32_t group = t->net->group[(uint64_t)t->block * P_MOST_GROUPS + g];
  const ff_philox_block at = ff_philox_counter(FF_PETRI_DRAW_FIRING, group, P_FIRED(g), t->run->first + t->unit);
  const ff_philox_block w = ff_philox(at, t->run->key);
  P_LEFT(g) = ff_exponential(w.v[0], w.v[1]);
  P_CHOICE(g) = ff_closed(w.v[2], w.v[3]);
  P_SINCE(g) = t->now;
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

/* The window of a slot, as all threads of a round see it. */
typedef struct {
  double from, to, settled;
  uint32_t sweep, colour, start;
  uint32_t at_time; /* no time before this one is recorded in the window */
  int begins;       /* whether blocks have not run in it */
} p_window;

FF_WARP p_window p_window_of(const ff_petri_slot *slot) {
  const ff_petri_pace *pace = &slot->pace;
  p_window w;
  w.begins = slot->phase == FF_PETRI_SLOT_BEGINS || slot->phase == FF_PETRI_SLOT_LEAVES;
  w.from = slot->phase == FF_PETRI_SLOT_LEAVES ? pace->to : pace->from;
  w.to = w.begins ? w.from + pace->length : pace->to;
  w.settled = w.begins ? 0 : pace->settled;
  w.sweep = w.begins ? 1u : pace->turn + 1u;
  w.colour = w.begins ? 0u : pace->colour;
  w.at_time = slot->at_time;
  w.start = slot->phase == FF_PETRI_SLOT_LEAVES ? 1u - slot->start : slot->start;
  return w;
}

/* Whether there is a sweep in this round. */
FF_WARP int p_sweeps(const ff_petri_slot *slot) {
  return slot->phase == FF_PETRI_SLOT_BEGINS || slot->phase == FF_PETRI_SLOT_LEAVES || slot->phase == FF_PETRI_SLOT_SWEEPS;
}

/* As has_to_run() of petri/windows/ff_petri_windows.c. */
FF_WARP int p_has_to_run(const ff_petri_tissue *net, char *memory, const p_window *w, uint32_t block) {
  const uint32_t turn = w->begins ? 0u : p_news_of(net, memory, block, w->sweep).sweep, end = net->near_first[block + 1u];
  double moved = 0;
  int differs = turn == 0u; /* then neighbours, which may not be prepared yet, are not read */
  FF_NO_UNROLL for (uint32_t j = net->near_first[block]; j < end && !differs; j += P_SIDE) {
    p_news news[P_SIDE];
    p_news_of_all(net, memory, net->near + j, end - j, w->sweep, news);
    P_EACH(q, P_SIDE) {
      if (j + q >= end || news[q].sweep < turn) continue;
      differs |= news[q].differs != 0u;
      if (news[q].distance > moved) moved = news[q].distance;
    }
  }
  P_IN(memory, double, net->at_moved)[block] = differs ? ff_math_nan() : moved;
  return differs || moved > w->settled;
}

/* Begins a block at the start of the window: as ff_petri_path_resume(). `stop` has room for FF_PETRI_ROOM_FOR_STOPS times. */
FF_WARP void p_open(p_thread *t, const p_window *w, uint32_t block, double *stop) {
  t->block = block;
  t->sweep = w->sweep;
  t->writes = 1u - p_newer(t->net, t->memory, block, w->sweep);
  t->n_pieces = t->n_kinks = 0u;
  t->first = p_told(t->net, t->memory, t->writes, block)->first;
  t->room = p_told(t->net, t->memory, t->writes, block)->room;
  p_have_no_firings(t->net, t->memory, t->writes, block);
  p_want(t, w->at_time);
  FF_NO_UNROLL while (P_WANTED < w->from) p_want(t, P_NUMBER + 1u);
  p_load(t, w->start);
  t->now = t->from = t->to = w->from;
  t->is = P_OWN | P_FLAT | P_STIRRED | P_FRESH;
  t->varies = t->pending = t->integrated = t->several = 0u;
  t->phase = P_BEGINS;
  if (!p_meet_near(t, stop, w->from, w->to)) t->phase = P_IS_FULL;
}

/* Leaves a block at the end of the window: as ff_petri_path_leave(), and end() of petri/windows/ff_petri_block.c. */
P_APART void p_close(p_thread own, const p_window *w) {
  p_thread *const t = &own;
  ff_petri_told *told = p_told(t->net, t->memory, t->writes, t->block);
  ff_petri_fired *fired = p_fired(t->net, t->memory, t->writes, t->block);
  const int fine = t->phase == P_ENDS;
  if (fine) {
    t->now = t->end;
    p_own_levels(t);
    if ((t->is & P_FLAT) == 0u && t->now == t->to) P_REACH = ff_petri_longer_reach(P_REACH, p_length(t));
    p_leave_segment(t);
    p_save(t, 1u - w->start);
  }
  told->refused = t->phase == P_REFUSES;
  told->n_pieces = t->n_pieces;
  told->n_kinks = t->n_kinks;
  told->first = t->first;
  told->room = t->room;
  fired->use = ff_petri_use_of_room(t->n_pieces, t->n_stops, fired->times);
  told->differs = (uint8_t)(!fine || !p_are_alike(t->net, t->memory, t->block));
  told->distance = fine ? p_distance(t->net, t->memory, t->block, w->from, w->to) : ff_math_nan();
  told->sweep = t->sweep;
}

#endif
