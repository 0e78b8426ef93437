"""The parts of page Disagreements: the queue, a decision, raters asked, shared evidence, rules."""
