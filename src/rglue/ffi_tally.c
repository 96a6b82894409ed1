/* Tallies of ensembles: exact sums as R values, from which every statistic is computed, and which can be merged.
 *
 * A tally is a list:
 *   n              the number of trajectories
 *   n_times        the number of times
 *   real           for each observed quantity, whether it is a real number
 *   counts, reals  raw vectors: the moments of counts and of real numbers, first by time
 *   products, real_products   raw vectors or NULL: sums of products of pairs
 *   cell, value, count        the histograms, or NULL: how often each value occurs, in ascending order of cell and value. The
 *                             cell of quantity j at time i is i * (number of quantities) + j + 1.
 * Raw vectors hold numbers in this machine's representation. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ffi_ensemble.h"
#include "ffi_values.h"

#define ROWS_BETWEEN_LOOKS 1024 /* R processes Ctrl-C there */
#define ENTRIES_BETWEEN_LOOKS 65536

static SEXP raw_of(const void *bytes, size_t n) {
  SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)n);
  if (n > 0) memcpy(RAW(out), bytes, n);
  return out;
}

static size_t pairs_of(const ff_sums *sums) {
  return sums->n_observed > 1 ? (size_t)sums->n_observed * (sums->n_observed - 1) / 2 * sums->n_times : 0;
}

/* Sets the histograms. */
static void set_histograms(SEXP out, ff_sums *sums) {
  const size_t cells = (size_t)sums->n_times * sums->n_observed;
  R_xlen_t n = 0;
  size_t since = 0; /* entries and cells since the last look */
  for (size_t i = 0; i < cells; i++) n += (R_xlen_t)sums->frequency[i].used;
  ffi_set(out, "cell", Rf_allocVector(INTSXP, n));
  ffi_set(out, "value", Rf_allocVector(REALSXP, n));
  ffi_set(out, "count", Rf_allocVector(REALSXP, n));
  int *cell = INTEGER(ffi_element(out, "cell"));
  double *value = REAL(ffi_element(out, "value")), *count = REAL(ffi_element(out, "count"));
  for (size_t i = 0; i < cells; i++) {
    const size_t used = sums->frequency[i].used;
    since += used + 1;
    if (since >= ENTRIES_BETWEEN_LOOKS) {
      R_CheckUserInterrupt();
      since = 0;
    }
    ff_frequency_list(sums->frequency + i, value, count);
    for (size_t k = 0; k < used; k++) cell[k] = (int)i + 1;
    cell += used;
    value += used;
    count += used;
  }
}

SEXP ffi_tally(ff_sums *sums, uint64_t n) {
  static const char *const names[] = {"n",        "n_times",       "real", "counts", "reals",
                                      "products", "real_products", "cell", "value",  "count"};
  SEXP out = PROTECT(ffi_list(10, names));
  ffi_set(out, "n", Rf_ScalarReal((double)n));
  ffi_set(out, "n_times", Rf_ScalarReal(sums->n_times));
  ffi_set(out, "real", Rf_allocVector(LGLSXP, sums->n_observed));
  for (uint32_t j = 0; j < sums->n_observed; j++) LOGICAL(ffi_element(out, "real"))[j] = sums->real[j];
  ffi_set(out, "counts", raw_of(sums->counts, (size_t)sums->n_times * sums->n_counts * sizeof *sums->counts));
  ffi_set(out, "reals", raw_of(sums->reals, (size_t)sums->n_times * sums->n_reals * sizeof *sums->reals));
  if (sums->products != NULL)
    ffi_set(out, "products", raw_of(sums->products, pairs_of(sums) * 2 * sizeof *sums->products));
  if (sums->real_products != NULL)
    ffi_set(out, "real_products", raw_of(sums->real_products, pairs_of(sums) * sizeof *sums->real_products));
  if (sums->frequency != NULL) set_histograms(out, sums);
  UNPROTECT(1);
  return out;
}

/* ---- from R ------------------------------------------------------------------------------------------------------------- */

/* The bytes of a raw vector that has the given size. NULL if it is NULL and may be. */
static void *bytes_of(SEXP tally, const char *name, double size, int optional) {
  SEXP raw = ffi_element(tally, name + strlen("tally$"));
  if (optional && raw == R_NilValue) return NULL;
  char wanted[80];
  snprintf(wanted, sizeof wanted, "the sums of its run, %s bytes", ff_show(size, 17).text);
  return RAW(ffi_typed(raw, RAWSXP, size <= R_XLEN_T_MAX ? (R_xlen_t)size : 0, FFI_RESULT, name, wanted));
}

/* A whole number from 0 to `most`. */
static double count_of(SEXP tally, const char *name, double most) {
  SEXP x = ffi_element(tally, name + strlen("tally$"));
  const double value = ffi_is_number(x) && Rf_xlength(x) == 1 ? ffi_number_at(x, 0) : -1;
  if (!(value >= 0 && value <= most) || value != floor(value))
    ffi_stop_found(FFI_RESULT, name, "the number of its run", ffi_described(x).text);
  return value;
}

/* Sums that lie in the tally's own memory, without histograms. Returns the number of trajectories. */
static uint64_t view_of(ff_sums *view, SEXP tally) {
  SEXP real = ffi_element(ffi_typed(tally, VECSXP, -1, FFI_RESULT, "tally", "the sums of its run"), "real");
  ffi_typed(real, LGLSXP, -1, FFI_RESULT, "tally$real", "TRUE or FALSE for each species");
  const double n = count_of(tally, "tally$n", 0x1p48), times = count_of(tally, "tally$n_times", INT_MAX);
  if (times * (double)XLENGTH(real) > INT_MAX)
    ffi_stop_found(FFI_RESULT, "tally$real", "TRUE or FALSE for each species", ffi_described(real).text);
  *view = (ff_sums){.n_times = (uint32_t)times, .n_observed = (uint32_t)XLENGTH(real)};
  view->real = (uint8_t *)R_alloc((size_t)view->n_observed + 1, 1);
  view->rank = (uint32_t *)R_alloc((size_t)view->n_observed + 1, sizeof *view->rank);
  for (uint32_t j = 0; j < view->n_observed; j++) {
    view->real[j] = LOGICAL(real)[j] == 1;
    view->rank[j] = view->real[j] ? view->n_reals++ : view->n_counts++;
  }
  view->counts = bytes_of(tally, "tally$counts", (double)view->n_times * view->n_counts * sizeof *view->counts, 0);
  view->reals = bytes_of(tally, "tally$reals", (double)view->n_times * view->n_reals * sizeof *view->reals, 0);
  view->products = bytes_of(tally, "tally$products", (double)pairs_of(view) * 2 * sizeof *view->products, 1);
  view->real_products = bytes_of(tally, "tally$real_products", (double)pairs_of(view) * sizeof *view->real_products, 1);
  return (uint64_t)n;
}

/* Sets one row of the statistics. The variance is that of a sample; it is NA for one trajectory. */
static void set_row(double *row[6], R_xlen_t at, const ff_sums *sums, uint32_t i, uint32_t j, uint64_t n) {
  const ff_sum_central m = ff_sums_moments(sums, i, j, n, &row[4][at], &row[5][at]);
  const double size = (double)n;
  row[0][at] = m.mean;
  row[1][at] = n > 1 ? sqrt(m.second * size / (size - 1)) : NA_REAL;
  row[2][at] = m.second > 0 ? m.third / (m.second * sqrt(m.second)) : NA_REAL;
  row[3][at] = m.second > 0 ? m.fourth / m.second / m.second : NA_REAL;
}

static void set_covariances(SEXP out, const ff_sums *sums, uint64_t n) {
  const double size = (double)n;
  ffi_set(out, "covariance", Rf_allocVector(REALSXP, (R_xlen_t)pairs_of(sums)));
  double *to = REAL(ffi_element(out, "covariance"));
  for (uint32_t i = 0; i < sums->n_times; i++)
    for (uint32_t k = 1; k < sums->n_observed; k++) {
      R_CheckUserInterrupt();
      for (uint32_t j = 0; j < k; j++)
        *to++ = n > 1 ? ff_sums_covariance(sums, i, j, k, n) * size / (size - 1) : NA_REAL;
    }
}

/* Returns list(mean, sd, skewness, kurtosis, min, max, covariance). All have an element for each time and observed quantity,
 * first by time; `covariance` has one for each time and pair (1, 2), (1, 3), (2, 3), (1, 4), ..., or is NULL. */
SEXP ffi_ensemble_statistics(SEXP tally) {
  static const char *const names[] = {"mean", "sd", "skewness", "kurtosis", "min", "max", "covariance"};
  ff_sums sums;
  const uint64_t n = view_of(&sums, tally);
  SEXP out = PROTECT(ffi_list(7, names));
  double *row[6];
  for (int k = 0; k < 6; k++) {
    ffi_set(out, names[k], Rf_allocVector(REALSXP, (R_xlen_t)sums.n_times * sums.n_observed));
    row[k] = REAL(ffi_element(out, names[k]));
  }
  for (uint32_t i = 0; i < sums.n_times; i++)
    for (uint32_t j = 0; j < sums.n_observed; j++) {
      if (j % ROWS_BETWEEN_LOOKS == 0) R_CheckUserInterrupt();
      set_row(row, (R_xlen_t)i * sums.n_observed + j, &sums, i, j, n);
    }
  if (sums.products != NULL || sums.real_products != NULL) set_covariances(out, &sums, n);
  UNPROTECT(1);
  return out;
}

static int same_shape(const ff_sums *a, const ff_sums *b) {
  return a->n_times == b->n_times && a->n_observed == b->n_observed && memcmp(a->real, b->real, a->n_observed) == 0 &&
         (a->products == NULL) == (b->products == NULL) && (a->real_products == NULL) == (b->real_products == NULL);
}

/* Merges several tallies of the same quantities and times, but for their histograms, which are those of the first. */
SEXP ffi_ensemble_merge(SEXP tallies) {
  ff_sums all, one;
  ffi_listed(tallies, 1, "tallies");
  SEXP out = PROTECT(Rf_duplicate(VECTOR_ELT(tallies, 0)));
  uint64_t n = view_of(&all, out);
  for (R_xlen_t i = 1; i < XLENGTH(tallies); i++) {
    n += view_of(&one, VECTOR_ELT(tallies, i));
    if (!same_shape(&all, &one)) ffi_stop_found(FFI_RESULT, "tally", "the sums of its run", "sums of another run");
    for (uint32_t k = 0; k < all.n_times; k++) {
      R_CheckUserInterrupt();
      ff_sums_merge(&all, &one, k);
    }
  }
  ffi_set(out, "n", Rf_ScalarReal((double)n));
  UNPROTECT(1);
  return out;
}
