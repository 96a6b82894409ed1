/* Text that grows: code that is generated for a model. Depends on no engine. */
#ifndef FF_WRITER_H
#define FF_WRITER_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

/* Begins with zeros, except `err`. After a failure, nothing more is written. The caller frees `text`. */
typedef struct {
  char *text; /* NULL before the first write */
  size_t length, capacity;
  ff_status status;
  ff_error *err;
} ff_writer;

/* Appends as printf() would. O(length of what is appended). */
void ff_write(ff_writer *writer, const char *format, ...) FF_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif
