"""Parts of page Scores: one language, the study's figures, and one sentence."""
