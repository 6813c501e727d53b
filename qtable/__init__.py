"""A persistent table of values for any game's states: keys are text, values are entries."""
