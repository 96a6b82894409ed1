/* A strict pull parser for XML, for files whose elements have a fixed meaning: it gives one tag or text after the other.
 *
 * libsbml has a parser too, which the readers of SBML use. Here it does not serve: it gives no lines for texts (so an error
 * could not say where a rate stands), its exceptions cannot be caught in C, its allocations cannot be made to fail in tests,
 * and the document types and depths that it allows would have to be refused by a second parser before it.
 *
 * Read are elements, attributes, texts, CDATA sections, comments, processing instructions, and references to characters and to
 * the five entities that XML defines. A document type is refused, so no entity is expanded. The text must be UTF-8. Nothing is
 * allocated. */
#ifndef FF_IO_XML_H
#define FF_IO_XML_H

#include "../../text/ff_io_parts.h"

#define FF_XML_DEPTH 100     /* elements that may be open at once */
#define FF_XML_ATTRIBUTES 40 /* of an element */

typedef enum { FF_XML_END, FF_XML_OPEN, FF_XML_CLOSE, FF_XML_TEXT } ff_xml_kind;

typedef struct {
  const char *text; /* borrowed, as all spans are */
  size_t length, at;
  uint64_t line; /* of `at` */
  const char *file;
  ff_error *err;

  /* What ff_xml_next() found. */
  ff_xml_kind kind; /* FF_XML_END only after the root element */
  uint64_t start;   /* its line */
  ff_span name;     /* of the element */
  ff_span value;    /* of FF_XML_TEXT: not decoded */
  int cdata;

  ff_span attribute[FF_XML_ATTRIBUTES][2]; /* names and values of FF_XML_OPEN, not decoded */
  uint32_t n_attributes;
  ff_span open[FF_XML_DEPTH];
  uint32_t depth; /* elements that are open, with the one of FF_XML_OPEN, without the one of FF_XML_CLOSE */
  int alone;      /* an empty element has been opened, and is closed next */
  int rooted;     /* there was a root element */
} ff_xml;

ff_xml ff_xml_of(const char *text, size_t length, const char *file, ff_error *err);

/* Goes to the next tag or text. Comments and processing instructions are passed over, and divide texts. FF_EPARSE, with the line,
 * what was found and what was expected, if the document is not well-formed. O(length of what is passed). */
ff_status ff_xml_next(ff_xml *xml);

/* Goes to the end of the element that was opened last. */
ff_status ff_xml_skip(ff_xml *xml);

/* The value of an attribute of the element that was opened, not decoded; empty if there is none. */
ff_span ff_xml_get(const ff_xml *xml, const char *name);

/* Decodes a value, a text, or (with `cdata`) a section of CDATA. `out` has room for value.length bytes. Returns the length. */
size_t ff_xml_decode(char *out, ff_span value, int cdata);

#endif
