# Reaction networks, computed anew from their arrows.

# The change of each species (row) by each reaction (column), without fixed species.
stoichiometry <- function(net) {
  arrows <- network_arrows(net)
  arrows <- arrows[arrows$role != "rate", ]
  product <- arrows$role == "product"
  species <- factor(ifelse(product, arrows$to, arrows$from), net$species$species)
  reaction <- factor(ifelse(product, arrows$from, arrows$to), net$reactions$name)
  change <- unclass(stats::xtabs(ifelse(product, arrows$count, -arrows$count) ~ species + reaction))
  change * !net$species$fixed
}
