/* What the programs that make arrangements of papers anew share. With -DHOST, a C++ compiler makes them for the processor. */
#ifndef PAPER_PARTS_H
#define PAPER_PARTS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

#ifndef HOST
static void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}
#endif

static void copy(void *to, const void *from, size_t bytes) {
#ifdef HOST
  memcpy(to, from, bytes);
#else
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
#endif
}

#endif
