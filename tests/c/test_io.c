/* Readers and writers: what they accept, their errors, and round trips. */
#define _GNU_SOURCE /* mkdtemp, symlink under -std=c11 */
#include "../../src/io/ff_io.h"

#include <sys/stat.h>

#include "comma.h"
#include "corpus.h"
#include "files.h"
#include "pbn_refusals.h"
#include "same_network.h"

static ff_pbn *parse(const char *text, ff_format format, ff_error *err) {
  ff_pbn *pbn = NULL;
  ff_status status = ff_io_parse(&pbn, NULL, text, strlen(text), "net", format, err);
  FF_CHECK_OK(status, err);
  return pbn;
}

static void check_round_trip(const ff_pbn *pbn, ff_format format, int exact) {
  ff_error err;
  char *text;
  FF_CHECK_OK(ff_io_text(&text, pbn, format, &err), &err);
  ff_pbn *again = parse(text, format, &err);
  FF_CHECK_SAY(again != NULL && same_network(pbn, again, exact), "%s", text);
  ff_pbn_free(again);
  free(text);
}

/* ---- .pbn ---- */

static const char every_word[] =
    "\xEF\xBB\xBF// a comment\r\n"
    "TYPE = rog // another\r\n"
    "n=4\rperturbation = 0.0125\n"
    "removedNodes = 7 5\n"
    "\n"
    "nodeNames\n  x0\nand\n\"odd: name\"\np38/a\nendNodeNames\n"
    "node x0\n 1 : f(x0, and){0110} | p38/a\n 3 : (!x0)&and // so\nendNode\n"
    "node \"odd: name\"\n0.333333 : \"odd: name\"\n0.333333: !p38/a\n0.333333 :1\nendNode\n"
    "node\tp38/a\n1e-3 : x0 ^ \"odd: name\"\nendNode\n"
    "node and\n1.0 : and & and\nendNode\n"
    "npNode\nx0\np38/a\nendNpNode\n"
    "initialValues\nand=1\n\"odd: name\" = 0\nendInitialValues\n";

static void assa_reads_every_word(void) {
  ff_error err;
  ff_pbn *pbn = parse(every_word, FF_FORMAT_AUTO, &err);
  if (pbn == NULL) return;
  const char *names[] = {"x0", "and", "odd: name", "p38/a"};
  const uint32_t first[] = {0, 2, 3, 6, 7};
  const int exempt[] = {1, 0, 0, 1}, initial[] = {-1, 1, 0, -1};
  FF_CHECK_INT(pbn->n_nodes, 4);
  for (int i = 0; i < 4; i++) {
    FF_CHECK_STR(pbn->names[i], names[i]);
    FF_CHECK_INT(pbn->first[i + 1], first[i + 1]);
    FF_CHECK_INT(pbn->perturbed[i], !exempt[i]);
    FF_CHECK_INT(pbn->initial[i], initial[i]);
  }
  FF_CHECK(pbn->update == FF_ASYNCHRONOUS && pbn->perturbation == 0.0125);
  FF_CHECK(pbn->removed_nodes == 7 && pbn->removed_perturbed == 5);
  FF_CHECK(pbn->predictors[0].probability == 0.25 && pbn->predictors[1].probability == 0.75);
  FF_CHECK_NEAR(pbn->predictors[4].probability, 1.0 / 3, 1e-15);
  FF_CHECK_INT(pbn->predictors[2].expr.length, 3); /* `and & and`: the name of a node takes precedence over the operator */
  FF_CHECK_INT(pbn->predictors[2].n_parents, 1);
  check_round_trip(pbn, FF_FORMAT_ASSA, 1);
  ff_pbn_free(pbn);
}

static void assa_contexts(void) {
  static const char text[] =
      "type=synchronous\nperturbation=0.1\nnodeNames\na\nb\nendNodeNames\nnode a\n0.9 : b\n0.1 : !b\nendNode\n"
      "node b\n1:a\nendNode\n"
      "contexts\n0.2 : 1 1\n0.7 : 2  1\n0.1:1\t1\nendContexts\n";
  ff_error err;
  ff_pbn *pbn = parse(text, FF_FORMAT_ASSA, &err);
  FF_CHECK_INT(pbn->n_contexts, 3);
  const uint32_t want[] = {0, 0, 1, 0, 0, 0};
  FF_CHECK(memcmp(pbn->context, want, sizeof want) == 0);
  FF_CHECK(pbn->context_probability[1] == 0.7 && pbn->predictors[0].probability == 1.0);
  check_round_trip(pbn, FF_FORMAT_ASSA, 1);
  char *written;
  FF_CHECK_FAILS(ff_io_text(&written, pbn, FF_FORMAT_BOOLNET, &err), FF_EMODEL, &err, "cannot express the contexts");
  ff_pbn_free(pbn);
}

#define NAMES "nodeNames\na\nb\nendNodeNames\n"
#define BOTH NAMES "node a\n1:b\nendNode\nnode b\n1:a\nendNode\n"

static void assa_errors(void) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "net, line 1: found the end of the file where nodeNames was expected"},
      {"type=rmg", "net, line 1: found \"rmg\" where synchronous, asynchronous or rog was expected"},
      {"type=rog\ntype=rog", "net, line 2: found \"type=rog\" where no second line of this kind was expected"},
      {"n=three", "net, line 1: found \"three\" where the number of nodes was expected"},
      {"perturbation=1", "net, line 1: found \"1\" where a perturbation in [0, 1) was expected"},
      {"perturbation=-0.1", "net, line 1: found \"-0.1\" where a perturbation in [0, 1) was expected"},
      {"perturbation=nan", "net, line 1: found \"nan\" where a perturbation in [0, 1) was expected"},
      {"perturbation=", "net, line 1: found nothing where a perturbation in [0, 1) was expected"},
      {"speed=1", "net, line 1: found \"speed\" where type, n, perturbation or removedNodes was expected"},
      {"hello", "net, line 1: found \"hello\" where type=, n=, perturbation=, nodeNames, node or npNode was expected"},
      {"node a", "net, line 1: found \"node a\" where nodeNames, which comes before it, was expected"},
      {"nodeNames\na\n", "net, line 2: found the end of the file where \"endNodeNames\" was expected (for line 1)"},
      {"nodeNames\nendNodeNames", "net, line 2: found \"endNodeNames\" where a node's name was expected"},
      {"nodeNames\na b\n",
       "net, line 2: found \"a b\" where a node's name (in quotes if it contains blanks or & ! | ^ = : ( ) , { }) was expected"},
      {"nodeNames\n1\n",
       "net, line 2: found \"1\" where a node's name (in quotes if it contains blanks or & ! | ^ = : ( ) , { }) was expected"},
      {"nodeNames\na\na\n", "net, line 3: found \"a\" where a name that no other node has was expected"},
      {NAMES NAMES, "net, line 5: found \"nodeNames\" where no second block of names was expected"},
      {NAMES "node c\n", "net, line 5: found \"c\" where the name of a node listed in nodeNames was expected"},
      {NAMES "node A\n",
       "net, line 5: found \"A\" where the name of a node listed in nodeNames was expected; did you mean \"a\"?"},
      {NAMES "node a\nendNode\n",
       "net, line 6: found \"endNode\" where a line \"selection probability : function\" was expected"},
      {NAMES "node a\nb\n",
       "net, line 6: found \"b\" where a line \"selection probability : function\" or \"endNode\" was expected"},
      {NAMES "node a\n0 : b\n", "net, line 6: found \"0\" where a selection probability above 0 was expected"},
      {NAMES "node a\n1/2 : b\n", "net, line 6: found \"1/2\" where a selection probability above 0 was expected"},
      {NAMES "node a\n1 :\n", "net, line 6: found nothing where a function was expected"},
      {NAMES "node a\n1 : a &\n",
       "net, line 6: found the end at character 4 of \"a &\" where a node name, 0, 1, \"!\" or \"(\" was expected"},
      {NAMES "node a\n1 : a & c\n", "net, line 6: no node is called \"c\" (character 5 of \"a & c\")"},
      {NAMES "node a\n1 : a & B\n", "net, line 6: no node is called \"B\" (character 5 of \"a & B\"); did you mean \"b\"?"},
      {NAMES "node a\n1 : b\n", "net, line 6: found the end of the file where \"endNode\" was expected (for line 5)"},
      {BOTH "node a\n", "net, line 11: found \"node a\" where one block for each node, not a second one, was expected"},
      {NAMES "node a\n1:b\nendNode\n", "net, line 7: found the end of the file where a block of node \"b\" was expected"},
      {"n=3\n" BOTH, "net, line 1: found n=3 where 2 was expected, the number of names in nodeNames"},
      {BOTH "npNode\nc\n", "net, line 12: found \"c\" where the name of a node listed in nodeNames was expected"},
      {BOTH "npNode\nB\n",
       "net, line 12: found \"B\" where the name of a node listed in nodeNames was expected; did you mean \"b\"?"},
      {BOTH "npNode\n", "net, line 11: found the end of the file where \"endNpNode\" was expected (for line 11)"},
      {BOTH "initialValues\na\n",
       "net, line 12: found \"a\" where a line \"NAME = 0\" or \"NAME = 1\", or \"endInitialValues\" was expected"},
      {BOTH "initialValues\nA=1\n",
       "net, line 12: found \"A\" where the name of a node listed in nodeNames was expected; did you mean \"a\"?"},
      {BOTH "initialValues\na=2\n", "net, line 12: found \"2\" where 0 or 1 was expected"},
      {BOTH "initialValues\na=1\na=1\n",
       "net, line 13: found \"a=1\" where one initial value for each node, not a second one, was expected"},
      {BOTH "contexts\nendContexts\n", "net, line 12: found \"endContexts\" where a line \"probability : 1 2 1\" was expected"},
      {BOTH "contexts\n1 1\n",
       "net, line 12: found \"1 1\" where a line \"probability : 1 2 1\" or \"endContexts\" was expected"},
      {BOTH "contexts\n0: 1 1\n", "net, line 12: found \"0\" where a probability above 0 was expected"},
      {BOTH "contexts\n1: 1\n",
       "net, line 12: found nothing where the number of one of the node's functions (counted from 1) was expected"},
      {BOTH "contexts\n1: 1 0\n",
       "net, line 12: found \"0\" where the number of one of the node's functions (counted from 1) was expected"},
      {BOTH "contexts\n1: 1 1 1\n", "net, line 12: found \"1\" where the end of the line (one number per node) was expected"},
      {"removedNodes=3",
       "net, line 1: found \"3\" where the number of removed nodes and how many of them are perturbed, as in \"36 34\", "
       "was expected"},
      {"removedNodes=3 4",
       "net, line 1: found \"3 4\" where the number of removed nodes and how many of them are perturbed, as in \"36 34\", was "
       "expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) fails(cases[i].text, FF_FORMAT_ASSA, FF_EPARSE, cases[i].message);
  fails(BOTH "contexts\n1: 1 2\nendContexts\n", FF_FORMAT_ASSA, FF_EMODEL,
        "net: context 1 selects predictor function 2 of node \"b\", which has 1");
}

/* ---- BoolNet's text and .bnet ---- */

static void boolnet_reads(void) {
  static const char text[] =
      "# before\n\n Targets , FACTORS, Probabilities \r\n"
      "b, (a & !c) | f(a, c){0110}, 0.333333 # tail, with a comma\r\n"
      "a, 1, 1\n"
      "b, zeta, 0.333333\n"
      "b, b,.333333\n"
      "\"a, b\", \"a, b\" | b\n";
  ff_error err;
  ff_pbn *pbn = parse(text, FF_FORMAT_AUTO, &err);
  if (pbn == NULL) return;
  const char *names[] = {"b", "a", "a, b", "c", "zeta"};
  const uint32_t first[] = {0, 3, 4, 5, 6, 7};
  FF_CHECK_INT(pbn->n_nodes, 5);
  for (int i = 0; i < 5; i++) {
    FF_CHECK_STR(pbn->names[i], names[i]);
    FF_CHECK_INT(pbn->first[i + 1], first[i + 1]);
  }
  FF_CHECK(pbn->predictors[6].expr.code[0] == FF_X_OP(FF_X_VAR, 4)); /* zeta has no line, so it is an input */
  FF_CHECK(pbn->predictors[0].expr.code[0] == FF_X_OP(FF_X_VAR, 1));
  FF_CHECK(pbn->predictors[1].expr.code[0] == FF_X_OP(FF_X_VAR, 4));
  FF_CHECK(pbn->perturbation == 0 && pbn->update == FF_SYNCHRONOUS);
  check_round_trip(pbn, FF_FORMAT_BOOLNET, 0);
  check_round_trip(pbn, FF_FORMAT_ASSA, 1);
  char *written;
  FF_CHECK_FAILS(ff_io_text(&written, pbn, FF_FORMAT_BNET, &err), FF_EMODEL, &err,
                 ".bnet has one function per node, but node \"b\" has 3");
  ff_pbn_free(pbn);
}

static void bnet_reads(void) {
  static const char *const same[] = {"targets, factors\nx, !y&x\ny, x | z\n", "x, !y & x\ny,x|z",
                                     "\r\n#c\r\nTARGETS,FUNCTIONS\rx, !y & x\ry, x | z\r"};
  ff_error err;
  ff_pbn *first = parse(same[0], FF_FORMAT_BNET, &err);
  for (int i = 0; i < 3; i++) {
    ff_format format = FF_FORMAT_AUTO;
    ff_pbn *pbn;
    FF_CHECK_OK(ff_io_parse(&pbn, &format, same[i], strlen(same[i]), "net", FF_FORMAT_AUTO, &err), &err);
    FF_CHECK_STR(ff_format_name(format), "bnet");
    FF_CHECK(same_network(first, pbn, 1));
    ff_pbn_free(pbn);
  }
  FF_CHECK_INT(first->n_nodes, 3);
  check_round_trip(first, FF_FORMAT_BNET, 1);
  ff_pbn_free(first);
}

static void boolnet_errors(void) {
  static const struct {
    const char *text;
    ff_format format;
    const char *message;
  } cases[] = {
      {"", FF_FORMAT_BOOLNET,
       "net, line 1: found the end of the file where a header \"targets, factors, probabilities\" was expected"},
      {"a, b", FF_FORMAT_BOOLNET, "net, line 1: found \"a, b\" where a header \"targets, factors, probabilities\" was expected"},
      {"targets, stuff", FF_FORMAT_BOOLNET,
       "net, line 1: found \"targets, stuff\" where a header \"targets, factors, probabilities\" was expected"},
      {"targets, factors, odds", FF_FORMAT_BOOLNET, "net, line 1: found \"odds\" where \"probabilities\" was expected"},
      {"targets, factors, probabilities\na, a", FF_FORMAT_BNET,
       "net, line 1: found \"targets, factors, probabilities\" where \"targets, factors\" (with probabilities it is BoolNet's "
       "format) was expected"},
      {"targets, factors\n", FF_FORMAT_BNET,
       "net, line 1: found the end of the file where a line \"name, function\" was expected"},
      {"", FF_FORMAT_BNET, "net, line 1: found the end of the file where a line \"name, function\" was expected"},
      {"targets, factors\na", FF_FORMAT_BNET, "net, line 2: found \"a\" where a line \"name, function\" was expected"},
      {"targets, factors\na b, c", FF_FORMAT_BNET,
       "net, line 2: found \"a b\" where the name of a node (letters, digits, _ and ., or in quotes) was expected"},
      {"targets, factors\nand, c", FF_FORMAT_BNET,
       "net, line 2: found \"and\" where the name of a node (letters, digits, _ and ., or in quotes) was expected"},
      {"targets, factors\na, b\na, c", FF_FORMAT_BNET,
       "net, line 3: found \"a, c\" where one function per node (several need a header \"targets, factors, probabilities\") was "
       "expected"},
      {"targets, factors\na,", FF_FORMAT_BNET, "net, line 2: found nothing where a function was expected"},
      {"targets, factors\na, b, 1", FF_FORMAT_BNET,
       "net, line 2: found \",\" at character 2 of \"b, 1\" where an operator (& | ^), \")\" or the end was expected"},
      {"targets, factors\na, all(b, c)", FF_FORMAT_BNET,
       "net, line 2: BoolNet's function all() is not supported (character 1 of \"all(b, c)\"); write it with !, & and |, or "
       "as a table"},
      {"targets, factors, probabilities\na, b, 0", FF_FORMAT_BOOLNET,
       "net, line 2: found \"0\" where a selection probability above 0 and at most 1 was expected"},
      {"targets, factors, probabilities\na, b, half", FF_FORMAT_BOOLNET,
       "net, line 2: found \"half\" where a selection probability above 0 and at most 1 was expected"},
      {"targets, factors, probabilities\nb, b\na, b, 0.5\na, c, 0.4", FF_FORMAT_BOOLNET,
       "net, line 3: found probabilities of node \"a\" that sum to 0.9 where 1 was expected"},
      {"targets, factors\na, b\xFF", FF_FORMAT_BNET, "net, line 2: found \"a, b\\xFF\" where text in UTF-8 was expected"},
      {"targets, factors, probabilities\na, b", FF_FORMAT_ASSA,
       "net, line 1: found \"targets, factors, probabilities\" where type=, n=, perturbation=, nodeNames, node or npNode was "
       "expected"},
      {"# nothing\n\n", FF_FORMAT_AUTO, "net, line 2: found the end of the file where a network was expected"},
      {"what is this", FF_FORMAT_AUTO,
       "net, line 1: found \"what is this\" where the start of a network: \"type=\" (.pbn), \"targets, factors\" (BoolNet's "
       "text, .bnet), \"<\" (SBML), \"begin\" "
       "(BioNetGen's .net) or the type of a Petri net (ANDL, CANDL) was expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) fails(cases[i].text, cases[i].format, FF_EPARSE, cases[i].message);
  ff_error err;
  ff_pbn *pbn;
  FF_CHECK_FAILS(ff_io_parse(&pbn, NULL, "a, b\0c", 6, "net", FF_FORMAT_AUTO, &err), FF_EPARSE, &err,
                 "net, line 1: found \"a, b\\x00c\" where text in UTF-8 was expected");
  FF_CHECK_FAILS(ff_io_parse(&pbn, NULL, "a, !", 4, "odd\nname\xFF", FF_FORMAT_AUTO, &err), FF_EPARSE, &err,
                 "odd?name?, line 1: found the end");
  char longest[2000];
  memset(longest, 'd', sizeof longest);
  strcpy(longest + 1990, "/net.pbn");
  FF_CHECK_FAILS(ff_io_parse(&pbn, NULL, "a, !", 4, longest, FF_FORMAT_AUTO, &err), FF_EPARSE, &err, "ddd/net.pbn, line 1");
}

static void formats_are_told_apart(void) {
  static const struct {
    const char *text, *name;
  } cases[] = {{"// c\n\n" BOTH, "pbn"},
               {"perturbation = 0.5\n" BOTH, "pbn"},
               {"n=2\n" BOTH, "pbn"},
               {"targets,factors\nn, n\n", "bnet"},
               {"targets,factors,probabilities\nn, n\n", "boolnet"},
               {"type, !type\n", "bnet"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ff_error err;
    ff_format format = FF_FORMAT_AUTO;
    ff_pbn *pbn;
    FF_CHECK_OK(ff_io_parse(&pbn, &format, cases[i].text, strlen(cases[i].text), "net", FF_FORMAT_AUTO, &err), &err);
    FF_CHECK_STR(ff_format_name(format), cases[i].name);
    ff_pbn_free(pbn);
  }
}

static void lost_words(void) {
  ff_error err;
  ff_pbn *pbn = parse(every_word, FF_FORMAT_ASSA, &err);
  FF_CHECK_INT(ff_io_lost(pbn, FF_FORMAT_ASSA), 0);
  FF_CHECK_INT(ff_io_lost(pbn, FF_FORMAT_BOOLNET),
               FF_LOST_PERTURBATION | FF_LOST_MODE | FF_LOST_EXEMPT | FF_LOST_INITIAL | FF_LOST_REMOVED);
  FF_CHECK_INT(ff_io_lost(pbn, FF_FORMAT_SBML), FF_LOST_PERTURBATION | FF_LOST_MODE | FF_LOST_EXEMPT | FF_LOST_REMOVED);
  ff_pbn_free(pbn);
}

/* ---- files ---- */

static void files(void) {
  char folder[] = "/tmp/ff-io-XXXXXX", path[64], link_path[64];
  if (mkdtemp(folder) == NULL) return;
  snprintf(path, sizeof path, "%s/net.pbn", folder);
  snprintf(link_path, sizeof link_path, "%s/link.pbn", folder);
  ff_error err;
  ff_pbn *pbn = parse(every_word, FF_FORMAT_ASSA, &err), *again;
  ff_format format = FF_FORMAT_AUTO;
  FF_CHECK_OK(ff_io_write(pbn, path, FF_FORMAT_ASSA, &err), &err);
  FF_CHECK_OK(ff_io_read(&again, &format, path, FF_FORMAT_AUTO, &err), &err);
  FF_CHECK(format == FF_FORMAT_ASSA && same_network(pbn, again, 1));
  ff_pbn_free(again);

  struct stat info; /* writing again keeps the file's mode, and a link remains a link */
  FF_CHECK(chmod(path, 0640) == 0 && symlink("net.pbn", link_path) == 0);
  FF_CHECK_OK(ff_io_write(pbn, link_path, FF_FORMAT_ASSA, &err), &err);
  FF_CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
  FF_CHECK(stat(path, &info) == 0 && (info.st_mode & 07777) == 0640);

  FF_CHECK_FAILS(ff_io_write(pbn, path, FF_FORMAT_BNET, &err), FF_EMODEL, &err, "one function per node");
  FF_CHECK_OK(ff_io_read(&again, NULL, path, FF_FORMAT_AUTO, &err), &err); /* the failed write has left the file unchanged */
  ff_pbn_free(again);
  FF_CHECK_FAILS(ff_io_read(&again, NULL, folder, FF_FORMAT_AUTO, &err), FF_EFILE, &err, "Is a directory");
  FF_CHECK_FAILS(ff_io_read(&again, NULL, "/nowhere/net", FF_FORMAT_AUTO, &err), FF_EFILE, &err,
                 "cannot read /nowhere/net: No such file or directory");
  FF_CHECK_FAILS(ff_io_write(pbn, "/nowhere/net", FF_FORMAT_ASSA, &err), FF_EFILE, &err,
                 "cannot write /nowhere/net: No such file or directory");
  if (access("/dev/full", W_OK) == 0)
    FF_CHECK_FAILS(ff_io_write(pbn, "/dev/full", FF_FORMAT_ASSA, &err), FF_EFILE, &err, "No space left on device");
  FF_CHECK_FAILS(ff_io_write(pbn, path, FF_FORMAT_AUTO, &err), FF_EARGUMENT, &err, "the format must be given");
  ff_pbn_free(pbn);
  FF_CHECK_INT(find_files(folder, "", NULL), 2); /* no temporary file remains */
  remove_folder(folder);
}

/* ---- inputs that the fuzzers found: whatever is read must be written and read back the same ---- */

static void replay(const char *path, ff_format format) {
  ff_error err;
  ff_pbn *pbn, *again = NULL;
  char *text;
  ff_status status = ff_io_read(&pbn, NULL, path, format, &err);
  corpus_check_message(path, status, &err);
  if (status != FF_OK) return;
  FF_CHECK_OK(ff_io_text(&text, pbn, FF_FORMAT_ASSA, &err), &err);
  FF_CHECK_OK(ff_io_parse(&again, NULL, text, strlen(text), path, FF_FORMAT_AUTO, &err), &err);
  FF_CHECK_SAY(again != NULL && same_network(pbn, again, 1), "%s", path);
  free(text);
  ff_pbn_free(pbn);
  ff_pbn_free(again);
}

static void corpus(void) {
  int n = corpus_each("pbn", FF_FORMAT_ASSA, replay) + corpus_each("boolnet", FF_FORMAT_BOOLNET, replay) +
          corpus_each("bnet", FF_FORMAT_BNET, replay) + corpus_each("sbml", FF_FORMAT_SBML, replay);
  if (n == 0) FF_SKIP("there is no corpus");
}

/* ---- locales ---- */

/* The text of a network of either kind, in its own format. */
static char *text_of(const char *text, ff_format format) {
  ff_io_model model;
  ff_error err;
  char *out = NULL;
  FF_CHECK_OK(ff_io_parse_model(&model, NULL, text, strlen(text), "net", format, &err), &err);
  ff_status status = model.pbn != NULL         ? ff_io_text(&out, model.pbn, format, &err)
                     : model.reactions != NULL ? ff_io_reactions_text(&out, model.reactions, format, &err)
                                               : FF_EINTERNAL;
  FF_CHECK_OK(status, &err);
  ff_io_model_free(&model);
  return out;
}

/* Numbers have a point in every locale, in what is read, in what is written, and in messages. */
static void comma(void) {
  static const struct {
    ff_format format;
    const char *text;
  } cases[] = {
      {FF_FORMAT_ASSA, "n=1\nperturbation = 0.0125\nnodeNames\nA\nendNodeNames\nnode A\n0.25 : A\n1.5e-3 : !A\nendNode\n"},
      {FF_FORMAT_BOOLNET, "targets, factors, probabilities\nA, A, 0.125\nA, !A, 0.875\n"},
      {FF_FORMAT_BNGL, "begin parameters\n1 k 0.125\n2 l 1.5e-7\nend parameters\nbegin functions\n1 f() 0.25*G^1.5\n"
                       "end functions\nbegin species\n1 A() 2.5e1\nend species\nbegin reactions\n1 1 0 0.75*k\n2 1 0 f\n"
                       "end reactions\nbegin groups\n1 G 0.5*1\nend groups\n"},
      {FF_FORMAT_SBML,
       "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\"><model><listOfCompartments>"
       "<compartment id=\"c\" size=\"0.5\" constant=\"true\"/></listOfCompartments><listOfSpecies><species id=\"A\" "
       "compartment=\"c\" initialConcentration=\"6.0\" hasOnlySubstanceUnits=\"false\" boundaryCondition=\"true\" "
       "constant=\"false\"/></listOfSpecies><listOfParameters><parameter id=\"k\" value=\"1.25e-3\" constant=\"true\"/>"
       "<parameter id=\"v\" constant=\"false\"/></listOfParameters><listOfRules><assignmentRule variable=\"v\"><math "
       "xmlns=\"http://www.w3.org/1998/Math/MathML\"><apply><plus/><cn>0.25</cn><cn type=\"e-notation\">1.5<sep/>-7</cn>"
       "<ci>k</ci></apply></math></assignmentRule></listOfRules></model></sbml>"},
  };
  char *plain[4];
  ff_pbn *pbn;
  ff_error err;
  for (int i = 0; i < 4; i++) plain[i] = text_of(cases[i].text, cases[i].format);
  const int found = comma_begin();
  for (int i = 0; found && i < 4; i++) {
    char *text = text_of(cases[i].text, cases[i].format);
    FF_CHECK_STR(text, plain[i]);
    free(text);
    text = text_of(plain[i], cases[i].format);
    FF_CHECK_STR(text, plain[i]);
    free(text);
  }
  static const char sum[] = "targets, factors, probabilities\nA, A, 0.125\n";
  FF_CHECK(ff_io_parse(&pbn, NULL, sum, sizeof sum - 1, "net", FF_FORMAT_AUTO, &err) == FF_EPARSE);
  FF_CHECK_STR(err.text, "net, line 2: found probabilities of node \"A\" that sum to 0.125 where 1 was expected");
  comma_end();
  for (int i = 0; i < 4; i++) free(plain[i]);
  if (!found) FF_SKIP("no locale with a decimal comma is installed");
}

FF_TEST_MAIN("io", comma, assa_reads_every_word, assa_contexts, assa_errors, boolnet_reads, bnet_reads, boolnet_errors,
             formats_are_told_apart, lost_words, files, corpus)
