/* Names: their hash table, their characters, and how a message shows them. */
#include "ff_model_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ff_names {
  char *const *names;
  uint32_t n;
  uint32_t *slot; /* node + 1, or 0 where free */
  size_t mask;
};

static uint64_t hash(const char *name, size_t length) { /* FNV-1a, its bits mixed once more for the low ones */
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
  return h ^ h >> 32;
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t find_slot(const ff_names *table, const char *name, size_t length) {
  size_t at = (size_t)hash(name, length) & table->mask;
  for (;; at = (at + 1) & table->mask) {
    if (table->slot[at] == 0) return at;
    const char *other = table->names[table->slot[at] - 1];
    if (strncmp(other, name, length) == 0 && other[length] == '\0') return at;
  }
}

ff_status ff_names_new(ff_names **out, char *const *names, uint32_t n, ff_error *err) {
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
      return ff_error_set(err, FF_EMODEL, "nodes %u and %u have the same name %s; names must differ", first, i + 1,
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

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Letters in any case: 0 where the names agree, 1 where one edit (a character more, less, other, or two neighbours swapped)
 * makes them agree, else 2. */
static int distance(const char *a, size_t m, const char *b, size_t n) {
  if (m > n + 1 || n > m + 1) return 2;
  size_t head = 0, tail = 0, most = m < n ? m : n;
  while (head < most && lower(a[head]) == lower(b[head])) head++;
  while (tail < most - head && lower(a[m - 1 - tail]) == lower(b[n - 1 - tail])) tail++;
  size_t left_a = m - head - tail, left_b = n - head - tail;
  if (left_a == 0 && left_b == 0) return 0;
  if (left_a <= 1 && left_b <= 1) return 1;
  return left_a == 2 && left_b == 2 && lower(a[head]) == lower(b[head + 1]) && lower(a[head + 1]) == lower(b[head]) ? 1 : 2;
}

const char *ff_name_near(char *const *names, uint32_t n, const char *name, size_t length) {
  const char *near = NULL;
  if (length == 0 || length > 60) return NULL; /* a longer one would be cut in a message */
  for (uint32_t i = 0; i < n; i++) {
    int edits = distance(name, length, names[i], strlen(names[i]));
    if (edits == 0) return names[i];
    if (edits == 1 && near == NULL && length > 2) near = names[i];
  }
  return near;
}

const char *ff_names_near(const ff_names *names, const char *name, size_t length) {
  return ff_name_near(names->names, names->n, name, length);
}

/* Bytes of the UTF-8 character at the start of the text, or 0 where there is none. */
static size_t utf8_size(const char *text, size_t length) {
  const unsigned char *u = (const unsigned char *)text;
  if (length == 0) return 0;
  if (u[0] < 0x80) return 1;
  size_t size = u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
  if (u[0] < 0xC2 || u[0] > 0xF4 || size > length) return 0;
  for (size_t i = 1; i < size; i++)
    if ((u[i] & 0xC0) != 0x80) return 0;
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
