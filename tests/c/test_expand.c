/* Joining texts that include one another: ff_expand.c. */
#include "../../src/cuda/runtime/ff_expand.h"
#include "check.h"

/* The text after the declarations at the beginning of a unit. */
static const char *after_types(const char *unit) {
  static const char first[] = "typedef unsigned long size_t;\n";
  FF_CHECK(unit != NULL && strncmp(unit, first, sizeof first - 1) == 0);
  FF_CHECK(unit != NULL && strstr(unit, "typedef unsigned int uint32_t;\n") != NULL);
  return unit != NULL ? strstr(unit, "#line") : NULL;
}

static void check_unit(const ff_text *texts, const char *const *parts, int n, const char *want) {
  char *unit;
  ff_error err;
  FF_CHECK_OK(ff_expand(&unit, texts, parts, n, &err), &err);
  FF_CHECK_STR(after_types(unit), want);
  free(unit);
}

static void includes_are_relative_to_their_text(void) {
  const ff_text texts[] = {{"base/a.h", "a\n"},
                           {"cuda/x/b.h", "#include \"../../base/a.h\"\n#include \"c.h\"\nb\n"},
                           {"cuda/x/c.h", "c"}, {NULL, NULL}};
  check_unit(texts, (const char *[]){"one\n", "#include \"cuda/x/b.h\"\ntwo"}, 2,
             "#line 1 \"generated.cu\"\none\n#line 2 \"generated.cu\"\n"
             "#line 1 \"src/cuda/x/b.h\"\n#line 1 \"src/base/a.h\"\na\n#line 2 \"src/cuda/x/b.h\"\n"
             "#line 1 \"src/cuda/x/c.h\"\nc\n#line 3 \"src/cuda/x/b.h\"\nb\n#line 3 \"generated.cu\"\ntwo\n");
}

static void a_text_stands_once(void) {
  const ff_text texts[] = {{"a.h", "#ifndef A\n#define A\n#include \"b.h\"\na\n#endif\n"},
                           {"b.h", "#ifndef B\n#define B\nb\n#endif\n"}, {NULL, NULL}};
  check_unit(texts, (const char *[]){"#include \"a.h\"\n  # include \"./b.h\" // again\n#include \"a.h\"\nend\n"}, 1,
             "#line 1 \"generated.cu\"\n#line 1 \"src/a.h\"\n#ifndef A\n#define A\n"
             "#line 1 \"src/b.h\"\n#ifndef B\n#define B\nb\n#endif\n"
             "#line 4 \"src/a.h\"\na\n#endif\n#line 2 \"generated.cu\"\n\n\nend\n");
}

/* If a condition may leave a text out, the text must be inserted again. */
static void conditions_are_heeded(void) {
  const ff_text texts[] = {{"a.h", "#ifndef A\n#if 0\n#include \"b.h\"\n#endif\n#include \"b.h\"\n#endif\n"},
                           {"b.h", "b\n"}, {NULL, NULL}};
  check_unit(texts, (const char *[]){"#include \"a.h\"\n#include \"b.h\"\n"}, 1,
             "#line 1 \"generated.cu\"\n#line 1 \"src/a.h\"\n#ifndef A\n#if 0\n"
             "#line 1 \"src/b.h\"\nb\n#line 4 \"src/a.h\"\n#endif\n"
             "#line 1 \"src/b.h\"\nb\n#line 6 \"src/a.h\"\n#endif\n#line 2 \"generated.cu\"\n\n");
}

static void what_is_no_include_stays(void) {
  const ff_text texts[] = {{"a.h", "a\n"}, {NULL, NULL}};
  const char *text = "/* one\n#include \"a.h\"\n*/ \"/*\" // /*\n#include <stdint.h>\n#include <math.h>\n#include \"b.h\"\n"
                     "#include \"../a.h\"\n#include\n#include \"a.h\n#included \"a.h\"\n'\"' /* */ /* two\n*/\n";
  check_unit(texts, &text, 1,
             "#line 1 \"generated.cu\"\n/* one\n#include \"a.h\"\n*/ \"/*\" // /*\n\n#include <math.h>\n#include \"b.h\"\n"
             "#include \"../a.h\"\n#include\n#include \"a.h\n#included \"a.h\"\n'\"' /* */ /* two\n*/\n");
  const char *after = "/* a */ #include \"a.h\"\n";
  check_unit(texts, &after, 1, "#line 1 \"generated.cu\"\n#line 1 \"src/a.h\"\na\n#line 2 \"generated.cu\"\n");
}

static void circles_end(void) {
  const ff_text guarded[] = {{"a.h", "#ifndef A\n#include \"b.h\"\n#endif\n"},
                             {"b.h", "#ifndef B\n#include \"a.h\"\n#endif\n"}, {NULL, NULL}};
  const ff_text endless[] = {{"a.h", "#if A\n#include \"b.h\"\n#endif\n"},
                             {"b.h", "#if B\n#include \"a.h\"\n#endif\n"}, {NULL, NULL}};
  const char *part = "#include \"a.h\"\n", *in_condition = "#if C\n#include \"a.h\"\n#endif\n";
  char *unit;
  ff_error err;
  FF_CHECK_OK(ff_expand(&unit, guarded, &part, 1, &err), &err);
  free(unit);
  FF_CHECK_FAILS(ff_expand(&unit, endless, &in_condition, 1, &err), FF_EINTERNAL, &err, "endlessly");
  FF_CHECK(unit == NULL);
}

/* How often a text stands in a unit. */
static int times_in(const char *unit, const char *name) {
  char place[128];
  int n = 0;
  snprintf(place, sizeof place, "#line 1 \"src/%s\"\n", name);
  for (const char *at = unit; at != NULL && (at = strstr(at, place)) != NULL; at++) n++;
  return n;
}

static int includes_in(const char *unit) {
  int n = 0;
  for (const char *at = unit; at != NULL && (at = strstr(at, "#include")) != NULL; at++) n++;
  return n;
}

/* Each embedded text is found by the texts that include it, once. Exceptions are those that the condition for the run-time
 * compiler leaves out: headers of the core and of the C library. */
static void our_texts_are_whole(void) {
  char *boolean, *reactions, *scheduled, *data, *nets, *tissues;
  ff_error err;
  const char *first = "#include \"cuda/pbn/ff_generated.h\"\n";
  const char *second = "#include \"cuda/ssa/generated/steps/ff_ssa_thread.h\"\n";
  FF_CHECK_OK(ff_expand(&boolean, ff_texts(), &first, 1, &err), &err);
  FF_CHECK_OK(ff_expand(&reactions, ff_texts(), &second, 1, &err), &err);
  const char *third = "#include \"cuda/ssa/generated/steps/ff_ssa_thread_kept.h\"\n"
                      "#include \"cuda/ssa/generated/steps/ff_ssa_thread.h\"\n"
                      "#include \"cuda/ssa/generated/steps/ff_ssa_thread_schedule.h\"\n";
  FF_CHECK_OK(ff_expand(&scheduled, ff_texts(), &third, 1, &err), &err);
  const char *fourth = "#include \"cuda/ssa/data/ff_ssa_generic_kernel.h\"\n";
  FF_CHECK_OK(ff_expand(&data, ff_texts(), &fourth, 1, &err), &err);
  const char *fifth = "#include \"cuda/petri/steps/ff_petri_thread.h\"\n";
  FF_CHECK_OK(ff_expand(&nets, ff_texts(), &fifth, 1, &err), &err);
  const char *sixth = "#include \"cuda/petri/windows/ff_petri_sweep.h\"\n";
  FF_CHECK_OK(ff_expand(&tissues, ff_texts(), &sixth, 1, &err), &err);
  FF_CHECK_INT(includes_in(nets), 2); /* math.h and string.h */
  FF_CHECK_INT(includes_in(tissues), 2);
  FF_CHECK_INT(includes_in(boolean), 1);
  FF_CHECK(boolean != NULL && strstr(boolean, "#include \"../../pbn/ff_pbn_engine.h\"") != NULL);
  FF_CHECK_INT(includes_in(reactions), 2); /* math.h and string.h */
  FF_CHECK_INT(includes_in(scheduled), 2);
  FF_CHECK_INT(includes_in(data), 5); /* these, stdio.h, ff_device.h, and the line in ff_ssa_generic_text() */
  for (const ff_text *t = ff_texts(); t->name != NULL; t++) {
    const int n = times_in(boolean, t->name), m = times_in(reactions, t->name), k = times_in(scheduled, t->name);
    const int d = times_in(data, t->name), p = times_in(nets, t->name), w = times_in(tissues, t->name);
    FF_CHECK_SAY(n <= 1 && m <= 1 && k <= 1 && d <= 1 && p <= 1 && w <= 1 && n + m + k + d + p + w >= 1,
                 "%s: %d, %d, %d, %d, %d and %d", t->name, n, m, k, d, p, w);
  }
  free(boolean);
  free(reactions);
  free(scheduled);
  free(data);
  free(nets);
  free(tissues);
}

FF_TEST_MAIN("expand", includes_are_relative_to_their_text, a_text_stands_once, conditions_are_heeded, what_is_no_include_stays,
             circles_end, our_texts_are_whole)
