/* Replicated modules: what the analysis finds and what it refuses. */
#include "module_examples.h"
#include "random.h"

/* ---- the analysis ------------------------------------------------------------------------------------------------------- */

/* The propensity of each reaction is that of its kind and module, in random states, and its changes are those of its kind. Only
 * the rounding of three products and of a multiple of a rate differs. */
static void describes_reactions(const ff_ssa_program *p, const char *what) {
  const ff_ssa_modules *x = p->modules;
  uint64_t seed = 5;
  ff_ssa_path path;
  ff_error err;
  FF_CHECK_OK(ff_ssa_path_new(&path, p, FF_SSA_DIRECT, &err), &err);
  for (uint32_t s = 0; s < p->n_species; s++) path.count[s] = below(&seed, 1000);
  for (uint32_t q = 0; q < x->n_kinds; q++)
    for (uint32_t j = 0; j < x->n; j++) {
      const ff_ssa_module_kind *kind = x->kinds + q;
      const ff_ssa_module_term *term = x->terms + kind->term;
      const uint32_t r = x->reaction[q * x->n + j];
      const double a = term->hub == FF_MODULES_ONE ? 1 : path.count[x->species[j * x->n_species + term->hub]];
      const uint32_t at = ff_ssa_module_at(x, j, kind->offset);
      const double b = kind->species == FF_MODULES_ONE ? 1 : path.count[x->species[at * x->n_species + kind->species]];
      const double found = term->rate * a * (kind->weight * b - term->less), wanted = ff_ssa_path_propensity(&path, r);
      FF_CHECK_SAY(fabs(found - wanted) <= wanted * 5 * 0x1p-53, "%s: %.17g; expected %.17g", what, found, wanted);
      FF_CHECK_INT(kind->n_changes, p->change_first[r + 1] - p->change_first[r]);
      for (uint32_t i = 0; i < kind->n_changes; i++) {
        const ff_ssa_module_change *c = kind->changes + i;
        const uint32_t species = x->species[ff_ssa_module_at(x, j, c->offset) * x->n_species + c->species];
        int64_t by = 0;
        for (uint32_t k = p->change_first[r]; k < p->change_first[r + 1]; k++)
          if (p->changes[k].species == species) by = p->changes[k].by;
        FF_CHECK_INT(c->by, by);
      }
    }
  ff_ssa_path_free(&path);
}

/* Each reaction is of one kind and module, and each species of one module. */
static void covers_network(const ff_ssa_program *p) {
  const ff_ssa_modules *x = p->modules;
  uint8_t *seen = ff_calloc(p->n_species + p->n_reactions, 1);
  for (uint32_t i = 0; i < p->n_species; i++) seen[x->species[i]]++;
  for (uint32_t i = 0; i < x->n_kinds * x->n; i++) seen[p->n_species + x->reaction[i]]++;
  for (uint32_t i = 0; i < p->n_species + p->n_reactions; i++) FF_CHECK_INT(seen[i], 1);
  free(seen);
}

static void finds_modules(void) {
  const uint32_t sizes[] = {8, 9, 12, 100};
  for (size_t i = 0; i < MODULE_EXAMPLES * 16; i++) {
    const module_example *e = module_examples + i / 16;
    ff_ssa_program *p = program_of_modules(e, sizes[i % 4], i / 4 % 2, i / 8 % 2);
    FF_CHECK_SAY(p->modules != NULL, "%s: no modules", e->what);
    if (p->modules != NULL) {
      FF_CHECK_SAY(p->modules->n_terms == e->terms && p->modules->n_kinds == e->kinds && p->modules->n == sizes[i % 4],
                   "%s: %u terms and %u kinds; expected %u and %u", e->what, p->modules->n_terms, p->modules->n_kinds, e->terms,
                   e->kinds);
      describes_reactions(p, e->what);
      covers_network(p);
    }
    ff_ssa_program_free(p);
  }
}

/* The infections of the ring are one term, with weights. */
static void finds_weights(void) {
  ff_ssa_program *p = program_of_modules(module_examples, 10, 0, 0);
  const ff_ssa_modules *x = p->modules;
  const int32_t offsets[] = {0, 1, -1};
  const uint32_t weights[] = {10, 1, 1};
  FF_CHECK_INT(x->terms[0].n, 3);
  FF_CHECK_INT(x->terms[0].hub, 0);
  FF_CHECK(x->terms[0].rate == 0.0003);
  FF_CHECK_INT(x->terms[1].hub, FF_MODULES_ONE);
  for (uint32_t i = 0; i < 3; i++) {
    FF_CHECK_INT(x->kinds[i].species, 1);
    FF_CHECK_INT(x->kinds[i].offset, offsets[i]);
    FF_CHECK_INT(x->kinds[i].weight, weights[i]);
  }
  ff_ssa_program_free(p);
}

/* Calls `spoil` before the network of a ring is compiled, and expects no modules. */
static void expect_none(const char *what, void (*spoil)(ff_reactions *net)) {
  ff_error err;
  for (int layout = 0; layout < 4; layout++) {
    ff_reactions *net = network_of_modules(module_examples, 10, layout & 1, layout >> 1);
    spoil(net);
    FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
    ff_ssa_program *p = program_of_network(net);
    FF_CHECK_SAY(p->modules == NULL, "%s has modules", what);
    ff_ssa_program_free(p);
  }
}

static void set_rate(ff_reaction *r, double rate) {
  ff_error err;
  ff_formula_free(&r->rate);
  FF_CHECK_OK(ff_formula_of_number(&r->rate, rate, &err), &err);
}

static void spoil_rate(ff_reactions *net) { set_rate(net->reactions + 17, nextafter(net->reactions[17].rate.word[0].number, 1)); }

static void spoil_product(ff_reactions *net) { net->reactions[17].products[0].count++; }

static void spoil_reactant(ff_reactions *net) {
  ff_reaction *r = net->reactions + net->n_reactions - 1; /* a recovery */
  r->reactants[0].species = (r->reactants[0].species + 1) % net->n_species;
}

/* A line: one infection across its end never happens. */
static void spoil_ring(ff_reactions *net) {
  for (uint32_t r = 0; r < net->n_reactions; r++)
    if (net->reactions[r].n_reactants == 2 && net->reactions[r].reactants[0].species == 0 &&
        net->reactions[r].reactants[1].species > net->n_species / 2 - 3)
      set_rate(net->reactions + r, 0);
}

static void spoil_fixed(ff_reactions *net) { net->fixed[4] = 1; }

static void spoil_law(ff_reactions *net) {
  net->reactions[3].reactants[0].count = 3;
  net->reactions[3].n_reactants = 1;
}

static void leaves_other_networks(void) {
  expect_none("one other rate", spoil_rate);
  expect_none("one other product", spoil_product);
  expect_none("one other reactant", spoil_reactant);
  expect_none("a line", spoil_ring);
  expect_none("a fixed species", spoil_fixed);
  expect_none("another law", spoil_law);
  ff_ssa_program *p = program_of_modules(module_examples, FF_MODULES_LEAST - 1, 0, 0);
  ff_error err;
  ff_ssa_modules *modules;
  FF_CHECK(p->modules == NULL);
  FF_CHECK_OK(ff_ssa_modules_new(&modules, p, 3, &err), &err);
  FF_CHECK_INT(modules->n, FF_MODULES_LEAST - 1);
  ff_ssa_modules_free(modules);
  ff_ssa_program_free(p);
  p = program_of_modules(module_examples + 1, FF_MODULES_MOST * 2, 0, 0); /* also as modules of two species */
  FF_CHECK(p->modules == NULL);
  ff_ssa_program_free(p);
}

FF_TEST_MAIN("ssa_modules", finds_modules, finds_weights, leaves_other_networks)
