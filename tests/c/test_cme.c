/* The chemical master equation against closed forms, against a dense matrix exponential, and against itself. */
#include "../../src/cme/ff_cme.h"

#include <math.h>

#include "check.h"

/* ---- networks ---- */

/* Species and parameters are "A B C|k" with values "100 0 0|0.5". A reaction is {equation, rate}; the rate is a constant of mass
 * action unless it begins with `=`. */
typedef struct {
  const char *symbols, *values, *fixed;
  const char *reactions[12][2];
} shape;

static void fill_symbols(ff_reactions *net, const shape *s) {
  char symbols[200], values[200], *text = NULL, *next;
  strcpy(symbols, s->symbols);
  strcpy(values, s->values);
  uint32_t n = 0;
  for (char *name = strtok(symbols, " |"); name != NULL; name = strtok(NULL, " |")) net->names[n++] = ff_strndup(name, 100);
  text = values;
  for (uint32_t i = 0; i < n; i++, text = next + (*next == '|')) {
    const double value = strtod(text, &next);
    if (i < net->n_species)
      net->initial[i] = value;
    else
      net->value[i - net->n_species] = value;
    if (i < net->n_species && s->fixed != NULL) net->fixed[i] = strstr(s->fixed, net->names[i]) != NULL;
  }
}

static ff_reactions *network(const shape *s) {
  ff_reactions *net;
  ff_names *species, *symbols;
  ff_error err;
  uint32_t n = 0, sizes[2] = {0, 0};
  int parameter = 0, both;
  while (n < 12 && s->reactions[n][0] != NULL) n++;
  for (const char *c = s->symbols; *c != '\0'; c++) {
    if (*c == '|') parameter = 1;
    if (*c != ' ' && *c != '|' && (c == s->symbols || c[-1] == ' ' || c[-1] == '|')) sizes[parameter]++;
  }
  FF_CHECK_OK(ff_reactions_new(&net, sizes[0], sizes[1], n, &err), &err);
  fill_symbols(net, s);
  FF_CHECK_OK(ff_names_new(&species, net->names, sizes[0], "species", &err), &err);
  FF_CHECK_OK(ff_names_new(&symbols, net->names, sizes[0] + sizes[1], "symbols", &err), &err);
  for (uint32_t r = 0; r < n; r++) {
    ff_reaction *reaction = &net->reactions[r];
    const char *rate = s->reactions[r][1];
    char name[20];
    snprintf(name, sizeof name, "R%u", r + 1);
    reaction->name = ff_strndup(name, sizeof name);
    reaction->mass_action = *rate != '=';
    rate += *rate == '=';
    FF_CHECK_OK(ff_reactions_equation(net, r, s->reactions[r][0], species, (ff_place){NULL, 0}, &both, &err), &err);
    FF_CHECK_OK(ff_formula_parse(&reaction->rate, rate, strlen(rate), ff_names_find, symbols, (ff_place){NULL, 0}, &err), &err);
  }
  ff_names_free(species);
  ff_names_free(symbols);
  FF_CHECK_OK(ff_reactions_finish(net, &err), &err);
  return net;
}

/* ---- solutions ---- */

typedef struct {
  uint32_t n, n_species;
  double *counts, *p, missing;
} distribution;

static ff_status advance(ff_cme *cme, double until, double seconds, ff_error *err) {
  ff_status status = FF_OK;
  for (int done = 0; !done && status == FF_OK;) status = ff_cme_advance(cme, until, seconds, &done, err);
  return status;
}

static distribution distribution_of(const ff_cme *cme, uint32_t n_species) {
  distribution d = {.n = ff_cme_distribution(cme, NULL, NULL, 0), .n_species = n_species, .missing = ff_cme_missing(cme)};
  d.counts = ff_calloc((size_t)d.n * n_species, sizeof *d.counts);
  d.p = ff_calloc(d.n, sizeof *d.p);
  FF_CHECK_INT(ff_cme_distribution(cme, d.counts, d.p, d.n), d.n);
  return d;
}

static void release(distribution *d) {
  free(d->counts);
  free(d->p);
}

static distribution solve(const shape *s, double time, double tolerance) {
  ff_reactions *net = network(s);
  ff_cme *cme;
  ff_error err;
  FF_CHECK_OK(ff_cme_new(&cme, net, tolerance, 1000000, time, &err), &err);
  FF_CHECK_OK(advance(cme, time, 1, &err), &err);
  distribution d = distribution_of(cme, net->n_species);
  FF_CHECK_SAY(d.missing <= tolerance && d.missing >= 0, "%g of %g", d.missing, tolerance);
  ff_cme_free(cme);
  ff_reactions_free(net);
  return d;
}

/* The probability of `species` having a count, summed over the other species. */
static double marginal(const distribution *d, uint32_t species, double count) {
  double sum = 0;
  for (uint32_t i = 0; i < d->n; i++)
    if (d->counts[i + (size_t)species * d->n] == count) sum += d->p[i];
  return sum;
}

static double log_choose(double n, double k) { return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1); }
static double binomial(double k, double n, double q) {
  if (q <= 0 || q >= 1) return k == (q >= 1 ? n : 0);
  return exp(log_choose(n, k) + k * log(q) + (n - k) * log1p(-q));
}
static double poisson(double k, double m) { return exp(k * log(m) - m - lgamma(k + 1)); }

/* The 1-norm of the difference between a marginal and a distribution on 0, 1, ..., most must be at most `missing`. The bound of
 * the error of the closed form is 1e-11 (lgamma and exp of numbers up to about 1e5). */
#define CHECK_AGAINST(d, species, most, formula)                                                              \
  do {                                                                                                        \
    double gap = 0, seen = 0;                                                                                 \
    for (int k = 0; k <= (most); k++) {                                                                       \
      const double got = marginal(&(d), species, k);                                                          \
      gap += fabs(got - (formula));                                                                           \
      seen += got;                                                                                            \
    }                                                                                                         \
    FF_CHECK_SAY(gap <= (d).missing + 1e-11, "the error is %.3g, its bound %.3g", gap, (d).missing);          \
    FF_CHECK_SAY(fabs(1 - seen) <= (d).missing + 1e-12, "%.3g are missing, %.3g expected", 1 - seen, (d).missing); \
  } while (0)

static void death_is_binomial(void) {
  static const shape s = {"A", "50", NULL, {{"A -> 0", "0.7"}}};
  for (double tolerance = 1e-4; tolerance > 1e-13; tolerance /= 100) {
    distribution d = solve(&s, 1.5, tolerance);
    CHECK_AGAINST(d, 0, 50, binomial(k, 50, exp(-0.7 * 1.5)));
    release(&d);
  }
}

static void birth_is_poisson(void) {
  static const shape s = {"A", "3", NULL, {{"0 -> A", "20"}}};
  distribution d = solve(&s, 7, 1e-10);
  CHECK_AGAINST(d, 0, 500, k < 3 ? 0 : poisson(k - 3, 140));
  FF_CHECK(d.n < 400);
  release(&d);
}

static void immigration_and_death_is_poisson(void) {
  static const shape s = {"A|k", "0|30", NULL, {{"0 -> A", "k"}, {"A -> 0", "0.5"}}};
  distribution d = solve(&s, 3, 1e-11);
  CHECK_AGAINST(d, 0, 300, poisson(k, 60 * -expm1(-1.5)));
  release(&d);
}

static void isomerisation_is_binomial(void) {
  static const shape s = {"A B", "40 0", NULL, {{"A -> B", "2"}, {"B -> A", "1"}}};
  distribution d = solve(&s, 0.4, 1e-12);
  CHECK_AGAINST(d, 1, 40, binomial(k, 40, 2.0 / 3 * -expm1(-3 * 0.4)));
  FF_CHECK_INT(d.n, 41);
  release(&d);
}

/* rate * time is 1e5, in a space that is closed and in one that is not */
static void many_jumps(void) {
  static const shape closed = {"A B", "100 0", NULL, {{"A -> B", "500"}, {"B -> A", "500"}}};
  distribution d = solve(&closed, 2, 1e-8);
  CHECK_AGAINST(d, 1, 100, binomial(k, 100, 0.5));
  release(&d);
  static const shape open = {"A", "0", NULL, {{"0 -> A", "100"}, {"A -> 0", "1"}}};
  d = solve(&open, 500, 1e-8);
  CHECK_AGAINST(d, 0, 400, poisson(k, 100));
  FF_CHECK(d.n < 500);
  release(&d);
  static const shape birth = {"A", "0", NULL, {{"0 -> A", "1"}}};
  d = solve(&birth, 2e4, 1e-6);
  CHECK_AGAINST(d, 0, 22000, poisson(k, 2e4));
  FF_CHECK(d.n < 5000);
  release(&d);
}

/* ---- other networks ---- */

static void fixed_species_take_part(void) {
  static const shape s = {"A F|k", "0 5|0.3", "F", {{"2 F -> A", "k"}, {"A + F -> F", "0.2"}}};
  distribution d = solve(&s, 2, 1e-10); /* births at the rate 0.3 * 10, deaths at the rate 0.2 * 5 each */
  CHECK_AGAINST(d, 0, 60, poisson(k, 3 * -expm1(-2.0)));
  for (uint32_t i = 0; i < d.n; i++) FF_CHECK(d.counts[i + d.n] == 5);
  release(&d);
}

static void absorbing_states_keep_their_probability(void) {
  static const shape s = {"A B", "7 0", NULL, {{"2 A -> B", "3"}, {"A -> A", "1000"}}};
  distribution d = solve(&s, 100, 1e-9); /* the slowest step, from three A, has the rate 9 */
  FF_CHECK_NEAR(marginal(&d, 0, 1), 1, d.missing);
  FF_CHECK_NEAR(marginal(&d, 1, 3), 1, d.missing);
  release(&d);
  static const shape end = {"A", "5", NULL, {{"A -> 0", "=0"}, {"6 A -> 0", "1"}}};
  d = solve(&end, 1e300, 1e-9);
  FF_CHECK_INT(d.n, 1);
  FF_CHECK(d.p[0] == 1 && d.counts[0] == 5 && d.missing < 1e-14);
  release(&d);
}

static void rare_states_far_away_are_found(void) { /* a burst of 1000 at once */
  static const shape s = {"A", "0", NULL, {{"0 -> 1000 A", "1"}, {"A -> 0", "1e-3"}}};
  distribution d = solve(&s, 1, 1e-6);
  double mean = 0;
  for (uint32_t i = 0; i < d.n; i++) mean += d.p[i] * d.counts[i];
  FF_CHECK_NEAR(mean, 1e6 * -expm1(-1e-3), 0.1); /* immigration at the mean rate of 1000 */
  release(&d);
}

/* ---- the error ---- */

/* Compares a solution with one of a much smaller error. */
static void check_bound(const shape *s, double time, double tolerance) {
  distribution rough = solve(s, time, tolerance), fine = solve(s, time, 1e-11);
  double gap = 0, above = 0, seen = 0;
  FF_CHECK(rough.n <= fine.n);
  for (uint32_t i = 0; i < rough.n; i++) {
    uint32_t j = 0, k = 0;
    for (; j < fine.n; j++) {
      for (k = 0; k < fine.n_species; k++)
        if (rough.counts[i + (size_t)k * rough.n] != fine.counts[j + (size_t)k * fine.n]) break;
      if (k == fine.n_species) break;
    }
    const double p = j < fine.n ? fine.p[j] : 0;
    seen += p;
    gap += fabs(p - rough.p[i]);
    if (rough.p[i] - p > above) above = rough.p[i] - p;
  }
  gap += 1 - seen; /* states that the rough solution does not have */
  FF_CHECK_SAY(gap <= rough.missing + 1e-11, "the error is %g, its bound %g", gap, rough.missing);
  FF_CHECK_SAY(gap >= 1e-3 * rough.missing, "the error is %g, its bound %g", gap, rough.missing); /* the bound is not idle */
  FF_CHECK_SAY(above <= 1e-11, "a probability is above the true one by %g", above);
  release(&rough);
  release(&fine);
}

static void missing_bounds_the_error(void) {
  static const shape gene = {"M P", "0 0", NULL, {{"0 -> M", "2"}, {"M -> 0", "1"}, {"M -> M + P", "3"}, {"P -> 0", "0.5"}}};
  static const shape dimer = {"A D", "60 0", NULL, {{"2 A -> D", "0.01"}, {"D -> 2 A", "0.5"}, {"A -> 0", "0.1"}}};
  static const shape growth = {"A", "3", NULL, {{"A -> 2 A", "1"}}};
  for (double tolerance = 0.5; tolerance > 1e-7; tolerance /= 30) {
    check_bound(&gene, 3, tolerance);
    check_bound(&dimer, 2, tolerance);
    check_bound(&growth, 2, tolerance);
  }
}

static const shape walk = {"A B|v", "5 9|7", NULL, {
    {"0 -> A", "4"}, {"A -> B", "1"}, {"2 B -> A", "0.1"}, {"B -> 0", "=v * B / (3 + B)"}}};

/* Advances over the times in pieces of `seconds`. */
static distribution solve_at(const double *times, int n, double seconds, uint32_t max_states, double *missing) {
  ff_reactions *net = network(&walk);
  ff_cme *cme;
  ff_error err;
  FF_CHECK_OK(ff_cme_new(&cme, net, 1e-9, max_states, times[n - 1], &err), &err);
  for (int i = 0; i < n; i++) {
    FF_CHECK_OK(advance(cme, times[i], seconds, &err), &err);
    FF_CHECK(ff_cme_time(cme) == times[i]);
    missing[i] = ff_cme_missing(cme);
    FF_CHECK(missing[i] <= 1e-9 && (i == 0 || missing[i] >= missing[i - 1]));
  }
  distribution d = distribution_of(cme, 2);
  ff_cme_free(cme);
  ff_reactions_free(net);
  return d;
}

static void pieces_do_not_change_the_answer(void) {
  static const double times[] = {0, 0.01, 0.5, 1, 1.5, 2, 20};
  double missing[2][7];
  distribution one = solve_at(times, 7, 10, 100000, missing[0]), many = solve_at(times, 7, 0, 100000, missing[1]);
  FF_CHECK_INT(one.n, many.n);
  FF_CHECK(memcmp(one.p, many.p, one.n * sizeof *one.p) == 0);
  FF_CHECK(memcmp(one.counts, many.counts, (size_t)one.n * 2 * sizeof *one.counts) == 0);
  FF_CHECK(memcmp(missing[0], missing[1], sizeof missing[0]) == 0);
  double direct;
  release(&many);
  many = solve_at(times + 6, 1, 10, 100000, &direct);
  double gap = 0;
  for (double k = 0; k < 100; k++) gap += fabs(marginal(&one, 0, k) - marginal(&many, 0, k));
  FF_CHECK(gap <= missing[0][6] + direct);
  release(&one);
  release(&many);
}

/* With just enough states, segments are short, and all of the tolerance is used. */
static void works_in_little_room(void) {
  static const double times[] = {0.5, 2};
  static const shape birth = {"A", "0", NULL, {{"0 -> A", "30"}}};
  double missing[2];
  distribution wide = solve_at(times, 2, 0, 100000, missing), narrow;
  uint32_t room = wide.n;
  for (; room > 10; room = room * 9 / 10) {
    ff_reactions *net = network(&walk);
    ff_cme *cme;
    ff_error err;
    FF_CHECK_OK(ff_cme_new(&cme, net, 1e-9, room, 2, &err), &err);
    ff_status status = advance(cme, 2, 1, &err);
    FF_CHECK(ff_cme_states(cme) <= room);
    if (status != FF_OK) {
      FF_CHECK_FAILS(status, FF_ESIZE, &err, "of the probability is outside of them at time");
    } else {
      narrow = distribution_of(cme, 2);
      double gap = 0;
      for (double k = 0; k < 100; k++) gap += fabs(marginal(&wide, 1, k) - marginal(&narrow, 1, k));
      FF_CHECK(narrow.missing <= 1e-9 && gap <= narrow.missing + wide.missing);
      release(&narrow);
    }
    ff_cme_free(cme);
    ff_reactions_free(net);
    if (status != FF_OK) break;
  }
  FF_CHECK(room > 10 && room < wide.n);
  release(&wide);
  /* the distribution moves through 3000 states, of which about 900 are needed at a time: 16 standard deviations */
  ff_reactions *net = network(&birth);
  ff_cme *cme;
  ff_error err;
  FF_CHECK_OK(ff_cme_new(&cme, net, 1e-9, 1000, 100, &err), &err);
  FF_CHECK_OK(advance(cme, 100, 1, &err), &err);
  narrow = distribution_of(cme, 1);
  CHECK_AGAINST(narrow, 0, 4000, poisson(k, 3000));
  release(&narrow);
  ff_cme_free(cme);
  ff_reactions_free(net);
}

/* ---- weights ---- */

static void poisson_weights_are_bounds(void) {
  static const double means[] = {1e-9, 0.1, 0.999, 1, 2.5, 64, 1000, 12345.6, 1e6};
  ff_cme_poisson p = {0};
  ff_error err;
  for (size_t i = 0; i < sizeof means / sizeof *means; i++)
    for (double epsilon = 0.05; epsilon > 1e-200; epsilon *= epsilon) {
      FF_CHECK_OK(ff_cme_poisson_weights(&p, means[i], epsilon, &err), &err);
      double sum = 0, after = epsilon;
      for (uint32_t k = p.right + 1; k-- > p.left;) {
        const double w = p.weight[k - p.left];
        /* lgamma() of numbers up to 1e6 and exp() have relative errors of up to about 1e-8 together */
        FF_CHECK_SAY(w <= poisson(k, means[i]) * (1 + 1e-8), "weight %u of %g is %g", k, means[i], w);
        FF_CHECK(p.after[k - p.left] >= after * (1 - 1e-12) && p.after[k - p.left] <= 1);
        after = after + w < 1 ? after + w : 1;
        sum += w;
      }
      FF_CHECK_SAY(sum >= 1 - epsilon - 1e-12 && sum <= 1 + 1e-12, "%g: %.17g", epsilon, sum);
      const double width = 2 + 3 * sqrt(-log(epsilon) * (means[i] + 1)) - log(epsilon);
      FF_CHECK_SAY(p.right <= means[i] + width && p.left + width + 1 >= means[i], "%g: %u to %u", means[i], p.left, p.right);
    }
  free(p.weight);
  free(p.after);
}

/* ---- errors ---- */

static void check_fails(const shape *s, double tolerance, uint32_t max_states, double end, ff_status status, const char *part) {
  ff_reactions *net = network(s);
  ff_cme *cme;
  ff_error err;
  ff_status got = ff_cme_new(&cme, net, tolerance, max_states, end, &err);
  FF_CHECK((got == FF_OK) == (cme != NULL));
  if (got == FF_OK) got = advance(cme, end, 1, &err);
  FF_CHECK_FAILS(got, status, &err, part);
  ff_cme_free(cme);
  ff_reactions_free(net);
}

static void says_what_is_wrong(void) {
  static const shape timed = {"A", "1", NULL, {{"A -> 0", "2"}, {"0 -> A", "=1 + time"}}};
  static const shape negative = {"A B", "0 2", NULL, {{"0 -> A", "3"}, {"A -> B", "=2.5 - A"}}};
  static const shape undefined = {"A", "2", NULL, {{"A -> 0", "1"}, {"0 -> A", "=log(A) / log(A)"}}};
  static const shape infinite = {"A B", "2 1", NULL, {{"A -> 0", "1"}, {"B -> 0", "=1 / A"}}};
  static const shape birth = {"A", "0", NULL, {{"0 -> A", "1000"}}};
  static const shape explosion = {"A", "2", NULL, {{"2 A -> 3 A", "1"}}};
  static const shape huge = {"A", "9007199254740990", NULL, {{"0 -> A", "5"}}};
  static const shape two = {"A B", "100 0", NULL, {{"A -> B", "1e9"}, {"B -> A", "1e9"}}};
  check_fails(&timed, 1e-8, 1000, 1, FF_EUNSUPPORTED, "reaction \"R2\": the rate depends on the time");
  check_fails(&negative, 1e-8, 1000, 1, FF_EMODEL,
              "reaction \"R2\": the propensity is -0.5 in a state that can be reached (\"A\" = 3, \"B\" = 2); expected a finite");
  check_fails(&undefined, 1e-8, 1000, 1, FF_EMODEL, "\"R2\": the propensity is NaN in a state that can be reached (\"A\" = 1)");
  check_fails(&infinite, 1e-8, 1000, 1, FF_EMODEL, "the propensity is Inf in a state that can be reached (\"A\" = 0, \"B\" = 1)");
  check_fails(&birth, 1e-8, 100, 1, FF_ESIZE, "100 states are too few: more than ");
  check_fails(&birth, 1e-8, 100, 1, FF_ESIZE, "a part of it is for later times and for rounding errors; choose a larger ");
  check_fails(&explosion, 1e-8, 1000, 1, FF_ESIZE, "the tolerance is 1e-08");
  check_fails(&huge, 1e-8, 1000, 1, FF_ESIZE, "3 states are too few");
  check_fails(&two, 1e-12, 1000, 1, FF_ECONVERGENCE, "rounding errors");
  check_fails(&birth, 1e-17, 1000, 1e-6, FF_ECONVERGENCE, "rounding errors");
  check_fails(&birth, 0, 1000, 1, FF_EARGUMENT, "found 0, 1000 and 1");
  check_fails(&birth, 1e-8, 0, 1, FF_EARGUMENT, "found 1e-08, 0 and 1");
  check_fails(&birth, 1e-8, 1000, -1, FF_EARGUMENT, "and -1");
}

static void times_are_checked(void) {
  static const shape birth = {"A", "0", NULL, {{"0 -> A", "1"}}};
  ff_reactions *net = network(&birth);
  ff_cme *cme;
  ff_error err;
  int done;
  FF_CHECK_OK(ff_cme_new(&cme, net, 1e-8, 1000, 2, &err), &err);
  FF_CHECK_OK(advance(cme, 0, 1, &err), &err);
  FF_CHECK_INT(ff_cme_states(cme), 1);
  FF_CHECK_OK(advance(cme, 1, 1, &err), &err);
  FF_CHECK_OK(advance(cme, 1, 1, &err), &err);
  FF_CHECK_FAILS(ff_cme_advance(cme, 0.5, 1, &done, &err), FF_EARGUMENT, &err, "expected one from 1 to 2");
  FF_CHECK_FAILS(ff_cme_advance(cme, 3, 1, &done, &err), FF_EARGUMENT, &err, "the time 3 was asked for");
  ff_cme_free(cme);
  ff_cme_free(NULL);
  ff_reactions_free(net);
}

FF_TEST_MAIN("cme", death_is_binomial, birth_is_poisson, immigration_and_death_is_poisson, isomerisation_is_binomial, many_jumps,
             fixed_species_take_part, absorbing_states_keep_their_probability, rare_states_far_away_are_found,
             missing_bounds_the_error, pieces_do_not_change_the_answer, works_in_little_room, poisson_weights_are_bounds,
             says_what_is_wrong, times_are_checked)
