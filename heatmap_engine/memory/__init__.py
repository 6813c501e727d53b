"""Between a search and a table: what is known of positions, and what learning a game changes."""
