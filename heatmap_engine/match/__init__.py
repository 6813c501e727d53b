"""Matches between two sides: paired games, and what they say about who is stronger."""
