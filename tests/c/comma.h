/* A locale in which numbers have a decimal comma. tools/check makes one in the folder FIREFLIP_LOCALES. The file that includes
 * this header defines _GNU_SOURCE or a version of POSIX first. */
#ifndef FF_TESTS_COMMA_H
#define FF_TESTS_COMMA_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns 0 if there is no such locale. */
static inline int comma_begin(void) {
  static const char *const tried[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "da_DK.UTF-8", "ru_RU.UTF-8"};
  const char *folder = getenv("FIREFLIP_LOCALES");
  char text[16];
  if (folder != NULL) setenv("LOCPATH", folder, 1);
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
    if (setlocale(LC_NUMERIC, tried[i]) == NULL) continue;
    snprintf(text, sizeof text, "%g", 1.5);
    if (strcmp(text, "1,5") == 0) return 1;
  }
  setlocale(LC_NUMERIC, "C");
  return 0;
}

static inline void comma_end(void) { setlocale(LC_NUMERIC, "C"); }

#endif
