"""Learning from finished games."""
