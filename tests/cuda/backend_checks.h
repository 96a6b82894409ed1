/* What programs that check a backend's interface on a GPU share. A program includes check.h first. */
#ifndef FF_TESTS_BACKEND_CHECKS_H
#define FF_TESTS_BACKEND_CHECKS_H

#include <stdio.h>
#include <string.h>

#include "../../src/backend/ff_backend.h"

/* Whether the program is only to print the names of its tests. */
static int backend_checks_lists(int argc, char **argv) { return argc == 2 && strcmp(argv[1], "list") == 0; }

/* The interface of the backend whose shared object is the first argument; NULL, after a message. The caller closes *library. */
static const void *backend_checks_open(ff_backend_library **library, const char *interface, const char *usage, int argc,
                                       char **argv) {
  const ff_backend *table = NULL;
  const void *out = NULL;
  ff_error err = {FF_OK, ""};
  ff_status status = argc > 1 ? ff_backend_open(library, argv[1], &err) : FF_EARGUMENT;
  if (status == FF_OK) status = ff_backend_table(*library, &table, &err);
  if (status == FF_OK) out = table->interface(interface);
  if (out == NULL) fprintf(stderr, "%s\nusage: %s fireflip_cuda.so %s\n", err.text, argv[0], usage);
  return out;
}

/* The number of the test with this name; or -1, after a message. */
static int backend_checks_find(const ff_check_test *tests, int n, const char *name) {
  for (int k = 0; k < n; k++)
    if (strcmp(tests[k].name, name) == 0) return k;
  fprintf(stderr, "there is no test %s\n", name);
  return -1;
}

#endif
