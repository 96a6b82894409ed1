/* Networks with events, and with rates that depend on the time, that are points of a sweep: in the text of point p, each @ is
 * the digit p + 2: a factor of 1 would be left out. */
#ifndef FF_TESTS_SCHEDULE_POINTS_H
#define FF_TESTS_SCHEDULE_POINTS_H

#include "simulations.h"
#include "text_networks.h"

#define POINT_BIRTH "species;A;@\nspecies;B;@\nparameter;k;1.@\nreaction;0 -> A;2@\nreaction;A -> B;k\nreaction;B -> 0;0.@\n"

static const struct {
  const char *what, *text;
  double last;
} scheduled_points[] = {
    {"events", POINT_BIRTH "event;e;B > 1@;;;;B;@\nevent;f;A + B > 20 + @ * sin(time);;;;A;floor(A / @)\n"
     "event;g;time >= 0.@;;;;k;k / @\nevent;h;A > 2@;;;;k;k * 2\n", 5},
    {"delays and priorities", POINT_BIRTH "event;e;B > 1@;0.@;;;A;A + @\nevent;f;B > 5;;@;;A;1\nevent;g;B > 5;;@;;A;A + 7\n"
     "event;h;A - 2 * floor(A / 2) == 0;0.@ + 1 / (1 + A);;l;B;B + @\n", 4},
    {"rates", "species;A;@\nspecies;B;4\nlaw;0 -> A;5 * (@ + sin(7 * time))\nreaction;A -> B;1 + 0.@ * cos(time)\n"
     "law;2 B -> 0;0.@ * B * (B - 1) * exp(-time / @)\nreaction;A -> 0;0.@\n", 5},
    {"rates and events", "species;A;3\nspecies;B;@\nparameter;k;0.@\nlaw;0 -> A;5 * (@ + sin(3 * time)) * k\n"
     "reaction;A -> B;k * time / (@ + time)\nreaction;3 B -> A;0.0@ * (1 + time)\nevent;e;A > 1@;0.1;;;k;k * 0.9\n"
     "event;f;time > @;;;;B;B + @\n", 5},
};

static inline ff_ssa_program *program_of_scheduled_point(size_t example, uint32_t p) {
  char text[1024];
  FF_CHECK(snprintf(text, sizeof text, "%s", scheduled_points[example].text) < (int)sizeof text);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '@') *at = (char)('2' + p);
  return program_of_network(network_of_text(text));
}

#endif
