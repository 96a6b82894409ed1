/* Compares generated code for networks with events, and with rates that depend on the time, with the engines of this processor, bit
 * for bit. */
#include "generated_code.h"

#include "../../src/io/ff_io.h"
#include "random.h"
#include "text_networks.h"

typedef struct {
  const char *what, *text;
  double last;
  int refuses;
} example;

/* The code of "logarithmic_direct" is that of "direct". */
static void check_both(const ff_ssa_program *program, double last, int refuses, const char *what, size_t number) {
  check_program(program, number % 4 == 0 ? FF_SSA_TREE : FF_SSA_DIRECT, program->initial, program->n_species, last, refuses, what);
  if (number % 3 == 0) check_program(program, FF_SSA_FIRST, program->initial, program->n_species, last, refuses, what);
}

static void check_texts(const example *examples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ff_ssa_program *program = program_of_network(network_of_text(examples[i].text));
    FF_CHECK(ff_ssa_program_scheduled(program));
    check_both(program, examples[i].last, examples[i].refuses, examples[i].what, i);
    ff_ssa_program_free(program);
  }
}

#define BIRTH "species;A;5\nspecies;B;0\nparameter;k;2\nreaction;0 -> A;20\nreaction;A -> B;k\nreaction;B -> 0;0.7\n"

/* ---- events ----------------------------------------------------------------------------------------------------------------- */

static const example events[] = {
    {"a trigger by the state", BIRTH "event;e;B > 12;;;;B;0\n", 20, 0},
    {"a trigger by the time", BIRTH "event;e;time >= 3;;;;A;50\n", 10, 0},
    {"a trigger by both", BIRTH "event;e;A + B > 20 + 5 * sin(time);;;;A;0;B;floor(B / 2)\n", 20, 0},
    {"a periodic trigger", BIRTH "event;e;sin(3 * time) > 0.5;;;;A;A + 10\n", 20, 0},
    {"a parameter", BIRTH "event;e;B > 10;;;;k;k / 2\nevent;f;A > 20;;;;k;k * 2\n", 20, 0},
    {"a parameter of a law", BIRTH "law;A + B -> 2 B;k * A * B / (10 + A)\nevent;e;time > 2 & B > 3;;;;k;0.1 + k / 2\n", 10, 0},
    {"true before time 0", BIRTH "event;e;A < 9;;;i;A;9\nevent;f;B < 3;;;;A;A + 3\n", 5, 0},
    {"a delay", BIRTH "event;e;B > 10;1.5;;;A;A + B\n", 20, 0},
    {"many delays", BIRTH "event;e;A - 2 * floor(A / 2) == 0;0.5 + 1 / (1 + A);;;B;B + 1\n", 10, 0},
    {"late values", BIRTH "event;e;B > 10;1;;l;A;A + B\nevent;f;time >= 1.5;0.25;;l;B;A\n", 20, 0},
    {"what is called off", BIRTH "event;e;B > 8;0.4;;f;A;A + 30\nevent;f;A > 15;0.1;;f;B;0\n", 20, 0},
    {"priorities", BIRTH "event;e;time >= 1;;A;;A;1\nevent;f;time >= 1;;B + 5;;A;A + 7\nevent;g;time >= 1;;;;B;A\n", 4, 0},
    {"random order", BIRTH "event;e;B > 5;;1;;A;1\nevent;f;B > 5;;1;;A;A + 7\nevent;g;B > 5;;1;;A;2 * A\nevent;h;A > 30;;1;;B;0\n",
     20, 0},
    {"events that follow", BIRTH "event;e;B > 9;;;;B;B + 5;A;0\nevent;f;A == 0;;;;A;1\nevent;g;B > 13;;;;B;1\n", 20, 0},
    {"rounding errors", BIRTH "event;e;time / (time + 10) > 0.2;;;;A;A + 9\nevent;f;0.1 * floor(time) >= 0.3;;;;B;B + 9\n", 5, 0},
    {"rounding errors and counts", BIRTH "event;e;(B + time / (time + 10)) - B > 0.2 & B >= 0;;;;A;A + 9\n", 5, 0},
    {"single doubles", BIRTH "event;e;time - 2 * floor(time / 2) == 0;;;;A;A + 9\nevent;f;time != 3;;;;B;B + 7\n", 7, 0},
    {"no reaction", "species;A;1\nevent;e;time >= A;;;;A;2 * A\n", 100, 0},
    {"species that only an event reads", BIRTH "species;C;3\nevent;e;B > 5;;C;;A;C;C;C + 1\n", 20, 0},
    {"more species than reactions change", "species;A;50\nspecies;B;0\nspecies;C;1\nparameter;k;1\nreaction;A -> B;1\n"
     "event;e;B > A;C / 3;;;C;C + 1;A;A + B;B;0\nvariable;v;A + C\nevent;f;v > 60;;v;l;k;v\nreaction;C -> 0;k\n", 5, 0},
};

static void code_for_events_gives_the_trajectories(void) {
  check_texts(events, sizeof events / sizeof *events);
}

/* ---- rates that depend on the time ------------------------------------------------------------------------------------------- */

static const example rates[] = {
    {"a sine", "species;A;3\nlaw;0 -> A;5 * (1 + sin(7 * time))\nreaction;A -> 0;1\n", 10, 0},
    {"rates and counts", "species;A;3\nspecies;B;4\nlaw;0 -> A;5 * (1 + sin(7 * time))\nreaction;A -> B;1 + 0.5 * cos(time)\n"
     "law;2 B -> 0;0.1 * B * (B - 1) * exp(-time / 5)\n", 20, 0},
    {"three molecules", "species;A;30\nspecies;B;4\nreaction;3 A -> B;0.01 * (1 + time)\nreaction;B -> 3 A;2 / (1 + time)\n", 5, 0},
    {"steps", "species;A;3\nlaw;0 -> A;if(time - 2 * floor(time / 2) < 0.3, 40, 1)\nreaction;A -> 0;min(time, 1)\n", 10, 0},
    {"a narrow peak", "species;A;3\nlaw;0 -> A;1 + 100 * exp(-1000 * (time - 2)^2)\nreaction;A -> 0;0.5\n", 5, 0},
    {"a rate that touches 0", "species;A;3\nlaw;0 -> A;5 * (1 - cos(3 * time))\nreaction;A -> 0;abs(time - 2)\n", 10, 0},
    {"a rate that depends on many counts", "species;A;9\nspecies;B;4\nspecies;C;0\nreaction;A -> B;3\nreaction;B -> C;time / (1 + C)\n"
     "law;C -> A;C * log(1 + time) / (1 + B)\n", 10, 0},
    {"all functions", "species;A;9\nlaw;0 -> A;2 + sinh(time / 9) + tanh(time) + cosh(time / 9) + atan(time) + log1p(time)\n"
     "reaction;A -> 0;sqrt(time) * 0.1 + log2(2 + time) / 9 + log10(2 + time) + 1.5^(time / 5) + expm1(time / 99)\n"
     "law;A -> 0;max(0.1, asin(sin(time) / 2)) + acos(cos(time) / 2) + ceiling(time) / 9 + tan(time / 20)\n", 10, 0},
    {"a rate that becomes negative", "species;A;3\nlaw;0 -> A;5 - time\nreaction;A -> 0;1\n", 10, 1},
    {"a rate without a bound", "species;A;3\nlaw;0 -> A;1 / abs(time - 1)\nreaction;A -> 0;1\n", 10, 1},
};

static void code_for_rates_of_the_time_gives_the_trajectories(void) {
  check_texts(rates, sizeof rates / sizeof *rates);
}

static const example both[] = {
    {"rates and events", "species;A;3\nspecies;B;4\nparameter;k;5\nlaw;0 -> A;k * (1 + sin(7 * time))\nreaction;A -> B;1\n"
     "reaction;B -> 0;0.5 * (1 + cos(time))\nevent;e;B > 9;;;;k;k * 0.9\nevent;f;time >= 2 & A < 3;0.3;;;A;A + 20\n"
     "event;g;A > 10.5 * cos(time);;;;B;0\n", 10, 0},
    {"a count that becomes too large", BIRTH "species;C;0\nevent;e;B > 8;;;;C;6e8\n", 0.8, -1},
    {"more delays than fit", BIRTH "event;e;A - 2 * floor(A / 2) == 0;1000;;;B;B + 1\n", 6.4, -1},
    {"what is no count", BIRTH "event;e;B > 8;;;;A;B / 16\n", 20, 1},
    {"events without end", BIRTH "event;e;B > 8 & A == 2 * floor(A / 2);;;;A;A + 1\nevent;f;B > 8 & A != 2 * floor(A / 2);;;;A;A + 1\n",
     20, 1},
    {"a delay below 0", BIRTH "event;e;A > 12;A - 20;;;B;0\n", 20, 1},
};

static void code_for_both_gives_the_trajectories(void) {
  check_texts(both, sizeof both / sizeof *both);
}

/* ---- the suite ---------------------------------------------------------------------------------------------------------------- */

/* The cases with events of the stochastic SBML test suite. */
static void cases_of_the_suite_give_the_trajectories(void) {
  static const char *const cases[] = {"00028", "00029", "00032", "00033"};
  const char *shared = getenv("FIREFLIP_SHARED");
  if (shared == NULL) {
    printf("the SBML suite: skipped, FIREFLIP_SHARED is not set\n");
    return;
  }
  for (size_t i = 0; i < 4; i++) {
    char path[1000];
    ff_io_model model;
    ff_error err;
    snprintf(path, sizeof path, "%s/dsmts/%s/%s-sbml-l3v1.xml", shared, cases[i], cases[i]);
    FF_CHECK_OK(ff_io_read_model(&model, NULL, path, FF_FORMAT_SBML, &err), &err);
    if (model.reactions == NULL) continue;
    ff_ssa_program *program = program_of_network(model.reactions);
    FF_CHECK(program->n_events > 0);
    check_both(program, 50, 0, cases[i], 3 * i);
    ff_ssa_program_free(program);
  }
}

FF_TEST_MAIN("ssa_generate_schedule", make_folder, code_for_events_gives_the_trajectories,
             code_for_rates_of_the_time_gives_the_trajectories, code_for_both_gives_the_trajectories,
             cases_of_the_suite_give_the_trajectories, remove_folder)
