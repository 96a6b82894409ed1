/* Source files of the package as texts, for code that is compiled at run time. CUDA_TEXTS in src/Makevars.in lists them. */
#ifndef FF_TEXTS_H
#define FF_TEXTS_H

typedef struct {
  const char *name; /* its path under src/: "base/ff_philox.h" */
  const char *text; /* ASCII, terminated */
} ff_text;

/* All texts, in the order of CUDA_TEXTS. The name of the last entry is NULL. Static: do not free. */
const ff_text *ff_texts(void);

#endif
