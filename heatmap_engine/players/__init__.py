"""Who plays a game: our engine, any UCI or xboard engine, their clocks, and the loop of one game."""
