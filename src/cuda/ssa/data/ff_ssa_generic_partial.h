/* Partial propensities, as in ff_ssa_partial.c, for a warp that runs a trajectory of a network that is read as data. The same
 * text is compiled for device and host (ff_warp.h).
 *
 * A trajectory does not keep partial propensities: they follow from laws and counts. So it takes little memory, and
 * trajectories of large networks fit into shared memory. It keeps the sum of each row, and with pssa_cr the bins by which the
 * row is chosen. */
#ifndef FF_SSA_GENERIC_PARTIAL_H
#define FF_SSA_GENERIC_PARTIAL_H

#include "ff_ssa_generic_bins.h"

/* With formulas, no method has rows. So the kernel for formulas has no code for them. */
FF_WARP int ff_ssa_has_rows(const ff_ssa_warp *w) {
  return !w->formulas && ff_ssa_method_has_rows(w->method);
}

FF_WARP int ff_ssa_has_bins(const ff_ssa_warp *w) {
  return !w->formulas && w->method == FF_SSA_PSSA_CR;
}

/* What a trajectory keeps: the sums of rows, and the step that touched a row last. */
#define FF_SSA_ROW_SUM(w, row) ((w)->real + 2u * (size_t)(row)) /* value and error */
#define FF_SSA_TOUCHED(w) ((w)->whole)

/* The count that is a factor of all propensities of a row; 1 for row 0. */
FF_WARP double ff_ssa_row_factor(const ff_ssa_warp *w, uint32_t row) {
  return (double)w->count[row > 0u ? row - 1u : w->image->n_species];
}

FF_WARP ff_ssa_terms ff_ssa_items(const ff_ssa_warp *w) {
  const ff_ssa_terms items = {NULL, w->image->laws, w->count};
  return items;
}

FF_WARP void ff_ssa_set_row_sum(const ff_ssa_warp *w, uint32_t row, ff_ssa_corrected sum) {
  FF_SSA_ROW_SUM(w, row)[0] = sum.value;
  FF_SSA_ROW_SUM(w, row)[1] = sum.error;
}

FF_WARP ff_ssa_corrected ff_ssa_row_sum(const ff_ssa_warp *w, uint32_t row) {
  const ff_ssa_corrected sum = {FF_SSA_ROW_SUM(w, row)[0], FF_SSA_ROW_SUM(w, row)[1]};
  return sum;
}

/* ---- the beginning --------------------------------------------------------------------------------------------------------- */

/* Sets all that the methods keep, but for the bins, from the counts. */
FF_WARP void ff_ssa_rows_begin(const ff_ssa_warp *w) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  const ff_ssa_terms items = ff_ssa_items(w);
  FF_EACH_LANE for (uint32_t row = lane; row < image->n_rows; row += 32u) {
    const double sum = ff_ssa_sum_of(&items, image->row_first[row], image->row_first[row + 1u] - image->row_first[row]);
    const double factor = ff_ssa_row_factor(w, row);
    ff_ssa_set_row_sum(w, row, ff_ssa_corrected_of(sum));
    w->value[row] = factor > 0.0 ? factor * sum : 0.0;
    FF_SSA_TOUCHED(w)[row] = 0u;
  }
  FF_SYNCWARP();
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------ */

/* ff_ssa_sum() of a range of terms. A lane has a part: bits of its number, from the highest one on, tell whether the part is on
 * the right of each of up to five divisions. Lanes without a part have 0, which changes no sum. */
FF_WARP double ff_ssa_warp_sum_of(const ff_ssa_terms *terms, uint32_t start, uint32_t n) {
  FF_LANE_IN;
  FF_LANE_VAR(double, sum);
  FF_LANE_VAR(double, other);
  double out;
  FF_EACH_LANE {
    uint32_t first = start, here = n;
    int depth = 4;
    for (; depth >= 0 && here > FF_SSA_SUM_PART; depth--) {
      const uint32_t half = here / 2u, right = lane >> depth & 1u;
      first += right ? half : 0u;
      here = right ? here - half : half;
    }
    FF_L(sum) = (lane & ((1u << (depth + 1)) - 1u)) == 0u ? ff_ssa_sum_of(terms, first, here) : 0.0;
  }
  FF_NO_UNROLL for (uint32_t bit = 1u; bit < 32u; bit *= 2u) {
    FF_EXCHANGE(other, sum, bit);
    FF_EACH_LANE FF_L(sum) += FF_L(other);
  }
  FF_FIRST_LANE(out, sum);
  return out;
}

/* The sum of at most FF_SSA_SUM_PART terms, one after the other: the lanes read 32 terms, and those of 0 are passed over. */
FF_WARP double ff_ssa_warp_part(const ff_ssa_terms *terms, uint32_t first, uint32_t n) {
  FF_LANE_IN;
  double sum = 0.0;
  FF_NO_UNROLL for (uint32_t from = 0u; from < n; from += 32u) {
    FF_LANE_VAR(double, term);
    uint32_t who;
    FF_EACH_LANE FF_L(term) = from + lane < n ? ff_ssa_term(terms, first + from + lane) : 0.0;
    FF_BALLOT(who, FF_L(term) != 0.0);
    FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
      double one;
      FF_FROM_LANE(one, term, FF_LOWEST(who));
      sum += one;
    }
  }
  return sum;
}

/* Adds up the rows of the lanes `who` anew, one after the other: in long rows, lanes add up parts. */
FF_WARP void ff_ssa_add_up_rows(const ff_ssa_warp *w, FF_LANE_VAR(uint32_t, row), uint32_t who) {
  FF_LANE_IN;
  const ff_ssa_terms items = ff_ssa_items(w);
  FF_SYNCWARP();
  FF_NO_UNROLL for (; who != 0u; who &= who - 1u) {
    uint32_t one;
    FF_FROM_LANE(one, row, FF_LOWEST(who));
    const uint32_t first = w->image->row_first[one], n = w->image->row_first[one + 1u] - first;
    const double sum = n > FF_SSA_SUM_PART ? ff_ssa_warp_sum_of(&items, first, n) : ff_ssa_warp_part(&items, first, n);
    FF_EACH_LANE if (lane == 0u) ff_ssa_set_row_sum(w, one, ff_ssa_corrected_of(sum));
  }
  FF_SYNCWARP();
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* Appends row `row` to the list of the rows that the step touches, unless it is there. */
FF_WARP uint32_t ff_ssa_touch(const ff_ssa_warp *w, uint32_t row, uint32_t n) {
  FF_LANE_IN;
  const int fresh = FF_SSA_TOUCHED(w)[row] != w->step;
  FF_SYNCWARP();
  FF_EACH_LANE if (fresh && lane == 0u) {
    FF_SSA_TOUCHED(w)[row] = w->step;
    w->list[n] = row;
  }
  FF_SYNCWARP();
  return n + (fresh ? 1u : 0u);
}

/* Corrects the sums of rows by the changes of their items, which the lanes have: at the lanes `heads`, a row begins. Lanes from n
 * on have none. The changes of a row are in order, and rows go on side by side. */
FF_WARP void ff_ssa_correct_sums(const ff_ssa_warp *w, FF_LANE_VAR(uint32_t, row), FF_LANE_VAR(double, change), uint32_t heads,
                                 uint32_t n) {
  FF_LANE_IN;
  FF_LANE_VAR(ff_ssa_corrected, sum);
  FF_LANE_VAR(uint32_t, length);
  FF_LANE_VAR(double, one);
  uint32_t who;
  FF_EACH_LANE {
    const uint32_t later = heads >> lane >> 1u, is_head = heads >> lane & 1u;
    FF_L(length) = !is_head ? 0u : later != 0u ? FF_LOWEST(later) + 1u : n - lane;
    FF_L(sum) = ff_ssa_corrected_of(0.0);
    if (is_head) {
      FF_L(sum) = ff_ssa_row_sum(w, FF_L(row));
      ff_ssa_corrected_change(&FF_L(sum), FF_L(change));
    }
  }
  FF_NO_UNROLL for (uint32_t i = 1u;; i++) {
    FF_BALLOT(who, i < FF_L(length));
    if (who == 0u) break;
    FF_FROM_LANES(one, change, lane + i);
    FF_EACH_LANE if (i < FF_L(length)) ff_ssa_corrected_change(&FF_L(sum), FF_L(one));
  }
  FF_EACH_LANE if (FF_L(length) > 0u) ff_ssa_set_row_sum(w, FF_L(row), FF_L(sum));
}

/* Corrects the sums of the rows whose partial propensities read a species that has changed. Appends these rows, and that of the
 * species, to the list. Returns its new length. The items of a row are neighbours in the list of the species' items. */
FF_WARP uint32_t ff_ssa_correct_rows(const ff_ssa_warp *w, const ff_ssa_image_change change, uint32_t n) {
  FF_LANE_IN;
  const ff_ssa_image *image = w->image;
  const uint32_t now = w->count[change.species], before = now - (uint32_t)change.by;
  const uint32_t end = image->partner_first[change.species + 1u];
  FF_NO_UNROLL for (uint32_t from = image->partner_first[change.species]; from < end; from += 32u) {
    FF_LANE_VAR(uint32_t, row);
    FF_LANE_VAR(double, by);
    FF_LANE_VAR(int, begins);
    FF_LANE_VAR(int, fresh);
    uint32_t who, heads;
    FF_EACH_LANE {
      FF_L(begins) = FF_L(fresh) = 0;
      FF_L(row) = 0u;
      FF_L(by) = 0.0;
      if (from + lane < end) {
        const ff_ssa_image_partner partner = image->partners[from + lane];
        const uint32_t less = partner.kind & FF_SSA_PARTNER_LESS;
        FF_L(row) = partner.row;
        FF_L(by) = ff_ssa_partial_value(partner.rate, less, now) - ff_ssa_partial_value(partner.rate, less, before);
        FF_L(begins) = lane == 0u || !(partner.kind & FF_SSA_PARTNER_SAME);
        FF_L(fresh) = FF_L(begins) && FF_SSA_TOUCHED(w)[FF_L(row)] != w->step;
        if (FF_L(fresh)) FF_SSA_TOUCHED(w)[FF_L(row)] = w->step;
      }
    }
    FF_BALLOT(heads, FF_L(begins));
    FF_BALLOT(who, FF_L(fresh));
    ff_ssa_correct_sums(w, row, by, heads, end - from < 32u ? end - from : 32u);
    FF_EACH_LANE if (who >> lane & 1u) w->list[n + FF_POPCOUNT(who & ((1u << lane) - 1u))] = FF_L(row);
    n += FF_POPCOUNT(who);
    FF_SYNCWARP(); /* a row may go on in the next 32 items */
  }
  FF_SYNCWARP();
  return ff_ssa_touch(w, change.species + 1u, n);
}

/* As set_row() of ff_ssa_partial.c, for the n rows of the list, in its order. Returns whether there is room for their groups. */
FF_WARP int ff_ssa_set_rows(ff_ssa_warp *w, uint32_t n) {
  FF_LANE_IN;
  int fine = 1;
  FF_NO_UNROLL for (uint32_t from = 0u; from < n; from += 32u) {
    const uint32_t here = n - from < 32u ? n - from : 32u;
    FF_LANE_VAR(uint32_t, row);
    FF_LANE_VAR(double, now);
    FF_LANE_VAR(int, is_stale);
    uint32_t who;
    FF_EACH_LANE {
      FF_L(row) = w->list[lane < here ? from + lane : from];
      const ff_ssa_corrected sum = ff_ssa_row_sum(w, FF_L(row));
      FF_L(is_stale) = lane < here && ff_ssa_corrected_stale(&sum);
    }
    FF_BALLOT(who, FF_L(is_stale));
    if (who != 0u) ff_ssa_add_up_rows(w, row, who);
    FF_EACH_LANE {
      const double factor = ff_ssa_row_factor(w, FF_L(row));
      FF_L(now) = lane < here && factor > 0.0 ? factor * FF_SSA_ROW_SUM(w, FF_L(row))[0] : 0.0;
    }
    if (w->method == FF_SSA_PSSA_CR) {
      fine &= ff_ssa_rebin(w, row, now, here);
      continue;
    }
    FF_LANE_VAR(double, change);
    FF_EACH_LANE {
      FF_L(change) = 0.0;
      if (lane < here) {
        FF_L(change) = FF_L(now) - w->value[FF_L(row)];
        w->value[FF_L(row)] = FF_L(now);
      }
    }
    FF_NO_UNROLL for (uint32_t i = 0u; i < here; i++) {
      double one;
      FF_FROM_LANE(one, change, i);
      ff_ssa_corrected_change(&w->total, one);
    }
  }
  FF_SYNCWARP();
  return fine;
}

/* Updates the rows after a reaction has changed the counts. */
FF_WARP int ff_ssa_warp_rows(ff_ssa_warp *w, const ff_ssa_image_row *changed) {
  uint32_t n = 0u;
  FF_NO_UNROLL for (uint32_t i = 0u; i < changed->n_changes; i++)
    n = ff_ssa_correct_rows(w, w->image->changes[changed->change + i], n);
  return ff_ssa_set_rows(w, n);
}

#endif
