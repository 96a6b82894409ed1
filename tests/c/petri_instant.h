/* Small hybrid nets with immediate transitions, and with clocks. */
#ifndef FF_TESTS_PETRI_INSTANT_H
#define FF_TESTS_PETRI_INSTANT_H

#include "petri_hostile.h"

static const hostile_net instant_nets[] = {
    {"weights choose",
     "c x 0\np a 0\np l 0\np r 0\nf 0 -> x|1 + 0.1 * r\nf x -> 0|x\ns 0 -> a|2 + x\ni a -> l|1\ni a -> r|3\ni a -> 0|l - 4\n"
     "s l -> 0|0.5 * l\ns r -> 0|0.2 * r * x",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"weights are parts, and depend on counts",
     "c x 0.2\np a 3\np b 0\np n 1\nf 0 -> x|b\nf x -> 0|x\ns b -> 2 a|b * (0.3 + x)|b < 40\ns a -> 0|0.01 * a\n"
     "i a -> b|0.1 * a^2 / (1 + b)\ni a -> n|0.3 * (n < 9)|n < 9\ns n -> 0|n * x / (1 + x)",
     10, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"one enables another",
     "c x 1\np a 0\np b 0\np d 0\np e 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> a|1.5\ni 2 a -> b|1\ni b -> 2 d|1|e < 3\n"
     "i d -> e|1\ni 3 b -> 0|2\ns e -> 0|e * x",
     20, FF_PETRI_DORMAND_PRINCE, 0, 0, 0, 0},
    {"flows change at once",
     "c x 0\nc y 1\np off 1\np on 0\np k 0\nf 0 -> x|2 * on\nf x -> 0|0.7 * x\nf x -> y|0.3 * x^2 / (1 + x^2)\nf y -> 0|y\n"
     "s off -> on|off * (0.4 + x)\ns on -> off|on * (1 + y)\ns 0 -> k|0.4\ni k + off -> on + 0.5 x|1\ni k + on -> off|1||y",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"hazards of all kinds change",
     "c x 0.5\np a 0\np n 2\np m 1\np u 0\nf 0 -> x|1.2\nf x -> 0|x\ns 0 -> a|1\ni a -> n|1|n < 3\ni a + 2 n -> m|1\n"
     "i a + 2 m -> 3 u|1|n >= 3\ns u -> 0|0.2 * u\ns 0 -> x|0.3 * m * x / (1 + x)\ns 0 -> 2 x|0.05 * (n > 2) * x\n"
     "s m -> 0|0.3 * m * exp(-x)\ns n -> 0|n * (0.1 + x^4 / (0.5 + x^4))",
     16, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"all at the start",
     "c x 0\np a 7\np b 0\np d 0\nf 0 -> x|b\nf x -> 0|x\ni a -> b|2\ni a -> d + x|1\ns b -> 0|0.2 * b * x\ns d -> a|d",
     6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"groups of one profile",
     "c x 0.2\np a 0\np n 2\np m 3\nf 0 -> x|1 + n\nf x -> 0|2 * x\ns 0 -> a|1.5 * x^4 / (0.5 + x^4)\n"
     "s n -> 0|9 * n * x^4 / (0.5 + x^4)\ns 0 -> n|2|n < 4\ns m -> 0|2 * m * x^4 / (0.5 + x^4)\ni a -> m|1|m < 8\n"
     "i 2 a -> n|1|m >= 8",
     8, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"integrals in pieces",
     "c x 0\np a 0\np n 1\np m 0\nf 0 -> x|1\ns 0 -> a|2 + 1 / (0.02 + (x - 2.5)^2)||x\ns 0 -> m|1.5\ni a -> n|1|n < 5\n"
     "i m -> 0|1||n\ns n -> 0|n * (0.05 + 0.02 / (0.02 + (x - 0.5)^2))",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"hazards are constant, and all firings stir",
     "c x 0\np a 0\np n 1\nf 0 -> x|n\nf x -> 0|x\ns 0 -> a + x|2\ni a -> n + x|1|n < 4\ni a -> 0|1|n >= 4|n",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"nothing flows for a while",
     "c x 0\np off 1\np on 0\np k 0\np n 0\nf 0 -> x|2 * on\nf x -> 0|x * on\ns off -> on|off * (0.5 + x)\ns on -> off|on\n"
     "s 0 -> k|1\ni k -> n|1|off >= 1 & n < 5\ni k -> 0|1|on >= 1\ni k + n -> 0|2|n >= 5\ns n -> 0|0.3 * n * (1 + x)",
     16, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"levels that only firings change",
     "c x 1\nc d 0\np a 0\np n 0\nf 0 -> x|1 + d\nf x -> 0|2 * x\ns 0 -> a|1 + x\ni a -> (0.25 * (1 + n)) d|1|d < 2\n"
     "i a -> n|1|d >= 2|d\ns n -> 0|n * (0.1 + d)",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"the time decides rates",
     "c x 1\np a 0\np n 0\nf 0 -> x|1 + sin(time)\nf x -> 0|x\ns 0 -> a|1 + cos(3 * time)\ni 2 a -> n|1\n"
     "i n -> (0.1 * x) x|1|n > 4\ni n -> 0|0.5|n > 4\ns n -> 0|n * exp(-0.1 * time) * x",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"all firings share a clock",
     "c x 1\np a 0\np b 0\nf 0 -> x|1 + b\nf x -> 0|x\ns 0 -> a|1 + x\ns 0 -> b|0.5\ns b -> 0|b\ni 3 a -> b|1\n"
     "i 4 b -> 0|1||x",
     20, FF_PETRI_AUTO, 1e-4, 0, 0, 0},
    {"as many at once as there may be",
     "c x 0\np a 0\np n 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> 1024 a|0.5\ni a -> 0|1\ns 0 -> n|x",
     4, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"too many at once, later",
     "c x 0\np a 0\np n 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> n|1 + x\ni n -> 1025 a|1|n > 3\ni a -> 0|1",
     4, FF_PETRI_AUTO, 0, 1, 39, 0},
    {"a weight that is not finite",
     "c x 0\np a 0\np b 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> a|1 + x\ns 0 -> b|1\ni b -> 0|1 / (3 - a)|b > 1",
     4, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a change below 0 at once",
     "c x 1\np a 0\np b 0\nf 0 -> x|0.1\nf x -> 0|x\ns 0 -> a|1\ni a -> (0.5 - b) x|1\ns 0 -> b|0.5",
     4, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"a coefficient below 0, at once",
     "c x 1\np a 0\np b 0\nf 0 -> x|0.1\nf x -> 0|x\ns 0 -> a|1\ni a -> b|1\ns 0 -> 0.1 x|2 - b",
     4, FF_PETRI_AUTO, 0, 1, 39, 1},
};
static const hostile_net clock_nets[] = {
    {"a queue is served after a delay",
     "c x 0\np q 0\np n 0\nf 0 -> x|q\nf x -> 0|x\ns 0 -> q|0.8 + 0.1 * x\nd q -> n|0.7\ns n -> 0|0.3 * n * x",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"delays are functions of counts and levels",
     "c x 0.3\np q 2\np n 0\nf 0 -> x|1 + 0.2 * n\nf x -> 0|x\ns 0 -> q|1|q < 6\nd q -> n|0.1 + 0.5 * x / (1 + q)\n"
     "d n -> 0|0.3 + x * x\nd 0 -> 0.2 x|1.1 + 0.1 * n\ns n -> q|n * x",
     16, FF_PETRI_DORMAND_PRINCE, 0, 0, 0, 0},
    {"clocks are lost and start anew",
     "c x 1\np on 1\np off 0\np n 0\nf 0 -> x|on\nf x -> 0|x\ns on -> off|on * (0.5 + x)\ns off -> on|2 * off\n"
     "d 0 -> n|0.4|on >= 1\nd 0 -> n|0.25|off >= 1\nd n -> 0|0.9|n > 2|x",
     16, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"schedules, with and without an end",
     "c x 0\np a 0\np b 3\np n 0\nf 0 -> x|a\nf x -> 0|x\na 0 -> a|0.5,0.75\na b -> n|0.25,0.125,2\na a -> 0|1,2,9|a > 1\n"
     "a 0 -> b|3,0\na n -> 0|7,1,6\na 0 -> n|-1,1\ns a -> 0|a * x\ns n -> 0|0.2 * n\ns 0 -> b|0.2 * x",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"several are due at the same instant",
     "c x 0\np t 0\np u 0\np v 0\np w 0\nf 0 -> x|1 + u\nf x -> 0|x\na 0 -> 2 t|0.5,0.5\na t -> u|1,1\nd t -> v|0.5|t >= 1\n"
     "d 2 t -> w|0.5\na 0 -> w|1,1|t >= 1\na u -> 0|1,0.5\na 0 -> v|1,1|w >= 3\nd v -> 0|0.25\ns w -> 0|w * (0.1 + x)\n"
     "s 0 -> t|0.3 * v",
     10, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"delays are those when a batch has ended",
     "c x 0\np b 0\np n 0\np m 0\nf 0 -> x|1 + b\nf x -> 0|x\nd 0 -> n|0.5 + 0.25 * b|n < 9\na 0 -> b|0.5,0.5|b < 3\n"
     "a b -> 0|0.75,0.75\nd 0 -> m + 0.1 x|0.25 + 0.25 * (n > 2)|m < 4\ns n -> 0|n * (0.1 + x)\ns m -> 0|0.5 * m",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"clocks come before hazards",
     "c x 0\np a 0\np b 0\np d 0\nf 0 -> x|1 + d\nf x -> 0|x\na 0 -> 2 a|0.5,0.5\ns a -> b|1e25 * a\nd a -> d|0\n"
     "s b -> 0|b\ns d -> 0|d * (0.1 + x)",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"takers of one token come in any order",
     "c x 0\np token 1\np a 0\np b 0\np d 0\np e 0\nf 0 -> x|token\nf x -> 0|x\na token -> a|1,1\na token -> b|1,1\n"
     "a token -> d|1,1\na token -> e|1,1\na 0 -> token|0.75,1\na 0 -> 0.1 x|1,1|token >= 1\ns a + b -> 0|a * b * x\n"
     "s d -> e|d",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"what is due stirs flows, and hazards of all kinds",
     "c x 0.5\nc y 0\np on 0\np n 2\np m 1\nf 0 -> x|1 + on\nf x -> y|x * x / (0.2 + x * x)\nf y -> 0|y\n"
     "d 0 -> on|0.6|on < 1\nd on -> 0.5 y|0.35\na 0 -> n|0.4,0.4|n < 4|x\na n -> m|1,0.6\n"
     "s n -> 0|n * (0.1 + x^4 / (0.5 + x^4))\ns m -> 0|0.3 * m * exp(-x)\ns 0 -> m|0.4 * (n > 2) * y\ns 0 -> x|0.2 * m",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"immediate transitions after clocks",
     "c x 0\np a 0\np b 0\np d 0\nf 0 -> x|b\nf x -> 0|x\na 0 -> a|0.5,0.5\nd 2 a -> b + d|0.75\ni b -> 2 d|1|d > 1\n"
     "i 4 d -> a|1\ni 4 d -> x|2\na a -> d|1,1\ns b -> 0|b * (0.2 + x)\ns 0 -> b|0.4",
     16, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"a delay of 0",
     "c x 0\np a 0\np b 0\nf 0 -> x|1 + b\nf x -> 0|2 * x\ns 0 -> 3 a|0.7 + x\nd a -> b|0\nd b -> 0|0.5 * (b > 2)\n"
     "s b -> a|0.2 * b * x",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"nothing flows, and clocks go on",
     "c x 0\np off 1\np on 0\np n 0\nf 0 -> x|2 * on\nf x -> 0|x * on\nd off -> on|0.8\nd on -> off|0.3\n"
     "a 0 -> n|0.5,0.5|n < 5\ns n -> 0|n * (0.1 + x)\ns 0 -> n|0.2",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"nothing flows, but the time goes on",
     "c x 0.3\np off 1\np on 0\np b 0\nf 0 -> x|on\nf x -> 0|x * on\nd off -> on|0.9 + 0.1 * time\nd on -> off|0.4\n"
     "s 0 -> b|0.5 * (1 + cos(time)) * x\ns b -> 0|b * exp(-0.1 * time)\na b -> 0|1,1",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"levels that only clocks change",
     "c x 1\nc d 0\np n 0\nf 0 -> x|1 + d\nf x -> 0|2 * x\na 0 -> (0.25 * (1 + n)) d|0.5,0.5|d < 2\nd 0 -> n|0.7|d >= 2|d\n"
     "s n -> 0|n * (0.1 + d)\ns 0 -> n|x",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"rates and delays depend on the time",
     "c x 1\np a 0\np n 0\nf 0 -> x|1 + sin(time)\nf x -> 0|x\ns 0 -> a|1 + cos(3 * time)\nd a -> 0.1 x|0.3 + 0.01 * time\n"
     "a 0 -> 0.15 x|0.3,0.9\ns n -> 0|n * exp(-0.1 * time) * x\na 0 -> 2 n|2,1.5",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"points of a schedule that rounding makes one",
     "c x 0\np n 0\np m 3\nf 0 -> x|1\nf x -> 0|x\na 0 -> n|1,1e-17,1.00000000000000005\n"
     "a m -> 0|2,1e-17,2.00000000000000005\ns n -> 0|0.1 * n * x\ns 0 -> m|0.7",
     6, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"a delay that is not valid",
     "c x 0\np a 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> a|1 + x\nd 2 a -> 0|2.5 - a",
     6, FF_PETRI_AUTO, 0, 1, 39, 1},
    {"an infinite delay",
     "c x 0\np a 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> a|1 + x\nd 2 a -> 0|1 / (3 - a)^2",
     3, FF_PETRI_AUTO, 0, 1, 39, 0},
    {"clocks at one instant without end",
     "c x 0\np a 0\nf 0 -> x|1\nf x -> 0|x\ns 0 -> a|0.2\nd 3 a -> 3 a|0",
     4, FF_PETRI_AUTO, 0, 1, 39, 1},
};
/* Comparisons of levels with numbers. */
static const hostile_net switch_nets[] = {
    {"a flow changes where a level crosses a number",
     "c x 0\np n 0\np on 1\np off 0\nf 0 -> x|0.9 + 2 * (x > 0.8) * on\nf x -> 0|x\ns 0 -> n|1 + x\ns n -> 0|n\n"
     "s on -> off|on\ns off -> on|2 * off * x",
     12, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"hazards change, and tests of levels",
     "c x 0\nc y 1\np n 0\np m 3\nf 0 -> x|1.5\nf x -> y|x\nf y -> 0|0.8 * y\ns 0 -> n|2 * (x > 0.9) + 0.1\n"
     "s n -> m|n|y >= 1.4\ns m -> 0|m * (0.2 + x)|y < 1.6||\ns 0 -> x|0.4\ns 0 -> m|0.5||x",
     14, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"immediate transitions that a level enables, and resets",
     "c x 0\np n 0\np m 0\nf 0 -> x|1 + 0.2 * n\ni 0 -> n|1|x >= 2|x\ni 4 n -> m|1|x < 1\ns m -> 0|m * (0.2 + x)\n"
     "s n -> 0|0.3 * n * x / (1 + x)\ns 0 -> 0.5 x|0.3",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"clocks that levels start and stop",
     "c x 0\np on 1\np off 0\np n 0\nf 0 -> x|2 * on\nf x -> 0|x\nd on -> off|0.1|x >= 1.5\nd off -> on|0.3|x < 0.4\n"
     "d 0 -> n|0.25|x >= 1\na n -> 0|0.5,0.5|x < 1\ns n -> 0|0.2 * n * x\ns 0 -> 0.3 x|0.2",
     16, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"several levels cross at the same time",
     "c x 0\nc y 0\nc z 2\np n 0\np m 0\nf 0 -> x|1\nf 0 -> y|1\nf z -> 0|z\nf 0 -> z|1.5 * (x > 1)\ns 0 -> n|1|y >= 1\n"
     "i 0 -> m|1|x >= 2 & y >= 2|x, y\ns m -> 0|m * (0.2 + z)\ns n -> 0|n * (z < 1.1)",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"integrals of curved hazards end at crossings",
     "c x 0.1\nc y 0\np n 2\np on 1\np off 0\nf 0 -> x|1 + 2 * (x >= 0.6)\nf x -> 0|x^2 / (0.5 + x^2)\nf x -> y|0.5 * x\n"
     "f y -> 0|y * (2 - (y > 0.4))\ns n -> 0|n * (0.1 + x^4 / (0.5 + x^4))\ns 0 -> 2 n|0.8 * exp(-x)|n < 6\n"
     "s on -> off|on * (1 + (x > 0.8)) * y\ns off -> on|off * 0.5 / (0.1 + (x - 1)^2)",
     8, FF_PETRI_AUTO, 0, 0, 4, 0},
    {"the time goes on, and switches",
     "c x 0\np n 0\nf 0 -> x|1 + sin(3 * time)\nf x -> 0|x * (2 - (x > 1))\ns 0 -> n|(1 + cos(time)) * (1 + 3 * (x > 0.7))\n"
     "s n -> 0|n * exp(-0.1 * time) * x",
     16, FF_PETRI_DORMAND_PRINCE, 0, 0, 0, 0},
    {"a level begins at the number, and falls",
     "c x 0.5\np n 0\np m 2\nf 0 -> x|0.2 * m\nf x -> 0|x\ns 0 -> x|0.8||x\ns 0 -> n|1 + 2 * (x >= 1)\n"
     "s n -> 0|n * (0.3 + x)\ns m -> 0|0.1 * m",
     20, FF_PETRI_AUTO, 0, 0, 0, 0},
    {"levels at the number",
     "c x 1\nc y 1\np n 0\nf 0 -> x|0.5 * (n > 1)\nf x -> 0|0.3 * x * (x > 1)\nf 0 -> y|0.5 * (y < 1)\n"
     "f y -> 0|y * (n > 2)\ns 0 -> n|1 + (x >= 1)\ns n -> 0|n * y\ns n -> 0.5 x|0.2 * n",
     10, FF_PETRI_AUTO, 0, 0, 40, 0},
};
enum { SWITCH_NETS = sizeof switch_nets / sizeof *switch_nets };
enum { CLOCK_NETS = sizeof clock_nets / sizeof *clock_nets };
enum { INSTANT_NETS = sizeof instant_nets / sizeof *instant_nets };

#endif
