/* Programs as files.
 *
 * The magic number, the version, the number of sections, and a CRC-32 of the table of sections that follows: for each its name of
 * 4 letters, its CRC-32, where it begins, and its length. All numbers are little endian.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/ff_names.h"
#include "ff_ssp_program.h"

#define MAGIC "FFSSP\r\n\x1A"
#define MAGIC_SIZE 8u
#define VERSION 1u
#define HEAD (MAGIC_SIZE + 12u) /* bytes before the table */
#define ENTRY 24u               /* bytes of the table for a section */
#define PART_NAME 32u
#define UNIT 16u /* bytes of an RU in section PROG */

enum { CHIP, PROG, WORD, RATE, FETC, STAY, VECT, INIT, SPEC, MAPS, NAME, SECTIONS };
static const char section_names[SECTIONS][5] = {"CHIP", "PROG", "WORD", "RATE", "FETC", "STAY",
                                                "VECT", "INIT", "SPEC", "MAPS", "NAME"};

static void make_crc_table(uint32_t table[256]) {
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int k = 0; k < 8; k++) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xEDB88320u : 0);
  }
}

static uint32_t crc(const uint32_t table[256], const uint8_t *bytes, size_t n) {
  uint32_t c = 0xFFFFFFFFu;
  for (size_t i = 0; i < n; i++) c = table[(c ^ bytes[i]) & 0xFFu] ^ (c >> 8);
  return c ^ 0xFFFFFFFFu;
}

/* ---- both ways ------------------------------------------------------------------------------------------------------- */

/* Bytes that are counted, written or read. The same functions go over a program in all three cases, so they agree. */
typedef struct {
  uint8_t *at; /* NULL while bytes are counted */
  size_t n, end;
  int reads;
} bytes;

static void item(bytes *b, void *value, uint32_t size) {
  uint64_t x = 0;
  if (b->at != NULL && b->n + size <= b->end) {
    if (b->reads) {
      for (uint32_t k = 0; k < size; k++) x |= (uint64_t)b->at[b->n + k] << 8 * k;
      if (size == 8)
        memcpy(value, &x, 8);
      else
        *(uint32_t *)value = (uint32_t)x;
    } else {
      if (size == 8)
        memcpy(&x, value, 8);
      else
        x = *(uint32_t *)value;
      for (uint32_t k = 0; k < size; k++) b->at[b->n + k] = (uint8_t)(x >> 8 * k);
    }
  }
  b->n += size;
}

static void items(bytes *b, void *values, uint64_t n, uint32_t size) {
  if (b->at == NULL) {
    b->n += n * size;
    return;
  }
  for (uint64_t i = 0; i < n; i++) item(b, (char *)values + i * size, size);
}

static void chip_section(bytes *b, ff_ssp_program *p) {
  for (size_t i = 0; ff_ssp_field_at(i) != NULL; i++) item(b, (char *)&p->chip + ff_ssp_field_at(i)->offset, 4);
}

static void prog_section(bytes *b, ff_ssp_program *p) {
  item(b, &p->n_species, 4);
  item(b, &p->n_reactions, 4);
  item(b, &p->optimise, 4);
  item(b, &p->seed, 8);
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    ff_ssp_unit *unit = &p->units[j];
    item(b, &unit->n_local, 4);
    item(b, &unit->n_stream, 4);
    item(b, &unit->n_fetches, 4);
    item(b, &unit->n_internal, 4);
  }
}

static void maps_section(bytes *b, ff_ssp_program *p) {
  items(b, p->lanes, 4 * (uint64_t)p->chip.rus, 4);
  items(b, p->copies, 4 * (uint64_t)p->chip.rus * p->chip.spes, 4);
  items(b, p->vectors_at, 4 * (uint64_t)p->chip.spes, 4);
}

/* All sections but those of names. */
static void section(int which, bytes *b, ff_ssp_program *p) {
  const uint64_t n = p->n_species, m = p->n_reactions;
  switch (which) {
    case CHIP: chip_section(b, p); return;
    case PROG: prog_section(b, p); return;
    case VECT: items(b, p->vectors, m * FF_SSP_CHANGES, 4); return;
    case INIT: items(b, p->initial, n, 4); return;
    case SPEC: items(b, p->species, n, 4); return;
    case MAPS: maps_section(b, p); return;
    default: break;
  }
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    ff_ssp_unit *unit = &p->units[j];
    const uint64_t words = (uint64_t)unit->n_local + unit->n_stream;
    if (which == WORD) items(b, unit->words, words, 8);
    if (which == RATE && p->chip.precision == 64) items(b, unit->rates, words, 8);
    if (which == FETC) items(b, unit->fetches, unit->n_fetches, 4);
    if (which == STAY) items(b, unit->internal, unit->n_internal, 4);
  }
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static size_t size_of_names(const ff_ssp_program *p) {
  size_t n = 0;
  for (size_t i = 0; p->names != NULL && i < (size_t)p->n_species + p->n_reactions; i++) n += strlen(p->names[i]) + 1;
  return n;
}

static void write_names(uint8_t *at, const ff_ssp_program *p) {
  for (size_t i = 0; p->names != NULL && i < (size_t)p->n_species + p->n_reactions; i++) {
    const size_t size = strlen(p->names[i]) + 1;
    memcpy(at, p->names[i], size);
    at += size;
  }
}

/* Writing does not change a program, although the functions of both ways could. */
static size_t size_of_section(int which, ff_ssp_program *p) {
  bytes count = {.at = NULL};
  if (which == NAME) return size_of_names(p);
  section(which, &count, p);
  return which == CHIP ? count.n + PART_NAME : count.n;
}

static void write_section(int which, uint8_t *at, size_t size, ff_ssp_program *p) {
  bytes b = {.at = at, .end = size};
  if (which == NAME) {
    write_names(at, p);
    return;
  }
  section(which, &b, p);
  if (which == CHIP) strncpy((char *)at + b.n, ff_dram_part_at(p->chip.part)->name, PART_NAME - 1);
}

ff_status ff_ssp_image(uint8_t **out, size_t *n, const ff_ssp_program *program, ff_error *err) {
  ff_ssp_program p = *program;
  size_t size[SECTIONS], total = HEAD + SECTIONS * ENTRY;
  for (int i = 0; i < SECTIONS; i++) total += size[i] = size_of_section(i, &p);
  uint8_t *image = ff_calloc(total, 1);
  *out = NULL;
  if (image == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for a program file of %zu bytes", total);
  uint32_t table[256], head[3] = {VERSION, SECTIONS, 0};
  make_crc_table(table);
  bytes entries = {.at = image, .n = HEAD, .end = HEAD + SECTIONS * ENTRY};
  uint64_t at = HEAD + SECTIONS * ENTRY;
  for (int i = 0; i < SECTIONS; i++) {
    write_section(i, image + at, size[i], &p);
    memcpy(image + entries.n, section_names[i], 4);
    entries.n += 4;
    uint32_t sum = crc(table, image + at, size[i]);
    uint64_t length = size[i];
    item(&entries, &sum, 4);
    item(&entries, &at, 8);
    item(&entries, &length, 8);
    at += length;
  }
  memcpy(image, MAGIC, MAGIC_SIZE);
  head[2] = crc(table, image + HEAD, SECTIONS * ENTRY);
  bytes first = {.at = image, .n = MAGIC_SIZE, .end = HEAD};
  items(&first, head, 3, 4);
  *out = image;
  *n = total;
  return FF_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  const uint8_t *bytes;
  size_t n;
  uint64_t at[SECTIONS], size[SECTIONS];
  ff_ssp_program *p;
  ff_error *err;
} reader;

static ff_status bad(const reader *r, const char *what) {
  return ff_error_set(r->err, FF_EPARSE, "this is no program of a Stochastic Simulation Processor, or it is damaged: %s", what);
}

static bytes bytes_of(const reader *r, int which) {
  return (bytes){.at = (uint8_t *)(uintptr_t)(r->bytes + r->at[which]), .end = (size_t)r->size[which], .reads = 1};
}

static ff_status read_table(reader *r) {
  if (r->n < HEAD + SECTIONS * ENTRY || memcmp(r->bytes, MAGIC, MAGIC_SIZE) != 0) return bad(r, "it does not begin like one");
  uint32_t table[256], head[3];
  make_crc_table(table);
  bytes b = {.at = (uint8_t *)(uintptr_t)r->bytes, .n = MAGIC_SIZE, .end = r->n, .reads = 1};
  items(&b, head, 3, 4);
  if (head[0] != VERSION)
    return ff_error_set(r->err, FF_EPARSE, "the program file has version %u; this version of fireflip reads version %u", head[0],
                        VERSION);
  if (head[1] != SECTIONS) return bad(r, "it has another number of sections");
  if (head[2] != crc(table, r->bytes + HEAD, SECTIONS * ENTRY)) return bad(r, "the checksum of its table is wrong");
  uint64_t end = HEAD + SECTIONS * ENTRY; /* sections follow each other, so each byte is under a checksum */
  for (int i = 0; i < SECTIONS; i++) {
    uint32_t sum;
    if (memcmp(r->bytes + b.n, section_names[i], 4) != 0) return bad(r, "a section is missing");
    b.n += 4;
    item(&b, &sum, 4);
    item(&b, &r->at[i], 8);
    item(&b, &r->size[i], 8);
    if (r->at[i] != end || r->size[i] > r->n - end) return bad(r, "a section is cut off, or not in its place");
    end += r->size[i];
    if (sum != crc(table, r->bytes + r->at[i], (size_t)r->size[i])) return bad(r, "the checksum of a section is wrong");
  }
  if (end != r->n) return bad(r, "something follows its last section");
  return FF_OK;
}

static ff_status read_chip(const reader *r, ff_ssp_chip *chip) {
  char name[PART_NAME + 1] = {0};
  ff_ssp_program p = {.chip = {0}};
  bytes b = bytes_of(r, CHIP);
  chip_section(&b, &p);
  if (b.n + PART_NAME != r->size[CHIP]) return bad(r, "its processor has other fields");
  memcpy(name, r->bytes + r->at[CHIP] + b.n, PART_NAME);
  for (size_t i = strlen(name); i < PART_NAME; i++)
    if (name[i] != 0) return bad(r, "the name of its memory is not clean");
  while (ff_dram_part_at(p.chip.part) != NULL && strcmp(ff_dram_part_at(p.chip.part)->name, name) != 0) p.chip.part++;
  if (ff_dram_part_at(p.chip.part) == NULL) return bad(r, "its memory is unknown");
  *chip = p.chip;
  return ff_ssp_chip_check(chip, r->err);
}

/* Makes room for a section whose size is what its numbers say; a file cannot ask for more memory than some times its own size. */
static ff_status make_room(reader *r) {
  ff_ssp_program *p = r->p;
  const size_t n = p->n_species, m = p->n_reactions, units = (size_t)p->chip.rus * p->chip.spes;
  int full = (p->vectors = ff_calloc(m * FF_SSP_CHANGES, sizeof *p->vectors)) == NULL;
  full |= (p->initial = ff_calloc(n, sizeof *p->initial)) == NULL;
  full |= (p->species = ff_calloc(n, sizeof *p->species)) == NULL;
  full |= (p->lanes = ff_calloc(p->chip.rus, sizeof *p->lanes)) == NULL;
  full |= (p->copies = ff_calloc(units, sizeof *p->copies)) == NULL;
  full |= (p->vectors_at = ff_calloc(p->chip.spes, sizeof *p->vectors_at)) == NULL;
  for (uint32_t j = 0; j < p->chip.rus && !full; j++) {
    ff_ssp_unit *unit = &p->units[j];
    const size_t words = (size_t)unit->n_local + unit->n_stream;
    full |= (unit->words = ff_calloc(words, sizeof *unit->words)) == NULL;
    full |= (unit->fetches = ff_calloc(unit->n_fetches, sizeof *unit->fetches)) == NULL;
    full |= (unit->internal = ff_calloc(unit->n_internal, sizeof *unit->internal)) == NULL;
    if (p->chip.precision == 64) full |= (unit->rates = ff_calloc(words, sizeof *unit->rates)) == NULL;
  }
  return full ? ff_error_set(r->err, FF_EMEMORY, "no memory for a program of %zu reactions", m) : FF_OK;
}

static ff_status read_names(reader *r) {
  ff_ssp_program *p = r->p;
  const size_t all = (size_t)p->n_species + p->n_reactions;
  const char *at = (const char *)r->bytes + r->at[NAME], *end = at + r->size[NAME];
  if (at == end && all > 0) return FF_OK;
  p->names = ff_calloc(all, sizeof *p->names);
  if (p->names == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for %zu names", all);
  for (size_t i = 0; i < all; i++) {
    const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    if (stop == NULL) return bad(r, "it lacks names");
    if (!ff_utf8_valid(at, (size_t)(stop - at))) return bad(r, "a name is not UTF-8");
    p->names[i] = ff_strndup(at, (size_t)(stop - at));
    if (p->names[i] == NULL) return ff_error_set(r->err, FF_EMEMORY, "no memory for %zu names", all);
    at = stop + 1;
  }
  return at == end ? FF_OK : bad(r, "it has too many names");
}

static ff_status read_sections(reader *r) {
  ff_ssp_program *p = r->p;
  bytes prog = bytes_of(r, PROG);
  prog_section(&prog, p);
  if (prog.n != r->size[PROG]) return bad(r, "it has another number of RUs");
  if (p->n_species > FF_SSP_MAX_SPECIES || p->n_reactions > FF_SSP_MAX_REACTIONS) return bad(r, "it has too many species");
  for (int i = WORD; i < NAME; i++)
    if (size_of_section(i, p) != r->size[i]) return bad(r, "a section has a wrong length");
  ff_status status = make_room(r);
  for (int i = WORD; i < NAME && status == FF_OK; i++) {
    bytes b = bytes_of(r, i);
    section(i, &b, p);
  }
  if (status == FF_OK) status = read_names(r);
  return status == FF_OK ? ff_ssp_check(p, r->err) : status;
}

ff_status ff_ssp_image_read(ff_ssp_program **out, const uint8_t *image, size_t n, ff_error *err) {
  reader r = {.bytes = image, .n = n, .err = err};
  ff_ssp_chip chip;
  *out = NULL;
  ff_status status = read_table(&r);
  if (status == FF_OK) status = read_chip(&r, &chip);
  if (status == FF_OK) status = ff_ssp_program_new(&r.p, &chip, err);
  if (status != FF_OK) return status;
  status = read_sections(&r);
  if (status != FF_OK) {
    ff_ssp_program_free(r.p);
    return status;
  }
  *out = r.p;
  return FF_OK;
}
