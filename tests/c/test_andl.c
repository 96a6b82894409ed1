/* ANDL and CANDL: what the reader makes of each construct, what it refuses, and damaged files. */
#define _GNU_SOURCE /* opendir under -std=c11 */
#include <math.h>

#include "corpus.h"
#include "petri_andl.h"

/* A text, and what it must give: the description of a net (petri_describe.h), or a message. */
typedef struct {
  const char *text, *want;
} example;

static void reads_as(const example *examples, size_t n, int writes) {
  for (size_t i = 0; i < n; i++) {
    ff_error err;
    ff_petri *net;
    const ff_status status = read_net(&net, examples[i].text, NULL, &err);
    FF_CHECK_SAY(status == FF_OK, "%s: %s", examples[i].text, err.text);
    if (status != FF_OK) continue;
    char *got = describe_net(net);
    FF_CHECK_STR(got, examples[i].want);
    free(got);
    FF_CHECK_SAY(round_trip(net, examples[i].text) == writes, "%s", examples[i].text);
    ff_petri_free(net);
  }
}

static void fails(const example *examples, size_t n, ff_status want) {
  for (size_t i = 0; i < n; i++) {
    ff_error err;
    ff_petri *net;
    FF_CHECK_FAILS(read_net(&net, examples[i].text, NULL, &err), want, &err, examples[i].want);
    FF_CHECK(net == NULL);
    if (strcmp(err.text, examples[i].want) != 0) FF_CHECK_STR(err.text, examples[i].want);
    ff_petri_free(net);
  }
}

/* ---- nets without colours ---- */

static void parts(void) {
  static const example examples[] = {
      {"// before\n/* more\n lines */ hpn /* between */ [n] { // after\n" PLACES "}\n", " | | | | A B X~ | A = 5; X = 1.5 |"},
      {"cpn[n]{places: A = 1; discrete: B = 2; transitions: t : : [A - 1] : 2;}",
       " | | | | A~ B | A = 1; B = 2 |\ncontinuous t: A -> 0 @ 2"},
      /* constants in any order; whole numbers divide without rest; groups; several sets of values */
      {NET("spn", "constants: valuesets[Main:V-Set 0] all: int N = D / 2 + 1; int D = [15:20]; rates: double k = D / 2; "
                  "double l = 1e-3; bool b = true; int m = -7 / 2 + 2 * 3;\nplaces: A = N;\n"),
       " | | | N=8 D=15 k=7.5 l=0.001 b=1 m=3 | A | A = N |"},
      /* functions are replaced */
      {NET("spn", "functions: f(a, b) = a * b + 1; g(a) = f(a, sqr(a));\n" PLACES "transitions: t : : [A - 1] : g(A + 1) / 2;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic t: A -> 0 @ ((A + 1) * (A + 1)^2 + 1) / 2"},
      {NET("gspn", PLACES "observers: total = A + 2 * B + v; place: u = total^2; v = X;\ntransitions: t : : : u;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 | total := A + 2 * B + v; u := total^2; v := X;\nstochastic t: 0 -> 0 @ u"},
      /* names that mean something else in R */
      {NET("spn", "constants: all: double pi = 3; double Inf = 2;\nplaces: if = 1; time = 0;\ntransitions: t : : [if - 1] : pi * "
                  "Inf + if + "
                  "time;\n"),
       " | | | pi=3 Inf=2 | if time | if = 1 |\nstochastic t: if -> 0 @ pi * `Inf` + if + time"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

static void transitions(void) {
  static const example examples[] = {
      /* kinds */
      {NET("hpn", PLACES
           "transitions: s : : [A - 1] : 2; immediate: i : : [A - 1] : 3; deterministic: d : : [A - 1] : 0.5; scheduled: "
           "c : : [A - 1] : 1, 0.5, 4; e : : : _SimStart, 0, _SimEnd; continuous: f : : [X - 1] : 4; stochastic: l : : : 5;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic s: A -> 0 @ 2\nimmediate i: A -> 0 @ 3\ndeterministic d: A -> 0 @ "
       "0.5\nscheduled c: "
       "A -> 0 at 1 at 0.5 at 4\nscheduled e: 0 -> 0 at 0 at 0\ncontinuous f: X -> 0 @ 4\nstochastic l: 0 -> 0 @ 5"},
      /* conditions */
      {NET("spn", PLACES
           "transitions: t : [A >= 2] & [A < 5] & [B < 1] & [X] : [B + 1] : X; u : [A = 3] && [B >= 1] : : 1; v : [A >= 3] & "
           "[A < 4] : : 1; w : [X >= 1] & [X < 2] : : 1; z : [B = 0] : : 1;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic t: 0 -> B if A >= 2 & A < 5 & B < 1 @ X\nstochastic u: 0 -> 0 if A == 3 & "
       "B >= 1 @ 1\n"
       "stochastic v: 0 -> 0 if A == 3 @ 1\nstochastic w: 0 -> 0 if X >= 1 & X < 2 @ 1\nstochastic z: 0 -> 0 if B == 0 @ 1"},
      /* changes: a reset; a value that is set; weights that are numbers, and formulas */
      {NET("hpn", "constants: all: int n = 2;\n" PLACES
                  "transitions: t : [A = n] : [A = 0] & [B + 1]; u : : [A = 4] : 1; v : : [A - 3] & "
                  "[A = 0] & [A + 1] : ; w : : [A - n] & [B + A + 1] : 1; continuous: f : : [X + 5.4] : 1;\n"),
       " | | | n=2 | A B X~ | A = 5; X = 1.5 |\nstochastic t: 0 -> B if A == n reset A @ 1\nstochastic u: 0 -> 4 A reset A @ "
       "1\nstochastic v: "
       "3 A -> A reset A @ 1\nstochastic w: (n) A -> (A + 1) B @ 1\ncontinuous f: 0 -> 5.4 X @ 1"},
      {NET("pn", "places: A = 1; B = 0;\ntransitions: t : : [A - 1] & [B + 2]; u : [B >= 1] : ;\n"),
       " | | | | A B | A = 1 |\nstochastic t: A -> 2 B @ 1\nstochastic u: 0 -> 0 if B >= 1 @ 1"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

/* Laws: ff_io_candl.h. Binomials count what is read, too; a flow has powers. */
static void laws(void) {
  static const example examples[] = {
      {NET("spn", PLACES
           "transitions: a : : [A - 1] : MassAction(3); b : : [A - 2] & [B - 1] : BioMassAction(A / 2); c : [B >= 1] : [A - 1] : "
           "MassAction(3); d : [B >= 2] & [A >= 3] : [A - 1] : MassAction(3); e : [A = 2] & [B < 1] & [B] : : MassAction(3); "
           "f : [A >= 1] : [A - 2] : MassAction(3);\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic a: A -> 0 @ 3 *\nstochastic b: 2 A + B -> 0 @ A / 2 *\nstochastic c: A -> "
       "0 if B >= 1 @ "
       "3 * B *\nstochastic d: A -> 0 if B >= 2 & A >= 3 @ 3 * (B * (B - 1) / 2 * (A - 1) / 2 * (A - 2) / 3) *\nstochastic e: 0 "
       "-> 0 if A == "
       "2 & B < 1 @ 3 * (A * (A - 1) / 2) *\nstochastic f: 2 A -> 0 if A >= 1 @ 3 *"},
      {NET("hpn", PLACES
           "transitions: continuous: a : : [X - 1] : MassAction(3); b : : [X - 2] : MassAction(3); c : [A >= 2] : [X - 1] : "
           "MassAction(3); d : [A >= 2] : [X - 2] : MassAction(3); e : : [X - 0.5] : MassAction(3);\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\ncontinuous a: X -> 0 @ 3 *\ncontinuous b: 2 X -> 0 @ 3 * X^2\ncontinuous c: X -> 0 "
       "if A >= 2 @ 3 * "
       "A^2 *\ncontinuous d: 2 X -> 0 if A >= 2 @ 3 * (A^2 * X^2)\ncontinuous e: 0.5 X -> 0 @ 3 * X^0.5"},
      {NET("hpn", PLACES
           "transitions: a : [B < 3] : [A - 2] : LevelInterpretation(0.5, 10); b : [B] : [A - 2] : MichaelisMenten(2, 7); c : : "
           "[A - 1] : 2 * MassAction(3) + binomial(A, 2); continuous: d : : [X - 1] : 2 * MassAction(3);\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic a: 2 A -> 0 if B < 3 @ 0.5 * 10 * B / 10 * A / 10\nstochastic b: 2 A -> 0 "
       "@ 2 * A^2 / "
       "(7 + A^2)\nstochastic c: A -> 0 @ 2 * (3 * A) + (A - 0) / 1 * (A - 1) / 2\ncontinuous d: X -> 0 @ 2 * (3 * X)"},
      /* what is written stays a formula */
      {NET("hpn", PLACES "transitions: a : : [A - 1] : 3 * A; continuous: b : : [X - 1] : 3 * X; c : : [X - 2] : 3 * X^2; d : : "
                         "[X - 2] : X^2;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic a: A -> 0 @ 3 * A\ncontinuous b: X -> 0 @ 3 * X\ncontinuous c: 2 X -> 0 @ "
       "3 * X^2\n"
       "continuous d: 2 X -> 0 @ X^2"},
      /* operators and functions */
      {NET("spn", PLACES
           "transitions: a : : : (A = 1) + (A <> 2) * (A != 3) - !(A >= 4 & B < 1 | A > 2) + abs(-A) ^ 2; b : : : exp(-1) + "
           "pow(A, 2) + max(A, B) + ceil(log10(A + 1)) + #(A) + true + sqr(A - 1) / oo;\n"),
       " | | | | A B X~ | A = 5; X = 1.5 |\nstochastic a: 0 -> 0 @ (A == 1) + (A != 2) * (A != 3) - !(A >= 4 & B < 1 | A > 2) + "
       "abs(-A)^2\n"
       "stochastic b: 0 -> 0 @ exp(-1) + A^2 + max(A, B) + ceiling(log10(A + 1)) + A + 1 + (A - 1)^2 / Inf"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

/* ---- colours ---- */

static void sets(void) {
  static const example examples[] = {
      /* in any order; ranges, lists, names, products, subsets, unions, another name */
      {NET("colspn",
           "constants: all: int D = 3;\ncolorsets: O = G[x%2=1 & y<>2]; G = PROD(X,Y); X = {1..D}; Y = {1..D-1}; K = "
           "{a,\"b\",e}; "
           "F = {1..2,7,D*3}; U = X + F; Z = X; V = G; E = {dot};\nvariables: X : x; Y : y; U : u; K k;\nplaces: P = 0;\n"),
       "X=1,2,3 Y=1,2 K=a,b,e F=1,2,7,9 U=X + F Z=1,2,3 E=dot G=X * Y V=G O=G[x %% 2 == 1 & y != 2] | x:X y:Y u:U k:K | | D=3 | "
       "P | |"},
      {NET("colspn", COLOURS
           "colorfunctions: bool near(R a, R b) { (a=b-1 | a=b+1) & !(a=b) }; bool far(R a) { near(a, 1) };\nplaces: P = 0;\n"),
       "R=1,2,3 S=1,2,3 G=R * S | x:R y:S v:R w:S | near()=(a == b - 1 | a == b + 1) & !a == b far()=near(a, 1) | | P | |"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

static void markings(void) {
  static const example examples[] = {
      {NET("colhpn",
           "constants: all: double c = 0.5; int m = 2;\ncolorsets: R = {1..3}; K = {a,b}; G = PROD(R,R);\nvariables: R : x; R : "
           "y;\n"
           "places: R A = 3`all; R B = 1++2`2++0`3; K C = a++2`b; G D = [x=1 & y=2] 5`(x,y); N = m; G E = 0`all; R F = 4`all();\n"
           "continuous: G H = c`(1,m) ++ (c+1)`(+x,2);\n"),
       "R=1,2,3 K=a,b G=R * R | x:R y:R | | c=0.5 m=2 | A:R B:R C:K D:G N E:G F:R H:G~ | A = 3; B[1] += 1; B[2] += 2; B[3] += 0; "
       "C[a] += 1; C[b] += "
       "2; D[x,y] when x == 1 & y == 2 = 5; N = m; F = 4; H[1,m] += c; H[next(x),2] += c + 1 |"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

#define GRIDS_READ "R=1,2,3 S=1,2,3 G=R * S | x:R y:S v:R w:S | | | A:G B:R N C:G~ | |\n"

static void inscriptions(void) {
  static const example examples[] = {
      {NET("colhpn", GRIDS
           "transitions: t {[x=v & y<>w]} : [A >= {(v,w)}] & [B < {2`x}] & [B {v}] : [A - {2`(x,y)++(+x,-y)}] & [B + {x++v}] & "
           "[N + 2] : 1;\n"),
       GRIDS_READ
       "stochastic t {x == v & y != w}: 2 A[x,y] + A[next(x),previous(y)] -> B[x] + B[v] + 2 N if A[v,w] >= 1 & B[x] < 2 @ 1"},
      /* a reset picks a colour; with a count, it is set; equal arcs; all colours; constant colours; nothing for a weight of 0 */
      {NET("colhpn", GRIDS "transitions: a : : [B = {x}] : 1; b : [B >= {1`x}] & [B < {2`x}] : [B = {2`x}] : 1; c : [B = {3`v}] "
                           ": [B - {all}] : 1; d : : "
                           "[B - {1++2++0`3}] & [N - {1}] : 1;\n"),
       GRIDS_READ "stochastic a: 0 -> 0 reset B[x] @ 1\nstochastic b: 0 -> 2 B[x] if B[x] == 1 reset B[x] @ 1\nstochastic c: "
                  "B[1] + B[2] + B[3] -> 0 if "
                  "B[v] == 3 @ 1\nstochastic d: B[1] + B[2] + N -> 0 @ 1"},
      {NET("colhpn", GRIDS "transitions: a : : [B - {(N + 1)`x}] & [A + {B[x]`(x,y)}] : 1;\n"),
       GRIDS_READ "stochastic a: (N + 1) B[x] -> (B[x]) A[x,y] @ 1"},
  };
  static const example unwritable[] = {
    {NET("colhpn", GRIDS "transitions: a : [B >= {[x>1]2`x}] & [B < {[x>1]3`v}] : [B - {x++[v<3]v}] : 1;\n"),
     GRIDS_READ "stochastic a: B[x] + (if(v < 3, 1, 0)) B[v] -> 0 if B[x] >= if(x > 1, 2, 0) & B[v] < if(x > 1, 3, Inf) @ 1"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
  reads_as(unwritable, COUNT_OF(unwritable), 0);
}

/* A bare place is what the last inscription of its inputs picks. */
static void coloured_rates(void) {
  static const example examples[] = {
      {NET("colhpn", GRIDS "transitions: a : [B >= {x}] : [A - {2`(x,y)}] : B * A; b : [B {x}] & [B < {v}] : : B; c : [B >= "
                           "{1++2}] : : B; d : : : "
                           "A[(x,y)] + A[x,+y] + B[1] + A[all] + B[all()] + #(C) + x + [y] + [val(v)] * 2;\n"),
       GRIDS_READ
       "stochastic a: 2 A[x,y] -> 0 if B[x] >= 1 @ B[x] * A[x,y]\nstochastic b: 0 -> 0 if B[v] < 1 @ B[v]\nstochastic c: 0 -> 0 "
       "if B[1] >= 1 & "
       "B[2] >= 1 @ B[1] + B[2]\nstochastic d: 0 -> 0 @ A[x,y] + A[x,next(y)] + B[1] + sum(A) + sum(B) + sum(C) + x + y + v * 2"},
      /* pieces; equal colours count once */
      {NET("colhpn", GRIDS
           "transitions: a : : [B - {x}] : [x=1] 2 ++ [x>1 & y=2] 3 * B ++ [true] MassAction(4); b : [B >= {x++v}] : : B;\n"),
       GRIDS_READ "stochastic a: B[x] -> 0 @ [x == 1] 2 @ [x > 1 & y == 2] 3 * B[x] @ 4 *\nstochastic b: 0 -> 0 if B[x] >= 1 & "
                  "B[v] >= 1 @ [x == v] "
                  "B[x] @ B[x] + B[v]"},
      {NET("colhpn", GRIDS "transitions: a : : [B - {x++v}] : MassAction(2); continuous: b : [B >= {x}] : [C - {(x,y)}] & [C + "
                           "{(v,y)}] : MassAction(2); c : : "
                           "[C - {2`(x,y)}] : MassAction(2);\n"),
       GRIDS_READ "stochastic a: B[x] + B[v] -> 0 @ 2 *\ncontinuous b: C[x,y] -> C[v,y] if B[x] >= 1 @ 2 * B[x] *\ncontinuous c: "
                  "2 C[x,y] -> 0 @ 2 * "
                  "C[x,y]^2"},
  };
  reads_as(examples, COUNT_OF(examples), 1);
}

/* Laws that depend on whether colours are equal become pieces; they are written as formulas. */
static void laws_of_equal_colours(void) {
  ff_error err;
  ff_petri *net;
  static const char text[] =
      NET("colhpn", GRIDS "transitions: a : [B >= {v}] : [B - {x}] : MassAction(2); continuous: b : : [C - {(x,y)++(v,y)}] : "
                          "MassAction(2);\n");
  FF_CHECK_OK(read_net(&net, text, NULL, &err), &err);
  char *got = describe_net(net);
  FF_CHECK_STR(
      got, GRIDS_READ
      "stochastic a: B[x] -> 0 if B[v] >= 1 @ [v == x] 2 * @ 2 * B[v] *\ncontinuous b: C[x,y] + C[v,y] -> 0 @ [x == v] 2 * "
      "C[x,y]^2 @ 2 *");
  free(got);
  ff_petri_free(net);
}

/* ---- options ---- */

static void options(void) {
  static const char text[] = NET(
      "spn", "constants: valuesets[Main : V-Set 0] all: int D = [15:20]; int N = D / 2; double k = [0.5 : D];\nplaces: A = N;\n");
  static const char *const names[] = {"D", "k"};
  static const double values[] = {9, 0.25};
  static const struct {
    ff_io_petri_options options;
    const char *want;
  } examples[] = {
    {{NULL, NULL, 0, NULL}, " | | | D=15 N=7 k=0.5 | A | A = N |"},
    {{NULL, NULL, 0, "V-Set 0"}, " | | | D=20 N=10 k=20 | A | A = N |"},
    {{names, values, 2, NULL}, " | | | D=9 N=4 k=0.25 | A | A = N |"},
    {{names, values, 1, "V-Set 0"}, " | | | D=9 N=4 k=9 | A | A = N |"},
  };
  ff_error err;
  ff_petri *net;
  for (size_t i = 0; i < COUNT_OF(examples); i++) {
    FF_CHECK_OK(read_net(&net, text, &examples[i].options, &err), &err);
    char *got = describe_net(net);
    FF_CHECK_STR(got, examples[i].want);
    free(got);
    ff_petri_free(net);
  }
  static const char *const unknown[] = {"DD"};
  static const double half[] = {0.5};
  ff_io_petri_options wrong = {unknown, values, 1, NULL};
  FF_CHECK_FAILS(read_net(&net, text, &wrong, &err), FF_EARGUMENT, &err,
                 "net has no constant \"DD\", for which a value was given");
  wrong = (ff_io_petri_options){names, half, 1, NULL};
  FF_CHECK_FAILS(read_net(&net, text, &wrong, &err), FF_EARGUMENT, &err,
                 "net, line 2: the constant \"D\" is 0.5; a whole number was expected");
  wrong = (ff_io_petri_options){NULL, NULL, 0, "Other"};
  FF_CHECK_FAILS(read_net(&net, text, &wrong, &err), FF_EARGUMENT, &err,
                 "net has no set of values \"Other\"; it has \"Main\", \"V-Set 0\"");
  FF_CHECK_FAILS(read_net(&net, NET("spn", PLACES), &wrong, &err), FF_EARGUMENT, &err, "it has none");
}

/* ---- errors ---- */

#define T(text) NET("spn", PLACES "transitions:\n" text "\n")

static void errors(void) {
  static const example parse[] = {
      {"spn [n {\n}", "net, line 1: found \"[n {\\x0A}\" where the name of the net in brackets was expected"},
      {"spn [n] \n x", "net, line 2: found \"x\" where \"{\" after the name of the net was expected"},
      {NET("spn", "place: A = 1;\n"),
       "net, line 2: found \"place: A = 1;\\x0A}\\x0A\" where \"constants:\", \"functions:\", \"colorsets:\", \"variables:\", "
       "\"colorfunctions:\", \"places:\", \"observers:\", \"transitions:\" or \"}\" was expected"},
      {NET("spn", "places: A = 1\n"),
       "net, line 2: found \"A = 1\\x0A}\\x0A\" where a statement with a \";\" at its end was expected"},
      {NET("spn", "constants: all: int a;\n"), "net, line 2: found \"int a\" where a constant, such as int N = 3; was expected"},
      {NET("spn", "constants: all: float a = 1;\n"),
       "net, line 2: found \"float\" where the type int, double or bool of a constant was expected"},
      {NET("spn", "constants: all: int a = kappb;\nint kappa = 1;\n"),
       "net, line 2: no constant is called \"kappb\"; did you mean \"kappa\"?"},
      {NET("spn", "constants: valuesets[A:B] all: int a = [1:2:3];\n"),
       "net, line 2: found \"[1:2:3]\" where a value for each set of values was expected"},
      {NET("spn", "constants: all: int a = 1;\nplaces: a = 1;\n"),
       "net, line 3: found \"a\" again where the name of a place was expected; it is the name of "
       "another constant"},
      {NET("spn", "places:\nA = 1; R B = 1;\n"), "net, line 3: no set of colours is called \"R\""},
      {NET("spn", "places: A = B;\n"), "net, line 2: no constant is called \"B\""},
      {NET("spn", "places: 2 = B;\n"), "net, line 2: found \"2 = B\" where a place and its marking, such as p = 0; was expected"},
      {NET("spn", "functions: f(a) = a * b;\n" PLACES "transitions: t : : : f(1);\n"),
       "net, line 4: no constant, place or variable is called \"b\"; did you "
       "mean \"B\"?"},
      {NET("spn", "functions: f(a) = a;\n" PLACES "transitions: t : : : f(1, 2);\n"),
       "net, line 4: the function \"f\" has 1 argument; found 2"},
      {T("t : ;"), "net, line 4: found \"t :\" where a transition NAME : conditions : changes : number ; was expected"},
      {T("t : [A > 2] : ;"), "net, line 4: found \"[A > 2]\" where a condition: [p >= w] (read), [p < w] (inhibitor), [p = w] "
                             "(equal) or [p] (modifier) was "
                             "expected"},
      {T("t : : [A * 2] : ;"), "net, line 4: found \"[A * 2]\" where a change: [p + w], [p - w] or [p = w] was expected"},
      {T("t : : A - 2 : ;"), "net, line 4: found \"A - 2\" where a change: [p + w], [p - w] or [p = w] was expected"},
      {T("t : :\n[A - 1] & [C + 1] : ;"), "net, line 5: no place is called \"C\""},
      {T("t : : [A - ] : ;"), "net, line 4: found \"[A - ]\" where a change: [p + w], [p - w] or [p = w] was expected"},
      {T("t : : : k;"), "net, line 4: no constant, place or variable is called \"k\""},
      {T("t : : : sin(A, 2;"),
       "net, line 4: found \"t : : : sin(A, 2;\\x0A}\\x0A\" where a statement with a \";\" at its end was expected"},
      {T("t : : : A) + 2;"),
       "net, line 4: found \") + 2\" where the end of the formula, or a parenthesis that was opened was expected"},
      {T("t : : : A + foo(2);"), "net, line 4: no function is called \"foo\""},
      {T("t : : : A $ 2;"),
       "net, line 4: found \"$\" where a number, a name, an operator or a parenthesis of a formula was expected"},
      {T("t : : : A[1];"), "net, line 4: place \"A\" has no colours; found \"1\" in brackets after its name"},
      {T("t : : : 1; t : : : 2;"),
       "net, line 4: found \"t\" again where the name of a transition was expected; it is the name of another transition"},
      {T("t {x} : : : 1;"), "net, line 4: found \"x\" where a guard in brackets, as in {[x = y]} was expected"},
      {T("scheduled: t : : : 1, 2;"),
       "net, line 4: found \"1, 2\" where begin, period, end of a scheduled transition was expected"},
      {T("scheduled: t : : : 1, 2, 3, 4;"), "net, line 4: found \" 4\" where the end after begin, period, end was expected"},
      {T("scheduled: t : : : A, 2, 3;"), "net, line 4: found \"A\" where a number or a constant was expected"},
      {NET("spn", "") "x", "net, line 3: found \"x\" where the end after the net was expected"},
      {NET("colspn", "colorsets: R = {3..1};\n"),
       "net, line 2: found \"3..1\" where a range whose first number is not above its last one was expected"},
      {NET("colspn", "colorsets: R = 3;\n"),
       "net, line 2: found \"3\" where a set of colours, such as {1..10}, {a,b}, PROD(X,Y), X[x > 2] or X + Y was "
       "expected"},
      {NET("colspn", "colorsets: R = PROD(S);\n"), "net, line 2: no set of colours is called \"S\""},
      {NET("colspn", "variables: R : x;\n"), "net, line 2: no set of colours is called \"R\""},
      {NET("colspn", COLOURS "colorfunctions: bool f(T a) { a=1 };\n"), "net, line 4: no set of colours is called \"T\""},
      {NET("colspn", COLOURS "colorfunctions: bool f(R a) a=1;\n"),
       "net, line 4: found \"bool f(R a) a=1\" where a function of colours, such as bool f(X x) { x "
       "> 1 }; was expected"},
      {NET("colspn", COLOURS "places: G A = 1`(1);\n"),
       "net, line 4: found \"(1)\" where a colour with 2 components was expected"},
      {NET("colspn", COLOURS "places: G A = `(1,2);\n"),
       "net, line 4: found \"`(1,2)\" where a number before the \"`\" was expected"},
      {NET("colspn", GRIDS "transitions: t : : [A - {}] : 1;\n"),
       "net, line 5: found \"[A - {}]\" where an inscription within \"{\" and \"}\" was expected"},
      {NET("colspn", GRIDS "transitions: t : : [A - {1++}] : 1;\n"),
       "net, line 5: found \"1\" where a colour with 2 components was expected"},
      {NET("colspn", GRIDS "transitions: t : : [A + {(x,y)}] : A;\n"),
       "net, line 5: found the coloured place \"A\" in a rate, but no arc into the transition picks "
       "its colours; A[...] names one, and A[all()] is the sum over all"},
  };
  static const example model[] = {
      {NET("spn", "constants: all: int a = b + 1; int b = c; int c = a;\n"),
       "net, line 2: the value of the constant \"a\" depends on itself"},
      {NET("spn", "constants: all: int a = 0.5;\n"), "net, line 2: the constant \"a\" is 0.5; a whole number was expected"},
      {NET("spn", "constants: all: double a = 1 / 0;\n"), "net, line 2: the constant \"a\" is Inf; a finite number was expected"},
      {NET("colspn", "colorsets: R = S + S; S = PROD(R);\n"), "net, line 2: the set of colours \"R\" depends on itself"},
  };
  static const example size[] = {
    {NET("colspn", "colorsets: R = {1..100000000};\n"), "net, line 2: the set \"R\" has more than 67108864 colours"},
  };
  static const example unsupported[] = {
      {NET("spn", "constants: all: string s = \"a\";\n"),
       "net, line 2: the constant \"s\" is a text; int, double and bool are read"},
      {T("t : : [A - B] : MassAction(2) + 1;"),
       "net, line 4: the law of the rate depends on the weight of A, which is not a whole number up to 100"},
      {NET("spn", PLACES "observers: transition: o = t;\n"),
       "net, line 3: found observers of transitions; remove them, as only those of places are read"},
  };
  fails(parse, COUNT_OF(parse), FF_EPARSE);
  fails(model, COUNT_OF(model), FF_EMODEL);
  fails(size, COUNT_OF(size), FF_ESIZE);
  fails(unsupported, COUNT_OF(unsupported), FF_EUNSUPPORTED);
}

/* What may join what is checked when a net is complete. */
static void bad_nets(void) {
  static const example model[] = {
    {NET("hpn", PLACES "transitions: continuous: f : : [A - 1] : 1;\n"), "net: "},
    {NET("hpn", PLACES "transitions: continuous: f : : [X = 0] : 1;\n"), "net: "},
    {NET("hpn", PLACES "transitions: t : [X = 2] : : 1;\n"), "net: "},
  };
  for (size_t i = 0; i < COUNT_OF(model); i++) {
    ff_error err;
    ff_petri *net;
    FF_CHECK_FAILS(read_net(&net, model[i].text, NULL, &err), FF_EMODEL, &err, model[i].want);
    ff_petri_free(net);
  }
}

static void spc(void) {
  static const example examples[] = {
      {"import: {\n from: \"a.candl\";\n}\nconfiguration: { simulation: { type: stochastic: { solver: direct: { runs: 20; } } "
       "interval: 0:0.1:1; } }\n",
       "net is a configuration of Spike, not a net; read the net itself and call simulate(net, nsim = 20, times = seq(0, 1, by = "
       "0.1)), where net <- "
       "read_network(\"a.candl\")"},
      {"// x\nimport: { from: \"b.andl\"; }\nconfiguration: { simulation: { type: continuous: { } interval: 0:1000:100; } }\n",
       "net is a configuration of Spike, not a net; read the net itself and call simulate(as_petri_net(net, as = "
       "\"continuous\"), times = seq(0, 100, "
       "length.out = 1001)), where net <- read_network(\"b.andl\")"},
      {"configuration: { }\n",
       "net is a configuration of Spike, not a net; read the net itself and call simulate(net, times = ...), where net <- "
       "read_network(\"...\")"},
  };
  fails(examples, 2, FF_EUNSUPPORTED);
}

/* ---- files ---- */

static void shared_file(const char *name, const char *find, const char *replace, const char *want) {
  const char *folder = getenv("FIREFLIP_SHARED");
  char path[600], text[4000];
  ff_error err;
  ff_petri *net;
  if (folder == NULL) FF_SKIP("FIREFLIP_SHARED is not set");
  snprintf(path, sizeof path, "%s/models/petri/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) FF_SKIP("the file is not there");
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  char *at = find == NULL ? NULL : strstr(text, find), *whole = NULL;
  FF_CHECK(find == NULL || at != NULL);
  whole = malloc(length + 200);
  snprintf(whole, length + 200, "%.*s%s%s", at == NULL ? (int)length : (int)(at - text), text, at == NULL ? "" : replace,
           at == NULL ? "" : at + strlen(find));
  FF_CHECK_OK(read_net(&net, whole, NULL, &err), &err);
  if (net != NULL) {
    char *got = describe_net(net);
    FF_CHECK_SAY(strstr(got, want) != NULL, "%s", got);
    free(got);
    FF_CHECK(round_trip(net, name));
  }
  ff_petri_free(net);
  free(whole);
}

static void external(void) {
  shared_file("external.candl", NULL, "", "| a:Unit b:Unit | a = 1; b[0] = 0 |\ndeterministic extab: a[0] -> b[0] @ 0.5");
}
static void neighbours(void) {
  shared_file("neighbours.candl", NULL, "",
              "\nstochastic f2ab {are_both_neighbours(u, n1, n2)}: a[u] -> b[u] if b[n1] >= 1 & b[n2] >= 1 @ 1");
}
static void whales(void) {
  shared_file("whaleExampleModel.candl", "//dimensions", "int DX = 4; int DY = 3; int instances = 2;",
              "\ncontinuous Food_Movement {movement(x, y, a, b)}: Food_Source[a,b] -> Food_Source[x,y] @ 1 *");
}

/* Every file that is cut off after a byte is an error with a place. */
static void cut_off(void) {
  static const char text[] = NET(
      "colhpn", "constants: valuesets[Main] all: int D = [3];\nfunctions: f(a) = 2 * a;\ncolorsets: R = {1..D}; S = {1..3}; G = "
                "PROD(R,S);\nvariables: R : x; S : y;\ncolorfunctions: bool g(R a) { a=1 };\nplaces: G A = [x=1]3`(x,y); B = 2;\n"
                "observers: o = B;\ntransitions: t {[g(x)]} : [B >= 2] : [A - {2`(x,y)}] : [x=1] f(o) ++ [x=2] MassAction(2);\n");
  for (size_t length = 0; length + 1 < sizeof text; length++) {
    ff_error err = {0};
    ff_petri *net;
    const ff_status status = ff_io_parse_petri(&net, NULL, text, length, "net", FF_FORMAT_CANDL, NULL, &err);
    FF_CHECK_SAY(status == FF_OK ? length + 2 >= sizeof text : strncmp(err.text, "net, line ", 10) == 0, "%zu: %s", length,
                 err.text);
    ff_petri_free(net);
  }
}

/* Brackets and functions within each other, 100,000 deep. */
static void deep(void) {
  enum { DEPTH = 100000 };
  static const char *const opens[] = {"(", "-", "sqr(", "!"};
  for (size_t i = 0; i < COUNT_OF(opens); i++) {
    const size_t size = DEPTH * 8 + 400;
    char *text = malloc(size);
    ff_error err;
    ff_petri *net;
    strcpy(text, "spn [n] {\n" PLACES "transitions: t : : : ");
    size_t at = strlen(text);
    for (int k = 0; k < DEPTH; k++) at += (size_t)sprintf(text + at, "%s", opens[i]);
    text[at++] = 'A';
    for (int k = 0; k < DEPTH && strchr(opens[i], '(') != NULL; k++) text[at++] = ')';
    strcpy(text + at, ";\n}\n");
    FF_CHECK_OK(read_net(&net, text, NULL, &err), &err);
    ff_petri_free(net);
    free(text);
  }
}

/* The detection of formats. */
static void detection(void) {
  static const struct {
    const char *text;
    ff_format format;
  } examples[] = {{"spn [n] {places: A = 1;}", FF_FORMAT_ANDL},
                  {"/* a\n b */ // c\ncolspn [n] {places: A = 1;}", FF_FORMAT_CANDL},
                  {"\xEF\xBB\xBF\n  hpn\n[n] {places: A = 1;}", FF_FORMAT_ANDL},
                  {"  colhpn/**/[n] {places: A = 1;}", FF_FORMAT_CANDL}};
  for (size_t i = 0; i < COUNT_OF(examples); i++) {
    ff_error err;
    ff_io_model model;
    ff_pbn *pbn;
    ff_format found = FF_FORMAT_AUTO;
    FF_CHECK_OK(ff_io_parse_model(&model, &found, examples[i].text, strlen(examples[i].text), "net", FF_FORMAT_AUTO, &err), &err);
    FF_CHECK_INT(found, examples[i].format);
    FF_CHECK(model.petri != NULL && model.pbn == NULL && model.reactions == NULL);
    ff_io_model_free(&model);
    FF_CHECK_FAILS(ff_io_parse(&pbn, NULL, examples[i].text, strlen(examples[i].text), "net", FF_FORMAT_AUTO, &err),
                   FF_EUNSUPPORTED, &err, "net holds a Petri net (1 places and 0 transitions); a Boolean network was expected");
  }
  ff_error err;
  ff_petri *net;
  FF_CHECK_FAILS(read_net(&net, "targets, factors\na, a\n", NULL, &err), FF_EUNSUPPORTED, &err, "net does not hold a Petri net");
}

/* The seeds of the fuzzer, and what it found. */
static void replay(const char *path, ff_format format) {
  ff_error err = {FF_OK, ""};
  ff_petri *net;
  const ff_status status = ff_io_read_petri(&net, NULL, path, format, NULL, &err);
  corpus_check_message(path, status, &err);
  char *text = NULL, *second = NULL;
  ff_petri *again = NULL;
  if (net != NULL && ff_io_petri_text(&text, net, FF_FORMAT_CANDL, &err) == FF_OK) {
    FF_CHECK_OK(read_net(&again, text, NULL, &err), &err);
    if (again != NULL) FF_CHECK_OK(ff_io_petri_text(&second, again, FF_FORMAT_CANDL, &err), &err);
    FF_CHECK_STR(second, text);
  }
  free(text);
  free(second);
  ff_petri_free(net);
  ff_petri_free(again);
}

static void corpus(void) {
  if (corpus_each("andl", FF_FORMAT_CANDL, replay) == 0) FF_SKIP("there is no corpus");
}
FF_TEST_MAIN("andl", parts, transitions, laws, sets, markings, inscriptions, coloured_rates, laws_of_equal_colours, options,
             errors, bad_nets, spc, external, neighbours, whales, cut_off, deep, detection, corpus)
