"""Answers to "what do you know of this position?": one report, from which every face is printed."""
