/* A fake backend, valid or invalid in one way (-DFAKE_<way>), for tests of code that opens backends and lists devices. With
 * -DFAKE_ssa or -DFAKE_petri, and with the files of the core, its devices also run reaction networks or Petri nets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/backend/ff_backend.h"
#include "ff_build.inc" /* FF_BUILD, the same as in the core */
#ifdef FAKE_ssa
#include "fake_ssa.h"
#endif
#ifdef FAKE_petri
#include "fake_petri.h"
#endif

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

#ifdef FAKE_ssa
/* FAKE_SSA="capacity refuses fails_at again broken breaks_late unsupported lacks_memory": see fake_ssa.h. All are numbers; the
 * last ones may be left out. */
static const void *interface(const char *engine) {
  unsigned n[8] = {0};
  const char *how = getenv("FAKE_SSA");
  if (how != NULL) sscanf(how, "%u %u %u %u %u %u %u %u", n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
  memset(&fake_ssa, 0, sizeof fake_ssa);
  fake_ssa.capacity = n[0];
  fake_ssa.refuses = n[1];
  fake_ssa.fails_at = (int)n[2];
  fake_ssa.again = (int)n[3];
  fake_ssa.broken = n[4];
  fake_ssa.breaks_late = (int)n[5];
  fake_ssa.unsupported = (int)n[6];
  fake_ssa.lacks_memory = (int)n[7];
  return strcmp(engine, FF_SSA_INTERFACE) == 0 ? &fake_ssa_device : NULL;
}
#elif defined(FAKE_petri)
/* FAKE_PETRI="capacity refuses": see fake_petri.h. Both may be left out. */
static const void *interface(const char *engine) {
  const char *how = getenv("FAKE_PETRI");
  memset(&fake_petri, 0, sizeof fake_petri);
  if (how != NULL) sscanf(how, "%u %u", &fake_petri.capacity, &fake_petri.refuses);
  return strcmp(engine, FF_PETRI_INTERFACE) == 0 ? &fake_petri_device : NULL;
}
#else
static const void *interface(const char *engine) {
  (void)engine;
  return NULL;
}
#endif

/* FAKE_COMPILER=why: no code can be compiled for any device. */
static ff_status compiles(const ff_device *device, ff_error *err) {
  const char *why = getenv("FAKE_COMPILER");
  (void)device;
  if (why == NULL) return FF_OK;
  err->status = FF_EUNSUPPORTED;
  strncpy(err->text, why, sizeof err->text - 1);
  return FF_EUNSUPPORTED;
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
    .compiles = compiles,
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
