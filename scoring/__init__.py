"""Language models measured on a release: runs, measures, uncertainty.

A sentence passes `variants` (its two texts), `run` (their tokens scored, into `shards`),
`protocols` (r_masc), `measures` and `results`; `scores` leads it through them, and `comparison`
sets results beside one another. What begins with `prompt_` or `sector_` is of the other two
instruments.
"""
