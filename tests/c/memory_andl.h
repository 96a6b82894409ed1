/* Scenarios of test_memory: ANDL and CANDL. */
#ifndef FF_TESTS_MEMORY_ANDL_H
#define FF_TESTS_MEMORY_ANDL_H

#include "memory_given.h"

static const char *const andl_texts[] = {
    "hpn [n] {\nconstants: valuesets[a:b] all: int D = [3:4]; double k = D / 2; int h = D / 2;\nfunctions: "
    "f(a, b) = a * sqr(b);\n"
    "places: discrete: A = 5; B = D; continuous: X = 1.5;\nobservers: o = A + B;\ntransitions: t : [B >= 2] & [B < 3] & [A >= k] "
    ": "
    "[A - 2] & [X + (A + 1)] : f(o, k) + binomial(A, 2) + #(B); u : [A >= 2] : [B - 1] & [B = 3] : MassAction(k); v : : [A - 1] "
    ": "
    "LevelInterpretation(k, 4) + MichaelisMenten(k, 4); scheduled: s : : [A + 1] : 1, 2, 3; continuous: c : : [X - 2] : "
    "MassAction(k); }\n",
    "colhpn [n] {\nconstants: all: int D = 2; double c = 0.5;\ncolorsets: O = G[x=1]; G = PROD(R,S); R = {1..D}; S = {1..2}; K = "
    "{a,\"b\"}; U = R + S; Z = R;\nvariables: R : x; S : y; R : v; K : k;\ncolorfunctions: bool g(R a, R b) { a=b | a=1 "
    "};\nplaces: "
    "discrete: G A = [x=1]2`(x,y) ++ 1`(2,1); K C = a; R B = 0`all; continuous: G X = c`(1,y);\nobservers: o = B;\ntransitions: "
    "t "
    "{[g(x,v)]} : [B >= {2`x}] & [B < {3`x}] & [A >= {(v,y)}] : [A - {2`(x,y)}] & [C + {+k}] & [B = {2`v}] : [x=1] MassAction(c) "
    "++ "
    "[x=2] A * c + B[1] + [val(x)]; w : : [B - {all}] & [B + {[x=1]v}] : 1; continuous: f : : [X - {(x,y)}] & [X + {(v,y)}] : "
    "MassAction(c); }\n"};
#define ANDL_TEXTS ((int)(sizeof andl_texts / sizeof andl_texts[0]))

static ff_status read_andl(ff_petri **net, ff_error *err) {
  static const char *const constants[] = {"D"};
  static const double values[] = {2};
  const ff_io_petri_options options = {constants, values, 1, given.variant == 0 ? "b" : NULL};
  const char *text = andl_texts[given.variant];
  const ff_status status = ff_io_parse_petri(net, NULL, text, strlen(text), "net", FF_FORMAT_AUTO, &options, err);
  CHECK_OUT(status, *net);
  return status;
}

static ff_status reads_andl(ff_error *err) {
  ff_petri *net;
  const ff_status status = read_andl(&net, err);
  ff_petri_free(net);
  return status;
}

/* A marking that replaces another one makes the writer unfold the net; a test beside mass action makes it write the law. */
static const char *const andl_written[] = {"hpn [n] {\nconstants: all: double k = 2;\nplaces: A = 5; continuous: X = "
                                           "1.5;\nobservers: o = A;\ntransitions: t : [A >= 2] & [A < "
                                           "3] : [A - 2] & [X + (A + 1)] : MassAction(o * k); continuous: c : : [X - 2] : "
                                           "MassAction(k); scheduled: s : : [A = 0] : 1, 2, "
                                           "_SimEnd; }\n",
                                           "colhpn [n] {\nconstants: all: int D = 2;\ncolorsets: R = {1..2}; K = {a,b}; G = "
                                           "PROD(R,K); O = G[x=1];\nvariables: R : x; K : "
                                           "y;\ncolorfunctions: bool g(R a) { a=D };\nplaces: G A = 2`(x,y); R B = [x=1] "
                                           "2`x;\ntransitions: t {[g(x)]} : [B >= {2`x}] : [A - "
                                           "{2`(x,+y)}] : [x=1] MassAction(3) ++ [true] A[all()]; }\n"};

static void prepare_andl(void) {
  ff_error err;
  const char *text = andl_written[given.variant];
  FF_CHECK_OK(ff_io_parse_petri(&given.petri, NULL, text, strlen(text), "net", FF_FORMAT_AUTO, NULL, &err), &err);
  const ff_place none = {NULL, 0};
  if (given.petri == NULL) return;
  FF_CHECK_OK(ff_petri_add_marking(given.petri, given.variant == 0 ? "A" : "B[1]", NULL, "3", 0, none, &err), &err);
  if (given.variant == 0) FF_CHECK_OK(ff_petri_tests(given.petri, 0, "X >= 1", none, &err), &err);
}

static ff_status writes_andl(ff_error *err) {
  char *text = NULL;
  const ff_status status = ff_io_petri_text(&text, given.petri, FF_FORMAT_CANDL, err);
  CHECK_OUT(status, text);
  free(text);
  return status;
}

#endif
