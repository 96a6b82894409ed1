#include "ff_frequency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

void ff_frequency_free(ff_frequency *table) {
  free(table->entry);
  memset(table, 0, sizeof *table);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The entry of a number, or the free one where it belongs. */
static ff_frequency_entry *place_of(ff_frequency_entry *entry, size_t room, double value) {
  uint64_t hash = bits_of(value) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 32;
  hash *= UINT64_C(0xD6E8FEB86659FD93);
  size_t at = (size_t)(hash >> 32) & (room - 1);
  while (entry[at].count != 0 && bits_of(entry[at].value) != bits_of(value)) at = (at + 1) & (room - 1);
  return entry + at;
}

static ff_status enlarge(ff_frequency *table, uint64_t *bytes, ff_error *err) {
  const size_t room = table->room > 0 ? 2 * table->room : FIRST_ROOM;
  ff_frequency_entry *entry = ff_calloc(room, sizeof *entry);
  if (entry == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a histogram of %zu numbers", table->used);
  for (size_t i = 0; i < table->room; i++)
    if (table->entry[i].count != 0) *place_of(entry, room, table->entry[i].value) = table->entry[i];
  *bytes += (room - table->room) * sizeof *entry;
  free(table->entry);
  table->entry = entry;
  table->room = room;
  return FF_OK;
}

ff_status ff_frequency_add(ff_frequency *table, double value, uint64_t count, uint64_t *bytes, ff_error *err) {
  if (count == 0) return FF_OK;
  if (2 * (table->used + 1) > table->room) {
    ff_status status = enlarge(table, bytes, err);
    if (status != FF_OK) return status;
  }
  value = isnan(value) ? NAN : value + 0.0; /* -0 becomes 0 */
  ff_frequency_entry *entry = place_of(table->entry, table->room, value);
  table->used += entry->count == 0;
  entry->value = value;
  entry->count += count;
  return FF_OK;
}

static int ascending(const void *left, const void *right) {
  const double x = ((const ff_frequency_entry *)left)->value, y = ((const ff_frequency_entry *)right)->value;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return x < y ? -1 : x > y;
}

void ff_frequency_list(ff_frequency *table, double *values, double *counts) {
  size_t n = 0;
  for (size_t i = 0; i < table->room; i++)
    if (table->entry[i].count != 0) table->entry[n++] = table->entry[i];
  if (n < table->room) memset(table->entry + n, 0, (table->room - n) * sizeof *table->entry);
  if (n > 1) qsort(table->entry, n, sizeof *table->entry, ascending);
  for (size_t i = 0; i < n; i++) {
    if (values != NULL) values[i] = table->entry[i].value;
    if (counts != NULL) counts[i] = (double)table->entry[i].count;
  }
}
