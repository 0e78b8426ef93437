"""English source sentences in, labelled candidates out.

A sentence passes `sources`, `wrapping`, `stored_translations`, `quality_estimation`, `extraction`
and `pairing`, and is then one of the `candidates`; `generation` leads it through them. What begins
with `prompt_` or `sector_` is of the other two instruments.
"""
