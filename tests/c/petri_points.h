/* Small Petri nets as points of a sweep: texts with numbers that differ. */
#ifndef FF_TESTS_PETRI_POINTS_H
#define FF_TESTS_PETRI_POINTS_H

#include "petri_hostile.h"

enum { POINTS = 4, NUMBERS = 4 };

/* A net as in petri_hostile.h, where $k stands for number k of a point. */
typedef struct {
  const char *what, *text;
  double last, number[POINTS][NUMBERS];
  uint32_t apart;   /* bits: points that do not share the code of the first one */
  uint32_t numbers; /* in which points differ */
  uint32_t most_refused;
} net_of_points;

/* Compiles the net of a point. The caller ends *x with petri_end(). */
static inline void points_write(petri_text *x, const char *text, const double *number) {
  static char out[4000];
  size_t at = 0;
  for (; *text != '\0' && at + 40 < sizeof out; text++)
    if (*text == '$')
      at += (size_t)snprintf(out + at, sizeof out - at, "%.17g", number[*++text - '0']);
    else
      out[at++] = *text;
  out[at] = '\0';
  hostile_write(x, out);
  petri_compile(x, &(ff_petri_options){.integrator = FF_PETRI_AUTO});
}

#define POINTS_SWITCH "p off 1\np on 0\n"
static const net_of_points nets_of_points[] = {
    {"gene", POINTS_SWITCH "c p 0\ns off -> on|$0 * off\ns on -> off|$1 * on\nf 0 -> p|$2 * on\nf p -> 0|$3 * p", 20,
     {{1.5, 2.5, 1.2, 0.9}, {0.5, 2.5, 2, 3}, {1.5, 4, 1.2, 0.3}, {3, 0.7, 7, 0.9}}, 0, 4, 0},
    {"hill", POINTS_SWITCH "c m 0.1\nc p 0.1\ns off -> on|off * ($0 + 4 * p^4 / ($1^4 + p^4))\n"
     "s on -> off|on * (0.5 + 1.5 * $1^4 / ($1^4 + p^4))\nf 0 -> m|$2 * on\nf m -> 0|2 * m\nf 0 -> p|3 * m\nf p -> 0|p", 12,
     {{0.2, 15, 20}, {0.1, 12, 20}, {0.5, 15, 30}, {0.2, 2, 10}}, 0, 4, 0},
    {"exponents",
     POINTS_SWITCH "c p 1\nc q 0.2\np n 0\ns off -> on|off * (0.2 + p^$0 / (2 + p^$0))\ns on -> off|on\nf 0 -> p|3 * on\n"
     "f 0 -> q|1 / (0.02 + p^$0)\nf p -> 0|p\nf q -> 0|q\ns 0 -> n|0.2 * exp(-q * $1) * (1 + p^$1)", 10,
     {{4.5, 2.5}, {2.5, 1.5}, {3.5, 2.5}, {8.25, 0.5}}, 0, 2, 0},
    {"an exponent that makes no narrow peak",
     POINTS_SWITCH "c p 1\nc q 0.2\ns off -> on|off * (0.2 + q)\ns on -> off|on\nf 0 -> p|3 * on\n"
     "f 0 -> q|0.1 * p^$0\nf p -> 0|p\nf q -> 0|q", 10, {{4}, {2}, {6}, {3.5}}, 2, 1, 0},
    {"growth", "c x 0\np n 0\nf 0 -> x|$0\ns 0 -> n|$1 * x||x", 10, {{3, 1.5}, {2, 1.5}, {0.5, 4}, {3, 0.1}}, 0, 2, 0},
    {"stiff", "p n 1\nc x 0\nc y 1\nf 0 -> x|$0 * n\nf $2 x -> y|$1 * x\nf y -> x|1e3 * y\nf y -> 0|$3 * y\ns 0 -> n|1 + y\n"
     "s n -> 0|n", 6, {{1.1, 1e4, 1.2, 0.9}, {2, 1e3, 1.5, 1.2}, {1.1, 2e4, 1.3, 0.5}, {3, 1e4, 2, 2}}, 0, 4, 0},
    {"slow bounds", "c x 0\nc y 0\np n 0\nf 0 -> x|1\nf 0 -> y|$0 * exp(-((x - 1) / $1)^2)\nf y -> 0|0.3 * y\ns 0 -> n|0.5 + y\n"
     "s n -> 0|n * (0.1 + $2 * exp(-((x - 2.5) / 0.02)^2 + 0.1 * sin($3 * time)))||x", 3,
     {{30, 0.02, 40, 1.5}, {20, 0.05, 40, 2}, {30, 0.03, 10, 1.5}, {5, 0.02, 20, 3}}, 0, 4, 8},
    {"quick bounds", "c x 0\nc y 0\np n 0\nf 0 -> x|1\nf 0 -> $2 y|0.02 / ($0 + (x - $1)^2)\nf y -> 0|0.1 * y\n"
     "s 0 -> n|0.05 + 1 / (0.001 + (x - $3)^2)||x", 5,
     {{0.0004, 0.9, 2, 2.5}, {0.0009, 1.5, 3, 2.5}, {0.0004, 0.7, 0.5, 2}, {0.01, 0.9, 1.5, 3}}, 0, 4, 0},
    {"weights and changes", POINTS_SWITCH "c x 0.5\nc d 0\np n 0\ns off -> on|off\ns on -> off + $2 x|2 * on\ns 0 -> $0 n|0.6\n"
     "s n -> $1 d|0.5 * n\ns 0 -> ($3 * x) d|0.3||d\nf 0 -> $2 x|on\nf x -> 0|$1 * x", 8,
     {{2, 0.5, 3, 0.1}, {3, 0.7, 1.5, 0.2}, {1, 0.5, 2, 0.3}, {5, 2, 3, 7}}, 0, 4, 0},
    {"conditions", "c x 0.5\np n 0\np m 0\nf 0 -> x|if(n > $0, $1, 1)\nf x -> 0|x * (1 + (m > $2))\ns 0 -> n|$3 + x|n < 9\n"
     "s n -> m|0.4 * n\ns m -> 0|m", 8, {{2, 3, 1, 0.5}, {4, 3, 2, 0.5}, {2, 5, 0, 0.7}, {0, 0.5, 1, 2}}, 0, 4, 0},
    {"a table", "c x 0.5\np n 40\np m 0\nf 0 -> x|m\nf x -> 0|x\ns n -> m|0.01 * n\ns n -> 0|$0 * n\ns m -> 0|0.3 * m\n"
     "s m -> n|$1 * m\ns 0 -> n|0 * n\ns n -> 2 m|0.01 * n\ns n -> 2 m|$0 * n\ns m -> n|$2 * m * x\ns m -> 0|$3 * m", 6,
     {{0.02, 0.1, 0.1, 0.2}, {0.01, 0.3, 0.1, 0.2}, {0.05, 0.1, 0.2, 0}, {0.02, 0.2, 0.3, 0.1}}, 0, 12, 0},
    {"equal numbers in the first point",
     POINTS_SWITCH "c x 0.3\ns off -> on|off * ($0 + x / ($1 + x))\ns on -> off|$2 * on\nf 0 -> x|on\n"
     "f x -> 0|$3 * x / ($0 + x)", 10, {{2, 2, 2, 2}, {3, 2, 2, 2}, {2, 3, 2, 0.7}, {2, 2, 4, 0.7}}, 0, 4, 0},
    {"rates that are 0", POINTS_SWITCH "c x 0.3\np n 0\ns off -> on|$0 * off\ns on -> off|on\nf 0 -> x|$1 * on\nf x -> 0|x\n"
     "s 0 -> n|$2 + x\ns n -> 0|$3 * n", 8, {{2, 2, 2, 2}, {0, 2, 3, 0}, {2, 0, 0.5, 0.5}, {3, 4, 2, 0}}, 0, 4, 0},
    {"signs", POINTS_SWITCH "c x 0.3\np n 0\np none 0\ns off -> on|off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x * exp($0 * x)\n"
     "s n -> 0|n\ns 0 -> n|$1 + x * x\ns 0 -> n|$2 * none", 6, {{-2, 3, 2}, {2, 0.5, 3}, {-0.5, 3, -2}, {0.2, 2, 0}}, 4, 3, 0},
    {"a weight that is 0",
     POINTS_SWITCH "c x 0.3\np n 0\ns off -> on|off\ns on -> off + ($0) n|on\nf 0 -> ($1) x|on\nf x -> 0|x\ns n -> 0|n", 6,
     {{1, 2}, {0, 2}, {3, 0}, {2, 1}}, 6, 2, 0},
    {"numbers that make profiles equal",
     POINTS_SWITCH "c x 0.3\ns off -> on|off * ($0 + x)\ns on -> off|on * ($1 + x)\nf 0 -> x|on\n"
     "f x -> 0|x", 10, {{1, 2}, {2, 2}, {0.5, 3}, {3, 1}}, 2, 2, 0},
    {"an infinite number", "c x 1\np n 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 / (1 + x + $0 / $1)\ns n -> 0|n", 3,
     {{1, 1}, {2, 3}, {1, 0}, {0.5, 4}}, 4, 1, 0},
    {"nothing differs", POINTS_SWITCH "c x 0.3\ns off -> on|off\ns on -> off|on\nf 0 -> x|on\nf x -> 0|x", 6, {{0}}, 0, 0, 0},
};
enum { NETS_OF_POINTS = sizeof nets_of_points / sizeof *nets_of_points };

#endif
