#' Conservation laws of a reaction network
#'
#' Finds weighted sums of counts that no reaction changes, such as the total number of molecules of an enzyme, free and bound.
#' They follow from the equations alone, not from the rates.
#'
#' The vectors of weights form the left null space of the stoichiometric matrix. A basis of this space is computed exactly, in
#' integers. If possible, no weight is negative: a law without negative weights bounds the counts of its species. Such laws are
#' found by Farkas's algorithm (Martinez and Silva 1982). If the algorithm needs too many vectors, or if there is no such basis,
#' some laws have negative weights. The weights of a law have no common divisor but 1.
#'
#' @param model A network of class `reaction_network`.
#' @param ... Must be empty.
#' @returns A data frame with a row for each species of each law, and the columns `law` (its number), `species`, `weight` (a whole
#'   number other than 0) and `total` (the sum of the law, which follows from the initial counts). Laws with few species come
#'   first. A species whose count never changes, such as a fixed one, is a law of its own. Without laws, there are no rows,
#'   and `print()` says so.
#' @section Errors: `fireflip_error_size` if a weight exceeds 2^53; `fireflip_error_argument` for an object of another class.
#' @references Martinez J, Silva M (1982). A simple and fast algorithm to obtain all invariants of a generalised Petri net. In:
#'   *Application and Theory of Petri Nets*, Informatik-Fachberichte 52, 301-310.
#' @concept moiety conservation
#' @concept invariant
#' @export
#' @examples
#' net <- reaction_network(
#'   "E + S <-> ES" = c(0.1, 1), "ES -> E + P" = 0.5, initial = c(E = 5, S = 100)
#' )
#' conservation_laws(net) # the enzyme and the substrate
conservation_laws <- function(model, ...) UseMethod("conservation_laws")

#' @export
conservation_laws.default <- function(model, ...) no_method(model, "conservation_laws", ...)

#' @rdname conservation_laws
#' @export
conservation_laws.reaction_network <- function(model, ...) {
  check_parts(model)
  check_no_more(...)
  laws <- laws_of_changes(count_changes(model), nrow(model$species))
  table_of_laws(laws, model$species$species, model$species$initial, "species")
}

# A basis of the weighted sums of n quantities that no change alters, with as few negative weights as possible.
laws_of_changes <- function(changes, n) {
  laws <- null_vectors(changes, n, one_pivot)
  if (any(vapply(laws, function(law) any(law$weight < 0), NA))) {
    positive <- null_vectors(changes, n, all_pairs, minimal = TRUE)
    laws <- independent_vectors(c(positive[order(lengths(lapply(positive, `[[`, "at")))], laws), length(laws))
  }
  laws[order(lengths(lapply(laws, `[[`, "at")), vapply(laws, function(law) law$at[[1L]], 0L))]
}

# Laws as a data frame, where `item` is the name of the column of names.
table_of_laws <- function(laws, names, initial, item) {
  at <- as.integer(unlist(lapply(laws, `[[`, "at")))
  weight <- as.double(unlist(lapply(laws, `[[`, "weight")))
  law <- rep(seq_along(laws), lengths(lapply(laws, `[[`, "at")))
  total <- vapply(laws, function(law) sum(law$weight * initial[law$at]), 0)
  out <- stats::setNames(data.frame(law = law, names[at], weight = weight, total = total[law]), c("law", item, "weight", "total"))
  if (nrow(out) == 0L) class(out) <- c("no_conservation_laws", "data.frame")
  out
}

# A table without rows would leave open what this means.
#' @export
print.no_conservation_laws <- function(x, ...) {
  if (nrow(x) > 0L) return(print(plain_frame(x), ...))
  writeLines("The network has no conservation law: reactions change every weighted sum of counts.")
  invisible(x)
}

#' @export
as.data.frame.no_conservation_laws <- function(x, ...) plain_frame(x)

# The different changes of counts, up to the sign: a list of list(at, by), without fixed species. Short ones come first.
count_changes <- function(model) {
  arrows <- .Call(ffi_reactions_arrows, model)
  used <- arrows$role != 3L & !model$species$fixed[arrows$species]
  if (!any(used)) return(list())
  by <- ifelse(arrows$role[used] == 2L, arrows$count[used], -arrows$count[used])
  key <- arrows$reaction[used] * (nrow(model$species) + 1) + arrows$species[used]
  sums <- rowsum(by, key)
  key <- as.numeric(rownames(sums))
  changed <- order(key)
  changed <- changed[sums[changed, 1L] != 0]
  species <- as.integer(key[changed] %% (nrow(model$species) + 1))
  reaction <- key[changed] %/% (nrow(model$species) + 1)
  by <- unname(sums[changed, 1L])
  first <- !duplicated(reaction)
  by <- by * sign(by[first])[cumsum(first)]
  text <- vapply(split(paste(species, by), reaction), paste, "", collapse = " ")
  keep <- which(!duplicated(text))
  species <- split(species, reaction)[keep]
  by <- split(by, reaction)[keep]
  Map(function(at, by) list(at = at, by = by), species, by)[order(lengths(species))]
}

# Vectors of whole numbers that are orthogonal to all changes. It begins with the unit vectors. For each change, `combine`
# replaces the vectors that are not orthogonal to it by combinations that are. A vector is list(at, weight), with `at` ascending.
# A combination may also have `from`: it takes the place of this vector. Then only its other species need new holders, so that the
# time for a long chain does not grow with the cube of its length. With `minimal`, a combination is left out if the species of
# another vector are among its own. There are no vectors at all if `combine` makes more than `most` that take no place: their
# number may grow exponentially.
null_vectors <- function(changes, n, combine, minimal = FALSE, most = 1e4) {
  vectors <- lapply(seq_len(n), function(i) list(at = i, weight = 1))
  holders <- as.list(seq_len(n)) # of each species: the vectors that have it, and perhaps some that are gone
  age <- as.double(seq_len(n)) # older vectors come first
  newest <- n
  for (change in changes) {
    near <- unique(unlist(lapply(holders[change$at], function(some) some[order(age[some])])))
    near <- near[lengths(vectors[near]) > 0L]
    value <- vapply(vectors[near], function(v) {
      hit <- match(change$at, v$at, nomatch = 0L)
      products <- exact_weights(change$by[hit > 0L] * v$weight[hit])
      if (sum(abs(products)) > 2^53) exact_weights(Inf)
      sum(products)
    }, 0)
    hit <- near[value != 0]
    if (length(hit) == 0L) next
    new <- combine(vectors[hit], value[value != 0], most)
    if (is.null(new)) return(list())
    most <- most - sum(vapply(new, function(v) is.null(v$from), NA))
    before <- vectors[hit]
    vectors[hit] <- list(NULL)
    for (at in change$at) holders[[at]] <- setdiff(holders[[at]], hit)
    for (v in new) {
      if (minimal && holds_another(v, vectors, holders)) next
      slot <- if (is.null(v$from)) length(vectors) + 1L else hit[[v$from]]
      had <- if (is.null(v$from)) integer() else setdiff(before[[v$from]]$at, change$at)
      vectors[[slot]] <- v[c("at", "weight")]
      newest <- newest + 1
      age[[slot]] <- newest
      for (at in setdiff(v$at, had)) holders[[at]] <- c(holders[[at]], slot)
      for (at in setdiff(had, v$at)) holders[[at]] <- setdiff(holders[[at]], slot)
    }
  }
  left <- which(lengths(vectors) > 0L)
  vectors[left[order(age[left])]]
}

# Whether the species of another vector are among those of v.
holds_another <- function(v, vectors, holders) {
  near <- unlist(holders[v$at])
  near <- near[lengths(vectors[near]) > 0L]
  shared <- tabulate(match(near, unique(near)))
  any(shared == lengths(lapply(vectors[unique(near)], `[[`, "at")))
}

# a v + b w, divided by the common divisor.
combination <- function(a, v, b, w) {
  at <- sort(unique(c(v$at, w$at)))
  weight <- numeric(length(at))
  weight[match(v$at, at)] <- exact_weights(a * v$weight)
  place <- match(w$at, at)
  weight[place] <- exact_weights(weight[place] + exact_weights(b * w$weight))
  at <- at[weight != 0]
  weight <- weight[weight != 0]
  if (length(at) == 0L) return(list(at = at, weight = weight))
  if (any(abs(weight) == 1)) return(list(at = at, weight = weight)) # Reduce() takes long
  list(at = at, weight = weight / Reduce(common_divisor, abs(weight)))
}

# Whole numbers that are not rounded. Larger ones might cancel to a wrong small one.
exact_weights <- function(weight) {
  if (any(abs(weight) > 2^53)) abort("size", "A conservation law has a weight above 2^53.")
  weight
}

common_divisor <- function(a, b) {
  while (b != 0) {
    rest <- a %% b
    a <- b
    b <- rest
  }
  a
}

# A basis remains a basis: the shortest vector is used up.
one_pivot <- function(vectors, value, most) {
  pivot <- order(abs(value), lengths(lapply(vectors, `[[`, "at")))[[1L]]
  lapply(seq_along(vectors)[-pivot], function(i) {
    sign <- sign(value[[pivot]])
    c(combination(sign * value[[pivot]], vectors[[i]], -sign * value[[i]], vectors[[pivot]]), from = i)
  })
}

# Farkas's algorithm: sums of each vector with a positive value and each with a negative one. NULL for more than `most`.
all_pairs <- function(vectors, value, most) {
  up <- which(value > 0)
  down <- which(value < 0)
  if (min(length(up), length(down)) > 1L && length(up) * length(down) > most) return(NULL)
  pairs <- lapply(up, function(i) lapply(down, function(j) {
    c(
      combination(-value[[j]], vectors[[i]], value[[i]], vectors[[j]]),
      if (length(up) == 1L) list(from = j) else if (length(down) == 1L) list(from = i)
    )
  }))
  do.call(c, c(list(list()), pairs))
}

# The first `n` independent vectors.
independent_vectors <- function(vectors, n) {
  kept <- list()
  reduced <- list() # the kept vectors without the leading species of those before
  for (v in vectors) {
    if (length(kept) == n) break
    left <- v
    for (r in reduced) {
      place <- match(r$at[[1L]], left$at)
      if (!is.na(place)) left <- combination(r$weight[[1L]], left, -left$weight[[place]], r)
      if (length(left$at) == 0L) break
    }
    if (length(left$at) == 0L) next
    kept <- c(kept, list(v))
    reduced <- c(reduced, list(left))
  }
  kept
}
