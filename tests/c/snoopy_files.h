/* Pieces of Snoopy's files. */
#ifndef FF_TESTS_SNOOPY_FILES_H
#define FF_TESTS_SNOOPY_FILES_H

#define S_TEXT(name, value) \
  "<attribute name=\"" name "\" id=\"7\" net=\"1\"><![CDATA[" value "]]><graphics count=\"0\"/></attribute>\n"
#define S_CELL(text) "<colList_col><![CDATA[" text "]]></colList_col>"
#define S_ROW(cells) "<colList_row>" cells "</colList_row>\n"
#define S_LABEL(text) "<colList_colLabel><![CDATA[" text "]]></colList_colLabel>"
/* A table whose row and column in use are these. */
#define S_USED(name, row, column, labels, rows)                                                                     \
  "<attribute name=\"" name "\" type=\"ColList\" id=\"8\"><colList row_count=\"1\" active_row=\"" row "\" active_col=\"" column \
  "\"><colList_head>" labels "</colList_head><colList_body>\n" rows "</colList_body></colList></attribute>\n"
#define S_TABLE(name, rows) S_USED(name, "0", "0", S_LABEL("") S_LABEL(""), rows)
#define S_PAIR(a, b) S_ROW(S_CELL(a) S_CELL(b))
#define S_THREE(a, b, c) S_ROW(S_CELL(a) S_CELL(b) S_CELL(c))

#define S_CLASS(element, name, items) "<" element " count=\"1\" name=\"" name "\">\n" items "</" element ">\n"
#define S_NODES(name, items) S_CLASS("nodeclass", name, items)
#define S_EDGES(name, items) S_CLASS("edgeclass", name, items)
#define S_METAS(name, items) S_CLASS("metadataclass", name, items)
#define S_NODE(id, attributes) "<node id=\"" id "\" net=\"1\">\n" attributes "</node>\n"
#define S_EDGE(source, target, attributes) \
  "<edge source=\"" source "\" target=\"" target "\" id=\"9\" net=\"1\">\n" attributes "</edge>\n"
#define S_META(attributes) "<metadata id=\"9\" net=\"1\">\n" attributes "</metadata>\n"

#define S_NET(class, nodes, edges, metas)                                                                        \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Snoopy version=\"2\" revision=\"2.0\">\n<netclass name=\"" class "\"/>\n" \
  "<nodeclasses count=\"1\">\n" nodes "</nodeclasses>\n<edgeclasses count=\"1\">\n" edges "</edgeclasses>\n" \
  "<metadataclasses count=\"1\">\n" metas "</metadataclasses>\n</Snoopy>\n"

/* Whole elements. */
#define S_PLACE(id, name, marking) S_NODE(id, S_TEXT("Name", name) S_TEXT("Marking", marking))
#define S_MOVER(id, name, rate) S_NODE(id, S_TEXT("Name", name) S_TABLE("FunctionList", S_PAIR("Main", rate)))
#define S_WEIGHED(source, target, weight) S_EDGE(source, target, S_TEXT("Multiplicity", weight))
#define S_CONSTANT(type, name, value) \
  S_META(S_TEXT("Name", name) S_TEXT("Type", type) S_TEXT("Group", "all") S_TABLE("ValueList", S_PAIR("Main", value)))
/* Of coloured nets. */
#define S_CPLACE(id, name, set, rows) S_NODE(id, S_TEXT("Name", name) S_TEXT("Colorset", set) S_TABLE("MarkingList", rows))
#define S_CMOVER(id, name, guard, rate) \
  S_NODE(id, S_TEXT("Name", name) S_TABLE("GuardList", S_PAIR("Main", guard)) S_TABLE("FunctionList", S_PAIR("true", rate)))
#define S_INSCRIBED(source, target, text) S_EDGE(source, target, S_TABLE("ExpressionList", S_PAIR("Main", text)))

#endif
