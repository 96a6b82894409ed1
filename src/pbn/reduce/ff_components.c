#include "ff_reduce.h"

#include <stdlib.h>

ff_status ff_pbn_components(ff_components **out, const ff_pbn *pbn, ff_error *err) {
  uint32_t *from = NULL, *to = NULL;
  size_t arrows = 0;
  *out = NULL;
  ff_status status = ff_pbn_arrows(&from, &to, &arrows, pbn, err);
  if (status == FF_OK) status = ff_graph_components(out, pbn->n_nodes, from, to, arrows, err);
  free(from);
  free(to);
  return status;
}
