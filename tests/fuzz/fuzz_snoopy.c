/* make fuzz: the reader of Snoopy's XML. It must return an error with a message, or a net; if this can be unfolded in little
 * time, its PNML is well-formed XML. */
#include "../../src/io/petri/ff_io_pnml.h"
#include "../../src/io/petri/ff_io_snoopy.h"
#include "../../src/io/petri/snoopy/ff_io_xml.h"
#include "fuzz.h"

#define MOST_STEPS 20000

static void check_xml(const char *text) {
  ff_error err = {FF_OK, ""};
  ff_xml xml = ff_xml_of(text, strlen(text), "written", &err);
  do
    MUST(ff_xml_next(&xml) == FF_OK, err.text);
  while (xml.kind != FF_XML_END);
}

static void write_pnml(const ff_petri *net) {
  ff_error err = {FF_OK, ""};
  ff_unfolder *unfolder = NULL;
  ff_petri_flat *flat = NULL;
  char *text = NULL;
  ff_status status = ff_unfolder_new(&unfolder, net, &err);
  for (int i = 0; i < 10 && status == FF_OK && flat == NULL; i++)
    status = ff_unfolder_step(unfolder, MOST_STEPS / 10, &flat, &err);
  MUST(status == FF_OK || status == FF_EMODEL || status == FF_ESIZE, err.text);
  if (status == FF_OK && flat != NULL && flat->n_places < 1000) status = ff_io_pnml_text(&text, flat, &err);
  MUST(status == FF_OK || status == FF_EMODEL || status == FF_ESIZE, err.text);
  if (text != NULL) check_xml(text);
  free(text);
  ff_petri_flat_free(flat);
  ff_unfolder_free(unfolder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ff_error err = {FF_OK, ""};
  ff_petri *net;
  const ff_status status = ff_io_snoopy_parse(&net, (const char *)data, size, "net", NULL, &err);
  if (status != FF_OK) {
    MUST(net == NULL, err.text);
    must_explain(status, &err, 1);
    return 0;
  }
  write_pnml(net);
  ff_petri_free(net);
  return 0;
}
