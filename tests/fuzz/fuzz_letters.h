/* For parsers of formulas and expressions: every name of one letter is a symbol. */
#ifndef FF_FUZZ_LETTERS_H
#define FF_FUZZ_LETTERS_H

#include <stddef.h>
#include <stdint.h>

enum { LETTERS = 52 };

static inline int64_t find_letter(void *context, const char *name, size_t length) {
  (void)context;
  if (length != 1) return -1;
  if (name[0] >= 'A' && name[0] <= 'Z') return name[0] - 'A';
  return name[0] >= 'a' && name[0] <= 'z' ? 26 + name[0] - 'a' : -1;
}

typedef struct {
  char letters[LETTERS][2], *names[LETTERS];
} letter_names;

static inline void name_letters(letter_names *all) {
  for (int i = 0; i < LETTERS; i++) {
    all->letters[i][0] = (char)(i < 26 ? 'A' + i : 'a' + i - 26);
    all->letters[i][1] = '\0';
    all->names[i] = all->letters[i];
  }
}

#endif
