/* Inputs that the fuzzers found, and their seeds. */
#ifndef FF_TESTS_CORPUS_H
#define FF_TESTS_CORPUS_H

#include <dirent.h>

#include "../../src/io/ff_io.h"
#include "check.h"

/* Calls `replay` with the path of each file in the corpus of this reader. The corpus is in FIREFLIP_CORPUS, or in a folder
 * relative to the top folder of the repository. Returns the number of files. */
static inline int corpus_each(const char *reader, ff_format format, void (*replay)(const char *path, ff_format format)) {
  char folder[300], path[700];
  int n = 0;
  const char *root = getenv("FIREFLIP_CORPUS");
  snprintf(folder, sizeof folder, "%.200s/%s", root != NULL ? root : "tests/c/corpus", reader);
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%.300s", folder, entry->d_name);
    replay(path, format);
    n++;
  }
  if (entries != NULL) closedir(entries);
  return n;
}

/* A reader that refuses a file must say why, in UTF-8. */
static inline void corpus_check_message(const char *path, ff_status status, const ff_error *err) {
  if (status != FF_OK) FF_CHECK_SAY(ff_utf8_valid(err->text, strlen(err->text)) && err->text[0] != '\0', "%s", path);
}

#endif
