"""English source sentences in, labelled candidates out."""
