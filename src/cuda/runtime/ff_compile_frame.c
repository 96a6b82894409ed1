#define _GNU_SOURCE /* st_mtim */
#include "ff_compile_frame.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint64_t ff_frame_sum(const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  uint64_t sum = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < n; i++) sum = (sum ^ at[i]) * UINT64_C(1099511628211);
  return sum;
}

int ff_maker_name(char out[FF_MAKER_ROOM], int major, int minor, const char *path) {
  struct stat s;
  if (stat(path, &s) != 0) return 0;
  int n = snprintf(out, FF_MAKER_ROOM, "NVRTC %d.%d, %lld bytes, %lld.%09ld s, %s", major, minor, (long long)s.st_size,
                   (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, path);
  return n > 0 && n < FF_MAKER_ROOM;
}

int ff_maker_is_there(const char *maker) {
  int major, minor, at = 0;
  char now[FF_MAKER_ROOM];
  if (sscanf(maker, "NVRTC %d.%d, %*d bytes, %*d.%*d s, %n", &major, &minor, &at) != 2 || at == 0) return 0;
  return ff_maker_name(now, major, minor, maker + at) && strcmp(now, maker) == 0;
}
