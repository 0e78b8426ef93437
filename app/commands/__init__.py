"""The verbs and nouns of the command line, one file a stage."""
