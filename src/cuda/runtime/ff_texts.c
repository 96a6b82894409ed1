#include "ff_texts.h"

#include "ff_texts.inc" /* defines ff_text_list; embed.awk writes it when the package is built */

const ff_text *ff_texts(void) { return ff_text_list; }
