#include "ff_exact_pieces.h"

#include <math.h>
#include <string.h>

ff_exact_turn ff_exact_turn_of(double seconds) {
  int64_t grain = seconds > 0 ? 1 << 16 : 1 << 8;
  return (ff_exact_turn){.until = ff_clock() + seconds, .left = grain, .grain = grain};
}

int ff_exact_turn_renew(ff_exact_turn *turn) {
  if (turn->over || ff_clock() >= turn->until) {
    turn->over = 1;
    return 0;
  }
  turn->left = turn->grain;
  return 1;
}

int ff_exact_dot(double *out, const double *a, const double *b, uint32_t n, ff_exact_place *place, ff_exact_turn *turn) {
  uint32_t lo, hi;
  double sum[4] = {0, 0, 0, 0};
  if (place->at) memcpy(sum, place->sum, sizeof sum);
  while (ff_exact_take(turn, place, n, &lo, &hi)) {
    uint32_t i = lo;
    for (; i + 4 <= hi; i += 4)
      for (uint32_t k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < hi; i++) sum[0] += a[i] * b[i];
  }
  memcpy(place->sum, sum, sizeof sum);
  *out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return ff_exact_through(place, n, place->stage);
}

int ff_exact_norm1(double *out, const double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn) {
  uint32_t lo, hi;
  double sum = place->at ? place->sum[0] : 0, lost = place->at ? place->sum[1] : 0;
  while (ff_exact_take(turn, place, n, &lo, &hi)) {
    for (uint32_t i = lo; i < hi; i++) {
      double y = fabs(x[i]) - lost, t = sum + y;
      lost = (t - sum) - y;
      sum = t;
    }
  }
  place->sum[0] = *out = sum;
  place->sum[1] = lost;
  return ff_exact_through(place, n, place->stage);
}

int ff_exact_scale_to_one(double *x, uint32_t n, ff_exact_place *place, ff_exact_turn *turn) {
  enum { CLIP, SUM, DIVIDE };
  uint32_t lo, hi;
  double sum;
  for (;;) switch (place->stage) {
      case CLIP:
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++)
            if (!(x[i] > 0)) x[i] = 0;
        if (!ff_exact_through(place, n, SUM)) return 0;
        break;
      case SUM:
        if (!ff_exact_norm1(&sum, x, n, place, turn)) return 0;
        place->stage = DIVIDE;
        break;
      default:
        sum = place->sum[0];
        while (ff_exact_take(turn, place, n, &lo, &hi))
          for (uint32_t i = lo; i < hi; i++) x[i] = sum > 0 ? x[i] / sum : 1.0 / n;
        return ff_exact_through(place, n, CLIP);
    }
}

int ff_exact_copy(double *to, const double *from, uint32_t n, ff_exact_place *place, ff_exact_turn *turn) {
  uint32_t lo, hi;
  while (ff_exact_take(turn, place, n, &lo, &hi)) memcpy(to + lo, from + lo, (hi - lo) * sizeof *to);
  return ff_exact_through(place, n, place->stage);
}
