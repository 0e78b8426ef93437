"""Batches for raters, their ratings, agreement, decisions and approvals."""
