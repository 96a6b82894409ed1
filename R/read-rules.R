# Files of rules, one line per node.

rule_line <- "^[[:space:]]*(\"[^\"]*\"|`[^`]*`|[^,=:\"`#<]+?)[[:space:]]*:?=[[:space:]]*(.*)$"

# Files of ASSA-PBN begin with settings of this form.
is_rule_line <- function(line) {
  if (!grepl(rule_line, line, perl = TRUE)) return(FALSE)
  name <- sub(rule_line, "\\1", line, perl = TRUE)
  grepl("^[^=]*:=", line) || # settings have "="
    !tolower(trimws(name)) %in% c("type", "n", "perturbation", "removednodes")
}

# Translates rules to .bnet, line by line, so that errors give the right line number. Returns the text, and the initial values that
# it gives.
bnet_of_rules <- function(source) {
  lines <- source_lines(source)
  shown <- trimws(lines)
  rule <- nzchar(shown) & !startsWith(shown, "#")
  place <- function(i) sprintf("%s, line %d", source$name, i)
  bad <- which(rule & !grepl(rule_line, lines, perl = TRUE))
  if (length(bad) > 0L) {
    abort("parse", sprintf(
      "%s: found %s where a rule \"NAME = function\" was expected", place(bad[[1L]]), show_value(shown[[bad[[1L]]]])
    ))
  }
  if (!any(rule)) abort("parse", sprintf("%s: found no line \"NAME = function\" where at least one was expected", source$name))
  starts <- starts_of_rules(lines, rule, place)
  lines <- starts$lines
  rule <- starts$rule
  name <- sub(rule_line, "\\1", lines[rule], perl = TRUE)
  bare <- gsub("^[\"`]|[\"`]$", "", name)
  twice <- anyDuplicated(bare)
  if (twice > 0L) {
    abort("parse", sprintf(
      "%s: found a second rule of node \"%s\" (the first is on line %d) where one was expected; BoolNet's format has several",
      place(which(rule)[[twice]]), bare[[twice]], which(rule)[[match(bare[[twice]], bare)]]
    ))
  }
  odd <- odd_names(name, place, which(rule))
  body <- quote_names(sub(rule_line, "\\2", lines[rule], perl = TRUE), odd)
  quoted <- tolower(name) == "targets" | name %in% odd # "targets" would be read as the header
  lines[rule] <- paste0(ifelse(quoted, paste0("\"", name, "\""), name), ", ", body)
  list(text = charToRaw(enc2utf8(paste0(lines, "\n", collapse = ""))), starts = starts$values)
}

# In BooleanNet's files, a rule has a star, "A* = B" or "A *= B", and a line without a star is an initial value. Returns the lines,
# with rules without stars and without initial values; which of them are rules; and the values.
starts_of_rules <- function(lines, rule, place) {
  name <- sub(rule_line, "\\1", lines, perl = TRUE)
  star <- rule & grepl("[*][[:space:]]*$", name)
  values <- NULL
  if (any(star)) {
    value <- trimws(sub("#.*", "", sub(rule_line, "\\2", lines, perl = TRUE)))
    bare <- trimws(gsub("^[\"`]|[\"`]$", "", name))
    other <- which(rule & !star)
    known <- match(tolower(value), c("false", "true", "random"))
    bad <- other[is.na(known[other])]
    if (length(bad) > 0L) {
      abort("parse", sprintf(
        "%s: found %s where a rule \"NAME* = function\" or an initial value, True, False or Random, was expected, %s",
        place(bad[[1L]]), show_value(trimws(lines[[bad[[1L]]]])), "as other lines have stars"
      ))
    }
    values <- stats::setNames(c(0, 1, NA)[known[other]], bare[other])
    values <- values[!duplicated(names(values), fromLast = TRUE)]
    ruled <- trimws(sub("[*][[:space:]]*$", "", name[star]))
    lines[star] <- paste(ruled, "=", sub(rule_line, "\\2", lines[star], perl = TRUE))
    # a node without a rule keeps its value
    alone <- !duplicated(bare) & seq_along(lines) %in% other & !bare %in% gsub("^[\"`]|[\"`]$", "", ruled)
    lines[alone] <- paste(name[alone], "=", name[alone])
    lines[setdiff(other, which(alone))] <- ""
    rule <- star | alone
  }
  list(lines = lines, rule = rule, values = values)
}

# Names without quotes that the grammar of functions does not have, such as Ca2+ and IGFR1A/B. They are clear unless what comes
# before their sign is a name, too.
odd_names <- function(names, place, at) {
  odd <- grepl("^[[:alnum:]_.][[:alnum:]_.+/-]*$", names) & grepl("[+/]", names)
  for (i in which(odd)) {
    begin <- sub("[+/].*", "", names[[i]])
    if (!begin %in% names) next
    abort("parse", sprintf(
      "%s: found the name %s, and %s is a name, too; expected quotes, \"%s\", wherever it stands", place(at[[i]]), names[[i]],
      begin, names[[i]]
    ))
  }
  names[odd]
}

# Puts these names in quotes where they stand as a whole.
quote_names <- function(text, names) {
  for (name in names[order(-nchar(names))]) {
    whole <- sprintf("(?<![[:alnum:]_.+/\"`-])\\Q%s\\E(?![[:alnum:]_.+/\"`-])", name)
    text <- gsub(whole, sprintf("\"%s\"", name), text, perl = TRUE)
  }
  text
}
