/* Writes the code that bench/paper_ssa.cu needs of a network: generate NETWORK TIME CODE. bench/plain_ssa.c describes the file of
 * the network. The reactions are sorted by how often they fire in eight trajectories to the time, of at most 20,000 events each.
 * The code has:
 *
 *   SPECIES, REACTIONS   their numbers
 *   initial              the counts at the start
 *   rate, in, out, ...   tables of the reactions, in the order of the file and in the sorted order
 *   fire()               a function with a case for each reaction, in the sorted order. The case changes the counts and computes
 *                        the propensities that depend on them. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../src/base/ff_philox.h"

#define PART 16 /* cases of a function */

struct change {
  uint32_t species;
  int32_t by;
};

struct reaction {
  double rate; /* divided by the factorials of the reactants' counts */
  std::vector<change> in, out;
  std::vector<uint32_t> dependents;
};

struct network {
  std::vector<int32_t> initial;
  std::vector<reaction> reactions;
};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static double number(FILE *file) {
  double x;
  if (fscanf(file, "%lf", &x) != 1) fail("network", "a number is missing");
  return x;
}

static std::vector<change> changes(FILE *file) {
  std::vector<change> all((size_t)number(file));
  for (change &one : all) {
    one.species = (uint32_t)number(file);
    one.by = (int32_t)number(file);
  }
  return all;
}

/* The reactions that read a species which the reaction changes. */
static void list_dependents(network &net) {
  std::vector<std::vector<uint32_t>> readers(net.initial.size());
  for (uint32_t r = 0; r < net.reactions.size(); r++)
    for (const change &in : net.reactions[r].in) readers[in.species].push_back(r);
  for (reaction &r : net.reactions) {
    r.dependents.clear();
    for (const change &out : r.out) {
      const std::vector<uint32_t> &more = readers[out.species];
      r.dependents.insert(r.dependents.end(), more.begin(), more.end());
    }
    std::sort(r.dependents.begin(), r.dependents.end());
    r.dependents.erase(std::unique(r.dependents.begin(), r.dependents.end()), r.dependents.end());
  }
}

static network read_network(const char *path) {
  network net;
  FILE *file = fopen(path, "r");
  if (file == NULL) fail(path, "cannot be read");
  net.initial.resize((size_t)number(file));
  net.reactions.resize((size_t)number(file));
  for (int32_t &count : net.initial) count = (int32_t)number(file);
  for (reaction &r : net.reactions) {
    r.rate = number(file);
    r.in = changes(file);
    r.out = changes(file);
    for (const change &in : r.in)
      for (int32_t k = 2; k <= in.by; k++) r.rate /= k;
  }
  fclose(file);
  list_dependents(net);
  return net;
}

static double propensity(const reaction &r, const std::vector<int32_t> &count) {
  double a = r.rate;
  for (const change &in : r.in)
    for (int32_t k = 0; k < in.by; k++) a *= (double)(count[in.species] - k);
  return a;
}

static double uniform(uint32_t word) { return ((double)word + 0.5) * 0x1p-32; }

/* How often each reaction fires. */
static std::vector<uint64_t> firings(const network &net, double end) {
  std::vector<uint64_t> fired(net.reactions.size());
  std::vector<double> a(net.reactions.size());
  for (uint32_t run = 0; run < 8; run++) {
    std::vector<int32_t> count = net.initial;
    for (size_t r = 0; r < a.size(); r++) a[r] = propensity(net.reactions[r], count);
    double time = 0;
    for (uint32_t step = 0; step < 20000; step++) {
      const ff_philox_block drawn = ff_philox(ff_philox_counter(0, 0, step, run), 1);
      double total = 0;
      for (double one : a) total += one;
      if (!(total > 0) || (time -= log(uniform(drawn.v[0])) / total) > end) break;
      double at = uniform(drawn.v[1]) * total;
      size_t r = 0;
      while (r + 1 < a.size() && at >= a[r]) at -= a[r++];
      fired[r]++;
      for (const change &out : net.reactions[r].out) count[out.species] += out.by;
      for (uint32_t d : net.reactions[r].dependents) a[d] = propensity(net.reactions[d], count);
    }
  }
  return fired;
}

/* A reaction's case: it reads counts once, changes them, and computes the propensities that depend on them. */
static void write_case(FILE *file, const network &net, uint32_t number) {
  const reaction &r = net.reactions[number];
  std::vector<uint32_t> read;
  for (const change &out : r.out) read.push_back(out.species);
  for (uint32_t d : r.dependents)
    for (const change &in : net.reactions[d].in) read.push_back(in.species);
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  fprintf(file, "    case %u: {\n", number);
  for (uint32_t s : read) {
    int32_t by = 0;
    for (const change &out : r.out)
      if (out.species == s) by = out.by;
    fprintf(file, "      const int32_t x%u = x[%u * n]%s%.0d;\n", s, s, by > 0 ? " + " : by < 0 ? " - " : "", abs(by));
  }
  for (const change &out : r.out) fprintf(file, "      x[%u * n] = x%u;\n", out.species, out.species);
  for (uint32_t d : r.dependents) {
    fprintf(file, "      a[%u * n] = %.17g", d, net.reactions[d].rate);
    for (const change &in : net.reactions[d].in)
      for (int32_t k = 0; k < in.by; k++) fprintf(file, k > 0 ? " * (double)(x%u - %d)" : " * (double)x%u", in.species, k);
    fprintf(file, ";\n");
  }
  fprintf(file, "    } break;\n");
}

/* Compilers need much time for long functions, so the cases are in several functions if there are many. */
static void write_fire(FILE *file, const network &net) {
  const uint32_t n = (uint32_t)net.reactions.size(), part = n <= 320 ? n : PART;
  for (uint32_t from = 0; from < n; from += part) {
    fprintf(file, "\nstatic FF_HD %s void fire_%u(uint32_t r, int32_t *__restrict__ x, double *__restrict__ a, size_t n) {\n"
                  "  switch (r) {\n", part < n ? "__attribute__((noinline))" : "inline", from / part);
    for (uint32_t r = from; r < n && r < from + part; r++) write_case(file, net, r);
    fprintf(file, "    default: break;\n  }\n}\n");
  }
  fprintf(file, "\n/* Reaction r happens. The trajectory has the counts x[species * n] and propensities a[reaction * n]. */\n"
                "static FF_HD inline void fire(uint32_t r, int32_t *x, double *a, size_t n) {\n  switch (r / %u) {\n", part);
  for (uint32_t k = 0; k * part < n; k++) fprintf(file, "    case %u: fire_%u(r, x, a, n); break;\n", k, k);
  fprintf(file, "    default: break;\n  }\n}\n");
}

static void write_item(FILE *file, double value) { fprintf(file, "%.17g, ", value); }
static void write_item(FILE *file, uint32_t value) { fprintf(file, "%u, ", value); }
static void write_item(FILE *file, const change &value) { fprintf(file, "{%u, %d}, ", value.species, value.by); }

/* A table NAME_of[order] has a list of each reaction, one after the other. NAME_from_of[order][r] is where that of reaction r
 * begins. */
template <class list> static void write_table(FILE *file, const char *type, const char *name, const network nets[2], list of) {
  size_t n = 0;
  for (const reaction &r : nets[0].reactions) n += of(r).size();
  fprintf(file, "static const %s %s_of[2][%zu] = {{", type, name, std::max(n, (size_t)1));
  for (int order = 0; order < 2; order++) {
    for (const reaction &r : nets[order].reactions)
      for (const auto &one : of(r)) write_item(file, one);
    fprintf(file, order == 0 ? "},\n  {" : "}};\n");
  }
  fprintf(file, "static const uint32_t %s_from_of[2][REACTIONS + 1] = {{", name);
  for (int order = 0; order < 2; order++) {
    size_t from = 0;
    for (const reaction &r : nets[order].reactions) {
      write_item(file, (uint32_t)from);
      from += of(r).size();
    }
    fprintf(file, order == 0 ? "%zu},\n  {" : "%zu}};\n", from);
  }
}

static void write_code(FILE *file, const network nets[2]) {
  const network &sorted = nets[1];
  fprintf(file, "#define SPECIES %zuu\n#define REACTIONS %zuu\n", sorted.initial.size(), sorted.reactions.size());
  fprintf(file, "static const int32_t initial_counts[SPECIES] = {");
  for (int32_t count : sorted.initial) fprintf(file, "%d, ", count);
  fprintf(file, "};\n");
  write_table(file, "double", "rate", nets, [](const reaction &r) { return std::vector<double>{r.rate}; });
  write_table(file, "change", "in", nets, [](const reaction &r) { return r.in; });
  write_table(file, "change", "out", nets, [](const reaction &r) { return r.out; });
  write_table(file, "uint32_t", "dependents", nets, [](const reaction &r) { return r.dependents; });
  write_fire(file, sorted);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage", "generate NETWORK TIME CODE");
  network nets[2] = {read_network(argv[1]), {}};
  const std::vector<uint64_t> fired = firings(nets[0], atof(argv[2]));
  std::vector<uint32_t> order(fired.size());
  for (uint32_t k = 0; k < order.size(); k++) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) { return fired[left] > fired[right]; });
  nets[1].initial = nets[0].initial;
  for (uint32_t r : order) nets[1].reactions.push_back(nets[0].reactions[r]);
  list_dependents(nets[1]);
  FILE *file = fopen(argv[3], "w");
  if (file == NULL) fail(argv[3], "cannot be written");
  write_code(file, nets);
  if (fclose(file) != 0) fail(argv[3], "cannot be written");
  return 0;
}
