/* The reader of Snoopy's XML, the XML parser that it uses, and the writer of PNML. */
#include "../../src/io/petri/ff_io_pnml.h"
#include "../../src/io/petri/ff_io_snoopy.h"
#include "../../src/io/petri/snoopy/ff_io_xml.h"
#include "check.h"
#include "snoopy_files.h"

/* ---- the XML parser ---- */

/* What the parser finds, such as "<a x=1>text</a>", or the error. */
static const char *tokens(const char *text) {
  static char out[600];
  char decoded[200];
  ff_error err = {FF_OK, ""};
  ff_xml xml = ff_xml_of(text, strlen(text), "file", &err);
  out[0] = '\0';
  for (;;) {
    char piece[400] = "";
    if (ff_xml_next(&xml) != FF_OK) return strcpy(out, err.text);
    if (xml.kind == FF_XML_END) return out;
    if (xml.kind == FF_XML_TEXT) {
      const size_t n = ff_xml_decode(decoded, xml.value, xml.cdata);
      snprintf(piece, sizeof piece, "%.*s", (int)n, decoded);
    } else if (xml.kind == FF_XML_CLOSE) {
      snprintf(piece, sizeof piece, "</%.*s>", (int)xml.name.length, xml.name.text);
    } else {
      size_t used = (size_t)snprintf(piece, sizeof piece, "<%.*s", (int)xml.name.length, xml.name.text);
      for (uint32_t i = 0; i < xml.n_attributes; i++) {
        const size_t n = ff_xml_decode(decoded, xml.attribute[i][1], 0);
        used += (size_t)snprintf(piece + used, sizeof piece - used, " %.*s=%.*s", (int)xml.attribute[i][0].length,
                                 xml.attribute[i][0].text, (int)n, decoded);
      }
      snprintf(piece + used, sizeof piece - used, ">");
    }
    strncat(out, piece, sizeof out - strlen(out) - 1);
  }
}

static void parses_xml(void) {
  FF_CHECK_STR(tokens("<a/>"), "<a></a>");
  FF_CHECK_STR(tokens("<?xml version='1.0' encoding = 'utf-8'?>\n<!-- x - y --><a x = '>' y=\"'\"><b/>t</a>\n<?i x?>"),
               "<a x=> y='><b></b>t</a>");
  FF_CHECK_STR(tokens("<a>1&lt;2&amp;&gt;&quot;&apos;&#65;&#x42;&#xe9;&#x20AC;&#x1F600;</a>"),
               "<a>1<2&>\"'AB\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80</a>");
  FF_CHECK_STR(tokens("<a><![CDATA[ x<3 & &lt; ]]]]></a>"), "<a> x<3 & &lt; ]]</a>");
  FF_CHECK_STR(tokens("<a>x\r\ny\rz</a>"), "<a>x\ny\nz</a>");
  FF_CHECK_STR(tokens("<\xC3\xA9:b-1.x y=''/>"), "<\xC3\xA9:b-1.x y=></\xC3\xA9:b-1.x>");
}

static void refuses_xml(void) {
  static const char *const cases[][2] = {
      {"", "file, line 1: found nothing where an element was expected"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "file, line 1: found \"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>\" where an element (a "
       "document type may define entities and is not read) was expected"},
      {"\n<a>\n<b>\n</a>", "file, line 4: found \"</a>\" where the end of \"b\" was expected"},
      {"<a>\n\n", "file, line 3: found nothing where the end of \"a\" was expected"},
      {"<a/>\nx", "file, line 2: found \"x\" where nothing more was expected"},
      {"<a/><b/>", "found \"<b/>\" where nothing more was expected"},
      {"</a>", "found \"</a>\" where an element was expected"},
      {"x<a/>", "found \"x<a/>\" where an element was expected"},
      {"<a>&b;</a>", "found \"&b;</a>\" where a character, or &lt;"},
      {"<a>&#0;</a>", "found \"&#0;</a>\" where a character"},
      {"<a>&#x110000;</a>", "found \"&#x110000;</a>\""},
      {"<a>&#xD800;</a>", "found \"&#xD800;</a>\""},
      {"<a>&#;</a>", "found \"&#;</a>\""},
      {"<a>&#65</a>", "found \"&#65</a>\""},
      {"<a>\x01</a>", "where a character that XML allows was expected"},
      {"<a>]]></a>", "found \"]]></a>\" where a text without ]]> was expected"},
      {"<a><![CDATA[x</a>", "where a section that ends with ]]> was expected"},
      {"<![CDATA[x]]>", "where an element was expected"},
      {"<a><!-- x -- y --></a>", "where a comment that ends with --> and has no -- before it was expected"},
      {"<a><!-- x", "where a comment that ends with -->"},
      {"<a><?x </a>", "where an instruction that ends with ?> was expected"},
      {" <?xml version='1.0'?><a/>", "stands only at the start of a file"},
      {"<?xml version='1.0' encoding='latin1'?><a/>", "file, line 1: found \"latin1\" where the encoding UTF-8 was expected"},
      {"<a x=1/>", "found \"1/>\" where a value in quotes was expected"},
      {"<a x='1/>", "where a value with quotes at both ends was expected"},
      {"<a x='<'/>", "where a value without < was expected"},
      {"<a x='&'/>", "where a character"},
      {"<a x/>", "found \"/>\" where = and the attribute's value was expected"},
      {"<a x='1'y='2'/>", "found \"y='2'/>\" where a blank, > or /> was expected"},
      {"<a x='1' x='2'/>", "found \"x='2'/>\" where an attribute that this element does not have yet was expected"},
      {"<a 1='2'/>", "found \"1='2'/>\" where an attribute, > or /> was expected"},
      {"<1/>", "found \"1/>\" where the name of an element was expected"},
      {"<a", "found nothing where a blank, > or /> was expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *found = tokens(cases[i][0]);
    FF_CHECK_SAY(strstr(found, cases[i][1]) != NULL, "%s gives %s", cases[i][0], found);
  }
}

static void limits_xml(void) {
  static char text[8000];
  size_t n = 0;
  for (int i = 0; i < 101; i++) n += (size_t)sprintf(text + n, "<a>");
  FF_CHECK_STR(tokens(text), "file, line 1: found more than 100 nested elements where at most 100 were expected");
  n = (size_t)sprintf(text, "<a");
  for (int i = 0; i < 41; i++) n += (size_t)sprintf(text + n, " x%d=''", i);
  sprintf(text + n, "/>");
  FF_CHECK_SAY(strstr(tokens(text), "no more than 40 attributes") != NULL, "%s", tokens(text));
}

FF_TEST_MAIN("snoopy", parses_xml, refuses_xml, limits_xml)
