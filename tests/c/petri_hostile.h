/* Small hybrid nets that are hard for a kernel: levels at 0, hazards that vanish, ties, and all that a trajectory can fail of. */
#ifndef FF_TESTS_PETRI_HOSTILE_H
#define FF_TESTS_PETRI_HOSTILE_H

#include "petri_small.h"

/* A net as a text. Each line is a place (p discrete, c continuous, with its marking), or a transition: a flow (f), a stochastic
 * (s), an immediate (i), a deterministic (d), or a scheduled one (a). Its parts are separated by bars: the equation, the rate,
 * weight or delay (or "begin,period,end"), test arcs, reset arcs. */
typedef struct {
  const char *what, *text;
  double last;
  ff_petri_integrator integrator;
  double relative;             /* 0: 1e-6 */
  int least, most;             /* refused trajectories; ALL stands for all */
  int least_failed;            /* that fail on the processor */
} hostile_net;

enum { HOSTILE_ALL = 1000000, HOSTILE_PART = 4096 };

static const hostile_net hostile_nets[] = {
    {"hovers at 0",
     "c x 0\nc y 0\np off 1\np on 0\np n 0\ns off -> on|0.5 * off\ns on -> off|3 * on\nf 0 -> x|on\nf x -> 0|25 * x\n"
     "f x -> y|x / (0.001 + x)\nf y -> 0|30 * y\ns 0 -> n|0.5 + 20 * x\ns n -> 0|n * (0.1 + y)",
     8, FF_PETRI_DORMAND_PRINCE, 1e-4, 0, 0, 0},
    {"hovers at 0, exactly",
     "c x 0\nc y 0\np off 1\np on 0\ns off -> on|0.5 * off\ns on -> off|3 * on\nf 0 -> x|on\nf x -> 0|25 * x\nf x -> y|x * y\n"
     "f y -> 0|30 * y\ns 0 -> y|0.5 * x",
     8, FF_PETRI_DORMAND_PRINCE, 1e-9, 0, 0, 0},
    {"a hazard vanishes and comes back",
     "c x 0\np n 0\np m 2\nf 0 -> x|m\nf x -> 0|0.5 * x\ns 0 -> n|2 * x * (x - 1)^2||x\ns m -> 0|m * x\ns 0 -> 3 m|0.4|m < 1",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"a group rests for long",
     "c x 0.3\np off 1\np on 0\np b 0\ns off -> on|0.2 * off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x * on\ns 0 -> b|0.1|b < 1\n"
     "s b -> 0|b * x^2 / (0.1 + x^2)",
     40, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"rests while the time goes on",
     "c x 0.3\np off 1\np on 0\np b 0\ns off -> on|off * (1 + sin(time))\ns on -> off|on * (4 + x)\nf 0 -> x|on\n"
     "f x -> 0|x * on\n"
     "s 0 -> b|0.5 * (1 + cos(time)) * x\ns b -> 0|b * exp(-0.1 * time)",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"all hazards are 0 in the end", "c x 0.5\np n 3\np m 4\nf 0 -> x|n\nf x -> 0|x\ns n -> 0|n\ns m -> 0|m * (0.1 + x)", 9,
     FF_PETRI_AUTO, 0, 0, 0, 0},
    {"ties", "c x 0\np a 0\np b 0\nf x -> 0|0.5 * x\ns 0 -> 3 a + x|1\ns a -> 0|1e25 * a\ns 0 -> b|1e30 * x||x", 6, FF_PETRI_AUTO,
     0, 0, 0, 0},
    {"ties, the other way round",
     "c x 0\np a 0\np b 0\nf x -> 0|0.5 * x\ns 0 -> b|1e30 * x||x\ns a -> 0|1e25 * a\n"
     "s 0 -> 3 a + x|1", 6, FF_PETRI_AUTO, 0, 0, 0,
     0},
    {"resets of what is 0",
     "c x 0\nc d 0\np off 1\np on 0\np n 0\ns off -> on|off\ns on -> off|4 * on\nf 0 -> x|on\ns 0 -> n|3||x, d\n"
     "s n -> 0|n * (1 + x)||x\ns 0 -> (n) d|0.3 * (1 + x)",
     8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"no level", "p a 5\np b 0\nc d 0.5\ns a -> b|a\ns b -> a|b\ns b -> a|b * d\n"
     "s 0 -> (0.1 * a) d|0.3", 9, FF_PETRI_AUTO, 0, 0, 0,
     0},
    {"no level, but the time", "p a 5\np b 0\ns a -> b|a * (1 + sin(5 * time))\ns b -> a|b * exp(-time)\ns b -> a|b", 2,
     FF_PETRI_AUTO, 0, 0, 0, 0},
    {"narrow peaks of other functions",
     "c x 0\nc y 0\np n 0\nf 0 -> x|1\nf 0 -> y|30 * exp(-((x - 1) / 0.02)^2)\nf y -> 0|0.3 * y\ns 0 -> n|0.5 + y\n"
     "s n -> 0|n * (0.1 + 40 * exp(-((x - 2.5) / 0.01)^2))||x",
     6, FF_PETRI_AUTO, 0, 0, 10, 0},
    {"narrow peaks in time",
     "c x 0\np n 0\nf 0 -> x|1 + 30 * exp(-((time - 1) / 0.02)^2)\nf x -> 0|x\ns 0 -> n|0.5 + 60 * exp(-((time - 3) / 0.01)^2)\n"
     "s n -> 0|n * (0.1 + x)",
     6, FF_PETRI_DORMAND_PRINCE, 0, 0, 0, 0},
    {"counts near the largest", "c x 0\np n 1073741818\nf 0 -> x|1\nf x -> 0|x\ns 0 -> 2 n|0.5 + 0.1 * x\ns 0 -> n|0.2", 5,
     FF_PETRI_AUTO, 0, 1, 39, 0},
    {"large weights", "c x 0\np n 1073000000\nf 0 -> x|1\nf x -> 0|x\ns 0 -> 300000 n|0.5 + 0.1 * x\ns 0 -> 3e9 n|0.02", 5,
     FF_PETRI_AUTO, 0, 1, 39, 0},
    {"negative coefficients", "c x 1\np n 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|3 - n\ns n -> 0|0.01 * n * x\ns 0 -> n|0.2", 4,
     FF_PETRI_AUTO, 0, 1, 39, 1},
    {"two negative factors", "c x 1\np n 3\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|(1 - n) * (0 - x)|n > 1\n"
     "s n -> 0|n", 4, FF_PETRI_AUTO,
     0, HOSTILE_ALL, HOSTILE_ALL, 0},
    {"an affine hazard below 0", "c x 1\np off 1\np on 0\np n 0\ns off -> on|off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x\n"
     "s 0 -> n|x - 0.2", 3, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a hazard below 0", "c x 1\np off 1\np on 0\np n 0\ns off -> on|off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x\n"
     "s 0 -> n|x^2 - 0.1", 3, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a hazard that is no number", "c x 1\np off 1\np on 0\np n 0\ns off -> on|off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x\n"
     "s 0 -> n|sqrt(x - 0.2)", 3, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a hazard that is no number at rest", "c x 1\np n 0\np m 0\nf x -> 0|x * (m > 1)\ns 0 -> m|0.5\n"
     "s 0 -> n|(m > 0) * log(x - 2)",
     3, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"an infinite coefficient", "c x 1\np n 0\nf 0 -> x|1\nf x -> 0|x\n"
     "s 0 -> n|1 / (2 - n)^2 + x", 3, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"an infinite hazard", "c x 1\np n 0\np m 1\nf 0 -> x|m\nf x -> 0|x\ns 0 -> n|0.1 / x\n"
     "s m -> 0|0.2 * m||x", 5, FF_PETRI_AUTO, 0,
     1, 39, 1},
    {"a rate that is no number", "c x 0\np off 1\np on 0\np n 0\ns off -> on|off\ns on -> off|on\nf 0 -> x|on * sqrt(0.9 - x)\n"
     "f x -> 0|0.1 * x\ns 0 -> 0.3 x + n|0.5", 4, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"an infinite rate", "c x 0\np n 0\nf 0 -> x|1 / (2 - n)^2\nf x -> 0|x\n"
     "s 0 -> n|0.3 + 0.1 * x", 4, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"steps that become too short", "c x 0.5\np n 0\nf 0 -> x|1 + x^2\ns 0 -> n|1||x", 4, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a change below 0", "c x 0.5\np n 0\nf 0 -> x|0.1\nf x -> 0|0.1 * x\ns 0 -> n|1\n"
     "s 0 -> (1.5 - n) x|0.4", 3, FF_PETRI_AUTO, 0, 1,
     39, 1},
    {"a part of a token", "c x 0.5\np n 0\np m 0\nf 0 -> x|0.1\nf x -> 0|0.1 * x\ns 0 -> n|1\ns 0 -> (n / 2) m|0.4", 3,
     FF_PETRI_AUTO, 0, 1, 39, 1},
    {"stiff, explicit", "c x 0.5\np n 0\nf 0 -> x|1e6 * (1 + n)\nf x -> 0|1e6 * x\ns 0 -> n|1000 + x\ns n -> 0|1000 * n", 0.003,
     FF_PETRI_DORMAND_PRINCE, 0, 0, 0, 0},
    {"resets to -0",
     "c x 1\nc d 2\np none 0\np n 3\np m 0\nf 0 -> x|2 / (1 + exp(1 / n))\nf x -> 0|x\ns 0 -> (-1 * none) n|0.5|n >= 1|n\n"
     "s 0 -> 2 n|0.2\ns 0 -> (-1 * none) d|0.5|d >= 1|d\ns 0 -> (-1 * none) x|0.3|n < 1|x\ns 0 -> m|3 / (1 + exp(1 / n))|m < 20\n"
     "s 0 -> m|1 / (1 + exp(1 / d)) + 1 / (1 + exp(1 / x))\ns none -> m|1",
     6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"narrow peaks of flows, and no hazard that moves", "c x 0\nc y 0\np n 1\nf 0 -> x|n\nf x -> 0|x\n"
     "f 0 -> y|0.02 / (0.0001 + (x - 1)^2)\nf y -> 0|y\ns 0 -> n|0.7\ns n -> 0|0.5 * n", 12, FF_PETRI_AUTO, 0, 0, 0, 0},
};
enum { HOSTILE_NETS = sizeof hostile_nets / sizeof *hostile_nets };

/* The next part of a line, up to a bar or the end; NULL if it is empty. */
static inline const char *hostile_part(const char **at, char *part) {
  size_t n = 0;
  while (**at != '\0' && **at != '|' && n + 1 < HOSTILE_PART) part[n++] = *(*at)++;
  if (**at == '|') (*at)++;
  part[n] = '\0';
  return n > 0 ? part : NULL;
}

/* When a scheduled transition fires: up to three numbers. */
static inline void hostile_schedule(petri_text *x, char *times) {
  char *at[3] = {NULL, NULL, NULL};
  for (int k = 0; k < 3 && times != NULL; k++) {
    at[k] = times;
    times = strchr(times, ',');
    if (times != NULL) *times++ = '\0';
  }
  petri_schedule(x, (const char *const *)at);
}

static inline void hostile_line(petri_text *x, const char *line, uint32_t number) {
  static char part[4][HOSTILE_PART], name[20];
  char place[20], marking[40];
  const char *at = line + 2, *of[4];
  if (line[0] == 'p' || line[0] == 'c') {
    FF_CHECK(sscanf(at, "%19s %39s", place, marking) == 2);
    petri_place(x, place, line[0] == 'c', marking);
    return;
  }
  static const char codes[] = "fsida";
  static const ff_petri_kind kinds[] = {FF_PETRI_CONTINUOUS, FF_PETRI_STOCHASTIC, FF_PETRI_IMMEDIATE, FF_PETRI_DETERMINISTIC,
                                        FF_PETRI_SCHEDULED};
  const char *const code = strchr(codes, line[0]);
  FF_CHECK(code != NULL);
  for (int i = 0; i < 4; i++) of[i] = hostile_part(&at, part[i]);
  snprintf(name, sizeof name, "t%u", number);
  petri_transition(x, name, kinds[code - codes], of[0], of[2], of[3], line[0] == 'a' ? NULL : of[1], 0);
  if (line[0] == 'a') hostile_schedule(x, part[1]);
}

/* Writes a net. The caller ends *x with petri_end(). */
static inline void hostile_write(petri_text *x, const char *text) {
  char line[HOSTILE_PART];
  uint32_t number = 0;
  petri_begin(x);
  while (*text != '\0') {
    size_t n = strcspn(text, "\n");
    n = n < sizeof line - 1 ? n : sizeof line - 1;
    memcpy(line, text, n);
    line[n] = '\0';
    hostile_line(x, line, number++);
    text += n + (text[n] == '\n');
  }
}

/* Lines of a net, where %u is a number from 0 on, and those before and after. `most` of them have code, and one more has none. */
typedef struct {
  const char *line;
  uint32_t most;
  const char *first, *last, *tells;
} hostile_many;

/* The text of a net with n of the lines. */
static inline void hostile_write_many(char *out, size_t size, const hostile_many *of, uint32_t n) {
  size_t at = (size_t)snprintf(out, size, "%s", of->first);
  for (uint32_t k = 0; k < n; k++)
    for (const char *c = of->line; *c != '\0' && at + 20 < size; c++) {
      if (c[0] == '%' && c[1] == 'u')
        at += (size_t)snprintf(out + at, size - at, "%u", k), c++;
      else
        out[at++] = *c;
    }
  snprintf(out + at, size - at, "%s", of->last);
}

#endif
