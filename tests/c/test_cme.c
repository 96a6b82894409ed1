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

/* The 1-norm of the difference between a marginal and a distribution on 0, 1, ..., most must be at most `missing`. The bound of the
 * error of the closed form is 1e-11 (lgamma and exp of numbers up to about 1e5). */
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
  d = solve(&birth, 1e5, 1e-6);
  CHECK_AGAINST(d, 0, 110000, poisson(k, 1e5));
  FF_CHECK(d.n < 20000);
  release(&d);
}

FF_TEST_MAIN("cme", death_is_binomial, birth_is_poisson, immigration_and_death_is_poisson, isomerisation_is_binomial, many_jumps)
