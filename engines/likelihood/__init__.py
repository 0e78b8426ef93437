"""Texts in, token ids and log-probabilities out."""
