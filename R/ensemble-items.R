# What an ensemble observes: species of a reaction network, or places of a Petri net. The record of a run has the attribute
# `item`: the word, which is also the name of the column of results; "species" if there is none. Places may have colours. Then
# `colours` of the record has a row for each observed quantity: its place, and a column for each component of its colour. A result
# has these columns, and its trajectories are long: a row for each trajectory, time and quantity, with a column `value`.
#
# Methods work with a result as a reaction network has it, which with_species() makes; with_items() does the opposite.

items <- c(species = "species", place = "places")

item_of <- function(x) {
  run <- if (is.data.frame(x)) attr(x, "run") else x
  for (word in list(run$item, run$word)) if (is_texts(word, 1L) && word %in% names(items)) return(word)
  "species"
}

items_of <- function(x) items[[item_of(x)]]

# A result whose column `species` has the names of the observed quantities. Trajectories become wide. A result that lacks columns
# stays as it is, so that the checks of methods find this.
with_species <- function(x) {
  run <- attr(x, "run")
  if (!is.data.frame(x) || !is.list(run) || !is_texts(run$item, 1L)) return(x)
  class <- class(x)
  kind <- kind_of_result(x)
  rows <- plain_frame(x)
  if (!is.null(run$colours) && !is.null(rows$place)) {
    names <- names_of_colours(rows, run)
    if (is.null(names)) return(x)
    own <- match("place", names(rows))
    rows[[own]] <- names
    rows <- rows[setdiff(names(rows), names(run$colours)[-1L])]
  }
  if (has_wide_rows(run)) {
    if (!is.null(run$colours) && all(c("place", "value", "trajectory", "time") %in% names(rows))) rows <- widened(rows, run)
  } else {
    at <- match(c("place", "transition", "place_1", "place_2"), names(rows))
    names(rows)[at[!is.na(at)]] <- c("species", "reaction", "species_1", "species_2")[!is.na(at)]
  }
  run$word <- run$item
  run[c("item", "colours")] <- NULL
  structure(rows, class = class, run = run)
}

# Whether a reaction network would have a column for each quantity.
has_wide_rows <- function(run) isTRUE(run$output %in% c("trajectories", "final"))

# The names of the quantities of long rows, such as Ca[3,5]; NULL if columns are missing.
names_of_colours <- function(rows, run) {
  columns <- names(run$colours)
  if (!all(columns %in% names(rows))) {
    columns <- "place"
    if (anyDuplicated(run$colours$place)) return(NULL)
  }
  key <- function(x) do.call(paste, c(unname(as.list(x)[columns]), sep = "\r"))
  run$species[match(key(rows), key(run$colours))]
}

# Long rows as wide ones. Rows that the user has removed are NA in the columns that remain.
widened <- function(rows, run) {
  present <- run$species[run$species %in% rows$place]
  rest <- setdiff(names(rows), c("place", "value"))
  n <- length(present)
  regular <- n > 0L && nrow(rows) %% n == 0L && identical(rows$place, rep(present, length.out = nrow(rows)))
  if (regular) {
    first <- seq.int(1L, by = n, length.out = nrow(rows) %/% n)
    values <- matrix(rows$value, ncol = n, byrow = TRUE)
  } else {
    key <- do.call(paste, c(unname(as.list(rows)[rest]), sep = "\r"))
    first <- which(!duplicated(key))
    values <- matrix(NA_real_, length(first), n)
    values[cbind(match(key, key[first]), match(rows$place, present))] <- rows$value
  }
  out <- c(as.list(rows[first, rest, drop = FALSE]), stats::setNames(lapply(seq_len(n), function(j) values[, j]), present))
  structure(out, class = "data.frame", row.names = .set_row_names(length(first)))
}

# The opposite: `x` is a list of columns, or a data frame, which has the column `species` (or species_1 and species_2, or
# reaction).
with_items <- function(x, run) {
  item <- item_of(run)
  if (item == "species") return(x)
  if (!is.null(run$colours) && !is.null(x$species)) {
    at <- match(as.character(x$species), run$species)
    if (!anyNA(at)) {
      columns <- lapply(run$colours, `[`, at)
      place <- match("species", names(x))
      out <- c(as.list(x)[seq_len(place - 1L)], columns, as.list(x)[-seq_len(place)])
      if (!is.data.frame(x)) return(out)
      return(structure(out, class = class(x), row.names = attr(x, "row.names")))
    }
  }
  old <- c("species", "reaction", "species_1", "species_2")
  at <- match(old, names(x))
  names(x)[at[!is.na(at)]] <- c(item, "transition", paste0(item, "_", 1:2))[!is.na(at)]
  x
}

# The columns of a result's states: wide, or long if places have colours. `time` and `trajectory` have an element for each row of
# the wide result.
columns_of_states <- function(trajectory, time, states, run) {
  if (is.null(run$colours)) return(c(list(trajectory = trajectory, time = time), states))
  n <- length(states)
  rows <- length(time)
  value <- as.vector(matrix(unlist(states, use.names = FALSE), n, rows, byrow = TRUE))
  c(
    list(trajectory = rep(trajectory, each = n), time = rep(time, each = n)), lapply(run$colours, rep, times = rows),
    list(value = value)
  )
}

# Long trajectories again, from the wide ones that with_species() made.
with_long_rows <- function(x, run) {
  if (is.null(run$colours) || is.null(run$item)) return(x)
  rows <- plain_frame(x)
  present <- match(intersect(run$species, names(rows)), run$species)
  run$colours <- run$colours[present, , drop = FALSE]
  out <- columns_of_states(rows$trajectory, rows$time, as.list(rows)[run$species[present]], run)
  structure(out, class = class(x), row.names = .set_row_names(length(out$time)), run = attr(x, "run"))
}

# ---- levels and counts ------------------------------------------------------------------------------------------------------

# Which of the observed quantities are levels of a Petri net, by their names. A variable is one if the net has any.
are_levels <- function(run, names) {
  places <- run$model$places
  if (is.null(places) || !any(places$continuous)) return(logical(length(names)))
  of <- ifelse(names %in% places$place, names, place_of_element(names))
  at <- match(of, places$place)
  ifelse(is.na(at), TRUE, places$continuous[at])
}

# The word for their values at an axis.
word_of_values <- function(run, names) if (any(are_levels(run, names))) "level" else "count"

# The argument `species`, or the argument `place` of results for Petri nets, which does the same: names or numbers of quantities.
# The name of a place with colours stands for all of them.
named_items <- function(x, species, place) {
  if (!is.null(place)) {
    if (!is.null(species)) abort_argument("`place` and `species` do the same; give one of them.")
    if (item_of(x) == "species") {
      abort_argument("`place` is for results of Petri nets; `species` chooses the species of a reaction network.")
    }
  }
  run <- attr(x, "run")
  names <- if (is.null(place)) species else place
  if (is.factor(names)) names <- as.character(names)
  if (!is.character(names) || is.null(run$colours)) {
    if (!is.null(place)) names <- run$species[check_known(place, "place", run$species, "places", owner = "result")]
    return(names)
  }
  known <- c(run$species, unique(run$colours$place))
  names <- known[check_known(names, if (is.null(place)) "species" else "place", known, "places", owner = "result")]
  out <- lapply(names, function(name) if (name %in% run$species) name else run$species[run$colours$place == name])
  unique(unlist(out))
}

# What a picture says about the places that it leaves out.
left_out_items <- function(shown, of, x) {
  out <- left_out(shown, of, paste0(" ", items_of(x)))
  if (is.null(out) || item_of(x) == "species") return(out)
  paste0(out, "; `place` chooses others", if (any(grepl("]$", attr(x, "run")$species))) ", and type = \"map\" draws a grid")
}
