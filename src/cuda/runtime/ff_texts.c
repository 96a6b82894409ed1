#include "ff_texts.h"

#include "ff_texts.inc" /* ff_text_list: made by embed.awk when the package is built */

const ff_text *ff_texts(void) { return ff_text_list; }
