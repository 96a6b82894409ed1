/* The checker of programs for the Stochastic Simulation Processor, and damaged files. */
#include "../../src/ssp/compile/ff_ssp_compile.h"

#include "ssp_networks.h"

/* A program with all that can be broken: three RUs with species that stay and that pass by, halves that wait, dummies, a source,
 * and instructions in both memories. */
static ff_ssp_program *example(ff_ssp_optimise optimise) {
  uint64_t state = 4;
  ff_reactions *net = random_network(&state, 40, 120);
  ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *p = NULL;
  ff_error err;
  chip.rus = 3;
  chip.spes = 2;
  chip.internal = 4;
  chip.cached = 6;
  chip.merger = 2;
  chip.reaction_memory = 160;
  FF_CHECK_OK(ff_ssp_compile(&p, net, &chip, optimise, 1, &err), &err);
  FF_CHECK_OK(ff_ssp_check(p, &err), &err);
  ff_reactions_free(net);
  return p;
}

/* ---- changes of words ------------------------------------------------------------------------------------------------ */

static uint32_t size_of(const ff_ssp_unit *unit) { return unit->n_local + unit->n_stream; }

/* The n-th instruction of this type and op, of any RU. Sets *unit. */
static uint64_t *word_of(ff_ssp_program *p, uint32_t type, uint32_t op, int dummy, ff_ssp_unit **unit) {
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    for (uint32_t i = 0; i < size_of(&p->units[j]); i++) {
      const ff_ssp_instruction at = ff_ssp_unpack(p->units[j].words[i]);
      *unit = &p->units[j];
      if (at.type == type && at.op == op && ff_ssp_is_dummy(at) == dummy) return &p->units[j].words[i];
    }
  }
  FF_CHECK_SAY(0, "no instruction of type %u with op %u", type, op);
  return p->units[0].words;
}

static void change_word(uint64_t *word, uint32_t tag, uint32_t op, uint32_t entry, uint32_t rate) {
  ff_ssp_instruction at = ff_ssp_unpack(*word);
  if (tag != UINT32_MAX) at.tag = tag;
  if (op != UINT32_MAX) at.op = op;
  if (entry != UINT32_MAX) at.entry = entry;
  if (rate != UINT32_MAX) at.rate = rate;
  *word = ff_ssp_pack(at);
}

#define KEEP UINT32_MAX

static void lacks_its_last_instruction(ff_ssp_program *p) { p->units[0].n_stream--; }
static void repeats_a_reaction(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  uint64_t *word = word_of(p, FF_SSP_UNI, FF_SSP_SPAD, 0, &unit);
  const uint32_t tag = ff_ssp_unpack(*word).tag;
  for (uint32_t j = p->chip.rus; j-- > 0;) {
    for (uint32_t i = 0; i < size_of(&p->units[j]); i++) {
      const ff_ssp_instruction at = ff_ssp_unpack(p->units[j].words[i]);
      if (at.type == FF_SSP_UNI && at.tag != tag) change_word(&p->units[j].words[i], tag, KEEP, KEEP, KEEP);
    }
  }
}
static void names_no_reaction(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  change_word(word_of(p, FF_SSP_UNI, FF_SSP_SPAD, 0, &unit), p->n_reactions, KEEP, KEEP, KEEP);
}
static void reads_an_empty_entry(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  uint64_t *word = word_of(p, FF_SSP_UNI, FF_SSP_FIFO, 0, &unit);
  change_word(word, KEEP, FF_SSP_SPAD, KEEP, KEEP);
}
static void takes_what_is_not_fetched(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  uint64_t *word = word_of(p, FF_SSP_BI2, FF_SSP_SPAD, 0, &unit);
  change_word(word, KEEP, FF_SSP_FIFO, p->chip.internal + p->chip.cached - 1, KEEP);
}
static void overwrites_what_stays(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  change_word(word_of(p, FF_SSP_UNI, FF_SSP_FIFO, 0, &unit), KEEP, KEEP, 0, KEEP);
}
static void names_an_entry_too_far(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  change_word(word_of(p, FF_SSP_UNI, FF_SSP_FIFO, 0, &unit), KEEP, KEEP, p->chip.internal + p->chip.cached, KEEP);
}
static void has_no_finite_rate(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  change_word(word_of(p, FF_SSP_UNI, FF_SSP_SPAD, 0, &unit), KEEP, KEEP, KEEP, 0x7F800000u);
}
static void has_a_dummy_that_fires(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  uint64_t *word = word_of(p, FF_SSP_SPECIAL, FF_SSP_FIFO, 1, &unit);
  change_word(word, KEEP, KEEP, KEEP, 0x3F800000u);
}
/* Programs of 64 bits have their rates apart. */
static void has_a_rate_of_minus_0(ff_ssp_program *p) {
  const ff_ssp_unit *unit = &p->units[0];
  p->units[0].rates = ff_calloc(size_of(unit), sizeof *unit->rates);
  for (uint32_t i = 0; i < size_of(unit); i++) change_word(&unit->words[i], KEEP, KEEP, KEEP, 0);
  unit->rates[0] = -0.0;
}
static void has_a_rate_that_cannot_be_doubled(ff_ssp_program *p) {
  has_a_rate_of_minus_0(p);
  const ff_ssp_unit *unit = &p->units[0];
  for (uint32_t i = 0; i < size_of(unit); i++)
    unit->rates[i] = ff_ssp_unpack(unit->words[i]).type == FF_SSP_BI1 ? 1e308 : 0;
}
static void has_a_source_that_reads(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  change_word(word_of(p, FF_SSP_SPECIAL, FF_SSP_SPAD, 0, &unit), KEEP, KEEP, 1, KEEP);
}
static void reads_one_species_twice(ff_ssp_program *p) {
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    ff_ssp_unit *unit = &p->units[j];
    for (uint32_t i = 0; i + 1 < size_of(unit); i++) {
      const ff_ssp_instruction x = ff_ssp_unpack(unit->words[i]), y = ff_ssp_unpack(unit->words[i + 1]);
      if (x.type != FF_SSP_BI2 || y.type != FF_SSP_BI2 || x.tag != y.tag || y.op != FF_SSP_SPAD) continue;
      change_word(&unit->words[i + 1], KEEP, KEEP, x.entry, KEEP);
      return;
    }
  }
}

static void has_halves_of_two_rates(ff_ssp_program *p) {
  ff_ssp_unit *unit;
  uint64_t *word = word_of(p, FF_SSP_BI2, FF_SSP_SPAD, 0, &unit);
  change_word(word, KEEP, KEEP, KEEP, ff_ssp_unpack(*word).rate ^ 1u);
}

/* ---- changes of lists ------------------------------------------------------------------------------------------------- */

static void fetches_no_species(ff_ssp_program *p) {
  uint32_t *last = &p->units[0].fetches[p->units[0].n_fetches - 1];
  *last = ff_ssp_fetch(p->n_species, ff_ssp_fetch_length(*last));
}
static void fetches_one_more(ff_ssp_program *p) {
  uint32_t *last = &p->units[1].fetches[p->units[1].n_fetches - 1];
  *last = ff_ssp_fetch(ff_ssp_fetch_spid(*last) - 1, ff_ssp_fetch_length(*last) + 1);
}
static void fetches_less(ff_ssp_program *p) { p->units[2].n_fetches--; }
static void fetches_what_stays(ff_ssp_program *p) { p->units[0].fetches[0] = ff_ssp_fetch(p->units[0].internal[1], 1); }
static void keeps_a_species_twice(ff_ssp_program *p) { p->units[0].internal[0] = p->units[0].internal[1]; }
static void keeps_no_species(ff_ssp_program *p) { p->units[0].internal[0] = p->n_species; }
static void keeps_too_many(ff_ssp_program *p) { p->units[0].n_internal = p->chip.internal + p->chip.cached + 1; }
static void has_too_many_local(ff_ssp_program *p) {
  p->units[0].n_local++;
  p->units[0].n_stream--;
}
static void changes_no_species(ff_ssp_program *p) { p->vectors[0] = ff_ssp_change(p->n_species, 1); }
static void changes_a_species_twice(ff_ssp_program *p) {
  p->vectors[0] = ff_ssp_change(0, 1);
  p->vectors[1] = ff_ssp_change(0, 1);
}
static void leaves_a_change_out(ff_ssp_program *p) {
  for (uint32_t k = 0; k < FF_SSP_CHANGES; k++) p->vectors[k] = 0;
  p->vectors[1] = ff_ssp_change(0, 1);
}
static void changes_nothing(ff_ssp_program *p) { p->vectors[0] = ff_ssp_change(3, 0); }
static void takes_more_than_it_reads(ff_ssp_program *p) {
  for (uint32_t k = 0; k < FF_SSP_CHANGES; k++) p->vectors[k] = 0;
  p->vectors[0] = ff_ssp_change(0, -3);
}
static void has_two_of_a_number(ff_ssp_program *p) { p->species[0] = p->species[1]; }
static void has_copies_that_overlap(ff_ssp_program *p) { p->copies[1] = p->copies[0]; }
static void has_a_copy_too_far(ff_ssp_program *p) { p->copies[0].first_row = ff_dram_part_at(0)->rows; }
static void has_a_lane_too_short(ff_ssp_program *p) { p->lanes[0].lines--; }
static void has_too_few_registers(ff_ssp_program *p) { p->chip.merger = 1; }

static const struct {
  const char *name, *says; /* a part of the sentence */
  void (*spoil)(ff_ssp_program *p);
} faults[] = {
    {"lacks its last instruction", "", lacks_its_last_instruction},
    {"repeats a reaction", "repeats a reaction", repeats_a_reaction},
    {"names no reaction", "names a reaction that the network does not have", names_no_reaction},
    {"reads an empty entry", "", reads_an_empty_entry},
    {"takes what is not fetched", "", takes_what_is_not_fetched},
    {"overwrites what stays", "overwrites a species that stays", overwrites_what_stays},
    {"names an entry too far", "beyond the scratchpad", names_an_entry_too_far},
    {"has no finite rate", "a rate that is not finite", has_no_finite_rate},
    {"has a rate of -0", "has a rate of -0", has_a_rate_of_minus_0},
    {"has a rate that cannot be doubled", "a rate constant that is not finite", has_a_rate_that_cannot_be_doubled},
    {"has a dummy that fires", "is a dummy with a rate", has_a_dummy_that_fires},
    {"has a source that reads", "is a source that reads a species", has_a_source_that_reads},
    {"reads one species twice", "the same species as the other half", reads_one_species_twice},
    {"has halves of two rates", "another rate than the other half", has_halves_of_two_rates},
    {"fetches no species", "takes a species that the network does not have", fetches_no_species},
    {"fetches one more", "", fetches_one_more},
    {"fetches less", "no more are fetched", fetches_less},
    {"fetches what stays", "takes a species that also stays", fetches_what_stays},
    {"keeps a species twice", "has no species, or that of another entry", keeps_a_species_twice},
    {"keeps no species", "has no species, or that of another entry", keeps_no_species},
    {"keeps too many", "whose scratchpad has 10 entries", keeps_too_many},
    {"has too many local instructions", "in a memory for 20", has_too_many_local},
    {"changes no species", "is of no species, or 0", changes_no_species},
    {"changes a species twice", "changes a species twice", changes_a_species_twice},
    {"leaves a change out", "change 2 of reaction 1 comes after one that is not used", leaves_a_change_out},
    {"changes nothing", "is of no species, or 0", changes_nothing},
    {"takes more than it reads", "takes more of a species than it reads", takes_more_than_it_reads},
    {"has two of a number", "has the number of another one", has_two_of_a_number},
    {"has copies that overlap", "do not fit into their places", has_copies_that_overlap},
    {"has a copy too far", "do not fit into their places", has_a_copy_too_far},
    {"has a lane too short", "do not fit into their places", has_a_lane_too_short},
    {"has too few registers", "one more register of the merger", has_too_few_registers},
};

static void broken_programs_are_refused(void) {
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    ff_ssp_program *p = example(FF_SSP_PAPER);
    const uint32_t n_stream = p->units[0].n_stream, n_fetches = p->units[2].n_fetches;
    ff_error err = {.text = ""};
    faults[i].spoil(p);
    FF_CHECK_SAY(ff_ssp_check(p, &err) == FF_EMODEL, "a program that %s is accepted", faults[i].name);
    FF_CHECK_SAY(strstr(err.text, faults[i].says) != NULL, "%s: %s", faults[i].name, err.text);
    p->units[0].n_stream = n_stream;
    p->units[2].n_fetches = n_fetches;
    ff_ssp_program_free(p);
  }
}

/* Without a dummy, the change of its species would reach no copy. */
static void lost_dummies_are_noticed(void) {
  static const reaction_text reactions[] = {{"A -> A + B", "1"}, {"A -> 0", "0.1"}, {NULL, NULL}};
  static const double initial[] = {5, 0};
  ff_reactions *net = network_of(reactions, initial, 2);
  const ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *p;
  ff_error err;
  FF_CHECK_OK(ff_ssp_compile(&p, net, &chip, FF_SSP_PAPER, 0, &err), &err);
  FF_CHECK(ff_ssp_is_dummy(ff_ssp_unpack(p->units[0].words[2])));
  p->units[0].n_local--;
  FF_CHECK(ff_ssp_check(p, &err) == FF_EMODEL);
  FF_CHECK(strstr(err.text, "whose changes would be lost") != NULL);
  p->units[0].n_internal--;
  FF_CHECK(ff_ssp_check(p, &err) == FF_EMODEL);
  FF_CHECK(strstr(err.text, "changes a species that no RU reads") != NULL);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* ---- files ------------------------------------------------------------------------------------------------------------- */

/* Each byte that is damaged, and each length, is noticed: all of a file is under a checksum. */
static void damaged_files_are_refused(void) {
  ff_ssp_program *p = example(FF_SSP_LOCALITY), *q;
  uint8_t *bytes;
  size_t n;
  ff_error err;
  FF_CHECK_OK(ff_ssp_image(&bytes, &n, p, &err), &err);
  for (size_t i = 0; i < n; i++) {
    bytes[i] ^= 0x10;
    FF_CHECK_SAY(ff_ssp_image_read(&q, bytes, n, &err) == FF_EPARSE && q == NULL, "byte %zu", i);
    bytes[i] ^= 0x10;
  }
  for (size_t i = 0; i < n; i += 1 + i / 64) FF_CHECK_SAY(ff_ssp_image_read(&q, bytes, i, &err) == FF_EPARSE, "%zu bytes", i);
  bytes[8] = 9;
  FF_CHECK(ff_ssp_image_read(&q, bytes, n, &err) == FF_EPARSE && strstr(err.text, "has version 9") != NULL);
  free(bytes);
  ff_ssp_program_free(p);
}

FF_TEST_MAIN("ssp_check", broken_programs_are_refused, lost_dummies_are_noticed, damaged_files_are_refused)
