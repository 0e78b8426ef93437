"""The parts of page Agreement: all languages, one language, a rater left out."""
