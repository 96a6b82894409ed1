# Writes texts as a C table, for ff_texts.c. Run in src/: LC_ALL=C awk -f cuda/runtime/embed.awk FILE... Texts are written
# character by character, because a string literal may hold no more than 4,095. They must be ASCII, so that no character set
# matters.
function quoted(c) {
  if (c == "\\" || c == "'") return "'\\" c "'"
  if (c == "\t") return "'\\t'"
  return "'" c "'"
}
BEGIN { n = 0 }
FNR == 1 {
  if (n > 0) print "'\\0'};"
  name[n] = FILENAME
  printf "static const char ff_text_%d[] = {\n", n++
}
/[^ -~\t]/ {
  print FILENAME ":" FNR ": a character beyond ASCII" | "cat >&2"
  failed = 1
  exit 1
}
{
  line = ""
  for (i = 1; i <= length($0); i++) line = line quoted(substr($0, i, 1)) ","
  print line "'\\n',"
}
END {
  if (failed) exit 1
  if (n > 0) print "'\\0'};"
  print "static const ff_text ff_text_list[] = {"
  for (i = 0; i < n; i++) printf "    {\"%s\", ff_text_%d},\n", name[i], i
  print "    {0, 0}};"
}
