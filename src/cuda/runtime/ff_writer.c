#include "ff_writer.h"

#include <stdarg.h>
#include <stdio.h>

void ff_write(ff_writer *w, const char *format, ...) {
  for (int round = 0; round < 2 && w->status == FF_OK; round++) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = w->capacity - w->length;
    int n = vsnprintf(w->text != NULL ? w->text + w->length : NULL, room, format, arguments);
    va_end(arguments);
    if (n >= 0 && (size_t)n < room) {
      w->length += (size_t)n;
      return;
    }
    void *memory = w->text;
    w->status = ff_grow(&memory, &w->capacity, w->length + (n < 0 ? 0 : (size_t)n) + 1, 1, w->err);
    w->text = memory;
  }
}
