"""Runs of self-play: their folder, what it holds, and playing them from the first game to the last."""
