/* Small hybrid nets whose flows are stiff, for kernels that have implicit steps. */
#ifndef FF_TESTS_PETRI_STIFF_H
#define FF_TESTS_PETRI_STIFF_H

#include "petri_hostile.h"

#define STIFF_LEVEL \
  "c x 0.5\np n 0\nf 0 -> x|1e6 * (1 + n)\nf x -> 0|1e6 * x\ns 0 -> n|1000 + x\ns n -> 0|1000 * n"
#define STIFF_SWITCH "p off 1\np on 0\ns off -> on|1.5 * off\ns on -> off|2.5 * on\n"
#define STIFF_CHAIN \
  STIFF_SWITCH "c a 0\nc b 0\nc d 0\nf 0 -> a|on\nf a -> b|1e4 * a\nf b -> a|1e4 * b\nf b -> d|b\nf d -> 0|d\np n 0\n" \
  "s 0 -> n|1 + d"
#define STIFF_ROBERTSON \
  "p n 3\nc x 1\nc y 0\nc z 0\nf x -> y|0.04 * x\nf 2 y -> y + z|3e7 * y * y\nf y + z -> x + z|1e4 * y * z\n" \
  "f z -> x|0.1 * n * z\ns n -> 0|n * (0.1 + z)\ns 0 -> n|1"
#define STIFF_BINDING \
  "p off 1\np on 0\nc p 0\nc l 2\nc b 0\nf 0 -> p|3 * on\nf p -> 0|p\nf p + l -> b|1e4 * p * l\n" \
  "f b -> p + l|1e3 * b\ns off -> on|off * (0.5 + b)\ns on -> off|on * (1 + b^2 / (0.5 + b^2))"
#define STIFF_AT_TIMES \
  "p off 1\np on 0\np n 0\nc x 0\nc y 1\ns off -> on|off\ns on -> off|on\nf 0 -> x|1 + y\n" \
  "f x -> 0|(1 + 1e4 * on) * x\nf y -> 0|0.2 * y\ns 0 -> n + 0.5 y|2 + x"
#define STIFF_SEASONS \
  "p n 0\nc x 0\nc y 0\nf 0 -> x|2e3 * (1.2 + sin(3 * time))\nf x -> 0|2e3 * x\nf x -> y|x\n" \
  "f y -> 0|y * (1 + 0.5 * cos(time))\ns 0 -> n|1 + x + 0.5 * sin(2 * time)\ns n -> 0.3 y|n"
#define STIFF_SEASONS_ALONE \
  "p n 0\nc x 0\nf 0 -> x|5e3 * (1.2 + sin(3 * time))\nf x -> 0|5e3 * x\ns 0 -> n|3\ns n -> 2 x|n"
#define STIFF_EIGHT \
  "p n 1\nc a 1\nc b 0\nc d 0\nc e 0\nc g 0\nc h 0\nc i 0\nc j 0\nf a -> b|1e3 * a\nf b -> a|900 * b\n" \
  "f b -> d|5 * b\nf d -> e|1e5 * d\nf e -> d|1e5 * e\nf e -> g|e\nf g -> h|300 * g\nf h -> g|n * 200 * h\n" \
  "f h -> i|h\nf i + a -> j + a|1e3 * i\nf j -> i|1e3 * j\nf j -> a|2 * j\nf 0 -> a|0.5 * n\n" \
  "f d -> 0|0.3 * d\ns 0 -> n|1 + j\ns n -> 0|n * (0.2 + e)"
/* Derivatives in all columns of each row. */
#define STIFF_FULL \
  "p n 1\nc a 1\nc b 0\nc d 0\nc e 0\nc g 0\nc h 0\nc i 0\nc j 0\n" \
  "f 0 -> a + b + d + e + g + h + i + j|n / (1 + a + b + d + e + g + h + i + j)\nf a -> 0|1e4 * a\n" \
  "f b -> 0|1e3 * b\nf d -> 0|100 * d\nf e -> 0|10 * e\nf g -> 0|g\nf h -> 0|h\nf i -> 0|2 * i\n" \
  "f j -> a|3 * j\ns 0 -> n|2\ns n -> 0|n * (0.5 + g)"
#define STIFF_PEAKS \
  "p n 0\nc x 0\nc y 0\nc z 0\nf 0 -> x|1\nf 0 -> y|0.02 / (0.0004 + (x - 1)^2)\nf y -> z|3e3 * y\n" \
  "f z -> 0|z\ns 0 -> n|0.05 + 1 / (0.001 + (x - 2.5)^2)||x\ns 0 -> n|2 + z"
#define STIFF_PULSES \
  "p n 0\nc x 0\nc y 0\nc z 0\nf 0 -> x|1\nf 0 -> y|30 * exp(-((x - 1) / 0.02)^2)\nf y -> z|3e3 * y\n" \
  "f z -> 0|z\ns 0 -> n|0.5 + z\ns 0 -> n|0.4||x"
#define STIFF_CROSSINGS \
  "p off 1\np on 0\np n 0\nc x 0\nc y 0\nf 0 -> x|2 * on\nf x -> 0|x\nf x -> y|5e3 * x\n" \
  "f y -> x|5e3 * y * (y < 0.4)\nf y -> 0|y\ns off -> on|off * (1 + (x > 0.2))\ns on -> off|on\n" \
  "s 0 -> n|1|y >= 0.3\ni 4 n -> 0.2 x|1"
#define STIFF_CLOCKS \
  "p n 0\np m 0\nc x 1\nc y 0\nf x -> y|1e4 * x\nf y -> x|(1e4 + 1e3 * n) * y\nf y -> 0|0.5 * y\n" \
  "d n -> 0.5 y|0.3\na 0 -> x|0.25,0.5\ns 0 -> n|1 + x\ns 0 -> m|2 * y"
#define STIFF_ROOTS \
  "p n 1\nc x 0\nc y 0\nf 0 -> x|n\nf x -> y|2e3 * sqrt(x)\nf y -> 0|1e3 * y\ns 0 -> n|1 + y\ns n -> 0|n||x"
/* Until 3: until 8, one of 5,000 trajectories has 2e7 firings, for which a thread of a GPU takes minutes. */
#define STIFF_JUMPS \
  "p n 0\nc x 0\nc y 2\nf 0 -> x|1\nf x -> y|1e5 * x\nf y -> 0|1e3 * y * (n > 2) + y\ns 0 -> n|2||x\n" \
  "s 0 -> 3 x + (0.1 * n) y|1 + y\ns 3 n -> 5 y|0.3"

#define STIFF_EMPTIED "p n 0\nc x 1\nf x -> 0|x / (1e-4 + x)\ns 0 -> n|2 + x\ns n -> 0.7 x|n"

/* All trajectories of the first one become stiff. */
static const hostile_net stiff_nets[] = {
    {"stiff from the start", STIFF_LEVEL, 0.003, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"stiff from the start, implicit", STIFF_LEVEL, 0.003, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"a chain beside a switch", STIFF_CHAIN, 12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"a chain beside a switch, implicit", STIFF_CHAIN, 12, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"Robertson", STIFF_ROBERTSON, 8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"Robertson, implicit", STIFF_ROBERTSON, 8, FF_PETRI_ROSENBROCK, 1e-4, 0, 0, 0},
    {"a fast equilibrium and a gene", STIFF_BINDING, 15, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"a fast equilibrium and a gene, implicit", STIFF_BINDING, 15, FF_PETRI_ROSENBROCK, 1e-8, 0, 0, 0},
    {"stiff at times", STIFF_AT_TIMES, 10, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"stiff at times, implicit", STIFF_AT_TIMES, 10, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"seasons", STIFF_SEASONS, 6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"seasons, implicit", STIFF_SEASONS, 6, FF_PETRI_ROSENBROCK, 1e-8, 0, 0, 0},
    {"seasons of a level", STIFF_SEASONS_ALONE, 8, FF_PETRI_AUTO, 1e-5, 0, 0, 0},
    {"seasons of a level, implicit", STIFF_SEASONS_ALONE, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"eight levels", STIFF_EIGHT, 6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"eight levels, implicit", STIFF_EIGHT, 6, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"eight levels, all of which count", STIFF_FULL, 6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"eight levels, all of which count, implicit", STIFF_FULL, 6, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"narrow peaks", STIFF_PEAKS, 8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"narrow peaks, implicit", STIFF_PEAKS, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"narrow peaks of other functions", STIFF_PULSES, 8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"narrow peaks of other functions, implicit", STIFF_PULSES, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"crossings", STIFF_CROSSINGS, 8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"crossings, implicit", STIFF_CROSSINGS, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"clocks", STIFF_CLOCKS, 8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"clocks, implicit", STIFF_CLOCKS, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"jumps", STIFF_JUMPS, 3, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"jumps, implicit", STIFF_JUMPS, 3, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"emptied at once", STIFF_EMPTIED, 8, FF_PETRI_AUTO, 1e-4, 0, 0, 0},
    {"emptied at once, implicit", STIFF_EMPTIED, 8, FF_PETRI_ROSENBROCK, 1e-4, 0, 0, 0},
    {"roots", STIFF_ROOTS, 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"roots, automatic", STIFF_ROOTS, 8, FF_PETRI_AUTO, 0, 0, HOSTILE_ALL, 0},
    {"a level that leaves 0 late, implicit",
     "p n 0\nc x 1e-10\nc z 1\nf 0 -> x|0.5 + n\nf x -> 0|x / (1e-10 + x)\nf z -> 0|0.001 * z\ns 0 -> n|0.5",
     8, FF_PETRI_ROSENBROCK, 0, 0, HOSTILE_ALL, 0},
    {"levels that share an outflow, implicit",
     "p n 0\nc x 1e-9\nc y 1e-9\nf 0 -> x|0.2 + 0.3 * n\nf 0 -> y|0.3 + 0.3 * n\nf x -> 0|x / (3e-9 + x + y)\n"
     "f y -> 0|y / (3e-9 + x + y)\ns 0 -> n|0.5 + x",
     8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
    {"a level that nothing reads, implicit", "p n 0\nc x 0\nf 0 -> x|1 + n\ns 0 -> n|1\ns n -> 0|n||x", 8, FF_PETRI_ROSENBROCK, 0,
     0, 0, 0},
    {"no level, implicit", "p n 0\np m 3\ns 0 -> n|1\ns n -> 0|n * m", 8, FF_PETRI_ROSENBROCK, 0, 0, 0, 0},
};
enum { STIFF_NETS = sizeof stiff_nets / sizeof *stiff_nets };

#endif
