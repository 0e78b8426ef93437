"""Shared ground: words, records, languages, stereotypes, forms, settings and the store."""
