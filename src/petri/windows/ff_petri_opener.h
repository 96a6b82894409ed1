/* The states of blocks at the start of a trajectory, for a backend that makes the windows itself. A backend is not linked with
 * this engine, so it gets these functions as a table. */
#ifndef FF_PETRI_OPENER_H
#define FF_PETRI_OPENER_H

#include "ff_petri_block.h"
#include "ff_petri_pace_math.h"

typedef struct ff_petri_opener ff_petri_opener;

/* Takes a block that is open: `path` has its state at the start, but for given levels and variables. Several threads call it at
 * the same time, for different blocks. */
typedef void ff_petri_take(void *of, uint32_t block, const ff_petri_path *path, const ff_petri_kept *kept);

typedef struct {
  /* The caller frees *out with `free` of this table, which accepts NULL. The blocks are borrowed. A trajectory is opened by
   * `threads` threads, at least 1, or fewer if there are few blocks. O(threads * types). */
  ff_status (*create)(ff_petri_opener **out, const ff_petri_blocks *blocks, int threads, ff_error *err);
  void (*free)(ff_petri_opener *opener);
  /* Opens all blocks of a trajectory, and passes them to take(of, ...). Returns the first window. Nothing depends on the number
   * of threads. O(size of the net). */
  ff_petri_pace (*open)(ff_petri_opener *opener, const ff_petri_start *start, ff_petri_take *take, void *of);
} ff_petri_opener_calls;

extern const ff_petri_opener_calls ff_petri_opener_of_windows;

/* What a backend gets of a net that is simulated by windows. */
typedef struct {
  ff_petri_blocks *blocks;
  const ff_petri_opener_calls *opener;
} ff_petri_parts;

#endif
