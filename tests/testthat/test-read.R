write_lines <- function(lines) {
  file <- tempfile("net", fileext = ".txt")
  writeLines(lines, file)
  file
}

# The error's text with the temporary file's path as FILE.
error_text <- function(expr, class) {
  error <- expect_error(expr, class = paste0("fireflip_error_", class))
  gsub(paste0(tempdir(), "/net[^, :]*"), "FILE", conditionMessage(error))
}

busy_network <- function() {
  pbn(
    list(
      A = c("B & !C" = 0.3, "f(A, B, C){01101001}" = 0.7), B = "A ^ (C | !A)", C = "C", "d e" = c("1" = 1 / 3, "\"d e\"" = 2 / 3)
    ),
    perturbation = 0.0125, update = "asynchronous", exempt = "C", initial = c(A = 1, `d e` = 0)
  )
}

# All functions must have the same values in all states. Their text may differ.
expect_same_rules <- function(x, y) {
  expect_identical(x$nodes, y$nodes)
  expect_identical(x$rules$node, y$rules$node)
  expect_identical(x$rules$probability, y$rules$probability)
  states <- all_states(length(x$nodes))
  for (model in list(x, y)) stopifnot(nrow(states) <= 2^12)
  px <- .Call(ffi_pbn_parents, x)
  py <- .Call(ffi_pbn_parents, y)
  tx <- .Call(ffi_pbn_tables, x)
  ty <- .Call(ffi_pbn_tables, y)
  for (rule in seq_along(px)) {
    expect_identical(
      apply(states, 1, function(state) table_value(tx[[rule]], px[[rule]], state)),
      apply(states, 1, function(state) table_value(ty[[rule]], py[[rule]], state))
    )
  }
}

test_that("the format pbn stores everything: writing and reading gives the identical network", {
  net <- busy_network()
  file <- tempfile(fileext = ".pbn")
  expect_identical(write_network(net, file), file)
  expect_identical(read_network(file), net)
  expect_identical(read_pbn(file), net)

  dependent <- pbn(list(A = c("B", "!B"), B = c("A", "!A")),
    contexts = list(probability = c(0.9, 0.1), predictor = rbind(c(1, 1), c(2, 2))), perturbation = 0.1)
  write_pbn(dependent, file)
  expect_identical(read_pbn(file), dependent)
  unlink(file)
})

test_that("the text of a .pbn file is that of ASSA-PBN, except for the extensions", {
  file <- write_pbn(
    pbn(list(A = c("B" = 0.25, "!B" = 0.75), B = "A & B"), perturbation = 0.01, exempt = "B"), tempfile(fileext = ".pbn")
  )
  expect_identical(readLines(file), c(
    "type=synchronous", "n=2", "perturbation=0.01", "", "nodeNames", "A", "B", "endNodeNames", "", "node A", "0.25 : B",
    "0.75 : !B", "endNode", "", "node B", "1 : A & B", "endNode", "", "npNode", "B", "endNpNode"
  ))
  unlink(file)
})

test_that("BoolNet's text, .bnet and SBML-qual keep the functions' meaning and say what they drop", {
  net <- busy_network()
  file <- tempfile(fileext = ".txt")
  warning <- expect_warning(write_boolnet(net, file), class = "fireflip_warning_dropped")
  expect_match(
    conditionMessage(warning), "cannot store the perturbation, the asynchronous update, the exempt nodes, the initial values",
    fixed = TRUE
  )
  back <- read_network(file)
  expect_same_rules(back, net)
  expect_identical(back$perturbation, 0)
  expect_identical(back$update, "synchronous")

  plain <- pbn(c(A = "B & !C", B = "A ^ (C | !A)", C = "f(A, B, C){01101001}"))
  for (ending in c(".bnet", ".boolnet", ".sbml")) {
    file <- tempfile(fileext = ending)
    expect_silent(write_network(plain, file))
    expect_same_rules(read_network(file), plain)
    unlink(file)
  }
  expect_false(any(grepl("^", readLines(write_bnet(plain, tempfile())), fixed = TRUE)))
})

test_that("a format that cannot express a network is an error", {
  several <- pbn(list(A = c("B", "!B"), B = "A"))
  dependent <- pbn(list(A = c("B", "!B"), B = "A"), contexts = list(probability = 1, predictor = matrix(1, 1, 2)))
  expect_error(write_bnet(several, tempfile()), "one function per node, but node \"A\" has 2", class = "fireflip_error_model")
  expect_error(write_sbml(several, tempfile()), class = "fireflip_error_model")
  expect_error(write_boolnet(dependent, tempfile()), "contexts of a dependent network", class = "fireflip_error_model")
})

test_that("the arguments override the file", {
  file <- write_pbn(busy_network(), tempfile(fileext = ".pbn"))
  arguments <- list(perturbation = 0.5, update = "synchronous", exempt = c("A", "B"), initial = c(A = 0, B = NA, C = 1))
  expect_message(net <- do.call(read_pbn, c(file, arguments)), "The input \"C\" is perturbed", class = "fireflip_message_inputs")
  expect_identical(net$perturbation, 0.5)
  expect_identical(net$update, "synchronous")
  expect_identical(net$exempt, c(TRUE, TRUE, FALSE, FALSE))
  expect_identical(net$initial, c(0L, NA, 1L, 0L))
  expect_identical(read_pbn(file, exempt = character())$exempt, logical(4))
  expect_identical(read_pbn(file, perturbation = 0)$perturbation, 0)
  expect_error(read_pbn(file, perturbation = 1), "`perturbation`", class = "fireflip_error_argument")
  expect_error(read_pbn(file, update = "fast"), "`update`", class = "fireflip_error_argument")
  expect_error(read_pbn(file, update = c("synchronous", "asynchronous")), "`update`", class = "fireflip_error_argument")
  expect_error(read_pbn(file, exempt = "Q"), "Q", class = "fireflip_error_argument")
  expect_error(read_pbn(file, initial = c(A = 2)), "`initial`", class = "fireflip_error_argument")
  expect_error(read_pbn(c(file, file)), "`file`", class = "fireflip_error_argument")
  expect_error(read_network(file, "xls"), "`format`", class = "fireflip_error_argument")
  unlink(file)
})

test_that("BoolNet's text: comments, any header, inputs, probabilities a little off, Windows lines", {
  file <- tempfile()
  writeBin(charToRaw(paste0(
    "# made by hand\r\n\r\nTargets, Factors, PROBABILITIES\r\n",
    "b, a & !c, 0.333333 # one\r\nb, x1, 0.333333\r\na, 1, 1\r\nb, b, 0.333333\r\n"
  )), file)
  net <- read_network(file)
  expect_identical(net$nodes, c("b", "a", "c", "x1"))
  expect_identical(net$rules$predictor, c("a & !c", "x1", "b", "1", "c", "x1"))
  expect_equal(net$rules$probability, c(1, 1, 1, 3, 3, 3) / 3, tolerance = 1e-15)
  unlink(file)
})

test_that("names outside of ASCII survive", {
  net <- pbn(c("\u03b2-catenin" = "\u00e9 & \"p53 (active)\"", "\u00e9" = "1", "p53 (active)" = "`\u03b2-catenin`"))
  for (ending in c(".pbn", ".bnet")) {
    file <- write_network(net, tempfile(fileext = ending))
    back <- read_network(file)
    expect_identical(back$nodes, enc2utf8(net$nodes))
    expect_identical(Encoding(back$nodes), c("UTF-8", "UTF-8", "unknown"))
    expect_identical(back$rules$node, net$rules$node)
    unlink(file)
  }
  latin <- pbn(c(A = "B", B = "A"))
  latin$nodes <- iconv(c("\u00e9", "\u00e8"), "UTF-8", "latin1")
  latin$rules$predictor <- iconv(c("\u00e8", "\u00e9"), "UTF-8", "latin1")
  file <- write_network(latin, tempfile(fileext = ".pbn"))
  expect_identical(read_network(file)$nodes, c("\u00e9", "\u00e8"))
  unlink(file)
})

test_that("errors name the file, the line, what was found and what was expected", {
  expect_identical(
    error_text(read_network(write_lines(c("targets, factors", "A, B & ", "B, A"))), "parse"),
    "FILE, line 2: found the end at character 4 of \"B &\" where a node name, 0, 1, \"!\" or \"(\" was expected"
  )
  expect_identical(
    error_text(read_network(write_lines(c("targets, factors, probabilities", "A, B, 0.5", "A, !B, 0.4"))), "parse"),
    "FILE, line 2: found probabilities of node \"A\" that sum to 0.9 where 1 was expected"
  )
  expect_identical(
    error_text(read_bnet(write_lines(c("targets, factors", "A, B", "A, !B"))), "parse"),
    paste(
      "FILE, line 3: found \"A, !B\" where one function per node",
      "(several need a header \"targets, factors, probabilities\") was expected"
    )
  )
  expect_identical(
    error_text(read_pbn(write_lines(c("type=random"))), "parse"),
    "FILE, line 1: found \"random\" where synchronous, asynchronous or rog was expected"
  )
  expect_identical(
    error_text(read_pbn(write_lines(c("nodeNames", "A", "endNodeNames", "node A", "1 : B", "endNode"))), "parse"),
    "FILE, line 5: no node is called \"B\""
  )
  expect_identical(
    error_text(read_network(write_lines("Dear all,")), "parse"),
    "FILE, line 1: found \"Dear all\" where the name of a node (letters, digits, _ and ., or in quotes) was expected"
  )
  expect_match(
    error_text(read_network(write_lines("Dear all")), "parse"),
    "FILE, line 1: found \"Dear all\" where the start of a network", fixed = TRUE
  )
  expect_identical(
    error_text(read_network(write_lines(character())), "parse"),
    "FILE, line 1: found the end of the file where a network was expected"
  )
  expect_identical(
    error_text(read_network("/nowhere/net.pbn"), "file"), "cannot read /nowhere/net.pbn: No such file or directory"
  )
  expect_match(error_text(read_network(tempdir()), "file"), "Is a directory")
  expect_identical(
    error_text(write_network(busy_network(), "/nowhere/net.pbn"), "file"),
    "cannot write /nowhere/net.pbn: No such file or directory"
  )
  expect_match(error_text(write_network(busy_network(), "net.doc"), "argument"), "`file` must end in .pbn", fixed = TRUE)
  skip_if_not(file.exists("/dev/full"))
  expect_identical(
    error_text(write_network(busy_network(), "/dev/full", "pbn"), "file"), "cannot write /dev/full: No space left on device"
  )
})

test_that("names without a rule are reported", {
  file <- write_lines(c("targets, factors", "A, B & `C c`", "  \"D,d\", A # X, Y", "B, B", "E, E"))
  expect_message(
    net <- read_network(file), "1 name without a rule is taken for an input: \"C c\"", class = "fireflip_message_inputs"
  )
  expect_identical(summary(net)$inputs, c("B", "E", "C c"))
  several <- write_lines(c("\ufefftargets, factors, probabilities", "A, B & A, 0.5", "A, Cc | D, 0.5", "D, D, 1"))
  told <- tryCatch(read_boolnet(several), fireflip_message_inputs = identity)
  expect_identical(told$inputs, c("B", "Cc"))
  expect_identical(conditionMessage(told), "2 names without a rule are taken for inputs: \"B\", \"Cc\"\n")
  expect_silent(read_bnet(write_lines(c("A, B", "B, B"))))
  expect_silent(for (name in example_models()$name) example_model(name))
})

test_that("the first name without a rule that looks misspelt is reported", {
  told <- function(...) tryCatch(read_bnet(write_lines(c(...))), fireflip_message_inputs = conditionMessage)
  expect_identical(
    told("NFkB, NFKB & x2", "x1, x1"),
    "2 names without a rule are taken for inputs: \"NFKB\", \"x2\"; did you mean \"NFkB\" by \"NFKB\"?\n"
  )
  expect_identical(
    told("RasGTP, RasGPT"), "1 name without a rule is taken for an input: \"RasGPT\"; did you mean \"RasGTP\"?\n"
  )
  expect_identical(told("gene1, gene2"), "1 name without a rule is taken for an input: \"gene2\"\n")
})

test_that("a web address is not taken for the name of a file", {
  expect_error(
    read_network("https://example.invalid/net.xml"), "url\\(\"https://example.invalid/net.xml\"\\)", class = "fireflip_error_file"
  )
})

test_that("a missing file name is an error", {
  for (call in list(
    quote(read_network()), quote(read_sbml()), quote(write_network(busy_network())), quote(write_pbn(busy_network()))
  )) {
    expect_error(eval(call), "`file` must be the path of a file, one string.*; found nothing[.]$",
      class = "fireflip_error_argument")
  }
})

test_that("a broken object of class pbn is refused, whichever part is broken", {
  net <- busy_network()
  broken <- list(
    list("nodes", 1:4), list("nodes", c("A", NA, "C", "D")), list("nodes", c("A", "A", "C", "d e")), list("nodes", character()),
    list("rules", NULL), list("rules", data.frame(node = 1)), list("perturbation", "a"), list("perturbation", 1),
    list("perturbation", NA_real_), list("exempt", c(TRUE, NA, FALSE, FALSE)), list("exempt", TRUE), list("initial", rep(2L, 4)),
    list("initial", "x"), list("update", "both"), list("update", 1), list("removed", c(1, 2)), list("removed", -1),
    list("contexts", 1), list("contexts", list(probability = 1, predictor = matrix(9, 1, 4))),
    list("contexts", list(probability = 1, predictor = matrix(1, 1, 3)))
  )
  for (case in broken) {
    bad <- net
    bad[case[[1]]] <- case[2]
    expect_error(
      write_network(bad, tempfile(fileext = ".pbn")), class = "fireflip_error", info = paste(format(case), collapse = " ")
    )
  }
  for (column in c("node", "predictor", "probability")) {
    bad <- net
    bad$rules[[column]] <- switch(column, node = rev(bad$rules$node), predictor = "A &", probability = 0)
    expect_error(write_network(bad, tempfile(fileext = ".pbn")), class = "fireflip_error")
  }
  expect_error(write_network(unclass(net), tempfile()), class = "fireflip_error_argument")
  # integers for doubles and doubles for integers are fine
  net$rules$node <- as.double(net$rules$node)
  net$initial <- as.double(net$initial)
  net$removed <- c(0, 0)
  expect_silent(write_network(net, tempfile(fileext = ".pbn")))
})

test_that("100,000 nodes with tables of seven inputs are read and written in seconds", {
  skip_on_cran()
  set.seed(1)
  n <- 1e5
  parents <- matrix(sample.int(n, 7 * n, replace = TRUE), n)
  rows <- vapply(seq_len(50), function(i) paste(sample(0:1, 128, TRUE), collapse = ""), "")
  inputs <- do.call(paste, c(lapply(1:7, function(k) paste0("g", parents[, k])), sep = ", "))
  net <- new_pbn(list(
    nodes = paste0("g", seq_len(n)),
    rules = data.frame(node = seq_len(n), predictor = paste0("f(", inputs, "){", rep_len(rows, n), "}"), probability = 1),
    perturbation = 0.01, exempt = logical(n), initial = rep(NA_integer_, n), update = "synchronous", contexts = NULL,
    removed = c(nodes = 0L, perturbed = 0L)
  ))
  file <- tempfile(fileext = ".pbn")
  seconds <- system.time(write_network(net, file))[["elapsed"]] + system.time(back <- read_network(file))[["elapsed"]]
  expect_identical(back, net)
  expect_lt(seconds, 20) # about 2 on a small machine; minutes if a step is not linear in the size
  unlink(file)
})

# ---- against others ----------------------------------------------------------------------------------------------

test_that("the apoptosis network is the published one", {
  net <- read_network(skip_without_shared("facts/apoptosis.boolnet"), perturbation = 0.001)
  expect_length(net$nodes, 95)
  expect_identical(nrow(net$rules), 106L)
  expect_identical(round(.Call(ffi_pbn_check, net)$density, 2), 1.61)
  expect_equal(as.vector(tapply(net$rules$probability, net$rules$node, sum)), rep(1, 95), tolerance = 1e-15)
  expect_identical(net$rules$predictor[net$nodes[net$rules$node] == "UV"], "UV")
  expect_identical(net$perturbation, 0.001)
})

test_that("third-party files are read as their notes say, and are the same after writing and reading", {
  net <- read_network(skip_without_shared("models/boolean/example_network.pbn"))
  expect_identical(net$nodes, c("x0", "x1", "x2"))
  expect_identical(net$rules$predictor, c("x0 & x1", "!x2 & (x1 | x0)", "!x0 & x1 & x2", "!x0 & x1", "x0 & x1 & !x2"))
  expect_identical(net$rules$probability, c(1, 0.3, 0.7, 0.4, 0.6))
  expect_identical(net$exempt, c(FALSE, FALSE, TRUE))
  expect_identical(net$perturbation, 0)
  expect_identical(read_network(skip_without_shared("models/boolean/test2.pbn"))$perturbation, 0.2)

  sizes <- c("003.bnet" = 18, "070.bnet" = 53, "207.bnet" = 104, grieco_mapk.bnet = 53, tournier_apoptosis.bnet = 12)
  for (name in names(sizes)) {
    file <- skip_without_shared(file.path("models/boolean", name))
    net <- suppressMessages(read_network(file)) # inputs without a rule
    lines <- grep("^[^#]*,", sub("#.*", "", readLines(file)), value = TRUE)
    targets <- setdiff(trimws(sub(",.*", "", lines)), "targets")
    expect_identical(head(net$nodes, length(targets)), targets, info = name)
    again <- tempfile()
    for (format in c("pbn", "bnet", "boolnet")) expect_identical(
      read_network(write_network(net, again, format)), net, info = name
    )
  }
})

test_that("BoolNet reads the same network from fireflip's files, and fireflip from BoolNet's", {
  skip_if_not_installed("BoolNet")
  net <- pbn(list(A = c("B & !C" = 0.25, "A ^ C" = 0.75), B = "A | (B & C)", C = "f(A, B){0110}", D = "1"))
  file <- write_boolnet(net, tempfile())
  theirs <- BoolNet::loadNetwork(file)
  expect_identical(theirs$genes, net$nodes)
  states <- all_states(4)
  for (gene in seq_along(net$nodes)) {
    ours <- which(net$rules$node == gene)
    expect_length(theirs$interactions[[gene]], length(ours))
    for (k in seq_along(ours)) {
      part <- theirs$interactions[[gene]][[k]]
      expect_equal(part$probability, net$rules$probability[ours[k]])
      value <- apply(states, 1, function(state) {
        if (identical(as.vector(part$input), 0)) part$func[[1]] else table_value(part$func, part$input, state)
      })
      expect_equal(value, apply(states, 1, function(state) table_value(
        .Call(ffi_pbn_tables, net)[[ours[k]]], .Call(ffi_pbn_parents, net)[[ours[k]]], state
      )))
    }
  }
  skip_with_comma("BoolNet writes numbers with a comma here")
  BoolNet::saveNetwork(theirs, file)
  expect_same_rules(read_boolnet(file), net)
  unlink(file)
})

# ---- sources of text, and kinds of models --------------------------------------------------------------------

test_that("compressed files and connections are read like plain files", {
  file <- tempfile(fileext = ".bnet")
  writeLines(c("targets, factors", "A, B | \u00fc", "B, !A"), file, useBytes = TRUE)
  same <- function(expr) expect_identical(suppressMessages(expr), whole)
  expect_message(whole <- read_network(file), "input: \"\u00fc\"", class = "fireflip_message_inputs")
  bytes <- readBin(file, "raw", 1e4)
  for (type in c("gzip", "bzip2", "xz")) {
    packed <- paste0(file, ".", type)
    writer <- switch(type, gzip = gzfile, bzip2 = bzfile, xz = xzfile)(packed, "wb")
    writeBin(bytes, writer)
    close(writer)
    same(read_network(packed))
    expect_message(read_bnet(packed), "input: \"\u00fc\"", class = "fireflip_message_inputs")
    same(read_network(file(packed)))
    same(read_network(gzfile(packed)))
    packed_bytes <- rawConnection(readBin(packed, "raw", 1e4))
    same(read_network(packed_bytes))
    close(packed_bytes)
  }
  same(read_network(file(file)))
  open <- file(file, "rb")
  same(read_network(open))
  expect_true(isOpen(open)) # an open connection stays open
  close(open)
  text <- textConnection(c("A, B | C", "B, !A"))
  expect_identical(suppressMessages(read_network(text))$nodes, c("A", "B", "C"))
  close(text)
  expect_error(read_network(text), class = "fireflip_error_file")
  expect_error(read_network(file(paste0(file, "-none"))), "cannot read", class = "fireflip_error_file")
  broken <- tempfile(fileext = ".gz")
  writeBin(as.raw(c(0x1f, 0x8b, 8, 0, 1, 2, 3)), broken)
  expect_error(read_network(broken), class = "fireflip_error")
  # errors name the file, even if it is compressed
  bad <- gzfile(paste0(file, ".gz"), "w")
  writeLines(c("targets, factors", "A, A &"), bad)
  close(bad)
  expect_error(read_network(paste0(file, ".gz")), "bnet[.]gz, line 2", class = "fireflip_error_parse")
})

test_that("files with one rule per line are read", {
  file <- tempfile(fileext = ".txt")
  text <- function(...) {
    writeLines(c(...), file)
    file
  }
  rules <- text("# a comment", "", "A = B & !C # and another", "\"NF kB=\":= A", "B=`NF kB=`|f(A, C){0110}")
  net <- suppressMessages(read_network(rules))
  expect_identical(net, pbn(c(A = "B & !C", "NF kB=" = "A", B = "\"NF kB=\" | f(A, C){0110}", C = "C")))
  expect_identical(suppressMessages(read_network(file, "rules")), net)
  expect_message(read_network(file, perturbation = 0.1), "input: \"C\"", class = "fireflip_message_inputs")
  expect_identical(read_network(text("targets = factors", "factors = targets"))$nodes, c("targets", "factors"))
  # ASSA-PBN's files begin with lines of this form: then the format must be given
  expect_error(read_network(text("n = A", "A = n")), class = "fireflip_error_parse")
  expect_identical(read_network(file, "rules"), pbn(c(n = "A", A = "n")))
  expect_error(read_network(text("A = B", "B = A &")), "txt, line 2: ", class = "fireflip_error_parse")
  expect_error(read_network(text("A = B", "B - A")), "line 2: found \"B - A\"", class = "fireflip_error_parse")
  expect_error(read_network(text("A = B", "B = A", "A = !B")), "line 3: .*first is on line 1", class = "fireflip_error_parse")
  expect_error(read_network(text("# nothing"), "rules"), class = "fireflip_error_parse")
})

test_that("a compressed file that is cut off is an error, not a smaller network", {
  names <- sprintf("g%d", 1:3000)
  lines <- c("targets, factors", sprintf("%s, %s & !%s", names, rev(names), c(names[-1L], "g1")))
  open <- list(gzip = gzfile, bzip2 = bzfile, xz = xzfile)
  for (how in names(open)) {
    whole <- tempfile(fileext = paste0(".", how))
    connection <- open[[how]](whole, "wb")
    writeLines(lines, connection)
    close(connection)
    bytes <- readBin(whole, "raw", file.size(whole))
    expect_length(read_network(whole)$nodes, 3000L)
    in_memory <- rawConnection(bytes)
    expect_length(read_network(in_memory)$nodes, 3000L)
    close(in_memory)
    for (left in c(length(bytes) - c(1, 4, 9, 20), round(length(bytes) * c(0.99, 0.9, 0.5, 0.31)))) {
      part <- tempfile()
      writeBin(bytes[seq_len(left)], part)
      for (file in list(part, file(part), gzfile(part), rawConnection(bytes[seq_len(left)]))) {
        expect_error(suppressMessages(read_network(file)), class = "fireflip_error_file",
          info = paste(how, left, class(file)[[1L]]))
        if (inherits(file, "connection")) try(close(file), silent = TRUE)
      }
    }
  }
  text <- tempfile() # begins as bzip2 does, and is a network
  writeLines(c("BZh = A", "A = BZh"), text)
  expect_setequal(read_network(text, format = "rules")$nodes, c("BZh", "A"))
})

test_that("rules are recognised by :=, whatever the first node is called", {
  file <- tempfile()
  writeLines(c("type := A", "A := type"), file)
  expect_setequal(read_network(file)$nodes, c("type", "A"))
})

test_that("the first rule is found, however long it is or what precedes it", {
  long <- paste(rep("A", 1e5), collapse = " | ")
  for (lines in list(
    paste("A =", long), c(rep("# a comment", 3e4), "A = A"), paste0("A = ", strrep("A | ", (2^18 - 8) / 4), "!A")
  )) {
    file <- tempfile()
    writeLines(lines, file)
    expect_identical(read_network(file)$nodes, "A")
  }
})
