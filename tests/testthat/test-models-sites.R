# Generated networks of molecules with sites.

sizes <- function(net) unlist(summary(net)[c("n_species", "n_reactions")], use.names = FALSE)

# The mean number of propensities that an event changes: those of the reactions that have a reactant whose count it changes.
mean_dependents <- function(net) {
  arrows <- network_arrows(net)
  product <- arrows$role == "product"
  reaction <- ifelse(product, arrows$from, arrows$to)
  species <- ifelse(product, arrows$to, arrows$from)
  change <- rowsum(ifelse(product, arrows$count, -arrows$count), paste(reaction, species))
  changed <- strsplit(rownames(change)[change != 0], " ")
  changes <- split(vapply(changed, `[[`, "", 2L), vapply(changed, `[[`, "", 1L))
  readers <- split(reaction[!product], species[!product])
  mean(lengths(lapply(changes, function(species) unique(unlist(readers[species])))))
}

# The equations with the names of species in order, so that they can be compared.
reaction_set <- function(net, names = net$species$species, constants = c()) {
  arrows <- network_arrows(net)
  new <- stats::setNames(names, net$species$species)
  side <- function(role) {
    to <- arrows$role == role
    reaction <- factor(if (role == "product") arrows$from[to] else arrows$to[to], net$reactions$name)
    species <- new[if (role == "product") arrows$to[to] else arrows$from[to]]
    vapply(split(paste(arrows$count[to], species), reaction), function(x) paste(sort(x), collapse = " + "), "")
  }
  values <- suppressWarnings(as.numeric(net$reactions$rate))
  values[is.na(values)] <- net$parameters[net$reactions$rate[is.na(values)]]
  sort(paste(side("reactant"), "->", side("product"), "@", values))
}

test_that("networks with sites have the sizes that their rules give", {
  expect_equal(sizes(reaction_model("multistate")), c(9, 18))
  for (n in 1:4) expect_equal(sizes(reaction_model("multisite", sites = n)), c(4^n + 2, 6 * n * 4^(n - 1)))
  for (n in 1:3) expect_equal(sizes(reaction_model("receptor", sites = n)), c(8^n + 7, 30 * n * 8^(n - 1) + 9))
  expect_equal(sizes(reaction_model("receptor")), c(4103, 61449))
  expect_equal(mean_dependents(reaction_model("multistate")), 7, tolerance = 0.01)
  expect_equal(mean_dependents(reaction_model("multisite")), 55.3, tolerance = 0.001)
  expect_error(reaction_model("multisite", sites = 0), class = "fireflip_error_argument")
  expect_error(reaction_model("receptor", sites = 9), class = "fireflip_error_argument")
})

test_that("no reaction changes the number of any molecule", {
  totals <- function(net, count) { # count(names) gives a matrix with a column for each kind of molecule
    arrows <- network_arrows(net)
    product <- arrows$role == "product"
    by <- ifelse(product, arrows$count, -arrows$count) * count(ifelse(product, arrows$to, arrows$from))
    rowsum(by, ifelse(product, arrows$from, arrows$to))
  }
  letters_of <- function(names, letter) lengths(regmatches(names, gregexpr(letter, names)))
  multistate <- totals(reaction_model("multistate"), function(x) sapply(c("R", "L", "A"), letters_of, names = x))
  expect_true(all(multistate == 0))
  multisite <- totals(reaction_model("multisite"), function(x) sapply(c("R", "L", "A"), letters_of, names = x))
  expect_true(all(multisite == 0))
  receptor <- totals(reaction_model("receptor", sites = 2), function(x) {
    g <- ifelse(grepl("X", x), letters_of(x, "[gsjk]"), letters_of(x, "G"))
    s <- ifelse(grepl("X", x), letters_of(x, "[sk]"), letters_of(x, "S"))
    h <- ifelse(grepl("X", x), letters_of(x, "[hijk]"), letters_of(x, "H"))
    cbind(letters_of(x, "X"), g, s, h)
  })
  expect_true(all(receptor == 0))
})

test_that("they are the networks that BioNetGen generates", {
  files <- vapply(c("multistate", "multisite2"), function(name) {
    skip_without_shared(sprintf("models/bngl-nets/%s.net", name))
  }, "")
  theirs <- read_bngl_net(files[["multistate"]])
  ours <- c("R", "L", "A", "RL", "RA", "RLA", "RLAp", "RAp", "Ap") # in the order of the file
  expect_identical(reaction_set(theirs, ours), reaction_set(reaction_model("multistate")))
  expect_identical(theirs$species$initial, reaction_model("multistate")$species$initial)

  theirs <- read_bngl_net(files[["multisite2"]])
  site <- function(x, i) {
    state <- sub(sprintf(".*p%d~([UP]!?).*", i), "\\1", x)
    c(U = "u", `U!` = "R", P = "p", `P!` = "L")[state]
  }
  patterns <- theirs$species$species
  names <- ifelse(startsWith(patterns, "A("), paste0("A", site(patterns, 1), site(patterns, 2), site(patterns, 3)),
    substr(patterns, 1, 1))
  net <- reaction_model("multisite")
  expect_setequal(names, net$species$species)
  expect_identical(reaction_set(theirs, names), reaction_set(net))
  expect_identical(theirs$species$initial, net$species$initial[match(names, net$species$species)])
})
