# Writes texts as a C table, for ff_texts.c. Run in src/: LC_ALL=C awk -f cuda/runtime/embed.awk FILE... Texts are written
# character by character, because a string literal may hold no more than 4,095. They must be ASCII, so that no character set
# matters. Comments and indentation are left out, because they would be half of the table. Lines keep their numbers.
function quoted(c) {
  if (c == "\\" || c == "'") return "'\\" c "'"
  if (c == "\t") return "'\\t'"
  return "'" c "'"
}
# The line without comments and indentation. `inside` tells whether a comment has begun before, and quotes whether a string has.
function code_of(text,   out, i, c, two, quotes) {
  out = ""
  quotes = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    two = substr(text, i, 2)
    if (inside) {
      if (two == "*/") {
        inside = 0
        i++
      }
      continue
    }
    if (quotes == "" && two == "/*") {
      inside = 1
      out = out " "
      i++
      continue
    }
    if (quotes == "" && two == "//") break
    if (c == "\\" && quotes != "") {
      out = out two
      i++
      continue
    }
    if (quotes == "" && (c == "\"" || c == "'")) quotes = c
    else if (c == quotes) quotes = ""
    out = out c
  }
  gsub(/^[ \t]+|[ \t]+$/, "", out)
  return out
}
BEGIN { n = 0 }
FNR == 1 {
  inside = 0
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
  code = code_of($0)
  line = ""
  for (i = 1; i <= length(code); i++) line = line quoted(substr(code, i, 1)) ","
  print line "'\\n',"
}
END {
  if (failed) exit 1
  if (n > 0) print "'\\0'};"
  print "static const ff_text ff_text_list[] = {"
  for (i = 0; i < n; i++) printf "    {\"%s\", ff_text_%d},\n", name[i], i
  print "    {0, 0}};"
}
