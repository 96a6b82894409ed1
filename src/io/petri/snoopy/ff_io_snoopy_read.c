/* Snoopy's XML: reads the elements of a document. */
#include "ff_io_snoopy_internal.h"
#include "ff_io_xml.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *element, *name;
} classes[] = {
#define FF_X(code, element, name) {element, name},
    FF_SNOOPY_CLASSES(FF_X)
#undef FF_X
};

static const struct {
  const char *name;
  int coloured;
} nets[] = {
#define FF_X(name, coloured) {name, coloured},
    FF_SNOOPY_NETS(FF_X)
#undef FF_X
};

void ff_snoopy_free(ff_snoopy *doc) {
  free(doc->text);
  free(doc->item);
  free(doc->attribute);
  free(doc->row);
  free(doc->cell);
  *doc = (ff_snoopy){.file = doc->file, .err = doc->err};
}

/* ---- what the document has ---- */

ff_place ff_snoopy_place(const ff_snoopy *doc, uint64_t line) { return (ff_place){doc->file, line}; }

const ff_snoopy_attribute *ff_snoopy_find(const ff_snoopy *doc, const ff_snoopy_item *item, const char *name) {
  for (uint32_t i = 0; i < item->n; i++)
    if (ff_span_equals(doc->attribute[item->first + i].name, name)) return &doc->attribute[item->first + i];
  return NULL;
}

ff_snoopy_text ff_snoopy_value(const ff_snoopy *doc, const ff_snoopy_item *item, const char *name) {
  const ff_snoopy_attribute *attribute = ff_snoopy_find(doc, item, name);
  return attribute == NULL ? (ff_snoopy_text){{"", 0}, item->line} : attribute->value;
}

ff_snoopy_text ff_snoopy_cell(const ff_snoopy *doc, const ff_snoopy_attribute *table, uint32_t row, uint32_t column) {
  if (row >= table->n || column >= doc->row[table->first + row].n) return (ff_snoopy_text){{"", 0}, table->value.line};
  return doc->cell[doc->row[table->first + row].first + column];
}

ff_snoopy_text ff_snoopy_active(const ff_snoopy *doc, const ff_snoopy_attribute *table, uint32_t column) {
  const ff_snoopy_text cell = ff_snoopy_cell(doc, table, table->row, column);
  return cell.text.length > 0 ? cell : ff_snoopy_cell(doc, table, 0, column);
}

/* ---- reading ---- */

/* Goes to the next child of the element that was opened last; *more becomes 0 at its end. Texts are passed over. */
static ff_status next_child(ff_xml *xml, int *more) {
  ff_status status;
  do
    status = ff_xml_next(xml);
  while (status == FF_OK && xml->kind == FF_XML_TEXT);
  *more = xml->kind == FF_XML_OPEN;
  return status;
}

/* Decodes a value, and keeps it. */
static ff_span keep(ff_snoopy *doc, ff_span value, int cdata) {
  char *to = doc->text + doc->used;
  const size_t n = ff_xml_decode(to, value, cdata);
  doc->used += n;
  return (ff_span){to, n};
}

/* Reads the texts of an element that was opened, up to its end or to its first child, which is then open. */
static ff_status read_texts(ff_snoopy *doc, ff_xml *xml, ff_snoopy_text *out) {
  const size_t from = doc->used;
  ff_status status;
  out->line = xml->start;
  int any = 0;
  while ((status = ff_xml_next(xml)) == FF_OK && xml->kind == FF_XML_TEXT) {
    if (!any && xml->cdata) out->line = xml->start;
    any |= xml->cdata;
    (void)keep(doc, xml->value, xml->cdata);
  }
  out->text = ff_span_trim((ff_span){doc->text + from, doc->used - from});
  return status;
}

/* Reads an attribute of XML that is a number; it is `missing` if there is none. */
static ff_status read_count(const ff_xml *xml, const char *name, uint64_t missing, uint64_t *out) {
  const ff_span value = ff_xml_get(xml, name);
  *out = missing;
  if (value.length == 0 || ff_span_count(value, out)) return FF_OK;
  char wanted[40] = "a number as the value of ";
  strncat(wanted, name, 12);
  return ff_io_found(xml->err, (ff_place){xml->file, xml->start}, value, wanted);
}

/* Rows and cells are numbered; the numbers must be their places. */
static ff_status check_number(const ff_xml *xml, uint32_t place) {
  uint64_t number;
  ff_status status = read_count(xml, "nr", place, &number);
  if (status != FF_OK || number == place) return status;
  return ff_error_set(xml->err, FF_EPARSE, "%s, line %llu: found the number %llu where %lu was expected", xml->file,
                      (unsigned long long)xml->start, (unsigned long long)number, (unsigned long)place);
}

/* Adds an element to an array whose number of elements is below 2^32 - 1. */
#define ADD(array, n, room)                                                                                          \
  (doc->n == UINT32_MAX - 1 ? ff_error_set(doc->err, FF_ESIZE, "%s has too many elements", doc->file)                \
                            : ff_grow((void **)&doc->array, &doc->room, (size_t)doc->n + 1, sizeof *doc->array, doc->err))

/* Reads the cells of a row that was opened: children called `name`. */
static ff_status read_cells(ff_snoopy *doc, ff_xml *xml, const char *name, int numbered) {
  int more;
  ff_status status = ADD(row, n_rows, rows_room);
  if (status != FF_OK) return status;
  ff_snoopy_row *row = &doc->row[doc->n_rows++];
  *row = (ff_snoopy_row){doc->n_cells, 0};
  while ((status = next_child(xml, &more)) == FF_OK && more) {
    if (!ff_span_equals(xml->name, name)) return ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, name);
    if (numbered) status = check_number(xml, row->n);
    if (status == FF_OK) status = ADD(cell, n_cells, cells_room);
    if (status != FF_OK) return status;
    status = read_texts(doc, xml, &doc->cell[doc->n_cells]);
    if (status == FF_OK && xml->kind == FF_XML_OPEN)
      status = ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, "a text");
    if (status != FF_OK) return status;
    doc->n_cells++;
    row->n++;
  }
  return status;
}

static ff_status read_rows(ff_snoopy *doc, ff_xml *xml, ff_snoopy_attribute *attribute) {
  int more;
  ff_status status;
  attribute->first = doc->n_rows;
  while ((status = next_child(xml, &more)) == FF_OK && more) {
    if (!ff_span_equals(xml->name, "colList_row"))
      return ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, "colList_row");
    status = check_number(xml, attribute->n);
    if (status == FF_OK) status = read_cells(doc, xml, "colList_col", 1);
    if (status != FF_OK) return status;
    attribute->n++;
  }
  return status;
}

static ff_status read_table(ff_snoopy *doc, ff_xml *xml, ff_snoopy_attribute *attribute) {
  uint64_t row, column;
  int more;
  ff_status status = read_count(xml, "active_row", 0, &row);
  if (status == FF_OK) status = read_count(xml, "active_col", 0, &column);
  if (status != FF_OK) return status;
  attribute->row = row > UINT32_MAX ? UINT32_MAX : (uint32_t)row;
  attribute->column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
  while ((status = next_child(xml, &more)) == FF_OK && more) {
    if (ff_span_equals(xml->name, "colList_head") && attribute->head == UINT32_MAX) {
      attribute->head = doc->n_rows;
      status = read_cells(doc, xml, "colList_colLabel", 0);
    } else if (ff_span_equals(xml->name, "colList_body") && attribute->n == 0) {
      status = read_rows(doc, xml, attribute);
    } else {
      return ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, "one colList_head and one colList_body");
    }
    if (status != FF_OK) return status;
  }
  return status;
}

static ff_status read_attribute(ff_snoopy *doc, ff_xml *xml) {
  int table = 0;
  ff_snoopy_attribute attribute = {.name = keep(doc, ff_xml_get(xml, "name"), 0), .head = UINT32_MAX};
  ff_status status = read_texts(doc, xml, &attribute.value);
  while (status == FF_OK && xml->kind == FF_XML_OPEN) {
    int more = 0;
    if (ff_span_equals(xml->name, "colList") && !table)
      status = read_table(doc, xml, &attribute);
    else
      status = ff_xml_skip(xml);
    table |= attribute.head != UINT32_MAX || attribute.n > 0;
    if (status == FF_OK) status = next_child(xml, &more);
  }
  if (status == FF_OK) status = ADD(attribute, n_attributes, attributes_room);
  if (status == FF_OK) doc->attribute[doc->n_attributes++] = attribute;
  return status;
}

/* Reads a node, edge or metadata. */
static ff_status read_item(ff_snoopy *doc, ff_xml *xml, ff_snoopy_class class) {
  int more;
  ff_snoopy_item item = {.class = class, .line = xml->start, .first = doc->n_attributes};
  ff_status status = read_count(xml, "id", UINT64_MAX, &item.id);
  if (status == FF_OK) status = read_count(xml, "source", UINT64_MAX, &item.source);
  if (status == FF_OK) status = read_count(xml, "target", UINT64_MAX, &item.target);
  while (status == FF_OK && (status = next_child(xml, &more)) == FF_OK && more) {
    if (ff_span_equals(xml->name, "attribute")) {
      status = read_attribute(doc, xml);
    } else if (ff_span_equals(xml->name, "netclass") || ff_span_equals(xml->name, "nodeclasses")) {
      return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found a net within a node, which is not supported",
                          doc->file, (unsigned long long)xml->start);
    } else {
      status = ff_xml_skip(xml);
    }
  }
  if (status == FF_OK) status = ADD(item, n_items, items_room);
  if (status != FF_OK) return status;
  item.n = doc->n_attributes - item.first;
  doc->item[doc->n_items++] = item;
  return FF_OK;
}

static ff_status refuse_class(const ff_snoopy *doc, const ff_xml *xml, const char *element, ff_span name) {
  return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the class %s of %.4ss, which is not supported", doc->file,
                      (unsigned long long)xml->start, ff_quote(name.text, name.length).text, element);
}

/* Reads the elements of a class. Unknown classes of nodes and edges must be empty; those of metadata do not belong to the net. */
static ff_status read_class(ff_snoopy *doc, ff_xml *xml, const char *element) {
  const ff_span name = keep(doc, ff_xml_get(xml, "name"), 0);
  size_t class = 0;
  int more;
  while (class < FF_SNOOPY_CLASSES_COUNT &&
         (strcmp(classes[class].element, element) != 0 || !ff_span_equals(name, classes[class].name)))
    class++;
  const int known = class < FF_SNOOPY_CLASSES_COUNT;
  if (!known && strcmp(element, "metadataclass") == 0) return ff_xml_skip(xml);
  ff_status status;
  while ((status = next_child(xml, &more)) == FF_OK && more) {
    const size_t length = strlen(element) - strlen("class");
    if (xml->name.length != length || memcmp(xml->name.text, element, length) != 0)
      status = ff_xml_skip(xml);
    else
      status = known ? read_item(doc, xml, (ff_snoopy_class)class) : refuse_class(doc, xml, element, name);
    if (status != FF_OK) return status;
  }
  return status;
}

static ff_status read_classes(ff_snoopy *doc, ff_xml *xml, const char *element) {
  int more;
  ff_status status;
  while ((status = next_child(xml, &more)) == FF_OK && more) {
    status = ff_span_equals(xml->name, element) ? read_class(doc, xml, element) : ff_xml_skip(xml);
    if (status != FF_OK) return status;
  }
  return status;
}

static ff_status read_netclass(ff_snoopy *doc, ff_xml *xml, int *found) {
  const ff_span name = keep(doc, ff_xml_get(xml, "name"), 0);
  size_t i = 0;
  while (i < sizeof nets / sizeof nets[0] && !ff_span_equals(name, nets[i].name)) i++;
  if (i == sizeof nets / sizeof nets[0])
    return ff_error_set(doc->err, FF_EUNSUPPORTED, "%s, line %llu: found the class of nets %s where one of Petri Net, Extended, "
                        "Stochastic, Continuous, Hybrid Petri Net, or the same with Colored or Fuzzy, was expected", doc->file,
                        (unsigned long long)xml->start, ff_quote(name.text, name.length).text);
  doc->coloured = nets[i].coloured;
  doc->fuzzy = strstr(nets[i].name, "Fuzzy") != NULL;
  *found = 1;
  return ff_xml_skip(xml);
}

static ff_status read_root(ff_snoopy *doc, ff_xml *xml) {
  static const char *const lists[][2] = {
      {"nodeclasses", "nodeclass"}, {"edgeclasses", "edgeclass"}, {"metadataclasses", "metadataclass"}};
  int more, found = 0;
  ff_status status = next_child(xml, &more);
  if (status == FF_OK && !ff_span_equals(xml->name, "Snoopy"))
    status = ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, "Snoopy");
  while (status == FF_OK && (status = next_child(xml, &more)) == FF_OK && more) {
    if (ff_span_equals(xml->name, "netclass")) {
      status = read_netclass(doc, xml, &found);
      continue;
    }
    size_t i = 0;
    while (i < 3 && !ff_span_equals(xml->name, lists[i][0])) i++;
    if (i < 3 && !found) return ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), xml->name, "netclass");
    status = i < 3 ? read_classes(doc, xml, lists[i][1]) : ff_xml_skip(xml);
  }
  if (status == FF_OK) status = ff_xml_next(xml); /* nothing follows */
  if (status == FF_OK && !found) status = ff_io_found(doc->err, ff_snoopy_place(doc, xml->start), (ff_span){"", 0}, "netclass");
  return status;
}

ff_status ff_snoopy_read(ff_snoopy *doc, const char *text, size_t length) {
  ff_xml xml = ff_xml_of(text, length, doc->file, doc->err);
  if (!ff_utf8_valid(text, length)) return ff_error_set(doc->err, FF_EPARSE, "%s is not a text in UTF-8", doc->file);
  doc->text = ff_calloc(length + 1, 1);
  if (doc->text == NULL) return ff_error_set(doc->err, FF_EMEMORY, "no memory for %zu bytes of %s", length, doc->file);
  return read_root(doc, &xml);
}
