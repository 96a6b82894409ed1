/* Configurations of Spike (.spc): they are refused with the call of simulate() that they mean. */
#include "ff_io_andl_internal.h"

#include <stdio.h>
#include <string.h>

int ff_andl_is_spc(ff_span text) {
  static const char *const words[] = {"import", "configuration", "options", "log"};
  const size_t length = ff_candl_name_length(text);
  const ff_span rest = ff_span_trim(ff_span_after(text, length));
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (ff_span_equals((ff_span){text.text, length}, words[i])) return rest.length > 0 && rest.text[0] == ':';
  return 0;
}

/* What follows "word:" up to an end of it, without quotes and blanks; empty if the word does not occur. */
static ff_span value_of(ff_span text, const char *word) {
  const size_t length = strlen(word);
  for (size_t at = 0; at + length < text.length; at++) {
    if (memcmp(text.text + at, word, length) != 0 || (at > 0 && ff_candl_continues_name(text.text[at - 1]))) continue;
    ff_span rest = ff_span_trim(ff_span_after(text, at + length));
    if (rest.length == 0 || rest.text[0] != ':') continue;
    rest = ff_span_trim(ff_span_after(rest, 1));
    size_t end = 0;
    while (end < rest.length && strchr(";,{}\n\r", rest.text[end]) == NULL) end++;
    rest = ff_span_trim((ff_span){rest.text, end});
    if (rest.length > 1 && rest.text[0] == '"' && rest.text[rest.length - 1] == '"')
      rest = (ff_span){rest.text + 1, rest.length - 2};
    return rest;
  }
  return (ff_span){"", 0};
}

/* The times of an interval start:step:end. A step that is longer than the interval is a number of steps. */
static void put_times(char *out, size_t size, ff_span interval) {
  ff_span rest = interval, part;
  double number[3];
  int n = 0;
  while (n < 3 && ff_candl_part(&rest, ":", &part) && ff_span_number(part, &number[n])) n++;
  const int whole = n == 3 && rest.text == NULL;
  if (!whole)
    snprintf(out, size, "times = ...");
  else if (number[1] > number[2] - number[0])
    snprintf(out, size, "times = seq(%s, %s, length.out = %s)", ff_show(number[0], 15).text, ff_show(number[2], 15).text,
             ff_show(number[1] + 1, 15).text);
  else
    snprintf(out, size, "times = seq(%s, %s, by = %s)", ff_show(number[0], 15).text, ff_show(number[2], 15).text,
             ff_show(number[1], 15).text);
}

ff_status ff_andl_refuse_spc(const char *file, ff_span text, ff_error *err) {
  char times[160], count[40] = "";
  const ff_span net = value_of(text, "from"), type = value_of(text, "type"), runs = value_of(text, "runs");
  uint64_t n;
  put_times(times, sizeof times, value_of(text, "interval"));
  if (ff_span_count(runs, &n)) snprintf(count, sizeof count, "nsim = %llu, ", (unsigned long long)n);
  const int flows = ff_span_is((ff_span){type.text, ff_candl_name_length(type)}, "continuous");
  return ff_error_set(err, FF_EUNSUPPORTED,
                      "%s is a configuration of Spike, not a net; read the net itself and call "
                      "simulate(%s, %s%s), where net <- read_network(%s)",
                      file, flows ? "as_petri_net(net, as = \"continuous\")" : "net", count, times,
                      net.length > 0 ? ff_quote(net.text, net.length).text : "...");
}
