/* Networks with events, and with rates that depend on the time, for tests of kernels. */
#ifndef FF_TESTS_SCHEDULE_EXAMPLES_H
#define FF_TESTS_SCHEDULE_EXAMPLES_H

#include "random.h"
#include "simulations.h"
#include "text_networks.h"

/* refuses: as of launch_compare() */
typedef struct {
  const char *what, *text;
  double last;
  int refuses;
} scheduled_example;

#define BIRTH "species;A;5\nspecies;B;0\nparameter;k;2\nreaction;0 -> A;20\nreaction;A -> B;k\nreaction;B -> 0;0.7\n"

static const scheduled_example scheduled_events[] = {
    {"a trigger by the state", BIRTH "event;e;B > 12;;;;B;0\n", 20, 0},
    {"a trigger by the time", BIRTH "event;e;time >= 3;;;;A;50\n", 10, 0},
    {"a trigger by both", BIRTH "event;e;A + B > 20 + 5 * sin(time);;;;A;0;B;floor(B / 2)\n", 20, 0},
    {"a periodic trigger", BIRTH "event;e;sin(3 * time) > 0.5;;;;A;A + 10\n", 20, 0},
    {"a parameter", BIRTH "event;e;B > 10;;;;k;k / 2\nevent;f;A > 20;;;;k;k * 2\n", 20, 0},
    {"a parameter of a law", BIRTH "law;A + B -> 2 B;k * A * B / (10 + A)\nevent;e;time > 2 & B > 3;;;;k;0.1 + k / 2\n", 10, 0},
    {"a parameter makes a law negative without a reactant", "species;A;0\nspecies;B;3\nparameter;k;2\nlaw;A -> B;k * B\n"
     "reaction;B -> B;1\nevent;e;time >= 1;;;;k;-1\n", 2, 1},
    {"true before time 0", BIRTH "event;e;A < 9;;;i;A;9\nevent;f;B < 3;;;;A;A + 3\n", 5, 0},
    {"a delay", BIRTH "event;e;B > 10;1.5;;;A;A + B\n", 20, 0},
    {"many delays", BIRTH "event;e;A - 2 * floor(A / 2) == 0;0.5 + 1 / (1 + A);;;B;B + 1\n", 10, 0},
    {"late values", BIRTH "event;e;B > 10;1;;l;A;A + B\nevent;f;time >= 1.5;0.25;;l;B;A\n", 20, 0},
    {"what is called off", BIRTH "event;e;B > 8;0.4;;f;A;A + 30\nevent;f;A > 15;0.1;;f;B;0\n", 20, 0},
    {"priorities", BIRTH "event;e;time >= 1;;A;;A;1\nevent;f;time >= 1;;B + 5;;A;A + 7\nevent;g;time >= 1;;;;B;A\n", 4, 0},
    {"random order", BIRTH "event;e;B > 5;;1;;A;1\nevent;f;B > 5;;1;;A;A + 7\nevent;g;B > 5;;1;;A;2 * A\n"
     "event;h;A > 30;;1;;B;0\n", 20, 0},
    {"events that follow", BIRTH "event;e;B > 9;;;;B;B + 5;A;0\nevent;f;A == 0;;;;A;1\nevent;g;B > 13;;;;B;1\n", 20, 0},
    {"rounding errors", BIRTH "event;e;time / (time + 10) > 0.2;;;;A;A + 9\nevent;f;0.1 * floor(time) >= 0.3;;;;B;B + 9\n", 5, 0},
    {"rounding errors and counts", BIRTH "event;e;(B + time / (time + 10)) - B > 0.2 & B >= 0;;;;A;A + 9\n", 5, 0},
    {"single doubles", BIRTH "event;e;time - 2 * floor(time / 2) == 0;;;;A;A + 9\nevent;f;time != 3;;;;B;B + 7\n", 7, 0},
    {"factors", BIRTH "variable;v;1 + floor(B / 4) + floor(time)\nevent;e;A > 20;1.5;;;A;3 @ v\n"
     "event;f;B > 9;0.5;;l;k;k / 2;A;2 @ ceiling(k);B;1 @ 1 + floor(A / 5)\n", 10, 0},
    {"no reaction", "species;A;1\nevent;e;time >= A;;;;A;2 * A\n", 100, 0},
    {"species that only an event reads", BIRTH "species;C;3\nevent;e;B > 5;;C;;A;C;C;C + 1\n", 20, 0},
    {"more species than reactions change", "species;A;50\nspecies;B;0\nspecies;C;1\nparameter;k;1\nreaction;A -> B;1\n"
     "event;e;B > A;C / 3;;;C;C + 1;A;A + B;B;0\nvariable;v;A + C\nevent;f;v > 60;;v;l;k;v\nreaction;C -> 0;k\n", 5, 0},
};

static const scheduled_example scheduled_rates[] = {
    {"a sine", "species;A;3\nlaw;0 -> A;5 * (1 + sin(7 * time))\nreaction;A -> 0;1\n", 10, 0},
    {"rates and counts", "species;A;3\nspecies;B;4\nlaw;0 -> A;5 * (1 + sin(7 * time))\nreaction;A -> B;1 + 0.5 * cos(time)\n"
     "law;2 B -> 0;0.1 * B * (B - 1) * exp(-time / 5)\n", 20, 0},
    {"three molecules", "species;A;30\nspecies;B;4\nreaction;3 A -> B;0.01 * (1 + time)\nreaction;B -> 3 A;2 / (1 + time)\n",
     5, 0},
    {"steps", "species;A;3\nlaw;0 -> A;if(time - 2 * floor(time / 2) < 0.3, 40, 1)\nreaction;A -> 0;min(time, 1)\n", 10, 0},
    {"a narrow peak", "species;A;3\nlaw;0 -> A;1 + 100 * exp(-1000 * (time - 2)^2)\nreaction;A -> 0;0.5\n", 5, 0},
    {"a rate that touches 0", "species;A;3\nlaw;0 -> A;5 * (1 - cos(3 * time))\nreaction;A -> 0;abs(time - 2)\n", 10, 0},
    {"a rate that depends on many counts", "species;A;9\nspecies;B;4\nspecies;C;0\nreaction;A -> B;3\n"
     "reaction;B -> C;time / (1 + C)\nlaw;C -> A;C * log(1 + time) / (1 + B)\n", 10, 0},
    {"all functions", "species;A;9\nlaw;0 -> A;2 + sinh(time / 9) + tanh(time) + cosh(time / 9) + atan(time) + log1p(time)\n"
     "reaction;A -> 0;sqrt(time) * 0.1 + log2(2 + time) / 9 + log10(2 + time) + 1.5^(time / 5) + expm1(time / 99)\n"
     "law;A -> 0;max(0.1, asin(sin(time) / 2)) + acos(cos(time) / 2) + ceiling(time) / 9 + tan(time / 20)\n", 10, 0},
    {"a rate that becomes negative", "species;A;3\nlaw;0 -> A;5 - time\nreaction;A -> 0;1\n", 10, 1},
    {"a rate that becomes negative without a reactant", "species;A;0\nspecies;B;3\nlaw;A -> B;2 - time\nreaction;B -> 0;1\n", 10,
     1},
    {"a rate that is no number without a reactant", "species;A;9\nspecies;B;2\n"
     "law;A + B -> 2 B;A * B * (1 + sin(time)) / (A + B)\n"
     "reaction;B -> 0;0.5 + 0.1 * cos(time)\nreaction;A -> 0;0.2\nlaw;A -> B;0.1 * A * sqrt(A - 1) * (1 - 0.5 * sin(time))\n", 30,
     0},
    {"a search that shortens a window", "species;A;3\nspecies;B;0\nlaw;0 -> A;1 + time\nreaction;A -> 0;0.5\n"
     "law;0 -> B;min(3, 3 + 1000 * (time - time))\nreaction;B -> 0;1\n", 20, 0},
    {"a rate without a bound", "species;A;3\nlaw;0 -> A;1 / abs(time - 1)\nreaction;A -> 0;1\n", 10, 1},
};

static const scheduled_example scheduled_both[] = {
    {"rates and events", "species;A;3\nspecies;B;4\nparameter;k;5\nlaw;0 -> A;k * (1 + sin(7 * time))\nreaction;A -> B;1\n"
     "reaction;B -> 0;0.5 * (1 + cos(time))\nevent;e;B > 9;;;;k;k * 0.9\nevent;f;time >= 2 & A < 3;0.3;;;A;A + 20\n"
     "event;g;A > 10.5 * cos(time);;;;B;0\n", 10, 0},
    {"a count that becomes too large", BIRTH "species;C;0\nevent;e;B > 8;;;;C;6e8\n", 0.8, -1},
    {"more delays than fit", BIRTH "event;e;A - 2 * floor(A / 2) == 0;1000;;;B;B + 1\n", 6.4, -1},
    {"what is no count", BIRTH "event;e;B > 8;;;;A;B / 16\n", 20, 1},
    {"events without end", BIRTH "event;e;B > 8 & A == 2 * floor(A / 2);;;;A;A + 1\n"
     "event;f;B > 8 & A != 2 * floor(A / 2);;;;A;A + 1\n", 20, 1},
    {"a delay below 0", BIRTH "event;e;A > 12;A - 20;;;B;0\n", 20, 1},
};

/* ---- random networks --------------------------------------------------------------------------------------------------- */

/* What a random formula is made of: # is a species, @ is a parameter, and ~ a number. */
static const char *const random_conditions[] = {
    "# > ~", "# + # > 2 * ~", "# > # + ~", "time >= ~ / 8", "sin(~ * time / 4) > 0.3", "# > ~ + 4 * sin(time)",
    "# < ~ & time > 0.5", "# - 5 * floor(# / 5) == 0", "time - floor(time) > # / (5 + #)", "# > ~ | # == 0", "@ * # > ~"};
static const char *const random_values[] = {"~", "min(300, # + ~)", "floor(# / 2)", "max(0, # - ~)", "floor(~ * exp(-time))",
                                            "#"};
static const char *const random_rates[] = {"~ / 9", "@", "@ * (1 + sin(~ * time))", "1 + cos(time) / 2", "exp(-time / ~)",
                                           "time / (1 + #)", "if(sin(time) > 0, @, 0.1)", "@ / (1 + #)", "~ / 5"};

static inline void random_formula(char *out, size_t room, const char *form, uint64_t *state, uint32_t n_species,
                                  uint32_t n_parameters) {
  size_t at = 0;
  for (; *form != '\0' && at + 8 < room; form++) {
    if (*form == '#') out[at++] = (char)('A' + below(state, n_species));
    else if (*form == '@') at += (size_t)snprintf(out + at, room - at, "k%u", below(state, n_parameters));
    else if (*form == '~') at += (size_t)snprintf(out + at, room - at, "%u", 1 + below(state, 30));
    else out[at++] = *form;
  }
  out[at] = '\0';
}

#define RANDOM_OF(list) list[below(state, sizeof list / sizeof *list)]

/* Immigration, at most as many molecules afterwards as before in all other reactions, and events with delays and priorities. They
 * do not let counts grow without bound. */
static inline ff_ssa_program *random_schedule(uint64_t *state, uint32_t n_species, uint32_t n_reactions, uint32_t n_events) {
  static char text[1 << 16];
  const uint32_t n_parameters = 1 + below(state, 3);
  char a[100], b[100], c[100];
  size_t at = 0;
#define RANDOM_LINE(...) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
  for (uint32_t s = 0; s < n_species; s++) RANDOM_LINE("species;%c;%u\n", 'A' + (int)s, below(state, 40));
  for (uint32_t p = 0; p < n_parameters; p++) RANDOM_LINE("parameter;k%u;%g\n", p, 0.1 * (1 + below(state, 20)));
  for (uint32_t r = 0; r < n_reactions; r++) {
    static const char *const forms[] = {"# -> #", "# -> 0", "# + # -> #", "0 -> #", "2 # -> # + #"};
    const uint32_t form = below(state, 5);
    random_formula(a, sizeof a, forms[form], state, n_species, n_parameters);
    const char *const rate = form == 2 || form == 4 ? "0.0~ * (1 + sin(time))" : RANDOM_OF(random_rates);
    random_formula(b, sizeof b, rate, state, n_species, n_parameters);
    RANDOM_LINE("%s;%s;%s\n", below(state, 6) == 0 ? "law" : "reaction", a, b);
  }
  for (uint32_t e = 0; e < n_events; e++) {
    static const char *const delays[] = {"", "", "~ / 20", "0.5 + 1 / (1 + #)", "0"}, *const priorities[] = {"", "~", "1", "#"};
    static const char *const flags[] = {"", "", "i", "f", "l", "fl", "il"};
    random_formula(a, sizeof a, RANDOM_OF(random_conditions), state, n_species, n_parameters);
    random_formula(b, sizeof b, RANDOM_OF(delays), state, n_species, n_parameters);
    random_formula(c, sizeof c, RANDOM_OF(priorities), state, n_species, n_parameters);
    RANDOM_LINE("event;e%u;%s;%s;%s;%s", e, a, b, c, RANDOM_OF(flags));
    const uint32_t first = below(state, n_species), sets = 1 + below(state, n_species > 1 ? 2 : 1);
    for (uint32_t i = 0; i < sets; i++) {
      random_formula(a, sizeof a, RANDOM_OF(random_values), state, n_species, n_parameters);
      RANDOM_LINE(";%c;%s", 'A' + (int)((first + i) % n_species), a);
      if ((e + i) % 4 == 1) RANDOM_LINE(" @ 1 + floor(%c / 40 + time / 9)", 'A' + (int)((first + i + 1) % n_species));
    }
    if (below(state, 3) == 0) RANDOM_LINE(";k%u;%g", below(state, n_parameters), 0.1 * (1 + below(state, 20)));
    RANDOM_LINE("\n");
  }
#undef RANDOM_LINE
  return program_of_network(network_of_text(text));
}

#endif
