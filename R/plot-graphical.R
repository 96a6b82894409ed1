# Graphical arguments of plots.

# Arguments of par() that a call of plot.default() can set. Others, such as `mar`, can only be set by par() itself.
graphical_parameters <- c(
  "adj", "ann", "bg", "bty", "cex", "cex.axis", "cex.lab", "cex.main", "cex.sub", "col", "col.axis", "col.lab",
  "col.main", "col.sub", "crt", "err", "family", "fg", "font", "font.axis", "font.lab", "font.main", "font.sub", "lab",
  "las", "lend", "ljoin", "lmitre", "lty", "lwd", "mgp", "mkh", "pch", "smo", "srt", "tck", "tcl", "xaxp", "xaxs", "xaxt",
  "xpd", "yaxp", "yaxs", "yaxt"
)

# Raises an error if `...` of a method of plot() has an argument that is neither one of the method nor a graphical one. R itself
# would warn four times, or ignore it. Called by the method itself. `draws` is the function of graphics that draws.
check_graphical <- function(..., draws = graphics::plot.default) {
  if (...length() == 0L) return(invisible())
  own <- setdiff(names(formals(sys.function(-1L))), c("x", "..."))
  more <- unique(c(names(formals(graphics::plot.default)), names(formals(draws))))
  known <- unique(c(own, setdiff(more, c("x", "y", "z", "height", "type", "add", "plot", "...")), graphical_parameters))
  given <- ...names()
  if (is.null(given) || anyNA(given) || !all(nzchar(given))) {
    abort_argument(sprintf(
      "There is one argument too many. The arguments are %s; graphical ones, such as `xlab` and `col`, must be named.",
      paste0("`", own, "`", collapse = ", ")
    ))
  }
  for (name in setdiff(given, known)) abort_unknown(name, known, sprintf(
    "the arguments are %s, and those of plot.default() and par(), such as `xlab`, `col` and `lwd`.",
    paste0("`", own, "`", collapse = ", ")
  ))
  invisible()
}
