/* Source files of the package as texts, for code that is compiled at run time. Which ones: CUDA_TEXTS in src/Makevars.in. */
#ifndef FF_TEXTS_H
#define FF_TEXTS_H

typedef struct {
  const char *name; /* its path under src/: "base/ff_philox.h" */
  const char *text; /* ASCII, terminated */
} ff_text;

/* All of them, in the order of CUDA_TEXTS; the last one's name is NULL. */
const ff_text *ff_texts(void);

#endif
