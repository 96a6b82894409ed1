/* The reader of Snoopy's XML, the XML parser that it uses, and the writer of PNML. */
#include "../../src/io/ff_io.h"
#include "../../src/io/petri/ff_io_pnml.h"
#include "../../src/io/petri/ff_io_snoopy.h"
#include "../../src/io/petri/snoopy/ff_io_xml.h"
#include "check.h"

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


/* ---- nets ---- */

static char described[20000];

static void say(const char *before, const char *text, const char *after) {
  const size_t used = strlen(described);
  snprintf(described + used, sizeof described - used, "%s%s%s", before, text, after);
}

/* Says a text of the net, if it is not empty, and frees it. */
static void say_text(const char *before, char *text, const char *after) {
  if (text != NULL && text[0] != '\0') say(before, text, after);
  free(text);
}

static void describe_transition(const ff_petri *net, uint32_t t) {
  static const char *const kinds[] = {
#define FF_X(code, name, number) name,
      FF_PETRI_KINDS(FF_X)
#undef FF_X
  };
  ff_error err = {FF_OK, ""};
  const ff_petri_transition *transition = &net->transition[t];
  char *text;
  say(kinds[transition->kind], " ", transition->name);
  FF_CHECK_OK(ff_petri_equation_text(&text, net, t, &err), &err);
  say_text(": ", text, "");
  FF_CHECK_OK(ff_petri_tests_text(&text, net, t, &err), &err);
  say_text("; test ", text, "");
  FF_CHECK_OK(ff_petri_resets_text(&text, net, t, &err), &err);
  say_text("; reset ", text, "");
  FF_CHECK_OK(ff_petri_guard_text(&text, net, t, &err), &err);
  say_text("; guard ", text, "");
  for (uint32_t i = 0; i < transition->n_pieces; i++) {
    FF_CHECK_OK(ff_petri_number_text(&text, net, t, i, &err), &err);
    say_text(transition->piece[i].mass_action ? "; mass action " : "; ", text, "");
    if (transition->piece[i].when.length > 0) {
      const ff_colour_scope scope = ff_petri_scope(net);
      FF_CHECK_OK(ff_colour_text(&text, &transition->piece[i].when, FF_COLOUR_R, &scope, &err), &err);
      say_text(" if ", text, "");
    }
  }
  for (int i = 0; i < 3 && transition->kind == FF_PETRI_SCHEDULED; i++) {
    if (transition->at[i].length == 0) continue;
    FF_CHECK_OK(ff_formula_text(&text, &transition->at[i], net->parameter, &err), &err);
    say_text("; at ", text, "");
  }
  say("\n", "", "");
}

/* The net, a line for each of its parts. */
static const char *describe(const ff_petri *net) {
  ff_error err = {FF_OK, ""};
  char line[300], *element, *when, *value;
  described[0] = '\0';
  for (uint32_t i = 0; i < net->n_parameters; i++) {
    snprintf(line, sizeof line, "%s = %s\n", net->parameter[i], ff_show(net->value[i], 12).text);
    say(line, "", "");
  }
  for (uint32_t i = 0; i < net->n_sets; i++) {
    FF_CHECK_OK(ff_petri_set_text(&value, net, i, &err), &err);
    snprintf(line, sizeof line, "set %s: %lu", net->set[i].name, (unsigned long)ff_colours_n(net->colours[i]));
    say(line, "", "");
    say_text(", ", value, "");
    say("\n", "", "");
  }
  for (uint32_t i = 0; i < net->n_indices; i++) say("index ", net->index[i].name, "\n");
  for (uint32_t i = 0; i < net->n_places; i++) {
    say(net->place[i].continuous ? "continuous " : "place ", net->place[i].name, net->place[i].fixed ? " fixed" : "");
    if (net->place[i].set != FF_PETRI_NONE) say(" of ", net->set[net->place[i].set].name, "");
    say("\n", "", "");
  }
  for (uint32_t i = 0; i < net->n_markings; i++) {
    FF_CHECK_OK(ff_petri_marking_text(&element, &when, &value, net, i, &err), &err);
    say_text("marking ", element, "");
    say_text(net->marking[i].adds ? " += " : " = ", value, "");
    say_text(" if ", when, "");
    say("\n", "", "");
  }
  for (uint32_t i = 0; i < net->n_transitions; i++) describe_transition(net, i);
  for (uint32_t i = 0; i < net->n_variables; i++) {
    FF_CHECK_OK(ff_petri_variable_value_text(&value, net, i, &err), &err);
    say("variable ", net->variable[i].name, "");
    say_text(" = ", value, "\n");
  }
  return described;
}

static ff_status read_with(ff_petri **net, const char *text, const ff_io_petri_options *options, ff_error *err) {
  return ff_io_snoopy_parse(net, text, strlen(text), "net.spn", options, err);
}

/* Reads a net and compares its description. */
static void reads_as(const char *text, const ff_io_petri_options *options, const char *expected) {
  ff_error err = {FF_OK, ""};
  ff_petri *net = NULL;
  const ff_status status = read_with(&net, text, options, &err);
  FF_CHECK_OK(status, &err);
  if (status == FF_OK) FF_CHECK_STR(describe(net), expected);
  ff_petri_free(net);
}

static char *load(const char *name) {
  char path[400];
  const char *root = getenv("FIREFLIP_CORPUS");
  snprintf(path, sizeof path, "%.200s/snoopy/%s", root != NULL ? root : "tests/c/corpus", name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    FF_CHECK_SAY(0, "%s cannot be read", path);
    return NULL;
  }
  char *text = calloc(1, 100000);
  FF_CHECK(text != NULL && fread(text, 1, 99999, file) > 0);
  fclose(file);
  return text;
}

static void file_reads_as(const char *name, const ff_io_petri_options *options, const char *expected) {
  char *text = load(name);
  if (text != NULL) reads_as(text, options, expected);
  free(text);
}

static void reads_all_kinds(void) {
  file_reads_as("stochastic.spn", NULL,
                "N = 3\nk = 0.3\nold = 0.25\nplace A\nplace B fixed\nplace _P_7\nmarking A = N + 1\nmarking B = 4\n"
                "stochastic make: 2 A -> _P_7; test B >= 1; mass action k * B\n"
                "stochastic use_it: (N) A -> (A) A; 2 * k * A / B\n"
                "immediate now: 0 -> A; test _P_7 < 5 & A == 4; 2\n"
                "deterministic later: A -> 0; reset _P_7; 0.5\n"
                "scheduled then: 0 -> 3 A; at 1; at N; at 10\n"
                "variable all = A + B\n");
}

static void reads_hybrid(void) {
  file_reads_as("hybrid.hpn", NULL,
                "place on\ncontinuous protein\ncontinuous mRNA\nmarking on = 1\nmarking protein = 0.5\nmarking mRNA = 2\n"
                "stochastic off: on -> 0; mass action 2.5\n"
                "continuous make: 0 -> 1.5 protein; test on >= 1; on * 3\n"
                "continuous pair: 2 protein -> 0; 0.1 * protein^2\n"
                "continuous bind: mRNA + protein -> 0; mass action 0.2\n");
}

/* Two places with one name, which are both logical, are one place. */
static void reads_plain(void) {
  file_reads_as("plain.pn", NULL,
                "place p\nplace q\nmarking p = 2\nstochastic t: p -> 2 q; 1\nstochastic _T_1: q -> p; 1\n");
}

/* ---- constants ---- */

/* Reads a file with a part replaced by another text. */
static ff_status read_changed(ff_petri **net, const char *name, const char *from, const char *to,
                              const ff_io_petri_options *options, ff_error *err) {
  char *text = load(name);
  char *at = text == NULL ? NULL : strstr(text, from);
  *net = NULL;
  FF_CHECK_SAY(at != NULL, "%s has no %s", name, from);
  if (at != NULL) {
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
  }
  const ff_status status = at == NULL ? FF_EARGUMENT : read_with(net, text, options, err);
  free(text);
  return status;
}

static double parameter(const ff_petri *net, const char *name) {
  for (uint32_t i = 0; net != NULL && i < net->n_parameters; i++)
    if (strcmp(net->parameter[i], name) == 0) return net->value[i];
  FF_CHECK_SAY(0, "no parameter %s", name);
  return -1;
}

static void chooses_constants(void) {
  static const char *const names[] = {"N"}, *const other[] = {"M"};
  static const double seven[] = {7};
  static const struct {
    ff_io_petri_options options;
    double n, k;
  } cases[] = {
      {{NULL, NULL, 0, NULL}, 3, 0.3},      {{NULL, NULL, 0, "Main"}, 3, 1},     {{NULL, NULL, 0, "V-Set 0"}, 3, 0.3},
      {{names, seven, 1, "V-Set 0"}, 7, 0.7}, {{names, seven, 1, "Main"}, 7, 1},
  };
  char *text = load("stochastic.spn");
  ff_error err = {FF_OK, ""};
  ff_petri *net;
  for (size_t i = 0; text != NULL && i < sizeof cases / sizeof cases[0]; i++) {
    FF_CHECK_OK(read_with(&net, text, &cases[i].options, &err), &err);
    FF_CHECK_NEAR(parameter(net, "N"), cases[i].n, 0);
    FF_CHECK_NEAR(parameter(net, "k"), cases[i].k, 1e-15);
    ff_petri_free(net);
  }
  if (text != NULL) {
    FF_CHECK_FAILS(read_with(&net, text, &(ff_io_petri_options){NULL, NULL, 0, "V-Set 1"}, &err), FF_EARGUMENT, &err, "V-Set 0");
    FF_CHECK_FAILS(read_with(&net, text, &(ff_io_petri_options){other, seven, 1, NULL}, &err), FF_EARGUMENT, &err, "\"M\"");
    FF_CHECK(net == NULL);
  }
  free(text);
}

/* ---- refusals ---- */

static void refuses(const char *name, const char *from, const char *to, ff_status status, const char *message) {
  ff_error err = {FF_OK, ""};
  ff_petri *net;
  FF_CHECK_FAILS(read_changed(&net, name, from, to, NULL, &err), status, &err, message);
  FF_CHECK(net == NULL);
  ff_petri_free(net);
}

static void refuses_documents(void) {
  static const char *const file = "plain.pn";
  refuses(file, "<Snoopy", "<sbml", FF_EPARSE, "net.spn, line 3: found \"sbml\" where Snoopy was expected");
  refuses(file, "<?xml-stylesheet type=\"text/xsl\" href=\"/xsl/spped2svg.xsl\"?>", "<!DOCTYPE x>", FF_EPARSE,
          "net.spn, line 2: found \"<!DOCTYPE x>\" where an element");
  refuses(file, "\"Petri Net\"", "\"Music Petri Net\"", FF_EUNSUPPORTED,
          "net.spn, line 4: found the class of nets \"Music Petri Net\"");
  refuses(file, "<netclass name=\"Petri Net\"/>", "", FF_EPARSE,
          "net.spn, line 5: found \"nodeclasses\" where netclass was expected");
  refuses(file, "name=\"Place\"", "name=\"Circle\"", FF_EUNSUPPORTED,
          "net.spn, line 7: found the class \"Circle\" of nodes, which is not supported");
  refuses(file, "name=\"Edge\"", "name=\"Line\"", FF_EUNSUPPORTED, "found the class \"Line\" of edges");
  refuses(file, "id=\"1\"", "id=\"one\"", FF_EPARSE,
          "net.spn, line 7: found \"one\" where a number as the value of id was expected");
  refuses(file, "id=\"1\"", "id=\"2\"", FF_EPARSE, "found the id 2 at two nodes where different ids were expected");
  refuses(file, " id=\"2\"", "", FF_EPARSE, "found nothing where the id of a node was expected");
  refuses(file, "<attribute name=\"Name\"", "<netclass name=\"Petri Net\"/><attribute name=\"Name\"", FF_EUNSUPPORTED,
          "net.spn, line 8: found a net within a node");
}

static void refuses_tables(void) {
  static const char *const file = "stochastic.spn";
  refuses(file, "<colList_row nr=\"1\">", "<colList_row nr=\"3\">", FF_EPARSE, "found the number 3 where 1 was expected");
  refuses(file, "<colList_col nr=\"0\">", "<colList_col nr=\"x\">", FF_EPARSE, "found \"x\" where a number as the value of nr");
  refuses(file, "active_row=\"1\"", "active_row=\"-1\"", FF_EPARSE, "found \"-1\" where a number as the value of active_row");
  refuses(file, "<colList_body>", "<x/><colList_body>", FF_EPARSE, "found \"x\" where one colList_head and one colList_body");
  refuses(file, "<colList_row", "<x/><colList_row", FF_EPARSE, "found \"x\" where colList_row was expected");
  refuses(file, "<colList_col nr", "<x/><colList_col nr", FF_EPARSE, "found \"x\" where colList_col was expected");
  refuses(file, "<![CDATA[Second]]>", "<![CDATA[Second]]><x/>", FF_EPARSE, "found \"x\" where a text was expected");
}

static void refuses_nets(void) {
  static const char *const file = "stochastic.spn";
  refuses("plain.pn", "source=\"1\"", "source=\"77\"", FF_EPARSE,
          "found an edge of the node 77 where a node of the file was expected");
  refuses("plain.pn", " source=\"1\"", "", FF_EPARSE, "found nothing where the source and target of an edge was expected");
  refuses("plain.pn", "source=\"3\"", "source=\"1\"", FF_EMODEL,
          "found an edge between other nodes where one between a place and a transition was expected");
  refuses("plain.pn", "source=\"1\"", "source=\"4\"", FF_EMODEL, "where one between a place and a transition");
  refuses("plain.pn", "name=\"Logic\"><![CDATA[1]]>", "name=\"Logic\"><![CDATA[0]]>", FF_EMODEL,
          "found the name \"p\" again, which line 7 has, where another name, or two equal logical nodes, were expected");
  refuses("plain.pn", "<![CDATA[2]]>", "<![CDATA[3]]>", FF_EMODEL, "found the name \"p\" again");
  refuses(file, "source=\"2\" target=\"11\"", "source=\"11\" target=\"2\"", FF_EMODEL, "where one from a place to a transition");
  refuses(file, "source=\"91\" target=\"91\"", "source=\"91\" target=\"11\"", FF_EMODEL,
          "where one between a place and a transition");
  refuses(file, "<nodeclass count=\"0\" name=\"LookupTable\"/>",
          "<nodeclass name=\"LookupTable\">\n<node id=\"66\"><attribute name=\"Name\">t</attribute></node></nodeclass>",
          FF_EUNSUPPORTED, "found the lookup table \"t\", which is not supported");
  refuses(file, "<![CDATA[Place]]>", "<![CDATA[Transition]]>", FF_EUNSUPPORTED, "found the observer \"all\" of transitions");
  refuses(file, "name=\"DelayList\"", "name=\"Delays\"", FF_EUNSUPPORTED, "found the attribute \"Delays\", which is not known");
  refuses(file, "name=\"DelayList\"", "name=\"FunctionList\"", FF_EPARSE, "found nothing where DelayList was expected");
  refuses(file, "<colList_col nr=\"3\"><![CDATA[10]]></colList_col>", "", FF_EPARSE,
          "found 3 columns in PeriodicList where 4 were expected");
  refuses(file, "MassAction(k)", "MassAction(kk)", FF_EPARSE, "net.spn, line 34: ");
  refuses(file, "7 / 2", "7 / 0", FF_EMODEL, "net.spn, line 171: ");
  refuses(file, "<![CDATA[5]]>", "<![CDATA[5 +]]>", FF_EPARSE, "net.spn, line 139: ");
  refuses(file, "<![CDATA[N + 1]]>", "<![CDATA[n + 1]]>", FF_EPARSE, "net.spn, line 9: ");
  refuses("hybrid.hpn", "name=\"Read Edge\"", "name=\"Edge\"", FF_EMODEL, "net.spn: ");
}

static void is_detected(void) {
  ff_error err = {FF_OK, ""};
  ff_io_model model;
  ff_petri *net;
  ff_format found = FF_FORMAT_AUTO;
  char *text = load("plain.pn");
  if (text == NULL) return;
  FF_CHECK_OK(ff_io_parse_model(&model, &found, text, strlen(text), "net.pn", FF_FORMAT_AUTO, &err), &err);
  FF_CHECK(found == FF_FORMAT_SNOOPY && model.petri != NULL && model.petri->n_places == 2);
  ff_io_model_free(&model);
  FF_CHECK_OK(ff_io_parse_petri(&net, &found, text, strlen(text), "net.pn", FF_FORMAT_SNOOPY, NULL, &err), &err);
  FF_CHECK(found == FF_FORMAT_SNOOPY);
  ff_petri_free(net);
  FF_CHECK_FAILS(ff_io_parse_model(&model, &found, "<Snoopyx/>", 10, "net.pn", FF_FORMAT_AUTO, &err), FF_EPARSE, &err, "net.pn");
  FF_CHECK(found == FF_FORMAT_SBML);
  free(text);
}

/* ---- coloured nets ---- */

/* All kinds of sets, markings, arcs and tables; a set of markings and one of functions that are not the first. */
static void reads_coloured(void) {
  file_reads_as("coloured.colhpn", NULL,
                "D = 4\nk = 0.5\nset Dot: 1\nset X: 4\nset Names: 4\nset Words: 3\nset Odd: 2\nset Grid: 16, X * X\n"
                "set Both: 4, Odd + X\nset Y: 4\nset Black: 8, Grid[x %% 2 == y %% 2]\nindex x\nindex y\nindex n\n"
                "place g of Grid\nplace s of X\nplace e of Names\nplace d of Dot\nplace w of X\ncontinuous c of Grid\n"
                "marking g[x,y] += 5 if x == 1 & y == 2\nmarking g[2,2] += 1\nmarking s[x] = k * 2 if x > 2\n"
                "marking e[b] += 3\nmarking e[n] += 1 if n == a\nmarking d = 4\nmarking w[2] = 3\n"
                "marking c[x,y] = 0.25 if x == y\n"
                "stochastic move: g[x,y] -> g[next(x),y]; guard near(x, y); g[x,y] * k\n"
                "stochastic split: s[x] -> 2 e[b] + e[n]; 10 if x == 1; k if x > 1\n"
                "continuous flow: c[x,y] -> c[y,x]; mass action k\n"
                "immediate now: 0 -> d[dot]; test w[x] >= 2 & d[dot] < 3; 1\n"
                "deterministic later: 0 -> s[x]; reset g[x,x], g[1,y]; D\n"
                "scheduled then: 0 -> (if(x != 2, 2, 0)) w[x]; at 0; at 2\n");
}

/* Constants as they were before they had value sets; a set Dot that is not declared. */
static void reads_old(void) {
  file_reads_as("old.colcpn", NULL,
                "N = 3\nc = 0.5\nold = 4\nset X: 3\nset Dot: 1\nindex x\ncontinuous p of X\ncontinuous dots of Dot\n"
                "marking p[1] = c\ncontinuous t: p[x] -> dots[dot]; guard x == 1; c * p[x] * old\n");
}

static void reads_small(void) {
  file_reads_as("small.colspn", NULL,
                "N = 3\nk = 1.5\nset X: 3\nset P: 9, X * X\nset G: 6, P[x != y]\nindex x\nindex y\nplace p of G\n"
                "marking p[x,y] = 5 if x == 1 & y == 2\n"
                "stochastic t: 2 p[x,y] -> p[next(x),y]; guard f(x, y); k * p[x,y] if x == 1; 1\n");
}

/* A fuzzy number counts if it is one number, or if a value is given. */
static void reads_fuzzy(void) {
  static const char *const names[] = {"v"};
  static const double values[] = {2.5};
  const ff_io_petri_options options = {names, values, 1, NULL};
  file_reads_as("fuzzy.colfspn", &options,
                "k = 2\nu = 0.5\nv = 2.5\nset X: 2\nindex x\nplace p of X\nmarking p = 1\n"
                "stochastic t: p[x] -> 0; k * u * v * p[x]\n");
  refuses("fuzzy.colfspn", "x", "x", FF_EUNSUPPORTED, "found the fuzzy number \"1,2,3\" as the value of the constant \"v\"");
  refuses("fuzzy.colfspn", "1,2,3", "1,2", FF_EPARSE, "found \"1,2\" where three numbers with commas between them was expected");
}

static void refuses_colours(void) {
  static const char *const file = "coloured.colhpn";
  refuses(file, "<![CDATA[enum]]>", "<![CDATA[index]]>", FF_EUNSUPPORTED,
          "found the set of colours \"Names\" of the type \"index\" where int, enum, string, bool or dot was expected");
  refuses(file, "<![CDATA[a-c,z]]>", "<![CDATA[aa-cc]]>", FF_EUNSUPPORTED, "found \"aa-cc\" as the colours of \"Names\" "
          "where a range of names that differ in their last letter, such as a1-a5, was expected");
  refuses(file, "<![CDATA[a-c,z]]>", "<![CDATA[1-99999999999]]>", FF_EUNSUPPORTED, "where a shorter range was expected");
  refuses(file, "<![CDATA[w1-w3]]>", "<![CDATA[[w][1-3]]]>", FF_EUNSUPPORTED, "where a list of strings without [ ] was expected");
  refuses(file, "<attribute name=\"Colorset\"><![CDATA[Grid]]>", "<attribute name=\"Colorset\"><![CDATA[]]>", FF_EPARSE,
          "found nothing where a set of colours of each place was expected");
  refuses(file, "<![CDATA[3`(x,x)++2`(1,y)]]>", "<![CDATA[]]>", FF_EPARSE,
          "found nothing where the inscription of an arc was expected");
  refuses(file, "<![CDATA[3`(x,x)++2`(1,y)]]>", "<![CDATA[(x,x)++[y<2] 2`(1,y)]]>", FF_EUNSUPPORTED, "y<2");
  refuses(file, "active_col=\"1\"", "active_col=\"3\"", FF_EPARSE,
          "found the column 3 where one of a set of markings was expected");
  refuses(file, "<![CDATA[X,X]]>", "<![CDATA[X,Z]]>", FF_EPARSE, "\"Z\"");
  refuses(file, "<![CDATA[near(x,y)]]>", "<![CDATA[near(x,q)]]>", FF_EPARSE, "\"q\"");
}

/* ---- files of others ---- */

static char *load_shared(const char *name) {
  char path[500];
  snprintf(path, sizeof path, "%.300s/models/petri/%s", getenv("FIREFLIP_SHARED"), name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1000000);
  FF_CHECK_SAY(file != NULL && text != NULL && fread(text, 1, 999999, file) > 0, "%s", path);
  if (file != NULL) fclose(file);
  return text;
}

static ff_petri_flat *unfold_shared(ff_petri **net, const char *name, const char *constant, double value) {
  ff_error err = {FF_OK, ""};
  const ff_io_petri_options options = {&constant, &value, constant != NULL, NULL};
  char *text = load_shared(name);
  ff_petri_flat *flat = NULL;
  FF_CHECK_OK(read_with(net, text, &options, &err), &err);
  if (*net != NULL) FF_CHECK_OK(ff_petri_unfold(&flat, *net, &err), &err);
  free(text);
  return flat;
}

static void check_size(const char *name, const char *constant, double value, uint32_t places, uint32_t transitions) {
  ff_petri *net;
  ff_petri_flat *flat = unfold_shared(&net, name, constant, value);
  FF_CHECK(flat != NULL);
  if (flat != NULL) {
    FF_CHECK_INT(flat->n_places, places);
    FF_CHECK_INT(flat->n_transitions, transitions);
  }
  ff_petri_flat_free(flat);
  ff_petri_free(net);
}

/* Snoopy's own simulation of the file names the unfolded places, and gives their initial markings. In the version that Snoopy
 * simulated of one file, NI had the name NA. */
static void check_csv(const char *name, const char *csv, const char *constant, double value, uint32_t columns) {
  ff_petri *net;
  ff_petri_flat *flat = unfold_shared(&net, name, constant, value);
  char *text = load_shared(csv), place[100];
  char *names = text, *numbers = text + strcspn(text, "\n") + 1;
  uint32_t n = 0;
  for (int column = 0; flat != NULL && *names != '\n' && *names != '\r'; column++) {
    const size_t length = strcspn(names, ",\r\n");
    if (strncmp(names, "NA_", 3) == 0) names[1] = 'I';
    uint32_t p = 0;
    for (; p < flat->n_places; p++)
      if (ff_petri_place_name(place, sizeof place, flat, p, "_") == length && memcmp(place, names, length) == 0) break;
    FF_CHECK_SAY(column == 0 || p < flat->n_places, "no place %.*s", (int)length, names);
    if (p < flat->n_places) FF_CHECK_NEAR(flat->initial[p], strtod(numbers, NULL), 0);
    n += p < flat->n_places;
    names += length + (names[length] == ',');
    numbers += strcspn(numbers, ",\r\n");
    numbers += *numbers == ',';
  }
  FF_CHECK_INT(n, columns);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
  free(text);
}

static void reads_shared(void) {
  if (getenv("FIREFLIP_SHARED") == NULL) FF_SKIP("FIREFLIP_SHARED is not set");
  check_size("diffusion_2D.colcpn", NULL, 0, 3600, 14160);
  check_size("diffusion_2D.colcpn", "D", 15, 225, 840);
  check_size("Delta-Notch-patternformation.colcpn", NULL, 0, 192, 704);
  check_size("Box-coloured-repressilator.colspn", NULL, 0, 9, 12);
  check_size("repressilator.colfspn", "k_gen", 0.1, 9, 12);
  check_size("GeneGate.spn", NULL, 0, 4, 4);
  check_csv("diffusion_2D.colcpn", "diffusion_2D15.csv", "D", 15, 225);
  check_csv("Delta-Notch-patternformation.colcpn", "Delta-Notch-patternformation.csv", NULL, 0, 128); /* not NT */
}

/* ---- PNML ---- */

static ff_status pnml_of(char **text, const char *name, const char *from, const char *to, ff_error *err) {
  ff_petri *net;
  ff_petri_flat *flat = NULL;
  *text = NULL;
  ff_status status = read_changed(&net, name, from, to, NULL, err);
  if (status == FF_OK) status = ff_petri_unfold(&flat, net, err);
  if (status == FF_OK) status = ff_io_pnml_text(text, flat, err);
  ff_petri_flat_free(flat);
  ff_petri_free(net);
  return status;
}

static void check_pnml(const char *text, const char *const *parts, size_t n) {
  ff_error err = {FF_OK, ""};
  ff_xml xml = ff_xml_of(text, strlen(text), "written", &err);
  do FF_CHECK_OK(ff_xml_next(&xml), &err);
  while (err.status == FF_OK && xml.kind != FF_XML_END);
  for (size_t i = 0; i < n; i++) FF_CHECK_SAY(strstr(text, parts[i]) != NULL, "no %s in\n%s", parts[i], text);
}

static void writes_pnml(void) {
  static const char *const stochastic[] = {
      "<net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">",
      "<parameter name=\"old\" value=\"0.25\"/>\n        <variable name=\"all\">A + B</variable>",
      "<place id=\"p1\">\n        <name><text>A</text></name>\n        <initialMarking><text>4</text></initialMarking>\n",
      "<place xmlns=\"urn:fireflip\" kind=\"discrete\" fixed=\"true\"/>",
      "<place id=\"p3\">\n        <name><text>_P_7</text></name>\n      </place>",
      "<transition xmlns=\"urn:fireflip\" kind=\"stochastic\">\n            <rate massAction=\"true\">k * B</rate>\n"
      "            <test kind=\"read\" place=\"p2\" weight=\"1\"/>\n          </transition>",
      "<arc id=\"a1\" source=\"p1\" target=\"t1\">\n        <inscription><text>2</text></inscription>\n      </arc>",
      "<arc id=\"a2\" source=\"t1\" target=\"p3\"/>",
      "<rate>2 * k * A / B</rate>\n          </transition>",
      "<arc id=\"a3\" source=\"p1\" target=\"t2\">\n        <toolspecific tool=\"fireflip\" version=\"1\">\n"
      "          <weight xmlns=\"urn:fireflip\">N</weight>\n        </toolspecific>\n      </arc>",
      "kind=\"immediate\">\n            <weight>2</weight>\n            <test kind=\"inhibitor\" place=\"p3\" weight=\"5\"/>\n"
      "            <test kind=\"equal\" place=\"p1\" weight=\"4\"/>",
      "kind=\"deterministic\">\n            <delay>0.5</delay>\n            <test kind=\"reset\" place=\"p3\"/>",
      "kind=\"scheduled\">\n            <at begin=\"1\" period=\"3\" end=\"10\"/>"};
  static const char *const coloured[] = {
      "<name><text>g_2_2</text></name>\n        <initialMarking><text>1</text></initialMarking>",
      "<place xmlns=\"urn:fireflip\" kind=\"continuous\" marking=\"0.25\"/>", "<flow massAction=\"true\">k</flow>",
      "<name><text>move_1_2</text></name>", "<rate>g_1_2 * k</rate>"};
  ff_error err = {FF_OK, ""};
  char *text;
  FF_CHECK_OK(pnml_of(&text, "stochastic.spn", "A", "A", &err), &err);
  if (text != NULL) check_pnml(text, stochastic, sizeof stochastic / sizeof stochastic[0]);
  free(text);
  FF_CHECK_OK(pnml_of(&text, "coloured.colhpn", "g", "g", &err), &err);
  if (text != NULL) check_pnml(text, coloured, sizeof coloured / sizeof coloured[0]);
  free(text);
}

/* Names that differ in R may be the same in a file. */
static void refuses_pnml(void) {
  ff_error err = {FF_OK, ""};
  char *text;
  FF_CHECK_FAILS(pnml_of(&text, "coloured.colhpn", "<![CDATA[w]]>", "<![CDATA[g_1]]>", &err), FF_EMODEL, &err,
                 "found two places, parameters or variables with the name \"g_1_1\" where different names in a file were");
  FF_CHECK_FAILS(pnml_of(&text, "coloured.colhpn", "<![CDATA[then]]>", "<![CDATA[move_1]]>", &err), FF_EMODEL, &err,
                 "found two transitions with the name \"move_1_2\" where different names in a file were expected");
}

FF_TEST_MAIN("snoopy", parses_xml, refuses_xml, limits_xml, reads_all_kinds, reads_hybrid, reads_plain, chooses_constants,
             refuses_documents, refuses_tables, refuses_nets, is_detected, reads_coloured, reads_old, reads_small, reads_fuzzy,
             refuses_colours, reads_shared, writes_pnml, refuses_pnml)
