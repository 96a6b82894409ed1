/* A fake backend, valid or invalid in one way (-DFAKE_<way>), for tests of code that opens backends and lists devices. */
#include <stdlib.h>
#include <string.h>

#include "../../src/backend/ff_backend.h"
#include "ff_build.inc" /* FF_BUILD, the same as in the core */

static const ff_device known[] = {
    {.name = "Fake One", .memory = UINT64_C(80) << 30, .major = 9, .minor = 0,
     .processors = 132, .usable = 1, .why_not = ""},
    {.name = "Fake Old", .memory = UINT64_C(4) << 30, .major = 6, .minor = 1,
     .processors = 10, .usable = 0, .why_not = "compute capability 6.1, and at least 7.5 is needed"},
    {.name = "Fake Two", .memory = UINT64_C(80) << 30, .major = 9, .minor = 0,
     .processors = 132, .usable = 1, .why_not = ""},
};

static ff_status devices(ff_device *out, uint32_t capacity, uint32_t *n, ff_error *err) {
#ifdef FAKE_nodriver
  (void)out, (void)capacity, (void)known;
  *n = 0;
  if (err != NULL) *err = (ff_error){FF_EBACKEND, "no driver is here"};
  return FF_EBACKEND;
#else
  (void)err;
  /* FAKE_DEVICES=n: n devices; names repeat if there are more devices than names */
  const char *wanted = getenv("FAKE_DEVICES");
  uint32_t there = wanted != NULL ? (uint32_t)atoi(wanted) : (uint32_t)(sizeof known / sizeof known[0]);
  for (uint32_t i = 0; i < there && i < capacity; i++) out[i] = known[i % (sizeof known / sizeof known[0])];
  *n = there;
  return FF_OK;
#endif
}

static const void *interface(const char *engine) {
  (void)engine;
  return NULL;
}

static const ff_backend table = {
#ifdef FAKE_abi
    .abi = FF_BACKEND_ABI + 1,
#else
    .abi = FF_BACKEND_ABI,
#endif
#ifdef FAKE_small
    .size = sizeof(ff_backend) - 8,
#else
    .size = sizeof(ff_backend),
#endif
#ifdef FAKE_build
    .build = FF_BUILD "0",
#else
    .build = FF_BUILD,
#endif
    .name = "fake",
    .devices = devices,
    .interface = interface,
};

#ifdef FAKE_noentry
#define fireflip_backend another_name
#endif
const ff_backend *fireflip_backend(void);
const ff_backend *fireflip_backend(void) {
#ifdef FAKE_null
  (void)&table;
  return NULL;
#else
  return &table;
#endif
}
