"""Strategy `extended`: pairs whose every differing word is the same word in another gender.

words → alignment → exchanges (of the table and learned) → classification, with a search for forms
that show the speaker's gender in what is equal; repair builds a missing variant from the other.
"""
