"""Rating workbooks: a batch as Excel files, one a rater, and the answers back out of them."""
