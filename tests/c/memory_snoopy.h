/* Scenarios of test_memory: Snoopy's XML and PNML. */
#ifndef FF_TESTS_MEMORY_SNOOPY_H
#define FF_TESTS_MEMORY_SNOOPY_H

#include "../../src/io/petri/ff_io_pnml.h"
#include "../../src/io/petri/ff_io_snoopy.h"
#include "memory_given.h"

static const char *const snoopy_files[] = {"stochastic.spn", "coloured.colhpn", "fuzzy.colfspn", "old.colcpn"};
#define SNOOPY_FILES ((int)(sizeof snoopy_files / sizeof snoopy_files[0]))

static struct {
  ff_petri *net;
  ff_petri_flat *flat;
} snoopy;

static void prepare_snoopy(void) {
  char path[300];
  const char *root = getenv("FIREFLIP_CORPUS");
  snprintf(path, sizeof path, "%.200s/snoopy/%s", root != NULL ? root : "tests/c/corpus", snoopy_files[given.variant]);
  FILE *file = fopen(path, "rb");
  given.text = ff_calloc(60000, 1);
  FF_CHECK(file != NULL && given.text != NULL && fread(given.text, 1, 59999, file) > 0);
  if (file != NULL) fclose(file);
}

static ff_status read_snoopy(ff_petri **net, ff_error *err) {
  static const char *const constants[] = {"v"};
  static const double values[] = {2};
  ff_io_petri_options options = {NULL, NULL, 0, "Main"};
  if (given.variant == 2) options = (ff_io_petri_options){constants, values, 1, NULL};
  return ff_io_snoopy_parse(net, given.text, strlen(given.text), "net", &options, err);
}

static ff_status reads_snoopy(ff_error *err) {
  ff_petri *net = NULL;
  const ff_status status = read_snoopy(&net, err);
  CHECK_OUT(status, net);
  ff_petri_free(net);
  return status;
}

static void prepare_pnml(void) {
  ff_error err = {FF_OK, ""};
  prepare_snoopy();
  FF_CHECK_OK(read_snoopy(&snoopy.net, &err), &err);
  if (snoopy.net != NULL) FF_CHECK_OK(ff_petri_unfold(&snoopy.flat, snoopy.net, &err), &err);
}

static ff_status writes_pnml(ff_error *err) {
  char *text = NULL;
  const ff_status status = ff_io_pnml_text(&text, snoopy.flat, err);
  CHECK_OUT(status, text);
  free(text);
  return status;
}

static void end_pnml(void) {
  ff_petri_flat_free(snoopy.flat);
  ff_petri_free(snoopy.net);
  snoopy.flat = NULL;
  snoopy.net = NULL;
}

#endif
