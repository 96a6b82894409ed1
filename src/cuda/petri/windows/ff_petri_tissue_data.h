/* The data of a large net for a device, and of trajectories that begin. */
#ifndef FF_PETRI_TISSUE_DATA_H
#define FF_PETRI_TISSUE_DATA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../../petri/windows/ff_petri_opener.h"
#include "../code/ff_petri_code.h"
#include "../steps/ff_petri_tissue.h"

typedef struct {
  const ff_petri_parts *parts; /* borrowed */
  const ff_petri_blocks *blocks;
  ff_petri_code code[FF_PETRI_MOST_CLASSES]; /* of each class of types */
  ff_petri_code_sizes most; /* of the blocks of all classes */
  uint32_t n_classes, *class_of; /* class_of: of each type */
  ff_petri_tissue net;  /* pointers are offsets in `data`: see ff_petri_tissue_at() */
  char *data;           /* lists of the net */
  size_t bytes;
  ff_petri_opener *opener;
} ff_petri_tissue_data;

/* Makes the data of a net, and the code: definitions, FF_PETRI_CODE_BLOCK_HEADERS, functions. request->initial, ->observed,
 * ->n_observed and ->threads are read. The caller frees *out with ff_petri_tissue_data_free(), also after an error.
 * FF_EUNSUPPORTED, with a clause that tells why, if no kernel can simulate the net. O(size of the net). */
ff_status ff_petri_tissue_data_new(ff_petri_tissue_data *out, const ff_petri_parts *parts, const ff_device_request *request,
                                   ff_error *err);
void ff_petri_tissue_data_free(ff_petri_tissue_data *data);

/* The blocks of a class. O(1). */
static inline uint32_t ff_petri_tissue_blocks_of(const ff_petri_tissue_data *of, uint32_t c) {
  return of->net.class_first[c + 1] - of->net.class_first[c];
}

/* The net whose lists were copied to `data`, and which has the memory of slots from `memory` on. O(1). */
ff_petri_tissue ff_petri_tissue_at(const ff_petri_tissue_data *of, char *data, char *memory);

/* Lets a trajectory begin, which is number `unit` of those that run together (ff_launch.h) and `number` of all: fills the first
 * ff_petri_tissue_open_bytes() bytes of the memory of a slot. No marking is above that of the request. O(size of the net), by
 * request->threads threads. */
void ff_petri_tissue_open(ff_petri_tissue_data *of, uint64_t key, uint64_t number, uint32_t unit, const double *initial,
                          char *memory);
static inline size_t ff_petri_tissue_open_bytes(const ff_petri_tissue_data *of) { return (size_t)of->net.at_strip; }

#define FF_PETRI_TISSUE_ROUNDS 64u /* between two looks at the slots: where rounds are short, looks take a part of the time */
#define FF_PETRI_TISSUE_LOOK 0.05 /* seconds: so soon a user can interrupt, however large the net is */

/* How many rounds are queued next, if the last ones took so many seconds. Later rounds may take longer. O(1). */
static inline uint32_t ff_petri_tissue_rounds(uint32_t last, double seconds) {
  const uint32_t most = last < FF_PETRI_TISSUE_ROUNDS / 2 ? 2 * last : FF_PETRI_TISSUE_ROUNDS;
  if (last * FF_PETRI_TISSUE_LOOK >= most * seconds) return most;
  const double fit = last * (FF_PETRI_TISSUE_LOOK / seconds);
  return fit < 1 ? 1 : (uint32_t)fit;
}

#ifdef __cplusplus
}
#endif

#endif
