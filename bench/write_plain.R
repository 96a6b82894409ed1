# The network as numbers; see plain_ssa.c. Species and reactions must have different names.
write_plain <- function(net, file) {
  arrows <- network_arrows(net)
  species <- net$species$species
  reaction <- if (all(nzchar(net$reactions$name))) net$reactions$name else paste0("R", seq_len(nrow(net$reactions)))
  n <- length(reaction)
  from <- arrows[arrows$role == "reactant", ]
  to <- arrows[arrows$role == "product", ]
  left <- data.frame(r = match(from$to, reaction), s = match(from$from, species), count = from$count)
  change <- rbind(
    data.frame(r = left$r, s = left$s, count = -left$count),
    data.frame(r = match(to$from, reaction), s = match(to$to, species), count = to$count)
  )
  change <- stats::aggregate(count ~ s + r, change, sum)
  list_of <- function(x) {
    x <- x[x$count != 0, ]
    text <- vapply(split(paste(x$s - 1L, x$count), factor(x$r, seq_len(n))), paste, "", collapse = " ")
    trimws(paste(tabulate(x$r, n), text))
  }
  value <- vapply(net$reactions$rate, function(rate) eval(str2lang(rate), as.list(net$parameters)), 0)
  lines <- paste(format(value, digits = 17, trim = TRUE), list_of(left), list_of(change))
  writeLines(c(paste(length(species), n), paste(format(net$species$initial, trim = TRUE), collapse = " "), lines), file)
}

# The network as a text with its formulas, variables and events; see tests/c/text_networks.h.
write_text <- function(net, file) {
  number <- function(x) format(x, digits = 17, trim = TRUE, scientific = FALSE)
  field <- function(x) ifelse(is.na(x), "", x)
  events <- net$events
  event_lines <- vapply(seq_len(NROW(events)), function(i) {
    e <- events[i, ]
    flags <- paste(c(if (e$initially) "i", if (!e$persistent) "f", if (e$values != "trigger") "l"), collapse = "")
    set <- e$set[[1L]]
    paste(c("event", e$name, e$when, field(e$delay), field(e$priority), flags, rbind(names(set), set)), collapse = ";")
  }, "")
  lines <- c(
    paste(ifelse(net$species$fixed, "fixed", "species"), net$species$species, number(net$species$initial), sep = ";"),
    if (length(net$parameters))
      paste("parameter", names(net$parameters), format(net$parameters, digits = 17, trim = TRUE), sep = ";"),
    if (length(net$variables)) paste("variable", names(net$variables), net$variables, sep = ";"),
    paste(ifelse(net$reactions$law == "formula", "law", "reaction"), net$reactions$equation, net$reactions$rate, sep = ";"),
    event_lines
  )
  writeLines(lines, file)
}
