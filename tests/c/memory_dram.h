/* Scenario of test_memory: a channel of dynamic memory. */
#ifndef FF_TESTS_MEMORY_DRAM_H
#define FF_TESTS_MEMORY_DRAM_H

#include "../../src/dram/ff_dram.h"
#include "memory_given.h"

/* Only a new channel allocates. */
static ff_status makes_dram(ff_error *err) {
  ff_dram *c;
  ff_status status = ff_dram_new(&c, ff_dram_part_at(0), NULL, err);
  CHECK_OUT(status, c);
  if (status != FF_OK) return status;
  const ff_dram_request request = {.tag = 7};
  ff_dram_finished finished;
  FF_CHECK_INT(ff_dram_push(c, &request), 1);
  ff_dram_advance(c, 26);
  FF_CHECK_INT(ff_dram_take(c, &finished), 1);
  FF_CHECK_INT(finished.tag, 7);
  ff_dram_free(c);
  return FF_OK;
}

#endif
