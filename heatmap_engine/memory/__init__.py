"""What stands between a search and a table: what is known, and what learning a game changes."""
