/* Which kernel of ff_ssa_generic_kernel.h a network needs, and its text. The kernels of the logarithmic method are compiled
 * ahead, so that they run where no code can be compiled. The others are compiled at run time, one for each need. */
#ifndef FF_SSA_GENERIC_CODE_H
#define FF_SSA_GENERIC_CODE_H

#include <stdio.h>

#include "ff_ssa_image.h"

typedef struct {
  uint32_t method; /* that of the image */
  int formulas;    /* of rates */
  int several;     /* points */
  int follows;     /* a condition, a list of firings, or starts */
  int scheduled;   /* events, or rates that depend on the time */
  int together;    /* a block of warps runs a trajectory */
} ff_ssa_generic_need;

/* What an image needs for a wave of one point or several, whose trajectories so many warps run together. What does not matter is
 * 0, so that the code is the same. Methods with rows never have rates that are formulas. */
static inline ff_ssa_generic_need ff_ssa_generic_need_of(const ff_ssa_image *image, int several, int follows, uint32_t warps) {
  ff_ssa_generic_need need = {.method = image->method, .several = several, .scheduled = image->schedule.formulas != NULL};
  need.follows = follows && !need.scheduled;
  need.formulas = image->depth > 0 && !need.scheduled && !ff_ssa_method_has_rows((int)image->method);
  need.together = warps > 1;
  return need;
}

/* Whether there is also a kernel with a thread for each trajectory. */
static inline int ff_ssa_generic_has_threads(const ff_ssa_generic_need *need) {
  return ff_ssa_method_searches((int)need->method) && !need->formulas && !need->several && !need->follows;
}

#define FF_SSA_GENERIC_TEXT 400 /* bytes */

/* Writes the text of the kernel, for ff_expand(). */
static inline void ff_ssa_generic_text(char text[FF_SSA_GENERIC_TEXT], const ff_ssa_generic_need *need) {
  const int few = need->formulas || need->several || need->follows || need->scheduled;
  snprintf(text, FF_SSA_GENERIC_TEXT,
           "#define S_METHOD %u\n#define S_FORMULAS %d\n#define S_SEVERAL %d\n#define S_FOLLOWS %d\n#define S_SCHEDULED %d\n"
           "#define S_BLOCK %d\n#define S_FEW %d\n#define S_THREADS %d\n"
           "#include \"cuda/ssa/data/ff_ssa_generic_kernel.h\"\n",
           need->method, need->formulas, need->several, need->follows, need->scheduled, need->together, few,
           ff_ssa_generic_has_threads(need));
}

#endif
