/* BioNetGen's network format: what the reader makes of each line, what it refuses, and damaged files. */
#define _GNU_SOURCE /* opendir under -std=c11 */
#include "reaction_examples.h"

#define BLOCK(name, lines) "begin " name "\n" lines "end " name "\n"
#define K BLOCK("parameters", "1 k 2 # Constant\n2 l 0.5\n")
#define ABC BLOCK("species", "1 A() 5\n2 B(x~U) 3\n3 C() 0\n")
#define REACTIONS(lines) BLOCK("reactions", lines)

/* The propensity of BioNetGen is k x (x - 1) ... for each reactant, ours k x (x - 1) ... / n!. */
static void reactions(void) {
  static const example examples[] = {
      {"# Created by BioNetGen 2.7.0\n" K ABC REACTIONS(" 1 1,2 3 k #_R1\n 2 3 1,2 l #_reverse__R1\n"),
       "A()=5 B(x~U)=3 C()=0 | k=2 l=0.5 | R1: `A()` + `B(x~U)` -> `C()` @ k R2: `C()` -> `A()` + `B(x~U)` @ l"},
      {K ABC REACTIONS("1 1,1 3 0.5*k\n2 1,1 3 k\n3 1,1 3 2*k\n4 2,1,2,1,2 0 k\n5 0 1 3\n6 1,1 0 0.25\n7 1 2 k*l\n8 1,1 2 k*l\n"),
       "A()=5 B(x~U)=3 C()=0 | k=2 l=0.5 | R1: 2 `A()` -> `C()` @ k R2: 2 `A()` -> `C()` @ 2 * k R3: 2 `A()` -> `C()` @ 4 * k "
       "R4: 2 `A()` + 3 `B(x~U)` -> 0 @ 12 * k R5: 0 -> `A()` @ 3 R6: 2 `A()` -> 0 @ 0.5 R7: `A()` -> `B(x~U)` @ k * l "
       "R8: 2 `A()` -> `B(x~U)` @ 2 * (k * l)"},
      /* other line ends, a byte order mark, upper case, no space before a comment, blocks that say where the network is from */
      {"\xEF\xBB\xBF"
       "begin model\r\nbegin parameters\r\n k 2#x\r\nEND PARAMETERS\r\nbegin molecule types\r\n A(((\r\nend molecule types\r\n"
       "Begin Seed Species\r\n1 A 5\r\nend seed species\r\nbegin reactions\r\n\r\n1 1 0 k\r\nend reactions\r\n"
       "end model\r\ngenerate_network({overwrite=>1});\r\n",
       "A=5 | k=2 | R1: A -> 0 @ k"},
  };
  reads_as(examples, COUNT_OF(examples), FF_FORMAT_BNGL);
}

static void symbols(void) {
  static const example examples[] = {
      /* expressions; those of other parameters are variables */
      {BLOCK("parameters", "1 a 1e3*2\n2 b a/4\n3 c -b + 600\n4 pi 3\n5 d _pi + pi\n")
           BLOCK("species", "1 A() b\n2 B() 2*c + _e*0\n3 $C() pi\n4 @m::$D() 10/(a-1998)\n") REACTIONS("1 1 0 b\n"),
       "A()=500 B()=200 C()=3! @m::D()=5! | a=2000 pi=3 | b := a / 4; c := -b + 600; d := 3.141592653589793 + pi; "
       "R1: `A()` -> 0 @ b"},
      /* functions and groups, in any order */
      {K BLOCK("functions", "1 f() k*G\n2 g()=if(G>=2,f(),l)^2\n3 h ( ) time() + ln(G) + f\n") ABC
           REACTIONS("1 1,1 2 0.5*f\n2 2 1 g()\n") BLOCK("groups", "1 G 1,2*2, 3\n2 H\n3 I 0.5*1\n"),
       "A()=5 B(x~U)=3 C()=0 | k=2 l=0.5 | f := k * G; g := if(G >= 2, f, l)^2; h := time() + log(G) + f; "
       "G := `A()` + 2 * `B(x~U)` + `C()`; H := 0; I := 0.5 * `A()`; "
       "R1: 2 `A()` -> `B(x~U)` @ f R2: `B(x~U)` -> `A()` @ g"},
      /* a group that is the species of its name */
      {K BLOCK("species", "1 A 5\n") REACTIONS("1 1 0 k\n") BLOCK("groups", "1 A 1\n"), "A=5 | k=2 l=0.5 | R1: A -> 0 @ k"},
      /* names that mean something else in formulas */
      {BLOCK("parameters", "1 time 2\n2 Inf 3\n") BLOCK("species", "1 A() Inf\n") REACTIONS("1 1 0 time*Inf\n"),
       "A()=3 | time=2 Inf=3 | R1: `A()` -> 0 @ time * `Inf`"},
  };
  reads_as(examples, COUNT_OF(examples), FF_FORMAT_BNGL);
}

static void errors(void) {
  static const example parse[] = {
      {K ABC REACTIONS("1 1,4 2 k\n"),
       "net, line 11: found \"4\" where the number of a species, from 1 to 3, was expected"},
      {K ABC REACTIONS("1 1,,2 2 k\n"),
       "net, line 11: found nothing where the number of a species, from 1 to 3, was expected"},
      {K ABC REACTIONS("1 1 2 kk\n"), "net, line 11: no species, parameter or variable is called \"kk\""},
      {K ABC REACTIONS("1 1 2\n"), "net, line 11: found nothing where a rate constant was expected"},
      {K ABC REACTIONS("1 1\n"), "net, line 11: found nothing where the numbers of the products, or 0 was expected"},
      {K ABC REACTIONS("x 1 2 k\n"), "net, line 11: found \"x\" where the number of a reaction was expected"},
      {K ABC REACTIONS("1 1 2 k l\n"),
       "net, line 11: found \"l\" at character 3 of \"k l\" where an operator or the end was expected"},
      {K ABC "begin reactions\n1 1 2 k\n", "net, line 11: found the end of the file where \"end reactions\" was expected"},
      {K ABC "begin reactions\n1 1 2 k\nbegin groups\n",
       "net, line 12: found \"begin groups\" where \"end reactions\" was expected"},
      {K ABC, "net, line 1: found nothing where a network with a block \"begin reactions\" was expected"},
      {K REACTIONS("1 0 0 k\n"), "net, line 1: found nothing where a network with at least one species was expected"},
      {K BLOCK("species", "1 A() 5\n3 B() 1\n") REACTIONS(""),
       "net, line 7: found \"3\" where the next number of a species, 2 was expected"},
      {K BLOCK("species", "1 A() 5\n2 A() 1\n") REACTIONS(""),
       "net, line 7: found \"A()\" where a name that no other line has was expected"},
      {K BLOCK("species", "1 A()\n") REACTIONS(""), "net, line 6: found nothing where an initial count was expected"},
      {K BLOCK("species", "1 $ 1\n") REACTIONS(""), "net, line 6: found nothing where a species was expected"},
      {BLOCK("parameters", "1 k-1 5\n") ABC REACTIONS(""),
       "net, line 2: found \"k-1\" where the name of a parameter was expected"},
      {BLOCK("parameters", "1 k\n") ABC REACTIONS(""), "net, line 2: found nothing where a value was expected"},
      {BLOCK("parameters", "1 k 0/0\n") ABC REACTIONS(""), "net, line 2: found \"0/0\" where a number was expected"},
      {BLOCK("parameters", "1 k log(2)\n") ABC REACTIONS(""),
       "net, line 2: found \"log\" where \"ln\", \"log10\" or \"log2\" was expected"},
      {BLOCK("parameters", "1 k `A()`\n") ABC REACTIONS(""),
       "net, line 2: found \"`\" where an expression without quotes was expected"},
      {BLOCK("functions", "1 f 5\n") ABC REACTIONS(""),
       "net, line 2: found \"f 5\" where a function, such as \"f() k * A\" was expected"},
      {ABC REACTIONS("") BLOCK("groups", "1 G 1,x*2\n"),
       "net, line 9: found \"x*2\" where a species of a group, such as 5 or 2*5, was expected"},
      {ABC REACTIONS("") BLOCK("groups", "1 A() 2\n"),
       "net, line 9: found \"A()\" where a name that no other line has was expected"},
      {"begin sums\n" ABC REACTIONS(""),
       "net, line 1: found \"begin sums\" where a block of a network, such as \"begin species\" was expected"},
      {BLOCK("parameters", "1 k 5\n2 A G\n") BLOCK("species", "1 A() A\n") REACTIONS("") BLOCK("groups", "1 G 1\n"),
       "net, line 6: found \"A\" where an initial count that depends on parameters only was expected"},
  };
  static const example model[] = {
      {BLOCK("parameters", "1 k l\n2 l k\n") ABC REACTIONS(""),
       "net: a variable depends on itself: \"k\", which depends on \"l\", which depends on \"k\""},
      {ABC REACTIONS("1 1 2 -1\n"), "net: reaction \"R1\": the rate constant is -1; expected a finite number of at least 0"},
  };
  static const example unsupported[] = {
      {"begin model\n" BLOCK("reaction rules", "A() -> 0 k\n") "end model\n",
       "net holds a rule-based model (BioNetGen), which this version cannot read; generate_network() of BioNetGen writes its "
       "network to a file .net, which can be read"},
      {K ABC REACTIONS("1 1,2 3 Sat k l\n"),
       "net, line 11: found the rate law Sat of BioNetGen, which is not supported; expected a rate constant or a function"},
      {K ABC REACTIONS("1 1,2 3 0.5*MM k l\n"),
       "net, line 11: found the rate law MM of BioNetGen, which is not supported; expected a rate constant or a function"},
      {BLOCK("functions", "1 f(x) 5\n") ABC REACTIONS(""),
       "net, line 2: found the function \"f\" with an argument, which is not supported"},
      {BLOCK("functions", "1 f() 5\n2 g() f(2)\n") ABC REACTIONS(""),
       "net, line 3: found an argument of \"f\", which is not supported"},
      {K BLOCK("species", "1 A() l\n") REACTIONS(""),
       "net, line 6: found the species \"A()\" with the initial count 0.5 where a whole number from 0 to 2^53 was expected, a "
       "count"},
  };
  fails(parse, COUNT_OF(parse), FF_FORMAT_BNGL, FF_EPARSE);
  fails(model, COUNT_OF(model), FF_FORMAT_BNGL, FF_EMODEL);
  fails(unsupported, COUNT_OF(unsupported), FF_FORMAT_BNGL, FF_EUNSUPPORTED);
}

static void given_counts(void) {
  reads_given(BLOCK("species", "1 A(b) 2.5\n2 B() 3\n") REACTIONS("1 1 2 0.5\n"), FF_FORMAT_BNGL, "A(b)", 0, 3);
}

/* Every file that is cut off after a byte is read, or is an error with a place. */
static void cut_off(void) {
  static const char text[] = K BLOCK("functions", "1 f() k*G\n") ABC REACTIONS("1 1,1 2 0.5*f\n") BLOCK("groups", "1 G 1,2*2\n");
  int complete = 0;
  for (size_t length = 0; length < sizeof text; length++) {
    ff_error err = {0};
    ff_io_model model;
    ff_status status = ff_io_parse_model(&model, NULL, text, length, "net", FF_FORMAT_BNGL, &err);
    FF_CHECK_SAY(status == FF_OK || strncmp(err.text, "net, line ", 10) == 0, "%zu: %s", length, err.text);
    complete += status == FF_OK;
    ff_io_model_free(&model);
  }
  FF_CHECK(complete == 2); /* with and without the last line end; a function needs the last block */
}

static void corpus(void) {
  if (corpus_each("bngl", FF_FORMAT_BNGL, replay_network) == 0) FF_SKIP("there is no corpus");
}

FF_TEST_MAIN("bngl", reactions, symbols, errors, given_counts, cut_off, corpus)
