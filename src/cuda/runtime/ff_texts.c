#include "ff_texts.h"

#include <stddef.h>
#include <string.h>

#include "ff_texts.inc" /* ff_text_list: made by embed.awk when the package is built */

const ff_text *ff_texts(void) { return ff_text_list; }

const char *ff_text_find(const char *name) {
  for (const ff_text *t = ff_text_list; t->name != NULL; t++)
    if (strcmp(t->name, name) == 0) return t->text;
  return NULL;
}
