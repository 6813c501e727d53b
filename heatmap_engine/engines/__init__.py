"""Engines: one position, one clock, one answer, and what is remembered of it."""
