/* The uniformised chain of the projection. */
#include "ff_cme_internal.h"

#include <stdlib.h>
#include <string.h>

void ff_cme_matrix_free(ff_cme_matrix *matrix) {
  free(matrix->row);
  free(matrix->column);
  free(matrix->edge);
  free(matrix->weight);
  free(matrix->stay);
  free(matrix->leave);
  free(matrix->x);
  free(matrix->y);
  free(matrix->sum);
  free(matrix->flow);
}

static ff_status grow_doubles(double **array, size_t *capacity, size_t need, ff_error *err) {
  void *memory = *array;
  ff_status status = ff_grow(&memory, capacity, need, sizeof **array, err);
  *array = memory;
  return status;
}

/* row[i + 2] will be the number of operands of row i. */
static ff_status begin_count(ff_cme *cme, ff_error *err) {
  ff_cme_matrix *m = &cme->matrix;
  const size_t n = cme->set.n;
  void *row = m->row;
  ff_status status = ff_grow(&row, &m->row_capacity, n + 2, sizeof *m->row, err);
  m->row = row;
  if (status == FF_OK) status = grow_doubles(&m->stay, &m->stay_capacity, n, err);
  if (status == FF_OK) status = grow_doubles(&m->x, &m->x_capacity, n, err);
  if (status == FF_OK) status = grow_doubles(&m->y, &m->y_capacity, n, err);
  if (status == FF_OK) status = grow_doubles(&m->sum, &m->sum_capacity, n, err);
  if (status != FF_OK) return status;
  memset(m->row, 0, (n + 2) * sizeof *m->row);
  m->rate = 0;
  m->n_edges = m->widest = 0;
  return FF_OK;
}

ff_status ff_cme_matrix_count(ff_cme *cme, int *finished, ff_error *err) {
  ff_cme_matrix *m = &cme->matrix;
  ff_status status = cme->at == 0 ? begin_count(cme, err) : FF_OK;
  *finished = 0;
  for (; status == FF_OK && cme->at < cme->set.n; cme->at++) {
    const ff_cme_state *state = &cme->set.state[cme->at];
    uint32_t leaves = 0;
    if (!ff_cme_more(&cme->turn, 1 + state->n_arrows)) return FF_OK;
    for (uint32_t a = 0; a < state->n_arrows; a++) {
      const uint32_t target = cme->set.arrow[state->first + a].target;
      if (target == FF_CME_OUTSIDE)
        leaves = 1;
      else
        m->row[target + 2]++;
    }
    m->n_edges += leaves;
    if (state->exit > m->rate) m->rate = state->exit;
    if (state->n_arrows > m->widest) m->widest = state->n_arrows;
  }
  *finished = status == FF_OK;
  return status;
}

/* After this, row[i + 1] is where the next entry of row i belongs. */
static ff_status begin_fill(ff_cme *cme, ff_error *err) {
  ff_cme_matrix *m = &cme->matrix;
  for (uint32_t i = 0; i < cme->set.n; i++) {
    if (m->row[i + 2] > m->widest) m->widest = (uint32_t)m->row[i + 2];
    m->row[i + 2] += m->row[i + 1];
  }
  const size_t n = m->row[cme->set.n + 1];
  void *column = m->column, *edge = m->edge;
  ff_status status = ff_grow(&column, &m->column_capacity, n, sizeof *m->column, err);
  m->column = column;
  if (status == FF_OK) status = ff_grow(&edge, &m->edge_capacity, m->n_edges, sizeof *m->edge, err);
  m->edge = edge;
  if (status == FF_OK) status = grow_doubles(&m->weight, &m->weight_capacity, n, err);
  if (status == FF_OK) status = grow_doubles(&m->leave, &m->leave_capacity, m->n_edges, err);
  if (status == FF_OK) status = grow_doubles(&m->flow, &m->flow_capacity, m->n_edges, err);
  m->n_edges = 0;
  return status;
}

ff_status ff_cme_matrix_fill(ff_cme *cme, int *finished, ff_error *err) {
  ff_cme_matrix *m = &cme->matrix;
  ff_status status = cme->at == 0 ? begin_fill(cme, err) : FF_OK;
  *finished = 0;
  for (; status == FF_OK && cme->at < cme->set.n; cme->at++) {
    const ff_cme_state *state = &cme->set.state[cme->at];
    double leave = 0;
    if (!ff_cme_more(&cme->turn, 1 + 3 * (uint64_t)state->n_arrows)) return FF_OK;
    for (uint32_t a = 0; a < state->n_arrows; a++) {
      const ff_cme_arrow *arrow = &cme->set.arrow[state->first + a];
      if (arrow->target == FF_CME_OUTSIDE) {
        leave += arrow->rate;
        continue;
      }
      const size_t k = m->row[arrow->target + 1]++;
      m->column[k] = cme->at;
      m->weight[k] = arrow->rate / m->rate;
    }
    m->stay[cme->at] = m->rate > 0 ? 1 - state->exit / m->rate : 1;
    if (leave > 0) {
      m->edge[m->n_edges] = cme->at;
      m->leave[m->n_edges++] = leave / m->rate;
    }
  }
  *finished = status == FF_OK;
  return status;
}

/* Smaller probabilities become 0, because processors are slow with numbers near the smallest one. What is lost by this in a jump,
 * at most 1e-270 per state, is far below the rounding errors. */
#define SMALLEST 1e-270

static void gather(const ff_cme_matrix *m, uint32_t lo, uint32_t hi) {
  const double *x = m->x;
  for (uint32_t i = lo; i < hi; i++) {
    double y = m->stay[i] * x[i];
    for (size_t k = m->row[i]; k < m->row[i + 1]; k++) y += m->weight[k] * x[m->column[k]];
    m->y[i] = y > SMALLEST ? y : 0;
  }
}

int ff_cme_pass(ff_cme *cme, double w, int jump) {
  const ff_cme_matrix *m = &cme->matrix;
  const uint32_t n = cme->set.n, most = cme->turn.grain < 1024 ? 8 : 1024;
  while (cme->at < n) {
    const uint32_t lo = cme->at, hi = n - lo < most ? n : lo + most;
    if (!ff_cme_more(&cme->turn, (hi - lo) + (jump ? m->row[hi] - m->row[lo] : 0))) return 0;
    if (w > 0)
      for (uint32_t i = lo; i < hi; i++) m->sum[i] += w * m->x[i];
    if (jump) gather(m, lo, hi);
    cme->at = hi;
  }
  return 1;
}
