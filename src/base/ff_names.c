#include "ff_names.h"

#include "ff_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ff_names {
  char *const *names;
  uint32_t n;
  uint32_t *slot; /* index + 1, or 0 if the slot is free */
  size_t mask;
};

ff_status ff_name_copy(char **out, const char *name, ff_error *err) {
  *out = ff_strndup(name, strlen(name));
  return *out != NULL ? FF_OK : ff_error_set(err, FF_EMEMORY, "no memory for the name %s", ff_quote(name, strlen(name)).text);
}

/* The final shift mixes the upper bits into the lower ones, which select the slot of a table. */
uint64_t ff_name_hash(const char *name, size_t length) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
  return h ^ h >> 32;
}

/* The slot that holds the name, or the free slot where it belongs. */
static size_t find_slot(const ff_names *table, const char *name, size_t length) {
  size_t at = (size_t)ff_name_hash(name, length) & table->mask;
  for (;; at = (at + 1) & table->mask) {
    if (table->slot[at] == 0) return at;
    const char *other = table->names[table->slot[at] - 1];
    if (strncmp(other, name, length) == 0 && other[length] == '\0') return at;
  }
}

ff_status ff_names_new(ff_names **out, char *const *names, uint32_t n, const char *what, ff_error *err) {
  *out = NULL;
  size_t slots = 16;
  while (slots < 2 * (size_t)n) slots *= 2;
  ff_names *table = ff_calloc(1, sizeof *table);
  uint32_t *slot = ff_calloc(slots, sizeof *slot);
  if (table == NULL || slot == NULL) {
    free(table);
    free(slot);
    return ff_error_set(err, FF_EMEMORY, "no memory for %u names", n);
  }
  *table = (ff_names){names, n, slot, slots - 1};
  for (uint32_t i = 0; i < n; i++) {
    size_t length = strlen(names[i]), at = find_slot(table, names[i], length);
    if (slot[at] != 0) {
      ff_quoted name = ff_quote(names[i], length);
      uint32_t first = slot[at];
      ff_names_free(table);
      return ff_error_set(err, FF_EMODEL, "%s %u and %u have the same name %s; names must differ", what, first, i + 1,
                          name.text);
    }
    slot[at] = i + 1;
  }
  *out = table;
  return FF_OK;
}

int64_t ff_names_find(void *names, const char *name, size_t length) {
  const ff_names *table = names;
  if (memchr(name, '\0', length) != NULL) return -1;
  return (int64_t)table->slot[find_slot(table, name, length)] - 1;
}

void ff_names_free(ff_names *names) {
  if (names == NULL) return;
  free(names->slot);
  free(names);
}

enum { MEANT = 60 }; /* bytes; messages truncate longer names, so no similar name is suggested for these */

/* The number of edits that turn a (m <= MEANT bytes) into b: inserting, deleting or replacing a byte, or swapping two
 * neighbours. Upper and lower case count as equal. Returns most + 1 if the number exceeds `most`. */
static size_t distance(const char *a, size_t m, const char *b, size_t n, size_t most) {
  size_t rows[3][MEANT + 1];
  if (m > n + most || n > m + most) return most + 1;
  for (size_t j = 0; j <= m; j++) rows[0][j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3], least = row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = above[j - 1] + (ff_lower(a[j - 1]) != ff_lower(b[i - 1]));
      if (above[j] + 1 < row[j]) row[j] = above[j] + 1;
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
      int swapped = i > 1 && j > 1 && ff_lower(a[j - 1]) == ff_lower(b[i - 2]) && ff_lower(a[j - 2]) == ff_lower(b[i - 1]);
      if (swapped && second[j - 2] + 1 < row[j]) row[j] = second[j - 2] + 1;
      if (row[j] < least) least = row[j];
    }
    if (least > most) return most + 1; /* later rows exceed it too: a swap skips this row, but costs as much as an edit */
  }
  return rows[n % 3][m] > most ? most + 1 : rows[n % 3][m];
}

const char *ff_name_near(char *const *names, uint32_t n, const char *name, size_t length) {
  const char *near = NULL;
  if (length == 0 || length > MEANT) return NULL;
  size_t least = (length <= 2 ? 0 : length < 6 ? 1 : length / 3) + 1; /* the smallest number of edits that is too many */
  for (uint32_t i = 0; i < n && least > 0; i++) {
    size_t edits = distance(name, length, names[i], strlen(names[i]), least - 1);
    if (edits < least) near = names[i];
    if (edits < least) least = edits;
  }
  return near;
}

const char *ff_names_near(const ff_names *names, const char *name, size_t length) {
  return ff_name_near(names->names, names->n, name, length);
}

ff_hint ff_hint_of(const char *near) {
  ff_hint out = {""};
  if (near != NULL) snprintf(out.text, sizeof out.text, "; did you mean %s?", ff_quote(near, strlen(near)).text);
  return out;
}

/* The number of bytes of the UTF-8 character at the start of the text, or 0 if there is no valid one. */
static size_t utf8_size(const char *text, size_t length) {
  const unsigned char *u = (const unsigned char *)text;
  if (length == 0) return 0;
  if (u[0] < 0x80) return 1;
  size_t size = u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
  if (u[0] < 0xC2 || u[0] > 0xF4 || size > length) return 0;
  for (size_t i = 1; i < size; i++)
    if (!ff_continues_character(text[i])) return 0;
  if (u[0] == 0xE0 && u[1] < 0xA0) return 0; /* overlong */
  if (u[0] == 0xED && u[1] > 0x9F) return 0; /* surrogates */
  if (u[0] == 0xF0 && u[1] < 0x90) return 0;
  if (u[0] == 0xF4 && u[1] > 0x8F) return 0;
  return size;
}

int ff_utf8_valid(const char *text, size_t length) {
  for (size_t at = 0; at < length;) {
    size_t size = utf8_size(text + at, length - at);
    if (size == 0) return 0;
    at += size;
  }
  return 1;
}

ff_quoted ff_quote(const char *text, size_t length) {
  ff_quoted out;
  size_t n = 0, at = 0;
  out.text[n++] = '"';
  while (at < length && at < 60) {
    size_t size = utf8_size(text + at, length - at);
    unsigned char c = (unsigned char)text[at];
    if (size == 0 || c < 0x20 || c == 0x7F) {
      n += (size_t)snprintf(out.text + n, 5, "\\x%02X", c);
      at++;
    } else {
      memcpy(out.text + n, text + at, size);
      n += size;
      at += size;
    }
  }
  if (at < length) {
    memcpy(out.text + n, "...", 3);
    n += 3;
  }
  out.text[n++] = '"';
  out.text[n] = '\0';
  return out;
}
