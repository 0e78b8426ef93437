"""The demonstration: the whole loop on the bundled sample, with scripted raters and decisions."""
