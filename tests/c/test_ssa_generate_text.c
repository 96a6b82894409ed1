/* The text that is generated for a reaction network: what it depends on, who owns it, and for which networks there is none. The
 * code is not compiled here; test_ssa_generate.c compares it with the engines of this processor. */
#include "../../src/cuda/ssa/generated/code/ff_ssa_generate.h"
#include "group_networks.h"

static const uint32_t shared_bytes = FF_SSA_SHARED_H200;

/* The order of the reactions is data, so that another seed needs no other code. */
static void the_code_does_not_depend_on_the_order(void) {
  static const reaction_text pairs[] = {{"0 -> A", "20"}, {"A + B -> C", "0.1"}, {"C -> A + B", "1"}, {"A -> 0", "0.3"},
                                        {NULL, NULL}};
  const double time = 1, initial[] = {3, 4, 0};
  const uint32_t species = 0;
  ff_ssa_program *programs[] = {program_of(pairs, initial, 3), program_of_regions(12, 30, 0)};
  for (int i = 0; i < 2; i++) {
    const ff_ssa_program *p = programs[i];
    uint32_t *order = ff_calloc(p->n_reactions, sizeof *order);
    const ff_device_request request = {.method = FF_SSA_OPTIMISED, .initial = p->initial, .times = &time, .n_times = 1,
                                           .observed = &species, .n_observed = 1, .order = order};
    ff_ssa_code codes[2];
    ff_error err;
    for (int k = 0; k < 2; k++) {
      for (uint32_t r = 0; r < p->n_reactions; r++) order[r] = k == 0 ? r : p->n_reactions - 1 - r;
      FF_CHECK_OK(ff_ssa_generate(&codes[k], p, &request, shared_bytes, &err), &err);
    }
    FF_CHECK(strcmp(codes[0].definitions, codes[1].definitions) == 0 && strcmp(codes[0].functions, codes[1].functions) == 0);
    FF_CHECK(memcmp(codes[0].big, codes[1].big, codes[0].n_big * 4) != 0);
    for (int k = 0; k < 2; k++) ff_ssa_code_free(&codes[k]);
    free(order);
    ff_ssa_program_free(programs[i]);
  }
}

enum { OWNERS = 8 };

typedef struct {
  ff_ssa_common_code *owners[OWNERS];
  uint32_t words[OWNERS];
} ownership;

/* An owner reads the code, and frees it. */
static void read_and_free(void *context, int index) {
  ownership *o = context;
  const ff_ssa_code *code = ff_ssa_common_code_get(o->owners[index]);
  o->words[index] = (uint32_t)strlen(code->functions) + code->n_table;
  ff_ssa_common_code_free(o->owners[index]);
}

/* Whichever ensemble is destroyed first, the others keep the code. Another GPU with other memory needs other code. */
static void devices_own_code_together(void) {
  const double time = 1;
  const uint32_t species = 0;
  ff_error err;
  ff_ssa_program *program = program_of_regions(64, 50, 0);
  const ff_device_request request = {.method = FF_SSA_FACTORED, .initial = program->initial, .times = &time, .n_times = 1,
                                         .observed = &species, .n_observed = 1};
  ff_ssa_code alone;
  ff_ssa_common_code *smaller;
  ownership o = {.words = {0}};
  FF_CHECK_OK(ff_ssa_generate(&alone, program, &request, shared_bytes, &err), &err);
  for (int i = 0; i < OWNERS; i++) { /* each takes it from the one before, which is then freed in every second case */
    ff_ssa_common_code *const before = i > 0 ? o.owners[i - 1] : NULL;
    FF_CHECK_OK(ff_ssa_common_code_new(&o.owners[i], before, program, &request, shared_bytes, &err), &err);
    FF_CHECK(i == 0 || ff_ssa_common_code_get(o.owners[i]) == ff_ssa_common_code_get(before));
    if (i % 2 == 0) continue;
    ff_ssa_common_code_free(before);
    FF_CHECK_OK(ff_ssa_common_code_new(&o.owners[i - 1], o.owners[i], program, &request, shared_bytes, &err), &err);
  }
  FF_CHECK_OK(ff_ssa_common_code_new(&smaller, o.owners[0], program, &request, 65536, &err), &err);
  FF_CHECK(ff_ssa_code_alike(&alone, ff_ssa_common_code_get(o.owners[0])));
  FF_CHECK(!ff_ssa_code_alike(&alone, ff_ssa_common_code_get(smaller)));
  ff_parallel(OWNERS, read_and_free, &o);
  for (int i = 0; i < OWNERS; i++) FF_CHECK_INT(o.words[i], strlen(alone.functions) + alone.n_table);
  ff_ssa_common_code_free(smaller);
  ff_ssa_common_code_free(NULL);
  ff_ssa_code_free(&alone);
  ff_ssa_program_free(program);
}

/* ---- refusals ----------------------------------------------------------------------------------------------------------- */

static void networks_without_code_are_refused(void) {
  ff_ssa_code code;
  ff_error err;
  const double time = 1, initial = 0x1p31, few = 1;
  const uint32_t species = 0;
  const reaction_text decay[] = {{"A -> 0", "1"}, {NULL, NULL}}, burst[] = {{"0 -> 200 A", "1"}, {NULL, NULL}};
  ff_ssa_program *program = program_of(decay, &initial, 1), *bursts = program_of(burst, &few, 1);
  ff_ssa_program *large = program_of_network(ring_of(65));
  uint64_t state = 7;
  double counts[20];
  ff_ssa_program *others = random_many(&state, 20, 200, 8, counts);
  double *ones = ff_calloc(65, sizeof *ones);
  ff_device_request request = {.method = FF_SSA_DIRECT, .initial = &initial, .times = &time, .n_times = 1,
                                   .observed = &species, .n_observed = 1};
  FF_CHECK_FAILS(ff_ssa_generate(&code, program, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "an initial count is");
  request.initial = &few;
  request.method = FF_SSA_NEXT;
  FF_CHECK_FAILS(ff_ssa_generate(&code, program, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err,
                 "no generated code for this method");
  request.method = FF_SSA_OPTIMISED;
  FF_CHECK_FAILS(ff_ssa_generate(&code, program, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err,
                 "the order of the reactions is missing");
  request.method = FF_SSA_SORTING;
  FF_CHECK_FAILS(ff_ssa_generate(&code, bursts, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "by 200");
  ff_ssa_program *sites = program_of_network(ring_of(20000)), *regions = program_of_regions(100, 30, 0);
  request.initial = sites->initial;
  FF_CHECK_FAILS(ff_ssa_generate(&code, sites, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "words is too large");
  request.initial = regions->initial;
  FF_CHECK_FAILS(ff_ssa_generate(&code, regions, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "shared memory has room");
  ff_ssa_program_free(sites);
  ff_ssa_program_free(regions);
  regions = program_of_regions(380, 30, 1); /* the search finds 512 */
  request.method = FF_SSA_FACTORED, request.initial = regions->initial;
  FF_CHECK_FAILS(ff_ssa_generate(&code, regions, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "591 groups are too many");
  ff_ssa_program_free(regions);
  request.initial = &few;
  request.method = FF_SSA_DIRECT;
  FF_CHECK_FAILS(ff_ssa_generate(&code, bursts, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "by 200");
  request.method = FF_SSA_FACTORED;
  FF_CHECK_FAILS(ff_ssa_generate(&code, bursts, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "by 200");
  request.method = FF_SSA_DIRECT;
  request.initial = ones;
  FF_CHECK_FAILS(ff_ssa_generate(&code, large, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "65 reactions");
  request.method = FF_SSA_FACTORED;
  request.initial = counts;
  FF_CHECK_FAILS(ff_ssa_generate(&code, others, &request, shared_bytes, &err), FF_EUNSUPPORTED, &err, "other laws");
  ff_ssa_program_free(others);
  free(ones);
  ff_ssa_program_free(program);
  ff_ssa_program_free(large);
  ff_ssa_program_free(bursts);
}

FF_TEST_MAIN("ssa_generate_text", the_code_does_not_depend_on_the_order, devices_own_code_together,
             networks_without_code_are_refused)
