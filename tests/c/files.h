/* What tests that write files share. */
#ifndef FF_TESTS_FILES_H
#define FF_TESTS_FILES_H

#include <dirent.h>
#include <unistd.h>

#include "check.h"

#define PATH_ROOM 512

/* Returns how many files of the folder have a name with this end; `path` becomes the path of the last one. It may be NULL. */
static inline int find_files(const char *folder, const char *end, char path[PATH_ROOM]) {
  int n = 0;
  DIR *list = opendir(folder);
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    const size_t length = strlen(e->d_name), tail = strlen(end);
    if (e->d_name[0] == '.' || length < tail || strcmp(e->d_name + length - tail, end) != 0) continue;
    if (path != NULL) snprintf(path, PATH_ROOM, "%.200s/%.200s", folder, e->d_name);
    n++;
  }
  if (list != NULL) closedir(list);
  return n;
}

static inline void empty_folder(const char *folder) {
  char path[PATH_ROOM];
  while (find_files(folder, "", path) > 0 && unlink(path) == 0) {}
}

static inline void remove_folder(const char *folder) {
  empty_folder(folder);
  FF_CHECK(rmdir(folder) == 0);
}

#endif
