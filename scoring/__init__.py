"""Language models measured on a release: runs, measures, uncertainty."""
