"""From the columns of a file to features: what a column holds is recognised once, in fit, and kept as a recipe.

`recipe` is what a model stores, plain data. `evidence` sees the values of a column, batch by batch, and tells what they
can be; `recognise` decides, for all columns of a file together. `apply` follows a recipe, in fit and in scoring alike.
`amounts`, `dates` and `spelling` know how people write numbers, days and words.
"""
