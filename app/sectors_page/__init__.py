"""Parts of page Sectors."""
