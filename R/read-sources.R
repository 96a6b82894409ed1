# Files and connections from which networks are read.

# list(name, text): the text as raw bytes if it comes from a connection or a compressed file; NULL if the core reads the file.
network_source <- function(file) {
  expected <- "the path of a file, one string, or a connection"
  if (!missing(file) && inherits(file, "connection")) return(connection_source(file))
  check_string(file, "file", expected)
  if (grepl("^(https?|ftps?|file)://", file)) {
    abort("file", sprintf("`file` must be %s; found an address: url(\"%s\") is a connection to it.", expected, file))
  }
  if (is_compressed(file)) return(compressed_source(file))
  list(name = file)
}

# As in R's own readers, a connection that is not open is opened, read and closed. From an open one, the rest is read.
connection_source <- function(connection) {
  about <- tryCatch(summary(connection), error = function(e) {
    abort("file", sprintf("`file` is a connection that cannot be used: %s.", conditionMessage(e)))
  })
  if (about$opened != "opened") {
    on.exit(close(connection))
    path <- about$description
    if (inherits(connection, c("file", "gzfile", "bzfile", "xzfile")) && file.exists(path) && is_compressed(path)) {
      return(compressed_source(path))
    }
    tryCatch(open(connection, "rb"), error = function(e) cannot_read(about$description, e),
      warning = function(w) cannot_read(about$description, w))
    about <- summary(connection)
  }
  text <- if (about$text == "binary") all_bytes(connection, about$description) else {
    lines <- tryCatch(readLines(connection, warn = FALSE), error = function(e) cannot_read(about$description, e))
    charToRaw(paste0(enc2utf8(lines), "\n", collapse = ""))
  }
  if (starts_compressed(text)) text <- decompressed(text, about$description)
  list(name = about$description, text = text)
}

compressed_source <- function(path) {
  connection <- file(path, "rb", raw = TRUE) # R's other connections do not report a file that is cut off
  on.exit(close(connection))
  list(name = path, text = decompressed(all_bytes(connection, path), path))
}

# Decompresses the bytes of gzip, bzip2 or xz. A text that was cut off is an error, because it may be a valid but smaller network.
decompressed <- function(bytes, name) {
  cut <- function(...) abort("file", sprintf("cannot read %s: its compressed data are cut off or damaged", name))
  tail <- as.integer(utils::tail(bytes, 4L))
  text <- tryCatch(switch(compression(bytes),
    gzip = {
      connection <- gzcon(rawConnection(bytes))
      on.exit(close(connection))
      all_bytes(connection, name)
    },
    bzip2 = memDecompress(bytes, "bzip2"),
    xz = if (identical(tail[3:4], c(0x59L, 0x5aL))) memDecompress(bytes, "xz") else cut()
  ), error = cut, warning = cut)
  # the last four bytes of gzip are the length of the text
  if (compression(bytes) == "gzip" && sum(tail * 256^(0:3)) != length(text) %% 2^32) cut()
  text
}

cannot_read <- function(name, condition) abort("file", sprintf("cannot read %s: %s", name, conditionMessage(condition)))

all_bytes <- function(connection, name) {
  parts <- list()
  repeat {
    refuse <- function(condition) cannot_read(name, condition)
    part <- tryCatch(readBin(connection, "raw", 2^20), error = refuse, warning = refuse)
    if (length(part) == 0L) return(if (length(parts) == 0L) raw() else do.call(c, parts))
    parts[[length(parts) + 1L]] <- part
  }
}

# A pipe has no size, and must not be read here because it cannot be read twice.
is_compressed <- function(file) {
  if (!isTRUE(file.size(file) > 0) || dir.exists(file)) return(FALSE)
  starts_compressed(tryCatch(readBin(file, "raw", 10L), error = function(e) raw(), warning = function(w) raw()))
}

# The compression format of these bytes, by the first of them: "gzip", "bzip2", "xz", or "" for anything else.
compression <- function(bytes) {
  begins <- function(...) identical(as.integer(utils::head(bytes, ...length())), as.integer(c(...)))
  if (begins(0x1f, 0x8b)) return("gzip")
  if (begins(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00)) return("xz")
  level <- if (length(bytes) > 3L) bytes[[4L]] # "BZh", a digit, and the mark of a block
  if (!is.null(level) && begins(0x42, 0x5a, 0x68, level, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59)) "bzip2" else ""
}
starts_compressed <- function(bytes) nzchar(compression(bytes))

# The lines of the text, or the complete ones among its first `n` bytes. None if it is a pipe, which cannot be read twice, or if
# it is not text.
source_lines <- function(source, n = Inf) {
  bytes <- source_bytes(source, n)
  if (any(bytes == 0L)) return(character())
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  lines <- strsplit(text, "\r\n|\n|\r", useBytes = TRUE)[[1L]]
  if (length(bytes) == n) lines <- utils::head(lines, -1L)
  Encoding(lines) <- "UTF-8"
  if (!all(validUTF8(lines))) return(character()) # the core says where
  sub("^\ufeff", "", lines)
}

source_bytes <- function(source, n) {
  if (!is.null(source$text)) return(utils::head(source$text, n))
  size <- file.size(source$name)
  if (!isTRUE(size > 0) || dir.exists(source$name)) return(raw())
  none <- function(condition) NULL # the core reports why
  connection <- tryCatch(file(source$name, "rb", raw = TRUE), error = none, warning = none)
  if (is.null(connection)) return(raw())
  on.exit(close(connection))
  tryCatch(if (n < size) readBin(connection, "raw", n) else all_bytes(connection, source$name), error = function(e) raw())
}

# The first line that is neither empty nor a comment; "" if there is none. Reads no more of the file than it must.
first_line <- function(source, n = 2^18) {
  lines <- trimws(source_lines(source, n))
  lines <- lines[nzchar(lines) & !startsWith(lines, "#") & !startsWith(lines, "//")]
  if (length(lines) > 0L) return(lines[[1L]])
  size <- if (is.null(source$text)) file.size(source$name) else length(source$text)
  if (is.na(size) || n > size) "" else first_line(source, 8 * n)
}
