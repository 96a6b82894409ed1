library(testthat)
library(fireflip)

test_check("fireflip")
