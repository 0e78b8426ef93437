"""Releases: files, card, checksums, and their verification."""
