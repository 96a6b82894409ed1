/* Trajectories of nets that are read as data: how they begin and end, what they record, and a launch. A part of
 * ff_petri_warp.h. */
#ifndef FF_PETRI_WARP_RUN_H
#define FF_PETRI_WARP_RUN_H

#define W_TURNS 8u /* between two looks at the clock */

/* ---- records ------------------------------------------------------------------------------------------------------------ */

/* Levels that may be 0 but for errors become 0, if they would not fall then: as round_to_zero() of petri/path/. The levels are in
 * W_ROW_AT. Returns 0 if a rate is not finite. */
FF_WARP int w_round_to_zero(w_warp *w, double time) {
  FF_LANE_IN;
  const double doubt = FF_PETRI_DOUBT * w->image->absolute;
  const w_point at = w_at_time(w, time, 0u);
  FF_LANE_VAR(uint32_t, doubtful);
  uint32_t who;
  FF_EACH_LANE {
    FF_L(doubtful) = 0u;
    for (uint32_t i = lane; i < w->image->n_levels; i += 32u) {
      const double y = W_LEVEL(w, W_ROW_AT, i);
      FF_L(doubtful) |= y < 0 && y >= -doubt;
    }
  }
  FF_BALLOT(who, FF_L(doubtful) != 0u);
  if (who == 0u) return 1;
  W_EACH(i, w->image->n_levels) W_LEVEL(w, W_ROW_AT, i) = ff_petri_mended(W_LEVEL(w, W_ROW_AT, i), doubt);
  FF_SYNCWARP();
  w_slopes(w, W_ROW_AT, time, W_ROW_END);
  W_EACH(i, w->image->n_levels)
    if (!(W_LEVEL(w, W_ROW_AT, i) == 0 && W_LEVEL(w, W_ROW_END, i) >= 0)) W_LEVEL(w, W_ROW_AT, i) = w_level(w, i, at);
  FF_SYNCWARP();
  return !w_has_failed(w);
}

/* Records the state at a time. Returns 0 if this is refused. */
FF_WARP int w_record(w_warp *w, double time) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  const ff_launch *run = w->run;
  const w_point at = w_at_time(w, time, 0u);
  double *const to = FF_RECORD_REAL_OF(run, w->s.number, w->s.unit);
  W_EACH(i, m->n_levels) W_LEVEL(w, W_ROW_AT, i) = w_level(w, i, at);
  FF_SYNCWARP();
  const int fine = w_round_to_zero(w, time);
  W_EACH(j, run->n_observed) {
    const uint32_t value = m->place[run->observed[j]];
    to[j * run->units] = (value < m->n_levels ? W_LEVEL(w, W_ROW_AT, value) : W_OTHER(w, value - m->n_levels)) + 0.0;
  }
  FF_SYNCWARP();
  return fine;
}

/* Records what the trajectory has reached: its state lasts until next_time. Returns whether it goes on. */
FF_WARP int w_serve(w_warp *w, double next_time) {
  const ff_launch *run = w->run;
  FF_NO_UNROLL while (w->wanted < next_time) {
    if (!w_record(w, w->wanted)) {
      w->s.phase = W_REFUSES;
      return 0;
    }
    w->s.number++;
    if (w->s.number == run->n_times) {
      w->s.phase = W_ENDS;
      return 0;
    }
    w->wanted = run->times[w->s.number];
  }
  return 1;
}

/* Lists a firing. */
FF_WARP void w_tell(const w_warp *w, uint32_t t) {
  FF_LANE_IN;
  const ff_fired fired = {w->s.unit, w->image->transition[t], w->s.now};
  FF_EACH_LANE if (lane == 0u) w->run->fired[FF_FETCH_ADD(&w->run->counters->fired, 1u)] = fired;
}

/* ---- the search, and a firing ------------------------------------------------------------------------------------------- */

/* A group has fired, or begins. */
FF_WARP void w_draw(const w_warp *w, uint32_t g) {
  const uint64_t number = w->run->first + w->s.unit;
  const ff_philox_block words = ff_philox(ff_philox_counter(FF_PETRI_DRAW_FIRING, g, W_FIRED(w, g), number), w->run->key);
  W_GROUP(w, W_LEFT, g) = ff_exponential(words.v[0], words.v[1]);
  W_GROUP(w, W_CHOICE, g) = ff_closed(words.v[2], words.v[3]);
  W_GROUP(w, W_SINCE, g) = w->s.now;
}

/* A transition of group g fires at a time. */
FF_WARP void w_fire(w_warp *w, uint32_t g, double time) {
  FF_LANE_IN;
  w_kept *const s = &w->s;
  const uint32_t t = w_choose(w, g, time);
  if (!w_serve(w, time)) return;
  s->now = time;
  s->firings++;
  FF_EACH_LANE if (lane == 0u) {
    W_FIRED(w, g)++;
    w_draw(w, g);
    W_BITS(w, g) |= W_DIRTY;
  }
  FF_SYNCWARP();
  if (w->run->fired != NULL) w_tell(w, t);
  const int fine = w_change(w, t);
  s->low = g;
  s->high = g + 1u;
  if (!fine || s->firings == W_MOST_FIRINGS)
    s->phase = W_REFUSES;
  else
    s->phase = (s->is & W_STIRRED) != 0u || !(s->now < s->to) ? W_BEGINS : W_SEARCHES;
}

/* Searches the segment for the next firing, which then happens. If there is none, the segment ends. */
FF_WARP void w_search(w_warp *w) {
  double time;
  if (!w_search_groups(w, w->s.low, w->s.high)) {
    w->s.phase = W_REFUSES;
    return;
  }
  const uint32_t g = w_first_group(w, &time);
  if (g != W_NONE && time <= w->s.to) {
    w_fire(w, g, time);
  } else if (w_serve(w, w->s.to)) {
    w->s.now = w->s.to;
    w->s.phase = W_BEGINS;
  }
}

/* ---- trajectories ------------------------------------------------------------------------------------------------------- */

/* The marking at the start of place number f of the net. */
FF_WARP double w_start_of(const w_warp *w, uint32_t f) {
  const ff_launch *run = w->run;
  return ff_petri_reset_to(run->starts_real != NULL ? FF_START_REAL_OF(run, w->image->n_places, w->s.unit, f)
                                                    : w->image->initial[f]);
}

/* Sets all that a trajectory has at the start. Returns 0 if a hazard is not valid. */
FF_WARP int w_set(w_warp *w) {
  FF_LANE_IN;
  const ff_petri_image *m = w->image;
  FF_LANE_VAR(uint32_t, bad);
  uint32_t who;
  W_EACH(f, m->n_places) {
    const uint32_t value = m->place[f];
    if (value < m->n_levels)
      W_LEVEL(w, W_ROW_Y, value) = w_start_of(w, f);
    else
      W_OTHER(w, value - m->n_levels) = w_start_of(w, f);
  }
  FF_SYNCWARP();
  W_EACH(k, m->n_derived)
    W_OTHER(w, m->n_places - m->n_levels + k) = w_value(w, &m->derived[k], w_at_row(W_ROW_Y, 0, 0u));
  FF_SYNCWARP();
  FF_EACH_LANE {
    FF_L(bad) = 0u;
    for (uint32_t t = lane; t < m->n_transitions; t += 32u) FF_L(bad) |= (uint32_t)!w_set_coefficient(w, t);
  }
  FF_SYNCWARP();
  FF_EACH_LANE {
    for (uint32_t c = lane; c < m->n_cells; c += 32u) FF_L(bad) |= (uint32_t)!w_sum(w, c);
    for (uint32_t k = lane; k < m->n_profiles; k += 32u) W_INTEGRATED(w, k) = 0u;
    for (uint32_t g = lane; g < m->n_groups; g += 32u) {
      W_FIRED(w, g) = 0u;
      W_BITS(w, g) = W_DIRTY;
      W_GROUP(w, W_RATE, g) = 0;
      W_GROUP(w, W_CANDIDATE, g) = W_INFINITY;
      w_draw(w, g);
    }
  }
  FF_SYNCWARP();
  FF_BALLOT(who, FF_L(bad) != 0u);
  return who == 0u;
}

/* Begins the next trajectory of the wave. If there is none, the slot is idle. */
FF_WARP void w_take(w_warp *w) {
  FF_LANE_IN;
  const w_kept none = {0, 0, 0, 0, 0, 0, 0, 0, W_BEGINS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  FF_LANE_VAR(uint32_t, number);
  w->s = none;
  FF_EACH_LANE {
    FF_L(number) = w->FF_L(bad) = 0u;
    if (lane == 0u) {
      const uint64_t k = FF_FETCH_ADD(&w->run->counters->begun, 1u);
      FF_L(number) = k < w->run->units ? (uint32_t)k : W_NONE;
    }
  }
  FF_FIRST_LANE(w->s.unit, number);
  if (w->s.unit == W_NONE) {
    w->s.phase = W_IDLE;
    return;
  }
  w->s.reach = W_INFINITY;
  w->s.is = W_OWN | W_FLAT | W_STIRRED | W_FRESH; /* flat: nothing is left of a segment before */
  w->wanted = w->run->times[0];
  if (!w_set(w)) w->s.phase = W_REFUSES;
}

/* The trajectory has ended, or is refused. */
FF_WARP void w_leave(w_warp *w) {
  FF_LANE_IN;
  const ff_launch *run = w->run;
  FF_EACH_LANE if (lane == 0u) {
    if (w->s.phase == W_REFUSES)
      FF_ATOMIC_OR(run->refused + w->s.unit / 32u, 1u << (w->s.unit % 32u));
    else
      (void)FF_FETCH_ADD(&run->counters->steps, w->s.firings);
    (void)FF_FETCH_ADD(&run->counters->complete, 1u);
  }
  w->s.phase = W_EMPTY;
}

/* ---- launches ----------------------------------------------------------------------------------------------------------- */

FF_WARP void w_turn(w_warp *w) {
  if (w->s.phase == W_ENDS || w->s.phase == W_REFUSES) w_leave(w);
  if (w->s.phase == W_EMPTY)
    w_take(w);
  else if (w->s.phase == W_BEGINS)
    w_begin(w);
  else if (w->s.phase == W_STEPS)
    w_step(w);
  else
    w_search(w);
}

FF_WARP void w_copy(uint32_t *to, const uint32_t *from, uint64_t n) {
  FF_LANE_IN;
  FF_EACH_LANE for (uint64_t i = lane; i < n; i += 32u) to[i] = from[i];
}

/* Runs a launch for a slot. A trajectory is in `work` during the launch, which has w_state_bytes(); or where the slot is kept, if
 * this is NULL. */
FF_WARP void w_run(const ff_petri_image *image, const ff_launch *run, char *work, uint32_t slot) {
  FF_LANE_IN;
  char *const kept = (char *)run->state + slot * w_slot_bytes(image), *const state = kept + W_HEAD;
  const uint64_t words = w_state_bytes(image) / 4u;
  uint64_t began, now = 0u;
  uint32_t left = run->steps, late = 0u;
  w_warp warp, *const w = &warp;
  w->image = image;
  w->run = run;
  w->real = (double *)(void *)(work != NULL ? work : state);
  w->word = (uint32_t *)(void *)(w->real + W_REALS(image));
  w->piece = (ff_petri_part *)(void *)(state + 4u * words);
  w->stiff = (double *)(void *)(w->piece + FF_PETRI_IMAGE_PIECES);
  w->room = (char *)w->stiff + w_stiff_bytes(image);
  w->s = *(const w_kept *)(const void *)kept;
  if (FF_SLOT_IS_FRESH(run, slot)) w->s.phase = W_EMPTY;
  if (w->s.phase == W_IDLE) return;
  FF_EACH_LANE w->FF_L(bad) = 0u;
  w->wanted = w->s.phase != W_EMPTY && w->s.number < run->n_times ? run->times[w->s.number] : 0;
  if (work != NULL && w->s.phase != W_EMPTY) w_copy((uint32_t *)(void *)work, (const uint32_t *)(const void *)state, words);
  FF_SYNCWARP();
  FF_NANOSECONDS(began);
  FF_NO_UNROLL for (; left > 0u && w->s.phase != W_IDLE && late == 0u; left--) {
    w_turn(w);
    if (left % W_TURNS == 0u) {
      FF_NANOSECONDS(now);
      FF_BALLOT(late, now - began > run->nanoseconds);
    }
  }
  FF_SYNCWARP();
  if (work != NULL) w_copy((uint32_t *)(void *)state, (const uint32_t *)(const void *)work, words);
  FF_EACH_LANE if (lane == 0u) *(w_kept *)(void *)kept = w->s;
}

#endif
