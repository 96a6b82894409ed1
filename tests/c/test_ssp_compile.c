/* The compiler of the Stochastic Simulation Processor, its checker and its files. */
#include "../../src/ssp/compile/ff_ssp_compile.h"

#include "ssp_networks.h"

static ff_ssp_program *compile(const ff_reactions *net, const ff_ssp_chip *chip, ff_ssp_optimise optimise, uint64_t seed) {
  ff_ssp_program *p = NULL;
  ff_error err;
  FF_CHECK_OK(ff_ssp_compile(&p, net, chip, optimise, seed, &err), &err);
  return p;
}

/* ---- what a program evaluates, read anew from its words -------------------------------------------------------------- */

/* What the instructions of a program say of a reaction. */
typedef struct {
  uint32_t n, type, species[2], unit;
  double rate;
} evaluated;

/* Executes the lists of all RUs once, in a way of its own: it follows which species is where. *copies becomes how many species an
 * RU reads, added up. */
static evaluated *evaluate(const ff_ssp_program *p, uint32_t *dummies, uint64_t *copies) {
  evaluated *out = ff_calloc(p->n_reactions, sizeof *out);
  uint32_t *reader = ff_calloc(p->n_species, sizeof *reader); /* of a species: the last RU that reads it, from 1 */
  *copies = 0;
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    const ff_ssp_unit *unit = &p->units[j];
    uint32_t in[FF_SSP_MAX_ENTRIES], fetch = 0, offset = 0;
    for (uint32_t i = 0; i < unit->n_internal; i++) in[i] = unit->internal[i];
    for (uint32_t i = 0; i < unit->n_local + unit->n_stream; i++) {
      const ff_ssp_instruction at = ff_ssp_unpack(unit->words[i]);
      if (at.op == FF_SSP_FIFO) {
        in[at.entry] = ff_ssp_fetch_spid(unit->fetches[fetch]) + offset++;
        if (offset == ff_ssp_fetch_length(unit->fetches[fetch])) {
          fetch++;
          offset = 0;
        }
      }
      if (!ff_ssp_is_source(at) && reader[in[at.entry]] != j + 1) {
        reader[in[at.entry]] = j + 1;
        ++*copies;
      }
      if (ff_ssp_is_dummy(at)) {
        dummies[p->species[in[at.entry]]]++;
        continue;
      }
      float rate;
      memcpy(&rate, &at.rate, sizeof rate);
      evaluated *e = &out[at.tag];
      e->type = at.type;
      e->rate = unit->rates != NULL ? unit->rates[i] : (double)rate;
      if (e->n < 2) e->species[e->n] = ff_ssp_is_source(at) ? UINT32_MAX : p->species[in[at.entry]];
      e->unit = j;
      e->n++;
    }
  }
  free(reader);
  return out;
}

static int reads(const evaluated *e, uint32_t a, uint32_t b) {
  return (e->species[0] == a && e->species[1] == b) || (e->species[0] == b && e->species[1] == a);
}

/* The program evaluates what the network says. */
static void check_evaluates(const ff_ssp_program *p, const ff_reactions *net) {
  uint32_t *dummies = ff_calloc(p->n_species, sizeof *dummies);
  uint64_t read, copies;
  ff_error err;
  evaluated *all = evaluate(p, dummies, &read);
  FF_CHECK_OK(ff_ssp_count_copies(&copies, p, &err), &err);
  FF_CHECK_INT(copies, read);
  for (uint32_t r = 0; r < net->n_reactions; r++) {
    const ff_reaction *reaction = &net->reactions[r];
    const evaluated *e = &all[r];
    double rate;
    FF_CHECK(ff_formula_is_number(&reaction->rate, &rate));
    if (p->chip.precision == 32) rate = (double)(float)rate;
    const uint32_t n = reaction->n_reactants;
    if (n == 0) FF_CHECK(e->n == 1 && e->type == FF_SSP_SPECIAL && e->rate == rate);
    if (n == 1 && reaction->reactants[0].count == 1)
      FF_CHECK(e->n == 1 && e->type == FF_SSP_UNI && e->species[0] == reaction->reactants[0].species && e->rate == rate);
    if (n == 1 && reaction->reactants[0].count == 2)
      FF_CHECK(e->n == 1 && e->type == FF_SSP_BI1 && e->species[0] == reaction->reactants[0].species && e->rate == rate / 2);
    if (n == 2)
      FF_CHECK(e->n == 2 && e->type == FF_SSP_BI2 && e->rate == rate &&
               reads(e, reaction->reactants[0].species, reaction->reactants[1].species));
    /* The change of each species is products minus reactants. */
    for (int side = 0; side < 2; side++) {
      const ff_participant *of = side == 0 ? reaction->reactants : reaction->products;
      for (uint32_t i = 0; i < (side == 0 ? n : reaction->n_products); i++) {
        int want = 0, got = 0;
        for (uint32_t k = 0; k < n; k++)
          want -= reaction->reactants[k].species == of[i].species ? (int)reaction->reactants[k].count : 0;
        for (uint32_t k = 0; k < reaction->n_products; k++)
          want += reaction->products[k].species == of[i].species ? (int)reaction->products[k].count : 0;
        for (uint32_t k = 0; k < FF_SSP_CHANGES; k++) {
          const uint32_t change = p->vectors[(size_t)r * FF_SSP_CHANGES + k];
          if (change != 0 && p->species[ff_ssp_change_spid(change)] == of[i].species) got += ff_ssp_change_by(change);
        }
        FF_CHECK_INT(got, want);
      }
    }
  }
  for (uint32_t s = 0; s < p->n_species; s++) FF_CHECK(dummies[s] <= 1);
  for (uint32_t i = 0; i < p->n_species; i++) FF_CHECK(p->initial[i] == (uint32_t)net->initial[p->species[i]]);
  free(all);
  free(dummies);
}

static ff_ssp_chip random_chip(uint64_t *state) {
  ff_ssp_chip chip = ff_ssp_chip_default();
  static const uint32_t rus[] = {1, 2, 3, 8, 17, 64};
  chip.rus = rus[below(state, 6)];
  chip.spes = 1 + below(state, 3);
  chip.internal = below(state, 3) * 4;
  chip.cached = 1 + below(state, 8);
  chip.merger = 1 + below(state, 3);
  chip.reaction_memory = 16 * (1 + below(state, 10));
  chip.precision = below(state, 3) == 0 ? 64 : 32;
  chip.ranks = 1 + below(state, 4);
  chip.channels = 2 + below(state, 7);
  chip.reaction_channels = 1 + below(state, chip.channels - 1);
  return chip;
}

/* Random networks, chips that are much too small, and all optimisations. */
static void programs_evaluate_the_network(void) {
  uint64_t state = 1;
  ff_error err;
  for (int i = 0; i < 300; i++) {
    ff_reactions *net = random_network(&state, 1 + below(&state, 40), 1 + below(&state, 120));
    const ff_ssp_chip chip = random_chip(&state);
    for (int optimise = 0; optimise < FF_SSP_OPTIMISES; optimise++) {
      ff_ssp_program *p = compile(net, &chip, (ff_ssp_optimise)optimise, (uint64_t)i);
      if (p == NULL) continue;
      FF_CHECK_OK(ff_ssp_check(p, &err), &err);
      check_evaluates(p, net);
      ff_ssp_program_free(p);
    }
    ff_reactions_free(net);
  }
}

/* ---- the paper's example ---------------------------------------------------------------------------------------------- */

/* Section IV: RNA, DNA, P, V become S0 to S3, and the order is R_d, R_p, R_n1, R_r, R_v, R_n2 and a dummy of V. Reactions are
 * those of ssp.md: DNA and P are B and C, RNA is A, V is D. */
static void the_papers_example_has_its_order(void) {
  static const reaction_text reactions[] = {
      {"A -> A + B", "1"}, {"A -> A + C", "1000"}, {"A -> 0", "0.25"}, {"B -> A", "0.025"}, {"B + C -> D", "7.5e-6"},
      {"C -> 0", "1.99"},  {NULL, NULL}};
  static const double initial[] = {1, 0, 0, 0};
  ff_reactions *net = network_of(reactions, initial, 4);
  const ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *p = compile(net, &chip, FF_SSP_PAPER, 0);
  if (p == NULL) return;
  static const uint32_t order[] = {0, 1, 2, 3};
  FF_CHECK(memcmp(p->species, order, sizeof order) == 0);
  FF_CHECK_INT(p->units[0].n_local, 8);
  FF_CHECK_INT(p->units[0].n_stream, 0);
  uint32_t tags[8], n = 0;
  for (uint32_t i = 0; i < 8; i++) {
    const ff_ssp_instruction at = ff_ssp_unpack(p->units[0].words[i]);
    FF_CHECK_INT(at.op, FF_SSP_SPAD);
    tags[n++] = at.tag;
  }
  /* Reactions of one species come first, then those of two. */
  static const uint32_t want[] = {0, 1, 2, 3, 5, FF_SSP_NO_TAG, 4, 4};
  FF_CHECK(memcmp(tags, want, sizeof want) == 0);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* ---- the benchmark ---------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t instructions, most, fetched, requests;
} load;

static load load_of(const ff_ssp_program *p) {
  load out = {0};
  for (uint32_t j = 0; j < p->chip.rus; j++) {
    const ff_ssp_unit *unit = &p->units[j];
    const uint64_t n = (uint64_t)unit->n_local + unit->n_stream;
    out.instructions += n;
    if (n > out.most) out.most = n;
    for (uint32_t i = 0; i < unit->n_fetches; i++) {
      const uint32_t spid = ff_ssp_fetch_spid(unit->fetches[i]), length = ff_ssp_fetch_length(unit->fetches[i]);
      out.fetched += length;
      out.requests += (spid + length - 1) / p->chip.per_request - spid / p->chip.per_request + 1;
    }
  }
  return out;
}

/* The networks of Table II: the numbers of instructions, and how many species pass by. For these, another program that was
 * written after the paper gives the thousands in `fetched`. */
static void table_2_has_its_instructions(void) {
  static const uint32_t rus[] = {8, 16, 32};
  static const double fetched[2][2][3] = {{{29.4, 26.0, 19.1}, {27.6, 30.7, 24.6}}, {{70.3, 66.5, 58.8}, {59.4, 69.6, 65.5}}};
  for (uint32_t large = 0; large < 2; large++) {
    const uint32_t copies = 4096u << large, sets = 1024u << large;
    ff_reactions *net = aggregation_network(copies, sets, 1);
    for (int k = 0; k < 3; k++) {
      ff_ssp_chip chip = ff_ssp_chip_default();
      chip.rus = rus[k];
      load of[FF_SSP_OPTIMISES];
      for (int optimise = 0; optimise < FF_SSP_OPTIMISES; optimise++) {
        ff_ssp_program *p = compile(net, &chip, (ff_ssp_optimise)optimise, 1);
        ff_error err;
        FF_CHECK_OK(ff_ssp_check(p, &err), &err);
        of[optimise] = load_of(p);
        FF_CHECK_INT(of[optimise].instructions, 10ull * copies);
        ff_ssp_program_free(p);
      }
      /* Without optimisation each species pair is a request of its own. Whole groups fit into the scratchpads. */
      FF_CHECK(of[FF_SSP_NONE].requests > 99 * of[FF_SSP_NONE].fetched / 100);
      for (int i = 0; i < FF_SSP_LOCALITY; i++) FF_CHECK_NEAR((double)of[i].fetched / 1000, fetched[large][i][k], 0.2);
      FF_CHECK_INT(of[FF_SSP_LOCALITY].fetched, 0);
      FF_CHECK_INT(of[FF_SSP_LOCALITY].most, 10 * copies / chip.rus);
    }
    ff_reactions_free(net);
  }
}

/* A program gives its network back: compiled again, it evaluates the same. */
static void programs_have_their_network(void) {
  uint64_t state = 9;
  ff_error err;
  for (int i = 0; i < 60; i++) {
    ff_reactions *net = random_network(&state, 1 + below(&state, 30), 1 + below(&state, 80)), *back = NULL;
    ff_ssp_chip chip = random_chip(&state);
    chip.precision = 64;
    ff_ssp_program *p = compile(net, &chip, (ff_ssp_optimise)(i % FF_SSP_OPTIMISES), 7);
    FF_CHECK_OK(ff_ssp_decompile(&back, p, &err), &err);
    if (back != NULL) {
      FF_CHECK_INT(back->n_reactions, net->n_reactions);
      for (uint32_t r = 0; r < net->n_reactions; r++) {
        const ff_reaction *x = &net->reactions[r], *y = &back->reactions[r];
        double rate, other;
        FF_CHECK(ff_formula_is_number(&x->rate, &rate) && ff_formula_is_number(&y->rate, &other) && rate == other);
        FF_CHECK(x->n_reactants == y->n_reactants && x->n_products == y->n_products);
        for (uint32_t k = 0; k < x->n_reactants && k < y->n_reactants; k++)
          FF_CHECK(x->reactants[k].species == y->reactants[k].species && x->reactants[k].count == y->reactants[k].count);
        for (uint32_t k = 0; k < x->n_products && k < y->n_products; k++)
          FF_CHECK(x->products[k].species == y->products[k].species && x->products[k].count == y->products[k].count);
      }
    }
    ff_ssp_program_free(p);
    ff_reactions_free(net);
    ff_reactions_free(back);
  }
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------- */

static void check_refused(const reaction_text *reactions, const double *initial, uint32_t n, ff_status status, const char *says) {
  ff_reactions *net = network_of(reactions, initial, n);
  const ff_ssp_chip chip = ff_ssp_chip_default();
  ff_ssp_program *p;
  ff_error err = {.text = ""};
  FF_CHECK_INT(ff_ssp_compile(&p, net, &chip, FF_SSP_PAPER, 0, &err), status);
  FF_CHECK_SAY(p == NULL && strstr(err.text, says) != NULL, "%s", err.text);
  ff_reactions_free(net);
}

static void others_are_refused_by_name(void) {
  static const double ten[] = {10, 10, 10, 10, 10, 10, 10, 10, 10}, many[] = {4294967296.0, 1};
  static const struct {
    reaction_text reaction;
    ff_status status;
    const char *says;
  } all[] = {
      {{"A + B + C -> D", "1"}, FF_EUNSUPPORTED, "reaction \"R1\" is not elementary: it has more than two reactants"},
      {{"3 A -> B", "1"}, FF_EUNSUPPORTED, "more than two reactants"},
      {{"A -> B", "=A / (1 + A)"}, FF_EUNSUPPORTED, "its rate is not that of mass action"},
      {{"A -> B", "=2 * time"}, FF_EUNSUPPORTED, "its rate depends on the time"},
      {{"A -> B", "=3"}, FF_EUNSUPPORTED, "its rate is not that of mass action"}, /* it would fire without A */
      {{"A -> 128 B", "1"}, FF_EUNSUPPORTED, "reaction \"R1\" changes \"B\" by 128"},
      {{"A -> B + C + D + E + F + G + H + I", "1"}, FF_EUNSUPPORTED, "changes more than the 8 species"},
      {{"A -> B", "1e-40"}, FF_ESIZE, "the rate constant of reaction \"R1\" is 1e-40"},
      {{"A -> B", "1e39"}, FF_ESIZE, "waiting times need 6.759"},
      {{"A -> B", "5e-38"}, FF_ESIZE, "waiting times need 6.759"}, /* 33 log(2) / 5e-38 is above 3.4e38 */
      {{"2 A -> B", "1e-37"}, FF_ESIZE, "1e-37; with 32 bits, propensities and waiting times need 1.3518"},
      {{"2 A -> B", "4.9406564584124654e-324"}, FF_ESIZE, "half of it must be above 0"},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const reaction_text reactions[] = {all[i].reaction, {NULL, NULL}};
    check_refused(reactions, ten, 9, all[i].status, all[i].says);
  }
  static const reaction_text decay[] = {{"A -> B", "1"}, {NULL, NULL}};
  check_refused(decay, many, 2, FF_ESIZE, "the initial count of \"A\" is 4294967296");
}

/* Rates that are written as formulas are read if they have the form of mass action. */
static void formulas_of_mass_action_are_read(void) {
  static const reaction_text reactions[] = {
      {"2 A -> B", "=0.5 * A * (A - 1)"}, {"A -> B", "=3 * A * B"}, {"0 -> A", "=2 * 3"}, {NULL, NULL}};
  static const double initial[] = {10, 10};
  ff_reactions *net = network_of(reactions, initial, 2);
  ff_ssp_chip chip = ff_ssp_chip_default();
  chip.precision = 64;
  ff_ssp_program *p = compile(net, &chip, FF_SSP_PAPER, 0);
  uint32_t dummies[2] = {0};
  uint64_t copies;
  if (p == NULL) return;
  evaluated *all = evaluate(p, dummies, &copies);
  FF_CHECK_INT(copies, 2);
  FF_CHECK(all[0].type == FF_SSP_BI1 && all[0].rate == 0.5 && all[0].species[0] == 0);
  FF_CHECK(all[1].type == FF_SSP_BI2 && all[1].rate == 3 && reads(&all[1], 0, 1));
  FF_CHECK(all[2].type == FF_SSP_SPECIAL && all[2].rate == 6);
  free(all);
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

/* A rate of -0 is 0: its sign would change the tag of a word of 32 bits, and give a waiting time below 0 with 64 bits. */
static void rates_have_no_sign(void) {
  static const reaction_text reactions[] = {
      {"A -> B", "1"}, {"B -> A", "1"}, {"A + B -> C", "1"}, {"2 C -> A", "1"}, {NULL, NULL}};
  static const double initial[] = {10, 10, 10};
  ff_reactions *net = network_of(reactions, initial, 3);
  ff_error err;
  for (uint32_t r = 0; r < 4; r++) {
    ff_formula_free(&net->reactions[r].rate);
    FF_CHECK_OK(ff_formula_of_number(&net->reactions[r].rate, -0.0, &err), &err);
  }
  for (uint32_t bits = 32; bits <= 64; bits += 32) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    chip.precision = bits;
    ff_ssp_program *p = compile(net, &chip, FF_SSP_PAPER, 0);
    if (p == NULL) continue;
    FF_CHECK_OK(ff_ssp_check(p, &err), &err);
    check_evaluates(p, net);
    ff_ssp_program_free(p);
  }
  ff_reactions_free(net);
}

/* A program is moved to a processor with other units, channels and times; not to one for which other instructions are needed. */
static void programs_move(void) {
  ff_reactions *net = aggregation_network(64, 64, 1);
  ff_ssp_chip chip = ff_ssp_chip_default();
  ff_error err;
  chip.rus = 4;
  chip.internal = chip.cached = 16;
  ff_ssp_program *p = compile(net, &chip, FF_SSP_PAPER, 0);
  if (p == NULL) return;
  chip.spes = 9;
  chip.channels = 3;
  chip.reaction_channels = 1;
  chip.latency = 40;
  FF_CHECK_OK(ff_ssp_program_move(p, &chip, &err), &err);
  FF_CHECK_OK(ff_ssp_check(p, &err), &err);
  chip.merger = 31;
  FF_CHECK(ff_ssp_program_move(p, &chip, &err) == FF_EARGUMENT && strstr(err.text, "another `merger`") != NULL);
  chip.merger = 32;
  chip.spes = 1024;
  chip.ranks = 1;
  FF_CHECK_OK(ff_ssp_program_move(p, &chip, &err), &err); /* 4,096 copies of one row each in 2 channels of 16,384 rows */
  ff_ssp_program_free(p);
  ff_reactions_free(net);
}

static void processors_are_checked(void) {
  static const struct {
    const char *says;
    uint32_t of[7]; /* rus, channels, reaction_channels, internal, per_request, precision, logarithm */
  } all[] = {{"`rus` of the processor is 0", {0, 8, 4, 512, 2, 32, 0}},
             {"`channels` of the processor is 1", {1, 1, 1, 512, 2, 32, 0}},
             {"must be below `channels`", {1, 3, 3, 512, 2, 32, 0}},   {"at most 1024 entries", {1, 8, 4, 513, 2, 32, 0}},
             {"must be 1, 2, 4, 8 or 16", {1, 8, 4, 512, 3, 32, 0}},   {"must be 32 or 64 bits", {1, 8, 4, 512, 2, 33, 0}},
             {"needs a precision of 32 bits", {1, 8, 4, 512, 2, 64, 8}}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    ff_ssp_chip chip = ff_ssp_chip_default();
    const uint32_t *v = all[i].of;
    ff_error err = {.text = ""};
    chip.rus = v[0], chip.channels = v[1], chip.reaction_channels = v[2], chip.internal = v[3], chip.per_request = v[4];
    chip.precision = v[5], chip.logarithm = v[6];
    FF_CHECK(ff_ssp_chip_check(&chip, &err) == FF_EARGUMENT);
    FF_CHECK_SAY(strstr(err.text, all[i].says) != NULL, "%s", err.text);
  }
  ff_ssp_chip chip = ff_ssp_chip_default();
  FF_CHECK(ff_ssp_chip_has_papers_size(&chip));
  chip.spes = chip.rus = 16;
  FF_CHECK(!ff_ssp_chip_has_papers_size(&chip));
}

/* ---- files ------------------------------------------------------------------------------------------------------------- */

static void files_round_trip(void) {
  uint64_t state = 5;
  ff_error err;
  for (int i = 0; i < 100; i++) {
    ff_reactions *net = random_network(&state, 1 + below(&state, 60), 1 + below(&state, 200));
    const ff_ssp_chip chip = random_chip(&state);
    ff_ssp_program *p = compile(net, &chip, (ff_ssp_optimise)(i % FF_SSP_OPTIMISES), 7), *q = NULL;
    uint8_t *bytes, *again;
    size_t n, m;
    FF_CHECK_OK(ff_ssp_image(&bytes, &n, p, &err), &err);
    FF_CHECK_OK(ff_ssp_image_read(&q, bytes, n, &err), &err);
    if (q != NULL) {
      FF_CHECK_OK(ff_ssp_image(&again, &m, q, &err), &err);
      FF_CHECK(n == m && memcmp(bytes, again, n) == 0);
      check_evaluates(q, net);
      free(again);
    }
    free(bytes);
    ff_ssp_program_free(p);
    ff_ssp_program_free(q);
    ff_reactions_free(net);
  }
}

FF_TEST_MAIN("ssp_compile", programs_evaluate_the_network, the_papers_example_has_its_order, table_2_has_its_instructions,
             programs_have_their_network, others_are_refused_by_name, formulas_of_mass_action_are_read, rates_have_no_sign,
             programs_move, processors_are_checked, files_round_trip)
