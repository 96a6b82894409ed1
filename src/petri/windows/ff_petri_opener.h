/* The states of blocks at the start of a trajectory, for a backend that makes the windows itself. A backend is not linked with
 * this engine, so it gets these functions as a table. */
#ifndef FF_PETRI_OPENER_H
#define FF_PETRI_OPENER_H

#include "ff_petri_windows.h"

typedef struct ff_petri_opener ff_petri_opener;

typedef struct {
  /* The caller frees *out with `free` of this table, which accepts NULL. The blocks are borrowed. O(types). */
  ff_status (*create)(ff_petri_opener **out, const ff_petri_blocks *blocks, ff_error *err);
  void (*free)(ff_petri_opener *opener);
  /* Opens a trajectory up to its first window, as ff_petri_windows_open() does. *window and *pace belong to the opener, and are
   * valid until the next call. FF_EMEMORY, or FF_EMODEL if it fails at once. O(size of the net). */
  ff_status (*open)(ff_petri_opener *opener, uint64_t key, uint64_t unit, const double *initial, const ff_petri_window **window,
                    const ff_petri_pace **pace, ff_error *err);
  /* The path with the state of a block at the start, as ff_petri_path_look() fills it; valid until the next one of `look`. */
  const ff_petri_path *(*look)(ff_petri_opener *opener, uint32_t block, ff_petri_kept *kept);
} ff_petri_opener_calls;

extern const ff_petri_opener_calls ff_petri_opener_of_windows;

/* What a backend gets of a net that is simulated by windows. */
typedef struct {
  ff_petri_blocks *blocks;
  const ff_petri_opener_calls *opener;
} ff_petri_parts;

#endif
